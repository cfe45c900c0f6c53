"""When somebody may be sent a message: not at night, not too often."""

from __future__ import annotations

from datetime import datetime, timedelta

from samovar.web.people.people import Wishes
from samovar.web.store.queries.outbox import DAY_MS, Channel
from samovar.web.tables.post.calendar import zone_named

MOST_A_DAY = 60  # messages on one channel
MINUTE_MS = 60 * 1000


def allowed_at(wishes: Wishes, channel: Channel, now: int) -> int:
    """The first moment from now on at which a message may go out; all in milliseconds."""
    moment = max(now, channel.sent + wishes.minutes * MINUTE_MS)
    if channel.count >= MOST_A_DAY and channel.day == now // DAY_MS:
        moment = max(moment, (channel.day + 1) * DAY_MS)
    return after_quiet(wishes, moment)


def after_quiet(wishes: Wishes, moment: int) -> int:
    """The same moment, or when the quiet hours that it falls into are over."""
    first, last = wishes.quiet_from, wishes.quiet_until
    there = datetime.fromtimestamp(moment / 1000, zone_named(wishes.zone))
    is_quiet = first <= there.hour < last if first <= last else not last <= there.hour < first
    if not is_quiet:
        return moment
    day = there if there.hour < last else there + timedelta(days=1)
    return int(day.replace(hour=last, minute=0, second=0, microsecond=0).timestamp() * 1000)
