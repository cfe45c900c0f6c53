"""The generator: published answers, ranges, streams."""

from collections import Counter

import numpy as np
import pytest

from samovar.engine.chance import below, seed_rng, shuffle, starting_seat, word
from samovar.engine.rule import Compiler, jit_cpu, rule

# Known answers of Philox 2x32 with ten rounds: counter (low, high), key, first word.
KNOWN = [
    (0x00000000, 0x00000000, 0x00000000, 0xFF1DAE59),
    (0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0x2C3F628B),
    (0x243F6A88, 0x85A308D3, 0x13198A2E, 0xDD7CE038),
]


@pytest.mark.parametrize(("low", "high", "key", "answer"), KNOWN)
def test_word_gives_the_published_answers(low: int, high: int, key: int, answer: int) -> None:
    assert word([key, high, low]) == answer


def test_word_is_the_same_compiled() -> None:
    compiled = Compiler(jit_cpu, {}).compile(word)
    plain, fast = [123456789, 987654321, 0], np.array([123456789, 987654321, 0], np.int64)
    assert [word(plain) for _ in range(1000)] == [compiled(fast) for _ in range(1000)]


@rule
def shuffle_seven(cards, rng):
    shuffle(rng, cards, 7)


def test_shuffle_of_known_length_is_the_same_compiled() -> None:
    """The compiler unrolls it, and would then use that signed overflow is undefined."""
    compiled = Compiler(jit_cpu, {}).compile(shuffle_seven)
    for seed in range(300):
        plain, fast = list(range(7)), np.arange(7, dtype=np.int8)
        shuffle_seven(plain, [seed, 0, 0])
        compiled(fast, np.array([seed, 0, 0], np.int64))
        assert plain == fast.tolist()


def test_below_is_even_and_in_range() -> None:
    rng = [0, 0, 0]
    seed_rng(rng, 42, 0)
    counts = Counter(below(rng, 6) for _ in range(60_000))
    assert set(counts) == set(range(6))
    # Six sigma of a binomial count around 10,000.
    assert all(abs(count - 10_000) < 550 for count in counts.values()), counts


def test_shuffle_makes_every_order_equally_often() -> None:
    rng = [0, 0, 0]
    seed_rng(rng, 7, 0)
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
            rng = [0, 0, 0]
            seed_rng(rng, seed, stream)
            firsts.add((word(rng), word(rng)))
    assert len(firsts) == 15


def test_c1_starting_seat_is_random_unless_named() -> None:
    rng = [0, 0, 0]
    seed_rng(rng, 1, 0)
    assert {starting_seat(rng, 4, -1) for _ in range(200)} == {0, 1, 2, 3}
    assert {starting_seat(rng, 4, 2) for _ in range(20)} == {2}
