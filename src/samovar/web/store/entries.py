"""What can happen at a table: a struct for each kind of entry of its log.

A log outlives the program that wrote it. So what is called otherwise by now keeps its old name there (`name` of a
field, `tag` of a kind), a field that comes later has a default, and a kind whose meaning changes gets another version,
which `read` can tell from the first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import msgspec
from msgspec import UNSET, UnsetType, field

from samovar.engine.contract import Value
from samovar.errors import DamagedLog
from samovar.json_types import JsonObject

NEWEST = 1  # version of any kind of entry


class Entry(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True, tag_field="kind"
):
    """What all kinds have."""

    version: int = 1


@dataclass(frozen=True)
class DaysOff:
    """On which no time runs at a table by post, by the time of this zone."""

    zone: str
    weekends: bool = False
    days: tuple[str, ...] = ()  # as `2026-12-24`


@dataclass(frozen=True)
class Settings:
    is_open: bool = False  # listed for everybody
    hints: bool = False
    memory_aid: bool = False
    stand_in: str = "medium"  # the level of a bot that plays for somebody who is away
    time: str = ""  # how much players have: see `clock.py`; empty: as much as they like
    one_move: bool = False  # when it runs out a bot makes this move only; else it plays until they are back
    is_rated: bool = False  # counts for the table of players, so nobody is helped
    days_off: DaysOff | UnsetType = UNSET  # what is unset is not written: logs of before read and write the same


class Within(NamedTuple):
    """What a table belongs to, if it is not for everybody who has its link."""

    of_class: str = ""
    circle: str = ""
    phrases: tuple[str, ...] = ()  # of the circle


NOTHING = Within()


class Open(Entry, frozen=True, tag="open"):
    """The first entry of a table."""

    game: str
    rules: int  # their version
    seats: int
    options: dict[str, Value]
    settings: Settings
    levels: list[str]  # of the bots by seat, empty for a free chair
    secret: str = ""  # the deal depends on it, and on everybody's nonce
    # of a table of 0.1.0, or of a series, whose deal is known from the beginning
    seed: int | str | None = None
    salt: str = ""  # of the commitment of 0.1.0
    series: str = ""  # of tables that are dealt the same cards
    deal: int = 0  # which of its deals this is, from 1
    commitment: str = ""  # that of the series
    circle: str = ""  # whose table it is: nobody else sees it
    phrases: tuple[str, ...] = ()  # of the circle, when it was opened
    of_class: str = ""  # the class whose pupils play here: nobody else sees it, and nobody writes anything
    goes_on: JsonObject | None = None  # the record, up to a moment, of the match that goes on here


class Sit(Entry, frozen=True, tag="sit"):
    """Somebody takes a free chair."""

    seat: int
    person: str  # the session of the browser
    name: str
    key_salt: str = field(name="nonce")  # makes the key of the chair
    for_program: bool = False
    nonce: str = field(default="", name="luck")  # what they bring to the deal
    nonce_maker: str = field(default="", name="luck_from")  # who made it: "browser", "program" or "server"


class BringNonce(Entry, frozen=True, tag="luck"):
    """A number of the person's own, before anything is dealt."""

    seat: int
    nonce: str = field(name="luck")
    nonce_maker: str = field(name="luck_from")


class Come(Entry, frozen=True, tag="come"):
    """A person is back on the chair, on the same device or, with all fields, on another one."""

    seat: int
    person: str = ""
    key_salt: str = field(default="", name="nonce")


class Leave(Entry, frozen=True, tag="leave"):
    """A chair is given up for good."""

    seat: int
    by: int


class Rename(Entry, frozen=True, tag="name"):
    """Somebody is called otherwise from now on."""

    seat: int
    name: str


class Resign(Entry, frozen=True, tag="resign"):
    """Somebody gives the match up; it ends there, or a bot plays on for the others' sake."""

    seat: int
    ends: bool = False


class Cancel(Entry, frozen=True, tag="cancel"):
    """The table will not be played at; whoever opened it has said so before it began."""

    seat: int


class CloseTable(Entry, frozen=True, tag="close"):
    """An owner of the site has closed the table: nobody comes to it or sees it any more."""


class Hide(Entry, frozen=True, tag="hide"):
    """An owner of the site has taken a remark away: it stays in the log, and nobody reads it."""

    number: int  # of its entry


class Pause(Entry, frozen=True, tag="pause"):
    """The table is paused, or goes on: meanwhile nobody moves, and no time is used."""

    ends: bool = False
    seat: int | None = None  # whose word it was; None: a teacher's, or it has lasted long enough
    is_asked: bool = False  # this seat would like a pause, and others have not agreed yet


class Mute(Entry, frozen=True, tag="mute"):
    """Somebody does not want to read what another player says, or wants to again. Nobody else is told."""

    seat: int
    whom: int  # a seat
    ends: bool = False


class TakeAlong(Entry, frozen=True, tag="along"):
    """Whoever holds a chair is known as another person from now on."""

    seat: int
    before: str
    person: str


class Forget(Entry, frozen=True, tag="forget"):
    """Somebody holds their chair no more. With a name: it is the one they are called by from now on,
    here and in the record, because they want to be forgotten."""

    seat: int
    key_salt: str = field(name="nonce")  # another key for a chair that was theirs
    name: str = ""


class CutOff(Entry, frozen=True, tag="cut"):
    """All other devices lose the chair."""

    seat: int
    person: str
    key_salt: str = field(name="nonce")


class SeatBot(Entry, frozen=True, tag="bot"):
    """A bot plays on this chair from now on."""

    seat: int
    level: str
    by: int | None = None  # who let it play for somebody


class TimeOut(Entry, frozen=True, tag="time_out"):
    """Somebody has run out of time: a bot plays for them."""

    seat: int


class SiteWasAway(Entry, frozen=True, tag="site_away"):
    """Nobody could play for so long: it counts for nobody."""

    milliseconds: int


class Start(Entry, frozen=True, tag="start"):
    """The match begins."""


class Move(Entry, frozen=True, tag="move"):
    seat: int
    move: int


class Ask(Entry, frozen=True, tag="ask"):
    """Somebody asks to take moves back, so that `moves` of them are left."""

    seat: int
    moves: int = field(name="ply")


class Agree(Entry, frozen=True, tag="agree"):
    seat: int


class Refuse(Entry, frozen=True, tag="refuse"):
    seat: int


class Undo(Entry, frozen=True, tag="undo"):
    """Moves are taken back until `moves` of them are left."""

    seat: int
    moves: int = field(name="ply")
    is_marked: bool = False  # somebody may know more by it: everybody is told, and the record says so


class Say(Entry, frozen=True, tag="say"):
    seat: int
    text: str
    is_phrase: bool = False  # one of the ready phrases, which readers see in their own language


class End(Entry, frozen=True, tag="end"):
    """The match is over: its record, as it was then, and the secret of a match that may follow."""

    record: JsonObject
    next_secret: str = ""


class BringNextNonce(Entry, frozen=True, tag="next_luck"):
    """A number for the match that may follow."""

    seat: int
    nonce: str = field(name="luck")


class GoOn(Entry, frozen=True, tag="again"):
    """The same people play again, at this table."""

    table: str
    shift: int = 0  # by how many chairs everybody moves on


class KeepRecord(Entry, frozen=True, tag="record"):
    """Not a table: the record of a match from elsewhere."""

    record: JsonObject


AnyEntry: TypeAlias = (
    Open
    | Sit
    | BringNonce
    | Come
    | Leave
    | Rename
    | Resign
    | Cancel
    | CloseTable
    | Hide
    | Pause
    | Mute
    | TakeAlong
    | Forget
    | CutOff
    | SeatBot
    | TimeOut
    | SiteWasAway
    | Start
    | Move
    | Ask
    | Agree
    | Refuse
    | Undo
    | Say
    | End
    | BringNextNonce
    | GoOn
    | KeepRecord
)


@dataclass(frozen=True, slots=True)
class Logged:
    """An entry in its place of a log."""

    number: int  # 0, 1, 2 ... without gaps within a table
    entry: AnyEntry
    at: int  # milliseconds since 1970


def write(entry: AnyEntry) -> tuple[str, JsonObject]:
    """The kind of an entry and its fields, as JSON has them."""
    fields: JsonObject = msgspec.to_builtins(entry)
    return fields.pop("kind"), fields


def read(table_id: str, number: int, kind: str, fields: JsonObject) -> AnyEntry:
    """The entry that was written."""
    try:
        entry: AnyEntry = msgspec.convert({**fields, "kind": kind}, AnyEntry)
    except msgspec.ValidationError as error:
        reason = (
            f"It is of an unknown kind, {kind!r}." if "$.kind" in str(error) else f"As {kind!r} it is wrong: {error}."
        )
        raise DamagedLog(table_id, number, reason) from error
    if entry.version > NEWEST:
        raise DamagedLog(table_id, number, f"It is {kind!r} of version {entry.version}; this Samovar knows {NEWEST}.")
    return entry
