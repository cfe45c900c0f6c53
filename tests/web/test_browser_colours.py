"""Forced colours: shadows and backgrounds are gone, and every mark that means something is still
there."""

import pytest

from support.browsers import mover_first, sit_down

pytestmark = pytest.mark.browser

# The lines of an element and of what is drawn before it: colours are not ours here, so they do not count.
LINES = """(place) => [null, "::before"].map((part) => getComputedStyle(place, part)).flatMap((style, number) => [
  style.outlineStyle,
  number && style.content === "none" ? [] : [style.borderTopStyle, style.borderTopWidth, style.borderBottomStyle,
    style.borderBottomWidth],
]).join()"""


def lines(guest, selector):
    place = guest.page.locator(selector).first
    place.wait_for()
    return place.evaluate(LINES)


def tell_apart(guest, marked, plain):
    assert lines(guest, marked) != lines(guest, plain), f"{marked} looks like {plain}"


@pytest.fixture
def seated(visit):
    """Two people with forced colours, one of them about to move."""

    def seated(game, seats=2, **facts):
        both = sit_down(lambda manner: visit(manner, forced_colors="active"), game, seats, bots=seats - 2, **facts)
        assert both[0].page.evaluate("matchMedia('(forced-colors: active)').matches")
        return both

    return seated


def test_marks_of_babuschka(seated):
    anna, boris = seated("babuschka", first=0)
    tell_apart(anna, "a.field.choice", "div.field")
    tell_apart(anna, ".chair.is-turn", ".chair:not(.is-turn)")
    anna.pick()
    tell_apart(anna, ".field.picked", "a.field.choice:not(.picked)")
    tell_apart(anna, "button.field.choice", "a.field.choice:not(.picked)")
    anna.send(anna.page.locator("button.field.choice").first)
    boris.until(lambda seen: seen["turn"], "Boris is to move")
    tell_apart(boris, ".cell.was-reached", ".cell:not(.was-reached)")
    tell_apart(boris, ".cell.was-left", ".cell:not(.was-left)")


def test_marks_of_memoarrrr(seated):
    anna, boris = seated("memoarrrr", first=0)
    tell_apart(anna, ".side.choice", ".place:not(.choice)")
    for guest in (anna, boris, anna):
        guest.move()
    boris.until(lambda seen: seen["turn"] or len(seen["news"]) > 2, "Anna has turned up a location")
    looker = next(guest for guest in (anna, boris) if guest.look()["turn"])
    tell_apart(looker, ".place.choice", ".place:not(.choice)")
    tell_apart(looker, ".place.is-last", ".place.choice")
    other = boris if looker is anna else anna
    assert lines(looker, ".own .seat.is-turn") != lines(other, ".own .seat:not(.is-turn)")


def test_marks_of_varvitikud(seated):
    anna, boris = mover_first(*seated("varvitikud"))
    tell_apart(anna, ".vt-held.choice", ".vt-card")
    anna.pick()
    tell_apart(anna, ".vt-held.picked", ".vt-card")
    tell_apart(anna, ".vt-place.choice", ".vt-card")
    anna.send(anna.page.locator("button.vt-place").first)
    boris.page.locator(".vt-card").nth(1).wait_for()
    tell_apart(boris, ".vt-card.is-latest", ".vt-card:not(.is-latest)")
    tell_apart(boris, ".vt-stick.is-new", ".vt-cell")


def test_marks_of_matryoshka(seated):
    anna, boris = seated("matryoshka", 3)
    anna.until(lambda seen: seen["wanted"], "a display is to be chosen")
    tell_apart(anna, ".stages .is-now", ".stages li:not(.is-now)")
    boxes = [card for card, _ in anna.look()["boxes"]]
    anna.press(anna.box(boxes[0]))
    tell_apart(anna, ".tick:has(:checked)", ".tick:not(.fresh):not(:has(:checked))")
    for guest in (anna, boris):
        guest.move()
    anna.until(lambda seen: seen["moves"] or boris.look()["moves"], "the first exchange")
    tell_apart(anna if anna.look()["moves"] else boris, ".card.choice", ".card:not(.choice)")
    tell_apart(anna, ".panel.is-active", ".panel.seat:not(.is-active):not(.fresh)")


def test_marks_of_the_site(seated):
    anna, _ = seated("babuschka", first=0)
    anna.go("/")
    tell_apart(anna, ".table-line.is-turn", ".game-card")
    tell_apart(anna, ".game-go", ".game-more summary")
    tell_apart(anna, ".play-ways a[aria-current]", ".play-ways a:not([aria-current])")
