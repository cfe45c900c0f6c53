"""Tags a release and builds its packages, if everything stands ready: `make release VERSION=1.2.3`.

What is missing is said, all of it at once; then the tests are run, and only if they pass and have left
the tree clean is the tag made. One thing is added to the tree: what this version writes (`stored`), for the
tests of all later ones. Pushing the tag is left to you.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
BRANCH = "main"
STORED = "tests/data/stored"
# Where the version stands, and how.
PLACES = {
    "pyproject.toml": 'version = "{}"',
    "src/samovar/__init__.py": '__version__ = "{}"',
    "CITATION.cff": "version: {}",
}


def main(root: Path, version: str) -> None:
    if complaints := unready(root, version):
        sys.exit("\n".join(["Not released:", *(f"- {complaint}" for complaint in complaints)]))
    if subprocess.run(["make", "test-all"], cwd=root, check=False).returncode:
        sys.exit("Not released: `make test-all` fails.")
    if git(root, "status", "--porcelain"):
        sys.exit("Not released: the tests have changed the tree, see `git status`.")
    build(root, root / "dist")
    leave_behind(root, version)
    git(root, "tag", "--annotate", f"v{version}", "--message", f"Samovar {version}")
    print(f"Tagged v{version}; its packages are in dist/. Publish it with: git push origin {BRANCH} v{version}")


def build(root: Path, folder: Path) -> None:
    """The source package, and the wheel from what is in that: so both are whole."""
    python(root, "hatchling", "build", "--target", "sdist", "--directory", str(folder))
    source = max(folder.glob("*.tar.gz"), key=lambda path: path.stat().st_mtime)
    python(root, "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(source))


def python(root: Path, *module: str) -> None:
    subprocess.run([sys.executable, "-m", *module], cwd=root, check=True)


def leave_behind(root: Path, version: str) -> None:
    """A database and other files of this version, if this version itself can read them. Nothing that may fail
    comes after it but the tag."""
    if subprocess.run(["make", "stored", "REVISION=HEAD", f"NAME={version}"], cwd=root, check=False).returncode:
        shutil.rmtree(root / STORED / version, ignore_errors=True)
        sys.exit("Not released: `make stored` fails.")
    git(root, "add", f"{STORED}/{version}")
    git(root, "commit", "--message", f"Stored: what {version} writes, for the tests of later versions")


def unready(root: Path, version: str) -> list[str]:
    """What stands in the way, before any test is run."""
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        return [f"{version!r} is no version: make release VERSION=1.2.3."]
    complaints = []
    if git(root, "status", "--porcelain"):
        complaints.append("The tree has changes that are not committed, see `git status`.")
    if (branch := git(root, "branch", "--show-current")) != BRANCH:
        complaints.append(f"This is the branch {branch!r}, releases are made from {BRANCH!r}.")
    if git(root, "tag", "--list", f"v{version}"):
        complaints.append(f"There is a tag v{version} already.")
    if not re.search(rf"^## {re.escape(version)} \(\d{{4}}-\d\d-\d\d\)$", read(root / "CHANGELOG.md"), re.MULTILINE):
        complaints.append(f"CHANGELOG.md has no section '## {version} (YYYY-MM-DD)'.")
    if (root / STORED / version).exists():
        complaints.append(f"{STORED}/{version} is there already: it is made by the release itself. Remove it.")
    for name, line in PLACES.items():
        if line.format(version) not in read(root / name).splitlines():
            complaints.append(f"{name} does not say {line.format(version)!r}.")
    return complaints


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def git(root: Path, *words: str) -> str:
    return subprocess.run(["git", *words], cwd=root, check=True, capture_output=True, text=True).stdout.strip()


if __name__ == "__main__":
    main(ROOT, "".join(sys.argv[1:]))
