"""The public face: `Match` on a game, and every way to use it wrongly."""

import json

import pytest

import samovar
from samovar import errors


@pytest.fixture
def match() -> samovar.Match:
    return samovar.Match("connect_four", seed=7, first=0, plain=True)


def test_play_view_and_result(match: samovar.Match) -> None:
    assert match.actors == (0,)
    assert match.moves(0) == list("abcdefg")
    for text in "aabbccd":
        match.play(match.actors[0], text)
    assert match.over
    assert match.actors == ()
    assert match.moves(0) == []
    assert match.scores == (1, 0)
    assert match.places == (1, 2)
    assert [event.kind for event in match.news(None)] == ["drops", "wins"]
    assert len(match.log(1)) == 7


@pytest.mark.parametrize(
    ("seat", "move", "error", "text"),
    [
        (0, "h", errors.IllegalMove, "is not a move of Connect Four.*Legal now: a, b"),
        (0, 7, errors.IllegalMove, "Legal now"),
        (0, -1, errors.IllegalMove, "Legal now"),
        (0, 10**30, errors.IllegalMove, "Legal now"),
        (10**30, 0, errors.UnknownSeat, "seats are 0 to 1"),
        (0, 1.5, errors.IllegalMove, "number or a text"),
        (0, None, errors.IllegalMove, "number or a text"),
        (0, True, errors.IllegalMove, "number or a text"),
        (1, "a", errors.NotAnActor, "it is for seat 0 to move"),
        (1, 0, errors.NotAnActor, "it is for seat 0 to move"),
        (2, "a", errors.UnknownSeat, "seats are 0 to 1"),
        (2, 0, errors.UnknownSeat, "seats are 0 to 1"),
        (-1, 0, errors.UnknownSeat, "seats are 0 to 1"),
        (None, 0, errors.UnknownSeat, "seats are 0 to 1"),
    ],
)
@pytest.mark.parametrize("plain", [True, False])
def test_wrong_move_is_refused_and_changes_nothing(
    plain: bool, seat: object, move: object, error: type[Exception], text: str
) -> None:
    match = samovar.Match("connect_four", seed=7, first=0, plain=plain)
    before = match.state_bytes
    with pytest.raises(error, match=text):
        match.play(seat, move)  # type: ignore[arg-type]
    assert match.state_bytes == before
    assert match.history == []
    match.play(0, "a")


def test_moving_after_the_end_is_refused(match: samovar.Match) -> None:
    for text in "aabbccd":
        match.play(match.actors[0], text)
    with pytest.raises(errors.MatchOver, match="over"):
        match.play(1, "d")


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: samovar.Match("conect_four"), errors.UnknownGame, "Did you mean 'connect_four'.*Known: babuschka"),
        (lambda: samovar.Match("connect_four", seats=3), errors.WrongSeats, "played with 2 seats, not with 3"),
        (lambda: samovar.Match("connect_four", seats=True), errors.WrongSeats, "played with 2"),
        (lambda: samovar.Match("connect_four", colour=1), errors.UnknownOption, "no option 'colour'.*Known: columns"),
        (lambda: samovar.Match("connect_four", first=5), errors.BadOption, "cannot be 5.*random, 0, 1"),
        (lambda: samovar.Match("memoarrrr", expert=2), errors.BadOption, "false, true"),
        (lambda: samovar.Match("memoarrrr", seats=2, first=3), errors.BadOption, "seats are numbered 0 to 1"),
        (lambda: samovar.Match("connect_four", seed=-1), errors.SamovarError, "seed"),
        (lambda: samovar.Match("connect_four", seed=2**63), errors.SamovarError, "seed"),
        (lambda: samovar.Match("connect_four", seed="7"), errors.SamovarError, "wide one: 64 digits.*whole numbers"),
        (lambda: samovar.Match("connect_four", seed="ABCDEF00" * 8), errors.SamovarError, "64 digits 0-9 and a-f"),
        (lambda: samovar.Match("connect_four", seed="0" * 63), errors.SamovarError, "64 digits"),
        (lambda: samovar.Match("connect_four", seed="0" * 64 + "\n"), errors.SamovarError, "64 digits"),
        (lambda: samovar.Match("connect_four").imagine(0, "0" * 64), errors.SamovarError, "whole number"),
        (lambda: samovar.Batch("connect_four", 2, seed="0" * 64), errors.SamovarError, "whole number"),
        (lambda: samovar.Match("connect_four").view(2), errors.UnknownSeat, "seats are 0 to 1"),
        (lambda: samovar.Match("connect_four").imagine(5, 1), errors.UnknownSeat, "seats are 0 to 1"),
        (lambda: samovar.Match("connect_four").undo(), errors.NothingToUndo, "No move"),
    ],
)
def test_wrong_use_gets_a_typed_error_that_names_the_remedy(make, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        make()


def test_undo_leads_back_and_copy_is_apart(match: samovar.Match) -> None:
    start = match.state_bytes
    match.play(0, "c")
    other = match.copy()
    other.play(1, "c")
    assert match.history == [(0, 2)]
    match.undo()
    assert match.state_bytes == start
    assert match.actors == (0,)
    assert other.history == [(0, 2), (1, 2)]


def test_same_seed_same_match_and_no_seed_another_each_time() -> None:
    assert samovar.Match("memoarrrr", seed=5).state_bytes == samovar.Match("memoarrrr", seed=5).state_bytes
    assert samovar.Match("memoarrrr").seed != samovar.Match("memoarrrr").seed


WIDE = "5a" * 32


@pytest.mark.parametrize("game", samovar.game_ids())
def test_a_wide_seed_gives_the_same_match_plain_and_compiled(game: str) -> None:
    for seats in samovar.find_game(game).seats:
        plain, fast = (samovar.Match(game, seats, WIDE, plain=plain) for plain in (True, False))
        assert plain.state_bytes == fast.state_bytes
        assert not plain.faults
        assert plain.play_random(3) == fast.play_random(3)
        assert plain.state_bytes == fast.state_bytes


def test_wide_seeds_differ_in_every_digit() -> None:
    seeds = ["0" * place + digit + "0" * (63 - place) for place in range(64) for digit in "1f"]
    assert len({samovar.Match("memoarrrr", seed=seed, plain=True).state_bytes for seed in seeds}) == 128


def test_first_names_the_starting_seat_of_a_wide_deal_and_changes_nothing_else() -> None:
    drawn, named = (samovar.Match("memoarrrr", seats=4, seed=WIDE, plain=True, first=first) for first in (None, 2))
    assert named.state.turn == 2
    assert bytes(named.state.card) == bytes(drawn.state.card)


@pytest.mark.parametrize("plain", [True, False])
def test_a_match_of_a_wide_seed_can_do_what_others_can(plain: bool) -> None:
    match = samovar.Match("memoarrrr", seats=3, seed=WIDE, plain=plain, expert=True)
    assert match.seed == WIDE
    start = match.state_bytes
    match.play_random(1, limit=9)
    assert match.copy().seed == WIDE
    assert match.at(0).state_bytes == start
    assert match.imagine(0, 3).seed is None
    assert match.imagine(0, 3).view(0) == match.view(0)
    again = samovar.replay(json.loads(json.dumps(match.record())), plain=plain)
    assert (again.seed, again.state_bytes) == (WIDE, match.state_bytes)
    for _ in range(9):
        match.undo()
    assert match.state_bytes == start


def test_first_names_the_starting_seat() -> None:
    assert {samovar.Match("connect_four", seed=seed).actors for seed in range(20)} == {(0,), (1,)}
    assert {samovar.Match("connect_four", seed=seed, first=1).actors for seed in range(20)} == {(1,)}


def test_imagined_match_has_no_past_no_seed_and_no_record() -> None:
    imagined = samovar.Match("memoarrrr", seed=5).imagine(0, seed=3)
    assert imagined.seed is None
    with pytest.raises(errors.BadRecord, match="imagined"):
        imagined.record()


def test_what_a_seat_saw_before_the_last_move():
    match = samovar.Match("memoarrrr", seats=2, seed=3, first=0)
    with pytest.raises(errors.NothingToUndo, match="nothing before it"):
        match.view_before(0)
    for _ in range(6):
        seen = [match.view(viewer) for viewer in (0, 1, None)]
        seat = match.actors[0]
        match.play(seat, match.legal(seat)[-1])
        assert [match.view_before(viewer) for viewer in (0, 1, None)] == seen


def test_the_moves_that_were_asked_for_before_are_those_of_the_state_they_were_asked_for_in():
    match = samovar.Match("memoarrrr", seats=2, seed=3, first=0)
    before = match.legal(match.actors[0])
    match.legal(match.actors[0]).clear()  # a list of one's own
    assert match.legal(match.actors[0]) == before
    other = match.copy()
    match.play(match.actors[0], before[0])
    assert match.legal(match.actors[0]) != before
    assert other.legal(other.actors[0]) == before
    match.undo()
    assert match.legal(match.actors[0]) == before
