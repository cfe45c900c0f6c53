"""How networks see Värvitikud: the colours, whose sticks are what counts (V9), and the cards."""

from __future__ import annotations

from samovar.engine.tokens import Group, Tokens

from .deck import CARDS
from .sizes import COLOURS

TOKENS = Tokens(
    groups=(
        Group("colour", COLOURS, reads=("reserve", "sticks", "gains", "losses")),
        Group("card", CARDS, reads=("where", "x", "y", "number", "placer", "cannot_hold", "room")),
    ),
    points={
        "card": "card",
        "beside": "card",
        "joined": "colour",
        "gives": "colour",
        "takes": "colour",
        "opens": "colour",
    },
)
