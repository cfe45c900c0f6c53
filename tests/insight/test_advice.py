"""Advice: the best moves side by side, by what the seat knows, and no rank where there is no difference."""

from __future__ import annotations

import numpy as np
import pytest

import samovar
from samovar.errors import NotAnActor
from samovar.insight.advice import BEST, Advised, advise, ranked
from samovar.insight.advice_worker import AdviceReply, Advise, AdvisingHost
from samovar.insight.estimate import RIVALS, Comparison

FEW = {"find": 100, "simulations": 20, "looks": 8, "seconds": 60.0, "plain": True}


def after(*columns: int) -> samovar.Match:
    match = samovar.Match("connect_four", seed=1, plain=True, first=0)
    for number, column in enumerate(columns):
        match.play(number % 2, column)
    return match


def test_the_winning_move_comes_first_and_no_other_is_close() -> None:
    seat = after(0, 6, 0, 6, 0, 5).seat(0)
    best, *others = advise(seat, **FEW)
    assert (best.move, best.share) == (0, 1.0)
    assert len(others) == BEST - 1
    assert not any(one.is_close for one in others)
    assert all(one.share < best.share for one in others)


def test_it_depends_on_the_seed_alone() -> None:
    seat = after(3, 3).seat(0)
    assert advise(seat, seed=5, **FEW) == advise(seat, seed=5, **FEW)


def test_all_looks_are_made_and_no_move_is_left_aside(monkeypatch: pytest.MonkeyPatch) -> None:
    """Though others are clearly worse: they are told, too, and as surely."""
    rows: list[tuple[int, ...]] = []
    monkeypatch.setattr("samovar.insight.advice.ranked", lambda compared: rows.append(compared._looks.shape))
    advise(after(0, 6, 0, 6, 0, 5).seat(0), **FEW)
    assert rows == [(FEW["looks"], RIVALS)]


def test_without_time_there_is_one_look(monkeypatch: pytest.MonkeyPatch) -> None:
    rows: list[int] = []
    monkeypatch.setattr("samovar.insight.advice.ranked", lambda compared: rows.append(compared.looks))
    advise(after(3, 3).seat(0), **FEW | {"seconds": 1e-9})
    assert rows == [1]


def told(moves: list[int], looks: list[list[float]]) -> tuple[Advised, ...]:
    """What is advised after such looks at these moves."""
    compared = Comparison.__new__(Comparison)
    compared.moves, compared._looks, compared._aside = moves, np.array(looks), {}
    return ranked(compared)


def test_a_move_that_is_behind_by_no_more_than_the_noise_is_close() -> None:
    ordered = told([7, 8, 9], [[0.3, 0.45, 0.5], [0.3, 0.55, 0.5], [0.31, 0.45, 0.52], [0.3, 0.5, 0.5]])
    assert [one.move for one in ordered] == [9, 8, 7]
    assert [one.is_close for one in ordered] == [True, True, False]
    steady = told([7, 8], [[0.52, 0.5]] * 4)
    assert [one.is_close for one in steady] == [True, False], "a small difference that is sure is one"
    hardly = told([7, 8], [[0.503, 0.5]] * 4)
    assert hardly[1].is_close, "nobody would notice it"


def test_who_may_not_act_is_not_advised() -> None:
    with pytest.raises(NotAnActor):
        advise(after(3).seat(0), **FEW)


def test_the_process_is_told_a_seat_and_answers_with_moves() -> None:
    import msgspec

    seat = after(0, 6, 0, 6, 0, 5).seat(0)
    line = AdvisingHost().answer(msgspec.json.encode(Advise(seat.to_bytes(), 1, is_plain=True)))
    reply = AdviceReply.read(line)
    assert reply.error == ""
    assert reply.advice[0].move == 0
    assert AdviceReply.read(b"nonsense").error
