"""The command line: `samovar serve | sit | games | rules | play | replay | review | puzzles | verify |
new | arena | lab | dataset | exploit | learn | wasm | bench`; `samovar` alone serves. Options of a game are options of
`play`, `puzzles`, `arena`, `lab` and `dataset`: `--expert`."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from samovar.engine.contract import Game, Value
from samovar.engine.members import members_of
from samovar.engine.registry import find_game, game_ids
from samovar.errors import (
    BadLab,
    BadOption,
    BadReview,
    BadTournament,
    BrokenGame,
    SamovarError,
    UnknownOption,
    needs_unix,
)
from samovar.json_types import JsonObject
from samovar.languages import ENGLISH, LANGUAGES, check_language, option_help, words_in

if TYPE_CHECKING:
    from rich.console import Console

    from samovar.lab.order import Order
    from samovar.lab.run import Findings

app = typer.Typer(
    help="A table for four tabletop games, in your browser and in your terminal.",
    add_completion=False,
    pretty_exceptions_enable=False,
)
Language = Annotated[str, typer.Option("--lang", help=f"{', '.join(LANGUAGES)}; by default that of the terminal.")]


def main() -> None:
    """Errors that a caller can mend are told in one sentence; nothing else is caught."""
    try:
        app()
    except SamovarError as error:
        print(f"samovar: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:  # the reader of a pipe has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)


@app.callback(invoke_without_command=True)
def usual(context: typer.Context) -> None:
    """Without a command: the site."""
    if context.invoked_subcommand is None:
        serve()


@app.command()
def serve(
    port: Annotated[int, typer.Option(help="0: any that is free.", min=0, max=65535)] = 8080,
    host: Annotated[str, typer.Option(help="The address to listen at; 127.0.0.1 for this machine alone.")] = "0.0.0.0",
    browser: Annotated[bool, typer.Option(help="Open the site in a browser.")] = True,
    data: Annotated[
        Path | None, typer.Option(help="The folder that keeps the tables; SAMOVAR_DATA or ~/.samovar by default.")
    ] = None,
    database: Annotated[
        str | None, typer.Option(metavar="URL", help="Keep them in PostgreSQL instead: postgresql+psycopg://...")
    ] = None,
    workers: Annotated[
        int, typer.Option(help="How many processes; more than one needs PostgreSQL.", min=1, max=64)
    ] = 1,
    public_url: Annotated[
        str, typer.Option(metavar="URL", help="Where everybody finds it: https://games.example.org.")
    ] = "",
    proxy: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ADDRESS", help="A proxy, or a network of them, that says for whom it asks; several are fine."
        ),
    ] = None,
    requests_per_minute: Annotated[
        int, typer.Option(help="How much one address may ask for; 0: as much as it likes.", min=0)
    ] = 1200,
    connections_per_address: Annotated[
        int, typer.Option(help="Open at a time, in one process; 0: as many as it likes.", min=0)
    ] = 200,
    streams_per_address: Annotated[
        int, typer.Option(help="Open at a time: a browser has one; 0: as many as it likes.", min=0)
    ] = 60,
    metrics_for: Annotated[
        Literal["here", "everybody"], typer.Option(help="Who may see /metrics; here: this machine alone.")
    ] = "here",
    mail_server: Annotated[
        str,
        typer.Option(
            metavar="URL",
            envvar="SAMOVAR_MAIL_SERVER",
            show_envvar=False,
            help="Sends letters: smtp://NAME:PASSWORD@HOST; SAMOVAR_MAIL_SERVER keeps the password out of sight.",
        ),
    ] = "",
    mail_sender: Annotated[
        str, typer.Option(metavar="ADDRESS", help="From whom letters come: samovar@games.example.org.")
    ] = "",
    contact: Annotated[
        str, typer.Option(metavar="URL", help="Where push services find you: mailto:you@example.org, or https://...")
    ] = "",
    call_private_addresses: Annotated[
        bool, typer.Option("--call-private-addresses", help="Visitors may be called at addresses of your own network.")
    ] = False,
    lab: Annotated[
        bool | None,
        typer.Option(
            "--lab/--no-lab",
            help="The lab for everybody, or for nobody; else for this machine alone, and not with --public-url or "
            "--proxy.",
        ),
    ] = None,
) -> None:
    """Starts the site: tables in the browser, for everybody in the same network."""
    from samovar.terminal import data_folder
    from samovar.web.serve import check_calls, database_in, lab_for, parse_proxies, parse_public_url
    from samovar.web.serve import serve as start

    settings = {
        "public_url": parse_public_url(public_url) if public_url else "",
        "proxies": parse_proxies(proxy or ()),
        "requests_per_minute": requests_per_minute,
        "connections_per_address": connections_per_address,
        "streams_per_address": streams_per_address,
        "open_metrics": metrics_for == "everybody",
        "mail_server": mail_server,
        "mail_sender": mail_sender,
        "contact": contact,
        "call_private": call_private_addresses,
        "lab_for": lab_for(lab, is_open=bool(public_url or proxy), workers=workers),
    }
    check_calls(public_url, mail_server, mail_sender, contact)
    start(database or database_in(data or data_folder()), host, port, workers=workers, browser=browser, **settings)


@app.command()
def sit(
    url: Annotated[str, typer.Argument(help="The address of the table's page: http://localhost:8080/table/ID.")],
    program: Annotated[
        str,
        typer.Option(
            metavar="COMMAND", help="A program as in docs/writing-bots.md, as in a terminal: 'python3 my_bot.py'."
        ),
    ],
    name: Annotated[str, typer.Option(help="What the others see.")] = "Program",
    seat: Annotated[int | None, typer.Option(help="The first free one by default.")] = None,
    token: Annotated[str, typer.Option(help="Of a chair you have already, to come back to it.")] = "",
    stay: Annotated[bool, typer.Option("--stay", help="Play on when the others play again.")] = False,
) -> None:
    """Has a program sit down at a table of a site, here or elsewhere. Ctrl+C leaves its chair to a
    bot."""
    needs_unix("A program at a table")
    from samovar.guest import Guest

    Guest(url, program, print).play(name, seat, token, stay=stay)


@app.command()
def verify(
    file: Path,
    commitment: Annotated[
        str | None, typer.Option(help="What the table showed before the first move, if you wrote it down.")
    ] = None,
    nonce: Annotated[
        str | None, typer.Option(help="What your browser or program gave for the deal, if you wrote it down.")
    ] = None,
) -> None:
    """Checks that a record's deal is the one its table was committed to, and that its moves are
    legal."""
    from samovar.engine.fair import verify as check
    from samovar.engine.record import read_record

    record = read_record(file)
    match = check(record, commitment, nonce)
    makers = record["table"]["nonce_makers"] if "secret" in record["table"] else []
    console = _console()
    console.print(
        f"[green]Fair.[/green] {match.game.name}, {match.seats} players, {len(match.history)} moves, all of them "
        "legal. Proven:"
    )
    for line in _proven(makers, nonce):
        console.print(f"- {line}", markup=False)
    if gaps := _not_proven(makers, commitment, nonce, record["table"]["commitment"]):
        console.print(f"Not proven: {'; '.join(gaps)}.", markup=False)


def _proven(makers: list[str | None], nonce: str | None) -> list[str]:
    counts = {kind: makers.count(kind) for kind in ("browser", "program")}
    parts = " and ".join(f"{count} {kind}{'s' if count > 1 else ''}" for kind, count in counts.items() if count)
    return [
        "The deal was fixed before the first move: it is the one committed to.",
        *([f"{parts} had a part in it."] if parts else []),
        *(["Your nonce is in it."] if nonce else []),
    ]


def _not_proven(makers: list[str | None], commitment: str | None, nonce: str | None, shown: str) -> list[str]:
    """What is left to trust in, or for the reader to compare."""
    of_server = [f"player {seat}" for seat, maker in enumerate(makers, 1) if maker == "server"]
    gaps = (
        []
        if commitment
        else [f"that the table showed this commitment at the beginning, see --commitment: {shown.strip().lower()}"]
    )
    if not any(makers):
        return [*gaps, "that the operator did not choose the deal, in which no player had a part"]
    if not nonce:
        gaps.append("that your own nonce is in it, see --nonce")
    if of_server:
        gaps.append(f"that the operator did not try deals, as the server made the nonce of {' and '.join(of_server)}")
    return gaps


@app.command()
def games() -> None:
    """Lists the games, their seats and their options."""
    console = _console()
    for game_id in game_ids():
        try:
            game = find_game(game_id)
        except BrokenGame as error:
            console.print(f"{game_id}  {error}", style="red", markup=False)
            continue
        seats = ", ".join(map(str, game.seats))
        console.print(f"[bold]{game.id}[/bold]  {game.name}, {seats} seats")
        for option in game.options:
            about = option_help(words_in(game, ENGLISH), option)
            console.print(
                f"    --{_dashed(option.name)}  {about}. It takes {option.describe()}.",
                style="dim",
                markup=False,
                highlight=False,
            )
        if members := [f"{game_id}_{name}" for name in members_of(game_id)]:
            line = f"    smaller, to be worked out to the end: {', '.join(members)}"
            console.print(line, style="dim", markup=False, highlight=False)


@app.command()
def rules(
    game: str,
    lang: Language = "",
    programs: Annotated[
        bool, typer.Option("--programs", help="What programs must know instead: numbers of moves, observation.")
    ] = False,
) -> None:
    """Shows the rules of a game."""
    from samovar.pages import programs_page, rules_page

    page = programs_page(find_game(game)) if programs else rules_page(find_game(game), lang or _language())
    if sys.stdout.isatty():
        from rich.markdown import Markdown

        _console().print(Markdown(page))
    else:
        print(page)


@app.command()
def new(
    game: Annotated[str, typer.Argument(help="The id of your game: my_game.")],
    folder: Annotated[Path, typer.Option(help="Where its folder is made.")] = Path(),
) -> None:
    """Writes a small playable game with hidden cards, to be turned into your own."""
    from samovar.new import write_game

    written = write_game(game, folder)
    console = _console()
    console.print(f"A game of twelve cards is in {written}. Its README.md says what is where. Next:", markup=False)
    for line in (f"pip install -e {written}", f"samovar play {game}", f"pytest {written}"):
        console.print(f"    {line}", markup=False, soft_wrap=True)


@app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def play(
    context: typer.Context,
    game: Annotated[str, typer.Argument(help="The game's id; without one you are asked.")] = "",
    seats: Annotated[int | None, typer.Option(help="How many seats; the fewest by default.")] = None,
    seed: Annotated[int | None, typer.Option(help="The seed of the deal; drawn by default.")] = None,
    seat: Annotated[int, typer.Option(help="Your seat.")] = 0,
    bot: Annotated[
        str, typer.Option(help="Who sits in the other seats: easy, medium, hard, expert, master, or any other bot.")
    ] = "medium",
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the newest unfinished match.")] = False,
    lang: Language = "",
) -> None:
    """Plays against bots. Options of the game: see `samovar games`."""
    from samovar.engine.match import Match
    from samovar.terminal import TerminalMatch, latest_save, new_save

    known = [*game_ids()]
    extra = list(context.args)
    if game.startswith("-"):  # an option of the game before its name
        extra, game = [game, *extra], ""
    if resume:
        if game:
            find_game(game)
        TerminalMatch.resumed(latest_save(game or None), lang or None, _console(), _ask).play()
        return
    chosen = find_game(game or _choose(known))
    options = parse_options(chosen, extra)
    match = Match(chosen, seats, seed, plain=True, **options)
    TerminalMatch(match, seat, lang or _language(), new_save(chosen.id), _console(), _ask, bot).play()


@app.command()
def replay(
    file: Path,
    seat: Annotated[int | None, typer.Option(help="From whose eyes; a spectator's by default.")] = None,
    lang: Language = "",
) -> None:
    """Shows a record move by move."""
    from samovar.terminal import show_record

    both = sys.stdin.isatty() and sys.stdout.isatty()
    try:
        show_record(file, seat, lang or _language(), _console(), _ask if both else None)
    except EOFError:
        print()


@app.command()
def review(
    file: Path,
    seconds: Annotated[float | None, typer.Option(help="How long to think about it; 6 by default.", min=0)] = None,
    seed: Annotated[int, typer.Option(help="Of the worlds that are imagined.", min=0)] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
    html: Annotated[Path | None, typer.Option(help="Write the review as a page, too.")] = None,
    lang: Language = "",
) -> None:
    """Says what a finished match turned on: what was choice, what was luck, and the moments that
    decided it."""
    from samovar.engine.record import read_record
    from samovar.insight.page import write_page
    from samovar.insight.report import Telling, names_of, show, to_json
    from samovar.insight.review import reviewing

    language = check_language(lang or _language())
    record = read_record(file)
    if html is not None:
        _check_writable(html, BadReview)
    with _progress() as progress:
        for found in reviewing(record, seconds=seconds, seed=seed):
            progress(round(100 * found.done), 100)
    telling = Telling(found, names_of(record, language), language)
    if html is not None:
        write_page(telling, html)
    if as_json:
        print(json.dumps(to_json(telling)))
    else:
        show(telling, _console())


puzzles = typer.Typer(help="Positions in which one move is clearly best.")
app.add_typer(puzzles, name="puzzles")


@puzzles.callback()
def about_puzzles() -> None:
    """Positions in which one move is clearly best."""


@puzzles.command("make", context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
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
    from samovar.insight.puzzle_maker import making, write_puzzles

    rules = find_game(game)
    path = file or Path(f"{rules.id}-puzzles.jsonl")
    options = parse_options(rules, context.args)
    found = making(rules, count=count, seats=seats, seed=seed, seconds=seconds, bots=bots, options=options)
    written = 0
    try:
        with _progress() as progress:
            for written in write_puzzles(path, rules, found):
                progress(written, count)
    except KeyboardInterrupt:
        pass
    print(f"{written} puzzles of {rules.name} are in {path}.")


@app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def arena(
    context: typer.Context,
    game: Annotated[str, typer.Argument(help="The game's id.")],
    bots: Annotated[str, typer.Option(help="The bots, with commas between them; one may be named several times.")],
    seats: Annotated[int | None, typer.Option(help="How many seats; the fewest by default.")] = None,
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
    from samovar.terminal import saves_folder

    played = find_game(game)
    names = tuple(name.strip() for name in bots.split(","))
    tournament = Tournament(
        game, names, played.seats[0] if seats is None else seats, matches, seed, parse_options(played, context.args)
    )
    check(tournament)
    if html is not None:
        _check_writable(html)
    kept = file or saves_folder().parent / "arena" / file_name(tournament)
    try:
        with _progress() as progress:
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
        show(result, _console())
    if file is None:
        kept.unlink(missing_ok=True)


@app.command(context_settings={"ignore_unknown_options": True})
def lab(
    words: Annotated[
        list[str], typer.Argument(metavar="GAME...", help="The games' ids, then options of theirs: `samovar games`.")
    ],
    seats: Annotated[int | None, typer.Option(help="For how many players; the fewest by default.")] = None,
    vary: Annotated[
        list[str] | None,
        typer.Option(metavar="OPTION=A,B", help="Compare these values of an option; several are fine."),
    ] = None,
    players: Annotated[
        str, typer.Option(help="Bots from the weakest to the strongest, with commas; the last is looked at.")
    ] = "random,easy,medium",
    matches: Annotated[int | None, typer.Option(help="How many by bots, each time; 100 by default.")] = None,
    seconds: Annotated[float | None, typer.Option(help="Or as many as can be played in this time.")] = None,
    random: Annotated[int, typer.Option(help="How many by chance; 0: none.")] = 100_000,
    seed: Annotated[int, typer.Option(help="The same seed and number of matches give the same figures.")] = 0,
    pace: Annotated[float, typer.Option(help="Seconds that people take for a turn.")] = 15.0,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
    html: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the report as a page, too.")] = None,
    svg: Annotated[Path | None, typer.Option(metavar="FOLDER", help="Write its plots as files, too.")] = None,
    records: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Keep the matches worth looking at, for `samovar replay`.")
    ] = None,
    workers: Annotated[
        int | None, typer.Option(help="How many matches at a time; one for each core by default.")
    ] = None,
    device: Annotated[Literal["cpu", "cuda"], typer.Option(help="What plays the matches by chance.")] = "cpu",
    ray: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Play on a Ray cluster: HOST:PORT, ray://HOST:PORT, auto or local."),
    ] = None,
) -> None:
    """Measures what a game is like and what a rule does: every figure with how sure it is. Ctrl+C stops it and shows
    what was measured."""
    from samovar.lab.order import USUAL_MATCHES, make_order
    from samovar.lab.report import show, to_json

    if matches is not None and seconds is not None:
        raise BadLab("Say how many matches or how many seconds, not both.")
    names = list(takewhile(lambda word: not word.startswith("-"), words))
    if not names:
        raise BadLab(f"Name the game before its options: samovar lab GAME {words[0]}.")
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
            findings, is_stopped = _measure(order)
            own.write(findings)
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
            show(findings, _console(), records)
        if is_stopped:
            code = 130
            break
    if as_json:
        print(json.dumps(reports[0] if len(names) == 1 else {"games": reports}))
    if code:
        raise typer.Exit(code)


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
            _check_writable(self.html, BadLab)
        for flag, folder in (("--svg", self.svg), ("--records", self.records)):
            if folder is not None:
                try:
                    folder.mkdir(parents=True, exist_ok=True)
                except OSError as error:
                    raise BadLab(f"The folder {str(folder)!r} cannot be made: {error}. Give another {flag}.") from error

    def write(self, findings: Findings) -> None:
        from samovar.lab.page import write_page, write_plots
        from samovar.lab.report import write_records

        if self.records is not None:
            write_records(findings, self.records)
        if self.html is not None:
            write_page(findings, self.html, self.records)
        if self.svg is not None:
            write_plots(findings, self.svg)


def _measure(order: Order) -> tuple[Findings, bool]:
    """What was found, and whether somebody stopped it."""
    from samovar.lab.run import measuring

    with closing(measuring(order)) as found:
        findings = next(found)
        try:
            with _live() as look:
                for findings in found:
                    look(findings)
        except KeyboardInterrupt:
            return findings, True
    return findings, False


@contextmanager
def _live() -> Iterator[Callable[[Findings], None]]:
    """The figures so far, where somebody is looking: their margins shrink."""
    if not sys.stderr.isatty():
        yield lambda findings: None
        return
    from rich.console import Console
    from rich.live import Live

    from samovar.lab.report import so_far

    with Live(console=Console(stderr=True), auto_refresh=False, transient=True, vertical_overflow="crop") as live:
        yield lambda findings: live.update(so_far(findings), refresh=True)


def parse_vary(game: Game, texts: Sequence[str]) -> dict[str, list[Value]]:
    """`long_columns=extend,cap` as values of the game's options; the order checks them."""
    by_flag = {_dashed(option.name): option for option in game.options}
    values: dict[str, list[Value]] = {}
    for text in texts:
        name, equals, typed = text.removeprefix("--").partition("=")
        option = by_flag.get(_dashed(name))
        if option is None:
            raise UnknownOption(f"{game.name} has no option {name!r} to vary. Its options: {_flags(game)}.")
        if not equals:
            raise BadOption(
                f"Say which values of {name!r} to compare: --vary {name}=A,B. It takes {option.describe()}."
            )
        for word in typed.split(","):
            values.setdefault(option.name, []).append(option.parse(word.strip()))
    return values


@app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def exploit(
    context: typer.Context,
    game: Annotated[
        str, typer.Argument(help="The game's id, or that of a small member of it, as `samovar games` lists them.")
    ],
    bot: Annotated[str, typer.Option(help="Whom the best answer is to; without one: how good best play is.")] = "",
    seats: Annotated[int | None, typer.Option(help="How many seats; the fewest by default.")] = None,
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
    from samovar.exact.report import Question, answer, show

    played = find_game(game)
    asked = Question(played, bot, seats, parse_options(played, context.args), answers, rounds, matches, seed)
    with _progress() as progress:
        found = answer(asked, exact, progress)
    if as_json:
        print(json.dumps(found))
    else:
        show(found, _console())


@app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def dataset(
    context: typer.Context,
    game: Annotated[str, typer.Argument(help="The game's id.")],
    bots: Annotated[str, typer.Option(help="The bots, with commas between them; one alone sits in all seats.")],
    out: Annotated[Path, typer.Option(help="A new folder for the files and their card.")],
    seats: Annotated[int | None, typer.Option(help="How many seats; the fewest by default.")] = None,
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
        with _progress() as progress:
            written = make_dataset(order, out, arrays=arrays, workers=workers, move_limit=move_limit, progress=progress)
    except KeyboardInterrupt:
        print(f"Interrupted. The matches that were done are in {out}, as {out / CARD} says.", file=sys.stderr)
        raise typer.Exit(130) from None
    print(f"{written.matches:,} matches with {written.decisions:,} decisions are in {out}; {out / CARD} explains them.")


@app.command()
def learn(
    game: Annotated[str, typer.Argument(help="The game's id.")],
    minutes: Annotated[float | None, typer.Option(help="How long to learn, in all; 10 by default.", min=0)] = None,
    moves: Annotated[int | None, typer.Option(help="Or from how many moves, in all.", min=1)] = None,
    out: Annotated[Path | None, typer.Option(help="The folder of the run; learned/GAME by default.")] = None,
    device: Annotated[Literal["cuda", "cpu"] | None, typer.Option(help="A GPU by default, where there is one.")] = None,
    seed: Annotated[int | None, typer.Option(help="The same seed gives the same run, as far as a GPU can.")] = None,
    width: Annotated[int | None, typer.Option(help="Of the network; 64 by default.")] = None,
    layers: Annotated[int | None, typer.Option(help="Of the network; 3 by default.")] = None,
    matches: Annotated[int | None, typer.Option(help="Played at once; 16384 by default, 256 on a CPU.")] = None,
    variants: Annotated[
        list[str] | None,
        typer.Option(metavar="TEXT", help="Which to learn: all, seats=2, 'seats=3,expert=true'; several are fine."),
    ] = None,
    against: Annotated[
        list[str] | None, typer.Option(metavar="BOT", help="Measured against it, too, beside random and greedy.")
    ] = None,
    measurings: Annotated[int, typer.Option(help="How often it is measured on the way.", min=1)] = 8,
    deals: Annotated[
        int, typer.Option(help="Against each bot, each time, four times as many at the end; 0: none.", min=0)
    ] = 50,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in the folder.")] = False,
    start_from: Annotated[
        Path | None, typer.Option("--from", metavar="FILE", help="Begin with this network instead of nothing.")
    ] = None,
    compiled: Annotated[
        bool | None, typer.Option("--compile/--no-compile", help="Compile the network; on a GPU by default.")
    ] = None,
    graph: Annotated[bool, typer.Option("--graph", help="On a GPU, play in a CUDA graph.")] = False,
    numbers: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=NUMBER", help="Another number of samovar/learn/settings.py: rate=3e-4."),
    ] = None,
) -> None:
    """Has a network learn a game by playing against itself. Ctrl+C stops it, and --resume goes on."""
    from samovar.learn import needs_torch

    needs_torch()
    from samovar.learn.run import Order, default_device
    from samovar.learn.run import learn as start
    from samovar.learn.settings import parse_settings
    from samovar.learn.variants import find_variants

    played = find_game(game)
    place = device or default_device()
    given = {"seed": seed, "width": width, "layers": layers, "matches": matches}
    settings = {name: value for name, value in given.items() if value is not None} | parse_settings(numbers or ())
    if place == "cpu" and not resume:
        settings = {"matches": 256, **settings}
    order = Order(
        game=played,
        out=out or Path("learned") / played.id,
        variants=find_variants(played, variants) if variants else None,
        settings=settings,
        minutes=10.0 if minutes is None and moves is None else minutes,
        moves=moves,
        device=place,
        resume=resume,
        start=start_from,
        rivals=("random", "greedy", *(against or ())) if deals else (),
        measurings=measurings,
        deals=deals,
        last_deals=4 * deals,
        compile=place == "cuda" if compiled is None else compiled,
        graph=graph,
    )
    start(order, lambda text: print(text, flush=True))


@app.command()
def wasm(
    game: Annotated[str, typer.Argument(help="The game's id.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="The folder for the files.")] = Path(),
) -> None:
    """Writes a game for browsers: rules and bots as WebAssembly, and a script to use them by."""
    from samovar.wasm import write_wasm

    for path in write_wasm(find_game(game), output):
        print(f"{path.stat().st_size:>8,} bytes  {path}")


@app.command()
def bench(
    names: Annotated[list[str] | None, typer.Argument(metavar="[GAME]...", help="All games by default.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
    lists: Annotated[
        bool, typer.Option("--lists", help="Step by step instead: moves chosen from lists, and from masks.")
    ] = False,
    browser: Annotated[
        bool, typer.Option("--wasm", help="As WebAssembly beside the CPU instead: rules and search (needs Node).")
    ] = False,
    learning: Annotated[
        bool, typer.Option("--learn", help="How fast networks learn instead: moves chosen and learned from.")
    ] = False,
    network: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="With --learn: 64x1 (plain layers), tokens, 'tokens 96x2'; or several."),
    ] = None,
    seconds: Annotated[float, typer.Option(help="With --learn: how long each is measured.", min=0)] = 10.0,
    peers: Annotated[
        bool, typer.Option("--peers", help="Beside OpenSpiel, PettingZoo and Pgx instead: ratios in one run.")
    ] = False,
    peers_dir: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="The folder that keeps the peers' environments; one in ~/.cache by default."),
    ] = None,
    here: Annotated[
        bool, typer.Option("--here", help="Take the peers from this Python, make no environments.")
    ] = False,
    only: Annotated[str, typer.Option(metavar="TEXT", help="Only the comparisons with this text in them.")] = "",
    rounds: Annotated[int, typer.Option(help="How many times each side of a comparison plays.", min=1)] = 5,
) -> None:
    """Measures the speed of the games on this machine, in moves per second."""
    chosen = [find_game(name) for name in names or game_ids()]
    if learning:
        _bench_learning(chosen, as_json, network, seconds)
        return
    if peers:
        _bench_peers([game.id for game in chosen], as_json, peers_dir, here, only, rounds)
        return
    from samovar.bench import measure, measure_steps, steps_table, table

    look, tell = (measure_steps, steps_table) if lists else (measure, table)
    if browser:
        from samovar.bench.wasm import measure_wasm as look
        from samovar.bench.wasm import wasm_table as tell
    measured = {}
    for game in chosen:
        measured[game.id] = look(game)
        if not as_json:
            print(tell({game.id: measured[game.id]}, head=game is chosen[0]), flush=True)
    if as_json:
        print(json.dumps({"games": measured}))


def _bench_learning(games: list[Game], as_json: bool, networks: list[str] | None, seconds: float) -> None:
    from samovar.learn import needs_torch

    needs_torch()
    from samovar.bench.learning import NETWORKS, learning_table, measure_learning

    measured: dict[str, dict[str, object]] = {}
    for game in games:
        for network in networks or NETWORKS:
            figures = measure_learning(game, network, seconds, lambda text: print(text, file=sys.stderr))
            if not as_json:
                print(learning_table(game.id, figures, head=not measured), flush=True)
            measured.setdefault(game.id, {})[network] = figures
    if as_json:
        print(json.dumps({"games": measured}))


def _bench_peers(games: list[str], as_json: bool, folder: Path | None, here: bool, only: str, rounds: int) -> None:
    """A line that could not be measured makes the exit code 1; a target that was missed does
    not."""
    needs_unix("The comparison with other libraries")
    from samovar.bench.peers import compare, show, to_json

    outcomes = compare(
        games,
        folder,
        here=here,
        only=only,
        rounds=rounds,
        progress=lambda text: print(text, file=sys.stderr, flush=True),
    )
    if as_json:
        print(json.dumps(to_json(outcomes, rounds)))
    else:
        show(outcomes, _console())
    if any(outcome.reason for outcome in outcomes):
        raise typer.Exit(1)


def parse_options(game: Game, words: list[str]) -> dict[str, Value]:
    """`--expert`, `--no-expert`, `--patience 60` and `--long-columns=cap` as the game's options."""
    by_flag = {_dashed(option.name): option for option in game.options}
    values: dict[str, Value] = {}
    rest = list(words)
    while rest:
        word = rest.pop(0)
        name, equals, text = word.removeprefix("--").replace("_", "-").partition("=")
        if not word.startswith("--"):
            raise UnknownOption(f"{word!r} is not understood here. Options of {game.name}: {_flags(game)}.")
        if name.startswith("no-") and name[3:] in by_flag and by_flag[name[3:]].default in (True, False):
            values[by_flag[name[3:]].name] = False
        elif name not in by_flag:
            raise UnknownOption(f"{game.name} has no option {word!r}. Its options: {_flags(game)}.")
        elif equals:
            values[by_flag[name].name] = text
        elif isinstance(by_flag[name].default, bool):
            values[by_flag[name].name] = rest.pop(0) if rest and rest[0].lower() in ("true", "false") else True
        elif rest:
            values[by_flag[name].name] = rest.pop(0)
        else:
            raise UnknownOption(f"Option {word!r} needs a value: {by_flag[name].describe()}.")
    return {name: next(o for o in game.options if o.name == name).parse(value) for name, value in values.items()}


def _flags(game: Game) -> str:
    return ", ".join(f"--{_dashed(option.name)}" for option in game.options)


def _dashed(name: str) -> str:
    return name.replace("_", "-")


def _language() -> str:
    """That of the terminal, if it is one of ours."""
    locale = os.environ.get("LC_ALL") or os.environ.get("LC_MESSAGES") or os.environ.get("LANG") or ""
    return next((language for language in LANGUAGES if locale.startswith(language)), ENGLISH)


def _console() -> Console:
    from rich.console import Console

    return Console(highlight=False)


@contextmanager
def _progress() -> Iterator[Callable[[int, int], None]]:
    """A bar with the time left, where somebody is looking."""
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    with Progress(BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), console=Console(stderr=True)) as shown:

        def progress(done: int, total: int) -> None:
            if not shown.task_ids:  # what is done already says nothing about the time left
                shown.add_task("", completed=done, total=total)
            shown.update(shown.task_ids[0], completed=done)

        yield progress


def _check_writable(page: Path, problem: type[SamovarError] = BadTournament) -> None:
    """Better said before a tournament, or a review, than after it."""
    try:
        new = not page.exists()
        page.open("ab").close()
        if new:
            page.unlink()
    except OSError as error:
        raise problem(f"The page {str(page)!r} cannot be written: {error.strerror}. Give another --html.") from error


def _ask(prompt: str) -> str:
    return input(prompt)


def _choose(ids: list[str]) -> str:
    """Asks which game to play."""
    print("Which game?")
    for number, game_id in enumerate(ids, 1):
        print(f"  {number}  {find_game(game_id).name}")
    while True:
        try:
            typed = input("Number or name > ").strip().lower()
        except EOFError:
            raise SamovarError("No game was chosen. Name one: samovar play GAME.") from None
        if typed.isdigit() and 1 <= int(typed) <= len(ids):
            return ids[int(typed) - 1]
        if typed in ids:
            return typed
        print(f"Please type a number from 1 to {len(ids)}.")
