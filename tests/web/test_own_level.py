"""The level that follows a person, and what others learn of it: nothing."""

import random
from itertools import pairwise

import pytest

from samovar.engine.heuristics import LEVEL_NAMES, strengths_of
from samovar.engine.registry import find_game
from samovar.web.people.own_level import (
    LIKE_ME,
    MOST_MATCHES,
    BotMatch,
    chance,
    level_for,
    matches_of,
    strength_of,
)
from samovar.web.store.queries.results import BotMet
from support.visitors import Visitor, running

LEVELS = find_game("varvitikud").heuristics.levels
STRENGTHS = strengths_of(LEVELS, "medium")


def matches(level, won, lost, others=1):
    return [BotMatch((level,) * others, True)] * won + [BotMatch((level,) * others, False)] * lost


@pytest.mark.parametrize(
    ("played", "level"),
    [
        ([], "medium"),
        (matches("medium", 5, 5), "medium"),
        (matches("medium", 0, 6), "easy"),
        (matches("medium", 5, 2), "hard"),
        (matches("hard", 6, 5), "hard"),
        (matches("easy", 3, 12), "easy"),
        (matches("expert", 9, 1), "master"),
        (matches("hard", 10, 0, others=3), "master"),
    ],
)
def test_who_wins_gets_better_bots_and_who_loses_weaker_ones(played, level):
    assert level_for(played, LEVELS, others=1) == level


def test_nobody_gets_a_level_that_is_not_offered():
    assert level_for(matches("expert", 9, 1), LEVELS, others=1, offered=LEVEL_NAMES[:-1]) == "expert"


def test_among_more_bots_each_of_them_is_weaker():
    """Whoever is as good as a medium bot would win one match of four against three of them."""
    levels = [LEVEL_NAMES.index(level_for(matches("hard", 10, 10), LEVELS, others)) for others in (1, 2, 3)]
    assert levels == sorted(levels, reverse=True)
    assert levels[0] > levels[-1]


def test_levels_are_as_far_apart_as_the_arena_says():
    for lower, upper in pairwise(LEVEL_NAMES):
        assert chance(STRENGTHS[upper], [STRENGTHS[lower]]) == pytest.approx(LEVELS[upper].beats_lower / 100)


@pytest.mark.parametrize("strength", [-1.5, -0.4, 0.4, 1.3, 2.5])
@pytest.mark.parametrize("others", [1, 2])
def test_it_comes_to_every_second_match_won(strength, others):
    """Somebody of a fixed strength, between two levels perhaps, plays hundreds of matches."""
    choose, played = random.Random(7), []
    for _ in range(400):
        level = level_for(played[-MOST_MATCHES:], LEVELS, others)
        opponents = [STRENGTHS[level]] * others
        played.append(BotMatch((level,) * others, choose.random() < chance(strength, opponents)))
    won = sum(match.has_won for match in played[50:]) / 350
    reachable = [chance(strength, [worth] * others) for worth in STRENGTHS.values()]
    nearest = min(reachable, key=lambda share: abs(share - 0.5))
    assert abs(won - 0.5) < max(0.1, abs(nearest - 0.5) + 0.06)


def test_results_are_never_endless():
    assert (
        -12 <= strength_of(matches("easy", 0, 20), STRENGTHS) < strength_of(matches("master", 20, 0), STRENGTHS) <= 12
    )


def test_matches_with_people_say_nothing():
    rows = [BotMet("a", 1, "easy"), BotMet("a", 1, ""), BotMet("b", 2, "hard"), BotMet("b", 2, "medium")]
    assert matches_of(rows) == [BotMatch(("hard", "medium"), False)]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with running(tmp_path_factory.mktemp("site")) as client:
        yield client


def play(visitor, level=None):
    """One match in one click, given up at once: it is lost."""
    visitor.go("/")
    visitor.send("/play/babuschka", **({} if level is None else {"level": level}))
    page = visitor.page.html
    visitor.send("/resign")
    return page


def level_of(site, visitor):
    people = site.get(f"/api/tables/{visitor.address.split('/')[-1]}").json()["people"]
    return people[1]["level"]


def test_it_is_offered_to_whoever_has_played_and_told_to_nobody(site):
    anna = Visitor(site)
    assert LIKE_ME not in anna.go("/").words
    play(anna)
    assert level_of(site, anna) == "medium", "as long as nothing is known"
    assert LIKE_ME in anna.go("/").words
    for _ in range(4):
        page = play(anna, LIKE_ME)
    assert level_of(site, anna) == "easy"
    assert LIKE_ME not in page, "the chair has a bot as any other"
    page = play(anna)
    assert level_of(site, anna) == "easy", "it is offered again"
    anna.go("/new/babuschka")
    assert f'value="{LIKE_ME}"' in anna.page.html
    anna.send("/new/babuschka", name="Anna", **{"chair-1": LIKE_ME})
    assert level_of(site, anna) == "easy"


def test_one_click_follows_whoever_has_chosen_nothing_else(site):
    anna = Visitor(site)
    play(anna)
    for _ in range(4):
        play(anna)
    assert level_of(site, anna) == "easy"
    play(anna, "hard")
    play(anna)
    assert level_of(site, anna) == "hard", "who has chosen a level keeps it"


def play_again(visitor):
    visitor.send("/again")
    visitor.send("/resign")


def test_playing_again_follows_too(site):
    """Unless somebody has chosen a level: the same people are the same bots, too."""
    anna, boris = Visitor(site), Visitor(site)
    for visitor in (anna, boris):
        play(visitor)
    play(anna, LIKE_ME)
    play(boris, "medium")
    for _ in range(4):
        play_again(anna)
        play_again(boris)
    assert (level_of(site, anna), level_of(site, boris)) == ("easy", "medium")
