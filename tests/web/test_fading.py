"""What has faded is in no answer of the site, and what the table helps to remember stays."""

import json
import re
from copy import copy
from dataclasses import replace
from html import unescape

import pytest

from samovar.engine.match import Match
from samovar.engine.registry import find_game
from samovar.testing import site
from samovar.web.drawing import looks
from samovar.web.drawing.viewer import Viewer, ViewerKind

MEMOARRRR = find_game("memoarrrr")
TURNED = ("opens", "connects", "fails")


@pytest.fixture
def client():
    with site.site() as client:
        yield client


def table_in_round(client, number, *, memory_aid=False, options=None, moves=1):
    """A table of Memoarrrr! some moves after a round has begun."""
    match = Match(MEMOARRRR, 2, 3, plain=True, **(options or {}))
    while match.view(None).round < number:
        match.play_random(len(match.history), limit=1)
    match.play_random(0, limit=moves)
    assert match.view(None).round == number
    place = site.Place(client, MEMOARRRR, 2, options or {}, 3, memory_aid=memory_aid)
    place.follow(match)
    return place


def turned_back(place, viewer):
    """Place and card of what the viewer has seen and does not see any more."""
    match = place.table.playing
    view = match.view(viewer)
    shown = {*view.island, *dict(view.looks).values()}
    facts = [dict(one.facts) for events in match.log(viewer)[:-1] for one in events if one.kind in (*TURNED, "sees")]
    return {(str(fact["place"]), str(fact["card"])) for fact in facts if fact["card"] not in shown}


def text_of(answer):
    return unescape(answer[-1] if isinstance(answer, tuple) else answer)


@pytest.mark.parametrize("expert", [False, True])
def test_no_answer_ties_a_card_that_was_turned_back_to_its_place(client, expert):
    place = table_in_round(client, 3, options={"expert": expert})
    for viewer in (None, 0, 1):
        gone = turned_back(place, viewer)
        assert len(gone) > 2
        for name, answer in place.received_by(viewer).items():
            words, text = MEMOARRRR.words[place.language if name == "translated" else "en"], text_of(answer)
            sentences = re.split(r"[.!]\s|<|\\n", text)
            for spot, card in gone:
                tied = [one for one in sentences if re.search(rf"\b{spot}\b", one) and words[card] in one]
                assert not tied, f"{name!r} to {viewer}"
                assert f'["place","{spot}"],["card","{card}"]' not in text, f"{name!r} to {viewer}"


@pytest.mark.parametrize("viewer", [None, 0])
def test_a_table_that_helps_to_remember_tells_everything_of_the_last_moves(client, viewer):
    place = table_in_round(client, 3, memory_aid=True)
    gone = site.faded_sentences(place.table, viewer)
    told = place.table.playing.log(viewer)[-looks.TOLD_MOVES :]
    scene = looks.scene_of(place.table, ViewerKind(viewer, "en", ""))
    wanted = {scene.tell(event) for events in told for event in events} & gone
    assert wanted
    for name in ("page", "parts", "stream"):
        text = text_of(place.received_by(viewer)[name])
        assert all(sentence in text for sentence in wanted), name


def test_when_the_match_is_over_everything_is_told_again(client):
    match = Match(MEMOARRRR, 2, 3, plain=True)
    match.play_random(1)
    place = site.Place(client, MEMOARRRR, 2, {}, 3, memory_aid=False)
    place.follow(match)
    page = text_of(place.received_by(0)["page"])
    scene = looks.scene_of(place.table, ViewerKind(0, "en", ""))
    for events in match.log(0)[-looks.TOLD_MOVES :]:
        assert all(scene.tell(event) in page for event in events)


def test_a_stream_sends_what_is_still_told_of_a_move_when_its_round_ends(client):
    """A page that shows the look before is told anew what it shows already."""
    match = Match(MEMOARRRR, 2, 3, plain=True)
    while match.view(None).round < 2:
        match.play_random(len(match.history), limit=1)
    last_of_round = match.history[-1]
    before = match.copy()
    before.undo()
    place = site.Place(client, MEMOARRRR, 2, {}, 3, memory_aid=False)
    place.follow(before)
    viewer = Viewer("person-0", "en", "", "token", "http://samovar.test")
    earlier = place._call(place.looks.of, place.table, viewer)
    place.follow(match)
    now = place._call(place.looks.of, place.table, viewer)
    assert match.history[-1] == last_of_round
    gone = site.faded_sentences(place.table, 0)
    assert any(sentence in unescape(earlier.parts["news"]) for sentence in gone), "it was told until now"
    parts = json.loads(now.message(earlier).content)["parts"]
    assert not any(sentence in unescape(parts["news"]) for sentence in gone)


def test_the_kit_notices_a_site_that_tells_all_the_past(monkeypatch):
    honest = looks.news_texts

    def tell_all(table, scene, before):
        telling = copy(table)
        telling.settings = replace(table.settings, memory_aid=True)
        return honest(telling, scene, before)

    monkeypatch.setattr(looks, "news_texts", tell_all)
    with pytest.raises(AssertionError, match="'page' still tells"):
        site.check_fading(MEMOARRRR, 2, {}, seed=3, looks=1)


def test_the_kit_looks_at_what_has_faded():
    assert site.check_fading(MEMOARRRR, 2, {}, seed=3, looks=1) > 0
