"""Every game as a PettingZoo environment (AEC): `env("babuschka", seats=2)`.

Seats are the agents `seat_0`, `seat_1` and so on. An observation is a dict of two int8 vectors:
`observation`, what the seat knows, laid out as `Game.observation` says, and `action_mask`, a 1 for
every legal move number. They are the caller's to keep: each call makes new ones. Where choices are
simultaneous, the seats act one after another, the lowest first, and none sees what another has
committed. The mask of a seat that may not act is all zeros. Once the match is over it is all ones,
because PettingZoo asks for masks that are never empty; only None is left to step with.

Rewards come at the end, by place, and add up to zero: (seats placed behind - seats placed ahead) /
(seats - 1). Then `infos` has `scores` and `places` of all seats. Matches end by their rules; with
`max_cycles` one is cut off, without rewards, when a seat would have to act for the `max_cycles +
1`st time.

There are no wrappers around it: what PettingZoo's would check is checked here, by errors that name
the remedy, and a refused step changes nothing.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from operator import index
from typing import Any, TypeAlias

import numpy as np

from samovar.engine.arrays import AnyState, Array, Ints
from samovar.engine.backend import backend
from samovar.engine.chance import derive_seed
from samovar.engine.contract import Game, Options, Value
from samovar.engine.kernels import AnyStates, actors, legal, observe
from samovar.engine.match import Match
from samovar.engine.plain import plain
from samovar.engine.registry import find_game
from samovar.engine.rule import rule
from samovar.envs import Info, Untyped, need, picture, rewards
from samovar.errors import BadOption, MatchOver, NotAnActor, UnknownSeat

need("pettingzoo")
from gymnasium import spaces  # noqa: E402
from pettingzoo import AECEnv  # noqa: E402
from pettingzoo.utils.conversions import turn_based_aec_to_parallel  # noqa: E402

RENDER_MODES = ("human", "ansi", "svg", "rgb_array")
INT8 = np.dtype(np.int8)
Space: TypeAlias = spaces.Space[Any]


@rule
def look(state: AnyState, seat: int, out: Ints, seen: Ints, mask: Ints) -> None:
    """What a seat knows, and its legal moves as ones in a mask of zeros."""
    observe(state, seat, seen)
    if (actors(state) >> seat) & 1:
        for k in range(legal(state, seat, out)):
            mask[out[k]] = 1


def look_alone(states: AnyStates, seat: int, out: Ints, seen: Ints, mask: Ints) -> None:
    """`look` at the only match of an array."""
    look(states[0], seat, out, seen, mask)


class Moves(spaces.Discrete[np.int64]):
    """The move numbers of a game. Draws the same moves as Gymnasium's own space, but faster, as
    some games have thousands of numbers."""

    def sample(self, mask: Array | None = None, probability: Array | None = None) -> np.int64:
        if probability is None and isinstance(mask, np.ndarray) and mask.dtype is INT8 and mask.shape == (self.n,):
            chosen = mask.view(np.bool_).nonzero()[0]
            if len(chosen) and mask[chosen].tobytes().count(1) == len(chosen):
                move: np.int64 = chosen[self.np_random.integers(len(chosen))]
                return move
        return super().sample(mask, probability)  # which also complains of what is wrong with a mask


class MatchEnv(AECEnv):  # type: ignore[misc]
    """One match after another: each `reset` deals the next. `match` is the one at hand: to look at,
    to record, to hand its seats to bots."""

    def __init__(
        self,
        game: str | Game,
        seats: int | None = None,
        *,
        render_mode: str | None = None,
        max_cycles: int | None = None,
        viewer: int | None = None,  # whose eyes `render` sees with; None: a spectator's
        **options: Value,
    ) -> None:
        super().__init__()
        self.game = find_game(game) if isinstance(game, str) else game
        self.seats = self.game.check_seats(self.game.seats[0] if seats is None else seats)
        self.options: Options = self.game.check_options(self.seats, options)
        self.render_mode = _check_render_mode(render_mode)
        self.max_cycles = _check_max_cycles(max_cycles)
        self.possible_agents = [f"seat_{seat}" for seat in range(self.seats)]
        self._seat_of = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self.viewer = None if viewer is None else self._seat_of[self._check_agent(f"seat_{viewer}")]
        self.metadata = {
            "name": f"samovar_{self.game.id}_v{self.game.version}",
            "render_modes": list(RENDER_MODES),
            "render_fps": 2,
            "is_parallelizable": False,  # what a seat may do depends on what those before it did
        }
        self.agents = list(self.possible_agents)
        self.observation_spaces = {agent: self._observation_space() for agent in self.agents}
        self.action_spaces = {agent: Moves(self.game.moves) for agent in self.agents}
        self.state_space = spaces.Box(-128, 127, (self.seats * self.game.observation_size,), np.int8)
        self._seed: int | str | None = None
        self._match: Match | None = None
        self._sizes = self.game.observation_size, self.game.moves
        self.agent_selection = self.agents[0]
        self.terminations: dict[str, bool] = {}  # has those who are at the table
        self._make_ready()

    def _make_ready(self) -> None:
        ready = backend(self.game)
        look = ready.make(look_alone, "look")
        self._look: Callable[..., None] = (lambda *arguments: look(*map(plain, arguments))) if ready.is_plain else look
        self._out = ready.scratch()[1]

    def _observation_space(self) -> spaces.Dict:
        known = spaces.Box(-128, 127, (self.game.observation_size,), np.int8)
        return spaces.Dict({"observation": known, "action_mask": spaces.Box(0, 1, (self.game.moves,), np.int8)})

    # What is so

    @property
    def match(self) -> Match:
        return self._check_dealt()

    def observation_space(self, agent: str) -> Space:
        return self.observation_spaces[self._check_agent(agent)]

    def action_space(self, agent: str) -> Space:
        return self.action_spaces[self._check_agent(agent)]

    def observe(self, agent: str) -> dict[str, Array]:
        seat = self._seat_of[self._check_agent(agent)]
        seen = np.empty(self._sizes[0], INT8)
        mask = np.zeros(self._sizes[1], INT8)
        self._look(self.match.states, seat, self._out, seen, mask)
        if self.terminations.get(agent, True) or self.truncations[agent]:
            mask.fill(1)
        return {"observation": seen, "action_mask": mask}

    def state(self) -> Array:
        """What all seats know together: their observations one after another."""
        return np.concatenate([self.observe(agent)["observation"] for agent in self.possible_agents])

    def last(self, observe: bool = True) -> tuple[dict[str, Array] | None, float, bool, bool, Info]:
        agent = self._check_selected()
        seen = self.observe(agent) if observe else None
        return (
            seen,
            self._cumulative_rewards[agent],
            self.terminations[agent],
            self.truncations[agent],
            self.infos[agent],
        )

    # What can be done

    def reset(self, seed: int | None = None, options: Info | None = None) -> None:
        """Deals a match, that of `Match(..., seed=seed)`; without a seed the next one follows from
        the last. PettingZoo's `options` mean nothing here: those of the game are given when the
        environment is made."""
        if seed is None:
            seed = secrets.randbits(63) if self._seed is None else derive_seed(self._seed, "next deal")
        self._match = match = Match(self.game, self.seats, seed, **self.options)
        self._seed = match.seed
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, Info] = {agent: {} for agent in self.agents}
        self._acted = dict.fromkeys(self.agents, 0)
        self._pass_on(match)

    def step(self, action: Untyped) -> None:
        agent = self._check_selected()
        if self.terminations[agent] or self.truncations[agent]:
            if action is not None:
                raise MatchOver(
                    f"The match is over: step(None) takes {agent} from the table, reset() deals another match."
                )
            self._was_dead_step(None)
            return
        match = self.match
        match.play(self._seat_of[agent], _number(action))
        self._acted[agent] += 1
        self._pass_on(match)

    def agent_iter(self, max_iter: int = 2**63) -> Untyped:
        self._check_dealt()
        return super().agent_iter(max_iter)

    def render(self) -> str | picture.Pixels | None:
        """None, the printed table (`human`); a text (`ansi`); a picture as a text (`svg`) or as
        numbers from 0 to 255, rows by columns by red, green and blue (`rgb_array`)."""
        view = self.match.view(self.viewer)
        if self.render_mode == "ansi":
            return picture.text(self.game, view)
        if self.render_mode == "svg":
            return picture.svg(self.game, view)
        if self.render_mode == "rgb_array":
            return picture.rgb(self.game, view)
        if self.render_mode is None:
            raise BadOption(
                f"Say how to render when the environment is made: render_mode can be {', '.join(RENDER_MODES)}."
            )
        print(picture.text(self.game, view))
        return None

    def close(self) -> None:
        """Nothing is open."""

    # Inside

    def _check_dealt(self) -> Match:
        if self._match is None:
            raise NotAnActor("No match has been dealt yet. Call reset() first.")
        return self._match

    def _check_agent(self, agent: str) -> str:
        if agent not in self._seat_of:
            raise UnknownSeat(f"There is no agent {agent!r} here; there are {', '.join(self.possible_agents)}.")
        return agent

    def _check_selected(self) -> str:
        """Who is to step."""
        agent: str = self.agent_selection
        if agent not in self.terminations:
            self._check_dealt()
            raise MatchOver("The match is over and all agents have left. reset() deals another.")
        return agent

    def _pass_on(self, match: Match) -> None:
        """To the lowest seat that may act; a few deals leave nobody anything to do."""
        if match.over:
            self._end()
        else:
            self.agent_selection = agent = self.possible_agents[match.actors[0]]
            if self._acted[agent] == self.max_cycles:
                self._cut_off()
        if self.render_mode == "human":  # people see every position without asking, as in PettingZoo's own environments
            self.render()

    def _end(self) -> None:
        """The match has ended by its rules: all agents are told how, and leave one after
        another."""
        scores, places = self.match.scores, self.match.places
        for agent, reward in zip(self.agents, rewards(np.array([places]))[0].tolist(), strict=True):
            self.rewards[agent] = self._cumulative_rewards[agent] = reward
            self.terminations[agent] = True
            self.infos[agent] = {"scores": scores, "places": places}
        self.agent_selection = self.agents[0]

    def _cut_off(self) -> None:
        """A seat would act more often than it may: nobody has won."""
        self.truncations = dict.fromkeys(self.agents, True)
        self.agent_selection = self.agents[0]

    # A copy or a pickle is made of the deal and the moves: what is compiled stays in its process.

    def __getstate__(self) -> Info:
        kept = {name: value for name, value in self.__dict__.items() if name not in ("game", "_match", "_look", "_out")}
        return kept | {"game": self.game.id, "history": self._match and self._match.history}

    def __setstate__(self, kept: Info) -> None:
        history = kept.pop("history")
        self.__dict__.update(kept | {"game": find_game(kept["game"]), "_match": None})
        self._make_ready()
        if history is not None:
            self._match = Match(self.game, self.seats, self._seed, **self.options)
            for seat, move in history:
                self._match.play(seat, move)


# The names that PettingZoo's modules have.
env = raw_env = MatchEnv


def parallel_env(*game: Untyped, **options: Untyped) -> Untyped:
    """The same for those who step with a dict of actions: each step takes the action of one agent,
    that in `infos[agent]["active_agent"]`, and looks at no other. PettingZoo's `aec_to_parallel` is
    no help: it would ask all seats for moves before the first of them has moved."""
    return turn_based_aec_to_parallel(MatchEnv(*game, **options))


def _number(action: Untyped) -> Untyped:
    """An action as an int where it is a whole number of any kind; the match complains of the
    rest."""
    try:
        return action if isinstance(action, bool) else index(action)
    except TypeError:
        return action


def _check_render_mode(mode: str | None) -> str | None:
    if mode is not None and mode not in RENDER_MODES:
        raise BadOption(f"render_mode cannot be {mode!r}. It is None or one of {', '.join(RENDER_MODES)}.")
    return mode


def _check_max_cycles(count: int | None) -> int | None:
    if count is not None and (isinstance(count, bool) or not isinstance(count, int) or count < 1):
        raise BadOption(f"max_cycles cannot be {count!r}. It is None or a whole number from 1.")
    return count
