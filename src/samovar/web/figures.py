"""What is counted while a site runs, told at `/metrics` in the form of OpenMetrics.

Every number has its place in one block of memory. Where a site has several processes, the block of each is a file in a
folder that they share: whichever is asked adds them up. What a process has counted outlives it, and the one that comes
in its place goes on with its file."""

from __future__ import annotations

import mmap
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, count, product
from pathlib import Path
from typing import BinaryIO

from filelock import lock_descriptor

from samovar.engine.installed import own_version

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)  # bounds of histograms
SIZE = 8  # bytes of a number
CONTENT_TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8"


class Family:
    """A figure, and one number or more for each of its labels' values."""

    kind = "gauge"
    of_each = 1  # numbers

    def __init__(self, name: str, about: str, **labels: Sequence[str]) -> None:
        self.name, self.about = f"samovar_{name}", about
        self.first = sum(len(family) for family in FAMILIES)
        values = list(product(*labels.values()))
        self._places = {one: self.first + number * self.of_each for number, one in enumerate(values)}
        self._labels = {one: [f'{name}="{word}"' for name, word in zip(labels, one, strict=True)] for one in values}
        FAMILIES.append(self)

    def __len__(self) -> int:
        return len(self._places) * self.of_each

    def set(self, value: float, *labels: str) -> None:
        block.cells[self._places[labels]] = value

    def add(self, more: float = 1.0, *labels: str) -> None:
        """From the event loop or the main thread alone: two threads would lose some."""
        block.cells[self._places[labels]] += more

    def value(self, *labels: str) -> float:
        """Of this process."""
        return block.cells[self._places[labels]]

    def merge(self, whole: memoryview[float], part: Sequence[float], *, lives: bool) -> None:
        """Adds what another process has; only of those that live, unless it is a matter of history."""
        if lives or self.kind != "gauge":
            for place in range(self.first, self.first + len(self)):
                whole[place] += part[place]

    def lines(self, cells: Sequence[float]) -> Iterator[str]:
        yield f"# HELP {self.name} {self.about}"
        yield f"# TYPE {self.name} {self.kind}"
        for labels, place in self._places.items():
            for ending, more, value in self._samples(cells, place):
                inside = ",".join([*self._labels[labels], *more])
                yield f"{self.name}{ending}{{{inside}}} {value:.15g}" if inside else f"{self.name}{ending} {value:.15g}"

    def _samples(self, cells: Sequence[float], place: int) -> Iterator[tuple[str, list[str], float]]:
        yield ("_total" if self.kind == "counter" else ""), [], cells[place]


class Gauge(Family):
    """How many there are now."""


class Counter(Family):
    """How many there have been."""

    kind = "counter"


class Durations(Family):
    """How long it took, each time."""

    kind = "histogram"
    of_each = len(SECONDS) + 2  # how many took at most so long, and longer than all of these; and the sum

    def observe(self, seconds: float, *labels: str) -> None:
        place = self._places[labels]
        block.cells[place + bisect_left(SECONDS, seconds)] += 1
        block.cells[place + len(SECONDS) + 1] += seconds

    def _samples(self, cells: Sequence[float], place: int) -> Iterator[tuple[str, list[str], float]]:
        bounds = [*(f"{seconds:g}" if seconds % 1 else f"{seconds:.1f}" for seconds in SECONDS), "+Inf"]
        sums = list(accumulate(cells[place : place + len(bounds)]))
        for bound, number in zip(bounds, sums, strict=True):
            yield "_bucket", [f'le="{bound}"'], number
        yield "_count", [], sums[-1]
        yield "_sum", [], cells[place + len(bounds)]


class ProcessFigures:
    """The numbers of this process."""

    def __init__(self, size: int) -> None:
        self.cells = memoryview(bytearray(size * SIZE)).cast("d")
        self._folder: Path | None = None
        self._file = Path()
        self._turn: BinaryIO | None = None

    def share(self, folder: Path) -> None:
        """From now on the other processes of this site see them, and they see theirs."""
        for number in count():
            turn = open(folder / f"{number}.lock", "ab")  # noqa: SIM115 - open as long as the process lives
            if lock_descriptor(turn.fileno(), blocking=False):
                break
            turn.close()
        self._folder, self._file, self._turn = folder, folder / f"{number}.figures", turn
        with open(self._file, "a+b") as file:
            file.truncate(len(self.cells) * SIZE)
            self.cells = memoryview(mmap.mmap(file.fileno(), 0)).cast("d")
        for family in FAMILIES:
            if family.kind == "gauge":
                self.cells[family.first : family.first + len(family)] = memoryview(bytes(len(family) * SIZE)).cast("d")

    def together(self) -> memoryview[float]:
        """With those of all processes."""
        whole = memoryview(bytearray(self.cells.tobytes())).cast("d")
        for file in sorted(self._folder.glob("*.figures")) if self._folder else ():
            if file != self._file:
                part = memoryview(file.read_bytes()).cast("d")
                lives = is_held(file.with_suffix(".lock"))
                for family in FAMILIES:
                    family.merge(whole, part, lives=lives)
        return whole


def is_held(lock: Path) -> bool:
    with open(lock, "ab") as turn:
        return not lock_descriptor(turn.fileno(), blocking=False)


def text(known: Mapping[Family, float]) -> str:
    """All figures; `known` are those that are the same whichever process is asked."""
    cells = block.together()
    for family, value in known.items():
        cells[family.first] = value
    lines = [line for family in FAMILIES for line in family.lines(cells)]
    version = ["# HELP samovar_build Which Samovar this is.", "# TYPE samovar_build info"]
    return "\n".join([*version, f'samovar_build_info{{version="{own_version()}"}} 1', *lines, "# EOF", ""])


FAMILIES: list[Family] = []

KINDS = ("move", "page", "api", "stream", "file", "watch")  # of requests
STATUSES = ("2xx", "3xx", "4xx", "5xx")
LEVELS = ("debug", "info", "warning", "error", "critical")
CHANNELS = ("push", "mail", "post")  # the last: ntfy, webhooks

UPTIME = Gauge("uptime_seconds", "Time since the site was started.")
PROCESSES = Gauge("processes", "Processes that answer requests.")
DEATHS = Counter("process_deaths", "Processes of the site that ended by themselves or were killed.")
REQUESTS = Counter("requests", "Requests answered.", kind=KINDS, status=STATUSES)
REQUEST_SECONDS = Durations("request_seconds", "From a request to the head of its answer.", kind=KINDS)
STREAMS = Gauge("streams", "Open streams: one for each browser that looks at a table.")
MOVES = Counter("moves", "Moves made by people and programs.")
BOT_MOVES = Counter("bot_moves", "Moves made by bots.")
CHANCE_MOVES = Counter("chance_moves", "Moves made by chance because a bot could not answer.")
REMARKS = Counter("remarks", "Remarks made at tables.")
WAITING = Gauge("tables_waiting", "Tables that wait for players.")
PLAYING = Gauge("tables_playing", "Tables where a match is played.")
OVER = Gauge("tables_over", "Tables where a match is over.")
IN_MEMORY = Gauge("tables_in_memory", "Tables in memory.")
BOTS = {
    "asked": Counter("bots_asked", "Questions to bots, for moves and hints."),
    "answered": Counter("bots_answered", "Questions that bots answered."),
    "failed": Counter("bots_failed", "Questions that bots could not answer."),
    "restarts": Counter("bots_restarts", "Processes of bots that were replaced."),
    "thinking_seconds": Counter("bots_thinking_seconds", "Time in which bots thought."),
}
BOTS_WAITING = Gauge("bots_waiting", "Questions that wait until a process is free.")
BOT_WAIT_SECONDS = Durations("bot_wait_seconds", "How long a question waited until a process was free.")
GAMES_COMPILED = Gauge("bots_games_compiled", "Games whose search is compiled.")
DATABASE_SECONDS = Durations(
    "database_seconds", "From a question to the database to its answer.", work=("read", "write")
)
NOTIFICATIONS = Counter("notifications", "Messages to people.", channel=CHANNELS, outcome=("sent", "failed", "gone"))
LOG_LINES = Counter("log_lines", "Lines of the log, those that --log-level leaves out, too.", level=LEVELS)

block = ProcessFigures(sum(len(family) for family in FAMILIES))
