"""Word of a change gets through, however the connections to PostgreSQL die."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest
from litestar.channels import ChannelsPlugin
from sqlalchemy import make_url

from samovar.web.store.changes import CHANNEL, EVERYTHING, open_channels
from support.databases import Server

pytestmark = pytest.mark.postgres

live_postgres = pytest.importorskip("samovar.web.store.changes_postgres")


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, seconds in {"AGAIN_SECONDS": 0.1, "BEAT_SECONDS": 0.3, "LIMIT_SECONDS": 2.0}.items():
        monkeypatch.setattr(live_postgres, name, seconds)


class Relay:
    """Between a site and its database, as a network that may fall silent."""

    def __init__(self, port: int) -> None:
        self.port = port
        self._open: list[asyncio.Event] = []  # one a connection: as long as it is set, bytes go through
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self) -> int:
        self._server = await asyncio.start_server(self._connect, "127.0.0.1", 0)
        return int(self._server.sockets[0].getsockname()[1])

    async def stop(self) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def fall_silent(self) -> None:
        """The connections that there are carry nothing any more, and nobody is told."""
        for goes_through in self._open:
            goes_through.clear()

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection("127.0.0.1", self.port)
        goes_through = asyncio.Event()
        goes_through.set()
        self._open.append(goes_through)
        self._tasks |= {
            asyncio.ensure_future(self._pump(*ends, goes_through)) for ends in ((reader, back), (there, writer))
        }

    async def _pump(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, goes_through: asyncio.Event
    ) -> None:
        try:
            while data := await reader.read(65536):
                await goes_through.wait()
                writer.write(data)
        finally:
            writer.close()


@asynccontextmanager
async def relayed(server: Server) -> AsyncIterator[tuple[Relay, str]]:
    url = make_url(server.new_database())
    relay = Relay(int(url.port or 0))
    port = await relay.start()
    try:
        yield relay, url.set(port=port).render_as_string(hide_password=False)
    finally:
        await relay.stop()


async def hear(channels: ChannelsPlugin) -> Callable[..., Awaitable[None]]:
    """How to wait for a message."""
    subscriber = await channels.subscribe(CHANNEL)

    async def heard(*messages: str) -> None:
        async with asyncio.timeout(15):
            async for found in subscriber.iter_events():
                if found.decode() in messages:
                    return

    channels.publish("ready", CHANNEL)
    await heard("ready", EVERYTHING)
    return heard


def run(scene: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(asyncio.wait_for(scene(), 60))


@pytest.mark.parametrize("kind", ["postgresql+psycopg", "postgresql", "postgres"])
def test_a_message_reaches_all_processes(postgresql_server: Server, kind: str) -> None:
    async def scene() -> None:
        url = postgresql_server.new_database().replace("postgresql+psycopg", kind)
        async with open_channels(url) as one, open_channels(url) as other:
            ears = [await hear(one), await hear(other)]
            one.publish("t", CHANNEL)
            for heard in ears:
                await heard("t")

    run(scene)


def test_what_is_said_while_connections_are_cut_makes_all_look(postgresql_server: Server) -> None:
    async def scene() -> None:
        url = postgresql_server.new_database()
        async with open_channels(url) as one, open_channels(url) as other:
            heard = await hear(other)
            for number in range(3):
                await hang_up(postgresql_server)
                one.publish(f"t{number}", CHANNEL)
                await heard(f"t{number}", EVERYTHING)

    run(scene)


async def hang_up(server: Server) -> None:
    cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname LIKE 'test_%'"
    await asyncio.to_thread(server.execute, cut)


def test_connections_that_died_in_silence_are_made_anew_and_nothing_is_lost(postgresql_server: Server) -> None:
    async def scene() -> None:
        async with relayed(postgresql_server) as (relay, url):
            direct = make_url(url).set(port=relay.port).render_as_string(hide_password=False)
            async with open_channels(url) as one, open_channels(direct) as other:
                heard_there, heard_here = await hear(one), await hear(other)
                relay.fall_silent()
                one.publish("t", CHANNEL)
                await heard_here("t")
                await heard_there(EVERYTHING)
                other.publish("u", CHANNEL)
                await heard_there("u")

    run(scene)


def test_too_much_to_be_kept_becomes_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_postgres, "MOST_UNSAID", 10)
    kept = live_postgres.PostgresChannels("postgresql://nowhere.invalid/x", CHANNEL, EVERYTHING)

    async def scene() -> None:
        for number in range(10):
            await kept.publish(f"t{number}".encode(), [CHANNEL])
            await kept.publish(b"t0", [CHANNEL])
        assert list(kept._unsaid) == [f"t{number}" for number in range(10)]
        await kept.publish(b"t10", [CHANNEL])
        assert list(kept._unsaid) == [EVERYTHING]

    run(scene)


def test_who_misses_the_order_to_end_is_told_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A connection that is cut just then may swallow it."""
    monkeypatch.setattr(live_postgres, "LIMIT_SECONDS", 0.05)
    kept = live_postgres.PostgresChannels("postgresql://nowhere.invalid/x", CHANNEL, EVERYTHING)

    async def deaf_once() -> None:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            await asyncio.sleep(60)

    async def scene() -> None:
        monkeypatch.setattr(kept, "_listen", deaf_once)
        monkeypatch.setattr(kept, "_speak", deaf_once)
        await kept.on_startup()
        await asyncio.sleep(0.01)
        await asyncio.wait_for(kept.on_shutdown(), 10)

    asyncio.run(scene())


def test_the_last_word_is_said_before_the_end(postgresql_server: Server) -> None:
    async def scene() -> None:
        url = postgresql_server.new_database()
        async with open_channels(url) as other:
            heard = await hear(other)
            async with open_channels(url) as one:
                one.publish("t", CHANNEL)
            await heard("t")

    run(scene)
