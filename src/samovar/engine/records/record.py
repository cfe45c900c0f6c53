"""A match as a file: JSON that a person can read, with moves as text, and that cannot be changed
unnoticed by accident. Where a move's text is not known, as in a browser, it stands there by its number.

A match that was played on in another world, imagined by what a seat knew, says so under `worlds`: after how many
moves, which seat, and the seed of the world.

`state` is a hash of the state at the end, so a replay proves that it gave the same match; `digest`
is a hash of all the rest, so an edited record is refused. Both guard against mishaps, not against
forgers. A file from a stranger may hold anything; the worst that comes of it is an error of this
package.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator
from pathlib import Path

from samovar.engine.contract import Game
from samovar.engine.match import RECORD_FORMAT, Match
from samovar.engine.records.digest import digest_of, hash_of, json_bytes
from samovar.engine.registry import find_game
from samovar.errors import BadRecord, RecordVersion, SamovarError
from samovar.json_types import JsonObject


def replay(record: JsonObject | str | Path, *, plain: bool | None = None) -> Match:
    """The match of a record (or of a file), played again and compared with what the record says."""
    content = read_record(record) if isinstance(record, str | Path) else record
    _check_form(content)
    game = find_game(content["game"])
    if content["rules"] != game.version:
        raise RecordVersion(
            f"This record was made with rules version {content['rules']} of {game.name}; version {game.version} is "
            "installed. "
            f"Replay it with a samovar of its own time."
        )
    if content["digest"] != digest_of(content):
        raise BadRecord(
            "This record was changed after it was written: its digest does not fit. Use the file as samovar saved it."
        )
    step = "the deal"
    try:
        match = _start(game, content, plain)
        worlds = deque(content.get("worlds", ()))
        for number, (seat, text) in enumerate(content["moves"]):
            step = f"move {number + 1} ({text!r} of seat {seat})"
            match = _go_on(match, worlds, number)
            match.play(seat, text)
        match = _go_on(match, worlds, len(content["moves"]))
        if worlds:
            raise BadRecord(f"it has no moves before the world {worlds[0]}.")
    except SamovarError as error:
        raise BadRecord(f"This record does not replay, at {step}: {error}") from error
    if hash_of(match.state_bytes) != content["state"]:
        raise BadRecord(
            "This record replays to another position than the one it was saved in; its deal or moves were changed."
        )
    return match


def _start(game: Game, content: JsonObject, plain: bool | None) -> Match:
    """The match before its first move, if so many moves can follow."""
    if "position" in content:
        match = Match.from_position(game, content["position"], plain=plain)
        options = {option.name: content["position"].get(option.name, option.default) for option in game.options}
    else:
        match = Match.as_written(game, content["seats"], content["seed"], content["options"], plain=plain)
        options = match.options
    if match.seats != content["seats"]:
        raise BadRecord(f"its position has {match.seats} seats, and the record {content['seats']}.")
    most = game.max_length(match.seats, options)
    if len(content["moves"]) > most:
        raise BadRecord(f"it has {len(content['moves'])} moves, and no match like this has more than {most}.")
    return match


def _go_on(match: Match, worlds: deque[list[int]], moves: int) -> Match:
    """The match after so many moves, in the world in which it went on from there."""
    while worlds and worlds[0][0] == moves:
        match = match.go_on(*worlds.popleft()[1:])
    return match


def read_record(path: str | Path) -> JsonObject:
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise BadRecord(
            f"The record {str(path)!r} cannot be opened: {error.strerror}. Give the path of a file that samovar saved."
        ) from error
    except RecursionError as error:
        raise BadRecord(f"{str(path)!r} is not a samovar record: {_TOO_DEEP}") from error
    except ValueError as error:
        raise BadRecord(f"{str(path)!r} is not a samovar record: it is not JSON ({error}).") from error
    _check_form(content)
    return dict(content)


def take_backs_of(record: JsonObject) -> int:
    """How often moves were taken back by which somebody may have come to know more: such a match
    is not rated. What makes no sense counts as never."""
    table = record.get("table")
    count = table.get("take_backs") if isinstance(table, dict) else 0
    return count if type(count) is int and 0 < count < MOST_TAKE_BACKS else 0


def resigned_of(record: JsonObject) -> tuple[int, ...]:
    """The seats that gave the match up, in this order. What makes no sense counts as none."""
    table, seats = record.get("table"), record.get("seats")
    resigned = table.get("resigned") if isinstance(table, dict) else None
    if not isinstance(resigned, list) or type(seats) is not int or len(resigned) > max(1, seats - 1):
        return ()
    are_seats = all(type(seat) is int and 0 <= seat < seats for seat in resigned)
    return tuple(resigned) if are_seats and len(set(resigned)) == len(resigned) else ()


def save_record(match: Match, path: str | Path, table: JsonObject | None = None) -> None:
    """Writes the whole file beside its place and then puts it there, so that an interruption leaves
    the old one. `table`: who sits where."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(path.name + ".part")
    beside.write_text(to_text(match.record(table)), encoding="utf-8", newline="\n")  # the same bytes on every system
    beside.replace(path)


def to_text(record: JsonObject) -> str:
    """One move a line: records are read by people and compared by line."""
    return "".join(to_pieces(record))


def to_pieces(record: JsonObject) -> Iterator[str]:
    """The same piece by piece, for those who have something else to do in between: each takes a few
    milliseconds."""
    rest = json.dumps({**record, "moves": []}, ensure_ascii=False, indent=2)
    # The moves of the record itself: a position may have some, too, but further to the right.
    before, empty, after = rest.partition('\n  "moves": []')
    yield before + empty.removesuffix("]")
    for start in range(0, len(record["moves"]), PIECE):
        moves = (json.dumps(move, ensure_ascii=False) for move in record["moves"][start : start + PIECE])
        yield ("," if start else "") + "\n    " + ",\n    ".join(moves)
    yield ("\n  ]" if record["moves"] else "]") + after + "\n"


PIECE = 100  # moves
MOST_TAKE_BACKS = 10**6
MOST_NESTED = 16  # lists and objects in one another; no record comes near it
_TOO_DEEP = "lists and objects are nested in it as in no record."
_FORM = {"game": str, "rules": int, "seats": int, "moves": list, "state": str, "digest": str}
_FORM_OF_SOME = {"position": dict, "options": dict, "table": dict, "worlds": list}


def _check_form(content: object) -> None:
    if not isinstance(content, dict) or "samovar" not in content:
        raise BadRecord("This is not a samovar record: it must be a JSON object with the key 'samovar'.")
    if not _is_shallow(content):
        raise BadRecord(f"This is not a samovar record: {_TOO_DEEP}")
    json_bytes(content)
    if type(content["samovar"]) is not int or content["samovar"] != RECORD_FORMAT:
        raise RecordVersion(
            f"This record has format {content['samovar']!r}; this samovar reads format {RECORD_FORMAT}. Use a samovar "
            "of the record's time."
        )
    for key, kind in (_FORM | {key: kind for key, kind in _FORM_OF_SOME.items() if key in content}).items():
        if type(content.get(key)) is not kind:
            raise BadRecord(
                f"This record is damaged: {key!r} is {content.get(key)!r}. Use the file as samovar saved it."
            )
    if ("position" in content) == ("seed" in content) or ("seed" in content) != ("options" in content):
        raise BadRecord(
            "This record is damaged: it has neither 'seed' and 'options' nor 'position', or both. Use the file as "
            "samovar saved it."
        )
    for world in content.get("worlds", []):
        if not (isinstance(world, list) and [type(number) for number in world] == [int] * 3):
            raise BadRecord(f"This record is damaged: {world!r} is no world; it is [moves, seat, seed].")
    for move in content["moves"]:
        if not (isinstance(move, list) and len(move) == 2 and type(move[0]) is int and type(move[1]) in (str, int)):
            raise BadRecord(f"This record is damaged: {move!r} is no move; a move is [seat, text] or [seat, number].")


def _is_shallow(content: JsonObject) -> bool:
    level: list[JsonObject | list[object] | tuple[object, ...]] = [content]
    for _ in range(MOST_NESTED):
        inner = (one for outer in level for one in (outer.values() if isinstance(outer, dict) else outer))
        level = [one for one in inner if isinstance(one, dict | list | tuple)]
    return not level
