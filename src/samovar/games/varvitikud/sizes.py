"""How large the game is, and smaller members of it; all else follows from these numbers."""

from __future__ import annotations

from samovar.engine.members import Member

SEATS = (2, 3, 4)
COLOURS = 6
STICKS_OF_A_COLOUR = 8
HAND = 3  # V7: cards in a hand,
HAND_OF_TWO = 4  # and with two seats
# The cards of a short deck, each the letters of its edges north, east, south, west; none: `deck.json`
# is the deck.
SHORT_DECK: tuple[str, ...] = ()

MEMBERS = {
    "tiny": Member(
        help="five cards in two colours, one in each hand, and three sticks of each colour",
        sizes={
            "SEATS": (2,),
            "HAND_OF_TWO": 1,
            "COLOURS": 2,
            "STICKS_OF_A_COLOUR": 3,
            "SHORT_DECK": ("rroo", "roro", "orro", "ooor", "orrr"),
        },
        options={"half_turn": False},
    ),
    "small": Member(
        help="six cards in three colours, two in each hand, and two sticks of each colour",
        sizes={
            "SEATS": (2,),
            "HAND_OF_TWO": 2,
            "COLOURS": 3,
            "STICKS_OF_A_COLOUR": 2,
            "SHORT_DECK": ("rroo", "royr", "oyry", "yoro", "orry", "yrro"),
        },
        options={"half_turn": False},
    ),
}
