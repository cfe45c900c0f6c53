"""From the first page to the end of a match alone, into its review, and back to the board to try again."""

import pytest

from support.browsers import barriers

pytestmark = pytest.mark.browser

MOVES = 12  # of one's own: enough for some that cost something
SCREENS = 2

# Where the moment and the pieces that both moves are marked on lie, from the top of the page.
LIES = """() => {
  const from_top = (one) => one.getBoundingClientRect().top + scrollY;
  const marks = [...document.querySelectorAll(".review-position .hint-mark")].filter((one) => one.checkVisibility());
  return {
    moment: from_top(document.querySelector(".review-moment")),
    board: from_top(document.querySelector(".review-position")),
    marks: marks.map((one) => one.getBoundingClientRect().bottom + scrollY),
    styles: marks.map((one) =>
      [one.parentElement.className.match(/is-(made|better|both)/)[1], getComputedStyle(one).borderTopStyle]),
    words: marks.map((one) => one.textContent.trim()), page: document.documentElement.scrollHeight,
  };
}"""


def play_alone(guest):
    """From the first page to the end, by any moves, or until it is enough."""
    guest.go("/")
    guest.press(guest.page.get_by_role("link", name="Alone"))
    guest.press(guest.page.locator('form[action="/play/memoarrrr"] .game-play'))
    guest.page.wait_for_url("**/table/*")
    for _ in range(MOVES):
        if guest.until(lambda seen: seen["turn"] or seen["over"], "a turn, or the end")["over"]:
            return
        guest.move()
    if not guest.until(lambda seen: seen["turn"] or seen["over"], "a turn, or the end")["over"]:
        guest.resign()


@pytest.mark.parametrize(("manner", "size"), [("mouse", (1280, 800)), ("phone", (390, 844))], ids=["desktop", "phone"])
def test_from_the_first_page_to_the_review_and_back_to_the_board(visit, manner, size):
    anna = visit(manner)
    anna.page.set_viewport_size({"width": size[0], "height": size[1]})
    play_alone(anna)
    anna.press(anna.page.get_by_role("link", name="The moments that decided it"))
    anna.page.locator("#moments").wait_for(timeout=150_000)
    assert anna.runs_over() <= 0
    first = anna.page.locator(".review-said h3")
    title = first.text_content()
    assert title.startswith("Your move"), "the reader's own come first"
    lies = anna.page.evaluate(LIES)
    assert lies["moment"] < size[1] / 2
    assert lies["board"] < size[1] * 0.7, "the board is in sight"
    assert {"played", "better"} <= set(lies["words"]) | ({"played", "better"} if "both" in lies["words"] else set())
    assert dict(lies["styles"]).items() <= {"made": "dashed", "better": "solid", "both": "double"}.items()
    if manner == "mouse":
        assert max(lies["marks"]) <= size[1], "both moves are in sight"
        assert lies["page"] <= SCREENS * size[1]
    assert barriers(anna.page) == []
    through_both_lines(anna)
    anna.press(anna.page.locator(".review-ways").get_by_role("link", name="Try it again"))
    anna.page.wait_for_url("**/puzzle/*")
    assert anna.page.locator(".page-board .choice").first.is_visible()
    anna.press(anna.page.get_by_role("link", name="Back to the review"))
    anna.page.wait_for_url("**/review?choice=*")
    assert first.text_content() == title


def through_both_lines(anna):
    """Each step is another board, without a page being loaded; then the choice again."""
    loads = anna.loads
    for line in ("made", "better"):
        anna.press(anna.page.locator(f'[data-name="step-{line}-1"]'))
        anna.page.locator(f'[data-name="step-{line}-1"][aria-current]').wait_for()
        assert anna.page.locator(".review-position .hint-mark").count() == 0
        assert anna.page.locator(".review-position figcaption").text_content().strip()
    anna.press(anna.page.locator('[data-name="step-0"]'))
    anna.page.locator(".review-position .hint-mark").first.wait_for()
    assert anna.loads == loads


def test_the_review_is_walked_through_without_scripts(visit):
    anna, plain = visit(), visit("scriptless")
    play_alone(anna)
    anna.press(anna.page.get_by_role("link", name="The moments that decided it"))
    anna.page.locator("#moments").wait_for(timeout=150_000)
    plain.go(anna.page.url)
    tabs = plain.page.locator(".review-tabs a")
    titles = set()
    for number in range(tabs.count()):
        plain.press(tabs.nth(number))
        titles.add(plain.page.locator(".review-said h3").text_content())
        assert tabs.nth(number).get_attribute("aria-current") == "true"
    assert len(titles) == tabs.count() >= 2
    assert not any(title.startswith("Your move") for title in titles), "somebody else is no player"
    plain.press(plain.page.locator('[data-name="step-better-1"]'))
    assert plain.page.locator(".review-position figcaption").text_content().strip()
