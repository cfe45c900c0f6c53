"""Evenings of a club: who comes, and where they play."""

from support.visitors import Visitor

GAME = "memoarrrr"  # quick, two may sit there, and much is hidden


def make(site, people=4, **facts):
    """Anna makes an evening, and so many come; who they are, and its address."""
    guests = [Visitor(site) for _ in range(people)]
    guests[0].go(f"/club?game={GAME}")
    guests[0].send("/club", name="Friday", **{"seats": "2", "deals": "2", **facts})
    address = guests[0].address
    for number, guest in enumerate(guests):
        guest.go(address)
        guest.send("/join", name=f"Guest {number + 1}", luck=f"{number:032x}")
    return guests, address


def begin(site, people=4, **facts):
    guests, address = make(site, people, **facts)
    guests[0].go(address)
    guests[0].send("/begin")
    return guests, address


def go_to_table(guest, address):
    """Where somebody plays next."""
    guest.go(address)
    guest.send("/play")
    assert "/table/" in guest.address, guest.page.words
    return guest.address.split("/")[-1]
