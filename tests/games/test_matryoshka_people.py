"""Matryoshka for people: texts of moves, views, news, drawings, words."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from string import Formatter
from typing import Any

import pytest

from samovar.engine.contract import Event
from samovar.engine.match import Match
from samovar.errors import IllegalMove
from samovar.games.matryoshka import GAME
from samovar.games.matryoshka.view import faded
from samovar.language.languages import LANGUAGES

SEATS = (3, 4, 5)


def start(**options: Any) -> Match:
    return Match.arranged(GAME, plain=True, seats=3, draws=["A1 A2 A3 A4 B5 B6", "C1 C2 C3 C4 C5 C6"], **options)


@pytest.mark.parametrize("seats", SEATS)
def test_every_legal_move_has_a_text_that_is_read_back(seats: int) -> None:
    match = Match(GAME, seats, seats, plain=True)
    while not match.over:
        seat = match.actors[-1]
        moves = match.legal(seat)
        texts = match.moves(seat)
        assert len(set(texts)) == len(moves)
        assert [match.parse_move(seat, text) for text in texts[:40]] == moves[:40]
        match.play(seat, moves[len(moves) // 2])


@pytest.mark.parametrize(
    "text", ["show A1 B5", "show B5 A1", "  SHOW  b5   a1 ", "a1, b5", "keep A2 A3 A4 B6", "montrer A1 B5"]
)
def test_display_can_be_typed_in_many_ways(text: str) -> None:
    match = start()
    assert match.move_text(0, match.parse_move(0, text)) == "show A1 B5"


def test_bare_cards_and_seats_mean_what_is_asked() -> None:
    match = start(moves=[[0, "A1 A2"], [1, "C1 C2"]])
    match.play(2, match.legal(2)[0])
    assert match.move_text(0, match.parse_move(0, "b5")) == "put B5"
    match.play(0, "b5")
    assert match.move_text(1, match.parse_move(1, "C3")) == "offer C3"
    match.play(1, "c3")
    match.play(2, match.legal(2)[0])
    assert match.move_text(0, match.parse_move(0, "1")) == "take 1"


@pytest.mark.parametrize(
    "text",
    ["", "show", "show Z1 A1", "show A1 C1", "show A1 A1", "A1", "put", "put A1 A2", "take 7", "take A1", "hello"],
)
def test_nonsense_is_refused_with_a_reason(text: str) -> None:
    match = start()
    with pytest.raises(IllegalMove):
        match.play(0, text)
    assert match.history == []


def test_view_shows_a_seat_its_own_hand_and_a_spectator_none() -> None:
    match = start()
    assert match.view(0).hand == ("A1", "A2", "A3", "A4", "B5", "B6")
    assert match.view(None).hand == ()
    assert match.view(0).prompt.kind == "prompt.display"
    match.play(0, "A1 A2")
    assert match.view(0).prompt.kind == "prompt.wait"
    assert match.view(0).chosen == ("A1", "A2")
    assert match.view(None).prompt.kind == "prompt.wait"
    assert match.view(1).waiting == (1, 2)


@pytest.mark.parametrize("seats", SEATS)
def test_no_view_names_a_hidden_card(seats: int) -> None:
    match = Match(GAME, seats, 6, plain=True)
    turn = 0
    while not match.over:
        for viewer in range(seats):
            view = match.view(viewer)
            text = json.dumps(asdict(view)) + GAME.draw(view, GAME.words["en"]).split("Type:")[0]
            visible = {card for seat in view.seats for card in (*seat.display, seat.offer)} | set(view.hand)
            facts = " ".join(str(fact) for event in view.news for _, fact in event.facts)
            for other in range(seats):
                if other != viewer:
                    for card in match.view(other).hand:
                        if card not in visible and card not in facts:
                            assert card not in text
        turn += 1
        match.play_random(turn, 4)


@pytest.mark.parametrize("seats", SEATS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_drawing_fits_and_news_can_be_told(seats: int, language: str) -> None:
    match = Match(GAME, seats, 2, plain=True, long_columns="cap", growth=seats - 2)
    kinds = set()
    while True:
        for viewer in (0, None):
            view = match.view(viewer)
            lines = GAME.draw(view, GAME.words[language]).splitlines()
            assert max(map(len, lines[:-1])) <= 80
            assert not any("{" in line for line in lines)
            for event in view.news:
                kinds.add(event.kind)
                assert "{" not in event.tell(GAME.words[language], lambda seat: f"seat {seat}")
        if match.over:
            break
        seat = match.actors[0]
        match.play(seat, match.legal(seat)[0])
    assert kinds >= {
        "chooses",
        "shows",
        "round_begins",
        "draws",
        "puts_up",
        "offers",
        "all_offered",
        "trades",
        "gets",
        "displays_next",
        "over",
    }


def test_drawing_shows_displays_hand_and_offers() -> None:
    match = start(moves=[[0, "A1 A2"], [1, "C1 C2"]])
    match.play(2, match.legal(2)[0])
    match.play(0, "put B5")
    match.play(1, "offer C3")
    drawn = GAME.draw(match.view(1), GAME.words["en"])
    assert "A 12·····" in drawn
    assert "Player 1 puts up B5." in drawn
    assert "Player 2 offers C3." in drawn
    assert "C3." not in GAME.draw(match.view(2), GAME.words["en"])
    assert "Player 2 has made an offer, face down." in GAME.draw(match.view(2), GAME.words["en"])


def test_news_of_a_new_round_shows_each_seat_its_own_cards() -> None:
    match = Match(GAME, 3, 5, plain=True)
    before = [set(match.view(seat).hand) for seat in range(3)]
    for seat in range(3):
        match.play(seat, match.legal(seat)[0])
    for seat in range(3):
        news = match.news(seat)
        assert [event.kind for event in news] == ["shows"] * 3 + ["round_begins", "draws"]
        assert set(dict(news[-1].facts)["cards"].split()) == set(match.view(seat).hand) - before[seat]
    assert [event.kind for event in match.news(None)] == ["shows"] * 3 + ["round_begins"]


def test_what_a_display_was_worth_fades_with_its_cards() -> None:
    match = Match(GAME, 3, 5, plain=True)
    for seat in range(3):
        match.play(seat, match.legal(seat)[0])
    shows = match.news(0)[1]
    assert dict(shows.facts)["points"] == match.view(0).seats[1].points
    assert faded(shows, match.view(0)) == shows
    bare = tuple(replace(seat, display=()) for seat in match.view(0).seats)
    assert faded(shows, replace(match.view(0), seats=bare)) == Event("shown", (("seat", 1), ("count", 2)))


@pytest.mark.parametrize("language", LANGUAGES)
def test_words_say_the_same_things_in_every_language(language: str) -> None:
    def places(text: str) -> list[str]:
        return sorted(name for _, name, _, _ in Formatter().parse(text) if name)

    assert GAME.words["en"].keys() == GAME.words[language].keys()
    for key, text in GAME.words["en"].items():
        assert places(text) == places(GAME.words[language][key]), key
