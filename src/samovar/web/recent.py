"""What was asked for lately is kept in memory, all else can be made again."""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Thing = TypeVar("Thing")
LOOKED_AT = 4  # of those that may stay longer than they should, whenever something new comes: more can go than come


def always(key: object, thing: object) -> bool:
    return True


def one(thing: object) -> int:
    return 1


class Recent(Generic[Key, Thing]):
    """At most so many things, or so much of them by `size`, and for so many seconds after somebody has asked for them:
    a site whose people have gone needs no memory for them. What `may_go` says no to counts as asked for."""

    def __init__(
        self,
        most: int,
        seconds: float = math.inf,
        may_go: Callable[[Key, Thing], bool] = always,
        size: Callable[[Thing], int] = one,
    ) -> None:
        self._most, self._seconds, self._may_go, self._size = most, seconds, may_go, size
        self._things: OrderedDict[Key, tuple[float, Thing]] = OrderedDict()  # the one asked for last at the end
        self._taken = 0  # of `most`

    def __len__(self) -> int:
        return len(self._things)

    def __contains__(self, key: Key) -> bool:
        return key in self._things

    def get(self, key: Key) -> Thing | None:
        if key not in self._things:
            return None
        _, thing = self._things[key]
        self._things[key] = time.monotonic(), thing
        self._things.move_to_end(key)
        return thing

    def put(self, key: Key, thing: Thing) -> None:
        self.pop(key)
        self._things[key] = time.monotonic(), thing
        self._taken += self._size(thing)
        self._make_room()

    def pop(self, key: Key) -> Thing | None:
        if key not in self._things:
            return None
        _, thing = self._things.pop(key)
        self._taken -= self._size(thing)
        return thing

    def clear(self) -> None:
        self._things.clear()
        self._taken = 0

    def _make_room(self) -> None:
        last_asked, looked_at = time.monotonic() - self._seconds, 0
        while looked_at < LOOKED_AT and self._things:
            key, (asked, thing) = next(iter(self._things.items()))
            is_full = self._taken > self._most
            if asked >= last_asked and not is_full:
                return
            if self._may_go(key, thing):
                self.pop(key)
                looked_at += not is_full
            else:
                self.get(key)
                looked_at += 1
