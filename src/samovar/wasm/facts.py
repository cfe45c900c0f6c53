"""What a browser must know about a game besides its module: the facts that stand in GAME.json."""

from __future__ import annotations

from dataclasses import fields
from typing import Never

from samovar.bots import levels, search, tree
from samovar.engine import heuristics
from samovar.engine.contract import Game, Option
from samovar.engine.heuristics import Level, Tuning
from samovar.engine.match import RECORD_FORMAT
from samovar.engine.ways.wasm import out_room
from samovar.json_types import JsonObject

FORMAT = 1
NETWORK_LEVEL = "master"

# The numbers of the search which JavaScript needs, by where they stand.
SEARCH = {
    search: "TREES USUAL MOST_SIMULATIONS MOST_SECONDS MOST_NODES PORTION SHOWN SEED_STEP MOST_FOLLOWED",
    tree: "MOVE SEAT VISITS TOTAL FIRST NEXT NODE_FIELDS ROOT NONE OBSERVER SEED BEGIN END EXPLORE WIDEN DEPTH REUSE "
    "SPLIT USED ORDERS KNOWN STATES PATH",
    levels: "MEMORY_STREAM GLANCES",
    heuristics: "CERTAIN",
}


def facts_of(game: Game) -> JsonObject:
    heuristics = game.heuristics
    named = {**heuristics.levels, **heuristics.pinned}
    return {
        "samovar": FORMAT,
        "record": RECORD_FORMAT,
        "game": game.id,
        "name": game.name,
        "rules": game.version,
        "seats": list(game.seats),
        "teams": {str(seats): list(game.teams(seats)) for seats in game.seats},
        "options": [_option(option) for option in game.options],
        "moves": game.moves,
        "max_legal": game.max_legal,
        "out_room": out_room(game),
        "texts": move_texts(game),
        "observation": [
            {"name": part.name, "size": part.size, "shape": list(part.shape or (part.size,)), "help": part.help}
            for part in game.observation
        ],
        "state_bytes": game.state.itemsize,
        "state": _layout(game),
        "levels": {name: _level(level) for name, level in named.items() if name != NETWORK_LEVEL},
        "tuning": _tuning(heuristics.tuning),
        "search": {name.lower(): getattr(module, name) for module, names in SEARCH.items() for name in names.split()},
    }


def _option(option: Option) -> JsonObject:
    choices = option.choices
    known = {"from": choices[0], "to": choices[-1]} if isinstance(choices, range) else list(choices)
    return {"name": option.name, "default": option.default, "choices": known, "help": option.help}


def _layout(game: Game) -> list[JsonObject]:
    """The fields of a state: where each begins and how its numbers lie."""
    layout = []
    for name, (dtype, offset, *_) in (game.state.fields or {}).items():
        item, shape = dtype.subdtype or (dtype, ())
        layout.append({"name": name, "type": item.name, "offset": offset, "shape": list(shape)})
    return layout


def _level(level: Level) -> JsonObject:
    numbers = {name: getattr(level, name) for name in ("simulations", "half_life", "overlooks", "hasty")}
    return {**numbers, "tuning": _tuning(level.tuning) if level.tuning else None}


def _tuning(tuning: Tuning) -> JsonObject:
    return {entry.name: int(getattr(tuning, entry.name)) for entry in fields(Tuning)}


class _Unseen:
    """A state that nobody may look at."""

    def __getattr__(self, name: str) -> Never:
        raise LookupError(name)


def move_texts(game: Game) -> dict[str, str]:
    """The moves whose text is the same in every state and for every seat: only these can be told without Python."""
    texts = {}
    for move in range(game.moves):
        try:
            told = {game.move_text(_Unseen(), seat, move) for seat in range(max(game.seats))}
        except (LookupError, ValueError):  # it depends on the state, or there is no such move
            continue
        if len(told) == 1:
            texts[str(move)] = told.pop()
    return texts
