"""The command line: `samovar serve | backup | restore | copy | check | sit | games | rules | play | replay | review |
puzzles | verify | new | arena | lab | dataset | exploit | learn | wasm | bench`; `samovar` alone serves. Options of a
game are options of `play`, `puzzles`, `arena`, `lab` and `dataset`: `--expert`."""

from __future__ import annotations

import os
import sys

import typer

from samovar.errors import SamovarError

from .insight import make_puzzles, review
from .interruption import heed_interrupts
from .keeping import backup, check, copy, restore
from .laboratory import lab
from .machines import bench, learn, wasm
from .shared import parse_options, tell_compiling
from .tables import games, new, play, replay, rules, serve, sit, verify
from .tournaments import arena, dataset, exploit

__all__ = ["app", "main", "parse_options", "serve"]

app = typer.Typer(
    help="Play tabletop games in your browser and in your terminal, with people and bots.\n\n"
    "`samovar` alone starts the site. Example: `samovar play GAME`",
    add_completion=False,
    pretty_exceptions_enable=False,
)
puzzles = typer.Typer(help="Make puzzles: positions in which one move is clearly best.")


def main() -> None:
    """Errors that a caller can mend are told in one sentence; nothing else is caught."""
    heed_interrupts()
    tell_compiling()
    try:
        app()
    except SamovarError as error:
        print(f"samovar: {error}", file=sys.stderr)
        sys.exit(2)
    except SystemExit as end:
        # Typer makes an exit of an interrupt to which the command had nothing to say itself.
        if isinstance(getattr(end.__context__, "__cause__", None), KeyboardInterrupt):
            print("samovar: interrupted.", file=sys.stderr)
        raise
    except BrokenPipeError:  # the reader of a pipe has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)


@app.callback(invoke_without_command=True)
def usual(context: typer.Context) -> None:
    """Without a command: the site."""
    if context.invoked_subcommand is None:
        serve()


@puzzles.callback()
def about_puzzles() -> None:
    """Make puzzles: positions in which one move is clearly best."""


# In the order of `samovar --help`. Options that a command does not know are those of the game.
OF_THE_GAME_TOO = {"allow_extra_args": True, "ignore_unknown_options": True}
app.command()(serve)
app.command()(backup)
app.command()(restore)
app.command()(copy)
app.command()(check)
app.command()(sit)
app.command()(verify)
app.command()(games)
app.command()(rules)
app.command()(new)
app.command(context_settings=OF_THE_GAME_TOO)(play)
app.command()(replay)
app.command()(review)
app.add_typer(puzzles, name="puzzles")
puzzles.command("make", context_settings=OF_THE_GAME_TOO)(make_puzzles)
app.command(context_settings=OF_THE_GAME_TOO)(arena)
app.command(context_settings={"ignore_unknown_options": True})(lab)  # the first of its words are games
app.command(context_settings=OF_THE_GAME_TOO)(exploit)
app.command(context_settings=OF_THE_GAME_TOO)(dataset)
app.command()(learn)
app.command()(wasm)
app.command()(bench)
