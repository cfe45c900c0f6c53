"""How fast rules and search run as WebAssembly, in Node, beside the CPU in the same run; and how large a module is.

Both sides play the same matches and search the same positions, on one thread. Random matches without end are in no
module for browsers, so they are measured in one of their own.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from samovar.bench.own import ENOUGH_S, PLACES, SEED, row
from samovar.bots.search import Tree
from samovar.engine.arrays import Array
from samovar.engine.batch import Batch
from samovar.engine.chance import RNG_WORDS
from samovar.engine.contract import Game
from samovar.engine.match import Match
from samovar.engine.ways.backend import backend
from samovar.engine.ways.kernels import endless_one
from samovar.engine.ways.stand_ins import observation_size
from samovar.engine.ways.wasm import ROOM, Address, compile_wasm, int8s_at, int32s_at, int64s_at, setups_at, states_at
from samovar.json_types import JsonObject
from samovar.testing.wasm import run_node
from samovar.wasm.facts import facts_of
from samovar.wasm.search import ALL_ENTRIES

DRIVER = Path(__file__).with_name("wasm.mjs")
SIMULATIONS = 4_096  # of one search
EVERY = 7  # moves between two positions
POSITIONS = 8
ROUNDS, RUNS = 5, 2


def play_endless_entry(
    states: Address,
    count: int,
    setup: Address,
    seeds: Address,
    steps: Address,
    rng: Address,
    out: Address,
    seen: Address,
) -> None:
    """Random matches one after another, see `kernels`; all of one setup."""
    for i in range(count):
        endless_one(
            states_at(states, count)[i],
            0,
            setups_at(setup, 1),
            int64s_at(seeds, count)[i:],
            int64s_at(steps, count)[i:],
            int64s_at(rng, RNG_WORDS),
            int32s_at(out, ROOM),
            int8s_at(seen, observation_size()),
        )


def measure_wasm(game: Game, rounds: int = ROUNDS) -> JsonObject:
    """Moves a second of random matches and simulations a second of the search, with the fewest seats, and how they
    compare. The sides take turns and the ratio is the median over the rounds: a machine that is shared, or saves
    power, runs now at one speed and now at another."""
    seats = game.seats[0]
    setup = [int(number) for number in game.setup(seats, game.check_options(seats, {}))[0]]
    positions = _positions(game, seats)
    module = compile_wasm(game, ALL_ENTRIES)
    facts = facts_of(game)
    job = {"facts": facts, "setup": setup, "longest_row": game.longest_row, "enough_s": ENOUGH_S, "runs": RUNS}
    rules = {**job, "what": "rules", "seed": SEED, "places": PLACES, "most": 1 << 30}
    search = {
        **job,
        "what": "search",
        "room": 2 * SIMULATIONS + 2,
        "most": SIMULATIONS,
        "tuning": facts["tuning"],
        "positions": [{"known": known.tobytes().hex(), "seat": seat} for known, seat in positions],
    }
    endless = compile_wasm(game, {"play_endless": play_endless_entry})
    sides: dict[str, Callable[[], int]] = {
        "rules_cpu": lambda: _best(_play(Batch(game, PLACES, seats, SEED, threads=1)), 1 << 30),
        "rules_wasm": lambda: _in_node(endless, rules),
        "search_cpu": lambda: _best(_search(game, positions), SIMULATIONS),
        "search_wasm": lambda: _in_node(module, search),
    }
    made = [{name: measure() for name, measure in sides.items()} for _ in range(rounds)]
    figures: JsonObject = {name: round(median(one[name] for one in made)) for name in sides}
    for what in ("rules", "search"):
        figures[f"{what}_ratio"] = median(one[f"{what}_wasm"] / one[f"{what}_cpu"] for one in made)
    return {**figures, "bytes": len(module)}


def _positions(game: Game, seats: int) -> list[tuple[Array, int]]:
    """Worlds as somebody who is to act imagines them, all along a random match."""
    positions: list[tuple[Array, int]] = []
    match = Match(game, seats, SEED)
    while len(positions) < POSITIONS:
        match.play_random(SEED + len(positions), EVERY)
        if match.over:
            match = Match(game, seats, SEED + len(positions))
        seat = match.actors[0]
        positions.append((match.imagine(seat, 0).states, seat))
    return positions


def _play(batch: Batch) -> Callable[[int], int]:
    return lambda count: batch.play_endless(count)


def _search(game: Game, positions: list[tuple[Array, int]]) -> Callable[[int], int]:
    ready = backend(game, plain=False)

    def search(count: int) -> int:
        for known, seat in positions:
            tree = Tree(ready, 2 * SIMULATIONS + 2, game.heuristics.tuning)
            tree.plant(known, seat, 0)
            tree.grow(count)
        return count * len(positions)

    return search


def _best(work: Callable[[int], int], most: int) -> int:
    """As `rate` in wasm.mjs."""
    count, rates = 64, list[float]()
    while len(rates) < RUNS:
        start = time.thread_time()
        done = work(count)
        elapsed = time.thread_time() - start
        if elapsed < ENOUGH_S and count < most:
            count = min(2 * count, most)
            continue
        rates.append(done / elapsed)
    return round(max(rates))


def _in_node(module: bytes, job: JsonObject) -> int:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "game.wasm")
        path.write_bytes(module)
        return round(float(run_node(DRIVER, {**job, "wasm": str(path)})["rate"]))


def wasm_table(measured: dict[str, JsonObject], head: bool = True) -> str:
    """The figures as lines of text, rates in thousands a second."""
    names = ("rules, cpu", "rules, wasm", "ratio", "search, cpu", "search, wasm", "ratio", "bytes")
    lines = [row("thousand/s", names)] if head else []
    for game_id, figures in measured.items():
        cells = []
        for what in ("rules", "search"):
            rates = (f"{figures[f'{what}_{side}'] / 1000:,.0f}" for side in ("cpu", "wasm"))
            cells += [*rates, f"{figures[f'{what}_ratio']:.2f}"]
        lines.append(row(game_id, (*cells, f"{figures['bytes']:,}")))
    return "\n".join(lines)
