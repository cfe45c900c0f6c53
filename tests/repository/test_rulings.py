"""Our rulings. docs/rulings-explained.md has each of them once, and every citation leads there. What they do,
docs/rulings.md: it tells of every option that is one, what the lab measures of it, and is what its script writes."""

from __future__ import annotations

import re
import sys
from collections import Counter
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from samovar.engine.registry import find_game
from samovar.lab.run import Findings
from support.documents import ROOT
from support.rulings import Entry, citations, entries, letter_of, numbers_in, numbers_of, said_in_python

PAGE = (ROOT / "docs" / "rulings.md").read_text(encoding="utf-8")
OURS = ("matryoshka", "memoarrrr", "varvitikud", "babuschka")
# Options that no rulebook leaves open: its own variants, and one of ours to try things out.
OTHERS = {("memoarrrr", "expert"), ("memoarrrr", "ordered_stack"), ("matryoshka", "growth")}
COMMON = "All games"
CODE = ("src", "tests")
BASES = {"text", "source", "house", "fact"}
# A house rule that decides nothing that the rulebook leaves open: the option `growth`, to try things out.
NO_RULING = {("matryoshka", "6.9")}


# Each ruling once


def test_no_number_means_two_rulings() -> None:
    assert [number for number, times in Counter(entry.number for entry in entries()).items() if times > 1] == []


@pytest.mark.parametrize("entry", entries(), ids=lambda entry: entry.number)
def test_a_ruling_says_what_is_open_what_is_decided_and_why(entry: Entry) -> None:
    assert entry.anchor == entry.number.lower()
    assert re.findall(r"^- \*\*(\w+):\*\* ", entry.text, re.MULTILINE) == ["Open", "Decided", "Why"]
    why = entry.text.partition("- **Why:** ")[2]
    bases = re.findall(r"\*([\w, ]+)\*", why)
    assert bases
    assert set(", ".join(bases).split(", ")) <= BASES


def test_each_game_has_a_letter_of_its_own_and_counts_on() -> None:
    sections = [COMMON, *(find_game(game).name for game in OURS)]
    assert list(dict.fromkeys(entry.section for entry in entries())) == sections
    assert len({letter_of(section) for section in sections}) == len(sections)
    for section in sections:
        numbers = [int(number[1:]) for number in numbers_of(section)]
        assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))


# Every citation leads there


def test_every_citation_is_of_a_ruling_that_there_is() -> None:
    known = {entry.number for entry in entries()}
    assert [str(citation) for citation in citations() if citation.number not in known] == []


def test_every_ruling_is_cited_where_it_is_applied_or_tested() -> None:
    cited = {each.number for each in citations() if each.path.suffix == ".py" and each.path.parts[0] in CODE}
    assert [entry.number for entry in entries() if entry.number not in cited] == []


@pytest.mark.parametrize("game", OURS)
def test_what_belongs_to_a_game_cites_its_own_rulings_and_those_of_all(game: str) -> None:
    """So a card that is called like a ruling of another game is not taken for it: it stands in quotes."""
    letters = {letter_of(COMMON), letter_of(find_game(game).name)}
    own = [each for each in citations() if game in each.path.parts or f"_{game}" in each.path.stem]
    assert own
    assert [str(citation) for citation in own if citation.number[0] not in letters] == []


@pytest.mark.parametrize("page", sorted((ROOT / "docs").glob("*.md")), ids=lambda page: page.stem)
def test_a_link_with_a_number_leads_to_that_ruling(page: Path) -> None:
    links = re.findall(r"\[(?:ruling )?([A-Z]\d+)\]\(([^)]*)\)", page.read_text(encoding="utf-8"))
    address = "" if page.name == "rulings-explained.md" else "rulings-explained.md"
    assert [link for link in links if link[1] != f"{address}#{link[0].lower()}"] == []


@pytest.mark.parametrize("game", OURS)
def test_every_house_rule_of_a_rules_page_names_its_ruling(game: str) -> None:
    page = Path(find_game(game).folder, "RULES.md").read_text(encoding="utf-8")
    rules = re.findall(r"^- \*\*([\d.]+)\*\* (.*?)(?=\n- |\n\n|\Z)", page, re.DOTALL | re.MULTILINE)
    ours = {(game, number): numbers_in(text) for number, text in rules if "*(house rule" in text}
    assert ours
    assert {rule for rule, numbers in ours.items() if not numbers} == {rule for rule in NO_RULING if rule[0] == game}


def test_cards_and_fields_are_no_citations() -> None:
    code = '"""B3, as `C3` is, and "C4" (V2)."""\nx = "C5", "by chance (R4)", "ruling V9"  # M1, noqa: B018\n'
    assert [number for said in said_in_python(code) for number in numbers_in(said)] == ["B3", "V2", "R4", "V9", "M1"]


# What they do


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.setattr(sys, "path", [str(ROOT / "docs"), *sys.path])
    return import_module("measure_rulings")


def test_every_option_that_is_a_ruling_is_measured_against_its_default(script: ModuleType) -> None:
    options = {(game, option.name) for game in OURS for option in find_game(game).own_options}
    assert {(ruling.game, ruling.option) for ruling in script.RULINGS} == options - OTHERS
    for ruling in script.RULINGS:
        game = find_game(ruling.game)
        (entry,) = (entry for entry in entries() if entry.number == ruling.number)
        assert entry.section == game.name
        assert f"Option `{ruling.option}`" in entry.text
        assert ruling.values[0] == game.check_options(ruling.seats, {})[ruling.option]


def test_the_page_tells_of_each_ruling_and_how_it_was_measured(script: ModuleType) -> None:
    assert PAGE.startswith(script.HEAD)
    assert PAGE.endswith(script.FOOT)
    for ruling in script.RULINGS:
        own = PAGE.partition(f"\n### {ruling.number}: {ruling.title}\n")[2].partition("\n### ")[0]
        assert ruling.says in own
        assert f"samovar lab {ruling.game} --seats {ruling.seats}" in own
        assert f"--matches {script.DEALS * ruling.seats} --random {script.RANDOM} --seed {script.SEED}" in own
        for value in ruling.values[1:]:
            assert f"**`{ruling.option}={script.text_of(value)}`**" in own
    for game in OURS[1:]:  # in Matryoshka all begin together
        assert f"\n### C1: who begins in {find_game(game).name}\n" in PAGE


def by_chance(script: ModuleType, monkeypatch: pytest.MonkeyPatch, number: str) -> tuple[str, Findings]:
    """A section, of few matches and no bots."""
    monkeypatch.setattr(script, "PLAYER", "random")
    ruling = next(ruling for ruling in script.RULINGS if ruling.number == number)
    findings = script.measure(ruling, 1, 600)
    return script.section(find_game(ruling.game), [(ruling, findings)]), findings


@pytest.mark.slow
def test_a_section_tells_what_the_lab_has_found(script: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """Half turns double the choices, which is sure; who wins does not change, which is noise."""
    text, findings = by_chance(script, monkeypatch, "V2")
    (row,) = (each for each in script.differences(findings) if each.measure.key == "choices")
    assert row.is_sure
    assert f"raises *moves to choose from* by {row.interval.value:.2f} ± " in text
    (told,) = (line for line in text.splitlines() if "| Moves to choose from |" in line)
    assert f"| {row.first:.2f} | +{row.interval.value:.2f} ± " in told
    (begins,) = (line for line in text.splitlines() if "| Won by who begins |" in line)
    assert "*noise:*" in begins


def test_a_game_that_is_measured_anew_leaves_the_others_as_they_are(
    script: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    page = tmp_path / "rulings.md"
    page.write_text(PAGE, encoding="utf-8")
    monkeypatch.setattr(script, "PAGE", page)
    script.write({})
    assert page.read_text(encoding="utf-8") == PAGE
    script.write({"varvitikud": "## Värvitikud\n\nNew.\n"})
    now = page.read_text(encoding="utf-8")
    begin, end = PAGE.index("## Värvitikud\n"), PAGE.index("## Babuschka\n")
    assert now == f"{PAGE[:begin]}## Värvitikud\n\nNew.\n\n{PAGE[end:]}"
