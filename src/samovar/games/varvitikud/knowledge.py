"""What a seat knows of the hidden cards, and random worlds that fit it (V10, C5).

Hidden from a seat are the other hands and the order of the pile. All deals that fit what it has
seen are equally likely. What it has seen of another seat B: which cards B placed, how many it held,
and each skip: none of the cards that fitted then was in B's hand. And a seat that is asked to place
a card holds one that fits.

Think of B's cards as slots: so many dealt at the start, one more drawn after each placement while
the pile lasted. A slot is named by `since`: 0 if it was dealt, n + 1 if it was drawn after
placement n of the match. A slot cannot be a card that fitted at a skip of B after it came. At each
placement B gave away one of the slots in hand, and the onlookers cannot tell which; every choice
that fits is a different deal.

So a world is drawn by choosing, for every other seat, which slot each placed card was, and then
cards for the slots still in hand. Each choice is drawn from a fixed number of numbered
possibilities, at least as many as can ever be open there; a number without a possibility means:
start again. So every world that fits has the same chance. After TRIES vain tries some world that
fits is built instead, and such a world always exists.

At most four slots of a hand are one number, eight bits each, the oldest lowest. While it works,
`determinize` notes numbers in the pile, which is drawn last.
"""

from __future__ import annotations

from samovar.engine.arrays import Rng
from samovar.engine.bits import count_bits, lowest_bit, nth_bit
from samovar.engine.chance import below, shuffle
from samovar.engine.rule import rule

from .field import fitting_cards
from .state import ALL_CARDS, DEALT, MAX_HAND, MAX_SEATS, NO_CARD, NO_SEAT, PILE_ROOM, PLACE, State

TRIES = 400
NO_SLOTS = -1
SLOTS = MAX_SEATS * MAX_HAND  # seat * MAX_HAND + k
SINCE = 0  # in the pile while working: `since` of every slot,
BOUND = SLOTS  # how many cards the slot can have at most,
CAME_FROM = 2 * SLOTS  # and the way back in `find_card`


@rule
def slot_since(slots: int, k: int) -> int:
    return (slots >> (8 * k)) & 255


@rule
def without_slot(slots: int, k: int) -> int:
    """The newer ones move up."""
    return (slots & ((1 << (8 * k)) - 1)) | (slots >> (8 * k + 8) << (8 * k))


@rule
def excluded(state: State, owner: int, since: int) -> int:
    """The cards, a bit each, that a slot of this seat cannot be: those that fitted when the seat
    skipped with the slot in hand."""
    mask = 0
    if since == 0:
        mask = state.skipped[DEALT + owner]
    for number in range(max(since - 1, 0), state.placements):
        if state.placer[number] == owner:
            mask |= state.skipped[number]
    return mask


@rule
def earliest_since(state: State, owner: int, card: int, end: int) -> int:
    """The oldest slot that can be this card, if it left the hand with placement `end`
    (`placements`: still there)."""
    earliest = (state.skipped[DEALT + owner] >> card) & 1
    for number in range(end):
        if state.placer[number] == owner and (state.skipped[number] >> card) & 1:
            earliest = number + 2
    return earliest


@rule
def dealt_size(state: State, owner: int) -> int:
    """How many cards the seat was dealt."""
    size = state.hand_size[owner]
    for number in range(state.placements):
        if state.placer[number] == owner:
            size += 1
            if number < state.draws:
                size -= 1
    return size


@rule
def count_slots(slots: int, size: int, earliest: int) -> int:
    """How many of the slots in hand came late enough."""
    count = 0
    for k in range(size):
        if slot_since(slots, k) >= earliest:
            count += 1
    return count


@rule
def count_draws(state: State, owner: int, earliest: int, end: int) -> int:
    """How many slots the seat drew from `earliest` on, before placement `end`."""
    count = 0
    for number in range(max(earliest - 1, 0), min(end, state.draws)):
        if state.placer[number] == owner:
            count += 1
    return count


@rule
def newest_slots(state: State, owner: int) -> int:
    """The slots in hand now if every placed card was the oldest slot it could be; NO_SLOTS if one
    could be none.

    No other choice that fits leaves newer slots, one by one from the oldest: placed cards come in
    the order in which they left, so a later one that could be the slot taken here could also be any
    newer slot that the earlier one could have been.
    """
    size = dealt_size(state, owner)
    slots = 0
    if state.skips[owner] == 0:
        return slots
    for number in range(state.placements):
        if state.placer[number] == owner:
            open_slots = count_slots(slots, size, earliest_since(state, owner, state.placed[number], number))
            if open_slots == 0:
                return NO_SLOTS
            slots = without_slot(slots, size - open_slots)
            size -= 1
            if number < state.draws:
                slots |= (number + 1) << (8 * size)
                size += 1
    return slots


@rule
def random_slots(state: State, owner: int, rng: Rng) -> int:
    """The slots in hand now after a random choice, each that fits with the same chance; NO_SLOTS:
    start again."""
    size = dealt_size(state, owner)
    slots = 0
    if state.skips[owner] == 0:
        return slots
    for number in range(state.placements):
        if state.placer[number] == owner:
            earliest = earliest_since(state, owner, state.placed[number], number)
            bound = size
            if earliest > 0:
                bound = min(size, count_draws(state, owner, earliest, number))
            choice = below(rng, bound)
            if choice >= count_slots(slots, size, earliest):
                return NO_SLOTS
            slots = without_slot(slots, size - 1 - choice)
            size -= 1
            if number < state.draws:
                slots |= (number + 1) << (8 * size)
                size += 1
    return slots


@rule
def hand_mask(state: State, seat: int) -> int:
    mask = 0
    for k in range(state.hand_size[seat]):
        mask |= 1 << state.hand[seat, k]
    return mask


@rule
def prepare(state: State, seat: int, unseen: int) -> None:
    """Notes the newest slots of every other seat, and how many cards each can have at most: older
    slots of the hand have taken some of them."""
    for owner in range(state.seats):
        if owner != seat:
            slots = newest_slots(state, owner)
            for k in range(state.hand_size[owner]):
                slot = owner * MAX_HAND + k
                state.pile[SINCE + slot] = slot_since(slots, k)
                state.pile[BOUND + slot] = count_bits(unseen & ~excluded(state, owner, slot_since(slots, k))) - k


@rule
def draw_hand(state: State, owner: int, unseen: int, rng: Rng) -> int:
    """One try for the hand of a seat: what is still unseen after it, or -1: start again."""
    slots = NO_SLOTS
    tries = 0
    # what the other hands are does not matter for this choice, so it starts again by itself
    while slots == NO_SLOTS and tries < TRIES:
        slots = random_slots(state, owner, rng)
        tries += 1
    if slots == NO_SLOTS:
        return -1
    for k in range(state.hand_size[owner]):
        cards = unseen & ~excluded(state, owner, slot_since(slots, k))
        choice = below(rng, min(count_bits(unseen), state.pile[BOUND + owner * MAX_HAND + k]))
        if choice >= count_bits(cards):
            return -1
        card = nth_bit(cards, choice)
        state.hand[owner, k] = card
        unseen &= ~(1 << card)
    return unseen


@rule
def draw_hands(state: State, seat: int, unseen: int, asked: int, fitting: int, rng: Rng) -> int:
    """One try for all other hands: what is left for the pile, or -1: start again. The seat `asked`
    holds a card that fits."""
    for owner in range(state.seats):
        if owner != seat and unseen >= 0:
            unseen = draw_hand(state, owner, unseen, rng)
            if owner == asked and unseen >= 0 and hand_mask(state, owner) & fitting == 0:
                unseen = -1
    return unseen


@rule
def build_hands(state: State, seat: int, unseen: int, asked: int, fitting: int, rng: Rng) -> int:
    """Hands that fit, without chance deciding whether it works. Returns what is left for the
    pile."""
    if asked == NO_SEAT:
        return match_hands(state, seat, unseen, -1, 0, rng)
    left = -1
    for k in range(state.hand_size[asked]):
        if left < 0:
            left = match_hands(state, seat, unseen, asked * MAX_HAND + k, fitting, rng)
    return left


@rule
def match_hands(state: State, seat: int, unseen: int, must_fit: int, fitting: int, rng: Rng) -> int:
    """A card for every slot, moving cards between the slots where needed (augmenting paths). The
    slot `must_fit`, if any, gets a card that fits.

    Returns what is left for the pile; -1 if it is not possible.
    """
    for owner in range(state.seats):
        if owner != seat:
            for k in range(MAX_HAND):
                state.hand[owner, k] = NO_CARD
    free = unseen
    for owner in range(state.seats):
        if owner != seat:
            for k in range(state.hand_size[owner]):
                if free >= 0:
                    free = find_card(state, owner * MAX_HAND + k, unseen, free, must_fit, fitting, rng)
    return free


@rule
def find_card(state: State, start: int, unseen: int, free: int, must_fit: int, fitting: int, rng: Rng) -> int:
    """Gives the empty slot `start` a card: a free one, or another slot's, which then takes one
    itself, and so on. What is left free, or -1."""
    waiting = 1 << start  # slots reached and not yet looked at
    reached = waiting
    while waiting != 0:
        slot = lowest_bit(waiting)
        waiting &= waiting - 1
        cards = unseen & ~excluded(state, slot // MAX_HAND, state.pile[SINCE + slot])
        if slot == must_fit:
            cards &= fitting
        if cards & free != 0:
            card = nth_bit(cards & free, below(rng, count_bits(cards & free)))
            hand_on(state, start, slot, card)
            return free & ~(1 << card)
        for other in range(SLOTS):
            card_there = state.hand[other // MAX_HAND, other % MAX_HAND]
            if card_there >= 0 and (cards >> card_there) & 1 and not (reached >> other) & 1:
                reached |= 1 << other
                waiting |= 1 << other
                state.pile[CAME_FROM + other] = slot
    return -1


@rule
def hand_on(state: State, start: int, slot: int, card: int) -> None:
    """The slot takes the card, the slot that it was reached from takes its old one, and so on back
    to `start`."""
    while True:
        old = state.hand[slot // MAX_HAND, slot % MAX_HAND]
        state.hand[slot // MAX_HAND, slot % MAX_HAND] = card
        if slot == start:
            return
        card = old
        slot = state.pile[CAME_FROM + slot]


@rule
def sort_hand(state: State, seat: int) -> None:
    for k in range(1, state.hand_size[seat]):
        card = state.hand[seat, k]
        i = k
        while i > 0 and state.hand[seat, i - 1] > card:
            state.hand[seat, i] = state.hand[seat, i - 1]
            i -= 1
        state.hand[seat, i] = card


@rule
def lay_pile(state: State, cards: int, rng: Rng) -> None:
    """The pile is these cards in random order."""
    count = 0
    for card in range(PILE_ROOM):
        state.pile[card] = NO_CARD
        if (cards >> card) & 1:
            state.pile[count] = card
            count += 1
    shuffle(rng, state.pile, count)


@rule
def redeal(state: State, rng: Rng) -> None:
    """What no seat has seen: the pile. Every card in a hand is known to its owner."""
    cards = 0
    for k in range(state.pile_size):
        cards |= 1 << state.pile[k]
    lay_pile(state, cards, rng)


@rule
def determinize(state: State, seat: int, rng: Rng) -> None:
    """V10: other hands and the pile as they might be, all deals that fit with the same chance.

    C3: a seat is asked for a placement only if it has one, so the seat whose turn it is holds a
    card that fits.
    """
    unseen = ALL_CARDS & ~state.lying & ~hand_mask(state, seat)
    asked = NO_SEAT
    fitting = 0
    if state.phase == PLACE and state.turn != seat:
        asked = state.turn
        fitting = fitting_cards(state)
    prepare(state, seat, unseen)
    left = -1
    tries = 0
    while left < 0 and tries < TRIES:
        left = draw_hands(state, seat, unseen, asked, fitting, rng)
        tries += 1
    if left < 0:
        left = build_hands(state, seat, unseen, asked, fitting, rng)
    for owner in range(state.seats):
        if owner != seat:
            sort_hand(state, owner)
    lay_pile(state, left, rng)


@rule
def holds_what_fitted(state: State, owner: int) -> bool:
    """Whether a hand cannot be: no way to share out its cards and those it placed among its slots
    agrees with its skips."""
    slots = newest_slots(state, owner)
    if slots == NO_SLOTS:
        return True
    size = state.hand_size[owner]
    for k in range(size):
        newer = 0  # cards that must be in a newer slot than this one, of which there are size - 1 - k
        for i in range(size):
            if earliest_since(state, owner, state.hand[owner, i], state.placements) > slot_since(slots, k):
                newer += 1
        if newer > size - 1 - k:
            return True
    return False
