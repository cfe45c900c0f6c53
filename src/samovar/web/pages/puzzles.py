"""Puzzles: one of the day for each game, a way to go on, and any choice of a finished match to be made
again. What is shown is what the player saw; after the answer the chances are told, and never what was
hidden."""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass, replace
from typing import NamedTuple
from urllib.parse import urlencode

from litestar import get, post
from litestar.params import FromPath
from litestar.response import Response

from samovar.engine.contract import Game
from samovar.engine.match import Match
from samovar.engine.words import choice_text, option_text, words_at, words_in
from samovar.errors import BadPuzzle, BotFailed, IllegalMove
from samovar.teach.puzzles import LEVELS, Grade, Puzzle, graded, has_puzzles, puzzle_after, puzzle_of_day, puzzles_of
from samovar.web import problems
from samovar.web.drawing.hint_words import MOST_REASONS
from samovar.web.drawing.render import PageFacts, art
from samovar.web.drawing.scene import BEST, face_of, make_scene
from samovar.web.game_list import all_games, game_named
from samovar.web.names import Person
from samovar.web.pages.choosing import Chosen, board_alone, board_facts
from samovar.web.pages.home import UNNAMED, read_query
from samovar.web.pages.record import replay_of
from samovar.web.people.daily import today
from samovar.web.people.puzzle_book import Judgement, PuzzleBook, position_of, puzzle_named
from samovar.web.visit import Answer, AnyRequest, Visit

NUMBER = re.compile("[0-9]{1,6}")
TRIED = "tried"  # what the cookie calls it

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Task:
    """A position in which somebody is to move, and where its page is."""

    match: Match
    people: tuple[Person, ...]
    address: str
    title: str
    puzzle: Puzzle | None = None  # None: a position of a record
    review: str = ""  # where the review of that record shows it, if there can be one

    def variant(self, language: str) -> list[str]:
        """By which rules it is played, where they are not the usual ones, in words."""
        return variant_of(self.puzzle, language) if self.puzzle else []

    @property
    def play_on(self) -> str:
        """Where somebody goes on from this position."""
        record, _, moves = self.address.partition("/puzzle/")
        return f"{record}/on?at={moves}&eyes={self.seat}" if moves else f"{self.address}/on"

    @property
    def seat(self) -> int:
        return self.match.actors[0]

    @property
    def game(self) -> Game:
        return self.match.game

    def read_move(self, chosen: Chosen) -> int:
        """The number of a move that is possible here."""
        try:
            move = self.match.parse_move(self.seat, chosen.text)
        except IllegalMove as error:
            raise chosen.refused(self.match, self.seat) from error
        if move not in self.match.legal(self.seat):
            raise chosen.refused(self.match, self.seat)
        return move

    def say(self, move: int, language: str) -> str:
        """A move in words."""
        words = words_at(self.game, language, tuple(one.name for one in self.people))
        text = self.match.move_text(self.seat, move)
        return face_of(self.match, self.seat).say(self.match.view(self.seat), text, words)


def variant_of(puzzle: Puzzle, language: str) -> list[str]:
    """The options of a puzzle that are not the usual ones, in words."""
    words = words_in(puzzle.game, language)
    texts = []
    for option in puzzle.game.options:
        if (value := puzzle.options.get(option.name, option.default)) != option.default:
            is_switch = isinstance(option.default, bool)
            text = option_text(words, option)
            texts.append(text if is_switch else f"{text}: {choice_text(words, option, value)}")
    return texts


# Those that come with the games


class Shelf(NamedTuple):
    """The puzzles of a game of one level, by the same rules."""

    level: str
    solved: int
    total: int
    address: str  # of the first that is not solved


class GamePuzzles(NamedTuple):
    game: Game
    solved: int
    total: int
    variants: list[tuple[str, list[Shelf]]]  # by which rules, in words; those of the usual ones first


@get("/puzzles")
async def show_all(request: AnyRequest) -> Response[str]:
    """The puzzles of every game that has some, by level, and how many are solved."""
    visit = Visit(request)
    games = []
    for game in filter(has_puzzles, all_games()):
        tried = await book_of(request).tried(visit.person, game)
        try:
            games.append(shelves_of(game, {one.puzzle for one in tried.values() if one.is_solved}, visit.language))
        except BadPuzzle as error:
            log.error("%s", error)
    return visit.page("puzzles.html", games=games)


def shelves_of(game: Game, solved: set[str], language: str) -> GamePuzzles:
    """Rules that are not the usual ones are for those who ask for them."""
    puzzles = sorted(puzzles_of(game), key=lambda one: one.id)
    by_rules: dict[str, list[Puzzle]] = {"": []}
    for puzzle in puzzles:
        by_rules.setdefault(" · ".join(variant_of(puzzle, language)), []).append(puzzle)
    variants = [(rules, shelves(among, solved)) for rules, among in by_rules.items() if among]
    return GamePuzzles(game, len(solved & {one.id for one in puzzles}), len(puzzles), variants)


def shelves(puzzles: list[Puzzle], solved: set[str]) -> list[Shelf]:
    found = []
    for level in LEVELS:
        if among := [one for one in puzzles if one.level == level]:
            unsolved = [one for one in among if one.id not in solved]
            first = (unsolved or among)[0]
            found.append(Shelf(level, len(among) - len(unsolved), len(among), f"/puzzles/{first.game.id}/{first.id}"))
    return found


@get("/puzzles/{game_id:str}")
async def show_daily(request: AnyRequest, game_id: FromPath[str]) -> Answer:
    """The same for everybody on one day."""
    visit = Visit(request)
    puzzle = of_day(game_named(game_id))
    return await answer(visit, await task_of(visit, puzzle))


@get("/puzzles/{game_id:str}/{puzzle_id:str}")
async def show(request: AnyRequest, game_id: FromPath[str], puzzle_id: FromPath[str]) -> Answer:
    visit = Visit(request)
    return await answer(visit, await task_of(visit, named(game_id, puzzle_id)))


@post("/puzzles/{game_id:str}/{puzzle_id:str}", status_code=200)
async def solve(request: AnyRequest, game_id: FromPath[str], puzzle_id: FromPath[str]) -> Answer:
    visit = Visit(request)
    return await take_answer(visit, await task_of(visit, named(game_id, puzzle_id)))


def of_day(game: Game) -> Puzzle:
    try:
        puzzle = puzzle_of_day(game, today())
    except BadPuzzle as error:
        raise broken(game, error) from error
    if puzzle is None:
        raise problems.NoSuchPuzzle(game=game.name)
    return puzzle


def named(game_id: str, puzzle_id: str) -> Puzzle:
    game = game_named(game_id)
    of_day(game)  # says so, if they cannot be read or are none
    return puzzle_named(game, puzzle_id)


def broken(game: Game, error: BadPuzzle) -> problems.Problem:
    log.error("%s", error)
    return problems.BrokenPuzzles(game=game.name)


async def task_of(visit: Visit, puzzle: Puzzle) -> Task:
    try:
        match = await position_of(puzzle)
    except BadPuzzle as error:
        raise broken(puzzle.game, error) from error
    people = tuple(Person(visit.tell(UNNAMED) % {"number": seat + 1}) for seat in range(puzzle.seats))
    address = f"/puzzles/{puzzle.game.id}/{puzzle.id}"
    return Task(match, people, address, puzzle.game.name, puzzle)


# Those that somebody has played


@get("/record/{record_id:str}/puzzle/{moves:str}")
async def show_choice(request: AnyRequest, record_id: FromPath[str], moves: FromPath[str]) -> Answer:
    visit = Visit(request)
    return await answer(visit, await task_in(visit, record_id, moves))


@post("/record/{record_id:str}/puzzle/{moves:str}", status_code=200)
async def choose_again(request: AnyRequest, record_id: FromPath[str], moves: FromPath[str]) -> Answer:
    visit = Visit(request)
    return await take_answer(visit, await task_in(visit, record_id, moves))


async def task_in(visit: Visit, record_id: str, moves: str) -> Task:
    """A choice of a match that is over, for those who may see its record."""
    replay = await replay_of(visit, record_id)
    if replay.positions is None:
        raise problems.OldRules
    if not NUMBER.fullmatch(moves) or int(moves) >= replay.positions.last:
        raise problems.NoChoice
    match = replay.positions.at(int(moves))
    if not match.actors or len(match.legal(match.actors[0])) < 2:
        raise problems.NoChoice
    review = f"/record/{record_id}/review?choice={moves}" if replay.can_be_reviewed else ""
    address = f"/record/{record_id}/puzzle/{moves}"
    return Task(match, replay.summary.people, address, match.game.name, review=review)


# Both


async def take_answer(visit: Visit, task: Task) -> Answer:
    """An answer is kept. The first that is not good enough leads back to the board, all others to what
    they are worth, which has an address of its own."""
    sent, first = (await visit.form()).dict(), first_try(visit, task)
    chosen = Chosen(first) if first and "show" in sent else Chosen.read(sent)
    if chosen.is_counted:
        return visit.go(f"{task.address}?{chosen.boxes}")
    try:
        move = task.read_move(chosen)
    except problems.NotPossible as problem:
        return await answer(visit, task, chosen, problem)
    judged = await judgement_of(visit, task)
    is_right = graded(judged.losses, judged.best, move).is_solved
    if task.puzzle:
        await book_of(visit.request).note(visit.make_person(), task.puzzle, is_right)
    is_done = is_right or bool(first)
    text = task.match.move_text(task.seat, move)
    visit.remember(**{TRIED: "" if is_done else f"{task.address} {text}"})
    return visit.go(f"{task.address}?{urlencode({'answer': text})}" if is_done else task.address)


def first_try(visit: Visit, task: Task) -> str:
    """The move that was not good enough, if they may try once more; the cookie of the browser has it."""
    address, _, text = visit.recall(TRIED).partition(" ")
    return text if address == task.address else ""


async def answer(
    visit: Visit, task: Task, chosen: Chosen | None = None, problem: problems.Problem | None = None
) -> Answer:
    """The page of a task: what is asked, and if the address has an answer, what it is worth."""
    asked = read_query(visit.request)
    chosen = chosen or Chosen.read(asked)
    given = asked.get("answer", [""])[0]
    facts = await facts_of(visit, task, Chosen(given)) if given and not problem else question_of(visit, task)
    scene = make_scene(
        task.match,
        task.seat,
        visit.language,
        task.people,
        picked=chosen.picked,
        marked={str(facts["answer"]): BEST} if facts["answer"] else {},
        helps_memory=True,
    )
    facts |= board_facts(scene, replace(chosen, ticked=scene.ticked) if given else chosen, task.address)
    if visit.wants_parts:
        return board_alone(visit, facts, f"{task.title} · Samovar")
    return visit.page(
        "puzzle.html",
        problem.status if problem else 200,
        problem=visit.tell_problem(problem) if problem else "",
        game=task.game,
        variant=task.variant(visit.language),
        level=task.puzzle.level if task.puzzle else "",
        art=art(task.game),
        review=task.review,
        play_on=task.play_on,
        **facts,
        **await progress_of(visit, task),
    )


def question_of(visit: Visit, task: Task) -> PageFacts:
    """What is asked, and what was tried before."""
    text = first_try(visit, task)
    tried = task.say(task.read_move(Chosen(text)), visit.language) if text else ""
    return {"grade": None, "answer": "", "first": text, "tried": tried}


async def facts_of(visit: Visit, task: Task, given: Chosen) -> PageFacts:
    """What an answer is worth."""
    move = task.read_move(given)
    judged = await judgement_of(visit, task)
    grade: Grade = graded(judged.losses, judged.best, move)
    return {
        "grade": grade,
        "answer": task.match.move_text(task.seat, judged.best),
        "share": judged.share,
        "least": min((loss for other, loss in judged.losses.items() if other != judged.best), default=0),
        "chosen": task.say(move, visit.language),
        "best": task.say(judged.best, visit.language),
        "why": task.match.seat(task.seat).reasons(judged.best)[:MOST_REASONS],
    }


async def judgement_of(visit: Visit, task: Task) -> Judgement:
    if task.puzzle:
        return Judgement(task.puzzle.best, task.puzzle.share, task.puzzle.losses)
    *_, record_id, _, moves = task.address.split("/")
    try:
        return await book_of(visit.request).judge(record_id, int(moves), task.match, visit.client_address)
    except BotFailed as error:
        log.warning("an answer could not be judged: %s", error)
        raise problems.Broken from error


async def progress_of(visit: Visit, task: Task) -> PageFacts:
    if task.puzzle is None:
        return {"solved": 0, "at_once": 0, "count": 0, "is_solved": False, "next": ""}
    ids = {puzzle.id for puzzle in puzzles_of(task.game)}
    tried = await book_of(visit.request).tried(visit.person, task.game)
    solved = {one.puzzle: one.wrong for one in tried.values() if one.is_solved and one.puzzle in ids}
    following = puzzle_after(task.puzzle, solved)
    return {
        "solved": len(solved),
        "at_once": list(solved.values()).count(0),
        "count": len(ids),
        "is_solved": task.puzzle.id in solved,
        "next": f"/puzzles/{task.game.id}/{following.id}",
    }


def book_of(request: AnyRequest) -> PuzzleBook:
    book: PuzzleBook = request.app.state.puzzle_book
    return book
