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
from samovar.lab.intervals import Interval
from samovar.lab.measures import RATE
from samovar.lab.order import RANDOM
from samovar.lab.portrait import endings, extremes, happenings, unused
from samovar.lab.report import address, beside_head, command, look_command, play_command, winner_curves
from samovar.lab.run import Findings
from samovar.lab.telling import ToldFindings
from samovar.language.languages import LANGUAGES
from samovar.reports import environment
from samovar.reports.plots import Distribution, Scale, curve, histogram

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


def write_page(telling: ToldFindings, path: str | Path, records: Path | None = None) -> None:
    Path(path).write_text(page(telling, records), encoding="utf-8")


def write_plots(telling: ToldFindings, folder: str | Path) -> None:
    """Each plot as an SVG file that looks right by itself."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    alone = templates().get_template("plot.svg")
    for plot in every_plot(telling):
        (Path(folder) / f"{plot.name}.svg").write_text(alone.render(plot=plot, width=WIDTH), encoding="utf-8")


def page(telling: ToldFindings, records: Path | None = None) -> str:
    return (
        templates()
        .get_template("page.html")
        .render(
            t=telling,
            _=telling.say,
            site=SITE,
            command=command(telling.findings),
            variants=[VariantPage(telling, number, records) for number in range(len(telling.findings.studies))],
            dots=dot_plots(telling),
        )
    )


def pages(findings: Findings) -> dict[str, str]:
    """By language: whoever reads it has their own."""
    return {language: page(ToldFindings(findings, language)) for language in LANGUAGES}


@cache
def templates() -> Environment:
    made = environment(HERE)
    made.globals |= {"own_style": Markup((HERE / "page.css").read_text(encoding="utf-8"))}
    return made


class VariantPage:
    """What the page tells of one."""

    def __init__(self, telling: ToldFindings, number: int, records: Path | None) -> None:
        _, findings = telling.gettext, telling.findings
        study = findings.studies[number]
        self.name = telling.name(number)
        self.rule = telling.rule(number)
        self.play = play_command(telling.order, study)
        self.path = address(telling.order, study)
        self.groups = telling.groups(number)
        self.plots = plots(telling, number)
        self.beside = (
            [(beside_head(telling, number, by), rows) for by, rows in telling.beside(number)] if number else []
        )
        self.winners = "".join(telling.other_winners(each) for each in telling.winners if each.variant == number)
        self.unused = [(each.kind, telling.count(each.turns)) for each in unused(study)]
        self.endings = [(telling.kind(each.name), telling.text(each.interval, RATE)) for each in endings(study)]
        self.happenings = [(telling.kind(each.name), telling.text(each.interval, "")) for each in happenings(study)]
        self.extremes = [
            (_(each.title), telling.result(each), telling.moves(each), look_command(findings, number, each, records))
            for each in extremes(study)
        ]


# Plots


def every_plot(telling: ToldFindings) -> list[Plot]:
    own = [plot for number in range(len(telling.findings.studies)) for plot in plots(telling, number)]
    return own + dot_plots(telling)


def plots(telling: ToldFindings, variant: int) -> list[Plot]:
    drawn = (draw(telling, variant) for draw in (_wins, _scores, _lengths, _chances))
    return [plot for plot in drawn if plot is not None]


def _file(name: str, telling: ToldFindings, variant: int) -> str:
    return f"{name}-{variant + 1}" if len(telling.findings.studies) > 1 else name


def _wins(telling: ToldFindings, variant: int) -> Plot | None:
    """Whether it matters where one sits."""
    _, order = telling.say, telling.order
    lines = [
        PlotLine(telling.by(telling.player(int(each.key[4:]) - 1), each.players), each.text, each.interval)
        for each in telling.portrait(variant)
        if each.key.startswith("win_") and each.interval is not None
    ]
    if not lines:
        return None
    even = 1 / len(set(order.game.teams(order.seats)))
    scale = Scale([0, even, *(value for line in lines for value in (line.interval.value, line.interval.high))])
    drawing = _draw("bars", lines=lines, scale=scale, even=even, tick=telling.tick(RATE))
    said = _(
        "How often each player won, with what is sure of it. The dashed line is an even share, {even}.",
        even=telling.percent(even),
    )
    name = _file("wins", telling, variant)
    return Plot(name, _("Does the chair matter?"), said, 54 * len(lines) + 24, drawing)


def _scores(telling: ToldFindings, variant: int) -> Plot | None:
    """All on one scale."""
    study = telling.findings.studies[variant]
    found = [Distribution(tuple(sorted(points.items()))) for points in study.counted.points]
    seats = range(telling.order.seats)
    found += [Distribution.of(trace.record["scores"][seat] for trace in study.traces) for seat in seats]
    names = [telling.by(telling.player(seat), by) for by in _who(telling) for seat in seats]
    return _histograms(telling, _file("points", telling, variant), telling.gettext("Points at the end"), names, found)


def _lengths(telling: ToldFindings, variant: int) -> Plot | None:
    study = telling.findings.studies[variant]
    found = [
        Distribution(tuple(sorted(study.counted.lengths.items()))),
        Distribution.of(len(trace.record["moves"]) for trace in study.traces),
    ]
    names = [telling.played(by) for by in _who(telling)]
    return _histograms(telling, _file("moves", telling, variant), telling.gettext("Moves of a match"), names, found)


def _who(telling: ToldFindings) -> tuple[tuple[str, ...], ...]:
    """Nobody, then the bots whose matches were looked at."""
    return (), (telling.findings.player or RANDOM,)


def _histograms(
    telling: ToldFindings, name: str, title: str, names: Sequence[str], found: Sequence[Distribution]
) -> Plot | None:
    _ = telling.say
    values = [value for each in found for value, _times in each.counts]
    drawn = [
        (histogram(text, each, values), _("median {number}", number=each.quantile(0.5)))
        for text, each in zip(names, found, strict=True)
        if each.size
    ]
    if not drawn:
        return None
    said = _("How often each number came up, all on one scale. The dashed line is the median.")
    return Plot(name, title, said, 124 * len(drawn), _draw("histograms", drawn=drawn))


def _chances(telling: ToldFindings, variant: int) -> Plot | None:
    """The winner's chance on the way, of every match, and on average."""
    _, curves = telling.say, winner_curves(telling.findings.studies[variant])
    if not curves:
        return None
    steps = np.linspace(0, 1, 17)
    mean = np.mean([np.interp(steps, np.linspace(0, 1, len(each)), each) for each in curves], axis=0)
    lines = [_points(each) for each in curves[:MOST_CURVES]]
    drawing = _draw("chances", curves=lines, mean=_points(mean), first=_("the deal"), last=_("the end"))
    said = _(
        "The chance of winning of who won in the end, from the deal to the last move: {count} matches, and thick "
        "their mean. The lower a line was, the greater the comeback.",
        count=telling.count(len(curves)),
    )
    return Plot(_file("chances", telling, variant), _("Chances on the way"), said, 280, drawing)


def _points(chances: Sequence[float] | Floats) -> str:
    return curve(chances, 100 / max(len(chances) - 1, 1))


def dot_plots(telling: ToldFindings) -> list[Plot]:
    """Of what differs beyond noise: every variant on one scale, the clearest first."""
    sure = [each for each in telling.differences if each.is_sure]
    sure.sort(key=lambda each: -abs(each.interval.value) / max(each.interval.margin, 1e-12))
    wanted = list(dict.fromkeys((each.measure.key, each.by) for each in sure))[:MOST_DOTS]
    return [_dots(telling, key, by, number) for number, (key, by) in enumerate(wanted, 1)]


def _dots(telling: ToldFindings, key: str, by: str, number: int) -> Plot:
    found = {
        telling.name(variant): figure
        for variant in range(len(telling.findings.studies))
        for figure in telling.portrait(variant)
        if (figure.key, figure.by) == (key, by)
    }
    lines = [
        PlotLine(name, figure.text, figure.interval) for name, figure in found.items() if figure.interval is not None
    ]
    scale = Scale([value for line in lines for value in (line.interval.low, line.interval.high)])
    figure = next(iter(found.values()))
    drawing = _draw("dots", lines=lines, scale=scale, tick=telling.tick(figure.unit))
    title = telling.by(figure.title, figure.players)
    said = telling.gettext("Each variant by itself.")
    return Plot(f"difference-{number}", title, said, 54 * len(lines) + 24, drawing)


def _draw(kind: str, **facts: object) -> Markup:
    macros: Mapping[str, Callable[..., Markup]] = vars(templates().get_template("drawings.html").module)
    return macros[kind](**facts)
