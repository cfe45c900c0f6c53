"""A position is arranged on a phone: touched, moved, refused with its sentence, and played."""

import json

import pytest

from support.browsers import barriers

pytestmark = pytest.mark.browser
CLICKS = {
    "babuschka": ("c1", "d4"),
    "matryoshka": ("A1", "B3"),
    "memoarrrr": ("a1", "c3"),
    "varvitikud": ("card-1", "card-2"),
}


@pytest.mark.parametrize("game", CLICKS)
@pytest.mark.parametrize("manner", ["phone", "scriptless"])
def test_pieces_are_touched_where_they_lie(visit, manner, game):
    anna = visit(manner, language="de-DE")
    anna.go(f"/arrange/{game}?moves=8")
    before = position(anna)
    for scheme in ("light", "dark"):
        anna.page.emulate_media(color_scheme=scheme)
        assert anna.runs_over() <= 0
        if manner == "phone":
            assert barriers(anna.page) == []
    piece, place = CLICKS[game]
    touch(anna, piece)
    anna.page.locator(f'#board .picked[value="{piece}"]').first.wait_for()
    assert "#board" in anna.page.url
    touch(anna, place)
    anna.page.locator("#board .prompt").wait_for()
    assert anna.page.locator("#board .picked").count() == 0
    assert position(anna) != before or anna.page.locator("#board .problem").count()
    assert anna.runs_over() <= 0


def test_what_cannot_be_is_refused_and_what_can_be_is_played(visit):
    anna = visit("phone")
    anna.go("/arrange/memoarrrr?moves=8")
    anna.page.locator("#field-revealed").fill("c3")
    anna.press(anna.page.locator(".arrange-facts button"))
    anna.page.locator("#board .problem").wait_for()
    assert anna.page.locator("#field-revealed").input_value() == "c3"
    anna.page.locator("#field-revealed").fill("a1")
    anna.press(anna.page.locator("#arrange button.primary"))
    anna.page.wait_for_url("**/table/*")
    assert "a position that somebody has arranged" in anna.page.locator("body").inner_text()


def touch(anna, name):
    anna.press(anna.page.locator(f'#board button[name="move"][value="{name}"]').first)


def position(anna):
    return json.loads(anna.page.locator('input[name="position"]').input_value())
