"""A move that is taken back after somebody may have learned from it: everybody is told, and the
record says so for ever."""

import json
import random
from io import StringIO

import msgspec
import pytest
from rich.console import Console

from samovar.cli.terminal import show_record
from samovar.engine.match import Match
from samovar.engine.records.fair import verify
from samovar.engine.records.record import replay, take_backs_of, to_text
from samovar.web.jobs.record_summary import summary_of
from samovar.web.store.entries import Undo, read, write
from support.visitors import Visitor, running

TOOK_BACK = "Anna took moves back; the record will say so."


@pytest.fixture
def site(tmp_path):
    with running(tmp_path) as client:
        yield client


def two_people(site, game):
    """Anna and Boris at a table; Anna begins. A match of little patience is short."""
    anna, boris = Visitor(site), Visitor(site)
    anna.go(f"/new/{game}?seats=2")
    anna.send(f"/new/{game}", name="Anna", first="0", patience="1")
    boris.go(anna.address)
    boris.send("/sit", name="Boris")
    anna.go(anna.address)
    return anna, boris


def play_to_the_end(*people):
    """Each in turn, by chance. Returns the record."""
    choose, table = random.Random(1), people[0].address
    for number in range(2000):
        person = people[number % len(people)]
        person.go(table)
        person.move(choose)
        if "/record/" in person.page.html:
            answer = person.client.get(table.replace("/table/", "/record/") + "/download")
            if answer.status_code == 200:
                return json.loads(answer.text)
    raise AssertionError("the match does not end")


def test_who_plays_with_bots_alone_takes_back_at_once_and_everybody_is_told(site):
    anna, watcher = Visitor(site), Visitor(site, "fr")
    anna.go("/new/memoarrrr?seats=2")
    anna.send("/new/memoarrrr", name="Anna", first="0", **{"chair-1": "easy"})
    choose = random.Random(2)
    for _ in range(2):  # the side she looks at, and the first location
        while anna.move(choose) is None:
            anna.go(anna.address)
    anna.send("/back")
    assert TOOK_BACK in anna.page.words
    assert "a repris des coups ; l’enregistrement le dira" in watcher.go(anna.address).words.replace("\xa0", " ")
    record = play_to_the_end(anna)
    assert record["table"]["take_backs"] == 1
    assert verify(record).over
    assert "With 1 take-back: not rated." in watcher_page(site, anna, "en").words
    french = watcher_page(site, anna, "fr").words.replace("\xa0", " ")
    assert "Avec 1 reprise de coup : partie non classée." in french


def watcher_page(site, person, language):
    return Visitor(site, language).go(person.address.replace("/table/", "/record/"))


def test_what_taught_nobody_anything_is_taken_back_without_a_word(site):
    anna, boris = two_people(site, "babuschka")
    anna.move(random.Random(1))
    anna.send("/back")
    assert "took moves back" not in anna.page.words
    record = play_to_the_end(anna, boris)
    assert "take_backs" not in record["table"]
    assert "not rated" not in watcher_page(site, anna, "en").words


def test_what_is_taken_back_by_consent_is_told_and_counted_too(site):
    anna, boris = two_people(site, "babuschka")
    for _ in range(2):
        anna.go(anna.address)
        anna.move(random.Random(1))
        boris.go(anna.address)
        boris.move(random.Random(1))
        anna.go(anna.address)
        anna.send("/back")
        boris.go(anna.address)
        boris.send("/answer", agrees="yes")
        assert TOOK_BACK in boris.page.words
    assert play_to_the_end(anna, boris)["table"]["take_backs"] == 2


def test_entries_of_before_take_back_without_a_mark():
    old = read("t", 0, "undo", {"seat": 0, "ply": 3})
    assert old == Undo(0, 3)
    assert not old.is_marked
    assert write(old) == ("undo", {"seat": 0, "ply": 3})
    marked = Undo(0, 3, is_marked=True)
    assert msgspec.json.encode(marked).decode() == '{"kind":"undo","seat":0,"ply":3,"is_marked":true}'


def recorded(**table):
    match = Match("babuschka", seed=1, plain=True)
    match.play_random(1, limit=4)
    return match.record({"names": ["Anna", "Boris"], **table})


@pytest.mark.parametrize(("language", "sentence"), [("en", "With 2 take-backs: not rated."), ("fr", "Avec 2 reprises")])
def test_a_replay_in_the_terminal_says_so(tmp_path, language, sentence):
    path = tmp_path / "record.json"
    path.write_text(to_text(recorded(take_backs=2)), encoding="utf-8")
    console = Console(record=True, width=100, file=StringIO())
    show_record(path, None, language, console, None)
    assert console.export_text().splitlines()[0].startswith(sentence)


@pytest.mark.parametrize("count", [None, 0, -1, True, "2", 1.5, [2], 10**9, {}])
def test_a_mark_that_makes_no_sense_is_none(count):
    record = recorded(take_backs=count)
    assert take_backs_of(record) == 0
    assert summary_of(record).take_backs == 0
    assert replay(record).history


@pytest.mark.parametrize("table", [None, [], "x", 3])
def test_a_record_without_a_table_has_no_mark(table):
    assert take_backs_of({"table": table}) == 0
