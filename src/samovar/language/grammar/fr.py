"""French: vowels that are elided, spaces before signs, and what every game says."""

from __future__ import annotations

import re
from functools import lru_cache

from samovar.language.grammar import KEPT, Grammar, plain

# Beginnings of words that sound as if they began with a consonant, without accents.
_KEEP_VOWEL = re.compile(
    "hach|haie|hain|hall|halt|hamac|hamster|hanch|hand|hang|hans|haric|harp|harry|hasard|haut|heris|heron|heros|hetr|"
    "heurt|hibou|hockey|holl|homard|hong|hont|hors|houss|houx|huit|hurl|hutt|onz|ouistiti|yaourt"
)
_SIGNS = re.compile(r"(?<=\S) (?=[:;!?»]|%%)|(?<=«) ")


def _elides(word: str) -> bool:
    """Whether a vowel is heard first: h is mute but in words like "hibou", y is a vowel before a
    consonant ("Yves", not "Yann"). Digits and letters of other scripts change nothing."""
    letters = plain(word)
    return bool(re.match(r"[aeiouœæ]|h|y[^aeiouy\W]", letters)) and not _KEEP_VOWEL.match(letters)


@lru_cache(KEPT)
def with_de(word: str) -> str:
    return _contracted(word, "du", "des") or (f"d’{word}" if _elides(word) else f"de {word}")


@lru_cache(KEPT)
def with_a_grave(word: str) -> str:
    return _contracted(word, "au", "aux") or f"à {word}"


@lru_cache(KEPT)
def with_que(word: str) -> str:
    return f"qu’{word}" if _elides(word) else f"que {word}"


def as_place(number: str) -> str:
    """`1re place`, `2e place`."""
    return f"{number}{'re' if number == '1' else 'e'} place"


def _contracted(word: str, singular: str, plural: str) -> str:
    """`du siège 1`: small letters only, "Le Corbusier" keeps his article."""
    article, _, rest = word.partition(" ")
    return {"le": f"{singular} {rest}", "les": f"{plural} {rest}"}.get(article, "") if rest else ""


def set_spaces(text: str) -> str:
    return _SIGNS.sub("\u00a0", text)


GRAMMAR = Grammar(
    rules={"de": with_de, "à": with_a_grave, "que": with_que, "rang": as_place},
    singular=(0, 1),
    decimal=",",
    thousands="\u00a0",
    set_spaces=set_spaces,
    words={
        "prompt.move": "C’est à vous.",
        "prompt.wait": "Patience.",
        "prompt.over": "La partie est terminée.",
        "option.first": "Qui commence",
        "option.first.None": "le hasard décide",
        "view.field": "{name} :",
        "view.True": "oui",
        "view.False": "non",
        "view.None": "–",
    },
)
