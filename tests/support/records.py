"""Records of matches, also forged ones, and how a visitor sends one to the site."""

import json

from samovar.engine.match import Match
from samovar.engine.records.digest import digest_of

PLAYED = "aabbccd"  # the first player wins at the bottom
THROWN = "abababgb"  # and here does not, so the second one wins


def record_of(moves=10, **changes):
    """A record of Connect Four, changed by somebody who knows how digests are made."""
    match = Match("connect_four", 2, 1, plain=True)
    match.play_random(1, limit=moves)
    record = {**match.record({"names": ["Anna", "Boris"], "bots": {"1": "hard"}}), **changes}
    return {**record, "digest": digest_of({key: value for key, value in record.items() if key != "digest"})}


def send(visitor, record):
    """The answer to a file, a record or anything."""
    visitor.go("/record")
    token = visitor.page.form("/record")["fields"]["_csrf_token"]
    content = record if isinstance(record, bytes) else json.dumps(record).encode()
    return visitor.client.post(
        "/record", data={"_csrf_token": token}, files={"record": ("match.json", content)}, follow_redirects=True
    )


def forged(record, **table):
    changed = {**record, "table": {**record["table"], **table}}
    return {**changed, "digest": digest_of(changed)}


def played(moves=PLAYED, begin=4, **facts):
    """A record of Connect Four that begins in the middle, for less work."""
    match = Match.arranged("connect_four", plain=True, first=0, moves=list(moves[:begin]))
    for column in moves[begin:]:
        match.play(match.actors[0], column)
    return match.record({"names": ["Anna", "Boris"], **facts})
