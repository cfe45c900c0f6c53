"""What Samovar 0.1.0 wrote is still read: records of all games, and a database with every kind of
entry that it knew. Both were written by it (`data/0.1.0`)."""

import asyncio
import sqlite3

import pytest

import samovar
from samovar.web.store.store import Store
from samovar.web.tables.tables import Tables
from support.stores import DATA, EXPECTED

SECRET = bytes(32)


@pytest.mark.parametrize("game", sorted(EXPECTED["records"]))
def test_a_record_is_played_to_the_same_end(game):
    expected = EXPECTED["records"][game]
    match = samovar.replay(expected["record"])
    assert match.state_bytes.hex() == expected["state"]
    assert list(match.scores) == expected["scores"]
    assert match.record() == expected["record"], "what has come since is not in it"


def test_its_database_opens_with_all_tables_as_they_were(tmp_path):
    path = tmp_path / "samovar.db"
    with sqlite3.connect(path) as database:
        database.executescript((DATA / "tables.sql").read_text())
    database.close()

    async def scene():
        store = Store(f"sqlite:///{path}")
        await store.open()
        try:
            await check(Tables(store, None, SECRET, announce=lambda table_id, number, written: None), store)
        finally:
            await store.close()

    asyncio.run(asyncio.wait_for(scene(), 60))


async def check(tables, store):
    tables.turns.wake = lambda table: None  # nobody plays on
    for table_id, expected in EXPECTED["tables"].items():
        table = await tables.look(table_id)
        assert (table.head, table.status, table.revision) == (expected["head"], expected["status"], expected["ply"])
        assert [person.name for person in table.people] == expected["names"]
        assert [remark.text for remark in table.remarks] == expected["remarks"]
        assert table.written_options == expected["options"]
        assert table.options == table.game.check_options(table.seats, expected["options"])
        if expected["state"]:
            assert table.playing.state_bytes.hex() == expected["state"]
            assert [list(move) for move in table.playing.history] == expected["history"]
    kinds = {line.kind for table_id in EXPECTED["tables"] for line in await store.load(table_id)}
    assert kinds == {
        "open", "sit", "come", "bot", "start", "move", "ask", "agree", "refuse", "undo", "say", "again",
    }  # fmt: skip
    assert (await tables.record(EXPECTED["kept"]))["game"] == "memoarrrr"
    playing = next(table_id for table_id, facts in EXPECTED["tables"].items() if facts["name"] == "playing")
    table = await tables.look(playing)
    seat = table.actors[0]
    await tables.move(playing, lambda table: seat, table.playing.legal(seat)[0], table.revision)
    assert (await tables.look(playing)).revision == EXPECTED["tables"][playing]["ply"] + 1
