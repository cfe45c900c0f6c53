"""What Stable-Baselines3 asks of a `VecEnv`. The package is too heavy to be installed for the tests:
`benchmarks/libraries.py` learns with it; here a stand-in has its base class."""

import ast
import importlib
import sys
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from samovar.errors import MissingExtra
from support.documents import ROOT, python_blocks

gymnasium = pytest.importorskip("gymnasium", reason="the extra 'research' is not installed")
MODULE = "samovar.envs.sb3"


class VecEnv:
    """The part of the real one that ours relies on."""

    def __init__(self, num_envs: int, observation_space: Any, action_space: Any) -> None:
        self.num_envs, self.observation_space, self.action_space = num_envs, observation_space, action_space
        self._reset_seeds()
        self.modes = self.get_attr("render_mode")  # type: ignore[attr-defined]

    def seed(self, seed: int) -> None:
        self._seeds = [seed + number for number in range(self.num_envs)]

    def _reset_seeds(self) -> None:
        self._seeds: list[int | None] = [None] * self.num_envs

    def _reset_options(self) -> None: ...

    def _get_indices(self, indices: Any) -> Any:
        return range(self.num_envs) if indices is None else [indices] if isinstance(indices, int) else indices

    def step(self, actions: Any) -> Any:
        self.step_async(actions)  # type: ignore[attr-defined]
        return self.step_wait()  # type: ignore[attr-defined]


@pytest.fixture
def vec_env(monkeypatch: pytest.MonkeyPatch) -> Any:
    for name in ("stable_baselines3", "stable_baselines3.common", "stable_baselines3.common.vec_env"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setattr(sys.modules["stable_baselines3.common.vec_env"], "VecEnv", VecEnv, raising=False)
    monkeypatch.delitem(sys.modules, MODULE, raising=False)
    yield importlib.import_module(MODULE).vec_env
    sys.modules.pop(MODULE, None)


def test_it_is_the_vector_of_gymnasium(vec_env: Any) -> None:
    ours = vec_env("memoarrrr", 4, 3, opponent="quick", seat="rotate")
    theirs = importlib.import_module("samovar.envs.gymnasium").vector(
        "memoarrrr", 4, 3, opponent="quick", seat="rotate"
    )
    ours.seed(7)
    seen, (looks, _) = ours.reset(), theirs.reset(seed=7)
    assert ours.observation_space == theirs.single_observation_space["observation"]
    ends = 0
    for _ in range(40):
        assert seen.tobytes() == looks["observation"].tobytes()
        masks = np.stack(ours.env_method("action_masks"))
        assert (masks == looks["action_mask"]).all()
        assert ours.action_masks().tolist() == masks.tolist()
        seen, rewards, dones, infos = ours.step(masks.argmax(1))
        looks, gained, ended, _, news = theirs.step(masks.argmax(1))
        assert dones.tolist() == ended.tolist()
        assert rewards == pytest.approx(gained)
        assert rewards.dtype == np.float32
        for table, info in enumerate(infos):
            assert info["seat"] == news["seat"][table]
            assert ("terminal_observation" in info) == ended[table]
            if ended[table]:
                ends += 1
                assert info["terminal_observation"].tobytes() == news["final_obs"][table]["observation"].tobytes()
                assert info["places"] == tuple(news["final_info"]["places"][table])
                assert info["TimeLimit.truncated"] is False
    assert ends >= 4
    ours.close()


def test_moves_told_as_parts_are_beside_the_observation(vec_env: Any) -> None:
    tables = vec_env("memoarrrr", 2, actions="legal", encoding="planes")
    seen = tables.reset()
    assert set(tables.observation_space) == set(seen) == {"observation", "moves"}
    assert all(
        tables.observation_space.contains({name: rows[table] for name, rows in seen.items()}) for table in range(2)
    )


def test_what_is_asked_of_each_environment_is_answered(vec_env: Any) -> None:
    tables = vec_env("connect_four", 3)
    tables.reset()
    assert tables.has_attr("action_masks")
    assert not tables.has_attr("no_such_thing")
    assert len(tables.env_method("action_masks", indices=[0, 2])) == 2
    assert tables.get_attr("seats", indices=1) == [2]
    assert tables.modes == [None] * 3
    assert tables.env_is_wrapped(object) == [False] * 3


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # of the packages, for each other
def test_the_settings_of_the_page_learn() -> None:
    """With the defaults of MaskablePPO there would be no improvement in so few moves."""
    pytest.importorskip("sb3_contrib", reason="stable-baselines3 and sb3-contrib are not installed")
    page = (ROOT / "docs" / "researchers.md").read_text(encoding="utf-8")
    (block,) = (block for block in python_blocks(page) if "MaskablePPO(" in block.text)
    assert "model.learn(200_000)" in block.text
    names: dict[str, Any] = {}
    exec(block.text.replace("model.learn(200_000)", "model.learn(66_000)"), names)
    tables = importlib.import_module(MODULE).vec_env("memoarrrr", 400, seat="rotate", encoding="planes")
    tables.seed(10**9)
    seen, won = tables.reset(), np.full(400, np.nan)
    while np.isnan(won).any():
        moves, _ = names["model"].predict(seen, action_masks=tables.action_masks(), deterministic=True)
        seen, rewards, ended, _ = tables.step(moves)
        won = np.where(ended & np.isnan(won), rewards, won)
    assert (won.mean() + 1) / 2 > 0.65


def test_the_page_learns_often_enough() -> None:
    """Told from the numbers alone, as the package is not here: so many times it has learned in the end."""
    page = (ROOT / "docs" / "researchers.md").read_text(encoding="utf-8")
    (block,) = (block for block in python_blocks(page) if "MaskablePPO(" in block.text)
    calls = [node for node in ast.walk(ast.parse(block.text)) if isinstance(node, ast.Call)]
    (made,) = (call for call in calls if getattr(call.func, "id", "") == "MaskablePPO")
    numbers = {word.arg: ast.literal_eval(word.value) for word in made.keywords if isinstance(word.value, ast.Constant)}
    tables, moves = (
        next(ast.literal_eval(call.args[k]) for call in calls if getattr(call.func, "attr", "") == name)
        for name, k in (("vec_env", 1), ("learn", 0))
    )
    portion = tables * numbers["n_steps"]
    assert portion % numbers["batch_size"] == 0
    assert moves // portion * numbers["n_epochs"] * (portion // numbers["batch_size"]) > 500


def test_without_the_package_the_remedy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "stable_baselines3", None)
    monkeypatch.delitem(sys.modules, MODULE, raising=False)
    with pytest.raises(MissingExtra, match="pip install stable-baselines3 sb3-contrib"):
        importlib.import_module(MODULE)
