"""Positions laid out by hand: a deck and moves, or hands and displays with a past made up to lead
there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from samovar.engine.arrays import States
from samovar.engine.assembly.positions import GamePosition
from samovar.errors import BadPosition

from .moves import (
    LETTERS,
    MAX_LEGAL,
    MOVES,
    OFFER_MOVE,
    PUT_MOVE,
    TAKE_MOVE,
    card_text,
    cards_text,
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
    displays_laid,
    growth_of,
    long_columns_of,
    scoring_of,
    seat_drawing,
    shower,
)

LONG_COLUMNS = ("extend", "cap")
PHASES = {"put": PUT, "display": DISPLAY, "over": OVER}

Cards = str | list[str]  # texts such as "C3", several in one text ("C3 D4") or a list
# What the past of a made-up position does: (seat, what, cards or seat).
Step = tuple[int, str, tuple[int, ...]]


class Position(GamePosition):
    """From the beginning: a deck or draws; what is not said is filled up with the lowest cards left. Or
    in the middle: hands and displays; the exchanges and displays before are made up."""

    seats: int = MIN_SEATS
    first: int = 0
    long_columns: str = "extend"
    growth: int = GROWTH
    deck: Cards | None = None  # the cards from the top
    draws: list[Cards] | None = None  # by seat the cards it draws one after the other
    round: int = 0  # in the middle: 1-4
    phase: str | None = None  # "put" (its first exchange), "display" (all exchanges made) or "over" (round 4)
    hands: list[Cards] | None = None  # by seat, as they lie then
    displays: list[Cards] | None = None
    moves: tuple[list[int | str], ...] = ()  # pairs of seat and text, which are then played

    @property
    def scoring(self) -> int:
        return scoring_of(LONG_COLUMNS.index(self.long_columns), self.growth)

    @classmethod
    def of(cls, state: State) -> Position:
        """The deck and all moves: a state is the log of its match."""
        return cls(
            seats=state.seats,
            first=state.first,
            long_columns=LONG_COLUMNS[long_columns_of(state)],
            growth=growth_of(state),
            deck=[card_text(card) for card in state.deck if card != NOTHING],
            moves=tuple([seat, text] for display in range(ROUNDS + 1) for seat, text in _moves_of(state, display)),
        )

    def moved(self, piece: str, place: str) -> Position:
        """Two dolls change places, and have always been there: so all that happened could have happened."""
        one, other = self._card_at(piece), self._card_at(place)
        names = {one: other, other: one}
        if not all(len(name) == 2 and name[0] in LETTERS for name in names):
            raise BadPosition("Choose two dolls; they change places.")

        def renamed(cards: Cards) -> list[str]:
            return [names.get(card, card) for card in (cards.split() if isinstance(cards, str) else cards)]

        return replace(
            self,
            deck=None if self.deck is None else renamed(self.deck),
            draws=self.draws and [renamed(cards) for cards in self.draws],
            hands=self.hands and [renamed(cards) for cards in self.hands],
            displays=self.displays and [renamed(cards) for cards in self.displays],
            moves=tuple(
                [" ".join(renamed(part)) if isinstance(part, str) else part for part in move] for move in self.moves
            ),
        )

    def _card_at(self, name: str) -> str:
        """An offer that can be taken has the name of its seat in the drawing."""
        seat, offers = (
            name.removeprefix("take-"),
            (move for move in reversed(self.moves) if str(move[1]).startswith("offer ")),
        )
        return next((str(text).split()[1] for by, text in offers if str(by) == seat), name)


def arrange(position: Position) -> States:
    _check_table(position)
    if position.hands is None and position.displays is None:
        if position.round or position.phase:
            raise BadPosition(
                "round and phase go together with hands and displays; without them the match starts from the set-up, "
                "use moves."
            )
        state = _start(position, _deck(position))
    else:
        if position.deck is not None or position.draws is not None:
            raise BadPosition("Give either deck or draws, or hands and displays, not both.")
        state = _middle(position)
    for step in position.moves:
        _play(state, step)
    return state.array


def _moves_of(state: State, display: int) -> Iterator[tuple[int, str]]:
    """Those that chose a display, and those of the exchanges after it. Who chooses at the same time, chooses in the
    order of the seats."""
    seats = range(state.seats)
    if display < displays_laid(state):
        for seat in seats:
            shown = [card for card in range(CARDS_PER_SEAT * state.seats) if shower(state, card, display) == seat]
            yield seat, f"show {cards_text(shown)}"
    elif display == displays_laid(state) and state.phase == DISPLAY:
        for seat in seats:
            if state.pending[seat]:
                yield seat, move_text(state, seat, state.pending[seat])
    for exchange in range(display * state.seats, min((display + 1) * state.seats, ROUNDS * state.seats)):
        active = active_in(state, exchange)
        offers = [(seat, state.offers[exchange, seat]) for seat in seats if state.offers[exchange, seat] != NOTHING]
        yield from ((seat, f"put {card_text(card)}") for seat, card in offers if seat == active)
        yield from ((seat, f"offer {card_text(card)}") for seat, card in offers if seat != active)
        if state.chosen[exchange] != NOTHING:
            yield active, f"take {state.chosen[exchange]}"


def _check_table(position: Position) -> None:
    if position.seats not in SEATS:
        raise BadPosition(f"Matryoshka has {' or '.join(map(str, SEATS))} seats, not {position.seats!r}.")
    if position.first not in range(position.seats):
        raise BadPosition(f"first is a seat from 0 to {position.seats - 1}, not {position.first!r}.")
    if position.long_columns not in LONG_COLUMNS:
        raise BadPosition(f"long_columns is 'extend' or 'cap', not {position.long_columns!r}.")
    if position.growth not in GROWTHS:
        raise BadPosition(f"growth is a number from {MIN_GROWTH} to {MAX_GROWTH}, not {position.growth!r}.")


def _cards(named: Cards, seats: int, what: str) -> list[int]:
    texts = named.replace(",", " ").split() if isinstance(named, str) else named
    try:
        cards = [parse_card(text) for text in texts]
    except ValueError as error:
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


def _deck(position: Position) -> list[int]:
    seats, deck, draws = position.seats, position.deck, position.draws
    places: list[int | None] = [None] * (CARDS_PER_SEAT * seats)
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
        empty.seats, empty.first = seats, position.first
        for seat, cards in enumerate(by_seat):
            for place, card in zip(_places_of(empty, seat), cards, strict=False):
                places[place] = card
    return _fill(places, seats)


def _places_of(state: State, seat: int) -> list[int]:
    return [place for place in range(CARDS_PER_SEAT * state.seats) if seat_drawing(state, place) == seat]


def _start(position: Position, deck: list[int]) -> State:
    state = State.blank()
    state.seats, state.first, state.scoring = position.seats, position.first, position.scoring
    for place in range(MAX_CARDS):
        state.deck[place] = deck[place] if place < len(deck) else NOTHING
    begin(state)
    return state


def _play(state: State, step: Sequence[int | str]) -> None:
    """One move given as seat and text (or number), checked."""
    if len(step) != 2:
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


# A position in the middle: play any match on numbered slips first, then say which card each slip
# was.


def _middle(position: Position) -> State:
    seats, round_number, phase = position.seats, position.round, position.phase or "put"
    if phase not in PHASES or round_number not in range(1, ROUNDS + 1) or (phase == "over" and round_number != ROUNDS):
        raise BadPosition(f"round is 1 to {ROUNDS} and phase 'put' or 'display', or round {ROUNDS} and phase 'over'.")
    shown = DISPLAY_SIZE[ROUNDS if phase == "over" else round_number - 1]
    in_hand = cards_held(ROUNDS) - shown if phase == "over" else HAND
    wanted_hands = _by_seat(position.hands or [], seats, in_hand, "hands")
    wanted_displays = _by_seat(position.displays or [], seats, shown, "displays")
    _check_once([card for cards in wanted_hands + wanted_displays for card in cards], "hands and displays")

    numbered = _start(position, list(range(CARDS_PER_SEAT * seats)))
    past: list[Step] = []
    while (numbered.round, numbered.phase) != (round_number, PHASES[phase]):
        step = _next_step(numbered)
        past.append(step)
        apply(numbered, step[0], _number(numbered, step, None))

    places: list[int | None] = [None] * (CARDS_PER_SEAT * seats)
    for seat in range(seats):
        lying: list[list[int]] = [[], []]
        for i, slip in enumerate(own_cards(numbered, seat)):
            lying[(numbered.shown[seat] >> i) & 1].append(slip)
        for group, wanted in zip(lying, (wanted_hands[seat], wanted_displays[seat]), strict=True):
            for slip, card in zip(group, wanted, strict=False):
                places[slip] = card
    deck = _fill(places, seats)
    state = _start(position, deck)
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
    """A step as a move; with a deck, slips are the cards at those places of it."""
    seat, what, values = step
    if what == "take":
        return TAKE_MOVE + values[0]
    cards = [deck[slip] for slip in values] if deck else list(values)
    if what == "show":
        own = own_cards(state, seat)
        return sum(1 << own.index(card) for card in cards)
    return (PUT_MOVE if what == "put" else OFFER_MOVE) + cards[0]
