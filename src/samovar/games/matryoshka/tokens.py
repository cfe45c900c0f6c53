"""How networks see Matryoshka: card by card, in rows of one colour and columns of one value, since runs
and columns score (M7)."""

from __future__ import annotations

from samovar.engine.tokens import Group, Tokens

from .observation import CARDS_SHAPE
from .state import MAX_CARDS

TOKENS = Tokens(
    groups=(
        Group(
            "card",
            MAX_CARDS,
            reads=("place", "sure"),
            marks=("own", "offers"),
            shape=CARDS_SHAPE,
            lines=True,
            beside=True,
        ),
    ),
    points={"card": "card", "shown": "card"},
    ignores=("own_shown", "run", "column", "value"),  # by position in the hand; the cards themselves say it
)
