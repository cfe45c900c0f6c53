"""How large the game is, and smaller members of it; all else follows from these numbers."""

from __future__ import annotations

from samovar.engine.members import Member

SEATS = (2, 3, 4)
ROUNDS = 7
ANIMALS = 5
LANDSCAPES = 5
WIDTH = 5  # of the island, a square; an odd number, so that it has a centre
SEA: tuple[str, ...] = ()  # places where no location lies, beside the centre: here none
RUBIES = (1, 1, 2, 2, 2, 3, 4)  # on the treasures, one a round; also the ordered stack from its top

_BASE_GAME = {"expert": False, "ordered_stack": True, "first_reveal_ability": False}
_CROSS = {"SEATS": (2,), "WIDTH": 3, "SEA": ("a1", "c1", "a3", "c3"), "ANIMALS": 2}

MEMBERS = {
    "tiny": Member(
        help="a 3 x 3 island without its corners: four locations of two animals and two landscapes; one round",
        sizes={**_CROSS, "LANDSCAPES": 2, "ROUNDS": 1, "RUBIES": (1,)},
        options=_BASE_GAME,
    ),
    "small": Member(
        help="the same island with four of six cards, two animals and three landscapes; one round",
        sizes={**_CROSS, "LANDSCAPES": 3, "ROUNDS": 1, "RUBIES": (1,)},
        options=_BASE_GAME,
    ),
    "medium": Member(
        help="the same six cards and two rounds, so that what was seen in the first helps in the second",
        sizes={**_CROSS, "LANDSCAPES": 3, "ROUNDS": 2, "RUBIES": (1, 2)},
        options=_BASE_GAME,
    ),
}
