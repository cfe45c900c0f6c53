"""How strong the bots of a tournament are, and how sure that is.

Strengths are those of a Plackett-Luce model, found by *full rank-breaking*: every ranking is broken
into its pairs, a tie counting half each way, and the pairs are fitted as won and lost. That is
consistent for Plackett-Luce with any number of seats, and takes ties as they come. Not openskill:
its ratings depend on the order of the matches, and its sigma is not a 95 % interval of a strength
that stays the same.

The prior: every bot has also won one match and lost one, spread over the others, so that a bot that
always wins is still finite. With two bots that is Bayes' own uniform prior.

Intervals are a Bayesian bootstrap over deals, see `resampling.py`; the prior's matches have weights, too, or all wins
would look like certainty.

Teams are compared with teams, never seats of one team with each other. Where all seats are one team
there is nobody to compare with: then it is told how well the bots do together, on the same kind of
intervals.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, permutations
from math import log

import numpy as np

from samovar.arena.outcome import Outcome, Tournament
from samovar.arena.resampling import FEWEST_DEALS, RESAMPLES, interval_of, resampled, summed
from samovar.arena.shares import ShareOfPair, side_by_side
from samovar.engine.arrays import Array, Floats
from samovar.engine.heuristics import CERTAIN
from samovar.reports.plots import Distribution

MEAN = 1500
SCALE = 400 / log(10)  # of a strength, to points as chess counts them: 400 points are odds of 10 to 1

AnyArray = Array  # whatever its numbers are


@dataclass(frozen=True)
class BotStanding:
    """How a bot did. In two seats of a match it counts twice; a number that nothing is known about
    is None."""

    name: str
    rating: float | None  # None where all play together
    low: float | None  # the 95 % interval; None with fewer than FEWEST_DEALS
    high: float | None
    matches: int
    win_share: float | None  # of its matches; of a first place that is shared with other teams its part
    seat_win_share: tuple[float | None, ...]  # the same by seat
    scores: Distribution  # scores and places: of matches without a forfeit
    mean_place: float | None
    forfeits: int
    seconds_per_move: float | None
    slowest: float | None  # answer, in seconds
    # where all play together: how well it does by itself in all seats, from 0 to 1, and in company
    success: float | None = None
    success_low: float | None = None
    success_high: float | None = None
    mixed_success: float | None = None

    @property
    def mean_score(self) -> float | None:
        return self.scores.mean


@dataclass(frozen=True)
class BotPair:
    """How two bots did against each other, seat by seat: what counts is who had the better
    place."""

    a: str
    b: str
    matches: int
    wins: int  # of a
    losses: int
    draws: int
    win_share: float | None  # of a, among those decided
    low: float | None
    high: float | None
    lead: float  # rating of a over b, by all matches of the tournament
    lead_low: float | None
    lead_high: float | None
    share: ShareOfPair  # how often a left b behind, in three ways


@dataclass(frozen=True)
class LineUp:
    """How well some bots do together, from 0 to 1, in whichever seats."""

    bots: tuple[str, ...]
    matches: int
    success: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class SeatStanding:
    """How often a seat won, by all bots together."""

    number: int
    win_share: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Forfeit:
    """A reason for which a bot forfeited, and the numbers of the matches."""

    bot: str
    reason: str
    matches: tuple[int, ...]


@dataclass(frozen=True)
class Standings:
    tournament: Tournament
    matches: int  # played
    deals: int
    bots: tuple[BotStanding, ...]  # the best first
    pairs: tuple[BotPair, ...]  # a is the better one
    seats: tuple[SeatStanding, ...]
    lengths: Distribution  # moves of matches without a forfeit
    forfeits: tuple[Forfeit, ...]
    line_ups: tuple[LineUp, ...] = ()  # the best first, where all play together; then there are no pairs

    @property
    def is_together(self) -> bool:
        return self.tournament.parties == 1


def standings(tournament: Tournament, outcomes: Iterable[Outcome]) -> Standings:
    """What the outcomes say, in whatever order they come."""
    played = sorted(outcomes, key=lambda outcome: outcome.number)
    return _together(tournament, played) if tournament.parties == 1 else _against(tournament, played)


def _against(tournament: Tournament, played: Sequence[Outcome]) -> Standings:
    """Bots that play against each other: ratings from pairs."""
    names = tournament.names
    matches = _count(tournament, played)
    deal = np.unique([outcome.deal for outcome in played], return_inverse=True)[1]
    deals = summed(matches, deal)
    prior = prior_of(len(names))
    (beaten,), (wins,), _, (firsts,) = _parts(deals.sum(0)[None], len(names))
    ratings = MEAN + SCALE * strengths(beaten[None] + prior)[0]

    chance = np.random.default_rng(tournament.seed)
    some_beaten, some_wins, _, some_firsts = _parts(resampled(deals, chance), len(names))
    some_ratings = MEAN + SCALE * strengths(some_beaten + chance.standard_gamma(prior, some_beaten.shape))
    # here, too, one match won and one lost, or won by each seat
    some_wins += chance.standard_exponential(some_wins.shape)
    some_firsts += chance.standard_exponential(some_firsts.shape)

    def interval(samples: Floats, value: float | None) -> tuple[float | None, float | None]:
        return (None, None) if value is None or len(deals) < FEWEST_DEALS else interval_of(samples, value)

    def bot(index: int) -> BotStanding:
        rating = float(ratings[index])
        return _bot(names[index], rating, *interval(some_ratings[:, index], rating), played, tournament.teams)

    def pair(a: int, b: int) -> BotPair:
        met = round(beaten[a, b] + beaten[b, a])
        won, lost = round(wins[a, b]), round(wins[b, a])
        share = _share(won, won + lost)
        lead = float(ratings[a] - ratings[b])
        decided = some_wins[:, a, b] / (some_wins[:, a, b] + some_wins[:, b, a])
        leads = some_ratings[:, a] - some_ratings[:, b]
        drawn = met - won - lost
        return BotPair(
            names[a], names[b], met, won, lost, drawn, share, *interval(decided, share), lead, *interval(leads, lead),
            shares[a][b],
        )  # fmt: skip

    def seat(number: int) -> SeatStanding:
        team = tournament.teams[number]
        share = _share(float(firsts[team]), len(played))
        return SeatStanding(number, share, *interval(some_firsts[:, team] / some_firsts.sum(1), share))

    best = sorted(range(len(names)), key=lambda index: -ratings[index])
    by_match, _, luck, _ = _parts(matches, len(names))
    shares = side_by_side(deal, by_match, luck, chance)
    return Standings(
        tournament,
        len(played),
        len(deals),
        tuple(bot(index) for index in best),
        tuple(pair(a, b) for a, b in combinations(best, 2)),
        tuple(seat(number) for number in range(tournament.seats)),
        Distribution.of(outcome.length for outcome in played if outcome.forfeit is None),
        _forfeits(played),
    )


def _together(tournament: Tournament, played: Sequence[Outcome]) -> Standings:
    """Bots that play with each other: how well each line-up does."""
    numbers = {deal: number for number, deal in enumerate(sorted({outcome.deal for outcome in played}))}
    of_line_up: dict[tuple[str, ...], list[Outcome]] = {}
    for outcome in played:
        of_line_up.setdefault(tuple(sorted(outcome.bots)), []).append(outcome)
    chance = np.random.default_rng(tournament.seed)

    def line_up(bots: tuple[str, ...]) -> LineUp:
        reached, met = np.zeros((2, len(numbers)))
        for outcome in of_line_up[bots]:
            reached[numbers[outcome.deal]] += (outcome.success or 0) / CERTAIN
            met[numbers[outcome.deal]] += 1
        success = float(reached.sum() / met.sum())
        if np.count_nonzero(met) < FEWEST_DEALS:
            return LineUp(bots, int(met.sum()), success, None, None)
        some = resampled(np.stack([reached, met], 1), chance)
        # here, too, one match won and one lost
        won, lost = chance.standard_exponential((2, RESAMPLES))
        low, high = interval_of((some[:, 0] + won) / (some[:, 1] + won + lost), success)
        return LineUp(bots, int(met.sum()), success, low, high)

    line_ups = sorted(map(line_up, sorted(of_line_up)), key=lambda one: -(one.success or 0))
    alone = {one.bots[0]: one for one in line_ups if len(set(one.bots)) == 1}

    def bot(name: str) -> BotStanding:
        own = alone.get(name, LineUp((), 0, None, None, None))
        company = [outcome for outcome in played if name in outcome.bots and len(set(outcome.bots)) > 1]
        mixed = _share(sum((outcome.success or 0) / CERTAIN for outcome in company), len(company))
        found = _bot(name, None, None, None, played, tournament.teams)
        return replace(found, success=own.success, success_low=own.low, success_high=own.high, mixed_success=mixed)

    bots = sorted(map(bot, tournament.names), key=lambda one: -(one.success or 0))
    lengths = Distribution.of(outcome.length for outcome in played if outcome.forfeit is None)
    return Standings(
        tournament, len(played), len(numbers), tuple(bots), (), (), lengths, _forfeits(played), tuple(line_ups)
    )


def prior_of(players: int) -> float:
    """How many matches each has won and lost against each other one before the first was played."""
    return 1 / max(1, players - 1)


def strengths(beaten: Floats) -> Floats:
    """The most likely strengths, with mean 0, for each of many tables `beaten[.., a, b]`: how often
    a was above b, by weight.

    Newton's method. A step changes no difference of two strengths by more than 1: then each step is
    sure to be for the better. What stands on the diagonal, a bot above itself, cancels out.
    """
    met = beaten + beaten.swapaxes(1, 2)
    logits: Floats = np.zeros(beaten.shape[:2])
    for _ in range(200):  # far more than needed
        expected = 1 / (1 + np.exp(logits[:, None, :] - logits[:, :, None]))
        slope = (beaten - met * expected).sum(2)
        weight = met * expected * (1 - expected)
        bend = weight.sum(2)[:, :, None] * np.eye(beaten.shape[1]) - weight + 1  # plus 1 keeps the mean at 0
        step = np.linalg.solve(bend, slope[:, :, None])[:, :, 0]
        logits += step / np.maximum(1, np.ptp(step, 1, keepdims=True))
        if np.abs(step).max() < 1e-8:
            break
    return logits


def _count(tournament: Tournament, played: Sequence[Outcome]) -> Floats:
    """A row for each match, to be added up and taken apart by `_parts`."""
    bots, seats, teams = len(tournament.names), tournament.seats, np.array(tournament.teams)
    index = {name: number for number, name in enumerate(tournament.names)}
    match = np.arange(len(played))
    bot = np.array([[index[name] for name in outcome.bots] for outcome in played], np.int64).reshape(-1, seats)
    place = np.array([outcome.places for outcome in played], np.int64).reshape(-1, seats)
    given = np.array([outcome.luck or (np.nan,) * seats for outcome in played], float).reshape(-1, seats)
    forfeit = np.array([-1 if outcome.forfeit is None else outcome.forfeit for outcome in played], np.int64)
    beaten, wins, luck = np.zeros((3, len(played), bots, bots))
    is_first = np.stack([(place[:, teams == team] == 1).any(1) for team in range(tournament.parties)], 1)
    firsts = is_first / is_first.sum(1, keepdims=True)
    gone = np.where(forfeit < 0, -1, teams[forfeit])
    sizes = np.bincount(teams)  # two teams count as one pair, however many they are
    for a, b in permutations(range(seats), 2):
        if teams[a] == teams[b]:  # they do not play against each other
            continue
        # after a forfeit nothing is said about two teams that would have gone on
        counts = ((gone < 0) | (gone == teams[a]) | (gone == teams[b])) / (sizes[teams[a]] * sizes[teams[b]])
        above = place[:, a] < place[:, b]
        level = place[:, a] == place[:, b]
        met = (match, bot[:, a], bot[:, b])
        np.add.at(beaten, met, counts * (above + level / 2))
        np.add.at(wins, met, counts * above)
        np.add.at(luck, met, counts * (given[:, a] - given[:, b]) / 2)
    tables = (table.reshape(-1, bots * bots) for table in (beaten, wins, luck))
    return np.concatenate([*tables, firsts], 1)


def _parts(rows: Floats, bots: int) -> tuple[Floats, Floats, Floats, Floats]:
    """How often each bot was above each other (ties half each way), the same without ties, how much more luck it had
    than the other (not a number where that is not known), and how often each team was first."""
    beaten, wins, luck, firsts = np.split(rows, np.arange(1, 4) * bots * bots, 1)
    return beaten.reshape(-1, bots, bots), wins.reshape(-1, bots, bots), luck.reshape(-1, bots, bots), firsts


def _bot(
    name: str,
    rating: float | None,
    low: float | None,
    high: float | None,
    played: Sequence[Outcome],
    teams: Sequence[int],
) -> BotStanding:
    seats = len(teams)
    sat = [(outcome, seat) for outcome in played for seat in range(seats) if outcome.bots[seat] == name]
    ended = [(outcome, seat) for outcome, seat in sat if outcome.forfeit is None]
    timed = [(outcome, seat) for outcome, seat in sat if outcome.moves]
    won: list[list[float]] = [[] for _ in range(seats)]
    for outcome, seat in sat:
        first = {team for team, place in zip(teams, outcome.places, strict=True) if place == 1}
        won[seat].append((teams[seat] in first) / len(first))
    return BotStanding(
        name,
        rating,
        low,
        high,
        matches=len(sat),
        win_share=_share(sum(map(sum, won)), len(sat)),
        seat_win_share=tuple(_share(sum(shares), len(shares)) for shares in won),
        scores=Distribution.of(outcome.scores[seat] for outcome, seat in ended),
        mean_place=_share(sum(outcome.places[seat] for outcome, seat in ended), len(ended)),
        forfeits=sum(outcome.forfeit == seat for outcome, seat in sat),
        seconds_per_move=_share(
            sum(outcome.seconds[seat] for outcome, seat in timed), sum(outcome.moves[seat] for outcome, seat in timed)
        ),
        slowest=max((outcome.slowest[seat] for outcome, seat in timed), default=None),
    )


def _forfeits(played: Sequence[Outcome]) -> tuple[Forfeit, ...]:
    """By bot and reason, the most frequent first."""
    numbers_by_cause: dict[tuple[str, str], list[int]] = {}
    for outcome in played:
        if outcome.forfeit is not None:
            numbers_by_cause.setdefault((outcome.bots[outcome.forfeit], outcome.reason), []).append(outcome.number)
    listed = [Forfeit(bot, reason, tuple(numbers)) for (bot, reason), numbers in numbers_by_cause.items()]
    return tuple(sorted(listed, key=lambda forfeit: -len(forfeit.matches)))


def _share(part: float, whole: float) -> float | None:
    return part / whole if whole else None
