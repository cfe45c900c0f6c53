"""Chance: a counter-based generator and what is drawn with it. All of it happens in a deal (ruling
C2) or in a search.

Where a game cannot deal ahead what chance will do (dice, draws with replacement), its state has one
field for it, `("chance", CHANCE)`, and its rules call `roll(state, n)`. The field is a secret key of
128 bits and the number of throws so far. The engine draws the key from the deal's seed, before the
deal, and another one in every imagined world: so all throws follow from the deal and can be proven,
and no planner can read ahead. A throw is the number of it enciphered with the key (Speck 64/128 in
counter mode, Beaulieu et al., 2013): who has seen any number of throws cannot tell the next.

Philox 2x32 with ten rounds (Salmon et al., 2011): the n-th number is a function of the seed and n
alone, so every match of a batch has its own stream without any shared state. `rng` is four
integers, (key, stream, counter, spare word), in a list or an array.

The rounds compute with unsigned numbers, the one place where rules do: their products need all 64
bits, and overflow of signed numbers is undefined in compiled code (and was seen to give other
numbers there).

A seed of 63 bits can be searched for by somebody who knows part of a deal. Where that matters a
deal has a *wide seed*, 64 hex digits, and its words come from a cryptographic hash: `wide_words`,
in the place of a generator, with `wide_word` in the place of `word`.
"""

from __future__ import annotations

import hashlib
import re
import struct
from collections.abc import Iterator
from itertools import count

import numpy as np
from numpy import int64, uint64

from samovar.engine.arrays import AnyState, Ints, Rng
from samovar.engine.rule import rule
from samovar.errors import BadPosition

WORD = 0xFFFFFFFF
_KEY_STEP = 0x9E3779B9
_MULTIPLIER = uint64(0xD256D193)
_UNSIGNED_KEY_STEP = uint64(_KEY_STEP)
_UNSIGNED_WORD = uint64(WORD)
_WORD_BITS = uint64(32)
_ROUNDS = 10
MAX_SEED = 2**63 - 1
RNG_WORDS = 4
_KEY, _STREAM, _COUNTER, _SPARE = range(RNG_WORDS)
_NO_SPARE = -1
CHANCE_FIELD = "chance"
KEY_WORDS = 4
THROWS = KEY_WORDS  # the entry after the key: how many there were
CHANCE = np.dtype((np.int64, (KEY_WORDS + 1,)))
_CIPHER_ROUNDS = 27
_WIDE_SEED = re.compile("[0-9a-f]{64}")


def derive_seed(*parts: int | str | None) -> int:
    """A seed (0 to 2**63 - 1) that follows from some numbers and words, from which nothing follows
    about them."""
    return int.from_bytes(hashlib.blake2b(repr(parts).encode(), digest_size=8).digest()) >> 1


def check_deal_seed(seed: int | str) -> int | str:
    """The seed of a match: a number, or a wide one."""
    if is_wide_seed(seed):
        return seed
    if isinstance(seed, str):
        raise BadPosition(
            "A seed that is a text is a wide one: 64 digits 0-9 and a-f. Other seeds are whole numbers from 0 to "
            "2**63 - 1."
        )
    return check_seed(seed)


def check_seed(seed: int) -> int:
    """The seed of all but single matches, which alone can have wide ones."""
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or not 0 <= seed <= MAX_SEED:
        raise BadPosition(f"A seed is a whole number from 0 to 2**63 - 1, not {seed!r}.")
    return int(seed)


@rule
def seed_rng(rng: Rng, seed: int, stream: int, counter: int) -> None:
    """Starts at the word numbered `counter` of stream `stream` (0 to 2**30) of a seed (0 to 2**63 -
    1)."""
    rng[_KEY] = seed & WORD
    rng[_STREAM] = ((seed >> 32) ^ (stream * _KEY_STEP)) & WORD
    rng[_COUNTER] = counter
    rng[_SPARE] = _NO_SPARE


@rule
def word(rng: Rng) -> int:
    """The next 32 random bits. A block of the generator has two words; the second is kept for the
    next call."""
    number = rng[_COUNTER]
    rng[_COUNTER] = number + 1
    if number & 1 == 1 and rng[_SPARE] != _NO_SPARE:
        return rng[_SPARE]
    low = uint64((number >> 1) & WORD)
    high = uint64(rng[_STREAM])
    key = uint64(rng[_KEY])
    for _ in range(_ROUNDS):
        product = low * _MULTIPLIER
        low = (product >> _WORD_BITS) ^ key ^ high
        high = product & _UNSIGNED_WORD
        key = (key + _UNSIGNED_KEY_STEP) & _UNSIGNED_WORD
    rng[_SPARE] = int(int64(high))
    if number & 1 == 1:
        return int(int64(high))
    return int(int64(low))


def is_wide_seed(seed: object) -> bool:
    return isinstance(seed, str) and _WIDE_SEED.fullmatch(seed) is not None


def wide_words(seed: str) -> Iterator[int]:
    """The words of a wide seed without end: SHA-256 of its 32 bytes and the number of the block (8
    bytes, from 0), cut into eight words. All numbers have their highest byte first."""
    key = bytes.fromhex(seed)
    for block in count():
        yield from struct.unpack(">8I", hashlib.sha256(key + struct.pack(">Q", block)).digest())


def wide_word(rng: Iterator[int]) -> int:
    """`word` for wide seeds, in plain Python only."""
    return next(rng)


@rule
def below(rng: Rng, n: int) -> int:
    """A random number from 0 to n - 1, n < 2**16; no number is favoured by more than n / 2**32."""
    return (word(rng) * n) >> 32


@rule
def roll(state: AnyState, n: int) -> int:
    """Chance during play: a number from 0 to n - 1, n < 2**16. The state has a field `chance`."""
    number = state.chance[THROWS]
    state.chance[THROWS] = number + 1
    return (enciphered(state, number) * n) >> 32


@rule
def turned_right(bits: int, by: int) -> int:
    """32 bits, those that fall out on the right put in on the left."""
    return ((bits >> by) | (bits << (32 - by))) & WORD


@rule
def enciphered(state: AnyState, number: int) -> int:
    """Half of the block that a number becomes with the key of a state."""
    left = number >> 32
    right = number & WORD
    key = state.chance[0]
    first = state.chance[1]
    second = state.chance[2]
    third = state.chance[3]
    for number_of_round in range(_CIPHER_ROUNDS):
        left = ((turned_right(left, 8) + right) & WORD) ^ key
        right = turned_right(right, 29) ^ left
        new = ((key + turned_right(first, 8)) & WORD) ^ number_of_round
        key = turned_right(key, 29) ^ new
        first = second
        second = third
        third = new
    return left


@rule
def draw_key(state: AnyState, rng: Rng) -> None:
    """Another secret for all throws to come."""
    for k in range(KEY_WORDS):
        state.chance[k] = word(rng)
    state.chance[THROWS] = 0


@rule
def draw_no_key(state: AnyState, rng: Rng) -> None:
    """For games that deal everything ahead."""


@rule
def shuffle(rng: Rng, cards: Ints, count: int) -> None:
    """Shuffles the first `count` entries of a one-dimensional array (Fisher and Yates)."""
    for last in range(count - 1, 0, -1):
        other = below(rng, last + 1)
        card = cards[last]
        cards[last] = cards[other]
        cards[other] = card


@rule
def starting_seat(rng: Rng, seats: int, first: int) -> int:
    """C1: drawn at random, unless the option `first` names a seat. Draws in both cases, so that the
    rest of the deal is the same."""
    drawn = below(rng, seats)
    if first >= 0:
        return first
    return drawn
