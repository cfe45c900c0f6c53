"""What a seat of Värvitikud may know: drawn worlds fit, vary, have the right frequencies and do not
depend on what is hidden."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from samovar.engine.chance import RNG_WORDS, seed_rng
from samovar.engine.match import Match
from samovar.engine.ways.backend import backend
from samovar.engine.ways.plain import plain_state
from samovar.games.varvitikud import GAME, knowledge
from samovar.games.varvitikud.observation import CANNOT_HOLD
from samovar.games.varvitikud.state import DEALT
from support.oracle_varvitikud import Skips, World, field_of, line_of, placements, replay, world, worlds

ROW = line_of(38)  # where any card can be placed
LEFT = [card for card in range(54) if card not in ROW]  # sixteen cards
FIELD = [[card, x, 0] for x, card in enumerate(ROW)]
# Late in a match: of the cards that do not lie, two fit nowhere.
CLOSED = [
    *(
        [0, 0, 0],
        [1, 2, 2],
        [2, 0, 2],
        [3, 0, 3],
        [4, -1, 1],
        [5, 2, 0],
        [6, 4, 0],
        [7, -2, 1],
        [8, -4, -2],
        [9, 4, -1],
        [10, 0, -5],
    ),
    *(
        [12, -4, 0],
        [13, -3, -2],
        [15, 0, 4],
        [18, 2, 1],
        [19, -3, -3],
        [21, 2, -2],
        [22, -1, -2],
        [23, 1, 0],
        [24, 6, 1],
        [26, -3, 1],
    ),
    *(
        [27, 8, 1],
        [28, 0, -4],
        [30, 7, 1],
        [31, 3, -2],
        [33, 5, 1],
        [34, 3, 1],
        [35, -3, 2],
        [36, -1, -6],
        [37, 3, 0],
        [38, -3, 0],
    ),
    *(
        [39, -2, -2],
        [40, -2, -1],
        [41, 1, 3],
        [44, 0, -2],
        [45, -1, -5],
        [46, 1, -4],
        [47, 0, -1],
        [48, 5, 0],
        [49, 0, 1],
        [50, 2, -3],
    ),
    *([52, 2, -1], [53, 0, -3]),
]


def note_skips(state: Any, skips: Skips) -> None:
    """Writes skips into a state: `skips[seat, n]` fitted while the seat had placed n cards."""
    for (seat, count), cards in skips.items():
        own = [number for number in range(state.placements) if state.placer[number] == seat]
        state.skipped[own[count - 1] if count else DEALT + seat] |= sum(1 << card for card in cards)
        state.skips[seat] += 1


def drawn(states: np.ndarray[Any, Any], seat: int, seed: int) -> np.ndarray[Any, Any]:
    copy = states.copy()
    rng = [0] * RNG_WORDS
    seed_rng(rng, seed, 2, 0)
    knowledge.determinize(plain_state(copy), seat, rng)
    return copy


TWO = {"seats": 2, "turn": 1, "field": FIELD, "hands": [LEFT[:4], LEFT[4:8]], "pile": LEFT[8:]}
LONG = line_of(42)
FEW = [card for card in range(54) if card not in LONG]
THREE = {
    "seats": 3,
    "turn": 1,
    "field": [[card, x, 0] for x, card in enumerate(LONG)],
    "hands": [FEW[:3], FEW[3:6], FEW[6:9]],
    "pile": FEW[9:],
}
FOUR_CLOSED = {
    "seats": 4,
    "turn": 1,
    "field": CLOSED,
    "hands": [[16, 42, 43], [14, 25], [20, 32, 17], [11, 29, 51]],
    "pile": [],
}


def play(position: dict[str, Any], cards: list[int]) -> np.ndarray[Any, Any]:
    """Places these cards in turn, each where it meets one other, so that nobody may swap."""
    moves: list[str] = []
    for card in cards:
        match = Match.arranged(GAME, plain=True, **position, moves=moves)
        choices = [move for move in match.moves(match.actors[0]) if move.startswith(f"{card}@")]
        for choice in choices:
            after = Match.arranged(GAME, plain=True, **position, moves=[*moves, choice])
            if after.view(None).phase == "place":
                moves.append(choice)
                break
        else:
            raise AssertionError(f"card {card} cannot be placed without a swap: {choices}")
    return GAME.lay_out(**position, moves=moves)


# Placed cards in the order of turns (from seat 1 on), and skips that agree with the truth. In TWO
# seat 1 is dealt LEFT[4:8] and draws LEFT[8], LEFT[10], LEFT[12]; so LEFT[8] may have fitted at a
# skip before its first placement. In THREE seat 1 is dealt FEW[3:6] and draws FEW[9].
CASES = {
    "no skips": (TWO, [4, 0, 5, 1, 6], {}),
    "skip before the first placement": (TWO, [4, 0, 5, 1, 6], {(1, 0): [8, 9, 13]}),
    "skip, and a later card was among what fitted": (TWO, [4, 0, 8, 1, 5], {(1, 0): [8, 10, 12, 13]}),
    "skip, and what fitted may be one of several drawn later": (TWO, [4, 0, 5, 1, 8], {(1, 0): [8, 10, 13, 14]}),
    "skips at different times": (
        TWO,
        [4, 0, 8, 1, 10],
        {(1, 0): [8, 9, 12], (1, 1): [10, 12, 13, 9], (1, 2): [11, 14]},
    ),
    "skip of all but the hand": (TWO, [4, 0, 8, 1, 10], {(1, 1): [9, 10, 11, 12, 13, 14, 15]}),
    "three seats, two of them skip": (THREE, [3, 6, 0, 4], {(1, 0): [9, 6, 7], (2, 0): [3, 5], (1, 1): [10]}),
}


def case_of(name: str) -> tuple[np.ndarray[Any, Any], Counter[World]]:
    """The state, and what enumeration says."""
    position, placed, noted = CASES[name]
    left = LEFT if position is TWO else FEW
    skips = {key: {left[i] for i in cards} for key, cards in noted.items()}
    plays = [((1 + turn) % position["seats"], left[i]) for turn, i in enumerate(placed)]
    states = play(position, [card for _, card in plays])
    assert replay(position["hands"], position["pile"], plays, skips) == world(plain_state(states))
    note_skips(plain_state(states), skips)
    assert not list(GAME.faults(plain_state(states)))
    return states, worlds(position["hands"], position["pile"], plays, 0, skips)


@pytest.mark.rules("10.3")
@pytest.mark.parametrize("name", CASES)
@pytest.mark.slow
def test_frequencies_match_enumeration(name: str) -> None:
    check_frequencies(*case_of(name))


def draw_many(states: np.ndarray[Any, Any], draws: int) -> Counter[World]:
    """Worlds that seat 0 holds possible, drawn by compiled rules, counted."""
    many = np.repeat(states, draws)
    ready = backend(GAME, False)
    ready.determinize(many, np.zeros(draws, np.int64), np.arange(draws))
    assert not any(GAME.faults_in(many[:2000]))
    many["pile"].sort(axis=1)
    hidden = np.concatenate([many["hand"].reshape(draws, -1), many["pile"]], axis=1)
    rows = hidden.view(np.dtype((np.void, hidden.shape[1]))).ravel()
    firsts, counts = np.unique(rows, return_index=True, return_counts=True)[1:]
    worlds: Counter[World] = Counter()
    for first, count in zip(firsts, counts, strict=True):
        seats, sizes = int(states["seats"][0]), states["hand_size"][0]
        hands = tuple(tuple(many["hand"][first, seat, : sizes[seat]].tolist()) for seat in range(seats))
        worlds[hands, tuple(card for card in many["pile"][first].tolist() if card >= 0)] += int(count)
    return worlds


def check_frequencies(states: np.ndarray[Any, Any], expected: Counter[World]) -> None:
    total = sum(expected.values())
    draws = 120_000
    counts = draw_many(states, draws)
    assert set(counts) == set(expected)
    square = sum(
        (counts[key] - draws * weight / total) ** 2 / (draws * weight / total) for key, weight in expected.items()
    )
    freedom = len(expected) - 1
    assert square < freedom + 4 * (2 * freedom) ** 0.5 + 4, (square, freedom)


@pytest.mark.rules("10.3")
def test_seat_that_is_asked_holds_a_card_that_fits() -> None:
    match = Match.arranged(GAME, plain=True, **FOUR_CLOSED)
    assert match.actors == (1,)
    field = field_of(match.view(0))
    dead = {card for card in range(54) if not placements(field, [card], False)}
    hidden = {14, 20, 25, 32, 17, 11, 29, 51}
    assert len(dead & hidden) == 2
    hands = Counter(world(plain_state(drawn(match.states, 0, seed)))[0][1] for seed in range(2000))
    assert tuple(sorted(dead & hidden)) not in hands
    assert len(hands) == 27
    assert max(abs(count - 2000 / 27) for count in hands.values()) < 5 * (2000 / 27) ** 0.5


@pytest.mark.rules("10.3")
def test_skip_excludes_what_fitted() -> None:
    """A real skip, early: seat 1 cannot hold red in the west or east, red in the south or purple in
    the north."""
    match = Match.arranged(
        GAME, plain=True, seats=3, field=[[0, 0, 0]], hands=[[9, 12, 18], [2, 3, 7], [14, 10, 13]], moves=["9@0,1"]
    )
    assert match.actors == (2,)
    fitted = {card for card in range(54) if placements(field_of(match.view(0)), [card], False)}
    assert match.state.skips[1] == 1
    seen = match.observation(0)
    unseen = [card for card in fitted if card not in (0, 9, 12, 18)]
    assert all(seen[CANNOT_HOLD + card] == 3 for card in unseen)
    held = {card for seed in range(300) for card in world(plain_state(drawn(match.states, 0, seed)))[0][1]}
    assert not held & fitted
    assert len(held) > 15


@pytest.mark.rules("10.3")
def test_skip_says_nothing_of_cards_drawn_later() -> None:
    states = play(TWO, [LEFT[4], LEFT[0]])
    fitted = {LEFT[9], LEFT[10], LEFT[11]}
    note_skips(plain_state(states), {(1, 0): fitted})
    hands = [set(world(plain_state(drawn(states, 0, seed)))[0][1]) for seed in range(400)]
    assert all(len(hand & fitted) <= 1 for hand in hands)  # only one card was drawn since
    assert any(hand & fitted for hand in hands)


@pytest.mark.rules("10.2")
def test_order_of_the_pile_is_uniform() -> None:
    states = play(TWO, [LEFT[4], LEFT[0], LEFT[5], LEFT[1], LEFT[6]])
    size = plain_state(states).pile_size
    assert size == 3
    tops = Counter(plain_state(drawn(states, 0, seed)).pile[size - 1] for seed in range(1400))
    assert len(tops) == 7
    assert max(abs(count - 200) for count in tops.values()) < 70


@pytest.mark.rules("10.3")
@pytest.mark.parametrize("name", CASES)
@pytest.mark.slow
def test_built_worlds_fit_too(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where chance does not find a world in time, one is built."""
    states, expected = case_of(name)
    monkeypatch.setattr(knowledge, "TRIES", 0)
    built = {world(plain_state(drawn(states, 0, seed))) for seed in range(150)}
    assert built <= set(expected)
    assert len(built) > 1 or len(expected) == 1


def test_built_world_gives_the_asked_seat_a_card_that_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(knowledge, "TRIES", 0)
    states = GAME.lay_out(**FOUR_CLOSED)
    hands = {world(plain_state(drawn(states, 0, seed)))[0][1] for seed in range(300)}
    assert len(hands) > 15
    for seed in range(100):
        assert not list(GAME.faults(plain_state(drawn(states, 0, seed))))


def test_built_world_moves_cards_between_hands(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seat 1 may hold three cards only, seat 2 all of them: whatever seat 1 is given first, both
    hands are filled."""
    monkeypatch.setattr(knowledge, "TRIES", 0)
    states = GAME.lay_out(**THREE)
    note_skips(plain_state(states), {(2, 0): set(FEW) - set(FEW[6:9])})
    for seed in range(60):
        assert world(plain_state(drawn(states, 0, seed)))[0][2] == tuple(FEW[6:9])


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("half_turn", [False, True])
@pytest.mark.slow
def test_drawn_worlds_fit_vary_and_do_not_depend_on_the_truth(seats: int, half_turn: bool) -> None:
    match = Match(GAME, seats, 31 + seats, plain=True, half_turn=half_turn)
    step = 0
    while not match.over:
        match.play_random(step, 3)
        step += 1
        for seat in range(seats):
            one, two = drawn(match.states, seat, step), drawn(match.states, seat, step + 1000)
            assert not list(GAME.faults(plain_state(one)))
            assert GAME.view(plain_state(one), seat) == match.view(seat)
            assert GAME.view(plain_state(one), None) == match.view(None)
            assert drawn(one, seat, step + 1000).tobytes() == two.tobytes()
            if match.view(None).pile_size > 2:
                assert one.tobytes() != two.tobytes()
            other = (seat + 1) % seats
            assert not list(GAME.faults(plain_state(drawn(one, other, step))))
            seen = np.zeros((2, GAME.observation_size), np.int8)
            GAME.observe(plain_state(one), seat, seen[0])
            assert np.array_equal(seen[0], match.observation(seat))


def test_own_hand_of_the_observer_is_kept() -> None:
    states = GAME.lay_out(**TWO)
    assert all(world(plain_state(drawn(states, 1, seed)))[0][1] == tuple(sorted(LEFT[4:8])) for seed in range(20))


def test_fault_of_a_hand_that_contradicts_a_skip() -> None:
    states = GAME.lay_out(**TWO)
    state = plain_state(states)
    state.skips[1] = 1
    state.skipped[DEALT + 1] = 1 << LEFT[4]
    assert list(GAME.faults(state)) == ["a seat holds a card that fitted when it had to skip"]


BREAKS = [
    ("a card is missing or in two places", lambda state: state.pile.__setitem__(0, state.pile[1])),
    ("a hand is out of order or not filled up", lambda state: _swap_hand(state)),
    ("the sticks of a colour are not eight", lambda state: state.reserve.__setitem__(2, 7)),
    (
        "the field is not in one piece around (0, 0), or two cards lie on one place",
        lambda state: state.place.__setitem__(ROW[-1], 3000),
    ),
    ("touching edges differ", lambda state: setattr(state, "turned", 1 << ROW[1] | 1 << ROW[5])),
    ("the open spots are not those of the field", lambda state: state.spot.__setitem__(3, state.spot[3] ^ 1)),
    ("phase, turn or end do not fit the table", lambda state: setattr(state, "ending", 1)),
    ("the history of placements does not fit the table", lambda state: setattr(state, "draws", 1)),
    ("an unused entry is not empty", lambda state: state.placed.__setitem__(20, 1)),
]


def _swap_hand(state: Any) -> None:
    state.hand[0, 0], state.hand[0, 1] = state.hand[0, 1], state.hand[0, 0]


@pytest.mark.parametrize(("name", "damage"), BREAKS, ids=[name for name, _ in BREAKS])
def test_faults_find_a_broken_state(name: str, damage: Any) -> None:
    state = plain_state(GAME.lay_out(**TWO))
    assert not list(GAME.faults(state))
    damage(state)
    assert name in GAME.faults(state)
