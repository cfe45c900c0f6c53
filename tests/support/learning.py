"""A run of the learner that is small enough for a test."""

from pathlib import Path
from typing import Any

from samovar.engine.registry import find_game
from samovar.learn.run import LearningOrder

SMALL = {"matches": 32, "steps": 8, "portions": 2, "width": 16, "layers": 1, "warm_up": 1}
ROUND = 32 * 8


def small_order(out: Path, rounds: int, **more: Any) -> LearningOrder:
    settings = {**SMALL, **more.pop("settings", {})}
    return LearningOrder(
        game=find_game("connect_four"),
        out=out,
        moves=rounds * ROUND,
        settings=settings,
        rivals=("random",),
        measurings=1,
        deals=1,
        last_deals=2,
        device="cpu",
        command="a test",
        **more,
    )
