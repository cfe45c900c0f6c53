"""Games inside programs that JAX compiles: `init` and `step` are pure functions, for `jit`, `vmap` and `lax.scan`.

    env = samovar.envs.jax.make("connect_four")
    state = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.key(1), 4096))

    def turn(state, key):
        action = env.random_action(key, state)              # or what a network makes of state.observation
        state = env.step(state, action, key)
        return state, state.rewards

    state, rewards = jax.lax.scan(turn, state, jax.random.split(jax.random.key(2), 100))

A state is the bytes of the matches and what the last step brought. All else is made of them when it is asked for:
`state.observation`, `state.legal_action_mask`, `state.current_player`. What a program does not use costs nothing.

Every function takes one match, or any array of matches; under `vmap` there is one call for all of them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from typing import Any, TypeAlias

import numpy as np

from samovar.engine.arrays import Array
from samovar.engine.contract import Game, Value
from samovar.engine.kinds import RAW
from samovar.engine.registry import find_game
from samovar.engine.rule import is_plain
from samovar.engine.ways.rewards import PLACE
from samovar.engine.ways.xla.calls import XlaCall, calls, run_here
from samovar.engine.ways.xla.cpu import OnThreads
from samovar.engine.ways.xla.gpu import OnDevice
from samovar.envs import need
from samovar.errors import BadBatch, MissingExtra

jax: Any = need("jax", install="'jax>=0.7'")
if not hasattr(jax, "ffi"):
    raise MissingExtra(
        f"This needs JAX from version 0.7 on, which has jax.ffi; installed is {jax.__version__}. Get it with: "
        "pip install --upgrade 'jax>=0.7'"
    )
jnp: Any = jax.numpy

JaxArray: TypeAlias = Any
KEY_WORDS = 2


@jax.tree_util.register_pytree_node_class
@dataclass(frozen=True)
class JaxState:
    """Where matches stand: arrays of the same leading shape, () for one match."""

    env: Env
    records: JaxArray  # the whole truth as bytes, secrets too
    rewards: JaxArray  # by seat, for the match that the last step ended; else 0
    terminated: JaxArray  # whether the match is over; with `autoreset`, whether the last step ended one
    refused: JaxArray  # whether the last action was not legal: then the match has stood still

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.records.shape[:-1])

    @property
    def current_player(self) -> JaxArray:
        """The seat to act, of several the lowest; -1 where a match is over."""
        return self.env.current_player(self)

    @property
    def legal_action_mask(self) -> JaxArray:
        """The legal moves of this seat as flags."""
        return self.env.legal_action_mask(self)

    @property
    def legal_actions(self) -> JaxArray:
        """The same as a list, in ascending order and filled up with -1."""
        return self.env.legal_actions(self)

    @property
    def observation(self) -> JaxArray:
        """What this seat knows; where a match is over, what seat 0 does."""
        return self.env.observe(self)

    def replace(self, **parts: JaxArray) -> JaxState:
        return replace(self, **parts)

    def tree_flatten(self) -> tuple[tuple[JaxArray, ...], Env]:
        return (self.records, self.rewards, self.terminated, self.refused), self.env

    @classmethod
    def tree_unflatten(cls, env: Env, parts: tuple[JaxArray, ...]) -> JaxState:
        return cls(env, *parts)


def make(
    game: str | Game,
    seats: int | None = None,
    *,
    autoreset: bool = False,
    encoding: str = RAW,
    rewards: str = PLACE,
    callback: bool = False,
    **options: Value,
) -> Env:
    """An environment of one variant of a game.

    `autoreset`: a match that ends is dealt anew at once. `callback`: XLA asks Python at every call, which is slow and
    works wherever JAX does; so it is with `SAMOVAR_PLAIN`, too."""
    game = find_game(game) if isinstance(game, str) else game
    seats = game.check_seats(game.seats[0] if seats is None else seats)
    checked = game.check_options(seats, options)
    game.row_size(encoding)
    return _made(game, seats, tuple(checked.items()), autoreset, encoding, rewards, callback or is_plain())


class Env:
    """See the module. There is one for each variant, so that states of the same one fit each other."""

    def __init__(
        self,
        game: Game,
        seats: int,
        options: dict[str, Value],
        autoreset: bool,
        encoding: str,
        rewards: str,
        asks: bool,
    ) -> None:
        self.game = game
        self.seats = seats
        self.options = options
        self.autoreset = autoreset
        self.observation_size = game.row_size(encoding)
        setup = game.setup(seats, {"seats": seats, **options})
        self._calls = calls(game, setup, encoding=encoding, rewards=rewards, restart=autoreset)
        self._asks_python = asks

    @property
    def num_actions(self) -> int:
        return self.game.moves

    @property
    def num_players(self) -> int:
        return self.seats

    # Pure functions

    def init(self, key: JaxArray) -> JaxState:
        """A deal for each key. That of `jax.random.key(7)` is that of `Match(seed=7)`."""
        words = _words(key)
        shape = words.shape[:-1]
        (records,) = self._call("begin", shape, [self._record], words)
        nothing = jnp.zeros((*shape, self.seats), jnp.float32), jnp.zeros(shape, bool), jnp.zeros(shape, bool)
        return JaxState(self, records, *nothing)

    def step(self, state: JaxState, action: JaxArray, key: JaxArray = None) -> JaxState:
        """One move of the seat to act. -1 waits; so does an action that is not legal, and `refused` says it. With
        `autoreset` the next deal needs a key, one for each match or one for all."""
        action = jnp.asarray(action)
        if not jnp.issubdtype(action.dtype, jnp.integer):
            raise BadBatch(f"An action is the number of a move; this is {action.dtype}.")
        action = jnp.broadcast_to(action.astype(jnp.int32), state.shape)
        keys = [self._shared(key, state)] if self.autoreset else []
        results = [self._record, ((), bool), ((), bool), ((self.seats,), jnp.float32)]
        records, ended, refused, rewards = self._call("play", state.shape, results, state.records, action, *keys)
        return JaxState(self, records, rewards, ended, refused)

    def random_action(self, key: JaxArray, state: JaxState) -> JaxArray:
        """A legal action, all equally likely; -1 where a match is over. One key for each match, or one for all."""
        return self._call("chosen", state.shape, [((), jnp.int32)], state.records, self._shared(key, state))[0]

    def current_player(self, state: JaxState) -> JaxArray:
        return self._call("mover", state.shape, [((), jnp.int32)], state.records)[0]

    def legal_action_mask(self, state: JaxState) -> JaxArray:
        return self._call("flags", state.shape, [((self.game.moves,), bool)], state.records)[0]

    def legal_actions(self, state: JaxState) -> JaxArray:
        results = [((self.game.max_legal,), jnp.int32), ((), jnp.int32)]
        return self._call("listed", state.shape, results, state.records)[0]

    def observe(self, state: JaxState, player: JaxArray = None) -> JaxArray:
        """What a seat knows, by default the one to act."""
        seat = jnp.maximum(state.current_player, 0) if player is None else jnp.clip(player, 0, self.seats - 1)
        seat = jnp.broadcast_to(jnp.asarray(seat, jnp.int32), state.shape)
        return self._call("observe", state.shape, [((self.observation_size,), jnp.int8)], state.records, seat)[0]

    # Inside

    @cached_property
    def _record(self) -> tuple[tuple[int, ...], JaxArray]:
        return (self.game.state.itemsize,), jnp.uint8

    def _shared(self, key: JaxArray, state: JaxState) -> JaxArray:
        """Keys as words, with as many axes as the matches have; one key stands for all."""
        if key is None:
            raise BadBatch("With autoreset a step deals, and needs a key for it: env.step(state, action, key).")
        words = _words(key)
        if words.shape[:-1] not in ((), state.shape):
            raise BadBatch(f"Matches of shape {state.shape} need as many keys, or one; these are {words.shape[:-1]}.")
        return words if words.ndim > 1 else words.reshape((1,) * len(state.shape) + words.shape)

    def _call(self, name: str, shape: tuple[int, ...], results: list[Any], *operands: JaxArray) -> tuple[JaxArray, ...]:
        shapes = tuple(jax.ShapeDtypeStruct((*shape, *row), kind) for row, kind in results)
        call = self._calls[name]
        if self._asks_python:
            answer = partial(_answer, call, tuple(results))
            return tuple(jax.pure_callback(answer, shapes, *operands, vmap_method="broadcast_all"))
        _register(call)
        aliases = {0: 0} if name == "play" else None  # in place
        made = jax.ffi.ffi_call(call.name, shapes, vmap_method="broadcast_all", input_output_aliases=aliases)
        return tuple(made(*operands))


@cache
def _made(game: Game, seats: int, options: tuple[tuple[str, Value], ...], *terms: Any) -> Env:
    return Env(game, seats, dict(options), *terms)


def _words(key: JaxArray) -> JaxArray:
    """A key as two words."""
    key = jnp.asarray(key)
    is_typed = jnp.issubdtype(key.dtype, jax.dtypes.prng_key)
    if not is_typed and (key.dtype != jnp.uint32 or key.shape[-1:] < (KEY_WORDS,)):
        raise BadBatch(f"A key is one that jax.random.key makes; this is {key.dtype} of shape {key.shape}.")
    data = jax.random.key_data(key) if is_typed else key
    return data[..., -KEY_WORDS:].astype(jnp.uint32)


_registered: dict[str, list[OnThreads | OnDevice]] = {}  # by name


def _register(call: XlaCall) -> None:
    """Makes a call known to XLA, for all that it can use here."""
    if call.name not in _registered:
        handlers: dict[str, OnThreads | OnDevice] = {"cpu": OnThreads(call)}
        if jax.default_backend() == "gpu":
            handlers["CUDA"] = OnDevice(call)
        for platform, handler in handlers.items():
            capsule = jax.ffi.pycapsule(handler.handler.address)
            jax.ffi.register_ffi_target(call.name, capsule, platform=platform, api_version=1)
        _registered[call.name] = list(handlers.values())


def _answer(call: XlaCall, results: tuple[Any, ...], *given: JaxArray) -> tuple[Array, ...]:
    """What Python says to a call."""
    operands = [np.ascontiguousarray(array) for array in given]
    shape = operands[0].shape[:-1]
    made = [np.zeros((*shape, *row), kind) for row, kind in results]
    if call.operation == "play":
        made[0][:] = operands[0]
    run_here(call, [*operands, *made])
    return tuple(made)
