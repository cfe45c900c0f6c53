"""What a seat knows as numbers."""

from __future__ import annotations

from itertools import accumulate

from samovar.engine.arrays import Ints
from samovar.engine.contract import Part
from samovar.engine.rule import rule

from .state import (
    MAX_SEATS,
    NOTHING,
    OVER,
    PLACES,
    ROUNDS,
    SIDES,
    State,
    animal,
    are_rubies_public,
    birds_of,
    count_volcanoes,
    known,
    landscape,
)

OBSERVATION = (
    Part(
        "animal",
        PLACES,
        "by place a1, b1 ... e5: the animal of the card the seat knows to lie there, 0 penguin to 4 turtle, -1 unknown",
    ),
    Part("landscape", PLACES, "by place: its landscape, 0 lava, 1 ocean, 2 jungle, 3 flowers, 4 beach, -1 unknown"),
    Part("face_up", PLACES, "by place: 1 face up now"),
    Part(
        "known_to_others",
        (MAX_SEATS - 1) * PLACES,
        "for the next seats clockwise, by place: 1 if that seat knows the card",
    ),
    Part("phase", OVER + 1, "one of look, reveal, peek, swap, block, over is 1"),
    Part("turn", MAX_SEATS, "own seat first, then clockwise: 1 for the seat whose turn it is"),
    Part("starter", MAX_SEATS, "own seat first, then clockwise: 1 for the seat that began this round"),
    Part("volcano", MAX_SEATS, "own seat first, then clockwise: birds on the volcano in front of the seat, 0 none"),
    Part("treasures", MAX_SEATS, "own seat first, then clockwise: treasure cards"),
    Part("rubies", MAX_SEATS, "own seat first, then clockwise: rubies on them, -1 while they are not public"),
    Part(
        "sides",
        SIDES,
        "north, east, south, west: 1 if the seat looked there before round 1, 2 to 4 the next seats clockwise, 0 "
        "nobody",
    ),
    Part("last", 3, "the last location of this round: its place, animal and landscape, -1 none"),
    Part("blocked", 1, "the place that the seat in turn may not reveal, -1 none"),
    Part("round", 1, "0 to 6"),
    Part("top_volcano", 1, "birds on the top volcano of the stack, 0 none left"),
    Part("volcanoes_left", 1, "volcanoes on the stack"),
    Part("seats", 1, "2 to 4"),
    Part("options", 3, "expert, ordered_stack, first_reveal_ability: 1 on"),
)

# Where the parts begin.
_STARTS = dict(
    zip((part.name for part in OBSERVATION), accumulate((part.size for part in OBSERVATION), initial=0), strict=False)
)
_ANIMAL = _STARTS["animal"]
_LANDSCAPE = _STARTS["landscape"]
_FACE_UP = _STARTS["face_up"]
_OTHERS = _STARTS["known_to_others"]
_PHASE = _STARTS["phase"]
_TURN = _STARTS["turn"]
_STARTER = _STARTS["starter"]
_VOLCANO = _STARTS["volcano"]
_TREASURES = _STARTS["treasures"]
_RUBIES = _STARTS["rubies"]
_SIDES = _STARTS["sides"]
_LAST = _STARTS["last"]
_BLOCKED = _STARTS["blocked"]
_ROUND = _STARTS["round"]
_TOP_VOLCANO = _STARTS["top_volcano"]
_VOLCANOES_LEFT = _STARTS["volcanoes_left"]
_SEATS = _STARTS["seats"]
_OPTIONS = _STARTS["options"]


@rule
def observe(state: State, seat: int, out: Ints) -> None:
    observe_island(state, known(state, seat), out)
    observe_places(state.up, _FACE_UP, out)
    for k in range(1, MAX_SEATS):
        other = seat_after(state, seat, k)
        observe_places(0 if other == NOTHING else known(state, other), _OTHERS + (k - 1) * PLACES, out)
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
        out[_ANIMAL + place] = seen * (animal(card) + 1) - 1
        out[_LANDSCAPE + place] = seen * (landscape(card) + 1) - 1


@rule
def observe_places(mask: int, start: int, out: Ints) -> None:
    for place in range(PLACES):
        out[start + place] = (mask >> place) & 1


@rule
def observe_seat(state: State, seat: int, k: int, out: Ints) -> None:
    """The k-th seat clockwise; -1 is nobody."""
    out[_TURN + k] = 1 if seat != NOTHING and seat == state.turn else 0
    out[_STARTER + k] = 1 if seat != NOTHING and seat == state.starter else 0
    out[_VOLCANO + k] = birds_of(state, seat)
    out[_TREASURES + k] = 0
    out[_RUBIES + k] = 0 if seat == NOTHING or are_rubies_public(state) else -1


@rule
def observe_treasures(state: State, seat: int, out: Ints) -> None:
    """R7: how many is public, the rubies mostly not."""
    are_public = are_rubies_public(state)
    for number in range(ROUNDS):
        owner = state.owner[number]
        if owner != NOTHING:
            k = seats_from(state, seat, owner)
            out[_TREASURES + k] += 1
            if are_public:
                out[_RUBIES + k] += state.treasure[number]


@rule
def observe_table(state: State, seat: int, out: Ints) -> None:
    for phase in range(OVER + 1):
        out[_PHASE + phase] = 1 if phase == state.phase else 0
    for side in range(SIDES):
        looker = state.looker[side]
        out[_SIDES + side] = 0 if looker == NOTHING else 1 + seats_from(state, seat, looker)
    last = state.last
    out[_LAST] = last
    out[_LAST + 1] = -1 if last == NOTHING else animal(state.card[last])
    out[_LAST + 2] = -1 if last == NOTHING else landscape(state.card[last])
    out[_BLOCKED] = state.blocked
    left = count_volcanoes(state) - state.taken
    out[_ROUND] = state.round
    out[_TOP_VOLCANO] = state.volcano[state.round, state.taken] if left > 0 else 0
    out[_VOLCANOES_LEFT] = left
    out[_SEATS] = state.seats
    out[_OPTIONS] = state.expert
    out[_OPTIONS + 1] = state.ordered_stack
    out[_OPTIONS + 2] = state.first_reveal_ability
