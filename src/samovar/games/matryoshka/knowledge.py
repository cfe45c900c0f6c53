"""What a seat has seen (M3, C5), and another world that fits it.

`determinize` imagines the match again from the beginning. A card drawn by another seat is a slip,
named by its place in the deck: `deck` says which card it is, NOTHING as long as the observer cannot
know. While imagining, `cards` and the hidden `offers` hold slips instead of cards.

Every history that fits is equally likely: a deal and, for each choice the observer did not see, one
of six hand cards or one of the displays. Declined offers never matter later, so what has to be
drawn is which slip each hidden exchange moved, and which slip each card was that the observer saw
for the first time. Drawn blind, nearly every try would contradict something seen later. So:

- A card that is seen again later takes a route of hidden exchanges from where it was seen to where
  it is seen next, a route of n exchanges with a chance in proportion to (1 / USUAL) ** n. Two cards
  that want the same exchange contradict each other.
- An exchange that no such card uses moves any of the other hand slips, each with the same chance.
- A card seen for the first time is any of its seat's slips that are no known card yet.
- To make up for the different numbers to choose from, a try has a weight: the product of (how many
  there were, USUAL for a route) / (the most there can be in any history that fits). The most is
  counted from what was seen alone, so chance times weight is the same for every history.

A try is kept with its weight as probability: exact. Only when FAIR_TRIES were dropped, one of the
next FITTING_TRIES that fit is taken, in proportion to their weights: nearly the same.
"""

from __future__ import annotations

from samovar.engine.arrays import Rng
from samovar.engine.chance import below, seed_rng, word
from samovar.engine.rule import rule

from .moves import MASKS, MASKS_FROM, count_masks
from .rules import sort_draws, sort_places, swap_places
from .sightings import USUAL, USUAL_BITS, WHOLE, is_certain, is_hidden, sees_offers, weigh_routes
from .sizes import FIRST_DRAW, LATER_DRAW, SORTED_DRAWS
from .state import (
    CARDS_PER_SEAT,
    DISPLAY_SIZE,
    HAND,
    MAX_CARDS,
    NOTHING,
    State,
    active_in,
    cards_held,
    display_before,
    displays_laid,
    seat_drawing,
    shower,
    starting_seat_of,
)

WORD_TO_WEIGHT = 2  # a random word of 32 bits, shifted, is below WHOLE
INDEX_BITS = 4
INDEX = (1 << INDEX_BITS) - 1

FAIR_TRIES = 16
FITTING_TRIES = 6
MOST_TRIES = 200  # after so many, the tries that fitted so far must do
LAST_TRIES = 200000  # and if there was none, so many
TRY_WORDS = 1 << 12  # more than a try can use
TRY_STREAM = 100  # streams of the generator of no other use
AFTER_STREAM = 101

# Imagining the match again. `hand_size`: cards of each seat at that time. `weight`: of the try so far,
# of WHOLE; 0 when it contradicts what was seen.


@rule
def determinize(state: State, seat: int, rng: Rng) -> None:
    """Another world that fits all that the seat has seen, with a complete past of its own."""
    order_own_draws(state, seat, rng)
    imagine_what_fits(state, seat, rng)
    name_unseen_cards(state, rng)
    turn_slips_into_cards(state, seat)
    if SORTED_DRAWS:
        sort_draws(state)
    for other in range(state.seats):
        if other != seat and state.pending[other] != 0:
            state.pending[other] = MASKS[MASKS_FROM[state.round] + below(rng, count_masks(state.round))]
    for other in range(state.seats):
        state.scratch[other] = 0


@rule
def redeal(state: State, rng: Rng) -> None:
    """What no seat has seen: the rest of the deck. Who drew a card knows it."""
    left = CARDS_PER_SEAT * state.seats - state.drawn
    sort_places(state, state.drawn, left)  # so that what comes out does not depend on the true order
    for last in range(state.drawn + left - 1, state.drawn, -1):
        swap_places(state, last, state.drawn + below(rng, last - state.drawn + 1))
    if SORTED_DRAWS:
        sort_draws(state)


@rule
def order_own_draws(state: State, observer: int, rng: Rng) -> None:
    """Cards drawn at once come as a set (M1): nobody knows in which order they lay in the deck,
    their owner no more than others."""
    size = FIRST_DRAW
    start = 0
    while start < state.drawn:
        if seat_drawing(state, start) == observer:
            # Ascending first, so that what comes out does not depend on the true order; then any
            # order.
            sort_places(state, start, size)
            for last in range(start + size - 1, start, -1):
                swap_places(state, last, start + below(rng, last - start + 1))
        start += size
        if start == FIRST_DRAW * state.seats:
            size = LATER_DRAW


@rule
def imagine_what_fits(state: State, observer: int, rng: Rng) -> None:
    """Fair tries first, each kept with its weight as probability. Then of some tries that fit one
    in proportion to its weight: each of these has a stretch of random words of its own, so that the
    one chosen can be repeated in the end.
    """
    seed = word(rng) << 30 ^ word(rng)
    least = word(rng) >> WORD_TO_WEIGHT
    tries = 0
    fits = 0
    total = 0
    kept = 0
    is_last = False
    # One place that calls `imagine`: it is large, and each would be compiled anew.
    while True:
        weight = imagine(state, observer, least, rng)
        if is_last or (weight > 0 and tries < FAIR_TRIES):
            break
        if weight > 0:
            fits += 1
            total += weight
            if ((word(rng) >> 3) * total) >> 29 < weight:
                kept = tries
        tries += 1
        if tries < FAIR_TRIES:
            least = word(rng) >> WORD_TO_WEIGHT
        else:
            least = 0
            is_last = fits == FITTING_TRIES or tries >= LAST_TRIES or (tries >= MOST_TRIES and fits > 0)
            seed_rng(rng, seed, TRY_STREAM, (kept if is_last else tries) * TRY_WORDS)
    seed_rng(rng, seed, AFTER_STREAM, tries)


@rule
def imagine(state: State, observer: int, least: int, rng: Rng) -> int:
    """One try, from the deal up to now: its weight, or 0 if it contradicts what the observer saw or
    its weight is not above `least`."""
    forget_draws(state, observer)
    weight = WHOLE
    draw_slips(state, 0)
    time = 0
    while time <= state.exchange and weight > least:
        display = display_before(state, time)
        if time == display * state.seats:
            if display < displays_laid(state):
                weight = imagine_display(state, observer, display, weight, rng)
            if display < state.round:
                draw_slips(state, display + 1)
        if weight > least:
            weight = imagine_exchange(state, observer, time, weight, rng)
        time += 1
    return weight if weight > least else 0


@rule
def forget_draws(state: State, observer: int) -> None:
    """Only what the observer drew itself is known of the deck."""
    place = 0
    size = FIRST_DRAW
    while place < CARDS_PER_SEAT * state.seats:
        is_own = place < state.drawn and seat_drawing(state, place) == observer
        for _ in range(size):
            if not is_own:
                state.deck[place] = NOTHING
            place += 1
        if place == FIRST_DRAW * state.seats:
            size = LATER_DRAW


@rule
def draw_slips(state: State, round_number: int) -> None:
    """M1: the places of the deck drawn in a round."""
    seats = state.seats
    count = LATER_DRAW
    place = cards_held(round_number - 1) * seats
    if round_number == 0:
        count = FIRST_DRAW
        place = 0
    before = cards_held(round_number) - count
    start = starting_seat_of(state, round_number)
    for turn in range(seats):
        for k in range(count):
            state.cards[(start + turn) % seats, before + k] = place
            place += 1


@rule
def imagine_display(state: State, observer: int, display: int, weight: int, rng: Rng) -> int:
    """Every card shown is one of the seat's slips."""
    hand_size = cards_held(display)
    weight = weigh_display(state, observer, display, weight)
    if weight == 0:
        return 0
    for card in range(CARDS_PER_SEAT * state.seats):
        seat = shower(state, card, display)
        if seat != NOTHING and seat != observer and find_slip(state, seat, card, hand_size) == NOTHING:
            name_slip(state, seat, card, hand_size, rng)
    return weight


@rule
def weigh_display(state: State, observer: int, display: int, weight: int) -> int:
    """In how many ways the new cards of a display can be slips, against the most there can be.

    New cards n of a seat with u unnamed slips: u * (u - 1) * ... (u - n + 1) ways. Known cards
    that could as well be at another seat (loose ones) take room, so one more of them at a seat
    makes it (u - n) / u as many. All of them together are at some seats: the most ways are found by
    placing them one by one where they cost least.
    """
    hand_size = cards_held(display)
    ways = WHOLE
    all_loose = 0
    new_cards = 0  # by seat, four bits each
    for seat in range(state.seats):
        if seat != observer:
            new = count_new(state, seat, display, hand_size)
            new_cards |= new << (INDEX_BITS * seat)
            loose = count_loose(state, observer, seat, hand_size, display * state.seats)
            room = count_unnamed(state, seat, hand_size) + loose
            state.scratch[seat] = room
            all_loose += loose
            for k in range(loose):
                ways = ways * max(room - k - new, 0) // (room - k)
    most = WHOLE
    for _ in range(all_loose):
        best = NOTHING
        for seat in range(state.seats):
            if seat != observer and state.scratch[seat] > 0:
                new = (new_cards >> (INDEX_BITS * seat)) & INDEX
                if (
                    best == NOTHING
                    or new * state.scratch[best] < ((new_cards >> (INDEX_BITS * best)) & INDEX) * state.scratch[seat]
                ):
                    best = seat
        room = state.scratch[best]
        most = most * max(room - ((new_cards >> (INDEX_BITS * best)) & INDEX), 0) // room
        state.scratch[best] = room - 1
    return min(weight, weight * ways // max(most, 1))


@rule
def count_new(state: State, seat: int, display: int, hand_size: int) -> int:
    """Cards shown by a seat that are none of its named slips."""
    count = DISPLAY_SIZE[display]
    for i in range(hand_size):
        card = state.deck[state.cards[seat, i]]
        if card != NOTHING and shower(state, card, display) == seat:
            count -= 1
    return count


@rule
def count_unnamed(state: State, seat: int, hand_size: int) -> int:
    count = 0
    for i in range(hand_size):
        if state.deck[state.cards[seat, i]] == NOTHING:
            count += 1
    return count


@rule
def imagine_exchange(state: State, observer: int, exchange: int, weight: int, rng: Rng) -> int:
    """The card put up and the offers, seen or not; then the two slips change places if the
    exchange was made."""
    active = active_in(state, exchange)
    if state.offers[exchange, active] == NOTHING:
        return weight
    hand_size = cards_held(display_before(state, exchange) + 1)
    chosen = state.chosen[exchange]
    for turn in range(state.seats):
        seat = (active + turn) % state.seats
        if state.offers[exchange, seat] != NOTHING:
            if turn == 0 or seat == observer or sees_offers(state, observer, exchange):
                weight = recognise(state, observer, seat, exchange, weight, rng)
            elif seat != chosen:
                state.offers[exchange, seat] = any_hand_slip(state, seat, exchange, hand_size, rng)
    if weight == 0 or chosen == NOTHING:
        return weight
    if is_hidden(state, observer, exchange):
        choice = choose_gift(state, observer, exchange, weight, rng)
        gift = choice & INDEX
        weight = choice >> INDEX_BITS
        state.offers[exchange, chosen] = state.cards[chosen, gift]
    else:
        gift = find_slip(state, chosen, state.offers[exchange, chosen], hand_size)
    put = find_slip(state, active, state.offers[exchange, active], hand_size)
    slip = state.cards[active, put]
    state.cards[active, put] = state.cards[chosen, gift]
    state.cards[chosen, gift] = slip
    return weight


@rule
def find_slip(state: State, seat: int, card: int, hand_size: int) -> int:
    """Which of a seat's slips is a card; NOTHING if none is known to be."""
    for i in range(hand_size):
        if state.deck[state.cards[seat, i]] == card:
            return i
    return NOTHING


@rule
def recognise(state: State, observer: int, seat: int, exchange: int, weight: int, rng: Rng) -> int:
    """The observer sees which card a seat puts up or offers."""
    card = state.offers[exchange, seat]
    hand_size = cards_held(display_before(state, exchange) + 1)
    if find_slip(state, seat, card, hand_size) != NOTHING:
        return weight
    unnamed = count_unnamed(state, seat, hand_size)
    if unnamed == 0:
        return 0
    name_slip(state, seat, card, hand_size, rng)
    return weight * unnamed // (unnamed + count_loose(state, observer, seat, hand_size, exchange))


@rule
def name_slip(state: State, seat: int, card: int, hand_size: int, rng: Rng) -> None:
    """A card seen for the first time is any of the seat's unnamed slips; there is one."""
    skip = below(rng, count_unnamed(state, seat, hand_size))
    for i in range(hand_size):
        if state.deck[state.cards[seat, i]] == NOTHING:
            if skip == 0:
                state.deck[state.cards[seat, i]] = card
                return
            skip -= 1


@rule
def count_loose(state: State, observer: int, seat: int, hand_size: int, time: int) -> int:
    """The seat's named slips that could as well be elsewhere in another history that fits."""
    count = 0
    for i in range(hand_size):
        card = state.deck[state.cards[seat, i]]
        if card != NOTHING and not is_certain(state, observer, card, time):
            count += 1
    return count


@rule
def choose_gift(state: State, observer: int, exchange: int, weight: int, rng: Rng) -> int:
    """A hidden exchange: the chosen seat's slip whose route it is, or else any that has none.
    Gives weight << INDEX_BITS | its index."""
    giver = state.chosen[exchange]
    taker = active_in(state, exchange)
    display = display_before(state, exchange)
    gift = 0
    free = 0
    most = HAND  # the most free slips there can be
    routed = NOTHING
    is_always_routed = False
    for i in range(cards_held(display + 1)):
        card = state.deck[state.cards[giver, i]]
        if card != NOTHING and shower(state, card, display) != NOTHING:
            continue
        if card == NOTHING or not weigh_routes(state, observer, card, exchange + 1):
            free += 1
            if below(rng, free) == 0:
                gift = i
            continue
        stays = state.scratch[giver]
        goes = state.scratch[taker] >> USUAL_BITS
        certain = is_certain(state, observer, card, exchange)
        if certain:
            most -= 1
        if goes > 0 and (stays == 0 or (word(rng) * (stays + goes)) >> 32 < goes):
            if routed != NOTHING:
                return 0
            routed = i
            is_always_routed = certain and stays == 0
    if routed != NOTHING:
        if not is_always_routed:
            weight = weight * USUAL // max(most, USUAL)
        return weight << INDEX_BITS | routed
    return (weight * free // max(most, USUAL)) << INDEX_BITS | gift


@rule
def any_hand_slip(state: State, seat: int, exchange: int, hand_size: int, rng: Rng) -> int:
    """An offer that the observer never saw: any of the six cards in hand."""
    skip = below(rng, HAND)
    for i in range(hand_size):
        slip = state.cards[seat, i]
        card = state.deck[slip]
        if card == NOTHING or shower(state, card, display_before(state, exchange)) == NOTHING:
            if skip == 0:
                return slip
            skip -= 1
    return NOTHING


# From slips back to cards


@rule
def name_unseen_cards(state: State, rng: Rng) -> None:
    """The slips that are still unnamed and the rest of the deck are the cards never seen, in
    random order."""
    in_play = CARDS_PER_SEAT * state.seats
    half = MAX_CARDS // 2
    low = (1 << half) - 1
    high = (1 << (in_play - half)) - 1
    left = in_play
    for place in range(in_play):
        card = state.deck[place]
        if card != NOTHING:
            left -= 1
            if card < half:
                low &= ~(1 << card)
            else:
                high &= ~(1 << (card - half))
    for place in range(in_play):
        if state.deck[place] == NOTHING:
            skip = below(rng, left)
            left -= 1
            card = 0
            while True:
                unseen = (low >> card) & 1 if card < half else (high >> (card - half)) & 1
                if unseen:
                    if skip == 0:
                        break
                    skip -= 1
                card += 1
            state.deck[place] = card
            if card < half:
                low &= ~(1 << card)
            else:
                high &= ~(1 << (card - half))


@rule
def turn_slips_into_cards(state: State, observer: int) -> None:
    for exchange in range(min(state.exchange + 1, state.round * state.seats)):
        active = active_in(state, exchange)
        for seat in range(state.seats):
            if (
                seat != active
                and seat != observer
                and state.offers[exchange, seat] != NOTHING
                and not sees_offers(state, observer, exchange)
            ):
                state.offers[exchange, seat] = state.deck[state.offers[exchange, seat]]
    hand_size = cards_held(state.round)
    display = displays_laid(state) - 1
    for seat in range(state.seats):
        for i in range(hand_size):
            card = state.deck[state.cards[seat, i]]
            k = i
            while k > 0 and state.cards[seat, k - 1] > card:
                state.cards[seat, k] = state.cards[seat, k - 1]
                k -= 1
            state.cards[seat, k] = card
        mask = 0
        if display >= 0:
            for i in range(hand_size):
                if shower(state, state.cards[seat, i], display) != NOTHING:
                    mask |= 1 << i
        state.shown[seat] = mask
