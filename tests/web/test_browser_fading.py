"""What happened, in a browser: a game of memory needs memory, unless the table helps."""

import re

import pytest

from samovar.games.memoarrrr.state import ANIMAL_NAMES
from samovar.games.memoarrrr.words import WORDS
from support.browsers import sit_down

pytestmark = pytest.mark.browser

ANIMAL = re.compile("|".join(WORDS["en"][name] for name in ANIMAL_NAMES))
TURNED = re.compile(r"turns [a-e][1-5] up")
ENDED = re.compile("wins the round")


def into_the_second_round(anna, boris):
    """Plays on until somebody has turned up the first location of round 2. Says what Anna reads
    then, the last move first."""
    people = {True: anna, False: boris}
    while True:
        is_anna = bool(anna.look()["turn"])
        if not is_anna and not boris.look()["turn"]:
            anna.page.wait_for_timeout(15)
            continue
        number = people[is_anna].move()["number"]
        news = anna.until(lambda seen, number=number: seen["number"] >= number, "Anna sees the move")["news"]
        if len(news) > 1 and ENDED.search(news[1]):
            return news


@pytest.mark.parametrize("helps", [False, True])
def test_cards_of_the_past_round_are_named_only_where_the_table_helps_to_remember(visit, helps):
    anna, boris = sit_down(visit, "memoarrrr", memory_aid=helps)
    latest, *earlier = into_the_second_round(anna, boris)
    assert ANIMAL.search(latest), "it lies open"
    revealed = [line for line in earlier if TURNED.search(line) or "reveals" in line or "opens" in line]
    assert len(revealed) >= 2
    assert all(bool(ANIMAL.search(line)) == helps for line in revealed)
    heard = anna.page.locator("#announcer").text_content()
    assert latest in heard
    told_before = [line for line in earlier[1:] if line != latest]  # both rounds may be opened with the same card
    assert not any(line in heard for line in told_before), "nothing is told twice to those who listen"
    anna.reload()
    assert anna.look()["news"] == [latest, *earlier]
