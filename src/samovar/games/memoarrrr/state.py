"""The state of a match of Memoarrrr!, the constants all other modules use, and what must always be
true of a state. No rules of play here.

Places are numbered from the south-west, row by row: place = 5 * (digit - 1) + letter, so a1 is 0,
e1 is 4 and e5 is 24 (R0). Cards are numbered card = 5 * animal + landscape. Place 12, c3, holds no
location: its entry in `card` is the card in the box. A set of places is a mask, bit `place`; bit 12
is never set.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from samovar.engine.rule import rule, table

MAX_SEATS = 4
ROUNDS = 7
MAX_VOLCANOES = 3

ANIMALS = 5
LANDSCAPES = 5
CARDS = ANIMALS * LANDSCAPES
PENGUIN, OCTOPUS, WALRUS, CRAB, TURTLE = range(ANIMALS)
ANIMAL_NAMES = ("penguin", "octopus", "walrus", "crab", "turtle")
LANDSCAPE_NAMES = ("lava", "ocean", "jungle", "flowers", "beach")  # R0: the fifth is ours
CARD_NAMES = tuple(f"{animal}-{landscape}" for animal in ANIMAL_NAMES for landscape in LANDSCAPE_NAMES)

WIDTH = 5
PLACES = WIDTH * WIDTH
CENTRE = 12
ISLAND = (1 << PLACES) - 1 - (1 << CENTRE)  # all 24 places of locations
PLACE_NAMES = tuple(f"{'abcde'[place % WIDTH]}{place // WIDTH + 1}" for place in range(PLACES))

SIDES = 4
SIDE_NAMES = ("north", "east", "south", "west")
MIDDLES = (("b5", "c5", "d5"), ("e2", "e3", "e4"), ("b1", "c1", "d1"), ("a2", "a3", "a4"))  # R0
SIDE_MASK = table([sum(1 << PLACE_NAMES.index(name) for name in middle) for middle in MIDDLES])


def _neighbours(place: int) -> int:
    """The places beside a place, orthogonally and never the centre (R10), as a mask."""
    column, row = place % WIDTH, place // WIDTH
    beside = ((column + 1, row), (column - 1, row), (column, row + 1), (column, row - 1))
    return sum(1 << (WIDTH * y + x) for x, y in beside if 0 <= x < WIDTH and 0 <= y < WIDTH) & ISLAND


NEIGHBOURS = table([_neighbours(place) for place in range(PLACES)])

BIRDS = table([1, 3, 7])  # R1: with n volcanoes in play the last n of these
MOST_BIRDS = 7  # lies in play with every number of seats
RUBIES = table([1, 1, 2, 2, 2, 3, 4])  # the treasures; also the ordered stack from its top
ALL_RUBIES = 15

NOTHING = -1

# Phases.
LOOK, REVEAL, PEEK, SWAP, BLOCK, OVER = range(6)
PHASE_NAMES = ("look", "reveal", "peek", "swap", "block", "over")

# What became of the last reveal (`did_result`).
NO_REVEAL, OPENED, CONNECTED, FAILED = range(4)
# Why seats took volcanoes without revealing in the last move (`did_stuck`).
NOT_STUCK, ALL_REVEALED, ONLY_BLOCKED = range(3)

STATE = np.dtype(
    [
        # Sets of places; all of them public (which card lies there is not).
        ("up", np.int32),  # face up now
        ("shown", np.int32),  # the card that lies here now was face up at some time: every seat knows it
        ("peeked", np.int32, (MAX_SEATS,)),  # the card that lies here now was looked at by this seat
        # what the seat looked at in its own last move, until it moves again; 0 nothing
        ("look", np.int32, (MAX_SEATS,)),
        # The deal (hidden, but for what the rules show).
        ("card", np.int8, (PLACES,)),  # card by place, 0 to 24; entry 12 is the card in the box, which nobody sees
        # birds by round, from the top: 1, 3, 7, 0 where there is none; taken and top ones public
        ("volcano", np.int8, (ROUNDS, MAX_VOLCANOES)),
        # rubies from the top, one a round: 1 to 4; hidden to the end, unless the stack is ordered
        ("treasure", np.int8, (ROUNDS,)),
        # What happened; public.
        ("taker", np.int8, (ROUNDS, MAX_VOLCANOES)),  # the seat that took this volcano, -1 nobody yet
        ("owner", np.int8, (ROUNDS,)),  # the seat that took this treasure, -1 nobody yet
        ("looker", np.int8, (SIDES,)),  # the seat that looked at this side before round 1, -1 nobody
        # The table; public.
        ("seats", np.int8),  # 2 to 4
        ("expert", np.int8),  # option: 0 or 1
        ("ordered_stack", np.int8),  # option: 0 or 1
        ("first_reveal_ability", np.int8),  # option: 0 or 1
        ("phase", np.int8),  # LOOK to OVER: what is asked of the seat whose turn it is
        ("round", np.int8),  # 0 to 6; stays 6 at the end
        ("starter", np.int8),  # the seat that began this round
        ("turn", np.int8),  # the seat whose turn it is; at the end the winner of the last round
        ("out", np.int8),  # mask of the seats with a volcano in this round
        ("taken", np.int8),  # how many volcanoes were taken in this round
        ("last", np.int8),  # the place where the last location revealed in this round lies now, -1 none yet
        ("blocked", np.int8),  # the place that the seat in turn may not reveal (walrus), -1 none
        # The last move, for the news; public.
        ("did_seat", np.int8),  # who made it, -1 before the first move
        ("did_move", np.int8),  # its number, 0 to 103
        ("did_from", np.int8),  # where a swapped octopus lay before, -1 no swap
        ("did_result", np.int8),  # NO_REVEAL to FAILED
        ("did_stuck", np.int8),  # NOT_STUCK to ONLY_BLOCKED
        ("did_round", np.int8),  # the round it was made in, 0 to 6
        ("did_taken", np.int8),  # how many volcanoes of that round were taken before it, 0 to 2
    ],
    align=True,
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
def animal(card: int) -> int:
    return card // LANDSCAPES


@rule
def landscape(card: int) -> int:
    return card % LANDSCAPES


@rule
def has(mask: int, place: int) -> int:
    """1 if the place is in the set."""
    return (mask >> place) & 1


@rule
def hidden(state: Any) -> int:
    """The unrevealed locations, as a mask."""
    places: int = ISLAND & ~state.up
    return places


@rule
def known(state: Any, seat: int) -> int:
    """C5: the places whose card the seat has seen, here or before it was swapped here."""
    places: int = state.shown | state.peeked[seat]
    return places


@rule
def count_volcanoes(state: Any) -> int:
    """R1: one volcano fewer than seats is in play."""
    count: int = state.seats - 1
    return count


@rule
def are_rubies_public(state: Any) -> bool:
    """R7: with the ordered stack everybody can work them out, else they are seen at the end."""
    public: bool = state.ordered_stack != 0 or state.phase == OVER
    return public


@rule
def has_card_faults(state: Any) -> bool:
    found = 0
    for place in range(PLACES):
        if 0 <= state.card[place] < CARDS:
            found |= 1 << state.card[place]
    return found != (1 << CARDS) - 1


@rule
def has_volcano_faults(state: Any) -> bool:
    """R1: each round has its volcanoes once each, and nothing after them."""
    count = count_volcanoes(state)
    for number in range(ROUNDS):
        found = 0
        for k in range(MAX_VOLCANOES):
            birds = state.volcano[number, k]
            for i in range(MAX_VOLCANOES):
                if k < count and i >= MAX_VOLCANOES - count and BIRDS[i] == birds:
                    found |= 1 << i
            if k >= count and birds != 0:
                return True
        if found != (1 << MAX_VOLCANOES) - (1 << (MAX_VOLCANOES - count)):
            return True
    return False


@rule
def has_treasure_faults(state: Any) -> bool:
    """How often each number of rubies is there, counted in octal digits."""
    found = 0
    wanted = 0
    for number in range(ROUNDS):
        if not 1 <= state.treasure[number] <= 4:
            return True
        if state.ordered_stack != 0 and state.treasure[number] != RUBIES[number]:
            return True
        found += 1 << (3 * state.treasure[number])
        wanted += 1 << (3 * RUBIES[number])
    return found != wanted


@rule
def has_mask_faults(state: Any) -> bool:
    """Face-up cards are known to all, the card in the box to nobody, and seats that are not there
    know nothing."""
    everything = state.up | state.shown
    for seat in range(MAX_SEATS):
        everything |= state.peeked[seat]
        if seat >= state.seats and (state.peeked[seat] | state.look[seat]) != 0:
            return True
    broken: bool = (everything & ~ISLAND) != 0 or (state.up & ~state.shown) != 0
    return broken


@rule
def has_look_faults(state: Any) -> bool:
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
def has_taker_faults(state: Any) -> bool:
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
def has_owner_faults(state: Any) -> bool:
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
def has_last_faults(state: Any) -> bool:
    if state.last == NOTHING:
        broken: bool = state.up != 0
        return broken
    return not (0 <= state.last < PLACES and has(state.up, state.last))


@rule
def has_block_faults(state: Any) -> bool:
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
def has_turn_faults(state: Any) -> bool:
    return not (0 <= state.turn < state.seats and 0 <= state.starter < state.seats) or has(state.out, state.turn) != 0


@rule
def has_phase_faults(state: Any) -> bool:
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
def has_side_faults(state: Any) -> bool:
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
        broken: bool = (
            lookers != expected or count >= state.seats or state.turn != (state.starter + count) % state.seats
        )
        return broken
    wrong: bool = count != state.seats or lookers != (1 << state.seats) - 1
    return wrong


@rule
def faults(state: Any) -> int:
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
