"""What a table may choose of a game."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from samovar.errors import BadOption

Value: TypeAlias = bool | int | str | None


@dataclass(frozen=True)
class Option:
    """A switch of a game: its values are `choices`, the default is one of them; texts count as
    their position, the rest as themselves."""

    name: str
    default: Value
    choices: tuple[Value, ...] | range
    help: str
    only_with: str = ""  # another option: as long as that one is at its default, this one changes nothing
    is_advanced: bool = False  # for those who know the game: its first other choice is offered after the first matches

    def code(self, value: Value) -> int:
        """The value as the number rules see."""
        for position, choice in enumerate(self.choices):
            if value == choice and isinstance(value, bool) == isinstance(choice, bool):
                return self._number(position, choice)
        raise BadOption(f"Option {self.name!r} cannot be {value!r}. It takes {self.describe()}.")

    def parse(self, value: Value) -> Value:
        """The value of a text as typed in a terminal; other values are left as they are."""
        for choice in self.choices:
            if isinstance(value, str) and value.lower() == ("random" if choice is None else str(choice).lower()):
                return choice
        return value

    def value(self, code: int) -> Value:
        for position, choice in enumerate(self.choices):
            if self._number(position, choice) == code:
                return choice
        raise BadOption(f"Option {self.name!r} has no value numbered {code}.")

    @staticmethod
    def _number(position: int, choice: Value) -> int:
        if choice is None:
            return -1
        return position if isinstance(choice, str) else int(choice)

    def describe(self) -> str:
        if isinstance(self.choices, range):
            return f"a number from {self.choices[0]} to {self.choices[-1]} (default {self.default})"
        named = ", ".join("random" if choice is None else str(choice).lower() for choice in self.choices)
        return f"{named} (default {'random' if self.default is None else str(self.default).lower()})"
