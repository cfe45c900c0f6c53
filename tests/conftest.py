"""Ctrl+C means what it always means, also where the tests run in the background.

Shells start such commands with it ignored, and children inherit that.
"""

import signal

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
