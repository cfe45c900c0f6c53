"""`samovar serve --https`: an authority of the site's own, which vouches for home networks and for nothing else."""

import os
import signal
import socket
import ssl
import stat
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import pytest

from samovar.errors import BadAddress
from samovar.web import serve
from samovar.web.server import authority
from samovar.web.server.authority import Signed, context_of, own_hosts, prepare, renew
from samovar.web.server.trust import trust_app
from support.servers import Server
from support.waiting import wait_until

HOSTS = {"localhost", "127.0.0.1", "192.168.1.5"}


@contextmanager
def answering(context):
    """Something that answers by TLS, with the number of connections it takes."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def answer():
            while True:
                try:
                    connection, _ = listening.accept()
                except OSError:  # the end
                    return
                with connection:
                    try:
                        context.wrap_socket(connection, server_side=True).close()
                    except OSError:  # whoever asked did not like it
                        continue

        threading.Thread(target=answer, daemon=True).start()
        yield listening.getsockname()[1]
        listening.shutdown(socket.SHUT_RDWR)


def seen(port, trusted, name="localhost"):
    """The certificate that a device which trusts this authority alone is shown."""
    context = ssl.create_default_context(cadata=trusted.pem.decode())
    with (
        socket.create_connection(("127.0.0.1", port), 10) as connection,
        context.wrap_socket(connection, server_hostname=name) as secured,
    ):
        return secured.getpeercert(binary_form=True)


def server_side(file):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    return context


@pytest.mark.parametrize("name", sorted(HOSTS))
def test_a_device_that_trusts_the_authority_trusts_the_site(tmp_path, name):
    trusted, file = prepare(tmp_path / "https", HOSTS)
    with answering(server_side(file)) as port:
        assert seen(port, trusted, name) == Signed.read(file).der


@pytest.mark.parametrize("name", ["example.org", "203.0.113.7"])
def test_whoever_has_the_key_cannot_stand_in_for_anybody_else(tmp_path, name):
    trusted, file = prepare(tmp_path / "https", {*HOSTS, name})  # signed, as a thief would
    with answering(server_side(file)) as port, pytest.raises(ssl.SSLCertVerificationError, match="permitted subtree"):
        seen(port, trusted, name)


def test_keys_are_for_their_owner_alone(tmp_path):
    folder = tmp_path / "https"
    prepare(folder, HOSTS)
    if sys.platform == "win32":
        pytest.skip("Windows has no modes")
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (folder, *folder.iterdir())}
    assert modes == {"https": 0o700, authority.AUTHORITY: 0o600, authority.SITE: 0o600}


def test_a_device_trusts_once_whatever_the_address_of_the_site(tmp_path):
    first, file = prepare(tmp_path, HOSTS)
    before = Signed.read(file).der
    assert prepare(tmp_path, HOSTS)[0].der == first.der
    assert Signed.read(file).der == before, "nothing has changed"
    again, _ = prepare(tmp_path, {*HOSTS, "10.0.0.9"})
    assert again.der == first.der
    assert "10.0.0.9" in Signed.read(file).hosts


@pytest.mark.parametrize("days", [authority.RENEWED_DAYS, 1])
def test_a_certificate_is_renewed_before_it_ends_while_the_site_runs(tmp_path, monkeypatch, days):
    with monkeypatch.context() as patched:
        patched.setattr(authority, "SITE_DAYS", days)
        trusted, file = prepare(tmp_path, HOSTS)
    old = Signed.read(file).der
    context = context_of(str(file))
    with answering(context) as port:
        if days > 1:
            assert seen(port, trusted) == old
        renew(context, file)
        assert seen(port, trusted) == Signed.read(file).der != old


def test_an_authority_that_would_end_before_what_it_signs_is_replaced(tmp_path, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(authority, "AUTHORITY_DAYS", authority.SITE_DAYS)
        old, _ = prepare(tmp_path, HOSTS)
    new, file = prepare(tmp_path, HOSTS)
    assert new.der != old.der
    assert Signed.read(file).certificate.issuer == new.certificate.subject


def test_a_file_that_was_cut_off_is_made_anew(tmp_path):
    _, file = prepare(tmp_path, HOSTS)
    file.write_bytes(file.read_bytes()[:300])
    prepare(tmp_path, HOSTS)
    assert Signed.read(file).hosts == HOSTS


@pytest.mark.parametrize("address", ["192.168.1.5", "10.0.0.9", "fd00::5", "100.101.102.103", "nas.local", "nas.lan"])
def test_home_is_a_private_network(address):
    assert {address, "localhost", "127.0.0.1"} <= own_hosts(address)


@pytest.mark.parametrize("address", ["203.0.113.7", "games.example.org", "2001:db8::1"])
def test_elsewhere_is_told_what_helps(address):
    with pytest.raises(BadAddress, match="put a proxy"):
        own_hosts(address)


def test_an_address_without_https_is_refused(tmp_path):
    with pytest.raises(BadAddress, match="begins with https"):
        serve.certificate_folder(True, "http://nas.local", tmp_path)
    assert serve.certificate_folder(False, "http://nas.local", tmp_path) is None


def test_the_page_tells_phones_in_their_language(tmp_path):
    from litestar.testing import TestClient

    trusted, _ = prepare(tmp_path, HOSTS)
    with TestClient(trust_app(trusted, "https://192.168.1.5:8080", "http://192.168.1.5:8081/")) as client:
        pages = {code: client.get("/", headers={"accept-language": code}).text for code in ("en", "fr", "de", "et")}
        file = client.get("/samovar.crt")
    assert len(set(pages.values())) == len(pages)
    for page in pages.values():
        assert trusted.fingerprint in page
        assert 'href="https://192.168.1.5:8080/"' in page
        assert "iPhone" in page
        assert "Android" in page
    assert (file.content, file.headers["content-type"]) == (trusted.der, "application/x-x509-ca-cert")


def answers(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.mark.slow
def test_a_site_that_serves_https_by_itself(tmp_path):
    server = Server(tmp_path / "data", None, "--https", SAMOVAR_PLAIN="1")
    with subprocess.Popen(server.command, env=server._environment, stdout=subprocess.PIPE, text=True) as process:
        try:
            lines = [next(line for line in process.stdout if "https://" in line) for _ in "1"]
            lines += [next(process.stdout) for _ in range(3)]
            page = next(word for line in lines for word in line.split() if word.startswith("http://"))
            wait_until(lambda: answers(server.port), 60)  # it says where it will be, and then it is there
            with urllib.request.urlopen(f"{page}samovar.crt", timeout=20) as answer:
                trusted = ssl.create_default_context(cadata=answer.read())
            with urllib.request.urlopen(page, timeout=20) as answer:
                assert lines[-1].strip() in answer.read().decode(), "the fingerprint"
            with urllib.request.urlopen(f"https://localhost:{server.port}/", timeout=20, context=trusted) as answer:
                cookies = answer.headers.get_all("set-cookie")
                assert answer.headers["strict-transport-security"] is None
            assert cookies
            assert all("Secure" in cookie for cookie in cookies)
            with pytest.raises(urllib.error.URLError, match="CERTIFICATE_VERIFY_FAILED"):
                urllib.request.urlopen(f"https://localhost:{server.port}/", timeout=20)
            asked = {**os.environ, "SAMOVAR_PORT": str(server.port), "SAMOVAR_HTTPS": "true"}
            command = [sys.executable, "-m", "samovar.web.server.healthy"]
            assert subprocess.run(command, env=asked, timeout=30, check=False).returncode == 0
        finally:
            process.send_signal(signal.SIGTERM if sys.platform == "win32" else signal.SIGINT)
    assert Path(tmp_path / "data" / "https" / authority.AUTHORITY).exists()
