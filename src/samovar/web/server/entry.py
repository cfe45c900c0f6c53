"""Who comes in: decided once, at the edge, before anything is looked up. Nothing behind it knows.

- *open*: everybody.
- *invited*: members, and whoever has a link that invites them. To all others every address is the same: no page,
  stream or answer tells whether a table, a name or a club is there.
- *header*: whoever a proxy says it is, in a header that is believed from the proxy alone.

Where guests are allowed, the link to a table lets a stranger in at that table, and nowhere else. A pupil sees their
class and nothing else, on an open site, too; who is blocked sees nothing.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from email.header import decode_header, make_header
from ipaddress import ip_address, ip_network
from typing import Any
from urllib.parse import parse_qsl

from samovar.web import problems
from samovar.web.people.classes import Classes
from samovar.web.people.members import Members, person_of_program
from samovar.web.people.people import People
from samovar.web.people.tours import Tours
from samovar.web.tables.tables import Tables
from samovar.web.visit import PUPIL_OF, USER

PEER = "samovar_peer"  # where the scope says who has really asked, before a proxy is believed
PROGRAM = b"x-samovar-member"
# Files that are the same for everybody, and the ways in.
FREE = re.compile(
    r"/(static|games)/.*|/(health|metrics|service_worker\.js|offline|language|privacy|class)"
    r"|/invitation/[\w-]{22}|/me/come/[0-9a-f]{56}",
    re.ASCII,
)
OF_TABLE = re.compile(r"/table/([\w-]{12})(/.*)?|/live", re.ASCII)
OF_TOUR = re.compile(r"/tour/([\w-]{12})(/.*)?", re.ASCII)
OF_CLASS = re.compile(r"/class/([\w-]{12})(/.*)?", re.ASCII)
FOR_PUPILS = re.compile(r"/(rules|learn)/.*", re.ASCII)  # nobody is seen there
LONGEST_NAME = 100


class EntryCheck:
    def __init__(
        self,
        kind: str,
        members: Members,
        people: People,
        tables: Tables,
        classes: Classes,
        tours: Tours,
        *,
        header: str = "",
        proxies: Sequence[str] = (),
        guests: bool = False,
    ) -> None:
        self.kind = kind
        self._members, self._people, self._tables, self._classes = members, people, tables, classes
        self._tours = tours
        self._guests = guests
        self._header = header.lower().encode()
        self._proxies = [ip_network(proxy) for proxy in proxies]

    @property
    def is_open(self) -> bool:
        return self.kind == "open"

    async def admits(self, scope: Any, person_by_cookie: Callable[[], Awaitable[str]]) -> bool:
        path = scope["path"]
        has_user = self.kind == "header" and self._sees_user(scope)  # also where everybody may come: an owner's link
        if FREE.fullmatch(path):
            return True
        if self.is_open and not await self._members.are_bound():
            return True
        person = await self._person(scope, person_by_cookie)
        if person and await self._members.is_blocked(person):
            return False
        if class_id := person and await self._members.class_of(person):
            scope[PUPIL_OF] = class_id
            return await self._is_of_class(scope, class_id)
        if self.is_open or has_user or (person and await self._members.role(person)):
            return True
        if found := OF_CLASS.fullmatch(path):  # its link is an invitation
            return await self._classes.is_open(found[1])
        return self._guests and self.kind == "invited" and OF_TABLE.fullmatch(path) is not None

    async def _person(self, scope: Any, person_by_cookie: Callable[[], Awaitable[str]]) -> str:
        """Who has come; empty: nobody who is known."""
        if USER in scope:
            return str(scope[USER][0])
        if scope["path"].startswith("/api/") and not self.is_open:
            return await person_of_program(header_of(scope, PROGRAM), self._people, self._tables.secret)
        return "" if self.kind == "header" else await person_by_cookie()

    async def _is_of_class(self, scope: Any, class_id: str) -> bool:
        """Whether this is all a pupil may see: the page of the class, its tables, and what it looks at together."""
        path = scope["path"]
        if found := OF_CLASS.fullmatch(path):
            return found[1] == class_id
        if found := OF_TOUR.fullmatch(path):
            return await self._is_tour_of(found[1], class_id)
        if (found := OF_TABLE.fullmatch(path)) is None:
            return FOR_PUPILS.fullmatch(path) is not None
        asked = parse_qsl(scope["query_string"].decode("latin-1"))
        ids = [found[1]] if found[1] else [value for name, value in asked if name == "table"]
        try:
            return all([(await self._tables.look(one)).of_class == class_id for one in ids])
        except problems.Problem:
            return False

    async def _is_tour_of(self, tour_id: str, class_id: str) -> bool:
        with suppress(problems.Problem):
            return (await self._tours.find(tour_id))[0].of_class == class_id
        return False

    def _sees_user(self, scope: Any) -> bool:
        """Whom the proxy names, as the same person every time. Of an address people read the part that names them."""
        name = header_of(scope, self._header).strip()
        if not name or len(name) > LONGEST_NAME or not self._is_proxy(scope.get(PEER)):
            return False
        digest = hmac.new(self._tables.secret, f"user:{name}".encode(), hashlib.sha256).hexdigest()
        scope[USER] = f"user-{digest[:27]}", name.partition("@")[0] or name
        return True

    def _is_proxy(self, peer: str | None) -> bool:
        try:
            address = ip_address(peer or "")
        except ValueError:
            return False
        return any(address in network for network in self._proxies)


def header_of(scope: Any, name: bytes) -> str:
    """Two of them are none: of two names nobody knows which the proxy meant. Letters beyond ASCII come as UTF-8, or,
    from Tailscale, as letters write them: `=?utf-8?q?Zo=C3=AB?=`."""
    values = [value for key, value in scope["headers"] if key == name]
    if len(values) != 1:
        return ""
    try:
        text = values[0].decode()
        return str(make_header(decode_header(text))) if text.startswith("=?") else text
    except (UnicodeError, LookupError, ValueError):
        return ""


def remember_peer(app: Any) -> Any:
    """The application, told who has really asked: around what believes proxies."""

    async def with_peer(scope: Any, receive: Any, send: Any) -> None:
        if scope.get("client"):
            scope[PEER] = scope["client"][0]
        await app(scope, receive, send)

    return with_peer
