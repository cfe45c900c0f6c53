"""How fast the games are on this machine; beside the libraries that researchers use: `benchmarks/peers.py` of the
repository."""

from samovar.bench.own import (
    COLUMNS,
    ENOUGH_S,
    GPU_PLACES,
    PLACES,
    SEED,
    batch_rate,
    first_use_s,
    match_rate,
    measure,
    measure_steps,
    plain_rate,
    step_rate,
    steps_table,
    table,
)
from samovar.engine.batch import Batch

__all__ = [
    "COLUMNS",
    "ENOUGH_S",
    "GPU_PLACES",
    "PLACES",
    "SEED",
    "Batch",
    "batch_rate",
    "first_use_s",
    "match_rate",
    "measure",
    "measure_steps",
    "plain_rate",
    "step_rate",
    "steps_table",
    "table",
]
