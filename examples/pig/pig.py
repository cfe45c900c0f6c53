"""Pig: throw a die as often as you dare. The smallest game with chance during play, which cannot be dealt ahead."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from samovar.engine.arrays import Ints
from samovar.engine.chance import CHANCE, roll, starting_seat
from samovar.engine.contract import Event, Game, Option, Part, event, nothing_hidden, usual_prompt
from samovar.engine.kinds import FLAG, count, one_of, seat_of
from samovar.engine.rule import rule
from samovar.engine.state import GameState, Int16

SIDES, MOST_SEATS, MOST_THROWS = 6, 4, 12
THROW, KEEP = 0, 1


class State(GameState):
    chance: Annotated[Ints, CHANCE]  # hidden, and the engine's: all throws to come
    points: Annotated[Ints, np.int16, MOST_SEATS]
    pot: Int16  # points of this turn that are not safe yet
    throws: Int16  # made in this turn
    thrown: Int16  # by the last move, 0 for none
    mover: Int16  # who made the last move, -1 before the first
    turn: Int16
    turns: Int16  # of all seats together, still to come with this one
    goal: Int16
    seats: Int16


@rule
def deal(state, seats, options, rng):
    state.seats = seats
    state.turn = starting_seat(rng, seats, options.first)
    state.turns = options.turns * seats
    state.goal = options.goal
    state.mover = -1


@rule
def is_won(state):
    """1.4: whoever has enough wins at once."""
    for seat in range(state.seats):
        if state.points[seat] >= state.goal:
            return 1
    return 0


@rule
def actors(state):
    return 0 if state.turns == 0 or is_won(state) else 1 << state.turn


@rule
def legal(state, seat, out):
    """1.2: a turn begins with a throw, and has so many at most."""
    if state.throws == 0:
        out[0] = THROW
        return 1
    if state.throws == MOST_THROWS:
        out[0] = KEEP
        return 1
    out[0] = THROW
    out[1] = KEEP
    return 2


@rule
def apply(state, seat, move):
    state.mover = seat
    state.thrown = 1 + roll(state, SIDES) if move == THROW else 0
    if move == KEEP:
        state.points[seat] += state.pot
        end_turn(state)
    elif state.thrown == 1:  # 1.3: all of this turn is lost
        end_turn(state)
    else:
        state.pot += state.thrown
        state.throws += 1


@rule
def end_turn(state):
    state.pot = 0
    state.throws = 0
    state.turns -= 1
    state.turn = state.turn + 1 if state.turn + 1 < state.seats else 0


@rule
def scores(state, out):
    for seat in range(state.seats):
        out[seat] = state.points[seat]


@rule
def observe(state, seat, out):
    for k in range(MOST_SEATS):
        other = (seat + k) % state.seats
        out[k] = state.points[other] if k < state.seats else 0
    out[MOST_SEATS] = state.pot
    out[MOST_SEATS + 1] = state.throws
    out[MOST_SEATS + 2] = state.thrown
    out[MOST_SEATS + 3] = (state.turn - seat) % state.seats
    out[MOST_SEATS + 4] = (state.mover - seat) % state.seats if state.mover >= 0 else -1
    out[MOST_SEATS + 5] = state.turns
    out[MOST_SEATS + 6] = state.goal
    out[MOST_SEATS + 7] = state.seats


def faults(state):
    if state.pot > SIDES * state.throws or state.throws > MOST_THROWS:
        yield "more was thrown than a turn allows"


@rule
def factor(state, seat, move, out):
    out[0] = move


@dataclass(frozen=True)
class View:
    points: tuple[int, ...]
    pot: int
    goal: int
    prompt: Event
    news: tuple[Event, ...]


def view(state, seat):
    news = ()
    if state.mover >= 0:
        news = (
            (event("throws", seat=state.mover, die=state.thrown),)
            if state.thrown
            else (event("keeps", seat=state.mover),)
        )
    points = tuple(state.points[other] for other in range(state.seats))
    return View(points, state.pot, state.goal, usual_prompt(actors(state), seat), news)


GAME = Game.from_module(
    __name__,
    id="pig",
    name="Pig",
    contract=2,
    seats=(2, 3, 4),
    moves=2,
    max_length=lambda seats, options: options["turns"] * seats * (MOST_THROWS + 1),
    observation=(
        Part("points", MOST_SEATS, "own seat first, then clockwise: points that are safe", count(0, 111)),
        Part("pot", 1, "points of this turn that are not safe yet", count(0, SIDES * MOST_THROWS)),
        Part("throws", 1, "made in this turn", count(0, MOST_THROWS)),
        Part("thrown", 1, "by the last move, 0 for none", one_of(SIDES, 1)),
        Part("turn", 1, "whose turn it is, counted from the own seat", seat_of(MOST_SEATS)),
        Part("mover", 1, "who made the last move, -1 nobody", seat_of(MOST_SEATS)),
        Part("turns", 1, "still to come, with this one, of all seats", count(0, 80)),
        Part("goal", 1, "so many points win at once", count(5, 40)),
        Part("seats", 1, "2 to 4", count(2, 4)),
    ),
    factors=(Part("keeps", 1, "1 keeps what was thrown, 0 throws again", FLAG),),
    own_options=(
        Option("goal", 40, range(5, 41), "so many points win at once"),
        Option("turns", 20, range(1, 21), "turns of each seat"),
    ),
    determinize=nothing_hidden,
    move_text=lambda state, seat, move: ("throw", "keep")[move],
    tell_move=lambda state, seat, move: event(("throw", "keep")[move]),
    words={
        "en": {
            "throws": "{seat} throws {die}.", "keeps": "{seat} keeps what was thrown.",
            "points": "Points", "pot": "At stake", "goal": "Goal", "throw": "Throw", "keep": "Keep",
            "option.goal": "Points that win", "option.turns": "Turns of each player",
        },
        "fr": {
            "throws": "{seat} lance {die}.", "keeps": "{seat} garde son butin.",
            "points": "Points", "pot": "En jeu", "goal": "But", "throw": "Lancer", "keep": "Garder",
            "option.goal": "Points pour gagner", "option.turns": "Tours de chaque joueur",
        },
    },
)  # fmt: skip
