"""A process that answers only when it has been interrupted."""

import signal
import threading
import time

from samovar.processes import serve

is_interrupted = threading.Event()


def answer(line: bytes) -> bytes:
    while not is_interrupted.is_set():
        time.sleep(0.01)
    return line


if __name__ == "__main__":
    signal.signal(signal.SIGINT, lambda *_: is_interrupted.set())
    serve(answer)
