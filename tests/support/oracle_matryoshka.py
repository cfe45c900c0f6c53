"""A second Matryoshka, slow and obvious, written from the rulings alone: scores, places, and what a
seat can believe.

Cards are pairs (colour letter, value). Nothing here uses the game's own tables or masks.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

Card = tuple[str, int]


def cards_of(text: str) -> list[Card]:
    return [(word[0], int(word[1])) for word in text.split()]


def table_points(count: int) -> int:
    """The printed table, and M5 beyond it: three more a card."""
    printed = {0: 0, 1: 0, 2: 2, 3: 4, 4: 7, 5: 10, 6: 13, 7: 16}
    return printed[count] if count <= 7 else table_points(count - 1) + 3


def runs_of(display: Iterable[Card]) -> list[int]:
    """M7: lengths of the maximal runs of at least two, longest first."""
    have = set(display)
    lengths = []
    for colour, value in have:
        if (colour, value - 1) not in have:
            length = 1
            while (colour, value + length) in have:
                length += 1
            if length >= 2:
                lengths.append(length)
    return sorted(lengths, reverse=True)


def score(display: Iterable[Card], long_columns: str = "extend") -> int:
    shown = list(display)
    columns = Counter(value for _, value in shown)
    total = sum(table_points(min(count, 7) if long_columns == "cap" else count) for count in columns.values())
    return total + sum(table_points(length) + {5: 1, 6: 2, 7: 3}.get(length, 0) for length in runs_of(shown))


def beats(one: Iterable[Card], other: Iterable[Card], long_columns: str) -> bool:
    """M8: more points, or the first longer run when they are compared pair by pair, a missing one
    as 0."""
    one, other = list(one), list(other)
    if score(one, long_columns) != score(other, long_columns):
        return score(one, long_columns) > score(other, long_columns)
    mine, theirs = runs_of(one), runs_of(other)
    for place in range(max(len(mine), len(theirs))):
        a = mine[place] if place < len(mine) else 0
        b = theirs[place] if place < len(theirs) else 0
        if a != b:
            return a > b
    return False


def places(displays: Sequence[Iterable[Card]], long_columns: str = "extend") -> list[int]:
    return [1 + sum(beats(other, own, long_columns) for other in displays) for own in displays]


# What a seat can believe: every history that fits what it saw, counted exactly.

NEVER = 99
World = tuple[frozenset[int], ...]  # by seat: the cards known to the observer that are there


def falling(n: int, k: int) -> int:
    result = 1
    for i in range(k):
        result *= n - i
    return result


@dataclass(frozen=True)
class Belief:
    """One way the match can have gone, as far as it concerns cards the observer has seen."""

    known: World  # where they are
    gifts: tuple[int | None, ...] = ()  # by hidden exchange: the card that was taken, None for one not seen until then


def posterior(state: Any, observer: int) -> dict[Belief, int]:
    """How many histories there are of each kind.

    Follows the log of a true state, but reads only what the observer saw of it. Cards not seen yet
    are alike: only their number at a seat counts.
    """
    seats, exchanges, over = state.seats, state.exchange, state.phase == 4
    beliefs = {Belief(tuple(frozenset() for _ in range(seats))): 1}
    for time in range(exchanges + 1):
        if time % seats == 0:
            display = time // seats
            if display < state.round or over:
                shown = [
                    {c for c in range(14 * seats) if (state.shows[c] >> (3 * display)) & 7 == s + 1}
                    for s in range(seats)
                ]
                beliefs = _after_display(beliefs, shown, observer, 6 + 2 * display)
        if time < exchanges or state.phase in (2, 3):
            on_table = {c for c in range(14 * seats) if (state.shows[c] >> (3 * (time // seats))) & 7}
            beliefs = _after_exchange(beliefs, state, time, observer, on_table)
    return beliefs


def hidden_exchanges(state: Any, observer: int) -> list[tuple[int, int]]:
    """The exchanges whose gift the observer did not see, with the seat that gave."""
    hidden = []
    for time in range(state.exchange):
        active = (state.first + time // state.seats + time % state.seats) % state.seats
        if observer not in (active, state.chosen[time]):
            hidden.append((time, state.chosen[time]))
    return hidden


def _name(world: World, seat: int, cards: set[int], held: int) -> tuple[World, int]:
    """Cards are seen at a seat: in how many ways can the new ones be its unknown cards?"""
    if any(cards & world[other] for other in range(len(world)) if other != seat):
        return world, 0
    new = cards - world[seat]
    ways = falling(max(held - len(world[seat]), 0), len(new))
    return tuple(known | cards if s == seat else known for s, known in enumerate(world)), ways


def _after_display(beliefs: dict[Belief, int], shown: list[set[int]], observer: int, held: int) -> dict[Belief, int]:
    result: dict[Belief, int] = defaultdict(int)
    for belief, number in beliefs.items():
        world, count = belief.known, number
        for seat, cards in enumerate(shown):
            if seat != observer:
                world, ways = _name(world, seat, cards, held)
                count *= ways
        if count:
            result[Belief(world, belief.gifts)] += count
    return result


def _moved(world: World, card: int, giver: int, taker: int, observer: int) -> World:
    after = [set(known) for known in world]
    after[giver].discard(card)
    if taker != observer:
        after[taker].add(card)
    return tuple(map(frozenset, after))


def _after_exchange(
    beliefs: dict[Belief, int], state: Any, time: int, observer: int, on_table: set[int]
) -> dict[Belief, int]:
    seats = state.seats
    active = (state.first + time // seats + time % seats) % seats
    chosen = state.chosen[time]
    held = 8 + 2 * (time // seats)
    looked_at = observer == active and (time < state.exchange or state.phase == 3)
    put = state.offers[time, active]
    result: dict[Belief, int] = defaultdict(int)
    for belief, number in beliefs.items():
        world, gifts, count = belief.known, belief.gifts, number
        for seat in range(seats):
            if seat != observer and (seat == active or looked_at):
                world, ways = _name(world, seat, {state.offers[time, seat]}, held)
                count *= ways
        if not count:
            continue
        if chosen < 0:
            result[Belief(world, gifts)] += count
            continue
        if observer in (active, chosen):
            world = _moved(world, state.offers[time, chosen], chosen, active, observer)
            result[Belief(_moved(world, put, active, chosen, observer), gifts)] += count
            continue
        for card in world[chosen] - on_table:
            after = _moved(world, card, chosen, active, observer)
            result[Belief(_moved(after, put, active, chosen, observer), (*gifts, card))] += count
        unknown = held - len(world[chosen])
        if unknown:
            result[Belief(_moved(world, put, active, chosen, observer), (*gifts, None))] += count * unknown
    return result


def first_seen(state: Any, observer: int, card: int) -> int:
    """The exchange from which on the observer knows a card by sight (of its own eyes, in an
    exchange or a display at another seat)."""
    for time in range(state.exchange + 1):
        active = (state.first + time // state.seats + time % state.seats) % state.seats
        display = time // state.seats
        if time % state.seats == 0 and (state.shows[card] >> (3 * display)) & 7:
            return time
        looked_at = observer == active and (time < state.exchange or state.phase == 3)
        seen = range(state.seats) if looked_at else (active, observer)
        if any(state.offers[time, seat] == card for seat in seen):
            return time
    return NEVER
