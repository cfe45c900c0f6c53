"""One more person sits down on a device that is here already."""

from __future__ import annotations

from samovar.web.store.queries.hands import NOBODY
from samovar.web.tables.hands import new_companion
from samovar.web.tables.tables import Tables


async def sit_down(
    tables: Tables, device: str, table_id: str, name: str, seat: int | None = None, nonce: str = "", beside: str = ""
) -> None:
    """One more on this device, beside its person, takes a chair. Everybody on it says who they are before anything is
    shown."""
    table = await tables.look(table_id)
    await tables.sit(table_id, new_companion(table, device), name, seat, nonce=nonce, beside=beside)
    await tables.hands.take(device, table_id, NOBODY)
