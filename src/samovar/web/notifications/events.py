"""What people who are away are told of, read off a table."""

from __future__ import annotations

from dataclasses import dataclass, replace

from samovar.web.notifications.channels import HOUR_MS
from samovar.web.store.queries.outbox import DAY_MS
from samovar.web.tables.table import Table

OPENED = "opened"


@dataclass(frozen=True)
class TableEvent:
    """One for one seat. It holds what everybody at the table may know, and nothing else."""

    table_id: str
    turn: int  # names the turn: no other of this table has the same
    kind: str  # "turn", "due": its time is running out, "pause": somebody would like one, "end", or "opened"
    seat: int
    game: str
    names: tuple[str, ...]  # of the others; of those who want the pause; of who has opened it, if that may be told
    left: int = 0  # milliseconds until the time runs out
    circle: str = ""  # in which it was opened
    circle_name: str = ""


def events(table: Table, now: int) -> list[TableEvent]:
    """Of all people who sit there, present or not; a chair that a bot keeps warm has no turns."""
    people = [chair.seat for chair in table.chairs if chair.kind == "person"]
    if table.status == "over":
        is_old = now - table.changed_at > DAY_MS
        return [] if is_old else [_event(table, seat, "end", table.revision) for seat in people]
    to_act = [seat for seat in people if seat in table.actors]
    notifications = [_event(table, seat, "turn", turn_of(table, seat)) for seat in to_act]
    for seat in to_act:
        due = table.clocks.until(seat) if table.clocks else None
        if due is not None and runs_out(table.changed_at, due, now):
            notifications.append(_event(table, seat, "due", turn_of(table, seat), due - now))
    return [*notifications, *(_pause(table, seat) for seat in people if seat in table.asked_for_pause)]


def opened(table: Table, circle_name: str, *, with_name: bool) -> TableEvent | None:
    """A table of a circle, as long as somebody can still come."""
    if table.status != "waiting" or not table.free or table.opener is None:
        return None
    names = (table.people[table.opener].name,) if with_name else ()
    return TableEvent(
        table.id, 0, OPENED, table.opener, table.game.name, names, circle=table.circle, circle_name=circle_name
    )


def runs_out(since: int, due: int, now: int) -> bool:
    """Whether less than a quarter of the time is left; where there is little of it, that is too late to
    be told."""
    return now < due and due - since >= HOUR_MS and (due - now) * 4 < due - since


def turn_of(table: Table, seat: int) -> int:
    """The revision of the table from which on this seat could act without a break."""
    turn = table.revision
    for _, actors in reversed(table.changes):
        if seat not in actors:
            break
        turn -= 1
    return turn


def _pause(table: Table, seat: int) -> TableEvent:
    """Once while the match stands there, whoever asks again and again."""
    wanted_by = tuple(table.people[other].name for other in sorted(table.pause_state.wanted_by))
    return replace(_event(table, seat, "pause", table.revision), names=wanted_by)


def _event(table: Table, seat: int, kind: str, turn: int, left: int = 0) -> TableEvent:
    names = tuple(person.name for other, person in enumerate(table.people) if other != seat and person.name)
    return TableEvent(table.id, turn, kind, seat, table.game.name, names, left)
