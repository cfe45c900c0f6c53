"""What a record says about itself, as far as its page shows it. A file from elsewhere may say
anything."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from samovar.engine.heuristics import CERTAIN
from samovar.engine.places import places_behind
from samovar.engine.records.record import resigned_of, take_backs_of
from samovar.engine.registry import find_game
from samovar.errors import SamovarError
from samovar.json_types import JsonObject
from samovar.web.names import Person
from samovar.web.store.queries.tours import NoteRow

LONGEST_NAME = 40
LONGEST_LEVEL = 20
LONGEST_NUMBER = 128  # digits of a seed, a hash or a nonce
MOST_PEOPLE = 16
LONGEST_NOTE = 500
MOST_NOTES = 200
MOST_NONCES = 64  # a series of tables has those of all its people


@dataclass(frozen=True, slots=True)
class RecordSummary:
    game: str
    people: tuple[Person, ...]  # by seat
    scores: tuple[str, ...]  # by seat
    places: tuple[str, ...]
    success: int | None  # of a thousand, where all seats were one team
    seed: str
    commitment: str
    secret: str  # what was committed to
    salt: str  # the same in records of version 0.1
    nonces: tuple[str, ...]  # that had a part in the deal
    resigned: tuple[int, ...]  # the seats that gave the match up, in this order
    take_backs: int  # by which somebody may have come to know more
    notes: tuple[NoteRow, ...] = ()  # that came along beside its moves


def summary_of(record: JsonObject) -> RecordSummary:
    table = record.get("table")
    facts: JsonObject = table if isinstance(table, dict) else {}
    seats = record.get("seats")
    count = max(0, min(seats, MOST_PEOPLE)) if isinstance(seats, int) else 0
    return RecordSummary(
        game=text(record.get("game"), LONGEST_NAME),
        people=people_of(facts, count),
        scores=texts(None if was_given_up(record) else record.get("scores"), count),
        places=places_of(record, count),
        success=success_of(record),
        seed=text(record.get("seed")),
        commitment=text(facts.get("commitment")),
        secret=text(facts.get("secret")),
        salt=text(facts.get("salt")),
        nonces=tuple(filter(None, texts(facts.get("nonces"), MOST_NONCES))),
        resigned=resigned_of(record),
        take_backs=take_backs_of(record),
        notes=notes_of(record),
    )


def notes_of(record: JsonObject) -> tuple[NoteRow, ...]:
    """What people wrote beside the moves before the file was taken along."""
    notes = record.get("notes")
    return tuple(
        NoteRow("", note["at"], "", text(note.get("name"), LONGEST_NAME), text(note.get("text"), LONGEST_NOTE))
        for note in (notes[:MOST_NOTES] if isinstance(notes, list) else ())
        if isinstance(note, dict) and type(note.get("at")) is int and text(note.get("text"))
    )


def was_given_up(record: JsonObject) -> bool:
    """Whether the match was not played to its end because somebody resigned."""
    return bool(resigned_of(record)) and not record.get("over")


def places_of(record: JsonObject, count: int) -> tuple[str, ...]:
    """By seat; those who gave up come last, and where that ended the match the others are first."""
    resigned = resigned_of(record)
    places = [1] * count if was_given_up(record) else record.get("places")
    if resigned and isinstance(places, list) and [type(place) for place in places] == [int] * record["seats"]:
        return texts(list(places_behind(places, resigned, teams_of(record))), count)
    return texts(places, count)


def teams_of(record: JsonObject) -> Sequence[int]:
    """By seat; of a game that is not here any more each for itself."""
    seats: int = record["seats"]
    try:
        game = find_game(str(record.get("game")))
        return game.teams(game.check_seats(seats))
    except SamovarError:
        return range(seats)


def success_of(record: JsonObject) -> int | None:
    """Of those who all played together; whoever gave up did so for all."""
    success = record.get("success") if record.get("over") or resigned_of(record) else None
    if type(success) is not int or not 0 <= success <= CERTAIN:
        return None
    return 0 if resigned_of(record) else success


def people_of(facts: JsonObject, count: int) -> tuple[Person, ...]:
    """Who sat there; whoever has no name is called by the number of the chair."""
    levels = facts.get("bots")
    people = []
    for seat, name in enumerate(texts(facts.get("names"), count, LONGEST_NAME)):
        level = text(levels.get(str(seat)), LONGEST_LEVEL) if isinstance(levels, dict) else ""
        people.append(Person(name or f"{seat + 1}", "bot" if level else "person", level))
    return tuple(people)


def texts(values: object, count: int, most: int = LONGEST_NUMBER) -> tuple[str, ...]:
    """One for each seat, empty where nothing is said."""
    kept = values[:count] if isinstance(values, list) else []
    return (*(text(value, most) for value in kept), *[""] * (count - len(kept)))


def text(value: object, most: int = LONGEST_NUMBER) -> str:
    """A text or a number, nothing else, and not for ever."""
    return str(value)[:most] if isinstance(value, str | int) and not isinstance(value, bool) else ""
