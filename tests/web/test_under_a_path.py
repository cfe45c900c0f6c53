"""A site at https://example.org/games: everything that a page leads to lies under `/games/`."""

import json
import re
from urllib.parse import urljoin, urlsplit

import httpx
import pytest

from samovar.client import Client, Table
from samovar.errors import BadAddress
from samovar.web import base_path, serve
from samovar.web.base_path import inside, place, under
from support.under_a_path import BASE, site_under_a_path

LINKS = re.compile(r'\s(href|action|formaction|src|data-[\w-]+)="((?:/|https?:)[^"]*)"')
# What makes many addresses of one kind of page; ids need not have a digit.
DIFFER = re.compile(r"(?<=/table/)[\w-]+|(?<=/record/)[\w-]+|(?<=/club/)[\w-]+|(?<=/)[\w-]*\d[\w-]*|\?.*")
ENOUGH = 2  # pages of each kind


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with site_under_a_path(tmp_path_factory.mktemp("site")) as address:
        yield address


@pytest.fixture
def visitor(site):
    with httpx.Client(timeout=60) as client:
        yield client


def links(page, kinds=""):
    found = [link for kind, link in LINKS.findall(page.text) if kind in (kinds or kind)]
    return {urljoin(str(page.url), link.replace("&amp;", "&")) for link in found}


def is_outside(link, site):
    return urlsplit(link).netloc == urlsplit(site).netloc and not f"{link}/".startswith(f"{site}/")


def crawl(visitor, site, *first):
    """Every kind of page that can be reached by links, and no link to what lies beside the site."""
    waiting, seen, kinds = [*first], set(), {}
    while waiting:
        address = waiting.pop(0).partition("#")[0]
        kind = DIFFER.sub("*", address)
        if address in seen or kinds.get(kind, 0) >= ENOUGH or not address.startswith(site):
            continue
        seen.add(address)
        kinds[kind] = kinds.get(kind, 0) + 1
        page = visitor.get(address)
        assert page.status_code in (200, 303), f"{address}: {page.status_code}"
        found = {urljoin(address, page.headers["location"])} if page.status_code == 303 else links(page)
        assert [link for link in found if is_outside(link, site)] == [], address
        if "html" in page.headers.get("content-type", ""):
            waiting += sorted(links(page, ("href", "src")))
    return kinds


def make_table(visitor, site):
    return post(visitor, site, "/new/matryoshka", name="Anna")


def post(visitor, site, path, **fields):
    """Where a form leads to, and the token that it has sent."""
    token = re.search(r'name="_csrf_token" value="([^"]+)"', visitor.get(f"{site}{path}").text)[1]
    answer = visitor.post(f"{site}{path}", data={"_csrf_token": token, **fields})
    assert answer.status_code == 303
    return urljoin(site, answer.headers["location"]), token


def finished_table(site):
    made = Client(site).make_table("connect_four", chairs=["token", "token"], options={"first": 0})
    for number in range(7):
        made.seats[number % 2].look()
        made.seats[number % 2].play("ab"[number % 2])
    assert made.look()["status"] == "over"
    return made.page


def test_no_link_leads_beside_the_site(visitor, site):
    table, _ = make_table(visitor, site)
    assert table.startswith(f"{site}/table/")
    club, _ = post(visitor, site, "/club", name="Friday", game="matryoshka")
    kinds = crawl(visitor, site, f"{site}/", table, club, f"{club}/wall", finished_table(site), f"{site}/offline")
    for page in (
        "/me",
        "/table/*",
        "/record/*",
        "/record/*/review",
        "/club/*",
        "/api/docs",
        "/games/matryoshka/table.css",
    ):
        assert any(kind.endswith(f"{BASE}{page}") for kind in kinds), page


def test_a_table_is_played_and_its_stream_heard(visitor, site):
    made = Client(site).make_table("connect_four", chairs=["token", "token"], options={"first": 0})
    assert made.page.startswith(f"{site}/table/")
    again = Table.at(made.page)
    made.seats[0].play("d")
    assert again.look()["revision"] == 1
    visitor.get(f"{site}/")
    with visitor.stream("GET", f"{site}/live?table={made.id}&language=en") as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")


def test_cookies_are_the_sites_own(visitor, site):
    table, token = make_table(visitor, site)
    visitor.post(f"{site}/language", data={"_csrf_token": token, "language": "fr", "back": "/me"})
    assert {cookie.path for cookie in visitor.cookies.jar} == {BASE}
    assert 'lang="fr"' in visitor.get(f"{site}/me").text
    assert table in visitor.get(table).text  # where friends are invited to


def test_scripts_and_tools_learn_the_path(visitor, site):
    assert f'<html data-base="{BASE}" lang="en">' in visitor.get(f"{site}/").text
    manifest = json.loads(visitor.get(f"{site}/static/manifest.webmanifest").text)
    at = f"{site}/static/manifest.webmanifest"
    assert urljoin(at, manifest["start_url"]) == urljoin(at, manifest["scope"]) == f"{site}/"
    assert all(visitor.get(urljoin(at, icon["src"])).status_code == 200 for icon in manifest["icons"])
    assert visitor.get(f"{site}/service_worker.js").status_code == 200
    assert visitor.get(f"{site}/api/docs/openapi.json").json()["servers"] == [{"url": BASE}]
    assert visitor.get(f"{site}/health").text == "ok"


@pytest.fixture
def path(monkeypatch):
    monkeypatch.setattr(base_path, "_path", BASE)


@pytest.mark.parametrize(
    ("source", "placed"),
    [
        ('<a class="x" href="/me">', '<a class="x" href="/games/me">'),
        ('<form action="{{ here }}?x">', '<form action="{{ under( here ) }}?x">'),
        (
            '<a href="//elsewhere"><a href="#x"><input value="/me">',
            '<a href="//elsewhere"><a href="#x"><input value="/me">',
        ),
        ('<i data-own="/me/pace">', '<i data-own="/games/me/pace">'),
        ("<html lang=x>", '<html data-base="/games" lang=x>'),
    ],
)
def test_templates_are_placed_under_a_path(path, source, placed):
    assert place(source) == placed


def test_without_a_path_templates_stay_as_they_are():
    assert place('<html><a href="/me">') == '<html><a href="/me">'


def test_a_path_is_taken_off_and_put_before(path):
    assert [*map(inside, ["/games/me", "/games", "/games/", "/gamesome", "/health"])] == [
        "/me",
        "/",
        "/",
        "/gamesome",
        "/health",
    ]
    assert [*map(under, ["/me", "//host", "https://host/me", "?at=1", "#x"])] == [
        "/games/me",
        "//host",
        "https://host/me",
        "?at=1",
        "#x",
    ]


@pytest.mark.parametrize("url", ["https://Example.org/Games", "https://example.org/Games/"])
def test_an_address_may_have_a_path(url):
    assert serve.parse_public_url(url) == "https://example.org/Games"


@pytest.mark.parametrize("end", ["/a//b", "/a?b", "/a b", '/a"b', "/..", "/./a", "/a/#x", "/ä"])
def test_a_path_that_cannot_be(end):
    with pytest.raises(BadAddress, match=r"https://example\.org/games"):
        serve.parse_public_url(f"https://example.org{end}")


@pytest.mark.parametrize(
    ("url", "site"),
    [
        ("http://localhost:8080/table/abc", "http://localhost:8080"),
        ("https://example.org/games/table/abc?at=3", "https://example.org/games"),
        ("https://example.org/a/table/x/table/abc/", "https://example.org/a/table/x"),
    ],
)
def test_a_program_finds_the_site_of_a_table(url, site):
    table = Table.at(url)
    assert (table.client.url, table.id) == (site, "abc")
    assert table.page == f"{site}/table/abc"
