"""Kuhn's poker to our contract, the oracle of tests/solver/test_solver.py: its value and its equilibria are
known (Kuhn, 1950). By margin of points its returns are the chips won.

Three cards, two seats with one each. Both put in a chip. Pass or bet one more; who faces a bet
passes (and loses) or calls; the higher card wins the pot. `kuhn(late=True)` rolls for the second
card only when it is needed: the same game, with chance during play.
"""

from dataclasses import dataclass

import numpy as np

from samovar.engine.chance import CHANCE, below, roll, shuffle
from samovar.engine.contract import Event, Game, Part, usual_prompt
from samovar.engine.rule import rule

CARDS = 3
PASS, BET = 0, 1
UNKNOWN = -1
FIELDS = [
    ("card", np.int8, (4,)),
    ("history", np.int8, (4,)),
    ("seats", np.int8),
    ("made", np.int8),
    ("late", np.int8),
    ("spare", np.int8, (5,)),
]


@rule
def deal(state, seats, options, rng):
    state.seats = seats
    for card in range(CARDS):
        state.card[card] = card
    shuffle(rng, state.card, CARDS)


@rule
def deal_late(state, seats, options, rng):
    """Only the first seat has its card."""
    state.seats = seats
    state.card[0] = below(rng, CARDS)
    state.card[1] = UNKNOWN


@rule
def actors(state):
    """The end: two equal actions, or a bet that was answered."""
    made = state.made
    if made == 3 or (made == 2 and not (state.history[0] == PASS and state.history[1] == BET)):
        return 0
    return 1 << (made % 2)


@rule
def legal(state, seat, out):
    out[0] = PASS
    out[1] = BET
    return 2


@rule
def apply(state, seat, move):
    state.history[state.made] = move
    state.made += 1


@rule
def apply_late(state, seat, move):
    """The second seat gets its card after the first action: one of the two that are left."""
    if state.made == 0:
        state.card[1] = (state.card[0] + 1 + roll(state, CARDS - 1)) % CARDS
    state.history[state.made] = move
    state.made += 1


@rule
def scores(state, out):
    """What the winner took from the other."""
    out[0] = 0
    out[1] = 0
    bets = 0
    for k in range(state.made):
        bets += state.history[k]
    if bets == 1 and state.history[state.made - 1] == PASS:  # somebody gave up
        winner = state.made % 2
        out[winner] = 1
        return
    winner = 0 if state.card[0] > state.card[1] else 1
    out[winner] = 2 if bets == 2 else 1


@rule
def determinize(state, seat, rng):
    """The other card is one of two."""
    other = 1 - seat
    if state.card[other] != UNKNOWN:
        state.card[other] = (state.card[seat] + 1 + below(rng, CARDS - 1)) % CARDS
        state.card[2] = CARDS - state.card[0] - state.card[1]


@rule
def observe(state, seat, out):
    out[0] = state.card[seat]
    for k in range(3):
        out[1 + k] = state.history[k] if k < state.made else -1


@dataclass(frozen=True)
class View:
    card: int | None
    prompt: Event
    news: tuple[Event, ...] = ()


def kuhn(late: bool = False) -> Game:
    return Game(
        id="kuhn_late" if late else "kuhn",
        name="Kuhn poker",
        seats=(2,),
        state=np.dtype([*FIELDS, *([("chance", CHANCE)] if late else [])]),
        moves=2,
        max_length=lambda seats, options: 3,
        observation=(Part("card", 1, "own"), Part("history", 3, "actions so far")),
        deal=deal_late if late else deal,
        actors=actors,
        legal=legal,
        apply=apply_late if late else apply,
        scores=scores,
        determinize=determinize,
        observe=observe,
        view=lambda state, seat: View(None if seat is None else state.card[seat], usual_prompt(actors(state), seat)),
        move_text=lambda state, seat, move: "bet" if move else "pass",
        words={"en": {}},
    )
