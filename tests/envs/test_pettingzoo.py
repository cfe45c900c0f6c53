"""Every game as a PettingZoo environment: PettingZoo's own tests, what a seat gets to see, and
every way to use it wrongly."""

import copy
import importlib
import pickle
import sys
import warnings
from collections.abc import Iterator
from functools import partial
from types import SimpleNamespace
from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import (
    api_test,
    max_cycles_test,
    parallel_api_test,
    parallel_seed_test,
    render_test,
    seed_test,
    state_test,
)
from pettingzoo.utils.conversions import aec_to_parallel
from pettingzoo.utils.wrappers import TerminateIllegalWrapper

import samovar
from samovar import errors
from samovar.envs import versioned_id
from samovar.envs.pettingzoo import MatchEnv, Moves, env, parallel_env

GAMES = samovar.game_ids()
VARIANTS = [
    pytest.param(game, seats, options, id="-".join(map(str, (game, seats, *options.values()))))
    for game in GAMES
    for seats, options in samovar.find_game(game).variants()
]
NOT_COMPILED = ("babuschka", "varvitikud")  # in the quick tier
every_variant = pytest.mark.parametrize(("game", "seats", "options"), VARIANTS)
every_game = pytest.mark.parametrize("game", GAMES)


def play(table: MatchEnv, limit: int = 2**62) -> Iterator[tuple[str, Any]]:
    """Random moves through the loop that PettingZoo's users write; each agent with what it got."""
    for agent in table.agent_iter(limit):
        got = table.last()
        yield agent, got
        table.step(None if got[2] or got[3] else table.action_space(agent).sample(got[0]["action_mask"]))


def dealt(game: str, seed: int = 3, **options: Any) -> MatchEnv:
    """An environment whose deals and random moves follow from the seed."""
    table = env(game, **options)
    table.reset(seed=seed)
    for seat, agent in enumerate(table.agents):
        table.action_space(agent).seed(seed + seat)
    return table


@pytest.fixture(autouse=True)
def _not_all_are_compiled(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compiled, an environment does the same; the rest has the other variants of these games compiled."""
    game = request.node.callspec.params.get("game") if hasattr(request.node, "callspec") else None
    if game in NOT_COMPILED and not request.node.get_closest_marker("variants"):
        monkeypatch.setenv("SAMOVAR_PLAIN", "1")


@pytest.fixture
def _plain_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a game that would be compiled for one test."""
    monkeypatch.setenv("SAMOVAR_PLAIN", "1")


# PettingZoo's own tests. Warnings are errors in this suite.


@pytest.fixture
def _known_to_pettingzoo(monkeypatch: pytest.MonkeyPatch) -> None:
    """`api_test` warns of observations that are dicts, except for the environments on its lists;
    ours are dicts for the same reason, the mask. The third list is of those whose observation may
    be all zeros, as an empty board is."""
    lists = importlib.import_module("pettingzoo.test.api_test")
    names = [str(env(game)) for game in GAMES]
    monkeypatch.setattr(lists, "env_obs_dicts", [*lists.env_obs_dicts, *names])
    monkeypatch.setattr(lists, "env_obs_space", [*lists.env_obs_space, *names])
    monkeypatch.setattr(lists, "env_all_zeros_obs", [*lists.env_all_zeros_obs, str(env("connect_four"))])


@every_variant
@pytest.mark.usefixtures("_known_to_pettingzoo")
def test_api(game: str, seats: int, options: dict[str, Any]) -> None:
    api_test(dealt(game, seats=seats, **options), num_cycles=100)


@every_variant
def test_seeds(game: str, seats: int, options: dict[str, Any]) -> None:
    seed_test(partial(env, game, seats, **options), num_cycles=50)


@every_variant
def test_render(game: str, seats: int, options: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    pictures = {"svg": lambda drawn: drawn.startswith("<svg")}
    render_test(partial(env, game, seats, **options), pictures)
    assert "seat" in capsys.readouterr().out.lower()


def losing(game: str, **options: Any) -> Any:
    """The wrapping of PettingZoo's own games: a wrong move loses."""
    return TerminateIllegalWrapper(env(game, **options), illegal_reward=-1)


@every_game
def test_seeds_of_parallel_tables(game: str) -> None:
    for make in (lambda: parallel_env(losing(game)), lambda: parallel_env(game, illegal="replace")):
        parallel_seed_test(make, num_cycles=20)


def test_actions_that_are_drawn_without_a_mask_need_a_remedy() -> None:
    """The page says so."""
    with pytest.raises(errors.IllegalMove):
        parallel_seed_test(partial(parallel_env, "memoarrrr"), num_cycles=20)
    parallel_seed_test(partial(parallel_env, "memoarrrr", illegal="replace"), num_cycles=20)


@every_game
def test_pettingzoos_registry_knows_the_game_and_its_version(game: str) -> None:
    name, version = versioned_id(samovar.find_game(game)), samovar.find_game(game).environment_version
    assert pettingzoo.spec("aec", name).version == version
    for table in (pettingzoo.make("aec", name), pettingzoo.make("aec", f"samovar/{game}")):
        assert (type(table), table.game.id) == (MatchEnv, game)
        assert table.metadata["name"] == f"samovar_{game}_v{version}"
    assert pettingzoo.make("parallel", name).aec_env.game.id == game


@every_game
def test_state(game: str) -> None:
    for table in (losing(game), env(game, illegal="replace")):
        with warnings.catch_warnings():
            # an empty board of connect four is all zeros
            warnings.filterwarnings("ignore", "State numpy array is all zeros")
            state_test(table, parallel_env(losing(game)))


@every_game
def test_parallel_api(game: str) -> None:
    parallel_api_test(parallel_env(game), num_cycles=60)


def seeded(table: Any) -> Any:
    """Deals and actions that are the same in every run."""
    table.reset(seed=3)
    for seat, agent in enumerate(table.possible_agents):
        table.action_space(agent).seed(seat)
    return table


@pytest.mark.usefixtures("_plain_rules")
@pytest.mark.parametrize("seats", [2, 4])
def test_max_cycles(seats: int) -> None:
    """`max_cycles_test` draws actions without a mask, and counts on a game in which every seat moves in
    every cycle. For the others see the next test."""
    words: dict[str, Any] = {"seats": seats, "illegal": "replace", "first": 0}
    max_cycles_test(
        SimpleNamespace(
            env=lambda max_cycles: seeded(env("babuschka", max_cycles=max_cycles, **words)),
            parallel_env=lambda max_cycles: seeded(parallel_env("babuschka", max_cycles=max_cycles, **words)),
        )
    )


def test_max_cycles_where_a_wrong_move_loses() -> None:
    """Every column of an empty board is a move, so no mask is needed to get as far."""
    max_cycles_test(
        SimpleNamespace(
            env=lambda max_cycles: seeded(losing("connect_four", max_cycles=max_cycles, first=0)),
            parallel_env=lambda max_cycles: seeded(
                parallel_env(losing("connect_four", first=0), max_cycles=max_cycles)
            ),
        )
    )


@every_variant
def test_match_is_cut_off_when_a_seat_would_act_too_often(game: str, seats: int, options: dict[str, Any]) -> None:
    table = dealt(game, seats=seats, max_cycles=2, **options)
    acted, left = dict.fromkeys(table.agents, 0), []
    for agent, (_, reward, terminated, truncated, info) in play(table):
        assert not terminated
        assert reward == 0
        assert info["scores"] == info["places"] == (0,) * seats
        if truncated:
            left.append(agent)
        else:
            acted[agent] += 1
    assert max(acted.values()) == 2
    assert left == table.possible_agents
    assert not table.match.over
    assert table.match.actors[0] in [seat for seat, count in enumerate(acted.values()) if count == 2]


@pytest.mark.usefixtures("_plain_rules")
def test_without_max_cycles_a_match_ends_by_its_rules() -> None:
    table = dealt("babuschka", patience=1000)
    assert not any(truncated for _, (_, _, _, truncated, _) in play(table))
    assert table.match.over


# What an agent gets


@pytest.mark.parametrize(
    ("game", "plain"),
    [
        *((game, "1") for game in GAMES),
        *(pytest.param(game, "0", marks=[pytest.mark.slow] if game in NOT_COMPILED else []) for game in GAMES),
    ],
)
def test_observation_and_mask_are_those_of_the_match(game: str, plain: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SAMOVAR_PLAIN", plain)
    table = dealt(game)
    for _ in play(table, 12):
        for seat, agent in enumerate(table.possible_agents):
            got = table.observe(agent)
            assert got["observation"].tobytes() == table.match.observation(seat).tobytes()
            assert np.flatnonzero(got["action_mask"]).tolist() == table.match.legal(seat)
            assert table.observation_space(agent).contains(got)
    assert table.match._backend.is_plain == (plain == "1")


@every_game
def test_what_was_handed_out_stays_as_it_was(game: str) -> None:
    table = dealt(game)
    kept = [(got[0], copy.deepcopy(got[0])) for _, got in play(table, 6)]
    for now, then in kept:
        assert {name: array.tobytes() for name, array in now.items()} == {
            name: array.tobytes() for name, array in then.items()
        }
    now = kept[0][0]
    now["observation"][:] = now["action_mask"][:] = 1  # and it is the caller's, so nothing comes of writing to it
    assert table.last()[0]["observation"].tobytes() == table.match.observation(table.match.actors[0]).tobytes()


@every_variant
def test_rewards_go_by_place_and_add_up_to_zero(game: str, seats: int, options: dict[str, Any]) -> None:
    table = dealt(game, seats=seats, **options)
    got = {}
    for agent, (_, reward, terminated, _, info) in play(table):
        if terminated:
            got[agent] = reward, info
        else:
            assert (reward, info["scores"], info["places"]) == (0, (0,) * seats, (0,) * seats)
    assert list(got) == table.possible_agents
    assert table.agents == []
    places = table.match.places
    for place, (reward, info) in zip(places, got.values(), strict=True):
        duels = [(place < other) - (place > other) for other in places]
        assert reward == pytest.approx(sum(duels) / (seats - 1))
        assert (info["scores"], info["places"]) == (table.match.scores, places)
    assert sum(reward for reward, _ in got.values()) == pytest.approx(0)


def test_winner_of_two_gets_one_and_loser_minus_one() -> None:
    table = dealt("connect_four", first=1)
    for column in (0, 0, 1, 1, 2, 2, 3):
        assert table.agent_selection == f"seat_{1 - len(table.match.history) % 2}"
        assert table.rewards == {"seat_0": 0, "seat_1": 0}
        table.step(column)
    assert table.rewards == {"seat_0": -1, "seat_1": 1}
    assert (table.infos["seat_0"]["scores"], table.infos["seat_0"]["places"]) == ((0, 1), (2, 1))
    assert [(agent, reward) for agent, (_, reward, *_) in play(table)] == [("seat_0", -1), ("seat_1", 1)]


def test_those_who_tie_get_the_same() -> None:
    for seed in range(100):
        table = dealt("memoarrrr", seed=seed, seats=3)
        rewards = [reward for _, (_, reward, terminated, *_) in play(table) if terminated]
        if table.match.places == (1, 1, 3):
            assert rewards == [0.5, 0.5, -1]
            return
    pytest.fail("no such match among a hundred")


@pytest.mark.parametrize("max_cycles", [None, 1])
def test_mask_is_never_empty_for_the_agent_that_is_asked(max_cycles: int | None) -> None:
    table = dealt("memoarrrr", max_cycles=max_cycles)
    for _, (observation, _, terminated, truncated, _) in play(table):
        assert observation["action_mask"].all() == (terminated or truncated)
        assert observation["action_mask"].any()


@pytest.mark.usefixtures("_plain_rules")
def test_deal_that_leaves_nothing_to_do_is_over_at_once() -> None:
    table = env("varvitikud", seats=2)
    table.reset(seed=144)
    assert table.match.over
    assert [(agent, terminated) for agent, (_, _, terminated, _, _) in play(table)] == [
        ("seat_0", True),
        ("seat_1", True),
    ]


@every_game
def test_seed_is_that_of_a_match_and_the_deals_after_it_follow(game: str) -> None:
    first, second = env(game), env(game)
    for table in (first, second):
        table.reset(seed=5)
    assert first.match.state_bytes == samovar.Match(game, seed=5).state_bytes
    seeds = set()
    for _ in range(4):
        for table in (first, second):
            table.reset()
        assert first.match.seed == second.match.seed
        seeds.add(first.match.seed)
    assert len(seeds | {5}) == 5


def test_without_any_seed_every_environment_has_deals_of_its_own() -> None:
    first, second = env("memoarrrr"), env("memoarrrr")
    first.reset()
    second.reset()
    assert first.match.seed != second.match.seed


def test_state_is_what_all_seats_know_together() -> None:
    table = dealt("matryoshka", seats=3)
    assert table.state().tobytes() == b"".join(table.match.observation(seat).tobytes() for seat in range(3))
    assert table.state_space.contains(table.state())


# Secrets


@every_variant
def test_agent_gets_the_same_in_every_world_that_fits_what_it_knows(
    game: str, seats: int, options: dict[str, Any]
) -> None:
    table = dealt(game, seats=seats, **options)
    worlds = set()
    for number, _ in enumerate(play(table, 25)):
        truth = table.match
        for seat, agent in enumerate(table.possible_agents):
            got = {name: array.tobytes() for name, array in table.observe(agent).items()}
            for seed in range(2):
                table._match = truth.imagine(seat, seed)
                assert {name: array.tobytes() for name, array in table.observe(agent).items()} == got
                worlds.add((number, table._match.state_bytes))
            table._match = truth
    assert len(worlds) > 25 or game in ("babuschka", "connect_four")  # in those every doll and man can be seen


def test_nobody_sees_what_another_has_committed() -> None:
    seen = 0
    for seed in range(6):
        table = dealt("matryoshka", seed=seed, seats=4)
        for agent, (observation, _, terminated, *_) in play(table):
            others = [f"seat_{seat}" for seat in table.match.actors if f"seat_{seat}" > agent]
            moves = [] if terminated else np.flatnonzero(observation["action_mask"])[[0, -1]].tolist()
            if others and moves[0] != moves[1]:
                seen += 1
                truth = table.match
                gets = []
                for move in moves:
                    table._match = truth.copy()
                    table._match.play(table._seat_of[agent], move)
                    gets.append(
                        [
                            table.observe(other)[part].tobytes()
                            for other in others
                            for part in ("observation", "action_mask")
                        ]
                    )
                table._match = truth
                assert gets[0] == gets[1]
    assert seen > 20


def test_simultaneous_choices_are_made_lowest_seat_first() -> None:
    table = dealt("matryoshka", seats=4)
    several = 0
    for agent, (_, _, terminated, *_) in play(table):
        several += len(table.match.actors) > 1
        assert terminated or agent == f"seat_{table.match.actors[0]}"
    assert several > 5


# Wrong use


@pytest.mark.parametrize(
    ("action", "text"),
    [
        (7, "Legal now: a, b, c"),
        (-1, "Legal now"),
        (10**30, "Legal now"),
        (None, "not None"),
        (1.5, "number"),
        (True, "number"),
        (np.True_, "number"),
    ],
)
def test_wrong_action_is_refused_and_changes_nothing(action: object, text: str) -> None:
    table = dealt("connect_four", first=0)
    before = table.match.state_bytes, table.agent_selection, copy.deepcopy(table.rewards)
    with pytest.raises(errors.IllegalMove, match=text):
        table.step(action)
    assert (table.match.state_bytes, table.agent_selection, table.rewards) == before
    assert table.match.history == []
    table.step(0)
    assert table.agent_selection == "seat_1"


@every_game
def test_move_outside_the_mask_is_refused(game: str) -> None:
    table = dealt(game)
    before = table.match.state_bytes
    outside = np.flatnonzero(table.last()[0]["action_mask"] == 0)
    for move in (outside if len(outside) else [table.game.moves])[:50]:
        with pytest.raises(errors.IllegalMove, match="Legal now"):
            table.step(move)
    assert table.match.state_bytes == before


@pytest.mark.parametrize("kind", [int, np.int8, np.int32, np.int64, np.uint8, np.array])
def test_any_whole_number_is_a_move(kind: Any) -> None:
    table = dealt("connect_four", first=0)
    table.step(kind(3))
    assert table.match.history == [(0, 3)]


def test_nothing_works_before_the_first_deal() -> None:
    table = env("memoarrrr", render_mode="ansi")
    for use in (
        lambda: table.step(0),
        table.last,
        lambda: table.observe("seat_0"),
        table.render,
        table.state,
        table.agent_iter,
        lambda: table.match,
    ):
        with pytest.raises(errors.NotAnActor, match=r"Call reset\(\) first"):
            use()


def test_after_the_end_only_none_is_left_and_then_nothing() -> None:
    table = dealt("connect_four", first=0)
    for column in (0, 0, 1, 1, 2, 2, 3):
        table.step(column)
    end = table.match.state_bytes
    with pytest.raises(errors.MatchOver, match=r"step\(None\) takes seat_0 from the table, reset\(\)"):
        table.step(4)
    assert table.agents == ["seat_0", "seat_1"]
    table.step(None)
    table.step(None)
    for use in (lambda: table.step(None), lambda: table.step(4), table.last):
        with pytest.raises(errors.MatchOver, match=r"reset\(\) deals another"):
            use()
    assert list(table.agent_iter()) == []
    assert table.match.state_bytes == end
    table.reset()
    assert table.agents == ["seat_0", "seat_1"]


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: env("conect_four"), errors.UnknownGame, "Did you mean 'connect_four'"),
        (lambda: env("connect_four", seats=3), errors.WrongSeats, "2 seats"),
        (lambda: env("connect_four", colour=1), errors.UnknownOption, "Known: columns"),
        (lambda: env("connect_four", first=2), errors.BadOption, "random, 0, 1"),
        (lambda: env("connect_four", render_mode="ascii"), errors.BadOption, "human, ansi, svg, rgb_array"),
        (lambda: env("connect_four", max_cycles=0), errors.BadOption, "whole number from 1"),
        (lambda: env("connect_four", max_cycles=True), errors.BadOption, "whole number from 1"),
        (lambda: env("connect_four", viewer=2), errors.UnknownSeat, "seat_0, seat_1"),
        (lambda: env("connect_four").reset(seed=-1), errors.SamovarError, "seed"),
        (lambda: env("connect_four").reset(seed=2**63), errors.SamovarError, "seed"),
        (lambda: env("connect_four").action_space("seat_2"), errors.UnknownSeat, "seat_0, seat_1"),
        (lambda: env("connect_four").observation_space("player_0"), errors.UnknownSeat, "seat_0, seat_1"),
        (lambda: dealt("connect_four").observe("seat_2"), errors.UnknownSeat, "seat_0, seat_1"),
        (lambda: dealt("connect_four").render(), errors.BadOption, "human, ansi, svg, rgb_array"),
    ],
)
def test_wrong_use_gets_a_typed_error_that_names_the_remedy(make: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        make()


def test_refused_seed_leaves_the_match_at_hand() -> None:
    table = dealt("connect_four")
    before = table.match
    with pytest.raises(errors.SamovarError, match="seed"):
        table.reset(seed=-1)
    assert table.match is before


def test_without_pettingzoo_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pettingzoo", None)
    monkeypatch.delitem(sys.modules, "samovar.envs.pettingzoo")
    with pytest.raises(errors.MissingExtra, match=r"'pettingzoo'.*pip install 'samovar-games\[research\]'"):
        importlib.import_module("samovar.envs.pettingzoo")


# At home in PettingZoo


def test_render_shows_what_its_viewer_may_see() -> None:
    hand = {viewer: env("matryoshka", render_mode="ansi", viewer=viewer) for viewer in (None, 0, 1)}
    for table in hand.values():
        table.reset(seed=3)
    drawn = {viewer: table.render() for viewer, table in hand.items()}
    assert "Your hand" not in drawn[None]
    assert "Your hand" in drawn[0]
    assert drawn[0] != drawn[1]


def test_people_see_every_position_without_asking(capsys: pytest.CaptureFixture[str]) -> None:
    table = dealt("connect_four", render_mode="human", first=0)
    assert "x" not in capsys.readouterr().out.split("\n\n")[0]
    table.step(0)
    assert "x" in capsys.readouterr().out.split("\n\n")[0]


def test_illegal_moves_can_be_made_to_lose_by_pettingzoos_own_wrapper() -> None:
    table = TerminateIllegalWrapper(env("connect_four", first=0), illegal_reward=-1)
    table.reset(seed=1)
    for _ in range(6):
        table.step(0)
    table.step(0)
    assert {agent: reward for agent, (_, reward, *_) in play(table)} == {"seat_0": -1, "seat_1": 0}  # type: ignore[arg-type]


@every_game
def test_parallel_users_step_the_active_agent(game: str) -> None:
    table = parallel_env(game, max_cycles=20)
    observations, infos = table.reset(seed=3)
    aec = table.aec_env
    steps, total = 0, dict.fromkeys(table.possible_agents, 0.0)
    while table.agents:
        active = aec.agent_selection
        assert [agent for agent, info in infos.items() if info["active"]] == [active]
        assert all(observations[agent]["action_mask"].all() for agent in table.agents if agent != active)
        mask = observations[active]["action_mask"]
        assert np.flatnonzero(mask).tolist() == aec.match.legal(aec.match.actors[0])
        actions = {agent: table.action_space(agent).sample(mask if agent == active else None) for agent in table.agents}
        observations, rewards, *_, infos = table.step(actions)
        steps += 1
        total = {agent: total[agent] + rewards[agent] for agent in total}
    assert steps == len(aec.match.history) > 5
    assert sum(total.values()) == pytest.approx(0)


def test_parallel_table_counts_steps_and_refuses_what_it_cannot_do() -> None:
    table = parallel_env("connect_four", max_cycles=3, first=0)
    table.reset(seed=1)
    with pytest.raises(errors.NotAnActor, match="seat_0 is to act"):
        table.step({"seat_1": 0})
    for column in range(3):
        assert table.agents
        _, _, terminations, truncations, infos = table.step({"seat_0": column, "seat_1": column})
    assert (terminations, truncations) == ({"seat_0": False, "seat_1": False}, {"seat_0": True, "seat_1": True})
    assert not any(info["active"] for info in infos.values())
    with pytest.raises(errors.MatchOver, match=r"reset\(\)"):
        table.step({"seat_0": 0, "seat_1": 0})


@pytest.mark.usefixtures("_plain_rules")
def test_parallel_table_passes_over_a_deal_that_leaves_nothing_to_do() -> None:
    table = parallel_env("varvitikud", seats=2)
    looks, infos = table.reset(seed=144)
    assert not table.aec_env.match.over
    assert list(looks) == list(infos) == table.agents


@every_game
def test_infos_have_the_legal_moves_and_the_same_shapes_at_every_moment(game: str) -> None:
    table = dealt(game, max_cycles=6)
    shapes = set()
    for agent, (_, _, terminated, truncated, _) in play(table):
        legal = [] if terminated or truncated else table.match.legal(table.match.actors[0])
        for other, info in table.infos.items():
            moves = info["legal_moves"]
            assert moves[moves >= 0].tolist() == (legal if other == agent else [])
            shapes.add(tuple((name, np.shape(value)) for name, value in info.items()))
    assert len(shapes) == 1


@pytest.mark.parametrize("words", [{"actions": "legal"}, {"turned": True}, {"actions": "legal", "turned": True}])
@pytest.mark.parametrize("game", ["babuschka", "memoarrrr"])
def test_matches_can_be_played_by_other_actions(game: str, words: dict[str, Any]) -> None:
    table = dealt(game, encoding="planes", rewards="both", **words)
    for agent, (look, *_) in play(table):
        assert table.observation_space(agent).contains(look)
    points = table.match.scores
    assert table.match.over
    assert table.infos == {}
    other = pickle.loads(pickle.dumps(table))
    assert (other.match.state_bytes, other.terms) == (table.match.state_bytes, table.terms)
    assert table.terms.pay(table.match.states)[0] == pytest.approx(
        [np.sign(points[seat] - points[1 - seat]) + (points[seat] - points[1 - seat]) / 100 for seat in range(2)]
    )


def test_parallel_users_are_told_when_a_conversion_does_not_fit() -> None:
    with pytest.raises(AssertionError, match="not generally safe"):
        aec_to_parallel(env("babuschka"))


@every_game
@pytest.mark.parametrize("clone", [copy.deepcopy, lambda table: pickle.loads(pickle.dumps(table))])
def test_clone_goes_on_alike_and_apart(game: str, clone: Any) -> None:
    table = dealt(game)
    for _ in play(table, 9):
        pass
    before = table.match.state_bytes
    other = clone(table)
    went = [(agent, got[1:4], got[4]["places"]) for agent, got in play(other)]
    assert table.match.state_bytes == before
    assert table.agents == table.possible_agents
    assert [(agent, got[1:4], got[4]["places"]) for agent, got in play(table)] == went
    assert table.match.history == other.match.history


def test_environment_without_a_deal_can_be_pickled() -> None:
    other = pickle.loads(pickle.dumps(env("memoarrrr", seats=3, expert=True)))
    other.reset(seed=4)
    assert other.match.state_bytes == samovar.Match("memoarrrr", seats=3, seed=4, expert=True).state_bytes


# The space of moves


def test_moves_are_drawn_as_gymnasium_draws_them() -> None:
    ours, theirs = Moves(500, seed=7), gymnasium.spaces.Discrete(500, seed=7)
    chance = np.random.default_rng(1)
    for size in (1, 2, 7, 250, 500):
        mask = np.zeros(500, np.int8)
        mask[chance.permutation(500)[:size]] = 1
        assert [ours.sample(mask) for _ in range(40)] == [theirs.sample(mask) for _ in range(40)]
    assert [ours.sample() for _ in range(40)] == [theirs.sample() for _ in range(40)]
    assert ours.sample(np.zeros(500, np.int8)) == 0
    assert ours == theirs


@pytest.mark.parametrize(
    ("mask", "text"),
    [
        (np.ones(4, np.int8), "shape"),
        (np.ones((5, 1), np.int8), "shape"),
        (np.ones(5, np.int64), "dtype"),
        (np.full(5, 2, np.int8), "0 or 1"),
        (np.array([1, 1, 0, -1, 1], np.int8), "0 or 1"),
        ([1, 1, 1, 1, 1], "type"),
    ],
)
def test_wrong_mask_is_complained_of(mask: Any, text: str) -> None:
    with pytest.raises(AssertionError, match=text):
        Moves(5).sample(mask)
