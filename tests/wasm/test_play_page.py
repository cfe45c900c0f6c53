"""The page of the documentation on which games are played, in a real browser and from static files alone."""

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Error, Page, expect

from samovar.bots import make_bot
from samovar.engine.match import Match
from samovar.engine.records.record import replay
from samovar.testing.wasm import what_is_missing
from support.browsers import MANNERS
from support.documents import ROOT

pytestmark = pytest.mark.browser

GAMES = ("connect_four", "babuschka")
FINGER = 44  # pixels that a finger needs
MOST_TABS = 60
NO_SEARCH = "Network error"  # the documentation's search says so without a network: only this page is kept
SIZES = """() => [...document.querySelectorAll(".play button, .play select, .play-save")]
  .filter((place) => place.checkVisibility()).map((place) => {
    const { width, height } = place.getBoundingClientRect();
    return [place.outerHTML.slice(0, 80), Math.min(width, height)];
  })"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The documentation, as `make docs` builds it."""
    if missing := what_is_missing():
        pytest.skip(missing)
    sources = tmp_path_factory.mktemp("docs")
    subprocess.run([sys.executable, str(ROOT / "docs" / "generate.py"), str(sources)], timeout=240, check=True)
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--config-file", str(sources / "mkdocs.yml")]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    subprocess.run(command, env=environment, timeout=120, check=True)
    return sources / "site"


class Files(SimpleHTTPRequestHandler):
    """Nothing is kept by the browser of its own accord, so that only the page's worker can keep it."""

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-store")
        super().end_headers()

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def serving(site: Path, port: int = 0) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", port), partial(Files, directory=str(site))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture
def address(site: Path) -> Iterator[str]:
    with serving(site) as address:
        yield address


Visit = Callable[..., Page]


@pytest.fixture
def visit(browser: Browser) -> Iterator[Visit]:
    """Opens the page. Whatever is done there, nothing is asked of other hosts, and no script fails."""
    contexts: list[BrowserContext] = []
    complaints: list[str] = []

    def visit(address: str, game: str = "connect_four", manner: str = "mouse") -> Page:
        context = browser.new_context(**MANNERS[manner])
        contexts.append(context)
        context.on("request", lambda asked: None if asked.url.startswith((address, "blob:")) else complain(asked.url))
        page = context.new_page()
        page.on("pageerror", lambda error: None if str(error) == NO_SEARCH else complain(str(error)))
        page.goto(f"{address}play/#{game}")
        return page

    def complain(what: str) -> None:
        complaints.append(what)

    yield visit
    for context in contexts:
        context.close()
    assert complaints == []


# How a person plays


def wait_for_turn(page: Page) -> bool:
    """Whether the person may move; else the match is over."""
    page.locator(".play-table button, .play-save:visible").first.wait_for()
    return not page.locator(".play-save").is_visible()


def click_move(page: Page, text: str) -> None:
    """`d`: a column; `c1-e3`: a doll and where it goes."""
    *picked, name = text.split("-")
    for start in picked:
        page.locator(f"[data-pick={start}]").click()
    page.locator(f"[data-move][data-name={name}]").click()


class Follower:
    """A person who goes by what the page says alone, and plays the same match in Python, where a good bot helps."""

    def __init__(self, page: Page, game: str) -> None:
        self.page = page
        self.match = Match(game, 2, seed=1, first=0)
        self.adviser = make_bot("expert", self.match.game, 1)

    def move(self) -> None:
        told = self.page.locator(".play-status").inner_text()
        if heard := re.search(r"The bot .*? (?:from (\w\d) to|column) (\w\d?)\.", told):
            self.match.play(1, "-".join(filter(None, heard.groups())))
        text = self.match.move_text(0, self.adviser.choose(self.match.seat(0)).move)
        self.match.play(0, text)
        click_move(self.page, text)


def play_to_the_end(page: Page, make_move: Callable[[], None]) -> int:
    """How many moves the person made."""
    count = 0
    while wait_for_turn(page):
        make_move()
        count += 1
    return count


def saved(page: Page, folder: Path) -> Match:
    """The match as Python plays it again: `replay` compares the end with the one that the browser wrote down."""
    with page.expect_download() as download:
        page.locator(".play-save").click()
    download.value.save_as(folder / "record.json")
    return replay(folder / "record.json")


def told_result(match: Match) -> str:
    if match.places[0] == match.places[1]:
        return "a draw|You share"
    return "[Yy]ou win" if match.places[0] == 1 else "it wins|bot wins"


def status(page: Page) -> Any:
    return expect(page.locator(".play-status"))


def men(page: Page) -> int:
    return page.locator(".rack .man").count()


@pytest.mark.parametrize(
    ("game", "manner"), [("connect_four", "mouse"), ("connect_four", "phone"), ("babuschka", "mouse")]
)
def test_a_match_played_by_clicks_is_the_one_that_python_plays(
    visit: Visit, address: str, tmp_path: Path, game: str, manner: str
) -> None:
    page = visit(address, game, manner)
    person = Follower(page, game)
    play_to_the_end(page, person.move)
    match = saved(page, tmp_path)
    assert match.game.id == game
    assert match.over
    assert match.history[: len(person.match.history)] == person.match.history
    status(page).to_contain_text(re.compile(told_result(match)))
    expect(page.locator(".play-table button")).to_have_count(0)


def press_to(page: Page, selector: str) -> None:
    """Tab, until it is there, then Enter."""
    for _ in range(MOST_TABS):
        if page.evaluate("(selector) => document.activeElement.matches(selector)", selector):
            page.keyboard.press("Enter")
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not lead to {selector}")


def test_the_keyboard_is_enough(visit: Visit, address: str, tmp_path: Path) -> None:
    page = visit(address)
    wait_for_turn(page)
    page.locator("h1").evaluate("(title) => { title.tabIndex = -1; title.focus(); }")  # behind the head of all pages
    count = play_to_the_end(page, lambda: press_to(page, "[data-move]"))
    assert len(saved(page, tmp_path).history) >= 2 * count - 1
    page.goto("about:blank")
    page.goto(f"{address}play/#babuschka")
    wait_for_turn(page)
    page.locator("h1").evaluate("(title) => { title.tabIndex = -1; title.focus(); }")
    press_to(page, "[data-pick]")
    page.keyboard.press("Escape")
    status(page).to_contain_text("choose one of your dolls")
    page.keyboard.press("Enter")  # the focus is still on the doll
    press_to(page, "[data-move]")
    status(page).to_contain_text("The bot moves a")
    press_to(page, "[name=back]")
    status(page).to_have_text("Your turn: choose one of your dolls.")


def test_a_move_is_taken_back_also_while_the_bot_thinks(visit: Visit, address: str) -> None:
    page = visit(address)
    back = page.get_by_role("button", name="Take back")
    page.locator("[data-move]").nth(3).click()
    status(page).to_contain_text("The bot drops a man")
    assert men(page) == 2
    back.click()
    assert men(page) == 0
    expect(back).to_be_disabled()
    page.locator("[data-move]").nth(3).click()
    back.click()
    status(page).to_have_text("Your turn: choose a column.")
    page.wait_for_timeout(600)  # the bot would have moved by now
    assert men(page) == 0


def test_the_bot_begins_where_it_is_asked_to(visit: Visit, address: str) -> None:
    page = visit(address)
    wait_for_turn(page)
    page.locator("[name=level]").select_option("expert")
    page.locator("[name=begins]").select_option("bot")
    status(page).to_contain_text("The bot drops a man into column")
    assert men(page) == 1
    expect(page.locator(".men")).to_contain_text("expert")
    page.locator("[data-move]").first.click()
    page.locator("[name=begins]").select_option("you")  # a match that is on goes on
    page.wait_for_function("() => document.querySelectorAll('.rack .man').length === 3")
    page.get_by_role("button", name="New game").click()
    status(page).to_have_text("Your turn: choose a column.")
    assert men(page) == 0


# Without a network


def kept(page: Page) -> Page:
    expect(page.locator(".play-offline")).to_be_visible(timeout=20_000)
    return page


def test_it_is_played_without_a_network_after_the_first_visit(visit: Visit, site: Path) -> None:
    with serving(site) as address:
        page = kept(visit(address))
    for game, text, answer in (("connect_four", "d", "The bot drops a man"), ("babuschka", "c1-c2", "The bot moves a")):
        page.goto("about:blank")
        page.goto(f"{address}play/#{game}")
        wait_for_turn(page)
        click_move(page, text)
        status(page).to_contain_text(answer)
    assert page.locator("body").evaluate("(body) => getComputedStyle(body).fontFamily").startswith("Georgia")
    with pytest.raises(Error, match="ERR_CONNECTION_REFUSED"):  # of the documentation nothing else is kept
        page.goto(f"{address}index.html")


def test_a_new_version_replaces_the_old_one(visit: Visit, site: Path, tmp_path: Path) -> None:
    (version,) = (folder.name for folder in (site / "play").iterdir() if folder.is_dir())
    newer = tmp_path / "newer"
    subprocess.run(["cp", "-r", str(site), str(newer)], check=True)
    (newer / "play" / version).rename(newer / "play" / "another")
    for name in ("play/index.html", "play/offline.js"):
        text = (newer / name).read_text(encoding="utf-8")
        assert version in text
        (newer / name).write_text(text.replace(version, "another"), encoding="utf-8")
    with serving(site) as address:
        page = kept(visit(address))
    with serving(newer, int(address.rsplit(":")[-1].strip("/"))):
        page.reload()
        wait_for_turn(page)
        assert page.locator(".play").get_attribute("data-files") == "another/"  # at once
        page.wait_for_function("async () => (await navigator.serviceWorker.getRegistration()).waiting")
        page.goto("about:blank")  # no page of the old one is open any more
        page.goto(f"{address}play/")
        page.wait_for_function("async () => (await caches.keys()).every((name) => name.endsWith(' another'))")
    page.goto("about:blank")
    page.goto(f"{address}play/")
    wait_for_turn(page)


def test_only_this_page_is_kept_and_it_can_be_installed(visit: Visit, address: str) -> None:
    page = kept(visit(address))
    assert page.evaluate("async () => (await navigator.serviceWorker.ready).scope") == f"{address}play/"
    manifest = page.evaluate(
        "async () => (await fetch(document.querySelector('link[rel=manifest]').href)).json()"
        ".then((told) => ({...told, at: document.querySelector('link[rel=manifest]').href}))"
    )
    at = manifest["at"]
    for place, leads in (("start_url", "play/index.html"), ("scope", "play/")):
        assert page.evaluate("([to, at]) => new URL(to, at).href", [manifest[place], at]) == f"{address}{leads}"
    for icon in manifest["icons"]:
        url = page.evaluate("([place, at]) => new URL(place, at).href", [icon["src"], at])
        assert page.request.get(url).ok


# What people see


@pytest.mark.parametrize("game", GAMES)
def test_a_phone_has_room_for_fingers(visit: Visit, address: str, game: str) -> None:
    page = visit(address, game, "phone")
    wait_for_turn(page)
    if game == "babuschka":
        page.locator("[data-pick]").first.click()
    small = [place for place, size in page.evaluate(SIZES) if size < FINGER]
    assert small == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_board_darkens_with_the_page(visit: Visit, address: str) -> None:
    """By the switch of the documentation, whatever the system says."""
    page = visit(address, "babuschka")
    wait_for_turn(page)
    wood = "(table) => getComputedStyle(table).getPropertyValue('--wood')"
    shades = set()
    for scheme in ("default", "slate"):
        page.evaluate("(scheme) => document.body.setAttribute('data-md-color-scheme', scheme)", scheme)
        shades.add(page.locator(".play-table").evaluate(wood))
    assert len(shades) == 2


# What can go wrong is said in a sentence


def opened(visit: Visit, address: str, prepare: Callable[[Page], None]) -> Page:
    page = visit(address)
    page.goto("about:blank")
    prepare(page)
    page.goto(f"{address}play/")
    return page


def test_a_browser_without_webassembly_is_told(visit: Visit, address: str) -> None:
    page = opened(visit, address, lambda page: page.add_init_script("delete globalThis.WebAssembly"))
    status(page).to_have_text("The games need WebAssembly, which this browser does not have.")


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("connect_four.wasm", "connect_four.wasm cannot be loaded: the answer is 404"),
        ("games.json", "The games could not be fetched"),
        ("play.mjs", "The games could not be started"),
    ],
)
def test_a_missing_file_is_told(browser: Browser, address: str, name: str, sentence: str) -> None:
    with browser.new_context(service_workers="block") as context:
        context.route(f"**/{name}", lambda route: route.fulfill(status=404))
        page = context.new_page()
        page.goto(f"{address}play/")
        status(page).to_contain_text(sentence)


def test_games_that_could_not_be_built_are_told(browser: Browser, address: str, tmp_path: Path) -> None:
    """Where there is no linker the documentation is built all the same."""
    done = subprocess.run(
        [sys.executable, str(ROOT / "docs" / "generate.py"), str(tmp_path)],
        env={**os.environ, "PATH": ""}, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "The page docs/play/ will have no games. WebAssembly needs wasm-ld" in done.stderr
    (told,) = tmp_path.glob("docs/play/*/games.json")
    assert json.loads(told.read_text(encoding="utf-8"))["games"] == {}
    with browser.new_context(service_workers="block") as context:
        context.route("**/games.json", lambda route: route.fulfill(path=told))
        page = context.new_page()
        page.goto(f"{address}play/")
        status(page).to_contain_text("The games could not be built when this site was made. WebAssembly needs wasm-ld")
