"""`samovar new`: a small game with hidden cards as a package of its own, to be turned into another.

`template` is that package as it is written, a real game with the name Tall pile; only its name is
replaced. It knows nothing of this package.
"""

from __future__ import annotations

import re
import shutil
from importlib.util import find_spec
from keyword import iskeyword
from pathlib import Path

from samovar.engine.registry import find_game
from samovar.errors import BrokenGame, NotWritten, UnknownGame

TEMPLATE = Path(__file__).parent / "template"
ID, NAME = "tall_pile", "Tall pile"
WRITTEN = ("*.py", "*.md", "*.toml", "*.txt", "*.csv")
NAME_FORM = re.compile("[a-z][a-z0-9_]*")
NOT_ON_WINDOWS = {"con", "prn", "aux", "nul"} | {f"{port}{number}" for port in ("com", "lpt") for number in range(10)}


def write_game(game_id: str, folder: Path) -> Path:
    """Writes the package of a new game into a folder and says where it is. An error means that
    nothing was written."""
    check_form(game_id)
    if not folder.is_dir():
        raise NotWritten(f"There is no folder {str(folder)!r} to put the game in. Make it, or give another --folder.")
    target = folder / game_id
    if target.exists():
        raise NotWritten(f"{str(target)!r} is there already. Take another name or another --folder, or delete it.")
    check_free(game_id)
    beside = folder / f".{game_id}.part"  # all of it or nothing
    try:
        for pattern in WRITTEN:
            for path in TEMPLATE.rglob(pattern):
                place = beside / renamed(path.relative_to(TEMPLATE).as_posix(), game_id)
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_text(renamed(path.read_text(encoding="utf-8"), game_id), encoding="utf-8", newline="\n")
        beside.rename(target)
    except OSError as error:
        shutil.rmtree(beside, ignore_errors=True)
        raise NotWritten(
            f"The game cannot be written to {str(target)!r}: {error.strerror}. Give another --folder."
        ) from error
    return target


def renamed(text: str, game_id: str) -> str:
    """The text of the template with the names of another game."""
    words = game_id.replace("_", " ").split()
    for old, new in (
        (ID, game_id),
        (NAME, " ".join(words).capitalize()),
        (ID.replace("_", "-"), "-".join(words)),
    ):
        text = text.replace(old, new)
    return text


def check_form(game_id: str) -> None:
    """It becomes the id of a game, a folder, and a module of Python."""
    if not NAME_FORM.fullmatch(game_id) or iskeyword(game_id):
        raise NotWritten(
            f"{game_id!r} cannot be the name of a game. Take small letters, digits and underscores, a letter first: "
            "my_game."
        )
    if game_id in NOT_ON_WINDOWS:
        raise NotWritten(f"No folder can be called {game_id!r} on Windows. Take another name.")


def check_free(game_id: str) -> None:
    try:
        find_game(game_id)
    except UnknownGame:
        pass
    except BrokenGame:
        raise NotWritten(f"There is a game {game_id!r} already, though a broken one. Take another name.") from None
    else:
        raise NotWritten(f"There is a game {game_id!r} already. Take another name.")
    if find_spec(game_id) is not None:
        raise NotWritten(f"Python has a module {game_id!r} already, which would hide the game. Take another name.")
