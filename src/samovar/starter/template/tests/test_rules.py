"""Examples of the rules, dealt by hand. Write one for every rule of RULES.md."""

import pytest

import samovar
from tall_pile import GAME

DEAL = {"hands": [["3", "7", "12"], ["2", "5", "9"]], "stock": ["1", "4", "6", "8", "10", "11"]}


def played(*moves):
    """The match after some moves, the seats in turn, from seat 0 on."""
    match = samovar.Match.arranged(GAME, **DEAL, plain=True)
    for move in moves:
        match.play(match.actors[0], move)
    return match


def test_1_4_a_lower_card_takes_the_pile():
    match = played("3", "5", "7")
    assert match.view(1).pile == 3
    match.play(1, "2")
    assert match.scores == (0, -3)
    assert (match.view(1).top, match.view(1).pile) == ("2", 1)


def test_1_5_a_card_is_drawn_and_seen_by_its_owner_alone():
    match = played("12")
    assert match.view(0).hand == ("1", "3", "7")
    assert match.view(1).hand == ("2", "5", "9")
    assert match.view(None).hand == ()
    assert match.view(None).stock == 5


def test_a_card_that_is_not_in_the_hand_cannot_be_played():
    with pytest.raises(samovar.IllegalMove, match="Legal now: 3, 7, 12"):
        played("5")


def test_another_world_has_what_the_seat_sees_and_other_cards_elsewhere():
    match = played("3", "5")
    worlds = [match.imagine(0, seed) for seed in range(50)]
    assert {world.view(0) for world in worlds} == {match.view(0)}
    assert len({world.view(1).hand for world in worlds}) > 10
