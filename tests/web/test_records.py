"""Records on the site: played again in a process of their own, shown position by position, whatever
is in the file."""

import asyncio
import json
import re
import sqlite3
import threading
from contextlib import closing, contextmanager

import pytest

from samovar import processes as process
from samovar.engine.match import Match
from samovar.engine.registry import game_ids
from samovar.web import problems
from samovar.web.jobs import positions, queue, replays
from samovar.web.jobs.positions import play
from samovar.web.jobs.record_summary import summary_of
from samovar.web.jobs.replays import Replay, Replays
from support.records import record_of, send
from support.visitors import Visitor, running
from support.waiting import wait_until

PLAYING = """
import os, pathlib, time
from samovar.web.jobs import replay_worker as worker
play = worker.play
def nasty(record):
    {action}
    return play(record)
worker.play, worker.RECORD_SECONDS = nasty, 0.5
worker.main()
"""


@pytest.fixture
def site(tmp_path):
    with running(tmp_path) as client:
        yield client


@pytest.fixture(scope="module")
def sites(tmp_path_factory):
    """One for all tests that do not change it, with its process."""
    with running(tmp_path_factory.mktemp("records")) as client:
        yield client


@pytest.fixture
def processes(monkeypatch):
    """Those that were started."""
    started = []

    class Noted(process.Process):
        def __init__(self, *arguments, **options):
            super().__init__(*arguments, **options)
            started.append(self)

    monkeypatch.setattr(process, "Process", Noted)
    return started


def make_nasty(monkeypatch, action):
    """The process does this before it plays a record."""

    class Changed(process.Process):
        def __init__(self, command, **options):
            super().__init__([command[0], "-c", PLAYING.format(action=action), "1"], **options)

    monkeypatch.setattr(process, "Process", Changed)


def kept(site, record):
    """The address of a record that is here already."""
    return f"/record/{site.blocking_portal.call(site.app.state.tables.keep_record, record)}"


@contextmanager
def meanwhile(action):
    """Somebody does this in the meantime; what came of it is in the list afterwards."""
    outcome = []
    thread = threading.Thread(target=lambda: outcome.append(action()))
    thread.start()
    try:
        yield outcome
    finally:
        thread.join(30)


# What is played


@pytest.mark.parametrize("game", game_ids())
def test_every_position_is_that_of_the_match(game, monkeypatch):
    monkeypatch.setattr(positions, "PACK", 7)
    match = Match(game, seed=5, plain=True)
    match.play_random(5, limit=60)
    played = play(match.record())
    assert played.last == len(match.history)
    for moves in (0, 1, 6, 7, 8, played.last - 1, played.last):
        there, here = match.at(moves), played.at(moves)
        assert here.state_bytes == there.state_bytes
        assert (here.actors, here.over, here.scores, here.places) == (
            there.actors,
            there.over,
            there.scores,
            there.places,
        )
        assert [here.view(seat) for seat in (None, *range(here.seats))] == [
            there.view(seat) for seat in (None, *range(there.seats))
        ]


def test_a_long_record_is_played_by_compiled_rules_and_comes_to_the_same(monkeypatch):
    record = record_of()
    plain = play(record)
    asked = []
    monkeypatch.setattr(positions, "SHORT", 9)
    monkeypatch.setattr(
        positions,
        "replay",
        lambda record, plain, replay=positions.replay: (asked.append(plain), replay(record, plain=plain))[1],
    )
    assert play(record) == plain
    assert asked == [None]


def test_a_file_is_looked_at_from_all_sides(sites):
    anna = Visitor(sites)
    answer = send(anna, record_of())
    assert answer.status_code == 200
    page = anna.go(f"{answer.url.path}?at=3&eyes=0")
    assert "Move 3 of 10" in page.words
    assert "Anna" in page.words
    assert "Boris" in page.words
    assert json.loads(anna.client.get(f"{answer.url.path}/download").text) == record_of()


# In a process of its own


def test_the_site_goes_on_while_a_record_is_played(site, monkeypatch, tmp_path):
    begun, ended = tmp_path / "begun", tmp_path / "ended"
    make_nasty(
        monkeypatch,
        f"pathlib.Path({str(begun)!r}).touch()\n    while not os.path.exists({str(ended)!r}): time.sleep(0.01)",
    )
    anna, boris = Visitor(site), Visitor(site)
    with meanwhile(lambda: send(anna, record_of())) as sent:
        wait_until(begun.exists)
        boris.go("/")
        assert boris.status == 200
        assert not sent
        ended.touch()
    assert sent[0].status_code == 200


NASTY = {
    "hangs": "if len(record['moves']) == 3: time.sleep(20)",
    "never ends": "began = time.monotonic()\n    while len(record['moves']) == 3 and time.monotonic() - began < 20: "
    "pass",
    "dies": "if len(record['moves']) == 3: os._exit(1)",
    "fails": "if len(record['moves']) == 3: raise RuntimeError('a fault on purpose')",
}


@pytest.mark.parametrize(("name", "limit"), [("hangs", 0.5), ("never ends", 60.0), ("dies", 60.0), ("fails", 60.0)])
@pytest.mark.slow
def test_a_record_that_cannot_be_played_in_time_is_refused_and_the_next_is_played(
    site, monkeypatch, processes, name, limit
):
    make_nasty(monkeypatch, NASTY[name])
    monkeypatch.setattr(replays, "LIMIT", limit)
    anna = Visitor(site)
    answer = send(anna, record_of(3))
    assert answer.status_code == 422
    assert (
        "takes too long to be played again here. Look at it on a machine of your own: samovar replay FILE"
        in answer.text
    )
    monkeypatch.setattr(replays, "LIMIT", 60.0)
    assert send(anna, record_of(4)).status_code == 200
    assert len(processes) == 2


def test_a_record_that_is_looked_at_again_is_not_played_again(site, monkeypatch, tmp_path):
    make_nasty(monkeypatch, f"open({str(tmp_path / 'played')!r}, 'a').write('x')")
    anna = Visitor(site)
    answer = send(anna, record_of())
    for at in range(5):
        anna.go(f"{answer.url.path}?at={at}")
    assert (tmp_path / "played").read_text() == "x"


def test_a_record_that_many_look_at_together_is_played_once(monkeypatch, tmp_path):
    make_nasty(monkeypatch, f"open({str(tmp_path / 'played')!r}, 'a').write('x')")

    async def look(replays):
        shown = await asyncio.gather(*(replays.play(record_of(), f"asker {number}", "one") for number in range(5)))
        assert len(set(map(id, shown))) == 1

    with_replays(look)
    assert (tmp_path / "played").read_text() == "x"


def with_replays(do):
    async def run():
        replays = Replays()
        try:
            async with asyncio.timeout(60):
                await do(replays)
        finally:
            await replays.close()

    asyncio.run(run())


def test_there_is_no_process_before_the_first_record_none_after_a_while_and_none_at_the_end(monkeypatch, processes):
    monkeypatch.setattr(queue, "IDLE_SECONDS", 0.2)

    async def play(replays):
        assert not processes
        for number in (1, 2):
            await replays.play(record_of(), "anna")
            assert len(processes) == number
            assert processes[-1].status is None
            while processes[-1].status is None:
                await asyncio.sleep(0.01)
        await replays.play(record_of(), "anna")

    with_replays(play)
    assert len(processes) == 3
    assert all(each.status is not None for each in processes)


def test_the_process_stays_while_records_come(monkeypatch, processes):
    monkeypatch.setattr(queue, "IDLE_SECONDS", 1.0)

    async def play(replays):
        for _ in range(8):
            await replays.play(record_of(), "anna")
            await asyncio.sleep(0.2)

    with_replays(play)
    assert len(processes) == 1


# Whose turn it is


def test_who_sends_many_records_keeps_nobody_waiting_for_all_of_them(monkeypatch):
    order = []

    async def play_slowly(replays, record):
        await asyncio.sleep(0.01)
        order.append(record["name"])

    monkeypatch.setattr(Replays, "_positions_of", play_slowly)

    async def play(replays):
        askers = ["anna"] * 5 + ["boris"]
        await asyncio.gather(*(replays.play({"name": asker}, asker) for asker in askers))
        assert not replays._askers

    with_replays(play)
    assert order.index("boris") == 1


def test_who_sends_too_many_records_at_once_is_told_to_wait(monkeypatch):
    async def play_slowly(replays, record):
        await asyncio.sleep(0.01)

    monkeypatch.setattr(Replays, "_positions_of", play_slowly)

    async def play(replays):
        outcomes = await asyncio.gather(*(replays.play({}, "anna") for _ in range(8)), return_exceptions=True)
        assert [type(outcome) for outcome in outcomes].count(problems.TooMany) == 2
        await replays.play({}, "anna")

    with_replays(play)


def test_what_is_kept_has_a_limit_in_bytes(monkeypatch):
    replay = Replay(summary_of({}), play(record_of()))
    monkeypatch.setattr(replays, "KEPT_BYTES", 3 * replay.size)
    kept = Replays()
    for name in ("a", "b", "c"):
        kept.keep(name, replay)
    kept.kept("a")
    kept.keep("d", replay)
    assert [name for name in "abcd" if kept.kept(name)] == ["a", "c", "d"], (
        "the one that nobody asked for the longest makes room"
    )


# Rules that are not here


@pytest.mark.parametrize(
    "changes", [{"rules": 999}, {"game": "checkers"}, {"samovar": 0}], ids=["version", "game", "format"]
)
def test_a_match_by_rules_that_are_not_here_shows_who_played_and_how_it_ended(sites, changes):
    record = record_of(**changes, scores=[17, 4], places=[1, 2])
    address = kept(sites, record)
    for language, words in (("en", "rules that are not here any more"), ("fr", "")):
        page = Visitor(sites, language).go(address)
        assert words in page.words
        assert re.findall(r"<t[hd][^>]*>(\w+)<", page.html)[3:] == ["Anna", "17", "1", "Boris", "4", "2"]
    assert json.loads(Visitor(sites).client.get(f"{address}/download").text) == record


@pytest.mark.parametrize(
    ("here", "gone"),
    [('"rules":1,', '"rules":0,'), ('"game":"connect_four"', '"game":"checkers"')],
    ids=["version", "game"],
)
def test_a_match_of_this_site_keeps_its_record_when_its_rules_are_gone(tmp_path, here, gone):
    with running(tmp_path) as client:
        made = client.post("/api/tables", json={"game": "connect_four", "chairs": ["easy", "easy"]}).json()["table"]
        wait_until(lambda: client.get(f"/api/tables/{made}").json()["status"] == "over")
        scores = client.get(f"/api/tables/{made}/record").json()["scores"]
    with closing(sqlite3.connect(tmp_path / "samovar.db")) as database, database:
        database.execute("UPDATE entries SET data = replace(data, ?, ?)", (here, gone))
    with running(tmp_path) as client:
        page = Visitor(client).go(f"/record/{made}")
        assert "rules that are not here any more" in page.words
        assert re.findall(r"<td>(\w+)<", page.html)[::2] == list(map(str, scores))
        assert json.loads(client.get(f"/record/{made}/download").text)["scores"] == scores


def test_a_file_by_rules_that_are_not_here_is_refused(sites):
    answer = send(Visitor(sites), record_of(rules=999))
    assert answer.status_code == 410


# Files and addresses that make no sense


@pytest.mark.parametrize("at", ["²", "-1", "1e3", "٣", "", "9" * 9, "9" * 50, "\x00", "\ud7ff"])
def test_a_moment_that_there_is_not_shows_the_end(sites, at):
    anna = Visitor(sites)
    anna.go(kept(sites, record_of()))
    anna.client.get(anna.address)
    answer = anna.client.get(anna.address, params={"at": at, "eyes": "³"})
    assert answer.status_code == 200
    assert "Move 10 of 10" in answer.text
    assert '<option value="open" selected>' in answer.text


NONSENSE = [None, 7, True, "x", [], {}, [None, 5], [["x"], {"a": 1}], {"0": ["x"]}, ["x" * 5000] * 9, -5, 1.5]


@pytest.mark.parametrize("what", ["names", "bots", "commitment", "secret", "salt", "nonces"])
def test_whatever_a_file_says_of_its_people_it_can_be_looked_at(sites, what):
    anna = Visitor(sites)
    for value in NONSENSE:
        answer = send(
            anna, record_of(table={"names": ["Anna", "Boris"], "commitment": "c", "secret": "s", what: value})
        )
        assert answer.status_code == 200, value
        assert "x" * 200 not in answer.text


@pytest.mark.parametrize("what", ["scores", "places"])
def test_whatever_an_old_record_says_of_its_end_it_has_a_page(sites, what):
    for value in NONSENSE:
        anna = Visitor(sites)
        anna.go(kept(sites, record_of(**{"rules": 999, what: value})))
        assert anna.status == 200, value


@pytest.mark.parametrize("what", ["game", "seats", "seed", "scores", "places", "table"])
def test_a_cover_is_made_of_anything(what):
    for value in NONSENSE:
        summary = summary_of(record_of(**{what: value}))
        assert all(isinstance(text, str) for text in (summary.game, summary.seed, *summary.scores, *summary.places))


@pytest.mark.parametrize(
    "content",
    [
        b"", b"{", b"[]", b"7", b"\xff\xfe", b"NaN", b"[" * 5000, b'{"samovar": '
        b'1}', b'{"samovar": 1e999}', b'{"samovar": 1, "game": "\\ud800"}',
        json.dumps(record_of(table={"names": ["Anna", "x"]})).replace("x", "\\ud800").encode(),
        json.dumps(record_of()).replace('"Anna"', '"Annika"').encode(),
    ],
)  # fmt: skip
def test_a_file_that_is_no_record_is_refused(sites, content):
    assert send(Visitor(sites), content).status_code == 422


@pytest.mark.parametrize("where", ["the form", "the file", "both"])
def test_letters_that_do_not_exist_are_refused(sites, where):
    anna = Visitor(sites)
    anna.go("/record")
    form, file = ("; charset=klingon" if where in (part, "both") else "" for part in ("the form", "the file"))
    token = anna.page.form("/record")["fields"]["_csrf_token"]
    parts = [
        f'name="_csrf_token"\r\n\r\n{token}',
        f'name="record"; filename="a"\r\nContent-Type: text/plain{file}\r\n\r\n{{}}',
    ]
    body = "".join(f"--line\r\nContent-Disposition: form-data; {part}\r\n" for part in parts) + "--line--\r\n"
    answer = anna.client.post(
        "/record", content=body.encode(), headers={"content-type": f"multipart/form-data; boundary=line{form}"}
    )
    assert answer.status_code in (400, 422)


def test_a_form_without_a_file_is_refused(sites):
    anna = Visitor(sites)
    anna.go("/record")
    anna.send("/record", record="{}")
    assert anna.status == 422
