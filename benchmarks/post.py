"""How many days a match by post takes, with moves ahead and without.

    python benchmarks/post.py [--matches 60] [--game matryoshka] [--seats 3] [--bot medium] [--hours 6]

Everybody answers so many hours after their turn has come, by day and by night alike, and makes at once whatever else
they are asked then. Bots choose all moves. Whoever has answered makes moves ahead for up to three turns: in worlds that
their seat imagines the match is played on, the others by easy bots, and the same bot says what it would play there.
What it would play in most of them becomes the move for whatever comes, and where something is seen after which it
would play another, a move for that; a turn for which no move is chosen in half of the worlds is left to be answered.
The moves are made after a moment drawn as the site draws it. The same deals are played without.

Prints the days of both, by how much there are fewer, and how the points differ, with standard errors.
"""

from __future__ import annotations

import argparse
import os
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from typing import NamedTuple

os.environ.setdefault("SAMOVAR_THREADS", "1")

import numpy as np

from samovar.bots import Bot, make_bot
from samovar.engine.match import Match
from samovar.web.tables.clock import DAY, HOUR
from samovar.web.tables.post.ahead import drawn_delay
from samovar.web.tables.post.plans import MOST_LINES, MOST_TURNS, PlannedMove, fits, named, planned_move

WORLDS = 12  # that somebody imagines who makes moves ahead
OTHERS = "easy"  # who plays the others there
LEAST = 3  # worlds in which something must be seen to be a condition
USUAL = 0.5  # of the worlds, in which the same move must be chosen
LONGEST = 60  # moves until one's turn comes

Turns = list[list[PlannedMove]]


class Outcome(NamedTuple):
    days: float
    points: float  # of all players together
    ahead: float  # the share of moves that were made ahead


class World(NamedTuple):
    """One that somebody has imagined, at their turn."""

    match: Match
    seen: set[str]
    move: str  # that they would play


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--matches", type=int, default=60)
    parser.add_argument("--game", default="matryoshka")
    parser.add_argument("--seats", type=int, default=3)
    parser.add_argument("--bot", default="medium")
    parser.add_argument("--hours", type=float, default=6.0)
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    chosen = parser.parse_args()
    asked = [(chosen, seed) for seed in range(chosen.matches)]
    with ProcessPoolExecutor(chosen.processes) as pool:
        both = list(pool.map(compared, asked))
    fewer = np.array([1 - ahead.days / plain.days for plain, ahead in both])
    points = np.array([ahead.points / plain.points - 1 for plain, ahead in both])
    plain, ahead = (np.mean([pair[number].days for pair in both]) for number in (0, 1))
    share = np.mean([pair[1].ahead for pair in both])
    print(
        f"{chosen.game} by post, {chosen.matches} matches: {plain:.1f} days without moves ahead, {ahead:.1f} with "
        f"them: {told(fewer)} fewer; {share:.0%} of the moves were made ahead, points differ by {told(points)}"
    )


def told(values: np.ndarray) -> str:
    return f"{values.mean():.1%} ± {values.std(ddof=1) / len(values) ** 0.5:.1%}"


def compared(asked: tuple[argparse.Namespace, int]) -> tuple[Outcome, Outcome]:
    chosen, seed = asked
    return played(chosen, seed, is_ahead=False), played(chosen, seed, is_ahead=True)


def played(chosen: argparse.Namespace, seed: int, *, is_ahead: bool) -> Outcome:
    match = Match(chosen.game, chosen.seats, seed)
    bots = [make_bot(chosen.bot, match.game, 8 * seed + seat) for seat in range(match.seats)]
    plans: list[Turns] = [[] for _ in bots]
    seen: list[set[str]] = [set() for _ in bots]
    due: dict[int, tuple[float, int | None]] = {}  # by seat: when it moves, and what if that was made ahead
    now, made_ahead = 0.0, 0
    while not match.over:
        for seat in match.actors:
            if seat not in due:
                move = planned_move(plans[seat][0], frozenset(seen[seat]), match, seat) if plans[seat] else ""
                is_made = isinstance(move, int)
                wait = drawn_delay(3 * DAY) if is_made else chosen.hours * HOUR
                due[seat] = now + wait, move if is_made else None
        seat = min(due, key=lambda one: due[one][0])
        now, planned = due.pop(seat)
        if planned is not None:
            made_ahead += 1
            plans[seat] = plans[seat][1:]
            play(match, seat, planned, seen)
            continue
        plans[seat] = []
        while seat in match.actors:  # they are there
            play(match, seat, bots[seat].choose(match.seat(seat)).move, seen)
        if is_ahead and not match.over:
            plans[seat] = planned_turns(match, seat, bots[seat])
    return Outcome(now / DAY, float(sum(match.scores)), made_ahead / len(match.history))


def play(match: Match, seat: int, move: int, seen: list[set[str]]) -> None:
    match.play(seat, move)
    seen[seat] = set()
    for each, witnessed in enumerate(seen):
        witnessed |= {named(event) for event in match.news(each)}


def planned_turns(match: Match, seat: int, bot: Bot) -> Turns:
    turns: Turns = []
    worlds = [World(match.imagine(seat, number), set(), "") for number in range(WORLDS)]
    others = make_bot(OTHERS, match.game, seat)
    for _ in range(MOST_TURNS):
        at_turn = [one for world in worlds if (one := played_on(world, seat, bot, others)) is not None]
        lines = lines_for(at_turn)
        if not lines:
            break
        turns.append(lines)
        worlds = [one for world in at_turn if (one := after(world, lines, seat)) is not None]
    return turns


def played_on(world: World, seat: int, bot: Bot, others: Bot) -> World | None:
    """At the next turn of the seat."""
    match, seen = world.match, world.seen
    for _ in range(LONGEST):
        if match.over:
            return None
        if seat in match.actors:
            return World(match, seen, match.move_text(seat, bot.choose(match.seat(seat)).move))
        actor = match.actors[0]
        match.play(actor, others.choose(match.seat(actor)).move)
        seen |= {named(event) for event in match.news(seat)}
    return None


def lines_for(worlds: list[World]) -> list[PlannedMove]:
    """What is played where something is seen, and whatever comes."""
    if len(worlds) < LEAST:
        return []
    [(usual, _)] = Counter(world.move for world in worlds).most_common(1)
    lines: list[PlannedMove] = []
    left = worlds
    for event in sorted({event for world in worlds for event in world.seen}):
        where = [world for world in left if any(fits(event, one) for one in world.seen)]
        if LEAST <= len(where) < len(left) and len(lines) < MOST_LINES - 1:
            [(move, count)] = Counter(world.move for world in where).most_common(1)
            if move != usual and count > USUAL * len(where):
                lines.append(PlannedMove(move, event))
                left = [world for world in left if world not in where]
    if sum(world.move == usual for world in left) >= USUAL * len(left):
        lines.append(PlannedMove(usual))
    return lines


def after(world: World, lines: list[PlannedMove], seat: int) -> World | None:
    """The same world when the move that was made ahead is made there."""
    move = planned_move(lines, frozenset(world.seen), world.match, seat)
    if isinstance(move, str):
        return None
    world.match.play(seat, move)
    return World(world.match, {named(event) for event in world.match.news(seat)}, "")


if __name__ == "__main__":
    main()
