"""`samovar admin`: what owners of a site see and do, from the machine itself. The site may run: it does what was asked
for within a few seconds, and else when it starts."""

from __future__ import annotations

import secrets
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, NamedTuple

import msgspec
import typer

from .keeping import DatabaseOption, DataOption, _url
from .shared import make_console

MemberArgument = Annotated[str, typer.Argument(help="Of a member, as `samovar admin show` tells it.")]
TableArgument = Annotated[str, typer.Argument(help="Of a table, as its address has it.")]
PlayerArgument = Annotated[int, typer.Argument(help="The player, counted from 1.", min=1)]


class AdminList(NamedTuple):
    """Lines of a list, and what stands above them."""

    heading: str
    lines: list[str]


def show(data: DataOption = None, database: DatabaseOption = None) -> None:
    """Show tables, people, invitations, and what owners did.

    Example: `samovar admin show --data /srv/games`"""
    from samovar.web.people.owning import MOST_ACTIONS, MOST_TABLES, ref_of, versions
    from samovar.web.store.database import beside_the_site
    from samovar.web.store.queries import members, owning
    from samovar.web.store.store import RECALL

    with beside_the_site(_url(data, database)) as connection:
        secret = bytes.fromhex(connection.execute(RECALL, {"name": "secret"}).scalar_one())
        tally = owning.TALLY.all(connection)[0]
        days = next(iter(owning.KEEPS.all(connection)), 0)
        names = dict(owning.NAMES.all(connection))
        tables = owning.LATEST.all(connection, most=MOST_TABLES)
        people = members.ALL.all(connection)
        invitations = members.INVITATIONS.all(connection, now=time.time_ns() // 1_000_000)
        actions = owning.ACTIONS.all(connection, most=MOST_ACTIONS)
    console = make_console()
    parts = [
        AdminList("Versions", [f"{name} {version}" for name, version in versions().items()]),
        AdminList(
            "Games",
            [
                f"{tally.playing} in play, {tally.waiting} wait, {tally.over} finished; {tally.people} people played.",
                f"Finished games are kept for {days} days." if days else "Finished games are kept for ever.",
            ],
        ),
        AdminList(
            "Tables", [f"{one.id}  {one.game}  {one.status}  {', '.join(one.names.splitlines())}" for one in tables]
        ),
        AdminList(
            "Members",
            [
                f"{ref_of(one.person, secret)}  {one.role}{'  blocked' if one.is_blocked else ''}"
                f"  {names.get(one.person, '')}"
                for one in people
            ],
        ),
        AdminList("Invitations", [f"{one.role}, for {one.uses}, until {_day(one.ends)}" for one in invitations]),
        AdminList("What owners did", [f"{_day(one.at)}  {one.who}: {one.action} {one.about}" for one in actions]),
    ]
    for part in parts:
        if part.lines:
            console.print(part.heading, style="bold", markup=False)
            for line in part.lines:
                console.print(f"  {line}", markup=False, soft_wrap=True)


def announce(
    text: Annotated[str, typer.Argument(help="What everybody reads on every page; empty: nothing any more.")],
    data: DataOption = None,
    database: DatabaseOption = None,
) -> None:
    """Say something to everybody, on every page.

    Example: `samovar admin announce "We move tonight."`"""
    _order(data, database, do="announce", text=text)


def keep(
    days: Annotated[int, typer.Argument(help="So many days; 0: for ever.", min=0, max=36_500)],
    data: DataOption = None,
    database: DatabaseOption = None,
) -> None:
    """Remove finished games after so many days.

    Example: `samovar admin keep 365`"""
    _order(data, database, do="keep", number=days)


def close(table: TableArgument, data: DataOption = None, database: DatabaseOption = None) -> None:
    """Close a table: nobody comes to it or sees it any more.

    Example: `samovar admin close m6bMy1zRrEF7`"""
    _order(data, database, do="close", table=table)


def hide(
    table: TableArgument,
    remark: Annotated[int, typer.Argument(help="The number of its entry in the log of the table.")],
    data: DataOption = None,
    database: DatabaseOption = None,
) -> None:
    """Take a remark away; it stays in the log.

    Example: `samovar admin hide m6bMy1zRrEF7 42`"""
    _order(data, database, do="hide", table=table, number=remark)


def name(
    table: TableArgument, player: PlayerArgument, data: DataOption = None, database: DatabaseOption = None
) -> None:
    """Take the name of a player away.

    Example: `samovar admin name m6bMy1zRrEF7 2`"""
    _order(data, database, do="name", table=table, number=player - 1)


def block(member: MemberArgument, data: DataOption = None, database: DatabaseOption = None) -> None:
    """Block a member: they come in nowhere.

    Example: `samovar admin block 3f0c9d1b7a2e4f5a6b7c`"""
    _order(data, database, do="block", member=member)


def admit(member: MemberArgument, data: DataOption = None, database: DatabaseOption = None) -> None:
    """Let a member in again.

    Example: `samovar admin admit 3f0c9d1b7a2e4f5a6b7c`"""
    _order(data, database, do="admit", member=member)


def erase(member: MemberArgument, data: DataOption = None, database: DatabaseOption = None) -> None:
    """Erase all that is kept of a member.

    Example: `samovar admin erase 3f0c9d1b7a2e4f5a6b7c`"""
    _order(data, database, do="erase", member=member)


def _order(data: Path | None, database: str | None, **facts: str | int) -> None:
    from samovar.web.people.owning import OwnerOrder
    from samovar.web.store.database import beside_the_site
    from samovar.web.store.queries import owning

    wanted = msgspec.convert(facts, OwnerOrder)
    with beside_the_site(_url(data, database)) as connection:
        owning.order(connection, f"{time.time_ns():020d}-{secrets.token_hex(4)}", msgspec.json.encode(wanted).decode())
    make_console().print("The site does it within a few seconds, or when it starts.", markup=False)


def _day(moment: int) -> str:
    return datetime.fromtimestamp(moment / 1000, UTC).date().isoformat()


ADMINISTERING = (show, announce, keep, close, hide, name, block, admit, erase)
