"""What a seat cannot see, dealt anew: what `determinize` of most card games needs.

A game keeps its cards in a row of its state, in one of two ways: by card, each with the place where
it is (a hand, the third of the stock), or by place, each with the card that lies there. The first is
for cards that are in no order in a hand: then the same cards are always the same bytes.

`determinize` overwrites what the seat cannot see with `UNSEEN`, and `deal_unseen` puts there what is
missing. What was overwritten cannot be peeked at, so the draw depends on what the seat knows and on
chance alone. Every way to fill the row is equally likely. That is right where nothing else was
learned about these cards; where something was ("has no hearts"), deal until they fit it.
"""

from __future__ import annotations

from samovar.engine.arrays import Ints, Rng
from samovar.engine.chance import below
from samovar.engine.rule import rule

UNSEEN = -2  # -1 is left to games, for places where no card lies


@rule
def deal_unseen(rng: Rng, row: Ints, copies: Ints) -> None:
    """Fills the entries of a row that are `UNSEEN`. `copies` says how often each number from 0 on is
    in the whole row: how many cards lie at each place, or how often each card is in the game. It is
    a field of the state or a `table`."""
    left = count_of(row, UNSEEN)
    for number in range(len(copies)):
        for _ in range(copies[number] - count_of(row, number)):
            put_unseen(row, below(rng, left), number)
            left -= 1


@rule
def count_of(row: Ints, number: int) -> int:
    """How many entries of a row are this number."""
    count = 0
    for i in range(len(row)):
        if row[i] == number:
            count += 1
    return count


@rule
def put_unseen(row: Ints, n: int, number: int) -> None:
    """Writes a number over the n-th entry that is `UNSEEN`, from 0."""
    for i in range(len(row)):
        if row[i] == UNSEEN:
            if n == 0:
                row[i] = number
            n -= 1
