"""Reads pages as `html.parser` does, in a fraction of its time: most of a page are drawings, whose tags are the same
again and again. It knows what the pages of the site are made of, and refuses anything else."""

import re
from functools import lru_cache
from html import unescape

VERBATIM = re.compile(r"(<(?:script|style)\b[^>]*>)(.*?)(?=</(?:script|style)>)", re.DOTALL)
HEAD = re.compile(r"""(/?)([a-zA-Z][^\s/>"']*)((?:[^"'<>]|"[^"]*"|'[^']*')*?)\s*(/?)""")
FACT = re.compile(r"""\s*([^\s=/>"']+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?\s*""")


@lru_cache(100_000)
def read_tag(head):
    """What stands between < and >: whether it begins something and ends something, its name, its attributes."""
    if head.startswith("!--") == head.endswith("--") and head.startswith("!"):  # a comment, or how a page begins
        return False, False, "", []
    found = HEAD.fullmatch(head)
    if not found:
        raise ValueError(f"a tag that nobody can read: <{head}>")
    ends, tag, facts, is_closed = found.groups()
    return not ends, bool(ends or is_closed), tag.lower(), read_facts(facts)


def read_facts(text):
    facts, place = [], 0
    while place < len(text):
        found = FACT.match(text, place)
        if not found:
            raise ValueError(f"attributes that nobody can read: {text!r}")
        name, *values = found.groups()
        value = next((value for value in values if value is not None), None)
        facts.append((name.lower(), None if value is None else unescape(value)))
        place = found.end()
    return facts


class Reader:
    """Methods as those of `html.parser.HTMLParser`."""

    def feed(self, html):
        markup, *verbatim = VERBATIM.split(html)
        self._read(markup)
        for tag, text, markup in zip(*[iter(verbatim)] * 3, strict=True):
            self._read(tag)
            if text:
                self.handle_data(text)
            self._read(markup)

    def _read(self, markup):
        text, *pieces = markup.split("<")
        if text:
            self.handle_data(unescape(text))
        for piece in pieces:
            head, end, text = piece.partition(">")
            assert end, f"a tag without an end: <{piece}"
            begins, ends, tag, facts = read_tag(head)
            if begins:
                self.handle_starttag(tag, facts)
            if ends:
                self.handle_endtag(tag)
            if text:
                self.handle_data(unescape(text))

    def handle_starttag(self, tag, attrs): ...

    def handle_endtag(self, tag): ...

    def handle_data(self, data): ...
