"""The process of a referee, `python -m samovar.arena.referee_worker`: the matches are played here, and the
truth is in here alone. The bots of others are in processes of their own: see `players.py`.

Orders come as lines of JSON: a match, or with `only_make` a match whose bots are to be made and let
go. The answer is {"outcome": .., "record": ..} or {"error": [TYPE, TEXT]}.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from samovar.arena.plan import PlannedMatch, revived
from samovar.arena.play import Playing
from samovar.arena.players import ArenaPlayers
from samovar.engine.registry import find_game
from samovar.errors import BadTournament, BotFailed, SamovarError
from samovar.processes import WorkerNotStarted, hide_memory, serve

WorkerMessage = dict[str, Any]


class ArenaWorker:
    def __init__(self) -> None:
        self._players: dict[tuple[float, float], ArenaPlayers] = {}  # by the limits of their bots

    def answer(self, line: bytes) -> bytes:
        order = json.loads(line)
        try:
            reply = self._carry_out(order)
        except WorkerNotStarted:
            reply = failure(BadTournament("The process for a bot could not be started. What it said is above."))
        except SamovarError as error:
            reply = failure(error)
        return json.dumps(reply).encode()

    def _carry_out(self, order: WorkerMessage) -> WorkerMessage:
        planned = revived(PlannedMatch, order["match"])
        limits = (order["move_limit"], order["allowance"])
        players = self._players.setdefault(limits, ArenaPlayers(*limits))
        if order["only_make"]:
            make_only(planned, players)
            return {}
        playing = Playing(planned, players.make)
        playing.play()
        players.leave(planned.bots, playing.late)
        played = playing.played(record=order["record"])
        return {"outcome": asdict(played.outcome), "record": played.record}


def make_only(planned: PlannedMatch, players: ArenaPlayers) -> None:
    """Makes one of each bot; what is wrong with it is an error."""
    for name in dict.fromkeys(planned.bots):
        try:
            players.make(name, find_game(planned.game), planned.bot_seeds[0]).close()
        except BotFailed as error:
            raise BotFailed(f"The bot {name!r} cannot be made. {error}") from error
        finally:
            players.leave()


def failure(error: Exception) -> WorkerMessage:
    return {"error": [type(error).__name__, str(error)]}


def main() -> None:
    hide_memory()
    serve(ArenaWorker().answer)


if __name__ == "__main__":
    main()
