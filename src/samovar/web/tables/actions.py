"""What can be done at a table, each written once: an action is a class here, and its form, its route for programs
and their description are made from it. `table.py` says who may do it and when.

What needs more than whoever sits there and some fields has a way of its own: to sit down and to come by a link (who
does it has no seat yet), a move (`server/shortcut.py`), a hint (nothing happens at the table), and to cut off devices
(a browser is what it is about).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, ClassVar

from msgspec import Meta, Struct
from msgspec import field as msgspec_field

from samovar.engine.heuristics import LEVEL_NAMES
from samovar.engine.records.fair import check_nonce
from samovar.web import problems
from samovar.web.figures import REMARKS
from samovar.web.names import LONGEST_NAME
from samovar.web.store.entries import AnyEntry
from samovar.web.tables import clock
from samovar.web.tables.chairs import Nonce
from samovar.web.tables.phrases import PHRASES, USUAL_LEVEL
from samovar.web.tables.post.plans import PlannedMove
from samovar.web.tables.table import LONGEST_REMARK, Table
from samovar.web.tables.tables import Tables, Who

SAME_TABLE = "/table/{table.id}"  # loaded anew: whoever gives up their chair sees it with other eyes


def described(description: str, **bounds: object) -> Meta:
    """With what the description of the API says of a value. Whoever breaks it is refused where it is used, in words
    that say what would be right."""
    return Meta(description=description, extra_json_schema={"extra": bounds})


Name = Annotated[
    str, described(f"What the others see, 1 to {LONGEST_NAME} letters.", min_length=1, max_length=LONGEST_NAME)
]
BotLevel = Annotated[str, described("Of the bot.", enum=LEVEL_NAMES)]


@dataclass(frozen=True)
class Api:
    """How programs do it: where they send it, after /api/tables/ID/, and what the document says of it."""

    address: str
    summary: str
    refuses: tuple[type[problems.Problem], ...] = ()
    example: dict[str, str | int | bool] = field(default_factory=dict)


class Action(Struct, kw_only=True, forbid_unknown_fields=True):
    """The fields are what programs send and what forms say; the docstring is for the document of the API, or says
    why programs have no such thing."""

    method: ClassVar[str]  # what the client calls it
    page: ClassVar[str]  # where its form goes, after /table/ID/; empty: it has none of its own
    api: ClassVar[Api | None]
    form: ClassVar[type[Action] | None] = None  # what pages ask for, where that is something else
    goes_to: ClassVar[str] = ""  # the page that is shown then; empty: the same one

    async def do(self, tables: Tables, table_id: str, who: Who) -> Table:
        return await tables.act(table_id, who, self.entries)

    def entries(self, table: Table, seat: int) -> list[AnyEntry]:
        """What happens when this seat does it, or why it may not."""
        raise NotImplementedError(f"{type(self).__name__} says neither its entries nor how it is done.")


class PageRemark(Action):
    """One's own words, or a phrase that everybody reads in their own language."""

    text: str = ""
    phrase: str = ""

    def __post_init__(self) -> None:
        if self.phrase and self.phrase not in PHRASES:
            raise problems.BadChoice(name=problems.N_("phrase"), value=self.phrase[:40])

    async def do(self, tables: Tables, table_id: str, who: Who) -> Table:
        REMARKS.add()
        return await tables.act(table_id, who, self.entries)

    def entries(self, table: Table, seat: int) -> list[AnyEntry]:
        return table.say(seat, self.phrase or self.text, is_phrase=bool(self.phrase))


class NewRemark(Action):
    method = page = "say"
    api = Api("talk", "Say something", (problems.BadRemark,), {"text": "Well played!"})
    form = PageRemark
    text: Annotated[str, described(f"1 to {LONGEST_REMARK} letters.", min_length=1, max_length=LONGEST_REMARK)]

    async def do(self, tables: Tables, table_id: str, who: Who) -> Table:
        return await PageRemark(text=self.text).do(tables, table_id, who)


class HandedChair(Action):
    """One's own, or that of somebody who is away."""

    seat: int = -1

    async def do(self, tables: Tables, table_id: str, who: Who) -> Table:
        await tables.presence.ask_others(table_id)

        def entries(table: Table, own: int) -> list[AnyEntry]:
            is_away = tables.presence.is_away(table_id, self.seat)  # now: they may be back
            return table.hand_over(own, self.seat, is_away=is_away, now=clock.now())

        return await tables.act(table_id, who, entries)


class HandingOver(Action):
    """It plays for you until you come back, so that nobody has to wait."""

    method, page = "hand_over", "hand-over"
    api = Api(
        "hand-over",
        "Leave your chair to a bot",
        (problems.NotStarted, problems.IsOver, problems.MovedOn, problems.PlaysAlone, problems.BadChoice),
        {"level": "medium"},
    )
    form = HandedChair
    level: BotLevel = "medium"

    def entries(self, table: Table, seat: int) -> list[AnyEntry]:
        return table.hand_over(seat, seat, self.level)


class ComingBack(Action):
    """To a chair where a bot plays for you, because you asked for it or because the others were
    tired of waiting."""

    method, page = "come_back", "come-back"
    api = Api("come-back", "Come back")

    def entries(self, table: Table, seat: int) -> list[AnyEntry]:
        return table.come_back(seat)


class NewName(Action):
    """The others are told. If somebody there is called so already, the answer says what you are
    called instead."""

    method, page = "rename", "name"
    api = Api("name", "Change your name", (problems.IsOver, problems.BadName), {"name": "Deep Kvass"})
    name: Name

    def entries(self, table: Table, seat: int) -> list[AnyEntry]:
        return table.rename(seat, self.name)


class Leaving(Action):
    """The chair is free again, or a bot's once the match has begun. Your token is of no use any
    more."""

    method = page = "leave"
    api = Api("leave", "Leave for good", (problems.IsOver,))
    goes_to = SAME_TABLE

    def entries(self, table: Table, seat: int) -> list[AnyEntry]:
        return table.leave(seat)


class Resigning(Action):
    """You give the match up and are placed last. It ends where one player is left, or no other
    person or program; else a bot plays on in your chair, and your token is of no use any more."""

    method = page = "resign"
    api = Api("resign", "Resign", (problems.NotStarted, problems.IsOver))
    goes_to = SAME_TABLE

    def entries(self, table: Table, seat: int) -> list[AnyEntry]:
        return table.resign(seat)


class Cancelling(Action):
    """Before the match begins, if yours is the chair that was taken first. Whoever asks for the
    table later is answered 410."""

    method = page = "cancel"
    api = Api("cancel", "Cancel the table", (problems.NotTheOpener, problems.HasBegun))
    goes_to = "/"

    def entries(self, table: Table, seat: int) -> list[AnyEntry]:
        return table.cancel(seat)


class Muting(Action):
    """You read no remarks of another player any more, at this table and on all your devices, until you ask for them
    again. Nobody is told."""

    method = page = "mute"
    api = Api("mute", "Mute another player", (problems.MovedOn,), {"whom": 1, "is_muted": True})
    whom: Annotated[int, Meta(description="The seat of the other player.")] = -1
    is_muted: Annotated[bool, Meta(description="Whether their remarks are hidden from you.")] = False

    def entries(self, table: Table, seat: int) -> list[AnyEntry]:
        return table.mute(seat, self.whom, ends=not self.is_muted)


class Answer(Action):
    """Somebody asks to take moves back (`asking` in a look): it happens when all others who ever
    sat there agree, and not without you."""

    method = page = "answer"
    api = Api(
        "answer",
        "Answer who wants to take back",
        (problems.NotStarted, problems.MovedOn, problems.PausedByAll),
        {"agrees": True},
    )
    agrees: Annotated[bool, Meta(description="Whether the moves may be taken back.")]

    def entries(self, table: Table, seat: int) -> list[AnyEntry]:
        return table.answer(seat, agrees=self.agrees)


class Pausing(Action):
    """Where time runs: whether you would like a pause. It begins when all people and programs that
    hold a chair do. Then no time runs and no bot plays, until one of you wants it no longer or moves,
    or an hour is over, by post 30 days. What was not agreed on is dropped with the next move."""

    method = page = "pause"
    api = Api(
        "pause", "Agree on a pause, or go on", (problems.NotStarted, problems.IsOver, problems.NoPause),
        {"is_wanted": True},
    )  # fmt: skip
    is_wanted: Annotated[bool, Meta(description="Whether you would like a pause; if not, none begins, or it ends.")]

    def entries(self, table: Table, seat: int) -> list[AnyEntry]:
        return table.want_pause(seat, is_wanted=self.is_wanted)


class PlayingAgain(Action):
    """A new table with the same people, options and bots, once the match is over; whoever asks
    second finds the one that is there."""

    method = page = "again"
    api = Api("again", "Play again", (problems.NotOver, problems.OfSeries))
    goes_to = "/table/{table.again}"

    async def do(self, tables: Tables, table_id: str, who: Who) -> Table:
        return await tables.play_again(table_id, who)


class TakingBack(Action):
    """One's last move, or a question to the others whether it may be. Programs move when they are sure."""

    method, page, api = "take_back", "back", None

    async def do(self, tables: Tables, table_id: str, who: Who) -> Table:
        return await tables.take_back(table_id, who)


class Beginning(Action):
    """Bots take the chairs that are free. Programs ask for them when they make a table."""

    method, page, api = "begin", "begin", None
    level: str = USUAL_LEVEL

    def entries(self, table: Table, seat: int) -> list[AnyEntry]:
        return table.begin(self.level)


class SettingChair(Action):
    """Whoever opened the table puts a bot on a free chair, or sends it away again. Programs say who sits where when
    they make a table."""

    method, page, api = "set_chair", "chair", None
    seat: int = -1
    level: str = ""

    def entries(self, table: Table, seat: int) -> list[AnyEntry]:
        return table.set_chair(seat, self.seat, self.level)


class MakingFree(Action):
    """The chair of somebody who has gone before the match began. Who is away, pages tell people alone."""

    method, page, api = "make_free", "free", None
    seat: int = -1

    async def do(self, tables: Tables, table_id: str, who: Who) -> Table:
        await tables.presence.ask_others(table_id)
        is_away = tables.presence.is_away(table_id, self.seat)
        return await tables.act(
            table_id, who, lambda table, own: table.make_free(own, self.seat, is_away=is_away, now=clock.now())
        )


class BringingNonce(Action):
    """Our script does it when its page has shown the commitment. Programs bring theirs when they sit down."""

    method, page, api = "bring_nonce", "luck", None
    nonce: str = msgspec_field(name="luck")

    def entries(self, table: Table, seat: int) -> list[AnyEntry]:
        return table.bring_nonce(seat, Nonce(check_nonce(self.nonce), "browser"))


class PlanningMove(Action):
    """By post: what is to be played at a later turn. Nobody else is told; programs are there when it is their turn."""

    method, page, api = "plan_move", "ahead", None
    goes_to = "/table/{table.id}/ahead"
    turn: int = 0  # of one's own, from the next one on
    sees: str = ""  # what must have been seen before; empty: whatever comes
    move: str = ""
    cards: list[str] = msgspec_field(name="with", default_factory=list)
    ply: int = -1  # of the page that this was chosen on

    async def do(self, tables: Tables, table_id: str, who: Who) -> Table:
        planned = PlannedMove(" ".join([self.move, *sorted(self.cards)]), self.sees)
        return await tables.moves_ahead.add(table_id, who, self.ply, self.turn, planned)


class DroppingPlan(Action):
    """One line of what was planned, or all of it."""

    method, page, api = "drop_plan", "ahead-drop", None
    goes_to = "/table/{table.id}/ahead"
    turn: int = -1
    line: int = -1

    async def do(self, tables: Tables, table_id: str, who: Who) -> Table:
        return await tables.moves_ahead.drop(table_id, who, self.turn, self.line)


class MakingOnlyMoves(Action):
    """Whether a move is made by itself where there is no other."""

    method, page, api = "make_only_moves", "ahead-only", None
    goes_to = "/table/{table.id}/ahead"
    is_on: bool = False

    async def do(self, tables: Tables, table_id: str, who: Who) -> Table:
        return await tables.moves_ahead.set_only_moves(table_id, who, self.is_on)


class StandingUp(Action):
    """Leaving in the list of one's tables (`pages/my_tables.py`), where no match is given up by mistake."""

    method, page, api = "stand_up", "", None

    def entries(self, table: Table, seat: int) -> list[AnyEntry]:
        return table.stand_up(seat)


ACTIONS = tuple(action for action in Action.__subclasses__() if hasattr(action, "api"))  # the others are forms
