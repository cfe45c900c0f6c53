"""`samovar serve`: the site on this machine, for everybody in the same network."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import socket
import sys
import threading
import webbrowser
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path

import segno
import uvicorn
from uvicorn.supervisors import Multiprocess

from samovar.errors import StoreError
from samovar.web.app import Site, make_app
from samovar.web.store import Store
from samovar.web.thinker import end_with_parent

ENVIRONMENT = "SAMOVAR_SITE"  # carries a Site to the processes of a larger one
GRACE_SECONDS = 3
KEEP_SECONDS = 65  # an idle connection is kept; closed sooner, it may be cut just when the next request is on its way


def database_in(folder: Path) -> str:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"The folder {str(folder)!r} cannot be made: {error.strerror}. Give another one with --data.") from error
    return f"sqlite:///{folder / 'samovar.db'}"


def serve(database: str, host: str, port: int, *, workers: int = 1, browser: bool = True, requests_per_minute: int = 1200) -> None:
    """Runs until it is told to stop. A port that is taken is an error, unless none was asked for (0)."""
    if workers > 1 and not database.startswith("postgresql"):
        raise StoreError("Several workers need a database that they can share: give --database postgresql+psycopg://..., or leave --workers away.")
    listening = listen(host, port)
    port = listening.getsockname()[1]
    secret = asyncio.run(_secret(database))
    pause = float(os.environ.get("SAMOVAR_BOT_PAUSE", Site.bot_pause))
    site = Site(database, secret, lan_address(host, port), requests_per_minute=requests_per_minute, bot_pause=pause)
    if workers > 1:
        site = replace(site, thinkers=1)
    announce(site, host, port)
    if browser:
        threading.Timer(0.8, webbrowser.open, [f"http://localhost:{port}/"]).start()
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(name)s: %(message)s", stream=sys.stderr)
    with suppress(KeyboardInterrupt):  # how it is meant to end; the tables are saved by then
        run(site, listening, workers)


def run(site: Site, listening: socket.socket, workers: int) -> None:
    settings = {
        "log_level": "warning",
        "access_log": False,
        "timeout_graceful_shutdown": GRACE_SECONDS,
        "timeout_keep_alive": KEEP_SECONDS,
        "proxy_headers": False,
        "server_header": False,
    }
    if workers == 1:
        uvicorn.Server(uvicorn.Config(make_app(site), **settings)).run(sockets=[listening])  # type: ignore[arg-type]
        return
    os.environ[ENVIRONMENT] = json.dumps({**asdict(site), "secret": site.secret.hex()})
    config = uvicorn.Config("samovar.web.serve:from_environment", factory=True, workers=workers, **settings)  # type: ignore[arg-type]
    Multiprocess(config, sockets=[listening]).run()


def from_environment() -> object:
    """One process of several. It does not outlive the one that started it, or the port would stay taken."""
    end_with_parent()
    told = json.loads(os.environ[ENVIRONMENT])
    return make_app(Site(**{**told, "secret": bytes.fromhex(told["secret"])}))


def listen(host: str, port: int) -> socket.socket:
    made = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((host, port))
    except OSError as error:
        raise StoreError(f"Port {port} of {host} cannot be used: {error.strerror}. Give another one with --port.") from error
    made.listen(2048)
    made.set_inheritable(True)
    return made


async def _secret(database: str) -> bytes:
    store = Store(database)
    await store.open()
    try:
        return await store.secret()
    finally:
        await store.close()


def lan_address(host: str, port: int) -> str:
    """Where others in the same network find this machine; empty if it listens to itself alone."""
    if host not in ("0.0.0.0", "::"):
        return "" if host.startswith("127.") or host in ("::1", "localhost") else f"http://{host}:{port}"
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing: asks which way packets would go
            return f"http://{probe.getsockname()[0]}:{port}"
        except OSError:
            return ""


def announce(site: Site, host: str, port: int) -> None:
    print(f"\n  Samovar is on the table:  http://localhost:{port}/")
    if site.lan_address:
        print(f"  In the same network:      {site.lan_address}/\n")
        segno.make(f"{site.lan_address}/", error="l").terminal(compact=True)
    print("\n  Ctrl+C ends it; every table is kept.\n", flush=True)
