"""Leaves behind what a version of Samovar writes, so that every later one is tested with it:
`make stored REVISION=v1.2.3 NAME=1.2.3`, which `make release` does for each release.

The revision is checked out into a folder of its own and runs there, with the packages that are
installed here. A site of it is visited as people with browsers do, by the forms of its pages: these
are what changes least from version to version. What a version has no form for is left out, and
`facts.json` says so. Besides there are records of every variant, tournaments, and a network with the
checkpoint of its learner.

In the folder that comes out: `samovar.db.gz` (the file itself, not a dump of it: a migration meets
what the old SQLite statements made), `facts.json` (who can come back to which table, and how),
`records.jsonl.gz`, `arena/` and `learned/`.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
import time
import tomllib
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import httpx

ROOT = Path(__file__).parent.parent
STORED = ROOT / "tests" / "data" / "stored"
GAMES = ("matryoshka", "memoarrrr", "varvitikud", "babuschka")
OPTIONS = {"babuschka": {"patience": "2"}}  # by chance it would go on for hundreds of moves
DATABASE = "samovar.db"
START_S, TURN_S = 60, 240  # the first turn of a bot waits until the rules are compiled
PAUSE_S, AWAY_S = 0.05, 3
# of a browser that does not exist
PUSH_KEY = "BGsX0fLhLEJH-Lzm5WOkQPJ3A32BLeszoPShOUXYmMKWT-NC4v4af5uO5-tKfA-eFivOM1drMV7Oy7ZAaDe_UfU"
NONCE = "0123456789abcdef" * 2  # what a browser with scripts would bring to the deal


class Lacking(Exception):
    """This version has no form for that."""


# A version that runs


@dataclass(frozen=True)
class Version:
    """A revision in a folder of its own."""

    folder: Path

    @classmethod
    def unpack(cls, root: Path, revision: str, folder: Path) -> Version:
        packed = subprocess.run(["git", "archive", revision], cwd=root, check=True, capture_output=True).stdout
        with tarfile.open(fileobj=io.BytesIO(packed)) as files:
            files.extractall(folder, filter="data")
        version = cls(folder)
        for project, place in version.projects.items():
            describe(project, place)
        return version

    @property
    def projects(self) -> dict[Path, Path]:
        """Where each package says what it is, and where its modules are. Games beside it are its own
        too: today's might not run with it."""
        example = self.folder / "examples" / "connect_four"
        return {self.folder: self.folder / "src"} | ({example: example} if example.exists() else {})

    @property
    def environment(self) -> dict[str, str]:
        path = os.pathsep.join(map(str, self.projects.values()))
        home = self.folder / "home"
        own = {"PYTHONPATH": path, "HOME": str(home), "SAMOVAR_DATA": str(home), "SAMOVAR_BOT_PAUSE": "0"}
        return {**os.environ, **own, "SAMOVAR_THREADS": "1"}

    def run(self, *words: str) -> str:
        """What Python answers to these words, without compiling for minutes what takes seconds; the last lines of
        what it complained about, if it failed."""
        command, environment = [sys.executable, *words], {**self.environment, "SAMOVAR_PLAIN": "1"}
        done = subprocess.run(command, env=environment, cwd=self.folder, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"{' '.join(words)[:200]} failed:\n{done.stderr[-2000:]}")
        return done.stdout

    def has(self, module: str) -> bool:
        return (self.folder / "src" / Path(*module.split("."))).exists()

    @contextmanager
    def serving(self, data: Path) -> Iterator[str]:
        """The address of its site, while it runs."""
        arguments = ["serve", "--no-browser", "--host", "127.0.0.1", "--port", "0", "--requests-per-minute", "0"]
        command = [sys.executable, "-m", "samovar", *arguments, "--data", str(data)]
        with open(self.folder / "log", "w+") as log:
            server = subprocess.Popen(command, env=self.environment, cwd=self.folder, stdout=log, stderr=log)
            try:
                yield address_of(server, Path(log.name))
            finally:
                server.send_signal(signal.SIGINT)
                server.wait(30)


def describe(project: Path, place: Path) -> None:
    """What an installer would write for Python to find the games and bots of a package by."""
    facts = tomllib.loads((project / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    folder = place / f"{facts['name'].replace('-', '_')}-{facts['version']}.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {facts['name']}\nVersion: {facts['version']}\n")
    groups = {"console_scripts": facts.get("scripts", {}), **facts.get("entry-points", {})}
    lines = [f"[{group}]\n" + "".join(f"{k} = {v}\n" for k, v in entries.items()) for group, entries in groups.items()]
    (folder / "entry_points.txt").write_text("\n".join(lines))


def address_of(server: subprocess.Popen[bytes], log: Path) -> str:
    """As it says itself when it has started."""
    until = time.monotonic() + START_S
    while time.monotonic() < until and server.poll() is None:
        if found := re.search(r"http://localhost:(\d+)/", log.read_text()):
            return f"http://127.0.0.1:{found[1]}"
        time.sleep(PAUSE_S)
    raise RuntimeError(f"The site does not start:\n{log.read_text()[-2000:]}")


# Its visitors


@dataclass
class Form:
    action: str
    fields: dict[str, str] = field(default_factory=dict)
    choices: dict[str, list[str]] = field(default_factory=dict)  # of its selections
    moves: list[str] = field(default_factory=list)
    boxes: list[str] = field(default_factory=list)  # what can be ticked for a move


class Forms(HTMLParser):
    """The forms of a page, filled in as they come."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[Form] = []
        self._selection = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        facts = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.found.append(Form(facts.get("action", "")))
        elif self.found and tag in ("input", "button", "select", "option"):
            getattr(self, f"_{tag}")(self.found[-1], facts)

    def _input(self, form: Form, facts: dict[str, str]) -> None:
        name, kind = facts.get("name", ""), facts.get("type")
        if kind == "checkbox" and name == "with":
            form.boxes.append(facts["value"])
        elif name and kind != "file" and (kind not in ("checkbox", "radio") or "checked" in facts):
            form.fields[name] = facts.get("value", "on")

    def _button(self, form: Form, facts: dict[str, str]) -> None:
        if facts.get("name") == "move":
            form.moves.append(facts["value"])

    def _select(self, form: Form, facts: dict[str, str]) -> None:
        self._selection = facts.get("name", "")
        form.choices[self._selection] = []

    def _option(self, form: Form, facts: dict[str, str]) -> None:
        value = facts.get("value", "")
        form.choices.setdefault(self._selection, []).append(value)
        if "selected" in facts or self._selection not in form.fields:
            form.fields[self._selection] = value


class Visitor:
    """Somebody with a browser without scripts."""

    def __init__(self, name: str, site: str) -> None:
        self.name = name
        self.client = httpx.Client(base_url=site, follow_redirects=True, timeout=60)
        self.client.headers["accept"] = "text/html"
        self.at = self.html = ""
        self.forms: list[Form] = []

    def go(self, address: str) -> Visitor:
        return self._see(self.client.get(address))

    def send(self, ending: str, **facts: Any) -> Visitor:
        """Sends the form whose address ends like this."""
        form = self.form(ending)
        return self._see(self.client.post(form.action, data={**form.fields, **facts}))

    def form(self, ending: str, **fields: str) -> Form:
        for form in self.forms:
            if form.action.endswith(ending) and fields.items() <= form.fields.items():
                return form
        raise Lacking(f"a form {ending}")

    def has(self, ending: str) -> bool:
        return any(form.action.endswith(ending) for form in self.forms)

    def _see(self, answer: httpx.Response) -> Visitor:
        if answer.status_code == httpx.codes.NOT_FOUND:
            raise Lacking(f"a page {answer.url.path}")
        if answer.is_error:
            raise RuntimeError(f"{answer.request.method} {answer.url}: {answer.status_code}\n{answer.text[-1500:]}")
        self.at, self.html, self.forms = answer.url.path, answer.text, Forms(answer.text).found
        return self

    @property
    def cookies(self) -> dict[str, str]:
        return dict(self.client.cookies)


# What they do


@dataclass
class Evening:
    """One site and all who come there. `kept` is what the tests are told of it."""

    site: str
    people: dict[str, Visitor] = field(default_factory=dict)
    tables: dict[str, dict[str, Any]] = field(default_factory=dict)
    kept: dict[str, Any] = field(default_factory=dict)
    lacks: list[str] = field(default_factory=list)
    chance: random.Random = field(default_factory=lambda: random.Random(1))

    def __post_init__(self) -> None:
        self.client = httpx.Client(base_url=self.site, timeout=60)  # of somebody who never sits down

    def who(self, name: str) -> Visitor:
        if name not in self.people:
            self.people[name] = Visitor(name, self.site)
        return self.people[name]

    def note(self, label: str, address: str, *names: str) -> str:
        """Remembers a table and who sits there."""
        self.tables[label] = {"id": address.rsplit("/", 1)[1], "people": list(names)}
        return address

    # Tables

    def open(self, label: str, game: str, *names: str, bots: int = 0, others: str = "easy", **facts: str) -> str:
        """A table where these people sit, with bots for the rest, or friends who may yet come; the
        first of them begins."""
        host, *friends = names
        seats = self._seats(game, len(names) + bots)
        first = self.who(host).go(f"/new/{game}?seats={seats}")
        chairs = {f"chair-{seat}": others if seat >= len(names) else "" for seat in range(1, seats)}
        first.send(f"/new/{game}", **{"name": host, "first": "0", **chairs, **OPTIONS.get(game, {}), **facts})
        address = self.note(label, first.at, *names)
        for friend in friends:
            self.who(friend).go(address).send("/sit", name=friend, luck=NONCE)
        return address

    def _seats(self, game: str, wanted: int) -> int:
        """As many chairs as the game has at least."""
        least = int(self.who("Anna").go(f"/new/{game}").form(f"/new/{game}").fields["seats"])
        return max(least, wanted)

    def play(self, address: str, names: tuple[str, ...], moves: int = 10**6) -> None:
        """So many moves of theirs by chance, while bots play in between; in the end it is somebody's
        turn, or it is over."""
        until = time.monotonic() + TURN_S
        while time.monotonic() < until:
            mover = self.turn(address, names)
            if mover is None:
                if self.is_over(names):
                    return
                time.sleep(PAUSE_S)
                continue
            if moves == 0:
                return
            self.move(mover)
            moves, until = moves - 1, time.monotonic() + TURN_S
        raise RuntimeError(f"Nobody moves at {address}.")

    def turn(self, address: str, names: tuple[str, ...]) -> Visitor | None:
        """Whose turn it is, at the page of the table; a curtain is drawn aside on the way."""
        for name in names:
            visitor = self.who(name).go(f"{address}?list")
            if not any(form.moves for form in visitor.forms) and visitor.has("/hand") and "curtain" in visitor.html:
                visitor.send("/hand").go(f"{address}?list")
            if any(form.moves for form in visitor.forms):
                return visitor
        return None

    def move(self, visitor: Visitor) -> None:
        form = next(form for form in visitor.forms if form.moves)
        wanted = re.search(r'data-several="(\d+)"', visitor.html)
        ticked = self.chance.sample(form.boxes, int(wanted[1])) if wanted and form.boxes else []
        visitor.send(form.action, move=self.chance.choice(form.moves), **({"with": ticked} if ticked else {}))

    def is_over(self, names: tuple[str, ...]) -> bool:
        """As their pages say, with a score sheet or with another match."""
        return any(self.who(name).has("/again") or "#sheet" in self.who(name).html for name in names)

    # The scenes

    def tables_of_every_game(self, game: str) -> None:
        """Running and over, against bots and among people; some moves are made in each."""
        for label, names in ((f"{game}, bots", ("Anna",)), (f"{game}, people", ("Anna", "Boris"))):
            for moves, state in ((2, "running"), (10**6, "over")):
                self.play(self.open(f"{label}, {state}", game, *names, bots=1), names, moves)

    def talk(self) -> None:
        address = self.open("remarks", "memoarrrr", "Anna", "Boris")
        self.who("Anna").go(address).send("/say", text="Всё хорошо? <b>&amp;</b> 🪆")
        self.who("Boris").go(address).send("/say", phrase=phrase_on(self.who("Boris").html))

    def take_backs(self) -> None:
        """Freely, asked for and granted, asked for and refused, and asked for with no answer yet."""
        names = "Anna", "Boris"
        address = self.open("take-backs", "babuschka", *names, patience="40")
        self.play(address, names, 1)
        self.who("Anna").go(address).send("/back")
        for answer in ("yes", "no", ""):
            self.play(address, names, 2)
            self.who("Anna").go(address).send("/back")
            if answer:
                self.who("Boris").go(address).send("/answer", agrees=answer)

    def hint(self) -> None:
        address = self.open("hint", "memoarrrr", "Anna", bots=1, hints="on", memory_aid="on")
        self.play(address, ("Anna",), 0)
        self.who("Anna").send("/hint")

    def two_devices(self) -> None:
        """Somebody comes by their personal link with another browser."""
        address = self.open("two devices", "varvitikud", "Anna", "Boris")
        phone = self.who("Anna’s phone").go(link_of_chair(self.who("Anna").go(address)))
        phone.send(phone.at)
        boris = self.who("Boris").go(address)
        if boris.has("/cut-off"):
            boris.send("/cut-off")
        self.kept["link of a chair"] = link_of_chair(self.who("Boris").go(address))

    def away(self) -> None:
        """A bot keeps a chair warm; in another match its owner is back."""
        names = "Anna", "Boris"
        for label, is_back in (("a bot plays", False), ("back again", True)):
            address = self.open(label, "memoarrrr", *names, bots=1)
            self.play(address, names, 1)
            self.who("Boris").go(address).send("/hand-over", seat="1")
            if is_back:
                self.who("Boris").go(address).send("/come-back")

    def waiting(self) -> None:
        self.open("waiting", "matryoshka", "Anna", others="", open="on")

    def bring_nonce(self) -> None:
        """As a browser does once its page has shown the commitment."""
        address = self.open("waiting with a number", "matryoshka", "Boris", others="")
        self.who("Boris").go(address).send("/luck", luck=NONCE)

    def left(self) -> None:
        address = self.open("left", "memoarrrr", "Anna", "Boris", bots=1)
        self.who("Boris").go(address).send("/leave")
        self.tables["left"]["people"].remove("Boris")

    def again(self) -> None:
        address = self.open("played again", "memoarrrr", "Anna", "Boris")
        self.play(address, ("Anna", "Boris"))
        anna = self.who("Anna").go(address)
        if anna.has("/luck"):
            anna.send("/luck", luck=NONCE)
        anna.go(address).send("/again")
        self.play(self.note("again", anna.at, "Anna", "Boris"), ("Anna", "Boris"), 1)

    def from_elsewhere(self) -> None:
        """A record that was downloaded here, shown as one from elsewhere."""
        over = self.tables["memoarrrr, people, over"]["id"]
        record = self.client.get(f"/record/{over}/download").content
        anna = self.who("Anna").go("/record")
        form = anna.form("/record")
        anna._see(anna.client.post("/record", data=form.fields, files={"record": ("record.json", record)}))
        self.kept["record from elsewhere"] = anna.at

    def program(self) -> None:
        """A table of the API; its token must open it for ever."""
        wanted = {"game": "memoarrrr", "chairs": ["token", "easy"], "name": "Deep Borscht"}
        made = self.client.post("/api/tables", json=wanted).raise_for_status().json()
        self.tables["program"] = {"id": made["table"], "people": []}
        self.kept["token"] = made["tokens"][0]

    def clocks(self) -> None:
        for label, time_ in (("clock", "20+20"), ("by post", "7d")):
            anna = self.who("Anna").go("/new/memoarrrr")
            if time_ not in anna.form("/new/memoarrrr").choices.get("time", ()):
                raise Lacking("a choice of time")
            self.play(self.open(label, "memoarrrr", "Anna", "Boris", time=time_), ("Anna", "Boris"), 2)

    def hot_seat(self) -> None:
        anna = self.who("Anna").go("/new/memoarrrr?seats=3")
        if "here" not in anna.form("/new/memoarrrr").choices["chair-1"]:
            raise Lacking("a chair on the same device")
        facts = {"chair-1": "here", "chair-1-name": "Lea"}
        for state, moves in (("running", 3), ("over", 10**6)):
            anna.go("/new/memoarrrr?seats=3").send(
                "/new/memoarrrr", name="Max", first="0", **facts, **{"chair-2": "easy"}
            )
            self.play(self.note(f"one device, {state}", anna.at, "Anna"), ("Anna",), moves)

    def resigned(self) -> None:
        """The match is over with one left; with more of them it goes on."""
        for label, others in (("resigned", ("Boris",)), ("resigned, goes on", ("Boris", "Carla"))):
            names = "Anna", *others
            address = self.open(label, "memoarrrr", *names)
            self.play(address, names, 1)
            self.who("Boris").go(address).send("/resign")
        self.tables[label]["people"].remove("Boris")  # a bot plays on in the chair

    def cancelled(self) -> None:
        self.who("Anna").go(self.open("cancelled", "memoarrrr", "Anna", others="", open="on")).send("/cancel")

    def renamed(self) -> None:
        """At a table, and on one's own page."""
        address = self.open("renamed", "memoarrrr", "Dora", "Boris")
        self.who("Dora").go(address).send(f"{address}/name", name="Dora Ö.")
        self.who("Dora").go("/me").send("/me", name="Dorothea")

    def taken_along(self) -> None:
        """Somebody was another person on another device, and becomes one with her."""
        self.open("taken along", "memoarrrr", "Hugo", others="")
        tablet = self.who("Hugo").go(self._link_of_person("Dora"))
        tablet.send(tablet.at, along="yes")
        self.tables["taken along"]["people"] = ["Dora"]
        self.kept["link of a person"] = self._link_of_person("Dora")

    def _link_of_person(self, name: str) -> str:
        found = re.search(r"/me/come/[\w-]+", self.who(name).go("/me").html)
        if not found:
            raise Lacking("a personal link")
        return found[0]

    def rated(self) -> None:
        for name in ("Anna", "Boris"):
            self.who(name).go("/players").send("/players/join", name=f"{name} R.")
        self.play(self.open("rated", "memoarrrr", "Anna", "Boris", rated="on"), ("Anna", "Boris"))

    def deleted(self) -> None:
        """Somebody played, talked, and wants to be forgotten, in the middle of a match."""
        names = "Anna", "Emil"
        for state, moves in (("running", 1), ("over", 10**6)):
            address = self.open(f"deleted, {state}", "memoarrrr", *names)
            self.who("Emil").go(address).send("/say", text="I was never here.")
            self.play(address, names, moves)
        self.who("Emil").go("/me/delete").send("/me/delete", sure="yes")
        del self.people["Emil"]

    def calls(self) -> None:
        """A way to call somebody; nobody answers there, ever."""
        facts = {"endpoint": "https://push.invalid/samovar", "p256dh": PUSH_KEY, "auth": "A" * 22}
        self.who("Boris").go("/me/calls").send("/me/calls/push", **facts)

    def club(self) -> None:
        """Three tables at the same deals: one is done with both, one with the first, one has begun."""
        guests = ["Anna", "Boris", "Carla", "Dora", "Fanny", "Georg"]
        address = self._gather("Friday", guests)
        self.who("Anna").go(address).send("/begin")
        parties: dict[str, list[str]] = {}
        for name in guests:
            parties.setdefault(self.who(name).go(address).send("/play").at, []).append(name)
        for number, (table, names) in enumerate(parties.items()):
            self.play(self.note(f"club, table {number}", table, *names), tuple(names), 1 if number == 0 else 10**6)
        self._next_deal(address, parties)
        self.kept["club"] = address
        self.kept["club that gathers"] = self._gather("Saturday", ["Anna", "Boris"])

    def _next_deal(self, address: str, parties: dict[str, list[str]]) -> None:
        names = tuple([*parties.values()][-1])
        for name in names:
            table = self.who(name).go(address).send("/play").at
        self.play(self.note("club, second deal", table, *names), names)

    def _gather(self, title: str, guests: list[str]) -> str:
        host = self.who(guests[0]).go("/club?game=memoarrrr")
        host.send("/club", name=title, seats="2", deals="2", level="easy")
        address = host.at
        for name in guests:
            self.who(name).go(address).send("/join", name=name, luck=NONCE)
        return address

    def daily(self) -> None:
        for game, moves in (("memoarrrr", 10**6), ("matryoshka", 1)):
            anna = self.who("Anna").go("/daily").send(f"/daily/{game}")
            self.play(self.note(f"daily, {game}", anna.at, "Anna"), ("Anna",), moves)

    def puzzle(self) -> None:
        anna = self.who("Anna").go("/puzzles/memoarrrr")
        found = re.search(r'href="(/puzzles/memoarrrr/[^"?]+)', anna.html)
        if not found:
            raise Lacking("a puzzle")
        self.move(anna.go(f"{found[1]}?list"))

    def all(self) -> None:
        for game in GAMES:
            self.tables_of_every_game(game)
        scenes: tuple[Callable[[], None], ...] = (
            self.talk, self.take_backs, self.hint, self.two_devices, self.away, self.waiting, self.bring_nonce,
            self.left, self.again, self.from_elsewhere, self.program, self.clocks, self.hot_seat, self.resigned,
            self.cancelled, self.renamed, self.taken_along, self.rated, self.deleted, self.calls,
            self.club, self.daily, self.puzzle,
        )  # fmt: skip
        for scene in scenes:
            self.try_scene(scene)

    def try_scene(self, scene: Callable[[], None]) -> None:
        try:
            scene()
        except Lacking as lack:
            self.lacks.append(scene.__name__)
            print(f"- lacks {scene.__name__}: {lack}", flush=True)


def phrase_on(html: str) -> str:
    return re.findall(r'name="phrase" value="([^"]+)"', html)[0]


def link_of_chair(visitor: Visitor) -> str:
    found = re.search(r"/table/[\w-]+/come/[\w-]+", visitor.html)
    if not found:
        raise Lacking("a personal link")
    return found[0]


# What is kept

RECORDS = """
import json, random, samovar
from samovar.engine.registry import find_game
for name in {games}:
    for seats, options in find_game(name).variants():
        match, choose = samovar.Match(name, seats=seats, seed=7, plain=True, **options), random.Random(1)
        while not match.over:
            seat = match.actors[0]
            match.play(seat, choose.choice(match.legal(seat)))
        print(json.dumps(match.record(), sort_keys=True))
"""


def make(root: Path, revision: str, folder: Path) -> None:
    """All that this revision writes, into the folder, which must not be there yet."""
    told = subprocess.run(
        ["git", "show", "--no-patch", "--format=%H %ct", f"{revision}^{{commit}}"],
        cwd=root, check=True, capture_output=True, text=True,
    )  # fmt: skip
    commit, committed = told.stdout.split()
    with tempfile.TemporaryDirectory(prefix="samovar-stored-") as name:
        version = Version.unpack(root, revision, Path(name) / "version")
        out = Path(name) / "out"
        out.mkdir()
        keep_database(version, Path(name) / "data", out, {"commit": commit, "committed": int(committed)})
        keep_records(version, out)
        keep_tournaments(version, out / "arena")
        keep_network(version, out / "learned")
        folder.parent.mkdir(parents=True, exist_ok=True)
        shutil.copytree(out, folder)


def keep_database(version: Version, data: Path, out: Path, facts: dict[str, Any]) -> None:
    made = time.time_ns() // 1_000_000
    with version.serving(data) as site:
        evening = Evening(site)
        evening.all()
    time.sleep(AWAY_S)
    with version.serving(data):  # as every site is started again sometimes; clocks stood still meanwhile
        time.sleep(AWAY_S)
    with closing(sqlite3.connect(data / DATABASE)) as database:
        database.execute("VACUUM")
    pack(out / f"{DATABASE}.gz", (data / DATABASE).read_bytes())
    people = {name: one.cookies for name, one in evening.people.items() if one.cookies}
    facts |= {"made": made, "lacks": evening.lacks, "tables": evening.tables, "people": people}
    write_json(out / "facts.json", {**facts, **evening.kept})


def keep_records(version: Version, out: Path) -> None:
    pack(out / "records.jsonl.gz", version.run("-c", RECORDS.format(games=GAMES)).encode())


def keep_tournaments(version: Version, folder: Path) -> None:
    for game in GAMES:
        order = ["--bots", "random,greedy", "--matches", "4", "--workers", "1"]
        seats = {"matryoshka": ["--seats", "3", "--bots", "random,greedy,random"]}.get(game, ["--seats", "2"])
        options = ["--patience", "2"] if game == "babuschka" else []
        file = ["--file", str(folder / f"{game}.jsonl")]
        version.run("-m", "samovar", "arena", game, *order, *seats, *file, *options)


def keep_network(version: Version, folder: Path) -> None:
    """A network that has hardly learned anything, and what its learner goes on from."""
    if not version.has("samovar.learn"):
        return
    small = ["--width", "8", "--layers", "1", "--matches", "4", "--variants", "seats=2", "--set", "steps=8"]
    order = ["--moves", "64", "--deals", "0", "--device", "cpu", *small]
    version.run("-m", "samovar", "learn", "babuschka", "--out", str(folder), *order)
    for file in (*folder.glob("*.csv"), *folder.glob("*.svg")):
        file.unlink()


def pack(path: Path, content: bytes) -> None:
    """The same content makes the same bytes."""
    path.write_bytes(gzip.compress(content, mtime=0))


def write_json(path: Path, content: object) -> None:
    path.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def main(words: list[str]) -> None:
    if len(words) != 2 or not all(words):
        sys.exit("Give a revision and the name of its folder: make stored REVISION=v1.2.3 NAME=1.2.3.")
    revision, name = words
    if (STORED / name).exists():
        sys.exit(f"There is {STORED / name} already. What a version wrote is not written anew: give another name.")
    make(ROOT, revision, STORED / name)


if __name__ == "__main__":
    main(sys.argv[1:])
