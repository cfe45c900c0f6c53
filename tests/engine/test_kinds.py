"""What the numbers of an observation are decides how a network is shown them."""

from dataclasses import replace

import numpy as np
import pytest

from samovar.engine.batch import Batch
from samovar.engine.contract import Part
from samovar.engine.kinds import FLAG, MOST_STEPS, Kind, Layout, count, one_of, place_on, seat_of, starts
from samovar.engine.match import Match
from samovar.engine.rule import rule
from samovar.engine.ways.backend import backend
from samovar.errors import BadBatch, BadOption, BrokenGame
from support import tiny_game
from support.tiny_game import observe

NUMBERS = tiny_game.GAME.observation_size


@rule
def observe_ramp(state, seat, out):
    """Numbers that go up from -3, by one each."""
    observe(state, seat, out)
    for k in range(NUMBERS):
        out[k] = k - 3


def planes_by_hand(kind: Kind, number: int) -> list[int]:
    """What one number becomes, written in another way than the rule."""
    if kind.is_count:
        steps = [kind.first + (kind.values - 1) * (plane + 1) / kind.planes for plane in range(kind.planes)]
        return [int(number >= step) for step in steps]
    return [int(number == kind.first + plane) for plane in range(kind.values)]


KINDS = [FLAG, count(-3, 40), count(0, 4), one_of(3), one_of(4, 2), seat_of(2, -1), place_on((2, 2))]


@pytest.mark.parametrize(("kind", "plain"), [*((kind, True) for kind in KINDS), (KINDS[1], False)])
def test_every_number_becomes_the_planes_of_its_kind(kind, plain):
    parts = (Part("ramp", NUMBERS, "rising", kind),)
    game = replace(tiny_game.GAME, observe=observe_ramp, observation=parts)
    rows = np.full((1, game.encoding.size), 99, np.int8)
    backend(game, plain).observe(Match(game, 2, 1, plain=True).states, 0, rows, "planes")
    wanted = [planes_by_hand(kind, k - 3) for k in range(NUMBERS)]
    assert rows.reshape(kind.planes, NUMBERS).T.tolist() == wanted
    assert rows.sum() > 0


def test_a_count_has_few_steps_and_a_flag_is_one():
    assert FLAG.planes == 1
    assert count(0, 5).planes == 5
    assert count(-100, 100).planes == MOST_STEPS


def test_parts_lie_one_after_another_plane_by_plane():
    layout = Layout("x", (Part("a", 3, "", one_of(2)), Part("b", 4, "", FLAG, (2, 2)), Part("c", 1, "", count(0, 3))))
    assert [(planes.name, planes.count, planes.size, planes.shape, planes.start) for planes in layout.planes] == [
        ("a", 2, 3, (3,), 0),
        ("b", 1, 4, (2, 2), 6),
        ("c", 3, 1, (1,), 10),
    ]
    assert (layout.raw_size, layout.size) == (8, 13)


@pytest.mark.parametrize("wrong", [lambda: count(3, 3), lambda: one_of(0)])
def test_a_kind_without_numbers_is_refused(wrong):
    with pytest.raises(BrokenGame):
        wrong()


# Relations and factors


@rule
def relate_sum(seen, at):
    """The first two numbers of the ramp together, and the last."""
    seen[at] = seen[0] + seen[1]
    seen[at + 1] = seen[NUMBERS - 1]


@rule
def factor_move(state, seat, move, out):
    out[0] = move
    out[1] = 1 if move == 0 else 0


TOLD = replace(
    tiny_game.GAME,
    observe=observe_ramp,
    observation=(Part("ramp", NUMBERS, "rising", one_of(2)),),
    relations=(Part("sum", 1, "of two", count(-10, 0)), Part("last", 1, "of all", one_of(NUMBERS))),
    relate=relate_sum,
    factors=(Part("bet", 1, "how much", one_of(3)), Part("nothing", 1, "whether it is none", FLAG)),
    factor=factor_move,
)


def test_relations_follow_from_the_observation_and_come_last(monkeypatch):
    monkeypatch.setenv("SAMOVAR_PLAIN", "1")
    row = Match(TOLD, 2, 1).observation(0, "planes")
    summed, last = row[2 * NUMBERS : 2 * NUMBERS + 10], row[2 * NUMBERS + 10 :]
    assert summed.tolist() == [1] * 5 + [0] * 5  # -5 is half-way from -10 to 0
    assert last.tolist() == [int(k == NUMBERS - 4) for k in range(NUMBERS)]
    raw = Match(TOLD, 2, 1).observation(0)
    again = np.zeros((1, TOLD.encoding.size), np.int8)
    backend(TOLD).encode(np.zeros(1, TOLD.state), raw[None], again)
    assert again[0].tolist() == row.tolist()


@pytest.mark.parametrize(
    ("encoding", "factors", "width"),
    [("raw", None, 2), ("planes", None, 4), ("planes", "raw", 2), ("raw", "planes", 4)],
)
def test_every_legal_move_is_told_as_parts(encoding, factors, width, monkeypatch):
    monkeypatch.setenv("SAMOVAR_PLAIN", "1")
    batch = Batch(TOLD, 3, 2, encoding=encoding, factors=factors)
    assert batch.observations.shape == (3, TOLD.row_size(encoding))
    for _ in range(3):
        told, moves, counts = batch.legal_factors, batch.legal_moves, batch.legal_counts
        assert told.shape == (3, TOLD.max_legal, width)
        for i in range(3):
            for k in range(counts[i]):
                move = int(moves[i, k])
                wanted = [move, int(move == 0)]
                if width == 4:
                    wanted = [*(int(move == bet) for bet in range(3)), int(move == 0)]
                assert told[i, k].tolist() == wanted
        batch.step(batch.random_moves())


# Turned moves


@rule
def mirrored(state, seat, move):
    """Seat 1 counts from the other end."""
    return 2 - move if seat == 1 else move


@rule
def no_middle(state, seat, out):
    out[0] = 0
    out[1] = 1
    return 2


TURNED = replace(TOLD, rotate_move=mirrored, rotate_back=mirrored, legal=no_middle)


def test_moves_can_be_had_turned_to_the_seat(monkeypatch):
    monkeypatch.setenv("SAMOVAR_PLAIN", "1")
    batch, straight = (Batch(TURNED, 4, 2, seed=3, turned=turned) for turned in (True, False))
    seats = set()
    for _ in range(6):
        for i, seat in enumerate(batch.actor.tolist()):
            seats.add(seat)
            wanted = [1, 2] if seat == 1 else [0, 1]
            assert batch.legal_moves[i, :2].tolist() == wanted
            assert batch.legal_mask[i].nonzero()[0].tolist() == wanted
            # the parts of a move stand where its number does
            assert batch.legal_factors[i, :2, 0].tolist() == ([1, 0] if seat == 1 else [0, 1])
        moves = straight.random_moves()
        straight.step(moves)
        batch.step(np.array([2 - m if s == 1 else m for m, s in zip(moves, batch.actor, strict=True)]))
        assert batch.states.tobytes() == straight.states.tobytes()
    assert seats == {0, 1}


# What is refused


def test_what_cannot_be_had_is_refused_with_the_remedy():
    bare = tiny_game.GAME
    plain_parts = replace(bare, observation=(Part("ramp", NUMBERS, "of no kind"),))
    with pytest.raises(BrokenGame, match=r"does not say of what kind its numbers ramp are.*encoding='raw'"):
        Batch(plain_parts, 2, encoding="planes")
    with pytest.raises(BadOption, match=r"encoding cannot be 'nets'. It is 'raw'"):
        Batch(bare, 2, encoding="nets")
    with pytest.raises(BadBatch, match=r"rewards cannot be 'money'. They go by 'place'"):
        Batch(bare, 2, rewards="money")
    with pytest.raises(BrokenGame, match="only one of 'factors' and 'factor'"):
        replace(bare, factor=factor_move)
    with pytest.raises(BrokenGame, match="only one of 'rotate_move' and 'rotate_back'"):
        replace(bare, rotate_move=mirrored)
    with pytest.raises(BadBatch, match="does not tell its moves as parts"):
        Batch(replace(bare, factors=(), factor=None), 2).legal_factors  # noqa: B018


def test_the_engine_says_where_the_parts_of_an_observation_begin():
    parts = (Part("board", 9, "men"), Part("turn", 1, "who moves"), Part("left", 2, "men left"))
    assert starts(parts, "left", "board", "turn") == (10, 0, 9)
    with pytest.raises(BrokenGame, match=r"There is no part 'trun'\. Did you mean 'turn'"):
        starts(parts, "board", "trun")
