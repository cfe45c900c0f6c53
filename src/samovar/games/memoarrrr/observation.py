"""What a seat knows as numbers."""

from __future__ import annotations

from samovar.engine.arrays import Ints
from samovar.engine.contract import Part
from samovar.engine.kinds import FLAG, count, one_of, place_on, seat_of, starts
from samovar.engine.rule import rule

from .sizes import ANIMALS, LANDSCAPES, ROUNDS, WIDTH
from .state import (
    ALL_RUBIES,
    MAX_SEATS,
    MAX_VOLCANOES,
    MOST_BIRDS,
    NOTHING,
    OVER,
    PLACES,
    SIDES,
    State,
    animal,
    are_rubies_public,
    birds_of,
    count_volcanoes,
    known,
    landscape,
)

ISLAND_SHAPE = (WIDTH, WIDTH)

OBSERVATION = (
    Part(
        "animal",
        PLACES,
        "by place a1, b1 ... e5: the animal of the card the seat knows to lie there, 0 penguin to 4 turtle, -1 unknown",
        one_of(ANIMALS),
        ISLAND_SHAPE,
    ),
    Part(
        "landscape",
        PLACES,
        "by place: its landscape, 0 lava, 1 ocean, 2 jungle, 3 flowers, 4 beach, -1 unknown",
        one_of(LANDSCAPES),
        ISLAND_SHAPE,
    ),
    Part("face_up", PLACES, "by place: 1 face up now", FLAG, ISLAND_SHAPE),
    Part(
        "known_to_others",
        (MAX_SEATS - 1) * PLACES,
        "for the next seats clockwise, by place: 1 if that seat knows the card",
        FLAG,
        (MAX_SEATS - 1, *ISLAND_SHAPE),
    ),
    Part("phase", OVER + 1, "one of look, reveal, peek, swap, block, over is 1", FLAG),
    Part("turn", MAX_SEATS, "own seat first, then clockwise: 1 for the seat whose turn it is", FLAG),
    Part("starter", MAX_SEATS, "own seat first, then clockwise: 1 for the seat that began this round", FLAG),
    Part(
        "volcano",
        MAX_SEATS,
        "own seat first, then clockwise: birds on the volcano in front of the seat, 0 none",
        count(0, MOST_BIRDS),
    ),
    Part("treasures", MAX_SEATS, "own seat first, then clockwise: treasure cards", count(0, ROUNDS)),
    Part(
        "rubies",
        MAX_SEATS,
        "own seat first, then clockwise: rubies on them, -1 while they are not public",
        count(-1, ALL_RUBIES),
    ),
    Part(
        "sides",
        SIDES,
        "north, east, south, west: 1 if the seat looked there before round 1, 2 to 4 the next seats clockwise, 0 "
        "nobody",
        seat_of(MAX_SEATS, first=1),
    ),
    Part("last", 1, "the place of the last location of this round, -1 none", place_on(ISLAND_SHAPE)),
    Part("last_animal", 1, "its animal, -1 none", one_of(ANIMALS)),
    Part("last_landscape", 1, "its landscape, -1 none", one_of(LANDSCAPES)),
    Part("blocked", 1, "the place that the seat in turn may not reveal, -1 none", place_on(ISLAND_SHAPE)),
    Part("round", 1, "0 to 6", one_of(ROUNDS)),
    Part("top_volcano", 1, "birds on the top volcano of the stack, 0 none left", count(0, MOST_BIRDS)),
    Part("volcanoes_left", 1, "volcanoes on the stack", count(0, MAX_VOLCANOES)),
    Part("seats", 1, "2 to 4", one_of(MAX_SEATS - 1, first=2)),
    Part("options", 3, "expert, ordered_stack, first_reveal_ability: 1 on", FLAG),
)
ANIMAL, LANDSCAPE, FACE_UP, KNOWN = starts(OBSERVATION, "animal", "landscape", "face_up", "known_to_others")
PHASE, TURN, STARTER, VOLCANO = starts(OBSERVATION, "phase", "turn", "starter", "volcano")
TREASURES, RUBIES, LOOKED, LAST = starts(OBSERVATION, "treasures", "rubies", "sides", "last")
LAST_ANIMAL, LAST_LANDSCAPE, BLOCKED = starts(OBSERVATION, "last_animal", "last_landscape", "blocked")
ROUND, TOP_VOLCANO, VOLCANOES_LEFT = starts(OBSERVATION, "round", "top_volcano", "volcanoes_left")
SEATS, OPTIONS = starts(OBSERVATION, "seats", "options")


@rule
def observe(state: State, seat: int, out: Ints) -> None:
    observe_island(state, known(state, seat), out)
    observe_places(state.up, FACE_UP, out)
    for k in range(1, MAX_SEATS):
        other = seat_after(state, seat, k)
        observe_places(0 if other == NOTHING else known(state, other), KNOWN + (k - 1) * PLACES, out)
    for k in range(MAX_SEATS):
        observe_seat(state, seat_after(state, seat, k), k, out)
    observe_treasures(state, seat, out)
    observe_table(state, seat, out)


@rule
def seat_after(state: State, seat: int, k: int) -> int:
    """The k-th seat clockwise from a seat, -1 if there are not so many."""
    if k >= state.seats:
        return NOTHING
    return seat + k if seat + k < state.seats else seat + k - state.seats


@rule
def seats_from(state: State, seat: int, other: int) -> int:
    """How many seats clockwise from a seat another one sits."""
    return other - seat if other >= seat else other - seat + state.seats


@rule
def observe_island(state: State, places: int, out: Ints) -> None:
    """The cards at the given places; place by place without a branch."""
    for place in range(PLACES):
        card = state.card[place]
        seen = (places >> place) & 1
        out[ANIMAL + place] = seen * (animal(card) + 1) - 1
        out[LANDSCAPE + place] = seen * (landscape(card) + 1) - 1


@rule
def observe_places(mask: int, start: int, out: Ints) -> None:
    for place in range(PLACES):
        out[start + place] = (mask >> place) & 1


@rule
def observe_seat(state: State, seat: int, k: int, out: Ints) -> None:
    """The k-th seat clockwise; -1 is nobody."""
    out[TURN + k] = 1 if seat != NOTHING and seat == state.turn else 0
    out[STARTER + k] = 1 if seat != NOTHING and seat == state.starter else 0
    out[VOLCANO + k] = birds_of(state, seat)
    out[TREASURES + k] = 0
    out[RUBIES + k] = 0 if seat == NOTHING or are_rubies_public(state) else -1


@rule
def observe_treasures(state: State, seat: int, out: Ints) -> None:
    """R7: how many is public, the rubies mostly not."""
    are_public = are_rubies_public(state)
    for number in range(ROUNDS):
        owner = state.owner[number]
        if owner != NOTHING:
            k = seats_from(state, seat, owner)
            out[TREASURES + k] += 1
            if are_public:
                out[RUBIES + k] += state.treasure[number]


@rule
def observe_table(state: State, seat: int, out: Ints) -> None:
    for phase in range(OVER + 1):
        out[PHASE + phase] = 1 if phase == state.phase else 0
    for side in range(SIDES):
        looker = state.looker[side]
        out[LOOKED + side] = 0 if looker == NOTHING else 1 + seats_from(state, seat, looker)
    last = state.last
    out[LAST] = last
    out[LAST_ANIMAL] = -1 if last == NOTHING else animal(state.card[last])
    out[LAST_LANDSCAPE] = -1 if last == NOTHING else landscape(state.card[last])
    out[BLOCKED] = state.blocked
    left = count_volcanoes(state) - state.taken
    out[ROUND] = state.round
    out[TOP_VOLCANO] = state.volcano[state.round, state.taken] if left > 0 else 0
    out[VOLCANOES_LEFT] = left
    out[SEATS] = state.seats
    out[OPTIONS] = state.expert
    out[OPTIONS + 1] = state.ordered_stack
    out[OPTIONS + 2] = state.first_reveal_ability
