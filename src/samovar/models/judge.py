"""How strong a language model is, in points beside the levels of bots.

It plays deal after deal, each once as every player, always against the level that is nearest to it by then, until its
place is sure. How strong the levels are is known: each beats the one below it as often as the game's heuristics say,
and *medium* has 1,500 points. A match counts by the share of the opponents that were left behind, less a part of the
luck in it where that is known (see `arena/luck.py`).

Whatever a model answers, the match goes on: it is asked again after an illegal move, a few times, and then it has lost
the match, like a bot of the arena.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import msgspec
import numpy as np

from samovar.arena.luck import luck_of
from samovar.arena.ratings import MEAN, SCALE
from samovar.arena.resampling import FEWEST_DEALS, RESAMPLES, interval_of, resampled, summed
from samovar.arena.shares import part_of_luck
from samovar.engine.arrays import Array, Floats
from samovar.engine.chance import derive_seed
from samovar.engine.contract import Game, Options
from samovar.engine.heuristics import strengths_of
from samovar.engine.match import Match
from samovar.errors import BadTournament, IllegalMove
from samovar.insight.likeness import levels_like
from samovar.insight.review import review
from samovar.json_types import JsonObject
from samovar.language.languages import ENGLISH
from samovar.models.asked import AskedModel
from samovar.models.local import LocalTable
from samovar.models.told import OVER, ToldTable, listed
from samovar.teach.rules_pages import rules_page

ZERO = "medium"  # has MEAN points, as on a site's table of players
SURE_ENOUGH = 50.0  # points, half an interval of 95 %
PHASES = ("beginning", "middle", "end")  # thirds of the moves of a match
STRONGEST = 12.0  # nobody is so far from ZERO, by the logarithm of strength
STEPS = 40  # of the search between there and its opposite
REVIEW_SECONDS = 4.0

ASKING = "Answer with one legal move, its number or its text, alone on the last line."


@dataclass(frozen=True)
class JudgeOrder:
    game: Game
    seats: int
    options: Options = field(default_factory=dict)
    seed: int = 0
    matches: int = 200  # at most
    tries: int = 3  # after an illegal move
    reviews: int = 4  # matches that are looked at for what the choices cost


class JudgedMatch(msgspec.Struct, frozen=True):
    deal: int
    player: int  # the model's, from 1
    level: str
    share: float  # of the opponents it left behind
    luck: float | None
    moves: int
    asked: tuple[int, ...]  # moves made before each question
    illegal: tuple[int, ...]  # moves made before each illegal answer
    read: int  # tokens
    written: int
    reason: str = ""  # why it lost without playing to the end


class Phase(msgspec.Struct, frozen=True):
    name: str
    illegal: float | None  # of the answers
    cost: float | None  # of a choice, as a share


class ModelPlace(msgspec.Struct, frozen=True):
    """What is known so far."""

    matches: tuple[JudgedMatch, ...]
    points: float
    low: float | None  # the 95 % interval; None with too few deals
    high: float | None
    is_luck_free: bool
    phases: tuple[Phase, ...] = ()
    reviewed: int = 0
    like: tuple[str, ...] = ()  # the level that its choices are like, or two neighbours

    @property
    def is_sure(self) -> bool:
        return self.low is not None and self.high is not None and self.high - self.low <= 2 * SURE_ENOUGH


def judging(order: JudgeOrder, model: AskedModel) -> Iterator[ModelPlace]:
    """The verdict after each deal; the last one says what the choices cost, too."""
    check(order)
    rules = f"You play {order.game.name}. These are the rules.\n\n{rules_page(order.game, ENGLISH)}"
    strengths = strengths_of(order.game.heuristics.levels, ZERO)
    matches: list[JudgedMatch] = []
    records: list[tuple[int, JsonObject]] = []
    verdict = ModelPlace((), MEAN, None, None, is_luck_free=False)
    deal = 0
    while not verdict.is_sure and len(matches) < order.matches:
        own = (verdict.points - MEAN) / SCALE
        level = min(order.game.heuristics.offered, key=lambda level: abs(strengths[level] - own))
        for seat in range(order.seats):
            judged, match = play(order, model, rules, deal, level, seat)
            matches.append(judged)
            if match.over and len(records) < order.reviews:
                records.append((seat, match.record()))
        deal += 1
        verdict = verdict_of(matches, strengths)
        yield verdict
    yield looked_at(verdict, order, records)


def check(order: JudgeOrder) -> None:
    if len(set(order.game.teams(order.seats))) < order.seats:
        raise BadTournament(
            f"In {order.game.name} with {order.seats} players some play together, and a model is judged by how many it "
            "leaves behind. Let it play with `samovar mcp`."
        )
    if order.matches < 1 or order.tries < 0 or order.reviews < 0:
        raise BadTournament("A model plays at least one match. Give --matches, --tries and --reviews as whole numbers.")


def play(
    order: JudgeOrder, model: AskedModel, rules: str, deal: int, level: str, seat: int
) -> tuple[JudgedMatch, Match]:
    seed = derive_seed(order.seed, "deal", deal)
    table = LocalTable.opened("", order.game.id, order.seats, seat + 1, [level], order.options, seed)
    asking = Asking(model, rules, order.tries)
    try:
        told = table.wait(0.0)
        while told.status != OVER:
            told = table.play(asking.move(told, len(table.match.history)))
    except IllegalMove as error:
        asking.reason = str(error)
    finally:
        table.leave()
    match = table.match
    luck = luck_of(match, derive_seed(seed, "luck", seat))
    judged = JudgedMatch(
        deal,
        seat + 1,
        level,
        0.0 if asking.reason else share_of(match.places, seat),
        luck[seat] if luck else None,
        len(match.history),
        tuple(asking.asked),
        tuple(asking.illegal),
        asking.read,
        asking.written,
        asking.reason,
    )
    return judged, match


def share_of(places: Sequence[int], seat: int) -> float:
    others = [place for other, place in enumerate(places) if other != seat]
    return sum((place > places[seat]) + (place == places[seat]) / 2 for place in others) / len(others)


class Asking:
    """A model during a match. What it has been told is told again with each question, for it may remember nothing."""

    def __init__(self, model: AskedModel, rules: str, tries: int) -> None:
        self._model, self._rules, self._tries = model, rules, tries
        self._story: list[str] = []
        self.asked: list[int] = []
        self.illegal: list[int] = []
        self.read = self.written = 0
        self.reason = ""

    def move(self, told: ToldTable, moves_made: int) -> int:
        """A legal one; an illegal one is an error only when it is the last that is allowed."""
        self._story += told.happened
        question = question_of(told, self._story)
        again = ""
        for left in range(self._tries, -1, -1):
            self.asked.append(moves_made)
            answer = self._model.ask(self._rules, question + again)
            self.read += answer.read
            self.written += answer.written
            said = last_line(answer.text)
            try:
                return told.chosen(said)
            except IllegalMove:
                self.illegal.append(moves_made)
                if not left:
                    raise IllegalMove(f"The last of its answers was {said[:80]!r}, which is no legal move.") from None
                again = f"\n\nYou answered {said[:80]!r}, which is no legal move. {ASKING}"
        raise AssertionError("the last try has returned or raised")


def question_of(told: ToldTable, story: Sequence[str]) -> str:
    parts = [f"You are player {told.seat + 1} of {len(told.names)}."]
    if story:
        parts.append(listed("What happened so far, as you saw it:", story))
    return "\n\n".join([*parts, "What you see now:", *told.seen_parts, told.moves_text(), ASKING])


def last_line(text: str) -> str:
    """What an answer comes to, without the marks that models like to put around it."""
    lines = [line.strip() for line in text.splitlines() if line.strip(" \t`*_.")]
    line = lines[-1].strip("`*_ ") if lines else ""
    head, colon, rest = line.partition(":")
    return (rest if colon and head.strip("`*_ ").casefold() in ("move", "answer") else line).strip("`*_ '\".")


# Where it stands


def verdict_of(matches: Sequence[JudgedMatch], strengths: dict[str, float]) -> ModelPlace:
    """With an interval by a Bayesian bootstrap over deals. The model has also won and lost one match against ZERO, so
    that one which always wins is still somewhere; both have weights of their own, or all wins would look certain."""
    levels = np.array([strengths[match.level] for match in matches])
    deals = np.array([match.deal for match in matches])
    shares = np.array([match.share for match in matches])
    luck = np.array([np.nan if match.luck is None else match.luck for match in matches])
    count = int(deals[-1]) + 1
    kinds = np.array(list(strengths.values()))
    met = np.equal.outer(levels, kinds)

    def by_deal() -> Floats:
        return summed(np.column_stack([shares, met]), deals)

    own = strengths_with(by_deal().sum(0)[None], kinds, np.ones((1, 2)))[0]
    is_luck_free = bool(np.isfinite(luck).all()) and count >= FEWEST_DEALS
    if is_luck_free:
        shares = without_luck(shares, luck, deals, expected(own, levels))
        own = strengths_with(by_deal().sum(0)[None], kinds, np.ones((1, 2)))[0]
    points = float(MEAN + SCALE * own)
    if count < FEWEST_DEALS:
        return ModelPlace(tuple(matches), points, None, None, is_luck_free)
    chance = np.random.default_rng(count)
    some = strengths_with(resampled(by_deal(), chance), kinds, chance.standard_exponential((RESAMPLES, 2)))
    return ModelPlace(tuple(matches), points, *interval_of(MEAN + SCALE * some, points), is_luck_free)


def strengths_with(sums: Floats, levels: Floats, beside: Floats) -> Floats:
    """For each row the strength with which as much would have been won as was: `sums` has what was won, then how many
    matches against each level; `beside` how much a match won and one lost against ZERO count."""
    won, met = sums[:, 0] + beside[:, 0], np.column_stack([sums[:, 1:], beside.sum(1)])
    against = np.append(levels, 0.0)
    low, high = np.full(len(sums), -STRONGEST), np.full(len(sums), STRONGEST)
    for _ in range(STEPS):
        middle = (low + high) / 2
        is_more = won > (met * expected(middle[:, None], against)).sum(1)
        low, high = np.where(is_more, middle, low), np.where(is_more, high, middle)
    found: Floats = (low + high) / 2
    return found


def expected(own: Floats | float, levels: Floats) -> Floats:
    return 1 / (1 + np.exp(levels - own))


def without_luck(shares: Floats, luck: Floats, deals: Array, means: Floats) -> Floats:
    """Less a part of the luck."""
    products, squares = summed(np.column_stack([luck * (shares - means), luck * luck]), deals).T
    part = part_of_luck(products, squares)
    free: Floats = shares - part[deals] * luck
    return free


# Where it errs


def looked_at(verdict: ModelPlace, order: JudgeOrder, records: Sequence[tuple[int, JsonObject]]) -> ModelPlace:
    """With what its answers and choices were like in each third of a match."""
    costs: list[list[float]] = [[] for _ in PHASES]
    like: tuple[str, ...] = ()
    for seat, record in records:
        found = review(record, seconds=REVIEW_SECONDS, seed=order.seed)
        for choice in found.choices:
            if choice.seat == seat:
                costs[phase_at(choice.moves_made, len(found.match.history))].append(choice.cost)
        like = levels_like(found.match, [cost for some in costs for cost in some])
    whole = [match for match in verdict.matches if not match.reason]
    length = sum(match.moves for match in whole) / len(whole) if whole else 0  # of one that was broken off
    asked, illegal = np.zeros(len(PHASES)), np.zeros(len(PHASES))
    for match in verdict.matches:
        moves = max(length, match.moves) if match.reason else match.moves
        for counts, moments in ((asked, match.asked), (illegal, match.illegal)):
            for moment in moments:
                counts[phase_at(moment, moves)] += 1
    phases = tuple(
        Phase(name, float(illegal[k] / asked[k]) if asked[k] else None, float(np.mean(costs[k])) if costs[k] else None)
        for k, name in enumerate(PHASES)
    )
    return msgspec.structs.replace(verdict, phases=phases, reviewed=len(records), like=like)


def phase_at(moves_made: int, moves: float) -> int:
    return min(int(len(PHASES) * moves_made / max(moves, 1)), len(PHASES) - 1)
