"""What a game tells networks besides its observation: kinds that hold, relations, moves as factors,
turned moves. Each check raises AssertionError and says what is wrong."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

import numpy as np

from samovar.engine.arrays import Int8s
from samovar.engine.batch import Batch
from samovar.engine.contract import Game, Options
from samovar.engine.kinds import Layout, Part, make_encode
from samovar.engine.match import Match
from samovar.engine.tokens import kind_of
from samovar.engine.ways.plain import plain

MATCHES = 60
LOOKS = 8  # at moments of a match whose moves are told as parts


def check_parts(game: Game) -> None:
    """Names are apart, and what lies in a shape fills it."""
    for parts in ((*game.observation, *game.relations), game.factors):
        names = [part.name for part in parts]
        assert len(set(names)) == len(names), f"two parts have the same name: {sorted(names)}"
        for part in parts:
            assert part.size > 0, f"{part.name!r} has no numbers"
            assert part.help, f"{part.name!r} does not say what it is"
            assert prod(part.shape or (part.size,)) == part.size, (
                f"{part.name!r} has {part.size} numbers, its shape {part.shape} holds {prod(part.shape)}"
            )


def check_numbers(game: Game, seats: int, options: Options, seed: int) -> None:
    """All numbers of all observations of random matches are of their kinds."""
    batch = Batch(game, MATCHES, seats, seed, threads=1, **options)
    while True:
        for seat in range(seats):
            rows = batch.observe(seat)
            _check_rows(game.observation, rows, f"seat {seat}")
            marks = {name: group.name for group in game.tokens.groups for name in group.marks}
            _check_names(game.observation, marks, rows, "observe", f"seat {seat}")
        if not batch.actors().any():
            return
        batch.play_random(1)


def _check_rows(parts: tuple[Part, ...], rows: Int8s, where: str) -> None:
    start = 0
    for part in parts:
        stretch = rows[:, start : start + part.size]
        start += part.size
        for number in (int(stretch.min()), int(stretch.max())):
            assert part.kind is None or part.kind.has(number), (
                f"{where}: {part.name!r} is {number}, and its kind is {part.kind.help}"
            )


def _check_names(parts: tuple[Part, ...], groups: Mapping[str, str], rows: Int8s, rule: str, where: str) -> None:
    """What names one of the things of a group names one that there is; a number below the first names none."""
    start = 0
    for part in parts:
        stretch = rows[:, start : start + part.size]
        start += part.size
        kind = kind_of(part)
        if part.name in groups and not kind.is_count:
            last = kind.first + kind.values - 1
            assert stretch.max() <= last, (
                f"{where}: {rule} writes {int(stretch.max())} into {part.name!r}, which names one of the things "
                f"{groups[part.name]!r}: they are numbered {kind.first} to {last}. Write {kind.first - 1} where it is "
                "none of them."
            )


def check_features(game: Game, seats: int, options: Options, seed: int) -> None:
    """At random moments of a match: relations, planes, factors and turned moves, as the plain rules
    write them."""
    match = Match(game, seats, seed, plain=True, **options)
    length = match.copy().play_random(seed)
    moments = set(np.random.default_rng(seed).choice(length, size=min(LOOKS, length), replace=False).tolist())
    while not match.over:
        if len(match.history) in moments:
            for seat in range(seats):
                _check_seen(match, seat)
            for seat in match.actors:
                _check_moves(match, seat)
        match.play_random(seed + len(match.history), limit=1)


def _check_seen(match: Match, seat: int) -> None:
    """Every relation is written, and nothing else; what the planes show can be read back."""
    game = match.game
    rows = np.full((2, game.longest_row), 99, np.int8)
    rows[1] = -99
    seen = match.observation(seat)
    size = game.observation_size
    for row in rows:
        row[:size] = seen
        if game.relate is not None:
            game.relate(plain(row), size)
        assert (row[:size] == seen).all(), "relate changes the observation"
    related = rows[:, size : game.encoding.raw_size]
    assert (related[0] == related[1]).all(), f"relate leaves entry {int(np.argmax(related[0] != related[1]))} unwritten"
    _check_rows(game.relations, related, f"seat {seat}")
    if not game.encoding.has_unnamed:
        _check_planes(game.encoding, rows[0], f"seat {seat}")


def _check_planes(layout: Layout, raw: Int8s, where: str) -> None:
    """Planes are zeros and ones, and a name or a short count can be read off them again."""
    shown = _planes_of(layout, raw)
    start = 0
    for part, planes in zip(layout.parts, layout.planes, strict=True):
        assert part.kind is not None
        lit = shown[planes.start : planes.start + planes.count * planes.size].reshape(planes.count, planes.size)
        numbers = raw[start : start + part.size].astype(int)
        start += part.size
        first, values = part.kind.first, part.kind.values
        if part.kind.is_count:
            read = lit.sum(0) + first
            wanted = numbers if planes.count == values - 1 else read
            assert (lit[:-1] >= lit[1:]).all(), f"{where}: the planes of {part.name!r} are not lit from below"
        else:
            read = np.where(lit.any(0), lit.argmax(0) + first, first - 1)
            wanted = np.where((first <= numbers) & (numbers < first + values), numbers, first - 1)
            assert (lit.sum(0) <= 1).all(), f"{where}: the planes of {part.name!r} show several names at once"
        assert (read == wanted).all(), f"{where}: {part.name!r} is {numbers}, its planes show {read}"


def _planes_of(layout: Layout, raw: Int8s) -> Int8s:
    rows = np.full((1, layout.size), 99, np.int8)
    make_encode(layout)(plain(raw), plain(rows), 0, 0)
    shown: Int8s = rows[0]
    assert ((shown == 0) | (shown == 1)).all(), "a plane has a number that is neither 0 nor 1"
    return shown


def _check_moves(match: Match, seat: int) -> None:
    """Moves can be told apart by their factors, and neither these nor turned numbers depend on what
    the seat cannot know."""
    game = match.game
    moves = match.legal(seat)
    world = match.imagine(seat, len(match.history))
    told = [_factors_of(match, seat, move) for move in moves]
    turned = [_turned(match, seat, move) for move in moves]
    assert [_factors_of(world, seat, move).tobytes() for move in moves] == [row.tobytes() for row in told], (
        f"the factors of seat {seat}'s moves depend on what it cannot know"
    )
    assert [_turned(world, seat, move) for move in moves] == turned, (
        f"the turned numbers of seat {seat}'s moves depend on what it cannot know"
    )
    assert len(set(turned)) == len(moves), "two legal moves have the same turned number"
    if game.factors:
        _check_rows(game.factors, np.array(told), f"a move of seat {seat}")
        _check_names(game.factors, game.tokens.points, np.array(told), "factor", f"a move of seat {seat}")
        _check_apart(match, seat, moves, told, "factors")
        if not game.factor_encoding.has_unnamed:
            planes = [_planes_of(game.factor_encoding, row) for row in told]
            _check_apart(match, seat, moves, planes, "planes of their factors")


def _check_apart(match: Match, seat: int, moves: list[int], rows: list[Int8s], what: str) -> None:
    by_row: dict[bytes, int] = {}
    for move, row in zip(moves, rows, strict=True):
        other = by_row.setdefault(row.tobytes(), move)
        assert other == move, (
            f"{match.move_text(seat, other)!r} and {match.move_text(seat, move)!r} have the same {what}"
        )


def _factors_of(match: Match, seat: int, move: int) -> Int8s:
    game = match.game
    rows = np.full((2, game.factor_encoding.raw_size), 99, np.int8)
    rows[1] = -99
    if game.factor is not None:
        before = match.state_bytes
        for row in rows:
            game.factor(match.state, seat, move, plain(row))
        assert match.state_bytes == before, "factor changes the state"
    unwritten = rows[0] != rows[1]
    assert not unwritten.any(), f"factor leaves entry {int(unwritten.argmax())} unwritten"
    told: Int8s = rows[0]
    return told


def _turned(match: Match, seat: int, move: int) -> int:
    game = match.game
    if game.rotate_move is None or game.rotate_back is None:
        return move
    turned = game.rotate_move(match.state, seat, move)
    assert 0 <= turned < game.moves, f"turned, move {move} is {turned}; the game has numbers below {game.moves}"
    back = game.rotate_back(match.state, seat, turned)
    assert back == move, f"move {move} is turned to {turned}, and turned back to {back}"
    return turned
