"""Two walks through the site: a puzzle answered badly and then well, and a day that is told to friends."""

from datetime import UTC, datetime

import pytest

from samovar.engine.registry import find_game
from samovar.teach.puzzles import puzzle_of_day
from support.browsers import barriers

pytestmark = pytest.mark.browser

NAME = "memoarrrr"


def puzzle_today():
    return puzzle_of_day(find_game(NAME), datetime.now(UTC).date())


def steps_of(puzzle, move):
    """What has to be clicked for a move."""
    match = puzzle.match(plain=True)
    seat = match.actors[0]
    return puzzle.game.face.steps(match.view(seat), match.move_text(seat, move))


def choose(guest, puzzle, move):
    steps = steps_of(puzzle, move)
    for number, step in enumerate(steps):
        place = guest.page.locator(f'.page-board .choice[data-name="{step}"]').first
        place.wait_for()
        guest.press(place)
        if number < len(steps) - 1:
            guest.page.locator(f'.page-board .picked[data-name="{step}"]').wait_for()


@pytest.mark.parametrize("manner", ["mouse", "phone", "keyboard", "scriptless"])
def test_a_puzzle_wrong_then_right(visit, manner):
    puzzle, guest = puzzle_today(), visit(manner)
    guest.go("/today")
    guest.press(guest.page.locator(f'a[href="/puzzles/{NAME}"]'))
    choose(guest, puzzle, max(puzzle.losses, key=puzzle.losses.__getitem__))
    guest.page.locator(".puzzle-again").wait_for()
    assert guest.page.locator(".page-board button.choice").count() > 1, "the board is kept"
    assert guest.page.locator(".page-board .hint-mark").count() == 0, "nothing is given away"
    if manner == "phone":
        assert barriers(guest.page) == []
    choose(guest, puzzle, puzzle.best)
    guest.page.locator(".puzzle-answer.is-solved").wait_for()
    assert guest.page.locator(".page-board .hint-mark").count() == len(steps_of(puzzle, puzzle.best))
    assert guest.page.locator(".puzzle-reason").inner_text().strip()
    assert guest.page.locator(".page-board button.choice").count() == 0
    assert guest.runs_over() <= 0
    if manner == "phone":
        assert barriers(guest.page) == []
    guest.go("/today")
    assert "□■" in guest.page.locator(".today-signs").inner_text()


SHARED = (
    "navigator.share = (told) => { document.body.dataset.shared = JSON.stringify(told); return Promise.resolve(); }"
)


@pytest.mark.parametrize("manner", ["mouse", "phone"])
def test_a_day_is_shared_and_spoils_nothing(visit, manner):
    puzzle, guest = puzzle_today(), visit(manner)
    guest.page.add_init_script(SHARED)
    guest.go("/today")
    assert guest.page.locator(".today-share").count() == 0, "there is nothing to tell yet"
    guest.go(f"/puzzles/{NAME}")
    choose(guest, puzzle, puzzle.best)
    guest.page.locator(".puzzle-answer.is-solved").wait_for()
    guest.go("/today")
    assert guest.runs_over() <= 0
    assert barriers(guest.page) == []
    assert "first try" in guest.page.locator(".today-signs").get_attribute("aria-label")
    guest.press(guest.page.locator("[data-share]"))
    guest.page.wait_for_selector("body[data-shared]")
    shared = guest.page.evaluate("JSON.parse(document.body.dataset.shared)")
    assert shared["url"].endswith("/today")
    title, *lines = shared["text"].splitlines()
    assert title == f"Samovar {datetime.now(UTC).date().isoformat()}"
    assert lines == [f"■ Puzzle {puzzle.game.name}"]
    assert guest.page.locator(".today-calendar .is-today .signs").inner_text() == "◧"


def test_without_scripts_the_signs_are_there_to_be_copied(visit):
    puzzle, guest = puzzle_today(), visit("scriptless")
    guest.go(f"/puzzles/{NAME}")
    choose(guest, puzzle, puzzle.best)
    guest.go("/today")
    assert f"■ Puzzle {puzzle.game.name}" in guest.page.locator(".today-signs").inner_text()
    assert not guest.page.locator("[data-share]").is_visible()
