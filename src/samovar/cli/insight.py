"""Commands that look at positions and at what was played."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from samovar.engine.registry import find_game
from samovar.errors import BadReview
from samovar.language.languages import check_language

from .shared import (
    GameArgument,
    JsonOption,
    LanguageOption,
    PageOption,
    check_writable,
    language_of_terminal,
    make_console,
    parse_options,
    progress_bar,
)


def review(
    file: Annotated[Path, typer.Argument(help="The record of a finished game.")],
    seconds: Annotated[float | None, typer.Option(help="Time to think. Default: 8.", min=0)] = None,
    seed: Annotated[int, typer.Option(help="The seed for imagined worlds.", min=0)] = 0,
    as_json: JsonOption = False,
    html: PageOption = None,
    lang: LanguageOption = "",
) -> None:
    """Review a finished match: choices, luck and the moments that decided it.

    Example: `samovar review match.json --html review.html`"""
    from samovar.engine.records.record import read_record
    from samovar.insight.page import write_page
    from samovar.insight.report import Telling, names_of, show, to_json
    from samovar.insight.review import reviewing

    language = check_language(lang or language_of_terminal())
    record = read_record(file)
    if html is not None:
        check_writable(html, BadReview)
    with progress_bar() as progress:
        for found in reviewing(record, seconds=seconds, seed=seed):
            progress(round(100 * found.done), 100)
    telling = Telling(found, names_of(record, language), language)
    if html is not None:
        from samovar.web.drawing.moments import draw_alone

        write_page(telling, html, draw_alone)
    if as_json:
        print(json.dumps(to_json(telling)))
    else:
        show(telling, make_console())


def make_puzzles(
    context: typer.Context,
    game: GameArgument,
    count: Annotated[int, typer.Option(help="Number of puzzles to find.", min=1)] = 100,
    seats: Annotated[
        int | None, typer.Option(help="Number of players. Default: mostly the fewest, sometimes more.")
    ] = None,
    seed: Annotated[int, typer.Option(help="The same seed finds the same puzzles.", min=0)] = 0,
    seconds: Annotated[float | None, typer.Option(help="Stop after this time and keep what was found.")] = None,
    bots: Annotated[
        str, typer.Option(help="The bot that plays the matches. Take a strong, quick one.")
    ] = "search:1000",
    file: Annotated[Path | None, typer.Option(help="The file to write. Default: GAME-puzzles.jsonl.")] = None,
) -> None:
    """Find puzzles in matches between strong bots.

    Press Ctrl+C to stop and keep what was found. Options of the game work here, too.

    Example: `samovar puzzles make memoarrrr --count 20`"""
    from samovar.teach.puzzle_maker import making, write_puzzles

    rules = find_game(game)
    path = file or Path(f"{rules.id}-puzzles.jsonl")
    options = parse_options(rules, context.args, context)
    found = making(rules, count=count, seats=seats, seed=seed, seconds=seconds, bots=bots, options=options)
    written = 0
    try:
        with progress_bar() as progress:
            for written in write_puzzles(path, rules, found):
                progress(written, count)
    except KeyboardInterrupt:
        pass
    print(f"{written} puzzles of {rules.name} are in {path}.")
