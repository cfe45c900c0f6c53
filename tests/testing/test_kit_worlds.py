"""Mutants whose worlds look right to a seat now, and yet contradict what it has heard, or favour some cards: each of
them passes all that looks at one moment alone."""

from dataclasses import replace

import pytest

from samovar.engine.chance import below, shuffle
from samovar.engine.contract import Game, event
from samovar.engine.registry import find_game
from samovar.engine.rule import Rule, rule
from samovar.errors import TooLarge
from samovar.testing import checks, histories, players, reachable, worlds
from support import hidden_game
from support.hidden_game import CARDS, DRAW, GAME, count_cards, gather, observe, take_last


@pytest.fixture(autouse=True)
def plain_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every mutant would be compiled anew, and that takes longer than all it is asked."""
    monkeypatch.setenv("SAMOVAR_PLAIN", "1")


@rule
def draw_what_was_denied(state, seat, rng):
    """Remembers only half of what everybody heard."""
    other = 1 - seat
    gather(state, seat)
    left = count_cards(state)
    shuffle(rng, state.deck, left)
    while state.deck[left - 1] < CARDS // 2 and (state.denied[other] >> state.deck[left - 1]) & 1:
        shuffle(rng, state.deck, left)
    take_last(state, other, left)


@rule
def draw_low_cards(state, seat, rng):
    """Fits, but four times of five the lowest of two."""
    other = 1 - seat
    hidden_game.determinize(state, seat, rng)
    left = count_cards(state)
    if left > 0 and state.deck[0] < state.hand[other] and not (state.denied[other] >> state.deck[0]) & 1:
        if below(rng, 5) > 0:
            card = state.deck[0]
            state.deck[0] = state.hand[other]
            state.hand[other] = card


@rule
def draw_without_hearing(state, seat, rng):
    """All that is not seen, in any order."""
    gather(state, seat)
    left = count_cards(state)
    shuffle(rng, state.deck, left)
    take_last(state, 1 - seat, left)


@rule
def observe_without_hearing(state, seat, out):
    observe(state, seat, out)
    for i in range(2 * CARDS):
        out[1 + i] = 0


CONTRADICTING = replace(GAME, determinize=draw_what_was_denied)
BIASED = replace(GAME, determinize=draw_low_cards)
FORGETFUL = replace(GAME, determinize=draw_without_hearing, observe=observe_without_hearing)


@pytest.mark.parametrize("game", [GAME, CONTRADICTING, BIASED, FORGETFUL], ids=["honest", "heard", "biased", "forgot"])
def test_one_moment_alone_does_not_show_it(game: Game) -> None:
    """What the kit asked before: these mutants are the reason for asking more."""
    checks.check_walk(game, 2, {}, 1)
    worlds.check_worlds(game, 2, {}, 1)
    assert worlds.check_variety(game, 2, {}, deals=300, pairs=1) > 0
    players.check_bots(game, 2, {}, 3)


def test_an_honest_game_imagines_what_can_be() -> None:
    assert reachable.check_reachable(GAME, 2, {}) > 20


@pytest.mark.slow
def test_an_honest_game_imagines_what_can_be_as_often_as_it_is() -> None:
    assert histories.check_calibrated(GAME, 2, {}) > 10_000


@pytest.mark.parametrize(
    ("game", "message"),
    [
        (CONTRADICTING, r"imagines a world that no deal leads to by what it has received: state.hand\[1\] is 3\."),
        (BIASED, r"state\.\w+\[.\] is . in \d+% of the worlds that it imagines, and should be in \d+%"),
        (FORGETFUL, r"imagines a world that no deal leads to by what it has received: state.hand\[1\] is"),
    ],
    ids=["heard", "biased", "forgot"],
)
def test_worlds_of_a_small_game_are_those_that_can_be(game: Game, message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        reachable.check_reachable(game, 2, {})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "message"),
    [
        (CONTRADICTING, r"seat 0 after 4 moves: .*state.hand\[1\] is a place k where .*denied.* what cannot be"),
        (BIASED, r"seat 0 after 0 moves: .* draws too (often|seldom)"),
        (FORGETFUL, r"state.hand\[1\] is the card of 'wrong' {'seat': 0} 0 moves ago in 0 in truth"),
    ],
    ids=["heard", "biased", "forgot"],
)
def test_worlds_of_any_game_are_as_often_so_in_truth(game: Game, message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        histories.check_calibrated(game, 2, {})


# Words in one language alone


FRENCH = {
    "draws": "{seat} montre sa carte et en prend une autre.",
    "right": "{seat} nomme {card} : c’est juste.",
    "wrong": "{seat} nomme {card} : c’est faux.",
}
OWN_WORDS = ("card", "open_cards", "points", "left", "move.draw", "move.name")
BILINGUAL = {
    "words": {
        language: {**words, **{key: f"{key} {language} {{card}}" if key == "move.name" else key for key in OWN_WORDS}}
        for language, words in (("en", hidden_game.WORDS), ("fr", FRENCH))
    },
    "tell_move": lambda state, seat, move: event("move.draw") if move == DRAW else event("move.name", card=move),
}


def without(key: str) -> dict:
    return {language: {k: v for k, v in words.items() if k != key} for language, words in BILINGUAL["words"].items()}


def test_a_game_that_speaks_two_languages_tells_all_in_both() -> None:
    checks.check_walk(replace(GAME, **BILINGUAL), 2, {}, 1)


def news_of_a_word(state, seat):
    shown = hidden_game.view(state, seat)
    return replace(shown, news=tuple(event(told.kind, seat=0, card="dragon") for told in shown.news))


def view_of_a_word(state, seat):
    return replace(hidden_game.view(state, seat), open_cards=("dragon",))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"tell_move": None}, "would read the move 'name 0' in every language: write tell_move"),
        ({"words": without("move.draw")}, "no words for 'move.draw'"),
        ({"words": without("left")}, "would read 'left', of view.left, in every language: add words for it in 'en'"),
        ({"view": view_of_a_word}, "would read 'dragon', of view.open_cards, in every language"),
        ({"view": news_of_a_word}, "no words for 'dragon', the card of"),
    ],
    ids=["moves", "told moves", "fields", "values", "facts"],
)
def test_what_has_no_words_is_told(changes: dict, message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        checks.check_walk(replace(GAME, **{**BILINGUAL, **changes}), 2, {}, 1)


def test_a_game_of_too_many_deals_is_told_so() -> None:
    with pytest.raises(TooLarge, match=r"Matryoshka with 3 seats has more than 6,000 deals. Give it a small member."):
        reachable.check_reachable(find_game("matryoshka"), 3, {})


def test_a_game_with_members_is_looked_at_in_them() -> None:
    assert "memoarrrr_tiny" in [small.id for small in reachable.small_ones(find_game("memoarrrr"))]
    assert reachable.small_ones(GAME) == [GAME]


# What no seat has seen


@rule
def sort_deck(state):
    """So that what comes out does not depend on the true order."""
    for last in range(1, count_cards(state)):
        for i in range(last, 0, -1):
            if state.deck[i - 1] > state.deck[i]:
                card = state.deck[i]
                state.deck[i] = state.deck[i - 1]
                state.deck[i - 1] = card


@rule
def redeal_deck(state, rng):
    sort_deck(state)
    shuffle(rng, state.deck, count_cards(state))


@rule
def redeal_with_a_look(state, rng):
    """Another order, made from the true one."""
    shuffle(rng, state.deck, count_cards(state))


@rule
def redeal_a_hand(state, rng):
    """Its owner has seen it."""
    redeal_deck(state, rng)
    card = state.hand[0]
    state.hand[0] = state.deck[0]
    state.deck[0] = card


@rule
def redeal_nothing(state, rng):
    sort_deck(state)


def test_an_honest_redeal_passes() -> None:
    worlds.check_redeal(replace(GAME, redeal=redeal_deck), 2, {}, 1)


@pytest.mark.parametrize(
    ("redeal", "complaint"),
    [
        (redeal_with_a_look, "depends on what no seat has seen"),
        (redeal_a_hand, "changes what seat 0 has seen"),
        (redeal_nothing, "changes nothing at any moment"),
    ],
)
def test_a_redeal_that_peeks_shows_or_does_nothing_is_told(redeal: Rule, complaint: str) -> None:
    with pytest.raises(AssertionError, match=complaint):
        worlds.check_redeal(replace(GAME, redeal=redeal), 2, {}, 1)
