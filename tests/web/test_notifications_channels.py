"""The channels to somebody, each with a real receiver at the other end."""

from __future__ import annotations

import asyncio
import base64
import json
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address

import http_ece
import pytest
from aiosmtpd.controller import Controller
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

from samovar.web.notifications import outside
from samovar.web.notifications.mail import BadMail, MailServer, check_address
from samovar.web.notifications.outside import Forbidden, NotReached, Outside, is_public
from samovar.web.notifications.push import CURVE, BadSubscription, PushSender, Subscription, close_message
from support.receivers import Browser, encoded


def decoded(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


# Push


def test_the_example_of_the_standard_comes_out_byte_for_byte():
    """RFC 8291, appendix A."""
    subscription = Subscription(
        "https://push.example.net/push/JzLQ3raZJfFBR0aqvOMsLrt54w4rJUsV",
        "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
        "BTBZMqHH6r4Tts7J_aSIgg",
    )
    key = ec.derive_private_key(int.from_bytes(decoded("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw")), CURVE)
    text = b"When I grow up, I want to be a watermelon"
    body = close_message(subscription, text, key=key, salt=decoded("DGv6ra1nlYgDCS1FRnbzlw"), padded_to=1)
    assert encoded(body) == (
        "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl"
        "7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
    )


def test_the_browser_alone_reads_a_message_and_its_length_says_nothing():
    browser, other = Browser(), Browser()
    short, long = (close_message(browser.subscription, content) for content in (b"a", b"a" * 200))
    assert browser.read(short) == b"a"
    assert browser.read(long) == b"a" * 200
    assert len(short) == len(long)
    with pytest.raises(http_ece.ECEException):
        other.read(short)


def test_a_message_is_signed_by_the_site_for_that_service():
    subscription, push_sender = Browser().subscription, PushSender(b"s" * 32, "https://games.example.org")
    headers = push_sender.headers(subscription, "abc", now=1000.0)
    token, _, key = headers["Authorization"].removeprefix("vapid t=").partition(", k=")
    head, claims, signature = token.split(".")
    assert json.loads(decoded(claims)) == {
        "aud": "https://push.example.net",
        "exp": 1000 + 12 * 3600,
        "sub": "https://games.example.org",
    }
    raw = decoded(signature)
    theirs = encode_dss_signature(int.from_bytes(raw[:32]), int.from_bytes(raw[32:]))
    public = ec.EllipticCurvePublicKey.from_encoded_point(CURVE, decoded(key))
    public.verify(theirs, f"{head}.{claims}".encode(), ec.ECDSA(hashes.SHA256()))
    assert PushSender(b"s" * 32, "").public_key == key  # the same after a restart
    assert PushSender(b"t" * 32, "").public_key != key


@pytest.mark.parametrize(
    "change",
    [
        {"p256dh": ""},
        {"p256dh": "BCVxsr7N"},
        {"p256dh": "B" + "A" * 86},  # not on the curve
        {"p256dh": "ä"},
        {"auth": "AAAA"},
        {"auth": "*" * 22},
        {"endpoint": "http://push.example.net/abc"},
        {"endpoint": "https://push.example.net/" + "a" * 1000},
        {"endpoint": "file:///etc/passwd"},
    ],
)
def test_what_is_no_subscription_is_refused(change):
    good = Browser().subscription
    good.check()
    fields = {"endpoint": good.endpoint, "p256dh": good.p256dh, "auth": good.auth}
    with pytest.raises(BadSubscription):
        Subscription(**{**fields, **change}).check()


# Addresses that visitors enter


class Receiver(BaseHTTPRequestHandler):
    """Keeps what it is sent; answers as the path says."""

    def do_POST(self):
        content = self.rfile.read(int(self.headers["content-length"]))
        self.server.heard.append((self.path, dict(self.headers), content))
        if self.path == "/hangs":
            self.server.may_go.wait(30)
        self.send_response(302 if self.path == "/elsewhere" else 200)
        self.send_header("location", f"http://127.0.0.1:{self.server.server_port}/inside")
        self.end_headers()
        if self.path == "/endless":
            while not self.server.may_go.is_set():
                self.wfile.write(b"x" * 65536)

    def log_message(self, *arguments):
        pass


@pytest.fixture
def receiver():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    server.heard, server.may_go = [], threading.Event()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.may_go.set()
    server.shutdown()
    thread.join()
    server.server_close()


def post(url, *, allow_private=True, content=b"it is your turn"):
    return asyncio.run(Outside(allow_private=allow_private).send("POST", url, content, {"Content-Type": "text/plain"}))


def test_a_message_arrives_as_it_was_sent(receiver):
    assert post(f"http://127.0.0.1:{receiver.server_port}/topic") == 200
    [(path, headers, content)] = receiver.heard
    assert (path, headers["Content-Type"], content) == ("/topic", "text/plain", b"it is your turn")


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "2130706433", "0x7f.1", "0.0.0.0"])
def test_nothing_is_sent_into_the_network_of_the_site(receiver, host):
    with pytest.raises((Forbidden, NotReached)):
        post(f"http://{host}:{receiver.server_port}/topic", allow_private=False)
    assert receiver.heard == []


def test_a_name_that_leads_inside_is_found_out_when_it_is_connected_to(receiver, monkeypatch):
    """Also one that has led elsewhere when it was entered."""

    async def inside(host, port):
        return [ip_address("93.184.216.34"), ip_address("127.0.0.1")]

    monkeypatch.setattr(outside, "addresses_of", inside)
    with pytest.raises(Forbidden):
        post(f"http://games.example.org:{receiver.server_port}/topic", allow_private=False)
    assert receiver.heard == []


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("93.184.216.34", True),
        ("2606:2800:220:1::1", True),
        ("10.0.0.1", False),
        ("169.254.169.254", False),
        ("100.64.0.1", False),
        ("224.0.0.1", False),
        ("::1", False),
        ("fe80::1", False),
        ("fd00::1", False),
        ("::ffff:10.0.0.1", False),
        ("2002:0a00:0001::", False),
        ("64:ff9b::a00:1", False),
        ("64:ff9b::5db8:d822", True),
        ("::10.0.0.1", False),  # an old way to wrap one kind in the other, which some systems still unwrap
        ("::93.184.216.34", False),
        ("::ffff:0:10.0.0.1", False),  # and another
        ("::ffff:0:93.184.216.34", False),
        ("::ffff:93.184.216.34", True),
        ("64:ff9b:1::5db8:d822", False),
        ("fec0::1", False),
        ("5f00::1", False),
        ("3fff::1", False),
        ("4000::1", False),
    ],
)
def test_which_addresses_are_public(address, expected):
    assert is_public(ip_address(address)) is expected


def test_what_cannot_stand_in_a_head_is_not_sent(receiver):
    """So nobody smuggles in a line of their own."""
    with pytest.raises(NotReached):
        asyncio.run(
            Outside(allow_private=True).send(
                "POST", f"http://127.0.0.1:{receiver.server_port}/", b"", {"Title": "a\r\nX: b"}
            )
        )
    assert receiver.heard == []


def test_a_redirect_is_not_followed(receiver):
    assert post(f"http://127.0.0.1:{receiver.server_port}/elsewhere") == 302
    assert [path for path, _, _ in receiver.heard] == ["/elsewhere"]


def test_an_endless_answer_is_not_read(receiver):
    assert post(f"http://127.0.0.1:{receiver.server_port}/endless") == 200


def test_who_does_not_answer_is_given_up(receiver, monkeypatch):
    monkeypatch.setattr(outside, "SECONDS", 0.3)
    with pytest.raises(NotReached):
        post(f"http://127.0.0.1:{receiver.server_port}/hangs")
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        with pytest.raises(NotReached):
            post(f"http://127.0.0.1:{nobody.getsockname()[1]}/")


@pytest.mark.parametrize(
    "url",
    [
        "ftp://example.org/",
        "https://",
        "https://name:word@example.org/",
        "https://example.org:25/",
        "https://example.org:99999/",
        "https://example.org/a b",
        "https://example.org/\r\nX-Other: 1",
        "https://example.org/" + "a" * 1000,
        "https://[::1",
        "javascript:alert(1)",
    ],
)
def test_what_is_no_address_is_refused(url):
    with pytest.raises(Forbidden):
        Outside().check(url)


# Mail


class Mailbox:
    def __init__(self):
        self.messages = []

    async def handle_DATA(self, server, session, envelope):  # noqa: N802 (the name is that library's)
        self.messages.append(envelope)
        return "250 taken"


@pytest.fixture
def mailbox():
    box = Mailbox()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        box.port = free.getsockname()[1]
    controller = Controller(box, hostname="127.0.0.1", port=box.port)
    controller.start()
    yield box
    controller.stop()


def test_a_letter_arrives(mailbox):
    server = MailServer(f"smtp://127.0.0.1:{mailbox.port}", "samovar@example.org")
    asyncio.run(server.send("anna@example.org", "Memoarrrr! : à vous", "C’est à vous de jouer.", "t1-7"))
    [envelope] = mailbox.messages
    assert envelope.rcpt_tos == ["anna@example.org"]
    assert b"Message-ID: <t1-7@example.org>" in envelope.content
    assert b"Auto-Submitted: auto-generated" in envelope.content


def test_a_mail_server_that_is_not_there_is_not_reached():
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        server = MailServer(f"smtp://127.0.0.1:{nobody.getsockname()[1]}", "samovar@example.org")
        with pytest.raises(NotReached):
            asyncio.run(server.send("anna@example.org", "a", "b", "1"))


@pytest.mark.parametrize(
    "text",
    ["", "anna", "anna@", "@example.org", "a@b@c.d", "anna@example.org, b@example.org", "a\r\nBcc: b@c.de", "<a@b.de>"],
)
def test_what_is_no_mail_address_is_refused(text):
    with pytest.raises(BadMail):
        check_address(text)
