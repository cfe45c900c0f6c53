"""From the end of a lesson to the first sign on one's own page, in a browser."""

import pytest

from support.browsers import barriers
from support.lesson_ends import end_of

pytestmark = pytest.mark.browser

DONE = ".path .is-done"
AHEAD = ".path [aria-current=step]"
LINES = "(place) => [getComputedStyle(place).borderTopStyle, getComputedStyle(place).borderTopWidth]"


def play_on(guest):
    """Until the match is over, and the page says so."""
    while not guest.until(lambda seen: seen["turn"] or seen["over"], "a turn, or the end")["over"]:
        guest.move()


def test_the_path_leads_from_a_lesson_to_a_sign_on_ones_own_page(visit):
    anna = visit("phone")
    anna.go(end_of("memoarrrr"))
    assert anna.page.locator(AHEAD).inner_text() == "Easy bots"
    assert anna.page.locator(DONE).count() == 0
    assert barriers(anna.page) == []
    anna.press(anna.page.locator(f"{AHEAD} button"))
    anna.page.wait_for_url("**/table/*")
    play_on(anna)
    anna.go("/me")
    assert anna.page.locator(DONE).inner_text().split("\n") == ["Easy bots", "✓", "(done)"]
    assert anna.page.locator(AHEAD).inner_text() == "Medium bots"
    assert anna.runs_over() <= 0
    assert barriers(anna.page) == []
    anna.press(anna.page.locator(".path a"))
    anna.page.wait_for_url("**/puzzles/memoarrrr/*")


@pytest.mark.parametrize("language", ["fr-FR", "de-DE", "et-EE"])
def test_every_word_has_its_place_on_a_phone(visit, language):
    guest = visit("phone", viewport={"width": 360, "height": 740}, language=language)
    guest.go(end_of("memoarrrr"))
    assert guest.runs_over() <= 0
    for stone in guest.page.locator(".path :is(button, .button)").all():
        assert stone.evaluate("stone => stone.scrollWidth <= stone.clientWidth"), stone.inner_text()


def test_the_next_step_is_seen_with_forced_colours(visit):
    guest = visit(forced_colors="active")
    guest.go(end_of("babuschka"))
    ahead, later = (guest.page.locator(f".path li{kind} button") for kind in ("[aria-current]", ":not([aria-current])"))
    assert ahead.evaluate(LINES) != later.first.evaluate(LINES)
