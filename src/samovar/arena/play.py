"""One match between bots, in this process. What a bot does wrong costs it the match; it cannot stop
the tournament.

A bot that never comes back or ends the process is beyond what can be done in here: see `worker.py`.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

import numpy as np

from samovar.arena.outcome import Outcome
from samovar.arena.plan import PlannedMatch
from samovar.bots.bot import Answer, Bot
from samovar.bots.registry import make_bot
from samovar.engine.match import Match
from samovar.engine.record import make_record
from samovar.errors import BotFailed, IllegalMove, SamovarError

LONGEST_REASON = 300  # characters

Thinking = Callable[[int | None], None]  # is told which seat's bot has the word now, None: no bot has


class Played(NamedTuple):
    outcome: Outcome
    record: dict[str, Any] | None  # on request


def play_match(planned: PlannedMatch, thinking: Thinking = lambda seat: None, *, record: bool = False) -> Played:
    playing = Playing(planned, record=record)
    playing.play(thinking)
    return playing.played()


class Playing:
    """A match while it is played. It can be asked for its outcome at any time, also by another
    thread while a bot is thinking."""

    def __init__(self, planned: PlannedMatch, *, record: bool = False) -> None:
        self.planned = planned
        self.match = Match(planned.game, len(planned.bots), planned.seed, **planned.options)
        self._record = record
        self._failed: tuple[int, str] | None = None  # the seat that forfeited, and why
        self._seconds = [0.0] * self.match.seats
        self._slowest = [0.0] * self.match.seats

    @property
    def ended(self) -> bool:
        return self.match.over or self._failed is not None

    def play(self, thinking: Thinking, *, only_make: bool = False) -> None:
        """To the end or to a forfeit. `only_make` makes the bots and lets them go; what is wrong
        with one of them is then an error."""
        bots: list[Bot] = []
        seat = 0
        try:
            for seat, (name, seed) in enumerate(zip(self.planned.bots, self.planned.bot_seeds, strict=True)):
                with self._blamed(seat, thinking):
                    bots.append(make_bot(name, self.match.game, seed))
            while not self.match.over and not only_make:
                seat = self.match.actors[0]
                self.match.play(seat, self._ask(bots[seat], seat, thinking))
        except BotFailed as error:
            if only_make:
                raise (error.__cause__ if isinstance(error.__cause__, SamovarError) else error) from None
        except IllegalMove as error:
            self._failed = (seat, one_line(str(error)))
        finally:
            for seat, bot in enumerate(bots):
                with suppress(BotFailed), self._blamed(seat, thinking):
                    bot.close()

    def _ask(self, bot: Bot, seat: int, thinking: Thinking) -> int:
        chair = self.match.seat(seat)
        with self._blamed(seat, thinking):
            begun = time.perf_counter()
            try:
                answer = bot.choose(chair)
            finally:
                spent = time.perf_counter() - begun
                self._seconds[seat] += spent
                self._slowest[seat] = max(self._slowest[seat], spent)
            move = answer.move if isinstance(answer, Answer) else None
            if (
                isinstance(move, bool)
                or not isinstance(move, int | np.integer)
                or not 0 <= move < self.match.game.moves
            ):
                raise BotFailed(f"It answered {told(answer)}, not an Answer with the number of a move.")
            return int(move)

    @contextmanager
    def _blamed(self, seat: int, thinking: Thinking) -> Iterator[None]:
        """What goes wrong in here is the fault of this seat's bot."""
        thinking(seat)
        try:
            yield
        except BaseException as error:
            if not self.ended:
                self._failed = (seat, told(error))
            if isinstance(error, Exception | SystemExit):
                raise BotFailed(told(error)) from error
            raise  # somebody at the keyboard, most likely
        finally:
            thinking(None)

    def played(self, seat: int | None = None, reason: str = "") -> Played:
        """How it went; of a match that has not ended: how it goes if this seat forfeits now."""
        if self._failed is not None:
            seat, reason = self._failed
        elif self.match.over:
            seat, reason = None, ""
        seats = range(self.match.seats)
        made = Counter(actor for actor, _ in self.match.history)
        outcome = Outcome(
            number=self.planned.number,
            deal=self.planned.deal,
            bots=self.planned.bots,
            scores=self.match.scores,
            places=self.match.places if seat is None else tuple(len(seats) if each == seat else 1 for each in seats),
            length=len(self.match.history),
            forfeit=seat,
            reason=reason,
            seconds=tuple(round(spent, 6) for spent in self._seconds),
            slowest=tuple(round(spent, 6) for spent in self._slowest),
            moves=tuple(made[each] for each in seats),
        )
        table = {"match": outcome.number, "bots": list(outcome.bots)} | (
            {} if seat is None else {"forfeit": seat, "reason": reason}
        )
        return Played(outcome, make_record(self.match, table) if self._record else None)


def told(thing: object) -> str:
    """Something that a bot gave. Errors of ours are sentences already, all else is told as Python
    writes it."""
    try:
        return one_line(str(thing) if isinstance(thing, SamovarError) else repr(thing))
    except Exception:
        return f"something of type {type(thing).__name__} that cannot be shown"


def one_line(text: str) -> str:
    """Short, and without what a terminal or a page would choke on."""
    line = " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
    return line if len(line) <= LONGEST_REASON else f"{line[:LONGEST_REASON]}..."
