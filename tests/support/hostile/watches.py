"""A stopwatch for each player, kept beside the site's clocks and knowing nothing of them: whoever is to
act uses their own time, and nobody else's is ever less."""

from __future__ import annotations

from samovar.web.store.entries import Move, SiteWasAway, TimeOut, Undo
from samovar.web.tables.clock import ALLOWANCES

from .houses import Fault


class Watches:
    def __init__(self, time, seats, weekends_off=False):
        self.allowance, self.weekends_off = ALLOWANCES[time], weekends_off
        self.left = [self.allowance.total] * seats
        self.running, self.at = frozenset(), 0
        # of the match as it stands: who, what everybody had then, what the mover got for it, and who was to act
        self.moves = []

    def after(self, logged, timed, shown):
        """One entry has happened: `timed` are to act since, `shown` is what the site says everybody has."""
        entry, before = logged.entry, list(self.left)
        away = entry.milliseconds if isinstance(entry, SiteWasAway) else 0
        used = max(0, self._passed(self.at, logged.at) - away)
        for seat in self.running:
            self.left[seat] = max(0, self.left[seat] - used)
        if isinstance(entry, Undo):
            self._undo(entry, shown)
        else:
            self._happen(entry)
            if self.left != list(shown):
                raise Fault(f"clocks: after {entry} the site says {list(shown)}, and {self.left} is left; {before} was")
        self.running, self.at = timed, max(self.at, logged.at)

    def _passed(self, since, until):
        """Counted from the first Saturday after 1970 began: two days of seven are none."""
        if not self.weekends_off:
            return until - since
        day = 86_400_000
        weeks = [(moment - 2 * day) // (7 * day) for moment in (since, until)]
        runs = [min(max((moment - 2 * day) % (7 * day) - 2 * day, 0), 5 * day) for moment in (since, until)]
        return max(0, (weeks[1] - weeks[0]) * 5 * day + runs[1] - runs[0])

    def _happen(self, entry):
        least = self.allowance.least
        match entry:
            case Move(seat=seat):
                gift = self._gift(seat)
                self.moves.append((seat, list(self.left), gift, self.running))
                self.left[seat] += gift
            case TimeOut(seat=seat):
                self._top_up([seat], least)
            case SiteWasAway():
                self._top_up(self.running, least)

    def _top_up(self, seats, least):
        """Nobody has less than this then, whatever is taken back later."""
        for left in (self.left, *(had for _, had, _, _ in self.moves)):
            for seat in seats:
                left[seat] = max(left[seat], least)

    def _gift(self, seat):
        if self.allowance.is_by_post:
            return self.allowance.total - self.left[seat]
        return self.allowance.added if seat in self.running else 0

    def _undo(self, entry, shown):
        """Every other clock gets back what it had when the first move that is taken back was made, or its own
        first one, if it was to act already; who undoes has used their own time for good, and what their moves
        had earned is gone."""
        gone, self.moves = self.moves[entry.moves :], self.moves[: entry.moves]
        for seat, now in enumerate(self.left):
            earned = sum(gift for mover, _, gift, _ in gone if mover == seat)
            back = [had[seat] for mover, had, _, running in gone if mover == seat or seat not in running]
            own = now - earned if now > earned else self.allowance.least
            wanted = own if seat == entry.seat else back[0] if back else now
            if shown[seat] != wanted:
                whose = "who undid" if seat == entry.seat else "who did not undo"
                raise Fault(f"clocks: after {entry} player {seat + 1}, {whose}, has {shown[seat]}, not {wanted}")
        self.left = list(shown)
