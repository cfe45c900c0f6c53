"""Which bots there are: entry points of the group `samovar.bots`, from this package and any other
that is installed."""

from __future__ import annotations

import math

from samovar.bots.bot import Bot, Order
from samovar.engine.contract import Game
from samovar.engine.registry import find_game, found_in
from samovar.errors import BrokenBot, SamovarError, UnknownBot, did_you_mean

GROUP = "samovar.bots"


def bot_names() -> tuple[str, ...]:
    """The names of all bots, in order; none of them is imported."""
    return tuple(found_in(GROUP))


def is_ours(name: str) -> bool:
    """Whether the code of a bot is in this package."""
    known = found_in(GROUP)
    return name in known and known[name].module.startswith("samovar.")


def make_bot(text: str, game: str | Game, seed: int, *, limit: float = math.inf, plain: bool | None = None) -> Bot:
    """The bot that `name` or `name:argument` orders, for one seat of one match."""
    name, _, argument = text.partition(":")
    known = found_in(GROUP)
    if name not in known:
        raise UnknownBot(f"There is no bot {name!r}.{did_you_mean(name, known)}")
    rules = find_game(game) if isinstance(game, str) else game
    try:
        bot: Bot = known[name].load()(Order(name, argument, rules, seed, limit, plain))
    except SamovarError:
        raise
    except Exception as error:  # a fault in somebody's package must not take the others down
        raise BrokenBot(
            f"The bot {text!r} cannot be made by {known[name].value!r}: {error!r}. Mend or uninstall its package."
        ) from error
    if not callable(getattr(bot, "choose", None)):
        raise BrokenBot(
            f"The entry point {name!r} of group {GROUP!r} must make an object with a method 'choose', it made {bot!r}."
        )
    return bot
