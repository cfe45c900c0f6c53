"""What helps bots to play Babuschka: how far each seat still has to go, a move that goes on well,
and what people forget under the dolls."""

from __future__ import annotations

from math import exp, log2

import numpy as np

from samovar.engine.arrays import Ints, Rng
from samovar.engine.bits import count_bits, lowest_bit, nth_bit
from samovar.engine.chance import below, word
from samovar.engine.heuristics import CERTAIN, Guidance, Heuristics, Level, Tuning
from samovar.engine.rule import rule, table

from .board import BOARD, FACING, FACINGS, FREE, SQUARES, TURNED, middle_of
from .moves import end_of, start_of
from .rules import legal, standing
from .sizes import WIDTH
from .state import (
    LARGE,
    MAX_SEATS,
    MEDIUM,
    NOWHERE,
    SIZES,
    SMALL,
    State,
    all_dolls,
    at_least,
    goal_of,
    of_size,
    quiet_limit,
)


def _steps(seats: int, facing: int, square: int) -> int:
    """How many pulls it is to the nearest goal field on an empty board."""
    column, row = TURNED[facing, square] % WIDTH, TURNED[facing, square] // WIDTH
    middle = middle_of(seats)
    return max(WIDTH - 1 - row, middle[0] - column, column - middle[-1])


STEPS = table(
    [[[_steps(seats, facing, square) for square in range(SQUARES)] for facing in range(FACINGS)] for seats in range(5)]
)
HURRY = table(np.asarray(STEPS, np.int64) ** 2)  # the farther behind, the more a step counts

# What delays a seat: a hundred is worth one to e in the chances. The dolls under others are near a
# fit to the ends of matches, the rest was tried.
HASTE = 150
RACE = table([round(HASTE * log2(1 + steps)) for steps in range(128)])  # steps to go: the last ones count most
AWAY = table([10, 5, 0])  # each doll not home, by size
LAST = 20  # each step of the doll that has most to go
SMALL_UNDER_MEDIUM = 65  # each doll under one of another seat
SMALL_UNDER_LARGE = 25
MEDIUM_UNDER_LARGE = 55
TO_MOVE = 3  # not being on turn

# The chance to leave an opponent behind, in thousandths, by how much shorter one's way is.
REACH = 800
SPREAD = 100
CURVE = table([round(CERTAIN / (1 + exp(-lead / SPREAD))) for lead in range(-REACH, REACH + 1)])
IMPATIENCE = 1200  # what it is worth to stand better when patience ends
QUIET_TURNS = 3  # before anybody thinks of that
FINISHED = 10 * REACH


@rule
def covered(state: State, seat: int, size: int, by: int) -> int:
    """How many dolls of a seat are on their way and have a doll of another seat, of size `by`, on
    them."""
    return count_bits(state.dolls[seat, size] & ~goal_of(state, seat) & of_size(state, by) & ~state.dolls[seat, by])


@rule
def way_to_go(state: State, seat: int) -> int:
    """How much still keeps a seat from being home; much less than nothing when it is."""
    if state.place[seat] != 0:
        return int(state.place[seat] - MAX_SEATS - 1) * FINISHED
    facing = FACING[state.seats, seat]
    goal = goal_of(state, seat)
    way = SMALL_UNDER_MEDIUM * covered(state, seat, SMALL, MEDIUM)
    way += SMALL_UNDER_LARGE * covered(state, seat, SMALL, LARGE)
    way += MEDIUM_UNDER_LARGE * covered(state, seat, MEDIUM, LARGE)
    last = 0
    race = 0
    for size in range(SIZES):
        dolls = state.dolls[seat, size] & ~goal
        way += AWAY[size] * count_bits(dolls)
        while dolls != 0:
            steps = STEPS[state.seats, facing, lowest_bit(dolls)]
            race += 1 + steps
            last = max(last, steps)
            dolls &= dolls - 1
    way += LAST * last + RACE[race]
    if state.turn != seat:
        way += TO_MOVE
    return way


@rule
def lead(state: State, seat: int, other: int) -> int:
    """How far a seat is before another one: it has the shorter way, and the more patience is spent,
    the more counts who wins without it."""
    ahead = way_to_go(state, other) - way_to_go(state, seat)
    if state.quiet >= state.seats * QUIET_TURNS:
        better = standing(state, seat) - standing(state, other)
        ahead += min(max(better, -1), 1) * (IMPATIENCE * state.quiet // quiet_limit(state))
    return min(max(ahead, -REACH), REACH)


@rule
def evaluate(state: State, out: Ints) -> None:
    """A race: who is before another one will probably be home first."""
    for seat in range(state.seats):
        out[seat] = 0
    for seat in range(state.seats):
        for other in range(seat + 1, state.seats):
            chance = CURVE[REACH + lead(state, seat, other)]
            out[seat] += chance
            out[other] += CERTAIN - chance
    for seat in range(state.seats):
        out[seat] //= state.seats - 1


# What a move promises at a glance.
COMING_HOME = 100
COVERING = 10  # to have a doll on one of another seat
WHIM = 31  # up to so much is chance; one less than a power of two


@rule
def of_others(state: State, seat: int) -> int:
    """The fields on which other seats have dolls, covered or not."""
    fields = 0
    for other in range(state.seats):
        if other != seat:
            fields |= all_dolls(state, other)
    return fields


@rule
def rollout_move(state: State, seat: int, rng: Rng, out: Ints) -> int:
    """Home when possible, or else what brings those far behind nearer and keeps others covered;
    with some luck anything."""
    facing = FACING[state.seats, seat]
    goal = goal_of(state, seat)
    prey = of_others(state, seat)
    luck = word(rng)
    best = 0
    most = -CERTAIN
    for k in range(legal(state, seat, out)):
        start = start_of(out[k])
        end = end_of(out[k])
        worth = HURRY[state.seats, facing, start] - HURRY[state.seats, facing, end]
        worth += COVERING * (((prey >> end) & 1) - ((prey >> start) & 1)) + COMING_HOME * ((goal >> end) & 1)
        worth += (luck >> (k % 28)) & WHIM
        if worth > most:
            most = worth
            best = out[k]
    return best


@rule
def sights(state: State, seat: int) -> int:
    """What lies under the top dolls: plain where there is nothing, and all saw it where the last
    move began and ended."""
    small = of_size(state, SMALL)
    medium = of_size(state, MEDIUM)
    large = of_size(state, LARGE)
    seen = BOARD & ~((small & medium) | (small & large) | (medium & large))
    if state.last_start != NOWHERE:
        seen |= (1 << state.last_start) | (1 << state.last_end)
    return seen


@rule
def owner(state: State, square: int, size: int) -> int:
    """Whose doll of this size stands on a field that has one."""
    seat = 0
    while not (state.dolls[seat, size] >> square) & 1:
        seat += 1
    return seat


@rule
def mix_up(state: State, size: int, fields: int) -> None:
    """Exchanges the dolls of a size between two fields, where each could stand on both. Dolls that
    are home stay."""
    one = owner(state, lowest_bit(fields), size)
    other = owner(state, lowest_bit(fields & (fields - 1)), size)
    common = FREE[state.seats, FACING[state.seats, one]] & FREE[state.seats, FACING[state.seats, other]]
    if one != other and fields & ~common == 0:
        state.dolls[one, size] ^= fields
        state.dolls[other, size] ^= fields


@rule
def forget(state: State, seat: int, facts: int, rng: Rng) -> None:
    """Mixes up the covered dolls of the forgotten fields, so that the position looks the same from
    above."""
    for size in range(LARGE):
        hidden = of_size(state, size) & at_least(state, size + 1) & facts
        count = count_bits(hidden)
        for n in range(count):
            fields = (1 << nth_bit(hidden, n)) | (1 << nth_bit(hidden, below(rng, count)))
            if fields & (fields - 1) != 0:
                mix_up(state, size, fields)


TUNING = Tuning(explore=50, widen=8, depth=4, reuse=1)
GUIDANCE = Guidance(again=1_000_000)  # never: nothing is hidden, so a position looks the same every time

# Nothing is luck, and four times the simulations win nine matches of ten: even steps are small ones.
LEVELS = {
    "easy": Level(simulations=10, half_life=6, overlooks=65, hasty=80),
    "medium": Level(simulations=10, half_life=8, overlooks=48, hasty=42, beats_lower=74),
    "hard": Level(simulations=14, half_life=14, overlooks=30, hasty=12, beats_lower=76),
    "expert": Level(simulations=15, beats_lower=74),
    "master": Level(simulations=1400, beats_lower=83),
}

# As it was, whatever becomes of `TUNING` and of the expert.
PINNED = {"expert-2026": Level(simulations=10_000, tuning=Tuning(explore=50, widen=8, depth=4, reuse=1))}

HEURISTICS = Heuristics(
    evaluate=evaluate,
    rollout_move=rollout_move,
    sights=sights,
    forget=forget,
    tuning=TUNING,
    guidance=GUIDANCE,
    levels=LEVELS,
    pinned=PINNED,
)
