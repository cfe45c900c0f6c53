"""What a child does that knows the rules and follows the obvious: a measure for the level `easy`.

- Babuschka: whatever brings a doll furthest forward.
- Matryoshka: shows what scores most now, gives what adds least, takes what adds most.
- Memoarrrr!: a location that it knows to connect, else one that it does not know.
- Värvitikud: whatever brings most points now.

Among equals, any. It remembers all that a seat can remember, and looks at nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from samovar.bots.bot import Answer, Order, chance, choices
from samovar.engine.match import Match
from samovar.engine.seat import Seat
from samovar.games.babuschka.board import FACING
from samovar.games.babuschka.heuristics import STEPS
from samovar.games.babuschka.moves import end_of, start_of
from samovar.games.matryoshka.heuristics import ALL, adds, collection_worth
from samovar.games.matryoshka.moves import OFFER_MOVE, PUT_MOVE, TAKE_MOVE
from samovar.games.memoarrrr.heuristics import connecting_places
from samovar.games.memoarrrr.moves import LOOK_MOVE
from samovar.games.memoarrrr.state import NOTHING, known


class ChildBot:
    def __init__(self, order: Order) -> None:
        self._worth = WORTH[order.game.id]
        self._seed = order.seed

    def choose(self, seat: Seat) -> Answer:
        world = seat.imagine(0)
        moves = choices(seat)
        worth = [self._worth(world, seat.number, move) for move in moves]
        best = [move for move, value in zip(moves, worth, strict=True) if value == max(worth)]
        return Answer(int(chance(self._seed, seat).choice(best)))

    def close(self) -> None:
        pass


def steps_forward(world: Match, seat: int, move: int) -> int:
    facing = FACING[world.seats, seat]
    return int(STEPS[world.seats, facing, start_of(move)] - STEPS[world.seats, facing, end_of(move)])


def cards_worth(world: Match, seat: int, move: int) -> int:
    state: Any = world.state
    if move < PUT_MOVE:
        return int(collection_worth(state, seat, move, 0))
    if move < OFFER_MOVE:
        return -int(adds(state, seat, ALL, move - PUT_MOVE, 0))
    if move < TAKE_MOVE:
        return -int(adds(state, seat, ALL, move - OFFER_MOVE, 0))
    return int(adds(state, seat, ALL, state.offers[state.exchange, move - TAKE_MOVE], 0))


def is_promising(world: Match, seat: int, move: int) -> int:
    state: Any = world.state
    if move >= LOOK_MOVE or state.last == NOTHING:
        return 0
    place = 1 << move
    if not known(state, seat) & place:
        return 1
    return 2 if connecting_places(state, place) else 0


def points_now(world: Match, seat: int, move: int) -> int:
    after = world.copy()
    after.play(seat, move)
    return after.scores[seat]


WORTH: dict[str, Callable[[Match, int, int], int]] = {
    "babuschka": steps_forward,
    "matryoshka": cards_worth,
    "memoarrrr": is_promising,
    "varvitikud": points_now,
}
