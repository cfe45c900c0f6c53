"""Babuschka against a slow twin written from the rulings alone, and against pinned counts and
orders of moves."""

from __future__ import annotations

import random
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from samovar import Match
from samovar.engine.ways.backend import backend
from samovar.engine.ways.plain import plain_state
from samovar.games.babuschka import GAME
from support.oracle_babuschka import ALL_PLACES, SIZES, TABLES, Place, Table, count_positions, name_of, place_of

COUNTS = tomllib.loads(Path(__file__).with_name("babuschka_counts.toml").read_text())
END_NAMES = [None, "decided", "blocked", "patience"]


def stacks_of(state: Any) -> dict[str, list[str]]:
    """The whole truth as the slow twin writes it."""
    stacks: dict[str, list[str]] = {}
    for column, row in ALL_PLACES:
        bit = 1 << (8 * row + column)
        stack = [f"{seat}{SIZES[size]}" for size in range(3) for seat in range(4) if state.dolls[seat, size] & bit]
        if stack:
            stacks[name_of((column, row))] = stack
    return stacks


def agree(match: Match, table: Table) -> None:
    state = match.state
    assert stacks_of(state) == table.texts()
    assert match.actors == (() if table.turn is None else (table.turn,))
    assert state.quiet == table.quiet
    assert [seat for seat in range(table.seats) if (state.passed >> seat) & 1] == sorted(table.passed)
    assert END_NAMES[state.ended] == table.reason
    assert list(match.places) == table.places()
    assert list(match.scores) == [table.home(seat) for seat in range(table.seats)]


def eager(table: Table, texts: list[str], chance: random.Random) -> str:
    """A player that likes to come home and forward, so that matches reach their last stages."""
    seat = table.turn
    assert seat is not None
    if chance.random() < 0.25:
        return chance.choice(texts)
    return max(
        texts,
        key=lambda text: (
            place_of(text[3:]) in table.goals(seat),
            -table.rows_to_go(seat, place_of(text[3:])),
            chance.random(),
        ),
    )


@pytest.mark.rules("2.1", "2.2", "2.3", "2.4", "3.1", "3.2", "3.3", "3.4", "3.5", "4.1", "4.2", "4.3", "4.4", "5.1")
@pytest.mark.parametrize("seats", [2, 4])
@pytest.mark.slow
def test_whole_matches_agree_with_the_slow_twin(seats: int) -> None:
    """Legal moves and the position after each move, over thousands of positions of random and of
    hasty matches."""
    positions = 0
    ends = set()
    for seed in range(6):
        chance = random.Random(seed)
        patience = (40, 40, 3, 1)[seed % 4]
        match = Match(GAME, seats, seed, plain=True, patience=patience)
        table = Table.start(seats, match.actors[0], patience)
        agree(match, table)
        while not match.over:
            seat = match.actors[0]
            texts = match.moves(seat)
            assert texts == table.moves(seat)
            text = chance.choice(texts) if seed % 2 else eager(table, texts, chance)
            match.play(seat, text)
            table.play(text)
            agree(match, table)
            positions += 1
        ends.add(table.reason)
        assert not match.faults
    assert positions > 1000
    assert "decided" in ends


def random_stacks(seats: int, chance: random.Random) -> dict[str, list[str]]:
    """All dolls anywhere they may stand, often crowded, some of them home in order."""
    crowd = chance.sample(ALL_PLACES, chance.choice((14, 20, 30, 52)))
    goals = [[place_of(name) for name in chance.sample(names.split(), 8 // seats)] for _, names, _ in TABLES[seats]]
    home = [8 // seats + 1] * seats
    taken: dict[str, dict[Place, int]] = {size: {} for size in SIZES}
    for size in SIZES:  # every size at most as often as the one below it
        home = [chance.randrange(most) + 1 if chance.random() < 0.7 else 1 for most in home]
        for seat in range(seats):
            taken[size].update((place, seat) for place in goals[seat][: home[seat] - 1])
    for size in SIZES:
        for seat in range(seats):
            sides = [place for k in (1, 3) for place in goals[(seat + k) % 4]] if seats == 4 else []
            missing = 8 // seats - sum(owner == seat for owner in taken[size].values())
            free = [
                place
                for place in ALL_PLACES
                if place not in taken[size] and place not in goals[seat] and place not in sides
            ]
            near = [place for place in free if place in crowd]
            taken[size].update(
                (place, seat) for place in chance.sample(near if len(near) >= missing else free, missing)
            )
    return {
        name_of(p): [f"{taken[size][p]}{size}" for size in SIZES if p in taken[size]]
        for p in ALL_PLACES
        if any(p in taken[z] for z in SIZES)
    }


@pytest.mark.rules("2.1", "2.2", "2.3", "2.4", "3.1", "3.2", "3.3", "3.4", "3.5")
@pytest.mark.parametrize("seats", [2, 4])
def test_random_positions_agree_with_the_slow_twin(seats: int) -> None:
    """Positions that no match may ever reach: every seat's legal moves."""
    chance = random.Random(seats)
    series = 0
    for _ in range(400):
        stacks = random_stacks(seats, chance)
        match = Match.arranged(
            GAME,
            plain=True,
            seats=seats,
            dolls=stacks,
            finished=[seat for seat in range(seats) if is_home(seats, stacks, seat)],
        )
        table = Table.from_texts(seats, stacks, None)
        for seat in range(seats):
            out = [0] * GAME.max_legal
            count = GAME.legal(match.state, seat, out)
            texts = table.moves(seat)
            assert [match.move_text(seat, move) for move in out[:count]] == texts, stacks
            series += sum(
                abs(ord(text[0]) - ord(text[3])) > 2 or abs(int(text[1]) - int(text[4])) > 2 for text in texts
            )
    assert series > 500  # moves that only a series can make


def is_home(seats: int, stacks: dict[str, list[str]], seat: int) -> bool:
    return all(
        name in TABLES[seats][seat][1] for name, stack in stacks.items() for doll in stack if doll[0] == str(seat)
    )


def count_moves(states: np.ndarray[Any, Any], depth: int) -> int:
    """Move sequences of a length, by the game's own rules in plain Python."""
    state = plain_state(states)
    if not GAME.actors(state):
        return 0
    seat = state.turn
    out = [0] * GAME.max_legal
    count = GAME.legal(state, seat, out)
    if depth == 1:
        return int(count)
    total = 0
    for move in out[:count]:
        after = states.copy()
        GAME.apply(plain_state(after), seat, move)
        total += count_moves(after, depth - 1)
    return total


@pytest.mark.parametrize("start", COUNTS["start"], ids=lambda start: f"{start['seats']} seats, first {start['first']}")
def test_counts_from_the_start_are_the_pinned_ones(start: dict[str, Any]) -> None:
    match = Match(GAME, start["seats"], 0, plain=True, first=start["first"])
    depths = range(1, len(start["counts"]) + 1)
    assert [count_moves(match.states, depth) for depth in depths] == start["counts"]
    table = Table.start(start["seats"], start["first"])
    assert [count_positions(table, depth) for depth in (1, 2, 3)] == start["counts"][:3]


def count_compiled(states: np.ndarray[Any, Any], depth: int) -> list[int]:
    """The same, level by level, with the compiled rules."""
    ready = backend(GAME, False)
    counts = []
    for level in range(1, depth + 1):
        moves = np.zeros((len(states), GAME.max_legal), np.int32)
        count = np.zeros(len(states), np.int64)
        ready.legal(states, states["turn"].astype(np.int64), moves, count)
        counts.append(int(count.sum()))
        if level == depth:
            break
        parents = np.repeat(np.arange(len(states)), count)
        chosen = moves[np.arange(GAME.max_legal) < count[:, None]].astype(np.int64)
        states = states[parents]
        answers = np.zeros(len(states), np.int64)
        ready.step(states, states["turn"].astype(np.int64), chosen, answers)
        assert (answers > 0).all()  # so early nobody is done
    return counts


@pytest.mark.parametrize(
    "start", [start for start in COUNTS["start"] if start["first"] == 0], ids=lambda start: f"{start['seats']} seats"
)
def test_deep_counts_are_the_pinned_ones(start: dict[str, Any]) -> None:
    match = Match(GAME, start["seats"], 0, plain=True, first=start["first"])
    assert count_compiled(match.states, len(start["deep"])) == start["deep"]


@pytest.mark.parametrize("start", COUNTS["start"], ids=lambda start: f"{start['seats']} seats, first {start['first']}")
def test_moves_from_the_start_come_in_the_pinned_order(start: dict[str, Any]) -> None:
    match = Match(GAME, start["seats"], 0, plain=True, first=start["first"])
    assert match.moves(start["first"]) == start["moves"].split()
    numbers = match.legal(start["first"])
    assert numbers == sorted(numbers)


@pytest.mark.parametrize("seats", [2, 4])
@pytest.mark.parametrize("patience", [1, 40])
def test_plain_and_compiled_give_the_same_bytes(seats: int, patience: int) -> None:
    """Whole random matches, the observation of every seat, scores and places."""
    count = 6
    results = []
    for plain in (True, False):
        ready = backend(GAME, plain)
        states = np.zeros(count, GAME.state)
        seeds = np.arange(count, dtype=np.int64)
        played = np.zeros(count, np.int64)
        ready.deal(states, GAME.setup(seats, GAME.check_options(seats, {"patience": patience})), seeds)
        rows = []
        for portion in (40, 2**40):
            ready.play_random(states, seeds, played, portion)
            for seat in range(seats):
                seen = np.zeros((count, GAME.observation_size), np.int8)
                ready.observe(states, seat, seen)
                rows.append(seen.tobytes())
        points, ranks = np.zeros((2, count, seats), np.int64)
        ready.scores(states, points, ranks)
        assert not any(GAME.faults_in(states))
        results.append((states.tobytes(), played.tolist(), rows, points.tolist(), ranks.tolist()))
    assert results[0] == results[1]
