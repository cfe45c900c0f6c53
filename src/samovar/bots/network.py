"""The bot `network`: plays what a network has learned, at a glance and without searching.

`network` plays the best move of the network that comes with the game, `network:PATH` that of another
file, `network:sample` draws a move by the chances. `read` says what a network thinks of a seat's position.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from samovar.bots.bot import Answer, Order, chance, choices, reason
from samovar.bots.network_file import Network
from samovar.bots.network_rules import WHOLE, Net, look, place_chances, score_all, shares, weigh
from samovar.engine.arrays import AnyState, IntGrid, Ints
from samovar.engine.contract import Game
from samovar.engine.rule import rule
from samovar.engine.seat import Seat
from samovar.engine.ways.backend import backend
from samovar.engine.ways.plain import plain as as_plain
from samovar.engine.ways.stand_ins import actors
from samovar.errors import BadNetwork

SAMPLE = "sample"
SHOWN = 5  # reasons given


@dataclass(frozen=True)
class Reading:
    """What a network thinks of a match, from the eyes of one seat."""

    shares: tuple[float, ...]  # by seat: of its opponents left behind, or of what all can reach together
    places: tuple[tuple[float, ...], ...]  # by seat: the chance of each place, that of the first first
    chances: dict[int, float]  # by legal move of the seat: how likely it is to be the right one
    best: tuple[int, ...]  # the moves that are rated highest: one, or equals


@rule
def read_position(
    states: list[AnyState], seat: int, net: Net, moves: Ints, scores: Ints, chances: Ints, out: Ints, places: IntGrid
) -> int:
    """All that a network says of the only state of an array; tells how many legal moves there are."""
    state = states[0]
    look(state, seat, net)
    for other in range(state.seats):
        place_chances(net, other, out)
        for place in range(state.seats):
            places[other, place] = out[place]
    shares(net, out)
    if not (actors(state) >> seat) & 1:
        return 0
    count = score_all(state, seat, net, moves, scores)
    for k in range(count):
        chances[k] = scores[k]
    weigh(chances, count)
    return count


def read(seat: Seat, network: Network, *, plain: bool | None = None) -> Reading:
    """What a network thinks of the match as the seat knows it; seats are numbered as at the table."""
    ready = backend(seat.game, plain)
    _, moves, _ = ready.scratch()
    scores, chances = moves.copy(), moves.copy()
    out, places = np.zeros(seat.seats, np.int64), np.zeros((seat.seats, seat.seats), np.int64)
    # Whatever world is imagined: the seat knows the same, and a network is told no more.
    known = seat.imagine(0).states
    arguments = (known, seat.number, network.ready(), moves, scores, chances, out, places)
    ask = ready.make(read_position, "read_position")
    count = ask(*(map(as_plain, arguments) if ready.is_plain else arguments))
    highest = scores[:count].max(initial=np.iinfo(scores.dtype).min)
    return Reading(
        tuple((out / WHOLE).tolist()),
        tuple(map(tuple, (places / WHOLE).tolist())),
        dict(zip(moves[:count].tolist(), (chances[:count] / WHOLE).tolist(), strict=True)),
        tuple(moves[:count][scores[:count] == highest].tolist()),
    )


def network_for(game: Game, path: str = "") -> Network:
    """The network in a file, or that which comes with the game."""
    network = Network.load(path, game) if path else Network.find(game)
    if network is None:
        raise BadNetwork(
            f"No network of {game.name} comes with Samovar. Make one with `samovar learn {game.id}`, and name its "
            "file: network:PATH."
        )
    return network


class NetworkBot:
    def __init__(self, order: Order) -> None:
        self._samples = order.argument == SAMPLE
        self._network = network_for(order.game, "" if self._samples else order.argument)
        self._seed, self._plain = order.seed, order.plain

    def choose(self, seat: Seat) -> Answer:
        choices(seat)
        found = read(seat, self._network, plain=self._plain)
        choose = chance(self._seed, seat)
        if self._samples:
            move = int(choose.choice(list(found.chances), p=list(found.chances.values())))
        else:
            move = int(choose.choice(found.best))
        order = sorted(found.chances, key=lambda other: (other != move, -found.chances[other], other))
        share = found.shares[seat.number]
        return Answer(move, tuple(reason(seat, other, 0, share, found.chances[other]) for other in order[:SHOWN]))

    def close(self) -> None:
        pass
