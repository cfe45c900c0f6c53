"""Python as it is on Windows, as far as that can be had elsewhere: what only Unix has is gone. With this folder in
`PYTHONPATH` it holds for every Python that is started, those that others start included.

What would load other parts of its own there, in Python and beside it, is loaded before. `os.name` stays: paths lean
on it.
"""

import asyncio
import importlib
import multiprocessing.process
import os
import select
import shutil  # noqa: F401
import signal
import subprocess
import sys
import tempfile  # noqa: F401
import types
import webbrowser  # noqa: F401

import filelock  # noqa: F401

LIBRARIES = ("click", "sqlalchemy", "typer", "uvicorn")
MODULES = ("fcntl", "resource", "termios", "tty", "pty", "pwd", "grp", "syslog", "uvloop")
NAMES = {
    os: "fork forkpty getgid getgrouplist getloadavg getuid geteuid getpgid killpg nice pread pwrite sched_getaffinity "
    "set_blocking setpgid setsid sysconf uname wait3 wait4 waitid chown fchown lchown mkfifo O_CLOEXEC "
    "O_NOFOLLOW O_NONBLOCK P_PID WEXITED WNOWAIT register_at_fork",
    select: "poll epoll",
    signal: "SIGKILL SIGHUP SIGQUIT SIGUSR1 SIGUSR2 SIGALRM SIGPROF SIGCHLD setitimer getitimer alarm pause "
    "ITIMER_PROF ITIMER_REAL siginterrupt pthread_kill pthread_sigmask",
}


def pretend() -> None:
    if not any(word.endswith("_worker") for word in sys.orig_argv):  # those need none, and are to be there soon
        for library in LIBRARIES:
            importlib.import_module(library)
    subprocess.signal = types.SimpleNamespace(**vars(signal))  # with it a process is killed there in another way
    sys.modules.update(dict.fromkeys(MODULES))
    for module, names in NAMES.items():
        for name in names.split():
            if hasattr(module, name):
                delattr(module, name)
    asyncio.ProactorEventLoop = getattr(asyncio, "ProactorEventLoop", asyncio.SelectorEventLoop)
    signal.SIGBREAK = getattr(signal, "SIGBREAK", 21)  # which nobody sends here
    sys.platform = "win32"


if multiprocessing.process.parent_process() is None:
    pretend()
