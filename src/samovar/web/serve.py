"""`samovar serve`: the site on this machine, for everybody in the same network."""

from __future__ import annotations

import asyncio
import errno
import gc
import json
import logging
import os
import socket
import sys
import tempfile
import threading
import time
import webbrowser
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict, replace
from functools import partial
from ipaddress import ip_network
from multiprocessing import parent_process
from pathlib import Path
from typing import Any

import segno
import uvicorn
from litestar import Litestar
from uvicorn.supervisors import Multiprocess

from samovar.errors import BadAddress, StoreError
from samovar.processes import end_with_parent
from samovar.web.app import make_app
from samovar.web.jobs import backups
from samovar.web.notifications.mail import MailServer
from samovar.web.server.connections import IDLE_SECONDS, Connection, ConnectionLimits, raise_file_limit
from samovar.web.site import Site
from samovar.web.store.database import make_folder, tighten
from samovar.web.store.store import Store
from samovar.web.visit import is_host

PORT_SECONDS = 3.0  # the processes of a site that was just killed may hold its port for a moment
ENVIRONMENT = "SAMOVAR_SITE"  # carries a Site to the processes of a larger one
GRACE_SECONDS = 3
GARBAGE_AT = 20_000  # new objects; Python's own 700 took a twentieth of the time of a busy site
USUAL_FOLDER = Path(os.path.expanduser("~/.samovar"))


def database_in(folder: Path) -> str:
    try:
        make_folder(folder)
    except OSError as error:
        raise StoreError(
            f"The folder {str(folder)!r} cannot be made: {error.strerror}. Give another one with --data."
        ) from error
    if folder == USUAL_FOLDER:
        tighten(folder, 0o700)
    return f"sqlite:///{folder / 'samovar.db'}"


def serve(
    database: str,
    host: str,
    port: int,
    *,
    workers: int = 1,
    browser: bool = True,
    routine: backups.Routine | None = None,
    **settings: Any,
) -> None:
    """Runs until it is told to stop; the settings are fields of Site. A port that is taken is an
    error, unless none was asked for (0)."""
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(name)s: %(message)s", stream=sys.stderr)
    if workers > 1 and not database.startswith("postgresql"):
        raise StoreError(
            "Several workers need a database that they can share: give --database postgresql+psycopg://..., or leave "
            "--workers away."
        )
    listening = listen(host, port)
    port = listening.getsockname()[1]
    secret = asyncio.run(_secret(database))
    pause = float(os.environ.get("SAMOVAR_BOT_PAUSE", Site.bot_pause))
    site = Site(database, secret, lan_address(host, port), bot_pause=pause, **settings)
    if workers > 1:
        site = replace(site, bot_processes=1)
    announce(site, host, port)
    if browser:
        threading.Timer(0.8, webbrowser.open, [f"http://localhost:{port}/"]).start()
    raise_file_limit()
    if routine:
        backups.begin(database, routine)
    with suppress(KeyboardInterrupt):  # how it is meant to end; the tables are saved by then
        run(site, listening, workers)


def run(site: Site, listening: socket.socket, workers: int) -> None:
    if workers == 1:
        uvicorn.Server(uvicorn.Config(lasting_app(site), **for_uvicorn(site))).run(sockets=[listening])
        return
    with tempfile.NamedTemporaryFile(prefix="samovar-") as compiling:
        site = replace(site, compiling=compiling.name)
        os.environ[ENVIRONMENT] = json.dumps({**asdict(site), "secret": site.secret.hex()})
        config = uvicorn.Config(
            "samovar.web.serve:from_environment", factory=True, workers=workers, **for_uvicorn(site)
        )
        Multiprocess(config, sockets=[listening]).run()


def for_uvicorn(site: Site) -> dict[str, Any]:
    return {
        "log_level": "warning",
        "access_log": False,
        "timeout_graceful_shutdown": GRACE_SECONDS,
        "timeout_keep_alive": IDLE_SECONDS,
        "proxy_headers": bool(site.proxies),
        "forwarded_allow_ips": [*site.proxies],
        "server_header": False,
        "http": partial(Connection, ConnectionLimits(site.connections_per_address, site.proxies)),
        "ws": "none",
    }


def from_environment() -> object:
    """One process of several. It does not outlive the one that started it, or the port would stay
    taken."""
    end_with_parent()
    parent = parent_process()
    if parent is not None and parent.pid != os.getppid():  # it was killed before it could be watched
        os._exit(1)
    settings = json.loads(os.environ[ENVIRONMENT])
    return lasting_app(
        Site(**{**settings, "secret": bytes.fromhex(settings["secret"]), "proxies": tuple(settings["proxies"])})
    )


def lasting_app(site: Site) -> Litestar:
    """The site of a process that does nothing else. All that is loaded by then stays: to look for
    garbage in it would stop everybody for 50 ms. What is drawn and sent is no garbage that must be
    looked for, so that is done less often than usual."""
    app = make_app(site)
    gc.freeze()
    gc.set_threshold(GARBAGE_AT, 20, 20)
    return app


def parse_public_url(url: str) -> str:
    """Where everybody finds the site, without a slash at the end."""
    scheme, _, host = url.lower().removesuffix("/").partition("://")
    if scheme not in ("http", "https") or not is_host(host):
        raise BadAddress(
            f"{url!r} cannot be the address of this site: give one such as https://games.example.org, with nothing "
            "after the name."
        )
    return f"{scheme}://{host}"


def parse_proxies(texts: Iterable[str]) -> tuple[str, ...]:
    """Addresses and networks, also several in one word with commas between them."""
    networks = tuple(word.strip() for words in texts for word in words.split(","))
    for word in networks:
        try:
            ip_network(word)
        except ValueError as error:
            raise BadAddress(
                f"{word!r} is no address of a proxy: give one such as 127.0.0.1, or a network such as 10.0.0.0/8."
            ) from error
    return networks


def check_calls(public_url: str, mail_server: str, mail_sender: str, contact: str) -> None:
    """What is needed to call people who are away, before anything is started."""
    if mail_server or mail_sender:
        MailServer(mail_server, mail_sender)
        if not public_url:
            raise BadAddress("Letters hold links to this site: give --public-url along with --mail-server.")
    if contact and not contact.startswith(("mailto:", "https://")):
        raise BadAddress(f"{contact!r} is no contact: give mailto: with an address, or the https:// address of a page.")


def backup_routine(every: str, kept: int, folder: Path) -> backups.Routine | None:
    """How the site backs itself up; None: it does not."""
    return backups.Routine(folder, backups.parse_span(every), kept) if every else None


def lab_for(lab: bool | None, *, is_open: bool, workers: int) -> str:
    """Who may use the lab. It keeps what it measures in one process, so there can only be one."""
    if workers > 1 and lab:
        raise StoreError("The lab keeps its reports in the memory of one process: leave --workers or --lab away.")
    if lab is None and not is_open and workers == 1:
        return "here"
    return "everybody" if lab else "nobody"


def listen(host: str, port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    until = time.monotonic() + PORT_SECONDS
    while True:
        try:
            listener.bind((host, port))
            break
        except OSError as error:
            if error.errno != errno.EADDRINUSE or time.monotonic() > until:
                raise StoreError(
                    f"Port {port} of {host} cannot be used: {error.strerror}. Give another one with --port."
                ) from error
        time.sleep(0.1)
    listener.listen(2048)
    listener.set_inheritable(True)
    return listener


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
    whom, address = (
        ("For everybody:", site.public_url) if site.public_url else ("In the same network:", site.lan_address)
    )
    if address:
        print(f"  {whom:<24}  {address}/\n")
        segno.make(f"{address}/", error="l").terminal(compact=True)
    print("\n  Ctrl+C ends it; every table is kept.\n", flush=True)
