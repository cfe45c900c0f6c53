"""A hint in a browser: its button is by the prompt, its moves glow on the board and are told, by mouse, keyboard and
on a phone."""

import pytest

from support.browsers import barriers

pytestmark = pytest.mark.browser

# what lies between the prompt and the button, and whether the page is wider than the screen
NEAR = """() => {
  const [prompt, button] = [".prompt", ".hint-ask"].map((one) => document.querySelector(one).getBoundingClientRect());
  return { aside: button.left - prompt.right, beside: button.top < prompt.bottom && prompt.top < button.bottom,
           wide: document.documentElement.scrollWidth > innerWidth, seen: button.bottom <= innerHeight };
}"""
GLOWS = """() => [...document.querySelectorAll(".page-board .hinted")].map((spot) => [
  Number(spot.querySelector(".hint-number").textContent), spot.querySelector(".hint-mark").checkVisibility(),
  getComputedStyle(spot.querySelector(".hint-mark")).borderTopStyle])"""


def begin(guest, game):
    guest.open_table(game, 3 if game == "matryoshka" else 2, bots=2 if game == "matryoshka" else 1, first=0, hints=True)
    guest.until(lambda seen: seen["turn"], "a turn")


@pytest.mark.parametrize("game", ["matryoshka", "varvitikud"])
def test_the_moves_of_a_hint_glow_on_a_phone(visit, game):
    anna = visit("phone")
    begin(anna, game)
    near = anna.page.evaluate(NEAR)
    assert 0 <= near["aside"] < 40
    assert near["beside"]
    assert near["seen"]
    anna.press(anna.page.locator(".hint-ask"))
    anna.page.locator(".page-hint li").first.wait_for()
    anna.page.locator(".page-board .hinted-1").first.wait_for()  # the board may come a moment later
    assert anna.bounds(".page-board")["top"] < anna.page.viewport_size["height"] / 2, "the board stays in sight"
    glows = anna.page.evaluate(GLOWS)
    assert {number for number, _, _ in glows} <= {1, 2, 3}
    assert all(is_seen for _, is_seen, _ in glows)
    assert {style for number, _, style in glows if number == 1} == {"solid"}, "the best one is the strongest"
    assert "solid" not in {style for number, _, style in glows if number > 1}
    assert not anna.page.evaluate(NEAR)["wide"]
    assert barriers(anna.page) == []


@pytest.mark.parametrize("manner", ["keyboard", "scriptless"])
def test_a_hint_leads_through_the_steps_of_a_move(visit, manner):
    anna = visit(manner)
    begin(anna, "babuschka")
    anna.press(anna.page.locator(".hint-ask"))
    anna.page.locator(".page-hint").wait_for()
    if manner == "keyboard":
        assert anna.page.evaluate("document.activeElement.className") == "hint-ask", "the focus stays"
        told = anna.page.locator(".page-hint li").first.text_content().split()
        announced = anna.page.locator("#announcer").text_content().split()
        assert " ".join(told) in " ".join(announced), "those who listen are told"
    anna.press(anna.page.locator("a.hinted-1"))
    target = anna.page.locator("button.hinted-1")
    target.wait_for()
    assert anna.page.locator(".page-hint").is_visible()
    anna.press(target)
    anna.page.locator(".page-hint").wait_for(state="detached")
    assert not anna.page.locator(".hinted").count()
