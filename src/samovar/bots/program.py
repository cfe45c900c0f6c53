"""Bots that are programs in any language: `program:COMMAND`, one process for each match and seat,
JSON lines on its standard input and output.

What is said when stands in docs/writing-bots.md, for those who write such a program. All that is
sent comes from the seat, so it holds no secret. Nothing here waits or grows without a bound,
whatever the program does. Needs POSIX: process groups, and pipes that can be polled.
"""

from __future__ import annotations

import json
import os
import reprlib
import select
import shlex
import shutil
import signal
from contextlib import suppress
from dataclasses import asdict
from subprocess import PIPE, Popen
from time import monotonic
from typing import Any

from samovar.bots.bot import Answer, Order, Reason
from samovar.engine.match import Seat
from samovar.errors import BadBot, BotFailed

PROTOCOL = 1
SECONDS = 5.0  # to answer an ask, unless the order says `seconds=`
MOST_SECONDS = 3600.0
HELLO_SECONDS = 10.0
GRACE_SECONDS = 1.0  # to end when asked to, and again when told to
LONGEST_ANSWER = 2**20  # bytes
LAST_WORDS = 2**11  # bytes kept of what it writes to its standard error
SHOWN = 200  # characters of a program's own text in an error's
CHUNK = 2**16

Message = dict[str, Any]


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

    def choose(self, match: Message, ask: Message) -> Answer:
        """The answer to an ask of this match; `match` is told before the first."""
        begins = self._program is None
        program = self._program = self._program or Program(self._command)
        try:
            if begins:
                program.ask({"type": "hello", "protocol": PROTOCOL}, "ready", HELLO_SECONDS)
                program.tell(match)
            return read_answer(program.ask(ask, "move", ask["seconds"]), ask["legal"], match["seats"])
        except Fault as fault:
            program.end(signal.SIGKILL)
            raise BotFailed(f"The program {program.name!r} {fault}{program.epitaph()}") from None

    def close(self) -> None:
        if self._program is not None:
            self._program.tell({"type": "over"})
            self._program.tell({"type": "quit"})
            self._program.end(0, signal.SIGTERM, signal.SIGKILL)


def parse_command(argument: str) -> tuple[list[str], float]:
    """`COMMAND` or `seconds=2 COMMAND`: its words, and the seconds it has for an answer."""
    how = (
        "Write program:COMMAND or program:seconds=2 COMMAND, with the command as in a terminal: program:python3 "
        "my_bot.py."
    )
    try:
        words = shlex.split(argument)
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


# What is said


def match_message(seat: Seat, seed: int) -> Message:
    """The seed is the bot's own; that of the deal is not known here."""
    return {
        "type": "match",
        "game": seat.game.id,
        "seats": seat.seats,
        "seat": seat.number,
        "options": dict(seat.options),
        "seed": seed,
    }


def ask_message(seat: Seat, seconds: float) -> Message:
    legal = [{"move": move, "text": seat.move_text(move)} for move in seat.legal]
    return {
        "type": "ask",
        "view": asdict(seat.view),
        "observation": seat.observation.tolist(),
        "legal": legal,
        "seconds": seconds,
    }


def read_answer(answer: Message, legal: list[Message], seats: int) -> Answer:
    """The move and the reasons of an answer, moves given by number or text."""
    numbers = {key: one["move"] for one in legal for key in (one["move"], one["text"])}
    texts = {one["move"]: one["text"] for one in legal}

    def read_move(message: Message) -> int:
        given = message.get("move")
        if type(given) not in (int, str) or given not in numbers:
            raise Fault(f"chose {shown(given)}, which is none of the {len(legal)} legal moves it was sent")
        return int(numbers[given])

    def read_reason(reason: Any) -> Reason:
        match reason:
            case {"visits": int(visits), "place": int() | float() as place} if visits >= 0 and 1 <= place <= seats:
                move = read_move(reason)
                return Reason(move, texts[move], int(visits), float(place))
        raise Fault(
            f"gave the reason {shown(reason)}; one is like {{'move': 1, 'visits': 10, 'place': 1.5}} with a place "
            f"from 1 to {seats}"
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
    """A process with which lines are exchanged. Its group is its own, so that its children end with
    it."""

    def __init__(self, command: list[str]) -> None:
        self.name = shlex.join(command)
        try:
            self._process = Popen(command, stdin=PIPE, stdout=PIPE, stderr=PIPE, bufsize=0, start_new_session=True)
        except OSError as error:
            raise BotFailed(
                f"The program {self.name!r} cannot be started: {error.strerror}. Try it in a terminal."
            ) from error
        self._pipes = [pipe for pipe in (self._process.stdin, self._process.stdout, self._process.stderr) if pipe]
        self._input, self._output, errors = (pipe.fileno() for pipe in self._pipes)
        os.set_blocking(self._input, False)
        self._talking = {self._output, errors}  # what it has not closed yet
        self._sending = b""
        self._heard = b""
        self._last_words = b""

    def tell(self, message: Message) -> None:
        """Sent as soon as there is something to wait for."""
        self._sending += json.dumps(message).encode() + b"\n"

    def ask(self, message: Message, kind: str, seconds: float) -> Message:
        """The answer to a message, which must be of this kind."""
        if self._heard:
            raise Fault("said more than it was asked")
        self.tell(message)
        end = monotonic() + seconds
        while self._sending or b"\n" not in self._heard:
            if self._output not in self._talking:
                raise Fault("closed its output without an answer")
            if len(self._heard) > LONGEST_ANSWER:
                break
            if monotonic() >= end:
                raise Fault(f"did not answer {message['type']!r} within {seconds:g} seconds")
            self._carry(end - monotonic())
        line, _, self._heard = self._heard.partition(b"\n")
        if len(line) > LONGEST_ANSWER:
            raise Fault(f"answered with more than {LONGEST_ANSWER} bytes")
        try:
            answer = json.loads(line)
        except (ValueError, RecursionError):
            raise Fault(f"answered {shown(line.decode(errors='replace'))}, which is not JSON") from None
        if not isinstance(answer, dict) or answer.get("type") != kind:
            raise Fault(f"answered {shown(answer)}, which is not of type {kind!r}")
        return answer

    def epitaph(self) -> str:
        """How it ended, unless by our hand, and what it said last: often that tells why it
        failed."""
        status = self._process.returncode
        ended = (
            ""
            if status == -signal.SIGKILL
            else f" ({'exit status' if status >= 0 else 'ended by signal'} {abs(status)})"
        )
        lines = self._last_words.decode(errors="replace").split("\n")
        last = next((f" Its last words: {shown(line.strip())}." for line in reversed(lines) if line.strip()), "")
        return f"{ended}.{last}"

    def end(self, *signals: int) -> None:
        """Sends the signals to all its processes, each when the one before has not helped for a
        moment; the last must be SIGKILL.

        Its own process is waited for at the very end: until then nobody else can get its number, so
        the signals go to no stranger.
        """
        if self._process.returncode is not None:
            return
        for number in signals:
            with suppress(OSError):
                os.killpg(self._process.pid, number)
            end = monotonic() + GRACE_SECONDS
            while self._talking and monotonic() < end:
                self._carry(end - monotonic())
                self._heard = b""
                if not self._sending:
                    self._pipes[0].close()
        self._process.wait()
        self._talking.clear()
        for pipe in self._pipes:
            pipe.close()

    def _carry(self, seconds: float) -> None:
        """Waits until there is something to send or to hear, so long at most, and carries it."""
        poll = select.poll()
        for pipe in self._talking:
            poll.register(pipe, select.POLLIN)
        if self._sending:
            poll.register(self._input, select.POLLOUT)
        for pipe, _ in poll.poll(max(seconds, 0) * 1000):
            if pipe == self._input:
                self._send()
            else:
                self._hear(pipe)

    def _send(self) -> None:
        try:
            self._sending = self._sending[os.write(self._input, self._sending) :]
        except BlockingIOError:
            pass
        except BrokenPipeError:  # it does not listen any more; what it said before counts
            self._sending = b""

    def _hear(self, pipe: int) -> None:
        heard = os.read(pipe, CHUNK)
        if not heard:
            self._talking.discard(pipe)
        elif pipe == self._output:
            self._heard += heard
        else:
            self._last_words = (self._last_words + heard)[-LAST_WORDS:]
