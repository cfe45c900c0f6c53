"""Waiting for what must happen, but not for ever."""

import time

PATIENCE = 20.0  # seconds until something that must happen counts as not happening


def wait_until(so, seconds=30):
    until = time.monotonic() + seconds
    while not so():
        assert time.monotonic() < until, "that does not happen"
        time.sleep(0.01)


def until(holds, what):
    end = time.monotonic() + PATIENCE
    while not (seen := holds()):
        assert time.monotonic() < end, f"did not happen: {what}"
        time.sleep(0.02)
    return seen
