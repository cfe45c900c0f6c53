"""Walks through the rooms around the table, on a desk and on a phone: what is needed next is in sight all along."""

import pytest

from support.browsers import PATIENCE, barriers

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


def test_from_the_first_page_with_a_friend_who_joins_by_code_to_another_game(visit):
    anna, boris = visit(**DESK), visit("phone", **PHONE)
    anna.page.add_init_script("navigator.share = async (what) => { window.shared = what; }")
    anna.go("/")
    anna.press(anna.page.get_by_role("link", name="With friends"))
    anna.fill("#my-name", "Anna")
    anna.press(anna.page.locator('form[action="/play/babuschka"] .game-play'))
    anna.page.wait_for_url("**/table/*")
    room = anna.page.locator(".invite")
    code = room.locator(".invite-code strong")
    for needed in (code, room.get_by_role("button", name="Share"), room.locator(".page-qr"), room.locator(".expected")):
        assert in_sight(needed)
    assert in_sight(room.get_by_role("link", name="Learn it in two minutes"))
    assert room.locator(".expected").inner_text().split() == ["●", "Anna", "▲", "is", "expected"]
    assert barriers(anna.page) == []
    anna.press(room.get_by_role("button", name="Share"))
    assert anna.page.evaluate("window.shared.url") == anna.page.url
    boris.go("/?way=friends")
    assert in_sight(boris.page.locator(".join-code"))
    boris.fill("#join-code", code.inner_text().lower())
    boris.press(boris.page.locator(".join-code button"))
    boris.page.wait_for_url(anna.page.url)
    assert in_sight(boris.page.get_by_role("button", name="Sit down"))
    assert in_sight(boris.page.get_by_role("link", name="Learn it in two minutes"))
    boris.fill("#sit-name", "Boris")
    boris.press(boris.page.locator(".invite button.primary"))
    boris.page.locator("#say").wait_for()
    boris.until(lambda _: anna.look()["turn"] or boris.look()["turn"], "it begins for both")
    thinks, waits = (anna, boris) if anna.look()["turn"] else (boris, anna)
    line = waits.page.locator(".page-status", has_text="is thinking …")
    assert in_sight(line)
    reaction = waits.page.locator(".reactions button").nth(1)
    waits.press(reaction)
    thinks.page.locator(".page-remarks", has_text="Well played!").wait_for()
    waits.resign()
    again = thinks.page.get_by_role("button", name="Play again with the same people")
    assert in_sight(again)
    before = thinks.page.url
    thinks.press(again)
    thinks.page.wait_for_url(lambda address: "/table/" in address and address != before)
    waits.press(waits.page.get_by_role("link", name="Go to the next game"))
    waits.page.wait_for_url(thinks.page.url)
    names = waits.page.locator(".page-chairs strong").all_inner_texts()
    assert sorted(names) == ["Anna", "Boris"]


LETTER_SHARE = """() => Math.min(...[...document.querySelectorAll("#club-now *")]
  .filter((place) => [...place.childNodes].some((child) => child.nodeType === 3 && child.data.trim()))
  .map((place) => parseFloat(getComputedStyle(place).fontSize))) / innerWidth"""


def join_club(guest, code, name):
    guest.go("/?way=friends")
    guest.fill("#join-code", code)
    guest.press(guest.page.locator(".join-code button"))
    guest.page.wait_for_url("**/club/*")
    guest.fill("#join-name", name)
    guest.press(guest.page.locator(".club-join button"))
    guest.page.locator(".club-people", has_text=name).wait_for()


def test_a_club_of_four_from_the_code_on_the_wall_to_its_final_standings_there(visit):
    wall, host = visit(**DESK), visit(**DESK)
    guests = [host, visit("phone", **PHONE), visit("phone", **PHONE), visit("phone", **PHONE)]
    for guest in guests:
        guest.page.clock.install()
    host.go("/club?game=babuschka")
    for name, value in {"seats": "2", "deals": "1"}.items():
        host.page.check(f'input[name="{name}"][value="{value}"]', force=True)
    host.press(host.page.locator(".club-form button"))
    host.page.wait_for_url("**/club/*")
    address = host.page.url
    wall.go(f"{address}/wall")
    code = wall.page.locator(".wall-code")
    assert in_sight(code)
    assert wall.page.locator(".wall-code").evaluate("place => parseFloat(getComputedStyle(place).fontSize)") >= 120
    for guest, name in zip(guests, ("Anna", "Boris", "Chloé", "Dmitri"), strict=True):
        join_club(guest, code.inner_text(), name)
    wall.page.locator(".wall-people", has_text="Dmitri").wait_for()
    assert in_sight(wall.page.locator(".wall-people"))
    assert barriers(wall.page) == []
    host.press(host.page.locator('form[action$="/begin"] button'))
    for guest in guests:
        guest.page.wait_for_url("**/table/*")  # nobody but the host has pressed anything
        guest.until(lambda seen: seen, "the table is shown")
    wall.page.locator(".wall-tables").wait_for()
    assert in_sight(wall.page.locator(".wall-timer"))
    pairs = {}
    for guest in guests:
        pairs.setdefault(guest.page.url, []).append(guest)
    assert [len(pair) for pair in pairs.values()] == [2, 2]
    for stays, resigns in pairs.values():
        resigns.resign()
        stays.page.locator(".taken-back:not([hidden])").wait_for()
        assert in_sight(stays.page.locator(".taken-back"))
        stays.page.clock.fast_forward(25000)
        stays.page.wait_for_url(address)
    wall.page.locator(".wall-standings", has_text="Anna").wait_for()
    assert "Final standings" in wall.page.locator("h2").first.inner_text()
    assert wall.page.locator(".wall-standings li").count() == 4
    assert in_sight(wall.page.locator(".wall-standings"))
    assert in_sight(wall.page.locator(".wall-tables"))
    assert wall.page.evaluate(LETTER_SHARE) >= 0.025, "a letter of 2 cm on a screen of 1.2 m"
    assert wall.runs_over() <= 0
    assert barriers(wall.page) == []


def test_who_touches_anything_stays_at_the_table_of_the_club(visit):
    anna, boris = visit(**DESK), visit(**DESK)
    for guest in (anna, boris):
        guest.page.clock.install()
    anna.go("/club?game=babuschka")
    anna.page.check('input[name="deals"][value="1"]', force=True)
    anna.page.check('input[name="seats"][value="2"]', force=True)
    anna.press(anna.page.locator(".club-form button"))
    anna.page.wait_for_url("**/club/*")
    code = anna.page.locator(".invite-code strong").inner_text()
    names = ("Anna", "Boris", "Chloé")
    chloe = visit(**DESK)
    for guest, name in zip((anna, boris, chloe), names, strict=True):
        join_club(guest, code, name)
    anna.press(anna.page.locator('form[action$="/begin"] button'))
    guests = (anna, boris, chloe)
    for guest in guests:
        guest.page.wait_for_url("**/table/*")
    tables = [guest.page.url for guest in guests]
    pair = [guest for guest in guests if tables.count(guest.page.url) == 2]
    stays, resigns = pair if pair[0] is not chloe else pair[::-1]
    resigns.resign()
    stays.page.locator(".taken-back:not([hidden])").wait_for()
    stays.page.keyboard.press("ArrowDown")
    assert not stays.page.locator(".taken-back").is_visible()
    stays.page.clock.fast_forward(60000)
    assert "/table/" in stays.page.url


def test_whoever_waits_is_taken_along_when_the_rules_are_changed(visit):
    anna, boris = visit(**DESK), visit("phone", **PHONE)
    boris.sit(anna.open_table("memoarrrr", 3))
    before = boris.page.url
    anna.press(anna.page.get_by_role("link", name="Change chairs and rules"))
    assert barriers(anna.page, ("light",)) == []
    anna.page.check("#expert")
    anna.press(anna.page.get_by_role("button", name="Change the table"))
    anna.page.wait_for_url("**/table/*")
    boris.page.wait_for_url(anna.page.url)
    assert boris.page.url != before
    boris.page.locator(".page-remarks", has_text="I have changed the table").wait_for()
    assert in_sight(boris.page.locator(".invite-rules"))
    # his browser has brought a number of its own, after it has seen what the deal is committed to
    proof = boris.page.locator("details", has_text="Fair by proof")
    proof.locator("summary").click()
    proof.get_by_text("The number of Boris, made by their browser:").wait_for()
