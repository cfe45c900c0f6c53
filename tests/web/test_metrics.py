"""What a site counts: in the form of OpenMetrics, added up over its processes, and named alike in board and alerts."""

import json
import math
import re
import signal
import subprocess
import sys
from collections import Counter

import pytest
import yaml
from litestar.testing import TestClient

from samovar.web import figures
from samovar.web.app import make_app
from samovar.web.base_path import lie_under
from samovar.web.server import measured as requests
from samovar.web.server.measured import kind_of, measured
from samovar.web.site import Site
from support.documents import ROOT
from support.processes import told_by
from support.visitors import SECRET, RandomBotPool, running

BOARD = json.loads((ROOT / "deploy" / "grafana.json").read_text(encoding="utf-8"))
ALERTS = yaml.safe_load((ROOT / "deploy" / "alerts.yaml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with running(tmp_path_factory.mktemp("site")) as client:
        yield client


def samples(text):
    """By name and labels."""
    lines = (line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
    return {name: float(value) for name, value in lines}


def test_figures_are_open_metrics(site):
    parser = pytest.importorskip("prometheus_client.openmetrics.parser", reason="prometheus-client is not installed")
    answer = site.get("/metrics")
    assert answer.headers["content-type"].startswith("application/openmetrics-text; version=1.0.0")
    families = {family.name: family for family in parser.text_string_to_metric_families(answer.text)}
    assert {family.name for family in figures.FAMILIES} | {"samovar_build"} == {*families}
    assert all(family.documentation for family in families.values())
    assert Counter(family.type for family in families.values())["histogram"] == 3


def test_every_figure_says_what_it_is_and_the_text_ends(site):
    """What a parser wants, for those who have none."""
    text = site.get("/metrics").text
    assert text.endswith("# EOF\n")
    told = dict(re.findall(r"^# TYPE (\S+) (\S+)$", text, re.MULTILINE))
    assert told.keys() == dict(re.findall(r"^# HELP (\S+) (\S.*)$", text, re.MULTILINE)).keys()
    for name in samples(text):
        stem = re.match(r"\w+", name)[0]
        family = re.sub(r"_(total|bucket|count|sum|info)$", "", stem) if stem not in told else stem
        assert stem in told if told[family] == "gauge" else stem != family, name


def test_a_duration_stands_in_every_bucket_that_it_fits():
    before = samples(figures.text({}))
    figures.DATABASE_SECONDS.observe(0.25, "read")
    figures.DATABASE_SECONDS.observe(100.0, "read")
    after = samples(figures.text({}))
    more = {name: after[name] - before[name] for name in after if after[name] != before[name]}
    buckets = {match[1]: value for name, value in more.items() if (match := re.search(r'le="([^"]+)"', name))}
    assert {bound: value for bound, value in buckets.items() if bound != "+Inf"} == {
        f"{bound:g}" if bound % 1 else f"{bound:.1f}": 1.0 for bound in figures.SECONDS if bound >= 0.25
    }
    assert buckets["+Inf"] == more['samovar_database_seconds_count{work="read"}'] == 2
    assert math.isclose(more['samovar_database_seconds_sum{work="read"}'], 100.25)


# Each counts for itself; the last one is told about all. The first one is killed when it has counted.
PROCESS = """
import os, signal, sys, time
from pathlib import Path
from samovar.web import figures
figures.block.share(Path(FOLDER))
figures.MOVES.add(MOVES)
figures.STREAMS.set(MOVES)
figures.BOT_WAIT_SECONDS.observe(0.02)
"""


def test_processes_add_up_and_what_a_dead_one_has_counted_stays(tmp_path):
    def process(moves, then):
        return PROCESS.replace("FOLDER", repr(str(tmp_path))).replace("MOVES)", f"{moves})") + then

    def begin(moves):
        waits = 'print("counted", flush=True); sys.stdin.read()'
        pipe = subprocess.PIPE
        one = subprocess.Popen([sys.executable, "-c", process(moves, waits)], stdin=pipe, stdout=pipe, text=True)
        assert one.stdout.readline() == "counted\n"
        return one

    def told(moves):
        return samples(told_by(process(moves, "print(figures.text({}))")))

    first, second = begin(1), begin(10)
    try:
        seen = told(100)
        assert seen["samovar_moves_total"] == seen["samovar_streams"] == 111
        assert seen["samovar_bot_wait_seconds_count"] == 3
        first.send_signal(signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL)
        first.wait()
        seen = told(1000)  # one that is new goes on with a file of one that has ended
        assert seen["samovar_moves_total"] == 1111
        assert seen["samovar_streams"] == 1010, "nobody watches through a process that has ended"
        assert len([*tmp_path.glob("*.figures")]) == 3
    finally:
        for one in (first, second):
            one.stdin.close()
            one.wait()
            one.stdout.close()


@pytest.mark.parametrize(
    ("method", "path", "kind"),
    [
        ("POST", "/table/x/move", "move"),
        ("POST", "/api/tables/x/moves", "move"),
        ("GET", "/api/tables/x/moves", "api"),
        ("GET", "/api/tables/x/events", "stream"),
        ("GET", "/live", "stream"),
        ("GET", "/static/samovar.css", "file"),
        ("GET", "/metrics", "watch"),
        ("GET", "/table/x", "page"),
    ],
)
def test_kinds_of_requests(method, path, kind):
    assert kind_of(method, path) == kind


def test_requests_are_counted_by_what_they_ask_and_how_they_end(tmp_path, monkeypatch, caplog):
    """Under a path, too. A slow one is told without what stands in its path."""
    monkeypatch.setattr(requests, "SLOW_SECONDS", 0.0)
    caplog.set_level("INFO")
    lie_under("https://example.org/games")
    try:
        plan = Site(f"sqlite:///{tmp_path}/samovar.db", SECRET, requests_per_minute=0)
        with TestClient(measured(make_app(plan, RandomBotPool()))) as visitor:
            before = {one: figures.REQUESTS.value(*one) for one in (("page", "4xx"), ("api", "4xx"))}
            assert visitor.get("/games/table/a-secret-place").status_code == 404
            assert visitor.get("/games/api/tables/a-secret-place").status_code == 404
    finally:
        lie_under("")
    assert all(figures.REQUESTS.value(*one) == count + 1 for one, count in before.items())
    slow = [line.getMessage() for line in caplog.records if line.getMessage().startswith("slow")]
    assert len(slow) == 2
    assert "(GET /api/tables/{table_id" in slow[1]
    assert "secret" not in "".join(slow)


# The board and the alerts


def queries():
    panels = [target["expr"] for panel in BOARD["panels"] for target in panel.get("targets", ())]
    return panels + [rule["expr"] for group in ALERTS["groups"] for rule in group["rules"]]


def test_every_figure_of_board_and_alerts_exists(site):
    known = samples(site.get("/metrics").text)
    names = {re.match(r"\w+", name)[0] for name in known}
    labels = {(re.match(r"\w+", name)[0], *one) for name in known for one in re.findall(r'(\w+)="([^"]*)"', name)}
    assert len(queries()) > 10
    for query in queries():
        named = re.findall(r"(samovar_\w+)(?:\{([^}]*)\})?", query)
        assert named, query
        for name, chosen in named:
            assert name in names, query
            for label, word in re.findall(r'(\w+)="([^"]*)"', chosen):
                assert (name, label, word) in labels, query
        for grouped in re.findall(r"by \(([^)]*)\)", query):
            assert {*re.split(", *", grouped)} <= {label for _, label, _ in labels} | {"le", "job"}, query


def test_the_board_shows_all_that_is_counted():
    shown = " ".join(queries())
    missing = [family.name for family in figures.FAMILIES if family.name not in shown]
    assert missing == []


def test_three_alerts_say_what_to_do():
    rules = [rule for group in ALERTS["groups"] for rule in group["rules"]]
    assert len(rules) == 3
    assert all(rule["annotations"]["summary"] and rule["annotations"]["description"] for rule in rules)
