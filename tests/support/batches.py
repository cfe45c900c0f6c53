"""All that a batch shows, to compare two of them byte for byte."""

from typing import Any

import numpy as np

import samovar

SHOWN = ("observations", "legal_mask", "legal_moves", "legal_counts", "actor", "rewards", "ended")


def shown(batch: samovar.Batch) -> dict[str, bytes]:
    """All that a batch shows. Of the lists of moves, what counts."""
    listed = np.asarray(batch.legal_moves) * (np.arange(batch.game.max_legal) < np.asarray(batch.legal_counts)[:, None])
    return {name: np.asarray(getattr(batch, name)).tobytes() for name in SHOWN if name != "legal_moves"} | {
        "listed": listed.tobytes()
    }


def everything(batch: samovar.Batch) -> list[Any]:
    return [
        shown(batch),
        np.asarray(batch.states).tobytes(),
        np.asarray(batch.seeds).tobytes(),
        np.asarray(batch.made).tobytes(),
    ]


def walk(batch: samovar.Batch, steps: int) -> list[Any]:
    """Random steps, and everything after each of them."""
    seen = []
    for _ in range(steps):
        batch.step(batch.random_moves())
        seen.append(everything(batch))
    return seen
