"""How large the game is, and smaller members of it; all else follows from these numbers."""

from __future__ import annotations

from samovar.engine.members import Member

SEATS = (2, 4)
WIDTH = 8  # of the board, a square
MISSING = ("a1", "b1", "a2", "g1", "h1", "h2", "a7", "a8", "b8", "g8", "h8", "h7")  # B1: fields it lacks
STARTING = {2: 4, 4: 2}  # B1: by number of seats, so many starting fields in the middle of a side
FIGURE = 3  # dolls in a figure: small, medium, large, or fewer of them

_ONE_FIGURE = {"SEATS": (2,), "WIDTH": 3, "STARTING": {2: 1}, "FIGURE": 2}

MEMBERS = {
    "tiny": Member(
        help="a 3 x 3 board without its corners, for each seat a figure of two dolls; patience of 3",
        sizes={**_ONE_FIGURE, "MISSING": ("a1", "c1", "a3", "c3")},
        options={"patience": 3},
    ),
    "small": Member(
        help="a 3 x 3 board without two corners, for each seat a figure of two dolls; patience of 1",
        sizes={**_ONE_FIGURE, "MISSING": ("a1", "c3")},
        options={"patience": 1},
    ),
}
