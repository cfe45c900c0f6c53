"""The search itself: information-set Monte-Carlo tree search, in rules, so it is compiled together
with the game and runs as plain Python too.

One tree for one seat. Each simulation goes through a world drawn from what the seat knows; a node
is a row of moves made since the root, and only the moves that are legal in the world at hand are
chosen from, each weighed against how often it could have been chosen (Cowling, Powley and
Whitehouse, 2012). A node begins with one move and may have more as it is visited more; those that
the game's heuristics suggest come first. Others who choose at the same time choose by heuristics
and outside the tree: what they choose cannot be known, so nothing may depend on it. Where a game likes
(`Tuning.split`), what is seen after a move leads on to a node of its own: replies to a card that
was turned up can then depend on which it is.

All numbers are integers, so the same seed gives the same tree on every machine.
"""

from __future__ import annotations

from math import log2, sqrt

from samovar.engine.arrays import AnyState, IntGrid, Ints, Rng
from samovar.engine.chance import below, seed_rng
from samovar.engine.rule import rule, table
from samovar.engine.ways.stand_ins import (
    AnyStates,
    actors,
    apply,
    copy_state,
    draw_key,
    imagine,
    is_among,
    legal,
    lowest_seat,
    rollout_move,
    sights,
    stand,
)

# A node, one row of numbers. Below a move there may be nodes for what was seen after it: their MOVE
# is -1 less that, so it is never legal.
MOVE, SEAT, VISITS, CHANCES, TOTAL, FIRST, NEXT = range(7)
NODE_FIELDS = 7
ROOT = 0
NONE = 0  # the root is nobody's child

# What to do, a row of numbers; USED are the nodes in use, FOUND is room for an answer.
OBSERVER, SEED, BEGIN, END, EXPLORE, WIDEN, DEPTH, REUSE, SPLIT, USED, FOUND = range(11)
ORDERS = 11

# The states: what the seat knows, the world it imagines now, and the match played in it.
KNOWN, WORLD, PLAYED = range(3)
STATES = 3

SEARCH_STREAM = 3
PATH = 512  # nodes from the root down at most

# Logarithms to base 2 in steps of 1/1024.
_LOG_SIZE = 4096
LOG = table([0, *(round(1024 * log2(n)) for n in range(1, _LOG_SIZE))])


@rule
def log_of(n: int) -> int:
    halved = 0
    while n >= _LOG_SIZE:
        n >>= 1
        halved += 1024
    return LOG[n] + halved


@rule
def mover(mask: int, observer: int) -> int:
    """Who moves first of those who may: the observer, as only its own choice is known to it."""
    if (mask >> observer) & 1:
        return observer
    return lowest_seat(mask)


@rule
def worth_trying(nodes: IntGrid, node: int, explore: int) -> int:
    """UCB1 in units of 1/64 of a thousandth: the mean so far, and the more the less the move was
    tried when it could have been."""
    visits = nodes[node, VISITS]
    mean: int = (nodes[node, TOTAL] << 6) // visits
    return mean + ((explore * int(sqrt((log_of(nodes[node, CHANCES]) << 10) // visits))) >> 4)


@rule
def has_child(nodes: IntGrid, node: int, move: int) -> bool:
    child = nodes[node, FIRST]
    while child != NONE:
        if nodes[child, MOVE] == move:
            return True
        child = nodes[child, NEXT]
    return False


@rule
def add_child(nodes: IntGrid, node: int, seat: int, move: int, orders: Ints) -> int:
    child: int = orders[USED]
    orders[USED] = child + 1
    nodes[child, MOVE] = move
    nodes[child, SEAT] = seat
    nodes[child, VISITS] = 0
    nodes[child, CHANCES] = 1
    nodes[child, TOTAL] = 0
    nodes[child, FIRST] = NONE
    nodes[child, NEXT] = nodes[node, FIRST]
    nodes[node, FIRST] = child
    return child


@rule
def best_child(nodes: IntGrid, node: int, out: Ints, count: int, orders: Ints) -> int:
    """The child most worth trying among those legal now, NONE without any. All of these had their
    chance, and are counted in FOUND."""
    best = NONE
    highest = -1
    legal_children = 0
    child = nodes[node, FIRST]
    while child != NONE:
        if is_among(out, count, nodes[child, MOVE]):
            legal_children += 1
            nodes[child, CHANCES] += 1
            worth = worth_trying(nodes, child, orders[EXPLORE])
            if worth > highest:
                highest = worth
                best = child
        child = nodes[child, NEXT]
    orders[FOUND] = legal_children
    return best


@rule
def new_move(
    nodes: IntGrid, node: int, state: AnyState, seat: int, out: Ints, count: int, rng: Rng, spare: Ints
) -> int:
    """A legal move that the node does not have yet: what the heuristics suggest, or else any."""
    move = rollout_move(state, seat, rng, spare)
    k = below(rng, count)
    while has_child(nodes, node, move):
        move = out[k]
        k = k + 1 if k + 1 < count else 0
    return move


@rule
def after_seeing(nodes: IntGrid, node: int, seen: int, orders: Ints) -> int:
    """The node for what is seen after a move; without room for a new one the move's own."""
    child: int = nodes[node, FIRST]
    while child != NONE:
        if nodes[child, MOVE] == -1 - seen:
            return child
        child = nodes[child, NEXT]
    if orders[USED] < nodes.shape[0]:
        return add_child(nodes, node, orders[OBSERVER], -1 - seen, orders)
    return node


@rule
def descend(states: AnyStates, nodes: IntGrid, path: Ints, orders: Ints, rng: Rng, out: Ints, spare: Ints) -> int:
    """From the root down to a new node, or to the end of the match; says how many nodes were
    passed."""
    node = ROOT
    length = 0
    state = states[PLAYED]
    mask = actors(state)
    unseen = 0  # who chooses at the same time as somebody else and has not chosen yet
    while mask != 0 and length < PATH - 1:
        if mask & (mask - 1) != 0:
            unseen |= mask
        seat = mover(mask, orders[OBSERVER])
        chooses_unseen = (unseen >> seat) & 1
        unseen &= ~(1 << seat)
        if chooses_unseen and seat != orders[OBSERVER]:
            apply(state, seat, rollout_move(state, seat, rng, spare))
        else:
            count = legal(state, seat, out)
            best = best_child(nodes, node, out, count, orders)
            legal_children = orders[FOUND]
            may_widen = legal_children < 2 or legal_children * legal_children <= orders[WIDEN] * nodes[node, VISITS]
            if legal_children < count and may_widen and orders[USED] < nodes.shape[0]:
                move = new_move(nodes, node, state, seat, out, count, rng, spare)
                path[length] = add_child(nodes, node, seat, move, orders)
                apply(state, seat, move)
                return length + 1
            if best == NONE:  # no room for a first child
                return length
            node = best
            path[length] = node
            length += 1
            apply(state, seat, nodes[node, MOVE])
            if orders[SPLIT]:
                node = after_seeing(nodes, node, sights(state, orders[OBSERVER]), orders)
                if node != best:
                    path[length] = node
                    length += 1
        mask = actors(state)
    return length


@rule
def play_on(state: AnyState, depth: int, rng: Rng, spare: Ints) -> None:
    """Rollout moves to the end of the match, or at most `depth` of them."""
    mask = actors(state)
    played = 0
    while mask != 0 and played < depth:
        seat = lowest_seat(mask)
        apply(state, seat, rollout_move(state, seat, rng, spare))
        mask = actors(state)
        played += 1


@rule
def simulate(states: AnyStates, nodes: IntGrid, path: Ints, orders: Ints, rng: Rng, out: Ints, spare: Ints) -> None:
    """One match in the world at hand: down the tree, on by rollout moves, and what came of it to
    every node passed."""
    copy_state(states, WORLD, PLAYED)
    draw_key(states[PLAYED], rng)  # a world may serve several times, with other throws
    length = descend(states, nodes, path, orders, rng, out, spare)
    play_on(states[PLAYED], orders[DEPTH], rng, spare)
    stand(states[PLAYED], spare)
    nodes[ROOT, VISITS] += 1
    for k in range(length):
        node = path[k]
        nodes[node, VISITS] += 1
        nodes[node, TOTAL] += spare[nodes[node, SEAT]]


@rule
def search(states: AnyStates, nodes: IntGrid, path: Ints, orders: Ints, rng: Rng, out: Ints, spare: Ints) -> None:
    """Simulations BEGIN to END. Each has random numbers of its own, so they can be made in portions
    of whole worlds."""
    for number in range(orders[BEGIN], orders[END]):
        seed_rng(rng, orders[SEED] + number, SEARCH_STREAM, 0)
        if number % orders[REUSE] == 0:
            copy_state(states, KNOWN, WORLD)
            imagine(states[WORLD], orders[OBSERVER], rng)
        simulate(states, nodes, path, orders, rng, out, spare)


@rule
def keep(nodes: IntGrid, kept: IntGrid, node: int) -> int:
    """A node with all below it as a tree of its own, as far as there is room; says how many nodes
    it has. Row by row: what is copied before its children still names them by their old numbers."""
    for k in range(nodes.shape[1]):
        kept[ROOT, k] = nodes[node, k]
    kept[ROOT, NEXT] = NONE
    used = ROOT + 1
    parent = ROOT
    while parent < used:
        child = kept[parent, FIRST]
        kept[parent, FIRST] = NONE
        last = NONE
        while child != NONE and used < kept.shape[0]:
            for k in range(nodes.shape[1]):
                kept[used, k] = nodes[child, k]
            if last == NONE:
                kept[parent, FIRST] = used
            else:
                kept[last, NEXT] = used
            kept[used, NEXT] = NONE
            last = used
            used += 1
            child = nodes[child, NEXT]
        parent += 1
    return used
