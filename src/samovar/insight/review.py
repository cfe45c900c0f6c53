"""What a match turned on: for every player, what the own choices cost and what was luck.

All is counted in shares of the opponents left behind, as `estimate` says them, 0 to 1. For each player
apart, and from what that player knew at the moment:

- The **start** is what the player could expect after the deal.
- A **choice** is a move of one's own. It costs what may be expected after the best move, less what may be
  expected after the one that was made. It never wins anything: the best that can be done is expected.
- **Luck** is every other change of what the player could expect: cards that were drawn or turned up,
  what others had in hand, and what others did, well or badly. People are told the part that came with moves of
  others apart (`by_others`), and call only the rest luck; in a game without chance there is none.

So start - costs + luck = result, for every player, and no cost depends on what the player could not know:
a good move that is punished by a hidden card is bad luck, and a bad one that is rewarded is a mistake with
good luck. Choices at the same time are taken as they stand in the record; nobody knows the others' then.

A review comes bit by bit (`reviewing`): first every move is looked at a little, then those that may have
cost most again and again, until it is clear which they are or the time is over.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import msgspec

from samovar.engine.chance import derive_seed
from samovar.engine.contract import Game, nothing_hidden
from samovar.engine.heuristics import CERTAIN
from samovar.engine.match import Match
from samovar.engine.places import places_behind, shares_behind
from samovar.engine.records.record import read_record, replay, resigned_of
from samovar.engine.seat import Seat
from samovar.engine.ways.backend import thread_count
from samovar.errors import BadReview
from samovar.insight.estimate import QUICK, Comparison, Estimate, Verdict, estimate
from samovar.json_types import JsonObject

USUAL_SECONDS = 8.0  # reading and telling it takes some more
MOST_SECONDS = 3600
MOMENTS = 3
MATTERS = 0.05  # by so much the best move leads where finding it is worth a word
LEAST = 0.01  # what costs less is no moment that decided anything
WATCHING = 100  # simulations for those who only watch


@dataclass(frozen=True)
class Effort:
    """How carefully a choice is looked at."""

    find: int  # simulations to find moves that may be better
    rivals: int  # so many of them
    simulations: int  # after each, for a look
    overlooked: float  # what the best move may bring that was not found by this; about a standard error


# First at a glance, then more carefully where it matters.
EFFORTS = (Effort(150, 2, 100, 0.04), Effort(2000, 5, 200, 0.02), Effort(10_000, 8, 200, 0.0))
LOOKS = 2  # at a time
SURE = 3  # standard errors between what is a moment and what is not
FINE = 0.004  # a standard error that is small enough
ACCIDENT = 0.03  # two looks may agree by accident: a doubt that is shared out among the looks
PORTION = 4  # choices looked at again at a time
MOST_LOOKS = 256  # at one choice: what is not clear by then is as good as equal


class ChosenMove(msgspec.Struct, frozen=True, rename={"moves_made": "ply"}):
    """A move that somebody chose out of several."""

    moves_made: int  # before it
    seat: int
    move: int
    best: int  # the move itself, if none is better
    share: float  # to be expected after it
    cost: float  # how much more after the best one
    error: float  # the standard error of the cost
    lead: float  # how much less after the next best, if it is the best itself

    @property
    def best_share(self) -> float:
        return self.share + self.cost


@dataclass(frozen=True)
class PlayerLine:
    """A line for each: start - cost + luck = result."""

    seat: int
    start: float
    cost: float
    luck: float
    by_others: float  # the part of the luck that came with moves of others; the rest came with one's own
    result: float
    moves: int  # chosen out of several
    best: ChosenMove | None  # the one with the largest lead
    worst: ChosenMove | None  # the one that cost most

    @property
    def mean_cost(self) -> float:
        return self.cost / self.moves if self.moves else 0.0


@dataclass(frozen=True)
class Review:
    """As far as it has come."""

    match: Match
    shares: tuple[tuple[float, ...], ...]  # by position from the deal on and by seat, as far as looked at
    choices: tuple[ChosenMove, ...]
    result: tuple[float, ...]  # by seat
    given_up: tuple[float, ...]  # by seat: what giving up has cost
    done: float  # 0 to 1
    wins: tuple[tuple[float, ...], ...] = ()  # as the shares: the chance of the first place; empty: nobody has counted

    @cached_property
    def chances(self) -> tuple[tuple[float, ...], ...]:
        """By position and by seat, who wins: all teams' chances make up one match. Of one team, what it may
        expect."""
        if self.match.success is not None:
            return self.shares
        teams = self.match.game.teams(self.match.seats)
        size = Counter(teams)

        def of_one(row: tuple[float, ...]) -> tuple[float, ...]:
            whole = sum(chance / size[team] for chance, team in zip(row, teams, strict=True))
            return tuple(chance / whole if whole else 1 / len(size) for chance in row)

        return tuple(map(of_one, self.wins or self.shares))

    @property
    def has_luck(self) -> bool:
        """Whether chance does anything after the deal, or hides something."""
        return self.game.determinize is not nothing_hidden or "chance" in (self.game.state.names or ())

    @property
    def game(self) -> Game:
        return self.match.game

    @cached_property
    def moments(self) -> tuple[ChosenMove, ...]:
        """The choices that cost most, the dearest first."""
        return tuple(ranked(self.choices)[:MOMENTS])

    def moments_of(self, seat: int) -> tuple[ChosenMove, ...]:
        """Those of one player's own choices."""
        return tuple(ranked([choice for choice in self.choices if choice.seat == seat])[:MOMENTS])

    def moments_for(self, seat: int | None) -> tuple[ChosenMove, ...]:
        """For a reader: their own first, then the others'; None: somebody who did not play."""
        own = () if seat is None else self.moments_of(seat)
        return tuple(dict.fromkeys((*own, *self.moments)))[:MOMENTS]

    def best_of(self, seat: int) -> tuple[ChosenMove, ...]:
        """Where a player made the best move and another would have cost most, that first."""
        own = [choice for choice in self.choices if choice.seat == seat and choice.lead >= MATTERS]
        return tuple(sorted(own, key=lambda choice: (-choice.lead, choice.moves_made))[:MOMENTS])

    @cached_property
    def shown(self) -> tuple[ChosenMove, ...]:
        """All that some reader wants to see."""
        return tuple(choice for seat in range(self.match.seats) for choice in self.moments_of(seat))

    @cached_property
    def players(self) -> tuple[PlayerLine, ...]:
        return tuple(self._player(seat) for seat in range(self.match.seats))

    def _player(self, seat: int) -> PlayerLine:
        own = [choice for choice in self.choices if choice.seat == seat]
        start, result = self.shares[0][seat], self.result[seat]
        cost = sum(choice.cost for choice in own) + self.given_up[seat]
        best = max(own, key=lambda choice: (choice.lead, -choice.moves_made), default=None)
        worst = max(own, key=lambda choice: (choice.cost, -choice.moves_made), default=None)
        steps = zip(self.shares, self.shares[1:], strict=False)
        movers = [mover for mover, _ in self.match.history]
        others = sum(after[seat] - before[seat] for mover, (before, after) in zip(movers, steps) if mover != seat)  # noqa: B905
        return PlayerLine(
            seat=seat,
            start=start,
            cost=cost,
            luck=result - start + cost,
            by_others=others,
            result=result,
            moves=len(own),
            best=best if best and best.lead >= LEAST else None,
            worst=worst if worst and worst.cost >= LEAST else None,
        )


def ranked(choices: Sequence[ChosenMove]) -> list[ChosenMove]:
    """Those that cost something, the dearest first."""
    return sorted(
        (choice for choice in choices if choice.cost >= LEAST), key=lambda choice: (-choice.cost, choice.moves_made)
    )


def review(
    record: JsonObject | str | Path,
    *,
    seconds: float | None = None,
    looks: int | None = None,
    seed: int = 0,
    plain: bool | None = None,
) -> Review:
    """The review of a finished match, when all is done: see `reviewing`."""
    *_, last = reviewing(record, seconds=seconds, looks=looks, seed=seed, plain=plain)
    return last


def reviewing(
    record: JsonObject | str | Path,
    *,
    seconds: float | None = None,
    looks: int | None = None,
    seed: int = 0,
    plain: bool | None = None,
) -> Iterator[Review]:
    """The review of a finished match (a record, or its file), better from one to the next.

    `seconds`: when to stop, 8 if nothing is said; every move is looked at once in any case. `looks`: how
    often choices may be looked at again instead, in all; then the answer depends on the seed alone."""
    check(seconds, looks, seed)
    content = read_record(record) if isinstance(record, str | Path) else record
    match = finished(content, plain)
    return Reviewer(match, resigned_of(content), seed, plain).run(seconds, looks)


def check(seconds: float | None, looks: int | None, seed: int) -> None:
    if seconds is not None and not (isinstance(seconds, int | float) and 0 <= seconds <= MOST_SECONDS):
        raise BadReview(f"A review can take 0 to {MOST_SECONDS} seconds, not {seconds!r}.")
    if looks is not None and not (isinstance(looks, int) and looks >= 0):
        raise BadReview(f"Choices can be looked at again 0 times or more, not {looks!r}.")
    if not (isinstance(seed, int) and 0 <= seed < 2**63):
        raise BadReview(f"The seed cannot be {seed!r}. It is a number from 0 to 2**63 - 1.")


def finished(content: JsonObject, plain: bool | None = None) -> Match:
    """The match of a record, played again; only what is over by its own moves, or was given up, is looked
    at: nobody may learn from here what is hidden in a match that is going on."""
    match = replay(content, plain=plain)
    if not match.over and not resigned_of(content):
        raise BadReview(
            f"This game of {match.game.name} is not over: after {len(match.history)} moves somebody is still to act. "
            "Finish it first; a review would tell what is hidden."
        )
    if not match.history:
        raise BadReview("No move was made in this game, so there is nothing to review. Give one that was played.")
    return match


class Reviewer:
    """Looks at a match that is over."""

    clock = staticmethod(time.perf_counter)

    def __init__(self, match: Match, resigned: Sequence[int], seed: int, plain: bool | None) -> None:
        self.match = match
        self._resigned = resigned
        self._seed = seed
        self._plain = plain
        self._comparisons: dict[int, Comparison] = {}  # by moves made
        self._verdicts: dict[int, Verdict] = {}
        self._shares: list[tuple[float, ...]] = []
        self._wins: list[tuple[float, ...]] = []
        self._effort: dict[int, int] = {}  # by moves made, which of EFFORTS
        self._result = shares_of(match, resigned)

    def run(self, seconds: float | None, looks: int | None) -> Iterator[Review]:
        began = self.clock()
        seconds = (USUAL_SECONDS if looks is None else math.inf) if seconds is None else seconds
        last = len(self.match.history)
        with ThreadPoolExecutor(thread_count()) as pool:
            for number, (shares, wins) in enumerate(pool.map(self._glance, range(last + 1))):
                self._shares.append(shares)
                self._wins.append(wins)
                yield self._so_far(number / (2 * last))
            left = len(self._comparisons) * MOST_LOOKS if looks is None else looks
            made = 0
            while made < left and (again := self._unclear() or self._only_glanced()):
                again = again[: left - made]
                for at, verdict in zip(again, pool.map(self._look_again, again), strict=True):
                    self._verdicts[at] = verdict
                made += len(again)
                spent = self.clock() - began
                if spent >= seconds:
                    break
                yield self._so_far(0.5 + 0.5 * max(spent / seconds, made / left))
        yield self._so_far(1.0)

    def _seat(self, at: int, number: int) -> Seat:
        return self.match.at(at).seat(number)

    def _glance(self, at: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """What everybody may expect here, how likely each is to win, and a first look at the move that was made."""
        if at < len(self.match.history):
            if len(self._seat(at, self.match.history[at][0]).legal) > 1:
                self._verdicts[at] = self._look_with(at, 0)
        seats = range(self.match.seats)
        return tuple(self._expected(at, number) for number in seats), tuple(self._wins_at(at, seat) for seat in seats)

    def _expected(self, at: int, number: int) -> float:
        """What a player may expect. Who has chosen here expected what comes of the best move."""
        if self._has_chosen(at, number):
            return self._verdicts[at].share + self._verdicts[at].loss
        if at == len(self.match.history) and not self._resigned:
            return self._result[number]
        return self._watch(at, number).share

    def _wins_at(self, at: int, number: int) -> float:
        """Of two, who is ahead wins: what they expect says it."""
        if len(set(self.match.game.teams(self.match.seats))) <= 2:
            return self._expected(at, number)
        if at == len(self.match.history) and not self._resigned:
            return float(self._result[number] == max(self._result))
        return self._watch(at, number).places[0]

    def _watch(self, at: int, number: int) -> Estimate:
        seat = self._seat(at, number)
        return estimate(seat, by=QUICK, simulations=WATCHING, seed=self._seed, plain=self._plain)

    def _unclear(self) -> list[int]:
        """The choices that may be among those that cost most, or may not, the likeliest first."""
        by_cost = sorted(self._verdicts, key=lambda at: (-self._verdicts[at].loss, at))
        if len(by_cost) <= MOMENTS:
            border = LEAST
        else:
            inside, outside = (self._verdicts[by_cost[k]] for k in (MOMENTS - 1, MOMENTS))
            border = max((inside.loss + outside.loss) / 2, LEAST)
        unclear = [
            at
            for at in by_cost
            if self._comparisons[at].looks < MOST_LOOKS
            and (
                abs(self._verdicts[at].loss - border) < SURE * self._doubt(at)
                or (self._verdicts[at].loss > border and self._doubt(at) > FINE)
            )
        ]
        return sorted(unclear, key=lambda at: -self._worth(at, border))[:PORTION]

    def _only_glanced(self) -> list[int]:
        """Where a better move may have been overlooked, once all else is clear: what was found at a glance
        may be wrong by more than its doubt says."""
        glanced = [at for at, effort in self._effort.items() if effort == 0]
        return sorted(glanced, key=lambda at: (-self._verdicts[at].loss, at))[:PORTION]

    def _worth(self, at: int, border: float) -> float:
        """How much another look may tell: the nearer to the border, measured in what is not known."""
        return -abs(self._verdicts[at].loss - border) / self._doubt(at)

    def _doubt(self, at: int) -> float:
        """Something like a standard error of what the choice cost."""
        seen = max(self._verdicts[at].error, ACCIDENT / self._comparisons[at].looks)
        return max(seen, EFFORTS[self._effort[at]].overlooked)

    def _look_again(self, at: int) -> Verdict:
        """More carefully, as long as that is possible; then as often as it takes."""
        effort = self._effort[at] + 1
        return self._look_with(at, effort) if effort < len(EFFORTS) else self._look(at)

    def _look_with(self, at: int, number: int) -> Verdict:
        mover, move = self.match.history[at]
        seat, effort = self._seat(at, mover), EFFORTS[number]
        self._comparisons[at] = Comparison(
            seat,
            move,
            find=effort.find,
            rivals=effort.rivals,
            simulations=effort.simulations,
            seed=derive_seed(self._seed, number),
            plain=self._plain,
        )
        self._effort[at] = number
        return self._look(at)

    def _look(self, at: int) -> Verdict:
        for _ in range(LOOKS):
            self._comparisons[at].look()
        return self._comparisons[at].verdict()

    def _so_far(self, done: float) -> Review:
        choices = tuple(self._choice(at) for at in range(len(self._shares)) if at in self._verdicts)
        shares = tuple(
            tuple(self._expected(at, seat) if self._has_chosen(at, seat) else share for seat, share in enumerate(each))
            for at, each in enumerate(self._shares)
        )
        wins = tuple(self._wins)
        gone = [0.0] * self.match.seats
        if self._resigned and len(self._shares) > len(self.match.history):
            for seat in self._resigned:
                gone[seat] = max(self._shares[-1][seat] - self._result[seat], 0.0)
            shares = (*shares, self._result)
            wins = (*wins, tuple(float(share == max(self._result)) for share in self._result))
        return Review(self.match, shares, choices, self._result, tuple(gone), min(done, 1.0), wins)

    def _has_chosen(self, at: int, seat: int) -> bool:
        return at in self._verdicts and self.match.history[at][0] == seat

    def _choice(self, at: int) -> ChosenMove:
        seat, move = self.match.history[at]
        verdict = self._verdicts[at]
        return ChosenMove(at, seat, move, verdict.best, verdict.share, verdict.loss, verdict.error, verdict.lead)


def shares_of(match: Match, resigned: Sequence[int] = ()) -> tuple[float, ...]:
    """By seat, the share of its opponents that it left behind, equals by half; in one team, what they
    reached."""
    if match.success is not None:
        return ((0 if resigned else match.success) / CERTAIN,) * match.seats
    teams = match.game.teams(match.seats)
    return shares_behind(places_behind(match.places, resigned, teams), teams)
