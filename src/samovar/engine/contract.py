"""What a game provides. The one file to read first.

A game is one folder with `GAME = Game(...)` in it, found through the entry-point group
`samovar.games`. It has three parts, the fields of `Game`:

*Facts*: id, name, seats, options, the state's layout, how many move numbers there are, how long a
match can be.

*Rules*, each marked `@rule` (see `rule.py` for what such a function may use). They run as plain
Python, compiled on the CPU and on a GPU. Each one has a protocol below, from `Deal` to `RotateBack`,
which says what it takes and does; it stands nowhere else. When choices are simultaneous, several
seats are actors, each commits by one move, in any order, and the last one makes all of them happen.

*For people*, plain Python on a `PlainState`: protocols from `View` to `Draw`, and `words`: what
there is to say, by language, see `Event`. What most games say (`Grammar.words`) is there already.

*For learners*, optional: the kinds of the observation's parts (`kinds.py`), and protocols from `Relate` to
`RotateBack`.

*For bots*, optional: `heuristics`, see `heuristics.py`. *For browsers*, optional: `face`, see `face.py`.

A game need not list its functions: `GAME = Game.from_package(__name__, id=..., ...)` finds them in the modules of its
folder, `Game.from_module` in one file. Its state is a class, see `state.py`. docs/add-a-game.md goes through one.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from functools import cached_property
from inspect import getfile
from itertools import product
from pathlib import Path
from types import FunctionType
from typing import Any, Protocol, TypeAlias

import numpy as np

from samovar.engine.arrays import AnyState, AnyView, Ints, Rng, States, StateType
from samovar.engine.assembly.defaults import always_sound, draw_fields, each_for_itself, nothing_hidden, nothing_painted
from samovar.engine.assembly.options import Option, Value
from samovar.engine.assembly.positions import GamePosition, read_position
from samovar.engine.assembly.rooms import parts_in
from samovar.engine.assembly.versions import OLD_NAMES, by_new_names, faults_by
from samovar.engine.face import BrowserFace
from samovar.engine.heuristics import Heuristics
from samovar.engine.kinds import ENCODINGS, RAW, Layout, Part
from samovar.engine.rule import PlainSignature, Rule, Signature, signatures
from samovar.engine.state import GameState
from samovar.engine.tokens import Plan, Tokens, check_tokens, make_plan
from samovar.engine.ways import validation
from samovar.engine.ways.plain import plain_state
from samovar.errors import BadOption, BrokenGame, UnknownOption, WrongSeats, did_you_mean
from samovar.language.grammar import grammar_of, sentences

__all__ = [
    "Event",
    "Game",
    "Option",
    "Options",
    "Part",
    "SeatView",
    "Value",
    "Words",
    "event",
    "nothing_hidden",
    "usual_prompt",
]

# Options by name, as they are handed on: each is a Value, but `Match(game, **options)` has other
# keywords too, and no type says that these are not among them.
Options: TypeAlias = Mapping[str, Any]
Words: TypeAlias = Mapping[str, str]
Setup: TypeAlias = Any  # a record with a field for every option of the game, as `Game.setup_type` lays it out


# The rules


class Deal(Signature, Protocol):
    """Sets the table up in a zeroed state. All chance is here: deck orders and every later shuffle
    are hidden fields of the state. No generator and no seed is ever in the state. Where chance cannot
    be dealt ahead (dice, draws with replacement), the state has a field `("chance", CHANCE)`, which
    is the engine's, and rules call `roll(state, n)`: see `chance.py`."""

    def __call__(self, state: AnyState, seats: int, options: Setup, rng: Rng, /) -> None: ...


class Actors(Signature, Protocol):
    """Bit mask of the seats that may act now; 0 when the match is over."""

    def __call__(self, state: AnyState, /) -> int: ...


class Legal(Signature, Protocol):
    """Writes the legal move numbers of an actor in ascending order, returns how many (at least
    one). A move number means the same in every state."""

    def __call__(self, state: AnyState, seat: int, out: Ints, /) -> int: ...


class Apply(Signature, Protocol):
    """One legal move of an actor; trusts its caller. Seats that must pass are passed over in
    here."""

    def __call__(self, state: AnyState, seat: int, move: int, /) -> None: ...


class Scores(Signature, Protocol):
    """Points by seat, as the rulebook counts them, at any time: as if the match ended now."""

    def __call__(self, state: AnyState, out: Ints, /) -> None: ...


class Places(Signature, Protocol):
    """Places by seat, 1 for the winner(s), ties share and the next place is skipped (1, 1, 3).
    Teammates share theirs. Default: most points win."""

    def __call__(self, state: AnyState, out: Ints, /) -> None: ...


class Team(Signature, Protocol):
    """The team of a seat, when so many play: seats of one team win and lose together. Default: each seat is for
    itself. Where all are one team (cooperation, or one seat alone), `success` says how they did."""

    def __call__(self, seats: int, seat: int, /) -> int: ...


class Success(Signature, Protocol):
    """How well all seats did together, as if the match ended now: 0 for lost, 1000 for won, or their
    points as a share of the best there can be. Needed where all seats are one team."""

    def __call__(self, state: AnyState, /) -> int: ...


class Determinize(Signature, Protocol):
    """Replaces all that the seat cannot know by a random draw that fits all it has seen. The draw depends on what the
    seat knows and on rng, never on what it cannot know: worlds that the seat cannot tell apart give the same result,
    byte for byte. There is no default, because it would peek; `nothing_hidden` is for games that hide nothing."""

    def __call__(self, state: AnyState, seat: int, rng: Rng, /) -> None: ...


class Redeal(Signature, Protocol):
    """Deals anew what no seat has seen: the rest of a pile, a card that nobody has looked at. All that fits what the
    seats know together is equally likely, and the draw depends on that and on rng alone. The arena takes luck out of
    results by it. Default, where nothing is hidden: there is nothing to deal."""

    def __call__(self, state: AnyState, rng: Rng, /) -> None: ...


class Observe(Signature, Protocol):
    """What the seat knows as numbers from -128 to 127; the layout is `Game.observation`. Writes every entry."""

    def __call__(self, state: AnyState, seat: int, out: Ints, /) -> None: ...


class Relate(Signature, Protocol):
    """For networks: numbers that follow from an observation and are hard to learn ("this card connects with the last
    one"), laid out as `Game.relations`. Reads the observation in `seen` and writes them behind it, to `seen[at]`,
    `seen[at + 1]` and so on. It is given nothing else, so it cannot tell a secret."""

    def __call__(self, seen: Ints, at: int, /) -> None: ...


class Factor(Signature, Protocol):
    """For networks: a legal move of the seat as numbers, laid out as `Game.factors` (which card, where to). As the
    seat sees it: turned where its observation is. No two legal moves of a moment have the same. Writes every entry."""

    def __call__(self, state: AnyState, seat: int, move: int, out: Ints, /) -> None: ...


class RotateMove(Signature, Protocol):
    """Where the observation is turned to the seat, the number that the move would have
    on the turned board. Default: nothing is turned."""

    def __call__(self, state: AnyState, seat: int, move: int, /) -> int: ...


class RotateBack(Signature, Protocol):
    """The move that has this number on the turned board."""

    def __call__(self, state: AnyState, seat: int, move: int, /) -> int: ...


# What rules and people are told


@dataclass(frozen=True)
class Event:
    """Something that happened, as one viewer saw it. `kind` and every text among the facts is
    looked up in the game's words.

    The sentence of a kind names the facts in braces: `"reveals": "{seat} reveals {card} at
    {place}."`. The fact `seat` (and any whose name ends in `_seat`) is a seat number and is told as
    the name of who sits there. A blank may ask for the form that its place needs, `"a doll
    {other_seat:de}"`: see `grammar.py`.
    """

    kind: str
    facts: tuple[tuple[str, int | str], ...] = ()

    def tell(self, words: Words, names: Callable[[int], str]) -> str:
        facts: dict[str, int | str] = {}
        for name, fact in self.facts:
            if isinstance(fact, str):
                facts[name] = words.get(fact, fact)
            else:
                facts[name] = names(fact) if name == "seat" or name.endswith("_seat") else fact
        return validation.told(self.kind, words, facts)


def event(kind: str, **facts: int | str) -> Event:
    return Event(kind, tuple(facts.items()))


def usual_prompt(actors: int, seat: int | None) -> Event:
    """What is asked of a viewer where there is only one thing to ask; `actors` is the mask. Its
    sentences are among the words that every game has (`Grammar.words`)."""
    if actors == 0:
        return event("prompt.over")
    return event("prompt.move" if seat is not None and (actors >> seat) & 1 else "prompt.wait")


class SeatView(Protocol):
    """What every view has; a game's own dataclass adds the rest."""

    @property
    def news(self) -> tuple[Event, ...]: ...

    @property
    def prompt(self) -> Event: ...


# For people


class View(PlainSignature, Protocol):
    """What the seat sees (None: a spectator), a frozen dataclass built up from what is visible. It has a field
    `news`, the events of the last move as this viewer saw them, and a field `prompt`, an event that says what is asked
    of the viewer now: `usual_prompt` where nothing special is."""

    def __call__(self, state: AnyState, seat: int | None, /) -> SeatView: ...


class News(PlainSignature, Protocol):
    """The `news` of a view alone, for those who tell many moves. Default: the whole view is made
    for it."""

    def __call__(self, state: AnyState, seat: int | None, /) -> tuple[Event, ...]: ...


class Faded(PlainSignature, Protocol):
    """How an event of an earlier move is told now, to a viewer who sees this view; None:
    no longer. It depends on the two and on nothing else, and says no more than the event did. What
    a person has to remember by the rules fades, what lies open does not. Default: nothing does."""

    def __call__(self, event: Event, view: AnyView, /) -> Event | None: ...


class InSight(PlainSignature, Protocol):
    """What whoever sees this view has before their eyes and might have to remember
    later. What was in sight before and is not any more has been hidden. Needed beside `faded` if
    people shall see the last moves again, which they can as long as nothing was hidden since."""

    def __call__(self, view: AnyView, /) -> frozenset[object]: ...


class Faults(PlainSignature, Protocol):
    """A sentence for each thing that must never be so in a state and is: "two men in one cell". The kit asks after
    every move and of every imagined world; nobody plays from a position that has any. Default: nothing is wrong."""

    def __call__(self, state: AnyState, /) -> Iterable[str]: ...


class MoveText(PlainSignature, Protocol):
    """The move as text, the same in capitals."""

    def __call__(self, state: AnyState, seat: int, move: int, /) -> str: ...


class TellMove(PlainSignature, Protocol):
    """A legal move of the seat as an event, which words tell to people: `event("play", card=7)`, "Play the 7". It says
    no more than the seat knows. Needed where there is no face, which tells moves itself. Default: the move's text."""

    def __call__(self, state: AnyState, seat: int, move: int, /) -> Event: ...


class Reasons(PlainSignature, Protocol):
    """Facts that speak for a legal move of the seat, or against it, as events that words tell: "+6 points". What
    matters most comes first. They say no more than the seat knows: they are asked for in a world that it imagines."""

    def __call__(self, state: AnyState, seat: int, move: int, /) -> tuple[Event, ...]: ...


class ParseMove(PlainSignature, Protocol):
    """The number of a move given as text, or `ValueError`. Default: the legal move of that text."""

    def __call__(self, state: AnyState, seat: int, text: str, /) -> int: ...


# `arrange(position)`: a state laid out by hand (examples, puzzles, tests) from a struct of the game's own,
# `Position`, which is read from JSON-like values. Default: a deal and some moves, see `match.py`.
Arrange: TypeAlias = Callable[..., States]


class Draw(PlainSignature, Protocol):
    """A text drawing for terminals, made from a view and nothing else. Default: the view's fields."""

    def __call__(self, view: AnyView, words: Words, /) -> str: ...


@dataclass(frozen=True, kw_only=True, eq=False)
class Game:
    """A game to the contract above; two games are the same only if they are one object. Where None
    is the default of a function, the engine has one that asks the game's other functions."""

    id: str
    name: str
    contract: int = 1  # that it is written for: see `assembly/versions.py`
    version: int = 1  # of the rules: raised when the same moves could mean another match
    environment_version: int = 0  # raised when learners see, may do or are paid something else: `testing/learners.py`
    seats: tuple[int, ...]
    minutes: int = 0  # that a match takes people, for the first page; 0: not said
    age: int = 0  # from which it is for; 0: not said
    state: StateType
    moves: int  # move numbers are 0 .. moves - 1
    max_legal: int = 0  # most legal moves at one moment; 0: all numbers may be legal at once
    max_length: Callable[[int, Mapping[str, Value]], int]  # (seats, options) -> moves in the longest match
    observation: tuple[Part, ...]
    relations: tuple[Part, ...] = ()
    factors: tuple[Part, ...] = ()
    tokens: Tokens = field(default_factory=Tokens, repr=False)  # how networks see it: see `tokens.py`
    fault_names: tuple[str, ...] = ()  # of contract 1: what the bits of `faults` mean
    own_options: tuple[Option, ...] = ()

    deal: Deal
    actors: Actors
    legal: Legal
    apply: Apply
    scores: Scores
    places: Places | None = None
    team: Team = each_for_itself
    success: Success | None = None
    determinize: Determinize
    redeal: Redeal | None = None  # without it, and with something hidden, luck stays in the arena's results
    observe: Observe
    relate: Relate | None = None
    factor: Factor | None = None
    rotate_move: RotateMove | None = None
    rotate_back: RotateBack | None = None

    faults: Faults = always_sound
    view: View
    news: News | None = None
    faded: Faded | None = None
    in_sight: InSight | None = None
    move_text: MoveText
    tell_move: TellMove | None = None
    reasons: Reasons | None = None
    parse_move: ParseMove | None = None
    position: type[GamePosition] | None = None  # what `arrange` takes; without it, keywords
    arrange: Arrange | None = None
    draw: Draw = draw_fields
    paint: Callable[[Words], Mapping[str, str]] = nothing_painted  # styles in the drawing, by regular expressions
    words: Mapping[str, Words]
    folder: str = field(default="", repr=False)  # where RULES.md and its translations are; by default that of `deal`
    # what helps bots to play it well: see `heuristics.py`
    heuristics: Heuristics = field(default_factory=Heuristics, repr=False)
    face: BrowserFace | None = field(default=None, repr=False)  # how it looks in a browser: see `face.py`

    @classmethod
    def from_module(cls, module: str, **facts: Any) -> Game:
        """A game in one file: what is not given is the module's function of that name, and its class
        `State`. `GAME = Game.from_module(__name__, id="my_game", ...)`"""
        names = vars(sys.modules[module])
        found = {name: names[name] for name in (*OLD_NAMES, *_entries()) if isinstance(names.get(name), FunctionType)}
        if "State" in names and issubclass(names["State"], GameState):
            found["state"] = names["State"]
        return cls._from_parts(module, found, facts)

    @classmethod
    def from_package(cls, package: str, **facts: Any) -> Game:
        """A game in a folder: what is not given is what its modules have of that name, see `assembly/rooms.py`.
        `GAME = Game.from_package(__name__, id="my_game", ...)`"""
        home = sys.modules[package]
        wanted = [name for name in (*OLD_NAMES, *_entries()) if name not in facts]
        return cls._from_parts(package, parts_in(home, wanted), {"folder": home.__path__[0], **facts})

    @classmethod
    def _from_parts(cls, where: str, found: Mapping[str, Any], facts: Mapping[str, Any]) -> Game:
        found, facts = by_new_names(found), by_new_names(facts)
        for name in facts.keys() - _entries():
            raise BrokenGame(f"The contract of a game has no entry {name!r}.{did_you_mean(name, _entries())}")
        missing = [
            entry.name
            for entry in fields(cls)
            if entry.default is MISSING and entry.default_factory is MISSING and entry.name not in {**found, **facts}
        ]
        if missing:
            raise BrokenGame(
                f"The game in {where!r} lacks {', '.join(missing)}. Write what is missing; "
                "samovar/engine/contract.py says what it is."
            )
        return cls(**{**found, **facts})

    def __post_init__(self) -> None:
        """Fills in what the author left out, and refuses at once what would be hard to understand later."""
        validation.check_facts(self.name, self)
        object.__setattr__(self, "state", np.dtype(self.state))  # of a class, too: see `state.py`
        object.__setattr__(self, "faults", faults_by(self.name, self.contract, self.faults, self.fault_names))
        validation.check_functions(self, RULES, PLAIN)
        self._check_pairs()
        check_tokens(self.name, self.tokens, self.encoding.parts, self.factors)
        filled = {
            "max_legal": self.max_legal or self.moves,
            "folder": self.folder or str(Path(getfile(self.deal)).parent),
            "words": {
                language: sentences({**grammar_of(language).words, **words}, language)
                for language, words in self.words.items()
            },
        }
        for name, value in filled.items():
            object.__setattr__(self, name, value)

    def _check_pairs(self) -> None:
        """What is of use only together with something else."""
        for one, other in (("relations", "relate"), ("factors", "factor"), ("rotate_move", "rotate_back")):
            if bool(getattr(self, one)) != bool(getattr(self, other)):
                raise BrokenGame(f"{self.name} has only one of {one!r} and {other!r}. Give both, or none.")
        names = [option.name for option in self.own_options]
        for option in self.own_options:
            if option.only_with and option.only_with not in names:
                raise BrokenGame(
                    f"Option {option.name!r} of {self.name} is of use only with {option.only_with!r}, which is no "
                    f"option.{did_you_mean(option.only_with, names)}"
                )
        for seats in self.seats:
            if self.is_together(seats) and self.success is None:
                raise BrokenGame(
                    f"All {seats} seats of {self.name} are one team, and nothing says how it did. Write a rule "
                    "success(state): 1000 for won, 0 for lost, or a share of the best there can be."
                )

    @property
    def rules(self) -> dict[str, Rule]:
        """The rules that the game brings, by name, those of its heuristics among them."""
        entries = [(part, entry) for part in (self, self.heuristics) for entry in fields(part) if entry.name in RULES]
        brought = {entry.name: getattr(part, entry.name) for part, entry in entries}
        return {
            entry.name: brought[entry.name]
            for _, entry in entries
            if brought[entry.name] is not None or entry.default is not None
        }

    def lay_out(self, /, **position: object) -> States:
        """The state of a position by the game's own `arrange`, in an array of one."""
        assert self.arrange is not None
        if self.position is None:
            return self.arrange(**position)
        return self.arrange(read_position(self.name, self.position, position))

    def faults_in(self, states: States) -> list[tuple[str, ...]]:
        """What is wrong with each of some states, every sentence once; () where one is sound."""
        each = (plain_state(states[i : i + 1]) for i in range(len(states)))
        return [tuple(dict.fromkeys(self.faults(state))) for state in each]

    def news_of(self, state: AnyState, seat: int | None) -> tuple[Event, ...]:
        """What happened in the last move, as this viewer saw it."""
        return self.news(state, seat) if self.news else self.view(state, seat).news

    def fade(self, events: tuple[Event, ...], view: AnyView) -> tuple[Event, ...]:
        """What is still told of an earlier move to a viewer who sees this view."""
        if self.faded is None:
            return events
        return tuple([kept for event in events if (kept := self.faded(event, view)) is not None])

    @cached_property
    def options(self) -> tuple[Option, ...]:
        """The game's own options and `first`, which every game has (ruling C1)."""
        first = Option("first", None, (None, *range(max(self.seats))), "the starting seat")
        return (*self.own_options, first)

    @cached_property
    def observation_size(self) -> int:
        return sum(part.size for part in self.observation)

    @cached_property
    def encoding(self) -> Layout:
        """Where the planes of an observation lie, those of relations last."""
        return Layout(self.name, (*self.observation, *self.relations))

    @cached_property
    def factor_encoding(self) -> Layout:
        """Where the planes of a move told as factors lie."""
        return Layout(self.name, self.factors)

    @cached_property
    def plan(self) -> Plan:
        """How a network reads an observation and a move."""
        return make_plan(self.tokens, self.encoding.parts, self.factors, self.moves, max(self.seats))

    def __deepcopy__(self, memo: object) -> Game:
        return self  # it never changes

    def row_size(self, encoding: str = RAW) -> int:
        """How many numbers an observation has in this encoding."""
        if encoding not in ENCODINGS:
            raise BadOption(f"encoding cannot be {encoding!r}. It is 'raw', the numbers as they are, or 'planes'.")
        if encoding == RAW:
            return self.observation_size
        self.encoding.check()
        self.factor_encoding.check()
        return self.encoding.size

    @cached_property
    def longest_row(self) -> int:
        """Numbers that are written at once: an observation with its relations, or the factors of a
        move."""
        return max(self.encoding.raw_size, self.factor_encoding.raw_size)

    def teams(self, seats: int) -> tuple[int, ...]:
        """The team of every seat."""
        return tuple(self.team(seats, seat) for seat in range(seats))

    def is_together(self, seats: int) -> bool:
        """Whether all seats are one team, which wins or loses as a whole."""
        return len(set(self.teams(seats))) == 1

    @cached_property
    def has_opponents(self) -> bool:
        """Whether some play against others, with some number of seats."""
        return not all(map(self.is_together, self.seats))

    @cached_property
    def setup_type(self) -> StateType:
        """What `deal` gets as `options`: the number of seats and every option as a number."""
        return np.dtype([("seats", np.int32)] + [(option.name, np.int32) for option in self.options])

    def variants(self) -> list[tuple[int, Options]]:
        """Every seat count with every combination of switches that makes a difference; an option that is
        a range of numbers keeps its default."""
        switches = [option for option in self.own_options if not isinstance(option.choices, range)]
        names = [option.name for option in switches]
        combinations = [
            dict(zip(names, values, strict=True)) for values in product(*(option.choices for option in switches))
        ]
        different = [values for values in combinations if not self._idle(values)]
        return [(seats, dict(values)) for seats in self.seats for values in different]

    def _idle(self, values: Mapping[str, Value]) -> list[Option]:
        """The options that are not at their defaults among these, and change nothing."""
        changed = {
            option.name for option in self.own_options if values.get(option.name, option.default) != option.default
        }
        return [
            option
            for option in self.own_options
            if option.only_with and option.name in changed and option.only_with not in changed
        ]

    def check_seats(self, seats: int) -> int:
        if seats not in self.seats or isinstance(seats, bool):
            known = " or ".join(map(str, self.seats))
            raise WrongSeats(f"{self.name} is played with {known} seats, not with {seats!r}.")
        return seats

    def check_options(self, seats: int, options: Mapping[str, Value]) -> dict[str, Value]:
        """All options with their values, defaults filled in."""
        known = {option.name: option for option in self.options}
        for name in options:
            if name not in known:
                raise UnknownOption(f"{self.name} has no option {name!r}.{did_you_mean(name, known)}")
        values = {name: option.value(option.code(options.get(name, option.default))) for name, option in known.items()}
        first = values["first"]
        if isinstance(first, int) and first >= seats:
            raise BadOption(f"Option 'first' is {first}, but the seats are numbered 0 to {seats - 1}.")
        return values

    def setup(self, seats: int, values: Mapping[str, Value]) -> States:
        """Seats and checked options as one record for the rules."""
        record = np.zeros(1, self.setup_type)
        record["seats"] = seats
        for option in self.options:
            record[option.name] = option.code(values[option.name])
        return record


def _entries() -> tuple[str, ...]:
    """The names of all that a game consists of."""
    return tuple(entry.name for entry in fields(Game))


# All rules by name, in the order of the fields, with their protocols.
RULES = {**signatures(Game), **signatures(Heuristics)}
PLAIN = signatures(Game, PlainSignature)  # likewise what is for people
