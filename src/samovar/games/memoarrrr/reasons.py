"""Why a move may be good, in facts that its player knows: cards they have seen (C5), and who else has looked
where, which is public."""

from __future__ import annotations

from collections.abc import Iterator

from samovar.engine.contract import Event, event

from .moves import BLOCK_MOVE, LOOK_MOVE, PEEK_MOVE, REVEAL_MOVE, SWAP_MOVE
from .rules import are_connected
from .state import (
    CARD_NAMES,
    CARDS,
    CRAB,
    LAID,
    NOTHING,
    PLACES,
    State,
    animal,
    has,
    hidden,
    known,
)


def reasons(state: State, seat: int, move: int) -> tuple[Event, ...]:
    """Of the sides nobody knows anything when they are chosen."""
    if move < LOOK_MOVE:
        return tuple(_of_reveal(state, seat, move - REVEAL_MOVE))
    if move < PEEK_MOVE:
        return ()
    if move < BLOCK_MOVE:
        return tuple(_of_peek(state, seat, move - PEEK_MOVE))
    if move < SWAP_MOVE:
        return tuple(_of_block(state, seat, move - BLOCK_MOVE))
    return tuple(_of_swap(state, seat, move - SWAP_MOVE))


def _of_reveal(state: State, seat: int, place: int) -> Iterator[Event]:
    opens = state.last == NOTHING
    if not has(known(state, seat), place):
        yield event("reason.learns") if opens else _chance(state, seat)
        yield from _seen_by(state, seat, place)
        return
    card = state.card[place]
    connects = opens or are_connected(card, state.card[state.last])
    if not opens:
        yield _connection(card, state.card[state.last])
    if connects and not opens and state.expert and animal(card) == CRAB:
        yield event("reason.crab")
    if connects:
        yield event("reason.leaves", count=leaves(state, place))
    if not has(state.shown, place) and not _lookers(state, seat, place):
        yield event("reason.alone")
    yield from _seen_by(state, seat, place)


def _connection(card: int, last: int) -> Event:
    """R4."""
    kind = "misses"
    if are_connected(card, last):
        kind = "animal" if animal(card) == animal(last) else "landscape"
    return event(f"reason.{kind}", card=CARD_NAMES[card])


def leaves(state: State, place: int) -> int:
    """How many locations that lie face down, and that everybody has seen, connect with the one at this place."""
    seen = hidden(state) & state.shown & ~(1 << place)
    return sum(bool(are_connected(state.card[place], state.card[other])) for other in range(PLACES) if has(seen, other))


def _chance(state: State, seat: int) -> Event:
    """Of the cards that the player has not seen, the one in the box among them."""
    seen = known(state, seat) & LAID
    unseen = set(range(CARDS)) - {state.card[place] for place in range(PLACES) if has(seen, place)}
    fitting = sum(bool(are_connected(card, state.card[state.last])) for card in unseen)
    return event("reason.chance", count=fitting, cards=len(unseen))


def _lookers(state: State, seat: int, place: int) -> list[int]:
    """Who else has looked at a card that was never open to all."""
    if has(state.shown, place):
        return []
    return [other for other in range(state.seats) if other != seat and has(state.peeked[other], place)]


def _seen_by(state: State, seat: int, place: int) -> Iterator[Event]:
    for other in _lookers(state, seat, place)[:1]:
        yield event("reason.seen_by", other_seat=other)


def _of_peek(state: State, seat: int, place: int) -> Iterator[Event]:
    if has(known(state, seat), place):
        yield event("reason.known", card=CARD_NAMES[state.card[place]])
    else:
        yield event("reason.new")
    yield from _seen_by(state, seat, place)


def _of_block(state: State, seat: int, place: int) -> Iterator[Event]:
    """The walrus itself is the last location now."""
    if not has(known(state, seat), place):
        yield _chance(state, seat)
    else:
        card = state.card[place]
        kind = "blocks" if are_connected(card, state.card[state.last]) else "blocks_nothing"
        yield event(f"reason.{kind}", card=CARD_NAMES[card])
    yield from _seen_by(state, seat, place)


def _of_swap(state: State, seat: int, place: int) -> Iterator[Event]:
    """R10: what was known of a card moves with it."""
    if has(hidden(state), place):
        if has(known(state, seat), place):
            yield event("reason.moves_known", card=CARD_NAMES[state.card[place]])
        else:
            yield event("reason.moves_unseen")
        yield from _seen_by(state, seat, place)
