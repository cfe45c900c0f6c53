"""Connections: who comes in, how long they may take, what they are told of the site, and who runs
it is told of its health."""

import asyncio
import logging
import os
import re
import shutil
import socket
import ssl
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
import uvicorn

from samovar import cli
from samovar.errors import BadAddress, StoreError
from samovar.web import app, serve
from samovar.web.app import make_app
from samovar.web.server import connections
from samovar.web.server.authority import SITE, prepare
from samovar.web.site import Site
from support.servers import Server, serving
from support.visitors import SECRET, RandomBotPool, Visitor, asked_from, running

try:
    import resource
except ImportError:  # on Windows
    resource = None

pytestmark = pytest.mark.slow  # it waits for time limits

GET = b"GET /health HTTP/1.1\r\nHost: samovar.test\r\n"
POST = b"POST /api/tables HTTP/1.1\r\nHost: samovar.test\r\nContent-Type: application/json\r\n"
CLOSE = b"Connection: close\r\n\r\n"
OK = b"HTTP/1.1 200 OK"


@contextmanager
def listening(folder, **facts):
    """A site with real connections, in this process; its port."""
    site = Site(f"sqlite:///{folder}/samovar.db", SECRET, **{"requests_per_minute": 0, "bot_pause": 0.0, **facts})
    if site.certificate:
        prepare(Path(site.certificate).parent, {"localhost"})
    app = serve.behind_proxies(make_app(site, RandomBotPool()), site.proxies)
    server = uvicorn.Server(uvicorn.Config(app, **serve.for_uvicorn(site)))
    with serve.listen("127.0.0.1", 0) as listener:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            while not server.started:
                assert thread.is_alive()
                time.sleep(0.01)
            yield listener.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join(20)


@pytest.fixture(scope="module")
def port(tmp_path_factory):
    """With limits of time that a test can wait for."""
    with pytest.MonkeyPatch.context() as patch:
        for name, seconds in {
            "HEAD_SECONDS": 0.6,
            "BODY_SECONDS": 0.9,
            "IDLE_SECONDS": 2,
            "SWEEP_SECONDS": 0.1,
        }.items():
            patch.setattr(connections, name, seconds)
        with listening(tmp_path_factory.mktemp("site")) as port:
            yield port


@pytest.fixture(scope="module")
def secured(tmp_path_factory):
    """The same by HTTPS, for three connections of an address at a time."""
    folder = tmp_path_factory.mktemp("secured")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(connections, "HEAD_SECONDS", 0.6)
        patch.setattr(connections, "SWEEP_SECONDS", 0.1)
        with listening(folder, certificate=str(folder / "https" / SITE), connections_per_address=3) as port:
            yield port


def call(port, source="127.0.0.1"):
    return socket.create_connection(("127.0.0.1", port), timeout=8, source_address=(source, 0))


def rest(connection):
    """All that comes until the other side closes; nothing if it cuts the connection."""
    said = b""
    try:
        while part := connection.recv(65536):
            said += part
    except ConnectionError:
        pass
    return said


def ask(port, *parts, source="127.0.0.1", pause=0.05):
    """What is answered to these bytes until the connection is closed, which it must be; each part
    comes a moment after the one before."""
    with call(port, source) as connection:
        for part in parts:
            try:
                connection.sendall(part)
            except ConnectionError:
                break
            time.sleep(pause)
        return rest(connection)


def shaken(connection):
    """After the handshake. Whom the site trusts is told elsewhere (`test_https.py`)."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context.wrap_socket(connection)


@pytest.mark.parametrize("begun", [b"", b"\x16\x03\x01\x02\x00\x01", GET + CLOSE])
def test_a_handshake_that_is_never_finished_is_ended(secured, begun):
    with call(secured) as connection:
        connection.sendall(begun)
        assert OK not in rest(connection)


def test_a_connection_counts_from_its_first_moment_and_no_longer_than_it_is_there(secured):
    for _ in range(3):
        with ExitStack() as stack:
            for _ in range(3):
                stack.enter_context(call(secured))
            with call(secured) as connection, pytest.raises(OSError, match=r"reset|EOF|violation"):
                shaken(connection)
        wait_until(lambda: OK in answer_by_tls(secured))


def answer_by_tls(port):
    with call(port) as connection:
        try:
            with shaken(connection) as connection:
                connection.sendall(GET + CLOSE)
                return rest(connection)
        except OSError:
            return b""


def test_others_are_let_in_while_one_address_holds_all_its_connections(secured):
    with ExitStack() as stack:
        for _ in range(3):
            stack.enter_context(call(secured, "127.0.0.2"))
        assert OK in answer_by_tls(secured)


def statuses(said):
    return [int(status) for status in re.findall(rb"HTTP/1\.1 (\d+) ", said)]


def wait_until(is_so, seconds=8):
    until = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < until, "it did not happen"
        time.sleep(0.02)


# Time


def test_who_says_nothing_is_let_go_without_a_word(port):
    assert ask(port) == b""


@pytest.mark.parametrize(
    "parts",
    [
        [GET],
        [POST + b"Content-Length: 100\r\n\r\n{"],
        [POST + b"Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n"],
        [b"\r\n"] * 100,  # each of them a sign of life, none of them a request
    ],
    ids=["half a head", "half a body", "half a body in chunks", "empty lines"],
)
def test_who_does_not_come_to_the_end_is_told_and_let_go(port, parts):
    assert statuses(ask(port, *parts)) == [408]


def test_after_an_answer_the_next_request_has_as_much_time_as_the_first(port):
    assert statuses(ask(port, GET + b"\r\n", b"G")) == [200, 408]


def test_a_body_that_nobody_waits_for_does_not_hold_the_connection(port):
    assert statuses(ask(port, b"POST /nowhere HTTP/1.1\r\nContent-Length: 100\r\n\r\n", *[b"x"] * 60)) == [404]


def test_an_idle_connection_is_kept_for_a_while(port):
    with call(port) as connection:
        connection.sendall(GET + b"\r\n")
        assert connection.recv(1000).startswith(OK)
        time.sleep(1.2)  # longer than a head may take
        connection.sendall(GET + b"\r\n")
        assert connection.recv(1000).startswith(OK)
        assert rest(connection) == b""


def test_who_does_not_take_the_answers_is_let_go(tmp_path, monkeypatch):
    monkeypatch.setattr(connections, "READ_SECONDS", 0.3)
    monkeypatch.setattr(connections, "SWEEP_SECONDS", 0.1)
    gone, let_go = threading.Event(), connections.ConnectionLimits.let_go
    monkeypatch.setattr(connections.ConnectionLimits, "let_go", lambda keeper, one: (let_go(keeper, one), gone.set()))
    with listening(tmp_path) as port, call(port) as connection:
        connection.sendall(b"GET /api/docs/openapi.json HTTP/1.1\r\n\r\n" * connections.MOST_AHEAD)
        assert gone.wait(20), "it was not let go"
        assert len(statuses(rest(connection))) < connections.MOST_AHEAD


# Size


@pytest.mark.parametrize(
    "parts",
    [
        [GET + b"X-Long: " + b"x" * 200_000],
        [b"GET /" + b"x" * 200_000],
        [GET, *[b"X-Many: " + b"x" * 8000 + b"\r\n"] * 10],
        [POST + b"Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n0\r\n", b"X-Late: " + b"x" * 200_000],
        [POST + b"Transfer-Encoding: chunked\r\n\r\n1;" + b"x" * 200_000],
    ],
    ids=["a header", "an address", "many headers", "a trailer", "an extension of a chunk"],
)
def test_a_head_without_end_is_refused(port, parts):
    assert statuses(ask(port, *parts)) == [431]


def test_a_large_head_and_a_large_body_are_taken(port):
    assert statuses(ask(port, GET + b"X-Long: " + b"x" * 60_000 + b"\r\n" + CLOSE)) == [200]
    body = b"[" + b" " * 60_000 + b"]"
    assert statuses(ask(port, POST + b"Content-Length: %d\r\n" % len(body) + CLOSE + body)) == [422]
    form = b"POST /record HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\n"
    assert statuses(ask(port, form + b"Content-Length: 300000\r\n" + CLOSE, b"x" * 300_000)) == [403], (
        "it was read to its end"
    )


def test_only_so_many_requests_are_sent_ahead(port):
    told = statuses(ask(port, GET + b"\r\n" + (GET + b"\r\n") * (connections.MOST_AHEAD + 50)))
    assert told == [200] * (connections.MOST_AHEAD + 1)


# Odd requests


@pytest.fixture
def log(caplog):
    """With what uvicorn writes, which it keeps to itself."""
    logging.getLogger("uvicorn").addHandler(caplog.handler)
    yield caplog
    logging.getLogger("uvicorn").removeHandler(caplog.handler)


WEBSOCKET = b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: eA==\r\nSec-WebSocket-Version: 13\r\n\r\n"
SETTINGS = b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n"
ODD = {
    "the server itself": ([b"OPTIONS * HTTP/1.1\r\n" + CLOSE], [404]),
    "a tunnel": ([b"CONNECT example.org:443 HTTP/1.1\r\n\r\n"], [400]),
    "a host that is none": ([b"GET / HTTP/1.1\r\nHost: [::1]:x\r\n" + CLOSE], [400]),
    "half a host": ([b"GET / HTTP/1.1\r\nHost: [::1\r\n" + CLOSE], [400]),
    "a greeting of HTTPS": ([b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(range(256))], [400]),
    "zeros": ([b"\0" * 100], [400]),
    "a method that is none": ([b"BREW /health HTTP/1.1\r\n" + CLOSE], [400]),
    "HTTP/1.0": ([b"GET /health HTTP/1.0\r\n\r\n"], [200]),
    "HTTP/2": ([b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"], [400]),
    "three at once": ([(GET + b"\r\n") * 2 + GET + CLOSE], [200] * 3),
    "garbage after a request": ([GET + b"\r\n" + b"\0" * 10], [200]),
    "half of the next one with the first": ([GET + b"\r\n" + GET], [200]),
    "a body in chunks": (
        [POST + b"Transfer-Encoding: chunked\r\n" + CLOSE + b"1\r\n{\r\n", b"1\r\n}\r\n0\r\nX-Late: 1\r\n\r\n"],
        [422],
    ),
    "a chunk that is none": ([POST + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n"], [400]),
    "two lengths": ([POST + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}"], [400]),
    "a length and chunks": ([POST + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}"], [400]),
    "a question before the body": (
        [POST + b"Expect: 100-continue\r\nContent-Length: 2\r\n" + CLOSE, b"{}"],
        [100, 422],
    ),
    "a web socket": ([GET + WEBSOCKET], [200]),
    "a better protocol": ([GET + SETTINGS, GET + b"\r\n"], [200]),
}


@pytest.mark.parametrize(("parts", "told"), ODD.values(), ids=ODD)
def test_odd_requests_are_answered_and_let_go_without_complaint(port, log, parts, told):
    assert statuses(ask(port, *parts)) == told
    assert log.messages == []


def test_who_asks_before_sending_a_body_that_nobody_wants_is_let_go_at_once(tmp_path):
    with listening(tmp_path) as port:  # with all the time that a body has
        assert statuses(
            ask(port, b"POST /nowhere HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 100\r\n\r\n")
        ) == [404]


def test_a_header_after_the_body_is_not_believed(tmp_path):
    late = POST + b"Transfer-Encoding: chunked\r\n" + CLOSE + b"2\r\n{}\r\n0\r\nX-Forwarded-For: 192.0.2.%d\r\n\r\n"
    with listening(tmp_path, proxies=("127.0.0.1",), requests_per_minute=1) as port:
        assert [statuses(ask(port, late % number)) for number in (1, 2)] == [[422], [429]]


# How many


def test_one_address_does_not_take_the_room_of_others(tmp_path):
    with listening(tmp_path, connections_per_address=5) as port, ExitStack() as opened:
        crowd = [opened.enter_context(call(port)) for _ in range(40)]
        for connection in crowd:
            connection.setblocking(False)
        assert ask(port, GET + CLOSE) == b""
        assert ask(port, GET + CLOSE, source="127.0.0.2").startswith(OK)
        wait_until(lambda: sum(map(is_closed, crowd)) == 35)
        for connection in crowd:
            connection.close()
        wait_until(lambda: ask(port, GET + CLOSE).startswith(OK))


def is_closed(connection):
    try:
        return connection.recv(1) == b""
    except BlockingIOError:
        return False
    except ConnectionError:
        return True


def test_a_proxy_brings_as_many_as_it_likes(tmp_path):
    with (
        listening(tmp_path, connections_per_address=1, proxies=("10.0.0.0/8", "127.0.0.2")) as port,
        ExitStack() as opened,
    ):
        for source in ("127.0.0.1", "127.0.0.2"):
            opened.enter_context(call(port, source))
        assert ask(port, GET + CLOSE) == b""
        assert ask(port, GET + CLOSE, source="127.0.0.2").startswith(OK)


@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="only Linux can narrow the limit of another process")
@pytest.mark.parametrize("said", [b"", GET + b"\r\n"], ids=["silent", "idle"])
def test_newcomers_get_in_when_all_files_are_taken(server, said):
    """From many addresses, each below its bound."""
    resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (250, 250))
    with ExitStack() as opened:
        for number in range(400):
            connection = opened.enter_context(call(server.port, f"127.0.1.{number % 50 + 1}"))
            try:
                connection.sendall(said)
            except ConnectionError:
                continue
        assert ask(server.port, GET + CLOSE, source="127.0.0.2").startswith(OK)
        assert len(os.listdir(f"/proc/{server.process.pid}/fd")) < 250


def test_a_port_is_shared_with_nobody_on_windows(monkeypatch):
    """There the usual option would share it with whoever has it already."""
    monkeypatch.setattr(socket, "SO_EXCLUSIVEADDRUSE", socket.SO_KEEPALIVE, raising=False)
    with serve.listen("127.0.0.1", 0) as listener:
        assert listener.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
        assert not listener.getsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR)


@contextmanager
def few_files():
    """For all that is started meanwhile; Windows knows no such limit."""
    if resource is None:
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(soft, 512), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A process of its own that was given few open files, and may have more."""
    options = ["--public-url", "https://games.example.org", "--proxy", "127.0.0.3, 10.0.0.0/8"]
    running = Server(tmp_path_factory.mktemp("server"), None, *options)
    try:
        with few_files():
            running.start()
        yield running
    finally:
        running.stop()


@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="only Linux tells the limit of another process")
def test_a_server_asks_for_all_the_files_it_may_have(tmp_path, server):
    soft, hard = resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE)
    assert soft == min(hard, connections.MOST_FILES)


# Where it is found


@pytest.mark.parametrize("given", ["https://games.example.org", "HTTPS://Games.Example.ORG/"])
def test_an_address_of_the_site(given):
    assert serve.parse_public_url(given) == "https://games.example.org"
    assert serve.parse_public_url("http://[2001:db8::1]:8080") == "http://[2001:db8::1]:8080"


@pytest.mark.parametrize("beginning", ["", "ftp://", "https://ann:secret@", "https://a b."])
@pytest.mark.parametrize("end", ["/samovar?x", "//", "?x", "#x", ":99999", ""])
def test_an_address_that_cannot_be_the_sites(beginning, end):
    given = f"{beginning or 'https://' * bool(end)}games.example.org{end}"
    with pytest.raises(BadAddress, match=r"give one such as https://games\.example\.org"):
        serve.parse_public_url(given)


@pytest.mark.parametrize("wrong", [{"public_url": "games"}, {"proxy": ["localhost"]}])
def test_a_server_does_not_start_with_a_wrong_address(tmp_path, wrong):
    with pytest.raises(BadAddress):
        cli.serve(data=tmp_path / "new", browser=False, **wrong)
    assert list(tmp_path.iterdir()) == []


def test_links_lead_to_the_public_address_and_everything_is_https(tmp_path):
    with running(tmp_path, public_url="https://games.example.org", lan_address="http://192.0.2.7:8080") as site:
        host = Visitor(site)
        host.client.base_url = "https://localhost:8080"
        host.go("/new/babuschka")
        host.send("/new/babuschka", name="Anna")
        assert "https://games.example.org/table/" in host.page.html
        assert "localhost" not in host.page.html
        assert "192.0.2.7" not in host.page.html
        for answer in (
            host.client.get("/"),
            host.client.get("/nowhere"),
            site.get("/static/samovar.css"),
            site.get("/api/tables/x"),
        ):
            assert answer.headers["strict-transport-security"] == "max-age=31536000"
        set_cookies = [*httpx.Cookies(host.client.cookies).jar]
        assert {cookie.name for cookie in set_cookies} == {"samovar", "samovar-form"}
        assert all(cookie.secure for cookie in set_cookies)


def test_without_a_public_address_plain_http_is_fine(tmp_path):
    with running(tmp_path) as site:
        answer = site.get("/")
        assert "strict-transport-security" not in answer.headers
        assert "secure" not in answer.headers["set-cookie"].lower()


@pytest.mark.parametrize(
    ("host", "addresses"),
    [
        ("127.0.0.1", ["http://localhost:8080/"]),
        ("::1", ["http://[::1]:8080/"]),
        ("fd00::7", ["http://[fd00::7]:8080/", "http://[fd00::7]:8080/"]),
        ("192.0.2.7", ["http://192.0.2.7:8080/", "http://192.0.2.7:8080/"]),
    ],
)
def test_an_address_is_announced_as_browsers_take_it_and_where_somebody_listens(host, addresses, capsys):
    serve.announce(Site("sqlite:///x", SECRET, serve.lan_address(host, 8080)), host, 8080)
    assert re.findall(r"http\S+", capsys.readouterr().out) == addresses


def test_a_port_is_for_one_site(monkeypatch):
    monkeypatch.setattr(serve, "PORT_SECONDS", 0)
    with serve.listen("127.0.0.1", 0) as listener, pytest.raises(StoreError, match=r"Give another one with --port\.$"):
        serve.listen("127.0.0.1", listener.getsockname()[1])


# Another site has bound the same port, and is the first to listen.
LOSER = """
import socket, sys
from samovar.cli import main
from samovar.web import serve
other = socket.socket()
other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
other.bind(("127.0.0.1", 0))
serve.announce = lambda *told: other.listen()
sys.argv[1:] = ["serve", "--no-browser", "--host", "127.0.0.1", "--port", str(other.getsockname()[1]), *sys.argv[1:]]
sys.exit(main())
"""


def test_who_loses_a_port_while_it_starts_says_so_in_a_sentence(tmp_path):
    """Behind a proxy nobody is let in before the site can answer, so two may think that they have the port."""
    done = subprocess.run(
        [sys.executable, "-c", LOSER, "--data", str(tmp_path / "data"), "--proxy", "127.0.0.1"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2, done.stderr
    assert done.stderr.splitlines()[-1].endswith("Give another one with --port.")
    assert "Traceback" not in done.stderr


def test_the_public_address_is_announced(capsys):
    site = Site("sqlite:///x", SECRET, "http://192.0.2.7:8080", public_url="https://games.example.org")
    serve.announce(site, "0.0.0.0", 8080)
    told = capsys.readouterr().out
    assert "https://games.example.org/" in told
    assert "192.0.2.7" not in told


FORWARDED = (
    b"GET /api/docs HTTP/1.1\r\nHost: samovar.test\r\nX-Forwarded-Proto: https\r\nX-Forwarded-For: 192.0.2.%d\r\n"
    + CLOSE
)


def test_only_a_known_proxy_says_for_whom_it_asks(tmp_path):
    with listening(tmp_path, proxies=("127.0.0.2",), requests_per_minute=2) as port:
        from_proxy = [ask(port, FORWARDED % number, source="127.0.0.2") for number in range(5)]
        assert [statuses(said) for said in from_proxy] == [[200]] * 5
        assert b"https://samovar.test" in from_proxy[0]
        others = [ask(port, FORWARDED % number) for number in range(3)]
        assert [statuses(said) for said in others] == [[200], [200], [429]]
        assert b"http://samovar.test" in others[0]


def test_proxies_are_addresses_and_networks():
    assert serve.parse_proxies(["127.0.0.1, ::1", "10.0.0.0/8"]) == ("127.0.0.1", "::1", "10.0.0.0/8")
    for wrong in ("*", "", "proxy", "10.0.0.1/8"):
        with pytest.raises(BadAddress, match=r"give one such as 127\.0\.0\.1"):
            serve.parse_proxies([wrong])


def test_an_address_is_the_same_through_a_socket_for_both_kinds():
    assert [connections.plain(host) for host in ("::ffff:192.0.2.7", "192.0.2.7", "2001:db8::1")] == [
        "192.0.2.7",
        "192.0.2.7",
        "2001:db8::1",
    ]


# What shared caches may keep


PUBLIC = re.compile("|".join(app.NO_PERSON))
FILLED = {"game_id": "babuschka", "name": "table.css", "file_path": "samovar.css", "table_id": "nothing"}


def test_public_answers_carry_no_cookie(site):
    paths = {
        re.sub(r"{(\w+)(:\w+)?}", lambda found: FILLED.get(found[1], "1"), route.path) for route in site.app.routes
    }
    public = {path for path in paths if PUBLIC.search(path)} | {
        "/static/nothing.css",
        "/games/nothing/table.css",
        "/games/babuschka/nothing",
    }
    assert {"/games/babuschka/table.css", "/static/samovar.css", "/health", "/metrics", "/api/tables/nothing"} <= public
    guest = Visitor(site)
    guest.go("/")
    guest.send("/language", language="fr")
    assert guest.client.cookies
    for path in public:
        for method in ("GET", "HEAD", "OPTIONS", "POST"):
            for client in (guest.client, site):
                assert "set-cookie" not in client.request(method, path).headers, (method, path)


def test_what_is_not_for_all_caches_is_for_none_and_what_is_has_no_cookie(site):
    paths = [
        re.sub(r"{(\w+)(:\w+)?}", lambda found: FILLED.get(found[1], "1"), route.path) for route in site.app.routes
    ]
    answers = [Visitor(site).client.get(path) for path in paths if "/events" not in path]
    shared = [answer for answer in answers if answer.headers["cache-control"] != "private, no-store"]
    assert {answer.headers["cache-control"] for answer in shared} == {"max-age=300, public"}
    assert not any("set-cookie" in answer.headers for answer in shared)
    assert {answer.status_code for answer in answers} > {200, 404, 405}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with running(tmp_path_factory.mktemp("site"), open_metrics=False) as client:
        yield client


# For those who run it


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.5", "::1"])
def test_figures_are_told_on_the_machine_itself(site, host):
    assert "samovar_uptime_seconds" in asked_from(site, host, "/metrics").text


@pytest.mark.parametrize("host", ["192.0.2.7", "2001:db8::1", "unknown", ""])
def test_figures_are_not_told_to_others(site, host):
    answer = asked_from(site, host, "/metrics")
    assert answer.status_code == 403
    assert "samovar_uptime" not in answer.text
    assert "--metrics-for everybody" in answer.text


@pytest.mark.parametrize("by_name", ["localhost", "LOCALHOST:80", "127.0.0.1:8080", "127.0.0.5", "[::1]", "[::1]:8080"])
def test_figures_are_told_by_any_name_of_the_machine_itself(site, by_name):
    assert "samovar_uptime_seconds" in asked_from(site, "127.0.0.1", "/metrics", by_name).text


@pytest.mark.parametrize(
    "by_name", ["samovar.test", "localhost.example.org", "127.0.0.1.example.org", "127.example.org:8080", "192.168.0.7"]
)
def test_a_page_from_elsewhere_whose_name_leads_here_is_told_nothing(tmp_path, by_name):
    """Its name may lead anywhere, so that its scripts ask this machine from within: but the request says the name."""
    with running(tmp_path, open_metrics=False, lab_for="here") as client:
        assert asked_from(client, "127.0.0.1", "/metrics", by_name).status_code == 403
        assert asked_from(client, "127.0.0.1", "/lab", by_name).status_code == 404
        assert asked_from(client, "127.0.0.1", "/lab").status_code == 200


def test_figures_are_told_by_the_name_that_the_owner_has_given(tmp_path):
    with running(tmp_path, open_metrics=False, public_url="https://games.example.org") as client:
        assert asked_from(client, "127.0.0.1", "/metrics", "games.example.org").status_code == 200
        assert asked_from(client, "127.0.0.1", "/metrics", "example.org").status_code == 403


@pytest.mark.parametrize("header", ["forwarded", "x_forwarded_for"])
def test_figures_are_not_told_through_a_proxy_on_the_machine(site, header):
    assert asked_from(site, "127.0.0.1", "/metrics", **{header: "for=127.0.0.1"}).status_code == 403


def test_figures_are_told_to_everybody_if_so_wished(tmp_path):
    with running(tmp_path, open_metrics=True) as client:
        assert "samovar_uptime_seconds" in asked_from(client, "192.0.2.7", "/metrics", x_forwarded_for="192.0.2.8").text


def test_a_disk_that_is_nearly_full_is_told(tmp_path, monkeypatch, caplog):
    usage = shutil.disk_usage(tmp_path)
    with running(tmp_path) as client:
        monkeypatch.setattr(app, "HEALTH_SECONDS", 0.0)
        assert client.get("/health").text == "ok"
        monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=31 * 2**20))
        answer = client.get("/health")
        assert answer.status_code == 503
        assert "cannot be saved" in answer.text
        assert str(tmp_path) not in answer.text
        assert "less than 32 MiB left. Free some space" in caplog.messages[-1]
        monkeypatch.undo()
        wait_until(lambda: client.get("/health").status_code == 200)


def test_a_database_that_cannot_be_written_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(app, "HEALTH_SECONDS", 0.0)
    with running(tmp_path) as client:
        with client.app.state.tables.store._database.writing.connect() as connection:
            connection.exec_driver_sql("PRAGMA query_only = ON")
        assert client.get("/health").status_code == 503


def test_asking_for_the_health_does_not_keep_the_database_busy(tmp_path, monkeypatch):
    asked = []
    with running(tmp_path) as client:
        monkeypatch.setattr(shutil, "disk_usage", lambda folder: asked.append(folder) or os_usage)
        os_usage = type("Usage", (), {"free": 2**40})
        for _ in range(20):
            assert client.get("/health").status_code == 200
    assert len(asked) == 1


def test_nobody_waits_for_a_look_at_the_database_that_is_soon_done(monkeypatch):
    """And a database that hangs is not called good for ever."""
    monkeypatch.setattr(app, "HEALTH_SECONDS", 0.2)

    async def scene():
        hangs = asyncio.Event()
        hangs.set()
        health = app.Health(hangs.wait)
        assert await health.is_good()
        hangs.clear()
        await asyncio.sleep(0.25)
        assert await asyncio.wait_for(health.is_good(), 0.05)
        await asyncio.sleep(0.25)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(health.is_good(), 0.05)
        hangs.set()
        assert await asyncio.wait_for(health.is_good(), 5)

    asyncio.run(scene())


# Several processes


@pytest.mark.processes
def test_all_settings_reach_all_processes(monkeypatch):
    limits = {"connections_per_address": 1, "streams_per_address": 2, "open_metrics": True}
    site = Site(
        "postgresql://nowhere/x", SECRET, public_url="https://games.example.org", proxies=("127.0.0.1",), **limits
    )
    settings = {}

    def run(config, listening):
        """As each of them would, while the folder of their figures is there."""
        settings["told"] = serve.from_environment()

    monkeypatch.setenv(serve.ENVIRONMENT, "")
    monkeypatch.setattr(serve, "run_several", run)
    monkeypatch.setattr(serve, "end_with_parent", lambda: None)
    monkeypatch.setattr(serve, "lasting_app", lambda site: site)
    monkeypatch.setattr(serve.logs, "begin", lambda *how: None)
    monkeypatch.setattr(serve.figures.block, "share", lambda folder: settings.update(shared=folder.is_dir()))
    serve.run(site, None, 2)
    told = settings["told"]
    assert told == replace(site, compiling=told.compiling, figures=told.figures)
    assert told.compiling
    assert settings["shared"]


def test_several_processes_have_the_same_bounds(postgresql_server):
    arguments = [
        "--workers",
        "2",
        "--database",
        postgresql_server.new_database(),
        "--public-url",
        "https://games.example.org",
    ]
    with serving(None, *arguments, "--connections-per-address", "2", "--proxy", "127.0.0.3") as server:
        for _ in range(6):  # connections are dealt to the processes by chance
            assert b"strict-transport-security" in ask(server.port, GET + CLOSE)
            assert statuses(ask(server.port, GET + b"X-Long: " + b"x" * 100_000)) == [431]
            assert statuses(ask(server.port, b"GET /metrics HTTP/1.1\r\nX-Forwarded-For: ::1\r\n" + CLOSE)) == [403]
        with ExitStack() as opened:
            crowd = [opened.enter_context(call(server.port, "127.0.0.2")) for _ in range(12)]
            for connection in crowd:
                connection.setblocking(False)
            wait_until(lambda: sum(map(is_closed, crowd)) >= 8)
            assert sum(map(is_closed, crowd)) < 12
