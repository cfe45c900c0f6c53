"""Rules that do not end, for those who must notice it."""

from dataclasses import replace

from samovar.engine.chance import shuffle
from samovar.engine.rule import rule
from samovar.engine.unseen import count_of
from support.hidden_game import GAME, LATE, count_cards, determinize


@rule
def find_a_card(state, rng):
    place = 0
    while state.deck[place] < 6:
        place = (place + 1) % 6


@rule
def determinize_without_end(state, seat, rng):
    find_a_card(state, rng)


@rule
def determinize_in_a_helper_without_end(state, seat, rng):
    """Nearly all of the time it is in what it calls, which is the engine's."""
    while count_of(state.deck, 9) == 0:
        shuffle(rng, state.deck, 6)


@rule
def draw_for_ever(state, seat, rng):
    """In few positions, late, no world is good enough."""
    determinize(state, seat, rng)
    while state.moved == LATE and state.hand[seat] == 0 and seat == 1:
        shuffle(rng, state.deck, count_cards(state))


FOR_EVER = replace(GAME, determinize=draw_for_ever)
