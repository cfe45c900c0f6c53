"""HEAD: what a page would say of itself, without the page. Tools that watch a site ask so, and `curl -I`."""

import pytest

from support.wire import Guest, ask, listening

CHANGES = {"date", "set-cookie"}


@pytest.fixture(scope="module")
def guest(tmp_path_factory):
    with listening(f"sqlite:///{tmp_path_factory.mktemp('heads')}/samovar.db") as port:
        yield Guest(port)


@pytest.fixture(scope="module")
def table(guest):
    return guest.sits("babuschka", open="on")


def head_of(answer):
    """The status and the headers, but for what is new in each answer."""
    first, *lines = answer.head.split("\r\n")
    return [first, *(line for line in lines if line.partition(":")[0].lower() not in CHANGES)]


@pytest.mark.parametrize(
    "page",
    [
        "/",
        "/health",
        "/metrics",
        "/rules/babuschka",
        "/new/babuschka",
        "/next",
        "/record",
        "/me",
        "/today",
        "/players",
        "/offline",
        "/service_worker.js",
        "/static/samovar.css",
        "/games/babuschka/cover.svg",
        "/api/games",
        "/api/docs",
        "/api/tables/nothing",
        "/api/tables/nothing/moves",
        "/nowhere",
    ],
)
def test_a_head_is_that_of_the_page_and_nothing_comes_after_it(guest, page):
    with_body, without = ask(guest.port, b"GET", page.encode()), ask(guest.port, b"HEAD", page.encode())
    assert without.text == ""
    assert head_of(without) == head_of(with_body)


def test_a_table_has_a_head(guest, table):
    answer = ask(guest.port, b"HEAD", table.encode())
    assert (answer.status, answer.text) == (200, "")
    assert int(answer.header("content-length")[0]) > 1000


def test_what_would_not_end_or_take_long_has_no_head(guest, table):
    for path in ("/live", f"/api{table.replace('table', 'tables')}/events", "/me/export"):
        assert ask(guest.port, b"HEAD", path.encode()).status == 405


def test_a_head_does_nothing_that_a_form_does(guest):
    assert ask(guest.port, b"HEAD", b"/api/tables/nothing/resign").status == 405
