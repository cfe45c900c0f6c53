"""The games in OpenSpiel: its own checks pass, its own bots play, and what it sees is what `Match`
says."""

import copy
import importlib
import os
import pickle
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pyspiel
import pytest
from open_spiel.python import rl_environment
from open_spiel.python.algorithms import ismcts, mcts, mcts_agent
from open_spiel.python.algorithms.generate_playthrough import playthrough
from open_spiel.python.observation import INFO_STATE_OBS_TYPE, make_observation

import samovar
from samovar import envs
from samovar.engine.registry import find_game, game_ids
from samovar.envs import openspiel, picture
from samovar.errors import (
    BadOption,
    BadPosition,
    BrokenGame,
    IllegalMove,
    MatchOver,
    MissingExtra,
    UnknownOption,
    UnknownSeat,
    WrongSeats,
)
from support import tiny_game

pytestmark = pytest.mark.research

VARIANTS = [(name, seats, options) for name in game_ids() for seats, options in find_game(name).variants()]
# Babuschka's matches are long
GAMES = ["samovar_babuschka(patience=3)", *(f"samovar_{name}" for name in game_ids() if name != "babuschka")]


def load(name: str, seats: int, options: dict[str, Any]) -> Any:
    return pyspiel.load_game(f"samovar_{name}", {"seats": seats, **options})


def spoken(variant: tuple[str, int, dict[str, Any]]) -> str:
    name, seats, options = variant
    return "-".join([name, str(seats), *(f"{key}_{value}" for key, value in options.items())])


def dealt(text: str, deal: int = 0) -> Any:
    state = pyspiel.load_game(text).new_initial_state()
    state.apply_action(deal)
    return state


def played(text: str, deal: int, moves: int) -> Any:
    """A state some random moves after a deal."""
    state = dealt(text, deal)
    choose = random.Random(deal)
    for _ in range(moves):
        if not state.is_terminal():
            state.apply_action(choose.choice(state.legal_actions()))
    return state


def bytes_of(state: Any) -> bytes:
    whole: bytes = state._position.state
    return whole


# OpenSpiel's own checks


@pytest.mark.parametrize("variant", VARIANTS, ids=spoken)
def test_every_variant_passes_the_random_simulation(variant: tuple[str, int, dict[str, Any]]) -> None:
    pyspiel.random_sim_test(load(*variant), num_sims=1, serialize=True, verbose=False)


@pytest.mark.parametrize("variant", VARIANTS, ids=spoken)
def test_every_variant_passes_the_resampling_check(variant: tuple[str, int, dict[str, Any]]) -> None:
    """What OpenSpiel's `ResampleInfostateTest` asks (it is not to be had from Python), at a few
    moments of a match, and that the world goes on."""
    game = load(*variant)
    sampler = pyspiel.UniformProbabilitySampler(7, 0.0, 1.0)
    choose = random.Random(1)
    state = game.new_initial_state()
    state.apply_action(1)
    for moment in range(10_000):
        if state.is_terminal():
            break
        for player in range(state.num_players()) if moment % 9 == 0 else ():
            world = state.resample_from_infostate(player, sampler)
            assert world.information_state_string(player) == state.information_state_string(player)
            assert world.information_state_tensor(player) == state.information_state_tensor(player)
            assert world.current_player() == state.current_player()
            check_usable(game, world)
        state.apply_action(choose.choice(state.legal_actions()))
    assert moment > 5


def check_usable(game: Any, world: Any) -> None:
    """A world can be cloned, serialized and played, and all three agree."""
    clone, again = world.clone(), game.deserialize_state(world.serialize())
    for other in (clone, again):
        assert bytes_of(other) == bytes_of(world)
        assert other.history() == world.history() == []
    move = world.legal_actions()[-1]
    for other in (clone, again):
        other.apply_action(move)
        assert other.history() == [move]
    assert bytes_of(clone) == bytes_of(again)
    assert bytes_of(clone) != bytes_of(world), "playing in a clone must leave the world alone"


@pytest.mark.parametrize("text", GAMES)
def test_openspiels_search_and_random_bots_play_whole_matches(text: str) -> None:
    game = pyspiel.load_game(text)
    is_open = game.get_type().information == pyspiel.GameType.Information.PERFECT_INFORMATION
    rollouts, chance = mcts.RandomRolloutEvaluator(1, np.random.RandomState(1)), np.random.RandomState(2)
    search = (
        mcts.MCTSBot(game, 2.0, 3, rollouts, random_state=chance)
        if is_open
        else ismcts.ISMCTSBot(game, rollouts, 2.0, 3, random_state=chance)
    )
    bots = [search, *(pyspiel.make_uniform_random_bot(player, 5) for player in range(1, game.num_players()))]
    returns = pyspiel.evaluate_bots(game.new_initial_state(), bots, 3)
    assert sum(returns) == pytest.approx(0)
    assert len(returns) == game.num_players()


def test_search_agents_play_in_the_learning_environment() -> None:
    """It hands agents serialized states."""
    env = rl_environment.Environment("samovar_memoarrrr", include_full_state=True)
    env.seed(1)
    bot = ismcts.ISMCTSBot(env.game, openspiel.CompiledRollouts(seed=1), 1.5, 5, random_state=np.random.RandomState(2))
    agents = [
        mcts_agent.MCTSAgent(player_id=player, num_actions=env.action_spec()["num_actions"], mcts_bot=bot)
        for player in range(2)
    ]
    step = env.reset()
    assert env.observation_spec()["info_state"] == (find_game("memoarrrr").observation_size,)
    while not step.last():
        step = env.step([agents[step.observations["current_player"]].step(step).action])
    assert sorted(step.rewards) in ([-1.0, 1.0], [0.0, 0.0])


def test_a_process_that_registers_games_ends_well_and_plain_rules_serve_too() -> None:
    code = """if True:
        import pyspiel, samovar.envs.openspiel
        game = pyspiel.load_game("samovar_connect_four")
        pyspiel.random_sim_test(game, num_sims=1, serialize=True, verbose=False)
        state = game.new_initial_state()
        state.apply_action(5)
        state.resample_from_infostate(0, lambda: 0.5)
        print(samovar.envs.openspiel.CompiledRollouts(seed=1).evaluate(state), state._position.state.hex())
    """
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, "SAMOVAR_PLAIN": "1"}
    )
    assert (done.returncode, done.stderr) == (0, "")
    state = dealt("samovar_connect_four", 5)
    assert done.stdout.split("\n")[0] == f"{openspiel.CompiledRollouts(seed=1).evaluate(state)} {bytes_of(state).hex()}"


# It is the match that `Match` plays


@pytest.mark.parametrize("text", GAMES)
def test_it_is_the_match_of_its_seed(text: str) -> None:
    game = (
        pyspiel.load_game(text, {"seed": 40}) if "(" not in text else pyspiel.load_game(text.replace(")", ",seed=40)"))
    )
    variant = game.variant
    match = samovar.Match(variant.game, variant.seats, 42, **variant.options)
    state = game.new_initial_state()
    state.apply_action(2)
    choose = random.Random(3)
    while not match.over:
        assert bytes_of(state) == match.state_bytes
        player = state.current_player()
        assert player == min(match.actors)
        assert state.legal_actions() == match.legal(player)
        assert state.returns() == [0.0] * match.seats
        move = choose.choice(match.legal(player))
        assert state.action_to_string(move) == match.move_text(player, move)
        if len(match.history) % 8 == 0:
            assert state.string_to_action(match.move_text(player, move)) == move
        state.apply_action(move)
        match.play(player, move)
    assert state.is_terminal()
    assert state.history()[1:] == [move for _, move in match.history]
    others = match.seats - 1
    assert (
        state.returns()
        == state.rewards()
        == [
            (sum(other > place for other in match.places) - sum(other < place for other in match.places)) / others
            for place in match.places
        ]
    )


def test_facts_come_from_the_contract() -> None:
    game = pyspiel.load_game("samovar_memoarrrr(seats=3,expert=true,deals=5,seed=7)")
    ours = find_game("memoarrrr")
    kind = game.get_type()
    assert (kind.short_name, kind.long_name, kind.min_num_players, kind.max_num_players) == (
        "samovar_memoarrrr",
        ours.name,
        2,
        4,
    )
    assert game.variant.options["expert"] is True
    assert (game.num_players(), game.num_distinct_actions(), game.max_chance_outcomes()) == (3, ours.moves, 5)
    assert game.max_game_length() == ours.max_length(3, ours.check_options(3, {"expert": True}))
    assert (game.min_utility(), game.max_utility(), game.utility_sum()) == (-1, 1, 0)
    assert game.max_chance_nodes_in_history() == 1
    state = game.new_initial_state()
    assert state.is_chance_node()
    assert state.chance_outcomes() == [(deal, 0.2) for deal in range(5)]
    assert state.action_to_string(3) == "deal 10"


def test_options_are_parameters_of_their_kind() -> None:
    assert pyspiel.load_game("samovar_matryoshka(long_columns=cap)").variant.options["long_columns"] == "cap"
    assert pyspiel.load_game("samovar_babuschka(patience=7,first=1)").variant.options == {"patience": 7, "first": 1}
    assert pyspiel.load_game("samovar_babuschka(first=-1)").variant.options["first"] is None
    given = pyspiel.load_game("samovar_matryoshka").get_parameters()
    usual = {"seats": 3, "deals": 1000, "seed": 0, "true_chance": False, "recall": False}
    assert given == usual | {
        "encoding": "raw",
        "turned": False,
        "rewards": "place",
        "version": 0,
        "long_columns": "extend",
        "growth": 3,
        "first": -1,
    }


# What a seat knows


@pytest.mark.parametrize("text", GAMES)
def test_observers_show_what_the_seat_knows(text: str) -> None:
    state = played(text, 3, 6)
    game = state.get_game()
    parts = game.variant.game.observation
    for player in range(game.num_players()):
        known = np.frombuffer(state._position.observation(player), np.int8)
        assert known.tobytes() == samovar_observation(state, player)
        by_python = make_observation(game)
        by_python.set_from(state, player)
        for tensor in (by_python.tensor, state.observation_tensor(player), state.information_state_tensor(player)):
            assert np.array_equal(tensor, known)
        assert list(by_python.dict) == [part.name for part in parts]
        assert np.concatenate(list(by_python.dict.values())).tolist() == known.tolist()
        readable = state.observation_string(player)
        assert readable == by_python.string_from(state, player)
        numbers = [int(word) for line in readable.split("\n")[1:] for word in line.split(": ")[1].split()]
        assert numbers == known.tolist()
        recalled = make_observation(game, INFO_STATE_OBS_TYPE)
        assert recalled.string_from(state, player) == state.information_state_string(player)
    assert len({state.information_state_string(player) for player in range(game.num_players())}) == game.num_players()


def samovar_observation(state: Any, player: int) -> bytes:
    """The observation by way of `Match`: the same deal, the same moves."""
    variant = state.get_game().variant
    match = samovar.Match(variant.game, variant.seats, variant.seed + state.history()[0], **variant.options)
    for move in state.history()[1:]:
        match.play(min(match.actors), move)
    return match.observation(player).tobytes()


@pytest.mark.parametrize("text", GAMES)
def test_openspiels_playthrough_can_be_made(text: str) -> None:
    told = playthrough(text, [], seed=1)
    assert "IsTerminal() = True" in told
    is_open = text.startswith(("samovar_babuschka", "samovar_connect_four"))
    assert ("PublicObservationString" in told) == ("PrivateObservationString(0)" in told) == (not is_open)
    assert (f"Information.{'PERFECT' if is_open else 'IMPERFECT'}_INFORMATION") in told


def test_public_observers_tell_what_a_spectator_sees() -> None:
    public = pyspiel.IIGObservationType(perfect_recall=False, private_info=pyspiel.PrivateInfoType.NONE)
    state = played("samovar_matryoshka", 3, 6)
    seen = make_observation(state.get_game(), public)
    variant, match = state.get_game().variant, state._position
    truth = samovar.Match.standing(variant.game, variant.seats, match.state)
    assert seen.string_from(state, 0) == seen.string_from(state, 1) == picture.text(truth.game, truth.view(None))
    assert seen.tensor is None
    seen.set_from(state, 0)
    for seat in range(variant.seats):  # nothing that one of the seats does not know
        world = state.resample_from_infostate(seat, lambda: 0.4)
        assert bytes_of(world) != bytes_of(state)
        assert seen.string_from(world, 0) == seen.string_from(state, 0)


# Other words


def test_with_recall_an_information_state_is_all_that_was_seen_and_done() -> None:
    state = dealt("samovar_memoarrrr(recall=true)", 3)
    rows = [[state._position.observation(seat).hex()] for seat in range(2)]
    choose = random.Random(1)
    for _ in range(5):
        player, move = state.current_player(), choose.choice(state.legal_actions())
        state.apply_action(move)
        for seat in range(2):
            rows[seat].append(f"{move if seat == player else ''}:{state._position.observation(seat).hex()}")
    for seat in range(2):
        told = state.information_state_string(seat)
        assert told.split()[2:] == [f":{rows[seat][0]}", *rows[seat][1:]]
        assert told == pyspiel.State.information_state_string(state, seat)
        for other in (
            state.clone(),
            pickle.loads(pickle.dumps(state)),
            state.get_game().deserialize_state(state.serialize()),
        ):
            assert other.information_state_string(seat) == told
            other.apply_action(other.legal_actions()[0])
            assert other.information_state_string(seat).split()[2:-1] == told.split()[2:]
        assert state.resample_from_infostate(seat, lambda: 0.4).information_state_string(seat) == told
    assert not state.get_game().get_type().provides_information_state_tensor
    assert make_observation(state.get_game(), INFO_STATE_OBS_TYPE).tensor is None
    pyspiel.random_sim_test(state.get_game(), num_sims=1, serialize=True, verbose=False)


def test_two_ways_to_the_same_are_told_apart_by_recall_alone() -> None:
    strings = []
    for recall in ("true", "false"):
        for columns in ((0, 5, 1), (1, 5, 0)):
            state = dealt(f"samovar_connect_four(first=0,recall={recall})")
            for column in columns:
                state.apply_action(column)
            strings.append(state.information_state_string(1))
    assert strings[0] != strings[1]
    assert strings[2] == strings[3]


@pytest.mark.parametrize("game", ["babuschka", "memoarrrr"])
def test_tensors_are_planes_where_that_is_asked_for(game: str) -> None:
    state = played(f"samovar_{game}(encoding=planes)", 3, 6)
    ours, planes = find_game(game), pyspiel.IIGObservationType(perfect_recall=False)
    seen = make_observation(state.get_game(), planes)
    for seat in range(2):
        seen.set_from(state, seat)
        match = samovar.Match.standing(ours, 2, bytes_of(state))
        assert seen.tensor.tolist() == match.observation(seat, "planes").tolist() == state.observation_tensor(seat)
        assert [part.shape for part in seen.dict.values()] == [
            (part.count, *part.shape) for part in ours.encoding.planes
        ]
        assert np.concatenate([part.ravel() for part in seen.dict.values()]).tolist() == seen.tensor.tolist()
    assert sum(state.get_game().new_initial_state().observation_tensor(0)) == 0


def test_turned_moves_are_the_same_matches() -> None:
    straight, turned = (dealt(f"samovar_babuschka(first=1,turned={turned})") for turned in ("false", "true"))
    for _ in range(6):
        move = straight.legal_actions()[-1]
        text = straight.action_to_string(move)
        other = turned.string_to_action(text)
        with pytest.raises(IllegalMove, match="Legal now"):
            turned.apply_action(next(number for number in range(5000) if number not in turned.legal_actions()))
        straight.apply_action(move)
        turned.apply_action(other)
        assert bytes_of(straight) == bytes_of(turned)
        assert turned.legal_actions() == sorted(turned.legal_actions())
    assert straight.history() != turned.history()


@pytest.mark.parametrize("rewards", ["margin", "both"])
def test_returns_go_by_what_is_asked_for(rewards: str) -> None:
    state = played(f"samovar_memoarrrr(seats=3,rewards={rewards})", 3, 500)
    match = samovar.Match.standing(find_game("memoarrrr"), 3, bytes_of(state))
    for seat, gained in enumerate(state.returns()):
        others = [points for other, points in enumerate(match.scores) if other != seat]
        margin = match.scores[seat] - sum(others) / 2
        place = sum(np.sign(np.array(match.places) - match.places[seat])) / 2
        assert gained == pytest.approx(margin if rewards == "margin" else place + margin / 100)
    assert state.get_game().max_utility() >= max(state.returns())
    assert sum(state.returns()) == pytest.approx(0)


def test_cpp_observers_show_the_same() -> None:
    state = played("samovar_varvitikud", 3, 6)
    game = state.get_game()
    for kind in ((), (INFO_STATE_OBS_TYPE,)):
        seen = pyspiel._Observation(game, game.make_observer(*kind, {}))
        seen.set_from(state, 1)
        assert np.frombuffer(seen, np.float32).tolist() == state.observation_tensor(1)
        assert seen.string_from(state, 1) == (
            state.information_state_string(1) if kind else state.observation_string(1)
        )


@pytest.mark.parametrize(
    "text", ["samovar_memoarrrr(seats=3,expert=true)", "samovar_babuschka", "samovar_connect_four", "samovar_blind"]
)
def test_states_with_one_information_state_go_on_alike(text: str) -> None:
    """Equal strings: the seat imagines the same worlds. They are compared by playing them to the
    end, with an eye on every seat."""
    openspiel.register(tiny_game.GAME)
    variant = pyspiel.load_game(text).variant
    known: dict[tuple[int, str], Any] = {}
    pairs = 0
    choose = random.Random(1)
    for deal in range(400):
        position = variant.after(variant.start, deal)
        for _ in range(5):
            if position.player < 0:
                break
            for seat in range(variant.seats):
                other = known.setdefault((seat, position.player, position.observation(seat)), position)
                if other.state != position.state and pairs < 60:
                    pairs += 1
                    assert other.player == position.player
                    assert other.legal == position.legal or seat != position.player
                    assert course(variant.imagined(other, seat, pairs)) == course(
                        variant.imagined(position, seat, pairs)
                    )
            position = variant.after(position, choose.choice(position.legal[:2]))
    assert pairs >= 5


def course(position: Any) -> list[Any]:
    """All that happens in a random match from here on."""
    choose = random.Random(7)
    seen = []
    while position.player >= 0 and len(seen) < 60:
        seen.append(
            [position.player, position.legal, *(position.observation(seat) for seat in range(position.variant.seats))]
        )
        position = position.variant.after(position, choose.choice(position.legal))
    return seen


def test_resampling_varies_follows_its_sampler_and_hides_the_past() -> None:
    state = played("samovar_memoarrrr", 11, 4)
    worlds = [state.resample_from_infostate(0, lambda number=number: number / 20) for number in range(20)]
    assert len({bytes_of(world) for world in worlds}) == 20
    assert bytes_of(state.resample_from_infostate(0, lambda: 0.25)) == bytes_of(worlds[5])
    assert all(world.history() == [] and world.move_number() == 0 for world in worlds)
    start = pyspiel.load_game("samovar_memoarrrr").new_initial_state()
    assert start.resample_from_infostate(0, lambda: 0.5).is_chance_node()


def test_simultaneous_choices_come_one_after_another_unseen() -> None:
    openspiel.register(tiny_game.GAME)
    after = []
    for bet in range(3):
        state = dealt("samovar_blind", 4)
        assert state.current_player() == 0
        state.apply_action(bet)
        assert state.current_player() == 1
        after.append(state)
    assert len({state.information_state_string(1) for state in after}) == 1
    assert len({state.information_state_string(0) for state in after}) == 3
    imagined = {
        after[0].resample_from_infostate(1, lambda number=number: number / 50)._position.observation(0)[1]
        for number in range(50)
    }
    assert imagined == {0, 1, 2}, "seat 1 must be able to imagine every bet of seat 0"


def test_shortcuts_answer_like_openspiels_own_ways() -> None:
    for moves in (0, 5, 200):
        state = played("samovar_varvitikud(seats=3)", 2, moves)
        for player in range(3):
            assert state.legal_actions(player) == pyspiel.State.legal_actions(state, player)
            assert state.information_state_string(player) == pyspiel.State.information_state_string(state, player)
        assert state.legal_actions() == pyspiel.State.legal_actions(state)
        assert state.is_chance_node() == pyspiel.State.is_chance_node(state)
        legal = list(state.legal_actions())
        state.legal_actions().clear()
        assert state.legal_actions() == legal, "the caller's list must be its own"
    start = pyspiel.load_game("samovar_varvitikud(deals=4)").new_initial_state()
    assert start.legal_actions() == [0, 1, 2, 3]
    assert start.is_chance_node()
    assert start.information_state_string(0) == pyspiel.State.information_state_string(start, 0)


# Copies


def test_clones_share_bytes_and_go_apart() -> None:
    state = played("samovar_matryoshka", 1, 5)
    before, told = bytes_of(state), str(state)
    clone = state.clone()
    assert bytes_of(clone) is before
    assert clone.history() == state.history()
    clone.apply_action(clone.legal_actions()[0])
    assert (bytes_of(state), str(state)) == (before, told)
    assert str(clone) != told


@pytest.mark.parametrize("moves", [-1, 0, 7, 500])
def test_states_and_games_survive_serialization(moves: int) -> None:
    text = "samovar_varvitikud(seats=3,half_turn=true,deals=20)"
    state = played(text, 3, moves) if moves >= 0 else pyspiel.load_game(text).new_initial_state()
    game = state.get_game()
    copies = [
        game.deserialize_state(state.serialize()),
        pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(game, state))[1],
        pickle.loads(pickle.dumps(state)),
        copy.deepcopy(state),
    ]
    for other in copies:
        assert bytes_of(other) == bytes_of(state)
        assert other.history() == state.history()
        assert other.legal_actions() == state.legal_actions()
        assert other.returns() == state.returns()
        assert other.get_game() == game
        for move in state.legal_actions()[:1]:
            other.apply_action(move)
            assert other.history() == [*state.history(), move]
    assert pickle.loads(pickle.dumps(game)) == game
    assert str(pyspiel.load_game(str(game))) == str(game)


def test_a_state_of_another_version_is_refused() -> None:
    with pytest.raises(BadPosition, match="version"):
        openspiel.unpickled("samovar_connect_four", b"short")


def test_threads_at_one_game_do_not_disturb_each_other() -> None:
    variant = pyspiel.load_game("samovar_varvitikud").variant

    def ends(first: int) -> list[list[Any]]:
        return [course(variant.after(variant.start, deal)) for deal in range(first, first + 6)]

    alone = [ends(first) for first in (0, 6, 12)]
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(3) as pool:
            together = list(pool.map(ends, (0, 6, 12)))
    finally:
        sys.setswitchinterval(usual)
    assert together == alone


def test_compiled_rollouts_are_random_rollouts() -> None:
    state = dealt("samovar_connect_four(first=0)")
    for column in (3, 0, 3, 0, 3):
        state.apply_action(column)
    before = bytes_of(state)
    ours = openspiel.CompiledRollouts(600, seed=1).evaluate(state)
    theirs = mcts.RandomRolloutEvaluator(200, np.random.RandomState(1)).evaluate(state)
    assert bytes_of(state) == before
    assert ours[0] > 0.5, "three in a column and a free field above"
    assert ours == pytest.approx(theirs, abs=0.15)
    assert ours.sum() == pytest.approx(0)
    assert openspiel.CompiledRollouts(seed=2).prior(state) == mcts.RandomRolloutEvaluator().prior(state)
    start = state.get_game().new_initial_state()
    assert abs(openspiel.CompiledRollouts(seed=2).evaluate(start)[0]) <= 1
    assert openspiel.CompiledRollouts(seed=2).prior(start) == start.chance_outcomes()


# Bad input


def test_an_illegal_action_is_refused_and_nothing_has_changed() -> None:
    state = dealt("samovar_connect_four(first=0)")
    for _ in range(6):
        state.apply_action(3)
    before, history, told = bytes_of(state), state.history(), str(state)
    for action in (3, 7, 2**40, -5):
        with pytest.raises(IllegalMove, match=r"Legal now: 0 \(a\), 1 \(b\)"):
            state.apply_action(action)
    with pytest.raises(pyspiel.SpielError, match="illegal action"):
        state.apply_action_with_legality_check(3)
    assert (bytes_of(state), state.history(), str(state)) == (before, history, told)
    state.apply_action(2)
    assert state.history() == [*history, 2]


def test_nobody_moves_after_the_end_and_there_are_no_other_deals() -> None:
    state = played("samovar_connect_four", 0, 50)
    before = state.history()
    with pytest.raises(MatchOver, match="new initial state"):
        state.apply_action(0)
    assert state.history() == before
    assert state.legal_actions() == []
    start = pyspiel.load_game("samovar_connect_four(deals=3)").new_initial_state()
    with pytest.raises(IllegalMove, match="numbered 0 to 2"):
        start.apply_action(3)
    assert start.is_chance_node()


@pytest.mark.parametrize(
    ("text", "error", "remedy"),
    [
        ("samovar_babuschka(seats=3)", WrongSeats, "2 or 4"),
        ("samovar_babuschka(patience=0)", BadOption, "from 1 to 1000"),
        ("samovar_babuschka(first=2)", BadOption, "0 to 1"),
        ("samovar_babuschka(first=-2)", BadOption, "random"),
        ("samovar_matryoshka(long_columns=short)", BadOption, "extend, cap"),
        ("samovar_babuschka(deals=0)", BadOption, "from 1 to"),
        ("samovar_babuschka(seed=-1)", BadOption, "from 0 to"),
        ("samovar_babuschka(version=7)", BadOption, "Leave 'version' out"),
        ("samovar_babuschka(patients=3)", pyspiel.SpielError, "patience"),  # OpenSpiel looks first
        ("samovar_babuschka(patience=true)", pyspiel.SpielError, "Expected type"),
        ("samovar_babushka", pyspiel.SpielError, "samovar_babuschka"),
    ],
)
def test_bad_parameters_are_refused_with_the_remedy(text: str, error: type[Exception], remedy: str) -> None:
    with pytest.raises(error, match=remedy):
        pyspiel.load_game(text)


def test_bad_questions_are_refused() -> None:
    state = dealt("samovar_memoarrrr")
    game = state.get_game()
    for ask in (state.information_state_string, lambda seat: state.resample_from_infostate(seat, lambda: 0.5)):
        for seat in (-1, 2):
            with pytest.raises(UnknownSeat, match="0 to 1"):
                ask(seat)
    with pytest.raises(UnknownOption, match="colour"):
        game.make_py_observer(None, {"colour": 1})
    everything = pyspiel.IIGObservationType(perfect_recall=False, private_info=pyspiel.PrivateInfoType.ALL_PLAYERS)
    with pytest.raises(BadOption, match="SINGLE_PLAYER or NONE"):
        game.make_py_observer(everything)


def test_a_broken_package_does_not_take_the_others_down(monkeypatch: pytest.MonkeyPatch) -> None:
    registered = []
    monkeypatch.setattr(openspiel, "register", registered.append)
    monkeypatch.setattr(envs, "game_ids", lambda: ("broken", "connect_four"))
    monkeypatch.setattr(envs, "find_game", broken_or_found)
    with pytest.warns(UserWarning, match="Mend"):
        openspiel.register_installed()
    assert registered == [find_game("connect_four")]


def broken_or_found(name: str) -> Any:
    if name == "broken":
        raise BrokenGame("Mend or uninstall its package.")
    return find_game(name)


def test_without_openspiel_the_remedy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    monkeypatch.delitem(sys.modules, "samovar.envs.openspiel")
    with pytest.raises(MissingExtra, match=r"samovar-games\[research\]"):
        importlib.import_module("samovar.envs.openspiel")
