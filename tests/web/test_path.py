"""The path after a lesson: what its steps open, what counts as done, and the signs on one's own page."""

import re
from dataclasses import replace

import pytest

from samovar.engine.registry import find_game
from samovar.errors import BadPuzzle
from samovar.teach.puzzles import find_puzzle
from samovar.web.people import path
from samovar.web.people.path import Reached, advanced_rules, done_by, path_of
from samovar.web.tables.actions import Resigning
from support.lesson_ends import end_of
from support.outcome_games import GAME
from support.tables import ANNA, play_out, run, table_of, table_of_two, tables
from support.visitors import Visitor, running

GAMES = ("babuschka", "matryoshka", "memoarrrr", "varvitikud")
STEP = re.compile(r'<li class="(is-done)?"( aria-current="step")?>.*?</svg><span>([^<]+?) *<', re.DOTALL)
EASY, MEDIUM, PUZZLE, ADVANCED = range(4)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with running(tmp_path_factory.mktemp("site")) as client:
        yield client


@pytest.fixture
def anna(site):
    return Visitor(site)


def steps(page):
    """The signs of a page: the word of each, ticked or not, and `>` before the next one."""
    found = STEP.findall(page.html)
    return [f"{'✓ ' if done else '> ' if ahead else ''}{word}" for done, ahead, word in found]


def take_step(visitor, game, number):
    """Presses a step at the end of the lesson."""
    page = visitor.go(end_of(game))
    step = path_of(find_game(game), Reached(), "en")[number]
    if step.form is None:
        assert step.address in {link.get("href") for link in page.links}
        return visitor.go(step.address)
    form = next(form for form in page.forms if step.form.items() <= form["fields"].items())
    assert form["action"] == step.address
    answer = visitor.client.post(form["action"], data=form["fields"], follow_redirects=True)
    return visitor.go(str(answer.url))


def table_at(site, visitor):
    return table_of(site, visitor.address.split("/")[-1])


def finish(site, visitor):
    play_out(site, visitor.address.split("/")[-1])


@pytest.mark.parametrize("game", GAMES)
def test_a_lesson_ends_with_the_path_of_its_game(anna, game):
    assert steps(anna.go(f"/learn/{game}")) == []
    shown = ["> Easy bots", "Medium bots", "Puzzle", "More rules"]
    assert steps(anna.go(end_of(game))) == (shown if advanced_rules(find_game(game)) else shown[:3])


def test_each_step_opens_what_it_says(site, anna):
    for number, level in ((EASY, "easy"), (MEDIUM, "medium")):
        take_step(anna, "memoarrrr", number)
        table = table_at(site, anna)
        assert [chair.level for chair in table.chairs] == ["", level]
        assert not table.options["expert"]
    take_step(anna, "memoarrrr", ADVANCED)
    table = table_at(site, anna)
    assert table.options["expert"]
    assert table.chairs[1].level == "medium", "as in the last match"
    take_step(anna, "memoarrrr", PUZZLE)
    assert anna.status == 200
    puzzle = find_puzzle(find_game("memoarrrr"), anna.address.split("/")[-1])
    assert (puzzle.level, puzzle.options) == ("easy", {})


def test_a_step_is_done_when_its_match_is_played_to_the_end(site, anna):
    take_step(anna, "memoarrrr", EASY)
    assert steps(anna.go(end_of("memoarrrr")))[0] == "> Easy bots", "it has only begun"
    take_step(anna, "memoarrrr", EASY)
    anna.send("/resign")
    assert steps(anna.go(end_of("memoarrrr")))[0] == "> Easy bots", "who gives up at once has not done it"
    take_step(anna, "memoarrrr", EASY)
    finish(site, anna)
    assert steps(anna.go(end_of("memoarrrr"))) == ["✓ Easy bots", "> Medium bots", "Puzzle", "More rules"]
    take_step(anna, "memoarrrr", ADVANCED)
    finish(site, anna)
    assert steps(anna.go(end_of("memoarrrr"))) == ["✓ Easy bots", "> Medium bots", "Puzzle", "✓ More rules"]
    assert steps(anna.go(end_of("varvitikud"))) == ["> Easy bots", "Medium bots", "Puzzle"], "each game has its own"
    assert steps(Visitor(site).go(end_of("memoarrrr")))[0] == "> Easy bots", "and so has everybody"


def test_who_has_played_better_bots_need_not_go_back_and_a_puzzle_counts_when_it_is_solved(site, anna):
    anna.go("/")
    anna.send("/play/varvitikud", level="hard")
    finish(site, anna)
    take_step(anna, "varvitikud", PUZZLE)
    puzzle = find_puzzle(find_game("varvitikud"), anna.address.split("/")[-1])
    match = puzzle.match(plain=True)
    worst = max(puzzle.losses, key=puzzle.losses.get)
    for move, sign in ((worst, "> Puzzle"), (puzzle.best, "✓ Puzzle")):
        anna.go(f"/puzzles/varvitikud/{puzzle.id}")
        anna.send(f"/{puzzle.id}", move=match.move_text(match.actors[0], move))
        for address in ("/me", end_of("varvitikud")):
            assert steps(anna.go(address)) == ["✓ Easy bots", "✓ Medium bots", sign]


def test_ones_own_page_has_the_signs_of_every_game_that_was_begun(site, anna):
    page = anna.go("/me")
    assert steps(page) == []
    assert "Begin with a lesson" in page.words
    for game in ("memoarrrr", "babuschka"):
        take_step(anna, game, EASY)
        finish(site, anna)
    page = anna.go("/me")
    begun = ["✓ Easy bots", "> Medium bots", "Puzzle"]
    assert steps(page) == [*begun, *begun, "More rules"] or steps(page) == [*begun, "More rules", *begun]
    assert "Begin with a lesson" not in page.words
    assert "Easy bots ✓(done)" in page.words, "it is said in words"
    assert "More rules: Expert game: the animals have abilities" in page.words


def test_those_on_one_device_have_begun_and_nobody_gets_what_another_did(site, anna):
    anna.go("/new/babuschka?seats=2")
    anna.send("/new/babuschka", **{"name": "Anna", "chair-1": "here", "chair-1-name": "Mia"})
    finish(site, anna)
    assert steps(anna.go("/me")) == ["> Easy bots", "Medium bots", "Puzzle"]


def test_a_game_for_one_and_a_game_without_puzzles_leave_steps_out():
    alone = replace(GAME, seats=(1,))
    assert path_of(alone, Reached(), "en") == [("alone", False, f"/play/{GAME.id}", {}, "")]
    assert path_of(alone, Reached(finished={GAME.id: -1}), "en")[0].is_done
    assert [step.form["seats"] for step in path_of(GAME, Reached(), "en")] == ["2", "2"], "a bot needs a chair"


def test_puzzles_that_cannot_be_read_are_left_out(monkeypatch, caplog):
    def broken(game):
        raise BadPuzzle("line 7")

    monkeypatch.setattr(path, "easiest", broken)
    assert [step.sign for step in path_of(find_game("babuschka"), Reached(), "en")] == ["easy", "medium"]
    assert "line 7" in caplog.text


def test_an_option_that_there_is_not_is_refused(anna):
    anna.go("/")
    anna.send("/play/memoarrrr", expert="perhaps")
    assert anna.status == 422


def test_both_databases_say_what_is_done(database_url):
    async def play():
        async with tables(database_url) as here:
            table_id = await table_of_two(here, "memoarrrr", expert=True)
            await Resigning().do(here, table_id, ANNA)
            return [await done_by(here.store, person) for person in ("anna", "boris", "chloe", None)]

    begun = frozenset(["memoarrrr"])
    gave_up, won = Reached(begun), Reached(begun, {"memoarrrr": -1}, advanced=begun)
    assert run(play()) == [gave_up, won, Reached(), Reached()]
