"""The site for programs: what is told and refused, whole matches through a real server, its client,
and the page that describes it."""

import ast
import asyncio
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import jsonschema_rs
import pytest

import samovar
from samovar import client as client_module
from samovar.bots import program
from samovar.client import (
    BadRequest,
    Client,
    Conflict,
    NotAllowed,
    NotFound,
    Seat,
    ServerError,
    Table,
    Unreachable,
    guest,
)
from samovar.engine.records.fair import verify
from samovar.engine.words import counted
from samovar.web.api import api
from samovar.web.store.changes import GONE
from samovar.web.tables.actions import ACTIONS, PageRemark
from support.visitors import RandomBotPool, running

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
SAMOVAR = [sys.executable, "-c", "from samovar.cli import main; main()"]
GAMES = ["babuschka", "matryoshka", "memoarrrr", "varvitikud"]
RANDOM = f"{sys.executable} {ROOT / 'examples' / 'bots' / 'random_program.py'}"
PATIENT = 60


# A site in this process


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with running(tmp_path_factory.mktemp("site")) as client:
        yield client


def make(site, game="babuschka", chairs=("token", "token"), options=None):
    answer = site.post(
        "/api/tables", json={"game": game, "chairs": list(chairs), "options": {"first": 0, **(options or {})}}
    )
    assert answer.status_code == 201, answer.text
    return answer.json()


def bearer(token):
    return {"authorization": f"Bearer {token}"}


def told(answer):
    return answer.status_code, answer.json()["error"], answer.json()["detail"]


WRONG_TABLES = [
    ({"game": "babuscka"}, "UnknownGame", "babuschka"),
    ({"game": "babuschka", "seats": 9}, "WrongSeats", "2"),
    ({"game": "babuschka", "options": {"patience": 0}}, "BadOption", "patience"),
    ({"game": "babuschka", "options": {"patience": "many"}}, "BadOption", "a number from"),
    ({"game": "memoarrrr", "options": {"expret": True}}, "UnknownOption", "expert"),
    ({"game": "babuschka", "chairs": ["token"]}, "BadField", "chairs: 1 were given for 2"),
    ({"game": "babuschka", "chairs": ["token", "hrad"]}, "BadField", "chairs[1]"),
    ({"game": "babuschka", "name": "x" * 25}, "BadName", "24"),
    ({"game": "babuschka", "optoins": {}}, "BadField", "optoins"),
    ({"game": 7}, "BadField", "game"),
    ({"game": "babuschka", "seats": "2"}, "BadField", "seats"),
    ({}, "BadField", "game"),
    ([], "BadField", "body"),
]


@pytest.mark.parametrize(("body", "kind", "names"), WRONG_TABLES, ids=[str(case[0]) for case in WRONG_TABLES])
def test_a_table_that_cannot_be_is_refused_by_name_and_nothing_is_made(site, body, kind, names):
    before = site.get("/metrics").text
    answer = site.post("/api/tables", json=body)
    assert told(answer)[:2] == (422, kind)
    assert names in told(answer)[2]
    tables = re.compile(r"^samovar_tables_(?:waiting|playing) .*$", re.MULTILINE)
    assert tables.findall(site.get("/metrics").text) == tables.findall(before)


def test_a_small_member_of_a_game_is_not_for_people(site):
    assert told(site.post("/api/tables", json={"game": "babuschka_tiny"}))[:2] == (404, "NoSuchGame")
    assert site.get("/new/babuschka_tiny").status_code == 404


def test_a_request_that_is_none_is_refused(site):
    table = make(site)
    path, token = f"/api/tables/{table['table']}", bearer(table["tokens"][0])
    as_json = {"content-type": "application/json"}
    assert told(site.post("/api/tables", content=b"{", headers=as_json))[:2] == (400, "BadJson")
    assert told(site.post(f"{path}/moves", content=b"\xff", headers={**as_json, **token}))[:2] == (400, "BadJson")
    assert told(site.post(f"{path}/moves", content=b"", headers={**as_json, **token}))[1:] == (
        "BadField",
        "body: there is none",
    )
    assert told(site.post(f"{path}/moves", content=b" " * 70_000, headers={**as_json, **token}))[:2] == (
        413,
        "TooLarge",
    )
    assert told(site.get(f"{path}?language=tlh"))[:2] == (422, "BadField")
    assert told(site.get("/api/tables/nonsense"))[:2] == (404, "NoSuchTable")
    assert told(site.get("/api/nonsense"))[:2] == (404, "NoSuchPage")
    assert told(site.delete("/api/tables"))[:2] == (405, "MethodNotAllowed")
    assert site.get(path).json()["revision"] == 0


def test_too_many_requests_are_told_so(tmp_path):
    with running(tmp_path, requests_per_minute=3) as site:
        answers = [site.get("/api/games") for _ in range(4)]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    assert told(answers[-1])[1] == "TooMany"


ACTION_NAMES = [
    "moves",
    "talk",
    "hand-over",
    "come-back",
    "name",
    "leave",
    "resign",
    "cancel",
    "answer",
    "pause",
    "again",
]
BODIES = {
    "moves": {"move": "c1-c2", "revision": 0},
    "talk": {"text": "Hello"},
    "hand-over": {},
    "name": {"name": "Deep Kvass"},
    "answer": {"agrees": True},
    "pause": {"is_wanted": True},
}


@pytest.mark.parametrize("action", ACTION_NAMES)
def test_a_token_is_good_for_its_seat_and_table_alone(site, action):
    table, other = make(site), make(site)
    address = f"/api/tables/{table['table']}/{action}"

    def post(**headers):
        return site.post(address, json=BODIES.get(action, {}), headers=headers)

    missing = post()
    assert told(missing)[:2] == (401, "NoToken")
    assert missing.headers["www-authenticate"] == "Bearer"
    own, foreign = table["tokens"][0], other["tokens"][0]
    for wrong in (foreign, f"1{own[1:]}", own[:-1], "0", "x", "9" * 41):
        assert told(post(**bearer(wrong)))[:2] == (403, "WrongToken"), wrong
    assert site.get(f"/api/tables/{table['table']}").json()["revision"] == 0


def test_looks_need_no_token_but_refuse_a_wrong_one(site):
    path = f"/api/tables/{make(site)['table']}"
    assert site.get(path).json()["seat"] is None
    for address in (path, f"{path}/events", f"{path}/moves"):
        assert told(site.get(address, headers=bearer("0123")))[:2] == (403, "WrongToken")
    assert told(site.get(f"{path}/moves"))[:2] == (401, "NoToken")


def test_a_stream_tells_the_same_look_only_once(site):
    """Word of a change may come late, from another process."""
    table = make(site)["table"]
    state = site.app.state

    async def follow():
        lines = api.event_lines(state.tables, state.looks, state.changes, table, "", "en", "")
        assert json.loads(await anext(lines))["talk"] == []
        following = asyncio.create_task(anext(lines))
        for number in (1000, 1001, GONE):
            state.changes.announce(table, number)
            await asyncio.wait([following], timeout=0.1)
        assert not following.done(), following.result()
        await PageRemark(text="Hello").do(state.tables, table, lambda table: 0)
        assert [remark["text"] for remark in json.loads(await following)["talk"]] == ["Hello"]
        await lines.aclose()

    site.blocking_portal.call(follow)


def test_moves_are_checked_and_a_refused_one_changes_nothing(site):
    table = make(site)
    path, (first, second) = f"/api/tables/{table['table']}", map(bearer, table["tokens"])

    def move(headers, move, revision):
        return site.post(f"{path}/moves", json={"move": move, "revision": revision}, headers=headers)

    assert told(move(second, "c8-c7", 0))[:2] == (409, "NotYourTurn")
    status, kind, detail = told(move(first, "c1-c7", 0))
    assert (status, kind) == (422, "NotPossible")
    assert "'c1-c7' is not possible now. Legal: c1-b2, c1-c2" in detail
    for number in (-1, 10**15, 10**30):
        assert told(move(first, number, 0))[:2] == (422, "NotPossible")
    for ply in (-1, 1, 10**30):
        assert told(move(first, "c1-c2", ply))[:2] == (409, "MovedOn")
    for value in (True, 1.5, None, []):
        assert told(move(first, value, 0))[:2] == (422, "BadField")
    assert site.get(path).json()["revision"] == 0
    assert move(first, "c1-c2", 0).json() == {"revision": 1, "ply": 1, "over": False, "actors": [1]}
    assert told(move(first, "c1-c2", 0))[:2] == (409, "MovedOn")
    assert told(move(first, "d1-d2", 1))[:2] == (409, "NotYourTurn")
    assert site.get(path).json()["revision"] == 1


@pytest.mark.parametrize("game", GAMES)
def test_nonsense_instead_of_a_move_is_an_illegal_move(site, game):
    table = make(site, game, ["token"] * samovar.find_game(game).seats[0])
    look = site.get(f"/api/tables/{table['table']}").json()
    token = bearer(table["tokens"][look["actors"][0]])
    for text in ("", " ", "\x00", "²", "-", "a" * 5000, "c1-c2-c3", "🪆", "1 2 3", "{}", "%s", "-1"):
        answer = site.post(f"/api/tables/{table['table']}/moves", json={"move": text, "revision": 0}, headers=token)
        assert told(answer)[:2] == (422, "NotPossible"), text


def test_the_short_way_and_the_usual_way_of_a_move_give_the_same_answer(site):
    """The short one does not know the scheme in small letters."""
    table = make(site)
    path, (first, second) = f"/api/tables/{table['table']}/moves", table["tokens"]
    short = site.post(path, json={"move": "c1-c2", "revision": 0}, headers=bearer(first))
    usual = site.post(path, json={"move": "c8-c7", "revision": 1}, headers={"authorization": f"bearer {second}"})
    assert short.json() == {"revision": 1, "ply": 1, "over": False, "actors": [1]}
    assert usual.json() == {"revision": 2, "ply": 2, "over": False, "actors": [0]}
    assert dict(short.headers) == dict(usual.headers)
    assert "content-security-policy" in short.headers


def test_a_revision_has_its_old_name_too_for_one_release(site):
    """`ply`: programs of the version before say and read it."""
    table = make(site)
    path, (first, second) = f"/api/tables/{table['table']}", map(bearer, table["tokens"])
    assert site.post(f"{path}/moves", json={"move": "c1-c2", "ply": 0}, headers=first).json()["ply"] == 1
    assert told(site.post(f"{path}/moves", json={"move": "c8-c7", "ply": 0}, headers=second))[1] == "MovedOn"
    both = {"move": "c8-c7", "revision": 1, "ply": 0}
    assert site.post(f"{path}/moves", json=both, headers=second).json()["revision"] == 2
    for answer in (site.get(path).json(), site.get(f"{path}/moves", headers=first).json()):
        assert (answer["revision"], answer["ply"]) == (2, 2)


def test_seats_are_taken_one_by_one_and_the_last_one_begins_the_match(site):
    table = make(site, "matryoshka", ["free", "free", "token"])
    path = f"/api/tables/{table['table']}"
    assert told(site.post(f"{path}/moves", json={"move": 0, "revision": 0}, headers=bearer(table["tokens"][2])))[
        :2
    ] == (
        409,
        "NotStarted",
    )
    assert site.get(path).json()["status"] == "waiting"
    sat = site.post(f"{path}/seats", json={"name": "Anna", "seat": 1}).json()
    assert sat["seat"] == 1
    assert told(site.post(f"{path}/seats", json={"name": "Boris", "seat": 1})) == (
        409,
        "SeatTaken",
        "Seat 1 is taken. Free seats: 0.",
    )
    assert told(site.post(f"{path}/seats", json={"name": "Boris", "seat": 7}))[:2] == (422, "BadField")
    assert told(site.post(f"{path}/seats", json={"name": ""}))[:2] == (422, "BadName")
    assert site.post(f"{path}/seats", json={"name": "Boris"}).json()["seat"] == 0
    assert told(site.post(f"{path}/seats", json={"name": "Chloé"}))[:2] == (409, "TableFull")
    look = site.get(path, headers=bearer(sat["token"])).json()
    assert (look["status"], look["seat"]) == ("playing", 1)
    assert [person["name"] for person in look["people"]] == ["Boris", "Anna", "Program"]


def test_a_program_hears_at_a_table_what_it_hears_in_the_arena(site):
    """The messages made from a look are those made from a seat, for every game and every seat, at
    several moments."""
    for game in GAMES:
        seats = samovar.find_game(game).seats[0]
        table = make(site, game, ["token"] * seats)
        path = f"/api/tables/{table['table']}"
        choose = random.Random(game)
        for _ in range(6):
            match = site.app.state.tables._cached.get(table["table"]).table.playing
            for number, token in enumerate(table["tokens"]):
                look = site.get(path, headers=bearer(token)).json()
                seat = match.seat(number)
                assert guest.ask_message(look, 5.0) == json.loads(json.dumps(program.ask_message(seat, 5.0)))
                assert list(guest.ask_message(look, 5.0)) == list(program.ask_message(seat, 5.0))
                assert guest.match_message(look) == program.match_message(seat, look["bot_seed"])
                assert look["moment"] == seat.moment
            if match.over:  # one deal of Värvitikud in 500 lets nobody place a card
                break
            actor = choose.choice(match.actors)
            move = {"move": choose.choice(match.legal(actor)), "revision": look["revision"]}
            assert site.post(f"{path}/moves", json=move, headers=bearer(table["tokens"][actor])).status_code == 200


def test_seeds_of_programs_differ_and_stay(site):
    table = make(site)
    path = f"/api/tables/{table['table']}"
    seeds = [site.get(path, headers=bearer(token)).json()["bot_seed"] for token in [*table["tokens"], *table["tokens"]]]
    assert seeds[:2] == seeds[2:]
    assert seeds[0] != seeds[1]
    assert all(0 <= seed < 2**53 for seed in seeds)


@pytest.mark.parametrize("game", GAMES)
def test_before_the_end_nothing_of_the_deal_is_told(site, game):
    """In another world that fits what the seat knows every answer is the same; seed and secret are
    in none."""
    seats = samovar.find_game(game).seats[0]
    table = make(site, game, ["token"] * seats)
    held = site.app.state.tables._cached.get(table["table"]).table
    choose = random.Random(1)
    for _ in range(8):
        actor = choose.choice(held.playing.actors)
        held.playing.play(actor, choose.choice(held.playing.legal(actor)))
    truth = held.playing.states.copy()
    for seat in range(seats):
        before = answers(site, table, seat)
        for secret in (str(held.deal_seed), held._secret):
            assert secret
            assert secret not in before
        held.playing.states[:] = held.playing.imagine(seat, 5).states
        assert answers(site, table, seat) == before
        held.playing.states[:] = truth


def answers(site, table, seat):
    path, token = f"/api/tables/{table['table']}", bearer(table["tokens"][seat])
    asked = [site.get(f"{path}{end}", headers=token) for end in ("", "?language=fr", "/moves", "/record")]
    tried = [
        site.post(f"{path}/moves", json={"move": move, "revision": 0}, headers=token) for move in ("nonsense", 10**6)
    ]
    return "".join(f"{answer.status_code} {answer.text}\n" for answer in [*asked, *tried])


def test_leaving_a_chair_to_a_bot_and_coming_back(tmp_path):
    # the bot thinks for a minute: it does not get in our way
    with running(tmp_path, RandomBotPool(), bot_pause=60) as site:
        table = make(site)
        path, token = f"/api/tables/{table['table']}", bearer(table["tokens"][0])
        assert told(site.post(f"{path}/hand-over", json={"level": "hrad"}, headers=token))[:2] == (422, "BadChoice")
        assert site.post(f"{path}/hand-over", json={"level": "hard"}, headers=token).status_code == 200
        look = site.get(path, headers=token).json()
        assert look["people"][0] == {"name": "Program", "kind": "absent", "level": "hard"}
        assert look["legal"] == []
        assert told(site.post(f"{path}/moves", json={"move": "c1-c2", "revision": 0}, headers=token))[:2] == (
            409,
            "BotPlays",
        )
        assert site.post(f"{path}/come-back", headers=token).json()["seat"] == 0
        assert site.post(f"{path}/moves", json={"move": "c1-c2", "revision": 0}, headers=token).status_code == 200


def test_talk_is_heard_and_told_in_the_reader_s_language(site):
    table = make(site)
    path, token = f"/api/tables/{table['table']}", bearer(table["tokens"][1])
    assert site.post(f"{path}/talk", json={"text": "  Good   luck "}, headers=token).json()["text"] == "Good luck"
    assert told(site.post(f"{path}/talk", json={"text": "\n"}, headers=token))[:2] == (422, "BadRemark")
    assert [(one["seat"], one["text"]) for one in site.get(path).json()["talk"]] == [(1, "Good luck")]


def test_playing_again_gives_the_token_of_the_next_table(site):
    table = make(site, "connect_four")
    path, (first, second) = f"/api/tables/{table['table']}", map(bearer, table["tokens"])
    assert told(site.post(f"{path}/again", headers=first))[:2] == (403, "NotOver")
    assert told(site.get(f"{path}/record"))[:2] == (403, "NotOver")
    for ply, column in enumerate([0, 1, 0, 1, 0, 1, 0]):
        moved = site.post(
            f"{path}/moves", json={"move": column, "revision": ply}, headers=(first, second)[ply % 2]
        ).json()
    assert moved["over"]
    assert site.get(path).json()["places"] == [1, 2]
    again = site.post(f"{path}/again", headers=second).json()
    assert again["seat"] == 1
    assert site.get(path, headers=second).json()["again"] == again
    assert site.get(path).json()["again"] == {"table": again["table"], "seat": None, "token": None}
    look = site.get(f"/api/tables/{again['table']}", headers=bearer(again["token"])).json()
    assert (look["seat"], look["status"], look["revision"]) == (1, "playing", 0)
    verify(site.get(f"{path}/record").json())


def test_who_swaps_seats_gets_the_token_of_their_own_chair(site):
    table = make(site, "connect_four")
    path, tokens = f"/api/tables/{table['table']}", [bearer(token) for token in table["tokens"]]
    for ply, column in enumerate([0, 1, 0, 1, 0, 1, 0]):
        site.post(f"{path}/moves", json={"move": column, "revision": ply}, headers=tokens[ply % 2])
    tables = site.app.state.tables
    site.blocking_portal.call(partial(tables.play_again, table["table"], lambda _: 0, shift=1))
    names = [site.get(path).json()["people"][seat]["name"] for seat in (0, 1)]
    for seat, token in enumerate(tokens):
        again = site.get(path, headers=token).json()["again"]
        look = site.get(f"/api/tables/{again['table']}", headers=bearer(again["token"])).json()
        assert again["seat"] == look["seat"] == 1 - seat
        assert look["people"][1 - seat]["name"] == names[seat]


def test_open_tables_are_listed_and_others_are_not(site):
    made = [
        site.post("/api/tables", json={"game": "babuschka", "is_open": is_open}).json()["table"]
        for is_open in (True, False)
    ]
    listed = {line["table"]: line for line in site.get("/api/tables").json()}
    assert listed[made[0]] == {"table": made[0], "game": "babuschka", "seats": 2, "free": 1, "status": "waiting"}
    assert made[1] not in listed


# The description


def routes():
    return {
        (method, f"/api{path.replace(':str', '')}")
        for handler in api.HANDLERS
        for path in handler.paths
        for method in handler.http_methods
    }


WITHOUT_BODY = tuple(f"/{action.api.address}" for action in ACTIONS if action.api and not action.__struct_fields__)


def test_the_schema_has_every_route_of_the_api_and_no_other(site):
    schema = site.get("/api/docs/openapi.json").json()
    described = {(method.upper(), path) for path, item in schema["paths"].items() for method in item}
    assert described == routes()
    for path, item in schema["paths"].items():
        for method, operation in item.items():
            assert operation.get("description") or operation["summary"] == "Say something", path
            assert method == "get" or "requestBody" in operation or path.endswith(WITHOUT_BODY), path
    assert schema["components"]["securitySchemes"]["token"]["scheme"] == "bearer"


TABLE = {"game": "babuschka", "chairs": ["token", "easy"], "name": "Deep Borscht"}
TAKEN = [
    ("NewTable", "", {"game": "babuschka"}),
    ("NewTable", "", {**TABLE, "seats": 2, "time": "5+5", "stand_in": "master", "options": {"patience": 60}}),
    ("Sitting", "/seats", {"name": "Anna", "seat": 1, "nonce": "0" * 32}),
    ("NewMove", "/moves", {"move": "c1-c2", "revision": 0}),
    ("NewMove", "/moves", {"move": "c1-c2", "ply": 0}),
    ("NewRemark", "/talk", {"text": "x" * 280}),
    ("HandingOver", "/hand-over", {"level": "easy"}),
    ("NewName", "/name", {"name": "x" * 24}),
]
REFUSED = [
    ("NewTable", "", {"game": "chess"}),
    ("NewTable", "", {"game": "babuschka_tiny"}),
    ("NewTable", "", {"game": "babuschka", "seats": 1}),
    ("NewTable", "", {"game": "babuschka", "seats": 60}),
    ("NewTable", "", {"game": "babuschka", "chairs": ["token", "good"]}),
    ("NewTable", "", {"game": "babuschka", "chairs": ["token"] * 60}),
    ("NewTable", "", {"game": "babuschka", "stand_in": "good"}),
    ("NewTable", "", {"game": "babuschka", "time": "6+6"}),
    ("NewTable", "", {"game": "babuschka", "name": "x" * 25}),
    ("NewTable", "", {"game": "babuschka", "level": "easy"}),
    ("Sitting", "/seats", {"name": ""}),
    ("Sitting", "/seats", {"name": "Anna", "seat": -1}),
    ("Sitting", "/seats", {"name": "Anna", "nonce": "0" * 31}),
    ("Sitting", "/seats", {"name": "Anna", "nonce": "A" * 32}),
    ("Sitting", "/seats", {"name": "Anna", "chair": 1}),
    ("NewMove", "/moves", {"move": "c1-c2"}),
    ("NewMove", "/moves", {"move": -1, "revision": 0}),
    ("NewMove", "/moves", {"move": "", "revision": 0}),
    ("NewMove", "/moves", {"move": 0, "revision": -1}),
    ("NewMove", "/moves", {"move": 0, "revision": 0, "seat": 0}),
    ("NewRemark", "/talk", {"text": "x" * 281}),
    ("NewRemark", "/talk", {"text": ""}),
    ("NewRemark", "/talk", {"text": "Hello", "to": 1}),
    ("HandingOver", "/hand-over", {"level": "good"}),
    ("NewName", "/name", {"name": "x" * 25}),
    ("Answer", "/answer", {"agrees": True, "why": ""}),
]


@pytest.mark.parametrize(
    ("name", "path", "body", "is_taken"), [*((*one, True) for one in TAKEN), *((*one, False) for one in REFUSED)]
)
def test_the_schema_says_what_is_refused(site, name, path, body, is_taken):
    """So that a client that is generated from it knows before it asks."""
    described = site.get("/api/docs/openapi.json").json()["components"]["schemas"][name]
    assert jsonschema_rs.is_valid(described, body) is is_taken
    chairs = ["token", "free" if path == "/seats" else "token"]
    made = site.post("/api/tables", json={"game": "babuschka", "chairs": chairs, "options": {"first": 0}}).json()
    headers = {"authorization": f"Bearer {made['tokens'][0]}"}
    answer = site.post(f"/api/tables{path and '/' + made['table']}{path}", json=body, headers=headers)
    assert (answer.status_code < 300) is is_taken, answer.text


def test_the_schema_knows_the_games_of_this_site(site):
    described = site.get("/api/docs/openapi.json").json()["components"]["schemas"]["NewTable"]["properties"]["game"]
    assert described["enum"] == [game["game"] for game in site.get("/api/games").json()]


def test_the_page_and_the_document_name_every_route_and_every_error(site):
    page = site.get("/api/docs", headers={"accept": "text/html"})
    assert page.headers["content-type"].startswith("text/html")
    schema = site.get("/api/docs/openapi.json").json()
    for method, path in routes():
        assert f"{method} {path}" in page.text
        assert f"`{method} {path}`" in PAGE
    for item in schema["paths"].values():
        for operation in item.values():
            for status, answer in operation["responses"].items():
                for one in answer.get("content", {}).get("application/json", {}).get("examples", {}).values():
                    assert f"`{one['value']['error']}`" in next(
                        line for line in PAGE.splitlines() if line.startswith(f"| {status} |")
                    )


def test_the_page_loads_nothing_from_elsewhere_and_can_change_its_language(site):
    page = site.get("/api/docs", headers={"accept": "text/html"}).text
    assert not re.findall(r"""(?:src|href|action)=["'](?!/|#)""", page)
    assert "style=" not in page
    assert "<script>" not in page
    token = re.search(r'name="_csrf_token" value="([^"]+)"', page)[1]
    answer = site.post(
        "/language", data={"_csrf_token": token, "language": "fr", "back": "/api/docs"}, follow_redirects=True
    )
    assert answer.url.path == "/api/docs"
    assert '<html lang="fr">' in answer.text


# A real server, and the client


class Server:
    """`samovar serve` in a process of its own, which can be ended and started again on the same
    port and data."""

    def __init__(self, folder):
        self.folder, self.port, self.process = folder, 0, None

    @property
    def url(self):
        return f"http://localhost:{self.port}"

    def start(self):
        command = [
            "serve",
            "--no-browser",
            "--host",
            "127.0.0.1",
            "--port",
            str(self.port),
            "--data",
            str(self.folder),
            "--requests-per-minute",
            "0",
        ]
        told = {"SAMOVAR_BOT_PAUSE": "0", "PYTHONUNBUFFERED": "1", "SAMOVAR_PLAIN": "1"}  # bots hardly think here
        environment = {**os.environ, **told}
        self.process = subprocess.Popen([*SAMOVAR, *command], env=environment, stdout=subprocess.PIPE, text=True)
        line = next(line for line in self.process.stdout if "http://" in line)
        self.port = int(re.search(r":(\d+)/", line)[1])
        client, end = Client(self.url), time.monotonic() + PATIENT
        while time.monotonic() < end:
            try:
                return client.games()
            except Unreachable:
                time.sleep(0.1)
        raise AssertionError("the server did not start")

    def stop(self, number=signal.SIGINT):
        self.process.send_signal(number)
        self.process.wait(PATIENT)
        self.process.stdout.close()


@contextmanager
def served(folder):
    server = Server(folder)
    server.start()
    try:
        yield server
    finally:
        server.stop()


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with served(tmp_path_factory.mktemp("server")) as started:
        yield started


def play(seat, seed=0):
    """A seat's own thread: any legal move, until the match is over."""
    choose = random.Random(seed)
    for look in seat.events():
        if look["status"] == "over":
            return look
        if look["legal"]:
            seat.play(choose.choice(look["legal"])["move"])
    raise AssertionError("the stream ended")


@pytest.mark.parametrize("game", GAMES)
def test_whole_match_by_programs_each_with_its_own_stream(server, game):
    options = {"patience": 2} if game == "babuschka" else {}
    seats = samovar.find_game(game).seats[0]
    table = Client(server.url).make_table(game, chairs=["token"] * seats, options=options)
    with ThreadPoolExecutor(seats) as pool:
        looks = list(pool.map(play, table.seats, range(seats), timeout=PATIENT))
    match = verify(table.record(), looks[0]["commitment"])
    for look in looks:
        assert tuple(look["scores"]) == match.scores
        assert tuple(look["places"]) == match.places
        assert look["moment"] == len(match.history)


def test_simultaneous_choices_of_several_threads_are_all_taken(server):
    """C4: all have looked before anybody has chosen."""
    table = Client(server.url).make_table("matryoshka", chairs=["token"] * 4)
    together = 0
    for _ in range(30):
        looks = [seat.look() for seat in table.seats]
        if looks[0]["status"] == "over":
            break
        actors = looks[0]["actors"]
        together = max(together, len(actors))
        with ThreadPoolExecutor(4) as pool:
            moved = list(
                pool.map(lambda seat, looks=looks: table.seats[seat].play(looks[seat]["legal"][0]["move"]), actors)
            )
        assert sorted(one["revision"] for one in moved) == list(
            range(looks[0]["revision"] + 1, looks[0]["revision"] + 1 + len(actors))
        )
    assert together == 4


def test_of_many_who_move_at_once_with_one_token_one_succeeds(server):
    table = Client(server.url).make_table("babuschka", chairs=["token", "token"], options={"first": 0})
    seat = table.seats[0]
    moves = [one["move"] for one in seat.legal()]

    def attempt(move):
        try:
            return seat.play(move, 0)["revision"]
        except Conflict as error:
            return error.kind

    with ThreadPoolExecutor(8) as pool:
        outcomes = list(pool.map(attempt, moves))
    assert sorted(map(str, outcomes)) == ["1", *["MovedOn"] * (len(moves) - 1)]
    assert table.look()["moment"] == 1


def ask_raw(server, path, token, *pieces):
    """A request as bytes, its body in pieces that arrive one after the other."""
    size = sum(map(len, pieces))
    head = (
        f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "
        f"{size}\r\nConnection: close\r\n"
    )
    with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENT) as line:
        line.sendall(head.encode() + b"Authorization: Bearer " + token + b"\r\n\r\n")
        for piece in pieces:
            time.sleep(0.1)
            line.sendall(piece)
        answer = b"".join(iter(lambda: line.recv(2**16), b""))
    return int(answer.split()[1]), json.loads(answer.partition(b"\r\n\r\n")[2])


def test_moves_in_pieces_and_tokens_of_strange_letters(server):
    table = Client(server.url).make_table("babuschka", chairs=["token", "token"], options={"first": 0})
    path, token = f"/api/tables/{table.id}/moves", table.seats[0].token.encode()
    assert ask_raw(server, path, token, b'{"move": "c1-c2", "revision": 0}', b"}")[0] == 400
    assert ask_raw(server, path, b"\xb2\xb3", b'{"move": "c1-c2", "revision": 0}')[1]["error"] == "WrongToken"
    assert table.look()["revision"] == 0
    assert ask_raw(server, path, token, b'{"move": "c1-', b'c2", "revision": 0}') == (
        200,
        {"revision": 1, "ply": 1, "over": False, "actors": [1]},
    )


def test_errors_of_the_client_have_status_and_kind_and_come_at_once(server, monkeypatch):
    monkeypatch.setattr(client_module.time, "sleep", None)  # it does not try again
    client = Client(server.url)
    table = client.make_table("babuschka", chairs=["token", "free"])
    expected = [
        (lambda: client.make_table("chess"), BadRequest, 422, "UnknownGame"),
        (lambda: table.seats[0].play("c1-c2", 0), Conflict, 409, "NotStarted"),
        (lambda: Seat.of(table, "0123"), NotAllowed, 403, "WrongToken"),
        (lambda: client.table("nonsense").look(), NotFound, 404, "NoSuchTable"),
        (lambda: table.record(), ServerError, 409, "NotStarted"),
        (lambda: next(client.table("nonsense").events()), NotFound, 404, "NoSuchTable"),
    ]
    for ask, kind, status, name in expected:
        with pytest.raises(kind) as caught:
            ask()
        assert (caught.value.status, caught.value.kind) == (status, name)
    for wrong in ("localhost:8080", "ftp://localhost", "http://"):
        with pytest.raises(ServerError, match="http://localhost:8080"):
            Client(wrong)
    with pytest.raises(ServerError, match="table/ID"):
        Table.at("http://localhost:8080/")


def test_a_server_that_is_not_there_is_unreachable():
    with pytest.raises(Unreachable, match="Is the site running"):
        Client("http://localhost:9").games()


@pytest.mark.processes
def test_streams_go_on_after_the_server_was_restarted(tmp_path):
    with served(tmp_path) as server:
        client = Client(server.url, patience=PATIENT)
        table = client.make_table("babuschka", chairs=["token", "token"], options={"first": 0})
        first, second = table.seats
        looks = second.events()
        assert next(looks)["revision"] == 0
        server.stop(signal.SIGKILL)
        starting = threading.Timer(0.5, server.start)
        starting.start()
        assert next(looks)["revision"] == 0  # a whole look, from the new server
        starting.join()
        first.play("c1-c2", 0)
        look = next(look for look in looks if look["revision"] == 1)
        assert look["legal"]
        assert look["news"]
        second.play(look["legal"][0]["move"])
        looks.close()


@pytest.mark.processes
def test_connections_that_a_restart_has_cut_are_not_used_again(tmp_path):
    with served(tmp_path) as server:
        client = Client(server.url, patience=PATIENT)
        client.games()
        server.stop(signal.SIGKILL)
        server.start()
        assert client.games()


def test_a_stream_gives_up_when_the_server_is_gone(tmp_path, monkeypatch):
    monkeypatch.setattr(client_module, "PAUSE_SECONDS", (0.01, 0.01))
    with pytest.raises(Unreachable):
        next(Table(Client("http://localhost:9", patience=0.1), "x").events())


# Programs that read and write lines


def sit(server, table_id, command, *more):
    arguments = ["sit", f"{server.url}/table/{table_id}", "--program", command, *more]
    return subprocess.Popen([*SAMOVAR, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_two_programs_of_the_arena_play_a_whole_match(server):
    table = Client(server.url).make_table("memoarrrr", chairs=["free", "free"])
    shell = f"sh {ROOT / 'examples' / 'bots' / 'first_move.sh'}"
    sitting = [
        sit(server, table.id, RANDOM, "--name", "Random", "--seat", "1"),
        sit(server, table.id, shell, "--name", "First", "--seat", "0"),
    ]
    ended = [one.communicate(timeout=PATIENT) for one in sitting]
    assert [one.returncode for one in sitting] == [0, 0], ended
    look = table.look()
    assert [person["name"] for person in look["people"]] == ["First", "Random"]
    score = counted(samovar.find_game("memoarrrr"), "en", look["scores"][1])
    assert f"place {look['places'][1]} with {score}." in ended[0][0], "as the game counts it"
    verify(table.record())


def test_ctrl_c_leaves_the_chair_to_a_bot_and_the_token_comes_back(server):
    table = Client(server.url).make_table("babuschka", chairs=["free", "token"], options={"first": 1})
    sitting = sit(server, table.id, RANDOM)
    token = re.search(r"--token: (\w+)", sitting.stdout.readline())[1]
    sitting.send_signal(signal.SIGINT)
    out, error = sitting.communicate(timeout=PATIENT)
    assert sitting.returncode == 130, error
    assert "Leaves its chair to a bot" in out
    assert "Traceback" not in error
    assert table.look()["people"][0]["kind"] == "absent"
    back = sit(server, table.id, RANDOM, "--token", token)
    assert "seat 0" in back.stdout.readline()
    assert table.look()["people"][0]["kind"] == "person"
    back.send_signal(signal.SIGINT)
    back.communicate(timeout=PATIENT)


def test_a_program_that_fails_is_told_and_its_chair_is_left_to_a_bot(server):
    table = Client(server.url).make_table("babuschka", chairs=["free", "token"], options={"first": 0})
    sitting = sit(server, table.id, "false")
    out, error = sitting.communicate(timeout=PATIENT)
    assert sitting.returncode == 2
    assert "closed its output" in error
    assert "Leaves its chair" in out
    assert table.look()["people"][0]["kind"] == "absent"


def test_an_interruption_while_a_stream_is_left_is_not_lost(monkeypatch):
    def lines(self, path, token=""):
        try:
            yield {"ply": 0, "legal": [], "status": "over"}
        finally:
            raise KeyboardInterrupt

    monkeypatch.setattr(Client, "lines", lines)
    with pytest.raises(KeyboardInterrupt):
        client_module.Seat(Table(Client("http://localhost:9"), "x"), 0, "token").wait()


def test_a_program_that_stays_plays_again(server):
    table = Client(server.url).make_table("connect_four", chairs=["token", "free"])
    sitting = sit(server, table.id, RANDOM, "--stay")
    assert "seat 1" in sitting.stdout.readline()
    play(table.seats[0])
    look = play(table.seats[0].again())
    assert look["table"] != table.id
    assert "The game is over" in sitting.stdout.readline()
    assert "Plays again" in sitting.stdout.readline()
    assert "The game is over" in sitting.stdout.readline()
    sitting.send_signal(signal.SIGINT)
    _, error = sitting.communicate(timeout=PATIENT)
    assert "Traceback" not in error


def test_a_program_agrees_to_a_pause(server):
    """Else whoever plays with it would wait for an answer that never comes."""
    table = Client(server.url).make_table("connect_four", chairs=["token", "free"], time="1d")
    sitting = sit(server, table.id, RANDOM)
    assert "seat 1" in sitting.stdout.readline()
    anna = table.seats[0]
    anna.pause()
    assert next(look for look in anna.events() if look["pause"] and look["pause"]["until"])
    sitting.send_signal(signal.SIGINT)
    sitting.communicate(timeout=PATIENT)


@pytest.mark.parametrize(
    ("look", "said"),
    [
        ({}, []),
        ({"pause": {"wanted_by": [0], "until": None}}, ["pause"]),
        ({"pause": {"wanted_by": [0, 1], "until": None}}, []),
        ({"pause": {"wanted_by": [], "until": 1}}, []),
        ({"pause": {"wanted_by": [], "until": None}}, []),  # a teacher's
        ({"pause": {"wanted_by": [0], "until": None}, "asking": {"seat": 0, "agreed": []}}, ["pause", "answer"]),
        ({"asking": {"seat": 0, "agreed": []}}, ["answer"]),
        ({"asking": {"seat": 0, "agreed": [1]}}, []),
        ({"asking": {"seat": 1, "agreed": []}}, []),
    ],
)
def test_a_program_agrees_once_to_what_others_ask_for(look, said):
    heard = []
    chair = SimpleNamespace(
        number=1, pause=lambda: heard.append("pause"), answer=lambda agrees: heard.append("answer" if agrees else "no")
    )
    assert guest.agree(chair, look) is bool(said)
    assert heard == said


def test_a_wrong_address_is_told_in_one_sentence(server):
    for address, words in (
        ("nonsense", "is not the address of a table"),
        (f"{server.url}/table/nonsense", "There is no table"),
    ):
        done = subprocess.run(
            [*SAMOVAR, "sit", address, "--program", RANDOM],
            capture_output=True,
            text=True,
            timeout=PATIENT,
            check=False,
        )
        assert done.returncode == 2
        assert words in done.stderr
        assert "Traceback" not in done.stderr


# The document


def test_python_of_the_document_runs(server, capsys):
    blocks = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert len(blocks) == 2
    for block in blocks:
        names = {}
        exec(compile(block.replace("http://localhost:8080", server.url), "docs/api.md", "exec"), names)
    assert "409 MovedOn" in capsys.readouterr().out


@pytest.mark.skipif(shutil.which("curl") is None, reason="needs curl")
def test_curl_of_the_document_runs_and_answers_what_it_says(server):
    (script,) = re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)
    done = subprocess.run(
        ["sh", "-c", script.replace("http://localhost:8080", server.url)],
        capture_output=True,
        text=True,
        timeout=PATIENT,
        check=True,
    )
    made, look, moves, moved, refused, event = done.stdout.splitlines()
    assert '"tokens":["' in made
    assert look.startswith('{"table":')
    assert event.startswith('{"table":')
    assert moves.startswith('{"revision":0,"ply":0,"legal":[')
    assert moved == '{"revision":1,"ply":1,"over":false,"actors":[1]}'
    assert moved in PAGE
    assert refused.startswith('{"error":"MovedOn"')


@pytest.mark.processes
def test_the_client_needs_nothing_but_the_standard_library():
    tree = ast.parse(Path(client_module.__file__).read_text(encoding="utf-8"))
    modules = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    modules |= {name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names}
    assert {name for name in modules if name.split(".")[0] not in sys.stdlib_module_names} == {"samovar.errors"}
