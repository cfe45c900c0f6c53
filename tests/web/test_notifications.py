"""Who is called when, and how often: the site with real receivers, and its waiting cut short."""

import random
import time

import pytest

from samovar.web.notifications import notifier as notifier
from samovar.web.tables.clock import DAY, HOUR
from support.calls import at_any_time, call_at, move, sit_down
from support.receivers import PushService, mailbox, receiving
from support.stores import rows
from support.visitors import Visitor, running
from support.waiting import until

pytestmark = pytest.mark.slow

LOOKING = 0.3  # seconds
QUIET = 0.9  # seconds in which nothing comes that would come if it were wrong


@pytest.fixture(autouse=True)
def in_a_hurry(monkeypatch):
    hurried = {
        "TICK_SECONDS": 0.05,
        "PATIENCE_SECONDS": 0.2,
        "LOOKING_SECONDS": LOOKING,
        "SCAN_SECONDS": 0.3,
        "RETURN_SECONDS": 0.0,
        "FIRST_PAUSE_MS": 100,
    }
    for name, value in hurried.items():
        monkeypatch.setattr(notifier, name, value)


@pytest.fixture
def receiver():
    with receiving() as server:
        yield server


@pytest.fixture
def box():
    with mailbox() as letters:
        yield letters


@pytest.fixture
def site(tmp_path):
    with running(tmp_path, call_private=True) as client:
        yield client


def test_who_is_away_is_called_once_for_each_turn(site, receiver):
    table, anna, boris = sit_down(site)
    call_at(boris, receiver)
    time.sleep(LOOKING)
    for turn in range(1, 3):
        move(anna, table)
        receiver.wait()
        time.sleep(QUIET)  # the scan looks at it many times
        assert len(receiver.heard) == turn
        if turn == 1:
            boris.go(f"/table/{table}")
            boris.move(random.Random(2))
            time.sleep(LOOKING)
    _, headers, content, _ = receiver.heard[0]
    assert headers["Title"] == "Babuschka: it is your turn"
    assert headers["Click"] == f"http://samovar.test/table/{table}"
    assert content.decode() == "At the table with Anna."
    first, second = (headers["X-Sequence-ID"] for _, headers, _, _ in receiver.heard)
    assert first != second


def test_who_looks_at_the_table_is_not_called(site, receiver):
    table, anna, boris = sit_down(site)
    call_at(boris, receiver)
    move(anna, table)
    for _ in range(4):
        boris.go(f"/table/{table}")
        time.sleep(LOOKING / 4)
    time.sleep(QUIET)
    assert receiver.heard == [], "Boris has seen that it is his turn, and has gone away since"


def test_who_left_just_before_is_called_when_it_is_clear_that_they_did(site, receiver, monkeypatch):
    monkeypatch.setattr(notifier, "LOOKING_SECONDS", 1.5)
    table, anna, boris = sit_down(site)
    call_at(boris, receiver)
    boris.go(f"/table/{table}")
    left = time.monotonic()
    move(anna, table)
    receiver.wait()
    assert receiver.heard[0][3] - left >= 1.4


def test_who_has_moved_by_then_is_not_called(site, receiver, monkeypatch):
    """The turn has passed while the message was held back."""
    table, anna, boris = sit_down(site)
    call_at(boris, receiver, minutes=30)
    time.sleep(LOOKING)
    move(anna, table)
    receiver.wait()
    move(boris, table)
    time.sleep(LOOKING)
    move(anna, table)
    until(lambda: held(site), "the second message is held back")
    move(boris, table)
    later(site, 31 * 60)
    time.sleep(QUIET)
    assert len(receiver.heard) == 1


def held(client):
    return rows(client, "SELECT * FROM calls WHERE NOT is_done AND due > :now", now=round(time.time() * 1000) + 60_000)


def later(client, seconds):
    """Lets that much time pass for whoever calls."""
    client.app.state.notifier.clock = lambda: time.time() + seconds


def test_what_was_held_back_is_told_in_one_message(site, receiver):
    """The least time between two messages: one goes out at once, the next three become one."""
    anna, boris = Visitor(site), Visitor(site)
    tables = [sit_down(site, people=[anna, boris])[0] for _ in range(4)]
    call_at(boris, receiver, minutes=30)
    time.sleep(LOOKING)
    for number, table in enumerate(tables):
        move(anna, table)
        if number == 0:
            receiver.wait()
    until(lambda: len(held(site)) == 3, "three are held back")
    move(boris, tables[0])
    time.sleep(LOOKING)
    later(site, 31 * 60)
    receiver.wait()
    time.sleep(QUIET)
    assert receiver.titles == ["Babuschka: it is your turn", "It is your turn at 3 tables"]
    assert receiver.texts[1].splitlines() == ["Babuschka with Anna"] * 3
    assert receiver.heard[1][1]["Click"] == "http://samovar.test/tables"


def test_nobody_is_woken_in_quiet_hours(site, receiver):
    midnight = 1_750_000_000 // 86400 * 86400  # of a day in June, in Greenwich
    site.app.state.notifier.clock = lambda: midnight + 20.5 * 3600 + time.time() % 1000
    table, anna, boris = sit_down(site)
    call_at(boris, receiver, quiet_from="22", quiet_until="7", zone="Europe/Paris")
    time.sleep(LOOKING)
    move(anna, table)
    until(lambda: rows(site, "SELECT * FROM calls WHERE due = :due", due=(midnight + 29 * 3600) * 1000), "it is held")
    assert receiver.heard == []
    site.app.state.notifier.clock = lambda: midnight + 29 * 3600 + 1
    receiver.wait()


def test_after_a_restart_nobody_is_called_twice_and_nobody_is_forgotten(tmp_path, receiver):
    with running(tmp_path, call_private=True) as site:
        table, anna, boris = sit_down(site)
        other, _, _ = sit_down(site, people=[anna, boris])
        call_at(boris, receiver)
        time.sleep(LOOKING)
        move(anna, table)
        receiver.wait()
        site.app.state.tables.on_change = lambda table: None  # it dies before it can look
        move(anna, other)
        cookies = boris.client.cookies
    with running(tmp_path, call_private=True) as site:
        receiver.wait()
        time.sleep(QUIET)
        assert [headers["Click"].rpartition("/")[2] for _, headers, _, _ in receiver.heard] == [table, other]
        boris = Visitor(site)
        boris.client.cookies = cookies
        assert "The last message arrived just now." in boris.go("/me/calls").words


def test_what_fails_is_tried_again_and_told_once(site, receiver):
    receiver.status = 503
    table, anna, boris = sit_down(site)
    call_at(boris, receiver)
    time.sleep(LOOKING)
    move(anna, table)
    receiver.wait(2)
    assert "The last try failed just now: the answer was 503." in boris.go("/me/calls").words
    receiver.status = 200
    receiver.wait()
    time.sleep(QUIET)
    assert len({headers["X-Sequence-ID"] for _, headers, _, _ in receiver.heard}) == 1
    calls = len(receiver.heard)
    assert "The last message arrived just now." in boris.go("/me/calls").words
    time.sleep(QUIET)
    assert len(receiver.heard) == calls


def test_pauses_grow_and_one_day_it_is_given_up(site, receiver, monkeypatch):
    monkeypatch.setattr(notifier, "MOST_TRIES", 3)
    receiver.status = 503
    table, anna, boris = sit_down(site)
    call_at(boris, receiver)
    time.sleep(LOOKING)
    move(anna, table)
    receiver.wait(3)
    until(lambda: rows(site, "SELECT * FROM calls WHERE is_done"), "it is given up")
    time.sleep(QUIET)
    assert len(receiver.heard) == 3
    pauses = [notifier.pause(notifier.Notification("", 0, "", "", 0, 0, 0, tries)) for tries in range(20)]
    assert pauses == sorted(pauses)
    monkeypatch.undo()
    pauses = [
        notifier.pause(notifier.Notification("", 0, "", "", 0, 0, 0, tries)) for tries in range(notifier.MOST_TRIES)
    ]
    assert 2 * DAY < sum(pauses) < 5 * DAY


def test_one_that_hangs_keeps_nobody_else_waiting(site, receiver):
    receiver.hangs = True
    with receiving() as quick:
        table, anna, boris, clara = sit_down(site, "matryoshka", ("Anna", "Boris", "Clara"))
        other, _, _ = sit_down(site, people=[anna, clara])
        call_at(boris, receiver)
        call_at(clara, quick)
        call_at(anna, receiver)
        time.sleep(LOOKING)
        who = {"Anna": anna, "Boris": boris, "Clara": clara}
        play_until(who, table, "Boris")
        receiver.wait()
        move(anna, other)
        quick.wait(seconds=5)


def play_until(who, table, name):
    """The turn comes to somebody by name, who is not looking."""
    for _ in range(50):
        for other, visitor in who.items():
            if other != name:
                visitor.go(f"/table/{table}")
                if visitor.move(random.Random(3)) is not None:
                    break
        else:
            return


# Push


def test_a_browser_is_called_by_push_and_its_service_learns_nothing(site, receiver):
    service = PushService(receiver)
    table, anna, boris = sit_down(site)
    at_any_time(boris)
    boris.send("/calls/push", **service.fields)
    assert boris.status == 200
    time.sleep(LOOKING)
    move(anna, table)
    receiver.wait()
    [message] = service.messages
    assert message["title"] == "Babuschka: it is your turn"
    assert message["text"] == "At the table with Anna."
    assert message["address"] == f"/table/{table}"
    _, headers, content, _ = receiver.heard[0]
    assert headers["Topic"] == message["topic"]
    assert len(headers["Topic"]) <= 32
    seen = " ".join(headers.values()).encode() + content
    assert table.encode() not in seen
    assert b"Anna" not in seen


@pytest.mark.parametrize("status", [404, 410])
def test_a_browser_that_has_let_go_is_dropped(site, receiver, status):
    receiver.status = status
    service = PushService(receiver)
    table, anna, boris = sit_down(site)
    at_any_time(boris)
    boris.send("/calls/push", **service.fields)
    time.sleep(LOOKING)
    move(anna, table)
    receiver.wait()
    until(lambda: not rows(site, "SELECT * FROM ways"), "it is dropped")
    assert not rows(site, "SELECT * FROM calls WHERE NOT is_done")
    assert "Nowhere yet." in boris.go("/me/calls").words


# Mail


def test_letters_are_for_those_who_have_said_yes(tmp_path, box):
    settings = {"mail_server": box.server, "mail_sender": "samovar@example.org", "public_url": "http://samovar.test"}
    with running(tmp_path, **settings) as site:
        table, anna, boris = sit_down(site)
        at_any_time(boris)
        boris.send("/calls/mail", target="boris@example.org")
        box.wait()
        time.sleep(LOOKING)
        move(anna, table)
        time.sleep(QUIET)
        assert len(box.letters) == 1, "nothing but the question"
        assert box.letters[0]["To"] == "boris@example.org"
        reader = Visitor(site)  # perhaps on another device
        link = next(word for word in box.texts[0].split() if "/letter/" in word)
        reader.go(link.removeprefix("http://samovar.test"))
        reader.send("/letter/" + link.rpartition("/")[2], answer="yes")
        assert "You get a letter" in reader.page.words
        move(boris, table)
        time.sleep(LOOKING)
        move(anna, table)
        box.wait()
        time.sleep(QUIET)
        assert [letter["Subject"] for letter in box.letters[1:]] == ["Babuschka: it is your turn"]
        assert f"http://samovar.test/table/{table}" in box.texts[1]
        stop = next(word for word in box.texts[1].split() if "/letter/" in word)
        reader.go(stop.removeprefix("http://samovar.test"))
        reader.send("/letter/" + stop.rpartition("/")[2], answer="no")
        assert "No more letters" in reader.page.words
        assert not rows(site, "SELECT * FROM ways")
        move(boris, table)
        time.sleep(LOOKING)
        move(anna, table)
        time.sleep(QUIET)
        assert len(box.letters) == 2


# Ends and reminders


def test_who_was_away_at_the_end_is_told_of_it(site, receiver):
    table, anna, boris = sit_down(site)
    call_at(boris, receiver)
    call_at(anna, receiver)
    time.sleep(LOOKING)
    anna.go(f"/table/{table}")
    anna.send("/resign")
    receiver.wait()
    time.sleep(QUIET)
    assert receiver.titles == ["Babuschka: the game is over"], "Anna has seen it"
    assert receiver.texts == ["See how it ended, with Anna."]


def test_a_reminder_comes_when_little_time_is_left(site, receiver):
    table, anna, boris = sit_down(site, time="1d")
    call_at(boris, receiver)
    time.sleep(LOOKING)
    move(anna, table)
    receiver.wait()
    later(site, 17 * HOUR / 1000)
    time.sleep(QUIET)
    assert len(receiver.heard) == 1
    later(site, 19 * HOUR / 1000)
    receiver.wait()
    time.sleep(QUIET)
    assert receiver.titles[1:] == ["Babuschka: your time is running out"]
    assert receiver.texts[1:] == ["Anna: about 5 hours are left for your turn."]


def test_who_is_asked_for_a_pause_is_called_once_while_the_game_stands_there(site, receiver):
    table, anna, boris = sit_down(site, time="1d")
    call_at(boris, receiver)
    time.sleep(LOOKING)
    anna.send("/pause", is_wanted="yes")
    receiver.wait()
    anna.send("/pause", is_wanted="")
    anna.send("/pause", is_wanted="yes")
    time.sleep(QUIET)
    assert receiver.titles == ["A pause?"]
    assert receiver.texts == ["Babuschka: Anna would like a pause."]
    boris.go(f"/table/{table}")
    boris.send("/pause", is_wanted="yes")
    assert "the game is paused" in boris.page.words
