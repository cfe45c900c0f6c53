"""Visitors who send anything at all: forms with other fields, headers of any bytes, bodies and
records that were tampered with.

The examples are the same in every run. None is answered by a fault of the site's own, and none
takes longer than `wire.LONGEST`.
"""

import hashlib
import json
import random
import re
from contextlib import suppress
from copy import deepcopy
from inspect import signature

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import response_schema_conformance, status_code_conformance

from samovar.engine.match import Match
from samovar.engine.registry import find_game
from support.visitors import Page
from support.wire import Guest, ask, listening

pytestmark = pytest.mark.slow

SAME = settings(derandomize=True, deadline=None, database=None, suppress_health_check=list(HealthCheck))
KINDS = [
    b"application/x-www-form-urlencoded",
    b"multipart/form-data; boundary=x",
    b"application/json",
    b"text/plain; charset=bogus",
]
HEADERS = {
    "Accept": b"text/html;q=",
    "Accept-Language": b"fr;q=",
    "Authorization": b"Bearer ",
    "Content-Type": b"multipart/form-data; boundary=",
    "Cookie": b"samovar=",
    "If-None-Match": b"W/",
    "Range": b"bytes=",
    "Referer": b"http://",
    "X-CSRFToken": b"",
    "X-Forwarded-For": b"",
    "X-Forwarded-Proto": b"",
    "X-Samovar-Parts": b"",
    "Expect": b"100-",
    "Last-Event-ID": b"",
    "Origin": b"http://",
}
CHARSETS = [b"utf-8", b"utf-16", b"bogus", b"hex", b"raw_unicode_escape"]
CONTROLS = bytes((*range(32), 127))  # which the server itself refuses in a header
ODD = [
    "²",
    "--5",
    "-1",
    "0",
    "1",
    "99999999999",
    "1e999",
    "\0",
    "\ud800",
    "\u3164",
    "%s",
    "{}",
    "../",
    "//",
    "http://[",
    "<b>",
    "random",
    "on",
    "fr",
]

odd_text = st.sampled_from(ODD)
odd_bytes = st.one_of(odd_text, odd_text, st.text(max_size=30)).map(
    lambda text: text.encode("utf-8", "surrogatepass")
) | st.binary(max_size=30)
odd_value = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | odd_text | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(odd_text, inner, max_size=3),
    max_leaves=5,
)
alike = {str: odd_text | st.text(max_size=30), int: st.integers(-3, 60) | st.integers()}


@pytest.fixture(scope="module")
def port(tmp_path_factory):
    with listening(f"sqlite:///{tmp_path_factory.mktemp('fuzzing')}/samovar.db") as port:
        yield port


@pytest.fixture(scope="module")
def guest(port):
    return Guest(port)


@pytest.fixture(scope="module")
def pages(guest):
    """Pages with forms on them, among them tables that wait, that are played at, and where somebody
    else sits."""
    waiting, played = (
        guest.sits("babuschka"),
        [guest.sits(game, **{"chair-1": "easy"}) for game in ("matryoshka", "memoarrrr", "varvitikud")],
    )
    other = Guest(guest.port).sits("babuschka", open="on")
    return ["/", "/record", "/new/babuschka", "/new/memoarrrr?seats=3", "/rules/babuschka", waiting, *played, other]


# Forms


@pytest.mark.parametrize("parts", [False, True])
def test_no_form_of_any_page_breaks_the_site_whatever_its_fields_are(guest, pages, parts):
    @settings(SAME, max_examples=100)
    @given(st.data())
    def fuzz(data):
        page = Page(guest.see(data.draw(st.sampled_from(pages))).text)
        fields = filled_in(data, page)
        body = in_parts(fields, data.draw(st.sampled_from(CHARSETS))) if parts else None
        answer = guest.send(fields.pop(""), fields.items(), body=body, kind=KINDS[parts])
        assert answer.status < 500

    fuzz()


def filled_in(data, page):
    """One of the forms of a page with some of its fields changed or added; its address is the field
    without a name."""
    form = page.forms[data.draw(st.integers(0, 20)) % len(page.forms)]
    clicked = {button["name"]: button.get("value", "") for button in form["buttons"] if "name" in button}
    fields = {name: (value or "").encode() for name, value in (form["fields"] | clicked).items()}
    for _ in range(data.draw(st.integers(1, 2))):
        names = [*(name for name in fields if name != "_csrf_token"), "with", "nothing"]
        fields[names[data.draw(st.integers(0, 20)) % len(names)]] = data.draw(odd_bytes)
    return fields | {"": form["action"]}


def in_parts(fields, charset=b"utf-8"):
    head = b'--x\r\nContent-Disposition: form-data; name="%s"\r\nContent-Type: text/plain; charset=%s\r\n\r\n%s\r\n'
    kept = {"_csrf_token": b"utf-8"}  # so that the rest is looked at
    return (
        b"".join(head % (name.encode(), kept.get(name, charset), value) for name, value in fields.items() if name)
        + b"--x--\r\n"
    )


def test_no_body_breaks_the_site_whatever_it_says_it_is(guest, pages):
    forms = sorted({form["action"] for page in pages for form in Page(guest.see(page).text).forms})

    @settings(SAME, max_examples=60)
    @given(st.sampled_from(forms), st.sampled_from(KINDS), st.binary(max_size=60), odd_bytes)
    def fuzz(page, kind, body, value):
        token = b"_csrf_token=%s&" % guest.token
        parts = in_parts({"_csrf_token": guest.token, "name": value})
        for content in (body, token + body, parts + body, parts[: len(parts) // 2] + body):
            assert guest.send(page, body=content, kind=kind).status < 500

    fuzz()


# Addresses and headers


def test_no_header_breaks_the_site(guest, pages):
    paths = [*pages, "/static/samovar.css", "/games/babuschka/cover.svg", "/api/games", "/api/docs", "/health"]

    @settings(SAME, max_examples=100)
    @given(
        st.sampled_from(paths),
        st.dictionaries(st.sampled_from(sorted(HEADERS)), st.tuples(st.booleans(), odd_bytes), min_size=1, max_size=4),
    )
    def fuzz(path, headers):
        told = {
            name: (HEADERS[name] if usual else b"") + value.translate(None, CONTROLS)
            for name, (usual, value) in headers.items()
        }
        lines = [b"%s: %s" % (name.encode(), value) for name, value in told.items()]
        for address in (path, "/nowhere"):
            assert ask(guest.port, b"GET", address.encode(), *lines).status < 500

    fuzz()


def test_no_address_breaks_the_site(guest, pages):
    table = pages[-2]
    paths = [
        "/",
        table,
        "/new/babuschka",
        "/record/x",
        "/rules/babuschka",
        f"/api/tables/{table.split('/')[2]}",
        "/static",
        "/games",
        "/table",
        "/live",
    ]
    fields = st.lists(
        st.tuples(st.sampled_from(["pick", "list", "seats", "at", "eyes", "language", "nothing"]), odd_bytes),
        max_size=4,
    )

    @settings(SAME, max_examples=100)
    @given(st.sampled_from(paths), odd_bytes, fields)
    def fuzz(path, last, asked):
        query = "&".join(f"{name}={percent(value)}" for name, value in asked)
        assert guest.see(f"{path}/{percent(last)}?{query}").status < 500
        assert guest.see(f"{path}?{query}").status < 500

    fuzz()


def percent(value):
    return "".join(f"%{byte:02X}" for byte in value)


# Programs


@pytest.fixture(scope="module")
def programs_table(port):
    body = b'{"game": "memoarrrr", "chairs": ["token", "token"]}'
    made = json.loads(ask(port, b"POST", b"/api/tables", b"Content-Type: application/json", body=body).text)
    return made["table"], made["tokens"][0]


def test_no_json_breaks_the_site(port, programs_table):
    table, token = programs_table
    usual = {
        "": {"game": "babuschka", "seats": 2, "options": {"patience": 60}, "chairs": ["token", "easy"], "name": "Anna"},
        f"/{table}/moves": {"move": "1", "revision": 0},
        f"/{table}/seats": {"name": "Anna", "seat": 1},
        f"/{table}/talk": {"text": "Hello"},
        f"/{table}/hand-over": {"level": "easy"},
    }

    @settings(SAME, max_examples=100)
    @given(st.data())
    def fuzz(data):
        path, body = data.draw(st.sampled_from(sorted(usual.items(), key=lambda pair: pair[0][-9:])))
        changed = tampered(data, body)
        headers = b"Content-Type: application/json", b"Authorization: Bearer " + token.encode()
        answer = ask(port, b"POST", f"/api/tables{path}".encode(), *headers, body=json.dumps(changed).encode())
        assert answer.status < 500
        assert answer.status < 400 or json.loads(answer.text)["detail"]

    fuzz()


def tampered(data, value):
    """The same value with something in it changed or removed."""
    changed = {"": deepcopy(value)}
    at, key = changed, ""
    while isinstance(at[key], dict | list) and at[key] and data.draw(st.integers(0, 7)):
        at = at[key]
        keys = list(at) if isinstance(at, dict) else range(len(at))
        key = keys[data.draw(st.integers(0, 1000)) % len(keys)]
    if at is changed or data.draw(st.integers(0, 3)):
        at[key] = data.draw(alike.get(type(at[key]), odd_value) | odd_value)
    else:
        del at[key]
    return changed[""]


def program(port):
    """Who plays through the API: their table and their token."""
    body = b'{"game": "memoarrrr", "chairs": ["token", "easy"], "hints": true, "time": "5+5"}'
    made = json.loads(ask(port, b"POST", b"/api/tables", b"Content-Type: application/json", body=body).text)
    return made["table"], made["tokens"][0]


def person(port):
    """Who plays in a browser, and gives the key of their personal link to a program."""
    guest = Guest(port)
    return token_of(guest, guest.sits("memoarrrr", **{"chair-1": "easy"}))


def host(port):
    """Who has invited others to an evening, and plays its first deal."""
    guests = [Guest(port), Guest(port)]
    club = guests[0].send("/club", [("game", b"memoarrrr"), ("name", b"Club"), ("deals", b"2")]).header("location")[0]
    for guest in guests:
        guest.send(f"{club}/join", [("name", b"Anna")])
    guests[0].send(f"{club}/begin")
    return token_of(guests[0], guests[0].send(f"{club}/play").header("location")[0])


def token_of(guest, page):
    token = re.search(r"/come/(\d[0-9a-f]{40})", guest.see(page).text)[1]
    return page.removeprefix("/table/"), token


@pytest.mark.parametrize("mode", schemathesis.GenerationMode)
@pytest.mark.parametrize("who", [program, person, host])
def test_the_description_of_the_api_is_kept_whatever_is_asked(port, who, mode):
    """Each operation at a table of its own: who leaves the one must be heard at the next."""
    schema = schemathesis.openapi.from_url(f"http://127.0.0.1:{port}/api/docs/openapi.json")
    schema.config.generation.codec = None  # else a table of all letters is made first
    for operation in (found.ok() for found in schema.get_all_operations()):
        if mode == schemathesis.GenerationMode.NEGATIVE and not operation.body:
            continue  # there is nothing to get wrong
        ask_anything(operation, mode, *who(port))


def ask_anything(operation, mode, table, token):
    """With the token of a seat, and without."""

    @settings(SAME, max_examples=10)
    @given(operation.as_strategy(generation_mode=mode), st.booleans())
    def fuzz(case, knows):
        if knows and not case.path.endswith("/events"):  # which would not end
            case.path_parameters = dict.fromkeys(case.path_parameters, table)
            case.headers["Authorization"] = f"Bearer {token}"
        answer = case.call(timeout=10)
        case.validate_response(
            answer, checks=[not_a_server_error, response_schema_conformance, status_code_conformance]
        )

    fuzz()


# Records


@pytest.fixture(scope="module")
def record():
    match, choose = Match("babuschka", 2, 7, plain=True), random.Random(7)
    while not match.over:
        seat = match.actors[0]
        match.play(seat, choose.choice(match.legal(seat)))
    return match.record({"names": ["Anna", "Boris"], "bots": {"1": "easy"}, "commitment": "0", "salt": "1"})


def upload(guest, content):
    """The record as a file. It is signed as whoever tampers with it would do, so that more than its
    signature is looked at."""
    with suppress(ValueError, AttributeError):
        told = {name: value for name, value in content.items() if name != "digest"}
        signed = json.dumps(told, sort_keys=True, ensure_ascii=False).encode()
        content = told | {"digest": hashlib.blake2b(signed, digest_size=16).hexdigest()}
    parts = in_parts({"_csrf_token": guest.token, 'record"; filename="a.json': json.dumps(content).encode()})
    return guest.send("/record", body=parts, kind=KINDS[1])


def test_no_record_breaks_the_site(guest, record):
    assert upload(guest, record).status == 303

    @settings(SAME, max_examples=100)
    @given(st.data())
    def fuzz(data):
        answer = upload(guest, tampered(data, record))
        assert answer.status < 500
        for page in answer.header("location"):
            for address in (page, f"{page}?at=1&eyes=0", f"{page}/download"):
                assert guest.see(address).status < 500

    fuzz()


@pytest.mark.parametrize("game", ["babuschka", "matryoshka", "memoarrrr", "varvitikud"])
def test_no_position_in_a_record_breaks_the_site(guest, record, game):
    told = {"game": game, "rules": find_game(game).version, "moves": []}
    rest = {name: value for name, value in record.items() if name not in ("seed", "options")}
    names = signature(find_game(game).arrange).parameters

    @settings(SAME, max_examples=25)
    @given(
        st.dictionaries(
            st.sampled_from(sorted(names)), odd_value | st.integers(0, 4) | st.lists(st.integers(0, 50)), max_size=3
        )
    )
    def fuzz(position):
        assert upload(guest, {**rest, **told, "position": position}).status < 500

    fuzz()
