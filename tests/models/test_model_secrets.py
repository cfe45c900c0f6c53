"""No answer of a tool depends on what the player cannot know: in two deals that a seat cannot tell apart, played on so
that it goes on to be so, all tools answer it with the same bytes."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pytest

from samovar.bots.bot import Answer
from samovar.engine.contract import Options, nothing_hidden
from samovar.engine.match import Match, seats_in
from samovar.engine.registry import find_game
from samovar.engine.seat import Seat
from samovar.engine.ways.backend import Backend, backend
from samovar.models.desk import ModelDesk
from samovar.models.local import LocalTable
from samovar.models.told import ToldTable
from samovar.testing.sweep import actors_of
from samovar.testing.twins import TwinGroup, looks, play_on
from samovar.testing.worlds import as_one
from support.model_clients import ScriptedModel, with_model

pytestmark = pytest.mark.research

WORLDS = 1000
MOVES = 14
BEGUN = {
    "babuschka": (0,),
    "matryoshka": (0, 11),
    "memoarrrr": (0, 11),
    "varvitikud": (0, 11, 20, 30),
}  # after so many moves
TWIN_OPTIONS: dict[str, Options] = {"memoarrrr": {"expert": True}}


class Planned:
    """A bot that plays what it was told."""

    def __init__(self) -> None:
        self.moves: list[int] = []

    def choose(self, seat: Seat) -> Answer:
        return Answer(self.moves.pop(0))

    def close(self) -> None:
        pass


class Step(NamedTuple):
    """Who moves, and what in each of two worlds."""

    seat: int
    moves: tuple[int, int]


class TwinWalk(NamedTuple):
    """Two worlds in which a seat has observed the same, and how they go on so that it goes on to do so."""

    seat: int
    states: tuple[bytes, bytes]
    turns: list[list[Step]]  # each begins with a move of the own seat, but perhaps the first


def walks(match: Match) -> Iterator[TwinWalk]:
    """From this moment of a match, for each seat. The kit plays many worlds on, as long as two are different."""
    ready = backend(match.game)
    for seat in (0, 1):
        worlds = np.repeat(match.states, WORLDS)
        ready.determinize(worlds[1:], seat, np.arange(WORLDS - 1))
        observed = looks(ready, worlds, seat)
        worlds = worlds[observed == observed[0]]
        group = TwinGroup(seat, np.arange(len(worlds)), worlds, (), np.zeros((len(worlds), 0), np.int64))
        if walk := longest(ready, group):
            yield walk


def longest(ready: Backend, group: TwinGroup) -> TwinWalk | None:
    """As long as it goes. Whoever sits at the desk moves first where several may."""
    choose = np.random.default_rng(0)
    begun, last, going = group, None, group
    while going is not None and len(np.unique(as_one(going.states))) > 1 and len(going.movers) < MOVES:
        last, actors = going, seats_in(int(actors_of(ready, going.states[:1])[0]))
        if not actors:
            break
        going = play_on(ready, going, group.seat if group.seat in actors else actors[0], choose, 0)
    if last is None:
        return None
    other = int(np.flatnonzero(as_one(last.states) != as_one(last.states)[0])[0])
    pairs = zip(last.paths[0].tolist(), last.paths[other].tolist(), strict=True)
    steps = [Step(mover, moves) for mover, moves in zip(last.movers, pairs, strict=True)]
    begins = [0, *(place for place, step in enumerate(steps) if step.seat == group.seat and place)]
    turns = [steps[begin:end] for begin, end in pairwise(begins)]  # the last may not be complete
    one, twin = (begun.states[last.seeds[row]].tobytes() for row in (0, other))
    return TwinWalk(group.seat, (one, twin), turns)


def answers(match: Match, walk: TwinWalk, world: int) -> list[list[str]]:
    """All that the tools answer in one of the worlds, turn by turn: before it, to nonsense, and to the turn itself."""
    desk, own = ModelDesk(), walk.seat
    played = Match.standing(match.game, match.seats, walk.states[world], plain=True, options=match.options)
    bots = {seat: Planned() for seat in range(match.seats) if seat != own}
    desk.tables["1"] = LocalTable("1", played, own, bots)
    found: list[list[str]] = []

    async def script(model: ScriptedModel) -> None:
        for place, steps in enumerate(walk.turns):
            for step in steps:
                if step.seat != own:
                    bots[step.seat].moves.append(step.moves[world])
            asked = [
                ("look", {"form": "text"}),
                ("look", {"form": "json"}),
                ("moves", {}),
                ("record", {}),
                ("review", {}),
            ]
            asked += [("picture", {})] if place == own == len(match.history) == 0 else []
            asked += [("play", {"move": "nonsense"}), ("play", {"move": match.game.moves})]
            is_own = steps[0].seat == own
            asked.append(("play", {"move": steps[0].moves[world]}) if is_own else ("wait", {}))
            found.append([await model.received(tool, table="1", **fields) for tool, fields in asked])

    with_model(script, desk)
    return found


def check_walk(match: Match, walk: TwinWalk) -> int:
    """How many turns were compared."""
    assert walk.states[0] != walk.states[1]
    told = [answers(match, walk, world) for world in (0, 1)]
    for place, (one, other) in enumerate(zip(*told, strict=True)):
        assert one == other, f"{match.game.id}, seat {walk.seat}, turn {place}"
    return len(walk.turns)


def compared(game: str) -> int:
    turns = 0
    for begun in BEGUN[game]:
        match = Match(game, seed=begun, plain=True, **TWIN_OPTIONS.get(game, {}))
        match.play_random(begun, begun)
        turns += sum(check_walk(match, walk) for walk in walks(match))
    return turns


@pytest.mark.parametrize("game", ["babuschka", "matryoshka", "memoarrrr", "varvitikud"])
def test_all_answers_are_the_same_in_worlds_that_a_seat_cannot_tell_apart(game: str) -> None:
    turns = compared(game)
    if find_game(game).determinize is nothing_hidden:
        assert turns == 0
    else:
        assert turns >= 8


@pytest.mark.parametrize("game", ["matryoshka", "memoarrrr", "varvitikud"])
def test_a_leak_is_noticed(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    honest = LocalTable._told

    def leaking(table: LocalTable, moves: int) -> ToldTable:
        told = honest(table, moves)
        return replace(told, happened=(*told.happened, str(zlib.crc32(table.match.state_bytes))))

    monkeypatch.setattr(LocalTable, "_told", leaking)
    with pytest.raises(AssertionError, match=game):
        compared(game)
