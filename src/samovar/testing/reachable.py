"""In a game with few deals, all that can have happened is known: what a seat imagines is compared with it, exactly.

Every deal is followed through a match: others may have made any of their moves, the seat itself made those that it did,
and what it received after every move must be the same. The states that this leads to are the worlds that fit, each with
its chance. `determinize` must draw no other one, and none far too often or too seldom. `histories.py` asks the same of
games of any size, by counting.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable

import numpy as np

from samovar.engine.arrays import Floats, States, as_memory
from samovar.engine.chance import CHANCE_FIELD
from samovar.engine.contract import Game, Options
from samovar.engine.installed import GROUP, found_in
from samovar.engine.match import Match
from samovar.engine.members import member, members_of
from samovar.engine.ways.backend import backend
from samovar.engine.ways.plain import plain_state
from samovar.errors import TooLarge
from samovar.solver.chances import all_deals, outcomes
from samovar.testing.histories import LIMIT, SOME_BIAS, numbers_of

Fitting = dict[bytes, float]  # the states that fit what a seat has received, with the chance of each

MOST_DEALS = 6000
SOME_DEALS = 300  # of MOST_DEALS; two among them are the same, or the chance is below 1 in 1000
MOST_STATES = 6000  # that are looked at after one move
WORLDS = 300
MOVES = 8


def small_ones(game: Game) -> list[Game]:
    """The members of a game; the game itself where it has none."""
    names = members_of(game.id) if game.id in found_in(GROUP) else ()
    return [member(game, name) for name in names] or [game]


def check_reachable(game: Game, seats: int, options: Options, seeds: Iterable[int] = (31, 32)) -> int:
    """Random matches in plain Python, all seats. Says in how many moments there were several worlds to compare; raises
    `TooLarge` where the deals are too many."""
    values: Options = game.check_options(seats, {**options, "first": 0})
    some = {Match(game, seats, seed, plain=True, **values).state_bytes for seed in range(SOME_DEALS)}
    if len(some) == SOME_DEALS:  # so many would have met, by chance, in a game of so few
        raise TooLarge(f"{game.name} with {seats} seats has more than {MOST_DEALS:,} deals. Give it a small member.")
    deals = {state: float(chance) for chance, state in all_deals(game, seats, values, MOST_DEALS)}
    return sum(
        follow(Match(game, seats, seed, plain=True, **values), seat, deals, seed)
        for seed in seeds
        for seat in range(seats)
    )


def follow(match: Match, seat: int, deals: Fitting, seed: int) -> int:
    """One match, as a seat sees it, along with all that it may be."""
    choose = np.random.default_rng(seed)
    fitting = those_that_look_alike(match, seat, deals)
    compared = 0
    while True:
        check_worlds(match, seat, fitting)
        compared += len(fitting) > 1
        if match.over or len(match.history) == MOVES:
            return compared
        actor = match.actors[0]
        move = int(choose.choice(match.legal(actor)))
        if actor != seat and len(fitting) * len(match.legal(actor)) > MOST_STATES:
            return compared
        after = moved(match.game, fitting, actor, move if actor == seat else None)
        match.play(actor, move)
        fitting = those_that_look_alike(match, seat, after)


def moved(game: Game, fitting: Fitting, actor: int, known_move: int | None) -> Fitting:
    """Every state after a move of the actor: the one that is known, or any, all equally likely."""
    after: Fitting = defaultdict(float)
    room = as_memory(np.zeros(game.max_legal, np.int32))
    for state, chance in fitting.items():
        count = game.legal(plain_state(np.frombuffer(bytearray(state), game.state)), actor, room)
        moves = room[:count].tolist() if known_move is None else [known_move]
        for move in moves:
            for likely, result in outcomes(game, state, actor, move):
                after[result] += chance * float(likely) / len(moves)
    return after


def those_that_look_alike(match: Match, seat: int, states: Fitting) -> Fitting:
    """Those in which the seat receives what it receives in the match, their chances adding up to 1."""
    game = match.game
    array = np.frombuffer(bytearray(b"".join(states)), game.state)
    rows = np.zeros((len(array), game.observation_size), np.int8)
    backend(game, True).observe(array, seat, rows)
    alike = (rows == match.observation(seat)).all(1)
    view = match.view(seat)
    kept = {
        state: chance
        for (state, chance), is_alike, k in zip(states.items(), alike, range(len(array)), strict=True)
        if is_alike and game.view(plain_state(array[k : k + 1]), seat) == view
    }
    total = sum(kept.values())
    assert total > 0, "no deal leads to what has happened: deal and apply are not all that changes a state"
    return {state: chance / total for state, chance in kept.items()}


def check_worlds(match: Match, seat: int, fitting: Fitting) -> None:
    game = match.game
    worlds = np.repeat(match.states, WORLDS)
    backend(game, True).determinize(worlds, seat, np.arange(WORLDS, dtype=np.int64))
    if CHANCE_FIELD in (game.state.names or ()):
        worlds[CHANCE_FIELD] = np.zeros(1, game.state[CHANCE_FIELD])
    reachable = np.frombuffer(b"".join(fitting), game.state)
    moment = f"seat {seat} after {[text for _, text in match.told_history()]} from seed {match.seed}"
    for world in worlds:
        assert world.tobytes() in fitting, (
            f"{moment} imagines a world that no deal leads to by what it has received: "
            f"{what_cannot_be(world, reachable)}. Keep in the state what everybody was told, and draw what fits it."
        )
    check_chances(worlds, reachable, np.array(list(fitting.values())), moment, SOME_BIAS if match.history else 1.0)


def what_cannot_be(world: States, reachable: States) -> str:
    """The numbers of a world that are in none that fits; else that they do not go together."""
    wrong = [
        f"{name} is {int(number)}"
        for (name, number), (_, others) in zip(numbers_of(world), numbers_of(reachable), strict=True)
        if number not in others
    ]
    return ", ".join(wrong) or "each of its numbers is possible, but not all together"


def check_chances(worlds: States, reachable: States, chances: Floats, moment: str, bias: float) -> None:
    """Each number as often as it is so, give or take chance and, where others have chosen, some bias."""
    for (name, drawn), (_, possible) in zip(numbers_of(worlds), numbers_of(reachable), strict=True):
        if (drawn == drawn[0]).all() and (possible == drawn[0]).all():
            continue
        for value in np.unique(possible).tolist():
            chance = float(chances[possible == value].sum())
            part = np.count_nonzero(drawn == value) / len(drawn)
            odds = chance / max(1 - chance, 1e-12)
            low, high = odds / bias / (1 + odds / bias), odds * bias / (1 + odds * bias)
            surprise = len(drawn) * distance(part, min(max(part, low), high))
            assert surprise < LIMIT, (
                f"{moment}: {name} is {value} in {part:.0%} of the worlds that it imagines, and should be in "
                f"{chance:.0%}. Draw each world that fits with the same chance."
            )


def distance(part: float, chance: float) -> float:
    """How unlike two chances are (Kullback and Leibler): each draw adds so much evidence."""
    terms = [(part, chance), (1 - part, 1 - chance)]
    return sum(one * math.log(one / max(other, 1e-12)) for one, other in terms if one > 0)
