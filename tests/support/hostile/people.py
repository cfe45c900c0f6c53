"""Those who visit: browsers with cookies, some of them copies of others, and what each of them is to the
site."""

from __future__ import annotations

import json
from urllib.parse import quote, urlencode

from litestar.middleware.session.client_side import ClientSideSessionBackend, CookieBackendConfig

from support.visitors import SECRET

SESSIONS = ClientSideSessionBackend(CookieBackendConfig(secret=SECRET, key="samovar"))
FORM = b"application/x-www-form-urlencoded"
GONE = "null"  # a cookie that was taken away


class Browser:
    """Somebody with cookies of their own, without scripts."""

    def __init__(self, name, language="en"):
        self.name, self.language = name, language
        self.cookies = {}
        self.device_name = name

    def __repr__(self):
        return self.device_name

    def copy(self, name):
        """Somebody else who has got hold of all cookies as they are now."""
        other = Browser(self.name, self.language)
        other.cookies, other.device_name = dict(self.cookies), name
        return other

    @property
    def session(self):
        """What the cookie says, as the site reads it."""
        cookie = self.cookies.get("samovar", "")
        try:
            return SESSIONS.load_data([cookie.encode()]) if cookie else {}
        except Exception:  # not ours, or taken away
            return {}

    @property
    def token(self):
        """That of its forms."""
        return self.cookies.get("samovar-form", "")

    def headers(self):
        told = [(b"accept", b"text/html"), (b"accept-language", self.language.encode())]
        if self.cookies:
            told.append((b"cookie", "; ".join(f"{name}={value}" for name, value in self.cookies.items()).encode()))
        return told

    def form(self, fields):
        pairs = [("_csrf_token", self.token)]
        for name, value in fields.items():
            pairs += [(name, one) for one in value] if isinstance(value, list | tuple) else [(name, value)]
        return urlencode(pairs, quote_via=quote).encode()

    def keep(self, answer):
        self.cookies |= answer.cookies
        self.cookies = {name: value for name, value in self.cookies.items() if value.strip('"') != GONE}


class Request:
    """What somebody asks the site for. `gives_up`: the chairs whose keys are of no use if it is done;
    `spends`: whose own link; `cuts`: whose other devices are nobody's then."""

    def __init__(
        self, browser, method, address, form=None, *, data=None, token="", parts="", first_only=False,
        gives_up=(), spends="", cuts="", forgets="", needs_seat=False, record=None,
    ):  # fmt: skip
        self.browser, self.method, self.address = browser, method, address
        self.form, self.data, self.token, self.parts = form, data, token, parts
        self.first_only, self.needs_seat, self.record = first_only, needs_seat, record
        self.gives_up, self.spends, self.cuts, self.forgets = tuple(gives_up), spends, cuts, forgets

    def __repr__(self):
        who = self.browser or "a program"
        told = self.form if self.form is not None else self.data
        key = f" with key {self.token[:8]}" if self.token else ""
        return f"{who}{key}: {self.method} {self.address}{f' {told}' if told is not None else ''}"

    @property
    def headers(self):
        told = self.browser.headers() if self.browser else []
        if self.data is not None:
            told.append((b"content-type", b"application/json"))
        elif self.record is not None:
            told.append((b"content-type", b"multipart/form-data; boundary=x"))
        elif self.form is not None:
            told.append((b"content-type", FORM))
        if self.token:
            told.append((b"authorization", f"Bearer {self.token}".encode()))
        if self.parts:
            told.append((b"x-samovar-parts", self.parts.encode()))
        return told

    @property
    def body(self):
        if self.data is not None:
            return json.dumps(self.data).encode()
        if self.record is not None:
            head = '--x\r\nContent-Disposition: form-data; name="{}"\r\n\r\n{}\r\n'
            token = head.format("_csrf_token", self.browser.token)
            file = head.format('record"; filename="a.json', json.dumps(self.record))
            return f"{token}{file}--x--\r\n".encode()
        return self.browser.form(self.form) if self.form is not None else b""
