"""What can be done at a table: who may do it, when, and which entries it makes. `state.py` says what is so there,
and what each entry changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from samovar.engine.contract import Game, Value
from samovar.engine.heuristics import LEVEL_NAMES
from samovar.errors import SamovarError
from samovar.web import problems
from samovar.web.names import can_be_seen, check_name
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
    Forget,
    GoOn,
    Hide,
    Leave,
    Move,
    Mute,
    Open,
    Pause,
    Refuse,
    Rename,
    Resign,
    Say,
    SeatBot,
    Settings,
    Sit,
    Start,
    TakeAlong,
    Undo,
)
from samovar.web.tables.chairs import BOT_NAMES, NO_PAUSE, Chair, Nonce, Remark
from samovar.web.tables.state import TableState

LONGEST_REMARK = 280
HAND_OVER_AGAIN_MS = 60_000  # others cannot let a bot play for somebody more often


class Table(TableState):
    """Each says which entries it takes, or why it may not be done."""

    @staticmethod
    def opening(
        game: Game, seats: int, options: dict[str, Value], settings: Settings, levels: Sequence[str], secret: str
    ) -> Open:
        """A new table; `levels` are those of the bots by seat, empty for a free chair."""
        count = game.check_seats(seats)
        values = game.check_options(count, options)
        return Open(game.id, game.version, count, values, settings, list(levels), secret)

    def sit(
        self, person: str, name: str, key_salt: str, nonce: Nonce, seat: int | None = None, *, for_program: bool = False
    ) -> list[AnyEntry]:
        """Takes a free chair; the last one begins the match."""
        if self.seat_of(person) is not None and not for_program:
            raise problems.AlreadySeated
        free = [chair for chair in self.free if seat in (None, chair.seat)]
        if not free:
            raise problems.TableFull
        sitting = Sit(
            free[0].seat, person, self._unused(check_name(name)), key_salt, for_program, nonce.number, nonce.maker
        )
        return [sitting, Start()] if len(self.free) == 1 else [sitting]

    def bring_nonce(self, seat: int, nonce: Nonce) -> list[AnyEntry]:
        """A number of the person's own instead of the server's, as long as nothing is dealt: they
        have seen the commitment by now."""
        chair = self.chairs[seat]
        if self.status == "over" and self._next_secret and not chair.next_nonce and self.again is None:
            return [BringNextNonce(seat, nonce.number)]
        can_bring = self.match is None and chair.nonce_maker == "server"
        return [BringNonce(seat, nonce.number, nonce.maker)] if can_bring else []

    def begin(self, level: str) -> list[AnyEntry]:
        """Bots take the chairs that are still free."""
        if self.match is not None:
            raise problems.MovedOn
        check_level(level)
        return [*(SeatBot(chair.seat, level) for chair in self.free), Start()]

    def come_back(self, seat: int) -> list[AnyEntry]:
        """A person takes the chair from the bot that kept it warm."""
        return [Come(seat)] if self.chairs[seat].level else []

    def come(self, person: str, seat: int, key_salt: str, *, is_leaving: bool = False) -> list[AnyEntry]:
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
        return [*left, Come(seat, person, key_salt)]

    def leave(self, seat: int, by: int | None = None) -> list[AnyEntry]:
        """Gives a chair up for good: it is free again, or a bot's once the match has begun."""
        self._check_not_over()
        return [Leave(seat, seat if by is None else by)]

    def stand_up(self, seat: int) -> list[AnyEntry]:
        """Gives a chair up before the match begins."""
        if self.match is not None:
            raise problems.MovedOn
        return self.leave(seat)

    def take_along(self, before: str, person: str) -> list[AnyEntry]:
        """The chair of somebody who is known as another person from now on; one person, one chair."""
        seat = self.seat_of(before)
        return [] if seat is None or self.seat_of(person) is not None else [TakeAlong(seat, before, person)]

    def forget(self, person: str, key_salt: str, name: str) -> list[AnyEntry]:
        """Somebody leaves for good and wants to be called `name` wherever they have been. A deal of
        the day is given up, as nobody else can play it for them."""
        seat = self.seat_of(person)
        if seat is None:
            return []
        gone: list[AnyEntry] = []
        if self.match is None or (self.status == "playing" and not self.is_daily):
            gone = [Leave(seat, seat)]
        elif self.status == "playing":
            gone = self.resign(seat)
        return [*gone, Forget(seat, key_salt, self._unused(name, seat))]

    def make_free(self, own: int, seat: int, *, is_away: bool, now: int) -> list[AnyEntry]:
        """Frees the chair of somebody who sat down and went away before the match began; by post,
        where nobody stays, after the time that they would have for a move."""
        if self.match is not None or self._chair(seat).kind != "person" or seat == own:
            raise problems.MovedOn
        if self.clocks and self.is_by_post and now - self.chairs[seat].taken_at < self.clocks.allowance.total:
            raise problems.HasTime(name=self.chairs[seat].name)
        if not is_away:
            raise problems.StillHere(name=self.chairs[seat].name)
        return self.leave(seat, own)

    def rename(self, seat: int, name: str) -> list[AnyEntry]:
        """Somebody wants to be called otherwise; nobody gets the name of another at the table."""
        self._check_not_over()
        if self.of_class:
            raise problems.TeacherDoesIt
        chosen = self._unused(check_name(name), seat)
        return [Rename(seat, chosen)] if chosen != self.chairs[seat].name else []

    def resign(self, seat: int) -> list[AnyEntry]:
        """Gives the match up: it ends, or a bot plays on in this chair, so that the others keep
        their match."""
        self._check_playing()
        return [Resign(seat, self.resigning_ends(seat))]

    def set_chair(self, own: int, seat: int, level: str) -> list[AnyEntry]:
        """A bot of this level sits where nobody does, or none any more; where it is the last to come, the match
        begins. What the deal is committed to stays: a bot brings nothing to it."""
        chair = self._chair(seat)
        if own != self.opener:
            raise problems.NotTheOpener
        if self.match is not None or chair.kind == "person":
            raise problems.MovedOn
        if not level:
            return [Leave(seat, own)] if chair.level else []
        is_last = [free.seat for free in self.free] == [seat]
        return [SeatBot(seat, check_level(level)), *([Start()] if is_last else [])]

    def cancel(self, seat: int) -> list[AnyEntry]:
        """Whoever opened the table closes it again, as long as nothing is played."""
        if self.match is not None:
            raise problems.HasBegun
        if seat != self.opener:
            raise problems.NotTheOpener
        return [Cancel(seat)]

    def close(self) -> list[AnyEntry]:
        """By an owner of the site, whatever is going on."""
        return [] if self.is_closed else [CloseTable()]

    def hide(self, number: int) -> list[AnyEntry]:
        """By an owner of the site."""
        if all(remark.number != number for remark in self.remarks):
            raise problems.MovedOn
        return [Hide(number)]

    def take_name(self, seat: int, name: str) -> list[AnyEntry]:
        """By an owner of the site; the line that would tell the old name is hidden, too."""
        chair = self._chair(seat)
        if not chair.persons or chair.name == name:
            raise problems.MovedOn
        return [Rename(seat, name), Hide(self.head + 1)]

    def pause(self, is_on: bool) -> list[AnyEntry]:
        """By a teacher: until the table goes on nobody has anything to do, and nobody uses any time."""
        return [Pause(ends=not is_on)] if self.status == "playing" and self.is_paused != is_on else []

    @property
    def can_be_paused(self) -> bool:
        """Whether those who play can agree on a pause: where time runs, and nobody elsewhere waits for the end."""
        return self.clocks is not None and not self.series and not self.of_class

    def want_pause(self, seat: int, *, is_wanted: bool) -> list[AnyEntry]:
        """Somebody would like a pause, or none (any more). It begins when all who hold a chair want it, here or away,
        and one of them ends it: nobody can make others wait."""
        self._check_playing()
        if self.of_class:
            raise problems.TeacherDoesIt
        if not self.can_be_paused:
            raise problems.NoPause
        if not is_wanted:
            return [Pause(ends=True, seat=seat)] if self.pause_state != NO_PAUSE else []
        if self.is_paused or seat in self.pause_state.wanted_by:
            return []
        return [Pause(seat=seat, is_asked=bool(self._without_wish() - {seat}))]

    def _without_wish(self) -> set[int]:
        """Those who hold a chair, and have not asked for a pause."""
        return {chair.seat for chair in self.chairs if chair.key_salt} - self.pause_state.wanted_by

    @property
    def asked_for_pause(self) -> set[int]:
        """The seats whose consent somebody waits for."""
        return self._without_wish() if self.pause_state.wanted_by else set()

    @property
    def pause_ends(self) -> int | None:
        """When a pause ends by itself; a teacher's does not."""
        since, is_agreed = self.pause_state.since, self.pause_state.is_agreed
        if since is None or self.clocks is None or not is_agreed or self.status != "playing":
            return None
        return since + self.clocks.allowance.longest_pause

    @property
    def due(self) -> int | None:
        """When something happens by itself: a pause ends, or somebody runs out of time."""
        return self.pause_ends or (self.clocks.due if self.clocks else None)

    def run_out(self, now: int) -> list[AnyEntry]:
        """What has happened by itself."""
        if self.pause_ends is not None and self.pause_ends <= now:
            return [Pause(ends=True)]
        return self.clocks.time_outs(now) if self.clocks else []

    def move_in(self, seat: int, person: str, name: str, key_salt: str) -> list[AnyEntry]:
        """By a teacher: a pupil takes the chair of a bot. The line that would tell how they are called is hidden:
        they have not changed their name."""
        self._check_playing()
        if self._chair(seat).kind != "bot" or self.seat_of(person) is not None:
            raise problems.MovedOn
        entries: list[AnyEntry] = [Come(seat, person, key_salt)]
        chosen = self._unused(name, seat)
        if self.chairs[seat].name != chosen:
            entries += [Rename(seat, chosen), Hide(self.head + 2)]
        return entries

    def move_out(self, person: str) -> list[AnyEntry]:
        """By a teacher: a bot plays on in a pupil's chair, under a name of its own."""
        seat = self.seat_of(person)
        if seat is None or self.status != "playing":
            return []
        name = self._unused(BOT_NAMES[seat % len(BOT_NAMES)], seat)
        return [Leave(seat, seat), Rename(seat, name), Hide(self.head + 2)]

    def mute(self, seat: int, whom: int, *, ends: bool) -> list[AnyEntry]:
        """Somebody reads no remarks of another player any more, or reads them again."""
        if seat == whom or self._chair(whom).kind == "free":
            raise problems.MovedOn
        return [Mute(seat, whom, ends)] if (whom in self.muted.get(seat, ())) == ends else []

    def muted_by(self, seat: int) -> frozenset[int]:
        return self.muted.get(seat, frozenset())

    def remarks_without(self, muted: frozenset[int]) -> list[Remark]:
        """All but what these players say. What people did, everybody is told."""
        return [one for one in self.remarks if one.seat not in muted or one.names is not None]

    def make_way(self, seat: int, table_id: str) -> list[AnyEntry]:
        """Whoever opened the table has opened another in its place, where everybody is led who looks for this one."""
        return [GoOn(table_id), *self.cancel(seat)]

    def coming_along(self, own: int, levels: Sequence[str]) -> list[Chair]:
        """Whoever opened the table, then the others, as they sit at a table with these bots. Programs have keys of
        this one, and stay behind; whoever opened it is in a browser now, and comes."""
        self.cancel(own)
        people = [chair for chair in self.chairs if chair.seat == own or (chair.persons and not chair.for_program)]
        free = [seat for seat, level in enumerate(levels) if not level]
        if len(people) > len(free):
            raise problems.TableFull
        in_order = sorted(people, key=lambda chair: chair.seat != own)
        return [replace(chair, seat=seat, for_program=False) for chair, seat in zip(in_order, free, strict=False)]

    def _check_playing(self) -> None:
        if self.match is None:
            raise problems.NotStarted
        self._check_not_over()

    def check_by_post(self) -> None:
        """What is for those who have days for a move."""
        self._check_playing()
        if not self.is_by_post:
            raise problems.NotByPost

    def _check_not_paused(self) -> None:
        if self.is_paused:
            raise problems.PausedByAll if self.pause_state.is_agreed else problems.Paused

    def _check_own_play(self) -> None:
        """Everybody plays the deal of a day themselves, or it could not be compared."""
        if self.is_daily:
            raise problems.PlaysAlone

    def _check_not_over(self) -> None:
        if self.status == "over":
            raise problems.IsOver

    def cut_off(self, seat: int, person: str, key_salt: str) -> list[AnyEntry]:
        """No other device holds the chair any more, and the personal link is another one."""
        return [CutOff(seat, person, key_salt)]

    def hand_over(self, own: int, seat: int, level: str = "", *, is_away: bool = False, now: int = 0) -> list[AnyEntry]:
        """A bot plays for somebody: for oneself at any time, for another when the table waits for
        them and they are really away. By post being away says nothing: there time does it alone. Where
        matches are compared, rated or in a series, nobody chooses how good it is."""
        chair = self._chair(seat)
        self._check_playing()
        self._check_own_play()
        if chair.kind != "person" or (seat != own and seat not in self.actors):
            raise problems.MovedOn
        if seat != own and self.is_by_post:
            raise problems.HasTime(name=chair.name)
        if seat != own and (not is_away or now - chair.handed_at < HAND_OVER_AGAIN_MS):
            raise problems.StillHere(name=chair.name)
        can_choose = seat == own and level and not self.settings.is_rated and not self.series
        chosen = check_level(level) if can_choose else self.settings.stand_in
        return [SeatBot(seat, chosen, own)]

    def move(self, seat: int, move: int | str, revision: int) -> list[AnyEntry]:
        """It ends a pause that players have agreed on."""
        match = self.playing
        self._check_not_over()
        if not self.pause_state.is_agreed:
            self._check_not_paused()
        if not self.still_stands(seat, revision):
            raise problems.MovedOn
        if seat not in match.actors:
            raise problems.NotYourTurn
        try:
            number = match.parse_move(seat, move) if isinstance(move, str) else move
        except SamovarError as error:
            raise problems.NotPossible from error
        if number not in match.legal(seat):
            raise problems.NotPossible
        going_on = [Pause(ends=True, seat=seat)] if self.pause_state.is_agreed else []
        return [*going_on, Move(seat, number)]

    def has_made(self, seat: int, move: str, revision: int) -> bool:
        """Whether this very move was the seat's first since `revision`: whoever repeats it because
        no answer came has already made it."""
        movers = [mover for mover, _ in self.changes[max(revision, 0) :]]
        if revision < 0 or seat not in movers or -1 in movers:
            return False
        place = len(self.playing.history) - len(movers) + movers.index(seat)
        try:
            return self.playing.at(place).parse_move(seat, move) == self.playing.history[place][1]
        except SamovarError:
            return False

    def still_stands(self, seat: int, revision: int) -> bool:
        """Whether what the seat saw at `revision` still holds: nothing has changed, or others have made
        their part of a simultaneous choice (C4)."""
        since = self.changes[revision:]
        return 0 <= revision <= self.revision and all(
            mover not in (seat, -1) and seat in actors for mover, actors in since
        )

    def own_moves(self, seat: int) -> list[int]:
        """Which moves were made in this chair, here."""
        history = self.match.history if self.match else []
        return [number for number in range(self.moves_before, len(history)) if history[number][0] == seat]

    def last_own_move(self, seat: int) -> int:
        """How many moves were made before the last one of this seat, if it may be taken back."""
        self._check_playing()
        self._check_not_paused()
        if self.settings.is_rated:
            raise problems.IsRated
        own = self.own_moves(seat)
        if not own:
            raise problems.NothingToTakeBack
        return own[-1]

    def take_back(self, seat: int, *, is_free: bool) -> list[AnyEntry]:
        """Back to before the seat's last move: at once if nobody could mind, else the others are
        asked. Bots never mind, but whoever has ever sat on one of the other chairs is asked, away
        or not: who could send somebody away could otherwise look at every card."""
        moves_left = self.last_own_move(seat)
        asked = self._asked(seat)
        if self.series and not is_free:
            raise problems.SeenAlready
        if is_free or not asked:
            return [Undo(seat, moves_left, is_marked=not is_free)]
        if any(not self.chairs[other].key_salt for other in asked):
            raise problems.NobodyToAsk
        return [Ask(seat, moves_left)]

    def _asked(self, asking: int) -> set[int]:
        """The chairs whose people must agree when this seat wants to take something back."""
        return {chair.seat for chair in self.chairs if chair.was_taken and chair.seat != asking}

    def answer(self, seat: int, *, agrees: bool) -> list[AnyEntry]:
        """To somebody's wish to take moves back; the last consent does it."""
        if self.asking is None or self.asking.seat == seat:
            raise problems.MovedOn
        self._check_not_paused()
        if not agrees:
            return [Refuse(seat)]
        if self._asked(self.asking.seat) - self.asking.agreed - {seat}:
            return [Agree(seat)]
        return [Agree(seat), Undo(self.asking.seat, self.asking.moves_left, is_marked=True)]

    def say(self, seat: int, text: str, *, is_phrase: bool = False) -> list[AnyEntry]:
        if self.of_class and not is_phrase:
            raise problems.OnlyPhrases
        said = " ".join(text.split())
        if len(said) > LONGEST_REMARK or not said.isprintable() or not can_be_seen(said):
            raise problems.BadRemark(most=LONGEST_REMARK)
        return [Say(seat, said, is_phrase)]

    def hands_on(self, seat: int, after: TableState) -> bool:
        """Whether the key of a chair here gives that of the next chair at the table after this one: as
        long as both are held as they were when that one was opened. A key that was renewed since, here
        or there, was renewed to keep somebody out."""
        following = self.next_seat(seat)
        here, there = self.chairs[seat].key_salt, after.chairs[following].key_salt
        return bool(there) and here == self._last_key_salts[seat] and there == after._first_key_salts.get(following)

    def go_on_at(self, table_id: str, shift: int = 0) -> list[AnyEntry]:
        """`shift`: by how many chairs everybody moves on."""
        if self.match is None:
            raise problems.NotStarted
        if self.status != "over":
            raise problems.NotOver
        if self.series:
            raise problems.OfSeries
        return [GoOn(table_id, shift)]


def check_level(level: str) -> str:
    if level not in LEVEL_NAMES:
        raise problems.BadChoice(name="level", value=level)
    return level


def check_rated(settings: Settings, is_together: bool) -> Settings:
    """At a rated table nobody is helped, not by a good bot in their chair either; and some play
    against others there."""
    if settings.is_rated and is_together:
        raise problems.TogetherAndRated
    if settings.is_rated and (settings.hints or settings.memory_aid):
        raise problems.HelpedAndRated
    return replace(settings, stand_in=LEVEL_NAMES[0]) if settings.is_rated else settings
