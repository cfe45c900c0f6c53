"""What must always be so in a state of Memoarrrr!"""

from __future__ import annotations

from collections.abc import Iterator

from samovar.engine.arrays import rows_of

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


def faults(state: State) -> Iterator[str]:
    """With another number of seats nothing is right."""
    for sentence, is_so in CHECKS.items():
        if not 2 <= state.seats <= MAX_SEATS or is_so(state):
            yield sentence


def has_card_faults(state: State) -> bool:
    return sorted(state.card[place] for place in range(PLACES) if has(LAID, place)) != list(range(CARDS))


def has_volcano_faults(state: State) -> bool:
    """R1: each round has its volcanoes once each, and nothing after them."""
    count = count_volcanoes(state)
    in_play = sorted(BIRDS[MAX_VOLCANOES - count :])
    return any(sorted(birds[:count]) != in_play or any(birds[count:]) for birds in rows_of(state.volcano))


def has_treasure_faults(state: State) -> bool:
    laid, wanted = list(state.treasure), list(RUBIES)
    return sorted(laid) != sorted(wanted) or (state.ordered_stack != 0 and laid != wanted)


def has_mask_faults(state: State) -> bool:
    """Face-up cards are known to all, the card in the box to nobody, and seats that are not there
    know nothing."""
    absent = range(state.seats, MAX_SEATS)
    known = [state.up, state.shown, *state.peeked]
    return (
        any(mask & ~ISLAND for mask in known)
        or state.up & ~state.shown != 0
        or any(state.peeked[seat] | state.look[seat] for seat in absent)
    )


def has_look_faults(state: State) -> bool:
    """What a seat looked at it knows: now, and (as long as nothing moves, in the base game) the
    side it chose."""
    looks = [(seat, state.look[seat]) for seat in range(state.seats)]
    if state.expert == 0:
        looks += [(looker, SIDE_MASK[side]) for side, looker in enumerate(state.looker) if 0 <= looker < state.seats]
    return any(look & ~state.peeked[seat] for seat, look in looks)


def has_taker_faults(state: State) -> bool:
    """Volcanoes are taken from the top, at most one a seat and round; the seats out of this round
    are those that took one."""
    for number, row in enumerate(rows_of(state.taker)):
        taken = max(0, state.taken) if number == state.round else 0
        count = count_volcanoes(state) if number < state.round else taken
        takers, rest = row[:count], row[count:]
        if len({*takers, *range(state.seats)}) != state.seats or len({*takers}) != len(takers):
            return True
        if any(seat != NOTHING for seat in rest):
            return True
        if number == state.round and sum(1 << seat for seat in takers) != state.out:
            return True
        if number < state.round and state.owner[number] in takers:
            return True
    return False


def has_owner_faults(state: State) -> bool:
    """A treasure for every finished round; who held most birds began this round (R8's cards are
    counted from here)."""
    for number, owner in enumerate(state.owner):
        is_finished = number < state.round or state.phase == OVER
        if not 0 <= owner < state.seats if is_finished else owner != NOTHING:
            return True
    last = state.round - 1
    return last >= 0 and any(
        state.volcano[last, k] == MOST_BIRDS and state.taker[last, k] != state.starter
        for k in range(count_volcanoes(state))
    )


def has_last_faults(state: State) -> bool:
    if state.last == NOTHING:
        return state.up != 0
    return not (0 <= state.last < PLACES and has(state.up, state.last))


def has_block_faults(state: State) -> bool:
    """Only an unrevealed place is blocked, only in the expert game and only while a round is on."""
    if state.blocked == NOTHING:
        return False
    is_place = 0 <= state.blocked < PLACES and has(hidden(state), state.blocked)
    return not (is_place and state.expert != 0 and state.last != NOTHING)


def has_turn_faults(state: State) -> bool:
    return not (0 <= state.turn < state.seats and 0 <= state.starter < state.seats) or has(state.out, state.turn) != 0


def has_phase_faults(state: State) -> bool:
    """An ability is asked for after its animal; a round is not over while volcanoes are left, and
    over when none is."""
    phase = state.phase
    if not (LOOK <= phase <= OVER and 0 <= state.round < ROUNDS):
        return True
    if phase == LOOK and (state.round != 0 or state.shown != 0):
        return True
    if (phase == OVER) != (state.taken == count_volcanoes(state)) or (phase == OVER and state.round != ROUNDS - 1):
        return True
    if phase == REVEAL:
        return (hidden(state) & ~(0 if state.blocked == NOTHING else 1 << state.blocked)) == 0
    if PEEK <= phase <= BLOCK:
        if state.expert == 0 or state.last == NOTHING or (phase != SWAP and hidden(state) == 0):
            return True
        return animal(state.card[state.last]) != {PEEK: PENGUIN, SWAP: OCTOPUS, BLOCK: WALRUS}[phase]
    return False


def has_side_faults(state: State) -> bool:
    """R2: each seat looks at one side, in turn order; when all have, the phase of looking is
    over."""
    lookers = {seat for seat in state.looker if seat != NOTHING}
    count = SIDES - list(state.looker).count(NOTHING)
    in_turn = {(state.starter + k) % state.seats for k in range(count)}
    if not lookers <= {*range(state.seats)}:
        return True
    if state.phase == LOOK:
        return lookers != in_turn or count >= state.seats or state.turn != (state.starter + count) % state.seats
    return count != state.seats or lookers != {*range(state.seats)}


CHECKS = {
    "a card missing or twice": has_card_faults,
    "wrong volcanoes in a round": has_volcano_faults,
    "wrong treasures": has_treasure_faults,
    "a set of places that cannot be": has_mask_faults,
    "a look at a card the seat does not know": has_look_faults,
    "volcanoes and seats out of the round disagree": has_taker_faults,
    "treasures and winners of rounds disagree": has_owner_faults,
    "the last location is not face up": has_last_faults,
    "a blocked place that cannot be": has_block_faults,
    "the turn of a seat that is not in the round": has_turn_faults,
    "the phase does not fit the table": has_phase_faults,
    "sides and seats disagree": has_side_faults,
}
