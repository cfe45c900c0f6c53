"""The way of somebody who plays alone: from the first page to the end of a match, all of which is in sight, and into
the next one."""

import pytest

from support.browsers import barriers
from support.waiting import until

pytestmark = pytest.mark.browser

SIZES = {"desk": {"width": 1280, "height": 800}, "phone": {"width": 390, "height": 844}}
END = [".page-status .prompt", ".page-podium", ".end-decided", ".end-sheet", ".end-sheet tfoot .total"]

OUT_OF_SIGHT = """(places) => places.filter((place) => {
  const box = document.querySelector(place).getBoundingClientRect();
  return box.height === 0 || box.top < 0 || box.bottom > innerHeight + 1 || box.left < 0 || box.right > innerWidth + 1;
})"""
FRAME_HOLDS_SUM = """() => {
  const places = [".end-sheet", ".end-sheet tfoot .total"].map((place) => document.querySelector(place));
  const [frame, sum] = places.map((place) => place.getBoundingClientRect());
  return sum.top >= frame.top - 1 && sum.bottom <= frame.bottom + 1;
}"""


def play_alone(guest, game):
    """One click on the first page, then any moves to the end."""
    guest.go("/")
    guest.press(guest.page.locator(f'form[action="/play/{game}"] .game-play'))
    guest.page.wait_for_url("**/table/*")
    while not guest.until(lambda seen: seen["turn"] or seen["over"], "a turn, or the end")["over"]:
        guest.move()


@pytest.mark.parametrize("manner", SIZES)
def test_from_the_first_page_to_the_end_and_again(visit, manner):
    """Matryoshka has the longest score sheet."""
    anna = visit("phone" if manner == "phone" else "mouse", viewport=SIZES[manner])
    play_alone(anna, "matryoshka")
    assert anna.page.evaluate("scrollY") == 0
    assert anna.page.evaluate(OUT_OF_SIGHT, END) == []
    assert anna.page.evaluate(FRAME_HOLDS_SUM)
    until(lambda: anna.page.evaluate("document.activeElement.matches('.page-podium')"), "who listens is led there, too")
    assert anna.runs_over() <= 0
    assert barriers(anna.page) == []
    table = anna.page.url
    question = anna.page.locator(".ask-sound")
    anna.press(question.locator("[data-sounds=on]"))
    assert not question.is_visible()
    assert anna.page.locator("#sound").get_attribute("aria-pressed") == "true"
    anna.reload()
    assert not question.is_visible(), "asked once"
    assert anna.page.evaluate(OUT_OF_SIGHT, END) == []
    anna.press(anna.page.locator(".page-end > summary"))
    anna.reload()
    assert not anna.page.locator(".page-podium").is_visible(), "closed once is closed"
    assert anna.page.evaluate(OUT_OF_SIGHT, [".page-board .stages"]) == []
    anna.press(anna.action("again"))
    anna.page.wait_for_url(lambda url: "/table/" in url and url != table)
    anna.until(lambda seen: seen["turn"], "the next match")


SHARES = (
    "navigator.share = (told) => { window.told = told; return Promise.resolve(); }; navigator.canShare = () => true;"
)


def test_what_is_shared_tells_nothing_of_the_result(visit):
    anna = visit()
    anna.context.add_init_script(SHARES)
    anna.open_table("connect_four", 2, bots=1)
    anna.resign()
    anna.press(anna.page.locator("[data-share-end]"))
    anna.wait_for("window.told")
    told = anna.page.evaluate("({ ...window.told, files: window.told.files.map((one) => [one.name, one.type]) })")
    assert told["files"] == [["samovar.svg", "image/svg+xml"]]
    assert told["text"].startswith("A game of Connect Four on Samovar: 2 players, ")
    assert told["url"] == anna.page.evaluate("location.origin"), "the table would tell it"


def test_without_scripts_the_picture_is_a_link(visit):
    reader = visit("scriptless")
    reader.open_table("connect_four", 2, bots=1)
    reader.resign()
    address = reader.page.locator(".page-end a[href$='/podium.svg']").get_attribute("href")
    answer = reader.page.request.get(address)
    assert (answer.status, answer.headers["content-type"]) == (200, "image/svg+xml")
    assert "Anna" not in answer.text()
