"""Reads pages of Markdown for the tests: the code in them, and the commands that they name."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import samovar

ROOT = Path(__file__).parents[2]
FENCE = re.compile(r"^```(\w*)(?: title=\"([^\"]*)\")?\n(.*?)^```$", re.DOTALL | re.MULTILINE)
SHELL = ("", "sh", "text")
# A block with such a title is compiled, not run.
NOT_HERE = "GPU"


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    language: str
    title: str
    text: str
    line: int  # of the page, where its text begins
    prints: str | None  # the block of text that follows at once: what it prints

    @property
    def runs(self) -> bool:
        return NOT_HERE not in self.title


def blocks(page: str) -> list[Block]:
    found = list(FENCE.finditer(page))
    after = [*found[1:], None][: len(found)]
    return [
        Block(
            one[1],
            one[2] or "",
            one[3],
            page.count("\n", 0, one.start(3)),
            following[3] if following and _prints(page, one, following) else None,
        )
        for one, following in zip(found, after, strict=True)
    ]


def _prints(page: str, one: re.Match[str], following: re.Match[str]) -> bool:
    return following[1] == "text" and not page[one.end() : following.start()].strip()


def python_blocks(page: str) -> list[Block]:
    return [block for block in blocks(page) if block.language == "python"]


def wrong_commands(page: str) -> list[str]:
    """What a page tells to type and cannot be typed: commands and options of samovar, targets of
    make, files and modules that Python runs."""
    return [
        complaint
        for line in _typed(page)
        for complaint in (*_wrong_samovar(line), *_wrong_make(line), *_wrong_python(line))
    ]


def _typed(page: str) -> list[str]:
    """Lines of shell blocks, and code within sentences."""
    lines = [line for block in blocks(page) if block.language in SHELL for line in block.text.splitlines()]
    return lines + [" ".join(code.split()) for code in re.findall(r"`([^`]+)`", FENCE.sub("", page))]


def _wrong_samovar(line: str) -> list[str]:
    found = re.search(r"(?<![\w./-])samovar ([a-z]\w*)(.*)", line)
    if not found:
        return []
    name, rest = found.groups()
    if name not in commands():
        return [f"samovar has no command {name!r}: {line}"]
    return [
        f"samovar {name} has no option {option}: {line}"
        for option in re.findall(r"(?<=\s)--[a-z-]+", rest)
        if option not in commands()[name]
    ]


def _wrong_make(line: str) -> list[str]:
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    found = re.match(r"make ([a-z][\w-]*)", line)
    return [f"make has no target {found[1]!r}: {line}"] if found and found[1] not in targets else []


def _wrong_python(line: str) -> list[str]:
    files = [
        name
        for name in re.findall(r"python3? ((?:examples|benchmarks|docs)/\S+\.py)", line)
        if not (ROOT / name).exists()
    ]
    modules = [name for name in re.findall(r"(?:-m|--pyargs) (samovar[\w.]*)", line) if not find_spec(name)]
    return [f"there is no {name}: {line}" for name in (*files, *modules)]


OF_THE_GAME_TOO = ("play", "puzzles", "arena", "judge", "lab", "dataset")


@cache
def commands() -> dict[str, set[str]]:
    """Commands of samovar and the options of each; those of `OF_THE_GAME_TOO` take those of the games as well."""
    from typer.main import get_command

    from samovar.cli import app

    of_games = {
        option.name.replace("_", "-") for game_id in samovar.game_ids() for option in samovar.find_game(game_id).options
    }
    flags = {f"--{no}{name}" for name in of_games for no in ("", "no-")}
    found = {}
    for name, command in get_command(app).commands.items():  # type: ignore[attr-defined]
        each = [command, *getattr(command, "commands", {}).values()]  # one may have commands of its own
        parameters = [parameter for one in each for parameter in one.params]
        own = {option for parameter in parameters for option in (*parameter.opts, *parameter.secondary_opts)}
        found[name] = own | {"--help"} | (flags if name in OF_THE_GAME_TOO else set())
    return found
