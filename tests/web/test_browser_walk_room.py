"""Walks through the rooms around the table, on a desk and on a phone: what is needed next is in sight all along."""

import pytest

from support.browsers import PATIENCE

pytestmark = pytest.mark.browser

DESK = {"viewport": {"width": 1280, "height": 800}}
PHONE = {"viewport": {"width": 390, "height": 844}}
SCREENS = [pytest.param("mouse", DESK, id="desk"), pytest.param("phone", PHONE, id="phone")]

IN_SIGHT = """(place) => {
  const box = place.getBoundingClientRect();
  return box.height > 0 && box.top >= 0 && box.bottom <= innerHeight && box.left >= 0 && box.right <= innerWidth;
}"""


def in_sight(place):
    """Whether something is seen without scrolling."""
    place.wait_for()
    return place.evaluate(IN_SIGHT)


def lift(guest):
    """Whoever is asked for takes the device."""
    with guest.page.expect_event("load"):
        guest.press(guest.page.locator(".curtain .primary"))
    guest.page.locator("[data-part=board] .spot").first.wait_for()


@pytest.mark.parametrize(("manner", "screen"), SCREENS)
def test_on_one_device_everybody_sees_what_they_were_shown_for_as_long_as_they_like(visit, manner, screen):
    guest = visit(manner, **screen)
    here = {"chair-1": "here", "chair-1-name": "Lea"}
    guest.open_table("memoarrrr", 2, "Max", first="0", **here)
    for name, other in (("Max", "Lea"), ("Lea", "Max")):
        assert in_sight(guest.page.get_by_role("button", name=f"I am {name}"))
        lift(guest)
        guest.move()
        seen = guest.page.get_by_role("button", name="I have seen it")
        assert in_sight(seen)
        assert guest.page.locator(".how-look").count() == 3
        assert f"{other} is next." in guest.page.locator(".page-status").inner_text()
        guest.press(seen)
        guest.page.locator(".curtain").wait_for()
        assert guest.page.locator(".how-look").count() == 0
        assert "how-look" not in guest.page.content()
    lift(guest)
    guest.move()
    guest.page.locator(".curtain").wait_for(timeout=PATIENCE * 1000)  # everybody saw that: nobody is asked
