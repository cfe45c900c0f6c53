"""What a table is made of besides its match: chairs, what was said, what is asked, and what each
player adds to the deal."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field, replace

from samovar.web.names import Person
from samovar.web.store.entries import AnyEntry, Come, Pause, Sit

BY_TIME = -1  # nobody let the bot play: somebody ran out of time
BOT_NAMES = ("Vasilisa", "Emelya", "Marfa", "Ivan", "Snegurka")

COMPANION = "+"  # in the names of those who share a browser, and of nobody else


def is_companion(person: str) -> bool:
    return COMPANION in person


@dataclass
class Chair:
    seat: int
    name: str = ""
    # the sessions that may act here, one for each device of the same person, and since when
    persons: dict[str, int] = field(default_factory=dict)
    level: str = ""  # of the bot that plays here now
    key_salt: str = ""  # makes the key of this chair; another one whenever somebody sits down or comes
    for_program: bool = False  # played through the API, with the key alone
    nonce: str = ""  # a number that the deal depends on
    nonce_maker: str = ""  # who made it: "browser", "program" or "server"
    next_nonce: str = ""  # for the match after this one
    # somebody has sat here in this match, and is asked before anything is taken back, away or not
    was_taken: bool = False
    beginner: str = ""  # who sat here when it began: the match counts for them, even if a bot plays on
    handed_by: int | None = None  # who let the bot play: a seat, or BY_TIME
    handed_at: int = 0  # when
    for_one_move: bool = False  # the bot leaves when it has made its move

    @property
    def kind(self) -> str:
        if not self.key_salt:
            return "bot" if self.level else "free"
        return "absent" if self.level else "person"

    @property
    def taken_at(self) -> int:
        """When somebody sat down here, in milliseconds since 1970."""
        return min(self.persons.values(), default=0)

    @property
    def shown(self) -> Person:
        return Person(self.name or (BOT_NAMES[self.seat % len(BOT_NAMES)] if self.level else ""), self.kind, self.level)


@dataclass(frozen=True)
class Remark:
    number: int
    seat: int
    text: str
    is_phrase: bool  # one of the ready phrases, which readers see in their own language
    # of an action that everybody is told of: who did it, to whom; the text says which it was
    names: tuple[str, str] | None = None


@dataclass
class Asking:
    """Somebody asks to take moves back."""

    seat: int
    moves_left: int
    agreed: set[int] = field(default_factory=set)


@dataclass(frozen=True)
class PauseState:
    """Who would like a pause, and since when there is one. At a table of a class its teacher says so alone; elsewhere
    all who hold a chair do, and each of them ends it."""

    wanted_by: frozenset[int] = frozenset()  # the seats that would like one, before it begins
    since: int | None = None  # in milliseconds since 1970; None: there is none
    is_agreed: bool = False  # by those who play; else a teacher's, and nobody who plays ends it

    def after(self, entry: Pause, at: int) -> PauseState:
        if entry.ends:
            return NO_PAUSE
        if entry.is_asked and entry.seat is not None:
            return replace(self, wanted_by=self.wanted_by | {entry.seat})
        return PauseState(since=at, is_agreed=entry.seat is not None)

    def without_wishes(self) -> PauseState:
        """The match has gone on, or who was asked has left."""
        return replace(self, wanted_by=frozenset())

    def told(self, entry: Pause) -> str:
        """What everybody is told of the next entry: see `phrases.py`."""
        if entry.ends:
            return "no pause" if self.since is None else "goes on"
        return "wants a pause" if entry.is_asked else "paused"


NO_PAUSE = PauseState()


@dataclass(frozen=True)
class Nonce:
    """A number that somebody brings to the table before it is dealt; the deal depends on
    everybody's."""

    number: str  # hexadecimal
    maker: str  # "browser", "program", or "server" for those who bring none


def server_nonce() -> Nonce:
    return Nonce(secrets.token_hex(16), "server")


def sits_again(chair: Chair) -> list[AnyEntry]:
    """Somebody with all their devices, at the table that follows."""
    person, *devices = list(chair.persons) or [f"nobody-{secrets.token_hex(8)}"]
    nonce = Nonce(chair.next_nonce, "browser") if chair.next_nonce else server_nonce()
    sitting = Sit(chair.seat, person, chair.name, secrets.token_hex(8), chair.for_program, nonce.number, nonce.maker)
    return [sitting, *(Come(chair.seat, device) for device in devices)]
