"""The hand without the board: what a player's drawing of a table has that a spectator's lacks.

Who sits before a large screen has the board there. On their phone every section of the drawing is left out that shows
no more than the screen does; what is their own stays, and so does what they can choose from. No game says anything
about it: both drawings are compared. A section is a `<section>`, a board with `role="table"` or a drawing in letters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from markupsafe import Markup

PIECES = re.compile(r"<[^>]*>|[^<]+")
TAG = re.compile(r"</?([\w-]+)")
WITHOUT_END = frozenset(("br", "hr", "img", "input"))
HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6", "caption", "legend"))
SECTION = re.compile(r'<(section|pre)\b|<\w+ [^>]*role="table"')
ON_SCREEN = " data-on-screen"  # of a section


@dataclass
class Element:
    start: str  # its tag as it is written, or a text
    name: str = ""  # of the tag; empty: a text
    at: int = 0  # where the start ends
    children: list[Element] = field(default_factory=list)
    html: str = ""

    @property
    def is_section(self) -> bool:
        return SECTION.match(self.start) is not None

    def sections(self) -> Iterator[Element]:
        """The outermost."""
        for child in self.children:
            if child.is_section:
                yield child
            else:
                yield from child.sections()


def own_part(drawn: Markup, shown: Markup) -> Markup:
    """A player's drawing, in which sections are marked that `shown`, the spectator's, has as well."""
    known: set[str] = set()
    _learn(_parsed(shown), known)
    marks = sorted(_on_screen(_parsed(drawn), known), reverse=True)
    html = str(drawn)
    for at in marks:
        html = html[: at - 1] + ON_SCREEN + html[at - 1 :]
    return Markup(html)


def _on_screen(element: Element, known: set[str]) -> Iterator[int]:
    """Where the marks of sections belong."""
    for section in element.sections():
        if _is_shown(section, known):
            yield section.at
        elif inner := list(section.sections()):
            marks = list(_on_screen(section, known))
            yield from marks
            if len(marks) == len(inner):  # nothing is left but its heading
                yield section.at


def _is_shown(element: Element, known: set[str]) -> bool:
    """Whether the screen has it, in one piece or in several; headings may be other words."""
    if element.html in known or element.name in HEADINGS or not element.start.strip():
        return True
    is_frame = element.is_section or element.start in known
    return is_frame and bool(element.children) and all(_is_shown(child, known) for child in element.children)


def _learn(element: Element, known: set[str]) -> None:
    known.add(element.html)
    known.add(element.start)
    for child in element.children:
        _learn(child, known)


def _parsed(html: str) -> Element:
    """As templates write it: what is opened is closed, and nothing but tags has angle brackets."""
    root = Element("")
    open_ones, begins = [root], [0]
    for found in PIECES.finditer(html):
        piece = found[0]
        if piece.startswith("</"):
            element, begin = open_ones.pop(), begins.pop()
            element.html = html[begin : found.end()]
            continue
        tag = TAG.match(piece)
        element = Element(piece, tag[1] if tag else "", found.end(), html=piece)
        open_ones[-1].children.append(element)
        if tag and not piece.endswith("/>") and tag[1] not in WITHOUT_END:
            open_ones.append(element)
            begins.append(found.start())
    root.html = html
    return root
