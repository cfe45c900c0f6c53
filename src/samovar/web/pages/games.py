"""What a game brings to its pages: its style and the picture on the home page."""

from __future__ import annotations

import zlib
from functools import cache
from pathlib import Path

from litestar import get
from litestar.datastructures import CacheControlHeader
from litestar.params import FromPath
from litestar.response import Response

from samovar.engine.contract import Game
from samovar.language.languages import ENGLISH
from samovar.web import problems
from samovar.web.drawing.render import render
from samovar.web.game_list import game_named

KINDS = {"table.css": "text/css; charset=utf-8", "cover.svg": "image/svg+xml"}


@get(
    "/games/{game_id:str}/{name:str}",
    include_in_schema=False,
    cache_control=CacheControlHeader(max_age=300, public=True),
)
async def game_file(game_id: FromPath[str], name: FromPath[str]) -> Response[bytes]:
    game = game_named(game_id)
    path = Path(game.folder) / name
    if name in KINDS and path.exists():
        return Response(path.read_bytes(), media_type=KINDS[name])
    if name == "cover.svg":
        return Response(plain_cover(game), media_type=KINDS[name])
    raise problems.NoSuchPage


@cache
def plain_cover(game: Game) -> bytes:
    """A picture for a game that has none: its first letters, on cloth that is woven from its name."""
    letters = "".join(word[0] for word in game.name.split()[:2])
    threads = zlib.crc32(game.id.encode())
    return render("plain_cover.svg", ENGLISH, {"game": game, "letters": letters, "threads": threads}).encode()
