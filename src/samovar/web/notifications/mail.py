"""E-mail, through the mail server that the site's owner names."""

from __future__ import annotations

import asyncio
import re
import smtplib
import ssl
from dataclasses import dataclass
from email.message import EmailMessage
from email.utils import formatdate
from urllib.parse import unquote, urlsplit

from samovar.errors import SamovarError
from samovar.web.notifications.outside import NotReached

SECONDS = 20.0
PORTS = {"smtp": 587, "smtps": 465}
LOOPBACK = ("localhost", "127.0.0.1", "::1")
# One plain address. What is allowed beyond that is not needed, and would be read in another way by
# some server.
ADDRESS = re.compile(r"[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(\.[A-Za-z0-9-]{1,63}){1,8}")


class BadMail(SamovarError):
    """No address, or no mail server."""


def check_address(text: str) -> str:
    address = text.strip()
    if not ADDRESS.fullmatch(address) or len(address) > 200:
        raise BadMail(f"{text!r} is no e-mail address: give one such as anna@example.org.")
    return address


@dataclass(frozen=True)
class MailServer:
    """`smtp://NAME:PASSWORD@HOST:PORT` (encrypted as soon as the server offers it) or `smtps://`
    (from the beginning)."""

    url: str
    sender: str

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)
        if parts.scheme not in PORTS or not parts.hostname:
            raise BadMail("Give the mail server as smtp://NAME:PASSWORD@HOST, or smtps://.")
        check_address(self.sender)

    async def send(self, address: str, subject: str, text: str, number: str) -> None:
        """`number` names the message: a second one with the same number is the same message."""
        message = EmailMessage()
        message["From"] = f"Samovar <{self.sender}>"
        message["To"] = address
        message["Subject"] = subject
        message["Date"] = formatdate()
        message["Message-ID"] = f"<{number}@{self.sender.rpartition('@')[2]}>"
        message["Auto-Submitted"] = "auto-generated"
        message.set_content(text)
        try:
            await asyncio.to_thread(self._send, message)
        except (OSError, smtplib.SMTPException) as error:
            raise NotReached(f"The mail server does not take the message: {error}") from error

    def _send(self, message: EmailMessage) -> None:
        parts = urlsplit(self.url)
        host, port = str(parts.hostname), parts.port or PORTS[parts.scheme]
        context = ssl.create_default_context()
        with (
            smtplib.SMTP_SSL(host, port, timeout=SECONDS, context=context)
            if parts.scheme == "smtps"
            else smtplib.SMTP(host, port, timeout=SECONDS) as server
        ):
            server.ehlo()
            if parts.scheme == "smtp" and server.has_extn("starttls"):
                server.starttls(context=context)
            elif parts.scheme == "smtp" and parts.username and host not in LOOPBACK:
                raise smtplib.SMTPException("it offers no encryption, and a password would be read on the way")
            if parts.username:
                server.login(unquote(parts.username), unquote(parts.password or ""))
            server.send_message(message)
