"""Peek: a small game in which something was seen once and must be remembered, for testing the kit itself.

Six cards; each of two seats has one before it, face down. Before the first move a seat sees the other's card, and then
no more. In turn both put 1 to 3 stones on a heap, five moves each; then the higher card wins what its seat put.
"""

from dataclasses import dataclass, replace

import numpy as np

from samovar.engine.chance import shuffle, starting_seat
from samovar.engine.contract import Event, Game, Part, event, usual_prompt
from samovar.engine.rule import rule

CARDS = 6
MOVES = 10
UNKNOWN = -1
STATE = np.dtype(
    [
        ("deck", np.int8, (CARDS,)),  # the card of seat s is deck[s]; a seat has seen the other's alone
        ("heap", np.int8, (2,)),
        ("knows", np.int8, (2,)),  # by seat: whether it knows the other's card
        ("seats", np.int8),
        ("turn", np.int8),
        ("moved", np.int8),
        ("last", np.int8),
    ]
)


@rule
def deal(state, seats, options, rng):
    state.seats = seats
    state.turn = starting_seat(rng, seats, options.first)
    for i in range(CARDS):
        state.deck[i] = i
    shuffle(rng, state.deck, CARDS)
    for seat in range(2):
        state.knows[seat] = 1


@rule
def actors(state):
    return 0 if state.moved == MOVES else 1 << state.turn


@rule
def legal(state, seat, out):
    for move in range(3):
        out[move] = move
    return 3


@rule
def apply(state, seat, move):
    state.heap[seat] += move + 1
    state.last = move + 1
    state.moved += 1
    state.turn = 1 - seat


@rule
def apply_and_forget(state, seat, move):
    """After the first move nobody knows any more what they saw."""
    apply(state, seat, move)
    state.knows[0] = 0
    state.knows[1] = 0


@rule
def scores(state, out):
    for seat in range(2):
        out[seat] = state.heap[seat] if state.deck[seat] > state.deck[1 - seat] else 0


@rule
def determinize(state, seat, rng):
    """All but a card that it knows, in any order: first in ascending order, then shuffled."""
    known = state.deck[1 - seat] if state.knows[seat] else UNKNOWN
    count = 0
    for card in range(CARDS):
        if card != known:
            state.deck[count] = card
            count += 1
    shuffle(rng, state.deck, count)
    if known != UNKNOWN:
        state.deck[CARDS - 1] = state.deck[1 - seat]
        state.deck[1 - seat] = known


@rule
def observe(state, seat, out):
    out[0] = state.deck[1 - seat] if state.knows[seat] else UNKNOWN
    out[1] = state.heap[seat]
    out[2] = state.heap[1 - seat]
    out[3] = state.moved


@dataclass(frozen=True)
class View:
    seen: int | None
    heap: tuple[int, ...]
    prompt: Event
    news: tuple[Event, ...]


def view(state, seat):
    news = (event("puts", seat=1 - state.turn, count=state.last),) if state.moved else ()
    seen = None if seat is None or not state.knows[seat] else state.deck[1 - seat]
    return View(seen, tuple(state.heap), usual_prompt(actors(state), seat), news)


GAME = Game.from_module(
    __name__,
    id="peek",
    name="Peek",
    contract=2,
    seats=(2,),
    state=STATE,
    moves=3,
    max_length=lambda seats, options: MOVES,
    observation=(
        Part("seen", 1, "the other's card, -1 if it is not known"),
        Part("heap", 2, "own and other"),
        Part("moved", 1, "moves made"),
    ),
    move_text=lambda state, seat, move: str(move + 1),
    words={"en": {"puts": "{seat} puts {count} stones."}},
    folder="",
)
FORGETS = replace(GAME, apply=apply_and_forget)
