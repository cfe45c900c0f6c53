"""Samovar and its peers on the same work, each in an environment of its own: see `compare.py`."""
