"""A game made ready to run: every operation of `kernels` bound to the game's rules, plain or
compiled, each on first use."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, cached_property
from threading import Lock, get_ident
from typing import cast

import numpy as np

from samovar.engine.arrays import Array, Int8s, Int32s, Int64s, Rows
from samovar.engine.chance import CHANCE_FIELD, RNG_WORDS, draw_key, draw_no_key
from samovar.engine.contract import RULES, Game
from samovar.engine.kinds import make_encode
from samovar.engine.rule import Bound, Compiled, Compiler, Rule, always, fingerprint, is_plain, jit_cpu, jit_entry
from samovar.engine.ways import kernels, stand_ins, watch
from samovar.engine.ways.mistakes import explained
from samovar.engine.ways.operations import NOTHING, Argument, Operations
from samovar.engine.ways.plain import PlainState, copy_plain, make_clear, plain
from samovar.engine.ways.turns import Turn

TO_SPARE = 64  # legal moves beyond `max_legal`: so many can be told as a mistake, where memory would else be destroyed

# Operations compiled without a single call. A call hands on eight words for every array, and what was in registers
# goes through memory: random play is 1.1 to 1.7 times as fast (`benchmarks/limit`). Not a search: that is hardly
# faster for it, and takes half as long again to compile.
WITHOUT_CALLS = {"deal", "play_random", "play_endless"}


def thread_count(usual: int | None = None) -> int:
    """How many threads to use: what `SAMOVAR_THREADS` says, or so many, by default the machine's."""
    asked = os.environ.get("SAMOVAR_THREADS", "")
    return int(asked) if asked.isdigit() and int(asked) > 0 else usual or os.cpu_count() or 1


def bound_rules(game: Game) -> Bound:
    """What the functions in the first part of `kernels` stand for."""
    rules = {**stand_ins.DEFAULTS, **game.rules}
    own: dict[Rule, Rule] = {getattr(stand_ins, name): rules[name] for name in RULES}
    return {
        **own,
        stand_ins.clear: make_clear(game.state),
        stand_ins.copy_state: stand_ins.copy_record,
        stand_ins.draw_key: draw_key if CHANCE_FIELD in (game.state.names or ()) else draw_no_key,
        stand_ins.encode: make_encode(game.encoding),
        stand_ins.encode_factors: make_encode(game.factor_encoding),
        stand_ins.observation_size: always(game.observation_size),
        stand_ins.factors_size: always(game.factor_encoding.raw_size),
        stand_ins.factor_planes: always(game.factor_encoding.size),
    }


def _jit(copied: Rule) -> Compiled:
    """A rule that takes a `Turn` becomes a part of its caller: to hand on the hundred words of so many
    arrays, for every match, took up to a third of a step."""
    return jit_cpu(copied, is_inlined=Turn.__name__ in copied.__annotations__.values())


def _jit_inlined(copied: Rule) -> Compiled:
    """A rule that becomes a part of its caller, as all rules do in WITHOUT_CALLS."""
    return jit_cpu(copied, is_inlined=True)


class Backend(Operations):
    """Runs a game's operations on arrays of states, in the calling thread. `plain` is the same
    source with compiling switched off."""

    def __init__(self, game: Game, plain: bool) -> None:
        self.game = game
        self.is_plain = plain
        self.rules: dict[Rule, Rule] = {**bound_rules(game)}
        if plain:
            self.rules[stand_ins.copy_state] = copy_plain
        self._entries: dict[tuple[Rule, str], Compiled] = {}
        self._making = Lock()  # two threads must not compile the same thing twice
        watch.start()

    @cached_property
    def _compilers(self) -> dict[bool, Compiler]:
        """By whether every rule becomes a part of its caller."""
        if self.is_plain:
            return dict.fromkeys((False, True), Compiler(lambda copied: copied, self.rules, tables_as_arrays=False))
        # Numba calls a state's type by a number that differs from process to process, and code from
        # its cache keeps its names. So the names of compiled rules must say which game, and which
        # version of it, they are of: else two games in one process could run each other's.
        content = [fingerprint(stand_in, self.rules) for stand_in in self.rules]
        digest = hashlib.blake2b(
            repr((self.game.state.descr, self.game.setup_type.descr, content)).encode(), digest_size=8
        ).hexdigest()
        return {
            is_inlined: Compiler(jit, self.rules, f"{self.game.id}.{digest}.{jit.__name__}.")
            for is_inlined, jit in ((False, _jit), (True, _jit_inlined))
        }

    def make(self, function: Rule, name: str) -> Compiled:
        """A generic function bound to this game, and to one operation where it names one. Compiled,
        it takes arrays; plain, what `plain` gives."""
        with self._making:
            if (function, name) not in self._entries:
                named = {"operation": kernels.OPERATIONS[name]} if name in kernels.OPERATIONS else {}
                is_inlined = name in WITHOUT_CALLS
                # Compilers are shared so that a rule used by several operations is compiled once.
                copied = self._compilers[is_inlined].copy(function, f"{self.game.id}.{name}.", named)
                key = f"{fingerprint(function, self.rules, named)} {is_inlined}"
                self._entries[function, name] = copied if self.is_plain else jit_entry(copied, key, self.game.name)
        return self._entries[function, name]

    @property
    def is_kept(self) -> bool:
        """Whether what was compiled is on disk, where other processes find it."""
        return all(entry.stats.cache_path for entry in self._entries.values())

    @cached_property
    def _room(self) -> tuple[int, int]:
        """How long the rows for legal moves (and points by seat) and for an observation must be."""
        return max(self.game.max_legal + TO_SPARE, max(self.game.seats)), self.game.longest_row

    def scratch(self) -> tuple[Int64s, Int32s, Int8s]:
        """Working space of one thread: generator, legal moves, observation."""
        moves, seen = self._room
        return np.zeros(RNG_WORDS, np.int64), np.zeros(moves, np.int32), np.zeros(seen, np.int8)

    @watch.watched
    def run(
        self, operation: str, states: Rows, a: Argument = NOTHING, b: Argument = NOTHING, c: Argument = NOTHING
    ) -> None:
        loop = self._entries.get((kernels.loop, operation)) or self.make(kernels.loop, operation)
        if self.is_plain:
            with self._plainly(operation, states):
                loop(plain(states), *map(plain, (a, b, c, *self.scratch())))
        else:
            loop(states, a, b, c, *self.scratch())

    @contextmanager
    def _plainly(self, operation: str, states: Rows | list[PlainState]) -> Iterator[None]:
        """Plain rules are at work: somebody looks whether they end, and explains their mistakes."""
        thread = get_ident()
        before = watch.plain_calls.get(thread)
        watch.plain_calls[thread] = watch.Call(self.game, operation, states, True)
        try:
            yield
        except Exception as error:
            raise explained(self.game, error) from error
        finally:
            if before is None:
                del watch.plain_calls[thread]
            else:
                watch.plain_calls[thread] = before

    @cached_property
    def act(self) -> Callable[[Array | list[PlainState], int, int, Array], int]:
        """`act(states, seat, move, out)` on the only state of an array; plain, on a list of one
        `PlainState`."""
        act: Compiled = self.make(kernels.act_alone, "act")
        if not self.is_plain:
            return cast("Callable[..., int]", act)

        def act_plainly(states: Array | list[PlainState], seat: int, move: int, out: Array) -> int:
            with self._plainly("play", states):
                return int(act(states, seat, move, plain(out)))

        return act_plainly


_the_backend = cache(Backend)


def backend(game: Game, plain: bool | None = None) -> Backend:
    """The game's backend: compiled, unless `SAMOVAR_PLAIN` is set or `plain` says otherwise. One of
    each in a process."""
    return _the_backend(game, is_plain() if plain is None else plain)
