"""What a game provides. The one file to read first.

A game is one folder with `GAME = Game(...)` in it, found through the entry-point group
`samovar.games`. It has three parts:

*Facts*: id, name, seats, options, the state's layout, how many move numbers there are, how long a match can be.

*Rules*, each marked `@rule` (see `rule.py` for what such a function may use). They run as plain Python, compiled on the CPU and on a GPU:

    deal(state, seats, options, rng)   Sets the table up in a zeroed state. All chance is here: deck orders and every later shuffle are
                                       hidden fields of the state. No generator and no seed is ever in the state.
    actors(state)                      Bit mask of the seats that may act now; 0 when the match is over.
    legal(state, seat, out)            Writes the legal move numbers of an actor in ascending order, returns how many (at least one).
                                       A move number means the same in every state.
    apply(state, seat, move)           One legal move of an actor; trusts its caller. Seats that must pass are passed over in here.
    scores(state, out)                 Points by seat, as the rulebook counts them, at any time: as if the match ended now.
    places(state, out)                 Places by seat, 1 for the winner(s), ties share and the next place is skipped (1, 1, 3). Default: most
                                       points win.
    determinize(state, seat, rng)      Replaces all that the seat cannot know by a random draw that fits all it has seen. The draw depends
                                       on what the seat knows and on rng, never on what it cannot know: worlds that the seat cannot tell
                                       apart give the same result, byte for byte. There is no default, because it would peek at hidden
                                       cards; `nothing_hidden` is for games without any.
    observe(state, seat, out)          What the seat knows as numbers from -128 to 127; the layout is `Game.observation`. Writes every entry.
    faults(state)                      One bit per broken invariant, named in `Game.fault_names`; 0 is sound. Default: always.

When choices are simultaneous, several seats are actors, each commits by one move, in any order, and
the last one makes all of them happen.

*For people*, plain Python on a `PlainState`:

    view(state, seat)                  What the seat sees (None: a spectator), a frozen dataclass built up from what is visible; it has a field
                                       `news`, the events of the last move as this viewer saw them, and a field `prompt`, an event that says
                                       what is asked of the viewer now: `usual_prompt` where nothing special is.
    news(state, seat)                  The `news` of a view alone, for those who tell many moves. Default: the whole view is made for it.
    move_text(state, seat, move)       The move as text, the same in capitals.
    parse_move(state, seat, text)      The number of a move given as text, or `ValueError`. Default: the legal move of that text.
    arrange(...)                       A state laid out by hand from JSON-like keyword arguments (examples, puzzles, tests). Default: a deal
                                       and some moves, see `usual.py`.
    draw(view, words)                  A text drawing for terminals, made from a view and nothing else. Default: the view's fields.
    words                              What there is to say, by language: see `Event`. `USUAL_WORDS` are there already.

*For bots*, optional: `instinct`, see `instinct.py`. *For browsers*, optional: `face`, see `face.py`.

A game in one file need not list its functions: `GAME = Game.from_module(__name__, id=..., ...)`.
docs/add-a-game.md goes through one line by line.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from functools import cached_property
from itertools import product
from pathlib import Path
from types import FunctionType
from typing import Any, Protocol

import numpy as np

from samovar.engine.face import Face
from samovar.engine.instinct import Instinct
from samovar.engine.mistakes import check_rules, check_state_type
from samovar.engine.usual import (
    USUAL_WORDS,
    Usual,
    always_sound,
    draw_fields,
    legal_move,
    most_points_win,
    nothing_hidden,
    usual_position,
)
from samovar.errors import BadOption, BrokenGame, UnknownOption, WrongSeats, did_you_mean

__all__ = ["Event", "Game", "Option", "Part", "Value", "View", "Words", "event", "nothing_hidden", "usual_prompt"]

Value = bool | int | str | None
Words = Mapping[str, str]


@dataclass(frozen=True)
class Option:
    """A switch of a game: its values are `choices`, the default is one of them; texts count as
    their position, the rest as themselves."""

    name: str
    default: Value
    choices: tuple[Value, ...] | range
    help: str

    def code(self, value: Value) -> int:
        """The value as the number rules see."""
        for position, choice in enumerate(self.choices):
            if value == choice and isinstance(value, bool) == isinstance(choice, bool):
                return self._number(position, choice)
        raise BadOption(f"Option {self.name!r} cannot be {value!r}. It takes {self.describe()}.")

    def parse(self, value: Value) -> Value:
        """The value of a text as typed in a terminal; other values are left as they are."""
        for choice in self.choices:
            if isinstance(value, str) and value.lower() == ("random" if choice is None else str(choice).lower()):
                return choice
        return value

    def value(self, code: int) -> Value:
        for position, choice in enumerate(self.choices):
            if self._number(position, choice) == code:
                return choice
        raise BadOption(f"Option {self.name!r} has no value numbered {code}.")

    @staticmethod
    def _number(position: int, choice: Value) -> int:
        if choice is None:
            return -1
        return position if isinstance(choice, str) else int(choice)

    def describe(self) -> str:
        if isinstance(self.choices, range):
            return f"a number from {self.choices[0]} to {self.choices[-1]} (default {self.default})"
        named = ", ".join("random" if choice is None else str(choice).lower() for choice in self.choices)
        return f"{named} (default {'random' if self.default is None else str(self.default).lower()})"


@dataclass(frozen=True)
class Part:
    """A stretch of an observation: `size` numbers from -128 to 127."""

    name: str
    size: int
    help: str


@dataclass(frozen=True)
class Event:
    """Something that happened, as one viewer saw it. `kind` and every text among the facts is
    looked up in the game's words.

    The sentence of a kind names the facts in braces: `"reveals": "{seat} reveals {card} at
    {place}."`. The fact `seat` (and any whose name ends in `_seat`) is a seat number and is told as
    the name of who sits there.
    """

    kind: str
    facts: tuple[tuple[str, int | str], ...] = ()

    def tell(self, words: Words, names: Callable[[int], str]) -> str:
        told: dict[str, int | str] = {}
        for name, fact in self.facts:
            if isinstance(fact, str):
                told[name] = words.get(fact, fact)
            elif name == "seat" or name.endswith("_seat"):
                told[name] = names(fact)
            else:
                told[name] = fact
        return words[self.kind].format(**told)


def event(kind: str, **facts: int | str) -> Event:
    return Event(kind, tuple(facts.items()))


def usual_prompt(actors: int, seat: int | None) -> Event:
    """What is asked of a viewer where there is only one thing to ask; `actors` is the mask. Its
    sentences are among `USUAL_WORDS`."""
    if actors == 0:
        return event("prompt.over")
    return event("prompt.move" if seat is not None and (actors >> seat) & 1 else "prompt.wait")


class View(Protocol):
    """What every view has; a game's own dataclass adds the rest."""

    @property
    def news(self) -> tuple[Event, ...]: ...

    @property
    def prompt(self) -> Event: ...


@dataclass(frozen=True, kw_only=True, eq=False)
class Game:
    """A game to the contract above; two games are the same only if they are one object."""

    id: str
    name: str
    version: int = 1  # of the rules: raised when the same moves could mean another match
    seats: tuple[int, ...]
    state: np.dtype[Any]
    moves: int  # move numbers are 0 .. moves - 1
    max_legal: int = 0  # most legal moves at one moment; 0: all numbers may be legal at once
    max_length: Callable[[int, Mapping[str, Value]], int]  # (seats, options) -> moves in the longest match
    observation: tuple[Part, ...]
    fault_names: tuple[str, ...] = ()
    own_options: tuple[Option, ...] = ()

    deal: Callable[..., Any]
    actors: Callable[..., Any]
    legal: Callable[..., Any]
    apply: Callable[..., Any]
    scores: Callable[..., Any]
    places: Callable[..., Any] = most_points_win
    determinize: Callable[..., Any]
    observe: Callable[..., Any]
    faults: Callable[..., Any] = always_sound

    view: Callable[[Any, int | None], View]
    news: Callable[[Any, int | None], tuple[Event, ...]] | None = None
    move_text: Callable[[Any, int, int], str]
    parse_move: Callable[[Any, int, str], int] = field(default=Usual(legal_move), repr=False)
    arrange: Callable[..., np.ndarray[Any, Any]] = field(default=Usual(usual_position), repr=False)
    draw: Callable[[Any, Words], str] = draw_fields
    words: Mapping[str, Words]
    folder: str = field(default="", repr=False)  # where RULES.md and RULES.fr.md are; by default that of `deal`
    # what helps bots to play it well: see `instinct.py`
    instinct: Instinct = field(default_factory=Instinct, repr=False)
    face: Face | None = field(default=None, repr=False)  # how it looks in a browser: see `face.py`

    @classmethod
    def from_module(cls, module: str, **facts: Any) -> Game:
        """A game in one file: what is not given is the module's function of that name. `GAME =
        Game.from_module(__name__, id="my_game", ...)`"""
        names = vars(sys.modules[module])
        entries = [entry.name for entry in fields(cls)]
        for name in facts.keys() - entries:
            raise BrokenGame(f"The contract of a game has no entry {name!r}.{did_you_mean(name, entries)}")
        found = {
            name: names[name] for name in entries if name not in facts and isinstance(names.get(name), FunctionType)
        }
        needed = [entry.name for entry in fields(cls) if entry.default is MISSING and entry.default_factory is MISSING]
        missing = [name for name in needed if name not in facts and name not in found]
        if missing:
            raise BrokenGame(
                f"The game in {module!r} lacks {', '.join(missing)}. Write what is missing; "
                "samovar/engine/contract.py says what it is."
            )
        return cls(**found, **facts)

    def __post_init__(self) -> None:
        """Fills in what the author left out, and refuses at once what would go wrong later and be
        hard to understand then."""
        check_state_type(self.state)
        check_rules(self)
        filled = {
            "max_legal": self.max_legal or self.moves,
            "folder": self.folder or str(Path(self.deal.__code__.co_filename).parent),
            "words": {language: {**USUAL_WORDS.get(language, {}), **words} for language, words in self.words.items()},
        }
        for name in ("parse_move", "arrange"):
            if isinstance(usual := getattr(self, name), Usual):
                filled[name] = Usual(usual.func, self)
        for name, value in filled.items():
            object.__setattr__(self, name, value)

    def news_of(self, state: Any, seat: int | None) -> tuple[Event, ...]:
        """What happened in the last move, as this viewer saw it."""
        return self.news(state, seat) if self.news else self.view(state, seat).news

    @cached_property
    def options(self) -> tuple[Option, ...]:
        """The game's own options and `first`, which every game has (RULINGS C1)."""
        first = Option("first", None, (None, *range(max(self.seats))), "the starting seat")
        return (*self.own_options, first)

    @cached_property
    def observation_size(self) -> int:
        return sum(part.size for part in self.observation)

    @cached_property
    def setup_type(self) -> np.dtype[Any]:
        """What `deal` gets as `options`: the number of seats and every option as a number."""
        return np.dtype([("seats", np.int32)] + [(option.name, np.int32) for option in self.options])

    def variants(self) -> list[tuple[int, dict[str, Any]]]:
        """Every seat count with every combination of switches; an option that is a range of numbers
        keeps its default."""
        switches = [option for option in self.own_options if not isinstance(option.choices, range)]
        combinations = list(product(*(option.choices for option in switches)))
        return [
            (seats, {o.name: v for o, v in zip(switches, values, strict=True)})
            for seats in self.seats
            for values in combinations
        ]

    def check_seats(self, seats: int) -> int:
        if seats not in self.seats or isinstance(seats, bool):
            known = " or ".join(map(str, self.seats))
            raise WrongSeats(f"{self.name} is played with {known} seats, not with {seats!r}.")
        return seats

    def check_options(self, seats: int, given: Mapping[str, Value]) -> dict[str, Value]:
        """All options with their values, defaults filled in."""
        known = {option.name: option for option in self.options}
        for name in given:
            if name not in known:
                raise UnknownOption(f"{self.name} has no option {name!r}.{did_you_mean(name, known)}")
        values = {name: option.value(option.code(given.get(name, option.default))) for name, option in known.items()}
        first = values["first"]
        if isinstance(first, int) and first >= seats:
            raise BadOption(f"Option 'first' is {first}, but the seats are numbered 0 to {seats - 1}.")
        return values

    def setup(self, seats: int, values: Mapping[str, Value]) -> np.ndarray[Any, Any]:
        """Seats and checked options as one record for the rules."""
        record = np.zeros(1, self.setup_type)
        record["seats"] = seats
        for option in self.options:
            record[option.name] = option.code(values[option.name])
        return record
