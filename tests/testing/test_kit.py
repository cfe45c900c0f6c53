"""The kit must pass an honest game and catch each way of breaking it."""

import random
from dataclasses import dataclass, replace

import pytest

from samovar.engine.chance import below
from samovar.engine.contract import Event, Game, event
from samovar.engine.heuristics import Heuristics
from samovar.engine.rule import rule
from samovar.errors import BrokenGame
from samovar.testing import checks, code, players, worlds
from support import tiny_game
from support.tiny_game import GAME, actors, apply, deal, determinize, legal, observe, view


def run_kit(game: Game) -> int:
    """All checks that need no files; says how many moments were proven to have two worlds."""
    checks.check_facts(game)
    for option in game.options:
        checks.check_option(game, option)
    for seed in range(6):
        checks.check_walk(game, 2, {}, seed)
        checks.check_fading(game, 2, {}, seed)
        checks.check_simultaneous(game, 2, {}, seed)
        worlds.check_worlds(game, 2, {}, seed)
    checks.check_length(game, 2, {}, 50)
    checks.check_wide_deal(game, 2, {})
    proven = worlds.check_variety(game, 2, {}, deals=400, pairs=6)
    players.check_evaluation(game, 2, {}, 20)
    players.check_bots(game, 2, {}, 3)
    assert players.check_proven(game, 2, {}, deals=400) > 0
    return proven


@pytest.mark.slow
def test_honest_game_passes_and_second_worlds_are_proven() -> None:
    assert run_kit(GAME) > 20


@rule
def draw_the_truth(state, seat, rng):
    """Does nothing: fits, and never varies."""


@rule
def draw_next_to_the_truth(state, seat, rng):
    """Swaps the other's card with a random one: varies, and depends on where the cards really
    lie."""
    place = 2 + below(rng, 4)
    card = state.deck[place]
    if state.round == 0 and state.bet[1 - seat] < 0:
        state.deck[place] = state.deck[1 - seat]
        state.deck[1 - seat] = card


@rule
def draw_without_deduction(state, seat, rng):
    """Ignores who has won: the world does not fit what was seen, the points are its only trace."""
    state.points[0] = 0
    state.points[1] = 0
    determinize(state, seat, rng)


@rule
def draw_own_card_too(state, seat, rng):
    determinize(state, 1 - seat, rng)


@rule
def observe_the_other(state, seat, out):
    observe(state, seat, out)
    out[2] = state.bet[1 - seat] + 1


@rule
def observe_too_little(state, seat, out):
    if state.round == 0:
        observe(state, seat, out)


@rule
def legal_descending(state, seat, out):
    for bet in range(3):
        out[bet] = 2 - bet
    return 3


@rule
def legal_with_a_trace(state, seat, out):
    state.spare = 1
    return legal(state, seat, out)


@rule
def apply_with_the_order(state, seat, move):
    apply(state, seat, move)
    if state.last == 2:
        state.spare = seat


@rule
def apply_losing_a_card(state, seat, move):
    apply(state, seat, move)
    state.deck[5] = state.deck[4]


@rule
def places_without_skipping(state, out):
    out[0] = 1
    out[1] = 3


@rule
def actors_for_ever(state):
    return actors(state) if state.round < 2 else 1


@rule
def see_through_cards(state, seat):
    return 1 << state.deck[1 - seat]


@rule
def see_something(state, seat):
    return 1 << state.round


@rule
def forget_own_card(state, seat, facts, rng):
    determinize(state, 1 - seat, rng)


@rule
def evaluate_in_points(state, out):
    out[0] = state.points[0] - state.points[1]
    out[1] = state.points[1] - state.points[0]


@rule
def bet_too_high(state, seat, rng, out):
    return below(rng, 4)


@dataclass(frozen=True)
class LeakyView:
    cards: tuple[int, ...]
    prompt: Event
    news: tuple[Event, ...]


def view_all_cards(state, seat):
    honest = view(state, seat)
    return LeakyView(tuple(state.deck), honest.prompt, honest.news)


def view_with_telling_news(state, seat):
    honest = view(state, seat)
    return replace(honest, news=(*honest.news, event("bets", seat=max(state.bet[0], 0))))


def no_news(state, seat):
    """Another story than the view's."""
    return ()


def fade_to_more(past, view):
    return event("bets", seat=1) if past.kind == "showdown" else past


def fade_for_ever(past, view):
    """Less and less, so that what is told depends on how often one asks."""
    return Event("showdown") if past.kind == "bets" else None


def fade_without_words(past, view):
    return Event("forgotten")


class Forgetful:
    """Tells an event the first time it is asked, and then no more."""

    def __init__(self):
        self.asked = set()

    def __call__(self, past, view):
        is_new = past not in self.asked
        self.asked.add(past)
        return past if is_new else None


@rule
def deal_by_the_key(state, seats, options, rng):
    """Looks into the generator, which a wide deal does not have."""
    deal(state, seats, options, rng)
    state.spare = rng[0] & 1


def draw_plainly(view, words):
    return repr(view)


NO_WORDS = {"en": tiny_game.WORDS, "fr": {key: text for key, text in tiny_game.WORDS.items() if key != "bets"}}
OTHER_BLANKS = {"en": tiny_game.WORDS, "fr": {**tiny_game.WORDS, "bets": "{player} a misé."}}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"heuristics": Heuristics(sights=see_through_cards)}, "sights depend on what"),
        ({"heuristics": Heuristics(sights=see_something, forget=forget_own_card)}, "having forgotten"),
        ({"heuristics": Heuristics(evaluate=evaluate_in_points)}, "an evaluation of"),
        ({"heuristics": Heuristics(rollout_move=bet_too_high)}, "a rollout move is not legal"),
        ({"determinize": draw_the_truth}, "determinize draws one only"),
        ({"determinize": draw_next_to_the_truth}, "determinize depends on what the seat cannot know"),
        ({"determinize": draw_without_deduction}, "receives something else"),
        ({"determinize": draw_own_card_too}, "receives something else"),
        ({"observe": observe_the_other}, "can be told by others"),
        ({"observe": observe_too_little}, "leaves entry"),
        ({"view": view_all_cards, "draw": draw_plainly}, "receives something else"),
        ({"view": view_with_telling_news}, "can be told by others"),
        ({"news": no_news}, "`news` tells"),
        ({"faded": fade_to_more}, "which says more"),
        ({"faded": fade_for_ever}, "which fades further"),
        ({"faded": fade_without_words}, "no words for 'forgotten'"),
        ({"faded": Forgetful()}, "fades in two ways"),
        ({"deal": deal_by_the_key}, "subscriptable"),
        ({"legal": legal_descending}, "must ascend"),
        ({"legal": legal_with_a_trace}, "has changed the state"),
        ({"apply": apply_with_the_order}, "order of commits"),
        ({"apply": apply_losing_a_card}, "a card is missing"),
        ({"places": places_without_skipping}, "places"),
        ({"actors": actors_for_ever}, "max_length says 4"),
        ({"max_length": lambda seats, options: 3}, "max_length says 3"),
        ({"max_legal": 2}, "max_legal says 2"),
        ({"moves": 2}, "numbers below 2"),
        ({"move_text": lambda state, seat, move: "0"}, "same text"),
        ({"parse_move": lambda state, seat, text: 0}, r"parse_move reads .* as move 0"),
        ({"words": NO_WORDS}, "differ between languages"),
        ({"words": OTHER_BLANKS}, "differ between languages"),
    ],
    ids=lambda value: "" if isinstance(value, str) else "-".join(value),
)
@pytest.mark.parametrize("way", ["plain", pytest.param("compiled", marks=pytest.mark.slow)])
def test_broken_game_is_caught(changes: dict, message: str, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the same checks in both ways; every game would be compiled anew."""
    monkeypatch.setenv("SAMOVAR_PLAIN", "1" if way == "plain" else "0")
    with pytest.raises((AssertionError, BrokenGame, TypeError), match=message):
        run_kit(replace(GAME, **changes))


# Rules that could not be compiled, or would do something else there


@rule
def apply_half(state, seat, move):
    state.points[seat] += move * 0.5


@rule
def apply_divided(state, seat, move):
    """Half of it."""
    apply(state, seat, move)
    state.points[seat] = state.points[seat] / 2


@rule
def apply_from_a_list(state, seat, move):
    worth = [1, 2, move]
    state.points[seat] += worth[move]


@rule
def apply_from_a_dict(state, seat, move):
    state.points[seat] += {0: 1, 1: 2, 2: move}[move]


@rule
def apply_by_text(state, seat, move):
    state.points[seat] += int(f"{move}1")


@rule
def apply_by_luck(state, seat, move):
    state.points[seat] += random.randrange(3)


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        (apply_half, r"'apply_half' of Blind makes the float 0.5 in test_kit.py, line \d+: .* Count in halves"),
        (apply_divided, r"'apply_divided' of Blind makes a float by / in test_kit.py, line \d+: .* Write // instead"),
        (apply_from_a_list, r"'apply_from_a_list' of Blind makes a list in .* into a table\(...\) above the rule"),
        (apply_from_a_dict, "'apply_from_a_dict' of Blind makes a dict in"),
        (apply_by_text, "'apply_by_text' of Blind makes (a text|the text '1') in"),
        (apply_by_luck, r"'apply_by_luck' of Blind uses 'random', which is Python's. .* below\(rng, 6\)"),
    ],
)
def test_rules_that_would_go_wrong_when_compiled_are_refused_at_once(broken, reason) -> None:
    with pytest.raises(BrokenGame, match=reason):
        replace(GAME, apply=broken)


def test_the_line_is_that_of_the_mistake() -> None:
    with pytest.raises(BrokenGame) as told:
        replace(GAME, apply=apply_divided)
    assert f"line {apply_divided.__code__.co_firstlineno + 4}:" in str(told.value)  # of @rule, and four lines below it


@rule
def apply_twice(state, seat, move):
    for half in [move, move]:
        state.points[seat] += half


@rule
def apply_asserted(state, seat, move):
    """Python leaves it out where it is told to be quick."""
    if False:
        assert move


@rule
def apply_sorted(state, seat, move):
    state.points[0], *_ = state.points


@rule
def apply_again(state, seat, move):
    if move > 0:
        apply_again(state, seat, move - 1)


@rule
def legal_by_keyword(state, seat, out):
    return legal(state, seat, out=out)


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        ({"apply": apply_twice}, r"test_kit.py, line {0}: a list in the rule apply_twice. .* Write a table"),
        ({"apply": apply_asserted}, r"line \d+: assert in the rule apply_asserted"),
        ({"apply": apply_sorted}, r"line \d+: a star in the rule apply_sorted"),
        ({"apply": apply_again}, r"the call 'apply_again\(.*\)' of the rule itself in the rule apply_again.* a loop"),
        ({"legal": legal_by_keyword}, r"a keyword in the call 'legal\(.*\)' in the rule .* Give arguments by place"),
    ],
    ids=lambda value: "" if isinstance(value, str) else "-".join(value),
)
def test_rules_that_could_not_be_compiled_are_caught(broken: dict, reason: str) -> None:
    code.check_rule_code(GAME)
    first = next(iter(broken.values())).__code__.co_firstlineno
    with pytest.raises(AssertionError, match=reason.replace("{0}", str(first + 2))):
        code.check_rule_code(replace(GAME, **broken))
