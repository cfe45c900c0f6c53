"""The games for browsers: a module of WebAssembly with the rules and the search, and an ES module to use it by.

`write_wasm` makes a folder of static files: GAME.wasm, GAME.json (its facts), `samovar.mjs` and its types
`samovar.d.ts`. The last two are the same for all games, and depend on nothing. docs/wasm.md says how to use them.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from samovar.engine.contract import Game
from samovar.engine.ways.wasm import compile_wasm
from samovar.errors import NotWritten
from samovar.wasm.facts import facts_of
from samovar.wasm.search import ALL_ENTRIES

SCRIPTS = ("samovar.mjs", "samovar.d.ts")


def write_wasm(game: Game, folder: Path) -> list[Path]:
    """Writes all files that a page needs to play a game; says which."""
    module = compile_wasm(game, ALL_ENTRIES)
    facts = json.dumps({**facts_of(game), "wasm_bytes": len(module)}, ensure_ascii=False, separators=(",", ":"))
    written = [folder / f"{game.id}.wasm", folder / f"{game.id}.json", *(folder / name for name in SCRIPTS)]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        written[0].write_bytes(module)
        written[1].write_text(facts, encoding="utf-8")
        for name in SCRIPTS:
            shutil.copyfile(Path(__file__).with_name(name), folder / name)
    except OSError as error:
        raise NotWritten(
            f"The files cannot be written to {str(folder)!r}: {error.strerror}. Give another -o."
        ) from error
    return written
