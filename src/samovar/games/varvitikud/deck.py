"""The deck: read from `deck.json`, and the facts of ruling V1 that any deck must have.

The rulebook does not list its 54 cards, so the file is an assumption. Replace it by another and
these checks say whether the game stays itself: the balance of the colours rests on them. A card is
its four edges north, east, south, west, each a colour number 0-5. The numbers in these pages are
those of the full game: see `sizes`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

from .sizes import COLOURS, SHORT_DECK

FULL_DECK = 54
EDGES = 4
NUMBERS_OF_COLOURS = (2, 3, 4)
CARDS_OF_A_KIND = 18  # cards with each number of colours
ON_AN_EDGE_OF_A_KIND = 3  # times that each colour is on each edge, within each 18
CARDS_WITH_A_PAIR = 12  # cards that show both colours of a pair
COLOUR_NAMES = ("red", "orange", "yellow", "green", "blue", "purple")
LETTERS = "roygbp"

Card = tuple[int, ...]
Deck = Sequence[Card]


class BadDeck(ValueError):
    """The file of the deck breaks one of the facts of ruling V1."""


def _turned(card: Card, quarters: int) -> Card:
    return card[quarters:] + card[:quarters]


def _colours_of(card: Card) -> str:
    return "".join(LETTERS[colour] for colour in card)


def _require(holds: bool, what: str) -> None:
    if not holds:
        raise BadDeck(what)


def check_size(deck: Deck) -> None:
    """There are 54 cards, each with four edges in six colours."""
    _require(len(deck) == FULL_DECK, f"A deck has {FULL_DECK} cards, this one has {len(deck)}.")
    for number, card in enumerate(deck):
        _require(len(card) == EDGES, f"Card {number} has {len(card)} edges; a card has {EDGES}.")
        _require(
            all(0 <= colour < COLOURS for colour in card),
            f"Card {number} has a colour that is none of 0 to {COLOURS - 1}: {card}.",
        )


def check_kinds(deck: Deck) -> None:
    """There are 18 cards each with two, three and four different colours."""
    kinds = Counter(len(set(card)) for card in deck)
    for number, card in enumerate(deck):
        _require(
            len(set(card)) in NUMBERS_OF_COLOURS,
            f"Card {number} ({_colours_of(card)}) has one colour only; a card shows 2, 3 or 4.",
        )
    for kind in NUMBERS_OF_COLOURS:
        _require(
            kinds[kind] == CARDS_OF_A_KIND, f"{kinds[kind]} cards have {kind} colours; it must be {CARDS_OF_A_KIND}."
        )


def check_edges(deck: Deck) -> None:
    """Every colour is 9 times on each edge, 3 times within each 18; so it is 36 times in the
    deck."""
    for edge, name in enumerate(("north", "east", "south", "west")):
        on_edge = Counter((len(set(card)), card[edge]) for card in deck)
        for kind in NUMBERS_OF_COLOURS:
            for colour in range(COLOURS):
                count = on_edge[kind, colour]
                what = (
                    f"{COLOUR_NAMES[colour]} is on the {name} edge of {count} cards with {kind} colours; it must "
                    f"be {ON_AN_EDGE_OF_A_KIND}."
                )
                _require(count == ON_AN_EDGE_OF_A_KIND, what)


def check_pairs(deck: Deck) -> None:
    """Every two colours are together on exactly 12 cards."""
    pairs = Counter(pair for card in deck for pair in combinations(sorted(set(card)), 2))
    for first, second in combinations(range(COLOURS), 2):
        count = pairs[first, second]
        what = (
            f"{COLOUR_NAMES[first]} and {COLOUR_NAMES[second]} are together on {count} cards; it must be "
            f"{CARDS_WITH_A_PAIR}."
        )
        _require(count == CARDS_WITH_A_PAIR, what)


def check_half_turn(deck: Deck) -> None:
    """No card is equal to itself after a half turn."""
    for number, card in enumerate(deck):
        _require(card != _turned(card, 2), f"Card {number} ({_colours_of(card)}) looks the same after a half turn.")


def check_alike(deck: Deck) -> None:
    """No two cards are alike, however they are turned."""
    seen: dict[Card, int] = {}
    for number, card in enumerate(deck):
        canonical = min(_turned(card, quarters) for quarters in range(EDGES))
        _require(
            canonical not in seen,
            f"Cards {seen.get(canonical)} and {number} ({_colours_of(card)}) are alike, perhaps after a turn.",
        )
        seen[canonical] = number


CHECKS = (check_size, check_kinds, check_edges, check_pairs, check_half_turn, check_alike)


def check_deck(deck: Deck) -> None:
    """V1: all facts of a deck; raises `BadDeck` for the first that does not hold."""
    for check in CHECKS:
        check(deck)


def read_deck(path: Path) -> tuple[Card, ...]:
    """The cards of a file, as colour numbers."""
    return read_cards(json.loads(path.read_text(encoding="utf-8"))["cards"])


def read_cards(cards: Sequence[str]) -> tuple[Card, ...]:
    """The cards as colour numbers."""
    for number, letters in enumerate(cards):
        strange = sorted(set(letters) - set(LETTERS))
        _require(
            not strange, f"Card {number} ({letters}) has {' '.join(strange)}; the colours are {' '.join(LETTERS)}."
        )
    return tuple(tuple(LETTERS.index(letter) for letter in letters) for letters in cards)


if SHORT_DECK:
    DECK = read_cards(SHORT_DECK)
else:
    DECK = read_deck(Path(__file__).with_name("deck.json"))
    check_deck(DECK)
CARDS = len(DECK)
