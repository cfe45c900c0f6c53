"""Commands that look at positions and at what was played."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from samovar.engine.registry import find_game
from samovar.errors import BadReview
from samovar.language.languages import check_language

from .shared import LanguageOption, check_writable, language_of_terminal, make_console, parse_options, progress_bar


def review(
    file: Path,
    seconds: Annotated[float | None, typer.Option(help="How long to think about it; 6 by default.", min=0)] = None,
    seed: Annotated[int, typer.Option(help="Of the worlds that are imagined.", min=0)] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
    html: Annotated[Path | None, typer.Option(help="Write the review as a page, too.")] = None,
    lang: LanguageOption = "",
) -> None:
    """Says what a finished match turned on: what was choice, what was luck, and the moments that
    decided it."""
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
        write_page(telling, html)
    if as_json:
        print(json.dumps(to_json(telling)))
    else:
        show(telling, make_console())


def make_puzzles(
    context: typer.Context,
    game: Annotated[str, typer.Argument(help="The game's id.")],
    count: Annotated[int, typer.Option(help="How many.", min=1)] = 100,
    seats: Annotated[
        int | None, typer.Option(help="For how many players; mostly for the fewest by default, some for more.")
    ] = None,
    seed: Annotated[int, typer.Option(help="The same seed finds the same puzzles.", min=0)] = 0,
    seconds: Annotated[float | None, typer.Option(help="Stop after so long, with what was found.")] = None,
    bots: Annotated[str, typer.Option(help="Who plays; they should be strong, and quick.")] = "search:1000",
    file: Annotated[Path | None, typer.Option(help="Where they go; GAME-puzzles.jsonl by default.")] = None,
) -> None:
    """Finds puzzles in matches between strong bots. Ctrl+C stops it and keeps what was found. Options of
    the game: see `samovar games`."""
    from samovar.teach.puzzle_maker import making, write_puzzles

    rules = find_game(game)
    path = file or Path(f"{rules.id}-puzzles.jsonl")
    options = parse_options(rules, context.args)
    found = making(rules, count=count, seats=seats, seed=seed, seconds=seconds, bots=bots, options=options)
    written = 0
    try:
        with progress_bar() as progress:
            for written in write_puzzles(path, rules, found):
                progress(written, count)
    except KeyboardInterrupt:
        pass
    print(f"{written} puzzles of {rules.name} are in {path}.")
