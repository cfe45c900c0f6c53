"""What an open page is told of its table: the parts that have changed, as JSON. What belongs to one visitor is a mark
in it, and is filled in for each.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property
from typing import Any

from samovar.web.drawing.packed import as_it_is, pack
from samovar.web.drawing.render import MARK, TOKEN_MARK

EVENT = b"data: %b\r\n\r\n"

NAME_MARK = f"{MARK}name;"
LEFT_MARK = f"{MARK}left"  # of time that runs: whether as on a clock or in words, and until when
LEFT = re.compile(rf"{LEFT_MARK}([cw])(\d+);")
ANY_MARK = re.compile(rf"({TOKEN_MARK}|{NAME_MARK}|{LEFT_MARK}[cw]\d+;)".encode())


class PageMessage:
    """What changes on a page, as JSON with marks: packed once, and filled in for each who gets it."""

    def __init__(self, content: bytes) -> None:
        self.content = content

    def filled_in(self, own: Callable[[bytes], bytes]) -> bytes:
        if MARK.encode() not in self.content:
            return self.content
        return ANY_MARK.sub(lambda mark: own(mark[0]), self.content)

    def packed_with(self, own: Callable[[bytes], bytes]) -> bytes:
        """As an event of a stream."""
        first, *rest = self._packed
        return b"".join([first, *(as_it_is(own(mark)) + piece for mark, piece in rest)])

    @cached_property
    def _packed(self) -> tuple[Any, ...]:
        """The first piece, then each mark with the piece behind it."""
        event = EVENT % self.content
        first, *rest = ANY_MARK.split(event) if MARK.encode() in event else [event]
        return pack(first), *zip(rest[::2], map(pack, rest[1::2]), strict=True)
