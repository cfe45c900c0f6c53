"""What programs send to the site and what they get: the words of `api.py`, each described where it
stands. What they do at a table is in `tables/actions.py`."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from litestar.openapi.spec import OpenAPIType, Schema
from msgspec import UNSET, Meta, Struct, UnsetType

from samovar.engine.contract import Game, Value
from samovar.engine.heuristics import LEVEL_NAMES
from samovar.engine.words import option_help, words_in
from samovar.language.languages import ENGLISH
from samovar.web.names import Person
from samovar.web.store.entries import Settings
from samovar.web.tables.actions import Name, described
from samovar.web.tables.clock import ALLOWANCES

PROGRAM, FREE = "token", "free"


TableId = Annotated[str, Meta(description="The id of the table.")]
GameId = Annotated[str, Meta(description="The id of the game.")]
Seats = Annotated[int, Meta(description="How many seats there are.")]
Status = Annotated[Literal["waiting", "playing", "over"], Meta(description="`waiting`: some chairs are still free.")]
Rules = Annotated[int, Meta(description="The version of the game's rules.")]
Options = Annotated[dict[str, Value], Meta(description="Of the game, all of them.")]
Revision = Annotated[
    int, Meta(description="How often the match has changed: by a move, or by taking some back. It never comes again.")
]
Ply = Annotated[
    int, Meta(description="The old name of `revision`, for one release.", extra_json_schema={"deprecated": True})
]
Token = Annotated[
    str, Meta(description="Send it as `Authorization: Bearer TOKEN`. Whoever has it plays this seat, so keep it.")
]


class RequestBody(Struct, kw_only=True, forbid_unknown_fields=True):
    """What a program sends: a word that is not known is an error, not a typo that goes unseen."""


class NewTable(RequestBody):
    """A table to be made."""

    game: Annotated[str, Meta(description="The id of a game: see `/api/games`.")]
    seats: Annotated[int | None, described("How many; the fewest by default.", minimum=1)] = None
    options: Annotated[dict[str, bool | int | str | None], Meta(description="Of the game: see `/api/games`.")] = {}
    chairs: Annotated[
        list[str],
        described(
            "By seat: `token` (you play it and get its token), `free` (for whoever comes by the link), or a bot's "
            "level. By default the first is yours and the others are free.",
            items=Schema(type=OpenAPIType.STRING, enum=(PROGRAM, FREE, *LEVEL_NAMES)),
        ),
    ] = []
    is_open: Annotated[bool, Meta(description="Whether the site lists the table for everybody.")] = False
    hints: Annotated[bool, Meta(description="Whether people may ask for hints.")] = False
    memory_aid: Annotated[bool, Meta(description="Whether people are shown what they have seen.")] = False
    stand_in: Annotated[str, described("The level of a bot that plays for somebody who is away.", enum=LEVEL_NAMES)] = (
        "medium"
    )
    time: Annotated[
        str,
        described(
            f"How much players have: {', '.join(f'`{name}`' for name in ALLOWANCES)} (minutes for each and "
            "seconds more with each move, or by post days for each move); empty: as much as they like.",
            enum=("", *ALLOWANCES),
        ),
    ] = ""
    one_move: Annotated[
        bool, Meta(description="When it runs out a bot makes this move only; else it plays until they are back.")
    ] = False
    is_rated: Annotated[
        bool,
        Meta(
            description="Whether the match counts for the site's table of players: without hints, memory aid and "
            "taking back, and with `easy` bots in the chairs of those who are away."
        ),
    ] = False
    name: Name = "Program"


class Made(Struct, kw_only=True):
    """A table that was made."""

    table: TableId
    page: Annotated[str, Meta(description="Its page for people.")]
    tokens: Annotated[list[str | None], Meta(description="By seat; null where you do not play.")]


class Sitting(RequestBody):
    name: Name
    seat: Annotated[int | None, described("The first free one by default.", minimum=0)] = None
    nonce: Annotated[
        str,
        described(
            "Your part in the deal: 32 to 128 hexadecimal digits, drawn when you know the commitment. By default the "
            "site draws it.",
            pattern="^([0-9a-f]{32,128})?$",
        ),
    ] = ""


class Sat(Struct, kw_only=True):
    """A chair that is yours."""

    table: TableId
    seat: Annotated[int, Meta(description="Its number, from 0.")]
    token: Token


class NewMove(RequestBody):
    move: Annotated[int | str, described("The number or the text of a legal move.", minimum=0, min_length=1)]
    revision: Annotated[
        int | UnsetType,
        described(
            "That of what you looked at when you chose. If it no longer stands, the answer is 409 and nothing is "
            "played.",
            minimum=0,
        ),
    ] = UNSET
    ply: Annotated[
        int | UnsetType, described("The old name of `revision`, for one release.", minimum=0, deprecated=True)
    ] = UNSET

    @property
    def seen(self) -> int:
        """The revision that the move was chosen from, by either name."""
        return next(one for one in (self.revision, self.ply) if one is not UNSET)

    def __post_init__(self) -> None:
        if self.revision is UNSET and self.ply is UNSET:
            raise ValueError("Object missing required field `revision`")


class Moved(Struct, kw_only=True):
    """A move that is committed."""

    revision: Revision
    ply: Ply
    over: Annotated[bool, Meta(description="Whether the match is over now.")]
    actors: Annotated[tuple[int, ...], Meta(description="The seats that may act now.")]


class Asking(Struct, kw_only=True):
    """Somebody asks to take moves back, to before their own last one."""

    seat: Annotated[int, Meta(description="Who asks.")]
    agreed: Annotated[list[int], Meta(description="Who has agreed so far.")]


class TablePause(Struct, kw_only=True):
    """All that hold a chair can agree on a pause where time runs, and each of them ends it."""

    wanted_by: Annotated[list[int], Meta(description="Who would like one, before it begins.")]
    until: Annotated[int | None, Meta(description="When it ends by itself, since 1970; null: it has not begun.")]


class Legal(Struct, kw_only=True):
    move: Annotated[int, Meta(description="A move number means the same in every position of a game.")]
    text: Annotated[str, Meta(description="As in records.")]
    sentence: Annotated[str, Meta(description="In words, for people.")]
    told: Annotated[
        str, Meta(description="The old name of `sentence`, for one release.", extra_json_schema={"deprecated": True})
    ]


class LegalMoves(Struct, kw_only=True):
    revision: Revision
    ply: Ply
    legal: Annotated[
        list[Legal], Meta(description="Each with its number (`move`), its `text`, and a `sentence` for people.")
    ]


class Said(Struct, kw_only=True):
    number: Annotated[int, Meta(description="Grows with every remark.")]
    seat: Annotated[int, Meta(description="Who said it.")]
    text: Annotated[str, Meta(description="What was said.")]


class Again(Struct, kw_only=True):
    """The table where the same people play again."""

    table: TableId
    seat: Annotated[int | None, Meta(description="Yours there, if you have one.")] = None
    token: Annotated[
        str | None, Meta(description="Of that seat, as long as nobody has renewed it, nor yours here.")
    ] = None


class Clock(Struct, kw_only=True):
    """The time of a seat, in milliseconds."""

    left: Annotated[int | None, Meta(description="While it stands.")]
    until: Annotated[int | None, Meta(description="While it runs: when none will be left, since 1970.")]


class Look(Struct, kw_only=True):
    """A table as one viewer may see it, whole: never a difference to something sent before."""

    table: TableId
    game: GameId
    rules: Rules
    seats: Seats
    teams: Annotated[tuple[int, ...], Meta(description="By seat: those of one team win and lose together.")]
    options: Options
    settings: Annotated[Settings, Meta(description="Of the table.")]
    status: Status
    revision: Revision
    ply: Ply
    moment: Annotated[int, Meta(description="How many moves have been made and stand.")]
    actors: Annotated[tuple[int, ...], Meta(description="The seats that may act now.")]
    seat: Annotated[int | None, Meta(description="Yours; null for a spectator.")]
    bot_seed: Annotated[
        int | None, Meta(description="For all that you leave to chance. It has nothing to do with the deal.")
    ]
    people: Annotated[
        list[Person],
        Meta(description="By seat; kind: `person` (or a program), `bot`, `absent` (a bot plays for them) or `free`."),
    ]
    clocks: Annotated[list[Clock], Meta(description="By seat; empty where everybody has as much time as they like.")]
    commitment: Annotated[
        str, Meta(description="To the deal: the record will prove that it was fixed before the first move.")
    ]
    nonces: Annotated[
        list[str | None],
        Meta(description="By seat: everybody's part in the deal, as far as they have brought it; null for bots."),
    ]
    talk: Annotated[list[Said], Meta(description="The last remarks.")]
    asking: Annotated[Asking | None, Meta(description="Somebody asks to take moves back.")] = None
    pause: Annotated[TablePause | None, Meta(description="The table is paused, or somebody would like that.")] = None
    again: Annotated[Again | None, Meta(description="Where the same people play again.")]
    view: Annotated[
        Any, Meta(description="What you see, as the game's `view.py` describes it; null before the match begins.")
    ] = None
    news: Annotated[list[str], Meta(description="What happened in the last move, in words.")] = []
    legal: Annotated[list[Legal], Meta(description="Your moves; none if it is not for you to act.")] = []
    observation: Annotated[
        list[int] | None, Meta(description="What you know, as numbers: `/api/games` says which is what.")
    ] = None
    resigned: Annotated[list[int], Meta(description="The seats that gave up, in this order.")] = []
    scores: Annotated[tuple[int, ...] | None, Meta(description="By seat, when the match was played to its end.")] = None
    places: Annotated[tuple[int, ...] | None, Meta(description="By seat, when the match is over; 1 is the winner.")] = (
        None
    )
    success: Annotated[
        int | None, Meta(description="Of a thousand: how well all did together, when such a match is over.")
    ] = None


class Gone(Struct, kw_only=True):
    """Something that is yours no longer, or nobody's."""

    table: TableId


class OpenTable(Struct, kw_only=True):
    """A table that is listed for everybody."""

    table: TableId
    game: GameId
    seats: Seats
    free: Annotated[int, Meta(description="How many chairs nobody sits on.")]
    status: Status


class GameOption(Struct, kw_only=True):
    name: str
    default: Value
    choices: Annotated[list[Value], Meta(description="All of them, or with `is_range` the lowest and the highest.")]
    is_range: bool
    help: str


class Stretch(Struct, kw_only=True):
    """So many numbers of an observation."""

    name: str
    size: int
    help: str


class GameFacts(Struct, kw_only=True):
    game: GameId
    name: Annotated[str, Meta(description="For people.")]
    rules: Rules
    seats: Annotated[tuple[int, ...], Meta(description="The numbers of seats it is played with.")]
    moves: Annotated[int, Meta(description="Move numbers are below this.")]
    options: Annotated[list[GameOption], Meta(description="Each with its name, default and choices.")]
    observation: Annotated[
        list[Stretch], Meta(description="Its parts in order: name, size, and what the numbers mean.")
    ]


def game_facts(game: Game) -> GameFacts:
    options = [
        GameOption(
            name=option.name,
            default=option.default,
            choices=[option.choices[0], option.choices[-1]]
            if isinstance(option.choices, range)
            else list(option.choices),
            is_range=isinstance(option.choices, range),
            help=option_help(words_in(game, ENGLISH), option),
        )
        for option in game.options
    ]
    parts = [Stretch(name=part.name, size=part.size, help=part.help) for part in game.observation]
    return GameFacts(
        game=game.id,
        name=game.name,
        rules=game.version,
        seats=game.seats,
        moves=game.moves,
        options=options,
        observation=parts,
    )


class Error(Struct, kw_only=True):
    """What was wrong, and what would be right. Nothing has changed."""

    error: Annotated[str, Meta(description="The kind, for programs: `MovedOn`.")]
    detail: Annotated[str, Meta(description="A sentence, for people.")]
