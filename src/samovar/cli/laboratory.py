"""The command that measures what a game is like."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from samovar.engine.contract import Game, Value
from samovar.engine.registry import find_game
from samovar.errors import BadLab, BadOption, SamovarError, UnknownOption, nearest
from samovar.json_types import JsonObject
from samovar.language.languages import check_language

from .shared import (
    JsonOption,
    LanguageOption,
    PageOption,
    RayOption,
    SeatsOption,
    WorkersOption,
    check_writable,
    dashed,
    flags,
    language_of_terminal,
    make_console,
    parse_options,
    working,
)

AIMED_MATCHES, AIMED_BY_CHANCE = 600, 100_000  # of the variants that are left at the end, with --aim

if TYPE_CHECKING:
    from samovar.lab.order import LabOrder
    from samovar.lab.run import Findings
    from samovar.lab.telling import ToldFindings


def lab(
    words: Annotated[list[str], typer.Argument(metavar="GAME...", help="Ids of games, then options of theirs.")],
    seats: SeatsOption = None,
    vary: Annotated[
        list[str] | None,
        typer.Option(metavar="OPTION=A,B", help="Compare these values of an option. Can be repeated."),
    ] = None,
    players: Annotated[
        str, typer.Option(help="Bots from weak to strong, with commas. Matches of the last one are studied.")
    ] = "random,easy,medium",
    matches: Annotated[int | None, typer.Option(help="Matches between bots, each time. Default: 100.")] = None,
    seconds: Annotated[float | None, typer.Option(help="Play for this time instead.")] = None,
    random: Annotated[int, typer.Option(help="Matches of random moves; 0 for none.")] = 100_000,
    seed: Annotated[int, typer.Option(help="The same seed and matches give the same figures.")] = 0,
    pace: Annotated[float, typer.Option(help="Seconds that people need for a turn.")] = 15.0,
    as_json: JsonOption = False,
    html: PageOption = None,
    svg: Annotated[Path | None, typer.Option(metavar="FOLDER", help="Also write the plots as files.")] = None,
    records: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Keep remarkable matches, to look at with `samovar replay`.")
    ] = None,
    workers: WorkersOption = None,
    aim: Annotated[
        str,
        typer.Option(metavar="AIMS", help="Search for options: 'first=50±1, length=40..60, skill>=3'. Needs --over."),
    ] = "",
    over: Annotated[
        list[str] | None,
        typer.Option(metavar="OPTION=A..B", help="With --aim: search these values, A..B or A,B. Can be repeated."),
    ] = None,
    device: Annotated[Literal["cpu", "cuda"], typer.Option(help="Where to play the random matches.")] = "cpu",
    ray: RayOption = None,
    lang: LanguageOption = "",
) -> None:
    """Measure what a game is like, and what a rule does to it.

    Every figure says how sure it is. Press Ctrl+C to stop and see what was measured.

    Example: `samovar lab memoarrrr --vary expert=false,true --html lab.html`"""
    from samovar.lab.order import USUAL_MATCHES, make_order
    from samovar.lab.report import show, to_json
    from samovar.lab.telling import ToldFindings

    if matches is not None and seconds is not None:
        raise BadLab("Say how many matches or how many seconds, not both.")
    names = list(takewhile(lambda word: not word.startswith("-"), words))
    if not names:
        raise BadLab(f"Name the game before its options: samovar lab GAME {words[0]}.")
    language = check_language(lang or language_of_terminal())
    if aim or over:
        if len(names) > 1 or vary or seconds is not None or html or svg or records or ray or device != "cpu":
            raise BadLab("--aim and --over go with one game, --seats, --players, --matches, --seed and --json alone.")
        _propose(names[0], words[1:], seats, aim, over or [], players, matches, seed, workers, language, as_json)
        return
    outputs = LabOutputs(html, svg, records)
    reports: list[JsonObject] = []
    code = 0
    for name in names:
        own = outputs.of_game(name) if len(names) > 1 else outputs
        try:
            own.check()
            game = find_game(name)
            order = make_order(
                game, seats, parse_options(game, words[len(names) :]), parse_vary(game, vary or ()),
                [player.strip() for player in players.split(",") if player.strip()],
                random=random, matches=USUAL_MATCHES if matches is None else matches, seconds=seconds, seed=seed,
                pace=pace, device=device, cluster=ray, workers=workers,
            )  # fmt: skip
            findings, is_stopped = _measure(order, language)
            telling = ToldFindings(findings, language)
            own.write(telling)
        except Exception as error:  # whatever is wrong with one of several games, the others are measured
            if len(names) == 1:
                raise
            code = 2
            reports.append({"game": name, "error": str(error)})
            print(f"samovar: {name}: {error if isinstance(error, SamovarError) else repr(error)}", file=sys.stderr)
            continue
        if as_json:
            reports.append(to_json(findings, records))
        else:
            show(telling, make_console(), records)
        if is_stopped:
            code = 130
            break
    if as_json:
        print(json.dumps(reports[0] if len(names) == 1 else {"games": reports}))
    if code:
        raise typer.Exit(code)


def _propose(
    name: str, words: list[str], seats: int | None, aim: str, over: list[str], players: str, matches: int | None,
    seed: int, workers: int | None, language: str, as_json: bool,
) -> None:  # fmt: skip
    """Searches the options of one game."""
    from samovar.lab.aims import read_aims
    from samovar.lab.order import RANDOM, make_order
    from samovar.lab.propose import MOST_PROPOSED, propose
    from samovar.lab.propose_report import proposal_json, told_proposal

    game = find_game(name)
    if not over:
        raise BadLab(f"Say which options to search: --over OPTION=A..B. {game.name} has {flags(game)}.")
    aims = read_aims(aim)
    bots = [player.strip() for player in players.split(",") if player.strip()]
    usual = AIMED_BY_CHANCE if set(bots) == {RANDOM} else AIMED_MATCHES
    order = make_order(
        game, seats, parse_options(game, words), parse_vary(game, over), bots,
        random=1, matches=usual if matches is None else matches, seed=seed, workers=workers, most=MOST_PROPOSED,
    )  # fmt: skip
    with working(f"{game.name}: searching") as tell:
        proposal = propose(order, aims, lambda left, deals: tell(f"{game.name}: {left} variants, {deals} deals each"))
    if as_json:
        print(json.dumps(proposal_json(proposal)))
        return
    for line in told_proposal(proposal, language):
        print(line)


@dataclass(frozen=True)
class LabOutputs:
    """What the lab writes beside its report."""

    html: Path | None
    svg: Path | None
    records: Path | None

    def of_game(self, game: str) -> LabOutputs:
        """One of several: its own page and plots. Records have the game in their names."""
        page = self.html and self.html.with_name(f"{self.html.stem}-{game}{self.html.suffix}")
        return LabOutputs(page, self.svg and self.svg / game, self.records)

    def check(self) -> None:
        if self.html is not None:
            check_writable(self.html, BadLab)
        for flag, folder in (("--svg", self.svg), ("--records", self.records)):
            if folder is not None:
                try:
                    folder.mkdir(parents=True, exist_ok=True)
                except OSError as error:
                    raise BadLab(f"The folder {str(folder)!r} cannot be made: {error}. Give another {flag}.") from error

    def write(self, telling: ToldFindings) -> None:
        from samovar.lab.page import write_page, write_plots
        from samovar.lab.report import write_records

        if self.records is not None:
            write_records(telling.findings, self.records)
        if self.html is not None:
            write_page(telling, self.html, self.records)
        if self.svg is not None:
            write_plots(telling, self.svg)


def _measure(order: LabOrder, language: str) -> tuple[Findings, bool]:
    """What was found, and whether somebody stopped it."""
    from samovar.lab.run import measuring

    with closing(measuring(order)) as found:
        findings = next(found)
        try:
            with _live(language) as look:
                for findings in found:
                    look(findings)
        except KeyboardInterrupt:
            return findings, True
    return findings, False


@contextmanager
def _live(language: str) -> Iterator[Callable[[Findings], None]]:
    """The figures so far, where somebody is looking: their margins shrink."""
    if not sys.stderr.isatty():
        yield lambda findings: None
        return
    from rich.console import Console
    from rich.live import Live

    from samovar.lab.report import so_far
    from samovar.lab.telling import ToldFindings

    with Live(console=Console(stderr=True), auto_refresh=False, transient=True, vertical_overflow="crop") as live:
        yield lambda findings: live.update(so_far(ToldFindings(findings, language)), refresh=True)


def parse_vary(game: Game, texts: Sequence[str]) -> dict[str, list[Value]]:
    """`long_columns=extend,cap` as values of the game's options; the order checks them."""
    by_flag = {dashed(option.name): option for option in game.options}
    values: dict[str, list[Value]] = {}
    for text in texts:
        name, equals, typed = text.removeprefix("--").partition("=")
        option = by_flag.get(dashed(name))
        if option is None:
            hint = nearest(dashed(name), by_flag)
            raise UnknownOption(f"{game.name} has no option {name!r} to vary.{hint} Its options: {flags(game)}.")
        if not equals:
            raise BadOption(
                f"Say which values of {name!r} to compare: --vary {name}=A,B. It takes {option.describe()}."
            )
        for word in _stretched(typed):
            values.setdefault(option.name, []).append(option.parse(word))
    return values


def _stretched(typed: str) -> list[str]:
    """`1..3,7` as 1, 2, 3 and 7."""
    words: list[str] = []
    for word in typed.split(","):
        low, dots, high = word.strip().partition("..")
        if dots and low.isdigit() and high.isdigit():
            words += map(str, range(int(low), int(high) + 1))
        else:
            words.append(word.strip())
    return words
