"""The same matches on a Ray cluster. Where a match is played does not matter: it follows from its
plan, and it counts once, by its number."""

from __future__ import annotations

import os
import socket
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any

from samovar.arena.outcome import Tournament
from samovar.arena.plan import Plan
from samovar.arena.play import Played
from samovar.arena.referee import Referee
from samovar.arena.store import header
from samovar.errors import BadTournament

PORTION = 4  # matches in a task: enough to outweigh what a task costs, few enough to lose little with a machine
AHEAD = 4  # tasks handed out at a time, for each core
REACH = 5.0  # seconds to reach a cluster; Ray itself would try for minutes

_referees: dict[tuple[object, ...], Referee] = {}  # in a process of Ray's: kept from task to task


@contextmanager
def joined(address: str) -> Iterator[None]:
    """`local` is a cluster made for this, `auto` the one that runs here; else a host and a port,
    with `ray://` before those for clients.

    Who has joined one already plays on that one, and stays there.
    """
    try:
        import ray
    except ImportError:
        raise BadTournament(
            'Ray is not installed, so there is no cluster to play on. Install it: pip install "samovar[ray]".'
        ) from None
    if ray.is_initialized():
        yield
        return
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        host, colon, port = address.removeprefix("ray://").rpartition(":")
        if colon:
            socket.create_connection((host, int(port)), REACH).close()
        # What bots print must not get onto standard output, which may be a report.
        ray.init(
            address,
            log_to_driver=False,
            logging_level="error",
            **({"include_dashboard": False} if address == "local" else {}),
        )
    except (OSError, ValueError, RuntimeError) as error:
        raise BadTournament(
            f"No Ray cluster can be reached at {address!r} ({error}). Give its host and port as --ray, 'auto' for "
            "the one started here with "
            "'ray start --head', or 'local' to start one for this tournament. If it wants a token, set RAY_AUTH_MODE "
            "and RAY_AUTH_TOKEN here, too."
        ) from error
    try:
        yield
    finally:
        ray.shutdown()


def play_on_cluster(
    plan: Plan, numbers: Iterable[int], move_limit: float, records: bool
) -> Generator[Played, None, None]:
    """The matches of these numbers, as they end. When a process or a machine dies, Ray plays its
    tasks again elsewhere."""
    import ray

    task = ray.remote(max_retries=-1)(play_portion)
    expected = header(plan.tournament)
    waiting = iter(numbers)
    busy: list[Any] = []
    try:
        while True:
            room = AHEAD * max(1, int(ray.cluster_resources().get("CPU", 1))) - len(busy)
            portions = [portion for _ in range(room) if (portion := list(islice(waiting, PORTION)))]
            busy += [task.remote(plan.tournament, expected, portion, move_limit, records) for portion in portions]
            if not busy:
                return
            done, busy = ray.wait(busy)
            yield from ray.get(done[0])
    except ray.exceptions.RayTaskError as error:
        raise error.cause from None
    finally:
        for unwanted in busy:
            ray.cancel(unwanted, force=True)


def play_portion(
    tournament: Tournament, expected: dict[str, Any], numbers: list[int], move_limit: float, records: bool
) -> list[Played]:
    """Runs in a process of Ray's, which keeps its referee. A machine that would play otherwise, or
    cannot make a bot, must not play at all."""
    plan = Plan(tournament)
    key = (repr(expected), move_limit, records)
    if key not in _referees:
        here = header(tournament)
        if here != expected:
            raise BadTournament(
                f"The cluster would play {here}, not {expected}. Install the same samovar and games on all its "
                "machines."
            )
        referee = Referee(move_limit, records=records)
        referee.check_bots(plan)
        _referees[key] = referee
    return [_referees[key](plan.match(number)) for number in numbers]
