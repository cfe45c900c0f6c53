"""Chance: a counter-based generator and what is drawn with it. All of it happens in a deal (RULINGS C2) or in a search, never in a state.

Philox 2x32 with ten rounds (Salmon et al., 2011): the n-th number is a function of the seed and n alone, so every match of a batch has its own
stream without any shared state. `rng` is three integers, (key, stream, counter), in a list or an array.

Only 32-bit words in 64-bit integers. The multiplier is taken in two halves: a product of 64 bits would overflow, which is undefined in compiled
code (and was seen to give other numbers there).
"""

from __future__ import annotations

from typing import Any

from samovar.engine.rule import rule

WORD = 0xFFFFFFFF
_HIGH_MULTIPLIER = 0xD256
_LOW_MULTIPLIER = 0xD193
_HALF = 0xFFFF
_KEY_STEP = 0x9E3779B9
_ROUNDS = 10
RNG_WORDS = 3


@rule
def seed_rng(rng: Any, seed: int, stream: int) -> None:
    """Starts stream `stream` of a seed; seeds from 0 to 2**63 - 1."""
    rng[0] = seed & WORD
    rng[1] = ((seed >> 32) ^ (stream * _KEY_STEP)) & WORD
    rng[2] = 0


@rule
def word(rng: Any) -> int:
    """The next 32 random bits."""
    low: int = rng[2]
    high = rng[1]
    key = rng[0]
    rng[2] = (low + 1) & WORD
    for _ in range(_ROUNDS):
        upper = low * _HIGH_MULTIPLIER
        lower = low * _LOW_MULTIPLIER
        low = ((upper + (lower >> 16)) >> 16) ^ key ^ high
        high = (((upper & _HALF) << 16) + lower) & WORD
        key = (key + _KEY_STEP) & WORD
    return low


@rule
def below(rng: Any, n: int) -> int:
    """A random number from 0 to n - 1, n < 2**16; no number is favoured by more than n / 2**32."""
    return (word(rng) * n) >> 32


@rule
def shuffle(rng: Any, cards: Any, count: int) -> None:
    """Shuffles the first `count` entries of a one-dimensional array (Fisher and Yates)."""
    for last in range(count - 1, 0, -1):
        other = below(rng, last + 1)
        card = cards[last]
        cards[last] = cards[other]
        cards[other] = card


@rule
def starting_seat(rng: Any, seats: int, first: int) -> int:
    """C1: drawn at random, unless the option `first` names a seat. Draws in both cases, so that the rest of the deal is the same."""
    drawn = below(rng, seats)
    if first >= 0:
        return first
    return drawn
