"""Bots as people meet them: a style in a word and a remark now and then, which give nothing away."""

import random
import re

import pytest

from samovar.engine.registry import find_game
from samovar.web.tables.characters import AT_THE_END, REMARKS, remark_of, style_of
from support.tables import play_out, table_of
from support.visitors import Visitor, running

REMARK = re.compile(r'class="bot-remark".*?<q>(.*?)</q>', re.DOTALL)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with running(tmp_path_factory.mktemp("site")) as client:
        yield client


def sit_down(site, game="memoarrrr", opponent="easy"):
    anna = Visitor(site)
    anna.go(f"/new/{game}?seats=2")
    anna.send(f"/new/{game}", **{"name": "Anna", "chair-1": opponent})
    return anna, anna.address.rsplit("/")[-1]


def test_a_style_says_how_the_level_errs():
    memoarrrr = find_game("memoarrrr")
    assert style_of(memoarrrr, "easy") == "forgetful"
    assert style_of(memoarrrr, "hard") == "careful"
    assert style_of(find_game("varvitikud"), "easy") == "hasty"
    assert style_of(memoarrrr, "somebody's own") == ""


def test_chairs_show_it(site):
    anna, _ = sit_down(site)
    assert "easy · forgetful" in anna.page.words


def test_a_bot_speaks_now_and_then_in_its_style_and_to_everybody_alike(site):
    anna, table_id = sit_down(site)
    heard, choose = [], random.Random(2)
    while table_of(site, table_id).status == "playing":
        anna.go(f"/table/{table_id}")
        if anna.move(choose) is None:
            continue
        own, other = (REMARK.findall(one.go(f"/table/{table_id}").html) for one in (anna, Visitor(site)))
        if remark_of(table_of(site, table_id)) is not None and table_of(site, table_id).status == "playing":
            assert own == other != []
            heard += own
    silent = [one for one in heard if one not in REMARKS["forgetful"]]
    assert heard
    assert silent == []
    assert REMARK.findall(anna.go(f"/table/{table_id}").html) == [AT_THE_END]


def test_people_among_themselves_hear_nothing(site):
    anna, table_id = sit_down(site, "babuschka", opponent="here")
    play_out(site, table_id)
    assert REMARK.findall(anna.go(f"/table/{table_id}").html) == []
