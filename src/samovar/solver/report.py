"""What `samovar exploit` is asked, and how it tells what was found."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from samovar.bots.registry import make_bot
from samovar.engine.arrays import Floats
from samovar.engine.contract import Game, Options
from samovar.engine.registry import game_ids
from samovar.errors import UnknownBot
from samovar.json_types import JsonObject
from samovar.solver.exploit import best_play, exploit, whole_game
from samovar.solver.respond import AnswerBound, bounding
from samovar.solver.tree import VariantRules

if TYPE_CHECKING:
    from rich.console import Console


@dataclass(frozen=True)
class SolverQuestion:
    game: Game
    bot: str  # empty: best play
    seats: int | None
    options: Options
    answers: int
    rounds: int
    matches: int
    seed: int


def answer(asked: SolverQuestion, exact: bool | None, progress: Callable[[str], None]) -> JsonObject:
    """What was found, as JSON; without `exact` listed games are taken to be too large to be looked at
    whole. What it is at is told on the way."""
    rules = VariantRules(asked.game, asked.seats, asked.options)
    if asked.bot:
        make_bot(asked.bot, asked.game, asked.seed).close()  # what is wrong with it is said at once
    begun = time.perf_counter()
    is_exact = asked.game.id not in game_ids() if exact is None else exact
    found = _exact(asked, rules, progress) if is_exact else _bound(asked, rules, progress)
    about = {"game": asked.game.id, "name": asked.game.name, "seats": rules.seats, "bot": asked.bot, "exact": is_exact}
    return {**about, **found, "seconds": round(time.perf_counter() - begun, 1)}


def _exact(asked: SolverQuestion, rules: VariantRules, progress: Callable[[str], None]) -> JsonObject:
    whole = whole_game(rules, asked.bot, progress)
    if asked.bot:
        progress(f"{asked.bot} is asked what it does")
        found = exploit(whole, asked.bot, asked.answers, asked.seed, progress)
    else:
        progress("best play is worked out")
        found = best_play(whole, asked.rounds, progress=progress)
    return {
        "interrupted": False,
        "deals": whole.count.deals,
        "nodes": int(whole.count.nodes),
        "questions": whole.questions,
        "values": _numbers(found.values),
        "gains": _numbers(found.gains),
        "exploitability": _number(found.exploitability),
    }


def _bound(asked: SolverQuestion, rules: VariantRules, progress: Callable[[str], None]) -> JsonObject:
    if not asked.bot:
        raise UnknownBot(
            f"{asked.game.name} is too large for best play to be worked out. Name a --bot, or take a small member of "
            "the game."
        )

    def tell(done: int, total: int) -> None:
        progress(f"{done:,} of {total:,} matches")

    found: deque[AnswerBound] = deque(maxlen=1)
    with suppress(KeyboardInterrupt):  # what was found by then is told
        found.extend(bounding(rules, asked.bot, asked.matches, asked.seed, tell))
    if not found:
        raise KeyboardInterrupt
    return _bound_json(asked, rules, found[0])


def _bound_json(asked: SolverQuestion, rules: VariantRules, found: AnswerBound) -> JsonObject:
    return {
        "interrupted": len(found.gains) * rules.seats < asked.matches,
        "by": found.by,
        "matches": len(found.gains) * rules.seats,
        "gains": _numbers(found.by_seat),
        "exploitability": _number(found.gain),
        "interval": [_number(end) for end in found.interval],
    }


def show(found: JsonObject, console: Console) -> None:
    """For people."""
    who = found["bot"] or "best play"
    if found["exact"]:
        console.print(
            f"{found['name']}, {found['seats']} seats: {found['deals']:,} deals, {found['nodes']:,} nodes, "
            f"{found['questions']:,} questions."
        )
        for seat, (value, gain) in enumerate(zip(found["values"], found["gains"], strict=True)):
            console.print(f"    seat {seat}: {value:+.4f} by {who}, {gain:.4f} more by its best answer")
        console.print(f"Exploitability of {who}: [bold]{found['exploitability']:.4f}[/bold]", end="")
    else:
        low, high = found["interval"]
        console.print(
            f"{found['name']}, {found['seats']} seats, {found['matches']:,} matches: {found['by']} against {who}."
        )
        for seat, gain in enumerate(found["gains"]):
            console.print(f"    seat {seat}: {gain:+.3f}")
        console.print(
            f"Exploitability of {who}: at least [bold]{found['exploitability']:.3f}[/bold], 95 % interval "
            f"{low:.3f} to {high:.3f}",
            end="",
        )
    console.print(f" ({found['seconds']:,} s).")


def _number(number: float) -> float:
    return round(number, 9)


def _numbers(numbers: Floats) -> list[float]:
    return [_number(number) + 0.0 for number in numbers.tolist()]
