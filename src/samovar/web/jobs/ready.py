"""All that a site compiles, compiled beforehand: `samovar compile`, for an image that starts at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from samovar.bots.bot_worker import Prepare
from samovar.engine.contract import Game
from samovar.engine.match import Match
from samovar.engine.registry import find_game
from samovar.errors import BadLab, BadReview, BotFailed
from samovar.insight.advice_worker import ADVICE, AdvisingHost
from samovar.insight.review import reviewing
from samovar.lab.order import make_order
from samovar.lab.run import measuring
from samovar.web.jobs.bot_pool import MASTER

MATCHES = 2  # for the lab: what is compiled for few is used for many


def make_ready(games: Iterable[str]) -> Iterator[str]:
    """Says what comes next. All is done as the site's own processes do it, only with less thought."""
    for game in map(find_game, games):
        for what, prepare in STEPS.items():
            yield f"{game.name}: {what}"
            prepare(game)


def _prepare(bot: str) -> Callable[[Game], None]:
    def prepare(game: Game) -> None:
        reply = AdvisingHost().carry_out(Prepare(game.id, bot))
        if reply.error:
            raise BotFailed(reply.error)

    return prepare


def _review(game: Game) -> None:
    """One for each number of players: what is asked about a seat differs."""
    for seats in game.seats:
        match = Match(game, seats, seed=1)
        match.play_random(1)
        try:
            for _ in reviewing(match.record(), looks=1):
                pass
        except BadReview:  # nobody to play against
            return


def _measure(game: Game) -> None:
    try:
        for _ in measuring(make_order(game, players=["random"], random=MATCHES, matches=MATCHES, workers=1)):
            pass
    except BadLab:  # nobody to play against
        return


STEPS: dict[str, Callable[[Game], None]] = {
    "bots": _prepare(""),
    "hints": _prepare(ADVICE),
    "master": _prepare(MASTER),
    "reviews": _review,
    "lab": _measure,
}
