"""Commands that have bots play against each other."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from samovar.bots.registry import is_ours
from samovar.engine.registry import find_game
from samovar.errors import BadTournament
from samovar.processes import CAN_HIDE_MEMORY

from .interruption import INTERRUPTED
from .shared import (
    GameArgument,
    JsonOption,
    PageOption,
    RayOption,
    SeatsOption,
    WorkersOption,
    check_writable,
    make_console,
    parse_options,
    progress_bar,
    working,
)


def arena(
    context: typer.Context,
    game: GameArgument,
    bots: Annotated[str, typer.Option(help="Bots, with commas between them. A bot can be named twice.")],
    seats: SeatsOption = None,
    matches: Annotated[
        int, typer.Option(help="Number of matches, rounded up: every bot plays every deal as every player.")
    ] = 100,
    seed: Annotated[int, typer.Option(help="The same seed gives the same tournament.")] = 0,
    as_json: JsonOption = False,
    html: PageOption = None,
    file: Annotated[Path | None, typer.Option(help="Keep the outcomes in this file.")] = None,
    records: Annotated[Path | None, typer.Option(help="Keep the records of the matches in this folder.")] = None,
    workers: WorkersOption = None,
    move_limit: Annotated[float, typer.Option(help="Seconds for a move. A slower bot forfeits the match.")] = 10.0,
    ray: RayOption = None,
) -> None:
    """Play a tournament between bots, and rate them.

    If it is interrupted, the same command goes on. Options of the game work here, too.

    Example: `samovar arena memoarrrr --bots expert,hard --matches 200 --expert`"""
    from samovar.arena.outcome import Tournament
    from samovar.arena.page import write_page
    from samovar.arena.ratings import standings
    from samovar.arena.report import show, to_json
    from samovar.arena.store import file_name, outcomes_in
    from samovar.arena.tournament import check, run
    from samovar.cli.terminal import saves_folder

    played = find_game(game)
    names = tuple(name.strip() for name in bots.split(","))
    tournament = Tournament(
        game,
        names,
        played.seats[0] if seats is None else seats,
        matches,
        seed,
        parse_options(played, context.args, context),
    )
    check(tournament)
    tell_trust(names)
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
        if not as_json and (outcomes := outcomes_in(kept, tournament)):  # programs must not take it for the whole
            show(standings(tournament, outcomes), make_console())
        print(f"Interrupted. What was played is in {kept}; the same command goes on from there.", file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None
    result = standings(tournament, outcomes)
    if html is not None:
        write_page(result, html)
    if as_json:
        print(json.dumps(to_json(result)))
    else:
        show(result, make_console())
    if file is None:
        kept.unlink(missing_ok=True)


def judge(
    context: typer.Context,
    game: GameArgument,
    model: Annotated[
        str,
        typer.Option(
            help="A program that reads a question and writes a move, or the address of a server of models that "
            "understands chat completions. A key is read from SAMOVAR_MODEL_KEY."
        ),
    ],
    model_name: Annotated[str, typer.Option(help="Which model of that server.")] = "default",
    seats: SeatsOption = None,
    matches: Annotated[int, typer.Option(help="Matches at most. It ends earlier when its place is sure.")] = 200,
    seed: Annotated[int, typer.Option(help="The same seed deals the same cards.")] = 0,
    tries: Annotated[int, typer.Option(help="How often it is asked again after an illegal move.")] = 3,
    reviews: Annotated[int, typer.Option(help="Matches to look at for what its choices cost.")] = 4,
    move_limit: Annotated[float, typer.Option(help="Seconds for an answer.")] = 120.0,
    as_json: JsonOption = False,
    file: Annotated[Path | None, typer.Option(help="Write what is known after each deal into this file.")] = None,
) -> None:
    """Find out how strong a language model is, in points beside the levels of bots.

    It plays each deal once as every player. Options of the game work here, too.

    Example: `samovar judge memoarrrr --model http://localhost:11434/v1 --model-name llama --expert`"""
    from samovar.models.asked import model_at
    from samovar.models.judge import JudgeOrder, judging
    from samovar.models.judge_report import progress_line, show_verdict, verdict_json

    played = find_game(game)
    count = played.check_seats(played.seats[0] if seats is None else seats)
    options = played.check_options(count, parse_options(played, context.args, context))
    order = JudgeOrder(played, count, options, seed, matches, tries, reviews)
    if file is not None:
        check_writable(file, BadTournament)
    verdict, was_interrupted = None, False
    try:
        for verdict in judging(order, model_at(model, model_name, move_limit)):
            if file is not None:
                file.write_text(json.dumps(verdict_json(verdict, order)) + "\n", encoding="utf-8")
            if not verdict.phases:
                print(progress_line(verdict), file=sys.stderr)
    except KeyboardInterrupt:
        was_interrupted = True
    if verdict is not None:
        if as_json:
            print(json.dumps(verdict_json(verdict, order)))
        else:
            show_verdict(verdict, order, make_console())
    if was_interrupted:
        print("Interrupted. This is what was found by then.", file=sys.stderr)
        raise typer.Exit(INTERRUPTED)


def tell_trust(names: tuple[str, ...]) -> None:
    """The deal is in the memory of another process of the same user, which only Linux can hide."""
    strangers = [name for name in names if name.startswith("program:") or not is_ours(name.partition(":")[0])]
    if strangers and not CAN_HIDE_MEMORY:
        print(
            f"samovar: this system cannot hide the deals from other programs of yours. Trust {', '.join(strangers)}, "
            "or play on Linux.",
            file=sys.stderr,
        )


def exploit(
    context: typer.Context,
    game: Annotated[
        str, typer.Argument(help="The id of a game, or of a small member of it; `samovar games` lists both.")
    ],
    bot: Annotated[str, typer.Option(help="The bot to answer. Without one, the command measures best play.")] = "",
    seats: SeatsOption = None,
    exact: Annotated[
        bool | None,
        typer.Option(
            "--exact/--bound", help="Search the whole game, or play matches. Default: --exact for small members."
        ),
    ] = None,
    answers: Annotated[int, typer.Option(help="With --exact: how often to ask the bot at every choice.", min=1)] = 16,
    rounds: Annotated[int, typer.Option(help="With --exact and no bot: rounds of learning best play.", min=1)] = 1000,
    matches: Annotated[
        int,
        typer.Option(help="With --bound: number of matches, rounded up to the same number for every player.", min=1),
    ] = 100,
    seed: Annotated[int, typer.Option(help="The same seed gives the same result.", min=0)] = 0,
    as_json: JsonOption = False,
) -> None:
    """Measure how much the best answer to a bot gains.

    The result is exact for small members of a game, and a lower bound for others. Options of the game work here, too.

    Example: `samovar exploit matryoshka_tiny --bot greedy`"""
    from samovar.solver.report import SolverQuestion, answer, show

    played = find_game(game)
    asked = SolverQuestion(
        played, bot, seats, parse_options(played, context.args, context), answers, rounds, matches, seed
    )
    with working(f"{played.name}: preparing") as tell:
        found = answer(asked, exact, tell)
    if as_json:
        print(json.dumps(found))
    else:
        show(found, make_console())
    if found["interrupted"]:
        print("Interrupted. This is what was found by then.", file=sys.stderr)
        raise typer.Exit(INTERRUPTED)


def dataset(
    context: typer.Context,
    game: GameArgument,
    bots: Annotated[str, typer.Option(help="Bots, with commas between them. One bot alone plays for everybody.")],
    out: Annotated[Path, typer.Option(help="A new folder for the files and their card.")],
    seats: SeatsOption = None,
    matches: Annotated[int, typer.Option(help="Number of matches, each with its own deal.")] = 1000,
    seed: Annotated[int, typer.Option(help="The same seed gives the same files.")] = 0,
    format: Annotated[
        str,
        typer.Option(
            help="records (JSON, to be replayed), arrays (NumPy: observations and moves), parquet (the same as a "
            "table), or minari."
        ),
    ] = "records",
    arrays: Annotated[bool, typer.Option("--arrays", help="The same as --format arrays.")] = False,
    workers: WorkersOption = None,
    move_limit: Annotated[
        float, typer.Option(help="Seconds for a move. A match with a slower one is left out.")
    ] = 10.0,
) -> None:
    """Write a data set of matches between bots, with a card that explains it.

    Options of the game work here, too.

    Example: `samovar dataset memoarrrr --bots hard --matches 1000 --out data`"""
    from samovar.arena.dataset import CARD, make_dataset
    from samovar.arena.outcome import Tournament

    played = find_game(game)
    count = played.seats[0] if seats is None else seats
    names = tuple(name.strip() for name in bots.split(","))
    order = Tournament(
        game,
        names * count if len(names) == 1 else names,
        count,
        matches,
        seed,
        parse_options(played, context.args, context),
    )
    try:
        with progress_bar() as progress:
            written = make_dataset(
                order,
                out,
                format="arrays" if arrays else format,
                workers=workers,
                move_limit=move_limit,
                progress=progress,
            )
    except KeyboardInterrupt:
        print(f"Interrupted. The matches that were done are in {out}, as {out / CARD} says.", file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None
    print(f"{written.matches:,} matches with {written.decisions:,} decisions are in {out}; {out / CARD} explains them.")
