"""How often the chances of `samovar.estimate` come true, and the numbers that make them so.

    python benchmarks/calibration.py [--fit 30] [--by search] [--write] [GAME:SEATS:MATCHES ...]

Plays matches between equal bots, every second one by the usual options, the others by any; asks at
some moments of each what every seat may expect; and prints for the matches that were not fitted how
often what was expected came so, by tenths, with an interval from matches (positions of one match are
not independent), and how much is known beside knowing nothing. `--write` fits the first 30 of 100 matches
and writes `calibration.json` into the games' folders; without it the numbers that are there are measured.
Matches and guesses are kept in the folder: the same command goes on where it was.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import Any

os.environ["SAMOVAR_THREADS"] = "1"

import numpy as np

from samovar.bots import make_bot
from samovar.engine.contract import Game, Options
from samovar.engine.heuristics import CERTAIN
from samovar.engine.match import Match
from samovar.engine.registry import find_game
from samovar.engine.seat import Seat
from samovar.engine.ways.backend import backend
from samovar.engine.ways.stand_ins import NO_MOVE
from samovar.insight import calibration
from samovar.insight.calibration import Calibration, Guess, calibration_of, features, outcomes, softmax, usual_shares
from samovar.insight.estimate import NETWORK, SEARCH, SOURCES, USUAL, Budget, source_of

TABLES = ("memoarrrr:2:2500", "varvitikud:2:3400", "babuschka:2:1000", "matryoshka:3:1000")
WORLDS = 32  # in which the game's own evaluation is asked
PENALTY = 1.0  # on the squares of what is fitted, as so many positions would weigh
TENTHS = 10


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", nargs="*", default=TABLES, metavar="GAME:SEATS:MATCHES")
    parser.add_argument("--fit", type=int, default=30, help="of 100 matches so many are for fitting, the first ones")
    parser.add_argument("--moments", type=int, default=2, help="in each match; all seats are asked")
    parser.add_argument("--bot", default="search:300")
    parser.add_argument("--by", choices=SOURCES, default=SEARCH)
    parser.add_argument("--write", action="store_true", help="fit anew and write calibration.json")
    parser.add_argument("--folder", type=Path, default=Path("build/calibration"))
    chosen = parser.parse_args()
    chosen.folder.mkdir(parents=True, exist_ok=True)
    measured = []
    for table in chosen.tables:
        name, seats, count = table.split(":")
        game = find_game(name)
        rows = list(guesses(chosen, game, int(seats), int(count)))
        first = int(count) * chosen.fit // 100
        if chosen.write:
            write(chosen, game, int(seats), table, [row for row in rows if row["seed"] < first])
        fresh = [row for row in rows if row["seed"] >= first]
        if fresh:
            measured.append(report(game, int(seats), chosen.by, fresh))
    if len(measured) > 1:
        print("\nAll together, the chance to come first:")
        table_of(*(np.concatenate(column) for column in zip(*measured, strict=True)))


# Matches and guesses, each kept in a file of lines


def kept(path: Path) -> dict[int, Any]:
    """The lines of a file by seed; one that was cut off in the middle is made again."""
    found = {}
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        try:
            found[json.loads(line)["seed"]] = json.loads(line)
        except json.JSONDecodeError:
            continue
    return found


def matches(chosen: argparse.Namespace, game: Game, seats: int, count: int) -> Iterator[Match]:
    path = chosen.folder / f"{game.id}-{seats}.jsonl"
    old = kept(path)
    start = time.perf_counter()
    with path.open("a", encoding="utf-8") as file:
        for seed in range(count):
            match = Match(game, seats, seed, **options_of(game, seats, seed))
            if seed in old:
                for seat, move in old[seed]["history"]:
                    match.play(seat, move)
            else:
                play(match, chosen.bot, seed)
                print(json.dumps({"seed": seed, "history": match.history}), file=file, flush=True)
            yield match
    print(f"{game.id}:{seats}: {time.perf_counter() - start:.0f} s", file=sys.stderr, flush=True)


def options_of(game: Game, seats: int, seed: int) -> Options:
    variants = [options for count, options in game.variants() if count == seats]
    return variants[int(np.random.default_rng([seed, 77]).integers(len(variants)))] if seed % 2 else {}


def play(match: Match, bot: str, seed: int) -> None:
    bots = [make_bot(bot, match.game, seed * 8 + number) for number in range(match.seats)]
    while not match.over:
        seat = match.actors[0]
        match.play(seat, bots[seat].choose(match.seat(seat)).move)
        bots[seat].close()  # thinks about each move anew


def guesses(chosen: argparse.Namespace, game: Game, seats: int, count: int) -> Iterator[dict[str, Any]]:
    """One row for each seat at each moment: what was guessed, and what came of it."""
    path = chosen.folder / f"{game.id}-{seats}-{chosen.by}.jsonl"
    old = kept(path)
    with path.open("a", encoding="utf-8") as file:
        for seed, match in enumerate(matches(chosen, game, seats, count)):
            rows = old[seed]["rows"] if seed in old else list(guesses_in(match, seed, chosen))
            if seed not in old:
                print(json.dumps({"seed": seed, "rows": rows}), file=file, flush=True)
            yield from rows


def guesses_in(match: Match, seed: int, chosen: argparse.Namespace) -> Iterator[dict[str, Any]]:
    choose = np.random.default_rng([seed, 5])
    length = len(match.history)
    for at in sorted(choose.choice(length, size=min(chosen.moments, length), replace=False).tolist()):
        for number in range(match.seats):
            seat = match.at(at).seat(number)
            draw = int(choose.integers(2**62))
            guess = source_of(seat, chosen.by, Budget(), draw).guess(NO_MOVE)
            yield {
                "seed": seed,
                "chances": guess.chances.tolist(),
                "thought": guess.thought,
                "counted": guess.counted,
                "evaluation": evaluation(seat, draw),
                "place": match.places[number],
                "tied": match.places.count(match.places[number]) - 1,
            }


def evaluation(seat: Seat, draw: int) -> float:
    """What the game's own evaluation says, over some imagined worlds."""
    ready = backend(seat.game)
    worlds = np.repeat(seat.imagine(0).states, WORLDS)
    ready.determinize(worlds, seat.number, draw + np.arange(WORLDS))
    shares = np.zeros((WORLDS, seat.seats), np.int64)
    ready.evaluate(worlds, shares)
    return float(shares[:, seat.number].mean() / CERTAIN)


# Fitting


def laid_out(rows: list[dict[str, Any]], seats: int) -> tuple[Any, Any]:
    """What is weighed, by position and outcome, and which outcome came."""
    shares = usual_shares(seats, seats - 1)
    weighed = [
        features(Guess(np.array(row["chances"]), shares, row["thought"], row["counted"]), shares) for row in rows
    ]
    number = {outcome: k for k, outcome in enumerate(outcomes(seats))}
    return np.array(weighed), np.array([number[row["place"], row["tied"]] for row in rows])


def fit(rows: list[dict[str, Any]], seats: int) -> Calibration:
    """The numbers with which the outcomes that came are most likely, by Newton's method. What was
    counted or thought may weigh nothing, but never speak against itself."""
    weighed, came = laid_out(rows, seats)
    count = len(outcomes(seats))
    shifts = np.broadcast_to(np.eye(count), (len(rows), count, count))
    everything = np.concatenate([weighed, shifts], axis=2)
    used = list(range(everything.shape[2]))
    while True:
        numbers = most_likely(everything[:, :, used], came)
        against = [k for k in used if k < weighed.shape[2] and numbers[used.index(k)] < 0]
        if not against:
            break
        used.remove(against[0])
    found = np.zeros(everything.shape[2])
    found[used] = numbers
    rounded = tuple(round(float(number), 4) for number in found)
    return Calibration(rounded[:seats], rounded[seats], rounded[seats + 1], rounded[seats + 2 :])


def most_likely(weighed: Any, came: Any) -> Any:
    """Steps are halved until they lead upwards: the way to the only summit is not everywhere like a bowl."""

    def height(numbers: Any) -> float:
        likely = softmax(weighed @ numbers)[np.arange(len(came)), came]
        return float(np.log(np.maximum(likely, 1e-300)).sum() - PENALTY * (numbers**2).sum() / 2)

    numbers = np.zeros(weighed.shape[2])
    right = weighed[np.arange(len(came)), came].sum(axis=0)
    for _ in range(100):
        chances = softmax(weighed @ numbers)
        expected = np.einsum("ij,ijk->ik", chances, weighed)
        slope = right - expected.sum(axis=0) - PENALTY * numbers
        curve = np.einsum("ij,ijk,ijl->kl", chances, weighed, weighed, optimize=True) - expected.T @ expected
        step = np.linalg.solve(curve + PENALTY * np.eye(len(numbers)), slope)
        while height(numbers + step) < height(numbers) and np.abs(step).max() > 1e-9:
            step /= 2
        numbers += step
        if np.abs(step).max() < 1e-7:
            break
    return numbers


def write(chosen: argparse.Namespace, game: Game, seats: int, table: str, rows: list[dict[str, Any]]) -> None:
    """Into the game's folder, beside what is there for other numbers of seats."""
    path = Path(game.folder) / calibration.FILE
    written = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    if written.get("rules") != game.version:
        written = {"rules": game.version, "seats": {}}
    fitted = fit(rows, seats)
    written["seats"].setdefault(str(seats), {})[chosen.by] = {
        **asdict(fitted),
        "simulations": USUAL if chosen.by != NETWORK else 0,
        "bots": chosen.bot,
        "matches": len({row["seed"] for row in rows}),
        "positions": len(rows),
        "date": date.today().isoformat(),
        "command": f"python benchmarks/calibration.py --fit {chosen.fit} --by {chosen.by} --bot {chosen.bot} "
        f"--moments {chosen.moments} --write {table}",
    }
    path.write_text(json.dumps(written, indent=1) + "\n", encoding="utf-8")
    calibration._read.cache_clear()


# Measuring


def report(game: Game, seats: int, by: str, rows: list[dict[str, Any]]) -> tuple[Any, Any, Any]:
    """Tables of one game; returns the chances to come first, whether it came so, and the matches."""
    weighed, came = laid_out(rows, seats)
    fitted = calibration_of(game, seats, by)
    counted = np.array([row["chances"] for row in rows])
    said = softmax(weighed @ fitted.weights + np.array(fitted.shift)) if fitted else counted
    of = np.array([[outcome.place == place for outcome in outcomes(seats)] for place in range(1, seats + 1)], float).T
    shares = usual_shares(seats, seats - 1)
    place = np.array([row["place"] for row in rows])
    match = np.array([f"{game.id}{row['seed']}" for row in rows])
    print(f"\n{game.name}, {seats} seats: {len(rows)} positions of {len(set(match))} matches, {fitted or 'as counted'}")
    # A last-moment count of 0 is not held for impossible, or the loss would be endless.
    smooth = (counted @ of * USUAL + calibration.SMOOTHING) / (USUAL + calibration.SMOOTHING * seats)
    judged = np.array([row["evaluation"] for row in rows])
    ways = {
        "equal chances": (np.full((len(rows), seats), 1 / seats), np.full(len(rows), 0.5)),
        "the game's evaluation": (np.stack([judged, 1 - judged], axis=1) if seats == 2 else None, judged),
        "as counted": (smooth, counted @ shares),
        "calibrated": (said @ of, said @ shares),
    }
    print(f"{'':<24}{'log loss':>10}{'Brier':>10}{'share, error squared':>24}")
    for name, (places, share) in ways.items():
        cells = " " * 20 if places is None else f"{log_loss(places, place):>10.4f}{brier(places, place):>10.4f}"
        print(f"{name:<24}{cells}{((share - shares[came]) ** 2).mean():>24.4f}")
    first = (said @ of)[:, 0]
    print("the chance to come first:")
    table_of(first, place == 1, match)
    if seats > 2:
        print("the chance of each place:")
        each = (said @ of).ravel()
        table_of(each, (place[:, None] == np.arange(1, seats + 1)).ravel(), np.repeat(match, seats))
    print("the share, as if it were a chance:")
    table_of(said @ shares, shares[came], match)
    return first, place == 1, match


def log_loss(places: Any, place: Any) -> float:
    return float(-np.log(np.clip(places[np.arange(len(place)), place - 1], 0.001, None)).mean())


def brier(places: Any, place: Any) -> float:
    came = place[:, None] == np.arange(1, places.shape[1] + 1)
    return float(((places - came) ** 2).sum(axis=1).mean())


def table_of(said: Any, came: Any, match: Any) -> None:
    print("| said | positions | matches | said on average | came so | difference | 95 % |")
    print("|---|---|---|---|---|---|---|")
    for tenth in range(TENTHS):
        here = np.minimum((said * TENTHS).astype(int), TENTHS - 1) == tenth
        if not here.any():
            continue
        off = came[here] - said[here]
        _, of_match = np.unique(match[here], return_inverse=True)
        sums = np.bincount(of_match, off)
        around = 1.96 * math.sqrt((sums**2).sum()) / here.sum()
        cells = (f"{10 * tenth} to {10 * tenth + 10} %", here.sum(), len(sums), f"{100 * said[here].mean():.1f} %",
                 f"{100 * came[here].mean():.1f} %", f"{100 * off.mean():+.1f}", f"± {100 * around:.1f}")  # fmt: skip
        print("| " + " | ".join(map(str, cells)) + " |")


if __name__ == "__main__":
    main()
