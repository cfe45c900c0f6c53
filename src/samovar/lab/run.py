"""Measures what was ordered, bit by bit: first what needs no thinking, then matches between bots. It can be stopped
at any time, with what there is by then. By matches, the figures depend on the order alone, however many workers there
are; by seconds, on how fast they are, too.

All variants take turns, deal by deal, so that there is always as much of each."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass, field, replace
from itertools import count, islice, takewhile

from samovar.arena.outcome import Outcome, Tournament
from samovar.arena.plan import PlannedMatch, TournamentPlan
from samovar.arena.playing import PlayedMatch
from samovar.arena.referee import MOVE_LIMIT, Referee
from samovar.arena.tournament import check, check_limits, play_here
from samovar.engine.chance import derive_seed
from samovar.engine.contract import Value
from samovar.lab.counted import Counted, Counting
from samovar.lab.intervals import Sums
from samovar.lab.order import LabOrder
from samovar.lab.traced import Trace, lost_by_forfeit, trace

COUNTING, PLAYING, MEETING, DONE = STAGES = ("counting", "playing", "meeting", "done")
SHARES = {COUNTING: 0.2, PLAYING: 0.5, MEETING: 0.3}  # of the time, where that is limited
BY_CHANCE_ALONE = {COUNTING: 1.0, PLAYING: 0.0, MEETING: 0.0}
EVERY = 0.5  # seconds between two reports


@dataclass(frozen=True)
class Meeting:
    """How two neighbouring players did against each other in one deal, in all its rotations."""

    variant: int
    deal: int
    share: float  # of the stronger one's comparisons with the weaker: won, ties by half
    matches: int


@dataclass
class Study:
    """One variant."""

    options: dict[str, Value]
    counted: Counted
    differences: Sums  # of the random matches to those of the first variant with the same deals
    traces: list[Trace] = field(default_factory=list)  # by number
    meetings: dict[tuple[str, str], list[Meeting]] = field(default_factory=dict)  # (weaker, stronger), by deal
    forfeits: int = 0


@dataclass(frozen=True)
class Findings:
    """What there is so far."""

    order: LabOrder
    studies: list[Study]
    stage: str
    done: float  # 0 to 1

    @property
    def player(self) -> str | None:
        """Who played the matches that were looked at."""
        return self.order.thinkers[-1] if self.order.thinkers else None


def measuring(order: LabOrder) -> Generator[Findings, None, None]:
    """Better from one to the next; what is wrong with the order is said before the first."""
    lab = Lab(order)
    return lab.run()


class Lab:
    clock = staticmethod(time.perf_counter)

    def __init__(self, order: LabOrder) -> None:
        self.order = order
        self._counting = Counting(order.game, order.seats, [*order.variants], order.seed, order.device)
        self.studies = [
            Study(options, counted, differences)
            for options, counted, differences in zip(
                order.variants, self._counting.found, self._counting.differences, strict=True
            )
        ]
        self._shares = SHARES if order.thinkers else BY_CHANCE_ALONE
        self._pairs = list(zip(order.players, order.players[1:], strict=False))
        self._workers = check_limits(order.workers, MOVE_LIMIT)
        self._check_players()

    def _check_players(self) -> None:
        """A wrong name would lose all its matches."""
        with Referee(MOVE_LIMIT) as referee:
            for name in self.order.players:
                referee.check_bots(self._plans((name,) * self.order.seats)[0])

    def run(self) -> Generator[Findings, None, None]:
        with self._joined():
            yield self._findings(COUNTING, 0.0)
            yield from self._count()
            if self.order.thinkers:
                yield from self._play()
            yield from self._meet()
            yield self._findings(DONE, 1.0)

    def _joined(self) -> AbstractContextManager[None]:
        """Once for all: who named a cluster that is not there hears of it first, and not after the counting."""
        if self.order.cluster is None:
            return nullcontext()
        from samovar.arena.cluster import joined

        return joined(self.order.cluster)

    def _findings(self, stage: str, part: float) -> Findings:
        before = sum(self._shares[earlier] for earlier in STAGES[: STAGES.index(stage)])
        return Findings(
            self.order, self.studies, stage, min(before + self._shares.get(stage, 0.0) * min(part, 1.0), 1.0)
        )

    def _until(self, share: float) -> float:
        """When to stop, if time is what limits."""
        seconds = self.order.seconds
        return float("inf") if seconds is None else self.clock() + share * seconds

    def _count(self) -> Iterator[Findings]:
        until, begun = self._until(self._shares[COUNTING]), self.clock()
        for matches in self._counting.run(self.order.random):
            spent = self.clock()
            yield self._findings(COUNTING, self._part(matches, self.order.random, begun, until))
            if spent >= until:
                return

    def _part(self, made: int, wanted: int, begun: float, until: float) -> float:
        if self.order.seconds is None:
            return made / wanted
        return max((self.clock() - begun) / max(until - begun, 1e-9), made / wanted)

    def _plans(self, bots: tuple[str, ...], matches: int = 1) -> list[TournamentPlan]:
        """By variant."""
        order, seed = self.order, derive_seed(self.order.seed, "lab", *bots) % 2**62
        plans = [
            check(Tournament(order.game.id, bots, order.seats, matches, seed, options)) for options in order.variants
        ]
        for plan in plans:
            plan.is_luck_measured = False  # the lab has its own ways to tell luck, and its minutes are few
        return plans

    def _seated(self, *names: str) -> tuple[str, ...]:
        """One for each team, in turn."""
        parties = len(set(self.order.game.teams(self.order.seats)))
        return tuple(names[number % len(names)] for number in range(parties))

    def _matches(self, bots: tuple[str, ...], share: float) -> Iterator[tuple[int, PlayedMatch, float]]:
        """All variants of each deal; told with each are its variant and what part is done. All matches of a deal are
        played, or none of them counts."""
        plans = self._plans(bots, self.order.matches)
        begun, until = self.clock(), self._until(share)
        wanted = len(plans) * (len(plans[0]) if self.order.seconds is None else 10**9)
        asked = takewhile(lambda number: number < wanted and self.clock() < until, count())
        play = self._here if self.order.cluster is None else self._on_cluster
        with closing(play(plans, asked)) as matches:
            for made, (variant, played) in enumerate(matches, 1):
                yield variant, played, self._part(made, wanted, begun, until)

    def _here(
        self, plans: list[TournamentPlan], asked: Iterator[int]
    ) -> Generator[tuple[int, PlayedMatch], None, None]:
        def planned(number: int) -> PlannedMatch:
            variant, own = self._found(number, plans)
            return replace(plans[variant].match(own), number=number)

        with closing(play_here(map(planned, asked), self._workers, MOVE_LIMIT, True)) as matches:
            for played in matches:
                yield self._found(played.outcome.number, plans)[0], played

    def _on_cluster(
        self, plans: list[TournamentPlan], asked: Iterator[int]
    ) -> Generator[tuple[int, PlayedMatch], None, None]:
        """A deal of a variant is a task."""
        from samovar.arena.cluster import play_portions

        group = plans[0].group
        numbers = iter(lambda: [self._found(number, plans) for number in islice(asked, group)], [])
        portions = ((plans[places[0][0]], [own for _, own in places]) for places in numbers)
        with closing(play_portions(portions, MOVE_LIMIT, True)) as matches:
            for plan, (outcome, record) in matches:
                variant = plans.index(plan)
                deal, place = divmod(outcome.number, group)
                number = (deal * len(plans) + variant) * group + place
                yield variant, PlayedMatch(replace(outcome, number=number), record)

    def _found(self, number: int, plans: list[TournamentPlan]) -> tuple[int, int]:
        """Of which variant a match is, and its number there: they come by deal, then by variant."""
        group = plans[0].group
        deal, within = divmod(number, group * len(plans))
        variant, place = divmod(within, group)
        return variant, deal * group + place

    def _play(self) -> Iterator[Findings]:
        """The matches that are looked at."""
        looked: dict[Future[Trace], int] = {}
        reported = self.clock()
        pool = ThreadPoolExecutor(self._workers)
        try:
            for variant, (outcome, record), part in self._matches(
                self._seated(self.order.thinkers[-1]), self._shares[PLAYING]
            ):
                if record is None or lost_by_forfeit(record):
                    self.studies[variant].forfeits += 1
                    continue
                asked = pool.submit(trace, record, outcome.number, outcome.deal, variant, self.order.seed)
                looked[asked] = outcome.number
                if self.clock() - reported >= EVERY:
                    self._take(looked, wait=False)
                    yield self._findings(PLAYING, part)
                    reported = self.clock()
            self._take(looked, wait=True)
        finally:  # who stops it does not wait for all that was still to be looked at, and keeps what was
            pool.shutdown(cancel_futures=True)
            self._take({asked: number for asked, number in looked.items() if not asked.cancelled()}, wait=False)
        yield self._findings(PLAYING, 1.0)

    def _take(self, looked: dict[Future[Trace], int], *, wait: bool) -> None:
        for asked in [asked for asked in looked if wait or asked.done()]:
            del looked[asked]
            found = asked.result()
            self.studies[found.variant].traces.append(found)
        for study in self.studies:
            study.traces.sort(key=lambda each: each.number)

    def _meet(self) -> Iterator[Findings]:
        """Each two neighbours."""
        for number, (weaker, stronger) in enumerate(self._pairs):
            bots = self._seated(weaker, stronger)
            group = self._plans(bots)[0].group
            open_deals: dict[tuple[int, int], list[Outcome]] = {}
            reported = self.clock()
            for variant, (outcome, _), part in self._matches(bots, self._shares[MEETING] / len(self._pairs)):
                if outcome.forfeit is not None:  # its deal says nothing about skill
                    self.studies[variant].forfeits += 1
                    continue
                so_far = open_deals.setdefault((variant, outcome.deal), [])
                so_far.append(outcome)
                if len(so_far) == group:
                    met = self.studies[variant].meetings.setdefault((weaker, stronger), [])
                    met.append(meeting(so_far, stronger, weaker, variant))
                    met.sort(key=lambda each: each.deal)
                if self.clock() - reported >= EVERY:
                    yield self._findings(MEETING, (number + part) / len(self._pairs))
                    reported = self.clock()
            yield self._findings(MEETING, (number + 1) / len(self._pairs))


def meeting(outcomes: list[Outcome], stronger: str, weaker: str, variant: int) -> Meeting:
    """Every seat of one against every seat of the other. If a bot named twice sits on both sides, nobody is
    stronger."""
    points = pairs = 0.0
    for outcome in outcomes:
        for seat, bot in enumerate(outcome.bots):
            for other, against in enumerate(outcome.bots):
                if (bot, against) == (stronger, weaker):
                    mine, theirs = outcome.places[seat], outcome.places[other]
                    points += 1.0 if mine < theirs else 0.5 if mine == theirs else 0.0
                    pairs += 1
    return Meeting(variant, outcomes[0].deal, points / pairs, len(outcomes))
