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
from samovar.engine.contract import Options
from samovar.engine.match import Match, seats_in
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
BEGUN = (0, 11)  # after so many moves
TWIN_OPTIONS: dict[str, Options] = {"memoarrrr": {"expert": True}}
TURNS = {"babuschka": 0, "matryoshka": 8, "memoarrrr": 8, "varvitikud": 8}  # so many at least; Babuschka hides nothing


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


class Twin:
    """One of two worlds, at a desk."""

    def __init__(self, match: Match, seat: int) -> None:
        self.match = match
        self.bots = {other: Planned() for other in range(match.seats) if other != seat}
        self.desk = ModelDesk()
        self.desk.tables["1"] = LocalTable("1", match, seat, self.bots)

    def answers(self, steps: list[Step], number: int, own: int, *, with_picture: bool) -> list[str]:
        """Of all tools: before a turn, to nonsense, and to the turn itself."""
        text = self.match.move_text(own, steps[0].moves[number]) if steps[0].seat == own else None
        for step in steps:
            if step.seat != own:
                self.bots[step.seat].moves.append(step.moves[number])
        found: list[str] = []

        async def script(model: ScriptedModel) -> None:
            for form in ("text", "json"):
                found.append(await model.received("look", table="1", form=form))
            for tool in ("moves", "record", "review", *(["picture"] if with_picture else [])):
                found.append(await model.received(tool, table="1"))
            for move in ("nonsense", self.match.game.moves):
                found.append(await model.received("play", table="1", move=move))
            if text is None:
                found.append(await model.received("wait", table="1"))
            else:
                found.append(await model.received("play", table="1", move=text))
            found.append(await model.received("look", table="1", form="json"))
            self.desk.tables.clear()  # or it leaves when the script ends

        table = self.desk.tables["1"]
        with_model(script, self.desk)
        self.desk.tables["1"] = table
        return found


def check_walk(match: Match, walk: TwinWalk) -> int:
    """How many turns were compared."""
    game = match.game
    twins = [
        Twin(Match.standing(game, match.seats, state, plain=True, options=match.options), walk.seat)
        for state in walk.states
    ]
    for place, steps in enumerate(walk.turns):
        assert twins[0].match.state_bytes != twins[1].match.state_bytes
        told = [
            twin.answers(steps, number, walk.seat, with_picture=place == 0 and walk.seat == 0)
            for number, twin in enumerate(twins)
        ]
        assert told[0] == told[1], f"{game.id}, seat {walk.seat}, turn {place}"
    return len(walk.turns)


def compared(game: str) -> int:
    turns = 0
    for begun in BEGUN:
        match = Match(game, seed=begun, plain=True, **TWIN_OPTIONS.get(game, {}))
        match.play_random(begun, begun)
        turns += sum(check_walk(match, walk) for walk in walks(match))
    return turns


@pytest.mark.parametrize("game", ["babuschka", "matryoshka", "memoarrrr", "varvitikud"])
def test_all_answers_are_the_same_in_worlds_that_a_seat_cannot_tell_apart(game: str) -> None:
    turns = compared(game)
    assert turns >= TURNS[game]


@pytest.mark.parametrize("game", ["matryoshka", "memoarrrr", "varvitikud"])
def test_a_leak_is_noticed(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    honest = LocalTable._told

    def leaking(table: LocalTable, moves: int) -> ToldTable:
        told = honest(table, moves)
        return replace(told, happened=(*told.happened, str(zlib.crc32(table.match.state_bytes))))

    monkeypatch.setattr(LocalTable, "_told", leaking)
    with pytest.raises(AssertionError, match=game):
        compared(game)
