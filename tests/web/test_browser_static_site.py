"""The site without a server: a phone that has been there once plays a whole match without a network."""

import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from samovar.engine.registry import find_game
from samovar.testing.wasm import what_is_missing
from samovar.web.static_site.files import write_site
from support.browsers import MANNERS, PATIENCE

pytestmark = pytest.mark.browser

GAME = "connect_four"  # which is no game of ours: an author's is played as they are
MOST_CLICKS = 400


class Files(SimpleHTTPRequestHandler):
    """Nothing is kept by the browser of its own accord, so that only the site's worker can keep it."""

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-store")
        super().end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    if missing := what_is_missing():
        pytest.skip(missing)
    write_site([find_game(GAME)], tmp_path)
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Files, directory=str(tmp_path))) as server:
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
    page.locator(".game-play").click()
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
    assert mistakes == []
    context.close()
