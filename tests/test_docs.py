"""The README is a promise: its Python runs, its commands exist."""

import re
from pathlib import Path

import samovar

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


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


def test_changelog_and_package_agree_on_the_version() -> None:
    assert f"## {samovar.__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f'version = "{samovar.__version__}"' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")


def test_files_of_the_contributing_page_exist() -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    for name in re.findall(r"\b(\w+\.py)\b", page):
        assert list(ROOT.glob(f"src/**/{name}")) or list(ROOT.glob(f"tests/{name}")), name
