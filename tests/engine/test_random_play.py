"""Hypothesis plays: any sequence of choices, in any game and variant, keeps what must hold;
failures shrink to a short match."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import samovar
from samovar.engine.contract import Game
from samovar.testing.checks import received_by

pytestmark = pytest.mark.slow

GAMES = [samovar.find_game(game_id) for game_id in samovar.game_ids()]
VARIANTS = [(game, seats, options) for game in GAMES for seats, options in game.variants()]
choices = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 10_000)), max_size=60)
seeds = st.integers(0, 2**63 - 1)
quick = settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])


def play(variant: tuple[Game, int, dict], seed: int, picks: list[tuple[int, int]]) -> samovar.Match:
    """The match in which each pick names an actor and one of its legal moves."""
    game, seats, options = variant
    match = samovar.Match(game, seats, seed, **options)
    for actor, number in picks:
        if match.over:
            break
        seat = match.actors[actor % len(match.actors)]
        legal = match.legal(seat)
        match.play(seat, legal[number % len(legal)])
    return match


@quick
@given(st.sampled_from(VARIANTS), seeds, choices)
def test_any_match_is_sound_replays_and_can_be_taken_back(
    variant: tuple[Game, int, dict], seed: int, picks: list[tuple[int, int]]
) -> None:
    match = play(variant, seed, picks)
    assert match.faults == ()
    assert samovar.replay(match.record()).state_bytes == match.state_bytes
    start = play(variant, seed, []).state_bytes
    while match.history:
        match.undo()
    assert match.state_bytes == start


@quick
@given(st.sampled_from(VARIANTS), seeds, choices, seeds)
def test_any_imagined_world_looks_the_same_to_the_seat(
    variant: tuple[Game, int, dict], seed: int, picks: list[tuple[int, int]], other: int
) -> None:
    match = play(variant, seed, picks)
    for seat in range(match.seats):
        world = match.imagine(seat, other)
        assert world.faults == ()
        assert received_by(world, seat) == received_by(match, seat)


@quick
@given(st.sampled_from(VARIANTS), seeds, choices)
def test_any_match_is_the_same_in_plain_python(
    variant: tuple[Game, int, dict], seed: int, picks: list[tuple[int, int]]
) -> None:
    game, seats, options = variant
    match = play(variant, seed, picks)
    plain = samovar.Match(game, seats, seed, plain=True, **options)
    for seat, move in match.history:
        plain.play(seat, move)
    assert plain.state_bytes == match.state_bytes
    assert (plain.scores, plain.places) == (match.scores, match.places)
