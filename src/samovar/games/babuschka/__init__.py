"""Babuschka: dolls in dolls walk and jump across the board, cover each other on the way, and come
home small in medium in large."""

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
from .view import draw, faded, in_sight, news, view
from .words import WORDS

GAME = Game(
    id="babuschka",
    name="Babuschka",
    version=1,
    seats=SEATS,
    minutes=30,
    age=8,
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
        Option(
            "patience", 40, range(1, 1001), "the match ends after so many moves per remaining seat without progress"
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
    turn_move=turn_move,
    turn_back=turn_back,
    faults=faults,
    view=view,
    news=news,
    faded=faded,
    in_sight=in_sight,
    move_text=move_text,
    reasons=reasons,
    parse_move=parse_move,
    arrange=arrange,
    heuristics=HEURISTICS,
    draw=draw,
    words=WORDS,
    face=FACE,
    folder=str(Path(__file__).parent),
)

__all__ = ["GAME"]
