"""A plan: the moves that somebody has made ahead at a table by post, as conditions on what they will see.

What has become of a plan follows from the plan and from the log of the table: which of its turns are done, and what
the seat has seen since. So nothing is lost with a process that ends, and nothing needs to be written when a move of
it is made. All that is asked is what this seat sees.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import msgspec

from samovar.engine.contract import Event
from samovar.engine.match import Match
from samovar.errors import SamovarError
from samovar.web.problems import N_
from samovar.web.tables.table import Table

ANY = "…"  # how a fact is told that is left open
WHATEVER = ""  # in the place of something to be seen
MOST_TURNS = 3
MOST_LINES = 8  # of a turn
NOT_SEEN, NOT_POSSIBLE, TAKEN_BACK, MOVED = "not_seen", "not_possible", "taken_back", "moved"
READY = N_("You have made moves ahead for your next turn.")
DROPPED = {
    NOT_SEEN: N_("Your moves ahead were dropped: nothing that you had named has happened."),
    NOT_POSSIBLE: N_("Your moves ahead were dropped: the move was not possible any more."),
    TAKEN_BACK: N_("Your moves ahead were dropped, because moves were taken back."),
    MOVED: N_("Your moves ahead were dropped, because another move was made at your turn."),
}


class PlannedMove(msgspec.Struct, frozen=True, omit_defaults=True):
    """If this is seen, this is played. The first of a turn that holds counts."""

    move: str  # as text
    sees: str = WHATEVER  # an event, see `named`


class MovePlan(msgspec.Struct, frozen=True, omit_defaults=True):
    key_salt: str  # of the chair when it was made, and who sat there: it is nobody else's
    persons: list[str]
    moves: int  # that were made by then
    take_backs: int
    turns: list[list[PlannedMove]] = []
    only_moves: bool = False  # a move is made by itself where there is no other
    dropped: str = ""  # why there are no turns any more: one of DROPPED

    @property
    def is_empty(self) -> bool:
        return not self.turns and not self.only_moves and not self.dropped


class PlanProgress(NamedTuple):
    """What has become of a plan by now."""

    turn: int  # the turn that comes next, counted from 0
    moves: int  # that were made when it began to wait for it
    seen: frozenset[str]  # since then


def new_plan(table: Table, seat: int, turns: list[list[PlannedMove]], only_moves: bool, moves: int) -> MovePlan:
    chair = table.chairs[seat]
    return MovePlan(chair.key_salt, sorted(chair.persons), moves, table.take_backs, turns, only_moves)


@lru_cache(4096)
def named(event: Event) -> str:
    """An event as it is kept."""
    return msgspec.json.encode([event.kind, *event.facts]).decode()


@lru_cache(4096)
def event_of(name: str) -> Event:
    """It may leave facts open, which are then told as ANY."""
    kind, *facts = msgspec.json.decode(name)
    return Event(kind, tuple((key, ANY if value is None else value) for key, value in facts))


def fits(sees: str, event: str) -> bool:
    """Whether an event is what somebody wanted to see."""
    if sees == event:
        return True
    if "null" not in sees:
        return False
    wanted, seen = event_of(sees), event_of(event)
    return (
        wanted.kind == seen.kind
        and len(wanted.facts) == len(seen.facts)
        and all(fact in (other, (other[0], ANY)) for fact, other in zip(wanted.facts, seen.facts, strict=True))
    )


def is_of(plan: MovePlan, table: Table, seat: int) -> bool:
    """Whether whoever has made it still sits there."""
    chair = table.chairs[seat]
    same = bool(chair.key_salt) and chair.key_salt == plan.key_salt
    return same or not chair.persons.keys().isdisjoint(plan.persons)


def progress_of(plan: MovePlan, table: Table, seat: int) -> PlanProgress | str:
    """Or why it holds no more."""
    match = table.playing
    if plan.take_backs != table.take_backs or len(match.history) < plan.moves:
        return TAKEN_BACK
    told = match.log(seat, last=len(match.history) - plan.moves) if len(match.history) > plan.moves else []
    progress, seen = PlanProgress(0, plan.moves, frozenset()), set[str]()
    for number, events in enumerate(told, plan.moves):
        if match.history[number][0] == seat:
            if plan.turns and not _was_planned(plan, progress.turn, frozenset(seen), match.at(number), seat, match):
                return MOVED
            progress, seen = PlanProgress(progress.turn + 1, number + 1, frozenset()), set()
        seen |= {named(event) for event in events}
    return progress._replace(seen=frozenset(seen))


def _was_planned(plan: MovePlan, turn: int, seen: frozenset[str], then: Match, seat: int, match: Match) -> bool:
    if turn >= len(plan.turns) or (plan.only_moves and len(then.legal(seat)) == 1):
        return True
    return planned_move(plan.turns[turn], seen, then, seat) == match.history[len(then.history)][1]


def planned_move(turn: list[PlannedMove], seen: frozenset[str], match: Match, seat: int) -> int | str:
    """The number of the move, or why there is none."""
    for planned in turn:
        if planned.sees == WHATEVER or any(fits(planned.sees, event) for event in seen):
            return _possible(planned.move, match, seat)
    return NOT_SEEN


def _possible(text: str, match: Match, seat: int) -> int | str:
    try:
        move = match.parse_move(seat, text)
    except SamovarError:
        return NOT_POSSIBLE
    return move if move in match.legal(seat) else NOT_POSSIBLE


def next_move(plan: MovePlan, progress: PlanProgress, match: Match, seat: int) -> int | str:
    """What this seat, which is to act, has made ahead: the number of a move, why there is none, or nothing at all."""
    legal = match.legal(seat)
    if plan.only_moves and len(legal) == 1:
        return legal[0]
    if progress.turn >= len(plan.turns):
        return ""
    return planned_move(plan.turns[progress.turn], progress.seen, match, seat)
