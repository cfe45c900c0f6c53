"""A look: what one viewer sees of a table at one moment, as the parts of its page. Made from the viewer's own view, never from the truth."""

from __future__ import annotations

import io
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import segno
from markupsafe import Markup

from samovar.engine.instinct import LEVEL_NAMES
from samovar.web import problems
from samovar.web.house import House
from samovar.web.phrases import OPTIONS, PHRASES, USUAL_LEVEL, option_text
from samovar.web.render import draw_sheet, draw_table, render, translations
from samovar.web.scene import Scene, make_scene
from samovar.web.table import Table
from samovar.web.visit import Visit

PARTS = ("status", "board", "deeds", "news", "talk", "chairs")
TOLD_MOVES = 12


@dataclass(frozen=True)
class Viewer:
    """Who looks at a table: what their page is made for."""

    person: str | None
    language: str
    name: str  # what they called themselves last time
    csrf_token: str
    address: str

    @classmethod
    def of(cls, visit: Visit) -> Viewer:
        return cls(visit.person, visit.language, visit.name, visit.csrf_token, visit.address)


def table_facts(house: House, table: Table, viewer: Viewer, picked: Sequence[str] = (), *, as_list: bool = False, hint: str = "") -> dict[str, Any]:
    """What the templates of a table's page get to know. It is made from the viewer's own view."""
    seat = table.seat_of(viewer.person)
    scene = None
    if table.match is not None:
        away = seat is not None and bool(table.chairs[seat].level)
        scene = make_scene(table.match, seat, viewer.language, table.people, picked=picked, may_move=not away, helps_memory=table.settings.memory_aid)
    return {
        "table": table,
        "game": table.game,
        "seat": seat,
        "scene": scene,
        "turn": scene is not None and bool(scene.choices),
        "has_moved": table.match is not None and any(mover == seat for mover, _ in table.match.history),
        "csrf_token": viewer.csrf_token,
        "name": viewer.name,
        "address": viewer.address,
        "invitation": f"{viewer.address}/table/{table.id}",
        "own_link": f"{viewer.address}/table/{table.id}/come/{table.key(seat, house.secret)}" if seat is not None else "",
        "as_list": as_list,
        "hint": hint,
        "levels": LEVEL_NAMES,
        "usual_level": USUAL_LEVEL,
        "phrases": PHRASES,
        "qr_code": qr_code,
        "draw_table": draw_table,
        "draw_sheet": draw_sheet,
        "told": told_news(table, scene) if scene else [],
        "switches": told_switches(table),
        "state": state_of(table),
    }


def state_of(table: Table) -> str:
    """Names what the board shows, so that a page knows whether its own is still right. Made from what everybody sees."""
    return f"{zlib.crc32(repr((table.ply, table.status, table.people)).encode()):x}"


def told_news(table: Table, scene: Scene) -> list[list[str]]:
    """What happened in the last moves, the latest first, as the viewer saw it."""
    told = table.playing.log(scene.viewer, last=TOLD_MOVES)
    return [[scene.tell(event) for event in events] for events in reversed(told)]


def told_switches(table: Table) -> list[tuple[str, str]]:
    """The options that are not as usual: name and value, to be translated."""
    changed = [option for option in table.game.options if table.options[option.name] != option.default]
    return [(option_text(table.game.id, option), _told_value(table, option)) for option in changed]


def _told_value(table: Table, option: Any) -> str:
    value = table.options[option.name]
    if option.name == "first" and isinstance(value, int):
        return table.people[value].name or str(value + 1)
    if isinstance(value, bool):
        return problems.N_("on") if value else problems.N_("off")
    return OPTIONS.get((table.game.id, f"{option.name}={value}"), str(value))


@lru_cache(maxsize=1024)  # made in 12 ms, and the same on every page of a chair
def qr_code(text: str) -> Markup:
    out = io.BytesIO()
    segno.make(text, error="m").save(out, kind="svg", xmldecl=False, svgns=True, omitsize=True, border=3, dark="#1e1512", light="#ffffff")
    return Markup(out.getvalue().decode())


def table_parts(facts: dict[str, Any], language: str) -> dict[str, str]:
    return {name: render(f"parts/{name}.html", language, facts).strip() for name in PARTS}


def title_of(facts: dict[str, Any], language: str) -> str:
    turn = f"● {translations(language).gettext(problems.N_('Your turn'))} · " if facts["turn"] else ""
    return f"{turn}{facts['game'].name} · Samovar"


def snapshot(house: House, table: Table, viewer: Viewer, **more: Any) -> dict[str, Any]:
    """All that changes on the page of a table, for one viewer: never a difference, so nothing can be missed."""
    facts = table_facts(house, table, viewer, **more)
    parts = table_parts(facts, viewer.language)
    told = {"table": table.id, "state": facts["state"], "number": table.head, "turn": facts["turn"]}
    return {**told, "title": title_of(facts, viewer.language), "parts": parts}
