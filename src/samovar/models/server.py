"""`samovar mcp`: the tools of `desk.py`, offered by the Model Context Protocol. One process serves one model."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import wraps
from threading import Lock
from typing import ParamSpec, TypeVar

import mcp.server.mcpserver as sdk
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations

from samovar.engine.installed import own_version
from samovar.errors import SamovarError
from samovar.models.desk import ModelDesk

Asked = ParamSpec("Asked")
Answered = TypeVar("Answered")

INSTRUCTIONS = (
    "You play tabletop games. Call games to see which there are, rules to learn one, and sit_down to play against bots "
    "or join to play at a table of a site. Then call play, move by move, until the game is over. You are told what "
    "your player may know, and nothing else. Players are counted from 1."
)


def make_server(desk: ModelDesk) -> sdk.MCPServer[None]:
    @asynccontextmanager
    async def at_the_desk(_: sdk.MCPServer[None]) -> AsyncIterator[None]:
        try:
            yield
        finally:
            desk.close()

    server = sdk.MCPServer(
        "samovar",
        title="Samovar",
        instructions=INSTRUCTIONS,
        version=own_version(),
        log_level="WARNING",
        lifespan=at_the_desk,
    )
    one_at_a_time = Lock()  # the SDK runs each call in a thread of its own, and a table is for one at a time

    def answering(function: Callable[Asked, Answered]) -> Callable[Asked, Answered]:
        """Errors that the model can mend are told to it; nothing else is."""

        @wraps(function)
        def tool(*arguments: Asked.args, **named: Asked.kwargs) -> Answered:
            try:
                with one_at_a_time:
                    return function(*arguments, **named)
            except SamovarError as error:
                raise ToolError(str(error)) from error

        return tool

    @answering
    @wraps(desk.picture)
    def picture(table: str) -> sdk.Image:
        return sdk.Image(data=desk.picture(table), format="png")

    readers = (desk.games, desk.rules, desk.look, desk.moves, desk.wait, desk.record, desk.review)
    for reader in readers:
        server.add_tool(answering(reader), annotations=ToolAnnotations(read_only_hint=True), structured_output=False)
    server.add_tool(picture, annotations=ToolAnnotations(read_only_hint=True), structured_output=False)
    for deed in (desk.sit_down, desk.join, desk.play, desk.say, desk.leave):
        server.add_tool(answering(deed), structured_output=False)
    return server


def serve_model() -> None:
    """Over standard input and output, until the input ends."""
    if sys.stdin.isatty():
        print(
            "A language model's program starts this command: see docs/language-models.md. Ctrl+C ends it.",
            file=sys.stderr,
        )
    make_server(ModelDesk()).run()
