"""Processes that are asked and answer line by line: the one supervisor for bots, programs, referees
and records.

A process is in a session of its own, so it ends with all that it has started, and an interrupt in
the terminal is not for it. Nothing here waits or grows without a bound, whatever the process does,
unless the caller says so. All of it blocks, but for `AsyncChild`, which asks from a thread.

Windows has no sessions, no signals, and pipes that nobody can poll. There threads wait at the pipes
(`ThreadedPipes`), an interrupt is a line that `serve` understands, and `taskkill` ends what a program has
started, as long as those between them still run: what outlives its own parent is not found.
"""

from __future__ import annotations

import _thread
import ctypes
import math
import os
import queue
import select
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from subprocess import DEVNULL, PIPE, Popen, SubprocessError
from time import monotonic
from typing import IO, BinaryIO, TypeVar

LONGEST_ANSWER = 2**20  # bytes
KEPT_ERRORS = 2**11  # bytes kept of what it writes to its standard error, if that is read
STARTING_SECONDS = 60.0  # for one of our own processes to be there
GRACE_SECONDS = 1.0  # to end when asked to, and again when told to
NICENESS = 5  # of those that an event loop waits for: what it does itself comes first
CHUNK = 2**16
MOST_NEWS = 4  # chunks that wait until somebody listens
INPUT, OUTPUT, ERRORS = range(3)  # the pipes
INTERRUPT = b"\x03\n"  # a line in the place of a signal
HAS_GROUPS = hasattr(os, "killpg")  # of processes, which all get a signal
KILL = getattr(signal, "SIGKILL", signal.SIGTERM)  # whatever ends a process at once
BELOW_NORMAL = 0x4000  # of Windows: behind what people wait for
PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
CAN_HIDE_MEMORY = sys.platform == "linux"

errors_to: int | None = None  # a file of this process that others get as standard error; None: that of this one

T = TypeVar("T")


class Lost(Exception):
    """A process did not answer. The text follows its name in a sentence."""


class Silent(Lost):
    """It did not answer in time."""


class WorkerNotStarted(Lost):
    """It could not be started, so it was not asked."""


class Pipes:
    """What is carried to and from a process."""

    def __init__(self, process: Popen[bytes]) -> None:
        self._pipes = [pipe for pipe in (process.stdin, process.stdout, process.stderr) if pipe]
        self.talking = set(range(1, len(self._pipes)))  # what it has not closed yet
        self.sending = b""
        self.heard = bytearray()
        self.errors = b""

    def carry(self, seconds: float) -> None:
        """Waits until there is something to send or to hear, so long at most, and carries it."""
        raise NotImplementedError

    def hang_up(self) -> None:
        """It is told that nothing more comes."""
        raise NotImplementedError

    def close(self) -> None:
        raise NotImplementedError

    def _hear(self, pipe: int, heard: bytes) -> None:
        if not heard:
            self.talking.discard(pipe)
        elif pipe == OUTPUT:
            self.heard += heard
        else:
            self.errors = (self.errors + heard)[-KEPT_ERRORS:]


class PolledPipes(Pipes):
    """By the thread that asks alone: nobody else has to be woken, so this is the quickest."""

    def __init__(self, process: Popen[bytes]) -> None:
        super().__init__(process)
        self._numbers = {pipe.fileno(): name for name, pipe in enumerate(self._pipes)}
        self._input = self._pipes[INPUT].fileno()
        os.set_blocking(self._input, False)

    def carry(self, seconds: float) -> None:
        if self.sending:
            self._send()
            if not self.sending:  # mostly all of it is taken at once
                return
        poll = select.poll()
        for number, pipe in self._numbers.items():
            if pipe in self.talking:
                poll.register(number, select.POLLIN)
        if self.sending:
            poll.register(self._input, select.POLLOUT)
        for number, _ in poll.poll(None if seconds == math.inf else max(seconds, 0) * 1000):
            if number == self._input:
                self._send()
            else:
                self._hear(self._numbers[number], os.read(number, CHUNK))

    def hang_up(self) -> None:
        self._pipes[INPUT].close()

    def close(self) -> None:
        self.talking.clear()
        for pipe in self._pipes:
            pipe.close()

    def _send(self) -> None:
        try:
            self.sending = self.sending[os.write(self._input, self.sending) :]
        except BlockingIOError:
            pass
        except BrokenPipeError:  # it does not listen any more; what it said before counts
            self.sending = b""


class ThreadedPipes(Pipes):
    """A thread waits at each pipe, and closes it: where pipes cannot be polled. The threads change nothing here; they
    leave word of what is to be changed, and wait when too much of it is left."""

    def __init__(self, process: Popen[bytes]) -> None:
        super().__init__(process)
        self._news: queue.Queue[Callable[[], None]] = queue.Queue(MOST_NEWS)
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._is_handed_over = False
        work = [partial(self._write if name == INPUT else self._listen, name) for name in range(len(self._pipes))]
        self._threads = [threading.Thread(target=each, daemon=True) for each in work]
        for thread in self._threads:
            thread.start()

    def carry(self, seconds: float) -> None:
        if self.sending and not self._is_handed_over:
            self._is_handed_over = True
            self._lines.put(self.sending)
        with suppress(queue.Empty):
            self._news.get(timeout=None if seconds == math.inf else max(seconds, 0))()

    def interrupt(self) -> None:
        """From any thread."""
        self._lines.put(INTERRUPT)

    def hang_up(self) -> None:
        self._lines.put(b"")

    def close(self) -> None:
        """A thread at a pipe that somebody else still holds is left there: it holds up nobody."""
        self.talking.clear()
        self.hang_up()
        end = monotonic() + GRACE_SECONDS
        for thread in self._threads:
            thread.join(max(0, end - monotonic()))

    def _write(self, name: int) -> None:
        pipe = self._pipes[name]
        while line := self._lines.get():
            with suppress(OSError):  # it does not listen any more; what it said before counts
                _write_all(pipe, line)
            if line is not INTERRUPT:
                self._news.put(partial(self._note_sent, len(line)))
        with suppress(OSError):
            pipe.close()

    def _note_sent(self, length: int) -> None:
        self.sending = self.sending[length:]
        self._is_handed_over = False

    def _listen(self, name: int) -> None:
        with self._pipes[name] as pipe, suppress(OSError):  # so some systems say that it has ended
            while heard := pipe.read(CHUNK):
                self._news.put(partial(self._hear, name, heard))
        self._news.put(partial(self._hear, name, b""))


def _write_all(pipe: IO[bytes], line: bytes) -> None:
    while line:
        line = line[pipe.write(line) :]


PIPES: type[Pipes] = PolledPipes if hasattr(select, "poll") else ThreadedPipes


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
        self._process = Popen(
            as_started(command),
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE if reads_errors else errors_to,
            bufsize=0,
            start_new_session=True,
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
            env=environment,
        )
        self.pid = self._process.pid
        self._longest = longest
        self._pipes = PIPES(self._process)
        self._is_killed = False
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
        """How it ended: its exit status, or less than 0 by a signal, also where there are none."""
        status = self._process.returncode
        return -KILL if status is not None and self._is_killed and not HAS_GROUPS else status

    @property
    def errors(self) -> str:
        """The end of what it wrote to its standard error."""
        return self._pipes.errors.decode(errors="replace")

    def tell(self, line: bytes) -> None:
        """Sent as soon as there is something to wait for."""
        self._pipes.sending += line + b"\n"

    def ask(self, line: bytes, seconds: float) -> bytes:
        """The line it answers with, within so many seconds."""
        pipes = self._pipes
        if pipes.heard:
            raise Lost("said more than it was asked")
        self.tell(line)
        end = monotonic() + seconds
        searched, found = 0, -1
        while pipes.sending or found < 0:
            if OUTPUT not in pipes.talking:
                if found < 0:
                    raise Lost("closed its output without an answer")
                break  # all that it will ever say
            if len(pipes.heard) > self._longest:
                break
            if monotonic() >= end:
                raise Silent(f"did not answer within {seconds:g} seconds")
            pipes.carry(end - monotonic())
            found = pipes.heard.find(b"\n", searched)
            searched = len(pipes.heard) if found < 0 else found
        answer, _, rest = bytes(pipes.heard).partition(b"\n")
        pipes.heard = bytearray(rest)
        if len(answer) > self._longest:
            raise Lost(f"answered with more than {self._longest} bytes")
        return answer

    def kill(self) -> None:
        """From any thread; whoever waits for an answer then waits no more."""
        self._send_signal(KILL)

    def interrupt(self) -> None:
        """From any thread: it may stop what it does. Without signals only one of our own hears it."""
        if isinstance(self._pipes, ThreadedPipes):
            self._pipes.interrupt()
        else:
            self._send_signal(signal.SIGINT)

    def end(self, *signals: int) -> None:
        """Sends the signals to all its processes, each when the one before has not helped for a
        moment, and kills them at last.

        Its own process is waited for at the very end: until then nobody else can get its number, so
        the signals go to no stranger.
        """
        pipes = self._pipes
        for number in (*signals, KILL):
            self._send_signal(number)
            end = monotonic() + GRACE_SECONDS
            while pipes.talking and monotonic() < end:
                pipes.carry(end - monotonic())
                pipes.heard.clear()
                if not pipes.sending:
                    pipes.hang_up()
        with self._reaping:
            self._process.wait()
        pipes.close()

    def _send_signal(self, number: int) -> None:
        with self._reaping:
            if self._process.returncode is None:
                with suppress(OSError):
                    self._signal(number)

    def _signal(self, number: int) -> None:
        if HAS_GROUPS:
            os.killpg(self.pid, number)
        elif number and self._process.poll() is None:
            self._is_killed = True
            end_tree(self._process)


def as_started(command: Sequence[str]) -> Sequence[str]:
    """Windows itself finds programs that end in `.exe` alone, not `npm.cmd`."""
    if sys.platform == "win32":
        return [shutil.which(command[0]) or command[0], *command[1:]]
    return command


def end_tree(process: Popen[bytes]) -> None:
    """A process of Windows, with all that it has started."""
    with suppress(OSError, SubprocessError):
        tell = ["taskkill", "/F", "/T", "/PID", str(process.pid)]
        subprocess.run(tell, stdin=DEVNULL, stdout=DEVNULL, stderr=DEVNULL, timeout=GRACE_SECONDS, check=False)
    process.kill()


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
        if line == INTERRUPT:
            _thread.interrupt_main()
        else:
            waiting.put(line)
    os._exit(0)  # without waiting for what bots may have left running


def end_with_parent() -> None:
    """On Linux also when no thread of this process can run."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def hide_memory() -> None:
    """No process of the same user can read the memory of this one, on Linux. Root can. Other systems
    have nothing like it: there other programs of the same user are trusted."""
    if CAN_HIDE_MEMORY:
        ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0)


AFTER_PEOPLE = 15  # the niceness of work that nobody waits for: after pages, and after bots' turns


def be_nice(by: int) -> None:
    """Others of this machine come first; Windows knows one such step, whatever the number."""
    if hasattr(os, "nice"):
        os.nice(by)
    elif by and hasattr(ctypes, "windll"):
        this_process = ctypes.c_void_p(-1)
        ctypes.windll.kernel32.SetPriorityClass(this_process, BELOW_NORMAL)
