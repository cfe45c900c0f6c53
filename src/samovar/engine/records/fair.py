"""Fair by proof: a table shows a commitment to a secret when it is opened, the deal follows from
the secret and a nonce of every player, and the record of the finished match holds all of it.

Anybody can check it with other tools. Both hashes are SHA-256 of a line of JSON in UTF-8, with the
keys in this order and `, ` and `: ` between them. The commitment is that of

    {"game": "babuschka", "options": {...}, "rules": 1, "seats": 2, "secret": "..."}

and the seed of the deal that of

    {"nonces": ["...", null], "secret": "..."}

with the nonces by seat, null for a bot's; `chance.py` says how a deal is made of a seed. A secret
has 256 random bits, a nonce 128 to 512. The options are those that the game had when the table was
opened; one that has come since is not among them.

Several tables may be dealt the same cards: those of a club evening, and all that play the deal of a
day. Then the series has one secret, and one commitment, that of

    {"deals": 4, "game": "babuschka", "options": {...}, "rules": 1, "seats": 2, "secret": "..."}

which everybody sees before they bring a nonce. The seed of its second deal, at every table, is that
of

    {"deal": 2, "nonces": ["...", "..."], "secret": "..."}

with the nonces in the order in which people joined. From "deal" 0 follows who plays with whom: people
are ordered by the SHA-256 of `{"nonce": "...", "seed": "..."}`. The deal of a day has no nonces: the
commitment proves that it was the same for everybody, and fixed before the first of them played. The
secret is shown when the last deal is over.

What is proven, against whom:

- *The operator of the site* cannot choose or try deals once the commitment is shown, unless the
  last nonce is his: that of a chair where he or a friend of his sits, or one that the server made
  because a browser did not. Then he can try his own until a deal suits him. A table shows every
  nonce as it comes in, so whoever looks sees who was last, and that nothing was changed afterwards;
  `verify` looks for a nonce in the deal. He can also let a table fail whose deal he does not like,
  which is seen.
- *A player* cannot influence the deal, because the secret is hidden until the match is over.
- Nothing protects from an operator who looks at the cards.

In version 0.1 the operator drew the seed himself, and the commitment was the hash of

    {"game": "babuschka", "options": {...}, "rules": 1, "salt": "...", "seats": 2, "seed": 7}

which proves that the deal was fixed before the first move, and no more. Tables and records of that
time are still verified.
"""

from __future__ import annotations

import hashlib
import json
import re
import secrets
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path

from samovar.engine.contract import Game, Value
from samovar.engine.match import Match
from samovar.engine.records.record import read_record, replay
from samovar.engine.registry import find_game
from samovar.errors import BadNonce, BadRecord, NotCommitted
from samovar.json_types import Json, JsonObject

SECRET_BYTES = 32
MOST_CAME_SINCE = 4  # options of one game
NONCE_MAKERS = ("browser", "server", "program")
_NONCE = re.compile("[0-9a-f]{32,128}")


def new_secret() -> str:
    """The operator's part of a deal, hidden until the match is over."""
    return secrets.token_hex(SECRET_BYTES)


def commitment(game: Game, seats: int, options: Mapping[str, Value], secret: str) -> str:
    """What a table shows of its secret when it is opened."""
    return _hash({"game": game.id, "options": dict(options), "rules": game.version, "seats": seats, "secret": secret})


def old_commitment(game: Game, seats: int, options: Mapping[str, Value], seed: int, salt: str) -> str:
    """What a table of version 0.1 shows of its deal."""
    return _hash(
        {"game": game.id, "options": dict(options), "rules": game.version, "salt": salt, "seats": seats, "seed": seed}
    )


def check_nonce(text: str) -> str:
    """A player's part of a deal."""
    if not isinstance(text, str) or not _NONCE.fullmatch(text):
        raise BadNonce(
            "A nonce is a text of 32 to 128 digits 0-9 and a-f. Draw at least 16 random bytes and write them like this."
        )
    return text


def deal_seed(secret: str, nonces: Sequence[str | None]) -> str:
    """The seed of a deal in which everybody had a part; `nonces` by seat, None for a bot's."""
    return _hash({"nonces": [None if nonce is None else check_nonce(nonce) for nonce in nonces], "secret": secret})


def series_commitment(game: Game, seats: int, options: Mapping[str, Value], deals: int, secret: str) -> str:
    """What a series of deals shows of its secret before anybody joins."""
    return _hash(
        {
            "deals": deals,
            "game": game.id,
            "options": dict(options),
            "rules": game.version,
            "seats": seats,
            "secret": secret,
        }
    )


def series_seed(secret: str, nonces: Sequence[str], deal: int) -> str:
    """The seed of one deal of a series, from 1, for all tables that play it; `nonces` as people
    joined."""
    return _hash({"deal": deal, "nonces": [check_nonce(nonce) for nonce in nonces], "secret": secret})


def series_order(secret: str, nonces: Sequence[str]) -> list[int]:
    """The people of a series in the order in which they are put at tables, which nobody could
    choose."""
    seed = series_seed(secret, nonces, 0)
    return sorted(range(len(nonces)), key=lambda number: _hash({"nonce": nonces[number], "seed": seed}))


def _hash(content: Mapping[str, Json]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def verify(record: JsonObject | str | Path, shown: str | None = None, nonce: str | None = None) -> Match:
    """Replays a record and checks that its deal is the one committed to; `shown`: by the table,
    `nonce`: one that must have had a part in it."""
    content = read_record(record) if isinstance(record, str | Path) else record
    match = replay(content, plain=True)
    table = content.get("table", {})
    hidden = "secret" if "secret" in table else "salt"
    if "deal" in table and hidden == "salt":
        raise NotCommitted(
            "The secret of this deal is not in the record: it is shown when all tables have played all deals that "
            "follow from it. Download the record again then."
        )
    if "seed" not in content or not isinstance(table.get(hidden), str) or not isinstance(table.get("commitment"), str):
        raise NotCommitted(
            "This record has no commitment: it was not played at a table of the site, so there is nothing to verify "
            "but its moves."
        )
    _check_commitment(content, hidden, shown)
    nonces = _check_nonces(content) if hidden == "secret" else []
    if nonce is not None and nonce.strip().lower() not in nonces:
        raise BadRecord(
            "Your nonce had no part in this deal: it is not among those of the record. Do not trust this record, "
            "unless it is of another match."
        )
    return match


def _check_commitment(content: JsonObject, hidden: str, shown: str | None) -> None:
    table = content["table"]
    keys = ("game", "options", "rules", "seats", *(("seed",) if hidden == "salt" else ()))
    series = {"deals": table.get("deals")} if "deal" in table else {}
    facts = {key: content[key] for key in keys} | {hidden: table[hidden]} | series
    computed = [_hash({**facts, "options": options}) for options in _same_options(content)]
    recorded = table["commitment"]
    for claimed in (recorded, shown or recorded):
        if claimed.strip().lower() not in computed:
            raise BadRecord(
                f"This is not the deal that was committed to: the record gives the commitment {computed[0]}, the one "
                f"told is {claimed}. "
                f"Do not trust this record."
            )


def _same_options(content: JsonObject) -> Iterator[JsonObject]:
    """The options of a record, and all other ways to write the same: without some that are at their
    defaults. For a while records named options that had come after their table was committed to."""
    defaults = {option.name: option.default for option in find_game(content["game"]).options}
    options = content["options"]
    usual = [name for name, value in options.items() if value == defaults[name]]
    for count in range(min(len(usual), MOST_CAME_SINCE) + 1):
        for left_out in combinations(usual, count):
            yield {name: value for name, value in options.items() if name not in left_out}


def _check_nonces(content: JsonObject) -> list[str | None]:
    """The nonces by seat, after a look whether they and the secret give the deal, and whether it is
    said who made them."""
    table = content["table"]
    nonces, makers = table.get("nonces"), table.get("nonce_makers")
    if (
        not isinstance(nonces, list)
        or not isinstance(makers, list)
        or len(nonces) != len(makers)
        or ("deal" not in table and len(nonces) != content["seats"])
    ):
        raise BadRecord(
            "This record does not say which nonces had a part in its deal, and who made them, for every player. Do "
            "not trust it."
        )
    if any(
        maker not in NONCE_MAKERS if nonce is not None else maker is not None
        for nonce, maker in zip(nonces, makers, strict=True)
    ):
        raise BadRecord(
            f"This record does not say who made its nonces; makers are {', '.join(NONCE_MAKERS)}, and nobody where "
            "there is no nonce."
        )
    try:
        seed = _series_seed_of(table, nonces) if "deal" in table else deal_seed(table["secret"], nonces)
    except BadNonce as error:
        raise BadRecord(f"This record has a nonce that is none. {error}") from error
    if seed != content["seed"]:
        raise BadRecord(
            f"This deal does not follow from secret and nonces: they give the seed {seed}. Do not trust this record."
        )
    return nonces


def _series_seed_of(table: JsonObject, nonces: list[str]) -> str:
    deal, deals = table["deal"], table.get("deals")
    if type(deal) is not int or type(deals) is not int or not 1 <= deal <= deals:
        raise BadRecord("This record does not say which of the deals of its series it is. Do not trust it.")
    return series_seed(table["secret"], nonces, deal)
