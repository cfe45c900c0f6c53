"""Puzzles: positions in which one move is clearly best for the player who is to move, by what that player
knows.

Those of a game lie in its folder, `puzzles/puzzles.jsonl`: a line of JSON that says of what game and rules
they are, then a line for each. A position is kept as its deal and the moves up to there, so it is a
position of a real match. Where several may move at a time, the lowest of them does: so moves are just
numbers. `puzzle_maker.py` finds puzzles and writes such files.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import cache, cached_property
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

import msgspec

from samovar.engine.contract import Game, Value
from samovar.engine.match import Match
from samovar.errors import BadPuzzle, SamovarError
from samovar.json_types import JsonObject

FILE = Path("puzzles") / "puzzles.jsonl"
FORMAT = 1
ID_LENGTH = 6
HUNDRED = 100
PuzzleLevel: TypeAlias = Literal["easy", "medium", "hard"]
LEVELS: tuple[PuzzleLevel, ...] = ("easy", "medium", "hard")
NEARLY = 2  # of a hundred: who loses less has solved it, too


@dataclass(frozen=True)
class Puzzle:
    game: Game
    seats: int
    seed: int  # of the deal
    moves: tuple[int, ...]  # up to the position
    best: int
    share: int  # what may be expected after the best move, of a hundred
    losses: Mapping[int, int]  # by move that was compared: how much less, of a hundred; the best one loses nothing
    bots: str = ""  # who played the match
    options: Mapping[str, Value] = field(default_factory=dict)
    level: PuzzleLevel = "medium"  # the weakest bot that finds the move; files of before say nothing

    @cached_property
    def id(self) -> str:
        """Follows from the position, so it stays the same wherever the puzzle is kept."""
        said = json.dumps([self.game.id, self.seats, self.seed, dict(self.options), self.moves])
        return hashlib.blake2b(said.encode(), digest_size=16).hexdigest()[:ID_LENGTH]

    def match(self, *, plain: bool | None = None) -> Match:
        """The position: a match that stands there."""
        try:
            match = Match(self.game, self.seats, self.seed, plain=plain, **self.options)
            for move in self.moves:
                match.play(match.actors[0] if match.actors else 0, move)
        except SamovarError as error:
            raise BadPuzzle(
                f"Puzzle {self.id} of {self.game.name} cannot be played up to its position: {error} "
                "Use the file as samovar wrote it."
            ) from error
        if not match.actors or not set(self.losses) <= set(match.legal(match.actors[0])):
            raise BadPuzzle(
                f"Puzzle {self.id} of {self.game.name} asks for moves that nobody can make there. "
                "Use the file as samovar wrote it."
            )
        return match


class WrittenPuzzle(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A puzzle as its file has it."""

    id: str
    seats: int
    seed: int
    options: dict[str, Value] = {}
    bots: str
    moves: tuple[int, ...]
    best: int
    share: int
    losses: dict[Annotated[int, msgspec.Meta(ge=0)], Annotated[int, msgspec.Meta(ge=0, le=HUNDRED)]]
    level: PuzzleLevel = "medium"


@dataclass(frozen=True)
class Grade:
    """What an answer is worth. It is never called wrong: it loses something, or nothing worth a word."""

    loss: int  # of a hundred, against the best move
    is_best: bool = False
    is_least: bool = False  # the move was not compared: it loses so much or more

    @property
    def is_solved(self) -> bool:
        return self.is_best or (self.loss < NEARLY and not self.is_least)


def graded(losses: Mapping[int, int], best: int, move: int) -> Grade:
    """By what is known of the moves. One that was not compared is one that did not even look as good as
    those that were."""
    if move in losses:
        return Grade(losses[move], is_best=move == best)
    return Grade(min((loss for other, loss in losses.items() if other != best), default=0), is_least=True)


def has_puzzles(game: Game) -> bool:
    """Whether some come with it; whether they can be read is another question."""
    return bool(game.folder) and (Path(game.folder) / FILE).is_file()


def puzzles_of(game: Game) -> tuple[Puzzle, ...]:
    """Those that come with a game, in the order of its file; none if it has no file."""
    path = Path(game.folder) / FILE
    return _read_once(game, path, path.stat().st_mtime_ns) if has_puzzles(game) else ()


@cache
def _read_once(game: Game, path: Path, changed: int) -> tuple[Puzzle, ...]:
    return read_puzzles(path, game)


def find_puzzle(game: Game, name: str) -> Puzzle:
    for puzzle in puzzles_of(game):
        if puzzle.id == name:
            return puzzle
    raise BadPuzzle(f"{game.name} has no puzzle {name!r}.")


def puzzle_of_day(game: Game, day: date) -> Puzzle | None:
    """The same for everybody: an easy one by the usual rules, if there is any; all of them come once
    before one comes again."""
    among = easiest(game)
    return among[day.toordinal() % len(among)] if among else None


def easiest(game: Game) -> list[Puzzle]:
    """The easy ones by the usual rules, in the order of their names; others, if there is none of those."""
    puzzles = sorted(puzzles_of(game), key=lambda puzzle: puzzle.id)
    usual = [puzzle for puzzle in puzzles if not puzzle.options]
    return [puzzle for puzzle in usual if puzzle.level == "easy"] or usual or puzzles


def puzzle_after(puzzle: Puzzle, solved: Iterable[str] = ()) -> Puzzle:
    """The next one that is not solved yet, or just the next, by the same rules; of the same level, while
    there are some."""
    alike = sorted((one for one in puzzles_of(puzzle.game) if one.options == puzzle.options), key=lambda one: one.id)
    here = next((k for k, one in enumerate(alike) if one.id == puzzle.id), -1)
    later = alike[here + 1 :] + alike[: max(here, 0)] or [puzzle]
    done = set(solved)
    unsolved = [one for one in later if one.id not in done]
    return min(unsolved or later, key=lambda one: one.level != puzzle.level)


# The file


def read_puzzles(path: Path, game: Game) -> tuple[Puzzle, ...]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BadPuzzle(f"The puzzles in {path.name!r} cannot be read: {error}. Make the file anew.") from error
    _check_head(_line(path, 1, lines[0] if lines else ""), path, game)
    puzzles = tuple(
        _puzzle(_line(path, number, text), game, f"{path.name!r}, line {number}")
        for number, text in enumerate(lines[1:], 2)
        if text
    )
    if len({puzzle.id for puzzle in puzzles}) < len(puzzles):
        raise BadPuzzle(f"A puzzle is twice in {path.name!r}. Take one of them out.")
    return puzzles


def head_line(game: Game) -> str:
    return json.dumps({"samovar_puzzles": FORMAT, "game": game.id, "rules": game.version}) + "\n"


def puzzle_line(puzzle: Puzzle) -> str:
    facts = {name: getattr(puzzle, name) for name in WrittenPuzzle.__struct_fields__}
    return msgspec.json.encode(WrittenPuzzle(**facts)).decode() + "\n"


def _line(path: Path, number: int, text: str) -> JsonObject:
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict):
        raise BadPuzzle(f"{path.name!r}, line {number}, is no JSON object. Use the file as samovar wrote it.")
    return content


def _check_head(head: JsonObject, path: Path, game: Game) -> None:
    if head.get("samovar_puzzles") != FORMAT or head.get("game") != game.id:
        raise BadPuzzle(
            f"{path.name!r} does not hold puzzles of {game.name}. Make some: samovar puzzles make {game.id}."
        )
    if head.get("rules") != game.version:
        raise BadPuzzle(
            f"The puzzles in {path.name!r} are of rules version {head.get('rules')!r} of {game.name}; version "
            f"{game.version} is installed. Make them anew: samovar puzzles make {game.id}."
        )


def _puzzle(content: JsonObject, game: Game, where: str) -> Puzzle:
    """A file from somewhere may hold anything."""
    try:
        written = msgspec.convert(content, WrittenPuzzle, str_keys=True)
        if written.losses.get(written.best) != 0:
            raise ValueError("its best move loses something")
    except ValueError as error:
        raise BadPuzzle(f"{where}, is no puzzle. Use the file as samovar wrote it.") from error
    facts = msgspec.structs.asdict(written)
    name = facts.pop("id")
    puzzle = Puzzle(game=game, **facts)
    if name != puzzle.id:
        raise BadPuzzle(f"{where}: the puzzle was changed, its id does not fit. Use the file as samovar wrote it.")
    return puzzle
