"""What all adapters have in common: how a learner is shown a table, how it names its moves, and what
it is paid. The words are the same in each of them:

`encoding`: an observation as the game's own numbers (`raw`), or as zeros and ones (`planes`, see
`samovar.engine.kinds`).

`actions`: an action is a move number (`numbers`), or says which of the legal moves it is (`legal`):
a space as small as the most moves there ever are, and beside the observation `moves`, what each
legal move is made of (the game's factors; rows beyond them are zero).

`turned`: moves have the numbers of the board as the seat sees it, where the game turns that.

`rewards`: at the end, by `place`, by `margin` of points, or by `both`: see `Batch.rewards`.

`illegal`: an action that is no legal move is refused by an error and nothing has changed (`refuse`),
or it stands for one that is (`replace`): of n legal moves, action a for number a modulo n. The
latter is for libraries that try any action of a space.

Legal moves are also told as lists, in `infos`: `legal_moves`, ascending, filled up with -1. Entries
of `infos` have the same shapes at every moment, which is what TorchRL and vectors of environments
count on.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from operator import index
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from samovar.engine.arrays import AnyState, Array, IntGrid, Ints
from samovar.engine.batch import Batch
from samovar.engine.contract import Game, Options, Value
from samovar.engine.kinds import PLANES_OF_KINDS, RAW
from samovar.engine.registry import find_game
from samovar.engine.rule import Compiled, rule
from samovar.engine.ways.backend import Backend, backend
from samovar.engine.ways.plain import plain
from samovar.engine.ways.rewards import PLACE, paid, reward_units
from samovar.engine.ways.stand_ins import (
    NO_MOVE,
    AnyStates,
    actors,
    encode_factors,
    factor,
    factors_size,
    legal,
    rotate_back,
)
from samovar.engine.ways.turns import rotate_all, write_observation, write_planes
from samovar.envs import Untyped
from samovar.errors import BadOption, IllegalMove

if TYPE_CHECKING:
    from gymnasium import spaces

ShownArrays: TypeAlias = dict[str, Array]  # what a learner is shown; in a vector one row for each table

ACTIONS = NUMBERS, LEGAL = ("numbers", "legal")
ILLEGAL = REFUSE, REPLACE = ("refuse", "replace")
WORDS = ("encoding", "actions", "turned", "rewards", "illegal")


@dataclass(frozen=True, kw_only=True)
class Terms:
    """The words above, checked, for a game with so many seats."""

    game: Game
    seats: int
    encoding: str = RAW
    actions: str = NUMBERS
    turned: bool = False
    rewards: str = PLACE
    illegal: str = REFUSE

    @classmethod
    def of(cls, game: str | Game, seats: int | None, **words: Untyped) -> Terms:
        game = find_game(game) if isinstance(game, str) else game
        return cls(game=game, seats=game.check_seats(game.seats[0] if seats is None else seats), **words)

    @classmethod
    def among(cls, options: Options, game: str | Game, seats: int | None) -> tuple[Terms, dict[str, Value]]:
        """The words that are among the options of an environment, and the options of the game."""
        words = {name: value for name, value in options.items() if name in WORDS}
        return cls.of(game, seats, **words), {name: value for name, value in options.items() if name not in WORDS}

    def __post_init__(self) -> None:
        self.game.row_size(self.encoding)
        reward_units(self.game, self.seats, self.rewards)
        for name, choices in (("actions", ACTIONS), ("illegal", ILLEGAL), ("turned", (False, True))):
            if getattr(self, name) not in choices:
                known = " or ".join(map(repr, choices))
                raise BadOption(f"{name} cannot be {getattr(self, name)!r}. It is {known}.")

    # How large things are

    @cached_property
    def row_size(self) -> int:
        """Numbers of an observation."""
        return self.game.row_size(self.encoding)

    @cached_property
    def action_count(self) -> int:
        return self.game.moves if self.actions == NUMBERS else self.game.max_legal

    @cached_property
    def factor_size(self) -> int:
        """Numbers that a legal move is told by; none where an action is a move number, or where the
        game does not say what its moves are made of."""
        layout = self.game.factor_encoding
        return 0 if self.actions == NUMBERS else layout.raw_size if self.encoding == RAW else layout.size

    def known_space(self, *shape: int) -> spaces.Box:
        """So many observations, or moves told as parts."""
        from gymnasium import spaces

        low, high = (-128, 127) if self.encoding == RAW else (0, 1)
        return spaces.Box(low, high, shape, np.int8)

    def observation_space(self) -> spaces.Dict:
        from gymnasium import spaces

        known: dict[str, spaces.Space[Array]] = {
            "observation": self.known_space(self.row_size),
            "action_mask": spaces.Box(0, 1, (self.action_count,), np.int8),
        }
        if self.factor_size:
            known["moves"] = self.known_space(self.action_count, self.factor_size)
        return spaces.Dict(known)

    # What is paid

    def pay(self, states: Array) -> Array:
        """By match and seat, as if every match ended now."""
        return paid(self.game, self.seats, self.rewards, backend(self.game), states)

    # Actions of many tables at once

    def batch(self, size: int, threads: int | None = None, **options: Untyped) -> Batch:
        """Matches that wait when they are over."""
        return Batch(
            self.game,
            size,
            self.seats,
            threads=threads,
            restart=False,
            encoding=self.encoding,
            turned=self.turned,
            rewards=self.rewards,
            **options,
        )

    def look(self, batch: Batch, seats: Array) -> ShownArrays:
        """What a seat at each table of a batch is shown, to keep; the mask is that of the actor, and
        where a match is over any action will do."""
        listed = np.arange(self.game.max_legal) < batch.legal_counts[:, None]
        mask = (batch.legal_mask if self.actions == NUMBERS else listed).view(np.int8).copy()
        mask[batch.legal_counts == 0] = 1
        look = {"observation": batch.observe(seats), "action_mask": mask}
        if self.factor_size:
            look["moves"] = batch.legal_factors * listed[:, :, None]
        return look

    def last_look(self, observation: Array) -> ShownArrays:
        """What is shown when a match is over."""
        look = {"observation": observation, "action_mask": np.ones(self.action_count, np.int8)}
        if self.factor_size:
            look["moves"] = np.zeros((self.action_count, self.factor_size), np.int8)
        return look

    def legal_lists(self, batch: Batch) -> Array:
        """The legal moves of every actor, filled up with -1."""
        moves: Array = batch.legal_moves
        return np.where(np.arange(moves.shape[1]) < batch.legal_counts[:, None], moves, NO_MOVE)

    def moves_of(self, actions: Array, batch: Batch, tables: Array) -> Array:
        """What actions at some tables of a batch mean: a move number for each. Of `refuse` only what
        cannot be looked up is refused here; the batch refuses the rest."""
        moves, counts, rows = batch.legal_moves, batch.legal_counts[tables], np.asarray(tables)
        if self.actions == LEGAL:
            wrong = (actions < 0) | (actions >= counts)
            if wrong.any() and self.illegal == REFUSE:
                first = int(wrong.argmax())
                raise IllegalMove(
                    f"At table {rows[first]} there are {counts[first]} legal moves, numbered 0 to {counts[first] - 1}; "
                    f"{actions[first]} is none of them. Choose from action_mask. No match has moved."
                )
            return np.asarray(moves[rows, actions % counts])
        if self.illegal == REFUSE:
            return actions
        known = np.clip(actions, 0, self.action_count - 1)
        is_legal = batch.legal_mask[rows, known] & (known == actions)
        return np.where(is_legal, actions, moves[rows, actions % counts])


# One match


@rule
def list_moves(state: AnyState, seat: int, is_turned: bool, out: Ints) -> int:
    """Writes the legal moves of a seat by the numbers that they have for it, ascending; none if it
    may not act."""
    count = 0
    if (actors(state) >> seat) & 1:
        count = legal(state, seat, out)
        if is_turned:
            rotate_all(state, seat, out, count)
    return count


def list_alone(states: AnyStates, seat: int, is_turned: bool, out: Ints) -> int:
    """`list_moves` of the only match of an array."""
    return list_moves(states[0], seat, is_turned, out)


def look_alone(
    states: AnyStates,
    seat: int,
    is_turned: bool,
    is_planes: bool,
    is_listed: bool,
    out: Ints,
    seen: Ints,
    rows: IntGrid,
    mask: Ints,
    parts: IntGrid,
) -> None:
    """What a seat of the only match of an array knows; its legal moves as ones in a mask of zeros, by
    number or by place in the list, and told as parts where there is room for them."""
    if is_planes:
        write_planes(states[0], seat, rows, 0, seen)
    else:
        write_observation(states[0], seat, rows, 0, seen)
    count = list_moves(states[0], seat, is_turned, out)
    for k in range(count):
        mask[k if is_listed else out[k]] = 1
    if parts.shape[0] > 0:
        for k in range(count):
            factor(states[0], seat, rotate_back(states[0], seat, out[k]) if is_turned else out[k], seen)
            if is_planes:
                encode_factors(seen, parts, k, 0)
            else:
                for number in range(factors_size()):
                    parts[k, number] = seen[number]


class Eyes:
    """How a seat of one match sees it and names its moves. States are an array of one."""

    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        ready = self._ready = backend(terms.game)
        _, self._out, self._seen = ready.scratch()
        self._wishes = terms.turned, terms.encoding == PLANES_OF_KINDS, terms.actions == LEGAL
        self._shape = (terms.action_count, terms.factor_size) if terms.factor_size else (0, 0)
        # what an action means need not be looked up
        self._is_simple = terms.actions == NUMBERS and terms.illegal == REFUSE and not terms.turned
        self._look, self._list = (
            _taking_arrays(ready, ready.make(function, name))
            for function, name in ((look_alone, "look"), (list_alone, "legal_list"))
        )

    def look(self, states: Array, seat: int) -> ShownArrays:
        """What the seat knows and may do, to keep; a mask of zeros where it may not act."""
        rows = np.empty((1, self.terms.row_size), np.int8)
        mask = np.zeros(self.terms.action_count, np.int8)
        parts = np.zeros(self._shape, np.int8)
        self._look(states, seat, *self._wishes, self._out, self._seen, rows, mask, parts)
        look = {"observation": rows[0], "action_mask": mask}
        if self.terms.factor_size:
            look["moves"] = parts
        return look

    def legal(self, states: Array, seat: int) -> Array:
        """The legal moves as the seat numbers them, to be read before the next one is asked for."""
        return self._out[: self._list(states, seat, self.terms.turned, self._out)]

    def legal_list(self, states: Array, seat: int) -> Array:
        """The legal moves as the seat numbers them, filled up with -1."""
        listed = np.full(self.terms.game.max_legal, NO_MOVE, np.int32)
        moves = self.legal(states, seat)
        listed[: len(moves)] = moves
        return listed

    def move(self, states: Array, seat: int, action: Untyped) -> Untyped:
        """The move that an action stands for. What is no number at all is handed on: the match says
        what is wrong with it."""
        number = _whole(action)
        if self._is_simple or isinstance(number, bool) or not isinstance(number, int):
            return number
        legal = self.legal(states, seat).tolist()
        is_listed = self.terms.actions == LEGAL
        if number in (range(len(legal)) if is_listed else legal):
            return self._turned_back(states, seat, legal[number] if is_listed else number)
        if self.terms.illegal == REPLACE and legal:
            return self._turned_back(states, seat, legal[number % len(legal)])
        known = f"0 to {len(legal) - 1}" if is_listed else ", ".join(map(str, legal))
        raise IllegalMove(f"Seat {seat} may not play {number} now. Legal now: {known or 'nothing'}.")

    def _turned_back(self, states: Array, seat: int, move: int) -> int:
        if not self.terms.turned:
            return move
        moves = np.array([move], np.int64)
        self._ready.rotate_moves(states, seat, moves, back=True)
        return int(moves[0])


def _taking_arrays(ready: Backend, function: Compiled) -> Compiled:
    return (lambda *arguments: function(*map(plain, arguments))) if ready.is_plain else function


def _whole(action: Untyped) -> Untyped:
    """An action as an int where it is a whole number of any kind."""
    try:
        return action if isinstance(action, bool) else index(action)
    except TypeError:
        return action
