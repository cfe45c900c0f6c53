"""All that is kept of somebody: as a file, or gone."""

from __future__ import annotations

from litestar import get, post
from litestar.response import Redirect, Response, Stream

from samovar.web import problems
from samovar.web.jobs.replays import Replays
from samovar.web.pages.school import classes_of
from samovar.web.people import own_data
from samovar.web.visit import AnyRequest, Visit

SOMEBODY = problems.N_("Somebody")
FILE = {"Content-Disposition": 'attachment; filename="samovar.json"'}


def anybody(visit: Visit) -> str:
    """Whoever has sat down or has a page."""
    if visit.person is None:
        raise problems.NobodyYet
    return visit.person


@get("/me/export")
async def export(request: AnyRequest) -> Stream:
    visit = Visit(request)
    pieces = own_data.export(visit.tables, visit.people, anybody(visit))
    return Stream(pieces, media_type="application/json", headers=FILE)


@get("/me/delete")
async def ask(request: AnyRequest) -> Response[str]:
    visit = Visit(request)
    anybody(visit)
    return visit.page("me_delete.html", somebody=visit.tell(SOMEBODY))


@post("/me/delete", status_code=200)
async def delete(request: AnyRequest) -> Redirect:
    visit = Visit(request)
    person = anybody(visit)
    if (await visit.form()).get("sure") != "yes":
        raise problems.NotSure
    replays: Replays = request.app.state.replays
    for one in [*await own_data.companions_of(visit.tables.store, visit.device), person]:
        await classes_of(request).delete_all_of(one)
        for table_id in await own_data.delete(visit.tables, visit.people, one, visit.tell(SOMEBODY)):
            replays.forget(table_id)
    visit.go_away()
    return visit.go("/")
