"""What a stream sends, packed for browsers that unpack it, as all do.

A gzip file may be put together from pieces that know nothing of each other: each begins anew and
ends with a whole byte. So what many get is packed once, and what is one visitor's own goes between
the pieces as it is. It is not packed with what others wrote, or the length would tell of it.
A piece may know the one that came right before it: then of what stood there it says only where.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping
from types import MappingProxyType
from typing import TypeAlias

HEAD = b"\x1f\x8b\x08\0\0\0\0\0\0\xff"  # of a gzip file that has no name and no time
QUICKLY = 1  # a higher level makes it a tenth shorter and takes twice as long
LONGEST = 0xFFFF  # bytes that can go together as they are
Headers: TypeAlias = Mapping[str, str]
HEADERS: Headers = MappingProxyType({"content-encoding": "gzip", "vary": "accept-encoding"})


def pack(content: bytes, before: bytes = b"") -> bytes:
    """`before`: what whoever gets it has unpacked last, the end of it at least."""
    packing = zlib.compressobj(QUICKLY, wbits=-zlib.MAX_WBITS, zdict=before)
    return packing.compress(content) + packing.flush(zlib.Z_SYNC_FLUSH)


def as_it_is(content: bytes) -> bytes:
    """Between packed pieces, for what is short or one's own."""
    pieces = (content[start : start + LONGEST] for start in range(0, len(content), LONGEST))
    return b"".join(struct.pack("<BHH", 0, len(piece), LONGEST ^ len(piece)) + piece for piece in pieces)


def is_wanted(asked: Headers) -> bool:
    """Whether a browser says that it unpacks gzip."""
    return "gzip" in asked.get("accept-encoding", "").lower().replace(" ", "").split(",")


def headers(asked: Headers) -> Headers:
    return HEADERS if is_wanted(asked) else {}
