"""Who counts as one visitor, by the address that a request comes from."""

from __future__ import annotations

from functools import lru_cache
from ipaddress import AddressValueError, IPv6Address, IPv6Network


@lru_cache(4096)
def network_of(address: str) -> str:
    """What is counted as one: an IPv4 address, or the /64 of an IPv6 one, since whoever has one of
    those has all of them."""
    if ":" not in address:
        return address
    try:
        network = IPv6Address(address)
    except AddressValueError:
        return address
    return str(network.ipv4_mapped or IPv6Network((int(network), 64), strict=False))
