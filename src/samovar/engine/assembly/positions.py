"""A position laid out by hand, as a typed struct: what is of another type, or has no such field, is
refused before a game's `arrange` sees it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self, TypeVar

import msgspec

from samovar.engine.arrays import AnyState
from samovar.errors import BadPosition


class GamePosition(msgspec.Struct, forbid_unknown_fields=True):
    """The base of a game's `Position`, whose fields are what may be given; those with a default may be
    left out. The two functions are for people who change a position on its drawing; both may be left out, too."""

    @classmethod
    def of(cls, state: AnyState) -> Self | None:
        """The position that `arrange` makes such a state of: the same seats may act there, with the same moves and
        the same scores. None: this state cannot be told so."""
        return None

    def moved(self, piece: str, place: str) -> Self:
        """After somebody put a piece somewhere else, both by their names in the drawing. It may be a position that
        cannot be; the same name twice turns something over, where that means something."""
        return self


P = TypeVar("P", bound=GamePosition)


def read_position(game: str, kind: type[P], position: Mapping[str, object]) -> P:
    try:
        return msgspec.convert(dict(position), kind)
    except msgspec.ValidationError as error:
        known = ", ".join(kind.__struct_fields__)
        raise BadPosition(f"This is no position of {game}: {error}. It may have {known}.") from error
