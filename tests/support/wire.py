"""A site on a port of this machine, and requests to it as the bytes that are sent: clients would
tidy up what is odd about them."""

import re
import socket
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import quote_from_bytes

import uvicorn

from samovar.web.app import make_app
from samovar.web.site import Site
from support.visitors import SECRET, Page, RandomBotPool

LONGEST = 10.0  # seconds an answer may take, on a machine that has much else to do
URL_ENCODED = b"application/x-www-form-urlencoded"


@contextmanager
def listening(database, bot_pool=None):
    """The port where a site on this database answers."""
    app = make_app(Site(database, SECRET, requests_per_minute=0, bot_pause=0.0), bot_pool or RandomBotPool())
    server = uvicorn.Server(uvicorn.Config(app, log_level="critical", timeout_graceful_shutdown=3))
    with socket.create_server(("127.0.0.1", 0)) as door:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [door]})
        thread.start()
        while thread.is_alive() and not server.started:
            time.sleep(0.01)
        try:
            yield door.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join(20)


@dataclass
class Answer:
    status: int
    head: str
    text: str

    def header(self, name):
        return re.findall(rf"(?im)^{name}: ([^\r]*)", self.head)

    @property
    def words(self):
        return Page(self.text).words


def ask(port, method=b"GET", path=b"/", *headers, body=b"", host=b"samovar.test"):
    """One request, exactly as given."""
    lines = [
        b"%s %s HTTP/1.1" % (method, path),
        b"Host: " + host,
        b"Connection: close",
        *headers,
        b"Content-Length: %d" % len(body),
    ]
    with socket.create_connection(("127.0.0.1", port), timeout=LONGEST) as wire:
        wire.sendall(b"\r\n".join([*lines, b"", body]))
        got = b"".join(iter(lambda: wire.recv(65536), b"")).decode(errors="replace")
    head, _, text = got.partition("\r\n\r\n")
    return Answer(int(head.split(" ", 2)[1]), head, text)


def encoded(fields):
    """Fields of a form, percent-encoded; values may be any bytes."""
    return b"&".join(b"%s=%s" % (name.encode(), quote_from_bytes(value, safe="").encode()) for name, value in fields)


class Guest:
    """Somebody who keeps cookies, and sends back the token of our forms."""

    def __init__(self, port):
        self.port = port
        self.cookies = {}
        self.token = Page(self.see("/").text).form("/language")["fields"]["_csrf_token"].encode()

    def see(self, path, *headers):
        return self._remember(ask(self.port, b"GET", path.encode(), self._cookie, *headers))

    def send(self, path, fields=(), *headers, body=None, kind=URL_ENCODED):
        content = encoded([("_csrf_token", self.token), *fields]) if body is None else body
        return self._remember(
            ask(
                self.port,
                b"POST",
                path.encode(),
                self._cookie,
                b"Accept: text/html",
                b"Content-Type: " + kind,
                *headers,
                body=content,
            )
        )

    def sits(self, game, **fields):
        """Opens a table, and says where it is."""
        told = {"name": "Anna", **fields}
        answer = self.send(f"/new/{game}", [(name, value.encode()) for name, value in told.items()])
        assert answer.status == 303, answer.words
        return answer.header("location")[0]

    @property
    def _cookie(self):
        return b"Cookie: " + b"; ".join(b"%s=%s" % pair for pair in self.cookies.items())

    def _remember(self, answer):
        self.cookies |= dict(cookie.split(";")[0].encode().split(b"=", 1) for cookie in answer.header("set-cookie"))
        return answer
