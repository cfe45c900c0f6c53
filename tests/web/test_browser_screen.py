"""An evening with one screen: a television that nobody touches, and a phone for each player."""

import pytest

pytestmark = pytest.mark.browser

TELEVISION = {"viewport": {"width": 1920, "height": 1080}}
PARTS = """async (address) => {
  const answer = await fetch(address, { headers: { "X-Samovar-Parts": "1" } });
  const own = /(name="_csrf_token" value=")[^"]*/g; // proves that a form was sent by the browser that got it
  const { parts } = await answer.json();
  return Object.fromEntries(Object.entries(parts).map(([name, html]) => [name, html.replace(own, "$1")]));
}"""
# What does not fit on the screen, and what could be pressed on it.
CUT = """() => {
  const board = document.querySelector(".page-board"), root = document.documentElement;
  const scrolls = (place) => place.scrollHeight > place.clientHeight + 1 || place.scrollWidth > place.clientWidth + 1;
  const pressed = [...document.querySelectorAll("a, button, input, summary")].filter((one) => one.checkVisibility());
  const frames = [root, board, ...document.querySelectorAll(".lens-box")];
  return [...frames.filter(scrolls), ...pressed].map((one) => one.outerHTML.slice(0, 80));
}"""


def screen_before(visit, link, **facts):
    screen = visit(**{**TELEVISION, **facts})
    screen.go(f"{link}/screen")
    return screen, screen.page.locator(".screen-code").inner_text()


def join(phone, code, name):
    phone.go("/")
    phone.fill("#join-code", code)
    phone.press(phone.page.locator(".join-code button"))
    phone.page.wait_for_url("**/table/*")
    phone.fill("#sit-name", name)
    phone.press(phone.page.locator(".invite button.primary"))
    phone.page.locator("#say").wait_for()


def whose_turn(phones):
    """The phone of somebody who may act; None: the game is over."""
    for _ in range(400):
        looks = [phone.look() or {} for phone in phones]
        for phone, seen in zip(phones, looks, strict=True):
            if seen.get("turn"):
                return phone
        if all(seen.get("over") for seen in looks):
            return None
        phones[0].page.wait_for_timeout(25)
    raise AssertionError("nobody is to act, and the game is not over")


@pytest.mark.parametrize("game", ["matryoshka", "memoarrrr"])
def test_a_screen_and_four_phones_play_a_whole_game(visit, game):
    host = visit("phone")
    link = host.open_table(game, 4)
    screen, code = screen_before(visit, link)
    assert screen.page.evaluate(CUT) == []
    phones = [host]
    for name in ("Boris", "Chloé", "Dmitri"):
        phones.append(visit("phone"))
        join(phones[-1], code, name)
    host.go(f"{link}/phone")
    spectator = visit()
    spectator.go(link)
    screen.page.wait_for_selector("[data-part=board] [name=ply]", state="attached")
    moves = 0
    while (phone := whose_turn(phones)) is not None:
        assert phone.page.locator("[data-on-screen]").count()
        phone.move()
        moves += 1
        if moves % 10 == 1:
            number = phone.look()["number"]
            screen.until(lambda seen, number=number: seen["number"] >= number, "the screen shows the move")
            told = screen.page.evaluate(PARTS, f"{link}/screen")
            assert told == spectator.page.evaluate(PARTS, link), f"after {moves} moves"
            assert screen.page.evaluate(CUT) == [], f"after {moves} moves"
    screen.until(lambda seen: seen["over"], "the screen shows the end")
    assert screen.page.evaluate(PARTS, f"{link}/screen") == spectator.page.evaluate(PARTS, link)
    assert screen.page.evaluate(CUT) == []
    phones[0].press(phones[0].action("again"))
    screen.page.wait_for_url(lambda address: address.endswith("/screen") and link not in address)


def test_the_device_of_somebody_with_a_name_sits_down_by_itself(visit):
    host, guest = visit("phone"), visit("phone")
    link = host.open_table("memoarrrr", 2)
    guest.open_table("memoarrrr", 2, "Boris")
    _, code = screen_before(visit, link)
    guest.go(f"/join?code={code}")
    guest.page.wait_for_url(link)
    host.until(lambda seen: seen["state"] == (guest.look() or {}).get("state"), "they play")


def test_sounds_come_from_the_screen_and_not_from_phones(visit):
    host = visit("phone")
    link = host.open_table("memoarrrr", 2)
    screen, _ = screen_before(visit, link)
    assert screen.page.evaluate("is_loud()")
    host.page.evaluate("keep('sound', 'on')")
    assert host.page.evaluate("is_loud()")
    host.go(f"{link}/phone")
    assert not host.page.evaluate("is_loud()")


def test_without_scripts_a_screen_brings_itself_up_to_date(visit):
    host = visit("mouse")
    link = host.open_table("babuschka", 2)
    screen, _ = screen_before(visit, link, java_script_enabled=False)
    with screen.page.expect_navigation():
        pass
    boris = visit("mouse")
    boris.sit(link)
    screen.page.wait_for_selector(".board")


@pytest.mark.parametrize("game", ["matryoshka", "memoarrrr", "varvitikud", "babuschka", "connect_four"])
def test_a_screen_shows_the_same_picture_at_every_size_and_nothing_is_cut(visit, game):
    host, boris = visit(), visit()
    seats = 3 if game == "matryoshka" else 2
    link = host.open_table(game, seats, bots=seats - 2)
    boris.sit(link)
    for size in ((1280, 720), (1920, 1080), (3840, 2160)):
        screen = visit(viewport=dict(zip(("width", "height"), size, strict=True)))
        screen.go(f"{link}/screen")
        screen.wait_for("getComputedStyle(document.querySelector('.page-board')).getPropertyValue('--fit')")
        assert screen.page.evaluate(CUT) == []
        letters = screen.page.locator(".page-status .prompt").evaluate(
            "one => parseFloat(getComputedStyle(one).fontSize)"
        )
        assert letters >= size[1] / 40
