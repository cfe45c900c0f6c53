"""What a crowd does to everybody else: how long a person waits for an easy bot while hundreds of
tables wait for experts, and how long the site stands still while it plays the longest record that
can be sent.

    python benchmarks/crowd.py [--tables 200] [--game memoarrrr] [--answers 12] [--seconds 120]
    python benchmarks/crowd.py --record

Starts a site of its own on this machine. The tables of the crowd are either bots' alone, or have
one chair that is played from here. To see the figures of another version, let PYTHONPATH name its
`src`.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import random
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from samovar.client import Client, Seat, ServerError
from samovar.engine.match import Match

CROWD, PROBED = "expert", "easy"
LONGEST_WAIT = 90.0  # seconds for one answer
POLL_SECONDS, MOVE_SECONDS, PROBE_SECONDS = 0.02, 0.03, 0.01
RECORD_MOVES = 41_000  # as many as fit into 512 KiB


def main() -> None:
    chosen = arguments()
    print(f"{os.cpu_count()} cores, load average {os.getloadavg()[0]:.1f} at the start")
    if chosen.record:
        with serving() as url:
            measure_record(url)
        return
    for name, tables, chairs in (
        ("nobody else", 0, []),
        ("bots alone", chosen.tables, [CROWD]),
        ("people", chosen.tables, ["token", CROWD]),
    ):
        with serving() as url:
            measure_crowd(url, chosen, name, tables, chairs)
    print(f"load average {os.getloadavg()[0]:.1f} at the end")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=200, help="of the crowd")
    parser.add_argument("--game", default="memoarrrr")
    parser.add_argument("--answers", type=int, default=12, help="of the easy bot that are timed")
    parser.add_argument("--seconds", type=float, default=120, help="after which no further answer is asked for")
    parser.add_argument("--record", action="store_true", help="send the longest record instead")
    return parser.parse_args()


@contextmanager
def serving() -> Iterator[str]:
    """A site with an empty database and no limits, ended with all its processes."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        where = [
            "--host",
            "127.0.0.1",
            "--port",
            str(port),
            "--data",
            folder,
            "--requests-per-minute",
            "0",
            "--no-browser",
        ]
        process = subprocess.Popen([sys.executable, "-m", "samovar", "serve", *where], stdout=subprocess.DEVNULL)
        try:
            wait_for(f"http://127.0.0.1:{port}", process)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait(20)


def wait_for(url: str, process: subprocess.Popen[bytes]) -> None:
    for _ in range(600):
        if process.poll() is not None:
            sys.exit("The site ended by itself.")
        with suppress(OSError):
            read(f"{url}/health")
            return
        time.sleep(0.1)
    sys.exit("The site does not answer.")


def read(url: str) -> str:
    with urllib.request.urlopen(url, timeout=60) as answer:
        return str(answer.read().decode())


def figure(url: str, name: str) -> float:
    line = re.search(rf"^samovar_{name} (\S+)$", read(f"{url}/metrics"), re.MULTILINE)
    return float(line[1]) if line else 0.0


# Waiting for a bot


def measure_crowd(url: str, chosen: argparse.Namespace, name: str, tables: int, chairs: list[str]) -> None:
    waited, waiting, answered = waits(url, chosen, tables, chairs)
    text = (
        f"median {statistics.median(waited):.2f} s, longest {max(waited):.2f} s ({len(waited)} answers)"
        if waited
        else "no answer"
    )
    print(
        f"{tables} tables of experts, {name}: {text}; {waiting:.0f} questions waiting, {answered:.0f} answered",
        flush=True,
    )


def waits(url: str, chosen: argparse.Namespace, tables: int, chairs: list[str]) -> tuple[list[float], float, float]:
    """The seconds of the easy bot's answers beside so many tables of a crowd, and how many questions wait and are
    answered by then."""
    client = Client(url)
    while figure(url, "bots_games_compiled") < len(client.games()):
        time.sleep(0.5)
    seats = next(max(game["seats"]) for game in client.games() if game["game"] == chosen.game)
    crowd_tables = [
        client.make_table(chosen.game, chairs=[*chairs, *[CROWD] * (seats - len(chairs))]) for _ in range(tables)
    ]
    own = [table.seats[0] for table in crowd_tables if table.seats[0] is not None]
    with going_on(lambda: move_all(own)):
        time.sleep(5 if tables else 0)
        return list(answers(client, chosen)), figure(url, "bots_waiting"), figure(url, "bots_answered_total")


def answers(client: Client, chosen: argparse.Namespace) -> Iterator[float]:
    """The seconds that the easy bot of another table takes for each of its moves, as its opponent
    sees them."""
    until = time.monotonic() + chosen.seconds
    answered = 0
    while answered < chosen.answers and time.monotonic() < until:
        seat = client.make_table(chosen.game, chairs=["token", PROBED]).seats[0]
        assert seat is not None
        look = seat.look()
        while look["status"] != "over" and answered < chosen.answers and time.monotonic() < until:
            if look["legal"]:
                seat.play(random.choice(look["legal"])["move"])
                look = seat.look()
                continue
            began = time.monotonic()
            look = next_look(seat, look["revision"], began + LONGEST_WAIT)
            answered += 1
            yield time.monotonic() - began


def next_look(seat: Seat, revision: int, until: float) -> dict[str, Any]:
    while (look := seat.look())["revision"] == revision and time.monotonic() < until:
        time.sleep(POLL_SECONDS)
    return look


def move_all(seats: list[Seat]) -> None:
    """One round: whoever of the crowd has a turn makes any move."""
    for seat in seats:
        with suppress(ServerError):  # the table has moved on, or is over
            if moves := seat.legal():
                seat.play(random.choice(moves)["move"])
        time.sleep(MOVE_SECONDS)
    time.sleep(MOVE_SECONDS)


@contextmanager
def going_on(deed: Callable[[], None]) -> Iterator[None]:
    """Done again and again in a thread of its own, as long as this lasts."""
    ended = threading.Event()

    def repeat() -> None:
        while not ended.is_set():
            deed()

    thread = threading.Thread(target=repeat)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


# Playing a record


def measure_record(url: str) -> None:
    content = json.dumps(longest_match().record(), separators=(",", ":")).encode()
    print(f"a record of {RECORD_MOVES} moves, {len(content) // 1000} kB")
    time.sleep(30)  # what is compiled in the background would disturb
    for path in ("", "?at=1", "/download"):  # so that the pages themselves are no longer new
        read(url + send(url, json.dumps(Match("babuschka", 4, 1).record()).encode()) + path)
    for deed, address in (("nothing", ""), ("sent", "/record"), ("sent again", "/record")):
        late: list[float] = []
        with going_on(lambda late=late: late.append(answer_time(url))):  # type: ignore[misc]
            began = time.monotonic()
            where = send(url, content) if address else ""
            took = time.monotonic() - began
            time.sleep(3)
        report(deed, took, late)
        if where:
            measure_views(url, where)


def measure_views(url: str, where: str) -> None:
    for path in (where, f"{where}?at=20000", f"{where}/download"):
        late: list[float] = []
        with going_on(lambda late=late: late.append(answer_time(url))):  # type: ignore[misc]
            began = time.monotonic()
            read(url + path)
            took = time.monotonic() - began
            time.sleep(1)
        report(re.sub(r"/record/[\w-]+", "seen ", path), took, late)


def report(deed: str, took: float, late: list[float]) -> None:
    print(
        f"{deed}: {took:.2f} s; /health meanwhile: median {1000 * statistics.median(late):.0f} ms, longest "
        f"{1000 * max(late):.0f} ms",
        flush=True,
    )


def answer_time(url: str) -> float:
    time.sleep(PROBE_SECONDS)
    began = time.perf_counter()
    read(f"{url}/health")
    return time.perf_counter() - began


def send(url: str, content: bytes) -> str:
    """The address of the record's page."""
    connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=120)
    connection.request("GET", "/record")
    page = connection.getresponse()
    cookies = [value.split(";")[0] for name, value in page.getheaders() if name.lower() == "set-cookie"]
    token = re.search(r'name="_csrf_token" value="([^"]+)"', page.read().decode())
    assert token is not None
    fields = {'name="_csrf_token"': token[1].encode(), 'name="record"; filename="record.json"': content}
    body = b"".join(
        b"--line\r\nContent-Disposition: form-data; %s\r\n\r\n%s\r\n" % (name.encode(), value)
        for name, value in fields.items()
    )
    headers = {"Content-Type": "multipart/form-data; boundary=line", "Cookie": "; ".join(cookies)}
    connection.request("POST", "/record", body + b"--line--\r\n", headers)
    answer = connection.getresponse()
    answer.read()
    if answer.status != 303:
        print(f"refused with {answer.status}")
    return answer.getheader("location") or ""


def longest_match() -> Match:
    """Four players of Babuschka who go sideways for as long as they can, and forward only before
    the patience ends."""
    choose = random.Random(1)
    match = Match("babuschka", 4, 1, patience=1000)
    while len(match.history) < RECORD_MOVES:
        moves = match.legal(match.actors[0])
        choose.shuffle(moves)
        if not any(plays_on(match, move, is_quiet) for is_quiet in (True, False) for move in moves):
            sys.exit("The match ended too soon.")
    return match


def plays_on(match: Match, move: int, is_quiet: bool) -> bool:
    """Makes a move of this kind, if it is one and does not end the match."""
    match.play(match.actors[0], move)
    if bool(match.state.quiet) == is_quiet and not match.over:
        return True
    match.undo()
    return False


if __name__ == "__main__":
    main()
