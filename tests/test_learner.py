"""The learner in examples/: it learns, for the reasons it gives."""

import csv
import io
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
import torch

import samovar
from samovar.engine.chance import below
from samovar.engine.contract import Game, Part, nothing_hidden
from samovar.engine.rule import rule

pytestmark = pytest.mark.research

FOLDER = Path(__file__).parent.parent / "examples" / "learner"
SCRIPT = FOLDER / "learn.py"

# Nim, because everybody knows how to play it: 5 to 7 matches lie there, each seat in turn takes 1
# to 3, who takes the last one wins.


@rule
def deal(state, seats, options, rng):
    state.seats = seats
    state.pile = 5 + below(rng, 3)


@rule
def actors(state):
    return 0 if state.pile == 0 else 1 << state.turn


@rule
def legal(state, seat, out):
    count = min(state.pile, 3)
    for number in range(count):
        out[number] = number
    return count


@rule
def apply(state, seat, move):
    state.pile -= move + 1
    state.turn = 1 - seat


@rule
def scores(state, out):
    out[state.turn] = 0
    out[1 - state.turn] = 1


@rule
def observe(state, seat, out):
    out[0] = state.pile


NIM = Game.from_module(
    __name__,
    id="nim",
    name="Nim",
    seats=(2,),
    state=np.dtype([("seats", np.int64), ("turn", np.int64), ("pile", np.int64)]),
    moves=3,
    max_length=lambda seats, options: 7,
    observation=(Part("pile", 1, "matches left"),),
    determinize=nothing_hidden,
    view=lambda state, seat: None,
    move_text=lambda state, seat, move: str(move + 1),
    words={"en": {}, "fr": {}},
)


@pytest.fixture
def learn(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The script as a module, with settings for a CPU: longer strides, and one thread."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    monkeypatch.syspath_prepend(FOLDER)
    import learn

    for name, value in {"RATE": 3e-3, "PORTIONS": 8, "PASSES": 2, "PAIRS": 1, "LAST_PAIRS": 2}.items():
        monkeypatch.setattr(learn, name, value)
    yield learn
    torch.set_num_threads(threads)


def small_learner(learn: Any) -> Any:
    return learn.Learner("connect_four", 32, seed=1, width=16, layers=1)


def test_by_playing_against_itself_it_learns_nim(learn: Any) -> None:
    """Who leaves a multiple of four wins; whatever is learned the wrong way round, or by the wrong
    seat, would be another rule."""
    learner = learn.Learner(NIM, 32, seed=1, width=16, layers=1)
    piles = [1, 2, 3, 5, 6, 7]
    before = learn.share_won(learner.network, "random", 100)
    for k in range(10):
        learner.learn(left=1 - k / 10)
    taken = learner.network.best(np.array(piles, np.int8).reshape(-1, 1), [[0, 1, 2][:pile] for pile in piles])
    assert [pile - 1 - move for pile, move in zip(piles, taken, strict=True)] == [0, 0, 0, 4, 4, 4]
    assert before < 0.65
    assert learn.share_won(learner.network, "random", 100) > 0.85


def test_what_is_good_for_one_seat_is_bad_for_the_other(learn: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Seat 0, 0, 1, 0, and that ends the match; the values are those of the actor."""
    monkeypatch.setattr(learn, "LAMBDA", 0.5)
    actor, following, ended = (
        torch.tensor([0, 0, 1, 0]),
        torch.tensor([0, 1, 0, 0]),
        torch.tensor([False, False, False, True]),
    )
    sides = learn.side(actor, following, ended)
    assert sides.tolist() == [1, -1, -1, 0]
    values, rewards = torch.tensor([0.0, 0.5, -0.5, 0.0, 0.75]), torch.tensor([0.0, 0.0, 0.0, 1.0])
    found = learn.gains(values.unsqueeze(1), rewards.unsqueeze(1), sides.unsqueeze(1)).squeeze(1)
    last = 1.0
    third = -(0.0 + 0.5 * last) - -0.5
    second = -(-0.5 + 0.5 * third) - 0.5
    assert found.tolist() == [(0.5 + 0.5 * second) - 0.0, second, third, last]


def test_the_last_move_of_a_match_won_it_and_the_one_before_lost_it(learn: Any) -> None:
    """True of Connect Four; and a network that knows nothing expects nothing."""
    learner = small_learner(learn)
    *_, values, gains = learner.play()
    assert not values.any()
    ends = (gains == 1).nonzero().tolist()
    assert len(ends) > 20
    for step, match in ends:
        if step:
            assert gains[step - 1, match] == pytest.approx(-learn.LAMBDA)


def test_what_is_learned_from_is_what_the_actors_knew_and_did(learn: Any) -> None:
    learner = small_learner(learn)
    observations, legal, moves, *_ = learner.play()
    match = samovar.Match("connect_four", 2, 1 + 5)
    for step in range(7):
        (seat,) = match.actors
        assert observations[step, 5].tolist() == match.observation(seat).tolist()
        assert legal[step, 5].nonzero().flatten().tolist() == match.legal(seat)
        match.play(seat, int(moves[step, 5]))
    assert learner.moves == 32 * learn.STEPS


def test_a_move_that_is_not_legal_is_never_chosen(learn: Any) -> None:
    network = small_learner(learn).network
    with torch.no_grad():
        network.policy.bias[3] = 100.0
    assert network.best(torch.zeros(2, 42, dtype=torch.int8).numpy(), [[0, 3], [5]]) == [3, 5]


def test_the_curve_and_the_network_are_written(learn: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    learner = small_learner(learn)
    learn.train(learner, 1e-9, tmp_path)
    rows = list(csv.DictReader((tmp_path / "curve.csv").read_text().splitlines()))
    # before learning, and after it once
    assert [int(row["moves"]) for row in rows] == [32 * learn.STEPS, 2 * 32 * learn.STEPS]
    picture = ElementTree.fromstring((tmp_path / "curve.svg").read_text())
    lines = picture.findall("{http://www.w3.org/2000/svg}polyline")
    assert [len(line.attrib["points"].split()) for line in lines] == [2, 2]
    assert "against greedy" in capsys.readouterr().out
    again = learn.Network.load(tmp_path / "network.pt").state_dict()
    assert all(torch.equal(weights, again[name]) for name, weights in learner.network.state_dict().items())


def test_what_was_learned_plays_as_a_program(
    learn: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "network.pt"
    small_learner(learn).network.save(file)
    ask = {"type": "ask", "observation": [0] * 42, "legal": [{"move": 4, "text": "e"}]}
    messages = [{"type": "hello", "protocol": 1}, {"type": "match"}, ask, {"type": "over"}, {"type": "quit"}]
    monkeypatch.setattr(sys, "stdin", io.StringIO("".join(json.dumps(message) + "\n" for message in messages)))
    learn.sit_down(file)
    assert [json.loads(line) for line in capsys.readouterr().out.splitlines()] == [
        {"type": "ready"},
        {"type": "move", "move": 4},
    ]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--game", "matryoshka", "--device", "cpu"], "not with 2"),
        (["--game", "chess", "--device", "cpu"], "chess"),
        (["--matches", "0", "--device", "cpu"], "at least one match"),
        (["--play", "nowhere.pt"], "nowhere.pt"),
    ],
)
def test_a_wrong_order_is_answered_by_a_sentence(
    learn: Any, monkeypatch: pytest.MonkeyPatch, arguments: list[str], text: str
) -> None:
    monkeypatch.setattr(sys, "argv", ["learn.py", *arguments])
    with pytest.raises(SystemExit, match=text):
        learn.main()


def test_without_a_gpu_it_says_so(learn: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    if torch.cuda.is_available():
        pytest.skip("there is a GPU here")
    monkeypatch.setattr(sys, "argv", ["learn.py"])
    with pytest.raises(SystemExit, match=r"No NVIDIA GPU.*device='cpu'|CUDA part is not installed"):
        learn.main()


def test_without_torch_it_says_what_to_install() -> None:
    code = f"import sys, runpy; sys.modules['torch'] = None; runpy.run_path({str(SCRIPT)!r}, run_name='__main__')"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
    assert ran.returncode == 1
    assert "pip install torch" in ran.stderr
    assert "Traceback" not in ran.stderr
