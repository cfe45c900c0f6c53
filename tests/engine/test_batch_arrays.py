"""A batch step by step: its arrays are everybody's, its matches are those of `Match`, and what is
refused changes nothing."""

from typing import Any

import numpy as np
import pytest

import samovar
from samovar.engine import batch as batch_module
from samovar.engine.contract import Game
from samovar.engine.ways.backend import backend
from samovar.engine.ways.rewards import reward_units
from samovar.engine.ways.turns import Turn, next_seed
from samovar.errors import BadBatch, IllegalMove, MatchOver
from support.batches import SHOWN, everything, shown, walk
from support.processes import told_by

GAMES = [samovar.find_game(game_id) for game_id in samovar.game_ids()]
VARIANTS = [(game, seats, options) for game in GAMES for seats, options in game.variants()]
NAMES = [f"{game.id}-{seats}-{'-'.join(map(str, options.values()))}" for game, seats, options in VARIANTS]
# Of the last variant of each game, which the quick tier plays, not all are compiled: step by step a batch does the same
# in all games, and the other variants of these are compiled in the rest.
NOT_COMPILED = ("babuschka", "matryoshka", "varvitikud")


# Step by step it is the same as matches played one by one


@pytest.fixture
def _not_all_are_compiled(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.node.callspec.params["game"].id in NOT_COMPILED and not request.node.get_closest_marker("variants"):
        monkeypatch.setenv("SAMOVAR_PLAIN", "1")


@pytest.mark.usefixtures("_not_all_are_compiled")
@pytest.mark.parametrize(("game", "seats", "options"), VARIANTS, ids=NAMES)
def test_steps_are_those_of_single_matches(game: Game, seats: int, options: dict) -> None:
    check_steps(samovar.Batch(game, 3, seats, seed=70, threads=1, **options), 10)


@pytest.mark.parametrize(("game_id", "seats"), [("connect_four", 2), ("memoarrrr", 4), ("varvitikud", 3)])
def test_matches_that_end_are_rewarded_by_place_and_dealt_anew(
    game_id: str, seats: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    if game_id in NOT_COMPILED:
        monkeypatch.setenv("SAMOVAR_PLAIN", "1")
    assert check_steps(samovar.Batch(game_id, 4, seats, seed=70, threads=1), 150) >= 4


def check_steps(batch: samovar.Batch, steps: int) -> int:
    """How many matches have ended."""
    seeds = [70 + i for i in range(batch.size)]
    matches = [samovar.Match(batch.game, batch.seats, seed, **batch.options) for seed in seeds]
    count = 0
    for step in range(steps):
        moves = []
        for i, match in enumerate(matches):
            seat = match.actors[0]
            legal = match.legal(seat)
            assert batch.states[i].tobytes() == match.state_bytes
            assert (batch.actor[i], batch.seeds[i]) == (seat, seeds[i])
            assert batch.observations[i].tobytes() == match.observation(seat).tobytes()
            assert np.flatnonzero(batch.legal_mask[i]).tolist() == legal
            assert batch.legal_moves[i, : batch.legal_counts[i]].tolist() == legal
            moves.append(legal[(step * 31 + i * 17) % len(legal)])
            match.play(seat, moves[-1])
        batch.step(moves)
        assert batch.ended.tolist() == [match.over for match in matches]
        for i, match in enumerate(matches):
            if not match.over:
                assert not batch.rewards[i].any()
                continue
            count += 1
            assert batch.rewards[i].tolist() == pytest.approx(rewards_of(match.places))
            while matches[i].over:  # V8: in some deals nobody can act
                seeds[i] = next_seed(seeds[i])
                matches[i] = samovar.Match(batch.game, batch.seats, seeds[i], **batch.options)
    return count


def rewards_of(places: tuple[int, ...]) -> list[float]:
    return [sum((other > own) - (other < own) for other in places) / (len(places) - 1) for own in places]


def test_the_next_seed_is_in_range_even_after_the_highest() -> None:
    highest = 2**63 - 1
    batch = samovar.Batch("connect_four", 1, seed=highest, threads=1)
    while not batch.ended[0]:
        batch.step(batch.random_moves())
    assert 0 <= batch.seeds[0] < highest
    assert batch.states[0].tobytes() == samovar.Match("connect_four", 2, int(batch.seeds[0])).state_bytes


def test_threads_change_nothing() -> None:
    one, two = (samovar.Batch("memoarrrr", 7, 3, seed=5, threads=threads) for threads in (1, 2))
    assert walk(one, 60) == walk(two, 60)
    assert one.seeds.tolist() != list(range(5, 12)), "no match has ended"


@pytest.mark.parametrize("restart", [True, False])
def test_the_same_seed_gives_the_same_again(restart: bool) -> None:
    batch = samovar.Batch("connect_four", 3, seed=5, threads=1, restart=restart)
    start, first = everything(batch), walk(batch, 60)
    batch.reset(5)
    assert everything(batch) == start
    assert walk(batch, 60) == first
    batch.reset(6)
    assert walk(batch, 60) != first


# Arrays stay where they are


def address(array: np.ndarray) -> int:
    return array.__array_interface__["data"][0]


def arrays(batch: samovar.Batch) -> dict[str, np.ndarray]:
    return {name: getattr(batch, name) for name in (*SHOWN, "states")}


def test_arrays_stay_where_they_are() -> None:
    batch = samovar.Batch("memoarrrr", 5, 2, seed=1, threads=2)
    kept = arrays(batch)
    places = {name: address(array) for name, array in kept.items()}
    walk(batch, 30)
    batch.restore(batch.snapshot())
    batch.reset(9)
    walk(batch, 30)
    assert {name: address(array) for name, array in arrays(batch).items()} == places
    assert all((array == arrays(batch)[name]).all() for name, array in kept.items())


@pytest.mark.parametrize("name", ["observations", "legal_mask"])
def test_what_is_first_asked_for_after_a_match_has_ended_loses_nothing(name: str) -> None:
    batch = samovar.Batch("connect_four", 3, seed=1, threads=1)
    while not batch.ended.any():
        batch.step(batch.random_moves())
    ended, rewards = batch.ended.copy(), batch.rewards.copy()
    assert rewards.any()
    getattr(batch, name)
    assert (batch.ended == ended).all()
    assert (batch.rewards == rewards).all()


@pytest.mark.parametrize("name", SHOWN)
@pytest.mark.research
def test_pytorch_looks_into_the_same_memory(name: str) -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    batch = samovar.Batch("memoarrrr", 64, 2, seed=1, threads=1)
    array = getattr(batch, name)
    tensor = torch.from_dlpack(array)
    assert tensor.data_ptr() == address(array)
    check_follows(batch, array, tensor.numpy)


@pytest.mark.parametrize("name", SHOWN)
@pytest.mark.research
def test_jax_looks_into_the_same_memory(name: str) -> None:
    """On the CPU it takes an array without a copy only from an address that is a multiple of 64."""
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    batch = samovar.Batch("memoarrrr", 64, 2, seed=1, threads=1)
    array = getattr(batch, name)
    there = jax.dlpack.from_dlpack(array, copy=False)
    assert there.unsafe_buffer_pointer() == address(array)
    check_follows(batch, array, lambda: np.from_dlpack(there))


def check_follows(batch: samovar.Batch, array: np.ndarray, look: Any) -> None:
    """The other library shows what each step has changed."""
    changes = 0
    for _ in range(40):
        before = array.tobytes()
        batch.step(batch.random_moves())
        assert look().tobytes() == array.tobytes()
        changes += array.tobytes() != before
    assert changes


IN_LIBRARIES = [pytest.param(name, marks=pytest.mark.research) for name in ("torch", "jax")]


@pytest.mark.parametrize("kind", ["list", "tuple", *IN_LIBRARIES, "int32", "uint8", "strided"])
def test_moves_are_taken_from_anywhere(kind: str) -> None:
    batch, other = (samovar.Batch("connect_four", 6, seed=1, threads=1) for _ in range(2))
    for _ in range(30):
        moves = batch.random_moves()
        given: Any = moves
        if kind == "torch":
            given = pytest.importorskip("torch", reason="PyTorch is not installed").tensor(moves)
        elif kind == "jax":
            given = pytest.importorskip("jax", reason="JAX is not installed").numpy.array(moves)
        elif kind in ("list", "tuple"):
            given = {"list": list, "tuple": tuple}[kind](moves.tolist())
        elif kind == "strided":
            given = np.stack([moves, moves + 1], 1)[:, 0]
        else:
            given = moves.astype(kind)
        batch.step(given)
        other.step(moves)
        assert batch.states.tobytes() == other.states.tobytes()


# The same place again


@pytest.mark.usefixtures("_not_all_are_compiled")
@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.id)
def test_restore_brings_everything_back(game: Game) -> None:
    batch = samovar.Batch(game, 4, seed=3, threads=1)
    walk(batch, 8)
    looks = [shown(batch)[name] for name in ("observations", "legal_mask", "listed", "legal_counts", "actor")]
    states, seeds = batch.states.tobytes(), batch.seeds.tobytes()
    kept = batch.snapshot()
    walk(batch, 60)
    assert batch.states.tobytes() != states
    batch.restore(kept)
    assert (batch.states.tobytes(), batch.seeds.tobytes()) == (states, seeds)
    assert [shown(batch)[name] for name in ("observations", "legal_mask", "listed", "legal_counts", "actor")] == looks
    assert not batch.ended.any()
    assert not batch.rewards.any()
    walk(batch, 5)
    assert kept.states.tobytes() == states, "a snapshot changes with its batch"


def test_a_snapshot_fits_another_batch_like_it() -> None:
    one, other = (samovar.Batch("memoarrrr", 4, 2, seed=seed, threads=1) for seed in (1, 100))
    walk(one, 40)
    other.restore(one.snapshot())
    for _ in range(40):
        moves = one.random_moves()
        one.step(moves)
        other.step(moves)
        assert (shown(one), one.seeds.tobytes()) == (shown(other), other.seeds.tobytes())


def test_a_clone_plays_on_apart() -> None:
    batch = samovar.Batch("memoarrrr", 4, 2, seed=3, threads=1)
    walk(batch, 10)
    twin = batch.clone()
    before = everything(batch)
    assert twin.states.tobytes() == batch.states.tobytes()
    assert twin.observations.tobytes() == batch.observations.tobytes()
    later = walk(twin, 50)
    assert everything(batch) == before
    assert walk(batch, 50) == later


@pytest.mark.parametrize(
    "other",
    [("memoarrrr", 3), ("memoarrrr", 5), ("varvitikud", 4)],
    ids=["smaller", "larger", "another game"],
)
def test_a_snapshot_of_something_else_is_refused(other: tuple[str, int]) -> None:
    batch = samovar.Batch("memoarrrr", 4, 2, seed=3, threads=1)
    before = everything(batch)
    with pytest.raises(BadBatch, match="like the one it was taken of"):
        batch.restore(samovar.Batch(*other, 2, threads=1).snapshot())
    assert everything(batch) == before


# What is refused changes nothing


def check_refused(batch: samovar.Batch, moves: Any, error: type[Exception], said: str) -> None:
    before = everything(batch)
    with pytest.raises(error, match=said):
        batch.step(moves)
    assert everything(batch) == before


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("wrong", ["between", -2, 10**12, -(2**63)])
def test_an_illegal_move_is_named_with_its_match_and_what_is_legal(wrong: int | str, threads: int) -> None:
    batch = samovar.Batch("memoarrrr", 5, 2, seed=1, threads=threads)
    walk(batch, 9)
    moves = batch.random_moves()
    seat, legal = batch.actor[3], batch.legal_moves[3, : batch.legal_counts[3]].tolist()
    if wrong == "between":
        wrong = next(move for move in range(legal[0], legal[-1]) if move not in legal)
    moves[3] = wrong
    listed = ", ".join(map(str, legal[:12]))
    check_refused(
        batch, moves, IllegalMove, rf"Move {wrong} is not legal for seat {seat} in match 3\. Legal there: {listed}"
    )
    moves[4] = wrong
    check_refused(batch, moves, IllegalMove, r"in match 3 \(1 other match")


@pytest.mark.parametrize(
    "wrong",
    [
        [0, 0],
        [0, 0, 0, 0],
        [[0, 0, 0]],
        [0.0, 0.0, 0.0],
        [True, True, True],
        ["0", "0", "0"],
        [None, 0, 0],
        None,
        1.0,
        "0",
        [0, 0, 2**64],
    ],
    ids=repr,
)
def test_moves_of_another_shape_or_type_are_refused(wrong: Any) -> None:
    check_refused(
        samovar.Batch("connect_four", 3, seed=1, threads=1), wrong, BadBatch, "Each of 3 matches needs one whole number"
    )


def test_a_match_that_is_over_waits_when_it_may_not_restart() -> None:
    batch = samovar.Batch("connect_four", 3, seed=1, threads=1, restart=False)
    ended = np.zeros(3, bool)
    for _ in range(42):
        batch.step(batch.random_moves())
        assert not (ended & batch.ended).any(), "a match has ended twice"
        ended |= batch.ended
        assert (batch.actor[ended] == -1).all()
        assert (batch.legal_counts[ended] == 0).all()
        assert not batch.legal_mask[ended].any()
        assert (batch.random_moves()[ended] == -1).all()
        if ended.any() and not ended.all():
            moves = batch.random_moves()
            moves[ended] = 3
            check_refused(batch, moves, MatchOver, rf"Match {ended.argmax()} is over.*move -1.*restart=True")
    assert ended.all()
    before = batch.states.tobytes()
    batch.step(-1)
    assert batch.states.tobytes() == before
    assert not batch.rewards.any()
    assert batch.seeds.tolist() == [1, 2, 3]


def test_a_match_waits_where_the_move_is_none() -> None:
    batch = samovar.Batch("memoarrrr", 3, 2, seed=1, threads=1)
    walk(batch, 5)
    before = {name: array[1].copy() for name, array in arrays(batch).items()}
    moves = batch.random_moves()
    moves[1] = -1
    others = batch.states[[0, 2]].tobytes()
    batch.step(moves)
    assert batch.states[[0, 2]].tobytes() != others
    assert all((array[1] == before[name]).all() for name, array in arrays(batch).items())


def test_a_batch_too_large_for_memory_is_told_how_many_would_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    game = samovar.find_game("matryoshka")
    monkeypatch.setattr(batch_module, "free_bytes", lambda: 2**25)
    with pytest.raises(BadBatch, match=f"1,000,000 matches of {game.name}.*at most {2**25 // game.state.itemsize:,}"):
        samovar.Batch(game, 1_000_000)
    batch = samovar.Batch(game, 2_100)
    assert (batch.actor >= 0).all()
    before = batch.states.tobytes()
    with pytest.raises(BadBatch, match=f"2,100 matches.*at most {2**25 // game.moves:,}"):
        _ = batch.legal_mask
    assert batch.states.tobytes() == before
    batch.step(batch.random_moves())


# Other ways of running give the same bytes


@pytest.mark.parametrize(
    ("game", "seats", "options"),
    [
        pytest.param(*variant, id=name, marks=[pytest.mark.slow] if variant[0].id in NOT_COMPILED else [])
        for variant, name in zip(VARIANTS, NAMES, strict=True)
    ],
)
def test_plain_python_gives_the_same_bytes(game: Game, seats: int, options: dict) -> None:
    plain, compiled = (steps_by(backend(game, is_plain), game, seats, options) for is_plain in (True, False))
    assert plain == compiled


def steps_by(ready: Any, game: Game, seats: int, options: dict) -> list[bytes]:
    """The bytes of everything after each operation of `Batch.step`, with one move in two refused at
    first."""
    size = 2
    seeds, made, moves, refused = (
        np.arange(70, 70 + size),
        np.zeros(size, np.int64),
        np.zeros(size, np.int64),
        np.zeros(1, np.int64),
    )
    states, setup = np.zeros(size, game.state), game.setup(seats, game.check_options(seats, options))
    ready.deal(states, setup, seeds)
    units = np.repeat(reward_units(game, seats, "both")[:, None], size, axis=1)
    turn = Turn(
        setup=np.repeat(setup, size),
        wishes=np.ones((1, 4), np.int8),  # turned, all as planes, and dealt anew at the end
        place_unit=units[0],
        point_unit=units[1],
        seeds=seeds,
        actor=np.zeros(size, np.int32),
        ended=np.zeros(size, np.bool_),
        rewards=np.zeros((size, seats), np.float32),
        moves=np.zeros((size, game.max_legal), np.int32),
        counts=np.zeros(size, np.int32),
        observations=np.zeros((size, game.encoding.size), np.int8),
        mask=np.zeros((size, game.moves), np.bool_),
        factors=np.zeros((size, game.max_legal * game.factor_encoding.size), np.int8),
    )
    given = []
    ready.offer(states, turn, encoded=True)
    for step in range(6):
        ready.any_move(states, turn, made, moves)
        ready.check(states, turn, moves + (step % 2) * game.moves, refused)
        given.append(refused.tobytes())
        refused[:] = 0
        ready.advance(states, turn, moves, encoded=True)
        given += [array.tobytes() for array in (*turn, states, made, moves)]
    return given


@pytest.mark.slow
def test_plain_python_steps_whole_batches_alike() -> None:
    program = (
        "import samovar; from support import batches as t; "
        "print(hash_of(t.walk(samovar.Batch('connect_four', 3, seed=4, threads=2), 60)))"
    )
    assert told_by(program, SAMOVAR_PLAIN="1") == told_by(program, SAMOVAR_PLAIN="")


SIMULATED = """
import numpy as np, samovar
from support import batches as t
for game, seats in (("connect_four", 2), ("memoarrrr", 3)):
    there, here = (samovar.Batch(game, 3, seats, seed=4, threads=1, device=device) for device in ("cuda", "cpu"))
    assert t.everything(there) == t.everything(here)
    for step in range(26):
        moves = here.random_moves()
        assert np.asarray(there.random_moves()).tolist() == moves.tolist()
        there.step(moves)
        here.step(moves)
        assert t.everything(there) == t.everything(here), (game, step)
    kept, twin = there.snapshot(), there.clone()
    before = t.everything(there)
    there.step(there.random_moves())
    assert t.everything(there) != before
    assert np.asarray(twin.states).tobytes() == before[1]
    there.restore(kept)
    assert t.everything(there)[1:3] == before[1:3]
    before = t.everything(there)
    try:
        there.step([-1, -1, 10**6])
    except samovar.IllegalMove as error:
        assert "match 2" in str(error), error
    else:
        raise AssertionError("an illegal move was made")
    assert t.everything(there) == before
    there.reset(4)
    here.reset(4)
    assert t.everything(there) == t.everything(here)
print("alike")
"""


@pytest.mark.slow
def test_a_simulated_gpu_steps_alike() -> None:
    assert told_by(SIMULATED, NUMBA_ENABLE_CUDASIM="1") == "alike"


@pytest.mark.parametrize(("seats", "options"), [(3, {}), (2, {"expert": True})])
def test_a_snapshot_of_another_variant_is_refused(seats: int, options: dict) -> None:
    batch = samovar.Batch("memoarrrr", 4, 2, seed=3, threads=1)
    before = everything(batch)
    with pytest.raises(BadBatch, match="like the one it was taken of"):
        batch.restore(samovar.Batch("memoarrrr", 4, seats, threads=1, **options).snapshot())
    assert everything(batch) == before


@pytest.mark.parametrize("threads", [0, -1, 1.5, True])
def test_threads_are_counted_from_one(threads: Any) -> None:
    with pytest.raises(BadBatch, match="at least one thread"):
        samovar.Batch("connect_four", 3, threads=threads)
