"""Two instances of a site on one PostgreSQL, restarted one after the other: no move is lost, and streams go on."""

import pytest

from support.evening import Evening, restart_one_after_the_other
from support.front import before
from support.servers import serving
from support.waiting import until, wait_until

pytestmark = pytest.mark.processes


def test_a_rolling_restart_loses_no_move_and_streams_go_on(postgresql_server):
    database = postgresql_server.new_database()
    with (
        serving(None, "--database", database, "--proxy", "127.0.0.1") as one,
        serving(None, "--database", database, "--proxy", "127.0.0.1") as other,
        before(one, other) as front,
        Evening(front) as evening,
    ):
        restart_one_after_the_other(evening, (one, other), lambda holds: wait_until(holds, 60))
        acknowledged = evening.acknowledged
        until(lambda: evening.seen >= acknowledged, "the stream tells of every move")
        assert evening.revision() >= acknowledged, "an acknowledged move is lost"
        assert evening.strange == []
        assert evening.streams >= 2, "its instance was restarted under it"
