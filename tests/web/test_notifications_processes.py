"""Calls of a real site: killed at the worst moments, and of two processes on one PostgreSQL. Nobody
is called twice, nobody is forgotten."""

import random
import threading
import time
from contextlib import ExitStack

import httpx
import pytest

from support.calls import call_at, move, sit_down
from support.receivers import PushService, mailbox, receiving
from support.servers import Server, serving
from support.visitors import Page, Visitor
from support.waiting import until

pytestmark = pytest.mark.processes

SOON = 5.0  # seconds from a turn to its message
RETURN = 40.0  # seconds after a restart, on a machine that is busy
SCANNED = 12.0  # seconds after a start: all that nobody had in hand was looked at
QUIET = 25.0  # seconds: longer than a scan takes to come round
STREAMS = 6  # connections are dealt to the processes by chance


class DistantVisitor(Visitor):
    """At a site in another process."""

    def __init__(self, address):
        self.client = httpx.Client(
            base_url=address, headers={"accept": "text/html", "accept-language": "en"}, timeout=30
        )
        self.site, self.address, self.page, self.status = address, "", None, 0

    def _see(self, answer):
        self.status, self.address = answer.status_code, str(answer.url).removeprefix(self.site)
        self.page = Page(answer.text)
        return self.page


@pytest.fixture
def receiver():
    with receiving() as server:
        yield server


@pytest.fixture
def visitors():
    with ExitStack() as open_clients:

        def visit(server, count=2):
            people = [DistantVisitor(server.address) for _ in range(count)]
            for visitor in people:
                open_clients.enter_context(visitor.client)
            return people

        yield visit


def leave():
    """Long enough to count as away."""
    time.sleep(21)


def test_killed_between_the_move_and_the_message(tmp_path, receiver, visitors):
    with serving(tmp_path, "--call-private-addresses") as server:
        table, anna, boris = sit_down(None, people=visitors(server))
        call_at(boris, receiver)
        move(anna, table)
        server.kill()
        assert receiver.heard == []
        server.start()
        receiver.wait(seconds=RETURN)
        until(lambda: "The last message arrived" in boris.go("/me/calls").words, "it is marked")
        server.kill()
        server.start()
        time.sleep(SCANNED)
        assert len(receiver.heard) == 1


def test_killed_between_the_message_and_its_mark(tmp_path, receiver, visitors):
    """It is sent again, and whoever gets it can tell: a push service by its topic, a mailbox by the
    number of the letter, an address by that of the message."""
    with mailbox() as box, receiving() as push:
        service = PushService(push)
        letters = ["--mail-server", box.server, "--mail-sender", "samovar@example.org"]
        port = Server(None).port
        public = ["--public-url", f"http://127.0.0.1:{port}", "--entry", "open"]
        server = Server(tmp_path, port, "--call-private-addresses", *letters, *public).start()
        try:
            table, anna, boris = sit_down(None, people=visitors(server))
            call_at(boris, receiver)
            boris.send("/calls/push", **service.fields)
            boris.send("/calls/mail", target="boris@example.org")
            box.wait()
            link = next(word for word in box.texts[0].split() if "/letter/" in word)
            boris.go(link.removeprefix(server.address))
            boris.send(link.rpartition("/")[2], answer="yes")
            receiver.hangs = push.hangs = box.hangs = True
            server.kill()
            server.start()  # which has seen nobody yet
            move(anna, table)
            receiver.wait(seconds=SOON)
            push.wait(seconds=SOON)
            box.wait()
            server.kill()  # all have it, none has said so
            for one in (receiver, push, box):
                one.may_go.set()
                one.hangs = False
            server.start()
            receiver.wait(seconds=RETURN)
            push.wait(seconds=RETURN)
            box.wait()
            time.sleep(SCANNED)
        finally:
            server.stop()
    assert len(receiver.heard) == len(push.heard) == len(box.letters[1:]) == 2
    assert len({headers["X-Sequence-ID"] for _, headers, _, _ in receiver.heard}) == 1
    assert len({headers["Topic"] for _, headers, _, _ in push.heard}) == 1
    assert len({message["topic"] for message in service.messages}) == 1
    assert len({letter["Message-ID"] for letter in box.letters[1:]}) == 1


def test_two_processes_call_once_and_soon_and_not_those_who_look(postgresql_server, receiver, visitors):
    database = ["--database", postgresql_server.new_database(), "--workers", "2"]
    with serving(None, *database, "--call-private-addresses") as server, receiving() as other:
        anna, boris, clara = visitors(server, 3)
        tables = [sit_down(None, people=[anna, boris])[0] for _ in range(3)]
        looked_at, _, _ = sit_down(None, people=[anna, clara])
        call_at(boris, receiver)
        call_at(clara, other)
        with looking(clara, looked_at):
            leave()
            for number, table in enumerate(tables, 1):
                began = time.monotonic()
                move(anna, table, random.Random(number))
                receiver.wait(seconds=SOON)
                assert receiver.heard[-1][3] - began < SOON
            move(anna, looked_at)
            time.sleep(QUIET)
        assert len(receiver.heard) == len(tables)
        assert other.heard == []


class looking:  # noqa: N801 (reads as a function)
    """Streams of somebody at a table, for as long as it lasts, in either process."""

    def __init__(self, visitor, table):
        self._visitor, self._table, self._stopped = visitor, table, threading.Event()

    def __enter__(self):
        cookies = {"cookie": "; ".join(f"{name}={value}" for name, value in self._visitor.client.cookies.items())}
        self._threads = [threading.Thread(target=self._listen, args=(cookies,), daemon=True) for _ in range(STREAMS)]
        for thread in self._threads:
            thread.start()

    def _listen(self, cookies):
        address = f"{self._visitor.site}/live?table={self._table}"
        with httpx.Client(timeout=30) as client, client.stream("GET", address, headers=cookies) as stream:
            assert stream.status_code == 200
            for _ in stream.iter_lines():
                if self._stopped.is_set():
                    return

    def __exit__(self, *failure):
        self._stopped.set()
        for thread in self._threads:
            thread.join(20)
