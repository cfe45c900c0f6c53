"""How large the game is, and smaller members of it; all else follows from these numbers."""

from __future__ import annotations

from samovar.engine.members import Member

SEATS = (3, 4, 5)
SETS_PER_SEAT = 2  # M1: 6, 8, 10 sets for 3, 4, 5 seats
VALUES = 7
ROUNDS = 4
FIRST_DRAW = 6
LATER_DRAW = 2
DISPLAY_SIZES = (2, 4, 6, 8, 13)  # cards shown in the display of each round; round 0 is the set-up
# Cards drawn at once come as a set. Where every deal is looked at, those that differ in nothing but
# the order in such a set shall be one: then it is made ascending.
SORTED_DRAWS = False

_SIZES = {
    "SEATS": (2,),
    "SETS_PER_SEAT": 1,
    "ROUNDS": 1,
    "FIRST_DRAW": 2,
    "LATER_DRAW": 1,
    "DISPLAY_SIZES": (1, 3),
    "SORTED_DRAWS": True,
}

MEMBERS = {
    "tiny": Member(
        help="two colours of three dolls, two seats, one round; each shows one of two, draws one and at last shows "
        "all three",
        sizes={**_SIZES, "VALUES": 3},
    ),
    "small": Member(
        help="the same with two colours of four dolls, of which two are never drawn",
        sizes={**_SIZES, "VALUES": 4},
    ),
}
