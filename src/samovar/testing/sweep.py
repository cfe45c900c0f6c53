"""Secrets, looked for in thousands of positions: what a seat receives must be the same in every world that it imagines.

`worlds.py` looks closely at a few moments; here compiled rules look at whole matches, so that a leak in one deal of
many, or late, or where nobody plays at random, is found as well. All that programs receive is compared byte for byte:
actors, legal moves, every part of the observation and its planes, moves told as parts, and points at the end. Of some
positions views and texts are, too.

Worlds are asked in the opposite order: a number that a rule leaves unwritten is what the position before has left
there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from samovar.engine.arrays import Array, Int8s, Int32s, Int64s, States
from samovar.engine.contract import Game, Options, Part
from samovar.engine.rule import is_plain
from samovar.engine.ways.backend import Backend, backend
from samovar.engine.ways.plain import plain_state
from samovar.engine.ways.stand_ins import NO_MOVE
from samovar.testing.endless import Endless, patience

POSITIONS = 10_000  # in all ways of playing together, at least
PLAIN_POSITIONS = 120
MATCHES = 240  # in each way of playing
MOST_MOVES = 600
CHUNK = 512  # positions that are looked at together
VIEW_EVERY = 16  # positions
SOUND_EVERY = 8  # positions, too: faults are plain Python
DRAW_AGAIN_EVERY = 8  # positions
GREEDY_MOVES = 12  # that are tried before one is chosen
SOME_MOVES = 4  # of a position that are turned, and told to people
SEED = 40_000
ANY_ORDER = 0x9E3779B1  # odd: multiplied by it, numbers come in an order that means nothing


# Ways of playing: those that lead to common positions, and those that lead elsewhere


@dataclass(frozen=True)
class Turns:
    """Who is to move in some matches, and how they may."""

    ready: Backend
    states: States
    seeds: Int64s
    movers: Int64s
    moves: Int32s  # a row each, filled up with NO_MOVE
    choose: np.random.Generator

    @property
    def counts(self) -> Int64s:
        counts: Int64s = (self.moves != NO_MOVE).sum(1)
        return counts


PlayingWay: TypeAlias = Callable[[Turns], Int64s]


def random_play(turns: Turns) -> Int64s:
    places = turns.choose.integers(turns.counts)
    return turns.moves[np.arange(len(places)), places].astype(np.int64)


def sensible_play(turns: Turns) -> Int64s:
    """As the game's own heuristics would play quickly."""
    moves = np.zeros(len(turns.movers), np.int64)
    turns.ready.rollout_move(turns.states, turns.movers, turns.choose.integers(2**40, size=len(moves)), moves)
    return moves


def greedy_play(turns: Turns) -> Int64s:
    """Whatever looks best right after it of some moves, or as good as anything: all hidden cards are known
    here."""
    some = some_of_each(turns)
    rows, places = np.nonzero(some != NO_MOVE)
    moves = some[rows, places].astype(np.int64)
    after, answers = turns.states[rows], np.zeros(len(rows), np.int64)
    turns.ready.step(after, turns.movers[rows], moves, answers)
    shares = np.zeros((len(rows), max(turns.ready.game.seats)), np.int64)
    turns.ready.evaluate(after, shares)
    worth = shares[np.arange(len(rows)), turns.movers[rows]] + turns.choose.random(len(rows))
    return moves[last_of_each(rows, worth)]


def stubborn_play(turns: Turns) -> Int64s:
    """Always the same move while it is legal, another one in every match."""
    order = (turns.moves.astype(np.int64) + 1) * (2 * turns.seeds[:, None] + 1) * ANY_ORDER % 2**31
    best = np.where(turns.moves == NO_MOVE, -1, order).argmax(1)
    moves: Int64s = turns.moves[np.arange(len(best)), best].astype(np.int64)
    return moves


def some_of_each(turns: Turns) -> Int32s:
    """So many legal moves that to look behind each takes no longer than all else."""
    if turns.moves.shape[1] <= GREEDY_MOVES:
        return turns.moves
    order = np.where(turns.moves == NO_MOVE, 1.0, turns.choose.random(turns.moves.shape)).argsort(1)
    return np.take_along_axis(turns.moves, order[:, :GREEDY_MOVES], 1)


WAYS: tuple[PlayingWay, ...] = (random_play, sensible_play, greedy_play, stubborn_play)


def last_of_each(rows: Int64s, worth: Array) -> Int64s:
    """For each row where it is worth most; rows are numbered from 0 and ascend."""
    order = np.lexsort((worth, rows))
    return order[np.searchsorted(rows[order], np.arange(rows[-1] + 1), side="right") - 1]


# Matches


@dataclass(frozen=True)
class SweptStep:
    """Matches that were going on after so many moves, those that are over among them for the last time."""

    numbers: Int64s
    states: States
    movers: Int64s
    moves: Int64s  # what was played then


@dataclass(frozen=True)
class SweptPosition:
    """Where a position comes from."""

    game: Game
    seed: int
    way: str
    history: list[tuple[int, int]]

    def tell(self, seat: int) -> str:
        return f"{self.game.name}, seat {seat} after {len(self.history)} moves of seed {self.seed} ({self.way})"

    def failure(self, seat: int, what: str) -> AssertionError:
        error = AssertionError(f"{self.tell(seat)}: {what}")
        error.add_note(f"The match of seed {self.seed}, by seat and move: {self.history}")
        return error


class Played:
    """Matches played in one way, with all their positions."""

    def __init__(self, game: Game, seats: int, options: Options, way: PlayingWay, matches: int, seed: int) -> None:
        self.game, self.way = game, way
        self.ready = backend(game)
        self.seeds = np.arange(seed, seed + matches, dtype=np.int64)
        self.steps: list[SweptStep] = []
        for step in self._play(game.setup(seats, game.check_options(seats, options)), seats):
            self.steps.append(step)  # one by one: where something is wrong, those before it are told
        self._edges = np.cumsum([0, *(len(step.numbers) for step in self.steps)])
        self.states = np.concatenate([step.states for step in self.steps])

    def _play(self, setup: States, seats: int) -> Iterator[SweptStep]:
        choose = np.random.default_rng(int(self.seeds[0]))
        states = np.zeros(len(self.seeds), self.game.state)
        self.ready.deal(states, setup, self.seeds)
        numbers = np.arange(len(states))
        for _ in range(MOST_MOVES):
            masks = actors_of(self.ready, states)
            movers = some_actor(masks, seats, choose)
            over = masks == 0
            moves = np.full(len(states), NO_MOVE, np.int64)
            legal = legal_moves(self.ready, states[~over], movers[~over])
            self._check_listed(legal, numbers[~over], movers[~over])
            turns = Turns(self.ready, states[~over], self.seeds[numbers[~over]], movers[~over], legal, choose)
            if len(legal):
                moves[~over] = self.way(turns)
            yield SweptStep(numbers, states.copy(), movers, moves)
            numbers, states, movers, moves = numbers[~over], states[~over], movers[~over], moves[~over]
            if not len(numbers):
                return
            answers = np.zeros(len(states), np.int64)
            self.ready.step(states, movers, moves, answers)
            if (answers < 0).any():
                row = int((answers < 0).argmax())
                seat, move = int(movers[row]), int(moves[row])
                raise self._after(int(numbers[row]), len(self.steps) - 1).failure(
                    seat, f"rollout_move gives move {move}, which is not legal"
                )

    def _check_listed(self, legal: Int32s, numbers: Int64s, movers: Int64s) -> None:
        """Who may act may do something, by numbers that the game has, in ascending order."""
        if not len(legal):
            return
        given = legal != NO_MOVE
        descends = (legal[:, 1:] <= legal[:, :-1]) & given[:, 1:]
        for wrong, what in (
            (~given[:, 0], "`actors` says it may act, and `legal` writes no move for it"),
            (((legal < 0) & given).any(1), "`legal` writes a move below 0"),
            (
                (legal >= self.game.moves).any(1),
                f"`legal` writes a move of {self.game.moves} or more, which is `moves`",
            ),
            (descends.any(1), "`legal` writes moves that do not ascend"),
        ):
            if wrong.any():
                row = int(wrong.argmax())
                raise self._after(int(numbers[row]), len(self.steps)).failure(
                    int(movers[row]), f"{what}: {shown(legal[row])}"
                )

    def spread(self, count: int) -> Int64s:
        """So many positions of all there are, any phase being as likely as it is long, and all ends."""
        ends = np.flatnonzero(np.concatenate([step.moves for step in self.steps]) == NO_MOVE)
        others = np.setdiff1d(np.arange(len(self.states)), ends)
        choose = np.random.default_rng(int(self.seeds[0]))
        some = choose.choice(others, size=min(count - len(ends), len(others)), replace=False)
        return np.union1d(some, ends)

    def moment(self, place: int) -> SweptPosition:
        """What has led to a position."""
        moves = int(np.searchsorted(self._edges, place, side="right")) - 1
        return self._after(int(self.steps[moves].numbers[place - self._edges[moves]]), moves)

    def _after(self, number: int, moves: int) -> SweptPosition:
        """One of the matches after so many moves."""
        history = []
        for step in self.steps[:moves]:
            row = int(np.flatnonzero(step.numbers == number)[0])
            history.append((int(step.movers[row]), int(step.moves[row])))
        return SweptPosition(self.game, int(self.seeds[number]), self.way.__name__.replace("_", " "), history)


def actors_of(ready: Backend, states: States) -> Int64s:
    masks = np.zeros(len(states), np.int64)
    ready.actors(states, masks)
    return masks


def some_actor(masks: Int64s, seats: int, choose: np.random.Generator) -> Int64s:
    """One of those who may act; 0 where nobody may."""
    may_act = (masks[:, None] >> np.arange(seats)) & 1
    movers: Int64s = (may_act * (1 + choose.random(may_act.shape))).argmax(1)
    return movers


def legal_moves(ready: Backend, states: States, movers: Int64s) -> Int32s:
    """A row each, filled up with NO_MOVE and as long as the longest."""
    moves, counts = np.zeros((len(states), ready.game.max_legal), np.int32), np.zeros(len(states), np.int64)
    ready.legal(states, movers, moves, counts)
    width = int(counts.max(initial=1))
    return np.where(np.arange(width) < counts[:, None], moves[:, :width], NO_MOVE).astype(np.int32)


# What a seat receives


def received(ready: Backend, states: States, seat: int, seats: int) -> Iterator[tuple[str, Array]]:
    """All that programs in a seat receive, by its name, a row for each state."""
    game = ready.game
    masks = actors_of(ready, states)
    yield "who may act", masks
    rows = np.zeros((len(states), game.observation_size), np.int8)
    ready.observe(states, seat, rows)
    yield from by_part("observation", game.observation, rows)
    if not game.encoding.has_unnamed:
        planes = np.zeros((len(states), game.encoding.size), np.int8)
        ready.encode(states, rows, planes)
        for named in game.encoding.planes:
            lit = planes[:, named.start : named.start + named.count * named.size]
            yield f"planes of {named.name!r}", lit
    acting = np.flatnonzero((masks >> seat) & 1)
    if len(acting):
        yield from received_to_act(ready, states[acting], seat, acting, len(states))
    over = masks == 0
    if over.any():
        points, places = np.zeros((2, len(states), seats), np.int64)
        ready.scores(states, points, places)
        yield "points at the end", np.where(over[:, None], points, 0)
        yield "places at the end", np.where(over[:, None], places, 0)


def received_to_act(ready: Backend, states: States, seat: int, rows: Int64s, size: int) -> Iterator[tuple[str, Array]]:
    """What is received by those who are to act, at their places among all."""
    game = ready.game
    moves = legal_moves(ready, states, np.full(len(states), seat))
    yield "legal moves", spread_out(moves, rows, size)
    if game.factors:
        told = np.zeros((len(states), moves.shape[1] * game.factor_encoding.raw_size), np.int8)
        ready.factors(states, seat, moves, told)
        for name, numbers in by_part("factor", game.factors, told.reshape(*moves.shape, -1)):
            yield name, spread_out(numbers, rows, size)
    if game.rotate_move:
        counts = (moves != NO_MOVE).sum(1)
        for some in range(SOME_MOVES):
            turned = moves[np.arange(len(moves)), (counts - 1) * some // max(SOME_MOVES - 1, 1)].astype(np.int64)
            ready.rotate_moves(states, seat, turned)
            yield "turned moves", spread_out(turned, rows, size)


def by_part(what: str, parts: Iterable[Part], rows: Int8s) -> Iterator[tuple[str, Array]]:
    start = 0
    for part in parts:
        yield f"{what} {part.name!r}", rows[..., start : start + part.size]
        start += part.size


def spread_out(numbers: Array, rows: Int64s, size: int) -> Array:
    spread = np.zeros((size, *numbers.shape[1:]), numbers.dtype)
    spread[rows] = numbers
    return spread


def differing(mine: Array, theirs: Array) -> int | None:
    """The first row that is not the same."""
    if mine.shape != theirs.shape:  # rows of legal moves, one of which is the longest
        width = min(mine.shape[1], theirs.shape[1])
        longer = mine if mine.shape[1] > theirs.shape[1] else theirs
        return int(np.argmax((longer[:, width:] != NO_MOVE).reshape(len(longer), -1).any(1)))
    unlike = (mine != theirs).reshape(len(mine), -1).any(1)
    return int(unlike.argmax()) if unlike.any() else None


# The check


def check_sweep(game: Game, seats: int, options: Options, positions: int | None = None, seed: int = SEED) -> int:
    """Whole matches in all ways of playing, all seats. Says how many positions were compared."""
    wanted = positions or (PLAIN_POSITIONS if is_plain() else POSITIONS)
    matches = max(1, min(MATCHES, wanted // len(WAYS) // 6))
    compared = 0
    with patience(game):
        for number, way in enumerate(WAYS):
            played = Played(game, seats, options, way, matches, seed + number * MATCHES)
            places = played.spread(wanted // len(WAYS))
            for low in range(0, len(places), CHUNK):
                for seat in range(seats):
                    check_seat(played, places[low : low + CHUNK], seat, seats)
            compared += len(places)
    return compared


def check_seat(played: Played, places: Int64s, seat: int, seats: int) -> None:
    """One seat in many positions, and in a world that it imagines in each: more positions show more than worlds."""
    ready, truths = played.ready, played.states[places]
    worlds = truths.copy()
    imagine(played, places, worlds, seat, places)
    some = slice(seat % SOUND_EVERY, None, SOUND_EVERY)
    check_sound(played, places[some], worlds[some], seat)
    answers = (received(ready, states, seat, seats) for states in (truths, worlds[::-1].copy()))
    for (what, mine), (_, reversed_theirs) in zip(*answers, strict=True):
        theirs = reversed_theirs[::-1]
        if (row := differing(mine, theirs)) is not None:
            raise played.moment(int(places[row])).failure(
                seat, f"{what}: {shown(mine[row])} in truth, {shown(theirs[row])} in a world that it imagines"
            )
    some = slice(seat % DRAW_AGAIN_EVERY, None, DRAW_AGAIN_EVERY)
    check_truth_is_not_asked(played, places[some], truths[some], worlds[some], seat)
    some = slice(seat, None, VIEW_EVERY * seats)
    check_told(played, places[some], truths[some], worlds[some], seat)


def imagine(played: Played, places: Int64s, states: States, seat: int, seeds: Int64s) -> None:
    try:
        played.ready.determinize(states, seat, seeds)
    except Endless as error:
        raise played.moment(int(places[error.row])).failure(seat, str(error)) from error


def check_sound(played: Played, places: Int64s, worlds: States, seat: int) -> None:
    for place, wrong in zip(places, played.game.faults_in(worlds), strict=True):
        if wrong:
            raise played.moment(int(place)).failure(seat, f"it imagines a broken world: {list(wrong)}")


def check_truth_is_not_asked(played: Played, places: Int64s, truths: States, worlds: States, seat: int) -> None:
    """The same draw from the truth and from a world that the seat cannot tell from it."""
    one, other = truths.copy(), worlds.copy()
    for states in (one, other):
        imagine(played, places, states, seat, places + 77)
    if (one != other).any():
        row = int((one != other).argmax())
        names = [name for name in one.dtype.names or () if not np.array_equal(one[name][row], other[name][row])]
        raise played.moment(int(places[row])).failure(
            seat, f"determinize depends on what the seat cannot know: {', '.join(names)}"
        )


def check_told(played: Played, places: Int64s, truths: States, worlds: States, seat: int) -> None:
    """What people are told, the seat and a spectator."""
    for row, place in enumerate(places.tolist()):
        for viewer in (seat, None):
            told = [told_to(played.game, states[row : row + 1], viewer) for states in (truths, worlds)]
            if told[0] != told[1]:
                who = "a spectator" if viewer is None else "it"
                raise played.moment(place).failure(seat, f"{who} is told {first_unlike(*told)}")


def told_to(game: Game, states: States, viewer: int | None) -> list[object]:
    """What people are told: the view, and the texts of moves."""
    state = plain_state(states)
    view = game.view(state, viewer)
    told: list[object] = [(name, getattr(view, name)) for name in getattr(view, "__dataclass_fields__", {})]
    if viewer is not None and (game.actors(state) >> viewer) & 1:
        moves = legal_moves(backend(game), states, np.array([viewer]))[0].tolist()
        told += [("moves", game.move_text(state, viewer, move)) for move in moves]
        for name, tell in (("tell_move", game.tell_move), ("reasons", game.reasons)):
            told += [(name, tell(state, viewer, move)) for move in moves[:SOME_MOVES]] if tell else []
    return told


def first_unlike(one: list[object], other: list[object]) -> str:
    unlike = [pair for pair in zip(one, other, strict=False) if pair[0] != pair[1]]
    return f"{unlike[0][0]!r} in one world and {unlike[0][1]!r} in another" if unlike else "more moves in one world"


def shown(numbers: Array) -> str:
    """A row of numbers, without what only fills it up."""
    flat = np.atleast_1d(numbers).reshape(-1).tolist()
    while len(flat) > 1 and flat[-1] == NO_MOVE:
        flat.pop()
    return f"{flat[:24]}{'...' if len(flat) > 24 else ''}"
