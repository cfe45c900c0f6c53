"""A position as people arrange it on its drawing: told of a match, changed, and looked at also where it cannot be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import msgspec

from samovar.engine.assembly.positions import GamePosition, read_position
from samovar.engine.contract import Game, Value
from samovar.engine.match import Match, laid_out
from samovar.errors import BadPosition, SamovarError
from samovar.json_types import JsonObject


@dataclass(frozen=True)
class ArrangedPosition:
    position: JsonObject
    match: Match | None  # as it stands there, perhaps with faults; None: it cannot even be laid out
    faults: tuple[str, ...] = ()  # what is wrong, in sentences


@cache
def position_kind(game: Game) -> type[GamePosition] | None:
    """What the positions of a game are: of one without an `arrange` a deal and moves. None: its `arrange` does not
    say what it takes."""
    if game.position or game.arrange:
        return game.position
    deal = [("seats", int, game.seats[0]), ("seed", int | str, 0), ("moves", tuple[str, ...], ())]
    options = [(option.name, Value, option.default) for option in game.options]
    made = msgspec.defstruct("DealtPosition", [*deal, *options], bases=(GamePosition,))
    return made if issubclass(made, GamePosition) else None  # which it is; its maker does not say so


def can_move_pieces(game: Game) -> bool:
    kind = position_kind(game)
    return kind is not None and kind.moved is not GamePosition.moved


def position_of(match: Match) -> JsonObject | None:
    """This moment as a position; None where it cannot be told as one."""
    game = match.game
    if game.arrange is None:
        return _dealt_position(match)
    told = game.position.of(match.state) if game.position else None
    return None if told is None else as_json(told)


def as_json(position: GamePosition) -> JsonObject:
    """As it is read again: with lists, and without what is left open."""
    told: JsonObject = msgspec.json.decode(msgspec.json.encode(position))
    return {name: value for name, value in told.items() if value is not None}


def _dealt_position(match: Match) -> JsonObject | None:
    """Where several may move at a time, the lowest of them does in a position; a match may have gone another way."""
    if match.position is not None:
        moves = [*match.position.get("moves", ()), *(text for _, text in match.told_history())]
        position = {**match.position, "moves": moves}
    else:
        options = {name: value for name, value in match.options.items() if value is not None}
        moves = [text for _, text in match.told_history()]
        position = {"seats": match.seats, "seed": match.seed, **options, "moves": moves}
    laid = look_at(match.game, position).match
    return position if laid and laid.state_bytes == match.state_bytes else None


def look_at(game: Game, position: Mapping[str, object]) -> ArrangedPosition:
    kept = dict(position)
    try:
        states, faults = laid_out(game, kept)
    except SamovarError as error:
        return ArrangedPosition(kept, None, (str(error),))
    try:
        match = Match.standing(game, int(states["seats"][0]), states.tobytes(), plain=True)
    except Exception:  # rules may fail in any way where a state cannot be
        return ArrangedPosition(kept, None, faults or (f"Nobody can play on from this position of {game.name}.",))
    return ArrangedPosition(kept, match, faults)


def move_piece(game: Game, position: Mapping[str, object], piece: str, place: str) -> JsonObject:
    """The position after somebody put a piece somewhere, by their names in the drawing."""
    kind = position_kind(game)
    assert kind is not None
    try:
        return as_json(read_position(game.name, kind, position).moved(piece, place))
    except SamovarError:
        raise
    except Exception as error:  # a name of something that lies nowhere
        raise BadPosition(f"{piece!r} cannot go to {place!r} in this position of {game.name}.") from error


def read_field(game: Game, name: str, text: str) -> object:
    """What somebody wrote into a field of a position: JSON, or words with spaces between them, or one text. What is
    none of it stays a text, so that reading the position says what is wrong."""
    kind = position_kind(game)
    types = {field.name: field.type for field in msgspec.structs.fields(kind)} if kind else {}
    for guess in _guesses(text):
        try:
            return msgspec.to_builtins(msgspec.convert(guess, types.get(name, str), strict=False))
        except msgspec.ValidationError:
            continue
    return text


def _guesses(text: str) -> list[object]:
    words: list[object] = [text.split(), text]
    try:
        return [msgspec.json.decode(text), *words]
    except (ValueError, RecursionError):
        return words


def field_text(value: object) -> str:
    """How a value of a field is written."""
    if isinstance(value, str):
        return value
    if isinstance(value, list | tuple) and value and all(_is_word(one) for one in value):
        return " ".join(map(str, value))
    return "" if value in (None, [], ()) else msgspec.json.encode(value).decode()


def _is_word(value: object) -> bool:
    return type(value) is int or (isinstance(value, str) and value.split() == [value])
