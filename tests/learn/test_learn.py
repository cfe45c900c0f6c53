"""The learner: it learns, for the reasons it gives, and what it has learned is not lost."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
import torch
from typer.testing import CliRunner

import samovar
from samovar import cli
from samovar.bench import learning
from samovar.bots.network_file import Network
from samovar.engine.chance import below
from samovar.engine.contract import Game, Part, nothing_hidden
from samovar.engine.registry import find_game
from samovar.engine.rule import rule
from samovar.errors import BadLearning, MissingExtra
from samovar.learn import run as run_module
from samovar.learn.curve import picture, table
from samovar.learn.gains import gains, outcome, turned
from samovar.learn.log import LOGS
from samovar.learn.measure import share_won
from samovar.learn.network import TorchNet
from samovar.learn.ppo import Learner, narrow_enough
from samovar.learn.ppo import draw as draw_moves
from samovar.learn.run import CHECKPOINT, LearningOrder, LearningRun, learn
from samovar.learn.settings import ON_CPU, LearningSettings, parse_settings
from samovar.learn.variants import all_variants, find_variants, usual_variant
from support import outcome_games
from support.learning import ROUND, SMALL, small_order
from support.processes import TESTS

pytestmark = pytest.mark.research

# Nim, because everybody knows how to play it: 5 to 7 matches lie there, each seat in turn takes 1
# to 3, who takes the last one wins. It says nothing to networks: neither kinds nor tokens.


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


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def weights_of(run: LearningRun) -> list[torch.Tensor]:
    return [*run.learner.net.parameters(), *run.learner.average.parameters()]


def are_same(one: list[torch.Tensor], other: list[torch.Tensor]) -> bool:
    return all(torch.equal(a, b) for a, b in zip(one, other, strict=True))


def silent(text: str) -> None: ...


# It learns


def test_by_playing_against_itself_it_learns_nim(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who leaves a multiple of four wins; whatever is learned the wrong way round, or by the wrong
    seat, would be another rule. And the game says nothing of its numbers and its moves."""
    monkeypatch.setenv("SAMOVAR_PLAIN", "1")  # so small a game is played before it is compiled
    settings = LearningSettings(**{**SMALL, "matches": 64, "steps": 16, "portions": 8, "rate": 1e-2, "average": 0.9})
    learner = Learner(NIM, settings, all_variants(NIM))
    before = share_won(learner.average, "random", {"seats": 2}, 100)
    for k in range(20):
        learner.play()
        learner.learn(left=1 - k / 20)
    learner.wait()
    assert before < 0.65
    assert share_won(learner.average, "random", {"seats": 2}, 100) > 0.85
    piles = torch.tensor([1, 2, 3, 5, 6, 7])
    planes = torch.nn.functional.one_hot(piles + 1, 18).to(torch.int8)  # from -1 on
    out = learner.average(planes, torch.arange(3).expand(6, 3).unsqueeze(2), piles.clamp(max=3))
    left = piles - 1 - out.scores.argmax(1)
    assert left.tolist() == [0, 0, 0, 4, 4, 4]
    assert (out.shares.sigmoid()[:, 0] > 0.7).all()
    assert (out.places.softmax(2)[:, 0, 0] > 0.6).all()


def test_together_a_network_is_compared_with_a_bot_that_has_all_seats_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """One seat and two cards: who lays the lower one first does as well as can be, which a random bot does half the
    time. So a network that knows it does better in half of the deals, and as well in the others."""
    monkeypatch.setenv("SAMOVAR_PLAIN", "1")
    settings = LearningSettings(**{**SMALL, "matches": 64, "passes": 4, "rate": 1e-2, "average": 0.9})
    learner = Learner(outcome_games.GAME, settings, [{"seats": 1}])
    assert 0.35 < share_won(learner.average, "random", {"seats": 1}, 100) < 0.65
    for k in range(20):
        learner.play()
        learner.learn(left=1 - k / 20)
    assert 0.68 < share_won(learner.average, "random", {"seats": 1}, 100) < 0.82


@pytest.mark.slow
def test_connect_four_is_learned_without_a_word_about_its_structure() -> None:
    game = find_game("connect_four")
    settings = LearningSettings(
        **{**SMALL, "matches": 128, "steps": 16, "portions": 8, "width": 32, "rate": 4e-3, "average": 0.9}
    )
    learner = Learner(game, settings, all_variants(game))
    before = share_won(learner.average, "random", {"seats": 2}, 100)
    for k in range(30):
        learner.play()
        learner.learn(left=1 - k / 30)
    assert before < 0.6
    assert share_won(learner.average, "random", {"seats": 2}, 100) > 0.75


# Why it does


def test_gains_of_three_seats_are_those_of_a_slow_reckoning() -> None:
    """The prospects of every seat, step by step: what is expected after a step is a mixture of all
    that was expected later, and in the end of what happened."""
    chance = np.random.default_rng(1)
    steps, seats, trace = 6, 3, 0.7
    values = chance.random((steps + 1, 1, seats, 1 + seats)).astype(np.float32)
    ended = np.array([0, 0, 1, 0, 0, 0], bool)
    rewards = np.zeros((steps, 1, seats), np.float32)
    rewards[2, 0] = [0.0, 1.0, -1.0]  # second, first, third
    outcomes = outcome(torch.tensor(rewards), torch.tensor([3]).expand(steps, 1))
    assert outcomes[2, 0].tolist() == [[0.5, 0, 1, 0], [1, 1, 0, 0], [0, 0, 0, 1]]

    def slow(step: int, seat: int, part: int) -> float:
        """The lambda-return, as it is written in books: a weighted mean of all n-step returns."""
        end = next((k for k in range(step, steps) if ended[k]), None)
        last = steps - 1 if end is None else end
        total, weight = 0.0, 1.0
        for k in range(step, last):
            total += weight * (1 - trace) * values[k + 1, 0, seat, part]
            weight *= trace
        final = values[steps, 0, seat, part] if end is None else float(outcomes[end, 0, seat, part])
        return float(total + weight * final - values[step, 0, seat, part])

    found = gains(torch.tensor(values), outcomes, torch.tensor(ended).unsqueeze(1), trace)
    expected = [
        [[slow(step, seat, part) for part in range(1 + seats)] for seat in range(seats)] for step in range(steps)
    ]
    np.testing.assert_allclose(found[:, 0].numpy(), expected, atol=1e-6)


def test_seats_beyond_those_of_a_match_get_nothing_and_ties_share_a_place() -> None:
    found = outcome(torch.tensor([[0.0, 0.0, 0.0, 0.0]]), torch.tensor([2]))
    assert found[0, :, 0].tolist() == [0.5, 0.5, 0, 0]
    assert found[0, :, 1:].tolist() == [[1, 0, 0, 0], [1, 0, 0, 0], [0] * 4, [0] * 4]
    lost = outcome(torch.tensor([[-1.0, 1.0, 0.0, 0.0]]), torch.tensor([2]))
    assert lost[0, :2].tolist() == [[0, 0, 1, 0, 0], [1, 1, 0, 0, 0]]


def test_from_the_actor_and_back() -> None:
    by_actor = torch.arange(8.0).view(2, 4, 1)  # two matches, of 4 and of 3 seats
    actor, seats = torch.tensor([1, 2]), torch.tensor([4, 3])
    by_seat = turned(by_actor, actor, seats, -1)
    assert by_seat[0].flatten().tolist() == [3, 0, 1, 2]
    assert by_seat[1].flatten().tolist()[:3] == [5, 6, 4]
    assert torch.equal(turned(by_seat, actor, seats, 1)[0], by_actor[0])
    assert torch.equal(turned(by_seat, actor, seats, 1)[1, :3], by_actor[1, :3])


def test_what_is_learned_from_is_what_the_actors_knew_and_did() -> None:
    game = find_game("connect_four")
    learner = Learner(game, LearningSettings(**{**SMALL, "steps": 12}), all_variants(game))
    before = learner.tables.batch.snapshot().states[5:6].copy()
    learner.play()
    match = samovar.Match.standing(game, 2, before.tobytes())
    for step in range(12):
        (seat,) = match.actors
        store = learner.store
        count = int(store.counts[step, 5])
        assert learner.actors[step, 5] == seat
        assert store.factors[step, 5, :count, 0].tolist() == match.legal(seat)
        cells = torch.tensor(match.observation(seat)).long()
        lit = torch.nn.functional.one_hot(cells + 1, 3).T.flatten()
        assert store.planes[step, 5].tolist() == lit.tolist()
        match.play(seat, int(store.factors[step, 5, store.choice[step, 5], 0]))
        assert bool(learner.ended[step, 5]) == match.over
        if match.over:
            paid = [1.0 if place == 1 else -1.0 for place in match.places]
            assert learner.rewards[step, 5].tolist() == (paid if len({*match.places}) > 1 else [0, 0])
            break


def test_moves_are_drawn_by_their_chances() -> None:
    chances = torch.tensor([0.1, 0.6, 0.3]).log().expand(3000, 3)
    padded = torch.cat([chances, torch.full((3000, 2), -torch.inf)], 1)
    drawn = draw_moves(padded, torch.full((3000,), 3), torch.linspace(0, 1, 3000))
    assert (drawn.bincount(minlength=5) / 300).round().tolist() == [1, 6, 3, 0, 0]


def test_long_lists_are_scored_whole_where_there_is_room() -> None:
    game = find_game("connect_four")
    learner = Learner(game, LearningSettings(**{**SMALL, "narrow": 6, "wide": 1.0}), all_variants(game))
    with torch.no_grad():
        learner.net.move_out.normal_()
    learner.play()
    store, wide = learner.store, learner.wide
    assert wide is not None
    assert store.factors.shape[1:3] == (32, 6)
    assert wide.factors.shape[1:3] == (32, 7)
    is_long = wide.counts > 6
    assert is_long.any()
    assert not is_long.all()
    assert torch.equal(wide.weight, is_long.float())
    assert store.weight.sum() + wide.weight.sum() == ROUND  # each is learned from once
    last = torch.arange(32)[is_long[-1]]
    played = wide.factors[-1, last, wide.choice[-1, last], 0]
    assert torch.equal(learner.tables.moves_in[wide.rows[-1, last]], played.long())
    assert (wide.choice[is_long] == 6).any()  # beyond what is scored elsewhere
    with torch.no_grad():
        whole = learner.net(wide.planes[0], wide.factors[0], wide.counts[0]).scores
    torch.testing.assert_close(wide.logs[0], whole.gather(1, wide.choice[0].unsqueeze(1)).squeeze(1))
    learner.learn(1.0)


def test_how_much_of_a_list_is_scored_follows_from_the_matches() -> None:
    counts = torch.tensor([6] * 90 + [70] * 8 + [495] * 2)
    assert narrow_enough(counts, 495, 0.25) == 16
    assert narrow_enough(counts, 495, 0.125) == 128
    assert narrow_enough(counts, 24, 0.125) == 24


def test_earlier_networks_play_along_and_nothing_is_learned_from_them() -> None:
    game = find_game("connect_four")
    settings = LearningSettings(**{**SMALL, "past": 0.5, "pull": 0.1, "past_every": 1, "pool": 2})
    learner = Learner(game, settings, all_variants(game))
    for _ in range(3):
        learner.play()
        learner.learn(1.0)
    is_other = learner.actors[:, 16:] != learner.own_seat[16:]
    assert torch.equal(learner.store.weight[:, 16:], (~is_other).float())
    assert (learner.store.weight[:, :16] == 1).all()
    assert len(learner.pool) == 2
    assert np.isfinite(learner.means()["entropy"])


# When it ends


def clocked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every look at the clock takes a second."""
    seconds = iter(range(10**6))
    monkeypatch.setattr(
        run_module, "time", SimpleNamespace(perf_counter=lambda: next(seconds), monotonic=time.monotonic)
    )


def test_a_call_from_python_has_the_defaults_of_the_device(tmp_path: Path) -> None:
    order = LearningOrder(game=find_game("connect_four"), out=tmp_path, minutes=1, device="cpu", rivals=())
    settings = LearningRun(order, silent).learner.settings
    assert {name: getattr(settings, name) for name in ON_CPU} == ON_CPU
    assert settings.clip == LearningSettings.clip
    assert not order.is_compiled
    assert replace(order, device="cuda").is_compiled
    assert LearningSettings.usual("cuda", {}) == LearningSettings()
    assert LearningSettings.usual("cpu", {"matches": 32}).matches == 32


@pytest.mark.parametrize(("seconds", "moves"), [(5, 0), (60, ROUND)])
def test_minutes_end_within_a_round_and_it_can_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seconds: int, moves: int
) -> None:
    """While it plays, and while it learns: a round takes much longer than that."""
    clocked(monkeypatch)
    order = small_order(tmp_path, 1, settings={"passes": 100})
    said: list[str] = []
    run = learn(replace(order, moves=None, minutes=seconds / 60), said.append)
    assert run.done == pytest.approx(1, abs=2 / seconds)
    assert run.learner.moves == moves
    assert 0 <= run.learner.updates < 100
    assert bool(run.learner.updates) == bool(moves)
    assert any("Nothing was learned" in text for text in said) == (not moves)
    again = learn(replace(order, moves=None, minutes=2, resume=True), silent)
    assert again.seconds == pytest.approx(120, abs=2)
    assert again.learner.updates > run.learner.updates


# What it has learned is not lost


def test_the_same_seed_gives_the_same_network(tmp_path: Path) -> None:
    one, other, third = (
        learn(small_order(tmp_path / name, 3, settings={"seed": seed}), silent)
        for name, seed in (("a", 1), ("b", 1), ("c", 2))
    )
    assert are_same(weights_of(one), weights_of(other))
    assert not are_same(weights_of(one), weights_of(third))


def test_a_run_that_goes_on_is_one_that_was_not_interrupted(tmp_path: Path) -> None:
    more = {"past": 0.25, "past_every": 2, "rate": 0.02}
    whole = learn(small_order(tmp_path / "whole", 5, settings=more), silent)
    run = LearningRun(small_order(tmp_path / "parts", 5, settings=more), silent)
    for _ in range(2):
        run.round()
    run.checkpoint()
    run.round()  # lost
    said: list[str] = []
    again = learn(small_order(tmp_path / "parts", 5, resume=True), said.append)
    assert again.learner.moves == whole.learner.moves == 5 * ROUND
    assert are_same(weights_of(again), weights_of(whole))
    longer = learn(small_order(tmp_path / "parts", 6, resume=True), silent)
    assert longer.learner.moves == 6 * ROUND
    with pytest.raises(BadLearning, match="Say more"):
        learn(small_order(tmp_path / "parts", 6, resume=True), silent)


def test_a_run_from_a_gpu_goes_on_without_one(tmp_path: Path) -> None:
    """There the rate was a number on the GPU, for the graph."""
    learn(small_order(tmp_path, 2), silent)
    kept = torch.load(tmp_path / CHECKPOINT, weights_only=True)
    for group in kept["learner"]["optimizer"]["param_groups"]:
        group["lr"], group["capturable"] = torch.tensor(group["lr"]), True
    torch.save(kept, tmp_path / CHECKPOINT)
    assert learn(small_order(tmp_path, 3, resume=True), silent).learner.moves == 3 * ROUND


def test_kill_9_costs_no_more_than_since_the_last_checkpoint(tmp_path: Path) -> None:
    code = f"""
import sys; sys.path.insert(0, {str(TESTS)!r})
from dataclasses import replace; from pathlib import Path
from samovar.learn.run import learn; from support import outcome_games
from support.learning import small_order
learn(replace(small_order(Path({str(tmp_path)!r}), 10**6), checkpoint_s=0), lambda text: None)
"""
    child = subprocess.Popen([sys.executable, "-c", code])
    try:
        deadline = time.monotonic() + 100
        while not (tmp_path / CHECKPOINT).exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        time.sleep(0.1)
        assert child.poll() is None
    finally:
        os.kill(child.pid, signal.SIGKILL)
        child.wait()
    kept = torch.load(tmp_path / CHECKPOINT, weights_only=True)["learner"]["counters"][0]
    run = learn(small_order(tmp_path, kept // ROUND + 1, resume=True), silent)
    assert run.learner.moves == kept + ROUND


def test_ctrl_c_ends_with_a_checkpoint(tmp_path: Path) -> None:
    run = LearningRun(small_order(tmp_path, 1000), silent)
    run.round, spent = (
        lambda *, is_counted=True: (spent(is_counted=is_counted), os.kill(os.getpid(), signal.SIGINT)),
        run.round,
    )
    said: list[str] = []
    run.say = said.append
    before = signal.getsignal(signal.SIGINT)
    run.go()
    assert signal.getsignal(signal.SIGINT) is before
    assert any("--resume" in text for text in said)
    assert torch.load(tmp_path / CHECKPOINT, weights_only=True)["learner"]["counters"][0] == ROUND


def test_what_comes_out_sits_at_every_table(tmp_path: Path) -> None:
    run = learn(small_order(tmp_path, 2), silent)
    network = Network.load(tmp_path / "connect_four.safetensors", run.order.game)
    assert network.card.command == "a test"
    assert network.card.moves == str(2 * ROUND)
    assert "against random" in network.card.strength


@pytest.mark.parametrize(
    ("more", "text"),
    [
        ({}, "--resume"),
        ({"resume": True, "settings": {"width": 32}}, "width 16"),
        ({"resume": True, "variants": [{"seats": 2}, {"seats": 2}]}, "other variants"),
        ({"resume": True, "game": NIM}, "run of connect_four"),
    ],
)
def test_a_folder_with_another_run_is_refused(tmp_path: Path, more: dict[str, Any], text: str) -> None:
    LearningRun(small_order(tmp_path, 2), silent).checkpoint()
    held = (tmp_path / CHECKPOINT).read_bytes()
    order = small_order(tmp_path, 2)
    settings = {**SMALL, **more.pop("settings", {})}
    with pytest.raises(BadLearning, match=text):
        LearningRun(replace(order, settings=settings, **more), silent)
    assert (tmp_path / CHECKPOINT).read_bytes() == held


def test_a_copy_of_a_run_is_kept_by_name_and_can_go_on_itself(tmp_path: Path) -> None:
    early = learn(small_order(tmp_path, 2, keep="early"), silent)
    late = learn(small_order(tmp_path, 4, resume=True), silent)
    assert {path.name for path in (tmp_path / "early").iterdir()} == {
        CHECKPOINT,
        "curve.csv",
        "curve.svg",
        "connect_four.safetensors",
    }
    network = Network.load(tmp_path / "early" / "connect_four.safetensors", early.order.game)
    assert network.card.moves == str(2 * ROUND)
    again = learn(small_order(tmp_path / "early", 4, resume=True), silent)
    assert are_same(weights_of(again), weights_of(late))
    for name, text in (("early", "another name"), ("a/b", "no name"), ("..", "no name")):
        with pytest.raises(BadLearning, match=text):
            LearningRun(small_order(tmp_path, 5, resume=True, keep=name), silent)


class Writer:
    """As those of TensorBoard and Weights & Biases."""

    def __init__(self, *words: Any, **named: Any) -> None:
        self.words, self.numbers, self.is_closed = (words, named), [], False
        written.append(self)

    def add_scalar(self, name: str, number: float, moves: int) -> None:
        self.numbers.append((name, number, moves))

    def log(self, numbers: dict[str, float]) -> None:
        self.numbers += [(name, number, numbers["moves"]) for name, number in numbers.items()]

    def flush(self) -> None: ...

    def close(self) -> None:
        self.is_closed = True

    finish = close


written: list[Writer] = []


@pytest.mark.parametrize("kind", LOGS)
def test_a_log_is_told_what_the_terminal_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    written.clear()
    name = "torch.utils.tensorboard" if kind == "tensorboard" else kind
    monkeypatch.setitem(sys.modules, name, SimpleNamespace(SummaryWriter=Writer, init=Writer))
    learn(small_order(tmp_path, 2, log=kind), silent)
    (writer,) = written
    assert writer.is_closed
    assert str(tmp_path) in str(writer.words)
    last = {name: number for name, number, moves in writer.numbers if moves == 2 * ROUND}
    assert last["entropy"] > 0
    assert 0 <= last["against random"] <= 1
    assert last["moves a second"] > 0


def test_a_log_that_cannot_be_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "wandb", None)
    with pytest.raises(MissingExtra, match="pip install wandb"):
        LearningRun(small_order(tmp_path, 2, log="wandb"), silent)
    with pytest.raises(BadLearning, match="tensorboard or wandb"):
        LearningRun(small_order(tmp_path, 2, log="comet"), silent)


def test_what_is_no_run_cannot_go_on(tmp_path: Path) -> None:
    with pytest.raises(BadLearning, match="without --resume"):
        LearningRun(small_order(tmp_path, 2, resume=True), silent)
    (tmp_path / CHECKPOINT).write_bytes(b"no checkpoint")
    with pytest.raises(BadLearning, match="cannot be read"):
        LearningRun(small_order(tmp_path, 2, resume=True), silent)


# What is said in a terminal


def test_variants_as_a_terminal_says_them() -> None:
    game = find_game("memoarrrr")
    assert find_variants(game, ["all"]) == all_variants(game)
    two = find_variants(game, ["seats=2,expert=true"])
    assert {(one["seats"], one["expert"]) for one in two} == {(2, True)}
    assert len(find_variants(game, ["seats=2", "seats=2"])) == 2 * len(find_variants(game, ["seats=2"]))
    assert usual_variant(game, all_variants(game))["seats"] == 2
    for wrong, text in (("seats=9", "not with 9"), ("chess=1", "chess=1"), ("expert=perhaps", "perhaps")):
        with pytest.raises(samovar.SamovarError, match=text):
            find_variants(game, [wrong])


def test_settings_as_a_terminal_says_them() -> None:
    assert parse_settings(["rate=3e-4", "steps=64", "tokens=0"]) == {"rate": 3e-4, "steps": 64, "tokens": False}
    for wrong, text in (("rat=1", "rate"), ("rate=fast", "is a number")):
        with pytest.raises(BadLearning, match=text):
            parse_settings([wrong])
    assert [LearningSettings(matches=n).portions for n in (16_384, 256, 300, 1)] == [64, 8, 8, 8]
    assert LearningSettings(matches=3, steps=1).portions == 3
    for numbers in ({"matches": 0}, {"past": 2}, {"matches": 3, "steps": 1, "portions": 2}, {"portions": -8}):
        with pytest.raises(BadLearning):
            LearningSettings(**numbers)


def test_the_command_learns_and_says_so(tmp_path: Path) -> None:
    words = ["learn", "connect_four", "--device", "cpu", "--moves", "256", "--matches", "32", "--width", "16"]
    words += ["--layers", "1", "--set", "steps=8", "--measurings", "1", "--deals", "1", "--out", str(tmp_path)]
    told = CliRunner().invoke(cli.app, words)
    assert told.exit_code == 0, told.output
    assert "256 moves" in told.output
    assert "against greedy" in told.output
    assert {path.name for path in tmp_path.iterdir()} == {
        CHECKPOINT,
        "curve.csv",
        "curve.svg",
        "connect_four.safetensors",
    }


def test_how_fast_it_learns_is_told_with_where_the_time_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learning, "SIZES", {"cpu": (32, 4, 2)})
    words = ["bench", "--learn", "connect_four", "--seconds", "0.01", "--network", "8x1", "--network", "tokens 8x1"]
    told = CliRunner().invoke(cli.app, [*words, "--json"])
    assert told.exit_code == 0, told.output
    figures = json.loads(told.stdout)["games"]["connect_four"]
    assert [*figures] == ["8x1", "tokens 8x1"]
    for found in figures.values():
        assert found["moves_per_s"] > 0
        assert sum(found["parts"].values()) == pytest.approx(1, abs=0.01)
        assert found["parts"]["backward"] > 0
    assert "million/s" in learning.learning_table("connect_four", figures["8x1"])
    with pytest.raises(BadLearning, match="no network"):
        learning.settings_of("64", "cpu")


def test_without_torch_it_says_what_to_install() -> None:
    code = "import sys; sys.modules['torch'] = None; from samovar.cli import main; main()"
    for words in (["learn", "connect_four"], ["bench", "--learn", "connect_four"]):
        ran = subprocess.run(
            [sys.executable, "-c", code, *words], capture_output=True, text=True, timeout=120, check=False
        )
        assert ran.returncode == 2
        assert 'pip install "samovar-games[learn]"' in ran.stderr
        assert "Traceback" not in ran.stderr


def test_the_curve_is_a_picture_and_a_table() -> None:
    rows = [{"minutes": k / 4, "moves": 100 * k, "against <greedy>": k / 4} for k in range(5)]
    drawn = ElementTree.fromstring(picture(rows, "Nim & more"))
    (line,) = drawn.findall("{http://www.w3.org/2000/svg}polyline")
    points = [tuple(map(float, point.split(","))) for point in line.attrib["points"].split()]
    assert [y for _, y in points] == [350, 275, 200, 125, 50]
    assert points[0][0] == 60
    assert points[-1][0] == 620
    texts = [text.text for text in drawn.findall("{http://www.w3.org/2000/svg}text")]
    assert {"Nim & more", "against <greedy>", "minutes of learning", "50 %"} <= {*texts}
    assert table(rows).splitlines()[1] == "0.0,0,0.0"


@pytest.mark.parametrize("game_id", samovar.game_ids())
def test_a_file_holds_all_that_a_network_knows(game_id: str) -> None:
    """So one can go on from it."""
    torch.manual_seed(1)
    net, other = (TorchNet(find_game(game_id), 8, 2) for _ in range(2))
    with torch.no_grad():
        for weights in net.parameters():
            weights += torch.randn_like(weights)
    other.set_weights(net.weights())
    for name, weights in net.weights().items():
        np.testing.assert_allclose(other.weights()[name], weights, atol=1e-5, err_msg=name)


def test_learning_goes_on_from_a_file(tmp_path: Path) -> None:
    first = learn(small_order(tmp_path / "first", 3, settings={"rate": 0.02}), silent)
    file = tmp_path / "first" / "connect_four.safetensors"
    run = LearningRun(small_order(tmp_path / "second", 3, start=file), silent)
    for name, weights in first.learner.average.weights().items():
        largest = np.abs(weights).max()
        np.testing.assert_allclose(run.learner.net.weights()[name], weights, atol=0.02 * largest + 0.01, err_msg=name)
    with pytest.raises(BadLearning, match="has width"):
        LearningRun(small_order(tmp_path / "third", 3, start=file, settings={"width": 99}), silent)
