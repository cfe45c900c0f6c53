"""The table of the site's players, a game's, and one player's page; joining it and leaving."""

from __future__ import annotations

from litestar import get, post
from litestar.params import FromPath
from litestar.response import Redirect, Response

from samovar.engine.contract import Game
from samovar.web import problems
from samovar.web.drawing.curve import draw_curve
from samovar.web.game_list import all_games, game_named
from samovar.web.names import check_name
from samovar.web.people.people import People, Profile
from samovar.web.people.players import Players
from samovar.web.people.ratings import FEWEST_MATCHES, MOST_TOGETHER
from samovar.web.tables.phrases import LEVELS
from samovar.web.visit import AnyRequest, Visit

BEST = 3  # of each game, on the first page
LAST = 10  # matches of a player


def rated_games() -> list[Game]:
    """Those in which some play against others."""
    return [game for game in all_games() if game.has_opponents]


@get("/players")
async def overview(request: AnyRequest) -> Response[str]:
    """The best of each game, and the way in and out."""
    visit = Visit(request)
    boards = [(game, await players_of(request).board(game, visit.person)) for game in rated_games()]
    best = [(game, board.best[:BEST], len(board.best) + len(board.newcomers)) for game, board in boards]
    return visit.page(
        "players.html",
        best=best,
        profile=await profile_of(visit),
        fewest=FEWEST_MATCHES,
        most_together=MOST_TOGETHER,
    )


@get("/players/{game_id:str}")
async def game_players(request: AnyRequest, game_id: FromPath[str]) -> Response[str]:
    visit = Visit(request)
    game = game_named(game_id)
    board = await players_of(request).board(game, visit.person)
    profile = await profile_of(visit)
    return visit.page(
        "game_players.html", game=game, games=rated_games(), board=board, profile=profile, fewest=FEWEST_MATCHES
    )


@get("/players/{game_id:str}/{player_id:str}")
async def player(request: AnyRequest, game_id: FromPath[str], player_id: FromPath[str]) -> Response[str]:
    visit = Visit(request)
    game = game_named(game_id)
    board = await players_of(request).board(game, visit.person)
    who = board.find(player_id)
    line = board.line(who)
    landmarks = [(visit.tell(LEVELS[bot.level]), bot.rating.points) for bot in board.bots]
    points = [moment.points for moment in line.rating.history]
    return visit.page(
        "player.html",
        game=game,
        line=line,
        curve=draw_curve(points, line.rating.low, line.rating.high, landmarks),
        last=board.last(who, LAST),
        against=board.against(who),
        fewest=FEWEST_MATCHES,
    )


@post("/players/join")
async def join(request: AnyRequest) -> Redirect:
    """Only those who have sat down somewhere: nobody fills the site with people who do not play."""
    visit = Visit(request)
    name = check_name(str((await visit.form()).get("name", "")))
    if visit.person is None:
        raise problems.SitFirst
    await people_of(visit).change(visit.person, is_rated=True, name=name)
    return visit.go("/players")


@post("/players/leave")
async def leave(request: AnyRequest) -> Redirect:
    visit = Visit(request)
    if (await profile_of(visit)).is_rated:
        await people_of(visit).change(str(visit.person), is_rated=False)
    return visit.go("/players")


async def profile_of(visit: Visit) -> Profile:
    return await people_of(visit).profile(visit.person) if visit.person else Profile()


def people_of(visit: Visit) -> People:
    people: People = visit.request.app.state.people
    return people


def players_of(request: AnyRequest) -> Players:
    players: Players = request.app.state.players
    return players
