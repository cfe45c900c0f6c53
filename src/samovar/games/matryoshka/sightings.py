"""What a seat has seen of a card, where, and by which ways the card can have gone in between (M3,
C5).

Time e is the moment just before exchange e; a display is laid at its time. The observer sees
displays, cards put up, its own offers and, when it is active, all offers. It does not see which
card the active seat takes from another seat: a hidden exchange.
"""

from __future__ import annotations

from samovar.engine.rule import rule

from .state import NOTHING, TAKE, State, active_in, display_before, shower

WHOLE = 1 << 30  # the weight 1
ONE_ROUTE = 1 << 24  # the weight of a route of no exchange
USUAL_BITS = 2
USUAL = 1 << USUAL_BITS  # about how many hand slips a hidden exchange chooses from


@rule
def sees_offers(state: State, observer: int, exchange: int) -> bool:
    """M3: the active seat looks at all offers once they are made."""
    if active_in(state, exchange) != observer:
        return False
    return exchange < state.exchange or (exchange == state.exchange and state.phase == TAKE)


@rule
def is_hidden(state: State, observer: int, exchange: int) -> bool:
    """The observer did not see which card the active seat took."""
    chosen = state.chosen[exchange]
    return chosen != NOTHING and chosen != observer and active_in(state, exchange) != observer


@rule
def seen_at(state: State, observer: int, card: int, time: int) -> int:
    """The seat at which the observer saw a card at this time, in a display or in an exchange;
    NOTHING when it did not."""
    if state.shows[card]:
        display = display_before(state, time)
        seat = shower(state, card, display)
        if seat != NOTHING and time == display * state.seats:
            return seat
    active = active_in(state, time)
    if state.offers[time, active] == card:
        return active
    if sees_offers(state, observer, time):
        for seat in range(state.seats):
            if state.offers[time, seat] == card:
                return seat
    elif state.offers[time, observer] == card:
        return observer
    return NOTHING


@rule
def next_time(state: State, observer: int, card: int, time: int) -> int:
    """When, from this time on, a card is seen next; NOTHING if never."""
    seats = state.seats
    last = state.exchange
    # No later than the next display that has it.
    display = display_before(state, time)
    if display * seats < time:
        display += 1
    shows = state.shows[card] >> (3 * display)
    shown_at = NOTHING
    while shows:
        if shows & 7:
            shown_at = display * seats
            last = shown_at - 1
            break
        shows >>= 3
        display += 1
    for exchange in range(time, last + 1):
        active = active_in(state, exchange)
        if state.offers[exchange, active] == card or state.offers[exchange, observer] == card:
            return exchange
        if active == observer and sees_offers(state, observer, exchange):
            for seat in range(seats):
                if state.offers[exchange, seat] == card:
                    return exchange
    return shown_at


@rule
def may_move(state: State, observer: int, card: int, exchange: int) -> bool:
    """A hidden exchange moves a hand card: none that lies in a display then."""
    return is_hidden(state, observer, exchange) and shower(state, card, display_before(state, exchange)) == NOTHING


@rule
def seats_before(state: State, observer: int, card: int, time: int) -> int:
    """Bit mask of the seats from which a card can still get from this time on to where it is seen
    next; all if it is not seen again."""
    last = next_time(state, observer, card, time)
    if last == NOTHING:
        return (1 << state.seats) - 1
    mask = 1 << seen_at(state, observer, card, last)
    for exchange in range(last - 1, time - 1, -1):
        if (mask >> active_in(state, exchange)) & 1 and may_move(state, observer, card, exchange):
            mask |= 1 << state.chosen[exchange]
    return mask


@rule
def seats_after(state: State, observer: int, card: int, time: int) -> int:
    """Bit mask of the seats to which a card can have got by this time from where it was seen last;
    it was seen."""
    seat = seen_at(state, observer, card, time)
    if seat != NOTHING:
        return 1 << seat
    # Back to the last exchange in which it was seen, or to the last display that had it.
    display = display_before(state, time)
    while display > 0 and shower(state, card, display) == NOTHING:
        display -= 1
    start = time
    first = display * state.seats
    while start > first and seat == NOTHING:
        start -= 1
        seat = seen_after(state, observer, card, start)
    if seat == NOTHING:
        seat = shower(state, card, display)
    else:
        start += 1
    mask = 1 << seat
    # While it lay in that display it could not go.
    start = max(start, first + state.seats) if shower(state, card, display) != NOTHING else start
    for exchange in range(start, time):
        if (mask >> state.chosen[exchange]) & 1 and is_hidden(state, observer, exchange):
            mask |= 1 << active_in(state, exchange)
    return mask


@rule
def seen_after(state: State, observer: int, card: int, exchange: int) -> int:
    """The seat that has a card after an exchange in which the observer saw it; NOTHING if it did
    not."""
    active = active_in(state, exchange)
    chosen = state.chosen[exchange]
    if state.offers[exchange, active] == card:
        return chosen
    if active == observer:
        for seat in range(state.seats):
            if state.offers[exchange, seat] == card:
                return active if seat == chosen else seat
    elif state.offers[exchange, observer] == card:
        return active if chosen == observer else observer
    return NOTHING


@rule
def is_certain(state: State, observer: int, card: int, time: int) -> bool:
    """Whether it follows from the sightings of a card before and after (of this card alone) which
    seat has it at this time."""
    if shower(state, card, display_before(state, time)) != NOTHING:
        return True
    mask = seats_after(state, observer, card, time)
    if mask & (mask - 1) == 0:
        return True
    mask &= seats_before(state, observer, card, time)
    return mask & (mask - 1) == 0


@rule
def weigh_routes(state: State, observer: int, card: int, time: int) -> bool:
    """Writes into `scratch`, by seat, the sum over all routes from there and this time to where the
    card is seen next; False if it is not."""
    last = next_time(state, observer, card, time)
    if last == NOTHING:
        return False
    for seat in range(state.seats):
        state.scratch[seat] = 0
    state.scratch[seen_at(state, observer, card, last)] = ONE_ROUTE
    for exchange in range(last - 1, time - 1, -1):
        if may_move(state, observer, card, exchange):
            state.scratch[state.chosen[exchange]] += state.scratch[active_in(state, exchange)] >> USUAL_BITS
    return True
