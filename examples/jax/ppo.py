"""Learn Connect Four by playing against oneself, all of it inside one program that JAX compiles.

    python examples/jax/ppo.py [--updates 120] [--matches 256] [--seed 1]

The shape is that of PureJaxRL: matches, network and learning are pure functions, and `lax.scan` repeats them.
The network plays both seats; in half of the matches somebody else has one of them, who plays at random. What is good
for one seat is bad for the other, so the value of a position counts negative for who moved before.
"""

from __future__ import annotations

import argparse
import time
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

import samovar.envs.jax

STEPS = 32  # moves in each match before the network learns
PASSES, PARTS = 4, 8  # over these moves, in so many parts
RATE, CLIP, ENTROPY, LOOK_AHEAD = 2e-3, 0.2, 0.01, 0.9
WIDTH = 128
ENV = samovar.envs.jax.make("connect_four", autoreset=True)


class Moves(NamedTuple):
    """What a match has shown, move by move."""

    seen: Any
    mask: Any
    is_own: Any  # whether the network chose the move
    action: Any
    chance: Any  # its logarithm, when the move was chosen
    value: Any  # what the network expected for the mover
    reward: Any  # of the mover
    ended: Any


def new_network(key: Any) -> list[tuple[Any, Any]]:
    sizes = [ENV.observation_size, WIDTH, WIDTH, ENV.num_actions + 1]
    scales = [2**0.5, 2**0.5, 0.01]
    keys = jax.random.split(key, 3)
    return [
        (scale * jax.nn.initializers.orthogonal()(key, shape), jnp.zeros(shape[1]))
        for key, shape, scale in zip(keys, pairwise(sizes), scales, strict=True)
    ]


def judged(network: Any, seen: Any, mask: Any) -> tuple[Any, Any]:
    """The chance of each move as a logarithm, and the value for the mover."""
    x = seen.astype(jnp.float32)
    for weights, bias in network[:-1]:
        x = jnp.tanh(x @ weights + bias)
    weights, bias = network[-1]
    out = x @ weights + bias
    return jax.nn.log_softmax(jnp.where(mask, out[..., :-1], -1e9)), out[..., -1]


def played(network: Any, carried: Any, key: Any) -> tuple[Any, Moves]:
    """One move in every match."""
    state, number = carried
    seen, mask, mover = state.observation, state.legal_action_mask, state.current_player
    chances, value = judged(network, seen, mask)
    match = jnp.arange(mover.shape[0])
    is_own = (match % 2 == 0) | (mover == match // 2 % 2)
    action = jnp.where(is_own, jax.random.categorical(key, chances), ENV.random_action(key, state))
    state = ENV.step(state, action, key)
    reward = jnp.take_along_axis(state.rewards, mover[:, None], 1)[:, 0]
    chance = jnp.take_along_axis(chances, action[:, None], 1)[:, 0]
    return (state, number + 1), Moves(seen, mask, is_own, action, chance, value, reward, state.terminated)


def gains(moves: Moves, last: Any) -> Any:
    """How much better each move was than expected, told from its end (GAE); the other seat moves next."""

    def back(carried: Any, move: Moves) -> Any:
        gain, value = carried
        goes_on = 1.0 - move.ended
        surprise = move.reward - goes_on * value - move.value
        gain = surprise - LOOK_AHEAD * goes_on * gain
        return (gain, move.value), gain

    return jax.lax.scan(back, (jnp.zeros_like(last), last), moves, reverse=True)[1]


def loss(network: Any, moves: Moves, gain: Any) -> Any:
    chances, value = judged(network, moves.seen, moves.mask)
    chance = jnp.take_along_axis(chances, moves.action[:, None], 1)[:, 0]
    ratio = jnp.exp(chance - moves.chance)
    scaled = (gain - gain.mean()) / (gain.std() + 1e-8)
    policy = -jnp.minimum(ratio * scaled, jnp.clip(ratio, 1 - CLIP, 1 + CLIP) * scaled)
    entropy = -(jnp.exp(chances) * jnp.where(moves.mask, chances, 0)).sum(-1)
    policy = jnp.where(moves.is_own, policy - ENTROPY * entropy, 0).mean()
    return policy + 0.5 * jnp.square(value - gain - moves.value).mean()


def adam(network: Any, slopes: Any, kept: Any) -> tuple[Any, Any]:
    """One step downhill."""
    mean, square, count = kept
    count = count + 1
    mean = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, mean, slopes)
    square = jax.tree.map(lambda s, g: 0.999 * s + 0.001 * g * g, square, slopes)

    def moved(weight: Any, m: Any, s: Any) -> Any:
        return weight - RATE * (m / (1 - 0.9**count)) / (jnp.sqrt(s / (1 - 0.999**count)) + 1e-8)

    return jax.tree.map(moved, network, mean, square), (mean, square, count)


def update(carried: Any, key: Any) -> tuple[Any, Any]:
    """Plays some moves in every match, and learns from them."""
    network, kept, state = carried
    key, shuffling = jax.random.split(key)
    (state, _), moves = jax.lax.scan(partial(played, network), (state, 0), jax.random.split(key, STEPS))
    last = judged(network, state.observation, state.legal_action_mask)[1]
    flat = jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), (moves, gains(moves, last)))

    def learnt(carried: Any, part: Any) -> tuple[Any, Any]:
        network, kept = carried
        wrong, slopes = jax.value_and_grad(loss)(network, *part)
        return adam(network, slopes, kept), wrong

    def passed(carried: Any, key: Any) -> tuple[Any, Any]:
        order = jax.random.permutation(key, flat[1].shape[0])
        parts = jax.tree.map(lambda x: x[order].reshape(PARTS, -1, *x.shape[1:]), flat)
        return jax.lax.scan(learnt, carried, parts)

    (network, kept), wrong = jax.lax.scan(passed, (network, kept), jax.random.split(shuffling, PASSES))
    return (network, kept, state), wrong.mean()


@partial(jax.jit, static_argnums=(1, 2))
def learn(key: Any, updates: int, matches: int) -> Any:
    """A network that has played so much against itself."""
    for_network, for_deals, for_updates = jax.random.split(key, 3)
    network = new_network(for_network)
    nothing = jax.tree.map(jnp.zeros_like, network)
    state = ENV.init(jax.random.split(for_deals, matches))
    carried = network, (nothing, nothing, 0), state
    return jax.lax.scan(update, carried, jax.random.split(for_updates, updates))[0][0]


@partial(jax.jit, static_argnums=2)
def share_won(network: Any, key: Any, matches: int = 1000) -> Any:
    """How often the network beats random play, ties as halves; it has either seat in half of the matches."""
    env = samovar.envs.jax.make("connect_four")
    for_deals, for_moves = jax.random.split(key)
    ours = jnp.arange(matches) % env.num_players

    def turn(carried: Any, key: Any) -> tuple[Any, None]:
        state, points = carried
        chances, _ = judged(network, state.observation, state.legal_action_mask)
        action = jnp.where(state.current_player == ours, chances.argmax(-1), env.random_action(key, state))
        state = env.step(state, action)
        return (state, points + jnp.take_along_axis(state.rewards, ours[:, None], 1)[:, 0]), None

    first = env.init(jax.random.split(for_deals, matches)), jnp.zeros(matches)
    (_, points), _ = jax.lax.scan(turn, first, jax.random.split(for_moves, 42))
    return (points.mean() + 1) / 2


def main() -> None:
    asking = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asking.add_argument("--updates", type=int, default=120)
    asking.add_argument("--matches", type=int, default=256)
    asking.add_argument("--seed", type=int, default=1)
    asked = asking.parse_args()
    start = time.perf_counter()
    network = learn(jax.random.key(asked.seed), asked.updates, asked.matches)
    won = float(share_won(network, jax.random.key(asked.seed + 1)))
    moves = asked.updates * asked.matches * STEPS
    print(f"{won:.1%} against random after {moves:,} moves in {time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
