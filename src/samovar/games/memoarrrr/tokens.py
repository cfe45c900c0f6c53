"""How networks see Memoarrrr!: place by place; places whose cards share an animal or a landscape are
neighbours (R4)."""

from __future__ import annotations

from samovar.engine.tokens import Group, Tokens

from .observation import ISLAND_SHAPE
from .state import PLACES

TOKENS = Tokens(
    groups=(
        Group(
            "place",
            PLACES,
            reads=("animal", "landscape", "face_up", "known_to_others", "connects", "fails"),
            marks=("last", "blocked"),
            alike=("animal", "landscape"),
            shape=ISLAND_SHAPE,
        ),
    ),
    points={"place": "place"},
)
