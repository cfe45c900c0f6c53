"""What somebody has chosen on a board, as an address or a form says it: alike at tables, in lessons and in puzzles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

import msgspec
from litestar.enums import MediaType
from litestar.response import Response

from samovar.engine.match import Match
from samovar.web import problems
from samovar.web.drawing.render import PageFacts, draw_table, render
from samovar.web.drawing.scene import TableScene
from samovar.web.people.people import ALWAYS
from samovar.web.visit import Visit

LONGEST_MOVE = 200


@dataclass(frozen=True)
class Chosen:
    move: str | None = None  # the text of a move, or its verb and all that was ticked; None: none was sent
    picked: tuple[str, ...] = ()  # the first steps of a move
    ticked: tuple[str, ...] | None = None  # None: no boxes were sent
    as_list: bool = False  # all moves are wanted as a list
    is_counted: bool = False  # what is ticked shall be counted, and no move made
    unsure: str = ""  # the move that they are asked about once more

    @classmethod
    def read(cls, sent: Mapping[str, Sequence[Any]]) -> Chosen:
        """Of a form, or of what stands in an address after the question mark."""
        ticked = tuple(str(card) for card in sent["with"] if card) if "with" in sent else None
        is_counted = "count" in sent
        move = " ".join([str(sent["move"][0]), *(ticked or ())]) if "move" in sent and not is_counted else None
        if "sure" in sent:
            move = str(sent["sure"][0])
        return cls(move, tuple(sent.get("pick", ())), ticked, "list" in sent, is_counted)

    @property
    def is_shown(self) -> bool:
        """Whether the board looks different because of it."""
        return bool(self.picked or self.unsure) or self.ticked is not None or self.as_list

    @property
    def text(self) -> str:
        """The move, if it may be one."""
        if self.move is None or not self.move.strip() or len(self.move) > LONGEST_MOVE:
            raise problems.NotPossible
        return self.move

    @property
    def boxes(self) -> str:
        """What is ticked, for an address; that nothing is, too."""
        return urlencode([("with", card) for card in self.ticked or ("",)])

    def refused(self, match: Match, seat: int | None) -> problems.NotPossible:
        """Why this move is not possible here."""
        wanted, ticked = wanted_boxes(match, seat), len((self.move or "").split()[1:])
        return (
            problems.WrongNumber(wanted=wanted, ticked=ticked) if wanted not in (0, ticked) else problems.NotPossible()
        )


NOTHING = Chosen()


async def is_asked_twice(visit: Visit) -> bool:
    """Whether they want a second look before what cannot be taken back. Our script knows on what device they are."""
    form = await visit.form()
    return form.get("asks", visit.profile.second_look) == ALWAYS and "sure" not in form


def wanted_boxes(match: Match, seat: int | None) -> int:
    """How many boxes somebody has to tick now; 0: none."""
    face = match.game.face
    move = None if seat is None or face is None else next(iter(match.legal(seat)), None)
    if seat is None or face is None or move is None:
        return 0
    text = match.move_text(seat, move)
    return len(text.split()) - 1 if face.several(match.view(seat), text) else 0


def board_facts(scene: TableScene, chosen: Chosen, here: str) -> PageFacts:
    """For `parts/choosing.html`. `here`: the address where nothing is chosen yet."""
    scene = replace(scene, ticked=chosen.ticked)
    return {"scene": scene, "as_list": chosen.as_list, "here": here, "draw_table": draw_table}


def board_alone(visit: Visit, facts: Mapping[str, object], title: str) -> Response[bytes]:
    """What our script gets when something was picked."""
    parts = {"board": render("parts/choosing.html", visit.language, facts)}
    return Response(msgspec.json.encode({"parts": parts, "title": title}), media_type=MediaType.JSON)
