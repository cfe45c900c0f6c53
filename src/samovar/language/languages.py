"""The languages that Samovar speaks, and where sentences come from.

The site and the terminal have catalogues (gettext, in `locale/`), and the languages are those that
have one; `grammar/` has what belongs to a language besides, and a game brings its own words. What a
game does not say in a language, it says in English. A new language is files alone: CONTRIBUTING.md
says which.
"""

from __future__ import annotations

import gettext
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from samovar.errors import UnknownLanguage
from samovar.language.grammar import ENGLISH as ENGLISH

CATALOGUES = Path(__file__).parent / "locale"
LANGUAGES = (ENGLISH, *sorted(path.parts[-3] for path in CATALOGUES.glob("*/LC_MESSAGES/samovar.mo")))


def N_(sentence: str) -> str:  # noqa: N802 - gettext's own name: marks a sentence for translation where it is not said yet
    return sentence


def check_language(language: str) -> str:
    if language not in LANGUAGES:
        raise UnknownLanguage(f"There is no language {language!r} here. There are {', '.join(LANGUAGES)}.")
    return language


@cache
def translations(language: str) -> gettext.NullTranslations:
    """The sentences of the site and the terminal, asked for by their English words."""
    return gettext.translation("samovar", CATALOGUES, [language], fallback=True)


def own_name(language: str) -> str:
    """What a language calls itself: each catalogue translates this word by its own name."""
    _ = translations(language).gettext
    return _("English")


def listed(language: str, names: Sequence[str]) -> str:
    """`Emelya, Olga and Yann`."""
    _ = translations(language).gettext
    if len(names) < 2:
        return "".join(names)
    return _("%(names)s and %(name)s") % {"names": ", ".join(names[:-1]), "name": names[-1]}
