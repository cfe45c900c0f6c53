"""Carries a message on a way, whichever it is."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
from base64 import urlsafe_b64encode
from email.header import Header
from typing import TYPE_CHECKING

import msgspec

from samovar.errors import SamovarError
from samovar.language.languages import translations
from samovar.web.notifications.mail import MailServer
from samovar.web.notifications.outside import Outside
from samovar.web.notifications.push import Sender, Subscription, close_message
from samovar.web.notifications.ways import Ways, now_ms
from samovar.web.notifications.words import Notice
from samovar.web.store.outbox import Channel

if TYPE_CHECKING:
    from samovar.web.site import Site

SECONDS = 45.0  # for a letter, which may wait in several places


class NotDelivered(SamovarError):
    """Nobody took the message; `status` is what was answered, 0 if nothing was."""

    def __init__(self, status: int = 0) -> None:
        super().__init__(f"The message was not taken: {status or 'no answer'}.")
        self.status = status


class NotWanted(SamovarError):
    """The browser has let go of its subscription."""


class Postman:
    def __init__(self, site: Site, ways: Ways) -> None:
        self._secret, self._public_url, self._ways = site.secret, site.public_url, ways
        self.allows_private = site.call_private
        self.outside = Outside(allow_private=site.call_private)
        self.mail_server = MailServer(site.mail_server, site.mail_sender) if site.mail_server else None
        self.sender = Sender(site.secret, contact_of(site))

    async def close(self) -> None:
        await self.outside.close()

    async def send(self, way: Channel, notice: Notice, number: str) -> None:
        """`number` names the message: who gets it a second time, because we died when it had just
        been sent, can tell."""
        if way.kind == "mail":
            await self._send_letter(way, notice, number)
            return
        status = await self._post(way, notice, number)
        if way.kind == "push" and status in (404, 410):
            raise NotWanted(f"{way.target} is gone.")
        if not 200 <= status < 300:
            raise NotDelivered(status)

    async def ask(self, way: Channel) -> None:
        """Whether somebody wants letters: the only one that an address gets before it is confirmed."""
        _ = translations(way.language).gettext
        text = _(
            "Somebody entered this address at Samovar, a site for board games, to get a letter when it is their turn. "
            "If that was you, say so here:"
        )
        ignored = _("If it was not you, do nothing: you will not get another letter.")
        subject = _("Samovar: may we write to you?")
        await self._mail(way, subject, f"{text}\n\n{self._letter_page(way)}\n\n{ignored}", f"ask-{way.id}-{now_ms()}")

    async def _send_letter(self, way: Channel, notice: Notice, number: str) -> None:
        _ = translations(way.language).gettext
        link = f"{self._address(way)}{notice.path}"
        ending = _("No more letters: %(link)s") % {"link": self._letter_page(way)}
        await self._mail(way, notice.title, f"{notice.text}\n\n{link}\n\n-- \n{ending}", number)

    async def _mail(self, way: Channel, subject: str, text: str, number: str) -> None:
        if self.mail_server is None:
            raise NotDelivered
        try:
            async with asyncio.timeout(SECONDS):
                await self.mail_server.send(way.target, subject, text, number)
        except (SamovarError, TimeoutError) as error:
            raise NotDelivered from error

    async def _post(self, way: Channel, notice: Notice, number: str) -> int:
        try:
            if way.kind == "push":
                return await self._push(way, notice)
            # as ntfy knows them; with the same sequence number it shows one message
            headers = {
                "Content-Type": "text/plain; charset=utf-8",
                "Title": in_head(notice.title),
                "Click": f"{self._address(way)}{notice.path}",
                "X-Sequence-ID": number,
            }
            return await self.outside.post(way.target, notice.text.encode(), headers)
        except SamovarError as error:
            raise NotDelivered from error

    async def _push(self, way: Channel, notice: Notice) -> int:
        subscription = Subscription(way.target, **msgspec.json.decode(way.keys))
        topic = self.topic(way, notice)
        told = {"title": notice.title, "text": notice.text, "address": notice.path, "topic": topic}
        body = close_message(subscription, msgspec.json.encode(told))
        return await self.outside.post(way.target, body, self.sender.headers(subscription, topic))

    def topic(self, way: Channel, notice: Notice) -> str:
        """For services that must not learn which table it is: its address is the way in."""
        name = hmac.new(self._secret, f"topic {way.id} {notice.topic}".encode(), hashlib.sha256).digest()
        return urlsafe_b64encode(name[:18]).decode()

    def _letter_page(self, way: Channel) -> str:
        return f"{self._address(way)}/me/calls/letter/{self._ways.key(way)}"

    def _address(self, way: Channel) -> str:
        return self._public_url or way.address


def in_head(text: str) -> str:
    """A text as the head of a request can carry it: letters beyond ASCII as in those of e-mail, which
    ntfy reads, too."""
    return text if text.isascii() else Header(text, "utf-8", 10_000).encode()


def contact_of(site: Site) -> str:
    """Where push services find the owner of the site; they refuse messages without it."""
    if site.contact:
        return site.contact
    if site.mail_sender:
        return f"mailto:{site.mail_sender}"
    return site.public_url if site.public_url.startswith("https:") else "https://localhost"
