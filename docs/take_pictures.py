"""Takes the pictures of this folder anew: `make pictures`. Needs Chromium and Playwright.

A site of its own is started. At each table bots play for everybody until the middle of a match;
then somebody opens the personal link of the first chair, and the picture shows what they see.
"""

from __future__ import annotations

import base64
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, sync_playwright

import samovar.web
from samovar.client import Client, ServerError
from samovar.engine.registry import find_game
from samovar.web.notifications.events import TableEvent
from samovar.web.notifications.words import message as message_of

PICTURES = Path(__file__).parent / "pictures"
# Game, seats, moves made before the picture is taken, options.
TABLES: list[tuple[str, int, int, dict[str, Any]]] = [
    ("matryoshka", 4, 60, {}),
    ("memoarrrr", 3, 9, {}),
    ("varvitikud", 3, 26, {}),
    ("babuschka", 2, 44, {}),
]
SIZES = {"": ({"width": 1200, "height": 800}, "light"), "-phone": ({"width": 360, "height": 740}, "dark")}
QUALITY = 82
LESSON = "/learn/memoarrrr/27-on"  # its first turn


@contextmanager
def site() -> Iterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        command = [
            sys.executable,
            "-m",
            "samovar",
            "serve",
            "--no-browser",
            "--host",
            "127.0.0.1",
            "--port",
            str(port),
            "--data",
            folder,
        ]
        environment = {**os.environ, "SAMOVAR_BOT_PAUSE": "0"}
        process = subprocess.Popen([*command, "--requests-per-minute", "0"], env=environment, stdout=subprocess.DEVNULL)
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(30)


def wait_for(client: Client) -> None:
    for _ in range(600):
        try:
            client.games()
            return
        except (ServerError, OSError):
            time.sleep(0.1)
    raise SystemExit("The site does not answer.")


def middle_of_a_match(client: Client, game: str, seats: int, moves: int, options: dict[str, Any]) -> str:
    """The personal link of the first chair, once so many moves are made and it is its turn."""
    while True:
        table = client.make_table(
            game, seats=seats, chairs=["token", *["medium"] * (seats - 1)], options=options, name="Anna"
        )
        seat = table.seats[0]
        assert seat is not None
        for look in seat.events():
            if look["status"] == "over":
                break  # too short: another one
            if 0 in look["actors"] and look["legal"]:
                if look["moment"] >= moves:
                    return f"{table.page}/come/{seat.token}"
                seat.hand_over("medium")
            elif look["moment"] >= moves and look["people"][0]["kind"] == "absent":
                seat.come_back()


def take(browser: Browser, address: str, name: str, link: str | None = None) -> None:
    """In every size, by the same visitor: a personal link works once."""
    context = browser.new_context(locale="en-GB", reduced_motion="reduce")
    page = context.new_page()
    page.goto(link or address)
    if link:
        page.locator("main form button").click()
        page.locator("[data-table]").wait_for()
    for suffix, (viewport, scheme) in SIZES.items():
        page.set_viewport_size(viewport)  # type: ignore[arg-type]
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        page.reload()
        page.wait_for_timeout(700)
        path = PICTURES / f"{name}{suffix}.jpg"
        page.screenshot(path=path, type="jpeg", quality=QUALITY)
        print(f"{path.name}: {path.stat().st_size // 1024} KB", flush=True)
    context.close()


def take_review(browser: Browser, client: Client, address: str) -> None:
    """Of a match that bots have played, and the first of its moments."""
    table = client.make_table("memoarrrr", seats=3, chairs=["easy", "medium", "easy"])
    while table.look()["status"] != "over":
        time.sleep(0.5)
    table.review()
    take(browser, f"{address}/record/{table.id}/review", "review")
    page = browser.new_page(locale="en-GB", viewport={"width": 1200, "height": 800})
    page.goto(f"{address}/record/{table.id}/review")
    path = PICTURES / "review-moment.jpg"
    page.locator(".review-moment").first.screenshot(path=path, type="jpeg", quality=QUALITY)
    print(f"{path.name}: {path.stat().st_size // 1024} KB", flush=True)
    page.close()


# No browser can take a picture of its system's messages: this one is drawn, with the words that are sent.
LOCKED_PHONE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>A phone</title><style>
body {{ margin: 0; height: 740px; background: linear-gradient(160deg, #3b2318, #8a3b2a 60%, #d9a441); color: #fff;
  font: 15px system-ui, sans-serif; }}
h1 {{ margin: 0; padding-top: 110px; text-align: center; font-size: 76px; font-weight: 300; }}
h1 + p {{ margin: 0 0 60px; text-align: center; font-size: 18px; }}
section {{ margin: 0 14px; padding: 14px 16px; border-radius: 18px; background: #fff; color: #1e1512;
  display: grid; grid-template-columns: 44px 1fr; gap: 0 12px; }}
img {{ width: 44px; height: 44px; grid-row: 1 / 4; border-radius: 10px; }}
small {{ color: #6b5a50; }}
b, span {{ display: block; margin-top: 3px; }}
</style><h1>19:42</h1><p>Friday</p>
<section><img src="data:image/png;base64,{icon}" alt=""><small>Samovar · now</small>
<b>{title}</b><span>{text}</span></section>"""


def take_message(browser: Browser) -> None:
    """A phone whose owner is called to a table."""
    message = message_of([TableEvent("table", 1, "turn", 0, find_game("memoarrrr").name, ("Lea", "Yann"))], "en")
    page = browser.new_page(viewport={"width": 360, "height": 740}, device_scale_factor=2)
    icon = base64.b64encode((Path(samovar.web.__path__[0]) / "static" / "icon-192.png").read_bytes()).decode()
    page.set_content(LOCKED_PHONE.format(icon=icon, title=message.title, text=message.text))
    path = PICTURES / "message-phone.jpg"
    page.screenshot(path=path, type="jpeg", quality=QUALITY)
    print(f"{path.name}: {path.stat().st_size // 1024} KB", flush=True)
    page.close()


def main() -> None:
    chromium = next(
        (
            path
            for name in ("chromium", "chromium-headless-shell", "chromium-browser", "google-chrome")
            if (path := shutil.which(name))
        ),
        None,
    )
    if chromium is None:
        raise SystemExit("There is no Chromium here; on Debian: apt install chromium")
    PICTURES.mkdir(exist_ok=True)
    with site() as address, sync_playwright() as playwright:
        client = Client(address)
        wait_for(client)
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        take(browser, f"{address}/", "home")
        take(browser, f"{address}{LESSON}", "lesson")
        take_message(browser)
        take_review(browser, client, address)
        for game, seats, moves, options in TABLES:
            take(browser, address, game, middle_of_a_match(client, game, seats, moves, options))
        browser.close()


if __name__ == "__main__":
    main()
