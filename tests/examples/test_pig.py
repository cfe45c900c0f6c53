"""Chance during play: the dice of Pig follow from the deal, and nobody can read them ahead."""

import os
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from samovar.bots.registry import make_bot
from samovar.engine.batch import Batch
from samovar.engine.chance import CHANCE, KEY_WORDS, THROWS, enciphered, roll
from samovar.engine.contract import Game
from samovar.engine.heuristics import Heuristics, Tuning
from samovar.engine.match import Match
from samovar.engine.rule import rule
from samovar.engine.ways.plain import plain_state
from samovar.errors import BrokenGame
from samovar.testing import checks, code, worlds

FOLDER = Path(__file__).parents[2] / "examples" / "pig"
sys.path.insert(0, str(FOLDER))

import pig  # noqa: E402

GAME: Game = pig.GAME


def thrown(match: Match) -> list[int]:
    """Every number of the dice so far."""
    return [dict(event.facts)["die"] for (event,) in match.log(None) if event.kind == "throws"]


def played(seed: int | str, **options: object) -> Match:
    """Whoever may throw again does."""
    match = Match(GAME, 2, seed, plain=True, **options)
    while not match.over:
        match.play(match.actors[0], match.legal(match.actors[0])[0])
    return match


@pytest.mark.slow
def test_the_kit_passes_it():
    code.check_rule_code(GAME)
    checks.check_facts(GAME)
    checks.check_pages(GAME)
    for seats in GAME.seats:
        checks.check_walk(GAME, seats, {}, 3, limit=80)
        checks.check_fading(GAME, seats, {}, 3, limit=20)
        checks.check_wide_deal(GAME, seats, {})
    worlds.check_worlds(GAME, 2, {}, 3, looks=6)


def test_the_cipher_is_the_published_one():
    """Speck 64/128, the test vector of its authors."""
    state = plain_state(np.zeros(1, GAME.state))
    for k, part in enumerate((0x03020100, 0x0B0A0908, 0x13121110, 0x1B1A1918)):
        state.chance[k] = part
    assert enciphered(state, 0x3B726574 << 32 | 0x7475432D) == 0x8C6FA548


def test_all_throws_follow_from_the_deal_and_differ_between_deals():
    throws = [thrown(played(seed)) for seed in (7, 7, 8, "5a" * 32, "5a" * 32, "5b" * 32)]
    assert throws[0] == throws[1]
    assert throws[3] == throws[4]
    assert len({tuple(row) for row in throws}) == 4
    assert min(map(len, throws)) > 10


def test_every_number_comes_as_often_as_the_others():
    counts = Counter(number for seed in range(30) for number in thrown(played(seed, goal=40)))
    total = sum(counts.values())
    deviation = sum((counts[side] - total / 6) ** 2 / (total / 6) for side in range(1, 7))
    assert total > 1500
    assert deviation < 30, counts  # five degrees of freedom: more in one of 70,000


def test_whoever_imagines_the_match_sees_other_throws():
    """From one moment the true match has one future, imagined worlds have many, and none of them is
    told by it."""
    match = Match(GAME, 2, 1, first=0, plain=True)
    match.play(0, "throw")
    futures = set()
    for seed in range(40):
        world = match.imagine(match.actors[0], seed)
        assert world.view(0) == match.view(0)
        assert world.state.chance[THROWS] == 0
        world.play(world.actors[0], "throw")
        futures.add(world.state.thrown)
    assert futures == {1, 2, 3, 4, 5, 6}


def test_two_truths_with_other_keys_give_the_same_worlds_and_the_same_answers():
    match, other = (Match(GAME, 2, 1, first=0, plain=True) for _ in range(2))
    other.states["chance"] += 1
    assert match.imagine(0, 5).state_bytes == other.imagine(0, 5).state_bytes
    for bot in ("greedy", "search:30"):
        assert make_bot(bot, GAME, 3).choose(match.seat(0)) == make_bot(bot, GAME, 3).choose(other.seat(0))


def test_a_seat_that_travels_carries_no_key_of_the_truth():
    match = Match(GAME, 2, 1, first=0, plain=True)
    key = match.states["chance"][0][:KEY_WORDS].tobytes()
    assert key in match.state_bytes
    assert key not in match.seat(0).to_bytes()


@pytest.mark.slow
def test_a_search_knows_when_to_stop():
    """Late in a turn with much at stake it keeps, at its beginning it throws: not what one imagined
    row of throws would tell, which a search that reads ahead would follow."""
    match = Match(GAME, 2, 3, first=0, goal=40)
    state = match.state
    state.pot, state.throws, state.thrown, state.mover = 38, 8, 5, 0
    state.points[0] = 2
    answers = {make_bot("search:400", GAME, seed).choose(match.seat(0)).move for seed in range(5)}
    assert answers == {pig.KEEP}
    state.pot, state.throws, state.points[0], state.points[1] = 2, 1, 0, 30
    answers = [make_bot("search:400", GAME, seed).choose(match.seat(0)).move for seed in range(5)]
    assert answers.count(pig.THROW) >= 4


def test_a_world_that_serves_many_simulations_has_other_throws_in_each():
    """In the last turn, where any throw but a 1 wins alone and a 1 loses, the search fears the 1; one that imagined a
    single row of throws would be sure of what comes."""
    frugal = replace(GAME, heuristics=Heuristics(tuning=Tuning(reuse=1000)))
    match = Match(frugal, 2, 3, first=0, plain=True)
    state = match.state
    state.pot, state.throws, state.thrown, state.turns, state.points[0], state.points[1] = 10, 2, 2, 1, 20, 30
    for seed in range(3):
        answer = make_bot("search:600", frugal, seed).choose(match.seat(0))
        places = {reason.move: reason.place for reason in answer.reasons}
        assert 1.1 < places[pig.THROW] < 1.35, "a 1 in 6, and a little more where it throws on"


@pytest.mark.slow
def test_plain_compiled_and_simulated_gpu_throw_the_same():
    asked = (
        "import sys; sys.path.insert(0, sys.argv[1]); import pig\n"
        "from samovar.testing import backends\n"
        "check = backends.check_plain_and_cuda if sys.argv[2:] else backends.check_plain_and_compiled\n"
        "check(pig.GAME, 2, {})"
    )
    for simulated in ([], ["cuda"]):
        done = subprocess.run(
            [sys.executable, "-c", asked, str(FOLDER), *simulated],
            env={**os.environ, "NUMBA_ENABLE_CUDASIM": "1" if simulated else "0"},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stderr[-2000:]


def test_a_match_can_be_played_again_and_taken_back():
    match = played(5)
    end = match.state_bytes
    last = match.history[-1]
    match.undo()
    match.play(*last)
    assert match.state_bytes == end, "a throw that was taken back falls another way"


# What an author can get wrong


@rule
def peek(state):
    return state.chance[0] & 1


@rule
def apply_peeking(state, seat, move):
    pig.apply(state, seat, peek(state))


def test_a_rule_that_reads_the_key_is_refused():
    with pytest.raises(BrokenGame, match=r"The rule 'peek' of Pig uses state.chance.*Call roll\(state, n\)"):
        replace(GAME, apply=apply_peeking)


def without_field(*fields: tuple[object, ...]) -> np.dtype:
    return np.dtype([*fields, *((name, *GAME.state.fields[name][:1]) for name in GAME.state.names[1:])], align=True)


def test_a_game_that_throws_needs_the_field():
    with pytest.raises(BrokenGame, match=r"calls roll.*has no field .'chance', CHANCE"):
        replace(GAME, state=without_field())
    with pytest.raises(BrokenGame, match="The field 'chance' of a state is for chance during play"):
        replace(GAME, state=without_field(("chance", np.int64, (3,))))
    assert replace(GAME, state=without_field(("chance", CHANCE))).state == GAME.state
    assert roll(plain_state(np.zeros(1, GAME.state)), 1) == 0


# Rewards by choice


@pytest.mark.parametrize("rewards", ["place", "margin", "both"])
def test_rewards_go_by_place_by_points_or_by_both(rewards, monkeypatch):
    monkeypatch.setenv("SAMOVAR_PLAIN", "1")
    batch = Batch(GAME, 6, 3, 1, restart=False, rewards=rewards, turns=2)
    while (batch.actor >= 0).any():
        before = batch.rewards.copy()
        batch.step(batch.random_moves())
        points, places = batch.results()
        for row in batch.ended.nonzero()[0]:
            by_place = [(sum(places[row] > place) - sum(places[row] < place)) / 2 for place in places[row]]
            by_points = [own - (points[row].sum() - own) / 2 for own in points[row]]
            wanted = {"place": by_place, "margin": by_points}.get(
                rewards, [place + margin / 100 for place, margin in zip(by_place, by_points, strict=True)]
            )
            assert batch.rewards[row].tolist() == pytest.approx(wanted, abs=1e-5)
            assert batch.rewards[row].sum() == pytest.approx(0, abs=1e-4)
            assert not before[row].any()
