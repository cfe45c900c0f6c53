"""Memoarrrr!: what a seat knows (RULES.md section 8): worlds that fit, vary, match enumeration and
do not depend on the truth; observations."""

from collections import Counter
from itertools import permutations
from typing import Any

import numpy as np
import pytest

from samovar.engine.match import Match
from samovar.games.memoarrrr import GAME
from samovar.games.memoarrrr.face import memory
from samovar.games.memoarrrr.state import CARD_NAMES, PLACE_NAMES

ISLAND = [place for place in PLACE_NAMES if place != "c3"]
PARTS = {}
for _part in GAME.observation:
    _start = sum(other.size for other in GAME.observation[: GAME.observation.index(_part)])
    PARTS[_part.name] = slice(_start, _start + _part.size)


def arranged(**position: Any) -> Match:
    return Match.arranged(GAME, plain=True, **position)


def part(match: Match, seat: int, name: str) -> list[int]:
    values: list[int] = match.observation(seat)[PARTS[name]].tolist()
    return values


def known_cards(match: Match, seat: int) -> dict[str, str]:
    animals, landscapes = part(match, seat, "animal"), part(match, seat, "landscape")
    return {place: CARD_NAMES[5 * animals[i] + landscapes[i]] for i, place in enumerate(PLACE_NAMES) if animals[i] >= 0}


def truth(match: Match) -> dict[str, str]:
    return {place: CARD_NAMES[match.state.card[i]] for i, place in enumerate(PLACE_NAMES)}


def received(match: Match, seat: int) -> str:
    return repr((match.view(seat), match.observation(seat).tolist(), match.legal(seat), memory(match.state, seat)))


def chi_square(counts: Counter[Any], outcomes: int) -> float:
    expected = counts.total() / outcomes
    return sum((count - expected) ** 2 / expected for count in counts.values()) + (outcomes - len(counts)) * expected


@pytest.mark.rules("8.1")
def test_a_seat_knows_what_it_looked_at_and_what_was_face_up() -> None:
    match = Match(GAME, 3, 5, plain=True, first=0)
    for seat, side in enumerate(("north", "east", "south")):
        match.play(seat, side)
    match.play(0, "a1")
    match.play(1, "e5")
    own = {0: {"b5", "c5", "d5"}, 1: {"e2", "e3", "e4"}, 2: {"b1", "c1", "d1"}}
    for seat in range(3):
        known = known_cards(match, seat)
        assert set(known) == own[seat] | {"a1", "e5"}
        assert all(truth(match)[place] == card for place, card in known.items())
        assert dict(memory(match.state, seat)) == known


@pytest.mark.rules("8.1")
def test_what_was_face_up_in_an_earlier_round_is_known_but_not_in_the_view() -> None:
    match = arranged(
        seats=2,
        round=2,
        cards={"a1": "penguin-lava", "b1": "crab-ocean"},
        known=[["b5", "c5", "d5"], ["e2", "e3", "e4"]],
    )
    match.play(0, "a1")
    match.play(1, "b1")
    assert match.view(0).round == 3
    assert known_cards(match, 0)["a1"] == "penguin-lava"
    assert known_cards(match, 1)["b1"] == "crab-ocean"
    assert set(match.view(0).island) == {None}


@pytest.mark.rules("8.1", "7.6")
def test_knowledge_follows_cards_through_swaps_in_whole_matches() -> None:
    """Beside a bookkeeping by card: what a seat saw is a set of cards, and swaps change nothing in
    it."""
    swaps = 0
    for seed in range(12):
        match = Match(GAME, 4, seed, plain=True, expert=True, first_reveal_ability=True)
        seen: list[set[str]] = [set() for _ in range(4)]
        chooser = np.random.default_rng(seed)
        while not match.over:
            seat = match.actors[0]
            move = match.moves(seat)[chooser.integers(len(match.legal(seat)))]
            before = truth(match)
            match.play(seat, move)
            swaps += move.startswith("swap")
            if move in before:
                for cards in seen:
                    cards.add(before[move])
            elif move.startswith("peek"):
                seen[seat].add(before[move.split()[1]])
            elif move in ("north", "east", "south", "west"):
                seen[seat].update(card for _, card in match.view(seat).looks)
            for other in range(4):
                assert known_cards(match, other) == {
                    place: card for place, card in truth(match).items() if card in seen[other]
                }
    assert swaps > 20


@pytest.mark.rules("8.1")
def test_view_forgets_a_look_when_the_seat_moves_again_or_the_card_is_moved() -> None:
    position: dict[str, Any] = {
        "expert": True,
        "round": 2,
        "cards": {"a1": "octopus-lava"},
        "revealed": ["a1"],
        "phase": "swap",
    }
    match = arranged(**position, looks=[[], ["b1", "e5"], [], []])
    assert [place for place, _ in match.view(1).looks] == ["b1", "e5"]
    match.play(0, "swap b1")
    assert [place for place, _ in match.view(1).looks] == ["e5"]
    assert dict(memory(match.state, 1))["a1"] == truth(match)["a1"]  # a perfect memory follows it
    match.play(1, "d1")
    assert match.view(1).looks == ()


@pytest.mark.rules("8.2")
@pytest.mark.parametrize(
    "options", [{}, {"expert": True}, {"expert": True, "ordered_stack": True, "first_reveal_ability": True}]
)
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_worlds_fit_vary_and_do_not_depend_on_the_truth(seats: int, options: dict[str, Any]) -> None:
    match = Match(GAME, seats, 21, plain=True, **options)
    chooser = np.random.default_rng(seats)
    while not match.over:
        for seat in range(seats):
            world = match.imagine(seat, 1)
            assert received(world, seat) == received(match, seat)
            assert world.faults == ()
            assert world.state_bytes != match.imagine(seat, 2).state_bytes
            assert world.imagine(seat, 7).state_bytes == match.imagine(seat, 7).state_bytes
            other = world.imagine((seat + 1) % seats, 5)  # the others' knowledge is of that world
            assert other.faults == ()
            assert received(other, (seat + 1) % seats) == received(world, (seat + 1) % seats)
        legal = match.legal(match.actors[0])
        match.play(match.actors[0], legal[chooser.integers(len(legal))])
    for seat in range(seats):  # at the end the rubies are open and the hidden cards are not
        world = match.imagine(seat, 1)
        assert received(world, seat) == received(match, seat)
        assert world.scores == match.scores


@pytest.mark.rules("8.2")
def test_unknown_cards_and_the_box_are_uniform() -> None:
    """Three places and the box are unknown to seat 0: 24 arrangements."""
    unknown = ["a1", "b1", "e5", "c3"]
    others = [place for place in ISLAND if place not in unknown]
    match = arranged(seats=2, round=2, known=[others, ["e2", "e3", "e4"]])
    real = truth(match)
    cards = [real[place] for place in unknown]
    counts: Counter[tuple[str, ...]] = Counter()
    for seed in range(2400):
        world = truth(match.imagine(0, seed))
        assert all(world[place] == real[place] for place in others)
        counts[tuple(world[place] for place in unknown)] += 1
    assert set(counts) == set(permutations(cards))
    assert chi_square(counts, 24) < 49.7  # 23 degrees of freedom, 0.1 %


@pytest.mark.rules("8.2")
def test_a_card_that_follows_from_the_others_stays() -> None:
    """Seat 0 knows all 24 locations, so the card in the box follows too."""
    match = arranged(seats=2, round=2, known=[ISLAND, ["e2", "e3", "e4"]])
    assert {truth(match.imagine(0, seed))["c3"] for seed in range(20)} == {truth(match)["c3"]}
    assert len({truth(match.imagine(1, seed))["c3"] for seed in range(60)}) > 10


@pytest.mark.rules("8.2", "2.5")
def test_volcanoes_below_the_top_one_and_of_later_rounds_are_unknown() -> None:
    match = arranged(round=3, volcanoes={"3": [3, 7, 1]})
    rows: list[Counter[tuple[int, ...]]] = [Counter() for _ in range(7)]
    for seed in range(1200):
        state = match.imagine(2, seed).state
        for number in range(7):
            rows[number][tuple(state.volcano[number, k] for k in range(3))] += 1
    assert len(rows[0]) == len(rows[1]) == 1  # past
    assert set(rows[2]) == {(3, 7, 1), (3, 1, 7)}  # the top one is seen
    assert chi_square(rows[2], 2) < 10.9
    for number in range(3, 7):
        assert set(rows[number]) == set(permutations((1, 3, 7)))
        assert chi_square(rows[number], 6) < 20.6


@pytest.mark.rules("8.2")
def test_last_volcano_follows_from_the_others() -> None:
    match = arranged(round=3, volcanoes={"3": [3, 7, 1]}, takers=[1])
    rows = {tuple(match.imagine(0, seed).state.volcano[2, k] for k in range(3)) for seed in range(30)}
    assert rows == {(3, 7, 1)}


@pytest.mark.rules("8.2", "5.2")
def test_rubies_are_uniform_also_of_treasures_that_are_taken() -> None:
    match = arranged(round=4, winners=[1, 2, 3])
    counts: list[Counter[int]] = [Counter() for _ in range(7)]
    for seed in range(1400):
        rubies = list(match.imagine(1, seed).state.treasure)
        assert sorted(rubies) == [1, 1, 2, 2, 2, 3, 4]
        for number in range(7):
            counts[number][rubies[number]] += 1
    for number in range(7):
        for rubies, share in ((1, 2), (2, 3), (3, 1), (4, 1)):
            assert abs(counts[number][rubies] - 200 * share) < 75  # over 4 standard deviations
    ordered = arranged(round=4, winners=[1, 2, 3], ordered_stack=True)
    assert {tuple(ordered.imagine(1, seed).state.treasure) for seed in range(5)} == {(1, 1, 2, 2, 2, 3, 4)}


@pytest.mark.rules("8.2", "5.2")
def test_rubies_are_open_at_the_end() -> None:
    match = arranged(
        phase="over", round=7, turn=3, takers=[0, 1, 2], treasures=[2, 2, 4, 1, 1, 2, 3], winners=[1, 1, 0, 2, 2, 2, 3]
    )
    assert {match.imagine(0, seed).scores for seed in range(5)} == {match.scores}
    assert part(match, 1, "rubies") == [4, 4, 3, 4]


def test_observation_is_relative_to_the_observer() -> None:
    match = arranged(
        round=3, first=1, turn=2, winners=[3, 3], takers=[1], revealed=["a1", "b2"], expert=True, blocked="e5",
        cards={"b2": "walrus-jungle"}, sides=["west", "south", "north", "east"], volcanoes=[7, 1, 3],
    )  # fmt: skip
    assert part(match, 2, "turn") == [1, 0, 0, 0]
    assert part(match, 0, "turn") == [0, 0, 1, 0]
    assert part(match, 2, "starter") == [0, 0, 0, 1]
    assert part(match, 2, "volcano") == [0, 0, 0, 7]
    assert part(match, 2, "treasures") == [0, 2, 0, 0]
    assert part(match, 2, "rubies") == [-1, -1, -1, -1]
    assert part(match, 2, "sides") == [1, 2, 4, 3]
    last = [part(match, 2, name) for name in ("last", "last_animal", "last_landscape")]
    assert last == [[PLACE_NAMES.index("b2")], [2], [2]]
    assert part(match, 2, "blocked") == [24]
    assert part(match, 2, "phase") == [0, 1, 0, 0, 0, 0]
    assert (part(match, 2, "round"), part(match, 2, "top_volcano"), part(match, 2, "volcanoes_left")) == ([2], [1], [2])
    assert (part(match, 2, "seats"), part(match, 2, "options")) == ([4], [1, 0, 0])
    others = np.array(part(match, 2, "known_to_others")).reshape(3, 25)
    assert {PLACE_NAMES[i] for i in np.flatnonzero(others[0])} == {"a1", "b2", "e2", "e3", "e4"}  # seat 3
    assert {PLACE_NAMES[i] for i in np.flatnonzero(others[2])} == {"a1", "b2", "b1", "c1", "d1"}  # seat 1
    assert [PLACE_NAMES[i] for i in np.flatnonzero(part(match, 2, "face_up"))] == ["a1", "b2"]


def test_observation_of_seats_that_are_not_there_is_empty() -> None:
    match = arranged(seats=2, round=2)
    assert np.flatnonzero(part(match, 1, "known_to_others")[25:]).tolist() == []
    assert part(match, 1, "rubies") == [-1, -1, 0, 0]
