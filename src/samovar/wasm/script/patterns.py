"""Regular expressions of Python as those of JavaScript, which mean only Latin letters by `\\w` unless they are told."""

from __future__ import annotations

import re

LETTERS = r"\p{L}\p{N}_"
SETS = {"w": LETTERS, "d": r"\p{Nd}", "s": r"\s"}
EDGE = rf"(?:(?<=[{LETTERS}])(?![{LETTERS}])|(?<![{LETTERS}])(?=[{LETTERS}]))"
NEITHER = {r"[^\W\d_]": r"[\p{L}]", r"[^\W\d]": r"[\p{L}_]", r"[^aeiouy\W]": rf"(?:(?![aeiouy])[{LETTERS}])"}
_PIECES = re.compile(r"\[\^?\]?(?:\\.|[^\]\\])*\]|\\.|\(\?P<|[^\\\[(]+|\(")


def pattern_of(pattern: re.Pattern[str]) -> tuple[str, str]:
    """Its source and flags."""
    flags = "u" + ("i" if pattern.flags & re.IGNORECASE else "") + ("m" if pattern.flags & re.MULTILINE else "")
    flags += "s" if pattern.flags & re.DOTALL else ""
    return "".join(map(_piece, _PIECES.findall(pattern.pattern))), flags


def _piece(piece: str) -> str:
    if piece == "(?P<":
        return "(?<"
    if piece in NEITHER:
        return NEITHER[piece]
    if piece.startswith("["):
        return re.sub(r"\\(.)", lambda found: SETS.get(found[1], _escaped(found[1])), piece)
    if piece.startswith("\\"):
        sign = piece[1]
        if sign == "b":
            return EDGE
        if sign in SETS:
            return f"[{SETS[sign]}]"
        return rf"[^{SETS[sign.lower()]}]" if sign in "WDS" else _escaped(sign)
    return piece


def _escaped(sign: str) -> str:
    """Only what means something may be escaped."""
    return f"\\{sign}" if sign in "^$\\.*+?()[]{}|/-tnrfv0123456789uxk" else sign
