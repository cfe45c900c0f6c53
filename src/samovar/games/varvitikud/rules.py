"""How the game goes. V numbers are rulings (docs/rulings-explained.md), which RULES.md repeats."""

from __future__ import annotations

from samovar.engine.arrays import Ints, Rng
from samovar.engine.bits import lowest_bit
from samovar.engine.chance import shuffle, starting_seat
from samovar.engine.rule import rule

from .deck import CARDS, EDGES
from .field import can_place, cell_at, edge_of, fitting_cards, lay, spot_key
from .moves import (
    STOP,
    SWAPS,
    is_placement,
    placed_card,
    placed_key,
    placed_turned,
    placement,
    swap,
    swap_offered,
    swap_opponent,
    swap_taken,
)
from .sizes import COLOURS, HAND, HAND_OF_TWO, STICKS_OF_A_COLOUR
from .state import (
    ANY,
    COLOUR,
    DEALT,
    EDGE_BITS,
    GOES_ON,
    MAX_HAND,
    MAX_PLACEMENTS,
    MAX_SEATS,
    MISSING_STICK,
    NO_CARD,
    NO_SEAT,
    NOT_JOINED,
    OVER,
    PILE_ROOM,
    PLACE,
    STICK_MISSING,
    STICK_TAKEN,
    STUCK,
    SWAP,
    Options,
    State,
)

EARLY_SPOTS = 60  # these are bits of one number, the few that may follow of another
ONE_COLOUR = sum(1 << swap(0, seat, 0) - SWAPS for seat in range(MAX_SEATS))  # the same colour at every seat
FITS_NOWHERE = -1  # every bit set: no spot allows all of them


@rule
def full_hand(seats: int) -> int:
    """V7: three cards, four with two seats."""
    return HAND_OF_TWO if seats == 2 else HAND


@rule
def clear_table(state: State, seats: int, half_turn: int) -> None:
    """An empty table: all sticks in the reserve, no card anywhere."""
    state.seats = seats
    state.half_turn = half_turn
    state.last_move = -1
    state.last_seat = NO_SEAT
    for colour in range(COLOURS):
        state.reserve[colour] = STICKS_OF_A_COLOUR
    for i in range(MAX_PLACEMENTS):
        state.placed[i] = NO_CARD
        state.placer[i] = NO_SEAT
    for seat in range(MAX_SEATS):
        for k in range(MAX_HAND):
            state.hand[seat, k] = NO_CARD


@rule
def deal(state: State, seats: int, options: Options, rng: Rng) -> None:
    """Setting up: shuffle, deal the hands, lay the next card at (0, 0)."""
    clear_table(state, seats, options.half_turn)
    first = starting_seat(rng, seats, options.first)
    for card in range(PILE_ROOM):
        state.pile[card] = card if card < CARDS else NO_CARD
    shuffle(rng, state.pile, CARDS)
    state.pile_size = CARDS
    deal_pile(state, first)


@rule
def deal_pile(state: State, first: int) -> None:
    """Deals from the pile: every hand, seat by seat, then the start card; the first seat that can
    place begins (V8)."""
    for seat in range(state.seats):
        for _ in range(full_hand(state.seats)):
            take_card(state, seat)
    lay(state, take_top(state), 0, 0)
    begin_turn(state, first)


@rule
def take_top(state: State) -> int:
    """The top card of the pile leaves it."""
    state.pile_size -= 1
    card = state.pile[state.pile_size]
    state.pile[state.pile_size] = NO_CARD
    return card


@rule
def take_card(state: State, seat: int) -> None:
    """The top card of the pile goes into a hand, which stays sorted."""
    card = take_top(state)
    place = state.hand_size[seat]
    for k in range(MAX_HAND - 1, 0, -1):
        if k <= state.hand_size[seat] and state.hand[seat, k - 1] > card:
            state.hand[seat, k] = state.hand[seat, k - 1]
            place = k - 1
    state.hand[seat, place] = card
    state.hand_size[seat] += 1


@rule
def leave_hand(state: State, seat: int, card: int) -> None:
    found = False
    for k in range(MAX_HAND - 1):
        found = found or state.hand[seat, k] == card
        if found:
            state.hand[seat, k] = state.hand[seat, k + 1]
    state.hand_size[seat] -= 1
    state.hand[seat, state.hand_size[seat]] = NO_CARD


@rule
def actors(state: State) -> int:
    if state.phase == OVER:
        return 0
    turn = state.turn
    return 1 << turn


@rule
def legal(state: State, seat: int, out: Ints) -> int:
    if state.phase == SWAP:
        return legal_swaps(state, seat, out)
    return legal_placements(state, seat, out)


@rule
def legal_placements(state: State, seat: int, out: Ints) -> int:
    """V2, V3: any card of the hand on any open spot where the colours agree at every touching
    edge."""
    count = 0
    for turned in range(state.half_turn + 1):
        count = legal_placements_turned(state, seat, turned, out, count)
    return count


@rule
def legal_placements_turned(state: State, seat: int, turned: int, out: Ints, count: int) -> int:
    """Every spot is looked at once, for all cards of the hand, and which of them fit is noted as
    bits: reading the spots is what takes the time, and whether a card fits is hard to predict."""
    edges_0 = edges_in_hand(state, seat, 0, turned)
    edges_1 = edges_in_hand(state, seat, 1, turned)
    edges_2 = edges_in_hand(state, seat, 2, turned)
    edges_3 = edges_in_hand(state, seat, 3, turned)
    for_0 = 0
    for_1 = 0
    for_2 = 0
    for_3 = 0
    late_0 = 0
    late_1 = 0
    late_2 = 0
    late_3 = 0
    spots = state.spots
    for i in range(min(spots, EARLY_SPOTS)):
        bit = 1 << i
        asked = ~state.spot[i]
        for_0 |= bit if edges_0 & asked == 0 else 0
        for_1 |= bit if edges_1 & asked == 0 else 0
        for_2 |= bit if edges_2 & asked == 0 else 0
        for_3 |= bit if edges_3 & asked == 0 else 0
    for i in range(EARLY_SPOTS, spots):
        bit = 1 << (i - EARLY_SPOTS)
        asked = ~state.spot[i]
        late_0 |= bit if edges_0 & asked == 0 else 0
        late_1 |= bit if edges_1 & asked == 0 else 0
        late_2 |= bit if edges_2 & asked == 0 else 0
        late_3 |= bit if edges_3 & asked == 0 else 0
    count = list_fits(state, placement(turned, state.hand[seat, 0], 0), for_0, late_0, out, count)
    count = list_fits(state, placement(turned, state.hand[seat, 1], 0), for_1, late_1, out, count)
    count = list_fits(state, placement(turned, state.hand[seat, 2], 0), for_2, late_2, out, count)
    return list_fits(state, placement(turned, state.hand[seat, 3], 0), for_3, late_3, out, count)


@rule
def edges_in_hand(state: State, seat: int, k: int, turned: int) -> int:
    """The edges of a card in hand; what fits nowhere if there is none."""
    if k < state.hand_size[seat]:
        return EDGE_BITS[turned, state.hand[seat, k]]
    return FITS_NOWHERE


@rule
def list_fits(state: State, first: int, early: int, late: int, out: Ints, count: int) -> int:
    """The placements of one card: on the spots whose bits are set."""
    while early != 0:
        out[count] = first + spot_key(state.spot[lowest_bit(early)])
        count += 1
        early &= early - 1
    while late != 0:
        out[count] = first + spot_key(state.spot[EARLY_SPOTS + lowest_bit(late)])
        count += 1
        late &= late - 1
    return count


@rule
def legal_swaps(state: State, seat: int, out: Ints) -> int:
    """V5: one stick held now for an opponent's of another colour; stopping is always allowed. What opponents hold is
    bits in the order of the moves' numbers."""
    colours = 0
    for opponent in range(state.seats):
        if opponent != seat:
            colours |= colours_held(state, opponent) << swap(0, opponent, 0) - SWAPS
    count = 0
    for offered in range(COLOURS):
        if state.sticks[seat, offered] > 0:
            taken = colours & ~(ONE_COLOUR << offered)
            while taken != 0:
                out[count] = swap(offered, 0, lowest_bit(taken))
                count += 1
                taken &= taken - 1
    out[count] = STOP
    return count + 1


@rule
def can_swap(state: State, seat: int) -> bool:
    """V5: whether an opponent has a stick of another colour than one of the seat's own: not if
    either has none, or both only the same one."""
    own = colours_held(state, seat)
    for opponent in range(state.seats):
        if opponent != seat:
            theirs = colours_held(state, opponent)
            if own != 0 and theirs != 0 and (own != theirs or own & (own - 1) != 0):
                return True
    return False


@rule
def colours_held(state: State, seat: int) -> int:
    """A bit for each colour of which the seat has a stick."""
    colours = 0
    for colour in range(COLOURS):
        colours |= (1 << colour) if state.sticks[seat, colour] > 0 else 0
    return colours


@rule
def apply(state: State, seat: int, move: int) -> None:
    state.last_seat = seat
    state.last_move = move
    state.drew = 0
    state.passed = 0
    state.passed_first = 0
    if is_placement(move):
        place(state, seat, placed_turned(move), placed_card(move), placed_key(move))
    elif move == STOP:
        finish_turn(state, seat)
    else:
        make_swap(state, seat, move)


@rule
def place(state: State, seat: int, turned: int, card: int, key: int) -> None:
    """V7: a turn is place, sticks, swaps, draw. V5: with k connected edges k - 1 swaps."""
    leave_hand(state, seat, card)
    allowed = lay(state, card, turned, cell_at(state, key))
    state.placed[state.placements] = card
    state.placer[state.placements] = seat
    state.placements += 1
    swaps = take_sticks(state, seat, turned, card, allowed) - 1
    if swaps > 0 and can_swap(state, seat):
        state.phase = SWAP
        state.swaps_left = swaps
    else:
        finish_turn(state, seat)


@rule
def take_sticks(state: State, seat: int, turned: int, card: int, allowed: int) -> int:
    """V6: a stick for every connected edge, edge by edge; a missing one ends the match later.
    Returns the number of connected edges (V5)."""
    connected = 0
    for edge in range(EDGES):
        state.joined[edge] = NOT_JOINED
        if edge_of(allowed, edge) != ANY:
            connected += 1
            colour = COLOUR[turned, card, edge]
            if state.reserve[colour] > 0:
                state.reserve[colour] -= 1
                state.sticks[seat, colour] += 1
                state.joined[edge] = STICK_TAKEN
            else:
                state.ending = MISSING_STICK
                state.joined[edge] = STICK_MISSING
    return connected


@rule
def make_swap(state: State, seat: int, move: int) -> None:
    """V5: one swap; the next follows at once, while there is one left."""
    offered = swap_offered(move)
    taken = swap_taken(move)
    opponent = swap_opponent(move)
    state.sticks[seat, offered] -= 1
    state.sticks[opponent, offered] += 1
    state.sticks[opponent, taken] -= 1
    state.sticks[seat, taken] += 1
    state.swaps_left -= 1
    if state.swaps_left == 0:
        finish_turn(state, seat)


@rule
def next_seat(state: State, seat: int) -> int:
    """C6: clockwise is the next higher number, after the last one seat 0."""
    return seat + 1 if seat + 1 < state.seats else 0


@rule
def finish_turn(state: State, seat: int) -> None:
    """V6: a missing stick ends the match now. V7: otherwise the hand is filled up, and the next
    seat's turn begins."""
    state.swaps_left = 0
    following = next_seat(state, seat)
    if state.ending != GOES_ON:
        state.phase = OVER
        state.turn = following
        return
    if state.pile_size > 0:
        take_card(state, seat)
        state.draws += 1
        state.drew = 1
    begin_turn(state, following)


@rule
def begin_turn(state: State, seat: int) -> None:
    """V4: a seat that cannot place skips. V8: when no seat can, the match is over."""
    turn = seat
    for _ in range(state.seats):
        if can_place(state, turn):
            state.phase = PLACE
            state.turn = turn
            return
        skip(state, seat, turn)
        turn = next_seat(state, turn)
    state.phase = OVER
    state.turn = seat
    state.ending = STUCK


@rule
def skip(state: State, first: int, seat: int) -> None:
    """C3: the seat is passed over. Everybody learns that it holds none of the cards that fit
    now."""
    state.skipped[latest_placement(state, seat)] |= fitting_cards(state)
    state.skips[seat] += 1
    state.passed += 1
    state.passed_first = first


@rule
def latest_placement(state: State, seat: int) -> int:
    """Where a skip of the seat is noted: at its latest placement."""
    for number in range(state.placements - 1, -1, -1):
        if state.placer[number] == seat:
            return number
    return DEALT + seat


@rule
def one_stick(colour: int) -> int:
    """Among sticks as `sticks_of` tells them."""
    return 1 << (4 * colour)


@rule
def sticks_of(state: State, seat: int) -> int:
    """What a seat holds: for each colour, in four bits each, how many sticks."""
    sticks = 0
    for colour in range(COLOURS):
        sticks += state.sticks[seat, colour] * one_stick(colour)
    return sticks


@rule
def points_of(sticks: int) -> int:
    """V9: level j is a set of one stick of each colour held j times or more; a set of n sticks is
    worth 1 + 2 + ... + n, so one point for each stick in it and one for each pair of them. Two colours
    are a pair on as many levels as there are sticks of the rarer one."""
    total = 0
    for colour in range(COLOURS):
        count = (sticks >> (4 * colour)) & 15
        total += count
        for other in range(colour):
            total += min(count, (sticks >> (4 * other)) & 15)
    return total


@rule
def score_of(state: State, seat: int) -> int:
    return points_of(sticks_of(state, seat))


@rule
def scores(state: State, out: Ints) -> None:
    for seat in range(state.seats):
        out[seat] = score_of(state, seat)


@rule
def places(state: State, out: Ints) -> None:
    """V9, C6: the highest score wins; equal scores share the place."""
    for seat in range(state.seats):
        own = score_of(state, seat)
        out[seat] = 1
        for other in range(state.seats):
            if score_of(state, other) > own:
                out[seat] += 1


def max_length(seats: int, options: object) -> int:
    """48 sticks and one last turn: a turn with k connected edges is at most k moves (the placement,
    then k - 1 swaps, or fewer and `stop`) and, unless it ends the match, takes k of the 48 sticks.
    The last turn is at most 4 moves."""
    return COLOURS * STICKS_OF_A_COLOUR + EDGES
