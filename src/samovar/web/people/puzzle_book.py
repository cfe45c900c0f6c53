"""What the pages of puzzles ask for: the position of a puzzle, who has solved what, and what the moves of any
position of a record lose.

Shipped puzzles know what their moves lose. For positions of records a search is asked, in the processes
where bots think; it is told what the player knew, like every bot.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from samovar.bots.bot import Reason
from samovar.engine.contract import Game
from samovar.engine.match import Match
from samovar.engine.registry import find_game
from samovar.errors import BadPuzzle
from samovar.teach.puzzles import HUNDRED, Puzzle, find_puzzle
from samovar.web import problems
from samovar.web.jobs.bot_pool import Question, Thought
from samovar.web.recent import Recent
from samovar.web.store.queries import puzzles
from samovar.web.store.queries.puzzles import TriedPuzzle
from samovar.web.tables import series
from samovar.web.tables.tables import Tables

JUDGE = "search:20000"
WIDEST = 0.5  # a share lies between 0 and 1, so its standard deviation is no more
KEPT_POSITIONS = 512
KEPT_JUDGEMENTS = 1024
KEPT_SECONDS = 3600.0


class Judgement(NamedTuple):
    """What is known of the moves of a position."""

    best: int
    share: int  # to be expected after the best move, of a hundred
    losses: Mapping[int, int]  # by move, of a hundred


class PuzzleBook:
    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._judged: Recent[tuple[str, int], Judgement] = Recent(KEPT_JUDGEMENTS, KEPT_SECONDS)
        self._asking: set[str] = set()  # those who wait for a judgement

    async def tried(self, person: str | None, game: Game) -> dict[str, TriedPuzzle]:
        """By id, the puzzles of a game that somebody has answered."""
        rows = await self._tables.store.rows(puzzles.OF_GAME, person=person, game=game.id) if person else []
        return {row.puzzle: row for row in rows}

    async def note(self, person: str, puzzle: Puzzle, is_right: bool) -> None:
        """An answer. How many it took is kept."""
        await self._tables.store.do(puzzles.note_answer, person, puzzle.game.id, puzzle.id, series.now(), is_right)

    async def judge(self, record_id: str, moves: int, match: Match, asker: str) -> Judgement:
        """Of a position of a record, which stands in `match`; each is thought about once, and each asker
        waits for one at a time."""
        if kept := self._judged.get((record_id, moves)):
            return kept
        if asker in self._asking:
            raise problems.OneAnswerAtATime
        self._asking.add(asker)
        try:
            seat = match.seat(match.actors[0])
            question = Question(match.game.id, JUDGE, 0, seat.to_bytes, tuple(seat.legal))
            thought = await self._tables.bot_pool.think(question)
        finally:
            self._asking.discard(asker)
        judgement = judgement_of(thought, seat.opponents)
        self._judged.put((record_id, moves), judgement)
        return judgement


def judgement_of(thought: Thought, opponents: int) -> Judgement:
    """From what a search thinks of the moves it tried most. What may be an accident is no loss."""
    shares = {reason.move: share_of(reason, opponents) for reason in thought.reasons}
    top = shares.get(thought.move, 0.0)
    losses = {thought.move: 0}
    for reason in thought.reasons:
        loss, error = top - shares[reason.move], WIDEST / max(reason.visits, 1) ** 0.5
        losses[reason.move] = round(HUNDRED * loss) if loss > error else 0
    return Judgement(thought.move, round(HUNDRED * top), losses)


def share_of(reason: Reason, opponents: int) -> float:
    """Of the opponents that are left behind; in one team, of what all can reach."""
    return reason.success if reason.success is not None else 1 - (reason.place - 1) / max(opponents, 1)


async def position_of(puzzle: Puzzle) -> Match:
    """Where a puzzle stands. To play up to there takes a while, so others are let in, and it is kept."""
    state = await asyncio.to_thread(_state_of, puzzle.game.id, puzzle.id)
    return Match.standing(puzzle.game, puzzle.seats, state, plain=True, options=puzzle.options)


@lru_cache(KEPT_POSITIONS)
def _state_of(game_id: str, puzzle_id: str) -> bytes:
    return find_puzzle(find_game(game_id), puzzle_id).match(plain=True).state_bytes


def puzzle_named(game: Game, puzzle_id: str) -> Puzzle:
    try:
        return find_puzzle(game, puzzle_id)
    except BadPuzzle as error:
        raise problems.NoSuchPuzzle(game=game.name) from error
