"""How somebody who is away wants to be called; and what makes the site an app on a phone."""

from __future__ import annotations

import msgspec
from litestar import get, post
from litestar.datastructures import CacheControlHeader, FormMultiDict
from litestar.params import FromPath, FromQuery
from litestar.response import Redirect, Response

from samovar.web import problems
from samovar.web.drawing.render import HERE
from samovar.web.networks import network_of
from samovar.web.notifications import words
from samovar.web.notifications.channels import HOUR_MS, AskedAlready, Channels, now_ms
from samovar.web.notifications.mail import BadMail, check_address
from samovar.web.notifications.outside import Forbidden, NotReached
from samovar.web.notifications.push import BadSubscription, Subscription
from samovar.web.notifications.sender import NotDelivered, NotWanted, Sender
from samovar.web.pages.home import read_number
from samovar.web.people.people import Wishes
from samovar.web.problems import N_
from samovar.web.store.queries.outbox import DAY_MS, Channel
from samovar.web.tables.post.calendar import zones
from samovar.web.visit import Answer, AnyRequest, Visit

GAPS = (0, 10, 30, 60, 180, 720)  # minutes between two messages
# What has just happened, told on the page that follows.
OUTCOMES = {
    "tried": N_("A message is on its way. It may take a moment to arrive."),
    "failed": N_("The message was not taken there. Look at the address, then try again."),
    "gone": N_("That browser does not take messages any more, so it was removed. Add it again."),
    "asked": N_("A letter with a link is on its way. Nothing else is sent there before you have used it."),
    "kept": N_("It is kept."),
}
TROUBLES = (OUTCOMES["failed"], OUTCOMES["gone"])


class BadMailAddress(problems.Problem, status=422):
    says = N_("This is no e-mail address: give one such as anna@example.org.")


class BadTarget(problems.Problem, status=422):
    says = N_(
        "This address cannot be called. Give one of a public site that begins with https:// and has no password in it."
    )


class BadBrowser(problems.Problem, status=422):
    says = N_("The browser did not say how it can be called. Load the page again, then try once more.")


class NoMail(problems.Problem, status=404):
    says = N_("This site sends no letters. Choose another way to be called.")


class MailNotSent(problems.Problem, status=503):
    says = N_("The letter could not be sent. Check the address, and try again later.")


class NotificationsVisit(Visit):
    """With what these pages need."""

    @property
    def channels(self) -> Channels:
        return self.request.app.state.channels  # type: ignore[no-any-return]

    @property
    def sender(self) -> Sender:
        return self.request.app.state.sender  # type: ignore[no-any-return]

    async def one(self, channel_id: str) -> Channel:
        return await self.channels.one(channel_id, self.person or "")

    async def check_bounds(self, action: str, span: int, most: int) -> None:
        """So many from this person, and twice as many from their address."""
        bounds = ((f"{action} of {self.person}", most), (f"{action} from {network_of(self.client_address)}", 2 * most))
        await self.channels.check_bounds(span, *bounds)

    async def add(self, form: FormMultiDict, kind: str, target: str, keys: str = "") -> Channel:
        """With where they are, as their browser says, if they have not said it themselves."""
        person = self.make_person()
        await self.check_bounds("add", DAY_MS, 20)
        channel = await self.channels.add(person, kind, target, self.language, self.address, keys)
        zone = str(form.get("zone", ""))
        wishes = (await self.people.profile(person)).wishes
        if wishes.zone == Wishes().zone and zone in zones():
            await self.people.change(person, wishes=msgspec.structs.replace(wishes, zone=zone))
        if channel.is_confirmed:
            self.request.app.state.notifier.expect(person)
        return channel

    def back(self, outcome: str) -> Redirect:
        return self.go(f"/me/calls?told={outcome}")


@get("/me/calls")
async def notifications(request: AnyRequest, told: FromQuery[str] = "") -> Response[str]:
    visit = NotificationsVisit(request)
    profile = await visit.people.profile(visit.person or "")
    return visit.page(
        "calls.html",
        channels=await visit.channels.of(visit.person) if visit.person else [],
        wishes=profile.wishes,
        outcome=OUTCOMES.get(told, ""),
        troubles=TROUBLES,
        gaps=sorted({*GAPS, profile.wishes.minutes}),
        zones=zones(),
        key=visit.sender.push_sender.public_key,
        sends_mail=visit.sender.mail_server is not None,
        now=now_ms(),
    )


@post("/me/calls/push")
async def add_browser(request: AnyRequest) -> Redirect:
    visit = NotificationsVisit(request)
    form = await visit.form()
    endpoint, p256dh, auth = (str(form.get(name, "")) for name in ("endpoint", "p256dh", "auth"))
    subscription = Subscription(endpoint, p256dh, auth)
    try:
        subscription.check(allow_private=visit.sender.allows_private)
        visit.sender.outside.check(endpoint)
    except (BadSubscription, Forbidden) as error:
        raise BadBrowser from error
    await visit.add(form, "push", endpoint, msgspec.json.encode({"p256dh": p256dh, "auth": auth}).decode())
    return visit.back("kept")


@post("/me/calls/web")
async def add_address(request: AnyRequest) -> Redirect:
    visit = NotificationsVisit(request)
    form = await visit.form()
    target = str(form.get("target", "")).strip()
    visit.make_person()
    await visit.check_bounds("look up", DAY_MS, 40)
    try:
        await visit.sender.outside.check_target(target)
    except (Forbidden, NotReached) as error:
        raise BadTarget from error
    await visit.add(form, "web", target)
    return visit.back("kept")


@post("/me/calls/mail")
async def add_mail(request: AnyRequest) -> Redirect:
    visit = NotificationsVisit(request)
    if visit.sender.mail_server is None:
        raise NoMail
    form = await visit.form()
    try:
        target = check_address(str(form.get("target", "")))
    except BadMail as error:
        raise BadMailAddress from error
    before = await visit.channels.of(visit.person or "")
    channel = await visit.add(form, "mail", target)
    if channel.is_confirmed:
        return visit.back("kept")
    await visit.check_bounds("letter", DAY_MS, 5)
    await visit.channels.check_bounds(DAY_MS, (f"letter to {target.lower()}", 3), ("letter", 300))
    await ask_once(visit, channel, is_new=channel.id not in [one.id for one in before])
    return visit.back("asked")


async def ask_once(visit: NotificationsVisit, channel: Channel, *, is_new: bool) -> None:
    """The only mail before an answer. A channel that nobody will be asked about is not kept."""
    try:
        await visit.channels.begin_asking(channel)
    except AskedAlready:
        if is_new:
            await visit.channels.remove(channel)
        raise
    try:
        await visit.sender.ask(channel)
    except NotDelivered as error:
        await visit.channels.take_back_asking(channel)
        await visit.channels.tried(channel, error.status)
        raise MailNotSent from error
    await visit.channels.tried(channel, None)


@post("/me/calls/{channel_id:str}/try")
async def try_channel(request: AnyRequest, channel_id: FromPath[str]) -> Redirect:
    visit = NotificationsVisit(request)
    channel = await visit.one(channel_id)
    if not channel.is_confirmed:
        raise problems.Problem
    await visit.check_bounds("try", HOUR_MS, 10)
    try:
        await visit.sender.send(channel, words.trial(visit.language), f"try-{channel.id}-{now_ms()}")
    except NotWanted:
        await visit.channels.remove(channel)
        return visit.back("gone")
    except NotDelivered as error:
        await visit.channels.tried(channel, error.status)
        return visit.back("failed")
    await visit.channels.tried(channel, None)
    return visit.back("tried")


@post("/me/calls/{channel_id:str}/remove")
async def remove_channel(request: AnyRequest, channel_id: FromPath[str]) -> Redirect:
    visit = NotificationsVisit(request)
    await visit.channels.remove(await visit.one(channel_id))
    return visit.go("/me/calls")


@post("/me/calls/wishes")
async def change_wishes(request: AnyRequest) -> Redirect:
    visit = NotificationsVisit(request)
    form = await visit.form()
    old = Wishes()
    first, last = (read_number(form, name, getattr(old, name)) for name in ("quiet_from", "quiet_until"))
    minutes, zone = read_number(form, "minutes", old.minutes), str(form.get("zone", old.zone))
    if not 0 <= first < 24 or not 0 <= last < 24 or not 0 <= minutes <= GAPS[-1] or zone not in zones():
        raise problems.Problem
    await visit.people.change(visit.make_person(), wishes=Wishes(first, last, zone, minutes))
    return visit.back("kept")


# Mail: whoever reads one decides, in any browser


@get("/me/calls/letter/{key:str}")
async def mail_page(request: AnyRequest, key: FromPath[str]) -> Response[str]:
    visit = NotificationsVisit(request)
    return visit.page("letter.html", channel=await visit.channels.with_key(key), key=key, answer="")


@post("/me/calls/letter/{key:str}")
async def answer_mail(request: AnyRequest, key: FromPath[str]) -> Answer:
    visit = NotificationsVisit(request)
    channel = await visit.channels.with_key(key)
    answer = str((await visit.form()).get("answer", ""))
    if answer == "yes":
        await visit.channels.confirm(channel)
        request.app.state.notifier.expect(channel.person)
    elif answer == "no":
        await visit.channels.refuse(channel)
    else:
        raise problems.Problem
    return visit.page("letter.html", channel=channel, key=key, answer=answer)


# An app on a phone


@get("/offline")
async def offline(request: AnyRequest) -> Response[str]:
    """What is seen without a network; browsers keep it."""
    return Visit(request).page("offline.html")


@get("/service_worker.js", cache_control=CacheControlHeader(max_age=300, public=True))
async def service_worker() -> Response[bytes]:
    """From the root of the site, since it may work for pages below its own address alone."""
    return Response((HERE / "static" / "service_worker.js").read_bytes(), media_type="text/javascript; charset=utf-8")
