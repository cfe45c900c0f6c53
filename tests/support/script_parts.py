"""Small functions that use what Python has and JavaScript has not: `test_script.py` runs them in both."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, fields, replace
from functools import cache, cached_property, partial
from itertools import groupby, pairwise, zip_longest
from typing import NamedTuple

from markupsafe import Markup, escape

from samovar.engine.rule import table

GRID = table([[1, 2, 3], [4, 5, 1 << 40]])
PIECES = {"a": (1, 2), ("b", 1): frozenset({3})}
FIRST: tuple[int, ...] = (1,)
NONE: list[int] = []
PERCENT = "%s of %d"
FORM = re.compile(r"(?P<word>\w+)-(\d+)")


class Pair(NamedTuple):
    one: int
    other: str = "x"


@dataclass(frozen=True)
class Base:
    name: str
    parts: tuple[int, ...] = ()
    kept: list[int] = field(default_factory=list)

    @cached_property
    def total(self) -> int:
        return sum(self.parts)

    @property
    def first(self) -> int | None:
        return next(iter(self.parts), None)

    def told(self, *more: str, end: str = ".", **facts: int) -> str:
        return " ".join([self.name, *more, *(f"{name}={value:>3}" for name, value in facts.items())]) + end


@dataclass(frozen=True)
class Higher(Base):
    level: int = 1

    def told(self, *more: str, end: str = "!", **facts: int) -> str:
        return super().told(*more, end=end, **facts) + str(self.level)


class Counted:
    def __init__(self, things: list[str]) -> None:
        self._things = things

    def __bool__(self) -> bool:
        return len(self._things) > 1

    def __iter__(self) -> Iterator[str]:
        return iter(self._things)

    def __getitem__(self, name: str) -> str | None:
        return name.upper() if name in self._things else None


def numbers() -> object:
    wide = (1 << 61) | 5
    return (
        -7 // 2, -7 % 3, 7 // -2, 2**70, wide & ~1, wide >> 60, (wide & -wide).bit_length(), 1.0, 2.5 * 2, 7 / 2, 4 / 2,
        round(2.5), divmod(-7, 2), True + True, sum(x > 1 for x in (1, 2, 3)), GRID[1, 2] * 3, GRID[-1, 0], ~5, -(3**2),
        max([3, 1], key=lambda x: -x), min((), default=None), 10**16 + 1, 1 == 1.0 == True, 0x7FFFFFFF + 1, 1 << 31,
        5 ^ 3, 2 <= 2, 3 >= 4, 3 > 4, 3 != 3, -5 % -3, -(2**40) // 3, -(2**70) // 3,
    )  # fmt: skip


def texts() -> object:
    return (
        f"{3:>4}|{'a':^5}|{7:02}|{1234567:,}|{2.5:.2f}|{'x'!r}", f"{2:>3}{1}{{}}", ["a", "b", "", "c"],
        ["a", "b"], "abc"[::-1], "abc"[-2:], "a-b-c".partition("-"), "a-b-c".rpartition("-"), "äß".upper(),
        str([1, "a", None, (2,), {"k": True}]), "x".center(4, "·"), "ab" * 2, PERCENT % ("a", 2), "b" in "abc",
        "-".join(map(str, range(3))), "Don’t".removeprefix("D"), "a'b", escape("<&'\">"), Markup("<b>%s</b>") % "<",
    )  # fmt: skip


def things() -> object:
    seen = {"b": 1, "a": 2} | {"c": 3}
    seen["b"] += 10
    first, *rest = seen.items()
    lists = [[*pair] for pair in pairwise("abcd") if pair != ("b", "c")]
    lists += [["z"]]
    return (
        first, rest, lists, sorted(seen, key=seen.get, reverse=True), PIECES["b", 1],
        (1, "a") < (1, "b"), {1, 2} & {2},
        [k for k in seen.keys() - {"a"} if k > "b"], dict.fromkeys("ab", 0), seen.get("q", 7),
        list(zip_longest("ab", "c")),
        [(key, len(list(group))) for key, group in groupby("aabc")], Counter("abca")["a"], Counter("a")["q"],
        (*FIRST, 2),
        [x for row in ((1, 2), (3,)) for x in row if x != 2], 1 < 2 < 3, not NONE, NONE or "b",
        NONE and 1, (0, 1) == [0, 1],
        "q" not in seen, "b" not in seen, "b" in seen, NONE is not None, NONE is None, {1, 2} - {2}, {1} ^ {1, 2},
        {1} | {2}, (1,) <= (1, 2), (2,) >= (1, 2), "b" > "a", (1, 2) != (1, 2), [1] != [1, 2], PIECES != {},
        {(1, 2): "t"}[1, 2], list(reversed(range(0, 7, 3))), range(10)[2:8:2][-1], [*enumerate("ab", start=1)], any(()),
    )  # fmt: skip


def classes() -> object:
    one = Higher("h", (1, 2), level=4)
    other = replace(one, name="o")
    counted = Counted(["a", "b"])
    return (
        one.total, one.first, Base("b").first, one.told("x", "y", k=5), other.told(end="?"),
        one == Higher("h", (1, 2), level=4),
        one == other, {one.parts: 1}[1, 2], Pair(1), Pair(one=2, other="y").other, Pair(1) == (1, "x"), bool(counted),
        [*counted], counted["a"], counted["q"], isinstance(one, Base), isinstance(Pair(1), tuple),
        getattr(one, "no", 3), [(own.name, getattr(one, own.name)) for own in fields(one)], len(fields(Base)),
    )  # fmt: skip


@cache
def kept(number: int) -> list[int]:
    return [number]


def calls() -> object:
    def grown(by: int, *, times: int = 2) -> int:
        return by * times

    def each() -> Iterator[int]:
        yield 1
        yield from (x for x in (2, 3))

    total = 0
    for k, (a, b) in enumerate([(1, 2), (3, 4)]):
        if a == 3:
            continue
        while b:
            b -= 1
            total += k + a
    found = FORM.fullmatch("ab-12")
    assert found
    return (
        grown(3), grown(3, times=5), partial(grown, times=3)(2), [*each()], total, kept(3) is kept(3), found["word"],
        found[2], re.sub(r"\s+", "", " a b "), FORM.sub(lambda m: m[1] + "!", "x-1 y-2"), (n := 4) + n,
    )  # fmt: skip


CASES = (numbers, texts, things, classes, calls)
