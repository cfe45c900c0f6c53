"""What networks are shown besides: what one stick more or less is worth, who is ahead, how much room there
is in the field, and a move as parts. Seats are counted from the observer."""

from __future__ import annotations

from samovar.engine.arrays import Ints
from samovar.engine.contract import Part
from samovar.engine.kinds import FLAG, count, one_of, seat_of, starts
from samovar.engine.rule import rule

from .deck import (
    CARDS,
    EDGES,
)
from .field import cell_at, edge_of
from .moves import (
    STOP,
    SWAPS,
    is_placement,
    placed_card,
    placed_key,
    placed_turned,
    swap,
    swap_offered,
    swap_opponent,
    swap_taken,
)
from .observation import LIES, SEATS_SEEN, STICKS, WHERE, X, Y
from .rules import one_stick, points_of, sticks_of
from .sizes import COLOURS
from .state import ANY, COLOUR, MAX_SEATS, State

NONE = -1
OTHERS = MAX_SEATS - 1
USUAL_TURN = 4  # by so many points a turn changes the lead: the median of 60 matches between `medium`
MOST_TURNS = 3

RELATIONS = (
    Part(
        "gains",
        MAX_SEATS * COLOURS,
        "seat by seat from the observer on, by colour: the points that one more stick would bring",
        count(0, COLOURS),
        (MAX_SEATS, COLOURS),
    ),
    Part(
        "losses",
        MAX_SEATS * COLOURS,
        "the same: the points that one stick less would cost, 0 where there is none",
        count(0, COLOURS),
        (MAX_SEATS, COLOURS),
    ),
    Part(
        "ahead",
        OTHERS,
        "other seats one by one: 0 the observer has fewer points now, 1 as many, 2 more; -1 where nobody sits",
        one_of(3),
    ),
    Part(
        "far_ahead",
        OTHERS,
        f"the same: how many usual turns the observer is ahead, of {USUAL_TURN} points each; 0 where nobody sits",
        count(-MOST_TURNS, MOST_TURNS),
    ),
    Part(
        "room",
        EDGES * CARDS,
        "north of each lying card, then east, south, west: 1 + the free sides of the empty place there; 0 where a card "
        "lies, and for cards that do not lie",
        one_of(EDGES, first=1),
        (EDGES, CARDS),
    ),
)
LOSSES, AHEAD, FAR_AHEAD, ROOM = starts(RELATIONS, "losses", "ahead", "far_ahead", "room")
MARGIN = 2  # columns west of the field, and beyond it in the east, where one looks for cards


@rule
def relate(seen: Ints, at: int) -> None:
    relate_sticks(seen, at)
    relate_leads(seen, at)
    relate_room(seen, at + ROOM)


@rule
def relate_sticks(seen: Ints, at: int) -> None:
    """V9: a stick of a colour is worth one more than there are colours of which the seat has more."""
    for k in range(MAX_SEATS):
        first = STICKS + k * COLOURS
        for colour in range(COLOURS):
            own = seen[first + colour]
            gain = 1
            loss = 0
            for other in range(COLOURS):
                gain += seen[first + other] > own
                loss += seen[first + other] >= own
            seen[at + k * COLOURS + colour] = gain
            seen[at + LOSSES + k * COLOURS + colour] = loss if own > 0 else 0


@rule
def relate_leads(seen: Ints, at: int) -> None:
    """V9: by the points that would be scored now."""
    own = points_of(sticks_seen(seen, 0))
    for k in range(OTHERS):
        ahead = NONE
        turns = 0
        if k + 1 < seen[SEATS_SEEN]:
            lead = own - points_of(sticks_seen(seen, k + 1))
            ahead = (lead >= 0) + (lead > 0)
            turns = lead // USUAL_TURN if lead >= 0 else -(-lead // USUAL_TURN)
        seen[at + AHEAD + k] = ahead
        seen[at + FAR_AHEAD + k] = max(-MOST_TURNS, min(MOST_TURNS, turns))


@rule
def sticks_seen(seen: Ints, k: int) -> int:
    """What a seat holds, as `sticks_of` tells it."""
    sticks = 0
    for colour in range(COLOURS):
        sticks += seen[STICKS + k * COLOURS + colour] * one_stick(colour)
    return sticks


@rule
def relate_room(seen: Ints, at: int) -> None:
    """Row by row, with two more on either side in sight. Cards that do not lie are at 0,0 in the
    observation: so is one that does, and what it takes is not taken twice."""
    for k in range(EDGES * CARDS):
        seen[at + k] = 0
    west = 0
    south = 0
    north = 0
    for card in range(CARDS):
        west = min(west, seen[X + card])
        south = min(south, seen[Y + card])
        north = max(north, seen[Y + card])
    below_2 = 0
    below = 0
    row = row_at(seen, south, west)
    above = row_at(seen, south + 1, west)
    for y in range(south, north + 1):
        above_2 = row_at(seen, y + 2, west)
        for card in range(CARDS):
            if seen[Y + card] == y and seen[WHERE + card] >= LIES:
                column = seen[X + card] - west + MARGIN
                seen[at + card] = room_of(above_2, above, row, column)
                seen[at + CARDS + card] = room_of(above, row, below, column + 1)
                seen[at + 2 * CARDS + card] = room_of(row, below, below_2, column)
                seen[at + 3 * CARDS + card] = room_of(above, row, below, column - 1)
        below_2 = below
        below = row
        row = above
        above = above_2


@rule
def row_at(seen: Ints, y: int, west: int) -> int:
    """A bit for each column where a card lies; 54 connected cards lie in 54 columns at most."""
    row = 0
    for card in range(CARDS):
        row |= (seen[Y + card] == y) << (seen[X + card] - west + MARGIN)
    return row


@rule
def room_of(above: int, row: int, below: int, column: int) -> int:
    """Of the place in this column of a row, between the rows above and below."""
    beside = (above >> column & 1) + (below >> column & 1) + (row >> (column - 1) & 1) + (row >> (column + 1) & 1)
    return 0 if row >> column & 1 else 1 + EDGES - beside


ACTS = 3
PLACES, SWAPPED, STOPS = range(ACTS)
CLEAR = 16  # points ahead, or behind: in the same 60 matches about one position in twenty has more

FACTORS = (
    Part("act", 1, "0 place a card, 1 swap sticks, 2 stop", one_of(ACTS)),
    Part("card", 1, "the card placed, else -1", one_of(CARDS)),
    Part("half_turn", 1, "1 if it is placed half turned", FLAG),
    Part("beside", 1, "the lowest-numbered card next to its place, else -1", one_of(CARDS)),
    Part("side", 1, "on which side of that one: north, east, south, west, else -1", one_of(EDGES)),
    Part("joined", COLOURS, "by colour: edges of that colour that it joins", count(0, EDGES)),
    Part("ends", 1, "1 if a stick is missing for it, which ends the match after the swaps", FLAG),
    Part("gives", 1, "the colour of the stick given, else -1", one_of(COLOURS)),
    Part("takes", 1, "the colour of the stick taken, else -1", one_of(COLOURS)),
    Part("with", 1, "the seat with which it is swapped, seats from the observer on, else -1", seat_of(MAX_SEATS)),
    Part("points", 1, "the points that it brings at once", count(-COLOURS, EDGES * COLOURS)),
    Part(
        "ahead",
        1,
        f"points ahead of the best other seat after it, -{CLEAR} to {CLEAR} where it is more",
        count(-CLEAR, CLEAR),
    ),
    Part("opens", COLOURS, "by colour: edges of that colour that the placed card leaves free", count(0, EDGES)),
)
JOINED, ENDS, POINTS, LEAD, OPENS = starts(FACTORS, "joined", "ends", "points", "ahead", "opens")
SIZE = OPENS + COLOURS


@rule
def factor(state: State, seat: int, move: int, out: Ints) -> None:
    for k in range(SIZE):
        out[k] = 0 if k == 2 or JOINED <= k <= ENDS or k >= OPENS else NONE
    more = 0  # the sticks that it brings,
    opponent = NONE  # and who loses them
    if is_placement(move):
        out[0] = PLACES
        more = factor_placement(state, move, out)
    elif move == STOP:
        out[0] = STOPS
    else:
        opponent = swap_opponent(move)
        more = one_stick(swap_taken(move)) - one_stick(swap_offered(move))
        out[0] = SWAPPED
        out[ENDS + 1] = swap_offered(move)
        out[ENDS + 2] = swap_taken(move)
        out[ENDS + 3] = (opponent - seat) % state.seats
    sticks = sticks_of(state, seat)
    points = points_of(sticks + more)
    best = 0
    for other in range(state.seats):
        if other != seat:
            best = max(best, points_of(sticks_of(state, other) - (more if other == opponent else 0)))
    out[POINTS] = points - points_of(sticks)
    out[LEAD] = max(-CLEAR, min(CLEAR, points - best))


@rule
def factor_placement(state: State, move: int, out: Ints) -> int:
    """V5, V6: what joins is what the spot asks for. Returns the sticks that it brings."""
    card = placed_card(move)
    turned = placed_turned(move)
    key = placed_key(move)
    out[1] = card
    out[2] = turned
    out[3] = key // EDGES
    out[4] = key % EDGES
    cell = cell_at(state, key)
    for i in range(state.spots):
        if state.spot_cell[i] == cell:
            for edge in range(EDGES):
                joins = edge_of(state.spot[i], edge) != ANY
                out[(JOINED if joins else OPENS) + COLOUR[turned, card, edge]] += 1
    brought = 0
    for colour in range(COLOURS):
        brought += min(out[JOINED + colour], state.reserve[colour]) * one_stick(colour)
        if out[JOINED + colour] > state.reserve[colour]:
            out[ENDS] = 1
    return brought


@rule
def rotate_move(state: State, seat: int, move: int) -> int:
    """A swap names a seat; as the observer counts seats, from itself on."""
    if move < SWAPS or move == STOP:
        return move
    return swap(swap_offered(move), (swap_opponent(move) - seat) % state.seats, swap_taken(move))


@rule
def rotate_back(state: State, seat: int, move: int) -> int:
    if move < SWAPS or move == STOP:
        return move
    return swap(swap_offered(move), (swap_opponent(move) + seat) % state.seats, swap_taken(move))
