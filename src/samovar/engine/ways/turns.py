"""Where every match of a batch stands, and how a step leads on from there.

`Batch.step` and `Batch.send` work by it; see `kernels.py` for how an operation is called."""

from __future__ import annotations

from typing import NamedTuple

from samovar.engine.arrays import AnyState, FloatGrid, IntGrid, Ints, Rng
from samovar.engine.chance import MAX_SEED, below, seed_rng
from samovar.engine.heuristics import CERTAIN
from samovar.engine.rule import rule
from samovar.engine.ways.stand_ins import (
    DEAL_STREAM,
    FIRST,
    MOST_DEALS,
    MOVE,
    MOVE_PLANES,
    MOVE_STREAM,
    NEXT_DEAL,
    NO_MOVE,
    NOBODY,
    PLANES,
    REFUSED,
    RESTARTS,
    SENDS,
    TURNED,
    Setups,
    Unused,
    actors,
    apply,
    clear,
    encode,
    encode_factors,
    factor,
    factor_planes,
    factors_size,
    is_together,
    legal,
    lowest_seat,
    observation_size,
    observe,
    places,
    relate,
    rotate_back,
    rotate_move,
    scores,
    set_up,
    success,
    team,
)


class Turn(NamedTuple):
    """Where every match of a batch stands, as `Batch.step` keeps it: arrays with one row a match.

    `observations`, `mask` and `factors` have rows of length 0 until somebody asks for them.
    """

    setup: Setups  # seats and options
    # one row for all: whether moves are TURNED, observations are PLANES, a match that ends RESTARTS, and moves told
    # as parts are MOVE_PLANES
    wishes: IntGrid
    place_unit: FloatGrid  # by seat: the reward for each opponent left behind
    point_unit: FloatGrid  # by seat: the reward for each point ahead of each opponent
    seeds: Ints  # of the present deals
    actor: Ints  # the seat to act, NOBODY when the match is over
    ended: Ints  # whether the last step ended a match here
    rewards: FloatGrid  # by seat, for the match that the last step ended; as many columns as any match has seats
    moves: IntGrid  # the actor's legal moves, ascending
    counts: Ints  # how many
    observations: IntGrid  # what the actor knows
    mask: IntGrid  # its legal moves as flags
    factors: IntGrid  # its legal moves told as parts, one after another


@rule
def is_offered(turn: Turn, i: int, move: int) -> bool:
    """Whether a move is among the legal ones of the actor, or NO_MOVE."""
    if move == NO_MOVE:
        return True
    low = 0
    left = turn.counts[i]
    while left > 1:  # without a branch on the half, which is hard to predict
        half = left // 2
        low += half if turn.moves[i, low + half] <= move else 0
        left -= half
    return bool(left == 1 and turn.moves[i, low] == move)


@rule
def withdraw(turn: Turn, i: int) -> None:
    """Clears the flags of the moves offered so far: rows are long and moves are few."""
    if turn.mask.shape[1] > 0:
        for k in range(turn.counts[i]):
            turn.mask[i, turn.moves[i, k]] = False


@rule
def rotate_all(state: AnyState, seat: int, out: Ints, count: int) -> None:
    """Legal moves by the numbers that they have on the board as the seat sees it, ascending again."""
    for k in range(count):
        move = rotate_move(state, seat, out[k])
        place = k
        while place > 0 and out[place - 1] > move:
            out[place] = out[place - 1]
            place -= 1
        out[place] = move


@rule
def write_observation(state: AnyState, seat: int, rows: IntGrid, i: int, seen: Ints) -> None:
    """What a seat knows, into row i."""
    observe(state, seat, seen)
    for k in range(rows.shape[1]):
        rows[i, k] = seen[k]


@rule
def write_planes(state: AnyState, seat: int, rows: IntGrid, i: int, seen: Ints) -> None:
    """What a seat knows as planes, into row i."""
    observe(state, seat, seen)
    relate(seen, observation_size())
    encode(seen, rows, i, 0)


@rule
def write_factors(state: AnyState, seat: int, turn: Turn, i: int, out: Ints, count: int, seen: Ints) -> None:
    """The legal moves in `out` told as parts, one after another."""
    for k in range(count):
        move = rotate_back(state, seat, out[k]) if turn.wishes[0, TURNED] else out[k]
        factor(state, seat, move, seen)
        if turn.wishes[0, MOVE_PLANES]:
            encode_factors(seen, turn.factors, i, k * factor_planes())
        else:
            for number in range(factors_size()):
                turn.factors[i, k * factors_size() + number] = seen[number]


@rule
def write_legal(turn: Turn, i: int, out: Ints, count: int) -> None:
    """The legal moves in `out`, as a list and as flags."""
    for k in range(count):
        turn.moves[i, k] = out[k]
        if turn.mask.shape[1] > 0:
            turn.mask[i, out[k]] = True
    turn.counts[i] = count


@rule
def next_actor(state: AnyState, i: int, turn: Turn) -> int:
    """Writes who is to act, the lowest actor, or NOBODY."""
    mask = actors(state)
    seat = lowest_seat(mask) if mask != 0 else NOBODY
    turn.actor[i] = seat
    return seat


@rule
def offer(state: AnyState, i: int, turn: Turn, out: Ints, seen: Ints) -> None:
    """Writes who is to act, what it may do and what it knows. When choices are simultaneous it knows
    nothing of those made."""
    turn.counts[i] = 0
    seat = next_actor(state, i, turn)
    if seat != NOBODY:
        write_legal(turn, i, out, legal(state, seat, out))
        if turn.observations.shape[1] > 0:
            write_observation(state, seat, turn.observations, i, seen)


@rule
def offer_encoded(state: AnyState, i: int, turn: Turn, out: Ints, seen: Ints) -> None:
    """The same as networks wish to be told it. By itself, because compiling all of it takes seconds
    that others need not spend."""
    turn.counts[i] = 0
    seat = next_actor(state, i, turn)
    if seat != NOBODY:
        count = legal(state, seat, out)
        if turn.wishes[0, TURNED]:
            rotate_all(state, seat, out, count)
        write_legal(turn, i, out, count)
        if turn.observations.shape[1] > 0:
            if turn.wishes[0, PLANES]:
                write_planes(state, seat, turn.observations, i, seen)
            else:
                write_observation(state, seat, turn.observations, i, seen)
        if turn.factors.shape[1] > 0:
            write_factors(state, seat, turn, i, out, count, seen)


@rule
def reward(state: AnyState, i: int, row: int, turn: Turn, out: Ints) -> None:
    """By place: a seat gains from each opponent it leaves behind what it loses to each one ahead. By
    points: what it has more than each of them. Where all are one team, as well as they did
    together. `row`: where a `Turn`, or what else is like it, has setup and units of this match."""
    seats = turn.setup[row].seats
    if is_together(seats):
        scores(state, out)
        for seat in range(seats):
            done = 2 * success(state) - CERTAIN
            turn.rewards[i, seat] = done * turn.place_unit[row, seat] + out[seat] * turn.point_unit[row, seat]
        return
    places(state, out)
    for seat in range(seats):
        ahead = 0
        behind = 0
        for other in range(seats):
            if out[other] < out[seat]:
                ahead += 1
            elif out[other] > out[seat]:
                behind += 1
        turn.rewards[i, seat] = (behind - ahead) * turn.place_unit[row, seat]
    if turn.point_unit[row, 0] > 0:
        scores(state, out)
        for seat in range(seats):
            margin = 0
            for other in range(seats):
                if team(seats, other) != team(seats, seat):
                    margin += out[seat] - out[other]
            turn.rewards[i, seat] += margin * turn.point_unit[row, seat]


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
        set_up(state, turn.setup[i], rng)
        deals += 1


@rule
def begin_offer(state: AnyState, i: int, turn: Turn, rng: Rng) -> None:
    """Nothing is offered any more; a match that is over is dealt anew where that is wished for."""
    withdraw(turn, i)
    if turn.wishes[0, RESTARTS]:
        deal_next(state, i, turn, rng)


@rule
def offer_one(state: AnyState, i: int, turn: Turn, _b: Unused, _c: Unused, rng: Rng, out: Ints, seen: Ints) -> None:
    """Writes what the actor may do and knows."""
    begin_offer(state, i, turn, rng)
    offer(state, i, turn, out, seen)


@rule
def offer_encoded_one(
    state: AnyState, i: int, turn: Turn, _b: Unused, _c: Unused, rng: Rng, out: Ints, seen: Ints
) -> None:
    """The same as networks wish to be told it."""
    begin_offer(state, i, turn, rng)
    offer_encoded(state, i, turn, out, seen)


@rule
def check_one(state: AnyState, i: int, turn: Turn, moves: Ints, refused: Ints, rng: Rng, out: Ints, seen: Ints) -> None:
    """`refused[0]` becomes 1 where a move is not among those offered."""
    if not is_offered(turn, i, moves[i]):
        refused[0] = 1


@rule
def make_move(state: AnyState, i: int, turn: Turn, move: int, rng: Rng, out: Ints) -> None:
    """One legal move; a match that ends is dealt anew at once where that is wished for."""
    withdraw(turn, i)
    apply(state, turn.actor[i], move)
    if actors(state) == 0:
        turn.ended[i] = True
        reward(state, i, i, turn, out)
        if turn.wishes[0, RESTARTS]:
            deal_next(state, i, turn, rng)


@rule
def forget_end(turn: Turn, i: int) -> None:
    """Whatever the step before has ended was told."""
    if turn.ended[i]:
        turn.ended[i] = False
        for seat in range(turn.rewards.shape[1]):
            turn.rewards[i, seat] = 0


@rule
def advance(state: AnyState, i: int, turn: Turn, move: int, rng: Rng, out: Ints, seen: Ints) -> None:
    """One move that was offered, or NO_MOVE, and what is so then."""
    forget_end(turn, i)
    if move != NO_MOVE:
        make_move(state, i, turn, move, rng, out)
        offer(state, i, turn, out, seen)


@rule
def advance_encoded(state: AnyState, i: int, turn: Turn, move: int, rng: Rng, out: Ints, seen: Ints) -> None:
    """The same as networks wish to be told it."""
    forget_end(turn, i)
    if move != NO_MOVE:
        meant = rotate_back(state, turn.actor[i], move) if turn.wishes[0, TURNED] else move
        make_move(state, i, turn, meant, rng, out)
        offer_encoded(state, i, turn, out, seen)


@rule
def advance_one(state: AnyState, i: int, turn: Turn, moves: Ints, _c: Unused, rng: Rng, out: Ints, seen: Ints) -> None:
    """One move that was offered, or NO_MOVE, and what is so then."""
    advance(state, i, turn, moves[i], rng, out, seen)


@rule
def advance_encoded_one(
    state: AnyState, i: int, turn: Turn, moves: Ints, _c: Unused, rng: Rng, out: Ints, seen: Ints
) -> None:
    """The same as networks wish to be told it."""
    advance_encoded(state, i, turn, moves[i], rng, out, seen)


@rule
def accepted(turn: Turn, i: int, move: int, sent: IntGrid) -> int:
    """A move that was sent, if it was offered; else NO_MOVE, and in `sent` is written how often that
    was so, and when and with which move first. Each match writes in its own row, so nobody need wait
    for another."""
    sent[i, SENDS] += 1
    if is_offered(turn, i, move):
        return move
    if sent[i, REFUSED] == 0:
        sent[i, FIRST] = sent[i, SENDS]
        sent[i, MOVE] = move
    sent[i, REFUSED] += 1
    return NO_MOVE


@rule
def send_one(state: AnyState, i: int, turn: Turn, moves: Ints, sent: IntGrid, rng: Rng, out: Ints, seen: Ints) -> None:
    """One move, whether it was offered or not, and what is so then."""
    advance(state, i, turn, accepted(turn, i, moves[i], sent), rng, out, seen)


@rule
def send_encoded_one(
    state: AnyState, i: int, turn: Turn, moves: Ints, sent: IntGrid, rng: Rng, out: Ints, seen: Ints
) -> None:
    """The same as networks wish to be told it."""
    advance_encoded(state, i, turn, accepted(turn, i, moves[i], sent), rng, out, seen)


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
