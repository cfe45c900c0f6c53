"""What older versions have written is still good: their databases open with every table as it was, everybody finds
their way back, matches go on and are proven fair, and records, tournaments, networks and runs of a learner are read.

`tools/stored` had each version write it, into `data/stored`; `make release` adds the next one."""

import asyncio
import gzip
import json
import random
import re
import shutil
import sqlite3
import time
from contextlib import closing, contextmanager
from html import unescape
from pathlib import Path

import pytest
from litestar.testing import TestClient
from sqlalchemy import text
from typer.testing import CliRunner

import samovar
from samovar import cli
from samovar.arena.outcome import Tournament
from samovar.arena.store import ArenaFile as Outcomes
from samovar.bots.network_file import Network
from samovar.engine.records.fair import verify
from samovar.engine.registry import find_game
from samovar.errors import StoreError
from samovar.web.app import make_app
from samovar.web.drawing.viewer import Viewer
from samovar.web.jobs import reviews
from samovar.web.pages.table import stream
from samovar.web.serve import _secret
from samovar.web.site import Site
from samovar.web.store.entries import Entry
from samovar.web.store.store import Store
from samovar.web.tables.results import summary_of
from support.reviews import Here, make_hasty
from support.visitors import Onlooker, RandomBotPool

STORED = Path(__file__).parents[1] / "data" / "stored"
VERSIONS = sorted(
    (path.name for path in STORED.iterdir()),
    key=lambda name: json.loads((STORED / name / "facts.json").read_text())["committed"],
)
# The oldest has the longest way to go; the others are for `make test-all`.
EACH = [VERSIONS[0], *(pytest.param(name, marks=pytest.mark.slow) for name in VERSIONS[1:])]
NEWEST = VERSIONS[-1]
GAMES = ("babuschka", "matryoshka", "memoarrrr", "varvitikud")
GONE = "cancelled"  # of this table nothing is left to be seen
HOUR = 3600
LATER = {"the same hour": HOUR // 2, "a year later": 366 * 24 * HOUR}
NEVER_WRITTEN = {"time_out"}  # it takes minutes until time has run out: test_time.py has it


class Place:
    """A site of today with what another version has left."""

    def __init__(self, client, folder):
        self.client, self.state = client, client.app.state
        self.facts = json.loads((folder / "facts.json").read_text())
        self.tables = {label: table["id"] for label, table in self.facts["tables"].items()}
        self.people = {name: self.visitor(cookies) for name, cookies in self.facts["people"].items()}
        self.stranger = self.visitor({})

    def visitor(self, cookies):
        browser = TestClient(self.client.app, base_url="http://samovar.test", cookies=cookies)
        browser.blocking_portal = self.client.blocking_portal
        browser.headers["accept"] = "text/html"
        return browser

    def call(self, function, *values):
        return self.client.blocking_portal.call(function, *values)

    def table(self, label):
        return self.call(self.state.tables.look, self.tables[label])

    def sitting_at(self, label):
        """Those who sat there when it was stored."""
        return [self.people[name] for name in self.facts["tables"][label]["people"] if name in self.people]

    def over(self):
        """The tables where a match is over and no other is to be played with the same deal."""
        rows = self.call(self.state.tables.store.all, OVER)
        ids = {row.id for row in rows}
        return {label: table_id for label, table_id in self.tables.items() if table_id in ids}


OVER = text("SELECT id FROM tables WHERE status = 'over' AND id NOT IN (SELECT table_id FROM series_tables)")


def unpack(version, folder):
    (folder / "samovar.db").touch(0o600)
    (folder / "samovar.db").write_bytes(gzip.decompress((STORED / version / "samovar.db.gz").read_bytes()))
    return f"sqlite:///{folder / 'samovar.db'}"


@contextmanager
def opened(version, folder, later=LATER["the same hour"]):
    """The site, so many seconds after it was stored: what is swept, closed or runs out by itself is another thing."""
    since = time.time_ns() - json.loads((STORED / version / "facts.json").read_text())["made"] * 10**6 - later * 10**9
    clock, clock_ns = time.time, time.time_ns
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(time, "time", lambda: clock() - since / 10**9)
        patch.setattr(time, "time_ns", lambda: clock_ns() - since)
        make_hasty(patch)
        patch.setattr(reviews, "AsyncChild", Here)
        url = unpack(version, folder)
        site = Site(url, asyncio.run(_secret(url)), requests_per_minute=0, bot_pause=0.0)
        with TestClient(make_app(site, RandomBotPool()), base_url="http://samovar.test") as client:
            yield Place(client, STORED / version)


@pytest.fixture(scope="module", params=EACH)
def place(request, tmp_path_factory):
    """For those who only look."""
    with opened(request.param, tmp_path_factory.mktemp("stored")) as there:
        yield there


def see(browser, address, *allowed):
    answer = browser.get(address, follow_redirects=True)
    assert answer.status_code in (200, *allowed), f"{address}: {answer.status_code} {answer.text[-300:]}"
    return answer


# Pages, as everybody sees them


def test_everybody_finds_all_their_tables(place):
    for name, browser in place.people.items():
        listed = see(browser, "/tables").text
        own = {place.tables[label] for label, facts in place.facts["tables"].items() if name in facts["people"]}
        gone = {place.tables.get(GONE)} if GONE not in place.facts["lacks"] else set()
        assert own - gone <= set(re.findall(r'/table/([\w-]+)"', listed)), name
    for address in ("/", "/me", "/me/matches", "/me/calls", "/players", "/daily", "/puzzles", "/me/export"):
        see(place.people["Anna"], address)


def test_every_table_is_shown_to_those_who_sit_there_and_to_others(place):
    for label, table_id in place.tables.items():
        if label == GONE and GONE not in place.facts["lacks"]:
            assert place.stranger.get(f"/table/{table_id}").status_code == 410
            continue
        refused = [403] if label.startswith(("club", "daily")) else []
        for browser in place.sitting_at(label):
            see(browser, f"/table/{table_id}")
        for query in ("list", "at=0", "at=1"):
            see(place.people["Anna"], f"/table/{table_id}?{query}", *refused)
        see(place.stranger, f"/table/{table_id}", *refused)
        see(place.stranger, f"/api/tables/{table_id}", *refused)


def test_every_stream_begins(place):
    async def first(table_id):
        state = place.state
        lines = stream(Onlooker(state), state.looks, state.changes, [table_id], Viewer(None, "en", "", "", ""))
        return await anext(lines)

    for label, table_id in place.tables.items():
        if not label.startswith(("club", "daily", GONE)):
            assert b'"parts"' in place.call(first, table_id), label


def test_every_record_is_shown_downloaded_and_proven(place, tmp_path):
    assert len(place.over()) >= 8
    for label, table_id in place.over().items():
        for address in ("", "?at=0", "?at=3&eyes=0", "?at=2&eyes=nobody"):
            see(place.stranger, f"/record/{table_id}{address}")
        record = see(place.stranger, f"/record/{table_id}/download").json()
        assert record == see(place.stranger, f"/api/tables/{table_id}/record").json()
        assert record["table"]["commitment"] == place.call(place.state.tables.look, table_id).commitment, label
        verify(record, record["table"]["commitment"])
    (tmp_path / "record.json").write_text(json.dumps(record))
    told = CliRunner().invoke(cli.app, ["verify", str(tmp_path / "record.json")])
    assert "Fair." in told.output, told.output


def test_a_record_from_elsewhere_is_shown(place):
    see(place.stranger, place.facts["record from elsewhere"])


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_a_match_is_reviewed(place, game):
    table_id = place.tables[f"{game}, people, over"]
    until = time.monotonic() + 120
    while (review := see(place.stranger, f"/api/tables/{table_id}/review").json())["done"] < 1:
        assert time.monotonic() < until
        time.sleep(0.05)
    assert review["moments"] is not None
    see(place.stranger, f"/record/{table_id}/review")


def test_evenings_are_shown(place):
    if "club" in place.facts["lacks"]:
        assert "club" not in place.facts
        return
    for browser in (*place.people.values(), place.stranger):
        for address in (place.facts["club"], f"{place.facts['club']}?by=cards", place.facts["club that gathers"]):
            see(browser, address)


# Who somebody is


def test_a_program_comes_back_with_its_token(place):
    token = {"authorization": f"Bearer {place.facts['token']}"}
    answer = place.stranger.get(f"/api/tables/{place.tables['program']}", headers=token).json()
    assert answer["seat"] == 0
    assert answer["people"][0]["name"] == "Deep Borscht"


def test_personal_links_still_lead_to_the_chair_and_the_person(place):
    assert "Boris" in see(place.visitor({}), place.facts["link of a chair"]).text
    if "renamed" not in place.facts["lacks"]:
        assert "Are you Dorothea?" in see(place.visitor({}), place.facts["link of a person"]).text


def test_names_are_what_people_were_called_last(place):
    lacks = place.facts["lacks"]
    assert [one.name for one in place.table("renamed").people] == ["Dora" if "renamed" in lacks else "Dora Ö.", "Boris"]
    names = [one.name for one in place.table("deleted, over").people]
    assert names == (["Anna", "Emil"] if "deleted" in lacks else ["Anna", "Somebody"])
    page = unescape(see(place.stranger, f"/table/{place.tables['remarks']}").text)
    assert "Всё хорошо? <b>&amp;</b> 🪆" in page


def test_lists_say_who_sits_where(place):
    """Also at tables that nobody has touched since lists had no names yet."""
    rows = place.call(place.state.tables.store.all, text("SELECT id, names, people FROM tables"))
    listed = {row.id: (row.names, row.people) for row in rows}
    for label, table_id in place.tables.items():
        if label != GONE or GONE in place.facts["lacks"]:
            summary = summary_of(place.table(label))
            assert listed[table_id] == (summary.names, summary.people), label


# Going on


@pytest.mark.parametrize("version", EACH)
def test_matches_go_on_to_their_end_and_are_proven(version, tmp_path):
    with opened(version, tmp_path) as place:
        for game in GAMES:
            label = f"{game}, people, running"
            before = place.table(label).commitment
            record = play_out(place, label)
            assert record["table"]["commitment"] == before
            verify(record, before)
            verify(see(place.stranger, f"/record/{place.tables[label]}/download").json(), before)


def play_out(place, label):
    tables, choose, table_id = place.state.tables, random.Random(1), place.tables[label]

    async def play():
        while (table := await tables.look(table_id)).status == "playing":
            seat = table.actors[0]
            if table.chairs[seat].level:
                await asyncio.sleep(0.005)
                continue
            move = choose.choice(table.playing.legal(seat))
            await tables.move(table_id, lambda _, seat=seat: seat, move, table.revision)
        return await tables.record(table_id)

    return place.call(play)


@pytest.mark.parametrize("version", EACH)
def test_people_play_on_together(version, tmp_path):
    """What was asked for is answered, a bot gives a chair back, a match is played again, and what was agreed before
    still is."""
    with opened(version, tmp_path) as place:
        post(place, "Boris", "take-backs", "answer", agrees="yes")
        assert place.table("take-backs").asking is None
        post(place, "Boris", "a bot plays", "come-back")
        assert place.table("a bot plays").people[1].kind == "person"
        post(place, "Anna", "matryoshka, people, over", "again")
        assert place.table("matryoshka, people, over").again
        post(place, "Boris", "waiting", "sit", name="Boris")
        post(place, "Anna", "waiting", "begin", level="easy")
        assert place.table("waiting").status == "playing"
        post(place, "Anna", "remarks", "say", text="Where were we?")


def post(place, who, label, action, **facts):
    browser = place.people[who]
    page = see(browser, f"/table/{place.tables[label]}").text
    token = re.search(r'name="_csrf_token" value="(\w+)"', page)[1]
    address = f"/table/{place.tables[label]}/{action}"
    answer = browser.post(address, data={"_csrf_token": token, **facts}, follow_redirects=True)
    assert answer.status_code == 200, f"{address}: {answer.text[-400:]}"


@pytest.mark.slow
@pytest.mark.parametrize("later", LATER)
@pytest.mark.parametrize("version", EACH)
def test_no_link_of_any_page_leads_to_an_error(version, later, tmp_path):
    """Everybody clicks on everything; after a year the evenings are over, and what was never begun is gone."""
    refused = (403, 410) if later == "the same hour" else (403, 404, 410)
    with opened(version, tmp_path, LATER[later]) as place:
        for browser in (*place.people.values(), place.stranger):
            wanted, seen = {"/", "/tables", "/me/matches", "/daily", "/players"}, set()
            wanted |= {f"/table/{table_id}" for table_id in place.tables.values()}
            while wanted := wanted - seen:
                address = wanted.pop()
                seen.add(address)
                page = see(browser, address, *refused).text
                wanted |= links_of(page)
            assert len(seen) > 50


LOOKED_AT = re.compile(r"/(table|club|record)/[\w-]+|/(tables|me|players|daily)\b(?!/(export|come))[\w/-]*")


def links_of(page):
    """Those of pages that show what is stored. Reviews are made one at a time."""
    return {unescape(link) for link in re.findall(r'href="(/[^"#?]*)"', page) if LOOKED_AT.fullmatch(unescape(link))}


# The file itself


@pytest.mark.parametrize("version", EACH)
def test_a_database_of_a_newer_version_is_refused_and_left_alone(version, tmp_path):
    url = unpack(version, tmp_path)
    with closing(sqlite3.connect(tmp_path / "samovar.db")) as database:
        database.execute("UPDATE alembic_version SET version_num = '9999'")
        database.commit()
        before = [*database.iterdump()]

    with pytest.raises(StoreError, match=r"written by a newer Samovar \(its schema is 9999, .*\): upgrade Samovar"):
        asyncio.run(Store(url).open())
    with closing(sqlite3.connect(tmp_path / "samovar.db")) as database:
        assert [*database.iterdump()] == before


def test_the_newest_has_all_that_there_is(tmp_path):
    """Whoever adds a kind of entry adds a scene to `tools/stored`."""
    unpack(NEWEST, tmp_path)
    with closing(sqlite3.connect(tmp_path / "samovar.db")) as database:
        kinds = {kind for (kind,) in database.execute("SELECT DISTINCT kind FROM entries")}
    assert kinds | NEVER_WRITTEN == {kind.__struct_config__.tag for kind in Entry.__subclasses__()}
    assert json.loads((STORED / NEWEST / "facts.json").read_text())["lacks"] == []


# Other files


def records_of(version):
    return [
        json.loads(line) for line in gzip.decompress((STORED / version / "records.jsonl.gz").read_bytes()).splitlines()
    ]


@pytest.mark.parametrize("version", EACH)
def test_records_are_replayed_and_stay_as_they_were_written(version):
    records = records_of(version)
    assert {record["game"] for record in records} == set(GAMES)
    for record in records:
        match = samovar.replay(record, plain=True)
        assert match.over
        assert match.record(record.get("table")) == record


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("version", EACH)
def test_outcomes_of_tournaments_are_read(version, game, tmp_path):
    file = tmp_path / "outcomes.jsonl"
    file.write_bytes((STORED / version / "arena" / f"{game}.jsonl").read_bytes())
    head = json.loads(file.read_text().splitlines()[0])
    order = Tournament(game, tuple(head["bots"]), head["seats"], head["matches"], head["seed"], head["options"])
    with Outcomes(order, file) as outcomes:
        assert len(outcomes) == len(file.read_text().splitlines()) - 1 > 0


def networks():
    return sorted(STORED.glob("*/learned/*.safetensors"))


@pytest.mark.parametrize("file", networks(), ids=lambda path: path.parts[-3])
def test_networks_are_read(file):
    network = Network.load(file, find_game(file.stem))
    assert (network.width, network.layers) == (8, 1)


@pytest.mark.research
@pytest.mark.parametrize(
    "folder", sorted(path.parent for path in STORED.glob("*/learned/checkpoint.pt")), ids=lambda path: path.parts[-2]
)
def test_learners_go_on(folder, tmp_path, monkeypatch):
    monkeypatch.setenv("SAMOVAR_PLAIN", "1")
    run = shutil.copytree(folder, tmp_path / "run")
    order = ["learn", "babuschka", "--out", str(run), "--resume", "--moves", "128", "--deals", "0", "--device", "cpu"]
    told = CliRunner().invoke(cli.app, order)
    assert told.exit_code == 0, told.output
    assert "The network is in" in told.output
