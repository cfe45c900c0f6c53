"""Positions laid out by hand: rulebook examples, puzzles, tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from samovar.engine.arrays import States
from samovar.engine.assembly.positions import GamePosition
from samovar.errors import BadPosition

from .deck import (
    CARDS,
    COLOUR_NAMES,
    EDGES,
)
from .field import lay
from .moves import MAX_LEGAL, coordinates, is_lying, move_text, parse_move
from .rules import actors, apply, begin_turn, clear_table, deal_pile, full_hand, legal
from .sizes import COLOURS, SEATS, STICKS_OF_A_COLOUR
from .state import (
    COLOUR,
    DEALT,
    GOES_ON,
    PILE_ROOM,
    PLACE,
    ROW,
    STEP,
    SWAP,
    State,
)

Cell = list[int | bool]  # card, x, y and, if it lies half turned, True
Sticks = dict[str, int] | list[int]  # `{"red": 2}`, or six counts


class Position(GamePosition):
    """Seat `turn` is to place a card (or the next that can), then `moves` are made. Either a deck is
    given, or a field with hands."""

    seats: int = 2
    half_turn: bool = False
    turn: int = 0
    # The cards in the order in which they are dealt (seat 0's hand, seat 1's ..., the start card, the pile
    # from its top); cards not named follow in the order of their numbers.
    deck: list[int] | None = None
    field: list[Cell] | None = None
    hands: list[list[int]] | None = None  # by seat
    pile: list[int] | None = None  # from its top; without it all other cards, in the order of their numbers
    sticks: list[Sticks] | None = None  # by seat; the rest of the eight of each colour is the reserve
    # for a seat ("1") the cards that fitted when it had to skip before, with the hand it has now
    skipped: dict[str, list[int]] | None = None
    # The card that `turn` has just placed, and how many sticks it may still swap before it draws: it places none then.
    placed: int | None = None
    swaps: int = 0
    moves: tuple[str | int, ...] = ()

    @classmethod
    def of(cls, state: State) -> Position | None:
        """Of skips as much is told as says something of the hand that a seat has now. The swaps after which it ends
        cannot be told."""
        if state.phase != PLACE and (state.phase != SWAP or state.ending != GOES_ON):
            return None
        seats, is_swapping = range(state.seats), state.phase == SWAP
        skips = {str(seat): cards_in(_skipped(state, seat)) for seat in seats}
        return cls(
            seats=state.seats,
            half_turn=bool(state.half_turn),
            turn=state.turn,
            field=[
                [card, *coordinates(state.place[card]), bool(state.turned >> card & 1)]
                for card in cards_in(state.lying)
            ],
            hands=[[state.hand[seat, k] for k in range(state.hand_size[seat])] for seat in seats],
            pile=[state.pile[i] for i in reversed(range(state.pile_size))],
            sticks=[[state.sticks[seat, colour] for colour in range(COLOURS)] for seat in seats],
            skipped={seat: cards for seat, cards in skips.items() if cards} or None,
            placed=state.placed[state.placements - 1] if is_swapping else None,
            swaps=state.swaps_left if is_swapping else 0,
        )

    def moved(self, piece: str, place: str) -> Position:
        """A card changes places with another, or goes to an empty place of the field; a stick goes to another seat.
        What is chosen twice is turned, or gets a stick from the reserve."""
        if self.field is None or self.hands is None or self.pile is None:
            raise BadPosition("Only a position that has a field can be changed so.")
        if piece.startswith("take-") and place.startswith("take-"):
            return replace(self, sticks=_with_stick(self.sticks or [], piece, place))
        if not piece.startswith("card-"):
            raise BadPosition("Choose a card first, then where it shall lie.")
        card = int(piece.removeprefix("card-"))
        if piece == place:
            return replace(self, field=[_half_turned(cell) if cell[0] == card else cell for cell in self.field])
        if place.startswith("card-"):
            return self._renamed({card: (other := int(place.removeprefix("card-"))), other: card})
        x, _, y = place.partition(",")
        field, hands, pile = (
            [cell for cell in self.field if cell[0] != card],
            [],
            [one for one in self.pile if one != card],
        )
        for hand in self.hands:  # it is filled up from the pile
            left = [one for one in hand if one != card]
            hands.append([*left, pile.pop(0)] if len(left) < len(hand) and pile else left)
        return replace(self, field=[*field, [card, int(x), int(y)]], hands=hands, pile=pile)

    def _renamed(self, names: Mapping[int, int]) -> Position:
        def renamed(cards: Sequence[int]) -> list[int]:
            return [names.get(card, card) for card in cards]

        return replace(
            self,
            field=[[names.get(int(cell[0]), cell[0]), *cell[1:]] for cell in self.field or []],
            hands=[renamed(hand) for hand in self.hands or []],
            pile=renamed(self.pile or []),
        )


def arrange(position: Position) -> States:
    seats, deck, field, hands = position.seats, position.deck, position.field, position.hands or []
    if seats not in SEATS:
        raise BadPosition(f"There are {SEATS[0]} to {SEATS[-1]} seats, not {seats!r}.")
    if position.turn not in range(seats):
        raise BadPosition(f"It can be the turn of seat 0 to {seats - 1}, not of {position.turn!r}.")
    if (deck is None) == (field is None):
        raise BadPosition("Give either a deck, to be dealt, or a field with hands; not both, and not neither.")
    state = State.blank()
    clear_table(state, seats, int(position.half_turn))
    _give_sticks(state, position.sticks or [])
    if deck is not None:
        _put_pile(state, _whole(deck))
        _note_skips(state, position.skipped or {})
        deal_pile(state, position.turn)
    else:
        _lay_field(state, field or [])
        _give_hands(state, hands)
        used = {cell[0] for cell in field or []} | {card for hand in hands for card in hand}
        rest = [card for card in range(CARDS) if card not in used]
        _put_pile(state, rest if position.pile is None else _cards(position.pile, "the pile"))
        _note_skips(state, position.skipped or {})
        if position.swaps:
            _begin_swaps(state, position)
        _check_table(state)
        if not position.swaps:
            begin_turn(state, position.turn)
    for move in position.moves:
        _play(state, move)
    return state.array


def _begin_swaps(state: State, position: Position) -> None:
    card = -1 if position.placed is None else position.placed
    if not (0 < position.swaps < EDGES and 0 <= card < CARDS and is_lying(state, card)):
        raise BadPosition(
            f"Before {position.swaps!r} swaps the seat has placed a card that lies in the field; `placed` is "
            f"{position.placed!r}, and there are 1 to {EDGES - 1} swaps."
        )
    state.phase, state.turn, state.swaps_left = SWAP, position.turn, position.swaps
    state.placed[0], state.placer[0], state.placements = card, position.turn, 1


def cards_in(mask: int) -> list[int]:
    return [card for card in range(CARDS) if mask >> card & 1]


def _skipped(state: State, seat: int) -> int:
    """What fitted when the seat had to skip, since it got the last card of its hand."""
    own = [number for number in range(state.placements) if state.placer[number] == seat]
    return state.skipped[own[-1] if own else DEALT + seat]


def _half_turned(cell: Cell) -> Cell:
    return [*cell[:3], not (len(cell) == 4 and cell[3])]


def _with_stick(sticks: Sequence[Sticks], heap: str, other: str) -> list[Sticks]:
    """A stick of a heap goes to the seat of the other, or one of the reserve to a heap that is chosen twice."""
    counts = [_counts(one) for one in sticks]
    (giver, colour), (taker, _) = (
        (int(seat), COLOUR_NAMES.index(name)) for _, seat, name in (heap.split("-"), other.split("-"))
    )
    if heap != other:
        counts[giver][colour] -= 1
    counts[taker][colour] += 1
    return [*counts]


def _cards(cards: Sequence[int], where: str) -> list[int]:
    for card in cards:
        if not 0 <= card < CARDS:
            raise BadPosition(f"In {where} there is {card!r}; cards are numbered 0 to {CARDS - 1}.")
    if len(set(cards)) != len(cards):
        raise BadPosition(f"In {where} a card is named twice; every card is there once.")
    return list(cards)


def _whole(deck: Sequence[int]) -> list[int]:
    named = _cards(deck, "the deck")
    return named + [card for card in range(CARDS) if card not in named]


def _put_pile(state: State, cards: list[int]) -> None:
    """Writes the pile, given from its top."""
    state.pile_size = len(cards)
    for i in range(PILE_ROOM):
        state.pile[i] = cards[len(cards) - 1 - i] if i < len(cards) else -1


def _give_sticks(state: State, sticks: Sequence[Sticks]) -> None:
    if len(sticks) > state.seats:
        raise BadPosition(f"Sticks are given for {len(sticks)} seats, but there are {state.seats}.")
    for seat, own in enumerate(sticks):
        for colour, count in enumerate(_counts(own)):
            state.sticks[seat, colour] = count
            if count > state.reserve[colour]:
                raise BadPosition(f"There are {STICKS_OF_A_COLOUR} {COLOUR_NAMES[colour]} sticks; the seats have more.")
            state.reserve[colour] -= count


def _counts(sticks: Sticks) -> list[int]:
    if isinstance(sticks, dict):
        names = COLOUR_NAMES[:COLOURS]
        unknown = [name for name in sticks if name not in names]
        if unknown:
            raise BadPosition(f"{unknown[0]!r} is no colour; the colours are {', '.join(names)}.")
        counts = [sticks.get(name, 0) for name in names]
    else:
        counts = list(sticks)
    if len(counts) != COLOURS or not all(0 <= count <= STICKS_OF_A_COLOUR for count in counts):
        raise BadPosition(f"Sticks are {COLOURS} numbers from 0 to {STICKS_OF_A_COLOUR}, not {sticks!r}.")
    return counts


def _note_skips(state: State, skipped: Mapping[str, Sequence[int]]) -> None:
    for seat, cards in skipped.items():
        if not str(seat).isdigit() or int(seat) >= state.seats:
            raise BadPosition(f"{seat!r} is no seat; the seats are 0 to {state.seats - 1}.")
        state.skipped[DEALT + int(seat)] = sum(
            1 << card for card in _cards(cards, f"what fitted when seat {seat} skipped")
        )
        state.skips[int(seat)] = 1


def _give_hands(state: State, hands: Sequence[Sequence[int]]) -> None:
    full = full_hand(state.seats)
    if len(hands) != state.seats or any(len(hand) > full for hand in hands):
        raise BadPosition(
            f"There are {state.seats} hands of at most {full} cards; given are hands of "
            f"{[len(hand) for hand in hands]}."
        )
    for seat, hand in enumerate(hands):
        for k, card in enumerate(sorted(_cards(hand, f"the hand of seat {seat}"))):
            state.hand[seat, k] = card
        state.hand_size[seat] = len(hand)


def _lay_field(state: State, field: Sequence[Cell]) -> None:
    """Lays the card at (0, 0) first, then always one that touches the field."""
    waiting = {}
    for cell in field:
        if len(cell) not in (3, 4) or not all(abs(part) < CARDS for part in cell[1:3]):
            raise BadPosition(
                "A lying card is [card, x, y] or, half turned, [card, x, y, true]; x and y from "
                f"{1 - CARDS} to {CARDS - 1}; not "
                f"{cell!r}."
            )
        if (cell[1], cell[2]) in waiting:
            raise BadPosition(f"Two cards lie at {cell[1]},{cell[2]}.")
        waiting[cell[1], cell[2]] = (int(cell[0]), bool(len(cell) == 4 and cell[3]))
    _cards([card for card, _ in waiting.values()], "the field")
    if (0, 0) not in waiting:
        raise BadPosition("No card lies at 0,0; the start card does.")
    lay(state, waiting.pop((0, 0))[0], 0, 0)
    reached = [(0, 0)]
    while reached:
        x, y = reached.pop()
        for near in ((x, y + 1), (x + 1, y), (x, y - 1), (x - 1, y)):
            if near in waiting:
                card, turned = waiting.pop(near)
                lay(state, card, int(turned), ROW * near[1] + near[0])
                reached.append(near)
    if waiting:
        raise BadPosition(f"The field is not in one piece: nothing connects {sorted(waiting)} with 0,0.")


def _check_table(state: State) -> None:
    """Says what `faults` would only name."""
    cells = {state.place[card]: card for card in range(CARDS) if is_lying(state, card)}
    for cell, card in cells.items():
        for side in range(2):
            if cell + STEP[side] in cells:
                _check_touching(state, card, cells[cell + STEP[side]], side)
    full = full_hand(state.seats)
    wanted = [full - (state.phase == SWAP and seat == state.turn) for seat in range(state.seats)]
    short = [seat for seat in range(state.seats) if state.hand_size[seat] < wanted[seat]]
    if state.pile_size and short:
        raise BadPosition(
            f"While there are cards in the pile every hand has {full}; the hand of seat {short[0]} has "
            f"{state.hand_size[short[0]]}."
        )
    seen = list(cells.values()) + [state.pile[i] for i in range(state.pile_size)]
    seen += [state.hand[seat, k] for seat in range(state.seats) for k in range(state.hand_size[seat])]
    wrong = [card for card in range(CARDS) if seen.count(card) != 1]
    if wrong:
        raise BadPosition(
            f"Every card is once in the field, a hand or the pile; card {wrong[0]} is there {seen.count(wrong[0])} "
            "times."
        )


def _check_touching(state: State, card: int, other: int, side: int) -> None:
    colours = [COLOUR[state.turned >> one & 1, one, edge] for one, edge in ((card, side), (other, (side + 2) % EDGES))]
    if colours[0] != colours[1]:
        where = " and ".join(
            f"card {one} at {','.join(map(str, coordinates(state.place[one])))}" for one in (card, other)
        )
        raise BadPosition(
            f"Touching edges have one colour; {where} touch with {COLOUR_NAMES[colours[0]]} and "
            f"{COLOUR_NAMES[colours[1]]}."
        )


def _play(state: State, move: str | int) -> None:
    if not actors(state):
        raise BadPosition(f"The match is over before the move {move!r}.")
    seat = state.turn
    try:
        number = parse_move(state, seat, move) if isinstance(move, str) else move
    except ValueError as error:
        raise BadPosition(f"{move!r} is not a move: {error}") from None
    out = [0] * MAX_LEGAL
    count = legal(state, seat, out)
    moves = out[:count]
    if number not in moves:
        listed = ", ".join(move_text(state, seat, choice) for choice in moves[:12])
        raise BadPosition(f"Seat {seat} may not play {move!r}. Legal: {listed}.")
    apply(state, seat, number)
