"""A review as it is sent and kept: all but the match, which its reader has, in plain values.

What it says follows from the record, the rules and the way reviews are made; `EDITION` is the number of the
last, so that what was kept by another one is made anew. What came later has a default: a review that was kept before
is read, and shown without it.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial

import msgspec

from samovar.engine.match import Match
from samovar.engine.ways.backend import thread_count
from samovar.insight.likeness import levels_like
from samovar.insight.moments import Deed, Hidden, Moment, is_find, line_after, moment_of
from samovar.insight.review import ChosenMove, Review

EDITION = 1


class WrittenMoment(msgspec.Struct, frozen=True, array_like=True):
    choice: ChosenMove
    made: Deed
    better: Deed
    hidden: tuple[Hidden, ...]
    line: tuple[tuple[int, int], ...] = ()


class WrittenReview(msgspec.Struct, frozen=True):
    """As far as it has come; its moments are told at the end."""

    history: tuple[tuple[int, int], ...]
    shares: tuple[tuple[float, ...], ...]
    choices: tuple[ChosenMove, ...]
    result: tuple[float, ...]
    given_up: tuple[float, ...]
    done: float
    moments: tuple[WrittenMoment, ...] = ()
    wins: tuple[tuple[float, ...], ...] = ()
    finds: tuple[int, ...] = ()  # moves made before each
    like: tuple[tuple[str, ...], ...] = ()  # by seat, the level that they played like, or the two between which

    def review(self, match: Match) -> Review:
        return Review(match, self.shares, self.choices, self.result, self.given_up, self.done, self.wins)

    def moments_of(self, match: Match) -> list[Moment]:
        return [
            Moment(one.choice, match.at(one.choice.moves_made).view(one.choice.seat), one.made, one.better, one.hidden)
            for one in self.moments
        ]

    def line_of(self, choice: ChosenMove) -> tuple[tuple[int, int], ...]:
        """What would have come of the better move; empty where a review was kept without it."""
        return next((one.line for one in self.moments if one.choice == choice), ())


def write(review: Review, *, with_moments: bool = False) -> WrittenReview:
    match = review.match
    shown = review.shown if with_moments else ()
    best = [choice for seat in range(match.seats) for choice in review.best_of(seat)] if with_moments else []
    with ThreadPoolExecutor(thread_count()) as pool:
        moments = tuple(pool.map(partial(written_moment, match), shown))
        is_found = tuple(pool.map(partial(is_find, match), best))
    return WrittenReview(
        tuple(match.history),
        review.shares,
        review.choices,
        review.result,
        review.given_up,
        review.done,
        moments,
        review.wins,
        tuple(choice.moves_made for choice, found in zip(best, is_found, strict=True) if found),
        tuple(levels_like(match, costs_of(review, seat)) for seat in range(match.seats)) if with_moments else (),
    )


def costs_of(review: Review, seat: int) -> list[float]:
    return [choice.cost for choice in review.choices if choice.seat == seat]


def written_moment(match: Match, choice: ChosenMove) -> WrittenMoment:
    one = moment_of(match, choice)
    return WrittenMoment(choice, one.made, one.better, one.hidden, line_after(match, choice))
