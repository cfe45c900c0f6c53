"""What the site does wrong today and is being mended elsewhere, mended from outside, so that everything
else can be looked at. To be deleted with its use in `evening.py` when the site itself is mended."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from dataclasses import replace
from unittest.mock import patch

from litestar.response import Redirect

from samovar.web import api, clock, messages, problems
from samovar.web.entries import Move, SeatBot, SiteWasAway, TimeOut, Undo
from samovar.web.own_data import lines_of
from samovar.web.pages import me_link
from samovar.web.table import Table
from samovar.web.visit import AnyRequest, Visit


@contextmanager
def mended():
    with ExitStack() as stack:
        for place, name, better in MENDED:
            stack.enter_context(patch.object(place, name, better))
        yield


async def told_again(tables, table, seat):
    """A token of an old table hands out the key of the next one's chair as long as that is held as it was."""
    again = messages.Again(table=str(table.again))
    if seat is not None:
        after = await tables.look(again.table)
        log = await tables.store.load(again.table)
        first = next((line.data["nonce"] for line in log if line.kind == "sit" and line.data["seat"] == seat), "")
        if first and after.chairs[seat].nonce == first:
            again.seat, again.token = seat, after.key(seat, tables.secret)
    return again


async def cut_off(request: AnyRequest) -> Redirect:
    """Every chair of the person has another key."""
    visit = Visit(request)
    person = me_link.person_of(visit)
    visit.hold_on(await visit.people.cut_off(person))
    for line in [line async for line in lines_of(visit.tables.store, person)]:
        try:
            await visit.tables.cut_off(line.table, person)
        except problems.Problem:
            continue
    return visit.go("/me#devices")


def after(self, logged, running):
    """Taking a move back gives every other clock back what it had when the move was made."""
    entry = logged.entry
    free = entry.milliseconds if isinstance(entry, SiteWasAway) else 0
    used = max(0, logged.at - self.at - free)
    left = [max(0, own - used) if seat in self.running else own for seat, own in enumerate(self.left)]
    gifts = self.gifts
    match entry:
        case Move():
            gift = self._gift(entry.seat, left[entry.seat])
            gifts = (*gifts, (entry.seat, gift, tuple(left)))
            left[entry.seat] += gift
        case Undo():
            had = gifts[entry.moves][2]
            own = left[entry.seat]
            earned = sum(gift for seat, gift, _ in gifts[entry.moves :] if seat == entry.seat)
            left = list(had)
            left[entry.seat] = own - earned if own > earned else self.allowance.least
            gifts = gifts[: entry.moves]
        case TimeOut():
            left[entry.seat] = self.allowance.least
        case SiteWasAway():
            for seat in self.running:
                left[seat] = max(left[seat], self.allowance.least)
    return replace(self, left=tuple(left), at=max(self.at, logged.at), running=running, gifts=gifts)


_hand_over, _on_seat_bot = Table.hand_over, Table._on_seat_bot


def hand_over(self, own, seat, level="", *, is_away, now):
    """Where all are dealt the same cards nobody chooses who plays for them."""
    entries = _hand_over(self, own, seat, "" if self.series else level, is_away=is_away, now=now)
    return [SeatBot(entry.seat, self.settings.stand_in, entry.by) for entry in entries] if self.series else entries


def on_seat_bot(self, entry, number):
    _on_seat_bot(self, entry, number)
    if self.series and entry.by is not None and entry.by == entry.seat:
        self._tell_deed(number, entry.by, "handed over", entry.seat)


MENDED = [
    (api, "told_again", told_again),
    (me_link.cut_off, "_fn", cut_off),
    (clock.Clocks, "after", after),
    (Table, "hand_over", hand_over),
    (Table, "_on_seat_bot", on_seat_bot),
]
