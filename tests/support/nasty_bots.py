"""Bots that misbehave, each at its second answer, found by entry point as those of any other
package are."""

from __future__ import annotations

import ctypes
import gc
import os
import select
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from samovar.bots.bot import Answer, Order
from samovar.engine import registry
from samovar.engine.match import Match
from samovar.engine.seat import Seat
from samovar.engine.ways.backend import thread_count
from samovar.errors import BotFailed

if TYPE_CHECKING:  # it is imported by every process of a bot, which must start quickly
    import pytest

TESTS = Path(__file__).parents[1]
FOLDER = "NASTY_FOLDER"  # where the bot `meets` leaves its traces
closed: list[str] = []  # the bots that were closed, in this process


def install(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes them known in this process and in those it starts, and switches compiling off, which
    would take longest of all."""
    names = [name for name, kind in globals().items() if isinstance(kind, type) and issubclass(kind, Polite)]
    package = folder / "nasty_bots-1.0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: nasty-bots\nVersion: 1.0\n")
    (package / "entry_points.txt").write_text(
        "[samovar.bots]\n" + "".join(f"{name.lower()} = support.nasty_bots:{name}\n" for name in names)
    )
    monkeypatch.setenv(
        "PYTHONPATH", os.pathsep.join(filter(None, (str(folder), str(TESTS), os.environ.get("PYTHONPATH"))))
    )
    monkeypatch.setenv("SAMOVAR_PLAIN", "1")
    monkeypatch.setenv(FOLDER, str(folder))
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setattr(registry, "found_in", registry.found_in.__wrapped__)  # not the one that remembers
    monkeypatch.setattr("samovar.bots.registry.found_in", registry.found_in)
    closed.clear()


def folder() -> Path:
    return Path(os.environ[FOLDER])


class Polite:
    """The first legal move."""

    def __init__(self, order: Order) -> None:
        self.order = order
        self.answered = 0

    def choose(self, seat: Seat) -> Any:
        self.answered += 1
        return Answer(seat.legal[0]) if self.answered < 2 else self.second(seat)

    def second(self, seat: Seat) -> Any:
        return Answer(seat.legal[0])

    def close(self) -> None:
        closed.append(self.order.name)


class NumPy(Polite):
    """Polite, too: its number is one of NumPy's."""

    def second(self, seat: Seat) -> Any:
        return Answer(np.int64(seat.legal[0]))  # type: ignore[arg-type]


class Alone(Polite):
    """Polite, if it has no more than its share of the machine."""

    def second(self, seat: Seat) -> Any:
        assert thread_count() == 1
        return Answer(seat.legal[0])


class Throws(Polite):
    def second(self, seat: Seat) -> Any:
        raise ZeroDivisionError("two\nlines")


class Exits(Polite):
    def second(self, seat: Seat) -> Any:
        sys.exit(3)


class GivesUp(Polite):
    def second(self, seat: Seat) -> Any:
        raise BotFailed("I give \x1b[31mup\udcff.\n")


class Unspeakable(Polite):
    def second(self, seat: Seat) -> Any:
        class Mute(Exception):
            def __repr__(self) -> str:
                raise self

        raise Mute


class Illegal(Polite):
    def second(self, seat: Seat) -> Any:
        return Answer(next(move for move in range(seat.game.moves) if move not in seat.legal))


class Nothing(Polite):
    def second(self, seat: Seat) -> Any:
        return None


class Bare(Polite):
    """A legal move, but not in an answer."""

    def second(self, seat: Seat) -> Any:
        return seat.legal[0]


class Text(Polite):
    def second(self, seat: Seat) -> Any:
        return Answer(seat.move_text(seat.legal[0]))  # type: ignore[arg-type]


class Fraction(Polite):
    def second(self, seat: Seat) -> Any:
        return Answer(float(seat.legal[0]))  # type: ignore[arg-type]


class Truth(Polite):
    def second(self, seat: Seat) -> Any:
        return Answer(True)


class Huge(Polite):
    def second(self, seat: Seat) -> Any:
        return Answer(10**5000)


class Unmakable(Polite):
    def __init__(self, order: Order) -> None:
        raise OSError("no model")


class Hangs(Polite):
    def second(self, seat: Seat) -> Any:
        threading.Event().wait()


class Hogs(Polite):
    """Tells its process id at once, waits for ever and lets no other thread run."""

    def choose(self, seat: Seat) -> Any:
        tell_pid()
        ctypes.PyDLL(None).pause()


class Freezes(Polite):
    def second(self, seat: Seat) -> Any:
        os.kill(os.getpid(), signal.SIGSTOP)


class Quits(Polite):
    def second(self, seat: Seat) -> Any:
        os._exit(0)


class Shot(Polite):
    def second(self, seat: Seat) -> Any:
        os.kill(os.getpid(), signal.SIGKILL)


class Interrupts(Polite):
    def second(self, seat: Seat) -> Any:
        raise KeyboardInterrupt


class Prints(Polite):
    """All that would break the protocol if it got into the pipes."""

    def second(self, seat: Seat) -> Any:
        print('{"outcome": 1}', flush=True)
        os.write(1, b"nonsense\n")
        assert sys.stdin.read() == ""
        return Answer(seat.legal[0])


class ThrowsClosing(Polite):
    def close(self) -> None:
        raise ZeroDivisionError


class HangsClosing(Polite):
    def close(self) -> None:
        threading.Event().wait()


class QuitsClosing(Polite):
    def close(self) -> None:
        os._exit(0)


class ExitsMade(Polite):
    def __init__(self, order: Order) -> None:
        sys.exit()


class QuitsMade(Polite):
    def __init__(self, order: Order) -> None:
        os._exit(0)


class HangsMade(Polite):
    def __init__(self, order: Order) -> None:
        threading.Event().wait()


class Slow(Polite):
    """`slow:4` needs four seconds for its second answer, as if something were compiled."""

    def second(self, seat: Seat) -> Any:
        if self.answered == 2:
            threading.Event().wait(float(self.order.argument))
        return Answer(seat.legal[0])


class Meets(Polite):
    """In the match before which there were as many as the file `meet` says: tells its process id
    and waits to be killed. Else polite."""

    def choose(self, seat: Seat) -> Any:
        if self.answered == 0:
            with open(folder() / "begun", "ab", buffering=0) as begun:
                begun.write(b".")
                earlier = begun.tell() - 1  # also when several processes write
            if str(earlier) == (folder() / "meet").read_text():
                tell_pid()
                threading.Event().wait()
        return super().choose(seat)


class Counts(Polite):
    """Its move depends on how often it was asked. Ends its process once, after the answer whose
    number is in the file `die`."""

    def choose(self, seat: Seat) -> Any:
        self.answered += 1
        with suppress(FileNotFoundError):
            if str(self.answered) == (folder() / "die").read_text():
                (folder() / "die").unlink()
                threading.Timer(0.05, os._exit, [0]).start()
        return Answer(seat.legal[self.answered % len(seat.legal)])


class Leaves(Polite):
    """Polite, but its process ends whenever it has not been asked for a moment."""

    ending: threading.Timer | None = None

    def choose(self, seat: Seat) -> Any:
        if self.ending:
            self.ending.cancel()
        self.ending = threading.Timer(0.3, os._exit, [0])
        self.ending.start()
        return Answer(seat.legal[0])


class Dawdles(Polite):
    def choose(self, seat: Seat) -> Any:
        threading.Event().wait(0.8)
        return Answer(seat.legal[0])


class Signs(Polite):
    """Polite, writes down where it was made."""

    def __init__(self, order: Order) -> None:
        super().__init__(order)
        name = f"{order.name}:{order.argument}".removesuffix(":")
        with open(folder() / name, "a") as file:
            file.write(f"{os.getpid()} ")


class Spies(Polite):
    """Copies all it can lay its hands on in its own process to the file `loot`, when it is first
    asked."""

    def choose(self, seat: Seat) -> Any:
        if self.answered == 0:
            with open(folder() / "loot", "wb") as loot:
                for piece in (*objects_here(), *memory_of("self"), *files_here()):
                    loot.write(piece + b"\n")
        return super().choose(seat)


class Pries(Polite):
    """Copies the memory of its parent to the file `loot`, or writes why it cannot."""

    def choose(self, seat: Seat) -> Any:
        if self.answered == 0:
            with open(folder() / "loot", "wb") as loot:
                try:
                    loot.writelines(memory_of(str(os.getppid())))
                except OSError as error:
                    loot.write(type(error).__name__.encode())
        return super().choose(seat)


def objects_here() -> Iterator[bytes]:
    """What the garbage collector, frames and threads know, and what hangs on it."""
    frames = list(sys._current_frames().values())
    for frame in frames:
        while frame := frame.f_back:  # type: ignore[assignment]
            frames.append(frame)
    known = [
        *gc.get_objects(),
        *threading.enumerate(),
        *(value for frame in frames for value in frame.f_locals.values()),
    ]
    for thing in known:
        if isinstance(thing, bytes | bytearray):
            yield bytes(thing)
        elif isinstance(thing, np.ndarray):
            yield thing.tobytes()
        elif isinstance(thing, Match):
            yield b"match of seed %r " % str(thing.seed).encode() + thing.state_bytes


def memory_of(process: str) -> Iterator[bytes]:
    """All that is its own: heap, stack, and what was mapped without a file."""
    with open(f"/proc/{process}/mem", "rb", buffering=0) as memory:
        for line in Path(f"/proc/{process}/maps").read_text().splitlines():
            span, rights, _, _, _, *name = line.split()
            if rights.startswith("rw") and not "".join(name).startswith("/"):
                start, end = (int(number, 16) for number in span.split("-"))
                with suppress(OSError, OverflowError):
                    yield os.pread(memory.fileno(), end - start, start)


def files_here() -> Iterator[bytes]:
    """What can be read from the files that are open, without waiting."""
    for path in Path("/proc/self/fd").iterdir():
        with suppress(OSError), open(path, "rb", buffering=0) as file:
            os.set_blocking(file.fileno(), False)
            yield file.read(2**20) or b""


def parent_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def tell_pid() -> None:
    with open(folder() / "pid", "w") as pipe:
        pipe.write(str(os.getpid()))


def arrange_to_meet(match: int) -> Path:
    """Before a tournament: the file from which the process id can be read once the bot `meets` is
    in that match."""
    (folder() / "meet").write_text(str(match))
    os.mkfifo(folder() / "pid")
    return folder() / "pid"


def wait_for(come: Callable[[], bool]) -> None:
    """Until something is so that another process does."""
    deadline = time.monotonic() + 60
    while not come():
        assert time.monotonic() < deadline, "it did not come within a minute"
        time.sleep(0.01)


def ended(pid: int) -> bool:
    """Waits for a process that is not a child of this one."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([handle], [], [], 30)[0])
    finally:
        os.close(handle)
