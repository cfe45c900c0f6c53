"""Around the table: codes that lead to it, who is away, talk, and a club evening on the wall."""

import asyncio
import re
import time

import pytest

from samovar.web.store.entries import Settings
from samovar.web.tables.codes import LENGTH, LETTERS, code_of
from samovar.web.tables.tables import by_person
from support.clubs import begin, go_to_table, make
from support.players import look, move, play_now, post, two_people
from support.visitors import Visitor, running

CODE = re.compile(r'class="(?:invite|wall)-code">(?:.*?<strong>)?([A-Z0-9 ]{7})<')


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with running(tmp_path_factory.mktemp("site")) as client:
        yield client


def shown_code(visitor):
    return CODE.search(visitor.page.html)[1]


def waiting_table(site, seats=3):
    anna = Visitor(site)
    anna.go("/?way=friends")
    anna.send("/play/memoarrrr", way="friends", seats=seats, name="Anna")
    return anna, anna.address


# Codes


@pytest.mark.parametrize("typed", ["{code}", "{bare}", " {lower} ", "{code}.", "{dashed}"])
def test_a_code_leads_to_the_table_however_it_is_typed(site, typed):
    anna, table = waiting_table(site)
    code, boris = shown_code(anna), Visitor(site)
    dashed, lower = code.replace(" ", "-"), code.lower()
    boris.go(f"/join?code={typed.format(code=code, bare=code.replace(' ', ''), lower=lower, dashed=dashed)}")
    assert boris.address == table


def test_a_code_is_good_until_the_game_begins(site):
    anna, table = waiting_table(site, seats=2)
    code, boris = shown_code(anna), Visitor(site)
    boris.go(table)
    assert not CODE.search(boris.page.html), "who came has come"
    boris.send("/sit", name="Boris")
    for visitor in (anna, boris, Visitor(site)):
        visitor.go(f"/join?code={code}")
        assert visitor.status == 404
        assert "A code is good until the game begins." in visitor.page.words


@pytest.mark.parametrize("typed", ["", "CDFHJK", "x" * 500, "%00", "ÄÖÜ", "../../"])
def test_under_any_other_code_nobody_waits(site, typed):
    visitor = Visitor(site)
    visitor.go(f"/join?code={typed}")
    assert visitor.status == 404


def test_codes_are_of_letters_that_nobody_mixes_up_and_differ():
    codes = {code_of(b"secret", str(number)) for number in range(2000)}
    assert len(codes) == 2000
    assert {letter for code in codes for letter in code} == {*LETTERS, " "}
    assert {len(code) for code in codes} == {LENGTH + 1}
    assert not set(LETTERS) & set("0O1IL5S8B2ZG6QUAE")
    assert code_of(b"another", "1") != code_of(b"secret", "1")


def test_one_network_tries_so_many_codes_and_no_more(tmp_path):
    with running(tmp_path, requests_per_minute=1000) as site:
        answers = [site.get("/join?code=CDFHJK").status_code for _ in range(61)]
        assert answers == [404] * 60 + [429]


def test_the_first_page_asks_for_a_code_and_a_waiting_table_offers_the_lesson(site):
    anna, table = waiting_table(site)
    boris = Visitor(site)
    for way in ("", "?way=friends", "?way=here"):
        assert boris.go(f"/{way}").html.count('id="join-code"') == 1
    for visitor in (anna, boris):
        visitor.go(table)
        assert 'href="/learn/memoarrrr"' in visitor.page.html
        assert visitor.page.words.count("is expected") == 2


# Away


def send_away(site, table, seat):
    """Nothing was heard of them for long."""
    presence = site.app.state.tables.presence
    presence._began -= 1000
    presence._seen[table.split("/")[-1], seat] = time.monotonic() - 1000


def test_the_status_line_says_who_thinks_who_is_away_and_who_is_back(site):
    anna, boris, table = two_people(site, "babuschka")
    move(anna, table)
    boris.go(table)
    assert "Boris is thinking …" in anna.go(table).words
    send_away(site, table, 1)
    assert "Boris is away." in anna.go(table).words
    assert "is thinking" not in anna.page.words
    boris.go(table)
    assert "Boris is back. Boris is thinking …" in anna.go(table).words
    send_away(site, table, 1)
    anna.go(table)
    status = re.search(r'data-part="status".*?</section>', anna.page.html, re.S)[0]
    assert 'name="seat" value="1"' in status
    anna.send("/hand-over")
    assert look(site, table)["people"][1]["kind"] == "absent"


def test_whoever_looks_on_is_told_and_offered_nothing(site):
    anna, _, table = two_people(site, "babuschka")
    move(anna, table)
    send_away(site, table, 1)
    words = Visitor(site).go(table).words
    assert "Boris is away." in words
    assert "Let a bot play" not in words


def test_by_post_nobody_is_missed(site):
    anna, _, table = two_people(site, "babuschka", time="1d")
    move(anna, table)
    send_away(site, table, 1)
    assert "Boris is thinking …" in anna.go(table).words
    assert "Boris is away." not in anna.page.words


# Talk


def talk_is_open(visitor):
    return re.search(r'<details class="panel page-talk"( open)?>', visitor.page.html)[1] is not None


def test_talk_is_folded_away_with_bots_only(site):
    alone, _ = play_now(site)
    assert not talk_is_open(alone)
    waiting, _ = waiting_table(site)
    assert talk_is_open(waiting)
    anna, _, _ = two_people(site)
    assert talk_is_open(anna)


def test_each_reaction_is_a_phrase_that_others_read_in_their_language(site):
    anna, boris, table = two_people(site)
    form = re.search(r'<form class="reactions".*?</form>', anna.page.html, re.S)[0]
    reactions = re.findall(r'name="phrase" value="([^"]+)" aria-label="([^"]+)"', form)
    assert len(reactions) == 5
    boris.client.headers["accept-language"] = "de"
    for phrase, label in reactions:
        assert phrase == label
        assert post(anna, f"{table}/say", phrase=phrase).status_code == 200
    assert phrase in anna.go(table).words
    assert phrase not in boris.go(table).words
    assert anna.page.html.index('class="reactions"') < anna.page.html.index('class="phrases"')


# Clubs


def test_the_wall_shows_the_code_until_it_begins_then_tables_and_standings_and_no_secret(site):
    guests, address = make(site, deals="1")
    wall, late = Visitor(site), Visitor(site)
    wall.go(f"{address}/wall")
    code = shown_code(wall)
    late.go(f"/join?code={code}")
    assert late.address == address
    assert "4 are here" in wall.page.words
    guests[0].go(address)
    guests[0].send("/begin")
    wall.go(f"{address}/wall")
    assert code not in wall.page.html
    assert wall.page.words.count("Deal 1 of 1") == 2
    assert 'role="timer"' in wall.page.html
    late.go(f"/join?code={code}")
    assert late.status == 404
    tables = {go_to_table(guest, address): guest for guest in guests}
    for guest in tables.values():
        assert "A deal counts when all tables have finished it." in wall.go(f"{address}/wall").words
        guest.send("/resign")
    wall.go(f"{address}/wall")
    assert "Final standings" in wall.page.words
    assert wall.page.html.count("<li><span>") == 4
    assert 'role="timer"' not in wall.page.html


def test_the_wall_of_no_club_is_not_there(site):
    visitor = Visitor(site)
    visitor.go("/club/nonsense/wall")
    assert visitor.status == 404


def test_people_are_called_to_their_first_table_and_to_one_where_another_is(site):
    guests, address = begin(site, 4, deals="2")
    company = {go_to_table(guest, address): [] for guest in guests}
    for guest in guests:
        assert 'data-called="1"' in guest.go(address).html
        company[go_to_table(guest, address)].append(guest)
    one, other = next(iter(company.values()))
    one.send("/resign")
    for guest in (one, other):
        assert "data-called" not in guest.go(address).html
    go_to_table(one, address)
    assert 'data-called="2"' in other.go(address).html


# Chairs, while a table waits


def kinds(site, table):
    return [person["kind"] for person in look(site, table)["people"]]


def test_whoever_opened_the_table_puts_bots_on_chairs_and_sends_them_away_again(site):
    anna, table = waiting_table(site, seats=4)
    commitment = look(site, table)["commitment"]
    anna.send("/chair", seat="2", level="hard")
    assert look(site, table)["people"][2] == {"name": "Marfa", "kind": "bot", "level": "hard"}
    anna.send("/chair", seat="2", level="")
    assert kinds(site, table) == ["person", "free", "free", "free"]
    assert "freed the chair" not in anna.page.words, "nobody is told that a bot has gone"
    assert look(site, table)["commitment"] == commitment
    for seat in (1, 2):
        assert post(anna, f"{table}/chair", seat=seat, level="easy").status_code == 200
    boris = Visitor(site)
    boris.go(table)
    boris.send("/sit", name="Boris")
    assert kinds(site, table) == ["person", "bot", "bot", "person"]
    assert look(site, table)["status"] == "playing"
    assert post(anna, f"{table}/chair", seat="1", level="").status_code == 409


def test_the_last_chair_begins_the_match(site):
    anna, table = waiting_table(site, seats=2)
    assert post(anna, f"{table}/chair", seat="1", level="easy").status_code == 200
    assert look(site, table)["status"] == "playing"


def test_nobody_else_sets_chairs_and_no_person_is_sent_away_so(site):
    anna, table = waiting_table(site)
    boris = Visitor(site)
    boris.go(table)
    boris.send("/sit", name="Boris")
    stranger = Visitor(site)
    stranger.go(table)
    assert post(boris, f"{table}/chair", seat="2", level="easy").status_code == 403
    assert post(stranger, f"{table}/chair", seat="2", level="easy").status_code == 403
    assert post(anna, f"{table}/chair", seat="1", level="").status_code == 409
    assert post(anna, f"{table}/chair", seat="1", level="easy").status_code == 409
    assert post(anna, f"{table}/chair", seat="2", level="god").status_code == 422
    assert post(anna, f"{table}/chair", seat="9", level="easy").status_code == 400
    assert kinds(site, table) == ["person", "person", "free"]
    assert "A bot instead" not in boris.page.words


def change(visitor, table, seats=3, **facts):
    visitor.go(f"/new/memoarrrr?instead={table.split('/')[-1]}&seats={seats}")
    visitor.send("/new/memoarrrr", **facts)
    return visitor.address


def with_boris(site, seats=3):
    anna, table = waiting_table(site, seats)
    boris = Visitor(site)
    boris.go(table)
    boris.send("/sit", name="Boris", luck="ab" * 32)
    return anna, boris, table


def test_other_rules_are_another_table_that_everybody_comes_along_to(site):
    anna, boris, table = with_boris(site)
    before, code = look(site, table), shown_code(anna.go(table) and anna)
    other = change(anna, table, 4, expert="true", memory_aid="on", **{"chair-1": "hard"})
    assert other != table
    now = look(site, other)
    assert [person["name"] for person in now["people"]] == ["Anna", "Emelya", "Boris", ""]
    assert now["options"]["expert"]
    assert now["status"] == "waiting"
    assert now["commitment"] != before["commitment"], "a secret of its own"
    assert now["nonces"][2] not in (None, "ab" * 32), "what was brought for the other one is not used again"
    for visitor in (boris, Visitor(site)):
        visitor.go(table)
        assert visitor.address == other, "the link still leads there"
    boris.go(table)
    assert "data-bring-nonce" in boris.page.html
    assert "I have changed the table" in boris.page.words
    assert "abilities" in boris.page.words.lower()
    stranger = Visitor(site)
    assert stranger.go(f"/join?code={code}")
    assert stranger.status == 404
    stranger.go(f"/join?code={shown_code(boris)}")
    assert stranger.address == other
    assert 'href="/new/memoarrrr?instead=' in anna.go(other).html, "she has opened it, and may change it again"


def test_only_whoever_opened_it_changes_a_table_and_only_while_it_waits(site):
    anna, boris, table = with_boris(site)
    for visitor in (boris, Visitor(site)):
        visitor.go("/new/memoarrrr")
        refused = post(visitor, "/new/memoarrrr", seats="4", instead=table.split("/")[-1])
        assert refused.status_code == 403
    assert post(anna, "/new/memoarrrr", seats="4", instead="nonsense").status_code == 404
    levels = {"chair-1": "easy", "chair-2": "easy"}
    assert post(anna, "/new/memoarrrr", seats="3", instead=table.split("/")[-1], **levels).status_code == 409, "Boris"
    assert look(site, table)["status"] == "waiting"
    anna.go(table)
    anna.send("/begin")
    assert post(anna, "/new/memoarrrr", seats="4", instead=table.split("/")[-1]).status_code == 409


def orphans(site, person):
    """Tables that wait for others, of this person."""
    tables = site.app.state.tables
    listed = site.blocking_portal.call(tables.current_tables_of, person, 50)
    return [line.table for line in listed if line.summary.status == "waiting"]


def test_a_table_that_is_changed_twice_at_the_same_moment_has_one_in_its_place(site):
    anna, boris, table = with_boris(site)
    tables, table_id = site.app.state.tables, table.split("/")[-1]
    (person,) = site.blocking_portal.call(tables.look, table_id).chairs[0].persons

    async def change_it(seats):
        return await tables.open_instead(table_id, by_person(person), "memoarrrr", seats, {}, Settings(), [""] * seats)

    async def both():
        return await asyncio.gather(change_it(3), change_it(4))

    first, second = site.blocking_portal.call(both)
    assert first.id == second.id != table_id
    assert orphans(site, person) == [first.id]
    again = post(anna, "/new/memoarrrr", seats="4", instead=table_id)
    assert again.url.path == f"/table/{first.id}", "later, too"
    assert orphans(site, person) == [first.id]
    boris.go(table)
    assert boris.address == f"/table/{first.id}"
    assert boris.page.words.count("I have changed the table") == 1


def test_a_changed_table_begins_when_nobody_is_missing(site):
    anna, boris, table = with_boris(site)
    other = change(anna, table, 2)
    assert look(site, other)["status"] == "playing"
    assert boris.go(table)
    assert boris.address == other
    assert 'data-seat="1"' in boris.page.html


def test_a_table_to_be_changed_is_shown_as_it_is(site):
    anna, table = waiting_table(site)
    other = change(anna, table, 3, expert="true", hints="on", time="5+5", **{"chair-2": "expert"})
    anna.go(f"/new/memoarrrr?instead={other.split('/')[-1]}")
    for said in ('name="expert" value="true" checked', 'name="hints" checked', '<option value="5+5" selected>'):
        assert said in anna.page.html
    assert anna.page.html.count('<option value="expert" selected>') == 1
    assert 'id="name"' not in anna.page.html


def test_who_came_to_the_chair_of_a_program_takes_it_along(site):
    opened = site.post("/api/tables", json={"game": "memoarrrr", "chairs": ["token", "free"], "name": "Robot"}).json()
    anna, table = Visitor(site), f"/table/{opened['table']}"
    anna.go(table)
    assert post(anna, f"{table}/come/{opened['tokens'][0]}").status_code == 200
    other = change(anna, table, 4)
    assert other != table
    assert [person["kind"] for person in look(site, other)["people"]] == ["person", "free", "free", "free"]
