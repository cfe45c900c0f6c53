"""What an open page is told of its table: the parts that have changed, as JSON. What belongs to one visitor is a mark
in it, and is filled in for each.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property
from itertools import count

from samovar.web.drawing.packed import as_it_is, pack
from samovar.web.drawing.render import MARK, TOKEN_MARK

EVENT = b"data: %b\r\n\r\n"
BEGINS, ENDS = map(len, EVENT.split(b"%b"))
SERIALS = count(1)

NAME_MARK = f"{MARK}name;"
LEFT_MARK = f"{MARK}left"  # of time that runs: whether as on a clock or in words, and until when
LEFT = re.compile(rf"{LEFT_MARK}([cw])(\d+);")
ANY_MARK = re.compile(rf"({TOKEN_MARK}|{NAME_MARK}|{LEFT_MARK}[cw]\d+;)".encode())


MOST_FIRSTS = 8  # packed anew for those who have got something else before: who has just come, after whom nothing came


class PageMessage:
    """What changes on a page, as JSON with marks: packed once, and filled in for each who gets it."""

    def __init__(self, content: bytes) -> None:
        self._event = EVENT % content
        self._serial = next(SERIALS)
        self._firsts: dict[int, bytes] = {}  # the first piece packed, by the message that was sent before

    @property
    def content(self) -> bytes:
        return self._event[BEGINS:-ENDS]

    def filled_in(self, own: Callable[[bytes], bytes]) -> bytes:
        if MARK.encode() not in self._event:
            return self.content
        return ANY_MARK.sub(lambda mark: own(mark[0]), self.content)

    def packed_with(self, own: Callable[[bytes], bytes], before: PageMessage | None = None) -> bytes:
        """As an event of a stream. `before`: what that stream has sent last; what is still there needs only a word."""
        return b"".join([self._first_after(before), *(as_it_is(own(mark)) + piece for mark, piece in self._rest)])

    def _first_after(self, before: PageMessage | None) -> bytes:
        serial = before._serial if before else 0
        if serial not in self._firsts:
            if len(self._firsts) == MOST_FIRSTS:
                self._firsts.clear()
            self._firsts[serial] = pack(self._pieces[0], before._pieces[-1] if before else b"")
        return self._firsts[serial]

    @cached_property
    def _pieces(self) -> list[bytes]:
        """The first, then each mark and the piece behind it."""
        return ANY_MARK.split(self._event) if MARK.encode() in self._event else [self._event]

    @cached_property
    def _rest(self) -> tuple[tuple[bytes, bytes], ...]:
        """Each mark with the piece behind it, packed."""
        _, *rest = self._pieces
        return tuple(zip(rest[::2], map(pack, rest[1::2]), strict=True))
