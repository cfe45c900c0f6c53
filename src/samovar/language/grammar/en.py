"""English: "a" and "an", and what every game says."""

from __future__ import annotations

import re
from functools import lru_cache

from samovar.language.grammar import KEPT, Grammar, plain

_TAKES_AN = re.compile(r"[ai]|e(?!u|we)|o(?!nc?e\b)|u(?!ni|[krst][aeiu]|bi)|h(?:onest|onou?r|our|eir)|8|1[18]\b")


@lru_cache(KEPT)
def with_a(word: str) -> str:
    return f"an {word}" if _TAKES_AN.match(plain(word)) else f"a {word}"


GRAMMAR = Grammar(
    rules={"a": with_a},
    words={
        "prompt.move": "It is your move.",
        "prompt.wait": "Please wait.",
        "prompt.over": "The game is over.",
        "option.first": "Who begins",
        "option.first.None": "chance decides",
        "view.field": "{name}:",
        "view.True": "yes",
        "view.False": "no",
        "view.None": "–",
    },
)
