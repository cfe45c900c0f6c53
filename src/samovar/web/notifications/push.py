"""Web push: a message through the service of somebody's browser, closed so that the service cannot
read it (RFC 8291), and signed so that it knows who sends it (RFC 8292).

Two short standards over primitives of `cryptography`, which the sessions need anyway; what is
closed here is opened by another library in the tests.
"""

from __future__ import annotations

import base64
import os
import struct
import time
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import urlsplit

import msgspec
from cryptography.exceptions import InvalidKey
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from samovar.errors import SamovarError

CURVE = ec.SECP256R1()
RECORD_SIZE = 4096
PADDED_TO = 256  # bytes: how long a message is says nothing about it
TOKEN_SECONDS = 12 * 3600
LASTS_SECONDS = 24 * 3600  # that the service keeps a message for a browser that is off
ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551  # of the curve


class BadSubscription(SamovarError):
    """What a browser is said to have given is no subscription."""


@dataclass(frozen=True)
class Subscription:
    """Where a browser wants to be called, and its keys, as the browser gives them."""

    endpoint: str
    p256dh: str
    auth: str

    @cached_property
    def public_key(self) -> bytes:
        return _decoded(self.p256dh)

    @cached_property
    def secret(self) -> bytes:
        return _decoded(self.auth)

    def check(self, *, allow_private: bool = False) -> None:
        """Its form, before it is kept; where it leads is checked whenever something is sent. Services
        in the site's own network may do without encryption."""
        try:
            ec.EllipticCurvePublicKey.from_encoded_point(CURVE, self.public_key)
        except (ValueError, InvalidKey) as error:
            raise BadSubscription("The key of this subscription is no key. Subscribe again.") from error
        try:
            scheme = urlsplit(self.endpoint).scheme
        except ValueError:
            scheme = ""
        schemes = ("https", "http") if allow_private else ("https",)
        if len(self.secret) != 16 or scheme not in schemes or len(self.endpoint) > 1000:
            raise BadSubscription("This is no subscription of a browser. Subscribe again.")


def close_message(
    subscription: Subscription,
    content: bytes,
    *,
    key: ec.EllipticCurvePrivateKey | None = None,
    salt: bytes = b"",
    padded_to: int = PADDED_TO,
) -> bytes:
    """The body of a push message that the browser alone can open. `key` and `salt` are new ones
    each time, except in tests."""
    key, salt = key or ec.generate_private_key(CURVE), salt or os.urandom(16)
    own = _point(key)
    theirs = ec.EllipticCurvePublicKey.from_encoded_point(CURVE, subscription.public_key)
    shared = key.exchange(ec.ECDH(), theirs)
    both = b"WebPush: info\0" + subscription.public_key + own
    material = _derived(shared, subscription.secret, both, 32)
    cipher = AESGCM(_derived(material, salt, b"Content-Encoding: aes128gcm\0", 16))
    nonce = _derived(material, salt, b"Content-Encoding: nonce\0", 12)
    padding = bytes(-(len(content) + 1) % padded_to)
    head = salt + struct.pack("!IB", RECORD_SIZE, len(own)) + own
    return head + cipher.encrypt(nonce, content + b"\2" + padding, None)


@dataclass(frozen=True)
class PushSender:
    """The site as push services know it: a key that follows from the site's secret, and where its
    owner can be reached."""

    secret: bytes
    contact: str  # mailto: or https:

    @cached_property
    def _key(self) -> ec.EllipticCurvePrivateKey:
        number = int.from_bytes(_derived(self.secret, b"", b"samovar push", 48))
        return ec.derive_private_key(number % (ORDER - 1) + 1, CURVE)

    @cached_property
    def public_key(self) -> str:
        """For browsers: who subscribes with it takes messages from this site alone."""
        return _encoded(_point(self._key))

    def headers(self, subscription: Subscription, topic: str, *, now: float | None = None) -> dict[str, str]:
        """`topic`: a later message with the same one takes the place of one that was not delivered
        yet."""
        where = urlsplit(subscription.endpoint)
        expires = int(time.time() if now is None else now) + TOKEN_SECONDS
        claims = {"aud": f"{where.scheme}://{where.netloc}", "exp": expires, "sub": self.contact}
        token = self._signed(f"{_json({'typ': 'JWT', 'alg': 'ES256'})}.{_json(claims)}")
        return {
            "Authorization": f"vapid t={token}, k={self.public_key}",
            "Content-Encoding": "aes128gcm",
            "Content-Type": "application/octet-stream",
            "TTL": str(LASTS_SECONDS),
            "Topic": topic,
            "Urgency": "normal",
        }

    def _signed(self, text: str) -> str:
        r, s = decode_dss_signature(self._key.sign(text.encode(), ec.ECDSA(hashes.SHA256())))
        return f"{text}.{_encoded(r.to_bytes(32) + s.to_bytes(32))}"


def _derived(secret: bytes, salt: bytes, info: bytes, length: int) -> bytes:
    return HKDF(hashes.SHA256(), length, salt, info).derive(secret)


def _point(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def _json(value: object) -> str:
    return _encoded(msgspec.json.encode(value))


def _encoded(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), altchars="-_", validate=True)
    except ValueError as error:
        raise BadSubscription("This is no subscription of a browser. Subscribe again.") from error
