"""Moves ahead: made by the site when their turn comes, after a moment drawn by chance within what somebody takes who
is looking, so that nobody can tell by the time that a move was made ahead.

They stand beside the log, a row for each seat: nothing at the table changes when somebody makes a plan. Every process
looks at all rows; of two that make a move the log lets one.
"""

from __future__ import annotations

import asyncio
import logging
import math
import random
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import msgspec

from samovar.errors import StoreError
from samovar.web import figures, problems
from samovar.web.recent import Recent
from samovar.web.store.entries import AnyEntry
from samovar.web.store.queries import ahead
from samovar.web.store.queries.ahead import AheadRow
from samovar.web.store.store import Store
from samovar.web.tables import clock
from samovar.web.tables.bot_turns import Do, LookAtTable
from samovar.web.tables.post.foresight import Foreseen, foresee
from samovar.web.tables.post.plans import (
    MOST_LINES,
    MOST_TURNS,
    WHATEVER,
    MovePlan,
    PlannedMove,
    PlanProgress,
    is_of,
    new_plan,
    next_move,
    progress_of,
)
from samovar.web.tables.table import Table

# What somebody takes who happens to look: often some minutes, seldom an hour.
USUAL = 5 * clock.MINUTE
SPREAD = 1.0  # of the logarithm
SHORTEST, LONGEST = 20 * clock.SECOND, clock.HOUR
LATE = clock.MINUTE  # the site was away, or there was a pause: a person would not move in the moment it ends
KEPT = 256

log = logging.getLogger("samovar.web")


@dataclass(frozen=True)
class Planned:
    """What somebody has made ahead, as it is now."""

    plan: MovePlan
    progress: PlanProgress
    data: str  # as it is kept

    @property
    def turns(self) -> list[list[PlannedMove]]:
        """Those to come."""
        return self.plan.turns[self.progress.turn :]


class MovesAhead:
    """`look` gives a table as it is, `do` makes an action happen at it: the tables' ways, as for people."""

    def __init__(self, store: Store, *, look: LookAtTable, do: Do) -> None:
        self._store, self._look, self._do = store, look, do
        self._foreseen: Recent[tuple[object, ...], Foreseen] = Recent(KEPT)
        self._stuck: set[str] = set()  # tables that cannot be played here

    # What somebody has planned

    async def of(self, table: Table, seat: int) -> Planned | None:
        """That of whoever sits there now; what somebody else has left there is nobody's."""
        row = await self._store.first(ahead.OF, table=table.id, seat=seat)
        if row is None or table.status != "playing":
            return None
        plan = read(row.data)
        progress = progress_of(plan, table, seat)
        if not is_of(plan, table, seat):
            return None
        if plan.dropped and (isinstance(progress, str) or progress.turn):  # long ago
            plan = msgspec.structs.replace(plan, dropped="")
        if plan.is_empty:
            return None
        if isinstance(progress, str):  # nobody has looked at it yet
            return Planned(_dropped(plan, table, progress), PlanProgress(0, plan.moves, frozenset()), row.data)
        return Planned(plan, progress, row.data)

    async def lines_of(self, table_id: str, seat: int) -> list[list[str]]:
        """For whoever sits there, to take along; nobody waits for a match to be played again where there are none."""
        if await self._store.first(ahead.OF, table=table_id, seat=seat) is None:
            return []
        planned = await self.of(await self._look(table_id), seat)
        return [[f"{one.sees} {one.move}".strip() for one in lines] for lines in (planned.turns if planned else [])]

    async def foreseen(self, table: Table, seat: int, turn: int, planned: Planned | None) -> Foreseen:
        """What may be seen before a turn of the seat, the next one is 0, and what may be played then."""
        turns = planned.turns[:turn] if planned else []
        seen = planned.progress.seen if planned else frozenset()
        asked = table.id, table.revision, seat, msgspec.json.encode(turns), seen
        if (known := self._foreseen.get(asked)) is None:
            known = await asyncio.to_thread(foresee, table.playing.copy(), seat, turns, seen)
            self._foreseen.put(asked, known)
        return known

    async def add(
        self, table_id: str, who: Callable[[Table], int], revision: int, turn: int, line: PlannedMove
    ) -> Table:
        """One more line, which must be one of those that are offered."""
        table, seat = await self._planning(table_id, who)
        if table.revision != revision:
            raise problems.MovedOn
        if seat in table.playing.actors:  # in a pause, too
            raise problems.YourTurn
        planned = await self.of(table, seat)
        turns = [list(lines) for lines in planned.turns] if planned else []
        if not 0 <= turn <= min(len(turns), MOST_TURNS - 1):
            raise problems.MovedOn
        foreseen = await self.foreseen(table, seat, turn, planned)
        if not foreseen.allows(line.move):
            raise problems.NotPossible
        if line.sees not in (WHATEVER, *foreseen.told):
            raise problems.MovedOn
        lines = turns[turn] if turn < len(turns) else []
        kept = [one for one in lines if one.sees != line.sees]
        if len(kept) == MOST_LINES:
            raise problems.TooManyAhead(most=MOST_LINES)
        # what holds whatever comes is asked last
        kept.append(line)
        turns[turn:] = [sorted(kept, key=lambda one: one.sees == WHATEVER)]
        return await self._keep(table, seat, planned, turns, bool(planned and planned.plan.only_moves))

    async def drop(self, table_id: str, who: Callable[[Table], int], turn: int = -1, line: int = -1) -> Table:
        """One line, a whole turn with all that come after it, or everything."""
        table, seat = await self._planning(table_id, who)
        planned = await self.of(table, seat)
        turns = [list(lines) for lines in planned.turns] if planned else []
        if 0 <= turn < len(turns) and 0 <= line < len(turns[turn]):
            del turns[turn][line]
        elif turn >= 0:
            raise problems.MovedOn
        turns = (
            turns[: next((number for number, lines in enumerate(turns) if not lines), len(turns))] if turn >= 0 else []
        )
        return await self._keep(table, seat, planned, turns, bool(planned and planned.plan.only_moves))

    async def set_only_moves(self, table_id: str, who: Callable[[Table], int], is_on: bool) -> Table:
        table, seat = await self._planning(table_id, who)
        planned = await self.of(table, seat)
        return await self._keep(table, seat, planned, planned.turns if planned else [], is_on)

    async def _planning(self, table_id: str, who: Callable[[Table], int]) -> tuple[Table, int]:
        table = await self._look(table_id)
        seat = who(table)
        table.check_by_post()
        return table, seat

    async def _keep(
        self, table: Table, seat: int, planned: Planned | None, turns: list[list[PlannedMove]], only_moves: bool
    ) -> Table:
        moves = planned.progress.moves if planned and turns and planned.turns else len(table.playing.history)
        plan = new_plan(table, seat, turns, only_moves, moves)
        row = await self._store.first(ahead.OF, table=table.id, seat=seat)
        if planned is not None and (row is None or row.data != planned.data):
            raise problems.MovedOn
        if plan.is_empty:
            if row is not None:
                await self._store.do(ahead.drop, row)
        elif not await self._store.do(ahead.keep, table.id, seat, row and row.data, written(plan)):
            raise problems.MovedOn
        return table

    # What is made of it

    async def see_to_all(self, moment: int) -> None:
        for row in await self._store.rows(ahead.READY, now=moment):
            if row.table_id not in self._stuck:
                await self._see_to_safely(row, moment)

    async def _see_to_safely(self, row: AheadRow, moment: int) -> None:
        try:
            await self._see_to(row, moment)
        except StoreError:
            raise
        except (problems.Busy, problems.MovedOn):  # next time
            pass
        except problems.NoSuchTable:
            await self._store.do(ahead.drop, row)
        except Exception as error:  # its log says the same whenever it is read
            self._stuck.add(row.table_id)
            log.error("moves ahead cannot be made at a table here: %r", error)

    async def _see_to(self, row: AheadRow, moment: int) -> None:
        table, plan = await self._look(row.table_id), read(row.data)
        if table.status != "playing" or not is_of(plan, table, row.seat):
            await self._store.do(ahead.drop, row)
            return
        progress = progress_of(plan, table, row.seat)
        if isinstance(progress, str):
            await self._tell(row, table, plan, progress)
        elif row.seat not in table.actors or table.chairs[row.seat].level:
            await self._store.do(ahead.look, row, -1, None)
        elif isinstance(move := next_move(plan, progress, table.playing, row.seat), str):
            await self._cannot(row, table, plan, progress, move)
        else:
            await self._make_in_time(row, table, plan, moment)

    async def _make_in_time(self, row: AheadRow, table: Table, plan: MovePlan, moment: int) -> None:
        """The move, or the moment at which it is made."""
        own = len(table.own_moves(row.seat))
        due = row.due if row.turn == own else None
        if due is not None and due <= moment <= due + LATE:
            await self._do(row.table_id, partial(_made, seat=row.seat, plan=plan, own=own))
            figures.MOVES.add()
            return
        if due is None or due <= moment:
            due = moment + drawn_delay(_time_left(table, row.seat, moment))
        await self._store.do(ahead.look, row, own, due)

    async def _cannot(self, row: AheadRow, table: Table, plan: MovePlan, progress: PlanProgress, why: str) -> None:
        if why:
            await self._tell(row, table, plan, why)
        elif plan.only_moves or (plan.dropped and not progress.turn):
            await self._store.do(ahead.look, row, -1, None)
        else:  # all of it is done
            await self._store.do(ahead.drop, row)

    async def _tell(self, row: AheadRow, table: Table, plan: MovePlan, why: str) -> None:
        """Nothing is made ahead any more, and whoever made it reads why."""
        if plan.turns:
            told = written(_dropped(plan, table, why))
            await self._store.do(ahead.keep, row.table_id, row.seat, row.data, told)
        elif plan.only_moves:
            again = written(_dropped(plan, table, ""))
            await self._store.do(ahead.keep, row.table_id, row.seat, row.data, again)
        else:
            await self._store.do(ahead.drop, row)


def _made(table: Table, seat: int, plan: MovePlan, own: int) -> list[AnyEntry]:
    """The move, if it is still the one to be made: asked under the table's lock."""
    is_asked = seat in table.actors and not table.chairs[seat].level and len(table.own_moves(seat)) == own
    progress = progress_of(plan, table, seat)
    if isinstance(progress, str) or not is_asked or not is_of(plan, table, seat):
        raise problems.MovedOn
    move = next_move(plan, progress, table.playing, seat)
    if isinstance(move, str):
        raise problems.MovedOn
    return table.move(seat, move, table.revision)


def _dropped(plan: MovePlan, table: Table, why: str) -> MovePlan:
    return msgspec.structs.replace(
        plan, turns=[], dropped=why if plan.turns else "", moves=len(table.playing.history), take_backs=table.take_backs
    )


def _time_left(table: Table, seat: int, moment: int) -> int:
    until = table.clocks.until(seat) if table.clocks else None
    return clock.DAY if until is None else max(0, until - moment)


def drawn_delay(left: int) -> int:
    """By a chance that nobody can work out from what they see, within half of the time that is left."""
    drawn = random.Random(secrets.token_hex(16)).gauss(math.log(USUAL), SPREAD)
    return min(round(min(max(math.exp(drawn), SHORTEST), LONGEST)), left // 2)


def read(data: str) -> MovePlan:
    return msgspec.json.decode(data, type=MovePlan)


def written(plan: MovePlan) -> str:
    return msgspec.json.encode(plan).decode()
