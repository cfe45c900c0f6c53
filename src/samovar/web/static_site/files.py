"""What `samovar site DIR` writes: a first page, a page for each game, and all that they need to work offline."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable
from hashlib import blake2b
from pathlib import Path

from markupsafe import Markup

import samovar.wasm.script
from samovar.engine.contract import Game
from samovar.engine.words import words_in
from samovar.errors import NotWritten
from samovar.language.languages import ENGLISH, LANGUAGES, own_name, translations
from samovar.wasm import write_wasm
from samovar.web.drawing.render import HERE, PageFacts, art, environment, render
from samovar.web.game_list import told_seats
from samovar.web.static_site.script import SITE_SCRIPTS, pages_script, table_script, words_script

OWN = Path(__file__).parent
STYLES = ("samovar", "pace", "end", "clock", "curtain", "rules", "home")
CURTAIN = "curtain"  # for tables with several people on one device
ICONS = {"icon.svg": "any", "icon-192.png": "192x192", "icon-512.png": "512x512", "icon-maskable.png": "512x512"}
WORKER = "offline.js"


def write_site(games: Iterable[Game], folder: Path) -> list[Path]:
    """Writes all files; says which."""
    games = [*games]
    if folder.is_dir() and any(folder.iterdir()) and not (folder / WORKER).exists():
        raise NotWritten(f"{str(folder)!r} holds other files. Name a new or an empty folder.")
    try:
        for part in ("play", "static"):
            (folder / part).mkdir(parents=True, exist_ok=True)
        for game in games:
            write_drawing(game, folder / "play")
            write_wasm(game, folder / "play")
            _write_game(game, folder)
        (folder / "play" / "samovar.d.ts").unlink(missing_ok=True)  # for who writes programs
        _write_pages(games, folder)
        for name in [*(f"{name}.css" for name in STYLES), *(f"{name}.js" for name in (*SITE_SCRIPTS, CURTAIN)), *ICONS]:
            shutil.copyfile(HERE / "static" / name, folder / "static" / name)
        (folder / "manifest.webmanifest").write_text(json.dumps(_manifest()), encoding="utf-8")
        return _write_worker(folder)
    except OSError as error:
        raise NotWritten(
            f"The site cannot be written to {str(folder)!r}: {error.strerror}. Name another folder."
        ) from error


def write_drawing(game: Game, folder: Path) -> None:
    """The scripts that draw the tables of a game."""
    texts = {f"{game.id}.table.mjs": table_script(game), "pages.mjs": pages_script()}
    texts |= {f"{game.id}.{language}.mjs": words_script(game, language) for language in LANGUAGES}
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    runtime = Path(samovar.wasm.script.__file__).with_name("runtime.mjs")
    for path in (runtime, *(OWN / name for name in ("templates.mjs", "drawing.mjs", "play.mjs"))):
        shutil.copyfile(path, folder / path.name)


def _write_game(game: Game, folder: Path) -> None:
    own = folder / "games" / game.id
    own.mkdir(parents=True, exist_ok=True)
    for name in ("table.css", "cover.svg"):
        if (path := Path(game.folder) / name).exists():
            shutil.copyfile(path, own / name)
    page = folder / game.id / "index.html"
    page.parent.mkdir(exist_ok=True)
    styles = [f"static/{name}.css" for name in STYLES if name != "home"]
    if (own / "table.css").exists():
        styles.append(f"games/{game.id}/table.css")
    page.write_text(_shell(ENGLISH, game, styles, art(game), ""), encoding="utf-8")


def _write_pages(games: list[Game], folder: Path) -> None:
    for language in LANGUAGES:
        known: PageFacts = {"face": None, "words": {}, "say": None}
        macros = environment(language).get_template("static_play.html").make_module(known)
        cards = [
            {
                "id": game.id,
                "name": game.name,
                "pitch": words_in(game, language).get("pitch", ""),
                "cover": (folder / "games" / game.id / "cover.svg").exists(),
                "seats": told_seats(game),
                "minutes": game.minutes,
                "age": game.age,
            }
            for game in games
        ]
        text = _shell(language, None, ["static/samovar.css", "static/home.css"], "", macros.home(cards))  # type: ignore[attr-defined]
        (folder / home_of(language)).write_text(text, encoding="utf-8")


def home_of(language: str) -> str:
    return "index.html" if language == ENGLISH else f"index.{language}.html"


def _shell(language: str, game: Game | None, styles: list[str], drawings: str, content: str) -> str:
    facts = {
        "game": game,
        "root": "../" if game else "",
        "base": ".." if game else ".",
        "home": "" if game else home_of(language),
        "styles": styles,
        "languages": [(code, own_name(code)) for code in LANGUAGES],
        "needs": _needs(),
        "art": Markup(drawings),
        "content": Markup(content),
    }
    return render("static_shell.html", language, facts)


def _needs() -> list[tuple[str, str]]:
    """What a browser lacks, in all languages at once: where that is said, nothing runs that could choose one."""
    return [
        (
            code,
            translations(code).gettext(
                "The games need JavaScript and WebAssembly, which this browser does not have or does not allow."
            ),
        )
        for code in LANGUAGES
    ]


def _manifest() -> dict[str, object]:
    icons = [
        {"src": f"static/{name}", "sizes": size, "purpose": "maskable" if "maskable" in name else "any"}
        for name, size in ICONS.items()
    ]
    return {"name": "Samovar", "short_name": "Samovar", "start_url": "./", "display": "standalone", "icons": icons}


def _write_worker(folder: Path) -> list[Path]:
    """The worker that keeps all files, by their names and a hash of what is in them."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != WORKER)
    digest = blake2b(digest_size=8)
    for path in files:
        digest.update(f"{path.relative_to(folder).as_posix()}\0".encode() + path.read_bytes())
    names = [path.relative_to(folder).as_posix() for path in files]
    constants = f"const VERSION = {json.dumps(digest.hexdigest())};\nconst FILES = {json.dumps(names)};\n"
    worker = folder / WORKER
    worker.write_text(constants + (OWN / WORKER).read_text(encoding="utf-8"), encoding="utf-8")
    return [*files, worker]
