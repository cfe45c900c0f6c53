"""Commands that have bots play against each other."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from samovar.engine.registry import find_game
from samovar.errors import BadTournament

from .shared import check_writable, make_console, parse_options, progress_bar


def arena(
    context: typer.Context,
    game: Annotated[str, typer.Argument(help="The game's id.")],
    bots: Annotated[str, typer.Option(help="The bots, with commas between them; one may be named several times.")],
    seats: Annotated[int | None, typer.Option(help="For how many players; the fewest by default.")] = None,
    matches: Annotated[
        int, typer.Option(help="How many matches; rounded up, so that every bot has every seat of every deal.")
    ] = 100,
    seed: Annotated[int, typer.Option(help="The same seed gives the same tournament.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
    html: Annotated[Path | None, typer.Option(help="Write the report as a page, too.")] = None,
    file: Annotated[Path | None, typer.Option(help="Keep the outcomes in this file.")] = None,
    records: Annotated[Path | None, typer.Option(help="Keep the records of the matches in this folder.")] = None,
    workers: Annotated[
        int | None, typer.Option(help="How many matches at a time; one for each core by default.")
    ] = None,
    move_limit: Annotated[float, typer.Option(help="Seconds for a move; who takes longer forfeits the match.")] = 10.0,
    ray: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Play on a Ray cluster: HOST:PORT, ray://HOST:PORT, auto or local."),
    ] = None,
) -> None:
    """Has bots play a tournament and rates them. Interrupted, the same command goes on. Options of
    the game: see `samovar games`."""
    from samovar.arena.outcome import Tournament
    from samovar.arena.page import write_page
    from samovar.arena.ratings import standings
    from samovar.arena.report import show, to_json
    from samovar.arena.store import file_name
    from samovar.arena.tournament import check, run
    from samovar.cli.terminal import saves_folder

    played = find_game(game)
    names = tuple(name.strip() for name in bots.split(","))
    tournament = Tournament(
        game, names, played.seats[0] if seats is None else seats, matches, seed, parse_options(played, context.args)
    )
    check(tournament)
    if html is not None:
        check_writable(html, BadTournament)
    kept = file or saves_folder().parent / "arena" / file_name(tournament)
    try:
        with progress_bar() as progress:
            outcomes = run(
                tournament,
                file=kept,
                workers=workers,
                move_limit=move_limit,
                records=records,
                progress=progress,
                cluster=ray,
            )
    except KeyboardInterrupt:
        print(f"Interrupted. What was played is in {kept}; the same command goes on from there.", file=sys.stderr)
        raise typer.Exit(130) from None
    result = standings(tournament, outcomes)
    if html is not None:
        write_page(result, html)
    if as_json:
        print(json.dumps(to_json(result)))
    else:
        show(result, make_console())
    if file is None:
        kept.unlink(missing_ok=True)


def exploit(
    context: typer.Context,
    game: Annotated[
        str, typer.Argument(help="The game's id, or that of a small member of it, as `samovar games` lists them.")
    ],
    bot: Annotated[str, typer.Option(help="Whom the best answer is to; without one: how good best play is.")] = "",
    seats: Annotated[int | None, typer.Option(help="For how many players; the fewest by default.")] = None,
    exact: Annotated[
        bool | None,
        typer.Option(
            "--exact/--bound", help="Look at the whole game, or play matches; by default the whole of small members."
        ),
    ] = None,
    answers: Annotated[
        int, typer.Option(help="Exact: how often the bot is asked whenever it has a choice.", min=1)
    ] = 16,
    rounds: Annotated[int, typer.Option(help="Exact, without a bot: for how long best play is learned.", min=1)] = 1000,
    matches: Annotated[
        int, typer.Option(help="Bound: how many matches; rounded up to the same number in every seat.", min=1)
    ] = 100,
    seed: Annotated[int, typer.Option(help="The same seed gives the same result.", min=0)] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> None:
    """Says how much the best answer to a bot gains: exactly on small members of a game, at least so
    much on others. Options of the game: see `samovar games`."""
    from samovar.solver.report import SolverQuestion, answer, show

    played = find_game(game)
    asked = SolverQuestion(played, bot, seats, parse_options(played, context.args), answers, rounds, matches, seed)
    with progress_bar() as progress:
        found = answer(asked, exact, progress)
    if as_json:
        print(json.dumps(found))
    else:
        show(found, make_console())


def dataset(
    context: typer.Context,
    game: Annotated[str, typer.Argument(help="The game's id.")],
    bots: Annotated[str, typer.Option(help="The bots, with commas between them; one alone sits in all seats.")],
    out: Annotated[Path, typer.Option(help="A new folder for the files and their card.")],
    seats: Annotated[int | None, typer.Option(help="For how many players; the fewest by default.")] = None,
    matches: Annotated[int, typer.Option(help="How many matches, each with a deal of its own.")] = 1000,
    seed: Annotated[int, typer.Option(help="The same seed gives the same files.")] = 0,
    arrays: Annotated[
        bool, typer.Option("--arrays", help="Observations, legal moves and moves as NumPy arrays, not records.")
    ] = False,
    workers: Annotated[
        int | None, typer.Option(help="How many matches at a time; one for each core by default.")
    ] = None,
    move_limit: Annotated[float, typer.Option(help="Seconds for a move; a match with a later one is left out.")] = 10.0,
) -> None:
    """Writes a data set of matches between bots, with a card that says what it is. Options of the
    game: see `samovar games`."""
    from samovar.arena.dataset import CARD, make_dataset
    from samovar.arena.outcome import Tournament

    played = find_game(game)
    count = played.seats[0] if seats is None else seats
    names = tuple(name.strip() for name in bots.split(","))
    order = Tournament(
        game, names * count if len(names) == 1 else names, count, matches, seed, parse_options(played, context.args)
    )
    try:
        with progress_bar() as progress:
            written = make_dataset(order, out, arrays=arrays, workers=workers, move_limit=move_limit, progress=progress)
    except KeyboardInterrupt:
        print(f"Interrupted. The matches that were done are in {out}, as {out / CARD} says.", file=sys.stderr)
        raise typer.Exit(130) from None
    print(f"{written.matches:,} matches with {written.decisions:,} decisions are in {out}; {out / CARD} explains them.")
