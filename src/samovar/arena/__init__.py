"""Tournaments between bots: the same deals with the seats rotated, ratings with intervals,
reports."""
