"""A circle in a real browser: on a phone, without scripts, for everybody; who is there is taken to the table."""

import pytest

from support.browsers import barriers

pytestmark = pytest.mark.browser


def test_a_circle_from_its_founding_to_its_first_table(visit):
    anna, boris, chloe = visit("phone"), visit("scriptless"), visit("mouse")
    anna.go("/circle")
    found = barriers(anna.page)
    anna.page.fill("#circle-name", "Tuesday round")
    anna.page.fill("#own-name", "Anna-Katharina")
    anna.press(anna.page.locator(".club-form button"))
    anna.page.wait_for_selector(".circle-open")
    address = anna.page.url
    anna.press(anna.page.locator("a[href$='/keep']"))
    anna.page.wait_for_selector(".page-link a")
    link = anna.page.get_attribute(".page-link a", "href")
    assert fits(anna)
    found += barriers(anna.page)
    for guest, name in ((boris, "Boris"), (chloe, "Chloé")):
        guest.go(link)
        guest.page.fill("#join-name", name)
        guest.press(guest.page.locator(".club-join button"))
        guest.page.wait_for_selector(f".club-people >> text={name}")
    anna.go(address)
    assert fits(anna)
    anna.page.select_option("select[name=game]", "memoarrrr 3")
    found += barriers(anna.page)
    anna.press(anna.page.locator(".circle-open button"))
    for guest in (anna, chloe):
        guest.page.wait_for_url("**/table/*")
    boris.go(address)
    boris.press(boris.page.locator(".club-own button"))
    boris.page.wait_for_selector("[data-table]")
    assert boris.page.url.partition("?")[0] == anna.page.url.partition("?")[0]
    assert not found


def fits(guest):
    return guest.page.evaluate("document.documentElement.scrollWidth") <= guest.page.viewport_size["width"]
