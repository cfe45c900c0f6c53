"""Where an author's mistake is: the file, the line and what to do about it, of any error that a game in work causes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from traceback import FrameSummary, TracebackException, extract_tb

from jinja2 import TemplateSyntaxError
from jinja2.exceptions import TemplateError

from samovar.dev.messages import Mistake
from samovar.errors import SamovarError

PLACE = re.compile(r"\b(\w+\.\w+), line (\d+)")
RULE = re.compile(
    r"'(\w+)' of \w+[^']*?(?: uses '?([\w.]*\w)|$|\. )"
)  # a text that names a rule, and what is wrong in it
REMEDIES: dict[type[BaseException], str] = {
    SyntaxError: "Python cannot read this line, or the one before it.",
    ImportError: "Write that name where it is imported from, or take it out of this line.",
    NameError: "Define this name, or import it.",
    AttributeError: "Look for a slip in the name: there is none like it.",
    KeyError: "Add what is missing, or look for a slip in the name.",
    TypeError: "Compare what is handed over with what is taken.",
    TemplateError: "Mend the template: the message says what it does not know.",
}
ANY_REMEDY = "Mend this line and save: the table comes back by itself."


def fault_of(error: BaseException, folder: object = None) -> Mistake:
    """`folder`: of the game, if it is known; else a mistake lies in the innermost file that is not the engine's."""
    chain = [*_chain(error)]
    mistake = next(one for one in chain if one.__cause__ is None or repr(one.__cause__) not in str(one))
    what = " ".join(TracebackException.from_exception(mistake).format_exception_only()).strip().splitlines()[-1]
    if isinstance(mistake, SamovarError | AssertionError) and str(mistake):
        what = str(mistake)
    file, line = _place(mistake, chain, Path(str(folder)) if folder else None)
    remedy = "" if isinstance(mistake, SamovarError) else _remedy(mistake)
    return Mistake(what, Path(file).name if file else "", line, _line_of(file, line), remedy)


def _chain(error: BaseException) -> Iterator[BaseException]:
    """An error and its cause, and the cause of that."""
    now: BaseException | None = error
    while now is not None:
        yield now
        now = now.__cause__


def _place(mistake: BaseException, chain: list[BaseException], folder: Path | None) -> tuple[str, int]:
    if isinstance(mistake, TemplateSyntaxError):
        return str(folder / "table.html") if folder else mistake.filename or "table.html", mistake.lineno
    if isinstance(mistake, SyntaxError) and mistake.filename:
        return mistake.filename, mistake.lineno or 0
    frames = [frame for one in chain for frame in extract_tb(one.__traceback__)]
    named = PLACE.search(str(mistake)) if isinstance(mistake, SamovarError) else None
    own = [frame for frame in frames if _is_own(frame.filename, folder)]
    if named:
        name, line = named[1], int(named[2])
        inside = [*folder.rglob(name)] if folder else []
        beside = [path for frame in own for path in Path(frame.filename).parent.glob(name)]
        return str([*inside, *beside, name][0]), line
    rule = RULE.search(str(mistake)) if isinstance(mistake, SamovarError) else None
    if rule and (place := _rule_at(rule[1], rule[2], own, folder)):
        return place
    return (own[-1].filename, own[-1].lineno or 0) if own else ("", 0)


def _rule_at(rule: str, used: str | None, own: list[FrameSummary], folder: Path | None) -> tuple[str, int] | None:
    """Where a rule is written, or the line in it that uses something."""
    beside = [path for frame in own for path in sorted(Path(frame.filename).parent.glob("*.py"))]
    for path in [*(sorted(folder.rglob("*.py")) if folder else ()), *beside]:
        lines = path.read_text(encoding="utf-8").splitlines()
        start = next((number for number, line in enumerate(lines) if line.startswith(f"def {rule}(")), None)
        if start is not None:
            uses = (number for number in range(start, len(lines)) if used and used in lines[number])
            return str(path), 1 + next(uses, start)
    return None


def _is_own(file: str, folder: Path | None) -> bool:
    path = Path(file)
    if file.startswith("games/"):  # a template, by the name that it is loaded by
        return True
    if folder:
        return path.is_relative_to(folder)
    return not ({"samovar", "site-packages", "importlib"} & {*path.parts}) and not file.startswith("<")


def _line_of(file: str, line: int) -> str:
    try:
        return Path(file).read_text(encoding="utf-8").splitlines()[line - 1].strip() if line else ""
    except (OSError, IndexError, ValueError):
        return ""


def _remedy(mistake: BaseException) -> str:
    return next((text for kind, text in REMEDIES.items() if isinstance(mistake, kind)), ANY_REMEDY)
