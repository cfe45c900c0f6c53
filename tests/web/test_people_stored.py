"""People in both databases: what two processes may do at once, and what is left of somebody who wants
to be forgotten."""

import asyncio
import json
import sqlite3

import pytest
from sqlalchemy import text

from samovar.web import problems
from samovar.web.people import own_data
from samovar.web.people import people as people_module
from samovar.web.people.own_matches import games_of, latest_of, make_up, opponents_of
from samovar.web.people.people import People, link_key
from samovar.web.tables.actions import Resigning, StandingUp
from support.stores import DATA, EXPECTED
from support.tables import ANNA, BORIS, run, table_of_two, tables
from support.visitors import SECRET


async def over_table(house):
    table_id = await table_of_two(house)
    await Resigning().do(house, table_id, BORIS)
    return table_id


def test_changes_of_several_processes_do_not_undo_one_another(database_url, monkeypatch):
    monkeypatch.setattr(people_module, "FRESH_SECONDS", 0.0)

    async def scene():
        async with tables(database_url) as one:
            people, others = People(one.store), People(one.store)
            await people.change("anna", name="Anna")
            await asyncio.gather(people.change("anna", mark="moon"), others.change("anna", colour="plum"))
            profile = await People(one.store).profile("anna")
            assert (profile.name, profile.mark, profile.colour) == ("Anna", "moon", "plum")
            assert await people.profile("nobody") == people_module.Profile()

    run(scene())


def test_a_link_is_spent_once_and_cutting_off_ends_it(database_url):
    async def scene():
        async with tables(database_url) as one:
            people = People(one.store)
            await people.change("anna", name="Anna")
            key_salt = (await people.known("anna")).key_salt
            key = link_key("anna", key_salt, SECRET)
            assert await people.with_key(key, SECRET) == "anna"
            with pytest.raises(problems.LinkSpent):
                await people.with_key(link_key("boris", key_salt, SECRET), SECRET)
            tries = await asyncio.gather(*(people.spend("anna", key_salt) for _ in range(5)), return_exceptions=True)
            assert sum(answer is None for answer in tries) == 1
            with pytest.raises(problems.LinkSpent):
                await people.with_key(key, SECRET)
            before = await people.known("anna")
            after = await people.cut_off("anna")
            assert (before.cuts, after.cuts) == (0, 1)
            assert before.key_salt != after.key_salt
            await people.change("anna", name="Ann")
            assert (await people.known("anna")).cuts == 1, "saving the page lets nobody in again"

    run(scene())


def test_what_is_written_after_the_end_is_in_the_log_and_in_every_process(database_url):
    async def scene():
        async with tables(database_url) as one:
            table_id = await over_table(one)
            [line] = await one.store.tables_of("anna")
            assert (line.table, line.place) == (table_id, 1)
            await one.take_along(line, "anna", "boris")
            assert (await one.look(table_id)).seat_of("anna") == 0, "Boris sits there himself"
            await one.take_along(line, "anna", "new-anna")
            table = await one.look(table_id)
            assert (table.seat_of("anna"), table.seat_of("new-anna"), table.chairs[0].beginner) == (None, 0, "new-anna")
            assert await one.store.tables_of("anna") == []
            assert [row.game for row in await games_of(one.store, "new-anna")] == ["babuschka"]
            assert not await one.leave_after_end(table_id, "anna"), "it is hers no more"
            assert await one.leave_after_end(table_id, "new-anna", "Somebody")
            table = await one.look(table_id)
            assert table.people[0].name == "Somebody"
            assert table.record()["table"]["names"] == ["Somebody", "Boris"]
            assert [line.number for line in await one.store.load(table_id)] == list(range(table.head + 1))
            assert (await one.store.tables_of("boris"))[0].summary.names == "Somebody\nBoris"

    run(scene())


def test_a_record_by_rules_that_have_changed_forgets_a_name_too(database_url):
    async def scene():
        async with tables(database_url) as one:
            table_id = await over_table(one)
            await one.store.do(_age_rules, table_id)
        async with tables(database_url) as one:
            with pytest.raises(problems.OldRules):
                await one.look(table_id)
            await own_data.delete(one, People(one.store), "anna", "Somebody")
            assert (await one.record(table_id))["table"]["names"] == ["Somebody", "Boris"]

    run(scene())


def _age_rules(connection, table_id):
    where = {"table": table_id}
    row = connection.execute(text("SELECT data FROM entries WHERE table_id = :table AND number = 0"), where).one()
    data = json.dumps({**json.loads(row.data), "rules": 0})
    connection.execute(
        text("UPDATE entries SET data = :data WHERE table_id = :table AND number = 0"), {**where, "data": data}
    )


def test_nothing_is_left_of_whoever_is_deleted(database_url):
    async def scene():
        async with tables(database_url) as one:
            people = People(one.store)
            await people.change("anna", name="Anna")
            finished, going = await over_table(one), await table_of_two(one)
            waiting = (await one.open("memoarrrr", 3, {}, (await one.look(going)).settings, ["", "", ""])).id
            await one.sit(waiting, "anna", "Anna")
            await one.store.mark_seen({(finished, 0): 0, (finished, 1): 0})
            assert sorted(await own_data.delete(one, people, "anna", "Somebody")) == sorted([finished, going, waiting])
            for part in ("people", "holders", "ways", "results"):
                rows = await one.store.all(text(f"SELECT * FROM {part} WHERE person = 'anna'"))
                assert not rows, part
            assert set(await one.store.last_seen(finished)) == {1}
            assert [opponent.name for opponent in await opponents_of(one.store, "boris")] == ["Somebody"]
            assert [match.others for match in await latest_of(one.store, "boris")] == [["Somebody"]]
            table = await one.look(going)
            assert (table.people[0].name, table.people[0].kind, table.status) == ("Somebody", "bot", "playing")
            assert not any("Anna" in (remark.names or ()) for remark in table.remarks)
            assert (await one.look(waiting)).free[0].name == ""
            await Resigning().do(one, going, BORIS)
            assert {row.person for row in await one.store.all(text("SELECT person FROM results"))} == {"", "boris"}
            assert (await people.known("anna")).key_salt == ""

    run(scene())


def test_people_of_0_1_0_find_their_tables_and_results(tmp_path):
    path = tmp_path / "samovar.db"
    with sqlite3.connect(path) as database:
        database.executescript((DATA / "tables.sql").read_text())
        over = {table for table, facts in EXPECTED["tables"].items() if facts["status"] == "over"}
        rows = database.execute("SELECT person, table_id FROM holders WHERE seat >= 0").fetchall()
    database.close()
    person = next(person for person, table in rows if table in over)
    own = {table for who, table in rows if who == person}

    async def scene():
        async with tables(f"sqlite:///{path}") as house:
            assert {line.table for line in await house.store.tables_of(person)} == own
            assert await games_of(house.store, person) == []
            await make_up(house, person)
            finished = {line.table: line.place for line in await house.store.tables_of(person) if line.table in over}
            assert set(finished) == own & over
            for table_id, place in finished.items():
                table = await house.look(table_id)
                assert place == table.places[table.seat_of(person)]
            assert sum(row.played for row in await games_of(house.store, person)) == len(finished)

    run(scene())


def test_a_device_that_is_cut_off_in_one_process_is_so_in_the_other(postgresql_server, monkeypatch):
    monkeypatch.setattr(people_module, "FRESH_SECONDS", 0.05)

    async def scene():
        url = postgresql_server.new_database()
        async with tables(url) as one, tables(url) as other:
            here, there = People(one.store), People(other.store)
            await here.change("anna", name="Anna")
            assert (await there.known("anna")).cuts == 0
            await here.cut_off("anna")
            await asyncio.sleep(0.1)
            assert (await there.known("anna")).cuts == 1
            table_id = await over_table(one)
            assert (await other.look(table_id)).seat_of("anna") == 0
            await own_data.delete(one, here, "anna", "Somebody")
            assert (await other.look(table_id)).people[0].name == "Somebody"

    run(scene())


def test_whoever_stands_up_does_not_leave_a_match_that_has_just_begun(database_url):
    async def scene():
        async with tables(database_url) as one:
            table_id = await table_of_two(one)
            with pytest.raises(problems.MovedOn):
                await StandingUp().do(one, table_id, ANNA)

    run(scene())
