"""What several commands use: options of a game, the terminal, the page of a report."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from samovar.engine.contract import Game, Value
from samovar.errors import SamovarError, UnknownOption, nearest
from samovar.language.languages import ENGLISH, LANGUAGES

if TYPE_CHECKING:
    from rich.console import Console

# Options that several commands have.
LanguageOption = Annotated[str, typer.Option("--lang", help=f"{', '.join(LANGUAGES)}. Default: the terminal's own.")]
GameArgument = Annotated[str, typer.Argument(help="The game's id; `samovar games` lists them.")]
SeatsOption = Annotated[int | None, typer.Option(help="Number of players. Default: the fewest the game allows.")]
SeatOption = Annotated[int | None, typer.Option(hidden=True, help="The same, counted from 0.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
PageOption = Annotated[Path | None, typer.Option("--html", metavar="FILE", help="Also write the report as a page.")]
WorkersOption = Annotated[int | None, typer.Option(help="Matches to play at the same time. Default: one per core.")]
RayOption = Annotated[
    str | None,
    typer.Option("--ray", metavar="ADDRESS", help="Play on a Ray cluster: HOST:PORT, ray://HOST:PORT, auto or local."),
]


def parse_options(game: Game, words: list[str], context: typer.Context | None = None) -> dict[str, Value]:
    """`--expert`, `--no-expert`, `--patience 60` and `--long-columns=cap` as the game's options."""
    by_flag = {dashed(option.name): option for option in game.options}
    values: dict[str, Value] = {}
    rest = list(words)
    while rest:
        word = rest.pop(0)
        name, equals, text = word.removeprefix("--").replace("_", "-").partition("=")
        if not word.startswith("--"):
            raise UnknownOption(f"{word!r} is not understood here. Options of {game.name}: {flags(game)}.")
        if name.startswith("no-") and name[3:] in by_flag and by_flag[name[3:]].default in (True, False):
            values[by_flag[name[3:]].name] = False
        elif name not in by_flag:
            raise UnknownOption(
                f"{game.name} has no option {word!r}.{meant(word, game, context)} Its options: {flags(game)}."
            )
        elif equals:
            values[by_flag[name].name] = text
        elif isinstance(by_flag[name].default, bool):
            values[by_flag[name].name] = rest.pop(0) if rest and rest[0].lower() in ("true", "false") else True
        elif rest:
            values[by_flag[name].name] = rest.pop(0)
        else:
            raise UnknownOption(f"Option {word!r} needs a value: {by_flag[name].describe()}.")
    return {name: next(o for o in game.options if o.name == name).parse(value) for name, value in values.items()}


def meant(word: str, game: Game, context: typer.Context | None) -> str:
    """The option of the game or of the command that the word is most like."""
    of_command = [flag for option in context.command.params for flag in option.opts] if context else []
    return nearest(word.partition("=")[0], [*flags(game).split(", "), *of_command])


def flags(game: Game) -> str:
    return ", ".join(f"--{dashed(option.name)}" for option in game.options)


def dashed(name: str) -> str:
    return name.replace("_", "-")


def language_of_terminal() -> str:
    """That of the terminal, if it is one of ours."""
    locale = os.environ.get("LC_ALL") or os.environ.get("LC_MESSAGES") or os.environ.get("LANG") or ""
    return next((language for language in LANGUAGES if locale.startswith(language)), ENGLISH)


def make_console() -> Console:
    from rich.console import Console

    return Console(highlight=False)


def forgive_encodings() -> None:
    """A letter that the terminal or a file cannot hold is shown as a question mark: Windows writes to files in an
    encoding of its own, and the QR code of the site alone would end it."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")


@cache
def tell_compiling() -> None:
    """A minute of nothing looks like a fault: somebody who looks is told, once for each game."""
    from samovar.engine.rule import on_compiling

    told: set[str] = set()

    def tell(name: str) -> None:
        if sys.stderr.isatty() and name not in told:
            told.add(name)
            print(f"Compiling {name}, once; this can take a minute ...", file=sys.stderr)

    on_compiling.append(tell)


@contextmanager
def working(text: str) -> Iterator[Callable[[str], None]]:
    """A line that moves and says what is being done, and for how long, where somebody is looking."""
    if not sys.stderr.isatty():
        yield lambda text: None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task(text)
        yield lambda text: shown.update(task, description=text)


@contextmanager
def progress_bar() -> Iterator[Callable[[int, int], None]]:
    """A bar with the time left, where somebody is looking."""
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        SpinnerColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    elapsed, left = (TimeElapsedColumn(), TextColumn("so far,")), (TimeRemainingColumn(), TextColumn("left"))
    columns = SpinnerColumn(), BarColumn(), MofNCompleteColumn(), *elapsed, *left
    with Progress(*columns, console=Console(stderr=True)) as shown:

        def progress(done: int, total: int) -> None:
            if not shown.task_ids:  # what is done already says nothing about the time left
                shown.add_task("", completed=done, total=total)
            shown.update(shown.task_ids[0], completed=done)

        yield progress


def check_writable(page: Path, problem: type[SamovarError]) -> None:
    """Better said before a tournament, or a review, than after it."""
    try:
        new = not page.exists()
        page.open("ab").close()
        if new:
            page.unlink()
    except OSError as error:
        raise problem(f"The page {str(page)!r} cannot be written: {error.strerror}. Give another --html.") from error
