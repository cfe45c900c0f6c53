"""A look: what one kind of viewer sees of a table at one moment, as the parts of its page. Made
from the viewer's own view, never from the truth.

Many see the same: all spectators, and all devices of one person. So a look is made once, in a
thread of its own, and shared by all streams, answers and pages of its kind. What has not changed
since the look before is neither drawn nor sent again. The little that is different for each visitor
(the token of their forms, the name they used last) is a mark in the look, and is filled in when it
is handed out.
"""

from __future__ import annotations

import asyncio
import time
import zlib
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from itertools import count
from typing import Any, NamedTuple

import msgspec
from markupsafe import Markup

from samovar.engine.arrays import AnyView
from samovar.engine.contract import Event, Option
from samovar.engine.words import choice_text, counted, option_text, words_in
from samovar.language.grammar import Facts
from samovar.language.languages import translations
from samovar.teach.lessons import has_lesson
from samovar.web import problems
from samovar.web.drawing.clock_words import LEFT as LEFT_WORDS
from samovar.web.drawing.end_words import decided, ending_of, went_well
from samovar.web.drawing.hint_words import meaning, tell_hint
from samovar.web.drawing.messages import LEFT_MARK, NAME_MARK, PageMessage
from samovar.web.drawing.own_part import own_part
from samovar.web.drawing.render import (
    TOKEN_MARK,
    PageFacts,
    draw_after,
    draw_sheet,
    draw_table,
    draw_told,
    render_with,
    shared_facts,
)
from samovar.web.drawing.scene import TableScene, make_scene
from samovar.web.drawing.steps import earliest, past_of
from samovar.web.drawing.viewer import Viewer, ViewerKind
from samovar.web.names import Person
from samovar.web.recent import Recent
from samovar.web.tables.chairs import Remark
from samovar.web.tables.characters import remark_of, style_of
from samovar.web.tables.codes import code_of
from samovar.web.tables.hands import asked, has_secrets
from samovar.web.tables.hints import Hint, hinted_texts
from samovar.web.tables.phrases import ACTION_TEXTS, PHRASES, USUAL_LEVEL
from samovar.web.tables.presence import Away
from samovar.web.tables.table import Table
from samovar.web.tables.tables import Tables

PARTS = ("status", "clocks", "board", "actions", "news", "talk", "chairs")
MATCH_PARTS = ("status", "board", "actions", "news")  # these need the view of the match
TOLD_MOVES = 12
KEPT_LOOKS = 1024  # of about 100 kB each
KEPT_SECONDS = 90.0  # somewhat longer than a stream's beat
KEPT_STILLS = 256
# A look that took less last time is made at once: it is soon done, and to hand it to another thread
# and back takes longer. Both share one interpreter, so nothing is won by that but that a long one
# lets others in.
SHORT_SECONDS = 0.004
KEPT_SMALL = 8


class MoveNews(NamedTuple):
    """A move, as the viewer saw it and as it is told now."""

    seen: tuple[Event, ...]
    kept: tuple[Event, ...]  # what has not faded
    text: str
    line: str  # of the list of what happened: drawn once, and shown with the next dozen of moves


@dataclass(eq=False)
class RenderedTable:
    table_id: str
    number: int  # of the last entry that it knows
    away: Away
    state: str  # names what the board shows, so that a page knows whether its own is still right
    turn: bool
    phase: str  # of the match, for the place where the rules open; empty before it has begun
    parts: dict[str, str]
    title: str
    news: dict[int, MoveNews]  # what happened in the last moves, by their number
    # whose names are in it, and how often moves were taken back until then: afterwards the same
    # numbers may be other moves
    news_of: tuple[Any, ...]
    moves: int  # that were made by then
    view: AnyView  # what the viewer saw then; None before the match has begun
    keys: PageFacts  # what each part depends on
    small: dict[Any, str]  # small parts as they were lately: they come back with every turn
    seconds: float  # that it took to make
    serial: int = field(default_factory=count(1).__next__)
    # for those who have the look with this serial number: most have the same
    _messages: dict[int, PageMessage] = field(default_factory=dict)

    def message(self, before: RenderedTable | None) -> PageMessage:
        """As JSON: what changes on a page that shows the look before, all of it without one."""
        known = before.serial if before is not None else 0
        if known not in self._messages:
            self._messages = {
                **({0: self._messages[0]} if 0 in self._messages else {}),
                known: PageMessage(self._encode(before)),
            }
        return self._messages[known]

    def _encode(self, before: RenderedTable | None) -> bytes:
        parts = {name: html for name, html in self.parts.items() if before is None or before.parts[name] != html}
        facts = {
            "table": self.table_id,
            "state": self.state,
            "number": self.number,
            "turn": self.turn,
            "phase": self.phase,
            "title": self.title,
        }
        return msgspec.json.encode({**facts, "parts": parts})


class RenderedTables:
    """The looks of one process."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._kept: Recent[tuple[str, ViewerKind], RenderedTable] = Recent(KEPT_LOOKS, KEPT_SECONDS)
        self._making: dict[tuple[str, ViewerKind, int, Away], asyncio.Future[RenderedTable]] = {}
        self._encoded: Recent[tuple[str, int | None, str], tuple[int, bytes]] = Recent(KEPT_LOOKS, KEPT_SECONDS)
        self._stills: Recent[str, Table] = Recent(KEPT_STILLS)
        self._drawing_thread = ThreadPoolExecutor(1, thread_name_prefix="samovar-looks")

    def close(self) -> None:
        self._drawing_thread.shutdown(cancel_futures=True)

    def forget(self) -> None:
        """All that was made so far; it is made anew when somebody looks."""
        self._kept.clear()
        self._encoded.clear()
        self._stills.clear()

    def encoded(self, kind: tuple[str, int | None, str], number: int) -> bytes | None:
        """What programs are told of a table, if it was made before and nothing has happened
        since."""
        kept_number, content = self._encoded.get(kind) or (-1, b"")
        return content if kept_number == number else None

    def keep_encoded(self, kind: tuple[str, int | None, str], number: int, content: bytes) -> None:
        self._encoded.put(kind, (number, content))

    async def of(self, table: Table, viewer: Viewer) -> RenderedTable:
        """What this viewer sees of the table as it is at this moment."""
        kind = viewer.kind(table)
        away = self._tables.presence.away(table)
        kept = self._kept.get((table.id, kind))
        if kept is not None and (kept.number, kept.away) == (table.head, away):
            return kept
        if kept is not None and kept.seconds < SHORT_SECONDS:
            look = make_look(self._tables.secret, table, kind, away, kept)
            self._kept.put((table.id, kind), look)
            return look
        asked = (table.id, kind, table.head, away)
        if asked not in self._making:
            make = partial(make_look, self._tables.secret, self._still(table), kind, away, kept)
            making = asyncio.get_running_loop().run_in_executor(self._drawing_thread, make)
            self._making[asked] = making
            making.add_done_callback(lambda done: self._made(asked, done))
        return await asyncio.shield(self._making[asked])

    async def with_choice(
        self,
        table: Table,
        viewer: Viewer,
        picked: Sequence[str],
        *,
        as_list: bool,
        hint: Hint | None,
        ticked: tuple[str, ...] | None = None,
        unsure: str = "",
    ) -> RenderedTable:
        """For somebody who has chosen a step or ticked boxes, or asked for a hint: some of it is
        different from what the others of the kind see. `unsure`: a move that is asked about once more."""
        still = table.still()
        look = await self.of(still, viewer)
        kind = viewer.kind(still)
        draw = partial(draw_choice, self._tables.secret, still, kind, look.away, picked, as_list, hint, ticked, unsure)
        parts = await asyncio.get_running_loop().run_in_executor(self._drawing_thread, draw)
        return replace(look, parts={**look.parts, **parts}, serial=0, _messages={})

    async def past(self, table: Table, viewer: Viewer, at: int) -> RenderedTable:
        """For somebody who goes through the last moves: the board is one that they saw then."""
        still = table.still()
        look = await self.of(still, viewer)
        kind = viewer.kind(still)
        draw = partial(draw_past, self._tables.secret, still, kind, look.away, at)
        parts = await asyncio.get_running_loop().run_in_executor(self._drawing_thread, draw)
        return replace(look, parts={**look.parts, **parts}, serial=0, _messages={})

    def _still(self, table: Table) -> Table:
        """The table as it is now. Those who are told of a change look one after the other, and all
        at the same."""
        kept = self._stills.get(table.id)
        if kept is None or kept.head != table.head:
            kept = table.still()
            self._stills.put(table.id, kept)
        return kept

    def _made(self, asked: tuple[str, ViewerKind, int, Away], done: asyncio.Future[RenderedTable]) -> None:
        del self._making[asked]
        if done.cancelled() or done.exception():
            return
        table_id, kind, number, _ = asked
        kept = self._kept.get((table_id, kind))
        if kept is None or kept.number <= number:
            self._kept.put((table_id, kind), done.result())


def make_look(secret: bytes, table: Table, kind: ViewerKind, away: Away, before: RenderedTable | None) -> RenderedTable:
    """A look at a table that does not change any more; parts that are as they were `before` are
    taken from there."""
    began = time.thread_time()
    known: Mapping[str, object] = before.keys if before else {}
    keys = part_keys(table, kind, away)
    fresh = [name for name in PARTS if before is None or known[name] != keys[name]]
    needs_match = table.match is not None and any(name in MATCH_PARTS for name in fresh)
    scene = scene_of(table, kind, holds=True, seen=view_before(table, before)) if needs_match else None
    news = news_texts(table, scene, before) if scene else (before.news if before else {})
    turn = bool(scene.choices) if scene else before is not None and before.turn and table.match is not None
    gone = missed(table, away)
    back = tuple(seat for seat in table.actors if before and seat in missed(table, before.away) and seat not in gone)
    facts = table_facts(secret, table, kind, away, scene, news, turn=turn, back=back)
    small = dict(list(before.small.items())[-KEPT_SMALL:]) if before else {}
    parts = dict(before.parts) if before else {}
    for name in fresh:
        key = small_key(name, facts, scene, table, kind)
        parts[name] = (small.get(key) if key else None) or draw_part(name, facts, kind)
        if key:
            small[key] = parts[name]
    turn = turn or (kind.is_curtain and bool(asked(table, kind.here)))
    title = title_of(table, turn, kind.language)
    return RenderedTable(
        table.id,
        table.head,
        away,
        str(facts["state"]),
        turn,
        scene.phase if scene else before.phase if before else "",
        parts,
        title,
        news,
        (table.people, table.take_backs),
        len(table.match.history) if table.match is not None else 0,
        scene.view if scene else before and before.view,
        keys,
        small,
        time.thread_time() - began,
    )


def view_before(table: Table, before: RenderedTable | None) -> AnyView:
    """What the viewer saw before the last move, if the look before was the one at that: a view is made for each."""
    is_one_move_ago = (
        before is not None and before.news_of[1] == table.take_backs and before.moves + 1 == len(table.playing.history)
    )
    return before.view if before and is_one_move_ago else None


def small_key(
    name: str, facts: PageFacts, scene: TableScene | None, table: Table, kind: ViewerKind
) -> tuple[object, ...] | None:
    """What a small part really depends on while a match is played; None: it is drawn anew."""
    if table.status != "playing" or name not in ("actions", "status"):
        return None
    level = table.chairs[kind.seat].level if kind.seat is not None else ""
    if name == "actions":
        return name, facts["turn"], facts["has_moved"], level, table.pause_state
    asking = table.asking and (table.asking.seat, frozenset(table.asking.agreed))
    waits = table.actors, table.pause_state, facts["missed"], facts["back"]
    return name, facts["turn"] and scene and scene.prompt, waits, table.people, level, asking


def missed(table: Table, away: Away) -> tuple[int, ...]:
    """Those who are to act and are away. By post nobody is missed before their time is over."""
    return () if table.is_by_post else tuple(sorted({seat for seat, _ in away}.intersection(table.actors)))


def draw_choice(
    secret: bytes,
    table: Table,
    kind: ViewerKind,
    away: Away,
    picked: Sequence[str],
    as_list: bool,
    hint: Hint | None,
    ticked: tuple[str, ...] | None,
    unsure: str,
) -> dict[str, str]:
    """The board, and with a hint what is asked."""
    scene = None
    if table.match is not None:
        scene = replace(scene_of(table, kind, picked, hint), ticked=ticked)
    turn = scene is not None and bool(scene.choices)
    hint_texts = tell_hint(table, hint, scene) if hint and scene and turn else ()
    facts = table_facts(secret, table, kind, away, scene, {}, turn=turn, as_list=as_list, hint=hint_texts)
    if scene and unsure and turn:
        facts["unsure"] = unsure, scene.choices.say(unsure)
    return {name: draw_part(name, facts, kind) for name in (("status", "board") if hint_texts else ("board",))}


def draw_past(secret: bytes, table: Table, kind: ViewerKind, away: Away, at: int) -> dict[str, str]:
    """A position of the last moves, and the prompt says so; or the present one where that cannot be seen any more."""
    match, helps = table.playing, table.settings.memory_aid
    past = past_of(match, kind.seat, at, helps_memory=helps or table.status == "over")
    if past is None:
        scene = scene_of(table, kind)
        is_hidden = earliest(match, kind.seat) <= at < len(match.history)
        more: PageFacts = {"turn": bool(scene.choices), "is_past_hidden": is_hidden}
    else:
        scene = make_scene(past.match, kind.seat, kind.language, table.people, may_move=False, helps_memory=helps)
        more = {
            "turn": False,
            "past": past,
            "draw_table": draw_table,
            "sentences": [scene.tell(event) for event in scene.view.news],
        }
    facts = table_facts(secret, table, kind, away, scene, {}, **more)
    if past is None:
        return {"board": draw_part("board", facts, kind)}
    return {"status": draw_part("status", facts, kind), "board": draw_part("past", facts, kind)}


def draw_part(name: str, facts: PageFacts, kind: ViewerKind) -> str:
    html = render_with(f"parts/{name}.html", kind.language, facts).strip()
    return name_hand(html, kind.seat) if kind.here else html


def name_hand(html: str, seat: int | None) -> str:
    """Every form of a device that several people share names the hand that it was made for."""
    return html.replace(f'{TOKEN_MARK}">', f'{TOKEN_MARK}"><input type="hidden" name="hand" value="{seat}">')


def part_keys(table: Table, kind: ViewerKind, away: Away) -> PageFacts:
    """What each part of a page depends on, besides who looks: the same key, the same part."""
    people, status, seat = table.people, table.status, kind.seat
    muted = kind.muted if seat is None else table.muted_by(seat)
    own = table.chairs[seat] if seat is not None else None
    match = (table.revision, status, people, table.is_paused)
    asking = table.asking and (table.asking.seat, frozenset(table.asking.agreed))
    return {
        "status": (
            *match,
            table.pause_state,
            missed(table, away),
            asking,
            table.again,
            own and (own.nonce_maker, own.next_nonce),
        ),
        "clocks": table.clocks and (table.clocks.shown, status, people),
        "board": match,
        "actions": (*match, table.pause_state),
        "news": match,
        "talk": ([remark.number for remark in table.remarks_without(muted)], people),
        "chairs": (
            status,
            people,
            [chair.handed_by for chair in table.chairs],
            [(chair.nonce, chair.nonce_maker, chair.next_nonce) for chair in table.chairs],
            away,
            away and table.actors,
            table.next_commitment,
            (table.opener, *table.resigned, muted),
            own and (own.key_salt, sorted(own.persons.values())),
        ),
    }


def scene_of(
    table: Table,
    kind: ViewerKind,
    picked: Sequence[str] = (),
    hint: Hint | None = None,
    *,
    holds: bool = False,
    seen: AnyView = None,
) -> TableScene:
    may_move = kind.seat is None or not (table.is_given_up or table.is_paused or table.chairs[kind.seat].level)
    helps = table.settings.memory_aid
    scene = make_scene(
        table.playing,
        kind.seat,
        kind.language,
        table.people,
        picked=picked,
        hinted=hinted_texts(table, hint),
        may_move=may_move,
        helps_memory=helps,
        holds=holds,
        seen=seen,
    )
    # the match itself knows nothing of those who gave it up, and of pauses
    if not (table.resigned or table.is_paused):
        return scene
    return replace(scene, actors=table.actors, places=table.places, success=table.success)


def table_facts(
    secret: bytes,
    table: Table,
    kind: ViewerKind,
    away: Away,
    scene: TableScene | None,
    news: Mapping[int, MoveNews],
    **more: object,
) -> PageFacts:
    """What the templates of a table's page get to know. It is made from the viewer's own view."""
    seat = kind.seat
    facts = {
        "table": table,
        "game": table.game,
        "seat": seat,
        "here": kind.here,
        "beside_screen": kind.is_beside_screen,
        "muted": kind.muted if seat is None else table.muted_by(seat),
        "signs": kind.signs,
        "asked": asked(table, kind.here),
        "has_secrets": has_secrets(table.game),
        "scene": scene,
        "past": None,
        "is_past_hidden": False,
        "step_back": _step_back(table, seat),
        "away": dict(away),
        "missed": missed(table, away),
        "back": (),
        "has_moved": seat is not None and bool(table.own_moves(seat)),
        "name": NAME_MARK,
        "left_mark": LEFT_MARK,
        "left_words": LEFT_WORDS,
        "invitation": f"{kind.address}/table/{table.id}",
        "code": lambda: code_of(secret, table.id),
        "has_lesson": has_lesson,
        "link_of": lambda seat: f"{kind.address}/table/{table.id}/come/{table.key(seat, secret)}",
        "as_list": False,
        "unsure": None,
        "hint": (),
        "hint_meaning": meaning,
        "levels": table.game.heuristics.offered,
        "usual_level": USUAL_LEVEL,
        "phrases": PHRASES,
        "draw_table": partial(draw_beside, table, kind) if kind.is_beside_screen else draw_table,
        "draw_sheet": draw_sheet,
        "draw_after": draw_after,
        "ending": ending_of(scene) if scene and table.status == "over" else None,
        "decided": decided,
        "went_well": went_well,
        "counted": partial(counted, table.game, kind.language),
        "news_items": Markup(
            "\n".join([news[number].line for number in sorted(news, reverse=True) if news[number].text])
        ),
        "remark_text": remark_text,
        "bot_remark": remark_of(table),
        "style_of": style_of,
        "changed_options": changed_options,
        "state": f"{state_of(table)}.{seat}" if kind.here else state_of(table),
    }
    return shared_facts(kind.language, facts | more)


def draw_beside(table: Table, kind: ViewerKind, scene: TableScene) -> Markup:
    """For a phone beside a large screen, which shows what a spectator sees."""
    spectator = kind._replace(seat=None, here=())
    return own_part(draw_table(scene), draw_table(scene_of(table, spectator, holds=scene.before is not None)))


def _step_back(table: Table, seat: int | None) -> int | None:
    """Where somebody begins who wants to see the last moves again; None: they saw them all."""
    last = len(table.match.history) if table.match is not None else 0
    return last - 1 if table.match is not None and earliest(table.match, seat) < last else None


def news_texts(table: Table, scene: TableScene, before: RenderedTable | None) -> dict[int, MoveNews]:
    """What happened in the last moves, as far as the viewer need not remember it; what is told
    already is not worked out again."""
    last = len(table.playing.history)
    wanted = range(max(0, last - TOLD_MOVES), last)
    known = before.news if before is not None and before.news_of == (table.people, table.take_backs) else {}
    missing = last - next((number for number in wanted if number not in known), last)
    new_events = [scene.view.news] if missing == 1 else table.playing.log(scene.viewer, last=missing) if missing else []
    seen = [known[number].seen for number in wanted[: len(wanted) - missing]] + new_events
    fades, fade = not table.settings.memory_aid and table.status != "over", table.game.fade

    def tell(number: int, events: tuple[Event, ...]) -> MoveNews:
        kept = fade(events, scene.view) if fades and number < last - 1 else events
        if number in known and known[number].kept == kept:
            return known[number]
        text, drawn = draw_told(scene, kept)
        return MoveNews(events, kept, text, f'<li data-move="{number + 1}">{drawn}</li>')

    return {number: tell(number, events) for number, events in zip(wanted, seen, strict=True)}


def remark_text(remark: Remark, language: str) -> str:
    """What was said, or the action that everybody is told of."""
    tell = translations(language).gettext
    if remark.names is not None:
        by, name = remark.names
        return tell(ACTION_TEXTS[remark.text]) % Facts(by=by, name=name)
    return tell(remark.text) if remark.is_phrase else remark.text


def state_of(table: Table) -> str:
    """Names what the board shows. Made from what everybody sees."""
    return f"{table.revision:x}.{_mark_of(table.status, table.people)}"


@lru_cache(4096)
def _mark_of(status: str, people: tuple[Person, ...]) -> str:
    return f"{zlib.crc32(repr((status, people)).encode()):x}"


def changed_options(table: Table, language: str) -> list[tuple[str, str]]:
    """The options that are not as usual: name and value."""
    words = words_in(table.game, language)
    changed = [option for option in table.game.options if table.options[option.name] != option.default]
    return [(option_text(words, option), _value_text(table, option, language)) for option in changed]


def _value_text(table: Table, option: Option, language: str) -> str:
    value, _ = table.options[option.name], translations(language).gettext
    if option.name == "first" and isinstance(value, int):
        return table.people[value].name or str(value + 1)
    if isinstance(value, bool):
        return _("on") if value else _("off")
    return choice_text(words_in(table.game, language), option, value)


def title_of(table: Table, turn: bool, language: str) -> str:
    your_turn = translations(language).gettext(problems.N_("Your turn"))
    mark = f"● {your_turn} · " if turn else ""
    return f"{mark}{table.game.name} · Samovar"
