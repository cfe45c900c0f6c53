"""The matches that are learned from: a `Batch`, and tensors that look into its arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import numpy as np
import torch
from torch import Tensor

from samovar.engine.arrays import Array
from samovar.engine.batch import Batch, Snapshot
from samovar.engine.contract import Game, Options
from samovar.engine.kinds import PLANES_OF_KINDS, RAW, Part
from samovar.engine.tokens import kind_of
from samovar.engine.ways.stand_ins import NO_MOVE

KEPT = ("states", "seeds", "made")
STAGGER = 64  # steps over which matches begin one after another


@cache
def with_kinds(game: Game) -> Game:
    """The same game; where it does not say of what kind its numbers are, the usual is taken for it."""
    if not game.encoding.has_unnamed and not game.factor_encoding.has_unnamed:
        return game

    def named(parts: tuple[Part, ...]) -> tuple[Part, ...]:
        return tuple(replace(part, kind=kind_of(part)) for part in parts)

    return replace(
        game, observation=named(game.observation), relations=named(game.relations), factors=named(game.factors)
    )


def make_batch(
    game: Game, matches: int, variants: Sequence[Options], seed: int, device: str = "cpu", *, restart: bool = True
) -> Batch:
    """As networks see matches: observations as planes, moves told as parts in raw numbers."""
    return Batch(
        with_kinds(game),
        matches,
        seed=seed,
        variants=variants,
        device=device,
        restart=restart,
        encoding=PLANES_OF_KINDS,
        factors=RAW,
    )


class LearnerTables:
    """Tensors by match. They are always up to date, and stay where they are."""

    def __init__(
        self,
        game: Game,
        matches: int,
        variants: Sequence[Options],
        seed: int,
        device: str = "cpu",
        *,
        restart: bool = True,
    ) -> None:
        self.batch = batch = make_batch(game, matches, variants, seed, device, restart=restart)
        self.game, self.size, self.device = batch.game, matches, torch.device(device)
        look = torch.from_dlpack
        self.planes: Tensor = look(batch.observations)
        self.actor, self.rewards, self.ended = look(batch.actor), look(batch.rewards), look(batch.ended)
        self.moves, self.counts = look(batch.legal_moves), look(batch.legal_counts)
        self.moves_in = look(batch.moves_in)
        self.seats = look(batch.seat_counts).long()
        # where the game tells no parts, a move is told by its number
        self.factors: Tensor = look(batch.legal_factors) if self.game.factors else self.moves.unsqueeze(2)

    def send(self, choice: Tensor) -> None:
        """Plays the move at this place of each list of legal moves; nobody waits for it."""
        self.moves_in.copy_(self.moves.gather(1, choice.unsqueeze(1)).squeeze(1))
        self._send()

    def _send(self) -> None:
        stream = torch.cuda.current_stream().cuda_stream if self.device.type == "cuda" else 0
        self.batch.send(stream=stream)

    def settle(self) -> None:
        self.batch.settle()

    def stagger(self) -> None:
        """Random moves at first, so that not all matches are at the same moment ever after."""
        number = torch.arange(self.size, device=self.device) % STAGGER
        for step in range(STAGGER):
            choice = (torch.rand(self.size, device=self.device) * self.counts).long()
            moves = self.moves.gather(1, choice.unsqueeze(1)).squeeze(1)
            self.moves_in.copy_(torch.where(number <= step, moves, NO_MOVE))
            self._send()
        self.settle()

    # To go on later

    def to_dict(self) -> dict[str, Tensor]:
        """Where all matches stand, as bytes."""
        now = self.batch.snapshot()
        return {
            name: torch.from_numpy(np.asarray(getattr(now, name)).view(np.uint8).reshape(-1).copy()) for name in KEPT
        }

    def restore(self, kept: dict[str, Tensor]) -> None:
        now = self.batch.snapshot()
        arrays = {}
        for name in KEPT:
            before = np.asarray(getattr(now, name))
            arrays[name] = kept[name].numpy().view(before.dtype).reshape(before.shape)
        self._put(replace(now, **arrays))

    def put(self, states: Array) -> None:
        """Other matches in place of these."""
        self._put(replace(self.batch.snapshot(), states=states))

    def _put(self, snapshot: Snapshot) -> None:
        self.batch.restore(snapshot)
        assert self.batch.actor is not None  # what the matches look like now is written when somebody asks
