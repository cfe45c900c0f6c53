"""The page of the command line, made from the commands themselves: what `--help` says, on one page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from typer.main import get_command

from samovar.cli import app

HEAD = """# Command line

After `make play` or `make test` the command is `.venv/bin/samovar`.
`samovar` alone starts the site, like `samovar serve`; `samovar COMMAND --help` says what is here.
Seats count from 0."""
KINDS = {"int": "NUMBER", "float": "NUMBER", "str": "TEXT", "path": "PATH"}


def command_line() -> str:
    root = get_command(app)
    parts = [HEAD, "\n".join(f"- [`{name}`](#{anchor(name)}): {first_line(one)}" for name, one in commands(root))]
    return "\n\n".join([*parts, *(section(name, one) for name, one in commands(root))]) + "\n"


def commands(group: Any, before: str = "samovar") -> Iterator[tuple[str, Any]]:
    """Each command by its whole name."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, f"{before} {name}")
        else:
            yield f"{before} {name}", command


def anchor(name: str) -> str:
    return name.replace(" ", "-")


def section(name: str, command: Any) -> str:
    arguments = [one for one in command.params if one.param_type_name == "argument"]
    options = [one for one in command.params if one.param_type_name == "option" and not one.hidden]
    usage = " ".join([name, *(shown(one) for one in arguments), *(["[OPTIONS]"] if options else [])])
    rows = [f"| `{shown(one)}` | {one.help or ''} |" for one in arguments if one.help]
    rows += [f"| {names(one)} | {meaning(one)} |" for one in options]
    parts = [f"## `{name}` {{#{anchor(name)}}}", f"```\n{usage}\n```", *paragraphs(command)]
    if rows:
        parts.append("\n".join(["| option | meaning |", "|---|---|", *rows]))
    return "\n\n".join(parts)


def paragraphs(command: Any) -> list[str]:
    """What it does, in a line; what else there is to know; an example."""
    return [" ".join(part.split()) for part in command.help.split("\n\n")]


def first_line(command: Any) -> str:
    return paragraphs(command)[0].rstrip(".")


def shown(argument: Any) -> str:
    name = argument.metavar or argument.name.upper()
    return name if argument.required or name.startswith("[") else f"[{name}]"


def names(option: Any) -> str:
    both = ", ".join(f"`{name}`" for name in (*option.opts, *option.secondary_opts))
    return both if option.is_flag else f"{both} {value(option)}"


def value(option: Any) -> str:
    choices = getattr(option.type, "choices", ())
    kind = KINDS.get(option.type.name.split()[0], option.type.name.upper())
    return f"`{option.metavar or ' or '.join(choices) or kind}`"


def meaning(option: Any) -> str:
    """What it is for, and what it is without being named, unless that is nothing."""
    told = (option.help or "").replace("|", "\\|")
    if option.required:
        return f"{told} Required."
    if option.is_flag:
        return f"{told} On by default." if option.default else told
    return told if option.default in (None, "", ()) else f"{told} Default: `{option.default}`."
