"""What a message says: the game, who else plays, and that one is awaited. Nothing that happens at a
table is in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from samovar.language.grammar import Facts
from samovar.language.languages import listed, translations
from samovar.web.notifications.channels import HOUR_MS
from samovar.web.notifications.events import OPENED, TableEvent

ORDER = {"pause": 1, "opened": 2, "end": 3}  # whom a turn waits for comes before them
MOST_TOLD = 5  # tables of a message that tells of many


@dataclass(frozen=True)
class Message:
    title: str
    text: str
    path: str  # of the page that it leads to
    topic: str  # of two with the same topic the later one takes the place of the earlier


def message(events: Sequence[TableEvent], language: str) -> Message:
    """All of these in one message; of each table the one that presses most."""
    pressing = {event.table_id: event for event in sorted(events, key=lambda event: event.kind == "due")}
    shown = sorted(pressing.values(), key=lambda event: (ORDER.get(event.kind, 0), event.table_id))
    return _one(shown[0], language) if len(shown) == 1 else _many(shown, language)


def trial(language: str) -> Message:
    _ = translations(language).gettext
    return Message("Samovar", _("This is how you will be called when it is your turn."), "/me/calls", "trial")


def _one(event: TableEvent, language: str) -> Message:
    catalogue = translations(language)
    _ = catalogue.gettext
    facts = Facts(game=event.game, names=listed(language, event.names))
    if event.kind == OPENED:
        return Message(event.circle_name, _opened(event, language), f"/circle/{event.circle}", event.table_id)
    if event.kind == "pause":
        return Message(_("A pause?"), _line(event, language), f"/table/{event.table_id}", event.table_id)
    if event.kind == "end":
        title, said = _("%(game)s: the game is over"), _("See how it ended, with %(names)s.")
    elif event.kind == "due":
        hours = max(1, round(event.left / HOUR_MS))
        title = _("%(game)s: your time is running out")
        said = catalogue.ngettext(
            "%(names)s: about one hour is left for your turn.",
            "%(names)s: about %(num)s hours are left for your turn.",
            hours,
        )
        facts["num"] = hours
    else:
        title, said = _("%(game)s: it is your turn"), _("At the table with %(names)s.")
    text = said % facts if event.names else _("It waits for you.")
    return Message(title % facts, text, f"/table/{event.table_id}", event.table_id)


def _many(events: Sequence[TableEvent], language: str) -> Message:
    catalogue = translations(language)
    turns = sum(event.kind not in ORDER for event in events)
    pauses, ends = (sum(event.kind == kind for event in events) for kind in ("pause", "end"))
    circles = {event.circle for event in events if event.circle}
    if turns:
        title = catalogue.ngettext("It is your turn at one table", "It is your turn at %(num)s tables", turns) % {
            "num": turns
        }
    elif pauses:
        title = catalogue.ngettext(
            "Players at one table would like a pause", "Players at %(num)s tables would like a pause", pauses
        ) % {"num": pauses}
    elif circles:
        new = sum(event.kind == OPENED for event in events)
        title = catalogue.ngettext("One table was opened", "%(num)s tables were opened", new) % {"num": new}
    else:
        title = catalogue.ngettext("One game is over", "%(num)s games are over", ends) % {"num": ends}
    lines = [_line(event, language) for event in events[:MOST_TOLD]]
    if len(events) > MOST_TOLD:
        lines.append("…")
    is_of_one = len(circles) == 1 and all(event.kind == OPENED for event in events)
    return Message(title, "\n".join(lines), f"/circle/{events[0].circle}" if is_of_one else "/tables", "many")


def _opened(event: TableEvent, language: str) -> str:
    _ = translations(language).gettext
    said = _("%(names)s has opened a table: %(game)s.") if event.names else _("A table was opened: %(game)s.")
    return said % Facts(game=event.game, names=listed(language, event.names))


def _line(event: TableEvent, language: str) -> str:
    _ = translations(language).gettext
    if event.kind == OPENED:
        return f"{event.circle_name}: {_opened(event, language)}"
    said = _("%(game)s with %(names)s") if event.names else "%(game)s"
    facts = Facts(game=event.game, names=listed(language, event.names))
    if event.kind == "pause":
        wants = translations(language).ngettext(
            "%(names)s would like a pause.", "%(names)s would like a pause.", len(event.names)
        )
        return f"{event.game}: {wants % facts}"
    return said % facts if event.kind != "end" else _("%(line)s: over") % {"line": said % facts}
