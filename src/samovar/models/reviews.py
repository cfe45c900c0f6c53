"""The review of a finished match as one player reads it: the own line, and the own choices that cost most."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from samovar.insight.review import Review
from samovar.json_types import JsonObject
from samovar.models.told import listed


def only_own(found: Review, seat: int) -> Review:
    """With the choices of one player alone, so that its moments are theirs."""
    return replace(found, choices=tuple(choice for choice in found.choices if choice.seat == seat))


def told_review(found: JsonObject, seat: int) -> str:
    """`found` is a review as `samovar review --json` or a site writes it, by the old names, which sites of the version
    before have, too. Shares are told of 100."""
    line = next(line for line in found["players"] if line["seat"] == seat)
    moments = [moment for moment in found["moments"] if moment["seat"] == seat]
    parts = [
        f"Your review, in shares of 100. At the start you could expect {hundred(line['start'])}, the result was "
        f"{hundred(line['result'])}. Your own choices cost {hundred(-line['choice'])}, luck brought "
        f"{hundred(line['luck'])}; of that, {hundred(line['luck_by_others'])} came with moves of others."
    ]
    parts += [moment_text(moment) for moment in moments]
    if not moments:
        parts.append("No choice of yours cost much.")
    return "\n\n".join(parts)


def moment_text(moment: dict[str, Any]) -> str:
    made, better = moment["made"], moment["better"]
    return "\n".join(
        [
            f"Move {moment['ply'] + 1} of the game. You saw:",
            moment["drawing"].strip("\n"),
            listed("You played:", [choice_text(made), *made["reasons"]]),
            listed("Better was:", [choice_text(better), *better["reasons"]]),
        ]
    )


def choice_text(one: dict[str, Any]) -> str:
    return f"{one['told']} ({one['move']}), after which you could expect {hundred(one['share'])}"


def hundred(share: float) -> str:
    return f"{100 * share:.0f}"
