"""The tables of the database, by which all is asked and written. `schema.py` has the indexes that hold some rows
only, and brings all of it into a database."""

from __future__ import annotations

from typing import Any

from sqlalchemy import BigInteger, Boolean, Column, Index, Integer, MetaData, Table, Text, false, text, true

metadata = MetaData(naming_convention={"pk": "pk_%(table_name)s", "ix": "ix_%(table_name)s_%(column_0_name)s"})


def kept_table(name: str, *columns: Column[Any]) -> Table:
    return Table(name, metadata, *columns, sqlite_with_rowid=False)


# No foreign keys: a table's row and its entries are written in one transaction, guarded by `head`;
# what is swept goes in one, too.
tables = kept_table(
    "tables",
    Column("id", Text, primary_key=True),
    Column("game", Text, nullable=False),
    Column("seats", Integer, nullable=False),
    Column("status", Text, nullable=False),
    Column("is_open", Boolean, nullable=False),
    Column("actors", Integer, nullable=False),
    Column("bot_turn", Boolean, nullable=False),
    Column("free", Integer, nullable=False),
    Column("head", Integer, nullable=False),
    Column("created", BigInteger, nullable=False),
    Column("changed", BigInteger, nullable=False),
    Column("people", Integer, nullable=False, server_default="1"),
    Column("names", Text, nullable=False, server_default=text("''")),
    Column("due", BigInteger),  # when the time of whoever is to act runs out
)
Index("ix_tables_status", tables.c.status)

entries = kept_table(
    "entries",
    Column("table_id", Text, primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("kind", Text, nullable=False),
    # JSON; not of the JSON type, which refuses a NUL that somebody typed in the chat
    Column("data", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
)

holders = kept_table(
    "holders",
    Column("person", Text, primary_key=True),
    Column("table_id", Text, primary_key=True),
    Column("seat", Integer, nullable=False),
    Column("saw_end", Boolean, nullable=False, server_default=false()),
    Column("is_hidden", Boolean, nullable=False, server_default=false()),
)
Index("ix_holders_table_id", holders.c.table_id)

claims = kept_table(
    "claims",
    Column("table_id", Text, primary_key=True),
    Column("number", Integer, nullable=False),
    Column("owner", Text, nullable=False),
    Column("until", BigInteger, nullable=False),
)

facts = kept_table(
    "facts",
    Column("name", Text, primary_key=True),
    Column("value", Text, nullable=False),
)

presence = kept_table(
    "presence",
    Column("table_id", Text, primary_key=True),
    Column("seat", Integer, primary_key=True, autoincrement=False),
    Column("seen", BigInteger, nullable=False),
)

visits = kept_table(
    "visits",
    Column("who", Text, primary_key=True),
    Column("count", Integer, nullable=False),
    Column("until", BigInteger, nullable=False),
)

# People as they want to be known. Whoever has sat down is a person; a row is for those who have a
# page of their own.
people = kept_table(
    "people",
    Column("person", Text, primary_key=True),
    Column("nonce", Text, key="key_salt", nullable=False),  # makes the key of the personal link
    Column("profile", Text, nullable=False),  # JSON
    Column("changed", BigInteger, nullable=False),
    Column("cuts", Integer, nullable=False, server_default="0"),  # how often other devices were cut off
)
Index("ix_people_nonce", people.c.key_salt)

# Channels by which somebody who is away is sent messages.
channels = kept_table(
    "ways",
    Column("id", Text, primary_key=True),
    Column("person", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("target", Text, nullable=False),
    Column("keys", Text, nullable=False),  # JSON
    Column("is_confirmed", Boolean, nullable=False),
    Column("language", Text, nullable=False),
    Column("created", BigInteger, nullable=False),
    Column("address", Text, nullable=False),  # of the site, as they know it: links lead there
    Column("sent", BigInteger, nullable=False),  # when the last message came through; 0: none did
    Column("failed", BigInteger, nullable=False),  # when the last one did not
    Column("status", Integer, nullable=False),  # what was answered then; 0: nothing
    Column("failures", Integer, nullable=False),  # since one came through
    Column("day", Integer, nullable=False),  # since 1970, and how many messages it has seen
    Column("count", Integer, nullable=False),
    Column("busy", BigInteger, nullable=False),  # until when one process may send something
)
Index("ix_ways_person", channels.c.person)

# Which addresses were asked whether they want mail; a hash stands for the address.
asked_addresses = kept_table(
    "letters",
    Column("who", Text, primary_key=True),
    Column("until", BigInteger),  # when it may be asked again; NULL: never, it said no
)

# Each notification that somebody was sent, or is to be sent: its key is why nobody gets it twice.
notifications = kept_table(
    "calls",
    Column("table_id", Text, primary_key=True),
    Column("turn", Integer, primary_key=True, autoincrement=False),
    Column("kind", Text, primary_key=True),
    Column("way", Text, key="channel", primary_key=True),
    Column("seat", Integer, nullable=False),
    Column("head", Integer, nullable=False),  # of the table, when this was decided
    Column("due", BigInteger, nullable=False),
    Column("tries", Integer, nullable=False),
    Column("is_done", Boolean, nullable=False),
)
Index("ix_calls_way", notifications.c.channel)
# An index holds these rows only, and is found by the same words.
IS_WAITING = text("NOT is_done")

# How each seat of a match came out.
results = kept_table(
    "results",
    Column("table_id", Text, primary_key=True),
    Column("seat", Integer, primary_key=True, autoincrement=False),
    Column("game", Text, nullable=False),
    Column("seats", Integer, nullable=False),
    Column("person", Text, nullable=False),  # '': a bot, or somebody who wants to be forgotten
    Column("name", Text, nullable=False),
    Column("level", Text, nullable=False),  # of a bot
    Column("place", Integer, nullable=False),  # of the team
    Column("score", Integer),
    Column("is_rated", Boolean, nullable=False),
    Column("ended", BigInteger, nullable=False),
    Column("team", Integer, nullable=False, server_default="0"),
    Column("success", Integer),  # of a thousand, where all seats are one team
)
Index("ix_results_person", results.c.person, results.c.ended)
IS_RATED = text("is_rated")  # the same

# In whose hand a device is that several people share at a table.
hands = kept_table(
    "hands",
    Column("device", Text, primary_key=True),
    Column("table_id", Text, primary_key=True),
    Column("seat", Integer, nullable=False),  # -1: in nobody's
    Column("revision", Integer, nullable=False),  # of the table when it was taken
)
Index("ix_hands_table_id", hands.c.table_id)

# What tables belong to: a club evening or the deal of a day, at which all are dealt the same cards; a class; a circle.
series = kept_table(
    "series",
    Column("id", Text, primary_key=True),
    Column("kind", Text, nullable=False),  # "club", "daily", "class" or "circle"
    Column("host", Text, nullable=False),  # the person who may begin and end it
    Column("tables", Integer, nullable=False),  # that play each deal; 0: any number
    Column("deals", Integer, nullable=False),
    Column("closes", BigInteger),  # when all is shown, at the latest; NULL: it has not begun
    Column("version", Integer, nullable=False),  # of its data: of two who change it one comes first
    Column("data", Text, nullable=False),  # JSON
    Column("created", BigInteger, nullable=False),
    Column("circle", Text, nullable=False, server_default=text("''")),  # whose it is; that of a circle is its own
    # of a circle: a hash of the key by which people come in; whoever reads the database cannot
    Column("link", Text, nullable=False, server_default=text("''")),
)
Index("ix_series_host", series.c.host, series.c.created)

series_tables = kept_table(
    "series_tables",
    Column("table_id", Text, primary_key=True),
    Column("series", Text, nullable=False),
    Column("deal", Integer, nullable=False),  # from 1
    Column("company", Integer, nullable=False),  # those who play together, from 0
)
Index("ix_series_tables_series", series_tables.c.series, series_tables.c.deal)

# Who is in which circle: what a circle says of them is in its data, and this finds it.
circle_members = kept_table(
    "circle_members",
    Column("person", Text, primary_key=True),
    Column("circle", Text, primary_key=True),
)
Index("ix_circle_members_circle", circle_members.c.circle)

# Which puzzles somebody has answered.
solved = kept_table(
    "solved",
    Column("person", Text, primary_key=True),
    Column("game", Text, primary_key=True),
    Column("puzzle", Text, primary_key=True),
    Column("at", BigInteger, nullable=False),
    Column("wrong", Integer, nullable=False, server_default="0"),  # answers before it was solved
    Column("is_solved", Boolean, nullable=False, server_default=true()),
)

# Those who may come in, where not everybody may.
members = kept_table(
    "members",
    Column("person", Text, primary_key=True),
    Column("role", Text, nullable=False),  # "owner" or "member"
    Column("invited_by", Text, nullable=False),  # '': by the site itself
    Column("since", BigInteger, nullable=False),
    Column("is_blocked", Boolean, nullable=False, server_default=false()),
)

invitations = kept_table(
    "invitations",
    Column("id", Text, primary_key=True),  # a hash: whoever reads the database cannot come in by it
    Column("role", Text, nullable=False),  # of those who come by it
    Column("made_by", Text, nullable=False),
    Column("created", BigInteger, nullable=False),
    Column("ends", BigInteger, nullable=False),
    Column("uses", Integer, nullable=False),  # how many people may still come by it
)
Index("ix_invitations_made_by", invitations.c.made_by)

# What owners of the site did.
owner_log = kept_table(
    "owner_log",
    Column("id", Text, primary_key=True),
    Column("at", BigInteger, nullable=False),
    Column("who", Text, nullable=False),  # the name of an owner
    Column("action", Text, nullable=False),
    Column("about", Text, nullable=False),
)
Index("ix_owner_log_at", owner_log.c.at)

# Tours: records that several people look at together.
tours = kept_table(
    "tours",
    Column("id", Text, primary_key=True),
    Column("record", Text, nullable=False),
    Column("host", Text, nullable=False),  # the person who began it
    Column("of_class", Text, nullable=False),  # whose pupils it is for; '': for everybody with its link
    Column("version", Integer, nullable=False),  # of its data: of two who change it one comes first
    Column("data", Text, nullable=False),  # JSON
    Column("created", BigInteger, nullable=False),
    Column("changed", BigInteger, nullable=False),
)
Index("ix_tours_host", tours.c.host, tours.c.created)
Index("ix_tours_of_class", tours.c.of_class, tours.c.created)
Index("ix_tours_record", tours.c.record)

# What people have written beside moves of a record.
notes = kept_table(
    "notes",
    Column("id", Text, primary_key=True),
    Column("record", Text, nullable=False),
    Column("at", Integer, nullable=False),  # after so many moves
    Column("person", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("created", BigInteger, nullable=False),
)
Index("ix_notes_record", notes.c.record, notes.c.at)
Index("ix_notes_person", notes.c.person)
# Moves that somebody has made ahead, by post: beside the log, so that nobody else can tell that there are any.
ahead = kept_table(
    "ahead",
    Column("table_id", Text, primary_key=True),
    Column("seat", Integer, primary_key=True, autoincrement=False),
    Column("data", Text, nullable=False),  # JSON
    Column("looked", Integer, nullable=False),  # the head of the table when it was looked at last
    Column("turn", Integer, nullable=False),  # how many moves the seat had made when `due` was drawn
    Column("due", BigInteger),  # when the next one is made; NULL: it is not known that one can be
)
