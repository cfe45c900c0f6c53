"""The lab is tried on small games whose figures are known by thought."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from samovar.engine.registry import find_game
from support import known_games


@pytest.fixture
def _known_games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """They are installed."""
    known_games.install(tmp_path, monkeypatch)
    find_game.cache_clear()
    yield
    monkeypatch.undo()
    find_game.cache_clear()
