"""What the owner of a circle keeps in order: its name and sign, the link, its seasons, where it tells what, and who
is in it."""

from __future__ import annotations

import asyncio
import secrets
from datetime import UTC, datetime

import msgspec
from litestar import get, post
from litestar.params import FromPath, FromQuery
from litestar.response import Redirect, Response

from samovar.web import problems
from samovar.web.game_list import all_games, game_named
from samovar.web.names import check_name
from samovar.web.notifications.channels import HOUR_MS, now_ms
from samovar.web.notifications.hooks import FORMS, HOOK, Hook, check_hook, request_of
from samovar.web.notifications.outside import Forbidden, NotReached
from samovar.web.notifications.sender import NotDelivered
from samovar.web.notifications.words import Message
from samovar.web.pages.home import read_number
from samovar.web.pages.people.circle import CircleVisit
from samovar.web.pages.people.me import read_choice
from samovar.web.pages.people.notifications import OUTCOMES, TROUBLES, BadTarget, NotificationsVisit
from samovar.web.pages.table import qr_code
from samovar.web.people.circles import DAY_MS, MOST_DAYS, MOST_PHRASES, Circle, read_phrases
from samovar.web.people.daily import has_deal
from samovar.web.people.people import COLOURS, MARKS
from samovar.web.people.seasons import METHODS
from samovar.web.problems import N_
from samovar.web.store.queries.circles import HOOKS
from samovar.web.store.queries.outbox import Channel
from samovar.web.tables import clock
from samovar.web.visit import AnyRequest


class KeepVisit(CircleVisit, NotificationsVisit):
    """Of an owner."""

    async def hook(self, circle_id: str, channel_id: str) -> Channel:
        return await self.channels.one(channel_id, f"{HOOKS}{circle_id}")

    def back_to(self, circle_id: str, told: str = "kept") -> Redirect:
        return self.go(f"/circle/{circle_id}/keep?told={told}")


async def owner(request: AnyRequest, circle_id: str) -> tuple[KeepVisit, Circle]:
    visit = KeepVisit(request)
    return visit, await visit.circles.for_host(circle_id, visit.person)


@get("/circle/{circle_id:str}/keep")
async def show(request: AnyRequest, circle_id: FromPath[str], told: FromQuery[str] = "") -> Response[str]:
    visit, circle = await owner(request, circle_id)
    channels = await visit.channels.of(f"{HOOKS}{circle_id}")
    return visit.page(
        "circle_keep.html",
        circle_id=circle_id,
        circle=circle,
        link=f"{visit.address}/circle/come/{visit.circles.key(circle_id, circle)}",
        games=[game for game in all_games() if has_deal(game)],
        marks=MARKS,
        colours=COLOURS,
        methods=METHODS,
        most_phrases=MOST_PHRASES,
        hooks=[(channel, msgspec.json.decode(channel.keys, type=Hook)) for channel in channels],
        forms=FORMS,
        outcome=OUTCOMES.get(told, ""),
        troubles=TROUBLES,
        now=clock.now(),
    )


@post("/circle/{circle_id:str}/keep", status_code=200)
async def keep(request: AnyRequest, circle_id: FromPath[str]) -> Redirect:
    visit, _ = await owner(request, circle_id)
    form = await visit.form()
    daily = str(form.get("daily", ""))
    if daily and not has_deal(game_named(daily)):
        raise problems.BadChoice(name=N_("game"), value=daily[:40])
    changes = {
        "name": check_name(str(form.get("name", ""))),
        "mark": read_choice(form, "mark", MARKS) or MARKS[0],
        "colour": read_choice(form, "colour", COLOURS) or COLOURS[0],
        "daily": daily,
        "phrases": read_phrases(str(form.get("phrases", ""))),
    }
    await visit.circles.by_host(circle_id, visit.person, lambda circle: msgspec.structs.replace(circle, **changes))
    return visit.back_to(circle_id)


@get("/circle/{circle_id:str}/link.svg")
async def link_code(request: AnyRequest, circle_id: FromPath[str]) -> Response[bytes]:
    visit, circle = await owner(request, circle_id)
    link = f"{visit.address}/circle/come/{visit.circles.key(circle_id, circle)}"
    return Response(await asyncio.to_thread(qr_code, link), media_type="image/svg+xml")


@post("/circle/{circle_id:str}/renew", status_code=200)
async def renew(request: AnyRequest, circle_id: FromPath[str]) -> Redirect:
    """Another link; the one before is of no use any more."""
    visit, _ = await owner(request, circle_id)
    salt = secrets.token_hex(8)
    await visit.circles.by_host(circle_id, visit.person, lambda circle: msgspec.structs.replace(circle, salt=salt))
    return visit.back_to(circle_id)


@post("/circle/{circle_id:str}/season", status_code=200)
async def change_season(request: AnyRequest, circle_id: FromPath[str]) -> Redirect:
    """When this one ends, and how it is counted; or it ends now."""
    visit, circle = await owner(request, circle_id)
    form = await visit.form()
    if form.get("end") == "now":
        circle = await visit.circles.rolled(circle_id)
        await visit.circles.end_season(circle_id, circle.season, at=clock.now())
        return visit.go(f"/circle/{circle_id}")
    method = read_choice(form, "method", METHODS) or METHODS[0]
    ends = read_end(str(form.get("ends", "")), circle.season.begins)

    def changed(circle: Circle) -> Circle:
        season = msgspec.structs.replace(circle.season, ends=ends, method=method)
        return msgspec.structs.replace(circle, seasons=[*circle.seasons[:-1], season])

    await visit.circles.by_host(circle_id, visit.person, changed)
    return visit.back_to(circle_id)


def read_end(text: str, begins: int) -> int:
    """The end of that day, in milliseconds since 1970."""
    try:
        ends = round(datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC).timestamp() * 1000) + DAY_MS
    except (ValueError, OverflowError) as error:
        raise problems.BadSeason from error
    if not clock.now() < ends <= max(begins, clock.now()) + MOST_DAYS * DAY_MS:
        raise problems.BadSeason
    return ends


# Where the circle tells that a table was opened


@post("/circle/{circle_id:str}/hook", status_code=200)
async def add_hook(request: AnyRequest, circle_id: FromPath[str]) -> Redirect:
    visit, _ = await owner(request, circle_id)
    form = await visit.form()
    target = str(form.get("target", "")).strip()
    room, token = (str(form.get(name, "")).strip() for name in ("room", "token"))
    hook = Hook(read_choice(form, "form", FORMS), room, token, names=form.get("names") == "yes")
    await visit.check_bounds("look up", DAY_MS, 40)
    await visit.check_bounds("add", DAY_MS, 20)
    try:
        check_hook(hook, target, allow_http=visit.sender.allows_private)
        sent = request_of(hook, target, Message("", "", "", ""), visit.address, "0" * 40)
        await visit.sender.outside.check_target(sent.url)
    except (Forbidden, NotReached) as error:
        raise BadTarget from error
    facts = HOOK, target, visit.language, visit.address, msgspec.json.encode(hook).decode()
    await visit.channels.add(f"{HOOKS}{circle_id}", *facts)
    return visit.back_to(circle_id)


@post("/circle/{circle_id:str}/hook/{channel_id:str}/try", status_code=200)
async def try_hook(request: AnyRequest, circle_id: FromPath[str], channel_id: FromPath[str]) -> Redirect:
    visit, circle = await owner(request, circle_id)
    channel = await visit.hook(circle_id, channel_id)
    await visit.check_bounds("try", HOUR_MS, 10)
    text = visit.tell(N_("This is how the circle will tell that a table was opened."))
    try:
        await visit.sender.send(
            channel, Message(circle.name, text, f"/circle/{circle_id}", "trial"), f"try-{channel.id}-{now_ms()}"
        )
    except NotDelivered as error:
        await visit.channels.tried(channel, error.status)
        return visit.back_to(circle_id, "failed")
    await visit.channels.tried(channel, None)
    return visit.back_to(circle_id, "tried")


@post("/circle/{circle_id:str}/hook/{channel_id:str}/remove", status_code=200)
async def remove_hook(request: AnyRequest, circle_id: FromPath[str], channel_id: FromPath[str]) -> Redirect:
    visit, _ = await owner(request, circle_id)
    await visit.channels.remove(await visit.hook(circle_id, channel_id))
    return visit.back_to(circle_id)


# Whose it is


@post("/circle/{circle_id:str}/hand-over", status_code=200)
async def hand_over(request: AnyRequest, circle_id: FromPath[str]) -> Redirect:
    visit, _ = await owner(request, circle_id)
    number = read_number(await visit.form(), "number", 0)
    await visit.circles.by_host(circle_id, visit.person, lambda circle: circle.handed_to(number))
    return visit.go(f"/circle/{circle_id}")


@post("/circle/{circle_id:str}/delete", status_code=200)
async def delete(request: AnyRequest, circle_id: FromPath[str]) -> Redirect:
    visit, _ = await owner(request, circle_id)
    if (await visit.form()).get("sure") != "yes":
        raise problems.NotSure
    await visit.circles.delete(circle_id, visit.person)
    return visit.go("/circle")
