"""The games in the APIs that researchers use. Every adapter is made from the contract, serves every
registered game and knows none of them.

What they need comes with the extra `research`.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import Any, TypeAlias

import numpy as np

from samovar.engine.arrays import Array
from samovar.errors import MissingExtra

Info: TypeAlias = dict[str, Any]  # what the libraries hand on beside the rest, under names of their own
Untyped: TypeAlias = Any  # of a library without types


def need(module: str, extra: str = "research") -> ModuleType:
    """The module of an optional package, imported; without it an error that says how to get it."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise MissingExtra(
            f"This needs the package {error.name!r}, which is not installed. Get it with: pip install "
            f"'samovar[{extra}]'"
        ) from None


def rewards(places: Array) -> Array:
    """By match and seat: the share of the others placed behind, less the share placed ahead; as
    `kernels.reward` has it."""
    shares: Array = np.sign(places[:, None, :] - places[:, :, None]).sum(axis=2) / max(places.shape[1] - 1, 1)
    return shares
