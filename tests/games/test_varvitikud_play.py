"""Whole matches of Värvitikud: against the slow oracle, plain against compiled; texts, drawings,
positions by hand."""

from __future__ import annotations

import random
import string
from typing import Any

import numpy as np
import pytest

from samovar.engine.match import Match
from samovar.engine.ways.backend import backend
from samovar.errors import BadPosition, IllegalMove
from samovar.games.varvitikud import GAME
from samovar.games.varvitikud.deck import COLOUR_NAMES
from samovar.games.varvitikud.moves import STOP, SWAPS
from samovar.language.languages import LANGUAGES
from support.oracle_varvitikud import colours_of, field_of, line_of, meeting, placements, score, swaps

OPTIONS = [(seats, half_turn) for seats in (2, 3, 4) for half_turn in (False, True)]


@pytest.mark.rules("4.1", "4.2", "4.3", "5.1", "6.1", "6.2", "9.1", "9.2")
@pytest.mark.parametrize(("seats", "half_turn"), OPTIONS)
@pytest.mark.slow
def test_random_matches_agree_with_the_oracle(seats: int, half_turn: bool) -> None:
    for seed in range(5):
        match = Match(GAME, seats, 100 * seats + seed, plain=True, half_turn=half_turn)
        choose = random.Random(seed)
        while not match.over:
            seat = match.actors[0]
            before = match.view(seat)
            moves = match.moves(seat)
            legal = match.legal(seat)
            assert legal == sorted(set(legal))
            if before.phase == "swap":
                assert set(moves) == swaps(before.sticks, seat)
            else:
                assert set(moves) == placements(field_of(before), [card.card for card in before.hand], half_turn)
                assert len(moves) == len(set(moves))
            move = choose.choice(moves)
            match.play(seat, move)
            check_outcome(match, seat, move, before)


def check_outcome(match: Match, seat: int, move: str, before: Any) -> None:
    """Sticks, swaps and who is next, worked out a second time."""
    after = match.view(None)
    assert match.scores == tuple(score(held) for held in after.sticks) == after.scores
    assert match.places == tuple(1 + sum(other > own for other in match.scores) for own in match.scores)
    if before.phase != "place":
        return
    card, place = move.split("@")
    x, y = map(int, place.split(","))
    around = meeting(field_of(before), x, y)
    own = colours_of(int(card.rstrip("'")), card.endswith("'"))
    reserve = list(before.reserve)
    missing = False
    for side in around:
        colour = COLOUR_NAMES.index(own[side])
        missing |= reserve[colour] == 0
        reserve[colour] -= reserve[colour] > 0
    assert after.reserve == tuple(reserve)
    assert (after.ending == "missing_stick") == missing
    possible = len(around) > 1 and len(swaps(after.sticks, seat)) > 1
    assert (after.phase == "swap") == possible
    assert after.swaps_left == (len(around) - 1 if possible else 0)
    if after.phase == "place":
        skipped = [dict(event.facts)["seat"] for event in after.news if event.kind == "skips"]
        assert skipped == [(seat + 1 + k) % after.seats for k in range(len(skipped))]
        assert after.turn == (seat + 1 + len(skipped)) % after.seats
        for other in skipped:
            assert not placements(field_of(after), [held.card for held in match.view(other).hand], after.half_turn)


@pytest.mark.rules("9.1", "9.2")
def test_scores_agree_with_the_oracle_for_any_sticks() -> None:
    choose = random.Random(3)
    for _ in range(60):
        mine = [choose.randint(0, 8) for _ in range(6)]
        theirs = [choose.randint(0, 8 - count) for count in mine]
        match = Match.arranged(
            GAME, plain=True, field=[[0, 0, 0]], hands=[[9, 2, 3, 4], [1, 5, 6, 7]], sticks=[mine, theirs]
        )
        assert match.scores == (score(tuple(mine)), score(tuple(theirs)))


@pytest.mark.parametrize(("seats", "half_turn"), OPTIONS)
def test_plain_and_compiled_give_the_same_bytes(seats: int, half_turn: bool) -> None:
    results = []
    for plain in (True, False):
        ready = backend(GAME, plain)
        states = np.zeros(6, GAME.state)
        seeds = np.arange(6, dtype=np.int64) + 50
        played = np.zeros(6, np.int64)
        ready.deal(states, GAME.setup(seats, GAME.check_options(seats, {"half_turn": half_turn})), seeds)
        snapshots = [states.tobytes()]
        for count in (1, 9, 13, 60):
            ready.play_random(states, seeds, played, count)
            snapshots.append(states.tobytes())
            worlds = states.copy()
            ready.determinize(worlds, seats - 1, seeds)
            snapshots.append(worlds.tobytes())
            seen = np.zeros((6, GAME.observation_size), np.int8)
            ready.observe(states, 1, seen)
            snapshots.append(seen.tobytes())
            assert not any(GAME.faults_in(worlds))
        results.append(snapshots)
    assert results[0] == results[1]


def test_state_has_no_padding_and_is_small() -> None:
    assert GAME.state.itemsize == sum(GAME.state[name].itemsize for name in GAME.state.names or ())
    assert GAME.state.itemsize <= 1536


# Moves as numbers and texts


def test_move_numbers_are_pinned() -> None:
    match = Match.arranged(
        GAME,
        plain=True,
        field=[[0, 0, 0], [9, 0, 1], [23, 1, 1]],
        hands=[[34, 2, 3, 46], [6, 7, 10, 12]],
        sticks=[{}, {"green": 1}],
    )
    # (1, 0) is east of card 0 and south of card 23: the lowest number names it.
    assert match.parse_move(0, "34@1,0") == (34 * 54 + 0) * 4 + 1
    assert match.legal(0)[match.moves(0).index("34@1,0")] == (34 * 54 + 0) * 4 + 1
    match.play(0, "34@1,0")
    assert match.legal(0) == [SWAPS + (0 * 4 + 1) * 6 + 3, SWAPS + (4 * 4 + 1) * 6 + 3, STOP]
    assert (SWAPS, STOP, GAME.moves) == (23328, 23472, 23473)


def test_half_turned_moves_have_numbers_of_their_own() -> None:
    match = Match.arranged(GAME, plain=True, half_turn=True, field=[[0, 0, 0]], hands=[[6, 2, 3, 9], [4, 7, 10, 13]])
    assert match.parse_move(0, "6'@0,1") == 11664 + 6 * 216 + 0 == match.parse_move(0, " 6/ @ 0 , 1 ")


@pytest.mark.parametrize(("seats", "half_turn"), OPTIONS)
def test_texts_round_trip(seats: int, half_turn: bool) -> None:
    match = Match(GAME, seats, 77, plain=True, half_turn=half_turn)
    step = 0
    while not match.over:
        seat = match.actors[0]
        for number, text in zip(match.legal(seat), match.moves(seat), strict=True):
            assert match.parse_move(seat, text) == number
            assert match.parse_move(seat, f" {text.upper()} ") == number
        match.play_random(step, 1)
        step += 1


def test_swaps_may_be_typed_in_every_language_and_in_letters() -> None:
    match = Match(GAME, 2, 1, plain=True)
    seat = match.actors[0]
    texts = ["yellow>1:green", "jaune>1:vert", "Gelb > 1 : Grün", "kollane>1:roheline", "y>1:g", "J > 1 : V", "e>1:g"]
    assert len({match.parse_move(seat, text) for text in texts}) == 1


def test_no_letter_and_no_name_means_two_colours() -> None:
    meant: dict[str, set[str]] = {}
    for words in GAME.words.values():
        for colour in COLOUR_NAMES:
            for key in (colour, f"letter.{colour}"):
                meant.setdefault(words[key].lower(), set()).add(colour)
    assert all(len(colours) == 1 for colours in meant.values()), meant


@pytest.mark.parametrize(
    "text", ["", "17", "54@0,1", "x@0,1", "red>1", "red>4:blue", "pink>1:blue", "stop it", "17@100,0", "17@0,99"]
)
def test_what_is_no_move_is_refused(text: str) -> None:
    match = Match(GAME, 2, 1, plain=True)
    before = match.state_bytes
    with pytest.raises(IllegalMove, match="is not a move of Värvitikud"):
        match.play(match.actors[0], text)
    assert match.state_bytes == before


# For people


@pytest.mark.parametrize("language", LANGUAGES)
def test_words_have_the_same_keys_and_facts_in_every_language(language: str) -> None:
    def facts(sentence: str) -> set[str]:
        return {name for _, name, _, _ in string.Formatter().parse(sentence) if name}

    english, others = GAME.words["en"], GAME.words[language]
    assert english.keys() == others.keys()
    for key in english:
        assert facts(english[key]) == facts(others[key]), key


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("seats", "half_turn"), OPTIONS)
def test_drawing_fits_and_news_can_be_told(seats: int, half_turn: bool, language: str) -> None:
    words = GAME.words[language]
    match = Match(GAME, seats, 9, plain=True, half_turn=half_turn)
    while True:
        for viewer in (None, *range(seats)):
            view = match.view(viewer)
            drawn = GAME.draw(view, words)
            assert all(len(line) <= 80 for line in drawn.split("\n"))
            assert all(event.tell(words, lambda seat: f"S{seat}") for event in view.news)
            for card in view.field:
                assert f"{card.card:2}" in drawn
        if match.over:
            break
        match.play_random(1, 5)


def test_drawing_shows_edges_around_the_number() -> None:
    match = Match.arranged(GAME, plain=True, field=[[0, 0, 0], [14, 1, 0]], hands=[[9, 2, 3, 4], [1, 5, 6, 7]])
    lines = GAME.draw(match.view(0), GAME.words["en"]).split("\n")
    middle = next(line for line in lines if " 0 " in line[:4] and "R 0R" in line)
    assert "R 0R R14Y" in middle
    assert any("R 9R" in line for line in lines)  # the own hand
    assert "R 9R" not in GAME.draw(match.view(None), GAME.words["en"])


def test_wide_field_is_drawn_in_bands() -> None:
    row = line_of(30)
    left = [card for card in range(54) if card not in row]
    field = [[card, x - 5, 0] for x, card in enumerate(row)]
    match = Match.arranged(GAME, plain=True, field=field, hands=[left[:4], left[4:8]])
    drawn = GAME.draw(match.view(None), GAME.words["en"])
    assert all(len(line) <= 80 for line in drawn.split("\n"))
    assert "-5" in drawn
    assert " 24" in drawn


# Positions by hand


GOOD: dict[str, Any] = {"field": [[0, 0, 0]], "hands": [[9, 2, 3, 4], [1, 5, 6, 7]]}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"seats": 5}, "2 to 4 seats"),
        ({"turn": 2}, "turn of seat 0 to 1"),
        ({"deck": [1, 2]}, "either a deck"),
        ({"field": [[0, 1, 0]]}, "No card lies at 0,0"),
        ({"field": [[0, 0, 0], [10, 3, 0]]}, "not in one piece"),
        ({"field": [[0, 0, 0], [10, 1, 0]]}, "touch with red and orange"),
        ({"field": [[0, 0, 0], [10, 0, 0]]}, "Two cards lie at 0,0"),
        ({"field": [[0, 0]]}, "A lying card is"),
        ({"hands": [[9, 2, 3, 4]]}, "There are 2 hands"),
        ({"hands": [[9, 2, 3, 4], [1, 5, 6]]}, "every hand has 4"),
        ({"hands": [[9, 2, 3, 4], [1, 5, 6, 60]]}, "numbered 0 to 53"),
        ({"hands": [[9, 2, 3, 4], [1, 5, 6, 9]]}, "card 9 is there 2 times"),
        ({"pile": [10, 11]}, "card 8 is there 0 times"),
        ({"sticks": [{"pink": 1}]}, "'pink' is no colour"),
        ({"sticks": [[1, 2]]}, "Sticks are 6 numbers"),
        ({"sticks": [{"red": 5}, {"red": 4}]}, "There are 8 red sticks"),
        ({"skipped": {"7": [1]}}, "'7' is no seat"),
        ({"moves": ["9@0,5"]}, "is not a move"),
        ({"moves": ["2@0,1"]}, "may not play '2@0,1'"),
    ],
)
def test_bad_positions_are_refused_with_a_reason(change: dict[str, Any], words: str) -> None:
    with pytest.raises(BadPosition, match=words):
        GAME.lay_out(**{**GOOD, **change})


def test_arranged_skip_must_agree_with_the_hand() -> None:
    Match.arranged(GAME, plain=True, **GOOD, skipped={"1": [8, 10]})
    with pytest.raises(BadPosition, match="a card that fitted when it had to skip"):
        Match.arranged(GAME, plain=True, **GOOD, skipped={"1": [5]})


def test_arranged_deck_is_dealt_in_order() -> None:
    match = Match.arranged(GAME, plain=True, seats=3, turn=2, deck=[9, 12, 14, 1, 2, 3, 4, 5, 6, 0, 40])
    assert [[card.card for card in match.view(seat).hand] for seat in range(3)] == [[9, 12, 14], [1, 2, 3], [4, 5, 6]]
    assert [card.card for card in match.view(None).field] == [0]
    seat = match.actors[0]
    match.play(seat, match.legal(seat)[0])
    assert 40 in [card.card for card in match.view(seat).hand]
