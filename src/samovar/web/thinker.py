"""The process in which bots think and records are played again, `python -m samovar.web.thinker
NICENESS`; `thinking.py` and `reels.py` ask it.

Orders come as JSON lines on standard input, and each is answered by a JSON line on standard output.
The process ends when its input does, in the midst of thinking, too, so it never outlives the site.
A fault that is nobody's order ends it as well: it is then replaced by a fresh one.
"""

from __future__ import annotations

import ctypes
import math
import os
import queue
import signal
import sys
import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any, BinaryIO

import msgspec
import numpy as np

from samovar.bots.bot import Reason
from samovar.bots.registry import make_bot
from samovar.engine.backend import backend
from samovar.engine.contract import Value
from samovar.engine.match import Match
from samovar.engine.registry import find_game
from samovar.errors import BotFailed, SamovarError
from samovar.web.reel import Reel, wind

QUICK_SECONDS = 1.5  # for an answer of the plain search
RECORD_SECONDS = 5.0  # for a record
MATCHES = 8  # kept, so that the next question about them needs only the new moves
PR_SET_PDEATHSIG = 1


@dataclass(frozen=True, slots=True)
class Question:
    """What would this bot play now?"""

    game: str
    seats: int
    options: dict[str, Value]
    seed: int | str  # of the deal
    moves: tuple[tuple[int, int], ...]  # (seat, move number) so far
    seat: int  # who is to move
    bot: str
    bot_seed: int


@dataclass(frozen=True, slots=True)
class Thought:
    move: int
    reasons: tuple[Reason, ...]
    quick: bool  # answered by the plain search because the compiled one was not ready


@dataclass(frozen=True, slots=True)
class Order:
    """A question, to be answered by plain rules in little time if `quick`; or a record to be
    played; or else a game to be compiled."""

    game: str = ""
    question: Question | None = None
    quick: bool = False
    record: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    thought: Thought | None = None
    reel: Reel | None = None
    error: str = ""
    kind: str = ""  # of the error: the name of its class


class Thinker:
    def __init__(self) -> None:
        self._matches: OrderedDict[tuple[object, ...], Match] = OrderedDict()

    def carry_out(self, line: bytes) -> Reply:
        try:
            order = msgspec.json.decode(line, type=Order)
            if order.question is not None:
                return Reply(self.think(order.question, order.quick))
            if order.record is not None:
                return Reply(reel=wind_in_time(order.record))
            if order.game:
                prepare(order.game)
            return Reply()
        except (SamovarError, msgspec.ValidationError) as error:
            return Reply(error=str(error), kind=type(error).__name__)

    def think(self, question: Question, quick: bool) -> Thought:
        """Only the seat goes to the bot, so it can know no more than that seat."""
        match = self._match(question, quick)
        seat = match.seat(question.seat)
        bot = make_bot(
            question.bot, match.game, question.bot_seed, limit=QUICK_SECONDS if quick else math.inf, plain=quick or None
        )
        try:
            answer = bot.choose(seat)
        finally:
            bot.close()
        if answer.move not in seat.legal:
            raise BotFailed(
                f"The bot {question.bot!r} chose {answer.move!r}, which is not a legal move. Mend or uninstall its "
                "package."
            )
        return Thought(answer.move, answer.reasons, quick)

    def _match(self, question: Question, plain: bool) -> Match:
        """The match as it stands in the question."""
        key = (question.game, question.seats, tuple(sorted(question.options.items())), question.seed, plain)
        match = self._matches.pop(key, None) or Match(
            question.game, question.seats, question.seed, plain=plain or None, **question.options
        )
        self._matches[key] = match
        if len(self._matches) > MATCHES:
            self._matches.popitem(last=False)
        moves = list(question.moves)
        while match.history != moves[: len(match.history)]:
            match.undo()
        for seat, move in moves[len(match.history) :]:
            match.play(seat, move)
        return match


def wind_in_time(record: dict[str, Any]) -> Reel:
    """Ends the process when it takes too long. The processor's time is what counts: a record is as
    good on a machine that has much else to do."""
    signal.setitimer(signal.ITIMER_PROF, RECORD_SECONDS)
    try:
        return wind(record)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def prepare(game_id: str) -> None:
    """Has all compiled that bots need for a game, or loads it if it was compiled before."""
    match = Match(find_game(game_id), seed=1)
    match.play_random(1, limit=1)
    while len(match.legal(match.actors[0])) == 1:  # what is forced needs no thought
        match.play_random(1, limit=1)
    seat = match.seat(match.actors[0])
    for name in ("search:4", "greedy"):
        make_bot(name, match.game, 1).choose(seat)
    ready = backend(match.game)
    ready.run("forget", seat.imagine(1).states, *(np.array([number], np.int64) for number in (seat.number, 0, 1)))
    if not ready.is_kept:  # every process would have to compile it anew, and each question would wait for that
        raise BotFailed("No folder can be written to keep what was compiled. Let NUMBA_CACHE_DIR name one that can.")


def read_orders(lines: BinaryIO, orders: queue.SimpleQueue[bytes]) -> None:
    """The other thread: passes orders on, and ends the process when nobody is left who could give
    some."""
    for line in lines:
        orders.put(line)
    os._exit(0)


def end_with_parent() -> None:
    """On Linux also when no thread of this process can run."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def main() -> None:
    end_with_parent()
    os.nice(int(sys.argv[1]))
    # The pipes are moved out of the way of bots that read or print.
    lines, replies = open(os.dup(0), "rb"), open(os.dup(1), "wb")  # noqa: SIM115 - open as long as the process lives
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    orders: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=read_orders, args=(lines, orders), daemon=True).start()
    thinker = Thinker()
    while True:
        replies.write(msgspec.json.encode(thinker.carry_out(orders.get())) + b"\n")
        replies.flush()


if __name__ == "__main__":
    main()
