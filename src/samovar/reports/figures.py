"""Figures of reports as JSON. Numbers are rounded, so that two machines that differ in the last bit write the same."""

from __future__ import annotations

import msgspec

from samovar.json_types import Json, JsonObject


def rounded(figure: object, digits: int) -> Json:
    """A number, or whatever holds numbers, as JSON has it."""
    return _round(msgspec.to_builtins(figure, enc_hook=float), digits)  # NumPy's numbers are no floats to msgspec


def _round(plain: Json, digits: int) -> Json:
    match plain:
        case float():
            return round(plain, digits)
        case list() | tuple():
            return [_round(each, digits) for each in plain]
        case dict():
            return {name: _round(each, digits) for name, each in plain.items()}
    return plain


def picked(thing: object, names: str, digits: int, **own_digits: int) -> JsonObject:
    """Some attributes by their names, in that order; `rating=1` has one digit whatever the others have."""
    return {name: rounded(getattr(thing, name), own_digits.get(name, digits)) for name in names.split()}
