"""One match between bots. What a bot does wrong costs it the match; it cannot stop the tournament.

The match, and so the truth, is in this process. Where the bots are is for `make` to say: see
`players.py`.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple

from samovar.arena.luck import luck_of
from samovar.arena.outcome import Outcome
from samovar.arena.plan import PlannedMatch
from samovar.bots.bot import Bot
from samovar.bots.bot_worker import checked, describe, one_line
from samovar.bots.hosted import TooSlow
from samovar.bots.registry import make_bot
from samovar.engine.chance import derive_seed
from samovar.engine.contract import Game
from samovar.engine.match import Match
from samovar.engine.places import places_behind
from samovar.errors import BotFailed, IllegalMove
from samovar.json_types import JsonObject
from samovar.processes import WorkerNotStarted

MakeBot = Callable[[str, Game, int], Bot]  # from what was ordered, the game and the bot's seed


class PlayedMatch(NamedTuple):
    outcome: Outcome
    record: JsonObject | None  # on request


def play_match(planned: PlannedMatch, make: MakeBot = make_bot, *, record: bool = False) -> PlayedMatch:
    playing = Playing(planned, make)
    playing.play()
    return playing.played(record=record)


class Playing:
    """A match while it is played."""

    def __init__(self, planned: PlannedMatch, make: MakeBot) -> None:
        self.planned = planned
        self.match = Match(planned.game, len(planned.bots), planned.seed, **planned.options)
        self._make = make
        self._bots: list[Bot] = []
        self._failed: tuple[int, str] | None = None  # the seat that forfeited, and why
        self.late: str | None = None  # the bot that took too long
        self._seconds = [0.0] * self.match.seats
        self._slowest = [0.0] * self.match.seats

    def play(self) -> None:
        """To the end or to a forfeit."""
        try:
            for seat, (name, seed) in enumerate(zip(self.planned.bots, self.planned.bot_seeds, strict=True)):
                with self._blamed(seat):
                    self._bots.append(self._make(name, self.match.game, seed))
            while not self.match.over:
                self._move(self.match.actors[0])
        except BotFailed:
            pass
        finally:
            for seat, bot in enumerate(self._bots):
                with suppress(BotFailed), self._blamed(seat):
                    bot.close()

    def _move(self, seat: int) -> None:
        chair = self.match.seat(seat)
        with self._blamed(seat):
            begun = time.perf_counter()
            try:
                answer = self._bots[seat].choose(chair)
            finally:
                spent = time.perf_counter() - begun
                self._seconds[seat] += spent
                self._slowest[seat] = max(self._slowest[seat], spent)
            move = checked(answer, self.match.game).move
        try:
            self.match.play(seat, move)
        except IllegalMove as error:
            self._failed = (seat, one_line(str(error)))
            raise BotFailed(str(error)) from error

    @contextmanager
    def _blamed(self, seat: int) -> Iterator[None]:
        """What goes wrong in here is the fault of this seat's bot."""
        try:
            yield
        except WorkerNotStarted:  # of ours
            raise
        except BaseException as error:
            if not self.match.over and self._failed is None:
                self._failed = (seat, describe(error))
                self.late = self.planned.bots[seat] if isinstance(error, TooSlow) else None
            if isinstance(error, Exception | SystemExit):
                raise BotFailed(describe(error)) from error
            raise  # somebody at the keyboard, most likely

    def _luck(self) -> tuple[float, ...]:
        """Also of a match that was forfeited: no bot knows what chance will bring, so on average it is nothing."""
        seed = derive_seed(self.planned.seed, "luck", self.planned.number)
        return luck_of(self.match, seed) if self.planned.is_luck_measured else ()

    def played(self, *, record: bool) -> PlayedMatch:
        """How it went."""
        seat, reason = self._failed or (None, "")
        seats, teams = range(self.match.seats), self.match.game.teams(self.match.seats)
        moves = Counter(actor for actor, _ in self.match.history)
        outcome = Outcome(
            number=self.planned.number,
            deal=self.planned.deal,
            bots=self.planned.bots,
            scores=self.match.scores,
            places=self.match.places if seat is None else places_behind([1] * len(seats), [seat], teams),
            length=len(self.match.history),
            forfeit=seat,
            reason=reason,
            success=0 if seat is not None and self.match.success is not None else self.match.success,
            seconds=tuple(round(spent, 6) for spent in self._seconds),
            slowest=tuple(round(spent, 6) for spent in self._slowest),
            moves=tuple(moves[each] for each in seats),
            luck=self._luck(),
        )
        table = {"match": outcome.number, "bots": list(outcome.bots)} | (
            {} if seat is None else {"forfeit": seat, "reason": reason}
        )
        return PlayedMatch(outcome, self.match.record(table) if record else None)
