"""What the lab proposes, as lines for a terminal and as JSON."""

from __future__ import annotations

from collections.abc import Iterator

from samovar.json_types import JsonObject
from samovar.lab.aims import FIGURES, SKILL
from samovar.lab.intervals import Interval
from samovar.lab.propose import Proposal, TriedVariant
from samovar.lab.telling import TITLES
from samovar.language.languages import translations
from samovar.language.numbers import as_written, number_text

MOST_SHOWN = 8  # variants beside the best


def told_proposal(proposal: Proposal, language: str) -> Iterator[str]:
    """Line by line."""
    _ = translations(language).gettext
    first = proposal.tried[0]
    yield _("Best: %(options)s") % {"options": _options(proposal, first)}
    yield _("Measured anew, with %(deals)s deals that had no part in the choice:") % {"deals": proposal.best.deals}
    for aim, found in zip(proposal.aims, proposal.best.found, strict=True):
        if aim.surely_holds(found):
            verdict = _("reached")
        else:
            verdict = _("perhaps reached") if aim.may_hold(found) else _("not reached")
        title = TITLES["steps" if aim.figure == SKILL else FIGURES[aim.figure]]
        yield f"  {_(title)}: {_margin(found, language)} ({aim}: {verdict})"
    for aim, nearest in proposal.never:
        found = nearest.found[proposal.aims.index(aim)]
        yield _("Nothing reaches %(aim)s. Nearest: %(figure)s with %(options)s") % {
            "aim": aim, "figure": _margin(found, language), "options": _options(proposal, nearest),
        }  # fmt: skip
    for one, other in proposal.not_together:
        yield _("%(one)s and %(other)s are each reached, but not by the same variant.") % {"one": one, "other": other}
    yield ""
    yield _("Tried (how sure each figure is depends on how long its variant stayed):")
    for tried in proposal.tried[: MOST_SHOWN + 1]:
        figures = ", ".join(
            f"{aim.figure} {_margin(found, language)}" for aim, found in zip(proposal.aims, tried.found, strict=True)
        )
        yield f"  {_options(proposal, tried)}: {figures}"
    if len(proposal.tried) > MOST_SHOWN + 1:
        yield "  " + _("and %(count)s more that are worse") % {"count": len(proposal.tried) - MOST_SHOWN - 1}
    yield _("Matches: %(matches)s. To play every variant as often as the best would have taken %(grid)s.") % {
        "matches": number_text(proposal.matches, language), "grid": number_text(proposal.of_grid, language),
    }  # fmt: skip


def _margin(found: Interval, language: str) -> str:
    return as_written(f"{found.value:.1f} ± {found.margin:.1f}", language)


def _options(proposal: Proposal, tried: TriedVariant) -> str:
    """Those that differ between variants."""
    variants = proposal.order.variants
    varied = [name for name in tried.options if len({repr(one[name]) for one in variants}) > 1]
    return " ".join(f"{name}={tried.options[name]}" for name in varied) or "–"


def proposal_json(proposal: Proposal) -> JsonObject:
    order = proposal.order
    return {
        "game": order.game.id,
        "seats": order.seats,
        "players": list(order.players),
        "seed": order.seed,
        "aims": [str(aim) for aim in proposal.aims],
        "best": _tried_json(proposal, proposal.best),
        "tried": [_tried_json(proposal, one) for one in proposal.tried],
        "never": [str(aim) for aim, _ in proposal.never],
        "not_together": [[str(one), str(other)] for one, other in proposal.not_together],
        "matches": proposal.matches,
        "matches_of_grid": proposal.of_grid,
    }


def _tried_json(proposal: Proposal, tried: TriedVariant) -> JsonObject:
    figures = {
        aim.figure: {"value": found.value, "low": found.low, "high": found.high}
        for aim, found in zip(proposal.aims, tried.found, strict=True)
    }
    return {"options": dict(tried.options), "deals": tried.deals, "figures": figures}
