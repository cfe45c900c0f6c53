"""Memoarrrr! by Carlo Bortolini: find a location that connects, or take a volcano."""

from __future__ import annotations

from pathlib import Path

from samovar.engine.contract import Game, Option

from .arrange import arrange
from .face import FACE
from .faults import FAULT_NAMES, faults
from .features import FACTORS, RELATIONS, factor, relate
from .heuristics import HEURISTICS
from .knowledge import determinize
from .moves import MAX_LEGAL, MOVES, move_text, parse_move
from .news import news
from .observation import OBSERVATION, observe
from .reasons import reasons
from .rules import actors, apply, deal, legal, max_length, places, scores
from .sizes import SEATS
from .state import STATE
from .tokens import TOKENS
from .view import draw, faded, in_sight, view
from .words import WORDS

GAME = Game(
    id="memoarrrr",
    name="Memoarrrr!",
    version=1,
    seats=SEATS,
    minutes=15,
    age=6,
    state=STATE,
    moves=MOVES,
    max_legal=MAX_LEGAL,
    max_length=max_length,
    observation=OBSERVATION,
    relations=RELATIONS,
    factors=FACTORS,
    tokens=TOKENS,
    fault_names=FAULT_NAMES,
    own_options=(
        Option("expert", False, (False, True), "animals have abilities"),
        Option("ordered_stack", False, (False, True), "treasures lie from 1 ruby on top to 4 at the bottom"),
        Option(
            "first_reveal_ability",
            False,
            (False, True),
            "expert: the first reveal of a round uses its ability, too",
            only_with="expert",
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
    relate=relate,
    factor=factor,
    faults=faults,
    view=view,
    news=news,
    faded=faded,
    in_sight=in_sight,
    move_text=move_text,
    reasons=reasons,
    parse_move=parse_move,
    arrange=arrange,
    draw=draw,
    words=WORDS,
    heuristics=HEURISTICS,
    face=FACE,
    folder=str(Path(__file__).parent),
)
