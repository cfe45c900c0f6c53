"""The hashes that a record holds: of the state at the end, and of all the rest."""

from __future__ import annotations

import hashlib
import json

from samovar.errors import BadRecord
from samovar.json_types import JsonObject


def hash_of(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def digest_of(record: JsonObject) -> str:
    """Of a record without its own digest."""
    return hash_of(json_bytes({key: value for key, value in record.items() if key != "digest"}))


def json_bytes(record: JsonObject) -> bytes:
    try:
        return json.dumps(record, sort_keys=True, ensure_ascii=False, allow_nan=False).encode()
    except (TypeError, ValueError) as error:
        raise BadRecord(f"This record holds what JSON in UTF-8 cannot: {error}.") from error
