"""What a model's matches came to, for a terminal and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from samovar.json_types import JsonObject
from samovar.models.judge import JudgedMatch, JudgeOrder, ModelPlace
from samovar.reports.figures import rounded
from samovar.reports.tables import terminal_table

if TYPE_CHECKING:
    from rich.console import Console

DIGITS = 4
SHOWN_REASONS = 3


def points_text(verdict: ModelPlace) -> str:
    if verdict.low is None or verdict.high is None:
        return f"about {verdict.points:,.0f} points"
    return f"{verdict.points:,.0f} points ({verdict.low:,.0f} to {verdict.high:,.0f})"


def progress_line(verdict: ModelPlace) -> str:
    last = verdict.matches[-1]
    deal = [match for match in verdict.matches if match.deal == last.deal]
    shares = ", ".join(f"{100 * match.share:.0f}" for match in deal)
    return f"{len(verdict.matches)} matches: against {last.level} {shares} of 100, {points_text(verdict)}"


def show_verdict(verdict: ModelPlace, order: JudgeOrder, console: Console) -> None:
    matches = verdict.matches
    free = ", with luck taken out" if verdict.is_luck_free else ""
    console.print(f"{order.game.name}, {order.seats} players: {points_text(verdict)}", style="bold", highlight=False)
    console.print(f"Medium has 1,500. {len(matches)} matches of {matches[-1].deal + 1} deals{free}.", highlight=False)
    if not verdict.is_sure:
        console.print("Its place is not sure to 50 points: let it play more with --matches.", highlight=False)
    rows = [level_row(level, [match for match in matches if match.level == level]) for level in levels_met(verdict)]
    console.print(terminal_table(("Against", "Matches", "Left behind", "Illegal answers", "Lost by them"), rows, {0}))
    if verdict.phases:
        phases = [(phase.name, percent(phase.illegal), percent(phase.cost)) for phase in verdict.phases]
        console.print(terminal_table(("Part of a match", "Illegal answers", "A choice cost"), phases, {0}))
    if verdict.like:
        console.print(f"By what its choices cost it plays like {' or '.join(verdict.like)}.", highlight=False)
    read, written = sum(match.read for match in matches), sum(match.written for match in matches)
    if read or written:
        console.print(f"Tokens: {read:,} read, {written:,} written.", highlight=False)
    for match in [match for match in matches if match.reason][:SHOWN_REASONS]:
        console.print(f"Deal {match.deal + 1}, as player {match.player}: {match.reason}", markup=False, highlight=False)


def levels_met(verdict: ModelPlace) -> list[str]:
    """In the order in which they were met."""
    return list(dict.fromkeys(match.level for match in verdict.matches))


def level_row(level: str, matches: list[JudgedMatch]) -> tuple[str, ...]:
    asked, illegal = (sum(len(getattr(match, name)) for match in matches) for name in ("asked", "illegal"))
    share = sum(match.share for match in matches) / len(matches)
    lost = sum(bool(match.reason) for match in matches)
    return level, str(len(matches)), percent(share), f"{illegal} of {asked}", str(lost or "")


def percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.1f} %"


def verdict_json(verdict: ModelPlace, order: JudgeOrder) -> JsonObject:
    found: JsonObject = {
        "game": order.game.id,
        "rules": order.game.version,
        "players": order.seats,
        "options": dict(order.options),
        "seed": order.seed,
        "tries": order.tries,
        **rounded(verdict, DIGITS),  # type: ignore[dict-item]
        "is_sure": verdict.is_sure,
    }
    return found
