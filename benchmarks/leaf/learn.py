"""Learns a network from positions, and writes it as whole numbers (needs PyTorch; uses a GPU if there is one).

    python benchmarks/leaf/learn.py DATA.npz NETWORK.npz [--width 64] [--epochs 10] [--mix 0.3] [--alone]

It learns who leaves whom behind, and with the weight `--mix` what the search expected. `--alone`: without the game's
own evaluation beside it. A tenth of the matches is kept apart; the epoch that tells them best is written.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import Module, Parameter
from torch.nn.functional import binary_cross_entropy, binary_cross_entropy_with_logits, embedding_bag

from leaf import HIDDEN, SCALE, SEATS, TRAITS
from samovar.games.matryoshka.heuristics import STAGES, STEPS

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
BATCH = 16384 if DEVICE == "cuda" else 4096
RATE = 3e-3
WHOLE_FROM = 0.3  # of the time: from then on it learns with weights that are whole
TOP = 4 - 1 / SCALE
LARGEST = 127  # of a weight in 8 bits
OTHERS = ~torch.eye(SEATS, dtype=torch.bool, device=DEVICE)


class Positions:
    def __init__(self, path: str) -> None:
        with np.load(path) as data:
            traits, places, stage, chooser, by_hand, expected, match = (
                torch.from_numpy(data[name].astype(kind)).to(DEVICE)
                for name, kind in (
                    ("traits", np.int32),
                    ("places", np.float32),
                    ("stage", np.int64),
                    ("chooser", np.int64),
                    ("by_hand", np.float32),
                    ("expected", np.float32),
                    ("match", np.int64),
                )
            )
        self.traits, self.stage, self.chooser, self.by_hand = traits, stage, chooser, by_hand / STEPS
        self.ahead = ((places[:, None, :] - places[:, :, None]).sign() / 2 + 0.5)[:, OTHERS]
        self.expected = expected.clamp(0.002, 0.998)
        self.apart, self.learned = (torch.nonzero(chosen)[:, 0] for chosen in (match % 10 == 7, match % 10 != 7))

    def losses(self, strengths: Tensor, at: Tensor) -> tuple[Tensor, Tensor]:
        """Of results, and of what the search expected."""
        ahead = strengths[:, :, None] - strengths[:, None, :]
        shares = torch.sigmoid(ahead).masked_fill(~OTHERS, 0).sum(2) / (SEATS - 1)
        share = shares.gather(1, self.chooser[at][:, None])[:, 0].clamp(1e-4, 1 - 1e-4)
        results = binary_cross_entropy_with_logits(ahead[:, OTHERS], self.ahead[at])
        return results, binary_cross_entropy(share, self.expected[at])


def whole(weights: Tensor, is_whole: bool) -> Tensor:
    """As they will be in the file; what is learned passes through."""
    return weights + (torch.round(weights * SCALE) / SCALE - weights).detach() if is_whole else weights


def of_stage(numbers: Tensor, stage: Tensor, size: int) -> Tensor:
    return numbers.view(-1, STAGES, size).gather(1, stage[:, None, None].expand(-1, 1, size))[:, 0]


class Leaf(Module):
    def __init__(self, width: int, beside: bool) -> None:
        super().__init__()
        self.beside = beside
        self.into = Parameter(torch.randn(TRAITS, width) * 0.05)
        self.into_bias = Parameter(torch.full((width,), 0.2))
        self.middle = Parameter((torch.randn(width, HIDDEN) / width**0.5).repeat(STAGES, 1, 1))
        self.middle_bias = Parameter(torch.full((STAGES, HIDDEN), 0.1))
        self.out = Parameter((torch.randn(HIDDEN, SEATS) * 0.05).repeat(STAGES, 1, 1))
        self.out_bias = Parameter(torch.zeros(STAGES, SEATS))

    def strengths(self, positions: Positions, at: Tensor, is_whole: bool) -> Tensor:
        into, middle, out = (whole(weights, is_whole) for weights in (self.into, self.middle, self.out))
        rows = torch.cat([into, torch.zeros_like(into[:1])])  # the last is that of no trait
        first = (embedding_bag(positions.traits[at], rows, mode="sum") + self.into_bias).clamp(0, TOP)
        stage = positions.stage[at]
        second = first @ middle.transpose(0, 1).flatten(1) + self.middle_bias.flatten()
        second = of_stage(second, stage, HIDDEN).clamp(0, TOP)
        found = of_stage(second @ out.transpose(0, 1).flatten(1) + self.out_bias.flatten(), stage, SEATS)
        return found + positions.by_hand[at] if self.beside else found

    def limit(self) -> None:
        with torch.no_grad():
            self.into.clamp_(-LARGEST / SCALE, LARGEST / SCALE)
            self.middle.clamp_(-LARGEST / SCALE, LARGEST / SCALE)

    def save(self, path: str) -> None:
        def numbers(weights: Tensor, scale: int, kind: type = np.int32) -> Any:
            return torch.round(weights.detach() * scale).cpu().numpy().astype(kind)

        net: dict[str, Any] = {
            "in": numbers(self.into, SCALE, np.int8),
            "in_bias": numbers(self.into_bias, SCALE),
            "middle": numbers(self.middle, SCALE, np.int8),
            "middle_bias": numbers(self.middle_bias, SCALE**2),
            "out": numbers(self.out, SCALE),
            "out_bias": numbers(self.out_bias, SCALE**2),
            "beside": np.int8(self.beside),
        }
        np.savez_compressed(path, **net)


def told_apart(leaf: Leaf, positions: Positions) -> tuple[float, float]:
    """The losses on matches that it does not learn from."""
    sums = torch.zeros(2)
    with torch.no_grad():
        for at in positions.apart.split(BATCH):
            results, expected = positions.losses(leaf.strengths(positions, at, True), at)
            sums += torch.tensor([float(results), float(expected)]) * len(at)
    results, expected = (sums / len(positions.apart)).tolist()
    return results, expected


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data")
    parser.add_argument("network")
    parser.add_argument("--width", type=int, default=64, help="a multiple of 4")
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--mix", type=float, default=0.3)
    parser.add_argument("--alone", action="store_true")
    asked = parser.parse_args()
    torch.manual_seed(1)
    positions = Positions(asked.data)
    apart = positions.apart
    by_hand = float(positions.losses(positions.by_hand[apart], apart)[0])
    print(f"{len(positions.learned)} positions to learn from; results by hand {by_hand:.4f}", flush=True)
    leaf = Leaf(asked.width, not asked.alone).to(DEVICE)
    optimiser = torch.optim.AdamW(leaf.parameters(), lr=RATE, weight_decay=0.05)
    steps = asked.epochs * -(-len(positions.learned) // BATCH)
    began, step, lowest = time.perf_counter(), 0, float("inf")
    for epoch in range(asked.epochs):
        for at in positions.learned[torch.randperm(len(positions.learned), device=DEVICE)].split(BATCH):
            spent = step / steps
            for group in optimiser.param_groups:
                group["lr"] = RATE * max(0.01, min(1, 1.3 * (1 - spent)))
            results, expected = positions.losses(leaf.strengths(positions, at, spent > WHOLE_FROM), at)
            loss = (1 - asked.mix) * results + asked.mix * expected
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            leaf.limit()
            step += 1
        of_results, of_expected = told_apart(leaf, positions)
        told = f"epoch {epoch + 1}: results {of_results:.4f}, expected {of_expected:.4f}"
        if (goal := (1 - asked.mix) * of_results + asked.mix * of_expected) < lowest:
            lowest = goal
            leaf.save(asked.network)
            told += ", written"
        print(f"{told}, {time.perf_counter() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main()
