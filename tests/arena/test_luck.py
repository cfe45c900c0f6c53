"""Luck taken out: it is nothing on average, it is what chance gave, and intervals without it hold the truth."""

import math
from dataclasses import replace
from statistics import NormalDist

import numpy as np
import pytest

from samovar.arena import luck
from samovar.arena.luck import luck_by_move, luck_of
from samovar.arena.resampling import summed
from samovar.arena.shares import shares_of, side_by_side, without_luck
from samovar.engine.arrays import Floats
from samovar.engine.contract import Game
from samovar.engine.match import Match
from samovar.engine.registry import find_game
from samovar.engine.rule import rule
from samovar.errors import BrokenGame
from samovar.games.memoarrrr.moves import REVEAL_MOVE

HIDING = ("matryoshka", "memoarrrr", "varvitikud")


def played(game: Game, seed: int, **options: bool) -> Match:
    match = Match(game, None, seed, **options)
    match.play_random(seed)
    return match


# What is measured


@pytest.mark.parametrize("game", HIDING)
def test_luck_is_nothing_on_average(game: str) -> None:
    given = np.array([luck_of(played(find_game(game), seed), seed) for seed in range(150)])
    errors = given.std(0) / np.sqrt(len(given))
    assert (errors > 0.002).all(), "there is luck"
    assert (np.abs(given.mean(0)) < 4 * errors).all()


def test_treasures_that_nobody_has_seen_are_luck_to_the_last_ruby(monkeypatch: pytest.MonkeyPatch) -> None:
    """Memoarrrr!: where the last location was known, who has won which rounds is known before it is turned, and all
    that chance still does is to say how many rubies that is."""
    monkeypatch.setattr(luck, "WORLDS", 2000)
    chance = np.random.default_rng(1)
    compared = 0
    for seed in range(20):
        match = played(find_game("memoarrrr"), seed)
        before, end = match.at(len(match.history) - 1).state, match.state
        place = match.history[-1][1] - REVEAL_MOVE
        if not 0 <= place < 25 or not before.shown >> place & 1:
            continue
        owned = np.array(end.owner)
        rubies = chance.permuted(np.tile(end.treasure, (2000, 1)), axis=1)
        worth = [(8 * rubies + 1) @ (owned == seat) for seat in range(2)]  # R8: rubies, then cards
        expected = np.mean((worth[0] > worth[1]) + 0.5 * (worth[0] == worth[1]))
        share = {(1, 2): 1, (2, 1): 0, (1, 1): 0.5}[match.places]
        assert luck_by_move(match, seed)[-1] == pytest.approx([share - expected, expected - share], abs=0.06)
        compared += 1
    assert compared > 4


def test_only_a_move_that_shows_something_new_brings_luck() -> None:
    """Matryoshka: cards come when the last one has chosen a display."""
    match = played(find_game("matryoshka"), 5)
    given = luck_by_move(match, 1)
    drawn = [int(np.frombuffer(state, match.game.state)["drawn"][0]) for state in match.positions]
    brings = [number for number in range(len(given)) if np.abs(given[number]).max() > 1e-9]
    assert brings == np.flatnonzero(np.diff(drawn)).tolist()


def test_where_all_is_open_there_is_no_luck() -> None:
    assert luck_of(played(find_game("babuschka"), 1), 1) == (0.0, 0.0)


def test_a_game_that_does_not_say_what_is_unseen_has_no_luck_to_tell() -> None:
    assert luck_of(played(replace(find_game("memoarrrr"), redeal=None), 1), 1) == ()


@rule
def redeal_hands(state, rng):
    state.hand[0, 0] = state.pile[0]
    state.hand[1, 0] = state.pile[1]


def test_a_redeal_that_changes_the_moves_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SAMOVAR_PLAIN", "1")
    with pytest.raises(BrokenGame, match="changes what a seat may do"):
        luck_of(played(replace(find_game("varvitikud"), redeal=redeal_hands), 1), 1)


# What it does to results


def tournament(chance: np.random.Generator, deals: int) -> tuple[Floats, Floats, Floats]:
    """A made-up game of two bots: by match the number of its deal, who won, and the luck of the first bot as an
    evaluation sees it. Who is ahead at the end has won; chance, the deal and the bots' own choices push, and the
    evaluation is wrong: twice too sure, and noisy."""
    deal = np.repeat(np.arange(deals), 2)
    dealt = np.repeat(chance.normal(size=deals), 2) * np.tile([1, -1], deals)
    drawn, chosen = chance.normal(size=(2, len(deal)))
    won = (0.2 + 0.7 * dealt + 1.5 * drawn + 0.8 * chosen > 0).astype(float)
    seen = 0.5 * np.tanh(2 * drawn) + chance.normal(size=len(deal)) * 0.15
    beaten = np.array([[0 * won, won], [1 - won, 0 * won]]).transpose(2, 0, 1)
    return deal, beaten, as_pairs(seen)


def as_pairs(figures: Floats) -> Floats:
    return np.array([[0 * figures, figures], [-figures, 0 * figures]]).transpose(2, 0, 1)


def truth() -> float:
    """Of that game: a sum of normal figures is one."""
    return 1 - NormalDist(0.2, math.hypot(0.7, 1.5, 0.8)).cdf(0)


def test_the_interval_without_luck_holds_the_truth_19_times_out_of_20() -> None:
    """And it is shorter, and right on average: 1,000 tournaments."""
    chance = np.random.default_rng(34)
    true, found = truth(), []
    for _ in range(1000):
        deal, beaten, given = tournament(chance, 40)
        deals = summed(beaten, deal)
        tables = [deals, without_luck(deals, summed(given, deal))]
        paired, free = (table[0][1] for table in shares_of(deals, tables, chance))
        found.append([(one.share, one.low, one.high) for one in (paired, free)])
    shares, low, high = np.array(found, float).transpose(2, 1, 0)
    held = ((low <= true) & (true <= high)).mean(1)
    assert 0.94 <= held[1] <= 0.96, held
    assert (high - low)[1].mean() < 0.8 * (high - low)[0].mean()
    assert shares[1].mean() == pytest.approx(true, abs=4 * shares[1].std() / math.sqrt(1000))


def test_the_part_taken_off_a_deal_does_not_depend_on_it() -> None:
    """Else what is left would be wrong on average: a deal would choose what is taken off it."""
    _, beaten, given = tournament(np.random.default_rng(5), 20)
    other = beaten.copy()
    other[7] = beaten[7].T
    part, again = ((table - without_luck(table, given)) / np.where(given == 0, 1, given) for table in (beaten, other))
    assert not np.allclose(part[6], again[6])
    assert np.allclose(part[7], again[7], atol=0.02)


def test_an_evaluation_that_says_nothing_changes_nothing() -> None:
    deal, beaten, given = tournament(np.random.default_rng(5), 200)
    noise = as_pairs(np.random.default_rng(6).normal(size=len(deal)))
    share = side_by_side(deal, beaten, noise, np.random.default_rng(7))[0][1]
    assert share.luck_free is not None
    assert share.luck_free.share == pytest.approx(share.paired.share, abs=0.01)
    assert side_by_side(deal, beaten, 0 * given, np.random.default_rng(7))[0][1].luck_free == share.paired


def test_where_luck_is_not_known_nothing_is_luck_free() -> None:
    deal, beaten, given = tournament(np.random.default_rng(5), 20)
    given[3] = np.nan
    assert side_by_side(deal, beaten, given, np.random.default_rng(7))[0][1].luck_free is None
