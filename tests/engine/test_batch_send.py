"""`send` is a step that nobody waits for: the same matches, and what was wrong is said when they settle."""

from typing import Any

import pytest

import samovar
from samovar.errors import BadBatch, IllegalMove
from support.batches import everything
from support.processes import told_by

MIXED: list[dict[str, Any]] = [{"seats": 2}, {"seats": 4, "expert": True}]


def pair(game: str = "connect_four", **words: Any) -> tuple[samovar.Batch, samovar.Batch]:
    one, other = (samovar.Batch(game, 7, seed=5, threads=2, **words) for _ in range(2))
    return one, other


@pytest.mark.parametrize(
    ("game", "words"),
    [
        ("connect_four", {}),
        ("connect_four", {"restart": False}),
        pytest.param("memoarrrr", {"variants": MIXED, "rewards": "both"}, marks=pytest.mark.slow),
    ],
)
def test_send_does_what_step_does(game: str, words: dict[str, Any]) -> None:
    sent, stepped = pair(game, **words)
    for _ in range(130):
        moves = stepped.random_moves()
        assert sent.random_moves().tolist() == moves.tolist()
        sent.send(moves)
        stepped.step(moves)
        assert everything(sent) == everything(stepped)
    sent.settle()
    assert (stepped.seeds > 2**40).any() or not stepped.restart, "no match has ended"


@pytest.mark.slow
def test_send_tells_networks_what_step_tells() -> None:
    sent, stepped = pair(encoding="planes", turned=True)
    for _ in range(60):
        moves = stepped.random_moves()
        sent.send(moves)
        stepped.step(moves)
        assert everything(sent)[:3] == everything(stepped)[:3]
    sent.settle()


def test_moves_can_be_written_where_send_finds_them() -> None:
    sent, stepped = pair()
    before = everything(sent)
    sent.send()
    assert everything(sent) == before, "nobody has written a move yet"
    place = sent.moves_in
    for _ in range(50):
        place[:] = stepped.random_moves()
        sent.send()
        stepped.step(place)
        assert sent.states.tobytes() == stepped.states.tobytes()
    assert sent.moves_in is place
    sent.settle()


@pytest.mark.parametrize("wrong", [99, -2, 10**12])
def test_an_illegal_move_changes_nothing_in_its_match_and_is_told_late(wrong: int) -> None:
    sent, stepped = pair()
    for number in range(1, 7):
        moves = stepped.random_moves()
        given = moves.copy()
        if number in (3, 4):
            given[5], moves[5] = wrong, -1
        if number == 4:
            given[2], moves[2] = 50, -1
        sent.send(given)
        stepped.step(moves)
        assert everything(sent)[:3] == everything(stepped)[:3]
    said = rf"in 6 sends 3 were not legal, the first of them move {wrong} in match 5, in send 3\..*`legal_moves`"
    with pytest.raises(IllegalMove, match=said):
        sent.settle()
    sent.settle()  # said once
    sent.send(stepped.random_moves())
    sent.send(99)
    with pytest.raises(
        IllegalMove, match=r"in 2 sends 7 were not legal, the first of them move 99 in match 0, in send 2"
    ):
        sent.settle()


def test_a_move_after_the_end_is_not_legal_either() -> None:
    batch = samovar.Batch("connect_four", 2, seed=1, threads=1, restart=False)
    while (batch.actor >= 0).any():
        batch.send(batch.random_moves())
    batch.settle()
    before = batch.states.tobytes()
    batch.send(3)
    assert batch.states.tobytes() == before
    with pytest.raises(IllegalMove, match="in 1 sends 2 were not legal"):
        batch.settle()


def test_what_is_no_row_of_moves_is_refused_at_once() -> None:
    batch = samovar.Batch("connect_four", 3, seed=1, threads=1)
    before = everything(batch)
    for wrong in ([0, 0], [0.5] * 3, "0", [None] * 3):
        with pytest.raises(BadBatch, match="Each of 3 matches needs one whole number"):
            batch.send(wrong)
    batch.settle()
    assert everything(batch) == before


def test_a_clone_sends_and_settles_by_itself() -> None:
    batch = samovar.Batch("connect_four", 3, seed=1, threads=1)
    batch.moves_in[:] = 3
    batch.send([99, -1, 0])
    twin = batch.clone()
    twin.settle()
    twin.moves_in[:] = 4
    assert batch.moves_in.tolist() == [3, 3, 3]
    before = batch.states.tobytes()
    twin.send()
    assert batch.states.tobytes() == before != twin.states.tobytes()
    with pytest.raises(IllegalMove, match="move 99 in match 0, in send 1"):
        batch.settle()


SIMULATED = """
import numpy as np, samovar
from support import batches as t
from samovar.engine.ways import cuda
from samovar.errors import BadBatch, IllegalMove
cuda.THREADS_A_BLOCK = 2  # so that few matches are several blocks
mixed = [{"seats": 2}, {"seats": 4, "expert": True}]
for game, words in (("connect_four", {}), ("memoarrrr", {"variants": mixed, "rewards": "both"})):
    there, small, here = (samovar.Batch(game, size, seed=4, threads=1, device=device, **words)
                          for size, device in ((5, "cuda"), (2, "cuda"), (5, "cpu")))
    assert t.everything(there) == t.everything(here)
    for step in range(24):
        moves = here.random_moves()
        if step % 2:
            there.send(moves)
        else:
            there.moves_in.array.copy_to_device(moves)
            there.send(stream=7)
        if step > 4:
            small.send(-1)  # of fewer blocks, in between
        here.step(moves)
        assert t.everything(there)[:3] == t.everything(here)[:3], (game, step)
    there.settle()
    before = t.everything(there)
    moves = np.full(5, -1)
    moves[2] = 10**6
    twin = there.clone()  # which keeps other arrays up to date than before
    twin.send(moves)
    twin.observations, twin.legal_mask
    twin.send(moves)
    moves = here.random_moves()
    twin.send(moves)
    here.step(moves)
    assert t.everything(there) == before
    assert [np.asarray(array).tobytes() for array in (twin.observations, twin.legal_mask)] == [
        array.tobytes() for array in (here.observations, here.legal_mask)]
    there.settle()
    try:
        twin.settle()
    except IllegalMove as error:
        assert "in 3 sends 2 were not legal, the first of them move 1000000 in match 2, in send 1." in str(error), error
    else:
        raise AssertionError("nobody said that a move was illegal")
own = np.zeros(2, samovar.find_game("connect_four").state)
try:
    samovar.Batch("connect_four", 2, device="cuda", states=own).send([0, 0])
except BadBatch as error:
    assert "on the device" in str(error)
else:
    raise AssertionError("states on the host were sent")
print("alike")
"""


@pytest.mark.slow
def test_a_simulated_gpu_sends_alike() -> None:
    assert told_by(SIMULATED, NUMBA_ENABLE_CUDASIM="1") == "alike"
