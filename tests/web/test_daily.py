"""The deal of the day: everybody once, the same cards for all, nothing of it for those who have not
played, and everything on the day after."""

import asyncio
import re
from datetime import UTC, date, datetime, timedelta
from unittest.mock import AsyncMock

import pytest
from sqlalchemy import text

from samovar.engine.records.fair import series_seed, verify
from samovar.engine.registry import find_game
from samovar.engine.words import counted
from samovar.errors import BadRecord, NotCommitted
from samovar.web import problems
from samovar.web.app import make_app
from samovar.web.jobs.reviews import Progress
from samovar.web.people import daily
from samovar.web.people.daily import Daily, DailyStanding, calendar, days_in_row, has_deal
from samovar.web.people.standings import better_than, distribution
from samovar.web.site import Site
from samovar.web.tables import series
from samovar.web.tables.actions import Resigning
from support.players import everything_of, post
from support.records import forged
from support.tables import call, play_out, table_of
from support.visitors import SECRET, RandomBotPool, Visitor, running

GAME = "memoarrrr"
GAMES = ("babuschka", "connect_four", "matryoshka", "memoarrrr", "varvitikud")
DAY = 24 * 3600 * 1000


@pytest.fixture
def site(tmp_path):
    with running(tmp_path) as client:
        yield client


@pytest.fixture
def clock(monkeypatch):
    """Noon of some day, and days later."""
    noon = round(datetime(2031, 5, 6, 12, tzinfo=UTC).timestamp() * 1000)
    hours = [0]
    monkeypatch.setattr(series, "now", lambda: noon + hours[0] * 3_600_000)

    def pass_hours(count):
        hours[0] += count

    return pass_hours


def play(site, guest, *, to_the_end=True, seed=1):
    """A guest's table of today's deal."""
    guest.go("/daily")
    guest.send(f"/daily/{GAME}")
    table_id = guest.address.split("/")[-1]
    if to_the_end:
        play_out(site, table_id, seed)
    return table_id


def finish_now(site, table_id):
    """Tables have a clock of their own: what they wrote counts as of the day of the test."""

    async def stamp():
        await site.app.state.tables.store.do(
            lambda connection: connection.execute(
                text("UPDATE results SET ended = :now WHERE table_id = :table"),
                {"now": series.now(), "table": table_id},
            )
        )

    call(site, stamp)


def deal_of(site, day=None):
    return Daily(site.app.state.tables).deal(find_game(GAME), day or daily.today())


def card(guest):
    """The part of today's page that is about the game."""
    html = guest.go("/daily").html
    [part] = [part for part in html.split("<h2>") if part.startswith("Memoarrrr!")]
    return part.split('class="daily-before"')[0]


def test_everybody_gets_the_same_cards_and_bots_that_think_alike(site):
    one, other = (table_of(site, play(site, Visitor(site), to_the_end=False)) for _ in range(2))
    assert one.id != other.id
    assert one.playing.at(0).state_bytes == other.playing.at(0).state_bytes
    assert one.bot_seed(1) == other.bot_seed(1)
    assert [chair.kind for chair in one.chairs] == ["person", "bot"]
    assert not one.settings.hints


def test_there_is_one_table_for_a_person_however_often_they_come(site):
    guest = Visitor(site)
    table_id = play(site, guest, to_the_end=False)
    assert "Go on playing" in card(guest)
    assert str(post(guest, f"/daily/{GAME}").url).endswith(f"/table/{table_id}")
    play_out(site, table_id)
    assert str(post(guest, f"/daily/{GAME}").url).endswith(f"/table/{table_id}")
    assert table_of(site, table_id).status == "over"
    assert post(guest, f"/table/{table_id}/again").status_code == problems.OfSeries.status
    assert "1 has finished" in card(guest)
    assert post(guest, "/daily/chess").status_code == 404


def test_no_bot_plays_it_for_anybody_and_nothing_is_looked_at_twice(site):
    guest = Visitor(site)
    table_id = play(site, guest, to_the_end=False)
    assert "Let a bot play for me" not in guest.page.words
    assert "Leave for good" not in guest.page.words
    assert post(guest, f"/table/{table_id}/hand-over", seat="0").status_code == problems.PlaysAlone.status
    assert post(guest, f"/table/{table_id}/hint").status_code == problems.NotSwitchedOn.status
    post(guest, f"/table/{table_id}/leave")
    play_out(site, table_id)
    assert table_of(site, table_id).status == "over"
    assert "Nobody has finished it yet." in card(guest), "a bot has"


def test_nothing_of_it_is_told_to_those_who_have_not_played(site):
    player, other, rival = Visitor(site), Visitor(site), Visitor(site)
    table_id = play(site, player)
    started = play(site, rival, to_the_end=False)
    for visitor in (other, rival):
        codes, event = everything_of(site, visitor, table_id)
        assert set(codes.values()) == {403}
        assert b"parts" not in event
        page = visitor.go("/daily").html
        assert table_id not in page
        assert "club-bars" not in card(visitor)
        assert "1 has finished" in card(visitor)
    deal = deal_of(site)
    own = player.client.get(f"/record/{table_id}/download")
    assert own.status_code == 200, "whoever has played it may look at their own"
    site.app.state.reviews.look = AsyncMock(return_value=Progress(None))  # none is made here
    assert player.client.get(f"/record/{table_id}/review").status_code == 200
    assert "secret" not in own.json()["table"]
    for page in (card(player), player.go(f"/table/{table_id}").html, own.text):
        assert deal.secret not in page
    play_out(site, started)
    codes, _ = everything_of(site, rival, table_id)
    assert set(codes.values()) == {403}, "also not to those who have"


def test_the_next_day_has_another_deal_and_shows_all_of_the_last(site, clock):
    guest, other = Visitor(site), Visitor(site)
    deal = deal_of(site)
    assert deal.commitment in card(guest)
    table_id = play(site, guest)
    finish_now(site, table_id)
    early = guest.client.get(f"/record/{table_id}/download").json()
    with pytest.raises(NotCommitted, match="shown when all tables have played"):
        verify(early, deal.commitment)
    clock(11)
    assert deal.secret not in other.go("/daily").html
    clock(2)
    assert deal_of(site).commitment != deal.commitment
    page = other.go("/daily").html
    assert deal.secret in page
    assert deal_of(site).secret not in page
    assert "club-bars" in page
    assert table_id not in page
    assert table_id in guest.go("/daily").html
    assert "Your result: " in guest.page.words
    record = other.client.get(f"/api/tables/{table_id}/record").json()
    assert verify(record, deal.commitment).seed == series_seed(deal.secret, [], 1)
    with pytest.raises(BadRecord, match="does not follow"):
        verify(forged(record, nonces=["0" * 32], nonce_makers=["server"]), deal.commitment)
    with pytest.raises(BadRecord, match="not the deal that was committed to"):
        verify(record, deal_of(site).commitment)
    assert other.client.get(f"/table/{table_id}").status_code == 200
    assert play(site, guest, to_the_end=False) != table_id


def test_what_is_finished_after_midnight_does_not_count(site, clock):
    guest = Visitor(site)
    table_id = play(site, guest, to_the_end=False)
    yesterday = daily.today()
    clock(13)
    play_out(site, table_id)
    finish_now(site, table_id)
    standing = call(site, Daily(site.app.state.tables).standing, deal_of(site, yesterday), None)
    assert standing.count == 0


def test_a_day_has_its_own_secret_for_every_game_and_site(site, tmp_path):
    there = Daily(site.app.state.tables)
    games = [find_game(game) for game in (GAME, "babuschka")]
    days = [daily.today() + timedelta(days=count) for count in range(3)]
    secrets = {there.deal(game, day).secret for game in games for day in days}
    assert len(secrets) == 6
    assert {len(bytes.fromhex(secret)) for secret in secrets} == {32}
    assert not any(secret in site.app.state.tables.secret.hex() for secret in secrets)


def test_who_holds_another_s_chair_of_the_deal_has_seen_its_cards_and_does_not_count(site):
    anna, boris, clara = (Visitor(site) for _ in range(3))
    first = play(site, anna, to_the_end=False)
    anna.go(f"/table/{first}")
    link = re.search(r"/table/[\w-]+/come/\w+", anna.page.html)[0]
    boris.go(link)
    boris.send(link)
    play(site, boris, seed=2)
    play(site, clara, seed=3)
    assert "1 has finished" in card(clara), "clara alone"
    assert "you have held another player’s chair of this deal" in card(boris)
    assert "Go on playing" not in card(boris)
    play_out(site, first, 4)
    assert "2 have finished" in card(clara)
    assert "Your result: " in card(anna), "whose chair it was"


def test_how_one_did_is_told_among_all_who_have_finished(site):
    guests = [Visitor(site) for _ in range(4)]
    scores, places = {}, {}
    for seed, guest in enumerate(guests):
        table = table_of(site, play(site, guest, seed=seed))
        scores[guest], places[guest] = table.scores[0], table.places[0]
    for guest in guests:
        own, all_of_them = scores[guest], list(scores.values())
        worse = sum(score < own for score in all_of_them) + (sum(score == own for score in all_of_them) - 1) / 2
        told = re.search(r"better than (\d+)% of the others", card(guest))
        assert abs(int(told[1]) - 100 * worse / 3) <= 0.5
        assert "4 have finished" in card(guest)
        assert f"place {places[guest]} of 2" in card(guest)
        assert sum(map(int, re.findall(r"</svg> (\d+)", card(guest)))) == 4
        assert card(guest).count('class="is-own"') == 1


def test_the_old_address_leads_to_today(site):
    guest = Visitor(site)
    assert guest.client.get("/daily", follow_redirects=False).headers["location"] == "/today"
    assert "The same for everybody".lower() in guest.go("/daily").words.lower()


def test_a_game_in_which_nothing_is_dealt_has_no_deal_of_the_day(site):
    assert [game for game in GAMES if not has_deal(find_game(game))] == ["babuschka", "connect_four"]
    page = Visitor(site).go("/today")
    assert page.form(f"/daily/{GAME}")
    assert "/daily/babuschka" not in page.html
    assert "/puzzles/babuschka" in page.html, "it has a puzzle all the same"
    guest = Visitor(site)
    guest.go("/today")
    assert post(guest, "/daily/babuschka").status_code == 404


def test_days_in_a_row_end_today_or_yesterday():
    day = date(2031, 5, 6)
    days = [day - timedelta(days=back) for back in (0, 1, 2, 4)]
    assert days_in_row(days, day) == 3
    assert days_in_row(days[1:], day) == 2, "there is time until midnight"
    assert days_in_row(days[2:], day) == 0
    assert days_in_row([], day) == 0


def test_a_calendar_has_whole_weeks_and_ends_with_this_one():
    day = date(2031, 5, 6)
    weeks = calendar({day: {"deal"}}, day)
    assert [len(week) for week in weeks] == [7] * 4
    assert {week[0][0].weekday() for week in weeks} == {0}
    told = dict(entry for week in weeks for entry in week)
    assert told[day] == {"deal"}
    assert told[day - timedelta(days=1)] == set()
    assert told[day + timedelta(days=1)] is None


def test_signs_tell_how_it_went():
    assert DailyStanding(1, place=1).signs(3) == "■■"
    assert DailyStanding(1, place=2).signs(3) == "■□"
    assert DailyStanding(1, place=2).signs(2) == "□"
    assert DailyStanding(1, place=1, success=600).signs(1) == "■■■□□"


def test_a_finished_deal_is_a_day_and_can_be_told_and_yesterday_has_a_best(site, clock):
    guest = Visitor(site)
    assert "today-share" not in guest.go("/today").html
    table = play(site, guest)
    finish_now(site, table)
    page = guest.go("/today")
    assert "One day in a row." in page.words
    place = table_of(site, table).places[0]
    assert f"{'■' if place == 1 else '□'} Deal Memoarrrr!" in page.words
    clock(24)
    page = guest.go("/today").words
    assert "One day in a row." in page
    assert f"Best result: {counted(find_game(GAME), 'en', table_of(site, table).scores[0])}." in page
    clock(24)
    assert "One day in a row." not in guest.go("/today").words


def test_who_gives_up_is_behind_all_others(site):
    quitter, other = Visitor(site), Visitor(site)
    table_id = play(site, quitter, to_the_end=False)
    post(quitter, f"/table/{table_id}/resign")
    play(site, other)
    assert "You gave it up." in card(quitter)
    assert "better than 0%" in card(quitter)
    assert "better than 100%" in card(other)


def test_the_share_of_the_others_counts_ties_by_half():
    assert better_than(5, [5]) == 100
    assert better_than(5, [5, 5]) == 50
    assert better_than(5, [5, 3, 7, None]) == 67
    assert better_than(None, [None, 0]) == 0
    assert better_than(None, [None, None, 0]) == 25


def test_a_distribution_has_few_bars_and_everybody_in_one():
    scores = [0, 1, 1, 40, 99, None]
    bars = distribution(40, scores)
    assert len(bars) <= 8
    assert sum(bar.count for bar in bars) == 5
    assert [(bar.least, bar.most) for bar in bars if bar.is_own] == [(39, 51)]
    assert distribution(None, [None]) == []
    assert [(bar.least, bar.most, bar.count) for bar in distribution(3, [3, 3])] == [(3, 3, 2)]


def test_it_is_the_same_in_either_database(database_url):
    async def two_play():
        app = make_app(Site(database_url, SECRET, bot_pause=0.0), RandomBotPool())
        async with app.lifespan():
            tables = app.state.tables
            there = Daily(tables)
            deal = there.deal(find_game(GAME), daily.today())
            for person in ("anna", "anna", "boris"):
                table_id = await there.play(deal.game, person, person)
            with pytest.raises(problems.StillPlayed):
                await tables.check_watching(await tables.look(table_id), "anna")
            await Resigning().do(tables, table_id, lambda _: 0)
            assert (await tables.record(table_id, "boris"))["seed"] == deal.seed
            return [await there.standing(deal, person) for person in ("anna", "boris", None)]

    anna, boris, nobody = asyncio.run(two_play())
    assert (anna.count, anna.status, anna.has_finished) == (1, "playing", False)
    assert (boris.status, boris.has_finished, boris.score) == ("over", True, None)
    assert (nobody.count, nobody.table) == (1, "")


def test_a_page_in_french_says_all_in_french(site):
    guest = Visitor(site, "fr")
    play(site, guest)
    words = guest.go("/today").words
    assert "Aujourd’hui" in words
    assert not re.search(r"\b(deal|deals|puzzle|players|Yesterday|others|row|friends)\b", words)
