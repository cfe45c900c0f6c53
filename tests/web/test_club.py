"""A club evening: the same cards at all tables, nobody learns anything of a deal before they have
played it, and everything follows from what was shown before."""

import asyncio
import random
import re
import time
from contextlib import AsyncExitStack
from fractions import Fraction
from html import unescape
from unittest.mock import AsyncMock

import httpx
import pytest
from sqlalchemy import text

from samovar.engine.records.fair import series_order, series_seed, verify
from samovar.engine.registry import find_game
from samovar.errors import BadRecord, NotCommitted
from samovar.web import problems
from samovar.web.app import make_app
from samovar.web.jobs.reviews import Progress
from samovar.web.people import clubs
from samovar.web.people.clubs import Club, ClubMember, Clubs
from samovar.web.people.standings import StandingOutcome, standings
from samovar.web.site import Site
from samovar.web.tables import series
from support.clubs import GAME, begin, go_to_table, make
from support.players import everything_of, post
from support.records import forged
from support.servers import Server
from support.tables import call, play_out, table_of
from support.visitors import SECRET, RandomBotPool, Visitor, running

PATIENT = 60  # seconds for an answer, on a busy machine just after a start


@pytest.fixture
def site(tmp_path):
    with running(tmp_path) as client:
        yield client


def club_of(site, address):
    return call(site, Clubs(site.app.state.tables).find, address.split("/")[-1])


def shown_commitment(guest, address):
    return re.search(r'<code class="commitment">([0-9a-f]{64})', guest.go(address).html)[1]


# Making it, and coming


def test_an_evening_is_made_and_people_come_by_its_link(site):
    guests, address = make(site, 3)
    assert re.findall(r"<li><strong>(.*?)</strong>", guests[2].page.html) == ["Guest 1", "Guest 2", "Guest 3"]
    assert "3 are here" in guests[2].page.words
    assert "Begin the first deal" not in guests[2].page.words
    assert "Begin the first deal" in guests[0].go(address).words
    assert guests[0].client.get(f"{address}/invitation.svg").status_code == 200
    assert "Votre nom" in Visitor(site, "fr").go(address).words


def test_the_second_of_a_name_can_be_told_apart_and_nobody_is_there_twice(site):
    guests, address = make(site, 2)
    post(guests[1], f"{address}/join", name="Somebody else")
    third = Visitor(site)
    third.go(address)
    third.send("/join", name="GUEST 1")
    fourth = Visitor(site)
    fourth.go(address)
    fourth.send("/join", name="Guеst 1")  # with a Russian letter
    names = [member.name for member in club_of(site, address).members]
    assert names == ["Guest 1", "Guest 2", "GUEST 1 2", "Guеst 1 3"]


def test_one_can_leave_and_the_host_can_remove_but_nobody_else(site):
    guests, address = make(site, 4)
    assert post(guests[1], f"{address}/leave", name="Guest 3").status_code == problems.NotTheHost.status
    post(guests[1], f"{address}/leave", name="Guest 2")
    post(guests[0], f"{address}/leave", name="Guest 3")
    post(guests[0], f"{address}/leave", name="nobody of this name")
    club = club_of(site, address)
    assert [member.name for member in club.members] == ["Guest 1", "Guest 4"]
    assert club.nonces == [f"{number:032x}" for number in (0, 3)]
    assert len(club.nonce_makers) == 2


def test_only_the_host_begins_with_two_at_least_and_nobody_joins_after_that(site):
    guests, address = make(site, 1)
    assert post(guests[0], f"{address}/begin").status_code == problems.TooFewPeople.status
    other, late = Visitor(site), Visitor(site)
    other.go(address)
    other.send("/join", name="Boris")
    late.go(address)
    assert post(other, f"{address}/begin").status_code == problems.NotTheHost.status
    assert post(other, f"{address}/end").status_code == problems.NotTheHost.status
    assert post(guests[0], f"{address}/end").status_code == problems.NotStarted.status
    guests[0].go(address)
    guests[0].send("/begin")
    before = club_of(site, address)
    assert post(guests[0], f"{address}/begin").status_code == problems.ClubBegun.status
    assert post(late, f"{address}/join", name="Late").status_code == problems.ClubBegun.status
    assert post(other, f"{address}/leave", name="Boris").status_code == problems.ClubBegun.status
    assert post(late, f"{address}/play").status_code == problems.NotInClub.status
    assert club_of(site, address) == before


def test_what_makes_no_sense_is_refused(site):
    guest = Visitor(site)
    guest.go("/club")
    for facts in (
        {"deals": "9"},
        {"deals": "0"},
        {"deals": "x"},
        {"seats": "17"},
        {"level": "godlike"},
        {"name": ""},
        {"name": "x" * 25},
        {"game": "chess"},
    ):
        answer = post(guest, "/club", **{"game": GAME, "name": "Friday", "seats": "2", "deals": "2", **facts})
        assert 400 <= answer.status_code < 500, facts
    for address in ("/club/nothing", "/club/a%00b", "/club/nothing/invitation.svg"):
        assert guest.client.get(address).status_code == 404
    _, address = make(site, 2)
    assert 400 <= post(guest, f"{address}/join", name="Anna", luck="not a number").status_code < 500
    assert 400 <= post(guest, f"{address}/join", name="\u200b").status_code < 500
    assert len(club_of(site, address).members) == 2


def test_how_many_can_be_made_and_how_many_come_is_bounded(site, monkeypatch):
    monkeypatch.setattr(clubs, "MOST_PEOPLE", 3)
    guests, address = make(site, 3)
    late = Visitor(site)
    late.go(address)
    assert post(late, f"{address}/join", name="Late").status_code == problems.ClubFull.status
    monkeypatch.setattr(clubs, "MOST_A_DAY", 2)
    facts = {"game": GAME, "name": "Friday", "seats": "2", "deals": "2"}
    assert post(guests[0], "/club", **facts).status_code == 201 or guests[0].status == 200
    assert post(guests[0], "/club", **facts).status_code == problems.TooManyClubs.status
    monkeypatch.setattr(clubs, "MOST_GATHERING", 2)
    assert post(late, "/club", **facts).status_code == problems.NoMoreClubs.status


def test_one_address_makes_so_many_a_day(tmp_path):
    with running(tmp_path, requests_per_minute=1000, tables_per_minute=1000) as site:
        facts = {"game": GAME, "name": "Friday", "seats": "2", "deals": "2"}
        codes = []
        for _ in range(21):
            guest = Visitor(site)
            guest.go("/club")
            codes.append(post(guest, "/club", **facts).status_code)
        assert codes[-1] == problems.TooMany.status
        assert problems.TooMany.status not in codes[:20]


def test_an_evening_that_never_began_is_swept_and_one_that_did_is_not(site):
    (_, gathering), (_, begun) = make(site, 2), begin(site, 2)

    async def sweep_after_a_week():
        store = site.app.state.tables.store
        await store.do(lambda connection: connection.execute(text("UPDATE series SET created = created - 604900000")))
        await store.sweep(7 * 24 * 3600.0, 24 * 3600.0)

    call(site, sweep_after_a_week)
    assert Visitor(site).client.get(gathering).status_code == 404
    assert Visitor(site).client.get(begun).status_code == 200


# The same cards


def test_companies_are_as_equal_as_can_be_and_in_an_order_nobody_chose(site):
    for people, sizes in ((2, [1, 1]), (3, [2, 1]), (4, [2, 2]), (5, [2, 2, 1]), (7, [2, 2, 2, 1])):
        _, address = begin(site, people)
        club = club_of(site, address)
        assert [len(company) for company in club.companies] == sizes
        assert sorted(number for company in club.companies for number in company) == list(range(people))
        order = series_order(club.secret, club.nonces)
        assert club.companies == [order[place :: len(sizes)] for place in range(len(sizes))]


def test_everybody_sits_in_every_chair_when_there_are_as_many_deals():
    club = Club("x", GAME, 1, 4, {}, 4, "easy", "host", "secret", companies=[[3, 1, 2], [0, 4]])
    for company, people in enumerate(club.companies):
        seats = {number: {club.seating(company, deal).index(number) for deal in (1, 2, 3, 4)} for number in people}
        assert seats == {number: {0, 1, 2, 3} for number in people}


def test_the_same_deal_is_dealt_at_every_table_byte_for_byte(site):
    guests, address = begin(site)
    club = club_of(site, address)
    states = {}
    for deal in (1, 2):
        played = {go_to_table(guest, address) for guest in guests}
        assert len(played) == 2
        tables = [table_of(site, table_id) for table_id in played]
        states[deal] = {table.playing.at(0).state_bytes for table in tables}
        assert len(states[deal]) == 1
        assert {table.deal_seed for table in tables} == {series_seed(club.secret, club.nonces, deal)}
        assert len({table.actors for table in tables}) == 1, "the same seat begins"
        for number, table_id in enumerate(sorted(played)):
            play_out(site, table_id, number)
    assert states[1] != states[2]
    for guest in guests:
        guest.go(address)
        assert "You have played all deals." in guest.page.words


def test_bots_fill_up_and_think_alike_at_every_table(site):
    guests, address = begin(site, 2)
    one, other = (table_of(site, go_to_table(guest, address)) for guest in guests)
    assert [chair.kind for chair in one.chairs] == [chair.kind for chair in other.chairs] == ["person", "bot"]
    assert one.bot_seed(1) == other.bot_seed(1)
    assert one.chairs[1].level == "medium"


def test_each_company_goes_on_at_its_own_pace_and_no_table_is_opened_early(site):
    guests, address = begin(site)
    club = club_of(site, address)
    first = go_to_table(guests[0], address)
    assert go_to_table(guests[0], address) == first, "the deal is not over"
    play_out(site, first)
    second = go_to_table(guests[0], address)
    assert second != first
    assert table_of(site, second).deal == 2
    slow = next(
        number
        for number in range(4)
        if club.company_of(club.members[number].person) != club.company_of(club.members[0].person)
    )
    assert table_of(site, go_to_table(guests[slow], address)).deal == 1


def test_two_of_a_company_who_go_at_once_find_one_table(site):
    _, address = begin(site)
    club, club_id = club_of(site, address), address.split("/")[-1]
    people = [club.members[number].person for number in club.companies[0]]

    async def both():
        there = Clubs(site.app.state.tables)
        return await asyncio.gather(*(there.table_for(club_id, person) for person in people * 3))

    assert len(set(call(site, both))) == 1


def test_those_who_join_at_once_all_get_in(site):
    _, address = make(site, 1)
    club_id = address.split("/")[-1]

    async def join_all():
        there = Clubs(site.app.state.tables)
        await asyncio.gather(
            *(there.change(club_id, lambda club, n=n: club.join(f"person {n}", f"Name {n}", "")) for n in range(12))
        )
        return await there.find(club_id)

    club = call(site, join_all)
    assert len(club.members) == len(set(club.nonces)) == 13


# Nobody learns anything before they have played


def test_a_table_of_a_running_deal_is_closed_to_all_who_have_not_finished_it(site):
    guests, address = begin(site)
    club = club_of(site, address)
    by_company = [[guests[number] for number in company] for company in club.companies]
    tables = [go_to_table(company[0], address) for company in by_company]
    outsider = Visitor(site)
    outsider.go(address)
    for visitor in (outsider, by_company[1][0], by_company[1][1]):
        codes, event = everything_of(site, visitor, tables[0])
        assert set(codes.values()) == {403}
        assert b"gone" in event
        assert b"parts" not in event
        assert tables[0] not in visitor.go(address).html
    own, event = everything_of(site, by_company[0][0], tables[0])
    assert own[f"/table/{tables[0]}"] == 200
    assert b"parts" in event

    play_out(site, tables[0])
    for visitor in (outsider, *by_company[1]):
        codes, event = everything_of(site, visitor, tables[0])
        assert set(codes.values()) == {403}, "over here, played there"
        assert b"parts" not in event
    codes, event = everything_of(site, by_company[0][0], tables[0])
    assert codes[f"/table/{tables[0]}"] == 200
    assert codes[f"/record/{tables[0]}"] == codes[f"/record/{tables[0]}/download"] == 403, "a record can be handed on"
    codes, event = everything_of(site, by_company[0][0], tables[1])
    assert codes[f"/table/{tables[1]}"] == 200, "whoever has finished a deal may watch the others"
    assert b"parts" in event
    assert codes[f"/api/tables/{tables[1]}"] == 403, "where nobody says who they are"

    play_out(site, tables[1])
    site.app.state.reviews.look = AsyncMock(return_value=Progress(None))  # none is made here
    for visitor in (outsider, by_company[0][0]):
        for table_id in tables:
            codes, event = everything_of(site, visitor, table_id)
            assert set(codes.values()) == {200}
            assert b"parts" in event
            assert table_id in visitor.go(address).html
    second = go_to_table(by_company[0][0], address)
    assert outsider.client.get(f"/table/{second}").status_code == 403, "the next deal is another one"


def test_standings_say_nothing_of_a_deal_that_is_still_played(site):
    guests, address = begin(site)
    club = club_of(site, address)
    first, other = (guests[company[0]] for company in club.companies)
    play_out(site, go_to_table(first, address))
    before = other.go(address).words
    assert "A deal counts, and can be looked at, when all tables have finished it." in before
    assert 'club-table"' not in other.page.html
    play_out(site, go_to_table(other, address))
    assert 'class="club-table"' in other.go(address).html
    play_out(site, go_to_table(first, address))
    evening = call(site, Clubs(site.app.state.tables).evening, address.split("/")[-1])
    assert {line.deals for line in evening.standings} == {1}, "the second deal is still played"


def test_what_is_not_kept_any_more_is_said_and_counts_on(site):
    """The owner of the site may say how long finished games are kept."""
    guests, address = begin(site)
    club = club_of(site, address)
    for company in club.companies * 2:
        play_out(site, go_to_table(guests[company[0]], address))
    standing = guests[0].go(address).words.split("Fair by proof")[0]
    assert len(linked(guests[0])) == 4
    assert len(linked(guests[0], "/me/matches")) == 2

    async def sweep():
        store = site.app.state.tables.store
        await store.do(lambda connection: connection.execute(text("UPDATE tables SET changed = changed - 86400001")))
        assert len(await store.sweep(7 * 24 * 3600.0, 24 * 3600.0, 24 * 3600.0)) == 4

    call(site, sweep)
    assert guests[0].go(address).words.split("Fair by proof")[0].replace(" no longer kept", "") == standing
    assert guests[0].page.words.count("no longer kept") == 4
    assert not linked(guests[0])
    assert guests[0].client.get(address).status_code == 200
    assert not linked(guests[0], "/me/matches")
    assert guests[0].page.words.count("no longer kept") == 2


def linked(guest, address=""):
    """The records that a page leads to, all of which are there."""
    page = guest.go(address) if address else guest.page
    found = re.findall(r'href="(/record/[^"/?]*)', page.html)
    assert [guest.client.get(one).status_code for one in found] == [200] * len(found)
    return found


def test_the_secret_is_nowhere_until_all_is_over_and_then_on_the_page(site):
    guests, address = begin(site, deals="1")
    club = club_of(site, address)
    one, other = (guests[company[0]] for company in club.companies)
    for guest in (one, other):
        table_id = go_to_table(guest, address)
        pages = [guest.page.html, guest.go(address).html]
        play_out(site, table_id)
        pages.append(guest.go(f"/table/{table_id}").html)
        seed = series_seed(club.secret, club.nonces, 1)
        assert not any(club.secret in page or seed in page for page in pages)
    assert club.secret in one.go(address).html


def test_ids_of_people_are_on_no_page(site):
    guests, address = begin(site)
    table_id = go_to_table(guests[0], address)
    club = club_of(site, address)
    for page in (guests[1].go(address).html, guests[0].go(f"/table/{table_id}").html):
        assert not any(member.person in page for member in club.members)


def test_what_showed_something_new_cannot_be_taken_back_though_bots_never_mind(site):
    guests, address = begin(site, 2)
    table_id = go_to_table(guests[0], address)
    tables = site.app.state.tables

    async def one_move():
        while (table := await tables.look(table_id)).chairs[table.actors[0]].level:
            await asyncio.sleep(0.005)
        move = table.playing.legal(0)[0]
        await tables.move(table_id, lambda _: 0, move, table.revision)

    call(site, one_move)
    assert post(guests[0], f"/table/{table_id}/back").status_code == problems.SeenAlready.status
    play_out(site, table_id)
    assert post(guests[0], f"/table/{table_id}/again").status_code == problems.OfSeries.status
    assert "To the club evening" in guests[0].go(f"/table/{table_id}").words


# Who leads


def test_standings_are_those_of_an_oracle(site):
    guests, address = begin(site, 5, deals="3", seats="2")
    club, club_id = club_of(site, address), address.split("/")[-1]
    rows = []
    for deal in (1, 2, 3):
        for number, company in enumerate(club.companies):
            table_id = go_to_table(guests[company[0]], address)
            play_out(site, table_id, 10 * deal + number)
            table = table_of(site, table_id)
            for seat in range(2):
                rows.append((deal, seat, table.people[seat].name, table.places[seat], table.scores[seat]))
    expected = {}
    for member in club.members:
        own = [row for row in rows if row[2] == member.name]
        means = [
            Fraction(sum(row[4] for row in rows if row[:2] == one[:2]), sum(row[:2] == one[:2] for row in rows))
            for one in own
        ]
        expected[member.name] = (
            len(own),
            sum(2 - row[3] for row in own),
            sum((row[4] - mean for row, mean in zip(own, means, strict=True)), Fraction(0)),
        )
    evening = call(site, Clubs(site.app.state.tables).evening, club_id)
    told = {club.members[line.who].name: (line.deals, line.by_place, line.by_cards) for line in evening.standings}
    assert told == expected
    places = [line.by_place for line in evening.standings]
    assert places == sorted(places, reverse=True)
    lines = re.findall(r'<th scope="row">(Guest \d)', guests[0].go(f"{address}?by=cards").html)
    assert [told[name][2] for name in lines] == sorted((facts[2] for facts in told.values()), reverse=True)


def test_who_gave_up_counts_as_the_lowest_with_these_cards():
    outcomes = [
        StandingOutcome(1, 0, 2, None, 0),  # gave up
        StandingOutcome(1, 1, 1, None, 1),  # and left the other one without points
        StandingOutcome(1, 0, 1, 6, 2),
        StandingOutcome(1, 1, 2, 2, 3),
        StandingOutcome(1, 0, 1, 8, None),
        StandingOutcome(1, 1, 2, 4, 4),
    ]
    lines = {line.who: line for line in standings(6, 2, outcomes)}
    assert [lines[who].by_cards for who in range(5)] == [-1, 0, -1, -1, 1]
    assert [lines[who].by_place for who in range(5)] == [0, 1, 1, 0, 0]
    assert (lines[5].deals, lines[5].by_place, lines[5].by_cards) == (0, 0, 0)


def test_the_host_can_end_it_and_what_is_finished_later_does_not_count(site):
    guests, address = begin(site)
    club = club_of(site, address)
    one, other = (guests[company[0]] for company in club.companies)
    first, second = go_to_table(one, address), go_to_table(other, address)
    play_out(site, first)
    assert 'class="club-table"' not in guests[0].go(address).html
    guests[0].send("/end")
    assert "The evening is over." in one.go(address).words
    assert Visitor(site).client.get(f"/record/{first}").status_code == 200
    assert Visitor(site).client.get(f"/table/{second}").status_code == 200
    play_out(site, second)
    evening = call(site, Clubs(site.app.state.tables).evening, address.split("/")[-1])
    counted = {line.who for line in evening.standings if line.deals}
    assert counted == set(club.companies[0])
    post(guests[0], f"{address}/play")
    assert (2, 0) not in call(site, Clubs(site.app.state.tables).evening, address.split("/")[-1]).tables


def test_an_evening_is_over_after_a_day_even_without_its_host(site, monkeypatch):
    guests, address = begin(site)
    table_id = go_to_table(guests[1], address)
    assert Visitor(site).client.get(f"/table/{table_id}").status_code == 403
    later = series.now() + clubs.DAY_MS + 1
    monkeypatch.setattr(series, "now", lambda: later)
    assert Visitor(site).client.get(f"/table/{table_id}").status_code == 200
    assert club_of(site, address).secret in guests[1].go(address).html


# Fair by proof


def test_every_record_is_proven_against_what_was_shown_before_anybody_came(site):
    host = Visitor(site)
    host.go(f"/club?game={GAME}")
    host.send("/club", name="Friday", seats="2", deals="2")
    address, shown = host.address, shown_commitment(host, host.address)
    guests = [host, *(Visitor(site) for _ in range(2))]
    for number, guest in enumerate(guests):
        guest.go(address)
        guest.send("/join", name=f"Guest {number}", luck=f"{number:032x}")
    host.go(address)
    host.send("/begin")
    club = club_of(site, address)
    played = []
    for _ in (1, 2):
        for company in club.companies:
            played.append(go_to_table(guests[company[0]], address))
            play_out(site, played[-1])
        if len(played) == 2:
            early = guests[0].client.get(f"/record/{played[0]}/download").json()
            assert "secret" not in early["table"]
            with pytest.raises(NotCommitted, match="shown when all tables have played"):
                verify(early, shown)
            guests[0].go(f"/record/{played[0]}")
    assert shown_commitment(host, address) == shown
    for table_id in played:
        record = host.client.get(f"/record/{table_id}/download").json()
        assert record == host.client.get(f"/api/tables/{table_id}/record").json()
        match = verify(record, shown, f"{1:032x}")
        assert match.seed == record["seed"]
        assert club.secret in guests[0].go(f"/record/{table_id}").html
    record = host.client.get(f"/record/{played[0]}/download").json()
    for change, reason in (
        ({"deal": 2}, "does not follow"),
        ({"deal": 3}, "which of the deals"),
        ({"deal": True}, "which of the deals"),
        ({"deals": 8}, "not the deal that was committed to"),
        ({"secret": "00" * 32}, "not the deal that was committed to"),
        ({"nonces": record["table"]["nonces"][::-1]}, "does not follow"),
        ({"nonces": record["table"]["nonces"][:2]}, "does not say which nonces"),
        ({"nonces": [None, None, None], "nonce_makers": [None, None, None]}, "a nonce that is none"),
        ({"nonce_makers": ["browser", "browser", "operator"]}, "does not say who made"),
    ):
        with pytest.raises(BadRecord, match=reason):
            verify(forged(record, **change), shown)
    with pytest.raises(BadRecord, match="not the deal that was committed to"):
        verify(record, "0" * 64)


def test_a_number_is_the_browsers_own_or_said_to_be_the_sites(site):
    _, address = make(site, 1)
    other = Visitor(site)
    other.go(address)
    other.send("/join", name="Boris")
    club = club_of(site, address)
    assert club.nonce_makers == ["browser", "server"]
    words = unescape(other.go(address).words)
    assert "The number of Boris, made by this site" in words
    assert club.nonces[0] in words


# Wherever it is kept, whatever happens


async def evening_in(database_url):
    """A whole evening of three, in two processes that share a database if it can be shared."""
    async with AsyncExitStack() as stack:
        apps = []
        for _ in range(1 if database_url.startswith("sqlite") else 2):
            app = make_app(Site(database_url, SECRET, bot_pause=0.0), RandomBotPool())
            await stack.enter_async_context(app.lifespan())
            apps.append(Clubs(app.state.tables))
        one, other = apps[0], apps[-1]
        club_id = await one.make("host", "Friday", find_game(GAME), 2, 1, "easy")
        for number in range(3):
            await (one, other)[number % 2].change(
                club_id, lambda club, n=number: club.join(f"p{n}", f"Name {n}", f"{n:032x}")
            )
        await other.change(club_id, lambda club: club.begin("host"))
        ids = [await asyncio.gather(*(there.table_for(club_id, f"p{n}") for there in apps)) for n in range(3)]
        tables = other._tables
        for number, (table_id, *_) in enumerate(ids):
            elsewhere = next(f"p{n}" for n in range(3) if ids[n] != ids[number])
            with pytest.raises(problems.StillPlayed):
                await tables.check_watching(await tables.look(table_id), elsewhere)
        for table_id in {one_id for pair in ids for one_id in pair}:
            table = await tables.look(table_id)
            while table.status == "playing":
                seat = next((seat for seat in table.actors if not table.chairs[seat].level), None)
                if seat is None:
                    await asyncio.sleep(0.01)
                else:
                    move = table.playing.legal(seat)[0]
                    await tables.move(table_id, lambda _, seat=seat: seat, move, table.revision)
                table = await tables.look(table_id)
        return ids, await one.evening(club_id), await other._tables.record(ids[0][0])


def test_an_evening_in_either_database_and_in_two_processes(database_url):
    ids, evening, record = asyncio.run(evening_in(database_url))
    assert all(len(set(pair)) == 1 for pair in ids)
    assert len({pair[0] for pair in ids}) == 2
    assert evening.is_over
    assert sum(line.deals for line in evening.standings) == 3
    verify(record)


def test_an_evening_goes_on_where_it_was_when_the_site_is_started_anew(tmp_path):
    with running(tmp_path) as site:
        guests, address = begin(site)
        club = club_of(site, address)
        first = go_to_table(guests[0], address)
        cookies = [dict(guest.client.cookies) for guest in guests]
    with running(tmp_path) as site:
        guests = [Visitor(site) for _ in cookies]
        for guest, kept in zip(guests, cookies, strict=True):
            guest.client.cookies.update(kept)
        assert club_of(site, address) == club
        assert go_to_table(guests[0], address) == first
        play_out(site, first)
        assert go_to_table(guests[0], address) != first


def test_an_interruption_between_beginning_and_the_first_table_loses_nothing(site):
    guests, address = begin(site)
    tables = site.app.state.tables
    whole = tables.open_with

    async def stops(*_):
        raise problems.Busy

    tables.open_with = stops
    assert post(guests[0], f"{address}/play").status_code == problems.Busy.status
    tables.open_with = whole
    assert table_of(site, go_to_table(guests[0], address)).status == "playing"


class Caller(Visitor):
    """A visitor of a server in a process of its own."""

    def __init__(self, server):
        self.client = httpx.Client(base_url=server.address, headers={"accept": "text/html"}, timeout=30)
        self.page, self.address, self.status = None, server.address, 0


@pytest.mark.processes
def test_an_evening_survives_kill_9_in_the_middle_of_a_deal(tmp_path):
    choose = random.Random(3)
    server = Server(tmp_path).start()
    try:
        guests = [Caller(server), Caller(server)]
        guests[0].go(f"/club?game={GAME}")
        guests[0].send("/club", name="Friday", seats="2", deals="1", level="easy")
        address = guests[0].address
        for number, guest in enumerate(guests):
            guest.go(address)
            guest.send("/join", name=f"Guest {number}")
        server.kill()
        server.start()
        guests[0].go(address)
        guests[0].send("/begin")
        kills = iter((4, 9))
        upto = next(kills)
        until, moves = time.monotonic() + PATIENT, 0
        for guest in guests:
            table = f"{server.address}/table/{go_to_table(guest, address)}"
            while "/move" in (html := guest.go(table).html) and "page-sheet" not in html:
                if guest.move(choose) is None:
                    assert time.monotonic() < until, f"the bot does not answer: {guest.page.words}"
                    time.sleep(0.05)  # asking at once would take the bot's time to think
                    continue
                moves += 1
                if moves == upto:
                    server.kill()
                    server.start()
                    upto = next(kills, -1)
                until = time.monotonic() + PATIENT
        assert upto == -1
        assert 'class="club-table"' in guests[1].go(address).html
        record = guests[1].client.get(table.replace("/table/", "/record/") + "/download").json()
        verify(record, re.search(r'<code class="commitment">([0-9a-f]{64})', guests[1].page.html)[1])
    finally:
        server.kill()
        for guest in guests:
            guest.client.close()


def test_who_becomes_somebody_else_or_nobody_stays_in_the_evening_as_that(site):
    _, address = begin(site, 2)
    before = club_of(site, address)
    one, other = (member.person for member in before.members)
    there = Clubs(site.app.state.tables)
    call(site, there.replace_person, one, "another")
    call(site, there.replace_person, other, "nobody", "Somebody")
    after = club_of(site, address)
    assert after.host == "another"
    assert after.members == [ClubMember("another", "Guest 1"), ClubMember("nobody", "Somebody")]
    assert (after.nonces, after.companies) == (before.nonces, before.companies)


def test_a_member_is_somebody_else_than_their_name():
    club = Club("x", GAME, 1, 2, {}, 1, "easy", "host", "secret", members=[ClubMember("a", "Anna")])
    assert club.number_of("a") == 0
    assert club.number_of("Anna") is None
    assert club.number_of(None) is None
