"""Reads the rulings of docs/rulings-explained.md, and finds where they are cited."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from support.documents import FENCE, ROOT

PAGE = ROOT / "docs" / "rulings-explained.md"
FOLDERS = ("src", "tests", "docs", "examples", "benchmarks", "tools")
# The page itself, and the tests of it, whose samples would count as citations.
LEFT_OUT = (PAGE, Path(__file__), ROOT / "tests" / "repository" / "test_rulings.py")
# What is read besides Python and Markdown, where a number counts only behind the word "ruling".
OTHER_KINDS = (".html", ".css", ".js", ".mjs", ".json", ".toml")
COMMENT = re.compile("<!--.*?-->", re.DOTALL)
NAMED = re.compile(r"\brulings? [A-Z]\d+\b", re.IGNORECASE)
BRACKETED = re.compile(r"\([A-Z]\d+(?:, [A-Z]\d+)*\)")
# Cards and fields have such names too (`C3`), so what stands in quotes is no citation; nor are the checks of ruff.
QUOTED = re.compile(r"`[^`]*`|\"[^\"\n]*\"|'[A-Z]\d+'|noqa: [\w, ]+")

STRINGS = (tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING))  # the latter since Python 3.12


@dataclass(frozen=True)
class Entry:
    """A ruling of the page."""

    number: str
    anchor: str
    section: str  # the game's name, or that of the part for all games
    text: str


@dataclass(frozen=True)
class Citation:
    number: str
    path: Path  # within the repository

    def __str__(self) -> str:
        return f"{self.path}: {self.number}"


@cache
def entries() -> tuple[Entry, ...]:
    found = []
    for section in PAGE.read_text(encoding="utf-8").split("\n## ")[1:]:
        title, *parts = section.split("\n### ")
        for part in parts:
            head = re.match(r"([A-Z]\d+): .+ \{#(\w+)\}\n", part)
            assert head, f"a ruling begins with '### C5: its title {{#c5}}', not with {part.splitlines()[0]!r}"
            found.append(Entry(head[1], head[2], title.splitlines()[0], part[head.end() :].strip()))
    return tuple(found)


def letter_of(section: str) -> str:
    """With which the numbers of a section begin."""
    (letter,) = {entry.number[0] for entry in entries() if entry.section == section}
    return letter


def numbers_of(section: str) -> list[str]:
    return [entry.number for entry in entries() if entry.section == section]


@cache
def citations() -> tuple[Citation, ...]:
    return tuple(
        Citation(number, path.relative_to(ROOT))
        for path in _files()
        for said in _said(path)
        for number in numbers_in(said)
    )


def numbers_in(said: str) -> list[str]:
    return _number().findall(QUOTED.sub(" ", said))


@cache
def _number() -> re.Pattern[str]:
    letters = "".join({entry.number[0] for entry in entries()})
    return re.compile(rf"(?<![\w%#.-])[{letters}]\d+\b")


def _files() -> Iterator[Path]:
    yield from sorted(ROOT.glob("*.md"))
    for folder in FOLDERS:
        yield from (path for path in sorted((ROOT / folder).rglob("*.*")) if path not in LEFT_OUT and path.is_file())


def _said(path: Path) -> Iterator[str]:
    """The parts of a file in which a ruling may be cited."""
    if path.suffix not in (".py", ".md", *OTHER_KINDS):
        return
    text = path.read_text(encoding="utf-8")
    if not _number().search(text):
        return  # most files, and to parse them takes long
    if path.suffix == ".py":
        yield from said_in_python(text)
    elif path.name.startswith("RULES"):
        yield from COMMENT.findall(text)  # its sentences name cards and fields
    elif path.suffix == ".md":
        yield FENCE.sub("", text)
    else:
        yield from NAMED.findall(text)


def said_in_python(text: str) -> Iterator[str]:
    """Comments and docstrings; of other strings what is clearly a ruling: "(V2)", "ruling V2"."""
    begins = True  # a statement: a string that begins one is a docstring
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.string
        elif begins and token.type == tokenize.STRING:
            yield token.string.strip('"')
        elif token.type in STRINGS:
            yield from (*BRACKETED.findall(token.string), *NAMED.findall(token.string))
        if token.type not in (tokenize.COMMENT, tokenize.NL):
            begins = token.type in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
