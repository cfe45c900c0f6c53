"""The same tournament on a real Ray with two workers, one of which is killed."""

import os
import signal
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from samovar.arena import cluster
from samovar.arena.outcome import Outcome, Tournament
from samovar.arena.plan import TournamentPlan
from samovar.arena.playing import play_match
from samovar.arena.tournament import run
from samovar.errors import BadTournament
from support import clusters, nasty_bots

pytestmark = pytest.mark.research

TOURNAMENT = Tournament("connect_four", ("random", "meets"), 2, 24, 3, {})


@pytest.fixture(scope="module")
def ray(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with pytest.MonkeyPatch.context() as monkeypatch:
        nasty_bots.install(tmp_path_factory.mktemp("bots"), monkeypatch)
        monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        monkeypatch.setenv("RAY_AUTH_TOKEN", clusters.TOKEN)
        ray = pytest.importorskip("ray", reason="ray is not installed: pip install samovar-games[ray]")
        ray.init(
            "local",
            num_cpus=2,
            include_dashboard=False,
            log_to_driver=False,
            logging_level="error",
            object_store_memory=80 * 2**20,
        )
        yield ray
        ray.shutdown()


def expected(tournament: Tournament) -> list[Outcome]:
    """What one machine makes of it."""
    (nasty_bots.folder() / "meet").write_text("never")
    return [play_match(match).outcome for match in TournamentPlan(tournament)]


def test_a_worker_killed_in_the_middle_costs_no_match_and_counts_none_twice(ray: Any, tmp_path: Path) -> None:
    pipe = nasty_bots.arrange_to_meet(match=9)
    seen: list[int] = []
    with ThreadPoolExecutor() as pool:
        running = pool.submit(
            run,
            TOURNAMENT,
            cluster="auto",
            file=tmp_path / "file",
            records=tmp_path / "records",
            progress=lambda done, total: seen.append(done),
        )
        child = int(pipe.read_text())
        worker = nasty_bots.parent_of(nasty_bots.parent_of(child))  # its child is the referee, whose child has the bot
        assert b"ray::" in Path(f"/proc/{worker}/cmdline").read_bytes()
        os.kill(worker, signal.SIGKILL)
        outcomes = running.result(60)
    begun = (nasty_bots.folder() / "begun").stat().st_size
    assert begun > len(outcomes), "a match was played again"
    assert outcomes == expected(TOURNAMENT)
    assert seen == list(range(25))
    assert len((tmp_path / "file").read_text().splitlines()) == 25
    assert len(list((tmp_path / "records").iterdir())) == 24
    assert nasty_bots.ended(child)


def test_a_cluster_that_would_play_otherwise_is_refused(ray: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "header", lambda tournament: {"samovar": "another"})
    with pytest.raises(BadTournament, match="Install the same samovar") as caught:
        run(TOURNAMENT, cluster="auto")
    assert type(caught.value) is BadTournament, "our sentence, without Ray's report around it"


def test_without_ray_the_remedy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(BadTournament, match=r'pip install "samovar-games\[ray\]"'), cluster.joined("auto"):
        pass
