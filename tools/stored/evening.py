"""What people do on the site of a version, one scene for each kind of thing that is kept."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import httpx

from stored.version import PAUSE_S, Lacking
from stored.visitors import Visitor

GAMES = ("matryoshka", "memoarrrr", "varvitikud", "babuschka")
OPTIONS = {"babuschka": {"patience": "2"}}  # by chance it would go on for hundreds of moves
TURN_S = 240  # the first turn of a bot waits until the rules are compiled
# of a browser that does not exist
PUSH_KEY = "BGsX0fLhLEJH-Lzm5WOkQPJ3A32BLeszoPShOUXYmMKWT-NC4v4af5uO5-tKfA-eFivOM1drMV7Oy7ZAaDe_UfU"
NONCE = "0123456789abcdef" * 2  # what a browser with scripts would bring to the deal


@dataclass
class Evening:
    """One site and all who come there. `kept` is what the tests are told of it."""

    site: str
    invite_owner: Callable[[], str]  # by a link
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
        """As their pages say, with a podium, a score sheet or another match."""
        signs = "#sheet", "podium-name"
        return any(self.who(name).has("/again") or any(s in self.who(name).html for s in signs) for name in names)

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

    def mute(self) -> None:
        address = f"/table/{self.tables['remarks']['id']}"
        self.who("Boris").go(address).send("/mute")

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

    def owner(self) -> None:
        """Hides a remark, and closes another table."""
        invitation = urlsplit(self.invite_owner()).path
        self.who("Olga").go(invitation).send(invitation, name="Olga")
        said = self.open("a hidden remark", "memoarrrr", "Anna", "Boris")
        self.who("Anna").go(said).send("/say", text="Nobody reads this.")
        for action, address in (("hide", said), ("close", self.open("closed", "memoarrrr", "Anna", "Boris"))):
            page = f"/owner{address}"
            forms = self.who("Olga").go(page).forms
            numbered = [form.fields for form in forms if "number" in form.fields]  # names, and then remarks
            self.who("Olga").client.post(page, data={**numbered[-1], "do": action}).raise_for_status()
        del self.tables["closed"]

    def lesson(self) -> None:
        """A class whose tables stand still for a while; in the end its pupils are strangers again."""
        teacher = self.who("Olga").go("/class/new").send("/class/new", name="4a", names="Mia, Ben")
        address = teacher.at
        code = re.search(r'class-letters">([^<]+)<', teacher.html)
        for name in ("Mia", "Ben"):
            self.who(name).go("/class").send("/class", code=code[1] if code else "").send("/come", name=name)
            del self.people[name]
        teacher.go(address).send("/seat", game="memoarrrr 2", level="easy")
        for action in ("/pause", "/pause", "/end"):
            teacher.go(address).send(action)

    def all(self) -> None:
        for game in GAMES:
            self.tables_of_every_game(game)
        scenes: tuple[Callable[[], None], ...] = (
            self.talk, self.take_backs, self.hint, self.two_devices, self.away, self.waiting, self.bring_nonce,
            self.left, self.again, self.from_elsewhere, self.program, self.clocks, self.hot_seat, self.resigned,
            self.cancelled, self.renamed, self.taken_along, self.rated, self.deleted, self.calls,
            self.club, self.daily, self.puzzle, self.owner, self.mute, self.lesson,
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
