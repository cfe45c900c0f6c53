"""Memoarrrr!'s heuristics: positions compared, rollout moves, and what is seen and forgotten."""

from typing import Any

import numpy as np
import pytest

from samovar.engine.match import Match
from samovar.engine.ways.backend import backend
from samovar.games.memoarrrr import GAME
from samovar.games.memoarrrr.state import CARD_NAMES, PLACE_NAMES, known

VARIANTS: list[dict[str, Any]] = [
    {},
    {"ordered_stack": True},
    {"expert": True},
    {"expert": True, "first_reveal_ability": True},
]
SIDES = (["b5", "c5", "d5"], ["e2", "e3", "e4"], ["b1", "c1", "d1"])
# Of these only b2 connects to a1: nothing that the seats saw before round 1 does.
LAVA = {"a1": "penguin-lava", "b2": "crab-lava", "d4": "turtle-beach", "d2": "walrus-beach"}
LAVA |= {"b5": "turtle-flowers", "c5": "turtle-jungle", "d5": "walrus-flowers"}
LAVA |= {"e2": "walrus-jungle", "e3": "octopus-flowers", "e4": "octopus-jungle"}
LAVA |= {"b1": "crab-flowers", "c1": "crab-jungle", "d1": "turtle-ocean"}


def arranged(**position: Any) -> Match:
    """In round 2, unless it is said; every seat also knows the side it looked at."""
    position = {"seats": 2, "round": 2, "known": [[], []], **position}
    position["known"] = [[*side, *places] for side, places in zip(SIDES, position["known"], strict=False)]
    return Match.arranged(GAME, plain=True, **position)


def shares(match: Match, plain: bool = True) -> list[int]:
    out = np.zeros((1, match.seats), np.int64)
    backend(GAME, plain).evaluate(match.states.copy(), out)
    values: list[int] = out[0].tolist()
    return values


def rollout_move(match: Match, seed: int, plain: bool = True) -> int:
    move = np.zeros(1, np.int64)
    backend(GAME, plain).rollout_move(
        match.states.copy(), np.array(match.actors, np.int64), np.array([seed], np.int64), move
    )
    return int(move[0])


def rollout_texts(match: Match, tries: int = 60) -> set[str]:
    return {match.move_text(match.actors[0], rollout_move(match, seed)) for seed in range(tries)}


def sights(match: Match, seat: int) -> set[str]:
    out = np.zeros(1, np.int64)
    backend(GAME, True).sights(match.states, seat, out)
    return {card for number, card in enumerate(CARD_NAMES) if (int(out[0]) >> number) & 1}


def forget(match: Match, seat: int, cards: list[str], seed: int) -> Match:
    """The match in an imagined world where the seat has forgotten these cards."""
    world = match.imagine(seat, seed)
    facts = sum(1 << CARD_NAMES.index(card) for card in cards)
    backend(GAME, True).forget(world.states, seat, facts, seed)
    return world


def card_at(match: Match, place: str) -> str:
    return CARD_NAMES[int(match.states["card"][0, PLACE_NAMES.index(place)])]


def knows(match: Match, seat: int, place: str) -> bool:
    return bool((known(match.state, seat) >> PLACE_NAMES.index(place)) & 1)


@pytest.mark.parametrize("options", VARIANTS, ids=str)
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_walks_of_rollout_moves_are_legal_and_the_same_compiled(seats: int, options: dict[str, Any]) -> None:
    match = Match(GAME, seats, 11 + seats, plain=True, **options)
    while not match.over:
        move = rollout_move(match, len(match.history))
        assert move in match.legal(match.actors[0])
        assert move == rollout_move(match, len(match.history), plain=False)
        values = shares(match)
        assert values == shares(match, plain=False)
        assert all(0 <= share <= 1000 for share in values)
        assert abs(sum(values) - 500 * seats) <= 3 * seats
        match.play(match.actors[0], move)


def test_treasures_are_worth_more_the_fewer_are_left() -> None:
    def lead(number: int, winners: list[int]) -> int:
        return shares(arranged(round=number, first=1, winners=winners))[0]

    assert 500 < lead(3, [0, 0]) < lead(5, [0, 0, 0, 0]) < lead(7, [0, 0, 0, 0, 0, 0])
    assert lead(7, [1, 1, 1, 0, 0, 0]) < lead(7, [1, 1, 0, 0, 0, 0])


def test_rubies_count_only_where_they_are_public() -> None:
    many, few = [4, 3, 1, 1, 2, 2, 2], [1, 1, 2, 2, 2, 3, 4]
    assert shares(arranged(round=3, first=1, winners=[0, 0], treasures=many)) == shares(
        arranged(round=3, first=1, winners=[0, 0], treasures=few)
    )
    ordered = [
        shares(arranged(round=6, ordered_stack=True, first=1, winners=winners))[0]
        for winners in ([0, 0, 1, 1, 0], [1, 1, 0, 0, 0])
    ]
    assert ordered[0] < ordered[1]


def test_seats_that_stand_the_same_are_worth_the_same() -> None:
    position: dict[str, Any] = {"seats": 3, "round": 2, "known": [[], [], []], "cards": LAVA, "revealed": ["a1"]}
    first = shares(arranged(**position, first=1, winners=[0]))
    assert first[2] == shares(arranged(**position, first=2, winners=[0], turn=1))[2]
    assert shares(Match(GAME, 3, 1, plain=True)) == [500, 500, 500]


def test_who_knows_the_next_location_stands_better() -> None:
    def own(known: list[str], other: list[str]) -> int:
        return shares(arranged(cards=LAVA, revealed=["a1"], known=[known, other]))[0]

    assert own([], []) < own(["b2"], [])
    assert own(["b2"], ["b4"]) > own(["b2"], [place for place in PLACE_NAMES if place not in ("c3", "a1")])


def test_out_of_the_round_is_worse() -> None:
    values = shares(arranged(seats=3, known=[[], [], []], cards=LAVA, revealed=["a1"], takers=[2]))
    assert values[2] < min(values[:2])


def test_a_known_connection_is_revealed() -> None:
    assert rollout_texts(arranged(cards=LAVA, revealed=["a1"], known=[["b2", "d4"], []])) == {"b2"}


def test_without_one_any_unknown_location_but_none_known_to_fail() -> None:
    texts = rollout_texts(arranged(cards=LAVA, revealed=["a1"], known=[["d4", "d2"], ["b2"]]), 300)
    assert texts == set(PLACE_NAMES) - {"c3", "a1", "d4", "d2", *SIDES[0]}


def test_what_only_others_know_changes_no_rollout_move() -> None:
    position: dict[str, Any] = {"cards": LAVA, "revealed": ["a1"]}
    one, other = arranged(**position, known=[["d4"], []]), arranged(**position, known=[["d4"], ["b2", "d2"]])
    assert [rollout_move(one, seed) for seed in range(50)] == [rollout_move(other, seed) for seed in range(50)]


def test_a_penguin_peeks_at_the_unknown_and_a_walrus_blocks_what_connects() -> None:
    cards = {"a1": "penguin-lava", "b2": "crab-lava", "d4": "turtle-beach"}
    familiar = [place for place in PLACE_NAMES if place not in ("c3", "d4", "a1")]
    assert rollout_texts(arranged(expert=True, cards=cards, revealed=["a1"], phase="peek", known=[familiar, []])) == {
        "peek d4"
    }
    match = arranged(
        expert=True, cards={**cards, "a1": "walrus-lava"}, revealed=["d4", "b2", "a1"], phase="block", known=[[], []]
    )
    # both were face up in an earlier round
    match.states["up"] &= ~(1 << PLACE_NAMES.index("b2") | 1 << PLACE_NAMES.index("d4"))
    assert rollout_texts(match) == {"block b2"}


def test_what_is_in_sight() -> None:
    match = Match(GAME, 2, 3, plain=True, first=0)
    assert sights(match, 0) == set()
    match.play(0, "north")
    north = {card_at(match, place) for place in ("b5", "c5", "d5")}
    assert (sights(match, 0), sights(match, 1)) == (north, set())
    match.play(1, "south")
    match.play(0, "a1")
    assert sights(match, 0) == {card_at(match, "a1")}
    assert sights(match, 1) == {card_at(match, place) for place in ("a1", "b1", "c1", "d1")}


def test_the_location_that_ends_a_round_is_seen_once() -> None:
    match = arranged(cards=LAVA, revealed=["a1"], known=[["d4"], []])
    match.play(0, "d4")
    assert match.states["up"][0] == 0
    assert sights(match, 1) == {"turtle-beach"}
    match.play(0, "d2")
    assert sights(match, 1) == {"walrus-beach"}


def forgetful() -> Match:
    """Seat 0 looked at d4, all saw b2 in round 1; a1 is face up now."""
    match = arranged(cards=LAVA, revealed=["b2", "a1"], known=[["d4"], ["d2"]])
    match.states["up"] &= ~(1 << PLACE_NAMES.index("b2"))
    return match


def test_what_is_forgotten_varies_and_the_rest_stays() -> None:
    match = forgetful()
    pairs, handed_out = set(), set()
    for seed in range(40):
        world = forget(match, 0, ["crab-lava", "turtle-beach", "penguin-lava"], seed)
        assert world.view(0) == match.view(0)
        assert world.legal(0) == match.legal(0)
        assert (knows(world, 0, "a1"), knows(world, 0, "b2"), knows(world, 0, "d4")) == (True, False, False)
        handed_out.add(card_at(world, "b2"))
        again = world.imagine(0, seed + 1000)
        assert card_at(again, "a1") == "penguin-lava"
        pairs.add((card_at(again, "b2"), card_at(again, "d4")))
    assert len(pairs) > 20
    assert len(handed_out) > 8
    assert len({first for first, _ in pairs}) > 8


def test_others_still_know_what_a_seat_has_forgotten() -> None:
    match = forgetful()
    world = forget(match, 0, ["crab-lava", "turtle-beach"], 1)
    assert (knows(world, 1, "b2"), knows(world, 1, "d2"), knows(world, 1, "d4")) == (True, True, False)
    kept = forget(match, 0, ["turtle-beach"], 1)
    assert knows(kept, 0, "b2")
    assert card_at(kept, "b2") == "crab-lava"


@pytest.mark.parametrize("options", VARIANTS, ids=str)
@pytest.mark.slow
def test_forgetting_in_whole_matches_breaks_no_rule(options: dict[str, Any]) -> None:
    """All that was ever seen and is not in sight is forgotten. Only the side chosen before round 1
    is then missing in the books."""
    for seed in range(4):
        match = Match(GAME, 3, seed, plain=True, **options)
        while not match.over:
            seat = match.actors[0]
            match.play(seat, rollout_move(match, seed + len(match.history)))
            for viewer in range(match.seats):
                seen = sights(match, viewer)
                world = forget(match, viewer, [card for card in CARD_NAMES if card not in seen], seed)
                assert set(world.faults) <= {"a look at a card the seat does not know"}
                assert world.view(viewer) == match.imagine(viewer, seed).view(viewer)
                assert sights(world, viewer) == seen
