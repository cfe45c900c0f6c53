"""A large screen and the phones before it: what a screen shows, who comes by its code, and what a phone leaves out."""

import random
import re

import pytest

from samovar.engine.match import Match
from samovar.web import problems
from samovar.web.drawing.own_part import HEADINGS, own_part
from samovar.web.drawing.render import draw_table
from samovar.web.drawing.scene import make_scene
from samovar.web.names import Person
from samovar.web.tables import codes
from support.clubs import begin, go_to_table
from support.players import play_on, two_people
from support.tables import call
from support.visitors import Visitor, running

CODE = re.compile(r'class="screen-code">(\w+)<')
PARTS = {"x-samovar-parts": "1"}
SECTION = re.compile(r"<(section|pre|div)\b[^>]* data-on-screen")
TAG = re.compile(r"<[^/][^>]*>")


@pytest.fixture
def site(tmp_path):
    with running(tmp_path) as client:
        yield client


def open_table(site, game="memoarrrr", seats=2, **facts):
    anna = Visitor(site)
    anna.go(f"/new/{game}?seats={seats}")
    anna.send(f"/new/{game}", name="Anna", seats=seats, **facts)
    return anna, anna.address


def screen_of(site, table):
    screen = Visitor(site)
    screen.go(f"{table}/screen")
    return screen


def shown_code(screen):
    return CODE.search(screen.page.html)[1]


# What a phone leaves out


def without_sections(html):
    """A drawing without what is marked."""
    while found := SECTION.search(html):
        depth, end = 0, found.start()
        for tag in re.finditer(rf"<(/?){found[1]}\b[^>]*>", html[found.start() :]):
            depth += -1 if tag[1] else 1
            if not depth:
                end = found.start() + tag.end()
                break
        html = html[: found.start()] + html[end:]
    return html


def own_tags(html, shown):
    """What nobody else is shown; headings may be other words."""
    for name in HEADINGS:
        html = re.sub(rf"<{name}\b.*?</{name}>", "", html, flags=re.DOTALL)
    return {tag for tag in TAG.findall(html) if tag not in shown and not re.match("<(section|div|ul|li|table)", tag)}


@pytest.mark.parametrize("game", ["matryoshka", "memoarrrr", "varvitikud", "babuschka", "connect_four"])
def test_what_is_somebody_s_own_stays_and_what_all_see_goes(game):
    match = Match(game, seed=5, plain=True)
    people, choose = tuple(Person(f"Player {seat}") for seat in range(match.seats)), random.Random(3)
    left_out = 0
    while not match.over and len(match.history) < 40:
        shown = draw_table(make_scene(match, None, "en", people))
        for seat in range(match.seats):
            drawn = draw_table(make_scene(match, seat, "en", people))
            marked = own_part(drawn, shown)
            assert marked.replace(" data-on-screen", "") == drawn
            left = without_sections(marked)
            assert own_tags(drawn, shown) <= set(TAG.findall(left))
            left_out += len(drawn) - len(left)
        match.play_random(choose.getrandbits(30), limit=1)
    assert left_out > 0
    assert "<section" not in without_sections(own_part(shown, shown)), "a spectator has nothing of their own"


def test_a_phone_beside_a_screen_has_the_hand_and_all_that_can_be_chosen_until_it_opens_the_board(site):
    anna, boris, table = two_people(site, "varvitikud")
    assert "data-on-screen" not in anna.page.html
    anna.go(f"{table}/phone")
    assert anna.address == table
    sections = re.findall(r"<section[^>]*>", anna.page.html)
    left_out = {re.search(r'class="([\w-]+)', section)[1] for section in sections if "data-on-screen" in section}
    assert {"vt-field", "vt-stock"} <= left_out
    assert not {"vt-own"} & left_out
    assert anna.client.get(table, headers=PARTS).json()["parts"]["board"].count("data-on-screen") == len(
        re.findall("data-on-screen", anna.page.html)
    ), "what comes later is left out, too"
    assert "data-on-screen" not in boris.go(table).html, "who has the whole board keeps it"
    anna.go(f"{table}/whole")
    assert "data-on-screen" not in anna.page.html


def test_without_scripts_a_whole_game_is_played_on_phones_and_on_to_the_next(site):
    anna, boris, table = two_people(site)
    for visitor in (anna, boris):
        visitor.go(f"{table}/phone")
    play_on(anna, boris)
    anna.send("/again")
    assert anna.address != table
    boris.go(table)
    link = next(link["href"] for link in boris.page.links if "data-again" in link)
    assert link == f"{anna.address}/phone"
    assert 'data-frame="phone"' in anna.page.html


# The screen


def parts_of(visitor, address):
    """Without what proves that a form was sent by the browser that got it."""
    parts = visitor.client.get(address, headers=PARTS).json()["parts"]
    return {name: re.sub(r'(name="_csrf_token" value=")[^"]*', r"\1", html) for name, html in parts.items()}


def test_a_screen_shows_to_everybody_what_a_spectator_sees_and_goes_on_to_the_next_game(site):
    anna, boris, table = two_people(site)
    stranger = Visitor(site)
    stranger.go(table)
    seen = parts_of(stranger, table)
    for visitor in (anna, boris, stranger):
        assert parts_of(visitor, f"{table}/screen") == seen
    assert parts_of(anna, table) != seen
    screen = screen_of(site, table)
    assert '<meta http-equiv="refresh" content="4">' in screen.page.html
    play_on(anna, boris)
    screen.go(f"{table}/screen")
    assert screen.address == f"{table}/screen"
    assert not CODE.search(screen.page.html)
    anna.send("/again")
    screen.go(f"{table}/screen")
    assert screen.address == f"{anna.address}/screen"


def test_a_screen_follows_a_table_that_another_took_the_place_of(site):
    anna, table = open_table(site)
    anna.go(f"/new/memoarrrr?seats=3&instead={table.split('/')[-1]}")
    anna.send("/new/memoarrrr")
    for end in ("screen", "phone"):
        visitor = Visitor(site)
        visitor.go(f"{table}/{end}")
        assert anna.address in visitor.address


def test_nobody_sees_on_a_screen_what_others_are_still_to_play(site):
    guests, address = begin(site)
    table = go_to_table(guests[0], address)
    for visitor in (guests[0], guests[2], Visitor(site)):
        visitor.go(f"/table/{table}/screen")
        assert visitor.status == problems.StillPlayed.status
        assert "data-part" not in visitor.page.html


# Codes


def test_four_letters_lead_to_a_chair_until_the_game_is_over(site):
    anna, table = open_table(site)
    code = shown_code(screen_of(site, table))
    assert len(code) == 4
    assert set(code) <= set(codes.LETTERS)
    assert shown_code(screen_of(site, table)) == code
    boris = Visitor(site)
    boris.go(f"/join?code={code.lower()}")
    assert boris.address == f"{table}?sit"
    boris.send("/sit", name="Boris")
    assert boris.address == table
    assert 'data-frame="phone"' in boris.page.html
    boris.go(f"/join?code={code}")
    assert boris.address == table
    boris.go(f"/screen/{code}")
    assert boris.address == f"{table}/screen"
    for visitor in (anna, boris):
        visitor.go(table)
    play_on(anna, boris)
    for way in (f"/join?code={code}", f"/screen/{code}"):
        boris.go(way)
        assert boris.status == 404


def test_who_has_a_name_is_not_asked_for_it(site):
    _, table = open_table(site)
    boris = Visitor(site)
    assert "data-joining" not in boris.go(f"{table}/phone").html, "nobody knows what this one is called"
    open_own = Visitor(site)
    open_own.go("/new/memoarrrr?seats=2")
    open_own.send("/new/memoarrrr", name="Chloé")
    assert "data-joining" in open_own.go(f"{table}/phone").html
    assert "data-joining" not in open_own.go(table).html, "who only looks does not sit down"


def test_no_two_tables_have_one_code_at_a_time(site, monkeypatch):
    monkeypatch.setattr(codes, "SHORT", 1)
    tables = [open_table(site)[1] for _ in range(6)]
    shown = {shown_code(screen_of(site, table)): table for table in tables}
    assert len(shown) == 6
    for code, table in shown.items():
        assert call(site, codes.page_with, site.app.state.tables.store, b"", code) == f"{table}/phone"


def test_a_table_without_a_screen_has_no_short_code(site):
    _, table = open_table(site)
    code = codes._letters(site.app.state.site.secret, f"{table.split('/')[-1]} 0", codes.SHORT)
    visitor = Visitor(site)
    visitor.go(f"/join?code={code}")
    assert visitor.status == 404
    assert shown_code(screen_of(site, table)) == code
    visitor.go(f"/join?code={code}")
    assert visitor.status == 200


@pytest.mark.parametrize("way", ["/join?code=", "/screen/"])
def test_one_network_tries_so_many_short_codes_and_no_more(tmp_path, way):
    with running(tmp_path, requests_per_minute=1000) as site:
        answers = [site.get(f"{way}CDFH").status_code for _ in range(61)]
        assert answers == [404] * 60 + [429]


# From table to table


def test_the_tables_of_the_house_are_shown_in_turn(site):
    screen = Visitor(site)
    assert "No table is open to everybody now." in screen.go("/screen").words
    open_table(site)
    assert "No table is open to everybody now." in screen.go("/screen").words, "who plays by link is not shown"
    tables = sorted(open_table(site, open="on")[1] for _ in range(3))
    shown = []
    screen.go("/screen")
    for _ in range(4):
        shown.append(screen.address.split("/screen")[0])
        screen.go(re.search('<link rel="next" href="([^"]+)"', screen.page.html)[1])
    assert shown == [*tables, tables[0]]


def test_an_evening_shows_its_wall_and_in_turn_the_tables_that_all_may_see(site):
    guests, address = begin(site)
    screen = Visitor(site)
    tables = sorted({go_to_table(guest, address) for guest in guests})

    def turns(count):
        shown = []
        screen.go(f"{address}/screen")
        for _ in range(count):
            shown.append("wall" if "wall-head" in screen.page.html else screen.address.split("/")[2])
            screen.go(re.search('<link rel="next" href="([^"]+)"', screen.page.html)[1])
        return shown

    assert turns(3) == ["wall"] * 3
    for guest in guests:
        if "resign" in guest.page.html:
            guest.send("/resign")
    first, *rest = turns(6)
    assert first == "wall"
    assert set(rest[:2]) == set(tables)
    assert rest[2] == "wall"
