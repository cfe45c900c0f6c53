"""Every game as a PettingZoo environment (AEC): `env("babuschka", seats=2)`; `parallel_env` is the
same for those who step with a dict. Importing this module also makes
`pettingzoo.make("aec", "samovar/Babuschka-v0")` known, where PettingZoo has a registry (1.27); the
number is the game's `environment_version`, and `samovar/babuschka` is whichever is installed.

Seats are the agents `seat_0`, `seat_1` and so on. An observation is a dict of int8 arrays:
`observation`, what the seat knows, laid out as `Game.observation` says, and `action_mask`, a 1 for
every legal move number; how else it can be is in `table.py` (`encoding`, `actions`, `turned`,
`rewards`, `illegal`). They are the caller's to keep: each call makes new ones. Where choices are
simultaneous, the seats act one after another, the lowest first, and none sees what another has
committed. The mask of a seat that may not act is all zeros. Once the match is over it is all ones,
because PettingZoo asks for masks that are never empty; only None is left to step with.

Rewards come at the end, by place unless `rewards` says otherwise. `infos` of the agent that is to
act has `legal_moves`, and at the end of a match all have `scores` and `places` of all seats; until
then these are zeros, and the lists of others are empty. Matches end by their rules; with
`max_cycles` one is cut off, without rewards, when a seat would have to act for the `max_cycles +
1`st time.

There are no wrappers around it: what PettingZoo's would check is checked here, by errors that name
the remedy, and a refused step changes nothing. Its `TerminateIllegalWrapper`, by which a wrong
move loses, can be put around it.
"""

from __future__ import annotations

import secrets
from typing import TypeAlias

import numpy as np

from samovar.engine.arrays import Array
from samovar.engine.chance import derive_seed
from samovar.engine.contract import Game, Options
from samovar.engine.match import Match
from samovar.engine.ways.stand_ins import NO_MOVE
from samovar.envs import Info, Untyped, installed_games, metadata_name, need, picture, versioned_id
from samovar.envs.table import Eyes, ShownArrays, Terms
from samovar.errors import BadOption, MatchOver, NotAnActor, UnknownSeat

need("pettingzoo")
import pettingzoo  # noqa: E402
from gymnasium import spaces  # noqa: E402
from pettingzoo import AECEnv  # noqa: E402
from pettingzoo.utils.conversions import turn_based_aec_to_parallel_wrapper  # noqa: E402

INT8 = np.dtype(np.int8)
AgentSpace: TypeAlias = spaces.Space[Untyped]


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
        **options: Untyped,  # those of the game, and the words of `table.py`
    ) -> None:
        super().__init__()
        self.terms, own_options = Terms.among(options, game, seats)
        self.game, self.seats = self.terms.game, self.terms.seats
        self.options: Options = self.game.check_options(self.seats, own_options)
        self.render_mode = picture.check_mode(render_mode)
        self.max_cycles = _check_max_cycles(max_cycles)
        self.possible_agents = [f"seat_{seat}" for seat in range(self.seats)]
        self._seat_of = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self.viewer = None if viewer is None else self._seat_of[self._check_agent(f"seat_{viewer}")]
        self.metadata = {
            "name": metadata_name(self.game),
            "render_modes": list(picture.MODES),
            "render_fps": 2,
            "is_parallelizable": False,  # what a seat may do depends on what those before it did
        }
        self.agents = list(self.possible_agents)
        self.observation_spaces = {agent: self.terms.observation_space() for agent in self.agents}
        self.action_spaces = {agent: Moves(self.terms.action_count) for agent in self.agents}
        self.state_space = self.terms.known_space(self.seats * self.terms.row_size)
        self._seed: int | str | None = None
        self._match: Match | None = None
        self.agent_selection = self.agents[0]
        self.terminations: dict[str, bool] = {}  # has those who are at the table
        self._eyes = Eyes(self.terms)

    # What is so

    @property
    def match(self) -> Match:
        return self._check_dealt()

    def observation_space(self, agent: str) -> AgentSpace:
        return self.observation_spaces[self._check_agent(agent)]

    def action_space(self, agent: str) -> AgentSpace:
        return self.action_spaces[self._check_agent(agent)]

    def observe(self, agent: str) -> ShownArrays:
        seat = self._seat_of[self._check_agent(agent)]
        look = self._eyes.look(self.match.states, seat)
        if self.terminations.get(agent, True) or self.truncations[agent]:
            look["action_mask"].fill(1)
        return look

    def state(self) -> Array:
        """What all seats know together: their observations one after another."""
        return np.concatenate([self.observe(agent)["observation"] for agent in self.possible_agents])

    def last(self, observe: bool = True) -> tuple[ShownArrays | None, float, bool, bool, Info]:
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
        self.infos: dict[str, Info] = {agent: self._told() for agent in self.agents}
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
        match, seat = self.match, self._seat_of[agent]
        match.play(seat, self._eyes.move(match.states, seat, action))
        self._acted[agent] += 1
        self.infos[agent] = self._told()
        self._pass_on(match)

    def agent_iter(self, max_iter: int = 2**63) -> Untyped:
        self._check_dealt()
        return super().agent_iter(max_iter)

    def render(self) -> str | picture.Pixels | None:
        """None, the printed table (`human`); a text (`ansi`); a picture as a text (`svg`) or as
        numbers from 0 to 255, rows by columns by red, green and blue (`rgb_array`)."""
        return picture.show(self.game, self.match.view(self.viewer), self.render_mode)

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
            self.infos[agent]["legal_moves"] = self._eyes.legal_list(match.states, match.actors[0])
            if self._acted[agent] == self.max_cycles:
                self.cut_off()
        if self.render_mode == "human":  # people see every position without asking, as in PettingZoo's own environments
            self.render()

    def _told(self, **results: tuple[int, ...]) -> Info:
        """What `infos` tell an agent that has nothing to do: the same names and shapes as ever."""
        nothing = (0,) * self.seats
        moves = np.full(self.game.max_legal, NO_MOVE, np.int32)
        return {"legal_moves": moves, "scores": nothing, "places": nothing, **results}

    def _end(self) -> None:
        """The match has ended by its rules: all agents are told how, and leave one after
        another."""
        results = {"scores": self.match.scores, "places": self.match.places}
        for agent, reward in zip(self.agents, self.terms.pay(self.match.states)[0].tolist(), strict=True):
            self.rewards[agent] = self._cumulative_rewards[agent] = reward
            self.terminations[agent] = True
            self.infos[agent] = self._told(**results)
        self.agent_selection = self.agents[0]

    def cut_off(self) -> None:
        """The match ends here, and nobody has won."""
        self.truncations = dict.fromkeys(self.agents, True)
        self.infos = {agent: self._told() for agent in self.agents}
        self.agent_selection = self.agents[0]

    # A copy or a pickle is made of the deal and the moves: what is compiled stays in its process.

    def __getstate__(self) -> Info:
        kept = {name: value for name, value in self.__dict__.items() if name not in ("_match", "_eyes")}
        return kept | {"history": self._match and self._match.history}

    def __setstate__(self, kept: Info) -> None:
        history = kept.pop("history")
        self.__dict__.update(kept | {"_match": None})
        self._eyes = Eyes(self.terms)
        if history is not None:
            self._match = Match(self.game, self.seats, self._seed, **self.options)
            for seat, move in history:
                self._match.play(seat, move)


class ParallelTable(turn_based_aec_to_parallel_wrapper):  # type: ignore[misc]
    """The same for those who step with a dict of actions. Only one agent moves in each step, the one
    whose `infos` say `active`; the actions of the others are not looked at, so in their masks any
    will do: policies choose for all agents at once, and cannot choose from nothing. `max_cycles`
    counts steps. A deal that leaves nobody anything to do is passed over.

    PettingZoo's `aec_to_parallel` is no help: it would ask all seats for moves before the first of
    them has moved.
    """

    def __init__(self, table: Untyped, max_cycles: int | None) -> None:
        super().__init__(table)
        self.max_cycles = _check_max_cycles(max_cycles)
        self._cycles = 0

    def reset(
        self, seed: int | None = None, options: Info | None = None
    ) -> tuple[dict[str, ShownArrays], dict[str, Info]]:
        self.aec_env.reset(seed=seed, options=options)
        while self._is_over():
            self.aec_env.reset()
        self.agents, self._cycles = list(self.aec_env.agents), 0
        return self._looks(), self._infos()

    def step(self, actions: dict[str, Untyped]) -> Untyped:
        table = self.aec_env
        if not self.agents:
            raise MatchOver("The match is over. reset() deals another.")
        if table.agent_selection not in actions:
            raise NotAnActor(f"{table.agent_selection} is to act, and no action of it was given. Nobody has moved.")
        table.step(actions[table.agent_selection])
        self._cycles += 1
        if not self._is_over() and self._cycles == self.max_cycles:
            self.unwrapped.cut_off()
        looks, infos = self._looks(), self._infos()
        results = dict(table.rewards), dict(table.terminations), dict(table.truncations)
        while table.agents and self._is_over():
            table.step(None)
        self.agents = list(table.agents)
        return looks, *results, infos

    def _is_over(self) -> bool:
        agent = self.aec_env.agent_selection
        return bool(self.aec_env.terminations[agent] or self.aec_env.truncations[agent])

    def _looks(self) -> dict[str, ShownArrays]:
        looks = {agent: self.aec_env.observe(agent) for agent in self.aec_env.agents}
        for agent, look in looks.items():
            if agent != self.aec_env.agent_selection:
                look["action_mask"].fill(1)
        return looks

    def _infos(self) -> dict[str, Info]:
        """The same names and shapes for every agent and moment."""
        active = "" if self._is_over() else self.aec_env.agent_selection
        infos = self.aec_env.infos
        return {agent: {**infos[agent], "active": agent == active} for agent in self.aec_env.agents}


# The names that PettingZoo's modules have.
env = raw_env = MatchEnv


def parallel_env(
    game: Untyped, seats: int | None = None, *, max_cycles: int | None = None, **options: Untyped
) -> ParallelTable:
    """A `ParallelTable` of a game, or around an environment that was made before."""
    return ParallelTable(game if isinstance(game, AECEnv) else MatchEnv(game, seats, **options), max_cycles)


def _check_max_cycles(count: int | None) -> int | None:
    if count is not None and (isinstance(count, bool) or not isinstance(count, int) or count < 1):
        raise BadOption(f"max_cycles cannot be {count!r}. It is None or a whole number from 1.")
    return count


def register(game: Game) -> None:
    """Makes a game known to PettingZoo's `make`. Earlier ones have no registry."""
    for name in (versioned_id(game), f"samovar/{game.id}"):
        for kind, entry, known in (("aec", "env", "aec_registry"), ("parallel", "parallel_env", "parallel_registry")):
            if name not in getattr(pettingzoo, known, {name}):
                pettingzoo.register(kind, name, f"{__name__}:{entry}", kwargs={"game": game.id})


for installed in installed_games():
    register(installed)
