"""Figures that pages promise: the list (`benchmarks/figures.toml`) and the pages say the same, and nothing is promised
that was not held when it was measured last."""

import importlib.util
import sys

import pytest

from support.documents import ROOT


def load():
    spec = importlib.util.spec_from_file_location("figures", ROOT / "benchmarks" / "figures.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["figures"] = module  # dataclasses look for it there
    spec.loader.exec_module(module)
    return module


figures = load()
MEASURED, LISTED = figures.read_list(figures.LIST.read_text(encoding="utf-8"))


@pytest.mark.parametrize(("name", "page"), [(name, page) for name, one in LISTED.items() for page in one.quoted])
def test_a_page_quotes_what_the_list_says(name, page):
    text = (ROOT / page).read_text(encoding="utf-8")
    assert text.count(LISTED[name].quote(page)) == 1, f"{page} must say {LISTED[name].quote(page)!r} once"


def test_the_table_is_that_of_the_list():
    page = (ROOT / figures.TABLE_PAGE).read_text(encoding="utf-8")
    assert page == figures.with_table(page, figures.table(MEASURED, LISTED.values()))
    assert page.count(figures.BEGIN) == page.count(figures.END) == 1


@pytest.mark.parametrize("one", LISTED.values(), ids=LISTED)
def test_what_is_promised_was_held_or_says_why_not(one):
    assert one.holds(one.last) == (not one.short)
    assert one.at_most is None or one.at_least is None
    assert not (one.short and any("{bound}" in quote for quote in one.quoted.values())), "no page promises it"


def test_every_figure_is_measured_and_every_measurement_gives_one():
    assert {one.by for one in LISTED.values()} == {*figures.MEASUREMENTS}


def test_no_goal_leaves_the_list_or_is_loosened_unseen():
    bounds = {"page-cpu": 2.5, "page-kb": 6, "page-answer-p99": 100, "page-stream-p99": 100, "health-p99": 100}
    bounds |= {"memory": 250, "memory-workers": 700, "first-start-memory": 1200, "first-start-cpu": 110, "make-test": 5}
    assert {name: LISTED[name].at_most for name in bounds} == bounds


# What is done with what was measured

LIST = """measured = "then"

[speed]
what = "speed"
by = "pages"
unit = "x"
at_least = 10
last = 7
short = "It is slow."
quoted = { "page.md" = "{last} x as fast" }

[size]
what = "size"
by = "pages"
unit = "MB"
at_most = 5
last = 4
"""


@pytest.fixture
def small(monkeypatch, tmp_path):
    """A list and a page of its own."""
    (tmp_path / "list.toml").write_text(LIST)
    (tmp_path / "page.md").write_text(f"It is 7.0 x as fast.\n\n{figures.BEGIN}{figures.END}")
    for name, value in {"LIST": tmp_path / "list.toml", "ROOT": tmp_path, "TABLE_PAGE": "page.md"}.items():
        monkeypatch.setattr(figures, name, value)
    return tmp_path


def test_what_was_measured_is_written_into_list_and_pages(small):
    figures.write({"speed": 1234.5}, "now")
    measured, listed = figures.read_list((small / "list.toml").read_text())
    assert (measured, listed["speed"].last, listed["size"].last) == ("now", 1230, 4)
    assert listed["speed"].short == "", "it is not short any more"
    page = (small / "page.md").read_text()
    assert page.startswith("It is 1,230 x as fast.")
    assert "now\n" in page
    assert "| speed | at least 10 x |  | 1,230 x |  |" in page
    figures.write({"speed": 8.0})
    assert (small / "page.md").read_text().startswith("It is 8.0 x as fast.")
    assert "now\n" in (small / "page.md").read_text(), "when the others were measured stays"


def test_what_falls_short_is_said_and_is_a_failure(capsys):
    _, listed = figures.read_list(LIST)
    assert figures.tell(listed, {"speed": 10.0, "size": 5.0}, {}) == 0
    assert "Nothing falls short." in capsys.readouterr().out
    assert figures.tell(listed, {"speed": 9.99, "size": 5.0}, {}) == 1
    assert "speed is SHORT: 9.99 x, at least 10 x. It is slow." in capsys.readouterr().out


def test_what_cannot_be_measured_here_says_why_and_what_breaks_is_a_failure(monkeypatch, capsys):
    _, listed = figures.read_list(LIST)
    for error, status in ((figures.NotHere("no Node"), 0), (SystemExit("no npm"), 0), (ValueError("broken"), 1)):

        def fail(error=error):
            raise error

        monkeypatch.setitem(figures.MEASUREMENTS, "pages", fail)
        assert figures.tell(listed, *figures.measure(listed)) == status
        said = capsys.readouterr().out
        assert str(error) in said
        assert "Nothing falls short." not in said


def test_some_can_be_asked_for_by_figure_or_measurement():
    assert [*figures.select(LISTED, ["hint", "pages"])][-1] == "hint"
    assert "page-kb" in figures.select(LISTED, ["pages"])
    with pytest.raises(SystemExit, match="nonsense"):
        figures.select(LISTED, ["nonsense"])
