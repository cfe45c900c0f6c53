"""Small members of a game: the same rules with other sizes, small enough to be worked out to the
end.

A game in a folder of its own may have a module `sizes` with the constants that a smaller game
changes, which its other modules import (`from .sizes import COLOURS`), and with `MEMBERS`, a
`Member` by name. The member `tiny` of `my_game` has the id `my_game_tiny`. Its modules are those of
the game, loaded once more under another name and with the sizes of the member: the full game pays
nothing for it.

These names lie below that of this module, which is a package without files. So whoever asks for one
of them by name, as pickled things and compiled code from the disk do, finds it in every process.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.metadata import EntryPoint
from importlib.util import find_spec, spec_from_file_location
from types import ModuleType
from typing import cast

from samovar.engine.contract import RULES, Game, Option, Value
from samovar.engine.installed import GROUP, found_in
from samovar.engine.state import fill_up
from samovar.engine.ways.validation import check_rules
from samovar.errors import BrokenGame, UnknownGame, did_you_mean
from samovar.language.grammar import ENGLISH

__all__ = ["Member", "fill_up", "load_member", "member", "members_of"]  # `fill_up` for games that had it from here
__path__: list[str] = []  # makes it a package: `Finder` says what lies in it
SIZES = "sizes"


@dataclass(frozen=True, kw_only=True)
class Member:
    """A smaller game by the same rules."""

    help: str  # what is smaller, in plain words
    sizes: Mapping[str, object]  # constants of the module `sizes` and what they are here
    # options that have one value only here: switches and numbers, as texts count by their position
    options: Mapping[str, Value] = field(default_factory=dict)


def members_of(game_id: str) -> Mapping[str, Member]:
    """The members of an installed game by name; most games have none."""
    point = found_in(GROUP).get(game_id)
    return {} if point is None else _members_at(point)


def member(game: Game, name: str) -> Game:
    """The member of this name."""
    return load_member(f"{game.id}_{name}")


def load_member(game_id: str) -> Game:
    """The member of this id, such as `my_game_tiny`."""
    point, name = _split(game_id)
    try:
        members = _members_at(point)
        if name in members:
            return cast("Game", getattr(import_module(f"{__name__}.{game_id}"), point.attr))
    except Exception as error:  # a fault in somebody's package must not take the others down
        raise BrokenGame(
            f"The member {game_id!r} of {point.name} cannot be made: {error!r}. Mend its sizes."
        ) from error
    if not members:
        raise UnknownGame(
            f"There is no game {game_id!r}, and {point.name} has no smaller members. They are for games in a "
            f"folder of their own: write a {SIZES}.py with MEMBERS in it, see samovar/engine/members.py."
        )
    known = [f"{point.name}_{one}" for one in members]
    raise UnknownGame(f"There is no game {game_id!r}.{did_you_mean(game_id, [point.name, *known])}")


def is_member_id(game_id: str) -> bool:
    """Whether this could be the id of a member: it begins like that of a game."""
    return any(_is_below(game_id, known) for known in found_in(GROUP))


def _split(game_id: str) -> tuple[EntryPoint, str]:
    """The game, and the name of its member."""
    known = found_in(GROUP)
    longest = max((one for one in known if _is_below(game_id, one)), key=len, default=None)
    if longest is None:
        raise UnknownGame(f"There is no game {game_id!r}.{did_you_mean(game_id, known)}")
    return known[longest], game_id[len(longest) + 1 :]


def _is_below(game_id: str, known: str) -> bool:
    return game_id.startswith(f"{known}_")


def _members_at(point: EntryPoint) -> Mapping[str, Member]:
    package = import_module(point.module)
    if not hasattr(package, "__path__") or find_spec(f"{point.module}.{SIZES}") is None:
        return {}
    return cast("Mapping[str, Member]", getattr(import_module(f"{point.module}.{SIZES}"), "MEMBERS", {}))


class Finder(MetaPathFinder):
    """Finds the package of a member; the modules in it are found by its path, which is that of the
    game."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        above, _, game_id = name.rpartition(".")
        if above != __name__:
            return None
        try:
            point, member = _split(game_id)
            chosen = _members_at(point).get(member)
        except UnknownGame:
            return None
        if chosen is None:
            return None
        package = import_module(point.module)
        return spec_from_file_location(
            name,
            package.__file__,
            loader=Loader(name, str(package.__file__), point, chosen),
            submodule_search_locations=list(package.__path__),
        )


class Loader(SourceFileLoader):
    """Changes the sizes before any other module of the member is loaded, and the game afterwards."""

    def __init__(self, name: str, path: str, point: EntryPoint, member: Member) -> None:
        super().__init__(name, path)
        self.point = point
        self.member = member

    def exec_module(self, module: ModuleType) -> None:
        sizes = import_module(f"{module.__name__}.{SIZES}")
        for name, value in self.member.sizes.items():
            if name not in vars(sizes):
                raise BrokenGame(
                    f"{self.point.name} has no size {name!r}.{did_you_mean(name, vars(sizes))} A member changes "
                    f"constants of {SIZES}.py."
                )
            setattr(sizes, name, value)
        super().exec_module(module)
        whole: Game = getattr(module, self.point.attr)
        self._check_alone(whole)
        game_id = module.__name__.rpartition(".")[2]
        name = f"{whole.name} ({game_id[len(whole.id) + 1 :]})"
        options = tuple(self._fixed(option) for option in whole.own_options)
        english = {
            language: words for language, words in whole.words.items() if language == ENGLISH
        }  # enough for programs
        setattr(
            module,
            self.point.attr,
            replace(whole, id=game_id, name=name, own_options=options, words=english, face=None),
        )

    def _check_alone(self, game: Game) -> None:
        for function in check_rules(game.name, game.rules, RULES):
            if function.__module__.startswith(f"{self.point.module}."):
                raise BrokenGame(
                    f"The member would share {function.__name__!r} with the full {game.name}. Import the modules of "
                    "the game from each other by `from .module import`, not by their full name."
                )

    def _fixed(self, option: Option) -> Option:
        if option.name not in self.member.options:
            return option
        value = option.value(option.code(self.member.options[option.name]))
        return replace(option, default=value, choices=(value,))


sys.meta_path.append(Finder())
