"""One device for several people: each of them has a chair of their own, and the device is in one
hand at a time. Between two hands a curtain is down: the page shows what a spectator may see.

A chair belongs to a companion of the browser, `DEVICE+NUMBER`, who is a person like any other for the
table; the name of the device is in the session's cookie alone. In whose hand it is stands beside the
log of the table: the others at the table cannot tell.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from typing import NamedTuple

from samovar.engine.contract import Game, nothing_hidden
from samovar.web import problems
from samovar.web.store.changes import GONE
from samovar.web.store.queries import hands
from samovar.web.store.queries.hands import NOBODY, Hand
from samovar.web.store.store import Store
from samovar.web.tables.chairs import COMPANION
from samovar.web.tables.table import Table


class Viewpoint(NamedTuple):
    """Whose eyes a browser sees a table with."""

    seat: int | None  # None: a spectator's
    here: tuple[int, ...] = ()  # the chairs of a device for several; none for everybody else


class Hands:
    """Of all devices. `announce` wakes whoever watches a table: their own looks stay the same, so
    nothing is sent to the others."""

    def __init__(self, store: Store, announce: Callable[[str, int, tuple[()]], None]) -> None:
        self._store = store
        self._announce = announce

    async def of(self, device: str, table_id: str) -> Hand | None:
        """None: nobody was asked at this table yet whose hand it is in."""
        return await self._store.first(hands.RECALL, device=device, table=table_id) if device else None

    async def take(self, device: str, table_id: str, hand: Hand) -> None:
        await self._store.do(hands.take, device, table_id, hand)
        self._announce(table_id, GONE, ())

    async def lower(self, device: str, table_id: str, hand: Hand) -> None:
        """The curtain that has fallen stays down, whatever happens at the table, until somebody lifts
        it: unless another hand was faster."""
        await self._store.do(hands.lower, device, table_id, hand)


def new_companion(table: Table, device: str) -> str:
    """A name for one more on this device: numbered, so that the limits for one person hold for each
    of them."""
    names = (f"{device}{COMPANION}{number}" for number in range(1, table.seats + 1))
    return next(name for name in names if table.seat_of(name) is None)


def chairs_here(table: Table, person: str | None, device: str) -> tuple[int, ...]:
    """The chairs that a browser holds, by seat."""
    return tuple(chair.seat for chair in table.chairs if any(_is_here(one, person, device) for one in chair.persons))


def holder(table: Table, seat: int, person: str | None, device: str) -> str:
    """By which name a browser holds this chair."""
    return next(one for one in table.chairs[seat].persons if _is_here(one, person, device))


def _is_here(one: str, person: str | None, device: str) -> bool:
    return one == person or bool(device and one.startswith(device + COMPANION))


def asked(table: Table, here: tuple[int, ...]) -> tuple[int, ...]:
    """Those on the device who are to act."""
    return tuple(seat for seat in here if seat in table.actors and not table.chairs[seat].level)


def has_secrets(game: Game) -> bool:
    """Whether anybody sees what another does not."""
    return game.determinize is not nothing_hidden


def was_shown(table: Table, seat: int) -> bool:
    """Whether a chair was shown anything, in its last move or since then, that others are not and that it will
    have to remember."""
    match, game = table.match, table.game
    movers = [mover for mover, _ in match.history] if match is not None else []
    if match is None or table.status != "playing" or seat not in movers:
        return False
    since = movers[::-1].index(seat) + 1
    own, public = (set(chain.from_iterable(match.log(viewer, last=since))) for viewer in (seat, None))
    view = match.view(seat)
    return any(game.fade((event,), view) != (event,) for event in own - public)


def viewpoint(table: Table, person: str | None, device: str, hand: Hand | None) -> Viewpoint:
    """With whose eyes a browser sees this table now. Whoever has the device keeps it until another on
    it is to act, and whoever takes it then keeps it until the match goes on. Whoever was shown something
    keeps it until they have seen it, and say so."""
    here = chairs_here(table, person, device)
    if hand is None and len(here) < 2:
        return Viewpoint(here[0] if here else None)
    seat, revision = hand or NOBODY
    waiting_for = asked(table, here)
    keeps = not waiting_for or seat in waiting_for or revision == table.revision
    if seat in here and (keeps or was_shown(table, seat)):
        return Viewpoint(seat, here)
    if not here or (table.status == "playing" and has_secrets(table.game)):
        return Viewpoint(None, here)
    return Viewpoint((*waiting_for, *here)[0], here)


def by_hand(person: str | None, device: str, hand: Hand | None, named: str) -> Callable[[Table], int]:
    """Whoever has the device. A form names the hand that it was made for: no page that was left open
    acts for another."""

    def seat_in_hand(table: Table) -> int:
        seat, here = viewpoint(table, person, device, hand)
        if here and (seat is None or named != str(seat)):
            raise problems.OtherHand
        if seat is None:
            raise problems.not_seated(table.circle)
        return seat

    return seat_in_hand
