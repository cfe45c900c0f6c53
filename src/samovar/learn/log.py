"""The numbers of a run where other programs show them, if somebody asks for it: TensorBoard or Weights & Biases."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from samovar.errors import BadLearning, MissingExtra
from samovar.learn.settings import SomeSettings

LOGS = TENSORBOARD, WANDB = ("tensorboard", "wandb")
LogPackage: TypeAlias = Any  # which need not be here


class RunLog(Protocol):
    def add(self, numbers: Mapping[str, float], moves: int) -> None:
        """What was so after so many moves."""

    def close(self) -> None: ...


def open_log(kind: str, folder: Path, name: str, settings: SomeSettings) -> RunLog:
    """In the folder of the run; Weights & Biases sends it on as its own settings say."""
    if kind not in LOGS:
        raise BadLearning(f"There is no log {kind!r}. It is {' or '.join(LOGS)}.")
    try:
        package = import_module("torch.utils.tensorboard" if kind == TENSORBOARD else kind)
    except ImportError as error:
        raise MissingExtra(
            f"This log needs the package {kind}, which is not installed. Get it with: pip install {kind}"
        ) from error
    return TensorBoardLog(package, folder) if kind == TENSORBOARD else WandbLog(package, folder, name, settings)


class TensorBoardLog:
    def __init__(self, package: LogPackage, folder: Path) -> None:
        self._writer = package.SummaryWriter(str(folder / TENSORBOARD))

    def add(self, numbers: Mapping[str, float], moves: int) -> None:
        for name, number in numbers.items():
            self._writer.add_scalar(name, number, moves)
        self._writer.flush()

    def close(self) -> None:
        self._writer.close()


class WandbLog:
    def __init__(self, package: LogPackage, folder: Path, name: str, settings: SomeSettings) -> None:
        self._run = package.init(project="samovar", name=name, dir=str(folder), config=settings)

    def add(self, numbers: Mapping[str, float], moves: int) -> None:
        self._run.log({**numbers, "moves": moves})

    def close(self) -> None:
        self._run.finish()
