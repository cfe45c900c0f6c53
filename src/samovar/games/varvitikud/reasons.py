"""Why a move may be good, in facts that everybody at the table can count: sticks, sets and points. Made from a
view and nothing else."""

from __future__ import annotations

from collections.abc import Iterator

from samovar.engine.contract import Event, event

from .deck import COLOUR_NAMES
from .face import Placement, placement
from .moves import STOP, is_placement, move_text, swap_offered, swap_opponent, swap_taken
from .sizes import COLOURS
from .state import State
from .view import View, view

Counts = tuple[int, ...]  # sticks by colour


def reasons(state: State, seat: int, move: int) -> tuple[Event, ...]:
    seen = view(state, seat)
    if is_placement(move):
        placed = placement(seen, move_text(state, seat, move))
        assert placed is not None
        return tuple(_of_placement(seen, seat, placed))
    if move == STOP:
        return tuple(_of_stopping(seen, seat))
    return tuple(_of_swap(seen, seat, swap_offered(move), swap_opponent(move), swap_taken(move)))


def set_sizes(counts: Counts) -> list[int]:
    """V9: level by level."""
    return [sum(count >= level for count in counts) for level in range(1, max(counts) + 1)]


def points_of(counts: Counts) -> int:
    return sum(size * (size + 1) // 2 for size in set_sizes(counts))


def whole_sets(counts: Counts) -> int:
    return set_sizes(counts).count(COLOURS)


def changed(counts: Counts, colour: int, by: int) -> Counts:
    return (*counts[:colour], counts[colour] + by, *counts[colour + 1 :])


def _of_placement(seen: View, seat: int, placed: Placement) -> Iterator[Event]:
    """V5, V6: the sticks that are still there, and how many swaps follow where any can."""
    before = after = seen.sticks[seat]
    for edge in placed.joined:
        if edge.has_stick:
            after = changed(after, COLOUR_NAMES.index(edge.colour), 1)
    gained = points_of(after) - points_of(before)
    if whole_sets(after) > whole_sets(before):
        yield event("reason.whole", points=gained)
    else:
        yield event("reason.sticks", count=placed.won, points=gained)
    if len(placed.joined) > 1 and can_swap(seen, seat, after):
        yield event("reason.swaps", count=len(placed.joined) - 1)
    if placed.ends:
        yield event("reason.ends")


def can_swap(seen: View, seat: int, own: Counts) -> bool:
    return any(
        own[offered] and seen.sticks[other][taken]
        for other in range(seen.seats)
        for offered in range(COLOURS)
        for taken in range(COLOURS)
        if other != seat and offered != taken
    )


def swapped(seen: View, seat: int, offered: int, other: int, taken: int) -> tuple[int, int]:
    """What a swap changes in points: for the player, and for the other one."""
    own, others = seen.sticks[seat], seen.sticks[other]
    return (
        points_of(changed(changed(own, offered, -1), taken, 1)) - points_of(own),
        points_of(changed(changed(others, offered, 1), taken, -1)) - points_of(others),
    )


def _of_swap(seen: View, seat: int, offered: int, other: int, taken: int) -> Iterator[Event]:
    own, others = swapped(seen, seat, offered, other, taken)
    after = changed(changed(seen.sticks[seat], offered, -1), taken, 1)
    if whole_sets(after) > whole_sets(seen.sticks[seat]):
        yield event("reason.whole", points=own)
    elif own > 0:
        yield event("reason.gain", points=own)
    elif own < 0:
        yield event("reason.loss", points=-own)
    if others > 0:
        yield event("reason.helps", other_seat=other, points=others)
    elif others < 0:
        yield event("reason.harms", other_seat=other, points=-others)


def _of_stopping(seen: View, seat: int) -> Iterator[Event]:
    gains = [
        swapped(seen, seat, offered, other, taken)[0]
        for other in range(seen.seats)
        for offered in range(COLOURS)
        for taken in range(COLOURS)
        if other != seat and offered != taken and seen.sticks[seat][offered] and seen.sticks[other][taken]
    ]
    if max(gains, default=0) <= 0:
        yield event("reason.enough")
