"""The page by which a device learns to trust a site with a certificate of its own (`samovar serve --https`).

It cannot be on that site, which the device does not trust yet: it is served without encryption beside it, and has
nothing but the certificate of the authority, which is no secret, and how to install it.
"""

from __future__ import annotations

import io
import socket
import threading
from functools import partial
from typing import Any, NamedTuple

import segno
import uvicorn
from litestar import Litestar, Request, get
from litestar.response import Response

from samovar.web.drawing.render import render
from samovar.web.server.authority import Signed
from samovar.web.server.connections import IDLE_SECONDS, Connection, ConnectionLimits
from samovar.web.visit import language_of

FILE = "/samovar.crt"
CONNECTIONS = 20  # of one address


class Trusting(NamedTuple):
    """Where the page is, for the network and for this machine, and how to know that it is the right one."""

    address: str
    local: str
    fingerprint: str


def trust_app(authority: Signed, site: str, page: str) -> Litestar:
    """`site`: where the site is found; `page`: where this page is, for a phone that reads its code."""
    code = io.BytesIO()
    segno.make(page, error="m").save(code, kind="svg", xmldecl=False, svgns=True, omitsize=True, border=3)
    facts = {"site": site, "page": page, "code": code.getvalue().decode(), "fingerprint": authority.fingerprint}

    @get("/")
    async def how_to(request: Request[Any, Any, Any]) -> Response[str]:
        return Response(render("trust.html", language_of(request), {**facts, "file": FILE}), media_type="text/html")

    @get(FILE)
    async def certificate() -> Response[bytes]:
        return Response(authority.der, media_type="application/x-x509-ca-cert")

    return Litestar([how_to, certificate], openapi_config=None, logging_config=None)


def offer(app: Litestar, listening: socket.socket) -> None:
    """Beside the site, as long as it runs, and with the same bounds on connections."""
    protocol: Any = partial(Connection, ConnectionLimits(CONNECTIONS))
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=IDLE_SECONDS,
        http=protocol,
        ws="none",
        lifespan="off",
    )
    threading.Thread(target=uvicorn.Server(config).run, kwargs={"sockets": [listening]}, daemon=True).start()
