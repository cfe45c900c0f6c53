"""The ways in, where not everybody may: what strangers see, a link that invites, and links that members make."""

from __future__ import annotations

from litestar import get, post
from litestar.params import FromPath
from litestar.response import Redirect, Response

from samovar.web import problems
from samovar.web.names import check_name
from samovar.web.people.members import DAYS, Members
from samovar.web.visit import IS_CLOSED, AnyRequest, Visit


def members_of(request: AnyRequest) -> Members:
    members: Members = request.app.state.members
    return members


@get(["/closed", "/api/closed"])
async def closed(request: AnyRequest) -> Redirect:
    """For everybody who may not come in, whatever they have asked for; nobody else has been here. A pupil is led back
    to their class."""
    visit = Visit(request)
    if IS_CLOSED in request.scope and visit.class_id and request.scope["path"] == "/closed":
        return visit.go(f"/class/{visit.class_id}")
    if IS_CLOSED not in request.scope:
        raise problems.NoSuchPage
    raise problems.Blocked if request.app.state.entry.is_open else problems.NotInvited


@get("/invitation/{key:str}")
async def invitation_page(request: AnyRequest, key: FromPath[str]) -> Response[str] | Redirect:
    """It only asks: programs that look at links in messages must not use them up."""
    visit = Visit(request)
    members = members_of(request)
    if await members.invitation(key) is None:
        raise problems.SpentInvitation
    if visit.person and await members.role(visit.person):
        return visit.go("/")
    return visit.page("invitation.html", key=key)


@post("/invitation/{key:str}", status_code=200)
async def accept(request: AnyRequest, key: FromPath[str]) -> Redirect:
    visit = Visit(request)
    name = check_name(str((await visit.form()).get("name", "")))
    person = visit.make_person()
    if not await members_of(request).accept(key, person):
        raise problems.SpentInvitation
    await visit.people.change(person, name=name)  # owners read in the list of members who came
    visit.remember(name=name)
    return visit.go("/")


@post("/invite", status_code=200)
async def invite(request: AnyRequest) -> Response[str]:
    """A link for one more person, shown to the one who makes it and kept nowhere."""
    visit, members = Visit(request), members_of(request)
    if not visit.may_invite or not visit.person or not await members.role(visit.person):
        raise problems.NoSuchPage
    key = await members.invite(visit.person)
    link = f"{visit.address}/invitation/{key}"
    return visit.page("invited.html", link=link, days=DAYS, people=1)
