"""What a circle tells elsewhere, in the forms that Discord, Matrix, Slack and ntfy take.

Whatever people have typed is text there and nothing else: it calls nobody, and is no link of its own.
"""

from __future__ import annotations

from email.header import Header
from typing import NamedTuple
from urllib.parse import quote, urlsplit

import msgspec

from samovar.json_types import JsonObject
from samovar.web.notifications.outside import Forbidden
from samovar.web.notifications.words import Message

HOOK = "hook"  # the kind of such a channel
DISCORD, MATRIX, SLACK, NTFY = FORMS = ("discord", "matrix", "slack", "ntfy")
JSON = {"Content-Type": "application/json"}
LONGEST_CONTENT = 2000  # letters that Discord takes
LONGEST_TOKEN, LONGEST_ROOM = 500, 255


class Hook(msgspec.Struct, frozen=True, omit_defaults=True):
    """How an address is told; kept with its channel."""

    form: str
    room: str = ""  # of Matrix
    token: str = ""  # of Matrix, and of ntfy, if it wants one
    names: bool = False  # of people; the owner of the circle has said so


class HookRequest(NamedTuple):
    method: str
    url: str
    content: bytes
    headers: dict[str, str]


def check_hook(hook: Hook, url: str, *, allow_http: bool) -> None:
    """Its form; where the address leads is checked whenever something is sent."""
    if urlsplit(url).scheme != "https" and not allow_http:
        raise Forbidden("Give an address that begins with https://.")
    is_plain = all(text.isascii() and text.isprintable() and " " not in text for text in (hook.room, hook.token))
    if hook.form not in FORMS or not is_plain or len(hook.token) > LONGEST_TOKEN or len(hook.room) > LONGEST_ROOM:
        raise Forbidden("There is no such form, or room and token have odd characters in them.")
    if hook.form == MATRIX and not (hook.room.startswith("!") and hook.token):
        raise Forbidden("Matrix needs the id of a room, which begins with an exclamation mark, and a token.")


def request_of(hook: Hook, url: str, message: Message, link: str, number: str) -> HookRequest:
    """`number` names the message: a second one with the same number is the same message, where that is known."""
    said = f"{message.title}\n{message.text}\n{link}"
    if hook.form == DISCORD:
        return _json("POST", url, {"content": said[:LONGEST_CONTENT], "allowed_mentions": {"parse": []}})
    if hook.form == SLACK:
        return _json("POST", url, {"text": escaped(said)})
    if hook.form == MATRIX:
        room = f"{url.rstrip('/')}/_matrix/client/v3/rooms/{quote(hook.room, safe='')}"
        told = {"msgtype": "m.text", "body": said, "m.mentions": {}}
        request = _json("PUT", f"{room}/send/m.room.message/{number}", told)
        return request._replace(headers={**request.headers, **_bearer(hook)})
    heads = {"Content-Type": "text/plain; charset=utf-8", "Title": in_head(message.title), "Click": link}
    return HookRequest("POST", url, message.text.encode(), {**heads, "X-Sequence-ID": number, **_bearer(hook)})


def in_head(text: str) -> str:
    """A text as the head of a request can carry it: letters beyond ASCII as in those of e-mail, which ntfy reads,
    too."""
    return text if text.isascii() else Header(text, "utf-8", 10_000).encode()


def escaped(text: str) -> str:
    """For Slack, which reads `<!channel>` as a call to everybody."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _json(method: str, url: str, content: JsonObject) -> HookRequest:
    return HookRequest(method, url, msgspec.json.encode(content), dict(JSON))


def _bearer(hook: Hook) -> dict[str, str]:
    return {"Authorization": f"Bearer {hook.token}"} if hook.token else {}
