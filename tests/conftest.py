"""The tiers of the tests, and what a run has left out.

A marker names what a test needs that a change does not usually break (`pyproject.toml` lists
them). `--tier quick` runs tests without one, `--tier browser` those in a browser, `--tier rest`
those with any other one, and without `--tier` all are run. A file whose `pytestmark` has such a
marker is not even loaded by the quick tier, so it may import packages that only `make test-all`
installs.
"""

from __future__ import annotations

import ast
import gc
import inspect
import os
import re
import shutil
import signal
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import typer.main
import typer.testing
from hypothesis import settings

from samovar.engine.contract import Game, Value
from samovar.engine.registry import find_game

pytest.register_assert_rewrite("support")  # what fails in a helper says as much as in a test
from support.scopes import scope_of_browsers  # noqa: E402

# What tests write goes to memory where there is room: a site waits for the disk at each move.
MEMORY = Path("/dev/shm")
if os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > 4 * 2**30:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))

gc.disable()  # until everything is collected: what is loaded stays, and to look through it took a quarter of the time

# Numba makes thousands of messages while it compiles, of what it tries and does not need; to colour them took a
# twentieth of its time. It asks when it is imported.
os.environ.setdefault("NUMBA_DISABLE_ERROR_MESSAGE_HIGHLIGHTING", "1")

# Typer makes all commands anew whenever one is given: that took two thirds of the time of a test that gives some.
typer.main.get_command = typer.testing._get_command = cache(typer.main.get_command)

if TYPE_CHECKING:  # only `make test-all` installs Playwright
    from playwright.sync_api import Browser

TIERS = ("browser", "postgres", "processes", "research", "variants", "slow")
WHOLE_FILE = re.compile(rf"^pytestmark = pytest\.mark\.({'|'.join(TIERS)})\b", re.MULTILINE)
SLOW_OF_THE_KIT = (
    "test_plain_and_cuda_simulator",
    "test_plain_and_numba_cuda_mlir",
    "test_webassembly_gives_identical_bytes",
    "test_worlds_are_as_often_so",
    "test_the_lesson_is_told_on_the_site",
)
LEFT_OUT = pytest.StashKey[Counter[str]]()
# What a test does that cannot be done on Windows, by itself and not by what it tests.
ON_UNIX = re.compile(
    r"mkfifo|import pty|SIGKILL|SIGHUP|SIGSTOP|/dev/fd|chmod|umask|resource\.|os\.waitpid|\bsh\b|PolledPipes"
)

# How long an example takes depends on what else the machine does.
settings.register_profile("samovar", deadline=None)
settings.load_profile("samovar")

# Ctrl+C means what it always means, also where the tests run in the background: shells start such
# commands with it ignored, and children inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope=scope_of_browsers)
def browser() -> Iterator[Browser]:
    """One for all tests in browsers: Playwright is started once in a process."""
    from support import browsers

    try:
        with browsers.running_browser() as running:
            yield running
    except browsers.Missing as missing:
        pytest.skip(str(missing))


def pytest_addoption(parser: pytest.Parser) -> None:
    help_text = "quick: what a change usually breaks; browser: in a browser; rest: all else"
    parser.addoption("--tier", choices=["quick", "rest", "browser"], help=help_text)


def pytest_configure(config: pytest.Config) -> None:
    config.stash[LEFT_OUT] = Counter()
    marked = " or ".join(TIERS)
    wanted = {"quick": f"not ({marked})", "browser": "browser", "rest": f"({marked}) and not browser"}
    if tier := config.getoption("--tier"):
        config.option.markexpr = wanted[tier]


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Counts the test functions of a file that is left alone; their variants are not known."""
    if config.getoption("--tier") != "quick" or not collection_path.match("test_*.py"):
        return None
    text = collection_path.read_text(encoding="utf-8")
    marker = marker_of_all(text)
    if not marker:
        return None
    config.stash[LEFT_OUT][marker] += len(re.findall(r"^def test_", text, re.MULTILINE))
    return True


def marker_of_all(text: str) -> str:
    """Of the tests of a file; empty: none. A line in a program that a test writes is none, or no tier would run it."""
    if not WHOLE_FILE.search(text):
        return ""
    lines = (ast.unparse(node) for node in ast.parse(text).body if isinstance(node, ast.Assign))
    return next((marker[1] for line in lines if (marker := WHOLE_FILE.match(line))), "")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """What needs no marker by hand: tests with a PostgreSQL server, tests of any variant but
    the last of its game, which has the most in it, and of the shipped kit those that take long."""
    for item in items:
        if "postgresql_server" in getattr(item, "fixturenames", ()):
            item.add_marker("postgres")
        values = item.callspec.params if hasattr(item, "callspec") else {}
        if {"game", "seats", "options"} <= values.keys() and not is_last(**values):
            item.add_marker("variants")
        if item.name.startswith(SLOW_OF_THE_KIT):
            item.add_marker("slow")
        if (
            sys.platform == "win32"
            and isinstance(item, pytest.Function)
            and (used := ON_UNIX.search(inspect.getsource(item.obj)))
        ):
            item.add_marker(pytest.mark.skip(reason=f"there is no {used[0]} on Windows"))
    items.sort(key=is_of_the_kit)


def is_of_the_kit(item: pytest.Item) -> bool:
    """The kit comes last: a worker begins with each half of the tests, and where the kit began the second half, both
    compiled the same games at the same time."""
    return item.path.parent.name == "testing"


def pytest_collection_finish() -> None:
    """What is loaded by now stays to the end: to look through all of it for garbage, again and again, took a tenth of
    the time."""
    gc.freeze()
    gc.set_threshold(100_000, 20, 100)
    gc.enable()


def is_last(game: Game | str, seats: int, options: dict[str, Value], **_: object) -> bool:
    game = find_game(game) if isinstance(game, str) else game
    return (seats, options) == game.variants()[-1]


def pytest_deselected(items: list[pytest.Item]) -> None:
    for item in items:
        marker = next((name for name in TIERS if item.get_closest_marker(name)), None)
        if marker:
            item.config.stash[LEFT_OUT][marker] += 1


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A worker of xdist tells the process that writes the summary."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["left_out"] = dict(session.config.stash[LEFT_OUT])


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: object) -> None:
    """All workers have left out the same."""
    counts = getattr(node, "workeroutput", {}).get("left_out", {})
    node.config.stash[LEFT_OUT] = Counter(counts)  # type: ignore[attr-defined]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if config.getoption("--tier") != "quick":
        return
    reasons = dict(line.split(": ", 1) for line in config.getini("markers") if ": " in line)
    counts = config.stash[LEFT_OUT]
    terminalreporter.section("left out, make test-all runs them")
    for name in TIERS:
        if counts[name]:
            terminalreporter.line(f"{counts[name]:4} {name} tests: {reasons[name]}")
