"""Commands for people who play, and for programs that do."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from samovar.engine.members import members_of
from samovar.engine.registry import find_game, game_ids
from samovar.engine.words import option_help, words_in
from samovar.errors import BrokenGame, SamovarError, UnknownSeat
from samovar.language.languages import ENGLISH

from .shared import (
    GameArgument,
    LanguageOption,
    SeatOption,
    SeatsOption,
    dashed,
    language_of_terminal,
    make_console,
    parse_options,
)


def serve(
    port: Annotated[int, typer.Option(help="The port to listen at; 0 for any free one.", min=0, max=65535)] = 8080,
    host: Annotated[str, typer.Option(help="The address to listen at; 127.0.0.1 for this machine only.")] = "0.0.0.0",
    browser: Annotated[bool, typer.Option(help="Open the site in a browser.")] = True,
    data: Annotated[Path | None, typer.Option(help="The folder for the tables. Default: ~/.samovar.")] = None,
    database: Annotated[
        str | None, typer.Option(metavar="URL", help="Keep the tables in PostgreSQL: postgresql+psycopg://...")
    ] = None,
    workers: Annotated[
        int, typer.Option(help="Number of processes. More than one needs PostgreSQL.", min=1, max=64)
    ] = 1,
    public_url: Annotated[
        str, typer.Option(metavar="URL", help="The site's address for visitors: https://games.example.org.")
    ] = "",
    https: Annotated[
        bool,
        typer.Option(
            "--https", help="Serve HTTPS at home, with a certificate that each device is told to trust, once."
        ),
    ] = False,
    proxy: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ADDRESS",
            help="Trust the visitor's address that this proxy, or network of proxies, reports. Can be repeated.",
        ),
    ] = None,
    requests_per_minute: Annotated[
        int, typer.Option(help="Requests that one address may make; 0 for no limit.", min=0)
    ] = 1200,
    connections_per_address: Annotated[
        int, typer.Option(help="Connections of one address at the same time, in one process; 0 for no limit.", min=0)
    ] = 200,
    streams_per_address: Annotated[
        int,
        typer.Option(help="Event streams of one address at the same time; a browser has one; 0 for no limit.", min=0),
    ] = 60,
    metrics_for: Annotated[
        Literal["here", "everybody"], typer.Option(help="Who may see /metrics; here is this machine only.")
    ] = "here",
    log_level: Annotated[
        Literal["debug", "info", "warning", "error"], typer.Option(help="The least serious lines of the log.")
    ] = "info",
    log_format: Annotated[Literal["text", "json"], typer.Option(help="The form of each line of the log.")] = "text",
    mail_server: Annotated[
        str,
        typer.Option(
            metavar="URL",
            help="Send mail with this server: smtp://NAME:PASSWORD@HOST. Set SAMOVAR_MAIL_SERVER to hide the password.",
        ),
    ] = "",
    mail_sender: Annotated[
        str, typer.Option(metavar="ADDRESS", help="The sender of mail: samovar@games.example.org.")
    ] = "",
    contact: Annotated[
        str, typer.Option(metavar="URL", help="Your address for push services: mailto:you@example.org, or https://...")
    ] = "",
    call_private_addresses: Annotated[
        bool, typer.Option("--call-private-addresses", help="Send notifications to addresses in your own network, too.")
    ] = False,
    entry: Annotated[
        Literal["", "open", "invited", "header"],
        typer.Option(
            help="Who comes in: everybody, those who are invited, or those whom a proxy names. Default: open, but "
            "invited with --public-url."
        ),
    ] = "",
    identity_header: Annotated[
        str, typer.Option(metavar="NAME", help="The header in which --proxy names visitors: Remote-User.")
    ] = "",
    guests: Annotated[
        bool, typer.Option("--guests", help="Let whoever has the link to a table sit there, though not invited.")
    ] = False,
    lab: Annotated[
        bool | None,
        typer.Option(
            "--lab/--no-lab",
            help="Open the lab to everybody, or to nobody. Default: to this machine, but to nobody with --public-url "
            "or --proxy.",
        ),
    ] = None,
    backup_every: Annotated[
        str, typer.Option(metavar="TIME", help="Make a backup so often, while the site runs: 12h, 1d, 1w.")
    ] = "",
    backup_keep: Annotated[int, typer.Option(help="Number of those backups to keep.", min=1)] = 7,
    backup_folder: Annotated[
        Path | None, typer.Option(help="Where to put them. Default: `backups` in the folder for the tables.")
    ] = None,
) -> None:
    """Start the site: tables in the browser, for everybody in the same network.

    Each option can be set by the environment, too (SAMOVAR_PORT for --port), and in a file (--config).

    Example: `samovar serve --port 9000 --host 127.0.0.1`"""
    from samovar.cli.terminal import data_folder
    from samovar.web.serve import (
        backup_routine,
        certificate_folder,
        check_calls,
        entry_for,
        lab_for,
        parse_proxies,
        parse_public_url,
    )
    from samovar.web.serve import serve as start
    from samovar.web.store.database import database_in

    settings = {
        "public_url": parse_public_url(public_url) if public_url else "",
        "proxies": parse_proxies(proxy or ()),
        "requests_per_minute": requests_per_minute,
        "connections_per_address": connections_per_address,
        "streams_per_address": streams_per_address,
        "open_metrics": metrics_for == "everybody",
        "log_level": log_level,
        "log_format": log_format,
        "mail_server": mail_server,
        "mail_sender": mail_sender,
        "contact": contact,
        "call_private": call_private_addresses,
        "entry": entry_for(entry, public_url, identity_header),
        "identity_header": identity_header,
        "guests": guests,
        "lab_for": lab_for(lab, is_open=bool(public_url or proxy), workers=workers),
    }
    check_calls(public_url, mail_server, mail_sender, contact)
    folder = data.expanduser() if data else data_folder()
    routine = backup_routine(backup_every, backup_keep, backup_folder or folder / "backups")
    url = database or database_in(folder)
    certificates = certificate_folder(https, public_url, folder)
    start(url, host, port, workers=workers, browser=browser, routine=routine, certificates=certificates, **settings)


def sit(
    url: Annotated[str, typer.Argument(help="The address of the table: http://localhost:8080/table/ID.")],
    program: Annotated[
        str,
        typer.Option(
            metavar="COMMAND",
            help="The command that starts the program: 'python3 my_bot.py'. See docs/writing-bots.md.",
        ),
    ],
    name: Annotated[str, typer.Option(help="The name that the others see.")] = "Program",
    seat: Annotated[int | None, typer.Option(help="The seat, counted from 0. Default: the first free one.")] = None,
    token: Annotated[str, typer.Option(help="Come back to the chair that has this token.")] = "",
    stay: Annotated[bool, typer.Option("--stay", help="Stay for the next game when the others play again.")] = False,
) -> None:
    """Let a program play at a table of a site, here or elsewhere.

    Press Ctrl+C to leave its chair to a bot.

    Example: `samovar sit http://localhost:8080/table/ID --program 'python3 my_bot.py'`"""
    from samovar.client.guest import Guest

    Guest(url, program, print).play(name, seat, token, stay=stay)


def mcp() -> None:
    """Let a language model play, by the Model Context Protocol over standard input and output.

    The program that runs the model starts this command: see docs/language-models.md."""
    from samovar.envs import need

    need("mcp", "mcp")
    from samovar.models.server import serve_model

    serve_model()


def verify(
    file: Annotated[Path, typer.Argument(help="The record of a game.")],
    commitment: Annotated[
        str | None, typer.Option(help="The commitment that the table showed before the first move.")
    ] = None,
    nonce: Annotated[
        str | None, typer.Option(help="The number that your browser or program gave for the deal.")
    ] = None,
) -> None:
    """Check that a match was fair: its deal was fixed beforehand, and its moves are legal.

    Example: `samovar verify match.json`"""
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
    """List the games, their numbers of players and their options."""
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
    game: GameArgument,
    lang: LanguageOption = "",
    programs: Annotated[
        bool, typer.Option("--programs", help="Show what programs need instead: move numbers and observations.")
    ] = False,
) -> None:
    """Show the rules of a game.

    Example: `samovar rules babuschka --lang fr`"""
    from samovar.teach.rules_pages import programs_page, rules_page

    page = programs_page(find_game(game)) if programs else rules_page(find_game(game), lang or language_of_terminal())
    if sys.stdout.isatty():
        from rich.markdown import Markdown

        make_console().print(Markdown(page))
    else:
        print(page)


def new(
    game: Annotated[str, typer.Argument(help="An id for your game: my_game.")],
    folder: Annotated[Path, typer.Option(help="Make the game's folder in this one.")] = Path(),
) -> None:
    """Write a small game with hidden cards, to turn into your own.

    Example: `samovar new my_game`"""
    from samovar.starter import write_game

    written = write_game(game, folder)
    console = make_console()
    console.print(f"A game of twelve cards is in {written}. Its README.md says what is where. Next:", markup=False)
    for line in (f"pip install -e {written}", f"samovar dev {game}", f"pytest {written}"):
        console.print(f"    {line}", markup=False, soft_wrap=True)


def play(
    context: typer.Context,
    game: Annotated[str, typer.Argument(help="The game's id. Without one you are asked.")] = "",
    seats: SeatsOption = None,
    seed: Annotated[int | None, typer.Option(help="The seed of the deal. Default: a random one.")] = None,
    player: Annotated[int | None, typer.Option(help="Be this player, counted from 1. Default: the first.")] = None,
    seat: SeatOption = None,
    bot: Annotated[
        str, typer.Option(help="The other players: easy, medium, hard, expert, master, or any other bot.")
    ] = "medium",
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the newest unfinished game.")] = False,
    lang: LanguageOption = "",
) -> None:
    """Play against bots in the terminal.

    Options of the game work here, too.

    Example: `samovar play memoarrrr --seats 3 --bot hard --expert`"""
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
    options = parse_options(chosen, extra, context)
    match = Match(chosen, seats, seed, plain=True, **options)
    own = _seat(player, seat)
    TerminalMatch(
        match, 0 if own is None else own, lang or language_of_terminal(), new_save(chosen.id), make_console(), _ask, bot
    ).play()


def replay(
    file: Annotated[Path, typer.Argument(help="The record of a game.")],
    player: Annotated[
        int | None, typer.Option(help="Show what this player saw, counted from 1. Default: a spectator.")
    ] = None,
    seat: SeatOption = None,
    lang: LanguageOption = "",
) -> None:
    """Show a match again, move by move.

    Example: `samovar replay match.json --player 1`"""
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
