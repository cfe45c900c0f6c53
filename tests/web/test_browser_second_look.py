"""A second look in a real browser: asked on a phone by post and nowhere else unless somebody says so, in place, by tap
and by keyboard; the focus leads to the question and back."""

import pytest

pytestmark = pytest.mark.browser

QUESTION = ".unsure"
LIES_UNDER = """(() => {
  const box = document.querySelector(".unsure [name=sure]").getBoundingClientRect();
  return document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2)?.name;
})()"""
FOCUS = "document.activeElement.name || document.activeElement.dataset.name"


def at_a_choice(visit, manner, second_look=None, **facts):
    """Side and first location are chosen without a word: both show something."""
    anna = visit(manner, second_look=second_look)
    anna.open_table("memoarrrr", 2, bots=1, first=0, **facts)
    seen = anna.until(lambda seen: seen["moves"], "a choice")
    return anna, seen


def test_by_post_a_phone_asks_before_a_move_that_shows_something(visit):
    anna, seen = at_a_choice(visit, "phone", time="3d")
    name = seen["moves"][0]
    anna.press(anna.spot(name))
    anna.page.locator(QUESTION).wait_for()
    assert "cannot be taken back" in anna.page.locator(QUESTION).inner_text()
    box = anna.bounds(QUESTION)
    assert 0 <= box["top"] < box["bottom"] <= 740, "it is in sight"
    assert anna.look()["number"] == seen["number"], "nothing has happened"
    assert anna.runs_over() <= 0
    anna.press(anna.page.locator("[data-name=not-sure]"))
    anna.page.locator(QUESTION).wait_for(state="detached")
    assert anna.look()["number"] == seen["number"]
    anna.press(anna.spot(name))
    anna.press(anna.page.locator(f"{QUESTION} [name=sure]"))
    anna.until(lambda now: now["number"] > seen["number"], "the move is made")
    assert anna.page.locator(QUESTION).count() == 0


@pytest.mark.parametrize("game", ["memoarrrr", "varvitikud"])
def test_on_a_phone_nothing_lies_over_the_question(visit, game):
    anna = visit("phone", second_look="always")
    anna.open_table(game, 2, bots=1, first=0)
    seen = anna.until(lambda seen: seen["moves"] or seen["picks"], "a choice")
    while not seen["moves"]:
        seen = anna.pick(seen)
    anna.press(anna.spot(seen["moves"][0]))
    anna.page.locator(QUESTION).wait_for()
    assert anna.page.evaluate(LIES_UNDER) == "sure"


@pytest.mark.parametrize(("manner", "time"), [("mouse", "3d"), ("phone", "")])
def test_nothing_else_asks_unless_somebody_says_so(visit, manner, time):
    anna, seen = at_a_choice(visit, manner, time=time)
    seen = anna.move()
    assert anna.page.locator(QUESTION).count() == 0
    anna.press(anna.page.locator("#second-look .chip", has_text="always"))
    seen = anna.until(lambda seen: seen["moves"], "the next choice")
    anna.press(anna.spot(seen["moves"][0]))
    anna.page.locator(QUESTION).wait_for()
    anna.reload()
    assert anna.page.locator('#second-look input[value="always"]').is_checked(), "the browser keeps it"


def test_a_phone_that_is_never_to_ask_does_not(visit):
    anna, seen = at_a_choice(visit, "phone", "never", time="3d")
    anna.press(anna.spot(seen["moves"][0]))
    anna.until(lambda now: now["number"] > seen["number"], "the move is made at once")


@pytest.mark.parametrize("how", ["Escape", "link"])
def test_by_keyboard_the_focus_goes_to_the_question_and_back_to_the_choice(visit, how):
    anna, seen = at_a_choice(visit, "keyboard", "always")
    name = seen["moves"][0]
    anna.press(anna.spot(name))
    anna.page.locator(QUESTION).wait_for()
    assert anna.page.evaluate(FOCUS) == "sure"
    if how == "Escape":
        anna.page.keyboard.press("Escape")
    else:
        anna.press(anna.page.locator("[data-name=not-sure]"))
    anna.page.locator(QUESTION).wait_for(state="detached")
    assert anna.page.evaluate("document.activeElement.dataset.name") == name
    anna.page.keyboard.press("Enter")
    anna.page.locator(QUESTION).wait_for()
    anna.page.keyboard.press("Enter")
    anna.until(lambda now: now["number"] > seen["number"], "twice Enter is the move")


def test_without_scripts_the_page_asks_whoever_always_wants_it(visit):
    anna = visit("scriptless")
    anna.go("/me")
    anna.fill("#name", "Anna")
    anna.press(anna.page.locator(".me-form .chip", has_text="always"))
    anna.press(anna.page.locator(".me-form button.primary"))
    anna.open_table("memoarrrr", 2, bots=1, first=0)
    seen = anna.until(lambda seen: seen["moves"], "a choice")
    anna.press(anna.spot(seen["moves"][0]))
    anna.page.locator(QUESTION).wait_for()
    anna.press(anna.page.locator(f"{QUESTION} [name=sure]"))
    anna.until(lambda now: now["number"] > seen["number"], "the move is made")
