"""A certificate for a site at home, and the small authority that signs it (`samovar serve --https`).

No public authority signs for 192.168.1.5 or `raspberrypi.local`, so the site has one of its own. Devices that trust it
trust it for names and addresses of home networks only: its certificate says so, and browsers refuse all else. A thief
of the key could stand in for this site, and for no bank.
"""

from __future__ import annotations

import os
import re
import socket
import ssl
import tempfile
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from samovar.errors import BadAddress, StoreError
from samovar.web.store.database import make_folder, tighten

AUTHORITY, SITE = "authority.pem", "site.pem"
AUTHORITY_DAYS = 10 * 365
SITE_DAYS = 397  # browsers take no longer ones
RENEWED_DAYS = 30  # before the end
LOOK_SECONDS = 24 * 3600.0
HOME_NAMES = ("localhost", "local", "lan", "home", "home.arpa", "internal")
PRIVATE = ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "100.64.0.0/10", "fc00::/7", "fe80::/10")
HOME_NETWORKS = tuple(map(ip_network, (*PRIVATE, "127.0.0.0/8", "::1/128")))
HOST = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*")


@dataclass(frozen=True)
class Signed:
    """A certificate with its key, as one file of ours holds them."""

    certificate: x509.Certificate
    key: ec.EllipticCurvePrivateKey

    @classmethod
    def read(cls, file: Path) -> Signed | None:
        """None, if it is not there or cannot be read: then another is made."""
        try:
            content = file.read_bytes()
            key = load_pem_private_key(content, None)
            certificate = x509.load_pem_x509_certificate(content)
        except (OSError, ValueError):
            return None
        return cls(certificate, key) if isinstance(key, ec.EllipticCurvePrivateKey) else None

    def write(self, file: Path, above: bytes = b"") -> None:
        """For its owner alone, and whole or not at all."""
        key = self.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        number, part = tempfile.mkstemp(dir=file.parent)  # 0600
        with open(number, "wb") as output:
            output.write(key + self.pem + above)
        os.replace(part, file)

    @property
    def pem(self) -> bytes:
        return self.certificate.public_bytes(Encoding.PEM)

    @property
    def der(self) -> bytes:
        return self.certificate.public_bytes(Encoding.DER)

    @cached_property
    def fingerprint(self) -> str:
        return self.certificate.fingerprint(hashes.SHA256()).hex(":").upper()

    @property
    def hosts(self) -> frozenset[str]:
        names = self.certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
        return frozenset(str(name.value) for name in names)

    def lasts(self, days: int) -> bool:
        return self.certificate.not_valid_after_utc > datetime.now(UTC) + timedelta(days=days)


def prepare(folder: Path, hosts: Iterable[str]) -> tuple[Signed, Path]:
    """The authority of a site, and the file of its certificate for these hosts; what is there stays while it lasts."""
    try:
        make_folder(folder)
        tighten(folder, 0o700)
        authority = Signed.read(folder / AUTHORITY)
        if authority is None or not authority.lasts(SITE_DAYS):
            authority = make_authority()
            authority.write(folder / AUTHORITY)
        for name in (AUTHORITY, SITE):
            tighten(folder / name, 0o600)
        _sign(authority, folder / SITE, frozenset(hosts))
    except OSError as error:
        raise StoreError(
            f"The certificate cannot be kept in {folder}: {error.strerror}. Give another folder with --data."
        ) from error
    return authority, folder / SITE


def _sign(authority: Signed, file: Path, hosts: frozenset[str]) -> None:
    now = Signed.read(file)
    is_ours = now is not None and now.certificate.issuer == authority.certificate.subject
    if not (now and is_ours and now.lasts(RENEWED_DAYS) and now.hosts == hosts):
        make_certificate(authority, hosts).write(file, above=authority.pem)


def own_hosts(*addresses: str) -> set[str]:
    """What people at home may type: `BadAddress` for what is given and lies elsewhere."""
    for address in addresses:
        if not is_home(address):
            raise BadAddress(
                f"--https is for home networks, and {address} is not in one: put a proxy with a public certificate in "
                "front instead."
            )
    own = own_name()
    return {*addresses, "localhost", "127.0.0.1", "::1", *((own, f"{own.partition('.')[0]}.local") if own else ())}


def is_home(host: str) -> bool:
    try:
        address = ip_address(host)
    except ValueError:
        return host == own_name() or any(f".{host}".endswith(f".{name}") for name in HOME_NAMES)
    return any(address in network for network in HOME_NETWORKS)


def own_name() -> str:
    name = socket.gethostname().lower()
    return name if len(name) < 200 and HOST.fullmatch(name) and not name.replace(".", "").isdigit() else ""


def make_authority() -> Signed:
    names = dict.fromkeys([*HOME_NAMES, *([own_name()] if own_name() else ())])
    permitted = [*map(x509.DNSName, names), *map(x509.IPAddress, HOME_NETWORKS)]
    # The date tells two of them apart in the settings of a phone, the number makes the name unlike any other.
    number = x509.random_serial_number()
    title = f"Samovar at home, {own_name()[:20]} {datetime.now(UTC):%Y-%m-%d} {number % 0xFFFF:04x}"
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, title)])
    key = ec.generate_private_key(ec.SECP256R1())
    extensions = [
        (x509.BasicConstraints(ca=True, path_length=0), True),
        (_usage(signs=True), True),
        (x509.NameConstraints(permitted, None), True),
        (x509.SubjectKeyIdentifier.from_public_key(key.public_key()), False),
    ]
    return Signed(_certificate(subject, subject, key, key, AUTHORITY_DAYS, extensions), key)


def make_certificate(authority: Signed, hosts: Iterable[str]) -> Signed:
    key = ec.generate_private_key(ec.SECP256R1())
    extensions = [
        (x509.BasicConstraints(ca=False, path_length=None), True),
        (_usage(signs=False), True),
        (x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), False),
        (x509.SubjectAlternativeName(list(map(_general_name, sorted(hosts)))), False),
        (x509.AuthorityKeyIdentifier.from_issuer_public_key(authority.key.public_key()), False),
    ]
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Samovar")])
    issuer = authority.certificate.subject
    return Signed(_certificate(subject, issuer, key, authority.key, SITE_DAYS, extensions), key)


def _certificate(
    subject: x509.Name,
    issuer: x509.Name,
    key: ec.EllipticCurvePrivateKey,
    signer: ec.EllipticCurvePrivateKey,
    days: int,
    extensions: list[tuple[Any, bool]],
) -> x509.Certificate:
    now = datetime.now(UTC)
    builder = x509.CertificateBuilder(issuer, subject, key.public_key(), x509.random_serial_number())
    builder = builder.not_valid_before(now - timedelta(hours=24)).not_valid_after(now + timedelta(days=days - 1))
    for extension, is_critical in extensions:
        builder = builder.add_extension(extension, is_critical)
    return builder.sign(signer, hashes.SHA256())


def _usage(*, signs: bool) -> x509.KeyUsage:
    return x509.KeyUsage(not signs, False, False, False, False, signs, signs, False, False)


def _general_name(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(host))
    except ValueError:
        return x509.DNSName(host)


# In the process that serves


def context_of(file: str) -> ssl.SSLContext:
    """The certificate is renewed while the site runs: connections that come later get the new one."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    threading.Thread(target=_renew, args=(context, Path(file)), daemon=True).start()
    return context


def _renew(context: ssl.SSLContext, file: Path) -> None:
    while not threading.Event().wait(LOOK_SECONDS):
        renew(context, file)


def renew(context: ssl.SSLContext, file: Path) -> None:
    if now := Signed.read(file):
        prepare(file.parent, now.hosts)
        context.load_cert_chain(file)
