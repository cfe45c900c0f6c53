"""One play of a game: checked moves, history, undo, views. Rules trust their caller; this is the
caller they trust. Its chairs are here, too: a match makes seats, and a seat imagines matches."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from samovar.engine.arrays import AnyView, Int8s, States
from samovar.engine.chance import check_deal_seed, check_seed, wide_word, wide_words, word
from samovar.engine.contract import Event, Game, Value
from samovar.engine.kinds import RAW
from samovar.engine.records.digest import digest_of, hash_of
from samovar.engine.records.sent import SentSeat, packed, unpacked
from samovar.engine.registry import find_game
from samovar.engine.rule import Compiler
from samovar.engine.ways import stand_ins
from samovar.engine.ways.backend import Backend, backend, bound_rules
from samovar.engine.ways.mistakes import no_moves, not_ascending, too_many_moves
from samovar.engine.ways.plain import PlainState, plain_state
from samovar.engine.ways.watch import watched
from samovar.errors import (
    BadPosition,
    BadRecord,
    IllegalMove,
    MatchOver,
    NotAnActor,
    NothingToUndo,
    SamovarError,
    UnknownSeat,
)
from samovar.json_types import JsonObject

RECORD_FORMAT = 1
SHOWN_MOVES = 12


class World(NamedTuple):
    """Imagined by what one seat knew after so many moves."""

    moves: int
    seat: int
    seed: int


class Match:
    """`Match("babuschka", seats=2, seed=7, patience=60)`; without a seed one is drawn, without
    seats the fewest play. A seed is a number or a wide one: see `chance.py`."""

    def __init__(
        self,
        game: str | Game,
        seats: int | None = None,
        seed: int | str | None = None,
        *,
        plain: bool | None = None,
        **options: Value,
    ) -> None:
        game = find_game(game) if isinstance(game, str) else game
        count = game.check_seats(game.seats[0] if seats is None else seats)
        values = game.check_options(count, options)
        dealt = secrets.randbits(63) if seed is None else check_deal_seed(seed)
        ready = backend(game, plain)
        self._begin(ready, _dealt(ready, game.setup(count, values), dealt), count, values)
        self.seed: int | str | None = dealt

    @classmethod
    def as_written(
        cls,
        game: Game,
        seats: int,
        seed: int | str,
        options: Mapping[str, Value],
        *,
        plain: bool | None = None,
    ) -> Match:
        """A match whose options were written down, perhaps by an earlier version. What has come since is
        at its default, and the record of the match says no more than was written."""
        match = cls(game, seats, seed, plain=plain, **game.check_options(game.check_seats(seats), options))
        match.written_options = dict(options)
        return match

    def _begin(self, ready: Backend, states: States, seats: int, options: dict[str, Value]) -> None:
        self.game = ready.game
        self.seats = seats
        self.options = options
        self.written_options = options  # as the record has them
        self.seed = None
        self.position: JsonObject | None = None
        self.history: list[tuple[int, int]] = []  # (seat, move number)
        self.worlds: tuple[World, ...] = ()  # in which it went on
        self._before: tuple[tuple[int, int, str], ...] = ()  # the last of them: seat, number and text of each move
        self._backend = ready
        self.states = states  # an array of one
        self._state: PlainState | None = None
        self._past: list[bytes] = []  # the state before each move of the history
        self._sights: dict[tuple[int, bytes], int] = {}  # what a seat sees in a state, as far as it was asked for
        # asked for more than once in a state: to show the moves, then to check the one that is made
        self._legal_for: tuple[int, bytes] | None = None
        self._legal: list[int] = []
        self._results_for = b""  # likewise: the page of a match that is over asks many times
        self._points: tuple[tuple[int, ...], tuple[int, ...]] = (), ()
        self._out = ready.scratch()[1]
        self._read_actors()

    @classmethod
    def arranged(cls, game: str | Game, *, plain: bool | None = None, **position: object) -> Match:
        """A match that starts from a position laid out by hand; the game's `arrange` says what it
        takes."""
        return cls.from_position(game, position, plain=plain)

    @classmethod
    def from_position(cls, game: str | Game, position: Mapping[str, object], *, plain: bool | None = None) -> Match:
        """`arranged` for a position that was read from somewhere, with whatever names and values in
        it."""
        game = find_game(game) if isinstance(game, str) else game
        states, broken = laid_out(game, dict(position))
        if broken:
            raise BadPosition(f"This position of {game.name} cannot be: {', '.join(broken)}.")
        match = cls.__new__(cls)
        match._begin(backend(game, plain), states, int(states["seats"][0]), {})
        match.position = dict(position)
        return match

    @classmethod
    def standing(
        cls,
        game: Game,
        seats: int,
        state: bytes,
        *,
        plain: bool | None = None,
        options: Mapping[str, Value] | None = None,
    ) -> Match:
        """A match in one of the `positions` of another, from there on. It has no past and no
        seed."""
        match = cls.__new__(cls)
        match._begin(backend(game, plain), np.frombuffer(bytearray(state), game.state), seats, dict(options or {}))
        return match

    @classmethod
    def remembered(
        cls, game: Game, seats: int, positions: Sequence[bytes], history: Sequence[tuple[int, int]]
    ) -> Match:
        """A match that was played elsewhere, by its `positions` and its `history`: with its past, without
        playing it again. It has no seed."""
        match = cls.standing(game, seats, positions[-1], plain=True)
        match._past, match.history = [*positions[:-1]], [*history]
        return match

    # What is so

    @property
    def state(self) -> PlainState:
        """The whole truth, to read."""
        # the bytes are those of `states`, so it need not be made every time
        if self._state is None or self._state.array.base is not self.states:
            self._state = plain_state(self.states)
        return self._state

    @property
    def state_bytes(self) -> bytes:
        """The whole truth, as bytes: equal bytes are equal positions."""
        return self.states.tobytes()

    @property
    def positions(self) -> list[bytes]:
        """The states so far, the present one last."""
        return [*self._past, self.state_bytes]

    @property
    def actors(self) -> tuple[int, ...]:
        """The seats that may act now."""
        return seats_in(self._mask)

    @property
    def over(self) -> bool:
        """Whether nobody may act any more."""
        return self._mask == 0

    @property
    def scores(self) -> tuple[int, ...]:
        """Points by seat, as if the match ended now."""
        return self._results()[0]

    @property
    def places(self) -> tuple[int, ...]:
        """Places by seat, as if the match ended now; 1 for the winner(s)."""
        return self._results()[1]

    @property
    def faults(self) -> tuple[str, ...]:
        """What is wrong, in sentences; nothing in a sound match."""
        return self.game.faults_in(self.states)[0]

    def view(self, seat: int | None) -> AnyView:
        """What a seat sees; None for a spectator."""
        return self.game.view(self.state, None if seat is None else self.check_seat(seat))

    def view_before(self, seat: int | None) -> AnyView:
        """What a seat saw before the last move."""
        if not self._past:
            raise NothingToUndo("No move has been made yet, so there is nothing before it.")
        return self.game.view(
            plain_state(self._from_bytes(self._past[-1])), None if seat is None else self.check_seat(seat)
        )

    def news(self, seat: int | None) -> tuple[Event, ...]:
        """What happened in the last move, as this viewer saw it."""
        return self.game.news_of(self.state, None if seat is None else self.check_seat(seat))

    def log(self, seat: int | None, last: int | None = None) -> list[tuple[Event, ...]]:
        """What happened in every move so far, or in the last few, as this viewer saw it. Of all but
        the last one a person may have to remember more than is still told: see `Game.fade`."""
        later = [*self._past[1:], self.state_bytes] if self._past else []
        return [
            self.game.news_of(plain_state(self._from_bytes(state)), seat) for state in later[-last if last else 0 :]
        ]

    def told_history(self) -> list[tuple[int, str]]:
        """The moves so far, as (seat, text); of a match that went on in another world, those since then."""
        before = (plain_state(self._from_bytes(state)) for state in self._past)
        return [
            (seat, self.game.move_text(state, seat, move))
            for (seat, move), state in zip(self.history, before, strict=True)
        ]

    @property
    def success(self) -> int | None:
        """How well all seats do together, 0 to 1000, as if the match ended now; None where they are
        opponents."""
        if not self.game.is_together(self.seats):
            return None
        share = np.zeros(1, np.int64)
        self._backend.success(self.states, share)
        return int(share[0])

    def observation(self, seat: int, encoding: str = RAW) -> Int8s:
        """What a seat knows, as numbers or as planes."""
        row = np.zeros((1, self.game.row_size(encoding)), np.int8)
        self._backend.observe(self.states, self.check_seat(seat), row, encoding=encoding)
        return row.reshape(-1)

    # What can be done

    def legal(self, seat: int) -> list[int]:
        """The legal move numbers of a seat, ascending; none when it may not act."""
        seat = self.check_seat(seat)
        if seat not in self.actors:
            return []
        asked = seat, self.states.tobytes()
        if self._legal_for != asked:
            moves = np.zeros((1, len(self._out)), np.int32)
            count = np.zeros(1, np.int64)
            self._backend.legal(self.states, seat, moves, count)
            if count[0] > self.game.max_legal:
                raise too_many_moves(self.game, count[0])
            if count[0] < 1:
                raise no_moves(self.game, seat)
            self._legal_for, self._legal = asked, moves.reshape(-1)[: count[0]].tolist()
        return list(self._legal)

    def moves(self, seat: int) -> list[str]:
        """The legal moves of a seat as texts, in the order of their numbers."""
        return [self.move_text(seat, move) for move in self.legal(seat)]

    def move_text(self, seat: int, move: int) -> str:
        """A move of a seat as people read it."""
        return self.game.move_text(self.state, seat, move)

    def parse_move(self, seat: int, text: str) -> int:
        """The number of a move given as text."""
        try:
            return (self.game.parse_move or self._legal_move)(self.state, seat, text.strip())
        except ValueError as error:
            raise IllegalMove(
                f"{text!r} is not a move of {self.game.name}: {error}{self._what_is_legal(seat)}"
            ) from None

    def _legal_move(self, state: PlainState, seat: int, text: str) -> int:
        """The move of a text, where the game does not read texts itself. Only what the seat may do
        now has one, so the answer tells the seat nothing new."""
        for move in self.legal(seat):
            if self.game.move_text(state, seat, move).casefold() == text.casefold():
                return move
        raise ValueError("it is not among the legal moves.")

    @watched
    def play(self, seat: int, move: int | str) -> None:
        """One move, by number or text. An error means that nothing has changed."""
        if seat.__class__ is not int or move.__class__ is not int:
            seat, move = self._check_move(seat, move)
        before = self.states.tobytes()
        try:
            mask = self._backend.act([self.state] if self._backend.is_plain else self.states, seat, move, self._out)
        except OverflowError:  # a number beyond 64 bits
            mask = stand_ins.ILLEGAL
        except BaseException:  # a mistake in a plain rule, or Ctrl+C: half a move is none
            self.states = self._from_bytes(before)
            raise
        if mask < 0:
            raise self._refusal(seat, move, mask)
        self._past.append(before)
        self.history.append((seat, move))
        self._mask = mask

    def undo(self) -> None:
        """Takes the last move back."""
        if not self._past:
            raise NothingToUndo("No move has been made yet, so there is none to take back.")
        self.states = self._from_bytes(self._past.pop())
        self.history.pop()
        self._read_actors()

    def copy(self) -> Match:
        """The same match, apart from this one."""
        other = Match.__new__(Match)
        other.__dict__.update(self.__dict__)
        other.states = self.states.copy()
        other._past = list(self._past)
        other.history = list(self.history)
        return other

    def at(self, moves_made: int) -> Match:
        """The same match as it was after so many moves."""
        if not 0 <= moves_made <= len(self.history):
            raise NothingToUndo(
                f"This match has {len(self.history)} moves; it can be looked at after 0 to {len(self.history)} of "
                f"them, not after {moves_made}."
            )
        other = self.copy()
        other.states = self._from_bytes(self.positions[moves_made])
        del other._past[moves_made:], other.history[moves_made:]
        other._read_actors()
        return other

    def imagine(self, seat: int, seed: int) -> Match:
        """Another match, from here on, that fits all that the seat knows. It has no past and no
        seed."""
        states = self.states.copy()
        self._backend.determinize(states, self.check_seat(seat), check_seed(seed))
        other = Match.__new__(Match)
        other._begin(self._backend, states, self.seats, dict(self.options))
        return other

    def go_on(self, seat: int, seed: int) -> Match:
        """The same from here on, but for a record of its own: that holds the moves so far, too, and which world was
        imagined. It can be taken back to here."""
        other = self.imagine(seat, seed)
        other.seed, other.position, other.written_options = self.seed, self.position, self.written_options
        other._before = self._all_moves()
        other.worlds = (*self.worlds, World(len(other._before), seat, seed))
        return other

    def seat(self, number: int) -> Seat:
        """A chair as a bot is handed it: all that this seat knows, and nothing of the truth."""
        self.check_seat(number)
        positions = self.positions
        if new := [state for state in positions if (number, state) not in self._sights]:
            facts = np.zeros(len(new), np.int64)
            self._backend.sights(self._from_bytes(b"".join(new)), number, facts)
            self._sights.update(zip(((number, state) for state in new), facts.tolist(), strict=True))
        return Seat(self.imagine(number, 0), number, tuple(self._sights[number, state] for state in positions))

    def play_random(self, seed: int, limit: int = 2**62) -> int:
        """Random moves until the end, or `limit` of them; says how many were made."""
        played = 0
        choose = np.random.default_rng(seed)
        while not self.over and played < limit:
            seat = self.actors[choose.integers(len(self.actors))]
            moves = self.legal(seat)
            self.play(seat, moves[choose.integers(len(moves))])
            played += 1
        return played

    def record(self, table: JsonObject | None = None, *, by_number: bool = False) -> JsonObject:
        """The match as a record: a dict that `json.dumps` can write; `samovar.replay` plays it again. `table`: who sat
        where; `by_number`: for readers that know no texts of moves, such as browsers."""
        if self.position is None and self.seed is None:
            raise BadRecord(
                "An imagined match has no deal that could be recorded; record the match it was imagined from."
            )
        deal = {"options": self.written_options, "seed": self.seed}
        record = {
            "samovar": RECORD_FORMAT,
            "game": self.game.id,
            "rules": self.game.version,
            "seats": self.seats,
            **(deal if self.position is None else {"position": self.position}),
            **({"table": table} if table else {}),
            "moves": [[seat, move if by_number else text] for seat, move, text in self._all_moves()],
            **({"worlds": [list(world) for world in self.worlds]} if self.worlds else {}),
            "over": self.over,
            "scores": list(self.scores),
            "places": list(self.places),
            **({} if self.success is None else {"success": self.success}),
            "state": hash_of(self.state_bytes),
        }
        return {**record, "digest": digest_of(record)}

    # Inside

    def _all_moves(self) -> tuple[tuple[int, int, str], ...]:
        """From the deal on, also those before the world that this match is in."""
        told = (text for _, text in self.told_history())
        return (*self._before, *((seat, move, text) for (seat, move), text in zip(self.history, told, strict=True)))

    def _read_actors(self) -> None:
        mask = np.zeros(1, np.int64)
        self._backend.actors(self.states, mask)
        self._mask = int(mask[0])

    def _from_bytes(self, state: bytes) -> States:
        return np.frombuffer(bytearray(state), self.game.state)

    def _results(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        asked = self.states.tobytes()
        if self._results_for != asked:
            points, ranks = np.zeros((2, 1, self.seats), np.int64)
            self._backend.scores(self.states, points, ranks)
            self._results_for, self._points = asked, (tuple(points[0].tolist()), tuple(ranks[0].tolist()))
        return self._points

    def check_seat(self, seat: int) -> int:
        """The seat's number, or `UnknownSeat`."""
        if isinstance(seat, bool) or not isinstance(seat, int | np.integer) or not 0 <= seat < self.seats:
            raise UnknownSeat(f"There is no seat {seat!r} at this table; its seats are 0 to {self.seats - 1}.")
        return int(seat)

    def _check_move(self, seat: int, move: int | str) -> tuple[int, int]:
        seat = self.check_seat(seat)
        if isinstance(move, str):
            if seat not in self.actors:
                raise self._refusal(seat, move, stand_ins.NOT_AN_ACTOR)
            return seat, self.parse_move(seat, move)
        if isinstance(move, bool) or not isinstance(move, int | np.integer):
            raise IllegalMove(f"A move is a number or a text, not {move!r}.")
        return seat, int(move)

    def _refusal(self, seat: int, move: int | str, answer: int) -> Exception:
        self.check_seat(seat)
        if answer == stand_ins.ILLEGAL:
            if move in (legal := self.legal(seat)):
                return not_ascending(self.game, legal)
            return IllegalMove(f"Seat {seat} may not play {self._told(seat, move)} now.{self._what_is_legal(seat)}")
        if self.over:
            return MatchOver("The match is over; nobody may move. Start another, or take moves back.")
        waiting = " and ".join(f"seat {actor}" for actor in self.actors)
        return NotAnActor(f"Seat {seat} may not act now; it is for {waiting} to move.")

    def _told(self, seat: int, move: int | str) -> str:
        """A move for an error text: as text where it has one in this state."""
        if isinstance(move, str) or not 0 <= move < self.game.moves:
            return f"{move!r}"
        try:
            text = self.move_text(seat, move)
        except (ValueError, IndexError):
            return f"move {move}"
        for legal in self.legal(seat):
            if self.move_text(seat, legal) == text:
                return f"move {move}, which is written {text!r} like move {legal}. Only the latter is legal"
        return f"{text!r} (move {move})"

    def _what_is_legal(self, seat: int) -> str:
        moves = self.moves(seat)
        shown = ", ".join(moves[:SHOWN_MOVES])
        more = f" and {len(moves) - SHOWN_MOVES} more" if len(moves) > SHOWN_MOVES else ""
        return f" Legal now: {shown}{more}." if moves else ""


class Seat:
    """One chair of a match, seen from there: what a bot is handed, and what may leave the process that
    knows the truth. Made by `Match.seat`, or by `from_bytes` in another process; both answer the same.

    It holds a world that was drawn from what the seat knows, and what it saw so far. No deal, no
    seed, no history and no earlier state is in it, so its bytes tell nothing that the seat does not
    know: two matches which the seat cannot tell apart give the same bytes.
    """

    def __init__(self, world: Match, number: int, sights: tuple[int, ...]) -> None:
        self.game = world.game
        self.number = number
        self.seats = world.seats
        self.options = world.options
        self.sights = sights  # what the seat saw in every position so far, the present one last: see `heuristics.py`
        self._world = world

    @property
    def moment(self) -> int:
        """How many moves have been made."""
        return len(self.sights) - 1

    @property
    def opponents(self) -> int:
        """How many seats are of other teams: none where all play together."""
        teams = self.game.teams(self.seats)
        return sum(team != teams[self.number] for team in teams)

    @property
    def view(self) -> AnyView:
        """What the seat sees, for people."""
        return self._world.view(self.number)

    @property
    def observation(self) -> Int8s:
        """What the seat knows, as numbers."""
        return self._world.observation(self.number)

    @property
    def legal(self) -> list[int]:
        """The legal move numbers, ascending; none when the seat may not act."""
        return self._world.legal(self.number)

    def move_text(self, move: int) -> str:
        return self._world.move_text(self.number, move)

    def reasons(self, move: int) -> tuple[Event, ...]:
        """What speaks for a legal move or against it, by what the game knows to say. It is asked in an imagined
        world: what the seat does not know cannot be told."""
        return self.game.reasons(self._world.state, self.number, move) if self.game.reasons else ()

    def imagine(self, seed: int) -> Match:
        """A match, from here on, that fits all that the seat knows."""
        return self._world.imagine(self.number, seed)

    def to_bytes(self) -> bytes:
        """The seat as it may be sent to a bot."""
        return packed(SentSeat(self.game, self.seats, self.options, self.number, self.sights, self._world.state_bytes))

    @classmethod
    def from_bytes(cls, data: bytes, *, plain: bool | None = None) -> Seat:
        """The seat that `to_bytes` wrote; `plain` says how the rules of its worlds run."""
        sent = unpacked(data)
        world = Match.standing(sent.game, sent.seats, sent.state, plain=plain, options=sent.options)
        return cls(world, world.check_seat(sent.number), sent.sights)


@cache
def seats_in(mask: int) -> tuple[int, ...]:
    """The seats of a bit mask; there are few masks, and they are asked for all the time."""
    return tuple(seat for seat in range(mask.bit_length()) if (mask >> seat) & 1)


def _dealt(ready: Backend, setup: States, seed: int | str) -> States:
    """The state of a new deal, in an array of one."""
    states = np.zeros(1, ready.game.state)
    if isinstance(seed, str):
        _wide_deal(ready.game)(plain_state(states), plain_state(setup), wide_words(seed))
    else:
        ready.deal(states, setup, seed)
    return states


@cache
def _wide_deal(game: Game) -> Callable[..., object]:
    """The game's `deal` in plain Python, drawing the words of a wide seed: so the compiled
    generator knows nothing of them and stays as quick."""
    bound = {**bound_rules(game), word: wide_word}
    return Compiler(lambda copied: copied, bound, tables_as_arrays=False).copy(stand_ins.set_up)


def laid_out(game: Game, position: JsonObject) -> tuple[States, tuple[str, ...]]:
    """The state of a position, in an array of one, and its faults. What is nonsense to a game's
    `arrange` may make it fail in any way."""
    try:
        states = game.lay_out(**position) if game.arrange else _after_moves(game, **position)
        return states, game.faults_in(states)[0]
    except SamovarError:
        raise
    except Exception as error:
        raise BadPosition(
            f"This is no position of {game.name}; see what its `arrange` takes ({type(error).__name__}: {error})."
        ) from error


def _after_moves(
    game: Game, *, seats: int | None = None, seed: int = 0, moves: Iterable[str] = (), **options: Value
) -> States:
    """`arrange` of a game that has none of its own: a position that a match came to, by a deal and
    the moves made from there, as texts. Where several seats may act, the lowest does."""
    match = Match(game, seats, seed, plain=True, **options)
    for text in moves:
        match.play((*match.actors, 0)[0], text)
    return match.states
