"""How strong `master` is with other numbers: one seat of every deal against another bot in the others.

    python benchmarks/master.py GAME [--set explore=1200 --set widen=16] [--budget 400] [--network FILE]
        [--against expert-2026] [--deals 50] [--seats N] [--seed 1] [--workers 2] [--stand-in]

`--set` changes a number of the game's `Guidance` (`engine/heuristics.py`), `--budget` is what follows the
colon of `master:400` or `master:0.5s`. Every deal is played once from each seat. `won`: of the seats it met
in decided pairs, how many it left behind, with a 95 % interval over deals; ties are counted apart. `share`: the same
of all pairs, ties half, and how sure that is plain, in paired deals, and with luck taken out (docs/arena.md).
Matryoshka has three seats, all other games two, unless `--seats` says otherwise.

Without a network `--stand-in` has the game's own heuristics in its place: the evaluation judges, and moves
are as likely as rollout moves are. So the search itself can be tried before anything has learned.
"""

from __future__ import annotations

import argparse
import math
import os
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import fields, replace
from typing import Any, NamedTuple

os.environ.setdefault("SAMOVAR_THREADS", "1")  # each worker has a core

import numpy as np

from samovar.arena.luck import luck_of
from samovar.arena.report import margin, percent
from samovar.arena.shares import side_by_side
from samovar.bots import make_bot, network_rules
from samovar.bots.bot import Bot, Order
from samovar.bots.master import MasterBot
from samovar.bots.network_file import Network
from samovar.engine.arrays import AnyState, Ints
from samovar.engine.chance import RNG_WORDS, derive_seed, seed_rng
from samovar.engine.contract import Game
from samovar.engine.heuristics import Guidance
from samovar.engine.match import Match
from samovar.engine.registry import find_game
from samovar.engine.rule import rule
from samovar.engine.ways.backend import Backend
from samovar.engine.ways.stand_ins import evaluate, rollout_move
from samovar.errors import BadNetwork

DRAWN = 16  # rollout moves by which the stand-in tells how likely moves are


class Plays(NamedTuple):
    """What a worker is told."""

    game: str
    seats: int
    options: dict[str, Any]
    against: str
    budget: str
    network: str
    is_stand_in: bool
    changes: dict[str, Any]
    seed: int


class Outcome(NamedTuple):
    won: int
    lost: int
    tied: int
    seconds: float
    moves: int
    slowest: float
    luck: float  # more than that of the seats it met; not a number where that is not known


# What stands in for a network: any tuple that the rules below can read


class StandIn(NamedTuple):
    shares: Any
    drawn: Any
    rng: Any
    out: Any

    def ready(self) -> StandIn:
        return StandIn(*(array.copy() for array in self))


@rule
def look_by_heuristics(state: AnyState, seat: int, net: StandIn) -> None:
    evaluate(state, net.shares)
    net.shares[net.shares.shape[0] - 1] += 1
    seed_rng(net.rng, net.shares[net.shares.shape[0] - 1], 0, 0)
    for k in range(DRAWN):
        net.drawn[k] = rollout_move(state, seat, net.rng, net.out)


@rule
def judge_by_heuristics(net: StandIn, out: Ints) -> None:
    for seat in range(net.shares.shape[0] - 1):
        out[seat] = net.shares[seat]


@rule
def score_by_heuristics(state: AnyState, seat: int, move: int, net: StandIn) -> int:
    drawn = 0
    for k in range(DRAWN):
        if net.drawn[k] == move:
            drawn += 1
    return network_rules.ONE * drawn // 4


def stand_in(game: Game) -> tuple[Backend, StandIn]:
    ready = Backend(game, plain=False)
    ready.rules |= {
        network_rules.look: look_by_heuristics,
        network_rules.judge: judge_by_heuristics,
        network_rules.score: score_by_heuristics,
    }
    _, out, _ = ready.scratch()
    rows = (np.zeros(max(game.seats) + 1, np.int64), np.zeros(DRAWN, np.int64), np.zeros(RNG_WORDS, np.int64), out)
    return ready, StandIn(*rows)


_stand_ins: dict[str, tuple[Backend, StandIn]] = {}


class OwnOrder(Order):
    """With numbers, and perhaps rules, of our own."""

    own: Backend | None = None

    @property
    def backend(self) -> Backend:
        return self.own or super().backend


def make_master(plays: Plays, game: Game, seed: int) -> Bot:
    guidance = replace(game.heuristics.guidance, **plays.changes)
    order = OwnOrder("master", plays.budget, game, seed)
    network: Any
    if plays.is_stand_in:
        if game.id not in _stand_ins:
            _stand_ins[game.id] = stand_in(game)
        own, network = _stand_ins[game.id]
        object.__setattr__(order, "own", own)
    else:
        network = Network.load(plays.network, game) if plays.network else Network.find(game)
    if network is None:
        raise BadNetwork(f"There is no network of {game.name}. Name one with --network, or use --stand-in.")
    return MasterBot(order, network, guidance)


def play_deal(plays: Plays, deal: int) -> list[Outcome]:
    return [play(plays, deal, own) for own in range(plays.seats)]


def play(plays: Plays, deal: int, own: int) -> Outcome:
    match = Match(plays.game, plays.seats, plays.seed + deal, **plays.options)
    bots = [
        make_master(plays, match.game, 7 * deal + seat)
        if seat == own
        else make_bot(plays.against, match.game, 7 * deal + seat)
        for seat in range(match.seats)
    ]
    took: list[float] = []
    while not match.over:
        seat = match.actors[0]
        began = time.thread_time()
        move = bots[seat].choose(match.seat(seat)).move
        if seat == own:
            took.append(time.thread_time() - began)
        match.play(seat, move)
    places = match.places
    others = [places[seat] for seat in range(match.seats) if seat != own]
    return Outcome(
        sum(places[own] < place for place in others),
        sum(places[own] > place for place in others),
        sum(places[own] == place for place in others),
        sum(took),
        len(took),
        max(took),
        more_luck(luck_of(match, derive_seed(plays.seed, deal, own)), own),
    )


def more_luck(luck: Sequence[float], own: int) -> float:
    """Than those of all others, as results are counted."""
    return sum((luck[own] - other) / 2 for other in luck) if luck else math.nan


def told(outcomes: Sequence[Sequence[Outcome]]) -> str:
    """By deal: of the decided pairs those that were won, the error of a ratio over deals."""
    won = np.array([sum(one.won for one in deal) for deal in outcomes])
    decided = np.array([sum(one.won + one.lost for one in deal) for deal in outcomes])
    every = [one for deal in outcomes for one in deal]
    share = won.sum() / max(decided.sum(), 1)
    error = 1.96 * math.sqrt(float(((won - share * decided) ** 2).sum())) / max(decided.sum(), 1)
    seconds = sum(one.seconds for one in every) / sum(one.moves for one in every)
    return (
        f"{len(outcomes)} deals, {len(every)} matches: won {100 * share:.1f} % ± {100 * error:.1f} of {decided.sum()}, "
        f"{sum(one.tied for one in every)} ties, {seconds:.3f} s a move, "
        f"slowest {max(one.slowest for one in every):.2f} s; {told_share(outcomes)}"
    )


def told_share(outcomes: Sequence[Sequence[Outcome]]) -> str:
    every = [one for deal in outcomes for one in deal]
    deal = np.repeat(np.arange(len(outcomes)), [len(of_deal) for of_deal in outcomes])
    beaten, luck = np.zeros((2, len(every), 2, 2))
    beaten[:, 0, 1] = [one.won + one.tied / 2 for one in every]
    beaten[:, 1, 0] = [one.lost + one.tied / 2 for one in every]
    luck[:, 0, 1] = [one.luck for one in every]
    luck[:, 1, 0] = -luck[:, 0, 1]
    share = side_by_side(deal, beaten, luck, np.random.default_rng(1))[0][1]
    ways = {"plain": share.plain, "paired": share.paired, "luck-free": share.luck_free}
    sure = [f"{way} {percent(one.share)} {margin(one)}" for way, one in ways.items() if one is not None]
    return f"share {', '.join(sure)}"


def parse_changes(texts: Sequence[str]) -> dict[str, Any]:
    known = {field.name: field for field in fields(Guidance)}
    changes: dict[str, Any] = {}
    for text in texts:
        name, _, number = text.partition("=")
        if name not in known or not number.isdigit():
            raise SystemExit(f"--set {text} changes nothing. Write NAME=NUMBER with one of {', '.join(known)}.")
        changes[name] = bool(int(number)) if name in ("split", "others") else int(number)
    return changes


def outcomes_of(plays: Plays, deals: int, workers: int) -> Iterator[list[Outcome]]:
    if workers == 1:
        yield from (play_deal(plays, deal) for deal in range(deals))
        return
    play_deal_0 = play_deal(plays, 0)  # what has to be compiled is compiled once
    yield play_deal_0
    with ProcessPoolExecutor(workers) as pool:
        yield from pool.map(play_deal, [plays] * (deals - 1), range(1, deals))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=NUMBER")
    parser.add_argument("--budget", default="", help="400 or 0.5s; what the game's level says without it")
    parser.add_argument("--network", default="", metavar="FILE", help="the one that is shipped without it")
    parser.add_argument("--against", default="expert-2026")
    parser.add_argument("--deals", type=int, default=50)
    parser.add_argument("--seats", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--stand-in", action="store_true")
    asked = parser.parse_args()
    game = find_game(asked.game)
    seats = asked.seats or (3 if game.id == "matryoshka" else min(game.seats))
    changes = parse_changes(asked.set)
    plays = Plays(
        *(
            game.id,
            seats,
            {},
            asked.against,
            asked.budget,
            asked.network,
            asked.stand_in,
            changes,
            asked.seed * 1_000_003,
        )
    )
    done: list[list[Outcome]] = []
    began = time.perf_counter()
    for outcomes in outcomes_of(plays, asked.deals, asked.workers):
        done.append(outcomes)
        if len(done) % 10 == 0:
            print(told(done), flush=True)
    what = f"{game.name}, {seats} seats, {' '.join(asked.set) or 'as it is'}, {asked.budget or 'usual budget'}"
    print(f"{what} against {asked.against}: {told(done)}, {time.perf_counter() - began:.0f} s in all")


if __name__ == "__main__":
    main()
