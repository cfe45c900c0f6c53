"""The rules of Babuschka, for two and four seats. Rulings B1 to B11 are named where they are
applied.

The fields a doll can land on are computed as a set (`landings`), and from there all the rest: a
pull is a neighbouring field of that set, a series of jumps a way through it.
"""

from __future__ import annotations

from collections.abc import Mapping

from samovar.engine.arrays import Ints, Rng
from samovar.engine.bits import lowest_bit
from samovar.engine.chance import starting_seat
from samovar.engine.contract import Value
from samovar.engine.rule import rule

from .board import BOARD, FACING, FREE, GOAL, NORTH, ROWS_TO_GO, SQUARES, START, jumps, pulls
from .moves import end_of, move_number, start_of
from .sizes import FIGURE, STARTING, WIDTH
from .state import (
    BLOCKED,
    DECIDED,
    LARGE,
    MEDIUM,
    NOBODY,
    NOWHERE,
    PATIENCE,
    RUNNING,
    SIZES,
    SMALL,
    Options,
    State,
    at_least,
    count_home,
    goal_of,
    is_home,
    quiet_limit,
    top_size,
)


@rule
def deal(state: State, seats: int, options: Options, rng: Rng) -> None:
    """B1: a full figure, small in medium in large, on each starting field. C1: who begins is
    drawn."""
    state.seats = seats
    state.patience = options.patience
    for seat in range(seats):
        for size in range(FIGURE):
            state.dolls[seat, size] = START[seats, FACING[seats, seat]]
    state.turn = starting_seat(rng, seats, options.first)
    state.last_seat = NOBODY
    state.last_start = NOWHERE
    state.last_end = NOWHERE


@rule
def actors(state: State) -> int:
    mask = 0
    if state.turn != NOBODY:
        mask = 1 << state.turn
    return mask


# Where dolls may go


@rule
def movable(state: State, seat: int, size: int) -> int:
    """The fields from which a seat may move a doll of this size. B3: only as the top doll. B6: not
    from its own goal fields."""
    return state.dolls[seat, size] & ~at_least(state, size + 1) & ~goal_of(state, seat)


@rule
def landings(state: State, seat: int, size: int) -> int:
    """The fields on which a doll of this seat and size may land.

    B3: empty, or with a smaller top doll. B7: with four seats no goal field of the seats to the
    left and right. B5: a goal field of its own only where all smaller sizes are the seat's own;
    larger ones, or a small one of another seat under a small one, are ruled out by B3 already.
    """
    facing = FACING[state.seats, seat]
    in_order = GOAL[state.seats, facing]
    for smaller in range(size):
        in_order &= state.dolls[seat, smaller]
    return (FREE[state.seats, facing] | in_order) & ~at_least(state, size)


@rule
def series(start: int, facing: int, occupied: int, free: int, goal: int) -> int:
    """B4: all fields where some series of jumps from the field `start` (a single bit) can end;
    `free` and `goal` are its legal landings.

    Flooding finds the same fields as trying all series that never land twice on a field: a way that
    does can be cut short at that field. What stands on the board does not change on the way,
    because the doll is lifted from every landing again. The field it left may be empty now, but no
    series can jump over it: jumps keep the parity of column and row, the jumped fields have another
    one. Nor does it end where it began: the doll itself, not yet lifted on our board, keeps that
    field out of the landings of its size. B6: a series ends on a goal field, so flooding does not
    go on from there.
    """
    reached = jumps(start, facing, occupied) & (free | goal)
    fresh = reached & free
    while fresh != 0:
        fresh = jumps(fresh, facing, occupied) & (free | goal) & ~reached
        reached |= fresh
        fresh &= free
    return reached


@rule
def can_move(state: State, seat: int) -> bool:
    """B8: any pull or single jump at all, for all dolls of a size at once."""
    facing = FACING[state.seats, seat]
    occupied = at_least(state, SMALL)
    for size in range(SIZES):
        dolls = movable(state, seat, size)
        landing = landings(state, seat, size)
        if pulls(dolls, facing) & landing != 0 or jumps(dolls, facing, occupied) & landing != 0:
            return True
    return False


@rule
def legal(state: State, seat: int, out: Ints) -> int:
    """B2 to B7: for every doll that may move, the fields it can be pulled to and those where a
    series of jumps can end."""
    facing = FACING[state.seats, seat]
    goal = goal_of(state, seat)
    occupied = at_least(state, SMALL)
    smalls = movable(state, seat, SMALL)
    mediums = movable(state, seat, MEDIUM)
    small_landings = landings(state, seat, SMALL)
    medium_landings = landings(state, seat, MEDIUM)
    large_landings = landings(state, seat, LARGE)
    dolls = smalls | mediums | movable(state, seat, LARGE)
    count = 0
    while dolls != 0:
        start = dolls & -dolls
        dolls ^= start
        square = lowest_bit(start)
        landing = large_landings
        if smalls & start != 0:
            landing = small_landings
        elif mediums & start != 0:
            landing = medium_landings
        near = pulls(start, facing)
        ends = near & landing
        if near & occupied != 0:
            ends |= series(start, facing, occupied, landing & ~goal, landing & goal)
        while ends != 0:
            out[count] = move_number(square, lowest_bit(ends))
            count += 1
            ends &= ends - 1
    return count


# A move


@rule
def apply(state: State, seat: int, move: int) -> None:
    """One doll goes from the top of one field to the top of another; then the next seat that can
    move is on turn."""
    start = start_of(move)
    end = end_of(move)
    size = top_size(state, start)
    state.dolls[seat, size] ^= (1 << start) | (1 << end)
    state.last_seat = seat
    state.last_start = start
    state.last_end = end
    state.passed = 0
    count_quiet(state, seat, start, end)
    if is_home(state, seat):
        finish(state, seat)
    if state.seats - state.finished == 1:
        end_match(state, DECIDED)
    elif state.quiet == quiet_limit(state):
        end_match(state, PATIENCE)
    else:
        pass_turn(state, seat)


@rule
def count_quiet(state: State, seat: int, start: int, end: int) -> None:
    """B10: a move is quiet when its doll came no nearer to its goal row (no doll ever goes back)
    and did not come home.

    A finish is a coming home, so the count is 0 whenever the number of remaining seats changes.
    """
    facing = FACING[state.seats, seat]
    nearer = ROWS_TO_GO[facing, end] < ROWS_TO_GO[facing, start]
    if nearer or (goal_of(state, seat) >> end) & 1:
        state.quiet = 0
    else:
        state.quiet += 1


@rule
def finish(state: State, seat: int) -> None:
    """B9: a seat whose dolls are all home takes the next place."""
    state.finished += 1
    state.place[seat] = state.finished


@rule
def end_match(state: State, reason: int) -> None:
    state.turn = NOBODY
    state.ended = reason


@rule
def pass_turn(state: State, seat: int) -> None:
    """C6: clockwise. B9: finished seats are passed over; B8, C3: so are those that cannot move, and
    that is told.

    B10: when the turn has gone all the way round and nobody could move, the match is over.
    """
    after = seat
    for _ in range(state.seats):
        after += 1
        if after == state.seats:
            after = 0
        if state.place[after] == 0:
            if can_move(state, after):
                state.turn = after
                return
            state.passed |= 1 << after
    end_match(state, BLOCKED)


# How it stands


@rule
def scores(state: State, out: Ints) -> None:
    """The dolls each seat has home, covered ones too."""
    for seat in range(state.seats):
        out[seat] = count_home(state, seat)


@rule
def rows_to_go(state: State, seat: int) -> int:
    """B10: the rows still to go, over all dolls of a seat, covered ones too."""
    facing = FACING[state.seats, seat]
    rows = 0
    for size in range(SIZES):
        dolls = state.dolls[seat, size]
        while dolls != 0:
            rows += ROWS_TO_GO[facing, lowest_bit(dolls)]
            dolls &= dolls - 1
    return rows


@rule
def standing(state: State, seat: int) -> int:
    """A number that is higher the better a seat stands (B9, B10): earlier finish, more dolls home,
    fewer rows to go (at most 84)."""
    worth = 100 * count_home(state, seat) + 99 - rows_to_go(state, seat)
    if state.place[seat] != 0:
        worth = 10000 - state.place[seat]
    return worth


@rule
def places(state: State, out: Ints) -> None:
    """C6: one more than the number of seats that stand better."""
    for seat in range(state.seats):
        own = standing(state, seat)
        out[seat] = 1
        for other in range(state.seats):
            if standing(state, other) > own:
                out[seat] += 1


# How long a match can be. A move that is not quiet brings a doll at least one row nearer, or home
# from within the goal row. 24 dolls have 7 rows each to go: 168 of the first kind. With two seats
# the goal row has no field but goal fields, so there is none of the second kind; with four each of
# the 24 dolls comes home at most once. At most patience * seats - 1 quiet moves come before each of
# these, and at most patience * seats after the last, because then the match is over (B10).


def max_length(seats: int, options: Mapping[str, Value]) -> int:
    """A bound that no match exceeds."""
    dolls = FIGURE * STARTING[seats] * seats
    goal_row = sum(1 << square for square in range(SQUARES) if ROWS_TO_GO[NORTH, square] == 0) & BOARD
    progress = dolls * (WIDTH - 1) + (dolls if goal_row != GOAL[seats, NORTH] else 0)
    patience = options["patience"]
    assert isinstance(patience, int)
    return (progress + 1) * patience * seats


def settle(state: State) -> None:
    """For a position laid out by hand: over when one seat or none is left, or when no seat that
    plays on can move."""
    playing = [seat for seat in range(state.seats) if state.place[seat] == 0]
    state.ended = RUNNING
    if len(playing) <= 1:
        end_match(state, DECIDED)
    elif not any(can_move(state, seat) for seat in playing):
        end_match(state, BLOCKED)
