"""Secrets through the site: everything that a viewer receives by HTTP must be the same, byte for
byte, in worlds it cannot tell apart.

A site runs in this process. The match of a table is put into another world, and the viewer asks for
all there is: the page with every choice picked, its parts, the stream, the API, the record, and
errors. The page is also asked for in a language other than English, each of them in turn. Two things
are not compared: cookies, which are encrypted with chance of their own, and the commitment, which is
a hash of the deal that a salt of 128 bits hides; the latter is replaced by a constant.
"""

from __future__ import annotations

import re
import tempfile
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from html import unescape
from html.parser import HTMLParser
from itertools import cycle
from typing import Any, TypeAlias
from unittest.mock import patch

import numpy as np
from httpx import Response
from litestar import Litestar
from litestar.middleware.csrf import generate_csrf_hash
from litestar.middleware.session.client_side import ClientSideSessionBackend, CookieBackendConfig
from litestar.testing import TestClient

from samovar.engine.contract import Game, Options
from samovar.engine.match import Match
from samovar.insight.advice import BEST, Advised
from samovar.language.languages import ENGLISH, LANGUAGES
from samovar.testing.backends import first_difference
from samovar.testing.worlds import indistinguishable_deals, walk_together
from samovar.web.app import make_app
from samovar.web.drawing.looks import RenderedTables
from samovar.web.drawing.scene import make_scene
from samovar.web.drawing.viewer import Viewer
from samovar.web.jobs.bot_pool import BotPool, Question, Thought
from samovar.web.server.shortcut import ShortcutApp
from samovar.web.site import Site
from samovar.web.store.entries import Settings
from samovar.web.tables.table import Table
from samovar.web.tables.tables import Tables

SECRET = bytes(32)
WORLDS = 1  # for each seat and moment; the kit's `worlds.py` looks at many more without a site
HIDDEN = "0" * 64  # instead of a commitment
SEATS = 2  # that are looked at in each moment
MOST_PICKS = 3
LINK = re.compile(r'<a\b(?:[^>"\']|"[^"]*"|\'[^\']*\')*>')
TRANSLATED = LANGUAGES[1:]
SiteClient: TypeAlias = TestClient[Litestar]
SiteAnswers: TypeAlias = dict[str, object]  # by the name of what was asked for

# the token of forms, the same for everybody here
CSRF = "0" * 64 + generate_csrf_hash("0" * 64, SECRET.hex())


class NoBotPool(BotPool):
    """Nobody thinks here: all chairs are people's."""

    def __init__(self) -> None:
        super().__init__(1)

    async def start(self) -> None: ...

    async def think(self, question: Question, *, people: bool = True) -> Thought:
        raise AssertionError("no bot sits here")

    async def advise(self, question: Question) -> tuple[Advised, ...]:
        """Some moves, with chances that follow from all that is told of the seat: if that differs, the hint does."""
        mark = zlib.crc32(question.seat())
        moves = question.legal[:: len(question.legal) // BEST + 1]
        return tuple(Advised(move, (mark + move) % 101 / 100, is_close=bool(move % 2)) for move in moves)


class SameTokens:
    """Instead of random ids: the same for every table, so that two can be compared."""

    def __init__(self) -> None:
        self.made = 0

    def token(self, size: int = 0) -> str:
        self.made += 1
        return f"{self.made:016x}"

    token_urlsafe = token_hex = token

    def randbits(self, size: int) -> int:
        return 0


class PickLinks(HTMLParser):
    """The links of a page that pick something."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.hinted: list[str] = []
        for link in LINK.findall(html):  # most of a page is a drawing, which would be read for nothing
            self.feed(link)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        facts = dict(attrs)
        if tag == "a" and "data-pick" in facts and facts.get("href", "").startswith("?pick="):  # type: ignore[union-attr]
            self.found.append(str(facts["href"]))
            if "hinted" in (facts.get("class") or "").split():
                self.hinted.append(str(facts["href"]))


class Place:
    """One table of a site, with a person on each chair."""

    def __init__(
        self, client: SiteClient, game: Game, seats: int, options: Options, seed: int, *, memory_aid: bool = True
    ) -> None:
        self.client = client
        self.language = TRANSLATED[0]  # besides English; two looks are compared in the same one
        self.settings = Settings(hints=True, memory_aid=memory_aid)
        self.tables: Tables = client.app.state.tables
        self.looks: RenderedTables = client.app.state.looks
        same = SameTokens()
        with ExitStack() as patches:
            for module in ("store.store", "tables.tables", "tables.chairs"):
                patches.enter_context(patch(f"samovar.web.{module}.secrets", same))
            self.table_id = self._call(self._open, game, seats, options, seed)

    def _call(self, function: Callable[..., Any], *arguments: object) -> Any:
        return self.client.blocking_portal.call(function, *arguments)

    async def _open(self, game: Game, seats: int, options: Options, seed: int) -> str:
        table = await self.tables.open(game.id, seats, dict(options), self.settings, [""] * seats)
        table._seed, table.commitment = seed, HIDDEN  # before the match begins
        for seat in range(seats):
            await self.tables.sit(table.id, f"person-{seat}", f"Person {seat}")
        return table.id

    @property
    def table(self) -> Table:
        table: Table = self._call(self.tables.look, self.table_id)
        return table

    def follow(self, match: Match) -> None:
        """Plays what the match has and the table has not."""
        for seat, move in match.history[len(self.table.playing.history) :]:
            self._call(self.tables.move, self.table_id, lambda table, seat=seat: seat, move, self.table.revision)

    def received_by(self, seat: int | None) -> SiteAnswers:
        """All that one viewer can ask the site for."""
        self.looks.forget()  # they are shared by all who see the same, and whether it is the same is the question
        table = self.table
        address, api = f"/table/{table.id}", f"/api/tables/{table.id}"
        key = table.key(seat, self.tables.secret) if seat is not None else ""
        self.client.cookies = _cookies(seat)
        token = {"authorization": f"Bearer {key}"} if key else {}
        got: SiteAnswers = {}

        def ask(name: str, answer: Response) -> str:
            kept = {field: value for field, value in answer.headers.items() if field not in ("set-cookie", "date")}
            got[name] = (answer.status_code, kept, answer.text)
            return answer.text

        page = ask("page", self.client.get(address))
        for link in [*PickLinks(page).found[:MOST_PICKS], "?list", f"?at={len(table.playing.history) - 1}"]:
            ask(link, self.client.get(address + link))
        ask("parts", self.client.get(address, headers={"x-samovar-parts": "1"}))
        ask("translated", self.client.get(address, headers={"accept-language": self.language}))
        ask("screen", self.client.get(f"{address}/screen"))
        ask("screen parts", self.client.get(f"{address}/screen", headers={"x-samovar-parts": "1"}))
        self.client.cookies = _cookies(seat, beside=table.id)
        ask("phone", self.client.get(address))
        self.client.cookies = _cookies(seat)
        self._ask_for_hint(seat, address, ask)
        ask("record", self.client.get(f"/record/{table.id}"))
        ask("review", self.client.get(f"/record/{table.id}/review"))
        ask("api", self.client.get(api, headers=token))
        ask("api moves", self.client.get(f"{api}/moves", headers=token))
        ask("api record", self.client.get(f"{api}/record", headers=token))
        ask("api review", self.client.get(f"{api}/review", headers=token))
        for move in (10**9, "nonsense", 0):
            ask(
                f"api error {move}",
                self.client.post(f"{api}/moves", json={"move": move, "revision": table.revision - 1}, headers=token),
            )
            if move not in (table.playing.legal(seat) if seat is not None else []):
                ask(
                    f"api refusal {move}",
                    self.client.post(f"{api}/moves", json={"move": move, "revision": table.revision}, headers=token),
                )
        viewer = Viewer(None if seat is None else f"person-{seat}", ENGLISH, "", "token", "http://samovar.test")
        message = self._call(self.looks.of, self.table, viewer).message(None)
        got["stream"] = viewer.event(message, is_packed=False).decode()
        got["packed stream"] = viewer.event(message, is_packed=True).hex()
        message = self._call(self.looks.of, self.table, viewer.as_screen()).message(None)
        got["screen stream"] = viewer.as_screen().event(message, is_packed=False).decode()
        return got

    def _ask_for_hint(self, seat: int | None, address: str, ask: Callable[[str, Response], str]) -> None:
        """With its reasons, and after a step that it advises; it is kept in the cookie, which is put away again."""
        given = self.client.post(f"{address}/hint", data={"_csrf_token": CSRF}, follow_redirects=False)
        ask("hint", given)
        self.client.cookies = {**_cookies(seat), **dict(given.cookies)}
        page = ask("hint page", self.client.get(address))
        for link in PickLinks(page).hinted[:1]:
            ask(f"hint {link}", self.client.get(address + link))
        self.client.cookies = _cookies(seat)


def _cookies(seat: int | None, **more: str) -> dict[str, str]:
    if seat is None:
        return {"samovar-form": CSRF}
    sessions = ClientSideSessionBackend(CookieBackendConfig(secret=SECRET, key="samovar"))
    return {
        "samovar": sessions.dump_data({"person": f"person-{seat}", "name": f"Person {seat}", **more})[0].decode(),
        "samovar-form": CSRF,
    }


@contextmanager
def site() -> Iterator[SiteClient]:
    with tempfile.TemporaryDirectory() as folder:
        plan = Site(f"sqlite:///{folder}/samovar.db", SECRET, requests_per_minute=0)
        with running(plan, NoBotPool()) as client:
            yield client


# Apps that can be run once more, by what an app is made with: the secret, and whether it is for HTTPS.
_idle: dict[tuple[bytes, bool], list[ShortcutApp]] = defaultdict(list)


@contextmanager
def running(plan: Site, bot_pool: BotPool) -> Iterator[SiteClient]:
    """A site in this process. To make an app takes longer than to run most tests with it, so one that has done its
    work gets another plan; one that counts requests is used once."""
    alike = [] if plan.requests_per_minute else _idle[plan.secret, plan.public_url.startswith("https:")]
    app = alike.pop() if alike else make_app(plan, bot_pool)
    app.begin()
    app.state.update(site=plan, bot_pool=bot_pool)
    with SiteClient(app, base_url="http://samovar.test") as client:
        yield client
    alike.append(app)


def check_site(game: Game, seats: int, options: Options, seed: int, looks: int = 3) -> None:
    """At a few moments of a match, for some seats and a spectator: worlds that the seat may imagine
    give it the same answers."""
    match = Match(game, seats, seed, plain=True, **options)
    length = match.copy().play_random(seed)
    choose = np.random.default_rng(seed)
    moments = sorted({0, *choose.integers(1, max(2, length), size=looks).tolist()})
    languages = cycle(TRANSLATED)
    with site() as client:
        place = Place(client, game, seats, options, seed)
        for moment in moments:
            match.play_random(seed + moment, limit=moment - len(match.history))
            place.follow(match)
            for seat in sorted(choose.choice(seats, size=min(SEATS, seats), replace=False).tolist()):
                place.language = next(languages)
                check_moment(place, seat, seed + moment)


def check_moment(place: Place, seat: int, seed: int) -> None:
    match = place.table.playing
    if match.over:
        return
    truth = match.states.copy()
    seen, public = place.received_by(seat), place.received_by(None)
    _compare(_of_screen(seen), _of_spectator(public), f"a screen that player {seat + 1} has opened")
    try:
        for number in range(WORLDS):
            match.states[:] = match.imagine(seat, seed * 100 + number).states
            moment = f"seat {seat} after {len(match.history)} moves, world {number}"
            _compare(seen, place.received_by(seat), moment)
            _compare(public, place.received_by(None), f"a spectator, {moment}")
            match.states[:] = truth
    finally:
        match.states[:] = truth


def _of_screen(got: SiteAnswers) -> SiteAnswers:
    return {"parts": got["screen parts"], "stream": got["screen stream"]}


def _of_spectator(got: SiteAnswers) -> SiteAnswers:
    return {"parts": got["parts"], "stream": got["stream"]}


def _compare(one: SiteAnswers, other: SiteAnswers, moment: str) -> None:
    assert one.keys() == other.keys(), f"{moment}: other choices can be clicked: {set(one) ^ set(other)}"
    for name, answer in one.items():
        assert answer == other[name], (
            f"{moment}: {name!r} tells worlds apart:\n{_first_difference(str(answer), str(other[name]))}"
        )


def _first_difference(one: str, other: str) -> str:
    place = first_difference(one, other)
    return f"{one[max(0, place - 80) : place + 80]!r}\n{other[max(0, place - 80) : place + 80]!r}"


def check_fading(game: Game, seats: int, options: Options, seed: int, looks: int = 3) -> int:
    """What has faded for a viewer is in no answer to them. Says how many sentences have."""
    match = Match(game, seats, seed, plain=True, **options)
    length = match.copy().play_random(seed)
    choose = np.random.default_rng(seed)
    count, languages = 0, cycle(TRANSLATED)
    with site() as client:
        place = Place(client, game, seats, options, seed, memory_aid=False)
        for moment in sorted(choose.integers(length // 4, length, size=looks).tolist()):
            match.play_random(seed + moment, limit=moment - len(match.history))
            place.follow(match)
            for viewer in (None, int(choose.integers(seats))):
                place.language = next(languages)
                count += _check_faded(place, viewer)
    return count


def _check_faded(place: Place, viewer: int | None) -> int:
    gone = faded_sentences(place.table, viewer)
    moment = f"{viewer} after {len(place.table.playing.history)} moves"
    for name, answer in place.received_by(viewer).items():
        text = unescape(answer[-1] if isinstance(answer, tuple) else str(answer))
        for sentence in gone:
            assert sentence not in text, f"{moment}: {name!r} still tells {sentence!r}"
    return len(gone)


def faded_sentences(table: Table, viewer: int | None) -> set[str]:
    """All that the viewer was told of the match and has to remember now."""
    match = table.playing
    view, past = match.view(viewer), match.log(viewer)
    sentences: set[str] = set()
    for language in match.game.words:
        tell = make_scene(match, viewer, language, table.people).tell
        kept = {tell(event) for events in past[:-1] for event in match.game.fade(events, view)}
        kept |= {tell(event) for event in view.news}
        sentences |= {tell(event) for events in past for event in events} - kept
    return sentences


def check_proven(game: Game, seats: int, options: Options, *, deals: int, limit: int = 40, every: int = 3) -> int:
    """Two deals that a seat cannot tell apart, played on side by side at two tables: with all their
    past they give it the same answers."""
    compared = 0
    for seat in range(seats):
        for seeds in indistinguishable_deals(game, seats, options, seat, deals)[:1]:
            with site() as one_site, site() as other_site:
                clients = (one_site, other_site)
                places = [
                    Place(client, game, seats, options, seed) for client, seed in zip(clients, seeds, strict=True)
                ]

                def compare(one: Match, other: Match, seat: int, places: list[Place] = places) -> None:
                    nonlocal compared
                    if len(one.history) % every == 0:
                        for place, match in zip(places, (one, other), strict=True):
                            place.language = TRANSLATED[compared % len(TRANSLATED)]
                            place.follow(match)
                        moment = f"seat {seat} after {len(one.history)} moves of seeds {one.seed} and {other.seed}"
                        _compare(places[0].received_by(seat), places[1].received_by(seat), moment)
                        compared += 1

                one, other = (Match(game, seats, seed, plain=True, **options) for seed in seeds)
                walk_together(one, other, seat, limit, compare)
    return compared
