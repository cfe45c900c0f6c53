"""The end of a match in a sentence or two, from the score sheet: what decided it, and what went well for whoever did
not win. A game says what its scores are made of (`counts` of its face) and what it counts (`counted` in its words);
of one that says neither the points are told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from samovar.engine.contract import Game
from samovar.engine.face import BrowserFace
from samovar.engine.words import counted
from samovar.language.languages import listed, translations
from samovar.web.drawing.scene import TableScene
from samovar.web.problems import N_


class ScorePart(NamedTuple):
    """What the scores are made of: a line of the score sheet, or several."""

    name: str
    counts: tuple[int, ...]  # by seat


@dataclass(frozen=True)
class Ending:
    """A match that was played to its end, each for themselves."""

    game: Game
    language: str
    names: Sequence[str]
    places: Sequence[int]
    scores: Sequence[int]
    parts: Sequence[ScorePart] = ()

    def tell(self, sentence: str, **facts: object) -> str:
        return translations(self.language).gettext(sentence) % facts

    def counted(self, score: int) -> str:
        return counted(self.game, self.language, score)

    @property
    def ranking(self) -> list[int]:
        return sorted(range(len(self.places)), key=lambda seat: self.places[seat])


SHARED = N_("Level to the end: nobody was better.")
TIED = N_("Level at %(score)s: only the tie-break decided it.")
LEAD = N_("%(first)s to %(second)s decided it.")
LEAD_BY = N_("%(first)s to %(second)s decided it, above all “%(part)s”: %(more)s to %(less)s.")
BEST_AT = N_("What went well: nobody had more in “%(part)s” than you (%(count)s).")
AHEAD_OF = N_("What went well: you finished ahead of %(names)s.")
STRONGEST = N_("What went well: “%(part)s” was your strong side (%(count)s).")
REACHED = N_("What went well: %(score)s.")
STAYED = N_("What went well: you stayed in it to the end.")


def ending_of(scene: TableScene) -> Ending | None:
    """None where all play together, or where the match was not played to its end."""
    if not scene.over or scene.scores is None or scene.places is None or scene.success is not None:
        return None
    counts = (scene.game.face or BrowserFace()).counts(scene.view, scene.words)
    names = [person.name for person in scene.people]
    parts = [ScorePart(*part) for part in counts]
    return Ending(scene.game, scene.language, names, scene.places, scene.scores, parts)


def decided(end: Ending) -> str:
    """What was between the first and the second; nothing where scores do not say it."""
    if len(end.places) < 2:
        return ""
    first, second = end.ranking[:2]
    lead = end.scores[first] - end.scores[second]
    if end.places[second] == 1:
        return end.tell(SHARED)
    if lead <= 0:
        return "" if lead else end.tell(TIED, score=end.counted(end.scores[first]))
    facts = {"first": end.counted(end.scores[first]), "second": end.scores[second]}
    name, more, less = max(
        ((part.name, part.counts[first], part.counts[second]) for part in end.parts),
        key=lambda part: part[1] - part[2],
        default=("", 0, 0),
    )
    return end.tell(LEAD_BY, **facts, part=name, more=more, less=less) if more > less else end.tell(LEAD, **facts)


def went_well(end: Ending, seat: int) -> str:
    """Where somebody was best who did not win; nothing for those who did."""
    if end.places[seat] == 1:
        return ""
    best = [part for part in end.parts if part.counts[seat] == max(part.counts) > 0]
    behind = [end.names[other] for other in end.ranking if end.places[other] > end.places[seat]]
    own = max(end.parts, key=lambda part: part.counts[seat], default=None)
    if best:
        return end.tell(BEST_AT, part=best[0].name, count=best[0].counts[seat])
    if behind:
        return end.tell(AHEAD_OF, names=listed(end.language, behind))
    if own and len(end.parts) > 1 and own.counts[seat]:
        return end.tell(STRONGEST, part=own.name, count=own.counts[seat])
    score = end.scores[seat]
    return end.tell(REACHED, score=end.counted(score)) if score > 0 else end.tell(STAYED)
