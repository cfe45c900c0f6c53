"""What helps bots to play Memoarrrr!: what a position is worth, which moves are likely to be good,
and what can be forgotten.

Sets of cards are masks as well, bit `card`; a fact to remember is a card, that is, where it lies.
"""

from __future__ import annotations

from statistics import NormalDist

from samovar.engine.arrays import Ints, Rng
from samovar.engine.bits import count_bits, lowest_bit, nth_bit
from samovar.engine.chance import below, word
from samovar.engine.heuristics import CERTAIN, Guidance, Heuristics, Level, Tuning
from samovar.engine.rule import rule, table

from .knowledge import draw_cards
from .moves import BLOCK_MOVE, LOOK_MOVE, PEEK_MOVE, REVEAL_MOVE
from .rules import are_connected, legal, next_seat, revealable
from .sizes import ROUNDS
from .state import (
    ALL_RUBIES,
    BLOCK,
    CARDS,
    CRAB,
    ISLAND,
    LOOK,
    NOTHING,
    PEEK,
    REVEAL,
    RUBIES,
    State,
    animal,
    has,
    hidden,
    known,
)

CONNECTING = table(
    [sum(1 << other for other in range(CARDS) if other != card and are_connected(card, other)) for card in range(CARDS)]
)

# What comes of a lead: rubies in hundredths; how far they may still stray after each round, with
# the stack shuffled and ordered.
RUBY = 100
TREASURE = RUBY * ALL_RUBIES // ROUNDS  # expected
_SQUARES = [rubies**2 for rubies in RUBIES]
_VARIANCE = sum(_SQUARES) / ROUNDS - (ALL_RUBIES / ROUNDS) ** 2
_SHUFFLED = [
    max(0.1, _VARIANCE * (number + 1) + sum(_SQUARES) / ROUNDS * (ROUNDS - 1 - number)) for number in range(ROUNDS)
]
_ORDERED = [0.1 + sum(_SQUARES[number + 1 :]) for number in range(ROUNDS)]
SPREAD = table([[round(RUBY * variance**0.5) for variance in variances] for variances in (_SHUFFLED, _ORDERED)])
STEPS = 64
AHEAD = table([round(CERTAIN * NormalDist().cdf(step / STEPS)) for step in range(3 * STEPS + 1)])

# The chance of the seat in turn to win a round of two, in thousandths: it begins; it knows a
# location that connects and, behind that, its opponent knows none, or one; it has to guess, and is
# lucky.
BEGINS = 500
TRAPS = 750
FOLLOWS = 500
GUESSED = 550

# Rollout moves: how much a way on for the others counts beside chance (0 to 7), and a crab behind
# which its owner knows none.
DOUBT = 4
CRAB_WAYS = 8


@rule
def cards_at(state: State, places: int) -> int:
    """The cards that lie at a set of places."""
    cards = 0
    while places != 0:
        cards |= 1 << state.card[lowest_bit(places)]
        places &= places - 1
    return cards


# What a position is worth.


@rule
def evaluate(state: State, out: Ints) -> None:
    """Pair by pair: who will have more rubies, whoever of all seats wins this round."""
    chance = chance_to_stay(state)
    in_turn = facing(state)
    others = state.seats - 1 - count_bits(state.out)
    for seat in range(state.seats):
        # The chance to win the round now, and in the upper bits what is worth more than that.
        out[seat] = 0 if has(state.out, seat) else chance if seat == in_turn else (CERTAIN - chance) // others
    for seat in range(state.seats):
        total = 0
        for other in range(state.seats):
            if other != seat:
                total += ahead(state, seat, other, out[seat] & 1023, out[other] & 1023)
        out[seat] |= total // (state.seats - 1) << 10
    for seat in range(state.seats):
        out[seat] >>= 10


@rule
def ahead(state: State, seat: int, other: int, wins: int, loses: int) -> int:
    """How probably a seat will be ahead of another one, when it wins the round with one chance and
    the other one with another."""
    lead = 0
    for number in range(state.round):
        if state.owner[number] == seat:
            lead += rubies_of(state, number)
        elif state.owner[number] == other:
            lead -= rubies_of(state, number)
    stake = rubies_of(state, state.round)
    stays = CERTAIN - wins - loses
    return (
        wins * lead_worth(state, lead + stake)
        + loses * lead_worth(state, lead - stake)
        + stays * lead_worth(state, lead)
    ) // CERTAIN


@rule
def rubies_of(state: State, number: int) -> int:
    """R7: what is expected of a treasure, also of those imagined: their rubies would only be
    noise."""
    if state.ordered_stack == 0:
        return TREASURE
    return RUBY * state.treasure[number]


@rule
def lead_worth(state: State, lead: int) -> int:
    """How probably a lead lasts; the same for a lag, the other way round."""
    step = min(abs(lead) * STEPS // SPREAD[state.ordered_stack, state.round], 3 * STEPS)
    return AHEAD[step] if lead >= 0 else CERTAIN - AHEAD[step]


@rule
def facing(state: State) -> int:
    """Who has to find a location next: the seat in turn, unless it has just found one and uses its
    ability."""
    if state.phase == LOOK or state.phase == REVEAL:
        return state.turn
    return next_in(state, state.turn)


@rule
def next_in(state: State, seat: int) -> int:
    """The next seat that is in the round."""
    seat = next_seat(state, seat)
    while has(state.out, seat):
        seat = next_seat(state, seat)
    return seat


@rule
def chance_to_stay(state: State) -> int:
    """The chance of who is `facing` to win the round: by what it knows to connect, and what the
    next seat knows to connect to that."""
    seats = state.seats - count_bits(state.out)
    if state.last == NOTHING:
        return BEGINS * 2 // seats
    seat = facing(state)
    places = hidden(state)
    familiar = places & known(state, seat)
    connecting = CONNECTING[state.card[state.last]]
    mine = cards_at(state, familiar) & connecting
    if mine == 0:
        strange = places & ~familiar
        lucky = count_bits(cards_at(state, strange) & connecting)
        return GUESSED * 2 * lucky // (seats * max(count_bits(strange), 1))
    theirs = cards_at(state, places & known(state, next_in(state, seat)))
    while mine != 0:
        if theirs & CONNECTING[lowest_bit(mine)] == 0:
            return TRAPS * 2 // seats
        mine &= mine - 1
    return FOLLOWS * 2 // seats


# Moves that come to mind. They use only what the seat itself knows.


@rule
def rollout_move(state: State, seat: int, rng: Rng, out: Ints) -> int:
    if state.phase == REVEAL:
        return REVEAL_MOVE + place_to_reveal(state, seat, rng)
    if state.phase == PEEK:
        return PEEK_MOVE + any_of(hidden(state) & ~known(state, seat), hidden(state), rng)
    if state.phase == BLOCK:
        return BLOCK_MOVE + place_to_block(state, rng)
    return out[below(rng, legal(state, seat, out))]


@rule
def any_of(places: int, else_places: int, rng: Rng) -> int:
    """One of the places, or of the others if there is none."""
    if places == 0:
        places = else_places
    return nth_bit(places, below(rng, count_bits(places)))


@rule
def place_to_reveal(state: State, seat: int, rng: Rng) -> int:
    """A location known to connect, rather one behind which all know little that connects; else one
    that is not known."""
    places = revealable(state)
    familiar = places & known(state, seat)
    strange = places & ~familiar
    opens = state.last == NOTHING
    if not opens:
        familiar = connecting_places(state, familiar)
    noise = word(rng)
    if familiar == 0 or (opens and strange != 0 and noise & 3 == 0):
        return any_of(strange, places, rng)
    cards = cards_at(state, hidden(state) & state.shown)
    best = NOTHING
    least = 0
    while familiar != 0:
        place = lowest_bit(familiar)
        familiar &= familiar - 1
        noise = (noise >> 3) | ((noise & 7) << 29)
        ways = DOUBT * ways_on(state, cards, state.card[place]) + (noise & 7)
        if best == NOTHING or ways < least:
            best = place
            least = ways
    return best


@rule
def ways_on(state: State, cards: int, card: int) -> int:
    """How many of the cards connect to a card. After a crab it is its owner who needs them
    (R12)."""
    ways = count_bits(cards & CONNECTING[card])
    if state.expert != 0 and animal(card) == CRAB:
        return CRAB_WAYS if ways == 0 else 1
    return ways


@rule
def place_to_block(state: State, rng: Rng) -> int:
    """One that all know to connect."""
    places = hidden(state)
    return any_of(connecting_places(state, places & state.shown), places, rng)


@rule
def connecting_places(state: State, places: int) -> int:
    """Those of the places whose card connects to the last location."""
    cards = CONNECTING[state.card[state.last]]
    connecting = 0
    while places != 0:
        place = lowest_bit(places)
        places &= places - 1
        connecting |= has(cards, state.card[place]) << place
    return connecting


# Memory.


@rule
def in_sight(state: State, seat: int) -> int:
    """The places whose card the seat sees now: face up, looked at in its last move, or turned up
    and down again in the last move of a round."""
    places = state.up | state.look[seat]
    if state.did_seat != NOTHING and state.did_move < LOOK_MOVE:
        places |= 1 << (state.did_move - REVEAL_MOVE)
    return places


@rule
def sights(state: State, seat: int) -> int:
    return cards_at(state, in_sight(state, seat))


@rule
def forget(state: State, seat: int, facts: int, rng: Rng) -> None:
    """The seat no longer knows where these cards lie, and any that fit may lie there; what was face
    up the others still know."""
    gone = 0
    places = ISLAND & ~in_sight(state, seat)
    while places != 0:
        place = lowest_bit(places)
        places &= places - 1
        gone |= has(facts, state.card[place]) << place
    for other in range(state.seats):
        state.peeked[other] |= state.shown & gone
    state.peeked[seat] &= ~gone
    state.shown &= ~gone
    draw_cards(state, known(state, seat), rng)


TUNING = Tuning(explore=400, widen=8, depth=8, reuse=1, split=True)
GUIDANCE = Guidance(explore=400, widen=8, split=True)
LEVELS = {
    "easy": Level(simulations=20, half_life=8, overlooks=38, hasty=18),
    "medium": Level(simulations=130, half_life=35, overlooks=19, beats_lower=76),
    "hard": Level(simulations=500, half_life=60, beats_lower=72),
    "expert": Level(simulations=30_000, beats_lower=76),
    "master": Level(simulations=2400, beats_lower=60),
}
# As it was, whatever becomes of `TUNING` and of the expert.
PINNED = {"expert-2026": Level(simulations=30_000, tuning=Tuning(explore=400, widen=8, depth=8, reuse=1, split=True))}
HEURISTICS = Heuristics(
    evaluate=evaluate,
    rollout_move=rollout_move,
    sights=sights,
    forget=forget,
    tuning=TUNING,
    guidance=GUIDANCE,
    levels=LEVELS,
    pinned=PINNED,
)
