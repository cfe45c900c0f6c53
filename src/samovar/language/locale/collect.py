"""Collects the sentences of the site and the terminal into the catalogues of the languages, and
compiles these: `make words`. Needs Babel."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir, extract_python
from babel.messages.frontend import parse_mapping_cfg
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from samovar.language.grammar import grammar_of
from samovar.language.languages import LANGUAGES

HERE = Path(__file__).parent
PACKAGE = HERE.parents[1]
TRANSLATED = LANGUAGES[1:]  # the sentences themselves are English
# No dates and no names of people: the file changes only when a sentence does.
HEADER = (
    'msgid ""\nmsgstr ""\n"Language: {language}\\n"\n"Content-Type: text/plain; '
    'charset=utf-8\\n"\n"Plural-Forms: {plural}\\n"\n\n'
)
KEYWORDS = {"_": None, "N_": None, "gettext": None, "ngettext": (1, 2)}
ASKS = re.compile(rb"\b(" + "|".join(KEYWORDS).encode() + rb")\s*\(")


def sentences() -> Iterator[tuple[str, str | tuple[str, ...]]]:
    """Every sentence that the templates and the code ask for, with the file that does."""
    with (HERE / "babel.cfg").open(encoding="utf-8") as file:
        method_map, options_map = parse_mapping_cfg(file)  # type: ignore[no-untyped-call]
    for path, _, message, _, _ in extract_from_dir(str(PACKAGE), method_map, options_map, KEYWORDS):
        yield path, message


def python_that_asks(file: IO[bytes], *how: Any, **options: Any) -> Iterable[Any]:
    """As Babel reads Python, which takes long; nine files of ten ask for no sentence, and are not read."""
    if not ASKS.search(file.read()):
        return ()
    file.seek(0)
    return extract_python(file, *how, **options)


def collected() -> Catalog:
    catalogue = Catalog(charset="utf-8")
    for _, message in sentences():
        catalogue.add(message)
    return catalogue


def catalogue_of(language: str) -> Path:
    return HERE / language / "LC_MESSAGES" / "samovar.po"


def kept(language: str) -> Catalog:
    """What is translated so far."""
    path = catalogue_of(language)
    if not path.exists():
        return Catalog(locale=language, charset="utf-8")
    with path.open("rb") as file:
        return read_po(file, locale=language)


def main() -> None:
    for language in TRANSLATED:
        catalogue, set_spaces = kept(language), grammar_of(language).set_spaces
        catalogue.update(collected(), no_fuzzy_matching=True)
        catalogue.obsolete.clear()
        for message in catalogue:
            if isinstance(message.string, str):
                message.string = set_spaces(message.string)
            elif message.string:
                message.string = tuple(set_spaces(text) for text in message.string)
        path = catalogue_of(language)
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file:
            file.write(HEADER.format(language=language, plural=catalogue.plural_forms).encode())
            write_po(file, catalogue, width=150, sort_output=True, no_location=True, omit_header=True)
        with path.with_suffix(".mo").open("wb") as file:
            write_mo(file, catalogue)
        for message in catalogue:
            if message.id and not (all(message.string) if isinstance(message.string, tuple) else message.string):
                print(f"{language}: not translated: {message.id}")


if __name__ == "__main__":
    main()
