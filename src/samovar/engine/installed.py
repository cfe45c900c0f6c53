"""What the installed packages bring: their entry points, none of which is loaded here, and our own version."""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, entry_points, version

GROUP = "samovar.games"
DISTRIBUTION = "samovar-games"  # what pip calls us: "samovar" belongs to others there


@cache
def found_in(group: str) -> dict[str, EntryPoint]:
    """The entry points of a group by name, in order."""
    return {point.name: point for point in sorted(entry_points(group=group), key=lambda point: point.name)}


def own_version() -> str:
    return version(DISTRIBUTION)
