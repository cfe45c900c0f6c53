"""Every game as a Gymnasium vector environment: one learner at many tables, against a fixed
opponent.

    tables = samovar.envs.gymnasium.vector("memoarrrr", 256, seats=3, opponent="greedy",
    seat="rotate") observations, infos = tables.reset(seed=1) observations, rewards, terminations,
    truncations, infos = tables.step(moves)

The learner has one seat at each table (`seat="rotate"`: the next one in every new match), all
others are played by `opponent`: `random`; `quick`, the game's rollout moves; or any bot by its text
(`greedy`, `search:100`, `medium`), which is asked table by table and knows only what its seat may
know. `random` and `quick` play at all tables at once, so take one of them for thousands of tables.
Also by id, once this module is imported: `gymnasium.make_vec("samovar/memoarrrr", 256, seats=3,
opponent="greedy")`.

Whenever `reset` or `step` returns, it is for the learner to act. An observation is a dict of two
int8 arrays, a row for each table: `observation`, what the learner's seat knows, and `action_mask`,
a 1 for every legal move number; the mask is in `infos`, too, beside `seat`. They are the caller's
to keep. Rewards come at the end, by place: (seats placed behind - seats placed ahead) / (seats -
1). Nothing is ever cut off.

A match that ends, by whosever move, is dealt anew in the same step (`AutoresetMode.SAME_STEP`):
then `infos` has `final_obs`, the learner's last look, and `final_info` with `places` and `scores`
of all seats. With `autoreset_mode="NextStep"`, which Gymnasium's wrappers for observations insist
on, the step that ends a match shows that last look and tells of it in `infos` itself, and the next
step deals anew there, whatever move it is given. In a last look the mask is all ones, since any
number will do.

Table i starts with the deal of `Match(..., seed=seed + i)`, and its later deals are those of
`Batch`. All chance of opponents follows from the seed of the deal. A deal in which the learner
never gets to act is passed over.
"""

from __future__ import annotations

import secrets
from functools import cached_property
from typing import Any, Protocol, TypeAlias

import numpy as np

from samovar.bots import Bot, make_bot
from samovar.bots.host import describe
from samovar.engine.arrays import Array
from samovar.engine.backend import Backend, backend
from samovar.engine.batch import Batch, Snapshot
from samovar.engine.chance import derive_seed
from samovar.engine.contract import Game, Options
from samovar.engine.kernels import MAX_SEED, NO_MOVE, NOBODY, lowest_seat, next_seed
from samovar.engine.match import Match, check_seed
from samovar.engine.registry import game_ids
from samovar.envs import Info, Untyped, need, rewards
from samovar.errors import BadBatch, BadOption, BotFailed, IllegalMove, NotAnActor, UnknownSeat

need("gymnasium")
import gymnasium  # noqa: E402
from gymnasium import spaces  # noqa: E402
from gymnasium.vector import AutoresetMode, VectorEnv  # noqa: E402
from gymnasium.vector.utils import batch_space  # noqa: E402

ROTATE = "rotate"
# from the seed of one of an opponent's moves to that of its next; odd, so that none comes twice
NEXT_DRAW = 0x5851F42D4C957F2D

Look = dict[str, Array]
Space: TypeAlias = spaces.Space[Any]
Actions: TypeAlias = Untyped  # whatever holds whole numbers: an array of NumPy, JAX or PyTorch, a list


class Opponent(Protocol):
    """Plays all seats but the learner's, at all tables."""

    def begin(self, tables: Array, seeds: Array, learner: Array) -> None:
        """New matches at some tables."""

    def follow(self, tables: Array, seats: Array, moves: Array) -> None:
        """The learner has moved at some tables."""

    def move(self, tables: Array, states: Array, seats: Array, draws: Array) -> None:
        """One move in each of some states, those of the given tables; `seats` are to act, `draws`
        are fresh seeds."""

    def close(self) -> None: ...


class FastOpponent:
    """One that needs no past and moves in many states at once."""

    def __init__(self, game: Game) -> None:
        self._ready = backend(game)

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


class BotOpponent:
    """Any bot, one for every seat of every match. A bot may want to know what its seat has seen, so
    each table is a `Match` with its past."""

    def __init__(self, text: str, game: Game, seats: int, options: Options) -> None:
        self._text = text
        self._game = game
        self._seats = seats
        self._options = options
        self._tables: dict[int, tuple[Match, dict[int, Bot]]] = {}
        make_bot(text, game, 0).close()  # an order that cannot be met is refused at once

    def begin(self, tables: Array, seeds: Array, learner: Array) -> None:
        for table, seed, own in zip(tables.tolist(), seeds.tolist(), learner.tolist(), strict=True):
            self._leave(table)
            bots = {
                seat: make_bot(self._text, self._game, derive_seed(seed, seat))
                for seat in range(self._seats)
                if seat != own
            }
            self._tables[table] = Match(self._game, self._seats, seed, **self._options), bots

    def follow(self, tables: Array, seats: Array, moves: Array) -> None:
        for table, seat, move in zip(tables.tolist(), seats.tolist(), moves.tolist(), strict=True):
            self._tables[table][0].play(seat, move)

    def move(self, tables: Array, states: Array, seats: Array, draws: Array) -> None:
        for row, (table, seat) in enumerate(zip(tables.tolist(), seats.tolist(), strict=True)):
            match, bots = self._tables[table]
            try:
                match.play(seat, bots[seat].choose(match.seat(seat)).move)
            except Exception as error:
                raise BotFailed(
                    f"The bot {self._text!r} failed at table {table}: {describe(error)} No table can go on; reset() "
                    "deals anew."
                ) from error
            states[row] = match.states[0]

    def _leave(self, table: int) -> None:
        for bot in self._tables.pop(table, (None, dict[int, Bot]()))[1].values():
            bot.close()

    def close(self) -> None:
        for table in list(self._tables):
            self._leave(table)


class VectorTable(VectorEnv[Look, Actions, Array]):
    """`num_envs` tables of one game. `threads` are those of `Batch`."""

    def __init__(
        self,
        game: str | Game,
        num_envs: int = 1,
        seats: int | None = None,
        *,
        opponent: str = "random",
        seat: int | str = 0,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        threads: int | None = None,
        **options: Any,
    ) -> None:
        self._batch = Batch(game, num_envs, seats, threads=threads, restart=False, **options)
        self.game, self.seats, self.options = self._batch.game, self._batch.seats, self._batch.options
        self.num_envs = num_envs
        self._seat = _check_seat(seat, self.seats)
        self._opponent = self._find_opponent(opponent)
        self._mode = _check_mode(autoreset_mode)
        self.metadata = {
            "name": f"samovar_{self.game.id}_v{self.game.version}",
            "autoreset_mode": self._mode,
            "render_modes": [],
        }
        known = spaces.Box(-128, 127, (self.game.observation_size,), np.int8)
        self.single_observation_space = spaces.Dict(
            {"observation": known, "action_mask": spaces.Box(0, 1, (self.game.moves,), np.int8)}
        )
        self.single_action_space = spaces.Discrete(self.game.moves)
        self._everywhere = np.arange(num_envs)
        # by the mask of actors
        self._lowest = np.array([NOBODY, *(lowest_seat(mask) for mask in range(1, 1 << self.seats))])
        self._learner = np.zeros(num_envs, np.int64)  # the learner's seat at each table
        self._draws = np.zeros(num_envs, np.int64)  # the seed of the opponents' last move at each table
        self._over = np.zeros(num_envs, np.bool_)  # where the next step is to deal
        self._seed: int | None = None
        self._is_ready = False  # it is for the learner to act everywhere else

    def _find_opponent(self, text: str) -> Opponent:
        if text == "random":
            return RandomOpponent(self.game)
        if text == "quick":
            return QuickOpponent(self.game)
        return BotOpponent(text, self.game, self.seats, self.options)

    # Made when they are asked for: their bounds take four times the memory of all masks.

    @cached_property
    def observation_space(self) -> Space:  # type: ignore[override]
        return batch_space(self.single_observation_space, self.num_envs)

    @cached_property
    def action_space(self) -> Space:  # type: ignore[override]
        return batch_space(self.single_action_space, self.num_envs)

    # What can be done

    def reset(self, *, seed: int | None = None, options: Info | None = None) -> tuple[Look, Info]:
        """Deals anew at every table; without a seed the deals follow from those before."""
        if options:
            raise BadOption(
                f"reset() takes no options, not even {', '.join(options)}. Those of the game are given when the "
                "environment is made."
            )
        number = self._following_seed() if seed is None else check_seed(seed)
        self._batch.reset(number)
        super().reset(seed=number)
        self._seed = number
        self._is_ready = False
        self._over[:] = False
        self._learner[:] = self._everywhere % self.seats if self._seat == ROTATE else self._seat
        matches = self._batch.snapshot()
        self._begin(matches, self._everywhere)
        return self._show(matches)

    def step(self, actions: Actions) -> tuple[Look, Array, Array, Array, Info]:
        """The learner's move at every table, and what the others answer. A move that is not legal
        is refused, and then nothing has changed."""
        if not self._is_ready:
            raise NotAnActor(
                "No matches are waiting for the learner: they have not been dealt yet, or a bot has failed. Call "
                "reset() first."
            )
        moves = self._check_moves(actions)
        self._batch.step(moves)
        self._is_ready = False  # until all have answered: what an error leaves halfway is not played on
        moved, over = np.flatnonzero(~self._over), np.flatnonzero(self._over)
        self._opponent.follow(moved, self._learner[moved], moves[moved])
        matches = self._batch.snapshot()
        ended = self._answer(matches, moved)
        gained, terminations, news = self._finish(matches, ended)
        if self._mode is AutoresetMode.SAME_STEP:
            self._deal(matches, ended)
        else:
            self._deal(matches, over)
            self._over = terminations.copy()
        observations, infos = self._show(matches)
        return observations, gained, terminations, np.zeros(self.num_envs, np.bool_), infos | news

    def close_extras(self, **kwargs: object) -> None:
        self._opponent.close()
        self._is_ready = False

    # Inside. The opponents move in a snapshot of the batch, which then takes it over.

    def _check_moves(self, actions: Actions) -> Array:
        """The learner's moves; where a match is over there is none, whatever is given."""
        moves = np.asarray(actions)
        if moves.shape != (self.num_envs,) or moves.dtype.kind not in "iu":
            raise BadBatch(
                f"step() takes one move number for each of {self.num_envs} tables; this is an array of {moves.dtype} "
                f"of shape {moves.shape}."
            )
        moves = moves.astype(np.int64)
        if (moves[~self._over] == NO_MOVE).any():
            raise IllegalMove(
                f"The learner moves at every table, and {NO_MOVE} is no move. Choose from action_mask. No match has "
                "moved."
            )
        moves[self._over] = NO_MOVE
        return moves

    def _following_seed(self) -> int:
        last = secrets.randbits(63) if self._seed is None else self._seed
        return derive_seed(last, "next reset") >> 1  # there is room for a seed for each table above it

    def _deal(self, matches: Snapshot, tables: Array) -> None:
        """The next match at some tables."""
        if not len(tables):
            return
        seeds = np.array([next_seed(seed) for seed in matches.seeds[tables].tolist()], np.int64)
        states = np.zeros(len(tables), self.game.state)
        self._ready.deal(states, self.game.setup(self.seats, self.options), seeds)
        matches.seeds[tables], matches.states[tables] = seeds, states
        if self._seat == ROTATE:
            self._learner[tables] = (self._learner[tables] + 1) % self.seats
        self._begin(matches, tables)

    def _begin(self, matches: Snapshot, tables: Array) -> None:
        """From a deal to the learner's first move. Where it has none there is nothing to learn, and
        another deal follows."""
        self._draws[tables] = matches.seeds[tables]
        self._opponent.begin(tables, matches.seeds[tables], self._learner[tables])
        self._deal(matches, self._answer(matches, tables))

    def _answer(self, matches: Snapshot, tables: Array) -> Array:
        """Opponents move until it is for the learner to act or the match is over: the tables where
        it is. Of several actors the lowest moves first; none knows what another has chosen."""
        over: list[Array] = []
        while True:
            states, masks = matches.states[tables], np.zeros(len(tables), np.int64)
            self._ready.actors(states, masks)
            actors = self._lowest[masks]
            over.append(tables[actors == NOBODY])
            waiting = (actors != NOBODY) & (actors != self._learner[tables])
            if not waiting.any():
                return np.concatenate(over)
            tables, actors, states = tables[waiting], actors[waiting], states[waiting]
            draws = self._draws[tables] = (self._draws[tables] + NEXT_DRAW) & MAX_SEED
            self._opponent.move(tables, states, actors, draws)
            matches.states[tables] = states

    def _finish(self, matches: Snapshot, tables: Array) -> tuple[Array, Array, Info]:
        """The learner's rewards, where matches have ended, and what there is to tell of them."""
        by_table, ended = np.zeros(self.num_envs), np.zeros(self.num_envs, np.bool_)
        if not len(tables):
            return by_table, ended, {}
        ended[tables] = True
        states, seats = matches.states[tables], self._learner[tables]
        scores, places = np.zeros((2, self.num_envs, self.seats), np.int64)
        points, ranks = np.zeros((2, len(tables), self.seats), np.int64)
        seen = np.zeros((len(tables), self.game.observation_size), np.int8)
        self._ready.scores(states, points, ranks)
        self._ready.observe(states, seats, seen)
        scores[tables], places[tables] = points, ranks
        by_table[tables] = rewards(ranks)[np.arange(len(tables)), seats]
        news: Look = {"places": places, "scores": scores}
        news |= {f"_{name}": ended for name in news}
        if self._mode is AutoresetMode.NEXT_STEP:
            return by_table, ended, news
        looks = np.full(self.num_envs, None, object)
        for table, row in zip(tables.tolist(), seen, strict=True):
            looks[table] = {"observation": row, "action_mask": np.ones(self.game.moves, np.int8)}
        news |= {"seat": np.where(ended, self._learner, 0), "_seat": ended}
        return by_table, ended, {"final_obs": looks, "_final_obs": ended, "final_info": news, "_final_info": ended}

    def _show(self, matches: Snapshot) -> tuple[Look, Info]:
        """What the learner knows and may do now."""
        self._batch.restore(matches)
        self._is_ready = True
        everywhere = np.ones(self.num_envs, np.bool_)
        mask = self._batch.legal_mask.view(np.int8).copy()
        mask[self._over] = 1
        observations = {"observation": self._batch.observe(self._learner), "action_mask": mask}
        return observations, {
            "action_mask": mask,
            "_action_mask": everywhere,
            "seat": self._learner.copy(),
            "_seat": everywhere,
        }

    @property
    def _ready(self) -> Backend:
        return backend(self.game)


def _check_seat(seat: int | str, seats: int) -> int | str:
    if seat == ROTATE or (isinstance(seat, int) and not isinstance(seat, bool) and 0 <= seat < seats):
        return seat
    raise UnknownSeat(
        f"There is no seat {seat!r} at this table; its seats are 0 to {seats - 1}, and {ROTATE!r} takes the next one "
        "in every match."
    )


def _check_mode(mode: AutoresetMode | str) -> AutoresetMode:
    for known in (AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP):
        if mode in (known, known.value):
            return known
    raise BadOption(f"autoreset_mode cannot be {mode!r}. It is 'SameStep' or 'NextStep'.")


vector = VectorTable

for game_id in game_ids():
    if (name := f"samovar/{game_id}") not in gymnasium.registry:
        gymnasium.register(name, vector_entry_point=f"{__name__}:vector", kwargs={"game": game_id})
