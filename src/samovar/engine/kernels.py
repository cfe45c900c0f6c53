"""What is done to a match, once for all games and all three ways of running.

Each operation works on one match and has the same parameters, so that one loop (CPU) and one kernel (GPU) serve all of them:
`state`, the index `i` of the match, three arrays `a`, `b`, `c` whose meaning the operation states, and scratch space:
`rng` (4 integers), `out` (room for the legal moves), `seen` (room for one observation).

The functions in the first part stand for those of a game; `backend` binds them.
"""

from __future__ import annotations

from typing import Any

from samovar.engine.chance import below, seed_rng
from samovar.engine.rule import rule

DEAL_STREAM = 0
MOVE_STREAM = 1
WORLD_STREAM = 2

NEXT_DEAL = 1 << 40
DEAL_EVERY = 8

CERTAIN = 1000  # a share of 1: all opponents left behind

NOT_AN_ACTOR = -1
ILLEGAL = -2


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
    """How well each seat stands by its place now: of its opponents a seat leaves behind those placed lower, and half of its
    equals."""
    places(state, out)
    seats = state.seats
    for seat in range(seats):
        behind = 0
        for other in range(seats):
            # The places of seats before this one are already overwritten by their share: they are kept in the upper bits.
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
    """How well each seat stands: by its place when the match is over, else by the game's evaluation."""
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
    """One checked move: the actors after it, or NOT_AN_ACTOR or ILLEGAL, and then nothing has changed."""
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
    """Random moves: `a[i]` seed · `b[i]` moves made so far, raised · `c[0]` at most so many more. The lowest actor moves first.

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
    """Random matches one after another: `a` set-up · `b[i]` seed of the first deal, each later one is NEXT_DEAL higher · `c[i]` steps, becomes
    the moves made in them.

    For measuring. A match that is over waits for the next DEAL_EVERY-th step: so the threads of a GPU deal together, where each would else wait
    whenever another one deals.
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
