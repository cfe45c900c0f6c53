"""What a seat imagines must be as often so in truth: `determinize` compared with what really happened.

Deal many matches and play them at random; at some moment let a seat imagine a world in each. Had the seat drawn among
all that could have happened, given all it has received so far, then truth and imagined world could be swapped and
nobody would notice: whatever one asks of the two ("does seat 1 hold a five, where seat 0 has heard that it does not?"),
as many matches say yes for the truth and no for the world as the other way round. That holds exactly, for every
question, however long the history, and no two deals need to look alike for it. A world that contradicts what was heard
and a draw that prefers some cards both show in it, and so does a public fact that observation and `determinize` have
both forgotten: it was in the news when it happened, or the seat observed it then. So what a seat once received may not
be lost to the state. Of long ago only what was observed at the deal and at the moments that are looked at is asked for,
and only what worlds can contradict: forgetting that changes nothing hidden harms no bot, and is not found. Nor is what
a view alone has shown; `reachable.py` asks for that as well, in small games.

Others chose at random here, and `determinize` need not know that: it may draw all worlds that fit alike, although a
move is likelier in some of them. So after the deal only what is far too often or far too seldom is a fault.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from samovar.engine.arrays import Flags, Float32s, Floats, Int8s, Int64s, States
from samovar.engine.batch import Batch
from samovar.engine.chance import CHANCE_FIELD
from samovar.engine.contract import Game, Options, Part
from samovar.engine.ways.backend import backend
from samovar.engine.ways.plain import plain_state

MATCHES = 2000
SEED = 70_000
LATER_MOMENTS = (0.2, 0.5)  # beside the deal: as parts of a usual match
HEARD = 4  # moves whose news are asked about
FALSE_ALARM = 1e-7  # the chance that an honest game fails at one moment
MANY_VALUES = 80  # a number with more values is asked about bit by bit
MOST_HIDDEN, MOST_KNOWN = 400, 250  # questions of a moment: those that most matches answer in two ways
MOST_REMEMBERED = 100  # more of them, on what was observed before
FEW_VALUES = 2  # a number with no more says whether, and not which
NOTHING_BEFORE: Mapping[int, Int8s] = {}
SOME_BIAS = 3.0  # how much likelier a world may be made, once others have chosen
LIMIT = float(np.log(2 * MOST_HIDDEN * (MOST_KNOWN + MOST_REMEMBERED) / FALSE_ALARM))  # of evidence
NOT_TOLD = -(2**40)

HistoryQuestion: TypeAlias = tuple[int, str, Flags]  # how telling it is, in words, and the answers


@dataclass(frozen=True)
class Asked:
    """Questions to one moment of all matches, a column each: 1 where the answer is yes."""

    names: list[str]
    answers: Float32s

    @classmethod
    def of(cls, questions: list[HistoryQuestion]) -> Asked:
        answers = np.stack([answers for *_, answers in questions], 1) if questions else np.zeros((0, 0), np.bool_)
        return cls([question for _, question, _ in questions], answers.astype(np.float32))


def check_calibrated(game: Game, seats: int, options: Options, matches: int = MATCHES) -> int:
    """At the deal and at some later moments, for the first seat and the last. Says how many questions were asked."""
    batch = Batch(game, matches, seats, SEED, threads=1, **options)
    ends = Batch(game, matches, seats, SEED, threads=1, **options).play_random(2**40)
    usual = int(np.median(ends))
    moments = sorted({0, *(max(1, int(usual * part)) for part in LATER_MOMENTS)})
    trail: list[States] = [batch.states.copy()]
    asked = 0
    observed: dict[int, dict[int, Int8s]] = {seat: {} for seat in {0, seats - 1}}  # at the moments before
    for moment in range(moments[-1] + 1):
        if moment in moments:
            going_on = np.flatnonzero(batch.actors())
            recent = [states[going_on] for states in trail]
            for seat, before in observed.items():
                asked += check_moment(game, seat, recent, moment, {k: rows[going_on] for k, rows in before.items()})
                before[moment] = batch.observe(seat).copy()
        batch.play_random(1)
        trail = [*trail, batch.states.copy()][-HEARD:]
    return asked


def check_moment(game: Game, seat: int, recent: list[States], moment: int, before: Mapping[int, Int8s]) -> int:
    """One seat in all matches; `recent` are the states after the last moves, the present ones last; `before` is what
    the seat observed after so many moves."""
    truths = recent[-1]
    worlds = truths.copy()
    seeds = np.arange(SEED + moment, SEED + moment + len(worlds), dtype=np.int64)
    backend(game).determinize(worlds, seat, seeds)
    bias = SOME_BIAS if moment else 1.0
    enough = LIMIT / np.log((1 + bias) / bias)  # differences: fewer prove nothing, even if all are alike
    if np.count_nonzero(worlds != truths) < enough:
        return 0
    received = Received.by(game, seat, recent[-moment:] if moment else [], truths, before)
    known = received.questions(enough)
    real, imagined = hidden_questions(truths, worlds, received, enough)
    if not real.names:
        return 0
    more_real, more_imagined = (
        known.answers.T @ (one.answers > other.answers).astype(np.float32)
        for one, other in ((real, imagined), (imagined, real))
    )
    surprise = evidence(more_real, more_imagined, bias)
    if surprise.max() > LIMIT:
        given, asked = np.unravel_index(int(surprise.argmax()), surprise.shape)
        rows = known.answers[:, given] > 0
        true, drawn = (int(answers.answers[rows, asked].sum()) for answers in (real, imagined))
        wrong = "what cannot be" if not true else "too often" if drawn > true else "too seldom"
        raise AssertionError(
            f"seat {seat} after {moment} moves: in {int(rows.sum())} matches where {known.names[given]}, "
            f"{real.names[asked]} in {true} in truth and in {drawn} of the worlds that it imagines: determinize draws "
            f"{wrong}. What a seat has received must be in the state for as long as it matters, and each world that "
            "fits must have the same chance."
        )
    return int(surprise.size)


def evidence(one: Float32s, other: Float32s, bias: float) -> Floats:
    """How unlikely it is to see so many of one and so few of the other, where neither is more than `bias` times as
    likely: minus the logarithm of the chance, at least (Chernoff)."""
    total = (one + other).astype(np.float64)
    part = np.maximum(one, other) / np.maximum(total, 1)
    fair = bias / (1 + bias)
    with np.errstate(divide="ignore", invalid="ignore"):
        rest = np.where(part < 1, (1 - part) * np.log((1 - part) / (1 - fair)), 0)
        distance = part * np.log(part / fair) + rest
    return np.where(part > fair, total * distance, 0.0)


@dataclass(frozen=True)
class Received:
    """What a seat has received in many matches: its observations now, and the news of the last moves."""

    observed: Int8s
    parts: tuple[Part, ...]
    told: dict[str, Flags]  # by sentence: where it was told
    named: dict[str, Int64s]  # by what a number in the news says, or what was observed before: that number, or NOT_TOLD
    before: Mapping[int, Int8s]  # what it observed after so many moves

    @classmethod
    def by(
        cls, game: Game, seat: int, recent: list[States], now: States, before: Mapping[int, Int8s] = NOTHING_BEFORE
    ) -> Received:
        rows = np.zeros((len(now), game.observation_size), np.int8)
        backend(game).observe(now, seat, rows)
        told: dict[str, Flags] = defaultdict(lambda: np.zeros(len(now), np.bool_))
        named: dict[str, Int64s] = defaultdict(lambda: np.full(len(now), NOT_TOLD))
        for ago, states in enumerate(reversed(recent)):
            for match in range(len(now)):
                for event in game.news_of(plain_state(states[match : match + 1]), seat):
                    told[f"it was told {event.kind!r} {dict(event.facts)} {ago} moves ago"][match] = True
                    who = {name: fact for name, fact in event.facts if name.endswith("seat")}
                    for name, fact in event.facts:
                        if isinstance(fact, int):
                            named[f"the {name} of {event.kind!r} {who} {ago} moves ago"][match] = fact
        for moves, observed in before.items():
            for one, column, later in zip(names_in(game.observation), observed.T, rows.T, strict=True):
                if (column != later).any() and np.unique(column).size > FEW_VALUES:
                    named[f"{one}, as it observed after {moves} moves,"] = column.astype(np.int64)
        return cls(rows, game.observation, told, named, before)

    def questions(self, enough: float) -> Asked:
        """What the seat knows: it was told something, or observes it."""
        everywhere = np.ones(len(self.observed), np.bool_)
        told = [(int(np.count_nonzero(answers)), question, answers) for question, answers in self.told.items()]
        told = most([entry for entry in told if entry[0] >= enough], MOST_KNOWN - 1)
        observed = most(self._observed("it observes that ", self.observed, enough), MOST_KNOWN - 1 - len(told))
        remembered = most(
            [
                entry
                for moves, rows in self.before.items()
                for entry in self._observed(f"it observed after {moves} moves that ", self._lost(rows), enough)
            ],
            MOST_REMEMBERED,
        )
        return Asked.of([(0, "anything is so", everywhere), *told, *observed, *remembered])

    def _lost(self, rows: Int8s) -> Int8s:
        """What was observed once and is observed no more."""
        return np.where((rows == self.observed).all(0), rows[:1], rows)

    def _observed(self, when: str, rows: Int8s, enough: float) -> list[HistoryQuestion]:
        found: list[HistoryQuestion] = []
        for name, column in zip(names_in(self.parts), rows.T, strict=True):
            for question, answers in questions_to(when + name, column):
                split = int(np.count_nonzero(answers))
                if enough <= split < len(column):
                    found.append((min(split, len(column) - split), question, answers))
        return found

    def relations(self, name: str, numbers: Int64s) -> Iterator[tuple[str, Flags]]:
        """A hidden number may be one that was named, or the place of something in the observation. That is asked for
        all numbers at once, so that few matches show it."""
        for told, facts in self.named.items():
            yield f"{name} is {told}", numbers == facts
        start = 0
        for part in self.parts:
            if part.size > 1:
                inside = (numbers >= 0) & (numbers < part.size)
                at = start + np.where(inside, numbers, 0).astype(np.int64)
                yield (
                    f"{name} is a place k where it observes that {part.name}[k] is not 0",
                    inside & (self.observed[np.arange(len(self.observed)), at] != 0),
                )
            start += part.size


def names_in(parts: tuple[Part, ...]) -> list[str]:
    return [f"{part.name}[{k}]" for part in parts for k in range(part.size)]


def hidden_questions(truths: States, worlds: States, received: Received, enough: float) -> tuple[Asked, Asked]:
    """What is so in the truth, and in the worlds: what the two answer differently in most matches."""
    values: list[HistoryQuestion] = []
    relations: list[HistoryQuestion] = []
    for name, numbers in numbers_of(np.stack([truths, worlds])):
        if np.count_nonzero(numbers[0] != numbers[1]) >= enough:
            values += [compared(*asked) for asked in questions_to(name, numbers)]
            relations += [compared(*asked) for asked in received.relations(name, numbers)]
    asked = [entry for found in (values, relations) for entry in most(found, MOST_HIDDEN // 2) if entry[0] >= enough]
    real, imagined = (
        Asked.of([(count, question, answers[which]) for count, question, answers in asked]) for which in range(2)
    )
    return real, imagined


def compared(question: str, answers: Flags) -> HistoryQuestion:
    return int(np.count_nonzero(answers[0] != answers[1])), question, answers


def most(found: list[HistoryQuestion], count: int) -> list[HistoryQuestion]:
    return sorted(found, key=lambda entry: -entry[0])[:count]


def numbers_of(states: States) -> Iterator[tuple[str, Int64s]]:
    """All numbers of states, by name; chance to come is the engine's, which draws it anew in every world."""
    for name in states.dtype.names or ():
        if name == CHANCE_FIELD:
            continue
        for place in np.ndindex(states.dtype[name].shape):
            yield f"state.{name}{list(place) or ''}", states[name][(..., *place)]


def questions_to(name: str, numbers: Int64s) -> Iterator[tuple[str, Flags]]:
    """A number is asked which of its values it has, or, if it is a set of bits, whether each is there."""
    values = np.unique(numbers)
    if len(values) <= MANY_VALUES:
        for value in values.tolist():
            yield f"{name} is {value}", numbers == value
    else:
        for bit in range(int(values.max()).bit_length()):
            yield f"{name} has bit {bit}", (numbers >> bit) & 1 == 1
