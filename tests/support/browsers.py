"""People who visit the site with a real browser: with a mouse, a phone, the keyboard alone, or
without scripts."""

from __future__ import annotations

import random
import shutil
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib.resources import files
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Error, Locator, Page, Response, sync_playwright

MOST_STEPS = 300  # of Tab, from one end of a page to the other
MOST_TRIES = 3  # to go to an address
# what the browser says when a page went somewhere by itself meanwhile
INTERRUPTED = ("interrupted by another navigation", "Not attached to an active page", "net::ERR_ABORTED")
PATIENCE = 30.0  # seconds until something that must happen counts as not happening
DESK = {"viewport": {"width": 1200, "height": 900}, "reduced_motion": "reduce"}  # what moves takes its time
MANNERS: dict[str, dict[str, Any]] = {
    "mouse": DESK,
    "lively": {**DESK, "reduced_motion": "no-preference"},
    "keyboard": DESK,
    "phone": {**DESK, "viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True},
    "scriptless": {**DESK, "java_script_enabled": False},
}


class Missing(Exception):
    """Why there is no browser here."""


def find_chromium() -> str:
    """The one without windows first: the others draw theirs, though nobody sees them, which takes most
    of the time."""
    for name in ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"):
        if path := shutil.which(name):
            return path
    raise Missing("no Chromium here: install the Debian package 'chromium-headless-shell' or 'chromium'")


@contextmanager
def running_browser() -> Iterator[Browser]:
    path = find_chromium()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        try:
            yield browser
        finally:
            browser.close()


# Nonces by chance, but the same chance whenever the test is run: so are the cards. The pages of one tab draw on.
SAME_NONCES = """(() => {
  let state = SEED;
  try {
    state += Number(sessionStorage.getItem("test:draws") || 0) * 0x9e3779b9;
    sessionStorage.setItem("test:draws", Number(sessionStorage.getItem("test:draws") || 0) + 1);
  } catch {}
  crypto.getRandomValues = (bytes) => bytes.map(() => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state >>> 24;
  });
})()"""

# One look at a page: all that a player goes by. Names are those of what can be clicked on the
# board.
LOOK = """() => {
  const page = document.querySelector("[data-table]"), board = document.querySelector('[data-part="board"]');
  if (!page || !board) return null;
  const open = [...board.querySelectorAll(".spot.choice:not(.picked)")].filter((spot) => spot.getClientRects().length);
  const several = board.querySelector("[data-several]");
  return {
    table: page.dataset.table, state: page.dataset.state, number: Number(page.dataset.number),
    turn: page.dataset.turn === "yes",
    over: !!board.querySelector(".page-sheet"),
    moves: open.filter((spot) => spot.matches("button")).map((spot) => spot.dataset.name),
    picks: open.filter((spot) => spot.matches("a")).map((spot) => spot.dataset.name),
    picked: [...board.querySelectorAll(".picked")].map((spot) => spot.dataset.name),
    wanted: several ? Number(several.dataset.several) : 0,
    boxes: several ? [...several.querySelectorAll("input")].map((box) => [box.value, box.checked]) : [],
    problem: document.querySelector("#problem:not([hidden])")?.textContent || "",
    news: [...document.querySelectorAll(".page-news li")].map((line) => line.textContent.trim()),
    talk: [...document.querySelectorAll(".page-remarks li")].map((line) => line.textContent.trim()),
  };
}"""

# How many steps of Tab it is from where the focus is to an element; less than none: with Shift.
STEPS = """(target) => {
  const kinds = "a[href], button, input:not([type=hidden]), select, summary, [tabindex]";
  const isSeen = (place) => place.checkVisibility({ checkVisibilityCSS: true });
  const canBeReached = (place) => place.tabIndex >= 0 && !place.disabled && isSeen(place);
  const places = [...document.querySelectorAll(kinds)].filter(
    (place) => place === document.activeElement || canBeReached(place));
  const from = document.activeElement === document.body ? -1 : places.indexOf(document.activeElement);
  return places.indexOf(target) - from;
}"""

# Where something is that can be seen, as soon as it can.
BOX = """(place) => {
  const seen = [...document.querySelectorAll(place)].find((one) => one.checkVisibility() && one.offsetHeight);
  return seen && seen.getBoundingClientRect().toJSON();
}"""

SHOWS_FOCUS = """(place) => [place, place.closest("label") || place].map((one) => getComputedStyle(one))
  .some((style) => style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2)"""


class Guest:
    """Somebody with a browser of their own."""

    def __init__(
        self,
        browser: Browser,
        address: str,
        manner: str = "mouse",
        *,
        seed: int = 1,
        language: str = "en-GB",
        pace: int | None = 0,
        second_look: str | None = "never",
        **context: Any,
    ) -> None:
        """`pace`: how long a look stays at least, in milliseconds; `second_look`: when they are asked before a move.
        None: as for anybody."""
        self.manner = manner
        self.choose = random.Random(seed)
        self.context: BrowserContext = browser.new_context(
            **{**MANNERS[manner], "locale": language, "base_url": address, **context}
        )
        self.context.set_default_timeout(PATIENCE * 1000)
        self.context.add_init_script(SAME_NONCES.replace("SEED", str(seed)))
        if pace is not None:
            self.context.add_init_script(f"try {{ localStorage.setItem('samovar:pace', '{pace}') }} catch {{}}")
        if second_look is not None:
            kept = f"localStorage.setItem('samovar:second_look', '{second_look}')"
            self.context.add_init_script(f"try {{ {kept} }} catch {{}}")
        self.complaints: list[str] = []  # of the browser about our pages
        self.loads = 0
        self.page = self.new_page()

    def new_page(self, address: str = "") -> Page:
        """Another tab."""
        page = self.context.new_page()
        page.on(
            "console",
            lambda message: self._complain(page, message.text) if message.type in ("error", "warning") else None,
        )
        page.on("pageerror", lambda error: self._complain(page, str(error)))
        page.on("load", lambda _: self._count_load())
        if address:
            page.goto(address)
        return page

    def _complain(self, page: Page, complaint: str) -> None:
        self.complaints.append(f"{page.url}: {complaint}")

    def _count_load(self) -> None:
        self.loads += 1

    def close(self) -> None:
        self.context.close()

    # Going about

    def go(self, address: str) -> Response | None:
        """Type an address. A page without scripts loads itself anew every few seconds, and may do so at this very
        moment: the browser then gives up what was typed, and it is typed again."""
        for _ in range(MOST_TRIES):
            try:
                return self.page.goto(address)
            except Error as error:
                if not any(reason in str(error) for reason in INTERRUPTED):
                    raise
        raise AssertionError(f"{self.page.url} loads itself again and again: {address} cannot be reached")

    def reload(self) -> None:
        """Do not wait until a page without scripts loads itself anew; it may do so at the same moment."""
        try:
            self.page.reload()
        except Error as error:
            if not any(reason in str(error) for reason in INTERRUPTED):
                raise

    def open_table(self, game: str, seats: int, name: str = "Anna", *, bots: int = 0, **facts: Any) -> str:
        """Through the form for new tables; bots take the last chairs. Returns the link to the
        table."""
        self.go(f"/new/{game}?seats={seats}")
        self.fill("#name", name)
        for seat in range(seats - bots, seats):
            self.page.select_option(f"#chair-{seat}", "easy")
        for field, value in facts.items():
            self._set(self.page.locator(f'.new-table [name="{field}"]'), value)
        self.press(self.page.locator(".new-table button.primary"))
        self.page.wait_for_url("**/table/*")
        return self.page.url

    def _set(self, field: Locator, value: Any) -> None:
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

    def say(self, text: str) -> None:
        self.fill("#say", text)
        self.press(self.page.locator(".page-say button"))

    def action(self, name: str) -> Locator:
        """The button of something else that can be done at a table."""
        return self.page.locator(f'form[action$="/{name}"] button').first

    def resign(self) -> None:
        """For good; the page of the table is loaded anew then, and may show the end before it is."""
        if not self.action("resign").is_visible():
            self.press(self.page.locator("details:has(form[action$='/resign']) summary"))
        with self.page.expect_navigation(url="**/table/*"):
            self.press(self.action("resign"))
        self.page.locator("#sheet").wait_for()

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
            # not under what stays at the top of the screen
            place.evaluate("place => place.scrollIntoView({ block: 'center' })")
            place.tap()
        elif self.manner == "keyboard":
            self.walk_to(place)
            self.page.keyboard.press(key)
        else:
            place.click()

    def walk_to(self, place: Locator) -> None:
        """By Tab or Shift+Tab alone. What has the focus then must be the place, and it must be seen
        to have it."""
        for _ in range(MOST_STEPS):
            steps = place.evaluate(STEPS)
            if not steps:
                break
            self.page.keyboard.press("Tab" if steps > 0 else "Shift+Tab")
        assert place.evaluate("place => place === document.activeElement"), f"Tab does not lead to {place}"
        assert place.evaluate(SHOWS_FOCUS), f"the focus on {place} cannot be seen"

    # At a table

    def look(self) -> Any:
        """None while a page is being loaded."""
        try:
            return self.page.evaluate(LOOK)
        except Error as error:
            if "context was destroyed" in str(error):
                return None
            raise

    def last_seen(self) -> str:
        """For the report of a test that has failed: what this guest had before their eyes."""
        try:
            words = self.page.locator("[data-part=status], main").first.inner_text(timeout=1000)
            return f"{self.manner} at {self.page.url}: {self.page.evaluate(LOOK)}\n{words}"
        except Error as error:
            return f"{self.manner} at {self.page.url}: {error.message}"

    def until(self, holds: Callable[[Any], Any], what: str) -> Any:
        """Waits until a look at the table shows what is expected, and returns that look."""
        end = time.monotonic() + PATIENCE
        while not ((seen := self.look()) and holds(seen)):
            assert time.monotonic() < end, f"did not happen: {what}. Seen: {seen}"
            self.page.wait_for_timeout(15)
        return seen

    def wait_for(self, condition: str) -> None:
        """Waits until this holds in the page. Playwright gets a function: it asks an expression again by `eval`,
        which our pages forbid, so an expression that does not hold at once fails."""
        self.page.wait_for_function(f"() => {condition}")

    def spot(self, name: str) -> Locator:
        return self.page.locator(f'[data-part="board"] .choice[data-name="{name}"]')

    def move(self) -> Any:
        """One whole move by what can be clicked, picks first. Returns the look after it."""
        seen = self.until(lambda seen: seen["turn"], "a turn")
        if seen["wanted"]:
            self.tick(seen)
            return self.send(self.page.locator("[data-several] button[name=move]"))
        while not seen["moves"] or (seen["picks"] and not seen["picked"] and self.choose.random() < 0.5):
            seen = self.pick(seen)
        return self.send(self.spot(self._prefer(seen["moves"])))

    def send(self, button: Locator) -> Any:
        """Makes a move, and waits until the page shows what the server answered to it."""
        before = self.look()["number"]
        with self.page.expect_response(lambda answer: answer.request.method == "POST") as awaited:
            self.press(button)
        answer = awaited.value
        assert answer.status in (200, 303), answer.status
        number = answer.json()["number"] if answer.status == 200 else before + 1
        return self.until(lambda seen: seen["number"] >= number, f"the page shows entry {number}")

    def pick(self, seen: Any = None) -> Any:
        """A step towards a move."""
        name = self._prefer((seen or self.until(lambda seen: seen["picks"], "something to pick"))["picks"])
        self.press(self.spot(name))
        return self.until(lambda now: name in now["picked"], f"{name} is picked")

    def tick(self, seen: Any) -> None:
        """As many boxes as are wanted."""
        boxes = dict(seen["boxes"])
        wanted = set(self.choose.sample(sorted(boxes), seen["wanted"]))
        for card, is_ticked in sorted(boxes.items(), key=lambda box: box[0] in wanted):  # no more than are wanted
            if is_ticked != (card in wanted):
                self.press(self.box(card), "Space")

    def box(self, card: str) -> Locator:
        box = f'input[value="{card}"]'
        return self.page.locator(f"[data-several] {box if self.manner == 'keyboard' else f'label:has({box})'}")

    def _prefer(self, names: list[str]) -> str:
        """Any of them; those who walk by Tab take one that is near."""
        return self.choose.choice(names[:4] if self.manner == "keyboard" else names)

    def runs_over(self) -> int:
        """By how many pixels the page is wider than the screen."""
        return int(self.page.evaluate("document.documentElement.scrollWidth - innerWidth"))

    def bounds(self, place: str) -> dict[str, float]:
        """Where something lies on the screen: seen and measured in one look, for a page that is brought up
        to date puts other elements in its place."""
        found = self.page.wait_for_function(BOX, arg=place).json_value()
        assert isinstance(found, dict)
        return found


def sit_down(
    visit: Callable[..., Guest], game: str, seats: int = 2, manner: str = "mouse", bots: int = 0, **facts: Any
) -> tuple[Guest, Guest]:
    """Anna opens a table, Boris comes by the link."""
    anna, boris = visit(manner), visit(manner)
    boris.sit(anna.open_table(game, seats, bots=bots, **facts))
    # his page may be loading
    anna.until(lambda seen: seen["state"] == (boris.look() or {}).get("state"), "Anna sees that Boris has sat down")
    return anna, boris


def mover_first(anna: Guest, boris: Guest) -> tuple[Guest, Guest]:
    """Who is to move at a table of two, and who is not: a hand of Värvitikud of which no card fits is passed over,
    also at the start (V8)."""
    turns = (anna, boris), (boris, anna)
    anna.until(lambda _: any((one.look() or {}).get("turn") for one, _ in turns), "somebody is to move")
    return next(turn for turn in turns if (turn[0].look() or {}).get("turn"))


# in dark only colours can differ
# axe looks at letters on a canvas, and the browser would complain that nobody said so when it was made
READ_OFTEN = """() => {
  const make = HTMLCanvasElement.prototype.getContext;
  HTMLCanvasElement.prototype.getContext = function (kind) {
    return make.call(this, kind, { willReadFrequently: true });
  };
}"""
MORE = ["label-content-name-mismatch"]  # who says aloud what they see must be understood; experimental in axe
RULES = {"light": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"], "dark": ["color-contrast"]}


def barriers(page: Page, schemes: Iterable[str] = ("light", "dark")) -> list[str]:
    """What axe finds on a page."""
    found = []
    for scheme in schemes:
        page.emulate_media(color_scheme=scheme)
        if not page.evaluate("!!window.axe"):
            page.evaluate((files("axe_core_python") / "axe.min.js").read_text(encoding="utf-8"))
            page.evaluate(READ_OFTEN)
        told = page.evaluate(
            # the drawings' definitions are not shown, and are most of a page
            "(options) => axe.run({ exclude: [['.sprites']] }, options)",
            {
                "runOnly": RULES[scheme],
                "rules": {rule: {"enabled": True} for rule in MORE},
                "resultTypes": ["violations"],
            },
        )
        found += [
            f"{page.url} {scheme} {one['id']}: {node['html'][:200]}"
            for one in told["violations"]
            for node in one["nodes"]
        ]
    page.emulate_media(color_scheme="light")
    return found
