"""What our rulings do, docs/rulings.md: it tells of every option that is one, what the lab measures of it, and is what
its script writes."""

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from samovar.engine.registry import find_game
from samovar.lab.run import Findings
from support.documents import ROOT

PAGE = (ROOT / "docs" / "rulings.md").read_text(encoding="utf-8")
OURS = ("matryoshka", "memoarrrr", "varvitikud", "babuschka")
# Options that no rulebook leaves open: its own variants, and one of ours to try things out.
OTHERS = {("memoarrrr", "expert"), ("memoarrrr", "ordered_stack"), ("matryoshka", "growth")}


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.setattr(sys, "path", [str(ROOT / "docs"), *sys.path])
    return import_module("measure_rulings")


def test_every_option_that_is_a_ruling_is_measured_against_its_default(script: ModuleType) -> None:
    options = {(game, option.name) for game in OURS for option in find_game(game).own_options}
    assert {(ruling.game, ruling.option) for ruling in script.RULINGS} == options - OTHERS
    for ruling in script.RULINGS:
        game = find_game(ruling.game)
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
