"""Sets as bits: plain and compiled agree with the obvious."""

import numpy as np

from samovar.engine.bits import count_bits, lowest_bit, nth_bit
from support.compiled import compiled


def test_lowest_and_count_agree_with_the_obvious() -> None:
    lowest, count = compiled(lowest_bit), compiled(count_bits)
    choose = np.random.default_rng(1)
    sets = (
        [1 << bit for bit in range(62)]
        + [(1 << 62) - 1]
        + [int(choose.integers(1, 1 << 62)) >> int(choose.integers(60)) for _ in range(3000)]
    )
    for bits in filter(None, sets):
        wanted = (bits & -bits).bit_length() - 1, bits.bit_count()
        assert (lowest_bit(bits), count_bits(bits)) == wanted
        assert (lowest(bits), count(bits)) == wanted
    assert count_bits(0) == count(0) == 0


def test_nth_bit_lists_a_set() -> None:
    bits = (1 << 61) | (1 << 40) | (1 << 31) | 0b1010
    assert [nth_bit(bits, n) for n in range(5)] == [1, 3, 31, 40, 61]
