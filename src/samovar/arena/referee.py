"""Has matches played by a process of its own, so that several can be played at the same time.

Only our own code runs in it (`referee_worker.py`); if it dies, somebody has killed it, and the match is
played again.
"""

from __future__ import annotations

import math
import os
from dataclasses import replace

import msgspec

from samovar import errors
from samovar.arena.plan import PlannedMatch, TournamentPlan
from samovar.arena.playing import PlayedMatch
from samovar.arena.referee_worker import RefereeOrder, RefereeReply
from samovar.errors import BadTournament, SamovarError
from samovar.processes import Child, Lost

MOVE_LIMIT = 10.0  # seconds for a move
# seconds more for each move of a bot's first match in a process: what it runs may have to be
# compiled first
ALLOWANCE = 120.0
TRIES = 3
WORKER = "samovar.arena.referee_worker"
LONGEST_RECORD = 2**28  # bytes


class Referee:
    """`referee(planned) -> Played`, one match at a time."""

    def __init__(self, move_limit: float = MOVE_LIMIT, *, records: bool = False, allowance: float = ALLOWANCE) -> None:
        self._limits = move_limit, allowance
        self._records = records
        self._is_stopped = False
        # there is a process for every core
        self._child = Child(WORKER, environment={**os.environ, "SAMOVAR_THREADS": "1"}, longest=LONGEST_RECORD)

    def __call__(self, planned: PlannedMatch) -> PlayedMatch:
        answer = self._ask(RefereeOrder(planned, *self._limits, record=self._records))
        assert answer.outcome is not None
        return PlayedMatch(answer.outcome, answer.record)

    def check_bots(self, plan: TournamentPlan) -> None:
        """Every bot of the tournament can be made here; else a wrong name would lose all its
        matches."""
        first = plan.match(0)
        for name in plan.tournament.names:
            alone = replace(first, bots=(name,) * len(first.bots))
            self._ask(RefereeOrder(alone, *self._limits, only_make=True))

    def _ask(self, order: RefereeOrder) -> RefereeReply:
        for _ in range(TRIES):
            try:
                line = self._child.ask(msgspec.json.encode(order), math.inf)
            except Lost:
                if self._is_stopped:
                    raise RuntimeError("This referee has been stopped.") from None
                continue
            answer = msgspec.json.decode(line, type=RefereeReply)
            if answer.error is not None:
                kind, text = answer.error
                raise getattr(errors, kind, SamovarError)(text)
            return answer
        raise BadTournament("The process that plays the matches ended again and again. What it said is above.")

    def stop(self) -> None:
        """Ends the match that is being played and plays no more; from any thread."""
        self._is_stopped = True
        self._child.stop()

    def __enter__(self) -> Referee:
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()
        self._child.end()
