"""Move numbers and their texts.

      0 ..  24   reveal the location at a place      c4
     25 ..  28   look at a side before round 1       north, east, south, west
     29 ..  53   penguin: peek at a place            peek c4
     54 ..  78   walrus: block a place               block c4
     79 .. 103   octopus: swap it with a place       swap c4

The numbers of the centre (12, 41, 66, 91) are never legal.
"""

from __future__ import annotations

from samovar.language.grammar import plain

from .state import PLACE_NAMES, PLACES, SIDE_NAMES, SIDES, State
from .words import WORDS

REVEAL_MOVE = 0
LOOK_MOVE = REVEAL_MOVE + PLACES
PEEK_MOVE = LOOK_MOVE + SIDES
BLOCK_MOVE = PEEK_MOVE + PLACES
SWAP_MOVE = BLOCK_MOVE + PLACES
MOVES = SWAP_MOVE + PLACES
MAX_LEGAL = PLACES - 1

TEXTS = (
    *PLACE_NAMES,
    *SIDE_NAMES,
    *(f"peek {place}" for place in PLACE_NAMES),
    *(f"block {place}" for place in PLACE_NAMES),
    *(f"swap {place}" for place in PLACE_NAMES),
)
_NUMBERS = {text: move for move, text in enumerate(TEXTS)}
# Words that are understood as well: initials, and those of every language, with or without accents.
_INITIALS = {"n": "north", "e": "east", "s": "south", "w": "west", "o": "west"}
_MEANT = {**{side: side for side in SIDE_NAMES}, **{f"typed.{verb}": verb for verb in ("peek", "block", "swap")}}
_SYNONYMS = {
    **_INITIALS,
    **{
        spelt: meant
        for words in WORDS.values()
        for key, meant in {**_MEANT, "typed.reveal": ""}.items()
        for spelt in (words[key].lower(), plain(words[key]))
    },
}


def move_text(state: State, seat: int, move: int) -> str:
    """The text of a move; it is the same in every state."""
    return TEXTS[move]


def parse_move(state: State, seat: int, text: str) -> int:
    """The number of a move text; case, extra spaces and a few synonyms do not matter."""
    spoken = [_SYNONYMS.get(word, word) for word in text.lower().split()]
    move = _NUMBERS.get(" ".join(word for word in spoken if word))
    if move is None:
        raise ValueError(
            "a move is a place such as c4, a side (north, east, south, west), peek c4, swap c4 or block c4."
        )
    return move
