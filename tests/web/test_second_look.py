"""A second look, without scripts: whoever has said on their page that they always want to be asked is asked before a
move that may show something, and before no other. Programs never are."""

import random

import pytest

from samovar.web import problems
from support.people import with_page
from support.players import look, move, post, two_people
from support.tables import table_of
from support.visitors import Visitor, running

QUESTION = "Play this? What you see then cannot be taken back."


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with running(tmp_path_factory.mktemp("site")) as client:
        yield client


def careful(site, game="memoarrrr", second_look="always", **facts):
    """Somebody who has a page of their own, at a table with a bot; they begin."""
    anna = with_page(site, second_look=second_look)
    anna.go(f"/new/{game}?seats=2")
    anna.send(f"/new/{game}", **{"name": "Anna", "first": "0", "chair-1": "easy", **facts})
    return anna


def moves_at(site, visitor):
    return look(site, visitor.address.split("?")[0].removesuffix("/move"))["moment"]


def buttons(visitor):
    return [button for button in visitor.page.form("/move")["buttons"] if button.get("name") == "sure"]


def test_a_move_that_shows_something_is_asked_once_more_and_made_by_yes(site):
    anna = careful(site)
    address = anna.address
    anna.move(random.Random(1))
    assert QUESTION in anna.page.words
    assert "Look at" in anna.page.words.partition(QUESTION)[2], "the move is told"
    assert moves_at(site, anna) == 0
    [yes] = buttons(anna)
    anna.send("/move", sure=yes["value"])
    assert anna.address == address
    assert QUESTION not in anna.page.words
    table = table_of(site, address.split("/")[-1])
    assert table.playing.move_text(*table.playing.history[0]) == yes["value"]


def test_what_was_put_back_can_be_chosen_anew(site):
    anna = careful(site)
    anna.move(random.Random(1))
    back = next(link["href"] for link in anna.page.links if link.get("data-name") == "not-sure")
    anna.go(back)
    assert QUESTION not in anna.page.words
    assert moves_at(site, anna) == 0
    assert anna.move(random.Random(2)) is not None
    assert QUESTION in anna.page.words


def test_a_game_in_which_nothing_is_hidden_asks_nothing(site):
    anna = careful(site, "babuschka")
    anna.move(random.Random(1))
    assert QUESTION not in anna.page.words
    assert moves_at(site, anna) >= 1


@pytest.mark.parametrize("second_look", ["", "never"])
def test_who_has_not_asked_for_it_is_not_asked(site, second_look):
    """Without scripts nobody knows on what device somebody is."""
    anna = careful(site, second_look=second_look)
    anna.move(random.Random(1))
    assert QUESTION not in anna.page.words
    assert moves_at(site, anna) >= 1


def test_what_is_not_possible_is_refused_and_not_asked_about(site):
    anna = careful(site)
    form = anna.page.form("/move")
    for text, revision in (("nonsense", form["fields"]["ply"]), ("a1", "7")):
        answer = post(anna, form["action"], move=text, ply=revision)
        assert answer.status_code == (problems.NotPossible if revision != "7" else problems.MovedOn).status
        assert QUESTION not in answer.text
    assert post(anna, form["action"], sure="nonsense", ply="0").status_code == problems.NotPossible.status
    assert moves_at(site, anna) == 0


def test_our_script_says_on_what_device_somebody_is_and_gets_the_question_as_parts(site):
    anna, _, address = two_people(site)
    form = anna.page.form("/move")
    text = next(button["value"] for button in form["buttons"] if button.get("name") == "move")
    facts = {**form["fields"], "move": text}
    asked = post(anna, f"{address}/move", asks="always", **{k: v for k, v in facts.items() if k != "_csrf_token"})
    assert (asked.status_code, asked.json()["number"]) == (200, table_of(site, address.split("/")[-1]).head)
    assert QUESTION in asked.json()["parts"]["board"]
    assert moves_at(site, anna) == 0
    made = post(anna, f"{address}/move", asks="always", ply="0", sure=text)
    assert made.status_code == 200
    assert moves_at(site, anna) == 1


def test_a_phone_that_is_never_to_ask_does_not_whatever_the_page_says(site):
    anna = careful(site)
    form = anna.page.form("/move")
    text = next(button["value"] for button in form["buttons"] if button.get("name") == "move")
    post(anna, form["action"], asks="never", ply="0", move=text)
    assert moves_at(site, anna) >= 1


def test_boxes_stay_ticked_while_the_question_is_asked(site, monkeypatch):
    monkeypatch.setattr("samovar.web.pages.table.may_teach", lambda match, seat: True)
    anna = with_page(site, second_look="always")
    anna.go("/new/matryoshka?seats=3")
    anna.send("/new/matryoshka", **{"name": "Anna", "chair-1": "easy", "chair-2": "easy"})
    anna.move(random.Random(1))
    assert QUESTION in anna.page.words
    ticked = {box["value"] for box in anna.page.form("/move")["boxes"] if "checked" in box}
    assert len(ticked) == 2
    assert set(buttons(anna)[0]["value"].split()[1:]) == ticked
    before = moves_at(site, anna)
    anna.send("/move", sure=buttons(anna)[0]["value"])
    assert moves_at(site, anna) > before


def test_programs_are_never_asked(site):
    made = site.post("/api/tables", json={"game": "memoarrrr", "chairs": ["token", "easy"], "options": {"first": 0}})
    path, headers = f"/api/tables/{made.json()['table']}", {"authorization": f"Bearer {made.json()['tokens'][0]}"}
    legal = site.get(f"{path}/moves", headers=headers).json()
    answer = site.post(f"{path}/moves", headers=headers, json={"move": legal["legal"][0]["move"], "revision": 0})
    assert answer.json()["revision"] >= 1


def test_the_wish_goes_along_with_the_page_and_what_is_none_is_refused(site):
    anna = with_page(site, second_look="always")
    assert 'name="second_look" value="always" checked' in anna.go("/me").html
    anna.go("/")
    anna.send("/play/babuschka")
    assert 'data-second_look="always"' in anna.page.html
    assert post(anna, "/me/comfort", second_look="never").status_code == 204
    assert 'data-second_look="never"' in anna.go(anna.address).html
    assert post(anna, "/me/comfort", second_look="sometimes").status_code == 422


def test_two_people_play_on_as_ever_whatever_one_of_them_wants(site):
    """The other is asked nothing."""
    anna = with_page(site, second_look="always")
    anna.go("/new/memoarrrr?seats=2")
    anna.send("/new/memoarrrr", name="Anna", first="1")
    boris = Visitor(site)
    boris.go(anna.address)
    boris.send("/sit", name="Boris")
    move(boris, anna.address)
    assert QUESTION not in boris.page.words
