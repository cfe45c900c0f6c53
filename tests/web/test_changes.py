"""Whoever watches is woken, a few at a time and in order, and there is room for everybody because
nobody takes all of it."""

import asyncio
import json
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import count

import pytest
from litestar.channels import ChannelsPlugin
from litestar.channels.backends.memory import MemoryChannelsBackend

from samovar.web import problems
from samovar.web.store import changes
from samovar.web.store.changes import CHANNEL, EVERYTHING, GONE, MOST_WRITTEN, WOKEN_AT_ONCE, Changes, Watcher
from support.servers import call, serving

NUMBERS = count(1)  # of entries


@asynccontextmanager
async def started(**given: int) -> AsyncIterator[Changes]:
    made = Changes(**given)
    await made.start()
    try:
        yield made
    finally:
        await made.close()


def run(scene: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(asyncio.wait_for(scene(), 30))


class Diary:
    """Who was woken in which turn of the event loop."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.woken: list[tuple[int, Watcher, str]] = []
        self.turn = 0
        wake = Watcher.wake

        def noted(watcher: Watcher, table_id: str) -> None:
            self.woken.append((self.turn, watcher, table_id))
            wake(watcher, table_id)

        monkeypatch.setattr(Watcher, "wake", noted)

    async def until(self, number: int) -> None:
        while len(self.woken) < number:
            self.turn += 1
            await asyncio.sleep(0)


async def crowd(made: Changes, open_streams: AsyncExitStack, number: int, table_id: str = "t") -> list[Watcher]:
    return [await open_streams.enter_async_context(made.watch([table_id])) for _ in range(number)]


def test_a_crowd_is_woken_a_few_at_a_time_in_the_order_in_which_it_came(monkeypatch: pytest.MonkeyPatch) -> None:
    diary = Diary(monkeypatch)

    async def scene() -> None:
        async with started() as made, AsyncExitStack() as open_streams:
            watchers = await crowd(made, open_streams, 200)
            made.announce("t", next(NUMBERS))
            await diary.until(200)
            assert [watcher for _, watcher, _ in diary.woken] == watchers
            turns = [turn for turn, _, _ in diary.woken]
            assert max(turns.count(turn) for turn in turns) <= WOKEN_AT_ONCE
            assert [await watcher.changes() for watcher in watchers] == [{"t"}] * 200

    run(scene)


def test_a_crowd_does_not_keep_another_table_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    diary = Diary(monkeypatch)

    async def scene() -> None:
        async with started() as made, AsyncExitStack() as open_streams:
            await crowd(made, open_streams, 500)
            await crowd(made, open_streams, 2, "u")
            made.announce("t", next(NUMBERS))
            made.announce("u", next(NUMBERS))
            await diary.until(502)
            tables = [table_id for _, _, table_id in diary.woken]
            assert tables.index("u") < 3 * WOKEN_AT_ONCE

    run(scene)


def test_a_change_while_a_crowd_is_being_woken_reaches_all_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    diary = Diary(monkeypatch)

    async def scene() -> None:
        async with started() as made, AsyncExitStack() as open_streams:
            watchers = await crowd(made, open_streams, 500)
            made.announce("t", next(NUMBERS))
            await diary.until(WOKEN_AT_ONCE)
            assert await watchers[0].changes() == {"t"}
            assert len(diary.woken) < 500
            made.announce("t", next(NUMBERS))
            assert await watchers[0].changes() == {"t"}
            assert await watchers[-1].changes() == {"t"}

    run(scene)


@asynccontextmanager
async def two_processes() -> AsyncIterator[tuple[Changes, Changes, ChannelsPlugin]]:
    async with ChannelsPlugin(MemoryChannelsBackend(), channels=[CHANNEL]) as channels:
        one, other = Changes(channels), Changes(channels)
        await one.start()
        await other.start()
        try:
            yield one, other, channels
        finally:
            await one.close()
            await other.close()


def test_where_something_may_have_been_missed_all_are_woken() -> None:
    async def scene() -> None:
        async with two_processes() as (live, _, channels), live.watch(["a", "b"]) as one, live.watch(["c"]) as other:
            channels.publish(EVERYTHING, CHANNEL)
            assert await one.changes() | await one.changes() == {"a", "b"}
            assert await other.changes() == {"c"}
            assert live.word_of("a").number is None  # so the table is read anew

    run(scene)


def test_other_processes_are_told_the_number_of_the_last_entry() -> None:
    async def scene() -> None:
        async with two_processes() as (here, there, _), there.watch(["t"]) as watcher:
            here.announce("t", 7)
            assert await watcher.changes() == {"t"}
            assert there.word_of("t").number == 7

    run(scene)


def test_ones_own_word_wakes_at_once_and_not_again_when_it_comes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    diary = Diary(monkeypatch)

    async def scene() -> None:
        async with two_processes() as (here, there, _), here.watch(["t"]) as watcher, there.watch(["t"]):
            here.announce("t", 7)
            await asyncio.sleep(0.2)
            assert [woken for _, woken, _ in diary.woken].count(watcher) == 1
            there.announce("t", 8)
            await asyncio.sleep(0.2)
            assert [woken for _, woken, _ in diary.woken].count(watcher) == 2

    run(scene)


def test_a_table_that_is_gone_wakes_whatever_was_told_before() -> None:
    async def scene() -> None:
        async with started() as made, made.watch(["t"]) as watcher:
            made.announce("t", 7)
            await watcher.changes()
            made.announce("t", GONE)
            assert await watcher.changes() == {"t"}

    run(scene)


def test_whoever_hears_nothing_for_a_while_is_woken_with_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changes, "BEAT_SECONDS", 0.1)

    async def scene() -> None:
        async with started() as made, made.watch(["t"]) as watcher:
            for _ in range(2):
                assert await asyncio.wait_for(watcher.changes(), 2) == set()

    run(scene)


# Room


@pytest.mark.parametrize(
    "same", [("1.2.3.4", "1.2.3.4"), ("2001:db8::1", "2001:db8::ffff:2"), ("::ffff:1.2.3.4", "1.2.3.4")]
)
def test_an_address_has_so_many_streams_and_others_have_their_own(same: tuple[str, str]) -> None:
    first, again = same

    async def scene() -> None:
        async with started(streams_per_address=2) as made, made.watch(["a"], address=first):
            made.check_room(again, "")
            async with made.watch(["b"], address=again):
                with pytest.raises(problems.TooManyStreams):
                    made.check_room(first, "")
                made.check_room("1.2.3.5", "")
                made.check_room("2001:db8:0:1::1", "")
            made.check_room(first, "")

    run(scene)


def test_a_person_has_so_many_streams_wherever_they_come_from(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changes, "STREAMS_PER_PERSON", 1)

    async def scene() -> None:
        async with (
            started() as made,
            made.watch(["a"], address="1.2.3.4", person="ann"),
            made.watch(["a"], address="1.2.3.4"),
        ):
            with pytest.raises(problems.TooManyStreams):
                made.check_room("1.2.3.5", "ann")
            made.check_room("1.2.3.4", "ben")
            made.check_room("1.2.3.4", "")

    run(scene)


def test_no_bound_for_an_address_leaves_the_one_for_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changes, "MOST_STREAMS", 70)

    async def scene() -> None:
        async with started(streams_per_address=0) as made, AsyncExitStack() as open_streams:
            for _ in range(70):
                made.check_room("", "")
                await open_streams.enter_async_context(made.watch(["a"]))
            with pytest.raises(problems.TooManyStreams):
                made.check_room("1.2.3.4", "ann")

    run(scene)


def test_one_stream_too_many_is_told_to_close_tabs(tmp_path):
    with serving(tmp_path, "--streams-per-address", "2") as server:
        made = call(server, "/api/tables", {"game": "connect_four", "seats": 2, "chairs": ["token", "token"]})
        addresses = [
            f"{server.address}/api/tables/{made['table']}/events",
            f"{server.address}/live?table={made['table']}",
        ]
        streams = [urllib.request.urlopen(address, timeout=20) for address in addresses]
        try:
            assert json.loads(streams[0].readline())["table"] == made["table"]
            assert streams[1].readline()
            for address in addresses:
                with pytest.raises(urllib.error.HTTPError) as refused:
                    urllib.request.urlopen(address, timeout=20)
                assert refused.value.code == 429
                assert b"Close some tabs" in refused.value.read()
        finally:
            for stream in streams:
                stream.close()


def test_what_was_written_comes_along_where_it_is_short() -> None:
    async def scene() -> None:
        async with two_processes() as (here, there, _), there.watch(["t"]) as watcher:
            heard: list[tuple[str, bytes]] = []
            there.on_written = lambda *written: heard.append(written)
            here.announce("t", 7, [{"number": 7, "kind": "say", "data": {"text": "a b c"}, "at": 1}])
            await watcher.changes()
            assert heard == [("t", b'[{"number":7,"kind":"say","data":{"text":"a b c"},"at":1}]')]
            here.announce("t", 8, [{"number": 8, "kind": "end", "data": {"record": "x" * MOST_WRITTEN}, "at": 1}])
            await watcher.changes()
            assert len(heard) == 1
            assert there.word_of("t").number == 8

    run(scene)
