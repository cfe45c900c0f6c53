"""What the lab tells: every figure with its bounds, in JSON, in a terminal, on a page and as plots."""

import io
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from rich.console import Console

import samovar
from samovar.lab.compare import differences
from samovar.lab.counted import Counted
from samovar.lab.intervals import Sums, rate_of
from samovar.lab.measures import RATE
from samovar.lab.order import make_order
from samovar.lab.page import every_plot, page, write_page, write_plots
from samovar.lab.portrait import extremes, portrait
from samovar.lab.report import command, show, so_far, to_json, write_records
from samovar.lab.run import COUNTING, DONE, PLAYING, Findings, Study
from samovar.lab.telling import ToldFindings
from support.lab_findings import made_up

FORMS = {
    "one": lambda: made_up(),
    "varied": lambda: made_up(vary=True),
    "by chance alone": lambda: made_up(matches=0, vary=True),
    "bots alone": lambda: made_up(random=0),
    "too few": lambda: made_up(matches=2, random=3, vary=True, stage=PLAYING),
    "nothing yet": lambda: made_up(matches=0, random=0, vary=True, stage=COUNTING),
}


@pytest.fixture(params=FORMS.values(), ids=list(FORMS))
def findings(request: pytest.FixtureRequest) -> Findings:
    found: Findings = request.param()
    return found


def shown(findings: Findings, language: str = "en", **more: Path) -> str:
    out = io.StringIO()
    show(ToldFindings(findings, language), Console(file=out, width=80), **more)
    return out.getvalue()


def test_json_has_every_figure_with_its_bounds_in_order(findings: Findings) -> None:
    report = json.loads(json.dumps(to_json(findings), allow_nan=False))
    for number, variant in enumerate(report["variants"]):
        figures = portrait(findings, number)
        assert [(each["key"], each["by"]) for each in variant["figures"]] == [(each.key, each.by) for each in figures]
        for each in variant["figures"]:
            assert each["meaning"]
            assert each["low"] is None or each["low"] <= each["value"] <= each["high"]
        of_chance = [each for each in variant["figures"] if each["by"] == "by chance"]
        assert all(each["size"] for each in of_chance if variant["random"] >= 5)
    assert len(report["differences"]) == len(differences(findings))


def test_json_has_what_is_no_figure() -> None:
    report = to_json(made_up(vary=True))
    first, expert = report["variants"]
    assert expert["options"]["expert"] is True
    assert expert["play"] == "samovar play memoarrrr --seats 2 --expert"
    assert expert["address"] == "/new/memoarrrr?seats=2&expert=true"
    assert [each["kind"] for each in first["unused"]] == ["peek"]
    assert first["endings"][0]["words"] == "A player wins the round and takes a treasure"
    assert first["histograms"]["moves"][0][0] >= 20
    assert sum(times for _, times in first["histograms"]["points"][1]) == 500
    assert first["skill"][0]["stronger"] == "easy"
    assert report["winners"][0]["variant"] == "expert=true"
    longest = first["extremes"][0]
    assert (
        longest["moves"]
        == longest["plies"]
        == len(longest["record"]["moves"])
        == max(len(trace.record["moves"]) for trace in made_up().studies[0].traces)
    )


def test_a_difference_that_is_there_is_sure_and_no_other() -> None:
    report = to_json(made_up(vary=True))
    of_chance = [each for each in report["differences"] if each["by"] == "by chance"]
    assert {each["key"] for each in of_chance if each["is_sure"]} == {"moves", "turns"}
    moves = next(each for each in of_chance if each["key"] == "moves")
    assert (moves["value"], moves["low"], moves["high"]) == (10, 10, 10)


def test_a_margin_that_would_not_be_true_is_told_by_its_bounds() -> None:
    told = ToldFindings(made_up()).text
    assert told(rate_of(0.0, 20), RATE) == "0.0 % (0.0 to 16.1)"
    assert told(rate_of(0.5, 1000), RATE) == "50.0 % ± 3.1"


def test_terminal_has_every_figure_in_80_columns(findings: Findings) -> None:
    text = shown(findings)
    assert max(map(len, text.splitlines())) <= 80
    for figure in ToldFindings(findings).portrait():
        assert re.search(rf"(^| ){re.escape(figure.text)}( |$)", text, re.MULTILINE), figure
    assert "seat " not in text.lower().replace("--seats ", "")


def test_terminal_marks_what_is_sure_and_nothing_else() -> None:
    text = shown(made_up(vary=True))
    _, _, by_chance = text.partition("expert=true, beside expert=false: Played by chance")
    by_chance, _, _ = by_chance.partition("expert=true, beside")
    assert re.search(r"^Moves .*\+10\.?0* ± 0\.?0* +\*$", by_chance, re.MULTILINE)
    assert len(re.findall(r"\*$", by_chance, re.MULTILINE)) == 2


def test_what_was_stopped_says_so() -> None:
    assert "stopped when 40 % was done" in shown(made_up(stage=PLAYING))
    assert "stopped" not in shown(made_up())


def test_live_view_has_the_figures_so_far(findings: Findings) -> None:
    out = io.StringIO()
    Console(file=out, width=100).print(so_far(ToldFindings(findings)))
    for figure in ToldFindings(findings).portrait():
        assert figure.text in out.getvalue()


def of_game(game: str, language: str = "en") -> ToldFindings:
    """Nothing was measured yet."""
    order = make_order(game)
    studies = [Study(options, Counted(order.seats), Sums(1)) for options in order.variants]
    return ToldFindings(Findings(order, studies, COUNTING, 0.0), language)


def test_kinds_of_events_are_told_by_the_game() -> None:
    told_kind = ToldFindings(made_up()).kind
    assert told_kind("takes_volcano") == "A player takes a volcano with … birds and is out of this round"
    assert of_game("varvitikud").kind("takes") == "A player takes a … stick"
    assert told_kind("made_up_kind") == "made_up_kind"


def test_command_measures_the_same_again() -> None:
    assert command(made_up(vary=True)) == (
        "samovar lab memoarrrr --seats 2 --vary expert=false,true --players random,easy --random 100000 --matches 100 "
        "--seed 3"
    )
    vary = {"expert": [True, False], "ordered_stack": [False, True]}
    order = make_order("memoarrrr", vary=dict(reversed(vary.items())))
    studies = [Study(options, Counted(2), Sums(1)) for options in order.variants]
    assert "--vary ordered_stack=false,true --vary expert=true,false" in command(Findings(order, studies, DONE, 1.0))


def test_records_can_be_replayed_and_are_named(tmp_path: Path) -> None:
    findings = made_up(vary=True)
    write_records(findings, tmp_path)
    for number, study in enumerate(findings.studies):
        for extreme in extremes(study):
            (found,) = [
                each
                for each in to_json(findings, tmp_path)["variants"][number]["extremes"]
                if each["title"] == extreme.title
            ]
            path = found["look"].removeprefix("samovar replay ")
            assert samovar.replay(Path(path)).record()["moves"] == extreme.trace.record["moves"]
            assert path in shown(findings, records=tmp_path).replace("\n", "")


# The page


class Words(HTMLParser):
    """The words of a page, and that its elements are properly nested."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.said = ""
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.said += data


def test_page_has_no_script_and_every_figure(findings: Findings) -> None:
    text = page(ToldFindings(findings))
    assert not re.search(r"<script|<link|<img|<iframe|@import|url\(|src=|\son\w+=", text)
    assert "default-src 'none'" in text
    said = Words(text).said
    for number in range(len(findings.studies)):
        for figure in ToldFindings(findings).portrait(number):
            for part in (figure.title, figure.text, figure.meaning):
                assert part in said, part
    assert "nan" not in re.sub(r"[a-z]nan|nan[a-z]", "", text.lower())


def test_page_marks_differences_that_are_sure() -> None:
    text = page(ToldFindings(made_up(vary=True)))
    sure = re.findall(r'<tr class="sure"><th scope="row">(.*?)</th>', text)
    assert sure[:2] == ["Moves", "Turns of each player"]
    assert text.count("✓") == len(sure)
    assert "Moves, by chance" in text
    assert 'class="sure"' not in page(ToldFindings(made_up()))


def test_page_tells_where_to_play_and_what_was_played() -> None:
    text = page(ToldFindings(made_up(vary=True)))
    assert 'href="http://localhost:8080/new/memoarrrr?seats=2&amp;expert=true"' in text
    assert "samovar play memoarrrr --seats 2 --expert" in text
    longest = made_up().studies[0].traces
    most = max(len(trace.record["moves"]) for trace in longest)
    assert f"The longest match: {most} moves" in text
    assert "opens the round at" in text


def test_page_is_written_to_a_file(tmp_path: Path) -> None:
    write_page(ToldFindings(made_up()), tmp_path / "lab.html")
    assert (tmp_path / "lab.html").read_text(encoding="utf-8") == page(ToldFindings(made_up()))


def test_plots_are_files_that_need_nothing_else(findings: Findings, tmp_path: Path) -> None:
    write_plots(ToldFindings(findings), tmp_path)
    files = {path.stem: path for path in tmp_path.glob("*.svg")}
    drawn = every_plot(ToldFindings(findings))
    assert len(files) == len(drawn) == len({plot.name for plot in drawn})
    for plot in drawn:
        text = files[plot.name].read_text(encoding="utf-8")
        root = ElementTree.fromstring(text)
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        assert plot.title in text
        assert "prefers-color-scheme: dark" in text
        assert not re.search(r"url\(|@import|href", text)
        shares = [float(share) for share in re.findall(r'(?:x|x1|x2|cx)="(-?[\d.]+)%"', text)]
        assert all(0 <= share <= 100 for share in shares)


def test_plots_show_what_there_is() -> None:
    names = {plot.name for plot in every_plot(ToldFindings(made_up()))}
    assert names == {"wins", "points", "moves", "chances"}
    assert {plot.name for plot in every_plot(ToldFindings(made_up(vary=True)))} >= {
        "chances-1",
        "chances-2",
        "difference-1",
    }
    (chances,) = [plot for plot in every_plot(ToldFindings(made_up())) if plot.name == "chances"]
    alone = [trace for trace in made_up().studies[0].traces if trace.places.count(1) == 1]
    assert chances.drawing.count('class="thin"') == len(alone)
    assert chances.drawing.count('class="mean"') == 1
