"""Puzzles: what is found is clearly best, what is kept can be read again, and what is damaged is refused."""

import json
from dataclasses import replace
from datetime import date, timedelta
from itertools import islice
from pathlib import Path

import pytest

from samovar.engine.contract import Game
from samovar.engine.registry import find_game
from samovar.errors import BadPuzzle, SamovarError
from samovar.insight.estimate import Comparison, Loss
from samovar.teach import puzzle_maker, puzzles
from samovar.teach.puzzle_maker import making, seats_of, write_puzzles
from samovar.teach.puzzles import (
    Puzzle,
    graded,
    has_puzzles,
    head_line,
    puzzle_after,
    puzzle_line,
    puzzle_of_day,
    puzzles_of,
    read_puzzles,
)
from samovar.testing.teach import check_puzzles
from support import tiny_game

GAMES = ("babuschka", "matryoshka", "memoarrrr", "varvitikud")
FOUR = find_game("connect_four")


HASTY = {
    "FIND": 30,
    "SIMULATIONS": 12,
    "LOOKS": 4,
    "DEEP": "search:60",
    "TRIES": 2,
    "TOO_EASY": 3,  # nothing is
}


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looks at little, so that plain rules can do it."""
    for name, value in HASTY.items():
        monkeypatch.setattr(puzzle_maker, name, value)


@pytest.fixture(scope="module")
def two() -> list[Puzzle]:
    with pytest.MonkeyPatch.context() as patched:
        for name, value in HASTY.items():
            patched.setattr(puzzle_maker, name, value)
        return found(2)


def found(count: int, seed: int = 3) -> list[Puzzle]:
    return list(making(tiny_game.GAME, count=count, seed=seed, bots="search:20", plain=True))


def in_folder(folder: Path, lines: str) -> Game:
    """Connect Four with these puzzles."""
    (folder / "puzzles").mkdir(exist_ok=True)
    (folder / puzzles.FILE).write_text(lines, encoding="utf-8")
    return replace(FOUR, folder=str(folder))


def small(moves: tuple[int, ...] = (), losses: dict[int, int] | None = None) -> Puzzle:
    return Puzzle(FOUR, 2, 1, moves, 3, 70, losses or {3: 0, 0: 20}, "search:20")


def test_the_same_seed_finds_the_same_puzzles_in_the_same_order(hasty: None, two: list[Puzzle]) -> None:
    assert found(1) == two[:1]
    assert found(1, seed=4)[0].id not in {puzzle.id for puzzle in two}


def test_what_is_found_has_one_best_move_by_far_and_can_be_played(two: list[Puzzle]) -> None:
    assert len({puzzle.id for puzzle in two}) == 2
    for puzzle in two:
        match = puzzle.match(plain=True)
        assert len(match.legal(match.actors[0])) >= puzzle_maker.LEAST_MOVES
        assert puzzle.losses[puzzle.best] == 0
        assert min(loss for move, loss in puzzle.losses.items() if move != puzzle.best) >= 10
        assert 0 <= puzzle.share <= 100


@pytest.mark.parametrize(
    ("losses", "is_far"),
    [
        ({3: Loss(0, 0), 0: Loss(0.2, 0.01)}, True),
        ({3: Loss(0, 0), 0: Loss(0.2, 0.07)}, False),  # not by three standard errors
        ({3: Loss(0, 0), 0: Loss(0.05, 0.01)}, False),  # sure, but it does not matter
        ({3: Loss(0.01, 0), 0: Loss(0, 0)}, False),  # another one is the best
        ({3: Loss(0, 0)}, False),  # there is no other
    ],
)
def test_a_puzzle_needs_a_gap_that_is_sure_and_matters(losses: dict[int, Loss], is_far: bool) -> None:
    assert puzzle_maker.is_far_ahead(losses, 3, 0.1, sure=True) is is_far


def test_both_seeds_must_agree(hasty: None, two: list[Puzzle], monkeypatch: pytest.MonkeyPatch) -> None:
    puzzle = two[0]
    match = puzzle.match(plain=True)
    seat = match.seat(match.actors[0])
    assert puzzle_maker.losses_of(seat, puzzle.best, 0.1, True)
    seeds = []

    class Unsure(Comparison):
        def __init__(self, *asked: object, **facts: object) -> None:
            super().__init__(*asked, **facts)  # type: ignore[arg-type]
            seeds.append(facts["seed"])

        def losses(self) -> dict[int, Loss]:
            return super().losses() if seeds == [0] else {puzzle.best: Loss(0.1, 0.0), 9: Loss(0.0, 0.0)}

    monkeypatch.setattr(puzzle_maker, "Comparison", Unsure)
    assert puzzle_maker.losses_of(seat, puzzle.best, 0.1, True) is None
    assert seeds == [0, 1]


def test_what_everybody_finds_is_no_puzzle(hasty: None, two: list[Puzzle], monkeypatch: pytest.MonkeyPatch) -> None:
    puzzle = two[0]
    match = puzzle.match(plain=True)
    likely = [puzzle_maker.Candidate(len(puzzle.moves), match.seat(match.actors[0]), puzzle.best, 0.5)]
    assert puzzle_maker.best_of(match, likely, 0.1, True)
    monkeypatch.setattr(puzzle_maker, "ease_of", lambda *asked: puzzle_maker.TOO_EASY)
    assert puzzle_maker.best_of(match, likely, 0.1, True) is None


def test_the_move_of_most_points_is_found_by_a_child() -> None:
    """In Värvitikud points come at once."""
    match = next(puzzle for puzzle in puzzles_of(find_game("varvitikud"))).match(plain=True)
    seat = match.seat(match.actors[0])
    points = {move: puzzle_maker.points_after(match.copy(), seat.number, move) for move in seat.legal}
    best = [move for move in points if points[move] == max(points.values())]
    said = puzzle_maker.most_points(seat, [match.copy()])
    assert said == (best[0] if len(best) == 1 else None)


def test_larger_tables_have_their_turn() -> None:
    game = find_game("matryoshka")
    seats = [seats_of(game, number) for number in range(16)]
    assert seats.count(3) == 12
    assert {4, 5} <= {*seats}
    assert {seats_of(FOUR, number) for number in range(9)} == {2}


@pytest.mark.parametrize(
    "asked", [{"count": 0}, {"count": 1, "seats": 7}, {"count": 1, "seconds": 0}, {"count": 1, "least": 2.0}]
)
def test_what_cannot_be_looked_for_is_refused_before_anything_is_played(asked: dict[str, float]) -> None:
    with pytest.raises(SamovarError):
        next(making(FOUR, **asked))  # type: ignore[arg-type]


# The file


def test_a_file_grows_with_every_puzzle_and_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "some.jsonl"
    two = [small(), small((3, 3))]
    writing = write_puzzles(path, FOUR, two)
    assert next(writing) == 1
    assert read_puzzles(path, FOUR) == (two[0],), "what was found is kept, whatever comes then"
    assert list(writing) == [2]
    assert read_puzzles(path, FOUR) == tuple(two)
    with pytest.raises(BadPuzzle, match="--file"):
        list(write_puzzles(path, FOUR, two))
    assert read_puzzles(path, FOUR) == tuple(two), "a file that is there is left alone"


def broken(**facts: object) -> str:
    return json.dumps({**json.loads(puzzle_line(small())), **facts})


@pytest.mark.parametrize(
    "lines",
    [
        "",
        "nonsense",
        "[1]",
        '{"samovar_puzzles": 2, "game": "connect_four", "rules": 1}',
        '{"samovar_puzzles": 1, "game": "memoarrrr", "rules": 1}',
        '{"samovar_puzzles": 1, "game": "connect_four", "rules": 999}',
        *(
            head_line(FOUR) + line
            for line in (
                "{",
                "[" * 100_000,
                "7",
                "{}",
                broken(id="000000"),
                broken(moves=[3]),
                broken(moves="3"),
                broken(best=0),
                broken(best=6),
                broken(losses={"x": 0}),
                broken(losses={"3": 0, "0": 200}),
                broken(losses=[]),
                broken(seed=None),
                broken(options=[]),
                puzzle_line(small()) + puzzle_line(small()),
            )
        ),
    ],
)
def test_a_damaged_file_is_refused_with_what_to_do(tmp_path: Path, lines: str) -> None:
    with pytest.raises(BadPuzzle, match=r"Make|Use|Take"):
        puzzles_of(in_folder(tmp_path, lines))


@pytest.mark.parametrize(
    "puzzle",
    [
        small((99,)),  # no move at all
        small((3,) * 7),  # the column is full
        replace(small(), seats=5),
        replace(small(), seed=-1),
        replace(small(), options={"colour": 1}),
        small(losses={3: 0, 17: 5}),  # no move of this place
    ],
)
def test_the_kit_refuses_puzzles_that_cannot_be_played(tmp_path: Path, puzzle: Puzzle) -> None:
    game = in_folder(tmp_path, head_line(FOUR) + puzzle_line(puzzle))
    with pytest.raises(BadPuzzle, match="as samovar wrote it"):
        check_puzzles(game, plain=True)


@pytest.mark.parametrize("losses", [{3: 0}, {3: 0, 0: 1}])
def test_the_kit_wants_another_move_that_is_clearly_worse(tmp_path: Path, losses: dict[int, int]) -> None:
    game = in_folder(tmp_path, head_line(FOUR) + puzzle_line(small(losses=losses)))
    with pytest.raises(AssertionError, match="puzzle"):
        check_puzzles(game, plain=True)


def test_a_game_without_puzzles_has_none(tmp_path: Path) -> None:
    game = replace(FOUR, folder=str(tmp_path))
    assert not has_puzzles(game)
    assert puzzles_of(game) == ()
    assert puzzle_of_day(game, date(2026, 1, 1)) is None
    check_puzzles(game, plain=True)


@pytest.mark.parametrize("name", GAMES)
def test_shipped_puzzles_are_many_small_and_of_all_kinds(name: str) -> None:
    game = find_game(name)
    shipped = puzzles_of(game)
    assert (Path(game.folder) / puzzles.FILE).stat().st_size <= 60_000
    seats = [puzzle.seats for puzzle in shipped]
    assert seats.count(game.seats[0]) == max(map(seats.count, seats)), "most are for the fewest players"
    assert set(seats) > {game.seats[0]}, "and some for more"
    lengths = sorted(len(puzzle.moves) for puzzle in shipped)
    assert lengths[len(lengths) // 10] * 1.3 < lengths[-len(lengths) // 10], "from early and from late in a match"


# Answers and days


def test_an_answer_is_graded_by_what_it_loses() -> None:
    losses = {3: 0, 4: 1, 5: 12, 6: 30}
    assert graded(losses, 3, 3).is_best
    assert graded(losses, 3, 4).is_solved
    assert not graded(losses, 3, 4).is_best
    assert (graded(losses, 3, 5).loss, graded(losses, 3, 5).is_solved) == (12, False)
    other = graded({3: 0, 5: 12}, 3, 0)
    assert (other.loss, other.is_least, other.is_solved) == (12, True, False)
    assert not graded({3: 0, 5: 1}, 3, 0).is_solved, "what was not compared is not praised"


def test_the_day_has_easy_puzzles_by_the_usual_rules(tmp_path: Path) -> None:
    easy, hard = replace(small(), level="easy"), replace(small((3,)), level="hard")
    odd = replace(small((3, 3)), level="easy", options={"first": 0})
    for among, wanted in (((easy, hard, odd), {easy.id}), ((hard, odd), {hard.id}), ((odd,), {odd.id})):
        folder = tmp_path / str(len(among))
        folder.mkdir()
        game = in_folder(folder, head_line(FOUR) + "".join(map(puzzle_line, among)))
        days = [puzzle_of_day(game, date(2026, 11, 1) + timedelta(days=day)) for day in range(3)]
        assert {puzzle.id for puzzle in days if puzzle} == wanted


def test_a_puzzle_that_says_no_level_is_read_and_one_of_no_level_is_not(tmp_path: Path) -> None:
    line = puzzle_line(replace(small(), level="hard"))
    assert puzzles_of(in_folder(tmp_path, head_line(FOUR) + line))[0].level == "hard"
    before, wrong = (tmp_path / name for name in ("before", "wrong"))
    before.mkdir()
    wrong.mkdir()
    assert puzzles_of(in_folder(before, head_line(FOUR) + line.replace(',"level":"hard"', "")))[0].level == "medium"
    with pytest.raises(BadPuzzle):
        puzzles_of(in_folder(wrong, head_line(FOUR) + line.replace('"hard"', '"dire"')))


def test_a_level_is_that_of_the_weakest_bot_that_finds_the_move(monkeypatch: pytest.MonkeyPatch) -> None:
    match = small().match(plain=True)
    seat = match.seat(match.actors[0])
    for found, level in (({"easy": 3, "medium": 0}, "easy"), ({"easy": 2, "medium": 3}, "medium"), ({}, "hard")):
        monkeypatch.setattr(puzzle_maker, "times_found", lambda name, *_, found=found: found.get(name, 0))
        assert puzzle_maker.level_of(seat, 0) == level


@pytest.mark.parametrize("name", GAMES)
def test_shipped_puzzles_have_easy_ones_for_the_day(name: str) -> None:
    usual = [puzzle for puzzle in puzzles_of(find_game(name)) if not puzzle.options]
    assert sum(puzzle.level == "easy" for puzzle in usual) >= 10
    assert puzzle_of_day(find_game(name), date(2026, 11, 18)) in usual


def test_all_puzzles_come_once_before_one_comes_again(tmp_path: Path) -> None:
    three = [small(), small((3,)), small((3, 3))]
    game = in_folder(tmp_path, head_line(FOUR) + "".join(map(puzzle_line, three)))
    days = [puzzle_of_day(game, date(2026, 11, 1) + timedelta(days=day)) for day in range(6)]
    assert len({puzzle.id for puzzle in days[:3] if puzzle}) == 3
    assert days[:3] == days[3:]
    assert days[0] is not None
    round_trip = [days[0]]
    for _ in islice(range(3), 3):
        round_trip.append(puzzle_after(round_trip[-1]))
    assert round_trip[3] == days[0]
    assert len({puzzle.id for puzzle in round_trip}) == 3
    solved = {puzzle.id for puzzle in round_trip[:2]}
    assert puzzle_after(days[0], solved).id not in solved
