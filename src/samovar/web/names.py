"""What people call themselves: names that can be seen, and told apart from the others at a
table."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from itertools import pairwise

from samovar.web import problems

LONGEST_NAME = 24
MOST_MARKS = 2  # accents on one letter

# Printable by their category, and yet nothing is seen of them: fillers, empty patterns, joiners. No
# table of Python's knows them.
BLANK = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\uffa0\U00013441\U00013442\U00016fe4\U0001d159]"
)
SELECTOR = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]")  # says how the sign before it is drawn


def check_name(name: str) -> str:
    """The name as it is kept: in one spelling of its letters, with single spaces."""
    clean = unicodedata.normalize("NFC", " ".join(name.split()))
    if (
        len(clean) > LONGEST_NAME
        or not clean.isprintable()
        or not can_be_seen(clean)
        or _hides_something(clean)
        or _piles_up(clean)
    ):
        raise problems.BadName(most=LONGEST_NAME)
    return clean


def same_name(one: str, other: str) -> bool:
    """Whether two names look the same to somebody who reads them quickly: in small or large
    letters, wide or narrow ones."""
    return look_of(one) == look_of(other)


def unused_name(name: str, taken: Iterable[str]) -> str:
    """The second Anna is Anna 2."""
    others = list(taken)
    tries = (name, *(f"{name} {number}" for number in range(2, 10)))
    return next(candidate for candidate in tries if not any(same_name(candidate, other) for other in others))


def can_be_seen(text: str) -> bool:
    """Whether there is anything to read."""
    return any(unicodedata.category(sign)[0] in "LNPS" and not BLANK.match(sign) for sign in text)


def _hides_something(name: str) -> bool:
    """Signs that are not seen would make a twin of another's name. Phones put a selector behind a
    symbol: that one is seen."""
    pairs = pairwise(f" {name}")
    return any(
        BLANK.match(sign) or (SELECTOR.match(sign) and unicodedata.category(before) != "So") for before, sign in pairs
    )


def _piles_up(name: str) -> bool:
    """More accents on a letter than any language has reach into the lines above and below."""
    kinds = "".join("m" if unicodedata.category(sign) in ("Mn", "Me") else "." for sign in name)
    return "m" * (MOST_MARKS + 1) in kinds


def look_of(name: str) -> str:
    """What names have in common that look the same."""
    plain = unicodedata.normalize("NFKC", SELECTOR.sub("", name)).casefold()
    return unicodedata.normalize("NFKC", plain)
