"""What was asked for lately is kept in memory, all else can be made again."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from itertools import islice
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Thing = TypeVar("Thing")
LOOKED_AT = 4  # of the oldest ones, whenever something new comes: more can go than come


def always(key: object, thing: object) -> bool:
    return True


class Recent(Generic[Key, Thing]):
    """At most so many things, and for so many seconds after somebody has asked for them: a site
    whose people have gone needs no memory for them. What `may_go` says no to counts as asked for."""

    def __init__(self, most: int, seconds: float, may_go: Callable[[Key, Thing], bool] = always) -> None:
        self._most, self._seconds, self._may_go = most, seconds, may_go
        self._things: OrderedDict[Key, tuple[float, Thing]] = OrderedDict()  # the one asked for last at the end

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
        self._things[key] = time.monotonic(), thing
        self._things.move_to_end(key)
        self._make_room()

    def pop(self, key: Key) -> Thing | None:
        return self._things.pop(key, (0.0, None))[1]

    def clear(self) -> None:
        self._things.clear()

    def _make_room(self) -> None:
        last_asked = time.monotonic() - self._seconds
        for key, (asked, thing) in list(islice(self._things.items(), LOOKED_AT)):
            if asked >= last_asked and len(self._things) <= self._most:
                return
            if self._may_go(key, thing):
                del self._things[key]
            else:
                self.get(key)
