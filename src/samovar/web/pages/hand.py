"""One device for several people: another one sits down, and the device goes from hand to hand."""

from __future__ import annotations

from litestar import post
from litestar.params import FromPath

from samovar.web import problems
from samovar.web.names import check_name
from samovar.web.pages.home import give_signs, read_number
from samovar.web.pages.table import done, go_to
from samovar.web.store.queries.hands import NOBODY, Hand
from samovar.web.tables.companions import sit_down
from samovar.web.tables.hands import chairs_here
from samovar.web.visit import Answer, AnyRequest, Visit


@post("/table/{table_id:str}/sit-here", status_code=200)
async def sit_here(request: AnyRequest, table_id: FromPath[str]) -> Answer:
    """Somebody beside whoever sits at the table already."""
    visit = Visit(request)
    form = await visit.form()
    name = check_name(str(form.get("name", "")))
    table = await visit.tables.look(table_id)
    if not chairs_here(table, visit.person, visit.device):
        raise problems.not_seated(table.circle)
    nonce, person = str(form.get("luck", "")), visit.make_person()
    await sit_down(visit.tables, visit.make_device(), table_id, name, nonce=nonce, beside=person)
    give_signs(visit, [visit.name, name])
    return go_to(visit, f"/table/{table_id}")


@post("/table/{table_id:str}/hand", status_code=200)
async def take_hand(request: AnyRequest, table_id: FromPath[str]) -> Answer:
    """Somebody says who they are and sees their cards; without a seat the curtain falls."""
    visit = Visit(request)
    seat = read_number(await visit.form(), "seat", NOBODY.seat)
    table = await visit.tables.look(table_id)
    here = chairs_here(table, visit.person, visit.device)
    if not (visit.device and here) or seat not in (NOBODY.seat, *here):
        raise problems.not_seated(table.circle)
    # before the match begins nothing is seen that somebody could want to keep in sight
    hand = Hand(seat, table.revision if table.match is not None else NOBODY.revision)
    await visit.tables.hands.take(visit.device, table.id, hand if seat in here else NOBODY)
    return go_to(visit, f"/table/{table.id}") if seat in here else await done(visit, table)
