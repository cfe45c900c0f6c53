"""What remains of somebody who wants to be forgotten, where a log cannot be unwritten: another name,
and none of their words."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from samovar.engine.records.digest import digest_of
from samovar.json_types import JsonObject
from samovar.web.store.store import LogLine
from samovar.web.tables.chairs import Remark


def without_words_of(remarks: Iterable[Remark], seat: int, names: Collection[str], name: str) -> list[Remark]:
    """What was said at a table, less what this seat said; in what people did it has the new name."""

    def renamed(remark: Remark) -> Remark:
        by, to = remark.names or ("", "")
        return replace(remark, names=(name if by in names else by, name if to in names else to))

    kept = [
        remark for remark in remarks if remark.seat != seat or (remark.names is not None and remark.text != "renamed")
    ]
    return [renamed(remark) if remark.names else remark for remark in kept]


def renamed_record(record: JsonObject, seat: int, name: str) -> JsonObject:
    """A record in which this seat has another name. No name has a part in the proof of the deal."""
    table = record.get("table")
    names = table.get("names") if isinstance(table, dict) else None
    if not isinstance(table, dict) or not isinstance(names, list) or seat >= len(names):
        return record
    others = [*names[:seat], name, *names[seat + 1 :]]
    changed = {**record, "table": {**table, "names": others}}
    return {**changed, "digest": digest_of(changed)}


def kept_record(lines: Sequence[LogLine]) -> JsonObject | None:
    """The record that a log holds, of a match that is over or from elsewhere; without the names of those who wanted to
    be forgotten since."""
    kept = [line.data["record"] for line in lines if line.kind in ("record", "end")]
    if not kept:
        return None
    record = dict(kept[-1])
    for line in lines:
        if line.kind == "forget" and line.data.get("name"):
            record = renamed_record(record, line.data["seat"], line.data["name"])
    return record
