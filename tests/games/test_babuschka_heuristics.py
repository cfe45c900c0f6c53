"""Babuschka's heuristics: how a position stands, rollout moves, and what is forgotten under
the dolls."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from samovar import Match
from samovar.engine.ways.backend import backend
from samovar.games.babuschka import GAME
from samovar.games.babuschka.board import FIELDS, fields_of, square_of
from samovar.games.babuschka.state import SIZES

PLAIN = backend(GAME, plain=True)
COMPILED = backend(GAME, plain=False)


def one(number: int) -> np.ndarray[Any, Any]:
    return np.array([number], np.int64)


def shares(match: Match) -> list[int]:
    """How well each seat stands; plain and compiled must agree."""
    plainly, fast = np.zeros((1, match.seats), np.int64), np.zeros((1, match.seats), np.int64)
    PLAIN.evaluate(match.states.copy(), plainly)
    COMPILED.evaluate(match.states.copy(), fast)
    assert plainly.tolist() == fast.tolist()
    values: list[int] = plainly[0].tolist()
    return values


def rollout_move(match: Match, seed: int) -> str:
    """A rollout move of the seat on turn; plain and compiled must agree."""
    plainly, fast = one(0), one(0)
    PLAIN.rollout_move(match.states.copy(), match.actors[0], seed, plainly)
    COMPILED.rollout_move(match.states.copy(), match.actors[0], seed, fast)
    assert plainly[0] == fast[0]
    return match.move_text(match.actors[0], int(plainly[0]))


def seen(match: Match) -> set[str]:
    return set(fields_of(match.seat(match.actors[0]).sights[-1]))


def forgetting(match: Match, names: str, seed: int, seat: int = 0) -> Match:
    """The match as a seat imagines it that has forgotten what lies on some fields."""
    facts = sum(1 << square_of(name) for name in names.split())
    other = match.copy()
    PLAIN.forget(other.states, seat, facts, seed)
    again = match.states.copy()
    COMPILED.forget(again, seat, facts, seed)
    assert other.state_bytes == again.tobytes()
    return other


def stack(match: Match, name: str) -> str:
    """The dolls of a field from the bottom up, like `0S 1M`."""
    dolls = match.state.dolls
    pieces = [
        f"{seat}{'SML'[size]}"
        for size in range(SIZES)
        for seat in range(match.seats)
        if (dolls[seat, size] >> square_of(name)) & 1
    ]
    return " ".join(pieces)


def arranged(dolls: dict[str, str], **position: Any) -> Match:
    return Match.arranged(GAME, dolls=dolls, **position)


# evaluate


@pytest.mark.parametrize("seats", [2, 4])
def test_shares_are_thousandths_and_add_up_on_the_way(seats: int) -> None:
    for seed in range(3):
        match = Match(GAME, seats, seed)
        while not match.over:
            match.play_random(seed, limit=9)
            values = shares(match)
            assert all(0 <= share <= 1000 for share in values)
            assert abs(sum(values) - 500 * seats) < seats


@pytest.mark.parametrize("seats", [2, 4])
def test_nobody_is_better_at_the_start_but_who_begins(seats: int) -> None:
    for first in range(seats):
        values = shares(Match(GAME, seats, 1, first=first))
        others = values[:first] + values[first + 1 :]
        assert len(set(others)) == 1
        assert others[0] < values[first] < 550


def test_the_turned_position_stands_the_other_way_round() -> None:
    south = arranged({"c4": "0S", "d3": "0M 1L", "e3": "0L"}, turn=0)
    north = arranged({"f5": "1S", "e6": "1M 0L", "d6": "1L"}, turn=1)
    assert shares(south) == shares(north)[::-1]


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ({"d7": "0L", "d2": "1L"}, {"d5": "0L", "d2": "1L"}),  # nearer to the goal
        ({"d7": "0L", "d2": "1L"}, {"d7": "0L", "c7": "0M", "d2": "1L"}),  # more dolls home
        ({"d3": "0L", "e7": "0L", "d2": "1L"}, {"d3": "0L", "e4": "0L", "d2": "1L"}),  # nearer, but for the last
        ({"d5": "0L", "e5": "0L", "d2": "1L"}, {"d3": "0L", "e7": "0L", "d2": "1L"}),  # nobody left behind
        # free
        (
            {"d4": "0S", "e4": "1M", "d3": "0M", "f4": "0L", "g4": "1L"},
            {"d4": "0S 1M", "d3": "0M", "f4": "0L", "g4": "1L"},
        ),
        ({"e4": "0M", "d4": "1L", "g4": "0L"}, {"e4": "0M 1L", "g4": "0L"}),
    ],
)
def test_better_positions_are_preferred(better: dict[str, str], worse: dict[str, str]) -> None:
    assert shares(arranged(better, turn=0))[0] > shares(arranged(worse, turn=0))[0]


def test_who_has_finished_is_before_those_who_have_not() -> None:
    match = arranged({"d4": "0L", "f5": "1L", "g3": "3L"}, seats=4, finished=[2], turn=0)
    assert shares(match)[2] == 1000
    assert all(share < 700 for seat, share in enumerate(shares(match)) if seat != 2)


def test_spent_patience_is_bad_for_who_would_lose_by_it() -> None:
    dolls = {"d7": "0L", "e7": "0M", "f7": "0L", "d2": "1L"}
    assert shares(arranged(dolls, turn=0, quiet=70))[0] < shares(arranged(dolls, turn=0))[0]


# rollout_move


@pytest.mark.parametrize("seats", [2, 4])
def test_rollout_moves_are_legal_and_end_matches(seats: int) -> None:
    lengths = []
    for seed in range(4):
        match = Match(GAME, seats, seed, patience=10)
        while not match.over:
            seat = match.actors[0]
            move = rollout_move(match, seed + len(match.history))
            assert move in match.moves(seat)
            match.play(seat, move)
        lengths.append(len(match.history))
    assert max(lengths) < 400


def test_rollout_moves_come_home_when_they_can() -> None:
    match = arranged({"d7": "0L", "c3": "0L", "d2": "1L"}, turn=0)
    homes = {move for move in match.moves(0) if move[3:] in ("c8", "d8", "e8", "f8")}
    assert homes
    assert all(rollout_move(match, seed) in homes for seed in range(30))


def test_rollout_moves_vary_and_mostly_go_ahead() -> None:
    match = Match(GAME, 2, 1, first=0)
    moves = [rollout_move(match, seed) for seed in range(200)]
    assert len(set(moves)) >= 5
    assert sum(int(move[4]) > int(move[1]) for move in moves) > 190


# sights and forget


def test_what_lies_under_a_doll_is_seen_where_the_last_move_began_or_ended() -> None:
    match = Match(GAME, 2, 1, first=0)
    starts = {"c1", "d1", "e1", "f1", "c8", "d8", "e8", "f8"}
    assert seen(match) == set(FIELDS) - starts
    match.play(0, "c1-c2")
    assert seen(match) == set(FIELDS) - starts | {"c1"}
    match.play(1, "c8-c7")
    assert seen(match) == set(FIELDS) - starts | {"c8"}
    covering = arranged({"d4": "0S", "d3": "0M", "e3": "0L", "f5": "1L"}, turn=0)
    covering.play(0, "d3-d4")
    assert "d4" in seen(covering)
    covering.play(1, "f5-f4")
    assert "d4" not in seen(covering)


TWO_COVERED = {"c4": "0S 0M", "f4": "1S 0L", "e5": "1M 1L", "g5": "0L", "g4": "1L", "b5": "0S", "b6": "0M", "a4": "1M"}


def test_forgotten_dolls_are_mixed_up_and_the_position_looks_the_same() -> None:
    match = arranged(TWO_COVERED, turn=0)
    positions = set()
    for seed in range(20):
        other = forgetting(match, "c4 f4 e5", seed)
        positions.add((stack(other, "c4"), stack(other, "f4"), stack(other, "e5")))
        assert other.view(0) == match.view(0)
        assert [other.legal(seat) for seat in range(2)] == [match.legal(seat) for seat in range(2)]
        assert other.faults == ()
    assert positions == {("0S 0M", "1S 0L", "1M 1L"), ("1S 0M", "0S 0L", "1M 1L")}


def test_what_is_remembered_stays() -> None:
    match = arranged(TWO_COVERED, turn=0)
    for seed in range(10):
        assert forgetting(match, "c4", seed).state_bytes == match.state_bytes
        assert forgetting(match, "", seed).state_bytes == match.state_bytes


@pytest.mark.parametrize("seats", [2, 4])
def test_forgetting_everything_never_breaks_a_match(seats: int) -> None:
    changed = 0
    for seed in range(25):
        match = Match(GAME, seats, seed)
        match.play_random(seed, limit=12 + 5 * seed)
        if match.over:
            continue
        seat = match.actors[0]
        hidden = " ".join(set(FIELDS) - seen(match))
        other = forgetting(match, hidden, seed, seat)
        assert other.faults == ()
        assert other.view(seat) == match.view(seat)
        assert other.legal(seat) == match.legal(seat)
        assert other.scores == match.scores
        changed += other.state_bytes != match.state_bytes
        other.play_random(seed)
        assert other.over
    assert changed >= 5
