"""Matryoshka: collectors trade dolls and show them, in rows of a colour and columns of a size. By
Sergio Halaban (White Goblin Games)."""

from __future__ import annotations

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
from .rules import actors, apply, deal, legal
from .scoring import places, scores
from .sizes import ROUNDS, SEATS
from .state import GROWTH, GROWTHS, STATE
from .tokens import TOKENS
from .view import draw, faded, in_sight, news, view
from .words import WORDS

GAME = Game(
    id="matryoshka",
    name="Matryoshka",
    version=1,
    seats=SEATS,
    minutes=30,
    age=8,
    state=STATE,
    moves=MOVES,
    max_legal=MAX_LEGAL,
    # Every match has this length: a display each in the set-up; in each round, for each seat, one
    # put up, the offers, one taken, and a display.
    max_length=lambda seats, options: seats + ROUNDS * seats * (seats + 2),
    observation=OBSERVATION,
    relations=RELATIONS,
    factors=FACTORS,
    tokens=TOKENS,
    fault_names=FAULT_NAMES,
    own_options=(
        Option("long_columns", "extend", ("extend", "cap"), "columns of more than seven cards score on, or as seven"),
        Option("growth", GROWTH, GROWTHS, "points that each doll adds to a run or a column from the fourth on"),
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
    heuristics=HEURISTICS,
    face=FACE,
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
    folder=str(Path(__file__).parent),
)
