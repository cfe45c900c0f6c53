"""A small network that judges a whole position of Matryoshka with three players, in place of the game's evaluation.

A position becomes numbers of what is so in it (`traits`): "the player who acts next has these cards of colour 3". Each
adds a row of WIDTH numbers; what is above 0 goes through a layer of 32, and becomes a strength for each player. From
the strengths follow the shares, as in the game's own evaluation. All numbers are whole. The second layer and the last
have weights for each stage of the match. Players are told apart by how far they sit from the one who acts next.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from math import exp
from types import FunctionType
from typing import Any

import numpy as np

from samovar.engine.arrays import Ints
from samovar.engine.contract import Game
from samovar.engine.heuristics import CERTAIN, Evaluate
from samovar.engine.registry import find_game
from samovar.engine.rule import rule, table
from samovar.games.matryoshka.heuristics import ALL, LEAD, STAGES, STEPS, adds, prospects, stage_of
from samovar.games.matryoshka.sizes import SETS_PER_SEAT, VALUES
from samovar.games.matryoshka.state import DISPLAY, NOTHING, State, active_in, cards_held, starting_seat_of

SEATS = 3
COLOURS = SETS_PER_SEAT * SEATS
ROWS = 1 << VALUES  # which cards of a colour somebody has
PHASES = 5
COUNTS = 8
WORTHS = 16

# Where the numbers of each kind of trait begin
PHASE = 0
WAITING = PHASE + STAGES * PHASES
ROW = WAITING + SEATS
SHOWN = ROW + SEATS * ROWS
COLUMN = SHOWN + SEATS * ROWS
COLUMN_OF_ALL = COLUMN + SEATS * VALUES * COUNTS
OFFERED = COLUMN_OF_ALL + VALUES * COUNTS
WORTH_TO_FIRST = OFFERED + SEATS * VALUES
WORTH_TO_OWNER = WORTH_TO_FIRST + SEATS * WORTHS
TRAITS = WORTH_TO_OWNER + SEATS * WORTHS
MOST = 80  # traits of one position

HIDDEN = 32  # numbers in the second layer
SHIFT = 6
SCALE = 1 << SHIFT  # what stands for 1, in numbers and in weights
TOP = 4 * SCALE - 1  # of a number in a layer
FAR = 8 * SCALE
CHANCE = table([round(CERTAIN / (1 + exp(-ahead / SCALE))) for ahead in range(-FAR, FAR + 1)])

AT = 6  # in the working space: a number for each player first, then the traits, the first layer, the second
FIRST = AT + MOST

# Stand for the numbers of a network, see `with_network`
IN = MIDDLE = MIDDLE_BIAS = OUT = OUT_BIAS = table([[0]])
IN_BIAS = table([0])
WIDTH = 0
BESIDE = 0  # whether its strengths are added to those of the game's own evaluation


@rule
def next_to_act(state: State) -> int:
    """Who is counted as the first player."""
    if state.phase == DISPLAY:
        return starting_seat_of(state, state.round)
    return active_in(state, state.exchange)


@rule
def traits(state: State, at: int, out: Ints) -> int:
    """Writes the numbers of what is so, from `at` on, and says where they end."""
    stage = stage_of(state)
    first = next_to_act(state)
    out[at] = PHASE + stage * PHASES + state.phase
    n = at + 1
    columns_of_all = 0
    for r in range(SEATS):
        seat = (first + r) % SEATS
        if (state.waiting >> seat) & 1:
            out[n] = WAITING + r
            n += 1
        mask = state.shown[seat]
        if state.phase == DISPLAY and state.pending[seat] != 0:
            mask = state.pending[seat]
        cards = 0
        shown = 0
        columns = 0  # 4 bits a value
        for i in range(cards_held(state.round)):
            card = state.cards[seat, i]
            cards |= 1 << card
            shown |= ((mask >> i) & 1) << card
            columns += 1 << (4 * (card % VALUES))
        columns_of_all += columns
        for colour in range(COLOURS):
            out[n] = ROW + ROWS * r + ((cards >> (VALUES * colour)) & (ROWS - 1))
            out[n + 1] = SHOWN + ROWS * r + ((shown >> (VALUES * colour)) & (ROWS - 1))
            n += 2
        for value in range(VALUES):
            out[n] = COLUMN + COUNTS * (VALUES * r + value) + ((columns >> (4 * value)) & 15)
            n += 1
        card = state.offers[state.exchange, seat]
        if card != NOTHING:
            to_first = adds(state, first, ALL, card, stage) >> 4
            to_owner = adds(state, seat, ALL, card, stage) >> 4
            out[n] = OFFERED + VALUES * r + card % VALUES
            out[n + 1] = WORTH_TO_FIRST + WORTHS * r + min(max(to_first, 0), WORTHS - 1)
            out[n + 2] = WORTH_TO_OWNER + WORTHS * r + min(max(to_owner, 0), WORTHS - 1)
            n += 3
    for value in range(VALUES):
        out[n] = COLUMN_OF_ALL + COUNTS * value + ((columns_of_all >> (4 * value)) & 15)
        n += 1
    return n


@rule
def strengths_by_hand(state: State, out: Ints) -> None:
    """Those of the game's own evaluation, from the first player on."""
    first = next_to_act(state)
    lead = LEAD[stage_of(state)]
    for r in range(SEATS):
        out[r] = prospects(state, (first + r) % SEATS) * STEPS // lead


@rule
def evaluate_by_network(state: State, out: Ints) -> None:
    second = FIRST + WIDTH
    end = traits(state, AT, out)
    for k in range(WIDTH):
        out[FIRST + k] = IN_BIAS[k]
    for i in range(AT, end):
        row = out[i]
        for k in range(WIDTH):
            out[FIRST + k] += IN[row, k]
    stage = stage_of(state)
    for k in range(HIDDEN):
        out[second + k] = MIDDLE_BIAS[stage, k]
    for group in range(WIDTH // 4):  # four at once are faster, and often all four are 0
        i = FIRST + 4 * group
        a = min(max(out[i], 0), TOP)
        b = min(max(out[i + 1], 0), TOP)
        c = min(max(out[i + 2], 0), TOP)
        d = min(max(out[i + 3], 0), TOP)
        if a | b | c | d != 0:
            row = stage * WIDTH + 4 * group
            for k in range(HIDDEN):
                out[second + k] += (
                    a * MIDDLE[row, k] + b * MIDDLE[row + 1, k] + c * MIDDLE[row + 2, k] + d * MIDDLE[row + 3, k]
                )
    for r in range(SEATS):
        out[r] = 0
    if BESIDE:
        strengths_by_hand(state, out)
    for r in range(SEATS):
        total = OUT_BIAS[stage, r]
        for k in range(HIDDEN):
            total += min(max(out[second + k] >> SHIFT, 0), TOP) * OUT[stage * HIDDEN + k, r]
        out[AT + r] = (total >> SHIFT) + out[r] * (SCALE // STEPS)
    first = next_to_act(state)
    for r in range(SEATS):
        share = 0
        for other in range(SEATS):
            if other != r:
                share += CHANCE[FAR + min(max(out[AT + r] - out[AT + other], -FAR), FAR)]
        out[(first + r) % SEATS] = share // (SEATS - 1)


def with_evaluation(evaluate: Evaluate | None = None, depth: int | None = None) -> Game:
    """Matryoshka as `expert-2026` knows it, or with another evaluation and so many rollout moves before it."""
    game = find_game("matryoshka")
    tuning = game.heuristics.pinned["expert-2026"].tuning
    assert tuning is not None
    heuristics = replace(
        game.heuristics,
        evaluate=evaluate or game.heuristics.evaluate,
        tuning=tuning if depth is None else replace(tuning, depth=depth),
    )
    return replace(game, heuristics=heuristics)


@cache
def with_network(path: str) -> Game:
    """With the network of a file, asked at once: no rollout moves before it."""
    with np.load(path) as net:
        numbers = {
            "WIDTH": net["in"].shape[1],
            "BESIDE": int(net["beside"]),
            "IN": table(net["in"]),
            "IN_BIAS": table(net["in_bias"]),
            "MIDDLE": table(net["middle"].reshape(-1, HIDDEN)),
            "MIDDLE_BIAS": table(net["middle_bias"]),
            "OUT": table(net["out"].reshape(-1, SEATS)),
            "OUT_BIAS": table(net["out_bias"]),
        }
    assert isinstance(evaluate_by_network, FunctionType)
    names = {**evaluate_by_network.__globals__, **numbers}
    evaluate: Any = FunctionType(evaluate_by_network.__code__, names, evaluate_by_network.__name__)
    return with_evaluation(rule(evaluate), depth=0)
