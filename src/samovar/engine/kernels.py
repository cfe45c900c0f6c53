"""What is done to a match, once for all games and all three ways of running.

Each operation works on one match and has the same parameters, so that one loop (CPU) and one kernel
(GPU) serve all of them: `state`, the index `i` of the match, three arrays (or a `Turn`) `a`, `b`,
`c` whose meaning the operation states, and scratch space: `rng` (4 integers), `out` (room for the
legal moves), `seen` (room for one observation).

The functions in the first part stand for those of a game; `backend` binds them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from samovar.engine.chance import below, seed_rng
from samovar.engine.rule import rule

DEAL_STREAM = 0
MOVE_STREAM = 1
WORLD_STREAM = 2

NEXT_DEAL = 1 << 40
DEAL_EVERY = 8
MOST_DEALS = 100  # a deal may be over before anybody can act; so many in a row are not

CERTAIN = 1000  # a share of 1: all opponents left behind

NOT_AN_ACTOR = -1
ILLEGAL = -2

NOBODY = -1  # the actor of a match that is over
NO_MOVE = -1  # what is played in a match that is to wait
MAX_SEED = 2**63 - 1


@rule
def deal(state: Any, seats: int, options: Any, rng: Any) -> None:
    """Bound to the game's."""


@rule
def actors(state: Any) -> int:
    """Bound to the game's."""
    return 0


@rule
def legal(state: Any, seat: int, out: Any) -> int:
    """Bound to the game's."""
    return 0


@rule
def apply(state: Any, seat: int, move: int) -> None:
    """Bound to the game's."""


@rule
def scores(state: Any, out: Any) -> None:
    """Bound to the game's."""


@rule
def places(state: Any, out: Any) -> None:
    """Bound to the game's."""


@rule
def determinize(state: Any, seat: int, rng: Any) -> None:
    """Bound to the game's."""


@rule
def observe(state: Any, seat: int, out: Any) -> None:
    """Bound to the game's."""


@rule
def faults(state: Any) -> int:
    """Bound to the game's."""
    return 0


@rule
def clear(state: Any) -> None:
    """Bound to a function that zeroes a state of the game: `deal` expects one."""


@rule
def evaluate(state: Any, out: Any) -> None:
    """Bound to that of the game's instinct."""


@rule
def quick(state: Any, seat: int, rng: Any, out: Any) -> int:
    """Bound to that of the game's instinct."""
    return 0


@rule
def sights(state: Any, seat: int) -> int:
    """Bound to that of the game's instinct."""
    return 0


@rule
def forget(state: Any, seat: int, facts: int, rng: Any) -> None:
    """Bound to that of the game's instinct."""


@rule
def copy_state(states: Any, source: int, target: int) -> None:
    """Bound to `copy_record`, or to what copies a state in plain Python."""


@rule
def copy_record(states: Any, source: int, target: int) -> None:
    states[target] = states[source]


@rule
def share_of_places(state: Any, out: Any) -> None:
    """How well each seat stands by its place now: of its opponents a seat leaves behind those
    placed lower, and half of its equals."""
    places(state, out)
    seats = state.seats
    for seat in range(seats):
        behind = 0
        for other in range(seats):
            # The places of seats before this one are already overwritten by their share: they are
            # kept in the upper bits.
            place = out[other] & 15
            if place > (out[seat] & 15):
                behind += 2
            elif place == (out[seat] & 15) and other != seat:
                behind += 1
        out[seat] |= (behind * CERTAIN // (2 * max(seats - 1, 1))) << 4
    for seat in range(seats):
        out[seat] >>= 4


@rule
def stand(state: Any, out: Any) -> None:
    """How well each seat stands: by its place when the match is over, else by the game's
    evaluation."""
    if actors(state) == 0:
        share_of_places(state, out)
    else:
        evaluate(state, out)


@rule
def lowest_seat(mask: int) -> int:
    seat = 0
    while not (mask >> seat) & 1:
        seat += 1
    return seat


@rule
def is_among(out: Any, count: int, move: int) -> bool:
    """Whether an ascending list holds a move."""
    low = 0
    high = count
    while low < high:
        middle = (low + high) // 2
        if out[middle] < move:
            low = middle + 1
        else:
            high = middle
    return low < count and out[low] == move


@rule
def act(state: Any, seat: int, move: int, out: Any) -> int:
    """One checked move: the actors after it, or NOT_AN_ACTOR or ILLEGAL, and then nothing has
    changed."""
    if seat < 0 or not (actors(state) >> seat) & 1:
        return NOT_AN_ACTOR
    if not is_among(out, legal(state, seat, out), move):
        return ILLEGAL
    apply(state, seat, move)
    return actors(state)


@rule
def deal_one(state: Any, i: int, a: Any, b: Any, c: Any, rng: Any, out: Any, seen: Any) -> None:
    """`a` set-up (seats and options, one for all) · `b[i]` seed."""
    clear(state)
    seed_rng(rng, b[i], DEAL_STREAM, 0)
    deal(state, a[0].seats, a[0], rng)


@rule
def actors_one(state: Any, i: int, a: Any, b: Any, c: Any, rng: Any, out: Any, seen: Any) -> None:
    """`a[i]` the actors, written."""
    a[i] = actors(state)


@rule
def legal_one(state: Any, i: int, a: Any, b: Any, c: Any, rng: Any, out: Any, seen: Any) -> None:
    """`a[i]` seat · `b[i, :]` its legal moves, written · `c[i]` how many, written."""
    count = legal(state, a[i], out)
    c[i] = count
    for k in range(count):
        b[i, k] = out[k]


@rule
def step_one(state: Any, i: int, a: Any, b: Any, c: Any, rng: Any, out: Any, seen: Any) -> None:
    """`a[i]` seat · `b[i]` move · `c[i]` what `act` answers, written."""
    c[i] = act(state, a[i], b[i], out)


@rule
def random_one(state: Any, i: int, a: Any, b: Any, c: Any, rng: Any, out: Any, seen: Any) -> None:
    """Random moves: `a[i]` seed · `b[i]` moves made so far, raised · `c[0]` at most so many more.
    The lowest actor moves first.

    The generator's counter is the number of moves made, so a match can be played on in portions.
    """
    seed_rng(rng, a[i], MOVE_STREAM, b[i])
    made = 0
    mask = actors(state)
    while mask != 0 and made < c[0]:
        seat = lowest_seat(mask)
        apply(state, seat, out[below(rng, legal(state, seat, out))])
        made += 1
        mask = actors(state)
    b[i] += made


@rule
def endless_one(state: Any, i: int, a: Any, b: Any, c: Any, rng: Any, out: Any, seen: Any) -> None:
    """Random matches one after another: `a` set-up · `b[i]` seed of the first deal, each later one
    is NEXT_DEAL higher · `c[i]` steps, becomes the moves made in them.

    For measuring. A match that is over waits for the next DEAL_EVERY-th step: so the threads of a
    GPU deal together, where each would else wait whenever another one deals.
    """
    made = 0
    mask = 0
    for step in range(c[i]):
        if mask == 0 and step % DEAL_EVERY == 0:
            deal_again(state, i, a, b, rng)
            mask = actors(state)
        if mask != 0:
            seat = lowest_seat(mask)
            apply(state, seat, out[below(rng, legal(state, seat, out))])
            made += 1
            mask = actors(state)
    c[i] = made


@rule
def observed_one(state: Any, i: int, a: Any, b: Any, c: Any, rng: Any, out: Any, seen: Any) -> None:
    """As `endless_one`, and the mover's observation is written before every move."""
    made = 0
    mask = 0
    for step in range(c[i]):
        if mask == 0 and step % DEAL_EVERY == 0:
            deal_again(state, i, a, b, rng)
            mask = actors(state)
        if mask != 0:
            seat = lowest_seat(mask)
            observe(state, seat, seen)
            apply(state, seat, out[below(rng, legal(state, seat, out))])
            made += 1
            mask = actors(state)
    c[i] = made


@rule
def deal_again(state: Any, i: int, a: Any, b: Any, rng: Any) -> None:
    clear(state)
    seed_rng(rng, b[i], DEAL_STREAM, 0)
    deal(state, a[0].seats, a[0], rng)
    b[i] += NEXT_DEAL


class Turn(NamedTuple):
    """Where every match of a batch stands, as `Batch.step` keeps it: arrays with one row a match.

    `observations` and `mask` have rows of length 0 until somebody asks for them.
    """

    setup: Any  # seats and options, one for all
    unit: Any  # the reward for each seat left behind, one for all
    seeds: Any  # of the present deals
    actor: Any  # the seat to act, NOBODY when the match is over
    ended: Any  # whether the last step ended a match here
    rewards: Any  # by seat, for the match that the last step ended
    moves: Any  # the actor's legal moves, ascending
    counts: Any  # how many
    observations: Any  # what the actor knows
    mask: Any  # its legal moves as flags


@rule
def is_offered(turn: Any, i: int, move: int) -> bool:
    """Whether a move is among the legal ones of the actor, or NO_MOVE."""
    if move == NO_MOVE:
        return True
    low = 0
    high = turn.counts[i]
    while low < high:
        middle = (low + high) // 2
        if turn.moves[i, middle] < move:
            low = middle + 1
        else:
            high = middle
    return bool(low < turn.counts[i] and turn.moves[i, low] == move)


@rule
def withdraw(turn: Any, i: int) -> None:
    """Clears the flags of the moves offered so far: rows are long and moves are few."""
    if turn.mask.shape[1] > 0:
        for k in range(turn.counts[i]):
            turn.mask[i, turn.moves[i, k]] = False


@rule
def offer(state: Any, i: int, turn: Any, out: Any, seen: Any) -> None:
    """Writes who is to act, the lowest actor, what it may do and what it knows. When choices are
    simultaneous it knows nothing of those made."""
    mask = actors(state)
    count = 0
    turn.actor[i] = NOBODY
    if mask != 0:
        seat = lowest_seat(mask)
        turn.actor[i] = seat
        count = legal(state, seat, out)
        for k in range(count):
            turn.moves[i, k] = out[k]
            if turn.mask.shape[1] > 0:
                turn.mask[i, out[k]] = True
        if turn.observations.shape[1] > 0:
            observe(state, seat, seen)
            for k in range(turn.observations.shape[1]):
                turn.observations[i, k] = seen[k]
    turn.counts[i] = count


@rule
def reward(state: Any, i: int, turn: Any, out: Any) -> None:
    """By place: a seat gains from each one it leaves behind what it loses to each one ahead."""
    places(state, out)
    for seat in range(turn.rewards.shape[1]):
        ahead = 0
        behind = 0
        for other in range(turn.rewards.shape[1]):
            if out[other] < out[seat]:
                ahead += 1
            elif out[other] > out[seat]:
                behind += 1
        turn.rewards[i, seat] = (behind - ahead) * turn.unit[0]


@rule
def next_seed(seed: int) -> int:
    """Of the next deal at the same place: NEXT_DEAL higher, from the bottom again after the highest
    seed."""
    rest = MAX_SEED - seed
    return seed + NEXT_DEAL if rest >= NEXT_DEAL else NEXT_DEAL - 1 - rest


@rule
def deal_next(state: Any, i: int, turn: Any, rng: Any) -> None:
    """The next deal of a place in which somebody can act."""
    deals = 0
    while actors(state) == 0 and deals < MOST_DEALS:
        turn.seeds[i] = next_seed(turn.seeds[i])
        clear(state)
        seed_rng(rng, turn.seeds[i], DEAL_STREAM, 0)
        deal(state, turn.setup[0].seats, turn.setup[0], rng)
        deals += 1


@rule
def offer_one(state: Any, i: int, a: Any, b: Any, c: Any, rng: Any, out: Any, seen: Any) -> None:
    """`a` Turn: what the actor may do and knows, written · `b[0]` whether a match that is over is
    dealt anew."""
    withdraw(a, i)
    if b[0]:
        deal_next(state, i, a, rng)
    offer(state, i, a, out, seen)


@rule
def check_one(state: Any, i: int, a: Any, b: Any, c: Any, rng: Any, out: Any, seen: Any) -> None:
    """`a` Turn · `b[i]` move · `c[0]` becomes 1 where it is not among those offered."""
    if not is_offered(a, i, b[i]):
        c[0] = 1


@rule
def advance_one(state: Any, i: int, a: Any, b: Any, c: Any, rng: Any, out: Any, seen: Any) -> None:
    """`a` Turn, written · `b[i]` a move that was offered, or NO_MOVE · `c[0]` whether a match that
    ends is dealt anew at once."""
    if a.ended[i]:
        a.ended[i] = False
        for seat in range(a.rewards.shape[1]):
            a.rewards[i, seat] = 0
    if b[i] != NO_MOVE:
        withdraw(a, i)
        apply(state, a.actor[i], b[i])
        if actors(state) == 0:
            a.ended[i] = True
            reward(state, i, a, out)
            if c[0]:
                deal_next(state, i, a, rng)
        offer(state, i, a, out, seen)


@rule
def any_move_one(state: Any, i: int, a: Any, b: Any, c: Any, rng: Any, out: Any, seen: Any) -> None:
    """`a` Turn · `b[i]` how often this was asked, raised · `c[i]` one of the moves offered, all
    equally likely, or NO_MOVE, written."""
    seed_rng(rng, a.seeds[i], MOVE_STREAM, b[i])
    b[i] += 1
    c[i] = NO_MOVE
    if a.counts[i] > 0:
        c[i] = a.moves[i, below(rng, a.counts[i])]


@rule
def observe_one(state: Any, i: int, a: Any, b: Any, c: Any, rng: Any, out: Any, seen: Any) -> None:
    """`a[i]` seat · `b[i, :]` its observation, written."""
    observe(state, a[i], seen)
    for k in range(b.shape[1]):
        b[i, k] = seen[k]


@rule
def scores_one(state: Any, i: int, a: Any, b: Any, c: Any, rng: Any, out: Any, seen: Any) -> None:
    """`a[i, :]` points by seat, written · `b[i, :]` places by seat, written."""
    scores(state, out)
    for seat in range(a.shape[1]):
        a[i, seat] = out[seat]
    places(state, out)
    for seat in range(b.shape[1]):
        b[i, seat] = out[seat]


@rule
def determinize_one(state: Any, i: int, a: Any, b: Any, c: Any, rng: Any, out: Any, seen: Any) -> None:
    """`a[i]` seat · `b[i]` seed of the world drawn."""
    seed_rng(rng, b[i], WORLD_STREAM, 0)
    determinize(state, a[i], rng)


@rule
def faults_one(state: Any, i: int, a: Any, b: Any, c: Any, rng: Any, out: Any, seen: Any) -> None:
    """`a[i]` the broken invariants, written."""
    a[i] = faults(state)


@rule
def evaluate_one(state: Any, i: int, a: Any, b: Any, c: Any, rng: Any, out: Any, seen: Any) -> None:
    """`a[i, :]` how well each seat stands, 0 to 1000, written."""
    stand(state, out)
    for seat in range(a.shape[1]):
        a[i, seat] = out[seat]


@rule
def quick_one(state: Any, i: int, a: Any, b: Any, c: Any, rng: Any, out: Any, seen: Any) -> None:
    """`a[i]` seat · `b[i]` seed · `c[i]` a quick move of it, written."""
    seed_rng(rng, b[i], MOVE_STREAM, 0)
    c[i] = quick(state, a[i], rng, out)


@rule
def sights_one(state: Any, i: int, a: Any, b: Any, c: Any, rng: Any, out: Any, seen: Any) -> None:
    """`a[0]` seat, one for all · `b[i]` the facts it sees, written."""
    b[i] = sights(state, a[0])


@rule
def forget_one(state: Any, i: int, a: Any, b: Any, c: Any, rng: Any, out: Any, seen: Any) -> None:
    """`a[i]` seat · `b[i]` the facts it forgets · `c[i]` seed."""
    seed_rng(rng, c[i], WORLD_STREAM, 0)
    forget(state, a[i], b[i], rng)


OPERATIONS = {
    "deal": deal_one,
    "actors": actors_one,
    "legal": legal_one,
    "step": step_one,
    "offer": offer_one,
    "check": check_one,
    "advance": advance_one,
    "any_move": any_move_one,
    "random": random_one,
    "endless": endless_one,
    "observed": observed_one,
    "observe": observe_one,
    "scores": scores_one,
    "determinize": determinize_one,
    "faults": faults_one,
    "evaluate": evaluate_one,
    "quick": quick_one,
    "sights": sights_one,
    "forget": forget_one,
}


@rule
def operation(state: Any, i: int, a: Any, b: Any, c: Any, rng: Any, out: Any, seen: Any) -> None:
    """Bound to one of OPERATIONS."""


def loop(states: Any, a: Any, b: Any, c: Any, rng: Any, out: Any, seen: Any) -> None:
    """One operation on every match of an array, on one CPU thread."""
    for i in range(len(states)):
        operation(states[i], i, a, b, c, rng, out, seen)


def act_alone(states: Any, seat: int, move: int, out: Any) -> int:
    """`act` on the only match of an array: the short way for `Match`."""
    return act(states[0], seat, move, out)
