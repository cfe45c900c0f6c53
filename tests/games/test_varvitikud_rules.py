"""Värvitikud: the rules one by one, by positions laid out by hand. The numbers are those of
RULES.md."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from samovar.engine.match import Match
from samovar.errors import IllegalMove
from samovar.games.varvitikud import GAME
from samovar.games.varvitikud.deck import COLOUR_NAMES, DECK
from support.oracle_varvitikud import fits, line_of, placements

# Around (1, 0), which is empty: card 34 (blue, red, orange, red) fits there and connects four
# edges.
RING = [[0, 0, 0], [9, 0, 1], [23, 1, 1], [13, 2, 1], [25, 2, 0], [43, 2, -1], [31, 1, -1]]
# Next to card 0 (red, red, purple, red) alone none of these fits.
MISFITS = [2, 3, 4, 6, 7, 10, 13, 15, 16, 26]


def arranged(**position: Any) -> Match:
    return Match.arranged(GAME, plain=True, **position)


def ring(size: int, **position: Any) -> Match:
    """Seat 0 can place card 34 at (1, 0), where it touches `size` cards."""
    field = {1: RING[:1], 2: RING[:3], 3: RING[:5], 4: RING}[size]
    return arranged(field=field, hands=[[34, 2, 3, 4], [6, 7, 10, 12]], **position)


def kinds(match: Match) -> list[str]:
    return [event.kind for event in match.news(None)]


def news_of(match: Match) -> list[tuple[str, dict[str, Any]]]:
    return [(event.kind, dict(event.facts)) for event in match.news(None)]


def sticks(match: Match, seat: int) -> dict[str, int]:
    return {name: count for name, count in zip(COLOUR_NAMES, match.view(None).sticks[seat], strict=True) if count}


# 1 and 2: what there is, setting up


@pytest.mark.rules("1.2", "2.1", "2.2", "2.3")
@pytest.mark.parametrize(("seats", "hand"), [(2, 4), (3, 3), (4, 3)])
def test_set_up(seats: int, hand: int) -> None:
    view = Match(GAME, seats, 11, plain=True).view(None)
    assert view.reserve == (8,) * 6
    assert view.hand_sizes == (hand,) * seats
    assert view.pile_size == 53 - seats * hand
    assert [(card.x, card.y, card.turned) for card in view.field] == [(0, 0, False)]


@pytest.mark.rules("2.3")
def test_deal_decides_all_chance() -> None:
    first, again = (Match(GAME, 3, 5, plain=True) for _ in range(2))
    for match in (first, again):
        match.play_random(8)
    assert first.state_bytes == again.state_bytes
    decks = {tuple(Match(GAME, 2, seed, plain=True).state.pile[i] for i in range(45)) for seed in range(20)}
    assert len(decks) == 20


@pytest.mark.rules("2.4")
def test_starting_seat_is_drawn_or_named() -> None:
    drawn = [Match(GAME, 4, seed, plain=True).actors[0] for seed in range(60)]
    assert set(drawn) == {0, 1, 2, 3}
    assert all(
        Match(GAME, 4, seed, plain=True, first=2).state.passed
        or Match(GAME, 4, seed, plain=True, first=2).actors == (2,)
        for seed in range(30)
    )


@pytest.mark.rules("1.3")
def test_turns_go_to_the_next_higher_seat() -> None:
    match = Match(GAME, 3, 4, plain=True, first=1)
    turns = [match.actors[0]]
    for seed in range(12):
        match.play_random(seed, 1)
        if match.state.phase == 0 and not match.state.passed and kinds(match)[0] != "swaps":
            turns.append(match.actors[0])
    assert turns[:4] == [1, 2, 0, 1]


# 3: a turn


@pytest.mark.rules("3.1", "7.1")
def test_turn_places_takes_swaps_draws() -> None:
    match = ring(
        2,
        sticks=[{}, {"green": 1}],
        pile=[5, *(card for card in range(54) if card not in {0, 9, 23, 34, 2, 3, 4, 6, 7, 10, 12, 5})],
    )
    match.play(0, "34@1,0")
    assert kinds(match) == ["places", "takes", "takes"]
    assert match.view(0).hand_sizes == (3, 4)  # not filled up before the swap
    match.play(0, "red>1:green")
    assert kinds(match) == ["swaps", "draws"]
    assert [card.card for card in match.view(0).hand] == [2, 3, 4, 5]
    assert match.actors == (1,)


@pytest.mark.rules("7.1")
def test_empty_pile_gives_no_card() -> None:
    row = line_of(46)
    left = [card for card in range(54) if card not in row]
    match = arranged(field=[[card, x, 0] for x, card in enumerate(row)], hands=[left[:4], left[4:]], pile=[])
    match.play_random(0, 1)
    assert match.view(None).hand_sizes == (3, 4)
    assert "draws" not in kinds(match)


@pytest.mark.rules("3.2")
def test_seat_that_can_play_must_play() -> None:
    match = arranged(field=[[0, 0, 0]], hands=[[9, 2, 3, 4], [6, 7, 10, 1]])
    assert match.moves(0) == ["9@0,1", "9@1,0", "9@-1,0"]


@pytest.mark.rules("3.2", "8.1")
def test_seat_must_play_even_if_that_ends_the_match() -> None:
    match = arranged(field=[[3, 0, 0]], hands=[[6, 0, 1, 5], [2, 4, 7, 10]], sticks=[{}, {"green": 8}])
    assert match.moves(0) == ["6@0,1", "6@1,0", "6@-1,0"]  # no way to wait
    match.play(0, "6@1,0")
    assert match.over


@pytest.mark.rules("3.3")
def test_seats_without_a_fitting_card_skip_and_draw_nothing() -> None:
    match = arranged(seats=3, field=[[0, 0, 0]], hands=[[2, 3, 4], [6, 7, 10], [9, 13, 15]])
    assert match.actors == (2,)
    assert news_of(match) == [("skips", {"seat": 0}), ("skips", {"seat": 1})]
    assert match.view(None).hand_sizes == (3, 3, 3)
    assert match.view(None).pile_size == 44


@pytest.mark.rules("3.3")
def test_skip_in_the_middle_of_a_match_is_told_after_the_move() -> None:
    match = arranged(seats=3, field=[[0, 0, 0]], hands=[[9, 12, 18], [2, 3, 7], [14, 10, 13]])
    match.play(0, "9@0,1")
    assert news_of(match)[-1] == ("skips", {"seat": 1})
    assert match.actors == (2,)
    assert match.view(None).hand_sizes == (3, 3, 3)


# 4: placing


@pytest.mark.rules("4.1", "4.2")
def test_placement_needs_a_neighbour_of_the_same_colour() -> None:
    match = arranged(field=[[0, 0, 0]], hands=[[9, 1, 5, 2], [3, 4, 6, 7]])
    # 9 is green, red, red, red; 1 orange, orange, red, orange; 5 purple, purple, blue, purple; 2
    # has nothing.
    assert match.moves(0) == ["1@0,1", "5@0,-1", "9@0,1", "9@1,0", "9@-1,0"]
    for text in ("9@1,1", "9@0,0", "9@5,5"):  # at a corner, on a card, far away
        with pytest.raises(IllegalMove, match="not an empty place next to a card"):
            match.play(0, text)
    with pytest.raises(IllegalMove, match="may not play '9@0,-1'"):
        match.play(0, "9@0,-1")


@pytest.mark.rules("4.2")
def test_all_touching_edges_must_agree() -> None:
    # (1, 0) has 0 in the west (red) and 23 in the north (blue). 14 and 38 have red in the west, but
    # yellow in the north.
    match = arranged(field=RING[:3], hands=[[34, 14, 46, 38], [2, 3, 4, 6]])
    assert {move for move in match.moves(0) if move.endswith("@1,0")} == {"34@1,0", "46@1,0"}


@pytest.mark.rules("4.1")
def test_diagonal_neighbours_do_not_count() -> None:
    field = {(0, 0): ("red", "red", "red", "red")}
    assert not fits(field, 9, False, 1, 1)
    assert "9@1,1" not in arranged(field=[[0, 0, 0]], hands=[[9, 1, 5, 2], [3, 4, 6, 7]]).moves(0)


@pytest.mark.rules("4.3")
def test_half_turn_is_a_switch() -> None:
    position = {"field": [[0, 0, 0]], "hands": [[6, 2, 3, 9], [4, 7, 10, 13]]}
    # 6 is red, green, green, green: half turned it is green, green, red, green.
    assert not any(move.startswith("6") for move in arranged(**position).moves(0))
    match = arranged(half_turn=True, **position)
    assert {move for move in match.moves(0) if move.startswith("6")} == {"6'@0,1"}
    match.play(0, "6'@0,1")
    lying = next(card for card in match.view(None).field if card.card == 6)
    assert lying.turned
    assert lying.edges == ("green", "green", "red", "green")
    assert kinds(match)[0] == "places_turned"
    assert Match(GAME, 2, 0, plain=True).options["half_turn"] is False


@pytest.mark.rules("4.4", "8.4", "8.1")
def test_line_of_fifty_cards_is_the_longest_match() -> None:
    row = line_of(50)
    deck = [*row[1:9:2], *row[2:9:2], row[0], *row[9:]]
    match = arranged(deck=deck)
    for x, card in enumerate(row[1:], 1):
        assert not match.over
        match.play(match.actors[0], f"{card}@{x},0")
        assert match.faults == ()
    assert match.over
    assert match.state.placements == 49
    assert len(match.history) == 49
    view = match.view(None)
    assert view.ending == "missing_stick"
    assert max(card.x for card in view.field) == 49
    drawn = GAME.draw(view, GAME.words["en"])
    assert all(len(line) <= 80 for line in drawn.split("\n"))
    assert all(f"{card:2}" in drawn for card in row)


@pytest.mark.rules("4.4")
@pytest.mark.parametrize("direction", [(0, 1), (0, -1), (-1, 0)])
def test_field_has_no_border_on_other_sides(direction: tuple[int, int]) -> None:
    """A column or row of as many cards as a search without looking back finds."""
    side = ((0, 1), (1, 0), (0, -1), (-1, 0)).index(direction)
    row = [0]
    while True:
        following = [
            card for card in range(54) if card not in row and DECK[card][(side + 2) % 4] == DECK[row[-1]][side]
        ]
        if not following:
            break
        row.append(following[0])
    row = row[:45]
    left = [card for card in range(54) if card not in row]
    field = [[card, direction[0] * k, direction[1] * k] for k, card in enumerate(row[:40])]
    match = arranged(field=field, hands=[[row[40], *left[:3]], [*left[3:7]]])
    match.play(0, f"{row[40]}@{40 * direction[0]},{40 * direction[1]}")
    assert match.faults == ()


# 5 and 6: sticks and swaps


@pytest.mark.rules("5.1")
@pytest.mark.parametrize(
    ("size", "won"), [(2, {"blue": 1, "red": 1}), (3, {"blue": 1, "red": 2}), (4, {"blue": 1, "red": 2, "orange": 1})]
)
def test_every_connected_edge_wins_a_stick(size: int, won: dict[str, int]) -> None:
    match = ring(size)
    match.play(0, "34@1,0")
    assert sticks(match, 0) == won
    reserve = dict(zip(COLOUR_NAMES, match.view(None).reserve, strict=True))
    assert all(reserve[name] == 8 - won.get(name, 0) for name in COLOUR_NAMES)


@pytest.mark.rules("5.1")
def test_one_connected_edge_wins_one_stick_and_no_swap() -> None:
    match = arranged(field=[[0, 0, 0]], hands=[[9, 2, 3, 4], [1, 5, 6, 7]], sticks=[{}, {"green": 2}])
    match.play(0, "9@1,0")
    assert sticks(match, 0) == {"red": 1}
    assert match.actors == (1,)


@pytest.mark.rules("5.2", "8.1")
def test_sticks_are_taken_edge_by_edge_and_the_missing_one_is_missed() -> None:
    """One red stick is left: the east edge gets it, the west edge does not; blue and orange are
    still taken."""
    match = ring(4, sticks=[{}, {"red": 7}])
    match.play(0, "34@1,0")
    assert sticks(match, 0) == {"blue": 1, "red": 1, "orange": 1}
    taken = [(kind, facts["colour"]) for kind, facts in news_of(match)[1:]]
    assert taken == [("takes", "blue"), ("takes", "red"), ("takes", "orange"), ("misses", "red")]


@pytest.mark.rules("6.1")
@pytest.mark.parametrize("size", [2, 3, 4])
def test_swaps_are_one_fewer_than_connected_edges(size: int) -> None:
    match = ring(size, sticks=[{}, {"green": 5}])
    match.play(0, "34@1,0")
    assert match.view(0).swaps_left == size - 1
    for left in range(size - 2, -1, -1):
        assert match.actors == (0,)
        match.play(0, next(move for move in match.moves(0) if move.endswith(">1:green") or ">1:" in move))
        assert match.view(0).swaps_left == left
    assert match.actors == (1,)


@pytest.mark.rules("6.1", "8.1")
def test_missing_sticks_count_for_swaps() -> None:
    match = ring(3, sticks=[{"green": 1}, {"red": 8, "blue": 8}])
    match.play(0, "34@1,0")
    assert sticks(match, 0) == {"green": 1}
    assert match.view(0).swaps_left == 2
    match.play(0, "green>1:blue")
    match.play(0, "blue>1:red")
    assert match.over
    assert sticks(match, 0) == {"red": 1}
    assert match.view(None).hand_sizes == (3, 4)
    assert kinds(match) == ["swaps", "ends_missing", "wins"]


@pytest.mark.rules("6.2")
def test_swap_gives_one_stick_for_another_colour() -> None:
    match = ring(2, sticks=[{"purple": 1}, {"green": 2, "red": 1}])
    match.play(0, "34@1,0")
    assert match.moves(0) == ["red>1:green", "blue>1:red", "blue>1:green", "purple>1:red", "purple>1:green", "stop"]
    match.play(0, "purple>1:green")
    assert sticks(match, 0) == {"blue": 1, "red": 1, "green": 1}
    assert sticks(match, 1) == {"green": 1, "red": 1, "purple": 1}


@pytest.mark.rules("6.3")
def test_swaps_follow_one_another_with_any_opponent() -> None:
    position = {
        "field": RING[:5],
        "hands": [[34, 2, 3], [4, 6, 7], [10, 12, 14]],
        "sticks": [{}, {"green": 1}, {"yellow": 1}],
    }
    match = arranged(seats=3, **position)
    match.play(0, "34@1,0")
    match.play(0, "blue>1:green")  # won in this turn
    match.play(0, "green>2:yellow")  # swapped in just now
    assert sticks(match, 0) == {"red": 2, "yellow": 1}
    assert sticks(match, 1) == {"blue": 1}
    assert sticks(match, 2) == {"green": 1}


@pytest.mark.rules("6.4")
def test_stop_ends_the_swaps() -> None:
    match = ring(4, sticks=[{}, {"green": 5}])
    match.play(0, "34@1,0")
    match.play(0, "red>1:green")
    match.play(0, "stop")
    assert match.actors == (1,)
    assert match.view(None).swaps_left == 0
    assert kinds(match) == ["stops", "draws"]
    assert sticks(match, 0) == {"blue": 1, "red": 1, "orange": 1, "green": 1}


@pytest.mark.rules("6.5")
def test_nobody_is_asked_for_an_impossible_swap() -> None:
    match = ring(2)
    match.play(0, "34@1,0")
    assert match.actors == (1,)
    assert match.view(0).swaps_left == 0


@pytest.mark.rules("6.5")
def test_swap_within_one_colour_is_none() -> None:
    """Two edges of one colour are connected, and the opponent has sticks of that colour only."""
    field, hand, cell = _corner_of_one_colour()
    colour = DECK[hand][0]
    match = arranged(
        field=field,
        hands=[[hand, *_others(field, hand)[:3]], _others(field, hand)[3:7]],
        sticks=[{}, {COLOUR_NAMES[colour]: 1}],
    )
    match.play(0, f"{hand}@{cell[0]},{cell[1]}")
    assert sticks(match, 0) == {COLOUR_NAMES[colour]: 2}
    assert match.view(0).phase == "place"


def _others(field: list[list[int]], hand: int) -> list[int]:
    """Cards for hands; the last ones, that fit in most places, first."""
    used = {card for card, *_ in field} | {hand}
    return [card for card in reversed(range(54)) if card not in used]


def _corner_of_one_colour() -> tuple[list[list[int]], int, tuple[int, int]]:
    """A field of three cards around an inner corner where a card connects two edges of one
    colour."""
    for hand in range(54):
        north, _, _, west = DECK[hand]
        if north != west:
            continue
        for start in range(54):
            for above in range(54):
                for corner in range(54):
                    if len({hand, start, above, corner}) < 4 or DECK[start][1] != west or DECK[corner][2] != north:
                        continue
                    if DECK[above][2] == DECK[start][0] and DECK[above][1] == DECK[corner][3]:
                        return [[start, 0, 0], [above, 0, 1], [corner, 1, 1]], hand, (1, 0)
    raise AssertionError("the deck has no such corner")


# 8: the end


@pytest.mark.rules("8.1", "8.2")
def test_example_of_emma_and_jack() -> None:
    """Emma takes the last green stick, and it goes on; later Jack connects a green match, finds no
    stick, and it is over."""
    emma, jack = 0, 1
    match = arranged(field=[[3, 0, 0]], hands=[[6, 0, 1, 2], [15, 4, 5, 7]], sticks=[{"green": 4}, {"green": 3}])
    match.play(emma, "6@1,0")
    assert sticks(match, emma) == {"green": 5}
    assert match.view(None).reserve[3] == 0
    assert not match.over
    match.play(jack, "15@0,1")
    assert match.over
    assert sticks(match, jack) == {"green": 3}
    assert kinds(match)[:3] == ["places", "misses", "ends_missing"]
    assert match.view(None).hand_sizes == (4, 3)  # Jack draws no card


@pytest.mark.rules("8.1")
def test_swaps_come_before_the_end() -> None:
    match = ring(2, sticks=[{}, {"blue": 8}])
    match.play(0, "34@1,0")
    assert not match.over
    assert match.view(0).ending == "missing_stick"
    assert "red>1:blue" in match.moves(0)
    match.play(0, "stop")
    assert match.over


@pytest.mark.rules("8.3")
def test_dead_start_ends_the_match_at_once() -> None:
    match = arranged(seats=3, turn=1, field=[[0, 0, 0]], hands=[MISFITS[:3], MISFITS[3:6], MISFITS[6:9]])
    assert match.over
    assert kinds(match) == ["skips", "skips", "skips", "ends_stuck", "shares", "shares", "shares"]
    assert [facts["seat"] for kind, facts in news_of(match) if kind == "skips"] == [1, 2, 0]
    assert match.view(None).pile_size == 44
    assert match.places == (1, 1, 1)


@pytest.mark.rules("8.3")
def test_match_ends_when_nobody_can_place_after_a_move() -> None:
    placed = {(0, 0): DECK[0], (0, 1): DECK[9]}
    names = {cell: tuple(COLOUR_NAMES[colour] for colour in edges) for cell, edges in placed.items()}
    dead = [card for card in range(54) if card not in (0, 9) and not placements(names, [card], False)]
    start_dead = [card for card in dead if not placements({(0, 0): names[0, 0]}, [card], False)]
    assert len(start_dead) >= 8
    pile = [start_dead[7], *(card for card in range(54) if card not in {0, 9, *start_dead[:8]})]
    match = arranged(field=[[0, 0, 0]], hands=[[9, *start_dead[:3]], start_dead[3:7]], pile=pile)
    match.play(0, "9@0,1")
    assert match.over
    assert kinds(match) == ["places", "takes", "draws", "skips", "skips", "ends_stuck", "wins"]
    assert [facts["seat"] for kind, facts in news_of(match) if kind == "skips"] == [1, 0]
    assert match.faults == ()


@pytest.mark.rules("8.4")
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_matches_stay_within_the_maximum_length(seats: int) -> None:
    for seed in range(12):
        match = Match(GAME, seats, seed, plain=True)
        match.play_random(seed)
        assert len(match.history) <= GAME.max_length(seats, {}) == 52
        assert match.state.placements <= 49


# 9: points


@pytest.mark.rules("9.1", "9.2")
def test_example_of_emmas_25_points() -> None:
    match = arranged(field=[[0, 0, 0]], hands=[[9, 2, 3, 4], [1, 5, 6, 7]], sticks=[[3, 1, 1, 2, 1, 1]])
    assert match.scores == (25, 0)


@pytest.mark.rules("9.2")
@pytest.mark.parametrize(("size", "points"), [(1, 1), (2, 3), (3, 6), (4, 10), (5, 15), (6, 21)])
def test_set_points(size: int, points: int) -> None:
    match = arranged(field=[[0, 0, 0]], hands=[[9, 2, 3, 4], [1, 5, 6, 7]], sticks=[[1] * size + [0] * (6 - size)])
    assert match.scores[0] == points


@pytest.mark.rules("9.1")
def test_colour_is_never_twice_in_a_set() -> None:
    match = arranged(
        field=[[0, 0, 0]], hands=[[9, 2, 3, 4], [1, 5, 6, 7]], sticks=[[8, 0, 0, 0, 0, 0], [0, 8, 8, 8, 8, 8]]
    )
    assert match.scores == (8, 8 * 15)


@pytest.mark.rules("9.3")
@pytest.mark.parametrize(
    ("held", "places"),
    [
        ([2, 1, 0, 0], (1, 2, 3, 3)),
        ([1, 1, 1, 1], (1, 1, 1, 1)),
        ([0, 3, 3, 1], (4, 1, 1, 3)),
        ([0, 1, 2, 3], (4, 3, 2, 1)),
    ],
)
def test_places_are_shared(held: list[int], places: tuple[int, ...]) -> None:
    hands = [[9, 2, 3], [1, 5, 6], [4, 7, 8], [10, 11, 12]]
    match = arranged(
        seats=4,
        field=[[0, 0, 0]],
        hands=hands,
        sticks=[[0, 0, 0, count, 0, 0] if count < 3 else [1, 1, 0, 0, 0, 0] for count in held],
    )
    assert match.places == places


# 10: what is known


@pytest.mark.rules("10.1")
def test_open_things_are_in_everybodys_view() -> None:
    match = Match(GAME, 3, 8, plain=True)
    match.play_random(8, 12)
    views = [match.view(seat) for seat in (None, 0, 1, 2)]
    for name in ("field", "reserve", "sticks", "hand_sizes", "pile_size", "scores", "news", "turn", "phase"):
        assert all(getattr(view, name) == getattr(views[0], name) for view in views), name
    assert len(views[0].field) == 54 - views[0].pile_size - sum(views[0].hand_sizes)


@pytest.mark.rules("10.2")
def test_hands_and_pile_are_secret() -> None:
    """Two deals that differ only in hidden cards look the same."""
    hands = [[9, 2, 3, 4], [1, 5, 6, 7]]
    one = arranged(field=[[0, 0, 0]], hands=hands)
    other_pile = [card for card in reversed(range(54)) if card not in {0, 2, 3, 4, 9, 10, 11, 12, 14}]
    two = arranged(field=[[0, 0, 0]], hands=[hands[0], [10, 11, 12, 14]], pile=other_pile)
    assert one.view(0) == two.view(0)
    assert one.view(None) == two.view(None)
    assert np.array_equal(one.observation(0), two.observation(0))
    assert one.view(1) != two.view(1)
    assert one.view(None).hand == ()
