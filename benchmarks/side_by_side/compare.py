"""Ratios: ours and the libraries that researchers use, on the same work, in one run. Each library
runs in its own environment.

The sides of a group take turns, round by round, on the same core: what disturbs the machine
disturbs all of them. A line's ratio is the median of its rounds. A side that cannot be measured
costs its own lines only, and they say why.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from samovar.engine.registry import game_ids
from samovar.engine.ways.cuda import is_simulated, load_cuda
from samovar.errors import NoDevice, SamovarError, UnknownGame, UnknownOption
from samovar.json_types import JsonObject
from side_by_side.environments import cache_folder, environment
from side_by_side.sides import Failed, Running, Side

if TYPE_CHECKING:
    from rich.console import Console

ROUNDS = 5
SECONDS = 1.0
YARDSTICK = "connect_four"
BATCH = 4_096
GPU_BATCHES = (4_096, 65_536, 1_048_576)

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Line:
    """One comparison. Without a target it is for context."""

    text: str
    ours: Side
    peer: Side
    target: float | None = None


@dataclass(frozen=True)
class Group:
    """Lines whose sides take turns. On a GPU they are not held to one core."""

    title: str
    lines: tuple[Line, ...]
    on_gpu: bool = False


@dataclass(frozen=True)
class Outcome:
    """What became of a line: medians over the rounds, in moves per second, and the lowest and
    highest ratio; or why there are none."""

    group: str
    line: str
    target: float | None
    ours: float | None = None
    peer: float | None = None
    ratio: float | None = None
    low: float | None = None
    high: float | None = None
    is_met: bool | None = None
    ours_facts: JsonObject | None = None
    peer_facts: JsonObject | None = None
    reason: str | None = None


# What is compared


def ours(*words: str) -> Side:
    return Side(words, is_ours=True)


def openspiel(*words: str) -> Side:
    return Side(("openspiel", *words), "openspiel")


def pettingzoo(name: str) -> Side:
    return Side(("pettingzoo", "--env", f"pettingzoo.classic.{name}"), "pettingzoo")


def pgx(*words: str, device: str = "cpu") -> Side:
    return Side(("pgx", "--device", device, *words), "pgx" if device == "cpu" else "pgx-cuda")


def our_env(game: str) -> Side:
    """PettingZoo's loop over our adapter: the very same script, in our environment."""
    return Side(("pettingzoo", "--env", "samovar.envs.pettingzoo", "--game", game))


def our_openspiel(game: str) -> Side:
    return Side(("openspiel", "--load", "samovar.envs.openspiel", "--game", f"samovar_{game}", "--loop", "python"))


def groups(games: Sequence[str], with_gpu: bool) -> list[Group]:
    compared = [
        _connect_four(),
        _pettingzoo_adapter(games),
        _openspiel_adapter(list(dict.fromkeys((YARDSTICK, *games)))),
    ]
    return compared + [_gpu(size) for size in GPU_BATCHES if with_gpu]


def _connect_four() -> Group:
    places, batch = ("--places", str(BATCH)), ("--batch", str(BATCH))
    their_env = pettingzoo("connect_four_v3")
    return Group(
        "Connect Four, one core",
        (
            Line("random play / OpenSpiel in C++", ours("batch"), openspiel(), 10),
            Line("random play / PettingZoo", ours("batch"), their_env, 1_000),
            Line("mask, NumPy, step / PettingZoo", ours("steps", *places), their_env, 1_000),
            Line(f"random play / Pgx, {BATCH:,}", ours("batch", *places), pgx(*batch), 20),
            Line(f"observed, too / Pgx, {BATCH:,}", ours("batch", *places, "--observed"), pgx(*batch, "--observed")),
        ),
    )


def _pettingzoo_adapter(games: Sequence[str]) -> Group:
    """The very same loop on both sides."""
    peers = ("connect_four_v3", "hanabi_v5")
    lines = [Line(f"{game} / {peer}", our_env(game), pettingzoo(peer), 5) for game in games for peer in peers]
    return Group("PettingZoo adapter, one core", tuple(lines))


def _openspiel_adapter(games: Sequence[str]) -> Group:
    """Python chooses the moves: a game written in Python has no C++ loop, and this says what that
    costs."""
    tic_tac_toe = openspiel(
        "--loop", "python", "--load", "open_spiel.python.games.tic_tac_toe", "--game", "python_tic_tac_toe"
    )
    return Group(
        "OpenSpiel adapter, one core",
        (
            Line(f"{YARDSTICK} / C++ connect_four", our_openspiel(YARDSTICK), openspiel("--loop", "python")),
            Line(f"{YARDSTICK} / our Match", our_openspiel(YARDSTICK), ours("match")),
            Line(f"{YARDSTICK} / our random play", our_openspiel(YARDSTICK), ours("batch")),
            *(Line(f"{game} / python_tic_tac_toe", our_openspiel(game), tic_tac_toe) for game in games),
        ),
    )


def _gpu(size: int) -> Group:
    us, them = ours("batch", "--device", "cuda", "--places", str(size)), pgx("--batch", str(size), device="gpu")
    return Group("Connect Four on the GPU", (Line(f"random play / Pgx, {size:,}", us, them, 30),), on_gpu=True)


# How it is measured


def compare(
    games: Sequence[str] = (),
    folder: Path | None = None,
    *,
    here: bool = False,
    only: str = "",
    rounds: int = ROUNDS,
    seconds: float = SECONDS,
    progress: Progress = lambda text: None,
) -> list[Outcome]:
    """All lines, or those with `only` in their text or their group's title. `here`: peers run in
    this Python, not in environments of their own."""
    if YARDSTICK not in game_ids():
        raise UnknownGame(
            "The yardstick is Connect Four, which is an example: pip install the folder examples/connect_four."
        )
    chosen = select(groups(games or game_ids(), has_gpu()), only)
    pythons = Pythons(None if here else folder or cache_folder(), progress)
    return [outcome for group in chosen for outcome in measure_group(group, pythons, rounds, seconds, progress)]


def select(offered: list[Group], only: str) -> list[Group]:
    chosen = [
        Group(
            group.title,
            tuple(line for line in group.lines if only.lower() in f"{group.title}: {line.text}".lower()),
            group.on_gpu,
        )
        for group in offered
    ]
    if not any(group.lines for group in chosen):
        known = "; ".join(dict.fromkeys(group.title for group in offered))
        raise UnknownOption(f"No line of the comparison has {only!r} in it. Its groups: {known}.")
    return [group for group in chosen if group.lines]


def has_gpu() -> bool:
    try:
        load_cuda()
    except NoDevice:
        return False
    return not is_simulated()


class Pythons:
    """Which Python runs a side. An environment is made, or fails, once."""

    def __init__(self, folder: Path | None, progress: Progress) -> None:
        """Without a folder everything runs in ours."""
        self._folder = folder
        self._progress = progress
        self._found: dict[str, Path | Failed] = {}

    def of(self, side: Side) -> Path | None:
        if self._folder is None or side.peer is None:
            return None
        if side.peer not in self._found:
            self._progress(f"  environment of {side.peer}, made if there is none")
            try:
                self._found[side.peer] = environment(side.peer, self._folder)
            except SamovarError as error:
                self._found[side.peer] = Failed(str(error))
        python = self._found[side.peer]
        if isinstance(python, Failed):
            raise python
        return python


def measure_group(group: Group, pythons: Pythons, rounds: int, seconds: float, progress: Progress) -> list[Outcome]:
    sides = dict.fromkeys(side for line in group.lines for side in (line.ours, line.peer))
    turns = [Turns(side) for side in sides]
    core = None if group.on_gpu else _last_core()
    progress(group.title)
    try:
        for turn in turns:
            progress(f"  {turn.side}")
            turn.attempt(turn.start, pythons, rounds, seconds, core)
        for number in range(rounds):
            progress(f"  round {number + 1} of {rounds}")
            for turn in turns:
                turn.attempt(turn.play)
    finally:
        for turn in turns:
            turn.stop()
    by_side = {turn.side: turn for turn in turns}
    return [outcome(group, line, by_side[line.ours], by_side[line.peer]) for line in group.lines]


class Turns:
    """The rounds of one side, until it fails."""

    def __init__(self, side: Side) -> None:
        self.side = side
        self.facts: JsonObject = {}
        self.rates: list[float] = []
        self.reason: str | None = None
        self._running: Running | None = None

    def attempt(self, action: Callable[..., None], *arguments: object) -> None:
        if self.reason is None:
            try:
                action(*arguments)
            except Failed as failure:
                self.reason = str(failure)

    def start(self, pythons: Pythons, rounds: int, seconds: float, core: int | None) -> None:
        self._running = Running(self.side, pythons.of(self.side), rounds, seconds, core)
        self.facts = self._running.ready()

    def play(self) -> None:
        assert self._running
        self.rates.append(self._running.rate())

    def stop(self) -> None:
        if self._running:
            self._running.stop()


def outcome(group: Group, line: Line, us: Turns, them: Turns) -> Outcome:
    reasons = [f"{who}: {turns.reason}" for who, turns in (("ours", us), (line.peer.peer, them)) if turns.reason]
    if reasons:
        return Outcome(group.title, line.text, line.target, reason="; ".join(reasons))
    ratios = [a / b for a, b in zip(us.rates, them.rates, strict=True)]
    ratio = median(ratios)
    return Outcome(
        group.title,
        line.text,
        line.target,
        ours=median(us.rates),
        peer=median(them.rates),
        ratio=ratio,
        low=min(ratios),
        high=max(ratios),
        is_met=None if line.target is None else ratio >= line.target,
        ours_facts=us.facts,
        peer_facts=them.facts,
    )


def _last_core() -> int | None:
    """The first one is where the system's own work tends to be."""
    return max(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else None


# How it is told


def to_json(outcomes: list[Outcome], rounds: int = ROUNDS) -> JsonObject:
    machine = {"machine": platform.machine(), "python": platform.python_version(), "rounds": rounds}
    return {**machine, "lines": [asdict(each) for each in outcomes]}


def show(outcomes: list[Outcome], console: Console) -> None:
    """One table, and below it why lines were not measured. It fits into 80 columns and needs no
    colour."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    shown = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    shown.add_column("Moves per second", overflow="fold")
    for name in ("Ours", "Peer", "Ratio", "±", "Target", "Met"):
        shown.add_column(name, justify="right", no_wrap=True)
    for title, lines in _by_group(outcomes):
        shown.add_row(Text(title, "bold"))
        for each in lines:
            shown.add_row(*map(Text, cells(each)))
    console.print(shown)
    for reason in dict.fromkeys(each.reason for each in outcomes if each.reason):
        console.print(f"Not measured: {reason}", markup=False, highlight=False)


def _by_group(outcomes: list[Outcome]) -> Iterator[tuple[str, list[Outcome]]]:
    for title in dict.fromkeys(each.group for each in outcomes):
        yield title, [each for each in outcomes if each.group == title]


def cells(of: Outcome) -> list[str]:
    """One row of the table; ± is half the way from the lowest ratio to the highest."""
    target = "" if of.target is None else f"{of.target:,.0f}x"
    if of.ratio is None or of.ours is None or of.peer is None or of.low is None or of.high is None:
        return [f"  {of.line}", "-", "-", "-", "", target, "-"]
    met = {True: "yes", False: "NO", None: ""}[of.is_met]
    return [
        f"  {of.line}",
        _rate(of.ours),
        _rate(of.peer),
        f"{_number(of.ratio)}x",
        f"{(of.high - of.low) / 2 / of.ratio:.0%}",
        target,
        met,
    ]


def _rate(rate: float) -> str:
    """Three digits: those after them are noise."""
    for unit, name in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if rate >= unit:
            return f"{_number(rate / unit)} {name}"
    return _number(rate)


def _number(number: float) -> str:
    if number >= 100:
        return f"{number:,.0f}"
    return f"{number:.1f}" if number >= 10 else f"{number:.2f}" if number >= 0.1 else f"{number:.2g}"
