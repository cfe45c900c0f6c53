"""A match that goes on from a moment in another world, and its record."""

import json

import pytest

import samovar
from samovar import Match
from samovar.engine.records.digest import digest_of
from samovar.errors import BadRecord, NothingToUndo

GAMES = ("babuschka", "matryoshka", "memoarrrr", "varvitikud")


def begun(game, moves=6):
    match = Match(game, seed=5, plain=True)
    match.play_random(1, moves)
    return match


@pytest.mark.parametrize("game", GAMES)
def test_a_record_leads_through_worlds_to_the_same_match(game):
    first = begun(game).go_on(0, 9)
    first.play_random(2, 3)
    second = first.go_on(1, 77)
    second.play_random(3)
    for by_number in (False, True):
        record = json.loads(json.dumps(second.record(by_number=by_number)))
        again = samovar.replay(record, plain=True)
        assert again.record(by_number=by_number) == record
        assert again.state_bytes == second.state_bytes
    assert [world.moves for world in second.worlds] == [6, 9]


@pytest.mark.parametrize("game", GAMES[1:])  # nothing is hidden in Babuschka
def test_another_world_looks_the_same_to_the_seat_and_is_another(game):
    match = begun(game)
    worlds = [match.go_on(0, seed) for seed in range(5)]
    assert all(world.view(0) == match.view(0) and world.legal(0) == match.legal(0) for world in worlds)
    assert len({world.state_bytes for world in worlds} | {match.state_bytes}) > 2


def test_what_was_before_the_world_cannot_be_taken_back_and_is_in_the_record():
    match = begun("memoarrrr").go_on(0, 9)
    with pytest.raises(NothingToUndo):
        match.undo()
    assert len(match.record()["moves"]) == 6
    assert match.history == []


@pytest.mark.parametrize(
    "worlds", [[[99, 0, 1]], [[6, 0, 9], [3, 0, 9]], [[6, 2, 9]], [[6, 0, -1]], [[6, 0]], [6], [["6", 0, 9]]]
)
def test_worlds_that_make_no_sense_are_refused(worlds):
    record = begun("memoarrrr").go_on(0, 9).record() | {"worlds": worlds}
    with pytest.raises(BadRecord):
        samovar.replay({**record, "digest": digest_of(record)}, plain=True)
