"""What authors are told: the fault, their own function, and what to do. Each row is a fault that one can plant."""

from dataclasses import dataclass, replace

import pytest

from samovar.engine.contract import Event, Game, Option, event
from samovar.engine.match import Match
from samovar.engine.rule import rule
from samovar.errors import BrokenGame, WrongSeats
from samovar.testing import checks
from support import hidden_game
from support.hidden_game import CARDS, DRAW, GAME, actors, deal, scores, view


@pytest.fixture(autouse=True)
def plain_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every mutant would be compiled anew, and that takes longer than all it is asked."""
    monkeypatch.setenv("SAMOVAR_PLAIN", "1")


# Refused at once


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"seats": 4}, r"says seats=4. Write how many can play as a tuple: seats=\(2,\)"),
        ({"seats": ()}, r"says seats=\(\). Write how many can play as a tuple"),
        ({"seats": (2, 2)}, "Write each number once"),
        ({"words": None}, r"no words by language. Write words={"),
        ({"words": hidden_game.WORDS}, r"no words by language. Write words={"),
        ({"view": None}, r"'view' of Whisper is None, which is no function. Write def view"),
        ({"max_length": 8}, r"'max_length' of Whisper is 8, which is no function"),
        ({"observation": (("card", 1),)}, r"consists of parts, and \('card', 1\) is none. Write Part\("),
    ],
    ids=lambda value: "" if isinstance(value, str) else "-".join(value),
)
def test_a_fact_of_another_type_is_refused_in_plain_words(changes: dict, message: str) -> None:
    with pytest.raises(BrokenGame, match=message):
        replace(GAME, **changes)


def test_another_number_of_seats_is_refused() -> None:
    with pytest.raises(WrongSeats, match="Whisper is played with 2 seats, not with 4"):
        Match(GAME, 4)


def test_an_event_that_cannot_be_told_says_what_is_missing() -> None:
    with pytest.raises(BrokenGame, match=r"no words for the event 'draws'. Add 'draws': \"...\" to the words"):
        event("draws", seat=0).tell({}, str)
    with pytest.raises(BrokenGame, match=r"words for the event 'draws', .* have the blank 'card', and .* has seat"):
        event("draws", seat=0).tell({"draws": "{seat} draws {card}."}, str)


# Found in the facts


@rule
def deal_to_the_first(state, seats, options, rng):
    deal(state, seats, options, rng)
    state.turn = 0


def check_facts_and_options(game: Game) -> None:
    checks.check_facts(game)
    for option in game.options:
        checks.check_option(game, option)


UNUSED = Option("long", False, (False, True), "a longer match")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"id": "Whisper Game"}, "the id 'Whisper Game' is part of addresses .* small letters"),
        (
            {"deal": deal_to_the_first},
            r"with first=1, seat 0 is the first .* starting_seat\(rng, seats, opt",
        ),
        ({"own_options": (UNUSED,)}, "option 'long' changes nothing: `deal` makes the same states with False and True"),
    ],
    ids=lambda value: "" if isinstance(value, str) else "-".join(value),
)
def test_facts_that_do_not_hold_are_told(changes: dict, message: str) -> None:
    check_facts_and_options(GAME)
    with pytest.raises(AssertionError, match=message):
        check_facts_and_options(replace(GAME, **changes))


# Found in a match


@rule
def deal_without_seats(state, seats, options, rng):
    deal(state, seats, options, rng)
    state.seats = 0


@rule
def actors_beyond(state):
    return actors(state) | 4 if actors(state) else 0


@rule
def scores_of_one(state, out):
    out[0] = state.points[0]


@rule
def places_of_one(state, out):
    out[1] = 1


def view_with_a_list(state, seat):
    shown = view(state, seat)
    return replace(shown, open_cards=list(shown.open_cards))


@dataclass(frozen=True)
class Promptless:
    news: tuple[Event, ...]


def view_without_a_prompt(state, seat):
    return Promptless(())


class Counting:
    """Shows how often it was asked."""

    def __init__(self):
        self.asked = 0

    def __call__(self, state, seat):
        self.asked += 1
        return replace(view(state, seat), left=self.asked)


def view_of_a_stranger(state, seat):
    shown = view(state, seat)
    return replace(shown, news=tuple(Event(told.kind, (*told.facts[1:], ("seat", 2))) for told in shown.news))


TEXTS = {DRAW: "draw", 0: "name 0"}


def move_text_of_few(state, seat, move):
    return TEXTS[move]


def parse_anything(state, seat, text):
    return DRAW if text.lower() == "draw" else int(text[-1])


def parse_by_a_dict(state, seat, text):
    return {"draw": DRAW, **{f"name {card}": card for card in range(CARDS)}}[text.lower()]


def draw_by_a_missing_word(seen, words):
    return words["nothing"]


def faults_as_text(state):
    return "a card is missing"


def faults_of_nothing(state):
    """Forgets to yield."""


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"deal": deal_without_seats}, r"for 2 seats state.seats is 0: write state.seats = seats in `deal`"),
        ({"actors": actors_beyond}, "actors says that seat 2 may act, and the seats are 0 to 1: bit k is seat k"),
        ({"scores": scores_of_one}, "scores leaves seat 1 unwritten in `out`"),
        ({"places": places_of_one}, "places leaves seat 0 unwritten in `out`"),
        ({"max_length": lambda seats, options: 8.5}, "max_length gives 8.5; write a whole number"),
        ({"view": view_with_a_list}, "view.open_cards is or holds a list, which can change: write a tuple"),
        ({"view": view_without_a_prompt}, "Promptless, which view gives, has no field 'prompt': see View in"),
        ({"view": Counting()}, "view gives a spectator two answers to the same state"),
        ({"view": view_of_a_stranger}, r"the event '\w+' names seat 2 as 'seat', and the seats are 0 to 1"),
        (
            {"move_text": move_text_of_few},
            r"move_text_of_few of Whisper fails at test_kit_texts.py, line \d+: 'ret",
        ),
        ({"draw": draw_by_a_missing_word}, r"draw_by_a_missing_word of Whisper fails at .* \(KeyError: 'nothing'\)"),
        (
            {"parse_move": parse_anything},
            "parse_move reads 'samovar 0' as move 0. Raise ValueError for what",
        ),
        (
            {"parse_move": parse_by_a_dict},
            r"parse_move answers '\?' with KeyError: .* Raise ValueError, with a",
        ),
        ({"faults": faults_as_text}, "faults gives 'a card is missing': write `yield` before each sentence"),
        ({"faults": faults_of_nothing}, "faults gives None: write `yield`"),
    ],
    ids=lambda value: "" if isinstance(value, str) else "-".join(value),
)
def test_what_goes_wrong_in_a_match_is_told_by_the_function_and_its_remedy(changes: dict, message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        checks.check_walk(replace(GAME, **changes), 2, {}, 1)


def test_an_honest_game_is_told_nothing() -> None:
    game: Game = GAME
    checks.check_walk(game, 2, {}, 1)
    assert game.scores is scores
