"""A table: a match with its people, as the fold of one log. Every action is an entry; the same
entries make the same table in any process.

`Table` decides nothing by itself: a method such as `sit` checks whether something is allowed and
returns the entries for it; `apply` makes an entry happen. Between the two the entries are committed
(see `tables.py`), so nothing is seen that could be lost.
"""

from __future__ import annotations

import hashlib
import hmac
from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import Self, assert_never

from samovar.engine.chance import derive_seed
from samovar.engine.contract import Game, Value
from samovar.engine.match import Match
from samovar.engine.places import places_behind, team_places
from samovar.engine.records.fair import commitment, deal_seed, old_commitment
from samovar.engine.records.record import replay
from samovar.engine.registry import find_game
from samovar.errors import DamagedLog, SamovarError, UnknownGame
from samovar.json_types import JsonObject
from samovar.web import problems
from samovar.web.names import Person, unused_name
from samovar.web.store.entries import (
    Agree,
    AnyEntry,
    Ask,
    BringNextNonce,
    BringNonce,
    Cancel,
    CloseTable,
    Come,
    CutOff,
    End,
    Forget,
    GoOn,
    Hide,
    KeepRecord,
    Leave,
    Logged,
    Move,
    Mute,
    Open,
    Pause,
    Refuse,
    Rename,
    Resign,
    Say,
    SeatBot,
    Sit,
    SiteWasAway,
    Start,
    TakeAlong,
    TimeOut,
    Undo,
    Within,
)
from samovar.web.tables.chairs import BY_TIME, NO_PAUSE, Asking, Chair, Remark, is_companion
from samovar.web.tables.clock import Clocks
from samovar.web.tables.forgetting import renamed_record, without_words_of
from samovar.web.tables.series import is_daily, page_of

KEPT_REMARKS = 200


class TableState:
    def __init__(self, table_id: str, opening: Logged) -> None:
        first = opening.entry
        if not isinstance(first, Open):
            raise DamagedLog(table_id, opening.number, "A table begins with another one.")
        self.id = table_id
        try:
            self.game: Game = find_game(first.game)
        except UnknownGame as error:
            raise problems.NoSuchGame(game=first.game) from error
        if first.rules != self.game.version:
            raise problems.OldRules
        self.seats = first.seats
        self.written_options = first.options  # for commitments and records: what has come since is not in them
        try:
            self.options = self.game.check_options(first.seats, first.options)
        except SamovarError as error:
            raise problems.OldRules from error
        self.settings = first.settings
        self.clocks = Clocks.for_table(first.settings.time, first.seats, first.settings.days_off)
        self._secret = first.secret
        self._seed = first.seed  # None: it will follow from the secret and everybody's nonce
        self.goes_on = first.goes_on
        self.within = Within(first.of_class, first.circle, first.phrases)
        self.of_class, self.circle, self.phrases = self.within
        self._salt = first.salt
        self.series, self.deal = first.series, first.deal
        self._series_commitment = first.commitment
        self.commitment = self._commitment()
        self.chairs = [Chair(seat, level=level) for seat, level in enumerate(first.levels)]
        self.match: Match | None = None
        self.moves_before = 0  # how many were made where it goes on from, and are not taken back here
        self.take_backs = 0
        self.marked_take_backs = 0  # by which somebody may have come to know more
        # who changed the match (-1: a move was taken back), and who could act before
        self.changes: list[tuple[int, tuple[int, ...]]] = []
        self.remarks: list[Remark] = []
        self._called: dict[int, set[str]] = {}  # what those who sit here were called, by seat
        self.asking: Asking | None = None
        self.again: str | None = None
        self._shift = 0  # of everybody's chair at that table
        self.opener: int | None = None  # the seat of the first who sat down, as long as they stay
        self._was_opened = False
        self.cancelled_by = ""  # the name of whoever said that nothing will be played here
        self.is_closed = False  # by an owner of the site
        self.pause_state = NO_PAUSE
        self.muted: dict[int, frozenset[int]] = {}  # by seat: those whose remarks it does not want to read
        self.resigned: list[int] = []  # the seats that gave up, in this order
        self.is_given_up = False  # the last of them ended the match
        self.kept_record: JsonObject | None = None  # of a match that is over
        self._next_secret = ""  # of the match after this one, if the same people play again
        self._keys: dict[str, str] = {}  # those of the chairs that were asked for
        # by seat: of those who sat down first, and of those who sat here when the next table was opened
        self._first_key_salts: dict[int, str] = {}
        self._last_key_salts: list[str] = []
        self.head = opening.number
        self.changed_at = opening.at

    # What is so

    @property
    def status(self) -> str:
        if self.is_closed:
            return "cancelled"
        if self.match is None:
            return "cancelled" if self.cancelled_by else "waiting"
        return "over" if self.match.over or self.is_given_up else "playing"

    @property
    def playing(self) -> Match:
        """The match, once it has begun."""
        if self.match is None:
            raise problems.NotStarted
        return self.match

    @property
    def revision(self) -> int:
        """How often the match has changed: by a move, or by taking some back. It never comes again,
        so it names a state of the table."""
        return len(self.changes)

    @cached_property
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
    def is_paused(self) -> bool:
        return self.pause_state.since is not None

    @property
    def actors(self) -> tuple[int, ...]:
        is_still = self.is_given_up or self.is_closed or self.is_paused
        return self.match.actors if self.match and not is_still else ()

    @property
    def scores(self) -> tuple[int, ...] | None:
        """By seat, of a match that was played to its end."""
        return self.match.scores if self.match is not None and self.match.over else None

    @property
    def places(self) -> tuple[int, ...] | None:
        """By seat, when the match is over. Where it was given up, those who did not share the first place."""
        if self.match is None or self.status != "over":
            return None
        places = self.match.places if self.match.over else (1,) * self.seats
        return places_behind(places, self.resigned, self.teams)

    @property
    def teams(self) -> tuple[int, ...]:
        """By seat."""
        return self.game.teams(self.seats)

    @property
    def team_places(self) -> tuple[int, ...] | None:
        """By seat, the place of its team among the teams."""
        return self.places and team_places(self.places, self.teams)

    @property
    def success(self) -> int | None:
        """When the match is over, how well all did together, of a thousand; None where there are
        opponents. Whoever gives up does so for all."""
        if self.match is None or self.status != "over" or self.match.success is None:
            return None
        return 0 if self.resigned else self.match.success

    @property
    def is_daily(self) -> bool:
        return is_daily(self.series)

    @property
    def series_page(self) -> str:
        """Where the tables of its series are compared; empty for a table of its own."""
        return page_of(self.series, self.circle) if self.series else ""

    def resigning_ends(self, seat: int) -> bool:
        """Whether the match would be over if this seat gave it up: no two teams are left then, or no
        other person in them."""
        gone = {self.teams[each] for each in (seat, *self.resigned)}
        staying = [chair for chair in self.chairs if self.teams[chair.seat] not in gone]
        return len({self.teams[chair.seat] for chair in staying}) < 2 or not any(chair.key_salt for chair in staying)

    @property
    def bots_to_move(self) -> tuple[int, ...]:
        return tuple(seat for seat in self.actors if self.chairs[seat].level)

    @property
    def timed(self) -> frozenset[int]:
        """The seats of people who are to act: their time runs."""
        return frozenset(seat for seat in self.actors if self.chairs[seat].kind == "person")

    @property
    def is_by_post(self) -> bool:
        return self.clocks is not None and self.clocks.allowance.is_by_post

    def seat_of(self, person: str | None) -> int | None:
        """Where a person sits."""
        return next((chair.seat for chair in self.chairs if person is not None and person in chair.persons), None)

    def seated(self, person: str | None) -> int:
        seat = self.seat_of(person)
        if seat is None:
            raise problems.not_seated(self.circle)
        return seat

    def key(self, seat: int, secret: bytes) -> str:
        """The key of a chair: whoever has it sits there. It is kept nowhere and can be made again at any time."""
        message = f"{self.id}:{seat}:{self.chairs[seat].key_salt}"
        if message not in self._keys:
            self._keys[message] = f"{seat}{hmac.new(secret, message.encode(), hashlib.sha256).hexdigest()[:40]}"
        return self._keys[message]

    def seat_with(self, key: str, secret: bytes) -> int:
        """The seat whose key this is."""
        seat = int(key[0]) if key[:1].isdecimal() and key.isascii() else self.seats
        if (
            seat < self.seats
            and self.chairs[seat].key_salt
            and hmac.compare_digest(key.encode(), self.key(seat, secret).encode())
        ):
            return seat
        raise problems.not_seated(self.circle)

    def next_seat(self, seat: int) -> int:
        """Where whoever sits here sits at the table after this one."""
        return (seat + self._shift) % self.seats

    def bot_seed(self, seat: int) -> int:
        return derive_seed("bot", self.deal_seed, self._salt or self._secret, seat)

    @property
    def deal_seed(self) -> int | str:
        """The seed. It leaves the server, for everybody, when the match is over."""
        if self._seed is None:
            raise problems.NotStarted
        return self._seed

    def _commitment(self) -> str:
        """What everybody sees of the deal before it is made. Tables of 0.1.0 knew their seed from the beginning."""
        if self.series:
            return self._series_commitment
        if self.goes_on is not None:
            return ""  # everybody could know the deal
        if self._secret:
            return commitment(self.game, self.seats, self.written_options, self._secret)
        return old_commitment(self.game, self.seats, self.written_options, int(self._seed or 0), self._salt)

    def record(self) -> JsonObject:
        match = self.playing
        if self.status != "over":
            raise problems.NotOver
        if self.kept_record is not None:
            return self.kept_record
        names = [person.name for person in self.people]
        bots = {str(chair.seat): chair.level for chair in self.chairs if chair.level}
        facts: JsonObject = {"names": names, "bots": bots}
        if self.commitment:
            facts |= {"commitment": self.commitment, **self._proof()}
        if self.resigned:
            facts["resigned"] = list(self.resigned)
        if self.marked_take_backs:
            facts["take_backs"] = self.marked_take_backs
        return match.record(facts)

    @property
    def next_options(self) -> dict[str, Value]:
        """Of the match after this one: chance decides who begins. What everybody has seen of its deal is
        a commitment to these."""
        return {**self.written_options, "first": None}

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

    def _proof(self) -> JsonObject:
        """What shows, when all is over, that the deal is the one committed to. The secret of a
        series is not over with one of its tables."""
        if self.series:
            return {"deal": self.deal}
        if not self._secret:
            return {"salt": self._salt}
        nonces = [chair.nonce or None for chair in self.chairs]
        return {
            "secret": self._secret,
            "nonces": nonces,
            "nonce_makers": [chair.nonce_maker or None for chair in self.chairs],
        }

    def still(self) -> Self:
        """This table as it is now, for somebody who looks at it while it goes on."""
        other = copy(self)
        other.match = self.match and self.match.copy()
        other.chairs = [replace(chair, persons=dict(chair.persons)) for chair in self.chairs]
        other.changes, other.remarks, other.resigned = list(self.changes), list(self.remarks), list(self.resigned)
        other.muted = dict(self.muted)
        other.asking = self.asking and replace(self.asking, agreed=set(self.asking.agreed))
        return other

    def _chair(self, seat: int) -> Chair:
        if not 0 <= seat < self.seats:
            raise problems.Problem
        return self.chairs[seat]

    def _unused(self, name: str, seat: int | None = None) -> str:
        """The second Anna is Anna 2; whoever sits on `seat` may keep what they are called."""
        taken = [person.name for number, person in enumerate(self.people) if number != seat]
        return unused_name(name, taken)

    # What happens

    def apply(self, logged: Logged) -> None:
        self.changed_at = logged.at
        if not isinstance(logged.entry, Move):
            self.__dict__.pop("people", None)  # others may sit there now
        self._happen(logged.entry, logged.number)
        self.head = logged.number
        if self.clocks is not None:
            self.clocks = self.clocks.after(logged, self.timed)

    def _happen(self, entry: AnyEntry, number: int) -> None:
        match entry:
            case Move():
                self._on_move(entry, number)
            case Sit():
                self._on_sit(entry)
            case BringNonce():
                self.chairs[entry.seat].nonce, self.chairs[entry.seat].nonce_maker = entry.nonce, entry.nonce_maker
            case Come():
                self._on_come(entry, number)
            case Leave():
                self._on_leave(entry, number)
            case Rename():
                self._on_rename(entry, number)
            case Resign():
                self._on_resign(entry, number)
            case Cancel():
                self._on_cancel(entry)
            case CloseTable():
                self._on_close()
            case Hide():
                self.remarks = [remark for remark in self.remarks if remark.number != entry.number]
            case Pause():
                self._on_pause(entry, number)
            case Mute():
                muted = self.muted.get(entry.seat, frozenset())
                self.muted[entry.seat] = muted - {entry.whom} if entry.ends else muted | {entry.whom}
            case TakeAlong():
                self._on_take_along(entry)
            case Forget():
                self._on_forget(entry)
            case CutOff():
                self._on_cut_off(entry)
            case SeatBot():
                self._on_seat_bot(entry, number)
            case TimeOut():
                self._on_time_out(entry, number)
            case SiteWasAway():
                pass  # the clocks know
            case Start():
                self._on_start()
            case Ask():
                self.asking = Asking(entry.seat, entry.moves)
            case Agree():
                if self.asking:
                    self.asking.agreed.add(entry.seat)
            case Refuse():
                self.asking = None
            case Undo():
                self._on_undo(entry, number)
            case Say():
                self._remember(Remark(number, entry.seat, entry.text, entry.is_phrase))
            case End():
                # it can be had even when the rules have changed since
                self.kept_record, self._next_secret = entry.record, entry.next_secret
            case BringNextNonce():
                self.chairs[entry.seat].next_nonce = entry.nonce
            case GoOn():
                self.again, self._shift = entry.table, entry.shift
                self._last_key_salts = [chair.key_salt for chair in self.chairs]
            case Open() | KeepRecord():
                raise DamagedLog(self.id, number, "It can only be the first one.")
            case _:
                assert_never(entry)

    def _on_sit(self, entry: Sit) -> None:
        if not self._was_opened:
            self.opener, self._was_opened = entry.seat, True
        self._called[entry.seat] = {entry.name}
        self._unmute(entry.seat)
        self._first_key_salts.setdefault(entry.seat, entry.key_salt)
        self.chairs[entry.seat] = Chair(
            entry.seat,
            entry.name,
            {entry.person: self.changed_at},
            key_salt=entry.key_salt,
            for_program=entry.for_program,
            nonce=entry.nonce,
            nonce_maker=entry.nonce_maker,
        )

    def _on_come(self, entry: Come, number: int) -> None:
        chair = self.chairs[entry.seat]
        if chair.level and chair.handed_by is not None:
            self._tell_action(number, entry.seat, "came back", entry.seat)
        chair.level, chair.for_one_move = "", False
        chair.key_salt = entry.key_salt or chair.key_salt
        if entry.person and entry.person not in chair.persons:
            for other in self.chairs:  # one person, one chair
                other.persons.pop(entry.person, None)
            # whoever shared a device has one of their own now
            chair.persons = {person: since for person, since in chair.persons.items() if not is_companion(person)}
            chair.persons[entry.person] = self.changed_at
            chair.was_taken = chair.was_taken or self.match is not None  # a bot had it when the match began

    def _unmute(self, seat: int) -> None:
        """Another player may sit there from now on, who has muted nobody."""
        self.muted = {one: whom - {seat} for one, whom in self.muted.items() if one != seat}

    def _on_leave(self, entry: Leave, number: int) -> None:
        chair = self.chairs[entry.seat]
        if chair.kind != "bot":
            self._tell_action(number, entry.by, "left" if entry.by == entry.seat else "made free", entry.seat)
        self._unmute(entry.seat)
        if self.match is None:
            self.chairs[entry.seat] = Chair(entry.seat)
            self.opener = None if self.opener == entry.seat else self.opener
        else:
            self._give_up_chair(chair)

    def _give_up_chair(self, chair: Chair) -> None:
        """A bot has it from now on."""
        chair.persons, chair.key_salt, chair.level, chair.handed_by = {}, "", self.settings.stand_in, None
        chair.for_one_move = False
        self._drop_questions()  # consent that can no longer be had is not waited for

    def _drop_questions(self) -> None:
        self.asking, self.pause_state = None, self.pause_state.without_wishes()

    def _on_rename(self, entry: Rename, number: int) -> None:
        before = self.chairs[entry.seat].name
        self.chairs[entry.seat].name = entry.name
        self._called.setdefault(entry.seat, {before}).add(entry.name)
        self._remember(Remark(number, entry.seat, "renamed", False, (before, entry.name)))

    def _on_resign(self, entry: Resign, number: int) -> None:
        self._tell_action(number, entry.seat, "resigned" if entry.ends else "resigned, bot plays", entry.seat)
        self.resigned.append(entry.seat)
        self.is_given_up, self.asking = entry.ends, None
        if not entry.ends:
            self._give_up_chair(self.chairs[entry.seat])

    def _on_cancel(self, entry: Cancel) -> None:
        self.cancelled_by = self.chairs[entry.seat].name
        for chair in self.chairs:
            chair.persons = {}

    def _on_close(self) -> None:
        self.is_closed, self.asking = True, None
        for chair in self.chairs:
            chair.persons = {}

    def _on_pause(self, entry: Pause, number: int) -> None:
        if entry.seat is not None:
            self._tell_action(number, entry.seat, self.pause_state.told(entry), entry.seat)
        elif self.pause_state.is_agreed:
            self._tell_action(number, 0, "pause over", 0)  # nobody did it, and no name is told
        self.pause_state = self.pause_state.after(entry, self.changed_at)

    def _on_take_along(self, entry: TakeAlong) -> None:
        chair = self.chairs[entry.seat]
        chair.persons = {
            entry.person if person == entry.before else person: since for person, since in chair.persons.items()
        }
        chair.beginner = entry.person if chair.beginner == entry.before else chair.beginner

    def _on_forget(self, entry: Forget) -> None:
        chair = self.chairs[entry.seat]
        chair.persons, chair.key_salt = {}, chair.key_salt and entry.key_salt
        if not entry.name:
            return
        chair.beginner, chair.name = "", chair.name and entry.name
        self.remarks = without_words_of(self.remarks, entry.seat, self._called.pop(entry.seat, set()), entry.name)
        if self.kept_record is not None:
            self.kept_record = renamed_record(self.kept_record, entry.seat, entry.name)

    def _on_cut_off(self, entry: CutOff) -> None:
        chair = self.chairs[entry.seat]
        chair.persons = {entry.person: chair.persons.get(entry.person, self.changed_at)}
        chair.key_salt = entry.key_salt

    def _on_seat_bot(self, entry: SeatBot, number: int) -> None:
        chair = self.chairs[entry.seat]
        chair.level, chair.handed_by, chair.handed_at = entry.level, entry.by, self.changed_at
        if entry.by is not None:
            action = "handed over" if entry.by != entry.seat else "lets a bot play"
            self._tell_action(number, entry.by, action, entry.seat)

    def _on_time_out(self, entry: TimeOut, number: int) -> None:
        chair, one_move = self.chairs[entry.seat], self.settings.one_move
        chair.level, chair.handed_by, chair.handed_at = self.settings.stand_in, BY_TIME, self.changed_at
        chair.for_one_move = one_move
        self._tell_action(
            number, entry.seat, "ran out of time, one move" if one_move else "ran out of time", entry.seat
        )

    def _on_start(self) -> None:
        if self._seed is None:
            self._seed = deal_seed(self._secret, [chair.nonce or None for chair in self.chairs])
        if self.goes_on is None:
            self.match = Match.as_written(self.game, self.seats, self._seed, self.written_options, plain=True)
        else:
            self.match = replay(self.goes_on, plain=True)
            self.moves_before = len(self.match.history)
        for chair in self.chairs:
            chair.was_taken, chair.beginner = bool(chair.key_salt), next(iter(chair.persons), "")

    def _on_move(self, entry: Move, number: int) -> None:
        match = self.playing
        before = match.actors
        try:
            match.play(entry.seat, entry.move)
        except SamovarError as error:  # it was legal when it was written
            raise DamagedLog(self.id, number, str(error)) from error
        self.changes.append((entry.seat, before))
        self._drop_questions()
        self._end_stand_in(self.chairs[entry.seat])

    def _end_stand_in(self, chair: Chair) -> None:
        """A bot that was to make one move leaves when others are to act; a move may take several steps."""
        if chair.for_one_move and self.actors != (chair.seat,):
            chair.level, chair.for_one_move = "", False
            self.__dict__.pop("people", None)

    def _on_undo(self, entry: Undo, number: int) -> None:
        match = self.playing
        self.changes.append((-1, match.actors))
        self.take_backs += 1
        while len(match.history) > entry.moves:
            match.undo()
        self._drop_questions()
        if entry.is_marked:
            self.marked_take_backs += 1
            self._tell_action(number, entry.seat, "took back", entry.seat)

    def _tell_action(self, number: int, by: int, what: str, seat: int) -> None:
        self._remember(Remark(number, by, what, False, (self.chairs[by].name, self.chairs[seat].name)))

    def _remember(self, remark: Remark) -> None:
        self.remarks.append(remark)
        del self.remarks[:-KEPT_REMARKS]
