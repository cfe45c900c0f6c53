"""Look at every table of a database: whether its log can be read, says what its row says, and was dealt fairly."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from samovar.engine.records.fair import verify
from samovar.engine.records.record import replay
from samovar.errors import DamagedLog, NotCommitted, SamovarError
from samovar.json_types import JsonObject
from samovar.web import problems
from samovar.web.store import backups
from samovar.web.store.backups import KeptTable
from samovar.web.store.store import LogLine, Store, logged_in
from samovar.web.tables.forgetting import kept_record
from samovar.web.tables.series import check_record, with_proof
from samovar.web.tables.table import Table


@dataclass
class Checked:
    """What was found in a database."""

    tables: int = 0
    proven: int = 0  # finished matches whose deal is the one committed to
    unproven: int = 0  # those without a commitment, or with one whose secret is still needed
    old: int = 0  # of rules or games that are not there any more; their records are kept
    damages: list[str] = field(default_factory=list)


async def check(store: Store, tell: Callable[[int, int], None] = lambda done, all_of_them: None) -> Checked:
    """Fold every log and verify every finished deal; `tell` hears how far it is."""
    found = Checked()
    tables = await store.rows(backups.EVERY_TABLE)
    for number, row in enumerate(tables, 1):
        table_id = row.id
        found.tables += 1
        try:
            await _check_table(store, row, found)
        except (DamagedLog, _Damaged) as error:
            found.damages.append(str(error))
        except Exception as error:  # whatever a damaged log leads to, the next table is looked at
            found.damages.append(f"Table {table_id!r} cannot be read: {type(error).__name__}: {error}")
        tell(number, len(tables))
    found.damages += [
        f"There are entries of a table {name!r} that is not there." for name in await store.rows(backups.STRAY)
    ]
    return found


class _Damaged(SamovarError):
    """What is wrong with a table besides its entries."""


async def _check_table(store: Store, row: KeptTable, found: Checked) -> None:
    table_id, status, head = row
    lines = await store.load(table_id)
    if [line.number for line in lines] != list(range(head + 1)):
        raise _Damaged(f"Table {table_id!r} has {len(lines)} entries, and should have those from 0 to {head}.")
    if lines[0].kind == "record":
        replay(kept_record(lines) or {}, plain=True)
        return
    try:
        table = fold(table_id, lines)
    except (problems.NoSuchGame, problems.OldRules):
        found.old += 1
        return
    if table.status != status:
        raise _Damaged(f"Table {table_id!r} is {table.status!r} by its entries, and {status!r} in the list of tables.")
    if table.status == "over":
        await _check_deal(store, table, found)


async def _check_deal(store: Store, table: Table, found: Checked) -> None:
    try:
        proof: JsonObject = await check_record(store, table.id, "")
    except (problems.StillPlayed, problems.NoSuchTable):  # that is for those who play, or for a class or a circle
        proof = {}
    try:
        verify(with_proof(table.record(), proof))
    except NotCommitted:
        found.unproven += 1
    except SamovarError as error:
        raise _Damaged(f"Table {table.id!r}: {error}") from error
    else:
        found.proven += 1


def fold(table_id: str, lines: Sequence[LogLine]) -> Table:
    """The table that its entries make."""
    logged = [logged_in(table_id, line) for line in lines]
    table = Table(table_id, logged[0])
    for entry in logged[1:]:
        table.apply(entry)
    return table
