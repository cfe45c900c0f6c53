"""Faults put into the site on purpose, each in a place of its own, to see that the hostile visitor finds
them. The first ones are what the site once did: they stay here as they were."""

from __future__ import annotations

import re
from contextlib import contextmanager
from unittest.mock import patch

from samovar.web.api import api, messages
from samovar.web.drawing import looks
from samovar.web.people import own_data
from samovar.web.people.circles import Circle
from samovar.web.people.classes import SchoolClass
from samovar.web.server import entry
from samovar.web.store.entries import Pause
from samovar.web.tables import clock, series
from samovar.web.tables.post.ahead import MovesAhead
from samovar.web.tables.table import Table


def planted(place, name, worse):
    """A way to break the site like this for a while."""

    @contextmanager
    def broken():
        with patch.object(place, name, worse):
            yield

    return broken


# What the site once did


async def _told_again(tables, table, seat):
    """Whoever had a chair at the old table is given the key of the next one's, whoever holds it now."""
    again = messages.Again(table=str(table.again))
    if seat is not None:
        after = await tables.look(again.table)
        if after.chairs[seat].key_salt:
            again.seat, again.token = seat, after.key(seat, tables.secret)
    return again


async def _cut_off(tables, people, persons):
    """The keys of the person's chairs stay as they were."""
    return await people.cut_off(persons[0])


def _taken_back(self, entry, seat, left):
    """What others used of their time before a move was taken back is gone."""
    earned = sum(move.gift for move in self.moves[entry.moves :] if move.seat == seat)
    return left - earned if left > earned else self.allowance.least


# What it never did

_keep = MovesAhead._keep
_draw_past, _told_news, _rename, _answer = looks.draw_past, looks.news_texts, Table.rename, Table.answer


def _draw_past_open(secret, table, kind, away, at):
    """A step back through the moves shows something of the whole truth of that moment."""
    parts = _draw_past(secret, table, kind, away, at)
    past = table.playing.positions[min(at, len(table.playing.history))]
    return parts | {"board": f"{parts['board']}<!-- {hash(past)} -->"}


def _told_news_open(table, scene, before):
    """What is told of the move before the last has the whole truth in it."""
    told = _told_news(table, scene, before)
    places = sorted(told)[-2:-1]
    return told | {
        place: told[place]._replace(line=f"<li>{hash(table.playing.positions[place])}</li>") for place in places
    }


def _rename_silently(self, seat, name):
    """Something changes at the table that its log does not know."""
    self.opener = seat
    return _rename(self, seat, name)


def _answer_broken(self, seat, *, agrees):
    """A mistake of the site's own."""
    return _answer(self, self.asking.seat if seat < 0 else seat, agrees=bool(1 // len(self.changes)) and agrees)


def _everybody_is_free(pattern):
    return re.compile(pattern.pattern + r"|/record/.*|/table/.*", re.ASCII)


async def _keep_aloud(self, table, *rest):
    """The others can read that somebody has made moves ahead."""
    await self._do(table.id, lambda table: table.say(0, "Hm?"))
    return await _keep(self, table, *rest)


async def _all_of_the_site(self, scope, class_id):
    """A pupil goes wherever they like."""
    return True


old_token_opens_the_next_chair = planted(api, "table_after", _told_again)
cutting_off_leaves_the_keys = planted(own_data, "cut_off", _cut_off)
taking_back_costs_others_time = planted(clock.Clocks, "_taken_back", _taken_back)
a_step_back_shows_the_truth = planted(looks, "draw_past", _draw_past_open)
the_news_of_before_show_the_truth = planted(looks, "news_texts", _told_news_open)
a_change_that_is_in_no_log = planted(Table, "rename", _rename_silently)
a_mistake_of_the_site = planted(Table, "answer", _answer_broken)
strangers_see_records = planted(entry, "FREE", _everybody_is_free(entry.FREE))
pupils_go_outside = planted(entry.EntryCheck, "_is_of_class", _all_of_the_site)
pupils_do_what_teachers_do = planted(SchoolClass, "check_teacher", lambda self, person: None)
a_pause_holds_nobody = planted(Table, "_check_not_paused", lambda self: None)


async def _anybody(store, circle, person):
    """Who is not in a circle sees its tables."""
    return True


def _pause_at_once(self, seat, *, is_wanted):
    """Whoever asks for a pause has it."""
    return [Pause(ends=not is_wanted, seat=seat)]


a_pause_without_consent = planted(Table, "want_pause", _pause_at_once)
strangers_see_tables_of_circles = planted(series, "is_member", _anybody)
members_do_what_owners_do = planted(Circle, "check_host", lambda self, person: None)
plans_are_told = planted(MovesAhead, "_keep", _keep_aloud)
muting_changes_nothing = planted(Table, "remarks_without", lambda self, muted: self.remarks)
