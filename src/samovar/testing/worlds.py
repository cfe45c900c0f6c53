"""Secrets: what a seat receives must not depend on what it cannot know, and `determinize` must fit
and vary.

Two sources of other worlds. `determinize` itself; and, independently of it, *proven* pairs: two
deals that give a seat the same observation and yet differ, played on with moves that keep the
seat's observations equal. Whatever the seat can receive must be identical in both.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from samovar.engine.arrays import Array
from samovar.engine.batch import Batch
from samovar.engine.chance import derive_seed
from samovar.engine.contract import Game, Options
from samovar.engine.match import Match
from samovar.engine.ways.backend import backend
from samovar.testing.checks import received_by
from samovar.testing.endless import moment_told, patience

WORLDS = 6
VARIETY = 24


def check_worlds(game: Game, seats: int, options: Options, seed: int, looks: int = 12) -> None:
    """Non-interference at random moments of a match: for every seat, all worlds it may imagine look
    the same to it, byte for byte."""
    match = Match(game, seats, seed, **options)
    choose = np.random.default_rng(seed)
    length = match.copy().play_random(seed)
    moments = set(choose.choice(length + 1, size=min(looks, length + 1), replace=False).tolist()) | {0, length}
    played = 0
    while True:
        if played in moments:
            for seat in range(seats):
                moment = f"{game.name}, seat {seat} after {played} moves of seed {seed}"
                with patience(game), moment_told(moment):
                    check_moment(match, seat, seed + played)
        if match.over:
            return
        played += match.play_random(seed + played, limit=1)


def check_moment(match: Match, seat: int, seed: int) -> None:
    """The worlds of one seat at one moment: they fit, they are sound, and drawing does not look at
    the truth."""
    seen = received_by(match, seat)
    public = received_by(match, None)
    for number in range(WORLDS):
        world = match.imagine(seat, seed * 1000 + number)
        moment = f"seat {seat} after {len(match.history)} moves, world {number}"
        assert not world.faults, f"{moment}: {world.faults}"
        assert received_by(world, seat) == seen, (
            f"{moment}: the seat receives something else in a world it may not tell "
            f"apart{_difference(match, world, seat)}"
        )
        assert received_by(world, None) == public, (
            f"{moment}: a spectator receives something else{_difference(match, world, None)}"
        )
        again, other = match.imagine(seat, seed + 77), world.imagine(seat, seed + 77)
        assert again.state_bytes == other.state_bytes, (
            f"{moment}: determinize depends on what the seat cannot know{fields_that_differ(again, other)}"
        )
        for third in range(match.seats):
            assert not world.imagine(third, seed).faults, (
                f"{moment}: seat {third} cannot imagine from the imagined world"
            )


def check_redeal(game: Game, seats: int, options: Options, seed: int, looks: int = 12) -> None:
    """`redeal` at random moments of a match: no seat receives anything else by it, it does not look at what it deals
    anew, and it varies."""
    if game.redeal is None:
        return
    match = Match(game, seats, seed, **options)
    choose = np.random.default_rng(seed)
    length = match.copy().play_random(seed)
    varied = 0
    for played in range(length):
        if choose.random() * length < looks:
            varied += len(redealt_at(match, seed + played)) > 1
        match.play_random(seed + played, limit=1)
    assert varied > 0, f"{game.name}: redeal changes nothing at any moment. Leave it out if all has been seen."


def redealt_at(match: Match, seed: int) -> set[bytes]:
    """The worlds of one moment."""
    ready = backend(match.game)
    viewers = (None, *range(match.seats))
    seen = [received_by(match, viewer) for viewer in viewers]
    moment = f"after {len(match.history)} moves"
    found = set()
    for number in range(WORLDS):
        worlds = np.repeat(match.states, 2)
        ready.redeal(worlds[:1], seed + number)
        world = Match.standing(match.game, match.seats, worlds[:1].tobytes(), options=match.options)
        assert not world.faults, f"{moment}: what is dealt anew is broken: {world.faults}"
        for viewer, received in zip(viewers, seen, strict=True):
            assert received_by(world, viewer) == received, (
                f"{moment}: redeal changes what seat {viewer} has seen{_difference(match, world, viewer)}"
            )
        ready.redeal(worlds, np.array([seed + 77] * 2))
        assert worlds[0].tobytes() == worlds[1].tobytes(), f"{moment}: redeal depends on what no seat has seen"
        found.add(world.state_bytes)
    return found


def _difference(match: Match, world: Match, seat: int | None) -> str:
    for name in getattr(match.view(seat), "__dataclass_fields__", {}):
        mine, theirs = getattr(match.view(seat), name), getattr(world.view(seat), name)
        if mine != theirs:
            return f": view.{name} is {mine!r} and {theirs!r}"
    return ": observation, moves or texts differ"


def fields_that_differ(one: Match, other: Match) -> str:
    names = one.game.state.names or ()
    return ": " + ", ".join(name for name in names if not np.array_equal(one.states[name], other.states[name]))


def indistinguishable_deals(game: Game, seats: int, options: Options, seat: int, deals: int) -> list[tuple[int, int]]:
    """Pairs of seeds whose deals differ although the seat's observation is the same: proofs that it
    cannot know."""
    batch = Batch(game, deals, seats, 0, threads=1, **options)
    _, first, kinds = np.unique(
        as_one(batch.observe(seat), batch.actors()[:, None]), return_index=True, return_inverse=True
    )
    alike = first[kinds]  # for each deal the first that looks the same to the seat
    states = as_one(batch.states)
    others = np.flatnonzero(states != states[alike])
    firsts, places = np.unique(alike[others], return_index=True)
    return [*zip(firsts.tolist(), others[places].tolist(), strict=True)]


def as_one(*columns: Array) -> Array:
    """Rows of numbers, each as one thing that can be compared."""
    flat = [np.ascontiguousarray(column).view(np.uint8).reshape(len(column), -1) for column in columns]
    rows = np.ascontiguousarray(np.concatenate(flat, 1))
    return rows.view(np.dtype((np.void, rows.shape[1]))).reshape(-1)


def check_variety(game: Game, seats: int, options: Options, *, deals: int, pairs: int = 3, limit: int = 60) -> int:
    """Where two worlds are proven possible, the seat receives the same in both, and `determinize`
    varies. Says how many moments were proven."""
    proven = 0
    for seat in range(seats):
        for seed, other_seed in indistinguishable_deals(game, seats, options, seat, deals)[:pairs]:
            one, other = Match(game, seats, seed, **options), Match(game, seats, other_seed, **options)
            proven += walk_together(one, other, seat, limit, _compare)
    return proven


def _compare(one: Match, other: Match, seat: int) -> None:
    moment = f"seat {seat} after {len(one.history)} moves of seeds {one.seed} and {other.seed}"
    assert received_by(one, seat) == received_by(other, seat), (
        f"{moment}: same observations, and yet the seat receives something else"
    )
    worlds = [one.imagine(seat, number).state_bytes for number in range(VARIETY)]
    assert len(set(worlds)) > 1, f"{moment}: two worlds are proven possible, determinize draws one only"
    assert worlds == [other.imagine(seat, number).state_bytes for number in range(VARIETY)], (
        f"{moment}: determinize looks at the truth"
    )


def walk_together(one: Match, other: Match, seat: int, limit: int, compare: Callable[[Match, Match, int], None]) -> int:
    """Plays two proven worlds on, side by side, as long as the seat's observations stay the same,
    and compares them at every moment."""
    choose = np.random.default_rng(derive_seed(one.seed))
    proven = 0
    while not one.over and len(one.history) < limit and one.state_bytes != other.state_bytes:
        proven += 1
        compare(one, other, seat)
        actor = one.actors[0]
        one.play(actor, int(choose.choice(one.legal(actor))))
        if not _follow(one, other, actor, seat):
            break
    return proven


def _follow(one: Match, other: Match, actor: int, seat: int) -> bool:
    """A move of the same actor in the other world after which the seat sees the same: its own move
    must be the same, another's need not."""
    wanted = one.observation(seat).tobytes()
    same = one.history[-1][1]
    moves = other.legal(actor)
    for move in [same] if actor == seat else [same, *moves[:40]]:
        if move in moves:
            other.play(actor, move)
            if other.observation(seat).tobytes() == wanted and other.actors == one.actors:
                return True
            other.undo()
    return False
