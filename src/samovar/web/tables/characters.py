"""Bots as people meet them: a style in a word, and a remark now and then. Both follow from what everybody may know,
so they give nothing away and are kept nowhere."""

from __future__ import annotations

from typing import NamedTuple
from zlib import crc32

from samovar.engine.contract import Game
from samovar.web.problems import N_
from samovar.web.tables.table import Table

OFTEN_HASTY = 50  # of 100 moves
SOON_FORGOTTEN = 20  # moves
OFTEN_OVERLOOKS = 30  # of 100 moves
BETWEEN = 7  # moves from one remark to the next, about

HASTY, FORGETFUL, DREAMY = N_("hasty"), N_("forgetful"), N_("dreamy")
CAREFUL, PATIENT, SHREWD = N_("careful"), N_("patient"), N_("shrewd")
AT_THE_END = N_("Thank you, that was fun.")
REMARKS = {
    HASTY: (N_("Done! Next, please."), N_("Quick, quick, the tea gets cold."), N_("I never think twice.")),
    FORGETFUL: (N_("Now where was that?"), N_("I knew it a moment ago."), N_("Have I seen this before?")),
    DREAMY: (N_("Oh, is it my turn?"), N_("What lovely colours."), N_("I was far away.")),
    CAREFUL: (N_("One look more."), N_("Hmm, let me think."), N_("Slow and steady.")),
    PATIENT: (N_("There is time."), N_("I have a plan."), N_("We shall see.")),
    SHREWD: (N_("As I expected."), N_("Interesting."), N_("Are you sure?")),
}


class BotRemark(NamedTuple):
    seat: int
    text: str


def style_of(game: Game, level: str) -> str:
    """In a word, by how the level errs in this game; empty for a bot that is none of our levels."""
    known = game.heuristics.levels.get(level)
    if known is None:
        return ""
    if known.hasty >= OFTEN_HASTY:
        return HASTY
    if 0 < known.half_life <= SOON_FORGOTTEN:
        return FORGETFUL
    if known.overlooks >= OFTEN_OVERLOOKS:
        return DREAMY
    return {"expert": PATIENT, "master": SHREWD}.get(level, CAREFUL)


def remark_of(table: Table) -> BotRemark | None:
    """What a bot says now. The number of the move decides who says what, so everybody who looks reads the same."""
    bots = [chair for chair in table.chairs if chair.kind == "bot" and style_of(table.game, chair.level)]
    if not bots or table.match is None:
        return None
    if table.status == "over":
        return BotRemark(bots[0].seat, AT_THE_END)
    while_said, number = divmod(table.revision, BETWEEN)
    draw = crc32(f"{table.id} {while_said}".encode())
    if number < draw % BETWEEN:  # not yet
        return None
    chair = bots[draw // BETWEEN % len(bots)]
    said = REMARKS[style_of(table.game, chair.level)]
    return BotRemark(chair.seat, said[draw // 64 % len(said)])
