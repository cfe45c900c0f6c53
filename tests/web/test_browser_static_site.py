"""The site without a server: a phone that has been there once plays a whole match without a network, and several people
share one."""

import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from samovar.bots import make_bot
from samovar.engine.contract import Event, event
from samovar.engine.match import Match
from samovar.engine.registry import find_game
from samovar.testing.wasm import what_is_missing
from samovar.web.static_site.files import write_site
from support import peeking_game
from support.browsers import MANNERS, PATIENCE

pytestmark = pytest.mark.browser

GAME = "connect_four"  # which is no game of ours: an author's is played as they are
MOST_CLICKS = 400
CARD = "you see {card}"  # what one seat sees and nobody else, as it stands on the page


def view(state: Any, seat: int | None) -> Any:
    """Who makes the first move looks at the other's card once more, and has to remember it from then on."""
    seen = peeking_game.view(state, seat)
    looks = state.moved == 1 and seat == 1 - state.turn
    return replace(seen, news=(*seen.news, *([event("peeks", card=state.deck[1 - seat])] if looks else [])))


def faded(past: Event, view: Any) -> Event | None:
    return None if past.kind == "peeks" else past


PEEK = replace(
    peeking_game.GAME,
    view=view,
    faded=faded,
    draw=lambda view, words: "" if view.seen is None else f"you see {view.seen}",
    words={"en": {**peeking_game.GAME.words["en"], "peeks": "Once more: you see {card}."}},
)


class Files(SimpleHTTPRequestHandler):
    """Nothing is kept by the browser of its own accord, so that only the site's worker can keep it."""

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-store")
        super().end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    if missing := what_is_missing():
        pytest.skip(missing)
    folder = tmp_path_factory.mktemp("static")
    write_site([find_game(GAME), PEEK], folder)
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Files, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def play_to_the_end(page: Page) -> int:
    """By the first thing that can be chosen; says how often that was."""
    for click in range(MOST_CLICKS):
        page.wait_for_function(
            "document.querySelector('[data-turn=yes], form[action=again]')",
            timeout=1000 * PATIENCE,
        )
        if page.locator("form[action=again]").count():
            return click
        number = page.locator(".table-page").get_attribute("data-number")
        page.locator(".page-board .choice").first.click()
        page.wait_for_function(f"document.querySelector('.table-page').dataset.number !== '{number}'")
    raise AssertionError("the match does not end")


def test_a_phone_plays_a_match_without_a_network(browser: Browser, address: str) -> None:
    context = browser.new_context(**MANNERS["phone"], locale="de")
    page = context.new_page()
    mistakes: list[str] = []
    page.on("pageerror", lambda error: mistakes.append(error.message))
    page.goto(f"{address}{GAME}/")
    page.evaluate("navigator.serviceWorker.ready.then(() => undefined)")
    page.wait_for_function("navigator.serviceWorker.controller !== null")
    context.set_offline(True)
    page.goto(address)
    page.locator(".game-play").first.click()
    expect(page.locator("h1")).to_have_text("Ein Tisch für Connect Four")
    page.locator("#chair-1").select_option("easy")
    page.get_by_role("button", name="Jetzt spielen").click()
    page.evaluate("localStorage.setItem('samovar:pace', '0')")
    expect(page.locator(".your-turn, .page-waiting")).to_be_visible()
    assert play_to_the_end(page) >= 4
    expect(page.locator(".page-news li").first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.reload()  # it is where it was
    expect(page.locator("form[action=again]")).to_be_visible()
    assert_same_in_python(page)
    assert mistakes == []
    context.close()


def kept_table(page: Page, game: str) -> dict[str, Any]:
    """What the browser keeps of a table."""
    kept: dict[str, Any] = json.loads(page.evaluate("(game) => localStorage.getItem(`samovar:table:${game}`)", game))
    return kept


def assert_same_in_python(page: Page) -> None:
    """Dealt by the same seed, and the bot on the second chair answers the same."""
    kept = kept_table(page, GAME)
    match = Match(GAME, kept["seats"], int(kept["seed"]))
    bot = make_bot("easy", match.game, int(kept["seed"]) + 1)
    for seat, move in kept["moves"]:
        assert seat == 0 or move == bot.choose(match.seat(seat)).move
        match.play(seat, move)
    assert match.over


def test_several_people_share_a_phone_and_see_their_own_cards_alone(browser: Browser, address: str) -> None:
    context = browser.new_context(**MANNERS["phone"], locale="en")
    page = context.new_page()
    page.goto(f"{address}{PEEK.id}/")
    page.evaluate("localStorage.setItem('samovar:pace', '0')")
    page.locator("#name-0").fill("Anna")
    page.locator("#chair-1").select_option("somebody on this device")
    page.get_by_label("Name on chair 2").fill("Boris")
    page.get_by_role("button", name="Play now").click()
    expect(page.locator(".curtain")).to_be_visible()
    kept = kept_table(page, PEEK.id)
    match = Match(PEEK, 2, int(kept["seed"]), plain=True)
    sees = [CARD.format(card=match.view(seat).seen) for seat in range(2)]
    assert sees[0] != sees[1]
    while not match.over:
        (seat,) = match.actors
        if len(match.history) == 1:  # who made it was shown something
            assert_seen(page, sees, 1 - seat)
            assert page.locator(".page-board .choice").count() == 0
            page.get_by_role("button", name="I have seen it").click()
        expect(page.locator(".curtain .prompt")).to_have_text(f"Hand the device to {kept['chairs'][seat]['name']}")
        assert_seen(page, sees)
        if len(match.history) == 1:
            page.reload()  # what was seen is seen
            expect(page.locator(".curtain")).to_be_visible()
            assert_seen(page, sees)
        page.locator(".curtain button").click()
        expect(page.locator(".curtain")).to_have_count(0)
        assert_seen(page, sees, seat)
        move = page.locator(".page-board .choice").first
        number = page.locator(".table-page").get_attribute("data-number")
        move.click()
        expect(page.locator(".table-page")).not_to_have_attribute("data-number", str(number))
        match.play(*kept_table(page, PEEK.id)["moves"][-1])
    expect(page.locator("form[action=again]")).to_be_visible()
    context.close()


def assert_seen(page: Page, sees: list[str], *seats: int) -> None:
    """What stands in the page, whether it can be seen or not."""
    whole = page.content()
    assert [seat for seat, card in enumerate(sees) if card in whole] == [*seats]
