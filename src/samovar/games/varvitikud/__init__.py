"""Värvitikud: connect matches of one colour, collect sticks, make sets of many colours. RULES.md
has the rules in our words."""

from pathlib import Path

from samovar.engine.contract import Game, Option

from .arrange import arrange
from .face import FACE
from .faults import FAULT_NAMES, faults
from .features import FACTORS, RELATIONS, factor, relate, turn_back, turn_move
from .heuristics import HEURISTICS
from .knowledge import determinize
from .moves import MAX_LEGAL, MOVES, move_text, parse_move
from .observation import OBSERVATION, observe
from .reasons import reasons
from .rules import actors, apply, deal, legal, max_length, places, scores
from .sizes import SEATS
from .state import STATE
from .tokens import TOKENS
from .view import draw, news, view
from .words import WORDS

GAME = Game(
    id="varvitikud",
    name="Värvitikud",
    version=1,
    seats=SEATS,
    minutes=20,
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
        Option("half_turn", False, (False, True), "whether a card may be given a half turn when it is placed (V2)"),
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
    turn_move=turn_move,
    turn_back=turn_back,
    faults=faults,
    view=view,
    news=news,
    move_text=move_text,
    reasons=reasons,
    parse_move=parse_move,
    arrange=arrange,
    draw=draw,
    heuristics=HEURISTICS,
    face=FACE,
    words=WORDS,
    folder=str(Path(__file__).parent),
)
