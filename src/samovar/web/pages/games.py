"""What a game brings to its pages: its style and the picture on the home page."""

from __future__ import annotations

from pathlib import Path

from litestar import get
from litestar.datastructures import CacheControlHeader
from litestar.params import FromPath
from litestar.response import Response

from samovar.web import problems
from samovar.web.pages.home import game_named

KINDS = {"table.css": "text/css; charset=utf-8", "cover.svg": "image/svg+xml"}


@get(
    "/games/{game_id:str}/{name:str}",
    include_in_schema=False,
    cache_control=CacheControlHeader(max_age=300, public=True),
)
async def game_file(game_id: FromPath[str], name: FromPath[str]) -> Response[bytes]:
    path = Path(game_named(game_id).folder) / name
    if name not in KINDS or not path.exists():
        raise problems.NoSuchPage
    return Response(path.read_bytes(), media_type=KINDS[name])


HANDLERS = [game_file]
