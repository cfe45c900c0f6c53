"""What the database of a site says, read beside it: every table as the fold of its log, and what must
hold of each entry as it comes."""

from __future__ import annotations

from collections import Counter, defaultdict
from contextlib import contextmanager

import msgspec

from samovar.web.store.entries import (
    Ask,
    CloseTable,
    Come,
    CutOff,
    Forget,
    GoOn,
    KeepRecord,
    Leave,
    Logged,
    Move,
    Pause,
    Resign,
    Say,
    SeatBot,
    Sit,
    TimeOut,
    Undo,
    read,
)
from samovar.web.tables.results import summary_of
from samovar.web.tables.table import Table

from .houses import Fault, reading
from .watches import Watches

SUMMARY = ("game", "seats", "status", "is_open", "actors", "bot_turn", "free", "people", "names", "due", "head")
REBUILT = {"people", "_keys"}  # what a table works out again whenever it needs it


def facts_of(table):
    """All that a table is, to be compared. Records are compared as JSON has them."""
    facts = {name: value for name, value in vars(table).items() if name not in REBUILT}
    match = facts.pop("match")
    facts["kept_record"] = msgspec.json.encode(facts["kept_record"], order="sorted")
    played = None if match is None else (match.positions, match.history, match.actors)
    return facts | {"match": played}


def differences(one, other):
    mine, theirs = facts_of(one), facts_of(other)
    return [f"{name}: {mine[name]!r:.300} and {theirs[name]!r:.300}" for name in mine if mine[name] != theirs[name]]


def gives_up(entry):
    """The seat whose keys of before are of no use after this entry; None: all stay as they are."""
    match entry:
        case Sit() | Leave() | Forget() | CutOff() | Resign(ends=False):
            return entry.seat
        case Come() if entry.key_salt:
            return entry.seat
    return None


class Ledger:
    def __init__(self, path):
        self._database = reading(path)
        self.tables: dict[str, Table] = {}
        self.order: list[str] = []  # of their opening
        self.lines: dict[str, list[tuple]] = defaultdict(list)
        self.kinds: Counter[str] = Counter()
        self.records: list[str] = []
        self.ends: dict[tuple[str, int], int] = {}  # the last entry that ended the keys of a chair
        self.nonces: dict[tuple[str, int], list[str]] = defaultdict(list)  # of a chair, one after the other
        self.shifts: dict[str, int] = {}  # of everybody's chair at the table after this one
        self._watches: dict[str, Watches] = {}
        self._wishes: dict[str, set[int]] = defaultdict(set)  # by table: the seats that would like a pause
        self.folds = 0

    def close(self):
        self._database.close()

    def read(self, touched):
        """What was written at these tables since the last time; says which had anything new."""
        for table_id in sorted(touched):
            known = self.lines[table_id]
            rows = self._database.execute(
                "SELECT number, kind, data, at FROM entries WHERE table_id = ? AND number >= ? ORDER BY number",
                (table_id, len(known)),
            ).fetchall()
            for row in rows:
                if row[0] != len(known):
                    raise Fault(f"log: table {table_id} has entry {row[0]} after {len(known) - 1}")
                known.append(row)
                self._happen(table_id, self._logged(table_id, row))

    @contextmanager
    def at_once(self):
        """All that is read in here was so at the same moment."""
        self._database.execute("BEGIN")
        try:
            yield
        finally:
            self._database.execute("COMMIT")

    def hand_of(self, device, table_id):
        """In whose hand a device is: seat and revision, if that was ever said."""
        return self._database.execute(
            "SELECT seat, revision FROM hands WHERE device = ? AND table_id = ?", (device, table_id)
        ).fetchone()

    def closes(self, series):
        """When a series is over at the latest; None: it has not begun, or is none."""
        row = self._database.execute("SELECT closes FROM series WHERE id = ?", (series,)).fetchone()
        return row and row[0]

    def is_owner(self, person):
        row = self._database.execute(
            "SELECT 1 FROM members WHERE person = ? AND role = 'owner' AND NOT is_blocked", (person or "",)
        ).fetchone()
        return row is not None

    def class_of(self, person):
        row = self._database.execute(
            "SELECT invited_by FROM members WHERE person = ? AND role = 'pupil'", (person or "",)
        ).fetchone()
        return row[0] if row else ""

    def plans(self):
        """The seats that have made moves ahead."""
        return self._database.execute("SELECT table_id, seat FROM ahead ORDER BY table_id, seat").fetchall()

    def circles(self):
        """Those that are there, in the order of their founding."""
        rows = self._database.execute("SELECT id FROM series WHERE kind = 'circle' AND host <> '' ORDER BY created, id")
        return [row[0] for row in rows.fetchall()]

    def circle(self, circle_id):
        """What is kept of it."""
        return self._database.execute("SELECT data FROM series WHERE id = ?", (circle_id,)).fetchone()[0]

    def host(self, series):
        row = self._database.execute("SELECT host FROM series WHERE id = ?", (series,)).fetchone()
        return row[0] if row else ""

    def circle_members(self, circle_id):
        rows = self._database.execute("SELECT person FROM circle_members WHERE circle = ?", (circle_id,))
        return {row[0] for row in rows.fetchall()}

    def heads(self):
        """Of all tables, as their rows say."""
        return dict(self._database.execute("SELECT id, head FROM tables").fetchall())

    def _logged(self, table_id, row):
        return Logged(row[0], read(table_id, row[0], row[1], msgspec.json.decode(row[2])), row[3])

    def _happen(self, table_id, logged):
        entry = logged.entry
        self.kinds[type(entry).__name__] += 1
        if isinstance(entry, KeepRecord):
            self.records.append(table_id)
            return
        if logged.number == 0:
            table = self.tables[table_id] = Table(table_id, logged)
            self.order.append(table_id)
            if table.settings.time:
                self._watches[table_id] = Watches(table.settings.time, table.seats, bool(table.settings.days_off))
            return
        table = self.tables[table_id]
        was_paused = table.is_paused
        self._check_consent(table, entry)
        table.apply(logged)
        check_entry(table, was_paused, entry)
        if table_id in self._watches:
            self._watches[table_id].after(logged, table.timed, table.clocks.left)
        self._note_key(table_id, logged)
        if isinstance(entry, GoOn):
            self.shifts[table_id] = entry.shift
        check_told(table, logged)

    def _check_consent(self, table, entry):
        """A pause of those who play begins when all who hold a chair have wanted it since the last move."""
        wishes = self._wishes[table.id]
        match entry:
            case Pause(ends=False, seat=int()):
                wishes.add(entry.seat)
                missing = [chair.seat for chair in table.chairs if chair.key_salt and chair.seat not in wishes]
                if missing and not entry.is_asked:
                    raise Fault(f"pause: at table {table.id} one begins, and nobody has asked {missing}")
            case Pause() | Move() | Undo():
                wishes.clear()

    def _note_key(self, table_id, logged):
        if isinstance(logged.entry, CloseTable):
            self.ends |= {(table_id, chair.seat): logged.number for chair in self.tables[table_id].chairs}
        seat = gives_up(logged.entry)
        if seat is not None:
            self.ends[table_id, seat] = logged.number
            self.nonces[table_id, seat].append(getattr(logged.entry, "nonce", ""))

    def fold(self, table_id):
        """The table once more, from its first entry."""
        self.folds += 1
        first, *rest = (self._logged(table_id, row) for row in self.lines[table_id])
        table = Table(table_id, first)
        for logged in rest:
            table.apply(logged)
        return table

    # What must hold of a table

    def check_memory(self, table_id, held):
        """What the site has in memory is what its log says."""
        self._same(self.tables[table_id], held, "in memory")

    def check_fold(self, table_id):
        """All at once is the same as one after the other."""
        self._same(self.tables[table_id], self.fold(table_id), "folded anew")

    def _same(self, table, other, where):
        if found := differences(table, other):
            raise Fault(f"log: table {table.id} after entry {table.head} is another one {where}: {'; '.join(found)}")

    def check_row(self, table_id):
        """The row by which a table is listed, and the list of who sits there."""
        table = self.tables[table_id]
        summary, told = summary_of(table), ", ".join(SUMMARY)
        row = self._database.execute(f"SELECT {told} FROM tables WHERE id = ?", (table_id,)).fetchone()
        wanted = (*(getattr(summary, name) for name in SUMMARY[:-1]), table.head)
        if row != wanted:
            raise Fault(f"row: table {table_id} is listed as {row}, and is {wanted}")
        rows = self._database.execute(
            "SELECT person, seat FROM holders WHERE table_id = ? AND seat >= 0", (table_id,)
        ).fetchall()
        if dict(rows) != table.holders:
            raise Fault(f"row: at table {table_id} sit {dict(rows)}, and by its log {table.holders}")


def check_told(table, logged):
    """Whoever lets a bot play where all are dealt the same cards chooses none, and everybody is told."""
    entry = logged.entry
    if not table.series or not isinstance(entry, SeatBot) or entry.by is None:
        return
    if entry.level != table.settings.stand_in:
        raise Fault(f"hand-over: at table {table.id} of {table.series} somebody chose {entry.level!r}")
    if not any(remark.number == logged.number for remark in table.remarks):
        raise Fault(f"hand-over: at table {table.id} of {table.series} nobody was told of entry {logged.number}")


def check_entry(table, was_paused, entry):
    """Of each entry as it comes: nobody moves in a pause, and in a class nobody writes."""
    if was_paused and isinstance(entry, Move | Undo | Ask | TimeOut):
        raise Fault(f"pause: at table {table.id} this happens in a pause: {entry}")
    if table.of_class and isinstance(entry, Say) and not entry.is_phrase:
        raise Fault(f"classes: at table {table.id} a pupil writes: {entry}")
