"""What a seat knows: everything. Nobody may look under a doll, but everybody has seen each doll
being covered (B11, C5)."""

from samovar.engine.contract import nothing_hidden as determinize

__all__ = ["determinize"]
