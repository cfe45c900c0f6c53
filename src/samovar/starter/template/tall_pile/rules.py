"""The rules, by their numbers in RULES.md. They also run compiled and on a GPU, so they use integers
and nothing else."""

from samovar.engine.chance import shuffle, starting_seat
from samovar.engine.rule import rule

from .cards import RANK
from .state import ASIDE, CARDS, HAND, NO_CARD, PILE, PLACES, STOCK


@rule
def deal(state, seats, options, rng):
    """1.1, 1.2: three cards for each seat, the rest is the stock."""
    state.seats = seats
    state.turn = starting_seat(rng, seats, options.first)
    state.top = NO_CARD
    state.stock = CARDS - HAND * seats
    for card in range(CARDS):
        place = STOCK + card if card < state.stock else (card - state.stock) // HAND
        state.where[card] = place
        state.count[place] += 1
    shuffle(rng, state.where, CARDS)


@rule
def actors(state):
    """1.6: all have played as many cards, so that the match is over when the next seat has none."""
    return 1 << state.turn if state.count[state.turn] > 0 else 0


@rule
def legal(state, seat, out):
    """1.3: any card of the hand. The number of a move is that of the card."""
    count = 0
    for card in range(CARDS):
        if state.where[card] == seat:
            out[count] = card
            count += 1
    return count


@rule
def apply(state, seat, move):
    """1.3 to 1.5."""
    state.took = 0
    if takes(state, move):
        state.took = state.count[PILE]
        state.taken[seat] += state.took
        move_cards(state, PILE, ASIDE)
    put(state, move, PILE)
    state.top = move
    if state.stock > 0:
        state.stock -= 1
        move_cards(state, STOCK + state.stock, seat)
    state.turn = (seat + 1) % state.seats


@rule
def takes(state, card):
    """1.4: whether who plays this card has to take the pile first. Before the first card nothing lies
    there that could be higher."""
    return state.top != NO_CARD and RANK[card] < RANK[state.top]


@rule
def move_cards(state, source, target):
    """All cards of a place go to another."""
    for card in range(CARDS):
        if state.where[card] == source:
            put(state, card, target)


@rule
def put(state, card, place):
    state.count[state.where[card]] -= 1
    state.where[card] = place
    state.count[place] += 1


@rule
def scores(state, out):
    """1.6."""
    for seat in range(state.seats):
        out[seat] = -state.taken[seat]


def faults(state):
    """What can never be, in plain Python, a sentence each. The kit asks after every move: it finds
    mistakes of the rules."""
    if any(state.count[place] != list(state.where).count(place) for place in range(PLACES)):
        yield "cards are counted wrongly"
    if max(state.count[: state.seats]) > HAND:
        yield "a hand is too large"
