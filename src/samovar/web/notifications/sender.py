"""Sends a message on a channel, whichever it is."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
from base64 import urlsafe_b64encode
from typing import TYPE_CHECKING

import msgspec

from samovar.errors import SamovarError
from samovar.language.languages import translations
from samovar.web.notifications.channels import Channels, now_ms
from samovar.web.notifications.hooks import HOOK, NTFY, Hook, check_hook, request_of
from samovar.web.notifications.mail import MailServer
from samovar.web.notifications.outside import Outside
from samovar.web.notifications.push import PushSender, Subscription, close_message
from samovar.web.notifications.words import Message
from samovar.web.store.queries.outbox import Channel

if TYPE_CHECKING:
    from samovar.web.site import Site

SECONDS = 45.0  # for a mail, which may wait in several places


class NotDelivered(SamovarError):
    """Nobody took the message; `status` is what was answered, 0 if nothing was."""

    def __init__(self, status: int = 0) -> None:
        super().__init__(f"The message was not taken: {status or 'no answer'}.")
        self.status = status


class NotWanted(SamovarError):
    """The browser has let go of its subscription."""


class Sender:
    def __init__(self, site: Site, channels: Channels) -> None:
        self._secret, self._public_url, self._channels = site.secret, site.public_url, channels
        self.allows_private = site.call_private
        self.outside = Outside(allow_private=site.call_private)
        self.mail_server = MailServer(site.mail_server, site.mail_sender) if site.mail_server else None
        self.push_sender = PushSender(site.secret, contact_of(site))

    async def send(self, channel: Channel, message: Message, number: str) -> None:
        """`number` names the message: who gets it a second time, because we died when it had just
        been sent, can tell."""
        if channel.kind == "mail":
            await self._send_mail(channel, message, number)
            return
        status = await self._post(channel, message, number)
        if channel.kind == "push" and status in (404, 410):
            raise NotWanted(f"{channel.target} is gone.")
        if not 200 <= status < 300:
            raise NotDelivered(status)

    async def ask(self, channel: Channel) -> None:
        """Whether somebody wants mail: the only one that an address gets before it is confirmed."""
        _ = translations(channel.language).gettext
        text = _(
            "Somebody entered this address at Samovar, a site for board games, to get a letter when it is their turn. "
            "If that was you, say so here:"
        )
        ignored = _("If it was not you, do nothing: you will not get another letter.")
        subject = _("Samovar: may we write to you?")
        await self._mail(
            channel, subject, f"{text}\n\n{self._mail_page(channel)}\n\n{ignored}", f"ask-{channel.id}-{now_ms()}"
        )

    async def _send_mail(self, channel: Channel, message: Message, number: str) -> None:
        _ = translations(channel.language).gettext
        link = f"{self._address(channel)}{message.path}"
        ending = _("No more letters: %(link)s") % {"link": self._mail_page(channel)}
        await self._mail(channel, message.title, f"{message.text}\n\n{link}\n\n-- \n{ending}", number)

    async def _mail(self, channel: Channel, subject: str, text: str, number: str) -> None:
        if self.mail_server is None:
            raise NotDelivered
        try:
            async with asyncio.timeout(SECONDS):
                await self.mail_server.send(channel.target, subject, text, number)
        except (SamovarError, TimeoutError) as error:
            raise NotDelivered from error

    async def _post(self, channel: Channel, message: Message, number: str) -> int:
        try:
            if channel.kind == "push":
                return await self._push(channel, message)
            hook = msgspec.json.decode(channel.keys, type=Hook) if channel.kind == HOOK else Hook(NTFY)
            if channel.kind == HOOK:
                check_hook(hook, channel.target, allow_http=self.allows_private)
            link = f"{self._address(channel)}{message.path}"
            method, url, content, headers = request_of(hook, channel.target, message, link, number)
            return await self.outside.send(method, url, content, headers)
        except SamovarError as error:
            raise NotDelivered from error

    async def _push(self, channel: Channel, message: Message) -> int:
        subscription = Subscription(channel.target, **msgspec.json.decode(channel.keys))
        topic = self.topic(channel, message)
        content = {"title": message.title, "text": message.text, "address": message.path, "topic": topic}
        body = close_message(subscription, msgspec.json.encode(content))
        return await self.outside.send("POST", channel.target, body, self.push_sender.headers(subscription, topic))

    def topic(self, channel: Channel, message: Message) -> str:
        """For services that must not learn which table it is: its address is the way in."""
        name = hmac.new(self._secret, f"topic {channel.id} {message.topic}".encode(), hashlib.sha256).digest()
        return urlsafe_b64encode(name[:18]).decode()

    def _mail_page(self, channel: Channel) -> str:
        return f"{self._address(channel)}/me/calls/letter/{self._channels.key(channel)}"

    def _address(self, channel: Channel) -> str:
        return self._public_url or channel.address


def contact_of(site: Site) -> str:
    """Where push services find the owner of the site; they refuse messages without it."""
    if site.contact:
        return site.contact
    if site.mail_sender:
        return f"mailto:{site.mail_sender}"
    return site.public_url if site.public_url.startswith("https:") else "https://localhost"
