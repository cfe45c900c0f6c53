"""What a mainstream learner makes of the observations: MaskablePPO of sb3-contrib with its default
settings, against `random`.

    python benchmarks/learners.py [GAME ...] [--ways raw planes moves] [--steps 344064] [--seed 1]

It wants an environment of its own: `pip install ".[research]" sb3-contrib`. Three ways to learn
each game:

- `raw`: observations as the game's own numbers, an action for each move number, `MlpPolicy`;
- `planes`: the same with `encoding="planes"` and `turned=True`;
- `moves`: planes too, and an action says which of the legal moves it is. Each of them is told as
  parts, and `MovePolicy` below judges it by these: one small network for all moves, so what is
  learned of one move holds for those like it.

`won` is the share of first places in fresh matches, a shared one counting as its part, with its 95 %
interval; the learner sits at every seat alike. By chance it is 50 % at two seats, 33 % at three.
"""

from __future__ import annotations

import argparse
import time
from math import sqrt
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableMultiInputActorCriticPolicy
from torch import nn

from samovar.envs.sb3 import TableVecEnv

GAMES = ("memoarrrr", "babuschka", "matryoshka", "varvitikud")
WAYS: dict[str, dict[str, Any]] = {
    "raw": {"encoding": "raw"},
    "planes": {"encoding": "planes", "turned": True},
    "moves": {"encoding": "planes", "turned": True, "actions": "legal"},
}
FRESH = 10**9  # the first seed of the matches that count
STEPS = 21 * 8 * 2048  # PPO learns from 2,048 moves at each of 8 tables at once
WIDTH = 64  # of hidden layers, as in the default policies


class ByMoves(nn.Module):
    """Judges each legal move by what the seat knows and by the parts of the move; in place of the
    two networks of the default policy."""

    def __init__(self, known: int, moves: int, parts: int) -> None:
        super().__init__()
        self.known, self.shape = known, (moves, parts)
        self.seen = nn.Sequential(nn.Linear(known, WIDTH), nn.Tanh(), nn.Linear(WIDTH, WIDTH))
        self.move = nn.Linear(parts, WIDTH)
        self.judge = nn.Sequential(nn.Tanh(), nn.Linear(WIDTH, WIDTH), nn.Tanh(), nn.Linear(WIDTH, 1))
        self.value = nn.Sequential(nn.Linear(known, WIDTH), nn.Tanh(), nn.Linear(WIDTH, WIDTH), nn.Tanh())
        self.latent_dim_pi, self.latent_dim_vf = moves, WIDTH

    def forward(self, features: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return self.forward_actor(features), self.forward_critic(features)

    def forward_actor(self, features: torch.Tensor) -> torch.Tensor:
        moves = features[:, : -self.known].reshape(-1, *self.shape)
        judged: torch.Tensor = self.judge(self.move(moves) + self.seen(features[:, -self.known :])[:, None])
        return judged[..., 0]

    def forward_critic(self, features: torch.Tensor) -> torch.Tensor:
        value: torch.Tensor = self.value(features[:, -self.known :])
        return value


class MovePolicy(MaskableMultiInputActorCriticPolicy):  # type: ignore[misc]
    def _build_mlp_extractor(self) -> None:
        moves, parts = self.observation_space["moves"].shape
        self.mlp_extractor = ByMoves(self.observation_space["observation"].shape[0], moves, parts).to(self.device)

    def _build(self, lr_schedule: Any) -> None:
        super()._build(lr_schedule)
        self.action_net = nn.Identity()  # `ByMoves` has said it all
        nn.init.orthogonal_(self.mlp_extractor.judge[-1].weight, gain=0.01)  # as the default policy begins
        self.optimizer = self.optimizer_class(self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs)


def learn(game: str, way: str, args: argparse.Namespace) -> None:
    tables = TableVecEnv(game, args.tables, seat="rotate", **WAYS[way])
    policy = MovePolicy if way == "moves" else "MlpPolicy"
    model = MaskablePPO(policy, tables, seed=args.seed, device=args.device)
    began = time.perf_counter()
    while model.num_timesteps < args.steps:
        more = min(args.steps // args.looks, args.steps - model.num_timesteps)
        model.learn(more, reset_num_timesteps=False)
        shares = play(model, game, way, args.matches)
        won = shares.mean()
        margin = 1.96 * sqrt(won * (1 - won) / len(shares))
        minutes = (time.perf_counter() - began) / 60
        print(
            f"{game:12}{way:8}{model.num_timesteps:9,} steps   won {won:4.0%} +- {margin:.0%} of {len(shares)}   "
            f"{minutes:.1f} min",
            flush=True,
        )


def play(model: MaskablePPO, game: str, way: str, matches: int) -> np.ndarray[Any, Any]:
    """What the learner won of fresh matches, one at each of so many tables."""
    tables = TableVecEnv(game, matches, seat="rotate", **WAYS[way])
    tables.seed(FRESH)
    seen = tables.reset()
    shares = np.full(matches, -1.0)
    while (shares < 0).any():
        actions, _ = model.predict(seen, action_masks=tables.action_masks(), deterministic=True)
        seen, _, ended, infos = tables.step(actions)
        for table in np.flatnonzero(ended & (shares < 0)).tolist():
            places = infos[table]["places"]
            shares[table] = (places[table % len(places)] == 1) / places.count(1)
    tables.close()
    return shares


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", default=GAMES)
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=tuple(WAYS))
    parser.add_argument("--steps", type=int, default=STEPS, help="moves of the learner")
    parser.add_argument("--looks", type=int, default=1, help="how often to stop and measure")
    parser.add_argument("--tables", type=int, default=8, help="matches that it learns from at once")
    parser.add_argument("--matches", type=int, default=1000, help="fresh matches to measure with")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--device", default="auto", help="where the network is: cpu, cuda, or auto")
    args = parser.parse_args()
    torch.set_num_threads(1)
    for game in args.games:
        for way in args.ways:
            learn(game, way, args)


if __name__ == "__main__":
    main()
