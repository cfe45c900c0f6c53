"""A slow second Värvitikud, written from the rulings alone: what fits, what may be swapped, what
sticks are worth, which deals are possible.

It shares the deck and the names of moves with the game and nothing else: the field is a dictionary
from (x, y) to four colours.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations, permutations
from typing import Any

from samovar.games.varvitikud.deck import COLOUR_NAMES, DECK

SIDES = ((0, 1), (1, 0), (0, -1), (-1, 0))  # north, east, south, west

Field = dict[tuple[int, int], tuple[str, ...]]


def colours_of(card: int, turned: bool) -> tuple[str, ...]:
    north, east, south, west = (COLOUR_NAMES[colour] for colour in DECK[card])
    return (south, west, north, east) if turned else (north, east, south, west)


def field_of(view: Any) -> Field:
    return {(card.x, card.y): colours_of(card.card, card.turned) for card in view.field}


def meeting(field: Field, x: int, y: int) -> dict[int, str]:
    """By side: the colour of the neighbour's edge there."""
    colours = {}
    for side, (dx, dy) in enumerate(SIDES):
        if (x + dx, y + dy) in field:
            colours[side] = field[x + dx, y + dy][(side + 2) % 4]
    return colours


def fits(field: Field, card: int, turned: bool, x: int, y: int) -> bool:
    around = meeting(field, x, y)
    own = colours_of(card, turned)
    return (x, y) not in field and bool(around) and all(own[side] == colour for side, colour in around.items())


def placements(field: Field, hand: list[int], half_turn: bool) -> set[str]:
    """All legal placements as texts."""
    cells = {(x + dx, y + dy) for x, y in field for dx, dy in SIDES}
    texts = set()
    for card in hand:
        for turned in (False, True)[: 1 + half_turn]:
            for x, y in cells:
                if fits(field, card, turned, x, y):
                    mark = "'" if turned else ""
                    texts.add(f"{card}{mark}@{x},{y}")
    return texts


def swaps(sticks: tuple[tuple[int, ...], ...], seat: int) -> set[str]:
    """All swaps as texts, and stop."""
    texts = {"stop"}
    for other, held in enumerate(sticks):
        for offered, mine in zip(COLOUR_NAMES, sticks[seat], strict=True):
            for taken, theirs in zip(COLOUR_NAMES, held, strict=True):
                if other != seat and offered != taken and mine and theirs:
                    texts.add(f"{offered}>{other}:{taken}")
    return texts


def score(sticks: tuple[int, ...]) -> int:
    """Really lays the sets: as long as there are sticks, one of every colour left makes the next
    set."""
    left = Counter({colour: count for colour, count in enumerate(sticks) if count})
    points = 0
    while left:
        kinds = [colour for colour in left if left[colour] > 0]
        points += sum(range(1, len(kinds) + 1))
        left = +(left - Counter(kinds))
    return points


Skips = dict[tuple[int, int], set[int]]  # [seat, n]: the cards that fitted at a skip while the seat had placed n cards
# the hands by seat, the cards in the pile in the order of their numbers
World = tuple[tuple[tuple[int, ...], ...], tuple[int, ...]]


def replay(hands: list[list[int]], pile: list[int], plays: list[tuple[int, int]], skips: Skips) -> World | None:
    """Where a deal leads to if the seats place these cards, filling up from the top of the pile;
    None if it cannot be."""
    held = [set(hand) for hand in hands]
    count = [0] * len(hands)

    def skipped_wrongly() -> bool:
        return any(held[seat] & skips.get((seat, count[seat]), set()) for seat in range(len(hands)))

    if skipped_wrongly():
        return None
    for number, (seat, card) in enumerate(plays):
        if card not in held[seat]:
            return None
        held[seat].remove(card)
        count[seat] += 1
        held[seat].update(pile[number : number + 1])
        if skipped_wrongly():
            return None
    return tuple(tuple(sorted(hand)) for hand in held), tuple(sorted(pile[len(plays) :]))


def worlds(
    hands: list[list[int]], pile: list[int], plays: list[tuple[int, int]], seat: int, skips: Skips
) -> Counter[World]:
    """All deals that fit what the seat has seen, by what they lead to: tries every way to share out
    the cards that it could not see.

    `hands` and `pile` are the truth; the seat sees its own hand and what it draws itself.
    """
    others = [other for other in range(len(hands)) if other != seat]
    own = {number for number, (placer, _) in enumerate(plays) if placer == seat and number < len(pile)}
    hidden = sorted(
        {card for other in others for card in hands[other]}
        | {card for number, card in enumerate(pile) if number not in own}
    )
    unknown = [number for number in range(min(len(plays), len(pile))) if number not in own]
    weights: Counter[World] = Counter()
    for dealt, drawn, rest in _shares(hidden, [len(hands[other]) for other in others], len(unknown)):
        guess = list(hands)
        for other, hand in zip(others, dealt, strict=True):
            guess[other] = hand
        top = dict(zip(unknown, drawn, strict=True)) | {number: pile[number] for number in own}
        leads_to = replay(guess, [top[number] for number in sorted(top)] + rest, plays, skips)
        if leads_to is not None:
            weights[leads_to] += 1
    return weights


def _shares(
    cards: list[int], sizes: list[int], drawn: int
) -> Iterator[tuple[list[list[int]], tuple[int, ...], list[int]]]:
    """Hands of these sizes, cards drawn in order, and the rest."""
    if not sizes:
        for order in permutations(cards, drawn):
            yield [], order, [card for card in cards if card not in order]
        return
    for hand in combinations(cards, sizes[0]):
        for hands, order, rest in _shares([card for card in cards if card not in hand], sizes[1:], drawn):
            yield [list(hand), *hands], order, rest


def world(state: Any) -> World:
    """What is hidden in a state."""
    hands = tuple(tuple(state.hand[seat, k] for k in range(state.hand_size[seat])) for seat in range(state.seats))
    return hands, tuple(sorted(state.pile[i] for i in range(state.pile_size)))


def line_of(length: int) -> list[int]:
    """Cards that lie in a row from west to east, such that the first 48 places where they meet are
    eight times in each colour."""

    def grow(row: list[int], met: Counter[int]) -> list[int] | None:
        if len(row) == length:
            return row
        colour = DECK[row[-1]][1]
        if len(row) <= 48 and met[colour] == 8:
            return None
        for card in range(len(DECK)):
            if card not in row and DECK[card][3] == colour:
                longer = grow([*row, card], met + Counter([colour]))
                if longer:
                    return longer
        return None

    row = grow([0], Counter())
    assert row is not None
    return row
