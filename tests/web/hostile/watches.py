"""A stopwatch for each player, kept beside the site's clocks and knowing nothing of them: whoever is to
act uses their own time, and nobody else's is ever less."""

from __future__ import annotations

from samovar.web.clock import ALLOWANCES
from samovar.web.entries import Move, SiteWasAway, TimeOut, Undo

from .houses import Fault


class Watches:
    def __init__(self, time, seats):
        self.allowance = ALLOWANCES[time]
        self.left = [self.allowance.total] * seats
        self.running, self.at = frozenset(), 0
        self.moves = []  # of the match as it stands: who, what everybody had then, and what the mover got for it

    def after(self, logged, timed, shown):
        """One entry has happened: `timed` are to act since, `shown` is what the site says everybody has."""
        entry, before = logged.entry, list(self.left)
        away = entry.milliseconds if isinstance(entry, SiteWasAway) else 0
        used = max(0, logged.at - self.at - away)
        for seat in self.running:
            self.left[seat] = max(0, self.left[seat] - used)
        if isinstance(entry, Undo):
            self._undo(entry, shown)
        else:
            self._happen(entry)
            if self.left != list(shown):
                raise Fault(f"clocks: after {entry} the site says {list(shown)}, and {self.left} is left; {before} was")
        self.running, self.at = timed, max(self.at, logged.at)

    def _happen(self, entry):
        least = self.allowance.least
        match entry:
            case Move(seat=seat):
                gift = self._gift(seat)
                self.moves.append((seat, list(self.left), gift))
                self.left[seat] += gift
            case TimeOut(seat=seat):
                self.left[seat] = least
            case SiteWasAway():
                for seat in self.running:
                    self.left[seat] = max(self.left[seat], least)

    def _gift(self, seat):
        if self.allowance.is_by_post:
            return self.allowance.total - self.left[seat]
        return self.allowance.added if seat in self.running else 0

    def _undo(self, entry, shown):
        """Every other clock gets back what it had when the first move that is taken back was made; who
        undoes has used their own time for good, and what their moves had earned is gone."""
        gone, self.moves = self.moves[entry.moves :], self.moves[: entry.moves]
        had = gone[0][1]
        for seat, now in enumerate(self.left):
            earned = sum(gift for mover, _, gift in gone if mover == seat)
            lowest = had[seat] if seat != entry.seat else now - earned if now > earned else self.allowance.least
            if not lowest <= shown[seat] <= max(lowest, now):
                whose = "who undid" if seat == entry.seat else "who did not undo"
                raise Fault(f"clocks: after {entry} player {seat + 1}, {whose}, has {shown[seat]}, not {lowest}")
        self.left = list(shown)
