"""What the lab found as JSON and as tables in a terminal. `page.py` has it as a page."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from samovar.arena.report import flags
from samovar.engine.contract import Game, Value
from samovar.engine.records.record import replay, to_text
from samovar.engine.words import words_in
from samovar.json_types import JsonObject
from samovar.lab.compare import Difference, Winners, differences, name_of, text_of, winners
from samovar.lab.intervals import Interval
from samovar.lab.measures import PART, RATE
from samovar.lab.order import LabOrder
from samovar.lab.portrait import (
    BY_CHANCE,
    Extreme,
    Figure,
    Share,
    endings,
    extremes,
    happenings,
    portrait,
    told,
    unused,
)
from samovar.lab.run import COUNTING, DONE, MEETING, PLAYING, Findings, Study
from samovar.language.languages import ENGLISH
from samovar.reports.figures import picked, rounded
from samovar.reports.tables import terminal_table

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table

DIGITS = 6  # of figures in JSON
EXACT = 17  # of what was ordered
SURE_SIGN = "*"
LEAST_WIDTH = 24  # of a column with words in a terminal
STAGES_TOLD = {
    COUNTING: "counting matches by chance",
    PLAYING: "looking at matches between bots",
    MEETING: "stronger against weaker",
    DONE: "done",
}
BLANK = re.compile(r"\{(\w+)(?::([^}]*))?\}")  # of a game's sentences


def to_json(findings: Findings, records: Path | None = None) -> JsonObject:
    """Pure JSON; what is not known is null. Rates and parts are from 0 to 1. `records`: the folder that has the
    matches worth looking at."""
    order = findings.order
    return {
        "game": order.game.id,
        "name": order.game.name,
        **picked(order, "seats players random matches seconds seed pace device", EXACT),
        "command": command(findings),
        "stage": findings.stage,
        "done": rounded(findings.done, DIGITS),
        "variants": [_variant(findings, number, records) for number in range(len(findings.studies))],
        "differences": [_difference(findings, each) for each in differences(findings)],
        "winners": [_winners(findings, each) for each in winners(findings)],
    }


def _variant(findings: Findings, number: int, records: Path | None) -> JsonObject:
    order, study = findings.order, findings.studies[number]
    return {
        "name": name_of(findings, number),
        "options": dict(study.options),
        "play": play_command(order, study),
        "address": address(order, study),
        "random": study.counted.matches,
        "matches": len(study.traces),
        "forfeits": study.forfeits,
        "figures": [_figure(figure) for figure in portrait(findings, number)],
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
        "endings": _shares(order.game, endings(study)),
        "happenings": _shares(order.game, happenings(study)),
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


def _figure(figure: Figure) -> JsonObject:
    facts = picked(figure, "key title unit by", DIGITS)
    return {**facts, **_bounds(figure.interval), **picked(figure, "text meaning", DIGITS)}


def _difference(findings: Findings, found: Difference) -> JsonObject:
    return {
        "variant": name_of(findings, found.variant),
        **picked(found.measure, "key title unit", DIGITS),
        **picked(found, "by first here", DIGITS),
        **_bounds(found.interval),
        "is_sure": found.is_sure,
    }


def _winners(findings: Findings, found: Winners) -> JsonObject:
    return {
        "variant": name_of(findings, found.variant),
        "other": _bounds(found.other),
        "again": _bounds(found.again),
        "meaning": told_winners(found),
    }


def _shares(game: Game, shares: Iterable[Share]) -> list[JsonObject]:
    return [{"kind": each.name, "words": told_kind(game, each.name), **_bounds(each.interval)} for each in shares]


def _extreme(findings: Findings, variant: int, extreme: Extreme, records: Path | None) -> JsonObject:
    record = extreme.trace.record
    return {
        "title": extreme.title,
        "plies": len(record["moves"]),
        "places": list(extreme.trace.places),
        "points": list(record["scores"]),
        "look": look_command(findings, variant, extreme, records),
        "record": record,
    }


# In a terminal


def show(findings: Findings, console: Console, records: Path | None = None) -> None:
    """The report for a terminal. It fits into 80 columns and needs no colour."""
    _say(console, headline(findings), style="bold")
    for note in notes(findings):
        _say(console, note)
    for head, figures in groups(findings, 0):
        _head(console, head)
        console.print(figures_table(figures))
    for number in range(1, len(findings.studies)):
        _show_variant(findings, number, console)
    _show_rest(findings, console)
    _show_extremes(findings, console, records)
    _head(console, "Play it yourself")
    for number, study in enumerate(findings.studies):
        _say(console, f"{name_of(findings, number)}: {play_command(findings.order, study)}")
    console.print()
    for note in how_sure(findings):
        _say(console, note, style="dim")


def _say(console: Console, text: str, style: str = "") -> None:
    console.print(text, style=style, markup=False, highlight=False)


def _head(console: Console, text: str) -> None:
    _say(console, f"\n{text}", style="bold")


def figures_table(figures: Sequence[Figure], meanings: bool = True) -> RenderableType:
    rows = [[figure.title, figure.text, figure.meaning][: 2 + meanings] for figure in figures]
    return _table(["Figure", "", "What it means"][: 2 + meanings], rows, (0, 2))


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]], words: Sequence[int] = (0,)) -> Table:
    return terminal_table(heads, rows, words, LEAST_WIDTH)


def _show_variant(findings: Findings, number: int, console: Console) -> None:
    for by, rows in beside(findings, number):
        _head(console, f"{name_of(findings, number)}, beside {name_of(findings, 0)}: {by}")
        lines = [(row.title, row.first, row.here, row.difference, SURE_SIGN if row.is_sure else "") for row in rows]
        console.print(_table(["Figure", "First", "Here", "Difference", ""], lines, (0, 4)))
    for found in winners(findings):
        if found.variant == number and (text := told_winners(found)):
            _say(console, f"\n{text}")


def _show_rest(findings: Findings, console: Console) -> None:
    """What the bots' matches of the first variant tell beside figures."""
    study, game = findings.studies[0], findings.order.game
    for head, found, unit in (
        ("How matches end", endings(study), RATE),
        ("What happens, times a match", happenings(study), ""),
    ):
        if rows := [(told_kind(game, each.name), told(each.interval, unit)) for each in found]:
            _head(console, head)
            console.print(_table(["With the last move" if unit else "Event", ""], rows))
    if rows := [(each.kind, str(each.turns)) for each in unused(study)]:
        _head(console, "Moves that nobody made")
        console.print(_table(["Kind of move", "Turns in which it was possible"], rows))


def _show_extremes(findings: Findings, console: Console, records: Path | None) -> None:
    for number, study in enumerate(findings.studies):
        rows = [
            (extreme.title, str(len(extreme.trace.record["moves"])), told_result(extreme))
            for extreme in extremes(study)
        ]
        if not rows:
            continue
        of = f" ({name_of(findings, number)})" if len(findings.studies) > 1 else ""
        _head(console, f"Matches worth looking at{of}")
        console.print(_table(["Match", "Moves", "Points"], rows, (0, 2)))
        if records is not None:
            for extreme in extremes(study):
                _say(console, look_command(findings, number, extreme, records))
    if records is None and any(study.traces for study in findings.studies):
        _say(console, "--records FOLDER keeps them, for `samovar replay`.", style="dim")


def so_far(findings: Findings) -> RenderableType:
    """While it is measured: how far it is, and the first variant's figures."""
    from rich.console import Group
    from rich.progress_bar import ProgressBar
    from rich.text import Text

    stage = STAGES_TOLD[findings.stage]
    parts: list[RenderableType] = [
        Text(f"{findings.order.game.name}: {stage}, {100 * findings.done:.0f} % (Ctrl+C stops and keeps it)"),
        ProgressBar(total=1.0, completed=findings.done, width=60),
    ]
    for head, figures in reversed(groups(findings, 0)):  # the newest on top: a window may be low
        parts += [Text(f"\n{head}", style="bold"), figures_table(figures, meanings=False)]
    return Group(*parts)


# Words of both reports


def headline(findings: Findings) -> str:
    order = findings.order
    variants = f", {len(findings.studies)} variants" if len(findings.studies) > 1 else ""
    return f"{order.game.name}, {order.seats} players{variants}: what it is like, seed {order.seed}"


def notes(findings: Findings) -> list[str]:
    """What was played, and what is missing."""
    first = findings.studies[0]
    played = [f"{first.counted.matches:,} by chance"] if first.counted.matches else []
    played += [f"{len(first.traces):,} between {findings.player} bots"] if first.traces else []
    played += [
        f"{sum(each.matches for each in met):,} of {stronger} against {weaker}"
        for (weaker, stronger), met in first.meetings.items()
    ]
    each = " of each variant" if len(findings.studies) > 1 else ""
    texts = [f"Matches{each}: {', '.join(played) or 'none yet'}."]
    if findings.stage != DONE:
        texts.append(f"It was stopped when {100 * findings.done:.0f} % was done: these are the figures so far.")
    if forfeits := sum(study.forfeits for study in findings.studies):
        texts.append(f"{forfeits} matches were left out, as a bot forfeited them: see `samovar arena`.")
    return texts


def how_sure(findings: Findings) -> list[str]:
    """How the numbers are to be read."""
    texts = ["±: the true value is within this margin 19 times out of 20."]
    if len(findings.studies) > 1:
        texts.append(
            f"{SURE_SIGN}: more than noise, with all that was compared (Holm). Without it, a difference may be chance."
        )
    return texts


def groups(findings: Findings, variant: int) -> list[tuple[str, list[Figure]]]:
    """The figures by who played, in the order of the portrait."""
    found: dict[str, list[Figure]] = {}
    for figure in portrait(findings, variant):
        found.setdefault(_by(findings, figure.by), []).append(figure)
    return list(found.items())


def _by(findings: Findings, by: str) -> str:
    if by == BY_CHANCE:
        return "Played by chance"
    return f"Played by {by} bots" if by == findings.player else "Stronger against weaker"


@dataclass(frozen=True)
class ComparedFigure:
    """A figure of a variant beside the first one's."""

    key: str
    title: str
    first: str
    here: str
    difference: str
    is_sure: bool


def beside(findings: Findings, variant: int) -> list[tuple[str, list[ComparedFigure]]]:
    """All figures, by who played; those of single matches with their differences, of the deals that both have."""
    compared = {(each.measure.key, each.by): each for each in differences(findings) if each.variant == variant}
    before = {(figure.key, figure.by): figure for figure in portrait(findings, 0)}
    found: dict[str, list[ComparedFigure]] = {}
    for figure in portrait(findings, variant):
        place = figure.key, figure.by
        if difference := compared.get(place):
            texts = plain(difference.first, figure.unit), plain(difference.here, figure.unit)
            row = ComparedFigure(figure.key, figure.title, *texts, signed(difference), difference.is_sure)
        else:
            first = before[place].text if place in before else "–"
            if figure.interval and figure.text == first:
                same = plain(figure.interval.value, figure.unit)
                row = ComparedFigure(figure.key, figure.title, same, same, "none", is_sure=False)
            else:
                row = ComparedFigure(figure.key, figure.title, first, figure.text, "–", is_sure=False)
        found.setdefault(_by(findings, figure.by), []).append(row)
    return list(found.items())


def plain(value: float, unit: str) -> str:
    return f"{100 * value:.1f} %" if unit in (RATE, PART) else f"{value:.2f}"


def signed(found: Difference) -> str:
    """`+2.1 ± 0.4`; of shares in points of a hundred."""
    text = told(found.interval, found.measure.unit).replace(" %", "")
    return text if text.startswith("-") else f"+{text}"


def told_winners(found: Winners) -> str:
    if found.other is None:
        return ""
    again = (
        f"; when the same players play the first variant again with the same deal, in {told(found.again, RATE)}"
        if found.again
        else ""
    )
    other = told(found.other, RATE)
    return f"With the same deal and the same players somebody else wins in {other} of the matches{again}."


def told_kind(game: Game, kind: str) -> str:
    """What an event is called: the game's sentence, with what differs from one to the next left open."""
    sentence = words_in(game, ENGLISH).get(kind)
    if not sentence:
        return kind
    text = BLANK.sub(_open, sentence).rstrip(".!")
    return text[:1].upper() + text[1:]


def _open(blank: re.Match[str]) -> str:
    name, form = blank[1], blank[2] or ""
    if name == "seat":
        return "a player"
    if name.endswith("_seat"):
        return "another player"
    return f"… {form.rpartition('|')[2]}" if "|" in form else "a …" if form == "a" else "…"


def told_result(extreme: Extreme) -> str:
    """`Player 2 wins: 3 : 7`"""
    record, places = extreme.trace.record, extreme.trace.places
    first = [f"Player {seat + 1}" for seat, place in enumerate(places) if place == 1]
    points = " : ".join(map(str, record["scores"]))
    return f"{points}, {' and '.join(first)} {'wins' if len(first) == 1 else 'win'}" if first else points


def told_moves(extreme: Extreme) -> list[str]:
    """Move by move, as one who watches is told."""
    match = replay(extreme.trace.record)
    words = words_in(match.game, ENGLISH)
    lines = []
    for (seat, text), events in zip(match.told_history(), match.log(None), strict=True):
        told_events = [event.tell(words, lambda seat: f"player {seat + 1}") for event in events]
        sentences = [sentence[:1].upper() + sentence[1:] for sentence in told_events]
        lines.append(" ".join(sentences) or f"Player {seat + 1}: {text}")
    return lines


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
    varied = [name for name in options[0] if len({repr(each[name]) for each in options}) > 1]
    fixed = {name: value for name, value in _chosen(order.game, options[0]).items() if name not in varied}
    words += flags(fixed)
    # what changes last was named first
    for name in sorted(varied, key=lambda name: -_first_change([each[name] for each in options])):
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
