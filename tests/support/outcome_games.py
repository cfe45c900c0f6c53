"""Steps: one game with every kind of outcome, for testing what follows from them.

Twelve cards; each seat holds two, unseen by the others. In turn a seat lays one of them on a row; a card that is higher
than the one before it counts. Alone, or with two or three seats, all play together for as many as they can get; with
four seats two teams of two play against each other.
"""

from contextlib import contextmanager
from dataclasses import dataclass, replace
from types import SimpleNamespace

import numpy as np

from samovar.engine import registry
from samovar.engine.chance import below, shuffle, starting_seat
from samovar.engine.contract import Event, Game, Part, event, usual_prompt
from samovar.engine.rule import rule

CARDS = 12
HAND = 2
SEATS = 4
NOTHING = -1
STATE = np.dtype(
    [
        ("laid", np.int16),  # which cards are on the row, a bit each
        ("cards", np.int8, (CARDS,)),  # two for each seat, in order; hidden from the others until they are laid
        ("row", np.int8),  # the last card of it
        ("counts", np.int8),  # whether that one does
        ("points", np.int8, (SEATS,)),
        ("seats", np.int8),
        ("turn", np.int8),
        ("moved", np.int8),
        ("spare", np.int8),
    ]
)


@rule
def deal(state, seats, options, rng):
    state.seats = seats
    state.turn = starting_seat(rng, seats, options.first)
    state.row = NOTHING
    for i in range(CARDS):
        state.cards[i] = i
    shuffle(rng, state.cards, CARDS)


@rule
def is_laid(state, i):
    return (state.laid >> i) & 1


@rule
def actors(state):
    return 0 if state.moved == HAND * state.seats else 1 << state.turn


@rule
def legal(state, seat, out):
    count = 0
    for k in range(HAND):
        if not is_laid(state, HAND * seat + k):
            out[count] = k
            count += 1
    return count


@rule
def apply(state, seat, move):
    """A hand is laid from its end, so that nobody sees which of the two it was."""
    own = HAND * seat
    card = state.cards[own + move]
    last = own if is_laid(state, own + 1) else own + 1
    state.cards[own + move] = state.cards[last]
    state.cards[last] = card
    state.laid |= 1 << last
    state.counts = 1 if card > state.row else 0
    state.points[seat] += state.counts
    state.row = card
    state.moved += 1
    state.turn = (seat + 1) % state.seats


@rule
def team(seats, seat):
    return seat & 1 if seats == 4 else 0


@rule
def scores(state, out):
    for seat in range(state.seats):
        out[seat] = 0
        for other in range(state.seats):
            if team(state.seats, other) == team(state.seats, seat):
                out[seat] += state.points[other]


@rule
def success(state):
    """All cards that count of those that may."""
    count = 0
    for seat in range(state.seats):
        count += state.points[seat]
    return 1000 * count // (HAND * state.seats)


@rule
def is_seen(state, seat, i):
    return is_laid(state, i) or i // HAND == seat


@rule
def sees_card(state, seat, card):
    for i in range(CARDS):
        if state.cards[i] == card and is_seen(state, seat, i):
            return True
    return False


@rule
def determinize(state, seat, rng):
    """What is not seen, in any order: first in ascending order, then shuffled."""
    card = 0
    for i in range(CARDS):
        if not is_seen(state, seat, i):
            while sees_card(state, seat, card):
                card += 1
            state.cards[i] = card
            card += 1
    for i in range(CARDS - 1, 0, -1):
        if not is_seen(state, seat, i):
            k = below(rng, i + 1)
            while is_seen(state, seat, k):
                k = below(rng, i + 1)
            state.cards[i], state.cards[k] = state.cards[k], state.cards[i]


@rule
def observe(state, seat, out):
    for k in range(HAND):
        out[k] = state.cards[HAND * seat + k]
        out[HAND + k] = is_laid(state, HAND * seat + k)
    out[4] = state.row
    out[5] = state.moved
    for card in range(CARDS):
        out[6 + card] = 0
    for i in range(CARDS):
        if is_laid(state, i):
            out[6 + state.cards[i]] = 1


@dataclass(frozen=True)
class View:
    hand: tuple[int, ...]
    row: int
    counted: int
    prompt: Event
    news: tuple[Event, ...]


def view(state, seat):
    own = range(0) if seat is None else range(HAND * seat, HAND * seat + HAND)
    mover = (state.turn - 1) % state.seats
    kind = "counts" if state.counts else "does_not"
    return View(
        tuple(state.cards[i] for i in own if not is_laid(state, i)),
        state.row,
        sum(state.points[other] for other in range(state.seats)),
        usual_prompt(actors(state), seat),
        (event(kind, seat=mover, card=state.row),) if state.moved else (),
    )


def move_text(state, seat, move):
    return f"lay {state.cards[HAND * seat + move]}"


def tell_move(state, seat, move):
    return event("lay", card=state.cards[HAND * seat + move])


WORDS = {
    "en": {
        "hand": "Your cards",
        "row": "Last on the row",
        "counted": "Cards that count",
        "lay": "Lay {card}",
        "counts": "{seat} lays {card}.",
        "does_not": "{seat} lays {card}, which does not count.",
    },
    "fr": {
        "hand": "Vos cartes",
        "row": "Dernière de la suite",
        "counted": "Cartes qui comptent",
        "lay": "Poser {card}",
        "counts": "{seat} pose {card}.",
        "does_not": "{seat} pose {card}, qui ne compte pas.",
    },
}
GAME = Game.from_module(
    __name__,
    id="steps",
    name="Steps",
    seats=(1, 2, 3, 4),
    state=STATE,
    moves=HAND,
    max_length=lambda seats, options: HAND * seats,
    observation=(
        Part("hand", HAND, "own cards"),
        Part("is_laid", HAND, "whether each of them is on the row"),
        Part("row", 1, "the last card on the row"),
        Part("moved", 1, "moves made"),
        Part("laid", CARDS, "whether each card is on the row"),
    ),
    words=WORDS,
)


@contextmanager
def installed(folder, game=GAME):
    """The game as one that is found by its id, with rules pages in a folder."""
    for name in ("RULES.md", "RULES.fr.md"):
        (folder / name).write_text("# Steps\n\n- **1.1** Higher cards count.\n", encoding="utf-8")
    placed = replace(game, folder=str(folder))
    before = registry.found_in
    registry.found_in = lambda group: {
        **before(group),
        placed.id: SimpleNamespace(load=lambda: placed, module="support"),
    }
    registry.find_game.cache_clear()
    try:
        yield placed
    finally:
        registry.found_in = before
        registry.find_game.cache_clear()
