"""How soon somebody who is away is called: from the answer to a move until the message is there.

    python benchmarks/calls.py [--tables 100] [--seconds 20]

Starts a site of its own on this machine, and a receiver that takes messages as ntfy does. At each
table one person moves, and the other one, who has gone, is called. Each must get one message.
"""

from __future__ import annotations

import argparse
import http.client
import os
import random
import re
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

GONE_SECONDS = 21.0  # after which nobody counts as looking
LATE_SECONDS = 30.0  # after the last move
TABLES_AN_ADDRESS = 10


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=20.0, help="over which all moves are spread")
    chosen = parser.parse_args()
    with receiver() as (target, came), serving() as url:
        movers = [
            table_of_two(url, f"{target}/{number}", f"127.0.0.{2 + number // TABLES_AN_ADDRESS}")
            for number in range(chosen.tables)
        ]
        time.sleep(GONE_SECONDS)
        moved = move_all(movers, chosen.seconds)
        until = time.monotonic() + LATE_SECONDS
        while time.monotonic() < until and len(came) < chosen.tables:
            time.sleep(0.1)
        time.sleep(5)  # a second message would come by then
    waits = sorted(came[number][0] - moved[number] for number in moved if came[number])
    twice = sum(len(times) > 1 for times in came.values())
    load = os.getloadavg()[0]
    print(f"{os.cpu_count()} cores, load average {load:.1f}; {chosen.tables} turns within {chosen.seconds:g} s")
    print(f"{len(waits)} were called, {twice} of them twice")
    p95 = waits[int(0.95 * len(waits))]
    print(f"seconds until the message: p50 {statistics.median(waits):.2f}, p95 {p95:.2f}, latest {waits[-1]:.2f}")


class From(urllib.request.HTTPHandler):
    """Connects from another address of the loopback: what one address may do is bounded."""

    def __init__(self, address: str) -> None:
        super().__init__()
        self._address = address

    def http_open(self, request: urllib.request.Request) -> http.client.HTTPResponse:
        def connect(host: str, **settings: Any) -> http.client.HTTPConnection:
            return http.client.HTTPConnection(host, source_address=(self._address, 0), **settings)

        return self.do_open(connect, request)


class Browser:
    def __init__(self, url: str, address: str) -> None:
        self.url = url
        self._opener = urllib.request.build_opener(From(address), urllib.request.HTTPCookieProcessor())
        self.page = ""
        self.address = ""

    def go(self, path: str, **form: str) -> None:
        """A page, or a form of the page before."""
        token = re.search(r'name="_csrf_token" value="(\w+)"', self.page)
        data = urllib.parse.urlencode({"_csrf_token": token[1] if token else "", **form}).encode() if form else None
        request = urllib.request.Request(self.url + path, data, {"Origin": self.url})
        with self._opener.open(request, timeout=30) as answer:
            self.page, self.address = answer.read().decode(), urllib.parse.urlsplit(answer.url).path


def table_of_two(url: str, target: str, address: str) -> Browser:
    """Whoever is to move there; the other one has said where to be called, and gone."""
    ada, bo = Browser(url, address), Browser(url, address)
    ada.go("/new/babuschka?seats=2")
    ada.go("/new/babuschka", name="Ada", seats="2", first="0", **{"chair-1": ""})
    bo.go(ada.address)
    bo.go(f"{ada.address}/sit", name="Bo")
    bo.go("/me/calls")
    bo.go("/me/calls/web", target=target)
    bo.go("/me/calls/wishes", quiet_from="0", quiet_until="0", minutes="0", zone="UTC")
    return ada


def move_all(movers: list[Browser], seconds: float) -> dict[int, float]:
    """When each move was answered."""
    moved = {}
    began = time.monotonic()
    for number, ada in enumerate(movers):
        time.sleep(max(0.0, began + seconds * number / len(movers) - time.monotonic()))
        table = ada.address
        actor = 0
        while actor == 0:  # a turn may take several moves
            ada.go(table)
            choices = re.findall(r'name="move" value="([^"]+)"', ada.page)
            links = re.findall(r'href="(\?pick=[^"]+)"', ada.page)
            if not choices and links:
                ada.go(table + random.choice(links).replace("&amp;", "&"))
                choices = re.findall(r'name="move" value="([^"]+)"', ada.page)
            if not choices:
                break
            ply = re.search(r'name="ply" value="(\d+)"', ada.page)
            assert ply
            ada.go(f"{table}/move", move=random.choice(choices), ply=ply[1])
            moved[number] = time.monotonic()
    return moved


@contextmanager
def receiver() -> Iterator[tuple[str, defaultdict[int, list[float]]]]:
    came: defaultdict[int, list[float]] = defaultdict(list)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            came[int(self.path.rpartition("/")[2])].append(time.monotonic())
            self.rfile.read(int(self.headers.get("content-length", 0)))
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", came
    finally:
        server.shutdown()


@contextmanager
def serving() -> Iterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "samovar", "serve", "--no-browser", "--host", "127.0.0.1", "--port", str(port)]
        limits = ["--requests-per-minute", "0", "--call-private-addresses"]
        process = subprocess.Popen([*command, "--data", folder, *limits], stdout=subprocess.DEVNULL)
        try:
            wait_for(f"http://127.0.0.1:{port}/health")
            yield f"http://127.0.0.1:{port}"
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(30)


def wait_for(address: str) -> None:
    until = time.monotonic() + 60
    while True:
        try:
            urllib.request.urlopen(address, timeout=5).read()
            return
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.1)


if __name__ == "__main__":
    main()
