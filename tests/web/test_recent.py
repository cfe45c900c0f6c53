"""What is kept in memory: bounded in number and in time."""

from __future__ import annotations

import pytest

from samovar.web import recent
from samovar.web.recent import Recent


@pytest.fixture
def clock(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(recent.time, "monotonic", lambda: now[0])
    return now


def test_the_one_that_nobody_has_asked_for_the_longest_goes_first(clock):
    kept = Recent(most=2, seconds=60.0)
    kept.put("a", 1)
    kept.put("b", 2)
    kept.get("a")
    kept.put("c", 3)
    assert [name for name in "abc" if name in kept] == ["a", "c"]


def test_what_nobody_asks_for_any_more_goes_when_others_come(clock):
    kept = Recent(most=100, seconds=60.0)
    for number in range(10):
        kept.put(number, number)
    clock[0] = 40.0
    kept.get(3)
    clock[0] = 70.0
    for number in range(10, 14):
        kept.put(number, number)
    assert [number for number in range(14) if number in kept] == [3, 10, 11, 12, 13]


def test_what_may_not_go_stays_and_lets_others_go_in_its_place(clock):
    kept = Recent(most=2, seconds=60.0, may_go=lambda key, thing: key != "busy")
    kept.put("busy", 1)
    for name in "abcdef":
        kept.put(name, 0)
    assert "busy" in kept
    assert len(kept) == 2
