"""Bots keep secrets, too: over worlds that a seat cannot tell apart, the same seed and the same
budget give the same move.

A bot is handed a `Seat`, in which there is nothing of the truth; what could still go wrong is
`sights`, which is taken from every true position so far, and `forget`, which a level does to what
it imagines.

And bots show whether what a game calls good is good: who plays for it must not come off worse than by chance. Success
and points that are both upside down agree with each other, and are not found.
"""

from __future__ import annotations

from math import comb

import numpy as np

from samovar.bots.bot import Answer
from samovar.bots.registry import make_bot
from samovar.engine.arrays import Int64s
from samovar.engine.batch import Batch
from samovar.engine.contract import Game, Options
from samovar.engine.heuristics import CERTAIN, LEVEL_NAMES
from samovar.engine.match import Match
from samovar.engine.seat import Seat
from samovar.engine.ways.backend import backend
from samovar.testing.worlds import indistinguishable_deals, walk_together

BOTS = ("random", "greedy", "search:24", *LEVEL_NAMES[:2])
MOMENTS = 4
SEED = 80_000
UPRIGHT_BOT = "search:30"
PORTION, MOST_PORTIONS = 20, 6  # deals
UPRIGHT_ALARM = 1e-7  # the chance that a game is called upside down whose bots play no better than chance does
CLEAR = 1e-3
LEAST_LIKE = -5.0  # standard deviations
FEW_MATCHES = 10  # tell nothing


def check_bots(game: Game, seats: int, options: Options, seed: int) -> None:
    """At random moments of a match: bots answer legally, and alike in all worlds that fit."""
    match = Match(game, seats, seed, **options)
    choose = np.random.default_rng(seed)
    length = match.copy().play_random(seed)
    moments = set(choose.choice(length, size=min(MOMENTS, length), replace=False).tolist())
    for played in range(length):
        if played in moments:
            for number in match.actors:
                check_seat(match, number, seed + played)
        match.play_random(seed + played, limit=1)


def check_seat(match: Match, number: int, seed: int) -> None:
    """One seat at one moment, with its own bot's answer in the truth and in worlds that fit."""
    seat = match.seat(number)
    moment = f"seat {number} after {len(match.history)} moves"
    answers = {name: make_bot(name, match.game, seed).choose(seat) for name in BOTS}
    for name, answer in answers.items():
        assert answer.move in seat.legal, f"{moment}: {name} answers move {answer.move}, which is not legal"
        check_reasons(answer, seat)
    for k in range(3):
        world = match.imagine(number, seed + k)
        other = world.seat(number)
        assert other.sights[-1] == seat.sights[-1], f"{moment}: sights depend on what the seat cannot know"
        same = Seat(world.imagine(number, 0), number, seat.sights)
        for name, answer in answers.items():
            again = make_bot(name, match.game, seed).choose(same)
            assert again == answer, (
                f"{moment}: {name} answers {again.move} in a world that the seat cannot tell from one where it "
                f"answers {answer.move}"
            )
    check_forgetting(match, number, seed)


def check_reasons(answer: Answer, seat: Seat) -> None:
    for reason in answer.reasons:
        assert reason.move in seat.legal
        assert reason.text == seat.move_text(reason.move)
        assert 1 <= reason.place <= 1 + seat.opponents, f"place {reason.place} with {seat.opponents} opponents"
        assert (reason.success is None) == bool(seat.opponents), f"success {reason.success}"
        assert reason.success is None or 0 <= reason.success <= 1, f"success {reason.success}"
        assert reason.chance is None or 0 <= reason.chance <= 1, f"chance {reason.chance}"


def check_forgetting(match: Match, number: int, seed: int) -> None:
    """What is forgotten is not what is seen now: the world looks the same, and a whole match can be
    played in it."""
    seat = match.seat(number)
    seen = 0
    for facts in seat.sights:
        seen |= facts
    world = seat.imagine(seed)
    backend(match.game).forget(world.states, number, seen & ~seat.sights[-1], seed)
    moment = f"seat {number} after {len(match.history)} moves"
    assert world.view(number) == seat.view, f"{moment}: having forgotten, it sees something else"
    assert world.legal(number) == seat.legal, f"{moment}: having forgotten, it may do something else"
    for k in range(3):
        imagined = world.imagine(number, seed + k)
        assert imagined.legal(number) == seat.legal, (
            f"{moment}: having forgotten, it imagines a world where it may do something else"
        )
        imagined.play_random(seed + k)


def check_proven(game: Game, seats: int, options: Options, deals: int) -> int:
    """Two deals that a seat cannot tell apart, with all that happened in them: bots answer alike.
    Says how many moments were proven."""
    proven = 0

    def compare(one: Match, other: Match, number: int) -> None:
        nonlocal proven
        mine, theirs = one.seat(number), other.seat(number)
        assert mine.sights == theirs.sights, (
            f"seat {number} of seeds {one.seed} and {other.seed}: sights depend on what it cannot know"
        )
        if number in one.actors:
            proven += 1
            for name in BOTS:
                answers = [make_bot(name, game, 5).choose(seat) for seat in (mine, theirs)]
                assert answers[0] == answers[1], (
                    f"{name} in seat {number} of seeds {one.seed} and {other.seed} peeks: {answers}"
                )

    for number in range(seats):
        for seed, other_seed in indistinguishable_deals(game, seats, options, number, deals)[:1]:
            walk_together(
                Match(game, seats, seed, **options), Match(game, seats, other_seed, **options), number, 20, compare
            )
    return proven


def check_upright(game: Game, seats: int, options: Options) -> None:
    """Where all are one team: a bot that plays for success reaches no less of it than chance does, nor fewer points.
    Both play the same deals, until it is clear; in a game in which nobody can play well it never is."""
    if not game.is_together(seats):
        return
    told = {"success": "Write `success` so that 1000 is won and 0 is lost, and heuristics that lead there."}
    if game.places is None:
        told["points"] = (
            "Write `success` so that 1000 is won and 0 is lost, and `scores` so that more points are better: where few "
            "are good, with a minus. A game with `places` of its own may count as it likes."
        )
    more, fewer = dict.fromkeys(told, 0), dict.fromkeys(told, 0)
    for portion in range(MOST_PORTIONS):
        for seed in range(SEED + portion * PORTION, SEED + (portion + 1) * PORTION):
            results = [outcome(game, seats, options, name, seed) for name in ("random", UPRIGHT_BOT)]
            for what in told:
                more[what] += results[1][what] > results[0][what]
                fewer[what] += results[1][what] < results[0][what]
        for what, remedy in told.items():
            assert chance_of_so_few(more[what], fewer[what]) > UPRIGHT_ALARM, (
                f"{game.name} with {seats} seats is upside down: {UPRIGHT_BOT!r} plays for success, and reaches less "
                f"{what} than random moves do in {fewer[what]} of the {more[what] + fewer[what]} deals in which they "
                f"differ. {remedy}"
            )
        if all(chance_of_so_few(fewer[what], more[what]) < CLEAR for what in told):
            return


def outcome(game: Game, seats: int, options: Options, name: str, seed: int) -> dict[str, int]:
    """Success and the points of all together, at the end of a match played by bots."""
    match = Match(game, seats, seed, **options)
    bots = [make_bot(name, game, seed + seat) for seat in range(seats)]
    bound = game.max_length(seats, match.options)
    while not match.over and len(match.history) < bound:
        match.play(match.actors[0], bots[match.actors[0]].choose(match.seat(match.actors[0])).move)
    return {"success": match.success or 0, "points": sum(match.scores)}


def chance_of_so_few(more: int, fewer: int) -> float:
    """By the sign test: that so few of all are more, where more is as likely as fewer."""
    return sum(comb(more + fewer, k) for k in range(more + 1)) / float(2 ** (more + fewer))


def check_evaluation(game: Game, seats: int, options: Options, matches: int = 60) -> None:
    """Shares are from 0 to 1000 at every moment, and rollout moves are legal ones."""
    batch = Batch(game, matches, seats, 500, threads=1, **options)
    ready = backend(game)
    last = np.zeros((matches, seats), np.int64)  # before the end
    while batch.actors().any():
        shares = np.full((matches, seats), -1, np.int64)
        ready.evaluate(batch.states, shares)
        last = np.where(batch.actors()[:, None] != 0, shares, last)
        assert shares.min() >= 0, f"an evaluation of {shares.min()}"
        assert shares.max() <= CERTAIN, f"an evaluation of {shares.max()}"
        running = batch.actors() != 0
        movers = np.array([(int(mask) & -int(mask)).bit_length() - 1 for mask in batch.actors()[running]], np.int64)
        states, moves, answers = batch.states[running], np.zeros_like(movers), np.zeros_like(movers)
        ready.rollout_move(states, movers, batch.seeds[running] + batch.made[running] * matches, moves)
        ready.step(states, movers, moves, answers)
        assert (answers >= 0).all(), f"a rollout move is not legal: {moves[answers < 0]}"
        batch.play_random(3)
    if game.heuristics.evaluate is not None:
        ends = -batch.results()[1]
        if game.is_together(seats):
            success = np.zeros(matches, np.int64)
            ready.success(batch.states, success)
            ends = np.repeat(success[:, None], seats, 1)
        check_direction(game, last, ends)


def check_direction(game: Game, last: Int64s, ends: Int64s) -> None:
    """Who stands well just before the end does well in the end: of each match one seat is asked."""
    rows = np.arange(len(ends))
    stood, ended = (told[rows, rows % ends.shape[1]] for told in (last, ends))
    if np.unique(stood).size < 2 or np.unique(ended).size < 2 or len(rows) < FEW_MATCHES:
        return
    like = float(np.clip(np.corrcoef(stood, ended)[0, 1], -0.999, 0.999))
    assert np.arctanh(like) * np.sqrt(len(rows) - 3) > LEAST_LIKE, (
        f"evaluate of {game.name} is upside down: who stands well by it a few moves before the end comes off badly "
        f"(in {len(rows)} matches, a correlation of {like:.2f} with the end). Give 1000 to who will surely win, 0 "
        "to who will lose."
    )
