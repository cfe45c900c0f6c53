"""Our own hostile visitor: a few people, programs and onlookers who do everything there is to do on the
site, in any order, twice, with keys of before and in other people's places, while the site is started
anew now and then. After every step it is asked whether all still holds.

`deeds.py` is the table of what they do; `houses.py` the site they do it to; `ledger.py` what its
database says; `keys.py`, `watches.py` and `other_worlds.py` what must hold; `evening.py` puts it
together. `planted.py` breaks the site on purpose, to see that it is noticed.
"""
