"""What is told of an end, from the score sheet: what decided it, and what went well."""

import pytest

from samovar.client.guest import end_text
from samovar.engine.match import Match
from samovar.engine.registry import find_game
from samovar.engine.words import counted
from samovar.web.drawing.end_words import Ending, ScorePart, decided, ending_of, went_well
from samovar.web.drawing.scene import make_scene
from samovar.web.names import Person

NAMES = ("Anna", "Boris", "Chloe")
PARTS = [ScorePart("Rows", (10, 4, 8)), ScorePart("Columns", (2, 3, 1))]

OUTDONE = [PARTS[0], ScorePart("Columns", (4, 3, 1))]


def ending(places=(1, 3, 2), scores=(12, 7, 9), parts=PARTS, game="matryoshka", language="en"):
    return Ending(find_game(game), language, NAMES[: len(places)], places, scores, parts)


@pytest.mark.parametrize(
    ("facts", "sentence"),
    [
        ({}, "12 points to 9 decided it, above all “Rows”: 10 to 8."),
        ({"parts": ()}, "12 points to 9 decided it."),
        ({"places": (1, 1, 3)}, "Level to the end: nobody was better."),
        ({"scores": (9, 7, 9)}, "Level at 9 points: only the tie-break decided it."),
        ({"scores": (8, 7, 9)}, ""),
        ({"places": (1,), "scores": (5,), "parts": ()}, ""),
        ({"parts": (), "game": "babuschka"}, "12 dolls home to 9 decided it."),
    ],
)
def test_one_sentence_says_what_decided_it(facts, sentence):
    assert decided(ending(**facts)) == sentence


@pytest.mark.parametrize(
    ("seat", "facts", "sentence"),
    [
        (0, {}, ""),
        (1, {}, "What went well: nobody had more in “Columns” than you (3)."),
        (2, {}, "What went well: you finished ahead of Boris."),
        (1, {"parts": PARTS[:1]}, "What went well: 7 points."),
        (1, {"parts": OUTDONE}, "What went well: “Rows” was your strong side (4)."),
        (1, {"parts": (), "scores": (12, 0, 9)}, "What went well: you stayed in it to the end."),
    ],
)
def test_whoever_has_lost_reads_what_went_well(seat, facts, sentence):
    assert went_well(ending(**facts), seat) == sentence


@pytest.mark.parametrize("seat", [1, 2])
@pytest.mark.parametrize("language", ["de", "et", "fr"])
def test_all_languages_tell_it(language, seat):
    told = ending(language=language)
    assert not went_well(told, seat).startswith("What")
    assert "decided" not in decided(told)


def test_a_game_says_what_it_counts():
    assert counted(find_game("babuschka"), "en", 1) == "1 doll home"
    assert counted(find_game("memoarrrr"), "de", 2) == "2 Rubine"
    assert counted(find_game("varvitikud"), "en", 1) == "1 point"


@pytest.mark.parametrize(
    ("game", "whole"), [("matryoshka", True), ("varvitikud", True), ("memoarrrr", False), ("babuschka", False)]
)
def test_the_parts_of_a_score_are_those_of_the_sheet(game, whole):
    """What a game names adds up to its scores, or is something else that lies on the table."""
    match = Match(game, seed=3, plain=True)
    match.play_random(3)
    people = [Person(name, "person", "") for name in (*NAMES, "Dmitri")[: match.seats]]
    told = ending_of(make_scene(match, None, "en", people))
    assert all(len(part.counts) == match.seats for part in told.parts)
    if whole:
        assert tuple(map(sum, zip(*(part.counts for part in told.parts), strict=True))) == match.scores


@pytest.mark.parametrize(
    ("game", "text"),
    [
        ("babuschka", "place 1 with 12 dolls home"),
        ("varvitikud", "place 1 with 12 points"),
        ("not_installed", "place 1 with 12 points"),
    ],
)
def test_whoever_runs_a_program_reads_what_its_game_counts(game, text):
    assert end_text({"game": game, "success": None, "scores": [3, 12], "places": [2, 1]}, 1) == text
