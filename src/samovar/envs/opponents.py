"""Who plays all seats but the learner's, at the tables of `gymnasium.py`.

`random`; `quick`, the game's rollout moves; or any bot by its text (`greedy`, `search:100`,
`medium`), which is asked table by table and knows only what its seat may know. Or an object of
yours:

- a function `opponent(look, rng) -> actions`, asked at many tables at once. It is shown what a
  learner in these seats would be, a dict of arrays with one row for each table, and answers with an
  action for each row; `rng` is a NumPy generator;
- a policy with `predict`, as Stable-Baselines3 has it: it is shown the same, and the mask by
  `action_masks` where it takes that;
- a bot, with `choose(seat) -> Answer`. The same one plays all seats at all tables, so it must keep
  nothing of a match.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from samovar.bots import Answer, Bot, make_bot
from samovar.bots.bot_worker import describe
from samovar.engine.arrays import Array
from samovar.engine.chance import derive_seed
from samovar.engine.contract import Game, Options
from samovar.engine.match import Match
from samovar.engine.seat import Seat
from samovar.engine.ways.backend import Backend, backend
from samovar.engine.ways.stand_ins import NO_MOVE
from samovar.envs import Info, Untyped
from samovar.envs.table import ShownArrays, Terms
from samovar.errors import BadBot, BotFailed

AskOpponent: TypeAlias = Callable[[ShownArrays, np.random.Generator], npt.ArrayLike]


class EnvOpponent(Protocol):
    """Plays all seats but the learner's, at all tables."""

    def begin(self, tables: Array, seeds: Array, learner: Array) -> None:
        """New matches at some tables."""

    def follow(self, tables: Array, seats: Array, moves: Array) -> None:
        """The learner has moved at some tables."""

    def move(self, tables: Array, states: Array, seats: Array, draws: Array) -> None:
        """One move in each of some states, those of the given tables; `seats` are to act, `draws`
        are fresh seeds."""

    def close(self) -> None: ...


def find_opponent(order: Untyped, terms: Terms, tables: int, options: Options) -> EnvOpponent:
    """The opponent that a text or an object stands for."""
    game = terms.game
    if order == "random":
        return RandomOpponent(game)
    if order == "quick":
        return QuickOpponent(game)
    if isinstance(order, str):
        make_bot(order, game, 0).close()  # an order that cannot be met is refused at once
        return BotOpponent(order, order, terms, options)
    name = getattr(order, "__name__", type(order).__name__)
    if not isinstance(order, type):
        if callable(getattr(order, "choose", None)):
            return BotOpponent(name, order, terms, options)
        if callable(getattr(order, "predict", None)) or callable(order):
            return PolicyOpponent(name, order, terms, tables, options)
    raise BadBot(
        f"{describe(order)} cannot play. An opponent is a text ('random', 'quick', or a bot such as 'greedy'), a "
        "function of (look, rng), or an object with predict() or choose()."
    )


class FastOpponent:
    """One that needs no past and moves in many states at once."""

    def __init__(self, game: Game) -> None:
        self._game = game

    @property
    def _ready(self) -> Backend:
        return backend(self._game)

    def begin(self, tables: Array, seeds: Array, learner: Array) -> None: ...

    def follow(self, tables: Array, seats: Array, moves: Array) -> None: ...

    def close(self) -> None: ...


class RandomOpponent(FastOpponent):
    def move(self, tables: Array, states: Array, seats: Array, draws: Array) -> None:
        self._ready.play_random(states, draws, np.zeros_like(draws), 1)


class QuickOpponent(FastOpponent):
    """The game's rollout moves. They may look at the whole truth, so they are shown a world that
    fits what the seat knows."""

    def move(self, tables: Array, states: Array, seats: Array, draws: Array) -> None:
        worlds, moves = states.copy(), np.zeros_like(seats)
        self._ready.determinize(worlds, seats, draws)
        self._ready.rollout_move(worlds, seats, draws, moves)
        self._ready.step(states, seats, moves, np.zeros_like(moves))


class PolicyOpponent(FastOpponent):
    """A policy, or a function of what seats are shown."""

    def __init__(self, name: str, order: Untyped, terms: Terms, tables: int, options: Options) -> None:
        super().__init__(terms.game)
        self._made_by = name, order, terms, tables, options
        self._name = name
        self._ask: AskOpponent = as_function(order) if callable(getattr(order, "predict", None)) else order
        self._terms = terms
        self._batch = terms.batch(tables, **options)
        self._matches = self._batch.snapshot()

    def move(self, tables: Array, states: Array, seats: Array, draws: Array) -> None:
        batch, everyone = self._batch, np.zeros(self._batch.size, np.int64)
        self._matches.states[tables], everyone[tables] = states, seats
        batch.restore(self._matches)
        look = {name: rows[tables] for name, rows in self._terms.look(batch, everyone).items()}
        moves = np.full(batch.size, NO_MOVE, np.int64)
        try:
            actions = np.asarray(self._ask(look, np.random.default_rng(int(draws[0]))))
            if actions.shape != tables.shape or actions.dtype.kind not in "iu":
                raise BadBot(
                    f"It was asked for {len(tables)} whole numbers and gave {actions.dtype} of shape {actions.shape}."
                )
            moves[tables] = self._terms.moves_of(actions.astype(np.int64), batch, tables)
            batch.step(moves)
        except Exception as error:
            raise BotFailed(
                f"The opponent {self._name} failed: {describe(error)} No table can go on; reset() deals anew."
            ) from error
        states[:] = batch.states[tables]

    def __reduce__(self) -> tuple[type[PolicyOpponent], tuple[Untyped, ...]]:
        return type(self), self._made_by


def as_function(policy: Untyped) -> AskOpponent:
    """What is asked of a policy as Stable-Baselines3 has them. It is shown what it learned from: the
    parts of its observation space, or the observation alone."""
    takes_masks = "action_masks" in inspect.signature(policy.predict).parameters
    wanted = getattr(getattr(policy, "observation_space", None), "spaces", None)

    def ask(look: ShownArrays, rng: np.random.Generator) -> npt.ArrayLike:
        seen = {name: look[name] for name in wanted} if wanted else look["observation"]
        actions: npt.ArrayLike = policy.predict(seen, **({"action_masks": look["action_mask"]} if takes_masks else {}))[
            0
        ]
        return actions

    return ask


class Lent:
    """A bot of the caller's: it is not for us to close."""

    def __init__(self, bot: Untyped) -> None:
        self._bot = bot

    def choose(self, seat: Seat) -> Answer:
        answer: Answer = self._bot.choose(seat)
        return answer

    def close(self) -> None: ...


@dataclass
class BotTable:
    """A match with bots in all seats but the learner's."""

    match: Match
    learner: int
    bots: dict[int, Bot]


class BotOpponent:
    """Any bot, one for every seat of every match: by its text, or one of the caller's. A bot may want to know what its
    seat has seen, so each table is a `Match` with its past."""

    def __init__(self, name: str, order: Untyped, terms: Terms, options: Options) -> None:
        self._name = name
        self._order = order
        self._terms = terms
        self._options = options
        self._tables: dict[int, BotTable] = {}

    def begin(self, tables: Array, seeds: Array, learner: Array) -> None:
        for table, seed, own in zip(tables.tolist(), seeds.tolist(), learner.tolist(), strict=True):
            self._leave(table)
            self._tables[table] = self._sit_down(seed, own)

    def follow(self, tables: Array, seats: Array, moves: Array) -> None:
        for table, seat, move in zip(tables.tolist(), seats.tolist(), moves.tolist(), strict=True):
            self._tables[table].match.play(seat, move)

    def move(self, tables: Array, states: Array, seats: Array, draws: Array) -> None:
        for row, (table, seat) in enumerate(zip(tables.tolist(), seats.tolist(), strict=True)):
            match, bots = self._tables[table].match, self._tables[table].bots
            try:
                match.play(seat, bots[seat].choose(match.seat(seat)).move)
            except Exception as error:
                raise BotFailed(
                    f"The bot {self._name!r} failed at table {table}: {describe(error)} No table can go on; reset() "
                    "deals anew."
                ) from error
            states[row] = match.states[0]

    def _sit_down(self, seed: int, learner: int) -> BotTable:
        match = Match(self._terms.game, self._terms.seats, seed, **self._options)
        seats = [seat for seat in range(match.seats) if seat != learner]
        return BotTable(match, learner, {seat: self._make(derive_seed(seed, seat)) for seat in seats})

    def _make(self, seed: int) -> Bot:
        return make_bot(self._order, self._terms.game, seed) if isinstance(self._order, str) else Lent(self._order)

    def _leave(self, table: int) -> None:
        left = self._tables.pop(table, None)
        for bot in left.bots.values() if left else ():
            bot.close()

    def close(self) -> None:
        for table in list(self._tables):
            self._leave(table)

    # A copy or a pickle is made of the deals and the moves. What a bot of ours has thought so far it thinks again.

    def __getstate__(self) -> Info:
        past = {number: (at.match.seed, at.learner, at.match.history) for number, at in self._tables.items()}
        return {**self.__dict__, "_tables": past}

    def __setstate__(self, kept: Info) -> None:
        self.__dict__.update(kept)
        self._tables = {}
        for number, (seed, learner, history) in kept["_tables"].items():
            table = self._tables[number] = self._sit_down(seed, learner)
            for seat, move in history:
                if seat != learner and isinstance(self._order, str):
                    table.bots[seat].choose(table.match.seat(seat))
                table.match.play(seat, move)
