"""A bot that thinks in a process of its own, seen from the process that asks it.

The one who asks knows whom it has asked, so nobody must guess who was to blame. A bot that does not
answer in time has failed. A process that is gone, for whatever reason, is replaced once for each
question: a new bot is made and asked all it was asked before, so it stands where the other stood.
If that one goes, too, it was the bot. So who kills a process from outside costs nobody anything,
and a bot that kills its process fails every time.
"""

from __future__ import annotations

from contextlib import suppress

import msgspec

from samovar import errors
from samovar.bots.bot import Answer
from samovar.bots.bot_worker import BotOrder, Choose, Close, HostReply, Load, Make
from samovar.engine.seat import Seat
from samovar.errors import BotFailed, SamovarError
from samovar.processes import STARTING_SECONDS, Child, Lost, Silent, WorkerNotStarted

HOST = "samovar.bots.bot_worker"
CLOSING_SECONDS = 10.0  # for a bot to let go of what it holds
MOST_REPLACED = 8  # processes in a match that went while nobody was asked
KILLED = "It killed or blocked the process it was running in."


class HostedBot:
    """The bot that an order makes in the process of `child`, for one match."""

    def __init__(self, child: Child, make: Make, seconds: float) -> None:
        self._child = child
        self._make = make
        self._seconds = seconds  # for each answer
        self._orders: list[BotOrder] = []
        self._carried_out = 0  # of the orders, by the process there is now
        self._replaced = 0
        self._ask(make)

    def choose(self, seat: Seat) -> Answer:
        answer = self._ask(Choose(seat.to_bytes()))
        if answer is None:
            raise BotFailed("It did not answer with a move.")
        return answer

    def close(self) -> None:
        with suppress(Lost):
            if self._child.is_running:
                self._child.ask(msgspec.json.encode(Close()), CLOSING_SECONDS)

    def _ask(self, order: BotOrder) -> Answer | None:
        self._orders.append(order)
        if self._carried_out and not self._child.is_running:
            self._replaced += 1
        for _ in range(2 if self._replaced <= MOST_REPLACED else 0):
            try:
                return self._catch_up()
            except Silent:
                raise TooSlow(f"It took longer than {self._seconds:g} s.") from None
            except WorkerNotStarted:
                raise
            except Lost:
                pass
        raise BotFailed(KILLED)

    def _catch_up(self) -> Answer | None:
        """The answer to the last order, and to all before it if the process is a new one."""
        if not self._child.is_running:
            self._carried_out = 0
            self._start()
        reply = HostReply()
        while self._carried_out < len(self._orders):
            line = msgspec.json.encode(self._orders[self._carried_out])
            reply = HostReply.read(self._child.ask(line, self._seconds))
            self._carried_out += 1
        if reply.error:
            kind = getattr(errors, reply.kind, BotFailed)
            raise (kind if issubclass(kind, SamovarError) else BotFailed)(reply.error)
        return reply.answer

    def _start(self) -> None:
        """A new process, with the rules: none of this counts as the bot's time."""
        try:
            self._child.ask(msgspec.json.encode(Load(self._make.game)), STARTING_SECONDS)
        except Lost as lost:
            raise WorkerNotStarted(str(lost)) from lost


class TooSlow(BotFailed):
    """A bot did not answer in time."""
