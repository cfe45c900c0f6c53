"""Every game as a `VecEnv` of Stable-Baselines3: many tables in one process, without a wrapper for
each.

    tables = samovar.envs.sb3.vec_env("memoarrrr", 256, opponent="greedy", seat="rotate")
    model = sb3_contrib.MaskablePPO("MlpPolicy", tables)

It is the vector of `gymnasium.py` and takes what that takes. Masks come the way in which sb3-contrib
asks for them, so an observation is what the seat knows and nothing beside it; with
`actions="legal"` it is a dict, `observation` and `moves`, for `MultiInputPolicy`. A match that ends
is dealt anew at once: `infos` then have `terminal_observation`, `places` and `scores`.

Needs the package stable-baselines3, and sb3-contrib for policies with masks; without masks take
`illegal="replace"`, since such a policy tries any move number.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

import numpy as np

from samovar.engine.arrays import Array
from samovar.engine.contract import Game
from samovar.envs import Info, Untyped, need
from samovar.envs.gymnasium import VectorTable
from samovar.envs.table import ShownArrays

need("stable_baselines3", install="stable-baselines3 sb3-contrib")
from gymnasium import spaces  # noqa: E402
from stable_baselines3.common.vec_env import VecEnv  # noqa: E402

Seen: TypeAlias = Array | ShownArrays
MASKS = "action_masks"


class TableVecEnv(VecEnv):  # type: ignore[misc]
    def __init__(self, game: str | Game, num_envs: int = 1, seats: int | None = None, **how: Untyped) -> None:
        self.tables = VectorTable(game, num_envs, seats, **how)
        known = self.tables.terms.observation_space()
        parts = {name: part for name, part in known.items() if name != "action_mask"}
        self._is_dict = len(parts) > 1
        space = spaces.Dict(parts) if self._is_dict else parts["observation"]
        self.render_mode = None
        super().__init__(num_envs, space, self.tables.single_action_space)
        self._actions: Untyped = None
        self._masks = np.ones((num_envs, self.tables.terms.action_count), np.bool_)

    def reset(self) -> Seen:
        """Deals anew at every table; the seed is that of the last `seed(...)`."""
        looks, infos = self.tables.reset(seed=self._seeds[0])
        self._reset_seeds()
        self._reset_options()
        self.reset_infos = [{"seat": int(seat)} for seat in infos["seat"]]
        return self._show(looks)

    def step_async(self, actions: Untyped) -> None:
        self._actions = actions

    def step_wait(self) -> tuple[Seen, Array, Array, list[Info]]:
        looks, rewards, ended, _, news = self.tables.step(self._actions)
        infos: list[Info] = [{"seat": seat} for seat in news["seat"].tolist()]
        for table in np.flatnonzero(ended).tolist():
            final = news["final_info"]
            infos[table] |= {name: tuple(final[name][table].tolist()) for name in ("places", "scores")}
            infos[table] |= {
                "TimeLimit.truncated": False,
                "terminal_observation": self._known(news["final_obs"][table]),
            }
        return self._show(looks), rewards.astype(np.float32), ended, infos

    def action_masks(self) -> Array:
        """The legal actions at every table."""
        return self._masks

    def close(self) -> None:
        self.tables.close()

    # What Stable-Baselines3 asks of each environment; here they are one.

    def has_attr(self, attr_name: str) -> bool:
        return attr_name == MASKS or hasattr(self.tables, attr_name)

    def get_attr(self, attr_name: str, indices: Untyped = None) -> list[Untyped]:
        if attr_name == "render_mode":
            return [None for _ in self._get_indices(indices)]
        return [getattr(self.tables, attr_name) for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Untyped, indices: Untyped = None) -> None:
        setattr(self.tables, attr_name, value)

    def env_method(
        self, method_name: str, *arguments: Untyped, indices: Untyped = None, **named: Untyped
    ) -> list[Untyped]:
        chosen: Iterable[int] = self._get_indices(indices)
        if method_name == MASKS:
            return [self._masks[table] for table in chosen]
        return [getattr(self.tables, method_name)(*arguments, **named) for _ in chosen]

    def env_is_wrapped(self, wrapper_class: Untyped, indices: Untyped = None) -> list[bool]:
        return [False for _ in self._get_indices(indices)]

    # Inside

    def _show(self, looks: ShownArrays) -> Seen:
        self._masks = looks["action_mask"].view(np.bool_)
        return self._known(looks)

    def _known(self, look: ShownArrays) -> Seen:
        if self._is_dict:
            return {name: rows for name, rows in look.items() if name != "action_mask"}
        return look["observation"]


vec_env = TableVecEnv
