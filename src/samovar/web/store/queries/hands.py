"""In whose hand a device is that several people share at a table."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import Connection, bindparam, select, update

from samovar.web.store.declared import hands
from samovar.web.store.putting import put
from samovar.web.store.store import Query


class Hand(NamedTuple):
    """In whose hand a device is."""

    seat: int  # -1: in nobody's, the curtain is down
    revision: int  # of the table when it was taken


NOBODY = Hand(-1, -1)

_here = (hands.c.device == bindparam("device"), hands.c.table_id == bindparam("table"))
RECALL = Query(Hand, select(*hands.c[Hand._fields]).where(*_here))


def take(connection: Connection, device: str, table: str, hand: Hand) -> None:
    put(connection, hands, {"device": device, "table_id": table, **hand._asdict()}, *Hand._fields)


def lower(connection: Connection, device: str, table: str, hand: Hand) -> None:
    """Unless it was taken meanwhile."""
    same = (hands.c.device == device, hands.c.table_id == table)
    as_it_was = (hands.c.seat == hand.seat, hands.c.revision == hand.revision)
    connection.execute(update(hands).where(*same, *as_it_was).values(NOBODY._asdict()))
