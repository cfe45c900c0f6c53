"""A state declared by a class, and a game put together from the modules of its folder."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Annotated

import numpy as np
import pytest

from samovar.engine.arrays import IntGrid, Ints
from samovar.engine.chance import CHANCE
from samovar.engine.contract import Game
from samovar.engine.state import GameState, Int8, Int32, fill_up
from samovar.errors import BrokenGame

SEATS, HAND = 4, 3


class State(GameState):
    chance: Annotated[Ints, CHANCE]
    pile: Int32
    hand: Annotated[IntGrid, np.int8, SEATS, HAND]
    seats: Int8


def test_the_annotations_of_a_state_are_the_layout_of_its_record():
    written = np.dtype(
        [("chance", CHANCE), ("pile", np.int32), ("hand", np.int8, (4, 3)), ("seats", np.int8)], align=True
    )
    filled = [*((name, written[name]) for name in written.names), ("filler", np.int8, (7,))]
    assert State.dtype == np.dtype(filled)
    assert np.zeros(2, State).dtype == State.dtype


def test_a_state_is_filled_up_only_where_its_end_is_uneven():
    fields = [("a", np.int32), ("b", np.int8, (3,))]
    assert fill_up([*fields, ("c", np.int8)]).names == ("a", "b", "c")
    assert fill_up(fields).names == ("a", "b", "filler")
    assert fill_up(fields).itemsize == 8


def test_a_state_can_be_laid_out_in_plain_python():
    state = State.blank()
    state.hand[1, 2] = 7
    assert state.array["hand"][0, 1, 2] == 7
    assert State.of(state.array).hand[1, 2] == 7


def test_a_field_without_a_size_is_refused():
    with pytest.raises(BrokenGame, match="Field 'turn' of the state does not say how large its numbers are"):
        type("Odd", (GameState,), {"__annotations__": {"turn": int}})


# A game in a folder

STATE = """
from samovar.engine.state import GameState, Int8
class State(GameState):
    seats: Int8
    turn: Int8
"""
RULES = """
from samovar.engine.rule import rule
@rule
def deal(state, seats, options, rng):
    state.seats = seats
@rule
def actors(state):
    return 1 << state.turn if state.turn < state.seats else 0
@rule
def legal(state, seat, out):
    out[0] = 0
    return 1
@rule
def apply(state, seat, move):
    state.turn += 1
@rule
def scores(state, out):
    for seat in range(state.seats):
        out[seat] = 0
def max_length(seats, options):
    return seats
"""
SEEN = """
from samovar.engine.contract import Part, nothing_hidden as determinize
from samovar.engine.rule import rule
OBSERVATION = (Part("turn", 1, "who moves"),)
@rule
def observe(state, seat, out):
    out[0] = state.turn
def view(state, seat):
    return None
"""
HEURISTICS = """
from samovar.engine.heuristics import Heuristics
def news():
    "No entry of the contract: it is for this module alone."
HEURISTICS = Heuristics()
"""
WHOLE = """
from samovar.engine.contract import Game
def move_text(state, seat, move):
    return "on"
GAME = Game.from_package(__name__, id="folded", name="Folded", seats=(2,), moves=1, words={"en": {}})
"""
ROOMS = {"state": STATE, "rules": RULES, "observation": SEEN, "heuristics": HEURISTICS, "__init__": WHOLE}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    package = tmp_path / "folded"
    package.mkdir()
    for name, text in ROOMS.items():
        (package / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    yield package
    for name in [name for name in sys.modules if name.split(".")[0] == "folded"]:
        del sys.modules[name]


def made_of(folder: Path) -> Game:
    from folded import GAME  # type: ignore[import-not-found]  # made by the fixture

    return GAME


def test_a_game_in_a_folder_is_made_of_what_its_modules_have(folder: Path):
    game = made_of(folder)
    where = {name: getattr(game, name).__module__ for name in ("deal", "observe", "view", "move_text")}
    assert where == {
        "deal": "folded.rules",
        "observe": "folded.observation",
        "view": "folded.observation",
        "move_text": "folded",
    }
    assert (game.state.names, game.observation[0].name, game.folder) == (("seats", "turn"), "turn", str(folder))
    assert game.news is None


def test_two_functions_of_one_name_are_refused(folder: Path):
    (folder / "moves.py").write_text("def deal(cards):\n    return cards\n")
    with pytest.raises(BrokenGame, match=r"more than one 'deal': in moves.py, rules.py"):
        made_of(folder)


def test_what_a_folder_lacks_is_named(folder: Path):
    (folder / "rules.py").write_text(RULES.replace("def scores", "def points"))
    with pytest.raises(BrokenGame, match="The game in 'folded' lacks scores"):
        made_of(folder)


def test_an_entry_that_the_contract_does_not_have_is_refused(folder: Path):
    (folder / "__init__.py").write_text(WHOLE.replace("moves=1", "moves=1, max_lenght=2"))
    with pytest.raises(BrokenGame, match=r"has no entry 'max_lenght'\. Did you mean 'max_length'"):
        made_of(folder)


def test_a_function_that_only_has_the_name_of_an_entry_is_refused(folder: Path):
    (folder / "view.py").write_text("def news(state):\n    return ()\n")
    with pytest.raises(
        BrokenGame, match=r"'news' of Folded takes \(state\).*Write def news\(state, seat\), or give yours"
    ):
        made_of(folder)


def test_the_old_names_of_rules_are_read_in_a_folder_and_in_a_file(folder: Path):
    turning = """
from samovar.engine.rule import rule
@rule
def turn_move(state, seat, move):
    return move
@rule
def turn_back(state, seat, move):
    return move
"""
    (folder / "features.py").write_text(turning)
    game = made_of(folder)
    rules = sys.modules["folded.features"]
    rotations = ("rotate_move", "rotate_back")
    brought = {entry.name: getattr(game, entry.name) for entry in fields(game) if entry.name not in rotations}
    alone = Game.from_module("folded.features", **brought)
    given = Game.from_module("folded.rules", **brought, turn_move=rules.turn_move, turn_back=rules.turn_back)
    for each in (game, alone, given):
        assert (each.rotate_move, each.rotate_back) == (rules.turn_move, rules.turn_back)
