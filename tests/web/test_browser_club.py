"""A club evening and the deal of the day in a real browser: with and without scripts, by keyboard, on
a phone, for everybody."""

import pytest

from support.browsers import barriers

pytestmark = pytest.mark.browser


def make_club(host, **facts):
    """Its address."""
    host.go("/club?game=memoarrrr")
    for name, value in {"seats": "2", "deals": "1", "level": "easy", **facts}.items():
        host.page.check(f'input[name="{name}"][value="{value}"]', force=True)
    host.press(host.page.locator(".club-form button"))
    host.page.wait_for_url("**/club/*")
    return host.page.url


def join(guest, address, name):
    guest.go(address)
    guest.page.fill("#join-name", name)
    guest.press(guest.page.locator(".club-join button"))
    guest.page.wait_for_selector(f".club-people >> text={name}")
    guest.page.wait_for_load_state()


def resign(guest):
    """The quickest way to the end of a match."""
    guest.page.wait_for_selector("[data-table]")
    guest.resign()


def test_the_page_of_a_class_fits_a_phone_and_everybody(visit):
    teacher, pupil = visit("phone"), visit("phone")
    teacher.go("/class/new")
    teacher.page.fill("#class-name", "4a")
    teacher.page.fill("#names", "Anna-Katharina\nBen\nIda")
    teacher.press(teacher.page.locator(".class-form button"))
    teacher.page.wait_for_url(lambda url: "/class/" in url and "/new" not in url)
    pupil.go(teacher.page.url)
    pupil.press(pupil.page.locator("button[value=Anna-Katharina]"))
    teacher.page.wait_for_selector(".class-pupils >> text=Anna-Katharina")
    assert teacher.page.evaluate("document.documentElement.scrollWidth") <= teacher.page.viewport_size["width"]
    assert not barriers(teacher.page)


@pytest.mark.parametrize("manner", ["phone", "keyboard"])
def test_an_evening_from_the_first_to_the_last_page(visit, manner):
    anna, boris = visit(manner), visit("scriptless")
    anna.go("/club")
    found = barriers(anna.page)
    address = make_club(anna)
    join(anna, address, "Anna")
    loads = anna.loads
    join(boris, address, "Boris")
    anna.page.wait_for_selector(".club-people >> text=Boris")
    assert anna.loads == loads, "who comes is seen without loading the page again"
    proof = anna.page.locator(".club-proof")
    proof.locator("summary").click()
    assert "made by their browser" in proof.inner_text()
    assert "made by this site" in proof.inner_text()
    found += barriers(anna.page)
    anna.press(anna.page.locator('form[action$="/begin"] button'))
    anna.page.wait_for_url("**/table/*")  # whoever waits on the page is taken there
    anna.go(address)
    anna.page.wait_for_selector(".club-own")
    found += barriers(anna.page)
    anna.press(anna.page.locator(".club-own button"))
    anna.page.wait_for_url("**/table/*")
    resign(anna)
    assert anna.page.locator('a[href^="/record"]', has_text="again").count() == 0
    anna.press(anna.page.locator(".page-status a.button.primary"))
    anna.page.wait_for_selector(".club-tables")
    assert anna.page.locator(".club-table").count() == 0, "the other table has not finished"
    boris.go(address)
    boris.page.locator(".club-own button").click()
    resign(boris)
    anna.page.wait_for_selector(".club-table")
    found += barriers(anna.page)
    assert anna.page.locator(".club-table tbody tr").count() == 2
    assert "This was the secret" in anna.page.locator(".club-proof").text_content()
    anna.go(address)
    assert anna.runs_over() <= 0
    assert found == []


def test_what_is_open_and_in_focus_stays_so_when_others_come(visit):
    anna, boris = visit("keyboard"), visit("scriptless")
    address = make_club(anna)
    join(anna, address, "Anna")
    anna.page.locator(".club-proof summary").click()
    anna.page.locator(".club-people button").focus()
    join(boris, address, "Boris")
    anna.page.wait_for_selector(".club-people >> text=Boris")
    assert anna.page.locator(".club-proof").get_attribute("open") is not None
    assert anna.page.evaluate("document.activeElement.closest('li')?.textContent").strip().startswith("Anna")


@pytest.mark.parametrize("manner", ["phone", "scriptless"])
def test_the_deal_of_the_day_before_and_after(visit, manner):
    guest = visit(manner)
    guest.go("/daily")
    assert guest.runs_over() <= 0 if manner == "phone" else True
    found = barriers(guest.page) if manner == "phone" else []
    guest.press(guest.page.locator('form[action="/daily/memoarrrr"] button'))
    resign(guest)
    guest.press(guest.page.locator(".page-status a.button.primary"))
    guest.page.wait_for_selector("text=You gave it up.")
    found += barriers(guest.page) if manner == "phone" else []
    assert found == []
