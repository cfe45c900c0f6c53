"""People at tables who want to be called when it is their turn."""

import random

from support.visitors import Visitor


def at_any_time(visitor, minutes=0, **facts):
    visitor.go("/me/calls")
    visitor.send("/wishes", minutes=str(minutes), **{"quiet_from": "0", "quiet_until": "0", **facts})
    assert visitor.status == 200


def call_at(visitor, receiver, **facts):
    """From now on this visitor is called at an address, at any time."""
    at_any_time(visitor, **facts)
    visitor.send("/calls/web", target=receiver.address)
    assert visitor.status == 200, visitor.page.words


def sit_down(client, game="babuschka", names=("Anna", "Boris"), people=None, **facts):
    """People at a new table; the first of them begins where a game lets that be chosen."""
    people = people or [Visitor(client) for _ in names]
    people[0].go(f"/new/{game}?seats={len(names)}")
    people[0].send(f"/new/{game}", name=names[0], **{"first": "0", **facts})
    for visitor, name in zip(people[1:], names[1:], strict=True):
        visitor.go(people[0].address)
        visitor.send("/sit", name=name)
    people[0].go(people[1].address)
    return [people[0].address.split("/")[-1], *people]


def move(visitor, table, choose=None):
    visitor.go(f"/table/{table}")
    assert visitor.move(choose or random.Random(1)) is not None, "it is not their turn"
