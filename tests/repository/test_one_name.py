"""One word for one thing: a public type has a name of its own in the whole package."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import samovar

SOURCE = Path(samovar.__file__).parent
OF_THE_API = "what the document of the API calls it, so it stays"
# A game is a package of its own, as those of other authors are; what the starter writes is one, too.
OTHER_PACKAGES = ("games", "starter")
# Names that are there twice, and why.
TWICE = {
    "Answer": OF_THE_API,
    "Asking": OF_THE_API,
    "Legal": OF_THE_API,
    "Options": OF_THE_API,
    "Seat": "programs know it from `samovar.client`, which is a seat of theirs at a site",
    "Table": "the same of a table",
    "TooMany": "the client's name for that answer of the site",
    "TooLarge": "programs read the name of a problem in answers of the API",
    "NotPossible": "programs read the name of a problem in answers of the API",
    "Forget": "logs of tables hold the name of an entry",
    "GoOn": "logs of tables hold the name of an entry; each process has its own words for its worker",
    "Begin": "each process has its own words for its worker",
}


def types_of(path: Path) -> Iterator[str]:
    """Classes and names of types, as far as others may use them."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.AnnAssign) and ast.unparse(node.annotation) == "TypeAlias":
            yield ast.unparse(node.target)
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Subscript):
            name = ast.unparse(node.targets[0])
            if name[:1].isupper() and not name.isupper():
                yield name


def defined() -> dict[str, list[str]]:
    found = defaultdict(list)
    for path in SOURCE.rglob("*.py"):
        if path.relative_to(SOURCE).parts[0] not in OTHER_PACKAGES:
            for name in types_of(path):
                if not name.startswith("_"):
                    found[name].append(str(path.relative_to(SOURCE)))
    return found


def test_a_public_type_name_is_defined_once() -> None:
    twice = {name: places for name, places in defined().items() if len(places) > 1}
    assert {name: places for name, places in twice.items() if name not in TWICE} == {}
    assert twice.keys() == TWICE.keys(), "what is defined once needs no reason any more"


def test_no_file_is_longer_than_six_hundred_lines_and_no_folder_has_more_than_twenty() -> None:
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in SOURCE.rglob("*.py")}
    assert {str(path.relative_to(SOURCE)): length for path, length in lengths.items() if length > 600} == {}
    folders = {path.parent for path in lengths}
    assert [str(folder) for folder in folders if len([*folder.glob("*.py")]) > 20] == []
