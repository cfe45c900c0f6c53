"""Short codes, to be read out and typed: for a table that waits for people, and for a club that does.

A code follows from the id and the secret of the site, and is looked for among those that wait: nothing is kept, and
with the waiting it is gone. Letters that look alike are left out, and vowels, so that no code is a word.
"""

from __future__ import annotations

import hashlib
import hmac

from samovar.web import problems
from samovar.web.store import series
from samovar.web.store.store import WAITING, Store

LETTERS = "CDFHJKMNPRTVWXY3479"
LENGTH = 6  # 47 million codes, and one network may try a few a minute: see `app.py`
HALF = LENGTH // 2


def code_of(secret: bytes, any_id: str) -> str:
    """In two halves, as people read it out."""
    number = int.from_bytes(hmac.digest(secret, f"code:{any_id}".encode(), hashlib.sha256))
    letters = [LETTERS[number // len(LETTERS) ** place % len(LETTERS)] for place in range(LENGTH)]
    return f"{''.join(letters[:HALF])} {''.join(letters[HALF:])}"


async def page_with(store: Store, secret: bytes, typed: str) -> str:
    """The address of the table or the club that waits under this code; of several, the one that changed last."""
    wanted = "".join(letter for letter in typed[:40].upper() if letter.isalnum())
    for kind, waiting in (("table", WAITING), ("club", series.GATHERING_IDS)):
        for any_id in await store.rows(waiting):
            if code_of(secret, any_id).replace(" ", "") == wanted:
                return f"/{kind}/{any_id}"
    raise problems.NoSuchCode
