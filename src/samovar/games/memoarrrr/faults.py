"""What must always be so in a state of Memoarrrr!"""

from __future__ import annotations

from samovar.engine.rule import rule

from .sizes import ROUNDS
from .state import (
    BIRDS,
    BLOCK,
    CARDS,
    ISLAND,
    LAID,
    LOOK,
    MAX_SEATS,
    MAX_VOLCANOES,
    MOST_BIRDS,
    MOST_RUBIES,
    NOTHING,
    OCTOPUS,
    OVER,
    PEEK,
    PENGUIN,
    PLACES,
    REVEAL,
    RUBIES,
    SIDE_MASK,
    SIDES,
    SWAP,
    WALRUS,
    State,
    animal,
    count_volcanoes,
    has,
    hidden,
)

FAULT_NAMES = (
    "a card missing or twice",
    "wrong volcanoes in a round",
    "wrong treasures",
    "a set of places that cannot be",
    "a look at a card the seat does not know",
    "volcanoes and seats out of the round disagree",
    "treasures and winners of rounds disagree",
    "the last location is not face up",
    "a blocked place that cannot be",
    "the turn of a seat that is not in the round",
    "the phase does not fit the table",
    "sides and seats disagree",
)
ALL_FAULTS = (1 << len(FAULT_NAMES)) - 1


@rule
def has_card_faults(state: State) -> bool:
    cards = 0
    for place in range(PLACES):
        if has(LAID, place) and 0 <= state.card[place] < CARDS:
            cards |= 1 << state.card[place]
    return cards != (1 << CARDS) - 1


@rule
def has_volcano_faults(state: State) -> bool:
    """R1: each round has its volcanoes once each, and nothing after them."""
    count = count_volcanoes(state)
    for number in range(ROUNDS):
        volcanoes = 0
        for k in range(MAX_VOLCANOES):
            birds = state.volcano[number, k]
            for i in range(MAX_VOLCANOES):
                if k < count and i >= MAX_VOLCANOES - count and BIRDS[i] == birds:
                    volcanoes |= 1 << i
            if k >= count and birds != 0:
                return True
        if volcanoes != (1 << MAX_VOLCANOES) - (1 << (MAX_VOLCANOES - count)):
            return True
    return False


@rule
def has_treasure_faults(state: State) -> bool:
    """How often each number of rubies is there, counted in octal digits."""
    counted = 0
    wanted = 0
    for number in range(ROUNDS):
        if not 1 <= state.treasure[number] <= MOST_RUBIES:
            return True
        if state.ordered_stack != 0 and state.treasure[number] != RUBIES[number]:
            return True
        counted += 1 << (3 * state.treasure[number])
        wanted += 1 << (3 * RUBIES[number])
    return counted != wanted


@rule
def has_mask_faults(state: State) -> bool:
    """Face-up cards are known to all, the card in the box to nobody, and seats that are not there
    know nothing."""
    everything = state.up | state.shown
    for seat in range(MAX_SEATS):
        everything |= state.peeked[seat]
        if seat >= state.seats and (state.peeked[seat] | state.look[seat]) != 0:
            return True
    return (everything & ~ISLAND) != 0 or (state.up & ~state.shown) != 0


@rule
def has_look_faults(state: State) -> bool:
    """What a seat looked at it knows: now, and (as long as nothing moves, in the base game) the
    side it chose."""
    for seat in range(state.seats):
        if state.look[seat] & ~state.peeked[seat]:
            return True
    for side in range(SIDES):
        looker = state.looker[side]
        if 0 <= looker < state.seats and state.expert == 0 and SIDE_MASK[side] & ~state.peeked[looker]:
            return True
    return False


@rule
def has_taker_faults(state: State) -> bool:
    """Volcanoes are taken from the top, at most one a seat and round; the seats out of this round
    are those that took one."""
    for number in range(ROUNDS):
        count = 0
        if number < state.round:
            count = count_volcanoes(state)
        elif number == state.round:
            count = state.taken
        takers = 0
        for k in range(MAX_VOLCANOES):
            seat = state.taker[number, k]
            if (
                (k < count) != (0 <= seat < state.seats)
                or (k < count and has(takers, seat))
                or (k >= count and seat != NOTHING)
            ):
                return True
            if k < count:
                takers |= 1 << seat
        if number == state.round and takers != state.out:
            return True
        if number < state.round and 0 <= state.owner[number] < state.seats and has(takers, state.owner[number]):
            return True
    return False


@rule
def has_owner_faults(state: State) -> bool:
    """A treasure for every finished round; who held most birds began this round (R8's cards are
    counted from here)."""
    for number in range(ROUNDS):
        finished = number < state.round or state.phase == OVER
        if finished != (0 <= state.owner[number] < state.seats) or (not finished and state.owner[number] != NOTHING):
            return True
    if state.round > 0:
        for k in range(count_volcanoes(state)):
            if state.volcano[state.round - 1, k] == MOST_BIRDS and state.taker[state.round - 1, k] != state.starter:
                return True
    return False


@rule
def has_last_faults(state: State) -> bool:
    if state.last == NOTHING:
        return state.up != 0
    return not (0 <= state.last < PLACES and has(state.up, state.last))


@rule
def has_block_faults(state: State) -> bool:
    """Only an unrevealed place is blocked, only in the expert game and only while a round is on."""
    if state.blocked == NOTHING:
        return False
    return not (
        0 <= state.blocked < PLACES
        and has(hidden(state), state.blocked)
        and state.expert != 0
        and state.last != NOTHING
    )


@rule
def has_turn_faults(state: State) -> bool:
    return not (0 <= state.turn < state.seats and 0 <= state.starter < state.seats) or has(state.out, state.turn) != 0


@rule
def has_phase_faults(state: State) -> bool:
    """An ability is asked for after its animal; a round is not over while volcanoes are left, and
    over when none is."""
    phase = state.phase
    if not (LOOK <= phase <= OVER and 0 <= state.round < ROUNDS) or (
        phase == LOOK and (state.round != 0 or state.shown != 0)
    ):
        return True
    if (phase == OVER) != (state.taken == count_volcanoes(state)) or (phase == OVER and state.round != ROUNDS - 1):
        return True
    if phase == REVEAL:
        return (hidden(state) & ~(0 if state.blocked == NOTHING else 1 << state.blocked)) == 0
    if PEEK <= phase <= BLOCK:
        if state.expert == 0 or state.last == NOTHING or (phase != SWAP and hidden(state) == 0):
            return True
        revealed = animal(state.card[state.last])
        return revealed != (PENGUIN if phase == PEEK else OCTOPUS if phase == SWAP else WALRUS)
    return False


@rule
def has_side_faults(state: State) -> bool:
    """R2: each seat looks at one side, in turn order; when all have, the phase of looking is
    over."""
    lookers = 0
    count = 0
    for side in range(SIDES):
        seat = state.looker[side]
        if not NOTHING <= seat < state.seats:
            return True
        if seat >= 0:
            lookers |= 1 << seat
            count += 1
    expected = 0
    for k in range(count):
        expected |= 1 << ((state.starter + k) % state.seats)
    if state.phase == LOOK:
        return lookers != expected or count >= state.seats or state.turn != (state.starter + count) % state.seats
    return count != state.seats or lookers != (1 << state.seats) - 1


@rule
def faults(state: State) -> int:
    """One bit per broken invariant, in the order of FAULT_NAMES."""
    if not 2 <= state.seats <= MAX_SEATS:
        return ALL_FAULTS
    return (
        (1 if has_card_faults(state) else 0)
        | (2 if has_volcano_faults(state) else 0)
        | (4 if has_treasure_faults(state) else 0)
        | (8 if has_mask_faults(state) else 0)
        | (16 if has_look_faults(state) else 0)
        | (32 if has_taker_faults(state) else 0)
        | (64 if has_owner_faults(state) else 0)
        | (128 if has_last_faults(state) else 0)
        | (256 if has_block_faults(state) else 0)
        | (512 if has_turn_faults(state) else 0)
        | (1024 if has_phase_faults(state) else 0)
        | (2048 if has_side_faults(state) else 0)
    )
