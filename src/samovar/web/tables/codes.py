"""Short codes, to be read out and typed: for a table or a club that waits for people, for a class, and shorter ones for
tables that are shown on a screen.

A code follows from the id and the secret of the site, and is looked for among those that wait: nothing is kept, and
with the waiting it is gone. Four letters are too few for that. They are given out when somebody opens the screen of a
table, no two at a time, and are good until its match is over. Letters that look alike are left out, and vowels, so that
no code is a word.
"""

from __future__ import annotations

import hashlib
import hmac
from itertools import count

from samovar.web import problems
from samovar.web.store.queries import classes, facts, series
from samovar.web.store.store import STATUS, WAITING, Store

LETTERS = "CDFHJKMNPRTVWXY3479"
LENGTH = 6  # 47 million codes, and one network may try a few a minute: see `app.py`
HALF = LENGTH // 2
SHORT = 4  # 130,000 codes, for the few tables that have a screen


def code_of(secret: bytes, any_id: str) -> str:
    """In two halves, as people read it out."""
    letters = _letters(secret, any_id, LENGTH)
    return f"{letters[:HALF]} {letters[HALF:]}"


def _letters(secret: bytes, about: str, length: int) -> str:
    number = int.from_bytes(hmac.digest(secret, f"code:{about}".encode(), hashlib.sha256))
    return "".join(LETTERS[number // len(LETTERS) ** place % len(LETTERS)] for place in range(length))


async def screen_code_of(store: Store, secret: bytes, table_id: str) -> str:
    """That of a table with a screen; another one where its letters are in use."""
    for attempt in count():
        code = _letters(secret, f"{table_id} {attempt}", SHORT)
        holder = await _shown_under(store, code)
        if not holder:
            await store.do(facts.keep, _fact_of(code), table_id)
            holder = await _shown_under(store, code)  # somebody may have been faster
        if holder == table_id:
            return code
    raise AssertionError("there are more attempts than tables")


async def _shown_under(store: Store, code: str) -> str:
    """The table that has this code now."""
    table_id = await store.first(facts.VALUE, name=_fact_of(code)) or ""
    return table_id if await store.first(STATUS, table=table_id) in ("waiting", "playing") else ""


def _fact_of(code: str) -> str:
    return f"screen-{code}"


async def page_with(store: Store, secret: bytes, typed: str, *, of_class: bool = False) -> str:
    """The address of the table, the club or the class that waits under this code; of several, the one that changed
    last. `of_class`: nothing but a class is looked for."""
    wanted = "".join(letter for letter in typed[:40].upper() if letter.isalnum())
    if len(wanted) == SHORT and not of_class and (table_id := await _shown_under(store, wanted)):
        return f"/table/{table_id}/phone"
    for kind, waiting in (("class", classes.OPEN_IDS), ("table", WAITING), ("club", series.GATHERING_IDS)):
        if of_class and kind != "class":
            break
        for any_id in await store.rows(waiting):
            if code_of(secret, any_id).replace(" ", "") == wanted:
                return f"/{kind}/{any_id}"
    raise problems.NoSuchClass if of_class else problems.NoSuchCode
