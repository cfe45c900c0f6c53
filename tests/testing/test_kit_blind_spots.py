"""Mutants that the kit once let pass: what is forgotten, what is left out, what points at nothing, who has no move."""

from dataclasses import replace

import pytest

from samovar.engine.contract import Game, Part
from samovar.engine.heuristics import Heuristics
from samovar.engine.kinds import one_of
from samovar.engine.rule import rule
from samovar.engine.tokens import Group, Tokens
from samovar.testing import checks, histories, kinds, observed, players, reachable, sweep
from support import outcome_games, peeking_game
from support.hidden_game import CARDS, GAME, LATE, legal, observe


@pytest.fixture(autouse=True)
def plain_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every mutant would be compiled anew, and that takes longer than all it is asked."""
    monkeypatch.setenv("SAMOVAR_PLAIN", "1")


# What was seen once


def test_what_was_seen_once_and_is_remembered_passes() -> None:
    assert histories.check_calibrated(peeking_game.GAME, 2, {}, 800) > 1000


def test_a_state_that_forgets_what_a_seat_has_seen_is_found() -> None:
    """Nothing of it was in the news, and one moment alone shows nothing."""
    checks.check_walk(peeking_game.FORGETS, 2, {}, 1)
    with pytest.raises(
        AssertionError,
        match=r"seat \d after 2 moves: .* state.deck\[\d\] is seen\[0\], as it observed after 0 moves, in (\d+) in "
        r"truth and in \d+ of the worlds .* draws too seldom. What a seat has received must be in the state",
    ):
        histories.check_calibrated(peeking_game.FORGETS, 2, {}, 800)
    with pytest.raises(AssertionError, match=r"imagines a world that no deal leads to .* Keep in the state"):
        reachable.check_reachable(peeking_game.FORGETS, 2, {})


# What everybody sees


@rule
def observe_without_points(state, seat, out):
    observe(state, seat, out)
    out[19] = 0
    out[20] = 0


@rule
def observe_without_the_heap(state, seat, out):
    peeking_observe(state, seat, out)
    out[2] = 0


peeking_observe = peeking_game.observe


def test_what_everybody_sees_is_observed_in_an_honest_game() -> None:
    assert observed.check_observed(GAME, 2, {}) > 30
    assert observed.check_observed(peeking_game.GAME, 2, {}) > 100


@pytest.mark.parametrize(
    ("game", "shown"),
    [
        (replace(GAME, observe=observe_without_points), r"view.points, \(\d, \d\) .* \(they differ in .*state.points"),
        (
            replace(peeking_game.GAME, observe=observe_without_the_heap),
            r"view.heap, .* \(they differ in .*state.heap.*\)",
        ),
    ],
    ids=["points", "heap"],
)
def test_what_everybody_sees_and_no_observation_tells_is_found(game: Game, shown: str) -> None:
    with pytest.raises(AssertionError, match=f"everybody sees {shown}.* Give the observation a part for it"):
        observed.check_observed(game, 2, {})


# What points at things


@rule
def factor(state, seat, move, out):
    out[0] = move


@rule
def factor_from_one(state, seat, move, out):
    out[0] = move + 1


@rule
def observe_with_a_mark(state, seat, out):
    observe(state, seat, out)
    out[22] = state.last


POINTING = replace(
    GAME,
    factors=(Part("card", 1, "the card named, 6 for a draw", one_of(CARDS + 1)),),
    factor=factor,
    observation=(*GAME.observation, Part("last", 1, "the last move", one_of(CARDS + 1))),
    observe=observe_with_a_mark,
    tokens=Tokens((Group("move", CARDS + 1, (), marks=("last",)),), points={"card": "move"}),
)


@rule
def observe_with_a_mark_beyond(state, seat, out):
    observe(state, seat, out)
    out[22] = state.last + 1


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"factor": factor_from_one},
            r"a move of seat \d: factor writes 7 into 'card', which names one of the things 'move': they are numbered "
            "0 to 6. Write -1 where it is none",
        ),
        ({"observe": observe_with_a_mark_beyond}, r"seat \d: observe writes 7 into 'last', .* numbered 0 to 6"),
    ],
    ids=["factor", "mark"],
)
def test_what_points_beyond_its_group_is_found(changes: dict, message: str) -> None:
    for check in (kinds.check_numbers, kinds.check_features):
        check(POINTING, 2, {}, 21)
    broken = replace(POINTING, **changes)
    with pytest.raises(AssertionError, match=message):
        (kinds.check_features if "factor" in changes else kinds.check_numbers)(broken, 2, {}, 21)


# Moves in few positions


@rule
def is_rare(state, seat):
    return state.moved == LATE and state.hand[seat] == 0


@rule
def legal_but_nothing(state, seat, out):
    return 0 if is_rare(state, seat) else legal(state, seat, out)


@rule
def legal_twice(state, seat, out):
    count = legal(state, seat, out)
    if is_rare(state, seat):
        out[1] = 0
    return count


@rule
def legal_beyond(state, seat, out):
    count = legal(state, seat, out)
    if is_rare(state, seat):
        out[count - 1] = count
    return count


@rule
def move_beyond(state, seat, rng, out):
    return CARDS + 1 if state.moved == LATE and state.hand[seat] == 1 else 0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"legal": legal_but_nothing}, r"`actors` says it may act, and `legal` writes no move for it"),
        ({"legal": legal_twice}, r"`legal` writes moves that do not ascend: \[0, 0, 2"),
        ({"legal": legal_beyond}, r"`legal` writes a move of 7 or more, which is `moves`: .* 7\]"),
        ({"heuristics": Heuristics(rollout_move=move_beyond)}, "rollout_move gives move 7, which is not legal"),
    ],
    ids=["none", "twice", "beyond", "rollout"],
)
def test_moves_that_are_wrong_in_few_positions_are_found(changes: dict, message: str) -> None:
    checks.check_walk(replace(GAME, **changes), 2, {}, 1)
    with pytest.raises(AssertionError, match=rf"^Whisper, seat \d after 5 moves of seed \d+ .*{message}"):
        sweep.check_sweep(replace(GAME, **changes), 2, {}, 400)


# What is good


@rule
def success_of_none(state):
    return 1000 - steps_success(state)


@rule
def evaluate_winning(state, out):
    for seat in range(state.seats):
        out[seat] = steps_success(state)


@rule
def evaluate_losing(state, out):
    for seat in range(state.seats):
        out[seat] = 1000 - steps_success(state)


@rule
def scores_of_what_is_missing(state, out):
    steps_scores(state, out)
    for seat in range(state.seats):
        out[seat] = 2 * state.seats - out[seat]


@rule
def evaluate_the_other(state, out):
    out[0] = 500 + 100 * (state.points[1] - state.points[0])
    out[1] = 1000 - out[0]


@rule
def evaluate_points(state, out):
    out[0] = 500 + 100 * (state.points[0] - state.points[1])
    out[1] = 1000 - out[0]


steps_success, steps_scores = outcome_games.success, outcome_games.scores
STEPS = outcome_games.GAME


def test_who_plays_for_success_reaches_it_in_an_honest_game() -> None:
    players.check_upright(STEPS, 1, {})
    players.check_upright(GAME, 2, {})  # in which nobody plays together
    counts_down = replace(STEPS, scores=scores_of_what_is_missing, places=outcome_places)
    players.check_upright(counts_down, 1, {})  # few are good here, and its places say so


@rule
def outcome_places(state, out):
    for seat in range(state.seats):
        out[seat] = 1


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"success": success_of_none},
            "reaches less points than .* deals in which they differ. Write `success` so that 1000",
        ),
        ({"scores": scores_of_what_is_missing}, "reaches less points than random .* with a minus"),
    ],
    ids=["success", "scores"],
)
def test_a_cooperative_game_that_is_upside_down_is_found(changes: dict, message: str) -> None:
    with pytest.raises(AssertionError, match=rf"^Steps with 1 seats is upside down: .*{message}"):
        players.check_upright(replace(STEPS, **changes), 1, {})


def test_an_evaluation_that_is_upside_down_is_found() -> None:
    players.check_evaluation(replace(GAME, heuristics=Heuristics(evaluate=evaluate_points)), 2, {})
    with pytest.raises(
        AssertionError, match=r"evaluate of Whisper is upside down: .* Give 1000 to who will surely win"
    ):
        players.check_evaluation(replace(GAME, heuristics=Heuristics(evaluate=evaluate_the_other)), 2, {})
    players.check_evaluation(replace(STEPS, heuristics=Heuristics(evaluate=evaluate_winning)), 3, {}, 200)
    with pytest.raises(AssertionError, match=r"evaluate of Steps is upside down: .* with the end\)"):
        players.check_evaluation(replace(STEPS, heuristics=Heuristics(evaluate=evaluate_losing)), 3, {}, 200)
