"""Matryoshka, rule by rule."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import Any

import numpy as np
import pytest

from samovar.engine.match import Match
from samovar.errors import BadPosition, IllegalMove
from samovar.games.matryoshka import GAME
from samovar.games.matryoshka.moves import card_text
from support import oracle_matryoshka as oracle

SEATS = (3, 4, 5)


def new(seats: int = 3, seed: int = 1, **options: Any) -> Match:
    return Match(GAME, seats, seed, plain=True, **options)


def arranged(**position: Any) -> Match:
    return Match.arranged(GAME, plain=True, **position)


def cards(match: Match, seat: int) -> list[str]:
    return [card_text(match.state.cards[seat, i]) for i in range(14) if match.state.cards[seat, i] >= 0]


def display(match: Match, seat: int) -> tuple[str, ...]:
    return match.view(None).seats[seat].display


def hand(match: Match, seat: int) -> tuple[str, ...]:
    return match.view(seat).hand


def deck(match: Match) -> list[int]:
    return [match.state.deck[place] for place in range(70)]


def show_first(match: Match) -> None:
    """All seats lay the first display on their list."""
    for seat in match.actors:
        match.play(seat, match.legal(seat)[0])


def trade(match: Match, partner: int | None = None) -> tuple[int, int]:
    """One exchange of first hand cards; the active seat and its partner."""
    (active,) = match.actors
    match.play(active, match.legal(active)[0])
    for seat in match.actors:
        match.play(seat, match.legal(seat)[0])
    chosen = (active + 1) % match.seats if partner is None else partner
    match.play(active, f"take {chosen}")
    return active, chosen


def final(displays: Iterable[str], seats: int = 3, **options: Any) -> Match:
    return arranged(seats=seats, round=4, phase="over", displays=list(displays), **options)


# 1. Cards and seats


@pytest.mark.rules("1.1", "1.2")
@pytest.mark.parametrize("seats", SEATS)
def test_deck_two_sets_a_seat_of_the_first_colours(seats: int) -> None:
    places = deck(new(seats))
    assert sorted(places[: 14 * seats]) == list(range(14 * seats))
    assert set(places[14 * seats :]) <= {-1}
    assert card_text(14 * seats - 1) == f"{'ABCDEFGHIJ'[2 * seats - 1]}7"


@pytest.mark.rules("1.3", "4.1")
def test_exchange_goes_left_and_wraps_round() -> None:
    match = new(4, first=2)
    show_first(match)
    assert [trade(match)[0] for _ in range(4)] == [2, 3, 0, 1]


@pytest.mark.rules("1.4")
def test_first_is_random_or_the_option() -> None:
    assert {new(4, seed).view(None).starting for seed in range(40)} == {0, 1, 2, 3}
    assert all(new(4, seed, first=2).view(None).starting == 2 for seed in range(5))
    assert deck(new(4, 7)) == deck(new(4, 7, first=3))


@pytest.mark.rules("1.5")
def test_chance_is_over_after_the_deal() -> None:
    one, other = new(5, 9), new(5, 9)
    order = deck(one)
    while not one.over:
        seat = one.actors[-1]
        move = one.legal(seat)[-1]
        one.play(seat, move)
        other.play(seat, move)
        assert deck(one) == order
    assert one.state_bytes == other.state_bytes


# 2. Set-up


@pytest.mark.rules("2.1")
@pytest.mark.parametrize("seats", SEATS)
def test_setup_six_cards_each_from_the_starting_seat_on(seats: int) -> None:
    match = new(seats, first=1)
    for turn in range(seats):
        drawn = sorted(deck(match)[6 * turn : 6 * turn + 6])
        assert cards(match, (1 + turn) % seats) == [card_text(card) for card in drawn]
    assert match.view(0).deck_count == 8 * seats


@pytest.mark.rules("2.2")
def test_setup_two_of_six_chosen_in_secret_in_any_order() -> None:
    match = new(3, 4)
    assert match.actors == (0, 1, 2)
    assert len(match.legal(0)) == 15
    before = match.view(1)
    match.play(0, match.legal(0)[3])
    after = match.view(1)
    assert match.actors == (1, 2)
    assert [seat.has_committed for seat in after.seats] == [True, False, False]
    assert [seat.display for seat in after.seats] == [seat.display for seat in before.seats] == [(), (), ()]
    assert after.chosen == ()
    assert len(match.view(0).chosen) == 2
    ends = set()
    for order in ((0, 1, 2), (2, 1, 0), (1, 2, 0)):
        other = new(3, 4)
        for seat in order:
            other.play(seat, other.legal(seat)[seat + 2])
        ends.add(other.state_bytes)
    assert len(ends) == 1


@pytest.mark.rules("2.3")
def test_setup_last_choice_reveals_all() -> None:
    match = new(3, 4)
    chosen = []
    for seat in range(3):
        assert all(display(match, other) == () for other in range(3))
        chosen.append(match.move_text(seat, match.legal(seat)[seat]))
        match.play(seat, match.legal(seat)[seat])
    assert ["show " + " ".join(display(match, seat)) for seat in range(3)] == chosen


# 3. A round


@pytest.mark.rules("3.1")
@pytest.mark.parametrize("seats", SEATS)
def test_rounds_four_of_draw_exchange_display(seats: int) -> None:
    match = new(seats)
    phases = []
    while not match.over:
        view = match.view(None)
        if not phases or phases[-1] != (view.round, view.phase):
            phases.append((view.round, view.phase))
        seat = match.actors[0]
        match.play(seat, match.legal(seat)[0])
    expected = [(0, "display")]
    for number in range(1, 5):
        expected += [(number, phase) for _ in range(seats) for phase in ("put", "offer", "take")] + [
            (number, "display")
        ]
    assert phases == expected
    assert len(match.history) == GAME.max_length(seats, {})


@pytest.mark.rules("3.2")
@pytest.mark.parametrize("seats", SEATS)
def test_draw_two_each_from_the_starting_seat_of_the_round(seats: int) -> None:
    match = new(seats, first=1)
    order = deck(match)
    for number in range(1, 5):
        before = [set(cards(match, seat)) for seat in range(seats)]
        show_first(match)
        for turn in range(seats):
            seat = (1 + number - 1 + turn) % seats
            place = (4 + 2 * number) * seats + 2 * turn
            assert set(cards(match, seat)) - before[seat] == {card_text(card) for card in order[place : place + 2]}
        for _ in range(seats):
            trade(match)
    assert match.view(None).deck_count == 0


@pytest.mark.rules("3.3")
def test_starting_seat_moves_left_after_each_round() -> None:
    match = new(3, first=2)
    starting = []
    show_first(match)
    while not match.over:
        assert match.view(None).starting == match.actors[0]
        starting.append(match.actors[0])
        for _ in range(3):
            trade(match)
        show_first(match)
    assert starting == [2, 0, 1, 2]


@pytest.mark.rules("3.4")
def test_nobody_is_passed_over() -> None:
    match = new(4, 5)
    asked = [0] * 4
    while not match.over:
        for seat in match.actors:
            assert len(match.legal(seat)) > 1
        seat = match.actors[0]
        asked[seat] += 1
        match.play(seat, match.legal(seat)[0])
    # Five displays, four times active (put up and take), offers in the other twelve exchanges.
    assert asked == [5 + 4 * 2 + 12] * 4


# 4. Exchange


@pytest.mark.rules("4.2", "4.4")
def test_put_up_only_hand_cards() -> None:
    match = new(3, 8, first=0)
    show_first(match)
    assert match.actors == (0,)
    assert match.moves(0) == [f"put {card}" for card in hand(match, 0)]
    assert len(hand(match, 0)) == 6
    with pytest.raises(IllegalMove):
        match.play(0, f"put {display(match, 0)[0]}")
    match.play(0, "put " + hand(match, 0)[2])
    assert match.view(None).put_up == hand(match, 0)[2]


@pytest.mark.rules("4.3", "4.4")
def test_offers_one_hand_card_each_in_any_order() -> None:
    ends = set()
    for order in ((1, 2, 3), (3, 1, 2)):
        match = new(4, 8, first=0)
        show_first(match)
        match.play(0, match.legal(0)[0])
        assert match.actors == (1, 2, 3)
        for seat in order:
            assert match.moves(seat) == [f"offer {card}" for card in hand(match, seat)]
            with pytest.raises(IllegalMove):
                match.play(seat, f"offer {display(match, seat)[0]}")
            match.play(seat, match.legal(seat)[seat])
            assert seat not in match.actors
        assert match.actors == (0,)
        ends.add(match.state_bytes)
    assert len(ends) == 1


@pytest.mark.rules("4.4")
@pytest.mark.parametrize("seats", SEATS)
def test_every_hand_has_six_cards_in_every_exchange(seats: int) -> None:
    match = new(seats)
    while not match.over:
        if match.view(None).phase != "display":
            assert all(len(hand(match, seat)) == 6 for seat in range(seats))
        seat = match.actors[0]
        match.play(seat, match.legal(seat)[-1])


@pytest.mark.rules("4.5", "4.6")
def test_take_swaps_two_cards_and_nothing_else() -> None:
    match = arranged(
        seats=4, draws=["A1 A2 A3 A4 A5 A6", "B1 B2 B3 B4 B5 B6", "C1 C2 C3 C4 C5 C6", "D1 D2 D3 D4 D5 D6"]
    )
    for seat, letter in enumerate("ABCD"):
        match.play(seat, f"show {letter}1 {letter}2")
    match.play(0, "put A5")
    for seat, letter in ((1, "B"), (2, "C"), (3, "D")):
        match.play(seat, f"offer {letter}4")
    before = [set(cards(match, seat)) for seat in range(4)]
    # Up to now every card is still its owner's.
    assert all({f"{letter}{value}" for value in range(1, 7)} <= before[seat] for seat, letter in enumerate("ABCD"))
    assert match.moves(0) == ["take 1", "take 2", "take 3"]
    match.play(0, "take 2")
    assert set(cards(match, 0)) == before[0] - {"A5"} | {"C4"}
    assert set(cards(match, 2)) == before[2] - {"C4"} | {"A5"}
    assert set(cards(match, 1)) == before[1]
    assert set(cards(match, 3)) == before[3]
    assert "C4" in hand(match, 0)
    assert "A5" in hand(match, 2)


def example_of_the_rulebook() -> Match:
    """Anna 0, Bert 1, Chris 2, Dave 3: Dave brings a doll of value 2 and trades with Chris."""
    names = ["A1 A2 A3 A4 A5 A6", "B1 B2 B3 B4 B5 B6", "C1 C2 C3 C4 C5 C6", "D1 D2 D3 D4 D5 D6"]
    match = arranged(seats=4, first=3, draws=names)
    for seat, letter in enumerate("ABCD"):
        match.play(seat, f"show {letter}5 {letter}6")
    match.play(3, "put D2")
    match.play(0, "offer A3")
    match.play(1, "offer B3")
    match.play(2, "offer C3")
    return match


@pytest.mark.rules("4.7")
def test_example_dave_sees_all_offers_the_others_their_own() -> None:
    match = example_of_the_rulebook()
    seen = [[seat.offer for seat in match.view(viewer).seats] for viewer in range(4)]
    assert seen == [
        ["A3", None, None, "D2"],
        [None, "B3", None, "D2"],
        [None, None, "C3", "D2"],
        ["A3", "B3", "C3", "D2"],
    ]
    assert [seat.offer for seat in match.view(None).seats] == [None, None, None, "D2"]


@pytest.mark.rules("4.5", "4.7")
def test_example_dave_trades_with_chris_unseen_by_anna_and_bert() -> None:
    match = example_of_the_rulebook()
    match.play(3, "take 2")
    assert "D2" in hand(match, 2)
    assert "C3" in hand(match, 3)
    assert "A3" in hand(match, 0)
    assert "B3" in hand(match, 1)
    news = {viewer: [(event.kind, dict(event.facts)) for event in match.news(viewer)] for viewer in (0, 1, 2, 3, None)}
    trades = ("trades", {"seat": 3, "other_seat": 2, "card": "D2"})
    assert news[0] == news[1] == news[None] == [trades]
    assert news[2] == news[3] == [trades, ("gets", {"seat": 3, "other_seat": 2, "card": "C3"})]


@pytest.mark.rules("4.7", "7.1")
def test_example_what_anna_and_dave_can_know_later() -> None:
    match = example_of_the_rulebook()
    match.play(3, "take 2")
    # Dave remembers the offers he declined, in every world he can imagine; Anna does not know
    # Chris' card, Chris knows it.
    number = {text: (ord(text[0]) - 65) * 7 + int(text[1]) - 1 for text in ("A3", "B3", "C3", "D2")}
    place = {viewer: {text: match.observation(viewer)[number[text]] for text in number} for viewer in range(4)}
    sure = {viewer: {text: match.observation(viewer)[70 + number[text]] for text in number} for viewer in range(4)}
    assert place[3] == {"A3": 1, "B3": 2, "C3": 0, "D2": 3}
    assert set(sure[3].values()) == {2}
    assert place[0] == {"A3": 0, "B3": -1, "C3": -1, "D2": 2}
    assert place[2] == {"A3": -1, "B3": -1, "C3": 1, "D2": 0}
    for seed in range(5):
        world = match.imagine(3, seed)
        assert "A3" in cards(world, 0)
        assert "B3" in cards(world, 1)
    assert len({tuple(cards(match.imagine(0, seed), 3)) for seed in range(8)}) > 1


@pytest.mark.rules("4.8")
def test_talk_is_no_move() -> None:
    """M9: players talk, the program does not hear it."""
    match = new(3)
    show_first(match)
    with pytest.raises(IllegalMove):
        match.play(match.actors[0], "please take mine")
    assert {text.split()[0] for text in match.moves(match.actors[0])} == {"put"}


# 5. Display


@pytest.mark.rules("5.1", "5.2")
@pytest.mark.parametrize("seats", SEATS)
def test_display_any_of_all_own_cards_of_the_size_of_the_round(seats: int) -> None:
    match = new(seats)
    for size, choices in ((2, 15), (4, 70), (6, 210), (8, 495), (13, 14)):
        moves = match.legal(0)
        assert len(moves) == choices
        assert moves == sorted(moves)
        assert all(bin(move).count("1") == size for move in moves)
        old = set(display(match, 0))
        assert old <= set(cards(match, 0))
        # The last one on the list leaves the lowest cards out, whether they lay in the old display
        # or not.
        own = cards(match, 0)
        for seat in range(seats):
            match.play(seat, match.legal(seat)[-1])
        assert display(match, 0) == tuple(own[-size:])
        if not match.over:
            for _ in range(seats):
                trade(match)


@pytest.mark.rules("5.3")
def test_display_chosen_in_secret_and_revealed_together() -> None:
    match = arranged(seats=3, round=2, phase="display", displays=["A1 A2 A3 A4"], hands=["B1 B2 B3 B4 B5 B6"])
    lying = [display(match, seat) for seat in range(3)]
    match.play(0, "show A1 A2 B1 B2 B3 B4")
    match.play(2, match.legal(2)[0])
    assert [display(match, seat) for seat in range(3)] == lying
    assert match.view(1).seats[0].has_committed
    assert match.news(1)[0].kind == "chooses"
    match.play(1, match.legal(1)[0])
    assert display(match, 0) == ("A1", "A2", "B1", "B2", "B3", "B4")
    assert [len(display(match, seat)) for seat in range(3)] == [6, 6, 6]


# 6. End and points


@pytest.mark.rules("6.1")
def test_end_thirteen_cards_score_and_the_last_stays_hidden() -> None:
    """M9: the fourteenth card is neither scored nor shown."""
    match = new(3, 3)
    match.play_random(3)
    assert match.over
    assert match.actors == ()
    for seat in range(3):
        assert len(display(match, seat)) == 13
        assert len(hand(match, seat)) == 1
        assert match.scores[seat] == oracle.score(oracle.cards_of(" ".join(display(match, seat))))
        other = (seat + 1) % 3
        assert hand(match, seat)[0] not in str(match.view(other).seats)
    assert [event.kind for event in match.news(0)][3] == "over"


def columns_match(count: int, **options: Any) -> Match:
    """Seat 0 shows `count` cards of value 1 in different colours, and otherwise cards that score
    nothing but these."""
    ones = [f"{letter}1" for letter in "ABCDEFGHIJ"[:count]]
    rest = [f"{'ABCDEFGHIJ'[i]}{value}" for i, value in enumerate((3, 5, 7, 4, 6, 3, 5, 7, 4, 6, 3, 5, 7)) if i < 10][
        : 13 - count
    ]
    extra = ["A5", "B7", "C3"][: 13 - count - len(rest)]
    return final([" ".join(ones + rest + extra)], seats=5, **options)


def column_points(match: Match) -> int:
    shown = oracle.cards_of(" ".join(display(match, 0)))
    return match.scores[0] - oracle.score([card for card in shown if card[1] != 1])


@pytest.mark.rules("6.2")
@pytest.mark.parametrize(("count", "points"), [(1, 0), (2, 2), (3, 4), (4, 7), (5, 10), (6, 13), (7, 16)])
def test_column_points(count: int, points: int) -> None:
    assert column_points(columns_match(count)) == points


@pytest.mark.rules("6.3")
@pytest.mark.parametrize(("count", "points"), [(8, 19), (9, 22), (10, 25)])
def test_long_columns_extend_or_cap(count: int, points: int) -> None:
    assert column_points(columns_match(count)) == points
    assert column_points(columns_match(count, long_columns="cap")) == 16
    dealt = Match(GAME, 5, 1, plain=True, long_columns="cap")
    assert dealt.view(0).long_columns == "cap"
    assert dealt.observation(0)[-1] == 1


@pytest.mark.rules("6.9")
@pytest.mark.parametrize("growth", range(1, 6))
def test_growth_changes_what_dolls_add_from_the_fourth_on(growth: int) -> None:
    """A column of so many, and the same number of dolls in a run, which has its bonus besides."""
    for count in range(2, 11):
        more = columns_match(count, growth=growth).scores[0] - columns_match(count).scores[0]
        assert more == (growth - 3) * max(count - 3, 0)
    run = "A1 A2 A3 A4 A5 A6 A7 B1 C2 D3 E4 F5 G6"  # besides it pairs, which stay what they are
    assert final([run], seats=5, growth=growth).scores[0] == 19 + 4 * (growth - 3) + 6 * 2


@pytest.mark.rules("6.9")
def test_growth_is_seen_and_the_rulebook_s_leaves_no_trace() -> None:
    """Records from before there was this option replay, and networks from before fit."""
    dealt = Match(GAME, 5, 1, plain=True, growth=5, long_columns="cap")
    assert (dealt.view(0).growth, dealt.view(0).long_columns, dealt.observation(0)[-1]) == (5, "cap", 1)
    assert not dealt.faults
    usual = Match(GAME, 5, 1, plain=True, growth=3)
    assert usual.view(0).growth == 3
    assert usual.states["scoring"][0] == 0
    for state in (-5, 6):
        usual.states["scoring"][0] = state
        assert usual.faults


def row_points(text: str) -> int:
    """Points of some cards of colours A and B, whose columns score nothing, in a display filled up
    by single dolls."""
    match = final([text], seats=5)
    shown = oracle.cards_of(" ".join(display(match, 0)))
    columns = [value for _, value in shown]
    return match.scores[0] - sum(oracle.table_points(columns.count(value)) for value in range(1, 8))


@pytest.mark.rules("6.4", "6.5")
@pytest.mark.parametrize(
    ("row", "points"),
    [
        ("A1 A2", 2),
        ("A1 A2 A3", 4),
        ("A1 A2 A3 A4", 7),
        ("A1 A2 A3 A4 A5", 11),
        ("A2 A3 A4 A5 A6 A7", 15),
        ("A1 A2 A3 A4 A5 A6 A7", 19),
        ("A1 A2 A4 A5 A6", 6),
        ("A1 A3 A5 A7", 0),
        ("A6 A7 B1 B2", 4),
    ],
)
def test_row_runs_and_bonus(row: str, points: int) -> None:
    singles = ["C1", "D3", "E5", "F7", "G2", "H4", "I6", "J1", "C3", "D5", "E7", "F2"]
    count = len(row.split())
    assert row_points(" ".join([row, *singles[: 13 - count]])) == points


@pytest.mark.rules("6.5")
def test_bonus_is_not_for_columns() -> None:
    match = columns_match(7)
    assert column_points(match) == 16


@pytest.mark.rules("6.6")
def test_tie_longest_run_then_next() -> None:
    # Random displays that tie on points and differ in their runs.
    rng = np.random.default_rng(5)
    by_score: dict[int, list[tuple[list[int], str]]] = {}
    checked = 0
    while checked < 8:
        picked = rng.permutation(42)[:13]
        text = " ".join(card_text(int(card)) for card in sorted(picked))
        shown = oracle.cards_of(text)
        for runs, other in by_score.setdefault(oracle.score(shown), []):
            if runs != oracle.runs_of(shown) and not set(other.split()) & set(text.split()):
                match = final([text, other])
                assert match.scores[0] == match.scores[1]
                assert (match.places[0] < match.places[1]) == (oracle.runs_of(shown) > runs)
                checked += 1
                break
        by_score[oracle.score(shown)].append((oracle.runs_of(shown), text))


@pytest.mark.rules("6.7")
def test_tie_to_the_end_is_shared_and_the_next_place_left_out() -> None:
    values = {"{0}1 {0}2 {0}3 {0}4 {0}5 {0}6 {0}7 {1}1 {1}2 {1}3 {1}4 {1}5 {1}6": ("AB", "CD")}
    (pattern, letters), *_ = values.items()
    texts = [pattern.format(*pair) for pair in letters]
    match = final([*texts, "E1 E2 E3 E4 E5 E6 E7 F1 F2 F3 F4 F5 F7"])
    assert match.scores[0] == match.scores[1] > match.scores[2]
    assert match.places == (1, 1, 3)
    assert [event.kind for event in match.news(None)][-2:] == ["shares", "shares"]


def displays_of_the_example() -> list[str]:
    """M10: three rows with runs 2; 2 and 3; 5, and columns of 1, 2, 3, 2, 2, 2, 1 cards."""
    rows = [[value for value in range(1, 8) if (mask >> value) & 1] for mask in range(0, 256, 2)]
    wanted = [[2], [3, 2], [5]]
    fitting = [[row for row in rows if oracle.runs_of(("A", value) for value in row) == runs] for runs in wanted]
    displays = []
    for three in product(*fitting):
        if [sum(value in row for row in three) for value in range(1, 8)] == [1, 2, 3, 2, 2, 2, 1]:
            displays.append(
                " ".join(f"{letter}{value}" for letter, row in zip("ABC", three, strict=True) for value in row)
            )
    return displays


@pytest.mark.rules("6.8")
def test_example_of_the_rulebook_scores_31() -> None:
    displays = displays_of_the_example()
    assert len(displays) == 4
    for text in displays:
        match = final([text])
        assert match.scores[0] == 31
        assert display(match, 0) == tuple(sorted(text.split()))


# The oracle


@pytest.mark.rules("6.2", "6.3", "6.4", "6.5", "6.6", "6.7")
@pytest.mark.parametrize("seats", SEATS)
@pytest.mark.parametrize("long_columns", ["extend", "cap"])
@pytest.mark.slow
def test_oracle_agrees_on_random_displays(seats: int, long_columns: str) -> None:
    """Displays written into a state directly, drawn from few colours and few values, so that ties
    and long columns come up."""
    from samovar.engine.ways.plain import plain_state

    state: Any = plain_state(np.zeros(1, GAME.state))
    state.seats, state.scoring = seats, ["extend", "cap"].index(long_columns)
    rng = np.random.default_rng(seats)
    ties = shared = 0
    for _ in range(400):
        displays = []
        width = int(rng.integers(2, 8))
        for seat in range(seats):
            pool = [colour * 7 + value for colour in range(2 * seats) for value in range(width)]
            size = int(rng.choice([2, 4, 6, 8, 13]))
            own = sorted(int(card) for card in rng.choice(pool, min(14, len(pool)), replace=False))
            mask = sum(1 << int(i) for i in rng.choice(len(own), min(size, len(own)), replace=False))
            state.shown[seat] = mask
            for i in range(14):
                state.cards[seat, i] = own[i] if i < len(own) else -1
            displays.append(oracle.cards_of(" ".join(card_text(card) for i, card in enumerate(own) if (mask >> i) & 1)))
        points, ranks = [0] * seats, [0] * seats
        GAME.scores(state, points)
        GAME.places(state, ranks)
        assert points == [oracle.score(shown, long_columns) for shown in displays]
        assert ranks == oracle.places(displays, long_columns)
        ties += len(set(points)) < seats
        shared += len(set(ranks)) < seats
    assert ties > 20
    assert shared > 3
    assert ties > shared


# Arranging


@pytest.mark.parametrize(
    ("position", "said"),
    [
        ({"seats": 2}, "3 or 4 or 5"),
        ({"first": 3}, "seat from 0 to 2"),
        ({"long_columns": "none"}, "extend"),
        ({"growth": 6}, "1 to 5"),
        ({"growth": "3"}, "Expected `int`, got `str` - at `.[.]growth`"),
        ({"deck": "A1 A1"}, "twice"),
        ({"deck": "G1"}, "not in play"),
        ({"deck": "A9"}, "no card"),
        ({"deck": "A1", "draws": ["A2"]}, "either"),
        ({"draws": ["A1"] * 4}, "by seat"),
        ({"round": 2}, "hands and displays"),
        ({"hands": ["A1"], "round": 5}, "1 to 4"),
        ({"hands": ["A1"], "deck": "A1", "round": 1}, "not both"),
        ({"hands": ["A1 A2 A3 A4 A5 A6 A7"], "round": 1}, "there are 6"),
        ({"moves": [[0, "show A1 A2"], [0, "show A1 A2"]]}, "may not act"),
        ({"moves": [[0, "show A1"]]}, "may not play"),
        ({"moves": ["show A1"]}, "Expected `array`, got `str` - at `.[.]moves"),
        ({"moves": [[0]]}, "pair"),
    ],
)
def test_arrange_refuses_what_cannot_be(position: dict[str, Any], said: str) -> None:
    with pytest.raises(BadPosition, match=said):
        GAME.lay_out(**position)


@pytest.mark.parametrize("seats", SEATS)
@pytest.mark.parametrize(
    ("number", "phase"), [(1, "put"), (2, "display"), (3, "put"), (4, "put"), (4, "display"), (4, "over")]
)
def test_arrange_the_middle_of_a_match(seats: int, number: int, phase: str) -> None:
    size = {("over", 4): 13}.get((phase, number), (2, 4, 6, 8)[number - 1])
    lying = " ".join([f"A{value}" for value in range(1, 8)] + [f"B{value}" for value in range(1, 7)]).split()[:size]
    match = arranged(
        seats=seats, first=seats - 1, round=number, phase=phase, displays=["", " ".join(lying)], hands=["C7", "C6"]
    )
    assert match.faults == ()
    assert match.view(None).phase == phase
    assert match.view(None).round == number
    assert display(match, 1) == tuple(sorted(lying))
    assert "C7" in hand(match, 0)
    assert "C6" in hand(match, 1)
    match.play_random(1)
    assert match.over
    assert match.faults == ()
