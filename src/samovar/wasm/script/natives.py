"""What of Python and its library the runtime has by hand, by the thing itself."""

from __future__ import annotations

import builtins
import collections
import dataclasses
import functools
import itertools
import math
import operator
import unicodedata
import urllib.parse
from types import MappingProxyType

import markupsafe

from samovar.language.grammar import Sentence, Word

BUILTINS = (
    "abs all any bool callable chr divmod enumerate filter float frozenset getattr hasattr int isinstance len list map "
    "max min next ord pow repr reversed round sorted str sum zip"
)
LIBRARY = {
    itertools: "chain combinations count groupby islice pairwise product repeat starmap takewhile zip_longest "
    "accumulate permutations",
    functools: "partial reduce",
    math: "ceil floor isqrt",
    collections: "Counter",
    dataclasses: "fields replace",
    operator: "attrgetter itemgetter",
    unicodedata: "normalize",
    urllib.parse: "urlencode",
    markupsafe: "Markup",
}
_DEEPER = {
    "tuple_new": tuple.__new__,
    "from_keys": dict.fromkeys,
    "from_chain": itertools.chain.from_iterable,
    "proxied": MappingProxyType,
    # their own names are those of what is written out: `(1, 2)`, `{1, 2}`
    "tuple_": tuple,
    "set_": set,
    "dict_": dict,
    "range_": range,
    "iter_": iter,
    "escape_": markupsafe.escape,
    "Sentence": Sentence,
    "Word": Word,
    "str_lower": str.lower,
    "str_strip": str.strip,
    "infinite": math.inf,
}

NATIVES: dict[int, str] = {
    **{id(getattr(builtins, name)): name for name in BUILTINS.split()},
    **{
        id(getattr(module, name)): f"{module.__name__.partition('.')[0]}_{name}"
        for module, names in LIBRARY.items()
        for name in names.split()
    },
    **{id(thing): name for name, thing in _DEEPER.items()},
}
BOUND = (("from_keys", dict.fromkeys), ("from_chain", itertools.chain.from_iterable))  # made anew whenever asked for


def native_of(thing: object) -> str | None:
    """Its name in the runtime."""
    if (name := NATIVES.get(id(thing))) is not None:
        return name
    if type(thing) is type(dict.fromkeys):
        return next((name for name, bound in BOUND if thing == bound), None)
    return None
