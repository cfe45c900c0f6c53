"""Where bots import a seat; its class is beside the match that makes it."""

from samovar.engine.match import Seat

__all__ = ["Seat"]
