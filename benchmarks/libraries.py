"""The adapters in libraries that are too heavy for the tests: TorchRL, SuperSuit, Tianshou,
Stable-Baselines3. Each is tried in the way its users would, and what went wrong is told.

    python -m venv /tmp/libraries
    /tmp/libraries/bin/pip install -e '.[research]' -e examples/connect_four torch torchrl supersuit tianshou
        stable-baselines3 sb3-contrib
    /tmp/libraries/bin/python benchmarks/libraries.py [LIBRARY ...]
"""

from __future__ import annotations

import sys
import traceback
import warnings
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import gymnasium
import numpy as np
from pettingzoo.utils.wrappers import TerminateIllegalWrapper

import samovar
import samovar.envs.gymnasium
from samovar.envs.pettingzoo import env, parallel_env

STEPS = 60
CHANCE = np.random.default_rng(1)


def any_legal(mask: Any) -> Any:
    return (mask * CHANCE.random(mask.shape)).argmax(-1)


def gymnasium_check() -> str:
    from gymnasium.utils.env_checker import check_env

    for game in samovar.game_ids():
        check_env(gymnasium.make(f"samovar/{game}", illegal="replace").unwrapped, skip_render_check=True)
    return f"check_env passes for {', '.join(samovar.game_ids())}"


# TorchRL


def wrapped(table: Any, **words: Any) -> Any:
    from torchrl.envs.libs.pettingzoo import PettingZooWrapper

    return PettingZooWrapper(table, use_mask=True, **words)


def masked(td: Any) -> Any:
    """A policy that chooses for all agents at once, as their masks allow. TorchRL goes by the name of
    what it takes."""
    import torch
    from torchrl.modules import MaskedCategorical

    for group in [name for name in td.keys() if name.startswith("seat")]:  # noqa: SIM118
        mask = td[group, "action_mask"]
        td[group, "action"] = MaskedCategorical(logits=torch.zeros(mask.shape), mask=mask).sample()
    return td


def torchrl_turns() -> str:
    return tried_in_torchrl(lambda game: env(game))


def torchrl_parallel() -> str:
    return tried_in_torchrl(lambda game: parallel_env(game))


def torchrl_words() -> str:
    return tried_in_torchrl(lambda game: parallel_env(game, encoding="planes", actions="legal", rewards="both"))


def torchrl_losing() -> str:
    return tried_in_torchrl(lambda game: parallel_env(TerminateIllegalWrapper(env(game), illegal_reward=-1)))


def tried_in_torchrl(make: Callable[[str], Any]) -> str:
    from torchrl.envs.utils import check_env_specs

    ends = 0
    for game in samovar.game_ids():
        table = wrapped(make(game))
        check_env_specs(table)
        for policy in (None, masked):
            ends += int(table.rollout(STEPS, policy, break_when_any_done=False)["next", "done"].sum())
    return f"check_env_specs passes for all games, {ends} matches played to the end"


def torchrl_processes() -> str:
    from torchrl.envs import ParallelEnv

    told = []
    for policy, words in ((masked, {}), (None, {"illegal": "replace"})):  # its own random policy knows no masks
        tables = ParallelEnv(2, lambda words=words: wrapped(parallel_env("memoarrrr", **words)))
        told.append(str(tuple(tables.rollout(STEPS, policy, break_when_any_done=False).shape)))
        tables.close()
    return f"ParallelEnv of two processes: {', '.join(told)}"


def torchrl_gymnasium() -> str:
    from torchrl.envs.libs.gym import GymWrapper
    from torchrl.envs.utils import check_env_specs

    table = GymWrapper(gymnasium.make("samovar/memoarrrr", illegal="replace"))
    check_env_specs(table)
    return f"GymWrapper: {tuple(table.rollout(STEPS).shape)}"


# SuperSuit


def supersuit_vectors() -> str:
    import supersuit

    table = supersuit.pettingzoo_env_to_vec_env_v1(parallel_env("memoarrrr", illegal="replace"))
    tables = supersuit.concat_vec_envs_v1(table, 2, base_class="gymnasium")
    looks, _ = tables.reset(seed=1)
    ends = 0
    for _ in range(STEPS):
        looks, _, ended, *_ = tables.step(any_legal(looks["action_mask"]))
        ends += int(np.sum(ended))
    return f"vectors of parallel tables, {ends} ends of agents"


def supersuit_wrappers() -> str:
    import supersuit

    table = supersuit.clip_reward_v0(env("memoarrrr", rewards="margin"))
    table.reset(seed=1)
    for agent in table.agent_iter():
        look, _, terminated, truncated, _ = table.last()
        table.step(None if terminated or truncated else table.action_space(agent).sample(look["action_mask"]))
    return "a match through clip_reward_v0"


def tianshou() -> str:
    from tianshou.env import DummyVectorEnv, PettingZooEnv

    tables = DummyVectorEnv([lambda: PettingZooEnv(env("memoarrrr")) for _ in range(2)])
    looks, _ = tables.reset()
    ends = 0
    for _ in range(STEPS):
        masks = np.array([look["mask"] for look in looks])
        looks, _, terminated, truncated, _ = tables.step(any_legal(masks))
        over = np.flatnonzero(terminated | truncated)
        if len(over):
            looks[over] = tables.reset(over)[0]
            ends += len(over)
    return f"PettingZooEnv in a vector, {ends} ends"


# Stable-Baselines3


def sb3_masks() -> str:
    from sb3_contrib import MaskablePPO
    from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
    from stable_baselines3.common.vec_env import VecMonitor

    from samovar.envs.sb3 import vec_env

    tables = vec_env("memoarrrr", 32, opponent="random", seat="rotate", encoding="planes")
    assert is_masking_supported(tables)
    model = MaskablePPO("MlpPolicy", VecMonitor(tables), n_steps=32, batch_size=256, seed=1, device="cpu")
    model.learn(8192)
    again = vec_env("memoarrrr", 8, opponent=model, encoding="planes")
    again.seed(1)
    seen = again.reset()
    for _ in range(STEPS):
        seen, *_ = again.step(model.predict(seen, action_masks=get_action_masks(again))[0])
    return f"MaskablePPO learned from {model.num_timesteps} moves and played against itself"


def sb3_moves() -> str:
    from sb3_contrib import MaskablePPO

    from samovar.envs.sb3 import vec_env

    tables = vec_env("varvitikud", 8, encoding="planes", actions="legal")
    MaskablePPO("MultiInputPolicy", tables, n_steps=32, batch_size=64, device="cpu").learn(512)
    return f"MaskablePPO with {tables.action_space.n} actions, each told as parts"


def sb3_without_masks() -> str:
    from stable_baselines3 import DQN, PPO
    from stable_baselines3.common.env_checker import check_env

    from samovar.envs.sb3 import vec_env

    check_env(gymnasium.make("samovar/memoarrrr", illegal="replace").unwrapped, warn=False)
    for learner, words in ((PPO, {"n_steps": 32, "batch_size": 64}), (DQN, {"learning_starts": 64})):
        learner("MlpPolicy", vec_env("connect_four", 8, illegal="replace"), device="cpu", **words).learn(512)
    return "check_env passes, PPO and DQN learn"


def sb3_single() -> str:
    from sb3_contrib import MaskablePPO

    table = gymnasium.make("samovar/memoarrrr")
    MaskablePPO("MultiInputPolicy", table, n_steps=64, batch_size=64, device="cpu").learn(128)
    return "MaskablePPO at one table of gymnasium.make"


TRIALS = {
    "gymnasium": (gymnasium_check,),
    "torchrl": (
        torchrl_turns,
        torchrl_parallel,
        torchrl_words,
        torchrl_losing,
        torchrl_processes,
        torchrl_gymnasium,
    ),
    "supersuit": (supersuit_vectors, supersuit_wrappers),
    "tianshou": (tianshou,),
    "stable-baselines3": (sb3_masks, sb3_moves, sb3_without_masks, sb3_single),
}


def main() -> int:
    failed = 0
    warnings.simplefilter("ignore")
    for library in sys.argv[1:] or TRIALS:
        for trial in TRIALS[library]:
            try:
                said = trial()
            except Exception as error:
                failed += 1
                said = f"FAILED: {error!r}"
                traceback.print_exc(limit=-4)
            print(f"{library} {version(library)}  {trial.__name__:20}  {said}", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
