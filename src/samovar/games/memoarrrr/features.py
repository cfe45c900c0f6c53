"""What networks are shown besides: which of the known locations connect, and a move as parts."""

from __future__ import annotations

from samovar.engine.arrays import Ints
from samovar.engine.contract import Part
from samovar.engine.kinds import FLAG, one_of, place_on
from samovar.engine.rule import rule

from .moves import BLOCK_MOVE, LOOK_MOVE, PEEK_MOVE, REVEAL_MOVE, SWAP_MOVE
from .observation import ANIMAL, FACE_UP, ISLAND_SHAPE, LANDSCAPE, LAST, LAST_ANIMAL, LAST_LANDSCAPE
from .rules import are_connected
from .sizes import ANIMALS, LANDSCAPES
from .state import NOTHING, PLACES, SIDES, State, animal, has, known, landscape

RELATIONS = (
    Part(
        "connects",
        PLACES,
        "by place: 1 if the seat knows the card, it is face down, and it connects with the last location",
        FLAG,
        ISLAND_SHAPE,
    ),
    Part("fails", PLACES, "by place: the same, and it does not connect", FLAG, ISLAND_SHAPE),
)


@rule
def relate(seen: Ints, at: int) -> None:
    """R4, as far as the seat knows the cards; nothing connects or fails before the first reveal of a
    round."""
    runs = seen[LAST] != NOTHING
    for place in range(PLACES):
        is_asked = runs and seen[ANIMAL + place] != NOTHING and seen[FACE_UP + place] == 0
        connects = seen[ANIMAL + place] == seen[LAST_ANIMAL] or seen[LANDSCAPE + place] == seen[LAST_LANDSCAPE]
        seen[at + place] = is_asked and connects
        seen[at + PLACES + place] = is_asked and not connects


ACTS = 5
REVEALS, LOOKS, PEEKS, BLOCKS, SWAPS = range(ACTS)

FACTORS = (
    Part("act", 1, "0 reveal, 1 look at a side, 2 peek, 3 block, 4 swap", one_of(ACTS)),
    Part("place", 1, "the place it is about, -1 for a look", place_on(ISLAND_SHAPE)),
    Part("side", 1, "the side looked at: north, east, south, west, else -1", one_of(SIDES)),
    Part("animal", 1, "the animal of the card there, -1 if the seat does not know it", one_of(ANIMALS)),
    Part("landscape", 1, "its landscape, -1 if the seat does not know it", one_of(LANDSCAPES)),
    Part("connects", 1, "1 if it connects with the last location, 0 if not, -1 if the seat cannot tell", one_of(2)),
)
SIZE = len(FACTORS)


@rule
def factor(state: State, seat: int, move: int, out: Ints) -> None:
    for k in range(1, SIZE):
        out[k] = NOTHING
    if LOOK_MOVE <= move < PEEK_MOVE:
        out[0] = LOOKS
        out[2] = move - LOOK_MOVE
        return
    place = move - REVEAL_MOVE
    out[0] = REVEALS
    if move >= SWAP_MOVE:
        place = move - SWAP_MOVE
        out[0] = SWAPS
    elif move >= BLOCK_MOVE:
        place = move - BLOCK_MOVE
        out[0] = BLOCKS
    elif move >= PEEK_MOVE:
        place = move - PEEK_MOVE
        out[0] = PEEKS
    out[1] = place
    if has(known(state, seat), place):
        card = state.card[place]
        out[3] = animal(card)
        out[4] = landscape(card)
        if state.last != NOTHING:
            out[5] = are_connected(card, state.card[state.last])
