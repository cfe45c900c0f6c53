"""One request of a visitor: who it is, which language they read, and how they are answered."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import ip_address
from itertools import starmap
from typing import Any, TypeAlias
from urllib.parse import parse_qsl, urlsplit

from litestar import Request
from litestar.connection import ASGIConnection
from litestar.datastructures import FormMultiDict, UploadFile
from litestar.enums import MediaType, RequestEncodingType
from litestar.middleware.session.client_side import ClientSideSessionBackend, CookieBackendConfig
from litestar.response import Redirect, Response
from litestar.utils.empty import value_or_default
from litestar.utils.scope.state import ScopeState
from markupsafe import escape

from samovar.errors import StoreError
from samovar.language.grammar import Facts
from samovar.language.languages import ENGLISH, LANGUAGES, own_name, translations
from samovar.web import problems
from samovar.web.base_path import under
from samovar.web.drawing.render import TOKEN_MARK, render
from samovar.web.people.members import program_key
from samovar.web.people.people import UNKNOWN, Known, People, Profile
from samovar.web.tables.series import check_member
from samovar.web.tables.table import Table
from samovar.web.tables.tables import Tables

KNOWN = "samovar_known"  # where the scope of a request says what is known of its person
IS_CLOSED = "samovar_closed"  # where it says that it may not come in
PUPIL_OF = "samovar_pupil_of"  # where it says of which class they are a pupil, and see nothing else
USER = "samovar_user"  # where it says whom a proxy has let in: (person, name)
PARTS = "x-samovar-parts"  # our script asks for the parts of a page with this header
MOST_FIELDS = 200  # of a form
FILE = "record"  # the one field that may be a file
HALF = re.compile("[\ud800-\udfff]")
HOST = re.compile(r"([\w.-]+|\[[0-9a-fA-F:.]+\])(:[0-9]{1,5})?", re.ASCII)
LONGEST_HOST = 260  # a name has 253 letters at most
LONGEST_QUERY = 2000  # what Litestar takes apart it keeps in memory, a thousand queries and cookies
LONGEST_COOKIES = 8192
MOST_COOKIES = 100


AnyRequest = Request[Any, Any, Any]  # of anybody, with whatever Litestar keeps in it
Answer: TypeAlias = Response[str] | Response[bytes] | Redirect  # a page, parts of it as JSON, or the way to one


class CarefulRequest(AnyRequest):
    """A request whose form and cookies are texts that can be worked with, or a problem of whoever
    sent it: never a surprise later on."""

    @property
    def cookies(self) -> dict[str, str]:
        """Ours are plain letters; what else comes along belongs to others."""
        return {name: value for name, value in super().cookies.items() if value.isascii()}

    async def form(self) -> FormMultiDict:
        try:
            form = await self._read_form()
        except (LookupError, ValueError) as error:
            # a character set that does not exist, letters that are not in it, too many fields
            raise problems.Problem from error
        if not all(starmap(is_field, form.multi_items())):
            await form.close()
            raise problems.Problem
        return form

    async def _read_form(self) -> FormMultiDict:
        """Not all by Litestar: that takes any number of fields, keeps a thousand forms in memory,
        and puts up with broken letters."""
        if self.content_type[0] != RequestEncodingType.URL_ENCODED:
            return await super().form()
        text = (await self.body()).decode()
        return FormMultiDict(parse_qsl(text, keep_blank_values=True, errors="strict", max_num_fields=MOST_FIELDS))


def is_field(name: str, value: str | UploadFile) -> bool:
    """Every field is a text but one; the token of our forms is of plain letters, and no text has
    halves of letters in it."""
    if isinstance(value, UploadFile):
        return name == FILE
    return value.isascii() if name == "_csrf_token" else not HALF.search(value)


class CarefulCookies(ClientSideSessionBackend):
    async def load_from_connection(self, connection: ASGIConnection[Any, Any, Any, Any]) -> dict[str, Any]:
        """A cookie that is not ours, or no longer, is none: whoever has it begins anew."""
        cookies = connection.headers.get("cookie", "")
        if len(cookies) > LONGEST_COOKIES or cookies.count(";") > MOST_COOKIES:
            raise problems.TooLarge
        try:
            session = await super().load_from_connection(connection)
        except Exception:  # its parts are read before it is known to be genuine, and anything may be in them
            return {}
        return await recognise(connection.scope, connection.app.state.people, session)


async def recognise(scope: Any, people: People, session: dict[str, Any]) -> dict[str, Any]:
    """What a cookie says, and what is known of its person for the rest of the request. A device that
    was cut off since is nobody's, and nobody shares it: who has copied a cookie has all of it."""
    if USER in scope:  # a proxy says who it is
        person, name = scope[USER]
        session = {**session, "person": person, "name": session.get("name") or name}
        session.pop("cuts", None)
    try:
        known = await people.known(session["person"]) if "person" in session else UNKNOWN
    except StoreError as error:
        raise problems.Busy from error
    if known.cuts != session.get("cuts", 0) and USER not in scope:
        return {name: fact for name, fact in session.items() if name not in ("person", "cuts", "name", "device")}
    scope[KNOWN] = known
    return session


@dataclass
class CarefulSessions(CookieBackendConfig):
    _backend_class = CarefulCookies


def check_address(request: AnyRequest) -> None:
    """Refuses addresses that no link of ours has, before anything is looked up or made from
    them."""
    if not request.scope["path"].isprintable():
        raise problems.NoSuchPage
    host = request.headers.get("host", "")
    if (host and not is_host(host)) or len(request.scope["query_string"]) > LONGEST_QUERY:
        raise problems.Problem


@lru_cache(1024)
def is_host(host: str) -> bool:
    """A name or a number, and perhaps a port."""
    try:
        return len(host) <= LONGEST_HOST and HOST.fullmatch(host) is not None and urlsplit(f"//{host}").port != 0
    except ValueError:
        return False


@lru_cache(1024)
def is_this_machine(host: str) -> bool:
    name = str(urlsplit(f"//{host}").hostname) if is_host(host) else ""
    return name == "localhost" or is_loopback(name)


def is_loopback(address: str) -> bool:
    try:
        return ip_address(address).is_loopback
    except ValueError:  # a name, or whatever a proxy calls somebody
        return False


class Visit:
    def __init__(self, request: AnyRequest) -> None:
        self.request = request
        self.tables: Tables = request.app.state.tables
        self.language = language_of(request)
        self._form: FormMultiDict | None = None

    @property
    def person(self) -> str | None:
        """Who this is, if they have sat down anywhere yet."""
        return self._session.get("person")

    def make_person(self) -> str:
        """Who this is, from now on."""
        if "person" not in self._session:
            self._session["person"] = secrets.token_hex(16)
        return self._session["person"]

    @property
    def device(self) -> str:
        """What this browser is called where several people share it; empty, if they never did."""
        return self._session.get("device", "")

    def make_device(self) -> str:
        if "device" not in self._session:
            self._session["device"] = secrets.token_hex(16)
        return self._session["device"]

    @property
    def known(self) -> Known:
        known = self.request.scope.get(KNOWN)
        return known if isinstance(known, Known) else UNKNOWN

    @property
    def profile(self) -> Profile:
        """As this person wants to be known; an empty one of those who have said nothing."""
        return self.known.profile

    async def change_profile(self, **changes: Any) -> None:
        """If they have a page of their own, where it is kept for all their devices."""
        if self.person and self.known.key_salt:
            await self.people.change(self.person, **changes)
            self.request.scope[KNOWN] = await self.people.known(self.person)  # type: ignore[literal-required]

    def become(self, person: str, known: Known) -> None:
        """This browser is another person's from now on."""
        for fact in ("name", "language"):
            self._session.pop(fact, None)
        self._session["person"] = person
        self.hold_on(known)

    def hold_on(self, known: Known) -> None:
        """This device is none of those that were cut off."""
        session: dict[str, Any] = self._session
        session["cuts"] = known.cuts
        self.request.scope[KNOWN] = known  # type: ignore[literal-required]

    def go_away(self) -> None:
        """This browser is nobody's from now on."""
        self._session.clear()

    async def is_still_here(self) -> bool:
        """Whether this device still belongs to its person: for answers that take a long time."""
        try:
            return self.person is None or (await self.people.known(self.person)).cuts == self.known.cuts
        except StoreError:  # then it is asked the next time
            return True

    @property
    def people(self) -> People:
        people: People = self.request.app.state.people
        return people

    @property
    def name(self) -> str:
        """Theirs, or what they called themselves last time."""
        return self.profile.name or self._session.get("name", "")

    def recall(self, fact: str) -> str:
        """What was remembered of them before."""
        return self._session.get(fact, "")

    def remember(self, **facts: str) -> None:
        self._session.update(facts)

    @property
    def _session(self) -> dict[str, str]:
        return session_of(self.request)

    @property
    def csrf_token(self) -> str:
        return str(value_or_default(ScopeState.from_scope(self.request.scope).csrf_token, ""))

    @property
    def wants_parts(self) -> bool:
        return PARTS in self.request.headers

    @property
    def has_stream(self) -> bool:
        """Whether our script hears of changes, so that it need not be answered with them."""
        return self.request.headers.get(PARTS) == "by-stream"

    @property
    def address(self) -> str:
        """Where friends find this site: by its name, or as it was asked for, but for `localhost`,
        which is another machine for them."""
        site = self.request.app.state.site
        if site.public_url:
            return str(site.public_url)
        host = self.request.headers.get("host", "")
        if site.lan_address and is_this_machine(host):
            return str(site.lan_address)
        return f"{self.request.scope['scheme']}://{host}"

    @property
    def client_address(self) -> str:
        return client_address(self.request)

    async def table(self, table_id: str) -> Table:
        """One that is there for them: those of a circle are for its members, and for who sits there."""
        table = await self.tables.look(table_id)
        if table.seat_of(self.person) is None:
            await check_member(self.tables.store, table.circle, self.person or "")
        return table

    @property
    def has_lab(self) -> bool:
        """Whether the lab is open to them."""
        lab_for = self.request.app.state.site.lab_for
        return lab_for == "everybody" or (lab_for == "here" and is_from_here(self.request))

    @property
    def announcement(self) -> str:
        """What the owners of the site say to everybody; not to those who may not come in."""
        return "" if IS_CLOSED in self.request.scope else str(self.request.app.state.owning.announcement)

    @property
    def class_id(self) -> str:
        """The class that a pupil sees, and nothing else of the site; empty for everybody else."""
        return str(self.request.scope.get(PUPIL_OF, ""))

    @property
    def may_invite(self) -> bool:
        """Whether others come in by their invitation: whoever is inside a site of invited people is one of them, or
        a guest at a table, who sees no other page."""
        return bool(self.request.app.state.site.entry == "invited")

    @property
    def program_key(self) -> str:
        """By which programs of this member come in."""
        return program_key(self.person or "", self.known.cuts, self.tables.secret)

    async def form(self) -> FormMultiDict:
        """Read once, however often it is asked for."""
        if self._form is None:
            self._form = await self.request.form()
        return self._form

    def page(self, template: str, status: int = 200, /, **context: object) -> Response[str]:
        facts = {
            "visit": self,
            "path": self.request.scope["path"],
            "languages": [(code, own_name(code)) for code in LANGUAGES],
        }
        html = self.draw(template, {**facts, **context})
        return Response(html, status_code=status, media_type=MediaType.HTML)

    def draw(self, template: str, facts: Mapping[str, object]) -> str:
        """In their language, with forms that they can send."""
        return render(template, self.language, facts).replace(TOKEN_MARK, str(escape(self.csrf_token)))

    def go(self, address: str) -> Redirect:
        return Redirect(under(address), status_code=303)

    def tell(self, sentence: str) -> str:
        return translations(self.language).gettext(sentence)

    def tell_problem(self, problem: problems.Problem) -> str:
        facts = Facts(
            {name: self.tell(fact) if isinstance(fact, str) and fact else fact for name, fact in problem.facts.items()}
        )
        return self.tell(problem.says) % facts


def client_address(request: AnyRequest) -> str:
    """Where a request comes from."""
    return request.client.host if request.client else ""


def is_from_here(request: AnyRequest) -> bool:
    """From this machine, and not through a proxy on it. It must be asked for by its own name, too: a page from
    elsewhere can have its name lead here, and a browser on this machine then asks in its stead."""
    host = request.headers.get("host", "").lower()
    by_name = is_this_machine(host) or host == (urlsplit(request.app.state.site.public_url).netloc or "localhost")
    is_local = request.client is not None and is_loopback(request.client.host)
    return by_name and is_local and not any(name in request.headers for name in ("forwarded", "x-forwarded-for"))


def session_of(request: AnyRequest) -> dict[str, str]:
    """What the visitor's cookie says; only we write it."""
    session = request.scope.get("session")
    return session if isinstance(session, dict) else {}


def language_of(request: AnyRequest) -> str:
    """The one of the person, else the one chosen by the switch, else the one that the browser wants
    most."""
    known = request.scope.get(KNOWN)
    wanted = known.profile.language if isinstance(known, Known) else ""
    chosen = wanted or session_of(request).get("language", "")
    if chosen in LANGUAGES:
        return chosen
    return _wanted(request.headers.get("accept-language", ""))


@lru_cache(1024)
def _wanted(header: str) -> str:
    """The one that a browser wants most."""
    for part in sorted(header.split(","), key=_weight, reverse=True):
        language = re.split("[-;]", part, maxsplit=1)[0].strip().lower()
        if language in LANGUAGES:
            return language
    return ENGLISH


def _weight(part: str) -> float:
    _, _, quality = part.partition("q=")
    try:
        return float(quality) if quality else 1.0
    except ValueError:
        return 0.0


def wants_html(request: AnyRequest) -> bool:
    if request.scope["path"].startswith("/api/"):
        return False
    try:
        return request.accept.accepts("text/html") or not request.accept.accepts("application/json")
    except OverflowError:  # a weight that is no number between 0 and 1
        return True
