"""A class on a site: a teacher, and pupils with browsers of their own, without scripts."""

from __future__ import annotations

import re

from support.visitors import Visitor

NAMES = ("Mia", "Ben", "Ida", "Max", "Lea", "Tom")


def post(visitor, path, **facts):
    """A form that is on no page of theirs."""
    token = visitor.page.form("/language")["fields"]["_csrf_token"]
    return visitor._see(visitor.client.post(path, data={"_csrf_token": token, **facts}, follow_redirects=True))


class School:
    def __init__(self, site, teacher=None, names=NAMES):
        self.site = site
        self.teacher = teacher or Visitor(site)
        self.teacher.go("/class/new")
        self.teacher.send("/class/new", name="4a", names="\n".join(names))
        self.page = self.teacher.address
        self.id = self.page.rpartition("/")[2]
        self.code = re.search(r'class-letters">([^<]+)<', self.teacher.page.html)[1]
        self.pupils = {}

    def come(self, name):
        """By the code on the board."""
        pupil = self.pupils[name] = Visitor(self.site)
        pupil.go("/class")
        pupil.send("/class", code=self.code)
        pupil.send("/come", name=name)
        return pupil

    def do(self, what, **facts):
        self.teacher.go(self.page)
        return post(self.teacher, f"{self.page}/{what}", **facts)

    def seat(self, game="memoarrrr 2", level="easy"):
        return self.do("seat", game=game, level=level)

    def table_of(self, name):
        """Where a pupil is led."""
        pupil = self.pupils[name]
        pupil.go(self.page)
        found = re.fullmatch(r"/table/([\w-]{12})", pupil.address)
        return found and found[1]
