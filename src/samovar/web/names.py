"""What people call themselves: names that can be seen, and told apart from the others at a
table."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
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
DOT = re.compile("(?<=[ij])\u0307")  # on a letter that has one already

# Letters of other alphabets, and signs, that look like a Latin one, each above its twin: Russian and its
# neighbours, Greek, the rest. Only what a reader takes for one another: names of one alphabet are told apart as ever.
SMALL = dict(
    zip(
        "агекмопрстухзбѕіјһԁԛԝѵ" + "αγηικνορυχω" + "ıɑɡ0" + "‘’ʼ`′" + "‐‒–—−",
        "arekmonpctyx36sijhdqwv" + "aynikvopuxw" + "iago" + "'" * 5 + "-" * 5,
        strict=True,
    )
)
LARGE = dict(zip("АВЕКМНОРСТУХЗЅЈҮԚԜѴ" + "ΑΒΕΖΗΚΜΝΟΡΤΥΧ", "ABEKMHOPCTYX3SJYQWV" + "ABEZHKMNOPTYX", strict=True))
BARS = dict.fromkeys("Il1|ǀІӀӏΙ", "|")
IN_SMALL = str.maketrans(SMALL)
AS_WRITTEN = str.maketrans({**SMALL, **LARGE, **BARS})


@dataclass(frozen=True)
class Person:
    """Who sits on a chair."""

    name: str
    kind: str = "person"  # "person", "bot", "absent" (a person whose chair a bot keeps warm) or "free"
    level: str = ""  # of the bot


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
    """Whether two names look the same to somebody who reads them quickly: in small or large letters, wide or narrow
    ones, of whichever alphabet."""
    return not looks_of(one).isdisjoint(looks_of(other))


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


def looks_of(name: str) -> frozenset[tuple[str, str]]:
    """What names have in common that look the same: in small letters, where ВОВА is Вова, or as they are written,
    where it is BOBA."""
    plain = unicodedata.normalize("NFKD", SELECTOR.sub("", name))
    small, written = plain.casefold().translate(IN_SMALL), plain.translate(AS_WRITTEN).casefold()
    return frozenset({("small", _composed(small)), ("written", _composed(written))})


def _composed(text: str) -> str:
    return unicodedata.normalize("NFKC", DOT.sub("", text))
