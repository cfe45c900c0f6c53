"""The cards, as cards.csv has them. Change that file in a spreadsheet: a name and a rank for each card, and its word in
each language. A field of `Card` is a column."""

from samovar.engine.assembly.cards import CardRow, read_cards


class Card(CardRow):
    rank: int  # a card of a lower rank than the one on top takes the pile


DECK = read_cards(__file__, Card)
RANK = DECK.column("rank")  # by card, for rules
