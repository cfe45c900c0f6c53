"""Who leads where several tables were dealt the same cards: by place, and by points against all who
had the same chair and the same cards."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

MOST_BARS = 8


@dataclass(frozen=True)
class StandingOutcome:
    """Of one seat at one table."""

    deal: int
    seat: int
    place: int
    score: int | None  # None: the match was not played to its end
    who: int | None  # the number of a person; None: a bot
    success: int | None = None  # of a thousand, where all seats are one team


@dataclass(frozen=True)
class Standing:
    who: int
    deals: int  # that count so far
    by_place: int  # how many players (or teams) a table has less the place, of all deals
    by_cards: Fraction  # points more than the mean of those with the same chair and cards


def standings(people: int, parties: int, outcomes: Sequence[StandingOutcome]) -> list[Standing]:
    """Best first, by place; a bot's points are in the means, but it has no line."""
    scores = _scores(outcomes)
    deals, by_place, by_cards = [0] * people, [0] * people, [Fraction(0)] * people
    for one in outcomes:
        if one.who is None:
            continue
        deals[one.who] += 1
        by_place[one.who] += parties - one.place
        by_cards[one.who] += _against_mean(one, scores[one.deal, one.seat])
    lines = [Standing(who, deals[who], by_place[who], by_cards[who]) for who in range(people)]
    return sorted(lines, key=lambda line: (-line.by_place, -line.by_cards, line.who))


def _scores(outcomes: Sequence[StandingOutcome]) -> dict[tuple[int, int], list[int]]:
    """What was made of each chair of each deal."""
    scores = defaultdict[tuple[int, int], list[int]](list)
    for one in outcomes:
        if one.score is not None:
            scores[one.deal, one.seat].append(one.score)
    return scores


def _against_mean(one: StandingOutcome, scores: Sequence[int]) -> Fraction:
    """Whoever gave a match up counts as the lowest with these cards; the others there as the mean."""
    has_resigned = one.score is None and (one.place > 1 or one.success is not None)
    if not scores or (one.score is None and not has_resigned):
        return Fraction(0)
    own = min(scores) if one.score is None else one.score
    return own - Fraction(sum(scores), len(scores))


def better_than(own: int | None, scores: Sequence[int | None]) -> int:
    """The share of the others, in percent, who made less of the same cards, half of those with as
    much among them; `scores` are those of all, oneself too. None, given up, is less than any."""
    if len(scores) < 2:
        return 100
    worse = sum(_worth(score) < _worth(own) for score in scores)
    same = sum(score == own for score in scores) - 1
    return round(Fraction(100 * (2 * worse + same), 2 * (len(scores) - 1)))


def _worth(score: int | None) -> tuple[bool, int]:
    return (score is not None, score or 0)


@dataclass(frozen=True)
class Bar:
    """How many made so many points."""

    least: int
    most: int
    count: int
    is_own: bool


def distribution(own: int | None, scores: Sequence[int | None]) -> list[Bar]:
    """A few bars of equal width, from the lowest score to the highest."""
    counted = [score for score in scores if score is not None]
    if not counted:
        return []
    low, high = min(counted), max(counted)
    width = -(-(high - low + 1) // MOST_BARS)
    starts = range(low, high + 1, width)
    return [
        Bar(
            start,
            start + width - 1,
            sum(start <= score < start + width for score in counted),
            own is not None and start <= own < start + width,
        )
        for start in starts
    ]
