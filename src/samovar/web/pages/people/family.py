"""The family table: those who play on this device, week by week."""

from __future__ import annotations

from litestar import get, post
from litestar.params import FromQuery
from litestar.response import Redirect, Response

from samovar.web.names import check_name
from samovar.web.pages.people.me import read_choice
from samovar.web.people.family import SIGNS, FamilySign, family_of, past_weeks, sign_of, with_sign
from samovar.web.people.people import COLOURS, MARKS
from samovar.web.tables import clock
from samovar.web.visit import AnyRequest, Visit


@get("/family")
async def family(request: AnyRequest, of: FromQuery[str] = "") -> Response[str]:
    """`of`: whose sign is to be chosen."""
    visit = Visit(request)
    found = await family_of(visit.tables.store, visit.device, visit.person or "", clock.now())
    return visit.page(
        "family.html",
        family=found,
        past_weeks=past_weeks(found),
        signs=visit.recall(SIGNS),
        chosen=next((one.name for one in found if one.name == of), ""),
        marks=MARKS,
        colours=COLOURS,
    )


@post("/family", status_code=200)
async def choose_sign(request: AnyRequest) -> Redirect:
    """For a name on this device."""
    visit = Visit(request)
    form = await visit.form()
    name = check_name(str(form.get("name", "")))
    usual = sign_of(visit.recall(SIGNS), name)
    mark, colour = read_choice(form, "mark", MARKS), read_choice(form, "colour", COLOURS)
    sign = FamilySign(mark or usual.mark, colour or usual.colour)
    visit.remember(**{SIGNS: with_sign(visit.recall(SIGNS), name, sign)})
    return visit.go("/family")
