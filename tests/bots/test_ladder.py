"""The ladder of levels: each errs as its numbers say and in no other way, knows no more than its
seat, and the pinned expert plays as it did when it was pinned."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from samovar.bots import Answer, Order, bot_names, make_bot
from samovar.bots.bot import chance
from samovar.bots.levels import LevelBot
from samovar.bots.search import SearchBot
from samovar.engine.arrays import Int64s
from samovar.engine.contract import Game
from samovar.engine.heuristics import LEVEL_NAMES, PINNED_NAMES, Level, Tuning
from samovar.engine.match import Match
from samovar.engine.registry import find_game
from samovar.engine.seat import Seat
from samovar.errors import BadBot

# Made by `expert` of the commit 82a40b2: answers with how often each move was tried, each bot asked
# twice in its match, as a tree may be used again.
GOLDEN = json.loads((Path(__file__).parents[1] / "data" / "expert_2026.json").read_text(encoding="utf-8"))


def at(game: str, seats: int, played: int) -> Match:
    match = Match(game, seats, 31, plain=True)
    match.play_random(5, limit=played)
    assert not match.over
    return match


def seat_of(match: Match) -> Seat:
    return match.seat(match.actors[0])


def erring(seat: Seat, seed: int, simulations: int = 12, **errors: int) -> LevelBot:
    """A level of these errors alone."""
    bot = LevelBot(Order("easy", str(simulations), seat.game, seed, plain=True))
    bot.level = Level(simulations, **errors)
    return bot


def with_heuristics(game: Game, **changed: object) -> Game:
    return replace(game, heuristics=replace(game.heuristics, **changed))  # type: ignore[arg-type]


class Suggesting:
    """Rules of which the rollout move is always the same."""

    def __init__(self, move: int) -> None:
        self._move = move

    def rollout_move(self, states: object, seat: int, seeds: object, moves: Int64s) -> None:
        moves[:] = self._move


class Pondering:
    """A search that notes what it was to consider."""

    def __init__(self) -> None:
        self.asked: list[list[int]] = []

    def think(self, seat: Seat, known: object, considered: Sequence[int] = ()) -> Answer:
        self.asked.append(list(considered))
        return Answer(considered[0])


# The pinned expert


@pytest.mark.slow
@pytest.mark.parametrize("row", GOLDEN, ids=lambda row: f"{row['game']}-{row['seats']}-{row['deal']}")
def test_the_pinned_expert_answers_as_it_did(row: dict) -> None:  # type: ignore[type-arg]
    match = Match(row["game"], row["seats"], row["deal"])
    bot = make_bot("expert-2026", match.game, row["seed"])
    due = {answer["after"]: answer["tried"] for answer in row["answers"]}
    assert len(due) == 2
    for seat, move in [*row["moves"], (None, None)]:
        if tried := due.pop(len(match.history), None):
            answer = bot.choose(match.seat(row["seat"]))
            assert [[reason.move, reason.visits] for reason in answer.reasons] == tried
            assert answer.move == tried[0][0]
        if seat is not None:
            match.play(seat, move)
    assert not due


def test_what_is_tuned_later_does_not_change_the_pinned_expert() -> None:
    """Nor do the levels; and the tuning does matter."""
    seat = seat_of(at("memoarrrr", 2, 12))
    tuned = with_heuristics(seat.game, tuning=Tuning(explore=1, widen=1, depth=0), levels={"expert": Level(7)})

    def answer(name: str, game: Game) -> Answer:
        return make_bot(name, game, 3, plain=True).choose(seat)

    assert answer("expert-2026:60", tuned) == answer("expert-2026:60", seat.game)
    assert answer("expert:60", tuned) != answer("expert:60", seat.game)
    pinned = make_bot("expert-2026", tuned, 3, plain=True)
    assert isinstance(pinned, LevelBot)
    assert pinned.level == seat.game.heuristics.pinned["expert-2026"]


def test_the_pinned_expert_is_a_bot_everywhere_but_at_tables() -> None:
    assert set(PINNED_NAMES) <= set(bot_names())
    assert not set(PINNED_NAMES) & set(LEVEL_NAMES)
    seat = Match("connect_four", seed=1, first=0, plain=True).seat(0)
    assert make_bot("expert-2026:20", seat.game, 1, plain=True).choose(seat).move in seat.legal


def test_a_level_that_a_game_lacks_is_refused() -> None:
    with pytest.raises(BadBot, match=r"has no level 'expert-2026'\. Choose one of these: easy, medium"):
        make_bot("expert-2026", with_heuristics(find_game("memoarrrr"), pinned={}), 1)


# How levels err


@pytest.mark.parametrize("game", ["memoarrrr", "varvitikud"])
def test_without_errors_a_level_is_its_search(game: str) -> None:
    for played in (0, 5, 11):
        seat = seat_of(at(game, 2, played))
        bot = erring(seat, 4)
        search = SearchBot(Order("search", "12", seat.game, 4, plain=True))
        assert bot.choose(seat) == search.think(seat, bot.remembered(seat))


def test_a_hasty_move_is_the_first_that_comes_to_mind_and_made_so_often() -> None:
    seat = seat_of(at("varvitikud", 2, 0))
    thought = 0
    for seed in range(200):
        bot = erring(seat, seed, hasty=30)
        bot._search = search = Pondering()  # type: ignore[assignment]
        answer = bot.choose(seat)
        thought += len(search.asked)
        assert all(sorted(considered) == seat.legal for considered in search.asked), "nothing is overlooked"
        if not search.asked:
            choose = chance(seed, seat)
            choose.integers(100)
            assert answer == Answer(bot.noticed(seat, bot.remembered(seat), choose)[0])
    assert 0.6 < thought / 200 < 0.8


def test_what_the_rollout_move_suggests_comes_to_mind_first() -> None:
    seat = seat_of(at("memoarrrr", 2, 8))
    for move in seat.legal:
        bot = erring(seat, 1, hasty=100)
        bot._ready = Suggesting(move)  # type: ignore[assignment]
        assert bot.choose(seat) == Answer(move)
    bot._ready = Suggesting(seat.game.moves)  # type: ignore[assignment]
    assert bot.choose(seat).move in seat.legal, "what was suggested is not legal"


def test_moves_are_overlooked_as_often_as_the_level_says_the_obvious_ones_less() -> None:
    seat = seat_of(at("memoarrrr", 2, 8))
    legal = seat.legal
    counts = {"obvious": [0, 0], "other": [0, 0]}  # seen, of so many
    for seed in range(200):
        bot = erring(seat, seed, overlooks=60)
        known = bot.remembered(seat)
        # with nothing overlooked all are noticed, the obvious first
        every = erring(seat, seed).noticed(seat, known, chance(seed, seat))
        assert sorted(every) == legal
        seen = bot.noticed(seat, known, chance(seed, seat))
        assert seen, "there is always a move"
        assert [move for move in every if move in seen] == seen
        counts["obvious"][0] += every[0] in seen
        counts["obvious"][1] += 1
        counts["other"][0] += every[-1] in seen
        counts["other"][1] += 1
    assert counts["obvious"][0] / counts["obvious"][1] == pytest.approx(1 - 0.6**2, abs=0.1)
    assert counts["other"][0] / counts["other"][1] == pytest.approx(1 - 0.6, abs=0.1)


def test_who_overlooks_everything_still_has_a_move() -> None:
    for seed in range(20):
        seat = seat_of(at("memoarrrr", 2, seed % 9))
        bot = erring(seat, seed, overlooks=100, hasty=seed % 2 * 100)
        assert len(bot.noticed(seat, bot.remembered(seat), np.random.default_rng(seed))) == 1
        assert bot.choose(seat).move in seat.legal


def test_the_search_answers_with_a_move_that_came_to_mind() -> None:
    seat = seat_of(at("varvitikud", 2, 0))
    best = erring(seat, 1).choose(seat).move
    answers = set()
    for seed in range(30):
        bot = erring(seat, seed, overlooks=70)
        choose = chance(seed, seat)
        choose.integers(100)
        noticed = bot.noticed(seat, bot.remembered(seat), choose)
        answer = bot.choose(seat)
        assert answer.move in noticed
        assert {reason.move for reason in answer.reasons} <= set(noticed)
        answers.add(answer.move)
    assert answers - {best}, "the best move was never overlooked"


# What they know


def test_a_level_goes_on_the_same_after_a_restart() -> None:
    match = at("memoarrrr", 2, 6)
    kept = {seat: make_bot("easy", match.game, seat, plain=True) for seat in range(2)}
    for _ in range(12):
        seat = match.actors[0]
        answer = kept[seat].choose(match.seat(seat))
        again = Seat.from_bytes(match.seat(seat).to_bytes(), plain=True)
        assert make_bot("easy", match.game, seat, plain=True).choose(again) == answer
        match.play(seat, answer.move)


@pytest.mark.parametrize(("game", "seats", "played"), [("memoarrrr", 2, 14), ("matryoshka", 3, 12)])
def test_levels_err_alike_in_all_worlds_that_a_seat_cannot_tell_apart(game: str, seats: int, played: int) -> None:
    match = at(game, seats, played)
    seat = seat_of(match)
    worlds = [match.imagine(seat.number, seed) for seed in range(4)]
    assert len({world.state_bytes for world in worlds}) > 1
    for errors in ({"overlooks": 60}, {"hasty": 100}, {"overlooks": 50, "hasty": 50, "half_life": 3}):
        for seed in range(3):
            answers = {
                erring(seat, seed, 6, **errors).choose(Seat(world, seat.number, seat.sights)).move for world in worlds
            }
            assert len(answers) == 1, (errors, seed)
