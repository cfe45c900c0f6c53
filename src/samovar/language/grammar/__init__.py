"""The right form of a word for its place, so that a sentence reads well whatever is filled in.

A blank of a game's sentence may ask for a form, after a colon:

    {colour:a}           a rule of the language. English: "a red", "an orange"; French {seat:de}: "de
                         Vasilisa", "d’Emelya"; Estonian {seat:ga}: "Olgaga", "Borisiga"
    {colour:f}           a form that a word brings along, `Word("doré", f="dorée")`: a gender, a
                         case, a word beside it; a word without that form stays as it is
    {count:card|cards}   a number and its noun: "1 card", "0 cards"; in French "0 carte". What to
                         say for none may come first: {count:no cards|card|cards}

In the catalogues of the site and the terminal `%(de_name)s` is the fact `name` with "de". Spaces
before French signs do not break, however they are typed.

What belongs to one language is in its file here (`fr.py`); a language without a file has no rules of
its own. A game's words lie in a folder with a file for each language: `by_language` reads it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from importlib import import_module
from pkgutil import iter_modules
from typing import TypeAlias
from unicodedata import normalize

ENGLISH = "en"
Form: TypeAlias = Callable[[object], str]  # what is filled in, in the form that its place needs
KEPT = 4096  # names and words that were asked for lately, for each rule


class Word(str):
    """A word with forms besides its usual one."""

    forms: Mapping[str, str]

    def __new__(cls, usual: str, **forms: str) -> Word:
        word = super().__new__(cls, usual)
        word.forms = forms
        return word


@dataclass(frozen=True)
class Grammar:
    """How a language puts words together, and what every game says in it."""

    rules: Mapping[str, Callable[[str], str]] = field(default_factory=dict)  # forms that any word can have
    singular: tuple[int, ...] = (1,)  # the numbers with which a noun is singular
    decimal: str = "."  # between the whole and its parts
    thousands: str = ","  # between the thousands of a great number
    set_spaces: Callable[[str], str] = str  # a text with spaces that do not break where they should not
    words: Mapping[str, str] = field(default_factory=dict)  # of games that do not say it themselves


def by_language(package: str, folders: Iterable[str]) -> dict[str, dict[str, str]]:
    """The words in a package that has a file for each language, English first: `WORDS =
    by_language(__name__, __path__)` in its `__init__.py`."""
    names = sorted((entry.name for entry in iter_modules(folders)), key=lambda name: (name != ENGLISH, name))
    return {name: import_module(f"{package}.{name}").WORDS for name in names}


@cache
def grammars() -> Mapping[str, Grammar]:
    """Of all languages that have a file here."""
    names = [entry.name for entry in iter_modules(__path__)]
    return {name: import_module(f"{__name__}.{name}").GRAMMAR for name in names}


def grammar_of(language: str) -> Grammar:
    return grammars().get(language) or Grammar()


@cache
def all_rules() -> Mapping[str, Callable[[str], str]]:
    """A sentence of a catalogue asks for them by name, whatever its language."""
    return {name: rule for grammar in grammars().values() for name, rule in grammar.rules.items()}


class Sentence(str):
    """A sentence with blanks that ask for a form. It is filled in as any text is, by `format`."""

    template: str  # with a blank of its own for each form
    blanks: tuple[tuple[str, str, Form], ...]  # that blank, the fact, its form

    def format(self, /, *args: object, **facts: object) -> str:
        for blank, fact, form in self.blanks:
            facts[blank] = form(facts[fact])
        return self.template.format_map(facts)


class Facts(dict[str, object]):
    """What is filled into a sentence of a catalogue: `%(de_name)s` is `name` by the rule `de`."""

    def __missing__(self, key: str) -> str:
        rule, _, name = key.partition("_")
        return all_rules()[rule](str(self[name]))


_BLANK = re.compile(r"(?<!\{)\{(\w+):([^{}]+)\}")


def sentences(words: Mapping[str, str], language: str) -> dict[str, str]:
    """The words of a language, with those that ask for forms ready to be filled in. A form that
    nobody knows is left to `str.format`, which complains of it."""
    grammar = grammar_of(language)
    names = {*grammar.rules, *(name for word in words.values() if isinstance(word, Word) for name in word.forms)}
    forms = {name: partial(_form, name, grammar.rules.get(name, str)) for name in names}
    return {
        key: text if isinstance(text, Word) else _sentence(grammar.set_spaces(text), forms, grammar.singular)
        for key, text in words.items()
    }


def _sentence(text: str, forms: Mapping[str, Form], singular: tuple[int, ...]) -> str:
    blanks: list[tuple[str, str, Form]] = []

    def replace(blank: re.Match[str]) -> str:
        fact, name = blank.groups()
        form = partial(_counted, name.split("|"), singular) if "|" in name else forms.get(name)
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


def plain(word: str) -> str:
    """Small letters without accents."""
    return re.sub(r"[\u0300-\u036f]", "", normalize("NFD", word)).lower()
