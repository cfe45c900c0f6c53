"""The puzzles that come with a game: they can be read, each stands where its moves lead, and the moves that it
tells of can be made there. A game without puzzles has nothing to show."""

from __future__ import annotations

from samovar.engine.contract import Game
from samovar.insight.puzzles import NEARLY, puzzles_of


def check_puzzles(game: Game, plain: bool | None = None) -> None:
    """Reading says whether file, rules' version and ids are right, playing whether the position and its
    moves are."""
    for puzzle in puzzles_of(game):
        match = puzzle.match(plain=plain)
        assert len(match.legal(match.actors[0])) > 1, f"puzzle {puzzle.id} of {game.name} has nothing to choose"
        others = [loss for move, loss in puzzle.losses.items() if move != puzzle.best]
        assert others, f"puzzle {puzzle.id} of {game.name} compares its best move with no other"
        assert min(others) >= NEARLY, f"puzzle {puzzle.id} of {game.name} has a second move that is as good"
