"""Compiled code on disk, where later processes find it. Imports Numba, and leans on its inside."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from numba.core.caching import CompileResultCacheImpl, FunctionCache, UserProvidedCacheLocator


class ReadyMade(UserProvidedCacheLocator):  # type: ignore[misc]
    """A folder that can be read and not written: that of an image, which `samovar compile` has filled. Numba by itself
    uses none that it cannot write to."""

    def ensure_cache_path(self) -> None:
        path = self.get_cache_path()
        if not os.path.isdir(path) or os.access(path, os.W_OK):
            raise OSError(f"{path} is none.")


class KeptRules(CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes = (ReadyMade, *CompileResultCacheImpl._locator_classes)


class KeyedCache(FunctionCache):  # type: ignore[misc]
    """Of one function, under a key that says all it was made of. Numba's own would not notice a change in another
    file."""

    _impl_class = KeptRules

    def __init__(self, function: Callable[..., object], key: str, tell: Callable[[], None]) -> None:
        """`tell` is called when something has to be compiled first."""
        super().__init__(function)
        self._key = key
        self._tell = tell

    def _index_key(self, sig: object, codegen: Any) -> tuple[object, ...]:
        return (sig, codegen.magic_tuple(), self._key)

    def load_overload(self, sig: object, target_context: object) -> object:
        kept = super().load_overload(sig, target_context)
        if kept is None:
            self._tell()
        return kept

    def save_overload(self, sig: object, data: object) -> None:
        try:
            super().save_overload(sig, data)
        except OSError:
            self._cache_path = None  # it is not kept, and `Backend.is_kept` says so
