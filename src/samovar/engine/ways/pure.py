"""Operations for programs that keep the states themselves and give them back with every call, as those that XLA
compiles do: nothing is remembered between two calls.

See `kernels.py` for how an operation is called, and `xla` for who calls these."""

from __future__ import annotations

from typing import NamedTuple

from samovar.engine.arrays import AnyState, FloatGrid, IntGrid, Ints, Rng
from samovar.engine.chance import WORD, below, seed_rng, word
from samovar.engine.rule import rule
from samovar.engine.ways.stand_ins import (
    DEAL_STREAM,
    MOST_DEALS,
    MOVE_STREAM,
    NO_MOVE,
    NOBODY,
    WORLD_STREAM,
    Setups,
    Unused,
    actors,
    apply,
    clear,
    is_among,
    legal,
    lowest_seat,
    set_up,
)
from samovar.engine.ways.turns import next_seed, reward

HIGH_WORD = WORD >> 1  # a seed has 63 bits


class PureMove(NamedTuple):
    """What a step takes and gives. The first four have one row for all matches."""

    setup: Setups  # seats and options
    place_unit: FloatGrid  # as in `Turn`
    point_unit: FloatGrid
    restarts: Ints  # whether a match that ends is dealt anew
    keys: IntGrid  # for these deals: see `seed_for`
    moves: Ints
    ended: Ints  # whether the match is over, or was until it was dealt anew
    refused: Ints  # whether the move was not legal: then the match has waited
    rewards: FloatGrid  # by seat, for a match that has just ended


@rule
def seed_of(keys: IntGrid, row: int) -> int:
    """A key is two words, the high one first."""
    return (keys[row, 0] & HIGH_WORD) << 32 | keys[row, 1] & WORD


@rule
def seed_for(keys: IntGrid, i: int, matches: int, rng: Rng) -> int:
    """The seed of a match: its own key. Where several matches share one, it is drawn with that."""
    sharing = matches // keys.shape[0]
    if sharing == 1:
        return seed_of(keys, i)
    seed_rng(rng, seed_of(keys, i // sharing), WORLD_STREAM, 2 * (i % sharing))
    high = word(rng)
    return (high & HIGH_WORD) << 32 | word(rng)


@rule
def begin_one(
    state: AnyState, i: int, setup: Setups, keys: IntGrid, _c: Unused, rng: Rng, out: Ints, seen: Ints
) -> None:
    """Deals anew."""
    clear(state)
    seed_rng(rng, seed_of(keys, i), DEAL_STREAM, 0)
    set_up(state, setup[0], rng)


@rule
def begin_next(state: AnyState, i: int, played: PureMove, rng: Rng) -> None:
    """A deal in which somebody can act."""
    seed = seed_for(played.keys, i, len(played.moves), rng)
    deals = 0
    while actors(state) == 0 and deals < MOST_DEALS:
        clear(state)
        seed_rng(rng, seed, DEAL_STREAM, 0)
        set_up(state, played.setup[0], rng)
        seed = next_seed(seed)
        deals += 1


@rule
def play_one(
    state: AnyState, i: int, played: PureMove, _b: Unused, _c: Unused, rng: Rng, out: Ints, seen: Ints
) -> None:
    """One move of the lowest actor. One that is not legal is refused, and NO_MOVE waits."""
    played.ended[i] = False
    played.refused[i] = False
    for seat in range(played.rewards.shape[1]):
        played.rewards[i, seat] = 0
    mask = actors(state)
    move = played.moves[i]
    if mask != 0 and move != NO_MOVE:
        seat = lowest_seat(mask)
        if is_among(out, legal(state, seat, out), move):
            apply(state, seat, move)
            mask = actors(state)
            if mask == 0:
                reward(state, i, 0, played, out)  # type: ignore[arg-type] # it has all that is asked for
        else:
            played.refused[i] = True
    if mask == 0:
        played.ended[i] = True
        if played.restarts[0]:
            begin_next(state, i, played, rng)


@rule
def mover_one(state: AnyState, i: int, movers: Ints, _b: Unused, _c: Unused, rng: Rng, out: Ints, seen: Ints) -> None:
    """Writes the lowest actor, NOBODY where a match is over."""
    mask = actors(state)
    movers[i] = lowest_seat(mask) if mask != 0 else NOBODY


@rule
def legal_of_mover(state: AnyState, out: Ints) -> int:
    """How many moves the lowest actor has, which are in `out`; 0 where a match is over."""
    mask = actors(state)
    return legal(state, lowest_seat(mask), out) if mask != 0 else 0


@rule
def flags_one(state: AnyState, i: int, flags: IntGrid, _b: Unused, _c: Unused, rng: Rng, out: Ints, seen: Ints) -> None:
    """Writes which moves are legal for the lowest actor."""
    for move in range(flags.shape[1]):
        flags[i, move] = False
    for k in range(legal_of_mover(state, out)):
        flags[i, out[k]] = True


@rule
def listed_one(
    state: AnyState, i: int, moves: IntGrid, counts: Ints, _c: Unused, rng: Rng, out: Ints, seen: Ints
) -> None:
    """Writes the legal moves of the lowest actor, filled up with NO_MOVE, and how many."""
    count = legal_of_mover(state, out)
    counts[i] = count
    for k in range(moves.shape[1]):
        moves[i, k] = out[k] if k < count else NO_MOVE


@rule
def chosen_one(
    state: AnyState, i: int, keys: IntGrid, moves: Ints, _c: Unused, rng: Rng, out: Ints, seen: Ints
) -> None:
    """Writes a legal move of the lowest actor, all equally likely, or NO_MOVE; several matches in a row may share a
    key."""
    sharing = len(moves) // keys.shape[0]
    seed_rng(rng, seed_of(keys, i // sharing), MOVE_STREAM, 2 * (i % sharing))
    count = legal_of_mover(state, out)
    moves[i] = out[below(rng, count)] if count > 0 else NO_MOVE
