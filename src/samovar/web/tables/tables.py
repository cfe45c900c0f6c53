"""All tables of the site. Every action goes the same way: one at a time for each table, checked,
made, committed, announced.

Tables are kept in memory as long as there is room and are rebuilt from their log when they are
asked for; nothing lives here that another process could not rebuild. With a database that several
processes write to (`Store.exclusive` is false) a table is brought up to date before it is looked
at.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from samovar.engine.contract import Value
from samovar.engine.records.fair import check_nonce, new_secret
from samovar.engine.registry import find_game, game_ids
from samovar.errors import BotFailed, DamagedLog, StoreError, Taken
from samovar.insight.advice_worker import ADVICE
from samovar.insight.undo import can_undo
from samovar.json_types import JsonObject
from samovar.web import figures, problems
from samovar.web.jobs.bot_pool import BotPool
from samovar.web.recent import Recent
from samovar.web.site import AWAY_SECONDS
from samovar.web.store import chores
from samovar.web.store.changes import GONE
from samovar.web.store.entries import NOTHING, AnyEntry, End, KeepRecord, Logged, Open, Settings, Start, Within
from samovar.web.store.queries.series import add_table
from samovar.web.store.store import Listed, LogLine, Store, Summary, lines_of, logged_in, new_id
from samovar.web.tables import clock, series
from samovar.web.tables.bot_turns import BotTurns, question
from samovar.web.tables.chairs import Chair, Nonce, server_nonce, sits_again
from samovar.web.tables.forgetting import kept_record
from samovar.web.tables.hands import Hands
from samovar.web.tables.hints import Hint, hint_of
from samovar.web.tables.phrases import CHANGED
from samovar.web.tables.post.ahead import MovesAhead
from samovar.web.tables.presence import Presence
from samovar.web.tables.results import Result, results_of, summary_of
from samovar.web.tables.sweeper import Sweeper
from samovar.web.tables.table import Table, check_level, check_rated
from samovar.web.tables.timekeeper import Timekeeper

KEPT_TABLES = 1000
KEPT_SECONDS = 180.0
FOLDED_AT_ONCE = 50  # entries of a log, about 10 ms
KEPT_ENDS = 4096
SOON_MS = 24 * 3600 * 1000  # after which a match against bots counts as forgotten, and one that is over as old
LATE_MS = 7 * SOON_MS  # after which one with other people does
MOST_WAITING = 6  # tables that have not begun, at which one person may sit

Who = Callable[[Table], int]  # says which seat acts, or that there is none

log = logging.getLogger("samovar.web")


def by_person(person: str | None) -> Who:
    """Whoever has this session."""
    return lambda table: table.seated(person)


def by_key(key: str, secret: bytes) -> Who:
    """Whoever has the key of a chair."""
    return lambda table: table.seat_with(key, secret)


@dataclass
class CachedTable:
    """A table in memory, and the lock that lets one action at a time through."""

    table: Table | None = None
    read_at: float = 0.0  # by this process's clock: all that was written before is in the table
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    def is_as_of(self, moment: float | None, number: int | None) -> bool:
        knows = number is not None and self.table is not None and self.table.head >= number
        return knows or (moment is not None and self.read_at >= moment)


class Tables:
    def __init__(
        self,
        store: Store,
        bot_pool: BotPool,
        secret: bytes,
        *,
        announce: Callable[[str, int, Sequence[LogLine]], None],
        bot_pause: float = 0.6,
        away_seconds: float = AWAY_SECONDS,
    ) -> None:
        self.store = store
        self.bot_pool = bot_pool
        self.secret = secret
        self.announce = announce
        self._cached: Recent[str, CachedTable] = Recent(KEPT_TABLES, KEPT_SECONDS, self._may_go)
        self._ends_seen: Recent[tuple[str, str], bool] = Recent(KEPT_ENDS, KEPT_SECONDS)  # table and person
        self._hinted: set[tuple[str, int]] = set()  # table and seat of those who wait for a hint
        self.presence = Presence(store, away_seconds)
        self.hands = Hands(store, announce)
        self.turns = BotTurns(store, bot_pool, look=self.look, do=self._do, pause=bot_pause)
        self.moves_ahead = MovesAhead(store, look=self.look, do=self._do)
        self.timekeeper = Timekeeper(store, do=self._do, moves_ahead=self.moves_ahead)
        self.sweeper = Sweeper(store, self._forget)
        self.on_change: Callable[[Table], None] = lambda table: None  # by an action, here or elsewhere

    async def start(self) -> None:
        await self.bot_pool.start()
        await self.presence.start()
        await self.turns.start()
        await self.timekeeper.start()
        await self.sweeper.start()

    async def close(self) -> None:
        await self.sweeper.close()
        await self.timekeeper.close()
        await self.turns.close()
        await self.presence.close()
        await self.bot_pool.close()

    # Looking

    async def look(self, table_id: str, as_of: float | None = None, number: int | None = None) -> Table:
        """The table as it is committed. To be read before the next `await`: after that it may have
        changed. Where others write to the database, what was read of it at the moment `as_of` or
        later is new enough, and so is what knows the entry `number`: many who look at the same time
        ask once."""
        cached = self._hold(table_id)
        async with cached.lock:
            if cached.table is not None and cached.is_as_of(as_of, number):
                return _not_cancelled(cached.table)
            return await self._fresh(table_id, cached)

    def hear(self, table_id: str, written: bytes) -> None:
        """What another process has committed. Where it follows on what is in memory, the database
        need not be asked; in all other cases it is, by the next who looks."""
        cached = self._cached.get(table_id) if table_id in self._cached else None
        if cached is None or cached.table is None or cached.lock.locked():
            return
        lines = read_written(written)
        if lines[0].number == cached.table.head + 1:
            try:
                for line in lines:
                    cached.table.apply(logged_in(table_id, line))
            except DamagedLog:  # whoever looks next is told
                cached.table = None
                return
            self.turns.wake(cached.table)
            self.on_change(cached.table)

    async def current_tables_of(self, person: str, limit: int) -> list[Listed]:
        """Without those that are over and done with, and those that everybody seems to have forgotten."""
        now = clock.now()
        return await self.store.current_tables_of(person, now - SOON_MS, now - LATE_MS, limit)

    async def end_seen(self, table: Table, person: str | None) -> None:
        """The person has seen how the match ended: it need not be among their tables any more. Each
        process writes it once in a while; where that fails, the table stays in the list for a
        day."""
        seen = table.id, person or ""
        if table.status != "over" or table.seat_of(person) is None or self._ends_seen.get(seen):
            return
        self._ends_seen.put(seen, True)
        with suppress(StoreError):
            await self.store.mark_end_seen(*seen)

    async def open_tables(self) -> list[Listed]:
        return await self.store.open_tables()

    # What can be done besides the actions (`actions.py`). `who` says which seat does it, from a cookie or a key: see
    # `by_person` and `by_key`.

    async def open(
        self,
        game_id: str,
        seats: int,
        options: dict[str, Value],
        settings: Settings,
        levels: Sequence[str],
        previous: Table | None = None,
        people: Sequence[Chair] = (),
        table_id: str = "",
        within: Within = NOTHING,
        goes_on: JsonObject | None = None,
    ) -> Table:
        """A new table. Its people sit down one by one, or come along from elsewhere; when it follows another table,
        as they sat there. `goes_on`: the record, up to a moment, of the match that goes on there."""
        if game_id not in game_ids():  # nor are small members of a game for people
            raise problems.NoSuchGame(game=game_id)
        game = find_game(game_id)
        for level in (settings.stand_in, *filter(None, levels)):
            check_level(level)
        clock.check_time(settings.time)
        settings = check_rated(settings, game.is_together(game.check_seats(seats)))
        secret = (previous.next_secret() if previous else "") or new_secret()
        opening = Table.opening(game, seats, options, settings, levels, secret)
        if goes_on is not None:
            opening = msgspec.structs.replace(opening, goes_on=goes_on)
        if previous:  # everybody has seen what its deal is committed to
            opening, within = msgspec.structs.replace(opening, options=options), previous.within
            people = [replace(chair, seat=previous.next_seat(chair.seat)) for chair in previous.chairs if chair.persons]
        entries = [entry for chair in sorted(people, key=lambda chair: chair.seat) for entry in sits_again(chair)]
        if len(people) + sum(map(bool, levels)) == seats:
            entries.append(Start())
        place = (previous.again if previous else table_id) or new_id()
        if any(within):  # it belongs there before anybody can come to it
            opening = msgspec.structs.replace(opening, **within._asdict())
            await self.store.do(add_table, place, within.of_class or within.circle, 0, 0)
        return await self.open_with(place, opening, entries)

    async def open_instead(
        self,
        table_id: str,
        who: Who,
        game_id: str,
        seats: int,
        options: dict[str, Value],
        settings: Settings,
        levels: Sequence[str],
    ) -> Table:
        """A table with other chairs or rules in the place of one that waits, with everybody who sits there; what a deal
        is committed to cannot be changed, so it has a new one. Only one can take the place: its id follows from it."""
        place = series.table_id_of(self.secret, "instead", table_id)
        try:
            old = await self.look(table_id)
            people = old.coming_along(who(old), levels)
            with suppress(Taken):
                await self.open(
                    game_id, seats, options, settings, levels, people=people, table_id=place, within=old.within
                )
            await self._do(table_id, lambda old: old.make_way(who(old), place))
        except problems.Cancelled:
            with suppress(problems.NoSuchTable):
                return await self.look(place)
            raise
        return await self._do(place, lambda table: table.say(people[0].seat, CHANGED, is_phrase=True))

    async def open_with(self, table_id: str, opening: Open, entries: Sequence[AnyEntry]) -> Table:
        """A new table with all that happens there at once; Taken: it is there already."""
        cached = self._hold(table_id)
        async with cached.lock:
            [first] = _numbered(-1, [opening])
            cached.table = Table(table_id, first)
            await self._write(cached, entries, opening=first)
            return cached.table

    async def check_watching(self, table: Table, person: str | None) -> None:
        """Whether a person may look on at a table where they do not sit: not while others play the same cards, at those
        of a class nobody but its teacher, at those of a circle nobody but its members."""
        if table.seat_of(person) is not None:
            return
        await series.check_member(self.store, table.circle, person or "")
        if table.of_class:
            await series.check_teacher(self.store, table.id, person or "")
        elif table.series:
            await series.check_watching(self.store, table.id, person or "")

    async def sit(
        self,
        table_id: str,
        person: str,
        name: str,
        seat: int | None = None,
        *,
        nonce: str = "",
        for_program: bool = False,
        beside: str = "",
    ) -> tuple[Table, int]:
        """`beside`: on whose device they sit, if it is another's."""
        circle, key_salt = (await self.look(table_id)).circle, secrets.token_hex(8)
        await series.check_member(self.store, circle, beside or person)
        if not for_program and await self.store.waiting_tables_of(person) >= MOST_WAITING:
            raise problems.TooManyChairs(most=MOST_WAITING)
        brought = Nonce(check_nonce(nonce), "program" if for_program else "browser") if nonce else server_nonce()
        table = await self._do(
            table_id, lambda table: table.sit(person, name, key_salt, brought, seat, for_program=for_program)
        )
        taken = next(chair.seat for chair in table.chairs if chair.key_salt == key_salt)
        if not await series.is_member(self.store, circle, beside or person):  # any more
            await self._do(table_id, lambda table: table.leave(taken))
            raise problems.NoSuchTable
        self.presence.touch(table_id, taken)
        return table, taken

    async def act(self, table_id: str, who: Who, action: Callable[[Table, int], list[AnyEntry]]) -> Table:
        """An action of whoever it is, who is here, then."""

        def entries_of(table: Table) -> list[AnyEntry]:
            seat = who(table)
            self.presence.touch(table_id, seat)
            return action(table, seat)

        return await self._do(table_id, entries_of)

    async def by_owner(self, table_id: str, action: Callable[[Table], list[AnyEntry]]) -> Table:
        """Something that an owner of the site, or a teacher, does at a table."""
        return await self._do(table_id, action)

    async def come(self, table_id: str, person: str, key: str, *, is_leaving: bool = False) -> Table:
        key_salt = secrets.token_hex(8)
        return await self.act(
            table_id,
            by_key(key, self.secret),
            lambda table, seat: table.come(person, seat, key_salt, is_leaving=is_leaving),
        )

    async def cut_off(self, table_id: str, person: str) -> Table:
        """All other devices that hold this person's chair."""
        key_salt = secrets.token_hex(8)
        return await self.act(table_id, by_person(person), lambda table, seat: table.cut_off(seat, person, key_salt))

    async def cut_off_at(self, person: str, line: Listed) -> None:
        """The same for one of many tables, where they are perhaps not looking."""
        key_salt = secrets.token_hex(8)
        if line.summary.status == "over":
            await self._append_after_end(line.table, chores.cut_off, person, key_salt)
        else:
            await self._do(line.table, lambda table: table.cut_off(table.seated(person), person, key_salt))

    async def move(self, table_id: str, who: Who, move: int | str, revision: int) -> Table:
        table = await self.act(table_id, who, lambda table, seat: table.move(seat, move, revision))
        figures.MOVES.add()
        return table

    async def take_back(self, table_id: str, who: Who) -> Table:
        cached = self._hold(table_id)
        async with cached.lock:
            table = await self._fresh(table_id, cached)
            seat = who(table)
            table.last_own_move(seat)
            is_free = await asyncio.to_thread(
                can_undo, table.playing.copy(), seat
            )  # takes a while where much is hidden
            await self._write(cached, table.take_back(seat, is_free=is_free))
        return table

    async def take_along(self, line: Listed, before: str, person: str) -> None:
        """Somebody is known as another person from now on; where that one sits, too, nothing is changed."""
        if line.summary.status == "over":
            await self._append_after_end(line.table, chores.take_along, before, person)
        else:
            await self._do(line.table, lambda table: table.take_along(before, person))

    async def forget_person(self, line: Listed, person: str, name: str) -> None:
        """Somebody leaves a table for good, and is called by this name there."""
        if line.summary.status == "over":
            await self.leave_after_end(line.table, person, name)
        else:
            key_salt = secrets.token_hex(8)
            await self._do(line.table, lambda table: table.forget(person, key_salt, name))

    async def leave_after_end(self, table_id: str, person: str, name: str = "") -> bool:
        """The match is over and not this person's any more; with a name, that is all that is left
        of them there. False: it is not over, or was not theirs."""
        return await self._append_after_end(table_id, chores.leave_after_end, person, secrets.token_hex(8), name)

    async def _append_after_end(self, table_id: str, chore: Callable[..., Any], *values: str) -> bool:
        """Something about the people of a match that is over: nothing needs to be known of the match
        for it, so that nobody waits until hundreds of them are played again."""
        cached = self._hold(table_id)
        async with cached.lock:
            line = await self.store.do(chore, table_id, clock.now(), *values)
            if line is None:
                return False
            cached.table = None  # whoever looks next reads it anew
        self.announce(table_id, line[0], [LogLine(*line)])
        return True

    async def play_again(
        self, table_id: str, who: Who, *, shift: int = 0, level: str = "", goes_on: JsonObject | None = None
    ) -> Table:
        """A new table with the same people, which the old one names; whoever asks second finds the one that is
        there. `shift`: everybody moves on by so many chairs; `level`: of the bots, if it is another one; `goes_on`:
        not a new match but one of its moments, from which it goes on."""
        old = await self.look(table_id)
        who(old)
        old = await self._do(table_id, lambda table: [] if table.again else table.go_on_at(new_id(), shift))
        try:
            await self.look(str(old.again))
        except problems.NoSuchTable:  # its place is reserved: no two tables can have the same deal
            bots = {old.next_seat(chair.seat): level or chair.level for chair in old.chairs if chair.kind == "bot"}
            levels = [bots.get(seat, "") for seat in range(old.seats)]
            with suppress(Taken):  # somebody else has just opened it
                options = old.next_options if goes_on is None else old.written_options
                await self.open(old.game.id, old.seats, options, old.settings, levels, previous=old, goes_on=goes_on)
        return old

    async def hint(self, table_id: str, who: Who) -> tuple[Table, Hint]:
        """The best moves in this chair, by what it knows. Others may make their part of a simultaneous choice
        meanwhile."""
        table = await self.look(table_id)
        seat, revision = who(table), table.revision
        if table.settings.is_rated:
            raise problems.IsRated
        if not table.settings.hints:
            raise problems.NotSwitchedOn
        if seat not in table.actors:
            raise problems.NotYourTurn
        if (table_id, seat) in self._hinted:
            raise problems.OneHintAtATime
        self._hinted.add((table_id, seat))
        try:
            advice = await self.bot_pool.advise(question(table, seat, ADVICE))
        except BotFailed as error:
            log.error("no hint could be given: %s", error)
            raise problems.NoHint from error
        finally:
            self._hinted.discard((table_id, seat))
        table = await self.look(table_id)
        if seat not in table.actors or not table.still_stands(seat, revision):
            raise problems.MovedOn
        return table, hint_of(table, seat, advice)

    # Records

    async def keep_record(self, record: JsonObject) -> str:
        """A record from elsewhere, to be looked at here."""
        record_id = new_id()
        summary = Summary(record["game"], record["seats"], "over", is_open=False, actors=0, bot_turn=False, free=0)
        await self.store.append(record_id, lines_of(_numbered(-1, [KeepRecord(record)])), summary)
        return record_id

    async def record(self, table_id: str, person: str | None = None) -> JsonObject:
        """Of a match that is over, also by rules that have changed since, or one from elsewhere; not while others play
        the same cards, but for the one `person` who alone did."""
        proof = await self.check_record(table_id, person)
        return series.with_proof(await self._record(table_id), proof)

    async def check_record(self, table_id: str, person: str | None) -> JsonObject:
        """Whether it may be seen, and what proves its deal by now."""
        return await series.check_record(self.store, table_id, person or "")

    async def _record(self, table_id: str) -> JsonObject:
        try:
            return (await self.look(table_id)).record()
        except problems.Closed:
            raise
        except (problems.NoSuchTable, problems.NoSuchGame, problems.OldRules, problems.Damaged):
            record = kept_record(await self.store.load(table_id))
            if record is None:
                raise
            return record

    # Inside

    def _hold(self, table_id: str) -> CachedTable:
        cached = self._cached.get(table_id)
        if cached is None:
            cached = CachedTable()
            self._cached.put(table_id, cached)
            figures.IN_MEMORY.set(len(self._cached))
        return cached

    def _may_go(self, table_id: str, cached: CachedTable) -> bool:
        """Whether a table can be forgotten that nobody has asked for; its log has it."""
        return not cached.lock.locked() and not self.turns.are_played(table_id)

    def _forget(self, table_id: str) -> None:
        """A table that was removed; whoever watches it is told."""
        if cached := self._cached.pop(table_id):
            cached.table = None
        self.announce(table_id, GONE, ())

    async def _fresh(self, table_id: str, cached: CachedTable) -> Table:
        """The table with all that is in its log. The caller has the lock."""
        table = cached.table
        began = time.monotonic()
        try:
            if table is None:
                lines = await self.store.load(table_id)
                if not lines or lines[0].kind == "record":
                    self._cached.pop(table_id)
                    raise problems.NoSuchTable
                table = Table(table_id, logged_in(table_id, lines[0]))
                lines = lines[1:]
            elif self.store.exclusive:
                return _not_cancelled(table)
            else:
                later = await self.store.load_later(table_id, table.head)
                if later is None:  # another process has swept it away
                    self._forget(table_id)
                    raise problems.NoSuchTable
                lines = later
            await self._fold(table, lines)
        except DamagedLog as error:
            cached.table = None
            log.error("%s", error)
            raise problems.Damaged from error
        except StoreError as error:
            log.error("a table cannot be read: %s", error)
            raise problems.Busy from error
        cached.table, cached.read_at = table, began
        self.turns.wake(table)
        if lines:
            self.on_change(table)
        return _not_cancelled(table)

    async def _fold(self, table: Table, lines: Sequence[LogLine]) -> None:
        for count, line in enumerate(lines, 1):
            table.apply(logged_in(table.id, line))
            if count % FOLDED_AT_ONCE == 0:
                await asyncio.sleep(0)  # a long table lets the others through

    async def _do(self, table_id: str, action: Callable[[Table], list[AnyEntry]]) -> Table:
        """One action: checked against the table as it is, committed, announced. Tried again when
        another process was faster."""
        cached = self._hold(table_id)
        async with cached.lock:
            if cached.table is not None and not self.store.exclusive:
                # Most likely nobody else has written since. If somebody has, the database refuses.
                try:
                    table = cached.table
                    if entries := action(table):
                        await self._write(cached, entries)
                        return table
                except problems.Busy:
                    raise
                except (Taken, problems.Problem):
                    pass
            while True:
                table = await self._fresh(table_id, cached)
                try:
                    await self._write(cached, action(table))
                    return table
                except Taken:
                    continue  # the table has changed: the check above says whether the action still stands

    async def _write(self, cached: CachedTable, new: Sequence[AnyEntry], opening: Logged | None = None) -> None:
        """Makes entries happen, commits them, tells everybody. What cannot be committed has not
        happened: the table is then rebuilt from its log."""
        table = cached.table
        assert table is not None
        if not new and opening is None:
            return
        entries = _numbered(table.head, new)
        first = [opening] if opening else []
        before, results = table.holders, list[Result]()
        try:
            for entry in entries:
                table.apply(entry)
            if table.status == "over" and table.kept_record is None:
                entries += _numbered(table.head, [End(table.record(), "" if table.series else new_secret())])
                table.apply(entries[-1])
                results = results_of(table)
            lines = lines_of([*first, *entries])
            await self.store.append(table.id, lines, summary_of(table), _changed(before, table.holders), results)
        except Taken:
            cached.table = None
            raise
        except StoreError as error:
            cached.table = None
            log.error("an entry cannot be written: %s", error)
            raise problems.Busy from error
        except BaseException:
            cached.table = None
            raise
        self.announce(table.id, table.head, lines)
        self.turns.wake(table)
        self.on_change(table)

    # For those who watch over it

    async def figures(self) -> dict[figures.Family, float]:
        """Those that all processes would tell alike."""
        told: dict[figures.Family, float] = {figures.GAMES_COMPILED: self.bot_pool.metrics().get("games_compiled", 0.0)}
        for status, family in (("waiting", figures.WAITING), ("playing", figures.PLAYING), ("over", figures.OVER)):
            told[family] = float(await self.store.count(status))
        return told


read_written = msgspec.json.Decoder(list[LogLine]).decode


def _not_cancelled(table: Table) -> Table:
    """Whoever looks for a table that was cancelled is told by whom, and where it goes on."""
    if table.is_closed:
        raise problems.ClosedInCircle if table.circle else problems.Closed
    if table.cancelled_by:
        raise problems.cancelled(table.cancelled_by, table.again, table.circle)
    return table


def _numbered(head: int, entries: Sequence[AnyEntry]) -> list[Logged]:
    """Entries that follow on the one numbered `head`, now."""
    now = clock.now()
    return [Logged(number, entry, now) for number, entry in enumerate(entries, head + 1)]


def _changed(before: dict[str, int], after: dict[str, int]) -> list[tuple[str, int]]:
    """Who sits elsewhere than before; -1: nowhere."""
    moved = [person for person in {**before, **after} if before.get(person) != after.get(person)]
    return [(person, after.get(person, -1)) for person in moved]
