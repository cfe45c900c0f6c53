"""Connect Four, the game from another package: its rules, the published counts, OpenSpiel move for
move, and the tutorial that is made of it.

That it works everywhere at once is shown by tests over all games and by tests that use it: the
conformance kit (bots, secrets, pages of the site, four ways of running),
tests/web/test_site_pages.py (a whole match by the forms of the site), tests/cli/test_cli.py (`samovar
play`), tests/arena and tests/envs.
"""

import contextlib
import io
import itertools
import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import samovar
from samovar.engine.registry import GROUP, found_in
from samovar.engine.ways.backend import backend
from samovar.engine.ways.plain import plain_state
from support.documents import ROOT, blocks

FOLDER = ROOT / "examples" / "connect_four"
PAGE = (ROOT / "docs" / "add-a-game.md").read_text(encoding="utf-8")
GAME = samovar.find_game("connect_four")
PUBLISHED = [7, 49, 343, 2401, 16807, 117649, 823536, 5673234]
MATCHES = 10_000
Cell = tuple[int, int]  # column, row
BOARD: list[Cell] = list(itertools.product(range(7), range(6)))
STEPS = ((0, 1), (1, 0), (1, 1), (1, -1))
LINES = {
    length: [
        {(c + k * right, r + k * up) for k in range(length)}
        for c, r in BOARD
        for right, up in STEPS
        if (c + (length - 1) * right, r + (length - 1) * up) in BOARD
    ]
    for length in (3, 4, 5)
}


def played(moves: str, first: int = 0) -> samovar.Match:
    return samovar.Match.arranged(GAME, first=first, moves=moves)


# The rules, by their numbers in RULES.md


def test_1_1_the_starting_seat_is_drawn_or_named() -> None:
    assert {samovar.Match(GAME, seed=seed).actors for seed in range(20)} == {(0,), (1,)}
    assert played("", first=1).actors == (1,)
    assert played("a", first=1).actors == (0,)


def test_1_2_men_fall_onto_each_other_and_a_full_column_takes_none() -> None:
    match = played("aaaaaab")
    assert match.view(None).columns == ("xoxoxo", "x", "", "", "", "", "")
    assert match.moves(1) == list("bcdefg")
    with pytest.raises(samovar.IllegalMove, match=r"'a' is not a move of Connect Four: .*Legal now: b, c"):
        match.play(1, "a")


def bits(cells: set[Cell]) -> int:
    return sum(1 << (7 * column + row) for column, row in cells)


def wins(men: set[Cell], last: Cell, connect: int = 4) -> bool:
    """Whether the last of these men wins when it is dropped. The other's men carry it, and only it:
    the rest is left to the imagination."""
    states = np.zeros(1, GAME.state)
    state = plain_state(states)
    state.longer = connect - 4
    state.men[0] = bits(men - {last})
    state.men[1] = bits({(last[0], row) for row in range(last[1])} - men)
    GAME.apply(state, 0, last[0])
    return bool(state.won)


@pytest.mark.parametrize(("length", "count"), [(4, 69), (3, 98), (5, 44)])
def test_1_3_each_line_wins_with_its_last_man_and_not_before(length: int, count: int) -> None:
    """1.5: also where lines are shorter or longer."""
    assert len(LINES[length]) == count
    for line in LINES[length]:
        for last in line:
            if (last[0], last[1] + 1) not in line:  # nothing lies upon it
                assert wins(line, last, length)
            assert not wins(line - {last}, max(line - {last}), length)


@pytest.mark.parametrize("length", LINES)
def test_1_3_nothing_but_these_lines_wins(length: int) -> None:
    """Random boards, many of them without a line: a line must not run on in the next column."""
    chance = random.Random(1)
    without = 0
    for _ in range(2000):
        men = set(chance.sample(BOARD, chance.randrange(4, 20)))
        without += not any(line <= men for line in LINES[length])
        assert wins(men, max(men), length) == any(line <= men for line in LINES[length])
    assert 500 < without < 1950


def test_1_3_the_winner_is_told_and_placed() -> None:
    match = played("abababa", first=1)
    assert (match.over, match.scores, match.places) == (True, (0, 1), (2, 1))
    assert [event.kind for event in match.news(None)] == ["drops", "wins"]
    assert dict(match.news(None)[1].facts) == {"seat": 1, "line": 4}


def test_1_4_a_full_board_without_a_line_is_shared() -> None:
    match = played("dfaedgaadeagedaceefffagbdebbdbgcfbbgcgccfc")
    assert (match.over, match.scores, match.places) == (True, (0, 0), (1, 1))


def cells_filled(match: samovar.Match) -> int:
    return sum(map(len, match.view(None).columns))


@pytest.mark.parametrize(("columns", "rows"), list(itertools.product(range(4, 8), range(4, 7))))
def test_1_5_a_smaller_board_has_no_other_cells(columns: int, rows: int) -> None:
    """No line of five fits into four by four, and hardly one comes about on the others."""
    full = 0
    for seed in range(20):
        match = samovar.Match(GAME, seed=seed, columns=columns, rows=rows, connect=5, plain=True)
        assert match.moves(match.actors[0]) == list("abcdefg"[:columns])
        match.play_random(seed)
        assert not match.faults
        assert max(map(len, match.view(None).columns)) <= rows
        full += cells_filled(match) == columns * rows
        drawn = GAME.draw(match.view(None), {}).splitlines()
        assert [len(line.split()) for line in drawn] == [columns] * (rows + 1)
        seen = np.array(match.observation(0)).reshape(7, 6)
        assert (seen[:columns, :rows] != 2).all()
        assert (seen == 2).sum() == 42 - columns * rows
    assert full


def test_1_5_the_line_that_wins_is_told() -> None:
    match = samovar.Match.arranged(GAME, first=0, connect=3, columns=4, moves="ababa")
    assert (match.over, match.places) == (True, (1, 2))
    assert dict(match.news(None)[1].facts) == {"seat": 0, "line": 3}


def test_records_from_before_there_were_options_still_replay() -> None:
    """The usual game has the bytes that it always had."""
    match = samovar.Match(GAME, seed=7, first=0)
    for seat, move in enumerate("dcddcbbbaaea"):
        match.play(seat % 2, move)
    record = match.record()
    assert record["state"] == "192f69fed14d194640dd35bbc199ce98"  # written before
    assert record["rules"] == 1


# The yardstick: counted and compared. Whole arrays of states go through the compiled operations at
# once.


def dealt(size: int, **options: int) -> np.ndarray:
    states = np.zeros(size, GAME.state)
    backend(GAME).deal(states, GAME.setup(2, GAME.check_options(2, options)), np.arange(size, dtype=np.int64))
    return states


def actors(states: np.ndarray) -> np.ndarray:
    """The masks: 1 where seat 0 is to move, 2 where seat 1 is, 0 where the match is over."""
    masks = np.zeros(len(states), np.int64)
    backend(GAME).actors(states, masks)
    return masks


def legal(states: np.ndarray, seats: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    moves, counts = np.zeros((len(states), GAME.max_legal), np.int32), np.zeros(len(states), np.int64)
    backend(GAME).legal(states, seats, moves, counts)
    return moves.astype(np.int64), counts


def step(states: np.ndarray, seats: np.ndarray, moves: np.ndarray) -> None:
    answers = np.zeros(len(states), np.int64)
    backend(GAME).step(states, seats, moves, answers)
    assert (answers >= 0).all()


def count_sequences(depth: int) -> Iterator[int]:
    """How many sequences of 1, 2 ... `depth` moves there are; the last ones are counted without
    being played."""
    states = dealt(1, first=0)
    for played in range(1, depth + 1):
        states = states[actors(states) != 0]
        seats = actors(states) >> 1
        moves, counts = legal(states, seats)
        yield int(counts.sum())
        if played < depth:
            states = states.repeat(counts)
            step(states, seats.repeat(counts), moves[np.arange(GAME.max_legal) < counts[:, None]])


def test_sequences_are_as_many_as_published() -> None:
    assert list(count_sequences(len(PUBLISHED))) == PUBLISHED


@pytest.mark.research
def test_every_match_goes_as_in_openspiel() -> None:
    """Ten thousand random matches: at every position the same seat to move, the same legal moves,
    the same end; then the same board and winner."""
    pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: pip install 'samovar-games[research]'")
    game = pyspiel.load_game("connect_four")
    states, theirs = dealt(MATCHES), np.array([game.new_initial_state() for _ in range(MATCHES)])
    first = actors(states) >> 1  # theirs always begins with player 0
    choose = np.random.default_rng(1)
    running = np.arange(MATCHES)
    while len(running):
        now = states[running]
        seats = actors(now) >> 1
        moves, counts = legal(now, seats)
        chosen = moves[np.arange(len(now)), choose.integers(counts)]
        listed = zip(
            theirs[running],
            (seats ^ first[running]).tolist(),
            moves.tolist(),
            counts.tolist(),
            chosen.tolist(),
            strict=True,
        )
        for state, player, numbers, count, move in listed:
            assert state.current_player() == player
            assert state.legal_actions() == numbers[:count]
            state.apply_action(move)
        step(now, seats, chosen)
        states[running] = now
        is_over = actors(now) == 0
        assert [state.is_terminal() for state in theirs[running]] == is_over.tolist()
        running = running[~is_over]
    points, places = np.zeros((2, MATCHES, 2), np.int64)
    backend(GAME).scores(states, points, places)
    boards = np.zeros((MATCHES, GAME.observation_size), np.int8)
    backend(GAME).observe(states, first, boards)
    results = []
    for state, board, by_seat, starter in zip(
        theirs, boards.reshape(-1, 7, 6), places.tolist(), first.tolist(), strict=True
    ):
        assert str(state).split() == ["".join(".xo"[cell] for cell in row) for row in board.T[::-1]]
        results.append((by_seat[starter], by_seat[1 - starter]))
        assert tuple(state.returns()) == {(1, 2): (1, -1), (2, 1): (-1, 1), (1, 1): (0, 0)}[results[-1]]
    assert set(results) == {(1, 2), (2, 1), (1, 1)}, "wins of both and a draw must be among them"


# The tutorial


def page_file(title: str) -> str:
    """A file as the page has it: its blocks put together."""
    return "".join(block.text for block in blocks(PAGE) if block.title == title)


def lines(text: str) -> list[str]:
    """What counts: blank lines between blocks are left to the page."""
    return [line for line in text.splitlines() if line]


@pytest.mark.parametrize("name", ["connect_four.py", "pyproject.toml", "RULES.md"])
def test_the_tutorial_has_the_very_files_of_the_example(name: str) -> None:
    assert lines(page_file(name)) == lines((FOLDER / name).read_text(encoding="utf-8"))


@pytest.mark.research
def test_python_of_the_tutorial_runs_and_prints_what_it_says() -> None:
    """docs/add-a-game.md: what is not a part of the file, all of it in one go."""
    names: dict[str, object] = {}
    shown = [block for block in blocks(PAGE) if block.language == "python" and not block.title]
    assert len(shown) == 4
    for block in shown:
        with contextlib.redirect_stdout(io.StringIO()) as out:
            exec(compile("\n" * block.line + block.text, "add-a-game.md", "exec"), names)
        assert out.getvalue() == (block.prints or "")


def test_the_game_is_one_short_file_of_another_package() -> None:
    point = found_in(GROUP)["connect_four"]
    assert point.dist is not None
    assert point.dist.name == "samovar-connect-four"
    assert Path(GAME.folder) == FOLDER
    assert len((FOLDER / "connect_four.py").read_text(encoding="utf-8").splitlines()) <= 160
