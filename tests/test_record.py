"""Records: what is written is what is replayed, and nothing else is taken."""

import json
from pathlib import Path

import pytest

import samovar
from samovar.engine.record import _digest, save_record, to_text
from samovar.errors import BadRecord, RecordVersion


@pytest.fixture
def record() -> dict:
    match = samovar.Match("connect_four", seed=7, first=1)
    for text in "dcdc":
        match.play(match.actors[0], text)
    return json.loads(json.dumps(match.record()))


def sealed(record: dict, **changes: object) -> dict:
    """A record changed by someone who also mends its digest."""
    changed = {key: value for key, value in {**record, **changes}.items() if key != "digest" and value is not None}
    return {**changed, "digest": _digest(changed)}


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
        ({"seed": None}, BadRecord, "neither"),
    ],
)
def test_changed_record_is_refused(record: dict, changes: dict, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        samovar.replay({key: value for key, value in {**record, **changes}.items() if value is not None or key == "moves"})


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
    ],
)
def test_forged_record_does_not_replay(record: dict, changes: dict, text: str) -> None:
    with pytest.raises(BadRecord, match=text):
        samovar.replay(sealed(record, **changes))


@pytest.mark.parametrize("content", ["", "{", "[]", "3", '{"game": "connect_four"}', "\x00\x01"])
def test_unreadable_file_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "broken.json"
    path.write_text(content)
    with pytest.raises(BadRecord):
        samovar.replay(path)


def test_binary_missing_and_folder_are_refused(tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    for path in (tmp_path / "binary", tmp_path / "nowhere.json", tmp_path):
        with pytest.raises(BadRecord):
            samovar.replay(path)
