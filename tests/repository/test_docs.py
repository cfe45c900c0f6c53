"""The README is a promise: its Python runs, its commands exist."""

import re
import tomllib

import pytest

import samovar
from samovar.engine.installed import DISTRIBUTION
from support.documents import ROOT, wrong_commands

README = (ROOT / "README.md").read_text(encoding="utf-8")
OUTER_PAGES = ("README.md", "AGENTS.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")


def test_python_of_the_readme_runs_and_says_the_truth() -> None:
    (code,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    names: dict[str, object] = {}
    exec(compile(code, "README.md", "exec"), names)
    match = samovar.Match("babuschka", seats=2, seed=7, first=0)
    assert match.actors == (0,)
    assert match.moves(0)[:2] == ["c1-b2", "c1-c2"]


def test_commands_of_the_readme_exist() -> None:
    from samovar.cli import app

    known = {command.name or command.callback.__name__ for command in app.registered_commands if command.callback}
    named = set(re.findall(r"samovar (\w+)", README))
    assert named >= known
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"make (\w+)  ", README)) <= targets


@pytest.mark.parametrize("name", OUTER_PAGES)
def test_commands_and_options_of_a_page_exist(name: str) -> None:
    assert wrong_commands((ROOT / name).read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("name", OUTER_PAGES)
def test_links_of_a_page_lead_to_files(name: str) -> None:
    links = re.findall(r"\]\(([^)#]+)", (ROOT / name).read_text(encoding="utf-8"))
    assert [link for link in links if "://" not in link and not (ROOT / link).exists()] == []


def test_changelog_and_package_agree_on_the_version() -> None:
    assert f"## {samovar.__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f'version = "{samovar.__version__}"' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")


def test_the_package_is_called_by_its_own_name() -> None:
    """On the package index the name samovar belongs to others: nobody may be told to install that."""
    package = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert package["name"] == DISTRIBUTION
    wrong = re.compile(r"""pip install ["']?samovar(?![-_\w])|(?<![-\w./])samovar\[|dependencies = \["samovar"\]""")
    places = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "Makefile", ROOT / "pyproject.toml"]
    for folder in ("src", "docs", "examples", "tools", "benchmarks", ".github"):
        places += [
            path for path in (ROOT / folder).rglob("*") if path.suffix in (".py", ".md", ".toml", ".yml", ".html")
        ]
    assert [str(path) for path in places if wrong.search(path.read_text(encoding="utf-8"))] == []


def test_places_of_the_page_for_programs_exist() -> None:
    page = (ROOT / "AGENTS.md").read_text(encoding="utf-8")
    places = re.findall(r"\b((?:src|tests|docs|examples)/[-\w./]*\w)", page)
    assert len(places) > 15
    assert [place for place in places if not (ROOT / place).exists()] == []


def test_files_of_the_contributing_page_exist() -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    for name in re.findall(r"\b(\w+\.py)\b", page):
        assert any(list(ROOT.glob(f"{folder}/**/{name}")) for folder in ("src", "tests", "benchmarks")), name
