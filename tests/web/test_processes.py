"""A site of two processes on one PostgreSQL: changes cross from one to the other, and bots play once."""

import json
import threading
import urllib.request

import pytest
from servers import serving
from test_durability import call

STREAMS = 8  # connections are dealt to the processes by chance: with eight, both have some


@pytest.fixture(scope="module")
def server(postgresql_server):
    with serving(None, "--database", postgresql_server.new_database(), "--workers", "2") as running:
        yield running


def test_changes_reach_those_who_listen_to_another_process(server):
    made = call(server, "/api/tables", {"game": "connect_four", "seats": 2, "chairs": ["token", "token"], "options": {"first": 0}})
    address = f"{server.address}/api/tables/{made['table']}/events"
    streams = [urllib.request.urlopen(address, timeout=30) for _ in range(STREAMS)]
    try:
        assert {json.loads(stream.readline())["ply"] for stream in streams} == {0}
        heard = []
        listeners = [threading.Thread(target=lambda stream=stream: heard.append(next_ply(stream))) for stream in streams]
        for listener in listeners:
            listener.start()
        call(server, f"/api/tables/{made['table']}/moves", {"move": "d", "ply": 0}, made["tokens"][0])
        for listener in listeners:
            listener.join(30)
        assert heard == [1] * STREAMS
    finally:
        for stream in streams:
            stream.close()


def next_ply(stream):
    """An empty line only shows that the stream is alive."""
    while True:
        line = stream.readline().strip()
        if line:
            return json.loads(line)["ply"]


def test_a_match_of_bots_is_played_to_its_end(server):
    made = call(server, "/api/tables", {"game": "connect_four", "seats": 2, "chairs": ["easy", "easy"]})
    with urllib.request.urlopen(f"{server.address}/api/tables/{made['table']}/events", timeout=60) as stream:
        while True:
            line = stream.readline().strip()
            if line and json.loads(line)["status"] == "over":
                return


def test_all_processes_answer_with_the_same_state(server):
    made = call(server, "/api/tables", {"game": "connect_four", "seats": 2, "chairs": ["token", "token"], "options": {"first": 0}})
    for ply in range(6):
        call(server, f"/api/tables/{made['table']}/moves", {"move": "abcdef"[ply], "ply": ply}, made["tokens"][ply % 2])
        assert {call(server, f"/api/tables/{made['table']}")["ply"] for _ in range(6)} == {ply + 1}
