"""Requests to addresses that visitors have entered. Such an address may lead back into the
network of the site, by a name, a number or a redirect: so the connection itself is what is
checked, nothing is followed, and nothing of the answer is read but its status."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Mapping
from functools import cache
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from urllib.parse import urlsplit

import certifi
import h11

from samovar.errors import SamovarError

SECONDS = 10.0  # for a whole request
MOST_CONNECTIONS = 20
LONGEST_URL = 1000
CHUNK = 4096  # bytes of an answer
PORTS = {"http": 80, "https": 443}
NAT64 = IPv6Network("64:ff9b::/96")
GIVEN_OUT = IPv6Network("2000::/3")  # all others are for something else, such as ::10.0.0.1
EXAMPLES = IPv6Network("3fff::/20")  # which older Pythons do not know
PRIVATE_PORTS = range(1024)  # of other services than the web's, which would read a request as theirs


class Forbidden(SamovarError):
    """The address leads where visitors may not send anything."""


class NotReached(SamovarError):
    """Nobody answered there in time."""


class Outside:
    """`allow_private`: addresses in the site's own network as well, for owners who want that."""

    def __init__(self, *, allow_private: bool = False) -> None:
        self._allow_private = allow_private
        self._turns = asyncio.Semaphore(MOST_CONNECTIONS)

    def check(self, url: str) -> None:
        """The form of an address; where it leads is checked whenever something is sent."""
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError:
            raise Forbidden(f"{url!r} is no address: give one such as https://ntfy.example.org/my-topic.") from None
        if parts.scheme not in ("http", "https") or not parts.hostname or len(url) > LONGEST_URL:
            raise Forbidden(f"Give an address that begins with https:// and has at most {LONGEST_URL} characters.")
        if parts.username is not None or parts.password is not None:
            raise Forbidden("Give an address without a name and a password in it.")
        if not url.isascii() or not url.isprintable() or " " in url:
            raise Forbidden("Give an address without spaces and odd characters in it.")
        if port is not None and port not in PORTS.values() and port in PRIVATE_PORTS and not self._allow_private:
            raise Forbidden(f"Port {port} is not for the web: give another address.")

    async def check_target(self, url: str) -> None:
        """Where it leads to now, to tell whoever enters it at once."""
        self.check(url)
        parts = urlsplit(url)
        addresses = await addresses_of(str(parts.hostname), parts.port or PORTS[parts.scheme])
        if not self._allow_private and not all(map(is_public, addresses)):
            raise Forbidden(f"{parts.hostname} is an address inside a network.")

    async def send(self, method: str, url: str, content: bytes, headers: Mapping[str, str]) -> int:
        """The status of the answer."""
        self.check(url)
        try:
            async with self._turns, asyncio.timeout(SECONDS):
                return await self._send(method, url, content, headers)
        except (h11.ProtocolError, OSError, EOFError) as error:  # of time, too
            raise NotReached(f"{urlsplit(url).hostname} does not answer.") from error

    async def _send(self, method: str, url: str, content: bytes, headers: Mapping[str, str]) -> int:
        """The name is looked up once, and what was looked at is what is connected to: a name that says something else
        the second time helps nobody."""
        parts = urlsplit(url)
        host, port = str(parts.hostname), parts.port or PORTS[parts.scheme]
        addresses = await addresses_of(host, port)
        if not self._allow_private and not all(map(is_public, addresses)):
            raise Forbidden(f"{host} is an address inside a network. This site calls public addresses only.")
        is_encrypted = parts.scheme == "https"
        reader, writer = await asyncio.open_connection(
            str(addresses[0]),
            port,
            ssl=trusted() if is_encrypted else None,
            server_hostname=host if is_encrypted else None,
        )
        try:
            return await _exchange(reader, writer, request_to(method, url, content, headers), content)
        finally:
            writer.close()


@cache
def trusted() -> ssl.SSLContext:
    """What the system trusts, and where it trusts nobody, as some Pythons do, what browsers do."""
    context = ssl.create_default_context()
    context.load_verify_locations(certifi.where())
    return context


def request_to(method: str, url: str, content: bytes, headers: Mapping[str, str]) -> h11.Request:
    """Refuses what cannot stand in a head."""
    parts = urlsplit(url)
    target = f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path or "/"
    own = {"Host": parts.netloc, "Content-Length": str(len(content)), "Connection": "close"}
    return h11.Request(method=method, target=target, headers=[*own.items(), *headers.items()])


async def _exchange(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, request: h11.Request, content: bytes
) -> int:
    """The status of the answer; the rest of it is not read."""
    talk = h11.Connection(h11.CLIENT)
    for part in (request, h11.Data(data=content), h11.EndOfMessage()):
        writer.write(talk.send(part) or b"")
    await writer.drain()
    while True:
        event = talk.next_event()
        if isinstance(event, h11.Response):
            return int(event.status_code)
        if event is h11.NEED_DATA:
            talk.receive_data(await reader.read(CHUNK))


async def addresses_of(host: str, port: int) -> list[IPv4Address | IPv6Address]:
    try:
        lines = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise NotReached(f"There is no {host}.") from error
    return [ip_address(str(address[0]).partition("%")[0]) for *_, address in lines]


def is_public(address: IPv4Address | IPv6Address) -> bool:
    """Also of an address of one kind that is wrapped in the other."""
    if isinstance(address, IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour or (address.teredo and address.teredo[1])
        if inner:
            return is_public(inner)
        if address in NAT64:
            return is_public(IPv4Address(int(address) & 0xFFFFFFFF))
        if address not in GIVEN_OUT or address in EXAMPLES:
            return False
    return address.is_global and not address.is_multicast
