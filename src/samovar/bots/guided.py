"""The search that a network guides, in rules: `tree` with other eyes.

It is the tree of `tree.py`: one for one seat, through worlds drawn from what the seat knows, with only
the moves that are legal in the world at hand. But a node that is reached for the first time is looked
at by the network, from the eyes of the seat that is to act there. What it expects for all seats is what
came of this simulation, and the moves that it thinks likely become children, each with its chance.
Below, the child is tried that has done well so far, or has a good chance and was tried little (PUCT:
Silver and others, 2017).

Another world may show the same node otherwise: other moves are legal, and who acts there holds other
cards. So a node is looked at again now and then, and whenever too few of its children are legal. A move's
chance is the mean over all looks in which it was legal.

All numbers are integers, so the same seed gives the same tree on every machine.
"""

from __future__ import annotations

from math import sqrt

from samovar.bots.network_rules import WHOLE, Net, judge, look, score, weigh
from samovar.bots.tree import (
    BEGIN,
    CHANCES,
    DEPTH,
    END,
    EXPLORE,
    FIRST,
    FOUND,
    KNOWN,
    MOVE,
    NEXT,
    NODE_FIELDS,
    NONE,
    OBSERVER,
    ORDERS,
    PATH,
    PLAYED,
    ROOT,
    SEARCH_STREAM,
    SEAT,
    SEED,
    SPLIT,
    TOTAL,
    USED,
    VISITS,
    WIDEN,
    add_child,
    after_seeing,
    mover,
    play_on,
)
from samovar.engine.arrays import AnyState, IntGrid, Ints, Rng
from samovar.engine.chance import below, seed_rng
from samovar.engine.heuristics import CERTAIN
from samovar.engine.rule import rule
from samovar.engine.ways.stand_ins import (
    AnyStates,
    actors,
    apply,
    copy_state,
    imagine,
    is_among,
    legal,
    place_of,
    rollout_move,
    sights,
    stand,
)

# More of a node: the chances that looks gave its move, added up, how many looks these were, and how
# often the network has looked at the node itself.
LIKELY, LOOKED, LOOKS = range(NODE_FIELDS, NODE_FIELDS + 3)
GUIDED_FIELDS = NODE_FIELDS + 3

# More orders, see `Guidance`.
FIRST_PLAY, AGAIN, DOUBT, SOFTEN, MIX, OTHERS = range(ORDERS, ORDERS + 6)
GUIDED_ORDERS = ORDERS + 6

TAKEN = -1  # instead of the chance of a move that is a child already


@rule
def likely(nodes: IntGrid, node: int) -> int:
    """The chance that the network gives a move, in 1/65536."""
    mean: int = nodes[node, LIKELY] // nodes[node, LOOKED]
    return mean


@rule
def worth_trying(nodes: IntGrid, node: int, untried: int, explore: int) -> int:
    """PUCT in units of 1/64 of a thousandth: the mean so far, and the more the likelier the move is
    and the less it was tried when it could have been."""
    visits: int = nodes[node, VISITS]
    mean: int = (nodes[node, TOTAL] << 6) // visits if visits > 0 else untried
    chances: int = nodes[node, CHANCES]
    return mean + ((explore * likely(nodes, node) * int(sqrt(chances << 10))) >> 15) // (1 + visits)


@rule
def worth_untried(nodes: IntGrid, node: int, out: Ints, count: int, first_play: int) -> int:
    """What is expected of a child that was not tried yet: what those that were have brought, and less
    the likelier these were; at the root no less, so that nothing is missed there."""
    visits = 0
    total = 0
    tried = 0
    child = nodes[node, FIRST]
    while child != NONE:
        if nodes[child, VISITS] > 0 and is_among(out, count, nodes[child, MOVE]):
            visits += nodes[child, VISITS]
            total += nodes[child, TOTAL]
            tried += likely(nodes, child)
        child = nodes[child, NEXT]
    if visits == 0:
        return 0
    if node == ROOT:
        tried = 0
    return (total << 6) // visits - ((first_play * int(sqrt(tried))) >> 2)


@rule
def legal_children(nodes: IntGrid, node: int, out: Ints, count: int) -> int:
    found = 0
    child = nodes[node, FIRST]
    while child != NONE:
        if is_among(out, count, nodes[child, MOVE]):
            found += 1
        child = nodes[child, NEXT]
    return found


@rule
def best_child(nodes: IntGrid, node: int, out: Ints, count: int, orders: Ints) -> int:
    """The child most worth trying among those legal now, NONE without any. All of these had their chance."""
    untried = worth_untried(nodes, node, out, count, orders[FIRST_PLAY])
    best = NONE
    highest = 0
    child = nodes[node, FIRST]
    while child != NONE:
        if is_among(out, count, nodes[child, MOVE]):
            nodes[child, CHANCES] += 1
            worth = worth_trying(nodes, child, untried, orders[EXPLORE])
            if best == NONE or worth > highest:
                highest = worth
                best = child
        child = nodes[child, NEXT]
    return best


@rule
def look_at_moves(state: AnyState, seat: int, out: Ints, count: int, chances: Ints, orders: Ints, net: Net) -> None:
    """The network looks; the chance of each legal move in 1/65536, some of it spread evenly in case the
    network is wrong."""
    look(state, seat, net)
    for k in range(count):
        chances[k] = score(state, seat, out[k], net) * 100 // orders[SOFTEN]
    weigh(chances, count)
    for k in range(count):
        chances[k] += orders[DOUBT] * (WHOLE // count - chances[k]) // CERTAIN


@rule
def add_likely(nodes: IntGrid, node: int, seat: int, out: Ints, chances: Ints, k: int, orders: Ints) -> None:
    """A move becomes a child with its chance, unless it is one or there is no room."""
    if chances[k] >= 0 and orders[USED] < nodes.shape[0]:
        child = add_child(nodes, node, seat, out[k], orders)
        nodes[child, LIKELY] = chances[k]
        nodes[child, LOOKED] = 1
        chances[k] = TAKEN


@rule
def grow_children(
    nodes: IntGrid, node: int, state: AnyState, seat: int, out: Ints, count: int, chances: Ints, orders: Ints, net: Net
) -> None:
    """The network looks at a node: children get their chances, and the likeliest other moves become children; at
    the root all."""
    look_at_moves(state, seat, out, count, chances, orders, net)
    nodes[node, LOOKS] += 1
    child = nodes[node, FIRST]
    while child != NONE:
        k = place_of(out, count, nodes[child, MOVE])
        if k >= 0:
            nodes[child, LIKELY] += chances[k]
            nodes[child, LOOKED] += 1
            chances[k] = TAKEN
        child = nodes[child, NEXT]
    if node == ROOT or count <= orders[WIDEN]:
        for k in range(count):
            add_likely(nodes, node, seat, out, chances, k, orders)
        return
    for _ in range(orders[WIDEN]):
        best = 0
        for k in range(1, count):
            if chances[k] > chances[best]:
                best = k
        add_likely(nodes, node, seat, out, chances, best, orders)


@rule
def unseen_move(state: AnyState, seat: int, orders: Ints, rng: Rng, out: Ints, chances: Ints, net: Net) -> int:
    """What somebody chooses at the same time as others: a rollout move, or drawn by the chances that the network
    gives."""
    if not orders[OTHERS]:
        return rollout_move(state, seat, rng, out)
    count = legal(state, seat, out)
    look_at_moves(state, seat, out, count, chances, orders, net)
    drawn = below(rng, WHOLE)
    k = 0
    while k < count - 1 and drawn >= chances[k]:
        drawn -= chances[k]
        k += 1
    move: int = out[k]
    return move


@rule
def is_to_be_looked_at(nodes: IntGrid, node: int, out: Ints, count: int, orders: Ints) -> bool:
    """Whether few of the children are legal in this world, or it is time to look again: not at
    the root, which is seen by the observer as it is in all worlds."""
    if node != ROOT and nodes[node, LOOKS] * orders[AGAIN] <= nodes[node, VISITS]:
        return True
    wanted: int = min(count, orders[WIDEN])
    return legal_children(nodes, node, out, count) < wanted


@rule
def descend(
    states: AnyStates, nodes: IntGrid, path: Ints, orders: Ints, rng: Rng, out: Ints, spare: Ints, chances: Ints,
    net: Net,
) -> int:  # fmt: skip
    """From the root down to a node that the network has not seen, or to the end of the match; says how
    many nodes were passed, and in FOUND whether the network looked at the last."""
    node = ROOT
    length = 0
    state = states[PLAYED]
    mask = actors(state)
    unseen = 0  # who chooses at the same time as somebody else and has not chosen yet
    orders[FOUND] = 0
    while mask != 0 and length < PATH - 1:
        if mask & (mask - 1) != 0:
            unseen |= mask
        seat = mover(mask, orders[OBSERVER])
        chooses_unseen = (unseen >> seat) & 1
        unseen &= ~(1 << seat)
        if chooses_unseen and seat != orders[OBSERVER]:
            apply(state, seat, unseen_move(state, seat, orders, rng, out, chances, net))
        else:
            count = legal(state, seat, out)
            is_new = nodes[node, LOOKS] == 0
            if is_new or is_to_be_looked_at(nodes, node, out, count, orders):
                grow_children(nodes, node, state, seat, out, count, chances, orders, net)
                orders[FOUND] = 1
                if is_new and node != ROOT:
                    return length
            best = best_child(nodes, node, out, count, orders)
            if best == NONE:  # no room for a first child; the network has just looked
                return length
            orders[FOUND] = 0
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
def expect(state: AnyState, orders: Ints, rng: Rng, spare: Ints, chances: Ints, net: Net) -> None:
    """What the network that has just looked expects for each seat; where the game likes, mixed with what
    comes of rollout moves and the game's own evaluation."""
    judge(net, spare)
    if orders[MIX] == 0:
        return
    seats = state.seats
    for seat in range(seats):
        chances[seat] = spare[seat]
    play_on(state, orders[DEPTH], rng, spare)
    stand(state, spare)
    for seat in range(seats):
        spare[seat] = (orders[MIX] * spare[seat] + (CERTAIN - orders[MIX]) * chances[seat]) // CERTAIN


@rule
def search(
    states: AnyStates, nodes: IntGrid, path: Ints, orders: Ints, rng: Rng, out: Ints, spare: Ints, chances: Ints,
    net: Net,
) -> None:  # fmt: skip
    """Simulations BEGIN to END, each in a world and with random numbers of its own: down the tree, and what
    is expected there to every node passed."""
    for number in range(orders[BEGIN], orders[END]):
        seed_rng(rng, orders[SEED] + number, SEARCH_STREAM, 0)
        copy_state(states, KNOWN, PLAYED)
        imagine(states[PLAYED], orders[OBSERVER], rng)
        length = descend(states, nodes, path, orders, rng, out, spare, chances, net)
        if orders[FOUND]:
            expect(states[PLAYED], orders, rng, spare, chances, net)
        else:
            stand(states[PLAYED], spare)
        nodes[ROOT, VISITS] += 1
        for k in range(length):
            nodes[path[k], VISITS] += 1
            nodes[path[k], TOTAL] += spare[nodes[path[k], SEAT]]
