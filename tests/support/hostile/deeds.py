"""The table of deeds: what anybody can do on the site, a row each. A route or a kind of entry that no
row names is found by a test; an action at a table gets a row that aims at nothing.

`how` gets the evening and makes a request of it, or nothing where there is no chance for it now. Most
deeds are tried by who may do them; some by anybody else, with old keys, or once more.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from msgspec.structs import fields

from samovar.engine.heuristics import LEVEL_NAMES
from samovar.engine.registry import find_game
from samovar.teach.puzzles import puzzles_of
from samovar.web.people.people import COLOURS, MARKS
from samovar.web.store.entries import (
    Agree,
    Ask,
    BringNextNonce,
    BringNonce,
    Cancel,
    CloseTable,
    Come,
    CutOff,
    End,
    Forget,
    GoOn,
    Hide,
    KeepRecord,
    Leave,
    Move,
    Mute,
    Open,
    Pause,
    Refuse,
    Rename,
    Resign,
    Say,
    SeatBot,
    Sit,
    SiteWasAway,
    Start,
    TakeAlong,
    TimeOut,
    Undo,
)
from samovar.web.tables.actions import ACTIONS, ComingBack, Leaving, NewName, Resigning
from samovar.web.tables.chairs import NO_PAUSE
from samovar.web.tables.clock import ALLOWANCES
from samovar.web.tables.phrases import PHRASES
from samovar.web.tables.post.foresight import Foreseen, foresee

from .people import Request

NAMES = ("Anna", "Boris", "Chloé", "Dmitri", "Eeva", "Anna", " ", "x" * 60, "<b>Zoë</b>")
# games whose matches are soon over, with the options that make them so
GAMES = {
    "connect_four": {"columns": 4, "rows": 4, "connect": 3},
    "babuschka": {"patience": 2},
    "memoarrrr": {},
    "varvitikud": {},
    "matryoshka": {"growth": 1},
}
SEATS = {"matryoshka": (3, 4), "connect_four": (2,), "babuschka": (2, 4)}


@dataclass(frozen=True)
class Deed:
    name: str
    weight: float
    routes: tuple[str, ...]
    makes: tuple[type, ...]
    how: Callable[[Any], Request | None]


DEEDS: list[Deed] = []


def deed(weight, *routes, makes=(), name=""):
    """One row."""

    def row(how):
        DEEDS.append(Deed(name or how.__name__.replace("_", " "), weight, routes, makes, how))
        return how

    return row


def both(weight, weight_as_program, action, status=None, makes=(), gives_up=False):
    """An action that aims at nothing: a row for its page, and one for programs."""
    name, form = action.method.replace("_", " "), action.form or action
    page, api = routes_of(action)
    if page:
        deed(weight, page, makes=makes, name=name)(
            lambda e: e.at_table(status, action.page, gives_up=gives_up, **some_fields(e, form))
        )
    if api:
        deed(weight_as_program, api, makes=makes, name=f"{name} as a program")(
            lambda e: e.by_key(action.api.address, gives_up=gives_up, **some_fields(e, action))
        )


def routes_of(action):
    """By a page and by programs; an empty one where there is none."""
    page, api = (f"POST {way}/{{table_id:str}}/" for way in ("/table", "/api/tables"))
    return page + action.page if action.page else "", api + action.api.address if action.api else ""


def some_fields(e, action):
    """What a form or a program could say."""
    values = {str: NAMES, int: range(-1, 5), bool: (True, False, "yes", "no"), list: ("A1", "nonsense")}
    kinds = {field.name: getattr(field.type, "__origin__", field.type) for field in fields(action)}
    return {name: e.choose.choice(values[kind]) for name, kind in kinds.items()}


def some_game(e):
    return e.choose.choice((*GAMES, "connect_four", "memoarrrr"))


def some_seats(e, game):
    return e.choose.choice(SEATS.get(game, (2, 3)))


def nonce(e):
    return f"{e.choose.getrandbits(128):032x}"


# Opening a table


@deed(1.5, "POST /new/{game_id:str}", makes=(Open, Sit, Start))
def open_table(e):
    game = some_game(e)
    seats = some_seats(e, game)
    form = {"name": e.choose.choice(NAMES[:5]), "seats": seats, **_settings(e)}
    form |= {name: str(value) for name, value in GAMES[game].items()}
    form |= {f"chair-{seat}": e.choose.choice(("", "", "", "easy", "here")) for seat in range(1, seats)}
    return Request(e.anybody(), "POST", f"/new/{game}", form)


@deed(0.5, "POST /new/{game_id:str}", makes=(Open, Sit, Come, Start, GoOn, Cancel, Say))
def change_a_table(e):
    table = e.table("waiting") or e.table()
    if table is None:
        return None
    opener = e.holder(table, table.opener) if table.opener is not None else None
    form = {
        "instead": table.id,
        "seats": e.choose.choice(table.game.seats),
        "chair-1": e.choose.choice(("", "", "easy")),
    }
    return Request(opener or e.anybody(), "POST", f"/new/{table.game.id}", form)


@deed(0.5, "POST /table/{table_id:str}/chair", makes=(SeatBot, Leave, Start))
def set_chair(e):
    table = e.table("waiting")
    if table is None:
        return None
    form = {"seat": e.choose.randrange(table.seats), "level": e.choose.choice(("", "easy"))}
    return e.at_table("waiting", "chair", table=table, seat_of=table.opener, **form)


def _settings(e):
    ticked = {name: "on" for name in ("open", "hints", "memory_aid") if e.choose.random() < 0.5}
    ticked |= {"rated": "on"} if e.choose.random() < 0.15 else {}
    return {
        **ticked,
        "stand_in": e.choose.choice(LEVEL_NAMES),
        "time": e.choose.choice(("", "5+5", "10+10", "5+5", "1d", "1d", "nonsense")) if e.choose.random() < 0.7 else "",
        "late": e.choose.choice(("", "one_move")),
        "weekends_off": e.choose.choice(("", "on")),
        "days_off": e.choose.choice(("", "", "", "nonsense")),
    }


@deed(0.3, "POST /play/{game_id:str}", makes=(Open, Sit, Start))
def play_now(e):
    game = some_game(e)
    return Request(e.anybody(), "POST", f"/play/{game}", {"seats": some_seats(e, game), "level": "easy", "name": "Zoë"})


@deed(1, "POST /api/tables", makes=(Open, Sit, Start))
def make_table_of_programs(e):
    game = some_game(e)
    chairs = ["token", *(e.choose.choice(("token", "token", "free", "easy")) for _ in range(some_seats(e, game) - 1))]
    asked = {
        "game": game,
        "chairs": chairs,
        "options": GAMES[game],
        "is_open": e.choose.random() < 0.5,
        "hints": e.choose.random() < 0.3,
        "time": e.choose.choice(("", *ALLOWANCES)),
        "one_move": e.choose.random() < 0.5,
        "stand_in": e.choose.choice(LEVEL_NAMES),
    }
    return Request(None, "POST", "/api/tables", data=asked)


@deed(0.6, "POST /daily/{game_id:str}", makes=(Open, Sit, Start))
def play_the_deal_of_the_day(e):
    return Request(e.anybody(), "POST", f"/daily/{e.choose.choice(('connect_four', 'memoarrrr'))}", {})


# Sitting down and getting up


@deed(3, "POST /table/{table_id:str}/sit", makes=(Sit, Start))
def sit(e):
    table = e.table("waiting")
    form = {"name": e.choose.choice(NAMES), **({"luck": nonce(e)} if e.choose.random() < 0.5 else {})}
    return table and Request(e.anybody(), "POST", f"/table/{table.id}/sit", form)


@deed(0.8, "POST /table/{table_id:str}/sit-here", makes=(Sit, Start))
def sit_beside(e):
    table = e.table("waiting")
    browser = table and e.somebody_at(table)
    return table and Request(browser, "POST", f"/table/{table.id}/sit-here", {"name": e.choose.choice(NAMES)})


@deed(2, "POST /api/tables/{table_id:str}/seats", makes=(Sit, Start))
def sit_as_a_program(e):
    table = e.table("waiting")
    data = {"name": e.choose.choice(NAMES[:5])}
    data |= {"seat": e.choose.randrange(-1, 5)} if e.choose.random() < 0.4 else {}
    data |= {"nonce": e.choose.choice((nonce(e), "nonsense"))} if e.choose.random() < 0.4 else {}
    return table and Request(None, "POST", f"/api/tables/{table.id}/seats", data=data)


@deed(0.7, "POST /table/{table_id:str}/begin", makes=(SeatBot, Start))
def begin(e):
    level = e.choose.choice((*LEVEL_NAMES, "nonsense"))
    return e.at_table("waiting", "begin", level=level)


@deed(0.6, "POST /table/{table_id:str}/luck", makes=(BringNonce, BringNextNonce))
def bring_nonce(e):
    number = nonce(e) if e.choose.random() < 0.8 else e.choose.choice(("", "x"))
    return e.at_table(e.choose.choice(("waiting", "over")), "luck", luck=number)


both(0.25, 0.2, Leaving, makes=(Leave,), gives_up=True)


@deed(0.3, "POST /tables/leave", makes=(Leave, Forget))
def leave_from_the_list(e):
    table = e.table(e.choose.choice(("waiting", "over")))
    if table is None:
        return None
    browser, seat = e.somebody_at(table), None
    if browser is not None:
        seat = table.seat_of(e.person_of(browser))
    chairs = [] if seat is None or table.status == "playing" else [(table.id, seat)]
    return Request(browser, "POST", "/tables/leave", {"table": table.id}, gives_up=chairs)


@deed(0.2, "POST /tables/hide", "POST /tables/show")
def hide_or_show(e):
    table, way = e.table(), e.choose.choice(("hide", "show"))
    return table and Request(e.somebody_at(table), "POST", f"/tables/{way}", {"table": table.id})


@deed(1.5, "POST /table/{table_id:str}/free", makes=(Leave,))
def make_free(e):
    table = e.table("waiting", lambda table: sum(bool(chair.key_salt) for chair in table.chairs) > 1)
    if table is None:
        return None
    taken = [chair.seat for chair in table.chairs if chair.key_salt]
    own, other = e.choose.sample(taken, 2)
    seat = other if e.choose.random() < 0.9 else e.choose.randrange(-1, table.seats + 1)
    return e.at_table("waiting", "free", table=table, seat_of=own, seat=seat)


both(0.4, 0.3, NewName, makes=(Rename,))
both(0.25, 0.25, Resigning, "playing", makes=(Resign, End))


@deed(0.1, "POST /table/{table_id:str}/cancel", makes=(Cancel,))
def cancel(e):
    table = e.table("waiting")
    return table and e.at_table("waiting", "cancel", table=table, seat_of=table.opener)


@deed(0.5, "POST /api/tables/{table_id:str}/cancel", makes=(Cancel,))
def cancel_as_a_program(e):
    return e.by_key("cancel", table=e.table("waiting"))


# Playing


@deed(12, "POST /table/{table_id:str}/move", makes=(Move, End))
def move(e):
    table = e.table("playing", e.is_for_browsers)
    if table is None:
        return None
    seat, browser = e.actor(table)
    form = {"move": e.some_move(table, seat), "ply": table.revision, "hand": seat}
    return Request(browser, "POST", f"/table/{table.id}/move", form, parts=e.choose.choice(("", "1", "by-stream")))


@deed(1.5, "POST /table/{table_id:str}/move", name="move once more")
def move_once_more(e):
    """With the revision of before, as our script does when no answer came."""
    table = e.table("playing", e.is_for_browsers)
    if table is None or not table.playing.history:
        return None
    seat, number = table.playing.history[-1]
    text = table.playing.at(len(table.playing.history) - 1).move_text(seat, number)
    form = {"move": text, "ply": table.revision - e.choose.choice((1, 1, 2)), "hand": seat}
    form |= {"repeated": "yes"} if e.choose.random() < 0.7 else {}
    return Request(e.holder(table, seat) or e.anybody(), "POST", f"/table/{table.id}/move", form)


@deed(0.5, "POST /table/{table_id:str}/move", "GET /table/{table_id:str}/move", name="move nonsense")
def move_nonsense(e):
    table = e.table("playing")
    if table is None:
        return None
    if e.choose.random() < 0.3:
        return Request(e.anybody(), "GET", f"/table/{table.id}/move?pick=1")
    form = {"move": e.choose.choice(("", "nonsense", "1", "0 0", "²")), "ply": table.revision}
    form |= {"with": ["1", "2"]} if e.choose.random() < 0.3 else {}
    form |= {"count": "1"} if e.choose.random() < 0.3 else {}
    return Request(e.anybody(), "POST", f"/table/{table.id}/move", form)


@deed(8, "POST /api/tables/{table_id:str}/moves", makes=(Move, End))
def move_as_a_program(e):
    table = e.table("playing", e.is_for_keys)
    if table is None:
        return None
    actors = table.playing.actors
    seats = [seat for seat in actors if e.keys.good(table.id, seat)] or [e.choose.choice(actors)]
    seat = e.choose.choice(seats)
    key = e.keys.good(table.id, seat)
    legal = table.playing.legal(seat)
    data = {"move": e.choose.choice(legal), "revision": table.revision - (e.choose.random() < 0.05)}
    return Request(None, "POST", f"/api/tables/{table.id}/moves", data=data, token=key.text if key else "0nothing")


@deed(0.5, "GET /api/tables/{table_id:str}/moves")
def ask_for_moves(e):
    return e.by_key("moves", method="GET")


@deed(3, "POST /table/{table_id:str}/back", makes=(Ask, Undo))
def take_back(e):
    table = e.table("playing", lambda table: bool(table.playing.history))
    if table is None:
        return None
    seat = table.playing.history[-1][0] if e.choose.random() < 0.7 else e.choose.choice(table.playing.history)[0]
    return e.at_table("playing", "back", table=table, seat_of=seat)


@deed(6, "POST /table/{table_id:str}/answer", makes=(Agree, Refuse, Undo))
def answer(e):
    table = e.table("playing", lambda table: table.asking is not None or e.choose.random() < 0.02)
    if table is None:
        return None
    asked = [chair.seat for chair in table.chairs if e.holder(table, chair.seat)]
    asked = [seat for seat in asked if table.asking and seat != table.asking.seat] or [0]
    agrees = e.choose.choice(("yes", "no"))
    return e.at_table("playing", "answer", table=table, seat_of=e.choose.choice(asked), agrees=agrees)


@deed(3, "POST /api/tables/{table_id:str}/answer", makes=(Agree, Refuse, Undo))
def answer_as_a_program(e):
    table = e.table("playing", lambda table: table.asking is not None)
    return table and e.by_key("answer", table=table, agrees=e.choose.random() < 0.6)


@deed(1.5, "GET /table/{table_id:str}/ahead", "POST /table/{table_id:str}/ahead", makes=(Move,))
def plan_a_move(e):
    """Most often one that is offered, by who waits for their turn."""
    table = e.table("playing", lambda table: table.is_by_post)
    if table is None:
        return None
    waiting = [seat for seat in range(table.seats) if seat not in table.playing.actors and e.holder(table, seat)]
    seat = e.choose.choice(waiting) if waiting else 0
    browser = e.holder(table, seat) if e.choose.random() < 0.9 else e.anybody()
    address = f"/table/{table.id}/ahead"
    if e.choose.random() < 0.3:
        return Request(browser or e.anybody(), "GET", f"{address}{e.choose.choice(('', '?turn=1', '?turn=²'))}")
    foreseen = foresee(table.playing.copy(), seat, [], frozenset()) if waiting else Foreseen()
    form = {
        "turn": e.choose.choice((0, 0, 0, 1, 7)),
        "sees": e.choose.choice(("", "", *foreseen.told[:3], "nonsense")),
        "move": e.choose.choice([*list(foreseen.moves)[:9], foreseen.verb or "nonsense"]),
        "with": list(foreseen.cards[: foreseen.wanted]),
        "ply": table.revision,
        "hand": seat,
    }
    return Request(browser or e.anybody(), "POST", address, form, needs_seat=True)


@deed(0.3, "POST /table/{table_id:str}/ahead-drop")
def drop_planned_moves(e):
    """Most often by somebody who has planned any."""
    line = {"turn": e.choose.randrange(-1, 2), "line": e.choose.randrange(-1, 2)}
    plans = e.ledger.plans()
    if plans and e.choose.random() < 0.7:
        table_id, seat = e.choose.choice(plans)
        browser = e.holder(e.ledger.tables[table_id], seat) or e.anybody()
        return Request(browser, "POST", f"/table/{table_id}/ahead-drop", {**line, "hand": seat}, needs_seat=True)
    table = e.table("playing", lambda table: table.is_by_post)
    return table and e.at_table("playing", "ahead-drop", table=table, **line)


@deed(0.3, "POST /table/{table_id:str}/ahead-only", makes=(Move,))
def make_only_moves(e):
    table = e.table("playing", lambda table: table.is_by_post)
    return table and e.at_table("playing", "ahead-only", table=table, is_on=e.choose.choice(("yes", "")))


@deed(0.6, "POST /table/{table_id:str}/hand-over", makes=(SeatBot,))
def hand_over(e):
    table = e.table("playing", e.is_of_a_club) or e.table("playing")
    return table and e.at_table("playing", "hand-over", table=table, seat=e.choose.randrange(-1, table.seats + 1))


@deed(0.4, "POST /api/tables/{table_id:str}/hand-over", makes=(SeatBot,))
def hand_over_as_a_program(e):
    return e.by_key(
        "hand-over", table=e.table("playing", e.is_of_a_club), level=e.choose.choice((*LEVEL_NAMES, "nonsense"))
    )


def pausable(e):
    """Most often one where somebody has asked, or that is paused."""
    tables = [table for table in map(e.ledger.tables.get, e.recent()) if table.status == "playing"]
    asked = [table for table in tables if table.pause_state != NO_PAUSE and table.can_be_paused]
    if asked and e.choose.random() < 0.7:
        return e.choose.choice(asked)
    return e.table("playing", lambda table: table.can_be_paused)


@deed(1, "POST /table/{table_id:str}/pause", makes=(Pause,))
def pause(e):
    table = pausable(e)
    if table is None:
        return None
    waiting = [chair.seat for chair in table.chairs if chair.key_salt and chair.seat not in table.pause_state.wanted_by]
    is_wanted = e.choose.choice(("yes", "yes", "yes", ""))
    return e.at_table(
        "playing", "pause", table=table, seat_of=e.choose.choice(waiting) if waiting else None, is_wanted=is_wanted
    )


@deed(0.7, "POST /api/tables/{table_id:str}/pause", makes=(Pause,))
def pause_as_a_program(e):
    return e.by_key("pause", table=pausable(e), is_wanted=e.choose.random() < 0.7)


both(0.8, 0.5, ComingBack, "playing", makes=(Come,))


@deed(0.5, "POST /table/{table_id:str}/say", makes=(Say,))
def say(e):
    told = {"phrase": e.choose.choice((*PHRASES[:2], "nonsense"))} if e.choose.random() < 0.4 else {"text": "Hm?"}
    return e.at_table(None, "say", **told)


@deed(0.4, "POST /api/tables/{table_id:str}/talk", makes=(Say,))
def talk(e):
    return e.by_key("talk", text=e.choose.choice(("Beep.", "", "x" * 300)))


@deed(0.4, "POST /api/tables/{table_id:str}/mute", makes=(Mute,))
def mute_as_a_program(e):
    return e.by_key("mute", whom=e.choose.randrange(-1, 4), is_muted=e.choose.random() < 0.7)


@deed(0.8, "POST /table/{table_id:str}/mute", makes=(Mute,), name="mute somebody who talks")
def mute_a_talker(e):
    """By somebody else at the table: else nobody would ever be muted."""
    table = e.table(None, lambda table: any(one.names is None for one in table.remarks))
    if table is None:
        return None
    whom = e.choose.choice([one.seat for one in table.remarks if one.names is None])
    others = [chair.seat for chair in table.chairs if chair.persons and chair.seat != whom]
    seat = e.choose.choice(others) if others else None
    return e.at_table(None, "mute", table, seat, whom=whom, is_muted=e.choose.choice(("yes", "yes", "")))


@deed(0.4, "POST /table/{table_id:str}/mute-here")
def mute_as_a_spectator(e):
    table = e.table(None)
    if table is None:
        return None
    form = {"whom": e.choose.randrange(-1, 4), "is_muted": e.choose.choice(("yes", ""))}
    return Request(e.anybody(), "POST", f"/table/{table.id}/mute-here", form)


@deed(0.4, "POST /table/{table_id:str}/hint")
def ask_for_a_hint(e):
    table = e.table("playing", lambda table: table.settings.hints)
    if table is None:
        return None
    seat, browser = e.actor(table)
    return Request(browser, "POST", f"/table/{table.id}/hint", {"hand": seat})


@deed(1.2, "POST /table/{table_id:str}/again", makes=(GoOn, Open, Sit, Come, Start))
def play_again(e):
    return e.at_table("over", "again", swaps=e.choose.choice(("", "yes")))


@deed(1.2, "POST /api/tables/{table_id:str}/again", makes=(GoOn, Open, Sit, Come, Start))
def play_again_as_a_program(e):
    table = e.table("over", lambda table: any(e.keys.good(table.id, chair.seat) for chair in table.chairs))
    return e.by_key("again", table=table)


@deed(1, "POST /table/{table_id:str}/hand")
def take_the_hand(e):
    table = e.table(None, e.is_shared)
    if table is None:
        return None
    browser = e.somebody_sharing(table) or e.anybody()
    return Request(browser, "POST", f"/table/{table.id}/hand", {"seat": e.choose.randrange(-1, table.seats)})


# Devices and keys


@deed(0.7, "POST /table/{table_id:str}/cut-off", makes=(CutOff,))
def cut_off(e):
    return e.at_table(None, "cut-off", gives_up=True)


@deed(0.8, "GET /table/{table_id:str}/come/{key:str}", "POST /table/{table_id:str}/come/{key:str}", makes=(Come, Leave))
def come_with_a_key(e):
    """A personal link, most often by somebody else than who has it."""
    key = e.some_key()
    if key is None:
        return None
    browser, address = e.anybody(), f"/table/{key.table}/come/{key.text}"
    if e.choose.random() < 0.3:
        return Request(browser, "GET", address)
    form = {"leave": "yes"} if e.choose.random() < 0.5 else {}
    return Request(browser, "POST", address, form, gives_up=e.given_up_by_coming(browser, key, bool(form)))


@deed(0.8, "POST /me", "GET /me")
def keep_a_page(e):
    browser = e.anybody()
    if e.choose.random() < 0.5:
        return Request(browser, "GET", "/me")
    wishes = {"mark": e.choose.choice(MARKS), "colour": e.choose.choice(COLOURS), "language": "", "pace": "800"}
    return Request(browser, "POST", "/me", {"name": e.choose.choice(NAMES[:5]), **wishes})


@deed(0.1, "POST /me/comfort", "POST /name", "POST /language")
def change_comfort(e):
    address, form = e.choose.choice(
        (
            ("/me/comfort", {"pace": "250", "sound": "on"}),
            ("/name", {"name": e.choose.choice(NAMES)}),
            ("/language", {"language": e.choose.choice(("en", "fr", "xx")), "back": "/me"}),
        )
    )
    return Request(e.anybody(), "POST", address, form)


@deed(0.5, "POST /me/cut-off", makes=(CutOff,))
def cut_off_all_devices(e):
    """Every chair that the person holds has another key from then on, and no other device is theirs."""
    browser = e.somebody_known()
    person = browser and e.person_of(browser)
    chairs = e.chairs_of(person)
    return browser and Request(
        browser, "POST", "/me/cut-off", {}, gives_up=chairs, spends=person or "", cuts=person or ""
    )


@deed(0.15, "POST /me/renew")
def renew_the_link(e):
    browser = e.somebody_known()
    return browser and Request(browser, "POST", "/me/renew", {}, spends=e.person_of(browser) or "")


@deed(0.7, "GET /me/come/{key:str}", "POST /me/come/{key:str}", makes=(TakeAlong,))
def come_by_the_own_link(e):
    link = e.some_link()
    if link is None:
        return None
    browser, address = e.anybody(), f"/me/come/{link.text}"
    if e.choose.random() < 0.3 or e.person_of(browser) == link.person:
        return Request(browser, "GET", address)
    return Request(browser, "POST", address, {"along": e.choose.choice(("yes", "no"))}, spends=link.person)


@deed(0.1, "POST /me/delete", "GET /me/delete", makes=(Forget, Leave, Resign))
def delete_all(e):
    browser = e.anybody()
    if e.choose.random() < 0.3:
        return Request(browser, "GET", "/me/delete")
    person, sure = e.person_of(browser), e.choose.random() < 0.8
    chairs = [*e.chairs_of(person), *e.chairs_of_companions(browser)] if sure and person else []
    return Request(
        browser, "POST", "/me/delete", {"sure": "yes" if sure else "no"}, gives_up=chairs,
        spends=person or "" if sure else "", forgets=person or "" if sure else "",
    )  # fmt: skip


# Evenings of clubs


@deed(0.25, "POST /club")
def make_a_club(e):
    form = {"game": "connect_four", "seats": 2, "deals": e.choose.choice((1, 2)), "name": "Club", "level": "easy"}
    if e.choose.random() < 0.4:
        form |= {"game": "memoarrrr"}
    return Request(e.anybody(), "POST", "/club", form)


@deed(1.5, "POST /club/{club_id:str}/join")
def join_a_club(e):
    return e.at_club("join", name=e.choose.choice(NAMES), luck=e.choose.choice(("", nonce(e))))


@deed(0.25, "POST /club/{club_id:str}/leave")
def leave_a_club(e):
    return e.at_club("leave", name=e.choose.choice(NAMES[:5]))


@deed(0.5, "POST /club/{club_id:str}/begin")
def begin_a_club(e):
    return e.at_club("begin", by="host")


@deed(0.3, "POST /club/{club_id:str}/end")
def end_a_club(e):
    return e.at_club("end", by="host")


@deed(2, "POST /club/{club_id:str}/play", makes=(Open, Sit, Start))
def play_at_a_club(e):
    return e.at_club("play", by="member")


# Looking


@deed(6, "GET /table/{table_id:str}")
def look_at_a_table(e):
    table = e.table()
    if table is None:
        return None
    last = len(table.match.history) if table.match else 0
    asked = e.choose.choice(("", "", "", "?list", "?pick=1", f"?at={max(0, last - e.choose.randrange(1, 6))}", "?at=²"))
    browser = e.somebody_at(table) if e.choose.random() < 0.8 else e.anybody()
    return Request(browser, "GET", f"/table/{table.id}{asked}", parts=e.choose.choice(("", "", "1")))


@deed(2.5, "GET /api/tables/{table_id:str}")
def look_as_a_program(e):
    return e.by_key("", method="GET", or_nobody=True)


@deed(0.4, "GET /live")
def follow_tables(e):
    ids = e.choose.sample(e.recent(), min(2, len(e.recent())))
    asked = "&".join(f"table={table_id}" for table_id in ids)
    return Request(e.anybody(), "GET", f"/live?{asked}", first_only=True)


@deed(0.3, "GET /api/tables/{table_id:str}/events")
def follow_as_a_program(e):
    return e.by_key("events", method="GET", or_nobody=True, first_only=True)


@deed(
    0.8,
    "GET /record/{record_id:str}",
    "GET /record/{record_id:str}/download",
    "GET /record/{record_id:str}/puzzle/{moves:str}",
    "GET /record/{record_id:str}/on",
    "GET /api/tables/{table_id:str}/record",
)
def look_at_a_record(e):
    table_id = e.choose.choice([*e.recent(), *e.ledger.records[-2:]] or ["nothing"])
    at = f"?at={e.choose.randrange(9)}&eyes={e.choose.choice(('open', 'nobody', '0', '1'))}"
    addresses = [f"/record/{table_id}{rest}" for rest in (at, f"/on{at}", "/download", "/puzzle/3")]
    address = e.choose.choice((*addresses, f"/api/tables/{table_id}/record"))
    return Request(e.anybody(), "GET", address)


@deed(0.2, "POST /record/{record_id:str}/on", makes=(Open, Sit, GoOn))
def play_on(e):
    """Also from matches that are not over, and with people who never asked for it."""
    table = e.table("over") if e.choose.random() < 0.8 else e.table()
    form = {
        "name": e.choose.choice(NAMES),
        "seat": e.choose.choice("012"),
        "at": e.choose.randrange(9),
        "others": e.choose.choice(("friends", "same", *LEVEL_NAMES)),
        "world": e.choose.choice(("", "0", "1", "9")),
    }
    return table and Request(e.somebody_at(table), "POST", f"/record/{table.id}/on", form)


@deed(
    0.1,
    "GET /puzzles/{game_id:str}/{puzzle_id:str}/on",
    "POST /puzzles/{game_id:str}/{puzzle_id:str}/on",
    makes=(Open, Sit),
)
def play_on_from_a_puzzle(e):
    puzzle = e.choose.choice(("nothing", *[puzzles_of(find_game("memoarrrr"))[0].id] * 3))
    address = f"/puzzles/memoarrrr/{puzzle}/on"
    if e.choose.random() < 0.5:
        return Request(e.anybody(), "GET", address)
    form = {"name": e.choose.choice(NAMES), "seat": e.choose.choice("0019"), "others": "friends"}
    return Request(e.anybody(), "POST", address, form)


ARRANGED = (  # some can be, some cannot
    {"seats": 2, "seed": 3, "moves": ["a", "b"]},
    {"seats": 2, "seed": 3, "moves": ["nonsense"]},
    {"seats": 2, "seed": 3, "moves": ["a"] * 4000},
    {"seats": "two"},
)


@deed(
    0.2,
    "GET /arrange/{game_id:str}",
    "POST /arrange/{game_id:str}",
    "POST /arrange/{game_id:str}/play",
    makes=(Open, Sit),
)
def arrange(e):
    """Also from records that somebody else has, and with what no drawing offers."""
    table = e.table()
    address = "/arrange/connect_four"
    if e.choose.random() < 0.3:
        return Request(e.anybody(), "GET", f"{address}?record={table.id}&at=2" if table else f"{address}?moves=5")
    form = {
        "position": json.dumps(e.choose.choice(ARRANGED)),
        "move": e.choose.choice(("", "a", "nonsense")),
        "name": e.choose.choice(NAMES),
        "seat": e.choose.choice("0019"),
        "others": e.choose.choice(("friends", *LEVEL_NAMES)),
    }
    return Request(e.anybody(), "POST", e.choose.choice((address, f"{address}/play")), form)


@deed(0.2, "POST /record/{record_id:str}/puzzle/{moves:str}")
def choose_again(e):
    table = e.table("over")
    return table and Request(e.anybody(), "POST", f"/record/{table.id}/puzzle/2", {"move": "nonsense"})


@deed(0.2, "GET /record/{record_id:str}/review", "GET /api/tables/{table_id:str}/review")
def ask_for_a_review(e):
    """Of a match that goes on, which has none: those that have think for seconds, see `test_reviews.py`."""
    table = e.table("playing")
    address = e.choose.choice(("/record/{}/review", "/api/tables/{}/review"))
    return table and Request(e.anybody(), "GET", address.format(table.id))


@deed(0.1, "POST /record", makes=(KeepRecord,))
def bring_a_record(e):
    record = e.some_record()
    return record and Request(e.anybody(), "POST", "/record", record=record)


@deed(0.4, "POST /invitation/{key:str}")
def come_by_an_invitation(e):
    """The one that makes an owner, most often used already."""
    return Request(
        e.crowd[-1] if e.owner() else e.anybody(), "POST", f"/invitation/{e.house.first_link}", {"name": "Olga"}
    )


@deed(0.3, "POST /owner/table/{table_id:str}", makes=(CloseTable, Hide, Rename))
def keep_order_at_a_table(e):
    table = e.table()
    who = e.owner() if e.choose.random() < 0.7 else e.anybody()
    if table is None or who is None:
        return None
    said = [remark.number for remark in table.remarks] or [3]
    do = e.choose.choice(("close", "hide", "hide", "name"))
    number = e.choose.choice(said) if do == "hide" else e.choose.randrange(table.seats)
    chairs = [(table.id, chair.seat) for chair in table.chairs] if do == "close" else []
    return Request(who, "POST", f"/owner/table/{table.id}", {"do": do, "number": number}, gives_up=chairs)


@deed(0.2, "GET /owner", "GET /owner/table/{table_id:str}")
def look_at_the_owner_s_page(e):
    table = e.choose.choice(e.recent() or ["nothing"])
    address = e.choose.choice(("/owner", f"/owner/table/{table}"))
    return Request(e.owner() or e.anybody(), "GET", address)


PAGES = {
    "GET /": "/",
    "GET /next": "/next",
    "GET /new/{game_id:str}": "/new/memoarrrr?seats=3&expert=true",
    "GET /rules/{game_id:str}": "/rules/connect_four",
    "GET /learn/{game_id:str}": "/learn/connect_four",
    "GET /learn/{game_id:str}/{way:str}": "/learn/memoarrrr/9-9",
    "GET /me/calls": "/me/calls",
    "GET /me/calls/letter/{key:str}": "/me/calls/letter/nonsense",
    "GET /offline": "/offline",
    "GET /service_worker.js": "/service_worker.js",
    "GET /me/matches": "/me/matches",
    "GET /family": "/family",
    "GET /me/link.svg": "/me/link.svg",
    "GET /me/export": "/me/export",
    "GET /tables": "/tables?hidden",
    "GET /club": "/club?game=memoarrrr",
    "GET /daily": "/daily",
    "GET /today": "/today",
    "GET /table/{table_id:str}/invitation.svg": "/table/{table}/invitation.svg",
    "GET /table/{table_id:str}/link.svg": "/table/{table}/link.svg",
    "GET /table/{table_id:str}/podium.svg": "/table/{table}/podium.svg",
    "GET /club/{club_id:str}": "/club/{club}?by=cards",
    "GET /club/{club_id:str}/wall": "/club/{club}/wall",
    "GET /join": "/join?code=CDF+HJK",
    "GET /screen": "/screen?after={table}",
    "GET /screen/{code:str}": "/screen/CDFH",
    "GET /table/{table_id:str}/screen": "/table/{table}/screen",
    "GET /table/{table_id:str}/phone": "/table/{table}/phone",
    "GET /table/{table_id:str}/whole": "/table/{table}/whole",
    "GET /table/{table_id:str}/phone.svg": "/table/{table}/phone.svg",
    "GET /club/{club_id:str}/screen": "/club/{club}/screen?after=wall",
    "GET /club/{club_id:str}/invitation.svg": "/club/{club}/invitation.svg",
    "GET /record": "/record",
    "GET /closed": "/closed",
    "GET /api/closed": "/api/closed",
    "GET /invitation/{key:str}": "/invitation/AAAAAAAAAAAAAAAAAAAAAA",
    "GET /lab": "/lab",
    "GET /lab/{job_id:str}": "/lab/nonsense",
    "GET /lab/{job_id:str}/report": "/lab/nonsense/report",
    "GET /puzzles": "/puzzles",
    "GET /rules": "/rules",
    "GET /puzzles/{game_id:str}": "/puzzles/connect_four",
    "GET /puzzles/{game_id:str}/{puzzle_id:str}": "/puzzles/memoarrrr/nonsense",
    "GET /players": "/players",
    "GET /players/{game_id:str}": "/players/connect_four",
    "GET /players/{game_id:str}/{player_id:str}": "/players/connect_four/nonsense",
    "GET /api/games": "/api/games",
    "GET /api/tables": "/api/tables",
    "GET /health": "/health",
    "GET /metrics": "/metrics",
    "GET /static/{file_path:path}": "/static/samovar.css",
    "HEAD /static/{file_path:path}": "/static/samovar.css",
    "GET /games/{game_id:str}/{name:str}": "/games/memoarrrr/table.css",
    "GET /api/docs": "/api/docs",
    "GET /api/docs/openapi.json": "/api/docs/openapi.json",
    "GET /api/docs/{path:str}": "/api/docs/nothing",
}


@deed(1.5, *PAGES)
def look_around(e):
    route = e.choose.choice([*PAGES])
    table = e.choose.choice(e.recent() or ["nothing"])
    club = e.choose.choice([*(club.id for club in e.clubs), "nothing"])
    return Request(e.anybody(), route.split()[0], PAGES[route].format(table=table, club=club))


FORMS = {
    "POST /players/join": ("/players/join", {"name": "Anna"}),
    "POST /players/leave": ("/players/leave", {}),
    "POST /family": ("/family", {"name": "Anna", "mark": MARKS[0], "colour": COLOURS[0]}),
    "POST /invite": ("/invite", {}),
    "POST /owner/announce": ("/owner/announce", {"text": "Free tea"}),
    "POST /owner/keep": ("/owner/keep", {"number": "30"}),
    "POST /owner/invite": ("/owner/invite", {"role": "owner", "uses": "5"}),
    "POST /owner/withdraw/{invitation_id:str}": ("/owner/withdraw/nonsense", {}),
    "POST /owner/member/{ref:str}": ("/owner/member/nonsense", {"do": "erase"}),
    "POST /puzzles/{game_id:str}/{puzzle_id:str}": ("/puzzles/memoarrrr/nonsense", {"move": "1"}),
    "POST /lab": ("/lab", {"game": "connect_four"}),
    "POST /lab/{job_id:str}/stop": ("/lab/nonsense/stop", {}),
    "POST /me/calls/push": ("/me/calls/push", {"endpoint": "https://[", "p256dh": "x", "auth": "x"}),
    "POST /me/calls/web": ("/me/calls/web", {"target": "http://127.0.0.1/"}),
    "POST /me/calls/mail": ("/me/calls/mail", {"target": "anna"}),
    "POST /me/calls/{channel_id:str}/try": ("/me/calls/nonsense/try", {}),
    "POST /me/calls/{channel_id:str}/remove": ("/me/calls/nonsense/remove", {}),
    "POST /me/calls/wishes": ("/me/calls/wishes", {"quiet_from": "23", "minutes": "30", "zone": "Europe/Paris"}),
    "POST /me/calls/letter/{key:str}": ("/me/calls/letter/nonsense", {"answer": "yes"}),
}


@deed(0.3, *FORMS)
def send_other_forms(e):
    address, form = FORMS[e.choose.choice([*FORMS])]
    return Request(e.anybody(), "POST", address, form)


# Actions that nobody has aimed at anything above

for one in ACTIONS:
    if not {*routes_of(one)} & {route for row in DEEDS for route in row.routes}:
        both(0.3, 0.3, one)


# What happens without anybody asking for it; these make no request

TIME, SLEEP, RESTART, CRASH, COPY = "time passes", "the machine sleeps", "restart", "power cut", "copy cookies"
EVENTS = [
    Deed(TIME, 4, (), (TimeOut,), lambda e: None),
    Deed(SLEEP, 0.1, (), (SiteWasAway,), lambda e: None),
    Deed(RESTART, 0.15, (), (SiteWasAway,), lambda e: None),
    Deed(CRASH, 0.15, (), (SiteWasAway,), lambda e: None),
    Deed(COPY, 0.3, (), (), lambda e: None),
]
