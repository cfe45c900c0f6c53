"""The rules of Memoarrrr!: deal, turns, reveals, abilities, rounds and the end. What seats know is
in `knowledge`."""

from __future__ import annotations

from collections.abc import Mapping

from samovar.engine.arrays import Ints, Rng
from samovar.engine.chance import below, shuffle, starting_seat
from samovar.engine.contract import Value
from samovar.engine.rule import rule

from .moves import BLOCK_MOVE, LOOK_MOVE, PEEK_MOVE, REVEAL_MOVE, SWAP_MOVE
from .sizes import LANDSCAPES, ROUNDS
from .state import (
    ALL_REVEALED,
    BIRDS,
    BLOCK,
    CARDS,
    CONNECTED,
    CRAB,
    DECK_PLACE,
    FAILED,
    LOCATIONS,
    LOOK,
    MAX_SEATS,
    MAX_VOLCANOES,
    MOST_BIRDS,
    NEIGHBOURS,
    NO_REVEAL,
    NOT_STUCK,
    NOTHING,
    OCTOPUS,
    ONLY_BLOCKED,
    OPENED,
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
    Options,
    State,
    animal,
    count_volcanoes,
    has,
    hidden,
    landscape,
)

# The deal.


@rule
def deal(state: State, seats: int, options: Options, rng: Rng) -> None:
    """C1, C2: the starting seat, the island, the volcanoes of all seven rounds and the treasures,
    in this order."""
    state.seats = seats
    state.expert = options.expert
    state.ordered_stack = options.ordered_stack
    state.first_reveal_ability = options.first_reveal_ability
    state.starter = starting_seat(rng, seats, options.first)
    state.turn = state.starter
    state.phase = LOOK
    for card in range(CARDS):
        state.card[card] = card
    shuffle(rng, state.card, CARDS)
    if CARDS < PLACES:
        lay_around_the_sea(state)
    for number in range(ROUNDS):
        lay_volcanoes(state, rng, number, 0)
    lay_treasures(state, rng)
    clear_past(state)


@rule
def lay_around_the_sea(state: State) -> None:
    """The shuffled cards, one at each place that has one; none moves to a lower place."""
    for place in range(PLACES - 1, -1, -1):
        state.card[place] = NOTHING if DECK_PLACE[place] == NOTHING else state.card[DECK_PLACE[place]]


@rule
def clear_past(state: State) -> None:
    """Nothing has happened yet."""
    for number in range(ROUNDS):
        state.owner[number] = NOTHING
        for k in range(MAX_VOLCANOES):
            state.taker[number, k] = NOTHING
    for side in range(SIDES):
        state.looker[side] = NOTHING
    state.last = NOTHING
    state.blocked = NOTHING
    state.did_seat = NOTHING
    state.did_from = NOTHING


@rule
def lay_volcanoes(state: State, rng: Rng, number: int, first: int) -> None:
    """R1: the volcanoes of a round from position `first` down, in random order; those above it
    stay."""
    count = count_volcanoes(state)
    position = first
    for i in range(MAX_VOLCANOES - count, MAX_VOLCANOES):
        lies_above = False
        for k in range(first):
            if state.volcano[number, k] == BIRDS[i]:
                lies_above = True
        if not lies_above:
            state.volcano[number, position] = BIRDS[i]
            position += 1
    for k in range(count - 1, first, -1):
        other = first + below(rng, k - first + 1)
        birds = state.volcano[number, k]
        state.volcano[number, k] = state.volcano[number, other]
        state.volcano[number, other] = birds


@rule
def lay_treasures(state: State, rng: Rng) -> None:
    """Shuffled; with the ordered stack 1, 1, 2, 2, 2, 3, 4 rubies from the top."""
    for number in range(ROUNDS):
        state.treasure[number] = RUBIES[number]
    if state.ordered_stack == 0:
        shuffle(rng, state.treasure, ROUNDS)


# Who may do what.


@rule
def actors(state: State) -> int:
    return 0 if state.phase == OVER else 1 << state.turn


@rule
def legal(state: State, seat: int, out: Ints) -> int:
    phase = state.phase
    if phase == REVEAL:
        return list_places(revealable(state), REVEAL_MOVE, out)
    if phase == PEEK:
        return list_places(hidden(state), PEEK_MOVE, out)
    if phase == BLOCK:
        return list_places(hidden(state), BLOCK_MOVE, out)
    if phase == SWAP:
        return list_places(NEIGHBOURS[state.last], SWAP_MOVE, out)
    return list_sides(state, out)


@rule
def list_places(places: int, first_move: int, out: Ints) -> int:
    """The moves of a set of places. Every number is written, and overwritten unless its place is in
    the set: no branch to guess."""
    count = 0
    for place in range(PLACES):
        out[count] = first_move + place
        count += (places >> place) & 1
    return count


@rule
def list_sides(state: State, out: Ints) -> int:
    """R2: the sides nobody has looked at."""
    count = 0
    for side in range(SIDES):
        if state.looker[side] == NOTHING:
            out[count] = LOOK_MOVE + side
            count += 1
    return count


@rule
def revealable(state: State) -> int:
    """The unrevealed locations, without a blocked one (R11) and, for the very first reveal, without
    those looked at (R3)."""
    places = hidden(state)
    if state.blocked != NOTHING:
        places &= ~(1 << state.blocked)
    if state.last == NOTHING and state.round == 0:
        places &= ~barred(state)
    return places


@rule
def barred(state: State) -> int:
    """R3: the middle locations of the sides that somebody looked at."""
    places = 0
    for side in range(SIDES):
        if state.looker[side] != NOTHING:
            places |= SIDE_MASK[side]
    return places


# Moves.


@rule
def apply(state: State, seat: int, move: int) -> None:
    note(state, seat, move)
    state.look[seat] = 0
    if move < LOOK_MOVE:
        reveal(state, seat, move - REVEAL_MOVE)
    elif move < PEEK_MOVE:
        look_at_side(state, seat, move - LOOK_MOVE)
    elif move < BLOCK_MOVE:
        look_at(state, seat, 1 << (move - PEEK_MOVE))
        end_turn(state, NOTHING)
    elif move < SWAP_MOVE:
        end_turn(state, move - BLOCK_MOVE)
    else:
        swap_octopus(state, move - SWAP_MOVE)
        end_turn(state, NOTHING)


@rule
def note(state: State, seat: int, move: int) -> None:
    """What the news will tell, as far as it would be lost."""
    state.did_seat = seat
    state.did_move = move
    state.did_from = NOTHING
    state.did_result = NO_REVEAL
    state.did_stuck = NOT_STUCK
    state.did_round = state.round
    state.did_taken = state.taken


@rule
def look_at_side(state: State, seat: int, side: int) -> None:
    """R2: a side's three middle locations; after the last seat the starting seat begins round 1."""
    state.looker[side] = seat
    look_at(state, seat, SIDE_MASK[side])
    state.turn = next_seat(state, seat)
    if state.turn == state.starter:
        state.phase = REVEAL


@rule
def look_at(state: State, seat: int, places: int) -> None:
    """The seat alone sees these cards; that it does is public."""
    state.look[seat] = places
    state.peeked[seat] |= places


@rule
def reveal(state: State, seat: int, place: int) -> None:
    """R4: it connects if animal or landscape is that of the last location revealed, R9: only then
    its ability works."""
    card = state.card[place]
    opens = state.last == NOTHING
    connects = opens or are_connected(card, state.card[state.last])
    turn_up(state, place)
    if not connects:
        state.did_result = FAILED
        take_volcano(state, seat)
        end_turn(state, NOTHING)
        return
    state.did_result = OPENED if opens else CONNECTED
    if state.expert != 0 and (not opens or state.first_reveal_ability != 0):
        use_ability(state, animal(card))
    else:
        end_turn(state, NOTHING)


@rule
def are_connected(card: int, other: int) -> bool:
    return animal(card) == animal(other) or landscape(card) == landscape(other)


@rule
def turn_up(state: State, place: int) -> None:
    """R13: everybody sees it, also seats that are out of the round."""
    state.up |= 1 << place
    state.shown |= 1 << place
    state.last = place


@rule
def use_ability(state: State, which: int) -> None:
    """R10 to R12: an ability is a must; the penguin and the walrus need an unrevealed location, the
    turtle does nothing."""
    if which == CRAB:
        begin_turn(state)
    elif which == OCTOPUS:
        state.phase = SWAP
    elif which == PENGUIN and hidden(state) != 0:
        state.phase = PEEK
    elif which == WALRUS and hidden(state) != 0:
        state.phase = BLOCK
    else:
        end_turn(state, NOTHING)


@rule
def swap_octopus(state: State, place: int) -> None:
    """R10: the octopus, which is the last location, changes places with a neighbour; each keeps its
    side up, and all that was known of it."""
    old = state.last
    card = state.card[place]
    state.card[place] = state.card[old]
    state.card[old] = card
    state.up = exchange(state.up, old, place)
    state.shown = exchange(state.shown, old, place)
    untouched = ~((1 << old) | (1 << place))
    for seat in range(MAX_SEATS):
        state.peeked[seat] = exchange(state.peeked[seat], old, place)
        state.look[seat] &= untouched
    state.last = place
    state.did_from = old


@rule
def exchange(mask: int, a: int, b: int) -> int:
    """The set with the membership of two places exchanged."""
    differ = ((mask >> a) ^ (mask >> b)) & 1
    return mask ^ (differ << a) ^ (differ << b)


# Turns and rounds.


@rule
def next_seat(state: State, seat: int) -> int:
    """C6: clockwise."""
    return seat + 1 if seat + 1 < state.seats else 0


@rule
def end_turn(state: State, blocked: int) -> None:
    """A block ends with the turn that it bound (R11), a new one binds the next; seats with a
    volcano are passed over (C3)."""
    state.blocked = blocked
    pass_on(state)
    begin_turn(state)


@rule
def pass_on(state: State) -> None:
    """To the next seat without a volcano; there always is one."""
    seat = next_seat(state, state.turn)
    while has(state.out, seat):
        seat = next_seat(state, seat)
    state.turn = seat


@rule
def begin_turn(state: State) -> None:
    """R5, R11, R12: who has nothing to reveal takes a volcano, and so on; R6: without volcanoes the
    round is over."""
    while state.taken < count_volcanoes(state) and revealable(state) == 0:
        state.did_stuck = ALL_REVEALED if state.blocked == NOTHING else ONLY_BLOCKED
        state.blocked = NOTHING
        take_volcano(state, state.turn)
        pass_on(state)
    state.phase = REVEAL
    if state.taken == count_volcanoes(state):
        end_round(state)


@rule
def take_volcano(state: State, seat: int) -> None:
    state.taker[state.round, state.taken] = seat
    state.taken += 1
    state.out |= 1 << seat


@rule
def end_round(state: State) -> None:
    """R6, R7: the seat without a volcano takes the top treasure unseen; the seventh ends the
    match."""
    state.owner[state.round] = state.turn
    if state.round == ROUNDS - 1:
        state.phase = OVER
        return
    for k in range(count_volcanoes(state)):
        if state.volcano[state.round, k] == MOST_BIRDS:
            state.starter = state.taker[state.round, k]
    state.round += 1
    state.turn = state.starter
    state.taken = 0
    state.out = 0
    state.up = 0
    state.last = NOTHING


# Results.


@rule
def scores(state: State, out: Ints) -> None:
    """The rubies on the treasures of each seat."""
    for seat in range(state.seats):
        out[seat] = 0
    for number in range(ROUNDS):
        if state.owner[number] != NOTHING:
            out[state.owner[number]] += state.treasure[number]


@rule
def rank(state: State, seat: int) -> int:
    """R8: rubies, then treasure cards; the larger the better."""
    worth = 0
    for number in range(ROUNDS):
        if state.owner[number] == seat:
            worth += (ROUNDS + 1) * state.treasure[number] + 1
    return worth


@rule
def places(state: State, out: Ints) -> None:
    """R8, C6: equal seats share the better place, the next is skipped."""
    for seat in range(state.seats):
        out[seat] = 1
        for other in range(state.seats):
            if rank(state, other) > rank(state, seat):
                out[seat] += 1


def max_length(seats: int, options: Mapping[str, Value]) -> int:
    """A bound on the moves of a match: one look a seat, then seven rounds.

    In a round no card is turned face down again, also not when it is swapped, so there are at most
    24 reveals. A reveal asks for at most one more move, and only for a penguin, an octopus or a
    walrus, of which there are 15; a crab's extra turn is a reveal itself. All else is automatic.
    """
    abilities = 3 * LANDSCAPES if options.get("expert") else 0
    return seats + ROUNDS * (LOCATIONS + abilities)
