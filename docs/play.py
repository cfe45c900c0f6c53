"""The files of the page on which games are played: docs/play.md, and what docs/play/ draws it with.

Rules, bots, pictures and words come from the games themselves. All files lie in a folder named by a hash of what is in
them, so a browser never mixes two versions, and may keep each for ever.
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
from samovar.languages import ENGLISH
from samovar.wasm import write_wasm

PLAYED = ("connect_four", "babuschka")
STATIC = Path(__file__).parent.parent / "src" / "samovar" / "web" / "static"
ICONS = {"icon-192.png": "any", "icon-512.png": "any", "icon-maskable.png": "maskable"}
SIZES = {"icon-192.png": "192x192"}
NOT_SERVED = ("offline.js", "samovar.d.ts")
LEFT_OUT = "It was made without them."
# How the tables of the site and the documentation say that it is dark.
DARK = {
    "@media (prefers-color-scheme: dark)": "@media all",
    ':root:not([data-theme="light"])': '[data-md-color-scheme="slate"]',
}


def write_play(docs: Path, *, with_games: bool = True) -> None:
    """Completes the page in a copy of docs/."""
    sources = docs / "play"
    problem = write_games(sources) if with_games else LEFT_OUT
    games = {} if problem else {game.id: facts(game) for game in map(find_game, PLAYED)}
    write_json(sources / "games.json", {"games": games, "problem": problem})
    styles = [
        dark_by_switch(style.read_text(encoding="utf-8"))
        for game in PLAYED
        if (style := own(game, "table.css")).exists()
    ]
    with (sources / "play.css").open("a", encoding="utf-8") as sheet:
        sheet.write("\n".join(["", *styles]))
    for icon in ICONS:
        shutil.copyfile(STATIC / icon, sources / icon)
    write_json(sources / "play.webmanifest", manifest())
    worker = (sources / "offline.js").read_text(encoding="utf-8")
    page = docs / "play.md"
    version = hash_of([page, *sorted(sources.iterdir())])
    for name in NOT_SERVED:
        (sources / name).unlink(missing_ok=True)
    sources.rename(docs / version)
    shutil.move(docs / version, docs / "play" / version)
    files = sorted(f"play/{version}/{file.name}" for file in (docs / "play" / version).iterdir())
    told = f"const VERSION = {json.dumps(version)};\nconst FILES = {json.dumps(files)};\n\n"
    (docs / "play-offline.js").write_text(told + worker, encoding="utf-8")
    page.write_text(page.read_text(encoding="utf-8").replace("VERSION", version), encoding="utf-8")


def write_games(folder: Path) -> str:
    """Says why there are none, where they cannot be made."""
    try:
        for game in PLAYED:
            write_wasm(find_game(game), folder)
    except NoLinker as error:
        print(f"The page docs/play.md will have no games. {error}", file=sys.stderr)
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


def dark_by_switch(style: str) -> str:
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
        "start_url": "../../play.html",
        "scope": "../../play.html",
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
