"""Processes that are asked and answer line by line: the one supervisor for bots, programs, referees
and records.

A process is in a session of its own, so it ends with all that it has started, and an interrupt in
the terminal is not for it. Nothing here waits or grows without a bound, whatever the process does,
unless the caller says so. All of it blocks, but for `AsyncChild`, which asks from a thread. Needs POSIX:
process groups, and pipes that can be polled.
"""

from __future__ import annotations

import ctypes
import math
import os
import queue
import select
import signal
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from subprocess import PIPE, Popen
from time import monotonic
from typing import BinaryIO, TypeVar

from samovar.errors import needs_unix

LONGEST_ANSWER = 2**20  # bytes
KEPT_ERRORS = 2**11  # bytes kept of what it writes to its standard error, if that is read
STARTING_SECONDS = 60.0  # for one of our own processes to be there
GRACE_SECONDS = 1.0  # to end when asked to, and again when told to
NICENESS = 5  # of those that an event loop waits for: what it does itself comes first
CHUNK = 2**16
PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4

T = TypeVar("T")


class Lost(Exception):
    """A process did not answer. The text follows its name in a sentence."""


class Silent(Lost):
    """It did not answer in time."""


class WorkerNotStarted(Lost):
    """It could not be started, so it was not asked."""


class Process:
    """A process with which lines are exchanged."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        environment: Mapping[str, str] | None = None,
        longest: int = LONGEST_ANSWER,
        reads_errors: bool = False,
    ) -> None:
        needs_unix("A program, or a bot in a process of its own,")
        self._process = Popen(
            command,
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE if reads_errors else None,
            bufsize=0,
            start_new_session=True,
            env=environment,
        )
        self.pid = self._process.pid
        self._longest = longest
        self._pipes = [pipe for pipe in (self._process.stdin, self._process.stdout, self._process.stderr) if pipe]
        self._input, self._output, *_ = numbers = [pipe.fileno() for pipe in self._pipes]
        os.set_blocking(self._input, False)
        self._talking = set(numbers[1:])  # what it has not closed yet
        self._sending = b""
        self._heard = bytearray()
        self._errors = b""
        self._reaping = threading.Lock()  # no signal is sent once its number may be another's

    @property
    def is_running(self) -> bool:
        """It stays unreaped as far as possible, so that `end` still finds what it has started."""
        with self._reaping:
            if self._process.returncode is None and hasattr(os, "waitid"):
                return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None
            return self._process.poll() is None

    @property
    def status(self) -> int | None:
        """How it ended: its exit status, or less than 0 by a signal."""
        return self._process.returncode

    @property
    def errors(self) -> str:
        """The end of what it wrote to its standard error."""
        return self._errors.decode(errors="replace")

    def tell(self, line: bytes) -> None:
        """Sent as soon as there is something to wait for."""
        self._sending += line + b"\n"

    def ask(self, line: bytes, seconds: float) -> bytes:
        """The line it answers with, within so many seconds."""
        if self._heard:
            raise Lost("said more than it was asked")
        self.tell(line)
        end = monotonic() + seconds
        searched = 0
        while self._sending or self._heard.find(b"\n", searched) < 0:
            searched = len(self._heard)
            if self._output not in self._talking:
                raise Lost("closed its output without an answer")
            if searched > self._longest:
                break
            if monotonic() >= end:
                raise Silent(f"did not answer within {seconds:g} seconds")
            self._carry(end - monotonic())
        answer, _, rest = bytes(self._heard).partition(b"\n")
        self._heard = bytearray(rest)
        if len(answer) > self._longest:
            raise Lost(f"answered with more than {self._longest} bytes")
        return answer

    def kill(self) -> None:
        """From any thread; whoever waits for an answer then waits no more."""
        self._send_signal(signal.SIGKILL)

    def interrupt(self) -> None:
        """From any thread: it may stop what it does."""
        self._send_signal(signal.SIGINT)

    def end(self, *signals: int) -> None:
        """Sends the signals to all its processes, each when the one before has not helped for a
        moment, and kills them at last.

        Its own process is waited for at the very end: until then nobody else can get its number, so
        the signals go to no stranger.
        """
        for number in (*signals, signal.SIGKILL):
            self._send_signal(number)
            end = monotonic() + GRACE_SECONDS
            while self._talking and monotonic() < end:
                self._carry(end - monotonic())
                self._heard.clear()
                if not self._sending:
                    self._pipes[0].close()
        with self._reaping:
            self._process.wait()
        self._talking.clear()
        for pipe in self._pipes:
            pipe.close()

    def _send_signal(self, number: int) -> None:
        with self._reaping:
            if self._process.returncode is None:
                with suppress(OSError):
                    os.killpg(self.pid, number)

    def _carry(self, seconds: float) -> None:
        """Waits until there is something to send or to hear, so long at most, and carries it."""
        poll = select.poll()
        for pipe in self._talking:
            poll.register(pipe, select.POLLIN)
        if self._sending:
            poll.register(self._input, select.POLLOUT)
        for pipe, _ in poll.poll(None if seconds == math.inf else max(seconds, 0) * 1000):
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
            self._errors = (self._errors + heard)[-KEPT_ERRORS:]


class Child:
    """A module of ours that runs in a process of its own and answers by `serve`. The process is
    started when it is needed, and again when it has died. One thread asks at a time."""

    def __init__(
        self, module: str, *arguments: str, environment: Mapping[str, str] | None = None, longest: int = LONGEST_ANSWER
    ) -> None:
        # -P: modules that happen to lie in the working folder are none of ours
        self.command = ["-P", "-m", module, *arguments]
        self._environment = environment
        self._longest = longest
        self._process: Process | None = None
        self._starting = threading.Lock()
        self._is_stopped = False

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.is_running

    def start(self) -> Process:
        """The process, which has shown that it is there."""
        if self._process is not None and self._process.is_running:
            return self._process
        self.end()
        try:
            with self._starting:
                if self._is_stopped:
                    raise WorkerNotStarted("was stopped")
                self._process = Process(
                    [sys.executable, *self.command], environment=self._environment, longest=self._longest
                )
            self._process.ask(b"", STARTING_SECONDS)
        except (OSError, Lost) as error:
            self.end()
            raise WorkerNotStarted("could not be started") from error
        return self._process

    def ask(self, line: bytes, seconds: float) -> bytes:
        """The answer. Who was asked and has not answered is ended, whatever the reason: the next
        answer would be to the wrong question."""
        process = self.start()
        answer = None
        try:
            answer = process.ask(line, seconds)
            return answer
        finally:
            if answer is None:
                self.end()

    def end(self) -> None:
        """By the thread that asks, which may ask again: then it is started anew."""
        process, self._process = self._process, None
        if process is not None:
            process.end()

    def kill(self) -> None:
        """From any thread: whoever waits for an answer gets none."""
        with self._starting:
            if self._process is not None:
                self._process.kill()

    def interrupt(self) -> None:
        """From any thread: the answer may come before all is done."""
        with self._starting:
            if self._process is not None:
                self._process.interrupt()

    def stop(self) -> None:
        """From any thread: as `kill`, and it is not started again."""
        self._is_stopped = True
        self.kill()


class AsyncChild:
    """A child that an event loop waits for: one thread asks and ends it, so the two never meet."""

    def __init__(self, module: str, niceness: int = NICENESS, longest: int = LONGEST_ANSWER) -> None:
        from concurrent.futures import ThreadPoolExecutor  # here: bots in processes need neither this nor asyncio

        self._child = Child(module, str(niceness), longest=longest)
        self._thread = ThreadPoolExecutor(1)

    async def ask(self, line: bytes, seconds: float) -> bytes:
        """The answer, or `Lost`. Its start does not count as its time."""
        return await self.run(lambda: self._child.ask(line, seconds))

    def interrupt(self) -> None:
        """It answers with what it has."""
        self._child.interrupt()

    def kill(self) -> None:
        """Whoever waits for its answer gets none."""
        self._child.kill()

    async def end(self) -> None:
        """At once, whatever it is doing. It is started again when it is asked."""
        self._child.kill()
        await self.run(self._child.end)

    async def close(self) -> None:
        self._child.stop()
        await self.run(self._child.end)
        self._thread.shutdown(wait=False)

    async def run(self, do: Callable[[], T]) -> T:
        """In the thread that asks it."""
        import asyncio

        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, do)
        except asyncio.CancelledError:  # nobody waits for the answer any more
            self._child.kill()
            raise


# In the process that answers


def serve(answer: Callable[[bytes], bytes]) -> None:
    """Answers every line of standard input by one, until there are no more.

    The process ends when its input does, in the midst of an answer, too, so it never outlives the
    one that asks.
    """
    end_with_parent()
    # The pipes are moved out of the way of bots that read or print.
    questions, answers = open(os.dup(0), "rb"), open(os.dup(1), "wb")  # noqa: SIM115 - open as long as the process lives
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    waiting: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(questions, waiting), daemon=True).start()
    while True:
        line = waiting.get().removesuffix(b"\n")
        answers.write((answer(line) if line else b"") + b"\n")
        answers.flush()


def _read(lines: BinaryIO, waiting: queue.SimpleQueue[bytes]) -> None:
    for line in lines:
        waiting.put(line)
    os._exit(0)  # without waiting for what bots may have left running


def end_with_parent() -> None:
    """On Linux also when no thread of this process can run."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def hide_memory() -> None:
    """No process of the same user can read the memory of this one, on Linux. Root can."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0)
