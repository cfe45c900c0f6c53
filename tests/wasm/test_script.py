"""Python as JavaScript: small functions say the same in both, and what cannot be written is refused with its place."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import samovar.wasm.script
from samovar.testing.wasm import find_node
from samovar.wasm.script import NoScript, ScriptModule
from support import script_parts

RUNTIME = Path(samovar.wasm.script.__file__).with_name("runtime.mjs")
ASK = """
import * as $ from "./runtime.mjs";
import * as cases from "./cases.mjs";
for (const name of Object.keys(cases)) console.log(`${name} ${$.repr(cases[name]())}`);
"""


def test_what_python_means_is_what_javascript_does(tmp_path: Path) -> None:
    script = ScriptModule()
    for case in script_parts.CASES:
        script.export(case.__name__, case)
    (tmp_path / "cases.mjs").write_text(script.text(), encoding="utf-8")
    (tmp_path / "runtime.mjs").write_bytes(RUNTIME.read_bytes())
    (tmp_path / "ask.mjs").write_text(ASK, encoding="utf-8")
    done = subprocess.run([find_node(), tmp_path / "ask.mjs"], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    said = dict(line.split(" ", 1) for line in done.stdout.splitlines())
    assert said == {case.__name__: plainly(case()) for case in script_parts.CASES}


def plainly(value: object) -> str:
    """As it is written by the runtime, which knows no types of texts and tuples."""
    if isinstance(value, tuple):
        parts = ", ".join(map(plainly, value))
        return f"({parts},)" if len(value) == 1 else f"({parts})"
    if isinstance(value, list):
        return f"[{', '.join(map(plainly, value))}]"
    if isinstance(value, set | frozenset):
        return f"{{{', '.join(map(plainly, value))}}}"
    return repr(str(value)) if isinstance(value, str) else repr(value)


def opens_a_file() -> str:
    with Path("x").open() as file:
        return file.read()


def asks_for_the_time() -> object:
    import time

    return time


def looks_up_a_strange_name() -> object:
    return memoryview(b"")


@pytest.mark.parametrize(
    ("function", "what"),
    [(opens_a_file, "`with` here"), (asks_for_the_time, "`import` here"), (looks_up_a_strange_name, "`memoryview`")],
)
def test_what_cannot_be_written_is_refused_with_its_place(function: Callable[[], object], what: str) -> None:
    line = function.__code__.co_firstlineno + 1
    with pytest.raises(NoScript, match=rf"wasm/test_script\.py:{line}: {what}"):
        ScriptModule().export("it", function)
