"""The cards of a game, in one file that a spreadsheet opens: `cards.csv` in the game's folder.

    name,rank,colour,count,en,fr
    fox,3,red,2,the fox,le renard

A line is a kind of card. What its columns hold is said once, by a class:

    class Card(CardRow):
        rank: Annotated[int, Meta(ge=1)]
        colour: Literal["red", "blue"]

    CARDS = read_cards(__file__, Card)
    RANK = CARDS.column("rank")        # a table for rules: RANK[card]

`name` is what programs call a card, and the key of its words; `count` says how many there are of a kind, one where
it is left out. The other columns are languages: English is needed if there are any.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Literal, TypeVar, get_args, get_origin, get_type_hints

import msgspec

from samovar.engine.rule import table
from samovar.errors import BrokenGame, did_you_mean
from samovar.language.languages import ENGLISH, LANGUAGES

FILE = "cards.csv"
SIGNS = ",;\t"  # that spreadsheets put between columns
COUNT = "count"


class CardRow(msgspec.Struct, frozen=True):
    """The base of a game's `Card`: its fields are the columns, with the types that msgspec reads."""

    name: str


Row = TypeVar("Row", bound=CardRow)


@dataclass(frozen=True)
class CardSheet(Generic[Row]):
    """All kinds of cards, in the order of the file."""

    kind: type[Row]
    rows: tuple[Row, ...]
    counts: tuple[int, ...]
    texts: Mapping[str, Mapping[str, str]]  # by language and name

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, card: int) -> Row:
        return self.rows[card]

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    @property
    def deck(self) -> tuple[int, ...]:
        """The kind of every single card."""
        return tuple(kind for kind, count in enumerate(self.counts) for _ in range(count))

    def column(self, name: str) -> memoryview:
        """A column as a table for rules, by kind: numbers as they are, no and yes as 0 and 1, and one of several words
        by its place among them."""
        if name == COUNT:
            return table(self.counts)
        kinds = get_type_hints(self.kind)
        if name not in kinds:
            raise BrokenGame(f"There is no column {name!r} in {FILE}.{did_you_mean(name, kinds)}")
        words = get_args(kinds[name]) if get_origin(kinds[name]) is Literal else ()
        values = [getattr(row, name) for row in self.rows]
        if not words and not all(isinstance(value, int) for value in values):
            raise BrokenGame(f"Rules know integers only, and the column {name!r} of {FILE} is text. Say which words it "
                             f'may have, {name}: Literal["red", "blue"], then each counts by its place.')  # fmt: skip
        return table([words.index(value) if words else int(value) for value in values])

    def number(self, name: str) -> int:
        """The kind of this name; ValueError: there is none."""
        return [row.name for row in self.rows].index(name)

    def with_words(self, words: Mapping[str, Mapping[str, str]]) -> dict[str, dict[str, str]]:
        """A game's words, and those of its cards: in English, where the file has no column for a language."""
        usual = self.texts.get(ENGLISH, {})
        return {language: {**usual, **self.texts.get(language, {}), **own} for language, own in words.items()}


def read_cards(beside: str, kind: type[Row]) -> CardSheet[Row]:
    """The cards of the file in the same folder as a module: `read_cards(__file__, Card)`."""
    path = Path(beside).with_name(FILE)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError as error:
        raise BrokenGame(f"There is no {path.name} in {path.parent.name}. Save the cards there, as CSV.") from error
    except UnicodeDecodeError as error:
        raise BrokenGame(f"{FILE} is not in UTF-8. Save it anew as 'CSV UTF-8'.") from error
    sign = max(SIGNS, key=text.partition("\n")[0].count)
    lines = csv.reader(text.splitlines(), delimiter=sign, strict=True)
    try:
        return _sheet(kind, lines)
    except csv.Error as error:
        raise BrokenGame(
            f"{FILE}, line {lines.line_num}: {error}. Look for a quotation mark that is not closed."
        ) from error


def _sheet(kind: type[Row], lines: Any) -> CardSheet[Row]:
    head = [name.strip() for name in next(lines, [])]
    _check_head(kind, head)
    languages = [name for name in head if name in LANGUAGES]
    rows: dict[str, Row] = {}
    counts: list[int] = []
    texts: dict[str, dict[str, str]] = {language: {} for language in languages}
    for cells in lines:
        if not any(map(str.strip, cells)):
            continue
        where = f"{FILE}, line {lines.line_num}"
        if len(cells) != len(head):
            raise BrokenGame(f"{where}: there are {len(cells)} cells under {len(head)} columns. Add or take away some.")
        told = {name: cell.strip() for name, cell in zip(head, cells, strict=True)}
        row = _row(kind, told, where)
        if row.name in rows:
            raise BrokenGame(f"{where}: there is a card {row.name!r} already. Give each its own name, and say how many "
                             f"there are in a column {COUNT!r}.")  # fmt: skip
        rows[row.name] = row
        counts.append(_count(told.get(COUNT, "1"), where))
        for language in languages:
            if not told[language]:
                raise BrokenGame(f"{where}: the word of {row.name!r} is missing in the column {language!r}. Write it.")
            texts[language][row.name] = told[language]
    if not rows:
        raise BrokenGame(f"{FILE} has no cards. Write a line for each kind, below the names of the columns.")
    return CardSheet(kind, tuple(rows.values()), tuple(counts), texts)


def _check_head(kind: type[CardRow], head: list[str]) -> None:
    fields = {one.name: one.required for one in msgspec.structs.fields(kind)}
    known = [*fields, COUNT, *LANGUAGES]
    for number, name in enumerate(head, start=1):
        if name not in known:
            raise BrokenGame(f"{FILE}, line 1: nobody knows the column {name!r}.{did_you_mean(name, known)} It "
                             f"may have {', '.join(known)}: add a field to {kind.__name__} for another.")  # fmt: skip
        if head.index(name) < number - 1:
            raise BrokenGame(f"{FILE}, line 1: there are two columns {name!r}. Take one away.")
    missing = [name for name, required in fields.items() if required and name not in head]
    if ENGLISH not in head and any(name in LANGUAGES for name in head):
        missing.append(ENGLISH)
    if missing:
        raise BrokenGame(f"{FILE}, line 1: the column {missing[0]!r} is missing. Add it.")


def _row(kind: type[Row], told: Mapping[str, str], where: str) -> Row:
    """An empty cell is one that is left out."""
    own = {name: told[name] for name in kind.__struct_fields__ if told.get(name)}
    try:
        return msgspec.convert(own, kind, strict=False)
    except msgspec.ValidationError as error:
        what, _, path = str(error).partition(" - at `$.")
        column = path.rstrip("`")
        given = f"the column {column!r} says {told[column]!r}: {what}" if column in told else what
        raise BrokenGame(f"{where}: {given}. Change that cell, or the field of {kind.__name__}.") from error


def _count(text: str, where: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) > 0):
        raise BrokenGame(f"{where}: {text!r} is no number of cards. Write 1 or more, or take the line away.")
    return int(text)
