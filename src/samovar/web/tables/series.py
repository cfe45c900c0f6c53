"""Tables that are dealt the same cards: those of a club evening (`clubs.py`), and all that play the
deal of a day (`daily.py`).

What one of them knows the others must not learn while they play it. So nobody but those who sit
there sees a table of a deal that is not played to its end everywhere, its record is closed, and the
secret from which all deals of a series follow is shown when the last of them is over.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import time

import msgspec

from samovar.engine.records.digest import digest_of
from samovar.json_types import JsonObject
from samovar.web import problems
from samovar.web.store.queries import circles
from samovar.web.store.queries import series as kept
from samovar.web.store.queries.series import Stands
from samovar.web.store.store import Store, can_be_id

DAILY = "daily-"  # how the ids of those of a day begin


class Proof(msgspec.Struct, frozen=True):
    """What shows, when all is over, that the deals are those committed to; a part of what a series
    keeps."""

    secret: str
    nonces: list[str] = []
    nonce_makers: list[str] = []


def now() -> int:
    return time.time_ns() // 1_000_000


def is_daily(series: str) -> bool:
    return series.startswith(DAILY)


def page_of(series: str, circle: str = "") -> str:
    """`circle`: whose it is, if it is one's."""
    if is_daily(series):
        return f"/circle/{circle}" if circle else "/today"
    return f"/club/{series}"


def table_id_of(secret: bytes, *parts: str | int) -> str:
    """The id of a table that can be opened once: it follows from what it is for, and nobody can
    guess it."""
    digest = hmac.new(secret, repr(("series", *parts)).encode(), hashlib.sha256).digest()
    return base64.urlsafe_b64encode(digest[:9]).decode()


async def check_watching(store: Store, table: str, person: str) -> None:
    """Whether somebody who does not sit there may look on: when all have finished this deal, or in
    a club when they have finished it themselves."""
    stands = await store.first(kept.STANDS, table=table)
    if stands is None or _is_open(stands):
        return
    if stands.kind == kept.CLUB and await store.rows(kept.HAS_FINISHED, table=table, person=person):
        return
    raise problems.StillPlayed


async def is_member(store: Store, circle: str, person: str) -> bool:
    """What belongs to no circle is for everybody."""
    return not circle or bool(await store.rows(circles.IS_MEMBER, person=person, circle=circle))


async def check_member(store: Store, circle: str, person: str) -> None:
    """To all who are not in a circle there is nothing of it."""
    if not await is_member(store, circle, person):
        raise problems.NoSuchTable


async def check_teacher(store: Store, table: str, person: str) -> None:
    """At a table of a class nobody looks on but its teacher; to all others it is not there."""
    if not person or await store.first(kept.HOST, table=table) != person:
        raise problems.NoSuchTable


async def check_record(store: Store, table: str, person: str) -> JsonObject:
    """What belongs into the record of a table, if it may be seen: the proof of its deal, once all
    deals of the series are over. Whoever played the deal of a day alone may see their own."""
    stands = await store.first(kept.STANDS, table=table) if can_be_id(table) else None
    if stands is None:
        return {}
    is_there = bool(await store.rows(kept.HOLDS, table=table, person=person))
    if not is_there:
        await check_member(store, stands.circle, person)
    if stands.kind == kept.CIRCLE:
        return {}
    if stands.kind == kept.CLASS:
        if not is_there:
            await check_teacher(store, table, person)
        return {}
    if not _is_open(stands):
        if stands.kind == kept.CLUB or not is_there:
            raise problems.StillPlayed
        return {}
    if not is_over(stands.closes, stands.tables * stands.deals, stands.all_done):
        return {}
    proof = msgspec.json.decode(stands.data, type=Proof)
    return {**msgspec.to_builtins(proof), "deals": stands.deals}


def is_over(closes: int | None, wanted: int, done: int) -> bool:
    """Whether all of it is played, or its time is up."""
    return closes is not None and (closes <= now() or 0 < wanted <= done)


def with_proof(record: JsonObject, proof: JsonObject) -> JsonObject:
    if not proof:
        return record
    proven = {**record, "table": {**record["table"], **proof}}
    return {**proven, "digest": digest_of(proven)}


def _is_open(stands: Stands) -> bool:
    """Whether nobody plays this deal any more, or may still count."""
    return is_over(stands.closes, stands.tables, stands.done)
