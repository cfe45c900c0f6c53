"""People as they want to be known, without an account: whoever has sat down is a person, and may
keep a name and wishes that go with them to other devices."""

from __future__ import annotations

import secrets
import time
from typing import Any

import msgspec
from sqlalchemy import Connection, text

from samovar.web.store import Store

RECALL = text("SELECT profile FROM people WHERE person = :person")
KEEP = text(
    "INSERT INTO people (person, nonce, profile, changed) VALUES (:person, :nonce, :profile, :changed) "
    "ON CONFLICT (person) DO UPDATE SET profile = excluded.profile, changed = excluded.changed"
)


class Wishes(msgspec.Struct, frozen=True, omit_defaults=True):
    """When somebody who is away wants to be called."""

    quiet_from: int = 22  # o'clock, where they are
    quiet_until: int = 7  # the same as `quiet_from`: at any time
    zone: str = "UTC"  # where they are, as the browser says it: `Europe/Paris`
    minutes: int = 10  # at least, between two messages; what comes in between is told in one


class Profile(msgspec.Struct, frozen=True, omit_defaults=True):
    """A field that comes later has a default."""

    name: str = ""
    mark: str = ""
    colour: str = ""
    language: str = ""
    pace: str = ""  # of what the others do, as the browser shows it
    sound: bool = False
    is_rated: bool = False  # joined the table of the site's players
    wishes: Wishes = Wishes()


class People:
    def __init__(self, store: Store) -> None:
        self._store = store

    async def profile(self, person: str) -> Profile:
        """An empty one of those who have said nothing."""
        rows = await self._store.all(RECALL, person=person)
        return msgspec.json.decode(rows[0].profile, type=Profile) if rows else Profile()

    async def keep(self, person: str, profile: Profile) -> None:
        await self._store.do(_keep, person, msgspec.json.encode(profile).decode())

    async def change(self, person: str, **changes: Any) -> Profile:
        """The profile with these changes, and all else as it was."""
        profile = msgspec.structs.replace(await self.profile(person), **changes)
        await self.keep(person, profile)
        return profile


def _keep(connection: Connection, person: str, profile: str) -> None:
    now = time.time_ns() // 1_000_000
    connection.execute(KEEP, {"person": person, "nonce": secrets.token_hex(8), "profile": profile, "changed": now})
