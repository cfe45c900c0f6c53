"""Babuschka towards people and programs: texts, drawings, news, observations, positions by hand,
invariants, pages."""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path
from string import Formatter
from typing import Any

import numpy as np
import pytest

from samovar import Match, replay
from samovar.engine.ways.plain import plain_state
from samovar.errors import BadPosition, IllegalMove
from samovar.games.babuschka import GAME
from samovar.games.babuschka.board import FIELDS, square_of
from samovar.language.languages import LANGUAGES
from support.rulings import numbers_of

EXAMPLE: dict[str, Any] = {"dolls": {"d4": "0S 1M 0L", "f5": "0M", "g5": "1L"}, "turn": 0}


# Moves


def test_move_texts_round_trip_and_name_both_ends() -> None:
    match = Match(GAME, 2, 1, plain=True, first=0)
    assert match.legal(0)[0] == 64 * square_of("c1") + square_of("b2")
    for _ in range(30):
        seat = match.actors[0]
        for move, text in zip(match.legal(seat), match.moves(seat), strict=True):
            assert GAME.parse_move(match.state, seat, text) == move
        match.play(seat, match.legal(seat)[-1])


@pytest.mark.parametrize("text", ["c1-c2", "C1-C2", " c1 - c2 ", "c1c2", "c1 c2", "c1->c2", "c1>c2", "c1–c2"])
def test_moves_are_understood_in_several_spellings(text: str) -> None:
    match = Match(GAME, 2, 1, plain=True, first=0)
    assert match.parse_move(0, text) == 64 * 2 + 10


@pytest.mark.parametrize("text", ["", "c1", "c1-c9", "i1-c2", "c1-c2-c3", "pass", "a1-c2"])
def test_other_texts_are_no_moves(text: str) -> None:
    match = Match(GAME, 2, 1, plain=True, first=0)
    with pytest.raises(IllegalMove, match="not a move of Babuschka"):
        match.play(0, text)


def test_numbers_of_missing_fields_have_no_text() -> None:
    with pytest.raises(ValueError, match="a1"):
        GAME.move_text(None, 0, 0)


def test_a_doll_has_at_most_17_moves_by_parity() -> None:
    """What `MAX_LEGAL` rests on: each class of fields by parity of column and row has 13."""
    for column in (0, 1):
        for row in (0, 1):
            assert sum(square_of(name) % 8 % 2 == column and square_of(name) // 8 % 2 == row for name in FIELDS) == 13


# Length


@pytest.mark.parametrize("seats", [2, 4])
def test_max_length_is_a_bound_that_grows_with_patience(seats: int) -> None:
    for patience in (1, 4):
        bound = GAME.max_length(seats, {"patience": patience})
        for seed in range(3):
            match = Match(GAME, seats, seed, plain=True, patience=patience)
            assert match.play_random(seed) <= bound
    assert GAME.max_length(2, {"patience": 40}) == 169 * 80
    assert GAME.max_length(4, {"patience": 40}) == 193 * 160


# Observation


def parts(match: Match, seat: int) -> dict[str, np.ndarray[Any, Any]]:
    numbers, at = {}, 0
    row = match.observation(seat)
    for part in GAME.observation:
        numbers[part.name] = row[at : at + part.size]
        at += part.size
    assert at == len(row) == GAME.observation_size
    return numbers


def test_observation_is_the_same_start_for_every_seat() -> None:
    """Turned boards: each of four seats sees its own dolls on d1 e1, those to the left on a4 a5,
    and so on."""
    for seat in range(4):
        seen = parts(Match(GAME, 4, 0, plain=True, first=seat), seat)
        planes = seen["dolls"].reshape(4, 3, 8, 8)
        wanted = np.zeros((4, 3, 8, 8), np.int8)
        for chair, names in enumerate((("d1", "e1"), ("a4", "a5"), ("d8", "e8"), ("h4", "h5"))):
            for name in names:
                wanted[chair, :, square_of(name) // 8, square_of(name) % 8] = 1
        assert (planes == wanted).all()
        assert seen["turn"].tolist() == [0]
        assert seen["facing"].tolist() == [seat]
        assert seen["seats"].tolist() == [4]


def test_observation_keeps_left_and_right_apart() -> None:
    """Seat 1 of two plays south: what it has on the east side lies to its left."""
    match = Match.arranged(GAME, plain=True, dolls={"g6": "1L", "b3": "0L"}, turn=1, quiet=79 - 1, patience=40)
    seen = parts(match, 1)
    planes = seen["dolls"].reshape(4, 3, 8, 8)
    assert planes[0, 2, 2, 1] == 1  # g6 turned half: b3
    assert planes[2, 2, 5, 6] == 1  # b3 turned half: g6, of the chair opposite
    assert planes[1].sum() == planes[3].sum() == 0
    assert seen["home"].tolist() == [11, 0, 11, 0]
    assert [*seen["quiet_hundreds"], *seen["quiet"]] == [0, 2]
    assert parts(match, 0)["turn"].tolist() == [2]


def test_observation_tells_places_and_the_end() -> None:
    match = Match.arranged(
        GAME, plain=True, seats=4, dolls={"e7": "0L", "g3": "1L", "c2": "2L", "b4": "3L"}, turn=0, patience=1000
    )
    assert [*parts(match, 1)["quiet_hundreds"], *parts(match, 1)["quiet"]] == [40, 0]
    match.play(0, "e7-e8")
    assert parts(match, 1)["place"].tolist() == [0, 0, 0, 1]  # seat 0 is to the right of seat 1
    match = Match.arranged(GAME, plain=True, dolls={"f7": "0L", "c2": "1L"}, turn=0)
    match.play(0, "f7-f8")
    assert parts(match, 0)["turn"].tolist() == [-1]


def test_observation_writes_every_entry() -> None:
    match = Match(GAME, 4, 0, plain=True)
    match.play_random(1, 50)
    rows = []
    for filler in (0, 77):
        row = memoryview(np.full(GAME.observation_size, filler, np.int8))
        GAME.observe(match.state, 2, row)
        rows.append(row.tolist())
    assert rows[0] == rows[1]


# View and drawing


@pytest.mark.parametrize("language", LANGUAGES)
def test_drawing_shows_top_dolls_and_fits_a_terminal(language: str) -> None:
    words = GAME.words[language]
    match = Match.arranged(GAME, plain=True, **EXAMPLE)
    drawing = GAME.draw(match.view(0), words)
    lines = drawing.splitlines()
    assert max(map(len, lines)) <= 80
    row = next(line for line in lines if line.startswith("  4"))
    assert words["letter.large"] + "1" in row
    assert words["letter.medium"] + "1" not in row  # covered
    row = next(line for line in lines if line.startswith("  8"))
    assert "(1)" in row  # f8 is still free
    assert words["draw.you"].strip() in drawing
    assert words["draw.you"].strip() not in GAME.draw(match.view(None), words)
    match = Match(GAME, 4, 0, plain=True)
    match.play_random(0)
    assert words[f"end.{match.view(None).end}"] in GAME.draw(match.view(None), words)


def test_view_says_what_is_asked() -> None:
    match = Match(GAME, 2, 0, plain=True, first=1)
    assert [match.view(seat).prompt.kind for seat in (0, 1, None)] == ["prompt.wait", "prompt.move", "prompt.wait"]
    assert match.view(0).turn == 1
    assert match.news(0) == ()
    match.play_random(0)
    assert [match.view(seat).prompt.kind for seat in (0, 1, None)] == ["prompt.over"] * 3
    assert match.view(0).turn is None
    json.dumps(dataclasses.asdict(match.view(0)))


@pytest.mark.parametrize("language", LANGUAGES)
def test_words_are_the_same_in_every_language(language: str) -> None:
    english, others = GAME.words["en"], GAME.words[language]
    assert english.keys() == others.keys()
    for key, text in english.items():
        assert {name for _, name, _, _ in Formatter().parse(text) if name} == {
            name for _, name, _, _ in Formatter().parse(others[key]) if name
        }, key


@pytest.mark.parametrize("seats", [2, 4])
def test_all_news_can_be_told_in_both_languages(seats: int) -> None:
    kinds = set()
    for seed in range(4):
        match = Match(GAME, seats, seed, plain=True, patience=(1, 40)[seed % 2])
        match.play_random(seed)
        for events in match.log(0):
            assert events[0].kind == "moves"
            for event in events:
                kinds.add(event.kind)
                for words in GAME.words.values():
                    text = event.tell(words, lambda seat: f"Seat{seat}")
                    assert "{" not in text
                    assert not re.search(r"place\.\d", text)
    assert kinds >= {"moves", "covers", "uncovers", "ends_patience", "is_placed"}


# Positions by hand


@pytest.mark.parametrize(
    ("position", "text"),
    [
        ({"seats": 3}, "2 or 4 seats"),
        ({"patience": 0}, "1 to 1000"),
        ({"dolls": {"a1": "0L"}}, "no field 'a1'"),
        ({"dolls": {"d4": "2L"}}, "seat from 0 to 1"),
        ({"dolls": {"d4": "0X"}}, "no doll"),
        ({"dolls": {"d4": "0M 0S"}}, "bottom up"),
        ({"dolls": {"d4": "0L 1L"}}, "bottom up"),
        ({"dolls": dict.fromkeys(("b3", "c3", "d3", "e3", "f3"), "0L")}, "more were named"),
        ({"dolls": {"d4": "0S", "e5": "1L"}}, "out of order"),
        ({"dolls": {"d4": "0L", "e5": "1L"}, "rest": "away"}, "'home' or 'start'"),
        ({"dolls": {"d4": "0L", "e5": "1L"}, "rest": ["home", "start"]}, "two dolls of size"),
        ({"dolls": {"d4": "0L"}}, "without a place"),
        ({"dolls": {"d4": "0L", "e5": "1L"}, "finished": [0]}, "without being home"),
        ({"dolls": {"d4": "0L", "e5": "1L"}, "finished": [7]}, "each once"),
        ({"dolls": {"d4": "0L", "e5": "1L"}, "turn": 2}, "a seat that can move"),
        ({"dolls": {"d4": "0L", "e5": "1L"}, "quiet": 80}, "from 0 to 79"),
        ({"dolls": {"d4": "0L"}, "finished": [1], "turn": 0}, "over"),
        ({"seats": 4, "dolls": {"a5": "0L", "b6": "1L", "c6": "2L", "f6": "3L"}}, "left or right"),
    ],
)
def test_positions_that_cannot_be_are_refused(position: dict[str, Any], text: str) -> None:
    with pytest.raises(BadPosition, match=text):
        Match.arranged(GAME, plain=True, **position)


def test_positions_by_hand_start_as_dealt_and_can_be_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SAMOVAR_PLAIN", "1")
    dealt = Match(GAME, 4, 0, plain=True, first=0)
    assert Match.arranged(GAME, plain=True, seats=4).state_bytes == dealt.state_bytes
    match = Match.arranged(GAME, plain=True, **EXAMPLE)
    match.play(0, "d4-d5")
    assert replay(json.loads(json.dumps(match.record()))).state_bytes == match.state_bytes


def test_positions_by_hand_can_be_over() -> None:
    assert Match.arranged(GAME, plain=True, dolls={"d4": "0L"}, finished=[1]).places == (2, 1)
    dead_ends = {"c8": "0S 0M 0L", "h3": "1S 1M 1L", "c1": "2S 2M 2L", "a3": "3S 3M 3L"}
    match = Match.arranged(GAME, plain=True, seats=4, dolls=dead_ends)
    assert match.view(None).end == "blocked"


# Invariants


def broken(change: Any) -> set[str]:
    match = Match.arranged(GAME, plain=True, **EXAMPLE)
    states = match.states.copy()
    change(plain_state(states))
    return set(GAME.faults(plain_state(states)))


def put(state: Any, field: str, value: int, *index: int) -> None:
    if index:
        getattr(state, field)[index if len(index) > 1 else index[0]] = value
    else:
        setattr(state, field, value)


@pytest.mark.parametrize(
    ("fault", "change"),
    [
        ("a seat does not have its full set of dolls", ("dolls", 0, 0, 2)),
        ("a seat does not have its full set of dolls", ("dolls", 1 << 20, 3, 0)),
        ("a doll outside the board", ("dolls", 1, 0, 0)),
        ("the places taken are not 1, 2, 3 in order", ("place", 3, 0)),
        ("a seat is home without a place, or has a place without being home", ("place", 1, 0)),
        ("the places taken are not 1, 2, 3 in order", ("finished", 1)),
        ("the seat to move is not one that plays on, or does not fit the end", ("turn", 2)),
        ("the seat to move is not one that plays on, or does not fit the end", ("turn", -1)),
        ("the quiet moves do not fit the patience", ("quiet", 80)),
        ("the quiet moves do not fit the patience", ("quiet", -1)),
        ("the last move or the passes are not of this table", ("last_seat", 2)),
        ("the last move or the passes are not of this table", ("passed", 4)),
        ("the last move or the passes are not of this table", ("last_end", 64)),
        ("the match should be over, or should not", ("ended", 1)),
    ],
)
def test_faults_name_what_is_broken(fault: str, change: tuple[Any, ...]) -> None:
    field, value, *index = change
    assert fault in broken(lambda state: put(state, field, value, *index))
    assert not broken(lambda state: None)


def test_faults_of_dolls_on_the_board() -> None:
    def move(seat: int, size: int, start: str, end: str) -> Any:
        def change(state: Any) -> None:
            state.dolls[seat, size] ^= (1 << square_of(start)) | (1 << square_of(end))

        return change

    assert broken(move(0, 2, "d4", "g5")) == {"two dolls of one size on a field"}  # onto the large doll of seat 1
    assert broken(move(0, 2, "d4", "f8")) == {"dolls on their goal fields out of order"}  # home before its medium
    assert broken(move(0, 2, "d4", "a5")) == set()  # two seats: an ordinary field


# Pages


@pytest.fixture(scope="module")
def pages() -> list[str]:
    return [path.read_text(encoding="utf-8") for path in sorted(Path(GAME.folder).glob("RULES*.md"))]


def test_pages_have_the_same_rules_and_name_every_ruling(pages: list[str]) -> None:
    ids = [re.findall(r"^- \*\*(\d+\.\d+)\*\* ", page, re.MULTILINE) for page in pages]
    assert all(others == ids[0] for others in ids)
    assert len(ids[0]) == len(set(ids[0])) > 25
    programs = Path(GAME.folder, "PROGRAMS.md").read_text(encoding="utf-8")
    for page in pages:
        for ruling in [*numbers_of(GAME.name), *numbers_of("All games")]:
            assert re.search(rf"\b{ruling}\b", page + programs), ruling


def test_every_numbered_rule_has_a_test(pages: list[str]) -> None:
    sources = "".join(path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("test_babuschka*.py"))
    marked = {
        number for marks in re.findall(r"mark\.rules\(([^)]*)\)", sources) for number in re.findall(r"\d+\.\d+", marks)
    }
    assert marked == set(re.findall(r"^- \*\*(\d+\.\d+)\*\* ", pages[0], re.MULTILINE))
