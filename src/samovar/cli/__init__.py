"""The command line: `samovar serve | backup | restore | copy | check | admin | sit | mcp | games | rules | play |
replay | review | puzzles | verify | new | dev | arena | judge | lab | dataset | exploit | learn | wasm | site |
compile | bench`; `samovar` alone serves. Options of a game are options of `play`, `puzzles`, `arena`, `judge`,
`lab` and `dataset`: `--expert`."""

from __future__ import annotations

import os
import sys
from typing import Annotated, Any

import typer

from samovar.errors import SamovarError

from .administering import ADMINISTERING
from .authoring import dev
from .insight import make_puzzles, review
from .interruption import heed_interrupts
from .keeping import backup, check, copy, invite, restore
from .laboratory import lab
from .machines import bench, compile_games, learn, site, wasm
from .settings import SettingsCommand
from .shared import forgive_encodings, parse_options, tell_compiling
from .tables import games, mcp, new, play, replay, rules, serve, sit, verify
from .tournaments import arena, dataset, exploit, judge

__all__ = ["app", "main", "parse_options", "serve"]

app = typer.Typer(
    help="Play tabletop games in your browser and in your terminal, with people and bots.\n\n"
    "`samovar` alone starts the site. Example: `samovar play GAME`",
    pretty_exceptions_enable=False,
)
admin = typer.Typer(help="Keep a site: who comes in, what is going on, and what owners do.")
puzzles = typer.Typer(help="Make puzzles: positions in which one move is clearly best.")


def main() -> None:
    """Errors that a caller can mend are told in one sentence; nothing else is caught."""
    heed_interrupts()
    forgive_encodings()
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
    except OSError as error:
        if "--install-completion" not in sys.argv:
            raise
        print(
            f"samovar: {error.filename!r} cannot be written: {error.strerror}. See --show-completion.", file=sys.stderr
        )
        sys.exit(2)


def tell_version(wanted: bool) -> None:
    if wanted:
        from samovar.engine.installed import own_version

        print(f"samovar {own_version()}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def usual(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=tell_version, help="Show the version and exit.")
    ] = False,
) -> None:
    """Without a command: the site."""
    if context.invoked_subcommand is None:
        group: Any = context.command
        command = group.commands["serve"]
        with command.make_context("serve", [], parent=context) as own:  # reads the environment, as `samovar serve` does
            command.invoke(own)


@admin.callback()
def about_admin() -> None:
    """Keep a site: who comes in, what is going on, and what owners do."""


@puzzles.callback()
def about_puzzles() -> None:
    """Make puzzles: positions in which one move is clearly best."""


# In the order of `samovar --help`. Options that a command does not know are those of the game.
OF_THE_GAME_TOO = {"allow_extra_args": True, "ignore_unknown_options": True}
app.command(cls=SettingsCommand)(serve)
app.command()(backup)
app.command()(restore)
app.command()(copy)
app.command()(check)
app.add_typer(admin, name="admin")
admin.command("invite")(invite)
for task in ADMINISTERING:
    admin.command(context_settings={"ignore_unknown_options": True})(task)  # older ids may begin with a hyphen
app.command()(sit)
app.command()(mcp)
app.command()(verify)
app.command()(games)
app.command()(rules)
app.command()(new)
app.command()(dev)
app.command(context_settings=OF_THE_GAME_TOO)(play)
app.command()(replay)
app.command()(review)
app.add_typer(puzzles, name="puzzles")
puzzles.command("make", context_settings=OF_THE_GAME_TOO)(make_puzzles)
app.command(context_settings=OF_THE_GAME_TOO)(arena)
app.command(context_settings=OF_THE_GAME_TOO)(judge)
app.command(context_settings={"ignore_unknown_options": True})(lab)  # the first of its words are games
app.command(context_settings=OF_THE_GAME_TOO)(exploit)
app.command(context_settings=OF_THE_GAME_TOO)(dataset)
app.command()(learn)
app.command()(wasm)
app.command()(site)
app.command("compile")(compile_games)
app.command()(bench)
