"""Whisper: a small game with hidden cards, draws, and something that everybody hears, for testing the kit itself.

Six cards; two seats hold one each, the others are the deck. In turn a seat either names a card, and everybody hears
whether the other one holds it, or lays its own card open and draws the next one. A card that was named rightly is laid
open, too, and its holder draws. It is over when the deck is empty, or after eight moves.
"""

from dataclasses import dataclass

import numpy as np

from samovar.engine.chance import shuffle, starting_seat
from samovar.engine.contract import Event, Game, Part, event, usual_prompt
from samovar.engine.rule import rule

CARDS = 6
DRAW = CARDS  # the move; those before it name a card
LAST_MOVE = 8
LATE = 5  # moves, of eight
NOTHING = -1
STATE = np.dtype(
    [
        ("deck", np.int8, (CARDS,)),  # hidden: the cards to come, then NOTHING
        ("hand", np.int8, (2,)),  # hidden from the other seat
        ("denied", np.int8, (2,)),  # public: what a seat is known not to hold, a bit a card
        ("open", np.int8),  # public: what lies open, a bit a card
        ("points", np.int8, (2,)),  # public
        ("seats", np.int8),
        ("turn", np.int8),
        ("moved", np.int8),
        ("last", np.int8),  # the last move
        ("right", np.int8),  # whether it named the right card
    ]
)


@rule
def deal(state, seats, options, rng):
    state.seats = seats
    state.turn = starting_seat(rng, seats, options.first)
    state.last = NOTHING
    for i in range(CARDS):
        state.deck[i] = i
    shuffle(rng, state.deck, CARDS)
    for seat in range(2):
        take_card(state, seat)


@rule
def take_card(state, seat):
    """The next card of the deck; what was known of the hand is no longer so."""
    state.hand[seat] = state.deck[0]
    state.denied[seat] = 0
    for i in range(CARDS - 1):
        state.deck[i] = state.deck[i + 1]
    state.deck[CARDS - 1] = NOTHING


@rule
def actors(state):
    return 0 if state.deck[0] == NOTHING or state.moved == LAST_MOVE else 1 << state.turn


@rule
def legal(state, seat, out):
    for move in range(CARDS + 1):
        out[move] = move
    return CARDS + 1


@rule
def lay_open(state, seat):
    state.open |= 1 << state.hand[seat]
    take_card(state, seat)


@rule
def apply(state, seat, move):
    other = 1 - seat
    state.last = move
    state.right = 0
    if move == DRAW:
        lay_open(state, seat)
    elif state.hand[other] == move:
        state.right = 1
        state.points[seat] += 1
        lay_open(state, other)
    else:
        state.denied[other] |= 1 << move
    state.moved += 1
    state.turn = other


@rule
def scores(state, out):
    out[0] = state.points[0]
    out[1] = state.points[1]


@rule
def determinize(state, seat, rng):
    """All that is not seen lies in the other's hand and in the deck, in any order that fits what was heard."""
    other = 1 - seat
    gather(state, seat)
    left = count_cards(state)
    shuffle(rng, state.deck, left)
    while (state.denied[other] >> state.deck[left - 1]) & 1:
        shuffle(rng, state.deck, left)
    take_last(state, other, left)


@rule
def gather(state, seat):
    """All cards that the seat does not see, into the deck, in ascending order."""
    count = 0
    for card in range(CARDS):
        if not (state.open >> card) & 1 and card != state.hand[seat]:
            state.deck[count] = card
            count += 1
    for i in range(count, CARDS):
        state.deck[i] = NOTHING


@rule
def count_cards(state):
    count = 0
    while count < CARDS and state.deck[count] != NOTHING:
        count += 1
    return count


@rule
def take_last(state, seat, count):
    state.hand[seat] = state.deck[count - 1]
    state.deck[count - 1] = NOTHING


@rule
def observe(state, seat, out):
    other = 1 - seat
    out[0] = state.hand[seat]
    for card in range(CARDS):
        out[1 + card] = (state.denied[other] >> card) & 1
        out[1 + CARDS + card] = (state.denied[seat] >> card) & 1
        out[1 + 2 * CARDS + card] = (state.open >> card) & 1
    out[19] = state.points[seat]
    out[20] = state.points[other]
    out[21] = state.moved


def faults(state):
    seen = {card for card in range(CARDS) if state.open >> card & 1}
    seen |= {state.hand[0], state.hand[1], *state.deck[: count_cards(state)]}
    if seen != set(range(CARDS)):
        yield "a card is missing"


@dataclass(frozen=True)
class View:
    card: int | None
    open_cards: tuple[int, ...]
    points: tuple[int, int]
    left: int
    prompt: Event
    news: tuple[Event, ...]


def view(state, seat):
    news = ()
    if state.last != NOTHING:
        actor = 1 - state.turn
        kind = "draws" if state.last == DRAW else "right" if state.right else "wrong"
        news = (event(kind, seat=actor, **({} if state.last == DRAW else {"card": state.last})),)
    return View(
        None if seat is None else state.hand[seat],
        tuple(card for card in range(CARDS) if (state.open >> card) & 1),
        (state.points[0], state.points[1]),
        count_cards(state),
        usual_prompt(actors(state), seat),
        news,
    )


def move_text(state, seat, move):
    return "draw" if move == DRAW else f"name {move}"


WORDS = {
    "draws": "{seat} lays its card open and draws.",
    "right": "{seat} names {card}, and it is right.",
    "wrong": "{seat} names {card}, and it is wrong.",
}
GAME = Game.from_module(
    __name__,
    id="whisper",
    name="Whisper",
    seats=(2,),
    state=STATE,
    moves=CARDS + 1,
    max_length=lambda seats, options: LAST_MOVE,
    observation=(
        Part("card", 1, "own card"),
        Part("denied", CARDS, "what the other is known not to hold, by card"),
        Part("own_denied", CARDS, "what it is known not to hold itself, by card"),
        Part("open", CARDS, "what lies open, by card"),
        Part("points", 2, "own and other"),
        Part("moved", 1, "moves made"),
    ),
    contract=2,
    words={"en": WORDS},
    folder="",
)
