"""The conformance kit: what every game must keep, checked on every registered game without opting
in.

A game author runs `pytest --pyargs samovar.testing.conformance`; `python -m samovar.testing.golden
--write GAME` writes the golden files.
"""
