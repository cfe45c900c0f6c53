"""Through the last moves: boards of a moment ago by plain links, and never one that shows what has
been hidden since."""

import random
import re
from functools import cache

import pytest

from samovar.engine.match import Match
from samovar.web.drawing import steps
from samovar.web.drawing.steps import MOST_STEPS, earliest, past_of
from support.visitors import Visitor, running


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with running(tmp_path_factory.mktemp("site")) as client:
        yield client


def two_people(site, game, **facts):
    """Anna and Boris at a table; Anna begins."""
    anna, boris = Visitor(site), Visitor(site)
    anna.go(f"/new/{game}?seats=2")
    anna.send(f"/new/{game}", name="Anna", first="0", **facts)
    boris.go(anna.address)
    boris.send("/sit", name="Boris")
    return anna, boris, anna.address


def board(page):
    return re.search(r'<div data-part="board">(.*?)</form>', page.html, re.DOTALL)[1]


def dolls(page):
    """By field what stands there, of Babuschka."""
    return re.findall(r'data-key="(doll-\w+)"', board(page))


def test_moves_of_the_others_can_be_seen_again_without_scripts(site):
    anna, boris, table = two_people(site, "babuschka")
    anna.go(table)
    anna.send("/move", move="c1-c2")
    before = dolls(anna.go(table))
    boris.go(table)
    boris.send("/move", move="c8-c7")
    now = dolls(anna.go(table))
    assert now != before
    [link] = [link["href"] for link in anna.page.links if link.get("data-name") == "step-back"]
    past = anna.go(f"{table}{link}")
    assert dolls(past) == before
    assert "One move ago." in past.words
    prompts = re.findall(r'<p class="prompt[^>]*>(.*?)</p>', past.html)
    assert prompts == ["One move ago."], "what is asked now is not asked there"
    assert not any("pick=" in link["href"] for link in past.links), "nothing can be chosen there"
    [link] = [link["href"] for link in past.links if link.get("data-name") == "step-now"]
    assert dolls(anna.go(link)) == now
    assert "is-past" not in anna.page.html


def test_whoever_moved_last_has_seen_it_all(site):
    anna, _, table = two_people(site, "babuschka")
    anna.go(table)
    anna.move(random.Random(1))
    assert "The last moves" not in anna.go(table).words
    assert "The last moves" in Visitor(site).go(table).words, "a spectator has made no move"


@pytest.mark.parametrize("at", ["0", "3", "99", "-1", "1.0", "²", "x", "9" * 30])
def test_what_was_before_or_never_is_the_present(site, at):
    anna, boris, table = two_people(site, "babuschka")
    for guest, move in ((anna, "c1-c2"), (boris, "c8-c7"), (anna, "d1-d2"), (boris, "d8-d7")):
        guest.go(table)
        guest.send("/move", move=move)
    now = board(anna.go(table))
    page = anna.go(f"{table}?at={at}")
    assert anna.status == 200
    # Anna's last move was the third, and she saw what it did
    assert ("One move ago." in page.words) == (at == "3")
    assert (board(page) == now) == (at != "3")


@pytest.mark.parametrize("memory_aid", [False, True])
def test_a_round_that_is_over_cannot_be_looked_at_again_unless_the_table_helps_to_remember(site, memory_aid):
    anna, boris, table = two_people(site, "memoarrrr", **({"memory_aid": "on"} if memory_aid else {}))
    spectator, rounds, move = Visitor(site), 1, 0
    while rounds == 1 or "data-after" in spectator.page.html:  # until the first move of the second round
        for guest in (anna, boris):
            guest.go(table)
            if guest.move(random.Random(move)) is not None:
                move += 1
                break
        rounds = int(re.search(r"Round (\d) of 7", spectator.go(table).words)[1])
    past = spectator.go(f"{table}?at={move - 2}")  # before the move that ended the round
    assert ("2 moves ago." in past.words) == memory_aid
    assert ("What has been hidden since cannot be looked at again." in past.words) != memory_aid
    assert ("how-up" in board(past).split("is-new")[0]) or not memory_aid
    round_over = spectator.go(f"{table}?at={move - 1}")
    assert board(round_over).count("how-gone") <= 1, "of the round only what its last move told"


def test_the_locations_of_a_round_stay_for_a_look_and_are_gone_in_what_follows(site):
    anna, boris, table = two_people(site, "memoarrrr")
    guests, move = (anna, boris), 0
    while "data-after" not in (page := Visitor(site).go(table)).html:
        before = len(re.findall("how-up", board(page)))
        for guest in guests:
            guest.go(table)
            if guest.move(random.Random(move)) is not None:
                break
        move += 1
        assert move < 60
    held, after = board(page).split("<template data-after>")
    assert len(re.findall("how-gone", held)) == before + 1 > 1
    assert "how-gone" not in after
    assert not re.search("how-up", after)
    gone, back = (re.findall(r'how-(?:gone|clouds)[^>]*data-key="(place-\w+)"', part) for part in (held, after))
    assert len(gone) == 24
    assert len(back) == before + 1, "each is turned back, and nothing else is drawn anew"
    assert set(back) == set(re.findall(r'how-gone[^>]*data-key="(place-\w+)"', held))


# What may be seen


def shown_only_then(match, viewer, then):
    """What a position shows that the present does not: cards or top dolls."""
    before, now = then.view(viewer), match.view(viewer)
    if match.game.id == "memoarrrr":
        return {card for card in before.island if card} - set(now.island)
    if match.game.id == "matryoshka":
        return before.open_cards - now.open_cards
    covered = {doll.field for doll in before.dolls} & {doll.field for doll in now.dolls}
    return {field for field in covered if before.tops[field] != now.tops[field] and is_under(match, before, field)}


def is_under(match, before, field):
    """Whether the doll that was on top of the field lies there under another one."""
    from samovar.games.babuschka.face import truth

    seat, size = before.tops[field]
    return any(
        stacked.field == field and any((doll.seat, doll.size) == (seat, size) for doll in stacked.dolls)
        for stacked in truth(match.state)
    )


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("game", ["memoarrrr", "matryoshka", "babuschka"])
def test_no_position_shows_what_has_to_be_remembered(game, seed, monkeypatch):
    monkeypatch.setattr(steps, "_first_open", cache(steps._first_open))  # one answer for all that is asked of a moment
    going_on = Match(game, seed=seed, plain=True, **({"expert": True} if game == "memoarrrr" else {}))
    seen = 0
    while not going_on.over and len(going_on.history) < 120:
        going_on.play_random(seed + len(going_on.history), limit=1)
        match = going_on.copy()  # a moment, which does not change
        for viewer in (None, 0):
            for at in range(earliest(match, viewer), len(match.history)):
                past = past_of(match, viewer, at, helps_memory=False)
                if past is not None:
                    seen += 1
                    assert not shown_only_then(match, viewer, past.match), f"{at} of {len(match.history)}"
    assert seen > 10


def test_the_way_back_ends_at_the_own_last_move_or_some_moves_ago():
    match = Match("babuschka", 4, 1, plain=True, first=0)
    assert earliest(match, 0) == 0
    match.play_random(1, limit=7)
    assert [earliest(match, seat) for seat in (0, 1, 2, 3, None)] == [5, 6, 7, 4, 0]
    match.play_random(1, limit=30)
    assert earliest(match, None) == 37 - MOST_STEPS
    assert past_of(match, None, 36 - MOST_STEPS, helps_memory=True) is None
    past = past_of(match, None, 37 - MOST_STEPS, helps_memory=True)
    assert past is not None
    assert past.match.state_bytes == match.at(37 - MOST_STEPS).state_bytes
