"""The number of the contract: games written for an earlier one still play, and later ones are told what to do."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import samovar
from samovar.engine.assembly.positions import GamePosition
from samovar.engine.assembly.versions import CONTRACT
from samovar.engine.rule import rule
from samovar.engine.ways.plain import plain_state
from samovar.errors import BadPosition, BrokenGame
from support import hidden_game, tiny_game

OLD, NEW = tiny_game.GAME, hidden_game.GAME


@rule
def bits(state):
    return 5


def sentences(state):
    yield "the first"
    yield "the third"


def test_a_game_without_a_number_is_of_the_first_contract():
    assert (OLD.contract, NEW.contract) == (1, CONTRACT)


def test_faults_of_the_first_contract_are_bits_that_are_told_by_their_names():
    old = replace(OLD, faults=bits, fault_names=("the first", "the second", "the third"))
    broken = plain_state(np.zeros(1, old.state))
    assert list(old.faults(broken)) == ["the first", "the third"]
    assert list(replace(old, name="Another").faults(broken)) == ["the first", "the third"]
    match = samovar.Match(old, seed=1, plain=True)
    assert match.faults == ("the first", "the third")
    match.play_random(3)
    assert match.over


def test_a_sound_match_of_the_first_contract_has_no_faults():
    match = samovar.Match(OLD, seed=1, plain=True)
    assert match.faults == ()
    match.states["deck"][0] = 0
    assert match.faults == ("a card is missing",)


def test_a_sentence_is_told_once():
    twice = replace(NEW, faults=lambda state: ["broken", "bad", "broken"])
    assert samovar.Match(twice, seed=1, plain=True).faults == ("broken", "bad")
    assert samovar.Batch(twice, 2, seed=1).faults() == [("broken", "bad")] * 2


def test_nobody_plays_from_a_position_with_faults():
    with pytest.raises(BadPosition, match="cannot be: the first, the third"):
        samovar.Match.arranged(replace(NEW, faults=sentences, arrange=None))


@pytest.mark.parametrize(
    "changes",
    [
        {"contract": 2, "faults": bits, "fault_names": ("a",)},
        {"contract": 2, "faults": bits, "fault_names": ()},
        {"contract": 2, "faults": sentences, "fault_names": ("a",)},
        {"contract": 1, "faults": sentences, "fault_names": ("a",)},
    ],
)
def test_faults_that_do_not_fit_the_contract_are_refused_with_the_remedy(changes):
    with pytest.raises(BrokenGame, match=r"written for contract .*without `fault_names` and @rule, write `yield"):
        replace(OLD, **changes)


@pytest.mark.parametrize("number", [0, -1, CONTRACT + 1, True, "2", None])
def test_a_contract_that_is_not_known_is_refused(number):
    with pytest.raises(BrokenGame, match=f"this Samovar knows 1 to {CONTRACT}. Install a later Samovar"):
        replace(NEW, contract=number)


# Positions


class Position(GamePosition):
    seats: int
    deck: tuple[int, ...] = ()


def test_a_position_is_read_as_the_struct_of_the_game():
    laid = replace(OLD, position=Position, arrange=lambda position: (position.seats, position.deck))
    assert laid.lay_out(seats=2, deck=[3, 4]) == (2, (3, 4))
    for wrong, told in (
        ({"seats": "two"}, r"Expected `int`, got `str` - at `\$.seats`. It may have seats, deck"),
        ({"seats": True}, "Expected `int`, got `bool`"),
        ({"seats": 2, "dekc": []}, "unknown field `dekc`"),
        ({}, "missing required field `seats`"),
    ):
        with pytest.raises(BadPosition, match=f"This is no position of {OLD.name}: .*{told}"):
            samovar.Match.arranged(laid, **wrong)


def test_arrange_of_the_first_contract_gets_keywords():
    laid = replace(OLD, arrange=lambda *, seats, deck=(): (seats, deck))
    assert laid.lay_out(seats=2, deck=[3, 4]) == (2, [3, 4])
