"""`python -m support.hostile.server FOLDER PORT AHEAD`: the site as a process of its own, to be killed. Its time is
so many milliseconds ahead of the machine's."""

from __future__ import annotations

import logging
import sys

import uvicorn

from samovar.web.app import make_app
from samovar.web.people import clubs
from samovar.web.site import Site
from samovar.web.tables import clock, series
from support.visitors import SECRET

from .houses import ToldBotPool


def main():
    folder, port, ahead = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    logging.basicConfig(level=logging.ERROR)
    honest = clock.now
    for module in (clock, clubs, series):
        module.now = lambda: honest() + ahead
    site = Site(f"sqlite:///{folder}/samovar.db", SECRET, requests_per_minute=0, bot_pause=0.0, lab_for="nobody")
    uvicorn.run(make_app(site, ToldBotPool()), host="127.0.0.1", port=port, log_level="error")


if __name__ == "__main__":
    main()
