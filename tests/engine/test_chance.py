"""The generator: published answers, ranges, streams."""

import hashlib
from collections import Counter
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest

import samovar
from samovar.engine.chance import below, derive_seed, seed_rng, shuffle, starting_seat, wide_words, word
from samovar.engine.rule import rule
from support.compiled import compiled

WIDE = "00112233445566778899aabbccddeeff" * 2

# Known answers of Philox 2x32 with ten rounds: counter (low, high), key, both words.
KNOWN = [
    (0x00000000, 0x00000000, 0x00000000, (0xFF1DAE59, 0x6CD10DF2)),
    (0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, (0x2C3F628B, 0xAB4FD7AD)),
    (0x243F6A88, 0x85A308D3, 0x13198A2E, (0xDD7CE038, 0xF62A4C12)),
]


@pytest.mark.parametrize(("low", "high", "key", "answer"), KNOWN)
def test_words_are_the_published_answers(low: int, high: int, key: int, answer: tuple[int, int]) -> None:
    rng = [key, high, 2 * low, -1]
    assert (word(rng), word(rng)) == answer


def test_counter_gives_any_word_of_the_stream() -> None:
    rng = [0] * 4
    seed_rng(rng, 99, 1, 0)
    words = [word(rng) for _ in range(9)]
    for number in range(9):
        seed_rng(rng, 99, 1, number)
        assert [word(rng) for _ in range(9 - number)] == words[number:]


def test_word_is_the_same_compiled() -> None:
    fast_word = compiled(word)
    plain, fast = [123456789, 987654321, 0, -1], np.array([123456789, 987654321, 0, -1], np.int64)
    assert [word(plain) for _ in range(1000)] == [fast_word(fast) for _ in range(1000)]


@rule
def shuffle_seven(cards, rng):
    shuffle(rng, cards, 7)


def test_shuffle_of_known_length_is_the_same_compiled() -> None:
    """The compiler unrolls it, and would then use that signed overflow is undefined."""
    fast_shuffle = compiled(shuffle_seven)
    for seed in range(300):
        plain, fast = list(range(7)), np.arange(7, dtype=np.int8)
        shuffle_seven(plain, [seed, 0, 0, -1])
        fast_shuffle(fast, np.array([seed, 0, 0, -1], np.int64))
        assert plain == fast.tolist()


def test_below_is_even_and_in_range() -> None:
    rng = [0] * 4
    seed_rng(rng, 42, 0, 0)
    counts = Counter(below(rng, 6) for _ in range(60_000))
    assert set(counts) == set(range(6))
    # Six sigma of a binomial count around 10,000.
    assert all(abs(count - 10_000) < 550 for count in counts.values()), counts


def test_shuffle_makes_every_order_equally_often() -> None:
    rng = [0] * 4
    seed_rng(rng, 7, 0, 0)
    counts: Counter[tuple[int, ...]] = Counter()
    for _ in range(24_000):
        cards = [0, 1, 2, 3, 9]
        shuffle(rng, cards, 4)
        assert cards[4] == 9
        counts[tuple(cards[:4])] += 1
    assert len(counts) == 24
    assert all(abs(count - 1000) < 190 for count in counts.values()), counts


def test_streams_and_seeds_differ() -> None:
    firsts = set()
    for seed in (0, 1, 2, 2**32, 2**62):
        for stream in (0, 1, 2):
            rng = [0] * 4
            seed_rng(rng, seed, stream, 0)
            firsts.add((word(rng), word(rng)))
    assert len(firsts) == 15


def test_c1_starting_seat_is_random_unless_named() -> None:
    rng = [0] * 4
    seed_rng(rng, 1, 0, 0)
    assert {starting_seat(rng, 4, -1) for _ in range(200)} == {0, 1, 2, 3}
    assert {starting_seat(rng, 4, 2) for _ in range(20)} == {2}


# Wide seeds


def hashed_words(seed: str, count: int) -> list[int]:
    """What the documentation says, written once more."""
    blocks = (
        hashlib.sha256(bytes.fromhex(seed) + block.to_bytes(8, "big")).digest() for block in range(count // 8 + 1)
    )
    stream = b"".join(blocks)
    return [int.from_bytes(stream[4 * i : 4 * i + 4], "big") for i in range(count)]


def test_words_of_a_wide_seed_are_hashes_of_seed_and_counter() -> None:
    assert list(islice(wide_words(WIDE), 3)) == [0x3C4856D9, 0x370E3D86, 0xFB8FC73D]  # so that they never change
    assert list(islice(wide_words(WIDE), 1000)) == hashed_words(WIDE, 1000)


def test_words_of_a_wide_seed_are_even() -> None:
    words = np.fromiter(islice(wide_words(WIDE), 64_000), np.uint32)
    for shift in range(0, 32, 4):
        counts = np.bincount(words >> shift & 15, minlength=16)
        chi_square = float(((counts - 4000) ** 2 / 4000).sum())
        # 15 degrees of freedom: one in 10,000 is outside
        assert 2 < chi_square < 45, f"bits {shift} to {shift + 3}: {counts}"


@rule
def deal_thousands(state, seats, options, rng):
    """Keeps a mix of all that it draws in a field that is wide enough."""
    state.seats = seats
    for _ in range(5000):
        state.men[0] = (state.men[0] * 31 + below(rng, 60_000)) & 0xFFFFFFFF


@pytest.mark.parametrize("plain", [True, False])
def test_a_wide_deal_draws_as_many_words_as_it_needs(plain: bool) -> None:
    game = replace(samovar.find_game("connect_four"), deal=deal_thousands)
    mixed = 0
    for number in hashed_words(WIDE, 5000):
        mixed = (mixed * 31 + (number * 60_000 >> 32)) & 0xFFFFFFFF
    assert samovar.Match(game, seed=WIDE, plain=plain).state.men[0] == mixed


def test_wide_seeds_give_seeds_for_other_things() -> None:
    seeds = {derive_seed("bot", seed, seat) for seed in (WIDE, WIDE[::-1]) for seat in (0, 1)}
    assert len(seeds) == 4
    assert all(0 <= seed < 2**63 for seed in seeds)
