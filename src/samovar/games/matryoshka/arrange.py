"""Positions laid out by hand: a deck and moves, or hands and displays with a past made up to lead
there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from samovar.engine.arrays import States
from samovar.errors import BadPosition

from .moves import (
    MAX_LEGAL,
    MOVES,
    OFFER_MOVE,
    PUT_MOVE,
    TAKE_MOVE,
    card_text,
    move_text,
    own_cards,
    parse_card,
    parse_move,
)
from .rules import actors, apply, begin, legal
from .sizes import ROUNDS, SEATS
from .state import (
    CARDS_PER_SEAT,
    DISPLAY,
    DISPLAY_SIZE,
    GROWTH,
    GROWTHS,
    HAND,
    MAX_CARDS,
    MAX_GROWTH,
    MIN_GROWTH,
    MIN_SEATS,
    NOTHING,
    OVER,
    PUT,
    TAKE,
    State,
    active_in,
    cards_held,
    scoring_of,
    seat_drawing,
)

LONG_COLUMNS = ("extend", "cap")
PHASES = {"put": PUT, "display": DISPLAY, "over": OVER}

Cards = str | Iterable[str]
# What the past of a made-up position does: (seat, what, cards or seat).
Step = tuple[int, str, tuple[int, ...]]


def arrange(
    *,
    seats: int = MIN_SEATS,
    first: int = 0,
    long_columns: str = "extend",
    growth: int = GROWTH,
    deck: Cards | None = None,
    draws: Sequence[Cards] | None = None,
    round: int = 0,
    phase: str | None = None,
    hands: Sequence[Cards] | None = None,
    displays: Sequence[Cards] | None = None,
    moves: Iterable[Sequence[int | str]] = (),
) -> States:
    """A state. Cards are texts such as "C3", several in one text ("C3 D4") or a list.

    From the beginning: `deck`, the cards from the top, or `draws`, by seat the cards it draws one
    after the other; what is not said is filled up with the lowest cards left. Or in the middle:
    `round` 1-4 with `phase` "put" (its first exchange), "display" (all exchanges made) or "over"
    (round 4), and by seat `hands` and `displays` as they lie then; the exchanges and displays
    before are made up. `moves`, pairs of seat and text, are then played.
    """
    scoring = _check_table(seats, first, long_columns, growth)
    if hands is None and displays is None:
        if round or phase:
            raise BadPosition(
                "round and phase go together with hands and displays; without them the match starts from the set-up, "
                "use moves."
            )
        state = _start(seats, first, scoring, _deck(seats, first, deck, draws))
    else:
        if deck is not None or draws is not None:
            raise BadPosition("Give either deck or draws, or hands and displays, not both.")
        state = _middle(seats, first, scoring, round, phase or "put", hands or (), displays or ())
    for step in moves:
        _play(state, step)
    return state.array


def _check_table(seats: int, first: int, long_columns: str, growth: int) -> int:
    """How it is scored."""
    if seats not in SEATS:
        raise BadPosition(f"Matryoshka has {' or '.join(map(str, SEATS))} seats, not {seats!r}.")
    if first not in range(seats):
        raise BadPosition(f"first is a seat from 0 to {seats - 1}, not {first!r}.")
    if long_columns not in LONG_COLUMNS:
        raise BadPosition(f"long_columns is 'extend' or 'cap', not {long_columns!r}.")
    if isinstance(growth, bool) or growth not in GROWTHS:
        raise BadPosition(f"growth is a number from {MIN_GROWTH} to {MAX_GROWTH}, not {growth!r}.")
    return scoring_of(LONG_COLUMNS.index(long_columns), growth)


def _cards(named: Cards, seats: int, what: str) -> list[int]:
    texts = named.replace(",", " ").split() if isinstance(named, str) else list(named)
    try:
        cards = [parse_card(text) for text in texts]
    except (ValueError, AttributeError) as error:
        raise BadPosition(f"{what}: {error}") from None
    for card in cards:
        if card >= CARDS_PER_SEAT * seats:
            raise BadPosition(
                f"{what}: {card_text(card)} is not in play with {seats} seats; the last card is "
                f"{card_text(CARDS_PER_SEAT * seats - 1)}."
            )
    return cards


def _check_once(cards: Iterable[int], what: str) -> None:
    seen: set[int] = set()
    for card in cards:
        if card in seen:
            raise BadPosition(f"{what}: {card_text(card)} is there twice; each card is there once.")
        seen.add(card)


def _fill(places: list[int | None], seats: int) -> list[int]:
    """What is not said: the lowest cards left."""
    left = iter(sorted(set(range(CARDS_PER_SEAT * seats)) - set(places)))
    return [next(left) if card is None else card for card in places]


def _deck(seats: int, first: int, deck: Cards | None, draws: Sequence[Cards] | None) -> list[int]:
    size = CARDS_PER_SEAT * seats
    places: list[int | None] = [None] * size
    if deck is not None and draws is not None:
        raise BadPosition("Give either deck or draws, not both.")
    if deck is not None:
        on_top = _cards(deck, seats, "deck")
        _check_once(on_top, "deck")
        places[: len(on_top)] = on_top
    if draws is not None:
        if len(draws) > seats:
            raise BadPosition(f"draws are given by seat; there are {seats} seats, not {len(draws)}.")
        by_seat = [_cards(cards, seats, f"draws of seat {seat}") for seat, cards in enumerate(draws)]
        _check_once([card for cards in by_seat for card in cards], "draws")
        empty = State.blank()
        empty.seats, empty.first = seats, first
        for seat, cards in enumerate(by_seat):
            for place, card in zip(_places_of(empty, seat), cards, strict=False):
                places[place] = card
    return _fill(places, seats)


def _places_of(state: State, seat: int) -> list[int]:
    return [place for place in range(CARDS_PER_SEAT * state.seats) if seat_drawing(state, place) == seat]


def _start(seats: int, first: int, scoring: int, deck: list[int]) -> State:
    state = State.blank()
    state.seats, state.first, state.scoring = seats, first, scoring
    for place in range(MAX_CARDS):
        state.deck[place] = deck[place] if place < len(deck) else NOTHING
    begin(state)
    return state


def _play(state: State, step: Sequence[int | str]) -> None:
    """One move given as seat and text (or number), checked."""
    if isinstance(step, str) or len(step) != 2:
        raise BadPosition(f"A move is a pair of seat and text, such as [0, 'put C3'], not {step!r}.")
    seat, text = step
    if not isinstance(seat, int) or seat not in range(state.seats) or not (actors(state) >> seat) & 1:
        raise BadPosition(f"Seat {seat!r} may not act when {text!r} is to be played.")
    try:
        move = parse_move(state, seat, text) if isinstance(text, str) else int(text)
    except ValueError as error:
        raise BadPosition(f"{text!r}: {error}") from None
    out = [0] * max(MAX_LEGAL, state.seats)
    listed = out[: legal(state, seat, out)] if 0 <= move < MOVES else []
    if move not in listed:
        raise BadPosition(
            f"Seat {seat} may not play {text!r} there; it may play "
            f"{move_text(state, seat, listed[0]) if listed else 'nothing'} and the like."
        )
    apply(state, seat, move)


# A position in the middle: play any match on numbered tokens first, then say which card each token
# was.


def _middle(
    seats: int,
    first: int,
    scoring: int,
    round_number: int,
    phase: str,
    hands: Sequence[Cards],
    displays: Sequence[Cards],
) -> State:
    if phase not in PHASES or round_number not in range(1, ROUNDS + 1) or (phase == "over" and round_number != ROUNDS):
        raise BadPosition(f"round is 1 to {ROUNDS} and phase 'put' or 'display', or round {ROUNDS} and phase 'over'.")
    shown = DISPLAY_SIZE[ROUNDS if phase == "over" else round_number - 1]
    in_hand = cards_held(ROUNDS) - shown if phase == "over" else HAND
    wanted_hands = _by_seat(hands, seats, in_hand, "hands")
    wanted_displays = _by_seat(displays, seats, shown, "displays")
    _check_once([card for cards in wanted_hands + wanted_displays for card in cards], "hands and displays")

    tokens = _start(seats, first, scoring, list(range(CARDS_PER_SEAT * seats)))
    past: list[Step] = []
    while (tokens.round, tokens.phase) != (round_number, PHASES[phase]):
        step = _next_step(tokens)
        past.append(step)
        apply(tokens, step[0], _number(tokens, step, None))

    places: list[int | None] = [None] * (CARDS_PER_SEAT * seats)
    for seat in range(seats):
        lying: list[list[int]] = [[], []]
        for i, token in enumerate(own_cards(tokens, seat)):
            lying[(tokens.shown[seat] >> i) & 1].append(token)
        for group, wanted in zip(lying, (wanted_hands[seat], wanted_displays[seat]), strict=True):
            for token, card in zip(group, wanted, strict=False):
                places[token] = card
    deck = _fill(places, seats)
    state = _start(seats, first, scoring, deck)
    for step in past:
        apply(state, step[0], _number(state, step, deck))
    return state


def _by_seat(groups: Sequence[Cards], seats: int, size: int, what: str) -> list[list[int]]:
    if len(groups) > seats:
        raise BadPosition(f"{what} are given by seat; there are {seats} seats, not {len(groups)}.")
    cards = [_cards(group, seats, f"{what} of seat {seat}") for seat, group in enumerate(groups)]
    for seat, group in enumerate(cards):
        if len(group) > size:
            raise BadPosition(f"{what} of seat {seat}: {len(group)} cards, but there are {size} then.")
    return cards + [[] for _ in range(seats - len(groups))]


def _next_step(state: State) -> Step:
    """The made-up past: everyone shows the cards drawn last, offers the first of the hand, and
    trades with the seat to the left."""
    seat = next(seat for seat in range(state.seats) if (actors(state) >> seat) & 1)
    own = own_cards(state, seat)
    if state.phase == DISPLAY:
        return seat, "show", tuple(own[-DISPLAY_SIZE[state.round] :])
    if state.phase == TAKE:
        return seat, "take", ((active_in(state, state.exchange) + 1) % state.seats,)
    hand = [card for i, card in enumerate(own) if not (state.shown[seat] >> i) & 1]
    return seat, "put" if state.phase == PUT else "offer", (hand[0],)


def _number(state: State, step: Step, deck: list[int] | None) -> int:
    """A step as a move; with a deck, tokens are the cards at those places of it."""
    seat, what, values = step
    if what == "take":
        return TAKE_MOVE + values[0]
    cards = [deck[token] for token in values] if deck else list(values)
    if what == "show":
        own = own_cards(state, seat)
        return sum(1 << own.index(card) for card in cards)
    return (PUT_MOVE if what == "put" else OFFER_MOVE) + cards[0]
