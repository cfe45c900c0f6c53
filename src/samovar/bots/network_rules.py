"""A network as rules: what a seat knows goes in, how the match stands and how good each legal move is come
out. Whole numbers only, so that plain Python and compiled code give the same bytes, on every machine.

`look` reads what a seat knows and leaves all it finds in the working space of the `Net`; `judge`,
`place_chances` and `score` read there. Any rule may call them, a search in the middle of its tree too.

Numbers of a network are counted in 1/256 (ONE). A *matrix* is a few rows of `Net.weights`: how much its
columns weigh (in 2 ** -SHIFT), what is added, and then a row of small numbers for each input. The sums of
products fit 32 bits: `network_file.py` has checked that.
"""

from __future__ import annotations

from math import exp
from typing import NamedTuple

from samovar.engine.arrays import AnyState, IntGrid, Ints
from samovar.engine.heuristics import CERTAIN
from samovar.engine.rule import rule, table
from samovar.engine.tokens import COUNT, MARK, NAME, POINT, SKIP, TABLE
from samovar.engine.ways.stand_ins import factor, factors_size, legal, observation_size, observe, relate, team

ONE = 256
MOST = 64 * ONE - 1  # no number between two layers is larger: the rest is cut off
SHIFT = 24
WHOLE = 1 << 16  # a chance of 1
CLOSE = 4  # things that share a key are added up, and so many count as one

WEIGHT, BIAS, INPUTS = range(3)  # the rows of a matrix

# `Net.sizes`: how many there are of each,
LAYERS, GROUPS, TOKENS, ROLES, MOST_SEATS = range(5)
# where in `Net.weights` begins what each token is by itself, what the parts of a move are, and a matrix,
OWN, MOVE_ROWS, VALUE_IN, MOVE_IN, FIRST_ROLE = range(5, 10)
# and where in `Net.work` the means of the groups, the sums over neighbours, what these come to, all tokens, the
# same cut off, half-way through a layer, and as the things that moves point at in each role.
MEANS, SUMS, MET, NOW, CUTS, HALVES, MEANT = range(10, 17)
SIZES = 17
# Its first rows are for one vector each.
NEAR, HALF, SHARED, MOVE, CHOSEN = range(5)
VECTORS = 5

# A row of `Net.groups`; ROWS is 0 where it does not matter which things are beside each other.
START, SIZE, FIRST_KEY, KEYS, ROWS, COLUMNS = range(6)
# A row of `Net.keys`; FIRST_RAW is -1 where the key of a thing never changes.
FIRST_RAW, FIRST, VALUES, BUCKET = range(4)
# A row of `Net.matrices`, by layer: two of the table, then three of each group.
TABLE_IN, TABLE_OUT, OF_GROUPS = range(3)
IN, OUT, BESIDE, A_GROUP = range(4)

# `Net.facts`: who looked, with how many at the table, and from DONE on what was worked out since
SEAT, SEATS, DONE = range(3)

_STEEPEST = 12 * ONE  # what is so far from the best has no chance in 1/65536
EXP = table([round(WHOLE * exp(-k / ONE)) for k in range(_STEEPEST)])
SIGMOID = table([round(WHOLE / (1 + exp(-k / ONE))) for k in range(-_STEEPEST, _STEEPEST + 1)])


class Net(NamedTuple):
    """A network made ready to be read, by one thread at a time: from `work` on it is its working space."""

    sizes: Ints
    groups: IntGrid
    keys: IntGrid
    matrices: IntGrid
    seen: IntGrid  # `Plan.seen`
    factors: IntGrid  # `Plan.factors`
    weights: IntGrid
    heads: IntGrid  # one matrix: what is asked of the table at last, and in the last column the score of a move
    work: IntGrid
    bucket_of: IntGrid  # by key and thing the row of its bucket, -1 without one; those that never change are there
    facts: Ints
    logits: Ints
    row: Ints  # an observation, or a move as factors


@rule
def clear_row(work: IntGrid, at: int) -> None:
    for o in range(work.shape[1]):
        work[at, o] = 0


@rule
def add_row(work: IntGrid, at: int, rows: IntGrid, row: int) -> None:
    for o in range(work.shape[1]):
        work[at, o] += rows[row, o]


@rule
def put_row(work: IntGrid, at: int, rows: IntGrid, row: int) -> None:
    for o in range(work.shape[1]):
        work[at, o] = rows[row, o]


@rule
def cut(work: IntGrid, at: int, source: int) -> None:
    for o in range(work.shape[1]):
        work[at, o] = min(max(work[source, o], 0), MOST)


@rule
def multiply(work: IntGrid, at: int, source: int, weights: IntGrid, first: int) -> None:
    """Adds the product of a row of numbers and the rows of weights from `first` on. Half of the numbers are 0."""
    width = work.shape[1]
    for k in range(width):
        number = work[source, k]
        if number != 0:
            for o in range(width):
                work[at, o] += number * weights[first + k, o]


@rule
def weighed(weights: IntGrid, matrix: int, o: int, total: int) -> int:
    """What a sum of products in column o of a matrix comes to."""
    return ((total * weights[matrix + WEIGHT, o] + (1 << (SHIFT - 1))) >> SHIFT) + weights[matrix + BIAS, o]


@rule
def settle(work: IntGrid, at: int, weights: IntGrid, matrix: int) -> None:
    """Sums of products become numbers again."""
    for o in range(work.shape[1]):
        work[at, o] = weighed(weights, matrix, o, work[at, o])


@rule
def settle_cut(work: IntGrid, at: int, weights: IntGrid, matrix: int) -> None:
    for o in range(work.shape[1]):
        work[at, o] = min(max(weighed(weights, matrix, o, work[at, o]), 0), MOST)


@rule
def settle_onto(work: IntGrid, at: int, source: int, weights: IntGrid, matrix: int) -> None:
    for o in range(work.shape[1]):
        work[at, o] += weighed(weights, matrix, o, work[source, o])


@rule
def row_of(plan: IntGrid, k: int, number: int) -> int:
    """The row of an embedding that a name or a count chooses, -1: none."""
    above = number - plan[3, k]
    values = plan[4, k]
    if plan[0, k] == COUNT:
        return plan[2, k] + min(max(above, 0), values - 1)
    if 0 <= above < values:
        return plan[2, k] + above
    return -1


@rule
def embed(net: Net) -> None:
    """Each token is its own vector and what is seen of it."""
    tokens = net.sizes[NOW]
    for token in range(net.sizes[TOKENS]):
        put_row(net.work, tokens + token, net.weights, net.sizes[OWN] + token)
    for k in range(net.seen.shape[1]):
        mode = net.seen[0, k]
        if mode == MARK:
            above = net.row[k] - net.seen[3, k]
            if 0 <= above < net.seen[4, k]:
                add_row(net.work, tokens + net.seen[1, k] + above, net.weights, net.seen[2, k])
        elif mode != SKIP:
            row = row_of(net.seen, k, net.row[k])
            if row >= 0:
                add_row(net.work, tokens + net.seen[1, k], net.weights, row)


@rule
def find_keys(net: Net) -> None:
    """Which things are neighbours now."""
    for group in range(net.sizes[GROUPS]):
        for k in range(net.groups[group, KEYS]):
            key = net.groups[group, FIRST_KEY] + k
            if net.keys[key, FIRST_RAW] >= 0:
                for thing in range(net.groups[group, SIZE]):
                    number = net.row[net.keys[key, FIRST_RAW] + thing] - net.keys[key, FIRST]
                    is_known = 0 <= number < net.keys[key, VALUES]
                    net.bucket_of[key, thing] = net.keys[key, BUCKET] + number if is_known else -1


@rule
def cut_all(net: Net) -> None:
    """What the next layer reads: all tokens cut off, and the means of the groups."""
    for token in range(net.sizes[TOKENS]):
        cut(net.work, net.sizes[CUTS] + token, net.sizes[NOW] + token)
    for group in range(net.sizes[GROUPS]):
        size = net.groups[group, SIZE]
        mean = net.sizes[MEANS] + group
        clear_row(net.work, mean)
        for thing in range(size):
            add_row(net.work, mean, net.work, net.sizes[CUTS] + net.groups[group, START] + thing)
        for o in range(net.work.shape[1]):
            net.work[mean, o] //= size


@rule
def whole_table(net: Net, at: int, matrix: int) -> None:
    """The table and the means of all groups, through one matrix."""
    width = net.work.shape[1]
    clear_row(net.work, at)
    multiply(net.work, at, net.sizes[CUTS] + TABLE, net.weights, matrix + INPUTS)
    for group in range(net.sizes[GROUPS]):
        multiply(net.work, at, net.sizes[MEANS] + group, net.weights, matrix + INPUTS + (1 + group) * width)
    settle_cut(net.work, at, net.weights, matrix)


@rule
def meet(net: Net, group: int, matrix: int) -> None:
    """What the neighbours by each key come to in the matrix of a group, once for all who share it."""
    width = net.work.shape[1]
    size = net.groups[group, SIZE]
    things = net.sizes[CUTS] + net.groups[group, START]
    sums = net.sizes[SUMS]
    met = net.sizes[MET]
    for k in range(net.groups[group, KEYS]):
        key = net.groups[group, FIRST_KEY] + k
        for value in range(net.keys[key, VALUES]):
            clear_row(net.work, sums + net.keys[key, BUCKET] + value)
            clear_row(net.work, met + net.keys[key, BUCKET] + value)
        for thing in range(size):
            if net.bucket_of[key, thing] >= 0:
                add_row(net.work, sums + net.bucket_of[key, thing], net.work, things + thing)
        for value in range(net.keys[key, VALUES]):
            bucket = net.keys[key, BUCKET] + value
            for o in range(width):
                net.work[sums + bucket, o] //= CLOSE
            multiply(net.work, met + bucket, sums + bucket, net.weights, matrix + INPUTS + (1 + k) * width)


@rule
def look_beside(net: Net, group: int, thing: int, matrix: int) -> None:
    """A thing and what lies beside it: above, in its own row, below, each from left to right."""
    own = net.sizes[CUTS] + net.groups[group, START] + thing
    columns = net.groups[group, COLUMNS]
    row = thing // columns
    column = thing % columns
    clear_row(net.work, NEAR)
    direction = 0
    for down in range(-1, 2):
        for right in range(-1, 2):
            if down != 0 or right != 0:
                if 0 <= row + down < net.groups[group, ROWS] and 0 <= column + right < columns:
                    other = own + down * columns + right
                    for o in range(net.work.shape[1]):
                        net.work[NEAR, o] += net.work[other, o] * net.weights[matrix + INPUTS + direction, o]
                direction += 1
    for o in range(net.work.shape[1]):
        seen = net.work[own, o] + weighed(net.weights, matrix, o, net.work[NEAR, o])
        net.work[NEAR, o] = min(max(seen, -MOST), MOST)


@rule
def think_of_things(net: Net, group: int, layer: int) -> None:
    """One layer of a group."""
    width = net.work.shape[1]
    start = net.groups[group, START]
    into = net.matrices[layer, OF_GROUPS + group * A_GROUP + IN]
    out = net.matrices[layer, OF_GROUPS + group * A_GROUP + OUT]
    keys = net.groups[group, KEYS]
    meet(net, group, into)
    clear_row(net.work, SHARED)
    multiply(net.work, SHARED, net.sizes[CUTS] + TABLE, net.weights, into + INPUTS + (1 + keys) * width)
    for thing in range(net.groups[group, SIZE]):
        half = net.sizes[HALVES] + start + thing
        put_row(net.work, half, net.work, SHARED)
        for k in range(keys):
            bucket = net.bucket_of[net.groups[group, FIRST_KEY] + k, thing]
            if bucket >= 0:
                add_row(net.work, half, net.work, net.sizes[MET] + bucket)
        own = net.sizes[CUTS] + start + thing
        if net.groups[group, ROWS] > 0:
            look_beside(net, group, thing, net.matrices[layer, OF_GROUPS + group * A_GROUP + BESIDE])
            own = NEAR
        multiply(net.work, half, own, net.weights, into + INPUTS)
        settle_cut(net.work, half, net.weights, into)
    for thing in range(net.groups[group, SIZE]):
        clear_row(net.work, HALF)
        multiply(net.work, HALF, net.sizes[HALVES] + start + thing, net.weights, out + INPUTS)
        settle_onto(net.work, net.sizes[NOW] + start + thing, HALF, net.weights, out)


@rule
def think(net: Net) -> None:
    """All layers. Each reads what was there before it, cut off."""
    for layer in range(net.sizes[LAYERS]):
        cut_all(net)
        for group in range(net.sizes[GROUPS]):
            think_of_things(net, group, layer)
        into = net.matrices[layer, TABLE_IN]
        out = net.matrices[layer, TABLE_OUT]
        whole_table(net, NEAR, into)
        clear_row(net.work, HALF)
        multiply(net.work, HALF, NEAR, net.weights, out + INPUTS)
        settle_onto(net.work, net.sizes[NOW] + TABLE, HALF, net.weights, out)
    cut_all(net)


@rule
def conclude(net: Net) -> None:
    """What is asked of the table, and what all moves share."""
    whole_table(net, NEAR, net.sizes[VALUE_IN])
    for k in range(len(net.logits)):
        total = 0
        for o in range(net.work.shape[1]):
            total += net.work[NEAR, o] * net.heads[INPUTS + o, k]
        net.logits[k] = weighed(net.heads, 0, k, total)
    clear_row(net.work, MOVE)
    multiply(net.work, MOVE, net.sizes[CUTS] + TABLE, net.weights, net.sizes[MOVE_IN] + INPUTS)
    settle(net.work, MOVE, net.weights, net.sizes[MOVE_IN])
    for k in range(net.sizes[ROLES] * net.sizes[TOKENS]):
        net.facts[DONE + k] = 0


@rule
def look(state: AnyState, seat: int, net: Net) -> None:
    """Reads what a seat knows. What is found stays in the net until the next look."""
    observe(state, seat, net.row)
    relate(net.row, observation_size())
    net.facts[SEAT] = seat
    net.facts[SEATS] = state.seats
    embed(net)
    find_keys(net)
    think(net)
    conclude(net)


@rule
def role_row(net: Net, role: int, token: int) -> int:
    """The row of what a thing means to a move that points at it so: worked out when first asked for."""
    count = net.sizes[TOKENS]
    row = net.sizes[MEANT] + role * count + token
    done = DONE + role * count + token
    if net.facts[done] == 0:
        net.facts[done] = 1
        matrix = net.sizes[FIRST_ROLE] + role * (INPUTS + net.work.shape[1])
        clear_row(net.work, row)
        multiply(net.work, row, net.sizes[CUTS] + token, net.weights, matrix + INPUTS)
        settle(net.work, row, net.weights, matrix)
    return row


@rule
def add_part(net: Net, k: int, number: int) -> None:
    """What one number of a move told as parts adds to it."""
    mode = net.factors[0, k]
    if mode == NAME or mode == COUNT:
        row = row_of(net.factors, k, number)
        if row >= 0:
            add_row(net.work, CHOSEN, net.weights, net.sizes[MOVE_ROWS] + row)
        return
    above = number - net.factors[3, k]
    values = net.factors[4, k]
    if mode == POINT:
        if 0 <= above < values:
            add_row(net.work, CHOSEN, net.work, role_row(net, net.factors[2, k], net.factors[1, k] + above))
        return
    times = min(max(above, 0), values - 1)
    if times != 0:
        row = role_row(net, net.factors[2, k], net.factors[1, k])
        for o in range(net.work.shape[1]):
            net.work[CHOSEN, o] += times * net.work[row, o]


@rule
def score(state: AnyState, seat: int, move: int, net: Net) -> int:
    """How good a legal move of the seat that looked is, in 1/256: `weigh` makes chances of such scores."""
    put_row(net.work, CHOSEN, net.work, MOVE)
    if factors_size() == 0:
        add_part(net, 0, move)
    else:
        factor(state, seat, move, net.row)
        for k in range(net.factors.shape[1]):
            add_part(net, k, net.row[k])
    last = len(net.logits)
    total = 0
    for o in range(net.work.shape[1]):
        total += min(max(net.work[CHOSEN, o], 0), MOST) * net.heads[INPUTS + o, last]
    return weighed(net.heads, 0, last, total)


@rule
def weigh(scores: Ints, count: int) -> None:
    """Scores become chances in 1/65536, which add up to 1: what rounding leaves goes to the best."""
    best = 0
    for k in range(1, count):
        if scores[k] > scores[best]:
            best = k
    highest = scores[best]
    total = 0
    for k in range(count):
        below = highest - scores[k]
        scores[k] = EXP[below] if below < _STEEPEST else 0
        total += scores[k]
    left = WHOLE
    for k in range(count):
        scores[k] = scores[k] * WHOLE // total
        left -= scores[k]
    scores[best] += left


@rule
def score_all(state: AnyState, seat: int, net: Net, moves: Ints, scores: Ints) -> int:
    """The legal moves of the seat that looked, and the score of each; says how many there are."""
    count = legal(state, seat, moves)
    for k in range(count):
        scores[k] = score(state, seat, moves[k], net)
    return count


@rule
def opponents_of(seats: int, seat: int) -> int:
    opponents = 0
    for other in range(seats):
        if team(seats, other) != team(seats, seat):
            opponents += 1
    return opponents


@rule
def shares(net: Net, out: Ints) -> None:
    """By seat, in 1/65536: the share of its opponents that it is expected to leave behind, or of all that can be
    reached together. Where all have equally many opponents one half of them is left behind on average, and
    what the network says is moved there."""
    seats = net.facts[SEATS]
    total = 0
    is_even = True
    for k in range(seats):
        seat = (net.facts[SEAT] + k) % seats
        out[seat] = SIGMOID[min(max(net.logits[k] + _STEEPEST, 0), 2 * _STEEPEST)]
        total += out[seat]
        is_even = is_even and opponents_of(seats, seat) == opponents_of(seats, 0)
    if is_even and opponents_of(seats, 0) > 0:
        for seat in range(seats):
            out[seat] = min(max(out[seat] + (seats * WHOLE // 2 - total) // seats, 0), WHOLE)


@rule
def judge(net: Net, out: Ints) -> None:
    """The same as the game's own evaluation gives it: by seat, 0 to 1000."""
    shares(net, out)
    for seat in range(net.facts[SEATS]):
        out[seat] = (out[seat] * CERTAIN + WHOLE // 2) // WHOLE


@rule
def place_chances(net: Net, seat: int, out: Ints) -> None:
    """The chances of a seat to come first, second and so on, in 1/65536."""
    seats = net.facts[SEATS]
    most = net.sizes[MOST_SEATS]
    first = most * (1 + (seat - net.facts[SEAT] + seats) % seats)
    for place in range(seats):
        out[place] = net.logits[first + place]
    weigh(out, seats)
