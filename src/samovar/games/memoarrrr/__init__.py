"""Memoarrrr! by Carlo Bortolini: find a location that connects, or take a volcano."""

from __future__ import annotations

from pathlib import Path

from samovar.engine.contract import Game, Option

from .arrange import arrange
from .instinct import INSTINCT
from .knowledge import OBSERVATION, determinize, observe
from .moves import MAX_LEGAL, MOVES, move_text, parse_move
from .news import news
from .rules import actors, apply, deal, legal, max_length, places, scores
from .state import FAULT_NAMES, STATE, faults
from .table import FACE
from .view import draw, view
from .words import WORDS

GAME = Game(
    id="memoarrrr",
    name="Memoarrrr!",
    version=1,
    seats=(2, 3, 4),
    state=STATE,
    moves=MOVES,
    max_legal=MAX_LEGAL,
    max_length=max_length,
    observation=OBSERVATION,
    fault_names=FAULT_NAMES,
    own_options=(
        Option("expert", False, (False, True), "animals have abilities"),
        Option("ordered_stack", False, (False, True), "treasures lie from 1 ruby on top to 4 at the bottom"),
        Option(
            "first_reveal_ability", False, (False, True), "expert: the first reveal of a round uses its ability, too"
        ),
    ),
    deal=deal,
    actors=actors,
    legal=legal,
    apply=apply,
    scores=scores,
    places=places,
    determinize=determinize,
    observe=observe,
    faults=faults,
    view=view,
    news=news,
    move_text=move_text,
    parse_move=parse_move,
    arrange=arrange,
    draw=draw,
    words=WORDS,
    instinct=INSTINCT,
    face=FACE,
    folder=str(Path(__file__).parent),
)
