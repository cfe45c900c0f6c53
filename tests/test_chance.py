"""The generator: published answers, ranges, streams."""

from collections import Counter

import numpy as np
import pytest

from compiled import compiled
from samovar.engine.chance import below, seed_rng, shuffle, starting_seat, word
from samovar.engine.rule import rule

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
