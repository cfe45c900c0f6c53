"""What a run has learned over time, as a picture and as a table."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from html import escape
from typing import TypeAlias

CurveRow: TypeAlias = dict[str, float]  # of a curve: minutes, moves, entropy ..., and by bot the share won
AGAINST = "against "  # how columns of shares begin
COLOURS = ("#b08900", "#0b6e99", "#a23b72", "#3a7d44")
LEFT, TOP, WIDE, HIGH = 60, 50, 560, 300


def table(rows: Sequence[CurveRow]) -> str:
    out = io.StringIO()
    written = csv.DictWriter(out, rows[0], lineterminator="\n")
    written.writeheader()
    written.writerows(rows)
    return out.getvalue()


def picture(rows: Sequence[CurveRow], title: str) -> str:
    """The share won against each bot, over the minutes."""
    end = rows[-1]["minutes"] or 1.0
    marks = [
        f'<text x="{LEFT}" y="24" font-weight="bold">{escape(title)}</text>',
        f'<text x="{LEFT + WIDE / 2:.0f}" y="394" text-anchor="middle">minutes of learning</text>',
    ]
    for quarter in range(5):
        across, up = LEFT + WIDE * quarter // 4, TOP + HIGH - HIGH * quarter // 4
        colour = "#666" if quarter == 2 else "#ddd"
        marks.append(f'<path d="M{LEFT},{up}h{WIDE}" stroke="{colour}"/>')
        marks.append(f'<text x="{LEFT - 8}" y="{up + 4}" text-anchor="end">{25 * quarter} %</text>')
        marks.append(f'<text x="{across}" y="372" text-anchor="middle">{_minutes(end * quarter / 4, end)}</text>')
    names = [name for name in rows[0] if name.startswith(AGAINST)]
    for number, name in enumerate(names):
        colour = COLOURS[number % len(COLOURS)]
        points = [(LEFT + WIDE * row["minutes"] / end, TOP + HIGH * (1 - row[name])) for row in rows]
        drawn = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        marks.append(f'<polyline points="{drawn}" fill="none" stroke="{colour}" stroke-width="2.5"/>')
        marks += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in points]
        marks.append(
            f'<text x="{LEFT + WIDE}" y="{TOP + HIGH - 12 - 18 * (len(names) - 1 - number)}" fill="{colour}" '
            f'text-anchor="end">{escape(name)}</text>'
        )
    box = 'viewBox="0 0 640 400" font-family="sans-serif" font-size="13"'
    ground = '<rect width="640" height="400" fill="#fff"/>'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {box}>{ground}{"".join(marks)}</svg>\n'


def _minutes(minutes: float, end: float) -> str:
    return f"{minutes:.1f}" if end >= 1 else f"{minutes:.2f}"
