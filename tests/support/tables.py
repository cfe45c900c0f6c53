"""Tables as the site has them, without pages: on a database of a test, or inside a site in this process."""

import asyncio
import random
from contextlib import asynccontextmanager

from samovar.web.store.entries import Settings
from samovar.web.store.store import Store
from samovar.web.tables.tables import Tables, by_person
from support.visitors import SECRET, RandomBotPool

ANNA, BORIS = by_person("anna"), by_person("boris")


def at(seat):
    return lambda table: seat


@asynccontextmanager
async def tables(url, bot_pool=None, announce=lambda table_id, number, written: None):
    store = Store(url)
    await store.open()
    made = Tables(store, bot_pool or RandomBotPool(), SECRET, announce=announce, bot_pause=0.0)
    await made.start()
    try:
        yield made
    finally:
        await made.close()
        await store.close()


async def table_of_two(tables, game="babuschka", **options):
    table = await tables.open(game, 2, {"first": 0, **options}, Settings(), ["", ""])
    await tables.sit(table.id, "anna", "Anna")
    await tables.sit(table.id, "boris", "Boris")
    return table.id


def run(coroutine):
    return asyncio.run(asyncio.wait_for(coroutine, 60))


def call(site, action, *values):
    return site.blocking_portal.call(action, *values)


def table_of(site, table_id):
    return call(site, site.app.state.tables.look, table_id)


def play_out(site, table_id, seed=1):
    """Anybody's moves by chance until it is over."""
    tables, choose = site.app.state.tables, random.Random(seed)

    async def play():
        while (table := await tables.look(table_id)).status == "playing":
            seat = table.actors[0]
            if table.chairs[seat].level:
                await asyncio.sleep(0.005)
                continue
            move = choose.choice(table.playing.legal(seat))
            await tables.move(table_id, lambda _, seat=seat: seat, move, table.revision)

    call(site, play)
