"""Two instances of a site on one PostgreSQL, restarted one after the other: no move is lost, and streams go on."""

import pytest

from support.evening import Evening, restart_one_after_the_other
from support.front import before
from support.servers import call, serving_together
from support.waiting import until, wait_until

pytestmark = pytest.mark.processes


def test_a_rolling_restart_loses_no_move_and_streams_go_on(postgresql_server):
    database = postgresql_server.new_database()
    with (
        serving_together(2, "--database", database, "--proxy", "127.0.0.1") as (one, other),
        before(one, other) as front,
        Evening(front) as evening,
    ):
        restart_one_after_the_other(evening, (one, other), lambda holds: wait_until(holds, 60))
        acknowledged = evening.acknowledged
        until(lambda: evening.seen >= acknowledged, "the stream tells of every move")
        assert evening.revision() >= acknowledged, "an acknowledged move is lost"
        assert evening.strange == []
        assert evening.streams >= 2, "its instance was restarted under it"


def test_two_instances_with_workers_begin_in_the_same_second_on_an_empty_database(postgresql_server):
    """One of them makes it, and both are one site: what one makes, the other knows, each in two processes."""
    settings = ("--database", postgresql_server.new_database(), "--workers", "2", "--proxy", "127.0.0.1")
    with serving_together(2, *settings) as (one, other):
        new = {"game": "connect_four", "seats": 2, "chairs": ["token", "token"], "options": {"first": 0}}
        for here, there in ((one, other), (other, one)):
            made = call(here, "/api/tables", new)
            move = {"move": "d", "revision": 0}
            assert call(there, f"/api/tables/{made['table']}/moves", move, made["tokens"][0])["revision"] == 1
            assert call(here, f"/api/tables/{made['table']}")["revision"] == 1
