"""The process in which bots think (`bots/bot_worker.py`) and moves are advised,
`python -m samovar.insight.advice_worker NICENESS`: for the site. What it is told of a match is a seat,
here as there."""

from __future__ import annotations

import sys

import msgspec

from samovar.bots.bot_worker import PLAIN_SECONDS, BotOrder, Host, HostReply, Prepare
from samovar.engine.match import Match
from samovar.engine.registry import find_game
from samovar.engine.seat import Seat
from samovar.insight.advice import Advised, advise
from samovar.processes import be_nice, serve

HOST = "samovar.insight.advice_worker"
ADVICE = "advice"  # in the place of a bot's name


class Advise(msgspec.Struct, frozen=True, tag=True):
    """Which moves are the best in this seat?"""

    seat: bytes
    seed: int  # for all that is left to chance
    is_plain: bool = False  # it is thought about by plain rules, for a moment only


class AdviceReply(HostReply, frozen=True, omit_defaults=True):
    advice: tuple[Advised, ...] = ()


Order = BotOrder | Advise


class AdvisingHost(Host):
    def read(self, line: bytes) -> HostReply:
        return self.carry_out(msgspec.json.decode(line, type=Order))

    def carry_out(self, order: Order) -> HostReply:
        match order:
            case Advise(seat, seed, True):
                known = Seat.from_bytes(seat, plain=True)
                return AdviceReply(advice=advise(known, seconds=PLAIN_SECONDS, seed=seed, plain=True))
            case Advise(seat, seed):
                return AdviceReply(advice=advise(Seat.from_bytes(seat), seed=seed))
            case Prepare(game, bot) if bot == ADVICE:
                prepare(game)
                return HostReply()
        return super().carry_out(order)


def prepare(game_id: str) -> None:
    """Has all compiled that advice needs."""
    match = Match(find_game(game_id), seed=1)
    advise(match.seat(match.actors[0]), find=4, simulations=4, looks=1)


def main() -> None:
    be_nice(int(sys.argv[1]) if sys.argv[1:] else 0)
    serve(AdvisingHost().answer)


if __name__ == "__main__":
    main()
