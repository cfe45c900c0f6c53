"""What is done to a match, once for all games and all ways of running.

Each operation works on one match and is called in the same way, so that one loop (CPU) and one
kernel (GPU) serve all of them: with `state`, the index `i` of the match, three arrays (or a `Turn`)
which the operation names by what they hold, and scratch space: `rng` (4 integers), `out` (room for
the legal moves), `seen` (room for one observation). `operations.py` has a method for each.

What stands for the rules of a game is in `stand_ins.py`; `turns.py` steps a batch.
"""

from __future__ import annotations

from samovar.engine.arrays import AnyState, IntGrid, Ints, Rng
from samovar.engine.chance import below, seed_rng
from samovar.engine.rule import rule
from samovar.engine.ways.pure import begin_one, chosen_one, flags_one, listed_one, mover_one, play_one
from samovar.engine.ways.stand_ins import (
    BEGINS,
    CHOICES,
    DEAL_EVERY,
    DEAL_STREAM,
    ENDED,
    FORCED,
    LENGTH,
    MOVE_STREAM,
    NEXT_DEAL,
    NO_MOVE,
    NOBODY,
    POINTS,
    TURNS,
    WORLD_STREAM,
    AnyStates,
    Setups,
    Unused,
    act,
    actors,
    apply,
    clear,
    deal_unseen_anew,
    encode,
    factor,
    factors_size,
    forget,
    imagine,
    legal,
    lowest_seat,
    observation_size,
    observe,
    places,
    relate,
    rollout_move,
    rotate_back,
    rotate_move,
    scores,
    set_up,
    sights,
    stand,
    success,
)
from samovar.engine.ways.turns import (
    advance_encoded_one,
    advance_one,
    any_move_one,
    check_one,
    offer_encoded_one,
    offer_one,
    send_encoded_one,
    send_one,
    write_observation,
    write_planes,
)


@rule
def deal_one(state: AnyState, i: int, setup: Setups, seeds: Ints, _c: Unused, rng: Rng, out: Ints, seen: Ints) -> None:
    """Deals anew."""
    clear(state)
    seed_rng(rng, seeds[i], DEAL_STREAM, 0)
    set_up(state, setup[i], rng)


@rule
def actors_one(state: AnyState, i: int, masks: Ints, _b: Unused, _c: Unused, rng: Rng, out: Ints, seen: Ints) -> None:
    """Writes who may act."""
    masks[i] = actors(state)


@rule
def legal_one(
    state: AnyState, i: int, seats: Ints, moves: IntGrid, counts: Ints, rng: Rng, out: Ints, seen: Ints
) -> None:
    """Writes the legal moves of a seat, and how many."""
    count = legal(state, seats[i], out)
    counts[i] = count
    for k in range(count):
        moves[i, k] = out[k]


@rule
def step_one(state: AnyState, i: int, seats: Ints, moves: Ints, answers: Ints, rng: Rng, out: Ints, seen: Ints) -> None:
    """Writes what `act` answers."""
    answers[i] = act(state, seats[i], moves[i], out)


@rule
def random_one(
    state: AnyState, i: int, seeds: Ints, lengths: Ints, limit: Ints, rng: Rng, out: Ints, seen: Ints
) -> None:
    """Random moves, at most `limit[0]` more; the lowest actor moves first. `lengths`: moves so far, raised.

    The generator's counter is the number of moves made, so a match can be played on in portions.
    """
    seed_rng(rng, seeds[i], MOVE_STREAM, lengths[i])
    count = 0
    mask = actors(state)
    while mask != 0 and count < limit[0]:
        seat = lowest_seat(mask)
        apply(state, seat, out[below(rng, legal(state, seat, out))])
        count += 1
        mask = actors(state)
    lengths[i] += count


@rule
def sensible_one(
    state: AnyState, i: int, seeds: Ints, lengths: Ints, limit: Ints, rng: Rng, out: Ints, seen: Ints
) -> None:
    """The same with rollout moves."""
    seed_rng(rng, seeds[i], MOVE_STREAM, lengths[i])
    count = 0
    mask = actors(state)
    while mask != 0 and count < limit[0]:
        seat = lowest_seat(mask)
        apply(state, seat, rollout_move(state, seat, rng, out))
        count += 1
        mask = actors(state)
    lengths[i] += count


@rule
def endless_one(
    state: AnyState, i: int, setup: Setups, seeds: Ints, steps: Ints, rng: Rng, out: Ints, seen: Ints
) -> None:
    """Random matches one after another. `seeds`: of the first deal, each later one is NEXT_DEAL higher;
    `steps`: how many, becomes the moves made in them.

    For measuring. A match that is over waits for the next DEAL_EVERY-th step: so the threads of a
    GPU deal together, where each would else wait whenever another one deals.
    """
    count = 0
    mask = 0
    for step in range(steps[i]):
        if mask == 0 and step % DEAL_EVERY == 0:
            deal_again(state, i, setup, seeds, rng)
            mask = actors(state)
        if mask != 0:
            seat = lowest_seat(mask)
            apply(state, seat, out[below(rng, legal(state, seat, out))])
            count += 1
            mask = actors(state)
    steps[i] = count


@rule
def observed_one(
    state: AnyState, i: int, setup: Setups, seeds: Ints, steps: Ints, rng: Rng, out: Ints, seen: Ints
) -> None:
    """As `endless_one`, and the mover's observation is written before every move."""
    count = 0
    mask = 0
    for step in range(steps[i]):
        if mask == 0 and step % DEAL_EVERY == 0:
            deal_again(state, i, setup, seeds, rng)
            mask = actors(state)
        if mask != 0:
            seat = lowest_seat(mask)
            observe(state, seat, seen)
            apply(state, seat, out[below(rng, legal(state, seat, out))])
            count += 1
            mask = actors(state)
    steps[i] = count


@rule
def tally_one(
    state: AnyState, i: int, setup: Setups, seeds: Ints, rows: IntGrid, rng: Rng, out: Ints, seen: Ints
) -> None:
    """Deals, plays a whole match by chance and writes what it was like. `rows[i, LENGTH]`: the most moves,
    becomes the moves made.

    CHOICES: the legal moves of all its moves together; FORCED: moves without a choice; TURNS: how often
    somebody else moved than before; BEGINS: who moved first; ENDED: whether it is over. Points and places
    follow, by seat."""
    limit = rows[i, LENGTH]
    for column in range(rows.shape[1]):
        rows[i, column] = 0
    clear(state)
    seed_rng(rng, seeds[i], DEAL_STREAM, 0)
    set_up(state, setup[i], rng)
    seed_rng(rng, seeds[i], MOVE_STREAM, 0)
    mover = NOBODY
    length = 0
    mask = actors(state)
    rows[i, BEGINS] = NOBODY if mask == 0 else lowest_seat(mask)
    while mask != 0 and length < limit:
        seat = lowest_seat(mask)
        if seat != mover:
            rows[i, TURNS] += 1
            mover = seat
        count = legal(state, seat, out)
        rows[i, CHOICES] += count
        if count == 1:
            rows[i, FORCED] += 1
        apply(state, seat, out[below(rng, count)])
        length += 1
        mask = actors(state)
    rows[i, LENGTH] = length
    rows[i, ENDED] = mask == 0
    scores(state, out)
    for seat in range(state.seats):
        rows[i, POINTS + seat] = out[seat]
    places(state, out)
    for seat in range(state.seats):
        rows[i, POINTS + state.seats + seat] = out[seat]


@rule
def deal_again(state: AnyState, i: int, setup: Setups, seeds: Ints, rng: Rng) -> None:
    clear(state)
    seed_rng(rng, seeds[i], DEAL_STREAM, 0)
    set_up(state, setup[i], rng)
    seeds[i] += NEXT_DEAL


@rule
def observe_one(
    state: AnyState, i: int, seats: Ints, rows: IntGrid, _c: Unused, rng: Rng, out: Ints, seen: Ints
) -> None:
    """Writes what a seat knows."""
    write_observation(state, seats[i], rows, i, seen)


@rule
def observe_planes_one(
    state: AnyState, i: int, seats: Ints, rows: IntGrid, _c: Unused, rng: Rng, out: Ints, seen: Ints
) -> None:
    """Writes what a seat knows as planes."""
    write_planes(state, seats[i], rows, i, seen)


@rule
def encode_one(
    state: AnyState, i: int, raw: IntGrid, rows: IntGrid, _c: Unused, rng: Rng, out: Ints, seen: Ints
) -> None:
    """Writes an observation that was made before as planes; the state is not asked."""
    for k in range(observation_size()):
        seen[k] = raw[i, k]
    relate(seen, observation_size())
    encode(seen, rows, i, 0)


@rule
def factors_one(
    state: AnyState, i: int, seats: Ints, moves: IntGrid, rows: IntGrid, rng: Rng, out: Ints, seen: Ints
) -> None:
    """Writes a row of legal moves of a seat told as parts, one after another, up to the first -1."""
    k = 0
    while k < moves.shape[1] and moves[i, k] != NO_MOVE:
        factor(state, seats[i], moves[i, k], seen)
        for number in range(factors_size()):
            rows[i, k * factors_size() + number] = seen[number]
        k += 1


@rule
def rotate_one(state: AnyState, i: int, seats: Ints, moves: Ints, _c: Unused, rng: Rng, out: Ints, seen: Ints) -> None:
    """A move of a seat becomes its number on the board as the seat sees it."""
    moves[i] = rotate_move(state, seats[i], moves[i])


@rule
def rotate_back_one(
    state: AnyState, i: int, seats: Ints, moves: Ints, _c: Unused, rng: Rng, out: Ints, seen: Ints
) -> None:
    """A move by its number on the board as the seat sees it becomes the move of the rules."""
    moves[i] = rotate_back(state, seats[i], moves[i])


@rule
def success_one(state: AnyState, i: int, shares: Ints, _b: Unused, _c: Unused, rng: Rng, out: Ints, seen: Ints) -> None:
    """Writes how well all seats did together."""
    shares[i] = success(state)


@rule
def scores_one(
    state: AnyState, i: int, points: IntGrid, ranks: IntGrid, _c: Unused, rng: Rng, out: Ints, seen: Ints
) -> None:
    """Writes points and places by seat."""
    scores(state, out)
    for seat in range(state.seats):
        points[i, seat] = out[seat]
    places(state, out)
    for seat in range(state.seats):
        ranks[i, seat] = out[seat]


@rule
def determinize_one(
    state: AnyState, i: int, seats: Ints, seeds: Ints, _c: Unused, rng: Rng, out: Ints, seen: Ints
) -> None:
    """Draws a world of these seeds."""
    seed_rng(rng, seeds[i], WORLD_STREAM, 0)
    imagine(state, seats[i], rng)


@rule
def redeal_one(state: AnyState, i: int, seeds: Ints, _b: Unused, _c: Unused, rng: Rng, out: Ints, seen: Ints) -> None:
    """Draws a world that fits what all seats know together."""
    seed_rng(rng, seeds[i], WORLD_STREAM, 0)
    deal_unseen_anew(state, rng)


@rule
def evaluate_one(
    state: AnyState, i: int, shares: IntGrid, _b: Unused, _c: Unused, rng: Rng, out: Ints, seen: Ints
) -> None:
    """Writes how well each seat stands, 0 to 1000."""
    stand(state, out)
    for seat in range(shares.shape[1]):
        shares[i, seat] = out[seat]


@rule
def rollout_move_one(
    state: AnyState, i: int, seats: Ints, seeds: Ints, moves: Ints, rng: Rng, out: Ints, seen: Ints
) -> None:
    """Writes a rollout move of a seat."""
    seed_rng(rng, seeds[i], MOVE_STREAM, 0)
    moves[i] = rollout_move(state, seats[i], rng, out)


@rule
def sights_one(state: AnyState, i: int, seat: Ints, facts: Ints, _c: Unused, rng: Rng, out: Ints, seen: Ints) -> None:
    """Writes the facts that a seat, one for all, sees."""
    facts[i] = sights(state, seat[0])


@rule
def forget_one(state: AnyState, i: int, seats: Ints, facts: Ints, seeds: Ints, rng: Rng, out: Ints, seen: Ints) -> None:
    """Makes a seat forget facts."""
    seed_rng(rng, seeds[i], WORLD_STREAM, 0)
    forget(state, seats[i], facts[i], rng)


# for those who keep the states themselves: each has a `Call`, see `xla`
CALLED = {
    "begin": begin_one,
    "play": play_one,
    "mover": mover_one,
    "flags": flags_one,
    "listed": listed_one,
    "chosen": chosen_one,
}
OPERATIONS = {
    "deal": deal_one,
    "actors": actors_one,
    "legal": legal_one,
    "step": step_one,
    "offer": offer_one,
    "offer_encoded": offer_encoded_one,
    "check": check_one,
    "advance": advance_one,
    "advance_encoded": advance_encoded_one,
    "send": send_one,
    "send_encoded": send_encoded_one,
    "any_move": any_move_one,
    "play_random": random_one,
    "play_sensibly": sensible_one,
    "play_endless": endless_one,
    "play_observed": observed_one,
    "tally": tally_one,
    "observe": observe_one,
    "observe_planes": observe_planes_one,
    "encode": encode_one,
    "factors": factors_one,
    "rotate_move": rotate_one,
    "rotate_back": rotate_back_one,
    "success": success_one,
    "scores": scores_one,
    "determinize": determinize_one,
    "redeal": redeal_one,
    "evaluate": evaluate_one,
    "rollout_move": rollout_move_one,
    "sights": sights_one,
    "forget": forget_one,
    **CALLED,
}
READING = {"observe", "observe_planes", "mover", "flags", "listed", "chosen"}  # a GPU need not copy their states back


@rule
def operation(state: AnyState, i: int, a: object, b: object, c: object, rng: Rng, out: Ints, seen: Ints) -> None:
    """Bound to one of OPERATIONS."""


def loop(states: AnyStates, a: object, b: object, c: object, rng: Rng, out: Ints, seen: Ints) -> None:
    """One operation on every match of an array, on one CPU thread."""
    for i in range(len(states)):
        operation(states[i], i, a, b, c, rng, out, seen)


def loop_between(
    states: AnyStates, low: int, high: int, a: object, b: object, c: object, rng: Rng, out: Ints, seen: Ints
) -> None:
    """The same on some of them."""
    for i in range(low, high):
        operation(states[i], i, a, b, c, rng, out, seen)


def act_alone(states: AnyStates, seat: int, move: int, out: Ints) -> int:
    """`act` on the only match of an array: the short way for `Match`."""
    return act(states[0], seat, move, out)
