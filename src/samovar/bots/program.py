"""Bots that are programs in any language: `program:COMMAND`, one process for each match and seat,
JSON lines on its standard input and output.

What is said when stands in docs/writing-bots.md, for those who write such a program. All that is
sent comes from the seat, so it holds no secret. How the lines are carried stands in `processes.py`.
"""

from __future__ import annotations

import json
import reprlib
import shlex
import shutil
import signal
import sys
from dataclasses import asdict

from samovar.bots.bot import Answer, Order, Reason
from samovar.engine.seat import Seat
from samovar.errors import BadBot, BotFailed
from samovar.json_types import JsonObject
from samovar.processes import KILL, Lost, Process, Silent

PROTOCOL = 1
SECONDS = 5.0  # to answer an ask, unless the order says `seconds=`
MOST_SECONDS = 3600.0
HELLO_SECONDS = 10.0
SHOWN = 200  # characters of a program's own text in an error's

ProgramMessage = JsonObject


class Fault(Exception):
    """What a program did wrong, to follow its name in a sentence."""


class ProgramBot:
    """What the program of the order answers."""

    def __init__(self, order: Order) -> None:
        command, self._seconds = parse_command(order.argument)
        self._player = Player(command)
        self._seed = order.seed

    def choose(self, seat: Seat) -> Answer:
        return self._player.choose(match_message(seat, self._seed), ask_message(seat, self._seconds))

    def close(self) -> None:
        self._player.close()


class Player:
    """A program at one seat of one match. It is started when it is first asked; once it has failed,
    it fails."""

    def __init__(self, command: list[str]) -> None:
        self._command = command
        self._program: Program | None = None

    def choose(self, match: ProgramMessage, ask: ProgramMessage) -> Answer:
        """The answer to an ask of this match; `match` is told before the first."""
        begins = self._program is None
        program = self._program = self._program or Program(self._command)
        try:
            if begins:
                program.ask({"type": "hello", "protocol": PROTOCOL}, "ready", HELLO_SECONDS)
                program.tell(match)
            return read_answer(program.ask(ask, "move", ask["seconds"]), ask["legal"], match["seats"])
        except Fault as fault:
            program.end()
            raise BotFailed(f"The program {program.name!r} {fault}{program.how_it_ended()}") from None

    def close(self) -> None:
        if self._program is not None:
            self._program.tell({"type": "over"})
            self._program.tell({"type": "quit"})
            self._program.end(0, signal.SIGTERM)


def parse_command(argument: str) -> tuple[list[str], float]:
    """`COMMAND` or `seconds=2 COMMAND`: its words, and the seconds it has for an answer."""
    how = (
        "Write program:COMMAND or program:seconds=2 COMMAND, with the command as in a terminal: program:python3 "
        "my_bot.py."
    )
    try:
        words = split(argument)
    except ValueError as error:
        raise BadBot(f"The command {argument!r} cannot be read: {error}. {how}") from None
    seconds = SECONDS
    if words and words[0].startswith("seconds="):
        try:
            seconds = float(words.pop(0).removeprefix("seconds="))
        except ValueError:
            seconds = 0.0
        if not 0 < seconds <= MOST_SECONDS:
            raise BadBot(f"The seconds in {argument!r} must be a number above 0, at most {MOST_SECONDS:g}. {how}")
    if not words:
        raise BadBot(f"The bot 'program' needs a command. {how}")
    if shutil.which(words[0]) is None:
        raise BadBot(f"There is no program {words[0]!r} here that can be run. {how}")
    return words, seconds


def split(command: str) -> list[str]:
    """As a shell reads it; but in the paths of Windows a backslash is nothing special."""
    words = shlex.shlex(command, posix=True, punctuation_chars=False)
    words.whitespace_split, words.commenters = True, ""
    if sys.platform == "win32":
        words.escape = ""
    return list(words)


# What is said


def match_message(seat: Seat, seed: int) -> ProgramMessage:
    """The seed is the bot's own; that of the deal is not known here."""
    return {
        "type": "match",
        "game": seat.game.id,
        "seats": seat.seats,
        "seat": seat.number,
        "options": dict(seat.options),
        "seed": seed,
    }


def ask_message(seat: Seat, seconds: float) -> ProgramMessage:
    legal = [{"move": move, "text": seat.move_text(move)} for move in seat.legal]
    return {
        "type": "ask",
        "view": asdict(seat.view),
        "observation": seat.observation.tolist(),
        "legal": legal,
        "seconds": seconds,
    }


def read_answer(answer: ProgramMessage, legal: list[ProgramMessage], seats: int) -> Answer:
    """The move and the reasons of an answer, moves given by number or text."""
    numbers = {key: one["move"] for one in legal for key in (one["move"], one["text"])}
    texts = {one["move"]: one["text"] for one in legal}

    def read_move(message: ProgramMessage) -> int:
        move = message.get("move")
        if type(move) not in (int, str) or move not in numbers:
            raise Fault(f"chose {shown(move)}, which is none of the {len(legal)} legal moves it was sent")
        return int(numbers[move])

    def read_reason(reason: ProgramMessage) -> Reason:
        match reason:
            case {"visits": int(visits), "place": int() | float() as place} if visits >= 0 and 1 <= place <= seats:
                move = read_move(reason)
                return Reason(move, texts[move], int(visits), float(place))
            case {"visits": int(visits), "success": int() | float() as success} if visits >= 0 and 0 <= success <= 1:
                move = read_move(reason)
                return Reason(move, texts[move], int(visits), success=float(success))
        raise Fault(
            f"gave the reason {shown(reason)}; one is like {{'move': 1, 'visits': 10, 'place': 1.5}} with a place "
            f"from 1 to {seats}, or where all play together with 'success' from 0 to 1 instead"
        )

    reasons = answer.get("reasons", [])
    if not isinstance(reasons, list):
        raise Fault(f"gave reasons that are no list but {shown(reasons)}")
    return Answer(read_move(answer), tuple(map(read_reason, reasons)))


def shown(thing: object) -> str:
    """Something from a program in one short line, with no control characters, however deep or long
    it is."""
    short = reprlib.Repr()
    short.maxstring = SHOWN
    text = short.repr(thing)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}..."


# How it is carried


class Program:
    """The process of a program, with which messages are exchanged."""

    def __init__(self, command: list[str]) -> None:
        self.name = shlex.join(command)
        try:
            self._process = Process(command, reads_errors=True)
        except OSError as error:
            raise BotFailed(
                f"The program {self.name!r} cannot be started: {error.strerror}. Try it in a terminal."
            ) from error

    def tell(self, message: ProgramMessage) -> None:
        self._process.tell(json.dumps(message).encode())

    def ask(self, message: ProgramMessage, kind: str, seconds: float) -> ProgramMessage:
        """The answer to a message, which must be of this kind."""
        try:
            line = self._process.ask(json.dumps(message).encode(), seconds)
        except Silent:
            raise Fault(f"did not answer {message['type']!r} within {seconds:g} seconds") from None
        except Lost as lost:
            raise Fault(str(lost)) from None
        try:
            answer = json.loads(line)
        except (ValueError, RecursionError):
            raise Fault(f"answered {shown(line.decode(errors='replace'))}, which is not JSON") from None
        if not isinstance(answer, dict) or answer.get("type") != kind:
            raise Fault(f"answered {shown(answer)}, which is not of type {kind!r}")
        return answer

    def end(self, *signals: int) -> None:
        if self._process.status is None:
            self._process.end(*signals)

    def how_it_ended(self) -> str:
        """Its exit status, unless it was killed here, and the last line on its standard error:
        often that tells why it failed."""
        status = self._process.status or 0
        ended = "" if status == -KILL else f" ({'exit status' if status >= 0 else 'ended by signal'} {abs(status)})"
        lines = (line.strip() for line in reversed(self._process.errors.split("\n")))
        last = next((f" Its last words: {shown(line)}." for line in lines if line), "")
        return f"{ended}.{last}"
