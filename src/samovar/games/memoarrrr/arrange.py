"""A position laid out by hand: for the examples of the rulebook, puzzles and tests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from samovar.engine.arrays import States, rows_of
from samovar.engine.assembly.positions import GamePosition
from samovar.errors import BadPosition, did_you_mean

from .rules import clear_past
from .sizes import ROUNDS, SEATS
from .state import (
    BIRDS,
    CARD_NAMES,
    CARDS,
    CENTRE,
    ISLAND,
    LAID,
    LOCATIONS,
    MAX_SEATS,
    MAX_VOLCANOES,
    MOST_BIRDS,
    NOTHING,
    OVER,
    PHASE_NAMES,
    PLACE_NAMES,
    PLACES,
    RUBIES,
    SIDE_MASK,
    SIDE_NAMES,
    State,
    has,
    known,
)


class Position(GamePosition):
    """What is not given is filled in."""

    seats: int = MAX_SEATS
    expert: bool = False
    ordered_stack: bool = False
    first_reveal_ability: bool = False
    # card by place, `{"a1": "penguin-lava"}`, "c3" for the box; the other cards lie at the other places
    # in their order
    cards: dict[str, str] | None = None
    # the side each seat looked at, None for not yet (then `phase` is look); north, east, south, west
    # when left out
    sides: list[str | None] | None = None
    round: int = 1  # 1 to 7
    first: int = 0  # the seat that began it
    turn: int | None = None  # is to move; `first` when left out
    phase: str | None = None  # what is asked of it
    revealed: tuple[str, ...] = ()  # the places face up, in the order of revealing: the last is the last location
    blocked: str | None = None
    # birds from the top in this round, `[3, 7, 1]`, or by round, `{"1": [3, 7, 1]}`
    volcanoes: dict[str, list[int]] | list[int] | None = None
    takers: tuple[int, ...] = ()  # the seats that took volcanoes in this round, in order
    winners: list[int] | None = None  # the seats that won the rounds before (at the end: all seven)
    treasures: list[int] | None = None  # the rubies from the top
    known: list[list[str]] | None = None  # the places each seat has looked at; the side it chose when left out
    looks: list[list[str]] | None = None  # the places each seat looked at in its last move

    @classmethod
    def of(cls, state: State) -> Position:
        """Who took the volcanoes of earlier rounds is not told; what was face up before, everybody has looked at."""
        seats, played = range(state.seats), range(ROUNDS if state.phase == OVER else state.round)
        up = [place for place in range(PLACES) if has(state.up, place) and place != state.last]
        lookers = {seat: SIDE_NAMES[side] for side, seat in enumerate(state.looker) if seat != NOTHING}
        return cls(
            seats=state.seats,
            expert=bool(state.expert),
            ordered_stack=bool(state.ordered_stack),
            first_reveal_ability=bool(state.first_reveal_ability),
            cards={PLACE_NAMES[place]: CARD_NAMES[state.card[place]] for place in range(PLACES) if has(LAID, place)},
            sides=[lookers.get(seat) for seat in seats],
            round=state.round + 1,
            first=state.starter,
            turn=state.turn,
            phase=PHASE_NAMES[state.phase],
            revealed=tuple(PLACE_NAMES[place] for place in [*up, *([state.last] if state.last != NOTHING else [])]),
            blocked=None if state.blocked == NOTHING else PLACE_NAMES[state.blocked],
            volcanoes={
                str(number + 1): list(row)[: state.seats - 1] for number, row in enumerate(rows_of(state.volcano))
            },
            takers=tuple(rows_of(state.taker)[state.round][: state.taken]),
            winners=[state.owner[number] for number in played],
            treasures=list(state.treasure),
            known=[_names_in(known(state, seat) & ~state.up | state.peeked[seat]) for seat in seats],
            looks=[_names_in(state.look[seat]) for seat in seats],
        )

    def moved(self, piece: str, place: str) -> Position:
        """Two cards change places; one that is chosen twice is turned over."""
        if piece != place:
            cards = dict(self.cards or {})
            if not {piece, place} <= cards.keys():
                raise BadPosition("Choose two cards of the island; they change places.")
            cards[piece], cards[place] = cards[place], cards[piece]
            return replace(self, cards=cards)
        up = tuple(name for name in self.revealed if name != piece)
        return replace(self, revealed=up if piece in self.revealed else (*up, piece))


def arrange(position: Position) -> States:
    seats = position.seats
    if seats not in SEATS:
        raise BadPosition(f"Memoarrrr! is played with {' or '.join(map(str, SEATS))} seats, not with {seats!r}.")
    if not 1 <= position.round <= ROUNDS:
        raise BadPosition(f"A round is a number from 1 to {ROUNDS}, not {position.round!r}.")
    state = State.blank()
    clear_past(state)
    state.seats, state.round = seats, position.round - 1
    state.expert, state.ordered_stack = int(position.expert), int(position.ordered_stack)
    state.first_reveal_ability = int(position.first_reveal_ability)
    state.starter = _seat(position.first, seats)
    state.turn = state.starter if position.turn is None else _seat(position.turn, seats)
    _lay_cards(state, position.cards or {})
    chosen = SIDE_NAMES[:seats] if position.sides is None else position.sides
    _choose_sides(state, chosen)
    state.phase = _phase(position.phase, chosen, seats)
    _reveal(state, position.revealed, position.blocked)
    _lay_treasures(state, position.treasures)
    _lay_volcanoes(state, position.volcanoes or {})
    _take_volcanoes(state, position.takers)
    _finish_rounds(state, position.winners)
    _look(state, position.known, position.looks)
    return state.array


def _names_in(places: int) -> list[str]:
    return [PLACE_NAMES[place] for place in range(PLACES) if has(places, place)]


def _one_of(names: Sequence[str], text: str, what: str) -> int:
    if text not in names:
        raise BadPosition(f"There is no {what} {text!r}.{did_you_mean(text, names)}")
    return names.index(text)


def _place(text: str) -> int:
    return _one_of(PLACE_NAMES, text, "place")


def _location(text: str) -> int:
    place = _place(text)
    if not has(ISLAND, place):
        what = "the centre of the island" if place == CENTRE else "sea"
        raise BadPosition(f"No location lies at {text}, {what}; name one of the other {LOCATIONS} places.")
    return place


def _mask(texts: Iterable[str]) -> int:
    mask = 0
    for text in texts:
        mask |= 1 << _location(text)
    return mask


def _seat(seat: int, seats: int) -> int:
    if not 0 <= seat < seats:
        raise BadPosition(f"There is no seat {seat!r} at this table; its seats are 0 to {seats - 1}.")
    return seat


def _phase(text: str | None, sides: Sequence[str | None], seats: int) -> int:
    if text is None:
        text = "reveal" if sum(side is not None for side in sides) == seats else "look"
    return _one_of(PHASE_NAMES, text, "phase")


def _lay_cards(state: State, cards: Mapping[str, str]) -> None:
    lying = {_place(place): _one_of(CARD_NAMES, card, "card") for place, card in cards.items()}
    for place in lying:
        if not has(LAID, place):
            raise BadPosition(f"No card lies at {PLACE_NAMES[place]}; name another place.")
    if len(set(lying.values())) < len(lying):
        raise BadPosition(f"A card lies at two places; each of the {CARDS} cards is there once.")
    others = iter(sorted(set(range(CARDS)) - set(lying.values())))
    for place in range(PLACES):
        if has(LAID, place):
            state.card[place] = lying[place] if place in lying else next(others)
        else:
            state.card[place] = NOTHING


def _choose_sides(state: State, sides: Sequence[str | None]) -> None:
    if len(sides) > state.seats:
        raise BadPosition(f"There are {len(sides)} sides for {state.seats} seats; each seat looks at one.")
    for seat, side in enumerate(sides):
        if side is not None:
            number = _one_of(SIDE_NAMES, side, "side")
            if state.looker[number] != NOTHING:
                raise BadPosition(f"Two seats looked at the {side}; each seat looks at another side.")
            state.looker[number] = seat


def _reveal(state: State, revealed: Sequence[str], blocked: str | None) -> None:
    state.up = state.shown = _mask(revealed)
    if revealed:
        state.last = _location(revealed[-1])
    if blocked is not None:
        state.blocked = _location(blocked)


def _lay_treasures(state: State, treasures: Sequence[int] | None) -> None:
    rubies = list(RUBIES) if treasures is None else list(treasures)
    if sorted(rubies) != sorted(RUBIES):
        raise BadPosition(f"The treasures have {', '.join(map(str, RUBIES))} rubies, in some order, not {rubies}.")
    for number in range(ROUNDS):
        state.treasure[number] = rubies[number]


def _lay_volcanoes(state: State, volcanoes: Mapping[str, Sequence[int]] | Sequence[int]) -> None:
    in_play = list(BIRDS)[MAX_VOLCANOES + 1 - state.seats :]
    by_round = dict(volcanoes) if isinstance(volcanoes, Mapping) else {str(state.round + 1): volcanoes}
    for number in range(ROUNDS):
        birds = list(by_round.pop(str(number + 1), in_play))
        if sorted(birds) != in_play:
            raise BadPosition(
                f"With {state.seats} seats the volcanoes have {in_play} birds, in some order, not {birds}."
            )
        for k, count in enumerate(birds):
            state.volcano[number, k] = count
    if by_round:
        raise BadPosition(f"There are no rounds {', '.join(by_round)}; rounds are '1' to '{ROUNDS}'.")


def _take_volcanoes(state: State, takers: Sequence[int]) -> None:
    if len(takers) >= state.seats:
        raise BadPosition(f"{len(takers)} seats took volcanoes, but only {state.seats - 1} are in play.")
    for k, seat in enumerate(takers):
        state.taker[state.round, k] = _seat(seat, state.seats)
        state.out |= 1 << seat
    state.taken = len(takers)


def _finish_rounds(state: State, winners: Sequence[int] | None) -> None:
    """The rounds before this one: who won, and that this round's starting seat held most birds in
    the last of them."""
    count = ROUNDS if state.phase == OVER else state.round
    if winners is None:
        winners = [(state.starter + 1) % state.seats] * count
    if len(winners) != count:
        raise BadPosition(f"{count} rounds are finished, so there are {count} winners, not {len(winners)}.")
    for number, winner in enumerate(winners):
        state.owner[number] = _seat(winner, state.seats)
        if number < state.round:
            _give_volcanoes(state, number, winner)


def _give_volcanoes(state: State, number: int, winner: int) -> None:
    losers = [seat for seat in range(state.seats) if seat != winner]
    most = next(k for k in range(state.seats - 1) if state.volcano[number, k] == MOST_BIRDS)
    if number == state.round - 1:
        if winner == state.starter:
            raise BadPosition(
                f"Seat {winner} began this round, so it had a volcano in the round before and cannot have won it."
            )
        losers.remove(state.starter)
        losers.insert(most, state.starter)
    for k, seat in enumerate(losers):
        state.taker[number, k] = seat


def _look(state: State, known: Sequence[Sequence[str]] | None, looks: Sequence[Sequence[str]] | None) -> None:
    for by_seat in (known, looks):
        if by_seat is not None and len(by_seat) != state.seats:
            raise BadPosition(
                f"What seats know and look at is given for every seat, {state.seats} lists, not {len(by_seat)}."
            )
    for side, mask in enumerate(SIDE_MASK):
        if known is None and state.looker[side] != NOTHING:
            state.peeked[state.looker[side]] |= mask
    for seat in range(state.seats):
        if known is not None:
            state.peeked[seat] = _mask(known[seat])
        if looks is not None:
            state.look[seat] = _mask(looks[seat])
            state.peeked[seat] |= state.look[seat]
