"""The rows of notifications, in either database: what makes one message of what two processes decide."""

from dataclasses import asdict, replace

import pytest

from samovar.web.notifications.channels import HOUR_MS, Channels, now_ms
from samovar.web.store.queries import outbox
from samovar.web.store.queries.outbox import DAY_MS, Notification
from support.stores import OVER, PLAYING, entry, run

SECRET = bytes(32)
A_TURN = Notification("a", 3, "turn", "", 1, 7, 1000)


async def add_channel(store, person="ben", kind="web"):
    return await Channels(store, SECRET).add(person, kind, f"https://example.org/{person}", "en", "http://samovar.test")


def notification(channel, **facts):
    return Notification(**{**asdict(A_TURN), "channel": channel.id, **facts})


async def waiting(store, channel):
    claim = await store.do(outbox.claim, channel.id, now_ms(), now_ms())
    return claim.notifications


def test_what_is_decided_twice_is_one_row_and_what_is_done_stays_done(database_url):
    async def work(store):
        channel = await add_channel(store)
        await store.do(outbox.enter, [notification(channel)])
        await store.do(outbox.enter, [notification(channel, head=9)])
        assert await waiting(store, channel) == [notification(channel, head=9)]
        await store.do(outbox.mark_sent, channel.id, [notification(channel)], now_ms())
        await store.do(outbox.enter, [notification(channel)])
        assert await waiting(store, channel) == []

    run(database_url, work)


def test_a_later_turn_takes_the_place_of_what_waits(database_url):
    async def work(store):
        channel, other = await add_channel(store), await add_channel(store, "ann")
        await store.do(outbox.enter, [notification(channel), notification(other), notification(channel, table_id="b")])
        await store.do(outbox.enter, [notification(channel, turn=5)])
        assert [(one.table_id, one.turn) for one in await waiting(store, channel)] == [("a", 5), ("b", 3)]
        assert len(await waiting(store, other)) == 1

    run(database_url, work)


def test_one_process_at_a_time_sends_on_a_way_until_its_lease_ends(database_url):
    async def work(store):
        channel, now = await add_channel(store), now_ms()
        await store.do(outbox.enter, [notification(channel)])
        assert await store.do(outbox.claim, channel.id, now, now + 60_000)
        assert await store.do(outbox.claim, channel.id, now + 59_000, now + 120_000) is None
        assert not await store.rows(outbox.WAITING, now=now + 59_000)
        assert await store.do(outbox.claim, channel.id, now + 60_000, now + 120_000)
        await store.do(outbox.settle, channel.id, [])
        assert await store.do(outbox.claim, channel.id, now, now + 60_000)

    run(database_url, work)


def test_the_leases_of_a_process_that_died_end_with_the_next_start_of_a_site_of_one(database_url):
    async def work(store):
        channel, now = await add_channel(store), now_ms()
        await store.do(outbox.claim, channel.id, now, now + 60_000)
        await store.do(lambda connection: outbox.clean(connection, now, is_alone=True))
        assert await store.do(outbox.claim, channel.id, now, now + 60_000)

    run(database_url, work)


def test_a_channel_that_is_gone_takes_its_notifications_along(database_url):
    async def work(store):
        channel = await add_channel(store)
        await store.do(outbox.enter, [notification(channel)])
        await store.do(outbox.remove_channel, channel.id)
        assert await store.do(outbox.claim, channel.id, now_ms(), now_ms()) is None
        assert not await store.rows(outbox.WAITING, now=now_ms())

    run(database_url, work)


CASES = {
    "a turn": ({}, {}, True),
    "another's turn": ({"actors": 1}, {}, False),
    "decided": ({}, {"head": 7}, False),
    "decided before the last change": ({}, {"head": -1}, True),
    "over": ({"status": "over"}, {}, True),
    "over and told": ({"status": "over"}, {"kind": "end"}, False),
    "little time": ({"due": 2 * HOUR_MS}, {"head": 7}, True),
    "little time, and told": ({"due": 2 * HOUR_MS}, {"head": 7, "kind": "due"}, True),  # of the turn itself
    "much time": ({"due": 20 * HOUR_MS}, {"head": 7}, False),
    "too late": ({"due": -HOUR_MS}, {"head": 7}, False),
}


@pytest.mark.parametrize("case", CASES)
def test_the_scan_finds_whom_nobody_was_called_for(database_url, case):
    """At a table that changed ten hours ago and has a log of some entries."""
    facts, decided, expected = CASES[case]

    async def work(store):
        now = now_ms()
        channel = await add_channel(store)
        ago = now - 10 * HOUR_MS
        due = now + facts["due"] if "due" in facts else None
        summary = replace(OVER if facts.get("status") else PLAYING, actors=facts.get("actors", 2), due=due)
        lines = [replace(entry(number), at=ago) for number in range(8)]
        await store.append("a", lines, summary, [("ann", 0), ("ben", 1)])
        await store.do(lambda connection: connection.exec_driver_sql("UPDATE ways SET created = 0"))
        if decided:
            await store.do(outbox.enter, [notification(channel, is_done=True, **decided)])
        rows = await store.rows(outbox.CANDIDATES, after="", now=now, day=DAY_MS, hour=HOUR_MS, limit=10)
        assert rows == (["a"] if expected else [])

    run(database_url, work)
