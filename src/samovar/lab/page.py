"""What the lab found as one page, and its plots as files: see `reports`. `page.html` has the page, `drawings.html` the
plots, with the numbers and scales from here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from jinja2 import Environment
from markupsafe import Markup

from samovar.engine.arrays import Floats
from samovar.lab.compare import differences, name_of, winners
from samovar.lab.intervals import Interval
from samovar.lab.measures import PART, RATE
from samovar.lab.portrait import BY_CHANCE, Figure, endings, extremes, happenings, portrait, told, told_parts, unused
from samovar.lab.report import (
    address,
    beside,
    command,
    groups,
    headline,
    how_sure,
    look_command,
    notes,
    play_command,
    told_kind,
    told_moves,
    told_result,
    told_winners,
    winner_curves,
)
from samovar.lab.run import Findings, Study
from samovar.reports import environment
from samovar.reports.plots import Distribution, Histogram, Scale, curve, histogram

HERE = Path(__file__).parent
SITE = "http://localhost:8080"  # where `samovar serve` is found
MOST_CURVES = 200  # in one plot
MOST_DOTS = 12  # differences that are drawn
WIDTH = 640  # of a plot that is a file of its own


@dataclass(frozen=True)
class Plot:
    """A drawing that fits any width; its text keeps its size."""

    name: str  # of its file
    title: str
    said: str  # what it shows, and how to read it
    height: int
    drawing: Markup


@dataclass(frozen=True)
class PlotLine:
    """Of a plot: a figure with its interval."""

    name: str
    text: str
    interval: Interval


def write_page(findings: Findings, path: str | Path, records: Path | None = None) -> None:
    Path(path).write_text(page(findings, records), encoding="utf-8")


def write_plots(findings: Findings, folder: str | Path) -> None:
    """Each plot as an SVG file that looks right by itself."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    alone = templates().get_template("plot.svg")
    for plot in every_plot(findings):
        (Path(folder) / f"{plot.name}.svg").write_text(alone.render(plot=plot, width=WIDTH), encoding="utf-8")


def page(findings: Findings, records: Path | None = None) -> str:
    return (
        templates()
        .get_template("page.html")
        .render(
            f=findings,
            site=SITE,
            headline=headline(findings),
            notes=notes(findings),
            command=command(findings),
            how_sure=how_sure(findings),
            variants=[VariantPage(findings, number, records) for number in range(len(findings.studies))],
            dots=dot_plots(findings),
        )
    )


@cache
def templates() -> Environment:
    made = environment(HERE)
    made.globals |= {"bounds": bounds, "own_style": Markup((HERE / "page.css").read_text(encoding="utf-8"))}
    return made


class VariantPage:
    """What the page tells of one."""

    def __init__(self, findings: Findings, number: int, records: Path | None) -> None:
        order, study = findings.order, findings.studies[number]
        game = order.game
        self.name = name_of(findings, number)
        self.play = play_command(order, study)
        self.path = address(order, study)
        self.groups = groups(findings, number)
        self.plots = plots(findings, number)
        self.beside = beside(findings, number) if number else []
        self.winners = "".join(told_winners(each) for each in winners(findings) if each.variant == number)
        self.unused = [(each.kind, str(each.turns)) for each in unused(study)]
        self.endings = [(told_kind(game, each.name), told(each.interval, RATE)) for each in endings(study)]
        self.happenings = [(told_kind(game, each.name), told(each.interval, "")) for each in happenings(study)]
        self.extremes = [
            (each.title, told_result(each), told_moves(each), look_command(findings, number, each, records))
            for each in extremes(study)
        ]


def bounds(figure: Figure) -> str:
    """`95 %: 10.8 to 17.6, of 20 deals`"""
    if figure.interval is None:
        return ""
    _, low, high, _ = told_parts(figure.interval, figure.unit)
    return f"95 %: {low} to {high}, of {figure.interval.size:,} {'matches' if figure.by == BY_CHANCE else 'deals'}"


# Plots


def every_plot(findings: Findings) -> list[Plot]:
    own = [plot for number in range(len(findings.studies)) for plot in plots(findings, number)]
    return own + dot_plots(findings)


def plots(findings: Findings, variant: int) -> list[Plot]:
    study = findings.studies[variant]
    found = [_wins(findings, variant), _scores(findings, variant), _lengths(findings, variant)]
    return [plot for plot in (*found, _chances(study, _file("chances", findings, variant))) if plot is not None]


def _file(name: str, findings: Findings, variant: int) -> str:
    return f"{name}-{variant + 1}" if len(findings.studies) > 1 else name


def _wins(findings: Findings, variant: int) -> Plot | None:
    """Whether it matters where one sits."""
    lines = _lines(portrait(findings, variant), lambda figure: figure.key.startswith("win_"))
    if not lines:
        return None
    even = 1 / len(set(findings.order.game.teams(findings.order.seats)))
    scale = Scale([0, even, *(value for line in lines for value in (line.interval.value, line.interval.high))])
    drawing = _draw("bars", lines=lines, scale=scale, even=even, tick=_tick(RATE))
    said = f"How often each player won, with what is sure of it. The dashed line is an even share, {100 * even:.0f} %."
    name = _file("wins", findings, variant)
    return Plot(name, "Does the chair matter?", said, 54 * len(lines) + 24, drawing)


def _lines(figures: Sequence[Figure], wanted: Callable[[Figure], bool]) -> list[PlotLine]:
    return [
        PlotLine(f"{figure.title.removeprefix('Won by ').capitalize()}, {_by(figure.by)}", figure.text, figure.interval)
        for figure in figures
        if figure.interval is not None and wanted(figure)
    ]


def _by(by: str) -> str:
    return by if by == BY_CHANCE else f"by {by}"


def _scores(findings: Findings, variant: int) -> Plot | None:
    """All on one scale."""
    study = findings.studies[variant]
    values = {f"Player {seat}, {BY_CHANCE}": points for seat, points in enumerate(study.counted.points, 1)}
    of_bots = {
        f"Player {seat + 1}, by {findings.player}": [trace.record["scores"][seat] for trace in study.traces]
        for seat in range(findings.order.seats)
    }
    title = "Points at the end"
    found = [Distribution(tuple(sorted(points.items()))) for points in values.values()]
    found += [Distribution.of(points) for points in of_bots.values()]
    return _histograms(_file("points", findings, variant), title, [*values, *of_bots], found)


def _lengths(findings: Findings, variant: int) -> Plot | None:
    study = findings.studies[variant]
    found = [
        Distribution(tuple(sorted(study.counted.lengths.items()))),
        Distribution.of(len(trace.record["moves"]) for trace in study.traces),
    ]
    names = [f"Played {BY_CHANCE}", f"Played by {findings.player}"]
    return _histograms(_file("moves", findings, variant), "Moves of a match", names, found)


def _histograms(name: str, title: str, names: Sequence[str], found: Sequence[Distribution]) -> Plot | None:
    values = [value for each in found for value, _ in each.counts]
    drawn: list[Histogram] = [
        histogram(text, each, values) for text, each in zip(names, found, strict=True) if each.size
    ]
    if not drawn:
        return None
    said = "How often each number came up, all on one scale. The dashed line is the median."
    return Plot(name, title, said, 124 * len(drawn), _draw("histograms", drawn=drawn))


def _chances(study: Study, name: str) -> Plot | None:
    """The winner's chance on the way, of every match, and on average."""
    curves = winner_curves(study)
    if not curves:
        return None
    steps = np.linspace(0, 1, 17)
    mean = np.mean([np.interp(steps, np.linspace(0, 1, len(each)), each) for each in curves], axis=0)
    drawing = _draw("chances", curves=[_points(each) for each in curves[:MOST_CURVES]], mean=_points(mean))
    said = (
        f"The chance of winning of who won in the end, from the deal to the last move: {len(curves)} matches, and "
        "thick their mean. The lower a line was, the greater the comeback."
    )
    return Plot(name, "Chances on the way", said, 280, drawing)


def _points(chances: Sequence[float] | Floats) -> str:
    return curve(chances, 100 / max(len(chances) - 1, 1))


def dot_plots(findings: Findings) -> list[Plot]:
    """Of what differs beyond noise: every variant on one scale, the clearest first."""
    sure = [each for each in differences(findings) if each.is_sure]
    sure.sort(key=lambda each: -abs(each.interval.value) / max(each.interval.margin, 1e-12))
    wanted = list(dict.fromkeys((each.measure.key, each.by) for each in sure))[:MOST_DOTS]
    return [_dots(findings, key, by, number) for number, (key, by) in enumerate(wanted, 1)]


def _dots(findings: Findings, key: str, by: str, number: int) -> Plot:
    found = {
        name_of(findings, variant): figure
        for variant in range(len(findings.studies))
        for figure in portrait(findings, variant)
        if (figure.key, figure.by) == (key, by)
    }
    lines = [
        PlotLine(name, figure.text, figure.interval) for name, figure in found.items() if figure.interval is not None
    ]
    scale = Scale([value for line in lines for value in (line.interval.low, line.interval.high)])
    figure = next(iter(found.values()))
    drawing = _draw("dots", lines=lines, scale=scale, tick=_tick(figure.unit))
    title = f"{figure.title}, {_by(by)}"
    return Plot(f"difference-{number}", title, "Each variant by itself.", 54 * len(lines) + 24, drawing)


def _tick(unit: str) -> Callable[[float], str]:
    return (lambda value: f"{100 * value:g} %") if unit in (RATE, PART) else (lambda value: f"{round(value, 6):g}")


def _draw(kind: str, **facts: object) -> Markup:
    macros: Mapping[str, Callable[..., Markup]] = vars(templates().get_template("drawings.html").module)
    return macros[kind](**facts)
