"""A site for tests, in this process, and visitors who see its pages as a browser without scripts
does."""

import random
import re
from contextlib import contextmanager
from functools import cached_property
from urllib.parse import urljoin

import httpx
from litestar.testing import TestClient

from samovar.insight.advice import Advised
from samovar.testing import site as kit
from samovar.web.jobs.bot_pool import Thought
from samovar.web.site import Site
from support.markup import Reader

SECRET = bytes(range(32))
UNREAD = {"script", "style", "noscript"}  # nobody reads what stands between
KNOWN_TAGS = {"form", "a", "input", "button", "select", "option", *UNREAD}


class RandomBotPool:
    """Answers at once, by chance: bots' strength is not what is tested here."""

    def __init__(self):
        self.asked = []
        self.ready = set()

    async def start(self): ...

    async def close(self): ...

    def metrics(self):
        return {"asked": float(len(self.asked))}

    def keep_ready(self, games):
        self.ready |= {*games}

    async def think(self, question, *, people=True):
        self.asked.append(question)
        return Thought(random.Random(question.bot_seed).choice(question.legal), (), False)

    async def advise(self, question):
        self.asked.append(question)
        moves = random.Random(question.bot_seed).sample(question.legal, min(3, len(question.legal)))
        return tuple(Advised(move, 0.6 - number / 10, number < 2) for number, move in enumerate(moves))


@contextmanager
def running(folder, bot_pool=None, **site):
    """A site on a database in this folder."""
    told = {"requests_per_minute": 0, "bot_pause": 0.0, "open_metrics": True, **site}
    plan = Site(f"sqlite:///{folder}/samovar.db", SECRET, **told)
    with kit.running(plan, bot_pool or RandomBotPool()) as client:
        yield client


class Onlooker:
    """A visit for streams: somebody who stays."""

    client_address = ""

    def __init__(self, state):
        self.tables = state.tables

    async def is_still_here(self):
        return True


class Page:
    """What is on a page: forms with their fields and buttons, links, and the text that can be read."""

    def __init__(self, html):
        self.html = html
        self._read = PageReader(html)  # at once: so what cannot be read is told of every page

    @property
    def forms(self):
        return self._read.forms

    @property
    def links(self):
        return self._read.links

    @cached_property
    def text(self):
        return "".join(self._read.texts)

    def form(self, ending):
        return next(form for form in self.forms if form["action"].endswith(ending))

    @property
    def words(self):
        return re.sub(r"\s+", " ", self.text)


class PageReader(Reader):
    def __init__(self, html):
        self.forms = []
        self.links = []
        self.texts = []
        self._skip = 0
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        if tag not in KNOWN_TAGS:  # nearly all are of a drawing
            return
        facts = dict(attrs)
        if tag == "form":
            self.forms.append({"action": facts.get("action", ""), "fields": {}, "buttons": [], "boxes": []})
        elif tag == "a":
            self.links.append(facts)
        elif tag in UNREAD:
            self._skip += 1
        elif self.forms and tag in ("input", "button", "select"):
            self._field(tag, facts)
        elif tag == "option" and self.forms and self.forms[-1].get("selecting"):
            fields, name = self.forms[-1]["fields"], self.forms[-1]["selecting"]
            if "selected" in facts or fields.get(name) is None:
                fields[name] = facts.get("value", "")

    def _field(self, tag, facts):
        form = self.forms[-1]
        if tag == "button":
            form["buttons"].append(facts)
        elif tag == "select":
            form["selecting"] = facts.get("name")
            form["fields"][facts.get("name")] = None
        elif facts.get("type") == "checkbox":
            form["boxes"].append(facts)
        elif facts.get("name") and (facts.get("type") != "radio" or "checked" in facts):
            form["fields"][facts["name"]] = facts.get("value", "")

    def handle_endtag(self, tag):
        if tag in UNREAD:
            self._skip -= 1

    def handle_data(self, data):
        if not self._skip:
            self.texts.append(data)


class Visitor:
    """Somebody with a browser of their own, without scripts."""

    def __init__(self, client, language="en"):
        self.client = TestClient(client.app, base_url="http://samovar.test")
        self.client.blocking_portal = client.blocking_portal
        self.client.headers["accept-language"] = language
        self.client.headers["accept"] = "text/html"
        self.page = None
        self.address = ""
        self.status = 0

    def go(self, address):
        return self._see(self.client.get(urljoin(self.address or "/", address), follow_redirects=True))

    def _see(self, answer):
        self.status = answer.status_code
        self.address = str(answer.url).replace("http://samovar.test", "")
        self.page = Page(answer.text)
        return self.page

    def send(self, ending, **facts):
        """Fills in the form whose address ends like this, and sends it."""
        form = self.page.form(ending)
        return self._see(self.client.post(form["action"], data={**form["fields"], **facts}, follow_redirects=True))

    def move(self, choose):
        """One move on the page of a table, by clicking; None if there is nothing to click."""
        form = (
            self.page.form("/move")
            if any(form["action"].endswith("/move") for form in self.page.forms)
            else {"buttons": [], "boxes": []}
        )
        links = [link for link in self.page.links if "data-pick" in link and "pick=" in link["href"]]
        picks = [link["href"] for link in links if "picked" not in link.get("class", "")]
        moves = [button["value"] for button in form["buttons"] if button.get("name") == "move"]
        if form["boxes"]:
            wanted = int(re.search(r'data-several="(\d+)"', self.page.html)[1])
            boxes = [box["value"] for box in form["boxes"]]
            return self.send("/move", move=moves[0], **{"with": choose.sample(boxes, wanted)})
        if moves:
            return self.send("/move", move=choose.choice(moves))
        if picks:
            self.go(choose.choice(picks))
            return self.move(choose)
        return None


def asked_from(site, host, path, by_name="localhost:8080", **headers):
    async def get():
        transport = httpx.ASGITransport(site.app, client=(host, 50000))
        async with httpx.AsyncClient(transport=transport, base_url=f"http://{by_name}") as client:
            return await client.get(path, headers={name.replace("_", "-"): value for name, value in headers.items()})

    return site.blocking_portal.call(get)
