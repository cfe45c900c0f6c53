"""Arrows on a board with marked moves: a browser alone knows where they begin and end."""

import pytest

from samovar.engine.registry import find_game
from samovar.teach.puzzles import puzzles_of
from support.browsers import barriers

pytestmark = pytest.mark.browser

# Where each arrow begins and ends, as shares of the pieces there: 0 to 1 is within. None: it is not drawn.
ENDS = """() => [...document.querySelectorAll(".arrows > g")].map((arrow) => {
  const line = arrow.querySelector(".arrow-line");
  if (!arrow.checkVisibility() || !line.getAttribute("d")) return null;
  const tip = new DOMPoint(...arrow.querySelector(".arrow-head").getAttribute("d").match(/M([^ ]+)/)[1].split(","));
  const within = (point, name) => {
    const { x, y } = point.matrixTransform(line.getScreenCTM());
    const place = document.querySelector(`[data-mark="${CSS.escape(name)}"]`).getBoundingClientRect();
    return [(x - place.left) / place.width, (y - place.top) / place.height];
  };
  return [within(line.getPointAtLength(0), arrow.dataset.start), within(tip, arrow.dataset.end)].flat();
})"""


def best_move(puzzle):
    match = puzzle.match(plain=True)
    return match.move_text(match.actors[0], puzzle.best)


def answered(guest, name, is_wanted):
    """At the answer of a puzzle."""
    puzzle = next(one for one in puzzles_of(find_game(name)) if is_wanted(best_move(one)))
    guest.go(f"/puzzles/{name}/{puzzle.id}?answer={best_move(puzzle)}")
    guest.page.locator(".page-board .hint-mark").first.wait_for()


@pytest.mark.parametrize(("name", "sign"), [("babuschka", "-"), ("varvitikud", "@")])
def test_an_arrow_leads_from_place_to_place_and_follows_them(visit, name, sign):
    """Also on a screen that becomes a small one, where everything lies elsewhere."""
    guest = visit()
    answered(guest, name, lambda text: sign in text)
    for size in ((1280, 800), (390, 844)):
        guest.page.set_viewport_size({"width": size[0], "height": size[1]})
        guest.wait_for(f"({ENDS})().flat().every((share) => share > 0 && share < 1)")
        ends = guest.page.evaluate(ENDS)
        assert len(ends) == 1
        assert guest.runs_over() <= 0
    assert guest.page.locator(".arrows").get_attribute("aria-hidden") == "true"
    assert barriers(guest.page) == []


def test_without_scripts_the_marks_are_all_there_is(visit):
    guest = visit("scriptless")
    answered(guest, "babuschka", lambda text: "-" in text)
    assert guest.page.locator(".page-board .hint-mark").count() == 2
    assert guest.page.locator(".arrows").bounding_box()["width"] <= 1


def test_a_move_of_one_place_has_no_arrow(visit):
    guest = visit()
    answered(guest, "memoarrrr", lambda text: True)
    assert guest.page.locator(".arrows").count() == 0
