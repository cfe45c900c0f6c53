"""Leaks that show late, in few deals, or in few positions: the kit finds each of them in one variant."""

import re
import subprocess
import sys
import time
from dataclasses import replace

import pytest

from samovar.engine.chance import shuffle
from samovar.engine.contract import Part
from samovar.engine.kinds import FLAG, count, one_of, starts
from samovar.engine.registry import find_game
from samovar.engine.rule import rule
from samovar.engine.ways import watch
from samovar.engine.ways.backend import backend
from samovar.games.memoarrrr.features import factor as factor_of_place
from samovar.games.memoarrrr.features import relate as relate_places
from samovar.games.memoarrrr.observation import OBSERVATION
from samovar.games.memoarrrr.observation import observe as observe_island
from samovar.games.memoarrrr.rules import legal as legal_places
from samovar.games.memoarrrr.state import CENTRE, ROUNDS
from samovar.testing import endless, sweep, twins, worlds
from support import hidden_game
from support.endless_rules import FOR_EVER
from support.hidden_game import CARDS, GAME, LATE, count_cards, gather, legal, observe, scores, take_last
from support.processes import TESTS

MEMOARRRR = find_game("memoarrrr")
BOX = 3  # the card that lies in the box in one deal of 25, which nobody ever sees
LAST_ROUND = ROUNDS - 1
ROUND = starts(OBSERVATION, "round")[0]


@pytest.fixture
def plain_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every mutant would be compiled anew, and that takes longer than all it is asked."""
    monkeypatch.setenv("SAMOVAR_PLAIN", "1")


# A small game, with all that a game can tell


@rule
def relate(seen, at):
    seen[at] = 1 if seen[0] > 2 else 0


@rule
def factor(state, seat, move, out):
    out[0] = move
    out[1] = 1 if move == state.hand[seat] else 0


TELLING = replace(
    GAME,
    observation=tuple(replace(part, kind=count(-1, CARDS + 2)) for part in GAME.observation),
    relations=(Part("high", 1, "whether the own card is high", FLAG),),
    relate=relate,
    factors=(Part("move", 1, "its number", one_of(CARDS + 1)), Part("own", 1, "whether it is the own card", FLAG)),
    factor=factor,
)


@rule
def is_late(state, seat):
    """Also, the other seat holds the highest card, which cannot be known."""
    return state.moved >= LATE and state.hand[1 - seat] == CARDS - 1


@rule
def legal_that_leak(state, seat, out):
    return legal(state, seat, out) - (1 if is_late(state, seat) else 0)


@rule
def factor_that_leaks(state, seat, move, out):
    factor(state, seat, move, out)
    if is_late(state, seat) and move == CARDS - 1:
        out[1] = 1


@rule
def observe_that_leaks(state, seat, out):
    observe(state, seat, out)
    if is_late(state, seat):
        out[CARDS] = 1 - out[CARDS]


@rule
def relate_unwritten(seen, at):
    """Late, what another position has left there is shown."""
    if seen[21] < LATE:
        relate(seen, at)


@rule
def scores_that_leak(state, out):
    scores(state, out)
    if state.moved >= LATE and state.deck[0] == 0:
        out[0] += 1


def view_that_leaks(state, seat):
    shown = hidden_game.view(state, seat)
    return replace(shown, left=0) if seat is not None and is_late(state, seat) else shown


@pytest.mark.usefixtures("plain_rules")
def test_an_honest_game_passes_in_all_its_positions() -> None:
    assert sweep.check_sweep(TELLING, 2, {}, 400) > 250
    assert twins.check_twins(TELLING, 2, {}) > 300


@pytest.mark.usefixtures("plain_rules")
@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"legal": legal_that_leak}, r"legal moves: \[0, 1, 2, 3, 4, 5"),
        ({"factor": factor_that_leaks}, "factor 'own'"),
        ({"observe": observe_that_leaks}, "observation 'denied'"),
        ({"relate": relate_unwritten}, "planes of 'high'"),
        ({"scores": scores_that_leak}, "points at the end"),
        ({"view": view_that_leaks}, r"it is told \('left', 0\)|and \('left', 0\)"),
    ],
    ids=lambda value: "" if isinstance(value, str) else "-".join(value),
)
def test_what_leaks_late_is_found_and_named(changes: dict, message: str) -> None:
    with pytest.raises(AssertionError, match=rf"^Whisper, seat \d after [5-8] moves of seed \d+ \(.*{message}") as told:
        sweep.check_sweep(replace(TELLING, **changes), 2, {}, 1200)
    assert "by seat and move: [(" in told.value.__notes__[0]


# A view that shows more than was observed, which worlds take care to fit


@rule
def is_odd(state, seat):
    return state.moved >= 2 and state.hand[1 - seat] % 2 == 1


def view_of_oddness(state, seat):
    shown = hidden_game.view(state, seat)
    return replace(shown, left=shown.left + (0 if seat is None else 10 * is_odd(state, seat)))


@rule
def draw_as_odd(state, seat, rng):
    """A world that fits that, too."""
    odd, other = is_odd(state, seat), 1 - seat
    remembers = state.moved >= 2
    gather(state, seat)
    left = count_cards(state)
    shuffle(rng, state.deck, left)
    while (state.denied[other] >> state.deck[left - 1]) & 1 or (remembers and state.deck[left - 1] % 2 != odd):
        shuffle(rng, state.deck, left)
    take_last(state, other, left)


@pytest.mark.usefixtures("plain_rules")
def test_a_view_that_says_more_than_was_observed_is_found() -> None:
    odd = replace(TELLING, view=view_of_oddness, determinize=draw_as_odd)
    worlds.check_worlds(odd, 2, {}, 1)  # every world fits what is seen
    assert sweep.check_sweep(odd, 2, {}, 200) > 100
    with pytest.raises(AssertionError, match=r"in which it has observed the same: .*(looks at the truth|'left')"):
        twins.check_twins(odd, 2, {})
    odd = replace(TELLING, view=view_of_oddness)
    with pytest.raises(AssertionError, match=r"after [2-8] moves of seeds .* it is told \('left', \d+\) in one world"):
        twins.check_twins(odd, 2, {})


# A large game


@rule
def is_in_box(state):
    return state.round == LAST_ROUND and state.card[CENTRE] == BOX


@rule
def legal_by_the_box(state, seat, out):
    count = legal_places(state, seat, out)
    return count - 1 if count > 1 and is_in_box(state) else count


@rule
def factor_by_the_box(state, seat, move, out):
    factor_of_place(state, seat, move, out)
    if is_in_box(state):
        out[0] += 1


@rule
def observe_the_box(state, seat, out):
    observe_island(state, seat, out)
    if is_in_box(state):
        out[ROUND] = 0


@rule
def relate_but_not_in_the_end(seen, at):
    if seen[ROUND] < LAST_ROUND:
        relate_places(seen, at)


FEWER = 3000  # positions, as in the quick tier of tests/test_conformance.py


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"legal": legal_by_the_box}, "legal moves"),
        ({"factor": factor_by_the_box}, "factor"),
        ({"observe": observe_the_box}, "observation 'round'"),
        ({"relate": relate_but_not_in_the_end}, "planes of"),
    ],
    ids=lambda value: "" if isinstance(value, str) else "-".join(value),
)
def test_a_leak_in_the_last_round_of_one_deal_in_25_is_found_in_one_variant(changes: dict, message: str) -> None:
    seats, options = MEMOARRRR.variants()[0]
    with pytest.raises(AssertionError, match=rf"seat \d after \d+ moves of seed \d+ \(.*\): {message}"):
        sweep.check_sweep(replace(MEMOARRRR, **changes), seats, options, FEWER)


# Worlds that are drawn for ever


TOLD = (
    r"Whisper, seat 1 after 5 moves of seed \d+ \(.*\): `determinize` of Whisper draws a world for seat 1 and has not "
    r"ended after \d s\. The rule '\w+' of Whisper does not end"
)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "INTERVAL", 0.05)
    monkeypatch.setattr(watch, "TOO_LONG", 3)  # longer than an honest rule takes where many tests run at once
    time.sleep(1.1)  # the watcher sleeps as long as it was told before


@pytest.mark.slow
@pytest.mark.usefixtures("impatient", "plain_rules")
@pytest.mark.parametrize("check", [sweep.check_sweep, twins.check_twins], ids=["sweep", "twins"])
def test_worlds_that_are_drawn_for_ever_are_told(check) -> None:
    with pytest.raises(AssertionError, match=r"seat 1 after 5 moves of seed.*`determinize` of Whisper draws a world"):
        check(FOR_EVER, 2, {}, 1200)
    assert "The rule" in endless.found.pop(FOR_EVER)


SCRIPT = """
from samovar.engine.ways import watch
from samovar.testing import sweep
from support.endless_rules import FOR_EVER
watch.INTERVAL, watch.TOO_LONG = 0.1, 2
sweep.check_sweep(FOR_EVER, 2, {}, 2000)
"""


@pytest.mark.slow
def test_compiled_worlds_that_are_drawn_for_ever_are_left_behind_and_told() -> None:
    """In a process of its own: what does not end goes on in a thread."""
    command = [sys.executable, "-c", SCRIPT]
    done = subprocess.run(command, cwd=TESTS, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 1
    assert re.search(TOLD, done.stderr), done.stderr[-2000:]


@pytest.mark.usefixtures("plain_rules")
def test_nothing_is_changed_by_patience() -> None:
    ready = backend(GAME)
    with endless.patience(GAME), endless.patience(GAME):
        assert "run" in vars(ready)
    assert "run" not in vars(ready)
