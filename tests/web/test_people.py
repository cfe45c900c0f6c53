"""A page of one's own: a name that goes to other devices by a link, one's tables and matches, all of
it as a file, and all of it gone. Hostile visitors try the same."""

import asyncio
import json
import random
import re
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import text

from samovar.engine.records.fair import verify
from samovar.web.people import own_data
from samovar.web.people.people import FRESH_SECONDS, People
from samovar.web.store.entries import Settings
from support.people import link_of, with_page
from support.players import look, move, own_tables, play_now, post, two_people
from support.visitors import Visitor, running


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with running(tmp_path_factory.mktemp("site")) as client:
        yield client


def other_device(site, visitor, **facts):
    """Of the same person."""
    other = facts.pop("other", None) or Visitor(site)
    other.go(link_of(visitor))
    other.send(other.address, **facts)
    assert other.status == 200
    return other


def rows(site, statement, **values):
    async def ask():
        return await site.app.state.tables.store.all(text(statement), **values)

    return site.blocking_portal.call(ask)


def play_to_the_end(site, table, seed=1):
    tables, table_id, choose = site.app.state.tables, table.split("/")[-1], random.Random(seed)

    async def play():
        while (now := await tables.look(table_id)).status == "playing":
            move = choose.choice(now.playing.legal(now.actors[0]))
            await tables.move(table_id, lambda table: table.actors[0], move, now.revision)
        return now

    return site.blocking_portal.call(play)


def legal_move(site, table):
    """Of Anna's."""
    now = site.blocking_portal.call(site.app.state.tables.look, table.split("/")[-1])
    return now.playing.move_text(0, now.playing.legal(0)[0])


# The page


def test_the_name_is_what_forms_offer_everywhere_and_on_all_devices(site):
    anna = with_page(site, "Zoé", mark="moon", colour="plum")
    phone = other_device(site, anna)
    for device in (anna, phone):
        page = device.go("/")
        assert page.form("/name")["fields"]["name"] == "Zoé"
        assert device.go("/new/babuschka").form("/new/babuschka")["fields"]["name"] == "Zoé"
        assert "colour-plum" in page.html.split("</header>")[0]
    phone.go("/")
    phone.send("/name", name="Zoé B")
    assert anna.go("/").form("/name")["fields"]["name"] == "Zoé B"


def test_sitting_under_another_name_changes_nothing_on_the_page(site):
    anna = with_page(site, "Zoé")
    anna.go("/new/babuschka")
    anna.send("/new/babuschka", name="Only here")
    assert anna.go("/me").form("/me")["fields"]["name"] == "Zoé"


def test_a_name_that_was_typed_for_one_match_is_taken(site):
    anna = with_page(site, "Zoé")
    anna.go("/")
    anna.send("/play/babuschka", name="Only here")
    assert "Only here" in [person["name"] for person in look(site, anna.address)["people"]]
    assert anna.go("/").form("/name")["fields"]["name"] == "Zoé"


def test_a_language_chosen_on_one_device_is_read_on_the_other(site):
    anna = with_page(site, language="fr")
    phone = other_device(site, anna)
    assert "Mes tables" in phone.go("/tables").text
    phone.send("/language", language="en")
    assert "My tables" in anna.go("/tables").text


def test_pace_and_sound_go_along_and_are_nobody_elses(site):
    anna, stranger = with_page(site, pace="250"), Visitor(site)
    anna.go("/")
    anna.send("/play/babuschka")
    table = anna.address
    assert 'data-pace="250" data-sound="off"' in anna.page.html
    assert post(anna, "/me/comfort", sound="on", pace="1600").status_code == 204
    phone = other_device(site, anna)
    assert 'data-pace="1600" data-sound="on"' in phone.go(table).html
    stranger.go(table)
    assert "data-own" not in stranger.page.html
    before = rows(site, "SELECT count(*) AS n FROM people")[0].n
    assert post(stranger, "/me/comfort", sound="on").status_code == 204
    assert rows(site, "SELECT count(*) AS n FROM people")[0].n == before


@pytest.mark.parametrize(
    "facts",
    [{"name": " "}, {"name": "x" * 25}, {"mark": "skull"}, {"colour": "red;"}, {"language": "xx"}, {"pace": "1"}],
)
def test_what_cannot_be_chosen_is_refused_with_a_sentence(site, facts):
    anna = Visitor(site)
    anna.go("/me")
    anna.send("/me", **{"name": "Anna", **facts})
    assert anna.status == 422
    assert anna.go("/me").form("/me")["fields"]["name"] == ""


def test_without_a_page_there_is_no_link_and_nothing_is_kept(site):
    before = rows(site, "SELECT count(*) AS n FROM people")[0].n
    nobody = Visitor(site)
    assert "/me/come/" not in nobody.go("/me").html
    for path, status in (("/me/link.svg", 409), ("/me/export", 409), ("/me/delete", 409), ("/me/matches", 200)):
        nobody.go(path)
        assert nobody.status == status
    for path in ("/me/renew", "/me/cut-off", "/me/delete"):
        assert post(nobody, path, sure="yes").status_code == 409
    assert rows(site, "SELECT count(*) AS n FROM people")[0].n == before


# The link


def test_a_link_asks_first_and_works_once(site):
    anna = with_page(site, "Anna")
    anna.go("/")
    anna.send("/play/babuschka")
    table, link = anna.address, link_of(anna)
    phone, thief = Visitor(site), Visitor(site)
    assert "Are you Anna?" in phone.go(link).words
    assert own_tables(phone) == [], "a look at the link is not enough"
    for device in (thief, phone):
        device.go(link)
    phone.send(link)
    assert own_tables(phone) == [table]
    thief.send(link)
    assert thief.status == 410
    assert "works once" in thief.page.words
    assert own_tables(thief) == []
    thief.go(link)
    assert thief.status == 410
    assert link_of(anna) != link


def test_of_two_who_use_a_link_at_once_one_is_too_late(site):
    link = link_of(with_page(site, "Race"))
    devices = [Visitor(site) for _ in range(4)]
    for device in devices:
        device.go(link)
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda device: device.send(link), devices))
    assert sorted(device.status for device in devices) == [200, 410, 410, 410]
    assert [device.go("/").form("/name")["fields"]["name"] for device in devices].count("Race") == 1


def test_a_key_is_not_guessed_from_another(site):
    anna, boris = with_page(site, "Anna"), with_page(site, "Boris")
    key, other = link_of(anna), link_of(boris)
    stranger = Visitor(site)
    for wrong in (
        key[:-1] + ("0" if key[-1] != "0" else "1"),
        key[:25] + other[25:],
        key[:-1],
        key + "0",
        "/me/come/é",
    ):
        stranger.go(wrong)
        assert stranger.status == 410, wrong
    assert not re.search(
        rows(site, "SELECT person FROM people WHERE profile LIKE '%Boris%'")[0].person, boris.page.html
    )


def test_a_new_link_ends_the_old_one_and_the_code_is_the_new_one(site):
    anna = with_page(site)
    old, code = link_of(anna), anna.client.get("/me/link.svg").content
    assert code.startswith(b"<svg")
    anna.go("/me")
    anna.send("/me/renew")
    assert link_of(anna) != old
    assert anna.client.get("/me/link.svg").content != code
    stranger = Visitor(site)
    stranger.go(old)
    assert stranger.status == 410


def test_other_devices_can_be_cut_off_and_this_one_stays(site):
    anna, boris, table = two_people(site, "babuschka")
    with_page(site, "Anna", anna)
    phone = other_device(site, anna)
    link = link_of(anna)
    assert phone.go(table).form("/move")
    assert post(phone, f"{table}/move", move=legal_move(site, table), ply="0").status_code == 200
    move(boris, table)
    legal = legal_move(site, table)
    anna.go("/me")
    anna.send("/me/cut-off")
    assert own_tables(anna) == [table]
    answer = post(phone, f"{table}/move", move=legal, ply="2")
    assert answer.status_code == 403, "also on the short way of moves, where cookies are remembered"
    assert own_tables(phone) == []
    assert 'data-seat="' not in phone.go(table).html, "a spectator from now on"
    assert post(phone, f"{table}/resign").status_code == 403
    assert post(phone, "/me/cut-off").status_code == 409
    stranger = Visitor(site)
    stranger.go(link)
    assert stranger.status == 410
    assert other_device(site, anna, other=phone).go("/").form("/name")["fields"]["name"] == "Anna"
    assert post(phone, f"{table}/move", move=legal, ply="2").status_code == 200


def test_a_stream_of_a_device_that_was_cut_off_ends(site):
    from samovar.web.pages import table as pages

    class Gone:
        tables, client_address = site.app.state.tables, ""

        async def is_still_here(self):
            return False

    async def read():
        viewer = type("Viewer", (), {"person": None})()
        return [line async for line in pages.stream(Gone(), None, site.app.state.changes, ["x"], viewer)]

    assert site.blocking_portal.call(asyncio.wait_for, read(), 10) == []


def test_whoever_was_somebody_else_is_asked_and_can_take_tables_along(site):
    anna, boris, both = two_people(site, "babuschka")
    with_page(site, "Anna", anna)
    boris.go("/")
    boris.send("/play/babuschka")
    alone = boris.address
    _, over = play_now(site)  # of somebody else
    boris.go("/")
    boris.send("/play/babuschka")
    finished = boris.address
    post(boris, f"{finished}/resign")
    page = boris.go(link_of(anna))
    assert "In this browser you are Boris" in page.words
    assert "3 tables belong to that" in page.words
    with_page(site, "Boris", boris)
    assert "/me/come/" in boris.go(link_of(anna)).html.split("<form")[1], "his own link is offered first"
    back = re.search(r'page-link"><a href="http://[^/]+(/me/come/\w+)', boris.page.html)[1]
    boris.send(boris.address, along="yes")
    assert sorted(own_tables(boris, "/tables")) == sorted([both, alone, finished])
    assert own_tables(boris, "/tables")[-1] == finished
    assert 'data-seat="0"' in boris.go(both).html, "Anna sits there: the other chair is not hers"
    assert 'data-seat="0"' in boris.go(alone).html
    other = Visitor(site)
    other.go(back)
    other.send(back)
    assert own_tables(other, "/tables") == [both], "what was taken along is gone from there"
    assert 'data-seat="1"' in other.go(both).html
    assert over not in own_tables(boris, "/tables")
    assert "not finished any" in other.go("/me/matches").words
    assert "Babuschka 1 0" in boris.go("/me/matches").words, "the result goes along, too"


def test_no_link_leads_elsewhere_and_none_is_followed_by_looking(site):
    anna = with_page(site)
    link = link_of(anna)
    for ending in ("?back=//evil.test", "//evil.test"):
        answer = Visitor(site).client.get(link + ending, follow_redirects=False)
        assert answer.headers.get("location", "/").startswith("/")
    assert Visitor(site).client.post(link).status_code == 403, "a form of another site"


# One's tables


def test_tables_are_in_the_order_in_which_they_matter(site):
    anna, boris, mine = two_people(site, "babuschka")
    with_page(site, "Anna", anna)
    tables = {"turn": mine}
    for name in ("running", "over"):
        anna.go("/new/babuschka?seats=2")
        anna.send("/new/babuschka", name="Anna", first="1")
        boris.go(anna.address)
        boris.send("/sit", name="Boris")
        tables[name] = anna.address
    post(boris, f"{tables['over']}/resign")
    anna.go("/new/babuschka?seats=2")
    anna.send("/new/babuschka", name="Anna")
    tables["waiting"] = anna.address
    assert own_tables(anna, "/tables") == [tables[name] for name in ("turn", "running", "waiting", "over")]
    words = anna.page.words
    assert "Boris to move" in words
    assert "won" in words
    assert "place 2 of 2" in boris.go("/tables").words


def test_a_table_is_hidden_and_shown_again(site):
    anna, table = play_now(site)
    stranger = with_page(site)
    assert post(stranger, "/tables/hide", table=table.split("/")[-1]).status_code < 400, "nothing happens"
    assert own_tables(anna, "/tables") == [table]
    anna.send("/tables/hide")
    assert own_tables(anna, "/tables") == []
    assert own_tables(anna, "/") == []
    assert own_tables(anna, "/tables?hidden") == [table]
    anna.send("/tables/show")
    assert own_tables(anna, "/tables") == [table]


def test_a_finished_table_is_left_for_good_and_the_others_keep_theirs(site):
    anna, boris, table = two_people(site, "babuschka")
    post(boris, f"{table}/resign")
    own_tables(anna, "/tables")
    anna.send("/tables/leave")
    assert own_tables(anna, "/tables") == []
    assert own_tables(boris, "/tables") == [table]
    assert 'data-seat="' not in anna.go(table).html
    assert post(anna, f"{table}/again").status_code == 403
    assert [person["name"] for person in look(site, table)["people"]] == ["Anna", "Boris"]
    assert "Babuschka" in anna.go("/me/matches").words, "what was played stays played"
    boris.go(table)
    boris.send("/again")
    assert "One chair is still free" in boris.page.words, "nobody sits down in her place"


def test_a_table_that_has_not_begun_is_left_but_none_that_goes_on(site):
    anna, _, going = two_people(site, "babuschka")
    table_id = going.split("/")[-1]
    assert post(anna, "/tables/leave", table=table_id).status_code == 409
    assert own_tables(anna, "/tables") == [going]
    anna.go("/new/memoarrrr?seats=3")
    anna.send("/new/memoarrrr", name="Anna")
    waiting = anna.address
    assert post(anna, "/tables/leave", table=waiting.split("/")[-1]).status_code == 200
    assert own_tables(anna, "/tables") == [going]
    for wrong in ("", "x", "\x00", "é" * 300):
        assert post(anna, "/tables/leave", table=wrong).status_code in (403, 404)
        assert post(anna, "/tables/hide", table=wrong).status_code in (200, 403)


def test_fifty_tables_are_on_a_page(site):
    anna, table = play_now(site)
    person = rows(site, "SELECT person FROM holders WHERE table_id = :id", id=table.split("/")[-1])[0].person

    def sit_at_many(connection):
        for number in range(60):
            connection.exec_driver_sql(
                "INSERT INTO tables (id, game, seats, status, is_open, actors, bot_turn, free, head, created, changed, "
                f"people, names) VALUES ('many{number}', 'babuschka', 2, 'playing', 0, 0, 0, 0, 0, 0, {number}, 1, '')"
            )
            connection.exec_driver_sql(
                f"INSERT INTO holders (person, table_id, seat) VALUES ('{person}', 'many{number}', 0)"
            )

    site.blocking_portal.call(site.app.state.tables.store.do, sit_at_many)
    first = own_tables(anna, "/tables")
    assert len(first) == 50
    second = own_tables(anna, next(link["href"] for link in anna.page.links if "page=2" in link["href"]))
    assert len(second) == 11
    assert len({*first, *second}) == 61
    for page in ("0", "-1", "x", "999999", "9" * 30):
        own_tables(anna, f"/tables?page={page}")
        assert anna.status == 200


# Matches


def test_matches_are_counted_by_game_and_by_opponent(site):
    anna, boris, first = two_people(site, "babuschka")
    with_page(site, "Boris", boris, mark="fish")
    post(boris, f"{first}/resign")
    boris.go(first)
    boris.send("/again")
    second = boris.address
    post(boris, f"{second}/name", name="Bo")
    over = play_to_the_end(site, second)
    anna.go("/")
    anna.send("/play/memoarrrr", seats="2", level="hard")
    post(anna, f"{anna.address}/resign")
    words = anna.go("/me/matches").words
    won = 1 + (over.places[0] == 1)
    assert f"Babuschka 2 {won} " in words
    assert "Memoarrrr! 1 0 –" in words
    ahead = 1 + (over.places[0] < over.places[1])
    behind = over.places[0] > over.places[1]
    assert f"Bo 2 {ahead} {2 - ahead - behind} {int(behind)}" in words, "one opponent under two names, the last one"
    assert "bot · hard 1 0 0 1" in words
    assert f"/record/{second.split('/')[-1]}" in anna.page.html
    stranger = Visitor(site)
    assert "not finished any game" in stranger.go("/me/matches").words


def test_results_of_matches_that_ended_before_they_were_kept_are_made_up(site):
    anna, boris, table = two_people(site, "babuschka")
    post(boris, f"{table}/resign")
    table_id = table.split("/")[-1]
    before = [tuple(row) for row in rows(site, "SELECT * FROM results WHERE table_id = :id ORDER BY seat", id=table_id)]

    def forget(connection):
        connection.exec_driver_sql(f"DELETE FROM results WHERE table_id = '{table_id}'")

    site.blocking_portal.call(site.app.state.tables.store.do, forget)
    assert "won" in anna.go("/tables").words
    after = [tuple(row) for row in rows(site, "SELECT * FROM results WHERE table_id = :id ORDER BY seat", id=table_id)]
    assert [row[:-1] for row in after] == [row[:-1] for row in before]
    assert "Babuschka 1 0" in boris.go("/me/matches").words


# A file of all, and nothing


def test_the_file_holds_all_that_is_mine_and_nothing_that_others_hide(site):
    anna, boris, over = two_people(site, "memoarrrr")
    with_page(site, "Anna", anna, colour="plum")
    for who, words in ((anna, "My own words"), (boris, "What Boris says")):
        post(who, f"{over}/say", text=words)
    play_to_the_end(site, over)
    post(boris, f"{over}/again")
    anna.go(over)
    going = next(link["href"] for link in anna.page.links if link.get("href", "").startswith("/table/"))
    answer = anna.client.get("/me/export")
    assert answer.status_code == 200
    assert "attachment" in answer.headers["content-disposition"]
    kept = json.loads(answer.text)
    assert (kept["profile"]["name"], kept["profile"]["colour"]) == ("Anna", "plum")
    by_table = {f"/table/{facts['table']}": facts for facts in kept["tables"]}
    assert set(by_table) == {over, going}
    assert [remark["text"] for remark in by_table[over]["remarks"]] == ["My own words"]
    assert "What Boris says" not in answer.text
    assert by_table[over]["record"]["game"] == "memoarrrr"
    assert "record" not in by_table[going]
    [result] = kept["results"]
    assert result["table_id"] == over.split("/")[-1]
    people = {row.person for row in rows(site, "SELECT person FROM holders")}
    assert not any(person in answer.text for person in people), "names of sessions are as good as keys"
    log = rows(site, "SELECT kind, data FROM entries WHERE table_id = :id", id=going.split("/")[-1])
    opening = next(json.loads(row.data) for row in log if row.kind == "open")
    assert opening["secret"] not in answer.text


def test_no_match_is_played_again_for_the_file(site, monkeypatch):
    """It may be a thousand, and everybody else would wait for each of them."""
    anna, _, over = two_people(site, "memoarrrr")
    play_to_the_end(site, over)
    usual = json.loads(anna.client.get("/me/export").text)

    async def look(*asked):
        raise AssertionError("a table was opened")

    monkeypatch.setattr(site.app.state.tables, "look", look)
    told = json.loads(anna.client.get("/me/export").text)
    assert [facts["record"]["game"] for facts in told["tables"]] == ["memoarrrr"]
    assert told == usual


def test_the_file_comes_in_pieces_and_others_have_their_turn_between_two_matches(site):
    tables = site.app.state.tables

    async def begin():
        table = await tables.open("memoarrrr", 2, {}, Settings(), ["", ""])
        for person in ("somebody with three matches", "another"):
            await tables.sit(table.id, person, "Anna")
        return table.id

    for _ in range(3):
        play_to_the_end(site, site.blocking_portal.call(begin))
    turns, heard = 0, []

    async def somebody_else():
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    async def follow():
        other = asyncio.create_task(somebody_else())
        async for piece in own_data.export(tables, site.app.state.people, "somebody with three matches"):
            heard.append((turns, piece))
        other.cancel()

    site.blocking_portal.call(follow)
    assert [piece.count(b'"record":') for _, piece in heard] == [0, 1, 1, 1, 0]
    moments = [turn for turn, _ in heard[:-1]]
    assert moments == sorted(set(moments)), "one piece followed on the other at once"


def test_who_deletes_everything_is_somebody_from_then_on(site):
    anna, boris, over = two_people(site, "babuschka")
    with_page(site, "Anna", anna)
    phone = other_device(site, anna)
    post(anna, f"{over}/say", text="Words of Anna")
    post(boris, f"{over}/say", text="Boris stays")
    post(anna, f"{over}/name", name="Anouk")
    played = play_to_the_end(site, over)
    commitment = played.commitment
    site.get(f"/record/{played.id}")  # so that it is kept in memory
    boris.go("/new/babuschka?seats=2")
    boris.send("/new/babuschka", name="Boris", first="0")
    going = boris.address
    anna.go(going)
    anna.send("/sit", name="Anna")
    anna.go("/new/memoarrrr?seats=3")
    anna.send("/new/memoarrrr", name="Anna")
    waiting = anna.address
    link = link_of(anna)
    person = rows(site, "SELECT person FROM people WHERE profile LIKE '%Anna%' ORDER BY changed DESC")[0].person
    assert post(anna, "/me/delete").status_code == 422, "not without a tick"
    anna.go("/me/delete")
    anna.send("/me/delete", sure="yes")
    assert (anna.status, anna.address) == (200, "/")
    assert anna.go("/").form("/name")["fields"]["name"] == ""
    for address in (
        over,
        going,
        waiting,
        f"/record/{played.id}",
        f"/record/{played.id}/download",
        "/tables",
        "/me/matches",
    ):
        page = boris.go(address)
        assert boris.status == 200, address
        assert not re.search(r"Ann?a|Anouk", page.html), address
    assert "Somebody" in boris.go(over).words
    assert "Boris stays" in boris.page.words
    assert "Somebody 1 " in boris.go("/me/matches").words
    assert look(site, going)["people"][1] == {**look(site, going)["people"][1], "name": "Somebody", "kind": "bot"}
    assert move(boris, going).status == 200, "the match goes on"
    record = json.loads(boris.client.get(f"/record/{played.id}/download").text)
    assert record["table"]["names"] == ["Somebody", "Boris"]
    assert verify(record, commitment).over, "no name is part of the proof"
    for table in ("people", "holders", "ways", "results"):
        assert rows(site, f"SELECT count(*) AS n FROM {table} WHERE person = :person", person=person)[0].n == 0
    # whoever still has the cookie or the link has nothing
    assert own_tables(phone, "/tables") == []
    assert post(phone, f"{over}/again").status_code == 403
    assert post(phone, f"{going}/come-back").status_code == 403
    assert "/me/come/" not in phone.go("/me").html
    phone.go(link)
    assert phone.status == 410


def test_whoever_shares_the_browser_is_forgotten_with_it(site):
    """Nobody could play on their chairs any more."""
    shared = Visitor(site)
    shared.go("/new/babuschka?seats=2")
    shared.send("/new/babuschka", **{"name": "Max", "chair-1": "here", "chair-1-name": "Lea"})
    table = shared.address
    assert [person["name"] for person in look(site, table)["people"]] == ["Max", "Lea"]
    shared.go("/me/delete")
    shared.send("/me/delete", sure="yes")
    people = look(site, table)["people"]
    assert {person["kind"] for person in people} == {"bot"}
    assert sorted(person["name"] for person in people) == ["Somebody", "Somebody 2"]


def test_two_who_want_to_be_forgotten_at_a_table_can_be_told_apart(site):
    anna, boris, over = two_people(site, "babuschka")
    post(boris, f"{over}/resign")
    for who in (anna, boris):
        who.go("/me/delete")
        who.send("/me/delete", sure="yes")
    assert [person["name"] for person in look(site, over)["people"]] == ["Somebody", "Somebody 2"]


def test_what_was_read_across_a_write_is_not_kept(site):
    """A device that is cut off while it asks would else stay for ever."""

    class SlowStore:
        exclusive = True

        async def first(self, query, **values):
            await people._write("anna", self.do(None))

        async def do(self, chore, *values): ...

    people = People(SlowStore())

    async def ask():
        await people.known("anna")
        return len(people._recent)

    assert site.blocking_portal.call(ask) == 0
    assert FRESH_SECONDS <= 5


def test_pages_of_people_are_bounded_for_each_address(tmp_path):
    with running(tmp_path, requests_per_minute=1000) as client:
        visitor = Visitor(client)
        visitor.go("/me")
        answers = [visitor.client.get(f"/me/come/{number:056x}").status_code for number in range(125)]
        assert answers.count(410) == 120
        assert answers[-1] == 429
        assert Visitor(client).client.get("/me").status_code == 200
    with running(tmp_path, requests_per_minute=1000) as client:
        visitor = with_page(client)
        assert [visitor.client.get("/me/export").status_code for _ in range(11)] == [*[200] * 10, 429]
