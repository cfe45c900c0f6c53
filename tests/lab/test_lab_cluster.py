"""The lab on a real Ray: the same figures as without it, within the same time, and a cluster that is not there is told
of before anything is counted."""

import socket
from collections.abc import Iterator

import pytest

from samovar.engine.registry import find_game
from samovar.errors import BadTournament
from samovar.lab import traced
from samovar.lab.compare import differences
from samovar.lab.order import MOST_RANDOM, LabOrder, make_order
from samovar.lab.portrait import portrait
from samovar.lab.run import Findings, measuring
from support import clusters, known_games

pytestmark = pytest.mark.research


@pytest.fixture(scope="module")
def _ray(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """One for all, as it takes long to start."""
    ray = pytest.importorskip("ray", reason="ray is not installed: pip install samovar-games[ray]")
    with pytest.MonkeyPatch.context() as monkeypatch:
        known_games.install(tmp_path_factory.mktemp("games"), monkeypatch)
        find_game.cache_clear()
        monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        monkeypatch.setenv("RAY_AUTH_TOKEN", clusters.TOKEN)
        for name in ("SIMULATIONS", "COMPARING", "TRIES"):  # thoughts take long where nothing is compiled
            monkeypatch.setattr(traced, name, 2)
        ray.init("local", num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="error")
        yield
        ray.shutdown()
    find_game.cache_clear()


def measured(order: LabOrder) -> Findings:
    return [*measuring(order)][-1]


def ordered(cluster: str | None, seconds: float | None = None, matches: int = 10) -> LabOrder:
    vary, players = {"first": [0, 1]}, ["random", "easy"]
    return make_order(
        "tosses", vary=vary, players=players, random=20, matches=matches, seconds=seconds, cluster=cluster
    )


@pytest.mark.usefixtures("_known_games")
def test_a_cluster_that_is_not_there_is_told_of_before_anything_is_counted() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    order = make_order("tosses", players=["random", "easy"], random=MOST_RANDOM, cluster=f"127.0.0.1:{port}")
    with pytest.raises(BadTournament, match="No Ray cluster can be reached at"):
        next(measuring(order))


@pytest.mark.usefixtures("_ray")
def test_a_cluster_finds_what_one_machine_does() -> None:
    here, there = measured(ordered(None)), measured(ordered("auto"))
    for variant, study in enumerate(there.studies):
        assert portrait(there, variant) == portrait(here, variant)
        assert [trace.number for trace in study.traces] == [trace.number for trace in here.studies[variant].traces]
        assert len(study.meetings["random", "easy"]) == 5
    assert differences(there) == differences(here) != []


@pytest.mark.usefixtures("_ray")
def test_a_cluster_plays_as_long_as_was_ordered() -> None:
    """With variants in turn: so many matches would take hours."""
    found = measured(ordered("auto", seconds=4, matches=100_000))
    one, other = (len(study.traces) for study in found.studies)
    assert 0 < other <= one < 10_000
