"""The same in a real browser, where a bot thinks in a Web Worker: the match is the one that Python plays."""

import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from samovar.bots import make_bot
from samovar.engine.match import Match
from samovar.engine.records.record import replay
from samovar.engine.registry import find_game
from samovar.testing.wasm import what_is_missing
from samovar.wasm import write_wasm

pytestmark = pytest.mark.browser

GAME = "connect_four"
LEVELS = ("medium", "search:300")
PLAY = """async (levels) => {
  const { Game } = await import("/samovar.mjs");
  const game = await Game.load("/connect_four.wasm");
  const match = game.match({ seats: 2, seed: 11n });
  const bots = levels.map((level, seat) => game.bot(level, { seed: BigInt(seat) }));
  while (!match.over) {
    const seat = match.actors[0];
    match.apply(seat, (await bots[seat].choose(match, seat)).move);
  }
  for (const bot of bots) bot.close();
  return match.record();
}"""


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """Static files, and nothing behind them."""
    if missing := what_is_missing():
        pytest.skip(missing)
    write_wasm(find_game(GAME), tmp_path)
    (tmp_path / "index.html").write_text("<!doctype html><title>Static files</title>")
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def test_bots_play_the_same_match_in_a_browser(browser: Browser, address: str, tmp_path: Path) -> None:
    page = browser.new_page()
    page.goto(address)
    (tmp_path / "record.json").write_text(page.evaluate(PLAY, LEVELS), encoding="utf-8")
    page.close()
    match = Match(GAME, 2, 11)
    bots = [make_bot(level, match.game, seat) for seat, level in enumerate(LEVELS)]
    while not match.over:
        seat = match.actors[0]
        match.play(seat, bots[seat].choose(match.seat(seat)).move)
    played = replay(tmp_path / "record.json")
    assert played.history == match.history
    assert played.state_bytes == match.state_bytes
