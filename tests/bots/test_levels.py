"""Levels for people: memory that fades, and nothing but legal moves. How else they err is in
test_ladder.py."""

import math
from dataclasses import replace
from itertools import pairwise

import pytest

from samovar.bots import make_bot
from samovar.bots.levels import forgotten
from samovar.engine.heuristics import LEVEL_NAMES, Heuristics, Level
from samovar.engine.match import Match
from samovar.engine.registry import find_game, game_ids
from samovar.errors import BadBot, UnknownGame

FACT = 0b100


@pytest.mark.parametrize("half_life", [1, 5, 20])
def test_after_one_half_life_half_is_forgotten_and_after_two_three_quarters(half_life: int) -> None:
    for lives, expected in ((1, 0.5), (2, 0.75)):
        sights = (FACT, *(0 for _ in range(lives * half_life)))
        gone = sum(forgotten(sights, half_life, seed) == FACT for seed in range(1000))
        assert abs(gone / 1000 - expected) < 0.05


def test_what_is_seen_now_is_never_forgotten_nor_is_what_was_never_seen() -> None:
    assert all(forgotten((0, 0, 0, FACT), 1, seed) == 0 for seed in range(200))
    assert all(forgotten((0,) * 50, 1, seed) == 0 for seed in range(200))


def test_what_is_gone_stays_gone_until_it_is_seen_again() -> None:
    for seed in range(100):
        gone = [forgotten((FACT, *(0 for _ in range(age))), 6, seed) for age in range(40)]
        assert gone == sorted(gone), "a memory came back by itself"
    assert any(
        forgotten((FACT, 0, 0, 0, 0), 2, seed) == FACT and forgotten((FACT, 0, 0, FACT, 0), 2, seed) == 0
        for seed in range(50)
    )


def test_without_a_half_life_nothing_is_forgotten() -> None:
    assert forgotten((FACT, *(0 for _ in range(10_000))), 0, 1) == 0


def test_facts_are_forgotten_one_by_one() -> None:
    everything = (1 << 63) - 1
    counts = [forgotten((everything, 0, 0, 0, 0), 4, seed).bit_count() for seed in range(50)]
    assert 20 < sum(counts) / 50 < 43
    assert len(set(counts)) > 3


@pytest.mark.parametrize("game", game_ids())
def test_every_game_has_all_levels_each_thinking_more_and_erring_less(game: str) -> None:
    levels = find_game(game).heuristics.levels
    assert tuple(levels) == LEVEL_NAMES
    up_to_expert = [levels[name] for name in LEVEL_NAMES[: LEVEL_NAMES.index("expert") + 1]]
    for lower, higher in pairwise(up_to_expert):
        assert lower.simulations <= higher.simulations
        assert lower.overlooks >= higher.overlooks
        assert lower.hasty >= higher.hasty
        assert (lower.half_life or math.inf) <= (higher.half_life or math.inf)
        assert replace(lower, beats_lower=0) != replace(higher, beats_lower=0)
    for level in up_to_expert[-1], *find_game(game).heuristics.pinned.values():
        assert (level.half_life, level.overlooks, level.hasty) == (0, 0, 0), "an expert does not err on purpose"


@pytest.mark.parametrize(("won", "offered"), [(59, LEVEL_NAMES[:-1]), (60, LEVEL_NAMES)])
def test_master_is_offered_where_it_is_clearly_stronger_than_expert(won: int, offered: tuple[str, ...]) -> None:
    assert Heuristics(levels={"master": Level(simulations=1000, beats_lower=won)}).offered == offered
    assert Heuristics().offered == LEVEL_NAMES[:-1], "nobody has measured it"


@pytest.mark.parametrize("game", game_ids())
@pytest.mark.slow
def test_a_match_between_levels_comes_to_its_end(game: str) -> None:
    match = Match(game, seed=21)
    bots = [make_bot(LEVEL_NAMES[seat % 2], match.game, seat) for seat in range(match.seats)]
    while not match.over:
        seat = match.actors[0]
        match.play(seat, bots[seat].choose(match.seat(seat)).move)
    assert not match.faults


def test_a_level_can_be_told_to_think_longer() -> None:
    seat = Match("connect_four", seed=1, first=0).seat(0)
    usual, longer = (make_bot(level, seat.game, 1).choose(seat) for level in ("expert", "expert:9000"))
    assert sum(reason.visits for reason in longer.reasons) > 1.5 * sum(reason.visits for reason in usual.reasons)
    with pytest.raises(BadBot, match=r"expert:forever is no budget\. Write expert:8000"):
        make_bot("expert:forever", seat.game, 1)


def test_a_level_answers_the_same_for_the_same_seed() -> None:
    match = Match("memoarrrr", 3, 7)
    match.play_random(1, limit=14)
    seat = match.seat(match.actors[0])
    for level in LEVEL_NAMES[:3]:
        answers = {make_bot(level, match.game, 3).choose(seat).move for _ in range(3)}
        assert len(answers) == 1


def test_a_game_can_be_named_when_a_bot_is_made() -> None:
    match = Match("memoarrrr", seed=1)
    seat = match.seat(match.actors[0])
    assert make_bot("greedy", "memoarrrr", 1).choose(seat) == make_bot("greedy", seat.game, 1).choose(seat)
    with pytest.raises(UnknownGame, match="memoarrrr"):
        make_bot("greedy", "memoarrr", 1)
