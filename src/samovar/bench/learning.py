"""How fast a network learns on this machine: moves chosen *and* learned from per second, from end to
end, and where the time goes."""

from __future__ import annotations

import re
import time
from collections import defaultdict
from collections.abc import Callable

import torch

from samovar.engine.contract import Game
from samovar.errors import BadLearning
from samovar.json_types import JsonObject
from samovar.learn.ppo import Learner
from samovar.learn.run import default_device
from samovar.learn.settings import LearningSettings
from samovar.learn.variants import all_variants, usual_variant

TOKENS = "tokens"
NETWORKS = ("64x1", "512x3", TOKENS)
# By device: matches at once, steps, portions
SIZES = {"cuda": (131_072, 16, 8), "cpu": (1024, 8, 2)}
WIDE = 128  # beyond this, portions are half as large: what is needed to learn from one must fit into memory
PARTS = ("network", "rules", "storing", "gains", "gathering", "forward", "backward", "optimizer")


def settings_of(network: str, device: str) -> LearningSettings:
    """`64x1`, plain layers, 64 wide and 1 of them; `tokens`, the one that is shipped, or `tokens 96x2`."""
    matches, steps, portions = SIZES[device]
    form = re.fullmatch(rf"({TOKENS})? ?(?:(\d+)x(\d+))?", network.strip())
    if form is None or not network.strip():
        raise BadLearning(f"{network!r} is no network. It is like 64x1, {TOKENS}, or '{TOKENS} 96x2'.")
    sizes = {"width": int(form[2]), "layers": int(form[3])} if form[2] else {}
    if form[1]:
        matches //= 4  # a token for each thing, so much more for each match
    if sizes.get("width", 0) > WIDE:
        portions *= 2
    return LearningSettings(tokens=bool(form[1]), matches=matches, steps=steps, portions=portions, **sizes)


def make_learner(game: Game, network: str, device: str, *, compile: bool) -> Learner:
    settings = settings_of(network, device)
    if device == "cuda":
        torch.set_float32_matmul_precision("high")
    return Learner(game, settings, [usual_variant(game, all_variants(game))], device, compile=compile)


def round_of(learner: Learner) -> None:
    learner.play()
    learner.learn(1.0)


def learning_rate(learner: Learner, seconds: float) -> float:
    """Moves a second."""
    begin, before = time.perf_counter(), learner.moves
    while time.perf_counter() - begin < seconds:
        round_of(learner)
        learner.wait()
    spent = time.perf_counter() - begin
    learner.means()
    return (learner.moves - before) / spent


def where_time_goes(learner: Learner) -> dict[str, float]:
    """Seconds a round by part, each of them waited for: together more than a round takes by itself."""
    spent: defaultdict[str, float] = defaultdict(float)
    learner.wait()
    last = time.perf_counter()

    def lap(what: str) -> None:
        nonlocal last
        learner.wait()
        now = time.perf_counter()
        spent[what] += now - last
        last = now

    graphs, learner.graphs = learner.graphs, {}
    learner.lap = lap
    try:
        round_of(learner)
    finally:
        learner.graphs = graphs
        del learner.lap
    return dict(spent)


def warm_up(learner: Learner) -> None:
    """Whatever is compiled is compiled now."""
    for _ in range(2):
        round_of(learner)
        learner.wait()


def facts(learner: Learner, network: str, device: str) -> JsonObject:
    return {
        "network": network,
        "device": torch.cuda.get_device_name() if device == "cuda" else "cpu",
        "matches": learner.settings.matches,
        "steps": learner.settings.steps,
        "portions": learner.settings.portions,
        "parameters": sum(weights.numel() for weights in learner.net.parameters()),
        "with_graph": 0,
    }


def shares(spent: dict[str, float]) -> JsonObject:
    whole = sum(spent.values())
    return {name: round(spent.get(name, 0) / whole, 3) for name in PARTS}


def measure_learning(game: Game, network: str, seconds: float, say: Callable[[str], None]) -> JsonObject:
    """The figures of one network, on a GPU where there is one."""
    device = default_device()
    learner = make_learner(game, network, device, compile=device == "cuda")
    warm_up(learner)
    figures = facts(learner, network, device)
    figures["without_graph"] = figures["moves_per_s"] = round(learning_rate(learner, seconds))
    figures["parts"] = shares(where_time_goes(learner))
    if device == "cuda":
        try:
            learner.capture_playing()
            learner.capture_learning()
            warm_up(learner)
            figures["with_graph"] = round(learning_rate(learner, seconds))
            figures["moves_per_s"] = max(figures["with_graph"], figures["without_graph"])
        except Exception as error:  # the rest counts all the same
            say(f"{game.id} {network}: could not be captured in CUDA graphs: {error!r}")
    return figures


def learning_table(game_id: str, figures: JsonObject, head: bool = True) -> str:
    """A line of the table: millions of moves a second, and percent of the time by part."""
    names = "".join(f"{name:>11}" for name in PARTS)
    lines = [f"{'moves/s':<16}{'network':<14}{'parameters':>11}{'million/s':>11}{'graph':>8}{names}"] if head else []
    shares = "".join(f"{figures['parts'][name]:>10.0%} " for name in PARTS)
    graph = f"{figures['with_graph'] / 1e6:.2f}" if figures["with_graph"] else "-"
    speed = f"{figures['moves_per_s'] / 1e6:>11.3f}{graph:>8}"
    lines.append(f"{game_id:<16}{figures['network']:<14}{figures['parameters']:>11,}{speed}{shares}")
    return "\n".join(lines)
