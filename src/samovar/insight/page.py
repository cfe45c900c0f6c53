"""A review as one page: see `reports`. `page.html` draws it, with the lines and places from here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from jinja2 import Template
from markupsafe import Markup

from samovar.insight.moments import Moment
from samovar.insight.report import Telling, percent
from samovar.reports import environment
from samovar.reports.plots import curve

HERE = Path(__file__).parent
GRID = (0.0, 0.25, 0.5, 0.75, 1.0)


class ChanceCurve(NamedTuple):
    """Positions are in parts of a hundred, from the left and from the top."""

    lines: list[str]  # by player: "x,y x,y", as SVG has it
    moments: list[tuple[str, int]]  # where the moments are, and their numbers
    grid: list[tuple[str, str]]  # from the top, and what stands there


DrawMoment = Callable[[Telling, Moment], Markup]  # all that is needed to show the board, its style too


def write_page(telling: Telling, path: str | Path, draw: DrawMoment | None = None) -> None:
    Path(path).write_text(page(telling, draw), encoding="utf-8")


def page(telling: Telling, draw: DrawMoment | None = None) -> str:
    """Boards are drawn as text, or by `draw`: in a tree of their own, so that the page and they have each its own
    style. A browser that knows no such tree shows the text."""
    titles = telling.titles()
    return template().render(t=telling, titles=titles, review=telling.review, curve=curve_of(telling), draw=draw)


def curve_of(telling: Telling, moments: Sequence[Moment] | None = None) -> ChanceCurve:
    """`moments`: those that are numbered, if they are not the review's."""
    numbered = telling.review.moments if moments is None else [moment.choice for moment in moments]
    shares = telling.review.chances
    step = 100 / max(len(telling.review.match.history), len(shares) - 1)  # it may not be finished
    return ChanceCurve(
        [curve((here[seat] for here in shares), step) for seat in range(telling.review.match.seats)],
        [(f"{choice.moves_made * step:.2f}%", number) for number, choice in enumerate(numbered, 1)],
        [(f"{100 - 100 * share:.0f}%", percent(share)) for share in GRID],
    )


@cache
def template() -> Template:
    made = environment(HERE)
    made.filters |= {"percent": percent}
    styles = [(HERE / name).read_text(encoding="utf-8") for name in ("page.css", "static/chances.css")]
    made.globals |= {"own_style": Markup("".join(styles))}
    return made.get_template("page.html")
