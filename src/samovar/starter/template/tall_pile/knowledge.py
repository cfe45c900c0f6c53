"""What a seat knows: worlds that fit it. Bots think in such worlds, so they cannot cheat."""

from samovar.engine.rule import rule
from samovar.engine.unseen import UNSEEN, deal_unseen

from .state import ASIDE, CARDS, PILE


@rule
def determinize(state, seat, rng):
    """Where cards are that the seat cannot see is forgotten, then they are dealt anew. How many there
    are in each hand everybody sees."""
    for card in range(CARDS):
        if not sees(state, seat, card):
            state.where[card] = UNSEEN
    deal_unseen(rng, state.where, state.count)


@rule
def sees(state, seat, card):
    """Whether a seat knows where a card is: it holds it, or it was played."""
    place = state.where[card]
    return place == seat or place == PILE or place == ASIDE
