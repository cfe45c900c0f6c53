"""A review as it is sent and kept: all but the match, which its reader has, in plain values.

What it says follows from the record, the rules and the way reviews are made; `EDITION` is the number of the
last, so that what was kept by another one is made anew.
"""

from __future__ import annotations

import msgspec

from samovar.engine.match import Match
from samovar.insight.moments import Deed, Hidden, Moment, moment_of
from samovar.insight.review import ChosenMove, Review

EDITION = 1


class WrittenMoment(msgspec.Struct, frozen=True, array_like=True):
    choice: ChosenMove
    made: Deed
    better: Deed
    hidden: tuple[Hidden, ...]


class WrittenReview(msgspec.Struct, frozen=True):
    """As far as it has come; its moments are told at the end."""

    history: tuple[tuple[int, int], ...]
    shares: tuple[tuple[float, ...], ...]
    choices: tuple[ChosenMove, ...]
    result: tuple[float, ...]
    given_up: tuple[float, ...]
    done: float
    moments: tuple[WrittenMoment, ...] = ()

    def review(self, match: Match) -> Review:
        return Review(match, self.shares, self.choices, self.result, self.given_up, self.done)

    def moments_of(self, match: Match) -> list[Moment]:
        return [
            Moment(one.choice, match.at(one.choice.ply).view(one.choice.seat), one.made, one.better, one.hidden)
            for one in self.moments
        ]


def write(review: Review, *, with_moments: bool = False) -> WrittenReview:
    moments = [moment_of(review.match, choice) for choice in review.told] if with_moments else []
    return WrittenReview(
        tuple(review.match.history),
        review.shares,
        review.choices,
        review.result,
        review.given_up,
        review.done,
        tuple(WrittenMoment(one.choice, one.made, one.better, one.hidden) for one in moments),
    )
