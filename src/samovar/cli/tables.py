"""Commands for people who play, and for programs that do."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from samovar.engine.members import members_of
from samovar.engine.registry import find_game, game_ids
from samovar.engine.words import option_help, words_in
from samovar.errors import BrokenGame, SamovarError, UnknownSeat, needs_unix
from samovar.language.languages import ENGLISH

from .shared import LanguageOption, dashed, language_of_terminal, make_console, parse_options


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
    from samovar.cli.terminal import data_folder
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
    from samovar.client.guest import Guest

    Guest(url, program, print).play(name, seat, token, stay=stay)


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
    from samovar.engine.records.fair import verify as check
    from samovar.engine.records.record import read_record

    record = read_record(file)
    match = check(record, commitment, nonce)
    makers = record["table"]["nonce_makers"] if "secret" in record["table"] else []
    console = make_console()
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


def games() -> None:
    """Lists the games, for how many players they are, and their options."""
    console = make_console()
    for game_id in game_ids():
        try:
            game = find_game(game_id)
        except BrokenGame as error:
            console.print(f"{game_id}  {error}", style="red", markup=False)
            continue
        seats = ", ".join(map(str, game.seats))
        console.print(f"[bold]{game.id}[/bold]  {game.name}, {seats} players")
        for option in game.options:
            about = option_help(words_in(game, ENGLISH), option)
            console.print(
                f"    --{dashed(option.name)}  {about}. It takes {option.describe()}.",
                style="dim",
                markup=False,
                highlight=False,
            )
        if members := [f"{game_id}_{name}" for name in members_of(game_id)]:
            line = f"    smaller, to be worked out to the end: {', '.join(members)}"
            console.print(line, style="dim", markup=False, highlight=False)


def rules(
    game: str,
    lang: LanguageOption = "",
    programs: Annotated[
        bool, typer.Option("--programs", help="What programs must know instead: numbers of moves, observation.")
    ] = False,
) -> None:
    """Shows the rules of a game."""
    from samovar.teach.rules_pages import programs_page, rules_page

    page = programs_page(find_game(game)) if programs else rules_page(find_game(game), lang or language_of_terminal())
    if sys.stdout.isatty():
        from rich.markdown import Markdown

        make_console().print(Markdown(page))
    else:
        print(page)


def new(
    game: Annotated[str, typer.Argument(help="The id of your game: my_game.")],
    folder: Annotated[Path, typer.Option(help="Where its folder is made.")] = Path(),
) -> None:
    """Writes a small playable game with hidden cards, to be turned into your own."""
    from samovar.starter import write_game

    written = write_game(game, folder)
    console = make_console()
    console.print(f"A game of twelve cards is in {written}. Its README.md says what is where. Next:", markup=False)
    for line in (f"pip install -e {written}", f"samovar play {game}", f"pytest {written}"):
        console.print(f"    {line}", markup=False, soft_wrap=True)


def play(
    context: typer.Context,
    game: Annotated[str, typer.Argument(help="The game's id; without one you are asked.")] = "",
    seats: Annotated[int | None, typer.Option(help="For how many players; the fewest by default.")] = None,
    seed: Annotated[int | None, typer.Option(help="The seed of the deal; drawn by default.")] = None,
    player: Annotated[
        int | None, typer.Option(help="Which player you are, counted from 1; the first by default.")
    ] = None,
    seat: Annotated[int | None, typer.Option(hidden=True, help="The same, counted from 0.")] = None,
    bot: Annotated[
        str, typer.Option(help="Who the other players are: easy, medium, hard, expert, master, or any other bot.")
    ] = "medium",
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the newest unfinished match.")] = False,
    lang: LanguageOption = "",
) -> None:
    """Plays against bots. Options of the game: see `samovar games`."""
    from samovar.cli.terminal import TerminalMatch, latest_save, new_save
    from samovar.engine.match import Match

    known = [*game_ids()]
    extra = list(context.args)
    if game.startswith("-"):  # an option of the game before its name
        extra, game = [game, *extra], ""
    if resume:
        if game:
            find_game(game)
        TerminalMatch.resumed(latest_save(game or None), lang or None, make_console(), _ask).play()
        return
    chosen = find_game(game or _choose(known))
    options = parse_options(chosen, extra)
    match = Match(chosen, seats, seed, plain=True, **options)
    own = _seat(player, seat)
    TerminalMatch(
        match, 0 if own is None else own, lang or language_of_terminal(), new_save(chosen.id), make_console(), _ask, bot
    ).play()


def replay(
    file: Path,
    player: Annotated[
        int | None, typer.Option(help="From whose eyes, counted from 1; a spectator's by default.")
    ] = None,
    seat: Annotated[int | None, typer.Option(hidden=True, help="The same, counted from 0.")] = None,
    lang: LanguageOption = "",
) -> None:
    """Shows a record move by move."""
    from samovar.cli.terminal import show_record

    both = sys.stdin.isatty() and sys.stdout.isatty()
    try:
        show_record(file, _seat(player, seat), lang or language_of_terminal(), make_console(), _ask if both else None)
    except EOFError:
        print()


def _seat(player: int | None, seat: int | None) -> int | None:
    """People count players from 1, programs seats from 0."""
    if player is None:
        return seat
    if player < 1:
        raise UnknownSeat(f"There is no player {player}. Players are counted from 1.")
    return player - 1


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
