"""The standings of a tournament as one page: a file that needs nothing else, no script, no font, no
picture from anywhere. `page.html` draws it, with the numbers and scales from here."""

from __future__ import annotations

from functools import cache
from math import log10
from pathlib import Path
from typing import NamedTuple

from jinja2 import Template

from samovar.arena.ratings import Standings
from samovar.arena.report import (
    SHARE_HEADS,
    command,
    duration,
    headline,
    how_sure,
    number,
    percent,
    percent_span,
    share_rows,
    span,
    verdict,
)
from samovar.reports import environment
from samovar.reports.plots import Histogram, Scale, histogram

HERE = Path(__file__).parent


def write_page(standings: Standings, path: str | Path) -> None:
    Path(path).write_text(page(standings), encoding="utf-8")


def page(standings: Standings) -> str:
    bots, seats = standings.bots, standings.seats
    even = 1 / standings.tournament.parties
    timed = [bot for bot in bots if bot.seconds_per_move and bot.slowest]
    times = [log10(seconds or 1) for bot in timed for seconds in (bot.seconds_per_move, bot.slowest)]
    return template().render(
        tournament=standings.tournament,
        verdict=verdict(standings),
        headline=headline(standings),
        command=command(standings.tournament),
        how_sure=how_sure(standings),
        bots=bots,
        names=[bot.name for bot in bots],
        is_together=standings.is_together,
        ratings=Scale(
            [value for bot in bots for value in (bot.rating, bot.low, bot.high) if value is not None] or [0], 50
        ),
        reached=Scale([0, 1]),
        line_ups=standings.line_ups if standings.tournament.seats > 1 else (),
        pairs=pair_shares(standings),
        share_heads=SHARE_HEADS,
        share_rows=share_rows(standings),
        seats=seats,
        seat_names=[f"Player {seat.number + 1}" for seat in seats],
        even=even,
        wins=Scale([0, even, *(value for seat in seats for value in (seat.win_share, seat.high) if value is not None)]),
        histograms=histograms(standings),
        thinkers=timed,
        times=Scale(times, 1) if times else None,  # powers of ten: a bot may think a thousand times as long as another
        forfeits=standings.forfeits,
    )


@cache
def template() -> Template:
    made = environment(HERE)
    made.filters |= {"number": number, "percent": percent, "duration": duration}
    made.globals |= {
        "span": span,
        "percent_span": percent_span,
        "whole_percent": lambda share: f"{100 * share:.0f} %",
        "log10": log10,
        "power_of_ten": lambda power: duration(10**power).replace(".0 ", " "),
    }
    return made.get_template("page.html")


class PairShare(NamedTuple):
    """How often one bot was better than another."""

    share: float | None = None
    low: float | None = None
    high: float | None = None

    @property
    def reversed(self) -> PairShare:
        return PairShare(*(None if value is None else 1 - value for value in (self.share, self.high, self.low)))


def pair_shares(standings: Standings) -> dict[str, list[PairShare]]:
    """By bot, against each of the bots in their order."""
    shares = {(pair.a, pair.b): PairShare(pair.win_share, pair.low, pair.high) for pair in standings.pairs}
    shares |= {(b, a): share.reversed for (a, b), share in shares.items()}
    names = [bot.name for bot in standings.bots]
    return {name: [shares.get((name, other), PairShare()) for other in names] for name in names}


def histograms(standings: Standings) -> list[Histogram]:
    """All scores are on the same scale."""
    values = [value for bot in standings.bots for value, _ in bot.scores.counts]
    plots = [histogram(f"Scores of {bot.name}", bot.scores, values) for bot in standings.bots if bot.scores.size]
    if standings.lengths.size:
        lengths = [value for value, _ in standings.lengths.counts]
        plots.append(histogram("Moves of a match", standings.lengths, lengths))
    return plots
