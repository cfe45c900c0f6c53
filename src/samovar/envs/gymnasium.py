"""Every game in Gymnasium: one learner, against fixed opponents, at one table or at many.

    table = gymnasium.make("samovar/Memoarrrr-v0", opponent="greedy") observation, info =
    table.reset(seed=1) observation, reward, terminated, truncated, info = table.step(move)

    tables = samovar.envs.gymnasium.vector("memoarrrr", 256, seats=3, opponent="greedy",
    seat="rotate") observations, infos = tables.reset(seed=1) observations, rewards, terminations,
    truncations, infos = tables.step(moves)

Importing this module makes the ids known; `gymnasium.make_vec("samovar/Memoarrrr-v0", 256)` gives a
vector. The number is the game's `environment_version`; `samovar/memoarrrr` is whichever is installed.

The learner has one seat at each table (`seat="rotate"`: the next one in every new match), all
others are played by `opponent`: see `opponents.py`. `random` and `quick` and functions of yours
play at all tables at once, bots are asked table by table.

Whenever `reset` or `step` returns, it is for the learner to act. An observation is a dict of int8
arrays: `observation`, what the learner's seat knows, and `action_mask`, a 1 for every legal move
number; how else it can be is in `table.py` (`encoding`, `actions`, `turned`, `rewards`, `illegal`).
The mask is in `infos`, too, beside `legal_moves` and `seat`. They are the caller's to keep. Rewards
come at the end. Nothing is ever cut off.

In a vector, a match that ends, by whosever move, is dealt anew in the same step
(`AutoresetMode.SAME_STEP`): then `infos` has `final_obs`, the learner's last look, and `final_info`
with `places` and `scores` of all seats. With `autoreset_mode="NextStep"`, which Gymnasium's wrappers
for observations insist on, the step that ends a match shows that last look and tells of it in
`infos` itself, and the next step deals anew there, whatever move it is given. In a last look the
mask is all ones, since any number will do.

Table i starts with the deal of `Match(..., seed=seed + i)`, and its later deals are those of
`Batch`. All chance of opponents follows from the seed of the deal. A deal in which the learner
never gets to act is passed over.
"""

from __future__ import annotations

import secrets
from functools import cached_property
from typing import TypeAlias

import numpy as np

from samovar.engine.arrays import AnyView, Array
from samovar.engine.batch import Snapshot
from samovar.engine.chance import MAX_SEED, check_seed, derive_seed
from samovar.engine.contract import Game
from samovar.engine.match import Match
from samovar.engine.ways.backend import Backend, backend
from samovar.engine.ways.stand_ins import NO_MOVE, NOBODY, lowest_seat
from samovar.engine.ways.turns import next_seed
from samovar.envs import Info, Untyped, installed_games, metadata_name, need, picture, versioned_id
from samovar.envs.opponents import find_opponent
from samovar.envs.table import ShownArrays, Terms
from samovar.errors import BadBatch, BadOption, IllegalMove, MatchOver, NotAnActor, UnknownSeat

need("gymnasium")
import gymnasium  # noqa: E402
from gymnasium import spaces  # noqa: E402
from gymnasium.vector import AutoresetMode, VectorEnv  # noqa: E402
from gymnasium.vector.utils import batch_space  # noqa: E402

ROTATE = "rotate"
# from the seed of one of an opponent's moves to that of its next; odd, so that none comes twice
NEXT_DRAW = 0x5851F42D4C957F2D

Space: TypeAlias = spaces.Space[Untyped]
Actions: TypeAlias = Untyped  # whatever holds whole numbers: an array of NumPy, JAX or PyTorch, a list


class VectorTable(VectorEnv[ShownArrays, Actions, Array]):
    """`num_envs` tables of one game. `threads` are those of `Batch`."""

    def __init__(
        self,
        game: str | Game,
        num_envs: int = 1,
        seats: int | None = None,
        *,
        opponent: Untyped = "random",
        seat: int | str = 0,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        threads: int | None = None,
        **options: Untyped,  # those of the game, and the words of `table.py`
    ) -> None:
        self.terms, own_options = Terms.among(options, game, seats)
        self._batch = self.terms.batch(num_envs, threads, **own_options)
        self.game, self.seats, self.options = self.terms.game, self.terms.seats, self._batch.options
        self.num_envs = num_envs
        self._seat = _check_seat(seat, self.seats)
        self._opponent = find_opponent(opponent, self.terms, num_envs, self.options)
        self._mode = _check_mode(autoreset_mode)
        self.metadata = {
            "name": metadata_name(self.game),
            "autoreset_mode": self._mode,
            "render_modes": [],
        }
        self.single_observation_space = self.terms.observation_space()
        self.single_action_space = spaces.Discrete(self.terms.action_count)
        self._everywhere = np.arange(num_envs)
        # by the mask of actors
        self._lowest = np.array([NOBODY, *(lowest_seat(mask) for mask in range(1, 1 << self.seats))])
        self._learner = np.zeros(num_envs, np.int64)  # the learner's seat at each table
        self._draws = np.zeros(num_envs, np.int64)  # the seed of the opponents' last move at each table
        self._over = np.zeros(num_envs, np.bool_)  # where the next step is to deal
        self._seed: int | None = None
        self._turns = 0  # how many resets went on from the one before: so far the seats have rotated
        self._is_ready = False  # it is for the learner to act everywhere else

    # Made when they are asked for: their bounds take four times the memory of all masks.

    @cached_property
    def observation_space(self) -> Space:  # type: ignore[override]
        return batch_space(self.single_observation_space, self.num_envs)

    @cached_property
    def action_space(self) -> Space:  # type: ignore[override]
        return batch_space(self.single_action_space, self.num_envs)

    # What can be done

    def reset(self, *, seed: int | None = None, options: Info | None = None) -> tuple[ShownArrays, Info]:
        """Deals anew at every table; without a seed the deals follow from those before."""
        if options:
            raise BadOption(
                f"reset() takes no options, not even {', '.join(options)}. Those of the game are given when the "
                "environment is made."
            )
        number = self._following_seed() if seed is None else check_seed(seed)
        self._batch.reset(number)
        super().reset(seed=number)
        self._seed, self._turns = number, self._turns + 1 if seed is None else 0
        self._is_ready = False
        self._over[:] = False
        self._learner[:] = (self._everywhere + self._turns) % self.seats if self._seat == ROTATE else self._seat
        matches = self._batch.snapshot()
        self._begin(matches, self._everywhere)
        return self._show(matches)

    def step(self, actions: Actions) -> tuple[ShownArrays, Array, Array, Array, Info]:
        """The learner's move at every table, and what the others answer. A move that is not legal
        is refused, and then nothing has changed."""
        if not self._is_ready:
            raise NotAnActor(
                "No matches are waiting for the learner: they have not been dealt yet, or a bot has failed. Call "
                "reset() first."
            )
        moves, moved, over = self._check_moves(actions), np.flatnonzero(~self._over), np.flatnonzero(self._over)
        made = self._made(moves, moved)
        self._batch.step(moves)
        self._is_ready = False  # until all have answered: what an error leaves halfway is not played on
        self._opponent.follow(moved, self._learner[moved], made)
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

    def view(self, table: int) -> AnyView:
        """What the learner sees at a table."""
        match = Match.standing(self.game, self.seats, self._batch.states[table : table + 1].tobytes())
        return match.view(int(self._learner[table]))

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
        moves, waiting = moves.astype(np.int64), np.flatnonzero(~self._over)
        moves[waiting] = self.terms.moves_of(moves[waiting], self._batch, waiting)
        if (moves[waiting] == NO_MOVE).any():
            raise IllegalMove(
                f"The learner moves at every table, and {NO_MOVE} is no move. Choose from action_mask. No match has "
                "moved."
            )
        moves[self._over] = NO_MOVE
        return moves

    def _made(self, moves: Array, tables: Array) -> Array:
        """The learner's moves at some tables, by the numbers of the rules."""
        made = moves[tables]
        if self.terms.turned:
            self._ready.rotate_moves(self._batch.states[tables], self._learner[tables], made, back=True)
        return made

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
        seen = np.zeros((len(tables), self.terms.row_size), np.int8)
        self._ready.scores(states, points, ranks)
        self._ready.observe(states, seats, seen, self.terms.encoding)
        scores[tables], places[tables] = points, ranks
        by_table[tables] = self.terms.pay(states)[np.arange(len(tables)), seats]
        news: ShownArrays = {"places": places, "scores": scores}
        news |= {f"_{name}": ended for name in news}
        if self._mode is AutoresetMode.NEXT_STEP:
            return by_table, ended, news
        looks = np.full(self.num_envs, None, object)
        for table, row in zip(tables.tolist(), seen, strict=True):
            looks[table] = self.terms.last_look(row)
        news |= {"seat": np.where(ended, self._learner, 0), "_seat": ended}
        return by_table, ended, {"final_obs": looks, "_final_obs": ended, "final_info": news, "_final_info": ended}

    def _show(self, matches: Snapshot) -> tuple[ShownArrays, Info]:
        """What the learner knows and may do now."""
        self._batch.restore(matches)
        self._is_ready = True
        observations = self.terms.look(self._batch, self._learner)
        infos = {
            "action_mask": observations["action_mask"],
            "legal_moves": self.terms.legal_lists(self._batch),
            "seat": self._learner.copy(),
        }
        return observations, infos | {f"_{name}": np.ones(self.num_envs, np.bool_) for name in infos}

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


class TableEnv(gymnasium.Env[ShownArrays, Untyped]):
    """One table: a vector of one which waits for `reset` after each match. `how` is as for vectors."""

    metadata = {"render_modes": list(picture.MODES), "render_fps": 2}  # noqa: RUF012

    def __init__(
        self, game: str | Game, seats: int | None = None, *, render_mode: str | None = None, **how: Untyped
    ) -> None:
        self._tables = VectorTable(game, 1, seats, autoreset_mode=AutoresetMode.NEXT_STEP, threads=1, **how)
        self.observation_space = self._tables.single_observation_space
        self.action_space = self._tables.single_action_space
        self.metadata = {**self.metadata, "name": metadata_name(self._tables.game)}
        self.render_mode = picture.check_mode(render_mode)
        self._mask: Array | None = None
        self._is_over = False

    def reset(self, *, seed: int | None = None, options: Info | None = None) -> tuple[ShownArrays, Info]:
        """Deals a match; without a seed the next one follows from the last."""
        looks, infos = self._tables.reset(seed=seed, options=options)
        super().reset(seed=seed)
        self._is_over = False
        return self._show(looks, infos)

    def step(self, action: Untyped) -> tuple[ShownArrays, float, bool, bool, Info]:
        if self._is_over:
            raise MatchOver("The match is over. reset() deals another.")
        looks, gained, ended, _, infos = self._tables.step([action])
        self._is_over = bool(ended[0])
        look, info = self._show(looks, infos)
        return look, float(gained[0]), self._is_over, False, info

    def action_masks(self) -> Array:
        """The mask by the name that sb3-contrib asks for."""
        if self._mask is None:
            raise NotAnActor("No match has been dealt yet. Call reset() first.")
        return self._mask.astype(np.bool_)

    def render(self) -> Untyped:
        """The table as the learner sees it."""
        return picture.show(self._tables.game, self._tables.view(0), self.render_mode)

    def close(self) -> None:
        self._tables.close()

    def _show(self, looks: ShownArrays, infos: Info) -> tuple[ShownArrays, Info]:
        self._mask = looks["action_mask"][0]
        if self.render_mode == "human":  # people see every position without asking
            self.render()
        return (
            {name: rows[0] for name, rows in looks.items()},
            {name: rows[0] for name, rows in infos.items() if not name.startswith("_")},
        )


vector = VectorTable

for installed in installed_games():
    for name in (versioned_id(installed), f"samovar/{installed.id}"):
        if name not in gymnasium.registry:
            gymnasium.register(
                name,
                entry_point=f"{__name__}:TableEnv",
                vector_entry_point=f"{__name__}:vector",
                kwargs={"game": installed.id},
            )
