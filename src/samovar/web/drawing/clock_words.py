"""Times as people read them: on a clock, or in words. `static/clock.js` tells them in the same way."""

from __future__ import annotations

import math

from samovar.language.languages import translations
from samovar.web.problems import N_
from samovar.web.tables.clock import ALLOWANCES, DAY, HOUR, MINUTE, SECOND

LEFT = N_("{time} left")  # the script fills it in, too


def clock_text(left: int) -> str:
    """Minutes and seconds, as a clock shows them; it shows none when there is none left."""
    minutes, seconds = divmod(math.ceil(max(0, left) / SECOND), 60)
    hours, rest = divmod(minutes, 60)
    return f"{hours}:{rest:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def left_text(language: str, left: int) -> str:
    """In words, as finely as anybody wants to know it."""
    return translations(language).gettext(LEFT).replace("{time}", _span_text(language, max(0, left)))


def _span_text(language: str, left: int) -> str:
    words = translations(language)
    if left >= 1.5 * DAY:
        count = round(left / DAY)
        return words.ngettext("%(num)s day", "%(num)s days", count) % {"num": count}
    if left >= 1.5 * HOUR:
        count = round(left / HOUR)
        return words.ngettext("%(num)s hour", "%(num)s hours", count) % {"num": count}
    count = math.ceil(left / MINUTE)
    return words.ngettext("%(num)s minute", "%(num)s minutes", count) % {"num": count}


def allowance_text(language: str, name: str) -> str:
    """How much time players have at a table."""
    allowance, words = ALLOWANCES[name], translations(language)
    if allowance.is_by_post:
        days = allowance.total // DAY
        return words.ngettext("%(num)s day for each move", "%(num)s days for each move", days) % {"num": days}
    facts = {"minutes": allowance.total // MINUTE, "seconds": allowance.added // SECOND}
    return words.gettext("%(minutes)s minutes each, and %(seconds)s seconds more with each move") % facts
