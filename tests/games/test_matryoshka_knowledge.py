"""What a seat knows in Matryoshka: worlds that fit, vary, come up as often as they should, and
never show the truth."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from samovar.engine.match import Match
from samovar.engine.ways.backend import backend
from samovar.engine.ways.plain import plain_state
from samovar.games.matryoshka import GAME
from samovar.games.matryoshka.state import State
from support import oracle_matryoshka as oracle

SEATS = (3, 4, 5)


def numbers(value: int, count: int) -> np.ndarray[Any, Any]:
    return np.full(count, value, np.int64)


def worlds(match: Match, seat: int, count: int, seed: int = 0) -> np.ndarray[Any, Any]:
    """Compiled: `count` worlds that fit what the seat knows."""
    states = np.repeat(match.states, count)
    backend(GAME, False).determinize(states, numbers(seat, count), np.arange(seed, seed + count, dtype=np.int64))
    return states


def played(seats: int, seed: int, moves: int, **options: Any) -> Match:
    match = Match(GAME, seats, seed, plain=False, **options)
    match.play_random(seed, moves)
    return match


def test_state_has_no_holes_and_fits() -> None:
    layout = State.dtype
    assert layout.itemsize == sum(layout[name].itemsize for name in layout.names or ()) <= 512


@pytest.mark.parametrize("seats", SEATS)
@pytest.mark.parametrize("long_columns", ["extend", "cap"])
def test_plain_and_compiled_give_the_same_bytes(seats: int, long_columns: str) -> None:
    setup = GAME.setup(seats, GAME.check_options(seats, {"long_columns": long_columns}))
    seeds = np.arange(2, dtype=np.int64) + seats
    observers = seeds % seats
    results = []
    for plain in (True, False):
        ready = backend(GAME, plain)
        states, played = np.zeros(2, State), np.zeros(2, np.int64)
        ready.deal(states, setup, seeds)
        taken = [states.tobytes()]
        for _ in range(4):
            ready.play_random(states, seeds, played, GAME.max_length(seats, {}) // 4)
            imagined = np.frombuffer(bytearray(states.tobytes()), State)
            ready.determinize(imagined, observers, seeds)
            rows = np.zeros((2, GAME.observation_size), np.int8)
            points, ranks = np.zeros((2, 2, seats), np.int64)
            ready.observe(imagined, observers, rows)
            assert not any(GAME.faults_in(imagined))
            ready.scores(states, points, ranks)
            taken += [
                states.tobytes(),
                imagined.tobytes(),
                rows.tobytes(),
                points.tobytes(),
                ranks.tobytes(),
            ]
        results.append(taken)
    assert results[0] == results[1]


@pytest.mark.rules("7.1", "4.7")
@pytest.mark.parametrize("seats", SEATS)
def test_worlds_fit_all_that_was_seen(seats: int) -> None:
    """Same view, news, moves and observation for the observer; a sound world with a past of its own
    for everybody else."""
    match = Match(GAME, seats, seats, plain=False)
    turn = 0
    while True:
        observer = turn % seats
        (state,) = worlds(match, observer, 1, turn)
        imagined = match.imagine(observer, turn)
        assert imagined.state_bytes == state.tobytes()
        assert imagined.faults == ()
        assert imagined.view(observer) == match.view(observer)
        assert imagined.actors == match.actors
        assert imagined.legal(observer) == match.legal(observer)
        assert (imagined.observation(observer) == match.observation(observer)).all()
        assert imagined.view(None) == match.view(None)
        # Another seat of that world can imagine in its turn.
        other = imagined.imagine((observer + 1) % seats, turn)
        assert other.faults == ()
        if match.over:
            break
        match.play_random(turn, 3)
        turn += 1


@pytest.mark.rules("7.1")
@pytest.mark.parametrize("seats", SEATS)
def test_worlds_do_not_depend_on_the_truth(seats: int) -> None:
    """What one cannot tell apart gives the same draws, byte for byte."""
    length = GAME.max_length(seats, {})
    for moves in range(0, length + 1, 7):
        match = played(seats, moves, moves)
        observer = moves % seats
        one, another = (match.imagine(observer, seed) for seed in (1, 2))
        for seed in range(2):
            expected = match.imagine(observer, seed).state_bytes
            assert one.imagine(observer, seed).state_bytes == expected
            assert another.imagine(observer, seed).state_bytes == expected


@pytest.mark.parametrize("seats", SEATS)
def test_worlds_vary_in_hands_deck_offers_and_choices(seats: int) -> None:
    match = played(seats, 5, seats)
    (active,) = match.actors
    match.play(active, match.legal(active)[0])
    offering, observer = match.actors[:2]
    match.play(offering, match.legal(offering)[0])
    drawn = worlds(match, observer, 60)
    assert len({row.tobytes() for row in drawn["cards"][:, active]}) > 50
    assert len({int(row[-1]) for row in drawn["deck"][:, : 14 * seats]}) > 10
    assert len(set(drawn["offers"][:, 0, offering].tolist())) > 10
    start = Match(GAME, seats, 3, plain=False)
    chosen = start.legal(1)[4]
    start.play(1, chosen)
    assert len(set(worlds(start, 0, 400)["pending"][:, 1].tolist())) == 15
    assert set(worlds(start, 1, 20)["pending"][:, 1].tolist()) == {chosen}


# Seats and moves made; matches are taken in which the observer can imagine several ways the match
# has gone.
CASES = [(3, 15), (3, 25), (3, 33), (3, 48), (4, 45), (4, 52), (4, 76), (5, 40), (5, 58), (5, 75)]


def uncertain_match(seats: int, moves: int) -> tuple[Match, int, dict[oracle.Belief, int]]:
    """One with a card that went unseen, by more than one way, from where it was seen to where it
    was seen next."""
    for seed in range(200):
        match = played(seats, seed, moves)
        expected = oracle.posterior(match.state, seed % seats)
        by_place: dict[oracle.World, set[frozenset[int | None]]] = {}
        for belief in expected:
            by_place.setdefault(belief.known, set()).add(frozenset(belief.gifts))
        if 4 <= len(expected) <= 400 and (moves < 30 or any(len(ways) > 1 for ways in by_place.values())):
            return match, seed % seats, expected
    raise AssertionError("no such match")


def beliefs(match: Match, observer: int, count: int) -> Counter[oracle.Belief]:
    """What the oracle tells apart, read from imagined worlds."""
    seen = {card: oracle.first_seen(match.state, observer, card) for card in range(14 * match.seats)}
    known = {card for card, time in seen.items() if time < oracle.NEVER}
    hidden = oracle.hidden_exchanges(match.state, observer)
    counts: Counter[oracle.Belief] = Counter()
    for world in worlds(match, observer, count):
        held = world["cards"].tolist()
        places = tuple(
            frozenset(held[seat]) & known if seat != observer else frozenset() for seat in range(match.seats)
        )
        gifts = [(int(world["offers"][time, giver]), time) for time, giver in hidden]
        counts[oracle.Belief(places, tuple(card if seen[card] <= time else None for card, time in gifts))] += 1
    return counts


@pytest.mark.parametrize(("seats", "moves"), CASES)
@pytest.mark.slow
def test_worlds_come_up_as_often_as_histories_lead_to_them(seats: int, moves: int) -> None:
    """Against an enumeration of all histories: where the cards are that the observer has seen at
    other seats, and which went unseen when."""
    draws = 20000
    match, observer, expected = uncertain_match(seats, moves)
    total = sum(expected.values())
    counts = beliefs(match, observer, draws)
    assert set(counts) <= set(expected)
    # Chi-square; rare worlds are put together. Five standard deviations above its mean is far
    # beyond chance.
    cells = [(draws * count / total, counts[world]) for world, count in expected.items()]
    rare = [cell for cell in cells if cell[0] < 5]
    cells = [cell for cell in cells if cell[0] >= 5] + (
        [(sum(e for e, _ in rare), sum(f for _, f in rare))] if rare else []
    )
    freedom = max(len(cells) - 1, 1)
    distance = sum((got - mean) ** 2 / mean for mean, got in cells)
    assert distance < freedom + 5 * (2 * freedom) ** 0.5


def test_unseen_cards_are_spread_evenly() -> None:
    """Right after the deal every card that the observer has not drawn is equally likely at every
    place of the deck."""
    match = Match(GAME, 3, 1, plain=False)
    own = set(match.states["cards"][0, 0].tolist())
    decks = worlds(match, 0, 6000)["deck"][:, :42]
    places = [place for place in range(42) if decks[0, place] not in own]
    for place in places:
        counts = np.bincount(decks[:, place], minlength=42)
        unseen = [counts[card] for card in range(42) if card not in own]
        assert len(unseen) == 36
        assert max(abs(count - 6000 / 36) for count in unseen) < 6 * (6000 / 36) ** 0.5


def test_hidden_offer_is_any_of_six_hand_cards() -> None:
    match = Match.arranged(GAME, plain=False, seats=3, draws=["", "B1 B2 B3 B4 B5 B6"])
    match.play(0, match.legal(0)[0])
    match.play(1, "show B1 B2")
    match.play(2, match.legal(2)[0])
    match.play(0, match.legal(0)[0])
    match.play(1, "offer B3")
    imagined = worlds(match, 2, 3000)
    places = Counter()
    for state in imagined:
        hand = [card for card in state["cards"][1].tolist() if card >= 0 and card not in (7, 8)]
        assert len(hand) == 6
        places[hand.index(int(state["offers"][0, 1]))] += 1
    assert set(places) == set(range(6))
    assert all(abs(count - 500) < 110 for count in places.values())


def test_declined_offers_are_remembered_by_the_active_seat_alone() -> None:
    match = Match.arranged(
        GAME, plain=False, seats=3, draws=["A1 A2 A3 A4 A5 A6", "B1 B2 B3 B4 B5 B6", "C1 C2 C3 C4 C5 C6"]
    )
    for seat, letter in enumerate("ABC"):
        match.play(seat, f"show {letter}1 {letter}2")
    for seat, text in ((0, "put A3"), (1, "offer B3"), (2, "offer C3"), (0, "take 1")):
        match.play(seat, text)
    declined = 2 * 7 + 2
    assert all(declined in state["cards"][2] for state in worlds(match, 0, 50))
    assert 0 < sum(declined in state["cards"][2] for state in worlds(match, 1, 200)) < 200


def test_observation_of_a_card_that_may_have_gone() -> None:
    """Seat 2 saw A3 go to seat 1; then seat 1 gives a card unseen to seat 0 ... and A3 may have
    gone with it."""
    match = Match.arranged(
        GAME,
        plain=True,
        seats=4,
        draws=["A1 A2 A3 A4 A5 A6", "B1 B2 B3 B4 B5 B6", "C1 C2 C3 C4 C5 C6", "D1 D2 D3 D4 D5 D6"],
    )
    for seat, letter in enumerate("ABCD"):
        match.play(seat, f"show {letter}1 {letter}2")
    for seat, text in ((0, "put A3"), (1, "offer B3"), (2, "offer C3"), (3, "offer D3"), (0, "take 1")):
        match.play(seat, text)
    a3, d3, b3 = 2, 3 * 7 + 2, 7 + 2
    seen = match.observation(3)
    assert (seen[a3], seen[70 + a3]) == (2, 2)
    assert (match.observation(0)[d3], match.observation(0)[70 + d3]) == (3, 2)
    assert match.observation(1)[b3] == 3
    for seat, text in ((1, "put B4"), (0, "offer A4"), (2, "offer C3"), (3, "offer D3"), (1, "take 0"), (2, "put C4")):
        match.play(seat, text)
    assert match.observation(3)[70 + a3] == 2
    for seat, text in ((0, "offer A5"), (1, "offer A3"), (3, "offer D3"), (2, "take 1")):
        match.play(seat, text)
    seen = match.observation(3)
    assert (seen[a3], seen[70 + a3]) == (2, 1)
    assert (match.observation(2)[a3], match.observation(2)[70 + a3]) == (0, 2)
    assert (match.observation(1)[a3], match.observation(1)[70 + a3]) == (1, 2)
    assert seen[4 * 7] in (-1, 0)
    assert seen[69] == -2


# Faults: each names the invariant that was broken.


def broken(match: Match, **changes: Any) -> set[str]:
    states = match.states.copy()
    state: Any = plain_state(states)
    for name, (index, value) in changes.items():
        if index is None:
            setattr(state, name, value)
        else:
            getattr(state, name)[index] = value
    return set(GAME.faults(state))


def test_faults_name_what_is_broken() -> None:
    match = Match(GAME, 3, 4, plain=True)
    match.play_random(2, 3 + 5 * 2 + 2)
    state = match.state
    assert match.faults == ()
    assert broken(match, deck=(0, state.deck[1])) == {"the deck is not the cards in play, each once"}
    lowest = state.cards[0, 0]
    assert "a seat's cards do not follow from the deck and the exchanges" in broken(
        match, cards=((0, 0), next(card for card in range(42) if card != lowest and card < state.cards[0, 1]))
    )
    assert "a seat's cards are not in order" in broken(match, cards=((0, 0), 41))
    assert "a card was put up or offered by a seat that did not have it in hand" in broken(
        match, offers=((0, 0), next(c for c in range(42) if state.shows[c] & 7))
    )
    shown = next(card for card in range(42) if state.shows[card])
    assert "a card was shown by a seat that did not have it" in broken(
        match, shows=(shown, (state.shows[shown] % 3) + 1)
    )
    assert "a display has the wrong number of cards" in broken(match, shows=(shown, 0))
    assert "a seat's display is not the last one it showed" in broken(match, shown=(1, 0))
    assert "a chosen display is impossible now" in broken(match, pending=(1, 3))
    assert "the exchanges made are not what round and phase say" in broken(match, chosen=(0, -1))
    assert "the wrong seats may act" in broken(match, waiting=(None, state.waiting ^ 1))
    assert "a number is out of its range" in broken(match, first=(None, 3))
