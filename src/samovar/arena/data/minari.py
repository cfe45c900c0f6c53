"""A data set for Minari, made of records: an episode for every seat of every match, from its first
decision to the end, in the spaces of the game's Gymnasium environment.

    minari.MinariDataset("FOLDER/data")

Nothing is sampled anew: Minari's own collectors step an environment, and a match has been played.
"""

from __future__ import annotations

import gzip
import json
import re
import shutil
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from samovar.arena.data.card import Written, title
from samovar.arena.data.files import Shard, decisions, load_pyarrow, rewards_of
from samovar.engine.arrays import Array
from samovar.engine.assembly.versions import registry_name
from samovar.engine.contract import Game
from samovar.engine.match import Match
from samovar.engine.records.record import replay
from samovar.engine.registry import find_game
from samovar.errors import MissingExtra
from samovar.json_types import JsonObject

FOLDER = "data"


def load_minari() -> Any:
    try:
        import_module("pyarrow")  # with which it writes
        import_module("minari.dataset.minari_storage")
        return import_module("minari")
    except ModuleNotFoundError as error:
        raise MissingExtra(
            f"Data sets for Minari need the package {error.name!r}, which is not installed. Get it with: pip install "
            "'samovar-games[data]'."
        ) from None


def write_minari(folder: Path, written: Written) -> None:
    """Whole or not at all, beside the records."""
    beside = folder / f"{FOLDER}.part"
    shutil.rmtree(beside, ignore_errors=True)
    minari, game = load_minari(), find_game(written.order.game)
    storage = minari.dataset.minari_storage.MinariStorage.new(
        beside, *spaces_of(game), environment_of(game, written), data_format="parquet"
    )
    storage.update_metadata(
        {
            "dataset_id": f"samovar/{game.id}/{'-'.join(map(plain_word, written.order.names))}-v0",
            "minari_version": minari.__version__,
            "author": {"The Samovar founders"},
            "algorithm_name": ", ".join(written.order.names),
            "description": title(written),
        }
    )
    steps = [write_episode(beside / str(k), k, *one) for k, one in enumerate(episodes(folder, written))]
    size = sum(path.stat().st_size for path in beside.rglob("*.parquet"))
    storage.update_metadata({"total_episodes": len(steps), "total_steps": sum(steps), "dataset_size": size / 1_000_000})
    beside.replace(folder / FOLDER)


def episodes(folder: Path, written: Written) -> Iterator[tuple[Match, int, JsonObject]]:
    """Match, seat, and what else is told of an episode."""
    for shard in shards(folder, written):
        for number, match, bots in zip(shard.numbers, shard.matches, shard.bots, strict=True):
            for seat in sorted({seat for seat, _ in match.history}):
                yield match, seat, {"match": number, "seat": seat, "bot": bots[seat]}


def shards(folder: Path, written: Written) -> Iterator[Shard]:
    """As they were written before."""
    for name in written.files:
        lines = gzip.decompress((folder / name).read_bytes()).decode().splitlines()
        records = [json.loads(line) for line in lines]
        yield Shard([replay(record) for record in records], records)


def plain_word(name: str) -> str:
    return re.sub(r"\W+", "_", name)


def spaces_of(game: Game) -> tuple[Any, Any]:
    """Those of `samovar.envs.gymnasium`, which a test compares."""
    spaces = import_module("gymnasium.spaces")
    seen = spaces.Box(-128, 127, (game.observation_size,), np.int8)
    look = {"observation": seen, "action_mask": spaces.Box(0, 1, (game.moves,), np.int8)}
    return spaces.Dict(look), spaces.Discrete(game.moves)


def environment_of(game: Game, written: Written) -> Any:
    """By which Minari makes the environment, where Samovar is installed."""
    return import_module("gymnasium.envs.registration").EnvSpec(
        registry_name(game.id, game.environment_version),
        entry_point="samovar.envs.gymnasium:TableEnv",
        kwargs={"game": game.id, "seats": written.order.seats, **written.order.options},
    )


def write_episode(folder: Path, number: int, match: Match, seat: int, facts: JsonObject) -> int:
    """Where Minari would write it, and how many decisions it has. Minari has it written by threads of
    its own, of which one may outlive the command and abort it."""
    pyarrow = load_pyarrow()
    steps, columns = episode_columns(pyarrow, match, seat)
    folder.mkdir()
    pyarrow.parquet.write_table(pyarrow.table(columns), folder / "part-0.parquet", store_schema=True)
    told = {"id": number, "total_steps": steps, **facts}
    (folder / "metadata.json").write_text(json.dumps(told), encoding="utf-8")
    return steps


def episode_columns(pyarrow: Any, match: Match, seat: int) -> tuple[int, dict[str, Any]]:
    """What a seat saw and did. Its last look is that at the end, where any action would do; the other
    columns are filled up there, as Minari does and leaves out again."""
    mine = [(seen, legal, move) for seen, legal, actor, move in decisions(match) if actor == seat]
    steps = len(mine)
    seen = np.array([*(seen for seen, _, _ in mine), match.observation(seat)], np.int8)
    masks = np.array([*(mask_of(match.game, legal) for _, legal, _ in mine), np.ones(match.game.moves)], np.int8)
    rows = [
        pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(part.reshape(-1)), part.shape[1]) for part in (seen, masks)
    ]
    ends = [False] * (steps - 1)
    return steps, {
        "observations": pyarrow.StructArray.from_arrays(rows, names=["observation", "action_mask"]),
        "actions": pyarrow.array([*(move for _, _, move in mine), 0], pyarrow.int64()),
        "rewards": pyarrow.array([0.0] * (steps - 1) + [rewards_of(match)[seat], 0.0], pyarrow.float64()),
        "terminations": pyarrow.array([*ends, True, False]),
        "truncations": pyarrow.array([*ends, False, False]),
    }


def mask_of(game: Game, legal: list[int]) -> Array:
    mask = np.zeros(game.moves, np.int8)
    mask[legal] = 1
    return mask
