"""What can go wrong when a program asks: how bodies are read, what is said when they cannot be, and
how that is described."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, ClassVar

import msgspec
from litestar.dto import AbstractDTO
from litestar.enums import MediaType
from litestar.exceptions import HTTPException, ValidationException
from litestar.openapi.datastructures import ResponseSpec
from litestar.openapi.spec import Example
from litestar.response import Response
from litestar.typing import FieldDefinition

from samovar.errors import SamovarError
from samovar.web import problems
from samovar.web.api import messages
from samovar.web.tables.table import Table
from samovar.web.visit import AnyRequest

SHOWN_MOVES = 12


class NoToken(problems.Problem, status=401):
    says = "This needs the token of a seat: send it as 'Authorization: Bearer TOKEN'."


class WrongToken(problems.Problem, status=403):
    says = "This token is of no seat at this table. A token is good for the table and the seat it was given for."


class SeatTaken(problems.Problem, status=409):
    says = "Seat %(seat)s is taken. Free seats: %(free)s."


class BotPlays(problems.Problem, status=409):
    says = "A bot plays for you now. Come back first: POST /api/tables/TABLE/come-back."


class NotPossible(problems.NotPossible):
    says = "%(move)s is not possible now. Legal: %(legal)s."


def not_possible(table: Table, seat: int, move: int | str) -> NotPossible:
    texts = table.playing.moves(seat)
    more = f" and {len(texts) - SHOWN_MOVES} more" if len(texts) > SHOWN_MOVES else ""
    return NotPossible(
        move=move if isinstance(move, int) else repr(move[:40]), legal=", ".join(texts[:SHOWN_MOVES]) + more
    )


class BadJson(problems.Problem, status=400):
    says = "The body is not JSON: %(why)s"


class BadField(problems.Problem, status=422):
    says = "%(why)s"


class Refused(problems.Problem, status=422):
    """An error of the engine: its own name and its own sentence, which says what would be right."""

    says = "%(why)s"

    def __init__(self, error: SamovarError) -> None:
        super().__init__(why=error)
        self.kind = type(error).__name__


class Exact(AbstractDTO[Any]):
    """Bodies are read to the letter: `true` is no 1, and `"2"` is no 2."""

    _decoders: ClassVar[dict[str, msgspec.json.Decoder[Any]]] = {}

    @classmethod
    def create_for_field_definition(
        cls, field_definition: FieldDefinition, handler_id: str, backend_cls: Any = None
    ) -> None:
        cls._decoders[handler_id] = msgspec.json.Decoder(field_definition.annotation)

    @classmethod
    def create_openapi_schema(cls, field_definition: FieldDefinition, handler_id: str, schema_creator: Any) -> Any:
        return schema_creator.for_field_definition(field_definition)

    @classmethod
    def is_supported_model_type_field(cls, field_definition: FieldDefinition) -> bool:
        return True

    @classmethod
    def generate_field_definitions(cls, model_type: type[Any]) -> Iterator[Any]:  # type: ignore[override]
        return iter(())

    @classmethod
    def detect_nested_field(cls, field_definition: FieldDefinition) -> bool:
        return False

    def decode_bytes(self, value: bytes) -> Any:
        try:
            return self._decoders[self.asgi_connection.route_handler.handler_id].decode(value)
        except msgspec.ValidationError as error:
            raise BadField(why=f"body: {error}") from error
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise BadJson(why=error) from error


def answer_problem(request: AnyRequest, problem: problems.Problem) -> Response[bytes]:
    error = messages.Error(error=getattr(problem, "kind", type(problem).__name__), detail=str(problem))
    headers = {"WWW-Authenticate": "Bearer"} if problem.status == NoToken.status else None
    return Response(msgspec.json.encode(error), status_code=problem.status, media_type=MediaType.JSON, headers=headers)


def answer_http(request: AnyRequest, error: HTTPException) -> Response[bytes]:
    """What Litestar finds wrong with a request, in our words."""
    if isinstance(error, ValidationException):
        found = error.extra if isinstance(error.extra, list) else []
        return answer_problem(request, BadField(why="; ".join(map(field_problem, found)) or error.detail))
    known = {413: problems.TooLarge, 429: problems.TooMany}
    problem = known[error.status_code]() if error.status_code in known else BadJson(why=error.detail)
    return answer_problem(request, problem)


def field_problem(one: dict[str, Any]) -> str:
    key, message = one.get("key", "data"), one["message"]
    return f"{'body' if key == 'data' else key}: {'there is none' if message == repr(key) else message}"


# For the description


def problem_responses(*kinds: type[problems.Problem]) -> dict[int, ResponseSpec]:
    """What can go wrong, by status; what is in every request (TooMany, TooLarge ...) is told once,
    on the page.

    That a request is not understood is told for each: Litestar would describe an answer that is not
    ours.
    """
    every: tuple[type[problems.Problem], ...] = (problems.Problem, BadField, *kinds)
    by_status: dict[int, list[type[problems.Problem]]] = {}
    for kind in dict.fromkeys(every):
        by_status.setdefault(kind.status, []).append(kind)
    return {status: problem_response(same) for status, same in by_status.items()}


def problem_response(kinds: list[type[problems.Problem]]) -> ResponseSpec:
    sentences = {kind.__name__: re.sub(r"%\(\w+\)s", "...", kind.says) for kind in kinds}
    examples = [
        Example(summary=name, value={"error": name, "detail": sentence}) for name, sentence in sentences.items()
    ]
    described = " ".join(f"`{name}`: {sentence}" for name, sentence in sentences.items())
    return ResponseSpec(messages.Error, description=described, generate_examples=False, examples=examples)
