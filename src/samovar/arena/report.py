"""The standings of a tournament as JSON and as tables in a terminal. `page.py` has them as a
page."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import TYPE_CHECKING

from samovar.arena.outcome import Tournament
from samovar.arena.ratings import FEWEST_DEALS, BotStanding, Distribution, Standings
from samovar.engine.contract import Value

if TYPE_CHECKING:
    from rich.console import Console

SHOWN_FORFEITS = 10
QUANTILES = {"Least": 0.0, "25 %": 0.25, "Median": 0.5, "75 %": 0.75, "Most": 1.0}


def to_json(standings: Standings) -> dict[str, object]:
    """Pure JSON; what is not known is null. Numbers are rounded, so that two machines that differ
    in the last bit print the same."""
    tournament = standings.tournament
    return {
        "game": tournament.game,
        "seats": tournament.seats,
        "matches": standings.matches,
        "deals": standings.deals,
        "seed": tournament.seed,
        "options": dict(tournament.options),
        "bots": [
            {
                "name": bot.name,
                "rating": _rounded(bot.rating, 1),
                "low": _rounded(bot.low, 1),
                "high": _rounded(bot.high, 1),
                "win_share": _rounded(bot.win_share),
                "mean_score": _rounded(bot.mean_score),
                "mean_place": _rounded(bot.mean_place),
                "matches": bot.matches,
                "forfeits": bot.forfeits,
                "seat_win_share": [_rounded(share) for share in bot.seat_win_share],
                "seconds_per_move": _rounded(bot.seconds_per_move, 6),
                "slowest": _rounded(bot.slowest, 6),
            }
            | _success(bot)
            for bot in standings.bots
        ],
        "pairs": [
            {
                "a": pair.a,
                "b": pair.b,
                "matches": pair.matches,
                "wins": pair.wins,
                "losses": pair.losses,
                "draws": pair.draws,
                "win_share": _rounded(pair.win_share),
                "low": _rounded(pair.low),
                "high": _rounded(pair.high),
                "lead": _rounded(pair.lead, 1),
                "lead_low": _rounded(pair.lead_low, 1),
                "lead_high": _rounded(pair.lead_high, 1),
            }
            for pair in standings.pairs
        ],
        "seat_win_share": [
            {
                "seat": seat.number,
                "win_share": _rounded(seat.win_share),
                "low": _rounded(seat.low),
                "high": _rounded(seat.high),
            }
            for seat in standings.seats
        ],
        **({"line_ups": _line_ups(standings)} if standings.is_together else {}),
        "lengths": _distribution(standings.lengths),
        "scores": {bot.name: _distribution(bot.scores) for bot in standings.bots},
        "forfeits": [
            {
                "bot": forfeit.bot,
                "reason": forfeit.reason,
                "count": len(forfeit.matches),
                "matches": list(forfeit.matches),
            }
            for forfeit in standings.forfeits
        ],
    }


def _success(bot: BotStanding) -> dict[str, object]:
    """How well a bot does where all play together."""
    if bot.success is None and bot.mixed_success is None:
        return {}
    return {
        "success": _rounded(bot.success),
        "success_low": _rounded(bot.success_low),
        "success_high": _rounded(bot.success_high),
        "mixed_success": _rounded(bot.mixed_success),
    }


def _line_ups(standings: Standings) -> list[dict[str, object]]:
    return [
        {
            "bots": list(one.bots),
            "matches": one.matches,
            "success": _rounded(one.success),
            "low": _rounded(one.low),
            "high": _rounded(one.high),
        }
        for one in standings.line_ups
    ]


def show(standings: Standings, console: Console) -> None:
    """The report for a terminal. It fits into 80 columns and needs no colour."""
    bots, seats, forfeits = standings.bots, standings.seats, standings.forfeits[:SHOWN_FORFEITS]
    pairs = [pair for pair in standings.pairs if pair.matches]
    console.print(headline(standings), style="bold", markup=False, highlight=False)
    console.print(verdict(standings), markup=False, highlight=False)
    if standings.is_together:
        _show_together(standings, console)
    else:
        ratings = {
            "Bot": [bot.name for bot in bots],
            "Rating": [number(bot.rating, "{:.0f}") for bot in bots],
            "95 %": [span(bot.low, bot.high, "{:.0f}") for bot in bots],
            "Win share": [percent(bot.win_share) for bot in bots],
            "Score": [number(bot.mean_score) for bot in bots],
            "Place": [number(bot.mean_place, "{:.2f}") for bot in bots],
            "Forfeits": [str(bot.forfeits or "") for bot in bots],
        }
        _table(console, "Ratings", ratings)
    against = {
        "Bot": [pair.a for pair in pairs],
        "Against": [pair.b for pair in pairs],
        "Won": [str(pair.wins) for pair in pairs],
        "Lost": [str(pair.losses) for pair in pairs],
        "Drawn": [str(pair.draws) for pair in pairs],
        "Win share": [percent(pair.win_share) for pair in pairs],
        "95 %": [percent_span(pair.low, pair.high) for pair in pairs],
    }
    _table(console, "One against the other", against)
    by_seat = {"Bot": [*(bot.name for bot in bots), "all bots", "95 % from", "95 % to"]}
    for seat in seats:
        shares = [percent(bot.seat_win_share[seat.number]) for bot in bots]
        by_seat[f"Player {seat.number + 1}"] = [*shares, percent(seat.win_share), percent(seat.low), percent(seat.high)]
    _table(console, "Win share by player", by_seat)
    spreads = [bot.scores for bot in bots] + [standings.lengths]
    spread = {"Of": [*(f"score of {bot.name}" for bot in bots), "moves of a match"]}
    for name, share in QUANTILES.items():
        spread[name] = [number(values.quantile(share), "{}") for values in spreads]
    _table(console, "Scores and lengths", spread | {"Mean": [number(values.mean) for values in spreads]})
    thinking = {
        "Bot": [bot.name for bot in bots],
        "A move": [duration(bot.seconds_per_move) for bot in bots],
        "The slowest": [duration(bot.slowest) for bot in bots],
    }
    _table(console, "Thinking time", thinking)
    why = {
        "Bot": [forfeit.bot for forfeit in forfeits],
        "Times": [str(len(forfeit.matches)) for forfeit in forfeits],
        "First in": [f"match {forfeit.matches[0]}" for forfeit in forfeits],
        "Reason": [forfeit.reason for forfeit in forfeits],
    }
    _table(console, "Forfeits", why)
    rest = len(standings.forfeits) - len(forfeits)
    notes = [f"{rest} more reasons of forfeits are in the JSON report."] if rest else []
    console.print()
    for note in [*notes, *how_sure(standings)]:
        console.print(note, style="dim", highlight=False)


def _show_together(standings: Standings, console: Console) -> None:
    bots, line_ups = standings.bots, standings.line_ups
    success = {
        "Bot": [bot.name for bot in bots],
        "By itself": [percent(bot.success) for bot in bots],
        "95 %": [percent_span(bot.success_low, bot.success_high) for bot in bots],
        "With others": [percent(bot.mixed_success) for bot in bots],
        "Score": [number(bot.mean_score) for bot in bots],
        "Forfeits": [str(bot.forfeits or "") for bot in bots],
    }
    _table(console, "What is reached", success)
    together = {
        "Bot": [" + ".join(one.bots) for one in line_ups],
        "Matches": [str(one.matches) for one in line_ups],
        "Reached": [percent(one.success) for one in line_ups],
        "95 %": [percent_span(one.low, one.high) for one in line_ups],
    }
    if standings.tournament.seats > 1:
        _table(console, "Together", together)


def _table(console: Console, title: str, columns: dict[str, list[str]]) -> None:
    """A table, headed by its first column. Rows and columns that say nothing are left out; so is a
    table that says nothing."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    shown = {name: cells for name, cells in columns.items() if any(cells)}
    rows = [row for row in zip(*shown.values(), strict=True) if any(row[1:])]
    if not rows:
        return
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for name in shown:
        words = name in ("Bot", "Against", "Of", "Reason")
        table.add_column(name, justify="left" if words else "right", overflow="fold", no_wrap=not words)
    for row in rows:
        table.add_row(*map(Text, row))
    console.print(f"\n{title}", style="bold", highlight=False)
    console.print(table)


# Words and numbers of both reports


def headline(standings: Standings) -> str:
    """What was played, in a line."""
    tournament = standings.tournament
    matches = "1 match" if standings.matches == 1 else f"{standings.matches} matches"
    deals = "1 deal" if standings.deals == 1 else f"{standings.deals} deals"
    seats = "1 player" if tournament.seats == 1 else f"{tournament.seats} players"
    teams = f" in {tournament.parties} teams" if 1 < tournament.parties < tournament.seats else ""
    return f"{tournament.game}, {seats}{teams}: {matches} of {deals}, seed {tournament.seed}"


def verdict(standings: Standings) -> str:
    """Who is the best, and whether that may be luck, in a sentence; nothing when no two bots
    met."""
    if standings.is_together:
        return _verdict_together(standings)
    if not standings.pairs or not standings.matches:
        return ""
    pair = standings.pairs[0]
    text = f"{pair.a} is ahead of {pair.b} by {pair.lead:.0f} points"
    if pair.lead_low is None or pair.lead_high is None:
        return f"{text}; the deals are too few to tell whether that is luck."
    luck = ", which may be luck" if pair.lead_low <= 0 else ""
    return f"{text}{luck} (95 %: {span(pair.lead_low, pair.lead_high, '{:.0f}')})."


def _verdict_together(standings: Standings) -> str:
    best = standings.bots[0]
    if best.success is None:
        return ""
    sure = percent_span(best.success_low, best.success_high)
    return f"{best.name} reaches {percent(best.success)} of what can be reached{f' (95 %: {sure})' if sure else ''}."


def command(tournament: Tournament) -> str:
    """The command that plays the tournament again."""
    words = ["samovar", "arena", tournament.game, "--bots", ",".join(tournament.bots)]
    words += ["--seats", str(tournament.seats), "--matches", str(tournament.matches), "--seed", str(tournament.seed)]
    return shlex.join([*words, *flags(tournament.options)])


def flags(options: Mapping[str, Value]) -> list[str]:
    """Options of a game as they are typed: `--expert`, `--patience 60`."""
    words: list[str] = []
    for name, value in options.items():
        flag = name.replace("_", "-")
        if isinstance(value, bool):
            words.append(f"--{flag}" if value else f"--no-{flag}")
        else:
            words += [f"--{flag}", "random" if value is None else str(value)]
    return words


def how_sure(standings: Standings) -> list[str]:
    """How the numbers are to be read."""
    relative = "Ratings compare these bots with each other: their mean is 1500, and 400 points are odds of 10 to 1."
    if standings.is_together:
        relative = "All seats play together: what they reach is a share of what can be reached, 0 % when all is lost."
    if standings.deals < FEWEST_DEALS:
        return [relative, f"95 % intervals need at least {FEWEST_DEALS} deals; play more matches to get them."]
    return [relative, "95 %: the interval that holds the true value 19 times out of 20."]


def number(value: float | None, form: str = "{:.1f}") -> str:
    return "" if value is None else form.format(value)


def percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.1f} %"


def span(low: float | None, high: float | None, form: str = "{:.1f}") -> str:
    return "" if low is None or high is None else f"{form.format(low)} to {form.format(high)}"


def percent_span(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else span(100 * low, 100 * high)


def duration(seconds: float | None) -> str:
    if seconds is None:
        return ""
    seconds = round(seconds, 6)
    if seconds >= 1:
        return f"{seconds:.1f} s"
    return f"{1000 * seconds:.1f} ms" if seconds >= 0.001 else f"{1_000_000 * seconds:.0f} µs"


def _rounded(value: float | None, digits: int = 4) -> float | None:
    return None if value is None else round(value, digits)


def _distribution(values: Distribution) -> dict[str, object]:
    return {
        "mean": _rounded(values.mean),
        "median": values.quantile(0.5),
        "counts": [list(pair) for pair in values.counts],
    }
