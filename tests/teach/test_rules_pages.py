"""The rules pages: every numbered rule has a test, every ruling is named, people are told what
people need, and programs what programs need."""

import ast
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

import samovar
from samovar.language.languages import LANGUAGES
from samovar.teach.rules_pages import EXAMPLE, PHASES, observation_table, programs_page, rules_language, rules_page
from samovar.testing.checks import check_pages, rule_ids
from support.rulings import numbers_of

TESTS = Path(__file__).parents[1] / "games"
# The rulings of each game, and the common ones that bear on it.
RULINGS = {
    "matryoshka": [*numbers_of("Matryoshka"), "C1", "C2", "C4", "C5", "C6"],
    "memoarrrr": [*numbers_of("Memoarrrr!"), "C1", "C2", "C3", "C5", "C6"],
    "varvitikud": [*numbers_of("Värvitikud"), "C1", "C2", "C3", "C5", "C6"],
    "babuschka": [*numbers_of("Babuschka"), "C1", "C3", "C5", "C6"],
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


def file_of(game_id: str, name: str) -> str:
    return Path(samovar.find_game(game_id).folder, name).read_text(encoding="utf-8")


def rules_file(language: str) -> str:
    return "RULES.md" if language == "en" else f"RULES.{language}.md"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game_id", RULINGS)
def test_every_ruling_is_named(game_id: str, language: str) -> None:
    """Beside the rule that it decides, in a comment, or where only programs need it."""
    comments = " ".join(re.findall("<!--.*?-->", file_of(game_id, rules_file(language))))
    named = set(re.findall(r"\b[CMRVB]\d+\b", comments + file_of(game_id, "PROGRAMS.md")))
    assert set(RULINGS[game_id]) - named == set()


# What nobody should read on a rules page: where players sit, and how this was decided.
NOT_FOR_PEOPLE = (
    r"seat\b|seats\b|ruling|offset|\.json|`\w+`|siège|décision|\bSitz(?:e|platz|plätze)?\b|\biste\b|istekoh"
)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game_id", RULINGS)
def test_rules_are_for_people(game_id: str, language: str) -> None:
    """What a family needs comes first, details are the last section; nothing in them is for programs."""
    game = samovar.find_game(game_id)
    assert rules_language(game, language) == language, "our own games have rules in every language"
    page = rules_page(game, language, drawn=False)
    first, details = re.split(r"^## (?!.*^## )", page, flags=re.MULTILINE | re.DOTALL)
    assert "- **1.1**" not in first
    assert "- **1.1**" in details
    goal = re.split("^## .*$", first, flags=re.MULTILINE)[1].split("\n\n")[1]
    assert 1 <= len(re.findall(r"[.!](?=\s|$)", goal)) <= 2, "the goal is told in two sentences"
    assert len(EXAMPLE.findall(first)) >= 4, "a turn is told in pictures"
    assert re.findall(NOT_FOR_PEOPLE, page, re.IGNORECASE) == []
    assert re.findall("<!-- (?!example|phase)", page) == []


def facts_told(game_id: str, language: str) -> list[Counter[str]]:
    """The fields, cards and numbers that each paragraph and each rule names. A 1 is left out: some
    say "round 1", others "the first round"."""
    page = rules_page(samovar.find_game(game_id), language, drawn=False)
    told = [Counter(re.findall(r"\b[A-Ja-h]\d\b|\d+", part)) for part in re.split(r"\n\n|\n(?=- )", page)]
    return [Counter({fact: count for fact, count in part.items() if fact != "1"}) for part in told]


@pytest.mark.parametrize("language", LANGUAGES[1:])
@pytest.mark.parametrize("game_id", RULINGS)
def test_translated_rules_tell_the_same_facts(game_id: str, language: str) -> None:
    """Paragraph for paragraph, so no caption speaks of another field, and no rule of another number."""
    assert facts_told(game_id, language) == facts_told(game_id, "en")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game_id", RULINGS)
def test_captions_speak_of_what_every_drawing_shows(game_id: str, language: str) -> None:
    """Names of people and colours of what only pictures have are not in a terminal."""
    page = rules_page(samovar.find_game(game_id), language)
    assert "<!--" not in page
    captions = re.findall(r"^```\n\n\*(.+?)\*$", page, re.DOTALL | re.MULTILINE)
    assert len(captions) == page.count("```") // 2 > 0, "every drawing has a caption"
    for caption in captions:
        assert re.findall(r"Anna|Boris|Chloé|Dmitri|ribbon|ruban|golden|doré", caption) == []


@pytest.mark.parametrize("game_id", RULINGS)
def test_rules_open_wherever_a_match_is(game_id: str) -> None:
    """Each phase that a match goes through has a heading, whoever looks."""
    game = samovar.find_game(game_id)
    assert game.face is not None
    marked = {phase for names in PHASES.findall(file_of(game_id, "RULES.md")) for phase in names.split()}
    variants = {frozenset(values.items()): values for seats, values in game.variants() if seats == game.seats[0]}
    seen = set()
    for values in variants.values():
        match = samovar.Match(game, game.seats[0], seed=5, plain=True, **values)
        match.play_random(5)
        seen.add(game.face.phase(match.view(None)))
        while match.history:
            match.undo()
            seen |= {game.face.phase(match.view(seat)) for seat in (None, 0)}
    assert seen == marked


@pytest.mark.parametrize("game_id", RULINGS)
def test_what_programs_must_know_has_a_page_of_its_own(game_id: str) -> None:
    game = samovar.find_game(game_id)
    page = programs_page(game)
    assert page.endswith(f"{observation_table(game)}\n")
    assert page.count("## Observation") == page.count("## Moves") == 1
    few = replace(game, folder="nowhere")
    assert programs_page(few) == f"# {game.name}, for programs\n\n## Observation\n\n{observation_table(game)}\n"


def test_unknown_language_names_the_known_ones() -> None:
    with pytest.raises(samovar.SamovarError, match=", ".join(LANGUAGES)):
        rules_page(samovar.find_game("connect_four"), "tlh")


def test_a_game_without_rules_pages_has_one_that_says_so(tmp_path: Path) -> None:
    game = replace(samovar.find_game("connect_four"), folder=str(tmp_path))
    assert rules_page(game, "en") == "# Connect Four\n\nNobody has written down the rules of this game yet.\n"
    (tmp_path / "RULES.md").write_text("# English\n", encoding="utf-8")
    assert rules_page(game, "fr") == "# English\n"


def test_notes_of_an_author_are_seen_by_nobody(tmp_path: Path) -> None:
    game = replace(samovar.find_game("connect_four"), folder=str(tmp_path))
    (tmp_path / "RULES.md").write_text(
        "# Four\n\n## A turn <!-- phase move -->\n\n- **1.1** One.\n  <!-- R1, R2 -->\n", encoding="utf-8"
    )
    assert rules_page(game, "en") == "# Four\n\n## A turn\n\n- **1.1** One.\n"
    assert rules_page(game, "en", drawn=False) == "# Four\n\n## A turn <!-- phase move -->\n\n- **1.1** One.\n"


@pytest.mark.parametrize(
    ("english", "french", "wrong"),
    [
        (
            "## A turn <!-- phase move -->",
            "## Un tour",
            "RULES.md and RULES.fr.md mark different things: {'phase move'}",
        ),
        ("<!-- example start -->", "", "names examples that the game's face does not have: {'example start'}"),
    ],
)
def test_the_kit_compares_marks(tmp_path: Path, english: str, french: str, wrong: str) -> None:
    game = replace(samovar.find_game("connect_four"), folder=str(tmp_path))
    for name, mark in (("RULES.md", english), ("RULES.fr.md", french)):
        (tmp_path / name).write_text(f"# Four\n\n{mark}\n\n- **1.1** One.\n", encoding="utf-8")
    with pytest.raises(AssertionError, match=re.escape(wrong)):
        check_pages(game)
