"""The process in which bots think, `python -m samovar.bots.bot_worker NICENESS`, for the arena and the
site alike.

Orders come as lines of JSON, and each is answered by one (`processes.py` carries them). What it is
told of a match are seats as bytes, so the deal is nowhere in this process: a bot may look at all of
its memory and learns what it knows already.
"""

from __future__ import annotations

import math
import sys
from contextlib import suppress
from typing import Self

import msgspec
import numpy as np

from samovar.bots.bot import Answer, Bot, Reason
from samovar.bots.registry import make_bot
from samovar.engine.contract import Game
from samovar.engine.match import Match
from samovar.engine.registry import find_game
from samovar.engine.seat import Seat
from samovar.engine.ways.backend import backend
from samovar.errors import BotFailed, SamovarError
from samovar.processes import be_nice, serve

PLAIN_SECONDS = 1.5  # for an answer of the plain search
LONGEST_TEXT = 300  # characters


class Load(msgspec.Struct, frozen=True, tag=True):
    """The rules of a game are loaded, so that no bot is kept waiting for them."""

    game: str


class Make(msgspec.Struct, frozen=True, tag=True):
    """A bot for one seat of one match; that of the match before is let go."""

    bot: str
    game: str
    seed: int  # for all that the bot leaves to chance
    is_plain: bool = False  # it thinks by plain rules, for a moment only


class Choose(msgspec.Struct, frozen=True, tag=True):
    """What does the bot that was made last play in this seat?"""

    seat: bytes


class Close(msgspec.Struct, frozen=True, tag=True):
    """The match is over."""


class Think(msgspec.Struct, frozen=True, tag=True):
    """All three in one, for who has one question only."""

    make: Make
    seat: bytes


class Prepare(msgspec.Struct, frozen=True, tag=True):
    """All that bots need for a game is compiled, or loaded if it was compiled before; or what one bot needs."""

    game: str
    bot: str = ""


class HostReply(msgspec.Struct, frozen=True, omit_defaults=True):
    answer: Answer | None = None
    error: str = ""
    kind: str = ""  # of the error: the name of its class

    @classmethod
    def read(cls, line: bytes) -> Self:
        """The process belongs to the bots in it, which may have got at its pipes."""
        try:
            return msgspec.json.decode(line, type=cls)
        except msgspec.DecodeError:
            return cls(error="It answered what is no answer.", kind="BotFailed")


BotOrder = Load | Make | Choose | Close | Think | Prepare


class Host:
    def __init__(self) -> None:
        self._bot: Bot | None = None
        self._is_plain = False

    def answer(self, line: bytes) -> bytes:
        """Whatever a bot throws is an answer, too; nobody else interrupts this process."""
        try:
            reply = self.read(line)
        except BaseException as error:
            reply = HostReply(error=describe(error), kind=type(error).__name__)
        return msgspec.json.encode(reply)

    def read(self, line: bytes) -> HostReply:
        return self.carry_out(msgspec.json.decode(line, type=BotOrder))

    def carry_out(self, order: BotOrder) -> HostReply:
        match order:
            case Load(game):
                load(game)
            case Make():
                self._make(order)
            case Choose(seat):
                return HostReply(self._choose(seat))
            case Close():
                self._close()
            case Think(make, seat):
                self._make(make)
                try:
                    return HostReply(self._choose(seat))
                finally:
                    self._close()
            case Prepare(game, ""):
                prepare(game)
            case Prepare(game, bot):
                try_bots(game, f"{bot}:4")
        return HostReply()

    def _make(self, order: Make) -> None:
        self._bot = None
        self._is_plain = order.is_plain
        limit = PLAIN_SECONDS if order.is_plain else math.inf
        self._bot = make_bot(
            order.bot, find_game(order.game), order.seed, limit=limit, plain=True if order.is_plain else None
        )

    def _choose(self, data: bytes) -> Answer:
        if self._bot is None:
            raise BotFailed("No bot was made, so none can choose. Make one first.")
        seat = Seat.from_bytes(data, plain=True if self._is_plain else None)
        return checked(self._bot.choose(seat), seat.game)

    def _close(self) -> None:
        bot, self._bot = self._bot, None
        if bot is not None:
            bot.close()


def checked(answer: object, game: Game) -> Answer:
    """What a bot answered, as it may be sent on: with the number of a move, and reasons that are
    some."""
    move = answer.move if isinstance(answer, Answer) else None
    if isinstance(move, bool) or not isinstance(move, int | np.integer) or not 0 <= move < game.moves:
        raise BotFailed(f"It answered {describe(answer)}, not an Answer with the number of a move.")
    reasons: tuple[Reason, ...] = ()
    with suppress(Exception):
        reasons = tuple(
            Reason(
                int(reason.move),
                str(reason.text),
                int(reason.visits),
                float(reason.place),
                None if reason.success is None else float(reason.success),
                None if reason.chance is None else float(reason.chance),
            )
            for reason in answer.reasons  # type: ignore[attr-defined]
        )
    return Answer(int(move), reasons)


def describe(thing: object) -> str:
    """Something that a bot gave, in a line. Errors of ours are sentences already, all else is told
    as Python writes it."""
    try:
        return one_line(str(thing) if isinstance(thing, SamovarError) else repr(thing))
    except Exception:
        return f"something of type {type(thing).__name__} that cannot be shown"


def one_line(text: str) -> str:
    """Short, and without what a terminal or a page would choke on."""
    line = " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
    return line if len(line) <= LONGEST_TEXT else f"{line[:LONGEST_TEXT]}..."


def load(game_id: str) -> None:
    match = Match(find_game(game_id), seed=1)
    seat = Seat.from_bytes(match.seat(match.actors[0]).to_bytes())
    seat.move_text(seat.legal[0])


def prepare(game_id: str) -> None:
    """Has all compiled that bots need for a game, or loads it if it was compiled before: but not what
    `master` needs beside, for that takes as long again."""
    seat = try_bots(game_id, "search:4", "greedy")
    ready, states, nothing = backend(seat.game), seat.imagine(1).states, np.zeros(1, np.int64)
    ready.forget(states, seat.number, 0, 1)
    ready.rollout_move(states, seat.number, nothing, nothing)


def try_bots(game_id: str, *bots: str) -> Seat:
    """Has them choose somewhere in the game; says where that was."""
    match = Match(find_game(game_id), seed=1)
    match.play_random(1, limit=1)
    while len(match.legal(match.actors[0])) == 1:  # what is forced needs no thought
        match.play_random(1, limit=1)
    seat = Seat.from_bytes(match.seat(match.actors[0]).to_bytes())
    for name in bots:
        make_bot(name, match.game, 1).choose(seat)
    # else every process would have to compile it anew, and each question would wait for that
    if not backend(match.game).is_kept:
        raise BotFailed("No folder can be written to keep what was compiled. Let NUMBA_CACHE_DIR name one that can.")
    return seat


def main() -> None:
    be_nice(int(sys.argv[1]) if sys.argv[1:] else 0)
    serve(Host().answer)


if __name__ == "__main__":
    main()
