"""A table of a running site, at which a language model has a chair. It hears of it as any program does."""

from __future__ import annotations

import threading
from contextlib import closing, suppress
from functools import cache

import msgspec

from samovar.client import REVISION, Conflict, JsonAnswer, Seat, ServerError, Table
from samovar.client.guest import SUBSTITUTE, agree
from samovar.engine.arrays import AnyView
from samovar.engine.contract import Game
from samovar.engine.match import Match
from samovar.engine.registry import find_game
from samovar.errors import BadReview, UnknownGame
from samovar.json_types import JsonObject
from samovar.models.reviews import told_review
from samovar.models.told import OVER, MoveChoice, ToldTable

PATIENCE_SECONDS = 20.0  # after a move; programs of models wait for an answer about a minute
PERSONAL = "/come/"  # in the link of a chair, before its token


class SiteTable:
    """What happens is collected in a thread, because somebody else may move while the model thinks."""

    def __init__(self, table_id: str, seat: Seat) -> None:
        self.id = table_id
        self._seat = seat
        self._changed = threading.Condition()
        self._last = seat.look()
        self._heard: list[str] = list(self._last["news"])  # since the model was told the last time
        self._failure: ServerError | None = None
        self._is_left = False
        threading.Thread(target=self._listen, args=(Seat(seat.table, seat.number, seat.token),), daemon=True).start()

    @classmethod
    def joined(cls, table_id: str, address: str, name: str, player: int | None) -> SiteTable:
        """By the link of a table, or by one's own to a chair of it."""
        page, _, token = address.strip().partition(PERSONAL)
        table = Table.at(page)
        if token:
            return cls(table_id, Seat.of(table, token.rstrip("/")))
        return cls(table_id, table.sit(name, None if player is None else player - 1))

    def look(self) -> ToldTable:
        look = self._look()
        return self._told(look, look["news"])

    def play(self, move: int | str) -> ToldTable:
        look = self._look()
        number = self._told(look, ()).chosen(move)
        try:
            moved = self._seat.play(number, look[REVISION])
        except Conflict as error:
            raise Conflict(f"{error} Nothing was played: look again.", error.status, error.kind) from error
        return self._wait(PATIENCE_SECONDS, moved[REVISION])

    def wait(self, seconds: float) -> ToldTable:
        return self._wait(seconds, self._look()[REVISION])

    def say(self, text: str) -> None:
        self._seat.say(text)

    def record(self) -> JsonObject:
        return self._seat.table.record()

    def review(self, seconds: float) -> str:
        """The site takes the time it takes."""
        if self._look()["status"] != OVER:
            raise BadReview("The game is not over, and a review would tell what is hidden. Play it to its end first.")
        return told_review(self._seat.table.review(), self._seat.number)

    def leave(self) -> None:
        """A bot plays on where the game goes on; before it begins the chair is free again."""
        self._is_left = True
        with suppress(ServerError):
            if self._last["status"] == "waiting":
                self._seat.leave()
            elif self._last["status"] != OVER:
                self._seat.hand_over(SUBSTITUTE)

    def _listen(self, ears: Seat) -> None:
        try:
            with closing(ears.events()) as looks:
                for look in looks:
                    if self._is_left:
                        return
                    with self._changed:
                        missed = look["moment"] - self._last["moment"] - 1
                        if missed > 0:  # a stream may pass over looks between two moves of others
                            self._heard.append(f"Before that {missed} more moves were made, too quickly to be told.")
                        if missed >= 0:
                            self._heard += look["news"]
                        self._last = look
                        self._changed.notify_all()
                    if look["status"] == OVER:
                        return
                    with suppress(Conflict):
                        agree(ears, look)
        except ServerError as error:
            with self._changed:
                self._failure = error
                self._changed.notify_all()

    def _wait(self, seconds: float, revision: int) -> ToldTable:
        """Until the model is to move, or it is over, or for so long; nothing that it was told before is told again."""

        def is_enough() -> object:
            look = self._last
            return self._failure or (look[REVISION] >= revision and (look["legal"] or look["status"] == OVER))

        with self._changed:
            self._changed.wait_for(is_enough, seconds)
            if self._failure is not None:
                raise self._failure
            heard, self._heard = self._heard, []
            return self._told(self._last, heard)

    def _look(self) -> JsonAnswer:
        """As it is now; the model is back if the others were tired of waiting and let a bot play."""
        look = self._seat.look()
        if look["people"][self._seat.number]["kind"] != "absent":
            return look
        with suppress(Conflict):
            self._seat.come_back()
        return self._seat.look()

    def _told(self, look: JsonAnswer, heard: list[str] | tuple[str, ...]) -> ToldTable:
        seat = self._seat.number
        names = tuple(
            f"{person['name']}{' (you)' if number == seat else ''}" for number, person in enumerate(look["people"])
        )
        game, view = drawn_here(look)
        said = (f"{look['people'][one['seat']]['name']}: {one['text']}" for one in look["talk"])
        return ToldTable(
            table=self.id,
            game_id=look["game"],
            game=game,
            seat=seat,
            names=names,
            status=look["status"],
            actors=tuple(look["actors"]),
            view=view,
            seen=look["view"],
            happened=tuple(heard),
            # `told`, the old name of `sentence`: a site of the version before says only this one.
            legal=tuple(MoveChoice(move["move"], move["text"], move["told"]) for move in look["legal"]),
            scores=look["scores"],
            places=look["places"],
            success=look["success"],
            talk=tuple(said),
        )


def drawn_here(look: JsonAnswer) -> tuple[Game | None, AnyView]:
    """The game and the view of a look, as far as they are known here: a site may have other games, and other rules."""
    try:
        game = find_game(look["game"])
    except UnknownGame:
        return None, None
    if game.version != look["rules"]:
        return None, None
    try:
        return game, look["view"] and msgspec.convert(look["view"], kind_of_view(game.id, look["seats"]))
    except msgspec.ValidationError:
        return None, None


@cache
def kind_of_view(game_id: str, seats: int) -> type:
    return type(Match(game_id, seats, 0, plain=True).view(0))
