"""Playing on from a moment of a record: in the world that was, or in another that fits what somebody knew."""

import random
from urllib.parse import urlencode

import pytest

from samovar.engine.match import Match
from samovar.engine.records.fair import verify
from samovar.engine.records.record import replay
from samovar.engine.registry import find_game
from samovar.errors import NotCommitted
from samovar.teach.puzzles import puzzles_of
from samovar.web.tables.results import results_of
from support.records import send
from support.tables import play_out, table_of
from support.visitors import Visitor, running

GAMES = ("babuschka", "matryoshka", "memoarrrr", "varvitikud")
MOMENT = 5


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with running(tmp_path_factory.mktemp("play-on")) as client:
        yield client


def whole(game):
    match = Match(game, seed=5, plain=True)
    match.play_random(1)
    return match


def here(visitor):
    """The id of the table, or of the record, where they are."""
    return visitor.address.split("/")[2].partition("?")[0]


def sent(site, match):
    """A visitor, and the address of the record they have sent."""
    anna = Visitor(site)
    return anna, send(anna, match.record({"names": ["Lea", "Max"]})).url.path


def gone_on(site, match, moment=MOMENT, **facts):
    """Somebody who plays on for the player who is to move, so that the table stands still."""
    anna, address = sent(site, match)
    [seat, *_] = match.at(moment).actors
    anna.go(f"{address}/on?at={moment}&eyes={seat}")
    anna.send("/on", **{"name": "Anna", "world": seat, **facts})
    assert anna.status == 200, anna.page.words
    return anna


def at_one_table(site, game="babuschka"):
    """Two people, and the address of the table where they have played to the end."""
    anna, boris = Visitor(site), Visitor(site)
    anna.go(f"/new/{game}?seats=2")
    anna.send(f"/new/{game}", name="Anna", first="0")
    boris.go(anna.address)
    boris.send("/sit", name="Boris")
    play_out(site, here(anna))
    return anna, boris, f"/table/{here(anna)}"


@pytest.mark.parametrize("game", GAMES)
def test_it_goes_on_in_the_world_that_was(site, game):
    match = whole(game)
    table = table_of(site, here(gone_on(site, match, world="")))
    assert table.playing.state_bytes == match.at(MOMENT).state_bytes
    assert table.playing.history == match.history[:MOMENT]


@pytest.mark.parametrize("game", GAMES[1:])
def test_it_goes_on_in_a_world_that_fits_what_somebody_knew(site, game):
    match = whole(game)
    then = match.at(MOMENT)
    [seat, *_] = then.actors
    visitors = [gone_on(site, match) for _ in range(3)]
    worlds = [table_of(site, here(anna)).playing for anna in visitors]
    assert all(world.view(seat) == then.view(seat) for world in worlds)
    assert len({world.state_bytes for world in worlds} | {then.state_bytes}) > 1
    assert (
        visitors[0].page.words.count(f"What player {seat + 1} could not know there was dealt anew.") == 2
    )  # also as news
    assert "Nothing has happened yet." not in visitors[0].page.words


@pytest.mark.parametrize("world", [{}, {"world": ""}])
def test_what_is_played_has_a_record_that_proves_nothing_of_its_deal_and_counts_for_nobody(site, world):
    anna = gone_on(site, whole("memoarrrr"), **world)
    assert f"This game goes on from move {MOMENT} of another one." in anna.page.words
    assert "Fair by proof" not in anna.page.words
    play_out(site, here(anna))
    table = table_of(site, here(anna))
    record = table.record()
    assert replay(record, plain=True).state_bytes == table.playing.state_bytes
    assert len(record["moves"]) > MOMENT
    with pytest.raises(NotCommitted):
        verify(record)
    assert results_of(table) == []
    table_id = here(anna)
    assert "Fair by proof" not in anna.go(f"/record/{table_id}").words
    assert "Play on from here" in anna.go(f"/record/{table_id}/on?at=2&eyes=0").words, "and again"


def test_it_is_still_there_after_a_restart(tmp_path):
    with running(tmp_path) as first:
        anna = gone_on(first, whole("matryoshka"))
        before = table_of(first, here(anna)).playing.state_bytes
    with running(tmp_path) as second:
        assert table_of(second, here(anna)).playing.state_bytes == before


def test_friends_come_by_the_link_and_nothing_is_taken_back_that_was_made_before(site):
    match = whole("babuschka")
    anna = gone_on(site, match, moment=4, others="friends")
    boris = Visitor(site)
    boris.go(anna.address)
    assert "free chair" in boris.page.words
    boris.send("/sit", name="Boris")
    anna.go(anna.address)
    assert not any(form["action"].endswith("/back") for form in anna.page.forms + boris.page.forms)
    anna.move(random.Random(1))
    assert len(table_of(site, here(anna)).playing.history) == 5


def test_the_same_people_go_on_in_their_own_chairs(site):
    anna, boris, table = at_one_table(site)
    anna.go(f"/record/{table.removeprefix('/table/')}/on?at=7&eyes=open")
    anna.send("/on", others="same", world="")
    other = table_of(site, here(anna))
    assert [chair.name for chair in other.chairs] == ["Anna", "Boris"]
    assert (other.status, len(other.playing.history)) == ("playing", 7)
    assert anna.address in [link["href"] for link in boris.go(table).links]


def test_somebody_else_cannot_bring_the_same_people_along(site):
    *_, table = at_one_table(site)
    chloe = Visitor(site)
    chloe.go(f"/record/{table.removeprefix('/table/')}/on?at=7&eyes=open")
    assert "everybody who sat there" not in chloe.page.words
    chloe.send("/on", name="Chloé", others="same", world="")
    assert chloe.status == 403
    assert table_of(site, table.removeprefix("/table/")).again is None


def test_a_puzzle_is_played_on(site):
    anna = Visitor(site)
    puzzle = puzzles_of(find_game("memoarrrr"))[0]
    address = f"/puzzles/memoarrrr/{puzzle.id}"
    assert f"{address}/on" not in anna.go(address).html, "it is asked first"
    answer = puzzle.match().move_text(puzzle.match().actors[0], puzzle.best)
    assert f"{address}/on" in anna.go(f"{address}?{urlencode({'answer': answer})}").html
    anna.go(f"{address}/on")
    anna.send("/on", name="Anna")
    assert f"This game goes on from move {len(puzzle.moves)} of another one." in anna.page.words
    seat = puzzle.match().actors[0]
    assert table_of(site, here(anna)).playing.view(seat) == puzzle.match().view(seat)


@pytest.mark.parametrize(
    ("facts", "status"),
    [
        ({"at": "9999"}, 422),
        ({"at": "-1"}, 422),
        ({"at": ""}, 422),
        ({"seat": "2"}, 422),
        ({"world": "2"}, 422),
        ({"world": "x"}, 422),
        ({"others": "grandmaster"}, 422),
        ({"name": ""}, 422),
    ],
)
def test_what_makes_no_sense_is_told(site, facts, status):
    anna, address = sent(site, whole("memoarrrr"))
    anna.go(f"{address}/on?at=3&eyes=0")
    anna.send("/on", **{"name": "Anna", **facts})
    assert anna.status == status, anna.page.words


def test_an_end_is_no_moment_to_go_on_from(site):
    match = whole("memoarrrr")
    anna, address = sent(site, match)
    assert "Play on from here" not in anna.go(address).words
    assert "Play on from here" in anna.go(f"{address}?at=3").words
    anna.go(f"{address}/on?at={len(match.history)}&eyes=0")
    assert anna.status == 409


def test_a_match_that_is_still_played_has_no_moments(site):
    anna = Visitor(site)
    anna.go("/new/babuschka?seats=2")
    anna.send("/new/babuschka", name="Anna", **{"chair-1": "easy"})
    anna.go(f"/record/{here(anna)}/on?at=0")
    assert anna.status == 403
