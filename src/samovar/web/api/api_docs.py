"""The description of `api.py`: an OpenAPI schema for tools, and a page of our own for people, made
from it. Nothing comes from other hosts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from litestar.openapi import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin, OpenAPIRenderPlugin
from litestar.openapi.spec import Components, SecurityScheme, Server
from msgspec import UNSET

from samovar.web.api import messages
from samovar.web.base_path import base_path
from samovar.web.game_list import all_games
from samovar.web.tables.actions import ACTIONS
from samovar.web.visit import AnyRequest, Visit

PATH = "/api/docs"
METHODS = ("get", "post")
Schema = dict[str, Any]  # a part of an OpenAPI schema: JSON


@dataclass(frozen=True)
class Field:
    name: str
    kind: str
    is_needed: bool
    help: str


@dataclass(frozen=True)
class Operation:
    method: str
    path: str
    summary: str
    help: str
    needs_token: str  # "yes", "no" or "perhaps"
    asks: list[Field]  # after the ? of the address
    sends: list[Field]
    example: str
    gets: list[Field]
    wrong: list[tuple[str, str, str]]  # status, kind, sentence


class Page(OpenAPIRenderPlugin):
    def __init__(self) -> None:
        super().__init__(path="/")

    def render(self, request: AnyRequest, openapi_schema: Schema) -> bytes:
        visit = Visit(request)
        described = list(operations(exact(openapi_schema)))
        return visit.page("api.html", operations=described, host=visit.address).content.encode()


class JsonSchema(JsonRenderPlugin):
    def render(self, request: AnyRequest, openapi_schema: Schema) -> bytes:
        return super().render(request, exact(openapi_schema))


def make_config() -> OpenAPIConfig:
    return OpenAPIConfig(
        "Samovar",
        "1",
        path=PATH,
        servers=[Server(url=base_path() or "/")],
        description="Tables for programs. Bodies are JSON. Every answer that is not 2xx is an `Error`; nothing has "
        "changed then. "
        "Any request can be answered 400 (`BadJson`), 422 (`BadField`), 413 (`TooLarge`), 429 (`TooMany`) or 503 "
        "(`Busy`: try again).",
        use_handler_docstrings=True,
        render_plugins=[Page(), JsonSchema()],
        components=Components(
            security_schemes={"token": SecurityScheme(type="http", scheme="bearer", description="The token of a seat.")}
        ),
    )


def exact(schema: Schema) -> Schema:
    """With what only the site knows: which games it has, and that no message takes a word that is not its own."""
    bodies = {message.__name__ for message in (*messages.RequestBody.__subclasses__(), *ACTIONS)}
    parts: Schema = schema["components"]["schemas"]
    known = {name: {**part, "additionalProperties": False} if name in bodies else part for name, part in parts.items()}
    asked = known["NewTable"]["properties"]
    seats = [count for game in all_games() for count in game.seats]
    changed = {
        "game": {**asked["game"], "enum": [game.id for game in all_games()]},
        "seats": {**asked["seats"], "minimum": min(seats), "maximum": max(seats)},
        "chairs": {**asked["chairs"], "maxItems": max(seats)},
    }
    known["NewTable"]["properties"] = {**asked, **changed}
    fields = known["Settings"]["properties"]  # a value that is left out has none to show
    shown = {name: {key: fact for key, fact in told.items() if fact is not UNSET} for name, told in fields.items()}
    known["Settings"] = {**known["Settings"], "properties": shown}
    known["NewMove"]["anyOf"] = [{"required": [name]} for name in ("revision", "ply")]
    return {**schema, "components": {**schema["components"], "schemas": known}}


def operations(schema: Schema) -> Iterator[Operation]:
    """All that can be asked, in the order of the schema."""
    for path, item in schema["paths"].items():
        for method in METHODS:
            if method in item:
                yield operation(schema, method.upper(), path, item[method])


def operation(schema: Schema, method: str, path: str, part: Schema) -> Operation:
    answers: dict[str, Schema] = {status: answer.get("content", {}) for status, answer in part["responses"].items()}
    good = next(content for status, content in answers.items() if status.startswith("2"))
    body = schema_in(part.get("requestBody", {}).get("content", {}))
    security = part.get("security", [])
    return Operation(
        method=method,
        path=path,
        summary=part["summary"],
        help=part.get("description", ""),
        needs_token="no" if not security else "perhaps" if {} in security else "yes",
        asks=[asked(one) for one in part.get("parameters", []) if one["in"] == "query"],
        sends=fields(schema, body),
        example=example_of(schema, body),
        gets=fields(schema, schema_in(good)),
        wrong=list(wrong(answers)),
    )


def schema_in(content: Schema) -> Schema:
    """Whatever its media type."""
    kinds: list[Schema] = [*content.values(), {}]
    part: Schema = kinds[0].get("schema", {})
    return part


def asked(part: Schema) -> Field:
    return Field(part["name"], kind_of(part["schema"]), part["required"], part.get("description", ""))


def wrong(answers: dict[str, Schema]) -> Iterator[tuple[str, str, str]]:
    for status, content in sorted(answers.items()):
        for example in content.get("application/json", {}).get("examples", {}).values() if status >= "4" else ():
            yield status, example["value"]["error"], example["value"]["detail"]


def resolved(schema: Schema, part: Schema) -> Schema:
    """What a reference stands for, of a list what is in it."""
    if "allOf" in part:
        return resolved(schema, part["allOf"][0])
    if "$ref" in part:
        return resolved(schema, schema["components"]["schemas"][part["$ref"].rpartition("/")[2]])
    return resolved(schema, part["items"]) if part.get("type") == "array" else part


def fields(schema: Schema, part: Schema) -> list[Field]:
    whole = resolved(schema, part)
    needed = whole.get("required", [])
    return [
        Field(name, kind_of(one), name in needed, one.get("description", ""))
        for name, one in whole.get("properties", {}).items()
    ]


def example_of(schema: Schema, part: Schema) -> str:
    examples = part.get("examples") or resolved(schema, part).get("examples") or []
    values = list(examples.values()) if isinstance(examples, dict) else examples
    value = values[0] if values else None
    return json.dumps(value.get("value", value) if isinstance(value, dict) else value) if values else ""


def kind_of(part: Schema) -> str:
    """A type in a word or two."""
    if "allOf" in part:
        return kind_of(part["allOf"][0])
    if "$ref" in part:
        return str(part["$ref"].rpartition("/")[2].rpartition("_")[2])
    if choices := part.get("oneOf") or part.get("anyOf"):
        return " or ".join(dict.fromkeys(map(kind_of, choices)))
    if "enum" in part:
        return ", ".join(map(str, part["enum"]))
    kind = part.get("type", "anything")
    name = " or ".join(kind) if isinstance(kind, list) else str(kind)
    return f"list of {kind_of(part['items'])}" if name == "array" and part.get("items") else name
