"""The standings of a tournament as one page: a file that needs nothing else, no script, no font, no
picture from anywhere.

Plots are drawn here, as SVG with positions in per cent, so that they fit any width while their text
keeps its size. Each has its numbers beside it, so that nothing is said by a picture or a colour
alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from math import ceil, floor, log10
from pathlib import Path

from samovar.arena.ratings import Distribution, Standings
from samovar.arena.report import command, duration, headline, how_sure, percent, percent_span, span, told, verdict

MOST_BARS = 24  # of a histogram
MOST_TICKS = 5
NONE = "–"


def write_page(standings: Standings, path: str | Path) -> None:
    Path(path).write_text(page(standings), encoding="utf-8")


def page(standings: Standings) -> str:
    parts = (_ratings, _pairs, _seats, _spreads, _thinking, _forfeits)
    title = f"Arena: {escape(standings.tournament.game)}"
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{title}</title>
<style>{STYLE}</style>
</head>
<body>
<header>
<h1>{title}</h1>
<p class="lead">{escape(verdict(standings))}</p>
<p>{escape(headline(standings))}. Every bot played every deal in every seat. Play it again:</p>
<pre><code>{escape(command(standings.tournament))}</code></pre>
</header>
<main>
{"".join(part(standings) for part in parts)}</main>
<footer><p>Made by Samovar.</p></footer>
</body>
</html>
"""


# The parts of the page


def _ratings(standings: Standings) -> str:
    bots = standings.bots
    scale = _Scale(
        [value for bot in bots for value in (bot.rating, bot.low, bot.high) if value is not None], least_step=50
    )
    rows = [
        _row(bot.name, scale.dot(bot.rating, bot.low, bot.high), f"{bot.rating:.0f}", span(bot.low, bot.high, "{:.0f}"))
        for bot in bots
    ]
    heads = ["Bot", "Matches", "Win share", "Mean score", "Mean place", "Forfeits"]
    cells = [
        [
            escape(bot.name),
            str(bot.matches),
            percent(bot.win_share),
            told(bot.mean_score),
            told(bot.mean_place, "{:.2f}"),
            str(bot.forfeits),
        ]
        for bot in bots
    ]
    return _section(
        "Ratings",
        _rows(rows, scale.axis("{:.0f}".format)) + _table("How the bots did", heads, cells),
        *how_sure(standings),
    )


def _pairs(standings: Standings) -> str:
    shares = {(pair.a, pair.b): (pair.win_share, pair.low, pair.high) for pair in standings.pairs}
    for (a, b), (share, low, high) in list(shares.items()):
        shares[b, a] = tuple(None if value is None else 1 - value for value in (share, high, low))  # type: ignore[assignment]
    names = [bot.name for bot in standings.bots]
    rows = []
    for a in names:
        cells = [escape(a)]
        for b in names:
            share, low, high = shares.get((a, b), (None, None, None))
            text = percent(share) + _small(percent_span(low, high)) if share is not None else NONE
            cells.append(
                f'<span class="share" style="--share:{100 * share:.0f}%">{text}</span>' if share is not None else text
            )
        rows.append(cells)
    note = (
        "How often the bot of the row had the better place than the bot of the column, draws left aside; below it "
        "the 95 % interval."
    )
    return _section(
        "One against the other", _table("Win shares of pairs", ["", *map(escape, names)], rows, "matrix"), note
    )


def _seats(standings: Standings) -> str:
    bots, seats = standings.bots, standings.seats
    even = 1 / standings.tournament.seats
    scale = _Scale([0, even, *(value for seat in seats for value in (seat.win_share, seat.high) if value is not None)])
    rows = [
        _row(
            f"Seat {seat.number}",
            scale.bar(seat.win_share or 0, seat.low, seat.high, even),
            percent(seat.win_share),
            percent_span(seat.low, seat.high),
        )
        for seat in seats
    ]
    heads = ["Bot", *(f"Seat {seat.number}" for seat in seats)]
    cells = [[escape(bot.name), *map(percent, bot.seat_win_share)] for bot in bots]
    note = (
        "How often each seat won, whoever sat there, and each bot in each seat. The dashed line is an even "
        f"share, {percent(even)}."
    )
    plot = _rows(rows, scale.axis(lambda share: f"{100 * share:.0f} %"))
    return _section("Does the seat matter?", plot + _table("Win share by bot and seat", heads, cells), note)


def _spreads(standings: Standings) -> str:
    values = [value for bot in standings.bots for value, _ in bot.scores.counts]
    plots = [_histogram(f"Scores of {bot.name}", bot.scores, values) for bot in standings.bots]
    plots.append(_histogram("Moves of a match", standings.lengths, [value for value, _ in standings.lengths.counts]))
    note = (
        "All scores are on the same scale. The dashed line is the median. Matches that ended by a forfeit are left out."
    )
    return _section("Scores and lengths", f'<div class="plots">{"".join(plots)}</div>', note)


def _thinking(standings: Standings) -> str:
    """On a scale of powers of ten: a bot may think a thousand times as long as another."""
    times = {
        bot.name: (bot.seconds_per_move, bot.slowest) for bot in standings.bots if bot.seconds_per_move and bot.slowest
    }
    if not times:
        return ""
    scale = _Scale([log10(seconds) for pair in times.values() for seconds in pair], least_step=1)
    rows = [
        _row(name, scale.dot(log10(mean), log10(mean), log10(slowest)), duration(mean), f"slowest {duration(slowest)}")
        for name, (mean, slowest) in times.items()
    ]
    plot = _rows(rows, scale.axis(lambda power: duration(10**power).replace(".0 ", " ")))
    return _section("Thinking time", plot, "The time for a move: its mean, and the slowest.")


def _forfeits(standings: Standings) -> str:
    if not standings.forfeits:
        return _section("Forfeits", "", "None: every bot answered every time with a legal move.")
    rows = [
        [
            escape(forfeit.bot),
            str(len(forfeit.matches)),
            escape(forfeit.reason),
            ", ".join(map(str, forfeit.matches[:10])) + "…" * (len(forfeit.matches) > 10),
        ]
        for forfeit in standings.forfeits
    ]
    note = "Who forfeits loses to all others of the match; it says nothing about those."
    return _section(
        "Forfeits", _table("Forfeits and their reasons", ["Bot", "Times", "Reason", "Matches"], rows, "words"), note
    )


# What they are made of; texts that come in here are escaped already, but for those that say what a
# plot shows


def _section(title: str, body: str, *notes: str) -> str:
    return f"<section>\n<h2>{title}</h2>\n{body}\n{''.join(f'<p class=note>{escape(note)}</p>' for note in notes)}\n</section>\n"


def _table(caption: str, heads: Sequence[str], rows: Sequence[Sequence[str]], kind: str = "") -> str:
    """The first cell of a row is its head. A table too wide for the window can be scrolled, also by
    keyboard."""
    head = "".join(f'<th scope="col">{cell}</th>' if cell else "<td></td>" for cell in heads)
    body = "\n".join(
        f'<tr><th scope="row">{row[0]}</th>{"".join(f"<td>{cell or NONE}</td>" for cell in row[1:])}</tr>'
        for row in rows
    )
    table = f'<table class="{kind}"><caption>{caption}</caption>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table>'
    return f'<div class="wide" role="region" aria-label="{caption}" tabindex="0">{table}</div>\n'


def _rows(rows: Sequence[str], axis: str) -> str:
    return f'<ul class="rows">\n{"".join(rows)}</ul>\n<div class="row axis" aria-hidden="true">{axis}</div>\n'


def _row(name: str, shapes: str, number: str, detail: str) -> str:
    """A name, its plot and its numbers; the plot has a line of its own where there is little
    room."""
    plot = _svg(f"{name}: {number}, {detail}" if detail else f"{name}: {number}", 38, shapes)
    return (
        f'<li class="row"><span class="name">{escape(name)}</span>{plot}<span class="number">{number or NONE} '
        f"{_small(detail)}</span></li>\n"
    )


def _small(text: str) -> str:
    return f"<small>{text}</small>" if text else ""


def _svg(said: str, height: int, shapes: str) -> str:
    return f'<svg role="img" aria-label="{escape(said)}" width="100%" height="{height}">{shapes}</svg>'


class _Scale:
    """Values from left to right, with ticks at round numbers."""

    def __init__(self, values: Sequence[float], least_step: float = 0.01) -> None:
        low, high = min(values), max(values)
        step = max(least_step, _round_step((high - low) / MOST_TICKS))
        first, last = floor(low / step), ceil(high / step)
        self.ticks = [number * step for number in range(first, max(last, first + 1) + 1)]

    def at(self, value: float) -> float:
        """Where a value is, in per cent of the width."""
        return 5 + 90 * (value - self.ticks[0]) / (self.ticks[-1] - self.ticks[0])

    def axis(self, text: Callable[[float], str]) -> str:
        marks = "".join(f'<text x="{self.at(tick):.2f}%" y="14">{escape(text(tick))}</text>' for tick in self.ticks)
        return f'<svg width="100%" height="20">{marks}</svg>'

    def dot(self, value: float, low: float | None, high: float | None) -> str:
        return self._grid() + self._whisker(low, high) + f'<circle cx="{self.at(value):.2f}%" cy="19" r="6"/>'

    def bar(self, value: float, low: float | None, high: float | None, even: float) -> str:
        shape = f'<rect x="{self.at(0):.2f}%" y="9" width="{self.at(value) - self.at(0):.2f}%" height="20" rx="2"/>'
        return self._grid() + shape + self._whisker(low, high) + _upright(self.at(even), 0, 38, "mark")

    def _grid(self) -> str:
        return "".join(_upright(self.at(tick), 0, 38, "grid") for tick in self.ticks)

    def _whisker(self, low: float | None, high: float | None) -> str:
        if low is None or high is None:
            return ""
        a, b = self.at(low), self.at(high)
        return (
            f'<line class="whisker" x1="{a:.2f}%" x2="{b:.2f}%" y1="19" y2="19"/>'
            + _upright(a, 13, 25, "whisker")
            + _upright(b, 13, 25, "whisker")
        )


def _upright(x: float, top: int, bottom: int, kind: str) -> str:
    return f'<line class="{kind}" x1="{x:.2f}%" x2="{x:.2f}%" y1="{top}" y2="{bottom}"/>'


def _round_step(least: float) -> float:
    """The least of 1, 2, 5, 10, 20 ..., also of their tenths and so on, that is not below."""
    power = 10.0 ** floor(log10(least)) if least > 0 else 1.0
    return next(step * power for step in (1, 2, 5, 10) if step * power >= least)


def _histogram(title: str, values: Distribution, all_values: Sequence[int]) -> str:
    """Of whole numbers, on a scale that has room for `all_values`."""
    if not values.size:
        return ""
    step = max(1, int(_round_step((max(all_values) - min(all_values) + 1) / MOST_BARS)))
    first, last = min(all_values) // step, max(all_values) // step
    heights = [0] * (last - first + 1)
    for value, times in values.counts:
        heights[value // step - first] += times
    width, unit = 100 / len(heights), 80 / max(heights)
    bars = "".join(
        f'<rect x="{(bar + 0.05) * width:.2f}%" y="{88 - unit * height:.1f}" width="{0.9 * width:.2f}%" '
        f'height="{unit * height:.1f}"/>'
        for bar, height in enumerate(heights)
    )
    median = ((values.quantile(0.5) or 0) / step - first + 0.5 / step) * width
    base = '<line class="base" x1="0" x2="100%" y1="88" y2="88"/>'
    ends = (
        f'<text class="first" x="0" y="104">{first * step}</text><text class="last" x="100%" '
        f'y="104">{last * step + step - 1}</text>'
    )
    least, quarter, half, three, most = (values.quantile(share) for share in (0, 0.25, 0.5, 0.75, 1))
    said = f"from {least} to {most}, half of them from {quarter} to {three}, median {half}"
    plot = _svg(f"{title}: {said}", 110, bars + base + _upright(median, 2, 88, "mark") + ends)
    return f"<figure><figcaption><strong>{escape(title)}</strong><br>{said}</figcaption>{plot}</figure>"


STYLE = """
:root {
  --page: #faf3e8; --card: #fffdf8; --ink: #38281d; --soft: #75604f; --line: #e6d8c4;
  --copper: #a94e22; --pale: #dc9468; --win: #f0bf8f; --loss: #d3e3e0;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #1c1510; --card: #271e17; --ink: #f3e7d7; --soft: #bda58d; --line: #443528;
    --copper: #f0945c; --pale: #b5683c; --win: #8a4a20; --loss: #22403e;
  }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 68rem; padding: 1rem clamp(0.75rem, 3vw, 2rem) 2rem; background: var(--page); color: var(--ink);
  font: 1rem/1.5 system-ui, sans-serif; }
h1, h2 { font-family: Georgia, "Times New Roman", serif; line-height: 1.2; margin: 0 0 0.6rem; overflow-wrap: anywhere; }
h1 { font-size: clamp(1.7rem, 5vw, 2.5rem); color: var(--copper); }
h2 { font-size: 1.35rem; }
p { margin: 0 0 0.6rem; max-width: 46rem; overflow-wrap: anywhere; }
.lead { font-size: 1.2rem; }
.note, footer, small, figcaption, thead th { color: var(--soft); }
.note, footer { font-size: 0.9rem; margin: 0.6rem 0 0; }
pre { margin: 0 0 1.2rem; padding: 0.6rem 0.8rem; background: var(--card); border: 1px solid var(--line); border-radius: 0.5rem;
  white-space: pre-wrap; overflow-wrap: anywhere; font-size: 0.9rem; }
section { background: var(--card); border: 1px solid var(--line); border-radius: 0.8rem; padding: clamp(0.8rem, 2.5vw, 1.4rem); margin: 0 0 1.2rem; }
.rows { list-style: none; margin: 0; padding: 0; }
.row { display: grid; grid-template: "name plot number" / 11rem 1fr 8rem; align-items: center; column-gap: 0.8rem; }
.row svg { grid-area: plot; }
.name { font-weight: 600; overflow-wrap: anywhere; }
.name, .number { line-height: 1.25; padding: 0.15rem 0; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
.number small { display: block; }
.wide { overflow-x: auto; position: relative; }
.row + .wide { margin-top: 1rem; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
th, td { padding: 0.3rem 0.5rem; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--line); }
th { font-weight: 600; white-space: normal; overflow-wrap: anywhere; min-width: 5.2rem; }
thead th { font-size: 0.85rem; vertical-align: bottom; }
th:first-child { text-align: left; padding-left: 0; min-width: 7rem; }
tbody tr:last-child > * { border-bottom: 0; }
small { font-size: 0.8rem; white-space: nowrap; }
.matrix th, .matrix td { border: 0; text-align: center; }
.matrix th:first-child { text-align: left; }
.matrix td { padding: 2px; min-width: 6rem; }
.share { display: block; padding: 0.45rem; border-radius: 0.4rem; background: color-mix(in srgb, var(--win) var(--share), var(--loss)); }
.share small { display: block; color: inherit; }
.words th, .words td { text-align: left; white-space: normal; vertical-align: top; overflow-wrap: anywhere; }
.words td { min-width: 5.2rem; }
.words td:nth-child(3) { min-width: 12rem; }
@media (max-width: 42rem) {
  .row { grid-template: "name number" "plot plot" / 1fr auto; }
  .number small { display: inline; margin-left: 0.4rem; }
  th, td { padding-left: 0.3rem; padding-right: 0.3rem; }
  th { min-width: 5.2rem; }
  th:first-child { min-width: 5.2rem; }
}
svg { display: block; overflow: visible; }
svg text { fill: var(--soft); font-size: 0.8rem; font-weight: 400; text-anchor: middle; }
svg .first { text-anchor: start; }
svg .last { text-anchor: end; }
circle { fill: var(--copper); stroke: var(--card); stroke-width: 2; }
rect { fill: var(--pale); }
.grid { stroke: var(--line); }
.base, .mark { stroke: var(--ink); }
.mark { stroke-dasharray: 4 3; stroke-width: 1.5; }
.whisker { stroke: var(--copper); stroke-width: 2.5; }
rect ~ .whisker { stroke: var(--ink); stroke-width: 2; }
.plots { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(15rem, 100%), 1fr)); gap: 1.4rem 2rem; }
figure { margin: 0; display: flex; flex-direction: column; justify-content: space-between; }
figcaption { font-size: 0.85rem; overflow-wrap: anywhere; }
figcaption strong { color: var(--ink); font-size: 1rem; }
"""
