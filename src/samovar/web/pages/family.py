"""The family table: those who play on this device, week by week."""

from __future__ import annotations

from litestar import get
from litestar.response import Response

from samovar.web.people.family import family_of, past_weeks
from samovar.web.tables import clock
from samovar.web.visit import AnyRequest, Visit


@get("/family")
async def family(request: AnyRequest) -> Response[str]:
    visit = Visit(request)
    found = await family_of(visit.tables.store, visit.device, visit.person or "", clock.now())
    return visit.page("family.html", family=found, past_weeks=past_weeks(found))


HANDLERS = [family]
