"""A release is refused for every reason there is, and made when there is none."""

import subprocess
import sys
from pathlib import Path

import pytest

import release
from support.documents import ROOT

FILES = {
    "pyproject.toml": '[project]\nname = "thing"\nversion = "1.2.3"\n',
    "src/samovar/__init__.py": '__version__ = "1.2.3"\n',
    "CITATION.cff": "version: 1.2.3\n",
    "CHANGELOG.md": "## 1.2.3 (2026-11-15)\n\n- It is there.\n",
    "Makefile": "test-all:\n\ttrue\n"
    "stored:\n\tmkdir -p tests/data/stored/$(NAME) && git rev-parse $(REVISION) > tests/data/stored/$(NAME)/facts\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository that is ready."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    release.git(tmp_path, "init", "--initial-branch", "main")
    release.git(tmp_path, "config", "user.name", "Somebody")
    release.git(tmp_path, "config", "user.email", "somebody@example.org")
    commit(tmp_path)
    return tmp_path


def commit(root: Path) -> None:
    release.git(root, "add", ".")
    release.git(root, "commit", "--message", "All")


def test_nothing_is_missing_here(root: Path) -> None:
    assert release.unready(root, "1.2.3") == []


def test_a_dirty_tree_is_refused(root: Path) -> None:
    (root / "new.py").touch()
    (complaint,) = release.unready(root, "1.2.3")
    assert "not committed" in complaint


def test_another_branch_is_refused(root: Path) -> None:
    release.git(root, "switch", "--create", "feature")
    (complaint,) = release.unready(root, "1.2.3")
    assert "'feature'" in complaint


def test_a_version_that_was_released_is_refused(root: Path) -> None:
    release.git(root, "tag", "v1.2.3")
    (complaint,) = release.unready(root, "1.2.3")
    assert "v1.2.3 already" in complaint


@pytest.mark.parametrize("section", ["## 1.2.2 (2026-11-15)", "## 1.2.3 (unreleased)", "## 1.2.3"])
def test_a_changelog_without_the_dated_version_is_refused(root: Path, section: str) -> None:
    (root / "CHANGELOG.md").write_text(f"{section}\n")
    commit(root)
    (complaint,) = release.unready(root, "1.2.3")
    assert complaint.startswith("CHANGELOG.md")


@pytest.mark.parametrize("name", release.PLACES)
def test_a_file_with_another_version_is_refused(root: Path, name: str) -> None:
    (root / name).write_text(FILES[name].replace("1.2.3", "1.2.4"))
    commit(root)
    (complaint,) = release.unready(root, "1.2.3")
    assert complaint.startswith(name)


@pytest.mark.parametrize("version", ["", "1.2", "v1.2.3", "1.2.3rc1"])
def test_what_is_no_version_is_refused(root: Path, version: str) -> None:
    (complaint,) = release.unready(root, version)
    assert "no version" in complaint


@pytest.mark.parametrize(("tests", "reason"), [("false", "make test-all"), ("touch left_behind", "changed the tree")])
def test_tests_that_fail_or_leave_something_behind_prevent_it(root: Path, tests: str, reason: str) -> None:
    (root / "Makefile").write_text(f"test-all:\n\t{tests}\n")
    commit(root)
    with pytest.raises(SystemExit, match=reason):
        release.main(root, "1.2.3")
    assert release.git(root, "tag") == ""


@pytest.fixture
def ready_for_wheel(root: Path) -> None:
    # These stand in for pip, which needs a net, and for what makes source packages.
    (root / "hatchling.py").write_text(
        "import pathlib; pathlib.Path('dist').mkdir(); pathlib.Path('dist/thing-1.2.3.tar.gz').touch()\n"
    )
    (root / "pip.py").write_text("import pathlib, sys; pathlib.Path('dist/made_from').write_text(sys.argv[-1])\n")
    (root / ".gitignore").write_text("dist/\n__pycache__/\n")
    commit(root)


def test_a_release_is_tagged_after_its_wheel_was_built_from_its_source_package(
    root: Path, ready_for_wheel: None, capsys: pytest.CaptureFixture[str]
) -> None:
    release.main(root, "1.2.3")
    assert release.git(root, "tag") == "v1.2.3"
    assert (root / "dist" / "made_from").read_text() == str(root / "dist" / "thing-1.2.3.tar.gz")
    assert "git push origin main v1.2.3" in capsys.readouterr().out


def test_a_release_leaves_behind_what_it_writes(root: Path, ready_for_wheel: None) -> None:
    tested = release.git(root, "rev-parse", "HEAD")
    release.main(root, "1.2.3")
    assert release.git(root, "show", "v1.2.3:tests/data/stored/1.2.3/facts") == tested
    assert release.git(root, "rev-parse", "v1.2.3^{commit}~1") == tested
    assert release.git(root, "status", "--porcelain") == ""


def test_a_release_that_cannot_read_what_it_writes_is_none(root: Path, ready_for_wheel: None) -> None:
    (root / "Makefile").write_text("test-all:\n\ttrue\nstored:\n\tmkdir -p tests/data/stored/$(NAME) && false\n")
    commit(root)
    with pytest.raises(SystemExit, match="`make stored` fails"):
        release.main(root, "1.2.3")
    assert release.git(root, "tag") == ""
    assert release.git(root, "status", "--porcelain") == ""
    assert not (root / release.STORED / "1.2.3").exists()


def test_what_was_left_behind_before_is_refused(root: Path) -> None:
    (root / release.STORED / "1.2.3").mkdir(parents=True)
    (root / release.STORED / "1.2.3" / "facts").touch()
    commit(root)
    (complaint,) = release.unready(root, "1.2.3")
    assert complaint.startswith(f"{release.STORED}/1.2.3 is there already")


def test_the_places_of_the_version_agree() -> None:
    version = next(line for line in release.read(ROOT / "pyproject.toml").splitlines() if line.startswith("version"))
    number = version.split('"')[1]
    for name, line in release.PLACES.items():
        assert line.format(number) in release.read(ROOT / name).splitlines(), name


def test_it_is_a_command() -> None:
    command = [sys.executable, str(ROOT / "tools" / "release.py"), "one"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "'one' is no version" in done.stderr
