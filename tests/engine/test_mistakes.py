"""A mistake in a rule is told as its author knows it: which rule, which field, what to do. And it changes nothing."""

import gc
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import pytest

from samovar.engine.chance import shuffle
from samovar.engine.match import Match
from samovar.engine.rule import rule, table
from samovar.engine.ways import watch
from samovar.errors import BrokenGame, IllegalMove
from samovar.testing import checks
from support.endless_rules import determinize_in_a_helper_without_end, determinize_without_end
from support.processes import TESTS
from support.tiny_game import GAME, apply, legal

WEIGHTS = table([1, 2, 3])


@rule
def apply_too_much(state, seat, move):
    state.points[seat] += 100 * (move + 1)
    apply(state, seat, move)


@rule
def apply_too_low(state, seat, move):
    state.last = -129


@rule
def apply_at_a_far_place(state, seat, move):
    state.round += 1
    state.bet[seat + 2] = move


@rule
def apply_with_a_short_table(state, seat, move):
    state.spare = WEIGHTS[move + 3]


@rule
def apply_by_division(state, seat, move):
    state.spare = move // state.round


@rule
def observe_a_large_number(state, seat, out):
    for i in range(6):
        out[i] = 60 * i


@rule
def legal_without_end(state, seat, out):
    count = 0
    while state.round >= 0:
        count = 1 - count
    return count


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (
            apply_too_much,
            r"The rule 'apply_too_much' of Blind writes 200 into state.points\[seat\], which holds -128 to 127: "
            r"test_mistakes.py, line \d+: 'state.points\[seat\] \+= 100 \* \(move \+ 1\)'. Give the field a wider type",
        ),
        (apply_too_low, "The rule 'apply_too_low' of Blind writes -129 into state.last, which holds -128 to 127"),
        (apply_at_a_far_place, r"The rule 'apply_at_a_far_place' of Blind uses state.bet\[2\], which has 2 places"),
        (apply_with_a_short_table, r"uses WEIGHTS\[4\], which has 3 places"),
        (apply_by_division, r"fails at test_mistakes.py, line \d+: 'state.spare = move // state.round' \(ZeroDivision"),
    ],
)
def test_a_mistake_in_a_rule_is_named_and_half_a_move_is_none(broken, message: str) -> None:
    match = Match(replace(GAME, apply=broken), seed=1, plain=True)
    before = match.state_bytes
    with pytest.raises(BrokenGame, match=message):
        match.play(0, 1)
    assert (match.state_bytes, match.history, match.actors) == (before, [], (0, 1))
    assert bytes(match.state.array.tobytes()) == before


def test_an_observation_has_small_numbers() -> None:
    match = Match(replace(GAME, observe=observe_a_large_number), seed=1, plain=True)
    with pytest.raises(BrokenGame, match=r"'observe_a_large_number' of Blind writes 180 into out\[i\], .* -128 to 127"):
        match.observation(0)


@pytest.mark.parametrize("plain", [True, False])
def test_too_many_legal_moves_are_told(plain: bool) -> None:
    match = Match(replace(GAME, max_legal=2), seed=1, plain=plain)
    with pytest.raises(
        BrokenGame, match=r"'legal' of Blind writes 3 legal moves, and max_legal says 2. Raise max_legal"
    ):
        match.legal(0)


@rule
def legal_far_beyond(state, seat, out):
    for move in range(200):
        out[move] = move
    return legal(state, seat, out)


def test_far_too_many_legal_moves_are_told_where_rules_are_plain() -> None:
    match = Match(replace(GAME, legal=legal_far_beyond), seed=1, plain=True)
    for ask in (match.legal, lambda seat: match.play(seat, 0)):
        with pytest.raises(
            BrokenGame, match="'legal_far_beyond' of Blind writes more legal moves, and max_legal says 3"
        ):
            ask(0)


def test_a_text_that_two_moves_have_is_told_by_number() -> None:
    game = replace(GAME, moves=6, move_text=lambda state, seat, move: f"bet {move % 3}", parse_move=None)
    match = Match(game, seed=1, plain=True)
    with pytest.raises(
        IllegalMove, match=r"may not play move 4, which is written 'bet 1' like move 1. Only the latter is legal now."
    ):
        match.play(0, 4)
    match.play(0, "bet 1")


@rule
def legal_but_nothing(state, seat, out):
    return 0 if state.round == 1 and seat == 1 else legal(state, seat, out)


@pytest.mark.parametrize("plain", [True, False])
def test_an_actor_without_a_move_is_told(plain: bool) -> None:
    match = Match(replace(GAME, legal=legal_but_nothing), seed=1, plain=plain)
    match.play(0, 1)
    match.play(1, 1)
    assert match.legal(0) == [0, 1, 2]
    for ask in (match.legal, match.moves, lambda seat: match.play(seat, 0)):
        with pytest.raises(BrokenGame, match=r"'legal_but_nothing' of Blind writes no move for seat 1, .* Pass over"):
            ask(1)


@rule
def legal_in_disorder(state, seat, out):
    for bet in range(3):
        out[bet] = 2 - bet
    return 3


def test_moves_in_disorder_are_told_and_not_refused_as_illegal() -> None:
    match = Match(replace(GAME, legal=legal_in_disorder), seed=1, plain=True)
    with pytest.raises(
        BrokenGame, match=r"'legal_in_disorder' of Blind writes move 2 and then move 1. Write .* ascend"
    ):
        match.play(0, 2)


@rule
def apply_by_a_wrong_shuffle(state, seat, move):
    shuffle(WEIGHTS, state.bet, 9)


def test_what_a_helper_is_given_wrongly_is_told_by_the_line_of_the_author() -> None:
    match = Match(replace(GAME, apply=apply_by_a_wrong_shuffle), seed=1, plain=True)
    with pytest.raises(
        BrokenGame, match=r"'apply_by_a_wrong_shuffle' of Blind fails at test_mistakes.py, line \d+: 'shuffle\("
    ):
        match.play(0, 1)


# Rules that do not end


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "INTERVAL", 0.05)
    monkeypatch.setattr(watch, "TOO_LONG", 0.3)
    time.sleep(1.1)  # the watcher sleeps as long as it was told before


@pytest.mark.slow
@pytest.mark.usefixtures("impatient")
def test_a_plain_rule_that_does_not_end_is_stopped_and_named() -> None:
    match = Match(replace(GAME, legal=legal_without_end), seed=1, plain=True)
    with pytest.raises(BrokenGame, match=r"The rule 'legal_without_end' of Blind does not end.*'(while|count)"):
        match.legal(0)
    with pytest.raises(BrokenGame, match="The rule 'legal_without_end' of Blind does not end"):
        match.play(0, 1)
    match = Match(replace(GAME, determinize=determinize_without_end), seed=1, plain=True)
    named = (
        r"'find_a_card' of Blind does not end \(part of 'determinize_without_end'\)\. It was stopped at endless_rules"
    )
    with pytest.raises(BrokenGame, match=named):
        match.imagine(0, 1)
    with pytest.raises(BrokenGame, match=named):
        checks.check_walk(match.game, 2, {}, 1)
    match = Match(replace(GAME, determinize=determinize_in_a_helper_without_end), seed=1, plain=True)
    with pytest.raises(
        BrokenGame,
        match=r"'determinize_in_a_helper_without_end' of Blind does not end. It was stopped at endless_rules.py, line "
        r"\d+: '(shuffle|while)",
    ):
        match.imagine(0, 1)


class FrameToFearFor:
    """Python 3.11 sometimes dies when another thread's frame is asked for its caller."""

    f_code, f_lasti = test_a_plain_rule_that_does_not_end_is_stopped_and_named.__code__, 0

    @property
    def f_back(self) -> None:
        raise AssertionError("its caller was asked for")


def test_the_watch_asks_no_frame_for_its_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "_current_frames", lambda: {1: FrameToFearFor()})
    assert watch._look({}) == {}


def test_nothing_is_collected_while_frames_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python 3.11 stands still for ever when it happens."""
    collected = []
    monkeypatch.setattr(sys, "_current_frames", lambda: collected.append(gc.isenabled()) or {})
    watch._look({})
    assert collected == [False]
    assert gc.isenabled()


SCRIPT = """
import sys
from dataclasses import replace
from samovar.engine.ways import watch
from samovar.engine.match import Match
from support.endless_rules import determinize_without_end
from support.tiny_game import GAME
watch.INTERVAL, watch.LONG, watch.TOO_LONG = 0.1, 0.2, 0.4
print("begun", flush=True)
Match(replace(GAME, determinize=determinize_without_end), seed=1).imagine(0, 1)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="sends a signal as Ctrl+C does on Unix")
def test_compiled_rules_that_do_not_end_are_told_and_ctrl_c_ends_them() -> None:
    path = os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")]).strip(os.pathsep)
    environment = {**os.environ, "PYTHONPATH": path, "SAMOVAR_PLAIN": ""}
    with subprocess.Popen(
        [sys.executable, "-c", SCRIPT], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stderr
            told = process.stderr.readline()
            process.send_signal(signal.SIGINT)
            ended = process.wait(timeout=30)
        finally:
            process.kill()
    assert "samovar: 'determinize' of Blind has been running for" in told
    assert "press Ctrl+C, which ends this process, and do the same with SAMOVAR_PLAIN=1" in told
    assert ended == -signal.SIGINT
