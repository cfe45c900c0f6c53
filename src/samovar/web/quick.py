"""The short way of a move. Two thirds of its time went into the framework around it, so a move of a program goes round it.

This is for moves that succeed, nothing else: whatever is unusual or wrong goes the usual way (`api.move`) and is answered there. A refused
move has changed nothing, so it does no harm to try it twice.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
from litestar import Litestar

from samovar.web import api, messages

MOVES = re.compile(r"/api/tables/([\w-]+)/moves")
BEARER = b"Bearer "
JSON = [(b"content-type", b"application/json")]
decode = msgspec.json.Decoder(messages.NewMove).decode
encode = msgspec.json.Encoder().encode
Message = dict[str, Any]  # of ASGI


class QuickApp(Litestar):
    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http" and scope["method"] == "POST" and (found := MOVES.fullmatch(scope["path"])):
            message = await receive()
            answer = await self._move(scope, found[1], message)
            if answer is not None:
                await self._send(scope, send, answer)
                return
            receive = first(message, receive)
        await super().__call__(scope, receive, send)

    async def _send(self, scope: Any, send: Any, answer: bytes) -> None:
        start: Any = {"type": "http.response.start", "status": 200, "headers": [*JSON, (b"content-length", str(len(answer)).encode())]}
        for hook in self.before_send:  # what every answer of the site carries
            await hook(start, scope)
        await send(start)
        await send({"type": "http.response.body", "body": answer, "more_body": False})

    async def _move(self, scope: Message, table_id: str, message: Message) -> bytes | None:
        """The answer to a move that was made; None: it was not."""
        token = next((value for name, value in scope["headers"] if name == b"authorization"), b"")
        if not token.startswith(BEARER) or message.get("more_body"):
            return None
        try:
            data = decode(message["body"])
            return encode(await api.make_move(self.state.house, table_id, token[len(BEARER) :].decode(), data))
        except Exception:  # the usual way finds the same again, and tells
            return None


def first(message: Message, receive: Callable[[], Awaitable[Message]]) -> Callable[[], Awaitable[Message]]:
    """`receive`, with a message put back."""
    waiting = [message]

    async def receive_again() -> Message:
        return waiting.pop() if waiting else await receive()

    return receive_again
