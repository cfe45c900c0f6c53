"""The last moves once more, each as its viewer saw it then; nothing comes back that was hidden
since, or games of memory would need none."""

from __future__ import annotations

from typing import NamedTuple

from samovar.engine.match import Match

MOST_STEPS = 20


class Past(NamedTuple):
    """A position that can be looked at again."""

    match: Match  # as it was
    at: int  # after so many moves
    first: int  # the earliest that can be seen
    last: int  # now


def earliest(match: Match, viewer: int | None) -> int:
    """How many moves were made when the viewer looked last: they saw what their own move did."""
    last = len(match.history)
    longest = max(0, last - MOST_STEPS)
    return next((number for number in range(last, longest, -1) if match.history[number - 1][0] == viewer), longest)


def past_of(match: Match, viewer: int | None, at: int, *, helps_memory: bool) -> Past | None:
    """The match after `at` moves; None: it is too long ago, or something was hidden since."""
    first, last = earliest(match, viewer), len(match.history)
    if not first <= at < last:
        return None
    if match.game.faded is not None and not helps_memory:
        first = _first_open(match, viewer, first)
    return Past(match.at(at), at, first, last) if at >= first else None


def _first_open(match: Match, viewer: int | None, first: int) -> int:
    """The earliest position that shows nothing, and since which nothing has happened, that has to be
    remembered now."""
    game, last, now = match.game, len(match.history), match.view(viewer)
    if game.in_sight is None:
        return last
    in_sight = game.in_sight(now)
    for number in range(last, first - 1, -1):
        then = match.at(number)
        happened = then.news(viewer) if number else ()
        if game.fade(happened, now) != happened or not game.in_sight(then.view(viewer)) <= in_sight:
            return number + 1
    return first
