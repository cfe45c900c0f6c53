"""Tours: a record that several people look at together. One of them leads; the others follow, or look around.

Who leads shows a moment of the record, and all who follow see it: with marks that people draw on the board, remarks
in a talk beside it, and notes at its moves, which stay with the record. Who leads can also ask: all see what the
player to move saw, and answer secretly with a move. Until the answers are shown nobody learns what, or whether,
anybody has answered, and nobody but who leads says or marks anything.

As with clubs, nothing lives in memory: a tour is a row of the database, changed by whoever knows its version.
"""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Callable
from typing import TypeVar

import msgspec

from samovar.web import problems
from samovar.web.jobs.record_summary import LONGEST_NOTE, MOST_NOTES
from samovar.web.names import can_be_seen, check_name, same_name
from samovar.web.recent import Recent
from samovar.web.store.changes import GONE
from samovar.web.store.queries import tours as kept
from samovar.web.store.queries.tours import NoteRow
from samovar.web.store.store import can_be_id, new_id
from samovar.web.tables.phrases import PHRASES
from samovar.web.tables.series import now
from samovar.web.tables.tables import Tables

# What a tour may take, all in one place
MOST_PEOPLE = 30
MOST_A_DAY = 40  # that one person may begin
MOST_MARKS, MOST_OWN_MARKS = 60, 6  # on a board; of one who follows
MOST_REMARKS = 60  # that are kept
MOST_AT_ONCE, AT_ONCE_MS = 4, 10_000  # remarks of one person in so short a time
LONGEST_REMARK = 280
MOST_OWN_NOTES = 3  # of one person at a move
MOST_SENT_AWAY = 100
DAY_MS = 24 * 3600 * 1000
KEPT_TOURS, KEPT_SECONDS = 256, 600.0

Changed = TypeVar("Changed")


class TourMember(msgspec.Struct, frozen=True):
    id: str
    person: str
    name: str
    muted: list[str] = []  # whose remarks and marks they do not see


class HandMark(msgspec.Struct, frozen=True):
    """Drawn by hand: a ring around a place of the board, or an arrow to another one."""

    by: str
    start: str
    end: str = ""


class TourRemark(msgspec.Struct, frozen=True):
    by: str
    name: str
    text: str
    at: int
    is_phrase: bool = False


class TourAnswer(msgspec.Struct, frozen=True):
    by: str
    move: str


class TourQuestion(msgspec.Struct, frozen=True):
    """What would the player to move do after so many moves?"""

    at: int
    seat: int
    answers: list[TourAnswer] = []
    is_shown: bool = False
    best: str = ""  # a move, when the answers are shown; empty: it could not be found
    share: int = 0  # to be expected after it, of a hundred

    def answer_of(self, member: str) -> str:
        return next((answer.move for answer in self.answers if answer.by == member), "")

    @property
    def counts(self) -> list[tuple[str, int]]:
        """How many have chosen each move, the most frequent first."""
        return Counter(answer.move for answer in self.answers).most_common()


class Tour(msgspec.Struct, frozen=True):
    """A field that comes later has a default."""

    record: str
    host: str  # the person who began it
    leader: str
    members: list[TourMember]
    at: int
    eyes: str
    of_class: str = ""
    puzzle: str = ""  # where the record stands, as GAME/PUZZLE
    marks: list[HandMark] = []
    remarks: list[TourRemark] = []
    question: TourQuestion | None = None
    sent_away: list[str] = []  # persons

    @property
    def is_asking(self) -> bool:
        """Whether answers are awaited."""
        return self.question is not None and not self.question.is_shown

    def member(self, member_id: str) -> TourMember | None:
        return next((member for member in self.members if member.id == member_id), None)

    def find(self, person: str | None) -> TourMember | None:
        return next((member for member in self.members if person and member.person == person), None)

    def check_member(self, person: str | None) -> TourMember:
        if member := self.find(person):
            return member
        raise problems.NotInTour

    def check_leader(self, person: str | None) -> TourMember:
        member = self.check_member(person)
        if member.id != self.leader:
            raise problems.NotTheLeader
        return member

    def check_quiet(self, member: TourMember) -> None:
        """While answers are awaited nobody tells theirs."""
        if self.is_asking and member.id != self.leader:
            raise problems.AnswersAwaited

    def marks_for(self, member: TourMember) -> list[HandMark]:
        return [mark for mark in self.marks if mark.by not in member.muted]

    def remarks_for(self, member: TourMember) -> list[TourRemark]:
        return [remark for remark in self.remarks if remark.by not in member.muted]

    # What can be done: each is the tour as it is afterwards

    def join(self, person: str, name: str) -> Tour:
        if self.find(person):
            return self
        if person in self.sent_away:
            raise problems.NoSuchTour
        if len(self.members) >= MOST_PEOPLE:
            raise problems.TourFull(most=MOST_PEOPLE)
        member = TourMember(secrets.token_hex(4), person, self._unused(check_name(name)))
        return self._with(members=[*self.members, member])

    def leave(self, person: str | None) -> Tour | None:
        """Who led hands over to who has been here longest; None: nobody is left."""
        return self._without(self.check_member(person))

    def send_away(self, by: str | None, member_id: str) -> Tour:
        leader, member = self.check_leader(by), self.member(member_id)
        if member is None or member == leader:
            raise problems.MovedOn
        left = self._without(member)
        assert left is not None
        return left._with(sent_away=[*self.sent_away, member.person][-MOST_SENT_AWAY:])

    def hand_over(self, by: str | None, member_id: str) -> Tour:
        """By who leads; whoever began the tour can also take the lead back."""
        member = self.check_member(by)
        if self.member(member_id) is None:
            raise problems.MovedOn
        if member.id != self.leader and not (by == self.host and member_id == member.id):
            raise problems.NotTheLeader
        return self._with(leader=member_id)

    def lead(self, by: str | None, at: int, eyes: str) -> Tour:
        """To a moment of the record: the marks belong to the moment before, and so does what was asked there."""
        self.check_leader(by)
        if self.is_asking:
            raise problems.AnswersAwaited
        return self._with(at=at, eyes=eyes, marks=[], question=None)

    def mark(self, by: str | None, start: str, end: str) -> Tour:
        """A mark that is there goes."""
        member = self.check_member(by)
        self.check_quiet(member)
        made = HandMark(member.id, start, "" if end == start else end)
        if made in self.marks:
            return self._with(marks=[mark for mark in self.marks if mark != made])
        own = sum(mark.by == member.id for mark in self.marks)
        if len(self.marks) >= MOST_MARKS or (own >= MOST_OWN_MARKS and member.id != self.leader):
            raise problems.NoMoreRoom
        return self._with(marks=[*self.marks, made])

    def wipe(self, by: str | None) -> Tour:
        """Who leads wipes all marks away, others their own."""
        member = self.check_member(by)
        is_leader = member.id == self.leader
        return self._with(marks=[mark for mark in self.marks if not is_leader and mark.by != member.id])

    def say(self, by: str | None, text: str, phrase: str) -> Tour:
        """In a class pupils have the ready phrases alone, as at its tables."""
        member = self.check_member(by)
        self.check_quiet(member)
        words = phrase if phrase in PHRASES else " ".join(text.split())[:LONGEST_REMARK]
        if not can_be_seen(words):
            raise problems.NothingSaid
        if self.of_class and by != self.host and phrase not in PHRASES:
            raise problems.OnlyPhrases
        moment = now()
        recent = [one for one in self.remarks if one.by == member.id and one.at > moment - AT_ONCE_MS]
        if len(recent) >= MOST_AT_ONCE:
            raise problems.TooMany
        remark = TourRemark(member.id, member.name, words, moment, phrase in PHRASES)
        return self._with(remarks=[*self.remarks, remark][-MOST_REMARKS:])

    def mute(self, by: str | None, member_id: str, is_muted: bool) -> Tour:
        member = self.check_member(by)
        if self.member(member_id) is None or member_id == member.id:
            raise problems.MovedOn
        muted = [*(one for one in member.muted if one != member_id), *([member_id] if is_muted else [])]
        changed = msgspec.structs.replace(member, muted=muted)
        return self._with(members=[changed if one.id == member.id else one for one in self.members])

    def ask(self, by: str | None, seat: int) -> Tour:
        """At the moment that is shown."""
        self.check_leader(by)
        if self.question:
            raise problems.AnswersAwaited
        return self._with(question=TourQuestion(self.at, seat), marks=[])

    def answer(self, by: str | None, at: int, move: str) -> Tour:
        """Everybody once; another answer takes the place of the one before."""
        member, question = self.check_member(by), self.question
        if question is None or question.is_shown or question.at != at:
            raise problems.MovedOn
        if member.id == self.leader:
            raise problems.LeaderAsks
        others = [answer for answer in question.answers if answer.by != member.id]
        return self._with(question=msgspec.structs.replace(question, answers=[*others, TourAnswer(member.id, move)]))

    def show_answers(self, by: str | None, best: str, share: int) -> Tour:
        self.check_leader(by)
        if self.question is None or self.question.is_shown:
            raise problems.MovedOn
        shown = msgspec.structs.replace(self.question, is_shown=True, best=best, share=share)
        return self._with(question=shown)

    def drop_question(self, by: str | None) -> Tour:
        """Also one that nobody has answered."""
        self.check_leader(by)
        return self._with(question=None, marks=[])

    def replace_person(self, before: str, person: str) -> Tour:
        """Somebody is known as another from now on."""
        is_there = self.find(person) is not None
        members = [
            msgspec.structs.replace(member, person=person) if member.person == before and not is_there else member
            for member in self.members
        ]
        return self._with(members=members, host=person if self.host == before else self.host)

    def forget(self, person: str) -> Tour | None:
        """Somebody wants to be forgotten."""
        member = self.find(person)
        left = self._without(member) if member else self
        if left is None:
            return None
        sent_away = [one for one in left.sent_away if one != person]
        host = f"nobody-{secrets.token_hex(8)}" if left.host == person else left.host
        return left._with(sent_away=sent_away, host=host)

    def _without(self, member: TourMember) -> Tour | None:
        """All that somebody did goes with them."""
        members = [one for one in self.members if one != member]
        if not members:
            return None
        question = self.question
        if question and not question.is_shown:
            answers = [answer for answer in question.answers if answer.by != member.id]
            question = msgspec.structs.replace(question, answers=answers)
        return self._with(
            members=members,
            leader=members[0].id if self.leader == member.id else self.leader,
            marks=[mark for mark in self.marks if mark.by != member.id],
            remarks=[remark for remark in self.remarks if remark.by != member.id],
            question=question,
        )

    def _with(self, **changes: object) -> Tour:
        return msgspec.structs.replace(self, **changes)

    def _unused(self, name: str) -> str:
        """The second Anna is Anna 2."""
        tries = (name, *(f"{name[:21].strip()} {number}" for number in range(2, MOST_PEOPLE + 2)))
        taken = [member.name for member in self.members]
        return next(one for one in tries if not any(same_name(one, other) for other in taken))


class Tours:
    def __init__(self, tables: Tables) -> None:
        self._tables, self._store = tables, tables.store
        self._recent: Recent[str, tuple[Tour, int]] = Recent(KEPT_TOURS, KEPT_SECONDS)

    async def make(
        self, host: str, name: str, record: str, at: int, eyes: str, *, of_class: str = "", puzzle: str = ""
    ) -> str:
        """A new tour, led by who begins it; its id."""
        if (await self._store.rows(kept.MADE, host=host, since=now() - DAY_MS))[0] >= MOST_A_DAY:
            raise problems.TooManyTours(most=MOST_A_DAY)
        member = TourMember(secrets.token_hex(4), host, check_name(name))
        tour = Tour(record, host, member.id, [member], at, eyes, of_class, puzzle)
        tour_id = new_id()
        await self._store.do(kept.make, tour_id, record, host, of_class, _encode(tour), now())
        return tour_id

    async def find(self, tour_id: str, number: int | None = None) -> tuple[Tour, int]:
        """With its version. Where word of a change has come, what knows of it is new enough: of all who watch one
        asks."""
        recent = self._recent.get(tour_id) if number is not None else None
        if recent and number is not None and recent[1] >= number:
            return recent
        row = await self._store.first(kept.DATA, tour=tour_id) if can_be_id(tour_id) else None
        if row is None:
            raise problems.NoSuchTour
        found = msgspec.json.decode(row.data, type=Tour), row.version
        self._recent.put(tour_id, found)
        return found

    async def of_class(self, class_id: str) -> str:
        """The one that a class is at; empty: none."""
        return await self._store.first(kept.OF_CLASS, of_class=class_id) or ""

    async def change(self, tour_id: str, action: Callable[[Tour], Tour | None]) -> Tour | None:
        """Of several who change a tour at once, each changes what the one before has left. None: it is over."""
        while True:
            tour, version = await self.find(tour_id)
            changed = action(tour)
            if changed is None:
                await self.end(tour_id)
                return None
            if changed == tour:
                return tour
            if await self._store.do(kept.change, tour_id, version, changed.host, _encode(changed), now()):
                self._tables.announce(tour_id, version + 1, ())
                return changed

    async def tell(self, tour_id: str) -> None:
        """That something beside a tour has changed."""
        tour, version = await self.find(tour_id)
        if await self._store.do(kept.change, tour_id, version, tour.host, _encode(tour), now()):
            self._tables.announce(tour_id, version + 1, ())

    async def end(self, tour_id: str) -> None:
        await self._store.do(kept.end, tour_id)
        self._recent.pop(tour_id)
        self._tables.announce(tour_id, GONE, ())

    async def end_of_class(self, class_id: str) -> None:
        """The lesson is over."""
        while tour_id := await self.of_class(class_id):
            await self.end(tour_id)

    async def replace_person(self, before: str, person: str) -> None:
        """In all tours, and at all moves."""
        await self._in_all(before, lambda tour: tour.replace_person(before, person))
        await self._store.do(kept.take_notes_along, before, person)

    async def forget(self, person: str) -> None:
        await self._in_all(person, lambda tour: tour.forget(person))
        await self._store.do(kept.forget_notes, person)

    async def told_of(self, person: str) -> list[dict[str, object]]:
        """What is kept of somebody, but for their notes."""
        told: list[dict[str, object]] = []
        for tour_id in await self._store.rows(kept.LIKE, pattern=f'%"{person}"%'):
            tour, _ = await self.find(tour_id)
            if member := tour.find(person):
                remarks = [{"at": one.at, "text": one.text} for one in tour.remarks if one.by == member.id]
                told.append({"tour": tour_id, "record": tour.record, "name": member.name, "remarks": remarks})
        return told

    async def _in_all(self, person: str, action: Callable[[Tour], Tour | None]) -> None:
        for tour_id in await self._store.rows(kept.LIKE, pattern=f'%"{person}"%'):
            await self.change(tour_id, action)

    # Notes at moves

    async def notes(self, record: str) -> list[NoteRow]:
        return await self._store.rows(kept.NOTES, record=record)

    async def write_note(self, record: str, at: int, person: str, name: str, text: str) -> None:
        words = text.strip()[:LONGEST_NOTE]
        if not can_be_seen(words):
            raise problems.NothingSaid
        there = await self.notes(record)
        own = sum(note.person == person and note.at == at for note in there)
        if len(there) >= MOST_NOTES or own >= MOST_OWN_NOTES:
            raise problems.NoMoreRoom
        row: dict[str, str | int] = {"id": new_id(), "record": record, "at": at, "person": person}
        await self._store.do(kept.write_note, {**row, "name": name, "text": words, "created": now()})

    async def remove_note(self, record: str, note_id: str, person: str) -> None:
        """By who wrote it, or by who sat at the match."""
        note = await self._store.first(kept.NOTE, record=record, note=note_id) if can_be_id(note_id) else None
        if note is None:
            raise problems.MovedOn
        if note.person != person and not await self._sat_there(record, person):
            raise problems.NotYourNote
        await self._store.do(kept.remove_note, note_id)

    async def _sat_there(self, record: str, person: str) -> bool:
        try:
            return (await self._tables.look(record)).seat_of(person) is not None
        except problems.Problem:
            return False


def _encode(tour: Tour) -> str:
    return msgspec.json.encode(tour).decode()
