"""The report as JSON and in a terminal."""

import io
import json
import shlex

from rich.console import Console

from samovar.arena.outcome import Tournament
from samovar.arena.ratings import Standings, standings
from samovar.arena.report import command, duration, show, to_json, verdict
from samovar.cli import parse_options
from samovar.engine.registry import find_game
from support.made_up import made_up

TRUE = {"expert": 1.5, "hard": 0.9, "program:python3 my_bot.py --deep": 0.0, "random": -1.5}


def example(deals: int = 20, **more: dict[str, str]) -> Standings:
    return standings(*made_up(TRUE, 3, deals, 7, ties=0.2, **more))  # type: ignore[arg-type]


def shown(result: Standings, width: int = 80) -> str:
    screen = io.StringIO()
    show(result, Console(file=screen, width=width))
    return screen.getvalue()


def test_json_has_the_promised_keys_and_nothing_that_is_not_json() -> None:
    result = example(forfeits={"hard": "fell asleep"})
    report = json.loads(json.dumps(to_json(result), allow_nan=False))
    assert report == to_json(result)
    assert {
        "game",
        "seats",
        "matches",
        "seed",
        "options",
        "bots",
        "pairs",
        "seat_win_share",
        "lengths",
        "scores",
        "forfeits",
    } <= set(report)
    assert (report["game"], report["seats"], report["matches"], report["seed"]) == ("memoarrrr", 3, 240, 7)
    assert {"name", "rating", "low", "high", "win_share", "mean_score", "forfeits"} <= set(report["bots"][0])
    assert {"a", "b", "matches", "wins", "losses", "draws", "win_share", "low", "high"} <= set(report["pairs"][0])
    assert [bot["name"] for bot in report["bots"]] == list(TRUE), "the best first"
    assert [one["seat"] for one in report["seat_win_share"]] == [0, 1, 2]
    (reason,) = report["forfeits"]
    assert (reason["bot"], reason["reason"], reason["count"]) == ("hard", "fell asleep", report["bots"][1]["forfeits"])
    for bot in report["bots"]:
        assert bot["low"] < bot["rating"] < bot["high"]
    ended = report["matches"] - reason["count"]
    assert sum(count for _, count in report["lengths"]["counts"]) == ended
    assert sum(count for scores in report["scores"].values() for _, count in scores["counts"]) == 3 * ended


def test_what_is_not_known_is_null() -> None:
    report = to_json(standings(made_up(TRUE, 3, 1, 7)[0], []))
    assert json.loads(json.dumps(report, allow_nan=False)) == report
    assert [report["bots"][0][key] for key in ("low", "high", "win_share", "mean_score", "slowest")] == [None] * 5
    assert report["lengths"] == {"mean": None, "median": None, "counts": []}


def test_terminal_report_fits_80_columns_and_needs_no_colour() -> None:
    text = shown(
        example(
            forfeits={
                "hard": "fell asleep at the table, as it does now and then when it is late and the others take their "
                "time"
            }
        )
    )
    assert max(map(len, text.splitlines())) <= 80
    assert "\x1b" not in text
    for title in (
        "Ratings",
        "One against the other",
        "Win share by player",
        "Scores and lengths",
        "Thinking time",
        "Forfeits",
    ):
        assert f"\n{title}\n" in text
    ratings = text[text.index("\nRatings") : text.index("\nOne against")]
    assert [
        line.split()[0] for line in ratings.splitlines() if line.startswith(("expert", "hard", "program", "random"))
    ] == [
        "expert",
        "hard",
        "program:python3",
        "random",
    ]
    assert " to " in ratings
    assert "19 times out of 20" in text


def test_terminal_report_is_silent_about_forfeits_when_there_were_none() -> None:
    assert "Forfeit" not in shown(example())


def test_few_deals_are_told_as_such() -> None:
    text = shown(example(deals=2))
    assert "need at least 5 deals" in text
    assert "too few to tell" in text
    assert "95 % from" not in text


def test_names_are_shown_as_they_are() -> None:
    text = shown(standings(*made_up({"[red]bot[/red]": 1.0, "[link": 0.0}, 2, 6, 1)))
    above, tables = text.split("\nRatings\n")
    for part in (above, tables):
        assert "[red]bot[/red]" in part
        assert "[link" in part


def test_verdict_says_when_a_lead_may_be_luck() -> None:
    assert "may be luck" in verdict(standings(*made_up({"a": 0.1, "b": 0.0}, 2, 10, 1)))
    clear = verdict(standings(*made_up({"a": 3.0, "b": 0.0}, 2, 40, 1)))
    assert clear.startswith("a is ahead of b by ")
    assert "luck" not in clear


def test_the_command_orders_the_same_tournament() -> None:
    ordered = Tournament("memoarrrr", ("expert", "program:a b"), 2, 40, 9, {"first": None, "expert": False})
    words = shlex.split(command(ordered))
    assert words[:9] == [
        "samovar",
        "arena",
        "memoarrrr",
        "--bots",
        "expert,program:a b",
        "--seats",
        "2",
        "--matches",
        "40",
    ]
    assert words[9:11] == ["--seed", "9"]
    assert parse_options(find_game("memoarrrr"), words[11:]) == ordered.options


def test_durations_have_units_that_fit() -> None:
    report = [duration(seconds) for seconds in (None, 0.00002, 0.0009999999, 0.0123, 0.99, 1.0, 75.04)]
    assert report == ["", "20 µs", "1.0 ms", "12.3 ms", "990.0 ms", "1.0 s", "75.0 s"]
