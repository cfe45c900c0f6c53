"""The path under which the site lies on its host: `/games` for https://example.org/games, and usually none.

Inside, every address begins at the root of the site. The path is taken off requests as they come in, and put before
addresses as they go out: in the source of templates, once, when they are compiled, so that no link can be forgotten and
a site without a path is not touched; in redirects; and in scripts, which find it in the page. It is the same for all
that a process serves."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

_path = ""

ATTRIBUTE = r'(\s(?:href|action|formaction|src|data-[\w-]+)=")'
WRITTEN = re.compile(rf"{ATTRIBUTE}(?=/(?!/))")
FILLED_IN = re.compile(r'(\s(?:href|action|formaction|src)=")\{\{(.*?)\}\}', re.DOTALL)
PAGE = re.compile(r"<html(?=[\s>])")


def lie_under(public_url: str) -> None:
    global _path
    _path = urlsplit(public_url).path.rstrip("/")


def base_path() -> str:
    return _path


def under(address: str) -> str:
    """An address of the site as a browser must ask for it; relative ones and those elsewhere stay as they are."""
    return f"{_path}{address}" if address.startswith("/") and not address.startswith("//") else address


def inside(path: str) -> str:
    """A path that was asked for, as the site knows it."""
    return path.removeprefix(_path) or "/" if f"{path}/".startswith(f"{_path}/") else path


def place(source: str) -> str:
    """A template whose addresses lead to where the site lies."""
    if not _path:
        return source
    source = FILLED_IN.sub(r"\1{{ under(\2) }}", WRITTEN.sub(rf"\g<1>{_path}", source))
    return PAGE.sub(f'<html data-base="{_path}"', source)
