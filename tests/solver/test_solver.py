"""Small games worked out to the end agree with what is known about them."""

import json
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest

from samovar import cli
from samovar.cli import tournaments
from samovar.engine.chance import below, shuffle, starting_seat
from samovar.engine.contract import Game, Option, Part, nothing_hidden, usual_prompt
from samovar.engine.match import Match
from samovar.engine.registry import find_game
from samovar.engine.rule import rule
from samovar.errors import BadOption, BrokenGame, TooLarge, UnknownBot
from samovar.solver import respond
from samovar.solver.chances import Script, all_deals, outcomes
from samovar.solver.exploit import asked, best_play, exploit, whole_game
from samovar.solver.form import SequenceForm
from samovar.solver.graph import Graph
from samovar.solver.solve import exploitability, gains, solve
from samovar.solver.tree import VariantRules, alike, digests
from support import tiny_game
from support.kuhn_game import CARDS, kuhn

PILE = 10


def kuhn_form(late: bool = False) -> SequenceForm:
    return SequenceForm(VariantRules(kuhn(late), rewards="margin", plain=True))


# A game without secrets whose winner is known: Nim with one pile, of which one to three are taken.


@rule
def nim_deal(state, seats, options, rng):
    state.seats = seats
    state.left = options.pile
    state.turn = starting_seat(rng, seats, options.first)


@rule
def nim_actors(state):
    return 0 if state.left == 0 else 1 << state.turn


@rule
def nim_legal(state, seat, out):
    most = min(3, state.left)
    for k in range(most):
        out[k] = k
    return most


@rule
def nim_apply(state, seat, move):
    state.left -= move + 1
    state.turn = (seat + 1) % state.seats
    if state.left == 0:
        state.won = seat


@rule
def nim_scores(state, out):
    """Who took the last."""
    for seat in range(state.seats):
        out[seat] = 1 if state.left == 0 and state.won == seat else 0


@rule
def nim_observe(state, seat, out):
    out[0] = state.left
    out[1] = state.turn


NIM = Game(
    id="nim",
    name="Nim",
    seats=(2, 3),
    state=np.dtype([("left", np.int8), ("turn", np.int8), ("won", np.int8), ("seats", np.int8)]),
    moves=3,
    max_length=lambda seats, options: PILE,
    observation=(Part("left", 1, "in the pile"), Part("turn", 1, "whose")),
    own_options=(Option("pile", PILE, range(1, PILE + 1), "how many there are"),),
    deal=nim_deal,
    actors=nim_actors,
    legal=nim_legal,
    apply=nim_apply,
    scores=nim_scores,
    determinize=nothing_hidden,
    observe=nim_observe,
    view=lambda state, seat: usual_prompt(nim_actors(state), seat),  # nobody looks at it here
    move_text=lambda state, seat, move: str(move + 1),
    words={"en": {}},
)


# Chance


def test_every_deal_is_found_with_its_probability() -> None:
    deals = all_deals(kuhn(), 2, kuhn().check_options(2, {}))
    assert sorted(odds for odds, _ in deals) == [Fraction(1, 6)] * 6
    assert len({state for _, state in deals}) == 6


def test_every_deal_of_a_match_is_among_them() -> None:
    game = tiny_game.GAME
    found = {state for _, state in all_deals(game, 2, game.check_options(2, {}))}
    assert len(found) == 720
    assert {Match(game, 2, seed, plain=True).state_bytes for seed in range(100)} <= found


@rule
def deal_unlike(state, seats, options, rng):
    """Cards 0, 0, 0, 1 shuffled, and a seat drawn after that."""
    nim_deal(state, seats, options, rng)
    state.left = 1
    for k in range(4):
        state.row[k] = k // 3
    shuffle(rng, state.row, 4)
    state.won = below(rng, 3)


def test_equal_cards_are_one_choice_and_deals_alike_are_one() -> None:
    dtype = np.dtype([*((name, np.int8) for name in NIM.state.names or ()), ("row", np.int8, (4,))])
    game = replace(NIM, state=dtype, deal=deal_unlike)
    deals = all_deals(game, 2, game.check_options(2, {"first": 1}))
    assert [odds for odds, _ in deals] == [Fraction(1, 12)] * 12
    assert {state[:3] for _, state in deals} == {bytes([1, 1, won]) for won in range(3)}


def test_too_many_deals_are_refused_and_the_next_question_is_answered() -> None:
    game = tiny_game.GAME
    options = game.check_options(2, {})
    with pytest.raises(TooLarge, match=r"more than 100 deals\. Take a small member"):
        all_deals(game, 2, options, most=100)
    assert sum(odds for odds, _ in all_deals(game, 2, options)) == 1


def nobody_enumerates(script: Script) -> bool:
    raise AssertionError("the scripts are run one after another")


def test_hopelessly_many_deals_are_refused_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A million deals in plain Python take half an hour."""
    monkeypatch.setattr(Script, "turn_page", nobody_enumerates)
    game = find_game("memoarrrr")
    with pytest.raises(TooLarge, match=r"more than 1,000,000 deals\. Take a small member"):
        all_deals(game, 2, game.check_options(2, {}))


@rule
def deal_lopsided(state, seats, options, rng):
    """One time in twenty six cards are shuffled."""
    nim_deal(state, seats, options, rng)
    state.left = 1
    for k in range(6):
        state.row[k] = k
    if below(rng, 20) == 0:
        shuffle(rng, state.row, 6)


def test_deals_of_very_different_odds_are_all_found() -> None:
    """The first script is one of 28,800 (who starts is drawn as well), and yet there are only 1,478."""
    dtype = np.dtype([*((name, np.int8) for name in NIM.state.names or ()), ("row", np.int8, (6,))])
    game = replace(NIM, state=dtype, deal=deal_lopsided)
    deals = all_deals(game, 2, game.check_options(2, {"first": 1}), most=1478)
    odds = sorted(odds for odds, _ in deals)
    assert len(odds) == 720
    assert odds[:719] == [Fraction(1, 14_400)] * 719
    assert odds[-1] == Fraction(19, 20) + Fraction(1, 14_400)


def test_a_move_that_rolls_has_all_its_outcomes() -> None:
    game = kuhn(late=True)
    _, state = all_deals(game, 2, game.check_options(2, {}))[0]
    found = outcomes(game, state, 0, 1)
    assert [odds for odds, _ in found] == [Fraction(1, 2)] * 2
    assert len({after for _, after in found}) == 2
    _, after = found[0]
    assert len(outcomes(game, after, 1, 1)) == 1


# Kuhn's poker


@pytest.mark.parametrize("late", [False, True])
def test_the_value_of_kuhns_poker(late: bool) -> None:
    solved = solve(kuhn_form(late), rounds=2000)
    assert solved.values == pytest.approx([-1 / 18, 1 / 18], abs=1e-4)
    assert solved.exploitability < 1e-3


def test_the_tree_of_kuhns_poker_is_as_large_as_it_is() -> None:
    form = kuhn_form()
    assert (form.count.deals, form.count.chance, form.count.decisions, form.count.ends) == (6, 1, 24, 30)
    assert [side.questions for side in form.sides] == [2 * CARDS, 2 * CARDS]
    late = kuhn_form(late=True).count
    assert (late.deals, late.chance, late.decisions, late.ends) == (3, 1 + 3 * 2, 21, 30)


@pytest.mark.parametrize("late", [False, True])
def test_any_move_in_kuhns_poker(late: bool) -> None:
    form = kuhn_form(late)
    assert form.values(form.even()) == pytest.approx([1 / 8, -1 / 8])
    assert gains(form, form.even()) == pytest.approx([3 / 8, 13 / 24])
    assert exploitability(form, form.even()) == pytest.approx(11 / 24)


@pytest.mark.parametrize("bluff", [0.0, 0.2, 1 / 3])
def test_kuhns_own_equilibria_cannot_be_exploited(bluff: float) -> None:
    """How often each card bets, by what was done before (Kuhn, 1950)."""
    bets: dict[tuple[int, ...], tuple[float, float, float]] = {
        (): (bluff, 0, 3 * bluff),
        (0,): (1 / 3, 0, 1),
        (1,): (0, 1 / 3, 1),
        (0, 1): (0, bluff + 1 / 3, 1),
    }

    def answer(seat: Any, moves: Any) -> Any:
        card, *history = seat.observation.tolist()
        bet = bets[tuple(act for act in history if act >= 0)][card]
        return np.array([1 - bet, bet])

    form = kuhn_form()
    policy = form.ask(answer)
    assert form.values(policy) == pytest.approx([-1 / 18, 1 / 18])
    assert gains(form, policy) == pytest.approx([0, 0], abs=1e-12)


# Secrets, choices at the same time, and games without secrets


@rule
def deal_three(state, seats, options, rng):
    """Only three of the cards are shuffled."""
    state.seats = seats
    state.last = -1
    for k in range(6):
        state.deck[k] = k
    shuffle(rng, state.deck, 3)
    for seat in range(2):
        state.bet[seat] = -1


def test_a_choice_at_the_same_time_is_not_seen() -> None:
    """Who bets second does not know the bet; and what a seat knows is all it has seen and done."""
    rules = VariantRules(replace(tiny_game.GAME, deal=deal_three), plain=True)
    form = SequenceForm(rules)
    assert [(side.moment < 2).sum() for side in form.sides] == [3, 3]
    assert form.count.ends == 6 * 3**4
    deals = [state for _, state in all_deals(rules.game, 2, rules.options)]
    asked_for = {knows for deal in deals for knows in questions_after(Match.standing(rules.game, 2, deal, plain=True))}
    assert form.questions == len(asked_for)


def questions_after(match: Match, known: tuple[Any, ...] = ((), ())) -> set[Any]:
    """Every question there is from here on, walked one history after another."""
    if match.over:
        return set()
    seat = match.actors[0]
    known = tuple((*past, match.observation(each).tobytes()) for each, past in enumerate(known))
    found = {(seat, known[seat])}
    for move in match.legal(seat):
        after = match.copy()
        after.play(seat, move)
        found |= questions_after(
            after, tuple((*past, move) if each == seat else past for each, past in enumerate(known))
        )
    return found


def test_who_cannot_tell_its_moves_is_reported() -> None:
    @rule
    def blind(state, seat, out):
        out[0] = 0
        out[1] = state.turn

    @rule
    def imagine(state, seat, rng):
        state.left = 1 + below(rng, PILE)

    game = replace(NIM, observe=blind, determinize=imagine)
    with pytest.raises(BrokenGame, match="other legal moves in positions that it cannot tell apart"):
        SequenceForm(VariantRules(game, plain=True))


@pytest.mark.parametrize("left", range(1, 9))
def test_best_play_of_nim_is_known(left: int) -> None:
    found = best_play(whole_game(VariantRules(NIM, 2, {"first": 0, "pile": left}, plain=True)))
    assert found.values.tolist() == ([-1, 1] if left % 4 == 0 else [1, -1])
    assert found.exploitability == 0


@pytest.mark.parametrize("seats", [2, 3])
def test_positions_and_histories_give_the_same(seats: int) -> None:
    rules = VariantRules(NIM, seats, plain=True)
    form, graph = SequenceForm(rules), Graph(rules)
    assert form.count == graph.count
    assert form.values(form.even()) == pytest.approx(graph.values(graph.even()))
    assert form.best_values(form.even()) == pytest.approx(graph.best_values(graph.even()))

    seen: list[set[Any]] = [set(), set()]

    def modest(seen: set[Any], seat: Any, moves: Any) -> Any:
        seen.add((seat.number, seat.moment, *seat.observation.tolist()))
        return (moves == moves.min()).astype(float)

    policies = form.ask(partial(modest, seen[0])), graph.ask(partial(modest, seen[1]))
    assert seen[0] == seen[1]  # neither is asked where it does not come
    assert form.values(policies[0]) == pytest.approx(graph.values(policies[1]))
    assert form.best_values(policies[0]) == pytest.approx(graph.best_values(policies[1]))
    assert (gains(form, policies[0]) > 0).any()


def test_a_game_with_secrets_is_not_taken_for_one_without() -> None:
    with pytest.raises(BadOption, match="something is hidden"):
        Graph(VariantRules(kuhn(), plain=True))


def test_rows_are_told_apart() -> None:
    rows = np.random.default_rng(1).integers(0, 2, (5000, 13), np.int8)
    first, kinds = alike(*digests(rows).T)
    assert np.array_equal(rows[first][kinds], rows)
    assert len(first) == len(np.unique(rows, axis=0))


# Bots


def test_random_need_not_be_asked() -> None:
    form = kuhn_form()
    assert exploit(form, "random").gains == pytest.approx([3 / 8, 13 / 24])
    answer = asked(form.rules, "random", answers=400, seed=0)
    assert answer(form.chair(0, 0), form.sides[0].moves[1:3]).sum() == 1
    policy = form.ask(answer)
    assert exploitability(form, policy) == pytest.approx(11 / 24, abs=0.06)


def test_a_bot_is_asked_only_where_it_comes() -> None:
    """Who always bets never faces a bet after it has passed."""
    form = kuhn_form()
    seen = []

    def bets(seat: Any, moves: Any) -> Any:
        seen.append((seat.number, seat.moment, len(seat.sights)))
        return np.array([0.0, 1.0])

    form.ask(bets)
    assert sorted(seen) == [(0, 0, 1)] * CARDS + [(1, 1, 2)] * 2 * CARDS


def test_whoever_answers_to_random_gains(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(respond, "PLAYOUTS", 60)
    rules = VariantRules(NIM, 2, {}, plain=True)
    found = respond.bound(rules, "random", matches=40)
    best = exploit(whole_game(rules), "random").exploitability
    assert len(found.gains) == 20
    low, high = found.interval
    assert -1 <= low < found.gain < high <= 1
    assert 0.3 < found.gain < best + 0.3
    assert found.gain == pytest.approx(found.by_seat.mean())


# The command


def test_exploit_on_the_command_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("SAMOVAR_PLAIN", "1")
    monkeypatch.setattr(tournaments, "find_game", lambda name: {"kuhn": kuhn(), "nim": NIM}[name])
    run(["exploit", "kuhn", "--bot", "random", "--json"])
    found = json.loads(capsys.readouterr().out)
    assert (found["deals"], found["nodes"], found["questions"]) == (6, 55, 12)
    assert found["exploitability"] == pytest.approx(np.mean(found["gains"]))
    run(["exploit", "nim", "--first", "0"])
    assert "seat 0: +1.0000 by best play, 0.0000 more" in capsys.readouterr().out
    monkeypatch.setattr(respond, "PLAYOUTS", 20)
    run(["exploit", "nim", "--bot", "random", "--bound", "--matches", "9"])
    shown = capsys.readouterr().out
    assert "10 matches" in shown
    assert "at least" in shown
    with pytest.raises(UnknownBot, match="Name a --bot"):
        run(["exploit", "nim", "--bound"])


def run(words: list[str]) -> None:
    cli.app(words, standalone_mode=False)
