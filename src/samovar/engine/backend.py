"""A game made ready to run: every operation of `kernels` bound to the game's rules, plain or
compiled, each on first use."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from functools import cache, cached_property
from threading import Lock
from typing import Any

import numpy as np

from samovar.engine import kernels
from samovar.engine.chance import RNG_WORDS
from samovar.engine.contract import Game
from samovar.engine.plain import copy_plain, make_clear, plain
from samovar.engine.rule import Compiler, fingerprint, is_plain, jit_cpu, jit_entry

RULE_NAMES = ("deal", "actors", "legal", "apply", "scores", "places", "determinize", "observe", "faults")
INSTINCT_NAMES = ("evaluate", "quick", "sights", "forget")

Array = np.ndarray[Any, Any]
NOTHING: Array = np.zeros(1, np.int64)


def thread_count() -> int:
    """How many threads to use: the machine's, or what `SAMOVAR_THREADS` says."""
    told = os.environ.get("SAMOVAR_THREADS", "")
    return int(told) if told.isdigit() and int(told) > 0 else os.cpu_count() or 1


def bound_rules(game: Game) -> dict[Any, Any]:
    """What the functions in the first part of `kernels` stand for."""
    own = {getattr(kernels, name): getattr(game, name) for name in RULE_NAMES}
    felt = {getattr(kernels, name): getattr(game.instinct, name) for name in INSTINCT_NAMES}
    return {**own, **felt, kernels.clear: make_clear(game.state), kernels.copy_state: kernels.copy_record}


class Backend:
    """Runs a game's operations on arrays of states. `plain` is the same source with compiling
    switched off."""

    def __init__(self, game: Game, plain: bool) -> None:
        self.game = game
        self.is_plain = plain
        self.rules = bound_rules(game) | ({kernels.copy_state: copy_plain} if plain else {})
        self._entries: dict[str, Callable[..., Any]] = {}
        self._making = Lock()  # two threads must not compile the same thing twice

    @cached_property
    def _compiler(self) -> Compiler:
        if self.is_plain:
            return Compiler(lambda copied: copied, self.rules, tables_as_arrays=False)
        # Numba calls a state's type by a number that differs from process to process, and code from
        # its cache keeps its names. So the names of compiled rules must say which game, and which
        # version of it, they are of: else two games in one process could run each other's.
        content = [fingerprint(stand_in, self.rules) for stand_in in self.rules]
        digest = hashlib.blake2b(
            repr((self.game.state.descr, self.game.setup_type.descr, content)).encode(), digest_size=8
        ).hexdigest()
        return Compiler(jit_cpu, self.rules, f"{self.game.id}.{digest}.")

    def make(self, function: Any, name: str) -> Callable[..., Any]:
        """A generic function bound to this game, and to one operation where it names one. Compiled,
        it takes arrays; plain, what `plain` gives."""
        with self._making:
            if name not in self._entries:
                named = {"operation": kernels.OPERATIONS[name]} if name in kernels.OPERATIONS else {}
                # The compiler is shared so that a rule used by several operations is compiled once.
                copied = self._compiler.copy(function, f"{self.game.id}.{name}.", named)
                self._entries[name] = (
                    copied if self.is_plain else jit_entry(copied, fingerprint(function, self.rules, named))
                )
        return self._entries[name]

    @property
    def is_kept(self) -> bool:
        """Whether what was compiled is on disk, where other processes find it."""
        return all(entry.stats.cache_path for entry in self._entries.values())  # type: ignore[attr-defined]

    def scratch(self) -> tuple[Array, Array, Array]:
        """Working space of one thread: generator, legal moves, observation."""
        game = self.game
        room = max(game.max_legal, max(game.seats))
        return np.zeros(RNG_WORDS, np.int64), np.zeros(room, np.int32), np.zeros(game.observation_size, np.int8)

    def run(self, operation: str, states: Array, a: Array = NOTHING, b: Array = NOTHING, c: Array = NOTHING) -> None:
        """One operation of `kernels.OPERATIONS` on every state of an array, in this thread."""
        loop = self.make(kernels.loop, operation)
        if self.is_plain:
            loop(plain(states), *map(plain, (a, b, c, *self.scratch())))
        else:
            loop(states, a, b, c, *self.scratch())

    @cached_property
    def act(self) -> Callable[[Any, int, int, Array], int]:
        """`act(states, seat, move, out)` on the only state of an array; plain, on a list of one
        `PlainState`."""
        act = self.make(kernels.act_alone, "act")
        if self.is_plain:
            return lambda states, seat, move, out: act(states, seat, move, plain(out))
        return act


_the_backend = cache(Backend)


def backend(game: Game, plain: bool | None = None) -> Backend:
    """The game's backend: compiled, unless `SAMOVAR_PLAIN` is set or `plain` says otherwise. One of
    each in a process."""
    return _the_backend(game, is_plain() if plain is None else plain)
