"""A table: a match with its people, as the fold of one log. Every deed is an entry; the same entries make the same table in any process.

`Table` decides nothing by itself: a method such as `sit` checks whether a deed is allowed and returns the entries for it; `apply` makes an entry
happen. Between the two the entries are committed (see `house.py`), so nothing is seen that could be lost.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from samovar.engine.chance import derive_seed
from samovar.engine.contract import Game, Value
from samovar.engine.fair import commitment
from samovar.engine.instinct import LEVEL_NAMES
from samovar.engine.match import Match
from samovar.engine.record import make_record
from samovar.engine.registry import find_game
from samovar.errors import SamovarError
from samovar.web import problems
from samovar.web.scene import Person
from samovar.web.store import Entry, Summary

Deed = tuple[str, dict[str, Any]]  # kind and data of an entry

LONGEST_NAME = 24
LONGEST_REMARK = 280
KEPT_REMARKS = 200
BOT_NAMES = ("Vasilisa", "Emelya", "Marfa", "Ivan", "Snegurka")


@dataclass
class Chair:
    seat: int
    name: str = ""
    persons: set[str] = field(default_factory=set)  # the sessions that may act here: one for each device of the same person
    level: str = ""  # of the bot that plays here now
    nonce: str = ""  # makes the key of this chair; another one when somebody else sits down
    for_program: bool = False  # played through the API, with the key alone

    @property
    def kind(self) -> str:
        if not self.nonce:
            return "bot" if self.level else "free"
        return "absent" if self.level else "person"

    @property
    def is_asked(self) -> bool:
        """Whether a person sits here who has a say."""
        return self.kind == "person" and not self.for_program

    @property
    def shown(self) -> Person:
        return Person(self.name or (BOT_NAMES[self.seat % len(BOT_NAMES)] if self.level else ""), self.kind, self.level)


@dataclass(frozen=True)
class Remark:
    number: int
    seat: int
    text: str
    is_phrase: bool  # one of the ready phrases, which readers see in their own language


@dataclass
class Asking:
    """Somebody asks to take moves back."""

    seat: int
    ply: int  # how many moves will be left
    agreed: set[int] = field(default_factory=set)


@dataclass(frozen=True)
class Settings:
    is_open: bool = False  # listed for everybody
    hints: bool = False
    memory_aid: bool = False


class Table:
    def __init__(self, table_id: str, opening: Entry) -> None:
        told = opening.data
        self.id = table_id
        self.game: Game = find_game(told["game"])
        if told["rules"] != self.game.version:
            raise problems.OldRules
        self.seats: int = told["seats"]
        self.options: dict[str, Value] = told["options"]
        self.settings = Settings(**told["settings"])
        self.opened_at = opening.at
        self._seed: int = told["seed"]
        self._salt: str = told["salt"]
        self.commitment = commitment(self.game, self.seats, self.options, self._seed, self._salt)
        self.chairs = [Chair(seat, level=level) for seat, level in enumerate(told["levels"])]
        self.match: Match | None = None
        self.changes: list[tuple[int, tuple[int, ...]]] = []  # who changed the match (-1: a move was taken back), and who could act before
        self.remarks: list[Remark] = []
        self.asking: Asking | None = None
        self.again: str | None = None
        self._keys: dict[str, str] = {}  # those of the chairs that were asked for
        self.head = opening.number
        self.changed_at = opening.at

    @staticmethod
    def opening(game: Game, seats: int, options: dict[str, Value], settings: Settings, levels: Sequence[str], seed: int, salt: str) -> list[Deed]:
        """A new table; `levels` are those of the bots by seat, empty for a free chair."""
        count = game.check_seats(seats)
        values = game.check_options(count, options)
        return [
            (
                "open",
                {
                    "game": game.id,
                    "rules": game.version,
                    "seats": count,
                    "options": values,
                    "settings": settings.__dict__,
                    "levels": list(levels),
                    "seed": seed,
                    "salt": salt,
                },
            )
        ]

    # What is so

    @property
    def status(self) -> str:
        if self.match is None:
            return "waiting"
        return "over" if self.match.over else "playing"

    @property
    def playing(self) -> Match:
        """The match, once it has begun."""
        if self.match is None:
            raise problems.NotStarted
        return self.match

    @property
    def ply(self) -> int:
        """How often the match has changed: by a move, or by taking some back. It never comes again, so it names a state of the table."""
        return len(self.changes)

    @property
    def people(self) -> tuple[Person, ...]:
        return tuple(chair.shown for chair in self.chairs)

    @property
    def free(self) -> list[Chair]:
        return [chair for chair in self.chairs if chair.kind == "free"]

    @property
    def actors(self) -> tuple[int, ...]:
        return self.match.actors if self.match else ()

    @property
    def bots_to_move(self) -> tuple[int, ...]:
        return tuple(seat for seat in self.actors if self.chairs[seat].level)

    def seat_of(self, person: str | None) -> int | None:
        """Where a person sits."""
        return next((chair.seat for chair in self.chairs if person is not None and person in chair.persons), None)

    def seated(self, person: str | None) -> int:
        seat = self.seat_of(person)
        if seat is None:
            raise problems.NotSeated
        return seat

    def key(self, seat: int, secret: bytes) -> str:
        """The key of a chair: whoever has it sits there. It is kept nowhere and can be made again at any time."""
        message = f"{self.id}:{seat}:{self.chairs[seat].nonce}"
        if message not in self._keys:
            self._keys[message] = f"{seat}{hmac.new(secret, message.encode(), hashlib.sha256).hexdigest()[:40]}"
        return self._keys[message]

    def seat_with(self, key: str, secret: bytes) -> int:
        """The seat whose key this is."""
        seat = int(key[0]) if key[:1].isdecimal() and key.isascii() else self.seats
        if seat < self.seats and self.chairs[seat].nonce and hmac.compare_digest(key.encode(), self.key(seat, secret).encode()):
            return seat
        raise problems.NotSeated

    def bot_seed(self, seat: int) -> int:
        return derive_seed("bot", self._seed, self._salt, seat)

    @property
    def deal(self) -> int:
        """The seed. It leaves the server for thinkers only, and for everybody when the match is over."""
        return self._seed

    def record(self) -> dict[str, Any]:
        match = self.playing
        if not match.over:
            raise problems.NotOver
        names = [person.name for person in self.people]
        bots = {str(chair.seat): chair.level for chair in self.chairs if chair.level}
        return make_record(match, {"names": names, "bots": bots, "commitment": self.commitment, "salt": self._salt})

    def summary(self) -> Summary:
        return Summary(
            game=self.game.id,
            seats=self.seats,
            status=self.status,
            is_open=self.settings.is_open,
            actors=sum(1 << seat for seat in self.actors),
            bot_turn=bool(self.bots_to_move),
            free=len(self.free),
        )

    # What can be done: each says which entries it takes

    def sit(self, person: str, name: str, nonce: str, seat: int | None = None, *, for_program: bool = False) -> list[Deed]:
        """Takes a free chair; the last one begins the match."""
        if self.seat_of(person) is not None and not for_program:
            raise problems.AlreadySeated
        free = [chair for chair in self.free if seat in (None, chair.seat)]
        if not free:
            raise problems.TableFull
        told = {"seat": free[0].seat, "person": person, "name": self._unused(check_name(name)), "nonce": nonce, "for_program": for_program}
        return [("sit", told), *([("start", {})] if len(self.free) == 1 else [])]

    def begin(self, person: str, level: str) -> list[Deed]:
        """Bots take the chairs that are still free."""
        self.seated(person)
        if self.match is not None:
            raise problems.MovedOn
        check_level(level)
        return [*(("bot", {"seat": chair.seat, "level": level}) for chair in self.free), ("start", {})]

    def come(self, person: str, seat: int) -> list[Deed]:
        """A person comes back, perhaps on another device, and takes the chair from the bot that kept it warm."""
        chair = self.chairs[seat]
        return [("come", {"seat": seat, "person": person})] if person not in chair.persons or chair.level else []

    def hand_over(self, person: str, seat: int, level: str) -> list[Deed]:
        """A bot plays for somebody who is away: for oneself at any time, for another when the table waits for them."""
        own = self.seated(person)
        check_level(level)
        chair = self._chair(seat)
        if self.playing.over:
            raise problems.IsOver
        if chair.kind != "person" or (seat != own and seat not in self.actors):
            raise problems.MovedOn
        return [("bot", {"seat": seat, "level": level})]

    def move(self, seat: int, move: int | str, ply: int) -> list[Deed]:
        match = self.playing
        if match.over:
            raise problems.IsOver
        if not self._still_stands(seat, ply):
            raise problems.MovedOn
        if seat not in match.actors:
            raise problems.NotYourTurn
        try:
            number = match.parse_move(seat, move) if isinstance(move, str) else move
        except SamovarError as error:
            raise problems.NotPossible from error
        return [("move", {"seat": seat, "move": number})]  # the match finds out whether it is legal when it is made

    def _still_stands(self, seat: int, ply: int) -> bool:
        """Whether what the seat saw at `ply` still holds: nothing has changed, or others have made their part of a simultaneous choice (C4)."""
        since = self.changes[ply:]
        return 0 <= ply <= self.ply and all(mover not in (seat, -1) and seat in actors for mover, actors in since)

    def last_own_move(self, seat: int) -> int:
        """How many moves were made before the last one of this seat."""
        match = self.playing
        if match.over:
            raise problems.IsOver
        own = [number for number, (mover, _) in enumerate(match.history) if mover == seat]
        if not own:
            raise problems.NothingToTakeBack
        return own[-1]

    def take_back(self, seat: int, *, is_free: bool) -> list[Deed]:
        """Back to before the seat's last move: at once if nobody could mind, else the others are asked. Bots never mind."""
        ply = self.last_own_move(seat)
        if is_free or not any(chair.is_asked and chair.seat != seat for chair in self.chairs):
            return [("undo", {"seat": seat, "ply": ply})]
        return [("ask", {"seat": seat, "ply": ply})]

    def answer(self, seat: int, *, agrees: bool) -> list[Deed]:
        """To somebody's wish to take moves back; the last consent does it."""
        if self.asking is None or self.asking.seat == seat:
            raise problems.MovedOn
        if not agrees:
            return [("refuse", {"seat": seat})]
        missing = [chair.seat for chair in self.chairs if chair.is_asked and chair.seat not in (seat, self.asking.seat, *self.asking.agreed)]
        done = [] if missing else [("undo", {"seat": self.asking.seat, "ply": self.asking.ply})]
        return [("agree", {"seat": seat}), *done]

    def say(self, seat: int, text: str, *, is_phrase: bool) -> list[Deed]:
        said = " ".join(text.split())
        if not 1 <= len(said) <= LONGEST_REMARK or not said.isprintable():
            raise problems.BadRemark(most=LONGEST_REMARK)
        return [("say", {"seat": seat, "text": said, "is_phrase": is_phrase})]

    def go_on_at(self, person: str, table_id: str) -> list[Deed]:
        self.seated(person)
        if not self.playing.over:
            raise problems.NotOver
        return [("again", {"table": table_id})]

    def _chair(self, seat: int) -> Chair:
        if not 0 <= seat < self.seats:
            raise problems.Problem
        return self.chairs[seat]

    def _unused(self, name: str) -> str:
        """The second Anna is Anna 2."""
        taken = {person.name for person in self.people}
        return next(told for told in (name, *(f"{name} {number}" for number in range(2, 10))) if told not in taken)

    # What happens

    def apply(self, entry: Entry) -> None:
        getattr(self, f"_on_{entry.kind}")(**entry.data, number=entry.number)
        self.head = entry.number
        self.changed_at = entry.at

    def _on_sit(self, seat: int, person: str, name: str, nonce: str, for_program: bool, number: int) -> None:
        self.chairs[seat] = Chair(seat, name, {person}, nonce=nonce, for_program=for_program)

    def _on_come(self, seat: int, person: str, number: int) -> None:
        for chair in self.chairs:  # one person, one chair
            chair.persons.discard(person)
        self.chairs[seat].persons.add(person)
        self.chairs[seat].level = ""

    def _on_bot(self, seat: int, level: str, number: int) -> None:
        self.chairs[seat].level = level
        if self.asking:  # a bot does not mind, and one does not wait for whoever left
            self.asking = None

    def _on_start(self, number: int) -> None:
        self.match = Match(self.game, self.seats, self._seed, plain=True, **self.options)

    def _on_move(self, seat: int, move: int, number: int) -> None:
        match = self.playing
        before = match.actors
        try:
            match.play(seat, move)
        except SamovarError as error:  # and nothing has changed
            raise problems.NotPossible from error
        self.changes.append((seat, before))
        self.asking = None

    def _on_ask(self, seat: int, ply: int, number: int) -> None:
        self.asking = Asking(seat, ply)

    def _on_agree(self, seat: int, number: int) -> None:
        if self.asking:
            self.asking.agreed.add(seat)

    def _on_refuse(self, seat: int, number: int) -> None:
        self.asking = None

    def _on_undo(self, seat: int, ply: int, number: int) -> None:
        match = self.playing
        self.changes.append((-1, match.actors))
        while len(match.history) > ply:
            match.undo()
        self.asking = None

    def _on_say(self, seat: int, text: str, is_phrase: bool, number: int) -> None:
        self.remarks.append(Remark(number, seat, text, is_phrase))
        del self.remarks[:-KEPT_REMARKS]

    def _on_again(self, table: str, number: int) -> None:
        self.again = table


def check_name(name: str) -> str:
    told = " ".join(name.split())
    if not 1 <= len(told) <= LONGEST_NAME or not told.isprintable():
        raise problems.BadName(most=LONGEST_NAME)
    return told


def check_level(level: str) -> str:
    if level not in LEVEL_NAMES:
        raise problems.BadChoice(name="level", value=level)
    return level
