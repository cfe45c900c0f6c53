"""Our search against OpenSpiel's own information-set search, which plays through the adapter, with
equal time for a move.

    python benchmarks/against_openspiel.py [--seconds 1] [--matches 100] [--processes N] [--out
    FILE] [--bot master] [GAME ...]

Two seats, one thread each side, the same deals with the seats swapped. OpenSpiel's search is
`open_spiel.python.algorithms.ismcts`; the one in C++ cannot resample Python games. That one does not
play games without secrets (Babuschka): there it is `mcts`, which sees as much. It is told a
number of simulations, not a time, so the number is set before every move by how fast it has been,
for a little more time than ours takes on the average; both means are in the table. Its rollouts are
its own `RandomRolloutEvaluator`, or, with `--rollouts compiled`, random rollouts played by our
compiled rules, which gives it several times as many simulations.

Every match is a line of the JSON-lines file, and those that are there are not played again: a run
can be stopped and resumed, several machines can play a part each (`--part 2/3`), and their files
joined with `cat`. `--table` plays nothing and prints the table of a file. `--speed` measures the
adapter instead: random moves per second in a loop in Python and in one in C++, beside games of
OpenSpiel's own.

Needs `open_spiel`; samovar need not be installed, its folder and its dist-info on `PYTHONPATH` will
do.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import platform
import random
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from functools import cache, partial
from math import sqrt
from pathlib import Path
from typing import Any

os.environ["SAMOVAR_THREADS"] = "1"
os.environ["OMP_NUM_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np
import pyspiel
from open_spiel.python.algorithms import ismcts, mcts

import samovar
from samovar.bots import make_bot, tree
from samovar.engine.registry import find_game
from samovar.envs import openspiel

GAMES = ("babuschka", "memoarrrr", "varvitikud")
SEATS = 2
FIRST_DEAL = 1
GENEROUS = 1.02  # OpenSpiel's time for a move, by ours
FINAL = {"visits": ismcts.ISMCTSFinalPolicyType.MAX_VISIT_COUNT, "value": ismcts.ISMCTSFinalPolicyType.MAX_VALUE}
PEERS = ("connect_four", "tic_tac_toe", "python_tic_tac_toe", "python_kuhn_poker")


@dataclass(frozen=True)
class Setting:
    """How matches are played; those of one setting are counted together."""

    game: str
    seconds: float
    rollouts: str
    uct: float
    final: str
    bot: str = "search"  # ours


@dataclass
class Side:
    """What one side has spent on moves where it had a choice."""

    moves: int = 0
    seconds: float = 0.0
    simulations: int = 0

    @property
    def mean(self) -> float:
        return self.seconds / max(self.moves, 1)

    def add(self, seconds: float, simulations: int) -> None:
        self.moves += 1
        self.seconds += seconds
        self.simulations += simulations


class Ours:
    def __init__(self, setting: Setting, seed: int) -> None:
        self.spent = Side()
        self._bot: Any = make_bot(f"{setting.bot}:{setting.seconds}s", find_game(setting.game), seed)

    def choose(self, match: samovar.Match, seat: int) -> int:
        start = time.perf_counter()
        move: int = self._bot.choose(match.seat(seat)).move
        self.spent.add(time.perf_counter() - start, sum(int(grown.orders[tree.END]) for grown in self._bot._trees))
        return move


class Theirs:
    def __init__(self, setting: Setting, game: Any, seed: int) -> None:
        self.spent = Side()
        self._seconds = setting.seconds
        self._rate = 0.0  # simulations per second, lately
        chance = np.random.RandomState(seed)
        rollouts = (
            openspiel.CompiledRollouts(1, seed)
            if setting.rollouts == "compiled"
            else mcts.RandomRolloutEvaluator(1, chance)
        )
        kinds = pyspiel.GameType.Information
        self._is_open = game.get_type().information == kinds.PERFECT_INFORMATION  # then ISMCTS refuses to play
        self._bot: Any = (
            mcts.MCTSBot(game, setting.uct, 1, rollouts, random_state=chance)
            if self._is_open
            else ismcts.ISMCTSBot(
                game, rollouts, setting.uct, 1, random_state=chance, final_policy_type=FINAL[setting.final]
            )
        )

    def choose(self, state: Any, ours: Side) -> int:
        """A move, with as much time as makes the mean right: a little more than ours. Never less
        than half of that, nor more than twice."""
        if not self._rate:
            self._rate = self._search(state, 8)[1]
        fair = GENEROUS * max(self._seconds, ours.mean)
        due = fair * (self.spent.moves + 1) - self.spent.seconds
        wanted = min(max(due, fair / 2), 2 * fair)
        start = time.perf_counter()
        move, self._rate = self._search(state, max(int(self._rate * wanted), 2))
        self.spent.add(time.perf_counter() - start, self._simulations)
        return move

    def _search(self, state: Any, simulations: int) -> tuple[int, float]:
        self._simulations = simulations
        setattr(self._bot, "max_simulations" if self._is_open else "_max_simulations", simulations)
        start = time.perf_counter()
        move = int(self._bot.step(state))
        return move, simulations / (time.perf_counter() - start)


def play(setting: Setting, number: int) -> dict[str, Any]:
    """A match; the even ones have us in seat 0, and the next one has the same deal."""
    warm_up(setting.game, setting.bot)
    deal, our_seat = divmod(number, 2)
    seed = FIRST_DEAL + deal
    game = load(setting.game, seed)
    match, state = samovar.Match(setting.game, SEATS, seed), game.new_initial_state()
    state.apply_action(0)
    ours, theirs = Ours(setting, number), Theirs(setting, game, number)
    while not match.over:
        seat = state.current_player()
        legal = match.legal(seat)
        move = (
            legal[0]
            if len(legal) == 1
            else ours.choose(match, seat)
            if seat == our_seat
            else theirs.choose(state, ours.spent)
        )
        match.play(seat, move)
        state.apply_action(move)
    assert state.is_terminal()
    return {
        **asdict(setting),
        "number": number,
        "our_return": state.returns()[our_seat],
        "scores": match.scores,
        "length": len(match.history),
        "ours": asdict(ours.spent),
        "theirs": asdict(theirs.spent),
        "machine": f"{platform.machine()}, Python {platform.python_version()}, OpenSpiel {pyspiel.__version__}",
    }


def load(game: str, seed: int) -> Any:
    return pyspiel.load_game(f"samovar_{game}(seats={SEATS},deals=1,seed={seed})")


@cache
def warm_up(game: str, bot: str) -> None:
    """What is compiled or loaded on first use costs neither side any time."""
    setting = Setting(game, 0.001, "compiled", 2.0, "visits", bot)
    match = samovar.Match(game, SEATS, FIRST_DEAL)
    Ours(setting, 0).choose(match, match.actors[0])
    state = load(game, FIRST_DEAL).new_initial_state()
    state.apply_action(0)
    Theirs(setting, state.get_game(), 0).choose(state, Side())


# Results


@dataclass
class Tally:
    won: int = 0
    lost: int = 0
    tied: int = 0
    moves: int = 0
    sides: tuple[Side, Side] = field(default_factory=lambda: (Side(), Side()))

    def count(self, result: dict[str, Any]) -> None:
        self.won += result["our_return"] > 0
        self.lost += result["our_return"] < 0
        self.tied += result["our_return"] == 0
        self.moves += result["length"]
        for side, figures in zip(self.sides, (result["ours"], result["theirs"]), strict=True):
            for name, value in figures.items():
                setattr(side, name, getattr(side, name) + value)

    def row(self, setting: Setting) -> str:
        decided, played = self.won + self.lost, self.won + self.lost + self.tied
        share = f"{100 * self.won / decided:.0f} %" if decided else "-"
        low, high = interval(self.won, decided)
        search = f"{setting.rollouts} rollouts, c {setting.uct:g}, most {setting.final}"
        times = [f"{side.mean:.3f}" for side in self.sides]
        simulations = [f"{side.simulations / max(side.moves, 1):,.0f}" for side in self.sides]
        cells = [
            find_game(setting.game).name,
            f"`{setting.bot}`",
            search,
            played,
            self.won,
            self.lost,
            self.tied,
            share,
            f"{100 * low:.0f} to {100 * high:.0f} %",
            f"{self.moves / played:.0f}",
            *simulations,
            *times,
        ]
        return "| " + " | ".join(map(str, cells)) + " |"


def interval(won: int, decided: int, z: float = 1.96) -> tuple[float, float]:
    """Wilson's 95 % interval of a share."""
    if not decided:
        return 0.0, 1.0
    share, shrink = won / decided, 1 + z * z / decided
    middle = (share + z * z / (2 * decided)) / shrink
    width = z * sqrt(share * (1 - share) / decided + z * z / (4 * decided * decided)) / shrink
    return max(middle - width, 0.0), min(middle + width, 1.0)


def read(path: Path) -> Iterator[tuple[Setting, dict[str, Any]]]:
    """The matches of a file; one that was written twice counts once, and a last line that was cut
    off does not."""
    seen = set()
    for line in path.read_text().splitlines() if path.exists() else ():
        try:
            result = json.loads(line)
        except ValueError:
            continue
        setting = Setting(**{name: result[name] for name in Setting.__dataclass_fields__ if name in result})
        if (setting, result["number"]) not in seen:
            seen.add((setting, result["number"]))
            yield setting, result


def print_table(results: Iterable[tuple[Setting, dict[str, Any]]]) -> None:
    tallies: dict[Setting, Tally] = {}
    for setting, result in results:
        tallies.setdefault(setting, Tally()).count(result)
    for seconds in sorted({setting.seconds for setting in tallies}):
        print(f"\n{seconds:g} s a move, one thread each; moves with a choice only.\n")
        print(
            "| game | our bot | OpenSpiel's search | matches | won | lost | tied | won of decided | 95 % "
            "| moves a match | simulations a move, ours "
            "| theirs | s a move, ours | theirs |"
        )
        print("|---" * 14 + "|")
        for setting, tally in tallies.items():
            if setting.seconds == seconds:
                print(tally.row(setting))


def play_all(jobs: list[tuple[Setting, int]], processes: int, out: Path) -> None:
    for game, bot in {(setting.game, setting.bot) for setting, _ in jobs}:
        warm_up(game, bot)  # compiled once, found on disk by the others
    mend(out)
    with out.open("a") as file, multiprocessing.get_context("spawn").Pool(processes) as pool:
        for done, result in enumerate(pool.imap_unordered(partial(star, play), jobs), 1):
            file.write(json.dumps(result) + "\n")
            file.flush()
            outcome = {1: "won", 0: "tied", -1: "lost"}[int(np.sign(result["our_return"]))]
            sides = [result[side] for side in ("ours", "theirs")]
            spent = ", ".join(
                f"{side['seconds'] / max(side['moves'], 1):.3f} s {side['simulations'] / max(side['moves'], 1):,.0f}"
                for side in sides
            )
            print(
                f"{done}/{len(jobs)} {result['game']} {result['number']}: {outcome} in {result['length']} moves "
                f"({spent} a move)",
                flush=True,
            )


def mend(out: Path) -> None:
    """Ends a line that was cut off, so that the next one is a line of its own."""
    if out.exists() and out.stat().st_size and not out.read_bytes().endswith(b"\n"):
        with out.open("a") as file:
            file.write("\n")


def star(function: Any, arguments: tuple[Any, ...]) -> Any:
    return function(*arguments)


# Speed of the adapter


def print_speed(seconds: float) -> None:
    print(
        "| game | moves a match | moves/s, loop in Python | moves/s, loop in C++ | rollouts/s by C++ "
        "|\n|---|---|---|---|---|"
    )
    import open_spiel.python.games  # noqa: F401  registers those written in Python

    for name in (*PEERS, *(f"samovar_{game}" for game in samovar.game_ids())):
        game = pyspiel.load_game(name)
        python_loop(game, 0.01)
        rate, length = python_loop(game, seconds)
        cells = [
            name,
            f"{length:.1f}",
            *(f"{value:,.0f}" for value in (rate, length * cpp_loop(game, seconds), rollouts(game, seconds))),
        ]
        print("| " + " | ".join(cells) + " |", flush=True)


def python_loop(game: Any, seconds: float) -> tuple[float, float]:
    """Random moves per second of CPU time, and the moves of a match."""
    choose = random.Random(1)
    moves = matches = 0
    start = time.process_time()
    while time.process_time() - start < seconds:
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(choose.choice(state.chance_outcomes())[0])  # in these games all are equally likely
            else:
                state.apply_action(choose.choice(state.legal_actions()))
                moves += 1
        matches += 1
    return moves / (time.process_time() - start), moves / matches


def cpp_loop(game: Any, seconds: float) -> float:
    """Matches per second between OpenSpiel's C++ random bots."""
    bots = [pyspiel.make_uniform_random_bot(player, 1) for player in range(game.num_players())]
    matches = 0
    start = time.process_time()
    while time.process_time() - start < seconds:
        pyspiel.evaluate_bots(game.new_initial_state(), bots, matches)
        matches += 1
    return matches / (time.process_time() - start)


def rollouts(game: Any, seconds: float) -> float:
    """Rollouts per second of the C++ `RandomRolloutEvaluator`, one for each simulation of the C++
    MCTS. (Its `step` gives up Python's lock and then crashes on games written in Python,
    OpenSpiel's own too; `mcts_search` does not.)"""
    simulations = 50
    bot = pyspiel.MCTSBot(game, pyspiel.RandomRolloutEvaluator(1, 1), 2.0, simulations, 100, False, 1, False)
    state = game.new_initial_state()
    while state.is_chance_node():
        state.apply_action(state.legal_actions()[0])
    searches = 0
    start = time.process_time()
    while time.process_time() - start < seconds:
        bot.mcts_search(state)
        searches += 1
    return searches * simulations / (time.process_time() - start)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", default=GAMES)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--matches", type=int, default=100)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("against_openspiel.jsonl"))
    parser.add_argument("--part", default="1/1", help="2/3: the second of three parts")
    parser.add_argument("--rollouts", choices=("own", "compiled"), default="own")
    parser.add_argument("--uct", type=float, default=2.0)
    parser.add_argument("--final", choices=tuple(FINAL), default="visits")
    parser.add_argument("--bot", default="search", help="ours: search, or a level, such as master")
    parser.add_argument("--table", action="store_true", help="only print the table of the file")
    parser.add_argument("--speed", action="store_true", help="only measure how fast the adapter is")
    chosen = parser.parse_args()
    if chosen.speed:
        print_speed(chosen.seconds)
        return
    if not chosen.table:
        part, parts = map(int, chosen.part.split("/"))
        done = {(setting, result["number"]) for setting, result in read(chosen.out)}
        settings = (chosen.seconds, chosen.rollouts, chosen.uct, chosen.final, chosen.bot)
        jobs = [
            (Setting(game, *settings), number)
            for number in range(chosen.matches)
            for game in chosen.games
            if number // 2 % parts == part - 1
        ]
        play_all([job for job in jobs if job not in done], chosen.processes, chosen.out)
    print_table(read(chosen.out))


if __name__ == "__main__":
    sys.exit(main())
