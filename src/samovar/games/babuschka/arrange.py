"""A position laid out by hand, for examples, puzzles and tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from samovar.engine.arrays import States
from samovar.engine.assembly.positions import GamePosition
from samovar.errors import BadPosition

from .board import FACING, FIELDS, STARTING_FIELDS, square_of
from .rules import can_move, settle
from .sizes import FIGURE, SEATS
from .state import NOBODY, NOWHERE, RUNNING, State, quiet_limit

_LETTERS = "SML"
_ROWS_OF_REST = ("start", "home")


class Position(GamePosition):
    """Without `dolls` it is the starting position. The match is over where nobody can move, or only
    one seat is left."""

    seats: int = 2
    # Stacks from the bottom up by field: `{"d4": "0S 1M", "e4": ["0L"]}`, each doll as its seat and S, M
    # or L.
    dolls: dict[str, str | list[str]] | None = None
    # How the dolls not named stand, for all seats or for each: "home" on the goal fields or "start" on
    # the starting fields, stacked in order from the first field on.
    rest: str | list[str] = "home"
    turn: int | None = None  # the seat to move, without it the first that can
    finished: tuple[int, ...] = ()  # the seats that are home, in the order in which they finished
    quiet: int = 0  # quiet moves in a row so far
    patience: int = 40

    @classmethod
    def of(cls, state: State) -> Position:
        stacks = {name: _stack_on(state, name) for name in FIELDS}
        ranks = {state.place[seat]: seat for seat in range(state.seats) if state.place[seat]}
        return cls(
            seats=state.seats,
            dolls={name: stack for name, stack in stacks.items() if stack},
            turn=None if state.turn == NOBODY else state.turn,
            finished=tuple(ranks[place] for place in sorted(ranks)),
            quiet=state.quiet,
            patience=state.patience,
        )

    def moved(self, piece: str, place: str) -> Position:
        """The top doll of a field goes to another one."""
        stacks = {
            name: stack.split() if isinstance(stack, str) else [*stack] for name, stack in (self.dolls or {}).items()
        }
        if not stacks.get(piece):
            raise BadPosition(f"No doll stands on {piece}. Choose a doll first, then a field.")
        doll = stacks[piece].pop()
        stacks.setdefault(place, []).append(doll)
        return replace(self, dolls={name: " ".join(stack) for name, stack in stacks.items() if stack})


def arrange(position: Position) -> States:
    seats = position.seats
    if seats not in STARTING_FIELDS:
        raise BadPosition(f"Babuschka is played with {' or '.join(map(str, SEATS))} seats, not with {seats!r}.")
    if not 1 <= position.patience <= 1000:
        raise BadPosition(f"`patience` is a number from 1 to 1000, not {position.patience!r}.")
    state = State.blank()
    state.seats = seats
    state.patience = position.patience
    state.last_seat = NOBODY
    state.last_start = state.last_end = NOWHERE
    _put_stacks(state, position.dolls or {})
    _put_rest(state, ["start"] * seats if position.dolls is None else _rest_by_seat(seats, position.rest))
    _set_finished(state, position.finished)
    settle(state)
    _set_quiet(state, position.quiet)
    _set_turn(state, position.turn)
    return state.array


def _stack_on(state: State, name: str) -> str:
    dolls = ((seat, size) for size in range(FIGURE) for seat in range(state.seats))
    return " ".join(f"{seat}{_LETTERS[size]}" for seat, size in dolls if state.dolls[seat, size] >> square_of(name) & 1)


def _put(state: State, seat: int, size: int, name: str) -> None:
    if any((state.dolls[other, size] >> square_of(name)) & 1 for other in range(state.seats)):
        raise BadPosition(
            f"There would be two dolls of size {_LETTERS[size]} on {name}; a field holds one of each size."
        )
    state.dolls[seat, size] |= 1 << square_of(name)


def _put_stacks(state: State, dolls: Mapping[str, str | Sequence[str]]) -> None:
    for name, stack in dolls.items():
        if name not in FIELDS:
            raise BadPosition(
                f"There is no field {name!r}; fields are like {FIELDS[0]}, and some at the corners are missing."
            )
        below = -1
        for doll in stack.split() if isinstance(stack, str) else stack:
            seat, size = _read_doll(state.seats, doll)
            if size <= below:
                raise BadPosition(
                    f"On {name} the doll {doll!r} stands on one that is not smaller; name a stack from the bottom "
                    "up, like '0S 0M'."
                )
            below = size
            _put(state, seat, size, name)


def _read_doll(seats: int, doll: str) -> tuple[int, int]:
    text = doll.upper()
    if len(text) != 2 or text[0] not in "0123"[:seats] or text[1] not in _LETTERS:
        raise BadPosition(f"{doll!r} is no doll; a doll is a seat from 0 to {seats - 1} and S, M or L, like '0S'.")
    return int(text[0]), _LETTERS.index(text[1])


def _rest_by_seat(seats: int, rest: str | Sequence[str]) -> list[str]:
    named = [rest] * seats if isinstance(rest, str) else list(rest)
    if len(named) != seats or any(where not in _ROWS_OF_REST for where in named):
        raise BadPosition(f"`rest` is 'home' or 'start', or one of them for each of the {seats} seats, not {rest!r}.")
    return named


def _put_rest(state: State, rest: Sequence[str]) -> None:
    """The dolls that were not named, each size from the first field on that has none of it yet."""
    for seat, where in enumerate(rest):
        facing = FACING[state.seats, seat]
        fields = STARTING_FIELDS[state.seats][facing if where == "start" else (facing + 2) % 4]
        for size in range(FIGURE):
            missing = len(fields) - state.dolls[seat, size].bit_count()
            if missing < 0:
                raise BadPosition(f"Seat {seat} has {len(fields)} dolls of size {_LETTERS[size]}, and more were named.")
            free = [name for name in fields if not (state.dolls[seat, size] >> square_of(name)) & 1]
            for name in free[:missing]:
                _put(state, seat, size, name)


def _set_finished(state: State, finished: Sequence[int]) -> None:
    for seat in finished:
        if seat not in range(state.seats) or state.place[seat]:
            raise BadPosition(f"`finished` names seats from 0 to {state.seats - 1}, each once, not {list(finished)!r}.")
        state.finished += 1
        state.place[seat] = state.finished


def _set_quiet(state: State, quiet: int) -> None:
    limit = quiet_limit(state)
    if not 0 <= quiet < max(limit, 1):
        raise BadPosition(f"`quiet` is a number from 0 to {limit - 1} here, not {quiet!r}.")
    state.quiet = quiet


def _set_turn(state: State, turn: int | None) -> None:
    if state.ended != RUNNING:
        if turn is not None:
            raise BadPosition("The match is over in this position, so nobody is on turn: leave `turn` out.")
        return
    able = [seat for seat in range(state.seats) if not state.place[seat] and can_move(state, seat)]
    if turn is not None and turn not in able:
        raise BadPosition(f"`turn` is a seat that can move, here {' or '.join(map(str, able))}, not {turn!r}.")
    state.turn = able[0] if turn is None else turn
