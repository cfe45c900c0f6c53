"""The rules pages: every numbered rule has a test, every ruling is named, generated tables are
in."""

import ast
import re
from dataclasses import replace
from pathlib import Path

import pytest

import samovar
from samovar.pages import observation_table, rules_page
from samovar.testing.checks import rule_ids

TESTS = Path(__file__).parent / "games"
# How many rulings each game has; the common ones that bear on it.
RULINGS = {
    "matryoshka": [f"M{n}" for n in range(1, 11)] + ["C1", "C2", "C4", "C5", "C6"],
    "memoarrrr": [f"R{n}" for n in range(15)] + ["C1", "C2", "C3", "C5", "C6"],
    "varvitikud": [f"V{n}" for n in range(1, 12)] + ["C1", "C2", "C3", "C5", "C6"],
    "babuschka": [f"B{n}" for n in range(1, 12)] + ["C1", "C3", "C5", "C6"],
}


def marked_rules(game_id: str) -> set[str]:
    """The rule ids named in `@pytest.mark.rules(...)` of the game's tests."""
    found = set()
    for path in TESTS.glob(f"test_{game_id}*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "rules":
                found |= {argument.value for argument in node.args if isinstance(argument, ast.Constant)}
    return found


@pytest.mark.parametrize("game_id", RULINGS)
def test_every_numbered_rule_has_a_test(game_id: str) -> None:
    numbered = set(rule_ids(Path(samovar.find_game(game_id).folder) / "RULES.md"))
    marked = marked_rules(game_id)
    assert numbered - marked == set(), f"rules without a test: {sorted(numbered - marked)}"
    assert marked - numbered == set(), f"tests of rules that are not in RULES.md: {sorted(marked - numbered)}"


@pytest.mark.parametrize("language", ["en", "fr"])
@pytest.mark.parametrize("game_id", RULINGS)
def test_every_ruling_is_named(game_id: str, language: str) -> None:
    page = rules_page(samovar.find_game(game_id), language)
    named = set(re.findall(r"\b[CMRVB]\d+\b", page))
    assert set(RULINGS[game_id]) - named == set()


@pytest.mark.parametrize("language", ["en", "fr"])
@pytest.mark.parametrize("game_id", RULINGS)
def test_page_has_the_observation_table_and_all_options(game_id: str, language: str) -> None:
    game = samovar.find_game(game_id)
    page = rules_page(game, language)
    assert observation_table(game, language) in page
    assert "<!--" not in page
    for option in game.options:
        assert f"`{option.name}" in page, f"option {option.name} is not explained"


def test_unknown_language_names_the_known_ones() -> None:
    with pytest.raises(samovar.SamovarError, match="en, fr"):
        rules_page(samovar.find_game("connect_four"), "de")


def test_a_game_without_rules_pages_has_one_that_says_so(tmp_path: Path) -> None:
    game = replace(samovar.find_game("connect_four"), folder=str(tmp_path))
    assert rules_page(game, "en") == "# Connect Four\n\nNobody has written down the rules of this game yet.\n"
    (tmp_path / "RULES.md").write_text("# English\n", encoding="utf-8")
    assert rules_page(game, "fr") == "# English\n"
