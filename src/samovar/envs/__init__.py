"""The games in the APIs that researchers use. Every adapter is made from the contract, serves every
registered game and knows none of them.

What they need comes with the extra `research`.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import Any, TypeAlias

from samovar.errors import MissingExtra

Untyped: TypeAlias = Any  # of a library without types
Info: TypeAlias = dict[str, Untyped]  # what the libraries hand on beside the rest, under names of their own


def need(module: str, extra: str = "research", *, install: str = "") -> ModuleType:
    """The module of an optional package, imported; without it an error that says how to get it: by an
    extra, or by packages that are in none."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        wanted = install or f"'samovar-games[{extra}]'"
        raise MissingExtra(
            f"This needs the package {error.name!r}, which is not installed. Get it with: pip install {wanted}"
        ) from None
