"""Games of two whose figures are known without measuring.

Tosses: five hidden coins, turned up one by one, whatever is chosen; who has most of them wins. All is luck, nothing is
skill. Head start: who begins has won. Echo: in turn one says 0 or 1 and the other answers; the same is a point for who
began, else for the other. Nothing is hidden or dealt, and by chance it is even. Stones: each takes one to three of six;
most win. Small enough to go through all its matches. Stuck: as soon as a hidden coin says so it never ends.
"""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from samovar.engine import registry
from samovar.engine.chance import below, starting_seat
from samovar.engine.contract import Event, Game, Option, Part, Value, event, nothing_hidden, usual_prompt
from samovar.engine.match import Match
from samovar.engine.rule import rule

COINS = 5
ROUNDS = 3
STONES = 6
LONGEST = 10  # moves, that Stuck says it can have
STATE = np.dtype(
    [
        ("coins", np.int8, (COINS,)),  # hidden: who has each
        ("points", np.int8, (2,)),
        ("seats", np.int8),
        ("turn", np.int8),
        ("began", np.int8),
        ("moved", np.int8),
        ("said", np.int8),  # the last move
        ("bonus", np.int8),  # for who begins
    ]
)


@rule
def deal(state, seats, options, rng):
    state.seats = seats
    state.turn = starting_seat(rng, seats, options.first)
    state.began = state.turn
    for k in range(COINS):
        state.coins[k] = below(rng, 2)


@rule
def deal_bonus(state, seats, options, rng):
    deal(state, seats, options, rng)
    state.bonus = options.bonus
    state.points[state.began] = options.bonus


@rule
def deal_ahead(state, seats, options, rng):
    deal(state, seats, options, rng)
    state.points[state.began] = 1


@rule
def pass_on(state, seat, move):
    state.said = move
    state.moved += 1
    state.turn = 1 - seat


@rule
def two_moves(state, seat, out):
    out[0] = 0
    out[1] = 1
    return 2


@rule
def scores(state, out):
    out[0] = state.points[0]
    out[1] = state.points[1]


@rule
def observe(state, seat, out):
    out[0] = state.points[seat]
    out[1] = state.points[1 - seat]
    out[2] = state.moved
    out[3] = state.said
    out[4] = state.turn == seat


@rule
def toss(state, seat, move):
    state.points[state.coins[state.moved]] += 1
    pass_on(state, seat, move)


@rule
def actors_of_tosses(state):
    return 0 if state.moved == COINS else 1 << state.turn


@rule
def other_coins(state, seat, rng):
    """Those to come."""
    for k in range(state.moved, COINS):
        state.coins[k] = below(rng, 2)


@rule
def answer(state, seat, move):
    if state.moved % 2 == 1:
        state.points[state.began if move == state.said else 1 - state.began] += 1
    pass_on(state, seat, move)


@rule
def actors_of_echo(state):
    return 0 if state.moved == 2 * ROUNDS else 1 << state.turn


@rule
def stones_left(state):
    return STONES + state.bonus - state.points[0] - state.points[1]


@rule
def take(state, seat, move):
    state.points[seat] += move + 1
    pass_on(state, seat, move)


@rule
def actors_of_stones(state):
    return 1 << state.turn if stones_left(state) > 0 else 0


@rule
def moves_of_stones(state, seat, out):
    count = min(3, stones_left(state))
    for k in range(count):
        out[k] = k
    return count


@rule
def actors_of_stuck(state):
    """With a coin of 0 it ends in time."""
    return 0 if state.coins[0] == 0 and state.moved == LONGEST - 1 else 1 << state.turn


@rule
def other_coin(state, seat, rng):
    state.coins[0] = below(rng, 2)


@dataclass(frozen=True)
class View:
    points: tuple[int, int]
    prompt: Event
    news: tuple[Event, ...]


TEXTS = {"tosses": ("toss", "throw")}


def make(name, *, actors, apply, determinize=nothing_hidden, deal=deal, legal=two_moves, moves=2, most=10, options=()):
    texts = TEXTS.get(name, tuple(map(str, range(moves))))
    return Game(
        id=name,
        name=name.capitalize(),
        seats=(2,),
        state=STATE,
        moves=moves,
        max_length=lambda seats, options: most,
        observation=(Part("points", 2, ""), Part("moved", 1, ""), Part("said", 1, ""), Part("turn", 1, "")),
        own_options=options,
        deal=deal,
        actors=actors,
        legal=legal,
        apply=apply,
        scores=scores,
        determinize=determinize,
        observe=observe,
        view=lambda state, seat: View(
            (state.points[0], state.points[1]),
            usual_prompt(actors(state), seat),
            (event("last" if actors(state) == 0 else "moved", seat=1 - state.turn),) if state.moved else (),
        ),
        move_text=lambda state, seat, move: texts[move],
        words={"en": {"moved": "{seat} has moved.", "last": "{seat} has made the last move."}},
    )


BONUS = Option("bonus", 0, (0, 2), "Points for who begins.")
TOSSES = make("tosses", actors=actors_of_tosses, apply=toss, determinize=other_coins)
HEAD_START = make("head_start", actors=actors_of_tosses, apply=pass_on, deal=deal_ahead)
ECHO = make("echo", actors=actors_of_echo, apply=answer)
STONES_GAME = make(
    "stones", actors=actors_of_stones, apply=take, legal=moves_of_stones, moves=3, deal=deal_bonus, options=(BONUS,)
)
STUCK = make("stuck", actors=actors_of_stuck, apply=pass_on, determinize=other_coin, most=LONGEST)
GAMES = {"TOSSES": TOSSES, "HEAD_START": HEAD_START, "ECHO": ECHO, "STONES_GAME": STONES_GAME, "STUCK": STUCK}


def install(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes them known in this process and in those it starts, and switches compiling off, which would take longest
    of all."""
    package = folder / "known_games-1.0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: known-games\nVersion: 1.0\n")
    entries = "".join(f"{game.id} = support.known_games:{name}\n" for name, game in GAMES.items())
    (package / "entry_points.txt").write_text(f"[samovar.games]\n{entries}")
    path = (str(folder), str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH"))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, path)))
    monkeypatch.setenv("SAMOVAR_PLAIN", "1")
    monkeypatch.syspath_prepend(str(folder))
    before = registry.found_in
    found = {game.id: SimpleNamespace(load=lambda game=game: game, module="support") for game in GAMES.values()}
    monkeypatch.setattr(registry, "found_in", lambda group: {**before(group), **found})


def play(game: Game, seed: int = 0, moves: Iterable[int] = (), **options: Value) -> Match:
    """By these moves, then by the first one there is."""
    match, wanted = Match(game, seed=seed, plain=True, **options), iter(moves)
    while not match.over:
        (seat,) = match.actors
        match.play(seat, next(wanted, match.legal(seat)[0]))
    return match


def play_by_chance(game: Game, seed: int, draw: np.random.Generator, **options: Value) -> Match:
    match = Match(game, seed=seed, plain=True, **options)
    while not match.over:
        (seat,) = match.actors
        match.play(seat, int(draw.choice(match.legal(seat))))
    return match


def seed_of(coins: tuple[int, ...]) -> int:
    """A deal of Tosses with these coins."""
    return next(seed for seed in range(10_000) if tuple(Match(TOSSES, seed=seed, plain=True).state.coins) == coins)
