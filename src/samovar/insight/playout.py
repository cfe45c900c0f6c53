"""How matches end from here, in rules: the search of `bots/tree.py`, each of whose simulations is
played on to the end of its match by rollout moves, if asked, and counted."""

from __future__ import annotations

from samovar.bots.tree import BEGIN, END, KNOWN, OBSERVER, PLAYED, REUSE, SEARCH_STREAM, SEED, WORLD, simulate
from samovar.engine.arrays import AnyState, IntGrid, Ints, Rng
from samovar.engine.chance import seed_rng
from samovar.engine.rule import rule
from samovar.engine.ways.stand_ins import (
    NO_MOVE,
    AnyStates,
    actors,
    apply,
    copy_state,
    imagine,
    lowest_seat,
    places,
    rollout_move,
    share_of_places,
    team,
)

# What is counted, rows of numbers. The first two by outcome, see `outcome_of`: how often it came, and
# the sum of the shares that the observer then had.
TIMES, SHARES, SUMS = range(3)
ROWS = 3
# The third: the sum of what the search thought of the observer, and how many matches were over at once.
THOUGHT, OVER = range(2)
# What is asked.
FIRST_MOVE, TO_END = range(2)


@rule
def play_to_end(state: AnyState, rng: Rng, spare: Ints) -> None:
    mask = actors(state)
    while mask != 0:
        seat = lowest_seat(mask)
        apply(state, seat, rollout_move(state, seat, rng, spare))
        mask = actors(state)


@rule
def outcome_of(state: AnyState, observer: int, spare: Ints) -> int:
    """How a match ended for a seat: its place, and how many opponents share it. Both are needed to tell
    what share of them it left behind."""
    places(state, spare)
    seats = state.seats
    tied = 0
    for seat in range(seats):
        if spare[seat] == spare[observer] and team(seats, seat) != team(seats, observer):
            tied += 1
    outcome: int = (spare[observer] - 1) * seats + tied
    return outcome


@rule
def play_out(
    states: AnyStates, nodes: IntGrid, path: Ints, orders: Ints, rng: Rng, out: Ints, spare: Ints, asked: Ints,
    tally: IntGrid,
) -> None:  # fmt: skip
    """Simulations BEGIN to END, as `tree.search` makes them. `asked`: the observer's move with which
    they begin, or NO_MOVE; and whether they are played on to the end."""
    observer = orders[OBSERVER]
    for number in range(orders[BEGIN], orders[END]):
        seed_rng(rng, orders[SEED] + number, SEARCH_STREAM, 0)
        if number % orders[REUSE] == 0:
            copy_state(states, KNOWN, WORLD)
            imagine(states[WORLD], observer, rng)
            if asked[FIRST_MOVE] != NO_MOVE:
                apply(states[WORLD], observer, asked[FIRST_MOVE])
        if actors(states[WORLD]) == 0:
            tally[SUMS, OVER] += 1
        simulate(states, nodes, path, orders, rng, out, spare)
        tally[SUMS, THOUGHT] += spare[observer]
        if asked[TO_END]:
            play_to_end(states[PLAYED], rng, spare)
        if actors(states[PLAYED]) == 0:
            outcome = outcome_of(states[PLAYED], observer, spare)
            tally[TIMES, outcome] += 1
            share_of_places(states[PLAYED], spare)
            tally[SHARES, outcome] += spare[observer]
