"""How much time players have: reckoned from the entries of a table's log, and from nothing else.

Whoever is to act uses their own time, several at once each their own. Bots use none, and neither
does anybody while the site is away.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from msgspec import UNSET, UnsetType

from samovar.web import problems
from samovar.web.store.entries import AnyEntry, DaysOff, Logged, Move, SiteWasAway, TimeOut, Undo
from samovar.web.tables.post.calendar import Calendar, calendar_of

SECOND = 1000  # all times are in milliseconds
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR
SHORTEST_AWAY = 100  # what is less is not worth an entry


@dataclass(frozen=True)
class Allowance:
    """The time of each player: for the whole match, or by post for every move anew."""

    total: int
    added: int = 0  # for each move
    is_by_post: bool = False

    @property
    def least(self) -> int:
        """What nobody has less of after their time ran out, or when the site is back: enough to see
        it and to go on."""
        return HOUR if self.is_by_post else MINUTE

    @property
    def longest_pause(self) -> int:
        """After which one that players have agreed on ends by itself."""
        return 30 * DAY if self.is_by_post else HOUR


ALLOWANCES = {
    "5+5": Allowance(5 * MINUTE, 5 * SECOND),
    "10+10": Allowance(10 * MINUTE, 10 * SECOND),
    "20+20": Allowance(20 * MINUTE, 20 * SECOND),
    "1d": Allowance(DAY, is_by_post=True),
    "3d": Allowance(3 * DAY, is_by_post=True),
    "7d": Allowance(7 * DAY, is_by_post=True),
}


def check_time(name: str) -> str:
    """An empty name: as much time as everybody likes."""
    if name and name not in ALLOWANCES:
        raise problems.BadChoice(name=problems.N_("time"), value=name[:40])
    return name


@dataclass(frozen=True)
class ClockMoved:
    """What the clocks must know of a move if it is taken back."""

    seat: int
    gift: int  # what the move earned
    left: tuple[int, ...]  # by seat, when it was made
    running: frozenset[int]  # the seats whose time ran until then

    def gives_back(self, seat: int) -> bool:
        """Whether the time that a seat used since is given back: it made the move itself, or had nothing
        to do before it. Who was to act already goes on using their own."""
        return seat == self.seat or seat not in self.running


@dataclass(frozen=True)
class Clocks:
    """The clocks of a table as they stood at its last entry."""

    allowance: Allowance
    left: tuple[int, ...]  # by seat
    at: int = 0  # when that was, since 1970
    running: frozenset[int] = frozenset()  # the seats whose time runs since then
    moves: tuple[ClockMoved, ...] = ()
    calendar: Calendar | None = None  # None: time runs on every day

    @classmethod
    def for_table(cls, name: str, seats: int, days_off: DaysOff | UnsetType = UNSET) -> Clocks | None:
        """None where everybody has as much time as they like."""
        allowance = ALLOWANCES.get(name)
        if allowance is None:
            return None
        return cls(allowance, (allowance.total,) * seats, calendar=calendar_of(days_off))

    def after(self, logged: Logged, running: frozenset[int]) -> Clocks:
        """As they stand after the next entry, with those who are to act then."""
        entry = logged.entry
        free = entry.milliseconds if isinstance(entry, SiteWasAway) else 0
        used = max(0, self._passed(self.at, logged.at) - free)
        left = [max(0, own - used) if seat in self.running else own for seat, own in enumerate(self.left)]
        moves = self.moves
        match entry:
            case Move():
                gift = self._gift(entry.seat, left[entry.seat])
                moves = (*moves, ClockMoved(entry.seat, gift, tuple(left), self.running))
                left[entry.seat] += gift
            case Undo():
                left = [self._taken_back(entry, seat, own) for seat, own in enumerate(left)]
                moves = moves[: entry.moves]
            case TimeOut():
                left, moves = self._at_least(left, {entry.seat})
            case SiteWasAway():
                left, moves = self._at_least(left, self.running)
        # a computer's own clock may be put back
        return replace(self, left=tuple(left), at=max(self.at, logged.at), running=running, moves=moves)

    def _taken_back(self, entry: Undo, seat: int, left: int) -> int:
        """Whoever takes moves back gives back what those earned, and everybody else has what they had
        before: else one could move and take back until the others have no time left."""
        undone = self.moves[entry.moves :]
        if seat == entry.seat:
            earned = sum(move.gift for move in undone if move.seat == seat)
            return left - earned if left > earned else self.allowance.least
        return next((move.left[seat] for move in undone if move.gives_back(seat)), left)

    def _at_least(self, left: list[int], seats: Collection[int]) -> tuple[list[int], tuple[ClockMoved, ...]]:
        """These seats have enough to go on, also where moves are taken back."""

        def raised(times: Sequence[int]) -> list[int]:
            return [max(own, self.allowance.least) if seat in seats else own for seat, own in enumerate(times)]

        return raised(left), tuple(replace(move, left=tuple(raised(move.left))) for move in self.moves)

    def _gift(self, seat: int, left: int) -> int:
        """What a move earns; taking it back gives it back."""
        if self.allowance.is_by_post:
            return self.allowance.total - left
        return self.allowance.added if seat in self.running else 0

    def _passed(self, since: int, until: int) -> int:
        """How much time has run."""
        return until - since if self.calendar is None else self.calendar.passed(since, until)

    def _runs_out(self, seat: int) -> int:
        left = self.left[seat]
        return self.at + left if self.calendar is None else self.calendar.after(self.at, left)

    def until(self, seat: int) -> int | None:
        """When the time of a seat runs out, if it runs."""
        return self._runs_out(seat) if seat in self.running else None

    @property
    def due(self) -> int | None:
        """When the first of those who are to act runs out of time."""
        return min((self._runs_out(seat) for seat in self.running), default=None)

    @property
    def shown(self) -> tuple[tuple[int, int | None], ...]:
        """By seat what is left and until when it runs: the same until somebody acts."""
        return tuple((0 if seat in self.running else left, self.until(seat)) for seat, left in enumerate(self.left))

    def time_outs(self, now: int) -> list[AnyEntry]:
        """For everybody whose time has run out."""
        return [TimeOut(seat) for seat in sorted(self.running) if self._runs_out(seat) <= now]

    def make_up(self, since: int, now: int) -> list[AnyEntry]:
        """For the time in which the site was away. What was entered after `since` shows that it was
        there."""
        away = self._passed(max(since, self.at), now)
        return [SiteWasAway(away)] if self.running and away >= SHORTEST_AWAY else []


def now() -> int:
    return time.time_ns() // 1_000_000
