"""Estonian: names in the cases that a sentence needs, and what every game says.

Most cases are the genitive and an ending. A name that ends in a vowel is its own genitive (Olga), others
get an -i (Boris, Borisi); what is no name, such as "mängija 2", has its ending before the number. Those few
Estonian names that change inside (Mart, Mardi) cannot be told from others and are treated alike.
"""

from __future__ import annotations

import re
from functools import lru_cache, partial

from samovar.language.grammar import KEPT, Grammar, plain

_COUNTED = re.compile(r"(?P<noun>.*[^\W\d])(?P<number> \d+(?: \(.*\))?)")  # "mängija 2 (sina)", "Anna 2"
GUEST = "külaline"
_OWN_GENITIVE = re.compile(r".*[aeiouyаеёиоуыэюя]")


@lru_cache(KEPT)
def with_ending(ending: str, word: str) -> str:
    """`le`: Annale, Borisile, mängijale 2, 42-le."""
    counted = _COUNTED.fullmatch(word)
    if counted:
        return with_ending(ending, counted["noun"]) + counted["number"]
    if word.lower() == GUEST:  # what the site calls who has no name; Caroline is one
        return f"{word[:-2]}se{ending}"
    letters = plain(word)
    if not letters[-1:].isalpha():
        return f"{word}-{ending}" if ending else word
    return f"{word}{ending}" if _OWN_GENITIVE.fullmatch(letters) else f"{word}i{ending}"


GRAMMAR = Grammar(
    # whose (omastav), to whom, from whom, with whom
    rules={
        "om": partial(with_ending, ""),
        "le": partial(with_ending, "le"),
        "lt": partial(with_ending, "lt"),
        "ga": partial(with_ending, "ga"),
    },
    decimal=",",
    thousands="\u00a0",
    words={
        "prompt.move": "Sinu käik.",
        "prompt.wait": "Oota hetk.",
        "prompt.over": "Mäng on läbi.",
        "option.first": "Kes alustab",
        "option.first.None": "juhus otsustab",
        "view.field": "{name}:",
        "view.True": "jah",
        "view.False": "ei",
        "view.None": "–",
    },
)
