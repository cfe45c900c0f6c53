"""What cannot be written as JavaScript is said with its place."""

from __future__ import annotations

from samovar.errors import SamovarError


class NoScript(SamovarError):
    """Something in a game's texts or drawing has no JavaScript."""

    def __init__(self, where: str, line: int, what: str) -> None:
        super().__init__(f"{where}:{line}: {what} cannot be written as JavaScript. Write it in simpler Python.")
