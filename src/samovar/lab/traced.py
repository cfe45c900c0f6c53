"""A match that somebody played, looked at on its way: who was ahead when, what everybody could hope for, how much
hung on what was hidden, and which moves there were."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from samovar.engine.arrays import Floats, States
from samovar.engine.chance import derive_seed
from samovar.engine.heuristics import CERTAIN
from samovar.engine.match import Match
from samovar.engine.places import shares_behind
from samovar.engine.records.record import replay
from samovar.engine.ways.backend import Backend, backend
from samovar.engine.ways.stand_ins import BEGINS, CHOICES, ENDED, FORCED, LENGTH, POINTS, TURNS
from samovar.insight.estimate import QUICK, estimate
from samovar.json_types import JsonObject
from samovar.lab.measures import of_rows

LOOKED_AT = 200  # legal moves of a turn, to see which kinds there are
STOPS = 16  # moments of a match at which chances are asked for
SIMULATIONS = 100  # for each of them
CLEAR = 0.8  # a chance of winning from which on a match is as good as decided
HOPELESS = 0.2  # a chance of winning below which nobody would bet
NEAR = 0.01  # of the best: a move that is as good
COMPARED = 8  # moves of a turn, those that a search likes best
COMPARING = 200  # simulations after each of them
PHASES = (0.0, 0.25, 0.5, 0.75)  # of a match, at which it is asked what the hidden decides
WORLDS, TRIES = 12, 8  # matches played on from there: in so many worlds that the mover can imagine, so often each
WORDS = re.compile(r"[^\W\d_]{2,}")  # of a move: what is no number and no single letter
PLACE = re.compile(r"-?[^\W\d_]?\d+")
FEW = 64  # moves of a game in all: each can be looked at by itself


@dataclass(frozen=True)
class Trace:
    """What one match says."""

    number: int
    deal: int
    variant: int
    figures: Floats  # by measure: all that need only its end, then those on the way
    places: tuple[int, ...]
    shares: tuple[float, ...]  # by seat: the share of the opponents that it left behind
    chances: tuple[tuple[float, ...], ...]  # by stop and seat: to win
    hidden: tuple[tuple[float, float], ...]  # by phase: variance of the result between worlds, and within one
    legal: Counter[str]  # by kind of move: in how many turns there was one beside others
    used: Counter[str]  # in how many it was made
    events: Counter[str]  # by kind, how often
    ending: frozenset[str]  # the kinds of what happened last
    record: JsonObject


def trace(record: JsonObject, number: int, deal: int, variant: int, seed: int) -> Trace:
    match = replay(record)
    teams = tuple(match.game.teams(match.seats))
    seed = derive_seed(seed, "look", number)
    turns = [_Turn(match.at(at), seat, move) for at, (seat, move) in enumerate(match.history)]
    points = [turn.points for turn in turns] + [match.scores]
    stops = sorted({number * len(turns) // STOPS for number in range(STOPS)} if turns else ())
    chances = [_chances(turns[stop].at, seed) for stop in stops]
    winner = _winner(match.places, teams)
    row = np.zeros((1, POINTS + 2 * match.seats), np.int32)
    row[0, LENGTH] = len(turns)
    row[0, TURNS] = sum(a.seat != b.seat for a, b in pairwise(turns)) + bool(turns)
    row[0, CHOICES] = sum(turn.choices for turn in turns)
    row[0, FORCED] = sum(turn.choices == 1 for turn in turns)
    row[0, BEGINS] = turns[0].seat if turns else -1
    row[0, ENDED] = match.over
    row[0, POINTS:] = (*match.scores, *match.places)
    events = [[event.kind for event in match.at(number).news(turn.seat)] for number, turn in enumerate(turns, 1)]
    shown = [
        _lead_changes(points, teams),
        np.nan if winner is None else max((max(now) - now[winner] for now in points), default=0),
        *_drama(chances, stops, len(turns), winner),
        _near(turns, seed),
    ]
    return Trace(
        number=number,
        deal=deal,
        variant=variant,
        figures=np.concatenate([of_rows(row, teams)[0], shown]),
        places=match.places,
        shares=shares_behind(match.places, teams),
        chances=(*chances, tuple(float(place == 1) / match.places.count(1) for place in match.places)),
        hidden=tuple(_hidden(turns[int(phase * len(turns))], seed) for phase in PHASES if turns),
        legal=Counter(kind for turn in turns for kind in turn.kinds if len(turn.kinds) > 1),
        used=Counter(turn.kind for turn in turns if len(turn.kinds) > 1),
        events=Counter(kind for kinds in events for kind in kinds),
        ending=frozenset(events[-1] if events else ()),
        record=record,
    )


class _Turn:
    """Somebody is to move."""

    def __init__(self, at: Match, seat: int, move: int) -> None:
        legal = at.legal(seat)
        self.at, self.seat, self.move = at, seat, move
        self.choices = len(legal)
        self.points = at.scores
        self.kind = kind_of(at, seat, move)
        self.kinds = {kind_of(at, seat, other) for other in legal[:: len(legal) // LOOKED_AT + 1]} | {self.kind}


def kind_of(at: Match, seat: int, move: int) -> str:
    """The words of a move without what it is about: `take c3` and `take e1` are one kind. Where there are no words
    but few moves, every one is a kind of its own."""
    text = at.move_text(seat, move)
    return " ".join(WORDS.findall(text)) or (text if at.game.moves <= FEW else PLACE.sub("·", text))


def _winner(places: tuple[int, ...], teams: tuple[int, ...]) -> int | None:
    """A seat of the only team that won."""
    first = [seat for seat, place in enumerate(places) if place == 1]
    return first[0] if len({teams[seat] for seat in first}) == 1 and len(set(teams)) > 1 else None


def _chances(at: Match, seed: int) -> tuple[float, ...]:
    """To win, for each as it knows the position."""
    return tuple(
        estimate(at.seat(seat), by=QUICK, simulations=SIMULATIONS, seed=seed).places[0] for seat in range(at.seats)
    )


def _lead_changes(points: list[tuple[int, ...]], teams: tuple[int, ...]) -> int:
    """How often another team was alone ahead than the one before."""
    leaders: list[int] = []
    for now in points:
        best = {teams[seat] for seat, mine in enumerate(now) if mine == max(now)}
        if len(best) == 1 and leaders[-1:] != [*best]:
            leaders += best
    return max(len(leaders) - 1, 0)


def _drama(
    chances: list[tuple[float, ...]], stops: list[int], length: int, winner: int | None
) -> tuple[float, float, float]:
    """The winner's lowest chance, whether it was hopeless, and after what part of the match it was clear for
    good."""
    if winner is None or not chances:
        return np.nan, np.nan, np.nan
    own = [now[winner] for now in chances]
    unclear = [stop for stop, chance in zip(stops, own, strict=True) if chance < CLEAR]
    after = [stop for stop in (*stops, length) if not unclear or stop > unclear[-1]]
    return min(own), float(min(own) < HOPELESS), after[0] / length


def _near(turns: list[_Turn], seed: int) -> float:
    """In a turn in the middle of the match, how many of its moves are as good as the best, as far as a small search
    can tell."""
    chosen = [turn for turn in turns[len(turns) // 3 :] if turn.choices > 1][:1]
    if not chosen:
        return np.nan
    seat = chosen[0].at.seat(chosen[0].seat)
    moves = estimate(seat, by=QUICK, by_move=COMPARED, simulations=COMPARING, seed=seed).moves
    return float(sum(move.share >= moves[0].share - NEAR for move in moves))


def _hidden(turn: _Turn, seed: int) -> tuple[float, float]:
    """How much the mover's result varies between worlds that it can imagine, and within one of them, when all play
    on sensibly: what the first is of both together hangs on what the mover cannot see."""
    at, seat = turn.at, turn.seat
    ready = backend(at.game)
    worlds = np.repeat(at.states, WORLDS)
    draw = np.random.default_rng(derive_seed(seed, "hidden", len(at.history)))
    ready.determinize(worlds, seat, draw.integers(2**62, size=WORLDS))
    states = np.repeat(worlds, TRIES)
    limit = at.game.max_length(at.seats, at.options)
    ready.play_sensibly(states, draw.integers(2**62, size=len(states)), np.zeros(len(states), np.int64), limit)
    results = results_of(ready, states, at, seat).reshape(WORLDS, TRIES)
    within = float(results.var(axis=1, ddof=1).mean())
    between = float(results.mean(axis=1).var(ddof=1)) - within / TRIES
    return between, within


def results_of(ready: Backend, states: States, at: Match, seat: int) -> Floats:
    """The share of the opponents that a seat left behind, in each of many matches."""
    places = np.zeros((len(states), at.seats), np.int32)
    ready.scores(states, np.zeros_like(places), places)
    teams = at.game.teams(at.seats)
    others = [other for other in range(at.seats) if teams[other] != teams[seat]]
    if not others:
        shares = np.zeros(len(states), np.int64)
        ready.success(states, shares)
        return shares / CERTAIN
    theirs, own = places[:, others], places[:, [seat]]
    share: Floats = ((theirs > own) + (theirs == own) / 2).mean(axis=1)
    return share


def lost_by_forfeit(record: JsonObject) -> bool:
    """Such a match says nothing about the game."""
    table = record.get("table")
    return isinstance(table, dict) and "forfeit" in table
