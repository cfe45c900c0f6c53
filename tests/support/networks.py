"""Networks that have learned nothing, for testing whatever reads one, and the same arithmetic in floats."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np

from samovar.bots.network_file import Network, NetworkCard, is_matrix, is_rows, quantise, weight_shapes
from samovar.bots.network_rules import ONE, SHIFT
from samovar.engine.arrays import Array, Floats, Int64s
from samovar.engine.contract import Game
from samovar.engine.match import Match
from samovar.engine.tokens import COUNT, MARK, NAME, POINT, Key
from samovar.engine.ways.plain import plain_state

HIGHEST = 16383 / 256
AROUND = ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1))  # rows and columns


def random_weights(game: Game, width: int, layers: int, seed: int, *, large: float = 1.0) -> dict[str, Floats]:
    """Weights by which numbers stay about as large as they are, or become larger."""
    draw = np.random.default_rng(seed)
    weights = {}
    for name, shape in weight_shapes(game.plan, width, layers).items():
        usual = large / sqrt(shape[0]) if is_matrix(name) else 0.5 if is_rows(name) else 0.1
        weights[name] = draw.normal(0, usual, shape)
    return weights


def random_network(game: Game, width: int = 8, layers: int = 2, seed: int = 1, *, large: float = 1.0) -> Network:
    return quantise(
        game, random_weights(game, width, layers, seed, large=large), NetworkCard(command="none", seed=str(seed))
    )


class FloatNetwork:
    """The same network in NumPy's floats, written from the description of its arithmetic: what whole numbers are
    compared with."""

    def __init__(self, network: Network, kind: type[np.floating[Any]] = np.float64) -> None:
        self.plan, self.layers, self._kind = network.game.plan, network.layers, kind
        self.weights = {name: values.astype(kind) for name, values in weights_of(network).items()}
        self._x: Floats = np.zeros(0)

    def look(self, seen: Array) -> Floats:
        """What is said of the table, by an observation with its relations."""
        h = self.weights["own"].copy()
        mode, target, base, first, values = self.plan.seen
        above = np.where(mode == COUNT, np.clip(seen - first, 0, values - 1), seen - first)
        is_there = (above >= 0) & (above < values)
        is_mark = is_there & (mode == MARK)
        is_row = is_there & ((mode == NAME) | (mode == COUNT))
        np.add.at(h, target[is_row], self.weights["embed"][(base + above)[is_row]])
        np.add.at(h, (target + above)[is_mark], self.weights["embed"][base[is_mark]])
        alike = [[self._alike(key, seen) for key in self.plan.keys_of(g)] for g in range(len(self.plan.groups))]
        for layer in range(self.layers):
            h = h + self._layer(layer, cut(h), alike)
        self._x = cut(h)
        return self._through("value", self._whole(self._x))

    def scores(self, told: Array) -> Floats:
        """Of moves told as parts, a row each, after the look."""
        weights = self.weights
        z = np.tile(self._x[0] @ weights["move.in"] + weights["move.in_bias"], (len(told), 1))
        for column, (mode, target, base, first, values) in zip(told.T, self.plan.factors.T.tolist(), strict=True):
            above = column - first
            inside = np.clip(above, 0, values - 1)
            is_there = ((above >= 0) & (above < values))[:, None]
            if mode == COUNT:
                z += weights["move.embed"][base + inside]
            elif mode == NAME:
                z += weights["move.embed"][base + inside] * is_there
            elif mode == POINT:
                z += (self._x[target + inside] @ weights[f"move.role.{base}"]) * is_there
            elif inside.any():
                z += np.outer(inside, self._x[target] @ weights[f"move.role.{base}"])
        scores: Floats = cut(z) @ weights["move.out"]
        return scores

    def _things(self, group: int) -> slice:
        return slice(self.plan.starts[group], self.plan.starts[group] + self.plan.groups[group].size)

    def _alike(self, key: Key, seen: Array) -> Floats:
        size = self.plan.groups[key.group].size
        numbers = np.array(key.numbers or seen[key.first_raw : key.first_raw + size]) - key.first
        is_known = (numbers >= 0) & (numbers < key.values)
        alike: Floats = ((numbers[:, None] == numbers) & is_known).astype(self._kind)
        return alike

    def _whole(self, x: Floats) -> Floats:
        return np.concatenate([x[0], *(x[self._things(g)].mean(0) for g in range(len(self.plan.groups)))])

    def _through(self, name: str, x: Floats) -> Floats:
        half = cut(x @ self.weights[f"{name}.in"] + self.weights[f"{name}.in_bias"])
        out: Floats = half @ self.weights[f"{name}.out"] + self.weights[f"{name}.out_bias"]
        return out

    def _layer(self, layer: int, x: Floats, alike: list[list[Floats]]) -> Floats:
        change = np.empty_like(x)
        change[0] = self._through(f"{layer}.table", self._whole(x))
        for number, group in enumerate(self.plan.groups):
            own = x[self._things(number)]
            near = self._beside(layer, number, own) if group.beside else own
            sums = [neighbours @ own / 4 for neighbours in alike[number]]
            table = np.broadcast_to(x[0], own.shape)
            change[self._things(number)] = self._through(f"{layer}.{number}", np.hstack([near, *sums, table]))
        return change

    def _beside(self, layer: int, number: int, own: Floats) -> Floats:
        high, wide = self.plan.groups[number].shape or (1, len(own))
        board = np.pad(own.reshape(high, wide, -1), ((1, 1), (1, 1), (0, 0)))
        seen = board[1:-1, 1:-1].copy()
        for weights, (down, right) in zip(self.weights[f"{layer}.{number}.beside"], AROUND, strict=True):
            seen += weights * board[1 + down : 1 + down + high, 1 + right : 1 + right + wide]
        return np.clip(seen.reshape(len(own), -1), -HIGHEST, HIGHEST)


def cut(x: Floats) -> Floats:
    return np.clip(x, 0, HIGHEST)


def weights_of(network: Network) -> dict[str, Floats]:
    """What the whole numbers of a network stand for."""
    found = {}
    for name in weight_shapes(network.game.plan, network.width, network.layers):
        values = network.arrays[name].astype(np.float64)
        found[name] = values * (network.arrays[f"{name}.scale"] / 2**SHIFT) if is_matrix(name) else values / ONE
    return found


def seen_by(match: Match, seat: int) -> Int64s:
    """What a network is shown: an observation with its relations."""
    game, seen = match.game, [0] * match.game.longest_row
    game.observe(plain_state(match.states), seat, seen)
    if game.relate:
        game.relate(seen, game.observation_size)
    return np.array(seen[: game.encoding.raw_size], np.int64)


def told(match: Match, seat: int) -> Int64s:
    """The legal moves of a seat as a network is told them, a row each."""
    game, rows = match.game, []
    for move in match.legal(seat):
        parts = [0] * game.factor_encoding.raw_size if game.factor else [move]
        if game.factor:
            game.factor(plain_state(match.states), seat, move, parts)
        rows.append(parts)
    return np.array(rows, np.int64)
