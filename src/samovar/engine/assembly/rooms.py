"""Where the parts of a game lie in its package, for `Game.from_package`.

Functions are found by their name, in whatever module they stand; facts in the room that is named
here. A game that has a part elsewhere hands it over.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import import_module
from pkgutil import iter_modules
from types import FunctionType, ModuleType

from samovar.errors import BrokenGame

# By entry of the contract: the module, and the name in it.
FACTS = {
    "seats": ("sizes", "SEATS"),
    "state": ("state", "State"),
    "moves": ("moves", "MOVES"),
    "max_legal": ("moves", "MAX_LEGAL"),
    "observation": ("observation", "OBSERVATION"),
    "relations": ("features", "RELATIONS"),
    "factors": ("features", "FACTORS"),
    "tokens": ("tokens", "TOKENS"),
    "position": ("arrange", "Position"),
    "heuristics": ("heuristics", "HEURISTICS"),
    "face": ("face", "FACE"),
    "words": ("words", "WORDS"),
}
# They are entries themselves, and what they are made of has names of its own.
CLOSED = ("heuristics", "face")


def parts_in(package: ModuleType, entries: Iterable[str]) -> dict[str, object]:
    """What a package has for these entries of the contract."""
    names = [name for _, name, _ in iter_modules(package.__path__)]
    rooms = {"__init__": package, **{name: import_module(f"{package.__name__}.{name}") for name in names}}
    parts = {entry: _fact(entry, rooms) if entry in FACTS else _function(entry, rooms) for entry in entries}
    return {entry: part for entry, part in parts.items() if part is not None}


def _fact(entry: str, rooms: Mapping[str, ModuleType]) -> object:
    room, name = FACTS[entry]
    return getattr(rooms.get(room), name, None)


def _function(entry: str, rooms: Mapping[str, ModuleType]) -> FunctionType | None:
    named = {
        room: function
        for room, module in rooms.items()
        if room not in CLOSED and isinstance(function := vars(module).get(entry), FunctionType)
    }
    if len(set(named.values())) > 1:
        files = ", ".join(f"{room}.py" for room in named)
        raise BrokenGame(
            f"There is more than one {entry!r}: in {files}. Give all but one another name, or hand over the one that "
            f"the contract means: {entry}=..."
        )
    return next(iter(named.values()), None)
