"""A scripted language model: the SDK's own client, asked for one tool after the other."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from mcp import Client, StdioServerParameters
from mcp_types import TextContent

from samovar.models.desk import ModelDesk
from samovar.models.server import make_server


class ScriptedModel:
    def __init__(self, client: Client) -> None:
        self.client = client

    async def ask(self, tool: str, **arguments: Any) -> str:
        """The answer of a tool that works."""
        answer = await self.client.call_tool(tool, arguments)
        text = "".join(part.text for part in answer.content if isinstance(part, TextContent))
        assert not answer.is_error, text
        return text

    async def refused(self, tool: str, **arguments: Any) -> str:
        """The sentence of a tool that does not."""
        answer = await self.client.call_tool(tool, arguments)
        text = "".join(part.text for part in answer.content if isinstance(part, TextContent))
        assert answer.is_error, text
        return text

    async def received(self, tool: str, **arguments: Any) -> str:
        """All that comes back, error or not, as one text."""
        answer = await self.client.call_tool(tool, arguments)
        return f"{answer.is_error} {answer.structured_content} {[part.model_dump_json() for part in answer.content]}"

    async def first_move(self, table: str = "1") -> str:
        """The text of the first legal move."""
        line = (await self.ask("moves", table=table)).splitlines()[1]
        return line.split(": ", 1)[1].split(" (")[0]

    async def play_on(self, table: str = "1") -> str:
        """The first legal move, again and again; the last answer."""
        answer = await self.ask("look", table=table)
        while "The game is over." not in answer:
            answer = await self.ask("play", table=table, move=await self.first_move(table))
        return answer


def with_model(
    script: Callable[[ScriptedModel], Awaitable[None]], server: ModelDesk | StdioServerParameters | None = None
) -> None:
    """Runs a script; `server` is a desk in this process, or a command."""

    async def run() -> None:
        is_command = isinstance(server, StdioServerParameters)
        async with Client(server if is_command else make_server(server or ModelDesk())) as client:  # type: ignore[arg-type]
            await script(ScriptedModel(client))

    asyncio.run(run())
