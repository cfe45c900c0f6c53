"""Those whom the site calls: a web address, a push service with a browser behind it, a mailbox; each
real, on the loopback."""

from __future__ import annotations

import asyncio
import base64
import json
import socket
import threading
import time
from contextlib import contextmanager
from email import message_from_bytes, policy
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import http_ece
from aiosmtpd.controller import Controller
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from samovar.web.notifications.push import CURVE, Subscription
from support.waiting import PATIENCE


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        content = self.rfile.read(int(self.headers["content-length"]))
        server = self.server
        server.methods.append(self.command)
        server.heard.append((self.path, dict(self.headers), content, time.monotonic()))
        server.arrived.release()
        if server.hangs:
            server.may_go.wait(60)
        self.send_response(server.status)
        self.send_header("content-length", "0")
        self.end_headers()

    do_PUT = do_POST  # noqa: N815 (the name is that library's)

    def log_message(self, *arguments):
        pass


class Receiver(ThreadingHTTPServer):
    """Takes whatever is posted; answers `status`, or not at all while it `hangs`."""

    daemon_threads = True
    block_on_close = False

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.heard, self.methods, self.status, self.hangs = [], [], 200, False
        self.arrived, self.may_go = threading.Semaphore(0), threading.Event()
        self.address = f"http://127.0.0.1:{self.server_port}/topic"

    def wait(self, count=1, seconds=PATIENCE):
        """Until so many more messages have come."""
        for _ in range(count):
            assert self.arrived.acquire(timeout=seconds), f"no message came; so far: {self.texts}"

    @property
    def texts(self):
        return [content.decode() for _, _, content, _ in self.heard]

    @property
    def titles(self):
        return [headers["Title"] for _, headers, _, _ in self.heard]


@contextmanager
def receiving():
    receiver = Receiver()
    thread = threading.Thread(target=receiver.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        receiver.may_go.set()
        receiver.shutdown()
        thread.join()
        receiver.server_close()


def encoded(content):
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


class Browser:
    """What the browser of somebody does with push messages, by a library that is not ours."""

    def __init__(self):
        self.key = ec.generate_private_key(CURVE)
        point = self.key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        self.subscription = Subscription("https://push.example.net/abc", encoded(point), encoded(b"0123456789abcdef"))

    def read(self, body):
        return http_ece.decrypt(body, private_key=self.key, auth_secret=self.subscription.secret, version="aes128gcm")


class PushService:
    """A receiver with a browser behind it, which opens what it is sent."""

    def __init__(self, receiver):
        self.receiver, self.browser = receiver, Browser()

    @property
    def fields(self):
        keys = self.browser.subscription
        return {"endpoint": self.receiver.address, "p256dh": keys.p256dh, "auth": keys.auth}

    @property
    def messages(self):
        return [json.loads(self.browser.read(content)) for _, _, content, _ in self.receiver.heard]


class Mailbox:
    def __init__(self):
        self.letters, self.arrived = [], threading.Semaphore(0)
        self.hangs, self.may_go = False, threading.Event()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.server = f"smtp://127.0.0.1:{self.port}"

    async def handle_DATA(self, server, session, envelope):  # noqa: N802 (the name is that library's)
        self.letters.append(message_from_bytes(envelope.content, policy=policy.default))
        self.arrived.release()
        while self.hangs and not self.may_go.is_set():
            await asyncio.sleep(0.05)
        return "250 taken"

    def wait(self, count=1):
        for _ in range(count):
            assert self.arrived.acquire(timeout=PATIENCE), "no letter came"

    @property
    def texts(self):
        return [letter.get_content() for letter in self.letters]


@contextmanager
def mailbox():
    box = Mailbox()
    controller = Controller(box, hostname="127.0.0.1", port=box.port)
    controller.start()
    try:
        yield box
    finally:
        controller.stop()
