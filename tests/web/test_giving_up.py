"""Giving a match up, calling a table off, another name: by whom, how often, in which order."""

import asyncio
import io
import json
import random
from contextlib import aclosing

import pytest
from rich.console import Console

from samovar.cli.terminal import show_record
from samovar.engine.places import places_behind
from samovar.engine.records.fair import verify
from samovar.engine.records.record import resigned_of
from samovar.web.drawing.viewer import Viewer
from samovar.web.pages import table as pages
from samovar.web.tables.actions import Cancelling
from support.players import look, move, own_link, post, three_people, two_people
from support.visitors import Onlooker, Visitor, running


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with running(tmp_path_factory.mktemp("site")) as client:
        yield client


@pytest.fixture(scope="module")
def empty_site(tmp_path_factory):
    """Where everybody counts as away at once."""
    with running(tmp_path_factory.mktemp("empty"), away_seconds=-1.0) as client:
        yield client


def waiting_table(site, seats=3, **facts):
    """Anna has opened it, Boris has come by the link, one chair is free."""
    anna, boris = Visitor(site), Visitor(site)
    anna.go(f"/new/memoarrrr?seats={seats}")
    anna.send("/new/memoarrrr", name="Anna", **facts)
    boris.go(anna.address)
    boris.send("/sit", name="Boris")
    anna.go(anna.address)
    return anna, boris, anna.address


def bearer(token):
    return {"authorization": f"Bearer {token}"}


def record_of(site, table):
    return json.loads(site.get(f"/record/{table.split('/')[-1]}/download").text)


# Resigning


def test_of_two_players_the_other_wins_when_one_resigns(site):
    anna, boris, table = two_people(site)
    move(anna, table)
    anna.go(table)
    anna.send("/resign")
    now = look(site, table)
    assert (now["status"], now["actors"], now["resigned"]) == ("over", [], [0])
    assert (now["scores"], now["places"]) == (None, [2, 1])
    assert "You resigned." in anna.page.words
    boris.go(table)
    assert "Anna resigned." in boris.page.words
    assert "You win." in boris.page.words
    assert "Anna resigns." in boris.page.words, "everybody is told at the table"
    buttons = [one for one in boris.page.form("/move")["buttons"] if one.get("type") != "button"]
    assert not buttons, "there is nothing left to choose"


def test_the_record_of_a_match_that_was_given_up_shows_the_deal_and_says_who_resigned(site, tmp_path):
    anna, boris, table = two_people(site)
    move(anna, table)
    move(boris, table)
    assert site.get(f"/api/tables/{table.split('/')[-1]}/record").status_code == 403
    post(boris, f"{table}/resign")
    record = record_of(site, table)
    assert record["table"]["resigned"] == [1]
    assert resigned_of(record) == (1,)
    assert not verify(record, look(site, table)["commitment"]).over
    page = Visitor(site).go(f"/record/{table.split('/')[-1]}")
    assert "Boris resigned." in page.words
    assert "Move 2 of 2" in page.words
    file = tmp_path / "record.json"
    file.write_text(json.dumps(record))
    console = Console(file=io.StringIO())
    show_record(file, None, "en", console, None)
    assert "The game was given up by player 2." in console.file.getvalue()


def test_after_the_end_nothing_is_changed_any_more(site):
    anna, boris, table = two_people(site, "babuschka", hints="on")
    move(anna, table)
    post(anna, f"{table}/resign")
    moment = look(site, table)["moment"]
    for visitor in (anna, boris):
        for action in ("resign", "leave", "back", "answer", "hint", "hand-over", "begin", "cancel", "name"):
            facts = {"seat": "1", "agrees": "yes", "name": "Somebody", "level": "easy"}
            assert post(visitor, f"{table}/{action}", **facts).status_code in (403, 409), action
        moved = post(visitor, f"{table}/move", move="c1-c2", ply=str(look(site, table)["ply"]))
        assert moved.status_code in (409, 422)
    now = look(site, table)
    assert (now["moment"], now["resigned"]) == (moment, [0])


def test_who_resigned_can_play_again_and_the_new_match_knows_nothing_of_it(site):
    anna, boris, table = two_people(site, "babuschka")
    post(anna, f"{table}/resign")
    anna.go(table)
    anna.send("/again")
    again = look(site, anna.address)
    assert (again["status"], again["resigned"]) == ("playing", [])
    assert [person["name"] for person in again["people"]] == ["Anna", "Boris"]
    assert boris.go(table).links


def test_among_three_a_bot_plays_on_and_who_resigned_is_last(site):
    anna, boris, chloe, table = three_people(site)
    key = own_link(boris.go(table) and boris).split("/")[-1]
    boris.send("/resign")
    now = look(site, table)
    assert now["status"] == "playing"
    assert now["people"][1] == {"name": "Boris", "kind": "bot", "level": "medium"}
    assert "Boris resigns. A bot plays on for the others." in anna.go(table).words
    for action in ("resign", "come-back", "back", "name"):
        assert post(boris, f"{table}/{action}", name="Boris").status_code == 403, "his chair is gone"
    api = f"/api/tables/{table.split('/')[-1]}"
    assert site.post(f"{api}/resign", headers=bearer(key)).status_code == 403, "and so is its key"
    for turn in range(2000):
        for visitor in (anna, chloe):
            visitor.go(table)
            visitor.move(random.Random(turn))
        if look(site, table)["status"] == "over":
            break
    now = look(site, table)
    assert now["scores"] is not None
    assert now["places"][1] == 3
    assert sorted(now["places"]) in ([1, 2, 3], [1, 1, 3])
    assert "Boris resigned." in chloe.go(table).words


def test_the_match_ends_when_one_player_is_left(site):
    anna, _, chloe, table = three_people(site)
    post(chloe, f"{table}/resign")
    post(anna, f"{table}/resign")
    now = look(site, table)
    assert (now["status"], now["resigned"], now["places"]) == ("over", [2, 0], [2, 1, 3])


def test_the_match_ends_when_only_bots_are_left(site):
    anna = Visitor(site)
    anna.go("/")
    anna.send("/play/memoarrrr", seats="4")
    table = anna.address
    anna.send("/resign")
    now = look(site, table)
    moment = now["moment"]
    assert (now["status"], now["places"]) == ("over", [4, 1, 1, 1])
    assert "share the first place" in anna.go(table).words
    assert look(site, table)["moment"] == moment, "bots have stopped, too"


def test_nobody_resigns_for_others_or_before_the_match_has_begun(site):
    anna, _, table = two_people(site)
    stranger = Visitor(site)
    stranger.go(table)
    assert post(stranger, f"{table}/resign", seat="0").status_code == 403
    assert post(anna, f"{table}/resign", seat="1").status_code == 200
    assert look(site, table)["resigned"] == [0], "only oneself"
    host, _, waiting = waiting_table(site)
    assert post(host, f"{waiting}/resign").status_code == 409


def test_somebody_for_whom_a_bot_plays_can_resign(empty_site):
    anna, boris, table = two_people(empty_site, "babuschka")
    move(anna, table)
    post(anna, f"{table}/hand-over", seat="1")
    assert post(boris, f"{table}/resign").status_code == 200
    now = look(empty_site, table)
    assert (now["status"], now["places"]) == ("over", [1, 2])


def test_a_wish_to_take_back_ends_with_the_match(site):
    anna, boris, table = two_people(site, "babuschka")
    move(anna, table)
    move(boris, table)
    post(anna, f"{table}/back")
    assert look(site, table)["asking"] == {"seat": 0, "agreed": []}
    post(boris, f"{table}/resign")
    assert look(site, table)["asking"] is None
    assert post(boris, f"{table}/answer", agrees="yes").status_code == 409
    assert look(site, table)["moment"] == 2


def test_a_program_resigns_and_leaves_by_its_token(site):
    for action, status, kind in (("resign", "over", "person"), ("leave", "playing", "bot")):
        table = site.post("/api/tables", json={"game": "babuschka", "chairs": ["token", "token"]}).json()
        path, (first, _) = f"/api/tables/{table['table']}", table["tokens"]
        assert site.post(f"{path}/{action}", headers=bearer(first)).status_code == 200
        now = site.get(path).json()
        assert (now["status"], now["people"][0]["kind"]) == (status, kind)
        assert site.post(f"{path}/{action}", headers=bearer(first)).status_code in (403, 409)


@pytest.mark.parametrize(
    ("places", "resigned", "expected"),
    [
        ((1, 2, 3), (), (1, 2, 3)),
        ((1, 2, 3), (0,), (3, 1, 2)),
        ((1, 2, 3, 4), (1, 0), (3, 4, 1, 2)),
        ((2, 1, 2, 2), (1,), (1, 4, 1, 1)),
    ],
)
def test_those_who_resigned_are_placed_behind_the_others(places, resigned, expected):
    assert places_behind(places, resigned, range(len(places))) == expected


@pytest.mark.parametrize("nonsense", [None, 7, "0", [7], [0, 0], ["0"], [True], [0, 1], {"0": 1}, [[]]])
def test_a_record_from_elsewhere_may_say_anything_about_who_resigned(nonsense):
    assert resigned_of({"seats": 2, "table": {"resigned": nonsense}}) == ()


# Calling a table off


def test_who_opened_a_table_cancels_it_and_everybody_who_looks_is_told(site):
    anna, boris, table = waiting_table(site, open="on")
    state, table_id = site.app.state, table.split("/")[-1]
    viewer = Viewer(None, "en", "", "token", "http://samovar.test")

    async def watch():
        lines = pages.stream(Onlooker(state), state.looks, state.changes, [table_id], viewer)
        async with aclosing(lines) as heard:
            await anext(heard)
            await Cancelling().do(state.tables, table_id, lambda table: 0)
            return await asyncio.wait_for(anext(heard), 10)

    assert site.blocking_portal.call(watch).startswith(b"event: gone")
    page = boris.go(table)
    assert boris.status == 410
    assert "This table was cancelled" in page.words
    assert "Anna has called it off" in page.words
    for visitor in (anna, boris, Visitor(site)):
        assert not any(link.get("href") == table for link in visitor.go("/").links), "it is in no list"
        assert not any(link.get("href") == table for link in visitor.go("/tables").links)
    assert table_id not in {line["table"] for line in site.get("/api/tables").json()}


def test_a_cancelled_table_stays_so_after_a_restart(tmp_path):
    with running(tmp_path) as site:
        anna, _, table = waiting_table(site)
        anna.send("/cancel")
        assert anna.address == "/"
    with running(tmp_path) as site:
        assert site.get(table).status_code == 410


def test_nobody_else_cancels_a_table_and_nobody_twice(site):
    anna, boris, table = waiting_table(site)
    stranger = Visitor(site)
    stranger.go(table)
    for visitor in (boris, stranger):
        assert post(visitor, f"{table}/cancel", seat="0").status_code == 403
    assert look(site, table)["status"] == "waiting"
    assert "Cancel this table" not in boris.go(table).words
    link = own_link(boris)
    assert post(anna, f"{table}/cancel").status_code == 200
    for visitor, action in ((anna, "cancel"), (boris, "leave"), (boris, "say"), (stranger, "sit"), (anna, "begin")):
        assert post(visitor, f"{table}/{action}", name="Eve", text="Hm", level="easy").status_code == 410, action
    stranger.go(link)
    assert stranger.status == 410, "a personal link leads nowhere"


def test_a_table_is_not_cancelled_once_the_match_has_begun(site):
    anna, _, table = two_people(site)
    assert post(anna, f"{table}/cancel").status_code == 409
    assert "Cancel this table" not in anna.go(table).words
    assert look(site, table)["status"] == "playing"


def test_who_frees_the_openers_chair_does_not_become_the_opener(empty_site):
    anna, boris, table = waiting_table(empty_site)
    assert post(boris, f"{table}/free", seat="0").status_code == 200
    assert post(boris, f"{table}/cancel").status_code == 403
    anna.go(table)
    anna.send("/sit", name="Anna")
    assert post(anna, f"{table}/cancel").status_code == 403, "she came as any other"


def test_a_cancelled_table_does_not_count_among_those_that_have_not_begun(site):
    anna = Visitor(site)
    for _ in range(8):
        anna.go("/new/memoarrrr?seats=3")
        anna.send("/new/memoarrrr", name="Anna")
        assert anna.status == 200
        anna.send("/cancel")
        assert anna.address == "/"


def test_a_program_cancels_its_table_and_the_stream_ends(site):
    table = site.post("/api/tables", json={"game": "memoarrrr", "seats": 3}).json()
    path, token = f"/api/tables/{table['table']}", bearer(table["tokens"][0])
    other = site.post(f"{path}/seats", json={"name": "Other"}).json()["token"]
    refused = site.post(f"{path}/cancel", headers=bearer(other))
    assert (refused.status_code, refused.json()["error"]) == (403, "NotTheOpener")
    assert site.post(f"{path}/cancel", headers=token).status_code == 200
    for answer in (site.get(path), site.post(f"{path}/cancel", headers=token), site.get(f"{path}/events")):
        assert (answer.status_code, answer.json()["error"]) == (410, "Cancelled")


# Another name


def test_a_new_name_is_told_to_everybody_and_kept_for_the_next_table(site):
    anna, boris, table = two_people(site)
    anna.send("/name", name="  Anouk ")
    assert look(site, table)["people"][0]["name"] == "Anouk"
    assert "Anna is called Anouk now." in boris.go(table).words
    assert anna.go("/").form("/name")["fields"]["name"] == "Anouk"


@pytest.mark.parametrize("wish", ["Boris", "BORIS", "Ｂｏｒｉｓ"])
def test_nobody_takes_the_name_of_another(site, wish):
    anna, _, table = two_people(site)
    anna.send("/name", name=wish)
    assert look(site, table)["people"][0]["name"] == f"{wish} 2"


def test_ones_own_name_can_be_written_otherwise_and_the_same_name_is_no_news(site):
    anna, _, table = two_people(site)
    anna.send("/name", name="ANNA")
    assert look(site, table)["people"][0]["name"] == "ANNA"
    said = len(look(site, table)["talk"])
    anna.go(table)
    anna.send("/name", name="ANNA")
    assert len(look(site, table)["talk"]) == said


def test_names_are_checked_and_those_of_others_cannot_be_changed(site):
    anna, _, table = two_people(site)
    stranger = Visitor(site)
    stranger.go(table)
    assert post(stranger, f"{table}/name", name="Eve", seat="0").status_code == 403
    for name in ("", " ", "\u3164", "x" * 25):
        assert post(anna, f"{table}/name", name=name).status_code == 422
    assert [person["name"] for person in look(site, table)["people"]] == ["Anna", "Boris"]


def test_a_program_changes_its_name_and_hears_what_it_is_called(site):
    anna = Visitor(site)
    table = site.post("/api/tables", json={"game": "babuschka", "chairs": ["token", "free"]}).json()
    anna.go(table["page"])
    anna.send("/sit", name="Anna")
    answer = site.post(f"/api/tables/{table['table']}/name", json={"name": "anna"}, headers=bearer(table["tokens"][0]))
    assert answer.json() == {"name": "anna 2"}


# Presence


def test_who_is_here_and_who_is_away_is_told_in_words(site, empty_site):
    for where, word in ((site, "here"), (empty_site, "away")):
        anna, _, table = two_people(where)
        page = anna.go(table)
        assert page.html.count(f'title="{word}"') == 2
        assert f"Boris {word}" in page.words


def test_presence_alone_draws_nothing_anew_until_it_changes(tmp_path):
    with running(tmp_path, away_seconds=60.0) as site:
        _, _, table = two_people(site)
        state, table_id = site.app.state, table.split("/")[-1]
        viewer = Viewer(None, "en", "", "token", "http://samovar.test")

        async def looked():
            return await state.looks.of(await state.tables.look(table_id), viewer)

        first = site.blocking_portal.call(looked)
        state.tables.presence.touch(table_id, 1)
        assert site.blocking_portal.call(looked) is first
        state.tables.presence.away_seconds = -1.0
        away = site.blocking_portal.call(looked)
        assert 'title="away"' in away.parts["chairs"]
        assert site.blocking_portal.call(looked) is away, "the minute since when does not move on"
        assert {name for name in away.parts if away.parts[name] != first.parts[name]} == {"chairs", "status"}
