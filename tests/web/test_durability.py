"""kill -9 at any moment loses no acknowledged move, and every table opens again."""

import json
import os
import random
import threading
import time
import urllib.error
import urllib.request
from http.client import HTTPException
from pathlib import Path

import pytest

from support.servers import Server, call, serving

pytestmark = pytest.mark.processes

KILLS = int(os.environ.get("SAMOVAR_KILLS", "20"))
TABLES = 6


class Player(threading.Thread):
    """Plays Connect Four with itself at one table after the other and writes down what was
    acknowledged."""

    def __init__(self, server, seed):
        super().__init__()
        self.server, self.choose = server, random.Random(seed)
        self.acknowledged = {}  # table -> ply
        self.table, self.tokens, self.revision = None, [], 0
        self.stopping = False
        self.moves = 0

    def run(self):
        while not self.stopping:
            try:
                self.step()
            except (OSError, ValueError, HTTPException):  # the server was killed: nothing was acknowledged
                self.table = None
                time.sleep(0.05)

    def step(self):
        if self.table is None:
            made = call(
                self.server,
                "/api/tables",
                {"game": "connect_four", "seats": 2, "chairs": ["token", "token"], "options": {"first": 0}},
            )
            self.table, self.tokens, self.revision = made["table"], made["tokens"], 0
            self.acknowledged[self.table] = 0
        legal = call(self.server, f"/api/tables/{self.table}/moves", token=self.tokens[self.revision % 2])["legal"]
        move = self.choose.choice(legal)["move"]
        done = call(
            self.server,
            f"/api/tables/{self.table}/moves",
            {"move": move, "revision": self.revision},
            self.tokens[self.revision % 2],
        )
        self.revision = done["revision"]
        self.acknowledged[self.table] = self.revision
        self.moves += 1
        if done["over"]:
            self.table = None


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_no_acknowledged_move_is_lost_by_kill_9(database, tmp_path, request):
    arguments = []
    if database == "postgresql":
        arguments = ["--database", request.getfixturevalue("postgresql_server").new_database(), "--workers", "2"]
    kills = KILLS if database == "sqlite" else 3
    server = Server(None if arguments else tmp_path, None, *arguments).start()
    players = [Player(server, seed) for seed in range(TABLES)]
    choose = random.Random(1)
    try:
        for player in players:
            player.start()
        for _ in range(kills):
            before = sum(player.moves for player in players)
            while sum(player.moves for player in players) < before + 10:
                time.sleep(0.01)
            time.sleep(choose.random() * 0.2)
            server.kill()
            server.start()
        for player in players:
            player.stopping = True
        for player in players:
            player.join(30)
        acknowledged = {table: ply for player in players for table, ply in player.acknowledged.items()}
        assert len(acknowledged) > kills
        for table, ply in acknowledged.items():
            found = call(server, f"/api/tables/{table}")
            assert found["revision"] in (ply, ply + 1), "an acknowledged move is lost, or one came from nowhere"
            with urllib.request.urlopen(f"{server.address}/table/{table}", timeout=20) as page:
                assert page.status == 200
        assert sum(player.moves for player in players) >= 10 * kills
    finally:
        for player in players:
            player.stopping = True
        server.stop()


def test_a_server_ends_cleanly_when_told_to(tmp_path):
    """Also while somebody listens to a stream, and leaving no thinker behind."""
    with serving(tmp_path) as server:
        made = call(server, "/api/tables", {"game": "connect_four", "seats": 2, "chairs": ["token", "easy"]})
        stream = urllib.request.urlopen(f"{server.address}/api/tables/{made['table']}/events", timeout=20)
        assert json.loads(stream.readline())["table"] == made["table"]
        children = children_of(server.process.pid)
        began = time.monotonic()
        assert server.stop() == 0
        assert time.monotonic() - began < 15
        stream.close()
        until = time.monotonic() + 10
        while any(is_alive(child) for child in children) and time.monotonic() < until:
            time.sleep(0.05)
        assert children
        assert not [child for child in children if is_alive(child)]


def children_of(pid):
    """Of all its threads: each kind of bot has one that starts and asks it."""
    lists = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for file in lists for child in file.read_text().split()]


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_a_port_that_is_taken_is_told(tmp_path):
    with serving(tmp_path / "one") as server:
        said = Server(tmp_path / "two", server.port).refused()
        assert f"Port {server.port} of 127.0.0.1 cannot be used" in said
        assert "--port" in said


def test_two_servers_do_not_share_a_folder(tmp_path):
    with serving(tmp_path):
        assert "Another samovar uses" in Server(tmp_path).refused()


def test_more_workers_need_postgresql(tmp_path):
    assert "give --database postgresql" in Server(tmp_path, None, "--workers", "2").refused()


def test_unknown_moves_are_refused_while_playing(tmp_path):
    with serving(tmp_path) as server:
        made = call(server, "/api/tables", {"game": "connect_four", "seats": 2, "chairs": ["token", "token"]})
        with pytest.raises(urllib.error.HTTPError) as refused:
            call(server, f"/api/tables/{made['table']}/moves", {"move": "z", "revision": 0}, made["tokens"][0])
        assert refused.value.code in (409, 422)
        refused.value.close()
