"""Boards by keyboard: arrow keys, Tab after a pick, Escape; and nobody is caught or disturbed."""

import pytest

from support.browsers import SHOWS_FOCUS, barriers, mover_first, sit_down

pytestmark = pytest.mark.browser

FOCUS = "document.activeElement.dataset.name || document.activeElement.id || document.activeElement.tagName"


def focus_of(guest):
    return guest.page.evaluate(FOCUS)


def keys(guest, *names):
    """Presses keys, and says what has the focus after each."""
    seen = []
    for name in names:
        guest.page.keyboard.press(name)
        seen.append(focus_of(guest))
    return seen


def test_arrow_keys_go_to_the_neighbour_in_their_direction(visit):
    """On an island of five times five locations."""
    anna, boris = sit_down(visit, "memoarrrr", first=0)
    for guest, side in ((anna, "south"), (boris, "north")):
        guest.until(lambda seen: seen["turn"], "a side to look at")
        guest.send(guest.spot(side))
    anna.until(lambda seen: "c3" not in seen["moves"] and "b3" in seen["moves"], "locations to turn up")
    anna.spot("a4").focus()
    ways = ("ArrowRight", "ArrowDown", "ArrowRight", "ArrowUp", "End", "ArrowDown", "ArrowUp", "Home")
    assert keys(anna, *ways) == ["b4", "b3", "d3", "d4", "e1", "e1", "e2", "a5"]
    assert anna.page.locator('.choice[data-name="a5"]').evaluate(SHOWS_FOCUS)


@pytest.mark.parametrize("game", ["babuschka", "varvitikud"])
def test_tab_leads_from_what_is_picked_to_where_it_can_go_and_out_again(visit, game):
    """The hand of Värvitikud comes after the field, the dolls of Babuschka are among the fields."""
    anna, _ = mover_first(*sit_down(visit, game))
    first, *others = anna.until(lambda seen: seen["picks"], "a turn")["picks"]
    anna.spot(first).focus()
    anna.page.keyboard.press("Enter")
    targets = anna.until(lambda seen: seen["picked"], "it is picked")["moves"]
    assert focus_of(anna) == first
    assert keys(anna, *["Tab"] * len(targets)) == targets
    reached = keys(anna, *["Tab"] * 30)
    assert "say" in reached, "Tab leads out of the board"
    assert not {*reached} & {*others}, "and passes over what would be picked instead"
    assert barriers(anna.page, ("light",)) == []


def test_escape_puts_a_pick_back_and_the_focus_stays(visit):
    anna, _ = sit_down(visit, "babuschka", first=0)
    first = anna.until(lambda seen: seen["picks"], "a turn")["picks"][1]
    anna.spot(first).focus()
    anna.page.keyboard.press("Enter")
    anna.until(lambda seen: seen["picked"], "it is picked")
    assert keys(anna, "Tab") != [first]
    anna.page.keyboard.press("Escape")
    anna.until(lambda seen: not seen["picked"], "it is put back")
    assert focus_of(anna) == first
    anna.page.keyboard.press("Enter")
    anna.until(lambda seen: seen["picked"], "it is picked again")
    keys(anna, "Tab", "Enter")
    anna.until(lambda seen: not seen["turn"], "the move is made")
    assert anna.page.evaluate("document.activeElement.closest('.page-board') !== null"), "the focus is lost"


def test_typing_is_not_disturbed(visit):
    anna, _ = sit_down(visit, "babuschka", first=0)
    picked = anna.pick()["picked"]
    anna.page.locator("#say").click()
    anna.page.keyboard.type("abc")
    assert keys(anna, "ArrowLeft", "ArrowUp", "Home", "Escape") == ["say"] * 4
    anna.page.keyboard.type("x")
    assert anna.page.locator("#say").input_value() == "xabc"
    assert anna.look()["picked"] == picked


def test_the_keys_are_told_to_those_who_use_them(visit):
    anna, _ = sit_down(visit, "babuschka", first=0)
    hint = anna.page.locator(".keyboard-hint")
    anna.pick()
    assert not hint.is_visible(), "somebody with a mouse needs no keys"
    anna.page.keyboard.press("Tab")
    assert hint.is_visible()
    assert "Arrow keys" in hint.text_content()


def test_boxes_are_reached_by_arrow_keys(visit):
    anna, _ = sit_down(visit, "matryoshka", 3, bots=1)
    anna.until(lambda seen: seen["wanted"], "a display is to be chosen")
    boxes = anna.page.locator("[data-several] input")
    card = boxes.first.get_attribute("value")
    boxes.first.focus()
    anna.page.keyboard.press("End")
    anna.page.keyboard.press("Home")
    assert boxes.first.evaluate("box => box === document.activeElement")
    anna.page.keyboard.press("Space")
    assert anna.page.locator(f"#with-{card}").is_checked(), "wherever it lies now"
