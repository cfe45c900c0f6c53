"""What a call says: the game, who else plays, and that one is awaited. Nothing that happens at a
table is in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from samovar.language.grammar import Facts
from samovar.language.languages import listed, translations
from samovar.web.notifications.occasions import Occasion
from samovar.web.notifications.ways import HOUR_MS

MOST_TOLD = 5  # tables of a message that tells of many


@dataclass(frozen=True)
class Notice:
    title: str
    text: str
    path: str  # of the page that it leads to
    topic: str  # of two with the same topic the later one takes the place of the earlier


def notice(occasions: Sequence[Occasion], language: str) -> Notice:
    """All of these in one message; of each table the one that presses most."""
    pressing = {
        occasion.table_id: occasion for occasion in sorted(occasions, key=lambda occasion: occasion.kind == "due")
    }
    told = sorted(pressing.values(), key=lambda occasion: (occasion.kind == "end", occasion.table_id))
    return _one(told[0], language) if len(told) == 1 else _many(told, language)


def trial(language: str) -> Notice:
    _ = translations(language).gettext
    return Notice("Samovar", _("This is how you will be called when it is your turn."), "/me/calls", "trial")


def _one(occasion: Occasion, language: str) -> Notice:
    catalogue = translations(language)
    _ = catalogue.gettext
    facts = Facts(game=occasion.game, names=listed(language, occasion.names))
    if occasion.kind == "end":
        title, said = _("%(game)s: the match is over"), _("See how it ended, with %(names)s.")
    elif occasion.kind == "due":
        hours = max(1, round(occasion.left / HOUR_MS))
        title = _("%(game)s: your time is running out")
        said = catalogue.ngettext(
            "%(names)s: about one hour is left for your turn.",
            "%(names)s: about %(num)s hours are left for your turn.",
            hours,
        )
        facts["num"] = hours
    else:
        title, said = _("%(game)s: it is your turn"), _("At the table with %(names)s.")
    text = said % facts if occasion.names else _("It waits for you.")
    return Notice(title % facts, text, f"/table/{occasion.table_id}", occasion.table_id)


def _many(occasions: Sequence[Occasion], language: str) -> Notice:
    catalogue = translations(language)
    turns = sum(occasion.kind != "end" for occasion in occasions)
    ends = len(occasions) - turns
    if turns:
        title = catalogue.ngettext("It is your turn at one table", "It is your turn at %(num)s tables", turns) % {
            "num": turns
        }
    else:
        title = catalogue.ngettext("One match is over", "%(num)s matches are over", ends) % {"num": ends}
    lines = [_line(occasion, language) for occasion in occasions[:MOST_TOLD]]
    if len(occasions) > MOST_TOLD:
        lines.append("…")
    return Notice(title, "\n".join(lines), "/tables", "many")


def _line(occasion: Occasion, language: str) -> str:
    _ = translations(language).gettext
    said = _("%(game)s with %(names)s") if occasion.names else "%(game)s"
    facts = Facts(game=occasion.game, names=listed(language, occasion.names))
    return said % facts if occasion.kind != "end" else _("%(line)s: over") % {"line": said % facts}
