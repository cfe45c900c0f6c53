"""The bot `master`: the search that the game's network guides.

`master` makes as many simulations as the game's level says, `master:400` so many, `master:0.5s` as many
as half a second allows. A simulation takes some hundred times as long as one of `search`, for the network
looks at a position in each, and is worth more. All go into one tree.

Without a network, or with one that cannot be used, `master` is an expert that thinks longer, and warns
of that once in the log: the match goes on. It is the same, without a warning, where a game does not trust
its network yet.
"""

from __future__ import annotations

import logging
from functools import cache

from samovar.bots import guided
from samovar.bots.bot import Order
from samovar.bots.network_file import Network
from samovar.bots.search import ENDLESS, SearchBot, Tree, parse_budget
from samovar.engine.contract import Game
from samovar.engine.heuristics import Guidance
from samovar.engine.ways.backend import Backend
from samovar.errors import BadNetwork

LONGER = 2  # times the simulations of the strongest expert, without a network; with 3, answers took up to 1.1 s

log = logging.getLogger(__name__)


class GuidedTree(Tree):
    """80 bytes a node, and what the network works with."""

    fields, ordered = guided.GUIDED_FIELDS, guided.GUIDED_ORDERS
    searching = (guided.search, "guided")

    def __init__(self, ready: Backend, room: int, guidance: Guidance, network: Network) -> None:
        super().__init__(ready, room, guidance)
        self._guidance = guidance
        self._network = network
        self.orders[guided.FIRST_PLAY : guided.OTHERS + 1] = (
            guidance.first_play,
            guidance.again,
            guidance.doubt,
            guidance.soften,
            guidance.mix,
            guidance.others,
        )
        self._arrays = (*self._arrays, self._spare.copy(), network.ready())

    def another(self, room: int) -> Tree:
        return GuidedTree(self._ready, room, self._guidance, self._network)


class MasterBot(SearchBot):
    trees = 1

    def __init__(self, order: Order, network: Network, guidance: Guidance | None = None) -> None:
        self._guidance = guidance or order.game.heuristics.guidance
        self._network = network
        self.grows = self._guidance.widen
        super().__init__(
            order, None if order.argument else order.game.heuristics.levels[order.name].simulations, self._guidance
        )

    def _new_tree(self, room: int) -> Tree:
        return GuidedTree(self._ready, room, self._guidance, self._network)


def make_master(order: Order) -> SearchBot:
    """The bot, or the one that stands in for it where there is no network."""
    try:
        network = Network.find(order.game)
        problem = f"There is no network of it yet: `samovar learn {order.game.id}` makes one."
    except BadNetwork as error:
        network, problem = None, str(error)
    if network is None:
        warn_once(order.game, problem)
    elif order.game.heuristics.guidance.trusted:
        return MasterBot(order, network)
    return longer_expert(order)


def longer_expert(order: Order) -> SearchBot:
    """As much thinking as the order is worth to an expert: the pinned one, where even steps made that of
    today weak."""
    heuristics = order.game.heuristics
    experts = heuristics.levels["expert"], *heuristics.pinned.values()
    expert, usual = max(experts, key=lambda level: level.simulations), heuristics.levels[order.name].simulations
    asked, _ = parse_budget(order.name, order.argument) if order.argument else (usual, 0)
    if asked == ENDLESS:
        return SearchBot(order, None, expert.tuning)
    return SearchBot(order, max(1, LONGER * expert.simulations * asked // usual), expert.tuning)


@cache
def warn_once(game: Game, problem: str) -> None:
    log.warning("The bot master plays %s as an expert that thinks longer. %s", game.name, problem)
