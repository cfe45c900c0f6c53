"""Tournaments between bots: the same deals with the seats rotated, ratings with intervals,
reports."""

from samovar.errors import needs_unix

needs_unix("The arena of Samovar")
