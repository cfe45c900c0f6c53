"""Whether a choice may show its own seat something: what a second look is asked for. The answer follows from what the
seat may see, and is the same for every move of a choice."""

import numpy as np
import pytest

from samovar.engine.match import Match
from samovar.engine.registry import find_game
from samovar.insight import undo
from samovar.insight.undo import may_teach
from support.hidden_game import GAME as HIDDEN

GAMES = ("babuschka", "connect_four", "matryoshka", "memoarrrr", "varvitikud", HIDDEN)


def some_moments(game, steps=60, every=6):
    """Positions of a match by chance, each with a seat that is to act."""
    game = find_game(game) if isinstance(game, str) else game
    for seed in range(2):
        match, choose = Match(game, game.seats[-1], seed, plain=True), np.random.default_rng(seed)
        for step in range(steps):
            if match.over:
                break
            seat = match.actors[choose.integers(len(match.actors))]
            if step % every == 0:
                yield match, seat
            match.play(seat, match.legal(seat)[choose.integers(len(match.legal(seat)))])


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game if isinstance(game, str) else game.id)
@pytest.mark.parametrize("worlds", [undo.FEW_WORLDS, 2])
def test_it_is_the_same_in_every_world_that_the_seat_may_imagine(monkeypatch, game, worlds):
    """With two worlds, too, where one more of the truth would be noticed."""
    monkeypatch.setattr(undo, "FEW_WORLDS", worlds)
    for match, seat in some_moments(game):
        answers = {may_teach(match.imagine(seat, seed), seat) for seed in range(1000, 1003)}
        assert answers == {may_teach(match, seat)}


@pytest.mark.parametrize(("game", "answers"), [
    ("babuschka", {False}), ("connect_four", {False}), ("memoarrrr", {True}), ("varvitikud", {True}),
])  # fmt: skip
def test_what_games_show(game, answers):
    assert {may_teach(match, seat) for match, seat in some_moments(game, steps=24)} == answers


def test_it_leaves_the_match_as_it_is():
    for match, seat in some_moments("memoarrrr", steps=20):
        before = match.state_bytes, list(match.history)
        may_teach(match, seat)
        assert before == (match.state_bytes, list(match.history))


def test_who_has_seen_a_place_before_is_not_told_so_by_the_answer():
    """A location that was seen can teach nothing more, and another can: the choice is what counts."""
    by_move = set()
    for match, seat in some_moments("memoarrrr", steps=40, every=1):
        worlds = [match.imagine(seat, number) for number in range(undo.FEW_WORLDS)]
        shows = {len({undo._seen_after(world, seat, move) for world in worlds}) > 1 for move in match.legal(seat)}
        by_move.add(frozenset(shows))
        assert may_teach(match, seat) == (True in shows)
    assert frozenset({True, False}) in by_move, "there are such moments"


def test_of_thousands_of_moves_some_are_tried(monkeypatch):
    monkeypatch.setattr(undo, "MOST_CHOICES", 3)
    tried = []
    monkeypatch.setattr(undo, "_seen_after", lambda world, seat, move: tried.append(move))
    match = Match("memoarrrr", 2, 1, plain=True)
    legal = match.legal(match.actors[0])
    assert not may_teach(match, match.actors[0])
    assert 1 < len(set(tried)) <= 3 < len(legal)
