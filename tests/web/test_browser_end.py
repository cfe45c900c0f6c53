"""The end of a match: a podium for everybody, a count for those who saw it end and like movement."""

import time

import pytest

from support.browsers import PATIENCE, Guest, barriers

pytestmark = pytest.mark.browser

# Two rows are counted within a second, and a busy machine looks too late.
COUNTS_FOR_EVER = "() => { const real = setInterval; window.setInterval = (step, pause) => real(step, 1000 * pause); }"
HIDDEN_ROWS = "document.querySelectorAll('.is-uncounted').length"


def play_to_the_end(anna, boris):
    """A short match: both move until it is over."""
    end = time.monotonic() + 3 * PATIENCE
    while not (anna.look()["over"] and boris.look()["over"]):
        assert time.monotonic() < end
        for guest in (anna, boris):
            if guest.look()["turn"]:
                guest.move()
        anna.page.wait_for_timeout(15)


@pytest.fixture(scope="module")
def ended(browser, server):
    """Anna and Boris like movement, the spectator does not. All have seen the end of the match, and
    each test asks another one of them."""
    small = {"viewport": {"width": 1200, "height": 700}}
    anna, boris, chloe = guests = [
        Guest(browser, server.address, manner, **small) for manner in ("lively", "lively", "mouse")
    ]
    boris.sit(anna.open_table("babuschka", 2, patience=1, first=0))
    chloe.go(anna.page.url)
    anna.until(lambda seen: seen["turn"], "the match begins")
    anna.page.evaluate(COUNTS_FOR_EVER)
    play_to_the_end(anna, boris)
    chloe.until(lambda seen: seen["over"], "the spectator sees the end, too")
    yield guests
    assert [complaint for guest in guests for complaint in guest.complaints] == []
    for guest in guests:
        guest.close()


def hidden_rows(guest):
    return guest.page.evaluate(HIDDEN_ROWS)


def test_who_saw_the_end_sees_it_counted_and_can_skip(ended):
    anna, _, _ = ended
    assert hidden_rows(anna) == anna.page.locator(".page-sheet tbody tr").count() == 2, "row by row"
    assert anna.page.locator(".page-podium.is-rising").count() == 1
    skip = anna.page.locator("[data-skip]")
    skip.wait_for()
    anna.page.keyboard.press("Escape")
    assert hidden_rows(anna) == 0
    assert not skip.is_visible()
    anna.reload()
    assert hidden_rows(anna) == 0, "who comes later sees it all"
    assert anna.page.locator(".is-rising").count() == 0


def test_the_count_comes_to_its_end_by_itself(ended):
    _, boris, _ = ended
    boris.until(lambda seen: hidden_rows(boris) == 0, "all rows are counted")
    assert not boris.page.locator("[data-skip]").is_visible()


def test_nothing_moves_for_those_who_like_it_still(ended):
    _, _, chloe = ended
    assert hidden_rows(chloe) == 0
    assert chloe.page.locator(".is-rising").count() == 0
    assert not chloe.page.locator("[data-skip]").is_visible()


def test_the_end_is_announced_once_and_has_no_barriers(ended):
    _, boris, chloe = ended
    prompt = " ".join(chloe.page.locator(".prompt").text_content().split())
    assert chloe.page.locator("#announcer").text_content().count(prompt) == 1
    boris.say("Well played!")
    chloe.page.locator("#announcer", has_text="Well played!").wait_for()
    assert prompt not in chloe.page.locator("#announcer").text_content()
    assert barriers(chloe.page) == []


def test_the_podium_needs_no_script_and_stands_over_the_board_until_it_is_closed(visit, ended):
    reader = visit("scriptless", language="fr-FR")
    reader.go(ended[0].page.url)
    steps = reader.page.locator(".page-podium li")
    assert steps.locator(".podium-place").all_text_contents() in (["1", "2"], ["1", "1"])
    first, second = (steps.nth(number).locator(".podium-step").bounding_box() for number in (0, 1))
    assert first["y"] + first["height"] == pytest.approx(second["y"] + second["height"], abs=2), "on one ground"
    assert steps.first.locator(".podium-crown").is_visible()
    board, podium = (reader.page.locator(place).bounding_box() for place in (".page-board .board", ".page-podium"))
    assert podium["y"] + podium["height"] <= board["y"]
    assert not reader.page.locator("[data-skip]").is_visible()
    reader.press(reader.page.locator(".page-end > summary"))
    assert not reader.page.locator(".page-podium").is_visible()
    assert reader.page.locator(".page-board .board").bounding_box()["y"] < podium["y"] + podium["height"]


HEIGHTS = """() => [1, 2, 3].map((place) => {
  const step = document.querySelector(".page-podium li");
  step.className = `place-${place}`;
  return step.querySelector(".podium-step").offsetHeight;
})"""


def test_the_first_step_is_the_highest(ended):
    _, boris, _ = ended
    first, second, third = boris.page.evaluate(HEIGHTS)
    assert first > second > third > 0
