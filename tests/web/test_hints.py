"""Hints: one at a time, and only for as long as somebody waits for it."""

import asyncio
import socket
import threading
import time
from urllib.parse import urlencode

import httpx
import pytest
from visitors import RandomBotPool, Visitor, running
from wire import listening

from samovar.web.tables import HINT


class SlowBotPool(RandomBotPool):
    """Thinks about a hint until it may tell it, or until nobody wants it any more."""

    def __init__(self):
        super().__init__()
        self.thinking = 0
        self.told, self.dropped = threading.Event(), threading.Event()

    async def think(self, question, *, people=True):
        if question.bot == HINT:
            self.thinking += 1
            try:
                await asyncio.to_thread(self.told.wait, 10)
            except asyncio.CancelledError:
                self.dropped.set()
                raise
            finally:
                self.thinking -= 1
        return await super().think(question, people=people)

    def wait_for(self, count):
        until = time.monotonic() + 30
        while self.thinking != count:
            assert time.monotonic() < until, f"not {count} hints are thought about, but {self.thinking}"
            time.sleep(0.01)


@pytest.fixture
def bot_pool():
    return SlowBotPool()


def sit_down(visitor):
    """At a table where hints are given, to make the first move."""
    visitor.go("/new/babuschka")
    visitor.send("/new/babuschka", name="Anna", seats="2", first="0", hints="on", **{"chair-1": "easy"})
    assert "Give me a hint" in visitor.page.words


def hint(visitor):
    form = visitor.page.form("/hint")
    return visitor.client.post(form["action"], data=form["fields"])


def test_a_second_hint_is_refused_while_the_first_is_thought_about(tmp_path, bot_pool):
    answers = []
    with running(tmp_path, bot_pool) as site:
        anna, boris = Visitor(site), Visitor(site)
        sit_down(anna)
        sit_down(boris)
        first = threading.Thread(target=lambda: answers.append(hint(anna)))
        first.start()
        bot_pool.wait_for(1)
        second = hint(anna)
        bot_pool.told.set()
        first.join(30)
        assert (second.status_code, answers[0].status_code) == (429, 200)
        assert "The hint you asked for is still being thought about." in second.text
        assert "Hint:" in answers[0].text
        assert hint(anna).status_code == 200
        assert hint(boris).status_code == 200


def test_the_hint_of_another_person_is_thought_about_at_the_same_time(tmp_path, bot_pool):
    answers = []
    with running(tmp_path, bot_pool) as site:
        visitors = [Visitor(site), Visitor(site)]
        for visitor in visitors:
            sit_down(visitor)
        threads = [
            threading.Thread(target=lambda visitor=visitor: answers.append(hint(visitor).status_code))
            for visitor in visitors
        ]
        for thread in threads:
            thread.start()
        bot_pool.wait_for(2)
        bot_pool.told.set()
        for thread in threads:
            thread.join(30)
    assert answers == [200, 200]


def test_a_hint_is_dropped_when_whoever_asked_for_it_has_left(tmp_path, bot_pool):
    with listening(f"sqlite:///{tmp_path}/samovar.db", bot_pool) as port:
        anna = FarVisitor(port)
        sit_down(anna)
        form = anna.page.form("/hint")
        body = urlencode(form["fields"])
        cookies = "; ".join(f"{name}={value}" for name, value in anna.client.cookies.items())
        head = (
            f"POST {form['action']} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: {len(body)}\r\nCookie: "
            f"{cookies}"
        )
        with socket.create_connection(("127.0.0.1", port)) as connection:
            connection.sendall(f"{head}\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\n{body}".encode())
            bot_pool.wait_for(1)
            assert not bot_pool.dropped.is_set()
        assert bot_pool.dropped.wait(30)
        bot_pool.told.set()
        assert hint(anna).status_code == 200, "and another may be asked for"
        anna.client.close()


class FarVisitor(Visitor):
    """The same, at a real server."""

    def __init__(self, port):
        self.client = httpx.Client(base_url=f"http://127.0.0.1:{port}", headers={"accept": "text/html"}, timeout=30)
        self.page, self.address, self.status = None, "", 0
