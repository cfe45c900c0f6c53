"""What helps bots to play Matryoshka: what a card is worth to a collection that can still grow,
and by that which cards to keep, to give and to take.

A card is worth what it adds to the columns and rows, counting those that may still come: the more
exchanges are left, the more so.
"""

from __future__ import annotations

from math import exp

from samovar.engine.arrays import Ints, Rng
from samovar.engine.chance import word
from samovar.engine.heuristics import CERTAIN, Guidance, Heuristics, Level, Tuning
from samovar.engine.rule import rule, table

from .knowledge import determinize
from .moves import OFFER_MOVE, PUT_MOVE, TAKE_MOVE
from .scoring import CAPPED_LENGTH, LONGEST, POINTS, ROW_POINTS
from .sizes import ROUNDS, VALUES
from .state import (
    CAP,
    CARDS_PER_SEAT,
    DISPLAY,
    DISPLAY_SIZE,
    MAX_GROWTH,
    NOTHING,
    OFFER,
    TAKE,
    State,
    active_in,
    cards_held,
    growth_of,
    long_columns_of,
)

ALL = (1 << CARDS_PER_SEAT) - 1
UNIT = 16  # worth is counted in these parts of a point
STAGES = 2 * ROUNDS + 1  # half rounds still to come, 0 to 8

# The chance that a certain missing card of a row still comes, and the chance of each of three more
# cards in a column, for each half round to come.
ROW_CHANCE = 0.11
COLUMN_CHANCE = 0.085


def _row_points(row: int, growth: int) -> int:
    """The points of a row, given as a bit for each value."""
    runs = "".join(str((row >> value) & 1) for value in range(VALUES)).split("0")
    return sum(ROW_POINTS[growth, len(run)] for run in runs)


def _row_worth(stage: int, growth: int) -> list[int]:
    """By row: its points, on average over what may still come, less those of an empty one."""
    chance = 1 - (1 - ROW_CHANCE) ** stage
    worth: list[float] = [_row_points(row, growth) for row in range(1 << VALUES)]
    for value in range(VALUES):
        worth = [(1 - chance) * worth[row] + chance * worth[row | 1 << value] for row in range(1 << VALUES)]
    return [round(UNIT * (points - worth[0])) for points in worth]


def _column_worth(stage: int, growth: int) -> list[int]:
    """By number of cards in a column: its points, on average over what may still come."""
    chance = 1 - (1 - COLUMN_CHANCE) ** stage
    worth: list[float] = [POINTS[growth, min(count, LONGEST)] for count in range(LONGEST + 2)]
    for _ in range(3):
        worth = [(1 - chance) * few + chance * more for few, more in zip(worth, [*worth[1:], worth[-1]], strict=True)]
    return [round(UNIT * points) for points in worth]


ROW_WORTH, COLUMN_WORTH = (
    table([[worth(stage, growth) for stage in range(STAGES)] for growth in range(MAX_GROWTH + 1)])
    for worth in (_row_worth, _column_worth)
)

# How sure a lead is: by how many units it multiplies the odds by e, for each number of half rounds
# to come; and the shares for the odds.
LEAD = table([UNIT * points // 4 for points in (1, 8, 10, 12, 13, 14, 14, 15, 16)])
STEPS = 16  # of the table for each factor of e
FARTHEST = 6 * STEPS
SHARE_BITS = 12  # for the sum of four shares
SHARES = (1 << SHARE_BITS) - 1
SHARE = table([round(CERTAIN / (1 + exp(-step / STEPS))) for step in range(-FARTHEST, FARTHEST + 1)])


@rule
def stage_of(state: State) -> int:
    """Half rounds of exchanges still to come."""
    return (2 * (ROUNDS * state.seats - state.exchange) + state.seats - 1) // state.seats


@rule
def adds(state: State, seat: int, mask: int, card: int, stage: int) -> int:
    """What a card adds to those of a seat's cards that are in the mask; if it is one of them, to
    the others."""
    growth = growth_of(state)
    value = card % VALUES
    colour = card // VALUES
    row = 0
    column = 0
    for i in range(cards_held(state.round)):
        other = state.cards[seat, i]
        if (mask >> i) & 1 and other != card:
            if other % VALUES == value:
                column += 1
            elif other // VALUES == colour:
                row |= 1 << (other % VALUES)
    if long_columns_of(state) == CAP and column >= CAPPED_LENGTH:
        return ROW_WORTH[growth, stage, row | 1 << value] - ROW_WORTH[growth, stage, row]
    return (
        ROW_WORTH[growth, stage, row | 1 << value]
        - ROW_WORTH[growth, stage, row]
        + COLUMN_WORTH[growth, stage, column + 1]
        - COLUMN_WORTH[growth, stage, column]
    )


@rule
def collection_worth(state: State, seat: int, mask: int, stage: int) -> int:
    """What the cards of a seat that are in the mask are worth together."""
    growth = growth_of(state)
    total = 0
    columns = 0
    row = 0
    colour = 0
    for i in range(cards_held(state.round)):
        if (mask >> i) & 1:
            card = state.cards[seat, i]
            if card // VALUES != colour:
                total += ROW_WORTH[growth, stage, row]
                row = 0
                colour = card // VALUES
            row |= 1 << (card % VALUES)
            columns += 1 << (4 * (card % VALUES))
    total += ROW_WORTH[growth, stage, row]
    for value in range(VALUES):
        count = (columns >> (4 * value)) & 15
        if long_columns_of(state) == CAP:
            count = min(count, CAPPED_LENGTH)
        total += COLUMN_WORTH[growth, stage, count]
    return total


# How well each seat stands


@rule
def prospects(state: State, seat: int) -> int:
    """What a seat's cards are worth; those it can lose soon count a little less, so that the least
    useful ones are in hand and on offer."""
    stage = stage_of(state)
    mask = state.shown[seat]
    if state.phase == DISPLAY:
        mask = state.pending[seat]
        if state.round == ROUNDS and mask != 0:
            return collection_worth(state, seat, mask, stage)
    worth = collection_worth(state, seat, ALL, stage)
    least = adds(state, seat, ALL, state.cards[seat, 0], stage)
    in_hand = 0
    for i in range(cards_held(state.round)):
        added = adds(state, seat, ALL, state.cards[seat, i], stage)
        least = min(least, added)
        if not (mask >> i) & 1:
            in_hand += added
    card = state.offers[state.exchange, seat]
    if card != NOTHING:
        worth -= adds(state, seat, ALL, card, stage) // 2
    return worth - least - in_hand // 16


@rule
def evaluate(state: State, out: Ints) -> None:
    """Of two seats, the one leaves the other behind with a chance that grows with its lead in
    prospects."""
    lead = LEAD[stage_of(state)]
    for seat in range(state.seats):
        out[seat] = prospects(state, seat) << SHARE_BITS
    for seat in range(state.seats):
        for other in range(seat):
            ahead = ((out[seat] >> SHARE_BITS) - (out[other] >> SHARE_BITS)) * STEPS // lead
            share = SHARE[FARTHEST + min(max(ahead, -FARTHEST), FARTHEST)]
            out[seat] += share
            out[other] += CERTAIN - share
    for seat in range(state.seats):
        out[seat] = (out[seat] & SHARES) // (state.seats - 1)


# A rollout move

NOISE = 7  # how much chance has a say, in units
LIKED = 2  # what others would like counts so many times less
GIVEN = 4


@rule
def rollout_move(state: State, seat: int, rng: Rng, out: Ints) -> int:
    """By what the seat itself knows for sure: its own cards, the displays, and what lies open to it
    in the exchange."""
    if state.phase == DISPLAY:
        return rollout_display(state, seat, rng, out)
    if state.phase == TAKE:
        return rollout_take(state, seat, rng)
    return rollout_gift(state, seat, rng)


@rule
def rollout_display(state: State, seat: int, rng: Rng, out: Ints) -> int:
    """The cards that add most; the others stay in hand, to be given away. The last display is
    chosen with care."""
    stage = stage_of(state)
    hand_size = cards_held(state.round)
    noise = 0
    if state.round < ROUNDS:
        noise = word(rng) << 28 ^ word(rng)
    for i in range(hand_size):
        out[i] = adds(state, seat, ALL, state.cards[seat, i], stage) + 2 * ((noise >> (4 * i)) & 15)
    mask = (1 << hand_size) - 1
    for _ in range(hand_size - DISPLAY_SIZE[state.round]):
        least = NOTHING
        for i in range(hand_size):
            if (mask >> i) & 1 and (least == NOTHING or out[i] < out[least]):
                least = i
        mask &= ~(1 << least)
    return mask


@rule
def rollout_gift(state: State, seat: int, rng: Rng) -> int:
    """A hand card that adds little. Offered for a card that adds more, rather one that the active
    seat likes, else rather one it does not."""
    stage = stage_of(state)
    active = active_in(state, state.exchange)
    base = PUT_MOVE
    wanted = 0
    if state.phase == OFFER:
        base = OFFER_MOVE
        wanted = adds(state, seat, ALL, state.offers[state.exchange, active], stage)
    noise = word(rng)
    best = NOTHING
    highest = 0
    for i in range(cards_held(state.round)):
        if not (state.shown[seat] >> i) & 1:
            card = state.cards[seat, i]
            cost = adds(state, seat, ALL, card, stage)
            worth = (noise & NOISE) - cost
            noise >>= 5
            if state.phase == OFFER:
                liked = adds(state, active, state.shown[active], card, stage) // LIKED
                worth += liked if wanted > cost else -liked
            if best == NOTHING or worth > highest:
                best = card
                highest = worth
    return base + best


@rule
def rollout_take(state: State, seat: int, rng: Rng) -> int:
    """The offer that adds most, rather from a seat that does not like the card put up."""
    stage = stage_of(state)
    put = state.offers[state.exchange, seat]
    mask = ALL
    for i in range(cards_held(state.round)):
        if state.cards[seat, i] == put:
            mask = ALL & ~(1 << i)
    noise = word(rng)
    best = NOTHING
    highest = 0
    for other in range(state.seats):
        if other != seat:
            worth = (noise & NOISE) + adds(state, seat, mask, state.offers[state.exchange, other], stage)
            worth -= adds(state, other, state.shown[other], put, stage) // GIVEN
            noise >>= 5
            if best == NOTHING or worth > highest:
                best = other
                highest = worth
    return TAKE_MOVE + best


# Memory


@rule
def sights(state: State, seat: int) -> int:
    """A fact is an exchange: which cards were offered to this seat, seen while it chooses one of
    them."""
    if state.phase == TAKE and active_in(state, state.exchange) == seat:
        return 1 << state.exchange
    return 0


@rule
def forget(state: State, seat: int, facts: int, rng: Rng) -> None:
    """The offers that the seat refused in these exchanges are lost from the log, so they say no
    more who had those cards."""
    for exchange in range(state.exchange):
        if (facts >> exchange) & 1 and active_in(state, exchange) == seat:
            for other in range(state.seats):
                if other != seat and other != state.chosen[exchange]:
                    state.offers[exchange, other] = NOTHING
    determinize(state, seat, rng)


# Few displays are worth a look beside the rollout moves, so the tree stays narrow. The evaluation
# is better than many rollout moves.
TUNING = Tuning(explore=700, widen=1, depth=8, reuse=16)
# Much is luck, and rollout moves alone are fair play: the levels differ most by what they overlook.
# Inside the search the network of 16 November 2026 won 44 % ± 11 against the expert: it plays well at a glance alone.
GUIDANCE = Guidance(trusted=False)
LEVELS = {
    "easy": Level(simulations=10, half_life=6, overlooks=79, hasty=75),
    "medium": Level(simulations=20, half_life=20, overlooks=56, hasty=42, beats_lower=71),
    "hard": Level(simulations=40, half_life=40, overlooks=37, hasty=10, beats_lower=66),
    "expert": Level(simulations=4000, beats_lower=67),
    "master": Level(simulations=800, beats_lower=49),
}
# As it was, whatever becomes of `TUNING` and of the expert.
PINNED = {"expert-2026": Level(simulations=4000, tuning=Tuning(explore=700, widen=1, depth=8, reuse=16))}
HEURISTICS = Heuristics(
    evaluate=evaluate,
    rollout_move=rollout_move,
    sights=sights,
    forget=forget,
    tuning=TUNING,
    guidance=GUIDANCE,
    levels=LEVELS,
    pinned=PINNED,
)
