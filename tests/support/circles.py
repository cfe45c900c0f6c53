"""Circles for tests: who is in them, and games that are soon over."""

import re
from html import unescape

from support.visitors import Visitor


def found(site, names=("Anna", "Boris", "Chloé"), called="Tuesday round"):
    """Anna founds a circle, and the others come by its link; they, its address, and the link."""
    people = [Visitor(site) for _ in names]
    people[0].go("/circle")
    people[0].send("/circle", circle=called, name=names[0])
    address = people[0].address
    link = link_of(people[0], address)
    for visitor, name in zip(people[1:], names[1:], strict=True):
        visitor.go(link)
        visitor.send("/circle/come/" + link.rsplit("/", 1)[1], name=name)
        assert visitor.address == address, visitor.page.words
    return people, address, link


def link_of(owner, address):
    owner.go(f"{address}/keep")
    return next(link["href"] for link in owner.page.links if "/circle/come/" in link["href"]).partition("samovar.test")[
        2
    ]


def numbers(visitor, address):
    """Who can be chosen to play with, by name."""
    visitor.go(address)
    found = re.findall(r'name="who" value="(\d+)"[^>]*><span>([^<·]+?)(?: · [^<]*)?</span>', visitor.page.html)
    return {unescape(name): number for number, name in found}


def open_table(visitor, address, *others, game="connect_four 2", level=""):
    """With these others, who have the page in sight; its id."""
    there = numbers(visitor, address)
    visitor.send("/open", game=game, who=[there[name] for name in others], level=level)
    assert "/table/" in visitor.address, visitor.page.words
    return visitor.address.rsplit("/", 1)[1]


def lose(visitor, table):
    """By giving the game up."""
    visitor.go(f"/table/{table}")
    visitor.send("/resign")
    assert visitor.status == 200, visitor.page.words
