"""Every figure that the pages promise and a machine without a GPU can show, measured anew: what falls short is said.

    python benchmarks/figures.py [--only pages,hint] [--list] [--write]

`figures.toml` is the list of them: what each is, its bound, what was measured last and before, and the sentences of
pages that quote it (a test compares). A measurement gives one figure or several. `--only` names some of either,
`--list` measures nothing, `--write` writes what was measured into the list and the pages: on a quiet machine only.
All of it takes about a quarter of an hour on two cores.

What a measurement needs and does not find (Node, PostgreSQL, wasm-ld, a network for the peers) is said, and its figures
are not measured. Ends with 1 if anything falls short. `make test` is timed in a fresh clone, so of what is committed.
"""

from __future__ import annotations

import argparse
import atexit
import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
import tomllib
from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
LIST = Path(__file__).with_suffix(".toml")
TABLE_PAGE = "docs/performance.md"
BEGIN, END = "<!-- figures: written by benchmarks/figures.py -->\n", "<!-- end of the figures -->\n"
GAMES = ("babuschka", "matryoshka", "memoarrrr", "varvitikud")
LONGEST_MINUTES = 15
TEST_LIMIT_S = 1200

Found = dict[str, float]


# The list


@dataclass(frozen=True)
class Figure:
    name: str
    what: str
    by: str  # the measurement that gives it
    unit: str
    last: float  # measured on a quiet machine
    at_most: float | None = None
    at_least: float | None = None  # without any bound it is there for comparison
    before: str = ""
    short: str = ""  # why it is beyond its bound, if it was so when it was measured last
    quoted: dict[str, str] = field(default_factory=dict)  # by page: a part of a line, with {last} and {bound}

    @property
    def bound(self) -> float | None:
        return self.at_least if self.at_most is None else self.at_most

    def holds(self, value: float) -> bool:
        if self.bound is None:
            return True
        return value >= self.bound if self.at_most is None else value <= self.bound

    def with_unit(self, number: str) -> str:
        return f"{number} {self.unit}".strip()

    @property
    def bound_text(self) -> str:
        if self.bound is None:
            return "for comparison"
        return f"{'at least' if self.at_most is None else 'at most'} {self.with_unit(f'{self.bound:,g}')}"

    def quote(self, page: str) -> str:
        """What the page says."""
        return self.quoted[page].format(last=shown(self.last), bound="" if self.bound is None else f"{self.bound:,g}")


def read_list(text: str) -> tuple[str, dict[str, Figure]]:
    """When and where they were measured last, and all figures by name."""
    entries = tomllib.loads(text)
    return entries.pop("measured"), {name: Figure(name, **entry) for name, entry in entries.items()}


def shown(value: float) -> str:
    """Two digits, of a large one three: those after them are noise."""
    if value >= 100:
        return f"{float(f'{value:.3g}'):,.0f}"
    return f"{value:.0f}" if value >= 10 else f"{value:.1f}" if value >= 1 else f"{value:.2f}"


def table(measured: str, figures: Iterable[Figure]) -> str:
    """As it stands in the page."""
    rows = ["| figure | bound | before | now | also in |", "|---|---|---|---|---|"]
    for figure in figures:
        before = figure.with_unit(figure.before) if figure.before else ""
        now = figure.with_unit(shown(figure.last)) + (f": short. {figure.short}" if figure.short else "")
        pages = ", ".join(page for page in figure.quoted if page != TABLE_PAGE)
        rows.append(f"| {figure.what} | {figure.bound_text} | {before} | {now} | {pages} |")
    return f"{measured}\n\n" + "\n".join(rows) + "\n"


def with_table(page: str, made: str) -> str:
    head, _, rest = page.partition(BEGIN)
    return f"{head}{BEGIN}\n{made}\n{END}{rest.partition(END)[2]}"


def write(found: Found, measured: str = "") -> None:
    """Into the list, the pages that quote it, and the table. Without a sentence that says when, that stays."""
    text = LIST.read_text(encoding="utf-8")
    _, old = read_list(text)
    for name in found:
        text = with_last(text, old[name], found[name])
    if measured:
        text = re.sub(r'(?m)^measured = "[^"]*"', f'measured = "{measured}"', text)
    LIST.write_text(text, encoding="utf-8")
    measured, new = read_list(text)
    for name in found:
        for page in old[name].quoted:
            rewrite(page, old[name].quote(page), new[name].quote(page))
    path = ROOT / TABLE_PAGE
    path.write_text(with_table(path.read_text(encoding="utf-8"), table(measured, new.values())), encoding="utf-8")


def with_last(text: str, figure: Figure, value: float) -> str:
    """The list with another value; why it fell short is gone when it does no more."""
    head, name, rest = text.partition(f"[{figure.name}]\n")
    entry, gap, others = rest.partition("\n\n")
    entry = re.sub(r"(?m)^last = .*", f"last = {float(f'{value:.3g}'):g}", entry)
    if figure.holds(value):
        entry = re.sub(r"(?m)^short = .*\n?", "", entry)
    return head + name + entry + gap + others


def rewrite(page: str, old: str, new: str) -> None:
    path = ROOT / page
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")


# The measurements: each gives figures by name


class NotHere(Exception):
    """What is needed is missing on this machine."""


def start() -> Found:
    from start import first_bot_move, first_page

    found = {"first-page": min(first_page() for _ in range(3))}
    with tempfile.TemporaryDirectory() as cache:
        found["first-bot-move-new"] = max(first_bot_move(game, cache, "expert")[0] for game in GAMES)
    known = os.environ.get("NUMBA_CACHE_DIR", "")  # see `memory`
    found["first-bot-move"] = max(first_bot_move(game, known, "expert")[0] for game in GAMES)
    return found


def memory() -> Found:
    """The first start fills a cache of compiled code, in which all that is measured later finds it."""
    sys.path.append(str(ROOT / "tests"))
    from memory import started
    from support.databases import Missing

    cache = os.environ["NUMBA_CACHE_DIR"] = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, cache, ignore_errors=True)
    try:
        first, next_one, alone = (started(workers, cache) for workers in (4, 4, 1))
    except Missing as missing:
        raise NotHere(str(missing)) from missing
    return {
        "first-start-memory": first.peak,
        "first-start-cpu": first.cpu,
        "memory-workers": next_one.rest,
        "memory": alone.rest,
    }


def pages() -> Found:
    """Both sides in the same run, by the same load generator."""
    import web
    import web_pages

    web.check_tools()
    peer = web_pages.peer(10)
    ours = web_pages.at_tables(Namespace(game="memoarrrr", postgres=False, database=None), 200, 15)
    return {
        "page-cpu": ours["cpu"],
        "page-kb": ours["bytes"] / ours["moves"] / 1000,
        "page-answer-p99": ours["post"]["p99"],
        "page-stream-p99": ours["stream"]["p99"],
        "peer-p99": peer["stream"]["p99"],
    }


def spectators() -> Found:
    import web
    import web_pages

    web.check_tools()
    watched = web_pages.spectators(Namespace(game="memoarrrr", postgres=False, database=None, seconds=12), 3000)
    if watched["heard"] < watched["spectators"]:
        raise RuntimeError(f"{watched['spectators'] - watched['heard']} spectators did not hear of all moves.")
    return {"health-p99": watched["health"]["p99"]}


def crowd() -> Found:
    import crowd

    chosen = Namespace(game="memoarrrr", tables=200, answers=10, seconds=60)
    with crowd.serving() as url:
        waited, *_ = crowd.waits(url, chosen, chosen.tables, [crowd.CROWD])
    return {"easy-in-a-crowd": max(waited)}


def http() -> Found:
    import web
    from web_servers import MEMORY, OURS, measured

    web.check_tools()
    theirs, ours = (next(iter(measured(side, [(50, 0)], 5, False)))["rate"] for side in (MEMORY, OURS))
    return {"http-moves": ours / theirs}


def plain() -> Found:
    from samovar.bench import PLACES, SEED, Batch, batch_rate, plain_rate
    from samovar.engine.registry import find_game

    def ratio(name: str) -> float:
        game = find_game(name)
        compiled = batch_rate(Batch(game, PLACES, game.seats[0], SEED, threads=1))
        return compiled / plain_rate(game, game.seats[0])

    return {"to-plain": min(map(ratio, GAMES))}


def peers() -> Found:
    from side_by_side.compare import compare

    lines = {
        "to-openspiel": "random play / OpenSpiel in C++",
        "to-pettingzoo": "random play / PettingZoo",
        "steps-to-pettingzoo": "mask, NumPy, step / PettingZoo",
        "to-pgx": "random play / Pgx, 4,096",
    }
    outcomes = {each.line: each for each in compare(only="Connect Four, one core", rounds=3, seconds=0.5)}
    if reasons := {each.reason for each in outcomes.values() if each.reason}:
        raise NotHere(" ".join(sorted(reasons)))
    return {name: outcomes[line].ratio or 0.0 for name, line in lines.items()}


def wasm() -> Found:
    from samovar.bench.wasm import measure_wasm
    from samovar.engine.registry import find_game
    from samovar.testing.wasm import what_is_missing

    if missing := what_is_missing():
        raise NotHere(missing)
    measured = [measure_wasm(find_game(name), rounds=2) for name in GAMES]
    return {f"wasm-{what}": min(one[f"{what}_ratio"] for one in measured) for what in ("rules", "search")}


def played(game: str, seats: int) -> Any:
    """A match of bots."""
    from samovar.bots import make_bot
    from samovar.engine.match import Match

    match = Match(game, seats=seats, seed=1)
    while not match.over:
        seat = match.actors[0]
        match.play(seat, make_bot("easy", match.game, seed=len(match.history)).choose(match.seat(seat)).move)
    return match


def review() -> Found:
    from samovar.insight import review
    from samovar.insight.written import write

    def took(game: str, seats: int) -> float:
        record = played(game, seats).record()
        write(review.review(record, seconds=0.1), with_moments=True)  # what is compiled or loaded then
        began = time.perf_counter()
        write(review.review(record), with_moments=True)
        return time.perf_counter() - began

    return {"review": max(took("matryoshka", 5), took("memoarrrr", 4))}


def hint() -> Found:
    from samovar.engine.match import Match
    from samovar.insight.advice import advise

    def took(game: str, moves: int) -> float:
        match = Match(game, seed=moves)
        match.play_random(1, limit=moves)
        advise(match.seat(match.actors[0]), find=4, simulations=4, looks=1)  # what is compiled or loaded then
        began = time.perf_counter()
        advise(match.seat(match.actors[0]))
        return time.perf_counter() - began

    return {"hint": max(took(game, moves) for game in GAMES for moves in (1, 6, 12))}


def play_on() -> Found:
    from play_on import waits

    return {"play-on": max(max(seconds) for seconds in waits(3).values())}


def lab() -> Found:
    from lab import counted

    return {"lab": max(counted(game, 1_000_000, time.perf_counter)[0] for game in ("memoarrrr", "matryoshka"))}


def tests() -> Found:
    with tempfile.TemporaryDirectory() as folder:
        clone = Path(folder, "samovar")
        subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
        began = time.perf_counter()
        if why := make(clone, ".venv/.test"):
            raise NotHere(f"The packages cannot be installed: {why}")
        if why := make(clone, "test"):
            raise RuntimeError(f"`make test` failed: {why}")
        return {"make-test": (time.perf_counter() - began) / 60}


def make(folder: Path, target: str) -> str:
    """Why it failed, or nothing."""
    inherited = {name: value for name, value in os.environ.items() if name not in NOT_FOR_A_CLONE}
    python = getattr(sys, "_base_executable", sys.executable)
    command = ["make", target, f"PYTHON={python}"]
    done = subprocess.run(
        command, cwd=folder, env=inherited, capture_output=True, text=True, timeout=TEST_LIMIT_S, check=False
    )
    return f"...{(done.stdout + done.stderr).strip()[-600:]}" if done.returncode else ""


NOT_FOR_A_CLONE = {"MAKEFLAGS", "MAKELEVEL", "MFLAGS", "NUMBA_CACHE_DIR", "PYTHONPATH", "SAMOVAR_PLAIN", "VIRTUAL_ENV"}
MEASUREMENTS: dict[str, Callable[[], Found]] = {
    each.__name__: each
    for each in (memory, start, pages, spectators, crowd, http, plain, peers, wasm, review, hint, play_on, lab, tests)
}


# What is said


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="measurements or figures, with commas between them")
    parser.add_argument("--list", action="store_true", help="what there is, without measuring")
    parser.add_argument("--write", action="store_true", help="what was measured into the list and the pages")
    chosen = parser.parse_args()
    _, figures = read_list(LIST.read_text(encoding="utf-8"))
    asked = select(figures, [word for word in chosen.only.split(",") if word])
    if chosen.list:
        sys.exit(tell(asked, {}, {}))
    began, machine = time.monotonic(), machine_now()
    print(machine, flush=True)
    found, missing = measure(asked)
    if chosen.write:
        write({name: found[name] for name in asked if name in found}, "" if chosen.only else machine)
    short = tell(asked, found, missing)
    took = (time.monotonic() - began) / 60
    late = f", which is LONGER than {LONGEST_MINUTES}" if took > LONGEST_MINUTES else ""
    print(f"{took:.1f} minutes{late}; load average {os.getloadavg()[0]:.1f} at the end.")
    sys.exit(short)


def select(figures: dict[str, Figure], words: list[str]) -> dict[str, Figure]:
    if unknown := {*words} - {*figures} - {*MEASUREMENTS}:
        sys.exit(f"Neither a figure nor a measurement: {', '.join(sorted(unknown))}. `--list` has them.")
    return {name: one for name, one in figures.items() if not words or {name, one.by} & {*words}}


def machine_now() -> str:
    """Seconds of two machines can be compared by what plain Python takes on each."""
    today = f"{date.today():%d %B %Y}".lstrip("0")
    is_optimised = "--enable-optimizations" in (sysconfig.get_config_var("CONFIG_ARGS") or "")
    built = "" if is_optimised else " built without optimisation"
    return (
        f"{today}, {os.cpu_count()} cores of {platform.machine()}, Python {platform.python_version()}{built} "
        f"({yardstick():.0f} ms for the yardstick), load average before it {os.getloadavg()[0]:.1f}."
    )


def yardstick() -> float:
    """Milliseconds of CPU for the same piece of plain Python everywhere: calls, numbers, texts, a dictionary."""

    def fibonacci(n: int) -> int:
        return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)

    def once(_: int) -> float:
        began = time.process_time()
        fibonacci(23)
        known = {str(number): number for number in range(100_000)}
        "".join(f"{text}={number};" for text, number in known.items())
        return time.process_time() - began

    return 1000 * min(map(once, range(5)))


def measure(asked: dict[str, Figure]) -> tuple[Found, dict[str, str]]:
    """What was found, and why the rest was not: each measurement once, told as it comes."""
    found: Found = {}
    missing: dict[str, str] = {}
    for by in dict.fromkeys(one.by for one in asked.values()):
        names = [name for name, one in asked.items() if one.by == by]
        began = time.monotonic()
        try:
            found |= MEASUREMENTS[by]()
        except (NotHere, SystemExit) as error:
            missing |= dict.fromkeys(names, f"not measured: {error}")
        except Exception as error:  # the others are worth having all the same
            missing |= dict.fromkeys(names, f"FAILED: {type(error).__name__}: {error}")
        results = (f"{name} {shown(found[name])}" if name in found else f"{name} {missing[name]}" for name in names)
        print(f"{by}, {time.monotonic() - began:.0f} s: {', '.join(results)}", flush=True)
    return found, missing


def tell(asked: dict[str, Figure], found: Found, missing: dict[str, str]) -> int:
    """All in a table, then what falls short; 1 if anything does."""
    row = "{:<22}{:<20}{:>8}{:>8}{:>14}  {}".format
    print("\n" + row("figure", "bound", "now", "last", "before", "what, and the pages that quote it"))
    for name, one in asked.items():
        now = shown(found[name]) if name in found else "-"
        told = f"{one.what} ({', '.join(dict.fromkeys((*one.quoted, TABLE_PAGE)))})"
        print(row(name, one.bound_text, now, shown(one.last), one.before, told))
    short = [*complaints(asked, found, missing)]
    print("\n" + "\n".join(short or (["Nothing falls short."] if found else [])))
    return any("SHORT" in line or "FAILED" in line for line in short)


def complaints(asked: dict[str, Figure], found: Found, missing: dict[str, str]) -> Iterator[str]:
    for name, one in asked.items():
        if name in missing:
            yield f"{name} {missing[name]}"
        elif name in found and not one.holds(found[name]):
            yield f"{name} is SHORT: {one.with_unit(f'{found[name]:,.3g}')}, {one.bound_text}. {one.short}".strip()


if __name__ == "__main__":
    main()
