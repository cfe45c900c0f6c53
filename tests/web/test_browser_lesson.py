"""A guided first match in a browser: by keyboard, on a phone, without scripts, and for those who listen."""

import re

import pytest

from samovar.engine.registry import find_game
from samovar.teach.lessons import find_lesson, stand_at
from samovar.web.pages.lesson import address_of
from support.browsers import barriers
from support.waiting import until

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
    until(lambda: guest.page.evaluate(HAS_FOCUS), "what is said has the focus")  # which a page gives when it is there
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
    assert "three dolls in one" in guest.page.evaluate(SAID)
    go_on(guest)
    guest.press(guest.spot("f6"))  # another doll, another field: allowed, and answered
    guest.press(guest.spot("f7"))
    guest.page.wait_for_url("**tried=*")
    assert "That is allowed" in guest.page.evaluate(SAID)
    assert (step_of(guest), guest.page.evaluate(HAS_FOCUS)) == (4, True)
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


MARKED = """() => [...document.querySelectorAll("[data-named], .hinted")].map((place) => {
  const box = place.getBoundingClientRect();
  return document.elementsFromPoint(box.left + box.width / 2, box.top + box.height / 2)
    .some((seen) => place.contains(seen)) && box.bottom <= innerHeight;
})"""


@pytest.mark.parametrize("game", ["matryoshka", "memoarrrr", "varvitikud", "babuschka"])
def test_what_a_step_points_at_is_in_sight_on_a_phone_and_no_step_moves_the_table(visit, game):
    guest = visit("phone", viewport={"width": 390, "height": 844}, language="fr-FR")
    lesson = find_lesson(find_game(game))
    stand, tables = stand_at(lesson, ()), set()
    while True:
        guest.go(address_of(lesson, stand.way))
        marked = guest.page.evaluate(MARKED)
        assert all(marked), stand.step.name
        assert bool(marked) >= bool(stand.step.names or stand.step.point), stand.step.name
        tables.add(round(guest.bounds(".page-board")["top"]))
        if stand.is_end:
            break
        stand = stand_at(lesson, (*stand.way, next(stand.ways_on())))
    assert len(tables) == 1, tables


def test_boxes_are_counted_in_a_lesson_as_at_a_table(visit):
    guest = visit()
    guest.go("/learn/matryoshka/6-16390-16525-16468-16468")
    assert "2 of 4" in guest.page.locator(".several-count").inner_text()
    for card in ("B5", "B6", "C1"):
        guest.press(guest.box(card))
    assert "more than 4" in guest.page.locator(".several-note").inner_text()
    guest.page.locator(".several-worth", has_text="7").wait_for()
    guest.press(guest.page.locator("[data-several] button[name=move]"))
    guest.page.locator("#said", has_text="7 points").wait_for()
