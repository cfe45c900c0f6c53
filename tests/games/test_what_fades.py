"""What is told of earlier moves (C5): a person has to remember what no longer lies open, by the
rules of each game."""

from __future__ import annotations

import pytest

from samovar.engine.contract import Event, event
from samovar.engine.match import Match
from samovar.engine.registry import find_game
from samovar.games.babuschka.face import truth as covered_dolls
from samovar.games.memoarrrr.state import ANIMAL_NAMES, LANDSCAPE_NAMES
from samovar.language.languages import LANGUAGES

MEMOARRRR, BABUSCHKA, MATRYOSHKA = (find_game(name) for name in ("memoarrrr", "babuschka", "matryoshka"))


def earlier(match: Match, viewer: int | None) -> list[tuple[Event, ...]]:
    """What a viewer is still told of all moves but the last."""
    view = match.view(viewer)
    return [match.game.fade(events, view) for events in match.log(viewer)[:-1]]


def sentences(match: Match, events: tuple[Event, ...], language: str = "en") -> str:
    return " ".join(one.tell(match.game.words[language], lambda seat: f"P{seat}") for one in events)


def play_on(match: Match, seed: int) -> None:
    match.play_random(seed + len(match.history), limit=1)


def to_round(match: Match, number: int, seed: int = 0) -> int:
    """Plays until this round begins; says how many moves were made."""
    while match.view(None).round < number:
        play_on(match, seed)
    return len(match.history)


# Memoarrrr!


@pytest.mark.rules("8.1")
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("expert", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_of_earlier_rounds_places_are_told_and_neither_animals_nor_landscapes(
    expert: bool, seed: int, language: str
) -> None:
    match = Match(MEMOARRRR, 3, seed, plain=True, expert=expert, first_reveal_ability=expert)
    words = match.game.words[language]
    names = [words[name] for name in (*ANIMAL_NAMES, *LANDSCAPE_NAMES)]
    for number in range(2, 8):
        made = to_round(match, number, seed)
        play_on(match, seed)
        for viewer in (None, 0, 1, 2):
            told, seen = earlier(match, viewer)[:made], match.log(viewer)[:made]
            texts = [sentences(match, events, language) for events in told]
            assert not [text for text in texts if any(name in text for name in names)]
            for before, now in zip(seen, told, strict=True):
                places = [dict(one.facts).get("place") for one in before if one.kind in ("opens", "connects", "fails")]
                assert places == [dict(one.facts).get("place") for one in now if one.kind == "turned"]


@pytest.mark.rules("8.1")
def test_what_was_turned_up_in_this_round_is_told_in_full() -> None:
    match = Match(MEMOARRRR, 4, 2, plain=True, expert=True)
    compared = 0
    for number in range(1, 7):
        made = to_round(match, number)
        while True:
            play_on(match, 0)
            if match.view(None).round != number:
                break
            told = earlier(match, None)[made:]
            assert told == match.log(None)[made:-1]
            compared += len(told)
    assert compared > 10


@pytest.mark.rules("3.2", "8.1")
def test_what_was_looked_at_is_told_until_somebody_moves() -> None:
    match = Match(MEMOARRRR, 2, 1, plain=True, first=0)
    match.play(0, "north")
    looked, *seen = match.view(0).news
    assert [one.kind for one in seen] == ["sees"] * 3
    match.play(1, "south")
    assert earlier(match, 0) == [(looked,)] == earlier(match, 1)


@pytest.mark.rules("7.3", "7.5", "8.1")
def test_abilities_of_an_earlier_round_are_not_told_for_each_is_of_one_animal() -> None:
    fade = MEMOARRRR.fade
    view = Match(MEMOARRRR, 2, 1, plain=True).view(0)
    assert view.round == 1
    abilities = [{"kind": "swaps", "place": "a1", "other": "a2"}, {"kind": "peeks", "place": "a1"}]
    abilities += [{"kind": "blocks", "place": "a1"}, {"kind": "extra_turn"}]
    for facts in abilities:
        assert fade((event(seat=1, round=2, **facts),), view) == ()
        assert fade((event(seat=1, round=1, **facts),), view), "the animal still lies there"


# Babuschka


COVERING = {"d3": "0M", "c4": "1S", "d4": "1M", "e4": "0L", "g4": "1L", "f6": "0S"}


def covering() -> Match:
    """A small doll has moved, and a medium one has covered it."""
    match = Match.arranged(BABUSCHKA, plain=True, dolls=COVERING, rest="home", turn=1)
    for seat, move in enumerate(("c4-c3", "d3-c3"), 1):
        match.play(seat % 2, move)
    return match


@pytest.mark.rules("7.1", "7.2")
def test_what_is_under_a_doll_is_told_when_it_is_covered_and_not_again() -> None:
    match = covering()
    assert [one.kind for one in match.news(None)] == ["moves", "covers"]
    assert earlier(match, None) == [(event("moved", seat=1),)]
    match.play(1, "d4-d3")
    assert [sentences(match, events) for events in earlier(match, None)] == [
        "P1 moves a doll.",
        "P0 moves a medium doll from d3 to c3.",
    ]


def test_a_doll_that_comes_to_light_is_told_of_again() -> None:
    match = covering()
    match.play(1, "d4-d3")
    match.play(0, "c3-b4")
    first, *_ = earlier(match, None)
    assert sentences(match, first) == "P1 moves a small doll from c4 to c3."


@pytest.mark.parametrize("seats", [2, 4])
def test_no_doll_that_is_covered_now_is_named_where_it_is(seats: int) -> None:
    match = Match(BABUSCHKA, seats, 3, plain=True)
    faded = 0
    for _ in range(120):
        play_on(match, 7)
        hidden = {(under.field, doll.seat, doll.size) for under in covered_dolls(match.state) for doll in under.dolls}
        told = [dict(one.facts) | {"kind": one.kind} for events in earlier(match, None) for one in events]
        for facts in told:
            assert (facts.get("end"), facts.get("seat"), facts.get("size")) not in hidden
            assert (facts.get("end"), facts.get("other_seat"), facts.get("other_size")) not in hidden
            assert (facts.get("start"), facts.get("other_seat"), facts.get("other_size")) not in hidden
        faded += sum(facts["kind"] == "moved" for facts in told)
    assert faded > 100


# Matryoshka


@pytest.mark.parametrize("seats", [3, 5])
def test_no_card_is_named_that_the_viewer_does_not_see(seats: int) -> None:
    match = Match(MATRYOSHKA, seats, 4, plain=True)
    faded = set()
    while not match.over:
        play_on(match, 9)
        for viewer in (None, 0, seats - 1):
            view = match.view(viewer)
            seen = {*view.hand, *(card for seat in view.seats for card in (*seat.display, seat.offer)), view.put_up}
            told = [one for events in earlier(match, viewer) for one in events]
            named = [fact for one in told for name, fact in one.facts if name in ("card", "cards")]
            assert {card for cards in named for card in str(cards).split()} <= seen
            faded |= {one.kind for one in told}
    assert {"shown", "drawn", "put_up", "traded"} <= faded


def test_a_card_that_went_into_another_hand_is_not_named_but_those_who_traded_are() -> None:
    match = Match(MATRYOSHKA, 3, 4, plain=True)
    while match.view(None).phase != "put":
        play_on(match, 9)
    active = match.actors[0]
    card = match.view(active).hand[0]
    match.play(active, f"put {card}")
    while match.view(None).phase == "offer":
        play_on(match, 9)
        assert event("puts_up", seat=active, card=card) in [one for told in earlier(match, None) for one in told]
    other = (active + 1) % 3
    match.play(active, f"take {other}")
    play_on(match, 9)
    told = [one for events in earlier(match, None) for one in events]
    assert event("put_up", seat=active) in told
    assert event("traded", seat=active, other_seat=other) in told
    mine = [one for events in earlier(match, other) for one in events]
    assert event("puts_up", seat=active, card=card) in mine, "it is in their own hand"


# The others


@pytest.mark.parametrize("name", ["varvitikud", "connect_four"])
def test_where_all_that_was_told_lies_open_nothing_fades(name: str) -> None:
    match = Match(name, seed=2, plain=True)
    match.play_random(2, limit=12)
    assert earlier(match, 0) == match.log(0)[:-1]
