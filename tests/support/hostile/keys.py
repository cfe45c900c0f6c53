"""Every key that anybody was ever shown, and whether it is still good: of chairs, and of people's own
links. What somebody gave up must never open anything again."""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass

from .houses import Fault

CHAIR = re.compile(r"/table/([\w-]+)/come/(\d[0-9a-f]{40})")
OWN = re.compile(r"/me/come/([0-9a-f]{56})")


@dataclass(eq=False)
class Key:
    table: str
    seat: int
    text: str
    seen: int  # the head of the table when it was first shown
    is_given_up: bool = False  # by what somebody did, whatever the log says

    @property
    def chair(self):
        return self.table, self.seat


@dataclass(eq=False)
class Link:
    person: str
    text: str
    is_spent: bool = False


class Keys:
    def __init__(self, ledger):
        self._ledger = ledger
        self.chairs: dict[tuple[str, str], Key] = {}  # by table and text
        self.links: dict[str, Link] = {}
        self.by_chair: dict[tuple[str, int], list[Key]] = {}
        self.lately: deque[Key] = deque(maxlen=8)  # given up

    # What was shown

    def learn(self, table_id, text):
        """A key of a chair was in an answer."""
        if (table_id, text) not in self.chairs and table_id in self._ledger.tables:
            key = Key(table_id, int(text[0]), text, self._ledger.tables[table_id].head)
            self.chairs[table_id, text] = key
            self.by_chair.setdefault(key.chair, []).append(key)

    def learn_link(self, person, text):
        self.links.setdefault(text, Link(person, text))

    # What was given up

    def give_up(self, chairs):
        """All keys of these chairs that anybody has seen."""
        for chair in chairs:
            keys = self.by_chair.get(chair, ())
            self.lately.extend(key for key in keys if not key.is_given_up)
            for key in keys:
                key.is_given_up = True

    def spend(self, person):
        """All links of a person that anybody has seen."""
        for link in self.links.values():
            link.is_spent |= link.person == person

    def is_good(self, key):
        return not key.is_given_up and self._ledger.ends.get(key.chair, -1) <= key.seen

    def good(self, table_id, seat):
        """The key of a chair, if anybody has seen it."""
        return next((key for key in reversed(self.by_chair.get((table_id, seat), ())) if self.is_good(key)), None)

    def dead(self):
        """The last ones, and more than once those that were given up lately."""
        return [*[key for key in self.chairs.values() if not self.is_good(key)][-12:], *self.lately]

    # What must hold of an answer

    def check_next(self, again, seat):
        """The key of a chair at the next table goes to whoever moved on to it from the last one, as long as nobody
        has taken, left or cut off that chair since."""
        if not again or not again.get("token"):
            return
        nonces = self._ledger.nonces[again["table"], again["seat"]]
        if again["seat"] != seat or len(nonces) != 1:
            raise Fault(
                f"keys: an old token has given out the key of chair {again['seat']} at the next table "
                f"{again['table']}, which changed hands {len(nonces) - 1} times since"
            )
