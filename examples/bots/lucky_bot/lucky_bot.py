"""A bot that trusts its luck: it imagines how the match might go on after a few moves, and makes
the one that went best. `lucky` or `lucky:50`."""

import random

from samovar.bots import Answer, Order, Reason
from samovar.engine.seat import Seat
from samovar.errors import BadBot


class LuckyBot:
    def __init__(self, order: Order) -> None:
        tries = order.argument or "20"
        if not tries.isdecimal() or int(tries) < 1:
            raise BadBot(f"The bot 'lucky' takes a number of tries, not {tries!r}. Write lucky or lucky:50.")
        self._tries = int(tries)
        self._chance = random.Random(order.seed)

    def choose(self, seat: Seat) -> Answer:
        moves = self._chance.sample(seat.legal, min(self._tries, len(seat.legal)))
        tried = sorted((self._try(seat, move) for move in moves), key=lambda reason: reason.place)
        return Answer(tried[0].move, tuple(tried[:5]))

    def _try(self, seat: Seat, move: int) -> Reason:
        """Makes the move in a world that fits all that the seat knows, and then everybody moves at
        random."""
        world = seat.imagine(self._chance.getrandbits(62))
        world.play(seat.number, move)
        world.play_random(self._chance.getrandbits(62))
        return Reason(move, seat.move_text(move), visits=1, place=world.places[seat.number])

    def close(self) -> None:
        pass
