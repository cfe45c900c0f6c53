"""Commands for those who keep a site: a backup, the way back, another database, and a look whether all is whole."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from samovar.errors import StoreError

from .shared import make_console

if TYPE_CHECKING:
    from samovar.web.checking import Checked

MOST_TOLD = 20  # damages
DataOption = Annotated[
    Path | None, typer.Option(help="The folder of the site's tables. Default: SAMOVAR_DATA, or ~/.samovar.")
]
DatabaseOption = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        envvar="SAMOVAR_DATABASE",
        show_envvar=False,
        help="The site's database, if it is in PostgreSQL. Set SAMOVAR_DATABASE to hide the password.",
    ),
]
DamagedOption = Annotated[
    bool, typer.Option("--even-damaged", help="Go on although some tables are damaged; they stay as they are.")
]


def backup(
    file: Annotated[Path, typer.Argument(help="The new file, or a folder: then its name is the moment.")],
    data: DataOption = None,
    database: DatabaseOption = None,
) -> None:
    """Write all of a site into one file, while it runs.

    The file holds secrets of running matches: it is readable for you alone, so keep it like that.

    Example: `samovar backup /backups/today.backup`"""
    from samovar.web.store.backups import back_up, new_file

    target = new_file(file) if file.is_dir() else file
    back_up(_url(data, database), target)
    make_console().print(f"{target}: {target.stat().st_size / 2**20:.1f} MiB.", markup=False, soft_wrap=True)


def restore(
    file: Annotated[Path, typer.Argument(help="A file that `samovar backup` wrote.")],
    data: DataOption = None,
    database: DatabaseOption = None,
    even_damaged: DamagedOption = False,
) -> None:
    """Put a backup in the place of a site's database. Stop the site before.

    Every table is read first. The database as it was is kept beside it.

    Example: `samovar restore /backups/today.backup`"""
    from samovar.web.store.backups import file_url

    if not file.is_file():
        raise StoreError(f"There is no file {file}.")
    _bring(file_url(file.resolve()), _url(data, database), even_damaged)


def copy(
    source: Annotated[str, typer.Argument(metavar="FROM", help="A folder with a samovar.db, or a database's URL.")],
    target: Annotated[str, typer.Argument(metavar="TO", help="The same: where all of it shall be.")],
    even_damaged: DamagedOption = False,
) -> None:
    """Copy a site from one database to another: from SQLite to PostgreSQL, or back.

    Every table is read first. What was in the other database is kept in a file.

    Example: `samovar copy ~/.samovar postgresql://samovar@localhost/samovar`"""
    _bring(_place(source), _place(target), even_damaged)


def check(data: DataOption = None, database: DatabaseOption = None) -> None:
    """Read every table of a site, verify every finished deal, and say what is damaged.

    The site may run.

    Example: `samovar check --data ~/.samovar`"""
    from samovar.web.store.backups import opened_copy

    with opened_copy(_url(data, database)) as whole:
        found = _checked(whole)
    _tell(found)
    if found.damages:
        sys.exit(1)


def invite(
    owner: Annotated[bool, typer.Option("--owner", help="Whoever comes by the link owns the site, too.")] = False,
    days: Annotated[int, typer.Option(help="So long the link is good.", min=1, max=365)] = 7,
    uses: Annotated[int, typer.Option(help="So many people may come by it.", min=1, max=500)] = 1,
    public_url: Annotated[
        str, typer.Option(metavar="URL", envvar="SAMOVAR_PUBLIC_URL", show_envvar=False, help="The site's address.")
    ] = "http://localhost:8080",
    data: DataOption = None,
    database: DatabaseOption = None,
) -> None:
    """Make a link that lets people in to a site for invited people. The site may run.

    Example: `samovar admin invite --owner`"""
    from samovar.web.people.members import new_invitation
    from samovar.web.store.database import beside_the_site
    from samovar.web.store.queries.members import MEMBER, OWNER
    from samovar.web.store.queries.members import invite as keep
    from samovar.web.store.store import RECALL

    with beside_the_site(_url(data, database)) as connection:
        secret = bytes.fromhex(connection.execute(RECALL, {"name": "secret"}).scalar_one())
        key, row = new_invitation(secret, "", OWNER if owner else MEMBER, days, uses)
        keep(connection, row)
    print(f"{public_url.removesuffix('/')}/invitation/{key}")


def _bring(source: str, target: str, even_damaged: bool) -> None:
    from samovar.cli.terminal import data_folder
    from samovar.web.store.backups import opened_copy, put_back

    with opened_copy(source, _room_beside(target)) as whole:
        found = _checked(whole)
        _tell(found)
        if found.damages and not even_damaged:
            raise StoreError("Nothing was replaced. Take another backup, or say --even-damaged.")
        kept = put_back(whole, target, data_folder())
    console = make_console()
    console.print("Done.", markup=False)
    if kept:
        console.print(f"As it was before: {kept}", markup=False, soft_wrap=True)


def _room_beside(target: str) -> Path | None:
    """A file takes the place of another one on the same disk only."""
    from samovar.web.store.database import Database, make_folder

    database = Database(target)
    if not database.exclusive:
        return None
    folder = Path(database.name).resolve().parent
    make_folder(folder)
    return folder


def _url(data: Path | None, database: str | None) -> str:
    from samovar.cli.terminal import data_folder
    from samovar.web.store.database import database_in

    return database or database_in(data or data_folder())


def _place(text: str) -> str:
    from samovar.web.store.database import database_in

    return text if "://" in text else database_in(Path(text).expanduser())


def _checked(whole: Path) -> Checked:
    """Of a file that nobody else uses."""
    from samovar.web.checking import check as look
    from samovar.web.store.backups import file_url
    from samovar.web.store.store import Store

    async def all_of_it() -> Checked:
        store = Store(file_url(whole))
        await store.open()
        try:
            with _told() as tell:
                return await look(store, tell)
        finally:
            await store.close()

    return asyncio.run(all_of_it())


@contextmanager
def _told() -> Iterator[Callable[[int, int], None]]:
    from rich.progress import Progress

    with Progress(console=make_console(), transient=True) as progress:
        task = progress.add_task("Reading the tables", total=None)
        yield lambda done, all_of_them: progress.update(task, completed=done, total=all_of_them)


def _tell(found: Checked) -> None:
    console = make_console()
    for damage in found.damages[:MOST_TOLD]:
        console.print(f"- {damage}", style="red", markup=False)
    if len(found.damages) > MOST_TOLD:
        console.print(f"- and {len(found.damages) - MOST_TOLD} more", style="red")
    facts = [
        f"{found.tables} tables",
        f"{found.proven} finished deals verified",
        *([f"{found.unproven} without a proof yet"] if found.unproven else []),
        *([f"{found.old} of older rules, kept as records"] if found.old else []),
        f"{len(found.damages)} damaged" if found.damages else "nothing damaged",
    ]
    console.print(f"{', '.join(facts)}.", markup=False)
