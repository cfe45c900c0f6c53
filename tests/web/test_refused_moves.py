"""A move that is refused leads back to the table, with the reason above the board: nobody without
scripts ends up on another page, or has to tick their boxes again."""

import random
import re

import pytest

from samovar.engine.registry import find_game
from support.visitors import Visitor, running

GAMES = ["babuschka", "matryoshka", "memoarrrr", "varvitikud"]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with running(tmp_path_factory.mktemp("site")) as client:
        yield client


def sit_with_bots(site, game, language="en", **facts):
    """Anna at a table with bots, on whose page there is something to choose."""
    seats = min(find_game(game).seats)
    anna = Visitor(site, language)
    anna.go(f"/new/{game}?seats={seats}")
    chairs = {f"chair-{seat}": "easy" for seat in range(1, seats)}
    anna.send(f"/new/{game}", name="Anna", seats=seats, **chairs, **facts)
    address = anna.address
    for _ in range(200):
        if 'data-turn="yes"' in anna.page.html:
            return anna, address
        anna.go(address)
    raise AssertionError("it is never Anna's turn")


def problem_of(page):
    """The sentence above the board, if it can be seen."""
    found = re.search(r'<p id="problem"[^>]*>([^<]*)</p>', page.html)
    return "" if "hidden" in found[0] else found[1].replace("&#39;", "'")


def ticked(page):
    return [box["value"] for box in page.form("/move")["boxes"] if "checked" in box]


def boxes(page):
    return [box["value"] for box in page.form("/move")["boxes"]]


@pytest.mark.parametrize("game", GAMES)
def test_a_move_that_is_not_possible_leads_back_to_the_table(site, game):
    anna, address = sit_with_bots(site, game)
    page = anna.send("/move", move="nonsense")
    assert anna.status == 422
    assert f'data-table="{address.split("/")[-1]}"' in page.html
    assert problem_of(page)
    assert page.html.index('id="problem"') < page.html.index('data-part="board"')
    assert 'data-turn="yes"' in page.html, "Anna has not moved"
    assert anna.move(random.Random(1)) is not None, "the page can be gone on with"
    assert anna.status == 200


def test_a_stale_form_leads_back_to_the_table_as_it_is_now(site):
    anna, address = sit_with_bots(site, "memoarrrr")
    old = anna.page
    anna.move(random.Random(1))
    anna.go(address)
    now = re.search(r'name="ply" value="(\d+)"', anna.page.html)[1]
    move = next(button["value"] for button in old.form("/move")["buttons"] if button.get("name") == "move")
    anna.page = old
    page = anna.send("/move", move=move)
    assert anna.status == 409
    assert problem_of(page)
    assert re.search(r'name="ply" value="(\d+)"', page.html)[1] >= now


def test_the_links_of_a_page_that_tells_of_a_refusal_lead_to_the_table(site):
    anna, address = sit_with_bots(site, "babuschka", first=0)
    anna.send("/move", move="nonsense")
    assert anna.address.endswith("/move")
    pick = next(link["href"] for link in anna.page.links if "pick=" in link.get("href", ""))
    page = anna.go(f"{anna.address}{pick}")
    assert (anna.status, anna.address) == (200, f"{address}{pick}")
    assert "picked" in page.html
    assert not problem_of(page)


@pytest.mark.parametrize("count", [1, 3])
def test_a_wrong_number_of_boxes_is_told_and_the_boxes_stay_ticked(site, count):
    anna, _ = sit_with_bots(site, "matryoshka")
    chosen = boxes(anna.page)[1 : 1 + count]
    page = anna.send("/move", move="show", **{"with": chosen})
    assert anna.status == 422
    assert problem_of(page) == f"Tick 2 of them: you have ticked {count}."
    assert ticked(page) == chosen


def test_a_wrong_number_of_boxes_is_told_in_the_language_of_the_reader(site):
    anna, _ = sit_with_bots(site, "matryoshka", "fr")
    page = anna.send("/move", move="show", **{"with": boxes(anna.page)[:3]})
    assert problem_of(page) == "Cochez-en 2\u00a0: vous en avez coché 3."


def test_boxes_that_are_not_there_are_not_drawn(site):
    anna, _ = sit_with_bots(site, "matryoshka")
    have = boxes(anna.page)
    other = next(f"{letter}{value}" for letter in "ABCDEF" for value in range(1, 8) if f"{letter}{value}" not in have)
    page = anna.send("/move", move="show", **{"with": [have[0], other, "<b>"]})
    assert anna.status == 422
    assert ticked(page) == [have[0]]
    assert sorted(boxes(page)) == sorted(have), "ticked ones lie in the display"
    assert "<b>" not in problem_of(page)


def test_what_is_ticked_is_counted_without_a_move(site):
    """Two of a number are worth 2 (rule 6.2), two of a kind that are no neighbours nothing."""
    anna, _ = sit_with_bots(site, "matryoshka")
    have = boxes(anna.page)
    pairs = [(one, other) for one in have for other in have if one < other]
    for one, other in pairs:
        is_run = one[0] == other[0] and abs(int(one[1]) - int(other[1])) == 1
        page = anna.send("/move", count="yes", **{"with": [one, other]})
        assert anna.status == 200
        worth = re.search(r'class="several-worth"[^>]*>Points: (\d+)<', page.html)[1]
        assert worth == ("2" if is_run or one[1] == other[1] else "0")
        assert ticked(page) == [one, other]
        assert 'data-turn="yes"' in page.html, "Anna has not moved"


def test_our_script_is_told_of_a_refusal_as_before(site):
    anna, _ = sit_with_bots(site, "memoarrrr")
    form = anna.page.form("/move")
    answer = anna.client.post(
        form["action"], data={**form["fields"], "move": "nonsense"}, headers={"x-samovar-parts": "1"}
    )
    assert answer.status_code == 422
    assert set(answer.json()) == {"problem"}


def test_a_move_at_a_table_that_is_not_there_is_a_friendly_page(site):
    anna, _ = sit_with_bots(site, "babuschka")
    anna.page.form("/move")["action"] = "/table/nowhere/move"
    page = anna.send("/move", move="c1-c2")
    assert anna.status == 404
    assert "There is no table at this address." in page.words
