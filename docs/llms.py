"""`llms.txt` of the documentation site: its pages as one list, for programs that read (llmstxt.org).
`generate.py` calls this; links are those of the built site, beside which the file lies."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

# Blocks of code, and what is there for browsers alone.
NO_MARKDOWN = re.compile(r"^ *(`{3,}).*?^ *\1$|^<(script|style)\b.*?^</\2>", re.DOTALL | re.MULTILINE)


def llms_text(config: dict[str, Any], pages: Path) -> str:
    """Of the navigation of `mkdocs.yml`, and of the pages in a folder."""
    lines = [f"# {config['site_name']}", "", f"> {config['site_description']}"]
    for entry in config["nav"]:
        ((section, place),) = entry.items()
        lines += ["", f"## {section}", ""]
        lines += [_line(pages / name, name, title) for title, name in _places(place)]
    return "\n".join(lines) + "\n"


def _places(place: Any, title: str = "") -> Iterator[tuple[str, str]]:
    """Title, where the navigation has one, and file of each page."""
    if isinstance(place, str):
        yield title, place
    elif isinstance(place, dict):
        for name, inside in place.items():
            yield from _places(inside, name if isinstance(inside, str) else "")
    else:
        for each in place:
            yield from _places(each)


def _line(page: Path, name: str, title: str) -> str:
    text = page.read_text(encoding="utf-8")
    headings = re.findall(r"^# (.+)", text, re.MULTILINE)
    says = _first_sentence(text)
    return f"- [{title or headings[0]}]({name.removesuffix('.md')}.html)" + (f": {says}" if says else "")


def _first_sentence(text: str) -> str:
    """The first line of prose between the heading and the next one, without its links; nothing where
    it ends in a colon, as it says nothing alone."""
    below = re.split(r"^#+ .*\n", NO_MARKDOWN.sub("", text), flags=re.MULTILINE)[1]
    line = next((line for line in below.splitlines() if line[:1].isupper()), "")
    return "" if line.endswith(":") else re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", line).strip()
