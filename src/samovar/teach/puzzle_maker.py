"""Finds puzzles: plays matches between strong bots and looks for choices where one move is clearly best and
does not suggest itself.

First a sieve that costs little: what the bot itself thinks of its moves. What passes it is looked at
carefully (`Comparison`), twice and from different worlds. The same seed finds the same puzzles, in the
same order.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import count as numbers
from pathlib import Path
from types import MappingProxyType

from samovar.bots.bot import Answer, Order
from samovar.bots.levels import LevelBot
from samovar.bots.registry import make_bot
from samovar.engine.chance import derive_seed
from samovar.engine.contract import Game, Value
from samovar.engine.match import Match
from samovar.engine.seat import Seat
from samovar.errors import BadPuzzle
from samovar.insight.estimate import Comparison, Loss
from samovar.teach.puzzles import HUNDRED, LEVELS, Puzzle, PuzzleLevel, head_line, puzzle_line

BOTS = "search:1000"
DEEP = "search:20000"  # must agree: what a shallow search overlooks is no best move
LEAST = 0.10  # how much the next best move loses, at least
LEAST_MOVES = 3  # to choose from
MOST_MOVES = 120  # a position that takes more moves is not looked for; files stay small
SIEVE = 0.06  # what the bot thinks the next best one loses; it is not sure
RIVALS = 20  # moves that the best one is compared with
FIND, SIMULATIONS = 2000, 200  # to find them, and for each look after each of them
LOOKS = 8
FIRST_LOOKS = 2  # after which what is hopeless is left
SEEDS = 2  # of the careful looks, which must agree
SO_SO, TRIES, TOO_EASY = "medium", 8, 7  # a move that this level finds so often is no puzzle
FOUND = 3  # of the tries: then a level finds it
WORLDS = 8  # in which points are counted
PHASES = 3  # opening, middle, end
SHARE_OF_PHASE, FIRST_OF_PHASE = 0.7, 4  # of the puzzles, at most; but the first few come as they come
BIG_TABLES = 4  # one match in so many has more seats than the fewest


@dataclass(frozen=True)
class Candidate:
    """A choice that may be a puzzle."""

    moves_made: int
    seat: Seat
    best: int
    gap: float  # as the bot thinks


def making(
    game: Game,
    *,
    count: int,
    seats: int | None = None,
    seed: int = 0,
    seconds: float | None = None,
    bots: str = BOTS,
    least: float = LEAST,
    options: Mapping[str, Value] = MappingProxyType({}),
    plain: bool | None = None,
) -> Iterator[Puzzle]:
    """Puzzles as they are found, until there are enough or the time is over. `options` are those of the
    game, `least` is how much the next best move must lose."""
    check(game, count, seats, seconds, least)
    deadline = time.perf_counter() + (math.inf if seconds is None else seconds)
    phases: Counter[int] = Counter()
    for number in numbers():
        own = derive_seed("puzzles", game.id, seed, number)
        match = Match(game, seats or seats_of(game, number), own, plain=plain, **options)
        candidates = play(match, bots, plain)
        for phase in range(PHASES):
            if time.perf_counter() >= deadline:
                return
            likely = [one for one in candidates if phase == phase_of(one.moves_made, len(match.history))]
            if phases[phase] > max(SHARE_OF_PHASE * phases.total(), FIRST_OF_PHASE):
                continue
            if found := best_of(match, likely, least, plain):
                phases[phase] += 1
                yield replace(found, bots=bots, options=dict(options))
                if phases.total() >= count:
                    return


def write_puzzles(path: Path, game: Game, puzzles: Iterable[Puzzle]) -> Iterator[int]:
    """Into a new file, each as it is found; says how many there are."""
    try:
        file = path.open("x", encoding="utf-8")
    except OSError as error:
        raise BadPuzzle(
            f"Puzzles cannot be written to {str(path)!r}: {error.strerror}. Give another --file."
        ) from error
    with file:
        file.write(head_line(game))
        for number, puzzle in enumerate(puzzles, 1):
            file.write(puzzle_line(puzzle))
            file.flush()
            yield number


def check(game: Game, count: int, seats: int | None, seconds: float | None, least: float) -> None:
    if not count >= 1:
        raise BadPuzzle(f"There can be 1 puzzle or more, not {count}.")
    if seats is not None:
        game.check_seats(seats)
    if seconds is not None and not seconds > 0:
        raise BadPuzzle(f"Looking for puzzles takes more than no time, not {seconds} seconds.")
    if not 0 < least < 1:
        raise BadPuzzle(f"What the next best move loses is more than 0 and less than 1, not {least}.")


def seats_of(game: Game, number: int) -> int:
    """Most people play with the fewest, so most puzzles are theirs; each larger table gets its turn."""
    larger = game.seats[1:]
    turn, is_small = divmod(number, BIG_TABLES)
    return larger[turn % len(larger)] if larger and not is_small else game.seats[0]


def phase_of(moves_made: int, length: int) -> int:
    return PHASES * moves_made // max(length, moves_made + 1)


def play(match: Match, bots: str, plain: bool | None) -> list[Candidate]:
    """Plays a match as far as puzzles are looked for; says where there may be some."""
    players = [make_bot(bots, match.game, derive_seed(match.seed, seat), plain=plain) for seat in range(match.seats)]
    candidates = []
    while not match.over and len(match.history) < MOST_MOVES:
        number = match.actors[0]
        seat = match.seat(number)
        answer = players[number].choose(seat)
        if len(seat.legal) >= LEAST_MOVES and (gap := gap_in(answer, seat)) >= SIEVE:
            candidates.append(Candidate(len(match.history), seat, answer.move, gap))
        match.play(number, answer.move)
    for player in players:
        player.close()
    return candidates


def gap_in(answer: Answer, seat: Seat) -> float:
    """What the bot thinks that the next best move loses."""
    if len(answer.reasons) < 2:
        return 0.0
    best, *others = (
        reason.success if reason.success is not None else -reason.place / seat.opponents for reason in answer.reasons
    )
    return best - max(others)


def best_of(match: Match, likely: list[Candidate], least: float, plain: bool | None) -> Puzzle | None:
    """The hardest puzzle among a few choices, if one of them is a puzzle."""
    rated = ((ease_of(one.seat, one.best, plain), -one.gap, one.moves_made, one) for one in likely)
    for ease, *_, candidate in sorted(rated, key=lambda row: row[:3]):
        if ease >= TOO_EASY:
            return None
        if compared := losses_of(candidate.seat, candidate.best, least, plain):
            share, losses = compared
            return Puzzle(
                level=level_of(candidate.seat, candidate.best, plain),
                game=match.game,
                seats=match.seats,
                seed=int(match.seed or 0),
                moves=tuple(move for _, move in match.history[: candidate.moves_made]),
                best=candidate.best,
                share=percent(share),
                losses={move: percent(loss) for move, loss in losses.items()},
            )
    return None


def ease_of(seat: Seat, best: int, plain: bool | None) -> int:
    """How often the move is found without much thinking, by who plays so-so with all that was seen before
    the eyes, as a puzzle shows it; always, if it brings more points at once than any other."""
    worlds = [seat.imagine(number) for number in range(WORLDS)]
    if most_points(seat, worlds) == best:
        return TRIES
    return times_found(SO_SO, seat, best, plain)


def level_of(seat: Seat, best: int, plain: bool | None = None) -> PuzzleLevel:
    """That of the weakest bot that finds the move now and then, or hard, if only stronger ones do."""
    easier = (level for level in LEVELS[:-1] if times_found(level, seat, best, plain) >= FOUND)
    return next(easier, LEVELS[-1])


def times_found(level: str, seat: Seat, best: int, plain: bool | None) -> int:
    """How often a bot of this level makes the move if it forgets nothing: a puzzle shows what was seen."""
    found = 0
    for number in range(TRIES):
        player = LevelBot(Order(level, "", seat.game, number, plain=plain))
        player.level = replace(player.level, half_life=0)
        found += player.choose(seat).move == best
    return found


def most_points(seat: Seat, worlds: list[Match]) -> int | None:
    """The move that brings more points at once than any other, on average, if there is one."""
    points = {move: sum(points_after(world, seat.number, move) for world in worlds) for move in seat.legal}
    most = [move for move, sum_of in points.items() if sum_of == max(points.values())]
    return most[0] if len(most) == 1 else None


def points_after(world: Match, number: int, move: int) -> int:
    world.play(number, move)
    points = world.scores[number]
    world.undo()
    return points


def losses_of(seat: Seat, best: int, least: float, plain: bool | None) -> tuple[float, dict[int, float]] | None:
    """What may be expected after the best move, and what every other loses, if all looks agree that it is
    the best by far."""
    shares, tables = [], []
    for number in range(SEEDS):
        comparison = Comparison(seat, best, rivals=RIVALS, find=FIND, simulations=SIMULATIONS, seed=number, plain=plain)
        for look in range(LOOKS):
            comparison.look()
            if look == FIRST_LOOKS and not is_far_ahead(comparison.losses(), best, least / 2, sure=False):
                return None
        if not is_far_ahead(losses := comparison.losses(), best, least, sure=True):
            return None
        shares.append(comparison.verdict().share)
        tables.append(losses)
    if make_bot(DEEP, seat.game, 0, plain=plain).choose(seat).move != best:
        return None
    moves = sorted(set.intersection(*map(set, tables)))
    return sum(shares) / SEEDS, {move: sum(table[move].share for table in tables) / SEEDS for move in moves}


def is_far_ahead(losses: dict[int, Loss], best: int, least: float, sure: bool) -> bool:
    others = [loss for move, loss in losses.items() if move != best]
    return (
        bool(others)
        and losses[best].share == 0
        and all(loss.share >= least and (loss.is_sure or not sure) for loss in others)
    )


def percent(share: float) -> int:
    return round(HUNDRED * share)
