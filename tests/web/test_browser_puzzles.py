"""Puzzles in a real browser: by keyboard, on a phone, and without scripts."""

import pytest

from samovar.engine.registry import find_game
from samovar.teach.puzzles import puzzles_of
from support.browsers import barriers

pytestmark = pytest.mark.browser


def best_steps(puzzle):
    """What has to be clicked for the best move."""
    match = puzzle.match(plain=True)
    seat = match.actors[0]
    return puzzle.game.face.steps(match.view(seat), match.move_text(seat, puzzle.best))


@pytest.mark.parametrize(
    ("manner", "name", "language"),
    [
        ("keyboard", "babuschka", "en-GB"),
        ("phone", "memoarrrr", "et-EE"),
        ("scriptless", "varvitikud", "de-DE"),
    ],
)
def test_a_puzzle_is_solved_on_its_board(visit, manner, name, language):
    puzzle = puzzles_of(find_game(name))[0]
    anna = visit(manner, language=language)
    anna.go("/puzzles")
    assert anna.runs_over() <= 0
    anna.go(f"/puzzles/{name}/{puzzle.id}")
    loads = anna.loads
    assert anna.runs_over() <= 0
    if manner == "phone":
        assert barriers(anna.page) == []
    steps = best_steps(puzzle)
    for number, step in enumerate(steps):
        place = anna.page.locator(f'.page-board .choice[data-name="{step}"]').first
        place.wait_for()
        if number == len(steps) - 1 and manner != "scriptless":
            assert anna.loads == loads, "to pick something loads no page"
        anna.press(place)
        if number < len(steps) - 1:
            anna.page.locator(f'.page-board .picked[data-name="{step}"]').wait_for()
    anna.page.locator(".puzzle-answer.is-solved").wait_for()
    assert "answer=" in anna.page.url
    assert anna.page.locator(".page-board button.choice").count() == 0
    assert anna.runs_over() <= 0
    if manner == "phone":
        assert barriers(anna.page) == []
    anna.press(anna.page.locator(".puzzle-answer a.primary"))
    anna.page.wait_for_url(lambda address: puzzle.id not in address)
    assert anna.page.locator(".puzzle-progress").inner_text().split("/")[0].count("1") >= 1


def test_boxes_are_counted_in_a_puzzle_as_at_a_table(visit):
    puzzle = puzzles_of(find_game("matryoshka"))[0]
    anna = visit()
    anna.go(f"/puzzles/matryoshka/{puzzle.id}")
    assert "13" in anna.page.locator(".several-count").inner_text()
    assert not anna.page.locator(".several-ask").is_visible()
    left = anna.page.locator(".several input:not(:checked)")  # what is ticked lies elsewhere
    while anna.page.locator(".several input:checked").count() < 13:
        left.first.set_checked(True, force=True)
    left.first.click(force=True)
    assert "more than 13" in anna.page.locator(".several-note").inner_text()
