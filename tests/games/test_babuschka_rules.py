"""The rules of Babuschka, one by one as numbered in its RULES.md. Positions are laid out by hand;
dolls not named are home."""

from __future__ import annotations

from typing import Any

import pytest

from samovar import IllegalMove, Match
from samovar.engine.contract import Event
from samovar.games.babuschka import GAME
from samovar.games.babuschka.board import FIELDS

FORWARD_FOUR = ("d8 e8", "h4 h5", "d1 e1", "a4 a5")  # goals by seat

PARKING = {2: ("a3 a4 a5 b3 b2", "h6 h5 h3 g6 g7"), 4: ("c2 f2 b2", "b3 b6 b5", "c7 f7 b7", "g3 g6 g4")}


def parked(seats: int, dolls: dict[str, str]) -> dict[str, str]:
    """The dolls, and as many more medium and large ones out of the way as it takes for the rest to
    be home in order, one large at least."""
    dolls = {name: stack for name, stack in dolls.items() if stack}
    everything = " ".join(dolls.values())
    for seat in range(seats):
        free = (name for name in PARKING[seats][seat].split() if name not in dolls)
        out = {size: everything.count(f"{seat}{size}") for size in "SML"}
        mediums = max(out["S"] - out["M"], 0)
        larges = max(out["M"] + mediums - out["L"], int(out["L"] == 0), 0)
        dolls |= {next(free): f"{seat}{size}" for size in ["M"] * mediums + ["L"] * larges}
    return dolls


def arranged(**position: Any) -> Match:
    return Match.arranged(GAME, plain=True, **position)


def two(dolls: dict[str, str], turn: int = 0) -> Match:
    """Two seats, with dolls parked."""
    return arranged(dolls=parked(2, dolls), turn=turn)


def four(dolls: dict[str, str], turn: int = 0, **position: Any) -> Match:
    """Four seats, with dolls parked."""
    return arranged(seats=4, dolls=parked(4, dolls), turn=turn, **position)


def ends(match: Match, start: str, seat: int | None = None) -> set[str]:
    """Where the doll on a field can go."""
    texts = match.moves(match.actors[0] if seat is None else seat)
    return {text[3:] for text in texts if text.startswith(start)}


def top(match: Match, name: str) -> str | None:
    """The top doll of a field as anybody sees it."""
    return next((f"{doll.seat}{doll.size[0].upper()}" for doll in match.view(None).dolls if doll.field == name), None)


def kinds(match: Match) -> list[str]:
    return [event.kind for event in match.news(None)]


def passes(match: Match) -> list[int]:
    return [dict(event.facts)["seat"] for event in match.news(None) if event.kind == "passes"]  # type: ignore[misc]


# 1. The table


@pytest.mark.rules("1.1")
def test_board_has_52_fields_without_the_corners() -> None:
    rows = ["cdef", "bcdefg", "abcdefgh", "abcdefgh", "abcdefgh", "abcdefgh", "bcdefg", "cdef"]
    assert list(FIELDS) == [f"{column}{number}" for number, columns in enumerate(rows, 1) for column in columns]
    assert len(FIELDS) == 52


@pytest.mark.rules("1.1")
def test_board_ends_at_the_missing_fields() -> None:
    assert ends(two({"a3": "0L"}), "a3") == {"a4", "b4", "b3"}
    assert ends(two({"g6": "0L", "h6": "1L"}), "g6") == {"f7", "g7", "f6"}  # h7 is missing, h6 has a large doll
    # a7, a8, b8 are missing, c7 has a larger doll, c8 is home already
    assert ends(two({"b7": "0S", "c7": "0M", "d7": "0L"}), "b7") == set()
    with pytest.raises(IllegalMove, match="no field a1"):
        Match(GAME, 2, 0, first=0, plain=True).play(0, "c1-a1")


@pytest.mark.rules("1.2", "1.3")
@pytest.mark.parametrize(
    ("seats", "starts"),
    [(2, ["c1 d1 e1 f1", "c8 d8 e8 f8"]), (4, ["d1 e1", "a4 a5", "d8 e8", "h4 h5"])],
)
def test_start_has_a_full_figure_on_every_starting_field(seats: int, starts: list[str]) -> None:
    match = Match(GAME, seats, 0, plain=True)
    for seat, names in enumerate(starts):
        fields = sum(1 << (8 * (int(name[1]) - 1) + "abcdefgh".index(name[0])) for name in names.split())
        assert [match.state.dolls[seat, size] for size in range(3)] == [fields] * 3
        assert match.view(None).chairs[seat].start == tuple(names.split())
        assert match.view(None).chairs[seat].dolls == 24 // seats
    assert all(match.state.dolls[seat, size] == 0 for seat in range(seats, 4) for size in range(3))


@pytest.mark.rules("1.4")
@pytest.mark.parametrize("seats", [2, 4])
def test_goal_fields_are_the_starting_fields_opposite(seats: int) -> None:
    chairs = Match(GAME, seats, 0, plain=True).view(None).chairs
    assert [chair.goal for chair in chairs] == [chairs[(seat + seats // 2) % seats].start for seat in range(seats)]
    assert [chair.facing for chair in chairs] == (
        ["north", "south"] if seats == 2 else ["north", "east", "south", "west"]
    )


@pytest.mark.rules("1.5")
@pytest.mark.parametrize("seats", [2, 4])
def test_first_seat_is_drawn_or_named_and_the_turn_goes_clockwise(seats: int) -> None:
    assert {Match(GAME, seats, seed, plain=True).actors for seed in range(40)} == {(seat,) for seat in range(seats)}
    match = Match(GAME, seats, 5, plain=True, first=1)
    turns = []
    for _ in range(seats + 1):
        turns.append(match.actors[0])
        match.play(turns[-1], match.legal(turns[-1])[1])
    assert turns == [(1 + step) % seats for step in range(seats + 1)]


@pytest.mark.rules("1.5")
def test_chance_decides_nothing_but_who_begins() -> None:
    states = {Match(GAME, 4, seed, plain=True, first=2).state_bytes for seed in range(10)}
    assert len(states) == 1


# 2. Moving a doll


@pytest.mark.rules("2.1")
def test_only_the_top_doll_moves_and_it_moves_alone() -> None:
    match = two({"d4": "0S 1M 0L"})
    match.play(0, "d4-d5")
    assert (top(match, "d4"), top(match, "d5")) == ("1M", "0L")
    match.play(1, "d4-d3")
    assert (top(match, "d4"), top(match, "d3")) == ("0S", "1M")
    assert Event("uncovers", (("other_seat", 0), ("other_size", "small"), ("start", "d4"))) in match.news(None)


@pytest.mark.rules("2.1")
def test_a_doll_of_another_seat_is_not_moved() -> None:
    match = two({"d4": "0L", "f4": "1M"})
    assert {text[:2] for text in match.moves(0)} == {"d4"}


@pytest.mark.rules("2.2", "2.3")
@pytest.mark.parametrize(
    ("seat", "expected"),
    [(0, "c4 e4 c5 d5 e5"), (1, "d3 d5 e3 e4 e5"), (2, "c4 e4 c3 d3 e3"), (3, "d3 d5 c3 c4 c5")],
)
def test_pulling_goes_one_field_in_five_directions(seat: int, expected: str) -> None:
    assert ends(four({"d4": f"{seat}L"}, turn=seat), "d4") == set(expected.split())


@pytest.mark.rules("2.2", "2.3")
def test_pulling_with_two_seats_north_and_south() -> None:
    dolls = {"d4": "0L", "g6": "1L"}
    assert ends(two(dolls), "d4") == {"c4", "e4", "c5", "d5", "e5"}
    assert ends(two(dolls, turn=1), "g6") == {"f6", "h6", "f5", "g5", "h5"}


@pytest.mark.rules("2.4")
@pytest.mark.parametrize(
    ("mover", "covered"),
    [("S", ""), ("M", "S"), ("L", "SM")],
)
@pytest.mark.parametrize("owner", [0, 1])
def test_a_doll_ends_on_smaller_top_dolls_of_any_owner_only(mover: str, covered: str, owner: int) -> None:
    for size in "SML":
        match = two({"d4": f"0{mover}", "d5": f"{owner}{size}"})
        assert ("d5" in ends(match, "d4")) == (size in covered), size


@pytest.mark.rules("2.4")
def test_what_counts_is_the_top_doll_of_a_stack() -> None:
    match = two({"d4": "0M", "c5": "1S", "d5": "0S 1M", "e5": "0L"})
    assert ends(match, "d4") >= {"c5"}
    assert not ends(match, "d4") & {"d5", "e5"}
    match.play(0, "d4-c5")
    assert top(match, "c5") == "0M"
    assert Event(
        "covers", (("seat", 0), ("other_seat", 1), ("size", "medium"), ("other_size", "small"), ("end", "c5"))
    ) in match.news(1)


@pytest.mark.rules("2.5")
def test_a_covered_doll_waits_until_it_is_free() -> None:
    match = two({"d4": "0S 1M", "a3": "0L"})
    assert ends(match, "d4") == set()
    match.play(0, "a3-b3")
    match.play(1, "d4-d3")
    assert "d5" in ends(match, "d4", 0)


# 3. Jumping


@pytest.mark.rules("3.1")
@pytest.mark.parametrize("jumped", ["0L", "1L", "1S 1M 1L", "0M 1L"])
def test_a_doll_of_any_size_jumps_over_any_occupied_neighbour(jumped: str) -> None:
    match = two({"d4": "0S", "d5": jumped})
    before = top(match, "d5")
    assert "d6" in ends(match, "d4")
    match.play(0, "d4-d6")
    assert (top(match, "d5"), top(match, "d6"), top(match, "d4")) == (before, "0S", None)


@pytest.mark.rules("3.1", "2.2")
def test_jumps_go_in_the_five_directions_and_not_over_empty_fields() -> None:
    around = {"c3": "1M", "d3": "1M", "e3": "1S", "c4": "1M", "e4": "1M", "c5": "1L", "d5": "1L", "e5": "1L"}
    match = two({"d4": "0S", **around})
    assert ends(match, "d4") == {"b4", "f4", "b6", "d6", "f6"}  # all neighbours taken: only jumps, none back
    beside = {name: around[name] for name in ("c3", "d3", "e3", "c4", "e4")}
    assert ends(two({"d4": "0S", **beside}), "d4") == {"b4", "f4", "c5", "d5", "e5"}  # nothing ahead to jump over


@pytest.mark.rules("3.2")
def test_a_jump_lands_where_a_pull_could_end() -> None:
    behind = {"b4": "1S", "f4": "1M", "b6": "1L", "d6": "0S"}
    match = two({"d4": "0M", "c4": "1S", "e4": "1L", "c5": "1L", "d5": "0L", **behind})
    assert ends(match, "d4") & set(behind) == {"b4", "d6"}
    match.play(0, "d4-d6")
    assert top(match, "d6") == "0M"


@pytest.mark.rules("3.3")
def test_a_series_may_turn_and_may_stop_after_any_jump() -> None:
    match = two({"d2": "0L", "d3": "1M", "e4": "1S", "g4": "1S"})
    # d2 over d3 to d4, over e4 to f4, over g4 to h4: ahead, right, right.
    assert ends(match, "d2") >= {"d4", "f4", "h4"}
    match.play(0, "d2-h4")
    assert top(match, "h4") == "0L"
    assert all(top(match, name) is not None for name in ("d3", "e4", "g4"))


@pytest.mark.rules("3.3")
def test_no_jump_of_a_series_goes_back() -> None:
    match = two({"d4": "0L", "d5": "1M", "e5": "1S"})
    # d4 over d5 to d6; from there e5 to f4 would lead back.
    assert "d6" in ends(match, "d4")
    assert "f4" not in ends(match, "d4")


@pytest.mark.rules("3.4")
def test_every_landing_of_a_series_must_be_allowed() -> None:
    way = {"d3": "1M", "e4": "1S"}
    assert "f4" in ends(two({"d2": "0M", **way}), "d2")
    assert "f4" not in ends(two({"d2": "0M", "d4": "0L", **way}), "d2")  # d4 has a larger doll now
    covered = two({"d2": "0M", "d4": "1S", **way})
    assert "f4" in ends(covered, "d2")  # over a smaller one it can go on
    covered.play(0, "d2-f4")
    assert top(covered, "d4") == "1S"  # and that one is free again


@pytest.mark.rules("3.5")
def test_a_series_never_ends_where_it_began_and_ways_are_one_move() -> None:
    # From d4 to f6 there are two ways, over d6 and over f4; from f4 the doll could jump back to d4.
    match = two({"d4": "0L", "d5": "1M", "e6": "1S", "e4": "1S", "f5": "1M"})
    texts = match.moves(0)
    assert len(texts) == len(set(texts))
    assert {"d4-d6", "d4-f4", "d4-f6"} <= set(texts)
    assert "d4-d4" not in texts


@pytest.mark.rules("3.5")
def test_the_field_a_doll_left_is_not_jumped_by_itself() -> None:
    """Nothing in a series can use the doll that makes it: alone with empty fields around, there is
    no jump."""
    assert ends(two({"d4": "0L"}), "d4") == {"c4", "e4", "c5", "d5", "e5"}


# 4. Goal fields


@pytest.mark.rules("4.1")
def test_dolls_come_home_in_order_only() -> None:
    match = two({"f7": "0S", "e7": "0M", "g7": "0L"})
    assert {start for start in ("f7", "e7", "g7") if "f8" in ends(match, start)} == {"f7"}
    match.play(0, "f7-f8")
    match.play(1, "h6-h5")
    assert {start for start in ("e7", "g7") if "f8" in ends(match, start)} == {"e7"}
    match.play(0, "e7-f8")
    match.play(1, "h5-h4")
    match.play(0, "g7-f8")
    assert match.over
    assert match.scores == (12, 11)


@pytest.mark.rules("4.1")
@pytest.mark.parametrize(
    ("stack", "allowed"),
    [("", "S"), ("0S", "M"), ("1S", ""), ("0S 1M", ""), ("0S 0M", "L"), ("1S 1M", ""), ("1M", ""), ("0S 0M 1L", "")],
)
def test_a_goal_field_takes_only_the_next_doll_of_its_own_seat(stack: str, allowed: str) -> None:
    """f8 is the goal field that the dolls not named leave free; all of seat 0's other figures are
    home on c8, d8 and e8."""
    out = {"f7": "S", "e7": "M", "g7": "L"}
    dolls = {name: f"0{size}" for name, size in out.items() if f"0{size}" not in stack}
    dolls |= {"f8": stack} if stack else {}
    match = two(dolls)
    assert "".join(size for name, size in out.items() if "f8" in ends(match, name)) == allowed


@pytest.mark.rules("4.1", "3.4")
def test_order_counts_for_jumps_too() -> None:
    match = two({"f6": "0M", "f7": "0S", "e7": "0L"})
    assert "f8" not in ends(match, "f6")
    assert "f8" in ends(match, "f7")


@pytest.mark.rules("4.2")
def test_a_doll_that_is_home_stays() -> None:
    match = two({"a3": "0M", "a4": "0L", "a5": "0L", "a6": "0M", "b3": "0S"})
    # Home are three smalls and two mediums and two larges; f8 is empty, e8 has a small doll alone.
    assert top(match, "e8") == "0S"
    assert {text[:2] for text in match.moves(0)} == {"a3", "a4", "a5", "a6", "b3"}
    match = four({"d8": "0S", "c7": "0S", "b5": "0M 0L", "a3": "0M", "b3": "0L"})
    assert ends(match, "d8") == set()  # neither to c8 nor to the free goal field e8


@pytest.mark.rules("4.3")
def test_a_series_ends_on_an_own_goal_field() -> None:
    dolls = {
        "c6": "0S",
        "c7": "1M",
        "d8": "1L",
        "a3": "0S",
        "a4": "0S",
        "a5": "0S",
        "b3": "0M",
        "b4": "0M",
        "b5": "0M",
        "b6": "0M",
    }
    dolls |= {"f3": "0L", "f4": "0L", "f5": "0L", "f6": "0L"}
    match = arranged(dolls=dolls, turn=0)
    assert ends(match, "c6") >= {"c8"}
    assert "e8" not in ends(match, "c6")  # over d8 from c8: free, but the series has ended


@pytest.mark.rules("4.4")
def test_side_goals_are_closed_with_four_seats() -> None:
    match = four({"b4": "0S", "b3": "0M", "g5": "0L", "b6": "1L", "c6": "1L"})
    assert ends(match, "b4") == {"c4", "b5", "c5"}  # not a4, not a5
    assert not ends(match, "b3") & {"a4"}
    assert not ends(match, "g5") & {"h5"}
    assert "h6" in ends(match, "g5")  # other fields of that edge are free


@pytest.mark.rules("4.4")
def test_side_goals_are_closed_in_the_middle_of_a_series_too() -> None:
    way = {"c3": "0L", "b4": "0S", "b6": "0M"}
    match = four(way)
    assert not ends(match, "c3") & {"a5", "c7"}
    match = two(way)  # with two seats these are ordinary fields
    assert ends(match, "c3") >= {"a5", "c7"}


@pytest.mark.rules("4.4")
@pytest.mark.parametrize("seat", range(4))
def test_side_goals_of_every_seat(seat: int) -> None:
    stands = {0: ("b4", "g4"), 1: ("d2", "d7"), 2: ("b5", "g5"), 3: ("e2", "e7")}
    others = {name: f"{other}L" for other, name in enumerate(("c3", "c6", "f6", "f3")) if other != seat}
    match = four({stands[seat][0]: f"{seat}L", stands[seat][1]: f"{seat}L", **others}, turn=seat)
    closed = {name for k in (1, 3) for name in FORWARD_FOUR[(seat + k) % 4].split()}
    reached = ends(match, stands[seat][0]) | ends(match, stands[seat][1])
    assert not reached & closed
    assert len(reached) == 6  # ten pulls, four of them onto closed fields


@pytest.mark.rules("4.5")
def test_a_home_doll_can_be_covered_and_stays_home() -> None:
    match = four({"d8": "0S", "c7": "0S", "b5": "0M 0L", "a3": "0M", "b3": "0L", "c8": "2M", "c3": "2L"}, turn=2)
    assert "d8" in ends(match, "c8")  # its own starting field
    match.play(2, "c8-d8")
    assert match.scores[0] == 1
    assert top(match, "d8") == "2M"
    match.play(3, match.legal(3)[0])
    assert "d8" not in ends(match, "c7", 0)


# 5. Passing

# Seat 0's large doll on b7 cannot go on: c8 is full, c7 and d7 have large dolls. Its other dolls
# are home.
STUCK = {"b7": "0L", "c7": "1L", "d7": "1L", "h6": "1L"}


@pytest.mark.rules("5.1")
def test_a_seat_that_cannot_move_is_passed_over_until_it_can() -> None:
    match = two(STUCK, turn=1)
    match.play(1, "h6-h5")
    assert match.actors == (1,)
    assert passes(match) == [0]
    match.play(1, "h5-h4")
    assert passes(match) == [0]
    match.play(1, "d7-e6")  # now b7 can jump to d7
    assert match.actors == (0,)
    assert passes(match) == []
    assert match.moves(0) == ["b7-d7"]


@pytest.mark.rules("5.1")
def test_a_seat_that_can_move_must() -> None:
    match = two(STUCK, turn=1)
    match.play(1, "c7-b6")
    assert match.actors == (0,)
    assert match.moves(0) == ["b7-c7"]  # its only move; there is no pass among the moves


# 6. The end


@pytest.mark.rules("6.1")
def test_the_first_seat_that_is_home_wins_and_two_seats_are_done() -> None:
    match = two({"f7": "0L", "c2": "1L"})
    match.play(0, "f7-f8")
    assert match.over
    assert match.places == (1, 2)
    assert match.scores == (12, 11)
    assert kinds(match) == ["moves", "covers", "comes_home", "finishes", "is_last"]
    assert match.view(None).end == "decided"


@pytest.mark.rules("6.1")
def test_no_win_before_the_last_doll_is_home() -> None:
    match = two({"f7": "0L", "e7": "0L", "c3": "1L"})
    match.play(0, "f7-f8")
    assert not match.over
    assert match.places == (1, 2)  # as if it ended now
    assert match.view(0).chairs[0].place is None


@pytest.mark.rules("6.2")
def test_four_seats_play_on_for_the_places() -> None:
    match = four({"e7": "0L", "g5": "1L", "e2": "2L", "b4": "3L"})
    match.play(0, "e7-e8")
    assert match.places[0] == 1
    match.play(1, "g5-g4")
    match.play(2, "e2-e1")
    match.play(3, "b4-b3")
    assert match.actors == (1,)  # seat 0 has finished: passed over, which is no pass
    assert passes(match) == []
    match.play(1, "g4-h5")
    assert match.over
    assert match.places == (1, 3, 2, 4)
    assert [event for event in match.news(2) if event.kind in ("finishes", "is_last")] == [
        Event("finishes", (("seat", 1), ("place", "place.3"))),
        Event("is_last", (("seat", 3), ("place", "place.4"))),
    ]
    assert [chair.place for chair in match.view(None).chairs] == [1, 3, 2, 4]


# With four seats: all of a figure on the last field before the goal fields, with nothing of the
# order it would need.
DEAD_ENDS = {"c8": "0S 0M 0L", "h3": "1S 1M 1L", "c1": "2S 2M 2L", "a3": "3S 3M 3L"}


@pytest.mark.rules("6.3", "5.1")
def test_the_match_ends_when_all_have_to_pass_in_turn() -> None:
    match = four({**DEAD_ENDS, "c8": "0S 0M", "c7": "0L"})
    match.play(0, "c7-b7")
    assert passes(match) == [1, 2, 3]
    assert match.actors == (0,)
    match.play(0, "b7-c8")
    assert match.over
    assert passes(match) == [1, 2, 3, 0]
    assert kinds(match)[-5:] == ["ends_blocked", "is_placed", "is_placed", "is_placed", "is_placed"]
    assert match.view(1).end == "blocked"
    assert match.places == (1, 1, 1, 1)


@pytest.mark.rules("6.3")
def test_finished_seats_do_not_count_for_a_blocked_end() -> None:
    match = four({**{name: stack for name, stack in DEAD_ENDS.items() if name != "c8"}, "e7": "0L"})
    match.play(0, "e7-e8")
    assert match.over
    assert passes(match) == [1, 2, 3]
    assert match.view(None).end == "blocked"
    assert match.places == (1, 2, 2, 2)


@pytest.mark.rules("6.4")
def test_patience_ends_after_quiet_moves_in_a_row() -> None:
    dolls = parked(2, {"d4": "0L", "d6": "1L"})
    match = arranged(dolls=dolls, turn=0, patience=2)
    for seat, text in [(0, "d4-c4"), (1, "d6-c6"), (0, "c4-d4")]:
        match.play(seat, text)
        assert not match.over
    match.play(1, "c6-d6")  # the fourth: 2 for each of two seats
    assert match.over
    assert match.view(None).end == "patience"
    assert "ends_patience" in kinds(match)
    assert match.places == (1, 2)  # both have 11 home; seat 0 has four rows to go, seat 1 five
    assert match.scores == (11, 11)


@pytest.mark.rules("6.4")
@pytest.mark.parametrize("text", ["d4-d5", "d4-e5", "d4-c5", "d4-d6"])
def test_coming_nearer_starts_the_count_anew(text: str) -> None:
    match = arranged(
        dolls=parked(2, {"d4": "0L", "d5": "1M", "a6": "1L"} if text == "d4-d6" else {"d4": "0L"}), turn=0, quiet=79
    )
    match.play(0, text)
    assert not match.over
    assert match.state.quiet == 0


@pytest.mark.rules("6.4")
def test_a_sideways_jump_is_quiet() -> None:
    match = arranged(dolls=parked(2, {"d4": "0L", "e4": "1L"}), turn=0, quiet=78)
    match.play(0, "d4-f4")
    assert match.state.quiet == 79
    assert not match.over


@pytest.mark.rules("6.4")
def test_coming_home_sideways_starts_the_count_anew() -> None:
    """Four seats: f8 lies in the goal row of seat 0, so going to e8 is no row nearer, but home."""
    match = four({"f8": "0S", "c7": "0M", "b7": "0L"}, quiet=159)
    match.play(0, "f8-e8")
    assert not match.over
    assert match.state.quiet == 0


@pytest.mark.rules("6.4", "6.2")
def test_a_finish_counts_before_patience() -> None:
    match = four({"f8": "0L"}, quiet=159)
    match.play(0, "f8-e8")
    assert not match.over
    assert match.view(None).chairs[0].place == 1
    assert match.state.quiet == 0
    assert match.view(None).quiet_limit == 120  # three seats are left


@pytest.mark.rules("6.4")
def test_the_limit_counts_the_seats_that_still_play() -> None:
    match = four({"d4": "1L", "d5": "2L", "e5": "3L", "e8": "0L"}, turn=1, finished=[0], quiet=118, patience=40)
    match.play(1, "d4-d3")
    assert not match.over
    match.play(2, "d5-c5")
    assert match.over
    assert match.view(None).end == "patience"


@pytest.mark.rules("6.4")
def test_a_pass_is_no_move() -> None:
    match = arranged(dolls=STUCK, turn=1, patience=2)
    for count, text in enumerate(["h6-g6", "g6-h6", "h6-g6"], 1):
        match.play(1, text)
        assert passes(match) == [0]
        assert match.state.quiet == count
    match.play(1, "g6-h6")
    assert match.view(None).end == "patience"


@pytest.mark.rules("6.5")
def test_places_of_the_rest_by_dolls_home_then_rows() -> None:
    assert two({"d4": "0L", "d5": "1L", "e5": "1L"}).places == (1, 2)  # 11 against 10 home, 4 against 8 rows
    assert two({"d2": "0L", "c2": "1L", "f2": "1L"}).places == (1, 2)  # 11 against 10 home outweighs 6 against 2 rows
    assert two({"d4": "0L", "d6": "1L"}).places == (1, 2)  # 11 each, 4 against 5 rows
    assert two({"d4": "0L", "e4": "1L"}).places == (2, 1)  # 4 against 3 rows


@pytest.mark.rules("6.5")
def test_covered_dolls_count_for_rows_and_for_home() -> None:
    # Both have 10 home. Seat 0: medium and large; seat 1 the same, its medium one under a large
    # doll of seat 0.
    match = two({"d5": "1M 0L", "e4": "1L", "e5": "0M"})
    assert match.scores == (10, 10)
    assert match.places == (1, 2)  # rows: 3 + 3 against 4 + 3
    match = two({"d4": "1M 0L", "e3": "1L", "e5": "0M"})
    assert match.places == (2, 1)  # rows: 4 + 3 against 3 + 2
    match = four({"d8": "0S 2M", "c7": "0S", "b5": "0M 0L", "a3": "0M", "b3": "0L"}, turn=1)
    assert match.scores[0] == 1


@pytest.mark.rules("6.6")
def test_equal_seats_share_the_better_place() -> None:
    assert two({"d4": "0L", "d5": "1L"}).places == (1, 1)
    match = four({"d4": "0L", "d5": "1L", "e3": "2L", "f4": "3L"})
    # Rows to go: 4, 4, 2, 5.
    assert match.places == (2, 2, 1, 4)


@pytest.mark.rules("6.7")
def test_points_are_dolls_home() -> None:
    assert Match(GAME, 2, 0, plain=True).scores == (0, 0)
    assert two({"d4": "0S", "e4": "0M", "f4": "0L", "c5": "1L"}).scores == (9, 11)
    match = two({"f7": "0S", "d6": "0M", "e5": "0L"})
    match.play(0, "f7-f8")
    assert match.scores == (10, 11)
    assert Event(
        "comes_home", (("seat", 0), ("size", "small"), ("end", "f8"), ("home", 10), ("dolls", 12))
    ) in match.news(None)


# 7. What is known


@pytest.mark.rules("7.1")
def test_a_view_does_not_depend_on_what_is_covered() -> None:
    one = two({"d4": "0S 1M 0L", "e4": "1S 0M 1L", "f5": "0M", "g5": "1M"})
    other = two({"d4": "1S 0M 0L", "e4": "0S 1M 1L", "f5": "0M", "g5": "1M"})
    assert one.state_bytes != other.state_bytes
    for seat in (0, 1, None):
        assert one.view(seat) == other.view(seat)
        assert GAME.draw(one.view(seat), GAME.words["en"]) == GAME.draw(other.view(seat), GAME.words["en"])
    for match in (one, other):
        shown = " ".join(doll.field for doll in match.view(0).dolls)
        assert shown == "c1 d1 e1 a3 d4 e4 f5 g5 h6 c8 d8 e8"  # a3 and h6 are parked
    one.play(0, "d4-d5")
    other.play(0, "d4-d5")
    assert (top(one, "d4"), top(other, "d4")) == ("1M", "0M")


@pytest.mark.rules("7.2")
def test_an_observation_shows_covered_dolls() -> None:
    one = two({"d4": "0S 1M 0L", "e4": "1S 0M 1L"})
    other = two({"d4": "1S 0M 0L", "e4": "0S 1M 1L"})
    for seat in (0, 1):
        assert one.observation(seat).tolist() != other.observation(seat).tolist()


@pytest.mark.rules("7.2")
@pytest.mark.parametrize("seats", [2, 4])
def test_nothing_is_drawn_anew_for_a_perfect_memory(seats: int) -> None:
    match = Match(GAME, seats, 3, plain=True)
    match.play_random(3, 60)
    for seat in range(seats):
        assert match.imagine(seat, 11).state_bytes == match.state_bytes
