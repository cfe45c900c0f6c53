"""Arranging a position by hand: what cannot be is refused with its sentence, and what can be is played on."""

import json
import random
import re

import pytest

from samovar.engine.match import Match
from samovar.engine.records.arranged import look_at, position_of
from samovar.engine.records.fair import verify
from samovar.engine.records.record import replay
from samovar.engine.registry import find_game
from samovar.errors import NotCommitted
from samovar.teach.puzzles import puzzles_of
from samovar.web.pages.going_on import arrange
from samovar.web.pages.going_on.arrange import LARGEST
from samovar.web.tables.results import results_of
from support.records import send
from support.tables import play_out, table_of
from support.visitors import Visitor, running

GAMES = ("babuschka", "matryoshka", "memoarrrr", "varvitikud")
CHOSEN = re.compile('name="move" value="([^"]+)"')


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with running(tmp_path_factory.mktemp("arrange")) as client:
        yield client


@pytest.fixture(scope="module")
def anna(site):
    return Visitor(site)


def here(visitor):
    return visitor.address.split("/")[2].partition("?")[0]


def position(visitor):
    return json.loads(visitor.page.form("#board")["fields"]["position"])


def state(visitor, game):
    return look_at(find_game(game), position(visitor)).match.state_bytes


def begun_with(visitor, match):
    """They arrange a position, beginning with that of a match."""
    form = visitor.go(f"/arrange/{match.game.id}").form("#board")
    facts = {"_csrf_token": form["fields"]["_csrf_token"], "position": json.dumps(position_of(match))}
    visitor._see(visitor.client.post(form["action"], data=facts))
    assert visitor.status == 200, visitor.page.words


def click(visitor, *names):
    for name in names:
        assert name in CHOSEN.findall(visitor.page.html), f"{name} cannot be chosen"
        visitor.send("#board", move=name)
        assert visitor.status == 200, visitor.page.words


def play(visitor, **facts):
    """As the button does that has an address of its own."""
    form = visitor.page.form("#board")
    address = form["action"].replace("#board", "/play")
    visitor._see(visitor.client.post(address, data={**form["fields"], "name": "Anna", **facts}, follow_redirects=True))


def played(game, moves, seed=3, **options):
    match = Match(game, seed=seed, plain=True, **options)
    match.play_random(1, moves)
    return match


def stacks(visitor):
    return position(visitor)["dolls"]


# What can be changed, game by game


def test_a_doll_goes_to_another_field(anna):
    begun_with(anna, played("babuschka", 0))
    [free] = {"d4"} - stacks(anna).keys()
    start = next(iter(stacks(anna)))
    doll = stacks(anna)[start].split()[-1]
    click(anna, start, free)
    assert stacks(anna)[free] == doll
    anna.send("#board", back="yes")
    assert free not in stacks(anna)
    assert stacks(anna)[start].endswith(doll)


@pytest.mark.parametrize("moves", [2, 7, 15])
def test_two_dolls_change_places_whatever_has_happened_to_them(anna, moves):
    match = played("matryoshka", moves)
    begun_with(anna, match)
    mine, other = (match.view(seat).hand[0] for seat in (0, 1))
    click(anna, mine, other)
    now = look_at(match.game, position(anna)).match
    assert other in now.view(0).hand
    assert mine in now.view(1).hand
    assert now.actors == match.actors


def test_two_cards_change_places_and_one_is_turned_over(anna):
    begun_with(anna, played("memoarrrr", 3))
    before = position(anna)["cards"]
    click(anna, "a1", "c3")
    assert (position(anna)["cards"]["a1"], position(anna)["cards"]["c3"]) == (before["c3"], before["a1"])
    hidden = next(place for place in before if place not in (*position(anna)["revealed"], "c3"))
    click(anna, hidden, hidden)
    assert position(anna)["revealed"][-1] == hidden


def test_a_card_goes_where_it_fits_and_a_stick_to_somebody_else(anna):
    match = played("varvitikud", 9)
    begun_with(anna, match)
    [seat, *_] = match.actors
    text = next(text for text in match.moves(seat) if "@" in text and "'" not in text)
    card, place = text.split("@")
    click(anna, f"card-{card}", place)
    assert [int(card), *map(int, place.split(","))] in [cell[:3] for cell in position(anna)["field"]]
    assert len(position(anna)["hands"][seat]) == 4, "it is filled up from the pile"
    before = sum(position(anna)["sticks"][1])
    click(anna, "take-1-blue", "take-1-blue")
    assert sum(position(anna)["sticks"][1]) == before + 1


def test_a_game_whose_pieces_have_no_names_is_arranged_by_moves(anna):
    begun_with(anna, played("connect_four", 0))
    click(anna, "a", "a", "b")
    assert position(anna)["moves"] == ["a", "a", "b"]
    anna.send("#board", **{"field-moves": "a a a a a a a"})
    assert anna.status == 200
    assert "is not a move of" in anna.page.words
    play(anna, **{"field-moves": "a a a a a a a"})
    assert anna.status == 422
    anna.send("#board", **{"field-moves": "a b a b"})
    play(anna)
    assert anna.address.startswith("/table/"), anna.page.words


# What cannot be


def test_what_cannot_be_is_drawn_told_and_not_begun(site):
    anna = Visitor(site, "de")
    begun_with(anna, Match.arranged("babuschka", **find_game("babuschka").face.examples["home"].position))
    home = next(name for name, stack in stacks(anna).items() if stack == "0S 0M 0L")
    free = [name for name in ("d5", "e5", "e4") if name not in stacks(anna)]
    click(anna, home, free[0], home, free[1])
    assert "cannot be" not in anna.page.words
    click(anna, free[0], home)
    assert "dolls on their goal fields out of order" in anna.page.words
    assert stacks(anna)[home] == "0S 0L", "and stays as it was arranged"
    play(anna)
    assert anna.status == 422
    assert "dolls on their goal fields out of order" in anna.page.words
    assert stacks(anna)[home] == "0S 0L"


def test_a_click_that_makes_no_position_is_told_and_not_made(anna):
    begun_with(anna, played("varvitikud", 9))
    before = position(anna)
    far = next(name for name in CHOSEN.findall(anna.page.html) if re.fullmatch("-?[0-9]+,-?[0-9]+", name))
    start = next(f"card-{card}" for card, x, y, *_ in before["field"] if (x, y) == (0, 0))
    click(anna, start, far)
    assert "No card lies at 0,0" in anna.page.words
    assert position(anna) == before


def test_fields_that_make_no_position_keep_what_was_typed(anna):
    begun_with(anna, played("memoarrrr", 6))
    anna.send("#board", **{"field-treasures": "9 9 9"})
    assert "The treasures have" in anna.page.words
    assert anna.page.form("#board")["fields"]["field-treasures"] == "9 9 9"
    play(anna, **{"field-treasures": "9 9 9"})
    assert anna.status == 422
    assert anna.page.form("#board")["fields"]["field-treasures"] == "9 9 9"


def test_players_are_counted_from_1_in_what_is_wrong(anna):
    begun_with(anna, played("varvitikud", 6))
    hands = position(anna)["hands"]
    hands[1].pop()
    anna.send("#board", **{"field-hands": json.dumps(hands)})
    assert f"the hand of player 2 has {len(hands[1])}." in anna.page.words
    assert "seat 1" not in anna.page.words


def test_a_name_that_nobody_can_have_loses_nothing(anna):
    begun_with(anna, played("memoarrrr", 6))
    click(anna, "a1", "b1")
    before = position(anna)
    play(anna, name="x" * 99)
    assert anna.status == 422
    assert position(anna) == before


# What is played


@pytest.mark.parametrize(("game", "clicks"), [*zip(GAMES, [(), ("A1", "B3"), ("a1", "e5"), ()], strict=True)])
@pytest.mark.parametrize("world", ["", "0"])
def test_it_is_played_to_the_end_and_counts_for_nobody(anna, site, game, clicks, world):
    begun_with(anna, played(game, 8))
    click(anna, *clicks)
    arranged = position(anna)
    play(anna, world=world)
    assert anna.address.startswith("/table/"), anna.page.words
    assert "a position that somebody has arranged" in anna.page.words
    play_out(site, here(anna))
    table = table_of(site, here(anna))
    assert table.status == "over"
    record = table.record()
    assert record["position"] == arranged
    assert replay(record, plain=True).state_bytes == table.playing.state_bytes
    assert results_of(table) == []
    with pytest.raises(NotCommitted):
        verify(record)


def test_who_comes_by_the_link_is_told(anna, site):
    begun_with(anna, played("babuschka", 4))
    play(anna, others="friends")
    boris = Visitor(site)
    assert "a position that somebody has arranged" in boris.go(anna.address).words


# Where it begins


def test_it_begins_with_a_moment_of_a_record_a_puzzle_or_a_deal(anna):
    match = played("memoarrrr", 999)
    anna.address = "/"
    record = send(anna, match.record()).url.path
    anna.go(f"{record}/on?at=5&eyes=0")
    [way] = [link["href"] for link in anna.page.links if link["href"].startswith("/arrange/")]
    anna.go(way)
    assert position(anna) == position_of(match.at(5))
    puzzle = puzzles_of(find_game("varvitikud"))[0]
    anna.go(f"/arrange/varvitikud?puzzle={puzzle.id}")
    assert position(anna) == position_of(puzzle.match(plain=True))
    assert "/arrange/varvitikud" in anna.go("/puzzles").html
    assert "/arrange/varvitikud" in anna.go("/rules/varvitikud").html
    anna.go("/arrange/matryoshka?seats=4&moves=30")
    assert position(anna)["seats"] == 4


def test_a_deal_with_which_nobody_can_begin_is_dealt_again(anna, monkeypatch):
    stuck = Match("varvitikud", 2, 144, plain=True)
    assert stuck.over
    deals = [stuck, played("varvitikud", 0)]
    monkeypatch.setattr(arrange, "Match", lambda *_, **__: deals.pop(0))
    anna.go("/arrange/varvitikud")
    assert anna.status == 200
    assert deals == []


# Nonsense


@pytest.mark.parametrize(
    "asked", ["seats=9", "seats=x", "moves=9999999", "moves=-1", "record=nothing", "puzzle=nothing", "at=5&record="]
)
def test_an_address_that_makes_no_sense(anna, asked):
    anna.go(f"/arrange/memoarrrr?{asked}")
    assert 400 <= anna.status < 500


def test_the_record_of_another_game_is_none_of_this_one(anna):
    anna.address = "/"
    record = send(anna, played("babuschka", 999).record()).url.path.rpartition("/")[2]
    anna.go(f"/arrange/memoarrrr?record={record}&at=3")
    assert anna.status == 404


WRONG = [
    "",
    "x",
    "[]",
    "null",
    "{}",
    "[" * 9000,
    '{"a\\ud800": 1}',
    '{"x": ' + "1" * LARGEST + "}",
    '{"seats": 99}',
    '{"seats": ' + "9" * 400 + "}",
    '{"turn": -1}',
    '{"seats": 2, "seed": 5, "moves": []}',
    '{"seats": 2, "deck": []}',
    '{"field": [[0]]}',
    '{"dolls": {"d4": "0S"}, "patience": 1e400}',
    '{"dolls": {"d4": 5}}',
    '{"cards": {"a1": "a1"}, "known": [[]]}',
    '{"moves": [[0, "put A1"]], "first": 7}',
]


@pytest.mark.parametrize("game", [*GAMES, "connect_four"])
def test_nonsense_is_a_problem_of_whoever_sent_it(anna, game):
    anna.go(f"/arrange/{game}")
    for wrong in WRONG:
        for facts in (
            {"position": wrong},
            {"before": wrong, "back": "yes"},
            {"field-moves": wrong, "field-seats": wrong},
        ):
            anna.go(f"/arrange/{game}")
            anna.send("#board", **facts)
            assert anna.status < 500, (wrong, facts)
            anna.go(f"/arrange/{game}")
            play(anna, **facts)
            assert anna.status < 500, (wrong, facts)
            assert not anna.address.startswith("/table/") or anna.status == 200
    for name in ("", "d4", "card-", "card-x", "card-99", "take-9-red", "0,", "A1", "\u2603", "x" * 5000):
        anna.go(f"/arrange/{game}?moves=4")
        anna.send("#board", picked="d4", move=name)
        assert anna.status == 200
        anna.send("#board", picked=name, move="A1")
        assert anna.status == 200


def test_changes_by_chance_never_break_the_page(anna):
    choose = random.Random(7)
    for game in GAMES:
        begun_with(anna, played(game, 8))
        for _ in range(12):
            names = CHOSEN.findall(anna.page.html)
            anna.send("#board", move=choose.choice(names)) if names else anna.send("#board", back="yes")
            assert anna.status == 200, anna.page.words


def test_positions_are_looked_at_so_often_for_one_address(tmp_path, monkeypatch):
    monkeypatch.setattr("samovar.web.app.MOST_ARRANGED", 3)
    with running(tmp_path, requests_per_minute=1000) as few:
        anna = Visitor(few)
        statuses = []
        for _ in range(5):
            anna.go("/arrange/babuschka?moves=200")
            statuses.append(anna.status)
        assert statuses == [200, 200, 200, 429, 429]
        anna.go("/")
        assert anna.status == 200
