"""Where the bots of a match think.

Our own that are sure to be quick think in the process of the referee: they are handed a seat and
look at nothing else, and there is nobody to wait for. All others have a process of their own for
each seat, in which the deal is not. No two bots of different names ever share one, at no time: a
bot could leave something behind that looks at what the next one is told.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from dataclasses import dataclass

from samovar.bots.bot import Answer, Bot
from samovar.bots.bot_worker import Make
from samovar.bots.hosted import HOST, HostedBot, TooSlow
from samovar.bots.registry import is_ours, make_bot
from samovar.engine.contract import Game
from samovar.engine.heuristics import LEVEL_NAMES, PINNED_NAMES
from samovar.engine.seat import Seat
from samovar.processes import Child

QUICK = ("random", "greedy", "network", *LEVEL_NAMES, *PINNED_NAMES)  # by their names alone, without an argument
MOST_CHILDREN = 16  # that are kept for later matches


@dataclass(eq=False)
class Room:
    """A process for one bot."""

    bot: str
    child: Child
    has_played: bool = False  # a whole match, in the process there is now
    is_taken: bool = False


class ArenaPlayers:
    """Makes the bots of one match after the other."""

    def __init__(self, move_limit: float, allowance: float) -> None:
        self._move_limit, self._allowance = move_limit, allowance
        self._rooms: OrderedDict[Room, None] = OrderedDict()  # those used last at the end
        self._has_played: set[str] = set()  # our own, in this process
        self._was_late: set[str] = set()  # in spite of the allowance: they get none again

    def make(self, bot: str, game: Game, seed: int) -> Bot:
        """A bot for a seat of the match that is played now."""
        if bot in QUICK and is_ours(bot):
            return QuickBot(make_bot(bot, game, seed), self._limit(bot, bot in self._has_played))
        room = self._room_for(bot)
        return HostedBot(room.child, Make(bot, game.id, seed), self._limit(bot, room.has_played))

    def _limit(self, bot: str, has_played: bool) -> float:
        """What a bot runs in its first match may have to be compiled."""
        return self._move_limit + (0 if has_played or bot in self._was_late else self._allowance)

    def _room_for(self, bot: str) -> Room:
        room = next((room for room in self._rooms if room.bot == bot and not room.is_taken), None) or Room(
            bot, Child(HOST)
        )
        self._rooms[room] = None
        self._rooms.move_to_end(room)
        room.is_taken = True
        room.has_played &= room.child.is_running
        return room

    def leave(self, played: tuple[str, ...] = (), late: str | None = None) -> None:
        """The match is over, in which these bots have played; `late` is the one that took too
        long."""
        self._has_played.update(played)
        self._was_late.update([late] if late else [])
        for room in self._rooms:
            room.has_played |= room.is_taken and room.bot in played
            room.is_taken = False
        while len(self._rooms) > MOST_CHILDREN:
            self._rooms.popitem(last=False)[0].child.end()

    def close(self) -> None:
        for room in self._rooms:
            room.child.end()


class QuickBot:
    """One of ours in this process. It ends by itself; whether it was in time is looked at then."""

    def __init__(self, bot: Bot, seconds: float) -> None:
        self._bot, self._seconds = bot, seconds

    def choose(self, seat: Seat) -> Answer:
        begun = time.perf_counter()
        answer = self._bot.choose(seat)
        if time.perf_counter() - begun > self._seconds:
            raise TooSlow(f"It took longer than {self._seconds:g} s.")
        return answer

    def close(self) -> None:
        self._bot.close()
