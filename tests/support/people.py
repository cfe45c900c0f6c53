"""People with a page of their own, and the rated matches that they have played."""

import json
import re

from sqlalchemy import text

from samovar.engine.heuristics import LEVEL_NAMES
from support.visitors import Visitor

GAME = "memoarrrr"
KEEP = text(
    "INSERT INTO results (table_id, seat, game, seats, person, name, level, team, place, score, is_rated, "
    "ended) VALUES "
    "(:table_id, :seat, :game, :seats, :person, :name, :level, :seat, :place, NULL, :is_rated, :ended)"
)
KNOW = text(
    "INSERT INTO people (person, nonce, profile, changed) VALUES (:person, :nonce, :profile, 0) "
    "ON CONFLICT (person) DO UPDATE SET profile = excluded.profile"
)


def with_page(site, name="Anna", visitor=None, **facts):
    """Somebody who has a page of their own."""
    visitor = visitor or Visitor(site)
    visitor.go("/me")
    visitor.send("/me", name=name, **facts)
    assert visitor.status == 200
    return visitor


def link_of(visitor):
    return re.search(r"/me/come/[0-9a-f]+", visitor.go("/me").html)[0]


def keep_matches(connection, matches, joined, first=0):
    """Rated matches as the site would have kept them: `matches` has persons or levels, the best first."""
    for person, profile in joined.items():
        connection.execute(KNOW, {"person": person, "nonce": person, "profile": json.dumps(profile)})
    for number, match in enumerate(matches, first):
        for seat, player in enumerate(match):
            is_bot = player in LEVEL_NAMES
            connection.execute(
                KEEP,
                {
                    "table_id": f"table-{number}",
                    "seat": seat,
                    "game": GAME,
                    "seats": len(match),
                    "person": "" if is_bot else player,
                    "name": player,
                    "level": player if is_bot else "",
                    "place": seat + 1,
                    "is_rated": True,
                    "ended": 1_000_000 + number,
                },
            )


def known(*people):
    return {person: {"name": person.title(), "is_rated": True} for person in people}
