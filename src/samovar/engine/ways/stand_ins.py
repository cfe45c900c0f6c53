"""What stands for the rules of a game until `backend` binds them, and what is made of such rules."""

from __future__ import annotations

from typing import TypeAlias

from samovar.engine.arrays import AnyState, IntGrid, Ints, Rng
from samovar.engine.chance import below
from samovar.engine.contract import (
    Actors,
    Apply,
    Deal,
    Determinize,
    Factor,
    Legal,
    Observe,
    Places,
    Redeal,
    Relate,
    RotateBack,
    RotateMove,
    Scores,
    Setup,
    Success,
    Team,
)
from samovar.engine.heuristics import CERTAIN, Evaluate, Forget, RolloutMove, Sights
from samovar.engine.rule import Rule, rule, stand_in

DEAL_STREAM = 0
MOVE_STREAM = 1
WORLD_STREAM = 2

NEXT_DEAL = 1 << 40
DEAL_EVERY = 8
MOST_DEALS = 100  # a deal may be over before anybody can act; so many in a row are not

NOT_AN_ACTOR = -1
ILLEGAL = -2

NOBODY = -1  # the actor of a match that is over
NO_MOVE = -1  # what is played in a match that is to wait

PLACE_BITS = 4

TURNED, PLANES, RESTARTS, MOVE_PLANES = range(4)  # the columns of `Turn.wishes`
SENDS, REFUSED, FIRST, MOVE = SENT = range(4)  # the columns of what `Batch.send` counts
# the columns of what is counted of a whole match; points and places by seat follow
LENGTH, TURNS, CHOICES, FORCED, BEGINS, ENDED, POINTS = range(7)

AnyStates: TypeAlias = list[AnyState]  # an array of states, or a list of plain ones
Setups: TypeAlias = list[Setup]  # seats and options, by match
Unused: TypeAlias = object  # an array that an operation does not need


deal: Deal = stand_in(Deal)
actors: Actors = stand_in(Actors)
legal: Legal = stand_in(Legal)
apply: Apply = stand_in(Apply)
scores: Scores = stand_in(Scores)
places: Places = stand_in(Places)
team: Team = stand_in(Team)
success: Success = stand_in(Success)
determinize: Determinize = stand_in(Determinize)
redeal: Redeal = stand_in(Redeal)
observe: Observe = stand_in(Observe)
relate: Relate = stand_in(Relate)
factor: Factor = stand_in(Factor)
rotate_move: RotateMove = stand_in(RotateMove)
rotate_back: RotateBack = stand_in(RotateBack)
evaluate: Evaluate = stand_in(Evaluate)
rollout_move: RolloutMove = stand_in(RolloutMove)
sights: Sights = stand_in(Sights)
forget: Forget = stand_in(Forget)


@rule
def clear(state: AnyState) -> None:
    """Bound to a function that zeroes a state of the game: `deal` expects one."""


@rule
def draw_key(state: AnyState, rng: Rng) -> None:
    """Bound to that of `chance.py` where a game has chance during play, else to one that does nothing."""


@rule
def observation_size() -> int:
    """Bound to a rule that says how many numbers an observation has."""
    return 0


@rule
def factors_size() -> int:
    """Bound to a rule that says how many numbers a move told as parts has."""
    return 0


@rule
def factor_planes() -> int:
    """Bound to a rule that says how many numbers the planes of such a move have."""
    return 0


@rule
def encode(seen: Ints, rows: IntGrid, i: int, at: int) -> None:
    """Bound to what `kinds.make_encode` makes of the parts of the game's observation."""


@rule
def encode_factors(seen: Ints, rows: IntGrid, i: int, at: int) -> None:
    """Bound to what `kinds.make_encode` makes of the factors of the game's moves."""


@rule
def copy_state(states: AnyStates, source: int, target: int) -> None:
    """Bound to `copy_record`, or to what copies a state in plain Python."""


@rule
def copy_record(states: AnyStates, source: int, target: int) -> None:
    states[target] = states[source]


@rule
def most_points_win(state: AnyState, out: Ints) -> None:
    """The default places: by points, ties share. A rule has no room of its own, so for a while the
    place is kept in the lowest bits, below the points."""
    scores(state, out)
    for seat in range(state.seats):
        out[seat] <<= PLACE_BITS
    for seat in range(state.seats):
        out[seat] += 1
        for other in range(state.seats):
            if out[other] >> PLACE_BITS > out[seat] >> PLACE_BITS:
                out[seat] += 1
    for seat in range(state.seats):
        out[seat] &= (1 << PLACE_BITS) - 1


@rule
def any_move(state: AnyState, seat: int, rng: Rng, out: Ints) -> int:
    """The default rollout move: any legal one."""
    return out[below(rng, legal(state, seat, out))]


@rule
def is_together(seats: int) -> bool:
    """Whether all seats are one team."""
    for seat in range(1, seats):
        if team(seats, seat) != team(seats, 0):
            return False
    return True


@rule
def share_of_places(state: AnyState, out: Ints) -> None:
    """The default evaluation: how well each seat stands by its place now. Of its opponents a seat leaves behind those
    placed lower, and half of its equals; where there are no opponents, all stand as they do together."""
    seats = state.seats
    if is_together(seats):
        for seat in range(seats):
            out[seat] = success(state)
        return
    places(state, out)
    for seat in range(seats):
        behind = 0
        opponents = 0
        for other in range(seats):
            if team(seats, other) != team(seats, seat):
                # The places of seats before this one are already overwritten by their share: they are
                # kept in the lower bits.
                place = out[other] & 15
                opponents += 1
                if place > (out[seat] & 15):
                    behind += 2
                elif place == (out[seat] & 15):
                    behind += 1
        out[seat] |= (behind * CERTAIN // (2 * opponents)) << 4
    for seat in range(seats):
        out[seat] >>= 4


@rule
def stand(state: AnyState, out: Ints) -> None:
    """How well each seat stands: by its place when the match is over, else by the game's
    evaluation."""
    if actors(state) == 0:
        share_of_places(state, out)
    else:
        evaluate(state, out)


@rule
def nothing_to_redeal(state: AnyState, rng: Rng) -> None:
    """The default: some seat has seen every card."""


@rule
def nobody_asks(state: AnyState) -> int:
    """The default `success`: there are several teams, and places say how each of them did."""
    return 0


@rule
def no_relations(seen: Ints, at: int) -> None:
    """The default: the observation is all that networks are shown."""


@rule
def no_factors(state: AnyState, seat: int, move: int, out: Ints) -> None:
    """The default: a move is a number and nothing else."""


@rule
def not_rotated(state: AnyState, seat: int, move: int) -> int:
    """The default of both ways: a move has one number for all seats."""
    return move


@rule
def set_up(state: AnyState, setup: Setup, rng: Rng) -> None:
    """A deal in a zeroed state."""
    draw_key(state, rng)
    deal(state, setup.seats, setup, rng)


@rule
def imagine(state: AnyState, seat: int, rng: Rng) -> None:
    """A world that fits all that a seat knows; what chance will do there is drawn anew."""
    determinize(state, seat, rng)
    draw_key(state, rng)


@rule
def deal_unseen_anew(state: AnyState, rng: Rng) -> None:
    """A world that fits all that the seats know together."""
    redeal(state, rng)
    draw_key(state, rng)


@rule
def lowest_seat(mask: int) -> int:
    seat = 0
    while not (mask >> seat) & 1:
        seat += 1
    return seat


@rule
def place_of(out: Ints, count: int, move: int) -> int:
    """Where an ascending list holds a move, -1 if it does not."""
    low = 0
    high = count
    while low < high:
        middle = (low + high) // 2
        if out[middle] < move:
            low = middle + 1
        else:
            high = middle
    return low if low < count and out[low] == move else -1


@rule
def is_among(out: Ints, count: int, move: int) -> bool:
    return place_of(out, count, move) >= 0


@rule
def act(state: AnyState, seat: int, move: int, out: Ints) -> int:
    """One checked move: the actors after it, or NOT_AN_ACTOR or ILLEGAL, and then nothing has
    changed."""
    if seat < 0 or not (actors(state) >> seat) & 1:
        return NOT_AN_ACTOR
    if not is_among(out, legal(state, seat, out), move):
        return ILLEGAL
    apply(state, seat, move)
    return actors(state)


DEFAULTS: dict[str, Rule] = {
    "places": most_points_win,
    "success": nobody_asks,
    "redeal": nothing_to_redeal,
    "relate": no_relations,
    "factor": no_factors,
    "rotate_move": not_rotated,
    "rotate_back": not_rotated,
    "evaluate": share_of_places,
    "rollout_move": any_move,
}
