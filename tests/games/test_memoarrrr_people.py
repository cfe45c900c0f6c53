"""Memoarrrr!: texts, views, drawings, words, positions laid out by hand, and faults."""

import dataclasses
import json
from string import Formatter
from typing import Any

import numpy as np
import pytest

from samovar.engine.match import Match
from samovar.errors import BadPosition, IllegalMove
from samovar.games.memoarrrr import GAME
from samovar.games.memoarrrr.moves import MOVES
from samovar.language.languages import LANGUAGES


def arranged(**position: Any) -> Match:
    return Match.arranged(GAME, plain=True, **position)


def test_move_texts_are_unique_and_read_back() -> None:
    match = arranged()
    texts = [match.move_text(0, move) for move in range(MOVES)]
    assert len(set(texts)) == MOVES == 104
    assert [match.parse_move(0, f"  {text.upper().replace(' ', '   ')} ") for text in texts] == list(range(MOVES))
    assert (texts[0], texts[24], texts[25], texts[28], texts[29], texts[54], texts[103]) == (
        "a1",
        "e5",
        "north",
        "west",
        "peek a1",
        "block a1",
        "swap e5",
    )


@pytest.mark.parametrize(
    ("spoken", "text"),
    [("nord", "north"), ("O", "west"), ("regarder c4", "peek c4"), ("Échanger c4", "swap c4"), ("reveal c4", "c4")],
)
def test_synonyms_are_understood(spoken: str, text: str) -> None:
    match = arranged()
    assert match.parse_move(0, spoken) == match.parse_move(0, text)


@pytest.mark.parametrize("text", ["", "c9", "peek", "peek north", "c4 c5", "f1"])
def test_nonsense_is_refused_with_what_a_move_looks_like(text: str) -> None:
    with pytest.raises(IllegalMove, match="a move is a place such as c4"):
        arranged().parse_move(0, text)


def test_drawing_fits_80_columns_and_hides_hidden_cards() -> None:
    for seats, options in ((4, {"expert": True, "ordered_stack": True}), (2, {}), (3, {"expert": True})):
        match = Match(GAME, seats, 3, plain=True, **options)
        chooser = np.random.default_rng(0)
        while not match.over:
            match.play(match.actors[0], int(chooser.choice(match.legal(match.actors[0]))))
            for seat in (None, 0):
                for words in GAME.words.values():
                    drawing = GAME.draw(match.view(seat), words)
                    assert max(map(len, drawing.splitlines())) <= 80
            face_up = sum(card is not None for card in match.view(None).island)
            clouds = GAME.draw(match.view(None), GAME.words["en"]).count("~ ~ ~")
            assert face_up + clouds == 24


def test_drawing_shows_last_blocked_looked_at_and_who_is_out() -> None:
    cards = {"a1": "penguin-lava", "b1": "walrus-jungle", "e5": "crab-beach"}
    match = arranged(
        expert=True,
        round=2,
        cards=cards,
        revealed=["a1", "b1"],
        blocked="d4",
        takers=[3],
        volcanoes=[7, 1, 3],
        turn=1,
        looks=[["e5"], [], [], []],
    )
    drawing = GAME.draw(match.view(0), GAME.words["en"])
    for text in (
        "*walrus*",
        "*jungle*",
        " penguin ",
        "blocked",
        "(crab)",
        "(beach)",
        "Out (birds: 7)",
        "> Player 2",
        "Player 1 (you)",
        "2^ 6$",
    ):
        assert text in drawing, text
    assert "(crab)" not in GAME.draw(match.view(1), GAME.words["en"])
    french = GAME.draw(match.view(0), GAME.words["fr"])
    for text in ("*morse*", "manchot", "bloqué", "(crabe)", "Hors jeu (oiseaux\u00a0: 7)", "Manche 2 sur 7"):
        assert text in french, text


def test_news_are_told_in_both_languages() -> None:
    match = arranged(seats=2, cards={"a1": "penguin-lava", "b1": "crab-ocean"}, round=2)
    match.play(0, "a1")
    match.play(1, "b1")
    sentences = {
        language: [event.tell(words, "ABCD".__getitem__) for event in match.news(0)]
        for language, words in GAME.words.items()
    }
    assert sentences["en"][0] == "B reveals crab + ocean at b1: no connection!"
    assert sentences["fr"][0] == "B retourne crabe + océan en b1\u00a0: rien en commun\u00a0!"
    assert sentences["en"][2] == "A wins the round and takes a treasure."


def test_prompts_say_what_is_asked_of_the_viewer() -> None:
    match = arranged(seats=2)
    assert (match.view(0).prompt.kind, match.view(1).prompt.kind, match.view(None).prompt.kind) == (
        "prompt.begin",
        "prompt.wait",
        "prompt.wait",
    )
    assert arranged(round=2).view(0).prompt.kind == "prompt.open"
    assert arranged(round=2, revealed=["a1"]).view(0).prompt.kind == "prompt.reveal"
    assert arranged(sides=[None, None, None, None]).view(0).prompt.kind == "prompt.look"


def test_view_is_plain_data() -> None:
    match = Match(GAME, 4, 1, plain=True, expert=True)
    match.play_random(3, limit=20)
    for seat in (None, 0):
        json.dumps(dataclasses.asdict(match.view(seat)))
        hash(match.view(seat))


def test_nothing_has_happened_after_the_deal() -> None:
    assert Match(GAME, 3, 1, plain=True).news(0) == ()


@pytest.mark.parametrize(
    ("position", "wrong"),
    [
        ({"seats": 5}, "2 or 3 or 4 seats"),
        ({"round": 8}, "from 1 to 7"),
        ({"cards": {"a1": "pinguin-lava"}}, "Did you mean 'penguin-lava'"),
        ({"cards": {"a1": "crab-lava", "a2": "crab-lava"}}, "at two places"),
        ({"cards": {"f1": "crab-lava"}}, "no place 'f1'"),
        ({"sides": ["north", "north"]}, "Two seats looked at the north"),
        ({"seats": 2, "sides": ["north", "east", "west"]}, "3 sides for 2 seats"),
        ({"revealed": ["c3"]}, "No location lies at c3"),
        ({"volcanoes": [7, 7, 1]}, r"\[1, 3, 7\] birds"),
        ({"volcanoes": {"9": [1, 3, 7]}}, "no rounds 9"),
        ({"takers": [0, 1, 2, 3]}, "only 3 are in play"),
        ({"treasures": [4, 4, 4]}, "1, 1, 2, 2, 2, 3, 4"),
        ({"round": 2, "winners": [0, 1]}, "1 winners, not 2"),
        ({"round": 2, "winners": [0]}, "cannot have won it"),
        ({"turn": 4}, "no seat 4"),
        ({"phase": "dance"}, "no phase 'dance'"),
        ({"known": [[]]}, "4 lists, not 1"),
    ],
)
def test_bad_positions_are_refused_and_say_what_is_right(position: dict[str, Any], wrong: str) -> None:
    with pytest.raises(BadPosition, match=wrong):
        GAME.lay_out(**position)


@pytest.mark.parametrize(
    ("position", "fault"),
    [
        ({"turn": 1, "takers": [1]}, "not in the round"),
        ({"blocked": "a1"}, "blocked place"),
        (
            {"expert": True, "round": 2, "revealed": ["a1"], "phase": "swap", "cards": {"a1": "crab-lava"}},
            "phase does not fit",
        ),
        ({"takers": [1, 2, 3]}, "phase does not fit"),
        ({"sides": ["north", None, None, None], "phase": "reveal"}, "sides and seats"),
        ({"known": [[], [], [], []]}, "does not know"),
        ({"phase": "over", "winners": [1] * 7}, "phase does not fit"),
        ({"ordered_stack": True, "treasures": [4, 3, 2, 2, 2, 1, 1]}, "wrong treasures"),
    ],
)
def test_impossible_positions_are_found_by_faults(position: dict[str, Any], fault: str) -> None:
    with pytest.raises(BadPosition, match=fault):
        arranged(**position)


@pytest.mark.parametrize(
    ("field", "index", "value", "fault"),
    [
        ("card", 3, 4, "a card missing or twice"),
        ("volcano", (2, 0), 7, "wrong volcanoes in a round"),
        ("treasure", 0, 4, "wrong treasures"),
        ("shown", None, 0, "a set of places that cannot be"),
        ("up", None, 1 << 12 | 3, "a set of places that cannot be"),
        ("look", 0, 1 << 24, "a look at a card the seat does not know"),
        ("out", None, 4, "volcanoes and seats out of the round disagree"),
        ("taker", (0, 0), 0, "volcanoes and seats out of the round disagree"),
        ("owner", 0, -1, "treasures and winners of rounds disagree"),
        ("starter", None, 1, "treasures and winners of rounds disagree"),
        ("last", None, 20, "the last location is not face up"),
        ("blocked", None, 0, "a blocked place that cannot be"),
        ("turn", None, 3, "the turn of a seat that is not in the round"),
        ("phase", None, 4, "the phase does not fit the table"),
        ("looker", 0, 1, "sides and seats disagree"),
    ],
)
def test_each_fault_is_named(field: str, index: Any, value: int, fault: str) -> None:
    states = GAME.lay_out(
        round=2, revealed=["a1", "b1"], takers=[3], volcanoes={"3": [1, 3, 7]}, treasures=[1, 1, 2, 2, 2, 3, 4]
    )
    assert not any(GAME.faults_in(states))
    if index is None:
        states[field][0] = value
    else:
        states[field][0][index] = value
    assert fault in GAME.faults_in(states)[0]


@pytest.mark.parametrize("language", LANGUAGES)
def test_words_have_the_same_keys_and_blanks_in_every_language(language: str) -> None:
    english, others = GAME.words["en"], GAME.words[language]
    assert english.keys() == others.keys()
    for key, text in english.items():
        assert {name for _, name, _, _ in Formatter().parse(text) if name} == {
            name for _, name, _, _ in Formatter().parse(others[key]) if name
        }, key
