"""A guided first match in a browser: by keyboard, on a phone, without scripts, and for those who listen."""

import re

import pytest

from support.browsers import barriers

pytestmark = pytest.mark.browser

SAID = "document.getElementById('said').innerText"
HAS_FOCUS = "document.activeElement.id === 'said'"


def step_of(guest):
    return int(re.search(r"Step (\d)", guest.page.locator(".lesson-at").inner_text())[1])


def go_on(guest, *names):
    """A move by clicks, or the button of a pause; the page that follows is read out first."""
    before = step_of(guest)
    for name in names:
        guest.press(guest.spot(name))
        if name != names[-1]:
            guest.page.locator(f'.picked[data-name="{name}"]').wait_for()
    if not names:
        guest.press(guest.page.locator(".lesson-on .primary"))
    guest.page.locator(".lesson-at", has_text=f"{before + 1} of").wait_for()
    assert guest.page.evaluate(HAS_FOCUS), "what is said has the focus"
    assert guest.runs_over() <= 0


@pytest.mark.parametrize("manner", ["keyboard", "phone", "scriptless"])
def test_a_lesson_and_the_match_that_follows(visit, manner):
    guest = visit(manner)
    guest.go("/")
    guest.press(guest.page.locator('.site-menu a[href="/rules"]'))
    guest.page.wait_for_url("**/rules")
    guest.press(guest.page.locator('a[href="/learn/babuschka"]'))
    guest.page.wait_for_url("**/learn/babuschka")
    go_on(guest, "c1", "c2")
    assert "come to light" in guest.page.evaluate(SAID)
    go_on(guest)
    guest.press(guest.spot("f6"))  # another doll, another field: allowed, and answered
    guest.press(guest.spot("f7"))
    guest.page.wait_for_url("**tried=*")
    assert "That is allowed" in guest.page.evaluate(SAID)
    assert (step_of(guest), guest.page.evaluate(HAS_FOCUS)) == (3, True)
    go_on(guest, "d3", "c4")
    if manner != "phone":
        return  # it goes on like this, and takes its time
    go_on(guest)
    go_on(guest, "c2", "e6")
    go_on(guest, "b7", "c8")
    go_on(guest, "e7", "f8")
    assert "you win" in guest.page.evaluate(SAID)
    guest.press(guest.page.locator(".lesson-on .primary"))
    guest.page.wait_for_url("**/table/*")


def test_lessons_have_no_barriers_in_light_and_dark(visit):
    guest = visit("phone", language="fr-FR")
    guest.go("/learn/memoarrrr/27-on-2?tried=0")
    assert guest.page.locator(".lesson-answer").is_visible()
    assert barriers(guest.page) == []


def test_boxes_are_counted_in_a_lesson_as_at_a_table(visit):
    guest = visit()
    guest.go("/learn/matryoshka/16390-16525-16468-16468")
    assert "2 of 4" in guest.page.locator(".several-count").inner_text()
    for card in ("B5", "B6", "C1"):
        guest.press(guest.box(card))
    assert "more than 4" in guest.page.locator(".several-note").inner_text()
    guest.page.locator(".several-worth", has_text="7").wait_for()
    guest.press(guest.page.locator("[data-several] button[name=move]"))
    guest.page.locator("#said", has_text="7 points").wait_for()
