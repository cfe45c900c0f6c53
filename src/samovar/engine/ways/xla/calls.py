"""What can be called, and the words of each call."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from samovar.engine.arrays import Array, StateType
from samovar.engine.contract import Game
from samovar.engine.kinds import RAW
from samovar.engine.rule import fingerprint
from samovar.engine.ways import kernels
from samovar.engine.ways.backend import backend, bound_rules
from samovar.engine.ways.operations import NOTHING
from samovar.engine.ways.pure import PureMove
from samovar.engine.ways.rewards import reward_units

ArgumentForm: TypeAlias = Any  # of an argument: a `Given`, or a named tuple of them
ArgumentWord: TypeAlias = tuple[int, int, int]  # how to find it: one of the ways below, a number, and a factor

# As it is, by the number of matches, by the rows of an array, where an array is, and what each thread has of its own:
# a place in its room, and the first match and the last.
AS_IT_IS, BY_COUNT, BY_ROWS, IN_ARRAY, IN_ROOM, FROM, UP_TO = range(7)


class Given(NamedTuple):
    """An array that an operation takes: of the call, by its number among operands and results, or one that is the same
    in every call. `columns`: 0 for one number a match."""

    kind: StateType
    columns: int
    source: int | Array
    is_shared: bool = False  # it may have fewer rows than there are matches


@dataclass(frozen=True, eq=False)
class XlaCall:
    """An operation as it is called from outside. `takes` has its arguments; the matches are the array `states`."""

    game: Game
    operation: str
    states: int
    takes: tuple[ArgumentForm, ...]

    @property
    def arguments(self) -> list[ArgumentForm]:
        """All four of them."""
        nothing = Given(NOTHING.dtype, 0, NOTHING)
        return [Given(self.game.state, 0, self.states), *self.takes, *[nothing] * (3 - len(self.takes))]

    @cached_property
    def name(self) -> str:
        """Says what is called, and which version of it: XLA's caches on disk keep names."""
        named = {"operation": kernels.OPERATIONS[self.operation]}
        rules = fingerprint(kernels.loop_between, bound_rules(self.game), named)
        words = words_of(self.arguments, lambda array: zlib.crc32(array.tobytes()))
        digest = hashlib.blake2b(repr((rules, words, self.game.state.descr)).encode(), digest_size=8).hexdigest()
        return f"samovar.{self.game.id}.{self.operation}.{digest}"


def calls(game: Game, setup: Array, *, encoding: str = RAW, rewards: str, restart: bool) -> dict[str, XlaCall]:
    """What can be called for one variant of a game, by name; arrays by their numbers among operands and results."""
    seats = int(setup["seats"][0])
    units = reward_units(game, seats, rewards)
    flag, small, number = np.dtype(np.bool_), np.dtype(np.int8), np.dtype(np.int32)
    same = Given(setup.dtype, 0, setup)
    keys = Given(number, 2, 2, is_shared=True) if restart else Given(number, 2, np.zeros((1, 2), number))
    after = 3 if restart else 2  # the operands: states, moves, and keys for the next deals
    played: dict[str, ArgumentForm] = {
        "setup": same,
        "place_unit": Given(units.dtype, seats, units[:1]),
        "point_unit": Given(units.dtype, seats, units[1:]),
        "restarts": Given(small, 0, np.array([restart], small)),
        "keys": keys,
        "moves": Given(number, 0, 1),
        "ended": Given(flag, 0, after + 1),
        "refused": Given(flag, 0, after + 2),
        "rewards": Given(np.dtype(np.float32), seats, after + 3),
    }
    return {
        "begin": XlaCall(game, "begin", 1, (same, Given(number, 2, 0))),
        "play": XlaCall(game, "play", after, (PureMove(**played),)),
        "mover": XlaCall(game, "mover", 0, (Given(number, 0, 1),)),
        "flags": XlaCall(game, "flags", 0, (Given(flag, game.moves, 1),)),
        "listed": XlaCall(game, "listed", 0, (Given(number, game.max_legal, 1), Given(number, 0, 2))),
        "chosen": XlaCall(game, "chosen", 0, (Given(number, 2, 1, is_shared=True), Given(number, 0, 2))),
        "observe": XlaCall(
            game,
            "observe" if encoding == RAW else "observe_planes",
            0,
            (Given(number, 0, 1), Given(small, game.row_size(encoding), 2)),
        ),
    }


def run_here(call: XlaCall, buffers: Sequence[Array]) -> None:
    """The same on NumPy's arrays, operands and results, in the calling thread."""

    def array(form: ArgumentForm) -> Any:
        if not isinstance(form, Given):
            return type(form)(*map(array, form))
        if not isinstance(form.source, int):
            return form.source
        rows = buffers[form.source].view(form.kind)
        return rows.reshape((-1, form.columns) if form.columns else -1)

    backend(call.game).run(call.operation, *map(array, call.arguments))


def words_of(forms: Sequence[ArgumentForm], place_of: Callable[[Array], int]) -> list[ArgumentWord]:
    """How Numba hands over these arrays. `place_of` tells where one is that is the same in every call."""
    flat = [one for form in forms for one in ([form] if isinstance(form, Given) else form)]
    return [word for given in flat for word in _words_of_given(given, place_of)]


def _words_of_given(given: Given, place_of: Callable[[Array], int]) -> list[ArgumentWord]:
    """Two words for who owns it, its entries and their bytes, its place, its shape, its strides."""
    columns = max(given.columns, 1)
    size = given.kind.itemsize
    if not isinstance(given.source, int):
        rows, place = (AS_IT_IS, len(given.source), 1), (AS_IT_IS, place_of(given.source), 0)
    else:
        rows, place = (BY_COUNT, 0, 1), (IN_ARRAY, given.source, 0)
        if given.is_shared:
            rows = (BY_ROWS, given.source, 1)
    return array_words(rows, columns if given.columns else 0, size, place)


def array_words(rows: ArgumentWord, columns: int, size: int, place: ArgumentWord) -> list[ArgumentWord]:
    way, number, _ = rows
    many = max(columns, 1)
    entries = (way, number * many if way == AS_IT_IS else number, many)
    shape = [rows, (AS_IT_IS, columns, 0)] if columns else [rows]
    strides = [many * size, size] if columns else [size]
    owner = (AS_IT_IS, 0, 0)
    return [owner, owner, entries, (AS_IT_IS, size, 0), place, *shape, *((AS_IT_IS, step, 0) for step in strides)]
