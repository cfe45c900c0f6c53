"""What the table of a game in work and the process that holds its rules say to each other."""

from __future__ import annotations

import msgspec

from samovar.engine.contract import Value
from samovar.json_types import JsonObject

SPECTATOR = "-"  # in the place of a seat
PIECES = "pieces"  # the same, for the drawing on which a position is laid out


class Course(msgspec.Struct, frozen=True):
    """How a match came about, in words that outlive a change of its rules."""

    seats: int | None = None  # None: the fewest
    seed: int = 1
    options: dict[str, Value] = {}  # those that are not at their default
    position: JsonObject | None = None  # laid out by hand, in the place of a deal
    moves: tuple[tuple[int, str], ...] = ()


class Fold(msgspec.Struct, frozen=True, tag=True):
    """The match of this course: asked first, and again after each change of it."""

    game: str
    course: Course
    language: str = "en"


class ShowSteps(msgspec.Struct, frozen=True, tag=True):
    """The board of one seat, while somebody chooses a move step by step."""

    seat: int
    picked: tuple[str, ...] = ()


class Play(msgspec.Struct, frozen=True, tag=True):
    seat: int
    move: str


class LetPlay(msgspec.Struct, frozen=True, tag=True):
    """Bots make the next moves, as far as the time goes."""

    bot: str
    moves: int


class AskBots(msgspec.Struct, frozen=True, tag=True):
    """What would the bots do?"""


class MovePiece(msgspec.Struct, frozen=True, tag=True):
    """A piece of the drawing that was clicked, and then where it shall lie; until both are known, what can be."""

    picked: str = ""
    place: str = ""


Question = Fold | ShowSteps | Play | LetPlay | AskBots | MovePiece


class DevOption(msgspec.Struct, frozen=True):
    name: str
    label: str
    value: str
    choices: tuple[tuple[str, str], ...]  # as typed, and in words


class Mistake(msgspec.Struct, frozen=True):
    """A mistake of the author's, at the place where it can be mended."""

    what: str
    file: str = ""
    line: int = 0
    code: str = ""
    remedy: str = ""


class TableAnswer(msgspec.Struct, frozen=True, omit_defaults=True):
    """The answer to every question; a fault says why there is nothing else."""

    fault: Mistake | None = None
    refused: str = ""  # why what was asked was not done
    name: str = ""
    folder: str = ""
    course: Course = Course()
    lost: str = ""  # why the match began anew from its deal
    boards: dict[str, str] = {}  # by seat, and that of a spectator
    art: str = ""
    has_style: bool = False
    actors: tuple[int, ...] = ()
    is_over: bool = False
    seats: tuple[int, ...] = ()
    options: tuple[DevOption, ...] = ()
    levels: tuple[str, ...] = ()
    moves_pieces: bool = False  # a position can be laid out on the drawing
    position: str = ""  # as JSON; empty: it cannot be laid out by hand
    broken: tuple[str, ...] = ()  # what the game's own `faults` say
    hint: tuple[tuple[str, int], ...] = ()  # moves in words, and what may be expected of them, of a hundred


class Check(msgspec.Struct, frozen=True):
    """One check of the kit, by its number."""

    game: str
    number: int


class Finding(msgspec.Struct, frozen=True):
    """What the kit says of it; empty, where all is well."""

    name: str
    checks: int  # there are so many
    what: str = ""
    fault: Mistake | None = None
