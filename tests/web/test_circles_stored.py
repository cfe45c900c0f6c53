"""Circles in both databases: what several do at once, who counts in a season, and what is left when it is deleted."""

import asyncio

import pytest

from samovar.engine.registry import find_game
from samovar.web import problems
from samovar.web.people.circles import Circles
from samovar.web.store.queries import circles as kept
from samovar.web.store.store import new_id
from samovar.web.tables.actions import Resigning
from samovar.web.tables.tables import by_person
from support.tables import run, tables


async def founded(house, *names):
    """A circle of Anna's, to which these come; the circles, and its id."""
    circles = Circles(house)
    circle_id = await circles.make("anna", "Tuesday round", "Anna")
    key = circles.key(circle_id, await circles.find(circle_id))
    await asyncio.gather(*(Circles(house).join(key, name.lower(), name) for name in names))
    return circles, circle_id


async def play(circles, house, circle_id, one, *others, loser):
    """A match of these members, who have the page in sight."""
    circle = await circles.find(circle_id)
    for person in (one, *others):
        if member := circle.member(person):
            circles.touch(circle_id, member)
    there = [circle.member(person).number for person in others]
    table = new_id()
    game = find_game("memoarrrr")
    await circles.open_table(circle_id, table, circle.member(one), game, 1 + len(others), there)
    await Resigning().do(house, table, by_person(loser))
    return table


def test_all_who_come_at_once_are_in_it(database_url):
    async def scene():
        async with tables(database_url) as house:
            circles, circle_id = await founded(house, "Boris", "Chloé", "Boris")
            circle = await circles.find(circle_id)
            assert sorted(member.number for member in circle.members) == [1, 2, 3]
            assert {member.person for member in circle.members} == {"anna", "boris", "chloé"}
            assert len(await house.store.rows(kept.OF_PERSON, person="boris")) == 1

    run(scene())


def test_who_plays_on_a_members_device_counts_under_their_own_name(database_url):
    async def scene():
        async with tables(database_url) as house:
            circles, circle_id = await founded(house, "Boris")
            await circles.add_relative(circle_id, "anna", "device", "Mia")
            mia = (await circles.find(circle_id)).members[-1].person
            await play(circles, house, circle_id, "boris", mia, loser="boris")
            await play(circles, house, circle_id, "anna", "boris", loser="anna")
            now = await circles.now(circle_id, "anna")
            told = [(line.place, line.name, line.points, line.played) for line in now.standings]
            assert told == [(1, "Boris", 1, 2), (1, "Mia", 1, 1), (3, "Anna", 0, 1)]
            assert [[name for _, name in match.places] for match in now.played] == [["Boris", "Anna"], ["Mia", "Boris"]]
            await circles.take_out(circle_id, "boris", 2)
            assert {member.name for member in (await circles.find(circle_id)).members} == {"Anna", "Mia"}
            with pytest.raises(problems.NoSuchPage):
                await circles.for_member(circle_id, "boris")

    run(scene())


def test_a_season_that_ends_is_ended_once(database_url, monkeypatch):
    async def scene():
        async with tables(database_url) as house:
            circles, circle_id = await founded(house, "Boris")
            await play(circles, house, circle_id, "anna", "boris", loser="boris")
            first = (await circles.find(circle_id)).season
            length = first.ends - first.begins
            monkeypatch.setattr("samovar.web.people.circles.now", lambda: first.ends + 2 * length + 5)
            await asyncio.gather(*(Circles(house).rolled(circle_id) for _ in range(4)))
            over, following = (await circles.find(circle_id)).seasons
            assert over.winners == ["Anna"]
            assert (following.begins, following.ends) == (first.ends + 2 * length, first.ends + 3 * length)

    run(scene())


def test_of_a_circle_that_was_deleted_nobody_sees_anything(database_url):
    async def scene():
        async with tables(database_url) as house:
            circles, circle_id = await founded(house, "Boris", "Chloé")
            table = await play(circles, house, circle_id, "anna", "boris", loser="boris")
            with pytest.raises(problems.NoSuchPage):
                await circles.delete(circle_id, "boris")
            await circles.delete(circle_id, "anna")
            assert await house.store.rows(kept.OF_PERSON, person="anna") == []
            for person in ("chloé", "stranger"):
                with pytest.raises(problems.NoSuchTable):
                    await house.record(table, person)
            assert (await house.record(table, "boris"))["game"] == "memoarrrr"

    run(scene())
