"""`samovar serve`: the site on this machine, for everybody in the same network."""

from __future__ import annotations

import asyncio
import errno
import gc
import json
import logging
import os
import re
import socket
import sys
import tempfile
import threading
import time
import webbrowser
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from ipaddress import ip_network
from multiprocessing import parent_process
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import segno
import uvicorn
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from samovar.engine.installed import own_version
from samovar.errors import BadAddress, StoreError
from samovar.processes import end_with_parent
from samovar.web import figures, logs
from samovar.web.app import make_app
from samovar.web.base_path import lie_under
from samovar.web.jobs import backups
from samovar.web.notifications.mail import MailServer
from samovar.web.people.members import Members
from samovar.web.server.authority import context_of, is_home, own_hosts, prepare
from samovar.web.server.connections import IDLE_SECONDS, Connection, ConnectionLimits, raise_file_limit
from samovar.web.server.entry import remember_peer
from samovar.web.server.measured import measured
from samovar.web.server.trust import Trusting, offer, trust_app
from samovar.web.server.workers import run_alone, run_several
from samovar.web.site import Site
from samovar.web.store.store import Store
from samovar.web.visit import is_host

PORT_SECONDS = 3.0  # the processes of a site that was just killed may hold its port for a moment
ENVIRONMENT = "SAMOVAR_SITE"  # carries a Site to the processes of a larger one
WAITING = 2048  # connections, until they are taken
GRACE_SECONDS = 3
PATH = re.compile(
    r"[A-Za-z0-9~_-][\w.~-]*(/[A-Za-z0-9~_-][\w.~-]*)*", re.ASCII
)  # of a site that has no name of its own
GARBAGE_AT = 20_000  # new objects; Python's own 700 took a twentieth of the time of a busy site

log = logging.getLogger("samovar.web")


def serve(
    database: str,
    host: str,
    port: int,
    *,
    workers: int = 1,
    browser: bool = True,
    routine: backups.Routine | None = None,
    certificates: Path | None = None,
    **settings: Any,
) -> None:
    """Runs until it is told to stop; the settings are fields of Site. `certificates`: the folder of those for HTTPS,
    None without. A port that is taken is an
    error, unless none was asked for (0)."""
    logs.begin(settings.get("log_level", Site.log_level), settings.get("log_format", Site.log_format))
    if workers > 1 and not database.startswith("postgresql"):
        raise StoreError(
            "Several workers need a database that they can share: give --database postgresql+psycopg://..., or leave "
            "--workers away."
        )
    # Who comes before the site is ready waits; a proxy is better told to ask another instance.
    listening = listen(host, port, waits=not settings.get("proxies"))
    port = listening.getsockname()[1]
    secret = asyncio.run(_secret(database))
    check_entry(settings)
    first_link = asyncio.run(_first_link(database, secret)) if settings.get("entry") == "invited" else ""
    pause = float(os.environ.get("SAMOVAR_BOT_PAUSE", Site.bot_pause))
    site = Site(database, secret, lan_address(host, port), bot_pause=pause, **settings)
    trusted = None
    if certificates:
        site, trusted = with_certificate(site, certificates, host, port)
    if workers > 1:
        site = replace(site, bot_processes=1)
    announce(site, host, port, first_link, trusted)
    log.info(
        "Samovar %s starts: port %d, %s, %d %s",
        own_version(), port, kind_of_database(database), workers, "process" if workers == 1 else "processes",
    )  # fmt: skip
    if browser:
        threading.Timer(0.8, webbrowser.open, [trusted.local if trusted else local_address(site, host, port)]).start()
    raise_file_limit()
    if routine:
        backups.begin(database, routine)
    try:
        run(site, listening, workers)
    except KeyboardInterrupt:  # how it is meant to end; the tables are saved by then
        pass
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            raise
        raise not_this_port(host, port, error) from error
    log.info("Samovar has ended")


def certificate_folder(https: bool, public_url: str, folder: Path) -> Path | None:
    """Where a site keeps its own certificates; None without HTTPS of its own."""
    if https and public_url and not public_url.startswith("https:"):
        raise BadAddress(f"With --https the address of the site begins with https://, unlike {public_url}.")
    return folder / "https" if https else None


def with_certificate(site: Site, folder: Path, host: str, port: int) -> tuple[Site, Trusting]:
    """The site by HTTPS, and where devices learn to trust it: at the next port, without."""
    site = replace(site, lan_address=site.lan_address.replace("http:", "https:", 1))
    address = site.public_url or site.lan_address or f"https://localhost:{port}"
    given, found = (str(urlsplit(one).hostname or "localhost") for one in (address, site.lan_address))
    authority, file = prepare(folder, own_hosts(given, *([found] if is_home(found) else ())))
    listening = listen(host, port + 1 if port < 65535 else 0)
    own = listening.getsockname()[1]
    trusting = Trusting(f"http://{bracketed(given)}:{own}/", f"http://{name_here(host)}:{own}/", authority.fingerprint)
    offer(trust_app(authority, address, trusting.address), listening)
    return replace(site, certificate=str(file)), trusting


def run(site: Site, listening: socket.socket, workers: int) -> None:
    if workers == 1:
        run_alone(uvicorn.Config(lasting_app(site), **for_uvicorn(site)), listening)
        return
    with tempfile.TemporaryDirectory(prefix="samovar-", ignore_cleanup_errors=True) as folder:
        site = replace(site, compiling=str(Path(folder) / "compiled"), figures=folder)
        figures.block.share(Path(folder))
        os.environ[ENVIRONMENT] = json.dumps({**asdict(site), "secret": site.secret.hex()})
        config = uvicorn.Config(
            "samovar.web.serve:from_environment", factory=True, workers=workers, **for_uvicorn(site)
        )
        run_several(config, listening)


def for_uvicorn(site: Site) -> dict[str, Any]:
    context = partial(context_of, site.certificate) if site.certificate else None
    return {
        "log_config": None,  # what it says goes where all goes
        "log_level": "warning",
        "access_log": False,
        "timeout_graceful_shutdown": GRACE_SECONDS,
        "timeout_keep_alive": IDLE_SECONDS,
        "proxy_headers": False,  # `lasting_app` believes proxies, after it has seen who has really asked
        "server_header": False,
        "http": partial(Connection, ConnectionLimits(site.connections_per_address, site.proxies, context)),
        "ws": "none",
        # Windows has two loops of events: psycopg needs the one, and its fewer connections are better than none.
        "loop": "asyncio:SelectorEventLoop" if sys.platform == "win32" and is_postgres(site.database) else "auto",
    }


def kind_of_database(database: str) -> str:
    return "PostgreSQL" if is_postgres(database) else "SQLite"


def is_postgres(database: str) -> bool:
    return database.startswith("postgres")


def from_environment() -> object:
    """One process of several. It does not outlive the one that started it, or the port would stay
    taken."""
    end_with_parent()
    parent = parent_process()
    if parent is not None:
        threading.Thread(target=_end_after, args=(parent,), daemon=True).start()
    settings = json.loads(os.environ.pop(ENVIRONMENT))  # bots' processes inherit the rest, and no secret
    site = Site(**{**settings, "secret": bytes.fromhex(settings["secret"]), "proxies": tuple(settings["proxies"])})
    logs.begin(site.log_level, site.log_format)
    figures.block.share(Path(site.figures))
    log.info("process %d of the site starts", os.getpid())
    return lasting_app(site)


def _end_after(parent: BaseProcess) -> None:
    """Also after one that was killed before it could be watched, and where the system watches nobody."""
    parent.join()
    os._exit(1)


def lasting_app(site: Site) -> Any:
    """The site of a process that does nothing else. All that is loaded by then stays: to look for
    garbage in it would stop everybody for 50 ms. What is drawn and sent is no garbage that must be
    looked for, so that is done less often than usual."""
    lie_under(site.public_url)
    figures.PROCESSES.set(1)
    app = measured(behind_proxies(make_app(site), site.proxies))
    gc.freeze()
    gc.set_threshold(GARBAGE_AT, 20, 20)
    return app


def behind_proxies(app: Any, proxies: Sequence[str]) -> Any:
    return remember_peer(ProxyHeadersMiddleware(app, [*proxies])) if proxies else app


def parse_public_url(url: str) -> str:
    """Where everybody finds the site, without a slash at the end."""
    scheme, _, rest = url.removesuffix("/").partition("://")
    host, slash, path = rest.partition("/")
    if scheme.lower() not in ("http", "https") or not is_host(host.lower()) or (slash and not PATH.fullmatch(path)):
        raise BadAddress(
            f"{url!r} cannot be the address of this site: give one such as https://games.example.org, or with a path "
            "such as https://example.org/games."
        )
    return f"{scheme}://{host}".lower() + slash + path


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


def listen(host: str, port: int, *, waits: bool = True) -> socket.socket:
    """Takes the port. `waits`: whoever comes before there is somebody to answer."""
    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    # On Windows "reuse" would share the port with whoever has it already, and this is the opposite.
    listener.setsockopt(socket.SOL_SOCKET, getattr(socket, "SO_EXCLUSIVEADDRUSE", socket.SO_REUSEADDR), 1)
    until = time.monotonic() + PORT_SECONDS
    while True:
        try:
            listener.bind((host, port))
            if waits:  # until somebody listens, others can bind the same port
                listener.listen(WAITING)
            break
        except OSError as error:
            if error.errno != errno.EADDRINUSE or time.monotonic() > until:
                listener.close()
                raise not_this_port(host, port, error) from error
        time.sleep(0.1)
    listener.set_inheritable(True)
    return listener


def not_this_port(host: str, port: int, error: OSError) -> StoreError:
    return StoreError(f"Port {port} of {host} cannot be used: {error.strerror}. Give another one with --port.")


async def _secret(database: str) -> bytes:
    store = Store(database)
    await store.open()
    try:
        return await store.secret()
    finally:
        await store.close()


async def _first_link(database: str, secret: bytes) -> str:
    """Where the first owner of a closed site comes in; empty: there is an owner."""
    store = Store(database)
    await store.open()
    try:
        key = await Members(store, secret).begin()
        return f"/invitation/{key}" if key else ""
    finally:
        await store.close()


def entry_for(entry: str, public_url: str, identity_header: str) -> str:
    """Who comes in where nobody has said it: on a site that everybody can find, those who are invited."""
    return entry or ("header" if identity_header else "invited" if public_url else "open")


def check_entry(settings: Mapping[str, Any]) -> None:
    """A header without a proxy could be sent by anybody."""
    by_header = settings.get("entry") == "header"
    if by_header != bool(settings.get("identity_header")):
        raise BadAddress("--entry header and --identity-header NAME belong together: give both.")
    if by_header and not settings.get("proxies"):
        raise BadAddress("A header is believed from a proxy alone: give its address with --proxy.")


def lan_address(host: str, port: int) -> str:
    """Where others in the same network find this machine; empty if it listens to itself alone."""
    if host not in ("0.0.0.0", "::"):
        return "" if host.startswith("127.") or host in ("::1", "localhost") else f"http://{bracketed(host)}:{port}"
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing: asks which way packets would go
            return f"http://{probe.getsockname()[0]}:{port}"
        except OSError:
            return ""


def local_address(site: Site, host: str, port: int) -> str:
    return f"http{'s' * bool(site.certificate)}://{name_here(host)}:{port}{urlsplit(site.public_url).path}/"


def name_here(host: str) -> str:
    """By which this machine finds what listens there."""
    return "localhost" if host in ("0.0.0.0", "::") or host.startswith("127.") else bracketed(host)


def bracketed(host: str) -> str:
    """As it is written before a port."""
    return f"[{host}]" if ":" in host else host


def announce(site: Site, host: str, port: int, first_link: str = "", trusting: Trusting | None = None) -> None:
    """`first_link`: by which the owner comes in. It is shown here and nowhere else."""
    print(f"\n  Samovar is on the table:  {local_address(site, host, port)}")
    whom, address = (
        ("For everybody:", site.public_url) if site.public_url else ("In the same network:", site.lan_address)
    )
    if address:
        print(f"  {whom:<24}  {address}/\n")
    if trusting:
        print(f"  Each device must learn to trust it, once:  {trusting.address}")
        print(f"  The fingerprint there must be this one:\n  {trusting.fingerprint}\n")
    shown = trusting.address if trusting else address and f"{address}/"
    if shown and sys.stdout.isatty():
        segno.make(shown, error="l").terminal(compact=True)
    if first_link:
        base = site.public_url or site.lan_address or local_address(site, host, port).removesuffix("/")
        print(f"\n  Only for invited people. The owner comes in here, once, within a week:\n  {base}{first_link}")
    print("\n  Ctrl+C ends it; every table is kept.\n", flush=True)
