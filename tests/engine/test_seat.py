"""The seat that travels: the same answers after the way as bytes, and no byte that depends on what
the seat cannot know."""

import json
import zlib
from typing import Any

import numpy as np
import pytest

import samovar
from samovar.engine.match import Match
from samovar.engine.seat import Seat
from samovar.errors import BadSeat, UnknownGame
from samovar.testing.conformance import DEALS
from samovar.testing.worlds import indistinguishable_deals, walk_together

GAMES = ("babuschka", "matryoshka", "memoarrrr", "varvitikud")
VARIANTS = [(game, seats, options) for game in GAMES for seats, options in samovar.find_game(game).variants()]
WITH_SECRETS = [variant for variant in VARIANTS if variant[0] != "babuschka"]
MOMENTS = 3


def moments(match: Match, seed: int) -> list[int]:
    """The first, the last and some between."""
    length = match.copy().play_random(seed)
    return sorted({0, length, *np.random.default_rng(seed).integers(length, size=MOMENTS).tolist()})


@pytest.mark.parametrize(("game", "seats", "options"), VARIANTS, ids=str)
def test_a_seat_that_has_travelled_answers_the_same(game: str, seats: int, options: dict[str, Any]) -> None:
    match = Match(game, seats, 3, **options)
    for moment in moments(match, 3):
        match.play_random(3 + moment, limit=moment - len(match.history))
        for number in range(seats):
            seat = match.seat(number)
            data = seat.to_bytes()
            other = Seat.from_bytes(data)
            assert other.to_bytes() == data
            assert (other.game, other.number, other.seats, other.options) == (match.game, number, seats, match.options)
            assert (other.view, other.legal) == (match.view(number), match.legal(number))
            assert other.observation.tobytes() == match.observation(number).tobytes()
            assert (other.sights, other.moment) == (seat.sights, len(match.history))
            assert [other.move_text(move) for move in other.legal] == match.moves(number)
            for seed in (0, 7, 2**63 - 1):
                assert other.imagine(seed).state_bytes == match.imagine(number, seed).state_bytes


@pytest.mark.parametrize(("game", "seats", "options"), VARIANTS, ids=str)
def test_all_worlds_that_fit_give_the_same_bytes(game: str, seats: int, options: dict[str, Any]) -> None:
    """Each is put in the place of the truth, with all the past behind it."""
    match = Match(game, seats, 4, **options)
    for moment in moments(match, 4):
        match.play_random(4 + moment, limit=moment - len(match.history))
        for number in range(seats):
            data = match.seat(number).to_bytes()
            for seed in range(3):
                other = match.copy()
                other.states = match.imagine(number, seed).states
                assert other.seat(number).to_bytes() == data


@pytest.mark.parametrize(("game", "seats", "options"), WITH_SECRETS, ids=str)
def test_two_deals_that_a_seat_cannot_tell_apart_give_the_same_bytes(
    game: str, seats: int, options: dict[str, Any]
) -> None:
    the_game = samovar.find_game(game)
    compared = 0

    def compare(one: Match, other: Match, number: int) -> None:
        nonlocal compared
        compared += 1
        assert one.state_bytes != other.state_bytes
        assert one.seat(number).to_bytes() == other.seat(number).to_bytes()

    for number in range(seats):
        for seeds in indistinguishable_deals(the_game, seats, options, number, DEALS)[:1]:
            one, other = (Match(game, seats, seed, **options) for seed in seeds)
            walk_together(one, other, number, 12, compare)
    assert compared, "no two such deals were met, so nothing was tested"


def test_what_a_seat_saw_follows_moves_that_are_taken_back() -> None:
    match = Match("memoarrrr", 2, 5)
    match.play_random(1, limit=12)
    match.seat(0)
    for _ in range(4):
        match.undo()
    match.play_random(2, limit=4)
    again = Match("memoarrrr", 2, 5)
    for seat, move in match.history:
        again.play(seat, move)
    assert match.seat(0).to_bytes() == again.seat(0).to_bytes()


# What is no seat


DATA = Match("memoarrrr", 2, 5, plain=True).seat(1).to_bytes()


def changed(**facts: object) -> bytes:
    """A seat with a right checksum that says something else."""
    line, _, rest = DATA[4:].partition(b"\n")
    body = json.dumps(json.loads(line) | facts).encode() + b"\n" + rest
    return zlib.crc32(body).to_bytes(4, "big") + body


@pytest.mark.parametrize("length", [0, 3, 4, 5, 30, len(DATA) - 1])
def test_bytes_that_are_cut_off_are_refused(length: int) -> None:
    with pytest.raises(BadSeat, match="Send"):
        Seat.from_bytes(DATA[:length])


def test_a_bit_that_was_changed_is_noticed_wherever_it_is() -> None:
    for place in range(len(DATA)):
        damaged = bytearray(DATA)
        damaged[place] ^= 1
        with pytest.raises(BadSeat):
            Seat.from_bytes(bytes(damaged))


@pytest.mark.parametrize(
    ("facts", "error", "says"),
    [
        ({"rules": 999}, BadSeat, "rules 999"),
        ({"seat": 2}, BadSeat, "format 2"),
        ({"moment": 3}, BadSeat, "bytes of state"),
        ({"game": "chess"}, UnknownGame, "chess"),
    ],
    ids=str,
)
def test_a_seat_that_does_not_fit_here_says_why(facts: dict[str, Any], error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        Seat.from_bytes(changed(**facts))
