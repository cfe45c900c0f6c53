"""How good things are for a seat, given what it knows: the share of its opponents that it will leave
behind, and the chance of each place; for each of its moves, too, if asked.

Hints, reviews, puzzles and lessons ask here and nowhere else. The answer comes from a search whose
simulations are played on to the end of the match (`playout.py`), from the game's network, or from both;
or from a quick search, whose simulations are not. It is made as sure as matches between strong bots say
it may be (`calibration.py`). `Comparison` is for those who ask about the same moves again and again.
"""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from samovar.bots import tree
from samovar.bots.bot import chance, choices
from samovar.bots.network import read
from samovar.bots.network_file import Network
from samovar.bots.search import ENDLESS, MOST_NODES, MOST_SECONDS, MOST_SIMULATIONS, Tree, Tried, on_threads
from samovar.engine.arrays import Floats
from samovar.engine.contract import Game
from samovar.engine.heuristics import CERTAIN
from samovar.engine.match import Match
from samovar.engine.seat import Seat
from samovar.engine.ways.backend import Backend, backend, thread_count
from samovar.engine.ways.stand_ins import NO_MOVE
from samovar.errors import BadEstimate, BadNetwork
from samovar.insight import playout
from samovar.insight.calibration import Guess, calibration_of, outcomes, usual_shares

SEARCH, NETWORK, BOTH, QUICK = SOURCES = ("search", "network", "both", "quick")
USUAL = 500  # simulations: what the calibrations were fitted with
WORLDS = 4  # in which a network looks at what follows a move
SURE_AS = 100  # what a network says is taken as if it had been counted in so many simulations
DOUBT = 0.001  # what nobody holds for likelier than that may come all the same


@dataclass(frozen=True)
class MoveEstimate:
    """What a seat may expect after one of its moves."""

    move: int
    text: str
    share: float
    places: tuple[float, ...]


@dataclass(frozen=True)
class Estimate:
    """What a seat may expect."""

    share: float  # of its opponents, left behind; where all are one team, of what they can reach
    places: tuple[float, ...]  # the chance of each place, that of the first first
    by: str  # where it comes from: "search", "network", "both" or "quick"
    calibrated: bool  # whether it was fitted to how matches of this game and so many seats end
    simulations: int  # made for the seat itself; 0 by network
    moves: tuple[MoveEstimate, ...] = ()  # the best first, if asked for


def estimate(
    seat: Seat,
    *,
    by: str | None = None,
    by_move: bool | int = False,
    simulations: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
    plain: bool | None = None,
) -> Estimate:
    """What the seat may expect when all play well from here on. It need not be its turn.

    `by`: "search", "network", or "both", which takes what there is; if nothing is said, both where that was
    fitted to how matches end, else the search. "quick" is a search that does not play matches on to
    their end: many times as fast, a little less sure. `by_move`: the same for each of its
    legal moves, or for so many of the best. Each of them has as many simulations as the seat itself; the
    seconds are for all together. By simulations the answer depends on the seed alone. `plain`: thinks in
    plain Python."""
    check(seat, by or BOTH, by_move, simulations, seconds, seed)
    legal = seat.legal
    wanted = len(legal) if by_move is True else min(int(by_move), len(legal))
    draw = int(chance(seed, seat).integers(2**62))
    source = source_of(seat, by or usual_source(seat), Budget.shared(simulations, seconds, 1 + wanted), draw, plain)
    here = source.look(NO_MOVE)
    found: dict[int, Prospects] = {}

    def look_after(move: int) -> None:
        found[move] = source.look(move)

    considered = source.likely(legal, wanted) if wanted else []
    on_threads(thread_count(), [lambda move=move: look_after(move) for move in considered])  # type: ignore[misc]
    best = sorted(found, key=lambda move: (-found[move].share, move))[:wanted]
    return Estimate(
        share=here.share,
        places=here.places,
        by=source.name,
        calibrated=here.calibrated,
        simulations=source.made,
        moves=tuple(MoveEstimate(move, seat.move_text(move), found[move].share, found[move].places) for move in best),
    )


LOOK = 200  # simulations after each move, for one look at moves side by side
RIVALS = 5  # moves that are compared: what a first search likes best need not be the best
FIND = 2000  # simulations to find them
ENOUGH = 4  # looks, before a move is left aside
SURE = 3  # standard errors


@dataclass(frozen=True)
class Loss:
    """How much less may be expected after a move than after the best one."""

    share: float
    error: float  # its standard error

    @property
    def is_sure(self) -> bool:
        return self.share > SURE * self.error


@dataclass(frozen=True)
class Verdict:
    """What was found out about one move beside others."""

    best: int  # the move itself, if none is better
    share: float  # that may be expected after it
    loss: float  # how much more may be expected after the best one, never less than nothing
    error: float  # the standard error of the loss
    lead: float  # how much less may be expected after the next best, if it is the best itself


class Comparison:
    """Those moves of a seat that are likely to be good side by side, and a move in question beside them, if
    there is one.

    Each look is a small search after each of them, in worlds of its own that are the same for all: so
    differences are surer than the shares, looks can be added where it matters, and they tell how sure
    they are. `seconds`: what finding the moves and a first look may take together."""

    def __init__(
        self,
        seat: Seat,
        move: int | None = None,
        *,
        rivals: int = RIVALS,
        find: int = FIND,
        simulations: int = LOOK,
        seconds: float = math.inf,
        seed: int = 0,
        plain: bool | None = None,
    ) -> None:
        self.move = move
        self._seat, self._plain = seat, plain
        self._chance = chance(seed, seat)
        legal = choices(seat)
        source = self._source(Budget(find, seconds / 3))
        source.look(NO_MOVE)
        likely = source.likely(legal, rivals)
        self.moves = likely if move is None else [move, *(rival for rival in likely if rival != move)]
        self._budget = Budget(simulations, seconds * 2 / 3 / len(self.moves))
        self._looks = np.zeros((0, len(self.moves)))  # by look and move
        self._aside: dict[int, Loss] = {}

    @property
    def looks(self) -> int:
        return len(self._looks)

    def look(self) -> None:
        """Once more, at all of them."""
        source = self._source(self._budget)
        self._looks = np.vstack([self._looks, [source.look(move).share for move in self.moves]])
        if self.move is not None and self.looks >= ENOUGH:
            self._leave_hopeless()

    def _leave_hopeless(self) -> None:
        """What is clearly worse than the best says no more about the move in question. Without one, all are asked
        about."""
        losses = self._losses()
        kept = [k for k, move in enumerate(self.moves) if move == self.move or not losses[move].is_sure]
        self._aside |= {move: losses[move] for k, move in enumerate(self.moves) if k not in kept}
        self.moves = [self.moves[k] for k in kept]
        self._looks = self._looks[:, kept]

    def shares(self) -> dict[int, float]:
        """By move, what may be expected after it; not of those left aside."""
        return dict(zip(self.moves, self._looks.mean(axis=0).tolist(), strict=True))

    def losses(self) -> dict[int, Loss]:
        """By move, what it loses against the one that did best, which loses nothing; of those left aside
        as it was then."""
        return self._aside | self._losses()

    def _losses(self) -> dict[int, Loss]:
        behind = self._looks[:, [self._looks.mean(axis=0).argmax()]] - self._looks
        errors = behind.std(axis=0, ddof=1) / math.sqrt(self.looks) if self.looks > 1 else np.ones(len(self.moves))
        return {
            move: Loss(mean, error)
            for move, mean, error in zip(self.moves, behind.mean(axis=0).tolist(), errors.tolist(), strict=True)
        }

    def verdict(self) -> Verdict:
        """Of the move in question. Who is the best by all looks but one is judged by that one, and what is
        within the error is no loss: otherwise luck would make a best move of many that are equally good,
        and a mistake of all others."""
        assert self.move is not None, "no move is in question"
        means, own = self._looks.mean(axis=0), self.moves.index(self.move)
        others = self._looks.sum(axis=0) - self._looks  # by look: what all the other looks say
        best = np.where(others[:, own] >= others.max(axis=1), own, others.argmax(axis=1))
        lost = self._looks[np.arange(self.looks), best] - self._looks[:, own]
        error = float(lost.std(ddof=1) / math.sqrt(self.looks)) if self.looks > 1 else 1.0
        found = int(means.argmax())
        loss = max(float(lost.mean()) - error, 0.0) if found != own else 0.0
        lead = max(float(means[own] - np.delete(means, own).max(initial=0.0)), 0.0) if len(means) > 1 else 0.0
        return Verdict(self.moves[found] if loss else self.move, float(means[own]), loss, error, lead)

    def _source(self, budget: Budget) -> Source:
        return source_of(self._seat, QUICK, budget, int(self._chance.integers(2**62)), self._plain)


def usual_source(seat: Seat) -> str:
    """What is fitted counts more than what is heard from two sides."""
    is_fitted = {by: calibration_of(seat.game, seat.seats, by) is not None for by in (SEARCH, BOTH)}
    return SEARCH if is_fitted[SEARCH] and not is_fitted[BOTH] else BOTH


def find_network(game: Game, needed: bool) -> Network | None:
    """The network that comes with the game. Where it is not needed, a search does without it, and without
    one that cannot be read."""
    try:
        network = Network.find(game)
    except BadNetwork:
        if needed:
            raise
        return None
    if network is None and needed:
        raise BadEstimate(
            f"No network of {game.name} comes with Samovar. Ask by='search', or by='both', which takes what there is."
        )
    return network


def check(seat: object, by: str, by_move: int, simulations: int | None, seconds: float | None, seed: int) -> None:
    """Refuses what cannot be asked."""
    if not isinstance(seat, Seat):
        raise BadEstimate(f"Chances are those of a seat, not of {type(seat).__name__}. Ask about match.seat(0).")
    if by not in SOURCES:
        raise BadEstimate(
            f"Chances cannot come by {by!r}. They come by 'search', by 'network', by 'both' or by 'quick'."
        )
    if not isinstance(by_move, int) or by_move < 0:
        raise BadEstimate(f"by_move cannot be {by_move!r}. It is True, False, or how many of the best moves.")
    if simulations is not None and not (_is_whole(simulations) and 1 <= simulations <= MOST_SIMULATIONS):
        raise BadEstimate(f"There can be 1 to {MOST_SIMULATIONS} simulations, not {simulations!r}.")
    if seconds is not None and not (isinstance(seconds, int | float) and 0 < seconds <= MOST_SECONDS):
        raise BadEstimate(f"An estimate can take up to {MOST_SECONDS} seconds, and more than none, not {seconds!r}.")
    if not (_is_whole(seed) and 0 <= seed < 2**63):
        raise BadEstimate(f"The seed cannot be {seed!r}. It is a number from 0 to 2**63 - 1.")


def _is_whole(number: object) -> bool:
    return isinstance(number, int) and not isinstance(number, bool)


@dataclass(frozen=True)
class Budget:
    """For one tree."""

    simulations: int = USUAL
    seconds: float = math.inf

    @classmethod
    def shared(cls, simulations: int | None, seconds: float | None, trees: int) -> Budget:
        if simulations is None:
            simulations = USUAL if seconds is None else ENDLESS
        return cls(simulations, math.inf if seconds is None else seconds / trees)


def source_of(seat: Seat, by: str, budget: Budget, seed: int, plain: bool | None = None) -> Source:
    if by == QUICK:
        return QuickSource(seat, budget, seed, backend(seat.game, plain))
    network = None if by == SEARCH else find_network(seat.game, needed=by == NETWORK)
    search = None if by == NETWORK else SearchSource(seat, budget, seed, backend(seat.game, plain))
    if network is None:
        assert search is not None
        return search
    network_source = NetworkSource(seat, network, seed, plain)
    return network_source if search is None else CombinedSource(search, network_source)


@dataclass(frozen=True, eq=False)
class Prospects:
    """By outcome: how likely it is, and the share that comes with it."""

    seats: int
    chances: Floats
    shares: Floats
    is_certain: bool
    calibrated: bool

    @property
    def share(self) -> float:
        return min(max(float(self.chances @ self.shares), 0.0), 1.0)

    @property
    def places(self) -> tuple[float, ...]:
        sums = np.zeros(self.seats)
        np.add.at(sums, [place - 1 for place, _ in outcomes(self.seats)], self.chances)
        return tuple(sums.tolist())


class Source(ABC):
    """Somebody who has an opinion about one seat."""

    name: str
    made = 0  # simulations, when the seat was looked at as it stands

    def __init__(self, seat: Seat) -> None:
        self._seat = seat
        self._usual = usual_shares(seat.seats, seat.opponents)

    @abstractmethod
    def guess(self, move: int) -> Guess:
        """What the seat may expect after a move, or NO_MOVE: as it stands."""

    def look(self, move: int) -> Prospects:
        """The same, calibrated."""
        seats = self._seat.seats
        guess = self.guess(move)
        fitted = None if guess.is_certain else calibration_of(self._seat.game, seats, self.name)
        chances = fitted.apply(guess, self._usual) if fitted else guess.chances
        return Prospects(seats, chances, guess.shares, guess.is_certain, guess.is_certain or fitted is not None)

    def likely(self, legal: list[int], wanted: int) -> list[int]:
        """The moves among which the best are, as far as can be told before they are looked at."""
        return legal


class Outlook(Tree):
    """A tree of a search whose simulations are counted, and may be played on to the end of the match.
    `first`: the move with which its observer begins."""

    searching = (playout.play_out, "play_out")

    def __init__(self, ready: Backend, room: int, seats: int, first: int, to_end: bool) -> None:
        super().__init__(ready, room, ready.game.heuristics.tuning)
        self.tally = np.zeros((playout.ROWS, max(seats * seats, 2)), np.int64)
        self._arrays += (np.array([first, to_end], np.int64), self.tally)
        self._outcomes = [(place - 1) * seats + tied for place, tied in outcomes(seats)]

    @property
    def made(self) -> int:
        return int(self.orders[tree.END])

    def guess(self, usual: Floats) -> Guess:
        """Where all are one team the place does not tell the share, so it is that of the simulations; it
        is the usual one for what did not come."""
        times, sums = self.tally[: playout.SUMS, self._outcomes]
        shares = np.where(times > 0, sums / (CERTAIN * np.maximum(times, 1)), usual)
        return Guess(times / self.made, shares, self.thought, self.made, self.is_over)

    @property
    def thought(self) -> float:
        return float(self.tally[playout.SUMS, playout.THOUGHT] / (CERTAIN * self.made))

    @property
    def is_over(self) -> bool:
        """Whether nothing was left to play in any world."""
        return bool(self.tally[playout.SUMS, playout.OVER] == self.made)


class SearchSource(Source):
    """What a search says."""

    name = SEARCH
    to_end = True
    reuse = ENDLESS  # simulations in a world at most

    def __init__(self, seat: Seat, budget: Budget, seed: int, ready: Backend) -> None:
        super().__init__(seat)
        self._budget = budget
        self._seed = seed
        self._ready = ready
        self._known = seat.imagine(0).states
        self._tried: Tried = {}

    def guess(self, move: int) -> Guess:
        return self.grown(move).guess(self._usual)

    def grown(self, move: int) -> Outlook:
        """All moves are tried in the same worlds: luck then counts less when they are compared."""
        grows = 2 if self._ready.game.heuristics.tuning.split else 1
        room = min(grows * self._budget.simulations + 2, MOST_NODES)
        outlook = Outlook(self._ready, room, self._seat.seats, move, self.to_end)
        outlook.orders[tree.REUSE] = min(outlook.orders[tree.REUSE], self.reuse)
        outlook.plant(self._known, self._seat.number, self._seed)
        outlook.grow_until(time.perf_counter() + self._budget.seconds, self._budget.simulations)
        if move == NO_MOVE:
            self.made = outlook.made
            self._tried = outlook.tried()
        return outlook

    def likely(self, legal: list[int], wanted: int) -> list[int]:
        """Those that were tried most."""
        tried = self._tried
        return sorted(legal, key=lambda move: (*(-number for number in tried.get(move, (0, 0))), move))[:wanted]


class QuickSource(SearchSource):
    """What a search thinks that does not play matches on to their end."""

    name = QUICK
    to_end = False
    reuse = 8  # few simulations need the more worlds

    def guess(self, move: int) -> Guess:
        """Of places it says nothing: as if each opponent were left behind by a throw of its own."""
        outlook, opponents = self.grown(move), self._seat.opponents
        if outlook.is_over:
            return outlook.guess(self._usual)
        thought = outlook.thought
        ahead = [place - 1 for place, _ in outcomes(self._seat.seats)]
        chances = [
            math.comb(opponents, k) * (1 - thought) ** k * thought ** max(opponents - k, 0) * (tied == 0)
            for k, (_, tied) in zip(ahead, outcomes(self._seat.seats), strict=True)
        ]
        shares = self._usual if opponents else np.full(len(chances), thought)
        return Guess(np.array(chances), shares, thought, outlook.made)


class NetworkSource(Source):
    """What a network says."""

    name = NETWORK

    def __init__(self, seat: Seat, network: Network, seed: int, plain: bool | None) -> None:
        super().__init__(seat)
        self._network = network
        self._plain = plain
        self._seeds = np.random.default_rng(seed).integers(2**62, size=WORLDS).tolist()

    def guess(self, move: int) -> Guess:
        """After a move it is asked in several worlds: what the seat will see there is not known. What is
        over it need not be asked."""
        worlds = [self._seat.imagine(seed) for seed in (self._seeds if move != NO_MOVE else self._seeds[:1])]
        if move != NO_MOVE:
            for world in worlds:
                world.play(self._seat.number, move)
        read_in = [self._over(world) if world.over else self._read(world) for world in worlds]
        chances, thoughts = (np.mean(column, axis=0) for column in zip(*read_in, strict=True))
        shares = self._usual if self._seat.opponents else np.full(len(self._usual), thoughts)
        return Guess(chances, shares, float(thoughts), SURE_AS, all(world.over for world in worlds))

    def _over(self, world: Match) -> tuple[Floats, float]:
        places, own = world.places, world.places[self._seat.number]
        teams = world.game.teams(world.seats)
        equals = [other for other in range(world.seats) if places[other] == own]
        tied = sum(teams[other] != teams[self._seat.number] for other in equals)
        chances = np.array([float(outcome == (own, tied)) for outcome in outcomes(world.seats)])
        return chances, float(chances @ self._usual) if world.success is None else world.success / CERTAIN

    def _read(self, world: Match) -> tuple[Floats, float]:
        """Of ties it says nothing; in one team all come first."""
        reading = read(world.seat(self._seat.number), self._network, plain=self._plain)
        places = reading.places[self._seat.number] if self._seat.opponents else (1.0,) + (0.0,) * (world.seats - 1)
        chances = np.array([0.0 if tied else places[place - 1] for place, tied in outcomes(world.seats)])
        return chances / chances.sum(), reading.shares[self._seat.number]


class CombinedSource(Source):
    """What both say together."""

    name = BOTH

    def __init__(self, search: SearchSource, network_source: NetworkSource) -> None:
        super().__init__(search._seat)
        self._search = search
        self._network = network_source

    def guess(self, move: int) -> Guess:
        """The mean of the logarithms: who is sure is heard. But neither is so sure that nothing else may
        come, unless the match is over."""
        first, second = self._search.look(move), self._network.look(move)
        if first.is_certain:
            return Guess(first.chances, first.shares, first.share, SURE_AS, True)
        likely = np.sqrt(np.maximum(first.chances, DOUBT) * np.maximum(second.chances, DOUBT))
        thought = (first.share + second.share) / 2
        shares = first.shares if self._seat.opponents else np.full(len(self._usual), thought)
        return Guess(likely / likely.sum(), shares, thought, SURE_AS)

    @property
    def made(self) -> int:  # type: ignore[override]
        return self._search.made

    def likely(self, legal: list[int], wanted: int) -> list[int]:
        return self._search.likely(legal, wanted)
