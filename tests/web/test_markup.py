"""Our reader of pages reads what `html.parser` does."""

from html.parser import HTMLParser

import pytest

from support.markup import Reader
from support.visitors import Visitor, running


class Told:
    """All that is read, in its order."""

    def __init__(self, html):
        super().__init__()
        self.told = []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.told.append((tag, *attrs))

    def handle_endtag(self, tag):
        self.told.append(f"/{tag}")

    def handle_data(self, data):
        self.told.append([data])


class Theirs(Told, HTMLParser):
    pass


class Ours(Told, Reader):
    pass


@pytest.mark.parametrize(
    "html",
    [
        "<p>one &lt; two &amp; three<br>four</p>\n",
        "<!doctype html><html lang=en><body hidden class='a b' title=\"1 &quot;2&quot;\"></body></html>\n",
        "<svg viewBox='0 0 1 1'><path d=\"M0 0\"/><use href=#a /></svg>\n",
        "<!-- nothing to see --><script>if (1 < 2) document.write('<p>')</script><style>a > b {}</style>\n",
        "<INPUT Disabled value=''><a\n  href = \"?pick=1\"\n>x</a>\n",
    ],
)
def test_it_reads_what_html_parser_reads(html):
    assert Ours(html).told == Theirs(html).told


def test_it_reads_the_pages_of_the_site_as_html_parser_does(tmp_path):
    with running(tmp_path) as site:
        guest = Visitor(site)
        for address in ("/", "/me", "/club", "/puzzles", "/players/memoarrrr", "/games/matryoshka", "/nowhere"):
            html = guest.go(address).html
            assert Ours(html).told == Theirs(html).told
        for game in ("babuschka", "matryoshka", "memoarrrr", "varvitikud"):
            guest.go(f"/new/{game}")
            html = guest.send(f"/new/{game}", name="Anna").html
            assert Ours(html).told == Theirs(html).told


@pytest.mark.parametrize("html", ["<p", "a < b", "<p class='a>b'>", "<p a='1>", "<!-- a > b -->", '<p ">'])
def test_what_it_does_not_know_it_refuses(html):
    with pytest.raises((ValueError, AssertionError)):
        Ours(html)
