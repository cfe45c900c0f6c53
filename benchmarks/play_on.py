"""How long somebody waits from pressing *Play on* to the page of the table.

    python benchmarks/play_on.py [--rounds 3]

A site in a process of its own, and a browser without scripts. For each of our games a whole match by chance with the
most players is sent to it; then somebody plays on from its last moments, in the world that was, in one that is dealt
anew, and from the position as they would arrange it. Prints the median and the slowest of each, in seconds.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import tempfile
import time
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import httpx

from samovar.engine.match import Match
from samovar.engine.registry import find_game
from web_servers import OURS, server

GAMES = ("babuschka", "matryoshka", "memoarrrr", "varvitikud")
WAYS = ("as it was", "dealt anew", "arranged")
BEFORE_END = 3  # moves
FIELD = re.compile(r'<input type="hidden" name="([^"]+)" value="([^"]*)"')


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    for (game, way), seconds in waits(parser.parse_args().rounds).items():
        print(f"{game:12} {way:12} {statistics.median(seconds):6.3f} {max(seconds):6.3f}")


def waits(rounds: int) -> dict[tuple[str, str], list[float]]:
    found: dict[tuple[str, str], list[float]] = {}
    for game in GAMES:  # a site each: one address may not open more tables in a minute
        with tempfile.TemporaryDirectory() as folder, server(OURS, Path(folder)) as (url, _):
            for way, seconds in waits_for(url, game, rounds):
                found.setdefault((game, way), []).append(seconds)
    return found


def waits_for(url: str, game: str, rounds: int) -> Iterator[tuple[str, float]]:
    match = Match(game, seats=max(find_game(game).seats), seed=1)
    match.play_random(1)
    at = len(match.history) - BEFORE_END
    with httpx.Client(base_url=url, follow_redirects=True, timeout=60) as client:
        token = fields(client.get("/record"))["_csrf_token"]
        file = {"record": ("match.json", json.dumps(match.record()).encode())}
        record = client.post("/record", data={"_csrf_token": token}, files=file).url.path
        for _ in range(rounds):
            for way in WAYS:
                yield way, once(client, game, record, at, way)


def once(client: httpx.Client, game: str, record: str, at: int, way: str) -> float:
    """Somebody who looks at the page, and then presses."""
    arranged = way == "arranged"
    there = f"/arrange/{game}?record={record.rpartition('/')[2]}" if arranged else f"{record}/on?eyes=0"
    form = {**fields(client.get(f"{there}&at={at}")), "name": "Anna", "seat": "0", "others": "easy"}
    to = f"/arrange/{game}/play" if arranged else f"{record}/on"
    began = time.perf_counter()
    page = client.post(to, data={**form, "world": "0" if way == "dealt anew" else ""})
    seconds = time.perf_counter() - began
    if not page.url.path.startswith("/table/") or page.is_error:
        raise RuntimeError(f"{game}, {way}: {page.status_code} at {page.url}")
    return seconds


def fields(page: httpx.Response) -> dict[str, str]:
    return {name: unescape(value) for name, value in FIELD.findall(page.text)}


if __name__ == "__main__":
    main()
