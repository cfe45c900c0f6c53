"""The process of a referee, `python -m samovar.arena.referee_worker`: the matches are played here, and the
truth is in here alone. The bots of others are in processes of their own: see `players.py`.

Orders come as lines of JSON, and each is answered by one.
"""

from __future__ import annotations

import msgspec

from samovar.arena.outcome import Outcome
from samovar.arena.plan import PlannedMatch
from samovar.arena.players import ArenaPlayers
from samovar.arena.playing import Playing
from samovar.engine.registry import find_game
from samovar.errors import BadTournament, BotFailed, SamovarError
from samovar.json_types import JsonObject
from samovar.processes import WorkerNotStarted, hide_memory, serve


class RefereeOrder(msgspec.Struct, frozen=True):
    match: PlannedMatch
    move_limit: float
    allowance: float
    record: bool = False
    only_make: bool = False  # its bots are made and let go


class RefereeReply(msgspec.Struct, frozen=True, omit_defaults=True):
    outcome: Outcome | None = None
    record: JsonObject | None = None
    error: tuple[str, str] | None = None  # the name of its class, and the text


class ArenaWorker:
    def __init__(self) -> None:
        self._players: dict[tuple[float, float], ArenaPlayers] = {}  # by the limits of their bots

    def answer(self, line: bytes) -> bytes:
        order = msgspec.json.decode(line, type=RefereeOrder)
        try:
            reply = self._carry_out(order)
        except WorkerNotStarted:
            reply = failure(BadTournament("The process for a bot could not be started. What it said is above."))
        except SamovarError as error:
            reply = failure(error)
        return msgspec.json.encode(reply)

    def _carry_out(self, order: RefereeOrder) -> RefereeReply:
        limits = (order.move_limit, order.allowance)
        players = self._players.setdefault(limits, ArenaPlayers(*limits))
        if order.only_make:
            make_only(order.match, players)
            return RefereeReply()
        playing = Playing(order.match, players.make)
        playing.play()
        players.leave(order.match.bots, playing.late)
        return RefereeReply(*playing.played(record=order.record))


def make_only(planned: PlannedMatch, players: ArenaPlayers) -> None:
    """Makes one of each bot; what is wrong with it is an error."""
    for name in dict.fromkeys(planned.bots):
        try:
            players.make(name, find_game(planned.game), planned.bot_seeds[0]).close()
        except BotFailed as error:
            raise BotFailed(f"The bot {name!r} cannot be made. {error}") from error
        finally:
            players.leave()


def failure(error: Exception) -> RefereeReply:
    return RefereeReply(error=(type(error).__name__, str(error)))


def main() -> None:
    hide_memory()
    serve(ArenaWorker().answer)


if __name__ == "__main__":
    main()
