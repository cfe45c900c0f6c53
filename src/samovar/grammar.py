"""The right form of a word for its place, so that a sentence reads well whatever is filled in.

A blank of a game's sentence may ask for a form, after a colon:

    {colour:a}           English: "a red", "an orange"
    {seat:de}            French: "de Vasilisa", "d’Emelya", "du siège 1"; so do {seat:à} and {seat:que}
    {colour:f}           a form that a word brings along, `Word("doré", f="dorée")`: a gender, a
                         case, a word beside it; a word without that form stays as it is
    {count:card|cards}   a number and its noun: "1 card", "0 cards"; in French "0 carte". What to
                         say for none may come first: {count:no cards|card|cards}

In the catalogues of the site and the terminal `%(de_name)s` is the fact `name` with "de". Spaces
before French signs do not break, however they are typed. A language finds its rules in `RULES`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from typing import Any, TypeAlias
from unicodedata import normalize

Form: TypeAlias = Callable[[Any], str]  # what is filled in, in the form that its place needs
KEPT = 4096  # names and words that were asked for lately


class Word(str):
    """A word with forms besides its usual one."""

    forms: Mapping[str, str]

    def __new__(cls, usual: str, **forms: str) -> Word:
        word = super().__new__(cls, usual)
        word.forms = forms
        return word


class Sentence(str):
    """A sentence with blanks that ask for a form. It is filled in as any text is, by `format`."""

    template: str  # with a blank of its own for each form
    blanks: tuple[tuple[str, str, Form], ...]  # that blank, the fact, its form

    def format(self, /, *args: object, **facts: object) -> str:
        for blank, fact, form in self.blanks:
            facts[blank] = form(facts[fact])
        return self.template.format_map(facts)


class Facts(dict[str, Any]):
    """What is filled into a sentence of a catalogue: `%(de_name)s` is `name` by the rule `de`."""

    def __missing__(self, key: str) -> str:
        rule, _, name = key.partition("_")
        return ALL_RULES[rule](str(self[name]))


_BLANK = re.compile(r"(?<!\{)\{(\w+):([^{}]+)\}")


def sentences(words: Mapping[str, str], language: str) -> dict[str, str]:
    """The words of a language, with those that ask for forms ready to be filled in. A form that
    nobody knows is left to `str.format`, which complains of it."""
    rules = RULES.get(language, {})
    names = {*rules, *(name for word in words.values() if isinstance(word, Word) for name in word.forms)}
    forms = {name: partial(_form, name, rules.get(name, str)) for name in names}
    return {
        key: text if isinstance(text, Word) else _sentence(set_spaces(text, language), forms, language)
        for key, text in words.items()
    }


def _sentence(text: str, forms: Mapping[str, Form], language: str) -> str:
    blanks: list[tuple[str, str, Form]] = []

    def replace(blank: re.Match[str]) -> str:
        fact, name = blank.groups()
        form = partial(_counted, name.split("|"), SINGULAR.get(language, (1,))) if "|" in name else forms.get(name)
        if form is None:
            return blank[0]
        blanks.append((f"{fact}_{len(blanks)}", fact, form))
        return f"{{{blanks[-1][0]}}}"

    template = _BLANK.sub(replace, text)
    if not blanks:
        return text
    sentence = Sentence(text)
    sentence.template, sentence.blanks = template, tuple(blanks)
    return sentence


def _form(name: str, rule: Callable[[str], str], fact: object) -> str:
    if isinstance(fact, Word) and name in fact.forms:
        return fact.forms[name]
    return rule(str(fact))


def _counted(nouns: list[str], singular: tuple[int, ...], count: object) -> str:
    if len(nouns) > 2 and count == 0:
        return nouns[0]
    return f"{count} {nouns[-2] if count in singular else nouns[-1]}"


# English

_TAKES_AN = re.compile(r"[ai]|e(?!u|we)|o(?!nc?e\b)|u(?!ni|[krst][aeiu]|bi)|h(?:onest|onou?r|our|eir)|8|1[18]\b")


@lru_cache(KEPT)
def with_a(word: str) -> str:
    return f"an {word}" if _TAKES_AN.match(_plain(word)) else f"a {word}"


# French

# Beginnings of words that sound as if they began with a consonant, without accents.
_KEEP_VOWEL = re.compile(
    "hach|haie|hain|hall|halt|hamac|hamster|hanch|hand|hang|hans|haric|harp|harry|hasard|haut|heris|heron|heros|hetr|"
    "heurt|hibou|hockey|holl|homard|hong|hont|hors|houss|houx|huit|hurl|hutt|onz|ouistiti|yaourt"
)


def _elides(word: str) -> bool:
    """Whether a vowel is heard first: h is mute but in words like "hibou", y is a vowel before a
    consonant ("Yves", not "Yann"). Digits and letters of other scripts change nothing."""
    plain = _plain(word)
    return bool(re.match(r"[aeiouœæ]|h|y[^aeiouy\W]", plain)) and not _KEEP_VOWEL.match(plain)


@lru_cache(KEPT)
def with_de(word: str) -> str:
    return _contracted(word, "du", "des") or (f"d’{word}" if _elides(word) else f"de {word}")


@lru_cache(KEPT)
def with_a_grave(word: str) -> str:
    return _contracted(word, "au", "aux") or f"à {word}"


@lru_cache(KEPT)
def with_que(word: str) -> str:
    return f"qu’{word}" if _elides(word) else f"que {word}"


def _contracted(word: str, singular: str, plural: str) -> str:
    """`du siège 1`: small letters only, "Le Corbusier" keeps his article."""
    article, _, rest = word.partition(" ")
    return {"le": f"{singular} {rest}", "les": f"{plural} {rest}"}.get(article, "") if rest else ""


def _plain(word: str) -> str:
    """Small letters without accents."""
    return re.sub(r"[\u0300-\u036f]", "", normalize("NFD", word)).lower()


_SIGNS = re.compile(r"(?<=\S) (?=[:;!?»])|(?<=«) ")


def set_spaces(text: str, language: str) -> str:
    """The text with spaces that do not break where its language wants them."""
    return _SIGNS.sub("\u00a0", text) if language == "fr" else text


RULES: Mapping[str, Mapping[str, Callable[[str], str]]] = {
    "en": {"a": with_a},
    "fr": {"de": with_de, "à": with_a_grave, "que": with_que},
}
ALL_RULES = {name: rule for rules in RULES.values() for name, rule in rules.items()}
SINGULAR = {"fr": (0, 1)}  # numbers with which a noun is singular, where that is not 1 alone
