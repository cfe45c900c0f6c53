"""What a stream sends packed is what it would send as it is, for every game, viewer and move."""

import gzip
import json
import random
import zlib
from contextlib import aclosing

import pytest

import samovar
from samovar.web.drawing import messages, packed
from samovar.web.drawing.looks import make_look
from samovar.web.drawing.viewer import Viewer, ViewerKind
from samovar.web.pages import table as pages
from samovar.web.store.entries import Settings
from support.players import two_people
from support.visitors import Onlooker, running

ADDRESS = "http://samovar.test"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with running(tmp_path_factory.mktemp("site")) as client:
        yield client


def unpacked(pieces):
    """As a browser does, which shows what it has before the end has come."""
    return zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(b"".join(pieces))


def viewer_of(person, name="Zoë"):
    return Viewer(person, "en", name, "0123456789abcdef" * 8, ADDRESS)


@pytest.mark.parametrize("content", [b"", b"a", b"<b>" * 5000, random.Random(1).randbytes(200_000)])
def test_pieces_can_be_put_together_in_any_order(content):
    pieces = [
        packed.HEAD,
        packed.pack(content),
        packed.as_it_is(content),
        packed.as_it_is(b"own"),
        packed.pack(content),
    ]
    assert unpacked(pieces) == content + content + b"own" + content


def test_a_piece_knows_nothing_of_the_one_before():
    assert packed.pack(b"card " * 99) == packed.pack(b"card " * 99)
    assert unpacked([packed.HEAD, packed.pack(b"card " * 99)]) == b"card " * 99


@pytest.mark.parametrize("game", samovar.game_ids())
def test_what_came_makes_the_page_that_would_be_drawn_whole(site, game):
    """Over a match, for each player and somebody who looks on: parts as they came, put over those of
    the look before."""
    tables, choose = site.app.state.tables, random.Random(7)
    seats = min(samovar.find_game(game).seats)
    seen: dict = {}
    shown: dict = {}
    sent: dict = {}
    streams: dict = {}

    def look_at(table, seat):
        before, viewer = seen.get(seat), viewer_of(str(seat))
        look = seen[seat] = make_look(tables.secret, table, ViewerKind(seat, "en", ADDRESS), (), before)
        message = look.message(before)
        event = viewer.event(message, is_packed=False)
        assert unpacked([packed.HEAD, viewer.event(message, is_packed=True)]) == event
        plain, in_a_row = streams.setdefault(seat, ([], [packed.HEAD]))
        plain.append(event)
        in_a_row.append(viewer.event(message, sent.get(seat), is_packed=True))
        sent[seat] = message
        shown[seat] = {**shown.get(seat, {}), **json.loads(event.removeprefix(b"data: "))["parts"]}
        whole = make_look(tables.secret, table, ViewerKind(seat, "en", ADDRESS), (), None)
        assert shown[seat] == {name: str(viewer.fill_in(html)) for name, html in whole.parts.items()}

    async def play():
        table = await tables.open(game, seats, {}, Settings(), [""] * seats)
        for seat in range(seats):
            await tables.sit(table.id, f"person {seat}", f"Person {seat}")
        while table.actors:
            seat = choose.choice(table.actors)
            await tables.move(
                table.id, lambda _, seat=seat: seat, choose.choice(table.playing.legal(seat)), table.revision
            )
            for viewer in (None, *range(seats)):
                look_at(table, viewer)

    site.blocking_portal.call(play)
    assert len(seen) == 1 + seats
    for plain, in_a_row in streams.values():
        assert unpacked(in_a_row) == b"".join(plain), "each knows the one before"


def test_what_is_ones_own_is_not_packed(site):
    """Or the length of what is packed would tell those who listen, and can talk at the table, of it."""
    _, _, address = two_people(site)
    table = site.blocking_portal.call(site.app.state.tables.look, address.split("/")[-1])
    look = make_look(site.app.state.tables.secret, table, ViewerKind(0, "en", ADDRESS), (), None)
    viewer = viewer_of("anna")
    sent = viewer.event(look.message(None), is_packed=True)
    assert sent.count(viewer.csrf_token.encode()) == unpacked([packed.HEAD, sent]).count(viewer.csrf_token.encode()) > 0
    assert len(sent) < len(look.message(None).content) / 3


def test_many_who_see_the_same_share_what_is_packed(site, monkeypatch):
    _, _, address = two_people(site)
    table = site.blocking_portal.call(site.app.state.tables.look, address.split("/")[-1])
    look = make_look(site.app.state.tables.secret, table, ViewerKind(None, "en", ADDRESS), (), None)
    times = []
    monkeypatch.setattr(messages, "pack", lambda *content: times.append(content) or packed.pack(*content))
    first = viewer_of("one").event(look.message(None), is_packed=True)
    made = len(times)
    assert made
    assert first == viewer_of("two").event(look.message(None), is_packed=True)
    assert len(times) == made


@pytest.mark.parametrize(
    ("accepts", "is_packed"),
    [("gzip, deflate, br", True), ("GZIP", True), ("br", False), ("", False), ("gzip;q=0", False), ("xgzip", False)],
)
def test_a_stream_is_packed_for_those_who_say_that_they_unpack(accepts, is_packed):
    asked = {"accept-encoding": accepts}
    assert packed.is_wanted(asked) == is_packed
    assert ("content-encoding" in packed.headers(asked)) == is_packed


def test_a_packed_stream_tells_the_same_from_its_first_byte_to_its_beat(site):
    _, _, address = two_people(site)
    state, table_id = site.app.state, address.split("/")[-1]

    async def follow(*, is_packed):
        lines = pages.stream(
            Onlooker(state), state.looks, state.changes, [table_id, "gone"], viewer_of(None), is_packed=is_packed
        )
        async with aclosing(lines) as heard:
            told = [await anext(heard) for _ in range(3 if is_packed else 2)]
            for watcher in state.changes._watchers[table_id]:
                watcher.wake_for_beat()
            return [*told, await anext(heard)]

    plain = b"".join(site.blocking_portal.call(lambda: follow(is_packed=False)))
    assert unpacked(site.blocking_portal.call(lambda: follow(is_packed=True))) == plain
    assert plain.endswith(pages.BEAT)
    assert b"event: gone" in plain
    assert gzip.compress(b"")[:3] == packed.HEAD[:3]
