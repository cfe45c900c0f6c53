"""A small client of the site's API, with nothing but the standard library; docs/api.md shows how to
use it.

    client = Client("http://localhost:8080")
    table = client.make_table("babuschka", chairs=["token", "hard"])
    seat = table.seats[0]
    for look in seat.events():
        if look["status"] == "over":
            break
        if look["legal"]:
            seat.play(look["legal"][0]["move"])
    record = table.record()

What comes back is JSON as docs/api.md and `/api/docs` describe it. Any thread may use a client; a
seat is for one thread at a time.
"""

from __future__ import annotations

import json
import os
import re
import select
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import Any
from urllib.parse import quote, urlsplit

from samovar.errors import SamovarError

JsonAnswer = dict[str, Any]
Looks = Generator[JsonAnswer, None, None]
Value = bool | int | str | None

ANSWER_SECONDS = 30.0  # a server that is slower is taken for unreachable
SILENT_SECONDS = 45.0  # a stream shows that it is alive every 15 seconds
IDLE_SECONDS = 3.0  # a connection that was idle for longer may have been closed by the server: better a new one
PATIENCE_SECONDS = 60.0  # how long a stream tries to connect again
PAUSE_SECONDS = (0.1, 5.0)  # between two tries: the first, and the longest
REVISION = "ply"  # its old name: sites of this version say both, those of the version before only this one
REVIEW_PAUSE = 1.0  # seconds between two questions how far a review is


class ServerError(SamovarError):
    """The server refused a request. `status` and `kind` are those of its answer: 409 and
    "MovedOn"."""

    def __init__(self, detail: str, status: int = 0, kind: str = "") -> None:
        super().__init__(detail)
        self.status = status
        self.kind = kind


class Unreachable(ServerError):
    """There was no answer. Whether a move was made is not known: look."""


class BadRequest(ServerError):
    """400, 413, 422: something in the request cannot be so. An illegal move is one, too."""


class NotAllowed(ServerError):
    """401, 403: no token, or the wrong one."""


class NotFound(ServerError):
    """404, 410: there is no such table."""


class Conflict(ServerError):
    """409: the table is not as you thought. Somebody else has moved, or it is not your turn."""


class TooMany(ServerError):
    """429: too many requests in a short time."""


KINDS: dict[int, type[ServerError]] = {
    400: BadRequest,
    401: NotAllowed,
    403: NotAllowed,
    404: NotFound,
    409: Conflict,
    410: NotFound,
    413: BadRequest,
    422: BadRequest,
    429: TooMany,
}


class Client:
    """The site at an address, `http://localhost:8080`."""

    def __init__(self, url: str, *, patience: float = PATIENCE_SECONDS, member: str = "") -> None:
        """`member`: the key by which programs come in to a site for invited people, from one's own page there. Default:
        SAMOVAR_MEMBER."""
        # Connections between two requests, and when each was used. With a new one for each request
        # there are 0.8 times as many moves a second, with httpx 0.7 times.
        self._idle: list[tuple[HTTPConnection, float]] = []
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ServerError(f"{url!r} is not the address of a site. Write it like http://localhost:8080.")
        self._base = parts.path.rstrip("/")  # a site need not be all that a host has
        self.url = f"{parts.scheme}://{parts.netloc}{self._base}"
        self.patience = patience
        self._member = member or os.environ.get("SAMOVAR_MEMBER", "")
        self._scheme, self._host, self._port = parts.scheme, parts.hostname, parts.port

    def close(self) -> None:
        """Closes what is open; it may be used again."""
        while self._idle:
            self._idle.pop()[0].close()

    def __del__(self) -> None:
        self.close()

    def games(self) -> list[JsonAnswer]:
        """The games of the site, with their options and what an observation means."""
        games: list[JsonAnswer] = self.ask("GET", "/api/games")
        return games

    def open_tables(self) -> list[JsonAnswer]:
        """The tables that anybody may join or watch."""
        tables: list[JsonAnswer] = self.ask("GET", "/api/tables")
        return tables

    def make_table(
        self, game: str, *, chairs: Sequence[str] = (), options: Mapping[str, Value] | None = None, **more: Value
    ) -> Table:
        """A new table. `chairs`, by seat: "token" (to be played here), "free" (for people), or a
        bot's level. `more`: seats, name, is_open, hints, memory_aid, is_rated, time,
        one_move."""
        if chairs:
            more.setdefault("seats", len(chairs))
        wanted = {"game": game, "chairs": list(chairs), "options": dict(options or {}), **more}
        answer: JsonAnswer = self.ask("POST", "/api/tables", wanted)
        table = Table(self, answer["table"])
        table.seats = [token and Seat(table, number, token) for number, token in enumerate(answer["tokens"])]
        return table

    def table(self, table_id: str) -> Table:
        """A table that is there already."""
        return Table(self, table_id)

    def ask(self, method: str, path: str, body: JsonAnswer | None = None, token: str = "") -> Any:
        """One request and its answer; a `ServerError` says what was wrong."""
        connection = self._idle_connection() or self._connect(ANSWER_SECONDS)
        try:
            answer = self._send(connection, method, path, body, token)
            content = answer.read()
        except (OSError, HTTPException) as error:
            connection.close()
            raise self._unreachable(error) from error
        self._idle.append((connection, time.monotonic()))
        return read(answer.status, content)

    def lines(self, path: str, token: str = "") -> Looks:
        """The lines of a stream, until it breaks."""
        connection = self._connect(SILENT_SECONDS)
        try:
            answer = self._send(connection, "GET", path, None, token)
            if answer.status != 200:
                read(answer.status, answer.read())
            while line := answer.readline():
                if line.strip():
                    yield json.loads(line)
        except (OSError, HTTPException) as error:
            raise self._unreachable(error) from error
        finally:
            connection.close()

    def _send(
        self, connection: HTTPConnection, method: str, path: str, body: JsonAnswer | None, token: str
    ) -> HTTPResponse:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        if self._member:
            headers["X-Samovar-Member"] = self._member
        content = None
        if method == "POST":
            headers["Content-Type"] = "application/json"
            content = json.dumps(body or {}).encode()
        connection.request(method, f"{self._base}{path}", content, headers)
        return connection.getresponse()

    def _idle_connection(self) -> HTTPConnection | None:
        """One that was used a moment ago and that the server has not closed; the others are."""
        while self._idle:
            connection, used = self._idle.pop()
            if time.monotonic() - used < IDLE_SECONDS and not is_dropped(connection):
                return connection
            connection.close()
        return None

    def _connect(self, seconds: float) -> HTTPConnection:
        kind = HTTPSConnection if self._scheme == "https" else HTTPConnection
        return kind(self._host, self._port, timeout=seconds)

    def _unreachable(self, error: Exception) -> Unreachable:
        return Unreachable(
            f"{self.url} does not answer ({error or type(error).__name__}). Is the site running there?",
            0,
            "Unreachable",
        )


def is_dropped(connection: HTTPConnection) -> bool:
    """Nobody speaks on an idle connection: if there is something to read, it is its end. A
    restarted server leaves such connections behind."""
    return connection.sock is None or bool(select.select([connection.sock], [], [], 0)[0])


def read(status: int, content: bytes) -> Any:
    """What an answer says, or raises the error that it tells of."""
    try:
        answer = json.loads(content)
    except ValueError:
        answer = {"detail": f"The server answered {status} and no JSON. Is this the address of a Samovar site?"}
        status = status if status >= 400 else 502
    if status < 300:
        return answer
    raise KINDS.get(status, ServerError)(answer.get("detail", ""), status, answer.get("error", ""))


class Table:
    """A table of the site. `seats`: those that are played here, by number."""

    def __init__(self, client: Client, table_id: str) -> None:
        self.client = client
        self.id = table_id
        self.seats: list[Seat | None] = []
        self._path = f"/api/tables/{quote(table_id, safe='')}"

    @classmethod
    def at(cls, url: str) -> Table:
        """The table whose page has this address: `http://localhost:8080/table/ID`."""
        address = re.fullmatch(r"(https?://[^/?#]+(?:/[^?#]+)??)/table/([\w-]+)/?(?:[?#].*)?", url.strip())
        if not address:
            raise ServerError(
                f"{url!r} is not the address of a table. Copy it from the page of the table: "
                "http://localhost:8080/table/ID."
            )
        return cls(Client(address[1]), address[2])

    @property
    def page(self) -> str:
        """Its page, for people: the invitation to a free chair."""
        return f"{self.client.url}/table/{self.id}"

    def sit(self, name: str, seat: int | None = None) -> Seat:
        """Takes a free chair."""
        sat = self.ask("POST", "/seats", {"name": name, "seat": seat})
        return Seat(self, sat["seat"], sat["token"])

    def look(self) -> JsonAnswer:
        """What a spectator sees."""
        return self.ask("GET", "")

    def events(self) -> Looks:
        """What a spectator sees, now and whenever it changes."""
        return self.follow("")

    def record(self) -> JsonAnswer:
        """The match as a record, a dict that `json.dumps` can write, once it is over."""
        return self.ask("GET", "/record")

    def review(self, language: str = "en") -> JsonAnswer:
        """What the match turned on, once it is over; it takes some seconds."""
        while (found := self.ask("GET", f"/review?language={language}"))["done"] < 1:
            time.sleep(REVIEW_PAUSE)
        return found

    def ask(self, method: str, path: str, body: JsonAnswer | None = None, token: str = "") -> JsonAnswer:
        """One request about this table: see `Client.ask`."""
        answer: JsonAnswer = self.client.ask(method, f"{self._path}{path}", body, token)
        return answer

    def follow(self, token: str) -> Looks:
        """Looks, whole ones. A stream that breaks is taken up again, with a new look at first; when
        the server is gone for too long, it fails."""
        pause, lost = PAUSE_SECONDS[0], 0.0
        while True:
            try:
                # Closed by hand, here and wherever a stream is left: Python drops an interruption
                # that falls into the clean-up of a forgotten one.
                with closing(self.client.lines(f"{self._path}/events", token)) as lines:
                    for look in lines:
                        pause, lost = PAUSE_SECONDS[0], 0.0
                        yield look
            except ServerError as error:
                lost = lost or time.monotonic()
                if 0 < error.status < 500 or time.monotonic() - lost > self.client.patience:
                    raise
            time.sleep(pause)
            pause = min(2 * pause, PAUSE_SECONDS[1])


class Seat:
    """A chair that is played here, with its token."""

    def __init__(self, table: Table, number: int, token: str) -> None:
        self.table = table
        self.number = number
        self.token = token
        self._revision: int | None = None  # of what was last seen here

    @classmethod
    def of(cls, table: Table, token: str) -> Seat:
        """The seat of a token that was kept."""
        seat = cls(table, -1, token)
        seat.number = seat.look()["seat"]
        return seat

    def look(self) -> JsonAnswer:
        """What the seat sees, with its legal moves."""
        return self._seen(self._ask("GET", ""))

    def legal(self) -> list[JsonAnswer]:
        """Its moves: number, text, and in words."""
        moves: list[JsonAnswer] = self._seen(self._ask("GET", "/moves"))["legal"]
        return moves

    def play(self, move: int | str, revision: int | None = None, *, ply: int | None = None) -> JsonAnswer:
        """A move, by number or text, chosen from what was last seen here (or at `revision`, which was called `ply`
        until now). It is committed when this returns."""
        chosen_at = ply if revision is None else revision
        if chosen_at is None:
            chosen_at = self.look()[REVISION] if self._revision is None else self._revision
        return self._seen(self._ask("POST", "/moves", {"move": move, REVISION: chosen_at}))

    def events(self) -> Looks:
        """What the seat sees, now and whenever it changes; what was overtaken by a move of its own
        is left out."""
        with closing(self.table.follow(self.token)) as looks:
            for look in looks:
                if look[REVISION] >= (self._revision or 0):
                    yield self._seen(look)

    def wait(self) -> JsonAnswer:
        """Until the seat may act, or the match is over: what it sees then."""
        with closing(self.events()) as looks:
            return next(look for look in looks if look["legal"] or look["status"] == "over")

    def say(self, text: str) -> None:
        """Something to all at the table."""
        self._ask("POST", "/talk", {"text": text})

    def hand_over(self, level: str = "medium") -> None:
        """A bot plays from here on, until `come_back`."""
        self._ask("POST", "/hand-over", {"level": level})

    def come_back(self) -> None:
        """Takes the chair back from a bot."""
        self._ask("POST", "/come-back")

    def rename(self, name: str) -> str:
        """What the seat is called from now on: another's name gets a number."""
        return str(self._ask("POST", "/name", {"name": name})["name"])

    def leave(self) -> None:
        """For good: the chair is free, or a bot's once the match has begun."""
        self._ask("POST", "/leave")

    def resign(self) -> None:
        """Gives the match up, and takes the last place."""
        self._ask("POST", "/resign")

    def mute(self, whom: int, is_muted: bool = True) -> None:
        """You read no remarks of another seat any more, or read them again; nobody is told."""
        self._ask("POST", "/mute", {"whom": whom, "is_muted": is_muted})

    def cancel(self) -> None:
        """The table, before its match begins, if this chair was taken first."""
        self._ask("POST", "/cancel")

    def answer(self, agrees: bool) -> None:
        """To somebody who asks to take moves back: see `asking` in a look."""
        self._ask("POST", "/answer", {"agrees": agrees})

    def pause(self, is_wanted: bool = True) -> None:
        """Agrees on a pause or asks for one; or wants none, and ends it: see `pause` in a look."""
        self._ask("POST", "/pause", {"is_wanted": is_wanted})

    def again(self) -> Seat:
        """The same seat at a new table with the same people, once the match is over."""
        return self.at_next(self._ask("POST", "/again"))

    def at_next(self, again: JsonAnswer) -> Seat:
        """The same seat at the next table, as a look tells of it (`again`)."""
        if again["token"] is None:
            raise NotAllowed("This chair is held by somebody else at the next table, or its token was renewed there.")
        return Seat(Table(self.table.client, again["table"]), again["seat"], again["token"])

    def _ask(self, method: str, path: str, body: JsonAnswer | None = None) -> JsonAnswer:
        return self.table.ask(method, path, body, self.token)

    def _seen(self, look: JsonAnswer) -> JsonAnswer:
        self._revision = look[REVISION]
        return look
