"""Why a move may be good, in facts that its player can see: what dolls are worth together. Made from a view
and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from samovar.engine.contract import Event, event

from .face import shelve
from .moves import OFFER_MOVE, PUT_MOVE, TAKE_MOVE, card_text, move_text
from .state import State
from .view import View, view

WORTH_TELLING = 3  # dolls in a run or in a column


def reasons(state: State, seat: int, move: int) -> tuple[Event, ...]:
    """What all cards of a player would be worth on the table counts where one is given or taken: which of them are
    shown is chosen later."""
    seen = view(state, seat)
    if move < PUT_MOVE:
        return tuple(_of_display(seen, move_text(state, seat, move).split()[1:]))
    if move < OFFER_MOVE:
        return tuple(_of_putting_up(seen, seat, card_text(move - PUT_MOVE)))
    if move < TAKE_MOVE:
        return tuple(_of_offering(seen, seat, card_text(move - OFFER_MOVE)))
    return tuple(_of_taking(seen, seat, move - TAKE_MOVE))


def points_of(seen: View, cards: Iterable[str]) -> int:
    return shelve(cards, seen.long_columns, seen.growth).points


def owned(seen: View, seat: int) -> frozenset[str]:
    return frozenset((*seen.hand, *seen.seats[seat].display))


def _of_display(seen: View, cards: list[str]) -> Iterator[Event]:
    shelf = shelve(cards, seen.long_columns, seen.growth)
    if shelf.points:
        yield event("reason.worth", points=shelf.points)
    length, letter = max(((run.length, row.letter) for row in shelf.rows for run in row.runs), default=(0, ""))
    if length >= WORTH_TELLING:
        yield event("reason.run", length=length, colour=f"colour.{letter}")
    column = max(shelf.columns, key=lambda column: column.count)
    if column.count >= WORTH_TELLING:
        yield event("reason.column", count=column.count, value=column.value)


def _of_giving(seen: View, seat: int, card: str) -> Iterator[Event]:
    own = owned(seen, seat)
    lost = points_of(seen, own) - points_of(seen, own - {card})
    yield event("reason.costs", card=card, points=lost) if lost else event("reason.lone", card=card)


def _of_putting_up(seen: View, seat: int, card: str) -> Iterator[Event]:
    yield from _of_giving(seen, seat, card)
    others = [other.seat for other in seen.seats if other.seat != seat]
    by_use = {other: use_for(seen, other, card) for other in others}
    wants = max(others, key=lambda other: by_use[other])
    if by_use[wants]:
        yield event("reason.wanted", other_seat=wants, card=card)


def _of_offering(seen: View, seat: int, card: str) -> Iterator[Event]:
    yield from _of_giving(seen, seat, card)
    own = owned(seen, seat)
    assert seen.put_up is not None
    gained = points_of(seen, own - {card} | {seen.put_up}) - points_of(seen, own)
    if gained > 0:
        yield event("reason.chosen", card=seen.put_up, points=gained)


def _of_taking(seen: View, seat: int, other: int) -> Iterator[Event]:
    own = owned(seen, seat)
    card, given = seen.seats[other].offer, seen.put_up
    assert card is not None
    assert given is not None
    gained = points_of(seen, own - {given} | {card}) - points_of(seen, own)
    if gained > 0:
        yield event("reason.gain", card=card, points=gained)
    elif gained < 0:
        yield event("reason.loss", card=card, points=-gained)
    used = use_for(seen, other, given)
    if used:
        yield event("reason.helps", other_seat=other, card=given, points=used)


def use_for(seen: View, other: int, card: str) -> int:
    """What a card would add to the display that lies there."""
    display = seen.seats[other].display
    return points_of(seen, (*display, card)) - points_of(seen, display)
