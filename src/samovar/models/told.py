"""What a language model is told of a table: as text, as JSON, and as a picture. All is made from what its own seat
sees, here and at a site alike, and players are counted from 1."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import msgspec

from samovar.client.guest import score_text
from samovar.engine.arrays import AnyView
from samovar.engine.contract import Event, Game
from samovar.engine.places import percent_of
from samovar.engine.words import words_at, words_in
from samovar.envs import need
from samovar.envs.picture import rgb
from samovar.errors import IllegalMove, MatchOver, NotAnActor, SamovarError
from samovar.json_types import JsonObject
from samovar.language.languages import ENGLISH

OVER, PLAYING = "over", "playing"
LISTED_MOVES = 24  # more than these are named in a line, and all of them only when they are asked for


class MoveChoice(NamedTuple):
    number: int
    text: str
    words: str


@dataclass(frozen=True)
class ToldTable:
    """A table as one player sees it."""

    table: str
    game_id: str
    game: Game | None  # None: it is not installed here
    seat: int
    names: tuple[str, ...]  # by seat
    status: str
    actors: tuple[int, ...]
    view: AnyView  # None before the match begins
    seen: object  # the same as plain values
    happened: tuple[str, ...]
    legal: tuple[MoveChoice, ...]
    scores: Sequence[int] | None = None
    places: Sequence[int] | None = None
    success: int | None = None
    talk: tuple[str, ...] = ()

    def to_text(self) -> str:
        title = self.game.name if self.game else self.game_id
        parts = [f"Table {self.table}: {title}. You are player {self.seat + 1}."]
        if self.talk:
            parts.append(listed("Said at the table:", self.talk))
        if self.happened:
            parts.append(listed("What happened:", self.happened))
        parts += self.seen_parts
        parts.append(self._next())
        return "\n\n".join(parts)

    @property
    def seen_parts(self) -> list[str]:
        """The drawing, and what the player is asked to do; without the game the view as data."""
        if self.view is None or self.game is None:
            return [] if self.seen is None else [json.dumps(self.seen, ensure_ascii=False)]
        drawing = self.game.draw(self.view, words_in(self.game, ENGLISH)).strip("\n")
        is_over = self.status == OVER
        return [drawing] if is_over else [drawing, sentence(self.view.prompt, self.game, self.names)]

    def _next(self) -> str:
        if self.status == OVER:
            return listed("The game is over.", self.result)
        if self.status != PLAYING:
            return "The game begins when all chairs are taken. Call wait."
        if not self.legal:
            return f"It is for {self.waiting_for} to move. Call wait."
        if len(self.legal) > LISTED_MOVES:
            some = ", ".join(f"{move.text} ({move.number})" for move in self.legal[:LISTED_MOVES])
            return f"{len(self.legal)} moves are legal. The first ones: {some}. All of them: call moves."
        return self.moves_text()

    def moves_text(self) -> str:
        """All legal moves."""
        self.check_turn()
        told = (
            f"{move.number}: {move.text}" + (f" ({move.words})" if move.words not in ("", move.text) else "")
            for move in self.legal
        )
        return listed("Legal moves, by number and text:", tuple(told))

    @property
    def waiting_for(self) -> str:
        return " and ".join(self.names[seat] for seat in self.actors) or "nobody"

    @property
    def result(self) -> tuple[str, ...]:
        """The players from the first place to the last, or what all reached together."""
        if self.success is not None:
            return (f"Reached together: {percent_of(self.success)} of 100.",)
        if self.places is None:
            return ()
        order = sorted(range(len(self.names)), key=self.places.__getitem__)
        return tuple(self._line(seat, self.places[seat]) for seat in order)

    def _line(self, seat: int, place: int) -> str:
        points = f", {score_text(self.game_id, self.scores[seat])}" if self.scores is not None else ""
        return f"Place {place}: {self.names[seat]}{points}"

    def to_json(self) -> JsonObject:
        return {
            "table": self.table,
            "game": self.game_id,
            "player": self.seat + 1,
            "names": list(self.names),
            "status": self.status,
            "to_move": [seat + 1 for seat in self.actors],
            "happened": list(self.happened),
            "view": self.seen,
            "legal": [{"number": move.number, "text": move.text, "words": move.words} for move in self.legal],
            "scores": None if self.scores is None else list(self.scores),
            "places": None if self.places is None else list(self.places),
            "success": self.success,
        }

    def to_png(self) -> bytes:
        """A picture of what the player sees."""
        need("PIL", "mcp")
        from PIL import Image

        if self.view is None or self.game is None:
            raise NotAnActor("There is nothing to draw: the game has not begun, or is not installed here. Call look.")
        file = io.BytesIO()
        Image.fromarray(rgb(self.game, self.view)).save(file, "PNG")
        return file.getvalue()

    def check_turn(self) -> None:
        if self.status == OVER:
            raise MatchOver("The game is over. See its record or its review, or begin another one with sit_down.")
        if not self.legal:
            raise NotAnActor(f"It is not your turn: it is for {self.waiting_for} to move. Call wait.")

    def chosen(self, move: int | str, parse: Callable[[str], int] | None = None) -> int:
        """The number of a legal move, given by its number or text."""
        self.check_turn()
        asked = str(move).strip().casefold()
        for one in self.legal:
            if asked == one.text.casefold():
                return one.number
        numbers = {one.number for one in self.legal}
        if asked.isdecimal() and int(asked) in numbers:
            return int(asked)
        if parse is not None and isinstance(move, str):
            try:
                number = parse(move)
            except SamovarError:
                number = -1
            if number in numbers:
                return number
        some = ", ".join(f"{one.text} ({one.number})" for one in self.legal[:LISTED_MOVES])
        more = f" and {len(self.legal) - LISTED_MOVES} more: call moves" if len(self.legal) > LISTED_MOVES else ""
        raise IllegalMove(f"{move!r} is no legal move. Legal now, each with its number: {some}{more}.")


def listed(head: str, lines: Sequence[str]) -> str:
    return "\n".join([head, *(f"- {line}" for line in lines)])


def sentence(event: Event, game: Game, names: Sequence[str]) -> str:
    told = event.tell(words_in(game, ENGLISH), names.__getitem__)
    return told[:1].upper() + told[1:]


def in_words(game: Game, view: AnyView, text: str, names: tuple[str, ...]) -> str:
    """A move, told by the game's face where it has one."""
    return game.face.say(view, text, words_at(game, ENGLISH, names)) if game.face else text


def as_plain(view: AnyView) -> object:
    plain: object = msgspec.to_builtins(view)
    return plain
