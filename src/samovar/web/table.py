"""A table: a match with its people, as the fold of one log. Every deed is an entry; the same
entries make the same table in any process.

`Table` decides nothing by itself: a method such as `sit` checks whether a deed is allowed and
returns the entries for it; `apply` makes an entry happen. Between the two the entries are committed
(see `house.py`), so nothing is seen that could be lost.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any

from samovar.engine.chance import derive_seed
from samovar.engine.contract import Game, Value
from samovar.engine.fair import commitment, deal_seed, old_commitment
from samovar.engine.instinct import LEVEL_NAMES
from samovar.engine.match import Match
from samovar.engine.record import make_record
from samovar.engine.registry import find_game
from samovar.errors import SamovarError, UnknownGame
from samovar.web import problems
from samovar.web.names import can_be_seen, check_name, same_name
from samovar.web.scene import Person
from samovar.web.store import Entry, Summary

Deed = tuple[str, dict[str, Any]]  # kind and data of an entry

LONGEST_REMARK = 280
KEPT_REMARKS = 200
BOT_NAMES = ("Vasilisa", "Emelya", "Marfa", "Ivan", "Snegurka")
HAND_OVER_AGAIN_MS = 60_000  # others cannot let a bot play for somebody more often


@dataclass
class Chair:
    seat: int
    name: str = ""
    # the sessions that may act here, one for each device of the same person, and since when
    persons: dict[str, int] = field(default_factory=dict)
    level: str = ""  # of the bot that plays here now
    nonce: str = ""  # makes the key of this chair; another one whenever somebody sits down or comes
    for_program: bool = False  # played through the API, with the key alone
    luck: str = ""  # a number that the deal depends on
    luck_from: str = ""  # who made it: "browser", "program" or "server"
    next_luck: str = ""  # for the match after this one
    # somebody has sat here in this match, and is asked before anything is taken back, away or not
    was_taken: bool = False
    handed_by: int | None = None  # who let the bot play
    handed_at: int = 0  # when

    @property
    def kind(self) -> str:
        if not self.nonce:
            return "bot" if self.level else "free"
        return "absent" if self.level else "person"

    @property
    def shown(self) -> Person:
        return Person(self.name or (BOT_NAMES[self.seat % len(BOT_NAMES)] if self.level else ""), self.kind, self.level)


@dataclass(frozen=True)
class Remark:
    number: int
    seat: int
    text: str
    is_phrase: bool  # one of the ready phrases, which readers see in their own language
    # of a deed that everybody is told of: who did it, to whom; the text says which it was
    names: tuple[str, str] | None = None


@dataclass
class Asking:
    """Somebody asks to take moves back."""

    seat: int
    ply: int  # how many moves will be left
    agreed: set[int] = field(default_factory=set)


@dataclass(frozen=True)
class Luck:
    """A number that somebody brings to the table before it is dealt; the deal depends on
    everybody's."""

    number: str  # hexadecimal
    maker: str  # "browser", "program", or "server" for those who bring none

    @property
    def told(self) -> dict[str, str]:
        return {"luck": self.number, "luck_from": self.maker}


@dataclass(frozen=True)
class Settings:
    is_open: bool = False  # listed for everybody
    hints: bool = False
    memory_aid: bool = False
    stand_in: str = "medium"  # the level of a bot that plays for somebody who is away


class Table:
    def __init__(self, table_id: str, opening: Entry) -> None:
        told = opening.data
        self.id = table_id
        try:
            self.game: Game = find_game(told["game"])
        except UnknownGame as error:
            raise problems.NoSuchGame(game=told["game"]) from error
        if told["rules"] != self.game.version:
            raise problems.OldRules
        self.seats: int = told["seats"]
        self.options: dict[str, Value] = told["options"]
        self.settings = Settings(**told["settings"])
        self.opened_at = opening.at
        self._secret: str = told.get("secret", "")
        self._seed: int | str | None = told.get("seed")  # None: it will follow from the secret and everybody's luck
        self._salt: str = told.get("salt", "")
        self.commitment = self._commitment()
        self.chairs = [Chair(seat, level=level) for seat, level in enumerate(told["levels"])]
        self.match: Match | None = None
        self.take_backs = 0
        # who changed the match (-1: a move was taken back), and who could act before
        self.changes: list[tuple[int, tuple[int, ...]]] = []
        self.remarks: list[Remark] = []
        self.asking: Asking | None = None
        self.again: str | None = None
        self.kept_record: dict[str, Any] | None = None  # of a match that is over
        self._next_secret = ""  # of the match after this one, if the same people play again
        self._keys: dict[str, str] = {}  # those of the chairs that were asked for
        self.head = opening.number
        self.changed_at = opening.at

    @staticmethod
    def opening(
        game: Game, seats: int, options: dict[str, Value], settings: Settings, levels: Sequence[str], secret: str
    ) -> list[Deed]:
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
                    "secret": secret,
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
        """How often the match has changed: by a move, or by taking some back. It never comes again,
        so it names a state of the table."""
        return len(self.changes)

    @property
    def people(self) -> tuple[Person, ...]:
        return tuple(chair.shown for chair in self.chairs)

    @property
    def holders(self) -> dict[str, int]:
        """Who holds which chair."""
        return {person: chair.seat for chair in self.chairs for person in chair.persons}

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
        """The key of a chair: whoever has it sits there. It is kept nowhere and can be made again
        at any time."""
        message = f"{self.id}:{seat}:{self.chairs[seat].nonce}"
        if message not in self._keys:
            self._keys[message] = f"{seat}{hmac.new(secret, message.encode(), hashlib.sha256).hexdigest()[:40]}"
        return self._keys[message]

    def seat_with(self, key: str, secret: bytes) -> int:
        """The seat whose key this is."""
        seat = int(key[0]) if key[:1].isdecimal() and key.isascii() else self.seats
        if (
            seat < self.seats
            and self.chairs[seat].nonce
            and hmac.compare_digest(key.encode(), self.key(seat, secret).encode())
        ):
            return seat
        raise problems.NotSeated

    def bot_seed(self, seat: int) -> int:
        return derive_seed("bot", self.deal, self._salt or self._secret, seat)

    @property
    def deal(self) -> int | str:
        """The seed. It leaves the server for thinkers only, and for everybody when the match is
        over."""
        if self._seed is None:
            raise problems.NotStarted
        return self._seed

    def _commitment(self) -> str:
        """What everybody sees of the deal before it is made. Tables of 0.1.0 knew their seed from
        the beginning."""
        if self._secret:
            return commitment(self.game, self.seats, self.options, self._secret)
        return old_commitment(self.game, self.seats, self.options, int(self._seed or 0), self._salt)

    def record(self) -> dict[str, Any]:
        match = self.playing
        if not match.over:
            raise problems.NotOver
        if self.kept_record is not None:
            return self.kept_record
        names = [person.name for person in self.people]
        bots = {str(chair.seat): chair.level for chair in self.chairs if chair.level}
        return make_record(match, {"names": names, "bots": bots, "commitment": self.commitment, **self._proof()})

    @property
    def next_options(self) -> dict[str, Value]:
        """Of the match after this one: chance decides who begins."""
        return {**self.options, "first": None}

    @property
    def next_commitment(self) -> str:
        """What everybody sees of the next deal while it may still be played."""
        return (
            commitment(self.game, self.seats, self.next_options, self._next_secret)
            if self._next_secret and not self.again
            else ""
        )

    def next_secret(self) -> str:
        """It leaves the table for the one that follows it, once."""
        return self._next_secret

    def _proof(self) -> dict[str, Any]:
        """What shows, when all is over, that the deal is the one committed to."""
        if not self._secret:
            return {"salt": self._salt}
        nonces = [chair.luck or None for chair in self.chairs]
        return {
            "secret": self._secret,
            "nonces": nonces,
            "nonce_makers": [chair.luck_from or None for chair in self.chairs],
        }

    def summary(self) -> Summary:
        return Summary(
            game=self.game.id,
            seats=self.seats,
            status=self.status,
            is_open=self.settings.is_open,
            actors=sum(1 << seat for seat in self.actors),
            bot_turn=bool(self.bots_to_move),
            free=len(self.free),
            people=sum(chair.was_taken or bool(chair.nonce) for chair in self.chairs),
        )

    def still(self) -> Table:
        """This table as it is now, for somebody who looks at it while it goes on."""
        other = copy(self)
        other.match = self.match and self.match.copy()
        other.chairs = [replace(chair, persons=dict(chair.persons)) for chair in self.chairs]
        other.changes, other.remarks = list(self.changes), list(self.remarks)
        other.asking = self.asking and replace(self.asking, agreed=set(self.asking.agreed))
        return other

    # What can be done: each says which entries it takes

    def sit(
        self, person: str, name: str, nonce: str, luck: Luck, seat: int | None = None, *, for_program: bool = False
    ) -> list[Deed]:
        """Takes a free chair; the last one begins the match."""
        if self.seat_of(person) is not None and not for_program:
            raise problems.AlreadySeated
        free = [chair for chair in self.free if seat in (None, chair.seat)]
        if not free:
            raise problems.TableFull
        told = {
            "seat": free[0].seat,
            "person": person,
            "name": self._unused(check_name(name)),
            "nonce": nonce,
            "for_program": for_program,
        }
        return [("sit", told | luck.told), *([("start", {})] if len(self.free) == 1 else [])]

    def bring_luck(self, seat: int, luck: Luck) -> list[Deed]:
        """A number of the person's own instead of the server's, as long as nothing is dealt: they
        have seen the commitment by now."""
        chair = self.chairs[seat]
        if self.status == "over" and self._next_secret and not chair.next_luck and self.again is None:
            return [("next_luck", {"seat": seat, "luck": luck.number})]
        return [("luck", {"seat": seat, **luck.told})] if self.match is None and chair.luck_from == "server" else []

    def begin(self, level: str) -> list[Deed]:
        """Bots take the chairs that are still free."""
        if self.match is not None:
            raise problems.MovedOn
        check_level(level)
        return [*(("bot", {"seat": chair.seat, "level": level}) for chair in self.free), ("start", {})]

    def come_back(self, seat: int) -> list[Deed]:
        """A person takes the chair from the bot that kept it warm."""
        return [("come", {"seat": seat})] if self.chairs[seat].level else []

    def come(self, person: str, seat: int, nonce: str, *, is_leaving: bool = False) -> list[Deed]:
        """A person comes to a chair on another device. The key that was used is spent: who else has
        it, or had it before, cannot use it again. Whoever sits on another chair of this table is
        asked first (`is_leaving`): one person, one chair."""
        if person in self.chairs[seat].persons:
            return self.come_back(seat)
        own = self.seat_of(person)
        if own is not None and not is_leaving:
            raise problems.SitsElsewhere(name=self.chairs[own].name, other=self.chairs[seat].name)
        is_last = own is not None and len(self.chairs[own].persons) == 1
        left = self.leave(own) if own is not None and is_last else []
        return [*left, ("come", {"seat": seat, "person": person, "nonce": nonce})]

    def leave(self, seat: int, by: int | None = None) -> list[Deed]:
        """Gives a chair up for good: it is free again, or a bot's once the match has begun."""
        if self.status == "over":
            raise problems.IsOver
        return [("leave", {"seat": seat, "by": seat if by is None else by})]

    def make_free(self, own: int, seat: int, *, is_away: bool) -> list[Deed]:
        """Frees the chair of somebody who sat down and went away before the match began."""
        if self.match is not None or self._chair(seat).kind != "person" or seat == own:
            raise problems.MovedOn
        if not is_away:
            raise problems.StillHere(name=self.chairs[seat].name)
        return self.leave(seat, own)

    def cut_off(self, seat: int, person: str, nonce: str) -> list[Deed]:
        """No other device holds the chair any more, and the personal link is another one."""
        return [("cut", {"seat": seat, "person": person, "nonce": nonce})]

    def hand_over(self, own: int, seat: int, level: str = "", *, is_away: bool, now: int) -> list[Deed]:
        """A bot plays for somebody: for oneself at any time, for another when the table waits for
        them and they are really away."""
        chair = self._chair(seat)
        if self.playing.over:
            raise problems.IsOver
        if chair.kind != "person" or (seat != own and seat not in self.actors):
            raise problems.MovedOn
        if seat != own and (not is_away or now - chair.handed_at < HAND_OVER_AGAIN_MS):
            raise problems.StillHere(name=chair.name)
        chosen = check_level(level) if seat == own and level else self.settings.stand_in
        return [("bot", {"seat": seat, "level": chosen, "by": own})]

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
        """Whether what the seat saw at `ply` still holds: nothing has changed, or others have made
        their part of a simultaneous choice (C4)."""
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
        """Back to before the seat's last move: at once if nobody could mind, else the others are
        asked. Bots never mind, but whoever has ever sat on one of the other chairs is asked, away
        or not: who could send somebody away could otherwise look at every card."""
        ply = self.last_own_move(seat)
        asked = self._asked(seat)
        if is_free or not asked:
            return [("undo", {"seat": seat, "ply": ply})]
        if any(not self.chairs[other].nonce for other in asked):
            raise problems.NobodyToAsk
        return [("ask", {"seat": seat, "ply": ply})]

    def _asked(self, asking: int) -> set[int]:
        """The chairs whose people must agree when this seat wants to take something back."""
        return {chair.seat for chair in self.chairs if chair.was_taken and chair.seat != asking}

    def answer(self, seat: int, *, agrees: bool) -> list[Deed]:
        """To somebody's wish to take moves back; the last consent does it."""
        if self.asking is None or self.asking.seat == seat:
            raise problems.MovedOn
        if not agrees:
            return [("refuse", {"seat": seat})]
        missing = self._asked(self.asking.seat) - self.asking.agreed - {seat}
        done = [] if missing else [("undo", {"seat": self.asking.seat, "ply": self.asking.ply})]
        return [("agree", {"seat": seat}), *done]

    def say(self, seat: int, text: str, *, is_phrase: bool) -> list[Deed]:
        said = " ".join(text.split())
        if len(said) > LONGEST_REMARK or not said.isprintable() or not can_be_seen(said):
            raise problems.BadRemark(most=LONGEST_REMARK)
        return [("say", {"seat": seat, "text": said, "is_phrase": is_phrase})]

    def go_on_at(self, table_id: str) -> list[Deed]:
        if not self.playing.over:
            raise problems.NotOver
        return [("again", {"table": table_id})]

    def _chair(self, seat: int) -> Chair:
        if not 0 <= seat < self.seats:
            raise problems.Problem
        return self.chairs[seat]

    def _unused(self, name: str) -> str:
        """The second Anna is Anna 2."""
        taken = [person.name for person in self.people]
        tries = (name, *(f"{name} {number}" for number in range(2, 10)))
        return next(told for told in tries if not any(same_name(told, other) for other in taken))

    # What happens

    def apply(self, entry: Entry) -> None:
        self.changed_at = entry.at
        getattr(self, f"_on_{entry.kind}")(**entry.data, number=entry.number)
        self.head = entry.number

    def _on_sit(
        self,
        seat: int,
        person: str,
        name: str,
        nonce: str,
        for_program: bool,
        number: int,
        luck: str = "",
        luck_from: str = "",
    ) -> None:
        held = {person: self.changed_at}
        self.chairs[seat] = Chair(
            seat, name, held, nonce=nonce, for_program=for_program, luck=luck, luck_from=luck_from
        )

    def _on_luck(self, seat: int, luck: str, luck_from: str, number: int) -> None:
        self.chairs[seat].luck, self.chairs[seat].luck_from = luck, luck_from

    def _on_come(self, seat: int, number: int, person: str = "", nonce: str = "") -> None:
        chair = self.chairs[seat]
        if chair.level and chair.handed_by not in (None, seat):
            self._tell_deed(number, seat, "came back", seat)
        chair.level = ""
        chair.nonce = nonce or chair.nonce
        if person and person not in chair.persons:
            for other in self.chairs:  # one person, one chair
                other.persons.pop(person, None)
            chair.persons[person] = self.changed_at

    def _on_leave(self, seat: int, by: int, number: int) -> None:
        chair = self.chairs[seat]
        self._tell_deed(number, by, "left" if by == seat else "made free", seat)
        if self.match is None:
            self.chairs[seat] = Chair(seat)
        else:
            chair.persons, chair.nonce, chair.level, chair.handed_by = {}, "", self.settings.stand_in, None

    def _on_cut(self, seat: int, person: str, nonce: str, number: int) -> None:
        chair = self.chairs[seat]
        chair.persons = {person: chair.persons.get(person, self.changed_at)}
        chair.nonce = nonce

    def _on_bot(self, seat: int, level: str, number: int, by: int | None = None) -> None:
        chair = self.chairs[seat]
        chair.level, chair.handed_by, chair.handed_at = level, by, self.changed_at
        if by not in (None, seat):
            self._tell_deed(number, by or 0, "handed over", seat)

    def _on_start(self, number: int) -> None:
        if self._seed is None:
            self._seed = deal_seed(self._secret, [chair.luck or None for chair in self.chairs])
        self.match = Match(self.game, self.seats, self._seed, plain=True, **self.options)
        for chair in self.chairs:
            chair.was_taken = bool(chair.nonce)

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
        self.take_backs += 1
        while len(match.history) > ply:
            match.undo()
        self.asking = None

    def _on_next_luck(self, seat: int, luck: str, number: int) -> None:
        self.chairs[seat].next_luck = luck

    def _on_end(self, record: dict[str, Any], number: int, next_secret: str = "") -> None:
        """The record as it was when the match ended: it can be had even when the rules have changed
        since."""
        self.kept_record = record
        self._next_secret = next_secret

    def _tell_deed(self, number: int, by: int, what: str, seat: int) -> None:
        self.remarks.append(Remark(number, by, what, False, (self.chairs[by].name, self.chairs[seat].name)))
        del self.remarks[:-KEPT_REMARKS]

    def _on_say(self, seat: int, text: str, is_phrase: bool, number: int) -> None:
        self.remarks.append(Remark(number, seat, text, is_phrase))
        del self.remarks[:-KEPT_REMARKS]

    def _on_again(self, table: str, number: int) -> None:
        self.again = table


def check_level(level: str) -> str:
    if level not in LEVEL_NAMES:
        raise problems.BadChoice(name="level", value=level)
    return level
