"""The path after a lesson: an easy bot, a better one, a puzzle, and the rules for those who know the game. What is
kept of matches and puzzles says which steps are done; nothing is kept for the path itself."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import NamedTuple

from samovar.engine.contract import Game, Value
from samovar.engine.heuristics import LEVEL_NAMES
from samovar.engine.words import option_text, words_in
from samovar.errors import BadPuzzle
from samovar.teach.puzzles import easiest
from samovar.web.game_list import all_games
from samovar.web.store.queries import puzzles, results
from samovar.web.store.store import Store

ALONE, PUZZLE, ADVANCED = "alone", "puzzle", "advanced"
LEVELS = LEVEL_NAMES[:2]
MOST_MATCHES = 1000  # that are looked through for rules

log = logging.getLogger(__name__)


class PathStep(NamedTuple):
    """One click leads there."""

    sign: str  # a level, or one of the names above: `path.html` has its drawing and its words
    is_done: bool
    address: str
    form: Mapping[str, str] | None = None  # what is sent there; None: it is a link
    rules: str = ""  # by which rules, in the game's own words


class Reached(NamedTuple):
    """What somebody has done, each by the ids of games."""

    begun: frozenset[str] = frozenset()
    finished: Mapping[str, int] = {}  # the best level of a bot at a table that was played to the end; -1: no bot
    solved: frozenset[str] = frozenset()
    advanced: frozenset[str] = frozenset()


async def done_by(store: Store, person: str | None) -> Reached:
    if not person:
        return Reached()
    mates = await store.rows(results.TABLE_MATES, person=person)
    tried = await store.rows(puzzles.GAMES, person=person)
    finished: dict[str, int] = {}
    for mate in mates:
        if mate.is_finished:
            level = LEVEL_NAMES.index(mate.level) if mate.level in LEVEL_NAMES else -1
            finished[mate.game] = max(level, finished.get(mate.game, -1))
    return Reached(
        frozenset([*(mate.game for mate in mates), *(row.game for row in tried)]),
        finished,
        frozenset(row.game for row in tried if row.is_solved),
        await _advanced(store, person),
    )


async def _advanced(store: Store, person: str) -> frozenset[str]:
    wanted = {game.id: rules for game in all_games() if (rules := advanced_rules(game))}
    rows = await store.rows(results.RULES_PLAYED, person=person, games=[*wanted], most=MOST_MATCHES)
    return frozenset(row.game for row in rows if wanted[row.game].items() <= row.options.items())


def path_of(game: Game, done: Reached, language: str) -> list[PathStep]:
    """What a game does not have is left out. Who has played better bots need not go back to weaker ones."""
    play, best = f"/play/{game.id}", done.finished.get(game.id, -1)
    if game.seats == (1,):
        steps = [PathStep(ALONE, game.id in done.finished, play, {})]
    else:
        company = {"seats": str(game.seats[1])} if game.seats[0] == 1 else {}
        steps = [
            PathStep(level, best >= number, play, {"level": level, **company}) for number, level in enumerate(LEVELS)
        ]
    if puzzle := _first_puzzle(game):
        steps.append(PathStep(PUZZLE, game.id in done.solved, puzzle))
    if rules := advanced_rules(game):
        form = {name: str(value).lower() for name, value in rules.items()}
        told = [option_text(words_in(game, language), option) for option in game.options if option.is_advanced]
        steps.append(PathStep(ADVANCED, game.id in done.advanced, play, form, ". ".join(told)))
    return steps


def advanced_rules(game: Game) -> dict[str, Value]:
    """The options for those who know the game; none where it has no rules of that kind."""
    marked = (option for option in game.own_options if option.is_advanced)
    return {one.name: next(choice for choice in one.choices if choice != one.default) for one in marked}


def _first_puzzle(game: Game) -> str:
    """Its address; empty where there is none."""
    try:
        return next((f"/puzzles/{game.id}/{puzzle.id}" for puzzle in easiest(game)), "")
    except BadPuzzle as error:
        log.error("%s", error)
        return ""
