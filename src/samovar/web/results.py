"""How the matches of tables came out, a row for each seat: kept beside the records, because lists and
figures of a person need no more."""

from __future__ import annotations

from typing import TypedDict

from samovar.web.table import Table


class Result(TypedDict):
    """A seat's, as the database has it."""

    table_id: str
    seat: int
    game: str
    seats: int
    person: str  # '': a bot, or a program
    name: str
    level: str  # of a bot that sat there from the beginning
    place: int
    score: int | None  # None: the match was not played to its end
    is_rated: bool
    ended: int  # milliseconds since 1970


def results_of(table: Table) -> list[Result]:
    """Of a match that is over. A person whose chair a bot kept warm is still who sat there."""
    places, scores = table.places, table.scores
    if places is None or not table.holders:  # what bots do among themselves belongs to nobody
        return []
    return [
        Result(
            table_id=table.id,
            seat=chair.seat,
            game=table.game.id,
            seats=table.seats,
            person="" if chair.for_program else next(iter(chair.persons), ""),
            name=table.people[chair.seat].name,
            level=chair.level if chair.kind == "bot" else "",
            place=places[chair.seat],
            score=None if scores is None else scores[chair.seat],
            is_rated=False,
            ended=table.changed_at,
        )
        for chair in table.chairs
    ]
