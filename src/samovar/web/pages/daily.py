"""Today: the deal and the puzzle of the day of every game, how the visitor did, and how yesterday went."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import date, timedelta

from litestar import get, post
from litestar.params import FromPath
from litestar.response import Redirect, Response

from samovar.engine.contract import Game
from samovar.engine.words import counted
from samovar.errors import BadPuzzle
from samovar.teach.puzzles import Puzzle, puzzle_of_day
from samovar.web import problems
from samovar.web.game_list import all_games, game_named
from samovar.web.people.daily import (
    EMPTY,
    FILLED,
    Daily,
    DailyDeal,
    DailyStanding,
    calendar,
    days_in_row,
    has_deal,
    today,
)
from samovar.web.people.puzzle_book import PuzzleBook
from samovar.web.store.queries.puzzles import TriedPuzzle
from samovar.web.tables import series
from samovar.web.tables.phrases import USUAL_LEVEL, USUAL_NAME
from samovar.web.visit import AnyRequest, Visit

HOUR_MS = 3_600_000
TRIES = 2  # before the answer is shown

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class GameOfDay:
    """What a game has for one day, as far as the visitor has come."""

    game: Game
    deal: DailyDeal | None = None  # None: nothing in the game is dealt
    standing: DailyStanding | None = None
    puzzle: Puzzle | None = None
    tried: TriedPuzzle | None = None

    @property
    def puzzle_signs(self) -> str:
        """A square for every try, once there is none left; filled for the one that solved it."""
        if self.tried is None:
            return ""
        is_right = self.tried.is_solved and self.tried.wrong < TRIES
        return EMPTY * min(self.tried.wrong, TRIES) + FILLED * is_right if is_right or self.is_missed else ""

    @property
    def is_missed(self) -> bool:
        return self.tried is not None and self.tried.wrong >= TRIES

    @property
    def deal_signs(self) -> str:
        if self.deal is None or self.standing is None or not self.standing.has_finished:
            return ""
        return self.standing.signs(self.deal.parties)


@get("/today")
async def show_today(request: AnyRequest) -> Response[str]:
    visit, day = Visit(request), today()
    games = [one for game in all_games() if (one := await of_day(visit, game, day)).deal or one.puzzle]
    yesterday = [one for game in all_games() if (one := await deal_of(visit, game, day - timedelta(days=1))).deal]
    done = await Daily(visit.tables).done(visit.person, day)
    closes = next((one.deal.closes for one in games if one.deal), 0)
    return visit.page(
        "daily.html",
        now=games,
        before=[one for one in yesterday if one.standing and (one.standing.count or one.standing.table)],
        hours=max(1, round((closes - series.now()) / HOUR_MS)),
        level=USUAL_LEVEL,
        day=day,
        row=days_in_row(done, day),
        weeks=calendar(done, day),
        address=f"{visit.address}/today",
        counted=counted,
    )


@get("/daily")
async def show_daily(request: AnyRequest) -> Redirect:
    """Where the page was before."""
    return Visit(request).go("/today")


@post("/daily/{game_id:str}", status_code=200)
async def play(request: AnyRequest, game_id: FromPath[str]) -> Redirect:
    """To the visitor's table of today's deal; there is one, however often they come."""
    visit = Visit(request)
    game = game_named(game_id)
    if not has_deal(game):
        raise problems.NoDealOfDay(game=game.name)
    name = visit.name or visit.tell(USUAL_NAME)
    return visit.go(f"/table/{await Daily(visit.tables).play(game, visit.make_person(), name)}")


async def of_day(visit: Visit, game: Game, day: date) -> GameOfDay:
    """The deal and the puzzle."""
    with_deal = await deal_of(visit, game, day)
    try:
        puzzle = puzzle_of_day(game, day)
    except BadPuzzle as error:
        log.error("%s", error)
        puzzle = None
    book: PuzzleBook = visit.request.app.state.puzzle_book
    tried = (await book.tried(visit.person, game)).get(puzzle.id) if puzzle else None
    return GameOfDay(game, with_deal.deal, with_deal.standing, puzzle, tried)


async def deal_of(visit: Visit, game: Game, day: date) -> GameOfDay:
    if not has_deal(game):
        return GameOfDay(game)
    daily = Daily(visit.tables)
    deal = daily.deal(game, day)
    return GameOfDay(game, deal, await daily.standing(deal, visit.person))
