"""One evening: a new site, a few people, and so many deeds one after the other. The same seed, the same
evening."""

from __future__ import annotations

import asyncio
import json
import random
import re
import tempfile
import time
from collections import Counter, deque
from contextlib import nullcontext
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path

from . import circles, other_worlds, school, together
from .deeds import COPY, CRASH, DEEDS, EVENTS, RESTART, SLEEP, TIME
from .houses import Fault, House
from .keys import CHAIR, OWN, Keys
from .ledger import Ledger
from .people import Browser, Request

PEOPLE = (("Anna", "en"), ("Boris", "de"), ("Chloé", "fr"), ("Dmitri", "en"), ("Eeva", "et"))
MOST_BROWSERS = 9
RECENT = 6  # tables at which most happens
LAST_DEEDS = 12  # that are told when something does not hold
SHARED_MEMORY = "/dev/shm"
REFUSED = (401, 403, 404, 410)
PASSES = (40, 700, 3_000, 20_000, 70_000, 130_000, 310_000)  # milliseconds
LONG_PASSES = (5 * 3_600_000, 26 * 3_600_000)
ROWS = [*DEEDS, *EVENTS]
WEIGHTS = list(accumulate(row.weight for row in ROWS))

# how often a step is followed by a look that takes longer
WORLDS, FOLDS, DEAD_KEYS, GOOD_KEYS, TWICE, AT_ONCE, AFTER = 0.04, 0.04, 0.15, 0.03, 0.06, 0.03, 0.25
STRANGERS, MUTED, ANSWERS = 0.08, 0.05, 0.15


@dataclass
class Tally:
    """What was done, and how often it was looked at."""

    ok: Counter = field(default_factory=Counter)
    refused: Counter = field(default_factory=Counter)
    kinds: Counter = field(default_factory=Counter)  # of entries
    looks: Counter = field(default_factory=Counter)

    @property
    def deeds(self):
        return self.ok.total() + self.refused.total()

    def told(self):
        rows = [f"  {row.name:28} {self.ok[row.name]:6} done {self.refused[row.name]:6} refused" for row in ROWS]
        looks = ", ".join(f"{count} {name}" for name, count in sorted(self.looks.items()))
        kinds = ", ".join(f"{count} {name}" for name, count in sorted(self.kinds.items()))
        return "\n".join([*rows, f"{self.deeds} deeds; {looks}", f"entries: {kinds}"])


@dataclass
class Club:
    id: str
    host: Browser
    members: list[Browser] = field(default_factory=list)


def is_gone(table):
    """Nobody can come to it any more."""
    return bool(table.cancelled_by) or table.is_closed


class Evening:
    """What deeds choose from, and what must hold after each of them."""

    def __init__(self, house, seed, tally):
        self.house, self.tally = house, tally
        self.choose = random.Random(f"evening {seed}")
        self.ledger = Ledger(house.path)
        self.keys = Keys(self.ledger)
        self.crowd = [Browser(name, language) for name, language in PEOPLE[: self.choose.randrange(2, 6)]]
        self.crowd += [Browser("spectator"), Browser("Olga")]
        self.cuts = Counter()  # how often people have cut off their other devices
        self.clubs: list[Club] = []
        self.classes: list[school.Class] = []
        self.circle_links = []  # by which people come, or came before
        self.tours = []  # records that people look at together
        self.known_tours = {}  # as they were when somebody last asked for them
        self.tour = None  # the one that a request is about, as it was before
        self.seen_together = (), (), ()
        self.pupils = [Browser(f"{name}'s tablet") for name in school.PUPILS]
        self.stranger = Browser("stranger")
        self.at_home = set()  # people with a page of their own
        self.rows = DEEDS
        self._began = tally.deeds
        self.last = deque(maxlen=LAST_DEEDS)

    # Choosing: people

    def anybody(self):
        return self.choose.choice(self.crowd)

    def person_of(self, browser):
        """Who the site must take a browser for: nobody, if its device was cut off since."""
        session = browser.session
        person = session.get("person")
        return person if person and session.get("cuts", 0) == self.cuts[person] else None

    def device_of(self, browser):
        """What the site must call a browser that several share: nothing, if it was cut off since."""
        is_cut_off = "person" in browser.session and self.person_of(browser) is None
        return "" if is_cut_off else browser.session.get("device", "")

    def chairs_here(self, table, browser):
        """The seats that a browser holds, and no others."""
        person, device = self.person_of(browser), self.device_of(browser)
        return [
            chair.seat
            for chair in table.chairs
            if any(one == person or (device and one.startswith(f"{device}+")) for one in chair.persons)
        ]

    def holds(self, browser, table_id, seat):
        return table_id in self.ledger.tables and seat in self.chairs_here(self.ledger.tables[table_id], browser)

    def holder(self, table, seat):
        return next((browser for browser in self.crowd if seat in self.chairs_here(table, browser)), None)

    def somebody_at(self, table):
        """Most often one who sits there."""
        there = [browser for browser in self.crowd if self.chairs_here(table, browser)]
        return self.choose.choice(there) if there and self.choose.random() < 0.9 else self.anybody()

    def somebody_known(self):
        """Most often one who has a page of their own."""
        known = [browser for browser in self.crowd if self.person_of(browser)]
        known = [browser for browser in known if self.person_of(browser) in self.at_home] or known
        return self.choose.choice(known) if known else None

    def owner(self):
        """A browser of an owner of the site, if there is one."""
        return next((one for one in self.crowd if self.ledger.is_owner(self.person_of(one))), None)

    def somebody_sharing(self, table):
        return next((one for one in self.crowd if len(self.chairs_here(table, one)) > 1), None)

    def chairs_of(self, person):
        """All chairs that a person holds, anywhere."""
        return [
            (table.id, chair.seat)
            for table in self.ledger.tables.values()
            for chair in table.chairs
            if person and person in chair.persons and not is_gone(table)
        ]

    def chairs_of_companions(self, browser):
        device = self.device_of(browser)
        return [
            (table.id, chair.seat)
            for table in self.ledger.tables.values()
            for chair in table.chairs
            if device and any(one.startswith(f"{device}+") for one in chair.persons)
        ]

    def class_of(self, browser):
        """The class that is all a pupil sees; empty for everybody else."""
        return self.ledger.class_of(self.person_of(browser))

    # Choosing: tables

    def recent(self):
        return self.ledger.order[-RECENT:]

    def table(self, status=None, suits=lambda table: True):
        """One of the last, or of all."""
        ids = self.recent() if self.choose.random() < 0.85 else self.ledger.order
        found = [
            table
            for table in map(self.ledger.tables.get, ids)
            if not is_gone(table) and status in (None, table.status) and suits(table)
        ]
        return self.choose.choice(found) if found else None

    def is_for_browsers(self, table):
        return any(not table.chairs[seat].level and self.holder(table, seat) for seat in table.playing.actors)

    def is_for_keys(self, table):
        return any(not table.chairs[seat].level and self.keys.good(table.id, seat) for seat in table.playing.actors)

    def is_of_a_club(self, table):
        return bool(table.series) and not table.is_daily

    def is_shared(self, table):
        return self.somebody_sharing(table) is not None

    def actor(self, table):
        """A seat that is to act, in a pause too, and its browser; now and then somebody else's."""
        held = [(seat, self.holder(table, seat)) for seat in table.playing.actors]
        there = [(seat, browser) for seat, browser in held if browser is not None]
        seat, browser = self.choose.choice(there) if there else (table.playing.actors[0], self.anybody())
        return (seat, browser) if self.choose.random() < 0.95 else (seat, self.anybody())

    def some_move(self, table, seat):
        return table.playing.move_text(seat, self.choose.choice(table.playing.legal(seat)))

    def some_key(self):
        keys = list(self.keys.chairs.values())
        return self.choose.choice(keys[-30:] if self.choose.random() < 0.8 else keys) if keys else None

    def some_link(self):
        links = list(self.keys.links.values())
        return self.choose.choice(links[-5:]) if links else None

    def some_record(self):
        over = [table for table in self.ledger.tables.values() if table.status == "over" and not table.series]
        return self.choose.choice(over).kept_record if over else None

    # Making requests

    def at_table(self, status, what, table=None, seat_of=None, gives_up=False, **form):
        """A form of a table's page."""
        table = table or self.table(status)
        if table is None:
            return None
        browser = self.holder(table, seat_of) if seat_of is not None else self.somebody_at(table)
        browser = browser or self.anybody()
        here = self.chairs_here(table, browser)
        seat = seat_of if seat_of in here else self.choose.choice(here) if here else -1
        chairs = [(table.id, seat)] if gives_up and here else []
        return Request(
            browser, "POST", f"/table/{table.id}/{what}", {**form, "hand": seat}, gives_up=chairs, needs_seat=True
        )

    def by_key(self, what, method="POST", table=None, or_nobody=False, first_only=False, gives_up=False, **data):
        """Something that programs do; now and then with a key of before, of another table, or none."""
        keys = [key for chair in (table.chairs if table else ()) if (key := self.keys.good(table.id, chair.seat))]
        key = self.choose.choice(keys) if keys and self.choose.random() < 0.9 else self.some_key()
        if key is None:
            return None
        address = f"/api/tables/{key.table}/{what}".rstrip("/")
        token = "" if or_nobody and self.choose.random() < 0.2 else key.text
        chairs = [key.chair] if gives_up and self.keys.is_good(key) else []
        body = data if method == "POST" else None
        return Request(None, method, address, data=body, token=token, first_only=first_only, gives_up=chairs)

    def at_club(self, what, by="", **form):
        if not self.clubs:
            return None
        club = self.choose.choice(self.clubs[-2:])
        right = {"host": [club.host], "member": club.members}.get(by) if self.choose.random() < 0.9 else None
        return Request(self.choose.choice(right or self.crowd), "POST", f"/club/{club.id}/{what}", form)

    def given_up_by_coming(self, browser, key, leaves):
        """The chairs whose keys are spent when somebody comes by a personal link."""
        table, person = self.ledger.tables[key.table], self.person_of(browser)
        if person and person in table.chairs[key.seat].persons:
            return []
        own = table.seat_of(person)
        is_alone = own is not None and len(table.chairs[own].persons) == 1
        return [key.chair, *([(table.id, own)] if is_alone and leaves else [])]

    # Steps

    async def spend(self, deeds, until=None):
        while self.done < deeds and (until is None or time.monotonic() < until):
            await self.step()
        await self.finish()

    @property
    def done(self):
        return self.tally.deeds - self._began

    async def step(self):
        """One deed, and the question whether all still holds."""
        row = self.choose.choices(ROWS, cum_weights=WEIGHTS)[0]
        if row in EVENTS:
            self.last.append(row.name)
            await self._happen(row.name)
            self.tally.ok[row.name] += 1
            return await self._look()
        request = row.how(self)
        if request is None:
            return None
        times = 2 if self.choose.random() < TWICE else 1
        if self.choose.random() < AT_ONCE and not request.first_only:
            return await self._do_at_once(row.name, request)
        for _ in range(times):
            answer = await self.do(row.name, request)
        if answer.status == 303 and self.choose.random() < AFTER:
            await self.do("look at a table", Request(request.browser, "GET", answer.header(b"location")))
        return None

    async def _happen(self, name):
        house, choose = self.house, self.choose
        if name == TIME:
            await house.time_passes(choose.choice(PASSES if choose.random() < 0.97 else LONG_PASSES))
        elif name == SLEEP:
            await house.time_passes(choose.choice((7_000, 400_000, *LONG_PASSES)), is_here=False)
        elif name in (RESTART, CRASH):
            await (house.crash() if name == CRASH else house.close())
            house.now += choose.choice((30, 2_000, 500_000))
            await house.open()
            self.tally.looks["restarts" if name == RESTART else "power cuts"] += 1
        elif name == COPY:
            if len(self.crowd) >= MOST_BROWSERS:
                self.crowd.pop(self.choose.randrange(len(PEOPLE), MOST_BROWSERS))
            one = self.anybody()
            self.crowd.append(one.copy(f"{one.device_name}'s copy") if choose.random() < 0.7 else Browser("new"))

    async def do(self, name, request):
        """Asks, and looks at the answer and at all that came of it."""
        self.last.append(f"{name}: {request}")
        before = self._before(request)
        self.tour = await together.before(self, request)
        answer = await self._ask(request)
        await self._look()
        self._count(name, answer)
        self._check(request, answer, before)
        self._learn(request, answer)
        await self._look_longer(request)
        return answer

    async def has_token(self, browser):
        """Whoever sends a form has seen a page before."""
        if not browser.token:
            browser.keep(await self.house.ask("GET", "/offline", browser.headers()))

    async def _ask(self, request):
        if request.browser and (request.form is not None or request.record is not None):
            await self.has_token(request.browser)
        answer = await self.house.ask(
            request.method, request.address, request.headers, request.body, first_only=request.first_only
        )
        if request.browser:
            request.browser.keep(answer)
        if request.record is not None and answer.is_ok:  # nobody watches it, so nobody is told of it
            self.house.touched.add(answer.header(b"location").rsplit("/", 1)[1])
        await self.house.settle()
        return answer

    async def _do_at_once(self, name, request):
        """The same twice at the same time. Which of them was the first nobody can tell, so little is asked of
        the answers."""
        self.last.append(f"{name}, twice at once: {request}")
        answers = await asyncio.gather(self._ask(request), self._ask(request))
        await self._look()
        for answer in answers:
            self._count(name, answer)
            self._check_sound(request, answer)
        if any(answer.is_ok for answer in answers):
            self._give_up(request)
        # the second may have cut off, or forgotten, who the first has made of the browser
        if request.cuts and all(answer.is_ok for answer in answers):
            self.cuts[request.cuts] += 1
        self.tally.looks["twice at once"] += 1

    def _count(self, name, answer):
        (self.tally.ok if answer.is_ok else self.tally.refused)[name] += 1

    # What must hold

    def _before(self, request):
        """What is known before a request, and decides whether it may be done."""
        key = self._key_of(request)
        table = self._table_of(request)
        return {
            "good": key is None or self.keys.is_good(key),
            "key": key,
            "spent": (link := self._link_of(request)) is not None and link.is_spent,
            "sits": table is None or request.browser is None or bool(self.chairs_here(table, request.browser)),
            "circle": circles.before(self, request),
            "head": table.head if table else 0,
            "class": request.browser is not None and self.class_of(request.browser),
            "owns": request.browser is not None and self.ledger.is_owner(self.person_of(request.browser)),
        }

    def _key_of(self, request):
        """The key of a chair that a request comes with."""
        table_id = self._table_id(request)
        if request.token:
            return self.keys.chairs.get((table_id, request.token))
        found = CHAIR.search(request.address)
        return self.keys.chairs.get(found.groups()) if found else None

    def _link_of(self, request):
        found = OWN.search(request.address)
        return self.keys.links.get(found[1]) if found else None

    def _table_id(self, request):
        found = re.match(r"/(?:api/tables|table|record)/([\w-]+)", request.address)
        return found[1] if found else ""

    def _table_of(self, request):
        return self.ledger.tables.get(self._table_id(request))

    def _check_sound(self, request, answer):
        if answer.status >= 500 or not answer.status:
            raise Fault(f"server: {answer.status} for {request}: {answer.text[:300]}")

    def _check(self, request, answer, before):
        self._check_sound(request, answer)
        if before["class"] and answer.header(b"location") == f"/class/{before['class']}":
            return  # a pupil is led back: that is no answer to what they asked
        circles.check(before["circle"], request, answer)
        if not before["good"] and answer.status not in REFUSED:
            raise Fault(f"keys: a key that was given up is answered {answer.status}: {request} {before['key']}")
        if before["spent"] and answer.status not in REFUSED:
            raise Fault(f"keys: a link that was spent is answered {answer.status}: {request}")
        if request.needs_seat and not before["sits"] and answer.is_ok:
            raise Fault(f"keys: who does not sit there is answered {answer.status}: {request}")
        if request.address.startswith("/owner") and not before["owns"] and answer.status not in REFUSED:
            raise Fault(f"owners: who is none is answered {answer.status}: {request}")
        if before["class"] == (request.browser is not None and self.class_of(request.browser)):
            school.check(self, request, answer)
            together.check(self, request, answer, self.tour)
        self._check_series(request, answer)
        self._check_nobody_is_told(request, before)

    def _check_nobody_is_told(self, request, before):
        """Whoever makes moves ahead changes nothing that others could see."""
        table = self._table_of(request)
        is_of_plans = request.method == "POST" and re.search(r"/ahead(-\w+)?$", request.address)
        if is_of_plans and table is not None and isinstance(self.house, House) and table.head != before["head"]:
            raise Fault(f"ahead: the log tells of moves that were made ahead: {request}")

    def _check_series(self, request, answer):
        """Nobody looks on while others play the same cards."""
        table = self._table_of(request)
        if table is None or not table.series or table.status != "playing" or not answer.is_ok or request.token:
            return
        if request.method != "GET" or (request.browser and self.chairs_here(table, request.browser)):
            return
        if re.fullmatch(r"/(?:api/tables|table|record)/[\w-]+(?:/record|/download)?(?:\?.*)?", request.address) is None:
            return
        closes = self.ledger.closes(table.series)
        person = request.browser and self.person_of(request.browser)
        has_finished = not table.is_daily and any(
            one.series == table.series and one.deal == table.deal and one.status == "over" and person in one.holders
            for one in self.ledger.tables.values()
        )
        if closes is not None and closes > self.house.now and not has_finished:
            raise Fault(f"series: somebody looks on at {table.series} while it is played: {request}")

    def _give_up(self, request):
        self.keys.give_up(request.gives_up)
        if request.spends:
            self.keys.spend(request.spends)
        if request.cuts:
            self.cuts[request.cuts] += 1
        if request.forgets:
            self.cuts[request.forgets] = 0

    def _learn(self, request, answer):
        """Which keys are of no use any more, and which were shown."""
        if answer.is_ok:
            self._give_up(request)
            self._learn_of_clubs(request, answer)
            together.learn(self, request, answer)
            if request.address == "/me" and request.method == "POST":
                self.at_home.add(self.person_of(request.browser))
        if request.browser is not None:
            own = CHAIR.search(request.address)
            shown = [found for found in CHAIR.findall(answer.text) if not own or found != own.groups()]
            for table_id, text in shown:
                if not self.holds(request.browser, table_id, int(text[0])):
                    raise Fault(f"keys: {request.browser} is shown the key of another's chair by {request}: {text}")
                self.keys.learn(table_id, text)
            if request.address == "/me" and answer.is_ok:
                for text in OWN.findall(answer.text):
                    self.keys.learn_link(self.person_of(request.browser), text)
        elif answer.is_ok and request.address.startswith("/api/tables") and answer.body[:1] == b"{":
            self._learn_tokens(request, json.loads(answer.text))

    def _learn_of_clubs(self, request, answer):
        if request.method == "POST" and request.address == "/club":
            self.clubs.append(Club(answer.header(b"location").rsplit("/", 1)[1], request.browser))
        elif request.method == "POST" and request.address == "/class/new" and "/class/" in answer.header(b"location"):
            self.classes.append(school.Class(answer.header(b"location").rsplit("/", 1)[1], request.browser))
        elif request.address.startswith("/club/") and request.address.endswith("/join"):
            club = next(club for club in self.clubs if f"/{club.id}/" in request.address)
            club.members.append(request.browser)

    def _learn_tokens(self, request, told):
        again = told if request.address.endswith("/again") else told.get("again")
        if again:
            self.keys.check_next(again, self._next_seat(request) if request.token else None)
            told = {**again, "tokens": ()}
        for text in [*(told.get("tokens") or ()), told.get("token")]:
            if text:
                self.keys.learn(told["table"], text)

    def _next_seat(self, request):
        """Where whoever has this token sits at the table that follows, after everybody moved on."""
        table = self._table_of(request)
        return (int(request.token[0]) + self.ledger.shifts.get(table.id, 0)) % table.seats

    async def _look(self):
        """What was written, and what the site has in memory of it."""
        house = self.house
        await house.settle()
        touched, house.touched = house.touched, set()
        if house.complaints.heard:
            raise Fault(f"server: it complains: {house.complaints.heard[0]}")
        self.ledger.read(touched)
        for table_id in sorted(touched):
            if table_id in self.ledger.tables:
                self._check_table(table_id)

    def _check_table(self, table_id):
        self.tally.looks["tables compared with their logs"] += 1
        held = self.in_memory(table_id)
        if held is not None:
            self.ledger.check_memory(table_id, held)
        self.ledger.check_row(table_id)
        if self.choose.random() < FOLDS:
            self.ledger.check_fold(table_id)
            self.tally.looks["logs folded"] += 1

    def in_memory(self, table_id):
        """A table as the site has it at hand, if it has."""
        held = self.house.tables._cached.get(table_id)
        return held and held.table

    async def _look_longer(self, request):
        """Now and then, since it takes longer."""
        if self.choose.random() < STRANGERS:
            await school.look_as_a_stranger(self, request)
        if self.choose.random() < MUTED or request.address.endswith("/mute"):
            await school.look_with_muted_eyes(self)
        if self.choose.random() < ANSWERS:
            await together.look_for_answers(self)
        if self.choose.random() < DEAD_KEYS:
            await self._try_a_dead_key()
        if self.choose.random() < GOOD_KEYS:
            await self._try_a_good_key()
        if self.choose.random() < WORLDS:
            await self._compare_worlds()

    async def _try_a_dead_key(self):
        """It opens nothing: no look, no word, no move."""
        dead = self.keys.dead()
        if not dead:
            return
        key = self.choose.choice(dead)
        api, table = f"/api/tables/{key.table}", self.ledger.tables[key.table]
        request = self.choose.choice(
            (
                Request(None, "GET", api, token=key.text),
                Request(None, "GET", api, token=key.text),
                Request(None, "GET", f"{api}/moves", token=key.text),
                Request(None, "POST", f"{api}/talk", data={"text": "Boo!"}, token=key.text),
                Request(None, "POST", f"{api}/moves", data={"move": 0, "revision": table.revision}, token=key.text),
                Request(None, "POST", f"{api}/resign", data={}, token=key.text),
                Request(None, "POST", f"{api}/again", data={}, token=key.text),
                Request(self.anybody(), "GET", f"/table/{key.table}/come/{key.text}"),
            )
        )
        self.last.append(f"dead key: {request}")
        answer = await self._ask(request)
        self.tally.looks["dead keys tried"] += 1
        if answer.status not in REFUSED:
            raise Fault(f"keys: a key that was given up is answered {answer.status}: {request} {key}")

    async def _try_a_good_key(self):
        """It opens what it is for: else all that is asked of the dead ones would be said of nothing."""
        good = [key for key in list(self.keys.chairs.values())[-20:] if self.keys.is_good(key)]
        good = [key for key in good if not is_gone(self.ledger.tables[key.table])]
        if good:
            key = self.choose.choice(good)
            request = Request(None, "GET", f"/api/tables/{key.table}", token=key.text)
            self.last.append(f"good key: {request}")
            answer = await self._ask(request)
            self.tally.looks["good keys tried"] += 1
            if answer.status != 200 or json.loads(answer.text)["seat"] != key.seat:
                raise Fault(
                    f"keys: a key that nobody gave up is answered {answer.status}: {request} {key} {answer.text[:200]}"
                )

    async def _compare_worlds(self):
        table = self.table("playing", other_worlds.has_worlds)
        if table is not None:
            browser = self.somebody_at(table) if self.choose.random() < 0.8 else self.anybody()
            self.last.append(f"other worlds of {table.id} for {browser}")
            if await other_worlds.compare(self, table.id, browser):
                self.tally.looks["worlds compared"] += 1
            await self.house.settle()

    async def finish(self):
        """All logs once more, and all tables as a site finds them that starts anew."""
        await self.house.crash()
        await self.house.open()
        for table_id, table in self.ledger.tables.items():
            self.ledger.check_fold(table_id)
            self.tally.looks["logs folded"] += 1
            if not is_gone(table):
                await self.house.tables.look(table_id)
        await self._look()
        self.tally.kinds += self.ledger.kinds


async def spend(seed, deeds, tally, until=None, broken=nullcontext):
    """One evening of so many deeds, or until the time is up. `broken`: at a site that is broken like this."""
    with broken(), tempfile.TemporaryDirectory(dir=memory()) as folder:
        house = House(folder, seed)
        with house.in_its_time():
            await house.open()
            evening = Evening(house, seed, tally)
            try:
                await evening.spend(deeds, until)
            except Exception as error:
                raise failed(evening, seed, error) from error
            finally:
                evening.ledger.close()
                await house.close()


def failed(evening, seed, error):
    """With all that is needed to see it again."""
    told = "\n  ".join(evening.last)
    what = str(error) if isinstance(error, Fault) else repr(error)
    return Fault(f"{what}\nseed {seed}, after {evening.done} deeds; the last were:\n  {told}")


def memory():
    """A folder that no disk has to keep, where there is one."""
    return SHARED_MEMORY if Path(SHARED_MEMORY).is_dir() else None
