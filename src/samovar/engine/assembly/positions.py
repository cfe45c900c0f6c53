"""A position laid out by hand, as a typed struct: what is of another type, or has no such field, is
refused before a game's `arrange` sees it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

import msgspec

from samovar.errors import BadPosition


class GamePosition(msgspec.Struct, forbid_unknown_fields=True):
    """The base of a game's `Position`, whose fields are what may be given; those with a default may be
    left out."""


P = TypeVar("P", bound=GamePosition)


def read_position(game: str, kind: type[P], position: Mapping[str, object]) -> P:
    try:
        return msgspec.convert(dict(position), kind)
    except msgspec.ValidationError as error:
        known = ", ".join(kind.__struct_fields__)
        raise BadPosition(f"This is no position of {game}: {error}. It may have {known}.") from error
