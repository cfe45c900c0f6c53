"""What a seat knows: worlds that fit it (`determinize`).

A seat knows the cards it has looked at and those that were ever face up, wherever they were swapped
since (C5, R10). The state keeps that as sets of places, which are public: everybody saw who looked
where. So only these are hidden from a seat: the cards at the places it does not know, with the one
in the box; the order of the volcanoes below the top one and of all later rounds; the rubies, unless
the stack is ordered (R7).
"""

from __future__ import annotations

from samovar.engine.arrays import Rng
from samovar.engine.bits import nth_bit
from samovar.engine.chance import below
from samovar.engine.rule import rule

from .rules import lay_treasures, lay_volcanoes
from .sizes import ROUNDS
from .state import (
    CARDS,
    LAID,
    OVER,
    PLACES,
    State,
    has,
    known,
)


@rule
def determinize(state: State, seat: int, rng: Rng) -> None:
    """Uniform over all deals that fit: they were equally likely, and no rule depends on a hidden
    card."""
    draw_unseen(state, known(state, seat), rng)


@rule
def redeal(state: State, rng: Rng) -> None:
    """What no seat has seen: cards at places that none of them knows, and what lies in the stacks."""
    places = state.shown
    for seat in range(state.seats):
        places |= state.peeked[seat]
    draw_unseen(state, places, rng)


@rule
def draw_unseen(state: State, places: int, rng: Rng) -> None:
    """The cards that do not lie at the given places, and the stacks."""
    draw_cards(state, places, rng)
    if state.phase == OVER:
        return
    # The top volcano is public, those below it are not (R1).
    lay_volcanoes(state, rng, state.round, state.taken + 1)
    for number in range(state.round + 1, ROUNDS):
        lay_volcanoes(state, rng, number, 0)
    lay_treasures(state, rng)


@rule
def draw_cards(state: State, places: int, rng: Rng) -> None:
    """The cards that do not lie at the given places are drawn, one after another, for the other
    places and the box."""
    bag = (1 << CARDS) - 1
    left = CARDS
    drawn = LAID & ~places
    for place in range(PLACES):
        if has(LAID & places, place):
            bag &= ~(1 << state.card[place])
            left -= 1
    for place in range(PLACES):
        if has(drawn, place):
            card = nth_bit(bag, below(rng, left))
            state.card[place] = card
            bag &= ~(1 << card)
            left -= 1
