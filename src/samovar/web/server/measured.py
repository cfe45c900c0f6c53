"""Every request of a site, counted and timed, around all else. A slow one is told in the log: by its kind and the
shape of its path, not by the path itself, which may be the way in for somebody."""

from __future__ import annotations

import logging
import re
import time
from typing import Any

from samovar.web.base_path import inside
from samovar.web.figures import REQUEST_SECONDS, REQUESTS

SLOW_SECONDS = 1.0
KINDS = {
    "move": re.compile(r"/api/tables/[^/]+/moves|/table/[^/]+/move"),
    "stream": re.compile(r"/live|/tour/[^/]+/live|/api/tables/[^/]+/events"),
    "file": re.compile(r"/(static|games)/.*|/service_worker\.js"),
    "watch": re.compile(r"/health|/metrics"),
    "api": re.compile(r"/api/.*"),
}

log = logging.getLogger("samovar.web")


def kind_of(method: str, path: str) -> str:
    """Looking at the moves there are is not a move."""
    found = next((kind for kind, paths in KINDS.items() if paths.fullmatch(path)), "page")
    return "api" if found == "move" and method != "POST" else found


def measured(app: Any) -> Any:
    """Plain ASGI."""

    async def measure(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        began, kind = time.monotonic(), kind_of(scope["method"], inside(scope["path"]))

        async def timed(message: Any) -> None:
            if message["type"] == "http.response.start":
                tell(scope, kind, time.monotonic() - began, message["status"])
            await send(message)

        await app(scope, receive, timed)

    return measure


def tell(scope: Any, kind: str, seconds: float, status: int) -> None:
    REQUESTS.add(1, kind, f"{status // 100}xx")
    REQUEST_SECONDS.observe(seconds, kind)
    if seconds >= SLOW_SECONDS:
        path = scope.get("path_template", "")
        log.info("slow: a %s took %.1f seconds (%s %s, answered %d)", kind, seconds, scope["method"], path, status)
