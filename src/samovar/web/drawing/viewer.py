"""Who looks at a table, and who sees the same."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

import msgspec
from markupsafe import Markup, escape

from samovar.web.drawing.clock_words import clock_text, left_text
from samovar.web.drawing.messages import EVENT, LEFT, LEFT_MARK, NAME_MARK, PageMessage
from samovar.web.drawing.muting import NOBODY, muted_at
from samovar.web.drawing.render import TOKEN_MARK
from samovar.web.store.queries.hands import Hand
from samovar.web.tables import clock
from samovar.web.tables.hands import Viewpoint, viewpoint
from samovar.web.tables.table import Table


@dataclass(frozen=True)
class Viewer:
    """Who looks at a table."""

    person: str | None
    language: str
    name: str  # what they called themselves last time
    csrf_token: str
    address: str  # of the site, as they know it
    device: str = ""  # where several people share it
    hand: Hand | None = None  # in whose it is, at the table they look at
    signs: str = ""  # of those who share it, as its cookie has them
    muted: str = ""  # by them as a spectator, as the cookie has it
    beside_screen: str = ""  # at which table they have the board before them on a large screen

    def as_screen(self) -> Viewer:
        """The same browser as a large screen: it is nobody's, and sees what every spectator does."""
        return Viewer(None, self.language, "", self.csrf_token, self.address)

    def viewpoint(self, table: Table) -> Viewpoint:
        """Whose eyes they see the table with."""
        return (
            viewpoint(table, self.person, self.device, self.hand)
            if self.device
            else Viewpoint(table.seat_of(self.person))
        )

    def kind(self, table: Table) -> ViewerKind:
        seat, here = self.viewpoint(table)
        muted = muted_at(self.muted, table.id) if seat is None and not here else NOBODY
        is_beside = seat is not None and self.beside_screen == table.id
        return ViewerKind(seat, self.language, self.address, here, self.signs if here else "", muted, is_beside)

    def fill_in(self, html: str) -> Markup:
        """What is this viewer's own, in the place of the marks."""
        own = html.replace(TOKEN_MARK, str(escape(self.csrf_token))).replace(NAME_MARK, str(escape(self.name)))
        return Markup(LEFT.sub(self._left_text, own) if LEFT_MARK in own else own)

    def fill_in_json(self, message: PageMessage) -> bytes:
        """The same in JSON."""
        return message.filled_in(self._own)

    def event(self, message: PageMessage, before: PageMessage | None = None, *, is_packed: bool) -> bytes:
        """The same for a stream. `before`: what it has sent last, if that was a message."""
        if is_packed:
            return message.packed_with(self._own, before)
        return EVENT % self.fill_in_json(message)

    def _own(self, mark: bytes) -> bytes:
        return msgspec.json.encode(str(self.fill_in(mark.decode())))[1:-1]

    def _left_text(self, mark: re.Match[str]) -> str:
        """A look may be older than the moment at which it is handed out."""
        left = int(mark[2]) - clock.now()
        return clock_text(left) if mark[1] == "c" else left_text(self.language, left)


class ViewerKind(NamedTuple):
    """Those who see the same."""

    seat: int | None
    language: str
    address: str
    here: tuple[int, ...] = ()  # the chairs of a device that several people share
    signs: str = ""  # of those people
    muted: frozenset[int] = NOBODY  # by spectators: a table knows whom its players have muted
    is_beside_screen: bool = False  # sections that the screen has are marked

    @property
    def is_curtain(self) -> bool:
        return self.seat is None and bool(self.here)
