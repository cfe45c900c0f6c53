"""Matches that all seats play together, that one plays alone, and that teams play: from the first
page to the lists of what one has played, without scripts."""

import json
import random
import re

import pytest
from sqlalchemy import text

from samovar.client.guest import end_text
from samovar.engine.records.record import resigned_of
from samovar.web.jobs.record_summary import summary_of
from samovar.web.people.players import counted
from samovar.web.people.ratings import RatedMatch, pairs_of
from support.outcome_games import GAME, installed
from support.players import play_on, prompt
from support.visitors import Visitor, running

ROWS = text(
    "SELECT results.*, '{\"is_rated\": true}' AS profile FROM results WHERE table_id = :table ORDER BY results.seat"
)
NAMES = ("Anna", "Boris", "Chloé", "Dmitri")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with installed(tmp_path_factory.mktemp("game")), running(tmp_path_factory.mktemp("site")) as client:
        yield client


def sit_down(site, seats, language="en", **facts):
    visitors = [Visitor(site, language) for _ in range(seats)]
    visitors[0].go(f"/new/{GAME.id}?seats={seats}")
    visitors[0].send(f"/new/{GAME.id}", name=NAMES[0], first="0", **facts)
    for visitor, name in zip(visitors[1:], NAMES[1:], strict=False):
        visitor.go(visitors[0].address)
        visitor.send("/sit", name=name)
    for visitor in visitors:
        visitor.go(visitor.address)
    return visitors


def look(site, visitor):
    return site.get(f"/api/tables/{visitor.address.split('/')[-1]}").json()


def rows(site, visitor):
    async def ask():
        return await site.app.state.tables.store.all(ROWS, table=visitor.address.split("/")[-1])

    return site.blocking_portal.call(ask)


def percent(success):
    return f"{success // 10}%"


def test_one_person_plays_alone_from_the_first_page_to_the_list_of_matches(site):
    anna = Visitor(site)
    anna.go("/")
    anna.send(f"/play/{GAME.id}", seats="1", name="Anna")
    moves = [button["value"] for button in anna.page.form("/move")["buttons"] if button.get("name") == "move"]
    anna.send("/move", move=max(moves, key=lambda text: int(text.split()[-1])))  # the lower card will not count
    play_on(anna)
    told = look(site, anna)
    assert (told["status"], told["places"], told["teams"], told["success"]) == ("over", [1], [0], 500)
    said = "You reach 50% of what can be reached."
    assert prompt(anna) == said
    assert "Play again with the same people" not in anna.page.words
    assert 'class="podium-place"' not in anna.page.html
    for page in ("/me/matches", "/tables"):
        assert "50%" in anna.go(page).words.split()
    anna.go(f"/table/{told['table']}")
    anna.send("/again")
    assert prompt(anna) != said, "the next match has begun"
    spectator = Visitor(site)
    assert "Anna " in spectator.go(f"/record/{told['table']}").words


def test_all_win_or_lose_together_and_no_place_is_shown(site):
    anna, boris, chloe = sit_down(site, 3)
    play_on(anna, boris, chloe)
    told = look(site, anna)
    share = percent(told["success"])
    assert told["places"] == [1, 1, 1]
    assert prompt(anna) == prompt(boris) == f"Together you reach {share} of what can be reached."
    assert 'class="podium-place"' not in anna.page.html
    assert f"<strong>{share}</strong>" in anna.page.html
    assert re.findall(r'class="podium-name[^>]*>.*?<strong>(\w+)</strong>', anna.page.html) == list(NAMES[:3])
    assert {(row.team, row.place, row.success, bool(row.is_rated)) for row in rows(site, anna)} == {
        (0, 1, told["success"], False)
    }
    page = boris.go("/me/matches").words
    assert share in page
    assert "By opponent" not in page, "they were none"
    spectator = Visitor(site, "fr")
    spectator.go(anna.address)
    assert prompt(spectator) == f"Ensemble, ils atteignent {share[:-1]} % de ce qui peut être atteint."
    assert f"Together they reach {share}" in Visitor(site).go(f"/record/{told['table']}").words


def test_who_resigns_gives_up_for_all(site):
    anna, boris, _ = sit_down(site, 3)
    anna.move(random.Random(1))
    assert "all of you have lost it" in boris.page.words
    boris.send("/resign")
    anna.go(anna.address)
    told = look(site, anna)
    assert (told["status"], told["success"], told["places"], told["scores"]) == ("over", 0, [1, 1, 1], None)
    assert prompt(anna) == "Boris resigned. You lose together."
    assert prompt(boris) == "You resigned. You lose together."
    assert [row.success for row in rows(site, anna)] == [0, 0, 0]
    record = site.get(f"/record/{told['table']}/download").json()
    assert resigned_of(record) == (1,)
    assert summary_of(record).success == 0
    assert end_text(told, 0) == "0 % of what all can reach together"
    alone = sit_down(site, 1)[0]
    alone.send("/resign")
    assert prompt(alone) == "You resigned. You lose."
    record = site.get(f"/record/{look(site, alone)['table']}/download").json()
    assert (resigned_of(record), summary_of(record).success, summary_of(record).places) == ((0,), 0, ("1",))


def test_teams_win_as_one(site):
    visitors = sit_down(site, 4)
    assert visitors[0].page.words.count("team 1") == visitors[0].page.words.count("team 2") == 2
    play_on(*visitors)
    told = look(site, visitors[0])
    assert (told["success"], told["teams"]) == (None, [0, 1, 0, 1])
    assert [row.team for row in rows(site, visitors[0])] == [0, 1, 0, 1]
    if told["places"] == [1, 1, 1, 1]:
        assert prompt(visitors[0]) == "Your team shares the first place with Boris and Dmitri."
    else:
        first = told["places"].index(1)
        winners = f"{NAMES[first]} and {NAMES[first + 2]}"
        assert prompt(visitors[first]) == prompt(visitors[first + 2]) == "Your team wins."
        assert prompt(visitors[1 - first]) == f"{winners} win. Second place is yours."
        assert sorted(told["places"]) == [1, 1, 3, 3]
        places = re.findall(r'<span class="podium-place">(\d)</span>', visitors[0].page.html)
        assert places == ["1", "2"], "a step for each team"
        assert "place 2 of 2" in visitors[1 - first].go("/me/matches").words


def test_who_resigns_takes_the_team_along(site):
    visitors = sit_down(site, 4)
    assert "your team has lost it" in visitors[2].page.words
    visitors[2].send("/resign")
    told = look(site, visitors[0])
    assert (told["status"], told["places"]) == ("over", [3, 1, 3, 1])
    visitors[0].go(visitors[0].address)
    assert prompt(visitors[0]) == "Chloé resigned. Boris and Dmitri win. Second place is yours."
    assert end_text(told, 0) == "place 3", "nobody has points"


def test_only_opponents_are_rated_against_each_other(site):
    visitors = sit_down(site, 4)
    visitors[0].send("/resign")
    (match,) = counted(rows(site, visitors[0]))
    people = [row.person for row in rows(site, visitors[0])]
    pairs = {(people[pair.a], people[pair.b], pair.won) for pair in pairs_of([match], people, {})}
    assert pairs == {
        (people[0], people[1], 0.0),
        (people[0], people[3], 0.0),
        (people[1], people[2], 1.0),
        (people[2], people[3], 0.0),
    }
    assert (match.parties, RatedMatch(1, 2, (("anna", 1), ("boris", 2))).parties) == (2, 0)


def test_nothing_is_rated_where_nobody_plays_against_another(site):
    anna = Visitor(site)
    assert 'name="rated"' not in anna.go(f"/new/{GAME.id}?seats=2").html
    assert 'name="rated"' in anna.go(f"/new/{GAME.id}?seats=4").html
    asked = {"game": GAME.id, "seats": 2, "settings": {}, "is_rated": True}
    answer = site.post("/api/tables", content=json.dumps({key: asked[key] for key in ("game", "seats", "is_rated")}))
    assert (answer.status_code, answer.json()["error"]) == (422, "TogetherAndRated")


def test_bots_play_along(site):
    anna, choose = Visitor(site), random.Random(1)
    anna.go("/")
    anna.send(f"/play/{GAME.id}", seats="2", name="Anna", level="easy")
    for _ in range(20):
        anna.move(choose)
        anna.go(anna.address.split("?")[0])
    assert look(site, anna)["status"] == "over"
    assert prompt(anna).startswith(("Together you reach", "You win together", "You lose together"))
