"""How a match ends for each of those who see it, where one goes from there, and moves whose answer
was lost."""

import random
import re

import pytest

from samovar.engine.places import team_places
from samovar.web.drawing.render import render
from support.players import play_on, prompt
from support.visitors import Visitor, running


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with running(tmp_path_factory.mktemp("site")) as client:
        yield client


def sit_down(site, game="babuschka", **facts):
    """Anna opens a table, Boris comes by the link."""
    anna, boris = Visitor(site), Visitor(site)
    anna.go(f"/new/{game}")
    anna.send(f"/new/{game}", name="Anna", **facts)
    boris.go(anna.address)
    boris.send("/sit", name="Boris")
    anna.go(anna.address)
    return anna, boris


def test_everybody_is_told_their_own_end(site):
    anna, boris = sit_down(site, patience=1, first=0)
    play_on(anna, boris)
    spectator = Visitor(site)
    spectator.go(anna.address)
    prompts = {prompt(anna), prompt(boris)}
    assert "You win." in prompts
    loser = "Boris" if prompt(anna) == "You win." else "Anna"
    winner = "Anna" if loser == "Boris" else "Boris"
    assert f"{winner} wins. Second place is yours." in prompts
    assert prompt(spectator) == f"{winner} wins."
    podium = re.search(r'<ol class="[^"]*page-podium".*?</ol>', spectator.page.html, re.DOTALL)[0]
    assert re.findall(r"<strong>(\w+)</strong>", podium) == [winner, loser]
    assert "tag you" not in podium
    assert "tag you" in anna.page.html


def test_seats_are_swapped_for_the_next_match(site):
    anna, boris = sit_down(site, patience=1, first=0)
    play_on(anna, boris)
    table = anna.address
    form = next(form for form in anna.page.forms if form["fields"].get("swaps") == "yes")
    anna.client.post(form["action"], data=form["fields"], follow_redirects=True)
    boris.go(table)
    boris.go(next(link["href"] for link in boris.page.links if "primary" in link.get("class", "")))
    assert boris.address != table
    chairs = re.search(r'<ul class="page-chairs">.*?</ul>', boris.page.html, re.DOTALL)[0]
    assert re.findall(r"<strong>(\w+)</strong>", chairs) == ["Boris", "Anna"]
    assert 'data-seat="0"' in boris.page.html
    anna.go(boris.address)
    assert 'data-seat="1"' in anna.page.html


class Over:
    """A table as its end is drawn from."""

    status, again, next_commitment, id = "over", None, "", "x"
    resigned, is_given_up, cancelled_by, series = (), False, "", ""

    def __init__(self, places, teams=None, success=None, names="Anna Boris Chloe Dmitri"):
        self.places, self.scores, self.success = places, (7,) * len(places), success
        self.teams = teams or tuple(range(len(places)))
        self.team_places = team_places(places, self.teams)
        self.people = [type("Person", (), {"name": name}) for name in names.split()[: len(places)]]
        self.chairs = [type("Chair", (), {"next_nonce": "1"}) for _ in places]


@pytest.mark.parametrize(
    ("language", "places", "seat", "sentence"),
    [
        ("en", (1, 1, 3), 0, "You share the first place with Boris."),
        ("en", (1, 1, 1, 4), 1, "You share the first place with Anna and Chloe."),
        ("en", (1, 1, 3), 2, "Anna and Boris share the first place. Third place is yours."),
        ("en", (1, 1, 3), None, "Anna and Boris share the first place."),
        ("en", (4, 1, 2, 3), 0, "Boris wins. Fourth place is yours."),
        ("fr", (1, 2), 0, "Vous remportez la partie."),
        ("fr", (1, 1, 3), 0, "Vous partagez la première place avec Boris."),
        ("fr", (2, 1, 2), 2, "Boris remporte la partie. La deuxième place est à vous."),
    ],
)
def test_places_are_told_in_words(language, places, seat, sentence):
    assert told(Over(places), seat, language) == sentence


def told(table, seat, language):
    facts = {"table": table, "seat": seat, "here": (), "scene": None, "past": None, "state": ""}
    html = render("parts/status.html", language, facts)
    said = re.search(r'<p class="prompt[^>]*>(.*?)</p>', html, re.DOTALL)[1]
    return re.sub(r"\s+", " ", said).strip()


@pytest.mark.parametrize(
    ("language", "places", "seat", "sentence"),
    [
        ("en", (1, 3, 1, 3), 2, "Your team wins."),
        ("en", (1, 3, 1, 3), 1, "Anna and Chloe win. Second place is yours."),
        ("en", (1, 3, 1, 3), None, "Anna and Chloe win."),
        ("en", (1, 1, 1, 1), 0, "Your team shares the first place with Boris and Dmitri."),
        ("fr", (3, 1, 3, 1), 1, "Votre équipe remporte la partie."),
        ("fr", (3, 1, 3, 1), 0, "Boris et Dmitri remportent la partie. La deuxième place est à vous."),
    ],
)
def test_places_of_teams_are_told_in_words(language, places, seat, sentence):
    assert told(Over(places, teams=(0, 1, 0, 1)), seat, language) == sentence


@pytest.mark.parametrize(
    ("language", "seats", "seat", "success", "sentence"),
    [
        ("en", 2, 0, 1000, "You win together."),
        ("en", 2, 1, 0, "You lose together."),
        ("en", 3, 2, 734, "Together you reach 73% of what can be reached."),
        ("en", 3, None, 999, "Together they reach 99% of what can be reached."),
        ("en", 2, None, 4, "Together they reach 1% of what can be reached."),
        ("en", 1, 0, 1000, "You win."),
        ("en", 1, 0, 0, "You lose."),
        ("en", 1, None, 500, "Anna reaches 50% of what can be reached."),
        ("fr", 2, 0, 1000, "Vous gagnez ensemble."),
        ("fr", 2, 0, 734, "Ensemble, vous atteignez 73 % de ce qui peut être atteint."),
        ("fr", 1, 0, 0, "Vous perdez."),
    ],
)
def test_what_all_reached_together_is_told_in_words(language, seats, seat, success, sentence):
    assert told(Over((1,) * seats, teams=(0,) * seats, success=success), seat, language) == sentence


def test_the_next_table_is_the_one_that_has_waited_longest(site):
    anna, boris = sit_down(site, first=0)
    waiting = anna.address
    anna.go("/new/babuschka")
    anna.send("/new/babuschka", name="Anna", first=0, **{"chair-1": "easy"})
    later = anna.address
    assert later != waiting
    anna.go("/next")
    assert anna.address == waiting
    boris.go("/next")
    assert boris.address == "/", "nothing waits for Boris"
    anna.move(random.Random(1))
    boris.go("/next")
    assert boris.address == waiting
    anna.go("/next")
    assert anna.address == later
    stranger = Visitor(site)
    stranger.go("/next")
    assert stranger.address == "/"


def test_a_repeated_move_is_made_once_and_is_no_mistake(site):
    anna, boris = sit_down(site, first=0)
    form = anna.go(next(link["href"] for link in anna.page.links if "pick=" in link["href"])).form("/move")
    move, another = [button["value"] for button in form["buttons"] if button.get("name") == "move"][:2]

    def send(move, **facts):
        answer = anna.client.post(
            form["action"], data={**form["fields"], "move": move, **facts}, headers={"X-Samovar-Parts": "1"}
        )
        return answer.status_code, answer.json()

    status, told = send(move)
    assert status == 200
    number = told["number"]
    assert send(move)[0] == 409, "whoever does not say that it is a repetition wants to move again"
    status, told = send(move, repeated="yes")
    assert (status, told["number"]) == (200, number)
    assert send(another, repeated="yes")[0] == 409, "another move is another move"
    boris.go(boris.address)
    boris.move(random.Random(1))
    status, told = send(move, repeated="yes")
    assert (status, told["number"]) == (200, number + 1), "it was made, whatever happened since"
