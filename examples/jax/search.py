"""The search of mctx on our Connect Four, against random play; the value of a position is what random play makes of it.

    pip install mctx
    python examples/jax/search.py [--matches 32] [--simulations 32]

A search looks ahead from the whole state, so it is fair only in games without secrets.
"""

from __future__ import annotations

import argparse
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import mctx

import samovar.envs.jax

ENV = samovar.envs.jax.make("connect_four")
LONGEST = 42


def for_seat(rewards: Any, seat: Any) -> Any:
    return jnp.take_along_axis(rewards, jnp.maximum(seat, 0)[:, None], 1)[:, 0]


def rolled_out(state: Any, key: Any) -> Any:
    """What the seat to act gets when all play at random to the end."""

    def turn(carried: Any, key: Any) -> tuple[Any, None]:
        state, points = carried
        state = ENV.step(state, ENV.random_action(key, state))
        return (state, points + state.rewards), None

    first = state, jnp.zeros_like(state.rewards)
    (_, points), _ = jax.lax.scan(turn, first, jax.random.split(key, LONGEST))
    return jnp.where(state.terminated, 0, for_seat(points, state.current_player))


def logits(state: Any) -> Any:
    return jnp.where(state.legal_action_mask, 0.0, -1e9)


def one_move(_: Any, key: Any, action: Any, state: Any) -> tuple[Any, Any]:
    """How mctx asks for the position after a move."""
    after = ENV.step(state, action)
    told = mctx.RecurrentFnOutput(
        reward=for_seat(after.rewards, state.current_player),
        discount=jnp.where(after.terminated, 0.0, -1.0),  # what is good for one seat is bad for the other
        prior_logits=logits(after),
        value=rolled_out(after, key),
    )
    return told, after


@partial(jax.jit, static_argnums=1)
def searched(state: Any, simulations: int, key: Any) -> Any:
    """The best action of each match."""
    root = mctx.RootFnOutput(prior_logits=logits(state), value=rolled_out(state, key), embedding=state)
    wrong = ~state.legal_action_mask
    return mctx.gumbel_muzero_policy((), key, root, one_move, simulations, wrong, max_depth=LONGEST).action


def share_won(matches: int, simulations: int, key: Any) -> float:
    """How often the search wins, ties as halves; it has either seat in half of the matches."""
    state = ENV.init(jax.random.split(key, matches))
    ours = jnp.arange(matches) % 2
    points = jnp.zeros(matches)
    for for_move in jax.random.split(key, LONGEST):
        found, drawn = searched(state, simulations, for_move), ENV.random_action(for_move, state)
        state = ENV.step(state, jnp.where(state.current_player == ours, found, drawn))
        points += for_seat(state.rewards, ours)
    return float((points.mean() + 1) / 2)


def main() -> None:
    asking = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asking.add_argument("--matches", type=int, default=32)
    asking.add_argument("--simulations", type=int, default=32)
    asked = asking.parse_args()
    won = share_won(asked.matches, asked.simulations, jax.random.key(1))
    print(f"{won:.0%} of {asked.matches} matches against random, with {asked.simulations} simulations a move")


if __name__ == "__main__":
    main()
