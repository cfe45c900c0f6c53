"""What a site says while it runs: one line each, and nothing of who visits it."""

import contextlib
import json
import logging
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request

import pytest

from samovar import processes
from samovar.web import figures, logs, serve
from samovar.web.site import Site
from support.servers import Server, call
from support.waiting import until

LINE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z (debug|info|warning|error|critical) \d+ \S.*")
ADDRESS = "203.0.113.77"


@pytest.fixture
def said(capsys):
    """Begins a log, and gives back what it says; the test's own logging is put back after it."""
    root, samovar, uvicorn, errors = (logging.getLogger(name) for name in ("", "samovar", "uvicorn", "uvicorn.error"))
    before = root.handlers[:], root.level, samovar.level, uvicorn.propagate, errors.level
    written_to = processes.errors_to
    uvicorn.propagate = True  # another test may have started a server in this process
    errors.setLevel(logging.INFO)

    def begin(level, form):
        logs.begin(level, form)
        return lambda: capsys.readouterr().err.splitlines()

    yield begin
    root.handlers[:], root.level = before[:2]
    samovar.setLevel(before[2])
    uvicorn.propagate = before[3]
    errors.setLevel(before[4])
    logging.captureWarnings(False)
    processes.errors_to = written_to


def fail():
    try:
        raise ValueError("two\nlines")
    except ValueError as error:
        logging.getLogger("samovar.web").error("it failed:\n%s", "here", exc_info=error)


def test_a_line_is_one_line_also_of_an_exception(said):
    lines = said("info", "text")
    fail()
    (line,) = lines()
    assert LINE.fullmatch(line)
    assert " error " in line
    assert "it failed: | here | Traceback" in line
    assert line.endswith("ValueError: two | lines")


def test_as_json_it_is_in_parts(said):
    lines = said("info", "json")
    fail()
    told = json.loads(lines()[0])
    assert told["level"] == "error"
    assert told["process"] == os.getpid()
    assert told["logger"] == "samovar.web"
    assert told["message"] == "it failed:\nhere"
    assert told["exception"].endswith("ValueError: two\nlines")


def test_what_another_process_writes_becomes_such_a_line(said):
    lines = said("info", "json")
    child = processes.Process([sys.executable, "-c", "import sys; sys.stderr.write('a bot\\nprints, ä\\n')"])
    told = []
    until(lambda: told.extend(map(json.loads, lines())) or len(told) == 2, "both lines are there")
    child.end()
    assert [(line["level"], line["logger"], line["message"]) for line in told] == [
        ("warning", "samovar.processes", "a bot"),
        ("warning", "samovar.processes", "prints, ä"),
    ]


@pytest.mark.parametrize(("level", "heard"), [("debug", 3), ("info", 2), ("warning", 1), ("error", 0)])
def test_the_level_leaves_lines_out_but_not_uncounted(said, level, heard):
    lines, log = said(level, "text"), logging.getLogger("samovar.web.jobs")
    before = figures.LOG_LINES.value("warning")
    log.debug("one")
    log.info("two")
    log.warning("three")
    logging.getLogger("of.somebody.else").info("four")
    assert len(lines()) == heard
    assert figures.LOG_LINES.value("warning") == before + 1


def test_streams_that_an_end_cuts_off_are_no_news(said):
    """As uvicorn tells of it."""
    import asyncio

    lines, log = said("info", "text"), logging.getLogger("uvicorn.error")
    log.error("Cancel %s running task(s), timeout graceful shutdown exceeded", 1)
    log.error("Exception in ASGI application\n", exc_info=asyncio.CancelledError("cut"))
    log.error("Exception in ASGI application\n", exc_info=ValueError("else"))
    assert len(lines()) == 1


@pytest.mark.parametrize("is_terminal", [True, False])
def test_the_code_is_for_terminals(is_terminal, monkeypatch, capsys):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: is_terminal, raising=False)
    serve.announce(Site("sqlite:///x", bytes(32), "http://192.0.2.1:8080"), "0.0.0.0", 8080)
    said = capsys.readouterr().out
    assert "http://192.0.2.1:8080" in said
    assert ("█" in said) == is_terminal


# A site in a process of its own


class Heard(Server):
    """A server whose lines are kept."""

    def start(self):
        with open(self.file, "wb") as errors, open(os.devnull, "wb") as nowhere:
            self.process = subprocess.Popen(self.command, env=self._environment, stdout=nowhere, stderr=errors)
        self.process.stderr = open(os.devnull, "rb")  # noqa: SIM115 - closed by the server
        self.wait()
        return self

    @property
    def lines(self):
        return self.file.read_text(encoding="utf-8").splitlines()


@contextlib.contextmanager
def heard(file, folder, *arguments, **environment):
    server = Heard(folder, None, *arguments, **environment)
    server.file = file
    server.start()
    try:
        yield server
    finally:
        server.stop()


def ask(server, path, data=None, **headers):
    request = urllib.request.Request(f"{server.address}{path}", data, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.read()
    except urllib.error.HTTPError as error:
        error.close()
        return b""


def test_no_line_names_who_visits_or_how_to_get_in(tmp_path):
    """From the start to the end, though much goes wrong on the way."""
    file = tmp_path / "log"
    with heard(file, tmp_path / "data", "--proxy", "127.0.0.1", "--entry", "open") as server:
        made = call(server, "/api/tables", {"game": "connect_four", "seats": 2, "chairs": ["token", "token"]})
        secret = made["tokens"][0]
        call(server, f"/api/tables/{made['table']}/name", {"name": "Zinaida"}, secret)
        told = {"X-Forwarded-For": ADDRESS}
        for path in (f"/table/{made['table']}/come/{secret}", "/invitation/secret-invitation", "/api/tables/\x7f"):
            ask(server, urllib.request.quote(path), **told)
        ask(
            server,
            f"/api/tables/{made['table']}/talk",
            b'{"text": "Zinaida"}',
            Authorization=f"Bearer {secret}",
            **told,
        )
        ask(server, f"/api/tables/{made['table']}/moves", b"\xff", Authorization=f"Bearer {secret}", **told)
        with socket.create_connection(("127.0.0.1", server.port)) as connection:
            connection.sendall(b"nonsense of Zinaida\r\n\r\n")
        assert server.stop() == 0
    lines = file.read_text(encoding="utf-8").splitlines()
    assert all(LINE.fullmatch(line) for line in lines), lines
    assert re.search(r" info \d+ Samovar \d+\.\d+\.\d+ starts: port \d+, SQLite, 1 process$", lines[1]), lines
    assert "the database was made" in lines[0]
    assert lines[-1].endswith("Samovar has ended")
    for word in ("Zinaida", ADDRESS, "127.0.0.1", secret, "secret-invitation"):
        assert not [line for line in lines if word in line]


@pytest.mark.processes
def test_the_death_of_a_process_is_told_and_counted(tmp_path, postgresql_server):
    url = postgresql_server.new_database()
    with heard(tmp_path / "log", None, "--database", url, "--workers", "2", "--log-format", "json") as server:

        def told(word):
            lines = [json.loads(line) for line in server.lines if line.endswith("}")]  # the last may be on its way
            return [line for line in lines if word in line["message"]]

        until(lambda: len(told("of the site starts")) == 2, "both have started")
        killed = told("of the site starts")[0]["process"]
        os.kill(killed, signal.SIGKILL)
        (line,) = until(lambda: told("has ended (by signal 9)"), "it is told")
        assert str(killed) in line["message"]
        assert line["level"] == "error"
        until(lambda: len(told("of the site starts")) == 3, "another one takes its place")
        figure = re.compile(rb"^samovar_process_deaths_total 1$", re.MULTILINE)
        until(lambda: figure.search(ask(server, "/metrics")), "it is counted")
