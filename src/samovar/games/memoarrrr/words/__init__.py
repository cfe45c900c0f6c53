"""What there is to say, a file for each language: names, the sentence of every event, prompts, and the
texts of the drawing and of the table in a browser. A card is called by its animal and its landscape."""

from __future__ import annotations

from samovar.language.grammar import by_language

from ..state import ANIMAL_NAMES, LANDSCAPE_NAMES

CARDS = [(animal, landscape) for animal in ANIMAL_NAMES for landscape in LANDSCAPE_NAMES]
WORDS = {
    language: {**words, **{f"{one}-{other}": f"{words[one]} + {words[other]}" for one, other in CARDS}}
    for language, words in by_language(__name__, __path__).items()
}
