"""The contract of a game has a number, and games written for an earlier one still play.

| contract | what changed |
|---|---|
| 1 | games without a number |
| 2 | `faults` is plain Python that yields sentences; it was a rule that returned bits, named in `fault_names` |
| 2 | `arrange` takes a struct, the game's `Position`; a game without one still gets keywords |
| 2 | `rotate_move` and `rotate_back` were `turn_move` and `turn_back` at first; both names are read |

Where that cannot be kept up some day, `BrokenGame` says which change it is and what to write instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from samovar.engine.arrays import AnyState
from samovar.engine.rule import is_rule
from samovar.errors import BrokenGame

CONTRACT = 2
OLD_NAMES = {"turn_move": "rotate_move", "turn_back": "rotate_back"}


def check_contract(game: str, contract: int) -> None:
    if isinstance(contract, bool) or not isinstance(contract, int) or not 1 <= contract <= CONTRACT:
        raise BrokenGame(
            f"{game} is written for contract {contract!r} of a game, and this Samovar knows 1 to {CONTRACT}. Install a "
            "later Samovar, or write the game for this one: samovar/engine/assembly/versions.py has what changed."
        )


def faults_by(game: str, contract: int, faults: Any, names: tuple[str, ...]) -> Any:
    """The `faults` of a game as contract 2 has them."""
    check_contract(game, contract)
    if is_rule(faults) and contract == 1:
        return NamedBits(faults, names)
    if is_rule(faults) or (names and not isinstance(faults, NamedBits)):
        raise BrokenGame(
            f"{game} is written for contract {contract}, and its faults are neither those of contract 1 (a rule that "
            "returns bits, named in `fault_names`) nor those of contract 2: without `fault_names` and @rule, write "
            '`yield "two men in one cell"` where a bit was set.'
        )
    return faults


def registry_name(game_id: str, environment_version: int) -> str:
    """Of a game as an environment, where libraries keep names with versions: `samovar/ConnectFour-v0`."""
    name = "".join(word.capitalize() for word in game_id.split("_"))
    return f"samovar/{name}-v{environment_version}"


def by_new_names(parts: Mapping[str, Any]) -> dict[str, Any]:
    return {OLD_NAMES.get(name, name): part for name, part in parts.items()}


@dataclass(frozen=True)
class NamedBits:
    """The faults of contract 1: a rule, and what its bits mean."""

    rule: Any
    names: tuple[str, ...]

    def __call__(self, state: AnyState) -> Iterator[str]:
        broken = int(self.rule(state))
        return (name for bit, name in enumerate(self.names) if (broken >> bit) & 1)
