"""One device for several people in a real browser: the curtain falls by itself, in every tab, and
nothing of a hand is left in the page or its history."""

import pytest

from support.browsers import barriers

pytestmark = pytest.mark.browser

HERE = {"chair-1": "here", "chair-1-name": "Lea"}


def open_device(visit, manner="mouse", game="varvitikud", **facts):
    """Max and Lea on one device."""
    language = facts.pop("language", "en-GB")
    guest = visit(manner, language=language)
    guest.open_table(game, 2, "Max", **{**HERE, **facts})
    guest.page.locator(".curtain").wait_for()
    return guest


def lift(guest):
    """Whoever is asked for says so; their page is loaded whole. Returns their name."""
    button = guest.page.locator(".curtain .primary")
    name = button.text_content().removeprefix("I am ").strip()
    with guest.page.expect_event("load"):
        guest.press(button)
    guest.page.locator("#say").wait_for()
    return name


def move_until_curtain(guest):
    """Somebody who cannot move is passed over, so the same one may be to move again."""
    guest.move()
    while not guest.page.locator(".curtain").count():
        guest.move()


def hand_cards(guest):
    """What only whoever has the device sees."""
    return guest.page.evaluate("[...document.querySelectorAll('.vt-hand .spot')].map((card) => card.outerHTML)")


def all_text(page):
    return page.evaluate("document.documentElement.outerHTML + document.title")


@pytest.mark.parametrize("manner", ["phone", "keyboard"])
def test_the_curtain_falls_without_a_page_load_and_takes_all_that_was_seen_along(visit, manner):
    guest = open_device(visit, manner)
    first = lift(guest)
    second = {"Max": "Lea", "Lea": "Max"}[first]
    secrets = hand_cards(guest)
    assert secrets
    guest.fill("#say", "Half a sen")
    loads = guest.loads
    move_until_curtain(guest)
    assert guest.loads == loads
    html = all_text(guest.page)
    assert [card for card in secrets if card in html] == []
    assert hand_cards(guest) == []
    assert guest.page.locator("#say").input_value() == ""
    assert not guest.page.locator("#say").is_visible()
    assert f"Hand the device to {second}" in guest.page.locator("#announcer").text_content()
    assert guest.page.evaluate("document.activeElement.matches('.curtain')"), "its button has not: a key may be down"
    assert guest.runs_over() <= 0
    assert lift(guest) == second
    assert hand_cards(guest)
    assert not set(hand_cards(guest)) & set(secrets)


def test_without_scripts_the_device_goes_from_hand_to_hand(visit):
    guest = open_device(visit, "scriptless", "memoarrrr", first="0")
    for name, is_shown in (("Max", True), ("Lea", True), ("Max", False)):  # both look at locations first
        assert lift(guest) == name
        guest.move()
        if is_shown:
            guest.press(guest.page.get_by_role("button", name="I have seen it"))
        guest.page.locator(".curtain").wait_for()


def test_all_tabs_go_blank_and_follow(visit):
    guest = open_device(visit)
    lift(guest)
    tab = guest.new_page(guest.page.url)
    tab.locator("#say").wait_for()
    move_until_curtain(guest)
    tab.locator(".curtain").wait_for()
    assert tab.locator(".vt-hand .spot").count() == 0
    lift(guest)
    own = hand_cards(guest)
    assert own
    there = all_text(tab)  # once: it may be changing just now
    assert [card for card in own if card in there] in ([], own), "the same device is in the same hand"


def test_the_history_of_the_browser_has_nobodys_cards(visit):
    guest = open_device(visit)
    lift(guest)
    secrets = hand_cards(guest)
    table, token = guest.page.url, guest.page.locator("[name=_csrf_token]").first.input_value()
    guest.go("/rules/varvitikud")
    answer = guest.context.request.post(f"{table}/hand", form={"_csrf_token": token, "seat": "-1"})
    assert answer.ok
    guest.page.go_back()
    guest.page.locator(".curtain").wait_for()
    html = all_text(guest.page)
    assert [card for card in secrets if card in html] == []


@pytest.mark.parametrize(("manner", "language"), [("phone", "fr-FR"), ("mouse", "en-GB")])
def test_the_curtain_is_open_to_everybody(visit, manner, language):
    guest = open_device(visit, manner, "memoarrrr", language=language, **{"chair-1-name": "Wilhelmine-Alexandrina"})
    assert barriers(guest.page) == []
    assert guest.runs_over() <= 0
    guest.go("/new/memoarrrr?seats=2")
    guest.page.select_option("#chair-1", "here")
    assert guest.page.locator(".chair-name").is_visible()
    assert barriers(guest.page) == []
    guest.page.select_option("#chair-1", "easy")
    assert not guest.page.locator(".chair-name").is_visible()


def test_the_device_can_be_handed_on_out_of_turn(visit):
    guest = open_device(visit)
    lift(guest)
    secrets, loads = hand_cards(guest), guest.loads
    guest.press(guest.page.get_by_role("button", name="Hand the device on"))
    guest.page.locator(".curtain").wait_for()
    assert guest.loads == loads
    html = all_text(guest.page)
    assert [card for card in secrets if card in html] == []
    with guest.page.expect_event("load"):
        guest.press(guest.page.locator(".curtain button:not(.primary)"))
    assert hand_cards(guest)
    assert not set(hand_cards(guest)) & set(secrets)


def test_everybody_has_a_sign_and_can_choose_another_one(visit):
    guest = open_device(visit, "phone", "memoarrrr")
    assert guest.page.locator(".curtain-sign .family-sign").is_visible()
    assert barriers(guest.page) == []
    lift(guest)
    guest.resign()
    guest.go("/family")
    drawing = '.relative:has-text("Lea") path'
    before = guest.page.locator(drawing).get_attribute("d")
    guest.press(guest.page.locator('.relative:has-text("Lea")'))
    guest.page.locator("#sign").wait_for()
    assert barriers(guest.page) == []
    assert guest.runs_over() <= 0
    guest.press(guest.page.locator('#sign .chip:has([value="moon"])'))
    guest.press(guest.page.locator("#sign .primary"))
    guest.page.wait_for_url("**/family")
    assert guest.page.locator(drawing).get_attribute("d") != before
