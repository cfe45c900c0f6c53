"""Move numbers and their texts.

0 .. 16383        show a display: a bit for each of the seat's cards (hand and display
                  together, ascending), set where it is shown
16384 .. 16453    put up card c
16454 .. 16523    offer card c
16524 .. 16528    take the offer of seat s
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

from samovar.engine.rule import rule, table

from .sizes import ROUNDS, VALUES
from .state import (
    CARDS_PER_SEAT,
    COLOURS,
    DISPLAY,
    DISPLAY_SIZE,
    MAX_CARDS,
    MAX_SEATS,
    OFFER,
    OVER,
    PUT,
    TAKE,
    State,
    cards_held,
)

PUT_MOVE = 1 << CARDS_PER_SEAT
OFFER_MOVE = PUT_MOVE + MAX_CARDS
TAKE_MOVE = OFFER_MOVE + MAX_CARDS
MOVES = TAKE_MOVE + MAX_SEATS

LETTERS = "ABCDEFGHIJ"[:COLOURS]
DIGITS = "1234567"[:VALUES]


def _masks(round_number: int) -> list[int]:
    """Every choice of the round's display among the cards held, ascending."""
    bits = range(cards_held(round_number))
    return sorted(sum(1 << bit for bit in chosen) for chosen in combinations(bits, DISPLAY_SIZE[round_number]))


# The displays that can be chosen in each round, one round after the other; those of round r begin
# at MASKS_FROM[r].
_BY_ROUND = [_masks(number) for number in range(ROUNDS + 1)]
MASKS = table([mask for masks in _BY_ROUND for mask in masks])
MASKS_FROM = table([sum(map(len, _BY_ROUND[:number])) for number in range(ROUNDS + 2)])
MAX_LEGAL = max(CARDS_PER_SEAT, *map(len, _BY_ROUND))  # at least a number for each card of a seat


@rule
def count_masks(round_number: int) -> int:
    return MASKS_FROM[round_number + 1] - MASKS_FROM[round_number]


def card_text(card: int) -> str:
    """A card as letter and digit: `C3`."""
    return f"{LETTERS[card // VALUES]}{card % VALUES + 1}"


def parse_card(text: str) -> int:
    """The number of a card written as letter and digit, in any case."""
    word = text.strip().upper()
    if len(word) != 2 or word[0] not in LETTERS or word[1] not in DIGITS:
        raise ValueError(
            f"{text!r} is no card; a card is a letter from A to {LETTERS[-1]} and a digit from 1 to {VALUES}, such as "
            f"{card_text(min(2 * VALUES + 2, MAX_CARDS - 1))}."
        )
    return LETTERS.index(word[0]) * VALUES + int(word[1]) - 1


def cards_text(cards: Iterable[int]) -> str:
    return " ".join(card_text(card) for card in sorted(cards))


def own_cards(state: State, seat: int) -> list[int]:
    """All cards of a seat, ascending."""
    return [card for card in (state.cards[seat, i] for i in range(CARDS_PER_SEAT)) if card >= 0]


def move_text(state: State, seat: int, move: int) -> str:
    if move < PUT_MOVE:
        return "show " + cards_text(card for i, card in enumerate(own_cards(state, seat)) if (move >> i) & 1)
    if move < OFFER_MOVE:
        return f"put {card_text(move - PUT_MOVE)}"
    if move < TAKE_MOVE:
        return f"offer {card_text(move - OFFER_MOVE)}"
    return f"take {move - TAKE_MOVE}"


_WORDS = {
    "show": DISPLAY, "montrer": DISPLAY, "montre": DISPLAY, "keep": DISPLAY, "garder": DISPLAY, "garde": DISPLAY,
    "put": PUT, "poser": PUT, "pose": PUT,
    "offer": OFFER, "proposer": OFFER, "propose": OFFER,
    "take": TAKE, "prendre": TAKE, "prend": TAKE, "prends": TAKE,
}  # fmt: skip
# People count players from 1 and see them so; the text of a move has the seat.
_SEATS = {f"p{seat + 1}": seat for seat in range(MAX_SEATS)} | {str(seat): seat for seat in range(MAX_SEATS)}
_KEEPING = ("keep", "garder", "garde")
_LOOKS = {
    DISPLAY: "a display is named by its cards, such as 'show A1 A2', or by the cards that stay in the hand, such as "
    "'keep B3'.",
    PUT: "a card is put up like this: 'put C3'.",
    OFFER: "a card is offered like this: 'offer C3'.",
    TAKE: "an offer is taken by its player: 'take p2'.",
    OVER: "the game is over.",
}


def parse_move(state: State, seat: int, text: str) -> int:
    """The number of a move; the word in front may be left out, then the phase says what is
    meant."""
    words = text.replace(",", " ").lower().split()
    phase, keeping = state.phase, False
    if words and words[0] in _WORDS:
        keeping = words[0] in _KEEPING
        phase = _WORDS[words.pop(0)]
    if not words or (len(words) != 1 and phase != DISPLAY):
        raise ValueError(_LOOKS[phase])
    if phase == DISPLAY:
        return _parse_display(state, seat, words, keeping)
    if phase in (PUT, OFFER):
        return (PUT_MOVE if phase == PUT else OFFER_MOVE) + parse_card(words[0])
    if phase == TAKE and words[0] in _SEATS:
        return TAKE_MOVE + _SEATS[words[0]]
    raise ValueError(_LOOKS[phase])


def _parse_display(state: State, seat: int, words: list[str], keeping: bool) -> int:
    own = own_cards(state, seat)
    mask = 0
    for word in words:
        card = parse_card(word)
        if card not in own:
            raise ValueError(f"{card_text(card)} is not among your cards; {_LOOKS[DISPLAY]}")
        if (mask >> own.index(card)) & 1:
            raise ValueError(f"{card_text(card)} is named twice; {_LOOKS[DISPLAY]}")
        mask |= 1 << own.index(card)
    return mask ^ ((1 << len(own)) - 1) if keeping else mask
