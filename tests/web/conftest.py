"""Fixtures for the tests of the site."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from databases import Missing, Server, postgresql


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
