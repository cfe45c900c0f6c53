"""The site as a process of its own, and people who visit it with a real browser: with a mouse, a phone, the keyboard alone, or without scripts."""

from __future__ import annotations

import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Locator, Page, sync_playwright

PATIENCE = 20.0  # seconds until something that must happen counts as not happening
MANNERS: dict[str, dict[str, Any]] = {
    "mouse": {"viewport": {"width": 1200, "height": 900}},
    "keyboard": {"viewport": {"width": 1200, "height": 900}},
    "phone": {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True},
    "scriptless": {"viewport": {"width": 1200, "height": 900}, "java_script_enabled": False},
}


class Missing(Exception):
    """Why there is no browser here."""


def find_chromium() -> str:
    for name in ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"):
        if path := shutil.which(name):
            return path
    raise Missing("no Chromium here: install the Debian package 'chromium'")


@contextmanager
def running_browser() -> Iterator[Browser]:
    path = find_chromium()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()


class Server:
    """`samovar serve` on a free port of this machine. It can be killed and started again on the same data and port."""

    def __init__(self, folder: Path, **environment: str) -> None:
        self._folder = folder
        self._environment = {**os.environ, "SAMOVAR_BOT_PAUSE": "0", **environment}
        self.port = free_port()
        self.address = f"http://localhost:{self.port}"
        self.start()

    def start(self) -> None:
        told = ["--no-browser", "--host", "127.0.0.1", "--port", str(self.port), "--data", str(self._folder), "--requests-per-minute", "0"]
        command = [sys.executable, "-c", "from samovar.cli import main; main()", "serve", *told]
        self._log = open(self._folder / "log", "ab")  # noqa: SIM115 - open as long as the server
        self._process = subprocess.Popen(command, stdout=self._log, stderr=self._log, env=self._environment, cwd=self._folder)
        until(self._answers, seconds=60)

    def kill(self) -> None:
        """As a power cut would: without a word."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        self._end(signal.SIGTERM)

    @property
    def log(self) -> str:
        """What it complained about."""
        return (self._folder / "log").read_text(encoding="utf-8")

    def _end(self, how: signal.Signals) -> None:
        self._process.send_signal(how)
        self._process.wait(timeout=30)
        self._log.close()

    def _answers(self) -> bool:
        assert self._process.poll() is None, self.log
        try:
            with urllib.request.urlopen(f"{self.address}/health", timeout=5) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def until(holds: Callable[[], Any], seconds: float = PATIENCE, what: str = "", pause: Callable[[], Any] = lambda: time.sleep(0.02)) -> Any:
    """Waits until something holds, and returns it."""
    end = time.monotonic() + seconds
    while not (found := holds()):
        assert time.monotonic() < end, f"did not happen: {what or holds}"
        pause()
    return found


# One look at a page: all that a player goes by. Names are those of what can be clicked on the board.
LOOK = """() => {
  const page = document.querySelector("[data-table]"), board = document.querySelector('[data-part="board"]');
  if (!page || !board) return null;
  const open = [...board.querySelectorAll(".spot.choice:not(.picked)")].filter((spot) => spot.getClientRects().length);
  const several = board.querySelector("[data-several]");
  return {
    table: page.dataset.table, state: page.dataset.state, number: Number(page.dataset.number), turn: page.dataset.turn === "yes", over: !!board.querySelector(".page-sheet"),
    moves: open.filter((spot) => spot.matches("button")).map((spot) => spot.dataset.name),
    picks: open.filter((spot) => spot.matches("a")).map((spot) => spot.dataset.name),
    picked: [...board.querySelectorAll(".picked")].map((spot) => spot.dataset.name),
    wanted: several ? Number(several.dataset.several) : 0,
    boxes: several ? [...several.querySelectorAll("input")].map((box) => [box.value, box.checked]) : [],
    problem: document.querySelector("#problem:not([hidden])")?.textContent || "",
    news: document.querySelector(".page-news .latest")?.textContent || "",
  };
}"""

# Which way round the page Tab goes, as far as one step is concerned: how many steps from where the focus is to an element.
STEPS = """(target) => {
  const places = [...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, summary, [tabindex]")].filter(
    (place) => place === document.activeElement || (place.tabIndex >= 0 && !place.disabled && place.checkVisibility({ checkVisibilityCSS: true })));
  const from = document.activeElement === document.body ? -1 : places.indexOf(document.activeElement);
  return places.indexOf(target) - from;
}"""


class Guest:
    """Somebody with a browser of their own."""

    def __init__(self, browser: Browser, address: str, manner: str = "mouse", *, seed: int = 1, language: str = "en-GB", **context: Any) -> None:
        self.manner = manner
        self.address = address
        self.choose = random.Random(seed)
        self.context: BrowserContext = browser.new_context(**{**MANNERS[manner], "locale": language, "base_url": address, **context})
        self.context.set_default_timeout(PATIENCE * 1000)
        self.complaints: list[str] = []
        self.loads = 0
        self._number = 0
        self.page = self.new_page()

    def new_page(self) -> Page:
        """Another tab."""
        page = self.context.new_page()
        page.on("console", lambda message: message.type in ("error", "warning") and self.complaints.append(f"{page.url}: {message.text}"))
        page.on("pageerror", lambda error: self.complaints.append(f"{page.url}: {error}"))
        page.on("load", lambda _: self._count())
        return page

    def _count(self) -> None:
        self.loads += 1

    def go(self, address: str) -> None:
        self.page.goto(address)

    def open_table(self, game: str, seats: int, name: str = "Anna", *, bots: int = 0, **facts: Any) -> str:
        """Through the form for new tables; `bots` take the last chairs. Returns the link to the table."""
        self.go(f"/new/{game}?seats={seats}")
        self.fill("#name", name)
        for seat in range(seats - bots, seats):
            self.page.select_option(f"#chair-{seat}", "easy")
        for field, value in facts.items():
            self.set(self.page.locator(f"#{field.replace('_', '-') if field == 'open_table' else field}"), value)
        self.press(self.page.locator(".new-table button.primary"))
        self.page.wait_for_url("**/table/*")
        return self.page.url

    def set(self, field: Locator, value: Any) -> None:
        if isinstance(value, bool):
            field.set_checked(value)
        elif field.evaluate("field => field.tagName") == "SELECT":
            field.select_option(str(value))
        else:
            field.fill(str(value))

    def sit(self, link: str, name: str = "Boris") -> None:
        self.go(link)
        self.fill("#sit-name", name)
        self.press(self.page.locator(".invite button.primary"))
        self.page.locator("#say").wait_for()

    def fill(self, field: str, text: str) -> None:
        place = self.page.locator(field)
        if self.manner == "keyboard":
            self.walk_to(place)
            self.page.keyboard.press("Control+A")
            self.page.keyboard.type(text)
        else:
            place.fill(text)

    def press(self, place: Locator, key: str = "Enter") -> None:
        """A click, a tap, or the way there by Tab and a key."""
        if self.manner == "phone":
            place.tap()
        elif self.manner == "keyboard":
            self.walk_to(place)
            self.page.keyboard.press(key)
        else:
            place.click()

    def walk_to(self, place: Locator) -> None:
        """By Tab or Shift+Tab alone. What has the focus then must be the place, and it must be seen to have it."""
        steps = place.evaluate(STEPS)
        for _ in range(abs(steps)):
            self.page.keyboard.press("Tab" if steps > 0 else "Shift+Tab")
        assert place.evaluate("place => place === document.activeElement"), f"Tab does not lead to {place} in {steps} steps"
        assert place.evaluate(SHOWS_FOCUS), f"the focus on {place} cannot be seen"

    def look(self) -> Any:
        """None while a page is being loaded."""
        try:
            return self.page.evaluate(LOOK)
        except Exception as error:
            if "context was destroyed" in str(error) or "navigat" in str(error):
                return None
            raise

    def until(self, holds: Callable[[Any], Any], what: str = "", seconds: float = PATIENCE) -> Any:
        """Waits until a look at the table shows what is expected, and returns that look."""

        def check() -> Any:
            seen = self.look()
            return seen if seen and holds(seen) else None

        return until(check, seconds, what, lambda: self.page.wait_for_timeout(15))

    def spot(self, name: str) -> Locator:
        return self.page.locator(f'[data-part="board"] .choice[data-name="{name}"]')

    def move(self) -> Any:
        """One whole move by what can be clicked, picks first. Returns the look after it."""
        seen = self.until(lambda seen: seen["turn"], "a turn")
        self._number = int(seen["number"])
        if seen["wanted"]:
            self.tick(seen)
            return self.send(self.page.locator("[data-several] button[name=move]"))
        while not seen["moves"] or (seen["picks"] and not seen["picked"] and self.choose.random() < 0.5):
            seen = self.pick(seen)
        return self.send(self.spot(self._prefer(seen["moves"])))

    def send(self, button: Locator) -> Any:
        """Makes a move, and waits until the page shows what the server answered to it."""
        with self.page.expect_response(lambda answer: answer.request.method == "POST") as awaited:
            self.press(button)
        answer = awaited.value
        assert answer.status in (200, 303), answer.text()
        number = answer.json()["number"] if answer.status == 200 else self._number + 1
        seen = self.until(lambda seen: seen["number"] >= number, f"the page shows entry {number}")
        self._number = int(seen["number"])
        return seen

    def pick(self, seen: Any) -> Any:
        """A step towards a move: another one is chosen where one step more is to be made."""
        name = self._prefer(seen["picks"])
        self.press(self.spot(name))
        return self.until(lambda now: name in now["picked"], f"{name} is picked")

    def tick(self, seen: Any) -> None:
        """As many boxes as are wanted."""
        boxes = dict(seen["boxes"])
        wanted = set(self.choose.sample(sorted(boxes), seen["wanted"]))
        for card, ticked in boxes.items():
            if ticked != (card in wanted):
                box = f'input[value="{card}"]'
                self.press(self.page.locator(f"[data-several] {box if self.manner == 'keyboard' else f'label:has({box})'}"), "Space")

    def _prefer(self, names: list[str]) -> str:
        """Any of them; those who walk by Tab take one that is near."""
        return self.choose.choice(names[:4] if self.manner == "keyboard" else names)

    def runs_over(self) -> int:
        """By how many pixels the page is wider than the screen."""
        return int(self.page.evaluate("document.documentElement.scrollWidth - innerWidth"))

    def close(self) -> None:
        self.context.close()


SHOWS_FOCUS = """(place) => {
  const style = getComputedStyle(place), boxes = place.matches("input[type=checkbox]") ? getComputedStyle(place.closest("label") || place) : style;
  return [style, boxes].some((one) => one.outlineStyle !== "none" && parseFloat(one.outlineWidth) >= 2);
}"""
