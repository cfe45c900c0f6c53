"""Värvitikud's heuristics: how good a position is, which move looks good at once, how strong the
levels are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from samovar.engine.match import Match
from samovar.engine.ways.backend import backend
from samovar.engine.ways.plain import plain_state
from samovar.games.varvitikud import GAME, heuristics
from samovar.games.varvitikud.deck import COLOUR_NAMES, COLOURS
from samovar.games.varvitikud.moves import parse_move
from support.oracle_varvitikud import score

VARIANTS = [(seats, half_turn) for seats in (2, 3, 4) for half_turn in (False, True)]
SEEDS = 40
# Around (1, 0), which is empty: card 34 (blue, red, orange, red) fits there and connects four
# edges.
RING = [[0, 0, 0], [9, 0, 1], [23, 1, 1], [13, 2, 1], [25, 2, 0], [43, 2, -1], [31, 1, -1]]
HANDS = [[34, 2, 3, 4], [6, 7, 10, 12]]
Array = np.ndarray[Any, Any]


def walks(seats: int, half_turn: bool) -> Array:
    """The positions in which somebody moves in some random matches."""
    states = []
    for seed in range(3):
        match = Match(GAME, seats, 60 + seed, half_turn=half_turn)
        while not match.over:
            states.append(match.states.copy())
            match.play_random(len(states), limit=1)
    return np.concatenate(states)


def shares(states: Array, plain: bool = False) -> Array:
    out = np.zeros((len(states), int(states["seats"][0])), np.int64)
    backend(GAME, plain).evaluate(states, out)
    return out


def rollout_moves(states: Array, plain: bool = False, seed: int = 5) -> list[int]:
    moves = np.zeros(len(states), np.int64)
    backend(GAME, plain).rollout_move(states, states["turn"].astype(np.int64), np.arange(len(states)) + seed, moves)
    return [int(move) for move in moves]


def rollout_texts(match: Match) -> list[str]:
    """What the seat on turn does at once, often."""
    return [
        GAME.move_text(match.state, match.actors[0], move) for move in rollout_moves(np.repeat(match.states, SEEDS))
    ]


def ring(**position: Any) -> Match:
    return Match.arranged(GAME, **{"field": RING, "hands": HANDS, **position})


def share(match: Match, seat: int = 0) -> int:
    return int(shares(match.states)[0, seat])


# Points


@pytest.mark.parametrize("seed", range(20))
def test_gains_and_losses_are_the_points_of_one_stick(seed: int) -> None:
    sticks = np.random.default_rng(seed).integers(0, 4, COLOURS)
    states = ring(sticks=[sticks.tolist()]).states
    for colour in range(COLOURS):
        one = np.eye(COLOURS, dtype=np.int64)[colour]
        before = score(tuple(sticks))
        assert (
            heuristics.of_colour(heuristics.gains(plain_state(states), 0), colour)
            == score(tuple(sticks + one)) - before
        )
        if sticks[colour]:
            assert heuristics.of_colour(heuristics.losses(plain_state(states), 0), colour) == before - score(
                tuple(sticks - one)
            )


# The evaluation


@pytest.mark.parametrize(("seats", "half_turn"), VARIANTS)
def test_shares_add_up_and_are_the_same_plain_and_compiled(seats: int, half_turn: bool) -> None:
    states = walks(seats, half_turn)
    values = shares(states)
    assert values.min() >= 0
    assert values.max() <= 1000
    assert np.abs(values.sum(1) - 500 * seats).max() < seats  # each is rounded down
    assert np.array_equal(values, shares(states, plain=True))


def test_equal_seats_stand_equally_but_for_the_turn() -> None:
    match = ring(seats=4, hands=[[34, 2, 3], [4, 6, 7], [10, 12, 15], [16, 17, 18]])
    states = match.states.copy()
    states["hand"][:] = -1  # nobody can hope for anything
    states["hand_size"][:] = 0
    first, *others = shares(states)[0]
    assert len(set(others)) == 1
    assert first > 500 > others[0]


@pytest.mark.parametrize("seats", [2, 3])
def test_seats_are_treated_alike(seats: int) -> None:
    """All that belongs to a seat given to the next one: the shares move along."""
    states = walks(seats, False)
    states = states[states["phase"] == 0]
    turned = states.copy()
    for name in ("hand", "hand_size", "sticks"):
        turned[name][:, :seats] = np.roll(states[name][:, :seats], 1, 1)
    turned["turn"] = (states["turn"] + 1) % seats
    assert np.array_equal(shares(turned), np.roll(shares(states), 1, 1))


def test_more_is_better() -> None:
    even = share(ring(sticks=[[1] * 6, [1] * 6]))
    assert share(ring(sticks=[[2, 1, 1, 1, 1, 1], [1] * 6])) > even > share(ring(sticks=[[1] * 6, [2, 1, 1, 1, 1, 1]]))


def test_points_count_more_towards_the_end() -> None:
    def worth(rest: int) -> int:
        """Twelve sticks each: what it is worth to seat 0 that it, not seat 1, has two full sets. Of
        each colour seat 2 has `rest` more."""
        sets, heaps = [2] * 6, [4, 4, 4, 0, 0, 0]
        others = [rest, rest, rest, rest + 2, rest + 2, rest + 2]
        tables = [
            ring(seats=3, hands=[[34, 2, 3], [4, 6, 7], [10, 12, 15]], sticks=[*both, others])
            for both in ([sets, heaps], [heaps, sets])
        ]
        return share(tables[0]) - share(tables[1])

    assert worth(2) > 2 * worth(0) > 0


def test_a_hand_that_joins_more_is_better() -> None:
    hopeful = ring(turn=1, hands=[[34, 2, 3, 4], [6, 7, 10, 12]])
    hopeless = ring(turn=1, hands=[[14, 2, 3, 4], [6, 7, 10, 12]])
    assert [heuristics.most_joined(match.state, 0) for match in (hopeful, hopeless)] == [4, 1]
    assert share(hopeful) > share(hopeless)


def test_swaps_to_come_are_worth_something() -> None:
    states = ring(sticks=[[1] * 6, [1] * 6], moves=["34@1,0"]).states
    assert states["swaps_left"][0] == 3
    fewer = states.copy()
    fewer["swaps_left"] = 1
    assert shares(states)[0, 0] > shares(fewer)[0, 0]


# Rollout moves


@pytest.mark.parametrize(("seats", "half_turn"), VARIANTS)
def test_rollout_moves_are_legal_and_the_same_plain_and_compiled(seats: int, half_turn: bool) -> None:
    states = walks(seats, half_turn)
    moves = rollout_moves(states)
    assert moves == rollout_moves(states, plain=True)
    out = [0] * GAME.max_legal
    kinds = set()
    for k, move in enumerate(moves):
        state = plain_state(states[k : k + 1])
        count = GAME.legal(state, state.turn, out)
        assert move in out[:count]
        kinds.add(state.phase)
    assert kinds == {0, 1}


def test_rollout_moves_use_only_what_the_seat_knows() -> None:
    """In every world that fits what the mover knows its rollout move is the same."""
    states = walks(3, False)
    moves = rollout_moves(states)
    other = states.copy()
    backend(GAME).determinize(other, states["turn"].astype(np.int64), np.arange(len(states)))
    assert not np.array_equal(other["hand"], states["hand"])
    assert rollout_moves(other) == moves


def test_four_joined_edges_are_seen() -> None:
    assert rollout_texts(ring()).count("34@1,0") > SEEDS / 2  # of a dozen placements


def test_rollout_moves_are_not_always_the_same() -> None:
    match = Match(GAME, 2, 3)
    match.play_random(1, limit=8)
    assert len(set(rollout_texts(match))) > 1


@pytest.mark.parametrize("seat", [0, 1])
def test_the_best_swap_is_common_and_no_swap_loses(seat: int) -> None:
    """The seat lacks green, which makes its set whole, and has red and blue to spare; the other
    loses its only green."""
    order = slice(None, None, -1 if seat else 1)
    match = ring(
        turn=seat, hands=HANDS[order], sticks=[[2, 1, 1, 0, 1, 1], [0, 1, 0, 1, 0, 0]][order], moves=["34@1,0"]
    )
    texts = rollout_texts(match)
    assert f"red>{1 - seat}:green" in texts
    for text in set(texts) - {"stop"}:
        after = Match.arranged(GAME, **(match.position or {}) | {"moves": ["34@1,0", text]})
        leads = [
            score(tuple(m.view(None).sticks[seat])) - score(tuple(m.view(None).sticks[1 - seat]))
            for m in (match, after)
        ]
        assert leads[1] > leads[0]


def test_rollout_moves_stop_when_no_swap_helps() -> None:
    """34 brings blue, two reds, orange. Then both have the same sticks but for one, and every swap
    is bad."""
    match = ring(sticks=[[0, 1, 2, 2, 1, 2], [0, 0, 1, 0, 0, 0]], moves=["34@1,0"])
    assert match.view(None).sticks[0] == (2,) * COLOURS
    assert set(rollout_texts(match)) == {"stop"}


@pytest.mark.parametrize("ahead", [True, False])
def test_the_last_placement_is_made_to_win_only(ahead: bool) -> None:
    """No red is left: placing 34 at (1, 0) ends the match."""
    rich, poor = [4, 3, 3, 3, 3, 3], [4, 0, 0, 0, 0, 0]
    match = ring(sticks=[rich, poor] if ahead else [poor, rich])
    ends = set()
    for text in set(rollout_texts(match)):
        after = Match.arranged(GAME, **(match.position or {}) | {"moves": [text]})
        ends.add(bool(after.state.ending))
    assert ends == {ahead}


# Levels


def test_no_level_forgets_as_all_lies_open() -> None:
    assert all(level.half_life == 0 for level in heuristics.LEVELS.values())
    assert GAME.heuristics is heuristics.HEURISTICS


def test_colours_of_the_texts_above() -> None:
    assert [COLOUR_NAMES.index(name) for name in ("red", "green")] == [0, 3]
    match = ring(sticks=[[1] * 6, [1] * 6], moves=["34@1,0"])
    assert parse_move(match.state, 0, "red>1:green") in match.seat(0).legal
