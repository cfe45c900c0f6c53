"""What everybody sees, the observation of each seat tells, too: else programs would know less than any onlooker.

Two positions that a seat's observation does not tell apart must look the same to a spectator, but for the news of the
last move. `twins.py` asks that of what the seat alone sees, in deals that begin alike; where nothing is hidden there
are none. Here some deals are played on in hundreds of ways. The same cards are in the same hands then, so many
positions have the same observation, and what it leaves out is what they differ in.

A large game may have few such positions: what is left out there, and goes with much else, is not found.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

import numpy as np

from samovar.engine.arrays import Int64s, States
from samovar.engine.assembly.defaults import TOLD_ANYWAY
from samovar.engine.contract import Game, Options
from samovar.engine.rule import is_plain
from samovar.engine.ways.backend import Backend, backend
from samovar.engine.ways.plain import plain_state
from samovar.testing.twins import looks
from samovar.testing.worlds import as_one

DEALS = 3
MATCHES, PLAIN_MATCHES = 300, 60  # of each deal
MOVES = 40  # of each match
PAIRS = 120  # of each seat that are compared: a view is plain Python
SEED = 90_000


def check_observed(game: Game, seats: int, options: Options) -> int:
    """All seats, in positions of the same deals. Says how many pairs were compared."""
    ready, compared = backend(game), 0
    states = positions(ready, game.setup(seats, game.check_options(seats, options)))
    for seat in range(seats):
        for one, other in alike(ready, states, seat):
            compared += 1
            check_pair(game, states[one : one + 1], states[other : other + 1], seat)
    return compared


def positions(ready: Backend, setup: States) -> States:
    """All different ones that are met: each deal is played in many ways."""
    matches = PLAIN_MATCHES if is_plain() else MATCHES
    states = np.zeros(DEALS * matches, ready.game.state)
    ready.deal(states, setup, np.repeat(np.arange(SEED, SEED + DEALS), matches))
    seeds, made = np.arange(len(states), dtype=np.int64), np.zeros(len(states), np.int64)
    met = [states.copy()]
    for _ in range(MOVES):
        ready.play_random(states, seeds, made, 1)
        met.append(states.copy())
    found = np.concatenate(met)
    return found[np.sort(np.unique(as_one(found), return_index=True)[1])]


def alike(ready: Backend, states: States, seat: int) -> Iterator[tuple[int, int]]:
    """Pairs that the seat observes as the same, of as many kinds as there are."""
    kinds = np.unique(looks(ready, states, seat), return_inverse=True)[1]
    order = np.argsort(kinds, kind="stable")
    same: Int64s = np.flatnonzero(np.diff(kinds[order]) == 0)
    some = np.random.default_rng(seat).choice(same, size=min(PAIRS, len(same)), replace=False)
    for place in np.sort(some).tolist():
        yield int(order[place]), int(order[place + 1])


def check_pair(game: Game, one: States, other: States, seat: int) -> None:
    views = [game.view(plain_state(states), None) for states in (one, other)]
    for entry in fields(views[0]):  # type: ignore[arg-type]
        shown = [getattr(view, entry.name) for view in views]
        assert entry.name == TOLD_ANYWAY[1] or shown[0] == shown[1], (
            f"{game.name}: everybody sees view.{entry.name}, {shown[0]!r} in one position and {shown[1]!r} in another, "
            f"and observe writes the same for seat {seat} in both ({which_differ(one, other)}). Give the observation a "
            "part for it."
        )


def which_differ(one: States, other: States) -> str:
    names = [name for name in one.dtype.names or () if not np.array_equal(one[name], other[name])]
    return f"they differ in {', '.join(f'state.{name}' for name in names)}"
