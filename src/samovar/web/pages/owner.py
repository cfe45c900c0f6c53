"""For the owners of a site: what is going on, who comes in, what is said to all, and what they took away."""

from __future__ import annotations

from litestar import get, post
from litestar.params import FromPath
from litestar.response import Redirect, Response

from samovar.web import problems
from samovar.web.pages.home import game_names, read_number
from samovar.web.pages.invitation import members_of
from samovar.web.people.owning import INVITED, WITHDRAWN, OwnerOrder, Owning
from samovar.web.problems import N_
from samovar.web.store.queries.members import MEMBER, OWNER
from samovar.web.tables import clock
from samovar.web.visit import AnyRequest, Visit


async def owner_of(request: AnyRequest) -> Visit:
    """The owner who asks; to everybody else there is no such page."""
    visit = Visit(request)
    if not visit.person or await members_of(request).role(visit.person) != OWNER:
        raise problems.NoSuchPage
    return visit


def owning_of(request: AnyRequest) -> Owning:
    owning: Owning = request.app.state.owning
    return owning


@get("/owner")
async def owner_page(request: AnyRequest) -> Response[str]:
    visit = await owner_of(request)
    overview = await owning_of(request).overview()
    own, state = owning_of(request).ref(visit.person or ""), request.app.state
    waits = {
        N_("Bots’ thoughts"): round(state.tables.bot_pool.metrics().get("waiting", 0)),
        N_("Reviews"): state.reviews.waiting,
        N_("Orders of the lab"): state.lab.waiting,
        N_("Messages to players"): overview.messages,
    }
    return visit.page("owner.html", site=overview, own=own, games=game_names(), now=clock.now(), waits=waits)


async def carry_out(request: AnyRequest, back: str = "/owner", **about: str) -> Redirect:
    """What a form asks for."""
    visit = await owner_of(request)
    form = await visit.form()
    told = {"do": str(form.get("do", "")), "text": str(form.get("text", "")), **about}
    order = OwnerOrder(**told, number=read_number(form, "number", 0))
    await owning_of(request).carry_out(visit.name, order, visit.tell, visit.person or "")
    return visit.go(back)


@post("/owner/announce", status_code=200)
async def announce(request: AnyRequest) -> Redirect:
    return await carry_out(request, do="announce")


@post("/owner/keep", status_code=200)
async def keep(request: AnyRequest) -> Redirect:
    """For how many days finished games stay."""
    return await carry_out(request, do="keep")


@post("/owner/invite", status_code=200)
async def invite(request: AnyRequest) -> Response[str]:
    visit = await owner_of(request)
    form = await visit.form()
    try:
        days, uses = int(str(form.get("days", "7"))), int(str(form.get("uses", "1")))
    except ValueError as error:
        raise problems.Problem from error
    role = OWNER if form.get("role") == OWNER else MEMBER
    key = await members_of(request).invite(visit.person or "", role, days=days, uses=uses)
    await owning_of(request).note(visit.name, INVITED, f"{role} · {uses}")
    return visit.page("invited.html", link=f"{visit.address}/invitation/{key}", days=days, people=uses)


@post("/owner/withdraw/{invitation_id:str}", status_code=200)
async def withdraw(request: AnyRequest, invitation_id: FromPath[str]) -> Redirect:
    visit = await owner_of(request)
    await members_of(request).withdraw(invitation_id)
    await owning_of(request).note(visit.name, WITHDRAWN, "")
    return visit.go("/owner")


@post("/owner/member/{ref:str}", status_code=200)
async def change_member(request: AnyRequest, ref: FromPath[str]) -> Redirect:
    """Block somebody, let them in again, or erase all that is kept of them."""
    return await carry_out(request, member=ref)


@get("/owner/table/{table_id:str}")
async def table_page(request: AnyRequest, table_id: FromPath[str]) -> Response[str]:
    """Who sits at a table and what they said; none of its cards."""
    visit = await owner_of(request)
    table = await visit.tables.look(table_id)
    return visit.page("owner_table.html", table=table, games=game_names())


@post("/owner/table/{table_id:str}", status_code=200)
async def change_table(request: AnyRequest, table_id: FromPath[str]) -> Redirect:
    await owner_of(request)
    is_gone = (await request.form()).get("do") == "close"
    return await carry_out(request, "/owner" if is_gone else f"/owner/table/{table_id}", table=table_id)
