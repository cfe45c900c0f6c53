"""The first page: a match in one click, one's own tables, games from elsewhere."""

import re

import pytest

from samovar.engine.heuristics import LEVEL_NAMES
from samovar.engine.registry import find_game, game_ids, is_ours
from samovar.engine.words import words_in
from samovar.language.languages import LANGUAGES
from samovar.web.game_list import levels_of_all_games, told_seats
from samovar.web.store.store import CURRENT_TABLES_OF
from support.players import look, move, own_tables, play_now, post, two_people
from support.visitors import Visitor, running

DAY_MS = 24 * 3600 * 1000


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with running(tmp_path_factory.mktemp("site")) as client:
        yield client


def age(site, table, milliseconds):
    """As if nothing had happened there for so long."""

    def work(connection):
        connection.exec_driver_sql(
            f"UPDATE tables SET changed = changed - {milliseconds} WHERE id = '{table.split('/')[-1]}'"
        )

    site.blocking_portal.call(site.app.state.tables.store.do, work)


# One click


def test_players_and_level_are_chosen_on_the_card_and_remembered_for_each_game(site):
    visitor, table = play_now(site, "matryoshka", seats="4", level="hard", name="Zoé")
    now = look(site, table)
    assert now["people"][0]["name"] == "Zoé"
    assert [person["level"] for person in now["people"]] == ["", "hard", "hard", "hard"]
    page = visitor.go("/")
    fields = page.form("/play/matryoshka")["fields"]
    assert (fields["seats"], fields["level"], fields["name"]) == ("4", "hard", "Zoé")
    other = page.form("/play/memoarrrr")["fields"]
    assert (other["seats"], other["level"]) == ("2", "medium"), "another game is another choice"
    assert visitor.go("/new/matryoshka").form("/new/matryoshka")["fields"]["seats"] == "4"


def levels_at(visitor, page):
    """What the chairs of a new table offer, but for friends."""
    html = visitor.go(page).html
    return {level for level in LEVEL_NAMES if f'<option value="{level}"' in html}


def test_master_is_offered_only_where_it_is_worth_it(site):
    visitor = Visitor(site)
    home = visitor.go("/").html
    assert home.count('name="level" value="master"') == 2, "Memoarrrr! and Babuschka"
    assert "master" in levels_at(visitor, "/new/babuschka")
    assert levels_at(visitor, "/new/matryoshka") == {*LEVEL_NAMES} - {"master"}
    assert levels_of_all_games() == LEVEL_NAMES[:-1], "where the game is chosen beside it"


def test_a_master_that_sits_there_keeps_its_chair_where_it_is_offered_no_more(site):
    visitor = Visitor(site)
    visitor.go("/new/matryoshka?seats=3")
    visitor.send("/new/matryoshka", name="Anna", **{"chair-2": "hard"})
    table = visitor.address
    visitor.send(f"{table}/chair", seat="2", level="master")
    assert "master" in levels_at(visitor, f"/new/matryoshka?instead={table.split('/')[-1]}")


def test_one_click_still_does_without_any_choice(site):
    visitor, table = play_now(site)
    assert look(site, table)["people"][0]["name"] == "Guest"
    assert visitor.status == 200


@pytest.mark.parametrize(
    "facts", [{"seats": "3"}, {"seats": "x"}, {"level": "genius"}, {"name": "x" * 25}, {"name": "\u3164"}]
)
def test_what_cannot_be_chosen_opens_no_table(site, facts):
    visitor, _ = play_now(site, **facts)
    assert visitor.status == 422
    assert own_tables(visitor) == []


def test_a_name_is_remembered_without_scripts(site):
    visitor = Visitor(site)
    visitor.go("/")
    visitor.send("/name", name="Zoé")
    assert visitor.address == "/"
    visitor.send("/play/babuschka")
    assert "Zoé" in [person["name"] for person in look(site, visitor.address)["people"]]
    visitor.go("/")
    visitor.send("/name", name=" ")
    assert visitor.status == 422


# Ways to play


def test_with_friends_one_click_opens_a_table_with_free_chairs_and_its_link(site):
    visitor = Visitor(site)
    visitor.go("/?way=friends")
    visitor.send("/play/memoarrrr", seats="3")
    now = look(site, visitor.address)
    assert [person["level"] for person in now["people"]] == ["", "", ""]
    assert now["status"] == "waiting"
    assert f'data-share="{site.base_url}{visitor.address}"' in visitor.page.html


def test_on_this_device_leads_to_a_table_whose_chairs_are_all_here(site):
    visitor = Visitor(site)
    form = visitor.go("/?way=here").form("/new/matryoshka")
    assert form["fields"]["chairs"] == "here"
    fields = visitor.go("/new/matryoshka?chairs=here&seats=4").form("/new/matryoshka")["fields"]
    assert [fields[f"chair-{seat}"] for seat in (1, 2, 3)] == ["here", "here", "here"]
    other = visitor.go("/new/matryoshka?seats=4").form("/new/matryoshka")["fields"]
    assert other["chair-1"] == ""


@pytest.mark.parametrize("way", ["nobody", "", "<b>"])
def test_a_way_that_is_not_there_is_alone(site, way):
    page = Visitor(site).go(f"/?way={way}")
    assert page.form("/play/memoarrrr")["fields"]["way"] == "alone"


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_of_our_games_says_in_one_sentence_what_it_is_how_long_and_for_whom(site, language):
    visitor = Visitor(site)
    visitor.go("/")
    visitor.send("/language", language=language)
    for game in map(find_game, filter(is_ours, game_ids())):
        pitch = words_in(game, language)["pitch"]
        assert 5 <= len(pitch.split()) <= 12
        assert " ".join(pitch.split()) in visitor.page.words
        assert game.minutes
        assert game.age
    assert len({words_in(find_game("memoarrrr"), one)["pitch"] for one in LANGUAGES}) == len(LANGUAGES)


def test_seats_are_told_as_a_range_unless_some_number_between_cannot_play():
    assert [told_seats(find_game(game)) for game in ("matryoshka", "babuschka", "connect_four")] == ["3–5", "2, 4", "2"]


@pytest.mark.parametrize("page", ["/", "/rules", "/puzzles", "/me", "/new/memoarrrr", "/nowhere"])
def test_day_puzzles_lessons_clubs_and_players_are_one_click_from_every_page(site, page):
    links = {link["href"] for link in Visitor(site).go(page).links}
    assert {"/", "/today", "/puzzles", "/rules", "/club", "/players"} <= links


def test_rules_and_lessons_of_all_games_stand_on_one_page(site):
    links = {link["href"] for link in Visitor(site).go("/rules").links}
    assert {f"/rules/{game}" for game in game_ids()} <= links
    assert {f"/learn/{game}" for game in game_ids() if is_ours(game)} <= links


# Games from elsewhere


def test_games_of_other_packages_stand_apart_and_all_have_a_picture(site):
    page = Visitor(site).go("/")
    more = page.html.split('id="more"')[1]
    others = [game for game in game_ids() if not is_ours(game)]
    assert others
    for game in game_ids():
        assert (f'action="/play/{game}"' in more) == (game in others)
        assert f"/games/{game}/cover.svg" in page.html
        cover = site.get(f"/games/{game}/cover.svg")
        assert (cover.status_code, cover.headers["content-type"].split(";")[0]) == (200, "image/svg+xml")
    assert find_game(others[0]).name in site.get(f"/games/{others[0]}/cover.svg").text
    assert site.get(f"/games/{others[0]}/table.css").status_code == 404


def test_the_first_page_counts_no_games(site):
    assert not re.search(r"\b(four|five|4|5) games", Visitor(site).go("/").words, re.IGNORECASE)


# One's own tables


def test_my_turn_comes_first_then_where_others_move_with_names_and_since_when(site):
    anna, boris, first = two_people(site, "babuschka")
    move(anna, first)
    boris.go("/new/memoarrrr?seats=3")
    boris.send("/new/memoarrrr", name="Boris")
    waiting = boris.address
    assert own_tables(boris) == [first, waiting], "though the other one is newer"
    assert own_tables(anna) == [first]
    assert "Babuschka with Anna your turn just now" in boris.go("/").words
    assert "Boris to move" in anna.go("/").words
    for back, sentence in ((5, "5 minutes ago"), (60, "one hour ago"), (60 * 24, "one day ago")):
        age(site, first, back * 60_000)
        assert sentence in boris.go("/").words
    boris.send("/language", language="fr")
    assert "il y a un jour" in boris.page.words


def test_the_first_page_has_three_of_my_tables_and_the_rest_is_one_click_away(site):
    anna = Visitor(site)
    tables = []
    for _ in range(5):
        anna.go("/")
        anna.send("/play/babuschka")
        tables.append(anna.address)
    assert len(own_tables(anna)) == 3
    assert any(link.get("href") == "/tables" for link in anna.page.links)
    assert sorted(own_tables(anna, "/tables")) == sorted(tables)
    assert own_tables(Visitor(site), "/tables") == []


def test_a_match_that_is_over_leaves_when_it_was_seen(site):
    anna, boris, table = two_people(site, "babuschka")
    post(anna, f"{table}/resign")
    assert own_tables(boris) == [table], "he does not know yet"
    assert "over" in boris.page.words
    boris.go(table)
    assert own_tables(boris) == []
    assert own_tables(boris, "/tables") == [table]


def test_a_match_that_is_over_leaves_after_a_day_and_one_that_is_forgotten_after_some(site):
    anna, boris, over = two_people(site, "babuschka")
    post(anna, f"{over}/resign")
    age(site, over, DAY_MS)
    assert own_tables(boris) == []
    bots, alone = play_now(site)
    age(site, alone, DAY_MS)
    assert own_tables(bots) == [], "nobody else waits there"
    chloe, _, people = two_people(site, "babuschka")
    age(site, people, DAY_MS)
    assert own_tables(chloe) == [people]
    age(site, people, 6 * DAY_MS)
    assert own_tables(chloe) == []
    assert own_tables(chloe, "/tables") == [people]


def test_the_list_is_found_by_an_index(site):
    def plan(connection):
        rows = connection.exec_driver_sql(
            f"EXPLAIN QUERY PLAN {CURRENT_TABLES_OF}", {"person": "anna", "soon": 0, "late": 0, "limit": 3}
        )
        return [row[3] for row in rows]

    steps = site.blocking_portal.call(site.app.state.tables.store.do, plan)
    assert not any(step.startswith("SCAN") for step in steps), steps


def test_what_an_older_samovar_wrote_is_listed_without_names(site):
    anna, _, table = two_people(site, "babuschka")

    def forget(connection):
        connection.exec_driver_sql(f"UPDATE tables SET names = '' WHERE id = '{table.split('/')[-1]}'")

    site.blocking_portal.call(site.app.state.tables.store.do, forget)
    assert own_tables(anna) == [table]
    assert " with " not in anna.page.words.split("All my tables")[0].split("My tables")[1]


# A link that says how a table is played


def new_table(site, address):
    """The fields of the form for a new table as they are filled in, ticked boxes too."""
    visitor = Visitor(site)
    form = visitor.go(address).form(address.partition("?")[0])
    assert visitor.status == 200
    return form["fields"] | {box["name"]: "checked" in box for box in form["boxes"]}


def test_a_link_fills_in_the_options_of_a_new_table(site):
    assert new_table(site, "/new/matryoshka")["long_columns"] == "extend"
    asked = new_table(site, "/new/matryoshka?seats=5&long_columns=cap&first=4")
    assert (asked["seats"], asked["long_columns"], asked["first"]) == ("5", "cap", "4")
    asked = new_table(site, "/new/memoarrrr?expert=true&ordered_stack=false")
    assert (asked["expert"], asked["ordered_stack"]) == (True, False)
    assert new_table(site, "/new/babuschka?patience=7")["patience"] == "7"


def test_the_options_of_a_link_stay_when_the_number_of_players_is_changed(site):
    links = [link["href"] for link in Visitor(site).go("/new/matryoshka?long_columns=cap&x=1&first=random").links]
    assert "/new/matryoshka?seats=4&long_columns=cap&first=random" in links


@pytest.mark.parametrize(
    "query",
    [
        "long_columns=wide",
        "gravity=1",
        "first=9",
        "first=99999999999999999999",
        "long_columns",
        "long_columns=%00%ff",
        "long_columns=extend%22%3E%3Cscript%3E",
    ],
)
def test_what_a_link_cannot_mean_is_left_out(site, query):
    asked, usual = new_table(site, f"/new/matryoshka?{query}"), new_table(site, "/new/matryoshka")
    assert [asked[name] for name in ("long_columns", "first")] == [usual[name] for name in ("long_columns", "first")]
