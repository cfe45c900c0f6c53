"""How matches came out, a row for each seat."""

import random

import pytest
from sqlalchemy import text

from samovar.web.store.entries import Settings
from samovar.web.tables.actions import Resigning
from support.players import two_people
from support.visitors import running

ROWS = text("SELECT * FROM results WHERE table_id = :table ORDER BY seat")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with running(tmp_path_factory.mktemp("site")) as client:
        yield client


def rows(site, table_id):
    async def ask():
        return await site.app.state.tables.store.all(ROWS, table=table_id)

    return site.blocking_portal.call(ask)


def test_a_match_leaves_a_row_for_each_seat_and_none_before_its_end(site):
    _, _, table = two_people(site)
    tables, table_id, choose = site.app.state.tables, table.split("/")[-1], random.Random(1)

    async def play_to_the_end():
        moves = 0
        while (now := await tables.look(table_id)).status == "playing":
            move = choose.choice(now.playing.legal(now.actors[0]))
            await tables.move(table_id, lambda table: table.actors[0], move, now.revision)
            moves += 1
            if moves == 3:
                assert not await tables.store.all(ROWS, table=table_id)
        return now

    over = site.blocking_portal.call(play_to_the_end)
    anna, boris = rows(site, table_id)
    assert [anna.name, boris.name] == [person.name for person in over.people]
    assert [anna.person, boris.person] == [next(iter(chair.persons)) for chair in over.chairs]
    assert (anna.place, boris.place) == over.places
    assert (anna.score, boris.score) == over.scores
    assert {(row.game, row.seats, row.level, bool(row.is_rated), row.ended) for row in (anna, boris)} == {
        ("memoarrrr", 2, "", False, over.changed_at)
    }


def test_who_resigns_is_behind_and_nobody_has_a_score(site):
    _, _, table = two_people(site)
    table_id = table.split("/")[-1]

    async def resign():
        await Resigning().do(site.app.state.tables, table_id, lambda _: 0)

    site.blocking_portal.call(resign)
    assert [(row.place, row.score) for row in rows(site, table_id)] == [(2, None), (1, None)]


def test_a_bot_is_kept_with_its_level_and_no_person(site):
    tables = site.app.state.tables

    async def play():
        table = await tables.open("memoarrrr", 2, {}, Settings(), ["", "hard"])
        await tables.sit(table.id, "anna", "Anna")
        await Resigning().do(tables, table.id, lambda _: 0)
        return table.id

    anna, bot = rows(site, site.blocking_portal.call(play))
    assert (anna.person, anna.level) == ("anna", "")
    assert (bot.person, bot.level) == ("", "hard")
