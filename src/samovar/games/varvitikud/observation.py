"""What a seat knows, as numbers; seats are counted from the observer on, clockwise (0 is the
observer)."""

from __future__ import annotations

from samovar.engine.arrays import Ints
from samovar.engine.contract import Part
from samovar.engine.kinds import FLAG, count, one_of, seat_of, starts
from samovar.engine.rule import rule

from .deck import (
    CARDS,
    EDGES,
)
from .knowledge import excluded, hand_mask, newest_slots, slot_since
from .sizes import COLOURS, STICKS_OF_A_COLOUR
from .state import (
    MAX_HAND,
    MAX_PLACEMENTS,
    MAX_SEATS,
    ROW,
    State,
)

LIES = 2  # what `where` is at least for a lying card
ROW_BITS = 7
MIDDLE = (ROW // 2 << ROW_BITS) + ROW // 2  # makes every cell positive
# Few fields reach farther from the first card; a card out there is shown without its place.
FAR = 12
NEAR = one_of(2 * FAR + 1, first=-FAR)
OBSERVATION = (
    Part("phase", 1, "0 place a card, 1 swap sticks, 2 over", one_of(3)),
    Part("turn", 1, "whose turn it is, seats from the observer on", seat_of(MAX_SEATS)),
    Part("swaps_left", 1, "swaps that the seat in turn may still make", count(0, EDGES - 1)),
    Part(
        "ending",
        1,
        "1 a stick was missing (the match ends after the swaps), 2 nobody could place, 0 otherwise",
        one_of(2, first=1),
    ),
    Part("seats", 1, "2 to 4", one_of(MAX_SEATS - 1, first=2)),
    Part("half_turn", 1, "1 when cards may be placed half turned", FLAG),
    Part("pile", 1, "cards left in the pile", count(0, CARDS)),
    Part("placements", 1, "cards placed so far", count(0, MAX_PLACEMENTS)),
    Part("draws", 1, "cards drawn so far", count(0, MAX_PLACEMENTS)),
    Part(
        "reserve",
        COLOURS,
        "sticks in the reserve by colour: red, orange, yellow, green, blue, purple",
        count(0, STICKS_OF_A_COLOUR),
    ),
    Part(
        "sticks",
        MAX_SEATS * COLOURS,
        "seat by seat from the observer on: sticks by colour",
        count(0, STICKS_OF_A_COLOUR),
        (MAX_SEATS, COLOURS),
    ),
    Part("hand_sizes", MAX_SEATS, "cards in hand, seats from the observer on", count(0, MAX_HAND)),
    Part(
        "skips", MAX_SEATS, "how often each seat had to skip, seats from the observer on", count(0, MAX_PLACEMENTS + 1)
    ),
    Part("where", CARDS, "card by card: 0 hidden, 1 in the own hand, 2 lying, 3 lying half turned", one_of(3, first=1)),
    Part("x", CARDS, "card by card: x of a lying card, 0 for the others", NEAR),
    Part("y", CARDS, "card by card: y of a lying card, 0 for the others", NEAR),
    Part(
        "number",
        CARDS,
        "card by card: 1 + the number of its placement; 0 for cards that no seat has placed",
        count(0, MAX_PLACEMENTS),
    ),
    Part(
        "placer",
        CARDS,
        "card by card: 1 + the seat that placed it, seats from the observer on; 0 for cards that no seat has placed",
        seat_of(MAX_SEATS, first=1),
    ),
    Part(
        "cannot_hold",
        (MAX_SEATS - 1) * CARDS,
        "other seats one by one, card by card: how many of its cards cannot be this one, by its skips",
        count(0, MAX_HAND),
        (MAX_SEATS - 1, CARDS),
    ),
)
RESERVE, STICKS, HAND_SIZES, SKIPS = starts(OBSERVATION, "reserve", "sticks", "hand_sizes", "skips")
WHERE, X, Y, NUMBER, PLACER = starts(OBSERVATION, "where", "x", "y", "number", "placer")
CANNOT_HOLD, SEATS_SEEN = starts(OBSERVATION, "cannot_hold", "seats")


@rule
def observe(state: State, seat: int, out: Ints) -> None:
    out[0] = state.phase
    out[1] = (state.turn - seat) % state.seats
    out[2] = state.swaps_left
    out[3] = state.ending
    out[4] = state.seats
    out[5] = state.half_turn
    out[6] = state.pile_size
    out[7] = state.placements
    out[8] = state.draws
    observe_seats(state, seat, out)
    observe_cards(state, seat, out)
    observe_skips(state, seat, out)


@rule
def observe_seats(state: State, seat: int, out: Ints) -> None:
    for colour in range(COLOURS):
        out[RESERVE + colour] = state.reserve[colour]
    for k in range(MAX_SEATS):
        other = seat + k if seat + k < state.seats else seat + k - state.seats
        present = k < state.seats
        for colour in range(COLOURS):
            out[STICKS + COLOURS * k + colour] = state.sticks[other, colour] if present else 0
        out[HAND_SIZES + k] = state.hand_size[other] if present else 0
        out[SKIPS + k] = state.skips[other] if present else 0


@rule
def observe_cards(state: State, seat: int, out: Ints) -> None:
    hand = hand_mask(state, seat)
    lying = state.lying
    turned = state.turned
    for card in range(CARDS):
        out[WHERE + card] = ((hand >> card) & 1) + 2 * ((lying >> card) & 1) + ((turned >> card) & 1)
    for card in range(CARDS):  # a card that does not lie has the place 0, so x and y are 0
        cell = state.place[card] + MIDDLE
        out[X + card] = (cell & (ROW - 1)) - ROW // 2
        out[Y + card] = (cell >> ROW_BITS) - ROW // 2
    for i in range(2 * CARDS):
        out[NUMBER + i] = 0
    for number in range(state.placements):
        card = state.placed[number]
        placer = state.placer[number] - seat
        out[NUMBER + card] = number + 1
        out[PLACER + card] = 1 + (placer if placer >= 0 else placer + state.seats)


@rule
def observe_skips(state: State, seat: int, out: Ints) -> None:
    """C5: what all skips of a seat together say, when it placed the oldest cards that it could (so
    this is the least that is certain)."""
    for i in range((MAX_SEATS - 1) * CARDS):
        out[CANNOT_HOLD + i] = 0
    for k in range(1, state.seats):
        other = (seat + k) % state.seats
        if state.skips[other] > 0:
            slots = newest_slots(state, other)
            for slot in range(state.hand_size[other]):
                mask = excluded(state, other, slot_since(slots, slot))
                for card in range(CARDS):
                    out[CANNOT_HOLD + CARDS * (k - 1) + card] += (mask >> card) & 1
