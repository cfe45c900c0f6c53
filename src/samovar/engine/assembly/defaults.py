"""What is so in most games: defaults of the contract, so that not every author has to write them.

Those that are made of a game's other rules are in `ways/stand_ins.py`, where such rules can be called.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields

from samovar.engine.arrays import AnyState, AnyView, Rng
from samovar.engine.rule import rule

TOLD_ANYWAY = ("prompt", "news")


@rule
def nothing_hidden(state: AnyState, seat: int, rng: Rng) -> None:
    """`determinize` of a game in which every seat sees everything: the only world that fits is this
    one."""


def always_sound(state: AnyState) -> tuple[str, ...]:
    """`faults` of a game that looks for none."""
    return ()


@rule
def each_for_itself(seats: int, seat: int) -> int:
    """`team` of a game in which nobody plays with another."""
    return seat


def nothing_painted(words: Mapping[str, str]) -> Mapping[str, str]:
    """`paint` of a game that is drawn in one colour."""
    return {}


def draw_fields(view: AnyView, words: Mapping[str, str]) -> str:
    """The fields of a view by the names that the words give them: rows of a board one below the
    other, numbers and names that the words know side by side."""
    shown = {entry.name: getattr(view, entry.name) for entry in fields(view) if entry.name not in TOLD_ANYWAY}
    head = words.get("view.field", "{name}:")
    return "\n".join(
        f"{head.format(name=words.get(name, name))}{_shown(value, words)}" for name, value in shown.items()
    )


def _shown(value: object, words: Mapping[str, str]) -> str:
    if isinstance(value, tuple) and value and all(isinstance(item, str) and item in words for item in value):
        return " " + ", ".join(words[item] for item in value)
    if isinstance(value, tuple) and any(isinstance(item, str | tuple) for item in value):
        return "".join(f"\n  {_row(item, words)}" for item in value)
    return f" {_row(value, words)}"


def _row(value: object, words: Mapping[str, str]) -> str:
    items = (value or (None,)) if isinstance(value, tuple) else (value,)
    return " ".join(_told(item, words) for item in items)


def _told(value: object, words: Mapping[str, str]) -> str:
    key = f"view.{value}" if value is None or isinstance(value, bool) else str(value)
    return words.get(key, str(value))
