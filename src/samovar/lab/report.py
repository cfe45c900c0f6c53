"""What the lab found as JSON and as tables in a terminal. `page.py` has it as a page."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from samovar.arena.report import flags
from samovar.engine.contract import Game, Value
from samovar.engine.records.record import to_text
from samovar.json_types import JsonObject
from samovar.lab.compare import Difference, Winners, name_of, text_of, varied
from samovar.lab.intervals import Interval
from samovar.lab.measures import RATE
from samovar.lab.order import LabOrder
from samovar.lab.portrait import Extreme, Share, endings, extremes, happenings, unused
from samovar.lab.run import Findings, Study
from samovar.lab.telling import STAGES, SURE_SIGN, ToldFigure, ToldFindings
from samovar.reports.figures import picked, rounded
from samovar.reports.tables import terminal_table

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table

DIGITS = 6  # of figures in JSON
EXACT = 17  # of what was ordered
LEAST_WIDTH = 24  # of a column with words in a terminal


def to_json(findings: Findings, records: Path | None = None) -> JsonObject:
    """Pure JSON; what is not known is null. Rates and parts are from 0 to 1. `records`: the folder that has the
    matches worth looking at."""
    order, telling = findings.order, ToldFindings(findings, for_programs=True)
    return {
        "game": order.game.id,
        "name": order.game.name,
        **picked(order, "seats players random matches seconds seed pace device", EXACT),
        "command": command(findings),
        "stage": findings.stage,
        "done": rounded(findings.done, DIGITS),
        "variants": [_variant(telling, number, records) for number in range(len(findings.studies))],
        "differences": [_difference(telling, each) for each in telling.differences],
        "winners": [_winners(telling, each) for each in telling.winners],
    }


def _variant(telling: ToldFindings, number: int, records: Path | None) -> JsonObject:
    findings, order, study = telling.findings, telling.order, telling.findings.studies[number]
    return {
        "name": name_of(findings, number),
        "options": dict(study.options),
        "play": play_command(order, study),
        "address": address(order, study),
        "random": study.counted.matches,
        "matches": len(study.traces),
        "forfeits": study.forfeits,
        "figures": [_figure(figure) for figure in telling.portrait(number)],
        "skill": [
            {
                "weaker": weaker,
                "stronger": stronger,
                "deals": len(met),
                "shares": rounded([m.share for m in met], DIGITS),
            }
            for (weaker, stronger), met in study.meetings.items()
        ],
        "unused": [picked(each, "kind turns", DIGITS) for each in unused(study)],
        "endings": _shares(telling, endings(study)),
        "happenings": _shares(telling, happenings(study)),
        "extremes": [_extreme(findings, number, each, records) for each in extremes(study)],
        "histograms": {
            "moves": rounded(sorted(study.counted.lengths.items()), DIGITS),
            "points": [rounded(sorted(points.items()), DIGITS) for points in study.counted.points],
        },
        "chances": rounded(winner_curves(study), DIGITS),
    }


def _bounds(interval: Interval | None) -> JsonObject:
    if interval is None:
        return dict.fromkeys(("value", "low", "high", "size"))
    return picked(interval, "value low high size", DIGITS)


def _figure(figure: ToldFigure) -> JsonObject:
    facts = picked(figure, "key title unit by", DIGITS)
    return {**facts, **_bounds(figure.interval), **picked(figure, "text meaning", DIGITS)}


def _difference(telling: ToldFindings, found: Difference) -> JsonObject:
    return {
        "variant": name_of(telling.findings, found.variant),
        "key": found.measure.key,
        "title": telling.title(found.measure.key, found.players),
        "unit": found.measure.unit,
        **picked(found, "by first here", DIGITS),
        **_bounds(found.interval),
        "is_sure": found.is_sure,
    }


def _winners(telling: ToldFindings, found: Winners) -> JsonObject:
    return {
        "variant": name_of(telling.findings, found.variant),
        "other": _bounds(found.other),
        "again": _bounds(found.again),
        "meaning": telling.other_winners(found),
    }


def _shares(telling: ToldFindings, shares: Iterable[Share]) -> list[JsonObject]:
    return [{"kind": each.name, "words": telling.kind(each.name), **_bounds(each.interval)} for each in shares]


def _extreme(findings: Findings, variant: int, extreme: Extreme, records: Path | None) -> JsonObject:
    record = extreme.trace.record
    return {
        "title": extreme.title,
        "moves": len(record["moves"]),
        "plies": len(record["moves"]),  # the old name, for one release
        "places": list(extreme.trace.places),
        "points": list(record["scores"]),
        "look": look_command(findings, variant, extreme, records),
        "record": record,
    }


# In a terminal


def show(telling: ToldFindings, console: Console, records: Path | None = None) -> None:
    """The report for a terminal. It fits into 80 columns and needs no colour."""
    _say(console, telling.headline(), style="bold")
    for note in telling.notes():
        _say(console, note)
    for head, figures in telling.groups(0):
        _head(console, head)
        console.print(figures_table(telling, figures))
    for number in range(1, len(telling.findings.studies)):
        _show_variant(telling, number, console)
    _show_rest(telling, console)
    _show_extremes(telling, console, records)
    _head(console, telling.gettext("Play it yourself"))
    for number, study in enumerate(telling.findings.studies):
        if rule := telling.rule(number):
            _say(console, rule)
        _say(console, f"{telling.name(number)}: {play_command(telling.order, study)}")
    console.print()
    for note in telling.how_sure():
        _say(console, note, style="dim")


def _say(console: Console, text: str, style: str = "") -> None:
    console.print(text, style=style, markup=False, highlight=False)


def _head(console: Console, text: str) -> None:
    _say(console, f"\n{text}", style="bold")


def figures_table(telling: ToldFindings, figures: Sequence[ToldFigure], meanings: bool = True) -> RenderableType:
    _ = telling.gettext
    rows = [[figure.title, figure.text, figure.meaning][: 2 + meanings] for figure in figures]
    return _table([_("Figure"), "", _("What it means")][: 2 + meanings], rows, (0, 2))


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]], words: Sequence[int] = (0,)) -> Table:
    return terminal_table(heads, rows, words, LEAST_WIDTH)


def _show_variant(telling: ToldFindings, number: int, console: Console) -> None:
    _ = telling.gettext
    for by, rows in telling.beside(number):
        _head(console, beside_head(telling, number, by))
        lines = [(row.title, row.first, row.here, row.difference, SURE_SIGN if row.is_sure else "") for row in rows]
        console.print(_table([_("Figure"), _("First"), _("Here"), _("Difference"), ""], lines, (0, 4)))
    for found in telling.winners:
        if found.variant == number and (text := telling.other_winners(found)):
            _say(console, f"\n{text}")


def beside_head(telling: ToldFindings, number: int, by: str) -> str:
    _ = telling.say
    return _("{variant}, beside {first}: {by}", variant=telling.name(number), first=telling.name(0), by=by)


def _show_rest(telling: ToldFindings, console: Console) -> None:
    """What the bots' matches of the first variant tell beside figures."""
    _, study = telling.gettext, telling.findings.studies[0]
    for head, column, found, unit in (
        (_("How matches end"), _("With the last move"), endings(study), RATE),
        (_("What happens, times a match"), _("Event"), happenings(study), ""),
    ):
        if rows := [(telling.kind(each.name), telling.text(each.interval, unit)) for each in found]:
            _head(console, head)
            console.print(_table([column, ""], rows))
    if rows := [(each.kind, telling.count(each.turns)) for each in unused(study)]:
        _head(console, _("Moves that nobody made"))
        console.print(_table([_("Kind of move"), _("Turns in which it was possible")], rows))


def _show_extremes(telling: ToldFindings, console: Console, records: Path | None) -> None:
    _, findings = telling.gettext, telling.findings
    for number, study in enumerate(findings.studies):
        rows = [
            (_(extreme.title), str(len(extreme.trace.record["moves"])), telling.result(extreme))
            for extreme in extremes(study)
        ]
        if not rows:
            continue
        of = f" ({telling.name(number)})" if len(findings.studies) > 1 else ""
        _head(console, _("Matches worth looking at") + of)
        console.print(_table([_("Match"), _("Moves"), _("Points")], rows, (0, 2)))
        if records is not None:
            for extreme in extremes(study):
                _say(console, look_command(findings, number, extreme, records))
    if records is None and any(study.traces for study in findings.studies):
        _say(console, _("--records FOLDER keeps them, for `samovar replay`."), style="dim")


def so_far(telling: ToldFindings) -> RenderableType:
    """While it is measured: how far it is, and the first variant's figures."""
    from rich.console import Group
    from rich.progress_bar import ProgressBar
    from rich.text import Text

    _, findings = telling.gettext, telling.findings
    text = _("{game}: {stage}, {percent} (Ctrl+C stops and keeps it)").format(
        game=telling.order.game.name, stage=_(STAGES[findings.stage]), percent=telling.percent(findings.done, 0)
    )
    parts: list[RenderableType] = [Text(text), ProgressBar(total=1.0, completed=findings.done, width=60)]
    for head, figures in reversed(telling.groups(0)):  # the newest on top: a window may be low
        parts += [Text(f"\n{head}", style="bold"), figures_table(telling, figures, meanings=False)]
    return Group(*parts)


def winner_curves(study: Study) -> list[tuple[float, ...]]:
    """The chances of the one who won, from the deal to the end; of each match that somebody won alone."""
    return [
        tuple(now[trace.places.index(1)] for now in trace.chances)
        for trace in study.traces
        if trace.places.count(1) == 1
    ]


# How to do it again


def command(findings: Findings) -> str:
    """The command that measures the same again."""
    order = findings.order
    options = [study.options for study in findings.studies]
    words = ["samovar", "lab", order.game.id, "--seats", str(order.seats)]
    apart = varied(findings)
    fixed = {name: value for name, value in _chosen(order.game, options[0]).items() if name not in apart}
    words += flags(fixed)
    # what changes last was named first
    for name in sorted(apart, key=lambda name: -_first_change([each[name] for each in options])):
        values = dict.fromkeys("random" if each[name] is None else text_of(each[name]) for each in options)
        words += ["--vary", f"{name}={','.join(values)}"]
    words += ["--players", ",".join(order.players), "--random", str(order.random)]
    words += ["--matches", str(order.matches)] if order.seconds is None else ["--seconds", f"{order.seconds:g}"]
    return shlex.join([*words, "--seed", str(order.seed)])


def _first_change(values: Sequence[Value]) -> int:
    return next(number for number, value in enumerate(values) if repr(value) != repr(values[0]))


def _chosen(game: Game, options: dict[str, Value]) -> dict[str, Value]:
    """Those that are not as usual."""
    usual = {option.name: option.default for option in game.options}
    return {name: value for name, value in options.items() if value != usual[name]}


def play_command(order: LabOrder, study: Study) -> str:
    """The command that opens a table of a variant in a terminal."""
    words = ["samovar", "play", order.game.id, "--seats", str(order.seats)]
    return shlex.join([*words, *flags(_chosen(order.game, study.options))])


def address(order: LabOrder, study: Study) -> str:
    """The path of the site's form for a new table of a variant."""
    chosen = _chosen(order.game, study.options)
    values = {name: "random" if value is None else text_of(value) for name, value in chosen.items()}
    return f"/new/{order.game.id}?{urlencode({'seats': order.seats, **values})}"


def record_name(findings: Findings, variant: int, extreme: Extreme) -> str:
    of = f"-{variant + 1}" if len(findings.studies) > 1 else ""
    word = extreme.title.split()[1]
    return f"{findings.order.game.id}{of}-{word}.json"


def look_command(findings: Findings, variant: int, extreme: Extreme, records: Path | None) -> str:
    folder = Path("FOLDER") if records is None else records
    return shlex.join(["samovar", "replay", str(folder / record_name(findings, variant, extreme))])


def write_records(findings: Findings, folder: Path) -> None:
    """The matches worth looking at, as records."""
    folder.mkdir(parents=True, exist_ok=True)
    for variant, study in enumerate(findings.studies):
        for extreme in extremes(study):
            place = folder / record_name(findings, variant, extreme)
            place.write_text(to_text(extreme.trace.record), encoding="utf-8")
