"""Memoarrrr!: the expert game, rule by rule (RULES.md section 7), with the rulebook's five examples
and the rare ends of R10 to R12."""

from typing import Any

import pytest

from samovar.engine.match import Match
from samovar.games.memoarrrr import GAME
from samovar.games.memoarrrr.state import CARD_NAMES, PLACE_NAMES

ISLAND = [place for place in PLACE_NAMES if place != "c3"]
LUCAS, BIANCA, AMANDA, MARCEL = range(4)


def arranged(**position: Any) -> Match:
    return Match.arranged(GAME, plain=True, **{"expert": True, "round": 2, **position})


def all_but(*hidden: str, last: str) -> list[str]:
    return [place for place in ISLAND if place not in (*hidden, last)] + [last]


def play(match: Match, *moves: str) -> None:
    for move in moves:
        match.play(match.actors[0], move)


def kinds(match: Match, seat: int | None = None) -> list[str]:
    return [event.kind for event in match.news(seat)]


def news_of(match: Match, kind: str) -> list[dict[str, int | str]]:
    return [dict(event.facts) for event in match.news(None) if event.kind == kind]


def card_at(match: Match, place: str) -> str:
    return CARD_NAMES[match.state.card[PLACE_NAMES.index(place)]]


def knows(match: Match, seat: int, place: str) -> bool:
    """By the observation: what the seat may know."""
    return bool(match.observation(seat)[PLACE_NAMES.index(place)] >= 0)


def after(card: str, **position: Any) -> Match:
    """Seat 0 has opened with turtle-lava or the like; seat 1 is to reveal `card` at b1, which
    connects."""
    animal = card.split("-")[0]
    opener = f"{animal}-beach" if card != f"{animal}-beach" else f"{animal}-ocean"
    cards = {"a1": opener, "b1": card, **position.pop("cards", {})}
    return arranged(cards=cards, revealed=["a1"], turn=1, **position)


@pytest.mark.rules("7.1")
def test_abilities_need_the_expert_game_and_a_connection() -> None:
    for card in ("penguin-lava", "octopus-lava", "walrus-lava", "crab-lava"):
        base = after(card, expert=False)
        play(base, "b1")
        assert (base.actors, base.view(None).phase) == ((2,), "reveal")
        failed = arranged(cards={"a1": "turtle-ocean", "b1": card}, revealed=["a1"], turn=1)
        play(failed, "b1")
        assert (failed.actors, failed.view(None).phase) == ((2,), "reveal")


@pytest.mark.rules("7.1")
@pytest.mark.parametrize(
    ("card", "phase", "moves"),
    [("penguin-lava", "peek", 22), ("octopus-lava", "swap", 3), ("walrus-lava", "block", 22)],
)
def test_an_ability_is_a_must(card: str, phase: str, moves: int) -> None:
    match = after(card)
    play(match, "b1")
    assert match.actors == (1,)
    assert match.view(1).phase == phase
    assert match.view(1).prompt.kind == f"prompt.{phase}"
    assert len(match.moves(1)) == moves
    assert all(move.startswith(phase) for move in match.moves(1))  # no pass among them


@pytest.mark.rules("7.2")
@pytest.mark.parametrize(
    ("card", "phase"), [("penguin-lava", "peek"), ("octopus-lava", "swap"), ("walrus-lava", "block")]
)
def test_first_reveal_has_an_ability_only_by_the_switch(card: str, phase: str) -> None:
    match = arranged(cards={"a1": card})
    play(match, "a1")
    assert (match.actors, match.view(None).phase) == ((1,), "reveal")
    match = arranged(cards={"a1": card}, first_reveal_ability=True)
    play(match, "a1")
    assert (match.actors, match.view(None).phase) == ((0,), phase)


@pytest.mark.rules("7.2", "4.6")
def test_first_reveal_ability_is_not_barred_from_the_sides() -> None:
    crab = arranged(round=1, cards={"a1": "crab-lava"}, first_reveal_ability=True)
    assert "c5" not in crab.moves(0)
    play(crab, "a1")
    assert crab.actors == (0,)
    assert kinds(crab) == ["opens", "extra_turn"]
    assert "c5" in crab.moves(0)
    penguin = arranged(round=1, cards={"a1": "penguin-lava"}, first_reveal_ability=True)
    play(penguin, "a1")
    assert "peek c5" in penguin.moves(0)
    assert penguin.view(0).barred == ()


@pytest.mark.rules("7.3")
def test_example_lucas_penguin_peeks_secretly() -> None:
    match = arranged(
        cards={"a1": "penguin-beach", "b1": "penguin-lava", "e5": "crab-ocean"},
        revealed=["a1"],
        turn=LUCAS,
        first=MARCEL,
    )
    play(match, "b1")
    before = [knows(match, seat, "e5") for seat in range(4)]
    play(match, "peek e5")
    assert before == [False] * 4
    assert [knows(match, seat, "e5") for seat in range(4)] == [True, False, False, False]
    assert match.view(LUCAS).looks == (("e5", "crab-ocean"),)
    assert kinds(match, LUCAS) == ["peeks", "sees"]
    assert kinds(match, BIANCA) == kinds(match, None) == ["peeks"]
    assert news_of(match, "peeks") == [{"seat": LUCAS, "place": "e5", "round": 2}]
    assert match.view(None).island[PLACE_NAMES.index("e5")] is None  # back in place, clouds up
    assert match.actors == (BIANCA,)


@pytest.mark.rules("7.3")
def test_penguin_peeks_also_at_a_blocked_location() -> None:
    match = after("penguin-lava", blocked="e5")
    assert "e5" not in match.moves(1)
    play(match, "b1")
    assert "peek e5" in match.moves(1)
    assert "peek a1" not in match.moves(1)  # face up
    assert "peek c3" not in match.moves(1)


@pytest.mark.rules("7.4")
@pytest.mark.parametrize(("animal", "told_kind"), [("penguin", "nothing_to_peek"), ("walrus", "nothing_to_block")])
def test_penguin_or_walrus_as_the_24th_does_nothing(animal: str, told_kind: str) -> None:
    cards = {"a1": f"{animal}-lava", "e5": f"{animal}-ocean"}
    match = arranged(seats=3, cards=cards, revealed=all_but("a1", last="e5"), turn=2)
    play(match, "a1")
    assert kinds(match) == ["connects", told_kind, "all_revealed", "all_revealed", "takes_treasure", "begins"]
    assert news_of(match, "takes_treasure") == [{"seat": 2}]


@pytest.mark.rules("7.5", "7.6")
def test_example_bianca_swaps_the_octopus_with_a_location_amanda_knows() -> None:
    cards = {"e1": "octopus-beach", "d2": "octopus-lava", "e2": "crab-ocean"}
    known = [[], [], ["e2"], []]
    match = arranged(cards=cards, revealed=["e1"], turn=BIANCA, known=known)
    play(match, "d2")
    assert match.moves(BIANCA) == ["swap d1", "swap c2", "swap e2", "swap d3"]
    play(match, "swap e2")
    assert news_of(match, "swaps") == [{"seat": BIANCA, "place": "d2", "other": "e2", "round": 2}]
    assert (card_at(match, "e2"), card_at(match, "d2")) == ("octopus-lava", "crab-ocean")
    view = match.view(None)
    assert view.island[PLACE_NAMES.index("e2")] == "octopus-lava"  # each keeps its side up
    assert view.island[PLACE_NAMES.index("d2")] is None
    assert view.last == "e2"
    assert [knows(match, seat, "d2") for seat in range(4)] == [False, False, True, False]  # Amanda's knowledge moves
    assert all(knows(match, seat, "e2") for seat in range(4))
    assert match.actors == (AMANDA,)


@pytest.mark.rules("7.5")
@pytest.mark.parametrize(
    ("place", "neighbours"),
    [
        ("a1", "b1 a2"),
        ("c2", "c1 b2 d2"),
        ("b3", "b2 a3 b4"),
        ("d3", "d2 e3 d4"),
        ("c4", "b4 d4 c5"),
        ("e5", "e4 d5"),
        ("b2", "b1 a2 c2 b3"),
    ],
)
def test_octopus_swaps_with_orthogonal_neighbours_never_the_centre(place: str, neighbours: str) -> None:
    match = arranged(cards={place: "octopus-lava"}, revealed=[place], phase="swap")
    assert match.moves(0) == [f"swap {name}" for name in neighbours.split()]


@pytest.mark.rules("7.5", "7.6")
def test_octopus_swaps_with_a_revealed_location_and_stays_the_last() -> None:
    match = after("octopus-lava", cards={"c1": "turtle-lava"})
    play(match, "b1", "swap a1")
    view = match.view(None)
    assert (view.island[0], view.island[1]) == ("octopus-lava", "octopus-beach")  # both face up
    assert view.last == "a1"
    play(match, "c1")
    assert kinds(match) == ["connects"]  # by lava: the octopus that moved is compared, not the card now at b1


@pytest.mark.rules("7.5")
def test_octopus_as_the_24th_must_still_swap() -> None:
    match = arranged(
        seats=3, cards={"a1": "octopus-lava", "e5": "octopus-ocean"}, revealed=all_but("a1", last="e5"), turn=1
    )
    play(match, "a1")
    assert match.actors == (1,)
    assert match.moves(1) == ["swap b1", "swap a2"]
    play(match, "swap a2")
    assert kinds(match) == ["swaps", "all_revealed", "all_revealed", "takes_treasure", "begins"]
    assert news_of(match, "swaps") == [{"seat": 1, "place": "a1", "other": "a2", "round": 2}]
    assert card_at(match, "a2") == "octopus-lava"


@pytest.mark.rules("7.6")
def test_swap_lasts_for_the_rest_of_the_match() -> None:
    match = arranged(
        seats=2, cards={"a1": "octopus-beach", "b1": "octopus-lava", "e5": "crab-ocean"}, revealed=["a1"], turn=1
    )
    play(match, "b1", "swap c1")
    play(match, "e5")
    assert match.view(None).round == 3
    assert card_at(match, "c1") == "octopus-lava"
    assert knows(match, 0, "c1")  # it was face up, and all saw where it went
    assert not knows(match, 1, "b1")


@pytest.mark.rules("7.7")
def test_example_marcel_walrus_keeps_a_location_from_lucas() -> None:
    cards = {"a1": "walrus-beach", "b1": "walrus-lava", "e5": "penguin-lava", "d1": "turtle-lava"}
    match = arranged(cards=cards, revealed=["a1"], turn=MARCEL)
    play(match, "b1", "block e5")
    assert match.actors == (LUCAS,)
    assert "e5" not in match.moves(LUCAS)
    assert len(match.moves(LUCAS)) == 21
    assert match.view(LUCAS).blocked == "e5"
    assert news_of(match, "blocks") == [{"seat": MARCEL, "place": "e5", "round": 2}]
    play(match, "d1")
    assert "e5" in match.moves(BIANCA)  # free again
    assert match.view(None).blocked is None


@pytest.mark.rules("7.7")
def test_block_binds_the_next_seat_that_takes_a_turn() -> None:
    match = after("walrus-lava", takers=[2])
    play(match, "b1", "block e5")
    assert match.actors == (3,)
    assert "skipped" in kinds(match)
    assert "e5" not in match.moves(3)


@pytest.mark.rules("7.7")
def test_block_lasts_through_extra_turns_and_ends_with_the_turn() -> None:
    cards = {"a1": "walrus-beach", "b1": "crab-beach", "d1": "crab-lava", "e1": "turtle-lava"}
    match = arranged(cards=cards, revealed=["a1"], turn=1, blocked="e5")
    for place in ("b1", "d1"):
        play(match, place)
        assert match.actors == (1,)
        assert "e5" not in match.moves(1)
    play(match, "e1")
    assert match.actors == (2,)
    assert "e5" in match.moves(2)


@pytest.mark.rules("7.7")
def test_block_ends_with_a_failed_turn() -> None:
    match = arranged(cards={"a1": "walrus-beach", "b1": "crab-lava"}, revealed=["a1"], turn=1, blocked="e5")
    play(match, "b1")
    assert match.actors == (2,)
    assert "e5" in match.moves(2)


@pytest.mark.rules("7.7")
def test_walrus_blocks_also_when_one_location_is_left_or_it_is_blocked_already() -> None:
    match = after("walrus-lava", blocked="e5")
    play(match, "b1")
    assert "block e5" in match.moves(1)
    play(match, "block e5")
    assert "e5" not in match.moves(2)
    last_one = arranged(
        seats=3, cards={"a1": "walrus-lava", "e5": "walrus-ocean"}, revealed=all_but("a1", "b1", last="e5")
    )
    play(last_one, "a1")
    assert last_one.moves(0) == ["block b1"]


@pytest.mark.rules("7.8")
def test_seat_with_only_the_blocked_location_takes_a_volcano_and_the_next_may_reveal_it() -> None:
    cards = {"a1": "walrus-lava", "e5": "walrus-ocean", "b1": "turtle-lava"}
    match = arranged(cards=cards, revealed=all_but("a1", "b1", last="e5"), volcanoes=[7, 3, 1])
    play(match, "a1", "block b1")
    assert kinds(match) == ["blocks", "only_blocked"]
    assert news_of(match, "only_blocked") == [{"seat": 1, "birds": 7}]
    assert match.actors == (2,)
    assert match.view(2).blocked is None
    assert match.moves(2) == ["b1"]
    assert match.view(None).last == "a1"  # nothing was revealed
    play(match, "b1")
    assert kinds(match)[0] == "connects"


@pytest.mark.rules("7.3", "7.7")
@pytest.mark.parametrize(("animal", "move"), [("penguin", "peek b1"), ("walrus", "block b1")])
def test_penguin_and_walrus_of_a_bound_seat_work_on_the_blocked_location_when_it_is_the_only_one(
    animal: str, move: str
) -> None:
    cards = {"c1": f"{animal}-lava", "e5": f"{animal}-ocean"}
    match = arranged(cards=cards, revealed=all_but("b1", "c1", last="e5"), blocked="b1", turn=1)
    play(match, "c1")
    assert match.moves(1) == [move]
    play(match, move)
    if animal == "penguin":
        assert (match.actors, match.moves(2)) == ((2,), ["b1"])
    else:
        assert kinds(match) == ["blocks", "only_blocked"]
        assert match.actors == (3,)


@pytest.mark.rules("7.8")
def test_last_volcano_taken_for_a_block_ends_the_round() -> None:
    match = arranged(
        seats=2, cards={"a1": "walrus-lava", "e5": "walrus-ocean"}, revealed=all_but("a1", "b1", last="e5"), turn=0
    )
    play(match, "a1", "block b1")
    assert kinds(match) == ["blocks", "only_blocked", "takes_treasure", "begins"]
    assert news_of(match, "takes_treasure") == [{"seat": 0}]
    assert match.actors == (1,)
    assert match.moves(1) == ISLAND


@pytest.mark.rules("7.8", "7.9")
def test_extra_turn_with_only_the_blocked_location_costs_a_volcano() -> None:
    cards = {"c1": "crab-lava", "e5": "crab-ocean"}
    match = arranged(cards=cards, revealed=all_but("b1", "c1", last="e5"), blocked="b1", turn=1)
    assert match.moves(1) == ["c1"]
    play(match, "c1")
    assert kinds(match) == ["connects", "extra_turn", "only_blocked"]
    assert news_of(match, "only_blocked") == [{"seat": 1, "birds": 1}]
    assert match.actors == (2,)
    assert match.moves(2) == ["b1"]


@pytest.mark.rules("7.9")
def test_example_amanda_crab_after_crab_takes_extra_turns() -> None:
    cards = {"a1": "crab-beach", "b1": "crab-lava", "c1": "crab-ocean", "d1": "turtle-ocean"}
    match = arranged(cards=cards, revealed=["a1"], turn=AMANDA)
    for place in ("b1", "c1"):
        play(match, place)
        assert match.actors == (AMANDA,)
        assert kinds(match) == ["connects", "extra_turn"]
    play(match, "d1")
    assert kinds(match) == ["connects"]
    assert match.actors == (MARCEL,)


@pytest.mark.rules("7.9", "7.1")
def test_extra_turn_can_fail_and_a_crab_that_fails_gives_none() -> None:
    match = after("crab-lava", cards={"c1": "turtle-ocean", "d1": "crab-jungle"})
    play(match, "b1", "c1")
    assert kinds(match) == ["fails", "takes_volcano"]
    play(match, "d1")  # seat 2: a crab after turtle-ocean
    assert kinds(match) == ["fails", "takes_volcano"]
    assert match.actors == (3,)


@pytest.mark.rules("7.9", "4.8")
def test_crab_as_the_24th_costs_its_own_seat_a_volcano_first() -> None:
    match = arranged(
        cards={"a1": "crab-lava", "e5": "crab-ocean"}, revealed=all_but("a1", last="e5"), turn=3, volcanoes=[3, 1, 7]
    )
    play(match, "a1")
    assert kinds(match) == [
        "connects",
        "extra_turn",
        "all_revealed",
        "all_revealed",
        "all_revealed",
        "takes_treasure",
        "begins",
    ]
    assert news_of(match, "all_revealed") == [{"seat": 3, "birds": 3}, {"seat": 0, "birds": 1}, {"seat": 1, "birds": 7}]
    assert news_of(match, "takes_treasure") == [{"seat": 2}]
    assert match.actors == (1,)


@pytest.mark.rules("7.10")
def test_walrus_in_an_extra_turn_binds_the_next_seat() -> None:
    match = after("crab-lava", cards={"c1": "walrus-lava"}, blocked="e4")
    play(match, "b1", "c1", "block e5")
    assert match.actors == (2,)
    assert "e5" not in match.moves(2)
    assert "e4" in match.moves(2)  # the block that bound seat 1 is over


@pytest.mark.rules("7.11")
def test_example_lucas_turtle_does_nothing() -> None:
    match = arranged(cards={"a1": "turtle-beach", "b1": "turtle-lava"}, revealed=["a1"], turn=LUCAS, first=MARCEL)
    play(match, "b1")
    assert kinds(match) == ["connects"]
    assert match.actors == (BIANCA,)
    assert match.view(None).phase == "reveal"
