"""How networks see Babuschka: field by field, beside each other and in lines; a move points at the field
it begins on and at the one it ends on."""

from __future__ import annotations

from samovar.engine.tokens import Group, Tokens

from .board import SQUARES
from .features import BOARD_SHAPE

TOKENS = Tokens(
    groups=(
        Group(
            "field",
            SQUARES,
            reads=("dolls", "top", "top_size"),
            shape=BOARD_SHAPE,
            lines=True,
            beside=True,
        ),
    ),
    points={"from": "field", "to": "field"},
    ignores=("facing",),  # the board is turned to the observer
)
