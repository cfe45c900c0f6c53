"""A site of two processes on one PostgreSQL: changes cross from one to the other, and bots play
once."""

import json
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from support.databases import Missing, postgresql
from support.servers import call, serving
from support.waiting import until

pytestmark = pytest.mark.processes

STREAMS = 8  # connections are dealt to the processes by chance: with eight, both have some


@pytest.fixture(scope="module")
def server(postgresql_server):
    with serving(None, "--database", postgresql_server.new_database(), "--workers", "2") as running:
        yield running


def test_no_password_is_in_a_command_line_and_bots_inherit_none(postgresql_server):
    database = postgresql_server.new_database().replace("samovar@", "samovar:s3cret@")
    with serving(None, "--workers", "2", SAMOVAR_DATABASE=database) as server:
        call(server, "/api/tables", {"game": "connect_four", "seats": 2, "chairs": ["easy", "easy"]})
        bots = until(
            lambda: [one for one in descendants(server.process.pid) if "advice_worker" in told(one)], "a bot thinks"
        )
        for process in descendants(server.process.pid):
            assert "s3cret" not in told(process)
        for process in bots:
            assert "s3cret" not in told(process, "environ")
            assert "SAMOVAR_SITE" not in told(process, "environ")


def descendants(process):
    children = [int(path.parent.name) for path in Path("/proc").glob("[0-9]*/stat") if parent(path) == process]
    return [*children, *(grandchild for child in children for grandchild in descendants(child))]


def parent(stat):
    with suppress(OSError):  # it may be gone by now
        return int(stat.read_text().rpartition(")")[2].split()[1])


def told(process, what="cmdline"):
    with suppress(OSError):
        return Path(f"/proc/{process}/{what}").read_text()
    return ""


# As a process of a site and the one that started it. Where the system watches nobody, a thread does.
ORPHAN = """
import multiprocessing, threading, time
from samovar.web.serve import _end_after
def stay():
    threading.Thread(target=_end_after, args=(multiprocessing.parent_process(),), daemon=True).start()
    print("here", flush=True)
    time.sleep(60)
    print("still here", flush=True)
if __name__ == "__main__":
    child = multiprocessing.get_context("spawn").Process(target=stay)
    child.start()
    child.join()
"""


def test_a_process_does_not_outlive_the_one_that_started_it(tmp_path):
    program = tmp_path / "orphan.py"
    program.write_text(ORPHAN)
    with subprocess.Popen([sys.executable, str(program)], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout.readline() == "here\n"
        parent.kill()
        assert parent.stdout.read() == "", "ends when all have ended who could write to it"


def test_changes_reach_those_who_listen_to_another_process(server):
    made = call(
        server,
        "/api/tables",
        {"game": "connect_four", "seats": 2, "chairs": ["token", "token"], "options": {"first": 0}},
    )
    with listening(server, made) as hear:
        call(server, f"/api/tables/{made['table']}/moves", {"move": "d", "revision": 0}, made["tokens"][0])
        assert hear() == [1] * STREAMS


@contextmanager
def listening(server, made):
    """Streams of a new table, and how to wait for what they hear next."""
    address = f"{server.address}/api/tables/{made['table']}/events"
    streams = [urllib.request.urlopen(address, timeout=30) for _ in range(STREAMS)]
    try:
        assert {json.loads(stream.readline())["revision"] for stream in streams} == {0}
        heard = []
        listeners = [
            threading.Thread(target=lambda stream=stream: heard.append(next_ply(stream)), daemon=True)
            for stream in streams
        ]
        for listener in listeners:
            listener.start()

        def hear(seconds=30):
            until = time.monotonic() + seconds
            for listener in listeners:
                listener.join(max(0, until - time.monotonic()))
            return heard

        yield hear
    finally:
        for stream in streams:
            stream.close()


def next_ply(stream):
    """An empty line only shows that the stream is alive."""
    while True:
        line = stream.readline().strip()
        if line:
            return json.loads(line)["revision"]


def test_a_match_of_bots_is_played_to_its_end(server):
    made = call(server, "/api/tables", {"game": "connect_four", "seats": 2, "chairs": ["easy", "easy"]})
    with urllib.request.urlopen(f"{server.address}/api/tables/{made['table']}/events", timeout=60) as stream:
        while True:
            line = stream.readline().strip()
            if line and json.loads(line)["status"] == "over":
                return


def test_all_processes_answer_with_the_same_state(server):
    made = call(
        server,
        "/api/tables",
        {"game": "connect_four", "seats": 2, "chairs": ["token", "token"], "options": {"first": 0}},
    )
    for ply in range(6):
        call(
            server,
            f"/api/tables/{made['table']}/moves",
            {"move": "abcdef"[ply], "revision": ply},
            made["tokens"][ply % 2],
        )
        assert {call(server, f"/api/tables/{made['table']}")["revision"] for _ in range(6)} == {ply + 1}


def test_the_first_move_after_a_restart_of_the_database_is_told_to_all():
    """The beat of a stream comes every 15 seconds, too late to help here."""
    try:
        with (
            postgresql() as database,
            serving(None, "--database", database.new_database(), "--workers", "2") as running,
        ):
            for _ in range(STREAMS):  # both processes have said something before
                made = call(
                    running,
                    "/api/tables",
                    {"game": "connect_four", "seats": 2, "chairs": ["token", "token"], "options": {"first": 0}},
                )
            with listening(running, made) as hear:
                database.stop()
                database.start()
                move = {"move": "d", "revision": 0}
                patiently(lambda: call(running, f"/api/tables/{made['table']}/moves", move, made["tokens"][0]))
                assert hear(8) == [1] * STREAMS
    except Missing as missing:
        pytest.skip(str(missing))


def patiently(action, seconds=10):
    """Again while the site cannot reach its database."""
    until = time.monotonic() + seconds
    while True:
        try:
            return action()
        except urllib.error.HTTPError as error:
            error.close()
            if error.code != 503 or time.monotonic() > until:
                raise
            time.sleep(0.2)


def test_a_clean_end_lets_go_of_all_turns(postgresql_server):
    """So that bots need not wait after a restart."""
    url = postgresql_server.new_database()
    with serving(None, "--database", url, "--workers", "2", SAMOVAR_BOT_PAUSE="60") as running:
        call(running, "/api/tables", {"game": "connect_four", "seats": 2, "chairs": ["easy", "easy"]})
        until = time.monotonic() + 30
        while not claims(url):
            assert time.monotonic() < until
            time.sleep(0.1)
        assert running.stop() == 0
        assert claims(url) == 0


def claims(url):
    import psycopg

    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        return connection.execute("SELECT count(*) FROM claims").fetchone()[0]
