"""What is kept of a table beside its log, because lists and figures of a person need no more: what it is like now,
and how its match came out, a row for each seat."""

from __future__ import annotations

from typing import TypedDict

from samovar.web.store.store import Summary
from samovar.web.tables.chairs import Chair, is_companion
from samovar.web.tables.table import Table


def summary_of(table: Table) -> Summary:
    return Summary(
        game=table.game.id,
        seats=table.seats,
        status=table.status,
        is_open=table.settings.is_open,
        actors=sum(1 << seat for seat in table.actors),
        bot_turn=bool(table.bots_to_move),
        free=len(table.free),
        people=sum(chair.was_taken or bool(chair.key_salt) for chair in table.chairs),
        names="\n".join(person.name for person in table.people),
        due=table.due,
    )


class Result(TypedDict):
    """A seat's, as the database has it."""

    table_id: str
    seat: int
    game: str
    seats: int
    person: str  # '': a bot, or a program
    name: str
    level: str  # of a bot that sat there from the beginning
    team: int
    place: int  # of the team
    score: int | None  # None: the match was not played to its end
    success: int | None  # of a thousand, where all seats are one team
    is_rated: bool
    ended: int  # milliseconds since 1970


def results_of(table: Table) -> list[Result]:
    """Of a match that is over. A person whose chair a bot kept warm is still who sat there."""
    places, scores, teams = table.team_places, table.scores, table.teams
    is_whole = table.goes_on is None  # what others have begun says little of those who end it
    if places is None or not is_whole or not table.holders:  # what bots do among themselves belongs to nobody
        return []
    return [
        Result(
            table_id=table.id,
            seat=chair.seat,
            game=table.game.id,
            seats=table.seats,
            person="" if chair.for_program else _owner(chair),
            name=table.people[chair.seat].name,
            level="" if chair.was_taken else chair.level,
            team=teams[chair.seat],
            place=places[chair.seat],
            score=None if scores is None else scores[chair.seat],
            success=table.success,
            is_rated=is_rated(table),
            ended=table.changed_at,
        )
        for chair in table.chairs
    ]


def _owner(chair: Chair) -> str:
    """Nobody on a device of others: they would get what somebody else did."""
    person = next(iter(chair.persons), chair.beginner)
    return "" if is_companion(person) else person


def is_rated(table: Table) -> bool:
    """Whether the match counts for the table of players: as it ended, by a resignation or with a bot
    in somebody's chair, too. Not if a device had several chairs, all of them perhaps one person's, and
    not if nobody played against another."""
    people = (person for chair in table.chairs for person in (chair.beginner, *chair.persons))
    counts = table.settings.is_rated and table.success is None
    return counts and not table.marked_take_backs and not any(map(is_companion, people))
