"""Fixtures for the tests of the site."""

from __future__ import annotations

import random
import secrets
from collections.abc import Callable, Iterator
from pathlib import Path
from shutil import copytree
from typing import TYPE_CHECKING, Any

import pytest

from samovar.web.store import schema
from support import servers
from support.databases import Missing, Server, postgresql
from support.scopes import scope_of_browsers

if TYPE_CHECKING:  # only `make test-all` installs Playwright
    from playwright.sync_api import Browser

    from support.browsers import Guest


@pytest.fixture(autouse=True)
def same_deals(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A site in this process deals by the name of the test, so that what fails once fails again."""
    draws = random.Random(request.node.nodeid)
    monkeypatch.setattr(secrets, "token_hex", lambda size=32: draws.randbytes(size).hex())


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[Server]:
    """One server for all tests of this process."""
    try:
        with postgresql() as server:
            yield server
    except Missing as missing:
        pytest.skip(str(missing))


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database for the test, of either kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'data' / 'samovar.db'}"
    server: Server = request.getfixturevalue("postgresql_server")
    return server.new_database()


@pytest.fixture(scope=scope_of_browsers)
def server(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[servers.Server]:
    with servers.serving(tmp_path_factory.mktemp("site")) as site:
        yield site


@pytest.fixture
def visit(request: pytest.FixtureRequest, browser: Browser, server: servers.Server) -> Iterator[Callable[..., Guest]]:
    """Makes guests. Whatever they do, their browsers must have nothing to complain about: no error,
    no broken security policy."""
    from support.browsers import Guest

    guests: list[Guest] = []
    draws = random.Random(request.node.nodeid)

    def visit(manner: str = "mouse", address: str = server.address, **facts: Any) -> Guest:
        guests.append(Guest(browser, address, manner, seed=draws.getrandbits(32), **facts))
        return guests[-1]

    yield visit
    complaints = [complaint for guest in guests for complaint in guest.complaints]
    for guest in guests:
        print(guest.last_seen())  # shown when the test fails
        guest.close()
    assert complaints == []


@pytest.fixture
def tomorrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The migrations of a later Samovar, with one more, in use until the test ends."""
    folder = copytree(schema.MIGRATIONS, tmp_path / "migrations")
    monkeypatch.setattr(schema, "MIGRATIONS", folder)
    return folder / "versions" / "9999_next.py"
