"""All that the game says, a file for each language: news and moves (see `Event` in
samovar/engine/contract.py), then the names of the fields of a view. English is needed; another
language is another file that says the same. The words of the cards are in cards.csv."""

from samovar.language.grammar import by_language

from ..cards import DECK

WORDS = DECK.with_words(by_language(__name__, __path__))
