"""Records: what is written is what is replayed, and nothing else is taken."""

import json
from collections.abc import Iterator
from contextlib import suppress
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import samovar
from samovar.engine.contract import Game
from samovar.engine.records.digest import digest_of
from samovar.engine.records.fair import commitment, deal_seed, verify
from samovar.engine.records.record import read_record, save_record, to_text
from samovar.errors import BadPosition, BadRecord, RecordVersion, SamovarError

NOT_A_NUMBER, ENDLESS = float("nan"), float("inf")


@pytest.fixture
def record() -> dict:
    match = samovar.Match("connect_four", seed=7, first=1)
    for text in "dcdc":
        match.play(match.actors[0], text)
    return json.loads(json.dumps(match.record()))


def sealed(record: dict, **changes: object) -> dict:
    """A record changed by someone who also mends its digest."""
    changed = {key: value for key, value in {**record, **changes}.items() if key != "digest" and value is not None}
    return {**changed, "digest": digest_of(changed)}


def test_replay_gives_the_same_match(record: dict, tmp_path: Path) -> None:
    match = samovar.replay(record)
    assert match.history == [(1, 3), (0, 2), (1, 3), (0, 2)]
    assert match.record() == record
    save_record(match, tmp_path / "deep" / "match.json")
    assert samovar.replay(tmp_path / "deep" / "match.json").state_bytes == match.state_bytes
    assert json.loads(to_text(record)) == record
    assert not list(tmp_path.rglob("*.part"))


def test_record_of_an_arranged_position() -> None:
    match = samovar.Match.arranged("connect_four", first=1, moves="abc")
    match.play(0, "d")
    again = samovar.replay(json.loads(json.dumps(match.record())))
    assert again.state_bytes == match.state_bytes
    assert len(again.history) == 1


def test_moves_of_a_position_are_not_those_of_the_record() -> None:
    match = samovar.Match.arranged("connect_four", moves=[])
    match.play(match.actors[0], "d")
    assert json.loads(to_text(match.record())) == match.record()


@pytest.mark.parametrize(
    ("changes", "error", "text"),
    [
        ({"seed": 8}, BadRecord, "changed after it was written"),
        ({"moves": []}, BadRecord, "changed after it was written"),
        ({"scores": [9, 9]}, BadRecord, "changed after it was written"),
        ({"rules": 99}, RecordVersion, "version 99.*version 1 is installed"),
        ({"samovar": 2}, RecordVersion, "format 2"),
        ({"game": "chess"}, samovar.errors.UnknownGame, "Known"),
        ({"moves": None}, BadRecord, "'moves' is None"),
        ({"moves": [["a", 0]]}, BadRecord, "is no move"),
        ({"seats": True}, BadRecord, "'seats' is True"),
        ({"rules": True}, BadRecord, "'rules' is True"),
        ({"samovar": True}, RecordVersion, "format True"),
        ({"seed": None}, BadRecord, "neither"),
        ({"position": {}}, BadRecord, "or both"),
        ({"table": []}, BadRecord, "'table' is"),
        ({"moves": [[True, "d"]]}, BadRecord, "is no move"),
        ({"moves": [[1.0, "d"]]}, BadRecord, "is no move"),
        ({"over": NOT_A_NUMBER}, BadRecord, "JSON in UTF-8 cannot"),
        ({"scores": [ENDLESS]}, BadRecord, "JSON in UTF-8 cannot"),
        ({"state": "\ud800"}, BadRecord, "JSON in UTF-8 cannot"),
        ({"rules": 10**5000}, BadRecord, "JSON in UTF-8 cannot"),
    ],
)
def test_changed_record_is_refused(record: dict, changes: dict, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        samovar.replay(
            {key: value for key, value in {**record, **changes}.items() if value is not None or key == "moves"}
        )


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"moves": [[1, "d"], [0, "z"]]}, r"at move 2 \('z' of seat 0\)"),
        ({"moves": [[0, "d"]]}, r"at move 1.*it is for seat 1 to move"),
        ({"moves": [[1, "d"]]}, "replays to another position"),
        ({"seed": -4}, "at the deal"),
        ({"options": {"first": 77}}, "at the deal"),
        ({"options": {"colour": 1}}, "at the deal"),
        ({"seats": 5}, "at the deal"),
        ({"seed": True}, "at the deal.*whole number"),
        ({"seed": "7"}, "at the deal.*64 digits"),
        *(
            ({"options": {name: 1}}, f"at the deal.*no option '{name}'")
            for name in ("plain", "seats", "seed", "self", "game")
        ),
        ({"moves": [[1, "d"], [0, "d"]] * 22}, "it has 44 moves, and no match like this has more than 42"),
    ],
)
def test_forged_record_does_not_replay(record: dict, changes: dict, text: str) -> None:
    with pytest.raises(BadRecord, match=text):
        samovar.replay(sealed(record, **changes))


@pytest.mark.parametrize(
    "content", ["", "{", "[]", "3", '{"game": "connect_four"}', "\x00\x01", "[" * 100_000, "9" * 5000]
)
def test_unreadable_file_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "broken.json"
    path.write_text(content)
    with pytest.raises(BadRecord):
        samovar.replay(path)


def test_a_file_with_more_than_json_is_refused(record: dict, tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    path.write_text(json.dumps({**record, "over": NOT_A_NUMBER}))
    with pytest.raises(BadRecord, match="JSON in UTF-8 cannot"):
        read_record(path)


def test_binary_missing_and_folder_are_refused(tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    for path in (tmp_path / "binary", tmp_path / "nowhere.json", tmp_path):
        with pytest.raises(BadRecord):
            samovar.replay(path)


@pytest.mark.parametrize("depth", [17, 900, 100_000])
def test_a_record_nested_too_deeply_is_refused(record: dict, tmp_path: Path, depth: int) -> None:
    path = tmp_path / "deep.json"
    path.write_text(json.dumps({**record, "table": "HERE"}).replace('"HERE"', '{"a":' * depth + "{}" + "}" * depth))
    with pytest.raises(BadRecord, match="nested in it as in no record"):
        read_record(path)


def test_a_record_without_end_is_refused(record: dict) -> None:
    endless: dict[str, Any] = {}
    endless["more"] = endless
    with pytest.raises(BadRecord, match="nested"):
        samovar.replay({**record, "table": endless})


# Positions by hand


@pytest.mark.parametrize("game", samovar.game_ids())
@pytest.mark.parametrize("name", ["plain", "game", "cls", "self", "no_such_thing"])
def test_a_position_has_only_the_names_that_a_game_knows(game: str, name: str) -> None:
    with pytest.raises(SamovarError, match=name):
        samovar.Match.from_position(game, {name: 1}, plain=True)


def test_the_sentence_of_a_game_about_a_position_is_kept() -> None:
    with pytest.raises(BadPosition, match=r"^Babuschka is played with 2 or 4 seats, not with 3\.$"):
        samovar.Match.arranged("babuschka", seats=3)
    with pytest.raises(
        BadPosition,
        match=r"^This is no position of Babuschka: .*unknown field `colour`\. It may have seats, dolls, rest, turn, ",
    ):
        samovar.Match.arranged("babuschka", colour=1)


def test_a_record_of_a_position_has_its_seats_and_not_too_many_moves() -> None:
    match = samovar.Match.arranged("babuschka", patience=1)
    match.play_random(1, limit=4)
    record = json.loads(json.dumps(match.record()))
    with pytest.raises(BadRecord, match="its position has 2 seats, and the record 4"):
        samovar.replay(sealed(record, seats=4))
    with pytest.raises(BadRecord, match="it has 340 moves, and no match like this has more than 338"):
        samovar.replay(sealed(record, moves=record["moves"] * 85))


# Anything at all

NUMBERS = [
    None,
    True,
    False,
    -1,
    0,
    1,
    2,
    3,
    5,
    2**31,
    2**63,
    -(2**70),
    10**400,
    1.0,
    0.5,
    1e308,
    NOT_A_NUMBER,
    ENDLESS,
]
TEXTS = ["", "0", "a", "a1", "c1", "C3", "\ud800", "²", "٣", "plain", "seats", "over", "9" * 4000]
HOLDERS = [[], {}, [[]], [None], [0], ["0"], [True] * 4, list(range(60)), {"a": 1}, {"1": [1]}, {"c1": {}}]
VALUES = st.sampled_from([*NUMBERS, *TEXTS, *HOLDERS])
NAMES = st.sampled_from(
    ["plain", "seats", "seed", "self", "game", "cls", "position", "options", "table", "moves", "first", "turn", "deck"]
)


@cache
def records() -> list[dict[str, Any]]:
    """Sound ones of every game: dealt from both kinds of seeds, and all examples of the rules."""
    made = []
    for game in map(samovar.find_game, samovar.game_ids()):
        positions = (
            [example.position for example in game.face.examples.values()]
            if game.face
            else [{"first": 1, "moves": ["a", "b"]}]
        )
        matches = [
            samovar.Match(game, max(game.seats), 7, plain=True),
            *(samovar.Match.arranged(game, plain=True, **laid) for laid in positions),
        ]
        made += [
            fair_record(game),
            *(match.record({"names": ["Anna"], "salt": "", "commitment": ""}) for match in matches),
        ]
    return [json.loads(json.dumps(record)) for record in made]


def fair_record(game: Game) -> dict[str, Any]:
    secret, seats = "ab" * 32, max(game.seats)
    nonces, makers = (["cd" * 16] * (seats - 1) + [None], ["browser"] * (seats - 1) + [None])
    match = samovar.Match(game, seats, deal_seed(secret, nonces), plain=True)
    match.play_random(1, limit=5)
    shown = commitment(game, seats, match.options, secret)
    return match.record({"commitment": shown, "secret": secret, "nonces": nonces, "nonce_makers": makers})


def places_in(value: Any) -> Iterator[tuple[Any, Any]]:
    """Everything in a record, as what holds it and its key there."""
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield value, key
        yield from places_in(value[key])


def damage(record: dict[str, Any], data: st.DataObject) -> None:
    """One thing in it is changed, lost or put in; mostly where it is read with the least care."""
    part = data.draw(
        st.sampled_from(
            [record, record, *(record[key] for key in ("position", "options", "table", "moves") if key in record)]
        )
    )
    holder, key = data.draw(st.sampled_from([*places_in(part)] or [*places_in(record)]))
    deed = data.draw(st.sampled_from(["change", "change", "lose", "put in"]))
    if deed == "change":
        holder[key] = deepcopy(data.draw(VALUES))
    elif deed == "lose":
        del holder[key]
    elif isinstance(holder, dict):
        holder[data.draw(NAMES)] = deepcopy(data.draw(VALUES))
    else:
        holder.insert(key, deepcopy(data.draw(VALUES)))


@settings(max_examples=1000, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_whatever_a_record_says_the_reader_does_not_break(data: st.DataObject) -> None:
    record = deepcopy(data.draw(st.sampled_from(records())))
    for _ in range(data.draw(st.integers(1, 3))):
        damage(record, data)
    with suppress(SamovarError):  # not everything can be sealed
        record["digest"] = digest_of({key: value for key, value in record.items() if key != "digest"})
    with suppress(SamovarError):
        verify(record)
