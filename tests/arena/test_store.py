"""A tournament's file: nothing counts twice, nothing is lost, and no other file is harmed."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from samovar.arena.outcome import Outcome, Tournament
from samovar.arena.plan import TournamentPlan
from samovar.arena.store import ArenaFile, file_name
from samovar.errors import BadTournament

TOURNAMENT = Tournament("memoarrrr", ("random", "greedy"), 2, 10, 7, {})


def outcome(number: int) -> Outcome:
    return Outcome(
        number, number // 2, ("random", "greedy"), (3, 4), (2, 1), 20, None, "", (0.5, 0.25), (0.1, 0.125), (10, 10)
    )


def test_outcomes_are_there_again_by_number_however_they_came(tmp_path: Path) -> None:
    path = tmp_path / "new" / "file.jsonl"
    with ArenaFile(TOURNAMENT, path) as store:
        for number in (2, 0, 1):
            store.add(outcome(number))
        assert [each.number for each in store.outcomes()] == [0, 1, 2]
    with ArenaFile(TOURNAMENT, path) as store:
        assert 1 in store
        assert 3 not in store
        store.add(replace(outcome(3), forfeit=1, reason="It gave up."))
        assert store.outcomes()[:3] == [outcome(0), outcome(1), outcome(2)]
        assert store.outcomes()[0].seconds == (0.5, 0.25)
        assert (len(store), store.outcomes()[3].reason) == (4, "It gave up.")
    assert len(path.read_text().splitlines()) == 5


def test_an_outcome_is_in_the_file_at_once(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with ArenaFile(TOURNAMENT, path) as store:
        store.add(outcome(0))
        assert json.loads(path.read_text().splitlines()[1])["number"] == 0


def test_an_outcome_counts_once(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with ArenaFile(TOURNAMENT, path) as store:
        store.add(outcome(0))
        store.add(replace(outcome(0), scores=(9, 9)))
        assert store.outcomes() == [outcome(0)]
    assert len(path.read_text().splitlines()) == 2


def test_half_a_line_is_dropped_wherever_it_was_cut(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with ArenaFile(TOURNAMENT, path) as store:
        store.add(outcome(0))
        store.add(outcome(1))
    whole = path.read_bytes()
    lines = whole.splitlines(keepends=True)
    for end in [
        *range(0, len(whole), 11),
        len(lines[0]),
        len(lines[0]) - 1,
        len(lines[0]) + 1,
        len(whole) - len(lines[2]),
        len(whole) - 1,
    ]:
        path.write_bytes(whole[:end])
        expected = [outcome(0)] if end >= len(lines[0] + lines[1]) else []
        with ArenaFile(TOURNAMENT, path) as store:
            assert store.outcomes() == expected
            for number in range(2):
                store.add(outcome(number))
        assert path.read_bytes() == whole


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (replace(TOURNAMENT, seed=8), "seed 7 there, 8 here"),
        (
            replace(TOURNAMENT, bots=("random", "random")),
            r"bots \['random', 'greedy'\] there, \['random', 'random'\] here",
        ),
        (replace(TOURNAMENT, options={"expert": True}), "options .*False.* there, .*True.* here"),
        (replace(TOURNAMENT, game="varvitikud"), "game 'memoarrrr' there, 'varvitikud' here"),
    ],
)
def test_the_file_of_another_tournament_is_refused_and_kept(tmp_path: Path, other: Tournament, said: str) -> None:
    path = tmp_path / "file"
    with ArenaFile(TOURNAMENT, path) as store:
        store.add(outcome(0))
    before = path.read_bytes()
    with pytest.raises(BadTournament, match=f"{said}.*Give another --file, or delete it"):
        ArenaFile(other, path)
    assert path.read_bytes() == before
    assert file_name(other) != file_name(TOURNAMENT)


def test_the_file_of_another_samovar_is_refused(tmp_path: Path) -> None:
    """Its bots may play otherwise."""
    path = tmp_path / "file"
    ArenaFile(TOURNAMENT, path).close()
    head = json.loads(path.read_text())
    for changed in ({"samovar": "0.0.1"}, {"rules": 99}, {"format": 99}):
        path.write_text(json.dumps(head | changed) + "\n" + "{}\n" * ("format" in changed))
        with pytest.raises(BadTournament, match=f"{next(iter(changed))} .* there, .* here"):
            ArenaFile(TOURNAMENT, path)


def test_what_another_samovar_has_played_to_the_end_is_read(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with ArenaFile(TOURNAMENT, path) as store:
        for number in range(len(TournamentPlan(TOURNAMENT))):
            store.add(outcome(number))
    head, *lines = path.read_text().splitlines(keepends=True)
    older = json.dumps(json.loads(head) | {"samovar": "0.0.1"}) + "\n"
    path.write_text(older + "".join(lines))
    with ArenaFile(TOURNAMENT, path) as store:
        assert len(store) == len(lines)
    path.write_text(older + "".join(lines[:-1]))
    with pytest.raises(BadTournament, match=r"samovar '0\.0\.1' there"):
        ArenaFile(TOURNAMENT, path)


def test_options_that_came_later_were_at_their_defaults(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with ArenaFile(TOURNAMENT, path) as store:
        store.add(outcome(0))
    head, line = path.read_text().splitlines(keepends=True)
    written = json.loads(head)
    del written["options"]["expert"]
    path.write_text(json.dumps(written) + "\n" + line)
    with ArenaFile(TOURNAMENT, path) as store:
        assert store.outcomes() == [outcome(0)]
    with pytest.raises(BadTournament, match="options"):
        ArenaFile(replace(TOURNAMENT, options={"expert": True}), path)


def test_an_option_at_its_default_is_the_same_tournament() -> None:
    assert file_name(replace(TOURNAMENT, options={"expert": False})) == file_name(TOURNAMENT)


@pytest.mark.parametrize("content", [b"# Notes\n", b"no end of line", b"[1, 2]\n", b"{}\n", b"\xff\xfe\n", b"\n"])
def test_a_file_that_is_none_of_ours_is_refused_and_kept(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "notes.md"
    path.write_bytes(content)
    with pytest.raises(BadTournament, match=r"notes\.md' is not the file of a tournament"):
        ArenaFile(TOURNAMENT, path)
    assert path.read_bytes() == content


def test_a_damaged_line_in_the_middle_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "file"
    ArenaFile(TOURNAMENT, path).close()
    for damage in ("nonsense\n", '{"number": 3}\n'):
        path.write_text(path.read_text().splitlines()[0] + "\n" + damage)
        with pytest.raises(BadTournament, match="or is damaged"):
            ArenaFile(TOURNAMENT, path)


def test_a_file_in_use_is_refused_until_it_is_free(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with ArenaFile(TOURNAMENT, path), pytest.raises(BadTournament, match="is in use"):
        ArenaFile(TOURNAMENT, path)
    ArenaFile(TOURNAMENT, path).close()


def test_a_path_that_cannot_be_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for path in (tmp_path, tmp_path / "file" / "below", Path("/dev/null")):
        with pytest.raises(BadTournament, match="Give another --file"):
            ArenaFile(TOURNAMENT, path)


def test_without_a_path_outcomes_are_kept_in_memory() -> None:
    with ArenaFile(TOURNAMENT) as store:
        store.add(outcome(4))
        assert store.outcomes() == [outcome(4)]
