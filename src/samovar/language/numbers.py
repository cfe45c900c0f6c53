"""Numbers as a language writes them: "−1,5" in French, German and Estonian, "−1.5" in English."""

from __future__ import annotations

from samovar.language.grammar import grammar_of

MINUS = "\u2212"  # as wide as a plus, where a hyphen is not


def number_text(value: float, language: str, digits: int = 0, *, signed: bool = False) -> str:
    """With so many digits after the point; `signed` says a plus, too. Never a minus before nothing."""
    rounded = round(value, digits) + 0.0
    return as_written(f"{rounded:{'+' if signed else ''}.{digits}f}", language)


def as_written(number: str, language: str) -> str:
    """What Python writes, `-1,234.5`, as the language does."""
    grammar = grammar_of(language)
    return number.translate({ord("-"): MINUS, ord("."): grammar.decimal, ord(","): grammar.thousands})
