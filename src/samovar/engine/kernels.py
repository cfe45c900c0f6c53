"""What is done to a match, once for all games and all three ways of running.

Each operation works on one match and is called in the same way, so that one loop (CPU) and one
kernel (GPU) serve all of them: with `state`, the index `i` of the match, three arrays (or a `Turn`)
which the operation names by what they hold, and scratch space: `rng` (4 integers), `out` (room for
the legal moves), `seen` (room for one observation). `operations.py` has a method for each.

The rules in the first part stand for those of a game; `backend` binds them.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from samovar.engine.arrays import AnyState, Float32s, IntGrid, Ints, Rng
from samovar.engine.chance import below, seed_rng
from samovar.engine.contract import (
    Actors,
    Apply,
    Deal,
    Determinize,
    Faults,
    Legal,
    Observe,
    Places,
    Scores,
    Setup,
)
from samovar.engine.heuristics import Evaluate, Forget, RolloutMove, Sights
from samovar.engine.rule import Rule, rule, stand_in

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

PLACE_BITS = 4

AnyStates: TypeAlias = list[AnyState]  # an array of states, or a list of plain ones
Setups: TypeAlias = list[Setup]  # one set-up for all matches
Unused: TypeAlias = object  # an array that an operation does not need


deal: Deal = stand_in(Deal)
actors: Actors = stand_in(Actors)
legal: Legal = stand_in(Legal)
apply: Apply = stand_in(Apply)
scores: Scores = stand_in(Scores)
places: Places = stand_in(Places)
determinize: Determinize = stand_in(Determinize)
observe: Observe = stand_in(Observe)
faults: Faults = stand_in(Faults)
evaluate: Evaluate = stand_in(Evaluate)
rollout_move: RolloutMove = stand_in(RolloutMove)
sights: Sights = stand_in(Sights)
forget: Forget = stand_in(Forget)


@rule
def clear(state: AnyState) -> None:
    """Bound to a function that zeroes a state of the game: `deal` expects one."""


@rule
def copy_state(states: AnyStates, source: int, target: int) -> None:
    """Bound to `copy_record`, or to what copies a state in plain Python."""


@rule
def copy_record(states: AnyStates, source: int, target: int) -> None:
    states[target] = states[source]


@rule
def most_points_win(state: AnyState, out: Ints) -> None:
    """The default places: by points, ties share. A rule has no room of its own, so for a while the
    place is kept in the lowest bits, below the points."""
    scores(state, out)
    for seat in range(state.seats):
        out[seat] <<= PLACE_BITS
    for seat in range(state.seats):
        out[seat] += 1
        for other in range(state.seats):
            if out[other] >> PLACE_BITS > out[seat] >> PLACE_BITS:
                out[seat] += 1
    for seat in range(state.seats):
        out[seat] &= (1 << PLACE_BITS) - 1


@rule
def any_move(state: AnyState, seat: int, rng: Rng, out: Ints) -> int:
    """The default rollout move: any legal one."""
    return out[below(rng, legal(state, seat, out))]


@rule
def share_of_places(state: AnyState, out: Ints) -> None:
    """The default evaluation: how well each seat stands by its place now. Of its opponents a seat leaves behind those
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
def stand(state: AnyState, out: Ints) -> None:
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
def is_among(out: Ints, count: int, move: int) -> bool:
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
def act(state: AnyState, seat: int, move: int, out: Ints) -> int:
    """One checked move: the actors after it, or NOT_AN_ACTOR or ILLEGAL, and then nothing has
    changed."""
    if seat < 0 or not (actors(state) >> seat) & 1:
        return NOT_AN_ACTOR
    if not is_among(out, legal(state, seat, out), move):
        return ILLEGAL
    apply(state, seat, move)
    return actors(state)


@rule
def deal_one(state: AnyState, i: int, setup: Setups, seeds: Ints, _c: Unused, rng: Rng, out: Ints, seen: Ints) -> None:
    """Deals anew; the set-up is one for all."""
    clear(state)
    seed_rng(rng, seeds[i], DEAL_STREAM, 0)
    deal(state, setup[0].seats, setup[0], rng)


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
def deal_again(state: AnyState, i: int, setup: Setups, seeds: Ints, rng: Rng) -> None:
    clear(state)
    seed_rng(rng, seeds[i], DEAL_STREAM, 0)
    deal(state, setup[0].seats, setup[0], rng)
    seeds[i] += NEXT_DEAL


class Turn(NamedTuple):
    """Where every match of a batch stands, as `Batch.step` keeps it: arrays with one row a match.

    `observations` and `mask` have rows of length 0 until somebody asks for them.
    """

    setup: Setups  # seats and options, one for all
    unit: Float32s  # the reward for each seat left behind, one for all
    seeds: Ints  # of the present deals
    actor: Ints  # the seat to act, NOBODY when the match is over
    ended: Ints  # whether the last step ended a match here
    rewards: Float32s  # by seat, for the match that the last step ended
    moves: IntGrid  # the actor's legal moves, ascending
    counts: Ints  # how many
    observations: IntGrid  # what the actor knows
    mask: IntGrid  # its legal moves as flags


@rule
def is_offered(turn: Turn, i: int, move: int) -> bool:
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
def withdraw(turn: Turn, i: int) -> None:
    """Clears the flags of the moves offered so far: rows are long and moves are few."""
    if turn.mask.shape[1] > 0:
        for k in range(turn.counts[i]):
            turn.mask[i, turn.moves[i, k]] = False


@rule
def offer(state: AnyState, i: int, turn: Turn, out: Ints, seen: Ints) -> None:
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
def reward(state: AnyState, i: int, turn: Turn, out: Ints) -> None:
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
def deal_next(state: AnyState, i: int, turn: Turn, rng: Rng) -> None:
    """The next deal of a place in which somebody can act."""
    deals = 0
    while actors(state) == 0 and deals < MOST_DEALS:
        turn.seeds[i] = next_seed(turn.seeds[i])
        clear(state)
        seed_rng(rng, turn.seeds[i], DEAL_STREAM, 0)
        deal(state, turn.setup[0].seats, turn.setup[0], rng)
        deals += 1


@rule
def offer_one(state: AnyState, i: int, turn: Turn, restarts: Ints, _c: Unused, rng: Rng, out: Ints, seen: Ints) -> None:
    """Writes what the actor may do and knows; `restarts[0]`: whether a match that is over is dealt
    anew."""
    withdraw(turn, i)
    if restarts[0]:
        deal_next(state, i, turn, rng)
    offer(state, i, turn, out, seen)


@rule
def check_one(state: AnyState, i: int, turn: Turn, moves: Ints, refused: Ints, rng: Rng, out: Ints, seen: Ints) -> None:
    """`refused[0]` becomes 1 where a move is not among those offered."""
    if not is_offered(turn, i, moves[i]):
        refused[0] = 1


@rule
def advance_one(
    state: AnyState, i: int, turn: Turn, moves: Ints, restarts: Ints, rng: Rng, out: Ints, seen: Ints
) -> None:
    """One move that was offered, or NO_MOVE, and what is so then; `restarts[0]`: whether a match that
    ends is dealt anew at once."""
    if turn.ended[i]:
        turn.ended[i] = False
        for seat in range(turn.rewards.shape[1]):
            turn.rewards[i, seat] = 0
    if moves[i] != NO_MOVE:
        withdraw(turn, i)
        apply(state, turn.actor[i], moves[i])
        if actors(state) == 0:
            turn.ended[i] = True
            reward(state, i, turn, out)
            if restarts[0]:
                deal_next(state, i, turn, rng)
        offer(state, i, turn, out, seen)


@rule
def any_move_one(
    state: AnyState, i: int, turn: Turn, asked: Ints, moves: Ints, rng: Rng, out: Ints, seen: Ints
) -> None:
    """Writes one of the moves offered, all equally likely, or NO_MOVE; `asked`: how often this was
    asked, raised."""
    seed_rng(rng, turn.seeds[i], MOVE_STREAM, asked[i])
    asked[i] += 1
    moves[i] = NO_MOVE
    if turn.counts[i] > 0:
        moves[i] = turn.moves[i, below(rng, turn.counts[i])]


@rule
def observe_one(
    state: AnyState, i: int, seats: Ints, rows: IntGrid, _c: Unused, rng: Rng, out: Ints, seen: Ints
) -> None:
    """Writes what a seat knows."""
    observe(state, seats[i], seen)
    for k in range(rows.shape[1]):
        rows[i, k] = seen[k]


@rule
def scores_one(
    state: AnyState, i: int, points: IntGrid, ranks: IntGrid, _c: Unused, rng: Rng, out: Ints, seen: Ints
) -> None:
    """Writes points and places by seat."""
    scores(state, out)
    for seat in range(points.shape[1]):
        points[i, seat] = out[seat]
    places(state, out)
    for seat in range(ranks.shape[1]):
        ranks[i, seat] = out[seat]


@rule
def determinize_one(
    state: AnyState, i: int, seats: Ints, seeds: Ints, _c: Unused, rng: Rng, out: Ints, seen: Ints
) -> None:
    """Draws a world of these seeds."""
    seed_rng(rng, seeds[i], WORLD_STREAM, 0)
    determinize(state, seats[i], rng)


@rule
def faults_one(state: AnyState, i: int, masks: Ints, _b: Unused, _c: Unused, rng: Rng, out: Ints, seen: Ints) -> None:
    """Writes the broken invariants."""
    masks[i] = faults(state)


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


DEFAULTS: dict[str, Rule] = {"places": most_points_win, "evaluate": share_of_places, "rollout_move": any_move}

OPERATIONS = {
    "deal": deal_one,
    "actors": actors_one,
    "legal": legal_one,
    "step": step_one,
    "offer": offer_one,
    "check": check_one,
    "advance": advance_one,
    "any_move": any_move_one,
    "play_random": random_one,
    "play_endless": endless_one,
    "play_observed": observed_one,
    "observe": observe_one,
    "scores": scores_one,
    "determinize": determinize_one,
    "faults": faults_one,
    "evaluate": evaluate_one,
    "rollout_move": rollout_move_one,
    "sights": sights_one,
    "forget": forget_one,
}


@rule
def operation(state: AnyState, i: int, a: object, b: object, c: object, rng: Rng, out: Ints, seen: Ints) -> None:
    """Bound to one of OPERATIONS."""


def loop(states: AnyStates, a: object, b: object, c: object, rng: Rng, out: Ints, seen: Ints) -> None:
    """One operation on every match of an array, on one CPU thread."""
    for i in range(len(states)):
        operation(states[i], i, a, b, c, rng, out, seen)


def act_alone(states: AnyStates, seat: int, move: int, out: Ints) -> int:
    """`act` on the only match of an array: the short way for `Match`."""
    return act(states[0], seat, move, out)
