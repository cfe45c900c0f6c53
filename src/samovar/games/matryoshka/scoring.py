"""What displays are worth, and who wins."""

from __future__ import annotations

from samovar.engine.arrays import Ints
from samovar.engine.rule import rule, table

from .sizes import VALUES
from .state import CAP, CARDS_PER_SEAT, MAX_GROWTH, State, growth_of, long_columns_of

LONGEST = 10  # cards that a column can have
CAPPED_LENGTH = 7  # M5, switch: longer columns score as 7 cards
BONUS = (0, 0, 0, 0, 0, 1, 2, 3)  # of a run


def _points(growth: int) -> list[int]:
    """For so many cards in a column or a run. M5: the rulebook's table grows by 3 a card from 3 on."""
    return [0, 0, 2, 4, *(4 + growth * more for more in range(1, LONGEST - 2))]


# By growth; the bonus is for runs in a row alone (M6).
POINTS = table([_points(growth) for growth in range(MAX_GROWTH + 1)])
ROW_POINTS = table(
    [
        [points + bonus for points, bonus in zip(_points(growth), BONUS, strict=False)]
        for growth in range(MAX_GROWTH + 1)
    ]
)

_COUNT_BITS = 4  # a number of cards or runs fits in these
_COUNT = (1 << _COUNT_BITS) - 1
_RUN_BITS = _COUNT_BITS * (VALUES - 1)  # the numbers of runs of 2 .. 7 cards, packed


@rule
def worth(state: State, seat: int) -> int:
    """Points and, for ties, the runs: points << _RUN_BITS | how many runs of 7, 6, ... 2 cards,
    four bits each.

    M7: each maximal run of a colour scores by itself. M8: comparing the lengths of the runs from
    the longest on, a missing one as 0, is comparing these numbers of runs from the longest length
    on.
    """
    growth = growth_of(state)
    columns = 0
    runs = 0
    points = 0
    length = 0
    last = -2
    for i in range(CARDS_PER_SEAT):
        if (state.shown[seat] >> i) & 1:
            card = state.cards[seat, i]
            columns += 1 << (_COUNT_BITS * (card % VALUES))
            if card == last + 1 and card % VALUES != 0:
                length += 1
            else:
                points += ROW_POINTS[growth, length]
                runs += run_of(length)
                length = 1
            last = card
    points += ROW_POINTS[growth, length]
    runs += run_of(length)
    for value in range(VALUES):
        count = (columns >> (_COUNT_BITS * value)) & _COUNT
        if long_columns_of(state) == CAP:
            count = min(count, CAPPED_LENGTH)
        points += POINTS[growth, count]
    return (points << _RUN_BITS) | runs


@rule
def run_of(length: int) -> int:
    """A run of so many cards among the packed numbers of runs; a single card is none."""
    if length < 2:
        return 0
    return 1 << (_COUNT_BITS * (length - 2))


@rule
def scores(state: State, out: Ints) -> None:
    """Points of the displays as they lie now."""
    for seat in range(state.seats):
        out[seat] = worth(state, seat) >> _RUN_BITS


@rule
def places(state: State, out: Ints) -> None:
    """Points, then runs (M8); who is equal in both shares the place and the next is skipped
    (C6)."""
    for seat in range(state.seats):
        own = worth(state, seat)
        out[seat] = 1
        for other in range(state.seats):
            if worth(state, other) > own:
                out[seat] += 1
