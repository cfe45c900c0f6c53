"""Matryoshka's heuristics: positions compared, rollout moves, and what can be forgotten."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from samovar.engine.match import Match
from samovar.engine.ways.backend import backend
from samovar.games.matryoshka import GAME
from samovar.games.matryoshka.state import NOTHING, PUT, TAKE

SEATS = (3, 4, 5)
TRIES = 40  # rollout moves asked for where one must be likely


def numbers(*values: int) -> np.ndarray[Any, Any]:
    return np.array(values, np.int64)


def shares(match: Match, plain: bool = False) -> list[int]:
    out = np.zeros((1, match.seats), np.int64)
    backend(GAME, plain).evaluate(match.states.copy(), out)
    return [int(share) for share in out[0]]


def rollout_move(match: Match, seat: int, seed: int, plain: bool = False) -> int:
    move = numbers(0)
    backend(GAME, plain).rollout_move(match.states.copy(), seat, seed, move)
    return int(move[0])


def usual_move(match: Match, seat: int) -> str:
    """The rollout move made most often."""
    moves = [rollout_move(match, seat, seed) for seed in range(TRIES)]
    return match.move_text(seat, max(set(moves), key=moves.count))


def sights(match: Match, seat: int) -> int:
    facts = numbers(0)
    backend(GAME, False).sights(match.states.copy(), seat, facts)
    return int(facts[0])


def forgetting(match: Match, seat: int, facts: int, seed: int = 0) -> np.ndarray[Any, Any]:
    states = match.states.copy()
    backend(GAME, False).forget(states, seat, facts, seed)
    return states


@pytest.mark.parametrize("seats", SEATS)
@pytest.mark.parametrize(("long_columns", "growth"), [("extend", 3), ("cap", 5)])
def test_rollout_moves_are_legal_and_evaluation_in_range_the_same_plain_and_compiled(
    seats: int, long_columns: str, growth: int
) -> None:
    match = Match(GAME, seats, seats, plain=False, long_columns=long_columns, growth=growth)
    played = 0
    while not match.over:
        seat = match.actors[0]
        move = rollout_move(match, seat, played)
        assert move in match.legal(seat)
        values = shares(match)
        assert all(0 <= share <= 1000 for share in values)
        assert abs(sum(values) - 500 * seats) <= seats
        if played % 5 == 0:
            assert rollout_move(match, seat, played, plain=True) == move
            assert shares(match, plain=True) == values
        match.play(seat, move)
        played += 1
    assert played == GAME.max_length(seats, {})


def test_hand_cards_that_add_the_same_can_all_be_rollout_moves() -> None:
    match = Match.arranged(GAME, hands=["A1 B1 C1 D1 E1 F1"], displays=["A2 B2"], round=1)
    assert {rollout_move(match, 0, seed) for seed in range(200)} >= {
        match.parse_move(0, f"put {card}") for card in ("C1", "D1", "E1", "F1")
    }


def test_the_better_collection_stands_better() -> None:
    match = Match.arranged(
        GAME,
        round=4,
        phase="put",
        hands=["A1 A2 A3 A4 A5 A6", "C1 D3 E5 F7 C3 D5"],
        displays=["B1 B2 B3 B4 B5 B6 B7 A7", ""],
    )
    assert shares(match)[0] > 900
    even = Match.arranged(
        GAME,
        round=1,
        hands=["A1 A2 A3 A5 A7 B4", "C1 C2 C3 C5 C7 D4", "E1 E2 E3 E5 E7 F4"],
        displays=["B1 B6", "D1 D6", "F1 F6"],
    )
    assert shares(even) == [500, 500, 500]


def test_a_row_that_lacks_one_card_is_better_than_cards_by_themselves() -> None:
    match = Match.arranged(
        GAME, round=2, hands=["A1 A2 A4 A5 B1 B2", "C1 C3 D5 D7 E2 E4"], displays=["B4 B5 C7 D3", "F1 F3 F5 E7"]
    )  # nobody else has A3 for sure, yet
    assert shares(match)[0] > shares(match)[1]


def test_cards_that_belong_together_are_shown_and_the_others_given_away() -> None:
    hand = "A1 A2 A3 B7 C4 D6"
    match = Match.arranged(GAME, draws=[hand])
    assert usual_move(match, 0) in ("show A1 A2", "show A2 A3", "show A1 A3")
    match = Match.arranged(GAME, round=4, hands=["A3 A4 A5 A6 A7 D6"], displays=["A1 A2 B1 B2 B3 B4 B5 B7"])
    assert usual_move(match, 0) == "put D6"


def test_the_card_that_completes_a_run_is_taken() -> None:
    match = Match.arranged(
        GAME,
        round=4,
        hands=["C7 A1 A2 A3 A5 A6", "A4 D1 D2 D4 D5 D7", "E7 F1 F2 F4 F5 F6"],
        displays=["B1 B2 B3 B4 B5 B6 B7 A7"],
        moves=[(0, "put C7"), (1, "offer A4"), (2, "offer E7")],
    )
    assert match.state.phase == TAKE
    assert usual_move(match, 0) == "take 1"


def test_the_last_display_leaves_out_the_worst_card() -> None:
    match = Match.arranged(
        GAME, round=4, phase="display", hands=["A1 A2 A3 A4 A5 C7"], displays=["B1 B2 B3 B4 B5 B6 B7 A6"]
    )
    kept = match.parse_move(0, "keep C7")
    assert usual_move(match, 0) == match.move_text(0, kept)


def test_rollout_moves_do_not_look_into_hidden_hands() -> None:
    """The same in every world that the seat can imagine."""
    match = Match(GAME, 4, 8, plain=False)
    while not match.over:
        seat = match.actors[-1]
        for seed in range(8, 10):
            assert {rollout_move(match.imagine(seat, world), seat, seed) for world in range(6)} == {
                rollout_move(match, seat, seed)
            }
        match.play_random(3, 1)


# Memory


@pytest.mark.parametrize("seats", SEATS)
def test_offers_are_seen_by_the_active_seat_while_it_chooses(seats: int) -> None:
    match = Match(GAME, seats, 1, plain=False)
    seen = [0] * seats
    while not match.over:
        for seat in range(seats):
            facts = sights(match, seat)
            is_choosing = match.state.phase == TAKE and seat in match.actors
            assert facts == (1 << match.state.exchange if is_choosing else 0)
            seen[seat] |= facts
        match.play_random(7, 1)
    assert [bin(facts).count("1") for facts in seen] == [4] * seats
    assert sum(seen) == (1 << 4 * seats) - 1


@pytest.mark.parametrize("seats", SEATS)
def test_what_is_forgotten_changes_nothing_that_is_seen_and_can_be_played_on(seats: int) -> None:
    for played in range(4, GAME.max_length(seats, {}), 7):
        match = Match(GAME, seats, played, plain=False)
        match.play_random(played, played)
        for seat in range(seats):
            states = forgetting(match, seat, ((1 << 20) - 1) & ~sights(match, seat), played)
            forgetful = match.copy()
            forgetful.states[:] = states
            assert forgetful.view(seat) == match.view(seat)
            if seat in match.actors:
                assert forgetful.legal(seat) == match.legal(seat)
            worlds = np.repeat(states, 20)
            ready = backend(GAME, False)
            ready.determinize(worlds, seat, np.arange(20, dtype=np.int64))
            assert (worlds["cards"][:, seat] == match.states["cards"][:, seat]).all()
            assert (np.sort(worlds["deck"]) == np.sort(match.states["deck"])).all()
            ready.play_random(worlds, np.arange(20, dtype=np.int64), np.zeros(20, np.int64), 1000)
            assert (worlds["round"] == 4).all()
            assert (worlds["waiting"] == 0).all()
            assert (np.sort(worlds["cards"][:, :seats].reshape(20, -1)) == np.arange(14 * seats)).all()


def test_a_refused_offer_is_known_until_it_is_forgotten() -> None:
    """Seat 0 saw A4 at seat 2 and refused it: it knows for sure where it is, and afterwards no
    more. Seat 2 knows as before."""
    match = Match.arranged(
        GAME,
        round=1,
        hands=["C7 A1 A2 A3 A5 A6", "B4 D1 D2 D4 D5 D7", "A4 F1 F2 F4 F5 F6"],
        displays=["B1 B2", "E1 E2", "C1 C2"],
        moves=[(0, "put C7"), (1, "offer B4"), (2, "offer A4"), (0, "take 1")],
    )
    assert match.state.phase == PUT
    card = 3  # A4

    def holders(states: np.ndarray[Any, Any], seat: int) -> set[bool]:
        worlds = np.repeat(states, 60)
        backend(GAME, False).determinize(worlds, np.full(60, seat, np.int64), np.arange(60, dtype=np.int64))
        return {bool((world["cards"][2] == card).any()) for world in worlds}

    assert holders(match.states, 0) == {True}
    assert holders(forgetting(match, 0, 0), 0) == {True}
    assert holders(forgetting(match, 0, 1), 0) == {True, False}
    assert {bool((forgetting(match, 0, 1, seed)["cards"][0, 2] == card).any()) for seed in range(20)} == {True, False}
    # seat 1 was not active: it had nothing to forget
    assert (forgetting(match, 1, 1)["offers"][0, 0, :3] != NOTHING).all()
    kept = forgetting(match, 0, 1)
    assert kept["offers"][0, 0, 1] != NOTHING  # the card taken is one's own
    assert (kept["cards"][0, 0] == match.states["cards"][0, 0]).all()
