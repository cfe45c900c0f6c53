"""One request of a visitor: who it is, which language they read, and how they are answered."""

from __future__ import annotations

import secrets
from typing import Any, cast
from urllib.parse import urlsplit

from litestar import Request
from litestar.datastructures import FormMultiDict
from litestar.datastructures.headers import Accept
from litestar.enums import MediaType
from litestar.response import Redirect, Response
from litestar.utils.empty import value_or_default
from litestar.utils.scope.state import ScopeState

from samovar.web import problems
from samovar.web.house import House
from samovar.web.render import LANGUAGES, render, translations

PARTS = "x-samovar-parts"  # our script asks for the parts of a page with this header


class Visit:
    def __init__(self, request: Request[Any, Any, Any]) -> None:
        self.request = request
        self.house: House = request.app.state.house
        self.language = language_of(request)

    @property
    def person(self) -> str | None:
        """Who this is, if they have sat down anywhere yet."""
        return cast("str | None", self._session.get("person"))

    def make_person(self) -> str:
        """Who this is, from now on."""
        if "person" not in self._session:
            self._session["person"] = secrets.token_hex(16)
        return cast("str", self._session["person"])

    @property
    def name(self) -> str:
        """What they called themselves last time."""
        return str(self._session.get("name", ""))

    def remember(self, **facts: str) -> None:
        self._session.update(facts)

    @property
    def _session(self) -> dict[str, Any]:
        session = self.request.scope.get("session")
        return session if isinstance(session, dict) else {}

    @property
    def csrf_token(self) -> str:
        return str(value_or_default(ScopeState.from_scope(self.request.scope).csrf_token, ""))

    @property
    def wants_parts(self) -> bool:
        return PARTS in self.request.headers

    @property
    def address(self) -> str:
        """Where friends find this site: as it was asked for, but for `localhost`, which is another machine for them."""
        host = self.request.headers.get("host", "")
        name = urlsplit(f"//{host}").hostname or ""
        lan = self.request.app.state.lan_address
        if lan and (name == "localhost" or name.startswith("127.") or name == "::1"):
            return str(lan)
        return f"{self.request.url.scheme}://{host}"

    async def form(self) -> FormMultiDict:
        return await self.request.form()

    def page(self, template: str, status: int = 200, **context: Any) -> Response[str]:
        facts = {"visit": self, "csrf_token": self.csrf_token, "path": self.request.url.path, "languages": LANGUAGES}
        return Response(render(template, self.language, {**facts, **context}), status_code=status, media_type=MediaType.HTML)

    def go(self, address: str) -> Redirect:
        return Redirect(address, status_code=303)

    def tell(self, sentence: str) -> str:
        return translations(self.language).gettext(sentence)

    def tell_problem(self, problem: problems.Problem) -> str:
        facts = {name: self.tell(fact) if isinstance(fact, str) and fact else fact for name, fact in problem.facts.items()}
        return self.tell(problem.says) % facts


def language_of(request: Request[Any, Any, Any]) -> str:
    """The one chosen by the switch, else the browser's."""
    session = request.scope.get("session")
    chosen = session.get("language") if isinstance(session, dict) else None
    if chosen in LANGUAGES:
        return str(chosen)
    header = request.headers.get("accept-language", "")
    wanted = sorted((_weight(part), -place, part.split(";")[0].strip().lower()) for place, part in enumerate(header.split(",")))
    for _, _, tag in reversed(wanted):
        if tag.split("-")[0] in LANGUAGES:
            return tag.split("-")[0]
    return LANGUAGES[0]


def _weight(part: str) -> float:
    _, _, quality = part.partition("q=")
    try:
        return float(quality) if quality else 1.0
    except ValueError:
        return 0.0


def wants_html(request: Request[Any, Any, Any]) -> bool:
    accept = Accept(request.headers.get("accept", "text/html"))
    return not request.url.path.startswith("/api/") and (accept.accepts("text/html") or not accept.accepts("application/json"))
