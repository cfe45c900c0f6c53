"""The kit as pytest tests: every registered game, every seat count, every variant. `pytest --pyargs
samovar.testing.conformance`

A package with a game of its own imports all names of this file into a test file, and names its game
there: `GAMES = [GAME]`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec

import pytest

from samovar.engine.contract import Game, Options
from samovar.engine.registry import find_game, game_ids
from samovar.errors import TooLarge
from samovar.testing import (
    backends,
    checks,
    code,
    endless,
    golden,
    histories,
    kinds,
    observed,
    players,
    reachable,
    site,
    sweep,
    twins,
    wasm,
    worlds,
)
from samovar.testing import teach as lessons
from samovar.testing import teach as puzzles

GAMES = [find_game(game_id) for game_id in game_ids()]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test that takes `game` is run for every game, one that takes `seats` and `options` too for
    every variant of it."""
    games: list[Game] = metafunc.module.GAMES
    if "seats" in metafunc.fixturenames:
        metafunc.parametrize(("game", "seats", "options"), [one for game in games for one in variants_of(game)])
    elif "game" in metafunc.fixturenames:
        metafunc.parametrize("game", games, ids=[game.id for game in games])


def variants_of(game: Game) -> list[object]:
    return [
        pytest.param(
            game,
            seats,
            options,
            id="-".join([game.id, str(seats), *(f"{name}={value}" for name, value in options.items())]),
        )
        for seats, options in game.variants()
    ]


# Deals among which pairs are sought that a seat cannot tell apart: six cards of 70 in a hand need
# this many to meet by chance.
DEALS = 60_000


@pytest.fixture(autouse=True)
def patience(request: pytest.FixtureRequest) -> Iterator[None]:
    """A `determinize` that does not end is told and not waited for, and only once."""
    if "game" not in request.fixturenames:
        yield
        return
    game: Game = request.getfixturevalue("game")
    if game in endless.found:
        pytest.fail(f"It was told before: {endless.found[game]}")
    with endless.patience(game):
        yield


def test_facts_are_complete(game: Game) -> None:
    checks.check_facts(game)
    for option in game.options:
        checks.check_option(game, option)


def test_rules_use_nothing_that_cannot_be_compiled(game: Game) -> None:
    code.check_rule_code(game)


def test_rules_pages_number_the_same_rules(game: Game) -> None:
    checks.check_pages(game)


def test_the_lesson_can_be_played_to_its_end_in_every_way(game: Game) -> None:
    lessons.check_lesson(game)


def test_the_lesson_is_told_on_the_site_in_every_language(game: Game) -> None:
    lessons.check_on_site(game)


def test_puzzles_stand_where_they_say(game: Game) -> None:
    puzzles.check_puzzles(game)


def test_parts_fill_their_shapes(game: Game) -> None:
    kinds.check_parts(game)


def test_numbers_are_of_their_kinds_and_moves_can_be_told_as_parts(game: Game, seats: int, options: Options) -> None:
    kinds.check_numbers(game, seats, options, seed=21)
    kinds.check_features(game, seats, options, seed=22)


def test_what_everybody_sees_is_observed(game: Game, seats: int, options: Options) -> None:
    observed.check_observed(game, seats, options)


def test_every_state_of_a_match_is_sound_and_readable(game: Game, seats: int, options: Options) -> None:
    checks.check_walk(game, seats, options, seed=11, limit=150)


def test_random_matches_end_in_time(game: Game, seats: int, options: Options) -> None:
    checks.check_length(game, seats, options)


def test_replay_undo_and_copy_give_identical_bytes(game: Game, seats: int, options: Options) -> None:
    checks.check_history(game, seats, options, seed=12)


def test_what_fades_follows_from_the_view_and_says_no_more(game: Game, seats: int, options: Options) -> None:
    checks.check_fading(game, seats, options, seed=18)


def test_a_wide_deal_is_sound_and_the_same_again(game: Game, seats: int, options: Options) -> None:
    checks.check_wide_deal(game, seats, options)


def test_order_of_simultaneous_commits_is_irrelevant(game: Game, seats: int, options: Options) -> None:
    checks.check_simultaneous(game, seats, options, seed=13)


def test_nothing_hidden_is_received_in_thousands_of_positions(game: Game, seats: int, options: Options) -> None:
    assert sweep.check_sweep(game, seats, options) > 0


def test_matches_that_a_seat_cannot_tell_apart_look_the_same_to_it(game: Game, seats: int, options: Options) -> None:
    twins.check_twins(game, seats, options)


def test_worlds_fit_and_nothing_hidden_is_received(game: Game, seats: int, options: Options) -> None:
    for seed in (14, 15):
        worlds.check_worlds(game, seats, options, seed)


def test_what_no_seat_has_seen_is_dealt_anew_and_nothing_else(game: Game, seats: int, options: Options) -> None:
    worlds.check_redeal(game, seats, options, seed=20)


def test_worlds_vary_where_two_are_proven_possible(game: Game, seats: int, options: Options) -> None:
    worlds.check_variety(game, seats, options, deals=DEALS)


def test_worlds_are_as_often_so_in_truth(game: Game) -> None:
    seats, options = game.variants()[-1]
    histories.check_calibrated(game, seats, options)


def test_worlds_are_those_that_a_deal_can_lead_to(game: Game) -> None:
    """Exactly, where the deals of the game or of a small member of it can be counted."""
    too_large, compared = [], 0
    for small in reachable.small_ones(game):
        try:
            compared += reachable.check_reachable(small, *small.variants()[0], seeds=(31,))
        except TooLarge as error:
            too_large.append(str(error))
    if too_large and not compared:
        pytest.skip(" ".join(too_large))


def test_nothing_hidden_leaves_the_site(game: Game, seats: int, options: Options) -> None:
    site.check_site(game, seats, options, seed=17)


def test_what_has_faded_is_in_no_answer_of_the_site(game: Game) -> None:
    seats, options = game.variants()[-1]
    site.check_fading(game, seats, options, seed=19)


def test_nothing_hidden_leaves_the_site_where_two_worlds_are_proven_possible(game: Game) -> None:
    seats, options = game.variants()[0]
    site.check_proven(game, seats, options, deals=DEALS)


def test_bots_answer_legally_and_alike_in_all_worlds_that_fit(game: Game, seats: int, options: Options) -> None:
    players.check_bots(game, seats, options, seed=16)


def test_bots_answer_alike_where_two_worlds_are_proven_possible(game: Game, seats: int, options: Options) -> None:
    players.check_proven(game, seats, options, deals=DEALS)


def test_evaluations_are_shares_and_quick_moves_legal(game: Game, seats: int, options: Options) -> None:
    players.check_evaluation(game, seats, options)


def test_who_plays_for_success_reaches_it(game: Game, seats: int, options: Options) -> None:
    players.check_upright(game, seats, options)


def test_plain_and_compiled_give_identical_bytes(game: Game, seats: int, options: Options) -> None:
    backends.check_plain_and_compiled(game, seats, options)


def test_plain_and_cuda_simulator_give_identical_bytes(game: Game) -> None:
    """The simulator is chosen when Numba is imported."""
    said = _said_by("samovar.testing.backends", game, NUMBA_ENABLE_CUDASIM="1")
    assert said.count("plain = CUDA") == len(game.variants())


def test_plain_and_numba_cuda_mlir_give_identical_bytes(game: Game) -> None:
    """The package is chosen once."""
    if not find_spec("numba_cuda_mlir"):
        pytest.skip("numba-cuda-mlir is not installed: samovar-games[cuda-next]")
    said = _said_by("samovar.testing.gpu_code", game, SAMOVAR_CUDA="numba-cuda-mlir")
    assert said.count("plain = numba-cuda-mlir") == len(game.variants())


def _said_by(module: str, game: Game, **environment: str) -> str:
    """What a module says of a game, in a process of its own."""
    command = [sys.executable, "-m", module, game.id]
    environment = {**os.environ, **environment}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=1200, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def test_webassembly_gives_identical_bytes(game: Game, seats: int, options: Options) -> None:
    if missing := wasm.what_is_missing():
        pytest.skip(missing)
    wasm.check_wasm(game, seats, options)


def test_golden_playthrough_is_unchanged(game: Game, seats: int, options: Options) -> None:
    golden.check_golden(game, seats, options)
