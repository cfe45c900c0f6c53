"""The files of the page on which games are played, docs/play/.

Rules, bots, pictures and words come from the games themselves. All but the page and its service worker lie in a folder
named by a hash of what is in them, so a browser never mixes two versions, and may keep each for ever.
"""

from __future__ import annotations

import json
import shutil
import sys
from hashlib import blake2b
from pathlib import Path

from samovar.engine.contract import Game
from samovar.engine.registry import find_game
from samovar.errors import NoLinker
from samovar.games.babuschka.board import BOARD, FACING, GOAL, fields_of, square_of
from samovar.json_types import JsonObject
from samovar.language.languages import ENGLISH
from samovar.wasm import write_wasm

PLAYED = ("connect_four", "babuschka")
STATIC = Path(__file__).parent.parent / "src" / "samovar" / "web" / "static"
ICONS = {"icon-192.png": "any", "icon-512.png": "any", "icon-maskable.png": "maskable"}
SIZES = {"icon-192.png": "192x192"}
PAGE, WORKER = "index.md", "offline.js"  # their addresses stay
LEFT_OUT = "It was made without them."
# How the tables of the site and the documentation say that it is dark.
DARK = {
    "@media (prefers-color-scheme: dark)": "@media all",
    ':root:not([data-theme="light"])': '[data-md-color-scheme="slate"]',
}


def write_play(docs: Path, *, with_games: bool = True) -> None:
    """Completes the page in a copy of docs/."""
    play = docs / "play"
    problem = write_games(play) if with_games else LEFT_OUT
    games = {} if problem else {game.id: facts(game) for game in map(find_game, PLAYED)}
    write_json(play / "games.json", {"games": games, "problem": problem})
    styles = [dark_by_switch(own(game, "table.css")) for game in PLAYED if own(game, "table.css").exists()]
    with (play / "play.css").open("a", encoding="utf-8") as sheet:
        sheet.write("\n".join(["", *styles]))
    for icon in ICONS:
        shutil.copyfile(STATIC / icon, play / icon)
    write_json(play / "play.webmanifest", manifest())
    (play / "samovar.d.ts").unlink(missing_ok=True)  # for who writes programs
    put_into_version(play)


def put_into_version(play: Path) -> None:
    """Moves the files into the folder of their version, and tells the page and its worker about it."""
    files = sorted(play.iterdir())
    version = hash_of(files)
    (play / version).mkdir()
    moved = [file.rename(play / version / file.name) for file in files if file.name not in (PAGE, WORKER)]
    told = {"VERSION": version, "FILES": [f"{version}/{file.name}" for file in moved]}
    constants = "".join(f"const {name} = {json.dumps(value)};\n" for name, value in told.items())
    worker, page = play / WORKER, play / PAGE
    worker.write_text(f"{constants}\n{worker.read_text(encoding='utf-8')}", encoding="utf-8")
    page.write_text(page.read_text(encoding="utf-8").replace("VERSION", version), encoding="utf-8")


def write_games(folder: Path) -> str:
    """Says why there are none, where they cannot be made."""
    try:
        for game in PLAYED:
            write_wasm(find_game(game), folder)
    except NoLinker as error:
        print(f"The page docs/play/ will have no games. {error}", file=sys.stderr)
        return str(error)
    return ""


def facts(game: Game) -> JsonObject:
    """What the drawing of a game goes by."""
    art = own(game.id, "art.svg")
    told: JsonObject = {
        "name": game.name,
        "words": dict(game.words[ENGLISH]),
        "art": art.read_text(encoding="utf-8") if art.exists() else "",
    }
    return {**told, **babuschka_board()} if game.id == "babuschka" else told


def babuschka_board() -> JsonObject:
    """By number: the fields that there are, and the goal fields of either player."""
    goals = [int(GOAL[2, FACING[2, seat]]) for seat in range(2)]
    return {"fields": squares(BOARD), "goals": [squares(goal) for goal in goals]}


def squares(fields: int) -> list[int]:
    return [square_of(name) for name in fields_of(fields)]


def own(game: str, name: str) -> Path:
    """A file in the folder of a game."""
    return Path(find_game(game).folder) / name


def dark_by_switch(sheet: Path) -> str:
    style = sheet.read_text(encoding="utf-8")
    for site, documentation in DARK.items():
        if site not in style:
            raise ValueError(f"The style of a game says otherwise when it is dark: there is no {site}.")
        style = style.replace(site, documentation)
    return style


def manifest() -> JsonObject:
    """The page as an app; its addresses are seen from the folder of a version."""
    return {
        "name": "Samovar: play against the bots",
        "short_name": "Samovar",
        "start_url": "../index.html",
        "scope": "../",
        "display": "standalone",
        "background_color": "#f8efdf",
        "theme_color": "#efe0c6",
        "icons": [
            {"src": icon, "sizes": SIZES.get(icon, "512x512"), "type": "image/png", "purpose": purpose}
            for icon, purpose in ICONS.items()
        ],
    }


def write_json(path: Path, value: JsonObject) -> None:
    path.write_text(json.dumps(value, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")


def hash_of(files: list[Path]) -> str:
    total = blake2b(digest_size=6)
    for file in files:
        total.update(f"{file.name} {file.stat().st_size} ".encode() + file.read_bytes())
    return total.hexdigest()
