"""The log of a table: each kind of entry is written as it always was, and what cannot be read is
named."""

import asyncio
from typing import get_args

import msgspec
import pytest

from samovar.errors import DamagedLog
from samovar.web import problems
from samovar.web.store import entries
from samovar.web.store.entries import AnyEntry, Logged, Settings, read, write
from samovar.web.tables.table import Table
from support.players import two_people
from support.tables import at, table_of_two, tables
from support.visitors import Visitor, running

OPTIONS = {"expert": False, "ordered_stack": False, "first_reveal_ability": False, "first": 0}
RECORD = {"samovar": 1, "game": "memoarrrr"}

# What stands in the databases of people: a line that changes here makes their tables unreadable.
GOLDEN = [
    (
        entries.Open("memoarrrr", 1, 3, OPTIONS, Settings(hints=True), ["", "", "easy"], "5e"),
        '{"kind":"open","game":"memoarrrr","rules":1,"seats":3,"options":{"expert":false,"ordered_stack":false,'
        '"first_reveal_ability":false,"first":0},"settings":{"is_open":false,"hints":true,"memory_aid":false,'
        '"stand_in":"medium","time":"","one_move":false,"is_rated":false},"levels":["","","easy"],"secret":"5e"}',
    ),
    (
        entries.Sit(0, "anna", "Anna", "01", nonce="ab" * 16, nonce_maker="browser"),
        '{"kind":"sit","seat":0,"person":"anna","name":"Anna","nonce":"01","luck":"abababababababababababababababab","luck_from":"browser"}',
    ),
    (
        entries.Sit(1, "program-1", "Bot", "02", for_program=True, nonce="cd" * 16, nonce_maker="server"),
        '{"kind":"sit","seat":1,"person":"program-1","name":"Bot","nonce":"02","for_program":true,"luck":"cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd",'
        '"luck_from":"server"}',
    ),
    (
        entries.BringNonce(1, "ef" * 16, "program"),
        '{"kind":"luck","seat":1,"luck":"efefefefefefefefefefefefefefefef","luck_from":"program"}',
    ),
    (entries.Cancel(0), '{"kind":"cancel","seat":0}'),
    (entries.Start(), '{"kind":"start"}'),
    (entries.Move(0, 25), '{"kind":"move","seat":0,"move":25}'),
    (entries.Ask(0, 0), '{"kind":"ask","seat":0,"ply":0}'),
    (entries.Refuse(1), '{"kind":"refuse","seat":1}'),
    (entries.Ask(0, 0), '{"kind":"ask","seat":0,"ply":0}'),
    (entries.Agree(1), '{"kind":"agree","seat":1}'),
    (entries.Undo(0, 0), '{"kind":"undo","seat":0,"ply":0}'),
    (entries.SeatBot(0, "hard", 1), '{"kind":"bot","seat":0,"level":"hard","by":1}'),
    (entries.Come(0), '{"kind":"come","seat":0}'),
    (entries.Come(0, "phone", "03"), '{"kind":"come","seat":0,"person":"phone","nonce":"03"}'),
    (entries.CutOff(0, "phone", "04"), '{"kind":"cut","seat":0,"person":"phone","nonce":"04"}'),
    (entries.Say(0, "Ça va?", True), '{"kind":"say","seat":0,"text":"Ça va?","is_phrase":true}'),
    (entries.Rename(0, "Ann"), '{"kind":"name","seat":0,"name":"Ann"}'),
    (entries.TimeOut(1), '{"kind":"time_out","seat":1}'),
    (entries.SiteWasAway(5000), '{"kind":"site_away","milliseconds":5000}'),
    (entries.Leave(1, 1), '{"kind":"leave","seat":1,"by":1}'),
    (entries.Resign(1), '{"kind":"resign","seat":1}'),
    (entries.Resign(0, True), '{"kind":"resign","seat":0,"ends":true}'),
    (entries.End(RECORD, "7f"), '{"kind":"end","record":{"samovar":1,"game":"memoarrrr"},"next_secret":"7f"}'),
    (entries.BringNextNonce(0, "99"), '{"kind":"next_luck","seat":0,"luck":"99"}'),
    (entries.GoOn("next"), '{"kind":"again","table":"next"}'),
    (entries.TakeAlong(0, "phone", "tablet"), '{"kind":"along","seat":0,"before":"phone","person":"tablet"}'),
    (entries.Forget(1, "05", "Somebody"), '{"kind":"forget","seat":1,"nonce":"05","name":"Somebody"}'),
    (entries.Mute(0, 1), '{"kind":"mute","seat":0,"whom":1}'),
    (entries.Mute(0, 1, True), '{"kind":"mute","seat":0,"whom":1,"ends":true}'),
    (entries.Pause(), '{"kind":"pause"}'),
    (entries.Pause(True), '{"kind":"pause","ends":true}'),
    (entries.Pause(seat=0, is_asked=True), '{"kind":"pause","seat":0,"is_asked":true}'),
    (entries.Pause(seat=1), '{"kind":"pause","seat":1}'),
    (entries.Pause(True, 0), '{"kind":"pause","ends":true,"seat":0}'),
    (entries.Hide(16), '{"kind":"hide","number":16}'),
    (entries.CloseTable(), '{"kind":"close"}'),
    (entries.KeepRecord(RECORD), '{"kind":"record","record":{"samovar":1,"game":"memoarrrr"}}'),
]


@pytest.mark.parametrize(("entry", "text"), GOLDEN)
def test_an_entry_is_written_and_read_as_ever(entry, text):
    assert msgspec.json.encode(entry).decode() == text
    kind, fields = write(entry)
    assert "kind" not in fields
    assert read("t", 0, kind, msgspec.json.decode(msgspec.json.encode(fields))) == entry


def test_every_kind_is_among_them():
    assert {type(entry) for entry, _ in GOLDEN} == set(get_args(AnyEntry))


def test_a_table_knows_what_to_do_with_every_kind_but_one():
    logged = [Logged(number, entry, number) for number, (entry, _) in enumerate(GOLDEN)]
    table = Table("t", logged[0])
    for one in logged[1:-2]:
        table.apply(one)
    assert [chair.name for chair in table.chairs] == ["Ann", "Somebody", ""]
    assert table.chairs[0].persons == {"tablet": 14}
    assert (table.chairs[0].key_salt, table.chairs[0].next_nonce, table.chairs[1].nonce) == ("04", "99", "ef" * 16)
    assert (table.playing.history, table.take_backs, table.again) == ([], 1, "next")
    assert [remark.text for remark in table.remarks] == [
        "handed over", "came back", "renamed", "ran out of time", "left", "resigned, bot plays", "resigned",
        "wants a pause", "paused", "goes on",
    ]  # fmt: skip
    assert (table.cancelled_by, table.resigned, table.status, table.places) == ("Anna", [1, 0], "over", (2, 3, 1))
    assert table.kept_record == RECORD
    table.apply(logged[-2])
    assert (table.is_closed, table.status, table.holders) == (True, "cancelled", {})
    with pytest.raises(DamagedLog, match=rf"Entry {len(GOLDEN) - 1} of table 't'.*first one"):
        table.apply(logged[-1])


@pytest.mark.parametrize(
    ("kind", "fields", "reason"),
    [
        ("fly", {"seat": 0}, "unknown kind, 'fly'"),
        ("move", {"seat": 0}, "missing required field `move`"),
        ("move", {"seat": 0, "move": "c1-c2"}, r"got `str` - at `\$.move`"),
        ("move", {"seat": 0, "move": 1, "speed": 3}, "unknown field `speed`"),
        ("move", {"seat": 0, "move": 1, "version": 2}, "version 2; this Samovar knows 1"),
    ],
)
def test_what_cannot_be_read_is_named(kind, fields, reason):
    with pytest.raises(DamagedLog, match=f"Entry 7 of table 'abc' cannot be read.*{reason}"):
        read("abc", 7, kind, fields)


def test_a_damaged_table_says_so_and_the_others_go_on(tmp_path, caplog):
    with running(tmp_path) as site:
        anna = Visitor(site)
        tables = [two_people(site)[2] for _ in range(2)]
        damaged = tables[0].split("/")[-1]
        store = site.app.state.tables.store

        def spoil(connection):
            connection.exec_driver_sql(f"UPDATE entries SET kind = 'fly' WHERE table_id = '{damaged}' AND number = 1")

        site.blocking_portal.call(store.do, spoil)
        site.app.state.tables._cached.clear()
        assert anna.client.get(tables[0]).status_code == 410
        assert f"Entry 1 of table '{damaged}'" in caplog.text
        assert anna.client.get(tables[1]).status_code == 200
        assert anna.client.get("/").status_code == 200


def test_a_move_that_is_not_legal_is_no_entry(tmp_path):
    async def scene():
        async with tables(f"sqlite:///{tmp_path}/samovar.db") as one:
            table_id = await table_of_two(one)
            table = await one.look(table_id)
            illegal = next(move for move in range(table.game.moves) if move not in table.playing.legal(0))
            for move in (illegal, -1, 10**30, "c1-c9"):
                with pytest.raises(problems.NotPossible):
                    table.move(0, move, 0)
                with pytest.raises(problems.NotPossible):
                    await one.move(table_id, at(0), move, 0)
            assert [line.kind for line in await one.store.load(table_id)] == ["open", "sit", "sit", "start"]

    asyncio.run(asyncio.wait_for(scene(), 30))
