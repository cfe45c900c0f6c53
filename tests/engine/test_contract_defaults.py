"""What a game need not say, and what its author is told when something is wrong with it."""

import dis
import inspect
import re
import sys
import types
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from samovar.engine import registry
from samovar.engine.contract import PLAIN, RULES, Game, Part, event, nothing_hidden, usual_prompt
from samovar.engine.heuristics import Heuristics
from samovar.engine.match import Match
from samovar.engine.registry import find_game
from samovar.engine.rule import is_rule, parameters, rule, table
from samovar.engine.ways import kernels, stand_ins
from samovar.engine.ways.backend import backend, bound_rules
from samovar.engine.ways.operations import Operations
from samovar.engine.ways.validation import attributes_in, attributes_of_parameters, check_rules
from samovar.engine.ways.xla.calls import calls
from samovar.errors import BrokenGame, IllegalMove, MatchOver, UnknownOption
from samovar.testing import checks
from support import tiny_game

# A race: each seat in turn puts 1 to 3 stones on its heap, four times each. `bonus` is what a seat
# has before it begins.
STATE = np.dtype(
    [("heap", np.int32, (4,)), ("seats", np.int8), ("moved", np.int8), ("spare", np.int8, (2,))], align=True
)
BONUS = table([0, -5, 3, 3])


@rule
def deal(state, seats, options, rng):
    state.seats = seats
    for seat in range(seats):
        state.heap[seat] = BONUS[seat]


@rule
def actors(state):
    return 0 if state.moved == 4 * state.seats else 1 << (state.moved % state.seats)


@rule
def legal(state, seat, out):
    for stones in range(3):
        out[stones] = stones
    return 3


@rule
def apply(state, seat, move):
    state.heap[seat] += move + 1
    state.moved += 1


@rule
def scores(state, out):
    for seat in range(state.seats):
        out[seat] = state.heap[seat]


@rule
def observe(state, seat, out):
    out[0] = state.heap[seat]


@dataclass(frozen=True)
class View:
    heaps: tuple[int, ...]
    rows: tuple[str, ...]
    moved: int
    prompt: object
    news: tuple[object, ...] = ()


def view(state, seat):
    heaps = tuple(state.heap[: state.seats])
    return View(heaps, tuple("*" * max(0, heap) for heap in heaps), state.moved, usual_prompt(actors(state), seat))


def move_text(state, seat, move):
    return f"Put{move + 1}"


FACTS: dict[str, Any] = {
    "id": "heaps",
    "name": "Heaps",
    "seats": (2, 3, 4),
    "state": STATE,
    "moves": 3,
    "max_length": lambda seats, options: 4 * seats,
    "observation": (Part("heap", 1, "own stones"),),
    "determinize": nothing_hidden,
    "words": {"en": {"heaps": "Heaps"}, "fr": {"prompt.wait": "Un instant."}},
}
GAME = Game.from_module(__name__, **FACTS)


# Defaults


def test_a_game_in_one_file_is_made_of_its_functions() -> None:
    assert (GAME.deal, GAME.view, GAME.move_text) == (deal, view, move_text)
    assert (GAME.version, GAME.max_legal, GAME.fault_names) == (1, 3, ())
    assert Path(GAME.folder) == Path(__file__).parent
    assert Game.from_module(__name__, **FACTS, move_text=str).move_text is str


@pytest.mark.parametrize("plain", [True, False])
def test_most_points_win_and_ties_share(plain: bool) -> None:
    """Negative points among them; the same compiled."""
    match = Match(GAME, seats=4, seed=1, plain=plain)
    assert (match.scores, match.places) == ((0, -5, 3, 3), (3, 4, 1, 1))
    for text in ("put3", "put3", "put1", "put2"):
        match.play(match.actors[0], text)
    assert (match.scores, match.places) == ((3, -2, 4, 5), (3, 4, 2, 1))
    assert Match(GAME, seats=2, seed=1, plain=plain).places == (1, 2)


@pytest.mark.parametrize("points", [[0, 0, 0, 0], [-1, -(2**27), 2**27 - 1, 0], [7, 7, 7, -7], [1, 2, 3, 4]])
def test_places_are_right_for_any_points(points: list[int]) -> None:
    states = np.zeros(1, STATE)
    states["heap"], states["seats"] = points, 4
    for is_plain in (True, False):
        given, places = np.zeros((2, 1, 4), np.int64)
        backend(GAME, is_plain).scores(states, given, places)
        assert places[0].tolist() == [1 + sum(other > own for other in points) for own in points]


def test_a_move_is_read_by_its_text_in_any_case() -> None:
    match = Match(GAME, seed=1, plain=True)
    assert [match.parse_move(0, text) for text in ("put1", "PUT2", " Put3 ")] == [0, 1, 2]
    with pytest.raises(
        IllegalMove,
        match=r"'put4' is not a move of Heaps: it is not among the legal moves. Legal now: Put1, Put2, Put3\.",
    ):
        match.play(0, "put4")
    with pytest.raises(IllegalMove, match="not among the legal moves"):
        match.parse_move(1, "put1")  # it is not for seat 1 to move


def test_a_position_is_a_deal_and_moves() -> None:
    match = Match.arranged(GAME, seats=3, moves=["put1", "put2", "put3", "put1"])
    assert (match.scores, match.actors, match.history) == ((2, -3, 6), (1,), [])
    with pytest.raises(IllegalMove, match="Legal now: Put1"):
        Match.arranged(GAME, moves=["put9"])
    with pytest.raises(UnknownOption, match="no option 'gravity'"):
        Match.arranged(GAME, gravity=True)
    with pytest.raises(MatchOver):
        Match.arranged(GAME, moves=["put1"] * 9)


def test_a_position_is_of_the_seed_that_is_given() -> None:
    game = replace(tiny_game.GAME, arrange=GAME.arrange)  # it has cards to deal
    assert [Match.arranged(game, seed=seed).state_bytes for seed in (4, 5)] == [
        Match(game, seed=seed).state_bytes for seed in (4, 5)
    ]


def test_defaults_follow_a_game_that_is_changed() -> None:
    changed = replace(GAME, move_text=lambda state, seat, move: "abc"[move])
    assert Match(changed, seed=1).parse_move(0, "B") == 1
    assert Match.arranged(changed, moves="cc").scores == (3, -2)
    assert Match(GAME, seed=1).parse_move(0, "put2") == 1


def test_a_view_is_drawn_by_its_fields() -> None:
    match = Match.arranged(GAME, seats=2, moves=["put3", "put1"])
    assert GAME.draw(match.view(None), GAME.words["en"]) == "Heaps: 3 -4\nrows:\n  ***\n  \nmoved: 2"


@dataclass(frozen=True)
class OddView:
    colour: str
    is_open: bool
    holder: int | None
    hand: tuple[int, ...]
    cards: tuple[tuple[str, int], ...]
    prompt: object = None
    news: tuple[object, ...] = ()


def test_a_drawn_view_speaks_the_language_of_its_words() -> None:
    view = OddView("red", True, None, (), (("red", 3), ("blue", 4)))
    words = made(words={"en": {}, "fr": {"colour": "Couleur", "red": "rouge"}}).words["fr"]
    drawn = GAME.draw(view, words).replace("\u00a0", " ")
    assert drawn == "Couleur : rouge\nis_open : oui\nholder : –\nhand : –\ncards :\n  rouge 3\n  blue 4"
    assert GAME.draw(view, {}).startswith("colour: red\nis_open: True\nholder: None\nhand: None\n")


def test_usual_words_are_there_and_own_ones_come_first() -> None:
    asked = [usual_prompt(mask, seat).kind for mask, seat in ((2, 1), (2, 0), (1, None), (3, 0), (0, 0), (0, None))]
    assert asked == ["prompt.move", "prompt.wait", "prompt.wait", "prompt.move", "prompt.over", "prompt.over"]
    for kind in set(asked):
        assert all(event(kind).tell(GAME.words[language], str) for language in ("en", "fr"))
    assert GAME.words["fr"]["prompt.wait"] == "Un instant."
    assert set(GAME.words) == {"en", "fr"}, "a language that the game does not speak is not added"


def test_nothing_hidden_changes_nothing() -> None:
    match = Match.arranged(GAME, moves=["put3"])
    assert match.imagine(1, seed=5).state_bytes == match.state_bytes


# Each rule is written once


def test_every_rule_is_explained_by_its_protocol_and_stands_in_generic_code() -> None:
    own = [
        "deal",
        "actors",
        "legal",
        "apply",
        "scores",
        "places",
        "team",
        "success",
        "determinize",
        "redeal",
        "observe",
    ]
    for_learners = ["relate", "factor", "rotate_move", "rotate_back"]
    assert list(RULES) == [*own, *for_learners, "evaluate", "rollout_move", "sights", "forget"]
    for name, protocol in {**RULES, **PLAIN}.items():
        assert protocol.__name__ == name.title().replace("_", "")
    for name, protocol in RULES.items():
        assert protocol.__doc__
        assert parameters(protocol)[0] == {"team": "seats", "relate": "seen"}.get(name, "state")
        assert is_rule(getattr(stand_ins, name))


def test_a_rule_of_generic_code_does_nothing_unless_it_is_bound() -> None:
    with pytest.raises(NotImplementedError, match="Scores stands for a rule of a game"):
        stand_ins.scores(None, [])


def test_what_a_game_leaves_out_is_what_the_engine_has() -> None:
    left_out = RULES.keys() - GAME.rules.keys()
    assert left_out == stand_ins.DEFAULTS.keys()
    assert left_out == {
        *("places", "success", "redeal", "relate", "factor", "rotate_move", "rotate_back"),
        *("evaluate", "rollout_move"),
    }
    bound = bound_rules(GAME)
    assert {name: bound[getattr(stand_ins, name)] for name in left_out} == stand_ins.DEFAULTS
    assert bound[stand_ins.deal] is deal


def test_every_operation_has_a_method_that_names_what_it_takes() -> None:
    """In the order in which the operation takes it."""
    methods = {
        "play_observed": "play_endless",
        "observe_planes": "observe",
        "offer_encoded": "offer",
        "advance_encoded": "advance",
        "send_encoded": "send",
        "rotate_move": "rotate_moves",
        "rotate_back": "rotate_moves",
    }
    game = find_game("memoarrrr")
    setup = game.setup(2, {"seats": 2, **game.check_options(2, {})})
    called = calls(game, setup, rewards="place", restart=True)
    for name, function in kernels.OPERATIONS.items():
        taken = [word for word in inspect.signature(function).parameters if not word.startswith("_")][2:-3]
        if name in kernels.CALLED:
            assert len(called[name].takes) == len(taken), name
            continue
        method = inspect.signature(getattr(Operations, methods.get(name, name)))
        named = [word for word in method.parameters.values() if word.default is word.empty][2:]
        assert len(named) == len(taken), name


# What an author can get wrong


def made(**changes: Any) -> Game:
    return Game.from_module(__name__, **{**FACTS, **changes})


def unmarked(state, seat, out):
    return 3


@rule
def with_two_parameters(state, out):
    return 3


def helper(number):
    return number


HEAPS = [1, 2, 3]
RATE = 1.5


@rule
def calling_a_function(state):
    return helper(0)


@rule
def calling_it_through_another(state):
    return calling_a_function(state)


@rule
def using_a_list(state):
    return HEAPS[0]


@rule
def using_a_float(state):
    return RATE > 1


@rule
def using_an_attribute_of_that_name(state):
    return state.helper


@rule
def summing_up(state):
    return sum(state.heap)


@rule
def with_a_typo(state):
    return state.heaps[0]


@rule
def writing_a_typo(state, seat, move):
    state.moves += 1


@rule
def dealing_a_typo(state, seats, options, rng):
    state.seats = options.frist


@rule
def calling_nothing(state):
    return helpr(0)  # noqa: F821


@rule
def standing(state, out):
    out[0] = helper(0)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"legal": unmarked}, "'legal' of Heaps is not a rule. Write @rule above"),
        ({"success": lambda state: 0}, "'success' of Heaps is not a rule"),
        ({"observe": None}, "'observe' of Heaps is not a rule"),
        ({"legal": with_two_parameters}, r"'legal' of Heaps takes \(state, out\). Write def legal\(state, seat, out\)"),
        (
            {"success": calling_a_function},
            "The rule 'calling_a_function' of Heaps uses 'helper', which is a plain function. Write @rule",
        ),
        ({"success": calling_it_through_another}, "The rule 'calling_a_function' of Heaps uses 'helper'"),
        ({"success": using_a_list}, r"uses 'HEAPS', which is a plain list. Write HEAPS = table\("),
        ({"success": using_a_float}, "uses 'RATE', which is a plain float"),
        ({"heuristics": Heuristics(evaluate=standing)}, "The rule 'standing' of Heaps uses 'helper'"),
        (
            {"success": summing_up},
            "'summing_up' of Heaps uses 'sum'. Of Python's own, rules use abs, .* range alone: write a loop",
        ),
        ({"success": with_a_typo}, "'with_a_typo' of Heaps uses state.heaps, .* no such field .* Did you mean 'heap'"),
        ({"apply": writing_a_typo}, "'writing_a_typo' of Heaps uses state.moves, .* Did you mean 'moved'"),
        ({"deal": dealing_a_typo}, "uses options.frist, and there is no such option. Did you mean 'first'"),
        ({"success": calling_nothing}, "uses 'helpr'. There is nothing of that name: define it above GAME"),
        ({"draw": standing}, "'draw' of Heaps is a rule, but the contract has a 'draw' that is none"),
        ({"move": 3}, "no entry 'move'. Did you mean 'moves'"),
        ({"state": np.dtype(np.int8)}, "a field 'seats'"),
        ({"state": np.dtype([("heap", np.int8)])}, "a field 'seats'"),
        (
            {"state": np.dtype([("seats", np.uint8)])},
            "Field 'seats' of the state is uint8. States are signed integers only",
        ),
        ({"state": np.dtype([("seats", np.int8), ("heap", np.float64)])}, "Field 'heap' of the state is float64"),
        (
            {"state": np.dtype([("seats", np.int8), ("heap", np.int16)])},
            "Field 'heap' of the state is not aligned. .*align=True",
        ),
        (
            {"state": np.dtype([("seats", np.int8), ("heap", np.int16)], align=True)},
            "a hole before field 'heap' .*from large to small",
        ),
        (
            {"state": np.dtype([("heap", np.int16), ("seats", np.int8)], align=True)},
            "ends with 1 bytes of padding. Widen",
        ),
        (
            {"state": np.dtype([("heap", np.int32, (4,)), ("seats", np.int8), ("moved", np.int8)])},
            "The state has 18 bytes, and its largest numbers have 4: .*align=True.*by 2 bytes",
        ),
        ({"state": np.dtype([("seats", ">i2")])}, "Field 'seats' of the state has foreign bytes .*Write np.int16"),
    ],
)
def test_a_mistake_is_named_with_its_remedy(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(BrokenGame, match=message):
        made(**changes)


def test_a_field_may_be_called_as_a_function_is() -> None:
    state = np.dtype([("heap", np.int32, (4,)), ("seats", np.int8), ("moved", np.int8), ("helper", np.int8, (2,))])
    assert made(success=using_an_attribute_of_that_name, state=state).state is state


def test_names_are_found_as_dis_finds_them() -> None:
    """Its way is read from the code of every version of Python, and ours is ten times as quick."""
    game = find_game("memoarrrr")
    for function in check_rules(game.name, game.rules, RULES):
        steps = list(dis.get_instructions(function))
        attributes = {step.argval for step in steps if step.opname in ("LOAD_ATTR", "LOAD_METHOD", "STORE_ATTR")}
        assert attributes_in(function) == attributes
        if "state" in inspect.signature(function).parameters:
            assert {name for owner, name in attributes_of_parameters(function) if owner == "state"} == attributes & set(
                game.state.names or ()
            )


@pytest.fixture
def empty_module() -> Iterator[types.ModuleType]:
    module = types.ModuleType("half_a_game")
    sys.modules[module.__name__] = module
    yield module
    del sys.modules[module.__name__]


def test_what_is_missing_is_listed(empty_module: types.ModuleType) -> None:
    with pytest.raises(
        BrokenGame,
        match=r"The game in 'half_a_game' lacks name, seats, .*deal, actors, legal, .*move_text, words\. Write what "
        r"is missing",
    ):
        Game.from_module("half_a_game", id="half")
    empty_module.legal = legal  # type: ignore[attr-defined]
    empty_module.seats = 2  # type: ignore[attr-defined]  # no function: a fact must be given
    with pytest.raises(BrokenGame, match=r"lacks name, seats, .*deal, actors, apply"):
        Game.from_module("half_a_game", id="half")


@pytest.mark.parametrize("module", registry.MOVED)
def test_a_game_that_imports_what_has_moved_is_told_where_it_is(monkeypatch: pytest.MonkeyPatch, module: str) -> None:
    """It was written for an earlier version."""
    point = types.SimpleNamespace(load=lambda: import_module(module), value=f"old_game:{module}")
    monkeypatch.setattr(registry, "found_in", lambda group: {"old_game": point})
    with pytest.raises(BrokenGame, match=rf"{re.escape(registry.MOVED[module])} now: change the import"):
        find_game("old_game")
    for name in re.findall(r"samovar[a-z_.]+", registry.MOVED[module]):
        assert import_module(name)


# Options that are of use only with others


def test_an_option_that_changes_nothing_alone_makes_no_variant_of_its_own() -> None:
    variants = find_game("memoarrrr").variants()
    assert len(variants) == 18
    assert not [one for _, one in variants if one["first_reveal_ability"] and not one["expert"]]
    Match("memoarrrr", first_reveal_ability=True)  # records of before have it


def test_an_option_of_use_with_none_there_is_refused() -> None:
    with pytest.raises(BrokenGame, match=r"'first_reveal_ability' of Memoarrrr! is of use only with 'exprt'.*'expert'"):
        of_use_with("exprt", "first_reveal_ability")


def test_the_kit_tells_an_option_that_is_of_use_alone() -> None:
    with pytest.raises(AssertionError, match="'ordered_stack' makes a difference without 'expert'"):
        checks.check_facts(of_use_with("expert", "ordered_stack"))


def of_use_with(other: str, name: str) -> Game:
    game = find_game("memoarrrr")
    options = [replace(option, only_with=other) if option.name == name else option for option in game.own_options]
    return replace(game, own_options=tuple(options))
