"""What goes wrong inside a rule in plain Python, told as its author knows it: which rule, which line, which field.

Compiled rules check nothing, for they are to be quick. So who looks for a mistake runs them plain, as the kit does, or
sets `SAMOVAR_PLAIN=1`.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from itertools import pairwise
from pathlib import Path
from types import CodeType, FrameType, FunctionType, TracebackType
from typing import Any

import numpy as np

from samovar.engine.contract import Game
from samovar.engine.ways import plain
from samovar.errors import BrokenGame, SamovarError

PURE = ("abs", "bool", "int", "len", "max", "min")  # calls that may be made again to tell what they gave
UNKNOWN = object()
ENGINE = "samovar.engine."


class RuleDoesNotEnd(Exception):
    """Raised inside a plain rule by `watch.py`."""


def explained(game: Game, error: Exception) -> Exception:
    """The mistake behind an error from inside a rule; an error of this package stays what it is."""
    if isinstance(error, SamovarError):
        return error
    frames = [step for step in _steps(error.__traceback__) if step[0].f_code.co_filename != plain.__file__]
    # a helper of the engine fails by what it was given: its caller is what the author can mend
    own = [step for step in frames if not step[0].f_globals.get("__name__", "").startswith(ENGINE)]
    frame, line = (own or frames)[-1]
    told = f"The rule {frame.f_code.co_name!r} of {game.name}"
    where = f"{Path(frame.f_code.co_filename).name}, line {line}"
    statement = _statement(frame, line)
    if isinstance(error, RuleDoesNotEnd):
        callers = " of ".join(
            repr(step.f_code.co_name) for step, _ in reversed(frames) if _is_of(game, step) and step is not frame
        )
        return BrokenGame(
            f"{told} does not end{f' (part of {callers})' if callers else ''}. It was stopped at {where}: "
            f"{_text(statement)}. See that every loop in it comes to its end."
        )
    if isinstance(error, IndexError) and (found := _place(frame, statement)):
        array, place, size = found
        if array == "out" and any(step.f_code is _code(game.legal) for step, _ in frames):
            return too_many_moves(game, "more")
        return BrokenGame(f"{told} uses {array}[{place}], which has {size}: {where}: {_text(statement)}.")
    if isinstance(error, ValueError | OverflowError) and (written := _written(frame, statement)):
        target, value, low, high = written
        return BrokenGame(
            f"{told} writes {'a number' if value is UNKNOWN else value} into {target}, which holds {low} to {high}: "
            f"{where}: {_text(statement)}. Give the field a wider type, such as np.int32, or keep the number small; "
            "compiled, it would overflow unseen."
        )
    return BrokenGame(f"{told} fails at {where}: {_text(statement)} ({type(error).__name__}: {error}).")


def too_many_moves(game: Game, count: object) -> BrokenGame:
    return BrokenGame(
        f"The rule {_code(game.legal).co_name!r} of {game.name} writes {count} legal moves, and max_legal says "
        f"{game.max_legal}. Raise max_legal, the most legal moves there can be at one moment, or leave it out."
    )


def no_moves(game: Game, seat: int) -> BrokenGame:
    return BrokenGame(
        f"The rule {_code(game.legal).co_name!r} of {game.name} writes no move for seat {seat}, which `actors` says "
        "may act: nobody could go on. Pass over such a seat in `apply`, or give it a move that does nothing."
    )


def not_ascending(game: Game, legal: list[int]) -> BrokenGame:
    """A move that is listed is sought where it would be in an ascending list, and not found."""
    low, high = next(((one, other) for one, other in pairwise(legal) if one >= other), (legal[0], legal[0]))
    return BrokenGame(
        f"The rule {_code(game.legal).co_name!r} of {game.name} writes move {low} and then move {high}. Write the "
        "legal moves in ascending order, each once."
    )


def _steps(traceback: TracebackType | None) -> list[tuple[FrameType, int]]:
    steps = []
    while traceback:
        steps.append((traceback.tb_frame, traceback.tb_lineno))
        traceback = traceback.tb_next
    return steps


def _code(function: object) -> CodeType:
    assert isinstance(function, FunctionType)
    return function.__code__


def _is_of(game: Game, frame: FrameType) -> bool:
    """Whether this is one of the rules that the contract names."""
    return any(frame.f_code is _code(function) for function in game.rules.values())


def _statement(frame: FrameType, line: int) -> ast.stmt | None:
    """The innermost statement at a line; None where there is no source."""
    try:
        lines, start = inspect.getsourcelines(frame.f_code)
    except OSError:
        return None
    inside = [
        node
        for node in ast.walk(ast.parse(textwrap.dedent("".join(lines))))
        if isinstance(node, ast.stmt) and node.lineno <= line - start + 1 <= (node.end_lineno or 0)
    ]
    return inside[-1] if inside else None


def _text(statement: ast.stmt | None) -> str:
    return repr(ast.unparse(statement).splitlines()[0]) if statement else "(no source)"


def _value(frame: FrameType, expression: ast.expr) -> Any:
    """What an expression of a rule gives, where asking again changes nothing."""
    for node in ast.walk(expression):
        if isinstance(node, ast.Call) and not (isinstance(node.func, ast.Name) and node.func.id in PURE):
            return UNKNOWN
    try:
        return eval(compile(ast.Expression(expression), "rule", "eval"), frame.f_globals, dict(frame.f_locals))
    except Exception:
        return UNKNOWN


def _place(frame: FrameType, statement: ast.stmt | None) -> tuple[str, object, str] | None:
    """The array of a statement that is not so long, the place asked for and how many there are."""
    for node in ast.walk(statement) if statement else ():
        if isinstance(node, ast.Subscript):
            array, place = _value(frame, node.value), _value(frame, node.slice)
            if isinstance(array, memoryview) and place is not UNKNOWN:
                places = place if isinstance(place, tuple) else (place,)
                inside = [-size <= k < size for k, size in zip(places, array.shape or (), strict=False)]
                if not all(inside):
                    told = ", ".join(map(str, places))
                    return ast.unparse(node.value), told, " x ".join(map(str, array.shape or ())) + " places"
    return None


def _written(frame: FrameType, statement: ast.stmt | None) -> tuple[str, object, int, int] | None:
    """What a statement writes into, the number, and the least and greatest that would fit."""
    if isinstance(statement, ast.Assign):
        target, value = statement.targets[0], _value(frame, statement.value)
    elif isinstance(statement, ast.AugAssign):
        target = statement.target
        read = ast.parse(ast.unparse(target), mode="eval").body  # the target, to be read
        value = _value(frame, ast.fix_missing_locations(ast.BinOp(read, statement.op, statement.value)))
    else:
        return None
    array = UNKNOWN
    if isinstance(target, ast.Subscript):
        array = _value(frame, target.value)
    elif isinstance(target, ast.Attribute):
        state = _value(frame, target.value)
        array = state._fields[target.attr] if isinstance(state, plain.PlainState) else UNKNOWN
    if not isinstance(array, memoryview):
        return None
    limits = np.iinfo(np.dtype(array.format))
    return ast.unparse(target), value, int(limits.min), int(limits.max)
