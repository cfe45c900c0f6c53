"""What a person reads who plays in a terminal: colours, choices, answers to what cannot be played."""

import io
import os
from itertools import chain, count
from unittest.mock import patch

import pytest
from rich.console import Console

import samovar
from samovar.cli.terminal import TerminalMatch, drawing
from samovar.engine.words import words_in
from samovar.language.languages import LANGUAGES


def played(tmp_path, match, typed, language="en", **terminal):
    """The screen of somebody who types this and leaves."""
    screen = io.StringIO()
    console = Console(file=screen, width=200, highlight=False, **terminal)
    answers = chain(typed, ["q"])
    TerminalMatch(match, 0, language, tmp_path / "match.json", console, lambda prompt: next(answers), "random").play()
    return screen.getvalue()


@pytest.mark.parametrize("game_id", ["varvitikud", "matryoshka", "babuschka"])
def test_a_game_of_colours_has_them_in_a_terminal_and_without_them_says_the_same(tmp_path, game_id):
    terminal = {"force_terminal": True, "color_system": "truecolor", "legacy_windows": False}
    match = samovar.Match(game_id, seed=3, plain=True)
    with patch.dict(os.environ, {"NO_COLOR": ""}):
        assert "38;2;" in played(tmp_path, match, [], **terminal)
    with patch.dict(os.environ, {"NO_COLOR": "1"}):
        assert "38;2;" not in played(tmp_path, match, [], **terminal)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_letter_of_a_colour_is_painted_and_no_letter_of_a_word(language):
    match = samovar.Match("varvitikud", seed=3, plain=True)
    words = words_in(match.game, language)
    painted = drawing(match.game, match.view(0), words)
    field = painted.plain.index("\n")  # the first line explains some of the letters
    letters = [painted.plain[span.start : span.end] for span in painted.spans if span.start > field]
    edges = [colour for card in (*match.view(0).field, *match.view(0).hand) for colour in card.edges]
    assert sorted(letters) == sorted(words[f"letter.{colour}"] for colour in (*edges, *match.view(0).colours))


def test_a_question_names_the_cards_to_choose_and_a_wrong_number_of_them_is_answered(tmp_path):
    match = samovar.Match("matryoshka", seed=3, plain=True)
    hand = match.view(0).hand
    shown = played(tmp_path, match, ["?", f"show {' '.join(hand[:5])}", f"show {hand[0]}", f"keep {hand[0]}"])
    assert f"Choose 2 of these: {' '.join(hand)}\n" in shown
    assert "show " + " ".join(hand[:2]) not in shown, "no list of all displays"
    for named in (5, 1, len(hand) - 1):
        assert f"Choose 2, you named {named}." in shown


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game_id", samovar.game_ids())
def test_what_cannot_be_played_is_answered_without_numbers_of_moves_and_seats(tmp_path, game_id, language):
    match = samovar.Match(game_id, seed=3, plain=True)
    later = match.copy()
    later.play_random(3)
    texts = {text for seat, text in later.told_history()} - set(match.moves(0))
    shown = played(tmp_path, match, ["nonsense", *sorted(texts)[:3]], language)
    answers = [line for line in shown.splitlines() if "nonsense" in line or any(text in line for text in texts)]
    assert "nonsense" in shown
    assert not any(word in line.lower() for line in answers for word in ("(move ", "seat 0", "legal now"))


def test_who_looks_at_a_side_is_told_which_are_free(tmp_path):
    match = samovar.Match("memoarrrr", seed=3, plain=True, first=1)
    match.play(1, "east")
    assert "free: north, –, south, west." in played(tmp_path, match, [])


def test_players_are_named_as_people_count_them():
    match = samovar.Match("matryoshka", seats=4, seed=3, plain=True)
    parse = match.game.parse_move
    assert parse(match.state, 0, "take p3") == parse(match.state, 0, "take 2")
    assert parse(match.state, 0, "take P1") == parse(match.state, 0, "take 0")
    match = samovar.Match("varvitikud", seats=4, seed=3, plain=True)
    parse = match.game.parse_move
    assert parse(match.state, 0, "red>p3:blue") == parse(match.state, 0, "red>2:blue")
    for text in ("red>p0:blue", "red>p5:blue"):
        with pytest.raises(ValueError, match="a swap as in"):
            parse(match.state, 0, text)


def test_the_end_offers_to_look_again_and_to_look_closer(tmp_path):
    match = samovar.Match("babuschka", seed=3, plain=True, patience=1)
    shown = played(tmp_path, match, (match.moves(0)[-1] for _ in count()))
    for command in ("replay", "review"):
        assert f"samovar {command} {tmp_path / 'match.json'}" in shown
