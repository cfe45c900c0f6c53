"""German: "45 %" in one piece, and what every game says. Adjectives bring their endings along as forms of
words, so it needs no rules."""

from __future__ import annotations

from samovar.language.grammar import Grammar


def set_spaces(text: str) -> str:
    return text.replace(" %%", "\u00a0%%")


GRAMMAR = Grammar(
    decimal=",",
    thousands=".",
    set_spaces=set_spaces,
    words={
        "prompt.move": "Du bist am Zug.",
        "prompt.wait": "Einen Moment bitte.",
        "prompt.over": "Die Partie ist zu Ende.",
        "option.first": "Wer beginnt",
        "option.first.None": "der Zufall entscheidet",
        "view.field": "{name}:",
        "view.True": "ja",
        "view.False": "nein",
        "view.None": "–",
    },
)
