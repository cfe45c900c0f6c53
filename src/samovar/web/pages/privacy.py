"""What the site keeps of people: made from the tables of its database and from how it is run, so that nothing is
forgotten here. A test compares."""

from __future__ import annotations

from typing import NamedTuple

from litestar import get
from litestar.response import Response

from samovar.web.problems import N_
from samovar.web.site import Site
from samovar.web.visit import AnyRequest, Visit


class KeptFacts(NamedTuple):
    """What a part of the database is about: what is kept, and for how long."""

    tables: tuple[str, ...]
    what: str
    until: str


KEPT = (
    KeptFacts(
        ("tables", "entries", "holders", "hands"),
        N_("Your games: the name you gave yourself, every move, what you said at the table, and when."),
        N_("Until you delete it all on your page, or the owners of the site remove old games."),
    ),
    KeptFacts(
        ("presence", "claims"),
        N_("When you were last seen at a table, so that the others know whether you are away."),
        N_("As long as the table."),
    ),
    KeptFacts(
        ("ahead",),
        N_("In games by post: the moves that you have made ahead. Nobody else sees them."),
        N_("Until the game is over, or you remove them."),
    ),
    KeptFacts(
        ("results", "solved"),
        N_("How your games and puzzles came out."),
        N_("Until you delete it all on your page. Your name is then taken out of what others keep."),
    ),
    KeptFacts(
        ("people",),
        N_("If you have made a page of your own: your name, sign, colour, language and wishes."),
        N_("Until you delete it all on your page."),
    ),
    KeptFacts(
        ("series", "series_tables"),
        N_("Club evenings and classes: the names in them, and who has chosen which."),
        N_(
            "A club evening that never begins: seven days. Other evenings stay. A class: until its teacher deletes it; "
            "who has chosen which name is forgotten when the lesson ends."
        ),
    ),
    KeptFacts(
        ("circle_members",),
        N_(
            "Circles: who is in them and what they are called there, how their seasons ended, and where they send "
            "messages."
        ),
        N_(
            "Until you leave the circle, or its owner deletes it. How a season ended stays, until you delete it all on "
            "your page."
        ),
    ),
    KeptFacts(
        ("tours", "notes"),
        N_(
            "If you look at a game together with others: the name you gave yourself, what you said, and what you wrote "
            "beside moves."
        ),
        N_(
            "What was said: 30 days after the last change. What stands beside moves: as long as the game, or until you "
            "take it away, or delete it all on your page."
        ),
    ),
    KeptFacts(
        ("members", "invitations"),
        N_("Who may come in, and who has invited them. Of an invitation only a fingerprint is kept."),
        N_(
            "Until an owner erases you. Of somebody who was blocked a fingerprint stays, so that they stay blocked. "
            "An invitation goes when it has ended; a pupil when the lesson ends."
        ),
    ),
    KeptFacts(
        ("ways", "calls", "letters"),
        N_(
            "If you want messages: the address they go to, and which were sent. Of an address that was asked and said "
            "no, only a fingerprint is kept."
        ),
        N_("Until you remove the address on your page. The fingerprint of a no stays, so that nobody asks again."),
    ),
    KeptFacts(
        ("visits",),
        N_("How often your network address has asked for something, so that nobody can overload the site."),
        N_("At most a day. A site with one process keeps it in memory only."),
    ),
    KeptFacts(
        ("owner_log", "facts"),
        N_("What the owners of the site did, with their names, and what they say to everybody."),
        N_("The last thousand actions."),
    ),
)
COOKIES = (
    N_("One says who you are on this site, and goes after 400 days without a visit."),
    N_("One protects forms from other sites, and goes when you close the browser."),
)


def notes_of(site: Site, retention_days: int) -> list[str]:
    """In the order in which they are read."""
    notes = (
        (N_("Only people who were invited come in."), site.entry == "invited"),
        (N_("A proxy in front of this site says who you are, and the site keeps that name."), site.entry == "header"),
        (N_("Anybody can come in, without an account and without an address."), site.entry == "open"),
        (N_("Finished games are removed by themselves after a time that the owners have chosen."), retention_days > 0),
        (N_("This site can send e-mail, if you ask for it."), bool(site.mail_server)),
    )
    return [says for says, is_so in notes if is_so]


@get("/privacy")
async def privacy(request: AnyRequest) -> Response[str]:
    visit = Visit(request)
    days = await request.app.state.owning.retention()
    notes = notes_of(request.app.state.site, days)
    return visit.page("privacy.html", kept=KEPT, cookies=COOKIES, notes=notes, days=days)
