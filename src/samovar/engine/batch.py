"""Many matches at once, in one array of states: on CPU threads, or on a GPU from the same rules.

`Batch("memoarrrr", 65_536, seats=3, seed=1)`: match i is the match of seed 1 + i, byte for byte
what `Match(..., seed=1 + i)` deals.

To learn from, step by step; all arrays have one row a match and stay where they are:

    batch.reset(seed=1)
    batch.actor             the seat to act; of several actors the lowest, who knows nothing of
                            choices made at the same time
    batch.observations      what it knows
    batch.legal_mask        its legal moves as flags; `legal_moves` and `legal_counts`: as lists
    batch.step(moves)       one move in every match; a match that ends is dealt anew at once
    batch.ended             where that happened
    batch.rewards           by seat, for the match that ended; else 0

`batch.send(moves)` is a step that nobody waits for: what was wrong is said by `batch.settle()`.

`Batch("memoarrrr", 65_536, variants=[{"seats": 2}, {"seats": 3, "expert": True}])` has matches of
several kinds, in turn.

For networks: `encoding="planes"` gives observations as zeros and ones (`kinds.py`), `legal_factors`
tells each legal move as parts (`factors="raw"`: as numbers all the same), `turned=True` numbers
moves on the board as the actor sees it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from samovar.engine.arrays import Array
from samovar.engine.chance import check_seed
from samovar.engine.contract import Game, Options, Value
from samovar.engine.kinds import RAW
from samovar.engine.registry import find_game
from samovar.engine.ways.backend import thread_count
from samovar.engine.ways.cuda import DeviceArray, cuda_backend
from samovar.engine.ways.operations import Operations
from samovar.engine.ways.rewards import PLACE, reward_units
from samovar.engine.ways.stand_ins import FIRST, MOVE, NO_MOVE, REFUSED, SENDS, SENT
from samovar.engine.ways.threads import Threads, check_threads
from samovar.engine.ways.turns import Turn
from samovar.errors import BadBatch, IllegalMove, MatchOver, SamovarError, UnknownSeat

BatchArray: TypeAlias = Any  # NumPy's, or a `DeviceArray` on a GPU: both can be written into and looked at alike

TO_THE_END = 2**62
SHOWN_MOVES = 12
ALIGNMENT = 64  # bytes
ALWAYS_FREE = 2**24  # so few bytes need not be asked for


@dataclass(frozen=True)
class Snapshot:
    """How a batch stood: a copy of its bytes. It fits every batch of the same game, variants and
    size."""

    kind: tuple[str, tuple[Options, ...]]  # game and variants
    states: BatchArray
    seeds: BatchArray
    made: BatchArray  # so that random play goes on in the same way


class Batch:
    """Thousands of matches. Arrays are NumPy arrays, or arrays of the GPU with `device="cuda"`;
    `states` may be the caller's own.

    An error of `step` means that nothing has changed in any match.
    """

    def __init__(
        self,
        game: str | Game,
        size: int,
        seats: int | None = None,
        seed: int = 0,
        *,
        variants: Sequence[Options] | None = None,
        device: str = "cpu",
        threads: int | None = None,
        states: BatchArray = None,
        restart: bool = True,
        encoding: str = RAW,
        factors: str | None = None,
        turned: bool = False,
        rewards: str = PLACE,
        **options: Value,
    ) -> None:
        self.game = find_game(game) if isinstance(game, str) else game
        self.size = _check_size(size)
        self.variants = _variants(self.game, seats, options, variants)
        self.seats = max(variant["seats"] for variant in self.variants)  # columns of what goes by seat
        self.threads = thread_count() if threads is None else check_threads(threads)
        if device not in ("cpu", "cuda"):
            raise BadBatch(f"A batch runs on device 'cpu' or 'cuda', not on {device!r}.")
        self.device = device
        self.restart = restart
        self.row_size = self.game.row_size(encoding)
        self.encoding = encoding
        self.factors = encoding if factors is None else factors  # how moves are told as parts
        self.game.row_size(self.factors)
        self.turned = turned
        self._cuda = cuda_backend(self.game) if device == "cuda" else None
        self._rules: Operations = self._cuda or Threads(self.game, self.threads)
        self.states = self.zeros((size,), self.game.state) if states is None else self._check_states(states)
        self.seat_counts = self._by_match([variant["seats"] for variant in self.variants])
        self._setup = self._by_match([self.game.setup(variant["seats"], variant)[0] for variant in self.variants])
        units = np.stack([reward_units(self.game, variant["seats"], rewards, self.seats) for variant in self.variants])
        self._place_unit, self._point_unit = self._by_match(units[:, 0]), self._by_match(units[:, 1])
        self._refused = self._place(np.zeros(1, np.int64))
        self.seeds = self.zeros((size,))
        self._kind = (self.game.id, self.variants)
        self._begin()
        self.reset(seed)

    def _begin(self) -> None:
        """Nobody has looked at a match yet or sent a move."""
        self._turn: Turn | None = None
        self._is_stale = True  # `_turn` does not show how the matches stand now
        self._moves_in: BatchArray = None
        self._sent: BatchArray = None  # what `send` counts
        self._launches: dict[object, Callable[[BatchArray], None]] = {}  # on a GPU, what `send` does

    @property
    def options(self) -> Options:
        """What all matches have in common."""
        first, *others = self.variants
        return {
            name: value
            for name, value in first.items()
            if name != "seats" and all(other[name] == value for other in others)
        }

    def zeros(self, shape: tuple[int, ...], dtype: npt.DTypeLike = np.int64) -> BatchArray:
        """An array where the batch lives."""
        needed = int(np.prod(shape)) * np.dtype(dtype).itemsize
        if needed > ALWAYS_FREE and needed > (free := self._cuda.free_bytes if self._cuda else free_bytes()):
            raise BadBatch(
                f"{self.size:,} matches of {self.game.name} need {needed / 2**30:,.1f} GiB for an array of "
                f"{needed // self.size:,} bytes a match; "
                f"{free / 2**30:,.1f} GiB are free on device {self.device!r}. Take fewer: at most "
                f"{self.size * free // needed:,}."
            )
        return self._place(_aligned_zeros(shape, dtype))

    def reset(self, seed: int) -> None:
        """Deals all matches anew."""
        seeds = np.arange(check_seed(seed), check_seed(seed + self.size - 1) + 1, dtype=np.int64)
        self._write(self.seeds, self._place(seeds))
        self.made = self.zeros((self.size,))
        self._rules.deal(self.states, self._setup, self.seeds)
        self._is_stale = True

    # Step by step

    @property
    def actor(self) -> BatchArray:
        """The seat to act in every match, the lowest of its actors; -1 where a match is over."""
        return self._fresh().actor

    @property
    def observations(self) -> BatchArray:
        """What the actor knows. Brought up to date by every step from the first time somebody
        asks."""
        if not self._fresh().observations.shape[1]:
            self._keep(observations=self.zeros((self.size, self.row_size), np.int8))
        return self._fresh().observations

    @property
    def legal_mask(self) -> BatchArray:
        """The actor's legal moves as flags. Brought up to date by every step from the first time
        somebody asks; only to be read."""
        if not self._fresh().mask.shape[1]:
            self._keep(mask=self.zeros((self.size, self.game.moves), np.bool_))
        return self._fresh().mask

    @property
    def legal_moves(self) -> BatchArray:
        """The actor's legal moves in ascending order, in a row as long as there ever can be; the
        first `legal_counts` of them count."""
        return self._fresh().moves

    @property
    def legal_counts(self) -> BatchArray:
        """How many legal moves the actor of each match has."""
        return self._fresh().counts

    @property
    def factor_size(self) -> int:
        """How many numbers a legal move told as parts has; 0: the game does not tell them."""
        layout = self.game.factor_encoding
        return layout.raw_size if self.factors == RAW else layout.size

    @property
    def legal_factors(self) -> BatchArray:
        """The actor's legal moves told as parts, by match and place in `legal_moves`; the first
        `legal_counts` of them count. Brought up to date by every step from the first time somebody
        asks."""
        shape = self.size, self.game.max_legal, self.factor_size
        if not self.factor_size:
            raise BadBatch(f"{self.game.name} does not tell its moves as parts: it has no `factors`.")
        if not self._fresh().factors.shape[1]:
            self._keep(factors=self.zeros((self.size, self.game.max_legal * self.factor_size), np.int8))
        factors: BatchArray = self._fresh().factors
        return factors.reshape(shape)

    @property
    def rewards(self) -> BatchArray:
        """By seat, for the match that the last step ended; 0 while a match goes on. By place, from 1
        for the winner to -1 for the last, and 0 in all; by margin, its points less the mean of its
        opponents'; both, the first and a hundredth of the second. Where all seats are one team, from
        1 for the best they can do to -1 for the worst, and their points."""
        return self._fresh().rewards

    @property
    def ended(self) -> BatchArray:
        """Whether the last step ended a match here."""
        return self._fresh().ended

    def step(self, moves: BatchArray) -> None:
        """One move of the actor in every match; where the move is -1, the match waits.

        A match that ends is dealt anew at once, with a seed of its own; without `restart` it stays
        as it is, and can only wait.
        """
        turn, row = self._fresh(), self._check_row(moves)
        self._rules.check(self.states, turn, row, self._refused)
        if np.asarray(self._refused)[0]:
            self._write(self._refused, self._place(np.zeros(1, np.int64)))
            raise self._refusal(turn, np.asarray(row))
        self._rules.advance(self.states, turn, row, encoded=self._is_encoded)

    # Step by step, and nobody waits

    @property
    def moves_in(self) -> BatchArray:
        """What `send()` plays: for a learner to write into. -1 at first: all matches wait."""
        if self._moves_in is None:
            self._moves_in = self._place(np.full(self.size, NO_MOVE, np.int64))
        return self._moves_in

    def send(self, moves: BatchArray = None, *, stream: int = 0) -> None:
        """A step that nobody waits for: of these moves, or of `moves_in`. Where a move is not legal its
        match waits, as for -1, and `settle` will say so.

        On a GPU it is one kernel on a stream, given by its handle: 0 is where PyTorch works by default,
        `torch.cuda.current_stream().cuda_stream` where it works now. A stream keeps its order: the
        kernel sees what was written there before, and whatever comes after sees what it has done. Before
        you look from elsewhere, or ask anything but `send` of the batch, `settle`.

        Without moves it hands over the same arrays every time, so that a CUDA graph can hold it: ask for
        the arrays you want and send once, then capture. Moves that are not on the GPU yet have to be
        waited for.
        """
        turn = self._fresh()
        row = self.moves_in if moves is None else self._check_row(moves, is_in_order=True)
        if self._sent is None:
            self._sent = self.zeros((self.size, len(SENT)))
        if not self._cuda:
            self._rules.send(self.states, turn, row, self._sent, encoded=self._is_encoded)
            return
        kind = stream, row.dtype, row.array.strides
        if kind not in self._launches:
            operation = "send_encoded" if self._is_encoded else "send"
            self._launches[kind] = self._cuda.prepared(operation, stream, self.states, turn, row, self._sent)
        self._launches[kind](row)

    def settle(self) -> None:
        """Waits until all that was sent is done. If any of these moves was not legal, `IllegalMove` says
        which was the first; their matches have waited, the others have moved on."""
        if self._cuda:
            self._cuda.cuda.synchronize()
        if self._sent is None:
            return
        sent = np.array(self._sent)
        self._write(self._sent, self.zeros(sent.shape))
        (wrong,) = np.nonzero(sent[:, REFUSED])
        if len(wrong):
            number = wrong[sent[wrong, FIRST].argmin()]
            raise IllegalMove(
                f"Of the moves in {sent[number, SENDS]:,} sends {sent[:, REFUSED].sum():,} were not legal, the first "
                f"of them move {sent[number, MOVE]} in match {number}, in send {sent[number, FIRST]:,}. Send what is "
                f"among `legal_moves`, or {NO_MOVE} to wait. These matches have waited, all others have moved on."
            )

    def random_moves(self) -> BatchArray:
        """A legal move of every actor, all equally likely: for tests and for measuring."""
        moves = self._cuda.empty((self.size,), np.int64) if self._cuda else np.empty(self.size, np.int64)
        self._rules.any_move(self.states, self._fresh(), self.made, moves)
        return moves

    # The same place again

    def snapshot(self) -> Snapshot:
        """Where all matches stand now, for `restore`."""
        return Snapshot(self._kind, self.states.copy(), self.seeds.copy(), self.made.copy())

    def restore(self, snapshot: Snapshot) -> None:
        """Puts all matches back where they were."""
        if snapshot.kind != self._kind or snapshot.states.shape != (self.size,):
            kinds = [
                f"{len(states):,} matches of {game} with {' and '.join(map(str, variants))}"
                for states, (game, variants) in ((snapshot.states, snapshot.kind), (self.states, self._kind))
            ]
            raise BadBatch(
                f"This snapshot is of {kinds[0]}; the batch has {kinds[1]}. Restore it in a batch like the one it was "
                "taken of."
            )
        for target, source in (
            (self.states, snapshot.states),
            (self.seeds, snapshot.seeds),
            (self.made, snapshot.made),
        ):
            self._write(target, source)
        self._is_stale = True

    def clone(self) -> Batch:
        """The same matches, apart from these."""
        twin: Batch = Batch.__new__(Batch)
        twin.__dict__.update(self.__dict__)
        twin.states, twin.seeds, twin.made, twin._refused = (
            array.copy() for array in (self.states, self.seeds, self.made, self._refused)
        )
        twin._begin()
        return twin

    def __deepcopy__(self, memo: object) -> Batch:
        return self.clone()

    def __getstate__(self) -> dict[str, Any]:
        if self._cuda:
            raise BadBatch(
                "A batch on a GPU cannot be pickled, as its matches are in the memory of the GPU. Make it in the "
                "process that needs it."
            )
        made_anew = ("_turn", "_is_stale", "_moves_in", "_sent", "_launches")
        return {name: value for name, value in self.__dict__.items() if name not in made_anew}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        self.__dict__.update(kept)
        self._begin()

    # All at once

    def actors(self) -> BatchArray:
        """The bit mask of actors of every match; 0 where it is over."""
        masks = self.zeros((self.size,))
        self._rules.actors(self.states, masks)
        return masks

    def legal(self, seats: BatchArray) -> tuple[BatchArray, BatchArray]:
        """The legal moves of one seat in each match: numbers in ascending order, padded with 0, and
        how many. The seat must be an actor."""
        moves = self.zeros((self.size, self.game.max_legal), np.int32)
        counts = self.zeros((self.size,))
        self._rules.legal(self.states, self._check_seats(seats), moves, counts)
        return moves, counts

    def play_random(self, limit: int = TO_THE_END) -> BatchArray:
        """Random moves in every match, to the end or at most `limit` more; how many each match has
        made so far."""
        self._rules.play_random(self.states, self.seeds, self.made, limit)
        self._is_stale = True
        return self.made

    def observe(self, seats: BatchArray) -> BatchArray:
        """The observation of one seat in each match."""
        rows = self.zeros((self.size, self.row_size), np.int8)
        self._rules.observe(self.states, self._check_seats(seats), rows, encoding=self.encoding)
        return rows

    def results(self) -> tuple[BatchArray, BatchArray]:
        """Points and places by match and seat, as if every match ended now; 0 where a match has no such
        seat."""
        points, places = self.zeros((self.size, self.seats)), self.zeros((self.size, self.seats))
        self._rules.scores(self.states, points, places)
        return points, places

    def faults(self) -> list[tuple[str, ...]]:
        """What is wrong with each match, in sentences; () where it is sound. In plain Python, so it takes
        its time."""
        return self.game.faults_in(np.asarray(self.states))

    def imagine(self, seats: BatchArray, seed: int) -> None:
        """Replaces every match by a world that fits all that the given seat of it knows."""
        seeds = np.arange(seed, seed + self.size, dtype=np.int64)
        self._rules.determinize(self.states, self._check_seats(seats), seeds)
        self._is_stale = True

    def play_endless(self, steps: int, *, observed: bool = False) -> int:
        """Random play in each place of the batch for so many steps, with a new deal soon after a
        match is over; for measuring. The moves made."""
        steps_made = np.full(self.size, steps, np.int64)
        self._rules.play_endless(self.states, self._setup, self.seeds.copy(), steps_made, observed=observed)
        self._is_stale = True
        return int(steps_made.sum())

    # Inside

    def _fresh(self) -> Turn:
        """How every match stands, made when it is first asked for and whenever something else than
        `step` has changed the matches."""
        if self._turn is None:
            size, seats = self.size, self.seats
            self._turn = Turn(
                setup=self._setup,
                wishes=self._place(
                    np.array([[self.turned, self.encoding != RAW, self.restart, self.factors != RAW]], np.int8)
                ),
                place_unit=self._place_unit,
                point_unit=self._point_unit,
                seeds=self.seeds,
                actor=self.zeros((size,), np.int32),
                ended=self.zeros((size,), np.bool_),
                rewards=self.zeros((size, seats), np.float32),
                moves=self.zeros((size, self.game.max_legal), np.int32),
                counts=self.zeros((size,), np.int32),
                observations=self.zeros((size, 0), np.int8),
                mask=self.zeros((size, 0), np.bool_),
                factors=self.zeros((size, 0), np.int8),
            )
        if self._is_stale:
            results: tuple[BatchArray, ...] = self._turn.ended, self._turn.rewards
            for result in results:  # no step has led here
                self._write(result, self.zeros(result.shape, result.dtype))
            self._rules.offer(self.states, self._turn, encoded=self._is_encoded)
            self._is_stale = False
        return self._turn

    @property
    def _is_encoded(self) -> bool:
        """Whether anything is wished for that takes longer to compile."""
        return self.turned or self.encoding != RAW or bool(self._turn and self._turn.factors.shape[1])

    def _keep(self, **arrays: BatchArray) -> None:
        """Keeps one more array up to date from now on."""
        self._turn = self._fresh()._replace(**arrays)
        self._launches.clear()
        self._rules.offer(self.states, self._turn, encoded=self._is_encoded)

    def _place(self, array: Array) -> BatchArray:
        """An array where the batch lives: what is used in every step must not travel in every
        step."""
        if not self._cuda:
            return array
        placed = self._cuda.to_device(array)
        self._cuda.cuda.synchronize()  # it has arrived, for whatever stream
        return placed

    def _by_match(self, rows: npt.ArrayLike) -> BatchArray:
        """What holds for each variant, by match: match i has variant i % len(variants)."""
        rows = np.asarray(rows)
        # by numbers: `numpy.resize` looks at every record by itself, six seconds for a million
        return self._place(rows[np.arange(self.size) % len(rows)])

    def _write(self, target: BatchArray, source: BatchArray) -> None:
        if self._cuda:
            target.fill(self._place(source) if isinstance(source, np.ndarray) else source)
            self._cuda.cuda.synchronize()
        else:
            target[:] = source

    def _check_states(self, states: BatchArray) -> BatchArray:
        if states.dtype != self.game.state or states.shape != (self.size,):
            raise BadBatch(
                f"The states must be an array of {self.size} records of GAME.state; these are {states.shape} of "
                f"{states.dtype}."
            )
        return states

    def _check_row(self, row: BatchArray, *, is_in_order: bool = False) -> BatchArray:
        """One whole number for each match, where the batch lives; arrays that are there already are
        not copied, and not waited for where the stream keeps the order."""
        if self._cuda and not isinstance(row, DeviceArray) and hasattr(row, "__cuda_array_interface__"):
            if not is_in_order:
                self._cuda.cuda.synchronize()  # whatever computes it has ended
            row = DeviceArray(self._cuda.cuda.as_cuda_array(row, sync=False))
        if not isinstance(row, DeviceArray):
            row = np.asarray(row)
            if not row.ndim:
                row = np.full(self.size, row)
        if row.shape != (self.size,) or row.dtype.kind not in "iu" or row.dtype == np.uint64:
            raise BadBatch(
                f"Each of {self.size:,} matches needs one whole number of at most 63 bits; this is {row.dtype} of "
                f"shape {row.shape}."
            )
        return row if isinstance(row, DeviceArray) else self._place(np.ascontiguousarray(row, np.int64))

    def _check_seats(self, seats: BatchArray) -> BatchArray:
        """A seat of each match."""
        row = self._check_row(seats)
        here, counts = np.asarray(row), np.asarray(self.seat_counts)
        wrong = (here < 0) | (here >= counts)
        if wrong.any():
            number = int(wrong.argmax())
            raise UnknownSeat(
                f"There is no seat {here[number]} in match {number}; its seats are 0 to {counts[number] - 1}."
            )
        return row

    def _refusal(self, turn: Turn, moves: Array) -> Exception:
        """What to say of the first match whose move is not legal."""
        listed, counts, actor = (np.asarray(array) for array in (turn.moves, turn.counts, turn.actor))
        legal = (listed == moves[:, None]) & (np.arange(listed.shape[1]) < counts[:, None])
        wrong = ~legal.any(1) & (moves != NO_MOVE)
        number = int(wrong.argmax())
        others = f" ({int(wrong.sum()) - 1:,} other matches have such a move, too)" if wrong.sum() > 1 else ""
        nothing = "No match has moved."
        if not counts[number]:
            return MatchOver(
                f"Match {number} is over{others}. Give the move {NO_MOVE} there to wait, or make the batch with "
                f"restart=True. {nothing}"
            )
        shown = ", ".join(map(str, listed[number, : min(counts[number], SHOWN_MOVES)].tolist()))
        more = f" and {counts[number] - SHOWN_MOVES} more" if counts[number] > SHOWN_MOVES else ""
        return IllegalMove(
            f"Move {moves[number]} is not legal for seat {actor[number]} in match {number}{others}. Legal there: "
            f"{shown}{more}. "
            f"Choose a legal one. {nothing}"
        )


def _variants(
    game: Game, seats: int | None, options: Options, variants: Sequence[Options] | None
) -> tuple[Options, ...]:
    """What each match can be like: seats and all options."""
    if variants is None:
        return (_variant(game, seats=seats, **options),)
    if seats is not None or options:
        raise BadBatch("A batch with `variants` takes seats and options from each of them. Write them there.")
    if isinstance(variants, str | Mapping) or not isinstance(variants, Sequence) or not variants:
        raise BadBatch(f"`variants` is a list such as [{{'seats': {game.seats[0]}}}], with one entry at least.")
    checked = []
    for number, variant in enumerate(variants):
        if not isinstance(variant, Mapping) or not all(isinstance(name, str) for name in variant):
            raise BadBatch(f"variants[{number}] is {variant!r}. Give a dict such as {{'seats': {game.seats[0]}}}.")
        try:
            checked.append(_variant(game, **variant))
        except SamovarError as error:
            raise type(error)(f"variants[{number}]: {error}") from error
    return tuple(checked)


def _variant(game: Game, seats: int | None = None, **options: Value) -> Options:
    seats = game.check_seats(game.seats[0] if seats is None else seats)
    return {"seats": seats, **game.check_options(seats, options)}


def _check_size(size: int) -> int:
    if isinstance(size, bool) or not isinstance(size, int) or size < 1:
        raise BadBatch(f"A batch has at least one match; {size!r} is no such number.")
    return size


def _aligned_zeros(shape: tuple[int, ...], dtype: npt.DTypeLike) -> Array:
    """As `numpy.zeros`, at an address from which JAX takes an array without a copy."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    room = np.zeros(size + ALIGNMENT, np.uint8)
    start = -room.ctypes.data % ALIGNMENT
    aligned: Array = room[start : start + size].view(dtype).reshape(shape)
    return aligned


def free_bytes() -> int:
    """How much memory can still be used; where the system does not say, no end of it."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        free = next(1024 * int(line.split()[1]) for line in lines if line.startswith("MemAvailable"))
        limit, used = (Path(f"/sys/fs/cgroup/memory.{name}") for name in ("max", "current"))
        if limit.exists() and (bound := limit.read_text().strip()).isdigit():
            free = min(free, int(bound) - int(used.read_text()))
    except (OSError, ValueError, StopIteration):
        return TO_THE_END
    return free
