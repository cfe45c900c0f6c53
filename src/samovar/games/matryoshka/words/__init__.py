"""What there is to say, a file for each language: names, the sentences of the events, what is asked,
and the texts of the drawing and of the table in a browser."""

from samovar.language.grammar import by_language

WORDS = by_language(__name__, __path__)
