"""What a seat knows as numbers, for programs that learn. Other seats are counted from the one that
looks: the next one is 1."""

from samovar.engine.contract import Part
from samovar.engine.kinds import FLAG, count, one_of, starts
from samovar.engine.rule import rule

from .state import ASIDE, CARDS, HAND, MOST_SEATS, PILE

OBSERVATION = (
    Part("hand", CARDS, "1 for each card of the own hand", FLAG),
    Part("played", CARDS, "1 for each card that was played", FLAG),
    Part("top", 1, "the card on top of the pile, -1 none", one_of(CARDS)),
    Part("pile", 1, "cards on the pile", count(0, CARDS)),
    Part("stock", 1, "cards in the stock", count(0, CARDS - 2 * HAND)),
    Part("hands", MOST_SEATS, "cards in each hand, from the own seat on", count(0, HAND)),
    Part("taken", MOST_SEATS, "cards that each had to take, from the own seat on", count(0, CARDS)),
)
PLAYED, TOP, PILE_SIZE = starts(OBSERVATION, "played", "top", "pile")
STOCK_SIZE, HANDS, TAKEN = starts(OBSERVATION, "stock", "hands", "taken")


@rule
def observe(state, seat, out):
    for card in range(CARDS):
        out[card] = state.where[card] == seat
        out[PLAYED + card] = state.where[card] == PILE or state.where[card] == ASIDE
    out[TOP] = state.top
    out[PILE_SIZE] = state.count[PILE]
    out[STOCK_SIZE] = state.stock
    for k in range(MOST_SEATS):
        other = (seat + k) % state.seats
        out[HANDS + k] = state.count[other] if k < state.seats else 0
        out[TAKEN + k] = state.taken[other] if k < state.seats else 0
