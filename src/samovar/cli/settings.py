"""A command whose options can also be given by the environment and in a file, for whatever starts it unattended.

The command line comes before the environment (`SAMOVAR_PORT`), the environment before the file (`--config`, or
`SAMOVAR_CONFIG`), and the file before the default. All of it is made from the options themselves, so a new one has all
three ways by itself."""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Collection
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperCommand, TyperOption

from samovar.errors import BadSettings, SamovarError, did_you_mean

PREFIX = "SAMOVAR_"
CONFIG = "config"
PRINT = "print_config"
PASSWORD = re.compile(r"(://[^:@/]*:).*(?=@)|([?&](?:ssl)?password=)[^&#]*", re.IGNORECASE)
KINDS = {bool: "true or false", int: "a whole number", str: "a text in quotes", list: "a list of texts in quotes"}


class SettingsCommand(TyperCommand):
    """It has `--config` and `--print-config` beside its own options."""

    def __init__(self, name: str | None, *, params: list[TyperOption], **more: Any) -> None:
        config = TyperOption(
            param_decls=["--config"],
            metavar="FILE",
            type=str,
            is_eager=True,
            expose_value=False,
            callback=self._read,
            help="Read options from this TOML file: port = 9000.",
        )
        shown = TyperOption(
            param_decls=["--print-config"],
            is_flag=True,
            expose_value=False,
            callback=lambda context, option, value: context.meta.update({PRINT: value}),
            help="Print all options as such a file, and where each came from; start nothing.",
        )
        super().__init__(name, params=[*params, config, shown], **more)
        for option in (*params, config):
            option.envvar = variable(option)
            option.show_envvar = True  # where a value is wrong; see `format_help`

    @property
    def settings(self) -> dict[str, TyperOption]:
        """The options that can be set, by name."""
        options = [option for option in self.params if isinstance(option, TyperOption)]
        return {str(option.name): option for option in options if option.name not in (CONFIG, PRINT)}

    def invoke(self, ctx: Any) -> Any:
        if ctx.meta.get(PRINT):
            for name, option in self.settings.items():
                print(line_of(name, ctx.params[name], came_from(ctx, option)))
            return None
        for option in self.settings.values():
            os.environ.pop(variable(option), None)  # bots' processes inherit the rest, and no password
        return super().invoke(ctx)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Every variable is named as its option is, so it is said once."""
        for option in self.params:
            option.show_envvar = False  # type: ignore[attr-defined]
        super().format_help(ctx, formatter)

    def _read(self, context: typer.Context, option: object, file: str | None) -> None:
        if file:
            context.meta[CONFIG] = file
            context.default_map = read_settings(Path(file), self.settings, context)


def variable(option: TyperOption) -> str:
    """What it is called in the environment."""
    return f"{PREFIX}{str(option.name).upper()}"


def came_from(context: typer.Context, option: TyperOption) -> str:
    """The place that a person would look at to change it."""
    source = context.get_parameter_source(str(option.name))
    match source and source.name:
        case "COMMANDLINE":
            return "command line"
        case "ENVIRONMENT":
            return variable(option)
        case "DEFAULT_MAP":
            return str(context.meta[CONFIG])
    return "default"


def line_of(name: str, value: object, source: str) -> str:
    """A setting as a line of the file; one without a value, which TOML cannot say, as a comment."""
    if value is None:
        return f"# {name} is not given"
    return f"{name} = {as_toml(value)}  # {source}"


def as_toml(value: object) -> str:
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(as_toml, value))}]"
    if isinstance(value, bool | int):
        return json.dumps(value)
    return json.dumps(without_passwords(str(value)), ensure_ascii=False).replace("\x7f", "\\u007f")


def without_passwords(text: str) -> str:
    """Addresses of databases and mail servers hold some."""
    return PASSWORD.sub(lambda found: f"{found[1] or found[2]}***", text)


# The file


def read_settings(file: Path, options: dict[str, TyperOption], context: typer.Context) -> dict[str, object]:
    """What the file says, by the names of the options; `BadSettings` if it says anything that no option is or takes."""
    return {
        name: read_value(file, key, value, options[name], context)
        for key, value in read_toml(file).items()
        for name in [known_name(file, key, options)]
    }


def read_toml(file: Path) -> dict[str, object]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadSettings(
            f"The settings {str(file)!r} cannot be read: {error.strerror}. Give another --config."
        ) from error
    except ValueError as error:  # no TOML, or no text
        raise BadSettings(
            f"The settings {str(file)!r} are no TOML: {error}. Write lines such as port = 9000."
        ) from error


def known_name(file: Path, key: str, options: Collection[str]) -> str:
    name = key.replace("-", "_")
    if name not in options:
        raise BadSettings(f"{str(file)!r} sets {key!r}, which is no option.{did_you_mean(name, options)}")
    return name


def read_value(file: Path, key: str, value: object, option: TyperOption, context: typer.Context) -> object:
    kind = kind_of(option)
    if kind is list and isinstance(value, str):
        value = [value]
    texts = value if kind is list and isinstance(value, list) else [""]
    if type(value) is not kind or not all(isinstance(text, str) for text in texts):
        raise BadSettings(f"{str(file)!r} sets {key!r} to {as_written(value)}: give {KINDS[kind]}.")
    try:
        option.type_cast_value(context, value)
        check_further(str(option.name), value)
    except typer.BadParameter as error:
        raise BadSettings(f"{str(file)!r} sets {key!r} to {as_written(value)}: {error.message}") from error
    except SamovarError as error:
        raise BadSettings(f"{str(file)!r} sets {key!r} wrongly. {error}") from error
    return value


def check_further(name: str, value: Any) -> None:
    """What the command itself would find wrong, but without a word of the file."""
    if name in ("public_url", "proxy") and value:
        from samovar.web.serve import parse_proxies, parse_public_url

        (parse_public_url if name == "public_url" else parse_proxies)(value)


def kind_of(option: TyperOption) -> type:
    if option.multiple:
        return list
    if option.is_flag:
        return bool
    return int if option.type.name.startswith("int") else str


def as_written(value: object) -> str:
    return as_toml(value) if isinstance(value, str | int | bool) else repr(value)
