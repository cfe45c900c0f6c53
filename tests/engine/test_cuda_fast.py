"""Random play in the fast memory of a block, without a GPU: its threads one after another, in plain Python."""

from types import SimpleNamespace

import numpy as np
import pytest

from samovar.engine.batch import TO_THE_END, Batch
from samovar.engine.registry import find_game
from samovar.engine.rule import Compiler
from samovar.engine.ways import cuda
from samovar.engine.ways.plain import plain

MATCHES = cuda.THREADS_A_BLOCK + 3  # more than one block, and the second is not full


class Shared:
    """Records in the memory of a block, as plain states."""

    def __init__(self, count: int, kind: object) -> None:
        self.rows = np.zeros(count, kind)

    def __getitem__(self, k: int) -> object:
        return plain(self.rows)[k]

    def view(self, kind: object) -> np.ndarray:
        return self.rows.view(kind)


class Threads:
    """What a kernel asks of CUDA."""

    def __init__(self) -> None:
        self.number = 0
        self.threadIdx = SimpleNamespace(x=0)
        self.local = SimpleNamespace(array=np.zeros)
        self.shared = SimpleNamespace(
            array=lambda n, kind: Shared(n, kind) if np.dtype(kind).names else np.zeros(n, kind)
        )

    def grid(self, dimensions: int) -> int:
        return self.number

    def popc(self, bits: int) -> int:
        return int(bits).bit_count()

    def jit(self, kernel=None, **asked):
        return kernel or (lambda function: function)


class OneByOne(cuda.CudaBackend):
    def __init__(self, game) -> None:
        super().__init__(game)
        self._compiler = Compiler(self._jit_device, self._bound(), tables_as_arrays=False)

    def _load(self):
        return Threads()

    def run(self, operation, states, a=cuda.NOTHING, b=cuda.NOTHING, c=cuda.NOTHING) -> None:
        kernel = self._kernel(operation)
        for self.cuda.number in range(len(states) + 1):
            self.cuda.threadIdx.x = self.cuda.number % cuda.THREADS_A_BLOCK
            kernel(states, *map(plain, (a, b, c)))


@pytest.fixture
def on_a_gpu(monkeypatch) -> None:
    monkeypatch.setattr(cuda, "is_simulated", lambda: False)
    monkeypatch.setattr(cuda, "cuda_package", lambda: cuda.NUMBA_CUDA)


@pytest.mark.parametrize("options", [{}, {"expert": True}])
def test_the_fast_kernel_plays_the_same_matches(on_a_gpu, options) -> None:
    game = find_game("memoarrrr")
    batch = Batch(game, MATCHES, 3, 5, **options)
    states, lengths = batch.states.copy(), np.zeros(MATCHES, np.int64)
    backend = OneByOne(game)
    assert backend._is_fast("play_random")
    backend.play_random(states, np.asarray(batch.seeds), lengths, TO_THE_END)
    assert lengths.tolist() == batch.play_random().tolist()
    assert states.tobytes() == batch.states.tobytes()


def test_what_does_not_fit_or_makes_one_move_is_played_as_before(on_a_gpu, monkeypatch) -> None:
    fast = {
        game: OneByOne(find_game(game))._is_fast("play_random") for game in ("memoarrrr", "varvitikud", "matryoshka")
    }
    assert fast == {"memoarrrr": True, "varvitikud": False, "matryoshka": False}
    memoarrrr = OneByOne(find_game("memoarrrr"))
    assert not memoarrrr._is_fast("send")
    monkeypatch.setattr(cuda, "cuda_package", lambda: cuda.NUMBA_CUDA_MLIR)
    assert not memoarrrr._is_fast("play_random")


@pytest.mark.parametrize("game", ["memoarrrr", "varvitikud", "matryoshka", "babuschka"])
def test_padding_changes_nothing_but_the_distance(game) -> None:
    state = find_game(game).state
    wide = cuda.padded(state)
    assert {name: wide.fields[name][:2] for name in wide.names} == {n: state.fields[n][:2] for n in state.names}
    assert wide.itemsize // state.alignment % 2 == 1
    assert 0 <= wide.itemsize - state.itemsize <= state.alignment
