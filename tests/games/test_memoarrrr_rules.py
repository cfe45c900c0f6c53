"""Memoarrrr!: the base game, rule by rule (RULES.md sections 1 to 6), with the examples of the
rulebook. Plain Python throughout."""

from collections import Counter
from typing import Any

import pytest

from samovar.engine.match import Match
from samovar.errors import IllegalMove
from samovar.games.memoarrrr import GAME
from samovar.games.memoarrrr.state import CARD_NAMES, MIDDLES, PLACE_NAMES

ISLAND = [place for place in PLACE_NAMES if place != "c3"]
LUCAS, BIANCA, AMANDA, MARCEL = range(4)


def dealt(seats: int = 4, seed: int = 0, **options: Any) -> Match:
    return Match(GAME, seats, seed, plain=True, **options)


def arranged(**position: Any) -> Match:
    return Match.arranged(GAME, plain=True, **position)


def all_but(*hidden: str, last: str) -> list[str]:
    """All locations revealed but these, `last` as the last of them."""
    return [place for place in ISLAND if place not in (*hidden, last)] + [last]


def play(match: Match, *moves: str) -> None:
    """Each move by whoever is to move."""
    for move in moves:
        match.play(match.actors[0], move)


def kinds(match: Match, seat: int | None = None) -> list[str]:
    return [event.kind for event in match.news(seat)]


def news_of(match: Match, kind: str) -> list[dict[str, int | str]]:
    return [dict(event.facts) for event in match.news(None) if event.kind == kind]


def hidden_order(match: Match) -> tuple[int, ...]:
    return tuple(match.state.card)


# 1. The cards


@pytest.mark.rules("1.1", "2.1")
def test_locations_are_every_pair_once_and_one_is_in_the_box() -> None:
    assert len(set(CARD_NAMES)) == 25
    assert {name.split("-")[0] for name in CARD_NAMES} == {"penguin", "octopus", "walrus", "crab", "turtle"}
    assert {name.split("-")[1] for name in CARD_NAMES} == {"lava", "ocean", "jungle", "flowers", "beach"}
    boxes = Counter()
    for seed in range(60):
        order = hidden_order(dealt(seed=seed))
        assert sorted(order) == list(range(25))
        boxes[order[PLACE_NAMES.index("c3")]] += 1
    assert len(boxes) > 15  # the island is shuffled, the box too


@pytest.mark.rules("2.1")
def test_places_are_named_from_the_south_west_and_the_centre_is_never_a_move() -> None:
    assert (PLACE_NAMES[0], PLACE_NAMES[4], PLACE_NAMES[12], PLACE_NAMES[20], PLACE_NAMES[24]) == (
        "a1",
        "e1",
        "c3",
        "a5",
        "e5",
    )
    match = arranged(round=2)
    assert match.moves(0) == ISLAND
    with pytest.raises(IllegalMove):
        match.play(0, "c3")


@pytest.mark.rules("1.2", "2.2")
def test_treasures_are_shuffled() -> None:
    orders = {tuple(dealt(2, seed).state.treasure) for seed in range(40)}
    assert {tuple(sorted(order)) for order in orders} == {(1, 1, 2, 2, 2, 3, 4)}
    assert len(orders) > 20


@pytest.mark.rules("2.3")
def test_ordered_stack_lies_from_one_ruby_to_four() -> None:
    for seed in range(5):
        assert list(dealt(3, seed, ordered_stack=True).state.treasure) == [1, 1, 2, 2, 2, 3, 4]


@pytest.mark.rules("1.3", "2.4")
@pytest.mark.parametrize(("seats", "birds", "orders"), [(2, [7], 1), (3, [3, 7], 2), (4, [1, 3, 7], 6)])
def test_volcanoes_in_play_lie_shuffled_in_every_round(seats: int, birds: list[int], orders: int) -> None:
    seen = set()
    for seed in range(12):
        state = dealt(seats, seed).state
        for number in range(7):
            row = [state.volcano[number, k] for k in range(3)]
            assert sorted(row[: seats - 1]) == birds
            assert row[seats - 1 :] == [0] * (4 - seats)
            seen.add(tuple(row))
    assert len(seen) == orders


@pytest.mark.rules("2.4")
def test_starting_seat_is_drawn_unless_named() -> None:
    assert {dealt(4, seed).actors[0] for seed in range(30)} == {0, 1, 2, 3}
    assert {dealt(4, seed, first=2).actors[0] for seed in range(10)} == {2}
    drawn, named = dealt(4, 3), dealt(4, 3, first=1)
    assert hidden_order(drawn) == hidden_order(named)  # all else of the deal is the same


@pytest.mark.rules("2.4")
def test_everything_random_is_in_the_deal() -> None:
    one, other = dealt(3, 8, expert=True), dealt(3, 8, expert=True)
    one.play_random(1)
    for seat, move in one.history:
        other.play(seat, move)
    assert one.state_bytes == other.state_bytes


@pytest.mark.rules("2.5")
def test_birds_of_the_top_volcano_are_public() -> None:
    match = arranged(volcanoes=[3, 7, 1])
    assert [match.view(seat).top_volcano for seat in (None, 0, 3)] == [3, 3, 3]
    assert match.view(None).volcanoes_left == 3
    match = arranged(volcanoes=[3, 7, 1], takers=[2])
    assert match.view(None).top_volcano == 7
    assert match.view(None).volcanoes == (0, 0, 3, 0)


# 3. Before the first round


@pytest.mark.rules("3.1")
def test_sides_are_chosen_in_turn_order_each_another_one() -> None:
    match = dealt(4, 1, first=2)
    order = []
    for side, left in (("west", 4), ("north", 3), ("south", 2), ("east", 1)):
        (seat,) = match.actors
        order.append(seat)
        assert len(match.moves(seat)) == left
        match.play(seat, side)
        assert side not in match.moves(match.actors[0])
    assert order == [2, 3, 0, 1]
    assert match.actors == (2,)
    assert match.view(2).phase == "reveal"
    assert match.view(None).lookers == (3, 1, 0, 2)
    assert news_of(match, "begins") == [{"seat": 2, "round": 1}]


@pytest.mark.rules("3.2")
@pytest.mark.parametrize(("side", "middle"), list(zip(("north", "east", "south", "west"), MIDDLES, strict=True)))
def test_only_the_looker_sees_the_three_middle_locations(side: str, middle: tuple[str, ...]) -> None:
    match = dealt(2, 4, first=0)
    match.play(0, side)
    cards = tuple(
        (place, CARD_NAMES[match.state.card[PLACE_NAMES.index(place)]])
        for place in sorted(middle, key=PLACE_NAMES.index)
    )
    assert match.view(0).looks == cards
    assert kinds(match, 0) == ["looks", "sees", "sees", "sees"]
    assert match.view(1).looks == match.view(None).looks == ()
    assert kinds(match, 1) == kinds(match, None) == ["looks"]
    assert news_of(match, "looks") == [{"seat": 0, "side": side}]
    match.play(1, match.moves(1)[0])
    assert match.view(0).looks == cards  # still in front of it, until it moves


# 4. A turn


@pytest.mark.rules("4.1", "4.9")
def test_a_reveal_stays_face_up_for_all_to_see() -> None:
    match = arranged(round=2, first=0, cards={"a1": "penguin-lava", "e5": "crab-ocean", "b2": "crab-lava"})
    play(match, "a1", "e5")
    assert "a1" not in match.moves(2)
    assert "e5" not in match.moves(2)
    assert kinds(match) == ["fails", "takes_volcano"]
    play(match, "b2")
    for seat in (None, 0, 1, 2, 3):  # seat 1 is out and still sees it
        island = dict(zip(PLACE_NAMES, match.view(seat).island, strict=True))
        assert {place: card for place, card in island.items() if card} == {
            "a1": "penguin-lava",
            "e5": "crab-ocean",
            "b2": "crab-lava",
        }


@pytest.mark.rules("4.2")
@pytest.mark.parametrize("card", ["penguin-jungle", "octopus-ocean"])
def test_example_lucas_and_bianca_connect_by_animal_or_landscape(card: str) -> None:
    match = arranged(round=2, first=LUCAS, cards={"a1": "penguin-ocean", "b1": card})
    play(match, "a1", "b1")
    assert kinds(match) == ["connects"]
    assert match.actors == (AMANDA,)
    assert match.view(None).volcanoes == (0, 0, 0, 0)


@pytest.mark.rules("4.4")
def test_example_amanda_and_marcel_do_not_connect() -> None:
    match = arranged(round=2, first=AMANDA, cards={"a1": "penguin-ocean", "b1": "octopus-jungle"}, volcanoes=[7, 1, 3])
    play(match, "a1", "b1")
    assert kinds(match) == ["fails", "takes_volcano"]
    assert news_of(match, "takes_volcano") == [{"seat": MARCEL, "birds": 7}]
    assert match.view(None).volcanoes == (0, 0, 0, 7)
    assert match.view(None).volcanoes_left == 2
    assert match.actors == (LUCAS,)


@pytest.mark.rules("4.3")
def test_comparison_is_with_the_last_location_also_after_a_failure() -> None:
    cards = {"a1": "penguin-ocean", "b1": "octopus-jungle", "d1": "crab-jungle", "e1": "penguin-lava"}
    match = arranged(round=2, cards=cards)
    play(match, "a1", "b1", "d1")
    assert kinds(match) == ["connects"]  # with the octopus that failed
    match.undo()
    play(match, "e1")
    assert kinds(match) == ["fails", "takes_volcano"]  # a penguin as the one before the octopus


@pytest.mark.rules("4.5")
def test_first_reveal_of_each_round_always_succeeds() -> None:
    for number in (1, 2, 7):
        match = arranged(round=number, first=3)
        play(match, "a1")
        assert kinds(match) == ["opens"]
        assert match.actors == (0,)


@pytest.mark.rules("4.6")
@pytest.mark.parametrize(
    ("seats", "sides", "free"), [(4, ["north", "east", "south", "west"], 12), (2, ["north", "west"], 18)]
)
def test_very_first_reveal_is_not_on_a_side_that_was_looked_at(seats: int, sides: list[str], free: int) -> None:
    match = arranged(seats=seats, sides=sides)
    barred = {
        place
        for side, middle in zip(("north", "east", "south", "west"), MIDDLES, strict=True)
        if side in sides
        for place in middle
    }
    assert set(match.moves(0)) == set(ISLAND) - barred
    assert len(match.moves(0)) == free
    assert set(match.view(0).barred) == barred
    play(match, "a1")
    assert set(match.moves(1)) == set(ISLAND) - {"a1"}  # the second reveal may
    assert match.view(1).barred == ()


@pytest.mark.rules("4.6")
def test_first_reveal_of_later_rounds_is_free() -> None:
    assert arranged(round=2).moves(0) == ISLAND


@pytest.mark.rules("4.7")
def test_example_a_seat_with_a_volcano_is_skipped() -> None:
    cards = {"a1": "penguin-lava", "b1": "penguin-ocean"}
    match = arranged(cards=cards, first=LUCAS, takers=[MARCEL], turn=AMANDA, revealed=["a1"])
    play(match, "b1")
    assert match.actors == (LUCAS,)
    assert kinds(match) == ["connects", "skipped"]
    assert news_of(match, "skipped") == [{"seat": MARCEL}]


@pytest.mark.rules("4.7")
def test_turn_passes_to_the_next_higher_seat_and_from_the_last_to_seat_0() -> None:
    cards = dict(
        zip(
            ISLAND,
            (f"penguin-{landscape}" for landscape in ("lava", "ocean", "jungle", "flowers", "beach")),
            strict=False,
        )
    )
    match = arranged(round=2, first=2, seats=3, cards=cards)
    order = []
    for place in ISLAND[:5]:
        order.append(match.actors[0])
        play(match, place)
    assert order == [2, 0, 1, 2, 0]


@pytest.mark.rules("4.8", "5.1")
def test_all_24_revealed_the_others_take_volcanoes_one_after_another() -> None:
    match = arranged(
        cards={"a1": "penguin-lava", "e5": "penguin-ocean"},
        revealed=all_but("a1", last="e5"),
        turn=1,
        volcanoes=[3, 7, 1],
    )
    play(match, "a1")
    assert kinds(match) == ["connects", "all_revealed", "all_revealed", "all_revealed", "takes_treasure", "begins"]
    assert news_of(match, "all_revealed") == [{"seat": 2, "birds": 3}, {"seat": 3, "birds": 7}, {"seat": 0, "birds": 1}]
    assert news_of(match, "takes_treasure") == [{"seat": 1}]
    assert match.actors == (3,)


@pytest.mark.rules("4.8")
def test_all_24_revealed_by_a_failure_leaves_the_treasure_to_the_last_seat() -> None:
    match = arranged(
        seats=3, cards={"a1": "penguin-lava", "e5": "crab-ocean"}, revealed=all_but("a1", last="e5"), turn=0
    )
    play(match, "a1")
    assert kinds(match) == ["fails", "takes_volcano", "all_revealed", "takes_treasure", "begins"]
    assert news_of(match, "takes_treasure") == [{"seat": 2}]


@pytest.mark.rules("4.8")
def test_all_24_revealed_skips_seats_that_are_out() -> None:
    match = arranged(
        cards={"a1": "penguin-lava", "e5": "penguin-ocean"}, revealed=all_but("a1", last="e5"), turn=0, takers=[1]
    )
    play(match, "a1")
    assert kinds(match) == ["connects", "skipped", "all_revealed", "all_revealed", "takes_treasure", "begins"]
    assert news_of(match, "all_revealed") == [{"seat": 2, "birds": 3}, {"seat": 3, "birds": 7}]


@pytest.mark.rules("4.9")
def test_a_seat_with_one_move_is_still_asked() -> None:
    match = arranged(cards={"a1": "penguin-lava", "e5": "crab-ocean"}, revealed=all_but("a1", last="e5"))
    assert match.moves(0) == ["a1"]
    assert match.actors == (0,)


# 5. Rounds


@pytest.mark.rules("5.1", "5.2")
def test_example_bianca_takes_the_treasure_when_her_turn_begins() -> None:
    match = arranged(
        cards={"a1": "penguin-lava", "b1": "crab-ocean"}, takers=[AMANDA, MARCEL], turn=LUCAS, revealed=["a1"]
    )
    play(match, "b1")
    assert kinds(match) == ["fails", "takes_volcano", "takes_treasure", "begins"]
    view = match.view(BIANCA)
    assert view.treasures == (0, 1, 0, 0)
    assert (view.treasures_left, view.round) == (6, 2)
    assert view.rubies is None  # taken unseen
    assert view.next_rubies is None


@pytest.mark.rules("5.2")
def test_rubies_are_nowhere_before_the_end() -> None:
    one, other = (
        arranged(round=3, winners=[1, 1], treasures=order) for order in ([1, 1, 2, 2, 2, 3, 4], [4, 3, 2, 2, 2, 1, 1])
    )
    for seat in (0, 1):
        assert one.view(seat) == other.view(seat)
        assert (one.observation(seat) == other.observation(seat)).all()
    assert one.view(None) == other.view(None)
    assert one.scores != other.scores


@pytest.mark.rules("5.3")
def test_rubies_of_the_ordered_stack_are_shown() -> None:
    match = arranged(round=6, winners=[1, 2, 1, 3, 1], ordered_stack=True)
    for seat in (None, 0, 1):
        assert match.view(seat).rubies == (0, 1 + 2 + 2, 1, 2)
        assert match.view(seat).next_rubies == 3


@pytest.mark.rules("5.3")
def test_ordered_stack_tells_the_rubies_as_they_are_taken() -> None:
    match = arranged(
        seats=2, ordered_stack=True, cards={"a1": "penguin-lava", "b1": "crab-ocean"}, round=7, winners=[1] * 6
    )
    play(match, "a1", "b1")
    assert news_of(match, "takes_rubies") == [{"seat": 0, "rubies": 4}]


@pytest.mark.rules("5.4")
def test_new_round_turns_all_down_and_moves_nothing() -> None:
    match = arranged(seats=2, round=2, cards={"a1": "penguin-lava", "b1": "crab-ocean"})
    before = hidden_order(match)
    play(match, "a1", "b1")
    assert match.view(None).round == 3
    assert set(match.view(None).island) == {None}
    assert match.view(None).last is None
    assert hidden_order(match) == before
    assert match.moves(match.actors[0]) == ISLAND
    # The reveal that ended the round is told, although it is turned down again.
    assert news_of(match, "fails") == [{"seat": 1, "place": "b1", "card": "crab-ocean", "round": 2}]


@pytest.mark.rules("5.5")
@pytest.mark.parametrize("order", [[7, 1, 3], [3, 7, 1], [1, 3, 7]])
def test_example_who_held_seven_birds_begins(order: list[int]) -> None:
    match = arranged(
        cards={"a1": "penguin-lava", "b1": "crab-ocean"},
        volcanoes=order,
        takers=[AMANDA, MARCEL],
        turn=LUCAS,
        revealed=["a1"],
    )
    play(match, "b1")
    begins = (AMANDA, MARCEL, LUCAS)[order.index(7)]
    assert match.actors == (begins,)
    assert match.view(None).starter == begins


@pytest.mark.rules("4.2", "4.3", "4.4", "4.7", "5.1", "5.5")
def test_example_round_of_the_rulebook() -> None:
    cards = {
        "a1": "penguin-lava",
        "e3": "penguin-ocean",
        "b2": "crab-jungle",
        "d2": "octopus-jungle",
        "b4": "turtle-ocean",
        "d4": "turtle-beach",
        "a5": "walrus-flowers",
    }
    match = arranged(cards=cards, sides=["north", "east", "south", "west"], first=LUCAS, volcanoes=[3, 7, 1])
    steps = [
        (LUCAS, "a1", ["opens"]),
        (BIANCA, "e3", ["connects"]),
        (AMANDA, "b2", ["fails", "takes_volcano"]),
        (MARCEL, "d2", ["connects"]),
        (LUCAS, "b4", ["fails", "takes_volcano"]),
        (BIANCA, "d4", ["connects", "skipped"]),
        (MARCEL, "a5", ["fails", "takes_volcano", "skipped", "takes_treasure", "begins"]),
    ]
    for seat, place, news in steps:
        assert match.actors == (seat,)
        match.play(seat, place)
        assert kinds(match) == news
    assert match.view(None).treasures == (0, 1, 0, 0)
    assert match.actors == (LUCAS,)
    assert match.view(None).round == 2


# 6. The end


@pytest.mark.rules("6.1", "6.2")
def test_match_ends_with_the_seventh_treasure() -> None:
    match = arranged(
        seats=2,
        round=7,
        first=0,
        winners=[0, 0, 1, 1, 0, 1],
        treasures=[4, 1, 2, 2, 1, 2, 3],
        cards={"a1": "penguin-lava", "b1": "crab-ocean"},
    )
    assert match.view(0).places is None
    play(match, "a1", "b1")
    assert match.over
    assert match.actors == ()
    assert match.scores == (4 + 1 + 1 + 3, 2 + 2 + 2)
    assert match.places == (1, 2)
    assert match.view(None).rubies == (9, 6)
    assert match.view(None).places == (1, 2)
    assert kinds(match)[-4:] == ["match_over", "counts", "counts", "wins"]
    assert match.view(0).prompt.kind == "prompt.over"


@pytest.mark.rules("6.3")
def test_example_amanda_wins_by_treasure_cards() -> None:
    # Bianca 2 + 2, Lucas 4, Amanda 1 + 1 + 2, Marcel 3.
    match = arranged(
        phase="over",
        round=7,
        first=LUCAS,
        turn=MARCEL,
        takers=[LUCAS, BIANCA, AMANDA],
        treasures=[2, 2, 4, 1, 1, 2, 3],
        winners=[BIANCA, BIANCA, LUCAS, AMANDA, AMANDA, AMANDA, MARCEL],
    )
    assert match.over
    assert match.scores == (4, 4, 4, 3)
    assert match.places == (3, 2, 1, 4)


@pytest.mark.rules("6.3")
def test_equal_seats_share_the_place_and_the_next_is_skipped() -> None:
    match = arranged(
        phase="over", round=7, turn=3, takers=[0, 1, 2], treasures=[2, 2, 1, 3, 2, 4, 1], winners=[0, 0, 1, 1, 2, 3, 3]
    )
    assert match.scores == (4, 4, 2, 5)
    assert match.places == (2, 2, 4, 1)


@pytest.mark.rules("6.3")
def test_two_equal_winners_share_the_first_place_and_the_third_is_third() -> None:
    # Seat 0 has 4 + 1 + 1, seat 1 gets 2 + 2 + 2 with the last treasure, seat 2 has 3.
    match = arranged(
        seats=3,
        round=7,
        first=0,
        winners=[0, 0, 0, 1, 1, 2],
        treasures=[4, 1, 1, 2, 2, 3, 2],
        takers=[2],
        revealed=["a1"],
        cards={"a1": "penguin-lava", "b1": "crab-ocean"},
    )
    play(match, "b1")
    assert match.scores == (6, 6, 3)
    assert match.places == (1, 1, 3)
    assert [fact["seat"] for fact in news_of(match, "shares")] == [0, 1]
    assert "wins" not in kinds(match)
