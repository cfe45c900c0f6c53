"""JSON as Python has it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

# What may be written: whoever gets it only reads it.
Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"

# What was read: whoever takes something out of it looks what it is.
JsonObject: TypeAlias = dict[str, Any]
