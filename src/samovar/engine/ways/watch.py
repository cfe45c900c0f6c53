"""Rules that do not end: somebody looks, once a second, whether one has been at the same match for very long.

A plain rule is then stopped, and its author is told which one it was and where. Compiled code cannot be stopped from
inside, and while it runs Python hears no Ctrl+C; so from then on Ctrl+C ends the process, and a line says why.

This costs compiled rules nothing: a thread of its own looks where the others are (`sys._current_frames`), and a
frame that is still at the same place is the same call, for a frame that is held is not used again. Plain rules take
long anyway, so their calls are written down (`plain_calls`). Nothing looks for the callers of a frame here: Python
3.11 sometimes dies of that (gh-99110).
"""

from __future__ import annotations

import ctypes
import gc
import signal
import sys
import threading
from collections.abc import Callable, Mapping, Sized
from dataclasses import dataclass
from time import monotonic, sleep  # by name: who changes the module for a test does not stop the watch
from types import CodeType, FrameType
from typing import Any, NamedTuple, TypeVar

from samovar.engine.contract import Game
from samovar.engine.ways.mistakes import RuleDoesNotEnd

INTERVAL = 1.0  # seconds
LONG = 2.0  # from then on Ctrl+C ends the process, where nothing less would
TOO_LONG = 20.0  # for one match: not even in plain Python does a rule take so long
MANY_MOVES = ("play_random", "play_endless", "play_observed")  # take as long as they are asked to

F = TypeVar("F", bound=Callable[..., object])

_doors: set[CodeType] = set()  # the functions from which compiled rules are called
_start = threading.Lock()
_watcher: threading.Thread | None = None


class Call(NamedTuple):
    """Of rules: by whom, and what they do to which matches."""

    game: Game
    what: str
    states: Sized
    is_plain: bool

    @property
    def is_of_one_match(self) -> bool:
        return len(self.states) == 1 and self.what not in MANY_MOVES


plain_calls: dict[int, Call] = {}  # those under way, by the number of their thread


@dataclass
class WatchedCall:
    """A call that was under way when somebody looked."""

    call: Call
    mark: tuple[object, int]  # two with the same are the same call
    since: float
    is_told: bool = False

    @property
    def seconds(self) -> float:
        return monotonic() - self.since

    def is_the_same(self, mark: tuple[object, int]) -> bool:
        return self.mark[0] is mark[0] and self.mark[1] == mark[1]


def watched(method: F) -> F:
    """Marks a method of a backend or of a match that calls rules."""
    _doors.add(method.__code__)
    return method


def start() -> None:
    """Begins to look, once in a process."""
    global _watcher
    with _start:
        if _watcher is None or not _watcher.is_alive():
            _watcher = threading.Thread(target=_watch, name="samovar-watch", daemon=True)
            _watcher.start()


def _watch() -> None:
    calls: dict[int, WatchedCall] = {}
    python_signal: int | None = None
    while True:
        sleep(INTERVAL)
        calls = _look(calls)
        main = calls.get(threading.main_thread().ident or 0)
        is_deaf = main is not None and not main.call.is_plain and main.seconds >= LONG
        if is_deaf and python_signal is None:
            python_signal = _set_signal(0)  # the operating system's own: it ends the process
        elif not is_deaf and python_signal is not None:
            _set_signal(python_signal)
            python_signal = None
        for thread, call in calls.items():
            if call.seconds >= TOO_LONG and not call.is_told:
                call.is_told = True
                _tell(thread, call)


def _look(before: dict[int, WatchedCall]) -> dict[int, WatchedCall]:
    """The calls of rules under way, by thread; those that were there before are kept."""
    now: dict[int, WatchedCall] = {}
    found: dict[int, tuple[Call, tuple[object, int]]] = {
        thread: (_call_of(frame), (frame, frame.f_lasti))
        for thread, frame in _frames().items()
        if frame.f_code in _doors  # what runs on top of a call of compiled rules is Numba, which compiles them
    }
    found |= {thread: (call, (call, 0)) for thread, call in plain_calls.copy().items()}
    for thread, (call, mark) in found.items():
        known = before.get(thread)
        if call.is_of_one_match:
            now[thread] = known if known and known.is_the_same(mark) else WatchedCall(call, mark, monotonic())
    return now


def _frames() -> Mapping[int, FrameType]:
    """Where each thread is. Python 3.11 stands still for ever where its garbage is collected meanwhile (gh-106883)."""
    is_collected = gc.isenabled()
    gc.disable()
    try:
        return sys._current_frames()
    finally:
        if is_collected:
            gc.enable()


def _call_of(frame: FrameType) -> Call:
    """What a frame of a function marked `watched` calls."""
    names: dict[str, Any] = frame.f_locals
    caller = names["self"]  # a backend, or a match
    is_plain = bool(getattr(caller, "_backend", caller).is_plain)
    return Call(
        caller.game, names.get("operation", "play"), names.get("states", getattr(caller, "states", ())), is_plain
    )


def _tell(thread: int, watched: WatchedCall) -> None:
    call = watched.call
    if not call.is_plain:
        print(
            f"samovar: {call.what!r} of {call.game.name} has been running for {watched.seconds:.0f} s in one match. "
            "There may be a loop in it that does not end: press Ctrl+C, which ends this process, and do the same with "
            "SAMOVAR_PLAIN=1 to be told where.",
            file=sys.stderr,
            flush=True,
        )
    elif not _is_debugged(thread):
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(RuleDoesNotEnd))


def _is_debugged(thread: int) -> bool:
    """Somebody may be looking at a rule step by step, and has all the time in the world."""
    frame: FrameType | None = _frames().get(thread)
    while frame:
        if frame.f_trace is not None:
            return True
        frame = frame.f_back
    return False


def _set_signal(handler: int) -> int:
    """What Ctrl+C does, for the operating system; what it did before. Python's own way is for the main thread alone."""
    ctypes.pythonapi.PyOS_setsig.restype = ctypes.c_void_p
    ctypes.pythonapi.PyOS_setsig.argtypes = [ctypes.c_int, ctypes.c_void_p]
    return int(ctypes.pythonapi.PyOS_setsig(int(signal.SIGINT), handler) or 0)
