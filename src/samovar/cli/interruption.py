"""Ctrl+C ends a command soon, wherever it is at work.

Python hears an interrupt only between two of its own steps, and compiling, for one, can take a minute between
two. The operating system tells at once; a thread waits for that, and ends the process where Python does not listen.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from functools import cache
from time import monotonic, sleep
from types import FrameType

PATIENCE = 1.5  # seconds that Python has to hear it
LOOK = 0.1
INTERRUPTED = 130  # what a shell expects of a command that was interrupted

_heard_at = 0.0


@cache
def heed_interrupts() -> None:
    """From now on, in this process."""
    if sys.platform == "win32" or threading.current_thread() is not threading.main_thread():
        return
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    signal.signal(signal.SIGINT, _hear)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    threading.Thread(target=_listen, args=(reading,), name="samovar-interrupts", daemon=True).start()


def _hear(number: int, frame: FrameType | None) -> None:
    global _heard_at
    _heard_at = monotonic()
    signal.default_int_handler(number, frame)


def _listen(reading: int) -> None:
    while True:
        told = os.read(reading, 1)
        told_at = monotonic()
        while monotonic() < told_at + PATIENCE and _heard_at < told_at - PATIENCE:
            sleep(LOOK)
        is_ours = signal.getsignal(signal.SIGINT) is _hear  # a command may have its own way to end
        if told[0] == signal.SIGINT and is_ours and _heard_at < told_at - PATIENCE:
            _leave()


def _leave() -> None:
    """Without a word to Python, which does not listen. A progress bar may have hidden the cursor."""
    show_cursor = "\x1b[?25h" if sys.stderr.isatty() else ""
    os.write(2, f"{show_cursor}\nsamovar: interrupted.\n".encode())
    os._exit(INTERRUPTED)
