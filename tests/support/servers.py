"""A real server for tests: a process of its own, on a free port of this machine, ended by its
id."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager

from support.processes import with_helpers


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    def __init__(self, folder, port=None, *arguments, **environment):
        self.folder = folder
        self.port = port or free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        self._arguments = arguments
        self._environment = {**with_helpers(), "SAMOVAR_BOT_PAUSE": "0", "SAMOVAR_THREADS": "1", **environment}
        self.process = None

    def refused(self):
        """What a server says that does not start."""
        with subprocess.Popen(
            self.command, env=self._environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        ) as process:
            try:
                _, said = process.communicate(timeout=60)
            finally:
                process.kill()
        assert process.returncode == 2, "it started"
        return said

    @property
    def command(self):
        return [
            sys.executable,
            "-m",
            "support.same_deals",
            "serve",
            "--no-browser",
            "--host",
            "127.0.0.1",
            "--port",
            str(self.port),
            "--requests-per-minute",
            "0",
            *(["--data", str(self.folder)] if self.folder else []),
            *self._arguments,
        ]

    def start(self):
        self.begin()
        self.wait()
        return self

    def begin(self):
        """It is not waited for."""
        with open(os.devnull, "wb") as nowhere:
            self.process = subprocess.Popen(self.command, env=self._environment, stdout=nowhere, stderr=subprocess.PIPE)

    def wait(self, seconds=180):
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            if self.process.poll() is not None:
                with self.process.stderr as last_words:
                    raise RuntimeError(f"the server ended: {last_words.read().decode()[-2000:]}")
            try:
                with urllib.request.urlopen(f"{self.address}/health", timeout=5):
                    return
            except OSError:
                time.sleep(0.05)
        self.process.kill()  # or a later test is told that it still runs
        with self.process.stderr as last_words:
            said = last_words.read().decode()
        self.process.wait()
        raise RuntimeError(f"the server does not answer: {said[-2000:]}")

    def kill(self):
        """As a power cut would."""
        self.process.kill()
        self._gone()

    def stop(self):
        """As Ctrl+C in a terminal does; says how it ended."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM if sys.platform == "win32" else signal.SIGINT)
        return self._gone()

    def _gone(self):
        try:
            code = self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = self.process.wait()
        self.process.stderr.close()
        return code


@contextmanager
def serving_together(number, *arguments, **environment):
    """So many instances that start in the same moment."""
    servers = [Server(None, None, *arguments, **environment) for _ in range(number)]
    try:
        for server in servers:
            server.begin()
        for server in servers:
            server.wait()
        yield servers
    finally:
        for server in servers:
            server.stop()


@contextmanager
def serving(folder, *arguments, **environment):
    server = Server(folder, None, *arguments, **environment).start()
    try:
        yield server
    finally:
        server.stop()


def call(server, path, data=None, token=None):
    request = urllib.request.Request(f"{server.address}{path}", None if data is None else json.dumps(data).encode())
    request.add_header("content-type", "application/json")
    if token:
        request.add_header("authorization", f"Bearer {token}")
    with urllib.request.urlopen(request, timeout=20) as answer:
        return json.loads(answer.read())
