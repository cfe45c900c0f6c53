"""Sets as bits of an integer, up to 62 of them: which is the lowest or the n-th, how many there
are. No product here exceeds 63 bits."""

from __future__ import annotations

from samovar.engine.rule import rule, table

# A de Bruijn sequence: every five bits in a row of it are another number, so that a product with a
# single bit tells which bit it was.
_SEQUENCE = 0x077CB531
_PLACE = {(_SEQUENCE << bit) >> 27 & 31: bit for bit in range(32)}
PLACE = table([_PLACE[number] for number in range(32)])

_PAIRS = 0x5555555555555555
_FOURS = 0x3333333333333333
_EIGHTS = 0x0F0F0F0F0F0F0F0F


@rule
def lowest_bit(bits: int) -> int:
    """The lowest member of a set that has one."""
    single = bits & -bits
    if single >> 32 != 0:
        return 32 + PLACE[((single >> 32) * _SEQUENCE) >> 27 & 31]
    return PLACE[(single * _SEQUENCE) >> 27 & 31]


@rule
def count_bits(bits: int) -> int:
    """How many members a set has."""
    bits -= (bits >> 1) & _PAIRS
    bits = (bits & _FOURS) + ((bits >> 2) & _FOURS)
    bits = (bits + (bits >> 4)) & _EIGHTS
    bits += bits >> 8
    bits += bits >> 16
    return (bits + (bits >> 32)) & 127


@rule
def nth_bit(bits: int, n: int) -> int:
    """The n-th lowest member of a set, from 0."""
    for _ in range(n):
        bits &= bits - 1
    return lowest_bit(bits)
