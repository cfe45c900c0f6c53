"""Hints: the best moves with reasons, on the board and beside the prompt, for whoever asked and until the position
changes; one at a time, and only for as long as somebody waits for it."""

import asyncio
import random
import re
import socket
import threading
import time
from urllib.parse import urlencode

import httpx
import pytest

from samovar.errors import BotFailed
from samovar.web.tables.hints import Hint, Hinted, read_hint, write_hint
from support.visitors import RandomBotPool, Visitor, running
from support.wire import listening


class SlowBotPool(RandomBotPool):
    """Thinks about a hint until it may tell it, or until nobody wants it any more."""

    def __init__(self):
        super().__init__()
        self.thinking = 0
        self.told, self.dropped = threading.Event(), threading.Event()

    async def advise(self, question):
        self.thinking += 1
        try:
            await asyncio.to_thread(self.told.wait, 10)
        except asyncio.CancelledError:
            self.dropped.set()
            raise
        finally:
            self.thinking -= 1
        return await super().advise(question)

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
    assert visitor.page.form("/hint")


def hint(visitor):
    form = visitor.page.form("/hint")
    return visitor.client.post(form["action"], data=form["fields"], follow_redirects=True)


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


# What is shown, and to whom


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with running(tmp_path_factory.mktemp("site")) as client:
        yield client


def numbers(page):
    """By what glows, the number it has."""
    found = re.findall(r'class="spot choice (?:picked )?hinted hinted-(\d)[^>]*data-name="([^"]+)"', page.html)
    return dict(found[::-1])


def ask(visitor):
    visitor.send("/hint")
    assert visitor.status == 200
    return numbers(visitor.page)


def table_of(*visitors, game="babuschka", **facts):
    """The first opens it and begins, the others sit down."""
    visitors[0].go(f"/new/{game}?seats=2")
    visitors[0].send(f"/new/{game}", name="Anna", first="0", hints="on", **facts)
    table = visitors[0].address
    for visitor in visitors[1:]:
        visitor.go(table)
        visitor.send("/sit", name="Boris")
    visitors[0].go(table)
    return table


def test_three_moves_glow_and_are_told_with_chances_and_reasons(site):
    anna = Visitor(site)
    sit_down(anna)
    glowing = ask(anna)
    assert "1" in glowing
    assert set(glowing) <= set("123")
    lines = re.findall(r'<li class="hint-\d">.*?</li>', anna.page.html, re.DOTALL)
    assert ["60%" in lines[0], "50%" in lines[1], "40%" in lines[2]] == [True] * 3
    assert ["nearly as good" in line for line in lines] == [False, True, False]
    assert "nearer to the goal" in anna.page.words or "comes to light" in anna.page.words
    assert '(hint 1)" title' in anna.page.html, "the glow is said, too"


def test_it_stays_through_the_steps_of_a_move_and_goes_with_the_move(site):
    anna = Visitor(site)
    sit_down(anna)
    doll = ask(anna)["1"]
    anna.go(f"?pick={doll}")
    assert "page-hint" in anna.page.html
    assert re.search(r'<button class="spot choice hinted hinted-1', anna.page.html), "the field where it goes"
    move = re.search(r'<button class="spot choice hinted hinted-1[^>]*value="([^"]+)"', anna.page.html)[1]
    assert move.startswith(doll)
    anna.go(anna.address.partition("?")[0])
    assert numbers(anna.page)["1"] == doll, "it is put back, and the hint still there"
    anna.send("/move", move=move)
    assert "page-hint" not in anna.page.html
    assert not numbers(anna.page)


def test_nobody_else_sees_it_and_nobody_gets_one_out_of_turn(site):
    anna, boris, olga = Visitor(site), Visitor(site), Visitor(site)
    table = table_of(anna, boris)
    assert ask(anna)
    for visitor in (boris, olga):
        visitor.go(table)
        assert "hinted" not in visitor.page.html
        assert not any(form["action"].endswith("/hint") for form in visitor.page.forms)
        assert visitor.client.post(f"{table}/hint", data=anna.page.form("/hint")["fields"]).status_code == 403, "CSRF"
    own = {"_csrf_token": boris.page.form("/say")["fields"]["_csrf_token"]}
    assert boris.client.post(f"{table}/hint", data=own).status_code == 409


def test_it_is_for_one_table_alone(site):
    anna = Visitor(site)
    first = table_of(anna, Visitor(site))
    ask(anna)
    table_of(anna, Visitor(site))
    assert "hinted" not in anna.page.html
    anna.go(first)
    assert "hinted" in anna.page.html


def test_it_holds_while_others_make_their_part_of_a_simultaneous_choice(site):
    anna, boris, olga = Visitor(site), Visitor(site), Visitor(site)
    anna.go("/new/matryoshka?seats=3")
    anna.send("/new/matryoshka", name="Anna", first="0", hints="on")
    table = anna.address
    for visitor, name in ((boris, "Boris"), (olga, "Olga")):
        visitor.go(table)
        visitor.send("/sit", name=name)
    anna.go(table)
    anna.send("/hint")
    ticks = anna.page.html.count("tick hinted")
    assert ticks >= 2, "two cards of the display"
    boris.go(table)
    boris.move(random.Random(1))
    anna.go(table)
    assert anna.page.html.count("tick hinted") == ticks
    anna.move(random.Random(1))
    assert "page-hint" not in anna.page.html


def test_words_in_french(site):
    anna = Visitor(site, "fr")
    sit_down(anna)
    ask(anna)
    assert "presque aussi bon" in anna.page.words
    assert "Vos chances de gagner" in anna.page.words


def test_a_hint_that_cannot_be_found_is_told_so(tmp_path):
    class Failing(RandomBotPool):
        async def advise(self, question):
            raise BotFailed("It is broken.")

    with running(tmp_path, Failing()) as client:
        anna = Visitor(client)
        sit_down(anna)
        answer = hint(anna)
        assert answer.status_code == 503
        assert "No hint could be found just now." in answer.text


@pytest.mark.parametrize(
    "text", ["", "nonsense", "{id} 0", "{id} 0 x 1:2:3", "{id} 0 0 1:2", "{id} 0 0 9999999:50:1", "{id} 1 0 80:50:1"]
)
def test_what_the_cookie_says_is_checked(site, text):
    anna = Visitor(site)
    sit_down(anna)
    tables = site.app.state.tables
    table = site.blocking_portal.call(tables.look, anna.address.rpartition("/")[2])
    assert read_hint(text.format(id=table.id), table, 0) is None


def test_a_kept_hint_is_for_its_seat_and_its_state_alone(site):
    anna = Visitor(site)
    sit_down(anna)
    table = site.blocking_portal.call(site.app.state.tables.look, anna.address.rpartition("/")[2])
    good = Hint(0, table.revision, (Hinted(table.playing.legal(0)[0], 50, False),))
    assert read_hint(write_hint(table, good), table, 0) == good
    for wrong in (good._replace(seat=1), good._replace(revision=table.revision + 1)):
        assert read_hint(write_hint(table, wrong), table, 0) is None
    assert read_hint(write_hint(table, good), table, None) is None, "a spectator"


class FarVisitor(Visitor):
    """The same, at a real server."""

    def __init__(self, port):
        self.client = httpx.Client(base_url=f"http://127.0.0.1:{port}", headers={"accept": "text/html"}, timeout=30)
        self.page, self.address, self.status = None, "", 0
