"""The standings of a tournament as JSON and as tables in a terminal. `page.py` has them as a
page."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from samovar.arena.outcome import Tournament
from samovar.arena.ratings import BotPair, BotStanding, Standings
from samovar.arena.resampling import FEWEST_DEALS
from samovar.arena.shares import SureShare
from samovar.engine.contract import Value
from samovar.json_types import JsonObject
from samovar.reports.figures import picked
from samovar.reports.plots import Distribution
from samovar.reports.tables import terminal_table

if TYPE_CHECKING:
    from rich.console import Console

SHOWN_FORFEITS = 10
DIGITS = 4  # in JSON
WORDS = ("Bot", "Against", "Of", "Reason")  # columns that have no numbers
SHARES = (
    "Share: how often a bot left another behind, ties half. Its 95 % interval match by match (plain), deal by deal "
    "(paired), and with luck after the deal taken out (luck-free)."
)
LUCK_UNKNOWN = "Nothing is luck-free: the game does not say what no seat has seen, or an older version played."
SHARE_HEADS = ("Bot", "Against", "Share", "Plain", "Paired", "Luck-free", "95 %")
QUANTILES = {"Least": 0.0, "25 %": 0.25, "Median": 0.5, "75 %": 0.75, "Most": 1.0}


def to_json(standings: Standings) -> JsonObject:
    """Pure JSON; what is not known is null."""
    tournament = standings.tournament
    together = [picked(one, "bots matches success low high", DIGITS) for one in standings.line_ups]
    return {
        "game": tournament.game,
        "seats": tournament.seats,
        "matches": standings.matches,
        "deals": standings.deals,
        "seed": tournament.seed,
        "options": dict(tournament.options),
        "bots": [_bot(bot) for bot in standings.bots],
        "pairs": [_pair(pair) for pair in standings.pairs],
        "seat_win_share": [
            {"seat": seat.number, **picked(seat, "win_share low high", DIGITS)} for seat in standings.seats
        ],
        **({"line_ups": together} if standings.is_together else {}),
        "lengths": _distribution(standings.lengths),
        "scores": {bot.name: _distribution(bot.scores) for bot in standings.bots},
        "forfeits": [
            {**picked(each, "bot reason", DIGITS), "count": len(each.matches), "matches": list(each.matches)}
            for each in standings.forfeits
        ],
    }  # fmt: skip


def _bot(bot: BotStanding) -> JsonObject:
    names = (
        "name rating low high win_share mean_score mean_place matches forfeits seat_win_share seconds_per_move slowest"
    )
    found = picked(bot, names, DIGITS, rating=1, low=1, high=1, seconds_per_move=6, slowest=6)
    if bot.success is None and bot.mixed_success is None:
        return found
    return found | picked(bot, "success success_low success_high mixed_success", DIGITS)


def _pair(pair: BotPair) -> JsonObject:
    names = "a b matches wins losses draws win_share low high lead lead_low lead_high"
    ways = {"plain": pair.share.plain, "paired": pair.share.paired, "luck_free": pair.share.luck_free}
    shares = {way: share and picked(share, "share low high", DIGITS) for way, share in ways.items()}
    return {**picked(pair, names, DIGITS, lead=1, lead_low=1, lead_high=1), "share": shares}


def _distribution(values: Distribution) -> JsonObject:
    return {**picked(values, "mean", DIGITS), "median": values.quantile(0.5), **picked(values, "counts", DIGITS)}


def show(standings: Standings, console: Console) -> None:
    """The report for a terminal. It fits into 80 columns and needs no colour."""
    bots, forfeits = standings.bots, standings.forfeits[:SHOWN_FORFEITS]
    console.print(headline(standings), style="bold", markup=False, highlight=False)
    console.print(verdict(standings), markup=False, highlight=False)
    if standings.is_together:
        _show_together(standings, console)
    else:
        heads = ("Bot", "Rating", "95 %", "Win share", "Score", "Place", "Forfeits")
        rows = [
            (
                *(bot.name, number(bot.rating, "{:.0f}"), span(bot.low, bot.high, "{:.0f}"), percent(bot.win_share)),
                *(number(bot.mean_score), number(bot.mean_place, "{:.2f}"), str(bot.forfeits or "")),
            )
            for bot in bots
        ]
        _table(console, "Ratings", heads, rows)
    pairs = [
        (
            *(pair.a, pair.b, str(pair.wins), str(pair.losses), str(pair.draws)),
            *(percent(pair.win_share), percent_span(pair.low, pair.high)),
        )
        for pair in standings.pairs
        if pair.matches
    ]
    _table(console, "One against the other", ("Bot", "Against", "Won", "Lost", "Drawn", "Win share", "95 %"), pairs)
    _table(console, "Luck taken out", SHARE_HEADS, share_rows(standings))
    seats = standings.seats
    by_seat = [(bot.name, *(percent(bot.seat_win_share[seat.number]) for seat in seats)) for bot in bots]
    for name, share in (("all bots", "win_share"), ("95 % from", "low"), ("95 % to", "high")):
        by_seat.append((name, *(percent(getattr(seat, share)) for seat in seats)))
    _table(console, "Win share by player", ("Bot", *(f"Player {seat.number + 1}" for seat in seats)), by_seat)
    spreads = [*((f"score of {bot.name}", bot.scores) for bot in bots), ("moves of a match", standings.lengths)]
    spread = [
        (name, *(number(values.quantile(share), "{}") for share in QUANTILES.values()), number(values.mean))
        for name, values in spreads
    ]
    _table(console, "Scores and lengths", ("Of", *QUANTILES, "Mean"), spread)
    thinking = [(bot.name, duration(bot.seconds_per_move), duration(bot.slowest)) for bot in bots]
    _table(console, "Thinking time", ("Bot", "A move", "The slowest"), thinking)
    why = [(one.bot, str(len(one.matches)), f"match {one.matches[0]}", one.reason) for one in forfeits]
    _table(console, "Forfeits", ("Bot", "Times", "First in", "Reason"), why)
    rest = len(standings.forfeits) - len(forfeits)
    notes = [f"{rest} more reasons of forfeits are in the JSON report."] if rest else []
    console.print()
    for note in [*notes, *how_sure(standings)]:
        console.print(note, style="dim", highlight=False)


def _show_together(standings: Standings, console: Console) -> None:
    success = [
        (
            *(bot.name, percent(bot.success), percent_span(bot.success_low, bot.success_high)),
            *(percent(bot.mixed_success), number(bot.mean_score), str(bot.forfeits or "")),
        )
        for bot in standings.bots
    ]
    _table(console, "What is reached", ("Bot", "By itself", "95 %", "With others", "Score", "Forfeits"), success)
    together = [
        (" + ".join(one.bots), str(one.matches), percent(one.success), percent_span(one.low, one.high))
        for one in standings.line_ups
    ]
    if standings.tournament.seats > 1:
        _table(console, "Together", ("Bot", "Matches", "Reached", "95 %"), together)


def _table(console: Console, title: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Rows and columns that say nothing are left out; so is a table that says nothing."""
    columns = [(head, cells) for head, cells in zip(heads, zip(*rows, strict=True), strict=False) if any(cells)]
    shown = [row for row in zip(*(cells for _, cells in columns), strict=True) if any(row[1:])]
    if not shown:
        return
    names = [name for name, _ in columns]
    console.print(f"\n{title}", style="bold", highlight=False)
    console.print(terminal_table(names, shown, [names.index(name) for name in names if name in WORDS]))


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


def share_rows(standings: Standings) -> list[tuple[str, ...]]:
    """Below SHARE_HEADS, how often each bot left each other behind."""
    return [
        (
            *(pair.a, pair.b, percent(share.paired.share), margin(share.plain), margin(share.paired)),
            *((percent(share.luck_free.share), margin(share.luck_free)) if share.luck_free else ("", "")),
        )
        for pair in standings.pairs
        if (share := pair.share) and pair.matches
    ]


def how_sure(standings: Standings) -> list[str]:
    """How the numbers are to be read."""
    if standings.is_together:
        notes = ["All seats play together: what they reach is a share of what can be reached, 0 % when all is lost."]
    else:
        notes = ["Ratings compare these bots with each other: their mean is 1500, and 400 points are odds of 10 to 1."]
        notes.append(SHARES)
        if not all(pair.share.luck_free for pair in standings.pairs):
            notes.append(LUCK_UNKNOWN)
    if standings.deals < FEWEST_DEALS:
        return [*notes, f"95 % intervals need at least {FEWEST_DEALS} deals; play more matches to get them."]
    return [*notes, "95 %: the interval that holds the true value 19 times out of 20."]


def number(value: float | None, form: str = "{:.1f}") -> str:
    return "" if value is None else form.format(value)


def percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.1f} %"


def span(low: float | None, high: float | None, form: str = "{:.1f}") -> str:
    return "" if low is None or high is None else f"{form.format(low)} to {form.format(high)}"


def margin(share: SureShare) -> str:
    return "" if share.margin is None else f"± {100 * share.margin:.1f}"


def percent_span(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else span(100 * low, 100 * high)


def duration(seconds: float | None) -> str:
    if seconds is None:
        return ""
    seconds = round(seconds, 6)
    if seconds >= 1:
        return f"{seconds:.1f} s"
    return f"{1000 * seconds:.1f} ms" if seconds >= 0.001 else f"{1_000_000 * seconds:.0f} µs"
